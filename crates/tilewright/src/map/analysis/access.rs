//! What the threads of a load or store touch.

use std::fmt;
use std::ops::RangeInclusive;

use super::super::IndexMap;
use super::sharing::counted;
use crate::error::{Error, checked, invalid};

/// One load or store by many threads: where each thread's elements begin, and how many
/// consecutive elements a thread takes.
///
/// Memory is taken to be aligned at offset 0.
///
/// ```
/// use tilewright::map::{Access, Banks};
/// // 32 threads go down a column of f32[32,32].
/// let access = Access::new((0..32).map(|thread| thread * 32).collect(), 32, 1)?;
/// assert_eq!(access.bank_conflicts(&Banks::default())?.ways(), 32);
/// assert_eq!(access.segments(32 * 8)?.touched, 32);
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    offsets: Vec<i64>,
    element_bits: u32,
    elements: u32,
}

/// How much of memory moves for an access, from [`Access::segments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// The number of segments of memory that hold an element of the access.
    pub touched: i64,
    /// The size of a segment in bits.
    pub segment_bits: u32,
    /// The bits of all elements of the access, each counted once.
    pub used_bits: i128,
}

impl Access {
    /// An access in which thread `t` takes `elements` consecutive elements of `element_bits`, from
    /// the element offset `offsets[t]` on.
    ///
    /// # Errors
    /// If `element_bits` or `elements` is 0.
    pub fn new(offsets: Vec<i64>, element_bits: u32, elements: u32) -> Result<Self, Error> {
        if element_bits == 0 || elements == 0 {
            return invalid(format!(
                "threads cannot take {elements} elements of {element_bits} bits"
            ));
        }
        Ok(Access { offsets, element_bits, elements })
    }

    /// For each thread, the element offset at which its elements begin.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// The number of consecutive elements that each thread takes.
    pub fn elements(&self) -> u32 {
        self.elements
    }

    /// The bits that each thread takes.
    pub fn bits(&self) -> i64 {
        i64::from(self.element_bits) * i64::from(self.elements)
    }

    /// Which of the pieces of `piece_bits` that memory is cut into a thread's elements lie in.
    pub(super) fn pieces(
        &self,
        offset: i64,
        piece_bits: u32,
    ) -> Result<RangeInclusive<i64>, Error> {
        let first = i128::from(offset) * i128::from(self.element_bits);
        let last = first + i128::from(self.bits()) - 1;
        let piece = |bit: i128| {
            let piece = i64::try_from(bit.div_euclid(i128::from(piece_bits)));
            checked(piece.ok(), "the place of an element in memory")
        };
        Ok(piece(first)?..=piece(last)?)
    }

    /// How many segments of memory the access touches, of `segment_bits` each: what has to move
    /// between a GPU's global memory and a warp. NVIDIA moves sectors of 32 bytes in cache lines
    /// of 128 bytes.
    ///
    /// # Errors
    /// If `segment_bits` is 0, or an element is too far away for 64 bits.
    pub fn segments(&self, segment_bits: u32) -> Result<Segments, Error> {
        if segment_bits == 0 {
            return invalid("segments of 0 bits hold nothing".to_owned());
        }
        let segments = |&offset| self.pieces(offset, segment_bits);
        let segments = self.offsets.iter().map(segments).collect::<Result<_, _>>()?;
        let elements = |&offset| self.pieces(offset, self.element_bits);
        let elements = self.offsets.iter().map(elements).collect::<Result<_, _>>()?;
        let touched = i64::try_from(union(segments));
        Ok(Segments {
            touched: checked(touched.ok(), "the number of segments")?,
            segment_bits,
            used_bits: union(elements) * i128::from(self.element_bits),
        })
    }
}

/// How many numbers lie in any of the ranges.
fn union(mut ranges: Vec<RangeInclusive<i64>>) -> i128 {
    ranges.sort_unstable_by_key(|range| *range.start());
    let mut next = i128::MIN;
    let mut count = 0;
    for range in ranges {
        let (start, end) = (i128::from(*range.start()).max(next), i128::from(*range.end()) + 1);
        if start < end {
            count += end - start;
            next = end;
        }
    }
    count
}

impl IndexMap {
    /// The accesses by which threads take all elements of this map: dimension 0 is the thread,
    /// dimension 1, if there is one, the thread's elements. Those are taken in the widest vectors
    /// of at most `max_bits` that the map allows, one access a vector.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// // 32 threads with 8 values each, of 16 bits.
    /// let map = IndexMap::from_tla(&"(32,8):(8,1)".parse()?)?;
    /// let accesses = map.accesses(16, 128)?;
    /// assert_eq!((accesses.len(), accesses[0].bits()), (1, 128));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are other than one or two dimensions or more than 2²⁴ elements; as
    /// [`vector_width_within`](Self::vector_width_within).
    pub fn accesses(&self, element_bits: u32, max_bits: u32) -> Result<Vec<Access>, Error> {
        let (values, width) = match *self.dims {
            [_] => (1, 1),
            [_, values] => (values, self.vector_width_within(1, element_bits, max_bits)?.max(1)),
            _ => {
                return invalid(format!(
                    "dimensions {:?} are not a thread, or a thread and its elements",
                    self.dims
                ));
            }
        };
        self.check_enumerable()?;
        let values = if self.elements == 0 { 0 } else { values };
        let mut accesses = Vec::new();
        let mut value = 0;
        while value < values {
            let elements = width.min(1 << (values - value).ilog2());
            let offsets = self.column(value)?;
            accesses.push(Access::new(offsets, element_bits, width_of(elements))?);
            value += elements;
        }
        Ok(accesses)
    }

    /// The offset of each thread's element of this number.
    fn column(&self, value: i64) -> Result<Vec<i64>, Error> {
        let index = [0, value];
        let mut index = index[..self.dims.len()].to_vec();
        let mut offsets = Vec::new();
        for thread in 0..self.dims[0] {
            index[0] = thread;
            offsets.push(self.offset(&index)?);
        }
        Ok(offsets)
    }
}

/// A vector's elements, which `max_bits` bounds.
fn width_of(elements: i64) -> u32 {
    u32::try_from(elements).unwrap_or(u32::MAX)
}

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moved = i128::from(self.touched) * i128::from(self.segment_bits);
        let of_bits = match self.segment_bits % 8 {
            0 => counted(i64::from(self.segment_bits / 8), "byte"),
            _ => counted(i64::from(self.segment_bits), "bit"),
        };
        write!(f, "{} of {of_bits}", counted(self.touched, "segment"))?;
        if moved > 0 {
            write!(f, ", {:.1} % used", self.used_bits as f64 * 100.0 / moved as f64)?;
        }
        Ok(())
    }
}
