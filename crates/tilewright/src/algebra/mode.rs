//! Layouts as flat lists of modes, which is what most operations work on.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::tla::{Int, IntTuple, Layout, Nested, Stride};

/// One integer of a shape, and its stride.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    pub(super) extent: Int,
    pub(super) stride: Stride,
}

impl Mode {
    pub(super) fn new(extent: Int, stride: Stride) -> Self {
        Mode { extent, stride }
    }

    pub(super) fn elements(extent: Int, stride: Int) -> Self {
        Mode { extent, stride: stride.into() }
    }

    /// The mode that has one coordinate: `_1:_0`.
    pub(super) fn trivial() -> Self {
        Mode::elements(Int::fixed(1), Int::fixed(0))
    }

    /// Whether `next` goes on where this mode ends, so that the two are one longer mode.
    fn runs_into(&self, next: &Mode) -> bool {
        self.stride.times(self.extent).is_ok_and(|end| same_place(&end, &next.stride))
    }
}

impl std::fmt::Display for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.extent, self.stride)
    }
}

/// The integers of a layout, left to right.
pub(super) fn modes_of(layout: &Layout) -> Vec<Mode> {
    let pairs = layout.shape().leaves().zip(layout.stride().leaves());
    pairs.map(|(&extent, stride)| Mode::new(extent, stride.clone())).collect()
}

/// `_1:_0` of no mode, `4:2` of one, `(4,8):(2,16)` of more.
pub(super) fn layout_of(modes: &[Mode]) -> Result<Layout, Error> {
    match modes {
        [] => layout_of(&[Mode::trivial()]),
        [mode] => Layout::new(Nested::Leaf(mode.extent), Nested::Leaf(mode.stride.clone())),
        _ => flat_layout_of(modes),
    }
}

/// A layout of depth 1, whatever the number of modes.
pub(super) fn flat_layout_of(modes: &[Mode]) -> Result<Layout, Error> {
    let shape = modes.iter().map(|mode| Nested::Leaf(mode.extent)).collect();
    let stride = modes.iter().map(|mode| Nested::Leaf(mode.stride.clone())).collect();
    Layout::new(Nested::Tuple(shape), Nested::Tuple(stride))
}

/// Neighbours that run on joined.
pub(super) fn joined(modes: impl IntoIterator<Item = Mode>) -> Result<Vec<Mode>, Error> {
    let mut joined: Vec<Mode> = Vec::new();
    for mode in modes {
        push_joined(&mut joined, mode)?;
    }
    Ok(joined)
}

/// Adds a mode behind others, as part of the last one where it goes on from there. Says whether
/// it does.
pub(super) fn push_joined(modes: &mut Vec<Mode>, mode: Mode) -> Result<bool, Error> {
    match modes.last_mut() {
        Some(last) if last.runs_into(&mode) => {
            last.extent = last.extent.times(mode.extent)?;
            Ok(true)
        }
        _ => {
            modes.push(mode);
            Ok(false)
        }
    }
}

/// The modes with more than one coordinate (or none), neighbours that run on joined.
pub(super) fn coalesced_modes(layout: &Layout) -> Result<Vec<Mode>, Error> {
    joined(modes_of(layout).into_iter().filter(|mode| mode.extent.value() != 1))
}

/// Whether two strides lead to the same place, static or not.
pub(super) fn same_place(a: &Stride, b: &Stride) -> bool {
    match (a, b) {
        (Stride::Elements(a), Stride::Elements(b)) => a.value() == b.value(),
        _ => counts(a) == counts(b),
    }
}

fn counts(stride: &Stride) -> BTreeMap<&[usize], i64> {
    let mut counts = BTreeMap::new();
    match stride {
        Stride::Elements(count) => _ = counts.insert(&[][..], count.value()),
        Stride::Steps(steps) => counts
            .extend(steps.iter().map(|(direction, count)| (direction.as_slice(), count.value()))),
    }
    counts.retain(|_, count| *count != 0);
    counts
}

/// For each mode the product of the extents before it, then the product of all.
pub(super) fn prefix_products(modes: &[Mode]) -> Result<Vec<Int>, Error> {
    let mut products = vec![Int::fixed(1)];
    for mode in modes {
        let product = products.last().copied().unwrap_or(Int::fixed(1)).times(mode.extent)?;
        products.push(product);
    }
    Ok(products)
}

/// The element stride of each mode.
pub(super) fn element_strides(modes: &[Mode]) -> Result<Vec<Int>, Error> {
    modes.iter().map(|mode| mode.stride.elements()).collect()
}

/// The layout of this shape, integers taken from the left: `shape:compact strides`.
pub(super) fn compact(shape: IntTuple) -> Result<Layout, Error> {
    let stride = crate::tla::compact_col_major(&shape)?;
    Layout::new(shape, stride)
}
