//! Running programs: the registers of a tile, loaded, exchanged and stored at every place of the
//! loops around it.

use super::block::{Out, Stage, Walk};
use super::level::{Level, Task};
use super::place::{At, LINE, STREAMED, Stores, copy_one, put};
use super::register::Register;
use super::runs::{Row, copy_runs};
use super::tile::{After, Around, Before, MAX_LANES, MAX_REGISTERS, ONCE, Op, Program, Tile};
use std::mem::MaybeUninit;

/// Moves a box.
///
/// # Safety
/// Every element of the loops that the program was made of can be read and written at these places;
/// the sides do not overlap.
pub(super) unsafe fn run(program: &Program, at: At, level: Level, stores: Stores) {
    let (kernel, walk) = (program.kernel, &program.walk);
    // SAFETY: the caller's promise.
    unsafe {
        if program.before.is_some() || program.after.is_some() {
            return level.run(Run { program, at });
        }
        match &program.blocks {
            _ if stores != Stores::Streamed => {
                return kernel(walk, at, std::ptr::null_mut(), stores);
            }
            _ if program.writes_lines && at.to_line() == 0 => {
                kernel(walk, at, std::ptr::null_mut(), Stores::Streamed);
            }
            Some(blocks) if at.to_line() == 0 => {
                let mut stage = Stage(MaybeUninit::uninit());
                kernel(blocks, at, stage.0.as_mut_ptr().cast(), Stores::Staged);
            }
            _ => kernel(walk, at, std::ptr::null_mut(), Stores::Staged),
        }
    }
    super::level::fence();
}

/// The lanes of the registers that programs use. Those of AVX-512 move lines as well as those of
/// AVX2 where memory is the limit, and these are the ones that were measured.
pub(super) fn max_lanes(level: Level) -> usize {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 => 2,
        _ => 1,
    }
}

struct Run<'p> {
    program: &'p Program,
    at: At,
}

impl Task for Run<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Run { program, at } = self;
        // SAFETY: the caller's promise.
        unsafe {
            match program.walk.tile.n_lanes * 16 {
                n if n == R::BYTES => all::<R>(program, at),
                n if n == R::Half::BYTES => all::<R::Half>(program, at),
                _ => all::<R::Lane>(program, at),
            }
        }
    }
}

/// Registers in memory, on lines.
#[repr(align(64))]
struct Bank(MaybeUninit<[u8; MAX_REGISTERS * MAX_LANES * 16]>);

/// # Safety
/// As [`run`]; the processor has these registers.
#[inline(always)]
unsafe fn all<R: Register>(program: &Program, at: At) {
    let Program { before, walk, after, around, kernel, .. } = program;
    // SAFETY: the caller's promise.
    unsafe {
        let mut places = Places::new(around, at);
        let (mut loaded, mut stored) = (Bank(MaybeUninit::uninit()), Bank(MaybeUninit::uninit()));
        while let Some(at) = places.next() {
            let mut here = at;
            if let Some(before) = before {
                let bank = loaded.0.as_mut_ptr().cast();
                fill::<R>(before, at, bank);
                change::<R>(before, bank);
                here.src = bank;
            }
            if after.is_some() {
                here.dst = stored.0.as_mut_ptr().cast();
            }
            kernel(walk, here, std::ptr::null_mut(), Stores::Cached);
            if let Some(after) = after {
                scatter::<R>(after, At { src: here.dst, dst: at.dst });
            }
        }
    }
}

