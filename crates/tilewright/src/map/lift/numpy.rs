//! A map as one stride in bytes for each dimension.

use super::untranslatable::{Untranslatable, refused};
use crate::map::{Digit, IndexMap, Source};

impl IndexMap {
    pub(super) fn numpy_strides(&self, element_bits: u32) -> Result<String, Untranslatable> {
        let map = self.separated()?;
        if !element_bits.is_multiple_of(8) {
            return refused(format!("elements of {element_bits} bits have no stride in bytes"));
        }
        if map.base != 0 {
            return refused(format!("the first element is at offset {}, not 0", map.base));
        }
        let width = i128::from(element_bits / 8);
        let strides: Vec<String> = map
            .element_strides()?
            .iter()
            .map(|&stride| (i128::from(stride) * width).to_string())
            .collect();
        let comma = if strides.len() == 1 { "," } else { "" };
        Ok(format!("({}{comma})", strides.join(", ")))
    }

    /// The one stride of each dimension, in elements. A dimension of size 1, where any would do,
    /// gets the one that follows from the next.
    fn element_strides(&self) -> Result<Vec<i64>, Untranslatable> {
        let mut strides = Vec::new();
        for dim in 0..self.dims.len() {
            let digits: Vec<&Digit> =
                self.digits.iter().filter(|d| d.source == Source::Dim(dim)).collect();
            strides.push(match digits[..] {
                [] if self.dims[dim] > 1 => Some(0),
                [] => None,
                [digit] if digit.divisor == 1 && digit.modulus.is_none() => Some(digit.stride),
                [_] => {
                    return refused(format!(
                        "dimension {dim} repeats places by turns, as no single stride does"
                    ));
                }
                _ => {
                    return refused(format!(
                        "dimension {dim} is cut in {} digits, and numpy has one stride per dimension",
                        digits.len()
                    ));
                }
            });
        }
        let mut next = 1;
        let filled = strides.iter().zip(&self.dims).rev().map(|(&stride, &size)| {
            let stride = stride.unwrap_or(next);
            next = stride.saturating_mul(size);
            stride
        });
        let mut filled: Vec<i64> = filled.collect();
        filled.reverse();
        Ok(filled)
    }
}
