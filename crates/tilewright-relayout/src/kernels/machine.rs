//! Running programs: the registers of a tile, loaded, exchanged and stored at every place of the
//! loops around it.

use super::block::{CachedStage, Gathered, Out, Stage, Walk};
use super::compile::MOST_REGISTER_BYTES;
use super::level::{Level, prefetch_near};
use super::place::{At, CACHED, LINE, STAGED, STREAMED, Stores, copy_one, put};
use super::register::Register;
use super::tile::{Around, BANK, BYTES_OF_A_LANE, ONCE, Op, Program, Scattered, Tile};
use std::mem::MaybeUninit;

/// Moves a box.
///
/// # Safety
/// Every element of the loops that the program was made of can be read and written at these places;
/// the sides do not overlap.
#[inline]
pub(super) unsafe fn run(program: &Program, at: At, stores: Stores) {
    let (kernels, walk) = (&program.kernels, &program.walk);
    let none = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe {
        if stores == Stores::Streamed {
            return stream(program, at);
        }
        if program.has_stage() {
            return by_way_of_stage(program, at, stores);
        }
        let kernel = kernels.into_caches(stores);
        let mut ahead = Ahead { src: at.src, lines: &mut [] };
        if program.is_in_banks() {
            return by_way_of_banks(program, walk, kernel, at, none, &mut ahead);
        }
        kernel(walk, at, none, &mut ahead);
    }
}

/// Moves a box from stage to stage, and asks for these lines meanwhile.
///
/// # Safety
/// As [`run`].
pub(super) unsafe fn run_asking(program: &Program, at: At, lines: &mut [Soon<'_>]) {
    let Program { kernels, walk, .. } = program;
    if program.has_stage() {
        // SAFETY: the caller's promise.
        return unsafe { by_way_of_stage(program, at, Stores::Cached) };
    }
    let mut ahead = Ahead { src: at.src, lines };
    let none = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe {
        match program.is_in_banks() {
            true => by_way_of_banks(program, walk, kernels.asking, at, none, &mut ahead),
            false => (kernels.asking)(walk, at, none, &mut ahead),
        }
    }
}

/// The same by way of a stage, into the caches. A function of its own, as [`stream`] is.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn by_way_of_stage(program: &Program, at: At, stores: Stores) {
    let kernel = program.kernels.into_caches(stores);
    let walk = program.cached_blocks.as_ref().unwrap_or(&program.walk);
    let mut stage = CachedStage(MaybeUninit::uninit());
    let stage = stage.0.as_mut_ptr().cast();
    let mut ahead = Ahead { src: at.src, lines: &mut [] };
    // SAFETY: the caller's promise; a block that is copied into the caches fits the stage, and so do rows from there.
    unsafe {
        match program.is_in_banks() {
            true => by_way_of_banks(program, walk, kernel, at, stage, &mut ahead),
            false => kernel(walk, at, stage, &mut ahead),
        }
    }
}

/// The same past the caches. A function of its own: room for a block on the stack takes longer to be
/// had than a small box to be moved.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn stream(program: &Program, at: At) {
    let (kernels, walk) = (&program.kernels, &program.walk);
    let is_on_line = at.to_line() == 0;
    let [lines, any] = &program.blocks;
    let lines = lines.as_ref().filter(|_| is_on_line);
    let mut stage = Stage(MaybeUninit::uninit());
    let stage = stage.0.as_mut_ptr().cast();
    let mut ahead = Ahead { src: at.src, lines: &mut [] };
    let ahead = &mut ahead;
    // SAFETY: the caller's promise.
    unsafe {
        if program.is_in_banks() {
            match lines {
                _ if program.writes_lines && is_on_line => {
                    by_way_of_banks(program, walk, kernels.streamed, at, stage, ahead);
                }
                Some(lines) => by_way_of_banks(program, lines, kernels.staged, at, stage, ahead),
                None => by_way_of_banks(program, walk, kernels.staged, at, stage, ahead),
            }
        } else if program.writes_lines && is_on_line {
            (kernels.streamed)(walk, at, stage, ahead);
        } else {
            let walk = lines.or(any.as_ref()).unwrap_or(walk);
            (kernels.staged)(walk, at, stage, ahead);
        }
    }
    super::level::fence();
}

/// The lanes of the registers that programs use: the longest there are.
pub(super) fn max_lanes(level: Level) -> usize {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => 4,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => 2,
        _ => 1,
    }
}

