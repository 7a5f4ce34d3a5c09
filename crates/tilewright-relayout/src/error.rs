//! What can be wrong with a placement, a plan or the buffers given to it.

use std::fmt;
use std::ops::Range;

use tilewright::map::Alias;

/// Why a relayout could not be planned or run.
///
/// One word wide; what happened is inside. Ask with the `is_…` predicates, show with `Display`.
/// An error that is found while running leaves the destination as it was.
///
/// ```
/// use tilewright::Shape;
/// use tilewright_relayout::{Placement, Plan, RunOptions};
/// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
/// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
/// # }
/// let plan = Plan::new(&placement("f32[3,5]")?, &placement("f32[3,5]{1,0:T(2,2)}")?)?;
/// let error = plan.run(&[0; 60], &mut [0; 60], &RunOptions::default()).unwrap_err();
/// assert!(error.is_length_mismatch());
/// assert_eq!(error.to_string(), "the destination has 60 bytes, expected 96");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Kind>);

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind) -> Self {
        Error(Box::new(kind))
    }

    /// An element or a value of 0 bits, or of more than 128.
    pub fn is_width(&self) -> bool {
        matches!(*self.0, Kind::Width { .. })
    }

    /// A map has offsets below 0, as negative strides have.
    pub fn is_below_buffer(&self) -> bool {
        matches!(*self.0, Kind::BelowBuffer { .. })
    }

    /// The two placements are of arrays with different logical dimensions.
    pub fn is_dims_mismatch(&self) -> bool {
        matches!(*self.0, Kind::Dims { .. })
    }

    /// Elements share a slot of the destination, which would keep one of them.
    pub fn is_sharing(&self) -> bool {
        matches!(*self.0, Kind::Sharing(_))
    }

    /// A buffer is not as long as its placement, or does not hold the bytes that are read.
    pub fn is_length_mismatch(&self) -> bool {
        matches!(*self.0, Kind::Length { .. } | Kind::Missing { .. } | Kind::NotInPlace { .. })
    }

    /// A range of chunks goes beyond the plan's last one, or backwards.
    pub fn is_chunk_out_of_range(&self) -> bool {
        matches!(*self.0, Kind::Chunks { .. })
    }

    /// A size does not fit the numbers or the memory of this machine.
    pub fn is_overflow(&self) -> bool {
        match &*self.0 {
            Kind::Overflow { .. } | Kind::Memory { .. } => true,
            Kind::Map(error) => error.is_overflow(),
            _ => false,
        }
    }
}

/// The structured reasons, private so that more can come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Width { what: &'static str, bits: u32 },
    Dims { from: Vec<i64>, to: Vec<i64> },
    Length { what: &'static str, expected: usize, found: usize },
    Missing { needed: Range<usize>, given: Range<usize> },
    Chunks { asked: Range<usize>, n_chunks: usize },
    NotInPlace { from: usize, to: usize },
    Overflow { what: &'static str },
    Memory { bytes: usize },
    BelowBuffer { offset: i64 },
    Sharing(Alias),
    Map(tilewright::Error),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Width { what, bits } => {
                write!(f, "{what} of {bits} bits is not supported, expected 1 to 128")
            }
            Kind::Dims { from, to } => write!(
                f,
                "the source has dimensions {from:?} and the destination {to:?}, expected the same"
            ),
            Kind::Length { what, expected, found } => {
                write!(f, "the {what} has {found} bytes, expected {expected}")
            }
            Kind::Missing { needed, given } => write!(
                f,
                "the part of the source holds bytes {}..{}, but bytes {}..{} are read",
                given.start, given.end, needed.start, needed.end
            ),
            Kind::Chunks { asked, n_chunks } => write!(
                f,
                "chunks {}..{} do not exist in a plan of {n_chunks} chunks",
                asked.start, asked.end
            ),
            Kind::NotInPlace { from, to } => write!(
                f,
                "the source has {from} bytes and the destination {to}, expected the same for one buffer"
            ),
            Kind::Overflow { what } => write!(f, "{what} does not fit this machine"),
            Kind::Memory { bytes } => {
                write!(f, "there is not enough memory for {bytes} bytes beside the buffers")
            }
            Kind::BelowBuffer { offset } => {
                write!(f, "the map has elements at offset {offset}, before the buffer begins")
            }
            Kind::Sharing(alias) => write!(
                f,
                "elements share a place of the destination, which would hold one of them: {alias}"
            ),
            Kind::Map(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<tilewright::Error> for Error {
    fn from(error: tilewright::Error) -> Self {
        Error::new(Kind::Map(error))
    }
}

/// `Ok` of a checked computation, or the overflow of `what`.
pub(crate) fn checked<T>(value: Option<T>, what: &'static str) -> Result<T, Error> {
    value.ok_or_else(|| Error::new(Kind::Overflow { what }))
}

/// That a width in bits is from 1 to 128.
pub(crate) fn check_width(what: &'static str, bits: u32) -> Result<(), Error> {
    match bits {
        1..=128 => Ok(()),
        _ => Err(Error::new(Kind::Width { what, bits })),
    }
}

/// That a buffer has exactly as many bytes as it should.
pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    match expected == found {
        true => Ok(()),
        false => Err(Error::new(Kind::Length { what, expected, found })),
    }
}
