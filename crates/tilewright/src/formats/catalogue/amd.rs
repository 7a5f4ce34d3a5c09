//! AITER's weights for AMD's matrix cores.
//!
//! Source: ROCm/aiter, `aiter/ops/shuffle.py`.

use super::entry::{Entry, Stored};
use super::place::{Asked, Mode, Placed};
use crate::error::Error;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "aiter",
        arguments: &[],
        summary: "AITER's shuffle_weight, layout (16,16): tiles of 16 rows and 16 bytes, the rows of a tile one behind \
                  the other",
        dims: "[N,K], or [E,N,K]",
        extents: "N % 16 = 0, K % 32 = 0; K % 64 = 0 with 4 bits",
        bits: &[4, 8, 16],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "bf16[64,128]@aiter",
        source: "ROCm/aiter, aiter/ops/shuffle.py",
        place: aiter,
    },
    Entry {
        name: "aiter.gate-up",
        arguments: &[],
        summary: "The same of experts whose gate and up are interleaved, a tile of each after the other",
        dims: "[E,2I,K], the upper half of 2I the gate",
        extents: "I % 16 = 0, K % 32 = 0; K % 64 = 0 with 4 bits",
        bits: &[4, 8, 16],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "bf16[2,64,128]@aiter.gate-up",
        source: "ROCm/aiter, aiter/ops/shuffle.py",
        place: gate_up,
    },
];

/// Refuses extents that are no whole tiles. How many elements are in 16 bytes of a row, and the mode of K.
fn tiles(asked: &Asked<'_>, n: i128, k: i128) -> Result<(i128, Mode), Error> {
    let in_row = asked.per(128);
    asked.multiple("N", n, 16)?;
    asked.multiple("K", k, 32.max(2 * in_row))?;
    Ok((in_row, vec![(in_row, 1), (k / in_row, 16 * in_row)]))
}

fn aiter(asked: &Asked<'_>) -> Result<Placed, Error> {
    let (batch, [n, k]) = asked.matrices()?;
    let (in_row, columns) = tiles(asked, n, k)?;
    let mut modes = vec![vec![(16, in_row), (n / 16, 16 * k)], columns];
    if let Some(experts) = batch {
        modes.insert(0, vec![(experts, n * k)]);
    }
    Ok(Placed::alike(modes))
}

fn gate_up(asked: &Asked<'_>) -> Result<Placed, Error> {
    let (experts, [n, k]) = asked.matrices()?;
    let experts = experts.unwrap_or(1);
    asked.multiple("2I", n, 32)?;
    let (in_row, columns) = tiles(asked, n / 2, k)?;
    let rows = vec![(16, in_row), (n / 32, 32 * k), (2, 16 * k)];
    let modes = vec![vec![(experts, n * k)], rows, columns];
    Ok(Placed::alike(if asked.dims.len() == 3 { modes } else { modes[1..].to_vec() }))
}
