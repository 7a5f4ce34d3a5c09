//! The structured attributes of a layout: splits over memories, and padding to given widths.

use std::fmt;

use crate::error::{Error, invalid};
use crate::shape::Dim;

/// `SC(dim:i,j)`: where one *physical* dimension (0 is most major) is split, so that its parts
/// live in different memories. The parts are `[0,i) [i,j) [j,size)`.
///
/// ```
/// use tilewright::xla::SplitConfig;
/// let split = SplitConfig::new(1, [40, 130])?;
/// assert_eq!(split.max_part(200), 90);
/// assert!(SplitConfig::new(0, [20, 10]).is_err());
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SplitConfig {
    dimension: usize,
    split_indices: Vec<i64>,
}

impl SplitConfig {
    /// A split of the physical dimension `dimension` at these indices.
    ///
    /// # Errors
    /// If they do not rise strictly from above 0.
    pub fn new(dimension: usize, split_indices: impl Into<Vec<i64>>) -> Result<Self, Error> {
        let split_indices = split_indices.into();
        if split_indices.first().is_some_and(|&first| first < 1)
            || !split_indices.is_sorted_by(|a, b| a < b)
        {
            return invalid(format!(
                "split indices {split_indices:?} must be positive and strictly increasing"
            ));
        }
        Ok(SplitConfig { dimension, split_indices })
    }

    /// The physical dimension that is split; 0 is most major.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The indices at which a new part begins.
    pub fn split_indices(&self) -> &[i64] {
        &self.split_indices
    }

    /// The size of the largest part of a dimension of `size` elements.
    pub fn max_part(&self, size: i64) -> i64 {
        let ends = self.split_indices.iter().copied().chain([size]);
        let starts = [0].into_iter().chain(self.split_indices.iter().copied());
        ends.zip(starts).map(|(end, start)| end - start).max().unwrap_or(size)
    }

    pub(crate) fn with_dimension(mut self, dimension: usize) -> Self {
        self.dimension = dimension;
        self
    }

    pub(crate) fn check_fits(&self, size: Dim) -> Result<(), Error> {
        match (self.split_indices.last(), size.bound()) {
            (Some(&last), Some(size)) if last >= size => invalid(format!(
                "split index {last} is not inside physical dimension {}, which has {size} elements",
                self.dimension
            )),
            (Some(_), None) => {
                invalid(format!("split physical dimension {} is unbounded", self.dimension))
            }
            _ => Ok(()),
        }
    }
}

/// What the padding elements of a [`Padding`] hold.
///
/// The names of the old `PaddingValue` enumeration of `xla_data.proto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaddingValue {
    /// Zero.
    Zero,
    /// One.
    One,
    /// The lowest value of the element type.
    Lowest,
    /// The highest value of the element type.
    Highest,
    /// Anything.
    Unknown,
}

impl PaddingValue {
    /// Every value, in the order of their numbers in the proto, which start at 1.
    pub const ALL: [PaddingValue; 5] =
        [Self::Zero, Self::One, Self::Lowest, Self::Highest, Self::Unknown];

    /// The word that stands for it in text: `0 1 lowest highest unknown`.
    pub fn name(self) -> &'static str {
        match self {
            PaddingValue::Zero => "0",
            PaddingValue::One => "1",
            PaddingValue::Lowest => "lowest",
            PaddingValue::Highest => "highest",
            PaddingValue::Unknown => "unknown",
        }
    }

    /// The value that this word stands for.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

impl fmt::Display for PaddingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `PAD(3,5;0)`: the width each *logical* dimension is padded to before anything is tiled, and
/// perhaps what the padding holds.
///
/// XLA's `padded_dimensions` and `padding_value`, removed from XLA since, kept here. The 2 × 3
/// array `a b c / d e f` padded to 3 × 5 with zeros, dimension 0 minor, is in memory
/// `a d 0 b e 0 c f 0 0 0 0 0 0 0`.
///
/// Source: XLA, *Shapes and layout*, "Padding".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    dimensions: Vec<i64>,
    value: Option<PaddingValue>,
}

impl Padding {
    /// Padding to these widths.
    ///
    /// # Errors
    /// If a width is negative.
    pub fn new(
        dimensions: impl Into<Vec<i64>>,
        value: Option<PaddingValue>,
    ) -> Result<Self, Error> {
        let dimensions = dimensions.into();
        match dimensions.iter().find(|width| **width < 0) {
            Some(width) => invalid(format!("padded width {width} is negative")),
            None => Ok(Padding { dimensions, value }),
        }
    }

    /// The width of each dimension, dimension 0 first.
    pub fn dimensions(&self) -> &[i64] {
        &self.dimensions
    }

    /// What the padding holds, if that is said.
    pub fn value(&self) -> Option<PaddingValue> {
        self.value
    }

    pub(crate) fn check_fits(&self, dims: &[Dim]) -> Result<(), Error> {
        for (dimension, (dim, &width)) in dims.iter().zip(&self.dimensions).enumerate() {
            if dim.bound().is_some_and(|size| size > width) {
                return invalid(format!(
                    "dimension {dimension} has {dim} elements and cannot be padded to {width}"
                ));
            }
        }
        Ok(())
    }
}
