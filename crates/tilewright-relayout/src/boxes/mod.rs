//! Moving box by box: the route for maps whose digits nest.
//!
//! Where both sides have slots of the same width, and everything that stays together makes whole bytes, the
//! boxes are moved as *units* of 1, 2, 4, 8, 16 or 32 bytes, as large as the boxes allow, whatever the element:
//! rows of 4-bit elements may move as 16-byte units, 24-bit elements as bytes. Else they count elements.

mod kept;
mod memory;
mod movers;
mod overhanging;
mod prepared;
mod slabs;
mod write;

use crate::chunk::{Cuttable, Piece, chunk_elements};
use crate::description::{BoxDescription, KernelKind, Storing};
use crate::error::{Error, checked};
use crate::kernels::{Begin, Level, Mover, Slots, Stores, WIDEST_SLOT, Wanted};
use crate::nest::{Loop, Nest, are_most, gcd};
use crate::order::Order;
use crate::padding::Padding;
use crate::ready::Ready;
use crate::refine::Refined;
use crate::sizing::{READ_AT_LEAST, Sizing, alignment, dst_reach, writes_lines};
use crate::widths::Widths;
pub(crate) use kept::Kept;
use kept::Number;
pub(crate) use movers::Movers;
use overhanging::Overhanging;
pub(crate) use slabs::InSlabs;
use std::ops::Range;
use tilewright::IndexMap;

/// Chunks that have to be put together in the caches are no larger than what a thread keeps.
const MOST_STAGED_BYTES: i64 = 1 << 20;

/// What follows itself for fewer bits lies alone.
const MIN_RUN_BITS: i64 = 128;

/// The boxes of an array and how their elements are moved.
#[derive(Clone, Debug)]
pub(crate) struct BoxMoves {
    boxes: Vec<Cuttable>,
    /// By which threads know what they keep for these boxes.
    number: Number,
    /// What lies around the elements, where it is filled apart.
    padding: Option<Padding>,
    /// What boxes go over of it, which is filled when they have been moved.
    beyond: Option<Padding>,
    /// The same elements in rows that overhang, which are moved so where they are streamed.
    overhanging: Option<Overhanging>,
    /// Every digit of the array's dimensions, counted in elements.
    digits: Vec<Loop>,
    /// What the boxes count in.
    slots: Slots,
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
    /// Whether what streams more than a quarter of the elements does so only to a destination that begins at a line.
    needs_lines: bool,
    /// Whether each chunk reads lines of most of the source, so that fewer chunks are less to read.
    is_spread: bool,
    /// The pieces that chunks are mostly made of, ready to be moved.
    movers: Movers,
    /// Whether there may be more forms of pieces than were prepared.
    has_more_forms: bool,
    /// The chunks themselves, if there is no more than one and nothing about it is left to be found
    /// out, or if they are shares.
    ready: Vec<Ready>,
    level: Level,
    needs: Needs,
}

/// What whoever has boxes moved needs beside that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// Chunks are multiples of so many slots, a power of two.
    pub(crate) align: i64,
    /// Whether chunks are put together in the caches, whatever they are, unless each would read lines of most of the source.
    pub(crate) is_staged: bool,
    /// Whether pieces are moved here, so that what moves them is made ready.
    pub(crate) prepares: bool,
}

/// The boxes of an array in what they count in.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    refined: Refined,
    slots: Slots,
    widths: Widths,
}

impl Counted {
    /// In the largest whole units that suit all of them, or in elements.
    pub(crate) fn of(refined: Refined, widths: Widths) -> Self {
        let (slots, boxes) = in_slots(refined.boxes, widths);
        Counted { refined: Refined { boxes, ..refined }, slots, widths }
    }

    /// Whether there are several boxes, and most elements lie alone on one side: there are no loops along which what is moved
    /// at a time follows itself. Every line is then come back to for every box, as of swizzled rows that become columns.
    pub(crate) fn are_scattered(&self) -> bool {
        self.are_mostly(|nest| {
            let run = |stride| nest.side_by_side(stride).saturating_mul(self.slots.value);
            run(|l| l.dst) < MIN_RUN_BITS || run(|l| l.src) < MIN_RUN_BITS
        })
    }

