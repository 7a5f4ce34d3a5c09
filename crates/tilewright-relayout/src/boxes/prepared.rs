//! What moves the pieces that chunks are mostly made of, made ready with the plan.

use super::movers::Alike;
use super::{BoxMoves, most};
use crate::chunk::{Cuttable, Piece};
use crate::kernels::{Begin, LINE, Level, Mover, Swizzles, Target, Wanted, are_far_blocks};
use crate::nest::Loop;
use crate::padding::Comb;
use crate::ready::{Fill, Move, Ready};
use crate::sizing::writes_lines;
use crate::work::SourcePart;
use std::ops::Range;

/// The most pieces that are prepared with the plan.
const MAX_MOVERS: usize = 32;

/// What a line takes to be written, in about the processor's cycles, whatever moves it there.
const WRITTEN_LINE: f64 = 3.0;

impl BoxMoves {
    /// Every chunk, to be moved straight from here; none if that cannot be said of all.
    pub(super) fn made_ready(&self) -> Vec<Ready> {
        let ready: Option<Vec<Ready>> = (0..self.n_chunks()).map(|n| self.ready_chunk(n)).collect();
        ready.unwrap_or_default()
    }

    /// A chunk whose pieces all have been prepared, in whole bytes.
    fn ready_chunk(&self, chunk: usize) -> Option<Ready> {
        let slots = self.elements_of(&(chunk..chunk + 1));
        let within = self.within(&slots);
        let mut pieces = Vec::new();
        self.cut(&within, &mut pieces);
        let fill = self.fill_first(&slots, &pieces)?;
        let in_place = |piece: &Piece| {
            let mover = self.number_prepared_for(piece)?;
            Some(Move { mover, start: self.start_of(piece, 0, within.start) })
        };
        let moves: Vec<Move> = pieces.iter().map(in_place).collect::<Option<_>>()?;
        Some(Ready::new(fill, moves, self.places_beyond(&slots)?))
    }

    /// What is filled of these slots before the pieces in them are moved; `None` if that is much.
    pub(super) fn fill_first(&self, slots: &Range<i64>, pieces: &[Piece]) -> Option<Fill> {
        let n_slots = (slots.end - slots.start) as usize;
        // What is left of a byte that ends within one is zero.
        let ends_at_byte = n_slots as i64 * i64::from(self.widths.to) % 8 == 0;
        Some(match &self.padding {
            _ if self.is_filled(pieces, n_slots) => match ends_at_byte {
                true => Fill::Nothing,
                false => Fill::Rest,
            },
            Some(padding) => Fill::Places(padding.places(slots)?),
            None => Fill::All(n_slots),
        })
    }

    /// Where padding is that the pieces in these slots go over; `None` if that is many places.
    pub(super) fn places_beyond(&self, slots: &Range<i64>) -> Option<Vec<(usize, Comb)>> {
        self.beyond.as_ref().map_or(Some(Vec::new()), |beyond| beyond.places(slots))
    }

    /// Writes the only chunk into the caches, if nothing about it is left to be found out. Says whether
    /// it has.
    #[inline]
    pub(crate) fn run_ready(&self, src: SourcePart<'_>, dst: &mut [u8], pad: u128) -> bool {
        let [only] = self.ready.as_slice() else { return false };
        only.run(&self.movers, self.level, src, dst, pad, self.widths.to);
        true
    }

    /// Makes ready what moves the pieces of these chunks. Of what is ready, only such is kept.
    pub(super) fn prepare(&mut self, chunks: impl IntoIterator<Item = usize>) {
        let mut movers = std::mem::take(&mut self.movers);
        let mut all: Vec<(Alike, Piece)> = Vec::new();
        let mut pieces = Vec::new();
        for chunk in chunks {
            pieces.clear();
            self.cut(&self.within(&self.elements_of(&(chunk..chunk + 1))), &mut pieces);
            for piece in &pieces {
                let alike = self.alike(piece);
                if all.len() < MAX_MOVERS && all.iter().all(|(other, _)| *other != alike) {
                    all.push((alike, *piece));
                }
            }
        }
        self.has_more_forms = all.len() == MAX_MOVERS;
        for (alike, piece) in all {
            if self.prepared_for(&piece).is_some() {
                continue;
            }
            let mover = match (movers.take(alike), self.boxes.get(piece.nest)) {
                (Some(known), _) => known,
                (None, Some(nest)) => self.mover(nest, &piece),
                (None, None) => continue,
            };
            self.movers.push(alike, mover);
        }
    }

    /// Whether most elements of a chunk are written in whole lines past the caches by what moves its pieces, the
    /// largest of which are made ready to find that out.
    pub(super) fn stream(&mut self) -> bool {
        let chunk = usize::from(self.n_chunks() > 2);
        let mut pieces = Vec::new();
        self.cut(&self.within(&self.elements_of(&(chunk..chunk + 1))), &mut pieces);
        let mut sized: Vec<(i64, Piece)> =
            self.nests_of(&pieces).map(|(nest, piece)| (nest.elements(piece), *piece)).collect();
        sized.sort_by_key(|(elements, _)| std::cmp::Reverse(*elements));
        let all: i64 = sized.iter().map(|(elements, _)| elements).sum();
        let (mut streamed, mut left, mut on_lines) = (0, all, 0);
        for (elements, piece) in sized {
            if streamed >= most(all) || streamed + left < most(all) {
                break;
            }
            let Some(nest) = self.boxes.get(piece.nest) else { continue };
            let found = |mover: &Mover| (mover.streams(), mover.needs_lines());
            let (streams, needs_lines) = match self.prepared_for(&piece).map(found) {
                Some(known) => known,
                None => {
                    let mover = self.mover(nest, &piece);
                    let new = found(&mover);
                    self.movers.push(self.alike(&piece), mover);
                    new
                }
            };
            let streams = streams.unwrap_or_else(|| {
                writes_lines(nest.nest(), self.slots.dst) && !self.is_in_blocks(nest, &piece)
            });
            streamed += if streams { elements } else { 0 };
            on_lines += if needs_lines { elements } else { 0 };
            left -= elements;
        }
        self.needs_lines = on_lines > all - most(all);
        streamed >= most(all)
    }

