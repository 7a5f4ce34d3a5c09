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
//!   with the one there ([`Op::Swap`]);
//! * of a byte, by interleaving two registers ([`Tile::grains`]): the bit is inserted at its place,
//!   those above move up by one, and the topmost becomes a bit of the register's number. For that,
//!   the bytes are put in order before: those that stay at the bottom, those that leave at the top.
//!
//! Where a slot is wider than what is moved, its upper bits are no index's: in the source they are
//! dropped ([`Bit::None`] leaves and is not stored), in the destination zeros enter.
//!
//! A tile that only interleaves is a kernel of its own. One that moves bits below a byte has a list of
//! steps ([`Tile::ops`]), which are done one by one with 8 registers: those that the stages need, and
//! neighbouring ones, so that each step is worth a branch. Where the stages need more, the steps of the
//! bits are a walk into a *bank*, registers in memory, from where bytes are interleaved; a bank holds as
//! many tiles as stay in the caches.

use super::block::{Walk, repeat, side_by_side};
use super::level::Level;
use super::machine::{Kernels, kernels, max_lanes};
use super::places::MAX_LOOPS;
use crate::nest::Loop;

/// The places of a lane, by the logarithm of their weight in bits.
pub(super) const PLACES: usize = 7;

/// The places below a byte.
const BYTE: usize = 3;

/// No box is moved by more registers at a time.
const MAX_REGISTERS: usize = 128;

/// The most bytes of those registers.
pub(super) const MOST_REGISTER_BYTES: usize = MAX_REGISTERS * MAX_LANES * 16;

/// The bytes of a bank: registers in memory. It has room for the most registers, each of two lanes, and
/// else for several tiles: so that what is streamed has long rows on either side.
pub(super) const BANK: usize = 64 << 10;

/// The bytes of a bank that are used where nothing is streamed: they stay in the first cache, and it is
/// more to fill them than to begin.
const NEAR_BANK: usize = 16 << 10;

/// A tile of steps has `2^` so many registers: all of them stay registers, and each step is worth the
/// branch that it takes.
const STEPPED: usize = 3;

/// The bits of a cache line.
const LINE_BITS: i64 = 512;

/// Runs of the destination that are longer need not be gone on with at once.
const LONG_RUN: i64 = 256 * 8;

/// The most places of the source that are read in turn before the next line of any.
const MOST_SOURCES: i64 = 128;

/// The bytes of a lane.
const BYTES_OF_A_LANE: i64 = 16;

/// The lanes of the longest register, which are a line.
pub(super) const MAX_LANES: usize = 4;

/// A bit of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bit {
    /// Number `1` of the index of loop number `0`.
    Of(usize, u32),
    /// Of no index: in the source anything, in the destination zero.
    None,
}

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
    fn is_by_lines(&self) -> bool {
        [self.dst, self.dst_back].iter().all(|bytes| bytes % (LINE_BITS / 8) == 0)
    }
}

/// A loop of one step.
pub(super) const ONCE: Around = Around { count: 1, src: 0, dst: 0, src_back: 0, dst_back: 0 };

/// A step of what is done to registers. `bit` is one of their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Exchanges a bit of the register's number for a place of the register.
    Exchange { bit: usize, lower: [u8; 16], shift: usize },
    /// The same where that place is to hold zeros; registers whose bit is 1 are none before.
    Spread { bit: usize, lower: [u8; 16], shift: usize },
    /// Exchanges two places of a register.
    Swap { lower: [u8; 16], shift: usize },
    /// Takes each byte of a lane from the place that is given for it.
    Shuffle([u8; 16]),
    /// Keeps these bits, and zeros elsewhere.
    Mask([u8; 16]),
    /// Interleaves registers by `2^grain` bytes.
    Zip { bit: usize, grain: usize },
    /// Exchanges the lowest bit of the register's number for that of a lane's.
    Lanes,
}

