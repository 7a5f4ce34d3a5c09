//! Why a map is not to be had in another notation.

use std::fmt;

use crate::map::{Digit, IndexMap, Source};
use crate::text::shown;

/// Why a map cannot be written in a notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untranslatable {
    reason: String,
}

impl fmt::Display for Untranslatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Untranslatable {}

pub(super) fn refused<T>(reason: impl Into<String>) -> Result<T, Untranslatable> {
    Err(Untranslatable { reason: shown(reason.into()) })
}

impl IndexMap {
    /// That the map has elements.
    pub(super) fn refuse_empty(&self) -> Result<(), Untranslatable> {
        if self.elements == 0 { refused("the array has no elements") } else { Ok(()) }
    }

    /// Why a map of merged coordinates is no shape and stride: where the first one is cut.
    pub(super) fn cut_reason(&self) -> String {
        let cut = self.digits.iter().find_map(|digit| match digit.source {
            Source::Merged(number) => Some((number, digit)),
            Source::Dim(_) => None,
        });
        let reason = cut.map(|(number, digit)| self.straddle_reason(number, digit));
        reason.unwrap_or_else(|| "a tile straddles dimensions".to_owned())
    }

    fn straddle_reason(&self, number: usize, cut: &Digit) -> String {
        let tile = cut.modulus.unwrap_or(cut.divisor);
        if self.is_a_sum_of_bits(number) {
            return "bits of the offset are flipped by other bits".to_owned();
        }
        match self.dims_under(number)[..] {
            [dim] => format!(
                "tile {tile} cuts a tiled piece of dimension {dim} where it does not divide it"
            ),
            [.., last] => {
                format!("tile {tile} straddles dim {last} of extent {}", self.dims[last])
            }
            [] => format!("tile {tile} cuts what no dimension is in"),
        }
    }

    /// Whether a merged coordinate is the sum of two bits, as swizzles make them.
    fn is_a_sum_of_bits(&self, number: usize) -> bool {
        let digits = &self.merged[number].digits;
        digits.len() > 1 && digits.iter().all(|digit| digit.stride == 1 && self.extent(digit) == 2)
    }

    /// The dimensions that a merged coordinate is made of, each looked into once: coordinates of
    /// coordinates can use one another in twice as many ways at each level.
    fn dims_under(&self, number: usize) -> Vec<usize> {
        let mut dims = Vec::new();
        let mut is_used = vec![false; number + 1];
        is_used[number] = true;
        for inside in (0..=number).rev() {
            if !is_used[inside] {
                continue;
            }
            for digit in &self.merged[inside].digits {
                match digit.source {
                    Source::Dim(dim) => dims.push(dim),
                    Source::Merged(inner) => is_used[inner] = true,
                }
            }
        }
        dims.sort_unstable();
        dims.dedup();
        dims
    }
}
