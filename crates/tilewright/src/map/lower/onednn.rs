//! Lowering a oneDNN tag to a map.

use crate::error::{Error, Kind};
use crate::map::IndexMap;
use crate::map::build::{Coordinate, MapBuilder};
use crate::onednn::{Tag, TaggedArray};

impl IndexMap {
    /// The map of an array with these dimensions in a oneDNN tag.
    ///
    /// Each block of a dimension splits off the place in the block, the last block first. Memory
    /// is what is left of the dimensions in the tag's order, then the places in the blocks as they
    /// are written. So a dimension is padded to a multiple of the product of its blocks.
    ///
    /// Source: oneDNN, `dnnl_blocking_desc_t`; `memory_desc_wrapper::off_v`.
    ///
    /// # Errors
    /// If there are more dimensions or fewer than in the tag, one is negative, or a number does
    /// not fit 64 bits.
    pub fn from_onednn(dims: &[i64], tag: &Tag) -> Result<Self, Error> {
        if dims.len() != tag.rank() {
            return Err(Error::new(Kind::RankMismatch {
                what: "the array",
                expected: tag.rank(),
                found: dims.len(),
            }));
        }
        let mut builder = MapBuilder::new(dims)?;
        let mut left: Vec<Coordinate> = (0..dims.len()).map(|dim| builder.input(dim)).collect();
        let mut places = Vec::new();
        for block in tag.blocks().iter().rev() {
            let (number, place) = builder.split(&left[block.dim], block.size)?;
            left[block.dim] = number;
            places.push(place);
        }
        let mut memory = tag.major_to_minor().permute(&left);
        memory.extend(places.into_iter().rev());
        builder.finish(&memory, 1)
    }
}

impl Tag {
    /// Where each element of an array of these sizes lies. Every dimension is padded to a
    /// multiple of the product of its blocks.
    ///
    /// # Errors
    /// As [`IndexMap::from_onednn`].
    pub fn index_map(&self, dims: &[i64]) -> Result<IndexMap, Error> {
        IndexMap::from_onednn(dims, self)
    }
}

impl TaggedArray {
    /// Where each element lies.
    ///
    /// # Errors
    /// As [`IndexMap::from_onednn`].
    pub fn index_map(&self) -> Result<IndexMap, Error> {
        self.tag.index_map(&self.dims)
    }

    /// The bytes of memory, padding included.
    ///
    /// # Errors
    /// As [`index_map`](Self::index_map), and if the number does not fit 64 bits.
    pub fn bytes(&self) -> Result<i64, Error> {
        self.index_map()?.bytes(self.element_bits())
    }
}
