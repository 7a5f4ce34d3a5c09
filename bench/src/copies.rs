//! What everything is compared with: plain copies, and reading alone.

use std::arch::x86_64::{
    __m256i, _mm_sfence, _mm256_add_epi64, _mm256_loadu_si256, _mm256_setzero_si256,
    _mm256_store_si256, _mm256_stream_si256,
};
use std::hint::black_box;

/// The bytes of one AVX2 register.
const LANE: usize = size_of::<__m256i>();

/// The bytes that one turn of a loop moves or reads: four registers, two cache lines.
const TURN: usize = 4 * LANE;

/// How bytes are copied.
pub(crate) type Copy = fn(&[u8], &mut [u8]);

/// The C library's `memcpy`, which chooses its stores by the size.
pub(crate) fn memcpy(src: &[u8], dst: &mut [u8]) {
    black_box(dst).copy_from_slice(black_box(src));
}

/// A copy with streaming (non-temporal) stores, which do not read what they overwrite; where the
/// processor has no AVX2, `memcpy`.
pub(crate) fn streaming(src: &[u8], dst: &mut [u8]) {
    if !is_x86_feature_detected!("avx2") {
        return memcpy(src, dst);
    }
    // SAFETY: the processor has AVX2.
    unsafe { streaming_avx2(src, dst) }
}

#[target_feature(enable = "avx2")]
fn streaming_avx2(src: &[u8], dst: &mut [u8]) {
    let head = dst.as_ptr().align_offset(LANE).min(dst.len());
    let (src_head, src) = src.split_at(head);
    let (dst_head, dst) = dst.split_at_mut(head);
    dst_head.copy_from_slice(src_head);
    let mut from = src.chunks_exact(TURN);
    let mut to = dst.chunks_exact_mut(TURN);
    for (from, to) in from.by_ref().zip(to.by_ref()) {
        for at in (0..TURN).step_by(LANE) {
            // SAFETY: both chunks have TURN bytes and `at + LANE <= TURN`; the destination is
            // aligned to LANE, since its head was split off and TURN is a multiple of LANE.
            unsafe {
                let lane = _mm256_loadu_si256(from.as_ptr().add(at).cast());
                _mm256_stream_si256(to.as_mut_ptr().add(at).cast(), lane);
            }
        }
    }
    to.into_remainder().copy_from_slice(from.remainder());
    // Streaming stores may pass later ones; whoever is told that the copy is done must see it.
    _mm_sfence();
}

/// Reads every byte and does next to nothing with it: a sum, so that none can be left out.
pub(crate) fn read(src: &[u8]) -> u64 {
    if !is_x86_feature_detected!("avx2") {
        let (words, rest) = src.as_chunks();
        let sum = words.iter().fold(0u64, |sum, &word| sum.wrapping_add(u64::from_le_bytes(word)));
        return rest.iter().fold(sum, |sum, &byte| sum.wrapping_add(byte.into()));
    }
    // SAFETY: the processor has AVX2.
    unsafe { read_avx2(src) }
}

#[target_feature(enable = "avx2")]
fn read_avx2(src: &[u8]) -> u64 {
    let mut sums = [_mm256_setzero_si256(); TURN / LANE];
    let turns = src.chunks_exact(TURN);
    let mut total = turns.remainder().iter().fold(0u64, |sum, &byte| sum + u64::from(byte));
    for turn in turns {
        for (number, sum) in sums.iter_mut().enumerate() {
            // SAFETY: the chunk has TURN bytes, and there are TURN / LANE sums.
            let lane = unsafe { _mm256_loadu_si256(turn.as_ptr().add(number * LANE).cast()) };
            *sum = _mm256_add_epi64(*sum, lane);
        }
    }
    for sum in sums {
        let mut words = Words([0; LANE / 8]);
        // SAFETY: `words` has the size and the alignment of a register.
        unsafe { _mm256_store_si256((&raw mut words).cast(), sum) };
        total = words.0.iter().fold(total, |total, word| total.wrapping_add(*word));
    }
    total
}

#[repr(align(32))]
struct Words([u64; LANE / 8]);

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|at| (at * 7 + at / 256) as u8).collect()
    }

    #[test]
    fn copies_are_copies_whatever_the_alignment() {
        for (skip, len) in [(0, 1 << 14), (1, 4099), (31, 127), (5, 3), (3, 128), (0, 0)] {
            let src = bytes(skip + len);
            for copy in [memcpy as Copy, streaming] {
                let mut dst = vec![0; skip + len];
                copy(&src[skip..], &mut dst[skip..]);
                assert_eq!(dst[skip..], src[skip..], "{skip} {len}");
            }
        }
    }

    #[test]
    fn reading_sees_every_byte() {
        let src = vec![0u8; 1000];
        let sum = read(&src);
        for at in 0..src.len() {
            let mut other = src.clone();
            other[at] = 1;
            assert_ne!(read(&other), sum, "byte {at}");
        }
    }
}
