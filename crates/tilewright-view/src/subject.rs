//! What is drawn: an array, where its elements lie, and where its padding does.

use tilewright::algebra::Composition;
use tilewright::notation::Described;
use tilewright::{ArrayShape, Error, IndexMap, Shape};

use crate::blocks::{Blocks, Cut};

/// A layout with all that a picture asks of it.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) said: Described,
    /// From a logical index.
    pub(crate) map: IndexMap,
    /// The same for the array that fills its padding: it says of every place of padding at which
    /// offset it lies, and of every offset which place it is. The same as `map` where padding is not
    /// at the ends of the dimensions.
    filled: IndexMap,
    blocks: Blocks,
}

impl Subject {
    /// # Errors
    /// If it is no array, a dimension is unbounded, or a number does not fit 64 bits.
    pub(crate) fn of(said: Described) -> Result<Self, Error> {
        let map = said.index_map()?;
        let blocks = Blocks::of(&said, map.dims());
        let filled = blocks.as_ref().and_then(|blocks| filled(&said, &map, &blocks.padded));
        let (filled, blocks) = match (filled, blocks) {
            (Some(filled), Some(blocks)) => (filled, blocks),
            _ => (map.clone(), Blocks::none(map.dims())),
        };
        Ok(Subject { said, map, filled, blocks })
    }

    /// The sizes of the dimensions.
    pub(crate) fn dims(&self) -> &[i64] {
        self.map.dims()
    }

    /// The same with padding.
    pub(crate) fn padded(&self) -> &[i64] {
        self.filled.dims()
    }

    pub(crate) fn rank(&self) -> usize {
        self.dims().len()
    }

    /// Where a dimension is cut, the largest blocks first.
    pub(crate) fn cuts(&self, dim: usize) -> &[Cut] {
        self.blocks.cuts.get(dim).map_or(&[], Vec::as_slice)
    }

    /// How far the outermost tile reaches along a dimension.
    pub(crate) fn tile(&self, dim: usize) -> i64 {
        self.blocks.tile.get(dim).copied().unwrap_or(1)
    }

    /// How many outermost tiles there are along a dimension.
    pub(crate) fn n_tiles(&self, dim: usize) -> i64 {
        let whole = self.padded().get(dim).copied().unwrap_or(1);
        whole / self.tile(dim) + i64::from(whole % self.tile(dim) != 0)
    }

    /// Whether anything is cut.
    pub(crate) fn is_tiled(&self) -> bool {
        (0..self.rank()).any(|dim| self.n_tiles(dim) > 1)
    }

    /// The elements of an outermost tile, padding counted.
    pub(crate) fn tile_elements(&self) -> i64 {
        (0..self.rank()).map(|dim| self.tile(dim)).fold(1, i64::saturating_mul)
    }

    /// Whether a padded index is that of an element.
    pub(crate) fn is_data(&self, index: &[i64]) -> bool {
        index.iter().zip(self.dims()).all(|(index, size)| index < size)
    }

    /// Whether an index is that of a place, padding included.
    pub(crate) fn is_place(&self, index: &[i64]) -> bool {
        index.len() == self.rank()
            && index.iter().zip(self.padded()).all(|(index, size)| (0..*size).contains(index))
    }

    /// Where a place lies, padding included.
    pub(crate) fn offset(&self, index: &[i64]) -> Option<i64> {
        self.filled.offset(index).ok()
    }

    /// The place at an offset, padding included; `None` in what no dimension reaches.
    pub(crate) fn index(&self, offset: i64) -> Option<Vec<i64>> {
        self.filled.index(offset).ok().flatten()
    }

    /// The first offset of memory.
    pub(crate) fn first_offset(&self) -> i64 {
        self.map.lowest_offset()
    }

    pub(crate) fn bits(&self) -> Option<u32> {
        self.said.element_bits()
    }
}

/// The map of the array of the padded sizes in the same layout, if it takes as much memory.
fn filled(said: &Described, map: &IndexMap, padded: &[i64]) -> Option<IndexMap> {
    if padded == map.dims() {
        return Some(map.clone());
    }
    let filled = match &*said.spelled_out() {
        Described::Xla(Shape::Array(array) | Shape::Buffer(array)) => {
            let layout = array.layout_or_default().with_padding(None).ok()?;
            let filled = ArrayShape::new(array.element_type(), padded).ok()?.with_layout(layout);
            filled.ok()?.index_map().ok()?
        }
        Described::Tla(typed) => match &typed.layout {
            Composition::Layout(layout) => {
                IndexMap::from_tla(&layout.clone().without_org_shape()).ok()?
            }
            Composition::Composed(_) => return None,
        },
        Described::OneDnn(array) => array.tag.index_map(padded).ok()?,
        _ => return None,
    };
    (filled.dims() == padded && filled.allocation() == map.allocation()).then_some(filled)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        Subject::of(text.parse().unwrap()).unwrap()
    }

    /// Elements lie where the map says, and every other place of the padded array where nothing else
    /// does.
    #[test]
    fn every_place_has_an_offset_of_its_own() {
        for text in [
            "f32[3,5]{1,0:T(2,2)}",
            "f32[3,5]{0,1:T(2,2)}",
            "f32[1,5]{1,0:T(8,128)}",
            "bf16[9,130]{1,0:T(8,128)(2,1)}",
            "bf16[9,128]{1,0:T(8,128)(2,1,1,1)}",
            "f32[2,3,5]{2,1,0:T(2,4)}",
            "f16 ((4,2),(4,3)):((4,16),(1,32)):(7,10)",
            "f32[2,5,3] aBc4b",
            "f32[2,3]{0,1:PAD(3,5)}",
            "f32[5]{0:T(4)L(16)}",
        ] {
            let subject = subject(text);
            let padded = subject.padded().to_vec();
            let places: i64 = padded.iter().product();
            let mut seen = std::collections::HashSet::new();
            for place in 0..places {
                let mut rest = place;
                let mut index = vec![0; padded.len()];
                for (dim, size) in padded.iter().enumerate().rev() {
                    index[dim] = rest % size;
                    rest /= size;
                }
                let offset = subject.offset(&index).unwrap();
                assert!(
                    seen.insert(offset) && offset < subject.map.allocation(),
                    "{text} {index:?}"
                );
                assert_eq!(subject.index(offset), Some(index.clone()), "{text}");
                if subject.is_data(&index) {
                    assert_eq!(subject.map.offset(&index).unwrap(), offset, "{text} {index:?}");
                } else {
                    assert_eq!(subject.map.index(offset).unwrap(), None, "{text} {index:?}");
                }
            }
        }
    }

    #[test]
    fn tiles() {
        let subject = subject("bf16[30,300]{1,0:T(8,128)(2,1)}");
        assert_eq!((subject.tile(0), subject.tile(1), subject.tile_elements()), (8, 128, 1024));
        assert_eq!((subject.n_tiles(0), subject.n_tiles(1)), (4, 3));
        assert!(subject.is_tiled());
    }
}
