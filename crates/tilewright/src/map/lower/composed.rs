//! Lowering composed layouts: one map read at the offsets of another, and swizzles.
//!
//! The inner layout's offset is a coordinate like any other. An outer layout splits it by its
//! extents, as it would any integer. A swizzle splits it into bits; a bit that others flip is
//! `(a + b) mod 2`.

use super::tla::{Leaf, digits_of_mode, modes};
use crate::algebra::{Composed, Composition, Outer, Swizzle};
use crate::arithmetic::span;
use crate::error::{Error, checked, invalid};
use crate::map::build::{Coordinate, MapBuilder, Sum};
use crate::map::{Digit, IndexMap};
use crate::tla::Layout;

/// Up to this many offsets are swizzled one by one to find the largest.
const MAX_SWIZZLED: i64 = 1 << 16;

impl IndexMap {
    /// The map of a layout or a composed layout.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let tile = IndexMap::from_composition(&"Sw<3,0,3> o 0 o (8,8):(8,1)".parse()?)?;
    /// assert_eq!(tile.offset(&[3, 1])?, 26); // 25, of which bits 3-5, 011, flip bits 0-2
    /// assert_eq!(tile.index(26)?, Some(vec![3, 1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_tla`](Self::from_tla) and [`from_composed`](Self::from_composed).
    pub fn from_composition(composition: &Composition) -> Result<Self, Error> {
        match composition {
            Composition::Layout(layout) => Self::from_tla(layout),
            Composition::Composed(composed) => Self::from_composed(composed),
        }
    }

    /// The map of a layout under an offset and another layout or a swizzle. Its dimensions are
    /// the inner layout's; the memory is what the outer function reaches, from 0 on unless an
    /// outer stride is negative.
    ///
    /// # Errors
    /// If the outer function would be read below 0, a stride counts no elements, or a number does
    /// not fit 64 bits.
    pub fn from_composed(composed: &Composed) -> Result<Self, Error> {
        let dims = composed.inner().org_shape()?.values();
        let mut builder = MapBuilder::new(&dims)?;
        let Some((between, lowest)) = offset_between(composed)? else {
            return Ok(builder.over(0, 0, Sum::default()));
        };
        match composed.outer() {
            Outer::Swizzle(swizzle) => {
                let allocation = swizzled_allocation(*swizzle, lowest, between.bound())?;
                let sum = swizzled(&mut builder, &between, *swizzle)?;
                Ok(builder.over(0, allocation, sum))
            }
            Outer::Layout(outer) => {
                let leaves = outer_leaves(outer, between.bound())?;
                let (lowest, allocation) = span(leaves.iter())?;
                let sum = read(&mut builder, between, &leaves)?;
                Ok(builder.over(lowest, allocation, sum))
            }
        }
    }
}

/// What the outer function is read at: the offset and the inner layout, and the least of it over
/// all coordinates of the shape. `None` where there are no coordinates.
fn offset_between(composed: &Composed) -> Result<Option<(Coordinate, i64)>, Error> {
    let modes = modes(composed.inner())?;
    if modes.iter().flatten().any(|&(extent, _)| extent == 0) {
        return Ok(None);
    }
    let (below, count) = span(modes.iter().flatten())?;
    let base = composed.offset().value();
    let lowest = checked(base.checked_add(below), "the offset between the layouts")?;
    if lowest < 0 {
        return invalid(format!("in {composed} the outer function would be read at {lowest}"));
    }
    let bound = checked(lowest.checked_add(count), "the offset between the layouts")?;
    let mut digits = Vec::new();
    for (dim, mode) in modes.iter().enumerate() {
        digits.extend(digits_of_mode(dim, mode)?.into_iter().filter(|digit| digit.stride != 0));
    }
    digits.sort_by_key(|digit: &Digit| std::cmp::Reverse(digit.stride));
    Ok(Some((Coordinate::of_digits(digits, base, bound), lowest)))
}

/// The integers of a layout that is read below `bound`. The last one takes what is left.
fn outer_leaves(outer: &Layout, bound: i64) -> Result<Vec<Leaf>, Error> {
    let mut leaves: Vec<Leaf> = modes(outer)?.into_iter().flatten().collect();
    if leaves.iter().any(|&(extent, _)| extent == 0) {
        return invalid(format!("the layout {outer} has no elements to be read"));
    }
    let Some((last, others)) = leaves.split_last_mut() else { return Ok(leaves) };
    let inner = others.iter().try_fold(1i64, |product, &(extent, _)| product.checked_mul(extent));
    if let Some(inner) = inner {
        last.0 = last.0.max(bound / inner + i64::from(bound % inner != 0));
    }
    Ok(leaves)
}

