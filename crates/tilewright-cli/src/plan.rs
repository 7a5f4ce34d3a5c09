//! `tilewright plan`: how a relayout goes, as a person reads it and as data.

use tilewright_ask::{Plan, Planned, Reader};
use tilewright_relayout::{BoxDescription, Description, LoopDescription, Route, Storing};

use crate::Answer;
use crate::args::PlanArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::size::in_words;
use crate::table::{Align, aligned};

/// The most boxes that are written out for people.
const MAX_BOXES_SHOWN: usize = 8;

pub(crate) fn run(
    args: &PlanArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let question = Plan { from: args.from.clone(), to: args.to.clone(), chunk: args.chunk };
    let planned = question.answer(reader)?;
    console.answer(&planned, || in_lines(&planned))?;
    Ok(Answer::Yes)
}

fn in_lines(planned: &Planned) -> String {
    let description = &planned.description;
    let mut lines = vec![
        format!("from  {}", planned.from),
        format!("to    {}", planned.to),
        format!("way   {}", way(description)),
    ];
    lines.push(format!(
        "bytes {} read, {} written{}",
        bytes(description.src_bytes),
        bytes(description.dst_bytes),
        padding(description)
    ));
    if description.route == Route::Boxes {
        lines.push(format!("store {}", storing(description)));
    }
    let shown = description.boxes.iter().take(MAX_BOXES_SHOWN);
    for (number, of) in shown.enumerate() {
        lines.push(String::new());
        lines.push(heading(number, description.boxes.len(), of));
        lines.push(loops(of));
    }
    let more = description.boxes.len().saturating_sub(MAX_BOXES_SHOWN);
    if more > 0 {
        lines.push(format!("\nand {more} boxes more (all of them with --json)"));
    }
    lines.join("\n")
}

fn way(description: &Description) -> &'static str {
    match description.route {
        Route::Copy => "one copy: the bytes are the same",
        Route::Boxes => "boxes of elements, each moved by loops around a kernel",
        Route::Swizzled => {
            "boxes of the layouts under the swizzles; pieces change their places on the way"
        }
        Route::Through => {
            "through rows: from the one layout to the other there would be too many boxes, or scattered ones, or padding takes turns with elements"
        }
        Route::Elements => "element by element, because there would be too many boxes",
        other => other.name(),
    }
}

fn bytes(count: usize) -> String {
    in_words(i64::try_from(count).unwrap_or(i64::MAX))
}

fn padding(description: &Description) -> String {
    let slots = match description.padding_slots {
        0 => return overwritten(description),
        1 => ", 1 slot of padding".to_owned(),
        slots => format!(", {slots} slots of padding"),
    };
    match description.refilled_slots {
        0 => slots,
        refilled => format!("{slots}, {refilled} of them also moved and then filled"),
    }
}

fn overwritten(description: &Description) -> String {
    match description.overwritten_slots {
        0 => String::new(),
        slots => {
            format!(", {slots} slots beyond the ends of rows also moved, and left or written over")
        }
    }
}

fn storing(description: &Description) -> String {
    let chunks = match description.n_chunks {
        1 => "in one chunk".to_owned(),
        count => {
            let order = if description.follows_source { " in the source's order" } else { "" };
            format!("in {count} chunks of {}{order}", bytes(description.chunk_bytes))
        }
    };
    let how = match description.stores {
        Storing::Cached => "into the caches",
        Storing::Streamed => "past the caches",
        Storing::Staged => "put together in the caches and streamed from there",
        other => other.name(),
    };
    format!("{chunks}, {how}; registers: {}", description.registers)
}

fn heading(number: usize, of_all: usize, of: &BoxDescription) -> String {
    let elements = if of.elements == 1 { "element" } else { "elements" };
    format!(
        "box {} of {of_all}: {} {elements} from {} of the source to {} of the destination, {} by `{}`",
        number + 1,
        of.elements,
        distance(of.src_start_bits),
        distance(of.dst_start_bits),
        unit(of.unit_bits),
        of.kernel,
    )
}

fn unit(bits: i64) -> String {
    match bits {
        8 => "byte by byte".to_owned(),
        bits if bits % 8 == 0 => format!("{} bytes at a time", bits / 8),
        bits => format!("elements of {bits} bits"),
    }
}

fn loops(of: &BoxDescription) -> String {
    let heading = ["", "extent", "source stride", "destination stride"].map(str::to_owned);
    let row = |l: &LoopDescription| {
        let part = if l.is_kernels { "  kernel" } else { "  walk" };
        let strides = [l.src_stride_bits, l.dst_stride_bits].map(distance);
        let [source, destination] = strides;
        [part.to_owned(), l.extent.to_string(), source, destination]
    };
    let rows: Vec<[String; 4]> = std::iter::once(heading).chain(of.loops.iter().map(row)).collect();
    aligned(&rows, &[Align::Left, Align::Right, Align::Right, Align::Right])
}

/// A number of bits as bytes, where it is.
fn distance(bits: i64) -> String {
    match bits % 8 {
        0 => format!("{} B", bits / 8),
        _ => format!("{bits} bit"),
    }
}
