//! `tilewright verify`: do two files hold the same arrays, whatever their layouts?

use serde::Serialize;
use tilewright::text::abridged;
use tilewright_convert::{Comparison, compare};

use crate::Answer;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input;
use crate::words::write_words;

#[derive(Serialize)]
struct Report {
    equal: bool,
    arrays: usize,
    /// The names of the only arrays of the two files, where they are not the same.
    different_names: Option<[String; 2]>,
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
    let a = input::open(&args.a, &args.from_a, strict)?;
    let b = input::open(&args.b, &args.from_b, strict)?;
    let found = compare(&a, &b, (None, args.max_memory), &()).map_err(input::in_words)?;
    let Comparison { arrays, different_names, differences, not_layers, .. } = found;
    for (path, reason) in [&args.a, &args.b].into_iter().zip(not_layers) {
        if let Some(reason) = reason {
            let path = path.display();
            write_words(&format!(
                "warning: {path}: compared array by array, not as a quantised model: {reason}"
            ));
        }
    }
    let difference = |found: tilewright_convert::Difference| Difference {
        name: found.name,
        reason: found.reason,
        index: found.index,
    };
    let differences: Vec<Difference> = differences.into_iter().map(difference).collect();
    let report = Report { equal: differences.is_empty(), arrays, different_names, differences };
    console.answer(&report, || described(&report))?;
    Ok(if report.equal { Answer::Yes } else { Answer::No })
}

fn described(report: &Report) -> String {
    let arrays = if report.arrays == 1 { "array" } else { "arrays" };
    let equal = report.equal.then(|| format!("equal: {} {arrays}", report.arrays));
    let differences = report
        .differences
        .iter()
        .map(|difference| format!("`{}` {}", abridged(&difference.name), difference.reason));
    let names = report.different_names.iter().map(|[one, other]| {
        format!(
            "the names differ, `{}` and `{}`: the only array of each file was compared",
            abridged(one),
            abridged(other)
        )
    });
    let lines: Vec<String> = equal.into_iter().chain(differences).chain(names).collect();
    lines.join("\n")
}
