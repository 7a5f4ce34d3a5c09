//! What libraries do to arrays, done again by code of its own, is found: at every element where the libraries' own code
//! puts it, by the checksums that were frozen of that (`xtask/oracle/positions.py` and `onednn.py` say which).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packers;

use std::collections::HashSet;
use std::convert::Infallible;

use packers::blocked::Tag;
use packers::{Pack, amd, blocked, gptq, marlin, scales, trtllm};
use tilewright_discover::{Discovery, Form, discover};

fn checksum(places: &[i64]) -> String {
    let of = |sum: u64, place: &i64| {
        sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(place.cast_unsigned() + 1)
    };
    format!("{:x}", places.iter().fold(0, of))
}

fn numbers(list: &str) -> Vec<i64> {
    list.split(',').map(|number| number.parse().unwrap()).collect()
}

fn is_layout(found: &Discovery) -> bool {
    matches!(found.form(), Form::Layout(_) | Form::Merged { .. })
}

/// The packing code that there is here for a layout of the catalogue.
fn pack_of(layout: &str, bits: u32) -> Option<Pack> {
    Some(match (layout, bits) {
        ("gptq", 1) => gptq::gptq_3,
        ("gptq", 2) => gptq::gptq_2,
        ("gptq", 4) => gptq::gptq_4,
        ("gptq", 8) => gptq::gptq_8,
        ("awq", _) => gptq::awq_4,
        ("awq-v2", _) => gptq::awq_v2_4,
        ("marlin", 4) => marlin::marlin_4,
        ("marlin", 8) => marlin::marlin_8,
        ("marlin(a8)", 4) => marlin::marlin_4_a8,
        ("marlin(a8)", 8) => marlin::marlin_8_a8,
        ("trtllm(w4a16,sm80)", _) => trtllm::w4a16_sm80,
        ("trtllm-gen.shuffle-a(16)", _) => trtllm::shuffle_a16,
        ("trtllm-gen.shuffle-a(32)", _) => trtllm::shuffle_a32,
        ("block-major-k", 8) => trtllm::block_major_k,
        ("sf128x4", _) => scales::sf_128x4,
        ("sf8x4", _) => scales::sf_8x4,
        ("aiter", 8) => amd::shuffle_weight_8,
        ("aiter", 16) => amd::shuffle_weight_16,
        ("aiter.scales", _) => amd::shuffle_scale,
        ("tinygemm(avx2)", _) => blocked::TINYGEMM_AVX2,
        ("tinygemm(avx512)", _) => blocked::TINYGEMM_AVX512,
        _ => return None,
    })
}

/// The rows of the catalogue's oracles: array, elements in memory, and the checksum.
fn check_rows(text: &str) -> HashSet<String> {
    let mut seen = HashSet::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (array, layout) = fields[0].split_once('@').unwrap();
        let (element_type, dims) = array.trim_end_matches(']').split_once('[').unwrap();
        let dims = numbers(dims);
        let digits = element_type.trim_start_matches(char::is_alphabetic);
        let bits: u32 = if element_type == "pred" { 1 } else { digits.parse().unwrap() };
        let Some(pack) = pack_of(layout, bits) else { continue };
        // The bits of 3-bit codes are a dimension of the row, and none of the function.
        let (dims, width) = if bits == 1 { (&dims[..2], 3) } else { (&dims[..], bits) };
        if dims.len() != 2 || dims.iter().product::<i64>() > 8192 {
            continue;
        }
        let found = discover(pack, dims, width).unwrap();
        assert!(is_layout(&found), "{array}: {found}");
        assert_eq!(checksum(found.offsets()), fields[5], "{line}");
        let in_memory = (found.allocation_bits() / i64::from(bits)).to_string();
        assert_eq!(in_memory, fields[1], "{line}");
        seen.insert(layout.to_owned());
    }
    seen
}

#[test]
fn packers_of_quantisation_libraries_are_found() {
    let seen = check_rows(include_str!("../../tilewright/tests/data/catalogue-packers.tsv"));
    assert_eq!(seen.len(), 14, "{seen:?}");
    let seen = check_rows(include_str!("../../tilewright/tests/data/catalogue-paddle.tsv"));
    assert_eq!(seen.len(), 1, "{seen:?}");
}

/// One array of each tag of oneDNN's that has one of a few hundred elements.
#[test]
fn tags_of_onednn_are_found() {
    let text = include_str!("../../tilewright/tests/data/onednn.tsv");
    let mut seen = HashSet::new();
    for line in text.lines().filter(|line| line.starts_with("memory\t")) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (name, dims) = (fields[1], numbers(fields[2]));
        let is_small = (2..300).contains(&dims.iter().product::<i64>());
        if !is_small || fields[4].parse::<i64>().unwrap() > 2048 || !seen.insert(name) {
            continue;
        }
        let tag = Tag::of(name);
        let found =
            discover(|codes: &[u32], dims: &[i64]| tag.pack(codes, dims), &dims, 8).unwrap();
        assert!(is_layout(&found), "{name} of {dims:?}: {found}");
        assert_eq!(checksum(found.offsets()), fields[5], "{name} of {dims:?}");
        assert_eq!((found.allocation_bits() / 8).to_string(), fields[4], "{name} of {dims:?}");
    }
    assert!(seen.len() > 200, "{}", seen.len());
}

/// numpy's views whose elements do not overlap, each element put where numpy has it.
#[test]
fn views_of_numpy_are_found() {
    let text = include_str!("../../tilewright/tests/data/numpy-strides.tsv");
    let mut n_views = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [lowest, size] = [fields[1], fields[2]].map(|n| n.parse::<i64>().unwrap());
        let is_one = fields[3].is_empty() || !fields[3].contains(',');
        let places = if is_one { Vec::new() } else { numbers(fields[3]) };
        let distinct: HashSet<i64> = places.iter().copied().collect();
        let dims = fields[0].split_once('(').and_then(|(_, rest)| rest.split_once(')')).unwrap().0;
        let dims: Vec<i64> = dims.split(',').filter_map(|dim| dim.trim().parse().ok()).collect();
        let is_whole = places.len() as i64 == dims.iter().product::<i64>();
        if distinct.len() != places.len() || places.len() < 2 || !is_whole {
            continue;
        }
        // Whatever the type, the first byte of an element stands for it.
        let pack = |codes: &[u32], _: &[i64]| -> Result<Vec<u8>, Infallible> {
            let mut bytes = vec![0u8; usize::try_from(size).unwrap()];
            for (code, place) in codes.iter().zip(&places) {
                bytes[usize::try_from(place - lowest).unwrap()] = u8::try_from(*code).unwrap();
            }
            Ok(bytes)
        };
        let found = discover(pack, &dims, 8).unwrap();
        assert!(matches!(found.form(), Form::Layout(_)), "{line}: {found}");
        let expected: Vec<i64> = places.iter().map(|place| place - lowest).collect();
        assert_eq!(found.map().unwrap().offsets().unwrap(), expected, "{line}");
        n_views += 1;
    }
    assert!(n_views > 200, "{n_views}");
}
