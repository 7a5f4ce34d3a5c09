//! How a text could go on.

use serde::{Deserialize, Serialize};
use tilewright::formats::tpu::{Chip, default_shape};
use tilewright::{ArrayShape, ElementType};

/// How could the text of a layout go on?
///
/// ```
/// use tilewright_ask::Complete;
/// let answer = Complete { text: "bf16[30,300]".to_owned(), cursor: 12 }.answer();
/// assert!(answer.items.iter().any(|item| item.text == "{1,0:T(8,128)(2,1)}"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Complete {
    /// The text.
    pub text: String,
    /// How many bytes of it stand before the cursor.
    pub cursor: usize,
}

/// How it could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Completions {
    /// The bytes that are replaced.
    pub span: [usize; 2],
    /// By what.
    pub items: Vec<Completion>,
}

/// Something that could stand there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Completion {
    /// It.
    pub text: String,
    /// What it means.
    pub says: String,
}

/// What may stand behind the order of the dimensions.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("T(8,128)", "tiles of 8 × 128"),
    ("T(8,128)(2,1)", "tiles of 8 × 128, rows in pairs"),
    ("T(8,128)(4,1)", "tiles of 8 × 128, rows in fours"),
    ("E(4)", "elements of 4 bits"),
    ("L(1024)", "memory padded to a multiple of 1024 elements"),
    ("S(1)", "memory space 1"),
];

impl Complete {
    /// The answer.
    pub fn answer(&self) -> Completions {
        let cursor = (0..=self.cursor.min(self.text.len()))
            .rev()
            .find(|&at| self.text.is_char_boundary(at))
            .unwrap_or(0);
        let before = &self.text[..cursor];
        let word_start = before
            .char_indices()
            .rev()
            .take_while(|(_, c)| c.is_ascii_alphanumeric())
            .last()
            .map_or(cursor, |(at, _)| at);
        let (head, word) = before.split_at(word_start);
        let inside = head.rfind('{').is_some_and(|open| !head[open..].contains('}'));
        let items = match () {
            () if head.trim().is_empty() => types(word),
            () if inside && head.contains(':') => attributes(word),
            () if before.ends_with(']') => layouts(before),
            () => Vec::new(),
        };
        Completions { span: [word_start, cursor], items }
    }
}

fn types(word: &str) -> Vec<Completion> {
    let begins = |element_type: &&ElementType| {
        let name = element_type.xla_name();
        name.starts_with(&word.to_ascii_lowercase()) && name != word
    };
    let item = |element_type: &ElementType| {
        let (name, bits) = (element_type.numpy_name(), element_type.bits());
        Completion {
            text: element_type.xla_name().to_owned(),
            says: format!("{name}, {bits} bits"),
        }
    };
    ElementType::ALL.iter().filter(begins).map(item).collect()
}

fn attributes(word: &str) -> Vec<Completion> {
    let begins = |(text, _): &&(&str, &str)| text.starts_with(word);
    let item = |(text, says): &(&str, &str)| Completion {
        text: (*text).to_owned(),
        says: (*says).to_owned(),
    };
    ATTRIBUTES.iter().filter(begins).map(item).collect()
}

/// Whole layouts of an array: in rows, in columns, and what each TPU generation gives it.
fn layouts(before: &str) -> Vec<Completion> {
    let Ok(shape) = before.parse::<ArrayShape>() else { return Vec::new() };
    let rank = shape.rank();
    let order = |numbers: Vec<usize>| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        format!("{{{}}}", numbers.join(","))
    };
    let mut items = vec![Completion {
        text: order((0..rank).rev().collect()),
        says: "in rows: the last dimension lies closest".to_owned(),
    }];
    if rank > 1 {
        let says = "in columns: the first dimension lies closest".to_owned();
        items.push(Completion { text: order((0..rank).collect()), says });
    }
    for chip in Chip::ALL {
        let Ok(there) = default_shape(&shape, chip) else { continue };
        let Some(layout) = there.layout().map(ToString::to_string) else { continue };
        match items.iter_mut().find(|item| item.text == layout) {
            Some(item) => item.says += &format!(", TPU {}", chip.name()),
            None => items.push(Completion { text: layout, says: format!("TPU {}", chip.name()) }),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, cursor: usize) -> (Vec<String>, [usize; 2]) {
        let answer = Complete { text: text.to_owned(), cursor }.answer();
        (answer.items.into_iter().map(|item| item.text).collect(), answer.span)
    }

    #[test]
    fn types_attributes_and_layouts() {
        let (items, span) = texts("bf", 2);
        assert_eq!((items, span), (vec!["bf16".to_owned()], [0, 2]));
        let (items, span) = texts("f32[3,5]{1,0:T", 14);
        assert!(items.contains(&"T(8,128)".to_owned()) && span == [13, 14], "{items:?}");
        assert!(items.iter().all(|item| item.starts_with('T')), "{items:?}");
        let (items, _) = texts("f32[3,5]", 8);
        assert!(items.starts_with(&["{1,0}".to_owned(), "{0,1}".to_owned()]), "{items:?}");
        assert!(items.len() > 2, "{items:?}");
    }

    #[test]
    fn any_cursor_has_an_answer() {
        for text in ["", "β", "f32[β]{", "tuple", "f32[3]{0:β"] {
            for cursor in 0..=text.len() + 3 {
                texts(text, cursor);
            }
        }
    }
}
