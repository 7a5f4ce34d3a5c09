//! Making programs of tiles: which bits are places, which lanes, which registers, and the loops around.
//!
//! A program is made in four steps, each of which takes bits out of the loops of the box: the places of a
//! lane on both sides ([`Draft::of`]), the lanes of a register ([`Draft::lanes`]), what is exchanged
//! ([`Synthesis`]), and what is left, the loops around ([`Draft::walk`]). Then registers are numbered and
//! banks are laid out ([`Assembly`]).

use super::block::{ALIAS, FAR_ALIAS, WAYS, Walk, repeat};
use super::code::{Kernels, kernels, max_lanes};
use super::level::Level;
use super::loop_order::{long_run, order, part_of};
use super::place::{LINE, LINE_BITS};
use super::places::MAX_LOOPS;
use super::synthesis::{Bit, Exchanges, Synthesis};
use super::tile::{
    Around, BANK, BYTE, BYTES_OF_A_LANE, Before, MAX_LANES, ONCE, Op, Overhang, PLACES, Pieces,
    Program, Scattered, Slots, Tile,
};
use crate::nest::{Loop, side_by_side};

/// No box is moved by more registers at a time.
const MAX_REGISTERS: usize = 128;

/// The most bytes of those registers.
pub(super) const MOST_REGISTER_BYTES: usize = MAX_REGISTERS * MAX_LANES * 16;

/// The bytes of a bank that are used where nothing is streamed or gathered, if a tile has no more: they stay in the first cache
/// beside the lines of the source that its tiles share.
const NEAR_BANK: usize = 4 << 10;

/// So few lines that a tile reads may be in each other's way in a bank.
const FEW_IN_ITS_WAY: usize = 16;

/// So few rows that a bank is loaded from may share a place of the second cache: their lines are still there when the next of its
/// registers is loaded from them.
const FEW_FAR_ALIASES: usize = 4;

/// A tile of steps has `2^` so many registers: all of them stay registers, and each step is worth the
/// branch that it takes.
const STEPPED: usize = 3;

/// Where the lanes of a register lie whose bytes follow each other.
const CONTIGUOUS: [i64; MAX_LANES] = [0, 16, 32, 48];

impl Program {
    /// The program of a box whose loops are counted in bits, the innermost of them the bits of a
    /// value. `None` where a side is not made of whole bytes, or has no two bytes together.
    pub(super) fn of(
        loops: &[Loop],
        slots: Slots,
        level: Level,
        is_streamed: bool,
    ) -> Option<Program> {
        by_lanes(level, |max_lanes| {
            Assembly::of(loops, slots, max_lanes, is_streamed)?.program(level, is_streamed)
        })
    }
}

/// What is made by registers of as many lanes as can be.
fn by_lanes<T>(level: Level, make: impl Fn(usize) -> Option<T>) -> Option<T> {
    let mut lanes = max_lanes(level);
    loop {
        let made = make(lanes);
        if made.is_some() || lanes == 1 {
            return made;
        }
        lanes /= 2;
    }
}

impl Overhang {
    /// Of a box whose loops are counted in bits, as a [program's](Program::of), of rows of so many bytes.
    pub(super) fn of_bits(loops: &[Loop], slots: Slots, row: i64, level: Level) -> Option<Self> {
        by_lanes(level, |max_lanes| {
            Assembly::of(loops, slots, max_lanes, true)?.overhang(row, level)
        })
    }
}

/// A program as it is made: the bits that are taken out of the loops.
struct Draft<'t> {
    loops: &'t [Loop],
    /// The places of a lane, as loaded and as stored.
    places: [Vec<Bit>; 2],
    /// How many of them lie side by side; the others are addresses.
    own: [usize; 2],
    /// What the lanes of a register are numbered by in the destination.
    beyond: Vec<Bit>,
    /// How many bits of each loop are taken.
    taken: Vec<u32>,
}

/// The lanes of a register as loaded.
struct Lanes {
    /// The bits of a lane's number.
    bits: Vec<Bit>,
    /// Those of them that change places with what the destination has there.
    stages: Vec<usize>,
    /// Where each lane lies from the first, in bytes.
    offsets: [i64; MAX_LANES],
}

