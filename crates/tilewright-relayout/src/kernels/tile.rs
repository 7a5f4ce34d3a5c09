//! Tiles: what is moved by registers at a time, as bits of an index.
//!
//! A loop of a box steps through indices; the low bits of each index have a weight in the source
//! and one in the destination: the loop's strides, doubled for every bit. The bits whose weights in
//! the source are 1, 2, 4, … (in bits of memory) are *places* in a lane of 16 bytes as it is loaded,
//! those whose weights in the destination are, places as it is stored. Any other weight is an
//! address, and may be any number. A bit that is a place on both sides *stays*, one that is an
//! address in the source and a place in the destination *enters*, one the other way round *leaves*.
//! As many leave as enter; call that `c`.
//!
//! So `2^c` registers are loaded, numbered by the bits that enter, exchanged in `c` stages, and
//! stored, numbered by the bits that leave. A stage brings one entering bit to its place:
//!
//! * of a bit within the byte, by shifts under a mask ([`Op::Exchange`]); a bit that moves from one
//!   place to another within a register, as the nibbles of a word in another order, changes places
//!   with the one there ([`Op::Swap`]), or three of them at once ([`Op::Transpose`]);
//! * of a byte, by interleaving two registers ([`Tile::grains`]): the bit is inserted at its place,
//!   those above move up by one, and the topmost becomes a bit of the register's number. For that,
//!   the bytes are put in order before: those that stay at the bottom, those that leave at the top.
//!
//! Where a slot is wider than what is moved, its upper bits are no index's: in the source they are
//! dropped ([`Bit::None`](super::synthesis::Bit) leaves and is not stored), in the destination zeros enter. Whole bytes are dropped
//! by shifts too.
//!
//! A tile that only interleaves is a kernel of its own. One that moves bits below a byte has a list of
//! steps ([`Tile::ops`]), which are done one by one with 8 registers: those that the stages need, and
//! neighbouring ones, so that each step is worth a branch. Where the stages need more, the steps of the
//! bits are a walk into a *bank*, registers in memory, from where bytes are interleaved; a bank holds as
//! many tiles as stay in the caches. Where only zeros enter below a byte, bytes are interleaved into the bank
//! and the bits' steps are those out of it, so that what is moved is not spread before it has to be.

use super::block::{CachedBlocks, Panel, Walk};
use super::code::Kernels;
use super::place::{At, LINE};

/// The places of a lane, by the logarithm of their weight in bits.
pub(super) const PLACES: usize = 7;

/// The places below a byte.
pub(super) const BYTE: usize = 3;

/// The bytes of a bank: registers in memory. It has room for the most registers, each a line, and
/// else for several tiles: so that what is streamed has long rows on either side, and rows that are gathered are long.
pub(super) const BANK: usize = 64 << 10;

/// The largest elements that kernels move, in bytes.
pub(super) const MAX_UNIT: usize = 32;

/// The bytes of a lane.
pub(super) const BYTES_OF_A_LANE: i64 = 16;

/// The lanes of the longest register, which are a line.
pub(super) const MAX_LANES: usize = 4;

/// The most registers that a tile stores.
pub(super) const MOST_STORED: usize = 16;

/// What registers take in the caches, in about the processor's cycles: each of their lanes, loaded and stored, and each step.
pub(super) const LANE_CYCLES: f64 = 1.2;
const STEP_CYCLES: f64 = 0.8;

/// A loop around a tile. Distances are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Around {
    pub(super) count: i64,
    pub(super) src: i64,
    pub(super) dst: i64,
    /// How much shorter the step to the last place is, where tiles do not divide the loop: the last
    /// one shares elements with the one before.
    pub(super) src_back: i64,
    pub(super) dst_back: i64,
}

impl Around {
    /// Whether all its places in the destination are whole lines apart.
    pub(super) fn is_by_lines(&self) -> bool {
        [self.dst, self.dst_back].iter().all(|bytes| bytes % LINE as i64 == 0)
    }

    /// Whether it has steps that are all as long.
    pub(super) fn is_plain(&self) -> bool {
        self.count > 1 && self.src_back == 0 && self.dst_back == 0
    }

