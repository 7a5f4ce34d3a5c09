//! Addresses that end alike: lines there share a few places of the first cache.

/// Lines so many bytes apart, or multiples of that, share a few places of the first cache, and a processor does not
/// tell a load from a store before it by more of an address.
pub(in super::super) const ALIAS: i64 = 4096;

/// Rows that end in the same part of that, of so many bytes, are alike.
pub(super) const NEAR_ALIAS: i64 = 256;

/// The lines that a first cache has room for at addresses that end alike.
pub(in super::super) const WAYS: usize = 16;

/// So few rows alike do no harm.
const FEW_ALIASES: usize = 8;

/// So many do, however many others there are.
const MANY_ALIASES: usize = 64;

/// How far a stride may be from a quarter of [`ALIAS`] for several of its multiples to be alike.
const NEARLY: i64 = 8;

/// How many of these rows begin at addresses that end alike.
pub(in super::super) fn alike(rows: &[i64]) -> usize {
    let mut places: Vec<i64> = rows.iter().map(|row| row.rem_euclid(ALIAS) / NEAR_ALIAS).collect();
    places.sort_unstable();
    places.chunk_by(|a, b| a == b).map(<[i64]>::len).max().unwrap_or(0)
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
