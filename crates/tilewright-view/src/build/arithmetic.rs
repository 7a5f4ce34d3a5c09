//! The arithmetic of one index, written out with its numbers.

use tilewright::map::{Digit, Source};

use super::places::{Places, joined};
use crate::options::Error;
use crate::scene::{Panel, Tone, Words};

/// `(2,3) ↦ (2 div 2)·12 + (3 div 2)·4 + (2 mod 2)·2 + (3 mod 2) = 12 + 4 + 0 + 1 = 17`, of the index
/// that was pointed at.
pub(crate) fn of(places: &Places<'_>) -> Result<Option<Panel>, Error> {
    let Some(at) = &places.options.at else { return Ok(None) };
    let map = &places.subject.map;
    let offset = map.offset(at)?;
    let mut merged = Vec::new();
    for coordinate in map.merged() {
        let value = coordinate.digits().iter().map(|digit| term(digit, at, &merged).1).sum::<i64>();
        merged.push(coordinate.base() + value);
    }
    let mut terms: Vec<(String, i64)> =
        map.digits().iter().map(|digit| term(digit, at, &merged)).collect();
    if map.base() != 0 || terms.is_empty() {
        terms.push((map.base().to_string(), map.base()));
    }
    let (written, values): (Vec<String>, Vec<String>) =
        terms.into_iter().map(|(text, value)| (text, value.to_string())).unzip();
    let sum = match values.len() {
        1 => String::new(),
        _ => format!(" = {}", values.join(" + ")),
    };
    let text = format!("({}) ↦ {}{sum} = {offset}", joined(at), written.join(" + "));
    let text = text.replace("+ -", "- ");
    Ok(Some(Panel::Words(Words { text, tone: Tone::Arithmetic })))
}

/// A digit with the number of its source, and what it comes to.
fn term(digit: &Digit, index: &[i64], merged: &[i64]) -> (String, i64) {
    let source = match digit.source {
        Source::Dim(dim) => index.get(dim),
        Source::Merged(number) => merged.get(number),
    };
    let source = source.copied().unwrap_or(0);
    let value = digit.value(source).saturating_mul(digit.stride);
    let divided = match digit.divisor {
        1 => source.to_string(),
        divisor => format!("{source} div {divisor}"),
    };
    let taken = match (digit.modulus, digit.divisor) {
        (Some(modulus), 1) => format!("({divided} mod {modulus})"),
        (Some(modulus), _) => format!("(({divided}) mod {modulus})"),
        (None, 1) => divided,
        (None, _) => format!("({divided})"),
    };
    let text = if digit.stride == 1 { taken } else { format!("{taken}·{}", digit.stride) };
    (text, value)
}
