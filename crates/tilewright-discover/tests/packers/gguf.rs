//! ggml's blocks, filled as its reference quantisers do: loops over halves, quarters and groups. Scales are left 0.

use std::convert::Infallible;

use super::Pack;

/// Blocks one behind the other: of `elements` codes each, in `bytes` filled by `fill`.
fn blocks(
    codes: &[u32],
    elements: usize,
    bytes: usize,
    fill: impl Fn(&[u8], &mut [u8]),
) -> Result<Vec<u8>, Infallible> {
    let block = |codes: &[u32]| {
        let codes: Vec<u8> = codes.iter().map(|code| u8::try_from(*code).unwrap()).collect();
        let mut block = vec![0u8; bytes];
        fill(&codes, &mut block);
        block
    };
    Ok(codes.chunks(elements).flat_map(block).collect())
}

/// Halves of 16: `qs[j] = x[j] | x[j + 16] << 4`.
fn halves(codes: &[u8], qs: &mut [u8]) {
    for j in 0..16 {
        qs[j] = codes[j] & 15 | (codes[j + 16] & 15) << 4;
    }
}

/// `qh |= (x[j] >> 4 & 1) << j`, over 32 codes and four bytes.
fn fifth_bits(codes: &[u8], qh: &mut [u8]) {
    let mut word = 0u32;
    for (j, code) in codes.iter().enumerate() {
        word |= u32::from(code >> 4 & 1) << j;
    }
    qh.copy_from_slice(&word.to_le_bytes());
}

/// Groups of 128 in 32 bytes: `qs[l] = x[l] | x[l + 32] << 2 | x[l + 64] << 4 | x[l + 96] << 6`.
fn quarters(codes: &[u8], qs: &mut [u8]) {
    for (group, out) in codes.chunks(128).zip(qs.chunks_mut(32)) {
        for l in 0..32 {
            out[l] = group[l] & 3
                | (group[l + 32] & 3) << 2
                | (group[l + 64] & 3) << 4
                | (group[l + 96] & 3) << 6;
        }
    }
}

/// Groups of 64 in 32 bytes: `qs[l] = x[l] | x[l + 32] << 4`.
fn pairs_of_32(codes: &[u8], qs: &mut [u8]) {
    for (group, out) in codes.chunks(64).zip(qs.chunks_mut(32)) {
        for l in 0..32 {
            out[l] = group[l] & 15 | (group[l + 32] & 15) << 4;
        }
    }
}

/// One bit of each code, `hmask[l] |= m` with `m` twice as large after every 32 codes.
fn mask_of_bits(codes: &[u8], bit: u32, hmask: &mut [u8]) {
    for (n, group) in codes.chunks(32).enumerate() {
        for (l, code) in group.iter().enumerate() {
            hmask[l] |= (code >> bit & 1) << n;
        }
    }
}

/// Q6_K: of each 128 codes 64 bytes of low nibbles and 32 of high pairs.
fn six_bits(codes: &[u8], block: &mut [u8]) {
    let (ql, qh) = block.split_at_mut(128);
    for (n, x) in codes.chunks(128).enumerate() {
        for l in 0..32 {
            ql[64 * n + l] = x[l] & 15 | (x[l + 64] & 15) << 4;
            ql[64 * n + l + 32] = x[l + 32] & 15 | (x[l + 96] & 15) << 4;
            qh[32 * n + l] =
                x[l] >> 4 | x[l + 32] >> 4 << 2 | x[l + 64] >> 4 << 4 | x[l + 96] >> 4 << 6;
        }
    }
}

/// A type's name, the bits of a code, and how it is packed.
pub(crate) const TYPES: &[(&str, u32, Pack)] = &[
    ("Q4_0", 4, |c, _| blocks(c, 32, 18, |x, b| halves(x, &mut b[2..]))),
    ("IQ4_NL", 4, |c, _| blocks(c, 32, 18, |x, b| halves(x, &mut b[2..]))),
    ("Q4_1", 4, |c, _| blocks(c, 32, 20, |x, b| halves(x, &mut b[4..]))),
    ("MXFP4", 4, |c, _| blocks(c, 32, 17, |x, b| halves(x, &mut b[1..]))),
    ("Q5_0", 5, |c, _| {
        blocks(c, 32, 22, |x, b| {
            fifth_bits(x, &mut b[2..6]);
            halves(x, &mut b[6..]);
        })
    }),
    ("Q5_1", 5, |c, _| {
        blocks(c, 32, 24, |x, b| {
            fifth_bits(x, &mut b[4..8]);
            halves(x, &mut b[8..]);
        })
    }),
    ("Q8_0", 8, |c, _| blocks(c, 32, 34, |x, b| b[2..].copy_from_slice(x))),
    ("Q2_K", 2, |c, _| blocks(c, 256, 84, |x, b| quarters(x, &mut b[16..80]))),
    ("Q3_K", 3, |c, _| {
        blocks(c, 256, 110, |x, b| {
            mask_of_bits(x, 2, &mut b[..32]);
            quarters(x, &mut b[32..96]);
        })
    }),
    ("Q4_K", 4, |c, _| blocks(c, 256, 144, |x, b| pairs_of_32(x, &mut b[16..]))),
    ("Q5_K", 5, |c, _| {
        blocks(c, 256, 176, |x, b| {
            mask_of_bits(x, 4, &mut b[16..48]);
            pairs_of_32(x, &mut b[48..]);
        })
    }),
    ("Q6_K", 6, |c, _| blocks(c, 256, 210, six_bits)),
    ("TQ2_0", 2, |c, _| blocks(c, 256, 66, |x, b| quarters(x, &mut b[..64]))),
    ("IQ4_XS", 4, |c, _| {
        blocks(c, 256, 136, |x, b| {
            x.chunks(32).zip(b[8..].chunks_mut(16)).for_each(|(x, qs)| halves(x, qs));
        })
    }),
    ("NVFP4", 4, |c, _| {
        blocks(c, 64, 36, |x, b| {
            for (x, qs) in x.chunks(16).zip(b[4..].chunks_mut(8)) {
                for j in 0..8 {
                    qs[j] = x[j] | x[j + 8] << 4;
                }
            }
        })
    }),
    ("Q1_0", 1, |c, _| {
        blocks(c, 128, 18, |x, b| {
            for (j, code) in x.iter().enumerate() {
                b[2 + j / 8] |= code << (j % 8);
            }
        })
    }),
];
