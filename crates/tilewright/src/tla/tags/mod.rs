//! Tags: the layouts that Ascend's libraries call by a name.
//!
//! A matrix unit reads *fractals*: blocks of 512 bytes, 16 rows of 32 bytes. `C0` is how many
//! elements 32 bytes hold, `FR` how many a fractal holds (16 · C0). A name of two letters says how
//! elements lie inside a fractal (lower case) and how the fractals follow each other (upper case):
//! `z` along the rows first, `n` down the columns first.
//!
//! For a matrix of `r` rows and `c` columns, `/^` a division rounded up and `Ru` a rounding up:
//!
//! | tag | shape | stride |
//! |---|---|---|
//! | `RowMajor` | `(r,c)` | `(c,_1)`; 4-bit floats `(Ru(c,2),_1)` |
//! | `ColumnMajor` | `(r,c)` | `(_1,r)`; 4-bit floats `(_1,Ru(r,2))` |
//! | `VectorLayout` | `(c)` | `(_1)` |
//! | `zN` | `((_16,r/^16),(_C0,c/^C0))` | `((_C0,_FR),(_1,Ru(r,16)*C0))` |
//! | `nZ` | `((_C0,r/^C0),(_16,c/^16))` | `((_1,Ru(c,16)*C0),(_C0,_FR))` |
//! | `zZ` | `((_16,r/^16),(_C0,c/^C0))` | `((_C0,Ru(c,C0)*16),(_1,_FR))` |
//! | `nN` | `((_C0,r/^C0),(_16,c/^16))` | `((_1,_FR),(_C0,Ru(r,C0)*16))` |
//! | `L0C` | `((_16,r/^16),(_16,c/^16))` | `((_16,_256),(_1,Ru(r,16)*16))` |
//! | `Weight4BitnZ` | `((_32,r/^32),(_16,c/^16))` | `((_1,Ru(c,16)*32),(_32,_512))` |
//! | `MxScalezZ`, `MxScalenN` | `zZ` and `nN` with C0 = 2 | |
//! | `MxScaleRowMajorA` | `(r,(_2,c/^2))` | `(Ru(c,2),(_1,_2))` |
//! | `MxScaleColumnMajorA` | `(r,(_2,c/^2))` | `(_2,(_1,r*2))` |
//! | `MxScaleRowMajorB` | `((_2,r/^2),c)` | `((_1,c*2),_2)` |
//! | `MxScaleColumnMajorB` | `((_2,r/^2),c)` | `((_1,_2),Ru(r,2))` |
//! | `PaddingRowMajor(R,C)` | `((R,r/^R),(C,c/^C))` | `((C,R*Ru(c,C)),(1,R*C))` |
//! | `PaddingColumnMajor(R,C)` | the same | `((1,R*C),(R,Ru(r,R)*C))` |
//!
//! The convolution tags are dense with the last dimension next to each other, each letter group of
//! the name a dimension:
//!
//! | tag | shape |
//! |---|---|
//! | `NC1HWC0`, a feature map | `(n,c1,h,w,_C0)` |
//! | `C1HWNC0`, a filter | `(c1,kh,kw,n,_C0)` |
//! | `C1HWNC0(L1)`, a filter in the L1 buffer | `(c1,kh,kw,Ru(n,16),_C0)` |
//! | `NDC1HWC0`, a 3-D feature map | `(n,d,c1,h,w,_C0)` |
//! | `KDC1KHKWN1N0C0`, a 3-D filter | `(kd,c1,kh,kw,n1,_16,_C0)` |
//!
//! The last is often seen as four dimensions, the first four merged; being dense, it is the same.
//!
//! # Widths
//!
//! `C0` and `FR` count an element at its width packed: 4 bits for `s4`, a byte for `pred`. Any
//! width that divides 32 bytes has them, down to 1 bit and up to `c128` (C0 = 2); 6-bit floats have
//! none, and tags that need them are refused for those. An MX scale is a byte, so its tags are
//! refused for other widths. `L0C`, `Weight4BitnZ` and the tags without fractals are the same for
//! all types, but for the 4-bit float, whose rows start at whole bytes.
//!
//! Source: CATLASS, *TLA Tensor: Layouts*, and the layouts its `MakeLayout` gives.

mod build;
mod form;
mod name;
mod reason;
mod recognise;

pub use form::{c0_elements, fractal_elements};
pub use reason::NotATag;
pub use recognise::Recognised;