/// Loads the registers of a tile into a bank.
///
/// # Safety
/// As [`all`], for a tile at this place; the bank has room for its registers.
#[inline(always)]
unsafe fn fill<R: Register>(before: &Before, at: At, bank: *mut u8) {
    for (number, load) in before.loads.iter().enumerate() {
        let to = bank.wrapping_add(number * R::BYTES);
        // SAFETY: the caller's promise; a register in pieces is a lane.
        unsafe {
            match (load, &before.pieces) {
                (None, _) => R::repeat(&[0; 16]).store(to),
                (Some(load), None) => {
                    R::load_lanes(at.plus(*load, 0).src, &before.lanes, 1).store(to);
                }
                (Some(load), Some(pieces)) => {
                    for (piece, &offset) in pieces.offsets.iter().enumerate() {
                        let dst = to.wrapping_add(piece * pieces.bytes);
                        copy_piece(At { src: at.plus(load + offset, 0).src, dst }, pieces.bytes);
                    }
                }
            }
        }
    }
}

/// Stores the registers of a tile in pieces.
///
/// # Safety
/// As [`all`], for a tile at this place, whose registers are in the bank.
#[inline(always)]
unsafe fn scatter<R: Register>(after: &After, at: At) {
    let pieces = &after.pieces;
    for (number, store) in after.stores.iter().enumerate() {
        let Some(store) = store else { continue };
        for (piece, &offset) in pieces.offsets.iter().enumerate() {
            let from = number * R::BYTES + piece * pieces.bytes;
            // SAFETY: the caller's promise.
            unsafe { copy_piece(at.plus(from as i64, store + offset), pieces.bytes) };
        }
    }
}

/// # Safety
/// So many bytes, which are 1, 2, 4 or 8, can be read and written at the places.
#[inline(always)]
unsafe fn copy_piece(at: At, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match bytes {
            1 => copy_one::<1>(at),
            2 => copy_one::<2>(at),
            4 => copy_one::<4>(at),
            _ => copy_one::<8>(at),
        }
    }
}

/// Does what is done to bits.
///
/// # Safety
/// As [`all`]; the bank has the tile's registers.
#[inline(always)]
unsafe fn change<R: Register>(before: &Before, bank: *mut u8) {
    let n = before.loads.len();
    let at = |number: usize| bank.wrapping_add(number * R::BYTES);
    // SAFETY: the caller's promise.
    unsafe {
        for op in &before.ops {
            match op {
                Op::Exchange { slot, lower, shift } => {
                    let lower = R::repeat(lower);
                    let bit = 1 << slot;
                    for first in 0..n {
                        if first & bit != 0 {
                            continue;
                        }
                        let (first, second) = (at(first), at(first | bit));
                        let (a, b) = R::load(first).exchange(R::load(second), lower, *shift);
                        a.store(first);
                        b.store(second);
                    }
                }
                Op::Swap { lower, shift } => {
                    let lower = R::repeat(lower);
                    for n in 0..n {
                        R::load(at(n)).swap_bits(lower, *shift).store(at(n));
                    }
                }
                Op::Shuffle(order) => {
                    let order = R::repeat(order);
                    for n in 0..n {
                        R::load(at(n)).shuffle(order).store(at(n));
                    }
                }
                Op::Mask(mask) => {
                    let mask = R::repeat(mask);
                    for n in 0..n {
                        R::load(at(n)).and(mask).store(at(n));
                    }
                }
            }
        }
    }
}

/// What moves the tiles of a program at every place of some loops.
///
/// # Safety
/// The processor has the registers that it was made for. Everything that the tile reads and writes at
/// every place can be read and written, and the sides do not overlap.
pub(super) type Kernel = unsafe fn(&Walk, At, *mut u8, Stores);

/// The kernel of a tile, by registers of as many lanes as it has.
pub(super) fn kernel(tile: &Tile, level: Level) -> Kernel {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 2 => by_lanes::<Avx512Code, super::x86::Avx2>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => by_lanes::<Avx512Code, super::x86::Sse>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if tile.n_lanes == 2 => by_lanes::<Avx2Code, super::x86::Avx2>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => by_lanes::<Avx2Code, super::x86::Sse>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => by_lanes::<SseCode, super::x86::Sse>(tile),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => by_lanes::<PlainCode, super::neon::Neon>(tile),
        Level::Plain => by_lanes::<PlainCode, super::register::Plain>(tile),
    }
}

