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

mod memory;
mod prepared;
mod write;

use crate::bit_rows::BitRows;
use crate::chunk::{Cuttable, Piece, chunk_elements};
use crate::description::{BoxDescription, KernelKind, Storing};
use crate::error::{Error, checked};
use crate::kernels::{Level, Mover, Slots, Stores};
use crate::nest::{Loop, Nest};
use crate::order::Order;
use crate::packed::Packed;
use crate::padding::Padding;
use crate::ready::Ready;
use crate::refine::Refined;
use crate::sizing::{Sizing, alignment, writes_lines};
use crate::widths::Widths;
use prepared::{Moving, Prepared};
use std::ops::Range;
use tilewright::IndexMap;

/// Chunks that have to be put together in the caches are no larger than what a thread keeps.
const MOST_STAGED_BYTES: i64 = 1 << 20;

/// A source is unpacked if a chunk reads at least one element in this many that it spans.
const MAX_SPREAD: i64 = 4;

/// What follows itself for fewer bits lies alone.
const MIN_RUN_BITS: i64 = 128;

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

    /// The widths of values and of both sides.
    fn slots(&self) -> Slots {
        let Widths { from, to, value } = self.widths;
        Slots { value: value.into(), src: from.into(), dst: to.into() }
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
