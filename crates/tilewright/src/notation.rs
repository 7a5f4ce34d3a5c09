//! A layout as somebody wrote it, in whichever notation.
//!
//! | notation | written | read by |
//! |---|---|---|
//! | XLA | `bf16[30,300]{1,0:T(8,128)(2,1)}`, tuples too | [`xla`](crate::xla) |
//! | TLA, CuTe | `f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)` | [`tla`](crate::tla) |
//! | composed | `f16 Sw<3,3,3> o _0 o (_8,_64):(_64,_1)` | [`algebra`](crate::algebra) |
//! | oneDNN | `f32[2,35,7,7] aBcd16b` | [`onednn`](crate::onednn) |
//! | numpy | `f32[3,5] strides=(20,4)` | [`strided`](crate::strided) |
//!
//! What a text is in is told by its looks alone, so that an error is one of that notation.

use std::fmt;
use std::str::FromStr;

use crate::algebra::Composition;
use crate::error::Error;
use crate::onednn::TaggedArray;
use crate::strided::StridedArray;
use crate::text::{Diagnostic, blank_comments};
use crate::tla::Typed;
use crate::xla::{ParseOptions, Parsed, parse_shape};
use crate::{ArrayShape, ElementType, IndexMap, Shape};

/// What a text says, in the terms of its notation.
///
/// ```
/// use tilewright::notation::Described;
/// let xla: Described = "f16[28,40]{0,1:T(16,16)(16,1)}".parse()?;
/// let tla: Described = "f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)".parse()?;
/// assert_eq!((xla.notation(), tla.notation()), ("xla", "tla"));
/// assert!(xla.index_map()?.same_as(&tla.index_map()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Described {
    /// A shape in XLA's notation.
    Xla(Shape),
    /// Shape and stride, or such layouts composed.
    Tla(Typed<Composition>),
    /// A oneDNN tag.
    OneDnn(TaggedArray),
    /// Strides in bytes.
    Strided(StridedArray),
}

impl Described {
    /// Reads a text in any notation; in `strict` mode, in XLA's alone.
    ///
    /// # Errors
    /// If the text is not of the notation that it looks like; the diagnostic points at the place.
    pub fn parse(text: &str, options: ParseOptions) -> Result<Parsed<Self>, Diagnostic> {
        let looks = if options.strict { Looks::Xla } else { Looks::of(text) };
        let value = match looks {
            Looks::Xla => {
                let Parsed { value, warnings } = parse_shape(text, options)?;
                return Ok(Parsed { value: Described::Xla(value), warnings });
            }
            Looks::Tla => Described::Tla(text.parse()?),
            Looks::OneDnn => Described::OneDnn(text.parse()?),
            Looks::Strided => Described::Strided(text.parse()?),
        };
        Ok(Parsed { value, warnings: Vec::new() })
    }

    /// The short name of the notation: `xla`, `tla`, `onednn` or `numpy`.
    pub fn notation(&self) -> &'static str {
        match self {
            Described::Xla(_) => "xla",
            Described::Tla(_) => "tla",
            Described::OneDnn(_) => "onednn",
            Described::Strided(_) => "numpy",
        }
    }

    /// The type of the elements, if it is said; of no shape that is not an array.
    pub fn element_type(&self) -> Option<ElementType> {
        match self {
            Described::Xla(shape) => shape.as_array().ok().map(ArrayShape::element_type),
            Described::Tla(layout) => layout.element_type,
            Described::OneDnn(array) => Some(array.element_type),
            Described::Strided(array) => Some(array.element_type),
        }
    }

    /// The bits that an element takes in memory, if the type is said.
    pub fn element_bits(&self) -> Option<u32> {
        match self {
            Described::Xla(shape) => shape.as_array().ok().map(ArrayShape::element_bits),
            Described::Tla(layout) => layout.element_bits(),
            Described::OneDnn(array) => Some(array.element_bits()),
            Described::Strided(array) => Some(array.element_bits()),
        }
    }

    /// Where every element lies.
    ///
    /// # Errors
    /// If it is no array, a dimension is unbounded, strides are steps of a coordinate, or a number
    /// does not fit 64 bits.
    pub fn index_map(&self) -> Result<IndexMap, Error> {
        match self {
            Described::Xla(shape) => shape.index_map(),
            Described::Tla(layout) => IndexMap::from_composition(&layout.layout),
            Described::OneDnn(array) => array.index_map(),
            Described::Strided(array) => array.index_map(),
        }
    }
}

impl FromStr for Described {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Ok(Described::parse(text, ParseOptions::default())?.value)
    }
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Described::Xla(shape) => shape.fmt(f),
            Described::Tla(layout) => layout.fmt(f),
            Described::OneDnn(array) => array.fmt(f),
            Described::Strided(array) => array.fmt(f),
        }
    }
}

/// The notation that a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    Xla,
    Tla,
    OneDnn,
    Strided,
}

impl Looks {
    fn of(text: &str) -> Self {
        let text = blank_comments(text); // which may hold anything
        let text = text.trim();
        if text.contains("::") || text.contains(":blocked:") {
            return Looks::OneDnn;
        }
        match text.find(']') {
            Some(end) if text.contains('[') => Looks::of_what_follows(text, &text[end + 1..]),
            _ if text.contains(':') => Looks::Tla,
            _ if text.contains('(') && !text.starts_with('(') => Looks::Strided,
            _ => Looks::Xla,
        }
    }

    /// By what follows the first brackets; a tuple begins with a parenthesis.
    fn of_what_follows(text: &str, rest: &str) -> Self {
        let word = rest.trim_start();
        if text.starts_with('(') {
            return Looks::Xla;
        }
        if word.starts_with('(') || word.starts_with("strides") {
            return Looks::Strided;
        }
        match word.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.starts_with([' ', '\t']) {
            true => Looks::OneDnn,
            false => Looks::Xla,
        }
    }
}