/// A layout that has a name in Ascend's libraries; [what each means](self) is in the module.
///
/// ```
/// use tilewright::ElementType;
/// use tilewright::tla::{Layout, Tag};
/// let tag: Tag = "FRACTAL_NZ".parse()?;
/// assert_eq!((tag, tag.to_string().as_str()), (Tag::Zn, "zN"));
/// let layout = Layout::from_tag(tag, ElementType::F16, 28, 40)?;
/// assert_eq!(layout.to_string(), "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)");
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tag {
    /// Rows one after the other.
    RowMajor,
    /// Columns one after the other.
    ColumnMajor,
    /// One row, `VectorLayout`.
    Vector,
    /// `zN`: rows inside a fractal, fractals down the columns. The left operand in L1.
    Zn,
    /// `nZ`: columns inside a fractal, fractals along the rows. The right operand.
    Nz,
    /// `zZ`: along the rows both inside and between fractals.
    Zz,
    /// `nN`: down the columns both inside and between fractals.
    Nn,
    /// The accumulator: `zN` with fractals of 16 × 16 elements of any type.
    L0C,
    /// 4-bit weights: `nZ` with fractals of 32 × 16 elements.
    Weight4BitNz,
    /// MX scales, `zZ` with fractals of 16 × 2.
    MxScaleZz,
    /// MX scales, `nN` with fractals of 2 × 16.
    MxScaleNn,
    /// MX scales of the left operand, rows one after the other, columns in pairs.
    MxScaleRowMajorA,
    /// MX scales of the left operand, pairs of columns one after the other.
    MxScaleColumnMajorA,
    /// MX scales of the right operand, pairs of rows one after the other.
    MxScaleRowMajorB,
    /// MX scales of the right operand, columns one after the other, rows in pairs.
    MxScaleColumnMajorB,
    /// A feature map, `NC1HWC0`.
    Fmap,
    /// A filter, `C1HWNC0`.
    Filter(FilterPosition),
    /// A feature map with depth, `NDC1HWC0`.
    Fmap3d,
    /// A filter with depth, `KDC1KHKWN1N0C0`.
    Filter3d,
    /// Padded to blocks; rows first inside and between them.
    PaddingRowMajor {
        /// The rows of a block.
        block_rows: i64,
        /// The columns of a block.
        block_columns: i64,
    },
    /// Padded to blocks; columns first inside and between them.
    PaddingColumnMajor {
        /// The rows of a block.
        block_rows: i64,
        /// The columns of a block.
        block_columns: i64,
    },
}

/// The memory a filter lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterPosition {
    /// Global memory: as many output channels as there are.
    GlobalMemory,
    /// The L1 buffer: output channels rounded up to 16.
    L1,
}

impl Tag {
    /// Every tag but `PaddingRowMajor` and `PaddingColumnMajor`, which have block sizes. In this
    /// order [`Layout::tags`](super::Layout::tags) tries them, the padded ones last.
    pub const ALL: [Tag; 20] = [
        Tag::RowMajor,
        Tag::ColumnMajor,
        Tag::Vector,
        Tag::Zn,
        Tag::Nz,
        Tag::Zz,
        Tag::Nn,
        Tag::L0C,
        Tag::Weight4BitNz,
        Tag::MxScaleZz,
        Tag::MxScaleNn,
        Tag::MxScaleRowMajorA,
        Tag::MxScaleColumnMajorA,
        Tag::MxScaleRowMajorB,
        Tag::MxScaleColumnMajorB,
        Tag::Fmap,
        Tag::Filter(FilterPosition::GlobalMemory),
        Tag::Filter(FilterPosition::L1),
        Tag::Fmap3d,
        Tag::Filter3d,
    ];

    /// What sizes [`Layout::from_tag_sizes`](super::Layout::from_tag_sizes) takes, in order.
    ///
    /// ```
    /// use tilewright::tla::Tag;
    /// assert_eq!(Tag::Zn.size_names(), ["rows", "columns"]);
    /// assert_eq!(Tag::Fmap.size_names(), ["n", "c1", "h", "w"]);
    /// ```
    pub const fn size_names(self) -> &'static [&'static str] {
        match self {
            Tag::Vector => &["columns"],
            Tag::Fmap => &["n", "c1", "h", "w"],
            Tag::Filter(_) => &["c1", "kh", "kw", "n"],
            Tag::Fmap3d => &["n", "d", "c1", "h", "w"],
            Tag::Filter3d => &["kd", "c1", "kh", "kw", "n1"],
            _ => &["rows", "columns"],
        }
    }
}