/// Copies the rows of a block to where they go.
///
/// # Safety
/// The processor has the registers that it was made for; the rows can be read from the stage, and
/// written.
pub(super) type CopyOut = unsafe fn(&Out, At);

/// What copies rows out.
pub(super) fn copy_out(level: Level) -> CopyOut {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Avx512Code::copy::<super::x86::Avx512>(),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Avx2Code::copy::<super::x86::Avx2>(),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => SseCode::copy::<super::x86::Sse>(),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => PlainCode::copy::<super::neon::Neon>(),
        Level::Plain => PlainCode::copy::<super::register::Plain>(),
    }
}

/// # Safety
/// As [`CopyOut`].
#[inline(always)]
unsafe fn copy_rows<R: Register>(out: &Out, at: At) {
    let len = out.len as usize;
    for (number, &row) in out.rows.iter().enumerate() {
        let at = at.plus(number as i64 * out.pitch, row);
        // SAFETY: the caller's promise.
        unsafe {
            if at.to_line() == 0 && len.is_multiple_of(LINE) {
                for place in (0..len as i64).step_by(R::BYTES) {
                    let here = at.plus(place, place);
                    put::<R, STREAMED>(R::load(here.src), here.dst);
                }
            } else {
                copy_runs::<R>(at, Row { len, count: 1, src: 0, dst: 0 }, Stores::Streamed);
            }
        }
    }
}

/// Code for processors of a level.
trait Code {
    fn kernel<R: Register, const N: usize, const G: u8, const L: u8>() -> Kernel;
    fn copy<R: Register>() -> CopyOut;
}

