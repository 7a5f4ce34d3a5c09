//! Bytes looked up in a table: for whatever has no powers of two, holes between its elements, or runs too
//! short for anything else.
//!
//! A register of the destination is made of *windows*, registers of the source: of each, the bytes that go
//! there are picked in their order, turned to their bits, masked and joined. That is one lookup for each
//! window, whatever the extents, strides and widths are; what is picked stands in tables, made once for a
//! *block* of the box ([`tabulate`](super::tabulate)), which are the same at every place of the loops around.

use super::level::{Level, Task, prefetch_near};
use super::place::At;
use super::places::AroundPlaces;
use super::register::Register;
use super::tile::{Around, ONCE};

/// A box that is moved by lookups, in parts whose blocks differ: what does not fill a block is a part of
/// its own.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub(super) parts: Vec<Part>,
    /// The bit of a byte of the source that it begins at.
    pub(super) bit: u8,
    /// The registers that its tables are made for.
    pub(super) level: Level,
}

/// Blocks of the same tables. Places are in bytes.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Where the first block lies from the byte that the box begins in.
    pub(super) start: (i64, i64),
    /// The loops around a block.
    pub(super) around: Vec<Around>,
    /// The registers that are written.
    pub(super) outs: Vec<Out>,
    /// What each is made of, one after the other.
    pub(super) picks: Vec<Pick>,
    /// Of each pick its order, of each its mask if there are bits or they stay in registers, and of each register that is written
    /// in part what is kept.
    pub(super) tables: Vec<Table>,
    /// The bytes from a block's first place that windows reach, if they are read as a whole.
    pub(super) reach: i64,
    /// Whether bits are turned, or bytes are picked or written in part.
    pub(super) has_bits: bool,
    /// How far from each window lines are asked for, in bytes, if windows lie so far apart that they have to be; else 0.
    pub(super) ahead: i64,
}

/// A register that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Out {
    /// Where it lies in the destination.
    pub(super) dst: i64,
    /// How many picks it is made of.
    pub(super) picks: usize,
    /// The bytes from its first to its last, and those that are written, as bits.
    pub(super) len: usize,
    pub(super) owned: u64,
    pub(super) written: Written,
}

/// What is written of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// All of it.
    Whole,
    /// Its first bytes.
    First,
    /// Some bytes.
    Bytes,
    /// Some bits. Only here the destination is read: what has just been stored there in part is waited for.
    Bits,
}

impl Written {
    /// Whether there is a table of what stays.
    pub(super) fn is_in_part(self) -> bool {
        matches!(self, Written::Bytes | Written::Bits)
    }
}

/// What one window gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pick {
    /// Where the window lies in the source.
    pub(super) src: i64,
    /// The bytes that it has to have.
    pub(super) len: usize,
    /// How far each 64 bits are turned to the left.
    pub(super) turn: u64,
    /// The bytes of the register that it gives something to, as bits.
    pub(super) bytes: u64,
}

/// A cache line of tables.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Table(pub(super) [u8; 64]);

/// The tables of so many picks stay in registers.
const MOST_KEPT: usize = 6;

/// The bytes of a window.
pub(super) fn window(level: Level) -> usize {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => 64,
        _ => 16,
    }
}

impl Lookup {
    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let part = |part: &Part| {
            part.around.capacity() * size_of::<Around>()
                + part.outs.capacity() * size_of::<Out>()
                + part.picks.capacity() * size_of::<Pick>()
                + part.tables.capacity() * size_of::<Table>()
        };
        self.parts.capacity() * size_of::<Part>() + self.parts.iter().map(part).sum::<usize>()
    }

    /// Whether it reads much of what it writes, as is slow where that is not in the caches.
    pub(super) fn reads_destination(&self) -> bool {
        let outs = || self.parts.iter().flat_map(|part| &part.outs);
        8 * outs().filter(|out| out.written == Written::Bits).count() > outs().count()
    }

    /// Moves the box.
    ///
    /// # Safety
    /// All elements of the box that this was made of can be read and written from `at` on,
    /// the source up to `end`, and the two sides do not overlap.
    pub(super) unsafe fn run(&self, at: At, end: *const u8) {
        // SAFETY: the caller's promise.
        unsafe { self.level.run(Moving { lookup: self, at, end }) }
    }
}

