//! Weights and scales as kernels for quantised models want them: GPTQ, AWQ, Marlin, TensorRT-LLM,
//! cuBLASLt, AMD.
//!
//! A matrix has rows `k` (the depth, input features) and columns `n` (output features), and a code's
//! place is written as shape and stride; codes below a byte are packed from a byte's low end.
//!
//! Sources: GPTQModel; `awq/utils/packing_utils.py` of AutoAWQ; `marlin/__init__.py` and vLLM's
//! `marlin_utils_test.py`; `preprocess_weights_for_mixed_gemm` of TensorRT-LLM; `to_blocked` of
//! torchao; `aiter/ops/shuffle.py`; the text of cuBLASLt's `cublasLtOrder_t`.

use super::super::dice::Dice;
use super::super::sketch::Sketch;
use super::{Element, descending, element, swapped};

/// A layout of matrices.
#[derive(Clone, Copy, Debug)]
struct Format {
    /// What rows and columns are to be multiples of.
    steps: [u64; 2],
    /// Its shape and strides for so many rows and columns.
    layout: fn(u64, u64) -> String,
}

const fn format(steps: [u64; 2], layout: fn(u64, u64) -> String) -> Format {
    Format { steps, layout }
}

/// Codes of 4 bits.
const NIBBLES: &[(usize, Format)] = &[
    // GPTQ: eight rows in a word.
    (4, format([8, 1], |k, n| format!("((8,{}),{n}):((1,{}),8)", k / 8, 8 * n))),
    // AWQ: eight columns in a word, in the order 0,2,4,6,1,3,5,7.
    (4, format([1, 8], |k, n| format!("({k},(2,4,{})):({n},(4,1,8))", n / 8))),
    // Marlin: what a thread of a 16 by 64 tile needs is together.
    (4, format([16, 64], marlin_nibbles)),
    // Marlin for activations of 8 bits.
    (
        1,
        format([32, 32], |k, n| {
            let sizes = format!("((4,4,2,{}),(8,4,{}))", k / 32, n / 32);
            format!("{sizes}:((2,32,1,{}),(128,8,1024))", 32 * n)
        }),
    ),
    // TensorRT-LLM on Ampere, which is AWQ for vectors as well; on Hopper.
    (
        2,
        format([64, 4], |k, n| {
            let sizes = format!("((8,4,2,{}),(4,{}))", k / 64, n / 4);
            format!("{sizes}:((4,1,32,256),(64,{}))", 4 * k)
        }),
    ),
    (1, format([32, 1], |k, n| format!("((8,4,{}),{n}):((4,1,32),{k})", k / 32))),
];

fn marlin_nibbles(k: u64, n: u64) -> String {
    let sizes = format!("((2,4,2,{}),(8,2,4,{}))", k / 16, n / 64);
    format!("{sizes}:((4,32,1,{}),(128,2,8,1024))", 16 * n)
}

/// Codes of 2 bits: GPTQ's.
const PAIRS_OF_BITS: &[(usize, Format)] =
    &[(1, format([16, 1], |k, n| format!("((16,{}),{n}):((1,{}),16)", k / 16, 16 * n)))];

