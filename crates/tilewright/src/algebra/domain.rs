//! Layouts over the same coordinates: sums, kernels, common shapes.

use super::fit::fit;
use super::levels::{Levels, MAX_LOOKED_AT};
use super::mode::prefix_products;
use super::mode::{Mode, coalesced_modes, flat_layout_of, joined, layout_of, modes_of};
use crate::arithmetic::gcd;
use crate::error::{Error, invalid};
use crate::tla::{Int, IntTuple, Layout, Nested};

/// The elements that a layout takes to 0 because strides are 0.
///
/// * Ensures `L(R(i)) = 0`, a size of `size(L) / size(filter(L))`, and increasing `R`.
///
/// ```
/// use tilewright::{algebra::nullspace, tla::Layout};
/// let layout: Layout = "(2,4,6):(1,0,2)".parse()?;
/// assert_eq!(nullspace(&layout)?.to_string(), "4:2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a size does not fit 64 bits.
pub fn nullspace(layout: &Layout) -> Result<Layout, Error> {
    let modes = modes_of(layout);
    let prefixes = prefix_products(&modes)?;
    let zeros = modes
        .iter()
        .zip(prefixes)
        .filter(|(mode, _)| mode.stride.is_zero() && mode.extent.value() != 1);
    layout_of(&joined(zeros.map(|(mode, prefix)| Mode::elements(mode.extent, prefix)))?)
}

/// The sum of two layouts.
///
/// * Requires the same size, and a shape that both can be given.
/// * Ensures `R(i) = A(i) + B(i)` for every integer `i` below the size, and a coalesced `R`.
///
/// ```
/// use tilewright::{algebra::layout_add, tla::Layout};
/// let (a, b): (Layout, Layout) = ("(4,3):(1,4)".parse()?, "(4,3):(3,1)".parse()?);
/// assert_eq!(layout_add(&a, &b)?.to_string(), "(4,3):(4,5)");
/// let (rows, columns): (Layout, Layout) = ("(5,4):(1@0,0)".parse()?, "(5,4):(0,1@1)".parse()?);
/// assert_eq!(layout_add(&rows, &columns)?.to_string(), "(5,4):(1@0,1@1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where there is no common shape, up to 4096 elements are looked at one by one.
///
/// # Errors
/// If the sizes differ, the sum is no layout, elements and coordinates would be added, or a
/// number does not fit 64 bits.
pub fn layout_add(a: &Layout, b: &Layout) -> Result<Layout, Error> {
    let size = a.size()?;
    if size.value() != b.size()?.value() {
        return invalid(format!("{a} and {b} differ in size and cannot be added"));
    }
    match add_modes(&coalesced_modes(a)?, &coalesced_modes(b)?)? {
        Some(modes) => layout_of(&joined(modes)?),
        None => match fitted_sum(a, b, size)? {
            Some(modes) => layout_of(&modes),
            None => invalid(format!("the sum of {a} and {b} is no layout: no shape fits both")),
        },
    }
}

fn fitted_sum(a: &Layout, b: &Layout, size: Int) -> Result<Option<Vec<Mode>>, Error> {
    if size.value() > MAX_LOOKED_AT || size.value() == 0 {
        return Ok(None);
    }
    let (a, b) = (Levels::of(a)?, Levels::of(b)?);
    let values = (0..size.value()).map(|index| {
        let index = Int::dynamic(index);
        a.at(index)?.plus(&b.at(index)?)
    });
    fit(&values.collect::<Result<Vec<_>, _>>()?, size.is_static())
}

/// The sum of two lists of modes of the same size, if one's extents can be cut where the other's
/// end.
pub(super) fn add_modes(a: &[Mode], b: &[Mode]) -> Result<Option<Vec<Mode>>, Error> {
    let (mut a, mut b) = (Feed::of(a), Feed::of(b));
    let mut sum = Vec::new();
    while let (Some(left), Some(right)) = (a.next(), b.next()) {
        let (s, t) = (left.extent, right.extent);
        let piece = match (s.value(), t.value()) {
            (s_value, t_value) if s_value == t_value => s,
            (s_value, t_value) if t_value != 0 && s_value % t_value == 0 => t,
            (s_value, t_value) if s_value != 0 && t_value % s_value == 0 => s,
            _ => return Ok(None),
        };
        sum.push(Mode::new(piece, left.stride.plus(&right.stride)?));
        a.take(piece)?;
        b.take(piece)?;
    }
    Ok((a.next().is_none() && b.next().is_none()).then_some(sum))
}

