//! Lifting a map to other notations.
//!
//! A translation is exact or it is refused with the reason: what is printed places every element
//! where the map does, and where the notation has a size, it has the map's allocation.

use std::fmt;

use super::expression::ExpressionStyle;
use super::{Digit, IndexMap, Source};
use crate::text::shown;

/// A notation that a map can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// `shape:stride:original shape`, nested, the smallest digit of each dimension first.
    Tla,
    /// `shape:stride`.
    Cute,
    /// A oneDNN tag, `aBcd16b`.
    OneDnn,
    /// numpy strides in bytes, as a Python tuple.
    Numpy,
    /// An MLIR affine map.
    Mlir,
}

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
    /// The map in another notation. `element_bits` is the width of an element, which numpy's
    /// strides in bytes need.
    ///
    /// ```
    /// use tilewright::{Shape, map::Notation};
    /// let map = "bf16[30,300]{1,0:T(8,128)(2,1)}".parse::<Shape>()?.index_map()?;
    /// assert_eq!(
    ///     map.to_notation(Notation::Tla, 16)?,
    ///     "((2,4,4),(128,3)):((1,256,3072),(2,1024)):(30,300)"
    /// );
    /// let reason = map.to_notation(Notation::Numpy, 16).unwrap_err();
    /// assert_eq!(reason.to_string(), "dimension 0 is cut in 3 digits, and numpy has one stride per dimension");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the notation cannot say what the map does; the reason names the tile and the dimension.
    pub fn to_notation(
        &self,
        notation: Notation,
        element_bits: u32,
    ) -> Result<String, Untranslatable> {
        match notation {
            Notation::Tla => {
                let (shape, stride) = self.shape_and_stride()?;
                let dims: Vec<String> = self.dims.iter().map(i64::to_string).collect();
                Ok(format!("{shape}:{stride}:({})", dims.join(",")))
            }
            Notation::Cute => {
                self.shape_and_stride().map(|(shape, stride)| format!("{shape}:{stride}"))
            }
            Notation::OneDnn => self.onednn_tag(),
            Notation::Numpy => self.numpy_strides(element_bits),
            Notation::Mlir => Ok(self.affine_map()),
        }
    }

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
        self.refuse_merged().ok()?;
        let counts = self.digit_counts().ok()?;
        let width = |dim| self.digits_of(dim, &counts).iter().map(|(count, _)| count).product();
        Some((0..self.dims.len()).map(width).collect())
    }

    /// Each dimension's digits as nested shape and stride.
    fn shape_and_stride(&self) -> Result<(String, String), Untranslatable> {
        self.refuse_merged()?;
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

    pub(super) fn refuse_merged(&self) -> Result<(), Untranslatable> {
        if self.elements == 0 {
            return refused("the array has no elements");
        }
        let cut = self.digits.iter().find_map(|digit| match digit.source {
            Source::Merged(number) => Some((number, digit)),
            Source::Dim(_) => None,
        });
        match cut {
            None => Ok(()),
            Some((number, digit)) => refused(self.straddle_reason(number, digit)),
        }
    }

    fn straddle_reason(&self, number: usize, cut: &Digit) -> String {
        let tile = cut.modulus.unwrap_or(cut.divisor);
        if self.is_a_sum_of_bits(number) {
            return "bits of the offset are flipped by other bits".to_owned();
        }
        let mut dims: Vec<usize> = self.dims_under(number);
        dims.sort_unstable();
        match dims[..] {
            [dim] => format!(
                "tile {tile} cuts a tiled piece of dimension {dim} where it does not divide it"
            ),
            _ => {
                let last = dims.last().copied().unwrap_or(0);
                format!("tile {tile} straddles dim {last} of extent {}", self.dims[last])
            }
        }
    }

    /// Whether a merged coordinate is the sum of two bits, as swizzles make them.
    fn is_a_sum_of_bits(&self, number: usize) -> bool {
        let digits = &self.merged[number].digits;
        digits.len() > 1 && digits.iter().all(|digit| digit.stride == 1 && self.extent(digit) == 2)
    }

    /// The dimensions that a merged coordinate is made of.
    fn dims_under(&self, number: usize) -> Vec<usize> {
        let mut dims = Vec::new();
        for digit in &self.merged[number].digits {
            match digit.source {
                Source::Dim(dim) => dims.push(dim),
                Source::Merged(inner) => dims.extend(self.dims_under(inner)),
            }
        }
        dims.sort_unstable();
        dims.dedup();
        dims
    }

    fn numpy_strides(&self, element_bits: u32) -> Result<String, Untranslatable> {
        self.refuse_merged()?;
        if !element_bits.is_multiple_of(8) {
            return refused(format!("elements of {element_bits} bits have no stride in bytes"));
        }
        if self.base != 0 {
            return refused(format!("the first element is at offset {}, not 0", self.base));
        }
        let width = i128::from(element_bits / 8);
        let strides: Vec<String> = self
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

    fn affine_map(&self) -> String {
        let style = ExpressionStyle { variable: "d", div: "floordiv", times: " * " };
        let inputs: Vec<String> = (0..self.dims.len()).map(|dim| format!("d{dim}")).collect();
        format!("affine_map<({}) -> ({})>", inputs.join(", "), self.expression(&style))
    }
}

/// One mode: a number, or a list of numbers.
fn mode(values: impl ExactSizeIterator<Item = i64>) -> String {
    let single = values.len() == 1;
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    if single { values.concat() } else { format!("({})", values.join(",")) }
}
