//! The generations of TPUs.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Kind};
use crate::text::abridged;

/// A generation of TPUs.
///
/// ```
/// use tilewright::formats::tpu::Chip;
/// assert_eq!("v5e".parse::<Chip>()?, Chip::V5e);
/// assert_eq!("TPU v5 lite".parse::<Chip>()?, Chip::V5e); // as JAX calls the device
/// assert_eq!(Chip::V7x.to_string(), "v7x");
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Chip {
    /// TPU v2.
    V2,
    /// TPU v3.
    V3,
    /// TPU v4.
    V4,
    /// TPU v5e, "v5 lite".
    V5e,
    /// TPU v5p.
    V5p,
    /// TPU v6e, "v6 lite", Trillium.
    V6e,
    /// TPU7x, Ironwood.
    V7x,
}

impl Chip {
    /// Every generation, the oldest first.
    pub const ALL: [Chip; 7] =
        [Self::V2, Self::V3, Self::V4, Self::V5e, Self::V5p, Self::V6e, Self::V7x];

    /// The name: `v5e`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::V4 => "v4",
            Self::V5e => "v5e",
            Self::V5p => "v5p",
            Self::V6e => "v6e",
            Self::V7x => "v7x",
        }
    }

    /// What JAX says is the `device_kind`: `TPU v5 lite`.
    pub const fn device_kind(self) -> &'static str {
        match self {
            Self::V2 => "TPU v2",
            Self::V3 => "TPU v3",
            Self::V4 => "TPU v4",
            Self::V5e => "TPU v5 lite",
            Self::V5p => "TPU v5",
            Self::V6e => "TPU v6 lite",
            Self::V7x => "TPU7x",
        }
    }

    /// How many rows of 128 words of 32 bits are read at once.
    pub(super) const fn least_word_rows(self) -> i64 {
        if self.is_before_v4() { 2 } else { 1 }
    }

    /// Whether it is of those that store elements below a byte in a byte, and know no tiles of more
    /// rows for elements that share words.
    pub(super) const fn is_before_v4(self) -> bool {
        matches!(self, Self::V2 | Self::V3)
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Chip {
    type Err = Error;

    /// Reads a [`name`](Chip::name) or a [`device_kind`](Chip::device_kind), in any case.
    fn from_str(text: &str) -> Result<Self, Error> {
        let is_meant = |chip: &Chip| {
            [chip.name(), chip.device_kind()].iter().any(|name| name.eq_ignore_ascii_case(text))
        };
        Self::ALL.into_iter().find(is_meant).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|chip| chip.name()).collect();
            let message = format!(
                "no TPU generation is called `{}`; there are {}",
                abridged(text),
                names.join(", ")
            );
            Error::new(Kind::Invalid { message })
        })
    }
}
