//! Memory filled in order: oneDNN's blocks as nested loops over memory, and aten's nibbles.

use std::convert::Infallible;

use super::Pack;

/// A tag of oneDNN's, `aBdC16b2c`: outer dimensions, then blocks, each with its dimension.
pub(crate) struct Tag {
    outer: Vec<usize>,
    blocks: Vec<(usize, usize)>,
}

impl Tag {
    pub(crate) fn of(text: &str) -> Tag {
        let number = |letter: char| letter.to_ascii_lowercase() as usize - 'a' as usize;
        let letters: Vec<char> = text.chars().take_while(char::is_ascii_alphabetic).collect();
        let mut blocks = Vec::new();
        let mut size = 0;
        for c in text.chars().skip(letters.len()) {
            match c.to_digit(10) {
                Some(digit) => size = 10 * size + digit as usize,
                None => blocks.push((std::mem::take(&mut size), number(c))),
            }
        }
        Tag { outer: letters.into_iter().map(number).collect(), blocks }
    }

    /// Walks through memory: what comes next is the next index, or padding.
    pub(crate) fn pack(&self, codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
        let dims: Vec<usize> = dims.iter().map(|dim| usize::try_from(*dim).unwrap()).collect();
        let mut loops: Vec<(usize, usize, usize)> = Vec::new();
        let mut inside = vec![1; dims.len()];
        for &(size, dim) in self.blocks.iter().rev() {
            loops.insert(0, (dim, size, inside[dim]));
            inside[dim] *= size;
        }
        for &dim in self.outer.iter().rev() {
            loops.insert(0, (dim, dims[dim].div_ceil(inside[dim]), inside[dim]));
        }
        let mut indices = vec![vec![0; dims.len()]];
        for (dim, extent, step) in loops {
            let further = |index: Vec<usize>| {
                (0..extent).map(move |i| {
                    let mut index = index.clone();
                    index[dim] += i * step;
                    index
                })
            };
            indices = indices.into_iter().flat_map(further).collect();
        }
        let code = |index: Vec<usize>| {
            let is_inside = index.iter().zip(&dims).all(|(i, dim)| i < dim);
            let number = index.iter().zip(&dims).fold(0, |number, (i, dim)| number * dim + i);
            if is_inside { u8::try_from(codes[number]).unwrap() } else { 0 }
        };
        Ok(indices.into_iter().map(code).collect())
    }
}

/// aten's int4 weights for the CPU, by steps of so many rows: the second half of a step's rows is in high nibbles.
fn int4_for_cpu(codes: &[u32], dims: &[i64], rows: usize) -> Vec<u8> {
    let [n, k] = [dims[0], dims[1]].map(|size| usize::try_from(size).unwrap());
    let mut bytes = Vec::new();
    for step in (0..n).step_by(rows) {
        for column in 0..k {
            for row in step..step + rows / 2 {
                let [low, high] = [row, row + rows / 2].map(|row| codes[row * k + column]);
                bytes.push(u8::try_from(low | high << 4).unwrap());
            }
        }
    }
    bytes
}

pub(crate) const TINYGEMM_AVX2: Pack = |codes, dims| Ok(int4_for_cpu(codes, dims, 32));
pub(crate) const TINYGEMM_AVX512: Pack = |codes, dims| Ok(int4_for_cpu(codes, dims, 64));
