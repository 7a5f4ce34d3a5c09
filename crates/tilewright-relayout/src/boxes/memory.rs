//! How much memory the moves have, and take to write a chunk.

use super::overhanging::Overhanging;
use super::{BoxMoves, Kept};
use crate::ahead::Ahead;
use crate::chunk::{Cuttable, Piece};
use crate::kernels::Mover;
use crate::nest::Loop;
use crate::padding::Padding;
use crate::ready::Ready;

/// Chunks for which memory is needed beside them, in proportion to their length, are written in
/// parts of at most so many bytes, which chunks of the plan's own choice never have.
const MAX_PART_BYTES: i64 = 64 << 20;

/// The most bytes of a chunk that is put together in the caches where it begins off a line alone.
const MOST_STAGED_OFF_LINES: i64 = 4 << 20;

/// Parts are a multiple of so many slots: whole lines, whatever the width of a slot.
const PART_SLOTS: i64 = 512;

/// A list that grows has room for up to twice as much as it holds, and there are two while it is
/// copied.
const GROWTH: usize = 3;

/// The bytes of all lists whose length is that of a list of loops.
const SMALL_LISTS: i64 = 32 << 10;

/// The bytes of a cache line.
const LINE_BYTES: i64 = 64;

impl BoxMoves {
    /// The most bytes that these moves may hold in other chunks: what most do. Pieces of other forms may be moved by other tables.
    pub(crate) fn most_bytes_in_other_chunks(&self) -> usize {
        self.held_bytes().saturating_mul(4) + (64 << 10)
    }

    /// The most bytes that a thread allocates to write chunks, beside the source and the
    /// destination, also where it may be cut into other chunks.
    pub(crate) fn scratch_bytes(&self, may_be_cut: bool) -> usize {
        let slots = self.slots_at_a_time();
        let bytes = slots.saturating_mul(self.widths.to.into()) / 8 + 1;
        // What is too large for a stage may be small enough in other chunks.
        let may_be_off_lines = self.stages_off_lines() || self.needs_lines && may_be_cut;
        let ahead = Ahead::MOST_ALLOCATED as i64;
        let stage = match self.is_staged {
            true => bytes.saturating_add(LINE_BYTES + ahead),
            false if may_be_off_lines => bytes.min(MOST_STAGED_OFF_LINES) + LINE_BYTES + ahead,
            false => 0,
        };
        // Nothing is made for pieces that are all there before.
        let is_in_parts = self.chunk_elements.min(self.allocation) > self.part_elements();
        let overhangs = self.overhanging.is_some();
        let made = match !overhangs && self.are_all_prepared() && !is_in_parts && !may_be_cut {
            true => 0,
            false => Mover::MOST_BYTES_TO_MAKE + Kept::MOST_BYTES,
        };
        let all = stage.saturating_add(made as i64);
        usize::try_from(all).unwrap_or(usize::MAX).saturating_add(self.list_bytes())
    }

    /// Whether chunks are put together in the caches for a destination that does not begin at a line.
    pub(super) fn stages_off_lines(&self) -> bool {
        let bits = self.slots_at_a_time().saturating_mul(self.widths.to.into());
        self.needs_lines && bits <= 8 * MOST_STAGED_OFF_LINES
    }

    /// The most slots that are written at a time.
    pub(super) fn part_elements(&self) -> i64 {
        if !self.is_staged {
            return i64::MAX;
        }
        let bits = i64::from(self.widths.to);
        (MAX_PART_BYTES * 8 / bits / PART_SLOTS * PART_SLOTS).max(PART_SLOTS)
    }

    /// The slots of a chunk, or of the largest part of one that is written at a time.
    fn slots_at_a_time(&self) -> i64 {
        self.chunk_elements.min(self.allocation).min(self.part_elements()).max(0)
    }

    /// The most bytes of lists: of the pieces of elements in a chunk, once to find out what they
    /// read and once to be moved; and of the pieces of padding.
    pub(crate) fn list_bytes(&self) -> usize {
        let slots = self.slots_at_a_time();
        let of_a_piece = (2 * GROWTH * size_of::<Piece>()) as i64;
        let of_elements = self.boxes.iter().fold(0i64, |sum, nest| {
            sum.saturating_add(nest.most_pieces(slots).saturating_mul(of_a_piece))
        });
        let of_rows = self.overhanging.as_ref().map_or(0, |rows| rows.most_pieces(slots));
        let of_elements = of_elements.saturating_add(of_rows.saturating_mul(of_a_piece));
        let padding = self.padding.iter().chain(&self.beyond);
        let n_padding = padding.map(|padding| padding.most_pieces(slots)).max().unwrap_or(0);
        let of_padding = n_padding.saturating_mul((GROWTH * size_of::<Piece>()) as i64);
        let all = of_elements.saturating_add(of_padding).saturating_add(SMALL_LISTS);
        usize::try_from(all).unwrap_or(usize::MAX)
    }

    /// The bytes that the moves have allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let boxes = self.boxes.iter().map(Cuttable::held_bytes).sum::<usize>();
        let all = self.boxes.capacity() * size_of::<Cuttable>() + boxes;
        let padding = self.padding.iter().chain(&self.beyond);
        let padding = padding.map(Padding::held_bytes).sum::<usize>();
        let ready = self.ready.iter().map(Ready::held_bytes).sum::<usize>()
            + self.ready.capacity() * size_of::<Ready>();
        let overhanging = self.overhanging.as_ref().map_or(0, Overhanging::held_bytes);
        let movers = self.movers.held_bytes();
        all + padding + movers + ready + overhanging + self.digits.capacity() * size_of::<Loop>()
    }
}
