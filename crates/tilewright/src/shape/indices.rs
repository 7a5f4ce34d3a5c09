//! Walking the indices of an array.
//!
//! In logical order, [`ArrayShape::indices`], the last dimension runs fastest and the layout does
//! not matter. In memory order, [`ArrayShape::indices_in_memory_order`], offsets rise and padding
//! is skipped.
//!
//! Both are iterators of fresh `Vec`s, and both have an `advance` that lends the index instead.
//!
//! Source: `IndexUtil::BumpIndices` and `ShapeUtil::ForEachIndex` in XLA.

use crate::error::{Error, Kind};
use crate::map::{Digit, IndexMap, Source};
use crate::shape::ArrayShape;

impl ArrayShape {
    /// Every index in logical row-major order: the last dimension runs fastest.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape = ArrayShape::new("f32".parse()?, &[2, 2])?;
    /// let indices: Vec<_> = shape.indices()?.collect();
    /// assert_eq!(indices, [[0, 0], [0, 1], [1, 0], [1, 1]]);
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// A scalar has one index, of no numbers; an empty array has none. XLA steps with
    /// `IndexUtil::BumpIndices`.
    ///
    /// # Errors
    /// If a dimension is unbounded.
    pub fn indices(&self) -> Result<Indices, Error> {
        let dims = self.sizes()?;
        let index = vec![0; dims.len()];
        Ok(Indices { remaining: self.elements()?, started: false, dims, index })
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

/// The indices of an array in logical order, from [`ArrayShape::indices`].
#[derive(Clone, Debug)]
pub struct Indices {
    dims: Vec<i64>,
    index: Vec<i64>,
    started: bool,
    remaining: i64,
}

impl Indices {
    /// The next index, lent: no memory is allocated.
    pub fn advance(&mut self) -> Option<&[i64]> {
        if self.remaining == 0 {
            return None;
        }
        self.remaining -= 1;
        if std::mem::replace(&mut self.started, true) {
            self.bump();
        }
        Some(&self.index)
    }

    fn bump(&mut self) {
        for (value, size) in self.index.iter_mut().zip(&self.dims).rev() {
            *value += 1;
            if *value < *size {
                break;
            }
            *value = 0;
        }
    }
}

impl Iterator for Indices {
    type Item = Vec<i64>;

    fn next(&mut self) -> Option<Vec<i64>> {
        self.advance().map(<[i64]>::to_vec)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        size_hint(self.remaining)
    }
}

/// The elements of an array in the order of memory, from [`ArrayShape::indices_in_memory_order`].
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
    fn of(map: IndexMap) -> Self {
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

fn size_hint(remaining: i64) -> (usize, Option<usize>) {
    match usize::try_from(remaining) {
        Ok(remaining) => (remaining, Some(remaining)),
        Err(_) => (usize::MAX, None),
    }
}

/// Whether an index is one of an array of these dimensions.
///
/// # Errors
/// If it is not: the index has another rank or lies out of bounds.
pub fn check_index(index: &[i64], dims: &[i64]) -> Result<(), Error> {
    if index.len() != dims.len() {
        let (expected, found) = (dims.len(), index.len());
        return Err(Error::new(Kind::RankMismatch { what: "the index", expected, found }));
    }
    for (dimension, (&index, &extent)) in index.iter().zip(dims).enumerate() {
        if !(0..extent).contains(&index) {
            return Err(Error::new(Kind::IndexOutOfBounds { dimension, index, extent }));
        }
    }
    Ok(())
}
