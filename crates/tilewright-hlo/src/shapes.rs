//! Shapes in a module: tuples taken apart, and each array's text read once.
//!
//! A module repeats few texts many times, so what an array takes is worked out once for each text.

use hashbrown::HashMap;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use tilewright::xla::{ParseOptions, parse_shape};
use tilewright::{ArrayShape, IndexMap, Shape};

use crate::scan;

/// Tuples deeper than this are not taken apart. Real ones nest three deep.
pub const MAX_TUPLE_NESTING: usize = 32;

/// The text of one array's shape is at most this many bytes.
pub const MAX_ARRAY_TEXT: usize = 4096;

/// What is known of an array by its shape and layout.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) shape: ArrayShape,
    /// The canonical text.
    pub(crate) text: Arc<str>,
    /// What it takes in memory, as XLA's allocator counts it.
    pub(crate) bytes: i64,
    /// What its elements take.
    pub(crate) logical_bytes: i64,
    map: OnceCell<Option<IndexMap>>,
}

impl Array {
    /// An array of this shape.
    ///
    /// The bytes are XLA's own count, so that sums agree with the compiler's; where XLA has none
    /// (a tile with `*`), the exact one.
    pub(crate) fn new(shape: ArrayShape) -> Result<Self, tilewright::Error> {
        let bytes = match shape.xla_bytes()? {
            Some(bytes) => bytes,
            None => shape.bytes()?,
        };
        let logical_bytes = shape.logical_bytes()?;
        Ok(Array {
            text: shape.to_string().into(),
            shape,
            bytes,
            logical_bytes,
            map: OnceCell::new(),
        })
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_ARRAY_TEXT {
            return Err(format!("a shape of {} bytes, more than {MAX_ARRAY_TEXT}", text.len()));
        }
        let options = ParseOptions { fill_missing_layouts: false, ..ParseOptions::default() };
        let parsed = parse_shape(text, options).map_err(|error| error.message().to_owned())?;
        match parsed.value {
            Shape::Array(array) | Shape::Buffer(array) => {
                Array::new(array).map_err(|error| error.to_string())
            }
            other => Err(format!("{} where an array was expected", other.kind_name())),
        }
    }

    /// Where its elements lie; `None` where a number does not fit.
    pub(crate) fn map(&self) -> Option<&IndexMap> {
        self.map.get_or_init(|| self.shape.index_map().ok()).as_ref()
    }

    /// What of its bytes is no data. Below 0 never: a split array (`SC`) is counted by its largest
    /// part.
    pub(crate) fn padding_bytes(&self) -> i64 {
        self.bytes.saturating_sub(self.logical_bytes).max(0)
    }
}

/// Every array text that was met, read.
#[derive(Debug, Default)]
pub(crate) struct Shapes<'a> {
    read: HashMap<&'a str, Option<Rc<Array>>>,
    /// The texts that could not be read, and why.
    refused: Vec<(&'a str, String)>,
}

impl<'a> Shapes<'a> {
    /// The array with this text; `None` where it cannot be read.
    pub(crate) fn array(&mut self, text: &'a str) -> Option<Rc<Array>> {
        if let Some(known) = self.read.get(text) {
            return known.clone();
        }
        let array = match Array::parse(text) {
            Ok(array) => Some(Rc::new(array)),
            Err(reason) => {
                self.refused.push((text, reason));
                None
            }
        };
        self.read.insert(text, array.clone());
        array
    }

    /// The array that a whole shape is, if it is one.
    pub(crate) fn single(&mut self, text: &'a str) -> Option<Rc<Array>> {
        let text = text.trim();
        if text.starts_with('(') || is_handle(text) { None } else { self.array(text) }
    }

    /// The texts refused since this was asked last.
    pub(crate) fn take_refused(&mut self) -> Vec<(&'a str, String)> {
        std::mem::take(&mut self.refused)
    }
}

/// A shape in a tuple that is no tuple, and the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf<'a> {
    pub(crate) text: &'a str,
    /// Positions in tuples, outermost first. Empty where the whole shape is the leaf.
    pub(crate) path: Vec<u32>,
}

