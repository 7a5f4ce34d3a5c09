//! What moves the pieces that chunks are mostly made of, made ready with the plan.

use super::{BoxMoves, Steps, is_streamed};
use crate::bit_rows::BitRows;
use crate::chunk::{Cuttable, Form, Piece};
use crate::kernels::{Level, Mover, Slots};
use crate::nest::{Loop, Nest};
use crate::ready::{Fill, Move, Ready};
use crate::work::SourcePart;

/// The most pieces that are prepared with the plan.
const MAX_MOVERS: usize = 32;

/// What moves a piece.
pub(super) enum Moving {
    Program(Mover),
    Rows(BitRows),
}

impl Moving {
    /// Of elements of any width, which begin at bytes: by lookups too, where rows are of hardly an element.
    pub(super) fn of_bits(
        loops: &[Loop],
        slots: Slots,
        level: Level,
        is_streamed: bool,
    ) -> Option<Self> {
        if let Some(mover) = Mover::of_bits(loops, slots, level, is_streamed) {
            return Some(Moving::Program(mover));
        }
        match BitRows::of(loops, slots, level) {
            Some(rows) if rows.has_rows() => Some(Moving::Rows(rows)),
            rows => {
                Mover::of_bits_by_lookup(loops, slots, level).map(Moving::Program).or_else(|| {
                    rows.or_else(|| BitRows::in_words(loops, slots, level)).map(Moving::Rows)
                })
            }
        }
    }
}

