//! What a plan does, to be read by people and programs.

use crate::kernels::{self, Level, Stores, Target};
use crate::nest::{Loop, Nest};
use std::fmt;

/// What a [`Plan`](crate::Plan) does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The way that elements go.
    pub route: Route,
    /// The exact number of bytes of the source.
    pub src_bytes: usize,
    /// The exact number of bytes of the destination.
    pub dst_bytes: usize,
    /// The number of chunks that the destination is written in.
    pub n_chunks: usize,
    /// The bytes of each chunk but the last.
    pub chunk_bytes: usize,
    /// Whether all chunks together are walked as the source lies, not in the order of the
    /// destination, because what a chunk reads goes on in one far away.
    pub follows_source: bool,
    /// How bytes are stored.
    pub stores: Storing,
    /// The vector registers of this machine that kernels use: `AVX-512`, `AVX2`, `SSE4.1`, `NEON`
    /// or `none`.
    pub registers: &'static str,
    /// The slots of the destination that hold no element.
    pub padding_slots: i64,
    /// How many of those boxes have beside elements: they go as far as tiles do, and what they write beyond the end of a dimension is
    /// filled afterwards.
    pub refilled_slots: i64,
    /// The slots of the source's padding beyond the ends of rows, as far as tiles go that a dimension does not fill: they are moved with
    /// the rows as far as a stage, where they stay or are written over by the next row.
    pub overwritten_slots: i64,
    /// The boxes of elements, and of what is refilled, each with its own loops. Empty unless the route is one of boxes.
    pub boxes: Vec<BoxDescription>,
}

/// The way that elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Route {
    /// The destination is the source byte for byte: one copy.
    Copy,
    /// Loop nests, moved by kernels.
    Boxes,
    /// Loop nests between the layouts under the swizzles, which the boxes are of: pieces of 16 bytes change their
    /// places as they are loaded and stored, or on the way through the caches.
    Swizzled,
    /// Loop nests to rows in memory of their own, and from there on, because the two maps come apart
    /// into far fewer boxes with rows than with each other, or into boxes whose elements lie alone; or to the destination's
    /// tiles in rows and from there on, because few of their places are filled.
    Through,
    /// One by one by both maps' offsets, because there would be too many boxes, through rows as well.
    Elements,
}

impl Route {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Route::Copy => "copy",
            Route::Boxes => "boxes",
            Route::Swizzled => "swizzled",
            Route::Through => "through",
            Route::Elements => "elements",
        }
    }
}

/// How a destination is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storing {
    /// Into the caches.
    Cached,
    /// Past the caches, since it is larger than they are.
    Streamed,
    /// Put together in the caches and streamed from there, because what a kernel writes at a time
    /// are parts of cache lines.
    Staged,
}

impl Storing {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Storing::Cached => "cached",
            Storing::Streamed => "streamed",
            Storing::Staged => "staged",
        }
    }
}

/// One box of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxDescription {
    /// The number of elements, and of slots that are [filled afterwards](Description::refilled_slots).
    pub elements: i64,
    /// The bits that are moved at a time by the kernel: a whole number of bytes where elements
    /// stay together or are whole bytes themselves.
    pub unit_bits: i64,
    /// What moves the innermost loops.
    ///
    /// The kernel is chosen when a box is moved: a chunk may have only a part of it, and its memory
    /// begins where the caller's does. This is the choice for the whole box, in memory that begins
    /// on a cache line.
    pub kernel: KernelKind,
    /// Where the first element lies in the source, in bits.
    pub src_start_bits: i64,
    /// Where the first element goes, in bits.
    pub dst_start_bits: i64,
    /// The loops, outermost first.
    pub loops: Vec<LoopDescription>,
}