/// Codes of 8 bits, and scales.
const BYTES: &[(usize, Format)] = &[
    // GPTQ.
    (2, format([4, 1], |k, n| format!("((4,{}),{n}):((1,{}),4)", k / 4, 4 * n))),
    // Marlin.
    (
        2,
        format([16, 64], |k, n| {
            let sizes = format!("((2,4,2,{}),(8,8,{}))", k / 16, n / 64);
            format!("{sizes}:((2,32,1,{}),(128,4,1024))", 16 * n)
        }),
    ),
    // TensorRT-LLM on Ampere and on Hopper.
    (
        1,
        format([64, 2], |k, n| {
            let sizes = format!("((8,2,4,{}),(2,{}))", k / 64, n / 2);
            format!("{sizes}:((2,1,16,128),(64,{}))", 2 * k)
        }),
    ),
    (1, format([16, 1], |k, n| format!("((8,2,{}),{n}):((2,1,16),{k})", k / 16))),
    // Scales of blocks in 128 by 4, the swizzle of cuBLAS; AMD's.
    (
        2,
        format([128, 4], |k, n| {
            let sizes = format!("((32,4,{}),(4,{}))", k / 128, n / 4);
            format!("{sizes}:((16,4,{}),(1,512))", 128 * n)
        }),
    ),
    (
        1,
        format([32, 8], |k, n| {
            let sizes = format!("((16,2,{}),(4,2,{}))", k / 32, n / 8);
            format!("{sizes}:((4,1,{}),(64,2,256))", 32 * n)
        }),
    ),
    // cuBLASLt's COL32, COL4_4R2_8C and COL32_2R_4R4.
    (1, format([1, 32], |k, n| format!("({k},(32,{})):(32,(1,{}))", n / 32, 32 * k))),
    (
        1,
        format([8, 32], |k, n| {
            let sizes = format!("((2,4,{}),(4,8,{}))", k / 8, n / 32);
            format!("{sizes}:((128,4,256),(1,16,{}))", 32 * k)
        }),
    ),
    (
        1,
        format([32, 32], |k, n| {
            let sizes = format!("((2,4,4,{}),(32,{}))", k / 32, n / 32);
            format!("{sizes}:((32,256,64,1024),(1,{}))", 32 * k)
        }),
    ),
    // AMD's blocks of 16 by 16.
    (2, format([16, 16], |k, n| blocks_of_sixteen(k, n, 16))),
];

/// Weights and scales of 16 bits.
const HALVES: &[(usize, Format)] = &[
    // Marlin's scales.
    (1, format([1, 64], |k, n| format!("({k},(8,8,{})):({n},(8,1,64))", n / 64))),
    // AMD's blocks.
    (2, format([16, 8], |k, n| blocks_of_sixteen(k, n, 8))),
];

/// Blocks of 16 rows of so many columns, row after row of blocks.
fn blocks_of_sixteen(k: u64, n: u64, wide: u64) -> String {
    let sizes = format!("((16,{}),({wide},{}))", k / 16, n / wide);
    format!("{sizes}:(({wide},{}),(1,{}))", 16 * n, 16 * wide)
}

type Formats = &'static [(usize, Format)];

const TYPES: &[(usize, (Element, Formats))] = &[
    (60, (element("u4", 4), NIBBLES)),
    (5, (element("u2", 2), PAIRS_OF_BITS)),
    (25, (element("s8", 8), BYTES)),
    (10, (element("bf16", 16), HALVES)),
];

/// What is on the other side.
#[derive(Clone, Copy, Debug)]
enum Other {
    Rows,
    Columns,
    /// Rows with a byte for each code.
    Bytes,
    Format(Format),
}

pub(super) fn sketch(dice: &mut Dice) -> Sketch {
    let (element, formats) = dice.weighted(TYPES);
    let format = dice.weighted(formats);
    let other = match dice.below(100) {
        0..40 => Other::Rows,
        40..55 => Other::Columns,
        55..75 if element.bits < 8 => Other::Bytes,
        _ => Other::Format(dice.weighted(formats)),
    };
    let is_back = dice.chance(40);
    let mut steps = format.steps;
    if let Other::Format(other) = other {
        // All are powers of two.
        steps = [0, 1].map(|dim| steps[dim].max(other.steps[dim]));
    }
    let bits = if matches!(other, Other::Bytes) { 8 } else { element.bits };
    let sketch = Sketch::new(2, bits, move |sizes| {
        let of =
            |format: Format| format!("{} {}", element.name, (format.layout)(sizes[0], sizes[1]));
        let one = match other {
            Other::Rows => element.xla(sizes, &descending(2), ""),
            Other::Columns => element.xla(sizes, &swapped(2), ""),
            Other::Bytes => Element { bits: 8, ..element }.xla(sizes, &descending(2), ""),
            Other::Format(other) => of(other),
        };
        if is_back { [of(format), one] } else { [one, of(format)] }
    });
    sketch.in_steps(&steps)
}
