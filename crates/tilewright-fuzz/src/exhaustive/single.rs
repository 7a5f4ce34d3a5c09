//! What holds of one layout: places, sizes, the way back, the text, and the same layout in other notations.

use tilewright::algebra::Composition;
use tilewright::map::Notation;
use tilewright::xla::{Layout, TileDim};
use tilewright::{IndexMap, Shape};

use super::range::Described;
use super::reference::{Placed, Tile, digits, indices, is_chain, placed};
use super::report::Report;

/// One layout, its map and where its elements are to be.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) text: String,
    pub(super) dims: Vec<i64>,
    pub(super) map: IndexMap,
    pub(super) offsets: Vec<i64>,
    pub(super) allocation: i64,
    pub(super) has_star: bool,
}

/// Reads a layout and holds what is asked of it alone to where its elements are to be.
pub(super) fn checked(dims: &[i64], layout: Described, report: &mut Report) -> Option<Case> {
    let Described { minor_to_major, tiles, text } = layout;
    let expected = placed(dims, &minor_to_major, &tiles);
    let read = text.parse::<Shape>();
    report.hold("text: read", read.is_ok(), || text.clone());
    let shape = read.ok()?;
    report.hold("text: printed as it was read", shape.to_string() == text, || {
        format!("{text} is printed as {shape}")
    });
    let map = shape.index_map();
    report.hold("map: made", map.is_ok(), || text.clone());
    let map = map.ok()?;
    check_places(&map, &expected, &text, report);
    check_size(&map, &expected, &text, report);
    let has_star = tiles.iter().flatten().any(Option::is_none);
    let allocation = expected.allocation();
    Some(Case { text, dims: dims.to_vec(), map, offsets: expected.offsets, allocation, has_star })
}

/// Each index leads to its offset, each offset to its index or to padding, and none is shared.
fn check_places(map: &IndexMap, expected: &Placed, text: &str, report: &mut Report) {
    let mut inverse = vec![None; expected.allocation() as usize];
    let mut is_shared = false;
    for (index, &offset) in indices(map.dims()).into_iter().zip(&expected.offsets) {
        let found = map.offset(&index);
        report.hold("offset of an index", found == Ok(offset), || {
            format!("{text} at {index:?}: {found:?}, and {offset} by hand")
        });
        is_shared |= inverse[offset as usize].replace(index).is_some();
    }
    let all = map.offsets();
    report.hold("offsets of an array", all.as_ref() == Ok(&expected.offsets), || {
        format!("{text}: {all:?}, and {:?} by hand", expected.offsets)
    });
    let injective = map.is_injective();
    report.hold("injective", !is_shared && injective == Ok(true), || {
        format!("{text}: {injective:?}, and shared places by hand: {is_shared}")
    });
    for (offset, index) in inverse.iter().enumerate() {
        let found = map.index(offset as i64);
        report.hold("index of an offset, or padding", found.as_ref() == Ok(index), || {
            format!("{text} at offset {offset}: {found:?}, and {index:?} by hand")
        });
    }
    for beyond in [-1, expected.allocation()] {
        report.hold("no index beyond memory", map.index(beyond).is_err(), || {
            format!("{text} at offset {beyond}")
        });
    }
}

fn check_size(map: &IndexMap, expected: &Placed, text: &str, report: &mut Report) {
    let slots = expected.allocation();
    let sizes = (map.elements(), map.lowest_offset(), map.allocation(), map.padded_elements());
    let own = (expected.offsets.len() as i64, 0, slots, slots);
    report.hold("sizes: elements, allocation", sizes == own, || {
        format!("{text}: {sizes:?}, and {own:?} by hand")
    });
    report.hold("sizes: physical dims", map.physical_dims() == expected.bounds, || {
        format!("{text}: {:?}, and {:?} by hand", map.physical_dims(), expected.bounds)
    });
    for bits in [1, 4, 6, 8, 16] {
        let found = map.bytes(bits);
        let bytes = (slots * i64::from(bits) + 7) / 8;
        report.hold("sizes: bytes", found == Ok(bytes), || {
            format!("{text} of {bits} bits: {found:?}, and {bytes} by hand")
        });
    }
}

