//! The registers of x86: SSE, AVX2, AVX-512.
//!
//! Soundness of every block: the caller of a method promises that the processor has the registers,
//! and that memory can be reached as the method's contract says; what is called needs no more.

use std::arch::x86_64::*;

use super::register::Register;

/// 16 bytes: SSE4.1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sse(__m128i);

/// 32 bytes: AVX2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(__m256i);

/// 64 bytes: AVX-512 F, BW, VL, VBMI and VBMI2, and GFNI.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(__m512i);

impl Register for Sse {
    const BYTES: usize = 16;
    const HAS_HINTS: bool = true;
    type Half = Sse;
    type Lane = Sse;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: see the top of the file.
        Sse(unsafe { _mm_loadu_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn lane(self, _number: usize) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: see the top of the file.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: see the top of the file; `to` is a multiple of 16.
        unsafe { _mm_stream_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn zip_lanes<const N: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        // SAFETY: see the top of the file.
        unsafe {
            match N {
                1 => (Sse(_mm_unpacklo_epi8(a, b)), Sse(_mm_unpackhi_epi8(a, b))),
                2 => (Sse(_mm_unpacklo_epi16(a, b)), Sse(_mm_unpackhi_epi16(a, b))),
                4 => (Sse(_mm_unpacklo_epi32(a, b)), Sse(_mm_unpackhi_epi32(a, b))),
                8 => (Sse(_mm_unpacklo_epi64(a, b)), Sse(_mm_unpackhi_epi64(a, b))),
                _ => (self, other),
            }
        }
    }

    #[inline(always)]
    unsafe fn shuffle(self, order: Self) -> Self {
        // SAFETY: see the top of the file.
        Sse(unsafe { _mm_shuffle_epi8(self.0, order.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Sse(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn exchange(self, other: Self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let by = _mm_cvtsi64_si128(shift as i64);
            let differ = _mm_xor_si128(_mm_srl_epi64(self.0, by), other.0);
            let changed = _mm_and_si128(differ, lower.0);
            let first = _mm_xor_si128(self.0, _mm_sll_epi64(changed, by));
            (Sse(first), Sse(_mm_xor_si128(other.0, changed)))
        }
    }

    #[inline(always)]
    unsafe fn merged(self, other: Self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let upper = _mm_sll_epi64(other.0, _mm_cvtsi64_si128(shift as i64));
            let (kept, put) = (_mm_and_si128(lower.0, self.0), _mm_andnot_si128(lower.0, upper));
            Sse(_mm_or_si128(kept, put))
        }
    }

    #[inline(always)]
    unsafe fn spread(self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let upper = _mm_srl_epi64(self.0, _mm_cvtsi64_si128(shift as i64));
            (Sse(_mm_and_si128(self.0, lower.0)), Sse(_mm_and_si128(upper, lower.0)))
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Sse(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn swap_bits(self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let by = _mm_cvtsi64_si128(shift as i64);
            let differ = _mm_xor_si128(_mm_srl_epi64(self.0, by), self.0);
            let changed = _mm_and_si128(differ, lower.0);
            let both = _mm_xor_si128(changed, _mm_sll_epi64(changed, by));
            Sse(_mm_xor_si128(self.0, both))
        }
    }

    #[inline(always)]
    unsafe fn repeat(bytes: &[u8; 16]) -> Self {
        // SAFETY: see the top of the file.
        Sse(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    unsafe fn turn(self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let (left, right) = (bits as i64, 64 - bits as i64);
            let up = _mm_sll_epi64(self.0, _mm_cvtsi64_si128(left));
            Sse(_mm_or_si128(up, _mm_srl_epi64(self.0, _mm_cvtsi64_si128(right))))
        }
    }

    #[inline(always)]
    unsafe fn funnel(self, next: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let low = _mm_srl_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            let high = _mm_sll_epi64(next.0, _mm_cvtsi64_si128(64 - bits as i64));
            Sse(_mm_or_si128(low, high))
        }
    }

    #[inline(always)]
    unsafe fn down_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let low = _mm_srl_epi64(self.0, by.0);
            let high = _mm_srl_epi64(self.0, _mm_unpackhi_epi64(by.0, by.0));
            Sse(_mm_blend_epi16::<0xf0>(low, high))
        }
    }

    #[inline(always)]
    unsafe fn up_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let low = _mm_sll_epi64(self.0, by.0);
            let high = _mm_sll_epi64(self.0, _mm_unpackhi_epi64(by.0, by.0));
            Sse(_mm_blend_epi16::<0xf0>(low, high))
        }
    }

    #[inline(always)]
    unsafe fn funnel_each(self, next: Self, by: Self) -> Self {
        // SAFETY: see the top of the file; what is shifted by 64 bits is nothing.
        unsafe {
            let above = Sse(_mm_sub_epi64(_mm_set1_epi64x(64), by.0));
            self.down_each(by).or(next.up_each(above))
        }
    }

    #[inline(always)]
    unsafe fn carried_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file; what is shifted by 64 bits is nothing.
        unsafe { self.down_each(Sse(_mm_sub_epi64(_mm_set1_epi64x(64), by.0))) }
    }

    #[inline(always)]
    unsafe fn merge_up(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = _mm_sll_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            Sse(_mm_or_si128(_mm_and_si128(mask.0, moved), _mm_andnot_si128(mask.0, self.0)))
        }
    }

