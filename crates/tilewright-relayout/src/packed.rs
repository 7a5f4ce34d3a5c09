//! Boxes of packed elements, moved by whole bytes from or to bytes that hold an element each.
//!
//! On a packed side, the first loop of a box makes bytes: of 8, 4 or 2 elements. Packing puts
//! those together ([`Fold`]), row by row, in the order of the source, and what comes out, a byte for
//! each packed byte, is then moved like any other bytes. Unpacking moves packed bytes into the order
//! of the destination first and takes them apart there.
//!
//! Boxes that begin or end within a byte are not moved in this way.

use crate::bits::{self, SubByte};
use crate::description::KernelKind;
use crate::kernels::{Fold, Form, Level, Means, Mover, Stores, fold};
use crate::nest::{Loop, Nest, walk};
use crate::widths::Widths;
use crate::work::grown;

/// Runs of fewer bytes are not folded if there is another way.
const LEAST_RUN: i64 = 16;

/// The sides of a move: which one is packed, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packed {
    Destination(SubByte),
    Source(SubByte),
}

/// A box on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Folded {
    /// From bytes that hold an element each.
    Pack(FoldedBytes),
    /// To such bytes. The sides of the box are exchanged, so that the packed one is the destination.
    Unpack(FoldedBytes),
}

/// How the elements of a box make bytes, and all that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoldedBytes {
    width: SubByte,
    /// From one element of a byte to the next, on the side of bytes.
    lane: i64,
    /// Bytes of the packed side that are made of runs on the other; if the elements of a byte are
    /// neighbours there, each of so many bytes.
    run: Loop,
    /// The loops around, in steps of elements on one side and of bytes on the packed one.
    outer: Vec<Loop>,
    /// Where the first element lies, in the same steps.
    src: i64,
    dst: i64,
}

/// Lists and buffers that are used again for every box.
#[derive(Debug, Default)]
pub(crate) struct FoldWork {
    bytes: Vec<u8>,
    /// Lists of loops and what moves them, of the boxes that came last.
    movers: Vec<(Vec<Loop>, bool, Mover)>,
    /// Room for a list.
    loops: Vec<Loop>,
}

impl FoldWork {
    /// The most movers that are kept.
    pub(crate) const MOST_MOVERS: usize = 4;

    /// Moves single bytes.
    fn move_nest(&mut self, nest: Nest, src: &[u8], dst: &mut [u8], means: Means) {
        let nest = nest.tidied();
        let is_streamed = means.stores == Stores::Streamed;
        let is_it = |(loops, streamed, _): &(Vec<Loop>, bool, Mover)| {
            *streamed == is_streamed && *loops == nest.loops
        };
        let number = match self.movers.iter().position(is_it) {
            Some(number) => number,
            None => {
                if self.movers.len() == Self::MOST_MOVERS {
                    self.movers.remove(0);
                }
                let mover = Mover::new(&nest.loops, 1, means.level, is_streamed);
                self.movers.push((nest.loops, is_streamed, mover));
                self.movers.len() - 1
            }
        };
        if let Some((_, _, mover)) = self.movers.get(number) {
            mover.run((nest.src, nest.dst), src, dst, means, &mut self.loops);
        }
    }

    /// The bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity()
            + self.movers.iter().map(|(_, _, mover)| mover.held_bytes()).sum::<usize>()
    }
}

impl Packed {
    /// Which side is packed, where the other has a byte for each element.
    pub(crate) fn of(widths: Widths) -> Option<Self> {
        let Widths { from, to, value } = widths;
        match (SubByte::of(from), SubByte::of(to)) {
            (None, Some(width)) if from == 8 && value == to => Some(Packed::Destination(width)),
            (Some(width), None) if to == 8 && value == from => Some(Packed::Source(width)),
            _ => None,
        }
    }

    /// The number of elements in so many bytes of the source.
    pub(crate) fn source_elements(self, bytes: usize) -> i64 {
        match self {
            Packed::Destination(_) => bytes as i64,
            Packed::Source(width) => bytes as i64 * width.per_byte(),
        }
    }

    /// What is done.
    pub(crate) fn kernel(self) -> KernelKind {
        match self {
            Packed::Destination(_) => KernelKind::Pack,
            Packed::Source(_) => KernelKind::Unpack,
        }
    }

    /// A box, counted in elements on both sides, as bytes. `None` where it has parts of bytes, or
    /// no runs.
    pub(crate) fn folded(self, nest: &Nest) -> Option<Folded> {
        match self {
            Packed::Destination(width) => FoldedBytes::of(nest.clone(), width).map(Folded::Pack),
            Packed::Source(width) => {
                FoldedBytes::of(exchanged(nest.clone()), width).map(Folded::Unpack)
            }
        }
    }
}

