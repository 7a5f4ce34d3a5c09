//! Offsets of listed elements by looking up what each dimension adds.
//!
//! One addition for each of up to four dimensions, however often they are cut. That is quicker than
//! [`products`](super::products) where there would be many of these, as long as the nearest cache
//! holds the tables: their entries are half as wide as offsets, so that it holds two of 4096.

use super::offset_tables::table;
use super::{IndexMap, Source};
use crate::error::Error;

/// The most dimensions.
const MAX_RANK: usize = 4;

/// What each value of each dimension adds.
#[derive(Clone, Debug)]
pub(super) struct DimTables {
    base: i64,
    of_dims: Vec<Vec<i32>>,
}

impl DimTables {
    /// `None` unless the map is a sum of up to four tables of this length at most.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub(super) fn of(map: &IndexMap, longest: i64) -> Result<Option<Self>, Error> {
        let is_short = map.dims.iter().all(|extent| *extent <= longest);
        if !map.is_separable() || !is_short || !(1..=MAX_RANK).contains(&map.dims.len()) {
            return Ok(None);
        }
        let mut of_dims = Vec::with_capacity(map.dims.len());
        for (dim, &extent) in map.dims.iter().enumerate() {
            let extent = usize::try_from(extent).unwrap_or(0);
            let mut entries = table(&map.digits, Source::Dim(dim), extent, 1)?;
            // A table of zeros is still what checks bounds.
            entries.resize(extent, 0);
            let narrow = entries.iter().map(|entry| i32::try_from(*entry).ok());
            let Some(narrow) = narrow.collect() else { return Ok(None) };
            of_dims.push(narrow);
        }
        Ok(Some(DimTables { base: map.base, of_dims }))
    }

    /// The offsets of some elements, whose indices follow each other. `None` if one is out of
    /// bounds.
    pub(super) fn look_up<I: Copy + Into<i64>>(
        &self,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Option<()> {
        match self.of_dims.as_slice() {
            [a] => add_all([a], self.base, indices, offsets),
            [a, b] => add_all([a, b], self.base, indices, offsets),
            [a, b, c] => add_all([a, b, c], self.base, indices, offsets),
            [a, b, c, d] => add_all([a, b, c, d], self.base, indices, offsets),
            _ => None,
        }
    }
}

fn add_all<const RANK: usize, I: Copy + Into<i64>>(
    tables: [&Vec<i32>; RANK],
    base: i64,
    indices: &[I],
    offsets: &mut [i64],
) -> Option<()> {
    let tables = tables.map(Vec::as_slice);
    for (index, offset) in indices.as_chunks::<RANK>().0.iter().zip(offsets) {
        let mut sum = base;
        for (table, &value) in tables.iter().zip(index) {
            let entry = *table.get(usize::try_from(value.into()).ok()?)?;
            sum = sum.wrapping_add(entry.into());
        }
        *offset = sum;
    }
    Some(())
}
