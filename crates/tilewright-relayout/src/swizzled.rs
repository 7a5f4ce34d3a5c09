//! Arrays that are swizzled on one side or on both: moved as if they were not, while pieces of 16 bytes change their places.
//!
//! A swizzle exchanges pieces of memory within groups, mostly of 128 bytes. Boxes of a swizzled map are therefore
//! many and small: rows that become columns are 8 boxes, each of every eighth row. What was swizzled is one box.
//! So that is what is planned, and moved by programs that find each piece where its place is flipped to. What no program takes
//! is put in order on the way:
//!
//! ```text
//!  source      copied block by block     stage     as any box     destination
//!  swizzled  ─────────────────────────▶  in order ─────────────▶  rows, tiles
//!                                                                  │ put together in the caches, chunk by chunk,
//!                                                                  ▼ if that is swizzled
//!                                                                 swizzled
//! ```
//!
//! Where each chunk of a swizzled destination would read lines of most of the source, all is written as if it were not swizzled,
//! and put in order where it is.

use crate::boxes::{BoxMoves, Counted, Needs};
use crate::chunk::{Cuttable, Form, Piece};
use crate::error::Error;
use crate::gather::{Gather, LEAST_DIRECT, STAGE_BYTES, copies_rows, in_bytes};
use crate::kernels::{Flipped, Flips, LINE, Means, PIECE, RowList, Side, Stores, Swizzles};
use crate::nest::{Loop, Nest};
use crate::placement::Placement;
use crate::refine::{MAX_BOXES, refine};
use crate::widths::Widths;
use crate::work::{SourcePart, Work, grown};
use std::ops::Range;
use tilewright::IndexMap;
use tilewright::algebra::Swizzle;

/// The most bytes of a group: chunks and parts of them are whole groups.
const MOST_GROUP: usize = 512;

/// The bytes that change their places at a time where they are: whole groups.
const IN_PLACE: usize = 16 * MOST_GROUP;

/// The bytes of rows that are copied, although they are streamed.
const LONG_ROW: i64 = 1024;

/// The most bytes that a chunk is made larger for to read whole groups.
const MOST_GROUPED: i64 = 128 << 20;

/// The most pieces that are prepared with the plan.
const MOST_GATHERS: usize = 32;

/// An array that is moved by way of maps without swizzles.
#[derive(Clone, Debug)]
pub(crate) struct Swizzled {
    /// Between what was swizzled.
    moves: BoxMoves,
    src: Option<Flips>,
    dst: Option<Flips>,
    src_bytes: usize,
    /// Whether groups of a swizzled destination are filled by rows of a source that is not.
    is_direct: bool,
    /// Whether programs read and write swizzled sides as they are, mostly.
    is_by_programs: bool,
    /// What moves the pieces of a swizzled source, or all if it is direct; none where programs always do.
    gathers: Vec<(Form, Gather)>,
}

impl Swizzled {
    /// Of two placements of which one is swizzled or both are; `None` where that is not seen, or bits within pieces of
    /// 16 bytes are flipped, or by so far away that groups are large.
    pub(crate) fn new(from: &Placement, to: &Placement, widths: Widths) -> Option<Self> {
        if !widths.are_equal() || from.map().is_separable() && to.map().is_separable() {
            return None;
        }
        let (src, src_map) = in_order(from, widths.from)?;
        let (dst, dst_map) = in_order(to, widths.to)?;
        let group = dst.map_or(1, Flips::group);
        // Of the last group, all changes its place, or nothing.
        let is_whole =
            dst_map.allocation() == to.map().allocation() && to.bytes().is_multiple_of(group);
        if !to.is_injective() || !is_whole {
            return None;
        }
        let refined = refine(&src_map, &dst_map, true).filter(|r| r.boxes.len() <= MAX_BOXES)?;
        if src.is_some() && refined.boxes.iter().flat_map(|b| &b.loops).any(|l| l.src <= 0) {
            return None;
        }
        let bytes = i64::from(widths.to / 8);
        let is_direct = src.is_none()
            && dst_map.elements() == dst_map.allocation()
            && refined.boxes.iter().all(|nest| fills_groups(nest, bytes, group as i64));
        let (align, swizzles) = ((group as i64 / bytes).max(1), Swizzles { src, dst });
        let planned = |refined, is_staged, prepares| {
            let counted = Counted::of(refined, widths);
            BoxMoves::with(counted, &dst_map, Needs { align, is_staged, prepares })
        };
        // Programs find whole groups, and no padding that has changed its place.
        let has_groups = src.is_none_or(|flips| from.bytes().is_multiple_of(flips.group()))
            && (dst.is_none() || dst_map.elements() == dst_map.allocation());
        let stays = is_direct
            || src.is_some() && dst.is_none() && are_copied(&refined.boxes, bytes, to.bytes());
        let by_programs = match has_groups && !stays {
            true => by_programs(swizzles, |is_staged| planned(refined.clone(), is_staged, true)),
            false => None,
        };
        let is_by_programs = by_programs.is_some();
        let moves = by_programs.unwrap_or_else(|| {
            planned(refined, dst.is_some() && !is_direct, src.is_none() && !is_direct)
        });
        moves.unit_bytes()?;
        let (src_bytes, gathers) = (from.bytes(), Vec::new());
        let swizzled = Swizzled { moves, src, dst, src_bytes, is_direct, is_by_programs, gathers };
        Some(match swizzled.chunks_of_groups() {
            Some(chunk) => swizzled.with_chunks_of(chunk / bytes),
            None => swizzled.prepared(),
        })
    }

