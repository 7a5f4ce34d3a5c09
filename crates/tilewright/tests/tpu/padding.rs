//! Blow-ups that users reported, to the byte, and the format that removes each.

use tilewright::ArrayShape;
use tilewright::formats::tpu::{Chip, argument_bytes, candidates, padding_in_words};

const MIB: i64 = 1 << 20;
const GIB: i64 = 1 << 30;

/// An array as the report has it, what its elements take, what the device took, and the best
/// format. No reported layout is a default of today; most are from inside a program.
struct Report {
    text: &'static str,
    chip: Chip,
    bytes: [i64; 2],
    words: &'static str,
    best: &'static str,
    best_bytes: i64,
}

const REPORTS: [Report; 5] = [
    // DifferentiableUniverseInitiative/flowpm issue 27: 1.00G, 32.00G.
    Report {
        text: "s32[8388608,8,4]{2,1,0:T(8,128)}",
        chip: Chip::V3,
        bytes: [GIB, 32 * GIB],
        words: "minor dim 2: 4 → 128; second-minor dim 1: 8 rows",
        best: "s32[8388608,8,4]{0,2,1:T(4,128)}",
        best_bytes: GIB,
    },
    // jax-ml/jax issue 7502: 512.00M, 16.00G.
    Report {
        text: "s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}",
        chip: Chip::V3,
        bytes: [512 * MIB, 16 * GIB],
        words: "minor dim 4: 4 → 128; second-minor dim 3: 128 rows",
        best: "s32[2048,1,128,128,4]{3,4,2,0,1:T(4,128)}",
        best_bytes: 512 * MIB,
    },
    // pytorch/xla issue 1965: 48.00M, 6.00G.
    Report {
        text: "u32[12582912,1]{1,0:T(8,128)}",
        chip: Chip::V4,
        bytes: [48 * MIB, 6 * GIB],
        words: "minor dim 1: 1 → 128; second-minor dim 0: 12582912 rows",
        best: "u32[12582912,1]{0,1:T(1,128)}",
        best_bytes: 48 * MIB,
    },
    // pytorch/xla issue 6674: 1.00G, 4.00G.
    Report {
        text: "bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}",
        chip: Chip::V3,
        bytes: [GIB, 4 * GIB],
        words: "minor dim 0: 2048; second-minor dim 1: 1 → 4 rows",
        best: "bf16[2048,1,2048,128]{0,3,1,2:T(4,128)(2,1)}",
        best_bytes: GIB,
    },
    // pytorch/xla issue 3041: 285.00M, 570.00M.
    Report {
        text: "f32[29184,1,2560]{2,1,0:T(2,128)}",
        chip: Chip::V3,
        bytes: [285 * MIB, 570 * MIB],
        words: "minor dim 2: 2560; second-minor dim 1: 1 → 2 rows",
        best: "f32[29184,1,2560]{2,0,1:T(2,128)}",
        best_bytes: 285 * MIB,
    },
];

#[test]
fn reported_blow_ups_and_what_removes_them() {
    for report in REPORTS {
        let shape: ArrayShape = report.text.parse().unwrap();
        let bytes = [shape.logical_bytes().unwrap(), argument_bytes(&shape).unwrap()];
        assert_eq!(bytes, report.bytes, "{shape}");
        assert_eq!(padding_in_words(&shape).unwrap(), report.words, "{shape}");
        let best = &candidates(&shape, report.chip).unwrap()[0];
        assert_eq!(best.bytes, report.best_bytes, "{shape}");
        assert_eq!(best.shape.to_string(), report.best, "{shape}");
        assert_eq!(best.moves_bytes, bytes[1] + best.bytes, "{shape}");
        assert!(padding_in_words(&best.shape).unwrap().ends_with("no padding"), "{}", best.shape);
    }
}

#[track_caller]
fn says(text: &str, words: &str) {
    assert_eq!(padding_in_words(&text.parse().unwrap()).unwrap(), words);
}

#[test]
fn padding_in_words_says_every_dimension_a_tile_covers() {
    says(
        "bf16[7,3,1000]{2,1,0:T(4,128)(2,1)}",
        "minor dim 2: 1000 → 1024; second-minor dim 1: 3 → 4 rows",
    );
    says("f32[16,256]{0,1:T(8,16)}", "minor dim 0: 16; second-minor dim 1: 256 rows; no padding");
    says("s8[5]{0:T(512)(128)(4,1)}", "minor dim 0: 5 → 512");
    says(
        "f32[9,5,7]{2,1,0:T(2,4,4)}",
        "minor dim 2: 7 → 8; second-minor dim 1: 5 → 8 rows; dim 0: 9 → 10",
    );
    says("f32[]{:T(128)}", "minor dim that the array has not: 1 → 128");
    says("f32[3,5]", "no tiles, no padding");
    says("f32[4,4]{1,0:T(*,2)}", "the tile (*,2) merges dimensions");
}
