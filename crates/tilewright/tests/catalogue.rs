//! The catalogue: names, where they place elements, what carries them and what they refuse.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::collections::HashSet;

use support::golden::Golden;
use tilewright::formats::catalogue::{self, Argument, NamedArray, NamedLayout};
use tilewright::notation::Described;

/// The names of the frozen positions, as the catalogue has them, with the type of an element.
const FROZEN: &[(&str, &str)] = &[
    ("marlin-4", "u4@marlin"),
    ("marlin-8", "u8@marlin"),
    ("marlin-4-a8", "u4@marlin(a8)"),
    ("marlin-8-a8", "u8@marlin(a8)"),
    ("awq-4", "u4@awq"),
    ("gptq-2", "u2@gptq"),
    ("gptq-3", "pred@gptq"),
    ("gptq-4", "u4@gptq"),
    ("gptq-8", "u8@gptq"),
    ("awq-v2-4", "u4@awq-v2"),
    ("aiter-16x16-16bit", "bf16@aiter"),
    ("aiter-16x16-8bit", "u8@aiter"),
    ("cublaslt-col32", "s8@cublaslt.col32"),
    ("cublaslt-col4_4r2_8c", "s8@cublaslt.col4_4r2_8c"),
    ("cublaslt-col32_2r_4r4", "s8@cublaslt.col32_2r_4r4"),
    ("sf-128x4", "u8@sf128x4"),
    ("sf-8x4", "u8@sf8x4"),
    ("trtllm-gen-shuffle-a16", "u8@trtllm-gen.shuffle-a(16)"),
    ("trtllm-gen-shuffle-a32", "u8@trtllm-gen.shuffle-a(32)"),
    ("block-major-k-128", "u8@block-major-k"),
];

#[test]
fn places_are_those_of_the_packing_algorithms() {
    let mut seen = HashSet::new();
    for Golden { name, dims, bits, carrier, offsets } in support::golden::rows() {
        let (_, said) = FROZEN.iter().find(|(frozen, _)| *frozen == name).unwrap();
        let (element_type, layout) = said.split_once('@').unwrap();
        let layout: NamedLayout = layout.parse().unwrap();
        let array = layout.of(element_type.parse().unwrap(), &dims).unwrap();
        assert_eq!((array.element_bits(), array.index_map().offsets().unwrap()), (bits, offsets));
        // The library's type is the element's own, or is one of the same width.
        assert_eq!(without_kind(&array.carrier().to_string()), without_kind(&carrier), "{array}");
        seen.insert(name);
    }
    assert_eq!(seen.len(), FROZEN.len());
}

/// `I8[4,2048]` and `U8[4,2048]` hold the same bytes, as `BF16[4]` and `U16[4]` do.
fn without_kind(carrier: &str) -> &str {
    carrier.trim_start_matches(char::is_alphabetic)
}

/// Every spelling of every entry, with its example's dims; of arguments that are numbers, the example's.
fn examples() -> Vec<NamedArray> {
    let mut arrays = Vec::new();
    for entry in catalogue::entries() {
        let example: NamedArray = entry.example.parse().unwrap();
        assert_eq!(example.to_string(), entry.example);
        assert_eq!(example.layout().entry().name, entry.name);
        let is_number = |argument: &Argument| matches!(argument, Argument::Number(_));
        if !entry.arguments.iter().any(is_number) {
            for spelling in entry.spellings() {
                let layout: NamedLayout = spelling.parse().unwrap();
                let types = [example.element_type(), tilewright::ElementType::S8];
                // Some arguments are for other widths or sizes than the example's.
                arrays.extend(types.iter().filter_map(|&t| layout.of(t, example.dims()).ok()));
            }
        }
        arrays.push(example);
    }
    arrays
}

#[test]
fn every_layout_is_one() {
    for array in examples() {
        let map = array.index_map();
        assert!(map.is_injective().unwrap(), "{array}");
        assert_eq!(map.dims(), array.dims(), "{array}");
        assert_eq!(map.lowest_offset(), 0, "{array}");
        let carrier = array.carrier();
        let elements: i64 = carrier.dims.iter().product();
        let bits = i64::from(carrier.element_type.bits()) * elements;
        let own = i64::from(array.element_bits()) * map.allocation();
        assert_eq!(bits, own, "{array} in {carrier}");
        let said: Described = array.to_string().parse().unwrap();
        assert_eq!(said, Described::Named(Box::new(array.clone())));
        assert_eq!((said.notation(), said.element_bits()), ("named", Some(array.element_bits())));
        if let Some(layout) = array.composition() {
            let again: Described = layout.to_string().parse().unwrap();
            assert!(again.index_map().unwrap().same_as(map).unwrap(), "{array}");
        }
    }
}