    #[inline(always)]
    unsafe fn merge_down(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = _mm_srl_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            Sse(_mm_or_si128(_mm_and_si128(mask.0, moved), _mm_andnot_si128(mask.0, self.0)))
        }
    }
}

/// The 4-byte numbers of a register whose halves stay or are exchanged.
static FLIPPED_HALVES: [[u32; 8]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]];

/// The 8-byte numbers of a register in whose lane `k` is lane `k ^ by`.
static FLIPPED_QUARTERS: [[u64; 8]; 4] = [
    [0, 1, 2, 3, 4, 5, 6, 7],
    [2, 3, 0, 1, 6, 7, 4, 5],
    [4, 5, 6, 7, 0, 1, 2, 3],
    [6, 7, 4, 5, 2, 3, 0, 1],
];

impl Register for Avx2 {
    const BYTES: usize = 32;
    const HAS_HINTS: bool = true;
    type Half = Sse;
    type Lane = Sse;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: see the top of the file.
        Avx2(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_lanes(at: *const u8, distances: &[i64], step: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let low = _mm256_castsi128_si256(Sse::load_lanes(at, distances, step).0);
            let high = Sse::load_lanes(at, &distances[step..], step).0;
            Avx2(_mm256_inserti128_si256::<1>(low, high))
        }
    }

    #[inline(always)]
    unsafe fn lane(self, number: usize) -> Sse {
        // SAFETY: see the top of the file.
        unsafe {
            match number {
                0 => Sse(_mm256_castsi256_si128(self.0)),
                _ => Sse(_mm256_extracti128_si256::<1>(self.0)),
            }
        }
    }

