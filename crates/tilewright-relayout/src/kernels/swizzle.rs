//! Programs of which a side is swizzled: what a tile has of it lies where its place says, with some bits flipped. The kernels for
//! that, which find out where each lane lies, also move tiles for which it [is listed](super::listed).
//!
//! A program counts places as if neither side were swizzled, and keeps whole pieces of 16 bytes. So a register is loaded by
//! pieces, each from where its own place is flipped to; or at once, where its place begins at a whole register and all of it
//! is flipped alike: then the upper flipped bits lead to another register of the group, and the lower ones exchange its
//! lanes.
//!
//! ```text
//!  place     r r r │ h h │ l l │ b b b b      of a row r; a line h, a lane l and a byte b of it
//!  address   r r r │ (h, l) ^ r │ b b b b
//! ```

use super::block::{Gathered, Out, Walk};
use super::flipped::{Flips, PIECE};
use super::machine;
use super::mover::{Mover, Way, is_within};
use super::panels::Soon;
use super::place::{At, CACHED, LINE, STREAMED, Stores, put};
use super::register::Register;
use super::tile::{BYTES_OF_A_LANE, MAX_LANES, MOST_STORED, Program, Tile};
use std::mem::MaybeUninit;

/// The swizzles of the sides of a move, of those that have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Swizzles {
    pub(crate) src: Option<Flips>,
    pub(crate) dst: Option<Flips>,
}

/// Parts of both sides of a move, and where they begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SwizzledParts {
    pub(crate) swizzles: Swizzles,
    /// Which bytes of all of either side their first ones are.
    pub(crate) places: (usize, usize),
}

impl Mover {
    /// Whether [`run_swizzled`](Self::run_swizzled) moves it where it begins at a piece of a swizzled source, and at a register of a
    /// swizzled destination; at a line, if it `streams` there.
    pub(crate) fn takes(&self, swizzles: Swizzles, streams: bool) -> bool {
        let program = self.swizzled_program(swizzles);
        program.is_some_and(|program| !streams || program.streams_lines())
    }

    /// The same from these bits of slices of these lengths on, of which the destination begins at a line if it is streamed to.
    pub(crate) fn takes_at(
        &self,
        start: (i64, i64),
        lens: (usize, usize),
        parts: SwizzledParts,
        stores: Stores,
    ) -> bool {
        let streams = stores == Stores::Streamed && parts.swizzles.dst.is_some();
        let begins_line = start.1 % (8 * LINE as i64) == 0;
        let program = self.swizzled_at(start, lens, parts);
        program.is_some_and(|program| !streams || begins_line && program.streams_lines())
    }

    /// Moves the box as [`run`](Self::run) does, with its sides swizzled. Nothing is moved, and `false` said, if it
    /// [does not take](Self::takes_at) that, or is streamed to a swizzled destination whose lines are none in memory.
    pub(crate) fn run_swizzled(
        &self,
        start: (i64, i64),
        src: &[u8],
        dst: &mut [u8],
        parts: SwizzledParts,
        stores: Stores,
    ) -> bool {
        let program = self.swizzled_at(start, (src.len(), dst.len()), parts);
        let Some(program) = program else { return false };
        let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
        let SwizzledParts { swizzles, places } = parts;
        let src = SideAt::new(swizzles.src, at.src.addr(), places.0);
        let dst = SideAt::new(swizzles.dst, at.dst.addr(), places.1);
        let at = at.plus(start.0 >> 3, start.1 >> 3);
        let streams = stores == Stores::Streamed && dst.is_swizzled();
        if streams && !(program.streams_lines() && at.to_line() == 0 && dst.begins_lines()) {
            return false;
        }
        // SAFETY: the groups of all elements were found within the two slices, which cannot overlap; a program reads and
        // writes no others.
        unsafe { machine::run_swizzled(program, at, (src, dst), stores) };
        true
    }

    /// Whether the rows that a tile reads of a swizzled source are whole periods apart, and flips lead to other lines: then what is
    /// asked for ahead is not what is read next in any of them.
    pub(crate) fn asks_in_vain(&self, swizzles: Swizzles) -> bool {
        let program = self.swizzled_program(swizzles);
        program.zip(swizzles.src).is_some_and(|(program, flips)| {
            program.walk.tile.lane_bits() & flips.period() == 0 && flips.mask >= LINE
        })
    }

