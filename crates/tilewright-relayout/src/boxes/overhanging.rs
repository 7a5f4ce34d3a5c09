//! Writing rows that [overhang](crate::overhang) past the caches, where all pieces in a range of rows are moved so.

use super::kept::Number;
use super::movers::{Alike, Movers};
use super::{BoxMoves, Kept};
use crate::chunk::{Cuttable, Piece};
use crate::kernels::{Begin, Level, Mover};
use crate::nest::Loop;
use crate::overhang::Overhang;
use crate::work::{SourcePart, Work};
use std::ops::Range;

/// The most pieces that are prepared with the plan.
const MAX_MOVERS: usize = 32;

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
    movers: Movers,
    level: Level,
}

impl Overhanging {
    /// Of slots of so many bytes.
    pub(super) fn new(Overhang { boxes, wide, row }: Overhang, unit: usize) -> Self {
        let boxes = boxes.into_iter().map(Cuttable::new).collect();
        let (number, level) = (Number::next(), Level::best());
        Overhanging { boxes, number, row, wide, unit, movers: Movers::default(), level }
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
        self.boxes.capacity() * size_of::<Cuttable>() + boxes + self.movers.held_bytes()
    }

    /// The most pieces in a range of so many slots.
    pub(super) fn most_pieces(&self, slots: i64) -> i64 {
        let slots = slots / self.row * self.wide;
        let pieces = self.boxes.iter().map(|nest| nest.most_pieces(slots));
        pieces.fold(0, i64::saturating_add)
    }

    /// Makes ready what moves the pieces of whole rows in a range of slots, of what is known or anew, if there are such, not too many,
    /// and all are moved so. Says whether they are.
    fn prepare(&mut self, slots: &Range<i64>, known: &mut Movers) -> bool {
        let mut pieces = Vec::new();
        self.cut(&self.within(slots), &mut pieces);
        let are_moved = pieces.iter().all(|piece| {
            if self.prepared_for(piece).is_some() {
                return true;
            }
            let may_be_made = self.movers.len() < MAX_MOVERS;
            let made = || if may_be_made { self.mover(piece) } else { None };
            let Some(mover) = known.take(alike(piece)).or_else(made) else { return false };
            self.movers.push(alike(piece), mover);
            true
        });
        are_moved && !pieces.is_empty()
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
        self.movers.get_for(alike(piece))
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
        kept.mover_if(self.number, alike(piece), || self.mover(piece))
    }
}

impl BoxMoves {
    /// Has what is streamed moved in rows that overhang, if all of the second chunk is.
    pub(super) fn overhangs(&mut self, overhang: Overhang) -> bool {
        self.overhanging = Some(Overhanging::new(overhang, self.widths.to as usize / 8));
        self.prepare_overhanging();
        self.overhanging.is_some()
    }

    /// Makes ready what moves the rows of the second chunk, of the first and of the last, and forgets what moves others. They are not
    /// moved so where those of the second are not, or it has no whole rows.
    pub(super) fn prepare_overhanging(&mut self) {
        let Some(mut overhanging) = self.overhanging.take() else { return };
        let last = self.n_chunks().saturating_sub(1);
        let [first, second, last] =
            [0, 1.min(last), last].map(|chunk| self.elements_of(&(chunk..chunk + 1)));
        let mut known = std::mem::take(&mut overhanging.movers);
        if overhanging.prepare(&second, &mut known) {
            overhanging.prepare(&first, &mut known);
            overhanging.prepare(&last, &mut known);
            self.overhanging = Some(overhanging);
        }
    }

