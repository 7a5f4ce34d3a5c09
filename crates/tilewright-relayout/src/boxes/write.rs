//! Writing a chunk: its padding, and its pieces in units or element by element.

use super::prepared::Moving;
use super::{BoxMoves, MAX_SPREAD, Steps};
use crate::bits;
use crate::chunk::{Cuttable, Piece};
use crate::kernels::{Level, Means, Stores, move_box};
use crate::nest::{Loop, Nest, walk};
use crate::packed::{self, Folded};
use crate::padding::PadLists;
use crate::widths::Widths;
use crate::work::{SourcePart, Work, grown};
use std::ops::Range;

impl BoxMoves {
    /// Writes one chunk: all its bytes, padding included.
    pub(crate) fn run_chunk(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        chunk: usize,
        dst: &mut [u8],
        pad: u128,
    ) {
        if work.means.stores == Stores::Cached
            && let Some(ready) = self.ready.get(chunk)
        {
            return ready.run(&self.movers, self.level, src, dst, pad, self.widths.to);
        }
        let elements = self.elements_of(&(chunk..chunk + 1));
        let part = self.part_elements();
        if elements.end - elements.start <= part || self.is_ready(&elements, src, work) {
            return self.run_part(work, src, elements, dst, pad);
        }
        let part_bytes = (part / 8 * i64::from(self.widths.to)) as usize;
        let starts = (elements.start..elements.end).step_by(part as usize);
        for (start, dst) in starts.zip(dst.chunks_mut(part_bytes)) {
            self.run_part(work, src, start..elements.end.min(start + part), dst, pad);
        }
    }

    /// Whether what moves every piece of some elements below a byte has been made ready, so that it
    /// takes no memory in proportion to them.
    fn is_ready(&self, elements: &Range<i64>, src: SourcePart<'_>, work: &mut Work) -> bool {
        if !self.moves_rows {
            return false;
        }
        work.pieces.clear();
        let within = self.within(elements);
        self.cut(&within, &mut work.pieces);
        let slots = self.slots();
        let folded = self.packed_boxes(work, src, within.start);
        if folded.is_some_and(|boxes| boxes.iter().all(Folded::is_quick)) {
            // These go by way of a stage as large as they are.
            return false;
        }
        work.pieces.iter().all(|piece| {
            let starts = [
                piece.src * slots.src - src.start as i64 * 8,
                (piece.dst - within.start) * slots.dst,
            ];
            let are_bytes = starts.iter().all(|start| start % 8 == 0);
            are_bytes && self.prepared_for(piece).is_some() || self.rows_for(piece).is_some()
        })
    }

    /// Writes some slots of a chunk, which are the bytes of `dst`, padding included.
    fn run_part(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        elements: Range<i64>,
        dst: &mut [u8],
        pad: u128,
    ) {
        let within = self.within(&elements);
        work.pieces.clear();
        self.cut(&within, &mut work.pieces);
        let n_elements = (elements.end - elements.start) as usize;
        let boxes = self.packed_boxes(work, src, within.start);
        let are_quick = boxes.as_ref().is_some_and(|boxes| boxes.iter().all(Folded::is_quick));
        if self.steps == Steps::Elements
            && !are_quick
            && self.write_bits(work, src, within.start, n_elements, dst, pad)
        {
            return;
        }
        if let Some(boxes) = boxes {
            return staged(work, dst, |work, dst| {
                self.write_folded(&boxes, work, src, n_elements, dst, pad);
            });
        }
        match self.steps {
            Steps::Units(bits) if self.is_staged && work.means.stores == Stores::Streamed => {
                staged(work, dst, |work, dst| {
                    self.write_units(work, src, &elements, dst, pad, bits);
                });
            }
            Steps::Units(bits) => self.write_units(work, src, &elements, dst, pad, bits),
            Steps::Elements if self.widths.fit_bytes() => {
                let is_filled = self.is_filled(&work.pieces, n_elements, self.widths.to.into());
                let pad = (!is_filled).then_some(pad as u8);
                self.move_as_bytes(work, src, &within, dst, pad);
            }
            Steps::Elements => self.move_wide(work, src, &within, dst, pad),
        }
    }

    /// Fills what none of the pieces of a chunk, which are all that lies in it, have.
    pub(crate) fn fill_chunk(
        &self,
        lists: &mut PadLists,
        pieces: &[Piece],
        chunk: usize,
        dst: &mut [u8],
        pad: u128,
    ) {
        self.fill(lists, pieces, &self.elements_of(&(chunk..chunk + 1)), dst, pad);
    }

