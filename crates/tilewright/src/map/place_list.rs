//! The element at every place of an allocation, listed.

use super::IndexMap;
use crate::error::{Error, Kind};

/// The longest dimension whose indices fit an entry with a bit to spare.
const MAX_EXTENT: i64 = 1 << 30;

/// What each number of an index is where there is padding.
const PADDING: i32 = -1;

/// The index of the element at each place, from the lowest offset on. For any map: where elements
/// share a place, it is the first's.
#[derive(Clone, Debug)]
pub(super) struct PlaceList {
    lowest: i64,
    rank: usize,
    /// As many numbers as there are dimensions for each place.
    entries: Vec<i32>,
}

impl PlaceList {
    /// # Errors
    /// If there is no memory for it.
    pub(super) fn of(map: &IndexMap) -> Result<Self, Error> {
        let rank = map.dims.len();
        let mut list = PlaceList { lowest: map.lowest_offset, rank, entries: entries(map)? };
        let mut index = vec![0; rank];
        for offset in &map.rows()? {
            let entry = list.entry_mut(offset).filter(|entry| entry.first() == Some(&PADDING));
            if let Some(entry) = entry {
                entry.copy_from_slice(&index);
            }
            count_up(&mut index, &map.dims);
        }
        Ok(list)
    }

    /// Whether a list can hold the indices of an array of these dims.
    pub(super) fn can_hold(dims: &[i64]) -> bool {
        dims.iter().all(|&extent| extent <= MAX_EXTENT)
    }

    /// The indices at some offsets, one after the other, -1 throughout where there is padding. `None`
    /// if an offset is outside the allocation.
    pub(super) fn look_up<O: Copy + Into<i64>>(
        &self,
        offsets: &[O],
        indices: &mut [i64],
    ) -> Option<()> {
        match self.rank {
            // The same, each with loops over the dimensions unrolled.
            1 => self.look_up_each(1, offsets, indices),
            2 => self.look_up_each(2, offsets, indices),
            3 => self.look_up_each(3, offsets, indices),
            rank => self.look_up_each(rank, offsets, indices),
        }
    }

    #[inline(always)]
    fn look_up_each<O: Copy + Into<i64>>(
        &self,
        rank: usize,
        offsets: &[O],
        indices: &mut [i64],
    ) -> Option<()> {
        for (index, &offset) in indices.chunks_exact_mut(rank.max(1)).zip(offsets) {
            let start = self.start(offset.into(), rank)?;
            let entry = self.entries.get(start..start + rank)?;
            index.iter_mut().zip(entry).for_each(|(value, part)| *value = (*part).into());
        }
        Some(())
    }

    fn entry_mut(&mut self, offset: i64) -> Option<&mut [i32]> {
        let start = self.start(offset, self.rank)?;
        self.entries.get_mut(start..start + self.rank)
    }

    /// Where the entry of an offset begins, if that offset is in the allocation.
    #[inline(always)]
    fn start(&self, offset: i64, rank: usize) -> Option<usize> {
        let place = usize::try_from(offset.wrapping_sub(self.lowest) as u64).ok()?;
        place.checked_mul(rank).filter(|start| *start < self.entries.len())
    }
}

/// Entries of padding for every place.
fn entries(map: &IndexMap) -> Result<Vec<i32>, Error> {
    let none = || Error::new(Kind::Memory { what: "a table of indices" });
    let length = usize::try_from(map.allocation).ok();
    let length = length.and_then(|length| length.checked_mul(map.dims.len())).ok_or_else(none)?;
    let mut entries = Vec::new();
    entries.try_reserve_exact(length).map_err(|_| none())?;
    entries.resize(length, PADDING);
    Ok(entries)
}

/// The next index in row-major order.
fn count_up(index: &mut [i32], dims: &[i64]) {
    for (value, extent) in index.iter_mut().zip(dims).rev() {
        *value += 1;
        if i64::from(*value) < *extent {
            return;
        }
        *value = 0;
    }
}