struct Moving<'l> {
    lookup: &'l Lookup,
    at: At,
    end: *const u8,
}

impl Task for Moving<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        for part in &self.lookup.parts {
            let at = self.at.plus(part.start.0, part.start.1);
            // SAFETY: the caller's promise; tables are made for windows of 64 bytes where registers have
            // as many, and else of 16.
            unsafe {
                match (R::BYTES == 64, part.has_bits) {
                    (true, false) => part.run::<R, false>(at, self.end),
                    (true, true) => part.run::<R, true>(at, self.end),
                    (false, false) => part.run::<R::Lane, false>(at, self.end),
                    (false, true) => part.run::<R::Lane, true>(at, self.end),
                }
            }
        }
    }
}

impl Part {
    /// Whether a block is a register whose tables stay in registers.
    pub(super) fn is_of_registers(&self) -> bool {
        self.outs.len() == 1 && self.picks.len() <= MOST_KEPT
    }

    /// Moves every block.
    ///
    /// # Safety
    /// As [`Lookup::run`], for this part and registers of a window.
    #[inline(always)]
    unsafe fn run<R: Register, const BITS: bool>(&self, at: At, end: *const u8) {
        // SAFETY: the caller's promise; these are the register of a block and its picks.
        unsafe {
            match (self.outs.as_slice(), self.picks.as_slice()) {
                ([out], [a]) => self.registers::<R, BITS, 1>(out, [a], at, end),
                ([out], [a, b]) => self.registers::<R, BITS, 2>(out, [a, b], at, end),
                ([out], [a, b, c]) => self.registers::<R, BITS, 3>(out, [a, b, c], at, end),
                ([out], [a, b, c, d]) => self.registers::<R, BITS, 4>(out, [a, b, c, d], at, end),
                ([out], [a, b, c, d, e]) => {
                    self.registers::<R, BITS, 5>(out, [a, b, c, d, e], at, end);
                }
                ([out], [a, b, c, d, e, f]) => {
                    self.registers::<R, BITS, MOST_KEPT>(out, [a, b, c, d, e, f], at, end);
                }
                _ => self.blocks::<R, BITS>(at, end),
            }
        }
    }