impl Leaf<'_> {
    /// The name of a leaf of something: `name{1,0}`, or just `name` where there is no tuple.
    pub(crate) fn name(&self, name: &str) -> String {
        if self.path.is_empty() {
            return name.to_owned();
        }
        let path: Vec<String> = self.path.iter().map(u32::to_string).collect();
        format!("{name}{{{}}}", path.join(","))
    }
}

/// The arrays in a shape's text: everything in its tuples but tokens and other handles. Nothing of
/// what is nested too deep.
pub(crate) fn arrays(text: &str) -> Arrays<'_> {
    Arrays { next: Some(text.trim_ascii()), open: Vec::new() }
}

/// The arrays of a shape, left to right.
pub(crate) struct Arrays<'a> {
    next: Option<&'a str>,
    /// The tuples around `next`: the number of the part after the one that was taken, and the rest.
    open: Vec<(u32, &'a str)>,
}

impl<'a> Iterator for Arrays<'a> {
    type Item = Leaf<'a>;

    fn next(&mut self) -> Option<Leaf<'a>> {
        loop {
            let part = self.next?;
            if let Some(content) = tuple_content(part) {
                if self.open.len() < MAX_TUPLE_NESTING {
                    self.open.push((0, content));
                }
                self.next = next_part(&mut self.open);
                continue;
            }
            let path = self.open.iter().map(|(number, _)| number - 1).collect();
            self.next = next_part(&mut self.open);
            if !part.is_empty() && !is_handle(part) {
                return Some(Leaf { text: part, path });
            }
        }
    }
}

/// The next part of the innermost tuple that has one; tuples that are through are closed.
fn next_part<'a>(open: &mut Vec<(u32, &'a str)>) -> Option<&'a str> {
    loop {
        let (number, rest) = open.last_mut()?;
        if rest.is_empty() {
            open.pop();
            continue;
        }
        let comma = scan::Depth::default().find(rest.as_bytes(), |byte| byte == b',');
        let (part, after) = match comma {
            Some(at) => (rest.get(..at).unwrap_or(rest), rest.get(at + 1..).unwrap_or("")),
            None => (*rest, ""),
        };
        *number = number.saturating_add(1);
        *rest = after;
        return Some(scan::without_comments(part));
    }
}

fn tuple_content(text: &str) -> Option<&str> {
    Some(text.strip_prefix('(')?.strip_suffix(')').unwrap_or("").trim())
}

/// Whether a shape is a token or an opaque value, which hold no array.
fn is_handle(text: &str) -> bool {
    ["token[", "opaque["].iter().any(|name| text.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let leaves: Vec<Leaf<'_>> = arrays(text).collect();
        let found: Vec<(String, &str)> =
            leaves.iter().map(|leaf| (leaf.name("x"), leaf.text)).collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), *b)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn tuples_are_taken_apart() {
        check("f32[2,3]{1,0:T(8,128)}", &[("x", "f32[2,3]{1,0:T(8,128)}")]);
        check("token[]", &[]);
        check("()", &[]);
        check(
            "(f32[2]{0}, (s8[], token[], /*index=5*/s4[3,4]{1,0}), ())",
            &[("x{0}", "f32[2]{0}"), ("x{1,0}", "s8[]"), ("x{1,2}", "s4[3,4]{1,0}")],
        );
    }

    #[test]
    fn deep_tuples_are_left_alone() {
        let deep = format!("{}f32[]{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(arrays(&deep).next(), None);
    }

    #[test]
    fn each_text_is_read_once() {
        let mut shapes = Shapes::default();
        let first = shapes.array("u32[12582912,1]{1,0:T(8,128)}").unwrap();
        assert_eq!((first.bytes, first.logical_bytes), (6 << 30, 48 << 20));
        let again = shapes.array("u32[12582912,1]{1,0:T(8,128)}").unwrap();
        assert!(Rc::ptr_eq(&first, &again));
        assert!(shapes.array("f99[2]").is_none());
        assert!(shapes.array("f99[2]").is_none());
        assert_eq!(shapes.take_refused().len(), 1);
    }
}
