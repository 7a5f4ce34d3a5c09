//! What registers exchange, so that bits get from the places where they are loaded to those where they are
//! stored.

use super::tile::{BYTE, Op, PLACES, Slots};

/// A bit of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    /// Number `1` of the index of loop number `0`.
    Of(usize, u32),
    /// Of no index: in the source anything, in the destination zero.
    None,
}

/// Where bits are while stages exchange them.
pub(super) struct Synthesis {
    /// The bit at each place.
    places: Vec<Bit>,
    /// The bit of each bit of a register's number.
    slots: Vec<Bit>,
    ops: Vec<Op>,
}

/// Grains and the bits of a register's number, from the lowest on.
type Stages = Vec<(usize, usize)>;

/// What is exchanged, and by which bits of a register's number.
pub(super) struct Exchanges {
    /// The bit that each bit of a register's number is as loaded.
    pub(super) entering: Vec<Bit>,
    /// The same as stored.
    pub(super) leaving: Vec<Bit>,
    /// Of bits below a byte, step by step.
    pub(super) ops: Vec<Op>,
    /// Whether those are the last to move: zeros come between them, and bytes are moved while they are fewer.
    pub(super) are_bits_last: bool,
    /// Where each byte of a lane is taken from, if they move.
    pub(super) shuffle: Option<[u8; 16]>,
    /// Bit `k` is set where registers are interleaved by `2^k` bytes.
    pub(super) grains: u8,
    /// By which bits of their number, from the lowest grain on.
    pub(super) stages: Vec<usize>,
    /// Bit `k` is set where those change places with bit `k` of a lane's number.
    pub(super) lane_stages: u8,
}

impl Synthesis {
    /// The bits of a register's number.
    pub(super) fn n_slots(&self) -> usize {
        self.slots.len()
    }

    /// All that brings bits to the places `dst`, those of `first` before the others.
    pub(super) fn exchanges(
        mut self,
        dst: &[Bit],
        slots: Slots,
        first: &[Bit],
    ) -> Option<Exchanges> {
        let entering = self.slots.clone();
        let are_bits_last = self.spreads_bits(dst);
        if !are_bits_last {
            self.place_bits(dst, slots)?;
        }
        let (shuffle, stages) = self.place_bytes(dst, first)?;
        if are_bits_last {
            self.place_bits(dst, slots)?;
        }
        let grains = stages.iter().fold(0, |grains, &(grain, _)| grains | 1 << grain);
        let stages = stages.into_iter().map(|(_, slot)| slot).collect();
        let Synthesis { slots: leaving, ops, .. } = self;
        let lane_stages = 0;
        Some(Exchanges {
            entering,
            leaving,
            ops,
            are_bits_last,
            shuffle,
            grains,
            stages,
            lane_stages,
        })
    }

    /// As loaded: the bits that enter are those of a register's number, in the order of their
    /// places; then one for each place that is to hold zeros and does not, or drops what it has.
    pub(super) fn new(src: &[Bit], dst: &[Bit]) -> Self {
        let enters = |bit: &&Bit| **bit != Bit::None && !src.contains(bit);
        let mut slots: Vec<Bit> = dst.iter().filter(enters).copied().collect();
        let leaves = src.iter().filter(|bit| **bit != Bit::None && !dst.contains(bit)).count();
        // As many leave as enter; what is no index's makes up the difference.
        while slots.len() < leaves {
            slots.push(Bit::None);
        }
        Synthesis { places: src.to_vec(), slots, ops: Vec::new() }
    }

    /// Whether all that moves below a byte are bits that leave for zeros, so that it makes no difference to what is where
    /// whether bytes move before or after.
    fn spreads_bits(&self, dst: &[Bit]) -> bool {
        let (here, bytes) = self.places.split_at(BYTE);
        let moved = || here.iter().zip(dst).filter(|(here, wanted)| here != wanted);
        moved().next().is_some()
            && moved().all(|(here, wanted)| *wanted == Bit::None && !dst.contains(here))
            && !bytes.contains(&Bit::None)
            && !dst[BYTE..].contains(&Bit::None)
    }

