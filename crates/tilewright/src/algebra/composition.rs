//! Composition: one layout read through another.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::domain::add_modes;
use super::levels::{Levels, MAX_LOOKED_AT, Part};
use super::mode::{Mode, layout_of, same_place};
use super::tiler::Tiler;
use super::trace::Trace;
use crate::error::{Error, invalid};
use crate::tla::{Int, IntTuple, Layout, Nested, Stride, idx2crd};

/// `A ∘ B`: the layout that goes through `A` as `B` says.
///
/// * Requires, roughly, that each stride of `B` divides what is left of a mode of `A` or is a
///   multiple of it, that its extent fills the modes it goes through, and that no two modes of
///   `B` carry into each other in a mode of `A`.
/// * Ensures `R(c) = A(B(c))` at every coordinate `c` of `B`, and `B` compatible with `R`: each
///   integer of `B`'s shape is one, or a tuple of the same size. Where `B` leads beyond the size
///   of `A`, the last mode of `A` goes on, as [`Layout::at`] does.
///
/// ```
/// use tilewright::{algebra::composition, tla::Layout};
/// let (a, b): (Layout, Layout) = ("(10,2):(16,4)".parse()?, "(3,4):(1,5)".parse()?);
/// assert_eq!(composition(&a, &b)?.to_string(), "(3,(2,2)):(16,(80,4))");
///
/// let a: Layout = "(4,6,8):(2,3,5)".parse()?;
/// let error = composition(&a, &"6:3".parse::<Layout>()?).unwrap_err();
/// assert_eq!(error.to_string(), "(4,6,8):(2,3,5) after 6:3 is no layout: its steps of 3 neither \
///     divide the 4 elements of 4:2 nor are a multiple of them");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With a [`Tiler`] of several modes each composes with a mode of `A`; modes of `A` beyond them,
/// and where the tiler says `_`, stay, as in PyCuTe. CuTe in C++ drops them:
/// [`composition_dropping`].
///
/// Where the strides of `B` are coordinates (`1@0`), each direction composes with that mode of
/// `A`.
///
/// Where the rules refuse, up to 4096 elements are looked at one by one, so that small layouts
/// are refused only if there is no such layout. CuTe in C++ returns `(2,3):(6,3)` for the refused
/// example above, and the wrong `(4,2):(1,2)` for `(4,2):(1,100) ∘ (4,2):(1,2)`, whose modes
/// carry; `pycute` 4.2 refuses more. Use [`compose`](super::compose) to have a composed layout in
/// their place.
///
/// Sources: CUTLASS, *CuTe Layout Algebra*; arXiv 2603.02298, equations 20 and 21.
///
/// # Errors
/// If there is no such layout (or none was found), the tiler does not fit, or a number does not
/// fit 64 bits.
pub fn composition(a: &Layout, b: impl Into<Tiler>) -> Result<Layout, Error> {
    composition_traced(a, &b.into(), &mut Trace::off())
}

/// [`composition`] by mode as CuTe in C++ has it: modes of `A` beyond those of the tiler are
/// dropped.
///
/// ```
/// use tilewright::algebra::{Tiler, composition, composition_dropping};
/// use tilewright::tla::Layout;
/// let (a, tiler): (Layout, Tiler) = ("(8,6,5):(1,8,48)".parse()?, "(4,3)".parse()?);
/// assert_eq!(composition(&a, &tiler)?.to_string(), "(4,3,5):(1,8,48)");
/// assert_eq!(composition_dropping(&a, &tiler)?.to_string(), "(4,3):(1,8)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`composition`].
pub fn composition_dropping(a: &Layout, tiler: &Tiler) -> Result<Layout, Error> {
    let Tiler::Modes(tilers) = tiler else { return composition(a, tiler) };
    check_rank(a, tilers)?;
    let pairs = a.modes().into_iter().zip(tilers);
    let modes = pairs.map(|(mode, tiler)| composition_dropping(&mode, tiler));
    Ok(Layout::from_modes(&modes.collect::<Result<Vec<_>, _>>()?))
}

pub(super) fn composition_traced(
    a: &Layout,
    b: &Tiler,
    trace: &mut Trace,
) -> Result<Layout, Error> {
    match b {
        Tiler::Keep => Ok(a.clone().without_org_shape()),
        Tiler::Layout(b) => of_layouts(a, b, trace),
        Tiler::Modes(tilers) => by_mode(a, tilers, |mode, tiler| {
            trace.say(|| format!("mode {mode} with {tiler}:"));
            composition_traced(mode, tiler, trace)
        }),
    }
}

