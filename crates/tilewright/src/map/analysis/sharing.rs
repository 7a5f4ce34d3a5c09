//! How many elements share an offset.

use std::collections::BTreeMap;
use std::fmt;

use super::super::IndexMap;
use super::MAX_ENUMERATED;
use crate::error::Error;

/// How many offsets have how many elements.
///
/// ```
/// use tilewright::IndexMap;
/// let sharing = IndexMap::from_tla(&"(4,2):(1,2)".parse()?)?.sharing()?;
/// assert_eq!(sharing.counts().collect::<Vec<_>>(), [(1, 4), (2, 2)]); // offsets 2 and 3 twice
/// assert_eq!(sharing.to_string(), "4 offsets with 1 element, 2 with 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    counts: BTreeMap<i64, i64>,
}

impl IndexMap {
    /// How many offsets have how many elements. Offsets with none are left out.
    ///
    /// # Errors
    /// If dimensions of more than 2²⁴ elements together would have to be looked at one by one,
    /// or offsets have more different numbers of elements than that.
    pub fn sharing(&self) -> Result<Sharing, Error> {
        let mut counts = BTreeMap::from([(1, i64::from(self.elements > 0))]);
        for part in self.independent_parts() {
            let of_part = part.counts()?;
            let n_products = counts.len().saturating_mul(of_part.len());
            if i64::try_from(n_products).unwrap_or(i64::MAX) > MAX_ENUMERATED {
                return Err(self.too_large());
            }
            counts = products(&counts, &of_part);
        }
        counts.retain(|_, offsets| *offsets > 0);
        Ok(Sharing { counts })
    }

    /// The number of offsets that have an element: the size of the map's image.
    ///
    /// # Errors
    /// As [`sharing`](Self::sharing).
    pub fn distinct_offsets(&self) -> Result<i64, Error> {
        let mut distinct = i64::from(self.elements > 0);
        for part in self.independent_parts() {
            distinct *= part.counts()?.values().sum::<i64>();
        }
        Ok(distinct)
    }
}

/// The counts of two parts together: each value of one goes with each of the other.
fn products(a: &BTreeMap<i64, i64>, b: &BTreeMap<i64, i64>) -> BTreeMap<i64, i64> {
    let mut counts = BTreeMap::new();
    for (elements_a, offsets_a) in a {
        for (elements_b, offsets_b) in b {
            *counts.entry(elements_a * elements_b).or_insert(0) += offsets_a * offsets_b;
        }
    }
    counts
}

impl Sharing {
    /// Pairs of a number of elements, rising, and how many offsets have that many.
    pub fn counts(&self) -> impl Iterator<Item = (i64, i64)> {
        self.counts.iter().map(|(&elements, &offsets)| (elements, offsets))
    }

    /// The number of offsets that have an element.
    pub fn distinct_offsets(&self) -> i64 {
        self.counts.values().sum()
    }

    /// The number of offsets that have more than one element.
    pub fn shared_offsets(&self) -> i64 {
        self.counts.range(2..).map(|(_, offsets)| offsets).sum()
    }

    /// The most elements that an offset has; 0 where there are no elements.
    pub fn most(&self) -> i64 {
        self.counts.last_key_value().map_or(0, |(&elements, _)| elements)
    }

    /// The number of elements that every offset has, if it is the same for all: above 1 for a
    /// broadcast.
    pub fn uniform(&self) -> Option<i64> {
        (self.counts.len() == 1).then(|| self.most())
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.counts.is_empty() {
            return f.write_str("no elements");
        }
        for (place, (elements, offsets)) in self.counts().enumerate() {
            match place {
                0 => write!(
                    f,
                    "{} with {}",
                    counted(offsets, "offset"),
                    counted(elements, "element")
                )?,
                _ => write!(f, ", {offsets} with {elements}")?,
            }
        }
        Ok(())
    }
}

/// `1 offset`, `2 offsets`.
pub(super) fn counted(number: i64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
