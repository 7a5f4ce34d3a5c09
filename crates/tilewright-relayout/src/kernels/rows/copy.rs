//! Copying rows: into a stage, out of it, or from memory to memory.
//!
//! Registers of the same tables are copied of all rows, one after the other: what they take of tables stays in registers
//! meanwhile.

use super::super::bit_copy::{byte_at, place, put_bytes, put_ends, register_at};
use super::super::level::{Task, prefetch_near};
use super::super::place::LINE;
use super::super::register::Register;
use super::spacing::{MOST_ORDERS, Spacing, Vector};
use std::ops::Range;

/// What may be read and written before and beyond rows in a stage.
pub(super) const BESIDE: usize = 128;

/// What is done to a register besides its shifts: nothing but that bytes are taken from one order; any of what tables are for, but
/// no ninth bytes; or that too.
const PLAIN: u8 = 0;
const ANY: u8 = 1;
const NINTHS: u8 = 2;

/// Where a row lies, in bits, where it comes from and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) from: i64,
    pub(super) to: i64,
}

/// Rows that are copied.
#[derive(Clone, Copy)]
pub(super) struct Pass<'r> {
    pub(super) spacing: &'r Spacing,
    /// In the order of their places in a stage.
    pub(super) rows: &'r [Row],
    /// The first byte of what they come from, and the bit where the block begins.
    pub(super) src: *const u8,
    pub(super) from: i64,
    /// The same of where they go.
    pub(super) dst: *mut u8,
    pub(super) to: i64,
    /// The bits where the next block begins, on the sides whose lines are to be asked for.
    pub(super) next: [Option<i64>; 2],
    /// The bits of a row that are written, if nothing beside them may be.
    pub(super) exactly: Option<usize>,
    /// Whether rows that are exact begin and end at bytes.
    pub(super) is_bytes: bool,
    /// Whether each row goes on where the one before ends, bit by bit.
    pub(super) is_chain: bool,
}

/// Times that registers are copied: from the first on so many, by as many bits from one to the next on either side.
#[derive(Clone, Copy)]
struct Times {
    first: i64,
    count: i64,
    steps: (i64, i64),
}

/// What is asked for of the next block: a line of each row.
#[derive(Clone, Copy)]
struct Ask {
    src: *const u8,
    dst: *const u8,
    next: [Option<i64>; 2],
}

impl Ask {
    #[inline(always)]
    fn of(pass: &Pass<'_>, from: usize, to: usize) -> Self {
        let (src, dst) = (pass.src.wrapping_add(from), pass.dst.wrapping_add(to).cast_const());
        Ask { src, dst, next: pass.next }
    }

    /// Asks for the line of a row.
    #[inline(always)]
    fn ask(self, row: Row) {
        let [from, to] = self.next;
        if let Some(from) = from {
            prefetch_near(self.src.wrapping_offset(place(from + row.from).0));
        }
        if let Some(to) = to {
            prefetch_near(self.dst.wrapping_offset(place(to + row.to).0));
        }
    }
}

impl Task for Pass<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        // SAFETY: the caller's promise; tables are made for registers of 64 bytes where there are such, and else of 16.
        unsafe {
            match self.reads_bits() {
                true => self.run::<R, true>(),
                false => self.run::<R, false>(),
            }
        }
    }
}

