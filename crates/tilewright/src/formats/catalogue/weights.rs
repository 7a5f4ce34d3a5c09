//! Weights of 2, 3, 4 and 8 bits as quantisation libraries store them: GPTQ, AWQ, Marlin, compressed-tensors, tinygemm.
//!
//! K is the number of input features and N that of output features. All but 3-bit GPTQ are digits of K and of N.

use super::entry::{Argument, Entry, Stored};
use super::extents::{parts, up};
use super::place::{Asked, Form, Mode, Placed};
use crate::ElementType::{S16, S32, U8};
use crate::error::{Error, invalid};
use crate::xla::Layout;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "gptq",
        arguments: &[],
        summary: "GPTQ's qweight: codes packed along K into 32-bit words, for AutoGPTQ, GPTQModel and \
                  exllama. 3-bit codes are written pred[K,N,3]: the bit is the last dimension",
        dims: "[K,N], or [K,N,3] of bits",
        extents: "K % (32 / bits) = 0; K % 32 = 0 with 3 bits",
        bits: &[1, 2, 4, 8],
        stored: Stored::Unsigned,
        padding: 0,
        example: "u4[128,64]@gptq",
        source: "GPTQModel, qlinear pack",
        place: gptq,
    },
    Entry {
        name: "gptq.zeros",
        arguments: &[],
        summary: "GPTQ's qzeros: zero points packed along N, a row for each group. Version 1 of the format stores \
                  each less one, which no layout can say",
        dims: "[G,N]",
        extents: "N % (32 / bits) = 0",
        bits: &[2, 4, 8],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u4[4,64]@gptq.zeros",
        source: "GPTQModel, qlinear pack",
        place: rows_of_words,
    },
    Entry {
        name: "awq",
        arguments: &[],
        summary: "AWQ's GEMM format, codes and zero points: eight columns in a 32-bit word, in the order \
                  0 2 4 6 1 3 5 7. AutoAWQ, vLLM",
        dims: "[K,N] of codes, [G,N] of zero points",
        extents: "N % 8 = 0",
        bits: &[4],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u4[128,64]@awq",
        source: "AutoAWQ, awq/utils/packing_utils.py",
        place: awq,
    },
    Entry {
        name: "awq-v2",
        arguments: &[],
        summary: "AWQ's GEMV-fast format: four rows interleaved by 64 codes, with TRT-LLM's order of codes",
        dims: "[N,K]",
        extents: "N % 4 = 0, K % 64 = 0",
        bits: &[4],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u4[64,128]@awq-v2",
        source: "AutoAWQ, awq/modules/linear/gemv_fast.py",
        place: awq_v2,
    },
    Entry {
        name: "marlin",
        arguments: &[Argument::Optional(&["a8"])],
        summary: "Marlin's weights for 16-bit activations, or with a8 for 8-bit ones: tiles of 16 rows in the order of \
                  a tensor core's fragments. GPTQ-Marlin, AWQ-Marlin, vLLM",
        dims: "[K,N]",
        extents: "K % 16 = 0, with a8 K % 32 = 0; N % 64 = 0",
        bits: &[4, 8],
        stored: Stored::Unsigned,
        padding: 0,
        example: "u4[128,64]@marlin",
        source: "IST-DASLab/marlin, marlin/__init__.py; vLLM, marlin_utils_test.py",
        place: marlin,
    },
    Entry {
        name: "marlin.scales",
        arguments: &[],
        summary: "The scales of Marlin's weights, a row for each group; of a single group in an order of its own",
        dims: "[G,N]",
        extents: "N % 64 = 0; N % 32 = 0 with one group",
        bits: &[8, 16, 32],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f16[4,64]@marlin.scales",
        source: "IST-DASLab/marlin, marlin/__init__.py; vLLM, marlin_utils.py",
        place: marlin_scales,
    },
    Entry {
        name: "compressed-tensors",
        arguments: &[],
        summary: "The weight_packed of compressed-tensors: codes packed along K into 32-bit words, rows padded to whole \
                  words. llm-compressor, vLLM",
        dims: "[N,K]",
        extents: "any; K is padded to a multiple of 32 / bits",
        bits: &[2, 4, 8],
        stored: Stored::Unsigned,
        padding: 0,
        example: "u4[64,60]@compressed-tensors",
        source: "compressed-tensors, pack_to_int32",
        place: compressed_tensors,
    },
    Entry {
        name: "tinygemm",
        arguments: &[Argument::Word(&["avx2", "avx512"])],
        summary: "PyTorch's int4 weights for the CPU, aten::_convert_weight_to_int4pack_for_cpu: the order depends on \
                  the instructions of the processor that packed them",
        dims: "[N,K]",
        extents: "N % 32 = 0 (avx2), N % 64 = 0 (avx512), K % 2 = 0",
        bits: &[4],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u4[64,32]@tinygemm(avx512)",
        source: "PyTorch, aten/src/ATen/native/cpu/int4mm_kernel.cpp",
        place: tinygemm,
    },
];

