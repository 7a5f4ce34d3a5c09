//! The registers of 64-bit Arm: NEON, which all of them have.
//!
//! Soundness of every block: the caller of a method promises that memory can be reached as the
//! method's contract says; what is called needs no more.

use std::arch::aarch64::*;

use super::register::Register;

/// 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon(uint8x16_t);

/// Calls an instruction of pairs of 8-, 16-, 32- or 64-bit lanes on registers of bytes.
macro_rules! on_lanes {
    ($n:expr, $a:expr, $b:expr, $u8:ident, $u16:ident, $u32:ident, $u64:ident) => {
        match $n {
            1 => $u8($a, $b),
            2 => vreinterpretq_u8_u16($u16(vreinterpretq_u16_u8($a), vreinterpretq_u16_u8($b))),
            4 => vreinterpretq_u8_u32($u32(vreinterpretq_u32_u8($a), vreinterpretq_u32_u8($b))),
            _ => vreinterpretq_u8_u64($u64(vreinterpretq_u64_u8($a), vreinterpretq_u64_u8($b))),
        }
    };
}

impl Register for Neon {
    const BYTES: usize = 16;
    type Half = Neon;
    type Lane = Neon;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: see the top of the file.
        Neon(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    unsafe fn lane(self, _number: usize) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: see the top of the file.
        unsafe { vst1q_u8(to, self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: what streaming requires includes what storing does.
        unsafe { self.store(to) }
    }

    #[inline(always)]
    unsafe fn zip_lanes<const N: usize>(self, other: Self) -> (Self, Self) {
        if N >= 16 {
            return (self, other);
        }
        let (a, b) = (self.0, other.0);
        // SAFETY: see the top of the file.
        unsafe {
            let low = on_lanes!(N, a, b, vzip1q_u8, vzip1q_u16, vzip1q_u32, vzip1q_u64);
            (Neon(low), Neon(on_lanes!(N, a, b, vzip2q_u8, vzip2q_u16, vzip2q_u32, vzip2q_u64)))
        }
    }

    #[inline(always)]
    unsafe fn shuffle(self, order: Self) -> Self {
        // SAFETY: see the top of the file.
        Neon(unsafe { vqtbl1q_u8(self.0, order.0) })
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Neon(unsafe { vorrq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn exchange(self, other: Self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let (up, down) = (vdupq_n_s64(shift as i64), vdupq_n_s64(-(shift as i64)));
            let shifted = |register: uint8x16_t, by| {
                vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(register), by))
            };
            let changed = vandq_u8(veorq_u8(shifted(self.0, down), other.0), lower.0);
            (Neon(veorq_u8(self.0, shifted(changed, up))), Neon(veorq_u8(other.0, changed)))
        }
    }

    #[inline(always)]
    unsafe fn merged(self, other: Self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let upper = vshlq_u64(vreinterpretq_u64_u8(other.0), vdupq_n_s64(shift as i64));
            Neon(vbslq_u8(lower.0, self.0, vreinterpretq_u8_u64(upper)))
        }
    }

    #[inline(always)]
    unsafe fn spread(self, lower: Self, shift: usize) -> (Self, Self) {
        // SAFETY: see the top of the file.
        unsafe {
            let down = vdupq_n_s64(-(shift as i64));
            let upper = vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(self.0), down));
            (Neon(vandq_u8(self.0, lower.0)), Neon(vandq_u8(upper, lower.0)))
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: see the top of the file.
        Neon(unsafe { vandq_u8(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn swap_bits(self, lower: Self, shift: usize) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let (up, down) = (vdupq_n_s64(shift as i64), vdupq_n_s64(-(shift as i64)));
            let shifted = |register: uint8x16_t, by| {
                vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(register), by))
            };
            let changed = vandq_u8(veorq_u8(shifted(self.0, down), self.0), lower.0);
            Neon(veorq_u8(self.0, veorq_u8(changed, shifted(changed, up))))
        }
    }

    #[inline(always)]
    unsafe fn repeat(bytes: &[u8; 16]) -> Self {
        // SAFETY: see the top of the file.
        Neon(unsafe { vld1q_u8(bytes.as_ptr()) })
    }

    #[inline(always)]
    unsafe fn turn(self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let (left, right) = (bits as i64, bits as i64 - 64);
            let shifted = |by| vshlq_u64(vreinterpretq_u64_u8(self.0), vdupq_n_s64(by));
            Neon(vreinterpretq_u8_u64(vorrq_u64(shifted(left), shifted(right))))
        }
    }

    #[inline(always)]
    unsafe fn funnel(self, next: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let low = vshlq_u64(vreinterpretq_u64_u8(self.0), vdupq_n_s64(-(bits as i64)));
            let high = vshlq_u64(vreinterpretq_u64_u8(next.0), vdupq_n_s64(64 - bits as i64));
            Neon(vreinterpretq_u8_u64(vorrq_u64(low, high)))
        }
    }

    #[inline(always)]
    unsafe fn down_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let by = vnegq_s64(vreinterpretq_s64_u8(by.0));
            Neon(vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(self.0), by)))
        }
    }

    #[inline(always)]
    unsafe fn up_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let by = vreinterpretq_s64_u8(by.0);
            Neon(vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(self.0), by)))
        }
    }

    #[inline(always)]
    unsafe fn funnel_each(self, next: Self, by: Self) -> Self {
        // SAFETY: see the top of the file; what is shifted by 64 bits is nothing.
        unsafe {
            let above = vsubq_s64(vdupq_n_s64(64), vreinterpretq_s64_u8(by.0));
            self.down_each(by).or(next.up_each(Neon(vreinterpretq_u8_s64(above))))
        }
    }

    #[inline(always)]
    unsafe fn carried_each(self, by: Self) -> Self {
        // SAFETY: see the top of the file; what is shifted by 64 bits is nothing.
        unsafe {
            let below = vsubq_s64(vdupq_n_s64(64), vreinterpretq_s64_u8(by.0));
            self.down_each(Neon(vreinterpretq_u8_s64(below)))
        }
    }

    #[inline(always)]
    unsafe fn merge_up(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = vshlq_u64(vreinterpretq_u64_u8(self.0), vdupq_n_s64(bits as i64));
            Neon(vbslq_u8(mask.0, vreinterpretq_u8_u64(moved), self.0))
        }
    }

    #[inline(always)]
    unsafe fn merge_down(self, mask: Self, bits: u64) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let moved = vshlq_u64(vreinterpretq_u64_u8(self.0), vdupq_n_s64(-(bits as i64)));
            Neon(vbslq_u8(mask.0, vreinterpretq_u8_u64(moved), self.0))
        }
    }
}