impl Op {
    /// The bit of the registers' number, if it brings registers together before bytes move.
    fn bit(&mut self) -> Option<&mut usize> {
        match self {
            Op::Exchange { bit, .. } | Op::Spread { bit, .. } => Some(bit),
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
    /// What is done instead, step by step, where bits below a byte move.
    pub(super) ops: Vec<Op>,
    /// Bit `k` is set where the next of those bits, from the lowest on, change places with bit `k` of
    /// a lane's number.
    pub(super) lane_stages: u8,
    /// Of each register, where it is stored.
    pub(super) stores: [i64; 16],
}

/// What is done before registers are loaded, by way of memory.
#[derive(Clone, Debug)]
pub(super) struct Before {
    /// The pieces that registers are put together from, where they are.
    pub(super) pieces: Option<Scattered>,
    /// What moves bits below a byte, where one tile has too few registers to do all.
    pub(super) bits: Option<(Walk, Kernels)>,
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
    pub(super) before: Option<Before>,
    /// The tile and its loops; with a bank, those within it.
    pub(super) walk: Walk,
    /// The pieces that registers are stored in, where they are.
    pub(super) after: Option<Scattered>,
    /// The loops around a bank.
    pub(super) around: Vec<Around>,
    /// The blocks that it is moved in where it is streamed: to a destination that begins at a line,
    /// if those are whole lines, and to any.
    pub(super) blocks: [Option<Walk>; 2],
    /// Whether every line is written by one tile, or by two in turn, if the first begins on one.
    pub(super) writes_lines: bool,
    /// What moves the tiles, by how they are stored.
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
}

/// One side of a box: the bits that make places, from the lowest on.
struct Chain {
    bits: Vec<Bit>,
}

impl Chain {
    /// Up to `most` places of a side. `stride` is that of a loop.
    fn of(loops: &[Loop], stride: fn(&Loop) -> i64, value: i64, slot: i64, most: usize) -> Self {
        let mut bits = Vec::with_capacity(most);
        let mut weight = 1i64;
        while bits.len() < most {
            if weight == value && slot > value {
                let n = (slot / value).trailing_zeros() as usize;
                bits.extend(std::iter::repeat_n(Bit::None, n));
                weight = slot;
                continue;
            }
            let Some(number) = loops.iter().position(|l| stride(l) == weight && l.extent > 1)
            else {
                break;
            };
            let extent = loops[number].extent;
            let wanted = (most - bits.len()) as u32;
            let taken = wanted.min(extent.ilog2());
            bits.extend((0..taken).map(|bit| Bit::Of(number, bit)));
            if extent != 1 << taken {
                break;
            }
            weight *= extent;
        }
        bits.truncate(most);
        Chain { bits }
    }
}

impl Tile {
    /// The bytes of its registers.
    pub(super) fn bytes(&self) -> i64 {
        (16 * self.n_lanes * self.registers) as i64
    }

    /// Where a register is loaded from and stored that differs from the first by one bit of its number,
    /// for each bit; `None` if it is not stored.
    fn of_bits(bits: &[(i64, Option<i64>)], n_lanes: usize, lanes: [i64; MAX_LANES]) -> Tile {
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
        let bits = self.before.as_ref().and_then(|before| before.bits.as_ref());
        let bits = bits.map_or(0, |(walk, _)| walk.held_bytes());
        let blocks: usize = self.blocks.iter().flatten().map(Walk::held_bytes).sum();
        let around = self.around.capacity() * size_of::<Around>();
        scattered + bits + self.walk.held_bytes() + blocks + around
    }

    /// Whether tiles are put together in banks, before or after.
    pub(super) fn is_in_banks(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }

    /// Whether it streams whole lines to a destination that begins at one.
    pub(super) fn streams_lines(&self) -> bool {
        self.writes_lines || self.blocks[0].is_some()
    }

    /// The fewest bytes that are loaded or stored at once.
    pub(super) fn least_piece(&self) -> usize {
        let before = self.before.iter().filter_map(|before| before.pieces.as_ref());
        let sides = before.chain(&self.after);
        sides.map(|side| side.pieces.bytes).fold(BYTES_OF_A_LANE as usize, usize::min)
    }

    /// Whether registers are both loaded and stored in pieces.
    pub(super) fn is_all_pieces(&self) -> bool {
        self.after.is_some() && self.before.as_ref().is_some_and(|before| before.pieces.is_some())
    }

    /// The program of a box whose loops are counted in bits, the innermost of them the bits of a
    /// value. `None` where a side is not made of whole bytes, or has no two bytes together.
    pub(super) fn of(
        loops: &[Loop],
        slots: Slots,
        level: Level,
        is_streamed: bool,
    ) -> Option<Program> {
        let by_lanes = |max_lanes| Self::of_lanes(loops, slots, level, max_lanes, is_streamed);
        let best = max_lanes(level);
        by_lanes(best).or_else(|| if best > 1 { by_lanes(1) } else { None })
    }

    /// The same by registers of no more lanes.
    fn of_lanes(
        loops: &[Loop],
        slots: Slots,
        level: Level,
        max_lanes: usize,
        is_streamed: bool,
    ) -> Option<Program> {
        let widths = [slots.value, slots.src, slots.dst].map(i64::unsigned_abs);
        let are_powers = widths.iter().all(|width| width.is_power_of_two());
        if loops.len() > MAX_LOOPS || loops.is_empty() || !are_powers && widths != [widths[0]; 3] {
            return None;
        }
        let src = Chain::of(loops, |l| l.src, slots.value, slots.src, PLACES).bits;
        let mut dst = Chain::of(loops, |l| l.dst, slots.value, slots.dst, PLACES + 2).bits;
        let mut beyond = dst.split_off(dst.len().min(PLACES));
        let (src_own, dst_own) = (src.len(), dst.len());
        if src_own < PLACES || dst_own < PLACES {
            beyond.clear();
        }
        if src_own < BYTE || dst_own < BYTE {
            return None;
        }
        let (mut src, mut dst) = (src, dst);
        fill(&mut src, &dst);
        fill(&mut dst, &src);
        fill_with_others(&mut src, &mut dst, loops)?;
        let bits = Bits { loops };
        let mut taken = vec![0u32; loops.len()];
        let take = |bit: &Bit, taken: &mut [u32]| {
            if let Bit::Of(number, bit) = *bit {
                taken[number] = taken[number].max(bit + 1);
            }
        };
        src.iter().chain(&dst).for_each(|bit| take(bit, &mut taken));
        // The lanes as loaded: neighbours in the destination, or where those share a lane, neighbours
        // in the source that change places with them later.
        let (mut lanes, mut lane_stages) = (Vec::new(), Vec::new());
        while lanes.len() < beyond.len() && 2 << lanes.len() <= max_lanes {
            let wanted = beyond[lanes.len()];
            if !src.contains(&wanted) && !lanes.contains(&wanted) {
                take(&wanted, &mut taken);
                lanes.push(wanted);
                continue;
            }
            if lanes.contains(&wanted) {
                break;
            }
            let weight = (BYTES_OF_A_LANE * 8) << lanes.len();
            let is_free = |&number: &usize| loops[number].extent >> taken[number] > 1;
            let is_next = |&number: &usize| loops[number].src << taken[number] == weight;
            let free = || (0..loops.len()).filter(is_free);
            let Some(number) = free().find(is_next).or_else(|| free().next_back()) else { break };
            let other = Bit::Of(number, taken[number]);
            take(&other, &mut taken);
            lane_stages.push(lanes.len());
            lanes.push(other);
        }
        let n_lanes = 1usize << lanes.len();
        let mut synthesis = Synthesis::new(&src, &dst);
        let entering = synthesis.slots.clone();
        let c = entering.len();
        if 1 << c > MAX_REGISTERS {
            return None;
        }
        synthesis.place_bits(&dst, slots)?;
        let first: Vec<Bit> = lane_stages.iter().map(|&lane| beyond[lane]).collect();
        let (shuffle, grains, stage_slots) = synthesis.place_bytes(&dst, &first)?;
        let mut lane_mask = 0;
        for (stage, &lane) in lane_stages.iter().enumerate() {
            let slot = synthesis.slots.iter().position(|bit| *bit == beyond[lane])?;
            // Bits that a shift has made one of the register's number are not where a stage of lanes
            // takes them from.
            if slot != stage_slots[stage] || stage >= grains.count_ones() as usize {
                return None;
            }
            synthesis.slots[slot] = lanes[lane];
            lane_mask |= 1 << lane;
        }
        let mut lane_offsets = [0; MAX_LANES];
        for (number, bit) in lanes.iter().enumerate() {
            let weight = bits.weight(*bit, |l| l.src)?;
            for lane in (0..MAX_LANES).filter(|lane| lane >> number & 1 == 1) {
                lane_offsets[lane] += weight;
            }
        }
        let mut outer_lanes = Vec::new();
        for bit in beyond.iter().filter(|bit| !src.contains(bit) && !lanes.contains(bit)) {
            let Bit::Of(number, place) = *bit else { break };
            if taken[number] != place {
                break;
            }
            take(bit, &mut taken);
            let (src, dst) = (bits.weight(*bit, |l| l.src)?, bits.weight(*bit, |l| l.dst)?);
            outer_lanes.push(Around { count: 2, src, dst, src_back: 0, dst_back: 0 });
        }
        let mut completing = Vec::new();
        let mut around: Vec<Around> = Vec::with_capacity(loops.len() + 1);
        for (l, &taken) in loops.iter().zip(&taken) {
            let step = 1i64 << taken;
            let weight = l.src * step;
            let more = (LINE_BITS / weight.max(1)).min(4);
            // Registers that make a line of the source are loaded one after the other.
            let is_part = weight >= BYTES_OF_A_LANE * 8 && more > 1 && l.extent >= more * step;
            let step = match is_part && synthesis.slots.len() > 1 {
                true => {
                    let dst = step * l.dst;
                    completing.push(Around { count: more, src: weight, dst, ..ONCE });
                    more * step
                }
                false => step,
            };
            let count = (l.extent + step - 1) / step;
            if count > 1 {
                let back = count * step - l.extent;
                around.push(Around {
                    count,
                    src: step * l.src,
                    dst: step * l.dst,
                    src_back: back * l.src,
                    dst_back: back * l.dst,
                });
            }
        }
        let inner_first = match (outer_lanes.last(), completing.last()) {
            (Some(rows), Some(columns)) => rows.src.abs() < columns.dst.abs(),
            _ => false,
        };
        let mut n_inner = outer_lanes.len() + completing.len();
        let inner: Vec<Around> = match inner_first {
            true => completing.iter().chain(&outer_lanes).copied().collect(),
            false => outer_lanes.iter().chain(&completing).copied().collect(),
        };
        // How far the registers and the inner loops go on by themselves.
        let reach = |numbers: &[Bit], own: i64, of: fn(&Loop) -> i64, by: fn(&Around) -> i64| {
            let bits = numbers.iter().filter_map(|bit| bits.weight(*bit, of));
            let steps =
                bits.map(|weight| (2, weight)).chain(inner.iter().map(|l| (l.count, by(l))));
            let steps: Vec<(i64, i64)> = steps.collect();
            side_by_side(own, || steps.iter().copied())
        };
        let lane_bits = BYTES_OF_A_LANE * 8;
        let loaded: Vec<Bit> = entering.iter().chain(&lanes).copied().collect();
        let src_len = reach(&loaded, lane_bits, |l| l.src, |l| l.src);
        let register_bits = lane_bits * n_lanes as i64;
        let dst_len = reach(&synthesis.slots, register_bits, |l| l.dst, |l| l.dst);
        order(&mut around, src_len, dst_len);
        around.extend(inner);
        for l in &mut around {
            let all = [l.src, l.dst, l.src_back, l.dst_back];
            if all.iter().any(|distance| distance % 8 != 0) {
                return None;
            }
            (l.src, l.dst) = (l.src / 8, l.dst / 8);
            (l.src_back, l.dst_back) = (l.src_back / 8, l.dst_back / 8);
        }
        if lane_offsets.iter().any(|offset| offset % 8 != 0) {
            return None;
        }
        let lanes = lane_offsets.map(|offset| offset / 8);
        let src_pieces = pieces(&bits, &src, src_own, |l| l.src)?;
        let dst_pieces = pieces(&bits, &dst, dst_own, |l| l.dst)?;
        let ops = std::mem::take(&mut synthesis.ops);
        let leaving = &synthesis.slots;
        let bank = |slot: usize| ((16 * n_lanes) << slot) as i64;
        let stages = &stage_slots[..grains.count_ones() as usize];
        // Bits below a byte are moved in the registers of the tile, or before, if those are too many.
        let has_steps = !ops.is_empty() && c <= STEPPED;
        let is_apart = !ops.is_empty() && !has_steps;
        let is_banked = is_apart || src_pieces.is_some();
        let has_pieces = src_pieces.is_some() || dst_pieces.is_some();
        let is_plain = !is_banked && !has_pieces;
        let load = |slot: usize| match is_banked {
            true => Some(bank(slot)),
            false => bits.weight(entering[slot], |l| l.src).map_or(Some(0), whole),
        };
        let store = |slot: usize| match (bits.weight(leaving[slot], |l| l.dst), &dst_pieces) {
            (None, _) => Some(None),
            (Some(_), Some(_)) => Some(Some(bank(slot))),
            (Some(weight), None) => whole(weight).map(Some),
        };
        let weights = |slot: usize| load(slot).zip(store(slot));
        let is_kept = |&slot: &usize| leaving[slot] != Bit::None;
        let mut numbered: Vec<usize> = stages.iter().copied().filter(is_kept).collect();
        if numbered.len() < stages.len() && !has_steps {
            return None;
        }
        let mut within = Vec::new();
        let kept = (0..c).filter(|slot| !stages.contains(slot)).filter(is_kept);
        let kept: Vec<usize> = kept.collect();
        let dropped: Vec<usize> = (0..c).filter(|slot| !is_kept(slot)).collect();
        if has_steps {
            numbered.extend(&kept);
        } else {
            for &slot in &kept {
                let (src, dst) = (load(slot)?, store(slot)??);
                within.push(Around { count: 2, src, dst, ..ONCE });
            }
        }
        let mut of_bits: Vec<(i64, Option<i64>)> =
            numbered.iter().map(|&slot| weights(slot)).collect::<Option<_>>()?;
        if has_steps {
            while is_plain && of_bits.len() + dropped.len() < STEPPED {
                // Registers that share elements are none of a tile.
                let is_whole = |l: &Around| l.count > 2 || l.src_back == 0 && l.dst_back == 0;
                let Some(number) = around.iter().rposition(is_whole) else { break };
                let is_inner = number + n_inner >= around.len();
                n_inner -= usize::from(is_inner && around[number].count == 2);
                let both = part_of(&mut around, number, 2);
                of_bits.push((both.src, Some(both.dst)));
            }
            let n_kept = of_bits.len();
            for &slot in &dropped {
                of_bits.push(weights(slot)?);
            }
            numbered.resize(n_kept, usize::MAX);
            numbered.extend(&dropped);
            of_bits.resize(STEPPED, (0, None));
        }
        let contiguous = [0, 16, 32, 48];
        let mut tile = Tile::of_bits(&of_bits, n_lanes, if is_banked { contiguous } else { lanes });
        if has_steps {
            tile.ops = steps_of(&ops, &numbered)?;
            tile.ops.extend(shuffle.map(Op::Shuffle));
            let places = (0..4).filter(|grain| grains >> grain & 1 == 1);
            for (&slot, grain) in stages.iter().zip(places) {
                let bit = numbered.iter().position(|&number| number == slot)?;
                tile.ops.push(Op::Zip { bit, grain });
            }
            tile.ops.extend((lane_mask == 1).then_some(Op::Lanes));
        } else {
            (tile.shuffle, tile.grains, tile.lane_stages) = (shuffle, grains, lane_mask);
        }
        // Several tiles share a bank.
        let room = (if is_streamed { BANK } else { NEAR_BANK }) as i64;
        let (mut into, mut held) = (Vec::new(), ((16 * n_lanes) << c) as i64);
        while is_apart && !has_pieces && 2 * held <= room {
            let Some(inner) = around.len().checked_sub(1) else { break };
            let l = part_of(&mut around, inner, room / held);
            // A tile that shares elements with the one before has a place of its own in the bank.
            into.push(Around { dst: held, dst_back: 0, ..l });
            within.push(Around { src: held, src_back: 0, ..l });
            held *= l.count;
        }
        let bits_before = match is_apart {
            true => {
                let of_slot = |slot: usize| match src_pieces.is_some() {
                    true => Some((bank(slot), bank(slot))),
                    false => {
                        let src = bits.weight(entering[slot], |l| l.src).map_or(Some(0), whole)?;
                        Some((src, bank(slot)))
                    }
                };
                let lanes = if src_pieces.is_some() { contiguous } else { lanes };
                let tile = Tile::of_bits(&[], n_lanes, lanes);
                let walk = moved_apart(&tile, &ops, c, of_slot, into)?;
                let kernels = kernels(&walk.tile, level);
                Some((walk, kernels))
            }
            false => None,
        };
        let before = match is_banked {
            true => {
                let places = offsets(&bits, &entering, |l| l.src)?;
                let pieces = src_pieces.map(|pieces| Scattered { places, pieces });
                Some(Before { pieces, bits: bits_before })
            }
            false => None,
        };
        let after = match dst_pieces {
            Some(pieces) => Some(Scattered { places: offsets(&bits, leaving, |l| l.dst)?, pieces }),
            None => None,
        };
        let kernels = kernels(&tile, level);
        let writes_lines = is_plain && writes_lines(&tile, &around);
        let mut blocks = match is_streamed {
            true if is_plain => Walk::in_blocks(&tile, &around, n_inner, level),
            // A bank is a block, if those are whole lines.
            true if is_apart && !has_pieces && around.iter().all(Around::is_by_lines) => {
                let [lines, _] = Walk::in_blocks(&tile, &within, within.len(), level);
                [lines, None]
            }
            _ => [None, None],
        };
        let (mut walk, around) = match is_plain {
            true => (Walk::of(tile, around), Vec::new()),
            false => (Walk::of(tile, within), around),
        };
        // While a bank is stored, what is loaded into it next is asked for.
        let into = before.as_ref().and_then(|before| before.bits.as_ref());
        if let Some((into, _)) = into.filter(|_| !has_pieces) {
            walk.ask_for(&into.panel);
            blocks.iter_mut().flatten().for_each(|blocks| blocks.ask_for(&into.panel));
        }
        Some(Program { before, walk, after, around, blocks, writes_lines, kernels })
    }
}

/// These steps on registers whose bits are these slots.
fn steps_of(ops: &[Op], numbered: &[usize]) -> Option<Vec<Op>> {
    let mut steps = ops.to_vec();
    for bit in steps.iter_mut().filter_map(Op::bit) {
        *bit = numbered.iter().position(|slot| slot == bit)?;
    }
    Some(steps)
}

/// Moves bits below a byte on the way into a bank, in these loops, of `2^c` registers each: those that a
/// step brings together are a tile. `of_slot` says where the registers of a slot are loaded from, and
/// where they are stored; `one` is a tile of one register.
fn moved_apart(
    one: &Tile,
    ops: &[Op],
    c: usize,
    of_slot: impl Fn(usize) -> Option<(i64, i64)>,
    mut into: Vec<Around>,
) -> Option<Walk> {
    let mut numbered: Vec<usize> = Vec::with_capacity(c);
    for op in ops {
        let mut op = *op;
        if let Some(slot) = op.bit()
            && !numbered.contains(slot)
        {
            numbered.push(*slot);
        }
    }
    let others = (0..c).filter(|slot| !numbered.contains(slot)).collect::<Vec<usize>>();
    let (more, apart) = others.split_at(STEPPED.saturating_sub(numbered.len()).min(others.len()));
    numbered.extend(more);
    let weights = |&slot: &usize| of_slot(slot).map(|(src, dst)| (src, Some(dst)));
    let bits: Vec<_> = numbered.iter().map(weights).collect::<Option<_>>()?;
    let mut tile = Tile::of_bits(&bits, one.n_lanes, one.lanes);
    tile.ops = steps_of(ops, &numbered)?;
    for &slot in apart.iter().rev() {
        let (src, dst) = of_slot(slot)?;
        into.push(Around { count: 2, src, dst, ..ONCE });
    }
    Some(Walk::of(tile, into))
}

/// Whether tiles write whole lines, each alone or, if it is one register, with the next.
fn writes_lines(tile: &Tile, around: &[Around]) -> bool {
    let mut len = 16 * tile.n_lanes as i64;
    let stages: Vec<i64> = (0..4)
        .map(|stage| 1usize << stage)
        .filter(|&s| s < tile.stored)
        .map(|s| tile.stores[s])
        .collect();
    while stages.contains(&len) {
        len *= 2;
    }
    let mut around = around;
    if tile.stored == 1
        && let Some((inner, outer)) = around.split_last()
        && inner.dst == len
        && inner.dst_back == 0
        && len < 64
    {
        (len, around) = (len * inner.count, outer);
    }
    let is_lines = |bytes: i64| bytes % 64 == 0;
    let others = stages.iter().filter(|&&store| store >= len);
    let steps = around.iter().flat_map(|l| [l.dst, l.dst_back]);
    is_lines(len) && others.copied().chain(steps).all(is_lines)
}

/// Puts loops in an order, from the outermost to the innermost, where `src_len` bits of the source
/// and `dst_len` of the destination are moved within them.
///
/// Either side had better go on where it has been. What goes on in the destination comes first, until
/// that makes long runs, and as long as no more places of the source are read in turn than can be
/// asked for ahead; then what goes on in the source, whatever the places of the destination.
fn order(around: &mut Vec<Around>, mut src_len: i64, mut dst_len: i64) {
    let mut n_sources = 1;
    around.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
    let mut inner = Vec::with_capacity(around.len() + 1);
    loop {
        let find = |fits: &dyn Fn(&Around) -> bool| around.iter().position(fits);
        let both = find(&|l| l.src == src_len && l.dst == dst_len);
        let part = (LONG_RUN / dst_len).min(MOST_SOURCES / n_sources);
        let along_dst = || if part > 1 { find(&|l| l.dst == dst_len) } else { None };
        let along_src = || find(&|l| l.src == src_len);
        let Some(number) = both.or_else(along_dst).or_else(along_src) else { break };
        let l = match both.is_none() && part > 1 && around[number].dst == dst_len {
            true => part_of(around, number, part),
            false => around.remove(number),
        };
        inner.push(l);
        if l.src == src_len {
            src_len *= l.count;
        } else {
            n_sources *= l.count;
        }
        if l.dst == dst_len {
            dst_len *= l.count;
        }
    }
    let places = |around: &[Around], stride: fn(&Around) -> i64, len: i64| {
        let inner = around.iter().rev().take_while(|l| stride(l) != len);
        inner.fold(1i64, |places, l| places.saturating_mul(l.count))
    };
    around.sort_by_key(|l| std::cmp::Reverse(l.dst.abs()));
    let in_dst_order = places(around, |l| l.src, src_len);
    around.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
    let in_src_order = places(around, |l| l.dst, dst_len);
    if in_dst_order < in_src_order {
        around.sort_by_key(|l| std::cmp::Reverse(l.dst.abs()));
    }
    around.extend(inner.into_iter().rev());
}

/// Takes up to `part` steps out of loop `number`, as equal parts as can be; what is left of the loop
/// goes on in parts, the last of which shares elements with the one before.
pub(super) fn part_of(loops: &mut Vec<Around>, number: usize, part: i64) -> Around {
    let l = loops[number];
    let part = part.clamp(1, l.count);
    let count = (l.count + part - 1) / part;
    if count == 1 {
        return loops.remove(number);
    }
    let part = (l.count + count - 1) / count;
    let beyond = count * part - l.count;
    loops[number] = Around {
        count,
        src: l.src * part,
        dst: l.dst * part,
        src_back: l.src_back + beyond * l.src,
        dst_back: l.dst_back + beyond * l.dst,
    };
    Around { count: part, src_back: 0, dst_back: 0, ..l }
}

/// Of each register that these bits number, its offset in bytes, if those are whole ones; none where
/// it has the bit of no index.
fn offsets(
    bits: &Bits<'_>,
    numbered: &[Bit],
    stride: fn(&Loop) -> i64,
) -> Option<Vec<Option<i64>>> {
    let mut offsets = vec![Some(0)];
    for bit in numbered {
        let weight = match bits.weight(*bit, stride) {
            Some(weight) => Some(whole(weight)?),
            None => None,
        };
        offsets.extend_from_within(..);
        let half = offsets.len() / 2;
        for offset in &mut offsets[half..] {
            *offset = offset.zip(weight).map(|(offset, weight): (i64, i64)| offset + weight);
        }
    }
    Some(offsets)
}

/// Bits in bytes, if they are whole ones.
fn whole(bits: i64) -> Option<i64> {
    (bits % 8 == 0).then_some(bits / 8)
}

/// Bits as weights.
struct Bits<'t> {
    loops: &'t [Loop],
}

impl Bits<'_> {
    fn weight(&self, bit: Bit, stride: fn(&Loop) -> i64) -> Option<i64> {
        match bit {
            Bit::Of(number, bit) => Some(stride(&self.loops[number]) << bit),
            Bit::None => None,
        }
    }
}

