//! `tilewright show`: what a layout says.

use serde::Serialize;
use tilewright::map::Notation;
use tilewright::xla::TilingProgram;
use tilewright::{ArrayShape, IndexMap, Shape};

use crate::Answer;
use crate::args::ShowArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::grid;
use crate::subject::{Reader, for_each_text};

pub(crate) fn run(
    args: &ShowArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    for_each_text(&args.layout, console, |text, console| {
        let shape = reader.shape(text, console)?;
        let document = Document::of(&shape)?;
        console.answer(&document, || described(&shape, &document))
    })?;
    Ok(Answer::Yes)
}

/// What is known of a shape; what does not apply is null.
#[derive(Serialize, Default)]
struct Document {
    text: String,
    notation: &'static str,
    element_type: Option<&'static str>,
    dims: Option<Vec<Option<i64>>>,
    minor_to_major: Option<Vec<usize>>,
    physical_dims: Option<Vec<i64>>,
    elements: Option<i64>,
    allocation_elements: Option<i64>,
    bytes: Option<i64>,
    logical_bytes: Option<i64>,
    xla_bytes: Option<i64>,
    padding_bytes: Option<i64>,
    index_expression: Option<String>,
    tla: Option<String>,
    xla: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaves: Option<Vec<Document>>,
}

impl Document {
    fn of(shape: &Shape) -> Result<Self, Failure> {
        let document = match shape {
            Shape::Array(array) | Shape::Buffer(array) => Self::of_array(array)?,
            Shape::Tuple(_) => {
                let leaves = shape.leaves().map(Document::of).collect::<Result<_, _>>()?;
                Document { leaves: Some(leaves), ..Document::default() }
            }
            Shape::Token | Shape::Opaque => Document::default(),
        };
        let text = shape.to_string();
        Ok(Document { xla: Some(text.clone()), text, notation: "xla", ..document })
    }

    fn of_array(array: &ArrayShape) -> Result<Self, Failure> {
        let document = Document {
            element_type: Some(array.element_type().xla_name()),
            dims: Some(array.dims().iter().map(|dim| dim.bound()).collect()),
            minor_to_major: Some(array.layout_or_default().minor_to_major().to_vec()),
            ..Document::default()
        };
        let map = match array.index_map() {
            Err(error) if error.is_unbounded() => return Ok(document),
            map => map?,
        };
        Ok(Document {
            physical_dims: Some(map.physical_dims().to_vec()),
            elements: Some(map.elements()),
            allocation_elements: Some(map.allocation()),
            bytes: Some(array.bytes()?),
            logical_bytes: Some(array.logical_bytes()?),
            xla_bytes: Some(array.xla_bytes()?),
            padding_bytes: Some(array.padding_bytes()?),
            index_expression: Some(map.index_expression()),
            tla: map.to_notation(Notation::Tla, array.element_bits()).ok(),
            ..document
        })
    }
}

/// The same for a person.
fn described(shape: &Shape, document: &Document) -> String {
    let mut lines = vec![document.text.clone()];
    match shape {
        Shape::Array(array) | Shape::Buffer(array) => {
            lines.extend(described_array(array, document));
        }
        Shape::Tuple(_) => {
            let leaves = shape.leaves().zip(document.leaves.iter().flatten());
            lines.extend(leaves.map(|(leaf, document)| format!("\n{}", described(leaf, document))));
        }
        Shape::Token | Shape::Opaque => lines.push(format!("  {}", shape.kind_name())),
    }
    lines.join("\n")
}

fn described_array(array: &ArrayShape, document: &Document) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("  {name:<14} {value}"));
    line("element type", element_text(array));
    line("order", format!("minor to major {}", listed(document.minor_to_major.iter().flatten())));
    let Ok(map) = array.index_map() else {
        line("size", "not known: a dimension is unbounded".to_owned());
        return lines;
    };
    line("physical dims", format!("[{}]", listed(map.physical_dims())));
    line("elements", elements_text(&map));
    line("bytes", bytes_text(document));
    if document.bytes != document.xla_bytes {
        line("bytes in XLA", xla_bytes_text(document));
    }
    line("offset", map.index_expression());
    for (name, notation) in NOTATIONS {
        match map.to_notation(notation, array.element_bits()) {
            Ok(text) => line(name, text),
            Err(reason) => line(name, format!("none: {reason}")),
        }
    }
    lines.extend(pictures(array, &map));
    lines
}

const NOTATIONS: [(&str, Notation); 3] =
    [("tla", Notation::Tla), ("numpy strides", Notation::Numpy), ("mlir", Notation::Mlir)];

fn element_text(array: &ArrayShape) -> String {
    let element_type = array.element_type();
    let stored = match array.element_bits() {
        bits if bits == element_type.bits() => String::new(),
        bits => format!(", stored in {bits}"),
    };
    format!("{element_type} ({}), {} bits{stored}", element_type.numpy_name(), element_type.bits())
}

fn elements_text(map: &IndexMap) -> String {
    let (elements, allocation) = (map.elements(), map.allocation());
    if elements == allocation {
        return elements.to_string();
    }
    let share = if allocation == 0 { 0.0 } else { 100.0 * elements as f64 / allocation as f64 };
    format!("{elements} in an allocation of {allocation}: {:.1} % is padding", 100.0 - share)
}

fn bytes_text(document: &Document) -> String {
    let [bytes, logical, padding] =
        [document.bytes, document.logical_bytes, document.padding_bytes]
            .map(Option::unwrap_or_default);
    match padding {
        0 => bytes.to_string(),
        _ => format!("{bytes}: {logical} of data, {padding} of padding"),
    }
}

fn xla_bytes_text(document: &Document) -> String {
    format!(
        "{} by its own count, which looks at the first tile only",
        document.xla_bytes.unwrap_or_default()
    )
}

/// How the layout comes about, and where everything lies.
fn pictures(array: &ArrayShape, map: &IndexMap) -> Vec<String> {
    let mut lines = Vec::new();
    let mut picture = |title: &str, text: String| {
        lines.push(format!("\n  {title}"));
        lines.extend(text.lines().map(|line| format!("    {line}")));
    };
    if let Ok(program) = TilingProgram::of(array)
        && program.steps().next().is_some()
    {
        picture("as pad, reshape and transpose", program.to_string());
    }
    if let Some(grid) = grid::offsets(map) {
        picture("the offset of each element; x is padding", grid);
    }
    if let Some(memory) = grid::memory(map) {
        picture("memory, elements numbered in row-major order; . is padding", memory);
    }
    lines
}

fn listed<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(",")
}
