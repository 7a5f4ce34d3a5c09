//! The same memory as elements of another size.

use super::mode::{Mode, modes_of};
use crate::error::{Error, invalid};
use crate::tla::{Int, Layout, Nested, Stride};

/// The layout of elements `n` times as large: `f16` memory as `f32` is `upcast` by 2. By 1 it is the
/// layout itself.
///
/// * Requires of each mode `s:d` that `n` divides `d`, or `d` divides `n` and `n/d` (the elements
///   that become one) divides `s` or `s` divides it.
/// * Ensures `R(c div q) = L(c) div n` at every coordinate, where `q` is `n/d` for the modes whose
///   `d` divides `n`, and 1 for the others. Strides of 0 stay.
///
/// ```
/// use tilewright::{algebra::upcast, tla::{Int, Layout}};
/// let halves: Layout = "(_4,(_8,3)):(_8,(_1,_64))".parse()?;
/// assert_eq!(upcast(&halves, Int::fixed(2))?.to_string(), "(_4,(_4,3)):(_4,(_1,_32))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// CuTe in C++ takes dynamic strides for multiples of `n` unseen, rounds extents up where they do
/// not divide, and lets modes overlap; here these are refused. So are negative strides that are
/// no multiple of `n`.
///
/// # Errors
/// If `n` is not positive, a mode does not divide, the elements that become one overlap, strides
/// are coordinates, or a number does not fit 64 bits.
pub fn upcast(layout: &Layout, n: Int) -> Result<Layout, Error> {
    if n.value() < 1 {
        return invalid(format!("elements cannot be {n} times as large"));
    }
    if n.value() == 1 {
        return Ok(layout.clone().without_org_shape());
    }
    let mut inside = 0i128;
    let mut modes = Vec::new();
    for mode in modes_of(layout) {
        let (larger, gathered) = upcast_mode(&mode, n)?;
        inside += gathered;
        modes.push(larger);
    }
    if inside >= i128::from(n.value()) {
        return invalid(format!(
            "{layout} has no exact upcast by {n}: elements that become one overlap"
        ));
    }
    renewed(layout, modes)
}

/// The mode of larger elements, and the largest offset within one that the old mode reached.
fn upcast_mode(mode: &Mode, n: Int) -> Result<(Mode, i128), Error> {
    let (extent, stride) = (mode.extent, mode.stride.elements()?);
    let (s, d) = (extent.value(), stride.value());
    if d % n.value() == 0 {
        return Ok((Mode::elements(extent, if d == 0 { stride } else { stride.over(n)? }), 0));
    }
    if s == 1 {
        return Ok((Mode::elements(extent, stride.ceil_div(n)?), 0));
    }
    if d > 0 && n.value() % d == 0 {
        let pieces = n.over(stride)?;
        if s % pieces.value() == 0 || pieces.value() % s.max(1) == 0 {
            let gathered = i128::from(pieces.value().min(s) - 1) * i128::from(d);
            let larger = Mode::elements(extent.ceil_div(pieces)?, stride.ceil_div(n)?);
            return Ok((larger, gathered.max(0)));
        }
    }
    invalid(format!("{n} elements of the mode {mode} do not become one"))
}

/// The layout of elements one `n`th as large: `f32` memory as `f16` is `downcast` by 2. By 1 it is
/// the layout itself.
///
/// * Requires a mode of stride 1, unless `n` is 1.
/// * Ensures `R(c * n + r) = L(c) * n + r` for `r` below `n`, where only the coordinate along the
///   (first) mode of stride 1 is multiplied and added to.
///
/// ```
/// use tilewright::{algebra::downcast, tla::{Int, Layout}};
/// let floats: Layout = "(_4,(_4,3)):(_4,(_1,_32))".parse()?;
/// assert_eq!(downcast(&floats, Int::fixed(2))?.to_string(), "(_4,(_8,3)):(_8,(_1,_64))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// CuTe in C++ multiplies every extent whose stride is 1 or -1.
///
/// # Errors
/// If `n` is not positive, there is no mode of stride 1, strides are coordinates, or a number
/// does not fit 64 bits.
pub fn downcast(layout: &Layout, n: Int) -> Result<Layout, Error> {
    if n.value() < 1 {
        return invalid(format!("elements cannot be cut into {n}"));
    }
    if n.value() == 1 {
        return Ok(layout.clone().without_org_shape());
    }
    let mut modes = modes_of(layout);
    let strides = super::mode::element_strides(&modes)?;
    let adjacent = |longer: bool| {
        let fits = |position: &usize| {
            strides[*position].value() == 1 && (!longer || modes[*position].extent.value() != 1)
        };
        (0..modes.len()).find(fits)
    };
    let Some(adjacent) = adjacent(true).or_else(|| adjacent(false)) else {
        return invalid(format!("{layout} has no mode of stride 1, whose elements could be cut"));
    };
    for (position, (mode, stride)) in modes.iter_mut().zip(strides).enumerate() {
        if position == adjacent {
            mode.extent = mode.extent.times(n)?;
        } else {
            mode.stride = stride.times(n)?.into();
        }
    }
    renewed(layout, modes)
}

/// The layout of elements of `new_bits` in the memory of elements of `old_bits`.
///
/// * Requires and ensures as [`upcast`] by the ratio, [`downcast`] by it, or, where neither size
///   divides the other, one after the other.
///
/// ```
/// use tilewright::{algebra::recast, tla::Layout};
/// let bytes: Layout = "(8,6):(6,1)".parse()?;
/// assert_eq!(recast(&bytes, 8, 16)?.to_string(), "(8,3):(3,1)");
/// assert_eq!(recast(&bytes, 8, 4)?.to_string(), "(8,12):(12,1)");
/// assert_eq!(recast(&bytes, 8, 12)?.to_string(), "(8,4):(4,1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a size is 0, or as [`upcast`] and [`downcast`].
pub fn recast(layout: &Layout, old_bits: u32, new_bits: u32) -> Result<Layout, Error> {
    if old_bits == 0 || new_bits == 0 {
        return invalid("elements of 0 bits have no layout".to_owned());
    }
    let (old, new) = (i64::from(old_bits), i64::from(new_bits));
    let common = crate::arithmetic::gcd(old, new);
    let mut layout = layout.clone().without_org_shape();
    if old != common {
        layout = downcast(&layout, Int::fixed(old / common))?;
    }
    if new != common {
        layout = upcast(&layout, Int::fixed(new / common))?;
    }
    Ok(layout)
}

/// The layout with these modes in the place of its own.
fn renewed(layout: &Layout, modes: Vec<Mode>) -> Result<Layout, Error> {
    let (mut extents, mut strides) = (Vec::new(), Vec::new());
    for mode in modes {
        extents.push(mode.extent);
        strides.push(mode.stride);
    }
    Layout::new(refilled(layout.shape(), extents)?, refilled::<_, Stride>(layout.shape(), strides)?)
}

/// The same nesting with these values.
fn refilled<T, U>(nested: &Nested<T>, values: Vec<U>) -> Result<Nested<U>, Error> {
    let mut values = values.into_iter();
    nested.try_map(&mut |_| match values.next() {
        Some(value) => Ok(value),
        None => invalid("a mode is missing".to_owned()),
    })
}