/// Kernels with what they are called. Each has to have words of its own, since documentation must
/// not be missing; and [`kernels::choice`] names one of these for each kernel that there is.
macro_rules! kernel_kinds {
    ($($(#[doc = $words:literal])* $kind:ident = $name:literal,)*) => {
        /// What moves the innermost loops of a box.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum KernelKind {
            $($(#[doc = $words])* $kind,)*
        }

        impl KernelKind {
            /// Every kernel that there is.
            pub const ALL: &[KernelKind] = &[$(KernelKind::$kind,)*];

            /// What it is called.
            pub fn name(self) -> &'static str {
                match self {
                    $(KernelKind::$kind => $name,)*
                }
            }
        }
    };
}

kernel_kinds! {
    /// Runs, contiguous on both sides, are copied.
    Runs = "runs",
    /// Runs that follow each other in the destination are streamed as one, where they do not begin
    /// at cache lines.
    JoinedRuns = "joined runs",
    /// 3, 5, 6, 7 or 9 rows of the source are interleaved.
    Zip = "zip",
    /// A run of the source is taken apart into 3, 5, 6, 7 or 9 rows.
    Unzip = "unzip",
    /// Registers are loaded, the bytes and bits in them exchanged, and stored: transposes, interleaves,
    /// whatever has neighbours on both sides, few or many.
    Tile = "tile",
    /// The same by way of a stage, where loops of odd extents make the neighbours of one side.
    ListedTile = "listed tile",
    /// Registers are looked up byte by byte in windows of the source, by tables: what has no powers of two,
    /// or holes between its elements.
    Lookup = "lookup",
    /// Elements are moved one by one.
    Single = "single",
    /// Elements are put together in fewer bits each, by rows.
    Pack = "pack",
    /// Elements are taken apart into more bits each, by rows.
    Unpack = "unpack",
    /// Rows of either side go by way of stages, in which every index has room for a power of two, and are exchanged there
    /// as tiles: odd extents, elements below a byte that begin within bytes.
    Rows = "rows",
    /// Matrices of elements below a byte are transposed, by squares, from and to any bit.
    BitTranspose = "bit transpose",
    /// Elements of any other widths, or at places within bytes, one by one.
    Bits = "bits",
}

impl fmt::Display for KernelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One loop of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopDescription {
    /// The number of steps.
    pub extent: i64,
    /// From one step to the next in the source, in bits.
    pub src_stride_bits: i64,
    /// The same in the destination.
    pub dst_stride_bits: i64,
    /// Whether the loop is the kernel's own, or one of those around it.
    pub is_kernels: bool,
}

impl Storing {
    pub(crate) fn of(dst_bytes: usize, is_staged: bool) -> Self {
        match Stores::for_bytes(dst_bytes) {
            Stores::Cached => Storing::Cached,
            _ if is_staged => Storing::Staged,
            _ => Storing::Streamed,
        }
    }

    fn stores(self) -> Stores {
        match self {
            Storing::Cached => Stores::Cached,
            Storing::Streamed => Stores::Streamed,
            Storing::Staged => Stores::Staged,
        }
    }
}

/// The name of the registers in use.
pub(crate) fn registers() -> &'static str {
    Level::best().name()
}

impl BoxDescription {
    /// A box in units of whole bytes, and the kernel that moves it.
    pub(crate) fn of_units(
        nest: &Nest,
        unit_bits: i64,
        slot_bits: i64,
        target: Target,
        storing: Storing,
    ) -> Self {
        let (start, unit) = (nest.dst.saturating_mul(unit_bits / 8), (unit_bits / 8) as usize);
        let (kernel, around, own) =
            kernels::choice(&nest.loops, unit, start, target, storing.stores());
        let loops = around.iter().map(|l| described(l, unit_bits, unit_bits, false));
        let own = own.iter().map(|l| described(l, unit_bits, unit_bits, true));
        BoxDescription {
            elements: n_steps(nest).saturating_mul(unit_bits) / slot_bits,
            unit_bits,
            kernel,
            src_start_bits: nest.src.saturating_mul(unit_bits),
            dst_start_bits: nest.dst.saturating_mul(unit_bits),
            loops: loops.chain(own).collect(),
        }
    }

    /// A box in units of whole bytes that is moved by tiles, with others.
    pub(crate) fn of_tiles(nest: &Nest, unit_bits: i64, slot_bits: i64) -> Self {
        let elements = n_steps(nest).saturating_mul(unit_bits) / slot_bits;
        BoxDescription {
            elements,
            ..Self::of_elements(nest, unit_bits, unit_bits, KernelKind::Tile)
        }
    }

    /// A box of elements that are not whole bytes on both sides, or not of the same width.
    pub(crate) fn of_elements(nest: &Nest, from: i64, to: i64, kernel: KernelKind) -> Self {
        BoxDescription {
            elements: n_steps(nest),
            unit_bits: from.min(to),
            kernel,
            src_start_bits: nest.src.saturating_mul(from),
            dst_start_bits: nest.dst.saturating_mul(to),
            loops: nest.loops.iter().map(|l| described(l, from, to, true)).collect(),
        }
    }
}

fn described(l: &Loop, from: i64, to: i64, is_kernels: bool) -> LoopDescription {
    LoopDescription {
        extent: l.extent,
        src_stride_bits: l.src.saturating_mul(from),
        dst_stride_bits: l.dst.saturating_mul(to),
        is_kernels,
    }
}

fn n_steps(nest: &Nest) -> i64 {
    nest.loops.iter().fold(1, |steps, l| steps.saturating_mul(l.extent))
}
