//! What is said in words.

use super::places::Places;
use crate::scene::{Panel, Tone, Words};
use crate::subject::Subject;

/// What a layout comes to: `15 elements of 4 bytes in 6 tiles of 2 × 2: 96 bytes, 36 of them padding
/// (37.5 %)`.
pub(crate) fn subtitle(subject: &Subject) -> String {
    let map = &subject.map;
    let (elements, allocation) = (map.elements(), map.allocation());
    let count = count(elements, "element");
    let Some(bits) = subject.bits() else {
        let padding = allocation - elements;
        let holds = match padding {
            0 => String::new(),
            n if n > 0 => {
                format!(": {} places, {} of them without an element", spaced(allocation), spaced(n))
            }
            _ => format!(" in {} places", spaced(allocation)),
        };
        return format!("{count}{}{holds}", tiles(subject));
    };
    let size = match (bits.is_multiple_of(8), bits) {
        (true, 8) => "1 byte".to_owned(),
        (true, _) => format!("{} bytes", bits / 8),
        (false, 1) => "1 bit".to_owned(),
        (false, _) => format!("{bits} bits"),
    };
    let bytes = sized(allocation, bits);
    let padding = match allocation - elements {
        0 => String::new(),
        n if n > 0 => {
            format!(
                ", {} of them padding ({} %)",
                padding_bytes(subject, bits),
                percent(n, allocation)
            )
        }
        _ => ", places shared".to_owned(),
    };
    format!("{count} of {size}{}: {bytes} bytes{padding}", tiles(subject))
}

/// ` in 6 tiles of 2 × 2`.
fn tiles(subject: &Subject) -> String {
    if !subject.is_tiled() {
        return String::new();
    }
    let count = (0..subject.rank()).map(|dim| subject.n_tiles(dim)).fold(1, i64::saturating_mul);
    let sizes: Vec<i64> = (0..subject.rank()).map(|dim| subject.tile(dim)).collect();
    // Of tiles of one element, the last size.
    let least = sizes.len().saturating_sub(1);
    let first = sizes.iter().position(|&size| size != 1).unwrap_or(least);
    let sizes: Vec<String> = sizes.into_iter().skip(first).map(spaced).collect();
    let plural = if count == 1 { "tile" } else { "tiles" };
    format!(" in {} {plural} of {}", spaced(count), sizes.join(" × "))
}

/// What the colours mean, where that is not plain to see.
pub(crate) fn legend(places: &Places<'_>) -> Option<Panel> {
    let text = places.colors.meaning();
    (!text.is_empty()).then_some(Panel::Words(Words { text, tone: Tone::Soft }))
}

/// The bytes that data does not take.
pub(crate) fn padding_bytes(subject: &Subject, bits: u32) -> String {
    let bytes = |elements: i64| (i128::from(elements) * i128::from(bits) + 7) / 8;
    let padding = bytes(subject.map.allocation()) - bytes(subject.map.elements());
    spaced(i64::try_from(padding).unwrap_or(i64::MAX))
}

/// So many elements in bytes.
pub(crate) fn sized(elements: i64, bits: u32) -> String {
    let bits = i128::from(elements) * i128::from(bits);
    spaced(i64::try_from((bits + 7) / 8).unwrap_or(i64::MAX))
}

/// A share in percent, one digit after the point; what is there is never 0.0.
pub(crate) fn percent(part: i64, whole: i64) -> String {
    let share = 100.0 * part as f64 / whole as f64;
    if part > 0 && share < 0.1 { "< 0.1".to_owned() } else { format!("{share:.1}") }
}

/// Two layouts with a word between, set apart by spaces that no renderer joins.
pub(crate) fn pair(one: &Subject, word: &str, other: &Subject) -> String {
    format!("{} \u{a0}{word}\u{a0} {}", one.said, other.said)
}

/// `1 element`, `2 elements`.
pub(crate) fn count(number: i64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", spaced(number)),
    }
}

/// A number with a thin space between its thousands: `24 576`.
pub(crate) fn spaced(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn subtitles() {
        let check = |text: &str, expected: &str| {
            let subject = Subject::of(text.parse().unwrap()).unwrap();
            assert_eq!(subtitle(&subject).replace('\u{a0}', " "), expected);
        };
        check(
            "f32[3,5]{1,0:T(2,2)}",
            "15 elements of 4 bytes in 6 tiles of 2 × 2: 96 bytes, 36 of them padding (37.5 %)",
        );
        check(
            "bf16[30,300]{1,0:T(8,128)(2,1)}",
            "9000 elements of 2 bytes in 12 tiles of 8 × 128: 24 576 bytes, 6576 of them padding (26.8 %)",
        );
        check("s4[3,5]{1,0:E(4)}", "15 elements of 4 bits: 8 bytes");
        check("u8[]", "1 element of 1 byte: 1 bytes");
        check("Sw<3,0,3> o 0 o (8,8):(8,1)", "64 elements");
        check("(4,4):(0,1)", "16 elements in 4 places");
        check(
            "f32[1000000,1]{1,0:T(8,128)}",
            "1 000 000 elements of 4 bytes in 125 000 tiles of 8 × 128: 512 000 000 bytes, 508 000 000 of them padding (99.2 %)",
        );
    }
}
