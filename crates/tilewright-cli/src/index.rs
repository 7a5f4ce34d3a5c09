//! `tilewright index`: offset of an index, index of an offset, all offsets.

use anyhow::anyhow;
use serde::Serialize;
use serde_json::json;
use tilewright::IndexMap;
use tilewright::algebra::Composition;
use tilewright::tla::{Int, IntTuple, Layout, Nested, crd2int};

use crate::Answer;
use crate::args::IndexArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::{Reader, Subject, coordinate_layout, for_each_text};

pub(crate) fn run(
    args: &IndexArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    if args.all {
        for_each_text(&args.layout, console, |text, console| {
            all(&reader.array(text, console)?, args, console)
        })?;
        return Ok(Answer::Yes);
    }
    let said = reader.read(&args.layout, console)?;
    if let Some(layout) = coordinate_layout(&said) {
        coordinate(layout, args, console)?;
        return Ok(Answer::Yes);
    }
    let subject = Subject::of(said)?;
    match (args.inverse, &args.index) {
        (Some(offset), _) => inverse(&subject, offset, console)?,
        (None, index) => forward(&subject, index.as_deref().unwrap_or(""), console)?,
    }
    Ok(Answer::Yes)
}

fn forward(subject: &Subject, text: &str, console: &mut Console) -> Result<(), Failure> {
    let offset = match subject.composition() {
        Some(layout) => hierarchical(&subject.map, layout, text)?,
        None => subject.map.offset(&coordinates(text)?)?,
    };
    console.answer(&json!({ "offset": offset }), || offset.to_string())
}

/// The offset of a coordinate of a hierarchical layout.
fn hierarchical(map: &IndexMap, layout: &Composition, text: &str) -> Result<i64, Failure> {
    let coordinate = nested(text)?;
    check_coordinate(&coordinate, layout.shape(), map.dims())?;
    Ok(layout.at(&coordinate)?.elements()?.value())
}

/// One integer per mode, nested as deep as one likes, or an integer for all.
fn nested(text: &str) -> Result<IntTuple, Failure> {
    let is_list = !text.trim_start().starts_with('(') && text.contains(',');
    Ok(if is_list { format!("({text})").parse()? } else { text.parse()? })
}

/// Whether a coordinate lies within the dimensions. An integer for all runs over the padded shape.
fn check_coordinate(coordinate: &IntTuple, shape: &IntTuple, dims: &[i64]) -> Result<(), Failure> {
    if let Nested::Leaf(index) = coordinate
        && shape.rank() != 1
    {
        let size = shape.product()?.value();
        return match (0..size).contains(&index.value()) {
            true => Ok(()),
            false => Err(Failure::message(&format!("coordinate {index} is not below {size}"))),
        };
    }
    let pairs = coordinate.elements().iter().zip(shape.elements());
    let index: Vec<i64> = pairs
        .map(|(part, shape)| crd2int(part, shape).map(Int::value))
        .collect::<Result<_, _>>()?;
    Ok(tilewright::shape::check_index(&index, dims)?)
}

/// Where a layout leads whose strides are steps of a coordinate.
fn coordinate(layout: &Layout, args: &IndexArgs, console: &mut Console) -> Result<(), Failure> {
    let Some(text) = args.index.as_deref().filter(|_| args.inverse.is_none()) else {
        return Err(Failure::message("a coordinate has no offset to be found again"));
    };
    let index = nested(text)?;
    check_coordinate(&index, layout.shape(), &layout.org_shape()?.values())?;
    let place = layout.at(&index)?.to_string();
    console.answer(&json!({ "offset": null, "coordinate": place }), || place.clone())
}

fn inverse(subject: &Subject, offset: i64, console: &mut Console) -> Result<(), Failure> {
    let index = subject.map.index(offset)?;
    let text = || index.as_deref().map_or("padding".to_owned(), joined);
    console.answer(&json!({ "index": index }), text)
}

#[derive(Serialize)]
struct AllOffsets<'a> {
    dims: &'a [i64],
    offsets: &'a [i64],
}

fn all(subject: &Subject, args: &IndexArgs, console: &mut Console) -> Result<(), Failure> {
    let offsets = subject.map.offsets()?;
    if let Some(path) = &args.output {
        return crate::offsets_file::write(path, subject.map.dims(), &offsets, args.force, console);
    }
    let document = AllOffsets { dims: subject.map.dims(), offsets: &offsets };
    console.answer(&document, || rows(&offsets, subject.map.dims()))
}

/// The offsets, a line for each run along the last dimension.
fn rows(offsets: &[i64], dims: &[i64]) -> String {
    let row = dims.last().and_then(|&size| usize::try_from(size).ok()).unwrap_or(1).max(1);
    let lines: Vec<String> = offsets.chunks(row).map(joined).collect();
    lines.join("\n")
}

/// The numbers of `2,3`, parentheses or brackets around them or not, and of Python's `(2,)`.
fn coordinates(text: &str) -> Result<Vec<i64>, Failure> {
    let inner = text.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |part: &str| {
        let part = part.trim();
        part.parse().map_err(|_| anyhow!("`{part}` in the index `{text}` is not a whole number"))
    };
    let inner = inner.trim_end();
    let inner = inner.strip_suffix(',').unwrap_or(inner);
    Ok(inner.split(',').map(number).collect::<Result<_, anyhow::Error>>()?)
}

fn joined(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    numbers.join(",")
}
