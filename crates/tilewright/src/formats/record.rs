//! Records: bytes that hold the codes of several elements, and what goes with them.
//!
//! A quantised type cuts a row into groups of elements and stores each group as one *record* of
//! fixed length: scales, then codes of a few bits. A record consists of *fields*. A field has a base
//! and modes (an extent and a stride, in **bits**), and value number `i` of it begins at
//!
//! ```text
//! bit(i) = base + Σ ((i div d) mod extent) * stride      d = product of the extents before
//! ```
//!
//! A value need not lie in one piece. The 6 bits of a Q6_K code are 4 bits of one field, `low`, and
//! above them 2 bits of another, `high`:
//!
//! | field | part of | bits of the value | base | modes |
//! |---|---|---|---|---|
//! | `low` | `codes` | 0 to 3 | 0 | `(64,2,2):(8,4,512)` |
//! | `high` | `codes` | 4 and 5 | 1024 | `(32,4,2):(8,2,256)` |
//! | `scales` | `scales` | 0 to 7 | 1536 | `16:8` |
//! | `d` | `d` | 0 to 15 | 1664 | |
//!
//! So code 65 is `bits[516..520]` and, above, `bits[1036..1038]`. In general a value is the
//! concatenation of the bits of the fields that are parts of it, from low to high.
//!
//! A field has as many values as its extents say: one for each element, or one for each run of
//! neighbouring elements that share it. Of Q6_K's 256 elements, 16 in a row share a scale.

use crate::arithmetic::checked_product;
use crate::element::ElementType;
use crate::error::{Error, checked, invalid};
use crate::map::IndexMap;
use crate::tla::{Int, IntTuple, Layout, Nested, Stride};

/// Bits of one part of a record's values, and where they lie.
///
/// ```
/// use tilewright::formats::gguf::GgufType;
/// let q6_k = GgufType::of_name("Q6_K").unwrap();
/// let high = q6_k.record().field("high").unwrap();
/// assert_eq!((high.value(), high.shift(), high.bits()), ("codes", 4, 2));
/// assert_eq!((high.base(), high.modes()), (1024, &[(32, 8), (4, 2), (2, 256)][..]));
/// assert_eq!((high.n_values(), high.bit_of(65)), (256, Some(1036)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    pub(in crate::formats) name: &'static str,
    pub(in crate::formats) value: &'static str,
    pub(in crate::formats) element_type: Option<ElementType>,
    pub(in crate::formats) bits: u32,
    pub(in crate::formats) shift: u32,
    pub(in crate::formats) base: i64,
    pub(in crate::formats) modes: &'static [(i64, i64)],
}

impl Field {
    /// The name, of which a record has one: `low`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The values that these are bits of: `codes`. Those of a field that has all their bits are
    /// called as the field is.
    pub fn value(&self) -> &'static str {
        self.value
    }

    /// What the bits mean, where they are whole values of a type that there is. The codes of Q6_K
    /// are none: no type has 6 bits and an offset of 32.
    pub fn element_type(&self) -> Option<ElementType> {
        self.element_type
    }

    /// How many bits of each value lie here.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Which bit of the value is the lowest of these: 4 where the low four lie elsewhere.
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// Where the first value begins, in bits from the start of the record. Bit 0 is the lowest of
    /// the first byte.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// Extents, and strides in bits, of which the first varies fastest. None for a single value.
    pub fn modes(&self) -> &'static [(i64, i64)] {
        self.modes
    }

    /// How many values a record has.
    pub fn n_values(&self) -> i64 {
        self.modes.iter().map(|mode| mode.0).product()
    }

    /// Where value number `number` of the record begins, in bits from the start of the record;
    /// `None` if there are not as many.
    pub fn bit_of(&self, number: i64) -> Option<i64> {
        if !(0..self.n_values()).contains(&number) {
            return None;
        }
        let (mut rest, mut bit) = (number, self.base);
        for (extent, stride) in self.modes {
            bit += rest % extent * stride;
            rest /= extent;
        }
        Some(bit)
    }

    /// `bits` in units of this field's width.
    fn in_units(&self, bits: i64) -> Result<i64, Error> {
        let unit = i64::from(self.bits);
        match bits % unit {
            0 => Ok(bits / unit),
            _ => invalid(format!(
                "{bits} bits are not a multiple of the {unit} that a value of `{}` has",
                self.name
            )),
        }
    }
}

/// The bytes of a fixed number of elements, and the fields that they consist of.
///
/// An array of records has rows of whole records, one behind the other, row after row.
///
/// ```
/// use tilewright::formats::gguf::GgufType;
/// let q4_k = GgufType::of_name("q4_k").unwrap().record();
/// assert_eq!((q4_k.elements(), q4_k.bytes(), q4_k.array_bytes(&[10, 512])?), (256, 144, 2880));
/// let names: Vec<&str> = q4_k.fields().iter().map(|field| field.name()).collect();
/// assert_eq!(names, ["d", "dmin", "scales_low", "scales_high", "mins_low", "mins_high", "codes"]);
/// assert_eq!(q4_k.value_bits("scales"), Some(6));
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    pub(in crate::formats) elements: i64,
    pub(in crate::formats) bytes: i64,
    pub(in crate::formats) fields: &'static [Field],
}

impl Record {
    /// How many elements it holds.
    pub fn elements(&self) -> i64 {
        self.elements
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// Its fields.
    pub fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The fields that the values of this name consist of, low bits first; none if there are no such
    /// values.
    pub fn parts(&self, value: &str) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(move |field| field.value == value)
    }

