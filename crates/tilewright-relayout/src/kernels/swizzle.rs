//! Programs of which a side is swizzled: what a tile has of it lies where its place says, with some bits flipped.
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

use super::block::{Gathered, Out};
use super::flipped::{Flips, PIECE};
use super::place::{At, LINE, Stores, put};
use super::register::Register;
use super::tile::{BYTES_OF_A_LANE, MAX_LANES, Program, Tile};
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

    /// Whether a row of so many bytes is registers that each are flipped alike.
    #[inline(always)]
    fn are_whole<R: Register>(&self, address: usize, len: usize) -> bool {
        let Flips { shift, mask } = self.flips;
        (address.wrapping_sub(self.zero) | len | mask << shift).is_multiple_of(R::BYTES)
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
    lists: &'l mut LaneLists,
}

/// How far from the place of a tile each lane lies, register by register, list by list.
pub(super) type LaneLists = [MaybeUninit<i64>; PERIOD_PLACES * TILE_LANES];

impl<'l> Lanes<'l> {
    /// Of a tile.
    pub(super) fn of(side: SideAt, tile: &Tile, lists: &'l mut LaneLists) -> Self {
        let are_apart = !are_neighbours(&tile.lanes, BYTES_OF_A_LANE as usize * tile.n_lanes);
        let bits = all_bits(&tile.loads);
        let all = if are_apart { usize::MAX } else { bits };
        let of_lanes = bits | all_bits(&tile.lanes[..tile.n_lanes]);
        let (Flips { shift, mask }, period) = (side.flips, side.flips.period());
        let (bits, are_moved_together) = (all | mask << shift, of_lanes & period == 0);
        Lanes { side, bits, period, are_moved_together, places: [0; PERIOD_PLACES], lists }
    }

    /// Whether all registers of `bytes` of a tile that begins here are flipped alike, each in itself.
    #[inline(always)]
    fn are_whole(&self, address: usize, bytes: usize) -> bool {
        (address.wrapping_sub(self.side.zero) | self.bits).is_multiple_of(bytes)
    }

    /// The lanes of a tile that begins at this address, whose `N` registers have these offsets, of `bytes` each.
    #[inline(always)]
    fn at<const N: usize>(
        &mut self,
        address: usize,
        offsets: &[i64; REGISTERS],
        of: Registers<'_>,
    ) -> &[i64] {
        let place = address.wrapping_sub(self.side.zero) & self.period;
        let number = place / PIECE % PERIOD_PLACES;
        let n_lanes = N * (of.bytes / PIECE);
        let list = &mut self.lists[number * n_lanes..][..n_lanes];
        if self.places[number] != place + 1 {
            self.side.fill(list, place, offsets, of);
            self.places[number] = place + 1;
        }
        // SAFETY: all of a list is written before its place is.
        unsafe { &*(std::ptr::from_ref::<[MaybeUninit<i64>]>(list) as *const [i64]) }
    }

    /// Loads the first registers of a tile.
    ///
    /// # Safety
    /// The processor has these registers, the groups of all lanes can be read, and there is room for the registers.
    #[inline(always)]
    pub(super) unsafe fn load<R: Register, const N: usize>(
        &mut self,
        tile: &Tile,
        from: *const u8,
        to: *mut R,
    ) {
        // SAFETY: the caller's promise: pieces stay in their groups.
        unsafe {
            if self.are_whole(from.addr(), R::BYTES) {
                for (number, &load) in tile.loads.iter().enumerate().take(N) {
                    let from = from.wrapping_offset(load as isize);
                    to.add(number).write(self.side.load_whole(from));
                }
                return;
            }
            if self.are_moved_together {
                let from = from.wrapping_offset(self.side.shift_of(from.addr()));
                for (number, &load) in tile.loads.iter().enumerate().take(N) {
                    let from = from.wrapping_offset(load as isize);
                    to.add(number).write(R::load_lanes(from, &tile.lanes, 1));
                }
                return;
            }
            let of = Registers { lanes: &tile.lanes, bytes: R::BYTES };
            let list = self.at::<N>(from.addr(), &tile.loads, of);
            let n_lanes = R::BYTES / PIECE;
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

/// What all registers of a tile have in common.
#[derive(Clone, Copy)]
struct Registers<'t> {
    /// How far from the first their lanes lie.
    lanes: &'t [i64; MAX_LANES],
    bytes: usize,
}

impl SideAt {
    /// Fills a list of the lanes of registers that have these offsets from a place.
    #[cold]
    #[inline(never)]
    fn fill(
        &self,
        list: &mut [MaybeUninit<i64>],
        place: usize,
        offsets: &[i64],
        of: Registers<'_>,
    ) {
        let address = self.zero.wrapping_add(place);
        for (lanes, offset) in list.chunks_mut(of.bytes / PIECE).zip(offsets) {
            for (lane, distance) in lanes.iter_mut().zip(of.lanes) {
                let by = offset + distance;
                lane.write(by + self.shift_of(address.wrapping_add(by as usize)) as i64);
            }
        }
    }
}

/// How a program is run of which a side is swizzled.
pub(super) struct Swizzled<'l> {
    pub(super) src: Lanes<'l>,
    pub(super) dst: SideAt,
    pub(super) stores: Stores,
    /// What copies rows to a stage and from there.
    pub(super) copies: Copies,
}

/// How one tile is: the sides that are swizzled and not a stage.
pub(super) struct SwizzledTile<'s, 'l> {
    pub(super) src: Option<&'s mut Lanes<'l>>,
    pub(super) dst: Option<SideAt>,
    /// Whether it is streamed.
    pub(super) is_streamed: bool,
}

impl<'l> Swizzled<'l> {
    /// Whether what is read next is asked for.
    #[inline(always)]
    pub(super) fn asks(&self) -> bool {
        self.stores != Stores::Cached
    }

