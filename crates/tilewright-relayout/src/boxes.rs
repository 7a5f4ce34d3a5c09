//! Moving box by box: the route for maps whose digits nest.
//!
//! Two ways to move a chunk of the destination:
//!
//! * **Whole units.** Both sides have slots of the same width, and everything that stays together
//!   makes whole bytes: the boxes are moved as elements of 1, 2, 4, 8 or 16 bytes. Units are as
//!   large as the boxes allow, whatever the element: rows of 4-bit elements may move as 16-byte
//!   units, 24-bit elements as bytes.
//! * **Element by element, by way of bytes.** The chunk is put together as one byte per element
//!   (16 if elements are wider than a byte) and then packed. A packed source is unpacked to bytes
//!   first where what the chunk reads lies close together.

use crate::bit_rows::BitRows;
use crate::bits;
use crate::chunk::{Cuttable, Form, Piece, chunk_elements};
use crate::description::{BoxDescription, KernelKind, Storing};
use crate::error::{Error, checked};
use crate::kernels::{Level, Means, Mover, Slots, Stores, move_box};
use crate::nest::{Loop, Nest, walk};
use crate::order::Order;
use crate::packed::{self, FoldWork, Folded, Packed};
use crate::padding::{PadLists, Padding};
use crate::ready::{Fill, Move, Ready};
use crate::refine::Refined;
use crate::sizing::{Sizing, alignment, writes_lines};
use crate::widths::Widths;
use crate::work::{SourcePart, Work, grown};
use std::ops::Range;
use tilewright::IndexMap;

/// Chunks for which memory is needed beside them, in proportion to their length, are written in
/// parts of at most so many bytes, which chunks of the plan's own choice never have.
const MAX_PART_BYTES: i64 = 64 << 20;

/// Parts are a multiple of so many slots: whole lines, whatever the width of a slot.
const PART_SLOTS: i64 = 512;

/// A list that grows has room for up to twice as much as it holds, and there are two while it is
/// copied.
const GROWTH: usize = 3;

/// The bytes of all lists whose length is that of a list of loops.
const SMALL_LISTS: i64 = 32 << 10;

/// The bytes of a cache line.
const LINE_BYTES: i64 = 64;

/// Chunks that have to be put together in the caches are no larger than what a thread keeps.
const MOST_STAGED_BYTES: i64 = 1 << 20;

/// The most pieces that are prepared with the plan.
const MAX_MOVERS: usize = 32;

/// What follows itself for fewer bits lies alone.
const MIN_RUN_BITS: i64 = 128;

/// A source is unpacked if a chunk reads at least one element in this many that it spans.
const MAX_SPREAD: i64 = 4;

/// The boxes of an array and how their elements are moved.
#[derive(Clone, Debug)]
pub(crate) struct BoxMoves {
    boxes: Vec<Cuttable>,
    /// What lies around the elements, where it is filled apart.
    padding: Option<Padding>,
    /// Every digit of the array's dimensions, counted in elements.
    digits: Vec<Loop>,
    steps: Steps,
    /// Whether one side is packed and the other has a byte for each element, or both are packed along
    /// different loops.
    packed: Option<Packed>,
    widths: Widths,
    allocation: i64,
    chunk_elements: i64,
    /// The order of the chunks, if it is not that of the destination.
    order: Option<Order>,
    /// Whether no two elements share a slot, so that counting elements finds padding.
    is_injective: bool,
    /// Whether chunks are put together in the caches before they are streamed, because the boxes
    /// write parts of lines.
    is_staged: bool,
    /// Whether each chunk reads lines of most of the source, so that fewer chunks are less to read.
    is_spread: bool,
    /// The pieces that chunks are mostly made of, ready to be moved.
    movers: Prepared<Mover>,
    /// Those of them that are moved row by row, ready to be.
    rows: Prepared<BitRows>,
    /// Whether they may be moved so.
    moves_rows: bool,
    /// The chunks themselves, if there is no more than one and nothing about it is left to be found
    /// out, or if they are shares.
    ready: Vec<Ready>,
    level: Level,
    needs: Needs,
}

