//! A relayout as loops: the planner's boxes, said so that any language can print them.
//!
//! A [`Relayout`] fills the destination's padding, then goes through its [`Nest`]s. A nest is a box of elements: where
//! its first one lies on either side, loops with a stride on either side, and a [`Body`] that the innermost step is.
//! What is contiguous on both sides is one run of bytes; two loops of which one walks the source and the other the
//! destination from neighbour to neighbour are a 2-D transpose, which is printed in blocks. `f32[4,6]` to columns is
//! one nest without loops whose body transposes 6 rows of 4.

use tilewright_relayout::{BoxDescription, LoopDescription, Placement, Plan, Route};

use crate::array::Array;
use crate::error::Error;
use crate::formula::Formula;
use crate::offset::offset_formula;

/// How the elements of one array become those of another.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Relayout {
    /// The bytes of the source.
    pub src_bytes: i64,
    /// The bytes of the destination.
    pub dst_bytes: i64,
    /// What is written before the elements, if there are slots without one.
    pub fill: Option<Fill>,
    /// How many bits of the last byte belong to slots, where not all do: the others are 0.
    pub tail_bits: Option<u32>,
    /// What an element is on its way.
    pub transfer: Transfer,
    /// How the elements go.
    pub way: Way,
    /// The dimension whose extent is an argument of the code, if there is one: other sizes here are those of one extent.
    pub argument: Option<usize>,
}

/// How the elements of a relayout go.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Way {
    /// Box by box.
    Nests(Vec<Nest>),
    /// Element by element, by the offsets of both layouts, since there would be too many boxes.
    Offsets {
        /// What the index runs over.
        dims: Vec<i64>,
        /// The offset in the source, in elements.
        src: Box<Formula>,
        /// The offset in the destination.
        dst: Box<Formula>,
    },
}

/// More boxes than this would be more code than anybody wants to compile.
const MAX_BOXES: usize = 256;

/// What fills slots without an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The bytes that the destination is filled with, again and again.
    pub period: Vec<u8>,
}

/// The widths of an element, and what becomes of its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transfer {
    /// The bits of a slot of the source.
    pub src_bits: i64,
    /// The bits of a slot of the destination.
    pub dst_bits: i64,
    /// The low bits that are the value; those above are 0 in the destination.
    pub value_bits: i64,
    /// The bits of the value that are flipped.
    pub flip: u64,
}

/// A box of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// What the innermost step moves, and the unit of all that follows.
    pub body: Body,
    /// Where the first element lies: in bits where the body is [`Body::Bits`] or [`Body::Pack`], else in bytes.
    pub src: i64,
    /// Where the first element goes.
    pub dst: i64,
    /// The loops, outermost first.
    pub loops: Vec<Loop>,
}

/// A loop of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The number of steps.
    pub extent: i64,
    /// From one step to the next in the source.
    pub src: i64,
    /// From one step to the next in the destination.
    pub dst: i64,
}

/// What the innermost step of a nest moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Body {
    /// So many bytes, as they are.
    Run(i64),
    /// `rows` runs of `columns` units of the source become `columns` runs of `rows` units of the destination.
    Transpose {
        /// The bytes of a unit: 1, 2, 4, 8 or 16.
        unit: i64,
        /// How many units follow each other in the destination.
        rows: i64,
        /// How far apart they are in the source, in bytes.
        src_pitch: i64,
        /// How many units follow each other in the source.
        columns: i64,
        /// How far apart they are in the destination, in bytes.
        dst_pitch: i64,
    },
    /// An element of 1, 2, 4 or 8 bytes on either side, of which bits change.
    Element,
    /// An element at any bit.
    Bits,
    /// Elements that fill a byte of the destination; all is in bits.
    Pack {
        /// How many there are.
        elements: i64,
        /// How far apart they are in the source.
        src_stride: i64,
    },
}

