//! Squares of bits: from rows to the lines of columns.

use super::super::bit_copy::window;
use super::super::exchange::{exchange, interleaved};
use super::super::level::{Level, Task, prefetch, prefetch_near};
use super::super::place::LINE;
use super::super::register::Register;
use super::super::synthesis::exchange_mask;
use super::super::tile::BYTE;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The bytes of a lane.
pub(super) const LANE: usize = 16;

/// The registers whose bytes are zipped.
const ZIPPED: usize = 16;

/// The most groups of rows that are in a bank: as many rows as bytes have elements are one.
const GROUPS: usize = LINE;

/// How much further a group lies in the bank than the one before has bytes, so that they do not fall on the same lines of the caches.
const BESIDE: usize = LINE;

/// How many groups ahead rows are asked for to come to the first cache.
const AHEAD: usize = 8;

/// What is read of a row beyond a register, with the byte that it begins within.
const BEYOND: usize = 9;

/// What is exchanged for each place below a byte.
const MASKS: [[u8; LANE]; BYTE] = [exchange_mask(0).0, exchange_mask(1).0, exchange_mask(2).0];

/// The most bytes of a bank: of bits there are half as many groups.
const MOST_BANK: usize = GROUPS * (4 * LINE + BESIDE);

/// Memory for the rows of a square.
#[repr(align(64))]
pub(super) struct Bank(pub(super) MaybeUninit<[u8; MOST_BANK]>);

/// What squares are transposed of.
pub(super) struct Squares {
    pub(super) width: i64,
    pub(super) src: Range<*const u8>,
    pub(super) bank: *mut u8,
}

impl Squares {
    /// Transposes rows that begin at these bits of the source, a whole number of bytes of a column, as many as a line of it has
    /// at most, to a line of each of so many columns, `pitch` bytes from one to the next. Asks for others meanwhile.
    ///
    /// # Safety
    /// All bits of these columns of each row lie in the source. There is room for the columns of whole lanes of rows.
    pub(super) unsafe fn transpose(
        &self,
        level: Level,
        rows: &[i64],
        asked: &[i64],
        n_columns: usize,
        to: *mut u8,
        pitch: usize,
    ) {
        let call = Square { of: self, rows, asked, n_columns, to, pitch };
        // SAFETY: the caller's promise.
        unsafe {
            match self.width {
                1 => level.run(Transposed::<8>(call)),
                2 => level.run(Transposed::<4>(call)),
                _ => level.run(Transposed::<2>(call)),
            }
        }
    }
}

/// What [`Squares::transpose`] is asked for.
struct Square<'s> {
    of: &'s Squares,
    rows: &'s [i64],
    asked: &'s [i64],
    n_columns: usize,
    to: *mut u8,
    pitch: usize,
}

/// A square is transposed whose bytes have so many elements.
struct Transposed<'s, const PER: usize>(Square<'s>);

impl<const PER: usize> Task for Transposed<'_, PER> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let bytes = self.0.n_columns.div_ceil(PER);
        let mut done = 0;
        while done < bytes {
            let left = bytes - done;
            // SAFETY: the caller's promise.
            unsafe {
                done += match left {
                    ..=LANE => self.part::<R, R::Lane>(done),
                    _ if left <= <R::Half as Register>::BYTES => self.part::<R, R::Half>(done),
                    _ => self.part::<R, R>(done),
                };
            }
        }
    }
}