impl<'t> Draft<'t> {
    /// The places of both sides, of boxes that have enough.
    fn of(loops: &'t [Loop], slots: Slots) -> Option<Self> {
        let widths = [slots.value, slots.src, slots.dst].map(i64::unsigned_abs);
        let are_powers = widths.iter().all(|width| width.is_power_of_two());
        if loops.len() > MAX_LOOPS || loops.is_empty() || !are_powers && widths != [widths[0]; 3] {
            return None;
        }
        let mut src = chain(loops, |l| l.src, slots.value, slots.src, PLACES);
        let mut dst = chain(loops, |l| l.dst, slots.value, slots.dst, PLACES + 2);
        let mut beyond = dst.split_off(dst.len().min(PLACES));
        let own = [src.len(), dst.len()];
        if own.iter().any(|&own| own < PLACES) {
            beyond.clear();
        }
        if own.iter().any(|&own| own < BYTE) {
            return None;
        }
        fill(&mut src, &dst);
        fill(&mut dst, &src);
        fill_with_others(&mut src, &mut dst, loops)?;
        let taken = vec![0; loops.len()];
        let mut draft = Draft { loops, places: [src, dst], own, beyond, taken };
        for side in 0..2 {
            for place in 0..PLACES {
                draft.take(draft.places[side][place]);
            }
        }
        Some(draft)
    }

    fn take(&mut self, bit: Bit) {
        if let Bit::Of(number, bit) = bit {
            self.taken[number] = self.taken[number].max(bit + 1);
        }
    }

    /// How far apart the two values of a bit lie, in bits of memory.
    fn weight(&self, bit: Bit, stride: fn(&Loop) -> i64) -> Option<i64> {
        match bit {
            Bit::Of(number, bit) => Some(stride(&self.loops[number]) << bit),
            Bit::None => None,
        }
    }

    /// Up to `max` lanes: neighbours in the destination, or where those share a lane, neighbours in the
    /// source that change places with them later.
    fn lanes(&mut self, max: usize) -> Option<Lanes> {
        let (mut bits, mut stages) = (Vec::new(), Vec::new());
        while bits.len() < self.beyond.len() && 2 << bits.len() <= max {
            let wanted = self.beyond[bits.len()];
            if !self.places[0].contains(&wanted) && !bits.contains(&wanted) {
                self.take(wanted);
                bits.push(wanted);
                continue;
            }
            if bits.contains(&wanted) {
                break;
            }
            let weight = (BYTES_OF_A_LANE * 8) << bits.len();
            let is_free = |&number: &usize| self.loops[number].extent >> self.taken[number] > 1;
            let is_next = |&number: &usize| self.loops[number].src << self.taken[number] == weight;
            let free = || (0..self.loops.len()).filter(is_free);
            let Some(number) = free().find(is_next).or_else(|| free().next_back()) else { break };
            let other = Bit::Of(number, self.taken[number]);
            self.take(other);
            stages.push(bits.len());
            bits.push(other);
        }
        let mut offsets = [0; MAX_LANES];
        for (number, bit) in bits.iter().enumerate() {
            let weight = whole(self.weight(*bit, |l| l.src)?)?;
            for lane in (0..MAX_LANES).filter(|lane| lane >> number & 1 == 1) {
                offsets[lane] += weight;
            }
        }
        Some(Lanes { bits, stages, offsets })
    }

    /// What registers exchange.
    fn exchanges(&self, slots: Slots, lanes: &Lanes) -> Option<Exchanges> {
        let [src, dst] = &self.places;
        let synthesis = Synthesis::new(src, dst);
        if 1 << synthesis.n_slots() > MAX_REGISTERS {
            return None;
        }
        let first: Vec<Bit> = lanes.stages.iter().map(|&lane| self.beyond[lane]).collect();
        let mut moves = synthesis.exchanges(dst, slots, &first)?;
        let mut stages = moves.stages.iter();
        for &lane in &lanes.stages {
            let slot = moves.leaving.iter().position(|bit| *bit == self.beyond[lane])?;
            if moves.stages.contains(&slot) {
                moves.lane_stages |= 1 << lane;
                (stages.next() == Some(&slot)).then_some(())?;
            } else {
                // What a shift has made a bit of the register's number is that before bytes are moved.
                let is_of = |op: &Op| matches!(op, Op::Exchange { bit, .. } if *bit == slot);
                moves.ops.iter().any(is_of).then_some(())?;
                moves.ops.push(Op::Lanes { bit: slot, lane });
            }
            moves.leaving[slot] = lanes.bits[lane];
        }
        Some(moves)
    }

