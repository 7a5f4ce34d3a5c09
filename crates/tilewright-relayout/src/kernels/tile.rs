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
//! * of a bit within the byte, by shifts under a mask ([`Op::Exchange`]);
//! * of a byte, by interleaving two registers ([`Tile::grains`]): the bit is inserted at its place,
//!   those above move up by one, and the topmost becomes a bit of the register's number. For that,
//!   the bytes are put in order before: those that stay at the bottom, those that leave at the top.
//!
//! Where a slot is wider than what is moved, its upper bits are no index's: in the source they are
//! dropped ([`Bit::None`] leaves and is not stored), in the destination zeros enter.

use super::block::{Walk, repeat, side_by_side};
use super::level::Level;
use super::machine::{Kernels, kernels, max_lanes};
use super::places::MAX_LOOPS;
use crate::nest::Loop;

/// The places of a lane, by the logarithm of their weight in bits.
pub(super) const PLACES: usize = 7;

/// The places below a byte.
const BYTE: usize = 3;

/// No tile has more registers.
pub(super) const MAX_REGISTERS: usize = 128;

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

/// A loop of one step.
pub(super) const ONCE: Around = Around { count: 1, src: 0, dst: 0, src_back: 0, dst_back: 0 };

/// A step of the bits within bytes, on registers or pairs of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Exchanges a bit of the register's number for a place of the register.
    Exchange { slot: usize, lower: [u8; 16], shift: usize },
    /// Exchanges two places of a register.
    Swap { lower: [u8; 16], shift: usize },
    /// Takes each byte of a lane from the place that is given for it.
    Shuffle([u8; 16]),
    /// Keeps these bits, and zeros elsewhere.
    Mask([u8; 16]),
}

/// Registers that are loaded, interleaved and stored. Offsets are in bytes, from the beginning of a
/// place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
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
    /// Bit `k` is set where the next of those bits, from the lowest on, change places with bit `k` of
    /// a lane's number.
    pub(super) lane_stages: u8,
    /// Of each register, where it is stored.
    pub(super) stores: [i64; 16],
}

/// What is done before bytes are interleaved: registers are loaded into a bank, and bits exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Before {
    /// Of each register of the bank, where it is loaded from; `None` for one of zeros.
    pub(super) loads: Vec<Option<i64>>,
    pub(super) lanes: [i64; MAX_LANES],
    /// The pieces that a lane is loaded in, where it is not one.
    pub(super) pieces: Option<Pieces>,
    pub(super) ops: Vec<Op>,
}

/// What is done after: registers are stored in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct After {
    /// Of each register of the bank, where it is stored; `None` if it is not.
    pub(super) stores: Vec<Option<i64>>,
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
    pub(super) after: Option<After>,
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
        (self.n_lanes << (4 + self.grains.count_ones())) as i64
    }

    /// The registers that each stage brings together with the first.
    pub(super) fn stages(&self) -> impl Iterator<Item = usize> {
        (0..self.grains.count_ones()).map(|stage| 1 << stage)
    }
}

