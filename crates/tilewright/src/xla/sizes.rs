//! How much an array's elements take, and its memory as XLA's own accounting has it.

use crate::error::{Error, checked};
use crate::shape::ArrayShape;
use crate::xla::{Tile, TileDim};

impl ArrayShape {
    /// The bytes of the elements alone, with no padding but that to a whole byte.
    ///
    /// # Errors
    /// If a dimension is unbounded, or the number does not fit 64 bits.
    pub fn logical_bytes(&self) -> Result<i64, Error> {
        bytes_of(i128::from(self.elements()?), self.element_bits())
    }

    /// The bytes that XLA allocates, by the rule of its `ShapeUtil::ArraySize`; `None` for `*`, on
    /// which XLA's arithmetic is undefined, and for `PAD`, which it does not know.
    ///
    /// It differs from [`bytes`](Self::bytes) in looking at the first tile only (later tiles
    /// count as adding no padding), in leaving out the tail padding of an untiled array, and in
    /// counting the largest part of each dimension that is split over memories.
    ///
    /// # Errors
    /// If a dimension is unbounded, or the number does not fit 64 bits.
    pub fn xla_bytes(&self) -> Result<Option<i64>, Error> {
        let Some(layout) = self.layout() else { return self.logical_bytes().map(Some) };
        if layout.tiles().iter().any(Tile::combines) || layout.padding().is_some() {
            return Ok(None);
        }
        let Some(tile) = layout.tiles().first() else { return self.logical_bytes().map(Some) };
        let tiled = self.first_tile_elements(tile)?;
        let alignment = i128::from(layout.tail_padding_alignment_in_elements());
        bytes_of(round_up(tiled, alignment), self.element_bits()).map(Some)
    }

    /// The most elements of dimension `dim` that are in one memory: all of them unless the
    /// dimension is split. XLA's `LayoutUtil::MaxSplitSize`.
    ///
    /// # Errors
    /// If the dimension does not exist or is unbounded.
    pub fn max_split_size(&self, dim: i64) -> Result<i64, Error> {
        let dim = crate::shape::resolve_dimension(dim, self.rank())?;
        Ok(self.max_split_sizes()?[dim])
    }

    /// The most elements that are in one memory. XLA's `LayoutUtil::MaxElementsInPerSplit`.
    ///
    /// # Errors
    /// If a dimension is unbounded, or the number does not fit 64 bits.
    pub fn max_elements_per_split(&self) -> Result<i64, Error> {
        crate::arithmetic::checked_product(self.max_split_sizes()?)
    }

    /// The size of each dimension, and of one that is split the largest part.
    fn max_split_sizes(&self) -> Result<Vec<i64>, Error> {
        let mut sizes = self.sizes()?;
        let Some(layout) = self.layout() else { return Ok(sizes) };
        for split in layout.split_configs() {
            if let Some(dim) = layout.major(split.dimension()) {
                sizes[dim] = split.max_part(sizes[dim]);
            }
        }
        Ok(sizes)
    }

    /// The elements of the array with each physical dimension rounded up to the tile. A tile
    /// longer than the rank pads 1s put before the dimensions.
    fn first_tile_elements(&self, tile: &Tile) -> Result<i128, Error> {
        let sizes = self.layout_or_default().major_to_minor().permute(&self.max_split_sizes()?);
        let minor_first = sizes.iter().rev().copied();
        let tile_first = tile.dims().iter().rev().map(|dim| match dim {
            TileDim::Size(size) => *size,
            TileDim::Combine => 1,
        });
        let n = sizes.len().max(tile.dims().len());
        let pairs =
            minor_first.chain(std::iter::repeat(1)).zip(tile_first.chain(std::iter::repeat(1)));
        let rounded =
            pairs.take(n).map(|(size, tile)| round_up(i128::from(size), i128::from(tile)));
        let product = rounded.into_iter().try_fold(1i128, i128::checked_mul);
        checked(product.filter(|&product| i64::try_from(product).is_ok()), "the allocation")
    }
}

fn round_up(size: i128, multiple: i128) -> i128 {
    (size + multiple - 1) / multiple * multiple
}

fn bytes_of(elements: i128, bits: u32) -> Result<i64, Error> {
    let bytes = (elements * i128::from(bits) + 7) / 8;
    checked(i64::try_from(bytes).ok(), "the size in bytes")
}
