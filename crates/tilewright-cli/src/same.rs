//! `tilewright same`: do two layouts place every element alike?

use serde::Serialize;
use tilewright::tla::Layout;

use crate::Answer;
use crate::args::SameArgs;
use crate::console::Console;
use crate::coordinates;
use crate::failure::Failure;
use crate::subject::{Reader, Subject, coordinate_layout};

#[derive(Serialize)]
struct Comparison {
    same: bool,
    same_offsets: bool,
    first_difference: Option<FirstDifference>,
    /// Why the answer is no, in words.
    reason: Option<String>,
}

#[derive(Serialize)]
struct FirstDifference {
    index: Vec<i64>,
    offsets: [i64; 2],
}

pub(crate) fn run(
    args: &SameArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let (a, b) = (reader.read(&args.a, console)?, reader.read(&args.b, console)?);
    let comparison = match (coordinate_layout(&a), coordinate_layout(&b)) {
        (Some(a), Some(b)) => compare_coordinates(a, b)?,
        (None, None) => compare(&Subject::of(a)?, &Subject::of(b)?)?,
        _ => different(false, None, "one leads to offsets, the other to coordinates".to_owned()),
    };
    console.answer(&comparison, || {
        comparison.reason.clone().unwrap_or_else(|| "the same".to_owned())
    })?;
    Ok(if comparison.same { Answer::Yes } else { Answer::No })
}

fn compare_coordinates(a: &Layout, b: &Layout) -> Result<Comparison, Failure> {
    let dims = [a.org_shape()?.values(), b.org_shape()?.values()];
    if dims[0] != dims[1] {
        let reason = format!("the dimensions differ: {:?} and {:?}", dims[0], dims[1]);
        return Ok(different(false, None, reason));
    }
    let difference = coordinates::first_difference(a, b)?;
    Ok(match difference {
        None => Comparison { same: true, same_offsets: true, first_difference: None, reason: None },
        Some((index, direction)) => {
            let reason = format!("index {index:?} leads elsewhere along {direction}");
            different(false, None, reason)
        }
    })
}

fn compare(a: &Subject, b: &Subject) -> Result<Comparison, Failure> {
    if a.map.dims() != b.map.dims() {
        let reason = format!("the dimensions differ: {:?} and {:?}", a.map.dims(), b.map.dims());
        return Ok(different(false, None, reason));
    }
    if let Some(difference) = a.map.first_difference(&b.map)? {
        let [x, y] = difference.offsets;
        let reason = format!("index {:?} is at offset {x} and at {y}", difference.index);
        let first = FirstDifference { index: difference.index, offsets: difference.offsets };
        return Ok(different(false, Some(first), reason));
    }
    let allocations = [a.map.allocation(), b.map.allocation()];
    if allocations[0] != allocations[1] {
        let [a, b] = allocations;
        let reason = format!("every offset is the same, but memory holds {a} and {b} elements");
        return Ok(different(true, None, reason));
    }
    let lowest = [a.map.lowest_offset(), b.map.lowest_offset()];
    if lowest[0] != lowest[1] {
        let [a, b] = lowest;
        let reason =
            format!("every offset is the same, but memory begins at offset {a} and at {b}");
        return Ok(different(true, None, reason));
    }
    if let (Some(a), Some(b)) = (a.bytes()?, b.bytes()?)
        && a != b
    {
        let reason =
            format!("every offset is the same, but elements differ in size: {a} and {b} bytes");
        return Ok(different(true, None, reason));
    }
    Ok(Comparison { same: true, same_offsets: true, first_difference: None, reason: None })
}

fn different(
    same_offsets: bool,
    first_difference: Option<FirstDifference>,
    reason: String,
) -> Comparison {
    Comparison { same: false, same_offsets, first_difference, reason: Some(reason) }
}