    /// The program that moves it if its sides are swizzled.
    fn swizzled_program(&self, swizzles: Swizzles) -> Option<&Program> {
        match &self.way {
            Way::Program(program) => Some(&**program).filter(|program| program.takes(swizzles)),
            _ => None,
        }
    }

    /// The same, if a box that begins at these bits of slices of these lengths begins at what the program takes, and the groups of
    /// its elements lie within them.
    fn swizzled_at(
        &self,
        start: (i64, i64),
        lens: (usize, usize),
        SwizzledParts { swizzles, places }: SwizzledParts,
    ) -> Option<&Program> {
        let program = self.swizzled_program(swizzles)?;
        let src = match swizzles.src {
            Some(flips) => flips.are_within(start.0, self.src, (places.0, lens.0), PIECE),
            None => start.0 % 8 == 0 && is_within(start.0, self.src, lens.0),
        };
        let whole = program.register_bytes();
        let dst = match swizzles.dst {
            Some(flips) => flips.are_within(start.1, self.dst, (places.1, lens.1), whole),
            None => start.1 % 8 == 0 && is_within(start.1, self.dst, lens.1),
        };
        (src && dst).then_some(program)
    }
}

/// One side of a move, which may be swizzled.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideAt {
    /// Nothing is flipped if there are no bits.
    flips: Flips,
    /// The address of its place 0.
    zero: usize,
}

impl SideAt {
    /// Whose byte at this address has this place.
    pub(super) fn new(flips: Option<Flips>, address: usize, place: usize) -> Self {
        let flips = flips.unwrap_or(Flips { shift: 0, mask: 0 });
        SideAt { flips, zero: address.wrapping_sub(place) }
    }

    pub(super) fn is_swizzled(&self) -> bool {
        self.flips.mask != 0
    }

    /// Whether its place 0 is at a line's address.
    pub(super) fn begins_lines(&self) -> bool {
        self.zero.is_multiple_of(LINE)
    }

    /// How far in a period of the flips an address is.
    #[inline(always)]
    fn phase(&self, address: usize) -> usize {
        address.wrapping_sub(self.zero) & self.flips.period()
    }

    /// How far from an address the piece lies that would be there.
    #[inline(always)]
    fn shift_of(&self, address: usize) -> isize {
        let place = address.wrapping_sub(self.zero);
        (self.flips.of(place) as isize).wrapping_sub(place as isize)
    }

    /// How far from an address the register lies that would be there, if all of it is flipped alike, and what the numbers of its
    /// lanes are flipped by.
    #[inline(always)]
    fn whole(&self, address: usize, bytes: usize) -> (isize, usize) {
        let Flips { shift, mask } = self.flips;
        let place = address.wrapping_sub(self.zero);
        let flipped = (place >> shift) & mask;
        let others = flipped / bytes * bytes;
        ((place ^ others) as isize - place as isize, flipped % bytes / PIECE)
    }

    /// Whether an address is that of a whole register of so many bytes, and so are those that lie by these bits further on.
    #[inline(always)]
    fn is_whole(&self, address: usize, bits: usize, bytes: usize) -> bool {
        (address.wrapping_sub(self.zero) | bits).is_multiple_of(bytes)
    }

    /// Loads a register that is flipped alike.
    ///
    /// # Safety
    /// The processor has these registers, and its group can be read.
    #[inline(always)]
    unsafe fn load_whole<R: Register>(&self, from: *const u8) -> R {
        let (by, lanes) = self.whole(from.addr(), R::BYTES);
        // SAFETY: the caller's promise: pieces stay in their groups.
        unsafe { R::load(from.wrapping_offset(by)).with_lanes_flipped(lanes) }
    }

    /// Stores one.
    ///
    /// # Safety
    /// The processor has these registers, and its group can be written; to a register's address, if it is streamed.
    #[inline(always)]
    unsafe fn store_whole<R: Register, const S: u8>(&self, register: R, to: *mut u8) {
        let (by, lanes) = self.whole(to.addr(), R::BYTES);
        // SAFETY: the caller's promise: pieces stay in their groups.
        unsafe { put::<R, S>(register.with_lanes_flipped(lanes), to.wrapping_offset(by)) };
    }
}

/// The places that tiles begin at, within a period of the flips, that are told apart at a time.
pub(super) const PERIOD_PLACES: usize = 64;

/// The most registers of a tile, and their lanes.
const REGISTERS: usize = 16;
pub(super) const TILE_LANES: usize = REGISTERS * MAX_LANES;

