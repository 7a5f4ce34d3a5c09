//! The arithmetic of one index, written out with its numbers.

use super::places::{Places, joined};
use crate::options::Error;
use crate::place::Place;
use crate::scene::{Panel, Tone, Words};

/// `(2,3) ↦ (2 div 2)·12 + (3 div 2)·4 + (2 mod 2)·2 + (3 mod 2) = 12 + 4 + 0 + 1 = 17`, of the index
/// that was pointed at.
pub(crate) fn of(places: &Places<'_>) -> Result<Option<Panel>, Error> {
    let Some(at) = &places.options.at else { return Ok(None) };
    let place = Place::of_index(&places.subject.said, at)?;
    let text = place.sum().map(|sum| format!("({}) ↦ {sum}", joined(at)));
    Ok(text.map(|text| Panel::Words(Words { text, tone: Tone::Arithmetic })))
}