/// Where the pieces of a lane lie whose own places end early, the others being addresses.
fn pieces(
    bits: &Bits<'_>,
    places: &[Bit],
    own: usize,
    stride: fn(&Loop) -> i64,
) -> Option<Option<Pieces>> {
    if own >= PLACES {
        return Some(None);
    }
    let mut offsets = vec![0];
    for bit in &places[own..] {
        let weight = bits.weight(*bit, stride)?;
        if weight % 8 != 0 {
            return None;
        }
        repeat(&mut offsets, 2, weight / 8);
    }
    Some(Some(Pieces { bytes: 1 << (own - BYTE), offsets }))
}

/// Adds places of the other side to a side that has too few.
fn fill(side: &mut Vec<Bit>, other: &[Bit]) {
    for bit in other {
        if side.len() < PLACES && *bit != Bit::None && !side.contains(bit) {
            side.push(*bit);
        }
    }
}

/// Adds places to both sides from any loops that have bits left.
fn fill_with_others(src: &mut Vec<Bit>, dst: &mut Vec<Bit>, loops: &[Loop]) -> Option<()> {
    while src.len() < PLACES || dst.len() < PLACES {
        if src.len() != dst.len() {
            return None;
        }
        let free = loops.iter().enumerate().rev().find_map(|(number, l)| {
            let next = (0..l.extent.ilog2())
                .map(|bit| Bit::Of(number, bit))
                .find(|bit| !src.contains(bit) && !dst.contains(bit))?;
            Some(next)
        })?;
        src.push(free);
        dst.push(free);
    }
    Some(())
}