/// Where the lanes of a tile lie on a swizzled side, for the places that tiles begin at: those that are as far in a period
/// of the flips have the same, so it is found out once.
pub(super) struct Lanes<'l> {
    side: SideAt,
    /// All bits that are set in the offsets of a tile's registers and in what flips bits; all bits, if lanes of a register are
    /// apart.
    bits: usize,
    /// The bits of a place that matter.
    period: usize,
    /// Whether all lanes of a tile are as far in a period as the first.
    are_moved_together: bool,
    /// One more than the place that each list is for; 0 if there is none yet.
    places: [usize; PERIOD_PLACES],
    /// How far from the place of a tile each lane lies, register by register, list by list.
    lists: &'l mut [MaybeUninit<i64>],
    /// The same for each tile, if that is known.
    listed: Option<Lists<'l>>,
}

/// Places of tiles, list by list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lists<'l> {
    pub(super) lists: &'l [i64],
    /// How many places each has.
    pub(super) each: usize,
    /// Which of them each tile of a panel has.
    pub(super) numbers: &'l [u32],
}

impl<'l> Lists<'l> {
    /// The places of a tile of a panel.
    #[inline(always)]
    fn of(&self, number: usize) -> &'l [i64] {
        &self.lists[self.numbers[number] as usize * self.each..][..self.each]
    }
}

impl<'l> Lanes<'l> {
    /// Of a tile.
    pub(super) fn of(side: SideAt, tile: &Tile, lists: &'l mut [MaybeUninit<i64>]) -> Self {
        let are_apart = !are_neighbours(&tile.lanes, BYTES_OF_A_LANE as usize * tile.n_lanes);
        let of_registers = if are_apart { usize::MAX } else { all_bits(&tile.loads) };
        let (bits, period) = (of_registers | side.flips.flipping(), side.flips.period());
        let are_moved_together = tile.lane_bits() & period == 0;
        let places = [0; PERIOD_PLACES];
        Lanes { side, bits, period, are_moved_together, places, lists, listed: None }
    }

    /// Of tiles whose lanes are listed, if they are.
    pub(super) fn listed(listed: Option<Lists<'l>>) -> Self {
        let side = SideAt::new(None, 0, 0);
        let (bits, places, lists) = (usize::MAX, [0; PERIOD_PLACES], &mut [][..]);
        let (period, are_moved_together) = (0, false);
        Lanes { side, bits, period, are_moved_together, places, lists, listed }
    }

    /// Whether all registers of `bytes` of a tile that begins here are flipped alike, each in itself.
    #[inline(always)]
    fn are_whole(&self, address: usize, bytes: usize) -> bool {
        self.side.is_whole(address, self.bits, bytes)
    }

    /// The lanes of a tile of `N` registers that begins at this address.
    #[inline(always)]
    fn at<R: Register, const N: usize>(&mut self, tile: &Tile, address: usize) -> &[i64] {
        let place = address.wrapping_sub(self.side.zero) & self.period;
        let number = place / PIECE % PERIOD_PLACES;
        let n_lanes = N * (R::BYTES / PIECE);
        let list = &mut self.lists[number * n_lanes..][..n_lanes];
        if self.places[number] != place + 1 {
            self.side.fill(list, place, tile);
            self.places[number] = place + 1;
        }
        // SAFETY: all of a list is written before its place is.
        unsafe { &*(std::ptr::from_ref::<[MaybeUninit<i64>]>(list) as *const [i64]) }
    }

    /// Loads the first registers of tile `number` of a panel.
    ///
    /// # Safety
    /// The processor has these registers, the groups of all lanes can be read, and there is room for the registers.
    #[inline(always)]
    pub(super) unsafe fn load<R: Register, const N: usize>(
        &mut self,
        tile: &Tile,
        number: usize,
        from: *const u8,
        to: *mut R,
    ) {
        // SAFETY: the caller's promise: pieces stay in their groups, and what is listed can be read.
        unsafe {
            let list = match &self.listed {
                Some(listed) => listed.of(number),
                None if self.are_whole(from.addr(), R::BYTES) => {
                    for (number, &load) in tile.loads.iter().enumerate().take(N) {
                        let from = from.wrapping_offset(load as isize);
                        to.add(number).write(self.side.load_whole(from));
                    }
                    return;
                }
                None if self.are_moved_together => {
                    let from = from.wrapping_offset(self.side.shift_of(from.addr()));
                    for (number, &load) in tile.loads.iter().enumerate().take(N) {
                        let from = from.wrapping_offset(load as isize);
                        to.add(number).write(R::load_lanes(from, &tile.lanes, 1));
                    }
                    return;
                }
                None => self.at::<R, N>(tile, from.addr()),
            };
            let n_lanes = R::BYTES / PIECE;
            // Looked at once, not for each register.
            let list = &list[..N * n_lanes];
            for number in 0..N {
                let lanes = &list[number * n_lanes..][..n_lanes];
                to.add(number).write(R::load_lanes(from, lanes, 1));
            }
        }
    }
}