/// What moves pieces of these forms.
pub(super) type Prepared<T> = Vec<(Form, T)>;

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
        let n_slots = (slots.end - slots.start) as usize;
        let (src_step, dst_step) = match self.steps {
            Steps::Units(bits) => (bits, bits),
            Steps::Elements => (self.widths.from.into(), self.widths.to.into()),
        };
        // What is left of a byte that ends within one is zero.
        let ends_at_byte = n_slots as i64 * i64::from(self.widths.to) % 8 == 0;
        let fill = match (&self.padding, self.steps) {
            _ if ends_at_byte && self.is_filled(&pieces, n_slots, dst_step) => Fill::Nothing,
            (Some(padding), Steps::Units(_)) => Fill::Runs(padding.runs(&slots)?),
            _ => Fill::All(n_slots),
        };
        let in_place = |piece: &Piece| {
            let form = piece.form();
            let mover = self.movers.iter().position(|(other, _)| *other == form)?;
            let bits = (piece.src * src_step, (piece.dst - within.start) * dst_step);
            let are_bytes = bits.0 % 8 == 0 && bits.1 % 8 == 0;
            are_bytes.then_some(Move { mover, start: (bits.0 / 8, bits.1 / 8) })
        };
        // Boxes of bits have other ways where there is not one for all.
        let moves: Vec<Move> = pieces.iter().map(in_place).collect::<Option<_>>()?;
        Some(Ready::new(fill, moves))
    }

    /// Writes the only chunk into the caches, if nothing about it is left to be found out. Says whether
    /// it has.
    #[inline]
    pub(crate) fn run_ready(&self, src: SourcePart<'_>, dst: &mut [u8], pad: u128) -> bool {
        let [only] = self.ready.as_slice() else { return false };
        only.run(&self.movers, self.level, src, dst, pad, self.widths.to);
        true
    }

    /// Makes ready what moves the pieces of the first, the second and the last chunk. Of what is ready,
    /// only such is kept.
    pub(super) fn prepare(&mut self) {
        let (movers, rows) = (std::mem::take(&mut self.movers), std::mem::take(&mut self.rows));
        let n = self.n_chunks();
        let mut forms: Vec<(Form, Piece)> = Vec::new();
        let mut pieces = Vec::new();
        for chunk in [0, 1, n.saturating_sub(1)] {
            pieces.clear();
            self.cut(&self.within(&self.elements_of(&(chunk..chunk + 1))), &mut pieces);
            for piece in &pieces {
                if forms.len() < MAX_MOVERS && forms.iter().all(|(form, _)| *form != piece.form()) {
                    forms.push((piece.form(), *piece));
                }
            }
        }
        let is_one = |form: &Form| forms.iter().any(|(other, _)| other == form);
        self.movers.extend(movers.into_iter().filter(|(form, _)| is_one(form)));
        self.rows.extend(rows.into_iter().filter(|(form, _)| is_one(form)));
        for (_, piece) in &forms {
            self.prepare_piece(piece);
        }
    }

    /// Makes ready what moves a piece, if it is not. Says whether it is now.
    fn prepare_piece(&mut self, piece: &Piece) -> bool {
        let form = piece.form();
        let is_there = self.movers.iter().any(|(other, _)| *other == form)
            || self.rows.iter().any(|(other, _)| *other == form);
        let Some(nest) = self.boxes.get(piece.nest).filter(|_| !is_there) else { return is_there };
        match self.moving(nest, piece) {
            Some(Moving::Program(mover)) => self.movers.push((form, mover)),
            Some(Moving::Rows(rows)) if rows.has_rows() => self.rows.push((form, rows)),
            Some(Moving::Rows(rows)) => {
                self.rows.push((form, rows));
                return false;
            }
            None => return false,
        }
        true
    }

    /// What moves a piece best, if its bits begin at bytes.
    pub(super) fn moving(&self, nest: &Cuttable, piece: &Piece) -> Option<Moving> {
        let loops: Vec<Loop> = nest.loops(piece).collect();
        let (level, is_streamed) = (Level::best(), is_streamed(self.allocation, self.widths));
        match self.steps {
            Steps::Units(bits) => {
                let unit = bits.unsigned_abs() as usize / 8;
                Some(Moving::Program(Mover::new(&loops, unit, level, is_streamed)))
            }
            Steps::Elements if self.is_folded(nest) => None,
            Steps::Elements => Moving::of_bits(&loops, self.slots(), level, is_streamed)
                .filter(|moving| self.moves_rows || matches!(moving, Moving::Program(_))),
        }
    }

    /// Makes ready what moves the large boxes of elements below a byte. Says whether those are moved by
    /// tiles or rows, where they are not folded, and whether none is.
    pub(super) fn prepare_rows(&mut self) -> (bool, bool) {
        if self.steps != Steps::Elements {
            return (false, false);
        }
        let elements = |nest: &Nest| nest.loops.iter().map(|l| l.extent).product::<i64>();
        let all: i64 = self.boxes.iter().map(|nest| elements(nest.nest())).sum();
        self.moves_rows = true;
        let mut pieces = Vec::new();
        self.cut(&(0..self.allocation), &mut pieces);
        pieces.retain(|piece| {
            self.nests_of(&[*piece]).all(|(nest, _)| elements(nest.nest()) > all / 8)
        });
        let is_folded =
            |piece: &Piece| self.boxes.get(piece.nest).is_some_and(|nest| self.is_folded(nest));
        let (folded, others): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(is_folded);
        let are_ready = others.iter().all(|piece| self.prepare_piece(piece));
        (are_ready, are_ready && folded.is_empty())
    }

    /// What moves a piece of packed elements row by row, if they are not moved by bytes.
    pub(super) fn bit_rows(&self, nest: &Cuttable, piece: &Piece) -> Option<BitRows> {
        if !self.moves_rows || self.is_folded(nest) {
            return None;
        }
        let loops: Vec<Loop> = nest.loops(piece).collect();
        let (slots, level) = (self.slots(), Level::best());
        BitRows::of(&loops, slots, level).or_else(|| BitRows::in_words(&loops, slots, level))
    }

    /// Whether all of a box is best folded.
    pub(super) fn is_folded(&self, nest: &Cuttable) -> bool {
        let folded = self.packed.and_then(|packed| packed.folded(nest.nest()));
        folded.is_some_and(|folded| folded.is_quick())
    }

    /// What was prepared for pieces like this one.
    pub(super) fn prepared_for(&self, piece: &Piece) -> Option<&Mover> {
        let form = piece.form();
        self.movers.iter().find(|(other, _)| *other == form).map(|(_, mover)| mover)
    }

    /// The same of pieces that are moved row by row.
    pub(super) fn rows_for(&self, piece: &Piece) -> Option<&BitRows> {
        let form = piece.form();
        self.rows.iter().find(|(other, _)| *other == form).map(|(_, rows)| rows)
    }
}
