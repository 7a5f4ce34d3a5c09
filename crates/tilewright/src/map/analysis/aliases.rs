//! Elements that share an offset.

use std::fmt;

use super::super::IndexMap;
use super::Sharing;
use super::sharing::counted;
use crate::error::Error;

/// Two elements that share an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Their indices, in row-major order.
    pub indices: [Vec<i64>; 2],
    /// The offset they share, in elements.
    pub offset: i64,
}

/// The elements at one offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasGroup {
    /// The offset they share, in elements.
    pub offset: i64,
    /// How many they are: 2 or more.
    pub elements: i64,
    /// The indices of the first of them, in row-major order.
    pub indices: Vec<Vec<i64>>,
}

/// The offsets that several elements share, from [`IndexMap::aliases`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aliases {
    /// How many offsets have how many elements, those with one included.
    pub sharing: Sharing,
    /// The first of the offsets with more than one element, rising.
    pub groups: Vec<AliasGroup>,
}

impl IndexMap {
    /// The first element, in row-major order, that lies where an earlier one does, and that
    /// earlier one; `None` where every element has an offset of its own.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let alias = IndexMap::from_tla(&"(4,8):(1,3)".parse()?)?.first_alias()?.unwrap();
    /// assert_eq!(alias.indices, [[0, 1], [3, 0]]);
    /// assert_eq!(alias.to_string(), "(0,1) and (3,0) share offset 3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If dimensions of more than 2²⁴ elements together would have to be looked at one by one,
    /// and no two of the first 2²⁴ share an offset.
    pub fn first_alias(&self) -> Result<Option<Alias>, Error> {
        // Of two elements that share an offset, the later one comes no earlier in any part than
        // that part's first alias does: the first of those is the first of all.
        let mut first: Option<[Vec<i64>; 2]> = None;
        for part in self.parts_that_may_share() {
            let Some(pair) = part.first_alias(self)? else { continue };
            if first.as_ref().is_none_or(|first| pair[1] < first[1]) {
                first = Some(pair);
            }
        }
        Ok(first.map(|indices| Alias { offset: self.offset_unchecked(&indices[0]), indices }))
    }

    /// The offsets that several elements share: the first `max_groups` of them, with the first
    /// `max_indices` elements each.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let aliases = IndexMap::from_tla(&"(2,3):(0,1)".parse()?)?.aliases(1, 8)?;
    /// assert_eq!(aliases.groups[0].indices, [[0, 0], [1, 0]]);
    /// assert_eq!(aliases.sharing.shared_offsets(), 3);
    /// assert_eq!(aliases.to_string(), "3 offsets with 2 elements\n0: (0,0) (1,0)\n…");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`sharing`](Self::sharing), and if some elements do share offsets and there are more
    /// than 2²⁴ elements.
    pub fn aliases(&self, max_groups: usize, max_indices: usize) -> Result<Aliases, Error> {
        let sharing = self.sharing()?;
        if max_groups == 0 || sharing.shared_offsets() == 0 {
            return Ok(Aliases { sharing, groups: Vec::new() });
        }
        let offsets = self.enumerated()?;
        let mut numbers: Vec<usize> = (0..offsets.len()).collect();
        numbers.sort_unstable_by_key(|&number| (offsets[number], number));
        let groups = numbers.chunk_by(|&a, &b| offsets[a] == offsets[b]);
        let groups = groups.filter(|group| group.len() > 1).take(max_groups).map(|group| {
            let indices = group.iter().take(max_indices).map(|&n| self.index_of_number(n));
            AliasGroup {
                offset: offsets[group[0]],
                elements: i64::try_from(group.len()).unwrap_or(i64::MAX),
                indices: indices.collect(),
            }
        });
        Ok(Aliases { groups: groups.collect(), sharing })
    }
}

/// `(1,0)`
fn tuple(index: &[i64]) -> String {
    let numbers: Vec<String> = index.iter().map(i64::to_string).collect();
    format!("({})", numbers.join(","))
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.indices;
        write!(f, "{} and {} share offset {}", tuple(a), tuple(b), self.offset)
    }
}

impl fmt::Display for AliasGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.offset)?;
        self.indices.iter().try_for_each(|index| write!(f, " {}", tuple(index)))?;
        let listed = i64::try_from(self.indices.len()).unwrap_or(i64::MAX);
        if listed < self.elements {
            write!(f, " … ({} in all)", counted(self.elements, "element"))?;
        }
        Ok(())
    }
}

impl fmt::Display for Aliases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sharing)?;
        self.groups.iter().try_for_each(|group| write!(f, "\n{group}"))?;
        let listed = i64::try_from(self.groups.len()).unwrap_or(i64::MAX);
        if listed < self.sharing.shared_offsets() {
            f.write_str("\n…")?;
        }
        Ok(())
    }
}