/// Where bits are while stages exchange them.
struct Synthesis {
    /// The bit at each place.
    places: Vec<Bit>,
    /// The bit of each bit of a register's number.
    slots: Vec<Bit>,
    ops: Vec<Op>,
}

impl Synthesis {
    /// As loaded: the bits that enter are those of a register's number, in the order of their
    /// places; then one for each place that is to hold zeros and does not, or drops what it has.
    fn new(src: &[Bit], dst: &[Bit]) -> Self {
        let enters = |bit: &&Bit| **bit != Bit::None && !src.contains(bit);
        let mut slots: Vec<Bit> = dst.iter().filter(enters).copied().collect();
        let leaves = src.iter().filter(|bit| **bit != Bit::None && !dst.contains(bit)).count();
        // As many leave as enter; what is no index's makes up the difference.
        while slots.len() < leaves {
            slots.push(Bit::None);
        }
        Synthesis { places: src.to_vec(), slots, ops: Vec::new() }
    }

    /// Brings the bits below a byte to their places.
    fn place_bits(&mut self, dst: &[Bit], slots: Slots) -> Option<()> {
        for (place, &wanted) in dst.iter().enumerate().take(BYTE) {
            let here = self.places[place];
            if wanted == here {
                continue;
            }
            if let Some(slot) = self.slots.iter().position(|bit| *bit == wanted) {
                let (lower, shift) = exchange_mask(place);
                // A slot of no index that is wanted is one of zeros.
                self.ops.push(match wanted {
                    Bit::None => Op::Spread { bit: slot, lower, shift },
                    Bit::Of(..) => Op::Exchange { bit: slot, lower, shift },
                });
                self.slots[slot] = here;
                self.places[place] = wanted;
                continue;
            }
            let mut from = self.places.iter().position(|bit| *bit == wanted)?;
            if from == PLACES - 1 {
                // Words that are shifted have 64 bits: another byte bit goes to the top.
                let near = PLACES - 2;
                self.places.swap(from, near);
                self.ops.push(Op::Shuffle(shuffle_of(&swapped(from, near))));
                from = near;
            }
            let (lower, shift) = swap_mask(place, from);
            self.ops.push(Op::Swap { lower, shift });
            self.places.swap(place, from);
        }
        // Garbage above a value that stays where it is.
        let is_garbage = (0..PLACES).any(|p| dst[p] == Bit::None) && slots.value < slots.src;
        if is_garbage {
            let mut mask = [0xffu8; 16];
            for (byte, mask) in mask.iter_mut().enumerate() {
                for bit in 0..8 {
                    let at = byte * 8 + bit;
                    let zero = (0..PLACES).any(|p| dst[p] == Bit::None && at >> p & 1 == 1);
                    if zero {
                        *mask &= !(1 << bit);
                    }
                }
            }
            if mask != [0xff; 16] {
                self.ops.push(Op::Mask(mask));
            }
        }
        Some(())
    }