    /// The pieces as boxes counted from the beginnings of the source's part and of the chunk, where
    /// one side is packed and all of them are of whole bytes there.
    fn packed_boxes(
        &self,
        work: &Work,
        src: SourcePart<'_>,
        first_dst: i64,
    ) -> Option<Vec<Folded>> {
        let packed = self.packed?;
        let first_src = packed.source_elements(src.start);
        let folded = |(nest, piece): (&Cuttable, &Piece)| {
            let loops = nest.loops(piece).filter(|l| l.extent != 1).collect();
            packed.folded(&Nest { src: piece.src - first_src, dst: piece.dst - first_dst, loops })
        };
        self.nests_of(&work.pieces).map(folded).collect()
    }

    /// Writes a chunk by programs of bits, if all pieces are of whole bytes. Says whether they are.
    fn write_bits(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        first_dst: i64,
        n_elements: usize,
        dst: &mut [u8],
        pad: u128,
    ) -> bool {
        let slots = self.slots();
        if !self.is_filled(&work.pieces, n_elements, slots.dst) {
            bits::fill(dst, pad, self.widths.to, n_elements);
        } else if let Some(last) = dst.last_mut() {
            // What is left of it is zero.
            *last = 0;
        }
        let Work { pieces, loops, elements, unpacked, means, .. } = work;
        self.nests_of(pieces).all(|(nest, piece)| {
            let start =
                (piece.src * slots.src - src.start as i64 * 8, (piece.dst - first_dst) * slots.dst);
            let are_bytes = start.0 % 8 == 0 && start.1 % 8 == 0;
            let at = (start.0 / 8, start.1 / 8);
            if let Some(mover) = self.prepared_for(piece).filter(|_| are_bytes) {
                mover.run(at, src.bytes, dst, *means, loops);
                return true;
            }
            let stages = [&mut *elements, &mut *unpacked];
            if let Some(rows) = self.rows_for(piece) {
                rows.run(start, src.bytes, dst, means.level, stages);
                return true;
            }
            let moving = match are_bytes {
                true => self.moving(nest, piece),
                false => self.bit_rows(nest, piece).map(Moving::Rows),
            };
            match moving {
                Some(Moving::Program(mover)) => mover.run(at, src.bytes, dst, *means, loops),
                Some(Moving::Rows(rows)) => rows.run(start, src.bytes, dst, means.level, stages),
                None => return false,
            }
            true
        })
    }

    /// Writes a chunk from boxes of whole bytes.
    fn write_folded(
        &self,
        boxes: &[Folded],
        work: &mut Work,
        src: SourcePart<'_>,
        n_elements: usize,
        dst: &mut [u8],
        pad: u128,
    ) {
        if !self.is_filled(&work.pieces, n_elements, self.widths.to.into()) {
            bits::fill(dst, pad, self.widths.to, n_elements);
        }
        for folded in boxes {
            folded.run(src.bytes, dst, &mut work.folds, work.means);
        }
    }

    /// Writes a chunk, its slots `elements`, in units of whole bytes.
    fn write_units(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        elements: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
        unit_bits: i64,
    ) {
        self.fill(&mut work.padding, &work.pieces, elements, dst, pad);
        let first = self.within(elements).start;
        self.move_pieces(work, src, first, dst, (unit_bits / 8) as usize, work.means);
    }

    /// Fills the slots of these that no piece has, where pieces are counted in whole units.
    fn fill(
        &self,
        lists: &mut PadLists,
        pieces: &[Piece],
        elements: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
    ) {
        let n_elements = (elements.end - elements.start) as usize;
        let unit_bits = self.unit_bytes().unwrap_or(1) * 8;
        match &self.padding {
            _ if self.is_filled(pieces, n_elements, unit_bits) => {}
            Some(padding) => padding.fill(elements, dst, pad, lists),
            None => bits::fill(dst, pad, self.widths.to, n_elements),
        }
    }

    /// Moves the pieces as units of `unit` bytes, of which `dst` begins with number `first_dst`.
    fn move_pieces(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        first_dst: i64,
        dst: &mut [u8],
        unit: usize,
        means: Means,
    ) {
        for (nest, piece) in self.nests_of(&work.pieces) {
            let bytes = |place: i64| place * unit as i64;
            let start = (bytes(piece.src) - src.start as i64, bytes(piece.dst - first_dst));
            if let Some(mover) = self.prepared_for(piece).filter(|mover| mover.is_of(unit)) {
                mover.run(start, src.bytes, dst, means, &mut work.loops);
                continue;
            }
            work.loops.clear();
            work.loops.extend(nest.loops(piece));
            move_box(&work.loops, unit, start, src.bytes, dst, means);
        }
    }