/// A layout read at an integer.
fn read(builder: &mut MapBuilder, at: Coordinate, leaves: &[Leaf]) -> Result<Sum, Error> {
    let mut sum = Sum::default();
    let Some((&(_, last_stride), others)) = leaves.split_last() else { return Ok(sum) };
    let mut rest = at;
    for &(extent, stride) in others {
        let (more, part) = builder.split(&rest, extent)?;
        sum.add(&part, stride)?;
        rest = more;
    }
    sum.add(&rest, last_stride)?;
    Ok(sum)
}

/// A swizzle read at an integer, which is cut into the bits below, the lower of the two groups,
/// those between, the upper group and those above.
pub(in crate::map) fn swizzled(
    builder: &mut MapBuilder,
    at: &Coordinate,
    swizzle: Swizzle,
) -> Result<Sum, Error> {
    let mut sum = Sum::default();
    let bits = swizzle.bits();
    if bits == 0 {
        sum.add(at, 1)?;
        return Ok(sum);
    }
    let distance = swizzle.shift().unsigned_abs();
    let (rest, below) = builder.split(at, 1 << swizzle.base())?;
    let (rest, lower) = builder.split(&rest, 1 << bits)?;
    let (rest, between) = builder.split(&rest, 1 << (distance - bits))?;
    let (above, upper) = builder.split(&rest, 1 << bits)?;
    let flipped = match swizzle.shift() {
        0.. => [flip(builder, &lower, &upper, bits)?, vec![upper]],
        _ => [vec![lower.clone()], flip(builder, &upper, &lower, bits)?],
    };
    let [lower, upper] = flipped;
    sum.add(&below, 1)?;
    add_bits(&mut sum, &lower, swizzle.base())?;
    sum.add(&between, 1 << (swizzle.base() + bits))?;
    add_bits(&mut sum, &upper, swizzle.base() + distance)?;
    if !above.is_zero() {
        sum.add(&above, 1 << (swizzle.base() + distance + bits))?;
    }
    Ok(sum)
}

/// The bits of `number`, each flipped where `by` has a one; the lowest first.
fn flip(
    builder: &mut MapBuilder,
    number: &Coordinate,
    by: &Coordinate,
    bits: u32,
) -> Result<Vec<Coordinate>, Error> {
    if by.is_zero() {
        return Ok(vec![number.clone()]);
    }
    let (mut number, mut by) = (number.clone(), by.clone());
    let mut flipped = Vec::new();
    for _ in 0..bits {
        let (more, bit) = builder.split(&number, 2)?;
        let (more_by, flip) = builder.split(&by, 2)?;
        flipped.push(exclusive_or(builder, bit, flip)?);
        (number, by) = (more, more_by);
    }
    Ok(flipped)
}

fn exclusive_or(
    builder: &mut MapBuilder,
    a: Coordinate,
    b: Coordinate,
) -> Result<Coordinate, Error> {
    match (a.is_zero(), b.is_zero()) {
        (true, _) => Ok(b),
        (_, true) => Ok(a),
        _ => {
            let mut sum = Sum::default();
            sum.add(&a, 1)?;
            sum.add(&b, 1)?;
            let sum = Coordinate::of_digits(sum.digits, sum.base, 3);
            Ok(builder.split(&sum, 2)?.1)
        }
    }
}

/// Adds numbers of one bit from bit `lowest` up; a single number as it is.
fn add_bits(sum: &mut Sum, bits: &[Coordinate], lowest: u32) -> Result<(), Error> {
    (lowest..).zip(bits).try_for_each(|(place, bit)| sum.add(bit, 1 << place))
}

/// One more than the largest place that the integers from `lowest` to below `bound` are swizzled
/// to. Only bits below some power of two change, so it is in the last block of that size; of a
/// very large block the end is taken.
fn swizzled_allocation(swizzle: Swizzle, lowest: i64, bound: i64) -> Result<i64, Error> {
    let distance = if swizzle.shift() < 0 { swizzle.shift().unsigned_abs() } else { 0 };
    let block = 1i64.checked_shl(swizzle.base() + swizzle.bits() + distance).filter(|b| *b > 0);
    let first = block.map_or(0, |block| (bound - 1) / block * block).max(lowest);
    if bound - first <= MAX_SWIZZLED {
        let last = (first..bound).map(|offset| swizzle.apply(offset)).max();
        return checked(last.and_then(|last| last.checked_add(1)), "the allocation");
    }
    let end = block.and_then(|block| ((bound - 1) / block).checked_add(1)?.checked_mul(block));
    checked(end, "the allocation")
}