    /// Whether there are several boxes, and most have no loop of neighbours on one side, however many loops together have:
    /// such take as long as those that [are scattered](Self::are_scattered) do.
    pub(crate) fn lack_runs(&self) -> bool {
        self.are_mostly(|nest| {
            let has_run = |stride: fn(&Loop) -> i64| {
                let is_long = |l: &Loop| l.extent.saturating_mul(self.slots.value) >= MIN_RUN_BITS;
                nest.loops.iter().any(|l| stride(l).abs() == 1 && is_long(l))
            };
            !has_run(|l| l.dst) || !has_run(|l| l.src)
        })
    }

    /// Whether there are several boxes, and those that are so have most of the elements.
    fn are_mostly(&self, are_so: impl Fn(&Nest) -> bool) -> bool {
        self.refined.boxes.len() > 1 && are_most(&self.refined.boxes, are_so)
    }
}

impl BoxMoves {
    /// Moves of an array's boxes into the memory of a map.
    pub(crate) fn new(counted: Counted, to: &IndexMap) -> Self {
        Self::with(counted, to, Needs { align: 1, is_staged: false, prepares: true })
    }

    /// The same for someone who needs more.
    pub(crate) fn with(counted: Counted, to: &IndexMap, mut needs: Needs) -> Self {
        let allocation = to.allocation();
        let Counted { refined, slots, widths } = counted;
        let boxes = refined.boxes;
        let padding = refined.padding.and_then(|boxes| Padding::new(boxes, widths.to, allocation));
        let (beyond, overhang) = (refined.beyond, refined.overhang);
        let beyond = (!beyond.is_empty()).then(|| Padding::of_boxes(beyond, widths.to));
        let is_filled_first = padding.is_none() && to.elements() < allocation;
        let is_large = is_streamed(allocation, widths);
        let is_found_out = is_large && needs.prepares && !is_filled_first;
        let is_staged = !is_found_out && (is_filled_first || !write_lines(&boxes, slots));
        let mut moves = BoxMoves {
            boxes: boxes.into_iter().map(Cuttable::new).collect(),
            number: Number::next(),
            padding,
            beyond,
            overhanging: None,
            is_staged,
            needs_lines: false,
            is_spread: false,
            slots,
            widths,
            allocation,
            chunk_elements: 1,
            order: None,
            is_injective: refined.is_injective,
            digits: refined.digits,
            movers: Movers::default(),
            has_more_forms: false,
            ready: Vec::new(),
            level: Level::best(),
            needs,
        };
        let (src_bits, dst_bits, slot_bits) = (slots.src, slots.dst, i64::from(widths.to));
        let is_staged = is_staged && (slots.unit().is_some() || is_large) || needs.is_staged;
        // Chunks of a swizzled destination are not cut again for threads.
        let may_be_whole = needs.align == 1;
        let is_by_rows = false;
        let mut sizing =
            Sizing { src_bits, dst_bits, slot_bits, is_staged, is_by_rows, is_large, may_be_whole };
        moves.is_spread = sizing.is_spread(&moves.boxes.iter().map(Cuttable::nest));
        sizing.is_staged &= !moves.is_spread;
        moves.is_staged &= !moves.is_spread;
        needs.is_staged &= !moves.is_spread;
        moves.needs = needs;
        let most =
            if needs.is_staged { MOST_STAGED_BYTES * 8 / sizing.slot_bits } else { i64::MAX };
        let cut = |moves: &mut Self, sizing: Sizing| {
            let nests = moves.boxes.iter().map(Cuttable::nest);
            let (target, reach) = sizing.target(&nests, allocation);
            moves.cut_to(target.min(most), reach);
        };
        cut(&mut moves, sizing);
        if let Some(overhang) = overhang.filter(|_| is_found_out && may_be_whole)
            && moves.overhangs(overhang)
        {
            moves.is_staged = !moves.is_spread;
            return moves.made();
        }
        if is_found_out && !moves.is_spread && !moves.stream() {
            (moves.is_staged, sizing.is_staged) = (true, true);
            sizing.is_by_rows = moves.is_box_of_rows();
            moves.movers.clear();
            cut(&mut moves, sizing);
        }
        moves.made()
    }

