//! Offsets of listed elements, source by source.
//!
//! A block of elements goes through the map together: a column of numbers for each dimension, then
//! one for each merged coordinate in turn, and a column of sums. What a source adds to a sum is worked
//! out ([`Terms`]). `f32[7,9]{1,0:T(*,8)(2,1)}` has the merged coordinate `m = i0*9 + i1`, a sum of two
//! columns, of which the offset is another sum.

use super::terms::Terms;
use super::word::{BLOCK, Bounds, Column, Word};
use super::{Digit, IndexMap, Source};

/// What each source of a map adds to each of its sums.
#[derive(Clone, Debug)]
pub(super) struct Sums<W> {
    of_dims: Vec<Parts<W>>,
    of_merged: MergedSums<W>,
    /// What the sum of offsets begins with, which is less by the lowest of all.
    base: W,
    lowest: i64,
    /// Where each merged coordinate begins.
    bases: Vec<W>,
}

/// What each merged coordinate adds to the later ones and to the offset.
#[derive(Clone, Debug)]
pub(super) struct MergedSums<W> {
    parts: Vec<Parts<W>>,
}

/// What a source adds to the offset, and to each merged coordinate.
#[derive(Clone, Debug)]
struct Parts<W> {
    offset: Terms<W>,
    merged: Vec<Terms<W>>,
}

impl<W: Word> Sums<W> {
    pub(super) fn of(map: &IndexMap) -> Self {
        let of_dims = (0..map.dims.len()).map(|dim| Parts::of(map, Source::Dim(dim)));
        Sums {
            of_dims: of_dims.collect(),
            of_merged: MergedSums::of(map),
            base: W::of(map.base.wrapping_sub(map.lowest_offset) as u64),
            lowest: map.lowest_offset,
            bases: map.merged.iter().map(|coordinate| W::of(coordinate.base as u64)).collect(),
        }
    }
}

impl<W: Word> MergedSums<W> {
    pub(super) fn of(map: &IndexMap) -> Self {
        let parts = (0..map.merged.len()).map(|number| Parts::of(map, Source::Merged(number)));
        MergedSums { parts: parts.collect() }
    }

    /// Adds what merged coordinates add, where all that dimensions add is added.
    pub(super) fn add(&self, merged: &mut [Column<W>], offsets: &mut Column<W>, count: usize) {
        for (number, parts) in self.parts.iter().enumerate() {
            let (earlier, later) = merged.split_at_mut(number + 1);
            let Some(values) = earlier.last().map(|values| &values[..count]) else { continue };
            parts.offset.add(values, offsets);
            for (part, sums) in parts.merged[number + 1..].iter().zip(later) {
                part.add(values, sums);
            }
        }
    }
}

impl<W: Word> Parts<W> {
    fn of(map: &IndexMap, source: Source) -> Self {
        let of = |digits: &[Digit]| Terms::of(map, digits, source);
        let merged = map.merged.iter().map(|coordinate| of(&coordinate.digits));
        Parts { offset: of(&map.digits), merged: merged.collect() }
    }
}

/// The numbers of a block of elements.
struct Block<W> {
    indices: Vec<Column<W>>,
    merged: Vec<Column<W>>,
    offsets: Column<W>,
}

impl<W: Word> Sums<W> {
    /// The offsets of elements, block by block, and in each source by source. `None` if an index is
    /// out of bounds.
    pub(super) fn look_up<I: Copy + Into<i64>>(
        &self,
        dims: &[i64],
        indices: &[I],
        offsets: &mut [i64],
    ) -> Option<()> {
        let zeros = [W::default(); BLOCK];
        let mut block = Block {
            indices: vec![zeros; dims.len()],
            merged: vec![zeros; self.bases.len()],
            offsets: zeros,
        };
        let mut indices = indices;
        for offsets in offsets.chunks_mut(BLOCK) {
            let (of_block, others) = indices.split_at_checked(offsets.len() * dims.len())?;
            indices = others;
            if !block.take_indices(dims, of_block) {
                return None;
            }
            self.add_block(&mut block, offsets.len());
            for (offset, sum) in offsets.iter_mut().zip(&block.offsets) {
                *offset = self.lowest.wrapping_add(sum.number() as i64);
            }
        }
        Some(())
    }

    fn add_block(&self, block: &mut Block<W>, count: usize) {
        let Block { indices, merged, offsets } = block;
        offsets[..count].fill(self.base);
        for (sums, base) in merged.iter_mut().zip(&self.bases) {
            sums[..count].fill(*base);
        }
        for (parts, values) in self.of_dims.iter().zip(indices) {
            parts.offset.add(&values[..count], offsets);
            for (part, sums) in parts.merged.iter().zip(&mut *merged) {
                part.add(&values[..count], sums);
            }
        }
        self.of_merged.add(merged, offsets, count);
    }
}

impl<W: Word> Block<W> {
    /// Takes the indices of some elements, a column for each dimension. Says whether all are in
    /// bounds.
    fn take_indices<I: Copy + Into<i64>>(&mut self, dims: &[i64], indices: &[I]) -> bool {
        match *dims {
            [a] => take_columns([a], indices, &mut self.indices),
            [a, b] => take_columns([a, b], indices, &mut self.indices),
            [a, b, c] => take_columns([a, b, c], indices, &mut self.indices),
            [a, b, c, d] => take_columns([a, b, c, d], indices, &mut self.indices),
            _ => {
                let mut bounds = Bounds::default();
                for (dim, (column, extent)) in self.indices.iter_mut().zip(dims).enumerate() {
                    for (value, index) in column.iter_mut().zip(indices.chunks_exact(dims.len())) {
                        *value =
                            bounds.look_at(index[dim].into() as u64, W::of((extent - 1) as u64));
                    }
                }
                bounds.are_kept()
            }
        }
    }
}

/// Takes indices apart into columns. Says whether all are in bounds.
fn take_columns<const RANK: usize, W: Word, I: Copy + Into<i64>>(
    dims: [i64; RANK],
    indices: &[I],
    columns: &mut [Column<W>],
) -> bool {
    let Some(columns) = columns.first_chunk_mut::<RANK>() else { return false };
    let indices = indices.as_chunks::<RANK>().0;
    let indices = &indices[..indices.len().min(BLOCK)];
    let mut bounds = Bounds::default();
    for place in 0..indices.len() {
        for dim in 0..RANK {
            columns[dim][place] =
                bounds.look_at(indices[place][dim].into() as u64, W::of((dims[dim] - 1) as u64));
        }
    }
    bounds.are_kept()
}
