//! Printing, character for character what XLA prints.
//!
//! Source: `Layout::Print` in `layout.cc`; `ShapeUtil::PrintHumanStringWithLayout`.

use std::fmt::{self, Display as _};

use crate::shape::{ArrayShape, Shape};
use crate::xla::{Layout, Padding, SplitConfig};

/// A shape that prints without its layouts, as XLA's `Shape::ToString()` does by default.
#[derive(Clone, Copy, Debug)]
pub struct WithoutLayout<'a>(&'a Shape);

impl Shape {
    /// The shape, to be printed without layouts.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let shape: Shape = "(f32[3,5]{1,0:T(2,2)}, s8[])".parse()?;
    /// assert_eq!(shape.without_layouts().to_string(), "(f32[3,5], s8[])");
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn without_layouts(&self) -> WithoutLayout<'_> {
        WithoutLayout(self)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_shape(f, self, &write_array)
    }
}

impl fmt::Display for WithoutLayout<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_shape(f, self.0, &write_bare_array)
    }
}

impl fmt::Display for ArrayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_array(f, self)
    }
}

type WriteArray = dyn Fn(&mut fmt::Formatter<'_>, &ArrayShape) -> fmt::Result;

fn write_shape(f: &mut fmt::Formatter<'_>, shape: &Shape, array: &WriteArray) -> fmt::Result {
    match shape {
        Shape::Array(shape) => array(f, shape),
        Shape::Token => f.write_str("token[]"),
        Shape::Opaque => f.write_str("opaque[]"),
        Shape::Buffer(shape) => {
            f.write_str("b(")?;
            array(f, shape)?;
            f.write_str(")")
        }
        Shape::Tuple(elements) => {
            f.write_str("(")?;
            for (position, element) in elements.iter().enumerate() {
                match position {
                    0 => {}
                    _ if position % 5 == 0 => write!(f, ", /*index={position}*/")?,
                    _ => f.write_str(", ")?,
                }
                write_shape(f, element, array)?;
            }
            f.write_str(")")
        }
    }
}

fn write_bare_array(f: &mut fmt::Formatter<'_>, shape: &ArrayShape) -> fmt::Result {
    write!(f, "{}[", shape.element_type())?;
    write_list(f, shape.dims())?;
    f.write_str("]")
}

fn write_array(f: &mut fmt::Formatter<'_>, shape: &ArrayShape) -> fmt::Result {
    write_bare_array(f, shape)?;
    match shape.layout() {
        Some(layout) if shape.rank() > 0 || !layout.is_trivial() => layout.fmt(f),
        _ => Ok(()),
    }
}

fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            f.write_str(",")?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        write_list(f, &self.minor_to_major)?;
        let attributes = AttributeText(self).to_string();
        if !attributes.is_empty() {
            write!(f, ":{attributes}")?;
        }
        f.write_str("}")
    }
}

/// All that follows the colon, in XLA's order.
struct AttributeText<'a>(&'a Layout);

impl fmt::Display for AttributeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = self.0;
        let attributes = &layout.attributes;
        write_after(f, "T", layout.tiles())?;
        if let Some(alignment) = attributes.tail_padding_alignment {
            write!(f, "L({alignment})")?;
        }
        if let Some(index_type) = attributes.index_type {
            write!(f, "#({index_type})")?;
        }
        if let Some(pointer_type) = attributes.pointer_type {
            write!(f, "*({pointer_type})")?;
        }
        if let Some(bits) = attributes.element_size_in_bits {
            write!(f, "E({bits})")?;
        }
        if attributes.memory_space != 0 {
            write!(f, "S({})", attributes.memory_space)?;
        }
        write_after(f, "SC", &attributes.split_configs)?;
        if let Some(shape) = &attributes.physical_shape {
            write!(f, "P({shape})")?;
        }
        if attributes.metadata_prefix_bytes > 0 {
            write!(f, "M({})", attributes.metadata_prefix_bytes)?;
        }
        attributes.padding.as_ref().map_or(Ok(()), |padding| padding.fmt(f))
    }
}

fn write_after<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    items: &[T],
) -> fmt::Result {
    if !items.is_empty() {
        f.write_str(name)?;
    }
    items.iter().try_for_each(|item| item.fmt(f))
}

impl fmt::Display for SplitConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}:", self.dimension())?;
        write_list(f, self.split_indices())?;
        f.write_str(")")
    }
}

impl fmt::Display for Padding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PAD(")?;
        write_list(f, self.dimensions())?;
        if let Some(value) = self.value() {
            write!(f, ";{value}")?;
        }
        f.write_str(")")
    }
}