    /// The loops around a tile, in bytes, and how many of them, the innermost, had better stay together.
    fn walk(
        &mut self,
        slots: Slots,
        moves: &Exchanges,
        lanes: &Lanes,
        is_streamed: bool,
    ) -> Option<(Vec<Around>, usize)> {
        // Lanes that the registers have no room for.
        let mut rows: Vec<Around> = Vec::new();
        for bit in self.beyond.clone() {
            if self.places[0].contains(&bit) || lanes.bits.contains(&bit) {
                continue;
            }
            let Bit::Of(number, place) = bit else { break };
            if self.taken[number] != place {
                break;
            }
            self.take(bit);
            let (src, dst) = (self.weight(bit, |l| l.src)?, self.weight(bit, |l| l.dst)?);
            rows.push(Around { count: 2, src, dst, ..ONCE });
        }
        // Registers that make a line of the source are loaded one after the other.
        let mut columns: Vec<Around> = Vec::new();
        let mut around: Vec<Around> = Vec::with_capacity(self.loops.len() + 1);
        for (l, &taken) in self.loops.iter().zip(&self.taken) {
            let mut step = 1i64 << taken;
            let weight = l.src * step;
            let more = (LINE_BITS / weight.max(1)).min(4);
            let is_part = weight >= BYTES_OF_A_LANE * 8 && more > 1 && l.extent >= more * step;
            if is_part && moves.leaving.len() > 1 {
                columns.push(Around { count: more, src: weight, dst: step * l.dst, ..ONCE });
                step *= more;
            }
            let count = (l.extent + step - 1) / step;
            if count > 1 {
                let back = count * step - l.extent;
                let (src, dst) = (step * l.src, step * l.dst);
                let (src_back, dst_back) = (back * l.src, back * l.dst);
                around.push(Around { count, src, dst, src_back, dst_back });
            }
        }
        let n_inner = rows.len() + columns.len();
        let inner: Vec<Around> = match (rows.last(), columns.last()) {
            (Some(row), Some(column)) if row.src.abs() < column.dst.abs() => {
                columns.into_iter().chain(rows).collect()
            }
            _ => rows.into_iter().chain(columns).collect(),
        };
        // How far the registers and the inner loops go on by themselves.
        let reach = |numbers: &mut dyn Iterator<Item = &Bit>,
                     own: i64,
                     of: fn(&Loop) -> i64,
                     by: fn(&Around) -> i64| {
            let bits = numbers.filter_map(|bit| self.weight(*bit, of)).map(|weight| (2, weight, 0));
            let steps: Vec<(i64, i64, i64)> =
                bits.chain(inner.iter().map(|l| (l.count, by(l), 0))).collect();
            side_by_side(own, || steps.iter().copied())
        };
        let lane_bits = BYTES_OF_A_LANE * 8;
        let mut loaded = moves.entering.iter().chain(&lanes.bits);
        let src_len = reach(&mut loaded, lane_bits, |l| l.src, |l| l.src);
        let register_bits = lane_bits << lanes.bits.len();
        let dst_len = reach(&mut moves.leaving.iter(), register_bits, |l| l.dst, |l| l.dst);
        let are_lines = moves.leaving.is_empty() && src_len >= LINE_BITS;
        let long_run = long_run(slots.value, are_lines && !is_streamed);
        order(&mut around, src_len, dst_len, long_run);
        around.extend(inner);
        let in_bytes: Option<Vec<Around>> = around.iter().map(Around::in_bytes).collect();
        Some((in_bytes?, n_inner))
    }