impl Program {
    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let before = self.before.as_ref().map_or(0, |before| {
            let pieces = before.pieces.as_ref().map_or(0, |pieces| pieces.offsets.capacity() * 8);
            before.loads.capacity() * 16 + before.ops.capacity() * size_of::<Op>() + pieces
        });
        let after = self
            .after
            .as_ref()
            .map_or(0, |after| after.stores.capacity() * 16 + after.pieces.offsets.capacity() * 8);
        let blocks: usize = self.blocks.iter().flatten().map(Walk::held_bytes).sum();
        let around = self.around.capacity() * size_of::<Around>();
        before + after + self.walk.held_bytes() + blocks + around
    }

    /// Whether it streams whole lines to a destination that begins at one.
    pub(super) fn streams_lines(&self) -> bool {
        self.writes_lines || self.blocks[0].is_some()
    }

    /// The fewest bytes that are loaded or stored at once.
    pub(super) fn least_piece(&self) -> usize {
        let before = self.before.iter().flat_map(|before| &before.pieces);
        let pieces = before.chain(self.after.iter().map(|after| &after.pieces));
        pieces.map(|pieces| pieces.bytes).fold(BYTES_OF_A_LANE as usize, usize::min)
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
        let n_inner = outer_lanes.len() + completing.len();
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
        let is_banked = !synthesis.ops.is_empty() || src_pieces.is_some();
        let leaving = &synthesis.slots;
        let bank = |slot: usize| ((16 * n_lanes) << slot) as i64;
        let stages = &stage_slots[..grains.count_ones() as usize];
        let contiguous = [0, 16, 32, 48];
        let mut tile = Tile {
            loads: [0; 16],
            lanes: if is_banked { contiguous } else { lanes },
            n_lanes,
            shuffle,
            grains,
            lane_stages: lane_mask,
            stores: [0; 16],
        };
        for (stage, &slot) in stages.iter().enumerate() {
            let load = match is_banked {
                true => bank(slot),
                false => whole(bits.weight(entering[slot], |l| l.src)?)?,
            };
            let store = match dst_pieces {
                Some(_) => bank(slot),
                None => whole(bits.weight(leaving[slot], |l| l.dst)?)?,
            };
            for register in (0..16).filter(|register| register >> stage & 1 == 1) {
                tile.loads[register] += load;
                tile.stores[register] += store;
            }
        }
        let mut within = Vec::new();
        for slot in (0..c).filter(|slot| !stages.contains(slot)) {
            let Some(weight) = bits.weight(leaving[slot], |l| l.dst) else { continue };
            let dst = if dst_pieces.is_some() { bank(slot) } else { whole(weight)? };
            within.push(Around { count: 2, src: bank(slot), dst, src_back: 0, dst_back: 0 });
        }
        let before = match is_banked {
            true => Some(Before {
                loads: offsets(&bits, &entering, |l| l.src)?,
                lanes,
                pieces: src_pieces,
                ops: synthesis.ops,
            }),
            false => None,
        };
        let after = match dst_pieces {
            Some(pieces) => Some(After { stores: offsets(&bits, leaving, |l| l.dst)?, pieces }),
            None => None,
        };
        let kernels = kernels(&tile, level);
        let is_plain = before.is_none() && after.is_none();
        let writes_lines = is_plain && writes_lines(&tile, &around);
        let blocks = match is_plain && is_streamed {
            true => Walk::in_blocks(&tile, &around, n_inner, level),
            false => [None, None],
        };
        let (walk, around) = match is_plain {
            true => (Walk::of(tile, around), Vec::new()),
            false => (Walk::of(tile, within), around),
        };
        Some(Program { before, walk, after, around, blocks, writes_lines, kernels })
    }
}

/// Whether tiles write whole lines, each alone or, if it is one register, with the next.
fn writes_lines(tile: &Tile, around: &[Around]) -> bool {
    let registers = 1usize << tile.grains.count_ones();
    let mut len = 16 * tile.n_lanes as i64;
    let stages: Vec<i64> = (0..4)
        .map(|stage| 1usize << stage)
        .filter(|&s| s < registers)
        .map(|s| tile.stores[s])
        .collect();
    while stages.contains(&len) {
        len *= 2;
    }
    let mut around = around;
    if registers == 1
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
                self.ops.push(Op::Exchange { slot, lower, shift });
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
                    let zero =
                        (0..PLACES).any(|p| dst[p] == Bit::None && p < BYTE && at >> p & 1 == 1);
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
        // Zeros among bytes come from a register of zeros, garbage goes to one that is dropped: not
        // the same bit.
        if here.contains(&Bit::None) || wanted.contains(&Bit::None) {
            return None;
        }
        let stays: Vec<Bit> = wanted.iter().filter(|bit| here.contains(bit)).copied().collect();
        let leaves: Vec<Bit> = here.iter().filter(|bit| !wanted.contains(bit)).copied().collect();
        // Those that are to leave first are at the top.
        let others = leaves.iter().filter(|bit| !first.contains(bit));
        let leaves: Vec<Bit> = others.chain(first.iter().rev()).copied().collect();
        let order: Vec<Bit> = stays.iter().chain(&leaves).copied().collect();
        let from: Vec<usize> =
            order.iter().map(|bit| here.iter().position(|b| b == bit).unwrap_or(0)).collect();
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
