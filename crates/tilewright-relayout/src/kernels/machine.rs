//! Running programs: their walks in turn, by way of banks and stages, and what moves the tiles of each panel.

use super::block::{CachedStage, Ends, Gathered, Out, Stage, Walk};
use super::compile::MOST_REGISTER_BYTES;
use super::copies::{
    CopyIn, CopyOut, PlacedBlock, copy_following_rows, copy_rows, copy_rows_cached, gather_rows,
};
use super::exchange::{MERGES, SPREADS, STEPS, one};
use super::level::{Level, prefetch};
use super::listed::Listed;
use super::panels::{self, Ahead, Beside, By, Soon};
use super::place::{At, CACHED, LINE, STAGED, STREAMED, Stores, copy_one, room};
use super::places::AroundPlaces;
use super::register::Register;
use super::swizzle::{
    CopiedTiles, Copies, Lanes, PERIOD_PLACES, SideAt, SwizzledSides, TILE_LANES,
    copy_out_swizzled, copy_tiles, gather_swizzled,
};
use super::tile::{BANK, Op, Overhang, Program, Scattered, Tile};
use std::mem::MaybeUninit;

/// Moves a box.
///
/// # Safety
/// Every element of the loops that the program was made of can be read and written at these places;
/// the sides do not overlap.
#[inline]
pub(super) unsafe fn run(program: &Program, at: At, stores: Stores) {
    // SAFETY: the caller's promise.
    unsafe { run_before(program, at, stores, at.src) }
}

/// The same where what is read after this begins at `next`.
///
/// # Safety
/// As [`run`].
#[inline]
pub(super) unsafe fn run_before(program: &Program, at: At, stores: Stores, next: *const u8) {
    let (kernels, walk) = (&program.kernels, &program.walk);
    let none = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe {
        if stores == Stores::Streamed {
            return stream(program, at, next);
        }
        if let Some(walk) = program.walk_by_stage(at) {
            return by_way_of_stage(program, walk, at, stores, next);
        }
        let kernel = kernels.into_caches(walk, at, stores);
        let mut ahead = Ahead { src: next, lines: &mut [], is_far: stores != Stores::Cached };
        if program.is_in_banks() {
            return by_way_of_banks(program, (walk, kernel), stores, at, none, &mut ahead);
        }
        panels::run(walk, By::Kernel(kernel), at, none, &mut ahead);
    }
}

/// Moves a box from stage to stage, and asks for these lines meanwhile.
///
/// # Safety
/// As [`run`].
pub(super) unsafe fn run_asking(program: &Program, at: At, lines: &mut [Soon<'_>]) {
    let Program { kernels, walk, .. } = program;
    if let Some(walk) = program.walk_by_stage(at) {
        // SAFETY: the caller's promise.
        return unsafe { by_way_of_stage(program, walk, at, Stores::Cached, at.src) };
    }
    let mut ahead = Ahead { src: at.src, lines, is_far: true };
    let none = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe {
        match program.is_in_banks() {
            true => {
                let last = (walk, kernels.asking);
                by_way_of_banks(program, last, Stores::Cached, at, none, &mut ahead);
            }
            false => panels::run(walk, By::Kernel(kernels.asking), at, none, &mut ahead),
        }
    }
}

/// The same by way of a stage, by this walk of the program's, into the caches. A function of its own, as [`stream`] is.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn by_way_of_stage(program: &Program, walk: &Walk, at: At, stores: Stores, next: *const u8) {
    let mut stage = CachedStage(MaybeUninit::uninit());
    let stage = room(&mut stage.0);
    let kernel = program.kernels.into_caches(walk, at, stores);
    let mut ahead = Ahead { src: next, lines: &mut [], is_far: stores != Stores::Cached };
    // SAFETY: the caller's promise; a block that is copied into the caches fits the stage, and so do rows from there.
    unsafe {
        match program.is_in_banks() {
            true => by_way_of_banks(program, (walk, kernel), stores, at, stage, &mut ahead),
            false => panels::run(walk, By::Kernel(kernel), at, stage, &mut ahead),
        }
    }
}