    /// Brings the bytes to their places: an order of bytes, and what is interleaved by which bits of
    /// a register's number.
    #[allow(clippy::type_complexity)]
    fn place_bytes(
        &mut self,
        dst: &[Bit],
        first: &[Bit],
    ) -> Option<(Option<[u8; 16]>, u8, [usize; 4])> {
        let wanted = &dst[BYTE..];
        let here: Vec<Bit> = self.places[BYTE..].to_vec();
        if wanted == here {
            return Some((None, 0, [0; 4]));
        }
        // Zeros among bytes would come from a register of zeros.
        if wanted.contains(&Bit::None) {
            return None;
        }
        // The places that they come from: of those that stay at the bottom, and of those that leave
        // first at the top. What is dropped leaves last.
        let find = |bit: &Bit| here.iter().position(|b| b == bit);
        let mut from: Vec<usize> = wanted.iter().filter_map(find).collect();
        let mut leaving: Vec<usize> =
            (0..here.len()).filter(|p| !wanted.contains(&here[*p])).collect();
        leaving.sort_by_key(|&place| match here[place] {
            Bit::None => 0,
            bit => first.iter().rev().position(|b| *b == bit).map_or(1, |place| 2 + place),
        });
        from.extend(leaving);
        let order: Vec<Bit> = from.iter().map(|&place| here[place]).collect();
        let mut bytes = [0u8; 16];
        for (byte, source) in bytes.iter_mut().enumerate() {
            *source = (0..4).map(|p| ((byte >> p & 1) << from[p]) as u8).sum();
        }
        let shuffle = (from != [0, 1, 2, 3]).then_some(bytes);
        let mut now = order;
        let (mut grains, mut slots, mut n) = (0, [0; 4], 0);
        for (place, bit) in wanted.iter().enumerate() {
            if now[place] == *bit {
                continue;
            }
            let slot = self.slots.iter().position(|b| b == bit)?;
            now.insert(place, *bit);
            self.slots[slot] = now.pop()?;
            grains |= 1 << place;
            slots[n] = slot;
            n += 1;
        }
        self.places.splice(BYTE.., now);
        Some((shuffle, grains, slots))
    }
}

