//! Addresses that end alike: lines there share a few places of the first cache.

use super::super::place::LINE;

/// Lines so many bytes apart, or multiples of that, share a few places of the first cache, and a processor does not
/// tell a load from a store before it by more of an address.
pub(in super::super) const ALIAS: i64 = 4096;

/// Lines so many bytes apart share a place of a second cache of 1 MiB in 8 ways, or of 2 MiB in 16.
pub(in super::super) const FAR_ALIAS: i64 = 128 << 10;

/// Rows that end in the same part of that, of so many bytes, are alike.
pub(super) const NEAR_ALIAS: i64 = 256;

/// The most lines of one set that a tile reads from where they are. First caches have room for 8 or for 12.
pub(in super::super) const WAYS: usize = 12;

/// So few rows alike do no harm.
const FEW_ALIASES: usize = 8;

/// So many do, however many others there are.
const MANY_ALIASES: usize = 64;

/// How far a stride may be from a quarter of [`ALIAS`] for several of its multiples to be alike.
const NEARLY: i64 = 8;

/// How many of these rows begin at addresses that end alike.
pub(super) fn alike(rows: &[i64]) -> usize {
    let mut places: Vec<i64> = rows.iter().map(|row| row.rem_euclid(ALIAS) / NEAR_ALIAS).collect();
    places.sort_unstable();
    places.chunk_by(|a, b| a == b).map(<[i64]>::len).max().unwrap_or(0)
}

/// How many lines of these rows, of one each, a first cache has in one set.
pub(in super::super) fn in_one_set(rows: &[i64]) -> usize {
    let place = |row: &i64| {
        let line = row.div_euclid(LINE as i64);
        (line.rem_euclid(ALIAS / LINE as i64), line)
    };
    let mut lines: Vec<(i64, i64)> = rows.iter().map(place).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).max().unwrap_or(0)
}

/// Whether many of these rows, and most of them, begin at addresses that end alike: half of them, or as many as are
/// always too many.
pub(super) fn alias(rows: &[i64]) -> bool {
    let alike = alike(rows);
    alike > FEW_ALIASES && (2 * alike >= rows.len() || alike >= MANY_ALIASES)
}

/// Whether several multiples of a stride may begin at addresses that end alike.
pub(super) fn is_nearly_alias(stride: i64) -> bool {
    let part = ALIAS / 4;
    stride % part <= NEARLY || part - stride % part <= NEARLY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_set() {
        let apart = |step: i64| (0..32).map(|n| n * step).collect::<Vec<_>>();
        // Every step of so many lines comes back to a set after 64 lines.
        for (step, lines) in
            [(64, 1), (1024, 8), (-1024, 8), (3072, 8), (2048, 16), (4096, 32), (4160, 1)]
        {
            assert_eq!(in_one_set(&apart(step)), lines, "{step}");
        }
        // Four of a line each.
        assert_eq!(in_one_set(&apart(16)), 1);
        let pieces: Vec<i64> = apart(4096).iter().flat_map(|row| [*row, row + 32]).collect();
        assert_eq!(in_one_set(&pieces), 32);
        assert_eq!(in_one_set(&[]), 0);
    }
}
