//! Cutting the destination into chunks, and the loop nests to what lies in one.
//!
//! A chunk is a range of destination slots. Chunks of one plan are of equal size (the last may
//! be shorter), follow each other and are written independently, which is what threads and
//! streaming need. A nest is cut to a chunk by walking its loops from the largest destination
//! stride down: a range of steps that lies wholly inside is one [`Piece`] with all the loops
//! below it intact, and only the steps across the chunk's ends are taken apart further. This is
//! right for any chunk and any nest; it is quick where chunks begin where tiles do, and
//! [`chunk_elements`] sees to that.

use crate::nest::{Loop, Nest, gcd};
use std::ops::Range;

/// A nest, and what the loops from each one down reach.
#[derive(Clone, Debug)]
pub(crate) struct Cuttable {
    nest: Nest,
    /// `below[k]` is of the loops from `k` on; one more than there are loops.
    below: Vec<Below>,
}

/// What some innermost loops of a nest amount to.
#[derive(Clone, Copy, Debug)]
struct Below {
    /// The last destination slot, relative to the first.
    dst_reach: i64,
    /// The lowest and the highest source slot, relative to the first.
    src_span: (i64, i64),
    elements: i64,
}

/// A dense part of a nest: some steps of one loop, and everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The number of the nest.
    pub(crate) nest: usize,
    /// The number of the loop.
    depth: usize,
    /// The steps of that loop.
    steps: i64,
    /// Where the first element lies.
    pub(crate) src: i64,
    /// Where the first element goes.
    pub(crate) dst: i64,
}

/// What pieces that are moved alike have in common: the number of the nest, of the loop, and its
/// steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form(usize, usize, i64);

impl Piece {
    /// What pieces that are moved alike have in common with it.
    pub(crate) fn form(&self) -> Form {
        Form(self.nest, self.depth, self.steps)
    }
}

impl Cuttable {
    pub(crate) fn new(nest: Nest) -> Self {
        let mut inner = Below { dst_reach: 0, src_span: (0, 0), elements: 1 };
        let mut below = vec![inner; nest.loops.len() + 1];
        for (outer, l) in below.iter_mut().zip(&nest.loops).rev() {
            inner = inner.under(l);
            *outer = inner;
        }
        Cuttable { nest, below }
    }

    pub(crate) fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Adds the pieces of this nest, which is number `number`, in destination slots `within`.
    pub(crate) fn cut(&self, number: usize, within: &Range<i64>, pieces: &mut Vec<Piece>) {
        let Nest { src, dst, .. } = self.nest;
        self.cut_loop(Piece { nest: number, depth: 0, steps: 1, src, dst }, within, pieces);
    }

    /// The most pieces that [`cut`](Self::cut) finds in a range of so many slots, if no two elements
    /// share one.
    ///
    /// Of a loop, one step and those whose inner loops reach across it lie across an end of the
    /// range; each of them is taken apart further, and those between the ends are one piece.
    pub(crate) fn most_pieces(&self, slots: i64) -> i64 {
        let loops = self.nest.loops.iter().zip(self.below.iter().skip(1));
        let across_an_end = loops.rev().fold(1i64, |pieces, (l, inner)| {
            let steps = 1 + inner.dst_reach / l.dst.max(1);
            steps.min(l.extent).saturating_mul(pieces).saturating_add(1)
        });
        let elements = self.below.first().map_or(1, |all| all.elements);
        across_an_end.saturating_mul(2).min(elements).min(slots).max(1)
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let below = self.below.capacity() * size_of::<Below>();
        self.nest.loops.capacity() * size_of::<Loop>() + below
    }

    /// The loops of a piece, largest destination stride first.
    pub(crate) fn loops(&self, piece: &Piece) -> impl Iterator<Item = Loop> {
        let loops = self.nest.loops.get(piece.depth..).unwrap_or_default();
        let first = loops.first().map(|l| Loop { extent: piece.steps, ..*l });
        first.into_iter().chain(loops.iter().skip(1).copied())
    }

