//! Layouts of merged dimensions: where a mode of the layout is several dimensions linearised.

use tilewright::map::{Fitted, fit};
use tilewright::{Error, IndexMap, Permutation};

/// Up to so many dimensions all ways to merge are tried (there are 73 of four dimensions); of more
/// only neighbours are merged.
const MAX_RANK_TRIED: usize = 4;

/// Dimensions merged, and the layout over what they are merged to.
pub(crate) struct Merging {
    pub(crate) groups: Vec<Vec<usize>>,
    pub(crate) dims: Vec<i64>,
    pub(crate) fitted: Fitted,
}

/// The way to merge dimensions that leaves most of them and has a layout, if one has.
pub(crate) fn find(dims: &[i64], offsets: &[i64]) -> Result<Option<Merging>, Error> {
    for groups in ways(dims) {
        let order: Vec<usize> = groups.iter().flatten().copied().collect();
        let merged: Vec<i64> = groups.iter().map(|group| product(dims, group)).collect();
        if let Ok(fitted) = fit(&merged, &reordered(dims, offsets, &order))? {
            return Ok(Some(Merging { groups, dims: merged, fitted }));
        }
    }
    Ok(None)
}

/// A map over merged dimensions as one over the dimensions themselves.
pub(crate) fn spread(
    map: &IndexMap,
    dims: &[i64],
    groups: &[Vec<usize>],
) -> Result<IndexMap, Error> {
    let order = Permutation::new(groups.iter().flatten().copied().collect::<Vec<_>>())?;
    map.reshaped(&order.permute(dims))?.permuted(&order.inverse())
}

fn product(dims: &[i64], group: &[usize]) -> i64 {
    group.iter().filter_map(|dim| dims.get(*dim)).product()
}

/// Ways to put the dimensions into groups, an order within each; most groups first. That each is a
/// group of its own is not among them.
fn ways(dims: &[i64]) -> Vec<Vec<Vec<usize>>> {
    let mut ways = if dims.len() <= MAX_RANK_TRIED {
        all_ways(dims.len())
    } else {
        (1..dims.len()).map(|dim| neighbours(dims.len(), dim)).collect()
    };
    ways.retain(|groups| groups.len() < dims.len());
    ways.sort_by_key(|groups| std::cmp::Reverse(groups.len()));
    ways
}

/// Every dimension in turn: a group of its own, or somewhere in one that there is.
fn all_ways(rank: usize) -> Vec<Vec<Vec<usize>>> {
    let mut ways = vec![Vec::new()];
    for dim in 0..rank {
        ways = ways.iter().flat_map(|groups| with_dim(groups, dim)).collect();
    }
    ways
}

fn with_dim(groups: &[Vec<usize>], dim: usize) -> Vec<Vec<Vec<usize>>> {
    let mut ways = vec![groups.to_vec()];
    if let [way] = &mut ways[..] {
        way.push(vec![dim]);
    }
    for (number, group) in groups.iter().enumerate() {
        for place in (0..=group.len()).rev() {
            let mut longer = group.clone();
            longer.insert(place, dim);
            let mut way = groups.to_vec();
            if let Some(group) = way.get_mut(number) {
                *group = longer;
            }
            ways.push(way);
        }
    }
    ways
}

/// Each dimension alone, but `dim` with the one before it.
fn neighbours(rank: usize, dim: usize) -> Vec<Vec<usize>> {
    let alone = |other: usize| if other == dim { vec![dim - 1, dim] } else { vec![other] };
    (0..rank).filter(|other| other + 1 != dim).map(alone).collect()
}

/// The offsets in row-major order of the dimensions in another order.
pub(crate) fn reordered(dims: &[i64], offsets: &[i64], order: &[usize]) -> Vec<i64> {
    let steps = row_major_steps(dims);
    let pick = |values: &[i64]| -> Vec<i64> {
        order.iter().filter_map(|dim| values.get(*dim)).copied().collect()
    };
    let (sizes, steps) = (pick(dims), pick(&steps));
    let mut places = vec![0i64];
    for (size, step) in sizes.iter().zip(&steps) {
        let along = |place: i64| (0..*size).map(move |index| place + index * step);
        places = places.into_iter().flat_map(along).collect();
    }
    let at = |place: i64| usize::try_from(place).ok().and_then(|place| offsets.get(place));
    places.into_iter().filter_map(at).copied().collect()
}

/// How far apart in row-major order neighbours along each dimension are.
pub(crate) fn row_major_steps(dims: &[i64]) -> Vec<i64> {
    let mut steps: Vec<i64> = dims
        .iter()
        .rev()
        .scan(1i64, |step, size| Some(std::mem::replace(step, step.saturating_mul(*size))))
        .collect();
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_merge_are_tried_once() {
        let counts = [1, 2, 3, 4].map(|rank| all_ways(rank).len());
        assert_eq!(counts, [1, 3, 13, 73]);
        let mut three = all_ways(3);
        three.sort();
        three.dedup();
        assert_eq!(three.len(), 13);
    }

    #[test]
    fn offsets_are_read_in_another_order() {
        assert_eq!(row_major_steps(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(reordered(&[2, 3], &[0, 1, 2, 3, 4, 5], &[1, 0]), [0, 3, 1, 4, 2, 5]);
    }
}
