//! Lowering strides in bytes to a map.

use crate::error::Error;
use crate::map::IndexMap;
use crate::strided::StridedArray;
use crate::tla::{Int, IntTuple, Layout, Nested};

impl StridedArray {
    /// Where each element lies. The allocation reaches from the lowest element to the highest.
    ///
    /// # Errors
    /// If there is not one stride per dimension, a stride is not a multiple of the element's
    /// bytes, a size is negative, or a number does not fit 64 bits.
    pub fn index_map(&self) -> Result<IndexMap, Error> {
        let strides: Vec<i64> = self.element_strides()?;
        let strides = strides.into_iter().map(|stride| Nested::Leaf(Int::dynamic(stride).into()));
        let shape = IntTuple::dynamic(&self.dims);
        IndexMap::from_tla(&Layout::new(shape, Nested::Tuple(strides.collect()))?)
    }

    /// The bytes from the first of the lowest element to the last of the highest.
    ///
    /// # Errors
    /// As [`index_map`](Self::index_map), and if the number does not fit 64 bits.
    pub fn bytes(&self) -> Result<i64, Error> {
        self.index_map()?.bytes(self.element_bits())
    }
}
