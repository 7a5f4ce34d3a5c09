//! AITER: weights and scales in the order that matrix instructions load them.

use super::array::Array;
use std::convert::Infallible;

/// Tiles of 16 rows; of each 32 columns runs of 16 bytes.
fn shuffle_weight(codes: &[u32], dims: &[i64], width: usize) -> Vec<u8> {
    let array = Array::of(codes, dims);
    let [n, k] = [array.dims[0], array.dims[1]];
    let run = 16 / width;
    let view = array.reshape(&[n / 16, 16, k / 32, 32 / run, run]);
    view.permute(&[0, 2, 3, 1, 4]).bytes(width)
}

pub(crate) fn shuffle_weight_16(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(shuffle_weight(codes, dims, 2))
}

pub(crate) fn shuffle_weight_8(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(shuffle_weight(codes, dims, 1))
}

/// Scales, rows padded to 256 and columns to 8 with the scale 1, which is 0x7F.
pub(crate) fn shuffle_scale(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    let [rows, columns] = [dims[0], dims[1]].map(|size| usize::try_from(size).unwrap());
    let [m, s] = [rows.next_multiple_of(256), columns.next_multiple_of(8)];
    let mut padded = Array { dims: vec![m, s], values: vec![0x7F; m * s] };
    for (place, code) in codes.iter().enumerate() {
        padded.values[place / columns * s + place % columns] = *code;
    }
    let view = padded.reshape(&[m / 32, 2, 16, s / 8, 2, 4]);
    Ok(view.permute(&[0, 3, 5, 2, 4, 1]).bytes(1))
}