    /// The number of elements in a piece.
    pub(crate) fn elements(&self, piece: &Piece) -> i64 {
        self.inner(piece).map_or(1, |inner| piece.steps * inner.elements)
    }

    /// The source slots from the first to the last that a piece reads.
    pub(crate) fn source_span(&self, piece: &Piece) -> Range<i64> {
        let (low, high) = match (self.nest.loops.get(piece.depth), self.inner(piece)) {
            (Some(l), Some(inner)) => inner.under(&Loop { extent: piece.steps, ..*l }).src_span,
            _ => (0, 0),
        };
        piece.src + low..piece.src + high + 1
    }

    fn inner(&self, piece: &Piece) -> Option<&Below> {
        self.below.get(piece.depth + 1)
    }

    /// Cuts the loops from `at.depth` on, started at `at`.
    fn cut_loop(&self, at: Piece, within: &Range<i64>, pieces: &mut Vec<Piece>) {
        let Some(here) = self.below.get(at.depth) else { return };
        if at.dst >= within.end || at.dst + here.dst_reach < within.start {
            return;
        }
        let Some(l) = self.nest.loops.get(at.depth) else {
            pieces.push(at);
            return;
        };
        if at.dst >= within.start && at.dst + here.dst_reach < within.end {
            pieces.push(Piece { steps: l.extent, ..at });
            return;
        }
        let reach = self.inner(&at).map_or(0, |inner| inner.dst_reach);
        self.cut_steps(at, l, reach, within, pieces);
    }

    /// Cuts one loop: the steps across the start, those inside as one, those across the end.
    fn cut_steps(
        &self,
        at: Piece,
        l: &Loop,
        reach: i64,
        within: &Range<i64>,
        pieces: &mut Vec<Piece>,
    ) {
        let first = |slot: i64| ceiling(slot - at.dst, l.dst).clamp(0, l.extent);
        let touched = first(within.start - reach)..first(within.end);
        let inside = first(within.start)..first(within.end - reach);
        let step = |number: i64| Piece {
            src: at.src + number * l.src,
            dst: at.dst + number * l.dst,
            ..at
        };
        let split = inside.start.clamp(touched.start, touched.end);
        for number in touched.start..split {
            self.cut_loop(Piece { depth: at.depth + 1, ..step(number) }, within, pieces);
        }
        if !inside.is_empty() {
            pieces.push(Piece { steps: inside.end - inside.start, ..step(inside.start) });
        }
        for number in inside.end.max(split)..touched.end {
            self.cut_loop(Piece { depth: at.depth + 1, ..step(number) }, within, pieces);
        }
    }
}

impl Below {
    /// The same with one more loop around.
    fn under(&self, l: &Loop) -> Below {
        let src = (l.extent - 1) * l.src;
        let (low, high) = self.src_span;
        Below {
            dst_reach: self.dst_reach + (l.extent - 1) * l.dst,
            src_span: (low + src.min(0), high + src.max(0)),
            elements: self.elements * l.extent,
        }
    }
}

/// `a / b` rounded up, for `b` above 0; 0 for a loop that stands still.
fn ceiling(a: i64, b: i64) -> i64 {
    if b <= 0 { 0 } else { a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0) }
}

/// As many chunks may be up to twice as large as they had better be, so that they begin where tiles do.
const MANY: i64 = 16;

/// So many times as long a stride is worth it that chunks do not begin on lines.
const LONGER: i64 = 8;

/// Chunks are up to so many times as large for that.
const MUCH_LONGER: i64 = 4;