    /// The bytes of chunks that read whole groups of a swizzled source that begins with one, where those of the plan each read a part
    /// of most of them. What such parts lie in are other lines of each group, so that every chunk reads all of them: bf16 `[524320,64]` to columns takes
    /// 3.5 times as long so.
    fn chunks_of_groups(&self) -> Option<i64> {
        let is_spread = self.moves.is_streamed() && self.moves.is_spread();
        let flips = self.src.filter(|_| is_spread)?;
        let reach = self.moves.reach_of(flips.group() as i64);
        let is_cut = self.moves.chunk_bytes().is_ok_and(|chunk| (chunk as i64) < reach);
        (is_cut && reach <= MOST_GROUPED).then_some(reach)
    }

    /// The same in other chunks.
    pub(crate) fn with_chunks_of(mut self, elements: i64) -> Self {
        self.moves = self.moves.with_chunks_of(elements);
        self.prepared()
    }

    /// With what moves the pieces of the first, the second and the last chunk.
    fn prepared(mut self) -> Self {
        self.gathers.clear();
        let swizzles = Swizzles { src: self.src, dst: self.dst };
        // Some programs are not run where the destination begins off a line.
        let falls_back = self.moves.is_streamed()
            && (self.moves.is_spread() || self.moves.ask_in_vain(swizzles));
        if self.is_by_programs && !falls_back || self.src.is_none() && !self.is_direct {
            return self;
        }
        let n = self.moves.n_chunks();
        let mut pieces = Vec::new();
        for chunk in [0, 1, n.saturating_sub(1)] {
            pieces.clear();
            self.moves.pieces(chunk, &mut pieces);
            for (nest, piece) in self.moves.nests_of(&pieces) {
                let form = piece.form();
                let is_there = self.gathers.iter().any(|(other, _)| *other == form);
                if !is_there && self.gathers.len() < MOST_GATHERS {
                    self.gathers.push((form, self.gather(nest, piece)));
                }
            }
        }
        self
    }

    fn gather(&self, nest: &Cuttable, piece: &Piece) -> Gather {
        let unit = self.moves.unit_bytes().unwrap_or(1);
        let loops: Vec<Loop> = nest.loops(piece).collect();
        let is_streamed = self.dst.is_none() && self.moves.is_streamed();
        Gather::new(&loops, (!self.is_direct).then_some(piece.src * unit), unit, is_streamed)
    }

    /// The moves between what was swizzled.
    pub(crate) fn moves(&self) -> &BoxMoves {
        &self.moves
    }

    /// The number of chunks, and the bytes of each but the last.
    pub(crate) fn chunks(&self) -> Result<(usize, usize), Error> {
        Ok((self.moves.n_chunks(), self.moves.chunk_bytes()?))
    }