    /// Writes a chunk of elements of at most 8 bits on both sides. `pad` is what to fill it with
    /// first, if it has padding.
    fn move_as_bytes(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        within: &Range<i64>,
        dst: &mut [u8],
        pad: Option<u8>,
    ) {
        if self.widths.to == 8 {
            return self.gather_bytes(work, src, within.start, dst, pad);
        }
        let mut elements = std::mem::take(&mut work.elements);
        let chunk = grown(&mut elements, (within.end - within.start) as usize);
        self.gather_bytes(work, src, within.start, chunk, pad);
        packed::pack(work.means.level, chunk, self.widths.to, dst);
        work.elements = elements;
    }

    /// Puts the pieces into place as one byte per element.
    fn gather_bytes(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        first_dst: i64,
        out: &mut [u8],
        pad: Option<u8>,
    ) {
        if let Some(pad) = pad {
            out.fill(pad);
        }
        // What is staged is read again at once.
        let means = Means { stores: Stores::Cached, ..work.means };
        if self.widths.are_bytes_already() {
            return self.move_pieces(work, src, first_dst, out, 1, means);
        }
        let Some(span) = self.span(&work.pieces) else { return };
        let n_spanned = span.end - span.start;
        if n_spanned > MAX_SPREAD.saturating_mul(out.len() as i64) {
            return self.gather(work, first_dst, out, |slot| self.element_at(src, slot) as u8);
        }
        let mut unpacked = std::mem::take(&mut work.unpacked);
        let bytes = grown(&mut unpacked, n_spanned as usize);
        self.unpack(work.means.level, src, span.start, bytes);
        let part = SourcePart { bytes, start: span.start as usize };
        self.move_pieces(work, part, first_dst, out, 1, means);
        work.unpacked = unpacked;
    }

    /// Unpacks source elements from slot `first` on.
    fn unpack(&self, level: Level, src: SourcePart<'_>, first: i64, bytes: &mut [u8]) {
        let Widths { from, value, .. } = self.widths;
        packed::unpack(level, src.bytes, src.place_of(first * i64::from(from)), from, bytes);
        if value < from {
            let mask = bits::mask(value) as u8;
            bytes.iter_mut().for_each(|byte| *byte &= mask);
        }
    }

    /// Writes a chunk of elements of which either side has more than 8 bits.
    fn move_wide(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        within: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
    ) {
        let mut wide = std::mem::take(&mut work.wide);
        let chunk = grown(&mut wide, (within.end - within.start) as usize);
        chunk.fill(pad);
        self.gather(work, within.start, chunk, |slot| self.element_at(src, slot));
        bits::pack_stream(chunk.iter().copied(), self.widths.to, dst);
        work.wide = wide;
    }

    /// Puts the pieces into place one by one, each read by its source slot.
    fn gather<T>(&self, work: &mut Work, first_dst: i64, out: &mut [T], read: impl Fn(i64) -> T) {
        for (nest, piece) in self.nests_of(&work.pieces) {
            work.loops.clear();
            work.loops.extend(nest.loops(piece));
            walk(&work.loops, (piece.src, piece.dst - first_dst), &mut |(slot, place)| {
                if let Some(place) = out.get_mut(place as usize) {
                    *place = read(slot);
                }
            });
        }
    }

    fn element_at(&self, src: SourcePart<'_>, slot: i64) -> u128 {
        let Widths { from, value, .. } = self.widths;
        bits::read(src.bytes, src.place_of(slot * i64::from(from)), value)
    }
}

/// Has a chunk written into the caches and streams it from there, if it is to be streamed.
fn staged(work: &mut Work, dst: &mut [u8], write: impl FnOnce(&mut Work, &mut [u8])) {
    let means = work.means;
    if means.stores != Stores::Streamed {
        return write(work, dst);
    }
    work.means.stores = Stores::Staged;
    let mut stage = std::mem::take(&mut work.stage);
    let chunk = on_a_line(&mut stage, dst.len());
    write(work, chunk);
    stream(chunk, dst, means);
    work.stage = stage;
    work.means = means;
}

/// `len` bytes of a buffer from the beginning of a cache line on.
fn on_a_line(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    let buffer = grown(buffer, len + 64);
    let start = buffer.as_ptr().align_offset(64).min(64);
    buffer.get_mut(start..start + len).unwrap_or_default()
}

/// Copies a chunk that has been put together.
fn stream(from: &[u8], to: &mut [u8], means: Means) {
    let run = Loop { extent: from.len() as i64, src: 1, dst: 1 };
    move_box(&[run], 1, (0, 0), from, to, means);
}