impl Pass<'_> {
    /// Whether any register is read from a bit on that begins no byte.
    fn reads_bits(&self) -> bool {
        let shares_bytes = self.spacing.is_same() && self.exactly.is_some() && !self.is_bytes;
        let rows = self.rows.iter().fold(self.from, |bits, row| bits | row.from);
        shares_bytes || (rows | self.spacing.bits) % 8 != 0
    }

    /// Copies every row, by registers that are read from bits on or from bytes on.
    ///
    /// # Safety
    /// The caller's promise to a [`Task`]. Tables are made for registers of 64 bytes where there are such, and else of 16.
    #[inline(always)]
    unsafe fn run<R: Register, const BITS: bool>(self) {
        // SAFETY: the caller's promise.
        unsafe {
            match (self.spacing.is_same(), R::BYTES == 64) {
                (false, true) => self.spaced::<R, BITS>(),
                (false, false) => self.spaced::<R::Lane, BITS>(),
                (true, _) => match self.register() {
                    ..=16 => self.same::<R::Lane, BITS>(),
                    17..=32 => self.same::<R::Half, BITS>(),
                    _ => self.same::<R, BITS>(),
                },
            }
        }
    }

    /// Whether all that registers reach of a row that begins at a bit of the source lies in that.
    pub(super) fn is_inside(&self, bit: i64, src: &Range<*const u8>) -> bool {
        let bits = (src.end as usize).wrapping_sub(src.start as usize) as i64 * 8;
        // What goes to a byte that a row begins within begins before the row.
        let before = match self.spacing.is_same() && (self.exactly.is_none() || self.is_bytes) {
            true => 0,
            false => 8,
        };
        bit >= before && bit + self.spacing.reach as i64 * 8 <= bits
    }

    /// The bytes of the registers that copy rows as they are: as many as a row has, and if no more may be written, no more of
    /// short rows. A line under a mask is written more quickly than two registers that make up a row between them.
    fn register(&self) -> usize {
        match self.exactly {
            Some(len) if !self.is_chain => match len / 8 {
                ..32 => 16,
                32 => 32,
                _ => 64,
            },
            len => len.unwrap_or(self.spacing.to).div_ceil(8),
        }
    }

    /// Copies every row as it is.
    ///
    /// # Safety
    /// The processor has these registers. Each row can be read, with [`BESIDE`] bytes before and behind it, and written,
    /// with as many behind it if it need not be exact.
    #[inline(always)]
    unsafe fn same<R: Register, const BITS: bool>(self) {
        let Pass { spacing, rows, src, from, dst, to, exactly, .. } = self;
        if let Some(len) = exactly {
            // SAFETY: the caller's promise.
            let done = unsafe { if self.is_chain { self.chained::<R, BITS>(len) } else { 0 } };
            let rows = &rows[done..];
            for &row in rows {
                self.ask_for(row, len);
                let (byte, shift) = place(to + row.to);
                let to = dst.wrapping_offset(byte);
                // SAFETY: the caller's promise.
                unsafe { put_bytes::<R, BITS>(src, from + row.from, to, shift, len) };
            }
            if !self.is_bytes {
                for &row in rows {
                    let (byte, shift) = place(to + row.to);
                    // SAFETY: the caller's promise.
                    unsafe {
                        put_ends(src, from + row.from, dst.wrapping_offset(byte), shift, len);
                    }
                }
            }
            return;
        }
        let len = spacing.to.div_ceil(8);
        // A loop of its own: it takes up to a tenth less of all that is done for rows of bits.
        if len <= R::BYTES && self.next == [None; 2] {
            for &row in rows {
                let to = dst.wrapping_offset(place(to + row.to).0);
                // SAFETY: the caller's promise.
                unsafe { register_at::<R, BITS>(src, from + row.from).store(to) };
            }
            return;
        }
        for &row in rows {
            let to = dst.wrapping_offset(place(to + row.to).0);
            let mut done = 0;
            while done < len {
                Ask::of(&self, done, done).ask(row);
                // SAFETY: the caller's promise.
                unsafe {
                    let bits = register_at::<R, BITS>(src.wrapping_add(done), from + row.from);
                    bits.store(to.wrapping_add(done));
                }
                done += R::BYTES;
            }
        }
    }

    /// Asks for the lines of a row of so many bits.
    #[inline(always)]
    fn ask_for(&self, row: Row, len: usize) {
        if self.next == [None; 2] {
            return;
        }
        let mut line = 0;
        while line <= len / 8 / LINE {
            Ask::of(self, line * LINE, line * LINE).ask(row);
            line += 1;
        }
    }

    /// Copies rows of `len` bits each of which goes on where the one before ends: by whole registers, which write over what the
    /// next rows are. Says how many: but for those at the end, which have too few behind them.
    ///
    /// # Safety
    /// As [`same`](Self::same), for such rows that are exact.
    #[inline(always)]
    unsafe fn chained<R: Register, const BITS: bool>(self, len: usize) -> usize {
        let Pass { rows, src, from, dst, to, .. } = self;
        let Some(first) = rows.first() else { return 0 };
        // The registers of a row begin within its first byte.
        let reach = (len + 7).div_ceil(8).next_multiple_of(R::BYTES);
        let behind = (8 * reach).div_ceil(len);
        let whole = rows.len().saturating_sub(behind);
        let (byte, shift) = place(to + first.to);
        let mut here = dst.wrapping_offset(byte);
        // The bits that the byte of a row's first bit has before.
        let mut before = match shift {
            0 => 0,
            // SAFETY: the caller's promise.
            _ => unsafe { *here & !(u8::MAX << shift) },
        };
        let mut shift = shift as usize;
        for &row in &rows[..whole] {
            self.ask_for(row, len);
            let from = from + row.from - shift as i64;
            let (bytes, rest) = ((len + shift) / 8, (len + shift) % 8);
            // SAFETY: the caller's promise; what is written beyond a row are rows that follow.
            unsafe {
                let mut done = 0;
                while 8 * done < len + shift {
                    register_at::<R, BITS>(src.wrapping_add(done), from)
                        .store(here.wrapping_add(done));
                    done += R::BYTES;
                }
                if shift > 0 {
                    *here = before | byte_at(src, from) & u8::MAX << shift;
                }
                if rest > 0 {
                    before = byte_at(src.wrapping_add(bytes), from) & !(u8::MAX << rest);
                }
            }
            here = here.wrapping_add(bytes);
            shift = rest;
        }
        // SAFETY: the byte is the next row's.
        unsafe {
            if shift > 0 && whole > 0 {
                *here = before;
            }
        }
        whole
    }

    /// Copies every row, its bits apart or together.
    ///
    /// # Safety
    /// As [`same`](Self::same); the spacing is made for these registers, and rows that are exact begin at bytes.
    #[inline(always)]
    unsafe fn spaced<R: Register, const BITS: bool>(self) {
        let Spacing { shifts, tables, .. } = self.spacing;
        // SAFETY: the caller's promise; there are as many shifts.
        unsafe {
            match (tables.is_together, shifts.len()) {
                (false, 0) if tables.has_ninths => self.groups::<R, BITS, false, 0, NINTHS>(),
                (true, 0) if tables.has_ninths => self.groups::<R, BITS, true, 0, NINTHS>(),
                (false, 0) if tables.are_plain() => self.groups::<R, BITS, false, 0, PLAIN>(),
                (true, 0) if tables.are_plain() => self.groups::<R, BITS, true, 0, PLAIN>(),
                (false, 0) => self.groups::<R, BITS, false, 0, ANY>(),
                (false, 1) => self.groups::<R, BITS, false, 1, ANY>(),
                (false, 2) => self.groups::<R, BITS, false, 2, ANY>(),
                (false, 3) => self.groups::<R, BITS, false, 3, ANY>(),
                (false, 4) => self.groups::<R, BITS, false, 4, ANY>(),
                (false, 5) => self.groups::<R, BITS, false, 5, ANY>(),
                (false, _) => self.groups::<R, BITS, false, 6, ANY>(),
                (true, 0) => self.groups::<R, BITS, true, 0, ANY>(),
                (true, 1) => self.groups::<R, BITS, true, 1, ANY>(),
                (true, 2) => self.groups::<R, BITS, true, 2, ANY>(),
                (true, 3) => self.groups::<R, BITS, true, 3, ANY>(),
                (true, 4) => self.groups::<R, BITS, true, 4, ANY>(),
                (true, 5) => self.groups::<R, BITS, true, 5, ANY>(),
                (true, _) => self.groups::<R, BITS, true, 6, ANY>(),
            }
        }
    }

    /// # Safety
    /// As [`spaced`](Self::spaced), of so many shifts, `TOGETHER` or apart, and what else is done to a register.
    #[inline(always)]
    unsafe fn groups<
        R: Register,
        const BITS: bool,
        const TOGETHER: bool,
        const SHIFTS: usize,
        const KIND: u8,
    >(
        self,
    ) {
        for group in &self.spacing.groups {
            let (first, end) = group.vectors;
            let vectors = &self.spacing.vectors[first..end];
            // What is written beyond a register's own bits is written over by the next one's: only what is alone is done again at once.
            let at_once = if vectors.len() == 1 { group.count } else { 1 };
            let mut number = 0;
            while number < group.count {
                for vector in vectors {
                    let times = Times { first: number, count: at_once, steps: group.steps };
                    // SAFETY: the caller's promise.
                    unsafe { self.registers::<R, BITS, TOGETHER, SHIFTS, KIND>(vector, times) }
                }
                number += at_once;
            }
        }
    }

    /// Copies registers of every row that have the same tables, which are kept, so many times.
    ///
    /// Those of one time are copied of all rows before those of the next: registers of a stage do not reach into the next row, or
    /// are one for each row, which come in order.
    ///
    /// # Safety
    /// As [`groups`](Self::groups).
    #[inline(always)]
    unsafe fn registers<
        R: Register,
        const BITS: bool,
        const TOGETHER: bool,
        const SHIFTS: usize,
        const KIND: u8,
    >(
        self,
        vector: &Vector,
        times: Times,
    ) {
        let Pass { spacing, rows, src, from, dst, to, .. } = self;
        // SAFETY: the caller's promise: these are the vector's tables.
        let by = unsafe { Kept::<R, SHIFTS, KIND>::of::<TOGETHER>(spacing, vector) };
        let Times { first, count, steps } = times;
        let first = (vector.from + first * steps.0, vector.to + first * steps.1);
        // Those of whole bytes again and again begin at whole bytes, if the first does.
        let goes_on = first.1 % 8 != 0;
        let [next_from, next_to] = self.next;
        let ahead = (next_from.map(|next| next - from), next_to.map(|next| next - to));
        let (n, step, onward) = (vector.count, vector.steps.1 / 8, steps.1 / 8);
        // Where nothing is asked for and no register goes on within a byte: how often all fit whole, and how many do the time after
        // that. To find that out for each takes as long as to copy it.
        let is_plain = !goes_on && self.next == [None; 2];
        let room = self.room(first.1);
        let bytes = R::BYTES as i64;
        let whole = if is_plain { fitting(room, (n - 1) * step + bytes, onward, count) } else { 0 };
        let partly = if is_plain { fitting(room - whole * onward, bytes, step, n) } else { 0 };
        for time in 0..count {
            let plain = match time < whole {
                true => n,
                false if time == whole => partly,
                false => 0,
            };
            let (from, to) = (from + first.0 + time * steps.0, to + first.1 + time * steps.1);
            let room = room - time * onward;
            for &row in rows {
                let (mut bit, mut number) = (from + row.from, 0);
                let mut here = dst.wrapping_offset(place(to + row.to).0);
                // SAFETY: the caller's promise. What is written beyond a register's own bits is written over by the next one's.
                unsafe {
                    while number < plain {
                        by.moved::<TOGETHER>(register_at::<R, BITS>(src, bit)).store(here);
                        bit += vector.steps.0;
                        here = here.wrapping_offset(step as isize);
                        number += 1;
                    }
                    while is_plain && number < n {
                        let room = (room - number * step).min(bytes) as usize;
                        by.moved::<TOGETHER>(register_at::<R, BITS>(src, bit))
                            .store_first(here, room);
                        bit += vector.steps.0;
                        here = here.wrapping_offset(step as isize);
                        number += 1;
                    }
                    while number < n {
                        if let Some(ahead) = ahead.0 {
                            prefetch_near(src.wrapping_offset(place(bit + ahead).0));
                        }
                        if let Some(ahead) = ahead.1 {
                            prefetch_near(here.wrapping_offset(place(ahead).0));
                        }
                        let mut bits = by.moved::<TOGETHER>(register_at::<R, BITS>(src, bit));
                        if goes_on {
                            bits = bits.or(R::load_first(here, 1));
                        }
                        match room - number * step {
                            room if room >= bytes => bits.store(here),
                            room => bits.store_first(here, room as usize),
                        }
                        bit += vector.steps.0;
                        here = here.wrapping_offset(step as isize);
                        number += 1;
                    }
                }
            }
        }
    }

    /// The bytes that may be written from a bit of a row on.
    #[inline(always)]
    fn room(&self, first: i64) -> i64 {
        match self.exactly {
            Some(bits) => bits.div_ceil(8) as i64 - first / 8,
            None => i64::MAX / 16,
        }
    }
}