/// Each of the first modes changed with its tiler, the others as they are.
pub(super) fn by_mode(
    a: &Layout,
    tilers: &[Tiler],
    mut change: impl FnMut(&Layout, &Tiler) -> Result<Layout, Error>,
) -> Result<Layout, Error> {
    check_rank(a, tilers)?;
    let mut modes = a.modes();
    for (mode, tiler) in modes.iter_mut().zip(tilers) {
        *mode = change(mode, tiler)?;
    }
    Ok(Layout::from_modes(&modes))
}

fn check_rank(a: &Layout, tilers: &[Tiler]) -> Result<(), Error> {
    if tilers.len() <= a.rank() {
        return Ok(());
    }
    invalid(format!("{} tilers are too many for the {} modes of {a}", tilers.len(), a.rank()))
}

fn of_layouts(a: &Layout, b: &Layout, trace: &mut Trace) -> Result<Layout, Error> {
    let mut targets = Targets { a, levels: BTreeMap::new() };
    let mut parts = Vec::new();
    for (&extent, stride) in b.shape().leaves().zip(b.stride().leaves()) {
        trace.say(|| format!("{extent}:{stride}"));
        let part = targets.compose(extent, stride, trace)?;
        let part = part.or_else(|rule| invalid(format!("{a} after {b} is no layout: {rule}")))?;
        parts.push(part);
    }
    let modes = parts.iter().map(|parts| sum_of_parts(parts, a, b));
    let modes = modes.collect::<Result<Vec<_>, _>>()?;
    let layout = nested_as(b.shape(), &mut modes.iter())?;
    match targets.carry(&parts, trace) {
        Some(carry) if !agrees(a, b, &layout)? => {
            invalid(format!("{a} after {b} is no layout: {carry}"))
        }
        _ => Ok(layout),
    }
}

/// A mode of the right side, for each direction it leads in.
type Parts = BTreeMap<Vec<usize>, Part>;

/// What the right side leads into: the whole of `A`, or the modes that coordinates go along.
struct Targets<'a> {
    a: &'a Layout,
    levels: BTreeMap<Vec<usize>, Levels>,
}

impl Targets<'_> {
    fn compose(
        &mut self,
        extent: Int,
        stride: &Stride,
        trace: &mut Trace,
    ) -> Result<Result<Parts, String>, Error> {
        let mut parts = Parts::new();
        for (path, count) in directions(stride) {
            let levels = self.levels(&path)?;
            trace.say(|| {
                let of: Vec<String> = levels.modes().iter().map(Mode::to_string).collect();
                format!("through {}", of.join(" "))
            });
            match levels.compose(extent, count, trace)? {
                Ok(part) => _ = parts.insert(path, part),
                Err(rule) => return Ok(Err(rule)),
            }
        }
        Ok(Ok(parts))
    }

    fn levels(&mut self, path: &[usize]) -> Result<&Levels, Error> {
        if self.has_part_or_whole_of(path) {
            return invalid(format!(
                "the strides lead into {} and into a part of it, which cannot be composed",
                self.a
            ));
        }
        if !self.levels.contains_key(path) {
            self.levels.insert(path.to_vec(), Levels::of(&self.a.mode(path)?)?);
        }
        match self.levels.get(path) {
            Some(levels) => Ok(levels),
            None => invalid("a mode is missing".to_owned()),
        }
    }

    /// Whether there is a path that leads to a part of what this one leads to, or to what it is a
    /// part of. Paths are sorted, so those that begin with one follow right after it.
    fn has_part_or_whole_of(&self, path: &[usize]) -> bool {
        let has_whole = (0..path.len()).any(|len| self.levels.contains_key(&path[..len]));
        let after = (Bound::Excluded(path), Bound::Unbounded);
        let next = self.levels.range::<[usize], _>(after).next();
        has_whole || next.is_some_and(|(other, _)| other.starts_with(path))
    }

    /// Whether the parts of one level add up to more than it has, and how.
    fn carry(&self, parts: &[Parts], trace: &mut Trace) -> Option<String> {
        let mut by_path: BTreeMap<&[usize], Vec<&Part>> = BTreeMap::new();
        for (path, part) in parts.iter().flatten() {
            by_path.entry(path).or_default().push(part);
        }
        for (path, levels) in &self.levels {
            let parts = by_path.get(path.as_slice()).map_or(&[][..], Vec::as_slice);
            if let Some(carry) = carry_in(levels, parts) {
                trace.say(|| carry.clone());
                return Some(carry);
            }
        }
        None
    }
}