    #[inline(always)]
    unsafe fn zip_lanes<const N: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        // SAFETY: see the top of the file.
        unsafe {
            match N {
                1 => (Avx2(_mm256_unpacklo_epi8(a, b)), Avx2(_mm256_unpackhi_epi8(a, b))),
                2 => (Avx2(_mm256_unpacklo_epi16(a, b)), Avx2(_mm256_unpackhi_epi16(a, b))),
                4 => (Avx2(_mm256_unpacklo_epi32(a, b)), Avx2(_mm256_unpackhi_epi32(a, b))),
                8 => (Avx2(_mm256_unpacklo_epi64(a, b)), Avx2(_mm256_unpackhi_epi64(a, b))),
                _ => (self, other),
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: see the top of the file.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: see the top of the file; `to` is a multiple of 32.
        unsafe { _mm256_stream_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn shuffle(self, order: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx2(unsafe { _mm256_shuffle_epi8(self.0, order.0) })
    }

    #[inline(always)]
    unsafe fn with_lanes_flipped(self, by: usize) -> Self {
        // SAFETY: see the top of the file; an order has 32 bytes.
        unsafe {
            let order = _mm256_loadu_si256(FLIPPED_HALVES[by % 2].as_ptr().cast());
            Avx2(_mm256_permutevar8x32_epi32(self.0, order))
        }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx2(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn exchange(self, other: Self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let by = _mm_cvtsi64_si128(shift as i64);
            let differ = _mm256_xor_si256(_mm256_srl_epi64(self.0, by), other.0);
            let changed = _mm256_and_si256(differ, lower.0);
            let first = _mm256_xor_si256(self.0, _mm256_sll_epi64(changed, by));
            (Avx2(first), Avx2(_mm256_xor_si256(other.0, changed)))
        }
    }

    #[inline(always)]
    unsafe fn swap_lanes(self, other: Self) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let even = _mm256_permute2x128_si256::<0x20>(self.0, other.0);
            (Avx2(even), Avx2(_mm256_permute2x128_si256::<0x31>(self.0, other.0)))
        }
    }

    #[inline(always)]
    unsafe fn merged(self, other: Self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let upper = _mm256_sll_epi64(other.0, _mm_cvtsi64_si128(shift as i64));
            let (kept, put) =
                (_mm256_and_si256(lower.0, self.0), _mm256_andnot_si256(lower.0, upper));
            Avx2(_mm256_or_si256(kept, put))
        }
    }

    #[inline(always)]
    unsafe fn spread(self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let upper = _mm256_srl_epi64(self.0, _mm_cvtsi64_si128(shift as i64));
            (Avx2(_mm256_and_si256(self.0, lower.0)), Avx2(_mm256_and_si256(upper, lower.0)))
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx2(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn swap_bits(self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let by = _mm_cvtsi64_si128(shift as i64);
            let differ = _mm256_xor_si256(_mm256_srl_epi64(self.0, by), self.0);
            let changed = _mm256_and_si256(differ, lower.0);
            let both = _mm256_xor_si256(changed, _mm256_sll_epi64(changed, by));
            Avx2(_mm256_xor_si256(self.0, both))
        }
    }

    #[inline(always)]
    unsafe fn repeat(bytes: &[u8; 16]) -> Self {
        // SAFETY: see the top of the file.
        Avx2(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(bytes.as_ptr().cast())) })
    }

    #[inline(always)]
    unsafe fn turn(self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let (left, right) = (bits as i64, 64 - bits as i64);
            let up = _mm256_sll_epi64(self.0, _mm_cvtsi64_si128(left));
            Avx2(_mm256_or_si256(up, _mm256_srl_epi64(self.0, _mm_cvtsi64_si128(right))))
        }
    }

    #[inline(always)]
    unsafe fn funnel(self, next: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let low = _mm256_srl_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            let high = _mm256_sll_epi64(next.0, _mm_cvtsi64_si128(64 - bits as i64));
            Avx2(_mm256_or_si256(low, high))
        }
    }

    #[inline(always)]
    unsafe fn down_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Avx2(_mm256_srlv_epi64(self.0, by.0)) }
    }

    #[inline(always)]
    unsafe fn up_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Avx2(_mm256_sllv_epi64(self.0, by.0)) }
    }

    #[inline(always)]
    unsafe fn funnel_each(self, next: Self, by: Self) -> Self {
        // SAFETY: see the top of the file; what is shifted by 64 bits is nothing.
        unsafe {
            let above = Avx2(_mm256_sub_epi64(_mm256_set1_epi64x(64), by.0));
            self.down_each(by).or(next.up_each(above))
        }
    }

    #[inline(always)]
    unsafe fn carried_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file; what is shifted by 64 bits is nothing.
        unsafe { self.down_each(Avx2(_mm256_sub_epi64(_mm256_set1_epi64x(64), by.0))) }
    }

    #[inline(always)]
    unsafe fn merge_up(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = _mm256_sll_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            Avx2(_mm256_or_si256(
                _mm256_and_si256(mask.0, moved),
                _mm256_andnot_si256(mask.0, self.0),
            ))
        }
    }

    #[inline(always)]
    unsafe fn merge_down(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = _mm256_srl_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            Avx2(_mm256_or_si256(
                _mm256_and_si256(mask.0, moved),
                _mm256_andnot_si256(mask.0, self.0),
            ))
        }
    }
}

