//! Arithmetic on extents.

/// The least multiple that is not less.
pub(super) fn up(extent: i128, multiple: i128) -> i128 {
    parts(extent, multiple) * multiple
}

/// How many parts of a size cover an extent.
pub(super) fn parts(extent: i128, size: i128) -> i128 {
    (extent + size - 1) / size
}