impl Folded {
    /// Whether this is quicker than a program of tiles: if it is of runs of a register and more.
    pub(crate) fn is_quick(&self) -> bool {
        let (Folded::Pack(folded) | Folded::Unpack(folded)) = self;
        folded.run.extent >= LEAST_RUN
    }

    /// Moves a box whose places count elements of `src` and `dst` from their beginning.
    pub(crate) fn run(&self, src: &[u8], dst: &mut [u8], work: &mut FoldWork, means: Means) {
        match self {
            Folded::Pack(folded) => folded.pack(src, dst, work, means),
            Folded::Unpack(folded) => folded.unpack(src, dst, work, means),
        }
    }
}

impl FoldedBytes {
    /// A box of elements that go to packed ones of this width.
    fn of(nest: Nest, width: SubByte) -> Option<Self> {
        let per_byte = width.per_byte();
        let Nest { src, dst, mut loops } = nest;
        let is_whole = |steps: i64| steps % per_byte == 0;
        let first = loops.iter().position(|l| l.dst == 1 && is_whole(l.extent))?;
        let first = loops.remove(first);
        if first.src < 1 || !is_whole(dst) || !loops.iter().all(|l| is_whole(l.dst)) {
            return None;
        }
        loops.iter_mut().for_each(|l| l.dst /= per_byte);
        let more = Loop { extent: first.extent / per_byte, src: first.src * per_byte, dst: 1 };
        let run = if first.src == 1 {
            more
        } else {
            if more.extent > 1 {
                loops.push(more);
            }
            let run = loops.iter().position(|l| l.src == 1)?;
            loops.remove(run)
        };
        loops.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
        let dst = dst / per_byte;
        Some(FoldedBytes { width, lane: first.src, run, outer: loops, src, dst })
    }

    /// Puts elements together into bytes, in the order of the source, and moves those.
    fn pack(&self, src: &[u8], dst: &mut [u8], work: &mut FoldWork, means: Means) {
        let mut buffer = std::mem::take(&mut work.bytes);
        let bytes = grown(&mut buffer, self.n_bytes());
        match self.width {
            SubByte::One => self.fold::<8>(src, bytes, means),
            SubByte::Two => self.fold::<4>(src, bytes, means),
            SubByte::Four => self.fold::<2>(src, bytes, means),
        }
        work.move_nest(self.through_bytes(), bytes, dst, means);
        work.bytes = buffer;
    }

    /// Moves bytes into the order of the destination, and takes them apart there.
    fn unpack(&self, src: &[u8], dst: &mut [u8], work: &mut FoldWork, means: Means) {
        let mut buffer = std::mem::take(&mut work.bytes);
        let bytes = grown(&mut buffer, self.n_bytes());
        let near = Means { stores: Stores::Cached, ..means };
        work.move_nest(exchanged(self.through_bytes()), src, bytes, near);
        match self.width {
            SubByte::One => self.unfold::<8>(bytes, dst, means),
            SubByte::Two => self.unfold::<4>(bytes, dst, means),
            SubByte::Four => self.unfold::<2>(bytes, dst, means),
        }
        work.bytes = buffer;
    }

    fn n_bytes(&self) -> usize {
        let rows: i64 = self.outer.iter().map(|l| l.extent).product();
        usize::try_from(rows.saturating_mul(self.run.extent)).unwrap_or(usize::MAX)
    }

    /// The loops from the bytes that are put together, run after run, to the packed side.
    fn through_bytes(&self) -> Nest {
        let mut step = self.run.extent;
        let mut loops = vec![Loop { extent: self.run.extent, src: 1, dst: self.run.dst }];
        for l in self.outer.iter().rev() {
            loops.push(Loop { extent: l.extent, src: step, dst: l.dst });
            step *= l.extent;
        }
        Nest { src: 0, dst: self.dst, loops }
    }

    /// The loops around groups of runs, with the place of each group among the bytes in place of
    /// the packed side; and how a group lies: the runs of the innermost loop.
    fn groups(&self) -> (Vec<Loop>, Form, usize) {
        let length = self.run.extent as usize;
        let lane = self.lane as usize;
        let (group, outer) = match self.outer.split_last() {
            Some((inner, outer)) if inner.src > 0 => (*inner, outer),
            _ => (ONCE, self.outer.as_slice()),
        };
        let mut place = self.run.extent * group.extent;
        let mut loops = Vec::with_capacity(outer.len());
        for l in outer.iter().rev() {
            loops.push(Loop { extent: l.extent, src: l.src, dst: place });
            place *= l.extent;
        }
        loops.reverse();
        let form = Form { lane, length, step: group.src as usize };
        (loops, form, length * group.extent as usize)
    }