    /// Where the pieces of a lane lie whose own places end early, the others being addresses.
    fn pieces(&self, side: usize) -> Option<Option<Pieces>> {
        let own = self.own[side];
        if own >= PLACES {
            return Some(None);
        }
        let stride: fn(&Loop) -> i64 = if side == 0 { |l| l.src } else { |l| l.dst };
        let mut offsets = vec![0];
        for bit in &self.places[side][own..] {
            repeat(&mut offsets, 2, whole(self.weight(*bit, stride)?)?);
        }
        Some(Some(Pieces { bytes: 1 << (own - BYTE), offsets }))
    }

    /// Of each register that these bits number, its offset in bytes, if those are whole ones; none
    /// where it has the bit of no index.
    fn offsets(&self, numbered: &[Bit], stride: fn(&Loop) -> i64) -> Option<Vec<Option<i64>>> {
        let mut offsets = vec![Some(0)];
        for bit in numbered {
            let weight = match self.weight(*bit, stride) {
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
}

/// Where a tile loads the register whose number has a bit alone from, and where it stores it, if it does. In bytes.
type Weights<A> = fn(&A, usize) -> Option<(i64, Option<i64>)>;

/// What is put together to a program.
struct Assembly<'t> {
    draft: Draft<'t>,
    lanes: Lanes,
    moves: Exchanges,
    around: Vec<Around>,
    n_inner: usize,
    /// What registers are loaded from and stored to, if that is pieces.
    pieces: [Option<Pieces>; 2],
}

impl<'t> Assembly<'t> {
    /// Of the loops of a box, by registers of no more lanes.
    fn of(loops: &'t [Loop], slots: Slots, max_lanes: usize, is_streamed: bool) -> Option<Self> {
        let mut draft = Draft::of(loops, slots)?;
        let lanes = draft.lanes(max_lanes)?;
        let moves = draft.exchanges(slots, &lanes)?;
        let (around, n_inner) = draft.walk(slots, &moves, &lanes, is_streamed)?;
        let pieces = [draft.pieces(0)?, draft.pieces(1)?];
        Some(Assembly { draft, lanes, moves, around, n_inner, pieces })
    }

    /// Blocks of rows that overhang, of registers that are loaded and stored whole.
    fn overhang(mut self, row: i64, level: Level) -> Option<Overhang> {
        if !self.is_plain() {
            return None;
        }
        let (tile, _) = self.tile()?;
        let kernels = kernels(&tile, level);
        let walk = Walk::of_overhanging_rows(&tile, &self.around, self.n_inner, row, level)?;
        Some(Overhang { walk, kernels })
    }

    /// The bits of a register's number.
    fn c(&self) -> usize {
        self.moves.entering.len()
    }

    fn n_lanes(&self) -> usize {
        1 << self.lanes.bits.len()
    }

    /// Whether bits below a byte are moved in the registers of the tile.
    fn has_steps(&self) -> bool {
        !self.moves.ops.is_empty() && self.c() <= STEPPED
    }

    /// Whether they are moved before, because those are too many.
    fn is_apart(&self) -> bool {
        !self.moves.ops.is_empty() && !self.has_steps()
    }

    fn is_banked(&self) -> bool {
        self.is_apart() || self.pieces[0].is_some()
    }

    fn has_pieces(&self) -> bool {
        self.pieces.iter().any(Option::is_some)
    }

    fn is_plain(&self) -> bool {
        !self.is_banked() && !self.has_pieces()
    }

    /// Whether bytes are moved into the bank, and bits below a byte out of it.
    fn spreads(&self) -> bool {
        self.is_apart() && self.moves.are_bits_last
    }

    /// Where a register whose number has this bit alone is in a bank, if there are any: zeros that enter are not there yet,
    /// and what is dropped is there no more.
    fn bank(&self, slot: usize) -> Option<i64> {
        self.is_held(slot)
            .then(|| self.gathered((0..slot).filter(|&slot| self.is_held(slot)).count()))
    }

    fn is_held(&self, slot: usize) -> bool {
        let drops = |op: &Op| matches!(op, Op::Merge { bit, .. } if *bit == slot);
        match self.spreads() {
            true => self.moves.entering[slot] != Bit::None,
            false => !self.moves.ops.iter().any(drops),
        }
    }

    /// The bytes of a bank for the registers of one tile.
    fn bank_bytes(&self) -> i64 {
        self.gathered((0..self.c()).filter(|&slot| self.is_held(slot)).count())
    }

    /// The same of registers that are put together from pieces, or taken apart to them.
    fn gathered(&self, slot: usize) -> i64 {
        ((16 * self.n_lanes()) << slot) as i64
    }

    /// Where it is in the source, and nowhere else if it is of no index.
    fn source(&self, slot: usize) -> Option<i64> {
        self.draft.weight(self.moves.entering[slot], |l| l.src).map_or(Some(0), whole)
    }

    /// Where what is loaded first is.
    fn first(&self, slot: usize) -> Option<i64> {
        if self.pieces[0].is_some() { Some(self.gathered(slot)) } else { self.source(slot) }
    }

    /// Where it is stored at last, if it is.
    fn last(&self, slot: usize) -> Option<Option<i64>> {
        match self.draft.weight(self.moves.leaving[slot], |l| l.dst) {
            None => Some(None),
            Some(_) if self.pieces[1].is_some() => Some(Some(self.gathered(slot))),
            Some(weight) => Some(Some(whole(weight)?)),
        }
    }

    /// Where the last tile loads it from, and where it stores it, if it does.
    fn weights(&self, slot: usize) -> Option<(i64, Option<i64>)> {
        let load = if self.is_apart() { self.bank(slot).unwrap_or(0) } else { self.first(slot)? };
        Some((load, self.last(slot)?))
    }

    /// Where the first of two tiles loads it from, and where it stores it in the bank, if it does.
    fn to_bank(&self, slot: usize) -> Option<(i64, Option<i64>)> {
        Some((self.first(slot)?, self.bank(slot)))
    }

    /// The last tile, and the loops that go through a bank.
    fn tile(&mut self) -> Option<(Tile, Vec<Around>)> {
        let lanes = if self.is_banked() { CONTIGUOUS } else { self.lanes.offsets };
        match (self.has_steps(), self.spreads()) {
            (true, _) => Some((self.stepped(lanes)?, Vec::new())),
            (false, true) => self.of_bits(Self::weights, lanes, &mut Vec::new()),
            (false, false) => self.of_bytes(Self::weights, lanes),
        }
    }

    /// What moves in these loops into the bank that the last tile is loaded from, and whether it gathers rows first.
    fn moved_before(
        &self,
        into: Vec<Around>,
        level: Level,
        gathers: bool,
    ) -> Option<(Walk, Kernels)> {
        let lanes = if self.pieces[0].is_some() { CONTIGUOUS } else { self.lanes.offsets };
        // What is read of a line is read one after the other, by one tile if it has room for it: there are many rows, and their
        // lines do not stay in the first cache if they are in each other's way.
        let is_near = |l: &Around| (BYTES_OF_A_LANE..LINE as i64).contains(&l.src);
        let (mut near, mut into): (Vec<Around>, _) = into.into_iter().partition(is_near);
        near.sort_by_key(|l| l.src);
        let (tile, within) = match self.spreads() {
            true => self.of_bytes(Self::to_bank, lanes)?,
            false => self.of_bits(Self::to_bank, lanes, &mut near)?,
        };
        into.extend(within);
        into.extend(near.into_iter().rev());
        let most = if gathers { 0 } else { FEW_IN_ITS_WAY };
        let walk = Walk::of(tile, into, false, most, level);
        let kernels = kernels(&walk.tile, level);
        Some((walk, kernels))
    }

    /// The tile that moves bytes alone, and the loops that bring it to registers that no stage has. `weights` says where
    /// it loads and stores the register whose number has a bit alone.
    fn of_bytes(
        &self,
        weights: Weights<Self>,
        lanes: [i64; MAX_LANES],
    ) -> Option<(Tile, Vec<Around>)> {
        let Exchanges { shuffle, grains, lane_stages, ref stages, .. } = self.moves;
        let mut within = Vec::new();
        for slot in (0..self.c()).filter(|slot| !stages.contains(slot)) {
            if let (src, Some(dst)) = weights(self, slot)? {
                within.push(Around { count: 2, src, dst, ..ONCE });
            }
        }
        let bits: Option<Vec<_>> = stages.iter().map(|&slot| weights(self, slot)).collect();
        let bits = bits?;
        if bits.iter().any(|(_, store)| store.is_none()) {
            return None;
        }
        let mut tile = Tile::of_bits(&bits, self.n_lanes(), lanes);
        (tile.shuffle, tile.grains, tile.lane_stages) = (shuffle, grains, lane_stages);
        Some((tile, within))
    }

    /// The tile that moves bits below a byte alone, of registers that steps bring together, and the loops that bring it to
    /// others. What there is room for of the loops `near` is taken into it.
    fn of_bits(
        &self,
        weights: Weights<Self>,
        lanes: [i64; MAX_LANES],
        near: &mut Vec<Around>,
    ) -> Option<(Tile, Vec<Around>)> {
        let mut numbered: Vec<usize> = Vec::with_capacity(self.c());
        for mut op in self.moves.ops.iter().copied() {
            if let Some(slot) = op.bit()
                && !numbered.contains(slot)
            {
                numbered.push(*slot);
            }
        }
        let others: Vec<usize> = (0..self.c()).filter(|slot| !numbered.contains(slot)).collect();
        let mut beside = Vec::with_capacity(STEPPED);
        let room = STEPPED.saturating_sub(numbered.len());
        while beside.len() < room
            && let Some(number) = near.iter().position(|l| l.count % 2 == 0)
        {
            let half = part_of(near, number, 2);
            beside.push((half.src, Some(half.dst)));
        }
        let (more, apart) = others.split_at((room - beside.len()).min(others.len()));
        numbered.extend(more);
        let bits: Option<Vec<_>> = numbered.iter().map(|&slot| weights(self, slot)).collect();
        let mut bits: Vec<_> = numbered.iter().copied().zip(bits?).collect();
        bits.extend(beside.into_iter().map(|beside| (usize::MAX, beside)));
        // What is not stored is numbered last.
        bits.sort_by_key(|(_, (_, store))| store.is_none());
        let (numbered, bits): (Vec<_>, Vec<_>) = bits.into_iter().unzip();
        let mut tile = Tile::of_bits(&bits, self.n_lanes(), lanes);
        tile.ops = steps_of(&self.moves.ops, &numbered)?;
        let mut within = Vec::new();
        for &slot in apart.iter().rev() {
            let (src, dst) = weights(self, slot)?;
            within.push(Around { count: 2, src, dst: dst?, ..ONCE });
        }
        Some((tile, within))
    }

    /// The tile that does all, step by step.
    fn stepped(&mut self, lanes: [i64; MAX_LANES]) -> Option<Tile> {
        let stages = self.moves.stages.clone();
        let is_kept = |&slot: &usize| self.moves.leaving[slot] != Bit::None;
        let mut numbered: Vec<usize> = stages.iter().copied().filter(is_kept).collect();
        let (kept, dropped): (Vec<usize>, Vec<usize>) = (0..self.c()).partition(is_kept);
        numbered.extend(kept.into_iter().filter(|slot| !stages.contains(slot)));
        let bits: Option<Vec<_>> = numbered.iter().map(|&slot| self.weights(slot)).collect();
        let mut bits = bits?;
        // Neighbouring tiles have registers to spare.
        while self.is_plain() && bits.len() + dropped.len() < STEPPED {
            // Registers that share elements are none of a tile.
            let is_whole = |l: &Around| l.count > 2 || l.src_back == 0 && l.dst_back == 0;
            let Some(number) = self.around.iter().rposition(is_whole) else { break };
            let is_inner = number + self.n_inner >= self.around.len();
            self.n_inner -= usize::from(is_inner && self.around[number].count == 2);
            let both = part_of(&mut self.around, number, 2);
            bits.push((both.src, Some(both.dst)));
        }
        numbered.resize(bits.len(), usize::MAX);
        for slot in dropped {
            bits.push(self.weights(slot)?);
            numbered.push(slot);
        }
        bits.resize(STEPPED, (0, None));
        let mut tile = Tile::of_bits(&bits, self.n_lanes(), lanes);
        let of_bits = steps_of(&self.moves.ops, &numbered)?;
        let mut of_bytes = Vec::from_iter(self.moves.shuffle.map(Op::Shuffle));
        let stage = |slot: usize| numbered.iter().position(|&number| number == slot);
        let grains = (0..4).filter(|grain| self.moves.grains >> grain & 1 == 1);
        for (&slot, grain) in stages.iter().zip(grains) {
            of_bytes.push(Op::Zip { bit: stage(slot)?, grain });
        }
        let lanes = (0..2).filter(|lane| self.moves.lane_stages >> lane & 1 == 1);
        for (&slot, lane) in stages.iter().zip(lanes) {
            of_bytes.push(Op::Lanes { bit: stage(slot)?, lane });
        }
        tile.ops = match self.moves.are_bits_last {
            true => [of_bytes, of_bits].concat(),
            false => [of_bits, of_bytes].concat(),
        };
        Some(tile)
    }

    /// Whether the registers of a bank are loaded from many rows that are in each other's way, and too many to be read where they
    /// are: all of a few places of the first cache, or where a bank has room for whole lines, which are read at once, many of one place of
    /// the second. Of those that registers of whole lines are loaded of, each is read once, wherever they are.
    fn is_in_its_way(&self, is_streamed: bool) -> bool {
        let lanes = (0..self.lanes.bits.len()).map(|bit| self.lanes.offsets[1 << bit]);
        let registers = (0..self.c()).map(|slot| self.source(slot).unwrap_or(0));
        let alias = if is_streamed { FAR_ALIAS } else { ALIAS / 2 };
        let (mut n_rows, mut n_alike, mut len) = (1, 1, BYTES_OF_A_LANE);
        for step in lanes.chain(registers).filter(|&step| step != 0) {
            if step.abs() < LINE as i64 {
                len *= 2;
                continue;
            }
            n_rows *= 2;
            n_alike *= if step % alias == 0 { 2 } else { 1 };
        }
        let are_alike = if is_streamed { n_alike > FEW_FAR_ALIASES } else { n_alike == n_rows };
        !self.has_pieces() && n_rows > FEW_IN_ITS_WAY && are_alike && len < LINE as i64
    }

    /// Has several tiles share a bank: the loops that fill it. Those that empty it are added to `within`.
    fn shared_bank(
        &mut self,
        within: &mut Vec<Around>,
        is_streamed: bool,
        gathers: bool,
    ) -> Vec<Around> {
        let (mut into, mut held): (Vec<Around>, _) = (Vec::new(), self.bank_bytes());
        if !self.is_apart() || self.has_pieces() {
            return into;
        }
        let room = (if is_streamed || gathers { BANK } else { NEAR_BANK }) as i64;
        while 2 * held <= room {
            // What is gathered is rows that are as long as may be, of whole lines of the destination.
            let along = |&number: &usize| {
                let l = &self.around[number];
                (l.dst.abs() >= LINE as i64, l.src.unsigned_abs())
            };
            let along = (0..self.around.len()).filter(|_| gathers).min_by_key(along);
            let Some(number) = along.or_else(|| self.around.len().checked_sub(1)) else { break };
            let l = self.around[number];
            // Tiles of a bank share no elements with each other, as they have places of their own there: of a loop whose
            // last tile does with the one before, banks do.
            let is_plain = l.src_back == 0 && l.dst_back == 0;
            let most = if is_plain { l.count } else { (l.count + 1) / 2 };
            let part = most.min(room / held);
            if part < 2 {
                break;
            }
            let l = part_of(&mut self.around, number, part);
            into.push(Around { dst: held, ..l });
            within.push(Around { src: held, ..l });
            held *= l.count;
        }
        if gathers {
            into.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
        }
        into
    }

    fn program(mut self, level: Level, is_streamed: bool) -> Option<Program> {
        let (tile, mut within) = self.tile()?;
        let gathers = self.is_apart() && self.is_in_its_way(is_streamed);
        let into = self.shared_bank(&mut within, is_streamed, gathers);
        let mut first = match self.is_apart() {
            true => Some(self.moved_before(into, level, gathers)?),
            false => None,
        };
        let (is_plain, is_banked) = (self.is_plain(), self.is_banked());
        let (is_apart, has_pieces) = (self.is_apart(), self.has_pieces());
        let kernels = kernels(&tile, level);
        let loops = || self.around.iter().chain(&within).copied().collect::<Vec<_>>();
        let writes_lines = self.pieces[1].is_none() && writes_lines(&tile, &loops());
        let mut blocks = match is_streamed {
            true if is_plain => Walk::in_blocks(&tile, &self.around, self.n_inner, level),
            // A bank is a block, if those are whole lines.
            true if is_apart && !has_pieces && self.around.iter().all(Around::is_by_lines) => {
                let [lines, _] = Walk::in_blocks(&tile, &within, within.len(), level);
                [lines, None]
            }
            _ => [None, None],
        };
        // What is moved as it is has every line of the source read once: rows in each other's way do no harm.
        let cached_blocks = match is_plain && !is_streamed && self.c() > 0 {
            true => Walk::in_cached_blocks(&tile, &self.around, self.n_inner, level),
            false => None,
        };
        let Assembly { draft, moves, around, pieces: [src_pieces, dst_pieces], .. } = self;
        let scattered = |pieces: Option<Pieces>, numbered: &[Bit], stride| match pieces {
            Some(pieces) => {
                Some(Some(Scattered { places: draft.offsets(numbered, stride)?, pieces }))
            }
            None => Some(None),
        };
        let src_pieces = scattered(src_pieces, &moves.entering, |l| l.src)?;
        let after = scattered(dst_pieces, &moves.leaving, |l| l.dst)?;
        let (mut walk, around) = match is_plain {
            true => (Walk::of(tile, around, is_streamed, WAYS, level), Vec::new()),
            false => (Walk::of(tile, within, is_streamed, FEW_IN_ITS_WAY, level), around),
        };
        // What is loaded into a bank next is asked for while this one is stored, or panel by panel while it is loaded.
        if let Some((into, _)) = first.as_mut().filter(|_| !has_pieces) {
            let mut asked = std::mem::take(&mut into.panel);
            if into.around.iter().any(|l| l.src.abs() >= LINE as i64) {
                std::mem::swap(&mut asked, &mut into.panel);
            }
            walk.ask_for(&asked);
            blocks.iter_mut().flatten().for_each(|blocks| blocks.ask_for(&asked));
        }
        let before = is_banked.then(|| Box::new(Before { pieces: src_pieces, first }));
        Some(Program { before, walk, after, around, blocks, cached_blocks, writes_lines, kernels })
    }
}

/// Up to `most` places of a side, whose loops have this stride, from the lowest on.
fn chain(loops: &[Loop], stride: fn(&Loop) -> i64, value: i64, slot: i64, most: usize) -> Vec<Bit> {
    let mut bits = Vec::with_capacity(most);
    let mut weight = 1i64;
    while bits.len() < most {
        if weight == value && slot > value {
            let n = (slot / value).trailing_zeros() as usize;
            bits.extend(std::iter::repeat_n(Bit::None, n));
            weight = slot;
            continue;
        }
        let Some(number) = loops.iter().position(|l| stride(l) == weight && l.extent > 1) else {
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
    bits
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

/// Bits in bytes, if they are whole ones.
fn whole(bits: i64) -> Option<i64> {
    (bits % 8 == 0).then_some(bits / 8)
}

/// These steps on registers whose bits are these slots.
fn steps_of(ops: &[Op], numbered: &[usize]) -> Option<Vec<Op>> {
    let mut steps = ops.to_vec();
    for bit in steps.iter_mut().filter_map(Op::bit) {
        *bit = numbered.iter().position(|slot| slot == bit)?;
    }
    Some(steps)
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
