//! GPTQ and AWQ: codes along K or N in words of 32 bits.

use super::array::Array;
use std::convert::Infallible;

/// Neighbours along K in one word, words in row-major order.
fn along_k(codes: &[u32], dims: &[i64], bits: usize) -> Vec<u8> {
    let array = Array::of(codes, dims);
    let [k, n] = [array.dims[0], array.dims[1]];
    let mut words = vec![0u32; k * bits / 32 * n];
    for row in 0..k {
        for column in 0..n {
            let word = row * bits / 32;
            words[word * n + column] |= array.values[row * n + column] << (row * bits % 32);
        }
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(crate) fn gptq_2(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(along_k(codes, dims, 2))
}

pub(crate) fn gptq_4(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(along_k(codes, dims, 4))
}

pub(crate) fn gptq_8(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    Ok(along_k(codes, dims, 8))
}

/// 32 codes of 3 bits in three words: ten, one of which two bits are left; one bit, ten, and one
/// of which a bit is left; two bits and ten.
pub(crate) fn gptq_3(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    let [k, n] = [dims[0], dims[1]].map(|size| usize::try_from(size).unwrap());
    let mut words = vec![0u32; k / 32 * 3 * n];
    for column in 0..n {
        let code = |row: usize| codes[row * n + column];
        for (block, first) in (0..k).step_by(32).enumerate() {
            let mut word =
                |number: usize, bits: u32| words[(3 * block + number) * n + column] |= bits;
            for i in 0..10 {
                word(0, code(first + i) << (3 * i));
                word(1, code(first + 11 + i) << (3 * i + 1));
                word(2, code(first + 22 + i) << (3 * i + 2));
            }
            word(0, code(first + 10) << 30);
            word(1, code(first + 10) >> 2 & 1);
            word(1, code(first + 21) << 31);
            word(2, code(first + 21) >> 1 & 3);
        }
    }
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Nibble `i` of a word has column `order[i]` of its eight.
pub(crate) fn awq_4(codes: &[u32], _: &[i64]) -> Result<Vec<u8>, Infallible> {
    let order = [0, 2, 4, 6, 1, 3, 5, 7];
    let word = |columns: &[u32]| {
        order.iter().enumerate().fold(0u32, |word, (i, from)| word | columns[*from] << (4 * i))
    };
    Ok(codes.chunks(8).flat_map(|columns| word(columns).to_le_bytes()).collect())
}

/// Pairs of each eight dealt out to four, evens before odds, four rows interleaved by 64.
pub(crate) fn awq_v2_4(codes: &[u32], dims: &[i64]) -> Result<Vec<u8>, Infallible> {
    let array = Array::of(codes, dims);
    let [n, k] = [array.dims[0], array.dims[1]];
    let dealt = array.reshape(&[n, k / 32, 4, 4, 2]).permute(&[0, 1, 3, 2, 4]);
    let evens_first = dealt.reshape(&[n, k / 32, 4, 4, 2]).permute(&[0, 1, 2, 4, 3]);
    let rows = evens_first.reshape(&[n / 4, 4, k / 64, 64]).permute(&[0, 2, 1, 3]);
    let halves = rows.values.chunks(4).map(|c| c[0] | c[1] << 4 | c[2] << 8 | c[3] << 12);
    Ok(halves.flat_map(|half| u16::try_from(half).unwrap().to_le_bytes()).collect())
}
