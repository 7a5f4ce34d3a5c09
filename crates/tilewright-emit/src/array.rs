//! The array that code is made for.

use tilewright::IndexMap;
use tilewright::algebra::{Composed, Composition};
use tilewright::notation::Described;
use tilewright::strided::StridedArray;
use tilewright::{ArrayShape, Shape};

use crate::error::Error;

/// An array as code needs to know it: where its elements lie, how wide they are, what is between them.
///
/// ```
/// use tilewright::notation::Described;
/// use tilewright_emit::Array;
/// let weights = Array::of(&"s4[128,64]@trtllm(w4a16,sm80)".parse::<Described>()?)?;
/// assert_eq!((weights.element_bits(), weights.xor_mask()), (4, 0x8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Array {
    text: String,
    map: IndexMap,
    element_bits: u32,
    value_bits: u32,
    padding: u8,
    xor_mask: u64,
    /// What was said, where it was a text in some notation.
    said: Option<Described>,
}

/// The bits of an element where no type is said.
const DEFAULT_BITS: u32 = 32;

/// The most bits of an element.
const MAX_BITS: u32 = 128;

impl Array {
    /// The array that a text says. Elements of which no type is said have 32 bits.
    ///
    /// # Errors
    /// If it is no array, or its size does not fit 63 bits.
    pub fn of(said: &Described) -> Result<Self, Error> {
        Self::with_default_bits(said, DEFAULT_BITS)
    }

    /// The same, where elements of which no type is said have another number of bits.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn with_default_bits(said: &Described, bits: u32) -> Result<Self, Error> {
        let element_bits = said.element_bits().unwrap_or(bits);
        let array = Self::new(said.to_string(), said.index_map()?, element_bits)?;
        let value_bits = said.element_type().map_or(element_bits, tilewright::ElementType::bits);
        let (padding, xor_mask) = match said {
            Described::Named(named) => (named.padding(), named.xor_mask()),
            _ => (0, 0),
        };
        let value_bits = if value_bits == 0 { element_bits } else { value_bits.min(element_bits) };
        Ok(Array { value_bits, padding, xor_mask, said: Some(said.clone()), ..array })
    }

    /// Elements of so many bits, placed by a map; `text` is what comments call it.
    ///
    /// # Errors
    /// If the elements do not have 1 to 128 bits, or the allocation in bits does not fit 63 bits.
    pub fn new(text: String, map: IndexMap, element_bits: u32) -> Result<Self, Error> {
        if !(1..=MAX_BITS).contains(&element_bits) {
            return Err(Error::message(format!(
                "elements of `{text}` have {element_bits} bits, and code is made for 1 to {MAX_BITS}"
            )));
        }
        map.allocation()
            .checked_mul(element_bits.into())
            .and_then(|bits| bits.checked_add(map.lowest_offset().checked_abs()?))
            .ok_or_else(|| {
                Error::message(format!("the bits of `{text}` are more than 63 bits count"))
            })?;
        Ok(Array {
            text,
            map,
            element_bits,
            value_bits: element_bits,
            padding: 0,
            xor_mask: 0,
            said: None,
        })
    }

    /// What comments call it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where its elements lie.
    pub fn map(&self) -> &IndexMap {
        &self.map
    }

    /// The bits of a slot.
    pub fn element_bits(&self) -> u32 {
        self.element_bits
    }

    /// The bits of a value, where a slot may have more.
    pub fn value_bits(&self) -> u32 {
        self.value_bits
    }

    /// The byte that fills slots without an element.
    pub fn padding(&self) -> u8 {
        self.padding
    }

    /// What the bits of each value are flipped by where they are stored.
    pub fn xor_mask(&self) -> u64 {
        self.xor_mask
    }

    /// The layouts or the swizzle that it is composed of, where it was said so.
    pub(crate) fn composed(&self) -> Option<&Composed> {
        match &self.said {
            Some(Described::Tla(typed)) => match &typed.layout {
                Composition::Composed(composed) => Some(composed),
                Composition::Layout(_) => None,
            },
            _ => None,
        }
    }

    /// The bytes of the allocation, rounded up.
    pub fn bytes(&self) -> i64 {
        let bits = i128::from(self.map.allocation()) * i128::from(self.element_bits);
        i64::try_from((bits + 7) / 8).unwrap_or(i64::MAX)
    }

    /// Where elements would lie if the extent of a dimension were another.
    pub(crate) fn resized(&self, dim: usize, extent: i64) -> Result<IndexMap, Error> {
        let mut dims = self.map.dims().to_vec();
        if let Some(size) = dims.get_mut(dim) {
            *size = extent;
        }
        match &self.said {
            Some(Described::Xla(Shape::Array(array))) => {
                let resized = ArrayShape::new(array.element_type(), &dims)?;
                let resized = match array.layout() {
                    Some(layout) => resized.with_layout(layout.clone())?,
                    None => resized,
                };
                Ok(resized.index_map()?)
            }
            Some(Described::OneDnn(array)) => Ok(array.tag.index_map(&dims)?),
            Some(Described::Strided(array)) => {
                Ok(StridedArray { dims, ..array.clone() }.index_map()?)
            }
            Some(Described::Named(array)) => {
                Ok(array.layout().of(array.element_type(), &dims)?.index_map().clone())
            }
            _ => Err(Error::message(format!(
                "`{}` is said by its extents, so none of them can be an argument",
                self.text
            ))),
        }
    }
}
