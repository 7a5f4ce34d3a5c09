//! `tilewright convert`: every array of a file in another layout.

use serde::Serialize;
use tilewright::text::abridged;
use tilewright_convert::{Conversion, Goal, Job, Options, Targets};
use tilewright_files::Companions;

use crate::Answer;
use crate::args::ConvertArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input;
use crate::progress::Bar;
use crate::signals;
use crate::table::{Align, Left, Right};

/// What became of one array.
#[derive(Serialize)]
pub(crate) struct Row {
    name: String,
    from: String,
    to: String,
    bytes_in: u64,
    bytes_out: u64,
    /// Null in a dry run.
    seconds: Option<f64>,
}

pub(crate) fn run(
    args: &ConvertArgs,
    strict: bool,
    console: &mut Console,
) -> Result<Answer, Failure> {
    input::refuse_dash(&args.output)?;
    let options = Options {
        threads: args.threads,
        max_memory: args.max_memory,
        pad: args.pad_value.clone(),
        force: args.force,
        in_place: args.in_place,
        facts: None,
    };
    let (goal, warnings) = Goal::parse(args.to.as_deref(), &args.tensor, strict)?;
    warnings.iter().for_each(|warning| console.note(warning));
    let input = input::open(&args.input, &args.from, strict)?;
    let conversion =
        Conversion::plan(input, &goal, &args.output, &options).map_err(input::in_words)?;
    if let Goal::Targets(targets) = &goal {
        note_planes(conversion.jobs(), targets, console);
    }
    let seconds = match args.dry_run {
        true => None,
        false => {
            signals::leave_nothing(console.is_json())?;
            note_left(conversion.companions(), console);
            let progress = Bar::new(conversion.bytes_out(), console.shows_progress());
            let seconds = conversion.write(&progress).map_err(input::in_words)?;
            progress.finish();
            console.done(format!("{} is in place", args.output.display()));
            Some(seconds)
        }
    };
    let rows: Vec<Row> = conversion.rows(seconds.as_deref()).into_iter().map(Row::from).collect();
    console.table(&rows, &COLUMNS, || lines(&rows))?;
    Ok(Answer::Yes)
}

impl From<tilewright_convert::Row> for Row {
    fn from(row: tilewright_convert::Row) -> Self {
        let tilewright_convert::Row { name, from, to, bytes_in, bytes_out, seconds } = row;
        Row { name, from, to, bytes_in, bytes_out, seconds }
    }
}

/// Says which arrays a TPU has in planes, which no layout can say.
fn note_planes(jobs: &[Job], targets: &Targets, console: &Console) {
    let has_planes = |job: &&Job| targets.has_planes(job.name(), job.element_type());
    for job in jobs.iter().filter(has_planes) {
        let (name, element_type) = (abridged(job.name()), job.element_type());
        console.note(&format!(
            "note: tensor `{name}`: each {element_type} is kept whole; a TPU has planes of 32 bits"
        ));
    }
}

/// Says what of a folder does not go along.
fn note_left(companions: &Companions, console: &Console) {
    const SHOWN: usize = 5;
    let left = companions.left();
    let names: Vec<String> =
        left.iter().take(SHOWN).map(|name| abridged(&name.to_string_lossy()).to_string()).collect();
    if let Some(more) = left.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        console.note(&format!("note: not carried along: {} and {more} more", names.join(", ")));
    } else if !left.is_empty() {
        console.note(&format!("note: not carried along: {}", names.join(", ")));
    }
}

/// Where the text of each column stands.
const COLUMNS: [Align; 6] = [Left, Left, Left, Right, Right, Right];

/// The lines of a table: its heading, a row for each array, and the sums.
fn lines(rows: &[Row]) -> impl Iterator<Item = [String; 6]> + use<'_> {
    let heading = ["name", "from", "to", "bytes in", "bytes out", "seconds"].map(str::to_owned);
    let line = |row: &Row| {
        [
            row.name.clone(),
            row.from.clone(),
            row.to.clone(),
            row.bytes_in.to_string(),
            row.bytes_out.to_string(),
            in_seconds(row.seconds),
        ]
    };
    std::iter::once(heading).chain(rows.iter().map(line)).chain([sums(rows)])
}

fn sums(rows: &[Row]) -> [String; 6] {
    let sum = |bytes: fn(&Row) -> u64| rows.iter().map(bytes).sum::<u64>().to_string();
    let seconds = rows.iter().filter_map(|row| row.seconds);
    let is_timed = rows.iter().any(|row| row.seconds.is_some());
    let arrays = if rows.len() == 1 { "array" } else { "arrays" };
    [
        format!("{} {arrays}", rows.len()),
        String::new(),
        String::new(),
        sum(|row| row.bytes_in),
        sum(|row| row.bytes_out),
        in_seconds(is_timed.then(|| seconds.sum())),
    ]
}

fn in_seconds(seconds: Option<f64>) -> String {
    seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.4}"))
}
