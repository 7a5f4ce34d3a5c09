//! Every answer by its definition: look at each element.

use std::collections::{BTreeMap, BTreeSet};

use tilewright::IndexMap;

/// All elements of a map in row-major order.
pub(crate) struct Brute {
    pub(crate) dims: Vec<i64>,
    pub(crate) indices: Vec<Vec<i64>>,
    pub(crate) offsets: Vec<i64>,
    memory: std::ops::Range<i64>,
}

impl Brute {
    pub(crate) fn of(map: &IndexMap) -> Brute {
        let mut indices = vec![vec![]];
        for &size in map.dims() {
            let longer = |index: Vec<i64>| (0..size).map(move |i| [&index[..], &[i]].concat());
            indices = indices.into_iter().flat_map(longer).collect();
        }
        let offsets = indices.iter().map(|index| map.offset(index).unwrap()).collect();
        let memory = map.lowest_offset()..map.lowest_offset() + map.allocation();
        Brute { dims: map.dims().to_vec(), indices, offsets, memory }
    }

    /// The numbers of the elements at each offset.
    pub(crate) fn at_offsets(&self) -> BTreeMap<i64, Vec<usize>> {
        let mut at: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (number, &offset) in self.offsets.iter().enumerate() {
            at.entry(offset).or_default().push(number);
        }
        at
    }

    /// The first element whose offset an earlier one has, after that one.
    pub(crate) fn first_alias(&self) -> Option<[Vec<i64>; 2]> {
        let mut first_at = BTreeMap::new();
        for (index, offset) in self.indices.iter().zip(&self.offsets) {
            if let Some(first) = first_at.insert(offset, index) {
                return Some([first.clone(), index.clone()]);
            }
        }
        None
    }

    /// Offsets of memory without an element.
    pub(crate) fn gaps(&self) -> Vec<i64> {
        let used: BTreeSet<i64> = self.offsets.iter().copied().collect();
        assert!(used.iter().all(|offset| self.memory.contains(offset)), "outside memory");
        self.memory.clone().filter(|offset| !used.contains(offset)).collect()
    }

    /// Whether in groups of `n` along `dim` elements lie one after the other, and each group
    /// begins at a multiple of `unit`.
    fn groups_run(&self, dim: usize, n: i64, unit: i64) -> bool {
        let step: usize = self.dims[dim + 1..].iter().map(|&size| size as usize).product();
        self.indices.iter().zip(&self.offsets).enumerate().all(|(number, (index, offset))| {
            let place = index[dim] % n;
            let first = self.offsets[number - place as usize * step];
            first % unit == 0 && *offset == first + place
        })
    }

    pub(crate) fn contiguity(&self, dim: usize) -> i64 {
        (1..=self.dims[dim]).rev().find(|&n| self.groups_run(dim, n, 1)).unwrap()
    }

    pub(crate) fn vector_width(&self, dim: usize) -> i64 {
        let powers = (0..63).map(|log| 1i64 << log).take_while(|&n| n <= self.dims[dim]);
        powers.filter(|&n| self.groups_run(dim, n, n)).max().unwrap()
    }

    /// For each element of a permutation, the length of its cycle.
    pub(crate) fn cycle_lengths(&self) -> Vec<i64> {
        let next = |number: i64| self.offsets[number as usize] - self.memory.start;
        (0..self.offsets.len() as i64)
            .map(|start| {
                let (mut place, mut length) = (next(start), 1);
                while place != start {
                    (place, length) = (next(place), length + 1);
                }
                length
            })
            .collect()
    }

    /// Whether the offsets have an even number of inversions.
    pub(crate) fn is_even(&self) -> bool {
        let inversions = self.offsets.iter().enumerate().map(|(number, offset)| {
            self.offsets[number + 1..].iter().filter(|&later| later < offset).count()
        });
        inversions.sum::<usize>() % 2 == 0
    }
}