/// What moves a piece.
enum Moving {
    Program(Mover),
    Rows(BitRows),
}

impl Moving {
    /// Of elements of any width, which begin at bytes: by lookups too, where rows are of hardly an element.
    fn of_bits(loops: &[Loop], slots: Slots, level: Level, is_streamed: bool) -> Option<Self> {
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
type Prepared<T> = Vec<(Form, T)>;

/// What the boxes count in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    /// Units of this many bits (8, 16, 32, 64, 128 or 256) on both sides.
    Units(i64),
    /// Slots of either side.
    Elements,
}

/// What whoever has boxes moved needs beside that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// Chunks are multiples of so many slots, a power of two.
    pub(crate) align: i64,
    /// Whether chunks are put together in the caches, whatever they are.
    pub(crate) is_staged: bool,
    /// Whether pieces are moved here, so that what moves them is made ready.
    pub(crate) prepares: bool,
}

impl BoxMoves {
    /// Moves of an array's boxes into the memory of a map.
    pub(crate) fn new(refined: Refined, widths: Widths, to: &IndexMap) -> Self {
        Self::with(refined, widths, to, Needs { align: 1, is_staged: false, prepares: true })
    }

    /// The same for someone who needs more.
    pub(crate) fn with(refined: Refined, widths: Widths, to: &IndexMap, needs: Needs) -> Self {
        let allocation = to.allocation();
        let (steps, boxes) = with_steps(refined.boxes, widths);
        let padding = refined.padding.and_then(|boxes| Padding::new(boxes, widths.to, allocation));
        let slot_bits = match steps {
            Steps::Units(bits) => bits,
            Steps::Elements => element_bits(widths),
        };
        let is_filled_first = padding.is_none() && to.elements() < allocation;
        let is_large = is_streamed(allocation, widths);
        let is_staged = is_filled_first || !stream_lines(&boxes, steps, slot_bits, is_large);
        let mut moves = BoxMoves {
            boxes: boxes.into_iter().map(Cuttable::new).collect(),
            padding,
            is_staged,
            is_spread: false,
            packed: Packed::of(widths).filter(|_| steps == Steps::Elements),
            steps,
            widths,
            allocation,
            chunk_elements: 1,
            order: None,
            is_injective: refined.is_injective,
            digits: refined.digits,
            movers: Vec::new(),
            rows: Vec::new(),
            moves_rows: false,
            ready: Vec::new(),
            level: Level::best(),
            needs,
        };
        let are_packed;
        (moves.moves_rows, are_packed) = moves.prepare_rows();
        let (from, to) = (i64::from(widths.from), i64::from(widths.to));
        let (src_bits, dst_bits, slot_bits) = match steps {
            Steps::Units(bits) => (bits, bits, to),
            Steps::Elements if are_packed => (from, to, to),
            Steps::Elements => (slot_bits, slot_bits, slot_bits),
        };
        let is_staged = is_staged || steps == Steps::Elements || needs.is_staged;
        let mut sizing = Sizing { src_bits, dst_bits, slot_bits, is_staged };
        let nests = moves.boxes.iter().map(Cuttable::nest);
        let may_be_spread = (steps != Steps::Elements || are_packed) && !needs.is_staged;
        moves.is_spread = may_be_spread && sizing.is_spread(&nests);
        sizing.is_staged &= !moves.is_spread;
        moves.is_staged &= !moves.is_spread;
        let target = sizing.target(&moves.boxes.iter().map(Cuttable::nest), allocation);
        let most =
            if needs.is_staged { MOST_STAGED_BYTES * 8 / sizing.slot_bits } else { i64::MAX };
        moves.with_chunks_of(target.min(most))
    }