/// The bits of a lane at which `place` is 0, and how far above them those are at which it is 1.
fn exchange_mask(place: usize) -> ([u8; 16], usize) {
    let mut lower = [0u8; 16];
    for at in (0..128usize).filter(|at| at >> place & 1 == 0) {
        lower[at / 8] |= 1 << (at % 8);
    }
    (lower, 1 << place)
}

/// The bits of a lane at which place `low` is 1 and `high` 0, and how far above them those are at
/// which it is the other way round.
fn swap_mask(low: usize, high: usize) -> ([u8; 16], usize) {
    let mut lower = [0u8; 16];
    for at in (0..128usize).filter(|at| at >> low & 1 == 1 && at >> high & 1 == 0) {
        lower[at / 8] |= 1 << (at % 8);
    }
    (lower, (1 << high) - (1 << low))
}

/// The places of bytes with two of them exchanged.
fn swapped(a: usize, b: usize) -> [usize; 4] {
    let mut places = [0, 1, 2, 3];
    places.swap(a - BYTE, b - BYTE);
    places
}

/// Where each byte of a lane is taken from, for places that come from these.
fn shuffle_of(from: &[usize; 4]) -> [u8; 16] {
    let mut bytes = [0u8; 16];
    for (byte, source) in bytes.iter_mut().enumerate() {
        *source = (0..4).map(|p| ((byte >> p & 1) << from[p]) as u8).sum();
    }
    bytes
}