impl Relayout {
    /// How one array becomes another.
    ///
    /// ```
    /// use tilewright::notation::Described;
    /// use tilewright_emit::{Array, Relayout};
    /// let array = |text: &str| Array::of(&text.parse::<Described>().unwrap()).unwrap();
    /// let relayout = Relayout::of(&array("u8[2,3]"), &array("u8[2,3]{0,1}"))?;
    /// let mut columns = [0; 6];
    /// relayout.run(&[1, 2, 3, 4, 5, 6], &mut columns);
    /// assert_eq!(columns, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), tilewright_emit::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dims differ, elements lie below the beginning of a buffer, or elements share a slot of the destination.
    pub fn of(from: &Array, to: &Array) -> Result<Self, Error> {
        let placed = |array: &Array| Placement::new(array.map().clone(), array.element_bits());
        let value_bits = from.value_bits().min(to.value_bits());
        let plan = Plan::in_linear_boxes(&placed(from)?, &placed(to)?, value_bits)?;
        let mask = if value_bits >= 64 { u64::MAX } else { (1 << value_bits) - 1 };
        let transfer = Transfer {
            src_bits: from.element_bits().into(),
            dst_bits: to.element_bits().into(),
            value_bits: value_bits.into(),
            flip: (from.xor_mask() ^ to.xor_mask()) & mask,
        };
        let description = plan.describe();
        let way = match description.route {
            // Slots are filled without gaps, and stay where they are.
            Route::Copy => Way::Nests(vec![contiguous(to.map().allocation(), transfer)]),
            Route::Boxes if description.boxes.len() <= MAX_BOXES => {
                Way::Nests(description.boxes.iter().map(|of| nest(of, transfer)).collect())
            }
            // Any other route has no boxes, or too many.
            _ => Way::Offsets {
                dims: to.map().dims().to_vec(),
                src: Box::new(offset_formula(from.map())),
                dst: Box::new(offset_formula(to.map())),
            },
        };
        if transfer.src_bits.max(transfer.dst_bits) > 64 && !transfer.is_plain_bytes() {
            return Err(Error::message(format!(
                "elements of {} bits become elements of {} bits: those of more than 64 bits are moved only as they are",
                transfer.src_bits, transfer.dst_bits
            )));
        }
        let fill = (description.padding_slots > 0).then(|| Fill::of(to));
        let tail = to.map().allocation() as u128 * u128::from(to.element_bits()) % 8;
        let tail_bits = (tail > 0).then_some(tail as u32);
        let (src_bytes, dst_bytes) = (from.bytes(), to.bytes());
        Ok(Relayout { src_bytes, dst_bytes, fill, tail_bits, transfer, way, argument: None })
    }
}

impl Relayout {
    /// The same for every extent of a dimension: element by element, and filled before where some extent has padding.
    pub(crate) fn of_every_extent(
        self,
        (from, to): (&Array, &Array),
        dim: usize,
        has_padding: bool,
    ) -> Self {
        let way = Way::Offsets {
            dims: to.map().dims().to_vec(),
            src: Box::new(offset_formula(from.map())),
            dst: Box::new(offset_formula(to.map())),
        };
        let fill = has_padding.then(|| Fill::of(to));
        Relayout { way, fill, tail_bits: None, argument: Some(dim), ..self }
    }

    /// What the extent along each of these dims is called in code.
    pub(crate) fn extents(&self, dims: &[i64]) -> Vec<String> {
        let name = |(dim, extent): (usize, &i64)| match self.argument {
            Some(argument) if argument == dim => format!("n{dim}"),
            _ => extent.to_string(),
        };
        dims.iter().enumerate().map(name).collect()
    }

    /// The argument that a call has behind others: `, n0`, or nothing.
    pub(crate) fn last_argument(&self) -> String {
        self.argument.map_or(String::new(), |dim| format!(", n{dim}"))
    }
}

impl Transfer {
    /// Whether the bits of a slot stay what they are.
    pub fn is_plain(self) -> bool {
        self.src_bits == self.dst_bits && self.value_bits == self.src_bits && self.flip == 0
    }

    /// Whether slots are whole bytes that stay what they are.
    pub fn is_plain_bytes(self) -> bool {
        self.is_plain() && self.src_bits % 8 == 0
    }

    /// The bits that are the value.
    pub fn mask(self) -> u64 {
        if self.value_bits >= 64 { u64::MAX } else { (1 << self.value_bits) - 1 }
    }

    /// Whether slots are 1, 2, 4 or 8 bytes on both sides.
    pub fn is_of_words(self) -> bool {
        [self.src_bits, self.dst_bits].iter().all(|bits| [8, 16, 32, 64].contains(bits))
    }
}

impl Fill {
    fn of(to: &Array) -> Self {
        let bits = to.element_bits() as usize;
        let byte_bit = |bit: usize| u8::from(to.padding() >> (bit % 8) & 1 == 1);
        let n_bytes = bits / crate::expression::gcd(bits as i64, 8) as usize;
        let mut period = vec![0u8; n_bytes];
        for bit in 0..n_bytes * 8 {
            period[bit / 8] |= byte_bit(bit % bits) << (bit % 8);
        }
        if period.iter().all(|byte| *byte == period[0]) {
            period.truncate(1);
        }
        Fill { period }
    }
}

/// So many slots that stay where they are.
fn contiguous(slots: i64, transfer: Transfer) -> Nest {
    let (src, dst) = (transfer.src_bits, transfer.dst_bits);
    let mut loops = vec![Loop { extent: slots, src, dst }];
    if transfer.is_plain() {
        loops.push(Loop { extent: src, src: 1, dst: 1 });
    }
    bodied(0, 0, loops, transfer)
}