/// How many destination elements to take as one chunk: about `target`, a multiple of `align`,
/// and where possible of a stride of the destination, so that chunks begin where tiles do.
///
/// Chunks of fewer than `reach` elements would read little of the source at a time, and others the rest of its lines. Where they would be fewer,
/// but a stride that is a multiple of `least` alone has as many, it is of that: a chunk is all channels of an image and not 64 of 96.
///
/// Where a stride that is many times as long is a multiple of `least` alone, it is of that: parts of tiles take longer than a
/// chunk that does not begin on a line. Of chunks that are put together in the caches first, it is wherever a stride is longer at
/// all. The whole allocation is one chunk where it is not much larger than the target.
pub(crate) fn chunk_elements(
    digits: &[Loop],
    allocation: i64,
    (target, reach): (i64, i64),
    align: i64,
    least: i64,
    is_staged: bool,
) -> i64 {
    let whole = allocation.max(1).saturating_add(align);
    if allocation <= target.saturating_mul(2) {
        return whole - whole % align;
    }
    let longest = |align: i64| {
        let steps = digits.iter().filter_map(|l| l.dst.checked_mul(align / gcd(l.dst, align)));
        let are_many = |step: i64| step.saturating_mul(MANY) <= allocation;
        let most = |step: i64| if are_many(step) { 2 * target } else { target + target / 4 };
        steps.filter(|&step| step <= most(step)).fold(align, i64::max)
    };
    let (aligned, any) = (longest(align), longest(least));
    let longer = if is_staged { 1 } else { LONGER };
    let step = if any > longer * aligned { any } else { aligned };
    let step = nested(digits, allocation, target, least, step);
    // As many steps as registers take: a power of two, or several. So what a chunk reads of packed elements begins at a byte too.
    let most = (target / step).max(1);
    let chunk = step
        * match most {
            0..16 => 1 << most.ilog2(),
            _ => most - most % 16,
        };
    if chunk < reach && any >= reach { any } else { chunk }
}

