//! Which dimensions merged coordinates tie together.
//!
//! An offset is a sum over digits, each of one source. Dimensions that no merged coordinate takes together, directly
//! or by way of others, add to it independently of each other:
//!
//! ```text
//! offset(i) = offset(0) + Σ f(dimensions of a group)        each f(0) = 0
//! ```
//!
//! So what is asked of all elements is asked of one group at a time: their elements add up and do not multiply. In
//! `f32[2000,2000]{1,0:T(98,98)(35,35)}` each tile of 35 straddles the pieces of one dimension: two groups of 2000, and
//! none of four million.

use super::{IndexMap, Source};

impl IndexMap {
    /// The groups of dimensions that merged coordinates are made of, each as whether a dimension is in it.
    pub(super) fn merged_groups(&self) -> Vec<Vec<bool>> {
        let rank = self.dims.len();
        let mut parents: Vec<usize> = (0..rank + self.merged.len()).collect();
        for (number, coordinate) in self.merged.iter().enumerate() {
            for digit in &coordinate.digits {
                let source = match digit.source {
                    Source::Dim(dim) => dim,
                    Source::Merged(inner) => rank + inner,
                };
                let [one, other] = [rank + number, source].map(|node| root(&mut parents, node));
                parents[one.max(other)] = one.min(other);
            }
        }
        let merged = self.merged_dims(self);
        let mut groups: Vec<(usize, Vec<bool>)> = Vec::new();
        for dim in (0..rank).filter(|&dim| merged[dim]) {
            // The root of a group is its first dimension, which comes before the others.
            let first = root(&mut parents, dim);
            if first == dim {
                groups.push((dim, vec![false; rank]));
            }
            if let Ok(place) = groups.binary_search_by_key(&first, |group| group.0) {
                groups[place].1[dim] = true;
            }
        }
        groups.into_iter().map(|(_, is_in)| is_in).collect()
    }
}

/// The node that stands for all that are tied to this one; the ways to it get shorter.
fn root(parents: &mut [usize], mut node: usize) -> usize {
    while parents[node] != node {
        parents[node] = parents[parents[node]];
        node = parents[node];
    }
    node
}
