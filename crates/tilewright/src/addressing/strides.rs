//! How far apart in memory neighbours are.

use crate::IndexMap;
use crate::error::{Error, checked, invalid};
use crate::shape::{ArrayShape, resolve_dimension};
use crate::xla::Layout;

/// The most dimensions of one element that tiles may act on where all strides are asked for. Each
/// takes a map of its own.
const MAX_SINGLE_DIMS_TILED: usize = 256;

impl ArrayShape {
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
}

/// The offset of the second element along a dimension of one element, if it had two.
fn second_offset(sizes: &[i64], layout: &Layout, dim: usize) -> Result<i64, Error> {
    let mut sizes = sizes.to_vec();
    sizes[dim] = 2;
    let mut second = vec![0; sizes.len()];
    second[dim] = 1;
    IndexMap::from_layout(&sizes, layout)?.offset(&second)
}
