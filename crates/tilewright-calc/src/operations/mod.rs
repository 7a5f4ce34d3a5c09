//! The operations by name.
//!
//! Each is a line of a table: how it is written, and what it does. Tags (`zN(f16,28,40)`) are
//! operations too.

mod analysis;
mod integers;
mod layouts;
mod questions;
mod shapes;
mod tiling;

use anyhow::{Context, bail};
use tilewright::algebra::explain::{self, Explanation};
use tilewright::tla::{Int, Layout, Tag};

use crate::call::{Call, value};
use crate::error::UnknownOperation;
use crate::expression::{Kind, Node};
use crate::value::Value;

/// One operation.
pub(crate) struct Operation {
    /// Its name and its arguments; those in brackets can be left out.
    pub(crate) usage: &'static str,
    run: fn(&Call<'_, '_>) -> anyhow::Result<Value>,
}

impl Operation {
    fn name(&self) -> &'static str {
        self.usage.split('(').next().unwrap_or_default()
    }

    /// The least and the most arguments.
    fn n_arguments(&self) -> (usize, usize) {
        let commas = self.usage.matches(',').count();
        let most = if self.usage.ends_with("()") { 0 } else { commas + 1 };
        match self.usage.contains('…') {
            true => (most - 1, usize::MAX),
            false => (most - self.usage.matches("[,").count(), most),
        }
    }
}

/// A heading and the operations below it.
pub(crate) const OPERATIONS: [(&str, &[Operation]); 6] = [
    ("layouts", layouts::OPERATIONS),
    ("tiles and copies", tiling::OPERATIONS),
    ("shapes and modes", shapes::OPERATIONS),
    ("coordinates and integers", integers::OPERATIONS),
    ("questions", questions::OPERATIONS),
    ("analysis", analysis::OPERATIONS),
];

/// What a call comes to.
pub(crate) fn outcome(call: Call<'_, '_>) -> anyhow::Result<Value> {
    if let Ok(tag) = call.name.parse::<Tag>() {
        return tagged(tag, call);
    }
    let mut operations = OPERATIONS.iter().flat_map(|(_, operations)| operations.iter());
    let Some(operation) = operations.find(|operation| operation.name() == call.name) else {
        return Err(UnknownOperation::new(call.name).into());
    };
    let (least, most) = operation.n_arguments();
    if !(least..=most).contains(&call.arguments.len()) {
        // A parenthesis left open swallows the arguments after it: that is the better news.
        call.arguments.iter().try_for_each(|argument| value(argument).map(drop))?;
        let found = call.arguments.len();
        bail!("{found} arguments do not fit {}", operation.usage);
    }
    (operation.run)(&call).with_context(|| format!("in {}", call.name))
}

/// `zN(f16,28,40)`.
fn tagged(tag: Tag, call: Call<'_, '_>) -> anyhow::Result<Value> {
    let element_type = call.element_type(0)?;
    let sizes: Vec<Int> = call.rest(1).map(|place| call.int(place)).collect::<Result<_, _>>()?;
    let layout = Layout::from_tag_sizes(tag, element_type, &sizes);
    Ok(layout.with_context(|| format!("in {}", call.name))?.into())
}

/// An operation told step by step.
pub(crate) fn explained(node: &Node<'_>) -> anyhow::Result<Explanation> {
    const EXPLAINED: &str = "coalesce, composition, complement, right_inverse, left_inverse, \
                             logical_divide and logical_product can be explained";
    let Kind::Call { name, arguments } = &node.kind else { bail!("{EXPLAINED}") };
    let call = Call { name, arguments };
    Ok(match *name {
        "coalesce" if !call.has(1) => explain::coalesce(&call.layout(0)?),
        "composition" => explain::composition(&call.layout(0)?, call.tiler(1)?),
        "complement" => {
            let a = call.layout(0)?;
            let size = if call.has(1) { call.int(1)? } else { a.cosize()? };
            explain::complement(&a, size)
        }
        "right_inverse" => explain::right_inverse(&call.layout(0)?),
        "left_inverse" => explain::left_inverse(&call.layout(0)?),
        "logical_divide" => explain::logical_divide(&call.layout(0)?, call.tiler(1)?),
        "logical_product" => explain::logical_product(&call.layout(0)?, call.tiler(1)?),
        _ => bail!("{EXPLAINED}"),
    })
}

/// How every operation is written: `composition(A, B)`. What is in brackets can be left out.
pub fn usages() -> Vec<&'static str> {
    OPERATIONS.iter().flat_map(|(_, operations)| operations.iter()).map(|o| o.usage).collect()
}

/// The operations under their headings, and the tags, as a person reads them.
pub fn list() -> String {
    let mut text = String::from(
        "A, B are layouts, T is a tiler, S a swizzle; what is in brackets can be left out",
    );
    for (heading, operations) in OPERATIONS {
        text.push_str(&format!("\n\n{heading}"));
        for operation in operations {
            text.push_str(&format!("\n  {}", operation.usage));
        }
    }
    text.push_str("\n\ntags, with an element type and sizes: zN(f16,28,40)");
    for tag in Tag::ALL {
        text.push_str(&format!("\n  {tag}"));
    }
    text
}