/// Defines a level's code: the instructions of these features.
macro_rules! code {
    ($code:ident $(, $features:literal)?) => {
        struct $code;
        impl Code for $code {
            fn kernel<R: Register, const N: usize, const G: u8, const L: u8>() -> Kernel {
                /// # Safety
                /// As [`Kernel`].
                $(#[target_feature(enable = $features)])?
                unsafe fn run<R: Register, const N: usize, const G: u8, const L: u8>(
                    walk: &Walk,
                    at: At,
                    stage: *mut u8,
                    stores: Stores,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { tiles::<R, N, G, L>(walk, at, stage, stores) }
                }
                run::<R, N, G, L>
            }

            fn copy<R: Register>() -> CopyOut {
                /// # Safety
                /// As [`CopyOut`].
                $(#[target_feature(enable = $features)])?
                unsafe fn copy<R: Register>(out: &Out, at: At) {
                    // SAFETY: the caller's promise.
                    unsafe { copy_rows::<R>(out, at) }
                }
                copy::<R>
            }
        }
    };
}

code!(PlainCode);
#[cfg(target_arch = "x86_64")]
code!(SseCode, "ssse3,sse4.1");
#[cfg(target_arch = "x86_64")]
code!(Avx2Code, "avx2");
#[cfg(target_arch = "x86_64")]
code!(Avx512Code, "avx2,avx512f,avx512bw,avx512vl,avx512vbmi");

fn by_lanes<C: Code, R: Register>(tile: &Tile) -> Kernel {
    match tile.lane_stages {
        1 if R::BYTES > 16 => by_grains::<C, R, 1>(tile),
        _ => by_grains::<C, R, 0>(tile),
    }
}

fn by_grains<C: Code, R: Register, const L: u8>(tile: &Tile) -> Kernel {
    match tile.grains {
        0 => C::kernel::<R, 1, 0, L>(),
        1 => C::kernel::<R, 2, 1, L>(),
        2 => C::kernel::<R, 2, 2, L>(),
        3 => C::kernel::<R, 4, 3, L>(),
        4 => C::kernel::<R, 2, 4, L>(),
        5 => C::kernel::<R, 4, 5, L>(),
        6 => C::kernel::<R, 4, 6, L>(),
        7 => C::kernel::<R, 8, 7, L>(),
        8 => C::kernel::<R, 2, 8, L>(),
        9 => C::kernel::<R, 4, 9, L>(),
        10 => C::kernel::<R, 4, 10, L>(),
        11 => C::kernel::<R, 8, 11, L>(),
        12 => C::kernel::<R, 4, 12, L>(),
        13 => C::kernel::<R, 8, 13, L>(),
        14 => C::kernel::<R, 8, 14, L>(),
        _ => C::kernel::<R, 16, 15, L>(),
    }
}

/// Moves a tile at every place.
///
/// # Safety
/// As [`Kernel`]; `G` are the tile's grains, by which `N` registers are interleaved, and `L` its
/// lanes' stages.
#[inline(always)]
unsafe fn tiles<R: Register, const N: usize, const G: u8, const L: u8>(
    walk: &Walk,
    at: At,
    stage: *mut u8,
    stores: Stores,
) {
    let Walk { tile, inner: [far, middle, near], around, out } = walk;
    let mut places = Places::new(around, at);
    // SAFETY: the caller's promise: every place is one of the box's.
    unsafe {
        #[allow(clippy::manual_map, reason = "a closure is compiled without the registers")]
        let order = match &tile.shuffle {
            Some(order) => Some(R::repeat(order)),
            None => None,
        };
        while let Some(at) = places.next() {
            let to = if out.is_some() { stage } else { at.dst };
            let mut block = far.steps(At { dst: to, ..at });
            while let Some(at) = block.next() {
                let mut row = middle.steps(at);
                while let Some(at) = row.next() {
                    let mut column = near.steps(at);
                    while let Some(at) = column.next() {
                        one::<R, N, G, L>(tile, at, order, stores);
                    }
                }
            }
            if let Some(out) = out {
                (out.copy)(out, At { src: stage, dst: at.dst });
            }
        }
    }
}

/// Moves one tile.
///
/// # Safety
/// As [`tiles`], at one of the places.
#[inline(always)]
unsafe fn one<R: Register, const N: usize, const G: u8, const L: u8>(
    tile: &Tile,
    at: At,
    order: Option<R>,
    stores: Stores,
) {
    let mut registers = MaybeUninit::<[R; N]>::uninit();
    let first = registers.as_mut_ptr().cast::<R>();
    // SAFETY: the caller's promise; all `N` registers are written.
    unsafe {
        for (place, &load) in tile.loads.iter().enumerate().take(N) {
            let from = at.plus(load, 0).src;
            first.add(place).write(match tile.is_contiguous {
                true => R::load(from),
                false => R::load_lanes(from, &tile.lanes, 1),
            });
        }
        if stores != Stores::Cached {
            for &load in tile.loads.iter().take(N) {
                at.plus(load + tile.ahead, 0).prefetch_near();
            }
        }
        let mut registers = registers.assume_init();
        if let Some(order) = order {
            for register in &mut registers {
                *register = register.shuffle(order);
            }
        }
        let registers = in_lanes::<R, N, L>(interleaved::<R, N, G>(registers));
        for (register, &store) in registers.into_iter().zip(&tile.stores) {
            let to = at.plus(0, store).dst;
            match stores {
                Stores::Streamed => put::<R, STREAMED>(register, to),
                _ => register.store(to),
            }
        }
    }
}

/// Inserts one bit of the registers' number after the other, at the places of the grains.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn interleaved<R: Register, const N: usize, const G: u8>(mut registers: [R; N]) -> [R; N] {
    let mut bit = 1;
    // SAFETY: the caller's promise.
    unsafe {
        if G & 1 != 0 {
            stage::<R, N, 1>(&mut registers, bit);
            bit *= 2;
        }
        if G & 2 != 0 {
            stage::<R, N, 2>(&mut registers, bit);
            bit *= 2;
        }
        if G & 4 != 0 {
            stage::<R, N, 4>(&mut registers, bit);
            bit *= 2;
        }
        if G & 8 != 0 {
            stage::<R, N, 8>(&mut registers, bit);
        }
    }
    registers
}

/// Exchanges the lowest bit of the registers' number for that of their lanes', if `L` is 1.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn in_lanes<R: Register, const N: usize, const L: u8>(mut registers: [R; N]) -> [R; N] {
    if L == 1 {
        for pair in registers.as_chunks_mut::<2>().0 {
            // SAFETY: the caller's promise.
            let (even, odd) = unsafe { pair[0].swap_lanes(pair[1]) };
            *pair = [even, odd];
        }
    }
    registers
}