    /// The same moves in chunks of about this many elements.
    pub(crate) fn with_chunks_of(mut self, target: i64) -> Self {
        let align = match self.steps {
            Steps::Units(_) => alignment(target, self.widths.to),
            // Chunks of parts of rows would be many pieces.
            Steps::Elements => 8 >> self.widths.to.trailing_zeros().min(3),
        };
        let align = align.max(self.needs.align);
        let whole = self.allocation.max(1).saturating_add(align);
        self.chunk_elements = match self.is_injective {
            true => chunk_elements(&self.digits, self.allocation, target.max(1), align),
            // What lies in a chunk could be all over the place.
            false => whole - whole % align,
        };
        self.order = self.source_order();
        if !self.needs.prepares {
            return self;
        }
        self.prepare();
        self.ready = if self.n_chunks() == 1 { self.made_ready() } else { Vec::new() };
        self
    }

    /// The same moves in smaller chunks, for several threads, if they can be cut.
    pub(crate) fn in_shares_of(&self, target: i64) -> Option<Self> {
        let mut shares = self.clone().with_chunks_of(target);
        shares.ready = shares.made_ready();
        (shares.n_chunks() > 1).then_some(shares)
    }

    /// Whether each chunk reads lines of most of the source.
    pub(crate) fn is_spread(&self) -> bool {
        self.is_spread
    }

    /// The most bytes that these moves allocate in other chunks.
    pub(crate) fn most_bytes_in_other_chunks(&self) -> usize {
        self.held_bytes().saturating_mul(2) + (32 << 10)
    }

    /// The bytes of the units that are moved, if they are whole bytes.
    pub(crate) fn unit_bytes(&self) -> Option<i64> {
        match self.steps {
            Steps::Units(bits) => Some(bits / 8),
            Steps::Elements => None,
        }
    }

    /// Whether the destination is streamed.
    pub(crate) fn is_streamed(&self) -> bool {
        is_streamed(self.allocation, self.widths)
    }

    /// The byte of the destination that a chunk begins at.
    pub(crate) fn chunk_start(&self, chunk: usize) -> usize {
        let first = self.elements_of(&(chunk..chunk + 1)).start;
        (first * i64::from(self.widths.to) / 8) as usize
    }