/// Registers in memory, on lines.
#[repr(align(64))]
struct Bank<const BYTES: usize>(MaybeUninit<[u8; BYTES]>);

/// Moves a box whose registers are put together in memory, or taken apart there. `walk` is the program's
/// or its block, and `kernel` what moves that.
///
/// # Safety
/// As [`run`]; for a block, the stage is a [`Stage`]'s.
unsafe fn by_way_of_banks(
    program: &Program,
    walk: &Walk,
    kernel: Kernel,
    at: At,
    stage: *mut u8,
    ahead: &mut Ahead<'_, '_>,
) {
    let first = at.src;
    let Program { before, after, around, .. } = program;
    let mut loaded = Bank::<BANK>(MaybeUninit::uninit());
    let mut stored = Bank::<MOST_REGISTER_BYTES>(MaybeUninit::uninit());
    let (loaded, stored) = (loaded.0.as_mut_ptr().cast(), stored.0.as_mut_ptr().cast());
    let mut places = Places::new(around, at);
    while let Some(at) = places.next() {
        let mut here = at;
        // SAFETY: the caller's promise. A bank has room for all registers, and each step reads those
        // that the one before has written; from one bank to the other, or to or from the box's sides.
        unsafe {
            if let Some(before) = before {
                here.src = loaded;
                if let Some((walk, kernels)) = &before.first {
                    let mut from = at;
                    if let Some(pieces) = &before.pieces {
                        gather(pieces, At { src: at.src, dst: stored });
                        from.src = stored;
                    }
                    let into = At { src: from.src, dst: loaded };
                    let kernel =
                        if ahead.lines.is_empty() { kernels.cached } else { kernels.asking };
                    ahead.src = at.src;
                    kernel(walk, into, stage, ahead);
                } else if let Some(pieces) = &before.pieces {
                    gather(pieces, At { src: at.src, dst: loaded });
                }
            }
            if after.is_some() {
                here.dst = stored;
            }
            ahead.src = if places.has_next { places.next.src } else { first };
            kernel(walk, here, stage, ahead);
            if let Some(after) = after {
                scatter(after, At { src: stored, dst: at.dst });
            }
        }
    }
}

/// The bytes of a register that is put together or taken apart, which has one lane.
const REGISTER: usize = 16;

/// Puts registers together from pieces, one behind the other.
///
/// # Safety
/// The pieces can be read from here, and there is room for the registers.
unsafe fn gather(side: &Scattered, at: At) {
    let Scattered { places, pieces } = side;
    for (number, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        for (piece, &offset) in pieces.offsets.iter().enumerate() {
            let to = number * REGISTER + piece * pieces.bytes;
            // SAFETY: the caller's promise.
            unsafe { copy_piece(at.plus(place + offset, to as i64), pieces.bytes) };
        }
    }
}

/// Takes registers apart that lie one behind the other.
///
/// # Safety
/// The pieces can be written from here, and the registers read.
unsafe fn scatter(side: &Scattered, at: At) {
    let Scattered { places, pieces } = side;
    for (number, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        for (piece, &offset) in pieces.offsets.iter().enumerate() {
            let from = number * REGISTER + piece * pieces.bytes;
            // SAFETY: the caller's promise.
            unsafe { copy_piece(at.plus(from as i64, place + offset), pieces.bytes) };
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

/// What is read after the last place of some loops: what follows in the source, or lines that have nothing to do with it.
pub(super) struct Ahead<'a, 'r> {
    src: *const u8,
    lines: &'a mut [Soon<'r>],
}

/// What moves the tiles of a program at every place of some loops, by way of a stage if there are
/// blocks. What is read ahead is asked for meanwhile.
///
/// # Safety
/// The processor has the registers that it was made for. Everything that the tile reads and writes at
/// every place can be read and written, and the sides do not overlap.
type Kernel = unsafe fn(&Walk, At, *mut u8, &mut Ahead<'_, '_>);

/// A kernel for each way to store, as [`Stores`] are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels {
    cached: Kernel,
    staged: Kernel,
    streamed: Kernel,
    /// As staged, where there are lines that have nothing to do with it to be asked for. One kernel that could do both would
    /// have fewer registers for either, and take up to 1.5 times as long.
    asking: Kernel,
}

impl Kernels {
    fn into_caches(self, stores: Stores) -> Kernel {
        if stores == Stores::Cached { self.cached } else { self.staged }
    }
}

/// The kernels of a tile, by registers of as many lanes as it has.
pub(super) fn kernels(tile: &Tile, level: Level) -> Kernels {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 4 => by_lanes::<Avx512Code, super::x86::Avx512>(tile),
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
pub(super) type CopyOut = unsafe fn(&Out, *mut u8, Blocks);

/// Where a block goes, and where the one before went, whose last lines may not be full yet. Either
/// is null if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    before: *mut u8,
    here: *mut u8,
}

/// Copies the rows of a panel from here to a stage.
///
/// # Safety
/// The processor has the registers that it was made for; the rows can be read, and there is room for them.
pub(super) type CopyIn = unsafe fn(&Gathered, *const u8, *mut u8);

/// What copies rows to a stage.
pub(super) fn copy_in(level: Level) -> CopyIn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Avx512Code::gather::<super::x86::Avx512>(),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Avx2Code::gather::<super::x86::Avx2>(),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => SseCode::gather::<super::x86::Sse>(),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => PlainCode::gather::<super::neon::Neon>(),
        Level::Plain => PlainCode::gather::<super::register::Plain>(),
    }
}