/// Interleaves the registers of each pair whose numbers differ in a bit, by `GRAIN` bytes.
///
/// # Safety
/// The processor has these registers.
#[inline(always)]
unsafe fn stage<R: Register, const N: usize, const GRAIN: usize>(
    registers: &mut [R; N],
    bit: usize,
) {
    for number in 0..N {
        if number & bit == 0 && number | bit < N {
            // SAFETY: the caller's promise.
            let (low, high) =
                unsafe { registers[number].zip_lanes::<GRAIN>(registers[number | bit]) };
            registers[number] = low;
            registers[number | bit] = high;
        }
    }
}

impl Around {
    /// The places of the loop, from its first on.
    #[inline(always)]
    fn steps(&self, at: At) -> Steps {
        Steps { of: *self, at, left: self.count }
    }
}

/// The places of one loop.
struct Steps {
    of: Around,
    at: At,
    left: i64,
}

impl Steps {
    #[inline(always)]
    fn next(&mut self) -> Option<At> {
        if self.left == 0 {
            return None;
        }
        let here = self.at;
        self.left -= 1;
        self.at = here.plus(self.of.src, self.of.dst);
        if self.left == 1 {
            self.at = self.at.plus(-self.of.src_back, -self.of.dst_back);
        }
        Some(here)
    }
}

/// The places of the loops around a tile. Neither recursive nor taking a closure, so that all of it
/// is inlined where instructions are available.
pub(super) struct Places<'t> {
    around: &'t [Around],
    inner: Around,
    next: Option<At>,
    /// The steps of the innermost loop that are left after the next place.
    left: i64,
    steps: [i64; super::places::MAX_LOOPS + 2],
}

impl<'t> Places<'t> {
    #[inline(always)]
    pub(super) fn new(around: &'t [Around], at: At) -> Self {
        let (inner, around) = match around.split_last() {
            Some((inner, around)) => (*inner, around),
            None => (ONCE, around),
        };
        let left = inner.count - 1;
        Places { around, inner, next: Some(at), left, steps: [0; super::places::MAX_LOOPS + 2] }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<At> {
        let here = self.next?;
        let l = &self.inner;
        if self.left > 0 {
            self.left -= 1;
            let mut next = here.plus(l.src, l.dst);
            if self.left == 0 {
                next = next.plus(-l.src_back, -l.dst_back);
            }
            self.next = Some(next);
            return Some(here);
        }
        self.left = l.count - 1;
        self.next = self.next_row(rewound(here, l));
        Some(here)
    }

    #[inline(never)]
    fn next_row(&mut self, mut at: At) -> Option<At> {
        for (l, step) in self.around.iter().zip(&mut self.steps).rev() {
            *step += 1;
            if *step < l.count {
                let next = at.plus(l.src, l.dst);
                let is_last = *step == l.count - 1;
                return Some(if is_last { next.plus(-l.src_back, -l.dst_back) } else { next });
            }
            *step = 0;
            at = rewound(at, l);
        }
        None
    }
}

/// From the last place of a loop to its first.
#[inline(always)]
fn rewound(at: At, l: &Around) -> At {
    let steps = 1 - l.count;
    // A loop of one step has nothing to go back.
    let back = if l.count > 1 { (l.src_back, l.dst_back) } else { (0, 0) };
    at.plus(steps * l.src + back.0, steps * l.dst + back.1)
}
