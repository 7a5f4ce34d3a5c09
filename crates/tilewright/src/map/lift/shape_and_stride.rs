//! A map as nested shape and stride.

use super::untranslatable::{Untranslatable, refused};
use crate::map::{Digit, IndexMap, Source};

impl IndexMap {
    /// The box that the dimensions' digits count: each logical dimension with its padding. `None`
    /// where padding is not at the ends of the dimensions alone.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
    /// assert_eq!(map.padded_dims(), Some(vec![4, 6]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn padded_dims(&self) -> Option<Vec<i64>> {
        let map = self.separated().ok()?;
        let counts = map.digit_counts().ok()?;
        let width = |dim| map.digits_of(dim, &counts).iter().map(|(count, _)| count).product();
        Some((0..self.dims.len()).map(width).collect())
    }

    /// Each dimension's digits as nested shape and stride.
    pub(super) fn shape_and_stride(&self) -> Result<(String, String), Untranslatable> {
        self.separated()?.nested_digits()
    }

    fn nested_digits(&self) -> Result<(String, String), Untranslatable> {
        let counts = self.digit_counts()?;
        let mut shapes = Vec::new();
        let mut strides = Vec::new();
        for dim in 0..self.dims.len() {
            let mut digits = self.digits_of(dim, &counts);
            if digits.is_empty() {
                digits.push((1, 0));
            }
            shapes.push(mode(digits.iter().map(|digit| digit.0)));
            strides.push(mode(digits.iter().map(|digit| digit.1)));
        }
        Ok((format!("({})", shapes.join(",")), format!("({})", strides.join(","))))
    }

    /// The (count, stride) of each digit of a dimension, smallest divisor first.
    fn digits_of(&self, dim: usize, counts: &[i64]) -> Vec<(i64, i64)> {
        let of_dim = self.digits.iter().zip(counts).filter(|(d, _)| d.source == Source::Dim(dim));
        let mut digits: Vec<_> = of_dim.map(|(d, &count)| (d.divisor, count, d.stride)).collect();
        digits.sort_unstable();
        digits.into_iter().map(|(_, count, stride)| (count, stride)).collect()
    }

    /// How many values each digit counts: what it reaches, or, where that leaves the shape short
    /// of the allocation, as many as fit below the next larger stride.
    fn digit_counts(&self) -> Result<Vec<i64>, Untranslatable> {
        let reached: Vec<i64> = self.digits.iter().map(|digit| self.extent(digit)).collect();
        if self.span(&reached) == self.allocation {
            return Ok(reached);
        }
        let next_strides =
            [self.allocation].into_iter().chain(self.digits.iter().map(|d| d.stride));
        let filled = |((digit, &reached), next): ((&Digit, &i64), i64)| {
            let grows = digit.modulus.is_none() && next % digit.stride == 0;
            if grows { reached.max(next / digit.stride) } else { reached }
        };
        let filled: Vec<i64> =
            self.digits.iter().zip(&reached).zip(next_strides).map(filled).collect();
        let span = self.span(&filled);
        if span == self.allocation {
            return Ok(filled);
        }
        refused(format!(
            "the allocation is {} elements, and shape and strides reach {span}",
            self.allocation
        ))
    }

    /// One more than the largest offset of digits with these counts.
    fn span(&self, counts: &[i64]) -> i64 {
        if self.elements == 0 {
            return 0;
        }
        let reach = |(digit, count): (&Digit, &i64)| (count - 1) * digit.stride;
        self.digits.iter().zip(counts).map(reach).sum::<i64>() + 1
    }
}

/// One mode: a number, or a list of numbers.
fn mode(values: impl ExactSizeIterator<Item = i64>) -> String {
    let single = values.len() == 1;
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    if single { values.concat() } else { format!("({})", values.join(",")) }
}
