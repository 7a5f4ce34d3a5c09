//! Writing rows that [overhang](crate::overhang) past the caches, where all pieces in a range of rows are moved so.

use super::kept::Number;
use super::prepared::{Prepared, number_for};
use super::{BoxMoves, Kept};
use crate::chunk::{Cuttable, Form, Piece};
use crate::kernels::{Level, Mover};
use crate::nest::Loop;
use crate::overhang::Overhang;
use crate::work::{SourcePart, Work};
use std::ops::Range;

/// The most pieces that are prepared with the plan.
const MAX_MOVERS: usize = 8;

/// The rows, and what moves them.
#[derive(Clone, Debug)]
pub(super) struct Overhanging {
    boxes: Vec<Cuttable>,
    /// By which threads know what they keep for these.
    number: Number,
    /// The slots of a row in the destination, and of what is moved of it.
    row: i64,
    wide: i64,
    /// The bytes of a slot.
    unit: usize,
    movers: Prepared,
    level: Level,
}

impl Overhanging {
    /// Of slots of so many bytes.
    pub(super) fn new(Overhang { boxes, wide, row }: Overhang, unit: usize) -> Self {
        let boxes = boxes.into_iter().map(Cuttable::new).collect();
        let (number, level) = (Number::next(), Level::best());
        Overhanging { boxes, number, row, wide, unit, movers: Vec::new(), level }
    }

    /// The slots of whole rows in a range of slots.
    pub(super) fn within(&self, slots: &Range<i64>) -> Range<i64> {
        let first = (slots.start + self.row - 1) / self.row * self.row;
        first..(slots.end / self.row * self.row).max(first)
    }

    /// The slots that are moved in vain.
    pub(super) fn in_vain(&self) -> i64 {
        let moved: i64 = self.boxes.iter().map(|nest| nest.nest().elements()).sum();
        moved / self.wide * (self.wide - self.row)
    }

    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let boxes = self.boxes.iter().map(Cuttable::held_bytes).sum::<usize>();
        let movers = self.movers.iter().map(|(_, mover)| mover.held_bytes()).sum::<usize>();
        self.boxes.capacity() * size_of::<Cuttable>()
            + self.movers.capacity() * size_of::<((Form, bool), Mover)>()
            + boxes
            + movers
    }

    /// The most pieces in a range of so many slots.
    pub(super) fn most_pieces(&self, slots: i64) -> i64 {
        let slots = slots / self.row * self.wide;
        let pieces = self.boxes.iter().map(|nest| nest.most_pieces(slots));
        pieces.fold(0, i64::saturating_add)
    }

    /// Makes ready what moves the pieces of whole rows in these ranges of slots. Says whether all of them are moved so.
    pub(super) fn prepare(&mut self, ranges: impl Iterator<Item = Range<i64>>) -> bool {
        self.movers.clear();
        let mut pieces = Vec::new();
        for slots in ranges {
            pieces.clear();
            self.cut(&self.within(&slots), &mut pieces);
            for piece in &pieces {
                if self.movers.len() < MAX_MOVERS && self.prepared_for(piece).is_none() {
                    let Some(mover) = self.mover(piece) else { return false };
                    self.movers.push((form(piece), mover));
                }
            }
        }
        true
    }

    /// The source bytes from the first to the last that whole rows in a range of slots are moved from.
    pub(super) fn source_span(&self, slots: &Range<i64>) -> Option<Range<usize>> {
        let mut pieces = Vec::new();
        self.cut(&self.within(slots), &mut pieces);
        let spans = pieces.iter().filter_map(|piece| {
            let span = self.boxes.get(piece.nest)?.source_span(piece);
            Some(span.start as usize * self.unit..span.end as usize * self.unit)
        });
        spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
    }

    fn cut(&self, slots: &Range<i64>, pieces: &mut Vec<Piece>) {
        let widened = |slot: i64| slot / self.row * self.wide;
        let within = widened(slots.start)..widened(slots.end);
        for (number, nest) in self.boxes.iter().enumerate() {
            nest.cut(number, &within, pieces);
        }
    }

    fn prepared_for(&self, piece: &Piece) -> Option<&Mover> {
        number_for(&self.movers, form(piece)).map(|number| &self.movers[number].1)
    }

    fn mover(&self, piece: &Piece) -> Option<Mover> {
        let Self { row, wide, .. } = *self;
        let of_rows = |l: Loop| match l.dst >= wide {
            true => Loop { dst: l.dst / wide * row, ..l },
            false => l,
        };
        let loops: Vec<Loop> = self.boxes.get(piece.nest)?.loops(piece).map(of_rows).collect();
        Mover::overhanging(&loops, self.unit, row, self.level)
    }

    /// Writes whole rows, which are the slots of `dst`, from a part of the source. Nothing is written, and `false` said, if there is a
    /// piece that is not moved so, or not from what is there.
    fn write(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        slots: &Range<i64>,
        dst: &mut [u8],
    ) -> bool {
        let Work { pieces, kept, means, loops, .. } = work;
        pieces.clear();
        self.cut(slots, pieces);
        let lens = (src.bytes.len(), dst.len());
        let start = |piece: &Piece| {
            let bits = 8 * self.unit as i64;
            let to = piece.dst / self.wide * self.row - slots.start;
            (piece.src * bits - src.start as i64 * 8, to * bits)
        };
        let mut are_moved = |of: &mut dyn FnMut(&Mover, (i64, i64)) -> bool| {
            pieces.iter().all(|piece| {
                let mover = self.ready_or_kept(kept, piece);
                mover.is_some_and(|mover| of(mover, start(piece)))
            })
        };
        are_moved(&mut |mover, start| mover.is_moved_at(start, lens.0, lens.1))
            && are_moved(&mut |mover, start| {
                mover.run(start, src.bytes, dst, *means, loops);
                true
            })
    }

    /// What moves a piece: prepared with the plan, or kept by the thread.
    fn ready_or_kept<'m>(&'m self, kept: &'m mut Kept, piece: &Piece) -> Option<&'m Mover> {
        if let Some(mover) = self.prepared_for(piece) {
            return Some(mover);
        }
        kept.mover_if(self.number, form(piece), || self.mover(piece))
    }
}

