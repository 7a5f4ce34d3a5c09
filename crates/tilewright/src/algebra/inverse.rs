//! From offsets back to coordinates, and what two layouts have in common.

use super::levels::Levels;
use super::mode::prefix_products;
use super::mode::{Mode, coalesced_modes, element_strides, joined, layout_of};
use super::trace::Trace;
use crate::arithmetic::gcd;
use crate::error::{Error, invalid};
use crate::tla::{Int, Layout};

/// The layout that finds the element at each offset, as far as offsets follow one another from 0.
///
/// * Requires strides that count elements.
/// * Ensures `L(R(k)) = k` for every `k` below the size of `R`; made of whole modes of the
///   coalesced layout, and of the most elements where modes share a stride. Modes that do not fit
///   (stride 0, negative, beyond a gap) are passed over.
///
/// ```
/// use tilewright::{algebra::right_inverse, tla::Layout};
/// let layout: Layout = "(4,8):(8,1)".parse()?;
/// let inverse = right_inverse(&layout)?;
/// assert_eq!(inverse.to_string(), "(8,4):(4,_1)"); // offset 9 is element 1·1 + 1·4 = 5
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// CuTe in C++ also passes over strides it does not know when a kernel is compiled, and takes the
/// first of two modes that share a stride.
///
/// # Errors
/// If strides are coordinates, or a number does not fit 64 bits.
pub fn right_inverse(layout: &Layout) -> Result<Layout, Error> {
    right_inverse_traced(layout, &mut Trace::off())
}

pub(super) fn right_inverse_traced(layout: &Layout, trace: &mut Trace) -> Result<Layout, Error> {
    layout_of(&joined(inverse_modes(layout, trace)?)?)
}

/// The modes of the right inverse, not joined.
fn inverse_modes(layout: &Layout, trace: &mut Trace) -> Result<Vec<Mode>, Error> {
    let modes = coalesced_modes(layout)?;
    let prefixes = prefix_products(&modes)?;
    let strides = element_strides(&modes)?;
    let next = furthest(&modes, &strides)?;
    let mut inverse = Vec::new();
    let mut end = Int::fixed(1);
    while let Some(position) = best(&strides, &next, end.value()) {
        let (mode, prefix) = (&modes[position], prefixes[position]);
        trace.say(|| {
            format!("{mode} goes on at offset {end}, element {prefix}: {}:{prefix}", mode.extent)
        });
        inverse.push(Mode::elements(mode.extent, prefix));
        end = end.times(mode.extent)?;
    }
    trace.say(|| format!("no mode goes on at offset {end}"));
    Ok(inverse)
}

/// For each mode, how far offsets go on from its beginning.
fn furthest(modes: &[Mode], strides: &[Int]) -> Result<Vec<i64>, Error> {
    let mut order: Vec<usize> = (0..modes.len()).collect();
    order.sort_by_key(|&position| std::cmp::Reverse(strides[position].value()));
    let mut reach = vec![0; modes.len()];
    for position in order {
        let (extent, stride) = (modes[position].extent, strides[position]);
        if extent.value() > 1 && stride.value() > 0 {
            let end = extent.times(stride)?.value();
            reach[position] = best(strides, &reach, end).map_or(end, |next| reach[next]);
        }
    }
    Ok(reach)
}

/// The mode that begins at an offset and goes furthest; the first of several.
fn best(strides: &[Int], reach: &[i64], begins: i64) -> Option<usize> {
    let fits = |position: &usize| strides[*position].value() == begins && reach[*position] > 0;
    (0..strides.len()).filter(fits).max_by_key(|&p| (reach[p], std::cmp::Reverse(p)))
}

