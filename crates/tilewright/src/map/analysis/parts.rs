//! A map in parts that an offset tells apart.

use std::collections::BTreeMap;

use super::super::{Digit, IndexMap, Source};
use super::MAX_ENUMERATED;
use super::radix::Radix;
use crate::error::Error;

/// Of the first elements of a part, this many are looked at first.
const FIRST_LOOK: i64 = 1 << 12;

/// Some dimensions, such that two indices share an offset exactly if they do in every part.
#[derive(Debug)]
pub(super) enum Part {
    /// One dimension whose digits an offset tells.
    Digits { dim: usize, radix: Radix },
    /// Dimensions whose digits overlap or are merged: the map with all others of one element.
    Tangle(IndexMap),
}

/// Two numbers of elements.
type Pair = [usize; 2];

impl IndexMap {
    /// The parts with more than one element; none of an array without elements.
    ///
    /// Sorted by stride, digits fall into clusters: what the smaller ones add up to is less than
    /// the least that a cluster moves. So an offset tells what each cluster adds. Dimensions of a
    /// cluster of several digits, or of a merged coordinate, stay together.
    pub(super) fn independent_parts(&self) -> Vec<Part> {
        match self.without_shears() {
            Some(map) => map.parts_of_digits(),
            None => self.parts_of_digits(),
        }
    }

    /// The parts in which two indices may share an offset; there may be others where they do not.
    pub(super) fn parts_that_may_share(&self) -> Vec<Part> {
        let is_told = || !self.is_separable() && self.tells_every_index_through_shears();
        if self.tells_every_index() || is_told() {
            return Vec::new();
        }
        match self.without_shears() {
            Some(map) if map.tells_every_index() => Vec::new(),
            Some(map) => map.parts_of_digits(),
            None => self.parts_of_digits(),
        }
    }

    /// The parts of a map without shears.
    fn parts_of_digits(&self) -> Vec<Part> {
        if self.elements == 0 {
            return Vec::new();
        }
        let mut groups = Groups::new(self.dims.len());
        let merged = self.group_merged(&mut groups);
        let dim_of = |digit: &Digit| match digit.source {
            Source::Dim(dim) => Some(dim),
            Source::Merged(number) => merged[number],
        };
        for cluster in self.clusters() {
            let is_plain = matches!(cluster, [Digit { source: Source::Dim(_), .. }]);
            if !is_plain {
                groups.tangle(cluster.iter().filter_map(dim_of));
            }
        }
        groups.parts_of(self)
    }

    /// Puts the dimensions of each merged coordinate together; says one dimension of each.
    fn group_merged(&self, groups: &mut Groups) -> Vec<Option<usize>> {
        let mut merged: Vec<Option<usize>> = Vec::new();
        for coordinate in &self.merged {
            let dims = coordinate.digits.iter().filter_map(|digit| match digit.source {
                Source::Dim(dim) => Some(dim),
                Source::Merged(number) => merged[number],
            });
            let first = groups.tangle(dims);
            merged.push(first);
        }
        merged
    }

    /// The digits of a dimension as a number, or `None` where one begins inside another.
    pub(super) fn radix(&self, dim: usize) -> Option<Radix> {
        let digits = self.digits.iter().filter(|digit| digit.source == Source::Dim(dim));
        Radix::new(self.dims[dim], digits.copied().collect())
    }

    /// Whether the merged digits give away every index.
    fn is_deducible(&self) -> bool {
        let first = self.offset_unchecked(&vec![0; self.dims.len()]);
        matches!(self.deduce(first), Some(Some(_)))
    }

    /// The first element whose offset an earlier one has, after that one. Looks at `limit`
    /// elements at most, at few to begin with.
    fn first_repeat(&self, limit: i64) -> Result<Option<Pair>, Error> {
        let mut count = FIRST_LOOK.min(limit);
        loop {
            let offsets = self.first_offsets(count.min(self.elements))?;
            let found = first_repeat(&offsets);
            if found.is_some() || count >= self.elements {
                return Ok(found);
            }
            if count >= limit {
                return Err(self.too_large());
            }
            count = limit.min(count * 16);
        }
    }
}

