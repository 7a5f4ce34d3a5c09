//! What the parts of a place in memory say of the index of its element.

use super::IndexMap;
use super::decode::{BLOCK, Decoder};
use super::divisor::Divisor;
use crate::error::{Error, Kind};

/// No table has more entries: 1 MiB for two dimensions.
const MAX_TABLE: i64 = 1 << 17;

/// The first limit that is tried for the length of tables.
const FIRST_LIMIT: i64 = 1 << 10;

/// With more tables, going digit by digit is as quick.
const MAX_TABLES: usize = 3;

/// For so many offsets, an entry of a table is worth what it takes to make.
const OFFSETS_AN_ENTRY: i64 = 2;

/// What a number of an index is where there is padding: so far out that no sum with it is an index.
const FAR: u32 = 1 << 30;

/// The indices that belong to a part of a place, `(place mod end) div cut`, other parts being 0.
#[derive(Clone, Debug)]
pub(super) struct PlaceTable {
    divisor: Divisor,
    cut: u64,
    /// As many numbers as there are dimensions for each value of the part.
    entries: Vec<u32>,
}

impl PlaceTable {
    pub(super) fn new(decoder: &Decoder, lowest: i64, cut: i64, end: i64) -> Result<Self, Error> {
        let length = end / cut + i64::from(end % cut != 0);
        let rank = decoder.rank();
        let mut table = PlaceTable::empty(length, rank, cut, end)?;
        let mut block = decoder.block();
        let mut indices = vec![0; BLOCK * rank];
        for first in (0..length).step_by(BLOCK) {
            let values = first..length.min(first + BLOCK as i64);
            let count = (values.end - first) as usize;
            block.begin(decoder, values.map(|value| lowest + value * cut));
            decoder.take_apart(&mut block, count);
            let indices = &mut indices[..count * rank];
            decoder.write(&block, indices);
            table.entries.extend(indices.iter().map(|&value| u32::try_from(value).unwrap_or(FAR)));
        }
        Ok(table)
    }

    /// Of every place by itself, for any map. Where elements share one, it is the first's.
    pub(super) fn of_every_place(map: &IndexMap) -> Result<Self, Error> {
        let rank = map.dims.len();
        let mut table = PlaceTable::empty(map.allocation, rank, 1, map.allocation)?;
        table.entries.resize(table.entries.capacity(), FAR);
        let rows = map.rows()?;
        let mut offsets = vec![0; rows.row_len()];
        let mut index = vec![0; rank];
        for row in 0..rows.n_rows() {
            rows.fill(row, &mut offsets);
            for offset in &offsets {
                let place = usize::try_from(offset - map.lowest_offset).unwrap_or(usize::MAX);
                let entry = table.entries.chunks_exact_mut(rank.max(1)).nth(place);
                if let Some(entry) = entry.filter(|entry| entry.first() == Some(&FAR)) {
                    entry.copy_from_slice(&index);
                }
                count_up(&mut index, &map.dims);
            }
        }
        Ok(table)
    }

    fn empty(length: i64, rank: usize, cut: i64, end: i64) -> Result<Self, Error> {
        let none = || Error::new(Kind::Memory { what: "a table of indices" });
        let length = usize::try_from(length).ok().and_then(|length| length.checked_mul(rank));
        let mut entries = Vec::new();
        entries.try_reserve_exact(length.ok_or_else(none)?).map_err(|_| none())?;
        let cut = cut.unsigned_abs();
        Ok(PlaceTable { divisor: Divisor::new(cut, end.unsigned_abs()), cut, entries })
    }

    /// Whether tables can hold the indices of an array of these dims.
    pub(super) fn can_hold(dims: &[i64]) -> bool {
        dims.iter().all(|&extent| extent <= i64::from(FAR))
    }

    /// What this part of a place says, which is taken off what is left of it.
    #[inline(always)]
    pub(super) fn entry(&self, rest: &mut u64, rank: usize) -> Option<&[u32]> {
        let value = self.divisor.quotient(*rest);
        *rest -= value * self.cut;
        let start = usize::try_from(value).ok()? * rank;
        self.entries.get(start..start + rank)
    }
}

/// The next index in row-major order.
fn count_up(index: &mut [u32], dims: &[i64]) {
    for (value, extent) in index.iter_mut().zip(dims).rev() {
        *value += 1;
        if i64::from(*value) < *extent {
            return;
        }
        *value = 0;
    }
}

/// Where to cut places into parts, falling, the last 1, so that the index is a sum of what each part
/// says, and the tables together are not longer than the list of offsets. `None` where there is no
/// such way.
pub(super) fn cuts(map: &IndexMap, n_offsets: i64) -> Option<Vec<i64>> {
    if !PlaceTable::can_hold(&map.dims) {
        return None;
    }
    let possible = possible_cuts(map);
    let limits = || (FIRST_LIMIT.ilog2()..=MAX_TABLE.ilog2()).map(|power| 1i64 << power);
    let mut ways = (1..=MAX_TABLES).flat_map(|n_tables| limits().map(move |it| (n_tables, it)));
    ways.find_map(|(n_tables, limit)| {
        let cuts = cuts_for(&possible, map.allocation, limit)?;
        let is_short = total(&cuts, map.allocation) <= n_offsets / OFFSETS_AN_ENTRY;
        (cuts.len() <= n_tables && is_short).then_some(cuts)
    })
}

/// The strides that all larger ones are multiples of, falling, and 1.
///
/// Where digits make up merged coordinates or do not begin at the first place, as those that count
/// down do not, what the parts say does not add up.
fn possible_cuts(map: &IndexMap) -> Vec<i64> {
    let strides: Vec<i64> = map.digits.iter().map(|digit| digit.stride).collect();
    let mut cuts = Vec::new();
    if map.is_separable() && map.base == map.lowest_offset {
        let is_cut = |&place: &usize| strides[..place].iter().all(|s| s % strides[place] == 0);
        cuts.extend((0..strides.len()).filter(is_cut).map(|place| strides[place]));
    }
    if cuts.last() != Some(&1) {
        cuts.push(1);
    }
    cuts
}

/// As few of the possible cuts as there can be, such that no table is longer than `limit`.
fn cuts_for(possible: &[i64], allocation: i64, limit: i64) -> Option<Vec<i64>> {
    let mut cuts = vec![1];
    loop {
        let cut = *cuts.last()?;
        if length(allocation, cut) <= limit {
            cuts.reverse();
            return Some(cuts);
        }
        let is_next = |&&end: &&i64| end > cut && length(end, cut) <= limit;
        cuts.push(*possible.iter().find(is_next)?);
    }
}

fn length(end: i64, cut: i64) -> i64 {
    end / cut + i64::from(end % cut != 0)
}

/// The length of all tables.
fn total(cuts: &[i64], allocation: i64) -> i64 {
    let ends = [allocation].into_iter().chain(cuts.iter().copied());
    ends.zip(cuts).map(|(end, cut)| length(end, *cut)).sum()
}
