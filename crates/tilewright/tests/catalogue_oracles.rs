//! The catalogue against the libraries' own code: where CUTLASS's headers, oneDNN and the packing
//! functions of quantisation libraries put every element.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::collections::HashSet;

use tilewright::formats::catalogue::NamedArray;

fn named(text: &str) -> NamedArray {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The checksum that the oracles make over all places.
fn checksum(places: &[i64]) -> String {
    let of = |sum: u64, place: &i64| {
        sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(place.cast_unsigned() + 1)
    };
    format!("{:x}", places.iter().fold(0, of))
}

/// Every element's place: of some it is listed, `element:place`, of all the checksum tells.
#[track_caller]
fn check_places(context: &str, places: &[i64], sum: &str, probes: &str) {
    for probe in probes.split(',') {
        let (element, place) = probe.split_once(':').unwrap();
        let found = places[element.parse::<usize>().unwrap()];
        assert_eq!(found.to_string(), place, "element {element} of {context}");
    }
    assert_eq!(checksum(places), sum, "{context}");
}

/// The rows of a file made by `xtask/oracle/positions.py`, which documents them. How often each
/// layout is in it.
fn check_file(file: &str) -> Vec<String> {
    let mut layouts = Vec::new();
    for line in support::text(file).lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [array, n_places, carrier, flipped, padding, sum, probes] = fields[..] else {
            panic!("{line}")
        };
        let array = named(array);
        let map = array.index_map();
        assert_eq!(map.allocation().to_string(), n_places, "{array}");
        check_places(&array.to_string(), &map.offsets().unwrap(), sum, probes);
        assert!([&array.carrier().to_string(), "-"].contains(&carrier), "{array}");
        assert_eq!(format!("{:x}", array.xor_mask()), flipped, "{array}");
        assert!([&format!("{:x}", array.padding()), "-"].contains(&padding), "{array}");
        layouts.push(array.layout().to_string());
    }
    layouts
}

#[test]
fn cutlass_places_scales_and_operands() {
    let layouts = check_file("catalogue-cutlass.tsv");
    let distinct: HashSet<&str> = layouts.iter().map(String::as_str).collect();
    assert_eq!(distinct, HashSet::from(["sf128x4", "mma(a)", "mma(b)", "mma(c)"]));
    assert!(layouts.iter().filter(|layout| *layout == "sf128x4").count() > 40);
}

/// The packing functions of quantisation libraries.
#[test]
fn libraries_pack_weights_and_scales() {
    let layouts = check_file("catalogue-packers.tsv");
    let distinct: HashSet<&str> = layouts.iter().map(String::as_str).collect();
    let expected = [
        "gptq",
        "gptq.zeros",
        "awq",
        "awq-v2",
        "marlin",
        "marlin(a8)",
        "marlin.scales",
        "compressed-tensors",
        "tinygemm(avx2)",
        "tinygemm(avx512)",
        "sf128x4",
        "sf8x4",
        "sf4x4",
        "deepgemm.scales",
        "aiter",
        "aiter.gate-up",
        "aiter.scales",
        "trtllm-gen.shuffle-a(16)",
        "trtllm-gen.shuffle-a(32)",
        "trtllm-gen.gated",
        "block-major-k",
        "megamoe(8)",
        "megamoe(8,up-first)",
        "megamoe(16)",
        "megamoe(16,up-first)",
        "megamoe(32)",
        "megamoe(32,up-first)",
    ];
    assert_eq!(distinct, HashSet::from(expected));
}

/// The blocks that llama.cpp repacks while it loads a model, and the rows that it permutes.
#[test]
fn llamacpp_repacks_blocks() {
    let layouts = check_file("catalogue-llamacpp.tsv");
    let types = ["q4_0", "q8_0", "iq4_nl", "mxfp4"].map(|name| format!("llamacpp.{name}("));
    assert_eq!(layouts.iter().filter(|layout| layout.starts_with("llama.rope(")).count(), 3);
    for name in types {
        assert!(layouts.iter().filter(|layout| layout.starts_with(&name)).count() >= 4, "{name}");
    }
}

