//! What was asked besides: what the compiler counted, budgets, and what if.

use tilewright_hlo::{Counted, Traffic, Tried};

use super::{cut, indented, is_of_flags};
use crate::hlo::Budget;
use crate::size::in_words;
use crate::table::{self, Left, Right};

/// What the compiler counted beside what the text says.
pub(in crate::hlo) fn counted(counted: &[Counted]) -> String {
    if counted.is_empty() {
        return String::new();
    }
    let row = |name: &str, bytes: i64, compiler: i64| {
        let share = 100.0 * (bytes as f64 - compiler as f64) / compiler.max(1) as f64;
        let share = if bytes == compiler { "same".to_owned() } else { format!("{share:+.1} %") };
        [name.to_owned(), in_words(compiler), in_words(bytes), share]
    };
    let mut rows = vec![["", "compiler", "by the text", ""].map(str::to_owned)];
    let mut differences = String::new();
    for space in counted.iter().filter(|counted| !is_of_flags(&counted.space)) {
        rows.push(row(&space.space, space.bytes, space.compiler));
        rows.extend(space.parts.iter().map(|part| {
            let name = match part.part {
                "live" => "  alive at the peak",
                "temporaries" => "  temporaries as packed",
                "aliases" => "  donated",
                "outputs" => "  outputs",
                _ => "  parameters",
            };
            row(name, part.bytes, part.compiler)
        }));
        for (who, buffers) in
            [("the compiler's", &space.only_compiler), ("the text's", &space.only_text)]
        {
            let names = buffers.iter().map(|b| format!("{} {}", in_words(b.bytes), cut(&b.name)));
            let names = names.collect::<Vec<_>>().join(", ");
            if !names.is_empty() {
                differences += &format!("\n  only at {who} peak of {}: {names}", space.space);
            }
        }
    }
    let table = table::aligned(&rows, &[Left, Right, Right, Right]);
    format!("as the compiler counted{}{differences}", indented(&table))
}

/// Whether there is enough, and what is too much.
pub(in crate::hlo) fn budgets(budgets: &[Budget]) -> String {
    let said = budgets.iter().map(|budget| {
        let Budget { space, bytes, needed, is_over, largest } = budget;
        let (needed, bytes) = (in_words(*needed), in_words(*bytes));
        if !is_over {
            return format!("within the budget: {needed} of {bytes} {space}");
        }
        let mut rows = vec![["bytes", "array", "name"].map(str::to_owned)];
        rows.extend(largest.iter().map(|l| [in_words(l.bytes), l.text.to_string(), cut(&l.name)]));
        let table = table::aligned(&rows, &[Right, Left, Left]);
        format!("over the budget: {needed} of {bytes} {space}; the largest{}", indented(&table))
    });
    said.collect::<Vec<_>>().join("\n\n")
}

/// What would become of the program.
pub(in crate::hlo) fn what_if(tried: &Tried) -> String {
    let mut text = "what if".to_owned();
    for format in &tried.formats {
        let too =
            format.output.as_ref().map(|output| format!(", and so its result {}", cut(output)));
        let (name, too) = (cut(&format.parameter), too.unwrap_or_default());
        text += &format!("\n  {name} were {} instead of {}{too}", format.after, format.before);
    }
    for donation in &tried.donations {
        let [parameter, output] = [&donation.parameter, &donation.output].map(|name| cut(name));
        text += &format!("\n  {parameter} gave its memory to {output}, {}", donation.text);
    }
    if tried.formats.is_empty() && tried.donations.is_empty() {
        text += "\n  nothing: there is nothing to change";
    }
    let mut rows = vec![["", "before", "after", "change"].map(str::to_owned)];
    for space in tried.spaces.iter().filter(|space| !is_of_flags(&space.space)) {
        let (before, after) = (&space.before, &space.after);
        let parts = [
            (space.space.as_str(), before.bytes, after.bytes),
            ("  parameters", before.parameters, after.parameters),
            ("  outputs", before.outputs, after.outputs),
            ("  donated", before.aliases, after.aliases),
            ("  temporaries", before.temporaries, after.temporaries),
        ];
        let parts = parts.iter().filter(|(_, before, after)| (*before, *after) != (0, 0));
        rows.extend(parts.map(|(name, before, after)| changed(name, *before, *after)));
    }
    let moved = |traffic: Traffic| traffic.bytes_read.saturating_add(traffic.bytes_written);
    let relayouts = [tried.relayouts.before, tried.relayouts.after].map(moved);
    rows.push(changed("relayouts move", relayouts[0], relayouts[1]));
    text + &indented(&table::aligned(&rows, &[Left, Right, Right, Right]))
}

/// A row of what there is before and after.
pub(in crate::hlo) fn changed(name: &str, before: i64, after: i64) -> [String; 4] {
    let change = match after.saturating_sub(before) {
        0 => "same".to_owned(),
        more @ 1.. => format!("+{}", in_words(more)),
        less => in_words(less),
    };
    [name.to_owned(), in_words(before), in_words(after), change]
}
