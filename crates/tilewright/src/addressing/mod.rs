//! What an array's [index map](ArrayShape::index_map) says of it: where elements lie, how far apart,
//! in how much memory, in which order.
//!
//! All of it goes through the map, so that every tile level counts. XLA's `IndexUtil` and its
//! strides look at the order alone, and its sizes at the first tile. Each call builds the map; to
//! ask often, ask the map.
//!
//! Source: `index_util.cc`, `layout_util.cc`, `shape_util.cc` in XLA.

mod sizes;
mod strides;

use crate::IndexMap;
use crate::error::Error;
use crate::map::MemoryOrder;
use crate::shape::ArrayShape;

impl ArrayShape {
    /// The offset in elements of the element with this index.
    ///
    /// XLA has three functions for this, and each looks at another part of the layout:
    /// `IndexUtil::MultidimensionalIndexToLinearIndex` at no tile, `LayoutUtil::LinearIndex` at
    /// the first, and not even that on one dimension, `LayoutUtil::LinearIndexForNestedTiling` at
    /// all.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "bf16[2048]{0:T(1024)(128)(2,1)}".parse()?;
    /// assert_eq!((shape.linear_index(&[1])?, shape.linear_index(&[128])?), (2, 1));
    /// assert_eq!(shape.multi_index(1)?, Some(vec![128]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the index has another rank or is out of bounds, a dimension is unbounded, or a size
    /// does not fit 64 bits.
    pub fn linear_index(&self, index: &[i64]) -> Result<i64, Error> {
        self.index_map()?.offset(index)
    }

    /// The index of the element at this offset in elements, or `None` where there is padding.
    ///
    /// XLA's `LayoutUtil::DelinearizeIndexForNestedTiling`; its
    /// `IndexUtil::LinearIndexToMultidimensionalIndex` knows no tiles.
    ///
    /// # Errors
    /// If the offset is outside the allocation, a dimension is unbounded, or a size does not fit
    /// 64 bits.
    pub fn multi_index(&self, linear_index: i64) -> Result<Option<Vec<i64>>, Error> {
        self.index_map()?.index(linear_index)
    }

    /// Whether the tiles do nothing: the array without them has the same offset for every element
    /// and the same allocation.
    ///
    /// XLA's `LayoutUtil::IsUntiledLayout` is cautious and says no to some tiles that do nothing,
    /// and dies where a tile is longer than the rank.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let untiled = |text: &str| text.parse::<ArrayShape>().unwrap().is_untiled();
    /// assert!(untiled("f32[24,128]{1,0:T(8,128)}")?);
    /// assert!(!untiled("f32[24,256]{1,0:T(8,128)}")?); // moves elements
    /// assert!(!untiled("f32[20,128]{1,0:T(8,128)}")?); // pads
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a dimension is unbounded, a size does not fit 64 bits, or merged dimensions are too
    /// large to compare, as in [`IndexMap::same_as`].
    pub fn is_untiled(&self) -> Result<bool, Error> {
        let layout = self.layout_or_default();
        if layout.tiles().is_empty() {
            return Ok(true);
        }
        let untiled = IndexMap::from_layout(&self.sizes()?, &layout.without_tiles())?;
        self.index_map()?.same_as(&untiled)
    }

    /// Every offset that holds an element, rising, with the element's index. Padding is skipped.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[2,3]{1,0:T(2,2)}".parse()?;
    /// let placed: Vec<_> = shape.indices_in_memory_order()?.map(|(o, i)| (o, i[0], i[1])).collect();
    /// assert_eq!(placed, [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1), (4, 0, 2), (6, 1, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Takes time in the number of elements, however much padding is between them, unless a tile
    /// straddles dimensions: then the padding inside what is merged is looked at too.
    ///
    /// XLA's `ShapeUtil::ForEachIndex` runs through the dimensions from minor to major, and so
    /// follows memory where there are no tiles.
    ///
    /// # Errors
    /// If a dimension is unbounded or a size does not fit 64 bits.
    pub fn indices_in_memory_order(&self) -> Result<MemoryOrder, Error> {
        Ok(MemoryOrder::of(self.index_map()?))
    }
}
