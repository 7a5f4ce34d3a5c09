//! Moving element by element: the last resort, where there would be too many boxes.
//!
//! Both maps say the offsets of a block of elements after the other, in logical row-major order, and
//! elements are read and written one by one. The destination is one chunk and one thread's work.
//! Neither the tables of the maps nor the blocks grow with the array. The first run makes the tables,
//! which takes far longer than to plan.

use crate::bits;
use crate::error::Error;
use crate::widths::Widths;
use std::sync::{Arc, OnceLock};
use tilewright::IndexMap;
use tilewright::map::{Merged, OffsetLookup};

/// How many elements' offsets are looked up at a time.
const BLOCK: usize = 512;

/// The most bytes of the tables that a map is looked up in, for each source of its digits and each
/// sum that these go into (see [`IndexMap::lookup`]).
const TABLE_BYTES: usize = 1 << 20;

/// Two maps to look offsets up in, and how elements are moved.
#[derive(Clone, Debug)]
pub(crate) struct ElementMoves {
    dims: Vec<i64>,
    maps: Arc<[IndexMap; 2]>,
    /// The tables of the two maps, as soon as there has been a run.
    lookups: Arc<OnceLock<[OffsetLookup; 2]>>,
    widths: Widths,
    allocation: usize,
    table_bytes: usize,
    n_sums: usize,
}

impl ElementMoves {
    pub(crate) fn new(from: &IndexMap, to: &IndexMap, widths: Widths) -> Self {
        ElementMoves {
            dims: from.dims().to_vec(),
            maps: Arc::new([from.clone(), to.clone()]),
            lookups: Arc::default(),
            widths,
            allocation: usize::try_from(to.allocation()).unwrap_or(usize::MAX),
            table_bytes: most_table_bytes(from).saturating_add(most_table_bytes(to)),
            n_sums: 2 + from.merged().len() + to.merged().len(),
        }
    }

    /// The tables of the two maps. Of several threads that make them at once one makes those that stay.
    fn lookups(&self) -> Result<&[OffsetLookup; 2], Error> {
        if let Some(lookups) = self.lookups.get() {
            return Ok(lookups);
        }
        let [from, to] = &*self.maps;
        let made = [from.lookup()?, to.lookup()?];
        Ok(self.lookups.get_or_init(|| made))
    }

    /// The most bytes that the maps' tables take.
    pub(crate) fn held_bytes(&self) -> usize {
        self.table_bytes
    }

    /// The most bytes that a run allocates: for a block of elements their indices and offsets, and
    /// what the maps work out on the way to these; and the tables, if it is the first.
    pub(crate) fn scratch_bytes(&self) -> usize {
        let of_a_block = BLOCK * size_of::<i64>() * (self.dims.len() + 2 + 4 * self.n_sums);
        of_a_block.saturating_add(self.table_bytes)
    }

    /// Writes the whole destination, padding included.
    ///
    /// # Errors
    /// If there is no memory for the tables of a map.
    pub(crate) fn run(&self, src: &[u8], dst: &mut [u8], pad: u128) -> Result<(), Error> {
        bits::fill(dst, pad, self.widths.to, self.allocation);
        let [from_lookup, to_lookup] = self.lookups()?;
        let mut indices = Indices::new(&self.dims);
        let (mut from, mut to) = ([0; BLOCK], [0; BLOCK]);
        while let Some((count, block)) = indices.next_block() {
            let (from, to) = (&mut from[..count], &mut to[..count]);
            from_lookup.offsets_at(block, from)?;
            to_lookup.offsets_at(block, to)?;
            self.move_block(src, dst, from.iter().zip(to.iter()));
        }
        Ok(())
    }

    /// Moves elements from offsets to offsets.
    fn move_block<'o>(
        &self,
        src: &[u8],
        dst: &mut [u8],
        offsets: impl Iterator<Item = (&'o i64, &'o i64)>,
    ) {
        match self.widths.to {
            8 if self.widths.are_equal() => move_units::<1>(offsets, src, dst),
            16 if self.widths.are_equal() => move_units::<2>(offsets, src, dst),
            32 if self.widths.are_equal() => move_units::<4>(offsets, src, dst),
            64 if self.widths.are_equal() => move_units::<8>(offsets, src, dst),
            128 if self.widths.are_equal() => move_units::<16>(offsets, src, dst),
            _ => offsets.for_each(|(&from, &to)| {
                let element = self.widths.read(src, from as usize);
                self.widths.write(dst, to as usize, element);
            }),
        }
    }
}

/// The most bytes of the tables that a map is looked up in. A source adds to the offset and to each
/// merged coordinate; it has an entry for each of its values, or none where it has too many.
fn most_table_bytes(map: &IndexMap) -> usize {
    let extents = map.dims().iter().copied().chain(map.merged().iter().map(Merged::extent));
    let table = |extent: i64| (extent.unsigned_abs() as usize).saturating_mul(size_of::<i64>());
    let tables = extents.map(|extent| table(extent).min(TABLE_BYTES));
    let n_sums = 1 + map.merged().len();
    tables.fold(0, usize::saturating_add).saturating_mul(n_sums)
}

fn move_units<'o, const N: usize>(
    offsets: impl Iterator<Item = (&'o i64, &'o i64)>,
    src: &[u8],
    dst: &mut [u8],
) {
    let (src, dst) = (src.as_chunks::<N>().0, dst.as_chunks_mut::<N>().0);
    for (&from, &to) in offsets {
        if let (Some(from), Some(to)) = (src.get(from as usize), dst.get_mut(to as usize)) {
            *to = *from;
        }
    }
}

/// The indices of an array's elements in row-major order, block by block.
struct Indices<'a> {
    dims: &'a [i64],
    /// The index of the element that comes next.
    next: Vec<i64>,
    /// How many elements are left.
    left: i64,
    block: Vec<i64>,
}

impl<'a> Indices<'a> {
    fn new(dims: &'a [i64]) -> Self {
        let (next, left) = (vec![0; dims.len()], dims.iter().product());
        Indices { dims, next, left, block: Vec::with_capacity(BLOCK * dims.len()) }
    }

    /// How many elements come next, [`BLOCK`] of them or fewer at the end, and their indices one
    /// after the other.
    fn next_block(&mut self) -> Option<(usize, &[i64])> {
        self.block.clear();
        let count = self.left.min(BLOCK as i64);
        self.left -= count;
        for _ in 0..count {
            self.block.extend_from_slice(&self.next);
            self.step();
        }
        (count > 0).then_some((count as usize, &self.block))
    }

    /// Goes on to the next element.
    fn step(&mut self) {
        for (index, &extent) in self.next.iter_mut().zip(self.dims).rev() {
            *index += 1;
            if *index < extent {
                return;
            }
            *index = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_in_row_major_order() {
        let mut indices = Indices::new(&[3, 2, 200]);
        let mut all: Vec<Vec<i64>> = Vec::new();
        while let Some((count, block)) = indices.next_block() {
            assert!(count <= BLOCK && block.len() == 3 * count);
            all.extend(block.chunks(3).map(<[i64]>::to_vec));
        }
        assert_eq!(all.len(), 1200);
        assert_eq!(all[..2], [[0, 0, 0], [0, 0, 1]]);
        assert_eq!([&all[200], &all[1199]], [&[0, 1, 0], &[2, 1, 199]]);
        assert!(all.is_sorted());
        assert_eq!(Indices::new(&[3, 0]).next_block(), None);
        assert_eq!(Indices::new(&[]).next_block(), Some((1, &[][..])));
    }
}
