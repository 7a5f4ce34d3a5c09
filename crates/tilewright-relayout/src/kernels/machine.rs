//! Running programs: their walks in turn, by way of banks and stages.

use super::block::{CachedStage, Stage, Walk};
use super::code::Kernel;
use super::compile::MOST_REGISTER_BYTES;
use super::listed::Listed;
use super::panels::{self, Ahead, By, Soon};
use super::place::{At, Stores, copy_one, room};
use super::places::AroundPlaces;
use super::swizzle::{CopiedTiles, Lanes, PERIOD_PLACES, SideAt, SwizzledSides, TILE_LANES};
use super::tile::{BANK, Overhang, Program, Scattered};
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
