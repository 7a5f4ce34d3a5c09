//! A relayout prepared once, to be run many times.

mod shares;
mod way;

use crate::boxes::BoxMoves;
use crate::description::{Description, Route, Storing, registers};
use crate::error::{Error, Kind, check_length, check_width};
use crate::flip::Flip;
use crate::kernels::Stores;
use crate::options::{Pad, RunOptions};
use crate::placement::Placement;
use crate::pool::SHARED_FROM;
use crate::run::{Chunks, Crew};
use crate::widths::Widths;
use crate::work::{MAX_KEPT, SourcePart, Work};
use shares::{MOST_SHARE, Shares};
use std::ops::Range;
use std::sync::OnceLock;
use way::Way;

/// Arrays of more dimensions are planned without those of a single index: what planning takes grows
/// with the number of dimensions more than once over. No more than 62 sizes above 1 have a product
/// that an `i64` counts.
const MAX_RANK: usize = 62;

/// How to move an array from one [`Placement`] to another.
///
/// A plan holds no data and no thread; it can be cloned, sent and shared.
///
/// The destination is cut into chunks, consecutive ranges of bytes that are written independently
/// of each other. [`run`](Self::run) writes them all; [`run_chunks`](Self::run_chunks) writes some
/// of them from the part of the source they need, for arrays larger than memory.
///
/// ```
/// use tilewright::Shape;
/// use tilewright_relayout::{Placement, Plan, RunOptions};
/// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
/// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
/// # }
/// let plan = Plan::new(&placement("u8[2,3]")?, &placement("u8[2,3]{0,1}")?)?;
/// let mut columns = [0; 6];
/// plan.run(&[1, 2, 3, 4, 5, 6], &mut columns, &RunOptions::default())?;
/// assert_eq!(columns, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    src_bytes: usize,
    dst_bytes: usize,
    chunk_bytes: usize,
    n_chunks: usize,
    widths: Widths,
    dst_slots: i64,
    padding_slots: i64,
    route: Way,
    /// What threads share in place of the plan's chunks: found out when they are there, and it is worth it.
    shares: OnceLock<Shares>,
    /// Whether they were there once before.
    was_run: OnceLock<()>,
    /// The same in one chunk, for a thread that moves all of an array whose chunks each read lines of most of
    /// the source.
    whole: OnceLock<Option<Box<BoxMoves>>>,
    flip: Option<Box<Flip>>,
}

impl Plan {
    /// Plans to move elements from `from` to `to`.
    ///
    /// Where slots differ in width, an element is the low bits that fit both: a wider destination
    /// slot gets zeros above them, a narrower one cuts them off.
    ///
    /// # Errors
    /// If the logical dimensions differ, or elements share a slot of the destination that is not said
    /// to [hold copies](Placement::holding_copies).
    pub fn new(from: &Placement, to: &Placement) -> Result<Self, Error> {
        Self::with_value_bits(from, to, 128)
    }

    /// As [`new`](Self::new), for elements that have only `value_bits` bits where their slots may
    /// have more: a source slot's bits above those are ignored, a destination slot's are zero.
    ///
    /// The width of a value belongs to what is moved, not to either buffer: an `s4` has 4 bits
    /// also on its way from one array of whole bytes to another.
    ///
    /// ```
    /// use tilewright::Shape;
    /// use tilewright_relayout::{Placement, Plan, RunOptions};
    /// let shape: Shape = "s4[2]".parse()?; // a byte each
    /// let placement = Placement::from_shape(shape.as_array()?)?;
    /// let plan = Plan::with_value_bits(&placement, &placement, 4)?;
    /// let mut clean = [0; 2];
    /// plan.run(&[0xf7, 0x18], &mut clean, &RunOptions::default())?; // stray high bits
    /// assert_eq!(clean, [0x07, 0x08]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new), and if `value_bits` is not 1 to 128.
    pub fn with_value_bits(
        from: &Placement,
        to: &Placement,
        value_bits: u32,
    ) -> Result<Self, Error> {
        Self::by(Way::choose, from, to, value_bits)
    }

