//! One type: its number, its name and its block.

use crate::element::ElementType;
use crate::error::{Error, invalid};
use crate::formats::record::{Field, Record};
use crate::map::IndexMap;
use crate::text::abridged;

/// A type of tensors.
///
/// ```
/// use tilewright::formats::gguf::GgufType;
/// let q4_0 = GgufType::of_id(2).unwrap();
/// assert_eq!((q4_0.name(), q4_0.record().elements(), q4_0.record().bytes()), ("Q4_0", 32, 18));
/// let map = q4_0.field_map("codes", &[4096, 4096])?;
/// let sum = "i0*4608 + (i1 div 32)*36 + (i1 mod 16)*2 + ((i1 div 16) mod 2) + 4";
/// assert_eq!(map.index_expression(), sum); // in elements of 4 bits
/// assert!(GgufType::of_name("IQ2_XXS").unwrap().no_codes().is_some());
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct GgufType {
    pub(super) id: u32,
    pub(super) name: &'static str,
    pub(super) record: Record,
    pub(super) no_codes: Option<&'static str>,
}

impl GgufType {
    /// The number that files have for it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The name, as ggml spells it: `Q4_K`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What a block is.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Why no field has the codes, of a type where that is so.
    pub fn no_codes(&self) -> Option<&'static str> {
        self.no_codes
    }

    /// The type of a plain array's elements, each of which is a block of its own.
    pub fn plain(&self) -> Option<ElementType> {
        match self.record.fields {
            [field] if self.record.elements == 1 => field.element_type,
            _ => None,
        }
    }

    /// The field of this name.
    ///
    /// # Errors
    /// If there is none; the error lists those that there are, and says why the codes are not among
    /// them.
    pub fn field(&self, name: &str) -> Result<&'static Field, Error> {
        match (self.record.field(name), self.no_codes) {
            (Some(field), _) => Ok(field),
            (None, Some(reason)) if name == "codes" => {
                invalid(format!("the codes of {} are no layout: {reason}", self.name))
            }
            (None, _) => {
                let names: Vec<&str> = self.record.fields.iter().map(Field::name).collect();
                let (there, asked) = (names.join(", "), abridged(name));
                invalid(format!("{} has no field `{asked}`; there are {there}", self.name))
            }
        }
    }

    /// Where the values of a field lie in a tensor of these dims, the last of which is the row's: as
    /// [`Record::field_map`].
    ///
    /// # Errors
    /// There is no such field, a row is not a whole number of blocks, a dimension is negative, or a
    /// number does not fit 64 bits.
    pub fn field_map(&self, field: &str, dims: &[i64]) -> Result<IndexMap, Error> {
        self.record.field_map(self.field(field)?, dims)
    }
}