    /// Whether a piece is runs that are copied from memory by blocks, of parts of lines.
    fn is_in_blocks(&self, nest: &Cuttable, piece: &Piece) -> bool {
        let loops: Vec<Loop> = nest.loops(piece).collect();
        self.unit_bytes().is_some_and(|unit| are_far_blocks(&loops, unit))
    }

    /// About how many of the processor's cycles elements take for each line that are looked up or moved one by one, of what was
    /// prepared of the second chunk and of the last.
    pub(crate) fn scattered_cycles(&self) -> f64 {
        self.cycles_of_a_line(|mover| mover.scattered_cycles().unwrap_or(0.0))
    }

    /// About how many of them all take in the caches, and as long as it takes to write each line once.
    pub(crate) fn cycles(&self) -> f64 {
        let bits = self.allocation as f64 * f64::from(self.widths.to);
        self.cycles_of_a_line(Mover::cycles) * bits / (8 * LINE) as f64 + self.written_cycles()
    }

    /// Those that it takes to write each line once.
    pub(super) fn written_cycles(&self) -> f64 {
        let bits = self.allocation as f64 * f64::from(self.widths.to);
        WRITTEN_LINE * bits / (8 * LINE) as f64
    }

    /// Those of movers for each line, of what was prepared of the second chunk and of the last.
    fn cycles_of_a_line(&self, of: impl Fn(&Mover) -> f64) -> f64 {
        let n = self.n_chunks();
        let mut pieces = Vec::new();
        let (mut cycles, mut bits) = (0.0, 0.0);
        for chunk in [usize::from(n > 2), n.saturating_sub(1)] {
            let slots = self.elements_of(&(chunk..chunk + 1));
            pieces.clear();
            self.cut(&self.within(&slots), &mut pieces);
            cycles +=
                pieces.iter().filter_map(|piece| self.prepared_for(piece)).map(&of).sum::<f64>();
            bits += (slots.end - slots.start) as f64 * f64::from(self.widths.to);
        }
        cycles * (8 * LINE) as f64 / bits
    }

    /// Whether it is one box, and all that is prepared moves it row by row.
    pub(super) fn is_box_of_rows(&self) -> bool {
        self.boxes.len() == 1 && self.movers.iter().all(Mover::is_by_rows)
    }

    /// Whether the pieces of every chunk have been prepared.
    pub(super) fn are_all_prepared(&self) -> bool {
        self.n_chunks() <= 3 && !self.has_more_forms
    }

    /// Whether all that is prepared moves pieces whose sides are swizzled so; and, if the destination may be streamed, by
    /// whole lines where it is.
    pub(crate) fn take(&self, swizzles: Swizzles, may_stream: bool) -> bool {
        let streams = may_stream && self.is_streamed() && !self.is_staged;
        self.movers.iter().all(|mover| mover.takes(swizzles, streams))
    }

    /// Whether anything that is prepared asks for other lines of a swizzled source than it reads next.
    pub(crate) fn ask_in_vain(&self, swizzles: Swizzles) -> bool {
        self.movers.iter().any(|mover| mover.asks_in_vain(swizzles))
    }

    /// What moves a piece best.
    pub(super) fn mover(&self, nest: &Cuttable, piece: &Piece) -> Mover {
        let loops: Vec<Loop> = nest.loops(piece).collect();
        Mover::of(Wanted {
            loops: &loops,
            slots: self.slots,
            begin: self.begin_of(piece),
            first: piece.src,
            target: self.target(),
            level: Level::best(),
        })
    }

    /// Where pieces go.
    pub(super) fn target(&self) -> Target {
        match self.is_streamed() {
            false => Target::Cached,
            true if self.is_staged => Target::Staged,
            true if self.is_spread => Target::Spread,
            true => Target::Streamed,
        }
    }

    /// Where a piece begins, and all that it has. Chunks begin at bytes.
    fn begin_of(&self, piece: &Piece) -> Begin {
        let start = (piece.src * self.slots.src, piece.dst * self.slots.dst);
        let nest = self.boxes.get(piece.nest);
        Begin::of(start, self.slots, nest.into_iter().flat_map(|nest| nest.loops(piece)))
    }

    /// What pieces that are moved alike have in common.
    pub(super) fn alike(&self, piece: &Piece) -> Alike {
        Alike { form: piece.form(), begin: self.begin_of(piece) }
    }

    /// The bits where a piece begins in a part of the source from byte `src` on, and in a chunk from step `dst` on.
    pub(super) fn start_of(&self, piece: &Piece, src: usize, dst: i64) -> (i64, i64) {
        let from = piece.src * self.slots.src - src as i64 * 8;
        (from, (piece.dst - dst) * self.slots.dst)
    }

    /// What was prepared for pieces like this one.
    pub(super) fn prepared_for(&self, piece: &Piece) -> Option<&Mover> {
        self.movers.get_for(self.alike(piece))
    }

    /// Its number.
    fn number_prepared_for(&self, piece: &Piece) -> Option<usize> {
        self.movers.number_for(self.alike(piece))
    }
}
