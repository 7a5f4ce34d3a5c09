//! The elements at any offsets, in any order, many at once.
//!
//! The inverse of [`OffsetLookup`](super::OffsetLookup). Offsets of tiled layouts are [fields] of
//! bits nearly always. Where offsets come apart in one way, blocks of them go through the digits one
//! after the other ([`decode`](super::decode)).
//!
//! In other maps, whose digits overlap, every place of a small allocation is listed beforehand with
//! the element that it holds; larger ones are searched as for a single offset.
//!
//! [fields]: super::fields

use super::IndexMap;
use super::decode::Decoder;
use super::fields::Fields;
use super::lookup::wrong_length;
use super::place_list::PlaceList;
use super::word::{BLOCK, Word};
use crate::error::{Error, Kind};

/// No more places than this are listed, times the rank: 32 MiB.
const MAX_LISTED: i64 = 1 << 23;

/// To search for one offset takes as long as listing so many places, at least.
const PLACES_A_SEARCH: i64 = 16;

/// A map prepared for the indices of the elements at many offsets.
///
/// It is worth keeping where lists of offsets come one after the other; for one list there is
/// [`IndexMap::indices_at`].
///
/// ```
/// use tilewright::Shape;
/// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
/// let lookup = map.inverse_lookup()?;
/// let mut indices = [0; 6];
/// lookup.indices_at(&[17, 9, 10], &mut indices)?;
/// assert_eq!(indices, [2, 3, -1, -1, 1, 4]); // there is padding at 9
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexLookup {
    dims: Vec<i64>,
    lowest: i64,
    allocation: i64,
    way: Way,
}

/// How indices are found.
#[derive(Clone, Debug)]
enum Way {
    Fields(Fields),
    /// Digit by digit in words of 32 bits, where all is small enough.
    Narrow(Decoder<u32>),
    Wide(Decoder<u64>),
    /// In a list of all places.
    Listed(PlaceList),
    /// One by one.
    Search(Box<IndexMap>),
}

impl IndexMap {
    /// Prepares for the indices of the elements at many offsets.
    ///
    /// # Errors
    /// If digits overlap and there is no memory for a list of the places, of 32 MiB at most.
    pub fn inverse_lookup(&self) -> Result<IndexLookup, Error> {
        self.inverse_lookup_for(i64::MAX)
    }

    /// The indices of the elements at some offsets: one after the other, as many numbers as
    /// `offsets` times the rank. Where there is padding, all numbers of an index are
    /// [-1](IndexLookup::PADDING); an array of rank 0 has no numbers that could be. Where several
    /// elements share a place, it is one of them.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
    /// let mut indices = [0; 4];
    /// map.indices_at(&[17, 9], &mut indices)?;
    /// assert_eq!(indices, [2, 3, -1, -1]);
    /// let outside = map.indices_at(&[17, 24], &mut indices).unwrap_err();
    /// let expected = "entry 1: offset 24 is outside the allocation of 24 elements";
    /// assert_eq!(outside.to_string(), expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `indices` is not as long as that, or an offset is outside the
    /// [`allocation`](Self::allocation) (the error names the first one; what `indices` then holds is
    /// not said). For a map whose digits overlap, if there is no memory for a list of the places, or
    /// the search for an index takes too long.
    pub fn indices_at<O: Copy + Into<i64>>(
        &self,
        offsets: &[O],
        indices: &mut [i64],
    ) -> Result<(), Error> {
        let n_offsets = i64::try_from(offsets.len()).unwrap_or(i64::MAX);
        self.inverse_lookup_for(n_offsets)?.indices_at(offsets, indices)
    }

    /// Prepares for this many offsets: a list that is longer than that costs more than it saves.
    fn inverse_lookup_for(&self, n_offsets: i64) -> Result<IndexLookup, Error> {
        let (dims, allocation) = (self.dims.clone(), self.allocation);
        let way = self.way_of_inverse(n_offsets)?;
        Ok(IndexLookup { dims, lowest: self.lowest_offset, allocation, way })
    }

