//! What the next chunk reads, asked for while one that was put together in the caches goes out to memory.
//!
//! To put a chunk together is to read, and to copy it out is to write. One after the other, each waits for memory alone; so lines
//! of the source that the next chunk reads are asked for while this one is written. A chunk is mostly half a MiB; with what is asked
//! for, that fills a second cache of 1 MiB.

use crate::chunk::{Cuttable, Piece};
use crate::nest::Loop;
use std::ops::Range;

/// The most bytes that are asked for. Of a source of 64 MiB, more took longer than none where a chunk reads twice what it
/// writes, and less saved less (Zen 4, 1 MiB of second cache).
const MOST_BYTES: usize = 448 << 10;

/// The fewest bytes of a row that is asked for, with gaps: to list shorter ones took longer than it saved.
const LEAST_ROW: usize = 256;

/// The most rows that are listed.
const MOST_ROWS: usize = MOST_BYTES / LEAST_ROW + 1;

/// Gaps of so many bits, or as long as what is before them, are asked for with that.
const NEAR: i64 = 1024;

/// Rows of a part of the source that are read next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// The bytes of each.
    rows: Vec<Range<usize>>,
    /// How many all of them have.
    bytes: usize,
}

impl Ahead {
    /// The most bytes that it allocates.
    pub(crate) const MOST_ALLOCATED: usize = MOST_ROWS * size_of::<Range<usize>>();

    /// Forgets what was read next.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.bytes = 0;
    }

    /// Where the rows lie in the part of the source.
    pub(crate) fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Range<usize>>()
    }

    /// Adds what a piece reads of `within`, the bytes of a part of a source whose slots have so many bits, until there is enough.
    /// `loops` is for its loops.
    pub(crate) fn add(
        &mut self,
        (nest, piece): (&Cuttable, &Piece),
        bits: i64,
        within: &Range<usize>,
        loops: &mut Vec<Loop>,
    ) {
        let at = |slot: i64| slot.saturating_mul(bits) / 8;
        let span = nest.source_span(piece);
        let [begin, end] =
            [span.start, span.end].map(|slot| usize::try_from(at(slot)).unwrap_or(0));
        let is_read = begin < within.end && end > within.start;
        if self.bytes >= MOST_BYTES || !is_read {
            return;
        }
        loops.clear();
        loops.extend(nest.loops(piece).filter(|l| l.extent > 1 && l.src != 0));
        loops.sort_unstable_by_key(|l| l.src.unsigned_abs());
        // Slots from the first to the last of a row, with what is between them.
        let (mut first, mut len, mut n_inner) = (piece.src, 1, 0);
        for l in loops.iter() {
            let (step, reach) = (l.src.abs(), l.src * (l.extent - 1));
            if step > 2 * len && (step - len).saturating_mul(bits) > NEAR {
                break;
            }
            (first, len) = (first + reach.min(0), len + reach.abs());
            n_inner += 1;
        }
        let bytes = at(len) as usize;
        if bytes < LEAST_ROW {
            return;
        }
        self.rows.reserve_exact(MOST_ROWS - self.rows.len());
        let outer = &loops[n_inner..];
        let mut steps = [0; MAX_LOOPS];
        if outer.len() > steps.len() {
            return;
        }
        while self.bytes < MOST_BYTES {
            if let Ok(start) = usize::try_from(at(first))
                && within.start <= start
                && start.saturating_add(bytes) <= within.end
            {
                let (start, bytes) = (start - within.start, bytes.min(MOST_BYTES - self.bytes));
                self.rows.push(start..start + bytes);
                self.bytes += bytes;
            }
            let mut is_over = true;
            for (l, step) in outer.iter().zip(&mut steps) {
                if *step + 1 < l.extent {
                    (*step, first) = (*step + 1, first + l.src);
                    is_over = false;
                    break;
                }
                (*step, first) = (0, first - *step * l.src);
            }
            if is_over {
                return;
            }
        }
    }
}

/// More loops than any piece has that is worth it.
const MAX_LOOPS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::Nest;

    /// The rows that are asked for of all of a nest, in bytes.
    fn rows(loops: &[(i64, i64, i64)], bits: i64, within: Range<usize>) -> Vec<(usize, usize)> {
        let loops = loops.iter().map(|&(extent, src, dst)| Loop { extent, src, dst }).collect();
        let nest = Cuttable::new(Nest { src: 0, dst: 0, loops });
        let mut pieces = Vec::new();
        nest.cut(0, &(0..i64::MAX), &mut pieces);
        let mut ahead = Ahead::default();
        for piece in &pieces {
            ahead.add((&nest, piece), bits, &within, &mut Vec::new());
        }
        assert!(ahead.held_bytes() <= Ahead::MOST_ALLOCATED);
        let mut rows: Vec<(usize, usize)> =
            ahead.rows().iter().map(|row| (row.start, row.end)).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn what_lies_together_is_one_row() {
        // 100 rows of 60 elements of 2 bytes, to columns; then with gaps of 8 bytes, which are asked for too.
        assert_eq!(rows(&[(60, 1, 100), (100, 60, 1)], 16, 0..12_000), [(0, 12_000)]);
        assert_eq!(rows(&[(60, 1, 100), (100, 64, 1)], 16, 0..12_792), [(0, 12_792)]);
    }

    #[test]
    fn rows_far_apart_are_listed() {
        let far = rows(&[(200, 1, 3), (3, 5_000, 1)], 16, 0..20_400);
        assert_eq!(far, [(0, 400), (10_000, 10_400), (20_000, 20_400)]);
        // The last one is not all in this part of the source, whose first byte is the source's byte 5,000.
        let part = rows(&[(200, 1, 3), (3, 5_000, 1)], 16, 5_000..20_300);
        assert_eq!(part, [(5_000, 5_400)]);
        // Rows of nibbles; and such that are too short.
        assert_eq!(rows(&[(600, 1, 2), (2, 4_000, 1)], 4, 0..2_300), [(0, 300), (2_000, 2_300)]);
        assert_eq!(rows(&[(100, 1, 2), (2, 4_000, 1)], 4, 0..2_050), []);
    }

    #[test]
    fn no_more_is_listed_than_has_room() {
        let many = rows(&[(256, 1, 10_000), (10_000, 1_000, 1)], 8, 0..10_000_000);
        assert_eq!(many.iter().map(|(start, end)| end - start).sum::<usize>(), MOST_BYTES);
        // A row that is longer than that.
        assert_eq!(rows(&[(1 << 20, 1, 1)], 8, 0..1 << 20), [(0, MOST_BYTES)]);
    }

    #[test]
    fn places_at_the_end_of_all_numbers_are_none() {
        // 1-bit slots, rows of 512 bytes, the second of which lies where places no longer have a number.
        let far = rows(&[(4096, 1, 2), (2, 1 << 62, 1)], 1, 0..512);
        assert_eq!(far, [(0, 512)]);
    }
}
