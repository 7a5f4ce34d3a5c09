//! Fragments: which thread of a group holds which element of a small matrix, and in which of its registers.
//!
//! The place of an element is `thread * registers + register`: memory would be the registers of each thread, one
//! thread behind the other.

use super::entry::{Argument, Entry, Stored};
use super::place::{Asked, Mode, Placed};
use crate::error::{Error, invalid};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "mma",
        arguments: &[Argument::Word(&["a", "b", "c"])],
        summary: "The operands of NVIDIA's mma.sync of m16n8 and m8n8 over 32 threads, from Turing on: A as [M,K], B as \
                  [N,K], and C or D as [M,N]",
        dims: "[M,K], [N,K] or [M,N]",
        extents: "M = 16 or 8, N = 8; K is four or eight registers of 32 bits, or 4, 8 or 16 elements of 64; of A with M = 8 \
                  the least",
        bits: &[4, 8, 16, 32, 64],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "bf16[16,16]@mma(a)",
        source: "PTX ISA, mma.sync; CUTLASS, cute/atom/mma_traits_sm80.hpp",
        place: mma,
    },
    Entry {
        name: "mfma",
        arguments: &[Argument::Word(&["32x32", "16x16"])],
        summary: "The accumulator of AMD's MFMA instructions of 32 x 32 x 8 and 16 x 16 x 16, over 64 lanes: 16 or 4 \
                  registers a lane",
        dims: "[R,C]",
        extents: "R = C = 32, or 16",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f32[32,32]@mfma(32x32)",
        source: "Triton, AMDMfmaEncodingAttr",
        place: mfma,
    },
    Entry {
        name: "simdgroup",
        arguments: &[],
        summary: "Apple's simdgroup matrix of 8 x 8 over 32 lanes, two elements a lane. After the formula as published; \
                  no code was run",
        dims: "[R,C]",
        extents: "R = C = 8",
        bits: &[],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f32[8,8]@simdgroup",
        source: "MLX, steel GEMM",
        place: simdgroup,
    },
];

fn of_size(asked: &Asked<'_>, size: i128, modes: [Mode; 2]) -> Result<Placed, Error> {
    match asked.matrix()? == [size, size] {
        true => Ok(Placed::alike(modes.into())),
        false => invalid(format!("`{}` is of {size} x {size} elements alone", asked.name)),
    }
}

/// Thread `4 g + t` holds rows `g` and `g + 8`, and in each the elements of register `t` and of register `t + 4`:
///
/// ```text
/// value = i + w (row / 8) + w h (column / 4w)     i = column % w, w elements a register, h halves of 8 rows
/// ```
///
/// Of sums, whose type is wider, a thread has two neighbours in each row.
fn mma(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [rows, columns] = asked.matrix()?;
    let is_sum = asked.has("c");
    let in_register = if is_sum { 2 } else { asked.per(32) };
    let (halves, registers) = (rows / 8, columns / (4 * in_register));
    // A of m8n8 is as B is: one register of 32 bits, or one element of 64.
    let all_registers: &[i128] = match asked.bits {
        ..16 if is_sum => &[],
        _ if is_sum || (asked.has("a") && halves == 1) => &[1],
        64 => &[1, 2, 4],
        _ => &[1, 2],
    };
    let is_whole = rows % 8 == 0 && columns % (4 * in_register) == 0;
    let is_half = halves == 1 || (halves == 2 && !asked.has("b"));
    let is_operand = is_half && all_registers.contains(&registers);
    if !is_whole || !is_operand {
        return invalid(format!(
            "no operand of `mma` has {rows} x {columns} elements of {} bits",
            asked.bits
        ));
    }
    let values = in_register * halves * registers;
    let row = vec![(8, 4 * values), (halves, in_register)];
    let column = vec![(in_register, 1), (4, values), (registers, in_register * halves)];
    Ok(Placed::alike(vec![row, column]))
}

/// Registers go down four rows at a time, lanes along the columns.
fn mfma(asked: &Asked<'_>) -> Result<Placed, Error> {
    match asked.has("32x32") {
        true => of_size(asked, 32, [vec![(4, 1), (2, 512), (4, 4)], vec![(32, 16)]]),
        false => of_size(asked, 16, [vec![(4, 1), (4, 64)], vec![(16, 4)]]),
    }
}

/// Lane `l` holds row `(l/4 & 4) + l/2 % 4` at columns `(l/4 & 2) 2 + 2 (l % 2)` and the next.
fn simdgroup(asked: &Asked<'_>) -> Result<Placed, Error> {
    of_size(asked, 8, [vec![(4, 4), (2, 32)], vec![(4, 1), (2, 16)]])
}
