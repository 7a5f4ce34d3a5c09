//! The registers of a tile: loaded, exchanged and stored.

use super::place::{At, CACHED, STREAMED, put};
use super::register::Register;
use super::swizzle::{SwizzledTile, are_neighbours};
use super::tile::{MOST_STORED, Op, Tile};
use std::mem::MaybeUninit;

/// Stands for the grains where a tile has a list of steps.
pub(super) const STEPS: u8 = 16;

/// The same where all of them bring eight registers together to one, bit by bit of their number.
pub(super) const MERGES: u8 = 17;

/// The same where they take one apart to eight.
pub(super) const SPREADS: u8 = 18;

/// Moves one tile.
///
/// # Safety
/// The processor has the registers, and everything that the tile reads and writes at this place can be read and written;
/// `G` are its grains, by which `N` registers are interleaved, or [`STEPS`], [`MERGES`] or [`SPREADS`], `L` its lanes' stages
/// and `S` how it is stored, unless a side is swizzled: then what that says.
#[inline(always)]
pub(super) unsafe fn one<R: Register, const N: usize, const G: u8, const L: u8, const S: u8>(
    tile: &Tile,
    at: At,
    order: Option<R>,
    mut swizzled: Option<SwizzledTile<'_, '_>>,
) {
    let mut registers = MaybeUninit::<[R; N]>::uninit();
    let first = registers.as_mut_ptr().cast::<R>();
    // SAFETY: the caller's promise; all `N` registers are written.
    unsafe {
        if let Some(SwizzledTile { src: Some(src), number, .. }) = &mut swizzled {
            src.load::<R, N>(tile, *number, at.src, first);
        } else if are_neighbours(&tile.lanes, R::BYTES) {
            for (place, &load) in tile.loads.iter().enumerate().take(N) {
                first.add(place).write(R::load(at.plus(load, 0).src));
            }
        } else {
            for (place, &load) in tile.loads.iter().enumerate().take(N) {
                first.add(place).write(R::load_lanes(at.plus(load, 0).src, &tile.lanes, 1));
            }
        }
        let mut registers = registers.assume_init();
        if let Some(order) = order {
            for register in &mut registers {
                *register = register.shuffle(order);
            }
        }
        let registers = match G {
            STEPS => stepped::<R, N>(registers, &tile.ops),
            MERGES | SPREADS => by_three::<R, N, G>(registers, &tile.ops),
            _ => in_lanes::<R, N, L>(interleaved::<R, N, G>(registers)),
        };
        // Those that are not stored are the last half, or three quarters, and so on.
        let stored = match G {
            STEPS => tile.stored,
            MERGES => 1,
            _ => N,
        };
        match swizzled {
            Some(SwizzledTile { dst: Some(dst), is_streamed, .. }) => match is_streamed {
                true => dst.store::<R, N, STREAMED>(tile, registers, at.dst),
                false => dst.store::<R, N, CACHED>(tile, registers, at.dst),
            },
            Some(SwizzledTile { is_streamed, stores, .. }) => {
                let stores = match stores {
                    Some(stores) => stores,
                    None => &tile.stores,
                };
                match is_streamed {
                    true => put_all::<R, N, STREAMED>(stores, registers, stored, at),
                    false => put_all::<R, N, S>(stores, registers, stored, at),
                }
            }
            None => put_all::<R, N, S>(&tile.stores, registers, stored, at),
        }
    }
}

/// Stores the first registers of a tile at these places.
///
/// # Safety
/// As [`one`].
#[inline(always)]
unsafe fn put_all<R: Register, const N: usize, const S: u8>(
    stores: &[i64; MOST_STORED],
    registers: [R; N],
    stored: usize,
    at: At,
) {
    for (number, (register, &store)) in registers.into_iter().zip(stores).enumerate() {
        if number.is_power_of_two() && number == stored {
            break;
        }
        // SAFETY: the caller's promise.
        unsafe { put::<R, S>(register, at.plus(0, store).dst) };
    }
}