    fn way_of_inverse(&self, n_offsets: i64) -> Result<Way, Error> {
        if let Some(fields) = Fields::of(self) {
            return Ok(Way::Fields(fields));
        }
        if let Some(decoder) = Decoder::new(self) {
            return Ok(Way::Narrow(decoder));
        }
        Ok(match Decoder::new(self) {
            Some(decoder) => Way::Wide(decoder),
            None if self.is_worth_listing(n_offsets) => Way::Listed(PlaceList::of(self)?),
            None => Way::Search(Box::new(self.clone())),
        })
    }

    fn is_worth_listing(&self, n_offsets: i64) -> bool {
        let extents = self.merged.iter().map(|coordinate| coordinate.extent);
        let mut lengths = extents.chain([self.elements, self.allocation]);
        let rank = i64::try_from(self.dims.len()).unwrap_or(i64::MAX).max(1);
        let work = self.elements.saturating_add(self.allocation) / PLACES_A_SEARCH;
        let is_short = lengths.all(|length| length <= MAX_LISTED / rank);
        self.elements > 0 && is_short && work <= n_offsets && PlaceList::can_hold(&self.dims)
    }
}

impl IndexLookup {
    /// What every number of an index is where there is padding.
    pub const PADDING: i64 = -1;

    /// As [`IndexMap::indices_at`].
    ///
    /// # Errors
    /// If `indices` has not as many numbers as `offsets` times the rank, or an offset is outside the
    /// allocation; for a map whose digits overlap, if the search for an index takes too long.
    pub fn indices_at<O: Copy + Into<i64>>(
        &self,
        offsets: &[O],
        indices: &mut [i64],
    ) -> Result<(), Error> {
        let rank = self.dims.len();
        if offsets.len().checked_mul(rank) != Some(indices.len()) {
            return Err(wrong_length(indices.len(), offsets.len(), rank));
        }
        let found = match &self.way {
            Way::Fields(fields) => fields.look_up(offsets, indices),
            Way::Narrow(decoder) => self.in_blocks(decoder, offsets, indices),
            Way::Wide(decoder) => self.in_blocks(decoder, offsets, indices),
            Way::Listed(list) => list.look_up(offsets, indices),
            Way::Search(map) => return self.search_each(map, offsets, indices),
        };
        found.ok_or_else(|| self.out_of_bounds(offsets))
    }

    /// Digit by digit. `None` if an offset is outside the allocation.
    fn in_blocks<W: Word, O: Copy + Into<i64>>(
        &self,
        decoder: &Decoder<W>,
        offsets: &[O],
        indices: &mut [i64],
    ) -> Option<()> {
        let mut block = decoder.block();
        let mut indices = indices;
        for offsets in offsets.chunks(BLOCK) {
            let (of_block, others) = indices.split_at_mut(offsets.len() * self.dims.len());
            decoder.decode(&mut block, offsets, of_block).then_some(())?;
            indices = others;
        }
        Some(())
    }

    fn search_each<O: Copy + Into<i64>>(
        &self,
        map: &IndexMap,
        offsets: &[O],
        indices: &mut [i64],
    ) -> Result<(), Error> {
        if offsets.iter().any(|&offset| self.place(offset.into()).is_none()) {
            return Err(self.out_of_bounds(offsets));
        }
        let rank = self.dims.len().max(1);
        for (&offset, index) in offsets.iter().zip(indices.chunks_exact_mut(rank)) {
            match map.index(offset.into())? {
                Some(found) => index.copy_from_slice(&found),
                None => index.fill(Self::PADDING),
            }
        }
        Ok(())
    }

    /// How far an offset is from the lowest; `None` if it is outside the allocation.
    fn place(&self, offset: i64) -> Option<u64> {
        // The lowest offset is not above 0, so an offset below it does not wrap into the allocation.
        let place = offset.wrapping_sub(self.lowest) as u64;
        (place < self.allocation.unsigned_abs()).then_some(place)
    }

    /// The error for the first offset that is outside the allocation.
    #[cold]
    fn out_of_bounds<O: Copy + Into<i64>>(&self, offsets: &[O]) -> Error {
        let mut all = offsets.iter().map(|&offset| offset.into()).enumerate();
        let outside = all.find(|&(_, offset)| self.place(offset).is_none());
        let (entry, offset) = outside.unwrap_or((0, self.lowest));
        let error = Error::new(Kind::OffsetOutOfBounds { offset, allocation: self.allocation });
        Error::new(Kind::Entry { entry, error })
    }
}
