//! Runs of neighbours, and the widest loads and stores.

use super::super::{IndexMap, Source};
use crate::arithmetic::gcd;
use crate::error::{Error, invalid};

/// How the offset goes along one dimension.
struct Walk {
    /// The greatest common divisor of the indices that do not lie right after the one before, at
    /// any index along the other dimensions; 0 where there are none.
    breaks: i64,
    /// For indices along the dimension, the greatest common divisor of their offsets. Between
    /// those listed the offset only counts on.
    starts: Vec<(i64, i64)>,
}

impl IndexMap {
    /// The largest `n` such that along `dim`, with all other indices fixed, the elements `0..n`,
    /// `n..2n` and so on lie one right after the other. The last group may be shorter than `n`.
    /// Where there are no elements it is 1.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// assert_eq!(map("f32[20,300]{1,0:T(8,128)}").contiguity(1)?, 128);
    /// assert_eq!(map("bf16[20,300]{1,0:T(8,128)(2,1)}").contiguity(1)?, 1);
    /// assert_eq!(map("bf16[20,300]{1,0:T(8,128)(2,1)}").contiguity(0)?, 2); // rows pair up
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the dimension does not exist, or it is merged with others of more than 2²⁴ elements
    /// together, which would have to be looked at one by one.
    pub fn contiguity(&self, dim: usize) -> Result<i64, Error> {
        self.check_dim(dim)?;
        if self.elements == 0 {
            return Ok(1);
        }
        let breaks = self.walk_along(dim)?.breaks;
        Ok(if breaks == 0 { self.dims[dim] } else { breaks })
    }

    /// The widest vector load or store along `dim`, in elements: the largest power of two `n`, at
    /// most the dimension's size, such that with all other indices fixed the elements `0..n`,
    /// `n..2n` and so on lie one right after the other, from an offset that is a multiple of `n`.
    ///
    /// Vectors are aligned if the memory at offset 0 is. The last one may stand out past the
    /// array. Narrower powers of two do as well.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// assert_eq!(map("f32[20,300]{1,0}").vector_width(1)?, 4); // rows start at multiples of 300
    /// assert_eq!(map("f32[20,300]{1,0:T(8,128)}").vector_width(1)?, 128);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`contiguity`](Self::contiguity).
    pub fn vector_width(&self, dim: usize) -> Result<i64, Error> {
        self.check_dim(dim)?;
        if self.elements == 0 {
            return Ok(1);
        }
        let walk = self.walk_along(dim)?;
        let mut width = match walk.breaks {
            0 => 1 << self.dims[dim].ilog2(),
            breaks => 1 << breaks.trailing_zeros(),
        };
        if width > 1 {
            let unit = self.unit_beside(dim, width)?;
            while unit % width != 0 || !walk.starts_at_multiples_of(width) {
                width /= 2;
            }
        }
        Ok(width)
    }

    /// The elements of the widest vector along `dim` that is no wider than `max_bits`, with
    /// elements of `element_bits`; 0 where a single element is wider. 128 bits is the most of a
    /// GPU thread and of NEON, 256 of AVX2, 512 of AVX-512.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "bf16[64,64]".parse::<Shape>()?.index_map()?;
    /// assert_eq!(map.vector_width_within(1, 16, 128)?, 8);
    /// assert_eq!(map.vector_width_within(0, 16, 128)?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`contiguity`](Self::contiguity), and if the bits of an element are no power of two.
    pub fn vector_width_within(
        &self,
        dim: usize,
        element_bits: u32,
        max_bits: u32,
    ) -> Result<i64, Error> {
        if !element_bits.is_power_of_two() {
            return invalid(format!("elements of {element_bits} bits do not fill vectors"));
        }
        let most = (max_bits / element_bits).checked_ilog2().map_or(0, |log| 1 << log);
        Ok(self.vector_width(dim)?.min(most))
    }