    /// How many bits the values of this name have.
    pub fn value_bits(&self, value: &str) -> Option<u32> {
        self.parts(value).map(|field| field.shift + field.bits).max()
    }

    /// The bytes of an array of these dims, in elements.
    ///
    /// # Errors
    /// If a row is not a whole number of records, a dimension is negative, or the number does not
    /// fit 64 bits.
    pub fn array_bytes(&self, dims: &[i64]) -> Result<i64, Error> {
        let records = checked_product(self.record_dims(dims)?)?;
        checked(records.checked_mul(self.bytes), "the size in bytes")
    }

    /// The dims of the values of a field in an array of these dims: the last is divided by how many
    /// elements share a value.
    ///
    /// ```
    /// use tilewright::formats::gguf::GgufType;
    /// let q6_k = GgufType::of_name("q6_k").unwrap().record();
    /// let of = |name: &str| q6_k.field_dims(q6_k.field(name).unwrap(), &[10, 512]);
    /// assert_eq!((of("low")?, of("scales")?, of("d")?), (vec![10, 512], vec![10, 32], vec![10, 2]));
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`array_bytes`](Self::array_bytes).
    pub fn field_dims(&self, field: &Field, dims: &[i64]) -> Result<Vec<i64>, Error> {
        let mut dims_of_values = self.record_dims(dims)?;
        if let Some(last) = dims_of_values.last_mut() {
            *last = checked(last.checked_mul(field.n_values()), "the element count")?;
        }
        Ok(dims_of_values)
    }

    /// Where the values of a field lie in an array of these dims, in units of the field's width:
    /// the map of an array of [`field_dims`](Self::field_dims) whose memory is all the records.
    ///
    /// Four bits of each Q4_0 code, in an array of two rows of two records of 18 bytes:
    ///
    /// ```
    /// use tilewright::formats::gguf::GgufType;
    /// let q4_0 = GgufType::of_name("Q4_0").unwrap().record();
    /// let map = q4_0.field_map(q4_0.field("codes").unwrap(), &[2, 64])?;
    /// assert_eq!((map.offset(&[0, 0])?, map.offset(&[0, 16])?), (4, 5)); // 2 bytes come before
    /// assert_eq!(map.offset(&[0, 32])?, 4 + 2 * 18);
    /// assert_eq!(map.offset(&[1, 0])?, 4 + 2 * 36);
    /// assert_eq!(map.allocation(), 2 * 4 * 18);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`array_bytes`](Self::array_bytes); or the base or a stride is not a multiple of the
    /// width, which is so of no field of [`gguf`](super::gguf).
    pub fn field_map(&self, field: &Field, dims: &[i64]) -> Result<IndexMap, Error> {
        let records = self.record_dims(dims)?;
        let bits = checked(self.array_bytes(dims)?.checked_mul(8), "the size in bits")?;
        let base = if bits == 0 { 0 } else { field.in_units(field.base)? };
        let layout = self.field_layout(field, &records)?;
        IndexMap::from_tla(&layout)?.within(base, field.in_units(bits)?)
    }

    /// A mode for each dimension: the rows' strides are those of whole rows of records, and the last
    /// dimension has the field's modes and, most major, the record.
    fn field_layout(&self, field: &Field, records: &[i64]) -> Result<Layout, Error> {
        let mut stride = checked(self.bytes.checked_mul(8), "the size in bits")?;
        let mut modes = Vec::new();
        for (place, &extent) in records.iter().rev().enumerate() {
            let inner = if place == 0 { field.modes } else { &[] };
            let leaves = inner.iter().copied().chain([(extent, stride)]);
            let leaves = leaves.map(|(extent, stride)| Ok((extent, field.in_units(stride)?)));
            modes.push(leaves.collect::<Result<Vec<_>, Error>>()?);
            stride = checked(stride.checked_mul(extent), "the size in bits")?;
        }
        modes.reverse();
        Layout::new(shape_of(&modes), stride_of(&modes))
    }

    /// The dims with the last in records.
    fn record_dims(&self, dims: &[i64]) -> Result<Vec<i64>, Error> {
        if let Some(size) = dims.iter().find(|size| **size < 0) {
            return invalid(format!("a dimension cannot have {size} elements"));
        }
        let mut dims = dims.to_vec();
        match dims.last_mut() {
            Some(last) if *last % self.elements == 0 => *last /= self.elements,
            None if self.elements == 1 => {}
            last => {
                let row = last.map_or(1, |last| *last);
                let elements = self.elements;
                return invalid(format!(
                    "a row of {row} elements does not consist of records of {elements}"
                ));
            }
        }
        Ok(dims)
    }
}

fn shape_of(modes: &[Vec<(i64, i64)>]) -> IntTuple {
    nested(modes, |(extent, _)| Int::dynamic(extent))
}

fn stride_of(modes: &[Vec<(i64, i64)>]) -> Nested<Stride> {
    nested(modes, |(_, stride)| Int::dynamic(stride).into())
}

fn nested<T>(modes: &[Vec<(i64, i64)>], leaf: impl Fn((i64, i64)) -> T) -> Nested<T> {
    let mode =
        |mode: &Vec<_>| Nested::Tuple(mode.iter().map(|&pair| Nested::Leaf(leaf(pair))).collect());
    Nested::Tuple(modes.iter().map(mode).collect())
}