    /// As [`with_value_bits`](Self::with_value_bits), in boxes that are linear in both layouts wherever those are few, and of elements alone:
    /// without [a way of its own for swizzles](Route::Swizzled), whose boxes are of other layouts, and without [slots that are
    /// filled afterwards](Description::refilled_slots). For whoever makes loops of the
    /// boxes of a [description](Self::describe).
    ///
    /// ```
    /// use tilewright::notation::DescribedArray;
    /// use tilewright_relayout::{Placement, Plan, Route};
    /// let placement = |text: &str| {
    ///     Placement::from_described(&text.parse::<DescribedArray>().unwrap()).unwrap()
    /// };
    /// let (from, to) = (placement("u16 Sw<3,3,3> o 0 o (8,64):(64,1)"), placement("u16[8,64]"));
    /// assert_eq!(Plan::new(&from, &to)?.describe().route, Route::Swizzled);
    /// let description = Plan::in_linear_boxes(&from, &to, 16)?.describe();
    /// assert_eq!((description.route, description.boxes.len()), (Route::Boxes, 8));
    /// # Ok::<(), tilewright_relayout::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_value_bits`](Self::with_value_bits).
    pub fn in_linear_boxes(
        from: &Placement,
        to: &Placement,
        value_bits: u32,
    ) -> Result<Self, Error> {
        Self::by(Way::choose_linear, from, to, value_bits)
    }

    fn by(
        choose: fn(&Placement, &Placement, Widths) -> Result<Way, Error>,
        from: &Placement,
        to: &Placement,
        value_bits: u32,
    ) -> Result<Self, Error> {
        check_width("a value", value_bits)?;
        let (source, target) = (from.map(), to.map());
        if source.dims() != target.dims() {
            let (from, to) = (source.dims().to_vec(), target.dims().to_vec());
            return Err(Error::new(Kind::Dims { from, to }));
        }
        if source.dims().len() > MAX_RANK {
            return Self::by(choose, &squeezed(from)?, &squeezed(to)?, value_bits);
        }
        to.check_loses_nothing()?;
        let (from_bits, to_bits) = (from.element_bits(), to.element_bits());
        let value = value_bits.min(from_bits).min(to_bits);
        let widths = Widths { from: from_bits, to: to_bits, value };
        Self::of(from, to, widths, choose(from, to, widths)?)
    }

    fn of(from: &Placement, to: &Placement, widths: Widths, route: Way) -> Result<Self, Error> {
        let (src_bytes, dst_bytes) = (from.bytes(), to.bytes());
        let (n_chunks, chunk_bytes) = route.chunks(dst_bytes)?;
        let dst_slots = to.map().allocation();
        let padding_slots = dst_slots - to.map().elements();
        Ok(Plan {
            src_bytes,
            dst_bytes,
            chunk_bytes,
            n_chunks,
            widths,
            dst_slots,
            padding_slots,
            route,
            shares: OnceLock::new(),
            was_run: OnceLock::new(),
            whole: OnceLock::new(),
            flip: None,
        })
    }

