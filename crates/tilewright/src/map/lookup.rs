//! The offsets of any elements, in any order, many at once.
//!
//! Dividing by a tile for every element is what makes this slow: a processor's division takes as
//! long as twenty additions. No way divides: nearly all maps take a few [products](super::products)
//! an element, a dimension that is cut many times is looked up in a [table](super::dim_tables), and maps
//! with merged coordinates go through blocks of elements source by source ([`sums`](super::sums)).

use super::IndexMap;
use super::dim_tables::DimTables;
use super::products::Products;
use super::sums::Sums;
use crate::arithmetic::check_index;
use crate::error::{Error, Kind};

/// No table has more entries: 1 MiB, which a core's own caches hold.
const MAX_TABLE: i64 = 1 << 17;

/// So few elements are found one by one before anything is prepared for them.
const FEW: usize = 4;

/// A map prepared for the offsets of many elements.
///
/// It is worth keeping where lists of indices come one after the other; for one list there is
/// [`IndexMap::offsets_at`].
///
/// ```
/// use tilewright::Shape;
/// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
/// let lookup = map.lookup()?;
/// let mut offsets = [0; 3];
/// lookup.offsets_at(&[2, 3, 0, 0, 1, 4], &mut offsets)?;
/// assert_eq!(offsets, [17, 0, 10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OffsetLookup {
    dims: Vec<i64>,
    way: Way,
}

/// How offsets are found.
#[derive(Clone, Debug)]
enum Way {
    Products(Products),
    Tables(DimTables),
    /// In words of 32 bits, where all is small enough.
    Narrow(Sums<u32>),
    Wide(Sums<u64>),
}

impl IndexMap {
    /// Prepares for the offsets of many elements. Where dimensions are cut many times they have tables,
    /// unless they are too long for them.
    ///
    /// # Errors
    /// If there is no memory for the tables, a megabyte each at most.
    pub fn lookup(&self) -> Result<OffsetLookup, Error> {
        self.lookup_for(i64::MAX)
    }

    /// The element offsets of some elements. `indices` has the index of each, one after the other,
    /// as many numbers as `offsets` times the rank.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
    /// let mut offsets = [0; 2];
    /// map.offsets_at(&[2, 3, 1, 4], &mut offsets)?; // (2,3) and (1,4)
    /// assert_eq!(offsets, [17, 10]);
    /// let outside = map.offsets_at(&[2, 3, 1, 5], &mut offsets).unwrap_err();
    /// let expected = "entry 1: index 5 is out of bounds for dimension 1, which has 5 elements";
    /// assert_eq!(outside.to_string(), expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `indices` is not as long as that, or an index is out of bounds (the error names the first
    /// one; what `offsets` then holds is not said). If there is no memory for tables.
    pub fn offsets_at<I: Copy + Into<i64>>(
        &self,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Result<(), Error> {
        let rank = self.dims.len();
        if offsets.len() <= FEW && rank > 0 && indices.len() == offsets.len() * rank {
            return self.offsets_of_few(indices, offsets);
        }
        let elements = i64::try_from(offsets.len()).unwrap_or(i64::MAX);
        self.lookup_for(elements)?.offsets_at(indices, offsets)
    }

    fn offsets_of_few<I: Copy + Into<i64>>(
        &self,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Result<(), Error> {
        let mut values = vec![0; self.dims.len()];
        let indices = indices.chunks_exact(values.len());
        for (entry, (index, offset)) in indices.zip(offsets).enumerate() {
            values.iter_mut().zip(index).for_each(|(value, &index)| *value = index.into());
            let found = self.offset(&values);
            *offset = found.map_err(|error| Error::new(Kind::Entry { entry, error }))?;
        }
        Ok(())
    }

    /// Prepares for this many elements: a table longer than that costs more than it saves.
    fn lookup_for(&self, elements: i64) -> Result<OffsetLookup, Error> {
        let way = self.way_of_lookup(MAX_TABLE.min(elements))?;
        Ok(OffsetLookup { dims: self.dims.clone(), way })
    }

    fn way_of_lookup(&self, longest_table: i64) -> Result<Way, Error> {
        let products = Products::of(self);
        let longest = products
            .as_ref()
            .map_or(longest_table, |products| products.worth_tables(longest_table));
        if let Some(tables) = DimTables::of(self, longest)? {
            return Ok(Way::Tables(tables));
        }
        Ok(match products {
            Some(products) => Way::Products(products),
            None if self.is_narrow() => Way::Narrow(Sums::of(self)),
            None => Way::Wide(Sums::of(self)),
        })
    }
}

impl OffsetLookup {
    /// As [`IndexMap::offsets_at`].
    ///
    /// # Errors
    /// If `indices` has not as many numbers as `offsets` times the rank, or an index is out of
    /// bounds.
    pub fn offsets_at<I: Copy + Into<i64>>(
        &self,
        indices: &[I],
        offsets: &mut [i64],
    ) -> Result<(), Error> {
        let rank = self.dims.len();
        if offsets.len().checked_mul(rank) != Some(indices.len()) {
            return Err(wrong_length(indices.len(), offsets.len(), rank));
        }
        let found = match &self.way {
            Way::Products(products) => products.look_up(indices, offsets),
            Way::Tables(tables) => tables.look_up(indices, offsets),
            Way::Narrow(sums) => sums.look_up(&self.dims, indices, offsets),
            Way::Wide(sums) => sums.look_up(&self.dims, indices, offsets),
        };
        found.ok_or_else(|| self.out_of_bounds(indices))
    }

    /// The error for the first index that is out of bounds.
    #[cold]
    fn out_of_bounds<I: Copy + Into<i64>>(&self, indices: &[I]) -> Error {
        let error =
            indices.chunks(self.dims.len().max(1)).enumerate().find_map(|(entry, index)| {
                let index: Vec<i64> = index.iter().map(|&index| index.into()).collect();
                Some((entry, check_index(&index, &self.dims).err()?))
            });
        let (entry, error) =
            error.unwrap_or_else(|| (0, Error::new(Kind::Overflow { what: "an index" })));
        Error::new(Kind::Entry { entry, error })
    }
}

#[cold]
pub(super) fn wrong_length(found: usize, elements: usize, rank: usize) -> Error {
    let message = format!("{found} numbers are not {elements} indices of rank {rank}");
    Error::new(Kind::Invalid { message })
}
