//! Why there is no discovery: it was asked wrongly, the function failed, or it is no layout.

use std::error;
use std::fmt;

/// Why nothing was discovered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error<E> {
    /// The packing function failed.
    Pack(E),
    /// What the function does is not only to move bits.
    Refused(Refusal),
    /// The question itself: dimensions, widths, sizes of data.
    Question(String),
    /// A number does not fit 64 bits, or a map cannot be.
    Map(tilewright::Error),
}

/// What shows that a function does more than to move bits. Places are bits of the packed bytes:
/// bit `place % 8` of byte `place / 8`. Elements are counted in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The number of bytes depends on the codes.
    Size {
        /// How many there were in the first call.
        first: usize,
        /// How many there are in another call.
        later: usize,
    },
    /// A bit that changes with two bits of codes: it is computed.
    Mixed {
        /// The packed bit.
        place: u64,
        /// The bits of codes that change it.
        code_bits: [u32; 2],
    },
    /// A bit that stays when one code bit of all elements changes, and changes when it does in some.
    Computed {
        /// The packed bit.
        place: u64,
        /// The bit of codes.
        code_bit: u32,
    },
    /// A bit of the codes that no packed bit holds.
    Lost {
        /// The first element that lacks it.
        element: u64,
        /// The bit of its code.
        code_bit: u32,
    },
    /// A code bit is stored flipped for some elements and as it is for others.
    UnevenFlip {
        /// The first element that differs from element 0.
        element: u64,
        /// The bit of its code.
        code_bit: u32,
        /// Where it is stored.
        place: u64,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Size { first, later } => {
                write!(f, "the size depends on the codes: {first} bytes, and then {later}")
            }
            Refusal::Mixed { place, code_bits: [a, b] } => write!(
                f,
                "packed bit {place} changes with bit {a} and with bit {b} of the codes: it is \
                 computed (a sum, a codebook) and not only moved"
            ),
            Refusal::Computed { place, code_bit } => write!(
                f,
                "packed bit {place} follows bit {code_bit} of no single code: it is computed (a \
                 sum), depends on the data, or is not written at all"
            ),
            Refusal::Lost { element, code_bit } => {
                write!(f, "bit {code_bit} of element {element} is in no packed bit")
            }
            Refusal::UnevenFlip { element, code_bit, place } => write!(
                f,
                "packed bit {place} holds bit {code_bit} of element {element} otherwise than that \
                 of element 0 is held: what is flipped depends on the element"
            ),
        }
    }
}

impl error::Error for Refusal {}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Pack(error) => write!(f, "the packing function failed: {error}"),
            Error::Refused(refusal) => write!(f, "not a layout: {refusal}"),
            Error::Question(message) => f.write_str(message),
            Error::Map(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> error::Error for Error<E> {}

impl<E> From<Refusal> for Error<E> {
    fn from(refusal: Refusal) -> Self {
        Error::Refused(refusal)
    }
}

impl<E> From<tilewright::Error> for Error<E> {
    fn from(error: tilewright::Error) -> Self {
        Error::Map(error)
    }
}