#[track_caller]
fn same(named: &str, other: &str) {
    let [named, other]: [Described; 2] = [named, other].map(|text| text.parse().unwrap());
    let [named, other] = [named.index_map().unwrap(), other.index_map().unwrap()];
    assert_eq!(named.first_difference(&other).unwrap(), None);
    assert_eq!(named.allocation(), other.allocation());
}

/// The texts that facts of these layouts give in XLA's notation, at sizes other than the frozen ones.
#[test]
fn they_are_what_xla_says() {
    same("u4[256,192]@gptq", "u4[256,192]{1,0:T(8,1)E(4)}");
    same("u8[256,192]@gptq", "u8[256,192]{1,0:T(4,1)}");
    same("u2[256,192]@gptq", "u2[256,192]{1,0:T(16,1)E(2)}");
    same("pred[96,40,3]@gptq", "pred[96,40,3]{2,0,1:T(40,*,32)E(1)}");
    same("u4[7,64]@gptq.zeros", "u4[7,64]{1,0:E(4)}");
    same("u4[100,96]@awq", "u4[100,96]{1,0:T(2)(4,1)E(4)}");
    same("u4[64,192]@awq-v2", "u4[64,192]{1,0:T(4,64)(32)(8)(4,1)E(4)}");
    let tiles = "T(2,8)(4,2,1,1)(2,4,1,1,1,1,1,1)(2,1,1,2,1,1,2,1,1,1,1,1,1,1)E(4)";
    same("u4[160,320]@marlin", &format!("u4[160,320]{{1,0:{tiles}}}"));
    same("f16[5,192]@marlin.scales", "f16[5,192]{1,0:T(8)(8,1)}");
    same("f16[1,160]@marlin.scales", "f16[1,160]{1,0:T(32)(8)(2)(4,1,2)}");
    same("u4[128,192]@trtllm(w4a16,sm80)", "u4[128,192]{0,1:T(4,64)(32)(8)(4,1)E(4)}");
    same("u4[160,36]@trtllm(w4a16,sm90)", "u4[160,36]{0,1:T(8)(4,1)E(4)}");
    same("u4[256,36]@trtllm(w4a8,sm80)", "u4[256,36]{0,1:T(2,128)(32)(16)(4)(2)(2,1,2,1)E(4)}");
    same("u4[160,36]@trtllm(w4a8,sm90)", "u4[160,36]{0,1:T(32)(16)(4)(2)(2,1,2,1)E(4)}");
    same("u8[192,36]@trtllm(w8a16,sm80)", "u8[192,36]{0,1:T(2,64)(16)(8)(2,1)}");
    same("u8[48,36]@trtllm(w8a16,sm90)", "u8[48,36]{0,1:T(8)(2,1)}");
    same("u8[48,36]@trtllm(w8a16,sm100)", "u8[48,36]{0,1}");
    same("u4[64,32]@tinygemm(avx512)", "u4[64,32]{0,1:T(32)(2,1)E(4)}");
    same("u8[300,13]@sf128x4", "u8[300,13]{1,0:T(128,4)(32,4)(4,1,1,4)}");
    same("u8[3,300,13]@sf128x4", "u8[3,300,13]{2,1,0:T(128,4)(32,4)(4,1,1,4)}");
    same("u8[300,13]@sf8x4", "u8[300,13]{1,0:T(8,4)}");
    same("u8[512,16]@aiter.scales", "u8[512,16]{0,1:T(4,16)(2,2,1,1)(2,1,4,16,2,2,1,1)}");
    same("u8[100,6]@aiter.n32k4", "u8[100,6]{1,0:T(32,4)}");
    same("u8[100,6]@aiter.n32k8", "u8[100,6]{1,0:T(32,8)}");
    same("bf16[80,160]@aiter", "bf16[80,160]{1,0:T(16,8)}");
    same("f8e4m3fn[80,160]@aiter", "f8e4m3fn[80,160]{1,0:T(16,16)}");
    same("u4[80,128]@aiter", "u4[80,128]{1,0:T(16,32)E(4)}");
    same("u8[80,384]@block-major-k", "u8[80,384]{0,1:T(128,1)}");
    same("u8[96,32]@trtllm-gen.shuffle-a(16)", "u8[96,32]{0,1:T(2)(8,1)(32,1,1,1,1)}");
    same("s8[96,160]@cublaslt.col32", "s8[96,160]{0,1:T(32,1)}");
    same("s8[96,160]@cublaslt.col4_4r2_8c", "s8[96,160]{0,1:T(32,8)(4,2)(8,4,4,1)}");
    same("bf16[128,128]@amx", "bf16[128,128]{0,1:T(64,2)}");
    same("s8[100,70]@amx", "s8[100,70] BA16a64b4a");
    same("f16[28,40]@ascend.zN", "f16 ((16,2),(16,3)):((16,256),(1,512)):(28,40)");
    same("bf16[30,300]@tpu(16bit)", "bf16[30,300]{1,0:T(8,128)(2,1)}");
}