    /// Brings the bits below a byte to their places.
    fn place_bits(&mut self, dst: &[Bit], slots: Slots) -> Option<()> {
        self.transpose_bits(dst);
        for (place, &wanted) in dst.iter().enumerate().take(BYTE) {
            let here = self.places[place];
            if wanted == here {
                continue;
            }
            if let Some(slot) = self.slots.iter().position(|bit| *bit == wanted) {
                let (lower, shift) = exchange_mask(place);
                // A slot of no index that is wanted is one of zeros.
                self.ops.push(match (wanted, here) {
                    (Bit::None, _) => Op::Spread { bit: slot, lower, shift },
                    (Bit::Of(..), Bit::None) => Op::Merge { bit: slot, lower, shift },
                    (Bit::Of(..), Bit::Of(..)) => Op::Exchange { bit: slot, lower, shift },
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
        // Of whole bytes, those that are no index's are dropped as bits are, for others that enter.
        let drops = slots.value % 8 == 0 && !dst.contains(&Bit::None);
        for place in BYTE..PLACES - 1 {
            let enters = |bit: &Bit| *bit != Bit::None && dst.contains(bit);
            if drops
                && self.places[place] == Bit::None
                && let Some(slot) = self.slots.iter().position(enters)
            {
                let (lower, shift) = exchange_mask(place);
                self.ops.push(Op::Merge { bit: slot, lower, shift });
                self.places[place] = std::mem::replace(&mut self.slots[slot], Bit::None);
            }
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

    /// Brings the bits below a byte to their places at once, if all are above it in a lane.
    fn transpose_bits(&mut self, dst: &[Bit]) {
        let (here, bytes) = self.places.split_at(BYTE);
        if here.contains(&Bit::None) || dst[..BYTE].contains(&Bit::None) {
            return;
        }
        let place = |wanted: &Bit| bytes.iter().position(|bit| bit == wanted);
        let from: Vec<usize> = dst[..BYTE].iter().filter_map(place).collect();
        let &[first, second, third] = &from[..] else { return };
        // Of the four places of bytes, the one that is left.
        let from = [first, second, third, 6 - first - second - third];
        if from != [0, 1, 2, 3] {
            self.ops.push(Op::Shuffle(shuffle_of(&from)));
            let moved = from.map(|place| bytes[place]);
            self.places.splice(BYTE.., moved);
        }
        self.ops.push(Op::Transpose);
        (0..BYTE).for_each(|place| self.places.swap(place, BYTE + place));
    }

    /// Brings the bytes to their places: an order of bytes, and at which grains they are interleaved, by
    /// which bits of a register's number.
    fn place_bytes(&mut self, dst: &[Bit], first: &[Bit]) -> Option<(Option<[u8; 16]>, Stages)> {
        let wanted = &dst[BYTE..];
        let here = &self.places[BYTE..];
        if wanted == here {
            return Some((None, Vec::new()));
        }
        // Zeros among bytes would come from a register of zeros.
        if wanted.contains(&Bit::None) {
            return None;
        }
        // The places that they come from: of those that stay at the bottom, and of those that leave
        // first at the top. What is dropped leaves last.
        let find = |bit: &Bit| here.iter().position(|b| b == bit);
        let mut from = Vec::with_capacity(here.len());
        from.extend(wanted.iter().filter_map(find));
        let n_staying = from.len();
        from.extend((0..here.len()).filter(|&place| !wanted.contains(&here[place])));
        from[n_staying..].sort_by_key(|&place| match here[place] {
            Bit::None => 0,
            bit => first.iter().rev().position(|b| *b == bit).map_or(1, |place| 2 + place),
        });
        let from: [usize; 4] = from.try_into().ok()?;
        let shuffle = (from != [0, 1, 2, 3]).then(|| shuffle_of(&from));
        let mut now = from.map(|place| here[place]);
        let mut stages = Vec::with_capacity(now.len());
        for (place, bit) in wanted.iter().enumerate() {
            if now[place] == *bit {
                continue;
            }
            // It enters, those above it move on, and the uppermost leaves.
            let slot = self.slots.iter().position(|b| b == bit)?;
            now[place..].rotate_right(1);
            self.slots[slot] = std::mem::replace(&mut now[place], *bit);
            stages.push((place, slot));
        }
        self.places[BYTE..].copy_from_slice(&now);
        Some((shuffle, stages))
    }
}

/// The bits of a lane at which `place` is 0, and how far above them those are at which it is 1.
pub(super) const fn exchange_mask(place: usize) -> ([u8; 16], usize) {
    let mut lower = [0u8; 16];
    let mut at = 0;
    while at < 128 {
        if at >> place & 1 == 0 {
            lower[at / 8] |= 1 << (at % 8);
        }
        at += 1;
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