    /// Whether the destination is swizzled.
    #[inline(always)]
    pub(super) fn has_dst(&self) -> bool {
        self.dst.is_swizzled()
    }

    /// A tile of a walk that has these stages.
    #[inline(always)]
    pub(super) fn tile(&mut self, has_gathered: bool, has_out: bool) -> SwizzledTile<'_, 'l> {
        let Swizzled { src, dst, stores, .. } = self;
        SwizzledTile {
            src: if src.side.is_swizzled() && !has_gathered { Some(src) } else { None },
            dst: if dst.is_swizzled() && !has_out { Some(*dst) } else { None },
            is_streamed: *stores == Stores::Streamed && !has_out,
        }
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

    /// Copies the rows of a block from the stage to where they go.
    ///
    /// # Safety
    /// The rows can be read from the stage, and their groups written; they are whole lines if they are streamed.
    #[inline(always)]
    pub(super) unsafe fn copy_out(&self, out: &Out, stage: *mut u8, dst: *mut u8) {
        let copy = match self.stores {
            Stores::Streamed => self.copies.stream,
            _ => self.copies.store,
        };
        // SAFETY: the caller's promise.
        unsafe { copy(out, stage, dst, self.dst) }
    }
}

/// What copies rows to a stage where they are swizzled, and from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    pub(super) gather: unsafe fn(&Gathered, *const u8, *mut u8, SideAt),
    pub(super) store: unsafe fn(&Out, *mut u8, *mut u8, SideAt),
    pub(super) stream: unsafe fn(&Out, *mut u8, *mut u8, SideAt),
}

/// Copies the rows of a panel, at least a line each, to a stage.
///
/// # Safety
/// The processor has the registers. Rows are whole pieces of a swizzled side, or as many bytes of any other; their groups can be
/// read, and there is room in the stage.
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
            match side.are_whole::<R>(from.addr(), len) {
                true => gather_row::<R>(side, from, to, len),
                false => gather_row::<R::Lane>(side, from, to, len),
            }
        }
        to = to.wrapping_offset(gathered.pitch as isize);
    }
}

/// Copies the rows of a block from the stage to where they go.
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
) {
    let (mut from, len) = (stage.wrapping_add(LINE), out.len as usize);
    for &row in &out.rows {
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
        let walks = [Some(&self.walk), self.cached_blocks.as_deref()];
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
                    from |= all_bits(&walk.tile.loads) as i64;
                    from |= all_bits(&walk.tile.lanes[..walk.tile.n_lanes]) as i64;
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
        let has_registers = swizzles.dst.is_none_or(|Flips { shift, mask }| {
            (to as usize | mask << shift).is_multiple_of(self.register_bytes())
        });
        has_bytes && has_pieces && has_registers
    }

    /// Whether the rows that a tile reads are whole periods apart, and flips lead to other lines: then what is asked for ahead is
    /// not what is read next in any of them.
    pub(super) fn asks_in_vain(&self, flips: Flips) -> bool {
        let Tile { loads, lanes, n_lanes, .. } = &self.walk.tile;
        let bits = all_bits(loads) | all_bits(&lanes[..*n_lanes]);
        bits & flips.period() == 0 && flips.mask >= LINE
    }

    /// The bytes of a register of its tile.
    pub(super) fn register_bytes(&self) -> usize {
        PIECE * self.walk.tile.n_lanes
    }
}

/// Where a box begins, to be moved by a program of which a side is swizzled.
#[derive(Clone, Copy)]
pub(super) struct Begins {
    pub(super) at: At,
    pub(super) src: SideAt,
    pub(super) dst: SideAt,
}
