//! Layouts between an array and its packed bytes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packers;

use tilewright::IndexMap;
use tilewright_discover::{Candidate, Form, discover, identify};

/// Codes without a pattern: xorshift.
fn codes(n: u32, bits: u32) -> Vec<u32> {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from(state >> (64 - bits)).unwrap()
    };
    (0..n).map(|_| next()).collect()
}

#[test]
fn candidates_are_held_to_every_element() {
    let names = ["marlin-4", "gptq-4", "awq-4", "gptq-3"];
    let width = |name: &str| if name == "gptq-3" { 3 } else { 4 };
    let found = names.map(|name| discover(packers::named(name), &[64, 64], width(name)).unwrap());
    let candidates = names.iter().zip(&found).map(|(name, found)| Candidate {
        name,
        map: found.map().unwrap(),
        xor_mask: 0,
    });
    let candidates: Vec<_> = candidates.collect();
    for name in names {
        let codes = codes(64 * 64, width(name));
        let packed = packers::named(name)(&codes, &[64, 64]).unwrap();
        let found = identify(&codes, &packed, &[64, 64], width(name), &candidates).unwrap();
        assert_eq!(found.matches.iter().map(|m| &m.name).collect::<Vec<_>>(), [name]);
        assert_eq!((found.guess, found.open), (None, None));
        let mut wrong = packed;
        wrong[700] ^= 64;
        let found = identify(&codes, &wrong, &[64, 64], width(name), &candidates).unwrap();
        assert_eq!(found.matches, []);
    }
}

#[test]
fn data_alone_shows_where_bits_of_indices_go() {
    let formats =
        ["marlin-4", "marlin-8", "gptq-2", "gptq-4", "awq-4", "awq-v2-4", "cublaslt-col32"];
    for name in formats {
        let bits = match name {
            "gptq-2" => 2,
            "marlin-8" | "cublaslt-col32" => 8,
            _ => 4,
        };
        let dims = [128, 128];
        let codes = codes(128 * 128, bits);
        let packed = packers::named(name)(&codes, &dims).unwrap();
        let known = discover(packers::named(name), &dims, bits).unwrap();
        let flipped: Vec<u8> = packed.iter().map(|byte| byte ^ 0x88).collect();
        let mask = if bits == 2 { 0b10 } else { 8 | if bits == 8 { 0x80 } else { 0 } };
        for (packed, mask) in [(packed, 0), (flipped, mask)] {
            // 0x88 flips other bits in neighbouring codes of two bits.
            if bits == 2 && mask != 0 {
                continue;
            }
            let guess = identify(&codes, &packed, &dims, bits, &[]).unwrap().guess.unwrap();
            assert_eq!(&guess.form, known.form(), "{name}");
            assert_eq!(guess.xor_mask, mask, "{name}");
        }
    }
}

#[test]
fn codes_that_are_all_different_show_ragged_layouts() {
    let dims = [30, 13];
    let codes: Vec<u32> = (1..=390).collect();
    let map =
        IndexMap::from_tla(&"((8,4),(4,4)):((4,128),(1,32)):(30,13)".parse().unwrap()).unwrap();
    let mut packed = vec![0u8; 512 * 2];
    for (code, offset) in codes.iter().zip(map.offsets().unwrap()) {
        let place = usize::try_from(offset).unwrap() * 2;
        packed[place..][..2].copy_from_slice(&code.to_le_bytes()[..2]);
    }
    let guess = identify(&codes, &packed, &dims, 16, &[]).unwrap().guess.unwrap();
    assert!(guess.map.unwrap().same_as(&map).unwrap());
    assert!(matches!(guess.form, Form::Layout(_)));
}

/// Runs of scales are told apart, whatever is padded.
#[test]
fn runs_show_where_padded_arrays_are() {
    for (name, dims) in
        [("sf-128x4", [300, 13]), ("cublaslt-col32", [50, 70]), ("sf-8x4", [24, 50])]
    {
        let n = u32::try_from(dims[0] * dims[1]).unwrap();
        let codes = codes(n, 8);
        let packed = packers::named(name)(&codes, &dims).unwrap();
        let known = discover(packers::named(name), &dims, 8).unwrap();
        for mask in [0u8, 0x80] {
            let packed: Vec<u8> = packed.iter().map(|byte| byte ^ mask).collect();
            let found = identify(&codes, &packed, &dims, 8, &[]).unwrap();
            let guess = found.guess.unwrap_or_else(|| panic!("{name}"));
            assert_eq!((&guess.form, guess.xor_mask), (known.form(), u32::from(mask)), "{name}");
        }
    }
    // The ninth row is alone in its tile, and no run along it is longer than the tile's 4 columns.
    let codes = codes(9 * 400, 8);
    let packed = packers::named("sf-8x4")(&codes, &[9, 400]).unwrap();
    let found = identify(&codes, &packed, &[9, 400], 8, &[]).unwrap();
    assert!(found.guess.is_none() && found.open.is_some());
}

#[test]
fn what_data_leaves_open_is_said() {
    let rows = IndexMap::from_tla(&"(4,4):(4,1)".parse().unwrap()).unwrap();
    let columns = IndexMap::from_tla(&"(4,4):(1,4)".parse().unwrap()).unwrap();
    let candidates = [
        Candidate { name: "rows", map: &rows, xor_mask: 0 },
        Candidate { name: "columns", map: &columns, xor_mask: 0 },
    ];
    let symmetric = [0, 1, 2, 3, 1, 5, 6, 7, 2, 6, 10, 11, 3, 7, 11, 15];
    let packed: Vec<u8> = symmetric.iter().map(|code| u8::try_from(*code).unwrap()).collect();
    let found = identify(&symmetric, &packed, &[4, 4], 8, &candidates).unwrap();
    assert_eq!(found.matches.len(), 2);
    assert_eq!(
        found.open.unwrap(),
        "rows and columns both fit, and part at index [0, 1]: data without equal codes there settles it"
    );
    let guessed = identify(&symmetric, &packed, &[4, 4], 8, &[]).unwrap();
    assert_eq!(
        guessed.open.unwrap(),
        "the data is alike along bits 0 and 2 of an element's number in row-major order: codes that \
         differ there settle which is which"
    );
    let ragged = identify(&[1, 1, 2], &[1, 0, 1, 2], &[3], 8, &[]).unwrap();
    assert_eq!(
        (ragged.guess, ragged.open.unwrap().as_str()),
        (
            None,
            "no layout of whole codes was found in this data: the packing function itself, codes \
             that are all different, or sizes that are powers of two without padding would show more"
        )
    );
}

#[test]
fn what_is_no_array_is_refused() {
    let error = |codes: &[u32], dims: &[i64]| {
        identify(codes, &[0; 4], dims, 4, &[]).unwrap_err().to_string()
    };
    assert_eq!(error(&[1, 2], &[3]), "2 codes are not an array of [3]");
    assert_eq!(error(&[1, 2, 16], &[3]), "the code 16 has more than 4 bits");
}
