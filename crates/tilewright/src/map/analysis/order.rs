//! The order of the dimensions, and the map as a permutation.

use std::collections::BTreeMap;
use std::fmt;

use super::super::{IndexMap, Source};
use super::sharing::counted;
use crate::arithmetic::gcd;
use crate::error::Error;

/// The cycles of a permutation: element number to offset, to the element of that number, and so
/// on. From [`IndexMap::cycles`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// The lengths of cycles, rising, and how many there are of each.
    lengths: BTreeMap<i64, i64>,
}

impl IndexMap {
    /// The dimensions in the order of their smallest strides, the smallest first: minor to major.
    ///
    /// A dimension's smallest stride is the least distance between the first element and one at
    /// which a digit of the dimension begins. Of equal strides the later dimension is the more
    /// minor one. A dimension without a stride, of one element or repeated, stays where it is:
    /// just above the dimension after it.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// assert_eq!(map("f32[20,300]{0,1}").dims_by_stride(), [0, 1]);
    /// assert_eq!(map("f32[20,1,300]").dims_by_stride(), [2, 1, 0]);
    /// // Rows pair up, so the smallest stride is that of dimension 0.
    /// assert_eq!(map("bf16[20,300]{1,0:T(8,128)(2,1)}").dims_by_stride(), [0, 1]);
    /// ```
    pub fn dims_by_stride(&self) -> Vec<usize> {
        let mut strides = self.smallest_strides();
        let mut after = 0;
        for stride in strides.iter_mut().rev() {
            after = stride.unwrap_or(after);
            *stride = Some(after);
        }
        let mut dims: Vec<usize> = (0..self.dims.len()).rev().collect();
        dims.sort_by_key(|&dim| strides[dim]);
        dims
    }

    /// The least distance to an element at which a digit begins, of each dimension.
    fn smallest_strides(&self) -> Vec<Option<u64>> {
        let mut strides = vec![None; self.dims.len()];
        let first = self.offset_unchecked(&vec![0; self.dims.len()]);
        let lists = self.merged.iter().map(|coordinate| &coordinate.digits);
        for digit in lists.chain([&self.digits]).flatten() {
            let Source::Dim(dim) = digit.source else { continue };
            if digit.divisor < self.dims[dim] {
                let distance = self.offset_along(dim, digit.divisor).abs_diff(first);
                let stride: &mut Option<u64> = &mut strides[dim];
                let least = stride.map_or(distance, |stride| stride.min(distance));
                *stride = Some(least).filter(|&least| least > 0).or(*stride);
            }
        }
        strides
    }

    /// The map as a permutation of the numbers from 0 on: an element's number in row-major order
    /// goes to its offset, counted from the [lowest](Self::lowest_offset). `None` where the map
    /// is not [bijective](Self::is_bijective).
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// let transposed = map("f32[2,3]{0,1}").cycles()?.unwrap(); // 0 2 4 1 3 5
    /// assert_eq!((transposed.count(), transposed.longest()), (3, 4)); // 0, 1 2 4 3, 5
    /// assert_eq!((transposed.order(), transposed.is_even()), (Some(4), false));
    /// assert_eq!(map("f32[2,3]{1,0:T(2,2)}").cycles()?, None);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`is_injective`](Self::is_injective), and for bijective maps of more than 2²⁴ elements.
    pub fn cycles(&self) -> Result<Option<Cycles>, Error> {
        if !self.is_bijective()? {
            return Ok(None);
        }
        let offsets = self.enumerated()?;
        let place = |offset: i64| usize::try_from(offset - self.lowest_offset).ok();
        let next: Vec<usize> = offsets.into_iter().filter_map(place).collect();
        Ok(Some(Cycles { lengths: lengths(&next) }))
    }
}

/// The lengths of the cycles of a permutation, and how many there are of each.
fn lengths(next: &[usize]) -> BTreeMap<i64, i64> {
    let mut lengths = BTreeMap::new();
    let mut seen = vec![false; next.len()];
    for start in 0..next.len() {
        let mut length = 0;
        let mut place = start;
        while let Some(seen @ false) = seen.get_mut(place) {
            *seen = true;
            length += 1;
            place = next[place];
        }
        if length > 0 {
            *lengths.entry(length).or_insert(0) += 1;
        }
    }
    lengths
}

impl Cycles {
    /// The lengths of cycles, rising, and how many there are of each.
    pub fn lengths(&self) -> impl Iterator<Item = (i64, i64)> {
        self.lengths.iter().map(|(&length, &count)| (length, count))
    }

    /// The number of elements.
    pub fn elements(&self) -> i64 {
        self.lengths().map(|(length, count)| length * count).sum()
    }

    /// The number of cycles, those of one element included.
    pub fn count(&self) -> i64 {
        self.lengths.values().sum()
    }

    /// The number of elements whose number is their offset.
    pub fn fixed_points(&self) -> i64 {
        self.lengths.get(&1).copied().unwrap_or(0)
    }

    /// The length of the longest cycle; 0 where there are no elements.
    pub fn longest(&self) -> i64 {
        self.lengths.last_key_value().map_or(0, |(&length, _)| length)
    }

    /// How often the permutation has to be done for everything to be back in its place: the least
    /// common multiple of the lengths. `None` where that does not fit an `i128`.
    pub fn order(&self) -> Option<i128> {
        self.lengths.keys().try_fold(1i128, |order, &length| {
            let common = gcd(i64::try_from(order % i128::from(length)).ok()?, length);
            order.checked_mul(i128::from(length / common))
        })
    }

    /// Whether the permutation is an even number of swaps.
    pub fn is_even(&self) -> bool {
        self.lengths().map(|(length, count)| (length - 1) * count).sum::<i64>() % 2 == 0
    }
}

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parity = if self.is_even() { "even" } else { "odd" };
        write!(f, "{}, the longest of {}", counted(self.count(), "cycle"), self.longest())?;
        match self.order() {
            Some(order) => write!(f, "; order {order}")?,
            None => f.write_str("; order beyond 128 bits")?,
        }
        write!(f, "; {parity}")
    }
}