    /// The same moves in chunks of about this many elements.
    pub(crate) fn with_chunks_of(mut self, target: i64) -> Self {
        self.cut_to(target, 0);
        self.made()
    }

    /// Cuts the destination into chunks of about this many elements, and no fewer than `reach` where that can be.
    fn cut_to(&mut self, target: i64, reach: i64) {
        let align = match self.unit_bytes() {
            Some(_) => alignment(target, self.widths.to),
            // Chunks of parts of rows would be many pieces.
            None => 8 >> self.widths.to.trailing_zeros().min(3),
        };
        let align = align.max(self.needs.align);
        let whole = self.allocation.max(1).saturating_add(align);
        self.chunk_elements = match self.is_injective {
            true => {
                let least = self.least_align().max(self.needs.align);
                let Self { allocation, is_staged, .. } = *self;
                let target = (target.max(1), reach);
                chunk_elements(&self.digits, allocation, target, align, least, is_staged)
            }
            // What lies in a chunk could be all over the place.
            false => whole - whole % align,
        };
    }

    /// The same moves with what their chunks need.
    fn made(mut self) -> Self {
        self.order = self.source_order();
        self.prepare_overhanging();
        if !self.needs.prepares {
            return self;
        }
        let n = self.n_chunks();
        self.prepare([0, 1, n.saturating_sub(1)]);
        self.ready = if self.n_chunks() == 1 { self.made_ready() } else { Vec::new() };
        self
    }

    /// Slots that are whole bytes, and whole steps of the boxes.
    fn least_align(&self) -> i64 {
        let bits = i64::from(self.widths.to);
        // Steps need be no multiples of slots: elements of 24 bits that lie together are moved by 16.
        let of = |whole: i64| whole / gcd(whole, bits);
        let (of_a_step, of_a_byte) = (of(self.slots.dst), of(8));
        of_a_step / gcd(of_a_step, of_a_byte) * of_a_byte
    }

    /// The same moves in chunks of about this many elements, ready to be moved at once if they stay in the caches; `None` if
    /// they do, and there are too many forms of pieces for all to be prepared.
    pub(crate) fn in_other_chunks_of(&self, target: i64) -> Option<Self> {
        let mut other = self.clone().with_chunks_of(target);
        if !other.is_streamed() && other.n_chunks() > 1 {
            other.prepare(0..other.n_chunks());
            other.ready = other.made_ready();
        }
        (other.is_streamed() || !other.has_more_forms).then_some(other)
    }

    /// Whether each chunk reads lines of most of the source.
    pub(crate) fn is_spread(&self) -> bool {
        self.is_spread
    }

    /// Whether chunks of so many bytes would still.
    pub(crate) fn are_spread_over(&self, bytes: usize) -> bool {
        usize::try_from(self.reach_of(READ_AT_LEAST)).is_ok_and(|reach| reach > bytes)
    }

    /// How far apart in the destination, in bytes, so many bytes of the source end up that lie together.
    pub(crate) fn reach_of(&self, bytes: i64) -> i64 {
        let nests = self.boxes.iter().map(Cuttable::nest);
        dst_reach(&nests, (self.slots.src, self.slots.dst), bytes)
    }