/// Modes taken piece by piece.
struct Feed {
    /// The next one last.
    modes: Vec<Mode>,
}

impl Feed {
    fn of(modes: &[Mode]) -> Self {
        let kept = modes.iter().rev().filter(|mode| mode.extent.value() != 1);
        Feed { modes: kept.cloned().collect() }
    }

    fn next(&self) -> Option<&Mode> {
        self.modes.last()
    }

    /// Takes that many elements of the next mode.
    fn take(&mut self, piece: Int) -> Result<(), Error> {
        let Some(mode) = self.modes.last_mut() else { return Ok(()) };
        if mode.extent.value() == piece.value() {
            self.modes.pop();
            return Ok(());
        }
        mode.stride = mode.stride.times(piece)?;
        mode.extent = mode.extent.over(piece)?;
        Ok(())
    }
}

/// The coarsest flat shape that both shapes can be given: it ends where either ends.
///
/// * Requires the same size, and that where one shape ends, the other is divided evenly.
/// * Ensures that both shapes' layouts are layouts of it.
///
/// ```
/// use tilewright::algebra::common_refinement;
/// let shape = common_refinement(&"(4,6)".parse()?, &"(8,3)".parse()?)?;
/// assert_eq!(shape.to_string(), "(4,2,3)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is none, or a size does not fit 64 bits.
pub fn common_refinement(a: &IntTuple, b: &IntTuple) -> Result<IntTuple, Error> {
    let modes = |shape: &IntTuple| {
        let extents = shape.leaves().map(|&extent| Mode::elements(extent, Int::fixed(0)));
        extents.collect::<Vec<_>>()
    };
    match add_modes(&modes(a), &modes(b))? {
        Some(sum) => Ok(Nested::Tuple(sum.iter().map(|mode| Nested::Leaf(mode.extent)).collect())),
        None => invalid(format!("the shapes {a} and {b} have no common refinement")),
    }
}

/// The finest flat shape that both shapes refine: it ends where both end.
///
/// * Requires the same size.
/// * Ensures that its layouts are layouts of both.
///
/// ```
/// use tilewright::algebra::common_coarsening;
/// let shape = common_coarsening(&"(4,6,5)".parse()?, &"(8,3,5)".parse()?)?;
/// assert_eq!(shape.to_string(), "(24,5)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the sizes differ or do not fit 64 bits, or a shape has an extent of 0.
pub fn common_coarsening(a: &IntTuple, b: &IntTuple) -> Result<IntTuple, Error> {
    if a.product()?.value() != b.product()?.value() || a.product()?.value() == 0 {
        return invalid(format!("the shapes {a} and {b} differ in size or are empty"));
    }
    let ends = ends_of(b)?;
    let mut shape = Vec::new();
    let mut begin = Int::fixed(1);
    for end in ends_of(a)? {
        let is_new = end.value() != begin.value();
        if is_new && ends.iter().any(|other| other.value() == end.value()) {
            shape.push(Nested::Leaf(end.over(begin)?));
            begin = end;
        }
    }
    Ok(Nested::Tuple(shape))
}

fn ends_of(shape: &IntTuple) -> Result<Vec<Int>, Error> {
    let mut end = Int::fixed(1);
    shape
        .leaves()
        .map(|&extent| {
            end = end.times(extent)?;
            Ok(end)
        })
        .collect()
}

