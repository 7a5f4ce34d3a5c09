//! cuBLASLt's orders for 8-bit matrices: columns in groups of 32, then bits of row and column.

use std::convert::Infallible;

/// Puts every element of the matrix to the place in its group of 32 columns.
fn pack(codes: &[u32], dims: &[i64], in_group: impl Fn(usize, usize) -> usize) -> Vec<u8> {
    let [rows, columns] = [dims[0], dims[1]].map(|size| usize::try_from(size).unwrap());
    let groups = columns.div_ceil(32);
    let mut bytes = vec![0u8; groups * 32 * rows];
    for row in 0..rows {
        for column in 0..columns {
            let place = (column >> 5) * 32 * rows + in_group(row, column);
            bytes[place] = u8::try_from(codes[row * columns + column]).unwrap();
        }
    }
    bytes
}

pub(crate) fn col32(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, |row, column| (row << 5) + (column & 31)))
}

pub(crate) fn col4_4r2_8c(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, |row, column| {
        let half = if column & 7 >= 4 { 4 } else { 0 };
        ((((row >> 3) << 3) + ((row & 1) << 2) + ((column & 31) >> 3)) << 5)
            + ((half + ((row & 7) >> 1)) << 2)
            + (column & 3)
    }))
}

pub(crate) fn col32_2r_4r4(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(pack(codes, dims, |row, column| {
        let r = row & 31;
        ((row >> 5) << 10)
            + ((((((r & 7) >> 1) << 2) + (r >> 3)) * 2 + (r & 1)) << 5)
            + (column & 31)
    }))
}
