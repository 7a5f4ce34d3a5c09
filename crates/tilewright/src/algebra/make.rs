//! Layouts made from a shape.

use super::coalesce::filter_zeros;
use super::mode::{Mode, layout_of};
use super::structure::take;
use crate::error::{Error, invalid};
use crate::tla::{Int, IntTuple, Layout, Nested, Stride, compact_col_major};

/// The strides of a dense layout of this shape, the rightmost integer next to each other.
///
/// ```
/// use tilewright::{algebra::compact_row_major, tla::IntTuple};
/// let shape: IntTuple = "(2,(3,4))".parse()?;
/// assert_eq!(compact_row_major(&shape)?.to_string(), "(12,(4,_1))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Extents of 1 have a stride like others; CuTe in C++ writes `_0` for static ones.
///
/// # Errors
/// If one does not fit 64 bits.
pub fn compact_row_major(shape: &IntTuple) -> Result<Nested<Stride>, Error> {
    let n_leaves = shape.leaves().count();
    let mut descending = (0..n_leaves).rev();
    compact_by(shape, &shape.map(|_| descending.next().unwrap_or(0)))
}

/// The strides of a dense layout of this shape in a given order: the integer with the lowest
/// order next to each other, then the next one; of equal ones the leftmost first. An order for a
/// tuple is that of each of its integers.
///
/// ```
/// use tilewright::{algebra::compact_order, tla::IntTuple};
/// let (shape, order): (IntTuple, IntTuple) = ("(2,(3,4),5)".parse()?, "(3,1,2)".parse()?);
/// assert_eq!(compact_order(&shape, &order)?.to_string(), "(60,(_1,3),12)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the order does not fit the shape, or a stride does not fit 64 bits.
pub fn compact_order(shape: &IntTuple, order: &IntTuple) -> Result<Nested<Stride>, Error> {
    if !order.is_weakly_congruent(shape) {
        return invalid(format!("the order {order} does not fit the shape {shape}"));
    }
    compact_by(shape, &spread(order, shape))
}

/// The order of each integer of a shape.
fn spread(order: &IntTuple, shape: &IntTuple) -> Nested<i64> {
    match (order, shape) {
        (Nested::Leaf(order), shape) => shape.map(|_| order.value()),
        (Nested::Tuple(orders), shape) => Nested::Tuple(
            orders
                .iter()
                .zip(shape.elements())
                .map(|(order, shape)| spread(order, shape))
                .collect(),
        ),
    }
}

/// The strides by increasing key, congruent with the shape.
fn compact_by<K: Ord>(shape: &IntTuple, keys: &Nested<K>) -> Result<Nested<Stride>, Error> {
    let extents: Vec<Int> = shape.leaves().copied().collect();
    let mut order: Vec<(usize, &K)> = keys.leaves().enumerate().collect();
    order.sort_by_key(|&(_, key)| key);
    let mut strides = vec![Int::fixed(1); extents.len()];
    let mut next = Ok(Int::fixed(1));
    for (position, _) in order {
        let stride = next?;
        strides[position] = stride;
        next = stride.times(extents[position]);
    }
    let mut strides = strides.into_iter();
    Ok(shape.map(|_| strides.next().unwrap_or(Int::fixed(0)).into()))
}

/// The dense layout of this shape in a given order, see [`compact_order`].
///
/// ```
/// use tilewright::{algebra::make_ordered_layout, tla::IntTuple};
/// let (shape, order): (IntTuple, IntTuple) = ("(_2,_3,_4)".parse()?, "(2,0,1)".parse()?);
/// assert_eq!(make_ordered_layout(&shape, &order)?.to_string(), "(_2,_3,_4):(_12,_1,_3)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`compact_order`].
pub fn make_ordered_layout(shape: &IntTuple, order: &IntTuple) -> Result<Layout, Error> {
    Layout::new(shape.clone(), compact_order(shape, order)?)
}

/// A dense layout of the same shape whose modes are in the same order; strides of 0 stay.
///
/// * Requires strides that count elements.
/// * Ensures that strides, by magnitude, are ordered as before; and that no offset is left out.
///
/// ```
/// use tilewright::{algebra::make_layout_like, tla::Layout};
/// let padded: Layout = "(2,3,4,5):(0,42,1,0)".parse()?;
/// assert_eq!(make_layout_like(&padded)?.to_string(), "(2,3,4,5):(0,4,_1,0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If strides are coordinates, or a number does not fit 64 bits.
pub fn make_layout_like(layout: &Layout) -> Result<Layout, Error> {
    let keys = layout
        .stride()
        .try_map(&mut |stride| stride.elements().map(|count| count.value().unsigned_abs()))?;
    let dense = compact_by(filter_zeros(layout)?.shape(), &keys)?;
    let mut old = layout.stride().leaves();
    let stride = dense.map(|new| match old.next() {
        Some(old) if old.is_zero() => old.clone(),
        _ => new.clone(),
    });
    Layout::new(layout.shape().clone(), stride)
}