    /// The same plan, which XORs every element with these bits on its way, as a library does that keeps signed codes
    /// as unsigned ones: an `s4` is flipped by 8. Padding holds what it is said to hold.
    ///
    /// ```
    /// use tilewright::Shape;
    /// use tilewright_relayout::{Placement, Plan, RunOptions};
    /// let shape: Shape = "s4[2]{0:E(4)}".parse()?; // two in a byte
    /// let placement = Placement::from_shape(shape.as_array()?)?;
    /// let plan = Plan::new(&placement, &placement)?.flipping(8);
    /// let mut unsigned = [0];
    /// plan.run(&[0x7f], &mut unsigned, &RunOptions::default())?; // -1 and 7
    /// assert_eq!((unsigned, plan.is_copy()), ([0xf7], false)); // -1 + 8 and 7 + 8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn flipping(mut self, bits: u128) -> Self {
        let slots = self.dst_slots.unsigned_abs();
        self.flip = Flip::new(bits, self.widths.to, slots).map(Box::new);
        self
    }

    /// The same plan in chunks of about `bytes` bytes of the destination, instead of what the plan
    /// [chose](crate#the-idea). Chunks begin where the destination's tiles do, and
    /// are larger than asked for where that is not possible, or where the whole is hardly more than
    /// one.
    ///
    /// # Errors
    /// If the bytes of a chunk do not fit a `usize`.
    pub fn with_chunks_of(mut self, bytes: usize) -> Result<Self, Error> {
        let bits = i64::try_from(bytes).unwrap_or(i64::MAX).saturating_mul(8);
        self.route = self.route.with_chunks_of(bits / i64::from(self.widths.to), bytes)?;
        (self.n_chunks, self.chunk_bytes) = self.route.chunks(self.dst_bytes)?;
        (self.shares, self.whole, self.was_run) = Default::default();
        Ok(self)
    }

    /// The exact number of bytes of the source.
    pub fn src_bytes(&self) -> usize {
        self.src_bytes
    }

    /// The exact number of bytes of the destination.
    pub fn dst_bytes(&self) -> usize {
        self.dst_bytes
    }

    /// Whether the destination is the source, byte for byte, and has no padding, so that a run is
    /// a plain copy.
    pub fn is_copy(&self) -> bool {
        matches!(self.route, Way::Copy(_)) && self.flip.is_none()
    }

    /// The number of chunks. It is 1 where the array is not moved in boxes (see the
    /// [crate's page](crate#what-is-not-here)) or several elements may go to one slot; for an empty
    /// destination 0.
    pub fn n_chunks(&self) -> usize {
        self.n_chunks
    }

    /// The bytes of the destination that a chunk writes. Chunks follow each other without gaps;
    /// one that does not exist is empty, at the end.
    pub fn chunk_bytes(&self, chunk: usize) -> Range<usize> {
        let at = |chunk: usize| chunk.saturating_mul(self.chunk_bytes).min(self.dst_bytes);
        at(chunk)..at(chunk.saturating_add(1))
    }

    /// The bytes of the source from the first to the last that these chunks read; empty if they
    /// read none, because they are all padding or do not exist. The last may be up to 7 bytes behind their last element, where
    /// elements are read with the padding beside them; or as far behind it, within the source, as boxes go beyond the end
    /// of a dimension (see [`Description::refilled_slots`]), or rows are moved beyond theirs
    /// ([`Description::overwritten_slots`]).
    ///
    /// ```
    /// use tilewright::Shape;
    /// use tilewright_relayout::{Placement, Plan};
    /// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
    /// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
    /// # }
    /// let tiled = placement("f32[4096,1024]{1,0:T(8,128)}")?;
    /// let plan = Plan::new(&placement("f32[4096,1024]")?, &tiled)?;
    /// // Rows of tiles come from as many rows.
    /// assert_eq!(plan.source_span(0..2), plan.chunk_bytes(0).start..plan.chunk_bytes(1).end);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn source_span(&self, chunks: Range<usize>) -> Range<usize> {
        if chunks.start >= chunks.end.min(self.n_chunks) {
            return 0..0;
        }
        let span = match &self.route {
            Way::Copy(moves) | Way::Boxes(moves) => moves.source_span(&chunks),
            Way::Through(through) => {
                through.source_span(chunks.start..chunks.end.min(self.n_chunks))
            }
            Way::Swizzled(swizzled) => swizzled.source_span(&chunks),
            Way::Elements(_) => 0..self.src_bytes,
        };
        span.start..span.end.min(self.src_bytes)
    }

    /// The most bytes of memory that a thread allocates to run chunks, or all of it, on its own,
    /// besides the source and the destination: tables, a chunk that is put together before it is
    /// streamed, elements on their way to being packed, rows that an array goes through.
    ///
    /// Every thread has its own. What one has kept of an earlier run, of this plan or another,
    /// comes on top: [`MOST_KEPT_BYTES`](Self::MOST_KEPT_BYTES) at most.
    ///
    /// ```
    /// use tilewright::Shape;
    /// use tilewright_relayout::{Placement, Plan};
    /// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
    /// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
    /// # }
    /// // Chunks of tiles whose rows are not filled are put together before they are streamed.
    /// let tiles = placement("f32[62495,127]{1,0:T(8,128)}")?;
    /// let plan = Plan::new(&placement("f32[62495,127]")?, &tiles)?;
    /// let small = plan.clone().with_chunks_of(1 << 16)?;
    /// assert!(small.scratch_bytes() < plan.scratch_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scratch_bytes(&self) -> usize {
        match &self.route {
            Way::Copy(moves) => moves.list_bytes(),
            Way::Boxes(moves) => moves.scratch_bytes(self.may_be_shared()),
            Way::Through(through) => through.scratch_bytes(),
            Way::Swizzled(swizzled) => swizzled.scratch_bytes(),
            Way::Elements(moves) => moves.scratch_bytes(),
        }
    }

    /// The bytes of memory that a thread keeps at most from one run to the next, so that many small
    /// arrays cost no allocations.
    pub const MOST_KEPT_BYTES: usize = MAX_KEPT;

    /// The bytes of memory that the plan itself holds, or the most that it may: its boxes, and the
    /// tables of the offsets of elements that are moved one by one.
    pub fn held_bytes(&self) -> usize {
        let here = size_of::<Self>();
        here.saturating_add(match &self.route {
            Way::Copy(moves) => moves.held_bytes(),
            Way::Boxes(moves) => {
                let is_alone_too = moves.is_streamed() && moves.is_spread();
                let n_others = usize::from(self.may_be_shared()) + usize::from(is_alone_too);
                let others = moves.most_bytes_in_other_chunks().saturating_mul(n_others);
                moves.held_bytes().saturating_add(others)
            }
            Way::Through(through) => through.legs().map(Plan::held_bytes).iter().sum(),
            Way::Swizzled(swizzled) => swizzled.held_bytes(),
            Way::Elements(moves) => moves.held_bytes(),
        })
    }

    /// What the plan does: its way, its chunks, its boxes with their loops and kernels. Kernels are
    /// chosen when the plan is run, chunk by chunk; here are those that whole boxes would be moved
    /// by, in memory that begins on a cache line.
    ///
    /// ```
    /// use tilewright::Shape;
    /// use tilewright_relayout::{KernelKind, Placement, Plan, Route};
    /// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
    /// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
    /// # }
    /// let tiled = placement("f32[64,512]{1,0:T(8,128)}")?;
    /// let description = Plan::new(&placement("f32[64,512]")?, &tiled)?.describe();
    /// assert_eq!(description.route, Route::Boxes);
    /// assert_eq!(description.boxes[0].kernel, KernelKind::Runs); // of the 512 bytes of a tile's row
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe(&self) -> Description {
        let (route, boxes) = match &self.route {
            Way::Copy(_) => (Route::Copy, None),
            Way::Boxes(boxes) => (Route::Boxes, Some(boxes)),
            Way::Through(_) => (Route::Through, None),
            Way::Swizzled(swizzled) => (Route::Swizzled, Some(swizzled.moves())),
            Way::Elements(_) => (Route::Elements, None),
        };
        let stores = Storing::of(self.dst_bytes, boxes.is_some_and(BoxMoves::is_staged));
        let described = boxes.map_or_else(Vec::new, |boxes| boxes.describe(stores));
        let in_boxes = described.iter().map(|of| of.elements).reduce(i64::saturating_add);
        let elements = self.dst_slots - self.padding_slots;
        Description {
            route,
            src_bytes: self.src_bytes,
            dst_bytes: self.dst_bytes,
            n_chunks: self.n_chunks,
            chunk_bytes: self.chunk_bytes,
            follows_source: boxes.is_some_and(|boxes| boxes.order().is_some()),
            stores,
            registers: registers(),
            padding_slots: self.padding_slots,
            refilled_slots: in_boxes.map_or(0, |slots| slots - elements),
            overwritten_slots: boxes.map_or(0, BoxMoves::overwritten_slots),
            boxes: described,
        }
    }

    /// Moves the whole array. Every byte of `dst` is written.
    ///
    /// # Errors
    /// If a buffer is not exactly as long as its placement says, or tables that are needed do not fit
    /// memory.
    pub fn run(&self, src: &[u8], dst: &mut [u8], options: &RunOptions<'_>) -> Result<(), Error> {
        check_length("source", self.src_bytes, src.len())?;
        check_length("destination", self.dst_bytes, dst.len())?;
        self.write_part(0, SourcePart { bytes: src, start: 0 }, dst, options)
    }

    /// Writes some chunks from a part of the source.
    ///
    /// `src_part` is the source from byte `src_start` on, and covers at least
    /// [`source_span`](Self::source_span) of these chunks. `dst_part` is exactly the bytes of the
    /// destination from the first of these chunks to the last.
    ///
    /// ```
    /// # use tilewright::Shape;
    /// # use tilewright_relayout::{Error, Placement, Plan, RunOptions};
    /// # use std::io::{Read, Seek, SeekFrom, Write};
    /// /// Converts a file a chunk at a time.
    /// fn convert(
    ///     plan: &Plan,
    ///     mut from: impl Read + Seek,
    ///     mut to: impl Write,
    /// ) -> Result<(), Box<dyn std::error::Error>> {
    ///     for chunk in 0..plan.n_chunks() {
    ///         let span = plan.source_span(chunk..chunk + 1);
    ///         let mut src = vec![0; span.len()];
    ///         from.seek(SeekFrom::Start(span.start as u64))?;
    ///         from.read_exact(&mut src)?;
    ///         let mut dst = vec![0; plan.chunk_bytes(chunk).len()];
    ///         let chunks = chunk..chunk + 1;
    ///         plan.run_chunks(chunks, &src, span.start, &mut dst, &RunOptions::default())?;
    ///         to.write_all(&dst)?;
    ///     }
    ///     Ok(())
    /// }
    /// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
    /// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
    /// # }
    /// # let plan = Plan::new(&placement("u8[2,3]")?, &placement("u8[2,3]{0,1}")?)?;
    /// # let mut out = Vec::new();
    /// # convert(&plan, std::io::Cursor::new([1, 2, 3, 4, 5, 6]), &mut out)?;
    /// # assert_eq!(out, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a chunk does not exist, `dst_part` has another length, or `src_part` lacks bytes that
    /// are read.
    pub fn run_chunks(
        &self,
        chunks: Range<usize>,
        src_part: &[u8],
        src_start: usize,
        dst_part: &mut [u8],
        options: &RunOptions<'_>,
    ) -> Result<(), Error> {
        self.check_chunks(&chunks)?;
        let expected = self.chunk_bytes(chunks.end).start - self.chunk_bytes(chunks.start).start;
        check_length("part of the destination", expected, dst_part.len())?;
        let needed = self.source_span(chunks.clone());
        let given = src_start..src_start.saturating_add(src_part.len());
        if !needed.is_empty() && (needed.start < given.start || needed.end > given.end) {
            return Err(Error::new(Kind::Missing { needed, given }));
        }
        let src = SourcePart { bytes: src_part, start: src_start };
        self.write_part(chunks.start, src, dst_part, options)
    }

    /// Whether it is ever cut into slabs or other chunks for threads.
    fn may_be_shared(&self) -> bool {
        self.src_bytes.max(self.dst_bytes) >= SHARED_FROM
    }

    fn check_chunks(&self, chunks: &Range<usize>) -> Result<(), Error> {
        match chunks.start <= chunks.end && chunks.end <= self.n_chunks {
            true => Ok(()),
            false => {
                let (asked, n_chunks) = (chunks.clone(), self.n_chunks);
                Err(Error::new(Kind::Chunks { asked, n_chunks }))
            }
        }
    }

    /// Writes one chunk with what a thread has for it.
    pub(crate) fn write_chunk(
        &self,
        work: &mut Work,
        chunk: usize,
        src: SourcePart<'_>,
        dst: &mut [u8],
        options: &RunOptions<'_>,
    ) -> Result<(), Error> {
        match (&self.route, &self.flip) {
            (Way::Boxes(moves), None) => {
                moves.run_chunk(work, src, chunk, dst, options.pad.pattern(self.widths.to));
                Ok(())
            }
            _ => self.write_part(chunk, src, dst, options),
        }
    }

    /// Writes chunks from number `first` on into a `dst` of the right length.
    pub(crate) fn write_part(
        &self,
        first: usize,
        src: SourcePart<'_>,
        dst: &mut [u8],
        options: &RunOptions<'_>,
    ) -> Result<(), Error> {
        // Padding is flipped with the elements, and comes back.
        let flip = self.flip.as_deref();
        let pad = options.pad.pattern(self.widths.to) ^ flip.map_or(0, Flip::of_slot);
        match &self.route {
            Way::Copy(_) => {
                copy(src, self.chunk_bytes(first).start, dst);
                self.flip_from(first, dst);
            }
            Way::Boxes(moves) => self.write_boxes(moves, first, src, dst, pad, options)?,
            _ if dst.is_empty() => {}
            Way::Through(through) => {
                let options = &RunOptions { pad: Pad::Bits(pad), ..*options };
                let after = |start: usize, dst: &mut [u8]| {
                    if let Some(flip) = flip {
                        flip.apply(start, dst);
                    }
                };
                through.write(first, src, dst, options, after)?;
            }
            Way::Swizzled(swizzled) => {
                let crew = Crew::of(options.threads, dst.len());
                let chunk_bytes = self.chunk_bytes;
                Chunks { dst, chunk_bytes, order: None }.write(&crew, |work, number, dst| {
                    swizzled.run_chunk(work, src, first + number, dst, pad);
                    if let Some(flip) = flip {
                        flip.apply((first + number) * chunk_bytes, dst);
                    }
                });
            }
            Way::Elements(moves) => {
                moves.run(whole_of(src, self.src_bytes), dst, pad)?;
                self.flip_from(first, dst);
            }
        }
        Ok(())
    }

    /// Writes chunks from number `first` on in boxes.
    fn write_boxes(
        &self,
        moves: &BoxMoves,
        first: usize,
        src: SourcePart<'_>,
        dst: &mut [u8],
        pad: u128,
        options: &RunOptions<'_>,
    ) -> Result<(), Error> {
        let flip = self.flip.as_deref();
        let is_whole = dst.len() == self.dst_bytes;
        // What is packed was more bytes before.
        let larger = if is_whole { self.src_bytes.max(self.dst_bytes) } else { dst.len() };
        let crew = Crew::of(options.threads, larger);
        if crew.is_caller()
            && is_whole
            && Stores::for_bytes(dst.len()) == Stores::Cached
            && moves.run_ready(src, dst, pad)
        {
            self.flip_from(first, dst);
            return Ok(());
        }
        let shares = match is_whole && !crew.is_caller() {
            true => self.shares(moves, crew.n_threads()),
            false => &Shares::AsPlanned,
        };
        let (crew, other) = match shares {
            Shares::Slabs(slabs) if moves.write_slabs(slabs, &crew, src, dst, pad) => {
                if let Some(flip) = flip {
                    let chunk_bytes = MOST_SHARE;
                    Chunks { dst, chunk_bytes, order: None }.write(&crew, |_, number, dst| {
                        flip.apply(number * chunk_bytes, dst);
                    });
                }
                return Ok(());
            }
            Shares::Slabs(_) | Shares::Alone => (Crew::Caller, None),
            Shares::Chunks(chunks) => (crew, Some(&**chunks)),
            Shares::AsPlanned => (crew, None),
        };
        let other = match crew.is_caller() && is_whole {
            true => self.in_one_chunk(moves),
            false => other,
        };
        let (moves, chunk_bytes) = match other {
            Some(other) => (other, other.chunk_bytes()?),
            None => (moves, self.chunk_bytes),
        };
        let order = if is_whole { moves.order() } else { None };
        Chunks { dst, chunk_bytes, order }.write(&crew, |work, number, dst| {
            moves.run_chunk(work, src, first + number, dst, pad);
            if let Some(flip) = flip {
                flip.apply((first + number) * chunk_bytes, dst);
            }
        });
        Ok(())
    }

    /// Flips what chunk number `first` and those after it have written.
    fn flip_from(&self, first: usize, dst: &mut [u8]) {
        if let Some(flip) = self.flip.as_deref() {
            flip.apply(self.chunk_bytes(first).start, dst);
        }
    }
}

