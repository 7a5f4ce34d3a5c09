//! What a relayout is, element by element: the measure of every contestant's output.

use anyhow::{Result, ensure};
use tilewright_relayout::Placement;

/// The destination, as the two index maps define it: every element's bits in the slot that the
/// one map gives it, from the slot that the other gives it, and zeros elsewhere.
pub(crate) fn relayout(src: &[u8], from: &Placement, to: &Placement) -> Result<Vec<u8>> {
    let mut dst = vec![0; to.bytes()];
    match (from.element_bits(), to.element_bits()) {
        (8, 8) => whole::<1>(src, &mut dst, from, to)?,
        (16, 16) => whole::<2>(src, &mut dst, from, to)?,
        (32, 32) => whole::<4>(src, &mut dst, from, to)?,
        (64, 64) => whole::<8>(src, &mut dst, from, to)?,
        (128, 128) => whole::<16>(src, &mut dst, from, to)?,
        (from_bits, to_bits) => {
            let width = from_bits.min(to_bits) as usize;
            let (from_bits, to_bits) = (from_bits as usize, to_bits as usize);
            ensure!(width <= 8 && [from_bits, to_bits].iter().all(|bits| 8 % bits == 0));
            let mask = u8::MAX >> (8 - width);
            each(from, to, |s, d| {
                let (s, d) = (s * from_bits, d * to_bits);
                dst[d / 8] |= (src[s / 8] >> (s % 8) & mask) << (d % 8);
            })?;
        }
    }
    Ok(dst)
}

/// Moves elements of `N` bytes.
fn whole<const N: usize>(
    src: &[u8],
    dst: &mut [u8],
    from: &Placement,
    to: &Placement,
) -> Result<()> {
    let (src, dst) = (src.as_chunks::<N>().0, dst.as_chunks_mut::<N>().0);
    each(from, to, |s, d| dst[d] = src[s])
}

/// Tells of every element which slots it takes, in the source and in the destination.
fn each(from: &Placement, to: &Placement, mut element: impl FnMut(usize, usize)) -> Result<()> {
    let (from, to) = (from.map().rows()?, to.map().rows()?);
    ensure!(from.row_len() == to.row_len() && from.n_rows() == to.n_rows());
    let mut sources = vec![0; from.row_len()];
    let mut targets = vec![0; to.row_len()];
    for row in 0..from.n_rows() {
        from.fill(row, &mut sources);
        to.fill(row, &mut targets);
        for (&source, &target) in sources.iter().zip(&targets) {
            element(usize::try_from(source)?, usize::try_from(target)?);
        }
    }
    Ok(())
}

/// Fills a source with bits that look random and are the same every time.
pub(crate) fn fill(src: &mut [u8], mask: u8) {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for chunk in src.chunks_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let noise = state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes();
        chunk.iter_mut().zip(noise).for_each(|(byte, noise)| *byte = noise & mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::placements;

    fn moved(src: &[u8], from: &str, to: &str) -> Vec<u8> {
        let [from, to] = placements(&[from.parse().unwrap(), to.parse().unwrap()]).unwrap();
        relayout(src, &from, &to).unwrap()
    }

    #[test]
    fn tiles_are_the_documents_own() {
        // The XLA document's picture of f32[3,5] in tiles of 2 x 2; a dot is padding.
        let tiled = moved(b"abcdefghijklmno", "u8[3,5]", "u8[3,5]{1,0:T(2,2)}");
        assert_eq!(tiled.escape_ascii().to_string().replace("\\x00", "."), {
            "abfgcdhie.j.kl..mn..o..."
        });
        assert_eq!(moved(&tiled, "u8[3,5]{1,0:T(2,2)}", "u8[3,5]"), b"abcdefghijklmno");
    }

    #[test]
    fn wider_elements_stay_whole() {
        assert_eq!(moved(b"aabbccdd", "u16[2,2]", "u16[2,2]{0,1}"), b"aaccbbdd");
        assert_eq!(moved(b"aaaabbbb", "f32[2]", "f32[2]"), b"aaaabbbb");
        let (four, turned) = (b"aaaaaaaabbbbbbbbccccccccdddddddd", "f64[2,2]{0,1}");
        assert_eq!(moved(four, "f64[2,2]", turned), b"aaaaaaaaccccccccbbbbbbbbdddddddd");
        assert_eq!(moved(four, "c128[2,1]", "c128[2,1]{0,1}"), four);
    }

    #[test]
    fn bits_fill_a_byte_from_its_low_end() {
        assert_eq!(moved(&[1, 2, 3], "s4[3]", "s4[3]{0:E(4)}"), [0x21, 0x03]);
        assert_eq!(moved(&[0x21, 0x03], "s4[3]{0:E(4)}", "s4[3]"), [1, 2, 3]);
        assert_eq!(moved(&[1, 0, 1], "pred[3]", "pred[3]{0:E(1)}"), [0b101]);
    }

    #[test]
    fn a_source_holds_values_of_its_type() {
        let mut src = vec![0; 1003];
        fill(&mut src, 0x0f);
        assert!(src.iter().all(|&byte| byte < 16));
        assert!((0..16).all(|value| src.contains(&value)));
    }
}