/// The box as a nest, the loops in the order of the destination.
fn nest(of: &BoxDescription, transfer: Transfer) -> Nest {
    let (src, dst) = (transfer.src_bits, transfer.dst_bits);
    let described = |l: &LoopDescription| Loop {
        extent: l.extent,
        src: l.src_stride_bits,
        dst: l.dst_stride_bits,
    };
    let mut loops: Vec<Loop> = of.loops.iter().map(described).collect();
    // Of slots that stay what they are, a unit may be a part or any number of them.
    loops.push(match transfer.is_plain() {
        true => Loop { extent: of.unit_bits, src: 1, dst: 1 },
        false => Loop { extent: (of.unit_bits / src.min(dst)).max(1), src, dst },
    });
    bodied(of.src_start_bits, of.dst_start_bits, loops, transfer)
}

/// Loops over elements, or over the bits of those that stay what they are, with the body that the innermost are.
fn bodied(src: i64, dst: i64, loops: Vec<Loop>, transfer: Transfer) -> Nest {
    if transfer.is_plain() {
        return plain(src, dst, joined(loops), transfer);
    }
    let loops = joined(loops);
    match transfer.is_of_words() {
        true => in_bytes(Body::Element, src, dst, &loops),
        false => packed(src, dst, loops, transfer),
    }
}

/// Elements at bits, those that fill a byte of the destination together where each byte is filled by one loop.
fn packed(src: i64, dst: i64, mut loops: Vec<Loop>, transfer: Transfer) -> Nest {
    let width = transfer.dst_bits;
    let elements = if 8 % width == 0 { 8 / width } else { 1 };
    let (around, fills) = match loops.split_last() {
        Some((last, around)) => (around, last.dst == width && last.extent % elements == 0),
        None => (&[][..], false),
    };
    let is_aligned = around.iter().map(|l| l.dst).chain([dst]).all(|bits| bits % 8 == 0);
    if elements == 1 || !fills || !is_aligned {
        return Nest { body: Body::Bits, src, dst, loops };
    }
    let mut src_stride = 0;
    if let Some(last) = loops.last_mut() {
        src_stride = last.src;
        *last = Loop { extent: last.extent / elements, src: last.src * elements, dst: 8 };
    }
    loops.retain(|l| l.extent != 1);
    Nest { body: Body::Pack { elements, src_stride }, src, dst, loops }
}

/// The largest strides first, without loops of one step, those that run together joined.
pub(crate) fn joined(mut loops: Vec<Loop>) -> Vec<Loop> {
    loops.retain(|l| l.extent != 1);
    loops.sort_by_key(|l| (std::cmp::Reverse(l.dst), std::cmp::Reverse(l.src)));
    loops.dedup_by(|inner, outer| {
        let runs_on = inner.src.checked_mul(inner.extent) == Some(outer.src)
            && inner.dst.checked_mul(inner.extent) == Some(outer.dst);
        if runs_on {
            *outer = Loop { extent: outer.extent * inner.extent, ..*inner };
        }
        runs_on
    });
    loops
}

fn in_bytes(body: Body, src: i64, dst: i64, loops: &[Loop]) -> Nest {
    let loops = loops.iter().map(|l| Loop { extent: l.extent, src: l.src / 8, dst: l.dst / 8 });
    Nest { body, src: src / 8, dst: dst / 8, loops: loops.collect() }
}

/// Slots that stay what they are: runs of bytes and transposes where all begins at bytes.
fn plain(src: i64, dst: i64, mut loops: Vec<Loop>, transfer: Transfer) -> Nest {
    let run = match loops.last() {
        Some(l) if l.src == 1 && l.dst == 1 => l.extent,
        _ => 1,
    };
    let others = if run > 1 { loops.len() - 1 } else { loops.len() };
    let strides = loops[..others].iter().flat_map(|l| [l.src, l.dst]);
    if strides.chain([src, dst, run]).any(|bits| bits % 8 != 0) {
        // The run in elements again.
        let bits = transfer.src_bits;
        loops.truncate(others);
        loops.push(Loop { extent: run / bits, src: bits, dst: bits });
        loops.retain(|l| l.extent != 1);
        return packed(src, dst, loops, transfer);
    }
    loops.truncate(others);
    let unit = run / 8;
    let mut nest = in_bytes(Body::Run(unit), src, dst, &loops);
    let walks = |side: fn(&Loop) -> i64| nest.loops.iter().position(|l| side(l) == unit);
    if let (Some(row), Some(column)) = (walks(|l| l.dst), walks(|l| l.src))
        && row != column
        && [1, 2, 4, 8, 16].contains(&unit)
    {
        let (rows, columns) = (nest.loops[row], nest.loops[column]);
        nest.body = Body::Transpose {
            unit,
            rows: rows.extent,
            src_pitch: rows.src,
            columns: columns.extent,
            dst_pitch: columns.dst,
        };
        let mut place = 0;
        nest.loops.retain(|_| {
            place += 1;
            place - 1 != row && place - 1 != column
        });
    }
    nest
}
