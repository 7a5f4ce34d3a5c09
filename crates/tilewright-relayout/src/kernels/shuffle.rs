//! Networks of zips: transposing and interleaving whole registers.
//!
//! Number the elements of `K` registers by (register, place). A stage that zips register `i` with
//! register `i + K/2` rotates the bits of that number by one. After as many stages as `K` has
//! bits, register and place have changed sides: the registers, one after the other, hold the
//! first element of each, then the second of each. Where a register holds `K` elements that is
//! the transposed square; where it holds more, rows interleaved. Three stages mix only every
//! `K / 8`th register, so that large squares are done eight registers at a time.

use super::register::Register;
use std::mem::MaybeUninit;

/// The first element of each register, then the second of each, and so on.
///
/// # Safety
/// The processor has these registers. `K` is a power of two.
#[inline(always)]
pub(super) unsafe fn interleave<R: Register, const N: usize, const K: usize>(
    registers: [R; K],
) -> [R; K] {
    // SAFETY: the caller's promise.
    unsafe {
        match K {
            64 => rotate::<R, N, K, 8>(rotate::<R, N, K, 8>(registers)),
            32 => rotate::<R, N, K, 4>(rotate::<R, N, K, 8>(registers)),
            _ => zip_all::<R, N, K, false>(registers),
        }
    }
}

/// The transposed square of as many registers as one has elements: first squares of 16 bytes, then
/// these as wholes. Within 16 bytes, zips are cheap everywhere.
///
/// # Safety
/// As [`interleave`]; `K` elements are a register.
#[inline(always)]
pub(super) unsafe fn transpose<R: Register, const N: usize, const K: usize>(
    registers: [R; K],
) -> [R; K] {
    // The number of elements in 16 bytes is a constant of each case; the compiler leaves one.
    // SAFETY: the caller's promise.
    unsafe {
        match 16 / N {
            4 => transpose_of::<R, N, K, 4>(registers),
            2 => transpose_of::<R, N, K, 2>(registers),
            // More registers than there are at hand, or whole ones.
            _ => interleave::<R, N, K>(registers),
        }
    }
}

/// [`transpose`], where 16 bytes have `E` elements.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn transpose_of<R: Register, const N: usize, const K: usize, const E: usize>(
    registers: [R; K],
) -> [R; K] {
    let (mut within, mut across) = (MaybeUninit::<[R; K]>::uninit(), registers);
    let first = within.as_mut_ptr().cast::<[R; E]>();
    // SAFETY: the caller's promise; a register has `K / E` times `E` elements, so that all groups
    // are written.
    unsafe {
        for group in 0..K / E {
            let mut part = [registers[group * E]; E];
            part.copy_from_slice(&registers[group * E..(group + 1) * E]);
            first.add(group).write(interleave_lanes::<R, N, E>(part));
        }
        let within = within.assume_init();
        for place in 0..E {
            match K / E {
                1 => across[place] = within[place],
                2 => {
                    let parts = interleave::<R, 16, 2>([within[place], within[place + E]]);
                    [across[place], across[place + E]] = parts;
                }
                _ => {
                    let [a, b, c, d] = [0, E, 2 * E, 3 * E].map(|lane| lane + place);
                    let parts = [within[a], within[b], within[c], within[d]];
                    [across[a], across[b], across[c], across[d]] = R::transpose_lanes(parts);
                }
            }
        }
    }
    across
}

/// As many stages as `G` has bits, which mix only registers that are `K / G` apart. A processor
/// does not have `K` registers at hand, but `G`.
///
/// # Safety
/// As [`interleave`]; `G` is a power of two that divides `K`.
#[inline(always)]
unsafe fn rotate<R: Register, const N: usize, const K: usize, const G: usize>(
    registers: [R; K],
) -> [R; K] {
    let n_groups = K / G;
    let mut rotated = MaybeUninit::<[R; K]>::uninit();
    let first = rotated.as_mut_ptr().cast::<[R; G]>();
    // SAFETY: the caller's promise; all groups are written, which together are all registers.
    unsafe {
        for group in 0..n_groups {
            let mut part = [registers[group]; G];
            for (place, register) in part.iter_mut().enumerate() {
                *register = registers[group + place * n_groups];
            }
            first.add(group).write(zip_all::<R, N, G, false>(part));
        }
        rotated.assume_init()
    }
}

/// [`interleave`] with all registers at hand; the same within each 16 bytes if `LANES`.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn zip_all<R: Register, const N: usize, const K: usize, const LANES: bool>(
    mut registers: [R; K],
) -> [R; K] {
    let mut stage = 1;
    while stage < K {
        let before = registers;
        for i in 0..K / 2 {
            let (a, b) = (before[i], before[i + K / 2]);
            // SAFETY: the caller's promise.
            let (low, high) = unsafe { if LANES { a.zip_lanes::<N>(b) } else { a.zip::<N>(b) } };
            registers[2 * i] = low;
            registers[2 * i + 1] = high;
        }
        stage *= 2;
    }
    registers
}

/// Undoes [`interleave`].
///
/// # Safety
/// As there.
#[inline(always)]
pub(super) unsafe fn take_apart<R: Register, const N: usize, const K: usize>(
    mut registers: [R; K],
) -> [R; K] {
    let mut stage = 1;
    while stage < K {
        let before = registers;
        for i in 0..K / 2 {
            // SAFETY: the caller's promise.
            let (evens, odds) = unsafe { before[2 * i].unzip::<N>(before[2 * i + 1]) };
            registers[i] = evens;
            registers[i + K / 2] = odds;
        }
        stage *= 2;
    }
    registers
}

/// The first element of each of 16 bytes of each register, then the second of each: squares side by
/// side, transposed, where there are as many registers as elements in 16 bytes.
///
/// # Safety
/// As [`interleave`].
#[inline(always)]
pub(super) unsafe fn interleave_lanes<R: Register, const N: usize, const K: usize>(
    registers: [R; K],
) -> [R; K] {
    // SAFETY: the caller's promise.
    unsafe { zip_all::<R, N, K, true>(registers) }
}
