//! Registers and bytes from any bit of memory on.

use super::register::Register;

/// The byte of a bit, and how far it is from that.
#[inline(always)]
pub(super) fn place(bit: i64) -> (isize, u64) {
    ((bit >> 3) as isize, (bit & 7) as u64)
}

/// A register from a bit on.
///
/// # Safety
/// The processor has these registers, and their bytes can be read, and 9 more.
#[inline(always)]
pub(super) unsafe fn window<R: Register>(src: *const u8, bit: i64) -> R {
    let (byte, shift) = place(bit);
    let from = src.wrapping_offset(byte);
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = R::load(from);
        match shift {
            0 => bytes,
            // Each 64 bits and the 64 bits that follow have all that lies between.
            shift => bytes.funnel(R::load(from.wrapping_add(8)), shift),
        }
    }
}

/// A register from a bit on, which begins a byte unless they are `BITS`.
///
/// # Safety
/// As [`window`], whose bytes alone are read from a byte on.
#[inline(always)]
pub(super) unsafe fn register_at<R: Register, const BITS: bool>(src: *const u8, bit: i64) -> R {
    // SAFETY: the caller's promise.
    unsafe {
        match BITS {
            true => window(src, bit),
            false => R::load(src.wrapping_offset(place(bit).0)),
        }
    }
}

/// Puts what a row of `len` bits has of bytes that it shares in place, from bit `from` of the source to bit `shift` of a byte
/// on, and leaves the bits around it as they are.
///
/// # Safety
/// The row's bits can be read, a byte before and beyond them, and written.
#[inline(always)]
pub(super) unsafe fn put_ends(src: *const u8, from: i64, to: *mut u8, shift: u64, len: usize) {
    let all = len + shift as usize;
    let (bytes, rest) = (all / 8, all % 8);
    // What goes to the first byte begins before the row.
    let from = from - shift as i64;
    // SAFETY: the caller's promise.
    unsafe {
        if bytes == 0 {
            let mask = ((1u32 << all) - (1u32 << shift)) as u8;
            return merge(to, byte_at(src, from), mask);
        }
        if shift > 0 {
            merge(to, byte_at(src, from), u8::MAX << shift);
        }
        if rest > 0 {
            let last = byte_at(src.wrapping_add(bytes), from);
            merge(to.wrapping_add(bytes), last, !(u8::MAX << rest));
        }
    }
}

/// Puts what a row of `len` bits has of whole bytes in place, from bit `from` of the source to bit `shift` of a byte on: unless they are
/// `BITS`, from bytes to bytes.
///
/// # Safety
/// As [`put`], of those bytes.
#[inline(always)]
pub(super) unsafe fn put_bytes<R: Register, const BITS: bool>(
    src: *const u8,
    from: i64,
    to: *mut u8,
    shift: u64,
    len: usize,
) {
    let skipped = (8 - shift as usize) % 8;
    let bytes = len.saturating_sub(skipped) / 8;
    if bytes > 0 {
        let to = to.wrapping_add(skipped.div_ceil(8));
        // SAFETY: the caller's promise.
        unsafe { put::<R, BITS>(src, from + skipped as i64, to, bytes) };
    }
}

/// Puts so many bytes in place, from a bit of the source on, or a byte.
///
/// # Safety
/// The processor has these registers. The bytes can be read, registers beyond, and written.
#[inline(always)]
unsafe fn put<R: Register, const BITS: bool>(src: *const u8, from: i64, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if bytes < R::BYTES {
            return register_at::<R, BITS>(src, from).store_first(to, bytes);
        }
        let (mut done, last) = (0, bytes - R::BYTES);
        while done < last {
            register_at::<R, BITS>(src.wrapping_add(done), from).store(to.wrapping_add(done));
            done += R::BYTES;
        }
        register_at::<R, BITS>(src.wrapping_add(last), from).store(to.wrapping_add(last));
    }
}

/// The eight bits from a bit on.
///
/// # Safety
/// They can be read, and a byte beyond.
#[inline(always)]
pub(super) unsafe fn byte_at(src: *const u8, bit: i64) -> u8 {
    let (byte, shift) = place(bit);
    let from = src.wrapping_offset(byte);
    // SAFETY: the caller's promise.
    unsafe { (u16::from_le_bytes([*from, *from.wrapping_add(1)]) >> shift) as u8 }
}

/// Sets the bits of a byte that a mask has.
///
/// # Safety
/// The byte can be read and written.
#[inline(always)]
unsafe fn merge(to: *mut u8, bits: u8, mask: u8) {
    // SAFETY: the caller's promise.
    unsafe { *to = *to & !mask | bits & mask }
}
