//! ggml's blocks: the tables against the bits that Python's `gguf` reads, and the maps against the
//! tables.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::collections::HashMap;

use tilewright::IndexMap;
use tilewright::formats::gguf::GgufType;
use tilewright::formats::{Field, Record};
use tilewright::map::IndexLookup;

/// Types that only exist while ggml multiplies.
const NEVER_IN_FILES: [&str; 2] = ["Q8_1", "Q8_K"];

fn named(name: &str) -> &'static GgufType {
    GgufType::of_name(name).unwrap_or_else(|| panic!("{name}"))
}

fn rows_of(kind: &str) -> Vec<Vec<String>> {
    let rows = support::rows("gguf-codes.tsv").into_iter();
    rows.filter(|row| row[0] == kind).map(|row| row[1..].to_vec()).collect()
}

/// Where bit `bit` of every value lies, by the table.
fn places(record: &Record, value: &str, bit: u32) -> Vec<i64> {
    let owner = |field: &&Field| (field.shift()..field.shift() + field.bits()).contains(&bit);
    let field = record.parts(value).find(owner).unwrap_or_else(|| panic!("{value} {bit}"));
    let inner = i64::from(bit - field.shift());
    (0..field.n_values()).map(|number| field.bit_of(number).unwrap() + inner).collect()
}

#[test]
fn numbers_and_sizes_are_those_of_gguf() {
    let rows = rows_of("type");
    for row in &rows {
        let numbers: Vec<i64> = row[1..].iter().map(|text| text.parse().unwrap()).collect();
        let Some(found) = GgufType::of_id(numbers[0] as u32) else {
            assert!(NEVER_IN_FILES.contains(&row[0].as_str()), "{row:?}");
            continue;
        };
        let record = found.record();
        assert_eq!(found.name(), row[0]);
        assert_eq!([record.elements(), record.bytes()], numbers[1..], "{row:?}");
    }
    assert_eq!(GgufType::all().len(), rows.len() - NEVER_IN_FILES.len());
}

/// Each bit is the bit of the value that `gguf` takes it for, and each that `gguf` takes for
/// something is in the table.
#[test]
fn bits_are_those_of_gguf() {
    let mut n_bits: HashMap<String, usize> = HashMap::new();
    for row in rows_of("bits") {
        let (name, value, bit) = (&row[0], &row[1], row[2].parse().unwrap());
        let expected: Vec<i64> = row[3].split(',').map(|place| place.parse().unwrap()).collect();
        assert_eq!(places(named(name).record(), value, bit), expected, "{name} {value} {bit}");
        *n_bits.entry(name.clone()).or_default() += expected.len();
    }
    for one in GgufType::all().iter().filter(|one| one.plain().is_none() && one.name() != "Q1_0") {
        let owned: i64 = one.record().fields().iter().map(owned_bits).sum();
        assert_eq!(n_bits[one.name()] as i64, owned, "{}", one.name());
    }
}

fn owned_bits(field: &Field) -> i64 {
    field.n_values() * i64::from(field.bits())
}

fn is_bytes(field: &Field, first: usize) -> bool {
    field.bits().is_multiple_of(8) && first.is_multiple_of(8)
}

/// Every bit of a block belongs to one value, and a value is in one byte or is whole ones. Types
/// that are no layouts leave bits out.
#[test]
fn fields_cover_a_block_once() {
    for one in GgufType::all() {
        let record = one.record();
        let mut owners = vec![0; record.bytes() as usize * 8];
        for field in record.fields() {
            for number in 0..field.n_values() {
                let first = field.bit_of(number).unwrap() as usize;
                assert!(first % 8 + field.bits() as usize <= 8 || is_bytes(field, first));
                owners[first..][..field.bits() as usize].iter_mut().for_each(|n| *n += 1);
            }
            assert_eq!(record.elements() % field.n_values(), 0, "{}", one.name());
            assert_eq!(field.bit_of(field.n_values()), None);
            let whole = field.element_type().is_none_or(|of| of.bits() == field.bits());
            assert!(whole && (field.name() == field.value()) == field.element_type().is_some());
        }
        let most = if one.no_codes().is_some() { 0..=1 } else { 1..=1 };
        assert!(owners.iter().all(|n| most.contains(n)), "{}: {owners:?}", one.name());
        assert!(record.bytes() * 8 >= record.fields().iter().map(owned_bits).sum());
    }
}

/// The parts of each value follow each other, low bits first, and are of as many values.
#[test]
fn parts_are_joined() {
    for record in GgufType::all().iter().map(GgufType::record) {
        for field in record.fields() {
            let mut bits = 0;
            for part in record.parts(field.value()) {
                assert_eq!((part.shift(), part.n_values()), (bits, field.n_values()));
                bits += part.bits();
            }
            assert_eq!(record.value_bits(field.value()), Some(bits));
        }
        assert_eq!(record.value_bits("none"), None);
    }
}

