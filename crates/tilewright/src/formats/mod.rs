//! Named formats: the layouts that people call by a name.
//!
//! The formats that the tiled-layout document lists, each as a [`NamedFormat`]: what it is
//! called, what it is for, and the [`Layout`] it gives an array of a rank.
//!
//! | name | tiles | for |
//! |---|---|---|
//! | `untiled` | none | most arrays off the TPU |
//! | `tpu` | `(8,128)` | 32-bit elements on TPU |
//! | `tpu-small-2` | `(2,128)` | one or two rows |
//! | `tpu-small-4` | `(4,128)` | three or four rows |
//! | `tpu-16bit` | `(8,128)(2,1)` | two rows' elements in one 32-bit word |
//! | `tpu-16bit-alternative` | `(8,128)(2,1,1,1)` | two tiles' elements in one 32-bit word |
//! | `tpu-8bit` | `(8,128)(4,1)` | four rows' elements in one 32-bit word |
//! | `tpu-1bit` | `(32,128)(32,1)`, 1 bit | 32 rows' truth values in one 32-bit word |
//!
//! [`ascend_layout`] gives those that Ascend's libraries have names for, and [`tpu`] those that TPU
//! compilers choose. [`catalogue`] has the layouts of weights and scales that kernel libraries expect.
//! A [`Target`] is what an array is to become, as a text says it: any of these, or
//! a layout in any notation.
//!
//! Where an element has no place of its own but bits in several, a [`Record`] says so: [`gguf`] has
//! those of ggml's quantised types.
//!
//! Source: XLA, *Tiled layout*, "Examples of tiling formats".

mod ascend;
pub mod catalogue;
pub mod gguf;
mod record;
mod target;
pub mod tpu;

pub use ascend::ascend_layout;
pub use record::{Field, Record};
pub use target::Target;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Kind};
use crate::text::abridged;
use crate::xla::{Layout, Tile};

/// A format with a name.
///
/// ```
/// use tilewright::formats::NamedFormat;
/// let format: NamedFormat = "tpu-16bit".parse()?;
/// assert_eq!(format.layout(2)?.to_string(), "{1,0:T(8,128)(2,1)}");
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NamedFormat {
    /// Linear, as in C: no tiles.
    Untiled,
    /// The TPU's vector registers hold 8 × 128 32-bit elements.
    Tpu,
    /// Compact second-minor layout for one or two rows.
    TpuSmall2,
    /// Compact second-minor layout for three or four rows.
    TpuSmall4,
    /// 16-bit packing: an even row's element and the odd row's below it share a 32-bit word.
    Tpu16Bit,
    /// The alternative 16-bit packing: elements in the same place of two tiles share a word.
    Tpu16BitAlternative,
    /// 8-bit packing: four rows' elements share a 32-bit word.
    Tpu8Bit,
    /// 1-bit packing of truth values: 32 rows' elements share a 32-bit word.
    Tpu1Bit,
}

impl NamedFormat {
    /// Every named format.
    pub const ALL: [NamedFormat; 8] = [
        Self::Untiled,
        Self::Tpu,
        Self::TpuSmall2,
        Self::TpuSmall4,
        Self::Tpu16Bit,
        Self::Tpu16BitAlternative,
        Self::Tpu8Bit,
        Self::Tpu1Bit,
    ];

    /// The name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Untiled => "untiled",
            Self::Tpu => "tpu",
            Self::TpuSmall2 => "tpu-small-2",
            Self::TpuSmall4 => "tpu-small-4",
            Self::Tpu16Bit => "tpu-16bit",
            Self::Tpu16BitAlternative => "tpu-16bit-alternative",
            Self::Tpu8Bit => "tpu-8bit",
            Self::Tpu1Bit => "tpu-1bit",
        }
    }

    /// The small-tile format for this many rows, or `None` for more than 4.
    pub fn tpu_small(second_minor_size: i64) -> Option<Self> {
        match second_minor_size {
            ..=2 => Some(Self::TpuSmall2),
            3..=4 => Some(Self::TpuSmall4),
            _ => None,
        }
    }

    /// The sizes of each level of tiles.
    pub fn tile_sizes(self) -> &'static [&'static [i64]] {
        match self {
            Self::Untiled => &[],
            Self::Tpu => &[&[8, 128]],
            Self::TpuSmall2 => &[&[2, 128]],
            Self::TpuSmall4 => &[&[4, 128]],
            Self::Tpu16Bit => &[&[8, 128], &[2, 1]],
            Self::Tpu16BitAlternative => &[&[8, 128], &[2, 1, 1, 1]],
            Self::Tpu8Bit => &[&[8, 128], &[4, 1]],
            Self::Tpu1Bit => &[&[32, 128], &[32, 1]],
        }
    }

    /// The layout of an array of this rank, its last dimension minor.
    ///
    /// # Errors
    /// Never for the formats there are; a tile with a bad size would be one.
    pub fn layout(self, rank: usize) -> Result<Layout, Error> {
        let tiles: Vec<Tile> =
            self.tile_sizes().iter().map(|sizes| Tile::of(sizes)).collect::<Result<_, _>>()?;
        let bits = if self == Self::Tpu1Bit { 1 } else { 0 };
        Ok(Layout::descending(rank).with_tiles(tiles).with_element_size_in_bits(bits))
    }
}

impl fmt::Display for NamedFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for NamedFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            let message =
                format!("no format is named `{}`; there are {}", abridged(name), names.join(", "));
            Error::new(Kind::Invalid { message })
        })
    }
}
