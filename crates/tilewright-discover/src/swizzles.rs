//! Offsets with exclusive-ors: layouts under a swizzle, and functions linear in the index's bits.
//!
//! A swizzle applied twice does nothing. So the offsets are those of a layout under `Sw` exactly if
//! `Sw` of the offsets is a layout, and there are only some thousand swizzles to try.

use tilewright::Error;
use tilewright::algebra::{Composed, F2Matrix, Swizzle};
use tilewright::map::{Fitted, fit, fit_function};

use crate::merging::row_major_steps;

/// The part of an array along each dimension in which a swizzle is tried first.
const SAMPLE: i64 = 64;

/// The swizzle of fewest bits under which the offsets are a layout's, composed by `compose`, which says `None` where the two
/// cannot be.
pub(crate) fn find(
    dims: &[i64],
    offsets: &[i64],
    compose: impl Fn(Swizzle, Fitted) -> Result<Option<Composed>, Error>,
) -> Result<Option<Composed>, Error> {
    let steps = row_major_steps(dims);
    let sample: Vec<i64> = dims.iter().map(|size| SAMPLE.min(*size)).collect();
    for swizzle in candidates(offsets) {
        let of_sample = fit_function(&sample, |index| swizzle.apply(at(offsets, &steps, index)))?;
        if of_sample.is_err() {
            continue;
        }
        let straight: Vec<i64> = offsets.iter().map(|offset| swizzle.apply(*offset)).collect();
        if let Ok(fitted) = fit(dims, &straight)?
            && let Some(composed) = compose(swizzle, fitted)?
        {
            return Ok(Some(composed));
        }
    }
    Ok(None)
}

/// The function as a matrix of bits, if all extents are powers of two and it is one.
pub(crate) fn linear(dims: &[i64], offsets: &[i64]) -> Result<Option<F2Matrix>, Error> {
    if dims.iter().any(|size| size.count_ones() != 1) {
        return Ok(None);
    }
    let at = |place: i64| {
        let offset = usize::try_from(place).ok().and_then(|place| offsets.get(place));
        offset.and_then(|offset| u64::try_from(*offset).ok()).unwrap_or(0)
    };
    let bits = index_bits(dims);
    let columns = bits.iter().map(|place| at(*place) ^ at(0)).collect();
    let matrix = F2Matrix::new(columns, at(0))?;
    let is_right = (0i64..)
        .zip(offsets)
        .all(|(place, offset)| u64::try_from(*offset) == Ok(matrix.apply(index_of(place, &bits))));
    Ok(is_right.then_some(matrix))
}

/// What each bit of the index adds to the element's number in row-major order: bits of the first
/// dimension first, the lowest first.
fn index_bits(dims: &[i64]) -> Vec<i64> {
    let bits_of = |(size, step): (&i64, i64)| {
        (0..size.trailing_zeros()).map(move |bit| step.saturating_mul(1 << bit))
    };
    dims.iter().zip(row_major_steps(dims)).flat_map(bits_of).collect()
}

/// The index bits of an element's number, which are its own bits in another order.
fn index_of(place: i64, bits: &[i64]) -> u64 {
    (0u32..).zip(bits).fold(0, |index, (number, bit)| index | u64::from(place & bit != 0) << number)
}

fn at(offsets: &[i64], steps: &[i64], index: &[i64]) -> i64 {
    let place: i64 = index.iter().zip(steps).map(|(index, step)| index * step).sum();
    usize::try_from(place).ok().and_then(|place| offsets.get(place)).copied().unwrap_or(0)
}

/// Swizzles of the bits that the offsets have, of fewest bits first.
fn candidates(offsets: &[i64]) -> impl Iterator<Item = Swizzle> + use<> {
    let all = offsets.iter().fold(0, |all, offset| all | offset);
    let n_bits = i32::try_from(64 - all.leading_zeros()).unwrap_or(63);
    (1..=n_bits / 2)
        .flat_map(move |bits| (bits..=n_bits - bits).map(move |shift| (bits, shift)))
        .flat_map(move |(bits, shift)| {
            (0..=n_bits - bits - shift).map(move |base| (bits, base, shift))
        })
        .flat_map(|(bits, base, shift)| [(bits, base, shift), (bits, base, -shift)])
        .filter_map(|(bits, base, shift)| {
            Swizzle::new(bits.unsigned_abs(), base.unsigned_abs(), shift).ok()
        })
}