/// Offset by offset: row, record and the table's bit; and back.
#[track_caller]
fn check_map(one: &GgufType, field: &Field, leading: &[i64], n_records: i64) {
    let record = one.record();
    let dims = [leading, &[n_records * record.elements()]].concat();
    let map = one.field_map(field.name(), &dims).unwrap();
    let width = i64::from(field.bits());
    let n_all: i64 = leading.iter().product::<i64>() * n_records;
    let record_at = |number: i64| number * record.bytes() * 8;
    let bits_in = |number: i64| (0..field.n_values()).map(move |n| (number, n));
    let expected: Vec<i64> = (0..n_all)
        .flat_map(bits_in)
        .map(|(number, n)| (record_at(number) + field.bit_of(n).unwrap()) / width)
        .collect();
    assert_eq!(map.offsets().unwrap(), expected, "{} {} {dims:?}", one.name(), field.name());
    assert_eq!(map.dims(), record.field_dims(field, &dims).unwrap());
    assert_eq!(map.bytes(field.bits()).unwrap(), record.array_bytes(&dims).unwrap());
    assert_eq!((map.lowest_offset(), map.allocation() * width), (0, record_at(n_all)));
    check_inverse(&map, &expected);
}

/// Every place is found again, and the others are padding, one by one and together.
#[track_caller]
fn check_inverse(map: &IndexMap, expected: &[i64]) {
    let places: Vec<i64> = (0..map.allocation()).collect();
    let mut indices = vec![0; places.len() * map.dims().len()];
    map.indices_at(&places, &mut indices).unwrap();
    let mut n_found = 0;
    for (place, together) in places.iter().zip(indices.chunks(map.dims().len())) {
        let index = map.index(*place).unwrap();
        match &index {
            Some(index) => assert_eq!((map.offset(index).unwrap(), &index[..]), (*place, together)),
            None => assert!(together.iter().all(|index| *index == IndexLookup::PADDING)),
        }
        n_found += usize::from(index.is_some());
    }
    assert_eq!(n_found, expected.len());
}

/// A part of a larger memory: with strides below 0, and where it does not lie there.
#[test]
fn within() {
    let map = IndexMap::from_tla(&"(2,4):(8,-1)".parse().unwrap()).unwrap();
    let inside = map.within(5, 20).unwrap();
    assert_eq!(inside.offsets().unwrap(), [5, 4, 3, 2, 13, 12, 11, 10]);
    assert_eq!((inside.lowest_offset(), inside.allocation(), inside.base()), (0, 20, 5));
    assert_eq!(inside.max_offset().unwrap(), Some(13));
    check_inverse(&inside, &inside.offsets().unwrap());
    assert_eq!(map.within(3, 12).unwrap().offsets().unwrap()[7], 8);
    for (base, allocation) in [(2, 20), (3, 11), (-1, 20), (i64::MAX, i64::MAX), (5, -1)] {
        assert!(map.within(base, allocation).is_err(), "{base} {allocation}");
    }
}

#[test]
fn maps_are_the_tables() {
    for one in GgufType::all() {
        for field in one.record().fields() {
            check_map(one, field, &[], 1);
            check_map(one, field, &[2], 2);
            check_map(one, field, &[2, 1], 3);
            check_map(one, field, &[0], 3);
            check_map(one, field, &[3], 0);
        }
    }
}

#[test]
fn an_array_without_dims_is_one_element() {
    let map = named("F32").field_map("codes", &[]).unwrap();
    assert_eq!((map.offset(&[]).unwrap(), map.allocation()), (0, 1));
}

#[test]
fn what_cannot_be_is_refused() {
    let check = |name: &str, field: &str, dims: &[i64], fragment: &str| {
        let error = named(name).field_map(field, dims).unwrap_err().to_string();
        assert!(error.contains(fragment), "{error}");
    };
    check("Q4_0", "codes", &[4, 33], "a row of 33 elements does not consist of records of 32");
    check("Q4_0", "codes", &[], "a row of 1 elements");
    check("Q4_0", "codes", &[-1, 32], "cannot have -1 elements");
    check("Q4_0", "low", &[32], "Q4_0 has no field `low`; there are d, codes");
    check("TQ1_0", "codes", &[256], "the codes of TQ1_0 are no layout: five elements");
    check("IQ2_S", "low", &[256], "has no field `low`; there are d");
    check("Q8_0", "codes", &[1 << 31, 1 << 31, 32], "does not fit in 64 bits");
}
