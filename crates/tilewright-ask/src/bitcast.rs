//! Is one array's memory another's?

use serde::{Deserialize, Serialize};
use tilewright::map::Bitcast as Found;

use crate::error::Error;
use crate::subject::{Reader, Subject};

/// Is one array's memory another's, under a reshape or a transpose?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bitcast {
    /// An array.
    pub a: String,
    /// The other one.
    pub b: String,
}

/// Whether it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BitcastAnswer {
    /// Whether it is.
    pub bitcast: bool,
    /// `identity`, `reshape`, `transpose` or `transpose-reshape-transpose`.
    pub kind: Option<&'static str>,
    /// Of a transpose: dimension `i` of the second array is dimension `permutation[i]` of the
    /// first.
    pub permutation: Option<Vec<usize>>,
    /// Of a transpose-reshape-transpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<BitcastSteps>,
    /// Why it is not.
    pub reason: Option<String>,
}

/// The steps of a transpose-reshape-transpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BitcastSteps {
    /// The first permutation.
    pub transpose: Vec<usize>,
    /// The dims to reshape to.
    pub reshape: Vec<i64>,
    /// The second permutation.
    pub then_transpose: Vec<usize>,
}

impl Bitcast {
    /// The answer.
    ///
    /// # Errors
    /// If one of the texts says no array, or a number does not fit 64 bits.
    pub fn answer(&self, reader: Reader<'_>) -> Result<BitcastAnswer, Error> {
        compared(&reader.array(&self.a)?, &reader.array(&self.b)?)
    }
}

fn compared(a: &Subject, b: &Subject) -> Result<BitcastAnswer, Error> {
    if let (Some(x), Some(y)) = (a.element_bits(), b.element_bits())
        && x != y
    {
        return Ok(no(format!("elements take {x} bits in one and {y} in the other")));
    }
    Ok(match a.map().bitcast(b.map())? {
        Found::Identity => yes("identity"),
        Found::Reshape => yes("reshape"),
        Found::Transpose(permutation) => {
            BitcastAnswer { permutation: Some(permutation.to_vec()), ..yes("transpose") }
        }
        Found::TransposeReshapeTranspose { first, dims, second } => {
            let steps = BitcastSteps {
                transpose: first.to_vec(),
                reshape: dims,
                then_transpose: second.to_vec(),
            };
            BitcastAnswer { steps: Some(steps), ..yes("transpose-reshape-transpose") }
        }
        Found::No(reason) => no(reason.to_string()),
    })
}

fn yes(kind: &'static str) -> BitcastAnswer {
    BitcastAnswer { bitcast: true, kind: Some(kind), permutation: None, steps: None, reason: None }
}

fn no(reason: String) -> BitcastAnswer {
    BitcastAnswer {
        bitcast: false,
        kind: None,
        permutation: None,
        steps: None,
        reason: Some(reason),
    }
}
