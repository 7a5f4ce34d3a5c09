//! `tilewright verify`: do two files hold the same arrays, whatever their layouts?

use std::collections::BTreeSet;

use serde::Serialize;
use tilewright::ArrayShape;
use tilewright::xla::Layout;
use tilewright_files::ArrayInfo;
use tilewright_relayout::{Placement, Plan, RunOptions};

use crate::Answer;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input::{self, Input};

#[derive(Serialize)]
struct Report {
    equal: bool,
    arrays: usize,
    differences: Vec<Difference>,
}

#[derive(Serialize)]
struct Difference {
    name: String,
    reason: String,
    /// The first index whose elements differ, where it is the elements that do.
    index: Option<Vec<i64>>,
}

pub(crate) fn run(
    args: &VerifyArgs,
    strict: bool,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let a = input::open(&args.a, args.from_a.as_deref(), strict)?;
    let b = input::open(&args.b, args.from_b.as_deref(), strict)?;
    let report = compare(&a, &b)?;
    console.answer(&report, || described(&report))?;
    Ok(if report.equal { Answer::Yes } else { Answer::No })
}

fn compare(a: &Input, b: &Input) -> anyhow::Result<Report> {
    let pairs = pairs(a, b);
    let mut differences = Vec::new();
    for (name, pair) in &pairs {
        let difference = match *pair {
            (Some(in_a), Some(in_b)) => difference((a, in_a), (b, in_b))?,
            (None, _) => Some(("is only in the second file".to_owned(), None)),
            (_, None) => Some(("is only in the first file".to_owned(), None)),
        };
        differences.extend(difference.map(|(reason, index)| Difference {
            name: name.clone(),
            reason,
            index,
        }));
    }
    Ok(Report { equal: differences.is_empty(), arrays: pairs.len(), differences })
}

type Pair = (Option<usize>, Option<usize>);

/// Arrays of the same name; the only arrays of two files whatever their names, since a .npy or
/// raw file's array has no name but the file's.
fn pairs(a: &Input, b: &Input) -> Vec<(String, Pair)> {
    let (in_a, in_b) = (a.file.arrays(), b.file.arrays());
    if let ([only], [_]) = (in_a, in_b) {
        return vec![(only.name().to_owned(), (Some(0), Some(0)))];
    }
    let names: BTreeSet<&str> = in_a.iter().chain(in_b).map(ArrayInfo::name).collect();
    let pair = |name: &str| (a.file.find(name), b.file.find(name));
    names.into_iter().map(|name| (name.to_owned(), pair(name))).collect()
}

/// Why two arrays differ, if they do, and the first index at which they do.
fn difference(
    (a, in_a): (&Input, usize),
    (b, in_b): (&Input, usize),
) -> anyhow::Result<Option<(String, Option<Vec<i64>>)>> {
    let (shape_a, shape_b) = (a.shape(in_a)?, b.shape(in_b)?);
    let bare = |shape: &ArrayShape| shape.clone().without_layout();
    if bare(&shape_a) != bare(&shape_b) {
        let reason = format!("is {} in one and {} in the other", bare(&shape_a), bare(&shape_b));
        return Ok(Some((reason, None)));
    }
    let value_bits = match shape_a.element_bits() == shape_b.element_bits() {
        true => shape_a.element_bits(),
        false => shape_a.element_type().bits(),
    };
    let dense_a = dense(a, in_a, &shape_a, value_bits)?;
    let dense_b = dense(b, in_b, &shape_b, value_bits)?;
    let Some(byte) = dense_a.iter().zip(&dense_b).position(|(x, y)| x != y) else {
        return Ok(None);
    };
    let width = usize::try_from(shape_a.element_type().storage_bits() / 8)?;
    let index = bare(&shape_a).multi_index(i64::try_from(byte / width)?)?.unwrap_or_default();
    Ok(Some((format!("differs at index {index:?}"), Some(index))))
}

/// An array's elements, row-major, each in whole bytes, of which `value_bits` are looked at.
fn dense(
    input: &Input,
    array: usize,
    shape: &ArrayShape,
    value_bits: u32,
) -> anyhow::Result<Vec<u8>> {
    let dense = shape.clone().with_layout(Layout::descending(shape.rank()))?;
    let [from, to] = [Placement::from_shape(shape)?, Placement::from_shape(&dense)?];
    let mut source = vec![0; from.bytes()];
    input.file.read_at(array, 0, &mut source)?;
    let mut target = vec![0; to.bytes()];
    let plan = Plan::with_value_bits(&from, &to, value_bits)?;
    plan.run(&source, &mut target, &RunOptions::default())?;
    Ok(target)
}

fn described(report: &Report) -> String {
    if report.equal {
        let arrays = if report.arrays == 1 { "array" } else { "arrays" };
        return format!("equal: {} {arrays}", report.arrays);
    }
    let lines: Vec<String> = report
        .differences
        .iter()
        .map(|difference| format!("`{}` {}", difference.name, difference.reason))
        .collect();
    lines.join("\n")
}