impl Part {
    /// The first index whose offset an earlier one has, after that one, in the `whole` map.
    pub(super) fn first_alias(&self, whole: &IndexMap) -> Result<Option<[Vec<i64>; 2]>, Error> {
        let map = match self {
            Part::Digits { dim, radix } => {
                let first = vec![0; whole.dims.len()];
                return Ok(radix.first_alias().map(|value| {
                    let mut second = first.clone();
                    second[*dim] = value;
                    [first, second]
                }));
            }
            Part::Tangle(map) if map.is_deducible() => return Ok(None),
            Part::Tangle(map) => map,
        };
        let pair = map.first_repeat(MAX_ENUMERATED)?;
        Ok(pair.map(|pair| pair.map(|number| map.index_of_number(number))))
    }

    /// How many offsets are had by how many indices, as (indices, offsets).
    pub(super) fn counts(&self) -> Result<BTreeMap<i64, i64>, Error> {
        match self {
            Part::Digits { radix, .. } => Ok(radix.counts()),
            Part::Tangle(map) if map.is_deducible() => Ok(BTreeMap::from([(1, map.elements)])),
            Part::Tangle(map) => {
                let mut offsets = map.enumerated()?;
                offsets.sort_unstable();
                let mut counts = BTreeMap::new();
                for same in offsets.chunk_by(|a, b| a == b) {
                    let indices = i64::try_from(same.len()).unwrap_or(i64::MAX);
                    *counts.entry(indices).or_insert(0) += 1;
                }
                Ok(counts)
            }
        }
    }
}

/// The first number whose offset an earlier one has, after that one.
fn first_repeat(offsets: &[i64]) -> Option<Pair> {
    let mut numbers: Vec<usize> = (0..offsets.len()).collect();
    numbers.sort_unstable_by_key(|&number| (offsets[number], number));
    let pairs = numbers.iter().zip(numbers.iter().skip(1)).map(|(&a, &b)| [a, b]);
    pairs.filter(|&[a, b]| offsets[a] == offsets[b]).min_by_key(|&[_, second]| second)
}

/// Dimensions that have to stay together: a forest, each tree with one dimension at its root.
struct Groups {
    parent: Vec<usize>,
    is_tangled: Vec<bool>,
}

impl Groups {
    fn new(rank: usize) -> Self {
        Groups { parent: (0..rank).collect(), is_tangled: vec![false; rank] }
    }

    fn root(&mut self, dim: usize) -> usize {
        let mut dim = dim;
        while self.parent[dim] != dim {
            self.parent[dim] = self.parent[self.parent[dim]];
            dim = self.parent[dim];
        }
        dim
    }

    /// Puts dimensions together, and marks them as not plain. Says one of them.
    fn tangle(&mut self, dims: impl Iterator<Item = usize>) -> Option<usize> {
        let mut first = None;
        for dim in dims {
            let (root, first) = (self.root(dim), *first.get_or_insert(dim));
            let first = self.root(first);
            self.parent[root] = first;
            self.is_tangled[root] = true;
            self.is_tangled[first] = true;
        }
        first
    }

    fn parts_of(mut self, map: &IndexMap) -> Vec<Part> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for dim in (0..map.dims.len()).filter(|&dim| map.dims[dim] > 1) {
            groups.entry(self.root(dim)).or_default().push(dim);
        }
        groups.into_iter().map(|(root, dims)| self.part(map, root, &dims)).collect()
    }

    fn part(&self, map: &IndexMap, root: usize, dims: &[usize]) -> Part {
        if let [dim] = *dims
            && !self.is_tangled[root]
            && let Some(radix) = map.radix(dim)
        {
            return Part::Digits { dim, radix };
        }
        let mut kept = vec![false; map.dims.len()];
        dims.iter().for_each(|&dim| kept[dim] = true);
        Part::Tangle(map.restricted(&kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

    /// The strides have no common divisor, so the first elements to share an offset are 64 along
    /// one dimension, 64 * 65, and 65 along the other, in row 65 of 66 elements.
    #[test]
    fn only_so_many_elements_are_looked_at() -> Result {
        let map = IndexMap::from_tla(&"(70,66):(64,65)".parse()?)?;
        assert_eq!(map.first_repeat(MAX_ENUMERATED)?, Some([64, 65 * 66]));
        assert_eq!(map.first_repeat(65 * 66 + 1)?, Some([64, 65 * 66]));
        let error = map.first_repeat(65 * 66).err().ok_or("found in too few")?;
        assert!(error.to_string().starts_with("4620 elements would have to be compared"));
        let below = IndexMap::from_tla(&"(65,66):(64,65)".parse()?)?;
        assert_eq!(below.first_repeat(MAX_ENUMERATED)?, None);
        Ok(())
    }
}
