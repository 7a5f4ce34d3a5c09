//! Writing a chunk: its padding and its pieces.

use super::{BoxMoves, Kept};
use crate::bits;
use crate::chunk::{Cuttable, Piece};
use crate::kernels::{LINE, Mover, Stores, SwizzledParts, Swizzles, stream};
use crate::padding::PadLists;
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
        if elements.end - elements.start <= part {
            return self.run_part(work, src, &elements, dst, pad);
        }
        let part_bytes = (part / 8 * i64::from(self.widths.to)) as usize;
        let starts = (elements.start..elements.end).step_by(part as usize);
        for (start, dst) in starts.zip(dst.chunks_mut(part_bytes)) {
            self.run_part(work, src, &(start..elements.end.min(start + part)), dst, pad);
        }
    }

    /// Writes one chunk of an array of which sides are swizzled, by programs that read and write them as they are. Nothing is
    /// written, and `false` said, if that cannot be done of all its pieces.
    pub(crate) fn run_chunk_swizzled(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        chunk: usize,
        dst: &mut [u8],
        pad: u128,
        swizzles: Swizzles,
    ) -> bool {
        let elements = self.elements_of(&(chunk..chunk + 1));
        work.pieces.clear();
        self.cut(&self.within(&elements), &mut work.pieces);
        let n_elements = (elements.end - elements.start) as usize;
        let (is_dst, places) = (swizzles.dst.is_some(), (src.start, self.chunk_start(chunk)));
        // Slots of padding have changed places, too.
        let has_padding = is_dst && !self.is_filled(&work.pieces, n_elements);
        if has_padding || elements.end - elements.start > self.part_elements() {
            return false;
        }
        // Lines of the destination are lines in memory only then: chunks are whole lines.
        let is_on_line = (dst.as_ptr().addr() | places.1).is_multiple_of(LINE);
        let is_streamed = work.means.stores == Stores::Streamed;
        if is_streamed && self.is_spread && is_dst && !is_on_line {
            return false;
        }
        let is_staged = self.is_staged || self.needs.is_staged || is_dst && !is_on_line;
        let stores = if is_streamed && is_staged { Stores::Staged } else { work.means.stores };
        let first = self.within(&elements).start;
        let swizzled = SwizzledParts { swizzles, places };
        let each = |work: &mut Work, of: &mut dyn FnMut(&Mover, (i64, i64)) -> bool| {
            let Work { pieces, kept, .. } = work;
            self.nests_of(pieces).all(|(nest, piece)| {
                let mover = self.ready_or_kept(kept, nest, piece);
                of(mover, self.start_of(piece, src.start, first))
            })
        };
        let lens = (src.bytes.len(), dst.len());
        // Blocks of rows off a line come back to lines of the source that have to be there by then.
        let is_off_line = stores == Stores::Streamed && !is_on_line;
        let takes = |mover: &Mover, start| {
            mover.takes_at(start, lens, swizzled, stores)
                && !(is_off_line && mover.asks_in_vain(swizzles))
        };
        if !each(work, &mut |mover, start| takes(mover, start)) {
            return false;
        }
        let write = |work: &mut Work, dst: &mut [u8]| {
            self.fill(&mut work.padding, &work.pieces, &elements, dst, pad, stores);
            let are_moved = each(work, &mut |mover, start| {
                mover.run_swizzled(start, src.bytes, dst, swizzled, stores)
            });
            debug_assert!(are_moved, "what takes a piece moves it");
        };
        match is_streamed && is_staged {
            true => put_together(work, dst, &[], write, |_| {}),
            false => write(work, dst),
        }
        true
    }

    /// Writes some slots of a chunk, which are the bytes of `dst`, padding included.
    pub(super) fn run_part(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        elements: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
    ) {
        if work.means.stores == Stores::Streamed
            && let Some(rows) = self.write_overhanging(work, src, elements, dst)
        {
            let byte = |slot: i64| (slot - elements.start) as usize * self.widths.to as usize / 8;
            let (dst, last) = dst.split_at_mut(byte(rows.end));
            let (first, _) = dst.split_at_mut(byte(rows.start));
            for (slots, dst) in
                [(elements.start..rows.start, first), (rows.end..elements.end, last)]
            {
                if !slots.is_empty() {
                    self.run_part(work, src, &slots, dst, pad);
                }
            }
            return;
        }
        work.pieces.clear();
        self.cut(&self.within(elements), &mut work.pieces);
        let is_off_line = || !dst.as_ptr().addr().is_multiple_of(LINE);
        let is_staged = || self.is_staged || self.stages_off_lines() && is_off_line();
        match work.means.stores == Stores::Streamed && is_staged() {
            true => {
                let write = |work: &mut Work, dst: &mut [u8]| {
                    self.write(work, src, elements, dst, pad);
                };
                put_together(work, dst, src.bytes, write, |work| {
                    self.look_ahead(work, src, elements);
                });
            }
            false => self.write(work, src, elements, dst, pad),
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
        stores: Stores,
    ) {
        let elements = self.elements_of(&(chunk..chunk + 1));
        self.fill(lists, pieces, &elements, dst, pad, stores);
    }

    /// Finds out what is read of a part of the source after these slots of the destination, if that is about as much as is written:
    /// to ask for a third of it, or for twice as much, took up to 1.2 times as long as not to.
    fn look_ahead(&self, work: &mut Work, src: SourcePart<'_>, elements: &Range<i64>) {
        let Work { ahead, pieces, loops, .. } = work;
        pieces.clear();
        self.cut(&self.within(&self.elements_after(elements)), pieces);
        let read: i64 = self.nests_of(pieces).map(|(nest, piece)| nest.elements(piece)).sum();
        let written = (elements.end - elements.start).saturating_mul(self.widths.to.into());
        if !(written / 4 * 3..=written / 2 * 3).contains(&read.saturating_mul(self.slots.src)) {
            return;
        }
        let within = src.start..src.start.saturating_add(src.bytes.len());
        for of in self.nests_of(pieces) {
            ahead.add(of, self.slots.src, &within, loops);
        }
    }

    /// The slots that are written after these, which are a chunk or a part of one, where one thread writes all chunks.
    fn elements_after(&self, elements: &Range<i64>) -> Range<i64> {
        let len = elements.end - elements.start;
        let start = match &self.order {
            Some(order) if elements.end % self.chunk_elements == 0 => {
                let chunk = (elements.end / self.chunk_elements - 1) as usize;
                order.after(chunk).map_or(self.allocation, |next| next as i64 * self.chunk_elements)
            }
            _ => elements.end,
        };
        start..start.saturating_add(len).min(self.allocation)
    }

    /// Writes the pieces of these slots, and padding.
    fn write(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        elements: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
    ) {
        let stores = work.means.stores;
        self.fill(&mut work.padding, &work.pieces, elements, dst, pad, stores);
        let first = self.within(elements).start;
        let Work { pieces, loops, means, kept, .. } = work;
        for (nest, piece) in self.nests_of(pieces) {
            let start = self.start_of(piece, src.start, first);
            let mover = self.ready_or_kept(kept, nest, piece);
            mover.run(start, src.bytes, dst, *means, loops);
        }
        if let Some(beyond) = &self.beyond {
            beyond.fill(elements, dst, pad, Stores::Cached, &mut work.padding);
        }
    }

    /// What moves a piece: prepared with the plan, or kept by the thread.
    fn ready_or_kept<'m>(
        &'m self,
        kept: &'m mut Kept,
        nest: &Cuttable,
        piece: &Piece,
    ) -> &'m Mover {
        self.prepared_for(piece).unwrap_or_else(|| {
            kept.mover(self.number, self.alike(piece), || self.mover(nest, piece))
        })
    }

    /// Fills the slots of these that no piece has.
    fn fill(
        &self,
        lists: &mut PadLists,
        pieces: &[Piece],
        elements: &Range<i64>,
        dst: &mut [u8],
        pad: u128,
        stores: Stores,
    ) {
        let n_elements = (elements.end - elements.start) as usize;
        match &self.padding {
            _ if self.is_filled(pieces, n_elements) => {
                // What is left of the last byte is zero.
                if n_elements as i64 * i64::from(self.widths.to) % 8 != 0 {
                    bits::clear_last(dst);
                }
            }
            Some(padding) => padding.fill(elements, dst, pad, stores, lists),
            None => bits::fill(dst, pad, self.widths.to, n_elements),
        }
    }
}

/// Has a chunk written into the caches, and streams it from there, while what was found to be read next of a part of the source is
/// asked for.
fn put_together(
    work: &mut Work,
    dst: &mut [u8],
    src: &[u8],
    write: impl FnOnce(&mut Work, &mut [u8]),
    look_ahead: impl FnOnce(&mut Work),
) {
    let means = work.means;
    work.means.stores = Stores::Staged;
    let mut stage = std::mem::take(&mut work.stage);
    let chunk = as_on_lines(&mut stage, dst);
    write(work, chunk);
    work.ahead.clear();
    look_ahead(work);
    stream(means.level, chunk, dst, (src, work.ahead.rows()));
    work.stage = stage;
    work.means = means;
}

/// As many bytes of a buffer as a destination has, which begin in a cache line where that does.
fn as_on_lines<'b>(buffer: &'b mut Vec<u8>, dst: &[u8]) -> &'b mut [u8] {
    let buffer = grown(buffer, dst.len() + LINE);
    let on_line = |bytes: &[u8]| bytes.as_ptr().addr() % LINE;
    let start = (LINE + on_line(dst) - on_line(buffer)) % LINE;
    buffer.get_mut(start..start + dst.len()).unwrap_or_default()
}