impl<const PER: usize> Transposed<'_, PER> {
    /// Transposes the bytes of all rows from one on that registers `W` have. Says how many.
    ///
    /// # Safety
    /// As [`Squares::transpose`]; the processor has the registers.
    #[inline(always)]
    unsafe fn part<R: Register, W: Register>(&self, done: usize) -> usize {
        // A bank of all rows of bits would be larger than the first cache.
        let at_once = PER * if PER == 8 { GROUPS / 2 } else { GROUPS };
        let mut first = 0;
        while first < self.0.rows.len() {
            let end = self.0.rows.len().min(first + at_once);
            // SAFETY: the caller's promise.
            unsafe {
                self.exchanged::<W>(done, first..end);
                match PER {
                    8 => self.zipped::<R::Half, W>(done, first..end),
                    _ => self.zipped::<R, W>(done, first..end),
                }
            }
            first = end;
        }
        W::BYTES
    }

    /// Zips the bytes of some rows that are in the bank, to the columns.
    ///
    /// # Safety
    /// As [`part`](Self::part).
    #[inline(always)]
    unsafe fn zipped<R: Register, W: Register>(&self, done: usize, rows: Range<usize>) {
        let Square { of, n_columns, to, pitch, .. } = self.0;
        let group = PER * W::BYTES + BESIDE;
        let distances = [0, 1, 2, 3].map(|lane| (lane * ZIPPED * group) as i64);
        let at_once = ZIPPED * (R::BYTES / LANE);
        let n_parts = (rows.len() / PER).div_ceil(at_once);
        let to = to.wrapping_add(rows.start / PER);
        for lane in 0..W::BYTES / LANE {
            for number in 0..PER {
                let first = (done + lane * LANE) * PER + number;
                if first >= n_columns {
                    return;
                }
                let from = of.bank.wrapping_add(number * W::BYTES + lane * LANE);
                let column = to.wrapping_add(first * pitch);
                for part in 0..n_parts {
                    let from = from.wrapping_add(part * at_once * group);
                    let column = column.wrapping_add(part * R::BYTES);
                    // SAFETY: the caller's promise: what is read of a bank has been written, or is nothing that counts.
                    unsafe {
                        let mut registers = MaybeUninit::<[R; ZIPPED]>::uninit();
                        let place = registers.as_mut_ptr().cast::<R>();
                        for row in 0..ZIPPED {
                            let from = from.wrapping_add(row * group);
                            place.add(row).write(R::load_lanes(from, &distances, 1));
                        }
                        let zipped = interleaved::<R, ZIPPED, 15>(registers.assume_init());
                        for (number, register) in zipped.into_iter().enumerate() {
                            // What has left for the number of a register is the uppermost place first.
                            let byte = (number as u32).reverse_bits() as usize >> (u32::BITS - 4);
                            register.store(column.wrapping_add(byte * PER * pitch));
                        }
                    }
                }
            }
        }
    }

    /// Loads registers of some rows from a byte on and exchanges their bits, to the bank.
    ///
    /// # Safety
    /// As [`part`](Self::part).
    #[inline(always)]
    unsafe fn exchanged<W: Register>(&self, done: usize, rows: Range<usize>) {
        let Square { of, asked, n_columns, .. } = self.0;
        let is_end = (done + W::BYTES) * PER >= n_columns;
        let Range { start, end } = of.src;
        let asked = asked.get(rows.start..).unwrap_or(&[]);
        let rows = &self.0.rows[rows];
        let reach = W::BYTES + BEYOND;
        let room = (end as usize).wrapping_sub(start as usize) as i64 - (done + reach) as i64;
        let last = rows.iter().copied().max().unwrap_or(0) >> 3;
        let is_inside = last <= room;
        let src = start.wrapping_add(done);
        let mut near = MaybeUninit::<[[u8; 2 * LINE]; 8]>::uninit();
        let near = near.as_mut_ptr().cast::<u8>();
        let (groups, _) = rows.as_chunks::<PER>();
        let mut bank = of.bank;
        for (number, group) in groups.iter().enumerate() {
            if let Some(asked) =
                asked.get(number * PER..).and_then(|rows| rows.first_chunk::<PER>())
            {
                for bit in asked {
                    let first = src.wrapping_offset((bit >> 3) as isize);
                    prefetch_near(first);
                    if is_end {
                        prefetch_near(first.wrapping_add(W::BYTES));
                    }
                }
            }
            if let Some(next) = groups.get(number + AHEAD) {
                for bit in next {
                    let first = src.wrapping_offset((bit >> 3) as isize);
                    if done == 0 {
                        prefetch(first);
                    }
                    prefetch(first.wrapping_add(W::BYTES));
                }
            }
            let mut registers = MaybeUninit::<[W; PER]>::uninit();
            let place = registers.as_mut_ptr().cast::<W>();
            // SAFETY: the caller's promise; what is not inside is copied first, as far as the source has it.
            unsafe {
                if is_inside || group.iter().all(|bit| bit >> 3 <= room) {
                    for (row, &bit) in group.iter().enumerate() {
                        place.add(row).write(window::<W>(src, bit));
                    }
                } else {
                    for (row, &bit) in group.iter().enumerate() {
                        let from = src.wrapping_offset((bit >> 3) as isize);
                        let to = near.wrapping_add(row * 2 * LINE);
                        let len = (end as usize).saturating_sub(from as usize).min(reach);
                        to.write_bytes(0, reach);
                        std::ptr::copy_nonoverlapping(from, to, len);
                        place.add(row).write(window::<W>(to, bit & 7));
                    }
                }
                let mut registers = registers.assume_init();
                let first = BYTE - PER.trailing_zeros() as usize;
                exchange::<W, PER, 1>(&mut registers, 0, W::repeat(&MASKS[first]), 1 << first);
                if PER > 2 {
                    let place = first + 1;
                    exchange::<W, PER, 2>(&mut registers, 0, W::repeat(&MASKS[place]), 1 << place);
                }
                if PER > 4 {
                    let place = first + 2;
                    exchange::<W, PER, 4>(&mut registers, 0, W::repeat(&MASKS[place]), 1 << place);
                }
                for (number, register) in registers.into_iter().enumerate() {
                    register.store(bank.wrapping_add(number * W::BYTES));
                }
            }
            bank = bank.wrapping_add(PER * W::BYTES + BESIDE);
        }
    }
}
