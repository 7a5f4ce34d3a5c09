//! How much memory an array takes.

use crate::error::{Error, checked};
use crate::shape::ArrayShape;

impl ArrayShape {
    /// The bytes that memory holds, with all padding of every tile level and of the tail.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[7,9]{1,0:T(2,4)(3,1)}".parse()?;
    /// assert_eq!((shape.bytes()?, shape.xla_bytes()?), (576, Some(384)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Sub-byte elements (`E(4)`) are packed along the whole allocation, and the total is rounded
    /// up to bytes once. The bytes of `M(n)` come on top and are not counted. An array that is
    /// split over memories (`SC`) is counted whole.
    ///
    /// # Errors
    /// If a dimension is unbounded, or the number does not fit 64 bits.
    pub fn bytes(&self) -> Result<i64, Error> {
        self.index_map()?.bytes(self.element_bits())
    }

    /// What of [`bytes`](Self::bytes) is padding.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn padding_bytes(&self) -> Result<i64, Error> {
        Ok(self.bytes()? - self.logical_bytes()?)
    }

    /// The bytes from the start of memory to the end of its last element, so without the padding
    /// that comes after; 0 for an empty array.
    ///
    /// XLA's `ShapeUtil::ArrayDataSize` takes the element of the highest index for the last and
    /// looks at the first tile only, so it comes out short for packed layouts.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "bf16[1,100]{1,0:T(8,128)(2,1)}".parse()?;
    /// assert_eq!((shape.data_bytes()?, shape.bytes()?), (398, 2048)); // XLA says 200
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a dimension is unbounded, a size does not fit 64 bits; and as
    /// [`IndexMap::max_offset`](crate::IndexMap::max_offset).
    pub fn data_bytes(&self) -> Result<i64, Error> {
        let Some(last) = self.index_map()?.max_offset()? else { return Ok(0) };
        let bits = (i128::from(last) + 1) * i128::from(self.element_bits());
        checked(i64::try_from((bits + 7) / 8).ok(), "the size in bytes")
    }
}
