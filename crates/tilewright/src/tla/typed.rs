//! A layout with the type of its elements in front: `f16 ((_16,2),(_16,3)):(…)`.

use std::fmt;
use std::str::FromStr;

use super::{Layout, parse};
use crate::ElementType;
use crate::text::{Cursor, Diagnostic, TokenKind};

/// A layout, and perhaps the type of its elements: with one it has a size in bytes.
///
/// ```
/// use tilewright::tla::TypedLayout;
/// let typed: TypedLayout = "f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)".parse()?;
/// assert_eq!(typed.bytes()?, Some(3072));
/// assert_eq!("(4):(1)".parse::<TypedLayout>()?.bytes()?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Typed<L> {
    /// The type of the elements, if it is said.
    pub element_type: Option<ElementType>,
    /// The layout.
    pub layout: L,
}

/// A layout of shape and stride, and perhaps the type of its elements.
pub type TypedLayout = Typed<Layout>;

impl<L> Typed<L> {
    /// The bits that an element takes: those of its type, so that types below a byte are packed,
    /// as on Ascend and in CuTe. `pred` takes a byte.
    pub fn element_bits(&self) -> Option<u32> {
        self.element_type.map(|element_type| match element_type {
            ElementType::Pred => 8,
            other => other.bits(),
        })
    }

    /// Reads an element type, if one stands in front, and then a layout.
    pub(crate) fn read(
        text: &str,
        layout: impl FnOnce(&mut Cursor<'_>) -> Result<L, Diagnostic>,
    ) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let element_type = element_type(&mut cursor)?;
        let layout = layout(&mut cursor)?;
        cursor.expect_end("the layout")?;
        Ok(Typed { element_type, layout })
    }
}

impl<L: fmt::Display> fmt::Display for Typed<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(element_type) = self.element_type {
            write!(f, "{element_type} ")?;
        }
        self.layout.fmt(f)
    }
}

impl FromStr for Typed<Layout> {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Typed::read(text, parse::layout)
    }
}

/// The name of an element type in XLA's spelling, if a word stands there.
fn element_type(cursor: &mut Cursor<'_>) -> Result<Option<ElementType>, Diagnostic> {
    let name = cursor.peek();
    if name.kind != TokenKind::Word || name.text.starts_with('_') || name.text == "Sw" {
        return Ok(None);
    }
    let found = name.text.parse().map_err(|_| {
        cursor
            .error(name.span, format!("unknown element type {}", name.described()))
            .expected("an element type such as `f16`, or a layout such as `(4,8):(8,1)`")
    })?;
    cursor.take()?;
    Ok(Some(found))
}