/// [`make_layout_like`] with the first mode innermost and column-major, whatever it was: an
/// atom's registers first, then the atoms in their order.
///
/// ```
/// use tilewright::{algebra::make_fragment_like, tla::Layout};
/// let layout: Layout = "((2,2),3,4):((64,16),8,1)".parse()?;
/// assert_eq!(make_fragment_like(&layout)?.to_string(), "((2,2),3,4):((_1,2),16,4)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`make_layout_like`].
pub fn make_fragment_like(layout: &Layout) -> Result<Layout, Error> {
    if layout.shape().is_leaf() || layout.rank() == 0 {
        return make_layout_like(layout);
    }
    let first = with_dense_strides(&layout.mode(&[0])?)?;
    let rest = make_layout_like(&take(layout, 1..layout.rank())?)?;
    let span = filter_zeros(&first)?.size()?;
    let stride = rest.stride().try_map(&mut |stride| stride.times(span))?;
    let mut modes = vec![first];
    modes.extend(Layout::new(rest.shape().clone(), stride)?.modes());
    Ok(Layout::from_modes(&modes))
}

fn with_dense_strides(mode: &Layout) -> Result<Layout, Error> {
    let dense = compact_col_major(filter_zeros(mode)?.shape())?;
    let mut old = mode.stride().leaves();
    let stride = dense.map(|new| match old.next() {
        Some(old) if old.is_zero() => old.clone(),
        _ => new.clone(),
    });
    Layout::new(mode.shape().clone(), stride)
}

/// The layout that takes each coordinate to itself: its strides are coordinates.
///
/// ```
/// use tilewright::{algebra::make_identity_layout, tla::IntTuple};
/// let shape: IntTuple = "(4,(2,3))".parse()?;
/// let identity = make_identity_layout(&shape)?;
/// assert_eq!(identity.to_string(), "(4,(2,3)):(_1@0,(_1@0@1,_1@1@1))");
/// assert_eq!(identity.at(&"(3,(1,2))".parse()?)?.to_string(), "3@0+1@0@1+2@1@1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If an extent is negative.
pub fn make_identity_layout(shape: &IntTuple) -> Result<Layout, Error> {
    Layout::new(shape.clone(), basis(shape, &mut Vec::new()))
}

/// One step along each integer; `path` leads to the tuple, outermost first.
fn basis(shape: &IntTuple, path: &mut Vec<usize>) -> Nested<Stride> {
    let Nested::Tuple(shapes) = shape else {
        let direction: Vec<usize> = path.iter().rev().copied().collect();
        return Nested::Leaf(Stride::along(Int::fixed(1), &direction));
    };
    let mut strides = Vec::new();
    for (position, shape) in shapes.iter().enumerate() {
        path.push(position);
        strides.push(basis(shape, path));
        path.pop();
    }
    Nested::Tuple(strides)
}

/// The layout `shape:stride` of flat modes, as [`Tiler`](super::Tiler)s and tests write them.
///
/// ```
/// use tilewright::algebra::make_flat_layout;
/// assert_eq!(make_flat_layout(&[4, 8], &[1, 5])?.to_string(), "(4,8):(1,5)");
/// assert_eq!(make_flat_layout(&[4], &[2])?.to_string(), "4:2");
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// # Errors
/// If there are not as many strides as extents, or an extent is negative.
pub fn make_flat_layout(extents: &[i64], strides: &[i64]) -> Result<Layout, Error> {
    if extents.len() != strides.len() {
        return invalid(format!("{} extents and {} strides", extents.len(), strides.len()));
    }
    let pairs = extents.iter().zip(strides);
    let modes = pairs.map(|(&s, &d)| Mode::elements(Int::dynamic(s), Int::dynamic(d)));
    layout_of(&modes.collect::<Vec<_>>())
}

/// The layout with every stride taken `factor` times.
///
/// ```
/// use tilewright::{algebra::scale, tla::{Int, Layout}};
/// let layout: Layout = "(4,8):(1,5)".parse()?;
/// assert_eq!(scale(&layout, Int::dynamic(2))?.to_string(), "(4,8):(2,10)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a stride does not fit 64 bits.
pub fn scale(layout: &Layout, factor: Int) -> Result<Layout, Error> {
    let stride = layout.stride().try_map(&mut |stride| stride.times(factor))?;
    Layout::new(layout.shape().clone(), stride)
}
