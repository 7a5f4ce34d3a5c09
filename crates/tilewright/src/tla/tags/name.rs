//! The names of tags, printed and read.

use std::fmt;
use std::str::FromStr;

use super::{FilterPosition, Tag};
use crate::error::{Error, invalid};
use crate::text::abridged;

impl Tag {
    /// The name without parameters: `zN`, `RowMajor`, `PaddingRowMajor`.
    pub const fn name(self) -> &'static str {
        match self {
            Tag::RowMajor => "RowMajor",
            Tag::ColumnMajor => "ColumnMajor",
            Tag::Vector => "VectorLayout",
            Tag::Zn => "zN",
            Tag::Nz => "nZ",
            Tag::Zz => "zZ",
            Tag::Nn => "nN",
            Tag::L0C => "L0C",
            Tag::Weight4BitNz => "Weight4BitnZ",
            Tag::MxScaleZz => "MxScalezZ",
            Tag::MxScaleNn => "MxScalenN",
            Tag::MxScaleRowMajorA => "MxScaleRowMajorA",
            Tag::MxScaleColumnMajorA => "MxScaleColumnMajorA",
            Tag::MxScaleRowMajorB => "MxScaleRowMajorB",
            Tag::MxScaleColumnMajorB => "MxScaleColumnMajorB",
            Tag::Fmap => "NC1HWC0",
            Tag::Filter(_) => "C1HWNC0",
            Tag::Fmap3d => "NDC1HWC0",
            Tag::Filter3d => "KDC1KHKWN1N0C0",
            Tag::PaddingRowMajor { .. } => "PaddingRowMajor",
            Tag::PaddingColumnMajor { .. } => "PaddingColumnMajor",
        }
    }

    /// Other names that are read: Ascend's format names say what is between fractals first, so
    /// `FRACTAL_NZ` is `zN`; `ND` stands for a plain matrix, `DN` for its transpose.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Tag::RowMajor => &["ND"],
            Tag::ColumnMajor => &["DN"],
            Tag::Vector => &["Vector", "VECTOR"],
            Tag::Zn => &["FRACTAL_NZ", "NZ", "Nz"],
            Tag::Nz => &["FRACTAL_ZN", "ZN", "Zn"],
            Tag::Zz => &["FRACTAL_ZZ", "ZZ", "Zz"],
            Tag::Nn => &["FRACTAL_NN", "NN", "Nn"],
            Tag::Fmap => &["Fmap"],
            Tag::Filter(FilterPosition::GlobalMemory) => &["Filter", "Filter(GM)", "C1HWNC0(GM)"],
            Tag::Filter(FilterPosition::L1) => &["Filter(L1)"],
            Tag::Filter3d => &["FRACTAL_Z_3D"],
            _ => &[],
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tag::Filter(FilterPosition::L1) => f.pad("C1HWNC0(L1)"),
            Tag::PaddingRowMajor { block_rows, block_columns }
            | Tag::PaddingColumnMajor { block_rows, block_columns } => {
                f.pad(&format!("{}({block_rows},{block_columns})", self.name()))
            }
            _ => f.pad(self.name()),
        }
    }
}

impl FromStr for Tag {
    type Err = Error;

    /// Reads a name or an alias. Case matters, since it tells `nZ` from `NZ`; blanks do not.
    ///
    /// ```
    /// use tilewright::tla::Tag;
    /// assert_eq!("NZ".parse::<Tag>()?, Tag::Zn);
    /// assert_eq!("nZ".parse::<Tag>()?, Tag::Nz);
    /// assert_eq!("PaddingRowMajor(32, 64)".parse::<Tag>()?.to_string(), "PaddingRowMajor(32,64)");
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let plain = Tag::ALL
            .into_iter()
            .find(|tag| tag.to_string() == dense || tag.aliases().contains(&dense.as_str()));
        match plain.or_else(|| padding(&dense)) {
            Some(tag) => Ok(tag),
            None => unknown(text),
        }
    }
}

/// `PaddingRowMajor(32,64)` or `PaddingColumnMajor(32,64)`.
fn padding(dense: &str) -> Option<Tag> {
    let (name, sizes) = dense.strip_suffix(')')?.split_once('(')?;
    let (rows, columns) = sizes.split_once(',')?;
    let (block_rows, block_columns) = (block(rows)?, block(columns)?);
    match name {
        "PaddingRowMajor" => Some(Tag::PaddingRowMajor { block_rows, block_columns }),
        "PaddingColumnMajor" => Some(Tag::PaddingColumnMajor { block_rows, block_columns }),
        _ => None,
    }
}

fn block(size: &str) -> Option<i64> {
    size.parse().ok().filter(|&size| size > 0)
}

fn unknown(text: &str) -> Result<Tag, Error> {
    let names: Vec<String> = Tag::ALL.iter().map(Tag::to_string).collect();
    invalid(format!(
        "no tag is named `{}`; there are {}, PaddingRowMajor(R,C) and PaddingColumnMajor(R,C)",
        abridged(text),
        names.join(", ")
    ))
}