fn carry_in(levels: &Levels, parts: &[&Part]) -> Option<String> {
    let [inner @ .., _] = levels.modes() else { return None };
    if inner.is_empty() {
        return None;
    }
    let moving = || parts.iter().filter(|part| part.modes.iter().any(|m| m.extent.value() > 1));
    if moving().any(|part| part.is_negative)
        && moving().any(|part| !part.is_negative && moves(part))
    {
        return Some("some of its strides are negative and some are not".to_owned());
    }
    for (number, level) in inner.iter().enumerate() {
        let tops = parts.iter().map(|part| part.tops.get(number).copied().unwrap_or(0));
        let sum: i128 = tops.map(i128::from).sum();
        if sum >= i128::from(level.extent.value()) {
            return Some(format!(
                "its modes add up to {sum} in {level}, which has {} elements, and carry",
                level.extent
            ));
        }
    }
    None
}

fn moves(part: &Part) -> bool {
    part.tops.iter().any(|&top| top != 0)
}

/// Which mode of the left side a stride leads into (all of it: the empty path) and how far. Paths
/// are outermost first, the way round that directions are written.
fn directions(stride: &Stride) -> Vec<(Vec<usize>, Int)> {
    match stride {
        Stride::Elements(count) => vec![(Vec::new(), *count)],
        Stride::Steps(steps) => steps
            .iter()
            .map(|(direction, count)| (direction.iter().rev().copied().collect(), *count))
            .collect(),
    }
}

/// What one mode of `B` becomes: the sum over the directions it leads in.
fn sum_of_parts(parts: &Parts, a: &Layout, b: &Layout) -> Result<Vec<Mode>, Error> {
    let mut parts = parts.values();
    let Some(first) = parts.next() else { return Ok(vec![Mode::trivial()]) };
    let mut sum = first.modes.clone();
    for part in parts {
        let Some(both) = add_modes(&sum, &part.modes)? else {
            return invalid(format!("{a} after {b} is no layout: a stride leads along two modes"));
        };
        sum = both;
    }
    Ok(sum)
}

/// The modes nested as the shape they refine.
fn nested_as<'m>(
    shape: &IntTuple,
    modes: &mut impl Iterator<Item = &'m Vec<Mode>>,
) -> Result<Layout, Error> {
    match shape {
        Nested::Leaf(_) => layout_of(modes.next().map_or(&[][..], Vec::as_slice)),
        Nested::Tuple(shapes) => {
            let nested = shapes.iter().map(|shape| nested_as(shape, modes));
            Ok(Layout::from_modes(&nested.collect::<Result<Vec<_>, _>>()?))
        }
    }
}

/// Whether the composition is this layout, looked at element by element where there are few.
fn agrees(a: &Layout, b: &Layout, layout: &Layout) -> Result<bool, Error> {
    let size = b.size()?.value();
    if size > MAX_LOOKED_AT {
        return Ok(false);
    }
    for index in 0..size {
        let coordinate = idx2crd(Int::dynamic(index), b.shape())?;
        let through = at_place(a, &b.at(&coordinate)?)?;
        if !same_place(&through, &layout.at(&coordinate)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where a layout leads from a place: an integer, or a coordinate as steps along directions.
///
/// ```
/// use tilewright::{algebra::at_place, tla::Layout};
/// let (a, identity): (Layout, Layout) = ("(4,8):(8,1)".parse()?, "(4,8):(1@0,1@1)".parse()?);
/// let place = identity.at(&"(2,3)".parse()?)?;
/// assert_eq!(at_place(&a, &place)?.to_string(), "19");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is no such mode, or a number does not fit 64 bits.
pub fn at_place(layout: &Layout, place: &Stride) -> Result<Stride, Error> {
    let directions = directions(place);
    let parts = directions.iter().map(|(path, count)| layout.mode(path)?.at(&Nested::Leaf(*count)));
    Stride::sum(parts)
}
