//! Questions about the order alone, which no tile and no map has a say in.

use crate::error::{Error, checked};
use crate::shape::{ArrayShape, resolve_dimension};

impl ArrayShape {
    /// Whether this is the index of an element: as many numbers as dimensions, each from 0 to
    /// below the size, and any from 0 where the dimension is unbounded.
    ///
    /// XLA's `IndexUtil::IndexInBounds` does not look at the lower bound.
    pub fn index_in_bounds(&self, index: &[i64]) -> bool {
        index.len() == self.rank()
            && index
                .iter()
                .zip(self.dims())
                .all(|(&index, size)| index >= 0 && size.bound().is_none_or(|size| index < size))
    }

    /// The strides in bytes, dimension 0 first, of the same elements laid out in the same order
    /// with no tiles, no padding and no `E(n)`: each in the whole bytes of its type.
    ///
    /// XLA's `ShapeUtil::UnpackedByteStrides`. For where the elements are, see
    /// [`byte_strides`](Self::byte_strides).
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "s4[2,4]{1,0:E(4)}".parse()?;
    /// assert_eq!(shape.unpacked_byte_strides()?, [4, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a dimension is unbounded or a stride does not fit 64 bits.
    pub fn unpacked_byte_strides(&self) -> Result<Vec<i64>, Error> {
        let sizes = self.sizes()?;
        let mut strides = vec![0; sizes.len()];
        let mut stride = Some(i64::from(self.element_type().storage_bits() / 8));
        for &dim in self.layout_or_default().minor_to_major().iter() {
            strides[dim] = checked(stride, "a stride in bytes")?;
            stride = strides[dim].checked_mul(sizes[dim]);
        }
        Ok(strides)
    }

    /// Whether every dimension physically outside `dim` has one element (or is `<=1`), so that
    /// cutting the memory in pieces along `dim` leaves each piece whole.
    ///
    /// Of the order alone, as XLA's `ShapeUtil::IsEffectivelyMostMajorDimension`.
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn is_effectively_most_major_dimension(&self, dim: i64) -> Result<bool, Error> {
        let dim = resolve_dimension(dim, self.rank())?;
        let order = self.layout_or_default().major_to_minor();
        let mut outside = order.iter().take_while(|&&other| other != dim);
        Ok(outside.all(|&other| self.dims()[other].bound() == Some(1)))
    }

    /// Whether the last dimension is the most minor. A scalar has no last dimension.
    ///
    /// Of the order alone, as XLA's `ShapeUtil::LastDimIsMinorMost`.
    pub fn last_dim_is_minor_most(&self) -> bool {
        self.layout_or_default().minor(0).is_some_and(|dim| dim + 1 == self.rank())
    }
}
