//! Walking the indices of an array.
//!
//! In logical order, [`ArrayShape::indices`], the last dimension runs fastest and the layout does
//! not matter. In memory order, [`ArrayShape::indices_in_memory_order`], offsets rise and padding
//! is skipped; that takes an index map.
//!
//! Both are iterators of fresh `Vec`s, and both have an `advance` that lends the index instead.
//!
//! Source: `IndexUtil::BumpIndices` and `ShapeUtil::ForEachIndex` in XLA.

use crate::arithmetic::size_hint;
use crate::error::Error;
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