    /// Moves every block of one register, whose tables stay in registers.
    ///
    /// # Safety
    /// As [`run`](Self::run); blocks have this register and these picks.
    #[inline(always)]
    unsafe fn registers<R: Register, const BITS: bool, const N: usize>(
        &self,
        out: &Out,
        picks: [&Pick; N],
        at: At,
        end: *const u8,
    ) {
        // SAFETY: the caller's promise: the processor has these registers.
        let zero = unsafe { R::zero() };
        let (mut orders, mut masks) = ([zero; N], [zero; N]);
        let mut tables = self.tables::<R, true>();
        for pick in 0..N {
            // SAFETY: there are tables for each pick.
            (orders[pick], masks[pick]) = unsafe { tables.next_pick::<R, true>() };
        }
        // SAFETY: and one for a register that is written in part.
        let kept = unsafe { tables.next_kept::<R>(out.written) };
        // As far as the compiler knows, what is stored may be any of what is borrowed.
        let (out, picks, reach, ahead) =
            (*out, picks.map(|pick| *pick), self.reach as usize, self.ahead);
        // The two innermost loops are counted here, the others place by place.
        let (rest, inner) = last(&self.around);
        let (rest, outer) = last(rest);
        let steps = inner.count - 1;
        let back = if steps > 0 { (inner.src_back, inner.dst_back) } else { (0, 0) };
        let to_last = (steps * inner.src - back.0, steps * inner.dst - back.1);
        let mut places = AroundPlaces::new(rest, at);
        while let Some(mut first) = places.next() {
            let mut rows = outer.count;
            while rows > 0 {
                rows -= 1;
                if rows == 0 && outer.count > 1 {
                    first = first.plus(-outer.src_back, -outer.dst_back);
                }
                let last = first.plus(to_last.0, to_last.1);
                let (mut at, mut blocks) = (first, inner.count);
                while blocks > 0 {
                    blocks -= 1;
                    if blocks == 0 {
                        at = last;
                    }
                    let is_whole = (end as usize).wrapping_sub(at.src as usize) >= reach;
                    let mut joined = zero;
                    for number in 0..N {
                        let (pick, order, mask) = (picks[number], orders[number], masks[number]);
                        if ahead != 0 {
                            prefetch_near(pick.window(at.plus(ahead, 0)));
                        }
                        // SAFETY: the caller's promise; windows are read as a whole where the source has all of them.
                        joined = unsafe {
                            pick.joined_to::<R, BITS, true>(joined, at, (order, mask), is_whole)
                        };
                    }
                    // SAFETY: the caller's promise: the register has bytes of elements.
                    unsafe { out.write::<R, BITS>(joined, kept, at) };
                    at = at.plus(inner.src, inner.dst);
                }
                first = first.plus(outer.src, outer.dst);
            }
        }
    }

    /// Moves every block, pick by pick.
    ///
    /// # Safety
    /// As [`run`](Self::run).
    #[inline(always)]
    unsafe fn blocks<R: Register, const BITS: bool>(&self, at: At, end: *const u8) {
        let mut places = AroundPlaces::new(&self.around, at);
        while let Some(at) = places.next() {
            let left = (end as usize).wrapping_sub(at.src as usize);
            // SAFETY: the caller's promise; windows are read as a whole where the source has all of them.
            unsafe {
                match left >= self.reach as usize {
                    true => self.block::<R, BITS, true>(at),
                    false => self.block::<R, BITS, false>(at),
                }
            }
        }
    }

    /// Moves one block, reading `WHOLE` windows or what is needed of them.
    ///
    /// # Safety
    /// As [`Lookup::run`], for a block at one of the places; whole windows can be read if they are to be.
    #[inline(always)]
    unsafe fn block<R: Register, const BITS: bool, const WHOLE: bool>(&self, at: At) {
        if self.ahead != 0 {
            for pick in &self.picks {
                prefetch_near(pick.window(at.plus(self.ahead, 0)));
            }
        }
        let (mut picks, mut tables) = (self.picks.iter(), self.tables::<R, BITS>());
        for out in &self.outs {
            // SAFETY: the caller's promise: windows hold bytes of elements from their first to their last
            // that is needed, as do the registers that are written. There are tables for each pick and
            // one for each register of which some bytes or bits are written.
            unsafe {
                let mut joined = R::zero();
                for pick in picks.by_ref().take(out.picks) {
                    let tables = tables.next_pick::<R, BITS>();
                    joined = pick.joined_to::<R, BITS, BITS>(joined, at, tables, WHOLE);
                }
                let kept = tables.next_kept::<R>(out.written);
                out.write::<R, BITS>(joined, kept, at);
            }
        }
    }

    /// Its tables, from the first, with masks or without.
    #[inline(always)]
    fn tables<R: Register, const MASKS: bool>(&self) -> Tables {
        let order = self.tables.as_ptr().cast::<u8>();
        let mask = order.wrapping_add(self.picks.len() * R::BYTES);
        let kept = if MASKS { mask.wrapping_add(self.picks.len() * R::BYTES) } else { mask };
        Tables { order, mask, kept }
    }
}

/// Where the next tables are: the orders of all picks, their masks, and what is kept.
struct Tables {
    order: *const u8,
    mask: *const u8,
    kept: *const u8,
}