    fn fold<const P: usize>(&self, src: &[u8], bytes: &mut [u8], means: Means) {
        let (loops, form, n_bytes) = self.groups();
        walk(&loops, (self.src, 0), &mut |(from, to)| {
            let elements = src.get(from as usize..).unwrap_or_default();
            let packed = bytes.get_mut(to as usize..).and_then(|rest| rest.get_mut(..n_bytes));
            let packed = packed.unwrap_or_default();
            match self.lane {
                1 => fold::<P>(means.level, Fold::Neighbours { elements, packed }, form),
                _ => fold::<P>(means.level, Fold::Rows { rows: elements, packed }, form),
            }
        });
    }

    fn unfold<const P: usize>(&self, bytes: &[u8], dst: &mut [u8], means: Means) {
        let (loops, form, n_bytes) = self.groups();
        walk(&loops, (self.src, 0), &mut |(to, from)| {
            let elements = dst.get_mut(to as usize..).unwrap_or_default();
            let packed = bytes.get(from as usize..).and_then(|rest| rest.get(..n_bytes));
            let packed = packed.unwrap_or_default();
            match self.lane {
                1 => fold::<P>(means.level, Fold::ToNeighbours { packed, elements }, form),
                _ => fold::<P>(means.level, Fold::ToRows { packed, rows: elements }, form),
            }
        });
    }
}

/// The most bytes of a box with so many loops on its way, as an item of a list that grows.
pub(crate) fn most_bytes_of_a_box(nest: &Nest) -> usize {
    3 * size_of::<Folded>() + 4 * (nest.loops.len() + 2) * size_of::<Loop>()
}

/// Packs elements of `width` bits that follow each other, given in the low bits of a byte each. What
/// is left of the last byte is zero.
pub(crate) fn pack(level: Level, elements: &[u8], width: u32, packed: &mut [u8]) {
    let (elements, packed) = match width {
        1 => pack_whole::<8>(level, elements, packed),
        2 => pack_whole::<4>(level, elements, packed),
        4 => pack_whole::<2>(level, elements, packed),
        _ => (elements, packed),
    };
    bits::pack(elements, width, packed);
}

/// Packs as many as make whole bytes. What is left comes back.
fn pack_whole<'e, 'p, const P: usize>(
    level: Level,
    elements: &'e [u8],
    packed: &'p mut [u8],
) -> (&'e [u8], &'p mut [u8]) {
    let length = packed.len().min(elements.len() / P);
    let (elements, others) = elements.split_at(length * P);
    let (packed, rest) = packed.split_at_mut(length);
    fold::<P>(level, Fold::Neighbours { elements, packed }, Form { lane: 1, length, step: 0 });
    (others, rest)
}

/// Unpacks elements of `width` bits that follow each other, from bit `start` on, into a byte each
/// under zeros. Elements beyond the buffer read as zero.
pub(crate) fn unpack(level: Level, packed: &[u8], start: usize, width: u32, elements: &mut [u8]) {
    let step = width.max(1) as usize;
    let n_head =
        if start.is_multiple_of(step) { (start.next_multiple_of(8) - start) / step } else { 0 };
    let (head, rest) = elements.split_at_mut(n_head.min(elements.len()));
    bits::unpack(packed, start, width, head);
    let start = start + head.len() * step;
    let bytes = packed.get(start / 8..).unwrap_or_default();
    let n_done = match width {
        _ if !start.is_multiple_of(8) => 0,
        1 => unpack_whole::<8>(level, bytes, rest),
        2 => unpack_whole::<4>(level, bytes, rest),
        4 => unpack_whole::<2>(level, bytes, rest),
        _ => 0,
    };
    bits::unpack(packed, start + n_done * step, width, rest.get_mut(n_done..).unwrap_or_default());
}

/// Unpacks as many as whole bytes have; how many that is.
fn unpack_whole<const P: usize>(level: Level, packed: &[u8], elements: &mut [u8]) -> usize {
    let length = packed.len().min(elements.len() / P);
    let (packed, elements) = (&packed[..length], &mut elements[..length * P]);
    fold::<P>(level, Fold::ToNeighbours { packed, elements }, Form { lane: 1, length, step: 0 });
    length * P
}

/// A loop of one step.
const ONCE: Loop = Loop { extent: 1, src: 0, dst: 0 };

/// The move back.
fn exchanged(nest: Nest) -> Nest {
    let turned = |l: Loop| Loop { extent: l.extent, src: l.dst, dst: l.src };
    Nest { src: nest.dst, dst: nest.src, loops: nest.loops.into_iter().map(turned).collect() }
}