impl SideAt {
    /// Stores the registers of a tile, past the caches if `S` says so.
    ///
    /// # Safety
    /// The processor has these registers, and their groups can be written; each is flipped alike. If they are streamed,
    /// place 0 is at a line's address.
    #[inline(always)]
    pub(super) unsafe fn store<R: Register, const N: usize, const S: u8>(
        &self,
        tile: &Tile,
        registers: [R; N],
        to: *mut u8,
    ) {
        for (register, &store) in registers.into_iter().zip(&tile.stores) {
            // SAFETY: the caller's promise: pieces stay in their groups.
            unsafe { self.store_whole::<R, S>(register, to.wrapping_offset(store as isize)) };
        }
    }
}

/// All bits that are set in any of them.
fn all_bits(offsets: &[i64]) -> usize {
    offsets.iter().fold(0, |or, &offset| or | offset as usize)
}

impl Tile {
    /// All bits that are set in where its lanes are loaded from.
    fn lane_bits(&self) -> usize {
        all_bits(&self.loads) | all_bits(&self.lanes[..self.n_lanes])
    }
}

impl SideAt {
    /// Fills a list of the lanes that a tile at a place loads.
    #[cold]
    #[inline(never)]
    fn fill(&self, list: &mut [MaybeUninit<i64>], place: usize, tile: &Tile) {
        let address = self.zero.wrapping_add(place);
        for (lanes, load) in list.chunks_mut(tile.n_lanes).zip(&tile.loads) {
            for (lane, distance) in lanes.iter_mut().zip(&tile.lanes) {
                let by = load + distance;
                lane.write(by + self.shift_of(address.wrapping_add(by as usize)) as i64);
            }
        }
    }
}

/// How a program is run of which a side is swizzled.
pub(super) struct SwizzledSides<'l> {
    pub(super) src: Lanes<'l>,
    pub(super) dst: SideAt,
    pub(super) stores: Stores,
    /// Whether what is stored where it goes is streamed.
    pub(super) streams: bool,
    /// Where registers are stored, if that is listed: as many for each tile as there may be.
    pub(super) places: Option<Lists<'l>>,
    /// What copies rows to a stage and from there.
    pub(super) copies: Copies,
    /// Tiles of a register each, unless they are listed otherwise.
    pub(super) copied: Option<&'l mut CopiedTiles>,
}

/// The most tiles that are listed in a run, and the most places of panels in a period that they are listed for: where each panel
/// begins at another, that takes longer than it saves.
const MOST_COPIED: usize = 1024;
const MOST_PHASES: usize = 8;

/// Where the tiles of a panel lie, of a register each. That is the same for all panels that begin as far in a period of the flips.
pub(super) struct CopiedTiles {
    /// Those of one panel behind those of another.
    tiles: [MaybeUninit<Copied>; MOST_COPIED],
    /// How far in a period of either side the panels begin for which they are listed, and how many those are.
    phases: [[usize; 2]; MOST_PHASES],
    n_phases: usize,
    /// Whether no others can be listed.
    is_full: bool,
}

/// How far from its panel's first byte each lane of a tile is loaded from, and its register stored.
#[derive(Clone, Copy)]
pub(super) struct Copied {
    lanes: [i32; MAX_LANES],
    store: i32,
}

impl CopiedTiles {
    pub(super) fn new() -> Self {
        let tiles = [const { MaybeUninit::uninit() }; MOST_COPIED];
        CopiedTiles { tiles, phases: [[0; 2]; MOST_PHASES], n_phases: 0, is_full: false }
    }