    /// The bytes of the units that are moved, if they are whole bytes.
    pub(crate) fn unit_bytes(&self) -> Option<i64> {
        self.slots.unit().map(|unit| unit as i64)
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
        let (Some(unit), [only]) = (self.unit_bytes(), self.boxes.as_slice()) else { return None };
        let unit = unit * 8;
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

    /// The source bytes from the first to the last that these chunks read, of which the last may be behind the source's end.
    pub(crate) fn source_span(&self, chunks: &Range<usize>) -> Range<usize> {
        let mut pieces = Vec::new();
        self.cut(&self.within(&self.elements_of(chunks)), &mut pieces);
        let Some(span) = self.span(&pieces) else { return 0..0 };
        let overhanging = self.overhanging.as_ref();
        let overhanging = overhanging.and_then(|rows| rows.source_span(&self.elements_of(chunks)));
        let bits = self.slots.src;
        let end = (span.end * bits).unsigned_abs().div_ceil(8);
        let end = match self.movers.iter().any(Mover::reads_beside) {
            true => end.next_multiple_of(WIDEST_SLOT as u64),
            false => end,
        };
        let exact = (span.start * bits / 8) as usize..end as usize;
        overhanging.map_or(exact.clone(), |of| of.start.min(exact.start)..of.end.max(exact.end))
    }

    /// Whether chunks are put together in the caches if they are to be streamed.
    pub(crate) fn is_staged(&self) -> bool {
        self.is_staged && self.overhanging.is_none()
    }

    /// The boxes, for a destination that is stored so.
    pub(crate) fn describe(&self, storing: Storing) -> Vec<BoxDescription> {
        let (from, to) = (i64::from(self.widths.from), i64::from(self.widths.to));
        let described = |nest: &Nest| {
            if self.overhanging.is_some() {
                return BoxDescription::of_tiles(nest, self.slots.value, to);
            }
            if self.unit_bytes().is_some() {
                return BoxDescription::of_units(
                    nest,
                    self.slots.value,
                    to,
                    self.target(),
                    storing,
                );
            }
            let start = (nest.src * from, nest.dst * to);
            let mover = Mover::of(Wanted {
                loops: &nest.loops,
                slots: self.slots,
                begin: Begin::of(start, self.slots, nest.loops.iter().copied()),
                first: nest.src,
                target: self.target(),
                level: Level::best(),
            });
            let kernel = mover.kind().unwrap_or(KernelKind::Bits);
            BoxDescription::of_elements(nest, from, to, kernel)
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
        let unit = self.slots.dst;
        let bits = |element: i64| element * i64::from(self.widths.to);
        let end = bits(elements.end);
        bits(elements.start) / unit..end / unit + i64::from(end % unit != 0)
    }

    fn cut(&self, within: &Range<i64>, pieces: &mut Vec<Piece>) {
        for (number, nest) in self.boxes.iter().enumerate() {
            nest.cut(number, within, pieces);
        }
    }

    /// Whether the pieces leave no slot of the chunk empty.
    fn is_filled(&self, pieces: &[Piece], n_elements: usize) -> bool {
        let all = n_elements as i64 * i64::from(self.widths.to);
        let covered: i64 = self.nests_of(pieces).map(|(nest, piece)| nest.elements(piece)).sum();
        self.is_injective && covered * self.slots.dst == all
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
}

/// Whether a destination of so many slots is streamed.
fn is_streamed(allocation: i64, widths: Widths) -> bool {
    let bytes = allocation.saturating_mul(widths.to.into()) / 8;
    Stores::for_bytes(usize::try_from(bytes).unwrap_or(usize::MAX)) == Stores::Streamed
}

/// Whether most elements of the boxes are written in whole lines.
fn write_lines(boxes: &[Nest], slots: Slots) -> bool {
    let all: i64 = boxes.iter().map(Nest::elements).sum();
    let writes = |nest: &&Nest| writes_lines(nest, slots.dst);
    boxes.iter().filter(writes).map(Nest::elements).sum::<i64>() >= most(all)
}

/// So many of `all` are most of them: three quarters.
fn most(all: i64) -> i64 {
    all - all / 4
}

/// The boxes in the largest whole units that suit all of them, or as they are; what they count in then.
fn in_slots(boxes: Vec<Nest>, widths: Widths) -> (Slots, Vec<Nest>) {
    let [value, src, dst] = [widths.value, widths.from, widths.to].map(i64::from);
    let elements = Slots { value, src, dst };
    if !widths.are_equal() {
        return (elements, boxes);
    }
    let in_bits: Vec<Nest> = boxes.iter().map(|nest| nest.in_bits(dst)).collect();
    let largest = |nest: &Nest| nest.grain().trailing_zeros().min(8);
    let unit = 1 << in_bits.iter().map(largest).min().unwrap_or(8);
    if unit < 8 {
        return (elements, boxes);
    }
    (Slots::same(unit), in_bits.iter().map(|nest| nest.in_units(unit)).collect())
}
