//! An array of a known type, as a text in any notation says it.

use std::fmt;
use std::str::FromStr;

use super::Described;
use crate::error::{Error, Kind};
use crate::formats::catalogue::NamedArray;
use crate::text::{Diagnostic, Span};
use crate::xla::{ParseOptions, Parsed};
use crate::{ArrayShape, ElementType, IndexMap, Shape, literal};

/// An array in memory: what its elements are, where they lie, and which of their bits are stored flipped. It is kept as
/// it was said; what can be stored and moved is one of these.
///
/// ```
/// use tilewright::notation::DescribedArray;
/// for (text, bytes) in [
///     ("bf16[30,300]{1,0:T(8,128)(2,1)}", 24576),
///     ("u4[4096,11008]@marlin", 22544384),
///     ("f16 Sw<3,3,3> o 0 o (8,64):(64,1)", 1024),
/// ] {
///     let array: DescribedArray = text.parse()?;
///     assert_eq!((array.to_string().as_str(), array.bytes()?), (text, bytes));
/// }
/// assert!("(2,3):(3,1)".parse::<DescribedArray>().is_err()); // of no type
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedArray {
    said: Described,
    element_type: ElementType,
    element_bits: u32,
}

impl DescribedArray {
    /// What is said, as an array.
    ///
    /// # Errors
    /// If it is no array, or of no element type.
    pub fn new(said: Described) -> Result<Self, Error> {
        if let Described::Xla(shape) = &said {
            shape.as_array()?;
        }
        let (Some(element_type), Some(element_bits)) = (said.element_type(), said.element_bits())
        else {
            return Err(of_no_type(&said));
        };
        Ok(DescribedArray { said, element_type, element_bits })
    }

    /// Reads a text in any notation; in `strict` mode, in XLA's alone.
    ///
    /// # Errors
    /// If it is none, no array, or of no element type; the diagnostic points at the place.
    pub fn parse(text: &str, options: ParseOptions) -> Result<Parsed<Self>, Diagnostic> {
        let Parsed { value, warnings } = Described::parse(text, options)?;
        let all = Span::new(0, text.len());
        let array = DescribedArray::new(value)
            .map_err(|error| Diagnostic::error(text, all, error.to_string()))?;
        Ok(Parsed { value: array, warnings })
    }

    /// What is said.
    pub fn said(&self) -> &Described {
        &self.said
    }

    /// The type of the elements.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The bits that an element takes in memory.
    pub fn element_bits(&self) -> u32 {
        self.element_bits
    }

    /// The sizes of the array's own dimensions, in elements.
    ///
    /// # Errors
    /// If one is unbounded.
    pub fn dims(&self) -> Result<Vec<i64>, Error> {
        match &self.said {
            Described::Xla(Shape::Array(array)) => array.sizes(),
            Described::Named(array) => Ok(array.dims().to_vec()),
            said => Ok(said.index_map()?.dims().to_vec()),
        }
    }

    /// The same array without a layout: its type and its dimensions.
    ///
    /// ```
    /// use tilewright::notation::DescribedArray;
    /// let marlin: DescribedArray = "u4[128,64]@marlin".parse()?;
    /// assert_eq!(marlin.bare()?.to_string(), "u4[128,64]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a size does not fit 64 bits.
    pub fn bare(&self) -> Result<ArrayShape, Error> {
        match self.xla() {
            Some(array) => Ok(array.clone().without_layout()),
            None => ArrayShape::new(self.element_type, &self.dims()?),
        }
    }

    /// The array in XLA's notation, where that is how it is said.
    pub fn xla(&self) -> Option<&ArrayShape> {
        match &self.said {
            Described::Xla(shape) => shape.as_array().ok(),
            _ => None,
        }
    }

    /// The array by its name in the catalogue, where that is how it is said.
    pub fn named(&self) -> Option<&NamedArray> {
        match &self.said {
            Described::Named(array) => Some(array),
            _ => None,
        }
    }