    /// The tiles of panels that begin so far in a period of either side, if they are known or can be listed.
    #[inline(always)]
    fn of<R: Register>(
        &mut self,
        walk: &Walk,
        sides: [SideAt; 2],
        phases: [usize; 2],
    ) -> Option<&[Copied]> {
        let known = self.phases[..self.n_phases].iter().position(|known| *known == phases);
        let number = match known {
            Some(number) => number,
            None => self.list::<R>(walk, sides, phases)?,
        };
        let n_tiles = walk.tiles.len();
        let tiles = &self.tiles[number * n_tiles..][..n_tiles];
        // SAFETY: all tiles of a list are written before its phases are.
        Some(unsafe { &*(std::ptr::from_ref::<[MaybeUninit<Copied>]>(tiles) as *const [Copied]) })
    }

    /// Lists the tiles of such panels, as many as the walk has. The number of their list.
    #[cold]
    #[inline(never)]
    fn list<R: Register>(
        &mut self,
        walk: &Walk,
        sides: [SideAt; 2],
        phases: [usize; 2],
    ) -> Option<usize> {
        let (number, n_tiles) = (self.n_phases, walk.tiles.len());
        if self.is_full {
            return None;
        }
        // Until it is known to be.
        self.is_full = true;
        let list = self.tiles.get_mut(number * n_tiles..)?.get_mut(..n_tiles)?;
        let known = self.phases.get_mut(number)?;
        for (copied, &places) in list.iter_mut().zip(&walk.tiles) {
            copied.write(Copied::of::<R>(walk, places, sides, phases)?);
        }
        *known = phases;
        (self.n_phases, self.is_full) = (number + 1, false);
        Some(number)
    }
}

impl Copied {
    /// Of a tile at these places of a panel that begins so far in a period of either side.
    fn of<R: Register>(
        walk: &Walk,
        (from, to): (i64, i64),
        sides: [SideAt; 2],
        phases: [usize; 2],
    ) -> Option<Self> {
        let Walk { tile, gathered, out, .. } = walk;
        let [src, dst] = sides.map(|side| SideAt { zero: 0, ..side });
        let (from, to) = (from + tile.loads[0], to + tile.stores[0]);
        // A stage is not swizzled.
        let (by, flips) = match out {
            Some(_) => (0, 0),
            None => dst.whole(phases[1].wrapping_add_signed(to as isize), R::BYTES),
        };
        let n_lanes = R::BYTES / PIECE;
        let mut lanes = [0; MAX_LANES];
        for (number, lane) in lanes.iter_mut().enumerate().take(n_lanes) {
            let from = from + if n_lanes > 1 { tile.lanes[number ^ flips] } else { 0 };
            let by = match gathered {
                Some(_) => 0,
                None => src.shift_of(phases[0].wrapping_add_signed(from as isize)),
            };
            *lane = i32::try_from(from + by as i64).ok()?;
        }
        Some(Copied { lanes, store: i32::try_from(to + by as i64).ok()? })
    }
}

/// Copies the tiles of a panel that are listed, whose bytes are put in `order` within each 16, and asks for lines meanwhile.
///
/// # Safety
/// As [`Kernel`](super::code::Kernel), of the groups of what the tiles read and write; they are listed for the registers and the place
/// of the panel.
#[inline(always)]
pub(super) unsafe fn copy_tiles<R: Register>(
    tiles: &[Copied],
    at: At,
    order: Option<R>,
    is_streamed: bool,
    soon: &mut Soon<'_>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match is_streamed {
            true => copy_each::<R, STREAMED>(tiles, at, order, soon),
            false => copy_each::<R, CACHED>(tiles, at, order, soon),
        }
    }
}

/// # Safety
/// As [`copy_tiles`]; they are stored as `S` says.
#[inline(always)]
unsafe fn copy_each<R: Register, const S: u8>(
    tiles: &[Copied],
    at: At,
    order: Option<R>,
    soon: &mut Soon<'_>,
) {
    for Copied { lanes, store } in tiles {
        soon.ask();
        // SAFETY: the caller's promise.
        unsafe {
            let mut register = R::load_lanes(at.src, &lanes.map(i64::from), 1);
            if let Some(order) = order {
                register = register.shuffle(order);
            }
            put::<R, S>(register, at.dst.wrapping_offset(*store as isize));
        }
    }
}

/// How one tile is: the sides that are swizzled and not a stage.
pub(super) struct SwizzledTile<'s, 'l> {
    pub(super) src: Option<&'s mut Lanes<'l>>,
    /// Which of a panel it is.
    pub(super) number: usize,
    pub(super) dst: Option<SideAt>,
    /// Where its registers are stored, if that is listed.
    pub(super) stores: Option<&'l [i64; MOST_STORED]>,
    /// Whether it is streamed.
    pub(super) is_streamed: bool,
}