impl BoxMoves {
    /// Has what is streamed moved in rows that overhang, if all of a chunk in the middle is.
    pub(super) fn overhangs(&mut self, overhang: Overhang) -> bool {
        let mut overhanging = Overhanging::new(overhang, self.widths.to as usize / 8);
        let chunk = usize::from(self.n_chunks() > 2);
        let is_moved = overhanging.prepare([self.elements_of(&(chunk..chunk + 1))].into_iter());
        self.overhanging = is_moved.then_some(overhanging);
        is_moved
    }

    /// Makes ready what moves the rows of the first chunks and of the last.
    pub(super) fn prepare_overhanging(&mut self) {
        let Some(mut overhanging) = self.overhanging.take() else { return };
        let n = self.n_chunks();
        let chunks = [0, 1, n.saturating_sub(1)].into_iter().filter(|&chunk| chunk < n);
        overhanging.prepare(chunks.map(|chunk| self.elements_of(&(chunk..chunk + 1))));
        self.overhanging = Some(overhanging);
    }

    /// The slots that are moved in vain, and written over.
    pub(crate) fn overwritten_slots(&self) -> i64 {
        self.overhanging.as_ref().map_or(0, Overhanging::in_vain)
    }

    /// Writes whole rows in these slots of the destination, which are the bytes of `dst`, if they overhang and all is there that is
    /// read for them: which they are.
    pub(super) fn write_overhanging(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        slots: &Range<i64>,
        dst: &mut [u8],
    ) -> Option<Range<i64>> {
        let overhanging = self.overhanging.as_ref()?;
        let rows = overhanging.within(slots);
        let byte = |slot: i64| (slot - slots.start) as usize * overhanging.unit;
        let dst = dst.get_mut(byte(rows.start)..byte(rows.end))?;
        (!rows.is_empty() && overhanging.write(work, src, &rows, dst)).then_some(rows)
    }
}

/// What pieces that are moved alike have in common: all begin at bytes.
fn form(piece: &Piece) -> (Form, bool) {
    (piece.form(), true)
}