    /// One that counts bits, if those are whole bytes.
    pub(super) fn in_bytes(&self) -> Option<Self> {
        let Around { count, src, dst, src_back, dst_back } = *self;
        let are_whole = [src, dst, src_back, dst_back].iter().all(|bits| bits % 8 == 0);
        are_whole.then_some(Around {
            count,
            src: src / 8,
            dst: dst / 8,
            src_back: src_back / 8,
            dst_back: dst_back / 8,
        })
    }
}

/// A loop of one step.
pub(super) const ONCE: Around = Around { count: 1, src: 0, dst: 0, src_back: 0, dst_back: 0 };

/// A step of what is done to registers. `bit` is one of their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Exchanges a bit of the register's number for a place of the register.
    Exchange { bit: usize, lower: [u8; 16], shift: usize },
    /// The same of a place that nothing is kept of; nor is of registers whose bit is 1 then.
    Merge { bit: usize, lower: [u8; 16], shift: usize },
    /// The same where that place is to hold zeros; registers whose bit is 1 are none before.
    Spread { bit: usize, lower: [u8; 16], shift: usize },
    /// Exchanges two places of a register.
    Swap { lower: [u8; 16], shift: usize },
    /// Exchanges the three places below a byte for the three above.
    Transpose,
    /// Takes each byte of a lane from the place that is given for it.
    Shuffle([u8; 16]),
    /// Keeps these bits, and zeros elsewhere.
    Mask([u8; 16]),
    /// Interleaves registers by `2^grain` bytes.
    Zip { bit: usize, grain: usize },
    /// Exchanges a bit of the register's number for one of a lane's.
    Lanes { bit: usize, lane: usize },
}

impl Op {
    /// The bit of the registers' number, if it brings registers together before bytes move.
    pub(super) fn bit(&mut self) -> Option<&mut usize> {
        match self {
            Op::Exchange { bit, .. }
            | Op::Merge { bit, .. }
            | Op::Spread { bit, .. }
            | Op::Lanes { bit, .. } => Some(bit),
            _ => None,
        }
    }
}

/// Registers that are loaded, interleaved and stored. Offsets are in bytes, from the beginning of a
/// place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// How many registers there are.
    pub(super) registers: usize,
    /// How many of them are stored: the first.
    pub(super) stored: usize,
    /// Of each register, where it is loaded from.
    pub(super) loads: [i64; 16],
    /// Of each lane of a register, where it lies from the first.
    pub(super) lanes: [i64; MAX_LANES],
    /// How many lanes there are.
    pub(super) n_lanes: usize,
    /// Where each byte of a lane is taken from before bytes are interleaved, if they move.
    pub(super) shuffle: Option<[u8; 16]>,
    /// Bit `k` is set where registers are interleaved by `2^k` bytes; there are two for each bit.
    pub(super) grains: u8,
    /// What is done instead, step by step, where bits below a byte move or bytes are dropped.
    pub(super) ops: Vec<Op>,
    /// Bit `k` is set where the next of those bits, from the lowest on, change places with bit `k` of
    /// a lane's number.
    pub(super) lane_stages: u8,
    /// Of each register, where it is stored.
    pub(super) stores: [i64; MOST_STORED],
}

/// What is done before registers are loaded, by way of memory.
#[derive(Clone, Debug)]
pub(super) struct Before {
    /// The pieces that registers are put together from, where they are.
    pub(super) pieces: Option<Scattered>,
    /// What moves them into a bank, where one tile has too few registers to do all.
    pub(super) first: Option<(Walk, Kernels)>,
}

/// Registers of which each is many pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scattered {
    /// Of each register, where it is; `None` if it is nowhere.
    pub(super) places: Vec<Option<i64>>,
    pub(super) pieces: Pieces,
}

/// The parts of a lane that lie apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    /// The bytes of each: 1, 2, 4 or 8.
    pub(super) bytes: usize,
    pub(super) offsets: Vec<i64>,
}