/// The 8-byte numbers of the even lanes of two registers in turn, and of the odd ones.
static EVEN_LANES: [u64; 8] = [0, 1, 8, 9, 4, 5, 12, 13];
static ODD_LANES: [u64; 8] = [2, 3, 10, 11, 6, 7, 14, 15];

impl Register for Avx512 {
    const BYTES: usize = 64;
    const HAS_HINTS: bool = true;
    type Half = Avx2;
    type Lane = Sse;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_lanes(at: *const u8, distances: &[i64], step: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let low = _mm512_castsi256_si512(Avx2::load_lanes(at, distances, step).0);
            let high = Avx2::load_lanes(at, &distances[2 * step..], step).0;
            Avx512(_mm512_inserti64x4::<1>(low, high))
        }
    }

    #[inline(always)]
    unsafe fn lane(self, number: usize) -> Sse {
        // SAFETY: see the top of the file.
        unsafe {
            match number {
                0 => Sse(_mm512_castsi512_si128(self.0)),
                1 => Sse(_mm512_extracti32x4_epi32::<1>(self.0)),
                2 => Sse(_mm512_extracti32x4_epi32::<2>(self.0)),
                _ => Sse(_mm512_extracti32x4_epi32::<3>(self.0)),
            }
        }
    }

    #[inline(always)]
    unsafe fn zip_lanes<const N: usize>(self, other: Self) -> (Self, Self) {
        let (a, b) = (self.0, other.0);
        // SAFETY: see the top of the file.
        let (low, high) = unsafe {
            match N {
                1 => (_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)),
                2 => (_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b)),
                4 => (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)),
                8 => (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)),
                _ => (a, b),
            }
        };
        (Avx512(low), Avx512(high))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: see the top of the file.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: see the top of the file; `to` is a multiple of 64.
        unsafe { _mm512_stream_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn shuffle(self, order: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_shuffle_epi8(self.0, order.0) })
    }

    #[inline(always)]
    unsafe fn with_lanes_flipped(self, by: usize) -> Self {
        // SAFETY: see the top of the file; an order has 64 bytes.
        unsafe {
            let order = _mm512_loadu_si512(FLIPPED_QUARTERS[by % 4].as_ptr().cast());
            Avx512(_mm512_permutexvar_epi64(order, self.0))
        }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn exchange(self, other: Self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let by = _mm_cvtsi64_si128(shift as i64);
            let differ = _mm512_xor_si512(_mm512_srl_epi64(self.0, by), other.0);
            let changed = _mm512_and_si512(differ, lower.0);
            let first = _mm512_xor_si512(self.0, _mm512_sll_epi64(changed, by));
            (Avx512(first), Avx512(_mm512_xor_si512(other.0, changed)))
        }
    }

    #[inline(always)]
    unsafe fn swap_lanes(self, other: Self) -> (Self, Self) {
        // SAFETY: see the top of the file; an order has 64 bytes.
        unsafe {
            let order = |of: &[u64; 8]| _mm512_loadu_si512(of.as_ptr().cast());
            let even = _mm512_permutex2var_epi64(self.0, order(&EVEN_LANES), other.0);
            let odd = _mm512_permutex2var_epi64(self.0, order(&ODD_LANES), other.0);
            (Avx512(even), Avx512(odd))
        }
    }

    #[inline(always)]
    unsafe fn swap_halves(self, other: Self) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let low = _mm512_shuffle_i64x2::<0x44>(self.0, other.0);
            (Avx512(low), Avx512(_mm512_shuffle_i64x2::<0xee>(self.0, other.0)))
        }
    }

    #[inline(always)]
    unsafe fn merged(self, other: Self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let upper = _mm512_sll_epi64(other.0, _mm_cvtsi64_si128(shift as i64));
            Avx512(_mm512_ternarylogic_epi64::<0xca>(lower.0, self.0, upper))
        }
    }

    #[inline(always)]
    unsafe fn spread(self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let upper = _mm512_srl_epi64(self.0, _mm_cvtsi64_si128(shift as i64));
            (Avx512(_mm512_and_si512(self.0, lower.0)), Avx512(_mm512_and_si512(upper, lower.0)))
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn swap_bits(self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let by = _mm_cvtsi64_si128(shift as i64);
            let differ = _mm512_xor_si512(_mm512_srl_epi64(self.0, by), self.0);
            let changed = _mm512_and_si512(differ, lower.0);
            let both = _mm512_xor_si512(changed, _mm512_sll_epi64(changed, by));
            Avx512(_mm512_xor_si512(self.0, both))
        }
    }

    #[inline(always)]
    unsafe fn transpose_bits(self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            // Byte `i` of the result is the product of a byte that has bit `i` alone and the matrix of the bytes, the last of
            // which is its first row.
            let each = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
            let turned = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
            let rows = _mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(turned));
            Avx512(_mm512_gf2p8affine_epi64_epi8::<0>(each, rows))
        }
    }

    #[inline(always)]
    unsafe fn repeat(bytes: &[u8; 16]) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(bytes.as_ptr().cast())) })
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_setzero_si512() })
    }

    #[inline(always)]
    unsafe fn pick(self, order: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_permutexvar_epi8(order.0, self.0) })
    }

    #[inline(always)]
    unsafe fn pick_to(self, other: Self, order: Self, bytes: u64) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_mask_permutexvar_epi8(other.0, bytes, order.0, self.0) })
    }

    #[inline(always)]
    unsafe fn turn(self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_rolv_epi64(self.0, _mm512_set1_epi64(bits as i64)) })
    }

    #[inline(always)]
    unsafe fn funnel(self, next: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Avx512(_mm512_shrdv_epi64(self.0, next.0, _mm512_set1_epi64(bits as i64))) }
    }

    #[inline(always)]
    unsafe fn down_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Avx512(_mm512_srlv_epi64(self.0, by.0)) }
    }

    #[inline(always)]
    unsafe fn up_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Avx512(_mm512_sllv_epi64(self.0, by.0)) }
    }

    #[inline(always)]
    unsafe fn funnel_each(self, next: Self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_shrdv_epi64(self.0, next.0, by.0) })
    }

    #[inline(always)]
    unsafe fn carried_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        Avx512(unsafe { _mm512_shldv_epi64(_mm512_setzero_si512(), self.0, by.0) })
    }

    #[inline(always)]
    unsafe fn merge_up(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = _mm512_sll_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            // A bit of the mask chooses between the two.
            Avx512(_mm512_ternarylogic_epi64::<0xca>(mask.0, moved, self.0))
        }
    }

    #[inline(always)]
    unsafe fn merge_down(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = _mm512_srl_epi64(self.0, _mm_cvtsi64_si128(bits as i64));
            // A bit of the mask chooses between the two.
            Avx512(_mm512_ternarylogic_epi64::<0xca>(mask.0, moved, self.0))
        }
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u8, len: usize) -> Self {
        // SAFETY: see the top of the file; bytes that are not asked for are not touched.
        Avx512(unsafe { _mm512_maskz_loadu_epi8(first(len), from.cast()) })
    }

    #[inline(always)]
    unsafe fn load_joined(before: *const u8, rest: *const u8, len: usize) -> Self {
        let mask = first(len);
        // SAFETY: see the top of the file; bytes that are not asked for are not touched.
        unsafe {
            let before = _mm512_maskz_loadu_epi8(mask, before.cast());
            Avx512(_mm512_mask_loadu_epi8(before, !mask, rest.cast()))
        }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, len: usize) {
        // SAFETY: see the top of the file; other bytes are not touched.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), first(len), self.0) }
    }

    #[inline(always)]
    unsafe fn store_some(self, to: *mut u8, _kept: Self, owned: u64, _len: usize) {
        // SAFETY: see the top of the file; other bytes are not touched.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), owned, self.0) }
    }
}

/// As many bits, from the lowest on.
#[inline(always)]
fn first(len: usize) -> u64 {
    match len {
        0 => 0,
        len => u64::MAX >> (64 - len.min(64)),
    }
}