/// `((w,K/w),N):((1,wN),w)` with `w` codes in a word. 3-bit codes go over the ends of words: bit *b* of code *k* is bit
/// `F % 32` of word `F / 32` with `F = 3k + b`, so that the code and the bit are one coordinate.
fn gptq(asked: &Asked<'_>) -> Result<Placed, Error> {
    if let [k, n, 3] = *asked.dims {
        if asked.bits != 1 {
            return invalid(format!(
                "`gptq` of three dimensions is one of bits, such as `pred[{k},{n},3]`"
            ));
        }
        asked.multiple("K", k.into(), 32)?;
        let layout: Result<Layout, _> = format!("{{2,0,1:T({n},*,32)E(1)}}").parse();
        let layout = layout.or_else(|error| invalid(error.to_string()))?;
        let carrier = Some((S32, vec![i128::from(k) * 3 / 32, n.into()]));
        return Ok(Placed { carrier, ..Placed::in_form(Form::Xla(layout)) });
    }
    let [k, n] = asked.matrix()?;
    let w = asked.per(32);
    asked.multiple("K", k, w)?;
    let modes = vec![vec![(w, 1), (k / w, w * n)], vec![(n, w)]];
    Ok(Placed::of(modes, S32, vec![k / w, n]))
}

/// Rows of words.
fn rows_of_words(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [rows, n] = asked.matrix()?;
    let w = asked.per(32);
    asked.multiple("N", n, w)?;
    Ok(Placed::of(vec![vec![(rows, n)], vec![(n, 1)]], S32, vec![rows, n / w]))
}

/// Column `2i + j` of eight is nibble `i + 4j`.
fn awq(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [k, n] = asked.matrix()?;
    asked.multiple("N", n, 8)?;
    let modes = vec![vec![(k, n)], vec![(2, 4), (4, 1), (n / 8, 8)]];
    Ok(Placed::of(modes, S32, vec![k, n / 8]))
}

fn awq_v2(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [n, k] = asked.matrix()?;
    asked.multiple("N", n, 4)?;
    asked.multiple("K", k, 64)?;
    let modes = vec![vec![(4, 64), (n / 4, 4 * k)], vec![(8, 4), (4, 1), (2, 32), (k / 64, 256)]];
    Ok(Placed::of(modes, S16, vec![n / 4, k]))
}

fn marlin(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [k, n] = asked.matrix()?;
    let has_bytes = asked.has("a8");
    asked.multiple("K", k, if has_bytes { 32 } else { 16 })?;
    asked.multiple("N", n, 64)?;
    let (rows, columns): (Mode, Mode) = match (asked.bits, has_bytes) {
        (4, false) => (
            vec![(2, 4), (4, 32), (2, 1), (k / 16, 16 * n)],
            vec![(8, 128), (2, 2), (4, 8), (n / 64, 1024)],
        ),
        (_, false) => (
            vec![(2, 2), (4, 32), (2, 1), (k / 16, 16 * n)],
            vec![(8, 128), (8, 4), (n / 64, 1024)],
        ),
        (4, true) => (
            vec![(4, 2), (4, 32), (2, 1), (k / 32, 32 * n)],
            vec![(8, 128), (4, 8), (n / 32, 1024)],
        ),
        (_, true) => (
            vec![(4, 1), (4, 32), (2, 4), (k / 32, 32 * n)],
            vec![(8, 128), (4, 8), (n / 32, 1024)],
        ),
    };
    // 16 rows of N codes are a row of words.
    Ok(Placed::of(vec![rows, columns], S32, vec![k / 16, 16 * n / asked.per(32)]))
}

fn marlin_scales(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [groups, n] = asked.matrix()?;
    let columns = if groups == 1 {
        asked.multiple("N", n, 32)?;
        vec![(2, 1), (4, 8), (4, 2), (n / 32, 32)]
    } else {
        asked.multiple("N", n, 64)?;
        vec![(8, 8), (8, 1), (n / 64, 64)]
    };
    Ok(Placed::alike(vec![vec![(groups, n)], columns]))
}

fn compressed_tensors(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [n, k] = asked.matrix()?;
    let w = asked.per(32);
    let modes = vec![vec![(n, up(k, w))], vec![(up(k, w), 1)]];
    Ok(Placed::of(modes, S32, vec![n, parts(k, w)]))
}

fn tinygemm(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [n, k] = asked.matrix()?;
    // The rows that a step of the kernel works on, and half of them: the second half is in the high nibbles.
    let rows = if asked.has("avx512") { 64 } else { 32 };
    asked.multiple("N", n, rows)?;
    asked.multiple("K", k, 2)?;
    let modes = vec![vec![(rows / 2, 2), (2, 1), (n / rows, rows * k)], vec![(k, rows)]];
    Ok(Placed::of(modes, U8, vec![n, k / 2]))
}
