//! `tilewright plan`: how a relayout goes, as a person reads it and as data.

use anyhow::anyhow;
use serde::Serialize;
use tilewright::ElementType;
use tilewright_relayout::{
    BoxDescription, Description, LoopDescription, Placement, Plan, Route, Storing,
};

use crate::Answer;
use crate::args::PlanArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::size::in_words;
use crate::subject::{Reader, Subject};
use crate::table::{Align, aligned};

/// The most boxes that are written out for people.
const MAX_BOXES_SHOWN: usize = 8;

/// The bits of an element where neither layout says.
const DEFAULT_BITS: u32 = 32;

#[derive(Serialize)]
struct Answered {
    from: String,
    to: String,
    /// `copy`, `boxes`, `through` or `elements`.
    route: &'static str,
    bytes_read: usize,
    bytes_written: usize,
    padding_slots: i64,
    chunks: usize,
    chunk_bytes: usize,
    /// Whether chunks are walked as the source lies.
    follows_source: bool,
    /// `cached`, `streamed` or `staged`.
    stores: &'static str,
    registers: &'static str,
    boxes: Vec<BoxRow>,
}

/// Strides and starts are in bits, since an element may be less than a byte.
#[derive(Serialize)]
struct BoxRow {
    elements: i64,
    kernel: &'static str,
    unit_bits: i64,
    source_start_bits: i64,
    destination_start_bits: i64,
    loops: Vec<LoopRow>,
}

#[derive(Serialize)]
struct LoopRow {
    extent: i64,
    source_stride_bits: i64,
    destination_stride_bits: i64,
    /// `walk` for a loop around the kernel, `kernel` for one of its own.
    part: &'static str,
}

pub(crate) fn run(
    args: &PlanArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let (from, to) = (reader.array(&args.from, console)?, reader.array(&args.to, console)?);
    let bits = from.element_bits().or(to.element_bits()).unwrap_or_else(|| {
        console.note(&format!("no element type is said: elements of {DEFAULT_BITS} bits"));
        DEFAULT_BITS
    });
    let plan = planned(&from, &to, bits, args.chunk).map_err(|error| anyhow!(error))?;
    let description = plan.describe();
    let answered = Answered::new(from.text(), to.text(), &description);
    console.answer(&answered, || in_lines(&answered, &description))?;
    Ok(Answer::Yes)
}

fn planned(
    from: &Subject,
    to: &Subject,
    bits: u32,
    chunk: Option<usize>,
) -> Result<Plan, tilewright_relayout::Error> {
    let placed =
        |side: &Subject| Placement::new(side.map.clone(), side.element_bits().unwrap_or(bits));
    let value =
        [from, to].iter().filter_map(|side| side.element_type()).map(ElementType::bits).min();
    let plan = Plan::with_value_bits(&placed(from)?, &placed(to)?, value.unwrap_or(128))?;
    match chunk {
        Some(bytes) => plan.with_chunks_of(bytes),
        None => Ok(plan),
    }
}

impl Answered {
    fn new(from: String, to: String, description: &Description) -> Self {
        Answered {
            from,
            to,
            route: match description.route {
                Route::Copy => "copy",
                Route::Boxes => "boxes",
                Route::Through => "through",
                Route::Elements => "elements",
            },
            bytes_read: description.src_bytes,
            bytes_written: description.dst_bytes,
            padding_slots: description.padding_slots,
            chunks: description.n_chunks,
            chunk_bytes: description.chunk_bytes,
            follows_source: description.follows_source,
            stores: match description.stores {
                Storing::Cached => "cached",
                Storing::Streamed => "streamed",
                Storing::Staged => "staged",
            },
            registers: description.registers,
            boxes: description.boxes.iter().map(BoxRow::new).collect(),
        }
    }
}

impl BoxRow {
    fn new(of: &BoxDescription) -> Self {
        BoxRow {
            elements: of.elements,
            kernel: of.kernel.name(),
            unit_bits: of.unit_bits,
            source_start_bits: of.src_start_bits,
            destination_start_bits: of.dst_start_bits,
            loops: of.loops.iter().map(LoopRow::new).collect(),
        }
    }
}

impl LoopRow {
    fn new(of: &LoopDescription) -> Self {
        LoopRow {
            extent: of.extent,
            source_stride_bits: of.src_stride_bits,
            destination_stride_bits: of.dst_stride_bits,
            part: if of.is_kernels { "kernel" } else { "walk" },
        }
    }
}

fn in_lines(answered: &Answered, description: &Description) -> String {
    let mut lines = vec![
        format!("from  {}", answered.from),
        format!("to    {}", answered.to),
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
        Route::Through => {
            "through rows, because there would be too many boxes from the one layout to the other"
        }
        Route::Elements => "element by element, because there would be too many boxes",
    }
}

fn bytes(count: usize) -> String {
    in_words(i64::try_from(count).unwrap_or(i64::MAX))
}

fn padding(description: &Description) -> String {
    match description.padding_slots {
        0 => String::new(),
        1 => ", 1 slot of padding".to_owned(),
        slots => format!(", {slots} slots of padding"),
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
