//! TensorRT-LLM: rows in the order of an epilogue, blocks along K, weights for mixed products.

use super::array::Array;
use std::convert::Infallible;

/// Row `i` of a block comes from row `step * (i % 8) + i / 8`.
fn shuffle(codes: &[u32], dims: &[i64], step: usize) -> Vec<u8> {
    let array = Array::of(codes, dims);
    let block = 8 * step;
    let from = |row: usize| row / block * block + step * (row % 8) + row % block / 8;
    let rows: Vec<usize> = (0..array.dims[0]).map(from).collect();
    array.take_rows(&rows).bytes(1)
}

pub(crate) fn shuffle_a16(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(shuffle(codes, dims, 2))
}

pub(crate) fn shuffle_a32(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(shuffle(codes, dims, 4))
}

pub(crate) fn block_major_k(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    let array = Array::of(codes, dims);
    let [m, k] = [array.dims[0], array.dims[1]];
    Ok(array.reshape(&[m, k / 128, 128]).permute(&[1, 0, 2]).bytes(1))
}

/// W4A16 before sm90: rows permuted, transposed, four columns interleaved by 64 rows, 8 added to
/// each signed nibble, evens before odds.
pub(crate) fn w4a16_sm80(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    let array = Array::of(codes, dims);
    let [k, n] = [array.dims[0], array.dims[1]];
    let from = |row: usize| row / 32 * 32 + row % 8 / 2 * 8 + row % 32 / 8 * 2 + row % 2;
    let rows: Vec<usize> = (0..k).map(from).collect();
    let columns = array.take_rows(&rows).permute(&[1, 0]);
    let mixed = columns.reshape(&[n / 4, 4, k / 64, 64]).permute(&[0, 2, 1, 3]);
    let mut ordered = mixed.reshape(&[k * n / 8, 4, 2]).permute(&[0, 2, 1]);
    ordered.values.iter_mut().for_each(|code| *code = (*code + 8) % 16);
    Ok(ordered.words(4))
}