/// This step of chunks, or one of up to [`MUCH_LONGER`] times the target: of the next stride that is no multiple of the stride
/// that this one is of, since chunks would begin anywhere in tiles else, all but the first.
fn nested(digits: &[Loop], allocation: i64, target: i64, least: i64, step: i64) -> i64 {
    let strides = || digits.iter().map(|l| l.dst).filter(|&stride| stride > least);
    let Some(of) = strides().filter(|&stride| step % stride == 0).max() else { return step };
    let next = strides().filter(|&stride| stride > step && stride % of != 0).min();
    let longer = next.and_then(|stride| stride.checked_mul(least / gcd(stride, least)));
    let most = target.saturating_mul(MUCH_LONGER).min(allocation / MANY);
    longer.filter(|&longer| longer <= most).unwrap_or(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuttable() -> Cuttable {
        // 4 x 3 x 5 elements: rows of 5 in tiles of 3 rows, some slots empty.
        let l = |extent, src, dst| Loop { extent, src, dst };
        let loops = vec![l(4, 100, 20), l(3, -7, 6), l(5, 1, 1)];
        Cuttable::new(Nest { src: 50, dst: 2, loops })
    }

    fn slots(cuttable: &Cuttable, piece: &Piece) -> Vec<(i64, i64)> {
        let mut all = vec![(piece.src, piece.dst)];
        for l in cuttable.loops(piece) {
            let steps = |&(s, d): &(i64, i64)| {
                (0..l.extent).map(move |step| (s + step * l.src, d + step * l.dst)).collect()
            };
            all = all.iter().flat_map(|at| -> Vec<(i64, i64)> { steps(at) }).collect();
        }
        all
    }

    #[test]
    fn any_cut_keeps_exactly_what_lies_inside() {
        let nest = cuttable();
        let mut whole = Vec::new();
        nest.cut(0, &(0..100), &mut whole);
        let all = slots(&nest, &whole[0]);
        assert_eq!((whole.len(), all.len()), (1, 60));
        let step = if cfg!(miri) { 17 } else { 1 };
        for start in (0..90).step_by(step) {
            for end in (start..90).step_by(step) {
                let mut pieces = Vec::new();
                nest.cut(0, &(start..end), &mut pieces);
                assert!(pieces.len() as i64 <= nest.most_pieces(end - start));
                let found: Vec<_> = pieces.iter().flat_map(|p| slots(&nest, p)).collect();
                let expected: Vec<_> =
                    all.iter().filter(|(_, d)| (start..end).contains(d)).copied().collect();
                assert_eq!(found, expected, "{start}..{end}");
                for piece in &pieces {
                    let read = slots(&nest, piece);
                    assert_eq!(nest.elements(piece), read.len() as i64);
                    let span = nest.source_span(piece);
                    assert_eq!(Some(span.start), read.iter().map(|(s, _)| *s).min());
                    assert_eq!(Some(span.end - 1), read.iter().map(|(s, _)| *s).max());
                }
            }
        }
    }

    #[test]
    fn chunks_begin_where_tiles_do() {
        let l = |extent, src, dst| Loop { extent, src, dst };
        let rows_of_tiles = [l(64, 128, 1024), l(100, 65536, 65536), l(8, 8192, 128), l(128, 1, 1)];
        assert_eq!(chunk_elements(&rows_of_tiles, 6_553_600, (150_000, 0), 16, 16, false), 131_072);
        assert_eq!(chunk_elements(&rows_of_tiles, 6_553_600, (3_000, 0), 16, 16, false), 2048);
        assert_eq!(chunk_elements(&rows_of_tiles[..1], 65_536, (60_000, 0), 16, 16, false), 65_552);
        // Rows of 11,657 elements of 2 bytes begin on a line every 32 only, which are too many.
        let odd_rows = [l(319, 1, 11_657), l(11_657, 319, 1)];
        assert_eq!(chunk_elements(&odd_rows, 3_718_583, (131_072, 0), 32, 1, false), 8 * 11_657);
        // Matrices of 15 rows of 6990 elements of 4 bytes: 8 rows begin on a line, or all 15 of them do not.
        let matrices = [l(160, 104_850, 104_850), l(6990, 15, 1), l(15, 1, 6990)];
        let chunk =
            |is_staged| chunk_elements(&matrices, 16_776_000, (97_868, 0), 16, 1, is_staged);
        assert_eq!((chunk(false), chunk(true)), (8 * 6990, 15 * 6990));
        // Of tiled matrices of 2048 x 256 elements of 2 bytes, 60 are many, and 12 are not.
        let tiled = [l(60, 475_136, 524_288), l(128, 3712, 4096), l(16, 232, 128)];
        let chunk = |n: i64| chunk_elements(&tiled, n * 524_288, (262_144, 0), 32, 1, false);
        assert_eq!((chunk(60), chunk(12)), (524_288, 262_144));
        // Of images of 93 channels in blocks of 16, chunks of 16 channels begin anywhere in blocks, and whole images do not: 16
        // of them are many, and 8 are not. Of 96 channels all begin where blocks do.
        let images = |channels: i64| {
            [l(16, 0, channels * 20_833), l(16, 1, 20_833), l(6, 0, 16 * 20_833), l(20_833, 16, 1)]
        };
        let chunk = |n: i64, channels: i64| {
            chunk_elements(&images(channels), n * channels * 20_833, (524_288, 0), 64, 1, false)
        };
        assert_eq!((chunk(16, 93), chunk(8, 93)), (93 * 20_833, 16 * 20_833));
        assert_eq!(chunk(16, 96), 16 * 20_833);
        // Those of 96 bytes in blocks of 8 are whole lines only two by two, which are more than are wanted: chunks of 64 channels would read two
        // thirds of each line of a source whose channels are neighbours, and others the rest of it.
        let images =
            [l(16, 96 * 20_833, 96 * 20_833), l(12, 8, 8 * 20_833), l(20_833, 96, 8), l(8, 1, 1)];
        let chunk = |reach: i64| {
            chunk_elements(&images, 16 * 96 * 20_833, (96 * 20_833, reach), 64, 1, false)
        };
        assert_eq!((chunk(0), chunk(96 * 20_833)), (64 * 20_833, 96 * 20_833));
        // A stride of 12 elements of 1 bit begins on a byte every 24 only.
        assert_eq!(chunk_elements(&[l(99, 1, 12)], 1200, (40, 0), 8, 8, false), 24);
    }
}
