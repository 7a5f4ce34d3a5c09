//! Rows zipped together and taken apart where there are 3, 5, 6, 7 or 9 of them: the colours of an
//! image, the coordinates of points, the weights of a filter.
//!
//! Numbers that are no powers of two are no bits of a tile's index. Every register that comes out is put
//! together from those that went in, the bytes of each shuffled to their places and zeros elsewhere. Of `3 × 3` rows that is
//! done twice, where every register would have some of all: every third is zipped with two others, and what comes out once more.

use super::copies::Part;
use super::level::prefetch;
use super::place::{At, CACHED, LINE, PAGE, STREAMED, copy_one, put};
use super::register::Register;
use std::mem::MaybeUninit;

/// `K` rows of elements, `step` bytes apart, and how long they are in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) step: i64,
    pub(super) length: usize,
    /// How many of the rows are there, where a run is taken apart.
    pub(super) kept: usize,
}

impl Rows {
    /// The elements of a row that are taken apart `count` at a time: all that goes with the last one
    /// may not be there.
    #[inline(always)]
    pub(super) fn whole(&self, count: usize) -> usize {
        self.length - usize::from(self.kept < count)
    }
}

/// No more rows than this are woven.
const MAX_ROWS: usize = 9;

/// The bytes of the registers that are shuffled.
const BYTES: usize = 16;

/// What is streamed is put together in the first cache: so many bytes of each row at a time. Shorter rows go where they go by way of
/// the caches as quickly.
const PART: usize = 512;

/// The bytes of parts of as many rows as there may be, with a line before each, and of what is one behind the other, in one page.
const STAGE: usize = MAX_ROWS * (PART + LINE);
const CHAIN: usize = PAGE - LINE;

/// Runs whose ends are parts of lines are streamed from registers if they have so many bytes, and begin at 16; others by way of a
/// stage.
const LONG_RUN: usize = 8192;

/// Room for what is streamed.
#[repr(align(4096))]
pub(super) struct Stage(MaybeUninit<[u8; STAGE]>);

impl Stage {
    pub(super) const fn new() -> Self {
        Stage(MaybeUninit::uninit())
    }

    /// Where what is streamed is put, behind a line of room.
    #[inline(always)]
    fn first(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(LINE)
    }
}

/// What goes to a destination one behind the other, and is streamed from a stage when that is full.
pub(super) struct Streamed<'s> {
    stage: &'s mut Stage,
    /// Where the stage begins in the destination, and the bytes there are.
    to: *mut u8,
    len: usize,
    /// Whether nothing of the line that it begins within was left by what was before.
    begins: bool,
}

impl<'s> Streamed<'s> {
    /// By way of a stage, from this place on.
    #[inline(always)]
    pub(super) fn new(stage: &'s mut Stage, to: *mut u8) -> Self {
        Streamed { stage, to, len: 0, begins: true }
    }

    /// Room for so many bytes that go to this place, no more than a stage has, which are put there before there is more said of.
    ///
    /// # Safety
    /// The processor has the registers; what was put here before can be written where it was said to go.
    #[inline(always)]
    unsafe fn room<R: Register>(&mut self, to: *mut u8, bytes: usize) -> *mut u8 {
        let goes_on = self.to.wrapping_add(self.len) == to;
        if !goes_on || self.len + bytes > CHAIN {
            // SAFETY: the caller's promise.
            unsafe { self.flush::<R>(!goes_on) };
            self.to = to;
        }
        let room = self.stage.first().wrapping_add(self.len);
        self.len += bytes;
        room
    }

    /// Writes what there is, which nothing goes on with if it `ends`.
    ///
    /// # Safety
    /// As [`room`](Self::room).
    #[inline(always)]
    pub(super) unsafe fn flush<R: Register>(&mut self, ends: bool) {
        if self.len > 0 {
            let part = Part { len: self.len, begins: self.begins, ends };
            // SAFETY: the caller's promise.
            unsafe { part.stream::<R>(self.stage.first(), self.to) };
        }
        self.to = self.to.wrapping_add(self.len);
        (self.len, self.begins) = (0, ends);
    }
}

/// For every register that comes out and every one that goes in, where bytes come from.
type Shuffles = [[[u8; BYTES]; MAX_ROWS]; MAX_ROWS];

/// Has a shuffle write a zero.
const ZERO: u8 = 0x80;