/// The layout that takes each offset of `L` back to its element.
///
/// * Requires strides, other than 0, that form a chain: sorted, each is a multiple of the
///   previous one and at least that one times its extent.
/// * Ensures `L(R(L(i))) = L(i)` for every `i` below the size of `L`; and `R(L(i)) = i` where no
///   stride is 0. Offsets that `L` leaves out go anywhere.
///
/// ```
/// use tilewright::{algebra::left_inverse, tla::Layout};
/// let padded: Layout = "(4,8):(1,5)".parse()?;
/// assert_eq!(left_inverse(&padded)?.to_string(), "(5,8):(_1,4)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `pycute` 4.2 returns `4:1` here, which takes offset 5 to 5. Where strides form no chain, as in
/// `(2,2):(2,3)`, a left inverse may still exist; CuTe in C++, PyCuTe and this function refuse
/// it, `pycute` 4.2 and tensor-layouts 0.3.2 return layouts that are none.
///
/// # Errors
/// If strides are negative, overlap, form no chain or are coordinates, or a number does not fit
/// 64 bits.
pub fn left_inverse(layout: &Layout) -> Result<Layout, Error> {
    left_inverse_traced(layout, &mut Trace::off())
}

pub(super) fn left_inverse_traced(layout: &Layout, trace: &mut Trace) -> Result<Layout, Error> {
    let modes = coalesced_modes(layout)?;
    if modes.iter().any(|mode| mode.extent.value() == 0) {
        return layout_of(&[]);
    }
    let prefixes = prefix_products(&modes)?;
    let strides = element_strides(&modes)?;
    let mut order: Vec<usize> = (0..modes.len()).filter(|&p| strides[p].value() != 0).collect();
    order.sort_by_key(|&position| strides[position].value());
    let (mut inverse, mut unit, mut end) = (Vec::new(), Int::fixed(1), Int::fixed(1));
    let (mut below, mut last) = (Int::fixed(0), Int::fixed(1));
    for position in order {
        let (mode, stride) = (&modes[position], strides[position]);
        check_link(layout, mode, stride, unit, end)?;
        let extent = stride.over(unit)?;
        trace.say(|| {
            format!("{mode} begins at {stride}, {extent} steps of {unit}: {extent}:{below}")
        });
        inverse.push(Mode::elements(extent, below));
        (unit, end, below, last) =
            (stride, stride.times(mode.extent)?, prefixes[position], mode.extent);
    }
    trace.say(|| format!("the last one takes the rest: {last}:{below}"));
    inverse.push(Mode::elements(last, below));
    layout_of(&joined(inverse.into_iter().filter(|mode| mode.extent.value() != 1))?)
}

fn check_link(layout: &Layout, mode: &Mode, stride: Int, unit: Int, end: Int) -> Result<(), Error> {
    let because = if stride.value() < 0 {
        "is negative".to_owned()
    } else if stride.value() < end.value() {
        format!("is less than the {end} that smaller strides reach: elements may share an offset")
    } else if stride.value() % unit.value() != 0 {
        format!("is no multiple of the next smaller stride {unit}")
    } else {
        return Ok(());
    };
    invalid(format!("{layout} has no left inverse that is a chain: the stride of {mode} {because}"))
}

/// The longest run of elements that lie at 0, 1, 2, … in both layouts: what may be copied from one
/// to the other in one piece.
///
/// * Requires strides that count elements.
/// * Ensures `A(R(i)) = B(R(i)) = i` for every `i` below the size of `R`, which is made of modes
///   of the [`right_inverse`] of `B`, the last one cut where `A` no longer goes along.
///
/// ```
/// use tilewright::{algebra::max_common_layout, tla::Layout};
/// let (a, b): (Layout, Layout) = ("(8,(4,2)):(4,(1,32))".parse()?, "(8,8):(8,1)".parse()?);
/// assert_eq!(max_common_layout(&a, &b)?.to_string(), "4:8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// CuTe in C++ takes static modes only, and whole ones.
///
/// # Errors
/// If strides are coordinates, or a number does not fit 64 bits.
pub fn max_common_layout(a: &Layout, b: &Layout) -> Result<Layout, Error> {
    let levels = Levels::of(a)?;
    element_strides(levels.modes())?;
    let size = a.size()?;
    let mut common = Vec::new();
    let mut end = Int::fixed(1);
    let mut used = vec![0i128; levels.modes().len()];
    for mode in inverse_modes(b, &mut Trace::off())? {
        let step = mode.stride.elements()?;
        if levels.at(step)?.elements()?.value() != end.value() || step.value() >= size.value() {
            break;
        }
        let extent = run_in(&levels, step, mode.extent, &mut used)?;
        common.push(Mode::elements(extent, step));
        end = end.times(extent)?;
        if extent.value() != mode.extent.value() {
            break;
        }
    }
    layout_of(&joined(common.into_iter().filter(|mode| mode.extent.value() != 1))?)
}

