//! Fragments: which thread of a group holds which element of a small matrix, and in which of its registers.
//!
//! The place of an element is `thread * registers + register`: memory would be the registers of each thread, one
//! thread behind the other.

use super::entry::{Argument, Entry, Stored};
use super::place::{Asked, Mode, Placed};
use crate::error::{Error, invalid};

pub(super) const ENTRIES: &[Entry] = &[
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