    /// The slots beyond the ends of rows, which are moved with them.
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
fn alike(piece: &Piece) -> Alike {
    Alike { form: piece.form(), begin: Begin::Bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::Counted;
    use crate::kernels::{Means, Stores};
    use crate::refine::{described as map, refine};
    use crate::widths::Widths;

    /// An array of bytes and what moves it: the source, what the destination has to be, and the moves.
    fn moved(from: &str, to: &str) -> (Vec<u8>, Vec<u8>, BoxMoves) {
        let (from, to) = (map(from), map(to));
        let src: Vec<u8> = (0..from.allocation()).map(|i| (i * 167 + i / 251) as u8).collect();
        let mut expected = vec![0; to.allocation() as usize];
        for (from, to) in from.offsets().unwrap().into_iter().zip(to.offsets().unwrap()) {
            expected[to as usize] = src[from as usize];
        }
        let widths = Widths { value: 8, from: 8, to: 8 };
        let mut refined = refine(&from, &to, true).unwrap();
        refined.overhang = Overhang::of(&from, &to, &refined, widths);
        assert!(refined.overhang.is_some(), "it overhangs");
        (src, expected, BoxMoves::new(Counted::of(refined, widths), &to))
    }

    const FROM: &str = "u8[3,61,50003,1] nChw8c";
    const TO: &str = "u8[3,61,50003,1] nhwc";

    /// What is written of slots from so many on, from a part of the source, past the caches; and whether rows overhang.
    fn written(moves: &BoxMoves, slots: &Range<i64>, src: SourcePart<'_>) -> (Vec<u8>, bool) {
        let means = Means { level: Level::best(), stores: Stores::Streamed };
        let mut work = Work::new(means);
        let mut dst = vec![0xee; (slots.end - slots.start) as usize];
        let rows = moves.write_overhanging(&mut work, src, slots, &mut dst);
        let rows =
            rows.map(|rows| (rows.start - slots.start) as usize..(rows.end - slots.start) as usize);
        // Nothing else is written with them.
        let is_row = |slot: usize| rows.as_ref().is_some_and(|rows| rows.contains(&slot));
        assert!(dst.iter().enumerate().all(|(slot, &byte)| is_row(slot) || byte == 0xee));
        dst.fill(0xee);
        moves.run_part(&mut work, src, slots, &mut dst, 0);
        (dst, rows.is_some())
    }

    /// Slots that begin and end within rows, with whole rows between them or without.
    #[test]
    fn parts_of_rows_at_both_ends() {
        if cfg!(miri) {
            return;
        }
        let (src, expected, moves) = moved(FROM, TO);
        assert_eq!(moves.overwritten_slots(), 3 * 3 * 50_003);
        let src = SourcePart { bytes: &src, start: 0 };
        // The second image begins in the middle of these.
        let (row, image) = (61, 61 * 50_003);
        for (start, len, overhangs) in [
            (0, 100 * row, true),
            (5, 100 * row, true),
            (60, 99 * row + 2, true),
            (7 * row + 1, 300 * row - 3, true),
            (image - 40 * row - 3, 90 * row + 7, true),
            (9 * row + 4, row - 5, false),
            (9 * row + 4, row + 30, false),
        ] {
            let slots = start..start + len;
            let (dst, is_so) = written(&moves, &slots, src);
            assert!(dst == expected[start as usize..][..len as usize], "{slots:?}");
            assert_eq!(is_so, overhangs, "{slots:?}");
        }
    }

    /// A chunk needs no more of the source than is said; where padding beyond its rows is not there, it is moved otherwise.
    #[test]
    fn parts_of_the_source() {
        if cfg!(miri) {
            return;
        }
        let (src, expected, moves) = moved(FROM, TO);
        let n = moves.n_chunks();
        assert!(n > 8, "{n}");
        for chunk in [0, 1, n / 2, n - 1] {
            let (slots, span) =
                (moves.elements_of(&(chunk..chunk + 1)), moves.source_span(&(chunk..chunk + 1)));
            let part = SourcePart { bytes: &src[span.clone()], start: span.start };
            let (dst, overhangs) = written(&moves, &slots, part);
            assert!(
                overhangs && dst == expected[slots.start as usize..slots.end as usize],
                "{chunk}"
            );
            // The last block of the last pixel ends with three of padding.
            let part = SourcePart { bytes: &part.bytes[..part.bytes.len() - 1], ..part };
            let (dst, overhangs) = written(&moves, &slots, part);
            assert!(
                !overhangs && dst == expected[slots.start as usize..slots.end as usize],
                "{chunk}"
            );
        }
    }

    /// Chunks that are shorter than rows have none.
    #[test]
    fn chunks_of_parts_of_rows() {
        if cfg!(miri) {
            return;
        }
        let (_, _, moves) = moved("u8[9000,1023]{1,0:T(8,128)(4,1)}", "u8[9000,1023]");
        assert!(moves.overwritten_slots() > 0);
        assert_eq!(moves.with_chunks_of(300).overwritten_slots(), 0);
        // However often they are cut again, only what moves the last of them is kept.
        let (_, _, mut moves) = moved(FROM, TO);
        let held = moves.held_bytes();
        for rows in 1..40 {
            moves = moves.with_chunks_of(61_000 * rows);
            assert!(moves.overwritten_slots() > 0 && moves.held_bytes() < 2 * held, "{rows}");
        }
    }
}
