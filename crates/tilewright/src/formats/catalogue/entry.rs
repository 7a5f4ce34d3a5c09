//! What the catalogue says of a layout.

use super::place::{Asked, Placed};
use crate::error::Error;

/// A layout with a name.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name, as it stands behind `@`.
    pub name: &'static str,
    /// What may or must stand in parentheses behind it.
    pub arguments: &'static [Argument],
    /// What it holds, and for which library and hardware.
    pub summary: &'static str,
    /// The dimensions, by the letters that [`extents`](Self::extents) speaks of.
    pub dims: &'static str,
    /// Which extents there are layouts for, and which are padded.
    pub extents: &'static str,
    /// The bits that an element may have; any where there are none.
    pub bits: &'static [u32],
    /// How the library stores codes, whatever their type here.
    pub stored: Stored,
    /// The byte that fills places without an element.
    pub padding: u8,
    /// An array that it takes, for documents and tests.
    pub example: &'static str,
    /// Where it is written down.
    pub source: &'static str,
    pub(super) place: fn(&Asked<'_>) -> Result<Placed, Error>,
}

/// An argument of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Argument {
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or none.
    Optional(&'static [&'static str]),
    /// A number above 0, which is called so.
    Number(&'static str),
}

/// How a library stores integer codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stored {
    /// As they are, signed or not.
    AsTheyAre,
    /// As unsigned numbers, half of the range added to signed ones: their topmost bit is flipped.
    Unsigned,
    /// As signed numbers, half of the range taken from unsigned ones.
    Signed,
}

impl Entry {
    /// The name with each choice of arguments: `trtllm(w4a16,sm80)` and so on. Where an argument is a number, what it
    /// is called stands for it.
    pub fn spellings(&self) -> Vec<String> {
        let mut lists: Vec<Vec<&str>> = vec![Vec::new()];
        for argument in self.arguments {
            let (words, may_lack) = match argument {
                Argument::Word(words) => (words.to_vec(), false),
                Argument::Optional(words) => (words.to_vec(), true),
                Argument::Number(called) => (vec![*called], false),
            };
            let without = if may_lack { lists.clone() } else { Vec::new() };
            let with = lists.iter().flat_map(|list| {
                words.iter().map(move |word| [list.as_slice(), &[*word]].concat())
            });
            lists = without.into_iter().chain(with).collect();
        }
        lists.iter().map(|list| spelled(self.name, list)).collect()
    }
}

/// `name(a,b)`, or just the name.
pub(super) fn spelled<Text: AsRef<str>>(name: &str, arguments: &[Text]) -> String {
    if arguments.is_empty() {
        return name.to_owned();
    }
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    format!("{name}({})", arguments.join(","))
}