/// How many steps, at most `extent`, never carry from one level into the next.
fn run_in(levels: &Levels, step: Int, extent: Int, used: &mut [i128]) -> Result<Int, Error> {
    let mut rest = step;
    let mut digits = Vec::new();
    let mut run = i128::from(extent.value());
    for (level, used) in levels.modes().iter().zip(used.iter()) {
        let size = level.extent.value().max(1);
        let digit = i128::from(rest.value() % size);
        if let Some(more) = (i128::from(size) - 1 - used).checked_div(digit) {
            run = run.min(more + 1);
        }
        digits.push(digit);
        rest = Int::dynamic(rest.value() / size);
    }
    for (used, digit) in used.iter_mut().zip(digits) {
        *used += digit * (run - 1);
    }
    let run = i64::try_from(run).unwrap_or(extent.value());
    Ok(if run == extent.value() { extent } else { Int::dynamic(run) })
}

/// The number of elements of [`max_common_layout`]: the widest vector that both layouts hold in
/// one piece.
///
/// ```
/// use tilewright::{algebra::max_common_vector, tla::Layout};
/// let (a, b): (Layout, Layout) = ("(8,8):(1,8)".parse()?, "(8,8):(1,16)".parse()?);
/// assert_eq!(max_common_vector(&a, &b)?.value(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`max_common_layout`].
pub fn max_common_vector(a: &Layout, b: &Layout) -> Result<Int, Error> {
    max_common_layout(a, b)?.size()
}

/// How many elements at a time the layout's memory can be taken: the largest `N` for which
/// [`upcast`](super::upcast) by `N` is exact and makes one element of each `N`.
///
/// * Requires strides that count elements.
/// * Ensures that each run of `N` offsets from a multiple of `N` is all in the layout or all out
///   of it, as long as strides do not overlap. 1 where there is no mode of stride 1.
///
/// ```
/// use tilewright::{algebra::max_alignment, tla::Layout};
/// assert_eq!(max_alignment(&"(8,4):(1,12)".parse()?)?.value(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// CuTe in C++ looks at what is static only, and takes the rest for aligned.
///
/// # Errors
/// If strides are coordinates, or a number does not fit 64 bits.
pub fn max_alignment(layout: &Layout) -> Result<Int, Error> {
    let modes = coalesced_modes(layout)?;
    let mut outside: Vec<i64> = element_strides(&modes)?.iter().map(|d| d.value()).collect();
    let mut links = Vec::new();
    let mut unit = 1i64;
    for link in inverse_modes(layout, &mut Trace::off())? {
        if let Some(place) = outside.iter().position(|&step| step == unit) {
            outside.swap_remove(place);
        }
        links.push((link.extent.value(), unit));
        unit = unit.saturating_mul(link.extent.value());
    }
    let steps = outside.iter().fold(0, |all, &step| gcd(all, step));
    let fitting = links.iter().filter(|(_, unit)| steps % unit == 0);
    let largest = fitting.map(|&(extent, unit)| unit * gcd(extent, steps / unit)).max();
    Ok(Int::dynamic(largest.unwrap_or(1)))
}
