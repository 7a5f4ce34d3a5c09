//! Walking an array's elements in the order in which they lie.

use super::{Digit, IndexMap, Source};
use crate::arithmetic::size_hint;

/// The elements of an array in the order of memory, from
/// [`ArrayShape::indices_in_memory_order`](crate::ArrayShape::indices_in_memory_order).
///
/// The map's digits are the loops of a nest, the largest stride outermost. The strides of the
/// inner loops never add up to that of an outer one, so offsets rise. Each loop ends where no
/// value of the inner ones would lead back inside the array, so padding costs nothing. Merged
/// coordinates are known only once all digits are, so there the offset is decoded, and skipped
/// if it is padding.
#[derive(Clone, Debug)]
pub struct MemoryOrder {
    map: IndexMap,
    /// One for each digit, the largest stride first.
    loops: Vec<Loop>,
    /// What the loops add up to for each dimension, and after those for each merged coordinate.
    sources: Vec<i64>,
    /// The index, where coordinates are merged.
    decoded: Vec<i64>,
    offset: i64,
    started: bool,
    remaining: i64,
}

/// One digit of the map, counting.
#[derive(Clone, Debug)]
struct Loop {
    /// Which of the sources it counts.
    source: usize,
    /// How many values that source takes.
    source_extent: i64,
    /// What one more is to the source.
    divisor: i64,
    /// What one more is to the offset.
    stride: i64,
    /// How many values the digit takes.
    extent: i64,
    value: i64,
}

impl MemoryOrder {
    /// The elements of a map.
    pub(crate) fn of(map: IndexMap) -> Self {
        let rank = map.dims().len();
        MemoryOrder {
            loops: map.digits().iter().map(|digit| Loop::of(&map, digit)).collect(),
            sources: vec![0; rank + map.merged().len()],
            decoded: Vec::new(),
            offset: map.base(),
            started: false,
            remaining: map.elements(),
            map,
        }
    }

    /// The next offset and its index, lent: no memory is allocated unless coordinates are merged.
    pub fn advance(&mut self) -> Option<(i64, &[i64])> {
        if self.remaining == 0 {
            return None;
        }
        self.remaining -= 1;
        self.step()?;
        if self.map.is_separable() {
            return Some((self.offset, &self.sources));
        }
        while !self.decode() {
            self.step()?;
        }
        Some((self.offset, &self.decoded))
    }

    /// Moves on to the next place whose sources are all in range, at first to the first.
    fn step(&mut self) -> Option<()> {
        if !std::mem::replace(&mut self.started, true) {
            return Some(());
        }
        for counting in self.loops.iter_mut().rev() {
            let source = self.sources.get_mut(counting.source)?;
            if counting.raise(source, &mut self.offset) {
                return Some(());
            }
            counting.reset(source, &mut self.offset);
        }
        None
    }

    /// Finds the index at the offset; says whether there is one.
    fn decode(&mut self) -> bool {
        let index = self.map.index(self.offset).ok().flatten();
        index.map(|index| self.decoded = index).is_some()
    }
}

impl Loop {
    fn of(map: &IndexMap, digit: &Digit) -> Self {
        let (source, source_extent) = match digit.source {
            Source::Dim(dim) => (dim, map.dims()[dim]),
            Source::Merged(number) => (map.dims().len() + number, map.merged()[number].extent()),
        };
        let Digit { divisor, stride, .. } = *digit;
        Loop { source, source_extent, divisor, stride, extent: map.extent(digit), value: 0 }
    }

    /// Counts one up, unless that leads outside the digit or its source.
    fn raise(&mut self, source: &mut i64, offset: &mut i64) -> bool {
        let inside = self.value + 1 < self.extent && self.divisor < self.source_extent - *source;
        if inside {
            self.value += 1;
            *source += self.divisor;
            *offset += self.stride;
        }
        inside
    }

    fn reset(&mut self, source: &mut i64, offset: &mut i64) {
        *source -= self.value * self.divisor;
        *offset -= self.value * self.stride;
        self.value = 0;
    }
}

impl Iterator for MemoryOrder {
    type Item = (i64, Vec<i64>);

    fn next(&mut self) -> Option<(i64, Vec<i64>)> {
        self.advance().map(|(offset, index)| (offset, index.to_vec()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        size_hint(self.remaining)
    }
}