    /// The bytes of the source that some chunks come from.
    pub(crate) fn source_span(&self, chunks: &Range<usize>) -> Range<usize> {
        let span = self.moves.source_span(chunks);
        match self.src {
            Some(flips) if !span.is_empty() => {
                let groups = flips.groups_of(span);
                groups.start.min(self.src_bytes)..groups.end.min(self.src_bytes)
            }
            _ => span,
        }
    }

    /// The most bytes that a thread allocates.
    pub(crate) fn scratch_bytes(&self) -> usize {
        let chunk = match self.dst.is_some() && !self.moves.is_spread() {
            true => self.moves.chunk_bytes().unwrap_or(usize::MAX).saturating_add(LINE),
            false => 0,
        };
        // Before programs write it, too, where lines of the destination are none in memory.
        let chunk = if self.is_by_programs { chunk.saturating_mul(2) } else { chunk };
        // Of a form that has not been made ready, what moves it is made.
        let gather = if self.src.is_some() || self.is_direct { Gather::MOST_BYTES } else { 0 };
        let all = [chunk, self.stage_bytes(), gather];
        all.into_iter().fold(self.moves.scratch_bytes(false), usize::saturating_add)
    }

    /// How the bytes of a chunk change their places when it has been written as if the destination were not swizzled.
    fn flips_later(&self) -> Option<Flips> {
        self.dst.filter(|_| !self.is_direct)
    }

    /// The bytes of the stage that a swizzled source goes by.
    fn stage_bytes(&self) -> usize {
        if self.src.is_some() { STAGE_BYTES } else { 0 }
    }

    /// The bytes that it has allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let gathers = self.gathers.iter().map(|(_, gather)| gather.held_bytes()).sum::<usize>();
        let list = self.gathers.capacity() * size_of::<(Form, Gather)>();
        self.moves.held_bytes() + gathers + list
    }

    /// Writes one chunk: all its bytes, padding included.
    pub(crate) fn run_chunk(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        chunk: usize,
        dst: &mut [u8],
        pad: u128,
    ) {
        let swizzles = Swizzles { src: self.src, dst: self.dst };
        if self.is_by_programs
            && self.moves.run_chunk_swizzled(work, src, chunk, dst, pad, swizzles)
        {
            return;
        }
        let Some(flips) = self.flips_later() else {
            return self.run_in_order(work, src, chunk, dst, pad);
        };
        let (means, start) = (work.means, self.moves.chunk_start(chunk));
        if self.moves.is_spread() {
            self.run_in_order(work, src, chunk, dst, pad);
            let (mut room, means) = ([0; IN_PLACE], Means { stores: Stores::Cached, ..means });
            for (number, part) in dst.chunks_mut(IN_PLACE).enumerate() {
                let bytes = &mut room[..part.len()];
                bytes.copy_from_slice(part);
                flip(flips, start + number * IN_PLACE, bytes, part, means);
            }
            return;
        }
        if means.stores == Stores::Streamed {
            work.means.stores = Stores::Staged;
        }
        let mut stage = std::mem::take(&mut work.swizzled);
        let in_order = grown(&mut stage, dst.len());
        self.run_in_order(work, src, chunk, in_order, pad);
        flip(flips, start, in_order, dst, means);
        work.swizzled = stage;
        work.means = means;
    }

    /// Writes a chunk as if the destination were not swizzled.
    fn run_in_order(
        &self,
        work: &mut Work,
        src: SourcePart<'_>,
        chunk: usize,
        dst: &mut [u8],
        pad: u128,
    ) {
        let of_source = Swizzles { src: self.src, dst: None };
        if self.is_by_programs
            && self.src.is_some()
            && self.moves.run_chunk_swizzled(work, src, chunk, dst, pad, of_source)
        {
            return;
        }
        let start = self.moves.chunk_start(chunk);
        let (flips, side) = match (self.src, self.dst) {
            (Some(flips), _) => (flips, Side::Source),
            (None, Some(flips)) if self.is_direct => (flips, Side::Destination(start)),
            _ => return self.moves.run_chunk(work, src, chunk, dst, pad),
        };
        let mut pieces = std::mem::take(&mut work.pieces);
        pieces.clear();
        self.moves.pieces(chunk, &mut pieces);
        let stores = work.means.stores;
        self.moves.fill_chunk(&mut work.padding, &pieces, chunk, dst, pad, stores);
        let from = Flipped { bytes: src.bytes, start: src.start, flips, side };
        let unit = self.moves.unit_bytes().unwrap_or(1);
        let first = start as i64;
        let mut stage = std::mem::take(&mut work.gathered);
        let room = grown(&mut stage, self.stage_bytes());
        for (nest, piece) in self.moves.nests_of(&pieces) {
            let start = (piece.src * unit, piece.dst * unit - first);
            let form = piece.form();
            let prepared = self.gathers.iter().find(|(other, _)| *other == form);
            let (means, loops) = (work.means, &mut work.loops);
            match prepared.filter(|(_, gather)| self.is_direct || gather.begins_at(start.0)) {
                Some((_, gather)) => gather.run(from, start, dst, means, room, loops),
                None => self.gather(nest, piece).run(from, start, dst, means, room, loops),
            }
        }
        work.gathered = stage;
        work.pieces = pieces;
    }
}