/// A tile and the loops around it, from the outermost to the innermost.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) before: Option<Box<Before>>,
    /// The tile and its loops; with a bank, those within it.
    pub(super) walk: Walk,
    /// The pieces that registers are stored in, where they are.
    pub(super) after: Option<Scattered>,
    /// The loops around a bank.
    pub(super) around: Vec<Around>,
    /// The blocks that it is moved in where it is streamed: to a destination that begins at a line,
    /// if those are whole lines, and to any.
    pub(super) blocks: [Option<Box<Walk>>; 2],
    /// The blocks that it is moved in otherwise, where rows would be in each other's way and tiles do not write whole lines.
    pub(super) cached_blocks: Option<CachedBlocks>,
    /// Whether every line is written by one tile, or by two in turn, if the first begins on one.
    pub(super) writes_lines: bool,
    /// What moves the tiles, by how they are stored.
    pub(super) kernels: Kernels,
}

/// A tile and loops of rows of the destination, of which it writes more than there is: in blocks of them, which are
/// [put together](Walk::of_overhanging_rows) apart, or in an order in which what the next one has is written later.
#[derive(Clone, Debug)]
pub(super) struct Overhang {
    pub(super) walk: Walk,
    pub(super) kernels: Kernels,
}

/// The widths of a move in bits: of what is moved of each element, and of the slots of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots {
    pub(crate) value: i64,
    pub(crate) src: i64,
    pub(crate) dst: i64,
}

impl Slots {
    /// Of elements that fill the slots of both sides.
    pub(crate) fn same(bits: i64) -> Self {
        Slots { value: bits, src: bits, dst: bits }
    }

    /// The bytes of an element that fills the slots of both sides, if kernels move such.
    pub(crate) fn unit(self) -> Option<usize> {
        let is_unit = self == Self::same(self.value) && self.value % 8 == 0;
        let unit = usize::try_from(self.value / 8).ok()?;
        (is_unit && unit.is_power_of_two() && unit <= MAX_UNIT).then_some(unit)
    }
}

impl Tile {
    /// About how many of the processor's cycles it takes in the caches, if its registers are loaded and stored whole.
    pub(super) fn cycles(&self) -> f64 {
        let Tile { registers, n_lanes, ops, .. } = self;
        let a_register = LANE_CYCLES * *n_lanes as f64 + STEP_CYCLES * ops.len() as f64;
        *registers as f64 * a_register
    }

    /// Whether lines of the source are lines of the destination, as they are.
    pub(super) fn copies_lines(&self) -> bool {
        let is_line = self.lanes.iter().enumerate().all(|(lane, &at)| at == 16 * lane as i64);
        let is_copied = self.registers == 1 && self.shuffle.is_none() && self.ops.is_empty();
        is_copied && is_line && self.n_lanes == MAX_LANES
    }

    /// The bytes of its registers.
    pub(super) fn bytes(&self) -> i64 {
        (16 * self.n_lanes * self.registers) as i64
    }

    /// Where a register is loaded from and stored that differs from the first by one bit of its number,
    /// for each bit; `None` if it is not stored.
    pub(super) fn of_bits(
        bits: &[(i64, Option<i64>)],
        n_lanes: usize,
        lanes: [i64; MAX_LANES],
    ) -> Tile {
        let stored = bits.iter().take_while(|(_, store)| store.is_some()).count();
        let mut tile = Tile {
            registers: 1 << bits.len(),
            stored: 1 << stored,
            loads: [0; 16],
            lanes,
            n_lanes,
            shuffle: None,
            grains: 0,
            ops: Vec::new(),
            lane_stages: 0,
            stores: [0; 16],
        };
        for (stage, &(load, store)) in bits.iter().enumerate() {
            for register in (0..16).filter(|register| register >> stage & 1 == 1) {
                tile.loads[register] += load;
                tile.stores[register] += store.unwrap_or(0);
            }
        }
        tile
    }

    /// The registers that each stage brings together with the first.
    pub(super) fn stages(&self) -> impl Iterator<Item = usize> {
        (0..self.registers.trailing_zeros()).map(|stage| 1 << stage)
    }
}

