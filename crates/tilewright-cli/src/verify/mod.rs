//! `tilewright verify`: do two files hold the same arrays, whatever their layouts?
//!
//! Two arrays are brought to one order, that of the first's memory or that of the second's, element
//! by element in whole bytes, and compared there piece by piece. The array whose order it is is read
//! straight on, so that only the other may have to be held as a whole; arrays of one layout never
//! are, whatever it is.

mod comparison;
mod passage;
mod way;
mod window;

use serde::Serialize;
use tilewright::text::abridged;

use crate::Answer;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::convert::crew::Crew;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::memory::{self, Budget};
use comparison::Comparison;
use window::Window;

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
    let report = compare(&a, &b, args.max_memory)?;
    console.answer(&report, || described(&report))?;
    Ok(if report.equal { Answer::Yes } else { Answer::No })
}

/// Compares arrays of the same name; the only arrays of two files whatever their names, since a
/// .npy or raw file's array has no name but the file's.
fn compare(a: &Input, b: &Input, allowed: Option<usize>) -> anyhow::Result<Report> {
    let crew = Crew::new(None, allowed)?;
    let known = a.file.arrays().iter().chain(b.file.arrays());
    let known = known.map(|info| memory::of_array(info, 0)).fold(0, usize::saturating_add);
    let budget = Budget::new(allowed, crew.n_threads());
    let budget = budget.beside(known, "what is known of the arrays")?;
    let budget = budget.without(2 * Window::MOST_BYTES);
    let mut comparison = Comparison::new([a, b], &crew, budget);
    let (arrays, different_names) = match (a.file.arrays(), b.file.arrays()) {
        ([one], [other]) => {
            comparison.arrays(one.name(), [0, 0])?;
            let names = [one.name(), other.name()];
            (1, (names[0] != names[1]).then(|| names.map(str::to_owned)))
        }
        _ => (comparison.all()?, None),
    };
    let mut differences = comparison.differences;
    differences.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Report { equal: differences.is_empty(), arrays, different_names, differences })
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
