//! Networks of zips: transposing and interleaving whole registers.
//!
//! Number the elements of `K` registers by (register, place). A stage that zips register `i` with
//! register `i + K/2` rotates the bits of that number by one. After as many stages as `K` has
//! bits, register and place have changed sides: the registers, one after the other, hold the
//! first element of each, then the second of each. Where a register holds `K` elements that is
//! the transposed square; where it holds more, rows interleaved.

use super::register::Register;

/// The first element of each register, then the second of each, and so on.
///
/// # Safety
/// The processor has these registers. `K` is a power of two.
#[inline(always)]
pub(super) unsafe fn interleave<R: Register, const N: usize, const K: usize>(
    mut registers: [R; K],
) -> [R; K] {
    let mut stage = 1;
    while stage < K {
        let before = registers;
        for i in 0..K / 2 {
            // SAFETY: the caller's promise.
            let (low, high) = unsafe { before[i].zip::<N>(before[i + K / 2]) };
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