    fn walk_along(&self, dim: usize) -> Result<Walk, Error> {
        if self.merged_dims(self)[dim] {
            return self.walk_merged(dim);
        }
        match self.units_along(dim) {
            Some(units) => Ok(self.walk_units(dim, &units)),
            None => self.walk_every_index(dim),
        }
    }

    /// The indices along a dimension at which a digit begins or wraps, from 1 up, or `None` where
    /// digits begin inside one another.
    fn units_along(&self, dim: usize) -> Option<Vec<i64>> {
        let radix = self.radix(dim)?;
        Some(radix.units().filter(|&unit| unit < self.dims[dim]).collect())
    }

    /// Each unit divides the next. The step onto a multiple of a unit is the same for all that
    /// are no multiple of the next unit.
    fn walk_units(&self, dim: usize, units: &[i64]) -> Walk {
        let at = |value: i64| self.offset_along(dim, value);
        let is_break = |unit: &&i64| at(**unit) - at(**unit - 1) != 1;
        let breaks = units.iter().find(is_break).copied().unwrap_or(0);
        let starts = [0].iter().chain(units).map(|&value| (value, at(value)));
        Walk { breaks, starts: starts.collect() }
    }

    fn walk_every_index(&self, dim: usize) -> Result<Walk, Error> {
        let mut kept = vec![false; self.dims.len()];
        kept[dim] = true;
        self.restricted(&kept).walk_elements(dim)
    }

    fn walk_merged(&self, dim: usize) -> Result<Walk, Error> {
        self.restricted(&self.merged_dims(self)).walk_elements(dim)
    }

    /// Looks at every element.
    fn walk_elements(&self, dim: usize) -> Result<Walk, Error> {
        let offsets = self.enumerated()?;
        let size = self.dims[dim];
        let step: usize =
            self.dims[dim + 1..].iter().filter_map(|&size| usize::try_from(size).ok()).product();
        let mut breaks = 0;
        let mut starts: Vec<(i64, i64)> = (0..size).map(|value| (value, 0)).collect();
        let n_starts = starts.len();
        for (number, &offset) in offsets.iter().enumerate() {
            let (value, start) = &mut starts[number / step % n_starts];
            *start = gcd(*start, offset);
            if *value > 0 && offset - offsets[number - step] != 1 {
                breaks = gcd(breaks, *value);
            }
        }
        Ok(Walk { breaks, starts })
    }

    /// A number that divides what all dimensions but `dim` add to the offset, 0 where they add
    /// nothing. It is a multiple of any divisor of `wanted` that also divides them all.
    fn unit_beside(&self, dim: usize, wanted: i64) -> Result<i64, Error> {
        let merged = self.merged_dims(self);
        let mut unit = 0;
        for other in (0..self.dims.len()).filter(|&other| other != dim && !merged[other]) {
            unit = gcd(unit, self.unit_of(other)?);
        }
        if merged[dim] {
            return Ok(unit);
        }
        let beside = self.restricted(&merged);
        let strides = beside.digits.iter().fold(0, |unit, digit| gcd(unit, digit.stride));
        if strides % wanted == 0 {
            return Ok(gcd(unit, strides));
        }
        let offsets = beside.enumerated()?;
        Ok(offsets.iter().fold(unit, |unit, offset| gcd(unit, offset - offsets[0])))
    }

    /// The greatest common divisor of what one dimension adds to the offset.
    fn unit_of(&self, dim: usize) -> Result<i64, Error> {
        if self.units_along(dim).is_some() {
            let digits = self.digits.iter().filter(|digit| digit.source == Source::Dim(dim));
            return Ok(digits.fold(0, |unit, digit| gcd(unit, digit.stride)));
        }
        let starts = self.walk_every_index(dim)?.starts;
        let first = self.offset_along(dim, 0);
        Ok(starts.iter().fold(0, |unit, (_, offset)| gcd(unit, offset - first)))
    }
}

impl Walk {
    /// Whether all indices that are multiples of `width` have offsets that are, too.
    fn starts_at_multiples_of(&self, width: i64) -> bool {
        self.starts.iter().all(|(value, offset)| value % width != 0 || offset % width == 0)
    }
}