    /// What lies in a chunk.
    pub(crate) fn pieces(&self, chunk: usize, pieces: &mut Vec<Piece>) {
        self.cut(&self.within(&self.elements_of(&(chunk..chunk + 1))), pieces);
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

    /// Every chunk, to be moved straight from here; none if that cannot be said of all.
    fn made_ready(&self) -> Vec<Ready> {
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
    fn prepare(&mut self) {
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
    fn moving(&self, nest: &Cuttable, piece: &Piece) -> Option<Moving> {
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
    fn prepare_rows(&mut self) -> (bool, bool) {
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
    fn bit_rows(&self, nest: &Cuttable, piece: &Piece) -> Option<BitRows> {
        if !self.moves_rows || self.is_folded(nest) {
            return None;
        }
        let loops: Vec<Loop> = nest.loops(piece).collect();
        let (slots, level) = (self.slots(), Level::best());
        BitRows::of(&loops, slots, level).or_else(|| BitRows::in_words(&loops, slots, level))
    }

    /// Whether all of a box is best folded.
    fn is_folded(&self, nest: &Cuttable) -> bool {
        let folded = self.packed.and_then(|packed| packed.folded(nest.nest()));
        folded.is_some_and(|folded| folded.is_quick())
    }

    /// What was prepared for pieces like this one.
    fn prepared_for(&self, piece: &Piece) -> Option<&Mover> {
        let form = piece.form();
        self.movers.iter().find(|(other, _)| *other == form).map(|(_, mover)| mover)
    }

    /// The same of pieces that are moved row by row.
    fn rows_for(&self, piece: &Piece) -> Option<&BitRows> {
        let form = piece.form();
        self.rows.iter().find(|(other, _)| *other == form).map(|(_, rows)| rows)
    }

    /// The order of chunks that walks the source as it lies, if there is one.
    fn source_order(&self) -> Option<Order> {
        let (Steps::Units(unit), [only]) = (self.steps, self.boxes.as_slice()) else { return None };
        let bits = self.chunk_elements.checked_mul(self.widths.to.into())?;
        let n_chunks = i64::try_from(self.n_chunks()).ok()?;
        if bits % unit == 0 { Order::of(only.nest(), bits / unit, n_chunks) } else { None }
    }

    /// The order in which chunks are best written, if all are and it is not that of their numbers.
    pub(crate) fn order(&self) -> Option<&Order> {
        self.order.as_ref()
    }

    /// The number of chunks; each is written independently of the others.
    pub(crate) fn n_chunks(&self) -> usize {
        let elements = self.allocation.unsigned_abs();
        usize::try_from(elements.div_ceil(self.chunk_elements.unsigned_abs())).unwrap_or(usize::MAX)
    }

    /// The destination bytes that one chunk has; the last may have fewer.
    ///
    /// # Errors
    /// If the number does not fit a `usize`.
    pub(crate) fn chunk_bytes(&self) -> Result<usize, Error> {
        let bits = self.chunk_elements.checked_mul(i64::from(self.widths.to));
        checked(bits.and_then(|bits| usize::try_from(bits / 8).ok()), "a chunk in bytes")
    }

    /// The source bytes from the first to the last that these chunks read.
    pub(crate) fn source_span(&self, chunks: &Range<usize>) -> Range<usize> {
        let mut pieces = Vec::new();
        self.cut(&self.within(&self.elements_of(chunks)), &mut pieces);
        let Some(span) = self.span(&pieces) else { return 0..0 };
        let bits = match self.steps {
            Steps::Units(bits) => bits,
            Steps::Elements => i64::from(self.widths.from),
        };
        let end = (span.end * bits).unsigned_abs().div_ceil(8);
        (span.start * bits / 8) as usize..end as usize
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

    /// The most slots that are written at a time.
    fn part_elements(&self) -> i64 {
        let bits = match self.steps {
            Steps::Units(_) if !self.is_staged => return i64::MAX,
            Steps::Units(_) => i64::from(self.widths.to),
            Steps::Elements => element_bits(self.widths),
        };
        (MAX_PART_BYTES * 8 / bits / PART_SLOTS * PART_SLOTS).max(PART_SLOTS)
    }

    /// The most bytes that a thread allocates to write chunks, beside the source and the
    /// destination.
    pub(crate) fn scratch_bytes(&self) -> usize {
        let slots = self.slots_at_a_time();
        let bytes = |slots: i64, bits: i64| slots.saturating_mul(bits) / 8 + 1;
        let to = i64::from(self.widths.to);
        let stage = if self.is_staged() { bytes(slots, to) + LINE_BYTES } else { 0 };
        let on_the_way = match self.steps {
            Steps::Units(_) => 0,
            Steps::Elements if self.widths.fit_bytes() => {
                // Packed from a byte each, and before that unpacked from what they are spread over.
                let spread = if self.widths.are_bytes_already() { 0 } else { MAX_SPREAD };
                slots.saturating_mul(1 + spread)
            }
            Steps::Elements => bytes(slots, 128),
        };
        let folded = if self.packed.is_some() { bytes(slots, 4) } else { 0 };
        let movers = if self.packed.is_some() { 1 + FoldWork::MOST_MOVERS } else { 1 };
        let movers = (movers * Mover::MOST_BYTES) as i64;
        let rows = match self.steps {
            Steps::Units(_) => 0,
            Steps::Elements => BitRows::MOST_BYTES as i64,
        };
        let all = [stage, on_the_way, folded, rows].into_iter().fold(movers, i64::saturating_add);
        usize::try_from(all).unwrap_or(usize::MAX).saturating_add(self.list_bytes())
    }

    /// The slots of a chunk, or of the largest part of one that is written at a time.
    fn slots_at_a_time(&self) -> i64 {
        self.chunk_elements.min(self.allocation).min(self.part_elements()).max(0)
    }

    /// The most bytes of lists: of the pieces of elements in a chunk, once to find out what they
    /// read and once to be moved; and of the pieces of padding.
    pub(crate) fn list_bytes(&self) -> usize {
        let slots = self.slots_at_a_time();
        let of_a_piece = |nest: &Cuttable| {
            let folded = self.packed.map_or(0, |_| packed::most_bytes_of_a_box(nest.nest()));
            (2 * GROWTH * size_of::<Piece>() + folded) as i64
        };
        let of_elements = self.boxes.iter().fold(0i64, |sum, nest| {
            sum.saturating_add(nest.most_pieces(slots).saturating_mul(of_a_piece(nest)))
        });
        let n_padding = self.padding.as_ref().map_or(0, |padding| padding.most_pieces(slots));
        let of_padding = n_padding.saturating_mul((GROWTH * size_of::<Piece>()) as i64);
        let all = of_elements.saturating_add(of_padding).saturating_add(SMALL_LISTS);
        usize::try_from(all).unwrap_or(usize::MAX)
    }

    /// Whether there are several boxes, and most elements lie alone on one side: there is no loop along which what is moved
    /// at a time follows itself. Every line is then come back to for every box, as of swizzled rows that become columns.
    pub(crate) fn are_scattered(&self) -> bool {
        let unit_bits = match self.steps {
            Steps::Units(bits) => bits,
            Steps::Elements => element_bits(self.widths),
        };
        let is_alone = |nest: &Nest| {
            let is_along = |step: fn(&Loop) -> i64| {
                nest.loops
                    .iter()
                    .any(|l| step(l).abs() == 1 && l.extent * unit_bits >= MIN_RUN_BITS)
            };
            !is_along(|l| l.dst) || !is_along(|l| l.src)
        };
        let elements = |nest: &Nest| nest.loops.iter().map(|l| l.extent).product::<i64>();
        let (mut alone, mut all) = (0i64, 0i64);
        for nest in self.boxes.iter().map(Cuttable::nest) {
            all = all.saturating_add(elements(nest));
            alone = alone.saturating_add(if is_alone(nest) { elements(nest) } else { 0 });
        }
        self.boxes.len() > 1 && alone > all / 2
    }

    /// The bytes that the moves have allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        let boxes = self.boxes.iter().map(Cuttable::held_bytes).sum::<usize>();
        let all = self.boxes.capacity() * size_of::<Cuttable>() + boxes;
        let padding = self.padding.as_ref().map_or(0, Padding::held_bytes);
        let movers = self.movers.iter().map(|(_, mover)| mover.held_bytes()).sum::<usize>()
            + self.movers.capacity() * size_of::<(Form, Mover)>()
            + self.rows.iter().map(|(_, rows)| rows.held_bytes()).sum::<usize>()
            + self.rows.capacity() * size_of::<(Form, BitRows)>();
        let ready = self.ready.iter().map(Ready::held_bytes).sum::<usize>()
            + self.ready.capacity() * size_of::<Ready>();
        all + padding + movers + ready + self.digits.capacity() * size_of::<Loop>()
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

    /// Whether chunks are put together in the caches if they are to be streamed.
    pub(crate) fn is_staged(&self) -> bool {
        self.is_staged || self.packed.is_some()
    }

    /// The boxes, for a destination that is stored so.
    pub(crate) fn describe(&self, storing: Storing) -> Vec<BoxDescription> {
        let (from, to) = (i64::from(self.widths.from), i64::from(self.widths.to));
        let described = |nest: &Nest| match (self.steps, self.packed) {
            (Steps::Units(bits), _) => BoxDescription::of_units(nest, bits, to, storing),
            (Steps::Elements, packed) => {
                let folded = packed.and_then(|packed| packed.folded(nest).zip(Some(packed)));
                let (loops, slots, level) = (&nest.loops, self.slots(), Level::best());
                let kernel = match folded {
                    Some((folded, packed)) if folded.is_quick() => packed.kernel(),
                    _ => match Moving::of_bits(loops, slots, level, false) {
                        Some(Moving::Program(mover)) if mover.looks_up() => KernelKind::Lookup,
                        Some(Moving::Program(_)) => KernelKind::Tile,
                        Some(Moving::Rows(rows)) if rows.has_rows() => KernelKind::BitRows,
                        _ => folded.map_or(KernelKind::Bits, |(_, packed)| packed.kernel()),
                    },
                };
                BoxDescription::of_elements(nest, from, to, kernel)
            }
        };
        self.boxes.iter().map(|nest| described(nest.nest())).collect()
    }

    fn elements_of(&self, chunks: &Range<usize>) -> Range<i64> {
        let at =
            |chunk: usize| (chunk as i64).saturating_mul(self.chunk_elements).min(self.allocation);
        at(chunks.start)..at(chunks.end)
    }

    /// A range of destination elements in the steps that the boxes count in.
    fn within(&self, elements: &Range<i64>) -> Range<i64> {
        let Steps::Units(unit) = self.steps else { return elements.clone() };
        let bits = |element: i64| element * i64::from(self.widths.to);
        let end = bits(elements.end);
        bits(elements.start) / unit..end / unit + i64::from(end % unit != 0)
    }

    fn cut(&self, within: &Range<i64>, pieces: &mut Vec<Piece>) {
        for (number, nest) in self.boxes.iter().enumerate() {
            nest.cut(number, within, pieces);
        }
    }

    /// Whether the pieces, counted in steps of `step_bits`, leave no slot of the chunk empty.
    fn is_filled(&self, pieces: &[Piece], n_elements: usize, step_bits: i64) -> bool {
        let all = n_elements as i64 * i64::from(self.widths.to);
        let covered: i64 = self.nests_of(pieces).map(|(nest, piece)| nest.elements(piece)).sum();
        self.is_injective && covered * step_bits == all
    }

    pub(crate) fn nests_of<'a>(
        &'a self,
        pieces: &'a [Piece],
    ) -> impl Iterator<Item = (&'a Cuttable, &'a Piece)> {
        pieces.iter().filter_map(|piece| Some((self.boxes.get(piece.nest)?, piece)))
    }

    /// The source steps from the first to the last that the pieces read.
    fn span(&self, pieces: &[Piece]) -> Option<Range<i64>> {
        let spans = self.nests_of(pieces).map(|(nest, piece)| nest.source_span(piece));
        spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
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

    /// The widths of values and of both sides.
    fn slots(&self) -> Slots {
        let Widths { from, to, value } = self.widths;
        Slots { value: value.into(), src: from.into(), dst: to.into() }
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

/// Whether a destination of so many slots is streamed.
fn is_streamed(allocation: i64, widths: Widths) -> bool {
    let bytes = allocation.saturating_mul(widths.to.into()) / 8;
    Stores::for_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)) == Stores::Streamed
}

/// Whether nearly all elements of the boxes, whose steps are of `step_bits`, are written in whole
/// lines, where that matters because the destination `is_large`.
fn stream_lines(boxes: &[Nest], steps: Steps, step_bits: i64, is_large: bool) -> bool {
    let elements = |nest: &Nest| nest.loops.iter().map(|l| l.extent).product::<i64>();
    let streams = |nest: &&Nest| match steps {
        Steps::Units(bits) if is_large => {
            let unit = bits.unsigned_abs() as usize / 8;
            let mover = Mover::new(&nest.loops, unit, Level::best(), true);
            mover.streams().unwrap_or_else(|| writes_lines(nest, step_bits))
        }
        Steps::Units(_) | Steps::Elements => writes_lines(nest, step_bits),
    };
    let all: i64 = boxes.iter().map(elements).sum();
    let streamed: i64 = boxes.iter().filter(streams).map(elements).sum();
    streamed >= all - all / 8
}

/// The bits of an element on its way, where elements are not moved as units.
fn element_bits(widths: Widths) -> i64 {
    if widths.fit_bytes() { 8 } else { 128 }
}

/// The boxes in the largest whole units that suit all of them, or as they are.
fn with_steps(boxes: Vec<Nest>, widths: Widths) -> (Steps, Vec<Nest>) {
    if !widths.are_equal() {
        return (Steps::Elements, boxes);
    }
    let in_bits: Vec<Nest> = boxes.iter().map(|nest| nest.in_bits(widths.to.into())).collect();
    let largest = |nest: &Nest| nest.grain().trailing_zeros().min(8);
    let unit = 1 << in_bits.iter().map(largest).min().unwrap_or(8);
    if unit < 8 {
        return (Steps::Elements, boxes);
    }
    (Steps::Units(unit), in_bits.iter().map(|nest| nest.in_units(unit)).collect())
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