/// The elements that two shapes have in common: a flat layout that selects them from either.
///
/// * Requires extents above 0.
/// * Ensures increasing offsets, a size that divides both sizes, and that the column-major
///   layouts of both shapes compose with it. For a shape with itself it is all of it.
///
/// ```
/// use tilewright::algebra::greatest_common_domain;
/// let common = greatest_common_domain(&"(5,3,4)".parse()?, &"(10,6)".parse()?)?;
/// assert_eq!(common.to_string(), "(5,2):(_1,30)");
/// assert_eq!(greatest_common_domain(&"(5,3)".parse()?, &"(3,5)".parse()?)?.to_string(), "(_1):(_0)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: PyCuTe, `greatest_common_domain`.
///
/// # Errors
/// If an extent is 0, or a number does not fit 64 bits.
pub fn greatest_common_domain(a: &IntTuple, b: &IntTuple) -> Result<Layout, Error> {
    if a.leaves().chain(b.leaves()).any(|extent| extent.value() < 1) {
        return invalid(format!("the shapes {a} and {b} must have elements"));
    }
    let (mut a, mut b) = (Walk::along(a), Walk::along(b));
    let mut common = Vec::new();
    while let (Some(left), Some(right)) = (a.rest(), b.rest()) {
        let place = least_common_multiple(a.begin, b.begin)?;
        let (skip_a, skip_b) = (place.over(a.begin)?, place.over(b.begin)?);
        if left.value() % skip_a.value() == 0 && right.value() % skip_b.value() == 0 {
            let (left, right) = (left.over(skip_a)?, right.over(skip_b)?);
            let shared = common_factor(left, right);
            if shared.value() != 1 {
                common.push(Mode::elements(shared, place));
                let end = place.times(shared)?;
                a.cut(end, left.over(shared)?);
                b.cut(end, right.over(shared)?);
                continue;
            }
        }
        pass_first(&mut a, left, &mut b, right)?;
    }
    if common.is_empty() {
        common.push(Mode::trivial());
    }
    flat_layout_of(&common)
}

/// Passes the extent that ends first; both where neither end divides the other.
fn pass_first(a: &mut Walk, left: Int, b: &mut Walk, right: Int) -> Result<(), Error> {
    let (end_a, end_b) = (a.begin.times(left)?, b.begin.times(right)?);
    let a_is_first = end_b.value() % end_a.value() == 0;
    let b_is_first = end_a.value() % end_b.value() == 0;
    if a_is_first || !b_is_first {
        a.cut(end_a, Int::fixed(1));
    }
    if b_is_first || !a_is_first {
        b.cut(end_b, Int::fixed(1));
    }
    Ok(())
}

/// A shape walked from the left: where the next extent begins, and what is left of it.
struct Walk {
    begin: Int,
    /// The next one last; none is 1.
    extents: Vec<Int>,
}

impl Walk {
    fn along(shape: &IntTuple) -> Self {
        let mut extents: Vec<Int> = shape.leaves().copied().filter(|e| e.value() != 1).collect();
        extents.reverse();
        Walk { begin: Int::fixed(1), extents }
    }

    fn rest(&self) -> Option<Int> {
        self.extents.last().copied()
    }

    /// Goes on to `begin`, with so much left of the extent.
    fn cut(&mut self, begin: Int, rest: Int) {
        self.begin = begin;
        self.extents.pop();
        if rest.value() != 1 {
            self.extents.push(rest);
        }
    }
}

fn common_factor(a: Int, b: Int) -> Int {
    let factor = gcd(a.value(), b.value());
    if a.is_static() && b.is_static() { Int::fixed(factor) } else { Int::dynamic(factor) }
}

fn least_common_multiple(a: Int, b: Int) -> Result<Int, Error> {
    a.over(common_factor(a, b))?.times(b)
}

/// `n` elements (or as many as divide) chosen from a shape mode by mode: from each extent the
/// greatest common divisor with what is still wanted.
///
/// * Requires `n` and all extents above 0.
/// * Ensures a size that divides `n`, increasing offsets, and that the column-major layout of the
///   shape composes with it.
///
/// ```
/// use tilewright::{algebra::domain_distribute, tla::Int};
/// let six = domain_distribute(&"(_15,_14)".parse()?, Int::fixed(6))?;
/// assert_eq!(six.to_string(), "(_3,_2):(_1,_15)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: CUTLASS, `domain_distribute`.
///
/// # Errors
/// If one is not positive, or a number does not fit 64 bits.
pub fn domain_distribute(shape: &IntTuple, n: Int) -> Result<Layout, Error> {
    if n.value() < 1 || shape.leaves().any(|extent| extent.value() < 1) {
        return invalid(format!("{n} elements cannot be chosen from the shape {shape}"));
    }
    let mut wanted = n;
    let mut begin = Int::fixed(1);
    let mut chosen = Vec::new();
    for &extent in shape.leaves() {
        let part = common_factor(extent, wanted);
        chosen.push(Mode::elements(part, begin));
        wanted = wanted.over(part)?;
        begin = begin.times(extent)?;
    }
    layout_of(&joined(chosen.into_iter().filter(|mode| mode.extent.value() != 1))?)
}
