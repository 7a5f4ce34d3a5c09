//! Marlin: tiles of 16 × 16 codes, permuted for tensor cores, then interleaved within words.

use super::array::Array;
use std::convert::Infallible;

/// Which place of the permuted list each one comes from, for 16-bit activations: 32 threads, each
/// with 2 × 2 pairs of rows of a column and the column 8 further, in four tiles.
fn weight_perm(interleave: &[usize]) -> Vec<usize> {
    let mut perm = Vec::new();
    for thread in 0..32 {
        let (column, quad) = (thread / 4, thread % 4);
        let rows = [2 * quad, 2 * quad + 1, 2 * (quad + 4), 2 * (quad + 4) + 1];
        let mut of_tile = Vec::new();
        for block in [0, 1] {
            of_tile.extend(rows.map(|row| 16 * row + column + 8 * block));
        }
        for tile in 0..4 {
            perm.extend(of_tile.iter().map(|place| place + 256 * tile));
        }
    }
    interleaved(&perm, interleave)
}

/// The same for 8-bit activations: tiles of 32 rows and 8 columns.
fn weight_perm_a8(interleave: &[usize]) -> Vec<usize> {
    let mut perm = Vec::new();
    for thread in 0..32 {
        let (column, quad) = (thread / 4, thread % 4);
        for tile in 0..4 {
            for half in [0, 16] {
                perm.extend((0..4).map(|i| 8 * (4 * quad + i + half) + column + 256 * tile));
            }
        }
    }
    interleaved(&perm, interleave)
}

fn interleaved(perm: &[usize], interleave: &[usize]) -> Vec<usize> {
    perm.chunks(interleave.len()).flat_map(|part| interleave.iter().map(|i| part[*i])).collect()
}

/// Tiles one after the other along each band of rows, then permuted, then packed.
fn pack(codes: &[u32], dims: &[i64], tile: [usize; 2], perm: &[usize], bits: usize) -> Vec<u8> {
    let array = Array::of(codes, dims);
    let [k, n] = [array.dims[0], array.dims[1]];
    let tiled = array.reshape(&[k / tile[0], tile[0], n / tile[1], tile[1]]).permute(&[0, 2, 1, 3]);
    let blocks = tiled.values.len() / perm.len();
    let blocks = tiled.reshape(&[blocks, perm.len()]).permute(&[1, 0]);
    blocks.take_rows(perm).permute(&[1, 0]).words(bits)
}

pub(crate) fn marlin_4(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, [16, 16], &weight_perm(&[0, 2, 4, 6, 1, 3, 5, 7]), 4))
}

pub(crate) fn marlin_8(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, [16, 16], &weight_perm(&[0, 2, 1, 3]), 8))
}

pub(crate) fn marlin_4_a8(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, [32, 8], &weight_perm_a8(&[0, 4, 1, 5, 2, 6, 3, 7]), 4))
}

pub(crate) fn marlin_8_a8(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, [32, 8], &weight_perm_a8(&[0, 1, 2, 3]), 8))
}
