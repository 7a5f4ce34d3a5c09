//! A layout as somebody wrote it, in whichever notation.
//!
//! | notation | written | read by |
//! |---|---|---|
//! | XLA | `bf16[30,300]{1,0:T(8,128)(2,1)}`, tuples too | [`xla`](crate::xla) |
//! | TLA, CuTe | `f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)` | [`tla`](crate::tla) |
//! | composed | `f16 Sw<3,3,3> o _0 o (_8,_64):(_64,_1)` | [`algebra`](crate::algebra) |
//! | oneDNN | `f32[2,35,7,7] aBcd16b` | [`onednn`](crate::onednn) |
//! | numpy | `f32[3,5] strides=(20,4)` | [`strided`](crate::strided) |
//! | by name | `u4[4096,11008]@marlin` | [`catalogue`](crate::formats::catalogue) |
//!
//! What a text is in is told by its looks alone, so that an error is one of that notation.

mod array;

pub use array::DescribedArray;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::algebra::Composition;
use crate::error::{Error, Kind};
use crate::formats::catalogue::{NamedArray, is_named};
use crate::onednn::TaggedArray;
use crate::strided::StridedArray;
use crate::text::{Diagnostic, Span, abridged, blank_comments};
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
    /// A name of the catalogue.
    Named(Box<NamedArray>),
}

impl Described {
    /// Reads a text in any notation; in `strict` mode, in XLA's alone.
    ///
    /// # Errors
    /// If the text is not of the notation that it looks like; the diagnostic points at the place.
    pub fn parse(text: &str, options: ParseOptions) -> Result<Parsed<Self>, Diagnostic> {
        if let Some(error) = attributes_alone(text) {
            return Err(error);
        }
        let looks = if options.strict { Looks::Xla } else { Looks::of(text) };
        let value = match looks {
            Looks::Xla => {
                let Parsed { value, warnings } = parse_shape(text, options)?;
                return Ok(Parsed { value: Described::Xla(value), warnings });
            }
            Looks::Tla => Described::Tla(text.parse()?),
            Looks::OneDnn => Described::OneDnn(text.parse()?),
            Looks::Strided => Described::Strided(text.parse()?),
            Looks::Named => Described::Named(Box::new(text.parse()?)),
        };
        Ok(Parsed { value, warnings: Vec::new() })
    }

    /// The short name of the notation: `xla`, `tla`, `onednn`, `numpy` or `named`.
    pub fn notation(&self) -> &'static str {
        match self {
            Described::Xla(_) => "xla",
            Described::Tla(_) => "tla",
            Described::OneDnn(_) => "onednn",
            Described::Strided(_) => "numpy",
            Described::Named(_) => "named",
        }
    }

    /// The type of the elements, if it is said; of no shape that is not an array.
    pub fn element_type(&self) -> Option<ElementType> {
        match self {
            Described::Xla(shape) => shape.as_array().ok().map(ArrayShape::element_type),
            Described::Tla(layout) => layout.element_type,
            Described::OneDnn(array) => Some(array.element_type),
            Described::Strided(array) => Some(array.element_type),
            Described::Named(array) => Some(array.element_type()),
        }
    }

    /// The bits that an element takes in memory, if the type is said.
    pub fn element_bits(&self) -> Option<u32> {
        match self {
            Described::Xla(shape) => shape.as_array().ok().map(ArrayShape::element_bits),
            Described::Tla(layout) => layout.element_bits(),
            Described::OneDnn(array) => Some(array.element_bits()),
            Described::Strided(array) => Some(array.element_bits()),
            Described::Named(array) => Some(array.element_bits()),
        }
    }

    /// The array in XLA's terms, translated if need be.
    ///
    /// ```
    /// use tilewright::notation::Described;
    /// let tagged: Described = "f32[2,35,7,7] aBcd16b".parse()?;
    /// assert_eq!(tagged.to_array()?.to_string(), "f32[2,35,7,7]{3,2,1,0:T(16,1,1)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is no array, or says no element type; if XLA's notation cannot say the layout: the
    /// message names the tile and the dimension, or the mask with which codes are XORed.
    pub fn to_array(&self) -> Result<ArrayShape, Error> {
        if let Described::Xla(shape) = self {
            return shape.as_array().cloned();
        }
        let invalid = |message: String| Error::new(Kind::Invalid { message });
        if let Described::Named(array) = self
            && array.xor_mask() != 0
        {
            let mask = array.xor_mask();
            return Err(invalid(format!(
                "`{self}` XORs codes with {mask:#x}, which XLA's notation cannot say"
            )));
        }
        let element_type = self.element_type();
        let element_type =
            element_type.ok_or_else(|| invalid(format!("`{self}` says no element type")))?;
        let map = self.index_map()?;
        let layout = map.to_xla_layout().map_err(|reason| invalid(reason.to_string()))?;
        let bits = self.element_bits().filter(|&bits| bits != element_type.storage_bits());
        let layout = layout.with_element_size_in_bits(bits.unwrap_or(0));
        ArrayShape::new(element_type, map.dims())?.with_layout(layout)
    }

    /// The same in a notation that spells it out, where it is said by a name: as shape and stride, or else in XLA's
    /// terms.
    ///
    /// ```
    /// use tilewright::notation::Described;
    /// let named: Described = "u4[128,64]@awq".parse()?;
    /// assert_eq!(named.spelled_out().to_string(), "u4 (128,(2,4,8)):(64,(4,1,8))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spelled_out(&self) -> Cow<'_, Self> {
        let Described::Named(array) = self else { return Cow::Borrowed(self) };
        let element_type = Some(array.element_type());
        match array.composition() {
            Some(layout) => {
                Cow::Owned(Described::Tla(Typed { element_type, layout: layout.clone() }))
            }
            None => match self.to_array() {
                Ok(array) => Cow::Owned(Described::Xla(Shape::Array(array))),
                Err(_) => Cow::Borrowed(self),
            },
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
            Described::Named(array) => Ok(array.index_map().clone()),
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
            Described::Named(array) => array.fmt(f),
        }
    }
}

/// `T(8,128)` and the like is a part of a layout: the dimensions' order and the braces are missing,
/// or the braces alone.
fn attributes_alone(text: &str) -> Option<Diagnostic> {
    let said = text.trim();
    let has_order = said.starts_with(|c: char| c.is_ascii_digit());
    let attributes = if has_order { said.split_once(':')?.1 } else { said };
    let sizes = attributes.strip_prefix(['T', 'E', 'L', 'S'])?.strip_prefix('(')?;
    let rank = match attributes.starts_with('T') {
        true => sizes.split(')').next()?.split(',').count(),
        false => 2,
    };
    let order: Vec<String> = (0..rank).rev().map(|dim| dim.to_string()).collect();
    let whole = match has_order {
        true => format!("{{{said}}}"),
        false => format!("{{{}:{said}}}", order.join(",")),
    };
    let start = text.len() - text.trim_start().len();
    let span = Span::new(start, start + said.len());
    let error =
        Diagnostic::error(text, span, format!("`{}` is a part of a layout", abridged(said)));
    let error = error.expected("the dimensions' order in front, and braces around it");
    Some(error.help(format!("write `{}`", abridged(&whole))))
}

/// The notation that a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    Xla,
    Tla,
    OneDnn,
    Strided,
    Named,
}

impl Looks {
    fn of(text: &str) -> Self {
        let text = blank_comments(text); // which may hold anything
        let text = text.trim();
        if is_named(text) {
            return Looks::Named;
        }
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
