//! Rows zipped together and taken apart where there are 3, 5, 6, 7 or 9 of them: the colours of an
//! image, the coordinates of points, the weights of a filter.
//!
//! Numbers that are no powers of two are no bits of a tile's index. Every register that comes out is put
//! together from those that went in, the bytes of each shuffled to their places and zeros elsewhere. Of `3 × 3` rows that is
//! done twice, where every register would have some of all: every third is zipped with two others, and what comes out once more.

use super::place::{At, CACHED, LINE, STREAMED, Stores, copy_one, put};
use super::register::Register;

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

/// Runs of fewer bytes whose ends are parts of lines are not streamed.
const LONG_RUN: usize = 8192;

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

    /// Weaves `K` rows of the source into one run of the destination.
    ///
    /// # Safety
    /// The processor has these registers, whose orders are for that. As many elements as a row has can be read in each of the
    /// rows, and `K` times as many written.
    #[inline(always)]
    pub(super) unsafe fn weave_rows(&self, at: At, stores: Stores) {
        let run = self.rows.length * self.unit() * K;
        let is_of_lines = (at.dst as usize | run).is_multiple_of(LINE);
        let is_streamed = stores == Stores::Streamed
            && (at.dst as usize).is_multiple_of(BYTES)
            && (is_of_lines || run >= LONG_RUN);
        // SAFETY: the caller's promise; streamed registers are at multiples of one.
        unsafe {
            let done = match is_streamed {
                true => self.weave::<R, STREAMED>(at, 0, true),
                false => self.weave::<R, CACHED>(at, 0, stores != Stores::Cached),
            };
            // What is left of a run that ends within a line goes through the caches, and with it that line.
            let done = match is_streamed && is_of_lines {
                true => self.weave::<R::Lane, STREAMED>(at, done, false),
                false => self.weave::<R::Lane, CACHED>(at, done, false),
            };
            self.rest::<false>(at, done);
        }
    }

    /// Weaves from byte `done` of each row on as long as whole registers are left, and asks for what lies ahead if it `asks`.
    /// Says how far.
    ///
    /// # Safety
    /// As [`weave_rows`](Self::weave_rows); for streaming, the destination is a multiple of 16 bytes.
    #[inline(always)]
    unsafe fn weave<L: Register, const S: u8>(&self, at: At, mut done: usize, asks: bool) -> usize {
        let length = self.rows.length * self.unit();
        while done + L::BYTES <= length {
            let from = at.plus(done as i64, (done * K) as i64);
            // SAFETY: a register is left in each row, and there is room for all of them.
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

    /// Takes a run of the source apart into `K` rows of the destination.
    ///
    /// # Safety
    /// The processor has these registers, whose orders are for that. As many times as a row has elements, as many of `K` as
    /// are kept can be read, and what lies between; as many as it has can be written in each of the rows.
    #[inline(always)]
    pub(super) unsafe fn unweave_rows(&self, at: At, stores: Stores) {
        // Streams of three rows and more at once are slower than the caches.
        // SAFETY: the caller's promise.
        unsafe {
            let done = self.unweave::<R>(at, 0, stores != Stores::Cached);
            let done = self.unweave::<R::Lane>(at, done, false);
            self.rest::<true>(at, done);
        }
    }

    /// The same from byte `done` of each row on as long as whole registers are left; asks and says as
    /// [`weave`](Self::weave).
    ///
    /// # Safety
    /// As [`unweave_rows`](Self::unweave_rows).
    #[inline(always)]
    unsafe fn unweave<L: Register>(&self, at: At, mut done: usize, asks: bool) -> usize {
        let Rows { step, kept, .. } = self.rows;
        let whole = self.rows.whole(K) * self.unit();
        let lanes: [i64; 4] = [0, 1, 2, 3].map(|lane| lane * (K * BYTES) as i64);
        while done + L::BYTES <= whole {
            let from = at.plus((done * K) as i64, done as i64);
            // SAFETY: `K` registers are left, and one in each row.
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
                        put::<L, CACHED>(register, from.plus(0, row as i64 * step).dst);
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