impl Tables {
    /// The order of the next pick, and its mask if picks have any.
    ///
    /// # Safety
    /// The processor has these registers, and there is another pick.
    #[inline(always)]
    unsafe fn next_pick<R: Register, const MASKS: bool>(&mut self) -> (R, R) {
        // SAFETY: the caller's promise: there is an order for each pick, and a mask.
        unsafe {
            let order = R::load(self.order);
            self.order = self.order.add(R::BYTES);
            let mut mask = R::zero();
            if MASKS {
                mask = R::load(self.mask);
                self.mask = self.mask.add(R::BYTES);
            }
            (order, mask)
        }
    }

    /// What is kept of the next register, if it is `written` in part.
    ///
    /// # Safety
    /// The processor has these registers, and there is such a register.
    #[inline(always)]
    unsafe fn next_kept<R: Register>(&mut self, written: Written) -> R {
        // SAFETY: the caller's promise: there is a table for each register that is written in part.
        unsafe {
            if !written.is_in_part() {
                return R::zero();
            }
            let kept = R::load(self.kept);
            self.kept = self.kept.add(R::BYTES);
            kept
        }
    }
}

/// The innermost of some loops, and those around it.
#[inline(always)]
fn last(around: &[Around]) -> (&[Around], Around) {
    match around {
        [around @ .., last] => (around, *last),
        [] => (around, ONCE),
    }
}

impl Out {
    /// Writes a register of a block at this place. `kept` has the bits that stay, of registers that are written in part.
    ///
    /// # Safety
    /// The bytes that it has there can be written, and those up to them be read.
    #[inline(always)]
    unsafe fn write<R: Register, const BITS: bool>(&self, joined: R, kept: R, at: At) {
        let to = at.dst.wrapping_offset(self.dst as isize);
        // SAFETY: the caller's promise.
        unsafe {
            if self.written == Written::Whole {
                joined.store(to);
            } else if self.written == Written::First {
                joined.store_first(to, self.len);
            } else if BITS && self.written == Written::Bits {
                let before = R::load_first(to, self.len).and(kept);
                joined.or(before).store_first(to, self.len);
            } else {
                joined.store_some(to, kept, self.owned, self.len);
            }
        }
    }
}

impl Pick {
    /// Its window of a block at this place.
    #[inline(always)]
    fn window(&self, at: At) -> *const u8 {
        at.src.wrapping_offset(self.src as isize)
    }