/// Paddle's weights for the kernels that TensorRT-LLM has too.
#[test]
fn paddle_packs_weights_for_mixed_types() {
    let layouts = check_file("catalogue-paddle.tsv");
    let distinct: HashSet<&str> = layouts.iter().map(String::as_str).collect();
    assert_eq!(distinct, HashSet::from(["trtllm(w4a16,sm80)", "trtllm(w8a16,sm80)"]));
}

/// The accumulators of AMD's MFMA instructions.
#[test]
fn triton_places_accumulators() {
    assert_eq!(check_file("catalogue-triton.tsv"), ["mfma(32x32)", "mfma(16x16)"]);
}

/// An XOR of the row; and TRT-LLM's rows are gates and ups interleaved, then shuffled.
#[test]
fn rows_that_are_exchanged() {
    let [canonical, exchanged] = ["u8[64,4]@megamoe(8)", "u8[64,4]@megamoe(8,up-first)"].map(named);
    let [gated, shuffled] =
        ["u8[64,4]@trtllm-gen.gated", "u8[64,4]@trtllm-gen.shuffle-a(16)"].map(named);
    let row = |array: &NamedArray, row: i64| array.index_map().offset(&[row, 0]).unwrap() / 4;
    for r in 0..64 {
        assert_eq!(row(&exchanged, r), row(&canonical, r) ^ 8, "{r}");
        assert_eq!(row(&canonical, r), row(&shuffled, row(&gated, r)), "{r}");
    }
}

/// The dims of oneDNN's rows, and the tag's checksum and probes.
fn onednn_rows() -> Vec<(String, Vec<i64>, [String; 3])> {
    let rows = support::rows("onednn.tsv").into_iter().filter(|row| row[0] == "memory");
    rows.map(|row| {
        let dims = row[2].split(',').map(|dim| dim.parse().unwrap()).collect();
        (row[1].clone(), dims, [4, 5, 6].map(|field| row[field].clone()))
    })
    .collect()
}

#[test]
fn onednn_places_weights_for_amx() {
    let mut n_rows = 0;
    for (tag, dims, [elements, sum, probes]) in onednn_rows() {
        let element_type = match tag.as_str() {
            "BA16a64b2a" => "bf16",
            "BA16a64b4a" => "s8",
            _ => continue,
        };
        let array = named(&format!("{element_type}[{},{}]@amx", dims[0], dims[1]));
        assert_eq!(array.index_map().allocation().to_string(), elements, "{array}");
        check_places(&array.to_string(), &array.index_map().offsets().unwrap(), &sum, &probes);
        n_rows += 1;
    }
    assert!(n_rows > 24, "{n_rows}");
}

/// Rows of K that are interleaved are a tag of oneDNN's where one block has all columns: [K,16] in
/// `BA16b2a`, and [1,N,K,1] in `aBdC32b2c`.
#[test]
fn onednn_places_weights_for_vnni() {
    let mut n_rows = 0;
    for (tag, dims, [_, sum, probes]) in onednn_rows() {
        let element_type = if tag.ends_with("2a") || tag.ends_with("2c") { "bf16" } else { "s8" };
        let is_columns_last = ["BA16b2a", "BA16b4a"].contains(&tag.as_str()) && dims[1] == 16;
        let block = tag.strip_prefix("aBdC").and_then(|rest| rest.split_once('b'));
        let is_whole = block.is_some_and(|(columns, rest)| {
            ["2c", "4c"].contains(&rest) && columns == dims[1].to_string() && dims[3] == 1
        });
        let [k, n] = match (is_columns_last, is_whole && dims[0] == 1) {
            (true, _) => [dims[0], 16],
            (_, true) => [dims[2], dims[1]],
            _ => continue,
        };
        let array = named(&format!("{element_type}[{k},{n}]@vnni"));
        let mut places = array.index_map().offsets().unwrap();
        if !is_columns_last {
            let of_column = |column| places.iter().skip(column).step_by(n as usize).copied();
            places = (0..n as usize).flat_map(of_column).collect();
        }
        check_places(&format!("{array} and {tag}"), &places, &sum, &probes);
        n_rows += 1;
    }
    assert!(n_rows >= 60, "{n_rows}");
}
