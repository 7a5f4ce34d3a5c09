//! `tilewright assign`: better formats for a module's parameters.

use tilewright_ask::assignment;
use tilewright_hlo::{AssignedParameter, Assignment, Cost};

use crate::Answer;
use crate::args::AssignArgs;
use crate::console::Console;
use crate::dump;
use crate::failure::Failure;
use crate::size::in_words;
use crate::table::{self, Left, Right};

pub(crate) fn run(args: &AssignArgs, console: &mut Console) -> Result<Answer, Failure> {
    let bytes = dump::read(&args.file)?;
    let assignment = assignment(&bytes, &dump::name(&args.file))?;
    console.answer(&assignment, || described(&assignment))?;
    Ok(Answer::Yes)
}

fn described(assignment: &Assignment) -> String {
    let is_better = |parameter: &&AssignedParameter| parameter.best != parameter.module;
    let better: Vec<_> = assignment.parameters.iter().filter(is_better).collect();
    let mut text = format!(
        "{} of {} parameters would do better in another format\n\n{}",
        better.len(),
        assignment.parameters.len(),
        sums(assignment)
    );
    if !better.is_empty() {
        text += "\n\nparameters";
        text += &table(&better).lines().map(|line| format!("\n  {line}")).collect::<String>();
    }
    text
}

fn sums(assignment: &Assignment) -> String {
    let row = |name: &str, cost: &Cost| {
        let sizes = [cost.bytes, cost.padding_bytes, cost.moved_bytes].map(in_words);
        let [bytes, padding, moved] = sizes;
        [name.to_owned(), bytes, padding, moved]
    };
    let rows = [
        ["", "bytes", "padding", "moved at use"].map(str::to_owned),
        row("the module's formats", &assignment.totals.module),
        row("the best formats", &assignment.totals.best),
    ];
    table::aligned(&rows, &[Left, Right, Right, Right])
}

fn table(parameters: &[&AssignedParameter]) -> String {
    let heading = ["name", "the module's", "padding", "moved", "the best", "padding", "moved"];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(parameters.iter().map(|parameter| {
        let AssignedParameter { module, best, .. } = parameter;
        [
            parameter.name.clone(),
            module.text.to_string(),
            in_words(module.padding_bytes),
            in_words(module.moved_bytes),
            best.text.to_string(),
            in_words(best.padding_bytes),
            in_words(best.moved_bytes),
        ]
    }));
    table::aligned(&rows, &[Left, Left, Right, Right, Left, Right, Right])
}
