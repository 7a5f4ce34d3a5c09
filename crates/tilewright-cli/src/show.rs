//! `tilewright show`: what a layout says.

use serde::Serialize;
use tilewright::map::Notation;
use tilewright::notation::Described;
use tilewright::tla::Layout;
use tilewright::xla::TilingProgram;
use tilewright::{ArrayShape, ElementType, IndexMap, Shape};

use crate::Answer;
use crate::args::ShowArgs;
use crate::console::Console;
use crate::coordinates;
use crate::failure::Failure;
use crate::grid;
use crate::subject::{Reader, Subject, coordinate_layout, for_each_text};

pub(crate) fn run(
    args: &ShowArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    for_each_text(&args.layout, console, |text, console| {
        let shown = Shown::of(reader.read(text, console)?)?;
        console.answer(&shown.document, || shown.described())
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

/// A document, and the same for a person.
struct Shown {
    document: Document,
    lines: Vec<String>,
}

impl Shown {
    fn described(&self) -> String {
        let text = std::iter::once(self.document.text.as_str());
        text.chain(self.lines.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
    }

    fn of(said: Described) -> Result<Self, Failure> {
        if let Described::Xla(shape) = &said {
            return Shown::of_shape(shape);
        }
        match coordinate_layout(&said) {
            Some(layout) => Shown::of_coordinates(layout, &said),
            None => Shown::of_array(&Subject::of(said)?),
        }
    }

    /// A layout that leads to coordinates has no size.
    fn of_coordinates(layout: &Layout, said: &Described) -> Result<Self, Failure> {
        let expression = coordinates::expressions(layout)?;
        let document = Document {
            text: said.to_string(),
            notation: said.notation(),
            dims: Some(layout.org_shape()?.values().into_iter().map(Some).collect()),
            elements: Some(layout.org_shape()?.product()?.value()),
            index_expression: Some(expression.clone()),
            tla: Some(layout.to_string()),
            ..Document::default()
        };
        let lines = vec![format!("  {:<14} {expression}", "coordinate")];
        Ok(Shown { document, lines })
    }

    fn of_shape(shape: &Shape) -> Result<Self, Failure> {
        let text = shape.to_string();
        let document =
            Document { xla: Some(text.clone()), text, notation: "xla", ..Document::default() };
        match shape {
            Shape::Array(array) => match Subject::of_array(array.clone()) {
                Ok(subject) => Shown::of_array(&subject),
                Err(error) if error.is_unbounded() => Ok(Shown::of_unbounded(array, document)),
                Err(error) => Err(error.into()),
            },
            Shape::Buffer(array) => Shown::of_parts([&array.clone().into()], document),
            Shape::Tuple(_) => Shown::of_parts(shape.leaves(), document),
            Shape::Token | Shape::Opaque => {
                Ok(Shown { document, lines: vec![format!("  {}", shape.kind_name())] })
            }
        }
    }

    fn of_unbounded(array: &ArrayShape, document: Document) -> Self {
        let document = Document {
            element_type: Some(array.element_type().xla_name()),
            dims: Some(array.dims().iter().map(|dim| dim.bound()).collect()),
            minor_to_major: Some(array.layout_or_default().minor_to_major().to_vec()),
            ..document
        };
        let lines = vec!["  size           not known: a dimension is unbounded".to_owned()];
        Shown { document, lines }
    }

    /// What holds arrays and is none: a tuple, or a buffer, which XLA too keeps as a shape with
    /// one shape inside of it. Sizes and offsets are those of the parts.
    fn of_parts<'s>(
        parts: impl IntoIterator<Item = &'s Shape>,
        document: Document,
    ) -> Result<Self, Failure> {
        let parts: Vec<Shown> = parts.into_iter().map(Shown::of_shape).collect::<Result<_, _>>()?;
        let lines = parts.iter().map(|part| format!("\n{}", part.described())).collect();
        let leaves = parts.into_iter().map(|part| part.document).collect();
        Ok(Shown { document: Document { leaves: Some(leaves), ..document }, lines })
    }

    fn of_array(subject: &Subject) -> Result<Self, Failure> {
        let map = &subject.map;
        let array = subject.xla_array();
        let (bytes, logical_bytes) = (subject.bytes()?, subject.logical_bytes());
        let order = array.map(|array| array.layout_or_default().minor_to_major().to_vec());
        let document = Document {
            text: subject.text(),
            notation: subject.notation(),
            element_type: subject.element_type().map(ElementType::xla_name),
            dims: Some(map.dims().iter().copied().map(Some).collect()),
            minor_to_major: order,
            physical_dims: Some(map.physical_dims().to_vec()),
            elements: Some(map.elements()),
            allocation_elements: Some(map.allocation()),
            bytes,
            logical_bytes,
            xla_bytes: array.map(ArrayShape::xla_bytes).transpose()?.flatten(),
            padding_bytes: bytes.zip(logical_bytes).map(|(bytes, logical)| bytes - logical),
            index_expression: Some(map.index_expression()),
            tla: subject.to_notation(Notation::Tla).ok(),
            xla: subject.xla_text().ok(),
            leaves: None,
        };
        let lines = described_array(subject, &document);
        Ok(Shown { document, lines })
    }
}

fn described_array(subject: &Subject, document: &Document) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("  {name:<14} {value}"));
    if let Some(text) = element_text(subject) {
        line("element type", text);
    }
    if let Some(order) = document.minor_to_major.as_ref().filter(|order| !order.is_empty()) {
        line("order", format!("minor to major {}", listed(order)));
    }
    let map = &subject.map;
    line("physical dims", format!("[{}]", listed(map.physical_dims())));
    line("elements", elements_text(map));
    if document.bytes.is_some() {
        line("bytes", bytes_text(document));
    }
    if document.xla_bytes.is_some() && document.bytes != document.xla_bytes {
        line("bytes in XLA", xla_bytes_text(document));
    }
    line("offset", map.index_expression());
    if subject.xla_array().is_none() {
        line("xla", subject.xla_text().unwrap_or_else(|reason| format!("none: {reason}")));
    }
    for (name, notation) in NOTATIONS {
        match subject.to_notation(notation) {
            Ok(text) => line(name, text),
            Err(reason) => line(name, format!("none: {reason}")),
        }
    }
    lines.extend(pictures(subject));
    lines
}

const NOTATIONS: [(&str, Notation); 3] =
    [("tla", Notation::Tla), ("numpy strides", Notation::Numpy), ("mlir", Notation::Mlir)];

fn element_text(subject: &Subject) -> Option<String> {
    let (element_type, bits) = subject.element_type().zip(subject.element_bits())?;
    let stored = match bits == element_type.bits() {
        true => String::new(),
        false => format!(", stored in {bits}"),
    };
    let name = element_type.numpy_name();
    let plural = if element_type.bits() == 1 { "bit" } else { "bits" };
    Some(format!("{element_type} ({name}), {} {plural}{stored}", element_type.bits()))
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
fn pictures(subject: &Subject) -> Vec<String> {
    let map = &subject.map;
    let mut lines = Vec::new();
    let mut picture = |title: &str, text: String| {
        lines.push(format!("\n  {title}"));
        lines.extend(text.lines().map(|line| format!("    {line}")));
    };
    if let Some(array) = subject.xla_array().filter(|array| is_small(array))
        && let Ok(program) = TilingProgram::of(array)
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

/// Whether the steps of an array's tiling can be read at a glance.
fn is_small(array: &ArrayShape) -> bool {
    let layout = array.layout_or_default();
    let tiled: usize = layout.tiles().iter().map(|tile| tile.dims().len()).sum();
    array.rank() <= 12 && tiled <= 24
}

fn listed<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(",")
}
