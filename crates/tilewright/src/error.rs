//! Errors about values: a size that overflows, an index out of bounds, a tile that cannot be.
//!
//! Errors about *text* are [`Diagnostic`](crate::text::Diagnostic)s, which point at a character.

use std::fmt;

use crate::text::{abridged, shown};

/// What went wrong when a value was built or asked.
///
/// One word wide; what happened is inside. Ask with the `is_…` predicates, show with `Display`.
///
/// ```
/// use tilewright::Shape;
/// let shape: Shape = "f32[3,5]{1,0}".parse()?;
/// let error = shape.index_map()?.offset(&[3, 0]).unwrap_err();
/// assert!(error.is_out_of_bounds());
/// assert_eq!(error.to_string(), "index 3 is out of bounds for dimension 0, which has 3 elements");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Kind>);

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Error(Box::new(kind))
    }

    /// A count, an offset or a product does not fit 64 bits.
    pub fn is_overflow(&self) -> bool {
        matches!(*self.0, Kind::Overflow { .. })
    }

    /// An index or an offset lies outside its range.
    pub fn is_out_of_bounds(&self) -> bool {
        matches!(
            *self.0,
            Kind::IndexOutOfBounds { .. }
                | Kind::OffsetOutOfBounds { .. }
                | Kind::DimensionOutOfRange { .. }
                | Kind::Entry { .. }
        )
    }

    /// Two things that must have the same number of dimensions do not.
    pub fn is_rank_mismatch(&self) -> bool {
        matches!(*self.0, Kind::RankMismatch { .. } | Kind::LayoutRank { .. })
    }

    /// There is not enough memory for the answer.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(*self.0, Kind::Memory { .. })
    }

    /// The question needs every dimension's size, and one is unbounded.
    pub fn is_unbounded(&self) -> bool {
        matches!(*self.0, Kind::Unbounded { .. })
    }
}

/// The structured reasons, private so that more can come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    UnknownElementType {
        name: String,
    },
    Overflow {
        what: &'static str,
    },
    IndexOutOfBounds {
        dimension: usize,
        index: i64,
        extent: i64,
    },
    /// An index that is out of bounds, of a list of them.
    Entry {
        entry: usize,
        error: Error,
    },
    OffsetOutOfBounds {
        offset: i64,
        allocation: i64,
    },
    DimensionOutOfRange {
        dimension: i64,
        rank: usize,
    },
    RankMismatch {
        what: &'static str,
        expected: usize,
        found: usize,
    },
    /// A layout for an array of another rank.
    LayoutRank {
        layout: String,
        orders: usize,
        array: String,
        rank: usize,
    },
    NotAPermutation {
        reason: String,
    },
    Unbounded {
        dimension: usize,
    },
    TooLarge {
        elements: i64,
        limit: i64,
    },
    Memory {
        what: &'static str,
    },
    NotAnArray {
        found: &'static str,
    },
    Invalid {
        message: String,
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::UnknownElementType { name } => {
                write!(f, "unknown element type `{}`", abridged(name))
            }
            Kind::Overflow { what } => write!(f, "{what} does not fit in 64 bits"),
            Kind::IndexOutOfBounds { dimension, index, extent } => {
                let plural = if *extent == 1 { "element" } else { "elements" };
                write!(
                    f,
                    "index {index} is out of bounds for dimension {dimension}, which has {extent} {plural}"
                )
            }
            Kind::Entry { entry, error } => write!(f, "entry {entry}: {error}"),
            Kind::OffsetOutOfBounds { offset, allocation } => {
                write!(f, "offset {offset} is outside the allocation of {allocation} elements")
            }
            Kind::DimensionOutOfRange { dimension, rank } => write!(
                f,
                "dimension {dimension} does not exist in an array of {rank} dimensions (0 to {}, or negative from the end)",
                rank.saturating_sub(1)
            ),
            Kind::RankMismatch { what, expected, found } => {
                write!(f, "{what} has {found} dimensions, expected {expected}")
            }
            Kind::LayoutRank { layout, orders, array, rank } => {
                let layout = abridged(layout);
                write!(f, "the layout {layout} orders {orders} dimensions, and {array} has {rank}")
            }
            Kind::NotAPermutation { reason } => write!(f, "not a permutation: {reason}"),
            Kind::Unbounded { dimension } => {
                write!(f, "dimension {dimension} is unbounded (`?`), so the size is not known")
            }
            Kind::Memory { what } => write!(f, "there is not enough memory for {what}"),
            Kind::TooLarge { elements, limit } => write!(
                f,
                "{elements} elements would have to be compared one by one, more than the limit of {limit}"
            ),
            Kind::NotAnArray { found } => write!(f, "expected an array shape, found {found}"),
            Kind::Invalid { message } => f.write_str(message),
        }
    }
}

/// Says it in words that are fit for a terminal, whatever text or value is echoed.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(self.0.to_string()))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

/// `Ok` of a checked computation, or the overflow of `what`.
pub(crate) fn checked<T>(value: Option<T>, what: &'static str) -> Result<T, Error> {
    value.ok_or_else(|| Error::new(Kind::Overflow { what }))
}

/// The error that a value is wrong, in these words.
pub(crate) fn invalid<T>(message: String) -> Result<T, Error> {
    Err(Error::new(Kind::Invalid { message }))
}
