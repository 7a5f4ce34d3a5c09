//! TensorRT-LLM's weights for GEMMs of mixed types, and trtllm-gen's for mixtures of experts.

use super::entry::{Argument, Entry, Stored};
use super::place::{Asked, Form, Mode, Placed};
use crate::ElementType::S8;
use crate::error::{Error, invalid};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "trtllm",
        arguments: &[
            Argument::Word(&["w4a16", "w4a8", "w8a16"]),
            Argument::Word(&["sm80", "sm90", "sm100"]),
        ],
        summary: "TensorRT-LLM's weights for GEMMs of mixed types. sm80 is also for sm89, for experts on sm90 and \
                  for all on sm120; sm100 is plain columns",
        dims: "[K,N]",
        extents: "K % 64 = 0 and N % 4 = 0 (w4a16), K % 128 = 0 and N % 2 = 0 (w4a8), K % 64 = 0 and N % 2 = 0 \
                  (w8a16); from sm90 on K % 32 = 0, with w8a16 K % 16 = 0",
        bits: &[4, 8],
        stored: Stored::Unsigned,
        padding: 0,
        example: "s4[128,64]@trtllm(w4a16,sm80)",
        source: "TensorRT-LLM, preprocess_weights_for_mixed_gemm",
        place: trtllm,
    },
    Entry {
        name: "trtllm-gen.shuffle-a",
        arguments: &[Argument::Word(&["16", "32"])],
        summary: "trtllm-gen's shuffleMatrixA: rows in the order of the epilogue's tiles, 32 where those are a multiple \
                  of 128, else 16. FlashInfer",
        dims: "[M,K]",
        extents: "M % 16 = 0, or M % 32 = 0",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u8[64,128]@trtllm-gen.shuffle-a(16)",
        source: "FlashInfer, get_shuffle_matrix_a_row_indices",
        place: shuffle_a,
    },
    Entry {
        name: "trtllm-gen.gated",
        arguments: &[],
        summary: "The rows of gate and up of a gated activation interleaved, one of each after the other. FlashInfer",
        dims: "[M,K], the upper half of M the gate",
        extents: "M % 2 = 0",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u8[64,128]@trtllm-gen.gated",
        source: "FlashInfer, get_reorder_rows_for_gated_act_gemm_row_indices",
        place: gated,
    },
    Entry {
        name: "megamoe",
        arguments: &[Argument::Word(&["8", "16", "32"]), Argument::Optional(&["up-first"])],
        summary: "The rows of experts' gate and up interleaved by so many, as the fused kernels for mixtures of experts \
                  read them: by 8 DeepGEMM's MegaMoE, by 16 and 32 FlashInfer's. With up-first each group has its \
                  halves exchanged, row ^ 8: TRT-LLM's order",
        dims: "[M,K] or [E,M,K], the upper half of M the gate",
        extents: "M % (2 rows) = 0",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u8[64,128]@megamoe(8)",
        source: "FlashInfer, interleave_gate_up; DeepGEMM, transform_weights_for_mega_moe",
        place: megamoe,
    },
    Entry {
        name: "block-major-k",
        arguments: &[],
        summary: "trtllm-gen's BlockMajorK: blocks of 128 bytes of K, all rows of a block one behind the other. \
                  FlashInfer",
        dims: "[M,K]",
        extents: "K % (1024 / bits) = 0",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "u8[64,256]@block-major-k",
        source: "FlashInfer, convert_to_block_layout",
        place: block_major_k,
    },
];

