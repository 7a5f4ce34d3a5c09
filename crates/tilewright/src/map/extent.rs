//! How far a map reaches, and how far it steps.

use super::{Digit, IndexMap, Source};
use crate::error::{Error, Kind, checked};

/// Dimensions that are merged are walked index by index, up to this many elements together.
const MAX_WALKED: i64 = 1 << 33;

impl IndexMap {
    /// The largest offset of any element, or `None` where there are no elements.
    ///
    /// Everything from one past it to the [`allocation`](Self::allocation) is padding.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = |text: &str| text.parse::<Shape>().unwrap().index_map().unwrap();
    /// let tiled = map("f32[3,5]{1,0:T(2,2)}");
    /// assert_eq!((tiled.max_offset()?, tiled.allocation()), (Some(20), 24));
    /// // The last element need not be the furthest.
    /// let packed = map("bf16[9,128]{1,0:T(8,128)(2,1,1,1)}");
    /// assert_eq!((packed.offset(&[8, 127])?, packed.max_offset()?), (255, Some(2046)));
    /// assert_eq!(map("f32[0,5]{1,0}").max_offset()?, None);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// Takes time in the square of the number of digits, not in the number of elements, unless
    /// merged coordinates are involved and the furthest element is not the last.
    ///
    /// # Errors
    /// If there are merged dimensions of more than 2³³ elements together to walk.
    pub fn max_offset(&self) -> Result<Option<i64>, Error> {
        if self.elements == 0 {
            return Ok(None);
        }
        let merged = self.merged_dims();
        let separable = (0..self.dims.len()).filter(|&dim| !merged[dim]);
        let beside: i64 = separable.map(|dim| self.max_along(dim)).sum();
        Ok(Some(self.restricted(&merged).max_of_merged()? + beside))
    }

    /// How far the offset moves when the index along `dim` grows by one, or `None` where that
    /// depends on the index. For a dimension of fewer than two elements there is nothing to say:
    /// `None`.
    ///
    /// # Errors
    /// As [`max_offset`](Self::max_offset), and if the moves do not fit 64 bits.
    pub(crate) fn constant_step(&self, dim: usize) -> Result<Option<i64>, Error> {
        if self.merged_dims().get(dim) == Some(&true) {
            return self.constant_step_of_merged(dim);
        }
        let mut digits = self.digits.iter().filter(|digit| digit.source == Source::Dim(dim));
        Ok(match (digits.next(), digits.next()) {
            (Some(digit), None) if digit.divisor == 1 && digit.modulus.is_none() => {
                Some(digit.stride)
            }
            _ => None,
        })
    }

    /// The step is constant if the map agrees with the one that takes such steps along `dim` and
    /// is otherwise the same.
    fn constant_step_of_merged(&self, dim: usize) -> Result<Option<i64>, Error> {
        let size = self.dims[dim];
        if self.elements == 0 || size < 2 {
            return Ok(None);
        }
        let step = self.along(dim, 1);
        let reach = step.checked_mul(size - 1);
        if reach != Some(self.along(dim, size - 1)) {
            return Ok(None);
        }
        checked(self.allocation.checked_mul(2), "the steps of a dimension")?;
        let differs = self.first_difference(&self.with_steps(dim, step))?;
        Ok(differs.is_none().then_some(step))
    }

    /// The map in which `dim` is cut nowhere and takes steps of this many elements.
    fn with_steps(&self, dim: usize, step: i64) -> IndexMap {
        let mut map = self.clone();
        let lists = map.merged.iter_mut().map(|merged| &mut merged.digits);
        for digits in lists.chain([&mut map.digits]) {
            digits.retain(|digit| digit.source != Source::Dim(dim));
        }
        map.digits.push(Digit {
            source: Source::Dim(dim),
            divisor: 1,
            modulus: None,
            stride: step,
        });
        map.canonical()
    }

    /// The dimensions that a merged coordinate is made of.
    fn merged_dims(&self) -> Vec<bool> {
        let mut involved = vec![false; self.dims.len()];
        for digit in self.merged.iter().flat_map(|coordinate| &coordinate.digits) {
            if let Source::Dim(dim) = digit.source {
                involved[dim] = true;
            }
        }
        involved
    }

    /// What the index `value` along `dim` adds to the offset when all others are 0.
    fn along(&self, dim: usize, value: i64) -> i64 {
        let mut index = vec![0; self.dims.len()];
        index[dim] = value;
        self.offset_unchecked(&index) - self.base
    }

    /// The most that a dimension of no merged coordinate adds to the offset.
    ///
    /// Its digits are a mixed-radix number, of which more is never nearer. The best value is the
    /// last, or one that is lower than the last in some digit and for that has every smaller
    /// digit full: it ends just before a multiple of that digit's divisor.
    fn max_along(&self, dim: usize) -> i64 {
        let size = self.dims[dim];
        let of_dim = |digit: &&Digit| digit.source == Source::Dim(dim);
        let divisors = self.digits.iter().filter(of_dim).map(|digit| digit.divisor);
        let full = divisors.map(|divisor| size / divisor * divisor - 1);
        let values = full.filter(|&value| value >= 0).chain([size - 1]);
        values.map(|value| self.along(dim, value)).max().unwrap_or(0)
    }

    /// The largest offset of a map over merged dimensions only.
    fn max_of_merged(&self) -> Result<i64, Error> {
        let last: Vec<i64> = self.dims.iter().map(|size| size - 1).collect();
        let digits_full = self.digits.iter().map(|d| (self.extent(d) - 1).saturating_mul(d.stride));
        let bound = digits_full.fold(self.base, i64::saturating_add);
        if self.offset_unchecked(&last) == bound {
            return Ok(bound);
        }
        if self.elements > MAX_WALKED {
            return Err(Error::new(Kind::TooLarge { elements: self.elements, limit: MAX_WALKED }));
        }
        let rows = self.rows()?;
        let mut row = vec![0; rows.row_len()];
        let in_row = |number: usize| {
            rows.fill(number, &mut row);
            row.iter().copied().max().unwrap_or(0)
        };
        Ok((0..rows.n_rows()).map(in_row).max().unwrap_or(0))
    }
}