impl<'l> SwizzledSides<'l> {
    /// Whether what is read next is asked for.
    #[inline(always)]
    pub(super) fn asks(&self) -> bool {
        self.stores != Stores::Cached
    }

    /// Whether the source is swizzled.
    #[inline(always)]
    pub(super) fn has_src(&self) -> bool {
        self.src.side.is_swizzled()
    }

    /// Whether the destination is.
    #[inline(always)]
    pub(super) fn has_dst(&self) -> bool {
        self.dst.is_swizzled()
    }

    /// Tile `number` of a panel of a walk that has these stages.
    #[inline(always)]
    pub(super) fn tile(
        &mut self,
        number: usize,
        has_gathered: bool,
        has_out: bool,
    ) -> SwizzledTile<'_, 'l> {
        let SwizzledSides { src, dst, streams, places, .. } = self;
        let is_listed = src.listed.is_some();
        SwizzledTile {
            number,
            src: if is_listed || src.side.is_swizzled() && !has_gathered {
                Some(src)
            } else {
                None
            },
            dst: if dst.is_swizzled() && !has_out { Some(*dst) } else { None },
            stores: match places {
                Some(places) => places.of(number).first_chunk(),
                None => None,
            },
            is_streamed: *streams && !has_out,
        }
    }

    /// The tiles of the panel that begins here, of a register each, if they are known or can be listed.
    #[inline(always)]
    pub(super) fn copied<R: Register>(&mut self, walk: &Walk, first: At) -> Option<&[Copied]> {
        let sides = [self.src.side, self.dst];
        let phases = [sides[0].phase(first.src.addr()), sides[1].phase(first.dst.addr())];
        self.copied.as_deref_mut()?.of::<R>(walk, sides, phases)
    }

    /// Copies the rows of a panel to a stage.
    ///
    /// # Safety
    /// The groups of the rows can be read, and there is room for them in the stage.
    #[inline(always)]
    pub(super) unsafe fn gather(&self, gathered: &Gathered, src: *const u8, stage: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.copies.gather)(gathered, src, stage, self.src.side) }
    }

    /// Copies the rows of a block from the stage to where they go, and asks for lines meanwhile.
    ///
    /// # Safety
    /// The rows can be read from the stage, and their groups written; they are whole lines if they are streamed.
    #[inline(always)]
    pub(super) unsafe fn copy_out(
        &self,
        out: &Out,
        stage: *mut u8,
        dst: *mut u8,
        soon: &mut Soon<'_>,
    ) {
        let copy = match self.stores {
            Stores::Streamed => self.copies.stream,
            _ => self.copies.store,
        };
        // SAFETY: the caller's promise.
        unsafe { copy(out, stage, dst, self.dst, soon) }
    }
}

/// As [`CopyOut`](super::copies::CopyOut), where this side is swizzled.
type CopyOutSwizzled = unsafe fn(&Out, *mut u8, *mut u8, SideAt, &mut Soon<'_>);

/// What copies rows to a stage where they are swizzled, and from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    pub(super) gather: unsafe fn(&Gathered, *const u8, *mut u8, SideAt),
    pub(super) store: CopyOutSwizzled,
    pub(super) stream: CopyOutSwizzled,
}

/// Copies the rows of a panel, at least a line each, to a stage.
///
/// # Safety
/// The processor has the registers. All rows are whole pieces, whose groups can be read, and there is room in the stage.
#[inline(always)]
pub(super) unsafe fn gather_swizzled<R: Register>(
    gathered: &Gathered,
    src: *const u8,
    stage: *mut u8,
    side: SideAt,
) {
    let (mut to, len) = (stage.wrapping_add(gathered.first), gathered.len as usize);
    for &row in &gathered.rows {
        let from = src.wrapping_offset(row as isize);
        // SAFETY: the caller's promise: all that is read is a row's.
        unsafe {
            match side.is_whole(from.addr(), len | side.flips.flipping(), R::BYTES) {
                true => gather_row::<R>(side, from, to, len),
                false => gather_row::<R::Lane>(side, from, to, len),
            }
        }
        to = to.wrapping_offset(gathered.pitch as isize);
    }
}

