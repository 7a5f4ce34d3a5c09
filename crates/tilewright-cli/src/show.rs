//! `tilewright show`: what a layout says.

use tilewright::ArrayShape;
use tilewright::IndexMap;
use tilewright::map::Notation;
use tilewright::xla::TilingProgram;
use tilewright_ask::{About, Reader, Show, Shown, Subject};

use crate::Answer;
use crate::args::ShowArgs;
use crate::batch::for_each_text;
use crate::console::Console;
use crate::failure::Failure;
use crate::grid;

pub(crate) fn run(
    args: &ShowArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    for_each_text(&args.layout, console, |text, console| {
        let shown = Show { layout: text.to_owned() }.answer(reader)?;
        console.answer(&shown, || described(&shown))
    })?;
    Ok(Answer::Yes)
}

fn described(shown: &Shown) -> String {
    let lines = match &shown.about {
        About::Array(subject) => described_array(subject, shown),
        About::Coordinates => {
            let expression = shown.index_expression.as_deref().unwrap_or_default();
            vec![format!("  {:<14} {expression}", "coordinate")]
        }
        About::Unbounded => vec!["  size           not known: a dimension is unbounded".to_owned()],
        About::Parts => {
            shown.leaves.iter().flatten().map(|leaf| format!("\n{}", described(leaf))).collect()
        }
        About::NoArray(name) => vec![format!("  {name}")],
    };
    let text = std::iter::once(shown.text.as_str());
    text.chain(lines.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

fn described_array(subject: &Subject, shown: &Shown) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("  {name:<14} {value}"));
    if let Some(text) = element_text(subject) {
        line("element type", text);
    }
    if let Some(order) = shown.minor_to_major.as_ref().filter(|order| !order.is_empty()) {
        line("order", format!("minor to major {}", listed(order)));
    }
    let map = subject.map();
    line("physical dims", format!("[{}]", listed(map.physical_dims())));
    line("elements", elements_text(map));
    if shown.bytes.is_some() {
        line("bytes", bytes_text(shown));
    }
    if shown.xla_bytes.is_some() && shown.bytes != shown.xla_bytes {
        line("bytes in XLA", xla_bytes_text(shown));
    }
    if let Some(named) = subject.as_named() {
        line("stored as", named.carrier().to_string());
        if named.xor_mask() != 0 {
            line("xor", format!("{:#x}, of every code", named.xor_mask()));
        }
        if named.padding() != 0 {
            line("padding", format!("{:#04x}", named.padding()));
        }
    }
    line("offset", map.index_expression());
    if subject.as_xla_array().is_none() {
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

fn bytes_text(shown: &Shown) -> String {
    let [bytes, logical, padding] =
        [shown.bytes, shown.logical_bytes, shown.padding_bytes].map(Option::unwrap_or_default);
    match padding {
        0 => bytes.to_string(),
        _ => format!("{bytes}: {logical} of data, {padding} of padding"),
    }
}

fn xla_bytes_text(shown: &Shown) -> String {
    format!(
        "{} by its own count, which looks at the first tile only",
        shown.xla_bytes.unwrap_or_default()
    )
}

/// How the layout comes about, and where everything lies.
fn pictures(subject: &Subject) -> Vec<String> {
    let map = subject.map();
    let mut lines = Vec::new();
    let mut picture = |title: &str, text: String| {
        lines.push(format!("\n  {title}"));
        lines.extend(text.lines().map(|line| format!("    {line}")));
    };
    if let Some(array) = subject.as_xla_array().filter(|array| is_small(array))
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
