//! Memory, from one place to the next.

use super::places::{Places, gap};
use crate::axis::{Axis, Slot};
use crate::blocks::Cut;
use crate::scene::{Byte, Panel, Strip};

/// How many places of memory are drawn.
const PLACES: usize = 24;

/// Bytes are drawn with what is in them up to this many.
const BYTES: i64 = 8;

/// Memory as a strip, or nothing where there is none.
pub(crate) fn of(places: &Places<'_>) -> Option<Strip> {
    let subject = places.subject;
    let allocation = subject.map.allocation();
    if allocation == 0 || subject.map.elements() == 0 {
        return None;
    }
    let tile = subject.tile_elements();
    let is_cut = subject.is_tiled() && allocation % tile == 0 && tile < allocation;
    let cuts = if is_cut { vec![Cut { size: tile, level: 0 }] } else { Vec::new() };
    let room = PLACES.min(places.options.room.columns + 2);
    let axis = Axis::with(places.near_place(), allocation, allocation, &cuts, room);
    let first = subject.first_offset();
    let cells = axis
        .slots
        .iter()
        .map(|slot| {
            slot.index().map_or_else(gap, |place| places.at_offset(first.saturating_add(place)))
        })
        .collect();
    let labels = axis
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Place { index, .. } => places.number(first.saturating_add(*index)),
            Slot::Gap { .. } => String::new(),
        })
        .collect();
    let note = noted(places);
    let caption = "memory".to_owned();
    Some(Strip { caption, has_caption_below: false, note, places: axis, cells, labels })
}

/// Whether all of memory is drawn.
pub(crate) fn is_whole(strip: &Strip) -> bool {
    strip.places.slots.iter().all(|slot| slot.index().is_some())
}

/// Where what was pointed at lies.
fn noted(places: &Places<'_>) -> String {
    let Some(offset) = places.options.at.as_ref().and_then(|at| places.subject.offset(at)) else {
        return String::new();
    };
    match places.subject.bits() {
        Some(bits) if bits.is_multiple_of(8) => {
            format!("offset {offset} = byte {}", i128::from(offset) * i128::from(bits) / 8)
        }
        Some(bits) => {
            let bit = i128::from(offset) * i128::from(bits);
            format!("offset {offset} = byte {}, bit {}", bit.div_euclid(8), bit.rem_euclid(8))
        }
        None => format!("offset {offset}"),
    }
}

/// Elements of less than a byte, in the bits of their bytes.
pub(crate) fn bytes(places: &Places<'_>) -> Option<Panel> {
    let subject = places.subject;
    let bits = subject.bits().filter(|bits| *bits < 8 && 8 % bits == 0)?;
    let each = i64::from(8 / bits);
    let allocation = subject.map.allocation();
    let n_bytes = (allocation / each + i64::from(allocation % each != 0)).min(BYTES);
    let first = subject.first_offset();
    let byte = |number: i64| {
        let begin = number * each;
        let elements = (begin..begin + each).map(|place| match place < allocation {
            true => (bits, places.at_offset(first.saturating_add(place))),
            false => (bits, gap()),
        });
        Byte { number, elements: elements.collect() }
    };
    (n_bytes > 0).then(|| Panel::Bytes((0..n_bytes).map(byte).collect()))
}
