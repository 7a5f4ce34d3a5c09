//! Chunks that are moved straight from the plan: nothing is cut, looked up or listed for them.

use crate::bits;
use crate::boxes::Movers;
use crate::kernels::{Level, Means, Stores};
use crate::padding::Comb;
use crate::work::SourcePart;

/// What writes all of a chunk that goes into the caches.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    fill: Fill,
    moves: Vec<Move>,
    /// The padding that was moved too, and what it is filled from.
    beyond: Vec<(usize, Comb)>,
}

/// What is filled before elements are moved.
#[derive(Clone, Debug)]
pub(crate) enum Fill {
    /// Nothing: there is an element in every slot.
    Nothing,
    /// What is left of the last byte, behind the last slot: zeros.
    Rest,
    /// All of the chunk, this many slots.
    All(usize),
    /// Some of its bytes, from where in the chunk on.
    Places(Vec<(usize, Comb)>),
}

/// A box of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    /// The number of what moves it.
    pub(crate) mover: usize,
    /// The bit of the source and the bit of the chunk that it begins at.
    pub(crate) start: (i64, i64),
}

impl Ready {
    pub(crate) fn new(fill: Fill, moves: Vec<Move>, beyond: Vec<(usize, Comb)>) -> Self {
        Ready { fill, moves, beyond }
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let filled = match &self.fill {
            Fill::Places(places) => places.capacity(),
            Fill::Nothing | Fill::Rest | Fill::All(_) => 0,
        };
        let places = (filled + self.beyond.capacity()) * size_of::<(usize, Comb)>();
        self.moves.capacity() * size_of::<Move>() + places
    }

    /// Writes the chunk, in slots of `width` bits, by movers of the same plan.
    pub(crate) fn run(
        &self,
        movers: &Movers,
        level: Level,
        src: SourcePart<'_>,
        dst: &mut [u8],
        pad: u128,
        width: u32,
    ) {
        match &self.fill {
            Fill::Nothing => {}
            Fill::Rest => bits::clear_last(dst),
            Fill::All(slots) => bits::fill(dst, pad, width, *slots),
            Fill::Places(places) => fill_places(places, dst, pad, width),
        }
        let means = Means { level, stores: Stores::Cached };
        for Move { mover, start: (from, to) } in &self.moves {
            let start = (from - src.start as i64 * 8, *to);
            movers[*mover].run(start, src.bytes, dst, means, &mut Vec::new());
        }
        fill_places(&self.beyond, dst, pad, width);
    }
}

fn fill_places(places: &[(usize, Comb)], dst: &mut [u8], pad: u128, width: u32) {
    let period = pad.to_le_bytes();
    let period = period.get(..width as usize / 8).unwrap_or_default();
    // Mostly they are all alike.
    for alike in places.chunk_by(|(_, a), (_, b)| a == b) {
        let Some((_, comb)) = alike.first() else { continue };
        let teeth = comb.teeth(period);
        alike.iter().for_each(|(start, _)| teeth.fill(*start, dst));
    }
}