/// Copies the rows of a block from the stage to where they go, and asks for lines meanwhile.
///
/// # Safety
/// The processor has the registers. All rows are registers that each are flipped alike; they can be read, and their groups be
/// written, as whole lines in memory if they are streamed.
#[inline(always)]
pub(super) unsafe fn copy_out_swizzled<R: Register, const S: u8>(
    out: &Out,
    stage: *mut u8,
    dst: *mut u8,
    side: SideAt,
    soon: &mut Soon<'_>,
) {
    let (mut from, len) = (stage.wrapping_add(LINE), out.len as usize);
    for &row in &out.rows {
        soon.ask_with::<R>(len);
        let to = dst.wrapping_offset(row as isize);
        // SAFETY: the caller's promise: all that is written is a row's.
        unsafe { copy_out_row::<R, S>(side, from, to, len) };
        from = from.wrapping_offset(out.pitch as isize);
    }
}

/// Copies a row from a swizzled side.
///
/// # Safety
/// As [`gather_swizzled`], of registers that are flipped alike.
#[inline(always)]
unsafe fn gather_row<R: Register>(side: SideAt, from: *const u8, to: *mut u8, len: usize) {
    let mut place = 0;
    while place < len {
        // SAFETY: the caller's promise.
        unsafe { side.load_whole::<R>(from.wrapping_add(place)).store(to.wrapping_add(place)) };
        place += R::BYTES;
    }
}

/// Copies a row to a swizzled side.
///
/// # Safety
/// As [`copy_out_swizzled`], of registers that are flipped alike.
#[inline(always)]
unsafe fn copy_out_row<R: Register, const S: u8>(
    side: SideAt,
    from: *const u8,
    to: *mut u8,
    len: usize,
) {
    let mut place = 0;
    while place < len {
        // SAFETY: the caller's promise.
        unsafe {
            let register = R::load(from.wrapping_add(place));
            side.store_whole::<R, S>(register, to.wrapping_add(place));
        }
        place += R::BYTES;
    }
}

/// Where the lanes of a register are that lie next to each other.
const NEIGHBOURS: [i64; MAX_LANES] = [0, BYTES_OF_A_LANE, 2 * BYTES_OF_A_LANE, 3 * BYTES_OF_A_LANE];

/// Whether the lanes of a tile's registers are next to each other.
#[inline(always)]
pub(super) fn are_neighbours(lanes: &[i64; MAX_LANES], bytes: usize) -> bool {
    bytes < 32 || lanes[1] == NEIGHBOURS[1] && (bytes < 64 || lanes[2] == NEIGHBOURS[2])
}

impl Program {
    /// Whether it can be run where its sides are swizzled so, if what it begins at are whole pieces of the source, and
    /// [registers](Self::register_bytes) of the destination: so that all that it loads and stores are.
    pub(super) fn takes(&self, swizzles: Swizzles) -> bool {
        let cached = self.cached_blocks.as_ref().map(|blocks| &*blocks.walk);
        let walks = [Some(&self.walk), cached];
        let blocks = self.blocks.iter().map(Option::as_deref);
        let (mut from, mut to) = (0, 0);
        for walk in walks.into_iter().chain(blocks).flatten() {
            for l in &walk.around {
                from |= l.src | l.src_back;
                to |= l.dst | l.dst_back;
            }
            match &walk.gathered {
                Some(gathered) => from |= gathered.len | all_bits(&gathered.rows) as i64,
                None => {
                    from |= walk.tiles.iter().fold(0, |or, tile| or | tile.0);
                    from |= walk.tile.lane_bits() as i64;
                }
            }
            match &walk.out {
                Some(out) => to |= out.len | all_bits(&out.rows) as i64,
                None => {
                    to |= walk.tiles.iter().fold(0, |or, tile| or | tile.1);
                    to |= all_bits(&walk.tile.stores) as i64;
                }
            }
        }
        let has_bytes = self.walk.tile.ops.is_empty() && !self.is_in_banks();
        let has_pieces = swizzles.src.is_none() || from % PIECE as i64 == 0;
        let has_registers = swizzles.dst.is_none_or(|flips| {
            (to as usize | flips.flipping()).is_multiple_of(self.register_bytes())
        });
        has_bytes && has_pieces && has_registers
    }

    /// The bytes of a register of its tile.
    pub(super) fn register_bytes(&self) -> usize {
        PIECE * self.walk.tile.n_lanes
    }
}
