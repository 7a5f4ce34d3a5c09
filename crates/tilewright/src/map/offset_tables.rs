//! What each value of a dimension adds to sums of digits, as tables.

use super::{Digit, IndexMap, Source};
use crate::error::{Error, Kind};

/// Pieces shorter than this are joined with the next more major dimension.
const MIN_PIECE: usize = 512;

/// The longest piece, if a dimension can be cut into such: 8 KiB, so that the nearest cache holds it
/// beside the offsets that are written.
const MAX_PIECE: usize = 1 << 10;

/// The longest piece where it cannot.
const MAX_UNCUT: usize = 1 << 20;

/// The most entries of a table for a leading dimension, of which one is looked up for each piece.
const MAX_LEADING: usize = 1 << 16;

/// For each value of a source: what it adds to the offset, and to each merged coordinate. A table
/// that is empty adds nothing.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    pub(super) extent: usize,
    pub(super) offset: Vec<i64>,
    pub(super) merged: Vec<Vec<i64>>,
}

/// What each value of a leading dimension, or of a number of its parts, adds.
#[derive(Clone, Debug)]
pub(super) enum Leading {
    Table(Tables),
    /// Worked out for each piece, where a table would be long.
    Digits {
        extent: usize,
        step: usize,
        offset: Vec<Digit>,
        merged: Vec<Vec<Digit>>,
    },
}

impl IndexMap {
    /// How many values of a dimension are joined with pieces that are so long: all, or as many as
    /// leave no digit cut in two.
    pub(super) fn joined(&self, source: Source, extent: usize, piece_len: usize) -> usize {
        if piece_len >= MIN_PIECE {
            return 1;
        }
        let longest = MAX_PIECE / piece_len;
        if extent <= longest {
            return extent;
        }
        let mut lengths = (MIN_PIECE.div_ceil(piece_len)..=longest).rev();
        let uncut = if extent <= MAX_UNCUT / piece_len { extent } else { 1 };
        lengths.find(|&length| self.cuts_evenly(source, length)).unwrap_or(uncut)
    }

    /// Whether what `part * length + place` adds is a sum of what its two terms add, for places below
    /// the length. A quotient `x div k` is, where `k` is a multiple or a divisor of the length.
    fn cuts_evenly(&self, source: Source, length: usize) -> bool {
        let lists = self.merged.iter().map(|coordinate| &coordinate.digits).chain([&self.digits]);
        let mut ends = lists.flatten().filter(|digit| digit.source == source).flat_map(Digit::ends);
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        ends.all(|end| end % length == 0 || length % end == 0)
    }

    /// Of the values 0, `step`, `2*step` and so on.
    pub(super) fn leading(
        &self,
        source: Source,
        extent: usize,
        step: usize,
    ) -> Result<Leading, Error> {
        if extent <= MAX_LEADING {
            return Ok(Leading::Table(self.tables(source, extent, step)?));
        }
        let of = |digits: &[Digit]| -> Vec<Digit> {
            digits.iter().filter(|digit| digit.source == source).copied().collect()
        };
        let merged = self.merged.iter().map(|coordinate| of(&coordinate.digits)).collect();
        Ok(Leading::Digits { extent, step, offset: of(&self.digits), merged })
    }

    /// Of the values 0, `step`, `2*step` and so on.
    pub(super) fn tables(
        &self,
        source: Source,
        n_values: usize,
        step: usize,
    ) -> Result<Tables, Error> {
        let of = |digits: &[Digit]| table(digits, source, n_values, step);
        let merged = self.merged.iter().map(|coordinate| of(&coordinate.digits));
        let (offset, merged) = (of(&self.digits)?, merged.collect::<Result<_, _>>()?);
        Ok(Tables { extent: n_values, offset, merged })
    }
}

/// What the values 0, `step`, `2*step` and so on of `source` add to a sum of digits; empty where that
/// is nothing.
pub(super) fn table(
    digits: &[Digit],
    source: Source,
    n_values: usize,
    step: usize,
) -> Result<Vec<i64>, Error> {
    let mut table = Vec::new();
    for digit in digits.iter().filter(|digit| digit.source == source) {
        if table.is_empty() {
            let none = |_| Error::new(Kind::Memory { what: "a table of offsets" });
            table.try_reserve_exact(n_values).map_err(none)?;
            table.resize(n_values, 0);
        }
        match step {
            1 => add_values(digit, &mut table),
            _ => {
                for (value, sum) in (0..).step_by(step).zip(&mut table) {
                    *sum += digit.value(value) * digit.stride;
                }
            }
        }
    }
    Ok(table)
}

/// Adds what a digit of each value of its source adds. It is counted, not divided.
fn add_values(digit: &Digit, table: &mut [i64]) {
    let length = |count: i64| usize::try_from(count).unwrap_or(usize::MAX);
    for cycle in table.chunks_mut(digit.end().map_or(usize::MAX, length)) {
        if digit.divisor == 1 {
            (0..).zip(cycle).for_each(|(value, sum)| *sum += value * digit.stride);
            continue;
        }
        for (value, run) in (0..).zip(cycle.chunks_mut(length(digit.divisor))) {
            let term = value * digit.stride;
            run.iter_mut().for_each(|sum| *sum += term);
        }
    }
}

impl Leading {
    pub(super) fn extent(&self) -> usize {
        match self {
            Leading::Table(tables) => tables.extent,
            Leading::Digits { extent, .. } => *extent,
        }
    }

    /// Adds a value's parts to the merged coordinates; says what it adds to the offset.
    pub(super) fn add(&self, value: usize, sums: &mut [i64]) -> i64 {
        match self {
            Leading::Table(tables) => {
                for (sum, table) in sums.iter_mut().zip(&tables.merged) {
                    *sum += entry(table, value);
                }
                entry(&tables.offset, value)
            }
            Leading::Digits { step, offset, merged, .. } => {
                let value = i64::try_from(value.saturating_mul(*step)).unwrap_or(i64::MAX);
                let along = |digits: &[Digit]| -> i64 {
                    digits.iter().map(|digit| digit.value(value) * digit.stride).sum()
                };
                sums.iter_mut().zip(merged).for_each(|(sum, digits)| *sum += along(digits));
                along(offset)
            }
        }
    }
}

impl Tables {
    /// The tables of nothing: one value, which adds nothing.
    pub(super) fn unit(n_merged: usize) -> Self {
        Tables { extent: 1, offset: Vec::new(), merged: vec![Vec::new(); n_merged] }
    }

    /// The tables of two dimensions as one, `minor` varying fastest.
    pub(super) fn outer_sum(major: &Tables, minor: &Tables) -> Self {
        let joined = |major_table: &[i64], minor_table: &[i64]| {
            if major_table.is_empty() && minor_table.is_empty() {
                return Vec::new();
            }
            let mut sums = Vec::with_capacity(major.extent * minor.extent);
            for value in 0..major.extent {
                let start = entry(major_table, value);
                sums.extend((0..minor.extent).map(|place| start + entry(minor_table, place)));
            }
            sums
        };
        let merged = major.merged.iter().zip(&minor.merged).map(|(a, b)| joined(a, b)).collect();
        Tables {
            extent: major.extent * minor.extent,
            offset: joined(&major.offset, &minor.offset),
            merged,
        }
    }
}

fn entry(table: &[i64], value: usize) -> i64 {
    table.get(value).copied().unwrap_or(0)
}
