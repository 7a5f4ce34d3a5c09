//! Names and texts that stand in the code: they say what they say, and cannot become code.

use tilewright::IndexMap;

use crate::array::Array;
use crate::error::Error;

/// The most characters of a name.
const MAX_NAME: usize = 64;

/// Refuses what is no identifier in every language, or is reserved in some where it begins one.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_identifier = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(is_word)
        && !name.contains("__")
        && !name.ends_with('_')
        && name.len() <= MAX_NAME;
    match is_identifier {
        true => Ok(()),
        false => Err(Error::message(format!(
            "`{}` cannot begin the names of functions: expected a letter, then up to {} letters, digits and single \
             underscores, the last no underscore",
            tilewright::text::abridged(name),
            MAX_NAME - 1
        ))),
    }
}

/// A text as a part of a comment in any language: no character in it ends a comment or goes on with one.
pub(crate) fn in_comment(text: &str) -> String {
    let plain = |c: char| match c {
        '\\' | '?' => '_', // a line that goes on; trigraphs, which can be one
        ' '..='~' => c,
        _ => '_',
    };
    let text: String = text.chars().map(plain).collect();
    text.replace("*/", "* /").replace("/*", "/ *").replace("\"\"\"", "'''")
}

/// What the first lines of all code say: the layout, its sizes, its padding.
pub(crate) fn about(array: &Array) -> Vec<String> {
    let map = array.map();
    let padding = match map.is_injective() == Ok(true) {
        true if map.elements() == map.allocation() => "no padding".to_owned(),
        true => format!(
            "padding: {} slots, where `index` finds no element",
            map.allocation() - map.elements()
        ),
        false => "padding: where `index` finds no element".to_owned(),
    };
    let mut lines = vec![
        in_comment(array.text()),
        format!(
            "{} elements of {} bits, {}, in an allocation of {} elements, {} bytes",
            map.elements(),
            array.element_bits(),
            shape(map),
            map.allocation(),
            array.bytes(),
        ),
        padding,
    ];
    let expression = map.index_expression();
    if expression.len() <= 400 {
        lines.push(in_comment(&format!("offset = {expression}")));
    }
    if array.xor_mask() != 0 {
        lines.push(format!("values are stored with the bits of {:#x} flipped", array.xor_mask()));
    }
    lines
}

fn shape(map: &IndexMap) -> String {
    let dims: Vec<String> = map.dims().iter().map(i64::to_string).collect();
    format!("dims ({})", dims.join(", "))
}
