//! `tilewright index`: offset of an index, index of an offset, all offsets.

use tilewright_ask::{AllOffsets, Found, Index, Reader};

use crate::Answer;
use crate::args::IndexArgs;
use crate::batch::for_each_text;
use crate::console::Console;
use crate::failure::Failure;

pub(crate) fn run(
    args: &IndexArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    if args.all {
        for_each_text(&args.layout, console, |text, console| {
            all(&AllOffsets::of(text, reader)?, args, console)
        })?;
        return Ok(Answer::Yes);
    }
    let (layout, index) = (args.layout.clone(), args.index.clone());
    let found = Index { layout, index, inverse: args.inverse }.answer(reader)?;
    console.answer(&found, || match &found {
        Found::Offset { offset } => offset.to_string(),
        Found::Coordinate { coordinate, .. } => coordinate.clone(),
        Found::Index { index } => index.as_deref().map_or("padding".to_owned(), joined),
    })?;
    Ok(Answer::Yes)
}

fn all(of: &AllOffsets, args: &IndexArgs, console: &mut Console) -> Result<(), Failure> {
    let AllOffsets { dims, offsets } = of;
    if let Some(path) = &args.output {
        return crate::offsets_file::write(path, dims, offsets, args.force, console);
    }
    // A line for each run along the last dimension.
    let row = dims.last().and_then(|&size| usize::try_from(size).ok()).unwrap_or(1).max(1);
    console.lines(of, offsets.chunks(row).map(joined))
}

fn joined(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    numbers.join(",")
}