    /// A register with what it gives of a block at this place, by its order and its mask if that is loaded, from all of its window or
    /// from what is needed of it. By bytes there is one fewer to load, but each pick waits for the one before.
    ///
    /// # Safety
    /// As [`Part::block`]; the register has zeros there.
    #[inline(always)]
    unsafe fn joined_to<R: Register, const BITS: bool, const MASKED: bool>(
        &self,
        joined: R,
        at: At,
        (order, mask): (R, R),
        is_whole: bool,
    ) -> R {
        let from = self.window(at);
        // SAFETY: the caller's promise.
        unsafe {
            let window = if is_whole { R::load(from) } else { R::load_first(from, self.len) };
            if !MASKED {
                return window.pick_to(joined, order, self.bytes);
            }
            let mut bytes = window.pick(order);
            if BITS {
                bytes = bytes.turn(self.turn);
            }
            joined.or(bytes.and(mask))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mover, Slots};
    use super::{At, Level, Lookup, window};
    use crate::bits;
    use crate::nest::drawn::Draw;
    use crate::nest::{Loop, walk};

    /// Moves a box by lookups, with all registers there are, and element by element. Says whether there
    /// are tables for it.
    fn check(loops: &[Loop], slots: Slots) -> bool {
        check_from(0, loops, slots)
    }

    /// The same of a box that begins at a bit of the source's first byte.
    fn check_from(bit: u8, loops: &[Loop], slots: Slots) -> bool {
        let bytes = |slot: i64, stride: fn(&Loop) -> i64| {
            let reach: i64 = loops.iter().map(|l| (l.extent - 1) * stride(l)).sum();
            (i64::from(bit) + (reach + 1) * slot).unsigned_abs().div_ceil(8) as usize
        };
        let pattern =
            |n: usize, by: usize| -> Vec<u8> { (0..n).map(|i| ((i * by) >> 3) as u8).collect() };
        let src = pattern(bytes(slots.src, |l| l.src), 0x9e37);
        // What is not written stays, within a byte and beside the box.
        let before = pattern(bytes(slots.dst, |l| l.dst), 0x51ed);
        let mut expected = before.clone();
        let (value, width) = (slots.value as u32, slots.dst as u32);
        walk(loops, (0, 0), &mut |(from, to)| {
            let first = i64::from(bit) + from * slots.src;
            let element = bits::read(&src, first as usize, value);
            bits::write(&mut expected, (to * slots.dst) as usize, width, element);
        });
        for level in Level::all() {
            let of = |most| Lookup::of(loops, slots, bit, level, most);
            let Some(lookup) = of(f64::INFINITY) else { return false };
            assert!(lookup.held_bytes() <= Mover::MOST_BYTES, "{loops:?}: {}", lookup.held_bytes());
            // What takes no more than it may is never refused.
            let most = lookup.cost() * (1.0 + 1e-9);
            let bounded = of(most).map(|lookup| lookup.cost());
            assert!(bounded.is_some_and(|cost| cost <= most), "{loops:?}, {slots:?}: {bounded:?}");
            let mut dst = before.clone();
            let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
            // SAFETY: the buffers are as long as the loops reach.
            unsafe { lookup.run(at, src.as_ptr_range().end) };
            assert_eq!(dst, expected, "{loops:?}, {slots:?}: {lookup:?}");
        }
        true
    }

    fn l(extent: i64, src: i64, dst: i64) -> Loop {
        Loop { extent, src, dst }
    }

    #[test]
    fn three_rows_in_fours() {
        let bytes = Slots::same(8);
        assert!(check(&[l(100, 1, 4), l(3, 100, 1)], bytes));
        // And back, of nibbles as well.
        assert!(check(&[l(3, 1, 100), l(100, 4, 1)], bytes));
        assert!(check(&[l(3, 1, 100), l(100, 4, 1)], Slots::same(4)));
    }

    /// Row 4 of tiles of 32 rows of bits, to bytes of tiles of 4; and others whose steps are whole bytes.
    #[test]
    fn what_begins_at_a_bit_of_the_source() {
        let n = if cfg!(miri) { 9 } else { 128 };
        for bit in 1..8 {
            let row = [l(3, 32 * n, 8 * n), l(n, 32, 4)];
            assert!(check_from(bit, &row, Slots { value: 1, src: 1, dst: 8 }), "{bit}");
            let pairs = [l(n, 10, 3), l(5, 2, n * 3)];
            assert!(check_from(bit, &pairs, Slots { value: 2, src: 4, dst: 8 }), "{bit}");
            assert!(check_from(bit, &[l(5, 1, n), l(n, 7, 1)], Slots::same(8)), "{bit}");
        }
    }

    /// Of the bytes of a register, a window has those of five rows, not six: blocks of five take less.
    #[test]
    fn blocks_of_as_many_rows_as_a_window_has() {
        for row in [12, 7, 6, 15] {
            let n = if cfg!(miri) { 30 } else { 1000 };
            assert!(check(&[l(n, row + 1, row), l(row, 1, 1)], Slots::same(8)), "{row}");
        }
    }

    #[test]
    fn rows_that_begin_within_bytes() {
        let [long, odd, rows] = if cfg!(miri) { [35, 19, 47] } else { [131, 67, 2047] };
        let [m, n] = if cfg!(miri) { [3, 4] } else { [7, 9] };
        assert!(check(&[l(long, 1, 8), l(5, long, 1)], Slots::same(4)));
        assert!(check(&[l(m, odd, n * odd), l(n, m * odd, odd), l(odd, 1, 1)], Slots::same(2)));
        assert!(check(&[l(rows, 8, 3), l(3, 1, 1)], Slots { value: 4, src: 8, dst: 4 }));
    }

    /// Those whose registers are lines.
    fn levels_of_lines() -> impl Iterator<Item = Level> {
        Level::all().into_iter().filter(|&level| window(level) == 64)
    }

    /// Two of a batch of odd matrices are one block: no part of one is left, and no register beside the last is written in part.
    #[test]
    fn matrices_of_a_batch() {
        let shapes: &[(i64, i64)] =
            if cfg!(miri) { &[(3, 5)] } else { &[(7, 63), (63, 7), (15, 15)] };
        for &(rows, columns) in shapes {
            for n in [2, 3, 7] {
                let each = rows * columns;
                let loops = [l(n, each, each), l(columns, 1, rows), l(rows, columns, 1)];
                for bits in [4, 2, 1] {
                    // Others may be more picks than tables are made for.
                    let is_moved = check(&loops, Slots::same(bits));
                    assert!(is_moved || bits < 4 || n != 2, "{loops:?}, {bits} bits");
                }
            }
            let each = rows * columns;
            let loops = [l(2, each, each), l(columns, 1, rows), l(rows, columns, 1)];
            for level in levels_of_lines() {
                let lookup = Lookup::of(&loops, Slots::same(4), 0, level, f64::INFINITY);
                let parts = lookup.map(|lookup| lookup.parts).unwrap_or_default();
                let [part] = &parts[..] else { panic!("{loops:?}") };
                let reach = part.outs.last().map(|out| out.dst + out.len as i64);
                assert_eq!(reach, Some(each), "{loops:?}");
                assert_eq!(part.outs.len() as i64, (each + 63) / 64, "{loops:?}");
            }
        }
    }

    /// Matrices of odd numbers of bits, of which eight are a block: as many begin and end at whole bytes.
    #[test]
    fn blocks_of_thousands_of_bits() {
        let shapes: &[(i64, i64)] =
            if cfg!(miri) { &[(3, 91)] } else { &[(3, 91), (17, 17), (5, 101)] };
        for &(rows, columns) in shapes {
            let each = rows * columns;
            let loops = [l(16, each, each), l(columns, 1, rows), l(rows, columns, 1)];
            for level in levels_of_lines() {
                let lookup = Lookup::of(&loops, Slots::same(1), 0, level, f64::INFINITY);
                assert!(lookup.is_some(), "{loops:?}");
            }
            check(&loops, Slots::same(1));
        }
    }

    /// Where blocks of whole chains are too much for tables, smaller ones are not.
    #[test]
    fn chains_that_are_too_long() {
        let boxes = [
            (2, [l(999, 4725, 4725), l(63, 75, 15), l(5, 15, 945), l(15, 1, 1)]),
            (2, [l(101, 1386, 1386), l(126, 11, 1), l(11, 1, 126), l(1, 1, 1)]),
        ];
        for (bits, loops) in boxes {
            for level in levels_of_lines() {
                let lookup = Lookup::of(&loops, Slots::same(bits), 0, level, f64::INFINITY);
                assert!(lookup.is_some(), "{loops:?}");
            }
        }
    }

    #[test]
    fn boxes_of_any_strides_and_widths() {
        let mut draw = Draw(11);
        let (mut n_moved, n) = (0, if cfg!(miri) { 4 } else { 1500 });
        for _ in 0..n {
            let most = if cfg!(miri) { 300 } else { 20_000 };
            let Some(loops) = draw.permutation(most) else { continue };
            let (value, from, to) = draw.widths();
            n_moved += usize::from(check(&loops, Slots { value, src: from, dst: to }));
        }
        assert!(n_moved > n / 3, "{n_moved} of {n}");
    }
}
