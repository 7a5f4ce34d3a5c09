//! Iterating over all offsets of a map.
//!
//! Taken one by one, offsets come from a short list, which is filled as a row is. Taken all at once,
//! each is a sum of its piece's start and an entry of the piece's table, and there is no list.

use std::iter::FusedIterator;

use super::offsets::OffsetRows;
use crate::arithmetic::size_hint;

/// How many offsets an iterator has ready.
const AHEAD: usize = 1 << 10;

impl OffsetRows {
    /// The offsets of all rows, one after the other. No list of them is made.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
    /// let rows = map.rows()?;
    /// assert_eq!(rows.iter().nth(7), Some(6)); // (1,2)
    /// assert_eq!(rows.iter().max(), map.max_offset()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// What takes all of them at once, as `for_each`, `fold`, `sum` and `max` do, is as quick as
    /// going row by row; a `for` loop takes them from a short list.
    pub fn iter(&self) -> Offsets<'_> {
        Offsets { rows: self, next: 0, ready: Vec::new(), taken: 0 }
    }
}

/// Iterates over the offsets of all elements, see [`OffsetRows::iter`].
///
/// ```
/// use tilewright::Shape;
/// let rows = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?.rows()?;
/// let mut offsets = rows.iter();
/// assert_eq!(offsets.by_ref().take(5).collect::<Vec<_>>(), [0, 1, 4, 5, 8]);
/// assert_eq!(offsets.size_hint(), (10, Some(10)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Offsets<'r> {
    rows: &'r OffsetRows,
    /// The number of the element after those that are ready.
    next: usize,
    /// Offsets that are ready, and how many of them are taken.
    ready: Vec<i64>,
    taken: usize,
}

impl Offsets<'_> {
    /// How many elements there are that are not taken.
    fn n_left(&self) -> usize {
        let ready = self.ready.len().saturating_sub(self.taken);
        self.rows.n_elements().saturating_sub(self.next).saturating_add(ready)
    }
}

/// Replaces a list by the offsets from an element on, as many as an iterator has ready. Says which
/// element comes after them.
///
/// All is passed by value: an iterator of which nothing is pointed at is kept in registers.
#[inline(never)]
fn make_ready(rows: &OffsetRows, from: usize, mut ready: Vec<i64>) -> (Vec<i64>, usize) {
    let count = rows.n_elements().saturating_sub(from).min(AHEAD);
    ready.resize(count, 0);
    rows.fill_from(from, &mut ready);
    (ready, from + count)
}

impl Iterator for Offsets<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        if let Some(&offset) = self.ready.get(self.taken) {
            self.taken += 1;
            return Some(offset);
        }
        let ready = std::mem::take(&mut self.ready);
        (self.ready, self.next) = make_ready(self.rows, self.next, ready);
        self.taken = 1;
        self.ready.first().copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        size_hint(i64::try_from(self.n_left()).unwrap_or(i64::MAX))
    }

    fn nth(&mut self, n: usize) -> Option<i64> {
        let n_ready = self.ready.len().saturating_sub(self.taken);
        if n >= n_ready {
            self.next = self.next.saturating_add(n - n_ready);
        }
        self.taken += n.min(n_ready);
        self.next()
    }

    fn fold<B, F: FnMut(B, i64) -> B>(self, init: B, mut f: F) -> B {
        let Offsets { rows, mut next, mut ready, taken } = self;
        let mut folded = ready.iter().skip(taken).copied().fold(init, &mut f);
        while let Some((start, places)) = rows.as_sums(next) {
            folded = places.iter().map(|place| start + place).fold(folded, &mut f);
            next += places.len();
        }
        loop {
            (ready, next) = make_ready(rows, next, ready);
            if ready.is_empty() {
                return folded;
            }
            folded = ready.iter().copied().fold(folded, &mut f);
        }
    }
}

impl FusedIterator for Offsets<'_> {}

impl<'r> IntoIterator for &'r OffsetRows {
    type Item = i64;
    type IntoIter = Offsets<'r>;

    fn into_iter(self) -> Offsets<'r> {
        self.iter()
    }
}
