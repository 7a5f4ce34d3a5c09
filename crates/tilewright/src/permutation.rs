//! Permutations of dimension numbers.

use std::fmt;
use std::ops::Deref;

use crate::error::{Error, Kind};

/// A rearrangement of `0..n`: each number exactly once.
///
/// Reads as the list of where each position takes from: `permute(values)[i] == values[perm[i]]`.
///
/// ```
/// use tilewright::Permutation;
/// let perm = Permutation::new([2, 0, 1])?;
/// assert_eq!(perm.permute(&["a", "b", "c"]), ["c", "a", "b"]);
/// assert_eq!(perm.inverse().permute(&["c", "a", "b"]), ["a", "b", "c"]);
/// assert!(Permutation::new([0, 0, 1]).is_err());
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Permutation(Vec<usize>);

impl Permutation {
    /// The permutation with these entries.
    ///
    /// # Errors
    /// If a number is missing, repeated or too large.
    pub fn new(entries: impl Into<Vec<usize>>) -> Result<Self, Error> {
        let entries = entries.into();
        let mut seen = vec![false; entries.len()];
        for &entry in &entries {
            let reason = match seen.get_mut(entry) {
                Some(seen) if !*seen => {
                    *seen = true;
                    continue;
                }
                Some(_) => format!("{entry} appears twice"),
                None => format!("{entry} is not below {}", entries.len()),
            };
            return Err(Error::new(Kind::NotAPermutation { reason }));
        }
        Ok(Permutation(entries))
    }

    /// `0, 1, …, n-1`.
    pub fn identity(n: usize) -> Self {
        Permutation((0..n).collect())
    }

    /// `n-1, …, 1, 0`.
    pub fn reversal(n: usize) -> Self {
        Permutation((0..n).rev().collect())
    }

    /// Every permutation of `n` numbers, the identity first: `n!` of them.
    pub(crate) fn all(n: usize) -> Vec<Self> {
        let mut all = vec![Vec::new()];
        for number in 0..n {
            all = all.iter().flat_map(|shorter| with_everywhere(shorter, number)).collect();
        }
        all.into_iter().map(Permutation).collect()
    }

    /// The permutation that undoes this one.
    pub fn inverse(&self) -> Self {
        let mut inverse = vec![0; self.len()];
        for (position, &entry) in self.iter().enumerate() {
            inverse[entry] = position;
        }
        Permutation(inverse)
    }

    /// First `inner`, then `self`: `result[i] == inner[self[i]]`.
    ///
    /// # Errors
    /// If the lengths differ.
    pub fn after(&self, inner: &Permutation) -> Result<Self, Error> {
        if self.len() != inner.len() {
            return Err(Error::new(Kind::RankMismatch {
                what: "the permutation",
                expected: inner.len(),
                found: self.len(),
            }));
        }
        Ok(Permutation(self.permute(inner)))
    }

    /// The same numbers in the opposite order.
    pub fn reversed(&self) -> Self {
        Permutation(self.iter().rev().copied().collect())
    }

    /// `values` rearranged: entry `i` is `values[self[i]]`. Missing values are left out.
    pub fn permute<T: Clone>(&self, values: &[T]) -> Vec<T> {
        self.iter().filter_map(|&from| values.get(from).cloned()).collect()
    }

    /// Whether nothing moves.
    pub fn is_identity(&self) -> bool {
        self.iter().enumerate().all(|(position, &entry)| position == entry)
    }

    /// Whether the numbers only fall.
    pub fn is_reversal(&self) -> bool {
        self.iter().rev().enumerate().all(|(position, &entry)| position == entry)
    }

    /// The entries.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }

    /// The permutation of the entries that are kept, numbered anew in their order.
    pub(crate) fn kept(&self, kept: &[bool]) -> Self {
        let numbers = numbers_of_kept(kept.iter().copied());
        Permutation(
            self.iter().filter_map(|&entry| numbers.get(entry).copied().flatten()).collect(),
        )
    }

    /// The permutation without `entry`, the larger entries one less.
    pub(crate) fn without(&self, entry: usize) -> Self {
        let kept = self.iter().filter(|&&e| e != entry);
        Permutation(kept.map(|&e| if e > entry { e - 1 } else { e }).collect())
    }

    /// The permutation with a new number `entry` at `position`, entries from `entry` on one more.
    pub(crate) fn with(&self, position: usize, entry: usize) -> Self {
        let mut entries: Vec<usize> =
            self.iter().map(|&e| if e >= entry { e + 1 } else { e }).collect();
        entries.insert(position, entry);
        Permutation(entries)
    }
}

/// What is kept numbered from 0, and nothing for the rest.
pub(crate) fn numbers_of_kept(kept: impl Iterator<Item = bool>) -> Vec<Option<usize>> {
    let mut n_before = 0;
    kept.map(|is_kept| {
        let number = n_before;
        n_before += usize::from(is_kept);
        is_kept.then_some(number)
    })
    .collect()
}

/// The list with a number put in at each place, from the end on.
fn with_everywhere(list: &[usize], number: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..=list.len()).rev().map(move |place| {
        let mut longer = list.to_vec();
        longer.insert(place, number);
        longer
    })
}

impl Deref for Permutation {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl fmt::Debug for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