/// Whether so many rows of elements of `unit` bytes are woven.
pub(super) const fn is_woven(count: i64, unit: i64) -> bool {
    matches!(count, 3 | 5..=7 | 9) && unit <= 8
}

/// How registers of `rows` rows of elements of `unit` bytes make the registers of one run, or the
/// other way round.
const fn shuffles(unit: usize, rows: usize, is_apart: bool) -> Shuffles {
    let mut all = [[[ZERO; BYTES]; MAX_ROWS]; MAX_ROWS];
    let mut byte = 0;
    while byte < BYTES * rows {
        // A byte of the run, and the byte of a row that it is.
        let (element, within) = (byte / unit, byte % unit);
        let (row, place) = (element % rows, element / rows * unit + within);
        let (register, here) = (byte / BYTES, byte % BYTES);
        if is_apart {
            all[row][register][place] = here as u8;
        } else {
            all[register][row][here] = place as u8;
        }
        byte += 1;
    }
    all
}

/// The shuffles of `ROWS` rows of elements of `UNIT` bytes, worked out once however many registers they are for.
struct Known<const UNIT: usize, const ROWS: usize, const APART: bool>;

impl<const UNIT: usize, const ROWS: usize, const APART: bool> Known<UNIT, ROWS, APART> {
    const SHUFFLES: &'static Shuffles = &shuffles(UNIT, ROWS, APART);

    /// Whether one register that goes in has any bytes of one that comes out.
    const fn has_bytes(to: usize, from: usize) -> bool {
        let order = &Self::SHUFFLES[to][from];
        let mut byte = 0;
        while byte < BYTES && order[byte] == ZERO {
            byte += 1;
        }
        byte < BYTES
    }
}

/// Does something for each number below `K`, which is at most 9: written out, so that registers stay
/// registers.
macro_rules! for_each {
    ($place:ident in $k:ident, $body:block) => {
        for_each!($place in $k, $body; 0 1 2 3 4 5 6 7 8)
    };
    ($place:ident in $k:ident, $body:block; $($number:literal)*) => {
        $(if $number < $k {
            const $place: usize = $number;
            $body
        })*
    };
}

/// For every register that comes out and every one that goes in, where bytes come from.
type Orders<R, const K: usize> = [[R; K]; K];

/// Of rows of elements of 1 or 2 bytes that are zipped together, or that a run is taken `APART` to. Of more bytes, what goes
/// where is known when this is compiled.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
pub(super) unsafe fn orders<R: Register, const K: usize, const APART: bool>(
    unit: usize,
) -> Orders<R, K> {
    let all = match unit {
        1 => Known::<1, K, APART>::SHUFFLES,
        _ => Known::<2, K, APART>::SHUFFLES,
    };
    // SAFETY: the caller's promise.
    unsafe {
        let mut orders = [[R::repeat(&all[0][0]); K]; K];
        for_each!(TO in K, {
            for_each!(FROM in K, {
                orders[TO][FROM] = R::repeat(&all[TO][FROM]);
            });
        });
        orders
    }
}

/// Rows of which `K` make a run, of which `B` are woven at once, all of them or as many as are left then: of elements of `unit` bytes.
/// Those are `N`, or fewer of so few that every register has some of every other.
pub(super) struct Weaver<'t, R: Register, const B: usize, const K: usize, const N: usize> {
    orders: &'t Orders<R, B>,
    rows: Rows,
    unit: usize,
}

impl<'t, R: Register, const B: usize, const K: usize, const N: usize> Weaver<'t, R, B, K, N> {
    #[inline(always)]
    pub(super) fn new(orders: &'t Orders<R, B>, rows: Rows, unit: usize) -> Self {
        const { assert!(K == B || K == B * B, "all at once, or in two turns") };
        const { assert!(N >= 4 || B <= BYTES / N, "every register has some of every other") };
        debug_assert!(unit == N || N < 4 && unit < N, "{unit} bytes and not {N}");
        // Loaded ahead of the loop, so many orders would be stored and loaded again: they stay in memory, where shuffles take
        // them from. Of five rows, which are 25, most stay in the registers of AVX-512.
        let orders = if N < 4 && B > 5 { std::hint::black_box(orders) } else { orders };
        Weaver { orders, rows, unit }
    }

    /// Whether anything goes past the caches: rows of at least a part, or runs of whole lines.
    #[inline(always)]
    pub(super) fn may_stream<const APART: bool>(&self) -> bool {
        let row = self.rows.length * self.unit();
        row >= PART || !APART && (row * K).is_multiple_of(LINE)
    }

