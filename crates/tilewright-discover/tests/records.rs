//! Codes in records: every type of ggml's whose codes are a layout is found, with its fields, bit for bit where Python's
//! `gguf` reads them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packers;

use std::convert::Infallible;

use tilewright::formats::gguf::GgufType;
use tilewright_discover::{Form, RecordField, discover};

/// Rows of the file that `gguf` made: for each bit of a type's values, the bit of the block that it is for each value.
fn frozen(name: &str) -> Vec<(u32, Vec<i64>)> {
    let text = include_str!("../../tilewright/tests/data/gguf-codes.tsv");
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let rows = rows.filter(|row| row.starts_with(&["bits", name, "codes"]));
    rows.map(|row| {
        let places = row[4].split(',').map(|place| place.parse().unwrap()).collect();
        (row[3].parse().unwrap(), places)
    })
    .collect()
}

/// The fields that the library's table has for the codes.
fn fields_of(one: &GgufType) -> Vec<RecordField> {
    let parts = one.record().parts("codes");
    let mut fields: Vec<RecordField> = parts
        .map(|part| RecordField {
            shift: part.shift(),
            bits: part.bits(),
            base: part.base(),
            modes: part.modes().to_vec(),
        })
        .collect();
    fields.sort_by_key(|field| field.shift);
    fields
}

#[test]
fn every_type_of_ggml_is_found() {
    let mut n_in_fields = 0;
    for &(name, bits, pack) in packers::gguf::TYPES {
        let one = GgufType::of_name(name).unwrap();
        let (elements, bytes) = (one.record().elements(), one.record().bytes());
        let found = discover(pack, &[3, 2 * elements], bits).unwrap();
        let record = found.record().unwrap();
        assert_eq!((record.elements, record.bytes), (elements, bytes), "{name}");
        assert_eq!(record.fields, fields_of(one), "{name}");
        // Of Q1_0 there is nothing in that file.
        assert!(name == "Q1_0" || frozen(name).len() == bits as usize, "{name}");
        for (bit, places) in frozen(name) {
            let field = record.fields.iter().rfind(|field| field.shift <= bit).unwrap();
            let of_field: Vec<i64> = (0..elements).map(|i| bit_of(field, i)).collect();
            let expected: Vec<i64> = places.iter().map(|at| at + i64::from(field.shift)).collect();
            let of_bit: Vec<i64> = of_field.iter().map(|at| at + i64::from(bit)).collect();
            assert_eq!(of_bit, expected, "{name} {bit}");
        }
        n_in_fields += usize::from(matches!(found.form(), Form::Fields(_)));
    }
    assert_eq!(n_in_fields, 5);
    let layouts =
        GgufType::all().iter().filter(|one| one.plain().is_none() && one.no_codes().is_none());
    assert_eq!(packers::gguf::TYPES.len(), layouts.count());
}

fn bit_of(field: &RecordField, element: i64) -> i64 {
    let step = |(rest, bit): (i64, i64), (extent, stride): &(i64, i64)| {
        (rest / extent, bit + rest % extent * stride)
    };
    field.modes.iter().fold((element, field.base), step).1
}

#[test]
fn fields_are_told() {
    let (_, bits, pack) = packers::gguf::TYPES.iter().find(|one| one.0 == "Q6_K").unwrap();
    let found = discover(pack, &[2, 512], *bits).unwrap();
    assert_eq!(
        found.text(),
        "records of 256 in 210 bytes: bits 0-3 (64,2,2):(8,4,512) from bit 0; \
         bits 4-5 (32,4,2):(8,2,256) from bit 1024"
    );
    assert_eq!((found.layout(), found.map(), found.xla()), (None, None, None));
    assert_eq!(found.offsets()[..6], [0, 1, 2, 3, 1024, 1025]);
    assert_eq!(found.padding().bits, 4 * (210 * 8 - 256 * 6));
    let Form::Fields(fields) = found.form() else { panic!("{found}") };
    assert_eq!(fields[1].fitted.layout.to_string(), "(2,(32,4,2,2)):(3360,(8,2,256,1680))");
}

/// Planes of bits that cover the whole array are fields, and rows are no records.
#[test]
fn fields_without_records() {
    let pack = |codes: &[u32], _: &[i64]| -> Result<Vec<u8>, Infallible> {
        let low = codes.chunks(2).map(|c| (c[0] & 15 | (c[1] & 15) << 4).to_le_bytes()[0]);
        let high = (0..codes.len() / 4).map(|i| {
            let n = codes.len() / 4;
            (0..4).fold(0u32, |byte, j| byte | (codes[i + j * n] >> 4) << (2 * j)).to_le_bytes()[0]
        });
        Ok(low.chain(high).collect())
    };
    let found = discover(pack, &[4, 6], 6).unwrap();
    assert_eq!(found.record(), None);
    assert_eq!(found.text(), "bits 0-3 (4,6):(24,4) from bit 0; bits 4-5 (4,6):(2,8) from bit 96");
}

/// Three-bit codes that go over the ends of words are one layout of the code and its bit, no fields.
#[test]
fn codes_in_one_stream_are_no_fields() {
    let found = discover(packers::named("gptq-3"), &[64, 32], 3).unwrap();
    assert!(matches!(found.form(), Form::Merged { .. }), "{found}");
}