/// Does one step after the other. That is a branch for each, which is the same for every tile; the
/// registers stay what they are.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn stepped<R: Register, const N: usize>(mut registers: [R; N], ops: &[Op]) -> [R; N] {
    // The bits of numbers of registers that have nothing: not yet, or no more.
    let (mut idle, mut merged) = (0, 0);
    for op in ops {
        match op {
            Op::Merge { bit, .. } => merged |= 1 << bit,
            Op::Spread { bit, .. } => idle |= 1 << bit & !merged,
            _ => {}
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        for op in ops {
            match op {
                Op::Exchange { bit, lower, shift } => {
                    let lower = R::repeat(lower);
                    match bit {
                        0 => exchange::<R, N, 1>(&mut registers, idle, lower, *shift),
                        1 => exchange::<R, N, 2>(&mut registers, idle, lower, *shift),
                        _ => exchange::<R, N, 4>(&mut registers, idle, lower, *shift),
                    }
                }
                Op::Merge { bit, lower, shift } => {
                    let lower = R::repeat(lower);
                    match bit {
                        0 => merge::<R, N, 1>(&mut registers, idle, lower, *shift),
                        1 => merge::<R, N, 2>(&mut registers, idle, lower, *shift),
                        _ => merge::<R, N, 4>(&mut registers, idle, lower, *shift),
                    }
                    idle |= 1 << bit;
                }
                Op::Spread { bit, lower, shift } => {
                    let lower = R::repeat(lower);
                    idle &= !(1 << bit);
                    match bit {
                        0 => spread::<R, N, 1>(&mut registers, idle, lower, *shift),
                        1 => spread::<R, N, 2>(&mut registers, idle, lower, *shift),
                        _ => spread::<R, N, 4>(&mut registers, idle, lower, *shift),
                    }
                }
                Op::Swap { lower, shift } => {
                    let lower = R::repeat(lower);
                    for (number, register) in registers.iter_mut().enumerate() {
                        if number & idle == 0 {
                            *register = register.swap_bits(lower, *shift);
                        }
                    }
                }
                Op::Transpose => {
                    for (number, register) in registers.iter_mut().enumerate() {
                        if number & idle == 0 {
                            *register = register.transpose_bits();
                        }
                    }
                }
                Op::Shuffle(order) => {
                    let order = R::repeat(order);
                    for (number, register) in registers.iter_mut().enumerate() {
                        if number & idle == 0 {
                            *register = register.shuffle(order);
                        }
                    }
                }
                Op::Mask(mask) => {
                    let mask = R::repeat(mask);
                    for (number, register) in registers.iter_mut().enumerate() {
                        if number & idle == 0 {
                            *register = register.and(mask);
                        }
                    }
                }
                Op::Zip { bit, grain } => match (bit, grain) {
                    (0, 0) => stage::<R, N, 1>(&mut registers, 1, idle),
                    (0, 1) => stage::<R, N, 2>(&mut registers, 1, idle),
                    (0, 2) => stage::<R, N, 4>(&mut registers, 1, idle),
                    (0, _) => stage::<R, N, 8>(&mut registers, 1, idle),
                    (1, 0) => stage::<R, N, 1>(&mut registers, 2, idle),
                    (1, 1) => stage::<R, N, 2>(&mut registers, 2, idle),
                    (1, 2) => stage::<R, N, 4>(&mut registers, 2, idle),
                    (1, _) => stage::<R, N, 8>(&mut registers, 2, idle),
                    (_, 0) => stage::<R, N, 1>(&mut registers, 4, idle),
                    (_, 1) => stage::<R, N, 2>(&mut registers, 4, idle),
                    (_, 2) => stage::<R, N, 4>(&mut registers, 4, idle),
                    _ => stage::<R, N, 8>(&mut registers, 4, idle),
                },
                Op::Lanes { bit, lane } => match bit {
                    0 => swap_lanes::<R, N, 1>(&mut registers, *lane),
                    1 => swap_lanes::<R, N, 2>(&mut registers, *lane),
                    _ => swap_lanes::<R, N, 4>(&mut registers, *lane),
                },
            }
        }
    }
    registers
}

/// Does three steps of one kind, each by the next bit of the registers' number.
///
/// # Safety
/// The processor has the registers. `G` is what all steps are.
#[inline(always)]
unsafe fn by_three<R: Register, const N: usize, const G: u8>(
    mut registers: [R; N],
    ops: &[Op],
) -> [R; N] {
    for (bit, op) in ops.iter().enumerate().take(3) {
        let (Op::Merge { lower, shift, .. } | Op::Spread { lower, shift, .. }) = op else {
            break;
        };
        // SAFETY: the caller's promise.
        unsafe {
            let lower = R::repeat(lower);
            match (G, bit) {
                (MERGES, 0) => merge::<R, N, 1>(&mut registers, 0, lower, *shift),
                (MERGES, 1) => merge::<R, N, 2>(&mut registers, 1, lower, *shift),
                (MERGES, _) => merge::<R, N, 4>(&mut registers, 3, lower, *shift),
                (_, 0) => spread::<R, N, 1>(&mut registers, 6, lower, *shift),
                (_, 1) => spread::<R, N, 2>(&mut registers, 4, lower, *shift),
                _ => spread::<R, N, 4>(&mut registers, 0, lower, *shift),
            }
        }
    }
    registers
}

