//! Counting: products that do not overflow, greatest common divisors, indices in bounds.

use crate::error::{Error, Kind, checked};

/// The product of `sizes`, or an overflow. A later 0 does not excuse an earlier overflow.
pub(crate) fn checked_product(sizes: impl IntoIterator<Item = i64>) -> Result<i64, Error> {
    let product = sizes.into_iter().try_fold(1i64, i64::checked_mul);
    checked(product, "the element count")
}

/// The lowest offset of any coordinate of these extents and strides, and how many offsets there are
/// from it to the highest.
pub(crate) fn span<'a>(
    leaves: impl Iterator<Item = &'a (i64, i64)> + Clone,
) -> Result<(i64, i64), Error> {
    if leaves.clone().any(|&(extent, _)| extent == 0) {
        return Ok((0, 0));
    }
    let mut bounds = Some((0i64, 0i64));
    for &(extent, stride) in leaves {
        bounds = bounds.and_then(|(lowest, highest)| {
            let reach = (extent - 1).checked_mul(stride)?;
            Some((lowest.checked_add(reach.min(0))?, highest.checked_add(reach.max(0))?))
        });
    }
    let (lowest, highest) = checked(bounds, "the allocation")?;
    let count = highest.checked_sub(lowest).and_then(|reach| reach.checked_add(1));
    Ok((lowest, checked(count, "the allocation")?))
}

/// The greatest common divisor, 0 or more.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(i64::MAX)
}

/// Whether an index is one of an array of these dimensions.
///
/// # Errors
/// If it is not: the index has another rank or lies out of bounds.
pub fn check_index(index: &[i64], dims: &[i64]) -> Result<(), Error> {
    if index.len() != dims.len() {
        let (expected, found) = (dims.len(), index.len());
        return Err(Error::new(Kind::RankMismatch { what: "the index", expected, found }));
    }
    for (dimension, (&index, &extent)) in index.iter().zip(dims).enumerate() {
        if !(0..extent).contains(&index) {
            return Err(Error::new(Kind::IndexOutOfBounds { dimension, index, extent }));
        }
    }
    Ok(())
}

/// How many indices an iterator still has.
pub(crate) fn size_hint(remaining: i64) -> (usize, Option<usize>) {
    match usize::try_from(remaining) {
        Ok(remaining) => (remaining, Some(remaining)),
        Err(_) => (usize::MAX, None),
    }
}
