//! How large a chunk is best, and whether it can be streamed as it is made.
//!
//! About [`CHUNK_BYTES`], or [`NEAR_CHUNK_BYTES`] where it is put together in the caches of a destination that stays there, or
//! [`ROWS_CHUNK_BYTES`] row by row; where such a chunk would read few bytes of the source at a time, as much as reads
//! [`READ_TOGETHER`], up to [`MAX_CHUNK_BYTES`]. [`chunk_elements`](crate::chunk::chunk_elements) rounds that to where tiles
//! begin.

use crate::kernels::LINE_BITS;
use crate::nest::Nest;

/// The bytes of destination (or of unpacked elements) that one chunk is about.
const CHUNK_BYTES: i64 = 512 << 10;

/// The same where a chunk is put together in the caches first, which it shares with its source and with all of the destination.
const NEAR_CHUNK_BYTES: i64 = 256 << 10;

/// The same of a destination past the caches where rows go to the chunk by way of stages: 46 arrays of packed ones took .90 of the
/// time that they did by [`CHUNK_BYTES`] in the mean, 120 of tiles, lookups and runs 1.06 (Zen 4, 1 MiB of second cache).
const ROWS_CHUNK_BYTES: i64 = 128 << 10;

/// Chunks that had to be as large as this to read enough at a time are not put together in the caches.
const MOST_STAGED_BYTES: i64 = 4 << 20;

/// The most bytes of destination that a chunk is made larger for.
const MAX_CHUNK_BYTES: i64 = 32 << 20;

/// Chunks are not made larger than it takes if there would be fewer than this.
const MIN_CHUNKS: i64 = 8;

/// Where a chunk reads fewer bytes of the source at once than this, it is made larger.
pub(crate) const READ_AT_LEAST: i64 = 512;

/// How many bytes of the source a chunk that is made larger had better read at once: memory is
/// slow to begin and quick to go on.
const READ_TOGETHER: i64 = 2048;

/// Chunks that read enough are up to so many times as large to read better, if they are written in place.
const MUCH_LARGER: i64 = 4;

/// What the size of chunks depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizing {
    /// The bits of a step of the boxes in the source, and in the destination or on the way there.
    pub(crate) src_bits: i64,
    pub(crate) dst_bits: i64,
    /// The bits of a destination slot, or of an element on its way there.
    pub(crate) slot_bits: i64,
    /// Whether chunks are put together in the caches.
    pub(crate) is_staged: bool,
    /// Whether those are moved by way of stages, row by row.
    pub(crate) is_by_rows: bool,
    /// Whether the destination is larger than the caches.
    pub(crate) is_large: bool,
    /// Whether a chunk may be all of it, if that stays in the caches.
    pub(crate) may_be_whole: bool,
}

impl Sizing {
    /// Whether chunks that read enough of the source at a time are too large to be put together in the caches: they are
    /// written in place, and the fewer there are, the better.
    pub(crate) fn is_spread<'n>(self, boxes: &(impl Iterator<Item = &'n Nest> + Clone)) -> bool {
        self.dst_reach(boxes, READ_AT_LEAST) >= MOST_STAGED_BYTES
    }

    /// How far apart in the destination so many bytes of the source end up.
    fn dst_reach<'n>(self, boxes: &(impl Iterator<Item = &'n Nest> + Clone), bytes: i64) -> i64 {
        dst_reach(boxes, (self.src_bits, self.dst_bits), bytes)
    }

    /// The number of elements that a chunk is best about, and how many it has at least if it is to read [enough](READ_AT_LEAST) of the source at
    /// a time; none if those are too many to be put together in the caches.
    pub(crate) fn target<'n>(
        self,
        boxes: &(impl Iterator<Item = &'n Nest> + Clone),
        allocation: i64,
    ) -> (i64, i64) {
        let at_once = |bytes: i64| self.dst_reach(boxes, bytes);
        let needed = at_once(READ_AT_LEAST);
        let least = match self.is_large {
            _ if !self.is_staged => CHUNK_BYTES,
            false => NEAR_CHUNK_BYTES,
            true if self.is_by_rows && needed <= ROWS_CHUNK_BYTES => ROWS_CHUNK_BYTES,
            true => CHUNK_BYTES,
        };
        let all = allocation.saturating_mul(self.slot_bits) / 8;
        if self.may_be_whole && !self.is_large && needed > least {
            // Chunks would read the same lines again.
            return (allocation, 0);
        }
        let better = at_once(READ_TOGETHER);
        let is_worth_it = !self.is_staged && better <= MUCH_LARGER * least;
        let bytes = if needed <= least && !is_worth_it { least } else { better };
        let bytes = bytes.min(all / MIN_CHUNKS).max(needed.min(all / 2));
        let reach = if needed < MOST_STAGED_BYTES { needed } else { 0 };
        let in_elements = |bytes: i64| bytes * 8 / self.slot_bits;
        (in_elements(bytes.clamp(least, MAX_CHUNK_BYTES)), in_elements(reach))
    }
}

/// How far apart, in bytes, so many bytes of the source end up in the destination, where steps have so many bits in either.
pub(crate) fn dst_reach<'n>(
    boxes: &(impl Iterator<Item = &'n Nest> + Clone),
    (src_bits, dst_bits): (i64, i64),
    bytes: i64,
) -> i64 {
    let reaches = boxes.clone().map(|nest| nest.dst_reach_of(bytes * 8 / src_bits));
    reaches.max().unwrap_or(0).saturating_mul(dst_bits) / 8
}

/// The fewest elements that make whole cache lines of 64 bytes; in chunks of about `target`
/// elements that are not much larger than lines, whole units of 32 bytes.
pub(crate) fn alignment(target: i64, bits: u32) -> i64 {
    let is_small = target.saturating_mul(i64::from(bits)) < 8 * 4096;
    let whole = if is_small { 256u32 } else { 512 };
    i64::from(whole >> bits.trailing_zeros().min(whole.trailing_zeros()))
}

/// Whether what a box writes at a time are whole lines, or so long that their ends hardly matter:
/// runs, or what several loops write side by side.
pub(crate) fn writes_lines(nest: &Nest, step_bits: i64) -> bool {
    // An element on its way may be wider than its slots, for which the whole array's bits fit.
    let is_lines = |steps: i64| steps % LINE_BITS * step_bits % LINE_BITS == 0;
    let (mut length, mut inner) = (1, nest.loops.len());
    while let Some(place) = nest.loops[..inner].iter().rposition(|l| l.dst == length) {
        length *= nest.loops[place].extent;
        inner = place;
    }
    let are_lines = is_lines(length) && is_lines(nest.dst);
    let is_long = length.saturating_mul(step_bits) >= 64 * LINE_BITS;
    is_long || are_lines && nest.loops[..inner].iter().all(|l| is_lines(l.dst))
}