/// No document says so: AWQ's second format is TensorRT-LLM's with the dimensions exchanged.
#[test]
fn two_names_for_one() {
    let [awq, trtllm] = ["u4[64,192]@awq-v2", "u4[192,64]@trtllm(w4a16,sm80)"]
        .map(|text| text.parse::<NamedArray>().unwrap());
    for n in 0..64 {
        for k in 0..192 {
            let offsets = [awq.index_map().offset(&[n, k]), trtllm.index_map().offset(&[k, n])];
            assert_eq!(offsets[0], offsets[1]);
        }
    }
}

/// The formulas of documents that give one, element by element.
#[test]
fn they_are_what_formulas_say() {
    let check = |text: &str, formula: &dyn Fn(i64, i64) -> i64| {
        let array: NamedArray = text.parse().unwrap();
        for r in 0..array.dims()[0] {
            for c in 0..array.dims()[1] {
                assert_eq!(array.index_map().offset(&[r, c]), Ok(formula(r, c)), "{text} {r} {c}");
            }
        }
    };
    check("u8[300,13]@sf128x4", &|r, c| {
        r / 128 * 512 * 4 + c / 4 * 512 + r % 32 * 16 + r % 128 / 32 * 4 + c % 4
    });
    check("u8[30,6]@deepgemm.scales", &|r, c| c / 4 * 4 * 32 + r * 4 + c % 4);
    check("u8[32,64]@trtllm-gen.gated", &|r, c| {
        64 * (if r < 16 { 2 * r } else { 2 * (r - 16) + 1 }) + c
    });
    check("s8[64,64]@cublaslt.col32_2r_4r4", &|r, c| {
        let (tile, r, row) = (c / 32 * 32 * 64 + r / 32 * 1024, r % 32, c % 32);
        tile + ((r % 8 / 2 * 4 + r / 8) * 2 + r % 2) * 32 + row
    });
    check("f32[8,8]@simdgroup", &|r, c| {
        let holds = |lane: i64| {
            let quad = lane / 4;
            let row = (quad & 4) + lane / 2 % 4;
            (row == r && (quad & 2) * 2 + lane % 2 * 2 == c / 2 * 2).then_some(lane * 2 + c % 2)
        };
        (0..32).find_map(holds).unwrap()
    });
    // view(heads, 2, half, K).swap(1, 2)
    check("f16[24,5]@llama.rope(3)", &|r, c| {
        let (head, part, row) = (r / 8, r % 8 / 4, r % 4);
        (head * 8 + row * 2 + part) * 5 + c
    });
}

/// What a library stores says what was packed.
#[test]
fn arrays_of_carriers() {
    let same = ["gptq", "awq", "marlin", "marlin(a8)", "trtllm(w4a16,sm80)", "gptq.zeros"];
    for name in same {
        for dims in [[256, 192], [64, 1024], [4096, 256]] {
            let layout: NamedLayout = name.parse().unwrap();
            let array = layout.of(tilewright::ElementType::U4, &dims).unwrap();
            let again = layout.of_carrier(tilewright::ElementType::U4, array.carrier());
            assert_eq!(again.unwrap(), array);
        }
    }
    let marlin: NamedLayout = "marlin".parse().unwrap();
    let awq: NamedArray = "u4[100,64]@awq".parse().unwrap();
    let error = marlin.of_carrier(tilewright::ElementType::U4, awq.carrier()).unwrap_err();
    assert_eq!(error.to_string(), "no u4 array in `marlin` is stored as I32[100,8]");
}

