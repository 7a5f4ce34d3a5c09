//! `tilewright bitcast`: is one array's memory another's?

use serde::Serialize;
use tilewright::map::Bitcast;

use crate::Answer;
use crate::args::SameArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::subject::{Reader, Subject};

#[derive(Serialize)]
struct Document {
    bitcast: bool,
    kind: Option<&'static str>,
    /// Of a transpose: dimension `i` of the second array is dimension `permutation[i]` of the
    /// first.
    permutation: Option<Vec<usize>>,
    /// Of a transpose-reshape-transpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Steps>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct Steps {
    transpose: Vec<usize>,
    reshape: Vec<i64>,
    then_transpose: Vec<usize>,
}

pub(crate) fn run(
    args: &SameArgs,
    reader: Reader,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let a = reader.array(&args.a, console)?;
    let b = reader.array(&args.b, console)?;
    let document = compared(&a, &b)?;
    console.answer(&document, || described(&document))?;
    Ok(if document.bitcast { Answer::Yes } else { Answer::No })
}

fn compared(a: &Subject, b: &Subject) -> Result<Document, Failure> {
    if let (Some(x), Some(y)) = (a.element_bits(), b.element_bits())
        && x != y
    {
        return Ok(no(format!("elements take {x} bits in one and {y} in the other")));
    }
    Ok(match a.map.bitcast(&b.map)? {
        Bitcast::Identity => yes("identity"),
        Bitcast::Reshape => yes("reshape"),
        Bitcast::Transpose(permutation) => {
            Document { permutation: Some(permutation.to_vec()), ..yes("transpose") }
        }
        Bitcast::TransposeReshapeTranspose { first, dims, second } => {
            let steps =
                Steps { transpose: first.to_vec(), reshape: dims, then_transpose: second.to_vec() };
            Document { steps: Some(steps), ..yes("transpose-reshape-transpose") }
        }
        Bitcast::No(reason) => no(reason.to_string()),
    })
}

fn yes(kind: &'static str) -> Document {
    Document { bitcast: true, kind: Some(kind), permutation: None, steps: None, reason: None }
}

fn no(reason: String) -> Document {
    Document { bitcast: false, kind: None, permutation: None, steps: None, reason: Some(reason) }
}

fn described(document: &Document) -> String {
    if let Some(reason) = &document.reason {
        return format!("no: {reason}");
    }
    let kind = document.kind.unwrap_or("");
    match (&document.permutation, &document.steps) {
        (Some(permutation), _) => format!("{kind} by {permutation:?}"),
        (_, Some(steps)) => format!(
            "{kind}: transpose by {:?}, reshape to {:?}, transpose by {:?}",
            steps.transpose, steps.reshape, steps.then_transpose
        ),
        _ => kind.to_owned(),
    }
}
