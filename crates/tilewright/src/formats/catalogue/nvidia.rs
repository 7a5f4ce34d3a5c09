//! cuBLASLt's orders of matrices of bytes.
//!
//! Source: the text of `cublasLtOrder_t`; FasterTransformer, `transform_kernels.cu`.

use super::entry::{Entry, Stored};
use super::place::{Asked, Placed};
use crate::error::Error;

pub(super) const ENTRIES: &[Entry] = &[
    order(
        "cublaslt.col32",
        "cuBLASLt's COL32: columns of 32 bytes, rows one behind the other",
        "C % 32 = 0",
        "s8[64,128]@cublaslt.col32",
        col32,
    ),
    order(
        "cublaslt.col4_4r2_8c",
        "cuBLASLt's COL4_4R2_8C, of tiles of 8 rows and 32 columns, for Turing's tensor cores",
        "R % 8 = 0, C % 32 = 0",
        "s8[64,128]@cublaslt.col4_4r2_8c",
        col4_4r2_8c,
    ),
    order(
        "cublaslt.col32_2r_4r4",
        "cuBLASLt's COL32_2R_4R4, of tiles of 32 rows and 32 columns, for Ampere's tensor cores",
        "R % 32 = 0, C % 32 = 0",
        "s8[64,128]@cublaslt.col32_2r_4r4",
        col32_2r_4r4,
    ),
    order("cublaslt.col", "cuBLASLt's plain columns", "any", "s8[64,128]@cublaslt.col", columns),
];

const fn order(
    name: &'static str,
    summary: &'static str,
    extents: &'static str,
    example: &'static str,
    place: fn(&Asked<'_>) -> Result<Placed, Error>,
) -> Entry {
    Entry {
        name,
        arguments: &[],
        summary,
        dims: "[R,C]",
        extents,
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0,
        example,
        source: "cuBLASLt, cublasLtOrder_t; FasterTransformer, transform_kernels.cu",
        place,
    }
}

fn col32(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [r, c] = asked.matrix()?;
    asked.multiple("C", c, 32)?;
    let modes = vec![vec![(r, 32)], vec![(32, 1), (c / 32, 32 * r)]];
    Ok(Placed::of(modes, asked.element_type, vec![c / 32, 32 * r]))
}

fn col4_4r2_8c(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [r, c] = asked.matrix()?;
    asked.multiple("R", r, 8)?;
    asked.multiple("C", c, 32)?;
    let rows = vec![(2, 128), (4, 4), (r / 8, 256)];
    let columns = vec![(4, 1), (8, 16), (c / 32, 32 * r)];
    Ok(Placed::of(vec![rows, columns], asked.element_type, vec![c / 32, 32 * r]))
}

/// Within a tile, row `r` is row `(r%8)/2*8 + r/8*2 + r%2`.
fn col32_2r_4r4(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [r, c] = asked.matrix()?;
    asked.multiple("R", r, 32)?;
    asked.multiple("C", c, 32)?;
    let rows = vec![(2, 32), (4, 256), (4, 64), (r / 32, 1024)];
    let columns = vec![(32, 1), (c / 32, 32 * r)];
    Ok(Placed::of(vec![rows, columns], asked.element_type, vec![c / 32, 32 * r]))
}

fn columns(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [r, c] = asked.matrix()?;
    Ok(Placed::of(vec![vec![(r, 1)], vec![(c, r)]], asked.element_type, vec![c, r]))
}
