//! Scale factors of block-scaled matrices: tiles that padding completes.

use std::convert::Infallible;

fn pack(
    codes: &[u32],
    dims: &[i64],
    tile: [usize; 2],
    in_tile: impl Fn(usize, usize) -> usize,
) -> Vec<u8> {
    let [rows, columns] = [dims[0], dims[1]].map(|size| usize::try_from(size).unwrap());
    let across = columns.div_ceil(tile[1]);
    let mut bytes = vec![0u8; rows.div_ceil(tile[0]) * across * tile[0] * tile[1]];
    for (place, code) in codes.iter().enumerate() {
        let (row, column) = (place / columns, place % columns);
        let tile_number = row / tile[0] * across + column / tile[1];
        let place = tile_number * tile[0] * tile[1] + in_tile(row % tile[0], column % tile[1]);
        bytes[place] = u8::try_from(*code).unwrap();
    }
    bytes
}

pub(crate) fn sf_128x4(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, [128, 4], |row, column| row % 32 * 16 + row / 32 * 4 + column))
}

pub(crate) fn sf_8x4(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, [8, 4], |row, column| row * 4 + column))
}