/// The same past the caches. A function of its own: room for a block on the stack takes longer to be
/// had than a small box to be moved.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn stream(program: &Program, at: At, next: *const u8) {
    let mut stage = Stage(MaybeUninit::uninit());
    let stage = room(&mut stage.0);
    let (kernels, walk) = (&program.kernels, &program.walk);
    let is_on_line = at.to_line() == 0;
    let [lines, any] = &program.blocks;
    let lines = lines.as_deref().filter(|_| is_on_line);
    let mut ahead = Ahead { src: next, lines: &mut [], is_far: true };
    let ahead = &mut ahead;
    // SAFETY: the caller's promise.
    unsafe {
        if program.is_in_banks() {
            let last = match lines {
                _ if program.writes_lines && is_on_line => (walk, kernels.streamed),
                lines => {
                    let walk = lines.unwrap_or(walk);
                    (walk, kernels.into_caches(walk, at, Stores::Staged))
                }
            };
            by_way_of_banks(program, last, Stores::Streamed, at, stage, ahead);
        } else if program.writes_lines && is_on_line {
            panels::run(walk, By::Kernel(kernels.streamed), at, stage, ahead);
        } else {
            let walk = lines.or(any.as_deref()).unwrap_or(walk);
            let kernel = kernels.into_caches(walk, at, Stores::Staged);
            panels::run(walk, By::Kernel(kernel), at, stage, ahead);
        }
    }
    super::level::fence();
}

/// Moves a box of rows that overhang, past the caches.
///
/// # Safety
/// As [`run`], of the elements of the rows; what is beyond those can be read, and is not written.
#[inline(never)]
pub(super) unsafe fn run_overhanging(overhang: &Overhang, at: At) {
    let mut stage = Stage(MaybeUninit::uninit());
    let stage = room(&mut stage.0);
    let Overhang { walk, kernels } = overhang;
    let kernel = kernels.into_caches(walk, at, Stores::Staged);
    let mut ahead = Ahead { src: at.src, lines: &mut [], is_far: true };
    // SAFETY: the caller's promise; the rows of a block fit the stage, with what is beyond each.
    unsafe { panels::run(walk, By::Kernel(kernel), at, stage, &mut ahead) }
    super::level::fence();
}

/// Moves a box of which a side is swizzled.
///
/// # Safety
/// As [`run`], of the groups of the elements on a swizzled side. The program [takes
/// these swizzles](Program::takes), and begins at what it takes. A swizzled destination that is streamed has its place 0 at a
/// line's address, and the program streams whole lines there.
#[inline(never)]
pub(super) unsafe fn run_swizzled(
    program: &Program,
    at: At,
    (src, dst): (SideAt, SideAt),
    stores: Stores,
) {
    let mut stage = Stage(MaybeUninit::uninit());
    let stage = room(&mut stage.0);
    let kernels = &program.kernels;
    let is_on_line = at.to_line() == 0;
    let is_streamed = stores == Stores::Streamed;
    let writes_lines = program.writes_lines && is_on_line;
    let [lines, any] = &program.blocks;
    let walk = match is_streamed {
        true if writes_lines => None,
        true => lines.as_deref().filter(|_| is_on_line).or(any.as_deref()),
        false => program.cached_blocks(at),
    };
    let walk = walk.unwrap_or(&program.walk);
    let streams = is_streamed && (writes_lines || walk.out.is_some());
    let stores = if is_streamed && !streams { Stores::Staged } else { stores };
    let mut lists = [const { MaybeUninit::uninit() }; PERIOD_PLACES * TILE_LANES];
    let src = Lanes::of(src, &walk.tile, &mut lists);
    let (streams, copies) = (stores == Stores::Streamed, kernels.copies);
    let mut copied = CopiedTiles::new();
    // Those of one panel are not moved again.
    let copied = if walk.around.is_empty() { None } else { Some(&mut copied) };
    let mut swizzled = SwizzledSides { src, dst, stores, streams, places: None, copies, copied };
    let mut ahead = Ahead { src: at.src, lines: &mut [], is_far: swizzled.asks() };
    let by = By::Swizzled(kernels.swizzled, &mut swizzled);
    // SAFETY: the caller's promise.
    unsafe { panels::run(walk, by, at, stage, &mut ahead) }
    if is_streamed {
        super::level::fence();
    }
}

/// Moves a box by tiles that are loaded from places that are listed, or whose registers are stored there.
///
/// # Safety
/// As [`run`], of what the tiles and the lists lead to.
pub(super) unsafe fn run_listed(listed: &Listed, at: At, stores: Stores) {
    // SAFETY: the caller's promise.
    unsafe {
        match listed.has_stage() {
            true => listed_by_way_of_stage(listed, at, stores),
            false => walk_listed(listed, at, stores, std::ptr::null_mut()),
        }
    }
}

/// The same by way of a stage.
///
/// # Safety
/// As [`run_listed`].
#[inline(never)]
unsafe fn listed_by_way_of_stage(listed: &Listed, at: At, stores: Stores) {
    let mut stage = CachedStage(MaybeUninit::uninit());
    let stage = room(&mut stage.0);
    // SAFETY: the caller's promise; the rows fit the stage.
    unsafe { walk_listed(listed, at, stores, stage) }
}