/// How many of some registers, `step` bytes apart, lie in `room` of which the first takes `reach`.
#[inline(always)]
fn fitting(room: i64, reach: i64, step: i64, count: i64) -> i64 {
    match room - reach {
        left if left < 0 => 0,
        left if left >= (count - 1) * step => count,
        left => left / step + 1,
    }
}

/// The tables of a register.
#[derive(Clone, Copy)]
struct Kept<R: Register, const SHIFTS: usize, const KIND: u8> {
    shifts: [u64; SHIFTS],
    shifted: [R; SHIFTS],
    turn: R,
    orders: [R; MOST_ORDERS],
    masks: [R; MOST_ORDERS],
    /// The order of ninth bytes, and their mask.
    ninths: [R; 2],
    has_turns: bool,
    has_masks: bool,
    n_orders: usize,
}

impl<R: Register, const SHIFTS: usize, const KIND: u8> Kept<R, SHIFTS, KIND> {
    /// # Safety
    /// The processor has these registers, for which the tables are; they are of such a kind.
    #[inline(always)]
    unsafe fn of<const TOGETHER: bool>(spacing: &Spacing, vector: &Vector) -> Self {
        let tables = &spacing.tables;
        let mut next = tables.bytes.as_ptr().cast::<u8>().wrapping_add(vector.table);
        // SAFETY: the caller's promise: a register has these tables, in this order.
        unsafe {
            let any = R::load(next);
            let mut kept = Kept {
                shifts: [0; SHIFTS],
                shifted: [any; SHIFTS],
                turn: any,
                orders: [any; MOST_ORDERS],
                masks: [any; MOST_ORDERS],
                ninths: [any; 2],
                has_turns: KIND != PLAIN && tables.has_turns,
                has_masks: KIND != PLAIN && tables.has_masks,
                n_orders: if KIND == PLAIN { 1 } else { tables.n_orders },
            };
            if !TOGETHER {
                next = next.wrapping_add(R::BYTES);
                if KIND == NINTHS {
                    kept.ninths[0] = R::load(next);
                    next = next.wrapping_add(R::BYTES);
                }
                if tables.has_turns {
                    kept.turn = R::load(next);
                    next = next.wrapping_add(R::BYTES);
                }
            }
            for shift in 0..SHIFTS {
                kept.shifts[shift] = spacing.shifts[shift];
                kept.shifted[shift] = R::load(next);
                next = next.wrapping_add(R::BYTES);
            }
            if !TOGETHER {
                if tables.has_masks {
                    kept.masks[0] = R::load(next);
                }
                return kept;
            }
            if tables.has_turns {
                kept.turn = R::load(next);
                next = next.wrapping_add(R::BYTES);
            }
            for pick in 0..MOST_ORDERS {
                if pick >= tables.n_orders {
                    break;
                }
                kept.orders[pick] = R::load(next);
                next = next.wrapping_add(R::BYTES);
                if tables.has_masks {
                    kept.masks[pick] = R::load(next);
                    next = next.wrapping_add(R::BYTES);
                }
            }
            if KIND == NINTHS {
                kept.ninths = [R::load(next), R::load(next.wrapping_add(R::BYTES))];
            }
            kept
        }
    }

    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn moved<const TOGETHER: bool>(&self, mut bits: R) -> R {
        // SAFETY: the caller's promise.
        unsafe {
            if !TOGETHER {
                let row = bits;
                bits = row.pick(self.orders[0]);
                if KIND == NINTHS {
                    bits = bits.funnel_each(row.pick(self.ninths[0]), self.turn);
                } else if self.has_turns {
                    bits = bits.down_each(self.turn);
                }
                for shift in 0..SHIFTS {
                    bits = bits.merge_up(self.shifted[shift], self.shifts[shift]);
                }
                return if self.has_masks { bits.and(self.masks[0]) } else { bits };
            }
            for shift in 0..SHIFTS {
                bits = bits.merge_down(self.shifted[shift], self.shifts[shift]);
            }
            let together = bits;
            if self.has_turns {
                bits = together.up_each(self.turn);
            }
            let mut bytes = bits.pick(self.orders[0]);
            if self.has_masks {
                bytes = bytes.and(self.masks[0]);
            }
            for pick in 1..MOST_ORDERS {
                if pick >= self.n_orders {
                    break;
                }
                bytes = bytes.or(bits.pick(self.orders[pick]).and(self.masks[pick]));
            }
            if KIND == NINTHS {
                let ninths = together.carried_each(self.turn);
                bytes = bytes.or(ninths.pick(self.ninths[0]).and(self.ninths[1]));
            }
            bytes
        }
    }
}