/// Copies rows of at least a line to a stage.
///
/// # Safety
/// As [`CopyIn`].
#[inline(always)]
unsafe fn gather_rows<R: Register>(gathered: &Gathered, src: *const u8, stage: *mut u8) {
    let mut to = stage.wrapping_add(gathered.first);
    for &row in &gathered.rows {
        // SAFETY: the caller's promise.
        unsafe { copy_row::<R>(src.wrapping_offset(row as isize), to, gathered.len as usize) };
        to = to.wrapping_offset(gathered.pitch as isize);
    }
}

/// Copies at least a register into the caches.
///
/// # Safety
/// The processor has the registers; so many bytes can be read and written at the places, which do not overlap.
#[inline(always)]
unsafe fn copy_row<R: Register>(from: *const u8, to: *mut u8, len: usize) {
    let (mut place, last) = (0, len - R::BYTES);
    // SAFETY: the caller's promise: every register is one of the row's, the last one of its end.
    unsafe {
        while place < last {
            R::load(from.wrapping_add(place)).store(to.wrapping_add(place));
            place += R::BYTES;
        }
        R::load(from.wrapping_add(last)).store(to.wrapping_add(last));
    }
}

/// What copies rows out, into the caches or past them.
pub(super) fn copy_out(level: Level, is_cached: bool) -> CopyOut {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Avx512Code::copy::<super::x86::Avx512>(is_cached),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Avx2Code::copy::<super::x86::Avx2>(is_cached),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => SseCode::copy::<super::x86::Sse>(is_cached),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => PlainCode::copy::<super::neon::Neon>(is_cached),
        Level::Plain => PlainCode::copy::<super::register::Plain>(is_cached),
    }
}

/// # Safety
/// As [`CopyOut`].
#[inline(always)]
unsafe fn copy_rows<R: Register>(out: &Out, stage: *mut u8, blocks: Blocks) {
    let Blocks { before, here } = blocks;
    let goes_on = before.wrapping_offset(out.len as isize) == here;
    // SAFETY: the caller's promise.
    unsafe {
        if !before.is_null() && !goes_on && out.has_tails {
            for (number, &row) in out.rows.iter().enumerate() {
                let kept =
                    stage.wrapping_offset(number as isize * out.pitch as isize + LINE as isize);
                let end = before.wrapping_offset((row + out.len) as isize);
                let part = end as usize % LINE;
                copy_bytes(kept.wrapping_sub(part), end.wrapping_sub(part), part);
            }
        }
        if here.is_null() {
            return;
        }
        for (number, &row) in out.rows.iter().enumerate() {
            let mut from =
                stage.wrapping_offset(number as isize * out.pitch as isize + LINE as isize);
            let kept = from.wrapping_sub(LINE);
            let mut to = here.wrapping_offset(row as isize);
            let end = to.wrapping_offset(out.len as isize);
            let part = to as usize % LINE;
            if part != 0 {
                if goes_on {
                    (from, to) = (from.wrapping_sub(part), to.wrapping_sub(part));
                } else {
                    let head = LINE - part;
                    copy_bytes(from, to, head);
                    (from, to) = (from.wrapping_add(head), to.wrapping_add(head));
                }
            }
            let last = end.wrapping_sub(end as usize % LINE);
            while to < last {
                let mut place = 0;
                while place < LINE {
                    put::<R, STREAMED>(R::load(from.wrapping_add(place)), to.wrapping_add(place));
                    place += R::BYTES;
                }
                (from, to) = (from.wrapping_add(LINE), to.wrapping_add(LINE));
            }
            if to < end {
                // The last line's worth of the row, of which the end is what is left.
                let from = from.wrapping_add(end as usize % LINE).wrapping_sub(LINE);
                let mut place = 0;
                while place < LINE {
                    R::load(from.wrapping_add(place)).store(kept.wrapping_add(place));
                    place += R::BYTES;
                }
            }
        }
    }
}

