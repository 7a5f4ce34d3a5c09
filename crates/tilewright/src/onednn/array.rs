//! A tag with the array it is of.

use std::fmt;

use super::Tag;
use crate::text::{Diagnostic, Span};
use crate::{ElementType, bare};

/// An array in oneDNN's memory: `f32[2,35,7,7] aBcd16b`.
///
/// What oneDNN's verbose mode prints is read, too: one memory descriptor, with or without the name
/// of the argument, and after a blank the dimensions. It is read if it says all: no offsets, no
/// strides of its own, nothing behind the elements.
///
/// ```
/// use tilewright::onednn::TaggedArray;
/// let array: TaggedArray = "f32[2,35,7,7] nChw16c".parse()?;
/// assert_eq!(array.to_string(), "f32[2,35,7,7] aBcd16b");
/// assert_eq!(array.bytes()?, 2 * 48 * 7 * 7 * 4);
/// let pasted: TaggedArray = "dst:f32:p:blocked:aBcd16b::f0 2x35x7x7".parse()?;
/// assert_eq!(pasted, array);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaggedArray {
    /// The type of the elements.
    pub element_type: ElementType,
    /// The sizes of the dimensions, dimension 0 first.
    pub dims: Vec<i64>,
    /// How they lie.
    pub tag: Tag,
}

impl TaggedArray {
    /// The bits that an element takes: those of its type, since oneDNN packs types below a byte.
    /// A truth value takes a byte.
    pub fn element_bits(&self) -> u32 {
        match self.element_type {
            ElementType::Pred => 8,
            other => other.bits(),
        }
    }
}

impl fmt::Display for TaggedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bare::write(f, self.element_type, &self.dims)?;
        write!(f, " {}", self.tag)
    }
}

/// The tag is to have a letter for each dimension.
pub(super) fn check_rank(
    text: &str,
    tag: &Tag,
    rank: usize,
    place: Span,
) -> Result<(), Diagnostic> {
    if tag.rank() == rank {
        return Ok(());
    }
    let message = format!("the tag has {} dimensions, and the array has {rank}", tag.rank());
    let written = text.get(place.start..place.end).unwrap_or("");
    let start = place.start + (written.len() - written.trim_start().len());
    Err(Diagnostic::error(text, Span::new(start, start + written.trim().len()), message))
}