/// Exchanges bits of the registers of each pair whose numbers differ in one, but of those that are `idle`.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
pub(super) unsafe fn exchange<R: Register, const N: usize, const BIT: usize>(
    registers: &mut [R; N],
    idle: usize,
    lower: R,
    shift: usize,
) {
    for number in 0..N {
        if number & BIT == 0 && number | BIT < N && number & idle == 0 {
            // SAFETY: the caller's promise.
            let (first, second) =
                unsafe { registers[number].exchange(registers[number | BIT], lower, shift) };
            (registers[number], registers[number | BIT]) = (first, second);
        }
    }
}

/// The same, where the register that has the bit is nothing any more.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn merge<R: Register, const N: usize, const BIT: usize>(
    registers: &mut [R; N],
    idle: usize,
    lower: R,
    shift: usize,
) {
    for number in 0..N {
        if number & BIT == 0 && number | BIT < N && number & idle == 0 {
            // SAFETY: the caller's promise.
            registers[number] =
                unsafe { registers[number].merged(registers[number | BIT], lower, shift) };
        }
    }
}

/// The same with registers of zeros for those that have the bit.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn spread<R: Register, const N: usize, const BIT: usize>(
    registers: &mut [R; N],
    idle: usize,
    lower: R,
    shift: usize,
) {
    for number in 0..N {
        if number & BIT == 0 && number | BIT < N && number & idle == 0 {
            // SAFETY: the caller's promise.
            let (first, second) = unsafe { registers[number].spread(lower, shift) };
            (registers[number], registers[number | BIT]) = (first, second);
        }
    }
}

/// Inserts one bit of the registers' number after the other, at the places of the grains.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
pub(super) unsafe fn interleaved<R: Register, const N: usize, const G: u8>(
    mut registers: [R; N],
) -> [R; N] {
    let mut bit = 1;
    // SAFETY: the caller's promise.
    unsafe {
        if G & 1 != 0 {
            stage::<R, N, 1>(&mut registers, bit, 0);
            bit *= 2;
        }
        if G & 2 != 0 {
            stage::<R, N, 2>(&mut registers, bit, 0);
            bit *= 2;
        }
        if G & 4 != 0 {
            stage::<R, N, 4>(&mut registers, bit, 0);
            bit *= 2;
        }
        if G & 8 != 0 {
            stage::<R, N, 8>(&mut registers, bit, 0);
        }
    }
    registers
}

/// Exchanges the lowest bits of the registers' number, one after the other, for those of their lanes' that `L` has.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn in_lanes<R: Register, const N: usize, const L: u8>(mut registers: [R; N]) -> [R; N] {
    // SAFETY: the caller's promise.
    unsafe {
        match L {
            1 => swap_lanes::<R, N, 1>(&mut registers, 0),
            2 => swap_lanes::<R, N, 1>(&mut registers, 1),
            3 => {
                swap_lanes::<R, N, 1>(&mut registers, 0);
                swap_lanes::<R, N, 2>(&mut registers, 1);
            }
            _ => {}
        }
    }
    registers
}

/// Exchanges a bit of the registers' number for bit `lane` of their lanes'.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn swap_lanes<R: Register, const N: usize, const BIT: usize>(
    registers: &mut [R; N],
    lane: usize,
) {
    for number in 0..N {
        if number & BIT == 0 && number | BIT < N {
            let (first, second) = (registers[number], registers[number | BIT]);
            // SAFETY: the caller's promise.
            let (even, odd) = unsafe {
                match lane {
                    0 => first.swap_lanes(second),
                    _ => first.swap_halves(second),
                }
            };
            (registers[number], registers[number | BIT]) = (even, odd);
        }
    }
}

/// Interleaves the registers of each pair whose numbers differ in a bit, by `GRAIN` bytes, but those that are `idle`.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn stage<R: Register, const N: usize, const GRAIN: usize>(
    registers: &mut [R; N],
    bit: usize,
    idle: usize,
) {
    for number in 0..N {
        if number & bit == 0 && number | bit < N && number & idle == 0 {
            // SAFETY: the caller's promise.
            let (low, high) =
                unsafe { registers[number].zip_lanes::<GRAIN>(registers[number | bit]) };
            registers[number] = low;
            registers[number | bit] = high;
        }
    }
}