impl Program {
    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let pieces =
            [self.before.as_ref().and_then(|before| before.pieces.as_ref()), self.after.as_ref()];
        let scattered: usize = pieces
            .into_iter()
            .flatten()
            .map(|side| side.places.capacity() * 16 + side.pieces.offsets.capacity() * 8)
            .sum();
        let before = self.before.as_ref().map_or(0, |before| {
            let first = before.first.as_ref().map_or(0, |(walk, _)| walk.held_bytes());
            size_of::<Before>() + first
        });
        let cached = self.cached_blocks.as_ref().map(|blocks| &blocks.walk);
        let blocks = self.blocks.iter().flatten().chain(cached);
        let blocks: usize = blocks.map(|walk| size_of::<Walk>() + walk.held_bytes()).sum();
        let around = self.around.capacity() * size_of::<Around>();
        scattered + before + self.walk.held_bytes() + blocks + around
    }

    /// The same, of which no panel's rows are asked for: those of a stage are there.
    pub(super) fn of_stages(mut self) -> Self {
        self.walk.panel = Panel::default();
        self.walk.far_stores = None;
        if let Some((walk, _)) = self.before.as_mut().and_then(|before| before.first.as_mut()) {
            walk.panel = Panel::default();
        }
        self
    }

    /// What is walked for each place around a bank: the way into it, if there is one, and the last.
    fn walks(&self) -> impl Iterator<Item = &Walk> {
        let first = self.before.as_ref().and_then(|before| before.first.as_ref());
        first.map(|(walk, _)| walk).into_iter().chain([&self.walk])
    }

    /// How many tiles it moves.
    pub(super) fn n_tiles(&self) -> usize {
        self.walks().map(|walk| self.n_tiles_of(walk)).sum::<f64>() as usize
    }

    /// How many of them a walk has; of boxes that no memory holds, more than can be counted.
    fn n_tiles_of(&self, walk: &Walk) -> f64 {
        let around = self.around.iter().chain(&walk.around);
        walk.tiles.len() as f64 * around.map(|l| l.count as f64).product::<f64>()
    }

    /// Whether it moves bits step by step, in no bank.
    pub(super) fn is_of_steps(&self) -> bool {
        !self.walk.tile.ops.is_empty() && !self.is_in_banks()
    }

    /// About how many of the processor's cycles it takes in the caches, if its registers are loaded and stored whole.
    pub(super) fn cycles(&self) -> f64 {
        self.walks().map(|walk| self.n_tiles_of(walk) * walk.tile.cycles()).sum()
    }

    /// The blocks that it is moved in into the caches, where that begins there.
    #[inline]
    pub(super) fn cached_blocks(&self, at: At) -> Option<&Walk> {
        let blocks = self.cached_blocks.as_ref()?;
        let are_used = blocks.is_for_any || !self.writes_lines || at.to_line() != 0;
        are_used.then_some(&*blocks.walk)
    }

    /// What is walked by way of a stage into the caches, where that begins there: blocks, or tiles whose rows are gathered.
    #[inline]
    pub(super) fn walk_by_stage(&self, at: At) -> Option<&Walk> {
        let gathers = || self.walks().any(|walk| walk.gathered.is_some());
        self.cached_blocks(at).or_else(|| gathers().then_some(&self.walk))
    }

    /// Whether tiles are put together in banks, before or after.
    pub(super) fn is_in_banks(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }

    /// Whether it is moved in blocks where it is streamed.
    pub(super) fn has_blocks(&self) -> bool {
        self.blocks.iter().any(Option::is_some)
    }

    /// Whether it streams whole lines to a destination that begins at one.
    pub(super) fn streams_lines(&self) -> bool {
        self.writes_lines || self.blocks[0].is_some()
    }

    /// Whether it streams, and only to a destination that begins at a line.
    pub(super) fn needs_lines(&self) -> bool {
        self.streams_lines() && self.blocks[1].is_none()
    }

    /// The fewest bytes that are loaded or stored at once.
    pub(super) fn least_piece(&self) -> usize {
        let before = self.before.iter().filter_map(|before| before.pieces.as_ref());
        let sides = before.chain(&self.after);
        sides.map(|side| side.pieces.bytes).fold(BYTES_OF_A_LANE as usize, usize::min)
    }

    /// Whether its registers are the longest there are anywhere, and of whole lanes.
    pub(super) fn fills_registers(&self) -> bool {
        self.walk.tile.n_lanes == MAX_LANES && self.least_piece() >= BYTES_OF_A_LANE as usize
    }

    /// Whether registers are both loaded and stored in pieces.
    pub(super) fn is_all_pieces(&self) -> bool {
        self.after.is_some() && self.before.as_ref().is_some_and(|before| before.pieces.is_some())
    }
}