/// Copies rows of at least a line into the caches.
///
/// # Safety
/// As [`CopyOut`].
#[inline(always)]
unsafe fn copy_rows_cached<R: Register>(out: &Out, stage: *mut u8, blocks: Blocks) {
    if blocks.here.is_null() {
        return;
    }
    let mut from = stage.wrapping_add(LINE);
    for &row in &out.rows {
        // SAFETY: the caller's promise.
        unsafe {
            copy_row::<R>(from, blocks.here.wrapping_offset(row as isize), out.len as usize);
        }
        from = from.wrapping_offset(out.pitch as isize);
    }
}

/// Copies less than a line.
///
/// # Safety
/// So many bytes can be read and written at the places, which do not overlap.
#[inline(always)]
unsafe fn copy_bytes(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
}

/// Code for processors of a level.
trait Code {
    fn kernels<R: Register, const N: usize, const G: u8, const L: u8>() -> Kernels;
    fn copy<R: Register>(is_cached: bool) -> CopyOut;
    fn gather<R: Register>() -> CopyIn;
}

/// Defines a level's code: the instructions of these features.
macro_rules! code {
    ($code:ident $(, $features:literal)?) => {
        struct $code;
        impl Code for $code {
            fn kernels<R: Register, const N: usize, const G: u8, const L: u8>() -> Kernels {
                /// # Safety
                /// As [`Kernel`].
                $(#[target_feature(enable = $features)])?
                unsafe fn run<
                    R: Register,
                    const N: usize,
                    const G: u8,
                    const L: u8,
                    const S: u8,
                >(
                    walk: &Walk,
                    at: At,
                    stage: *mut u8,
                    ahead: &mut Ahead<'_, '_>,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { tiles::<R, N, G, L, S>(walk, at, stage, ahead) }
                }
                Kernels {
                    cached: run::<R, N, G, L, CACHED>,
                    staged: run::<R, N, G, L, STAGED>,
                    streamed: run::<R, N, G, L, STREAMED>,
                    asking: run::<R, N, G, L, ASKING>,
                }
            }

            fn gather<R: Register>() -> CopyIn {
                /// # Safety
                /// As [`CopyIn`].
                $(#[target_feature(enable = $features)])?
                unsafe fn copy<R: Register>(gathered: &Gathered, src: *const u8, stage: *mut u8) {
                    // SAFETY: the caller's promise.
                    unsafe { gather_rows::<R>(gathered, src, stage) }
                }
                copy::<R>
            }

            fn copy<R: Register>(is_cached: bool) -> CopyOut {
                /// # Safety
                /// As [`CopyOut`].
                $(#[target_feature(enable = $features)])?
                unsafe fn copy<R: Register>(out: &Out, stage: *mut u8, blocks: Blocks) {
                    // SAFETY: the caller's promise.
                    unsafe { copy_rows::<R>(out, stage, blocks) }
                }
                /// # Safety
                /// As [`CopyOut`].
                $(#[target_feature(enable = $features)])?
                unsafe fn copy_cached<R: Register>(out: &Out, stage: *mut u8, blocks: Blocks) {
                    // SAFETY: the caller's promise.
                    unsafe { copy_rows_cached::<R>(out, stage, blocks) }
                }
                if is_cached { copy_cached::<R> } else { copy::<R> }
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
code!(Avx512Code, "avx2,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni");

/// How a kernel stores beside [`CACHED`], [`STAGED`] and [`STREAMED`].
const ASKING: u8 = 3;

/// Stands for the grains where a tile has a list of steps.
const STEPS: u8 = 16;

/// The same where all of them bring eight registers together to one, bit by bit of their number.
const MERGES: u8 = 17;

/// The same where they take one apart to eight.
const SPREADS: u8 = 18;

fn by_lanes<C: Code, R: Register>(tile: &Tile) -> Kernels {
    match tile.ops[..] {
        [] => {}
        [Op::Merge { bit: 0, .. }, Op::Merge { bit: 1, .. }, Op::Merge { bit: 2, .. }] => {
            return C::kernels::<R, 8, MERGES, 0>();
        }
        [Op::Spread { bit: 0, .. }, Op::Spread { bit: 1, .. }, Op::Spread { bit: 2, .. }] => {
            return C::kernels::<R, 8, SPREADS, 0>();
        }
        _ => return C::kernels::<R, 8, STEPS, 0>(),
    }
    match tile.lane_stages {
        1 if R::BYTES > 16 => by_grains::<C, R, 1>(tile),
        2 if R::BYTES > 32 => by_grains::<C, R, 2>(tile),
        3 if R::BYTES > 32 => by_grains::<C, R, 3>(tile),
        _ => by_grains::<C, R, 0>(tile),
    }
}

fn by_grains<C: Code, R: Register, const L: u8>(tile: &Tile) -> Kernels {
    match tile.grains {
        0 => C::kernels::<R, 1, 0, L>(),
        1 => C::kernels::<R, 2, 1, L>(),
        2 => C::kernels::<R, 2, 2, L>(),
        3 => C::kernels::<R, 4, 3, L>(),
        4 => C::kernels::<R, 2, 4, L>(),
        5 => C::kernels::<R, 4, 5, L>(),
        6 => C::kernels::<R, 4, 6, L>(),
        7 => C::kernels::<R, 8, 7, L>(),
        8 => C::kernels::<R, 2, 8, L>(),
        9 => C::kernels::<R, 4, 9, L>(),
        10 => C::kernels::<R, 4, 10, L>(),
        11 => C::kernels::<R, 8, 11, L>(),
        12 => C::kernels::<R, 4, 12, L>(),
        13 => C::kernels::<R, 8, 13, L>(),
        14 => C::kernels::<R, 8, 14, L>(),
        _ => C::kernels::<R, 16, 15, L>(),
    }
}

/// Moves a tile at every place.
///
/// # Safety
/// As [`Kernel`]; `G` are the tile's grains, by which `N` registers are interleaved, or [`STEPS`],
/// `L` its lanes' stages, and `S` is how it is stored: only whole lines are [`STREAMED`].
#[inline(always)]
unsafe fn tiles<R: Register, const N: usize, const G: u8, const L: u8, const S: u8>(
    walk: &Walk,
    at: At,
    stage: *mut u8,
    ahead: &mut Ahead<'_, '_>,
) {
    let Walk { tile, tiles, around, panel, gathered, out } = walk;
    let mut places = Places::new(around, at);
    // SAFETY: the caller's promise: every place is one of the box's.
    unsafe {
        #[allow(clippy::manual_map, reason = "a closure is compiled without the registers")]
        let order = match &tile.shuffle {
            Some(order) => Some(R::repeat(order)),
            None => None,
        };
        let mut blocks = Blocks { before: std::ptr::null_mut(), here: std::ptr::null_mut() };
        while let Some(at) = places.next() {
            let dst = if out.is_some() { stage.wrapping_add(LINE) } else { at.dst };
            let mut first = At { dst, ..at };
            if let Some(gathered) = gathered {
                (gathered.copy)(gathered, at.src, stage);
                first.src = stage.wrapping_add(gathered.first);
            }
            let next = if places.has_next { places.next.src } else { ahead.src };
            let mut soon = Soon::of(&panel.rows, panel.len, panel.lines, next);
            for &(src, dst) in tiles {
                if S != CACHED {
                    soon.ask();
                    if S == ASKING {
                        for lines in &mut *ahead.lines {
                            lines.ask();
                        }
                    }
                }
                one::<R, N, G, L, S>(tile, first.plus(src, dst), order);
            }
            if let Some(out) = out {
                blocks = Blocks { before: blocks.here, here: at.dst };
                (out.copy)(out, stage, blocks);
            }
        }
        if let Some(out) = out {
            let blocks = Blocks { before: blocks.here, here: std::ptr::null_mut() };
            (out.copy)(out, stage, blocks);
        }
    }
}

/// Lines that are asked for, of rows of so many bytes.
pub(super) struct Soon<'r> {
    /// Where the rows begin, in bytes from a place on.
    rows: &'r [i64],
    len: i64,
    at: *const u8,
    /// How many lines are asked for with each tile.
    lines: usize,
    /// The row and the byte in it that is next.
    row: usize,
    place: i64,
}

impl<'r> Soon<'r> {
    #[inline(always)]
    pub(super) fn of(rows: &'r [i64], len: i64, lines: usize, at: *const u8) -> Self {
        Soon { rows, len, at, lines, row: 0, place: 0 }
    }

    /// Asks for the lines that are a tile's share.
    #[inline(always)]
    fn ask(&mut self) {
        for _ in 0..self.lines {
            let Some(row) = self.rows.get(self.row) else { return };
            prefetch_near(self.at.wrapping_offset((row + self.place) as isize));
            self.place += LINE as i64;
            if self.place >= self.len {
                (self.row, self.place) = (self.row + 1, 0);
            }
        }
    }
}

/// Moves one tile.
///
/// # Safety
/// As [`tiles`], at one of the places.
#[inline(always)]
unsafe fn one<R: Register, const N: usize, const G: u8, const L: u8, const S: u8>(
    tile: &Tile,
    at: At,
    order: Option<R>,
) {
    let mut registers = MaybeUninit::<[R; N]>::uninit();
    let first = registers.as_mut_ptr().cast::<R>();
    // SAFETY: the caller's promise; all `N` registers are written.
    unsafe {
        if tile.lanes[1] == BYTES_OF_A_LANE
            && (R::BYTES < 64 || tile.lanes[2] == 2 * BYTES_OF_A_LANE)
        {
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
        for (number, (register, &store)) in registers.into_iter().zip(&tile.stores).enumerate() {
            // Those that are not stored are the last half, or three quarters, and so on.
            let stored = match G {
                STEPS => tile.stored,
                MERGES => 1,
                _ => N,
            };
            if number.is_power_of_two() && number == stored {
                break;
            }
            put::<R, S>(register, at.plus(0, store).dst);
        }
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
unsafe fn exchange<R: Register, const N: usize, const BIT: usize>(
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
unsafe fn interleaved<R: Register, const N: usize, const G: u8>(mut registers: [R; N]) -> [R; N] {
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

/// The places of the loops around a tile. Neither recursive nor taking a closure, so that all of it
/// is inlined where instructions are available.
///
/// Places are handed on in registers. Two numbers that have just been stored are not there yet for a load of both at once,
/// which would wait longer than a small tile takes.
pub(super) struct Places<'t> {
    around: &'t [Around],
    inner: Around,
    next: At,
    has_next: bool,
    /// The steps of the innermost loop that are left after the next place.
    left: i64,
    steps: Steps,
}

/// How far the loops are that are not the innermost, and whether all are done.
struct Steps {
    of: [i64; super::places::MAX_LOOPS + 2],
    are_done: bool,
}

impl<'t> Places<'t> {
    #[inline(always)]
    pub(super) fn new(around: &'t [Around], at: At) -> Self {
        let (inner, around) = match around.split_last() {
            Some((inner, around)) => (*inner, around),
            None => (ONCE, around),
        };
        let left = inner.count - 1;
        let steps = Steps { of: [0; super::places::MAX_LOOPS + 2], are_done: false };
        Places { around, inner, next: at, has_next: true, left, steps }
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<At> {
        if !self.has_next {
            return None;
        }
        let (here, l) = (self.next, &self.inner);
        if self.left > 0 {
            self.left -= 1;
            self.next = here.plus(l.src, l.dst);
            if self.left == 0 {
                self.next = self.next.plus(-l.src_back, -l.dst_back);
            }
            return Some(here);
        }
        self.has_next = !self.around.is_empty();
        if self.has_next {
            self.left = l.count - 1;
            self.next = next_row(self.around, &mut self.steps, rewound(here, l));
            self.has_next = !self.steps.are_done;
        }
        Some(here)
    }
}

/// The next place of these loops from one of them on, and any if all are done.
#[inline(never)]
fn next_row(around: &[Around], steps: &mut Steps, mut at: At) -> At {
    for (l, step) in around.iter().zip(&mut steps.of).rev() {
        *step += 1;
        if *step < l.count {
            let next = at.plus(l.src, l.dst);
            let is_last = *step == l.count - 1;
            return if is_last { next.plus(-l.src_back, -l.dst_back) } else { next };
        }
        *step = 0;
        at = rewound(at, l);
    }
    steps.are_done = true;
    at
}

/// From the last place of a loop to its first.
#[inline(always)]
fn rewound(at: At, l: &Around) -> At {
    let steps = 1 - l.count;
    // A loop of one step has nothing to go back.
    let back = if l.count > 1 { (l.src_back, l.dst_back) } else { (0, 0) };
    at.plus(steps * l.src + back.0, steps * l.dst + back.1)
}