/// Where codes of records are, in nibbles, after the loops of the libraries that pack them.
#[test]
fn codes_of_records() {
    // A record of four rows: four scales of two bytes, then eight bytes of each row in turn.
    let array: NamedArray = "u4[8,64]@llamacpp.q4_0(4,8)".parse().unwrap();
    assert_eq!((array.xor_mask(), array.carrier().to_string().as_str()), (8, "U8[2,144]"));
    for (n, k) in (0..8).flat_map(|n| (0..64).map(move |k| (n, k))) {
        let (record, byte) = (n / 4 * 2 + k / 32, k % 16);
        let byte = record * 72 + 8 + byte / 8 * 32 + n % 4 * 8 + byte % 8;
        assert_eq!(array.index_map().offset(&[n, k]), Ok(2 * byte + k % 32 / 16), "{n} {k}");
    }
    // All codes of four rows, then 12 bytes of other things for each.
    let array: NamedArray = "u4[8,64]@kleidiai.qsi4cxp(4,16,2)".parse().unwrap();
    assert_eq!(array.carrier().to_string(), "U8[2,176]");
    for (n, k) in (0..8).flat_map(|n| (0..64).map(move |k| (n, k))) {
        let byte = k / 32 * 64 + k % 16 / 8 * 32 + n % 4 * 8 + k % 8;
        let byte = n / 4 * 176 + byte;
        assert_eq!(array.index_map().offset(&[n, k]), Ok(2 * byte + k % 32 / 16), "{n} {k}");
    }
    // d, dmin and 12 bytes of scales come first; a byte has codes 32 apart.
    let array: NamedArray = "u4[2,512]@gguf.q4_k".parse().unwrap();
    assert_eq!(array.carrier().to_string(), "U8[2,288]");
    for (n, k) in (0..2).flat_map(|n| (0..512).map(move |k| (n, k))) {
        let byte = (2 * n + k / 256) * 144 + 16 + k % 256 / 64 * 32 + k % 32;
        assert_eq!(array.index_map().offset(&[n, k]), Ok(2 * byte + k % 64 / 32), "{n} {k}");
    }
}

#[track_caller]
fn refused(text: &str, says: &str) {
    let error = text.parse::<Described>().unwrap_err();
    let said = error.to_string();
    assert!(said.contains(says), "{said}");
}

#[test]
fn what_is_none_is_refused() {
    refused("u4[4096,11000]@marlin", "needs N to be a multiple of 64, and it is 11000");
    refused("u4[4096]@marlin", "is a layout of matrices, and this has 1 dimensions");
    refused("f32[64,64]@marlin", "is for elements of 4, 8 bits, and f32 has 32");
    refused("u4[64,64]@marlin(a9)", "it is written `marlin`, `marlin(a8)`");
    refused("u4[64,64]@trtllm(w4a16)", "it is written `trtllm(w4a16,sm80)`");
    refused("u8[64,64]@trtllm(w4a16,sm80)", "`w4a16` has codes of 4 bits, not of 8");
    refused("u4[64,64]@marlin(a8", "the parenthesis is not closed");
    refused("u4[64,64]@merlin", "no layout is called `merlin`");
    refused("s8[64,64]@cublaslt", "there is `cublaslt.col32`");
    refused("u4[64,64]@", "no layout is called ``");
    refused("u4[0,64]@awq", "no layout for an extent of 0");
    refused("u8[9223372036854775807,9223372036854775807]@sf128x4", "does not fit");
    refused("u8[9223372036854775807]@sf128x4", "matrices");
    refused("u8[9223372036854775807,1]@sf128x4", "does not fit");
    refused("u8[16,32]@mfma(16x16)", "is of 16 x 16 elements alone");
    refused("pred[96,40,3]@awq", "bits");
    refused("f16[64,32]@llama.rope(0)", "it is written `llama.rope(heads)`");
    refused("f16[64,32]@ascend.qQ", "there is `ascend.zN`");
    refused("u4[8,100]@gguf.q4_k", "a row of 100 elements does not consist of records of 256");
    refused("u4[64,64]{1,0}@marlin", "extra content after the shape");
    refused("u4[16,64]@llamacpp.q4_0(8,4)", "repacks 8 rows by 8 bytes alone");
    refused("u4[16,64]@llamacpp.iq4_nl(4,8)", "repacks 4 rows of iq4_nl by 4 bytes alone");
    refused("s8[16,64]@llamacpp.q8_0(8,8)", "it is written `llamacpp.q8_0(4,4)`");
    refused("u4[30,64]@mma(a)", "no operand of `mma` has 30 x 64 elements of 4 bits");
    refused("u8[8,32]@mma(a)", "no operand of `mma` has 8 x 32 elements of 8 bits");
    refused("s8[16,8]@mma(c)", "no operand of `mma` has 16 x 8 elements of 8 bits");
    refused("f64[16,16]@mma(c)", "no operand of `mma` has 16 x 16 elements of 64 bits");
    refused("u8[16,32]@mma(b)", "no operand of `mma` has 16 x 32 elements");
    refused("u8[6,8]@sf4x4", "needs T to be a multiple of 4, and it is 6");
    refused("u8[24,8]@megamoe(8)", "needs M to be a multiple of 16, and it is 24");
}