/// # Safety
/// As [`run_listed`]; if there are rows that go by way of a stage, they fit this one.
unsafe fn walk_listed(listed: &Listed, at: At, stores: Stores, stage: *mut u8) {
    let (walk, kernels) = listed.walk();
    let (loads, places) = listed.lists();
    let streams = stores == Stores::Streamed && listed.streams() && at.to_line() == 0;
    let (src, dst) = (Lanes::listed(loads), SideAt::new(None, 0, 0));
    let copies = kernels.copies;
    let mut sides = SwizzledSides { src, dst, stores, streams, places, copies, copied: None };
    let mut ahead = Ahead { src: at.src, lines: &mut [], is_far: sides.asks() };
    let by = match (loads, places) {
        (None, None) if streams => By::Kernel(kernels.streamed),
        (None, None) => By::Kernel(kernels.into_caches(walk, at, stores)),
        _ => By::Swizzled(kernels.swizzled, &mut sides),
    };
    // SAFETY: the caller's promise.
    unsafe { panels::run(walk, by, at, stage, &mut ahead) }
    if streams {
        super::level::fence();
    }
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

/// Moves a box whose registers are put together in memory, or taken apart there. `last` is the program's walk
/// or its block, and what moves that.
///
/// # Safety
/// As [`run`]; for a block, the stage is a [`Stage`]'s, and for rows that are gathered at least a [`CachedStage`]'s.
#[inline(never)]
unsafe fn by_way_of_banks(
    program: &Program,
    last: (&Walk, Kernel),
    stores: Stores,
    at: At,
    stage: *mut u8,
    ahead: &mut Ahead<'_, '_>,
) {
    let mut loaded = Bank::<BANK>(MaybeUninit::uninit());
    let mut stored = Bank::<MOST_REGISTER_BYTES>(MaybeUninit::uninit());
    let (loaded, stored) = (room(&mut loaded.0), room(&mut stored.0));
    let (first, (walk, kernel)) = (ahead.src, last);
    let Program { before, after, around, .. } = program;
    let mut places = AroundPlaces::new(around, at);
    while let Some(at) = places.next() {
        let mut here = at;
        // SAFETY: the caller's promise. A bank has room for all registers, and each step reads those
        // that the one before has written; from one bank to the other, or to or from the box's sides.
        unsafe {
            let next = if places.has_next { places.next.src } else { first };
            if let Some(before) = before {
                here.src = loaded;
                if let Some((walk, kernels)) = &before.first {
                    let mut from = at;
                    if let Some(pieces) = &before.pieces {
                        gather(pieces, At { src: at.src, dst: stored });
                        from.src = stored;
                    }
                    let into = At { src: from.src, dst: loaded };
                    let kernel = match ahead.lines.is_empty() {
                        true => kernels.into_caches(walk, into, stores),
                        false => kernels.asking,
                    };
                    ahead.src = next;
                    panels::run(walk, By::Kernel(kernel), into, stage, ahead);
                } else if let Some(pieces) = &before.pieces {
                    gather(pieces, At { src: at.src, dst: loaded });
                }
            }
            if after.is_some() {
                here.dst = stored;
            }
            ahead.src = next;
            panels::run(walk, By::Kernel(kernel), here, stage, ahead);
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

/// What moves the tiles of a panel from a place on, which for one that has a stage is there. The second place is that of the
/// next panel. Places are handed on in registers: two numbers that have just been stored are not there yet for a load of both.
///
/// # Safety
/// The processor has the registers that it was made for. Everything that the tiles read and write from here can be read and
/// written, and the sides do not overlap.
pub(super) type Kernel = unsafe fn(&Walk, At, At, &mut Beside<'_, '_>);

/// A kernel for each way to store, as [`Stores`] are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels {
    cached: Kernel,
    staged: Kernel,
    streamed: Kernel,
    /// As staged, where there are lines that have nothing to do with it to be asked for. One kernel that could do both would
    /// have fewer registers for either, and take up to 1.5 times as long.
    asking: Kernel,
    /// As cached or staged, where each register of a line is stored to two lines of a row of its own.
    crossing: Kernel,
    /// Where a side is swizzled, and what copies rows there.
    swizzled: SwizzledKernel,
    copies: Copies,
}

/// As [`Kernel`], where a side is swizzled.
///
/// # Safety
/// As [`Kernel`], of the groups of what the tiles read and write.
pub(super) type SwizzledKernel =
    unsafe fn(&Walk, At, At, &mut Beside<'_, '_>, &mut SwizzledSides<'_>);

impl Kernels {
    fn into_caches(self, walk: &Walk, at: At, stores: Stores) -> Kernel {
        match stores {
            _ if walk.crosses_lines(at.dst) => self.crossing,
            Stores::Cached => self.cached,
            _ => self.staged,
        }
    }
}

/// The kernels of a tile, by registers of as many lanes as it has.
pub(super) fn kernels(tile: &Tile, level: Level) -> Kernels {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 4 => by_lanes::<Avx512Code, super::x86::Avx512>(tile),
        // Sixteen registers and what they become are more than there are without AVX-512.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 2 && is_of_sixteen(tile) => {
            of_sixteen::<Avx512Code, super::x86::Avx2>(tile)
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if is_of_sixteen(tile) => of_sixteen::<Avx512Code, super::x86::Sse>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 2 => by_lanes::<Avx2Code, super::x86::Avx2>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => by_lanes::<Avx2Code, super::x86::Sse>(tile),
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

/// What copies rows out that end so, into the caches or past them.
pub(super) fn copy_out(level: Level, ends: Ends) -> CopyOut {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Avx512Code::copy::<super::x86::Avx512>(ends),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => Avx2Code::copy::<super::x86::Avx2>(ends),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => SseCode::copy::<super::x86::Sse>(ends),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => PlainCode::copy::<super::neon::Neon>(ends),
        Level::Plain => PlainCode::copy::<super::register::Plain>(ends),
    }
}

/// Code for processors of a level.
trait Code {
    fn kernels<R: Register, const N: usize, const G: u8, const L: u8>() -> Kernels;
    fn copy<R: Register>(ends: Ends) -> CopyOut;
    fn gather<R: Register>() -> CopyIn;
    fn copies<R: Register>() -> Copies;
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
                    first: At,
                    next: At,
                    beside: &mut Beside<'_, '_>,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { tiles::<R, N, G, L, S>(walk, first, next, beside, None) }
                }
                /// # Safety
                /// As [`SwizzledKernel`].
                $(#[target_feature(enable = $features)])?
                unsafe fn run_swizzled<R: Register, const N: usize, const G: u8, const L: u8>(
                    walk: &Walk,
                    first: At,
                    next: At,
                    beside: &mut Beside<'_, '_>,
                    swizzled: &mut SwizzledSides<'_>,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { tiles::<R, N, G, L, STAGED>(walk, first, next, beside, Some(swizzled)) }
                }
                Kernels {
                    cached: run::<R, N, G, L, CACHED>,
                    staged: match R::HAS_HINTS {
                        true => run::<R, N, G, L, STAGED>,
                        false => run::<R, N, G, L, CACHED>,
                    },
                    streamed: match R::HAS_HINTS {
                        true => run::<R, N, G, L, STREAMED>,
                        false => run::<R, N, G, L, CACHED>,
                    },
                    asking: match R::HAS_HINTS {
                        true => run::<R, N, G, L, ASKING>,
                        false => run::<R, N, G, L, CACHED>,
                    },
                    // None but registers of a line are said to cross lines.
                    crossing: match R::BYTES == LINE {
                        true => run::<R, N, G, L, CROSSING>,
                        false => run::<R, N, G, L, CACHED>,
                    },
                    swizzled: run_swizzled::<R, N, G, L>,
                    copies: Self::copies::<R>(),
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

            fn copies<R: Register>() -> Copies {
                /// # Safety
                /// As [`gather_swizzled`].
                $(#[target_feature(enable = $features)])?
                unsafe fn gather<R: Register>(of: &Gathered, src: *const u8, to: *mut u8, side: SideAt) {
                    // SAFETY: the caller's promise.
                    unsafe { gather_swizzled::<R>(of, src, to, side) }
                }
                /// # Safety
                /// As [`copy_out_swizzled`].
                $(#[target_feature(enable = $features)])?
                unsafe fn out<R: Register, const S: u8>(
                    of: &Out,
                    from: *mut u8,
                    dst: *mut u8,
                    side: SideAt,
                    soon: &mut Soon<'_>,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { copy_out_swizzled::<R, S>(of, from, dst, side, soon) }
                }
                Copies { gather: gather::<R>, store: out::<R, CACHED>, stream: out::<R, STREAMED> }
            }

            fn copy<R: Register>(ends: Ends) -> CopyOut {
                /// # Safety
                /// As [`CopyOut`].
                $(#[target_feature(enable = $features)])?
                unsafe fn copy<R: Register>(
                    out: &Out,
                    stage: *mut u8,
                    placed: PlacedBlock,
                    soon: &mut Soon<'_>,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { copy_rows::<R>(out, stage, placed, soon) }
                }
                /// # Safety
                /// As [`CopyOut`].
                $(#[target_feature(enable = $features)])?
                unsafe fn copy_cached<R: Register>(
                    out: &Out,
                    stage: *mut u8,
                    placed: PlacedBlock,
                    soon: &mut Soon<'_>,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { copy_rows_cached::<R>(out, stage, placed, soon) }
                }
                /// # Safety
                /// As [`CopyOut`].
                $(#[target_feature(enable = $features)])?
                unsafe fn copy_following<R: Register>(
                    out: &Out,
                    stage: *mut u8,
                    placed: PlacedBlock,
                    soon: &mut Soon<'_>,
                ) {
                    // SAFETY: the caller's promise.
                    unsafe { copy_following_rows::<R>(out, stage, placed, soon) }
                }
                match ends {
                    Ends::Cached => copy_cached::<R>,
                    Ends::Following => copy_following::<R>,
                    Ends::Lines | Ends::Tails => copy::<R>,
                }
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

/// As [`CACHED`] or [`STAGED`], where registers are stored to two lines each, which are asked for so many tiles ahead.
const CROSSING: u8 = 4;
const TILES_AHEAD: usize = 4;

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

/// Whether sixteen registers are interleaved.
#[cfg(target_arch = "x86_64")]
fn is_of_sixteen(tile: &Tile) -> bool {
    tile.ops.is_empty() && tile.grains == 15
}

/// The kernels of a tile of sixteen registers of one or two lanes.
#[cfg(target_arch = "x86_64")]
fn of_sixteen<C: Code, R: Register>(tile: &Tile) -> Kernels {
    match tile.lane_stages {
        1 if R::BYTES > 16 => C::kernels::<R, 16, 15, 1>(),
        _ => C::kernels::<R, 16, 15, 0>(),
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

/// Moves every tile of a panel.
///
/// # Safety
/// As [`Kernel`]; `G` are the tile's grains, by which `N` registers are interleaved, or [`STEPS`],
/// `L` its lanes' stages, and `S` is how it is stored: only whole lines are [`STREAMED`].
#[inline(always)]
unsafe fn tiles<R: Register, const N: usize, const G: u8, const L: u8, const S: u8>(
    walk: &Walk,
    first: At,
    next: At,
    beside: &mut Beside<'_, '_>,
    mut swizzled: Option<&mut SwizzledSides<'_>>,
) {
    let Walk { tile, tiles, panel, gathered, out, .. } = walk;
    let mut soon = Soon::with_tiles(panel, next.src, beside.asks);
    // SAFETY: the caller's promise: every place is one of the panel's.
    unsafe {
        #[allow(clippy::manual_map, reason = "a closure is compiled without the registers")]
        let order = match &tile.shuffle {
            Some(order) => Some(R::repeat(order)),
            None => None,
        };
        // Copies are listed once for all panels.
        if N == 1
            && G == 0
            && let Some(sides) = &mut swizzled
        {
            let is_streamed = sides.streams && out.is_none();
            if let Some(tiles) = sides.copied::<R>(walk, first) {
                return copy_tiles::<R>(tiles, first, order, is_streamed, &mut soon);
            }
        }
        for (number, &(src, dst)) in tiles.iter().enumerate() {
            if S == CROSSING {
                let ahead = number + TILES_AHEAD;
                let (first, number) = match ahead < tiles.len() {
                    true => (beside.dst, ahead),
                    false => (next.dst, (ahead - tiles.len()).min(tiles.len() - 1)),
                };
                ask_for_two_lines::<R, N>(tile, first.wrapping_offset(tiles[number].1 as isize));
            }
            if S != CACHED {
                soon.ask();
                if S == ASKING {
                    for lines in &mut *beside.lines {
                        lines.ask();
                    }
                }
            }
            #[allow(clippy::manual_map, reason = "as above")]
            let swizzled = match &mut swizzled {
                Some(sides) => Some(sides.tile(number, gathered.is_some(), out.is_some())),
                None => None,
            };
            one::<R, N, G, L, S>(tile, first.plus(src, dst), order, swizzled);
        }
    }
}

/// Asks for the lines that a tile's registers are stored to, two of each.
#[inline(always)]
fn ask_for_two_lines<R: Register, const N: usize>(tile: &Tile, dst: *const u8) {
    let mut register = 0;
    while register < N {
        let first = dst.wrapping_offset(tile.stores[register] as isize);
        prefetch(first);
        prefetch(first.wrapping_add(R::BYTES - 1));
        register += 1;
    }
}