/// The form of a map may keep a merged coordinate and its offsets be a shape and stride.
const MERGED: &str = "a shape and stride is said though a coordinate is merged";

/// The layout in the other notations, for each map once: back again it is the same function of as much memory, or there is a
/// reason why not.
pub(super) fn check_lifted(case: &Case, report: &mut Report) {
    let Case { text, dims, map, offsets, .. } = case;
    let own = if offsets.is_empty() { None } else { digits(dims, offsets) };
    for (notation, law) in
        [(Notation::Tla, "to TLA and back"), (Notation::Cute, "to CuTe and back")]
    {
        let lifted = map.to_notation(notation, 8);
        if own.is_some() && !map.is_separable() {
            let is_said = match &lifted {
                Ok(_) => true,
                Err(reason) => reason.to_string().contains("the allocation is"),
            };
            report.hold(MERGED, is_said, || {
                format!("{text}: {lifted:?}, and its digits are {own:?}")
            });
        }
        match lifted {
            Ok(lifted) => {
                report
                    .hold(law, is_same(case, &lifted, notation), || format!("{text} as {lifted}"));
            }
            Err(reason) => {
                let reached = offsets.iter().max().map_or(0, |last| last + 1);
                let is_true = match &reason.to_string() {
                    words if words.contains("no elements") => offsets.is_empty(),
                    words if words.contains("the allocation is") => reached < case.allocation,
                    _ => own.is_none(),
                };
                report.hold("no TLA or CuTe: the reason is true", is_true, || {
                    format!("{text}: {reason}, and its digits are {own:?}")
                });
            }
        }
    }
    match map.to_xla_layout() {
        Ok(lifted) => {
            let tiles: Vec<Tile> = lifted.tiles().iter().map(|t| tile(t.dims())).collect();
            let again = placed(dims, lifted.minor_to_major().as_slice(), &tiles);
            report.hold("to XLA and back", again.offsets == *offsets, || {
                format!("{text} as {lifted}")
            });
            check_text(&lifted, text, report);
        }
        Err(reason) => {
            let is_true = own.as_ref().is_none_or(|digits| !is_chain(digits));
            report.hold("no XLA by shape and stride: the reason is true", is_true, || {
                format!("{text}: {reason}, and its digits are {own:?}")
            });
        }
    }
    if let (false, Some(own)) = (case.has_star, own) {
        report.hold("theorem: without `*`, strides form a chain", is_chain(&own), || {
            format!("{text} is {own:?}")
        });
    }
}

fn check_text(lifted: &Layout, text: &str, report: &mut Report) {
    let again = lifted.to_string().parse::<Layout>();
    report.hold("to XLA: the text is read again", again.as_ref() == Ok(lifted), || {
        format!("{text} as {lifted}")
    });
}

pub(super) fn tile(sizes: &[TileDim]) -> Tile {
    let size = |size: &TileDim| match size {
        TileDim::Size(size) => Some(*size),
        TileDim::Combine => None,
    };
    sizes.iter().map(size).collect()
}

/// A text of shape and stride has the offsets of the layout and, with the original shape, as much memory. Without it, an index
/// of the array is one of the padded shape too.
fn is_same(case: &Case, lifted: &str, notation: Notation) -> bool {
    let Ok(composition) = lifted.parse::<Composition>() else { return false };
    let Ok(map) = IndexMap::from_composition(&composition) else { return false };
    if map.allocation() != case.allocation {
        return false;
    }
    if notation == Notation::Tla && map.dims() != case.dims {
        return false;
    }
    let all = indices(&case.dims);
    all.iter().zip(&case.offsets).all(|(index, offset)| map.offset(index) == Ok(*offset))
}