fn trtllm(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [k, n] = asked.matrix()?;
    let kind = asked.arguments.first().map_or("", String::as_str);
    let bits = if kind == "w8a16" { 8 } else { 4 };
    if asked.bits != bits {
        return invalid(format!("`{kind}` has codes of {bits} bits, not of {}", asked.bits));
    }
    let (rows_of, columns_of) = match kind {
        "w4a16" => (64, 4),
        "w4a8" => (128, 2),
        _ => (64, 2),
    };
    let (inner, outer): (Mode, i128) = match (kind, asked.has("sm80")) {
        // Codes 0 2 4 6 1 3 5 7 of a word, the words of four threads together.
        ("w4a16", true) => (vec![(8, 4), (4, 1), (2, 32)], 64),
        ("w4a16", false) => (vec![(8, 4), (4, 1)], 32),
        ("w4a8", true) => (vec![(2, 4), (2, 1), (4, 8), (2, 2), (4, 32)], 128),
        ("w4a8", false) => (vec![(2, 4), (2, 1), (4, 8), (2, 2)], 32),
        (_, true) => (vec![(8, 2), (2, 1), (4, 16)], 64),
        (_, false) => (vec![(8, 2), (2, 1)], 16),
    };
    let carrier = vec![k, n * i128::from(bits) / 8];
    if asked.has("sm100") {
        // From sm100 on nothing is added to signed codes.
        let columns = Placed::of(vec![vec![(k, 1)], vec![(n, k)]], S8, carrier);
        return Ok(Placed { is_flipped: false, ..columns });
    }
    asked.multiple("K", k, outer)?;
    let is_interleaved = asked.has("sm80");
    let columns = if is_interleaved { columns_of } else { 1 };
    asked.multiple("N", n, columns)?;
    let step = if is_interleaved { rows_of * columns } else { outer };
    let rows = [inner, vec![(k / outer, step)]].concat();
    let columns = vec![(columns, rows_of), (n / columns, columns * k)];
    Ok(Placed::of(vec![rows, columns], S8, carrier))
}

/// Row `16 i + 8 (r % 2) + (r % 16) / 2`: a tile's rows are dealt to the threads.
fn shuffle_a(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [m, k] = asked.matrix()?;
    let tile = asked.number(0);
    asked.multiple("M", m, tile)?;
    let rows = vec![(tile / 8, 8 * k), (8, k), (m / tile, tile * k)];
    Ok(Placed::alike(vec![rows, vec![(k, 1)]]))
}

fn gated(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [m, k] = asked.matrix()?;
    asked.multiple("M", m, 2)?;
    Ok(Placed::alike(vec![vec![(m / 2, 2 * k), (2, k)], vec![(k, 1)]]))
}

/// Gate `i` goes to row `2b (i / b) + i % b`, up `i` to the row `b` after it. Exchanging the halves of each `2b` rows is
/// an XOR of the row with `b`: of the bit that says the half, `1 - x` is a stride below 0 from a base of `b` rows.
fn megamoe(asked: &Asked<'_>) -> Result<Placed, Error> {
    let (experts, [m, k]) = asked.matrices()?;
    let block = asked.number(0);
    asked.multiple("M", m, 2 * block)?;
    let is_exchanged = asked.has("up-first");
    let to_up = if is_exchanged { -block * k } else { block * k };
    let rows = vec![(block, k), (m / 2 / block, 2 * block * k), (2, to_up)];
    let mut modes = vec![rows, vec![(k, 1)]];
    if let Some(experts) = experts {
        modes.insert(0, vec![(experts, m * k)]);
    }
    if !is_exchanged {
        return Ok(Placed::alike(modes));
    }
    let carrier = asked.dims.iter().map(|&dim| i128::from(dim)).collect();
    let allocation = experts.unwrap_or(1) * m * k;
    let form = Form::Within { modes, base: block * k, allocation };
    Ok(Placed { carrier: Some((asked.element_type, carrier)), ..Placed::in_form(form) })
}

fn block_major_k(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [m, k] = asked.matrix()?;
    let block = asked.per(1024);
    asked.multiple("K", k, block)?;
    let columns = vec![(block, 1), (k / block, block * m)];
    let modes = vec![vec![(m, block)], columns];
    Ok(Placed::of(modes, asked.element_type, vec![k / block, m, block]))
}
