//! Where elements lie: linear indices, strides, and questions about the order.
//!
//! All of it goes through the [index map](ArrayShape::index_map), so that every tile level
//! counts. XLA's `IndexUtil` and its strides look at the order alone. Each call builds the map;
//! to ask often, ask the map.
//!
//! Source: `index_util.cc`, `layout_util.cc`, `shape_util.cc` in XLA.

use crate::IndexMap;
use crate::error::{Error, checked};
use crate::shape::{ArrayShape, resolve_dimension};
use crate::xla::{Layout, invalid};

/// The most dimensions of one element that tiles may act on where all strides are asked for. Each
/// takes a map of its own.
const MAX_SINGLE_DIMS_TILED: usize = 256;

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

    /// How many elements the offset moves when the index along `dim` grows by one, or `None`
    /// where tiles cut the dimension, so that it depends on the index.
    ///
    /// Of a dimension of one element, it is where a second one would be. An empty array is taken
    /// to have 1 where it has 0.
    ///
    /// XLA's `IndexUtil::GetDimensionStride` knows neither tiles nor padding: it is the product
    /// of the sizes of the more minor dimensions.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[4,24,256]{2,1,0:T(8,128)}".parse()?;
    /// assert_eq!(shape.dimension_stride(0)?, Some(6144));
    /// assert_eq!(shape.dimension_stride(1)?, None); // 128 in a tile, but 1152 from 7 to 8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such dimension, a dimension is unbounded, or a size does not fit 64 bits;
    /// and as [`IndexMap::same_as`] where a tile straddles dimensions.
    pub fn dimension_stride(&self, dim: i64) -> Result<Option<i64>, Error> {
        let dim = resolve_dimension(dim, self.rank())?;
        let sizes: Vec<i64> = self.sizes()?.iter().map(|&size| size.max(1)).collect();
        let layout = self.layout_or_default();
        match sizes[dim] {
            1 => second_offset(&sizes, &layout, dim).map(Some),
            _ => IndexMap::from_layout(&sizes, &layout)?.constant_step(dim),
        }
    }

    /// The [strides](Self::dimension_stride) of all dimensions in bytes, dimension 0 first, or
    /// `None` where tiles cut a dimension or elements do not take whole bytes.
    ///
    /// With these, and no padding to skip, numpy and its like can look at the memory as it is.
    /// XLA's `ShapeUtil::ByteStrides` ignores tiles and padding.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let strides = |text: &str| text.parse::<ArrayShape>().unwrap().byte_strides();
    /// assert_eq!(strides("f32[3,5,7]{2,1,0}")?, Some(vec![140, 28, 4]));
    /// assert_eq!(strides("f32[3,5]{1,0:T(8,128)}")?, Some(vec![512, 4])); // one tile
    /// assert_eq!(strides("f32[3,5]{1,0:T(2,2)}")?, None);
    /// assert_eq!(strides("s4[2,4]{1,0:E(4)}")?, None);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`dimension_stride`](Self::dimension_stride), and if tiles act on more than 256
    /// dimensions of one element.
    pub fn byte_strides(&self) -> Result<Option<Vec<i64>>, Error> {
        let bits = self.element_bits();
        if !bits.is_multiple_of(8) {
            return Ok(None);
        }
        let Some(mut strides) = self.element_strides()? else { return Ok(None) };
        for stride in &mut strides {
            let bytes = stride.checked_mul(i64::from(bits / 8));
            *stride = checked(bytes, "a stride in bytes")?;
        }
        Ok(Some(strides))
    }

    /// Every [`dimension_stride`](Self::dimension_stride), dimension 0 first, or `None` if one is.
    ///
    /// The first tile acts on the most minor dimensions, and each further one at most reaches as
    /// many more as it is long. The dimensions that no tile can reach are row-major over the tiled
    /// part: the stride of each is the product of all that is more minor. Of the others the map is
    /// asked, or, where there is one element, a map with a second one.
    fn element_strides(&self) -> Result<Option<Vec<i64>>, Error> {
        let sizes: Vec<i64> = self.sizes()?.iter().map(|&size| size.max(1)).collect();
        let layout = self.layout_or_default();
        let map = IndexMap::from_layout(&sizes, &layout)?;
        let n_tiled: usize = layout.tiles().iter().map(|tile| tile.dims().len()).sum();
        let (tiled, beyond) = layout.minor_to_major().split_at(n_tiled.min(sizes.len()));
        if tiled.iter().filter(|&&dim| sizes[dim] == 1).count() > MAX_SINGLE_DIMS_TILED {
            return invalid(format!(
                "strides are not worked out for more than {MAX_SINGLE_DIMS_TILED} dimensions of one element under tiles"
            ));
        }
        let mut strides = vec![0; sizes.len()];
        for &dim in tiled {
            let step = match sizes[dim] {
                1 => Some(second_offset(&sizes, &layout, dim)?),
                _ => map.constant_step(dim)?,
            };
            let Some(step) = step else { return Ok(None) };
            strides[dim] = step;
        }
        let width = |dim: usize| {
            let padded = layout.padding().and_then(|padding| padding.dimensions().get(dim));
            padded.map_or(sizes[dim], |&padded| padded.max(sizes[dim]))
        };
        let n_beyond: i64 = beyond.iter().map(|&dim| width(dim)).product();
        let mut stride = map.padded_elements() / n_beyond;
        for &dim in beyond {
            strides[dim] = stride;
            stride *= width(dim);
        }
        Ok(Some(strides))
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
    /// [`IndexMap::max_offset`].
    pub fn data_bytes(&self) -> Result<i64, Error> {
        let Some(last) = self.index_map()?.max_offset()? else { return Ok(0) };
        let bits = (i128::from(last) + 1) * i128::from(self.element_bits());
        checked(i64::try_from((bits + 7) / 8).ok(), "the size in bytes")
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

/// The offset of the second element along a dimension of one element, if it had two.
fn second_offset(sizes: &[i64], layout: &Layout, dim: usize) -> Result<i64, Error> {
    let mut sizes = sizes.to_vec();
    sizes[dim] = 2;
    let mut second = vec![0; sizes.len()];
    second[dim] = 1;
    IndexMap::from_layout(&sizes, layout)?.offset(&second)
}