/// Zeros, if there is memory for so many bytes. It is asked for before, since a `Vec` of zeros that cannot be had ends
/// the process; one that is reserved first and then filled has all of its pages touched twice.
pub(crate) fn zeros(len: usize) -> Result<Vec<u8>, Error> {
    drop(std::hint::black_box(room(len)?));
    Ok(vec![0; len])
}

/// An empty list with room for so many bytes.
pub(crate) fn room(len: usize) -> Result<Vec<u8>, Error> {
    let mut room = Vec::new();
    match room.try_reserve_exact(len) {
        Ok(()) => Ok(room),
        Err(_) => Err(Error::new(Kind::Memory { bytes: len })),
    }
}

/// The same array without its dimensions of a single index; of one without elements, a list of none.
fn squeezed(placement: &Placement) -> Result<Placement, Error> {
    let map = placement.map();
    let sizes: Vec<i64> = match map.elements() {
        0 => vec![0],
        _ => map.dims().iter().copied().filter(|&size| size > 1).collect(),
    };
    placement.with_map(map.reshaped(&sizes)?)
}

/// The source from its first byte on.
fn whole_of(src: SourcePart<'_>, bytes: usize) -> &[u8] {
    let start = src.place_of(0) / 8;
    src.bytes.get(start..).and_then(|rest| rest.get(..bytes)).unwrap_or_default()
}

/// Copies the bytes of the source from `start` on.
fn copy(src: SourcePart<'_>, start: usize, dst: &mut [u8]) {
    let from = src.bytes.get(start.saturating_sub(src.start)..).unwrap_or_default();
    if let Some(from) = from.get(..dst.len()) {
        dst.copy_from_slice(from);
    }
}
