//! How an array lies in a buffer.

use crate::error::{Error, Kind, check_width, checked};
use tilewright::notation::DescribedArray;
use tilewright::{ArrayShape, IndexMap};

/// How an array lies in a buffer: which element slot each element takes, and how many bits a
/// slot has.
///
/// Slots follow each other without gaps, slot 0 in the lowest bits of byte 0. Slots of 8, 16, 32
/// … bits are therefore little-endian numbers, slots of 1, 2 or 4 bits fill a byte from its low
/// end, and slots of other widths (6 bits, 42 bits) are a plain little-endian stream of bits. The
/// buffer as a whole is rounded up to bytes.
///
/// ```
/// use tilewright::Shape;
/// use tilewright_relayout::Placement;
/// let shape: Shape = "s4[3,5]{1,0:T(2,2)E(4)}".parse()?;
/// let placement = Placement::from_shape(shape.as_array()?)?;
/// assert_eq!(placement.map().allocation(), 24);
/// assert_eq!((placement.element_bits(), placement.bytes()), (4, 12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    map: IndexMap,
    element_bits: u32,
    bytes: usize,
    holds_copies: bool,
}

impl Placement {
    /// Elements of `element_bits` bits, placed by `map`.
    ///
    /// # Errors
    /// If the width is not 1 to 128 bits, the map has offsets below 0, the allocation in bits does not fit 63 bits, or its
    /// bytes cannot be counted in a `usize`.
    pub fn new(map: IndexMap, element_bits: u32) -> Result<Self, Error> {
        check_width("an element", element_bits)?;
        if map.lowest_offset() < 0 {
            return Err(Error::new(Kind::BelowBuffer { offset: map.lowest_offset() }));
        }
        let bits = map.allocation().checked_mul(i64::from(element_bits));
        let bytes = checked(bits, "the buffer in bits")?.unsigned_abs().div_ceil(8);
        let bytes = checked(usize::try_from(bytes).ok(), "the buffer in bytes")?;
        Ok(Placement { map, element_bits, bytes, holds_copies: false })
    }

    /// The array as its shape's layout (or the default one) has it in memory, its elements as
    /// wide as [`ArrayShape::element_bits`] says.
    ///
    /// # Errors
    /// If a dimension is unbounded, or as [`new`](Self::new); a type without a width has 0 bits.
    pub fn from_shape(shape: &ArrayShape) -> Result<Self, Error> {
        Self::new(shape.index_map()?, shape.element_bits())
    }

    /// An array that is said in any notation. That its elements may be stored with bits
    /// [flipped](DescribedArray::xor_mask) is not in it, and up to the [plan](crate::Plan::flipping).
    ///
    /// # Errors
    /// As [`new`](Self::new), and if the array has no map.
    pub fn from_described(array: &DescribedArray) -> Result<Self, Error> {
        let map = array.index_map().map_err(|error| Error::new(Kind::Map(error)))?;
        Self::new(map, array.element_bits())
    }

    /// Says that elements which share a slot are copies of one another, as those along a stride of
    /// 0 may be: then no element is lost when one of them is written. Without this, a
    /// [`Plan`](crate::Plan) does not write to a map in which elements share slots.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// use tilewright_relayout::{Placement, Plan, RunOptions};
    /// let map = |text: &str| IndexMap::from_tla(&text.parse().unwrap()).unwrap();
    /// let rows = Placement::new(map("(2,3):(3,1)"), 8)?;
    /// let one_row = Placement::new(map("(2,3):(0,1)"), 8)?;
    /// assert!(Plan::new(&rows, &one_row).unwrap_err().is_sharing());
    /// let mut row = [0; 3];
    /// Plan::new(&rows, &one_row.holding_copies())?.run(
    ///     &[7, 8, 9, 7, 8, 9],
    ///     &mut row,
    ///     &RunOptions::default(),
    /// )?;
    /// assert_eq!(row, [7, 8, 9]);
    /// # Ok::<(), tilewright_relayout::Error>(())
    /// ```
    pub fn holding_copies(mut self) -> Self {
        self.holds_copies = true;
        self
    }

    /// An error if elements would be lost by writing them here. Of layouts of tiles and of swizzled
    /// ones the digits say that each element has a slot of its own, which takes up to 5 µs.
    pub(crate) fn check_loses_nothing(&self) -> Result<(), Error> {
        if self.holds_copies {
            return Ok(());
        }
        let alias = self.map.first_alias().map_err(|error| Error::new(Kind::Map(error)))?;
        alias.map_or(Ok(()), |alias| Err(Error::new(Kind::Sharing(alias))))
    }

    /// Whether each element has a slot of its own, of a placement that
    /// [loses nothing](Self::check_loses_nothing), as far as that is known without a look at elements.
    pub(crate) fn is_injective(&self) -> bool {
        let digits_tell = || self.map.is_separable() && self.map.is_ordered();
        !self.holds_copies || digits_tell() && self.map.is_injective() == Ok(true)
    }

    /// The same with another map of the same elements.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn with_map(&self, map: IndexMap) -> Result<Self, Error> {
        Ok(Placement { holds_copies: self.holds_copies, ..Self::new(map, self.element_bits)? })
    }

    /// Which slot each element takes.
    pub fn map(&self) -> &IndexMap {
        &self.map
    }

    /// The bits of a slot.
    pub fn element_bits(&self) -> u32 {
        self.element_bits
    }

    /// The exact number of bytes of the buffer.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