/// Copies whole groups to where they are `place` bytes on in a destination, where bytes have changed their places.
fn flip(flips: Flips, place: usize, bytes: &[u8], to: &mut [u8], means: Means) {
    let of = Flipped { bytes, start: 0, flips, side: Side::Destination(place) };
    of.copy_rows(0, 0, &RowList::new(vec![(0, 0)], to.len()), 0, to, means);
}

/// What flips a placement's bytes, if anything does, and the map without that.
fn in_order(of: &Placement, bits: u32) -> Option<(Option<Flips>, IndexMap)> {
    if of.map().is_separable() {
        return Some((None, of.map().clone()));
    }
    let (swizzle, map) = of.map().unswizzled()?;
    Some((Some(flips(swizzle, bits)?), map))
}

/// A swizzle of elements as one of bytes, if it leaves pieces whole.
fn flips(swizzle: Swizzle, bits: u32) -> Option<Flips> {
    if !bits.is_multiple_of(8) || !bits.is_power_of_two() {
        return None;
    }
    let in_bytes = swizzle.downcast(i64::from(bits / 8)).ok()?;
    let shift = u32::try_from(in_bytes.shift()).ok()?;
    let mask = ((1usize << in_bytes.bits()) - 1).checked_shl(in_bytes.base())?;
    let flips = Flips { shift, mask };
    let is_whole = 1usize.checked_shl(in_bytes.base())? >= PIECE;
    (is_whole && flips.group() <= MOST_GROUP).then_some(flips)
}

/// Moves by programs that take these swizzles, in place if they write whole lines there, else by way of stages; `planned`
/// says whether by those.
fn by_programs(swizzles: Swizzles, planned: impl Fn(bool) -> BoxMoves) -> Option<BoxMoves> {
    let in_place = planned(false);
    let has_dst = swizzles.dst.is_some();
    if in_place.take(swizzles, has_dst) {
        return Some(in_place);
    }
    let is_worth_it = has_dst && in_place.take(swizzles, false);
    is_worth_it.then(|| planned(true)).filter(|moves| moves.take(swizzles, false))
}

/// Whether boxes of elements of so many bytes are rows that are quicker copied than moved tile by tile: all rows of a destination
/// that stays in the caches, and long ones.
fn are_copied(boxes: &[Nest], bytes: i64, dst_bytes: usize) -> bool {
    let is_streamed = Stores::for_bytes(dst_bytes) == Stores::Streamed;
    let is_long = |l: &Loop| (l.src, l.dst) == (bytes, bytes) && l.extent >= LONG_ROW / bytes;
    boxes.iter().all(|nest| {
        let loops = in_bytes(&nest.loops, bytes);
        copies_rows(&loops, nest.src * bytes, bytes) && (!is_streamed || loops.iter().any(is_long))
    })
}

/// Whether the rows of a box, of elements of so many bytes, are whole groups of the destination.
fn fills_groups(nest: &Nest, bytes: i64, group: i64) -> bool {
    let run = nest.loops.iter().find(|l| l.is_run()).map_or(0, |l| l.extent * bytes);
    let mut others = nest.loops.iter().filter(|l| !l.is_run());
    let is_whole = |bytes: i64| bytes % group == 0;
    run >= LEAST_DIRECT
        && is_whole(run)
        && is_whole(nest.dst * bytes)
        && others.all(|l| is_whole(l.dst * bytes))
}
