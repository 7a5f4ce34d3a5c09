//! Kernels: the functions that move the tiles of a panel, made for each set of interleavings, way to store and kind of registers.
//!
//! Each level's are a module of their own, which compilers make beside the others': together they take minutes.

use super::block::{Ends, Walk};
use super::copies::{CopyIn, CopyOut};
use super::exchange::{MERGES, SPREADS, STEPS, one};
#[cfg(target_arch = "x86_64")]
use super::level::for_each_level;
use super::level::{Level, prefetch};
use super::panels::{Beside, Soon};
use super::place::{At, CACHED, Stores};
use super::register::Register;
use super::swizzle::{Copies, SwizzledSides, copy_tiles};
use super::tile::{Op, Tile};

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
    pub(super) streamed: Kernel,
    /// As staged, where there are lines that have nothing to do with it to be asked for. One kernel that could do both would
    /// have fewer registers for either, and take up to 1.5 times as long.
    pub(super) asking: Kernel,
    /// As cached or staged, where each register of a line is stored to two lines of a row of its own.
    crossing: Kernel,
    /// Where a side is swizzled, and what copies rows there.
    pub(super) swizzled: SwizzledKernel,
    pub(super) copies: Copies,
}

/// As [`Kernel`], where a side is swizzled.
///
/// # Safety
/// As [`Kernel`], of the groups of what the tiles read and write.
pub(super) type SwizzledKernel =
    unsafe fn(&Walk, At, At, &mut Beside<'_, '_>, &mut SwizzledSides<'_>);

impl Kernels {
    pub(super) fn into_caches(self, walk: &Walk, at: At, stores: Stores) -> Kernel {
        match stores {
            _ if walk.crosses_lines(at.dst) => self.crossing,
            Stores::Cached => self.cached,
            _ => self.staged,
        }
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

/// The kernels of a tile, by registers of as many lanes as it has.
pub(super) fn kernels(tile: &Tile, level: Level) -> Kernels {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 4 => by_lanes::<avx512::Code, super::x86::Avx512>(tile),
        // Sixteen registers and what they become are more than there are without AVX-512.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 2 && is_of_sixteen(tile) => {
            of_sixteen::<avx512::Code, super::x86::Avx2>(tile)
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if is_of_sixteen(tile) => of_sixteen::<avx512::Code, super::x86::Sse>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if tile.n_lanes == 2 => by_lanes::<avx2::Code, super::x86::Avx2>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => by_lanes::<avx2::Code, super::x86::Sse>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if tile.n_lanes == 2 => by_lanes::<avx2::Code, super::x86::Avx2>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => by_lanes::<avx2::Code, super::x86::Sse>(tile),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => by_lanes::<sse::Code, super::x86::Sse>(tile),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => by_lanes::<plain::Code, super::neon::Neon>(tile),
        Level::Plain => by_lanes::<plain::Code, super::register::Plain>(tile),
    }
}

/// What copies rows to a stage.
pub(super) fn copy_in(level: Level) -> CopyIn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::Code::gather::<super::x86::Avx512>(),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::Code::gather::<super::x86::Avx2>(),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => sse::Code::gather::<super::x86::Sse>(),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => plain::Code::gather::<super::neon::Neon>(),
        Level::Plain => plain::Code::gather::<super::register::Plain>(),
    }
}

/// What copies rows out that end so, into the caches or past them.
pub(super) fn copy_out(level: Level, ends: Ends) -> CopyOut {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::Code::copy::<super::x86::Avx512>(ends),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::Code::copy::<super::x86::Avx2>(ends),
        #[cfg(target_arch = "x86_64")]
        Level::Sse => sse::Code::copy::<super::x86::Sse>(ends),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => plain::Code::copy::<super::neon::Neon>(ends),
        Level::Plain => plain::Code::copy::<super::register::Plain>(ends),
    }
}

/// Code for processors of a level.
trait Code {
    fn kernels<R: Register, const N: usize, const G: u8, const L: u8>() -> Kernels;
    fn copy<R: Register>(ends: Ends) -> CopyOut;
    fn gather<R: Register>() -> CopyIn;
    fn copies<R: Register>() -> Copies;
}

/// Defines a level's code, for registers of any length that it has: the instructions of these features.
macro_rules! code {
    ($level:ident $(, $registers:ident, $features:literal)?) => {
        mod $level {
            use super::super::block::{Ends, Gathered, Out, Walk};
            use super::super::copies::{
                CopyIn, CopyOut, PlacedBlock, copy_following_rows, copy_rows, copy_rows_cached, gather_rows,
            };
            use super::super::panels::{Beside, Soon};
            use super::super::place::{At, CACHED, LINE, STAGED, STREAMED};
            use super::super::register::Register;
            use super::super::swizzle::{
                Copies, SideAt, SwizzledSides, copy_out_swizzled, gather_swizzled,
            };
            use super::{APART, ASKING, CROSSING, FOLLOWING, INTO_CACHES, Kernels, tiles};

            pub(super) struct Code;

            impl super::Code for Code {
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
                    unsafe fn copy<R: Register, const E: u8>(
                        out: &Out,
                        stage: *mut u8,
                        placed: PlacedBlock,
                        soon: &mut Soon<'_>,
                    ) {
                        // SAFETY: the caller's promise.
                        unsafe {
                            match E {
                                INTO_CACHES => copy_rows_cached::<R>(out, stage, placed, soon),
                                FOLLOWING => copy_following_rows::<R>(out, stage, placed, soon),
                                _ => copy_rows::<R>(out, stage, placed, soon),
                            }
                        }
                    }
                    match ends {
                        Ends::Cached => copy::<R, INTO_CACHES>,
                        Ends::Following => copy::<R, FOLLOWING>,
                        Ends::Lines | Ends::Tails => copy::<R, APART>,
                    }
                }
            }
        }
    };
}

code!(plain);
#[cfg(target_arch = "x86_64")]
for_each_level!(code);

/// How rows of a block are copied out: into the caches, each past them, or each going on with the line in which the one before ends.
const INTO_CACHES: u8 = 0;
const APART: u8 = 1;
const FOLLOWING: u8 = 2;

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