    /// The bytes of an element.
    #[inline(always)]
    fn unit(&self) -> usize {
        if N >= 4 { N } else { self.unit }
    }

    /// The register that comes out as number `TO`: the bytes of all that go in, which are as long as those of the orders or a
    /// lane of them, shuffled and put together.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn shuffled<L: Register, const APART: bool, const TO: usize>(&self, from: &[L; B]) -> L {
        const { assert!(L::BYTES <= R::BYTES, "an order is of no more bytes") };
        // SAFETY: the caller's promise; each lane has the same order.
        unsafe {
            let mut to: Option<L> = None;
            for_each!(FROM in B, {
                if const { Known::<N, B, APART>::has_bytes(TO, FROM) } {
                    // What is known when this is compiled may take less than a shuffle.
                    let order = match N {
                        4.. => L::repeat(const { &Known::<N, B, APART>::SHUFFLES[TO][FROM] }),
                        _ => L::load(std::ptr::from_ref(&self.orders[TO][FROM]).cast()),
                    };
                    let bytes = from[FROM].shuffle(order);
                    to = match to {
                        None => Some(bytes),
                        Some(to) => Some(to.or(bytes)),
                    };
                }
            });
            match to {
                Some(to) => to,
                None => from[0],
            }
        }
    }

    /// Gives the registers of a run that those of `K` rows make, or of the rows that it is taken `APART` to, each with its number.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn woven<L: Register, const APART: bool>(
        &self,
        from: &[L; K],
        mut give: impl FnMut(usize, L),
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            if K == B {
                return self.turn::<L, APART>(from, [0, 1], give);
            }
            // A run has `B` registers of each part, and every `B`-th row is of one.
            let mut between = *from;
            for_each!(GROUP in B, {
                let first = if APART { [GROUP * B, 1] } else { [GROUP, B] };
                self.turn::<L, APART>(from, first, |number, register| {
                    between[number * B + GROUP] = register;
                });
            });
            for_each!(GROUP in B, {
                let last = if APART { [GROUP, B] } else { [GROUP * B, 1] };
                self.turn::<L, APART>(&between, [GROUP * B, 1], |number, register| {
                    give(last[0] + number * last[1], register);
                });
            });
        }
    }

    /// Gives the `B` registers that come out of as many, of which there is one after every `step` from the first on.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn turn<L: Register, const APART: bool>(
        &self,
        from: &[L; K],
        [first, step]: [usize; 2],
        mut give: impl FnMut(usize, L),
    ) {
        let mut part = [from[0]; B];
        for_each!(FROM in B, {
            part[FROM] = from[first + FROM * step];
        });
        for_each!(TO in B, {
            // SAFETY: the caller's promise.
            give(TO, unsafe { self.shuffled::<L, APART, TO>(&part) });
        });
    }

    /// Weaves `K` rows of the source into one run of the destination past the caches: from registers where they are lines' or the run
    /// is long, else by way of a stage, in parts, if rows have one.
    ///
    /// # Safety
    /// As [`weave_rows`](Self::weave_rows).
    #[inline(always)]
    pub(super) unsafe fn stream_run(&self, streamed: &mut Streamed<'_>, at: At) {
        let (unit, row) = (self.unit(), self.rows.length * self.unit());
        let is_of_lines = (at.dst as usize | (row * K)).is_multiple_of(LINE);
        let is_at_register = (at.dst as usize).is_multiple_of(BYTES);
        let is_direct = is_at_register && (is_of_lines || row * K >= LONG_RUN);
        let is_staged = !is_direct && row >= PART;
        let most = if is_staged { PART.min(CHAIN / K / LINE * LINE) } else { row };
        let mut done = 0;
        while done < row {
            let len = (row - done).min(most);
            let from = at.plus(done as i64, (done * K) as i64);
            // SAFETY: the caller's promise; registers are streamed to multiples of one.
            unsafe {
                let dst = match is_staged {
                    true => streamed.room::<R>(from.dst, len * K),
                    false => from.dst,
                };
                let part = self.part(len / unit, self.rows.step);
                part.weave_rows(At { dst, ..from }, [is_direct, is_of_lines], true);
            }
            done += len;
        }
    }

    /// Weaves `K` rows of the source into one run of the destination, past the caches if it `streams`. What registers leave of that
    /// goes past them too if the run is whole lines, or through the caches, with the line that it is in.
    ///
    /// # Safety
    /// The processor has these registers, whose orders are for that. As many elements as a row has can be read in each of the
    /// rows, and `K` times as many written. What is streamed begins at a multiple of 16 bytes.
    #[inline(always)]
    pub(super) unsafe fn weave_rows(&self, at: At, [streams, is_of_lines]: [bool; 2], asks: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            let (mut done, is_lane) = (0, R::BYTES == BYTES);
            if !is_lane {
                done = match streams {
                    true => self.weave::<R, STREAMED>(at, 0, asks),
                    false => self.weave::<R, CACHED>(at, 0, asks),
                };
            }
            // Of an odd number of rows, whole lines are whole registers of any length.
            if streams && (is_lane || is_of_lines && K.is_multiple_of(2)) {
                done = self.weave::<R::Lane, STREAMED>(at, done, is_lane && asks);
            }
            let done = self.weave::<R::Lane, CACHED>(at, done, is_lane && asks);
            self.rest::<false>(at, done);
        }
    }

    /// What weaves so many elements of each row, so many bytes apart.
    #[inline(always)]
    fn part(&self, length: usize, step: i64) -> Self {
        Weaver { rows: Rows { length, step, ..self.rows }, ..*self }
    }

    /// The byte of a row of `len` where the next register begins after so many are `done`: one of 16 bytes that shares elements with
    /// what is done, if that takes less than to move those one by one that are left.
    #[inline(always)]
    fn next<L: Register>(&self, done: usize, len: usize) -> Option<usize> {
        let left = len - done;
        let may_share = L::BYTES == BYTES && len >= BYTES;
        match left >= L::BYTES {
            true => Some(done),
            false if may_share && left > (K / 2 + 2) * self.unit() => Some(len - BYTES),
            false => None,
        }
    }

    /// Weaves from byte `done` of each row on as long as there are registers, and asks for what lies ahead if it `asks`. Says how far.
    ///
    /// # Safety
    /// As [`weave_rows`](Self::weave_rows); for streaming, the destination is a multiple of 16 bytes.
    #[inline(always)]
    unsafe fn weave<L: Register, const S: u8>(&self, at: At, mut done: usize, asks: bool) -> usize {
        let len = self.rows.length * self.unit();
        // Registers are streamed to multiples of one.
        while let Some(next) = self.next::<L>(done, len).filter(|&n| S != STREAMED || n == done) {
            done = next;
            let from = at.plus(done as i64, (done * K) as i64);
            // SAFETY: each row has a register there, and there is room for all of them.
            unsafe {
                let mut registers = [L::load(from.src); K];
                for_each!(ROW in K, {
                    let from = from.plus(ROW as i64 * self.rows.step, 0);
                    registers[ROW] = L::load(from.src);
                    if asks {
                        from.prefetch_near_ahead();
                    }
                });
                let mut run = registers;
                self.woven::<L, false>(&registers, |place, register| run[place] = register);
                for lane in 0..L::BYTES / BYTES {
                    for_each!(PLACE in K, {
                        let to = from.plus(0, ((lane * K + PLACE) * BYTES) as i64).dst;
                        put::<L::Lane, S>(run[PLACE].lane(lane), to);
                    });
                }
            }
            done += L::BYTES;
        }
        done
    }

    /// Takes a run of the source apart into `K` rows of the destination past the caches, by way of a stage, before rows that begin
    /// at `next`.
    ///
    /// # Safety
    /// As [`unweave_rows`](Self::unweave_rows).
    #[inline(always)]
    pub(super) unsafe fn stream_rows(&self, streamed: &mut Streamed<'_>, at: At, next: Option<At>) {
        let Rows { step, kept, .. } = self.rows;
        let (unit, row) = (self.unit(), self.rows.length * self.unit());
        let first = |at: At, number: usize| at.plus(0, number as i64 * step).dst;
        let follows = row * kept <= CHAIN && (row as i64 == step || kept == 1);
        if !follows {
            // Stores of a part of a line would wait for it.
            for number in 0..kept {
                ask_for_part(first(at, number).wrapping_add(row));
                if let Some(next) = next {
                    ask_for_part(first(next, number));
                }
            }
        }
        let (most, pitch) = (if follows { row } else { PART }, PART + LINE);
        let mut done = 0;
        while done < row {
            let len = (row - done).min(most);
            let from = at.plus((done * K) as i64, done as i64);
            // SAFETY: the caller's promise; no more goes to the stage than there is room for.
            unsafe {
                let (dst, step) = match follows {
                    true => (streamed.room::<R>(from.dst, row * kept), step),
                    false => (streamed.stage.first(), pitch as i64),
                };
                self.part(len / unit, step).unweave_rows(At { dst, ..from }, true);
                if !follows {
                    let part = Part { len, begins: done == 0, ends: done + len == row };
                    for number in 0..kept {
                        part.stream::<R>(dst.wrapping_add(number * pitch), first(from, number));
                    }
                }
            }
            done += len;
        }
    }

    /// Takes a run of the source apart into `K` rows of the destination.
    ///
    /// # Safety
    /// The processor has these registers, whose orders are for that. As many times as a row has elements, as many of `K` as
    /// are kept can be read, and what lies between; as many as it has can be written in each of the rows.
    #[inline(always)]
    pub(super) unsafe fn unweave_rows(&self, at: At, asks: bool) {
        // SAFETY: the caller's promise.
        unsafe {
            let is_lane = R::BYTES == BYTES;
            let done = if is_lane { 0 } else { self.unweave::<R>(at, 0, asks) };
            let done = self.unweave::<R::Lane>(at, done, is_lane && asks);
            self.rest::<true>(at, done);
        }
    }

    /// Takes a run apart as [`weave`](Self::weave) weaves, asks and says.
    ///
    /// # Safety
    /// As [`unweave_rows`](Self::unweave_rows).
    #[inline(always)]
    unsafe fn unweave<L: Register>(&self, at: At, mut done: usize, asks: bool) -> usize {
        let Rows { step, kept, .. } = self.rows;
        let len = self.rows.whole(K) * self.unit();
        let lanes: [i64; 4] = [0, 1, 2, 3].map(|lane| lane * (K * BYTES) as i64);
        while let Some(next) = self.next::<L>(done, len) {
            done = next;
            let from = at.plus((done * K) as i64, done as i64);
            // SAFETY: `K` registers are there, and one in each row.
            unsafe {
                let mut registers = [L::load(from.src); K];
                for_each!(PLACE in K, {
                    let part = from.plus((PLACE * BYTES) as i64, 0);
                    registers[PLACE] = L::load_lanes(part.src, &lanes, 1);
                    if asks {
                        from.plus((PLACE * L::BYTES) as i64, 0).prefetch_ahead();
                    }
                });
                self.woven::<L, true>(&registers, |row, register| {
                    if row < kept {
                        register.store(from.plus(0, row as i64 * step).dst);
                    }
                });
            }
            done += L::BYTES;
        }
        done
    }

    /// Zips what follows byte `done` of each row, or takes it apart, one element after the other.
    ///
    /// # Safety
    /// As [`weave_rows`](Self::weave_rows), or [`unweave_rows`](Self::unweave_rows).
    #[inline(always)]
    unsafe fn rest<const APART: bool>(&self, at: At, done: usize) {
        let done = done >> self.unit().trailing_zeros();
        // SAFETY: the caller's promise.
        unsafe {
            match self.unit() {
                1 => each::<1, K, APART>(at, self.rows, done),
                2 => each::<2, K, APART>(at, self.rows, done),
                4 => each::<4, K, APART>(at, self.rows, done),
                _ => each::<8, K, APART>(at, self.rows, done),
            }
        }
    }
}

/// Asks for the line at a place within which a row begins or ends, if it is not where lines do.
#[inline(always)]
fn ask_for_part(place: *const u8) {
    if !(place as usize).is_multiple_of(LINE) {
        prefetch(place);
    }
}

/// Zips the elements from number `done` of each row on, or takes them apart, one by one.
///
/// # Safety
/// As [`rest`](Weaver::rest), of elements of `N` bytes.
#[inline(always)]
unsafe fn each<const N: usize, const K: usize, const APART: bool>(at: At, rows: Rows, done: usize) {
    for place in done..rows.length {
        let (in_row, in_run) = ((place * N) as i64, (place * N * K) as i64);
        for row in 0..if APART { rows.kept } else { K } {
            let (in_row, in_run) = (in_row + row as i64 * rows.step, in_run + (row * N) as i64);
            let at = if APART { at.plus(in_run, in_row) } else { at.plus(in_row, in_run) };
            // SAFETY: `place` is below the length of the rows.
            unsafe { copy_one::<N>(at) };
        }
    }
}