    /// What every element is XORed with on its way here: 0, but of layouts of the catalogue that are
    /// [flipped](NamedArray::xor_mask).
    pub fn xor_mask(&self) -> u64 {
        self.named().map_or(0, NamedArray::xor_mask)
    }

    /// What padding holds, as the bits of an element and as text: what is asked for, or what the layout or the library
    /// of its name says, or bits that are all zero.
    ///
    /// ```
    /// use tilewright::notation::DescribedArray;
    /// let padding = |text: &str, asked: Option<&str>| {
    ///     Ok::<_, Box<dyn std::error::Error>>(text.parse::<DescribedArray>()?.padding(asked)?)
    /// };
    /// assert_eq!(padding("f32[2,3]{0,1:PAD(3,5;1)}", None)?, (0x3f80_0000, "1".to_owned()));
    /// assert_eq!(padding("f8e8m0fnu[5,3]@aiter.scales", None)?, (0x7f, "0x7f".to_owned()));
    /// assert_eq!(padding("f8e8m0fnu[5,3]@aiter.scales", Some("2"))?, (0x80, "2".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the type has no such element.
    pub fn padding(&self, asked: Option<&str>) -> Result<(u128, String), Error> {
        if let Some(array) = self.xla() {
            return literal::padding(array, asked);
        }
        let of_library = self.named().map_or(0, NamedArray::padding);
        Ok(match (asked, of_library) {
            (Some(text), _) => (literal::bits(text, self.element_type)?, text.to_owned()),
            (None, 0) => (0, literal::zero(self.element_type).to_owned()),
            (None, byte) => (byte.into(), format!("{byte:#04x}")),
        })
    }

    /// Where every element lies.
    ///
    /// # Errors
    /// As [`Described::index_map`].
    pub fn index_map(&self) -> Result<IndexMap, Error> {
        self.said.index_map()
    }

    /// The exact number of bytes in memory.
    ///
    /// # Errors
    /// As [`index_map`](Self::index_map).
    pub fn bytes(&self) -> Result<i64, Error> {
        match self.xla() {
            Some(array) => array.bytes(),
            None => self.index_map()?.bytes(self.element_bits),
        }
    }

    /// The same in XLA's notation where that can say it, and else as it is. What is said by a name keeps it: it says
    /// more than where elements lie.
    ///
    /// ```
    /// use tilewright::notation::DescribedArray;
    /// for (text, recorded) in [
    ///     ("f32[2,35,7,7] aBcd16b", "f32[2,35,7,7]{3,2,1,0:T(16,1,1)}"),
    ///     ("f16 Sw<3,3,3> o 0 o (8,64):(64,1)", "f16 Sw<3,3,3> o 0 o (8,64):(64,1)"),
    ///     ("u4[128,64]@marlin", "u4[128,64]@marlin"),
    /// ] {
    ///     assert_eq!(text.parse::<DescribedArray>()?.preferring_xla().to_string(), recorded);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preferring_xla(self) -> Self {
        match self.said {
            Described::Xla(_) | Described::Named(_) => self,
            _ => self.said.to_array().map_or(self, DescribedArray::from),
        }
    }
}

fn of_no_type(said: &Described) -> Error {
    Error::new(Kind::Invalid { message: format!("`{said}` says no element type") })
}

impl From<ArrayShape> for DescribedArray {
    fn from(array: ArrayShape) -> Self {
        let (element_type, element_bits) = (array.element_type(), array.element_bits());
        DescribedArray { said: Described::Xla(Shape::Array(array)), element_type, element_bits }
    }
}

impl From<NamedArray> for DescribedArray {
    fn from(array: NamedArray) -> Self {
        let (element_type, element_bits) = (array.element_type(), array.element_bits());
        DescribedArray { said: Described::Named(Box::new(array)), element_type, element_bits }
    }
}

impl FromStr for DescribedArray {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Ok(DescribedArray::parse(text, ParseOptions::default())?.value)
    }
}

impl fmt::Display for DescribedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.said.fmt(f)
    }
}
