//! `tilewright convert`: every array of a file in another layout.

mod bundle;
pub(crate) mod crew;
pub(crate) mod cut;
mod job;
mod narrow;
mod stream;
mod target;

use std::path::Path;

use anyhow::bail;
use serde::Serialize;
use tilewright::text::abridged;
use tilewright_files::{ArrayFile, ArraySpec, Companions, CreateOptions, Format, Writer};
use tilewright_relayout::Plan;

use crate::Answer;
use crate::args::ConvertArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input;
use crate::memory::Budget;
use crate::progress::Progress;
use crate::signals;
use crate::table::{Align, Left, Right};
use crew::Crew;
use job::Job;
use stream::{Passage, Stream};
use target::Targets;

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
    let targets = Targets::parse(args.to.as_deref(), &args.tensor, strict, console)?;
    let input = input::open(&args.input, &args.from, strict)?;
    let format = output_format(&args.output, input.file.format())?;
    let crew = Crew::new(args.threads, args.max_memory)?;
    let jobs = Job::plan_all(&input, &targets, format, args.pad_value.as_deref(), &crew)?;
    note_planes(&jobs, &targets, console);
    let rows = match args.dry_run {
        true => jobs.iter().map(|job| job.row(None)).collect(),
        false => {
            let rows = converted(args, &input.file, format, &jobs, &crew, console)?;
            console.done(format!("{} is in place", args.output.display()));
            rows
        }
    };
    console.table(&rows, &COLUMNS, || lines(&rows))?;
    Ok(Answer::Yes)
}

/// Says which arrays a TPU has in planes, which no layout can say.
fn note_planes(jobs: &[Job], targets: &Targets, console: &Console) {
    let has_planes = |job: &&Job| targets.has_planes(&job.name, job.element_type());
    for job in jobs.iter().filter(has_planes) {
        let (name, element_type) = (abridged(&job.name), job.element_type());
        console.note(&format!(
            "note: tensor `{name}`: each {element_type} is kept whole; a TPU has planes of 32 bits"
        ));
    }
}

/// The format that the output's name says: by its ending, or, where it has none, a folder again for
/// a folder.
fn output_format(output: &Path, input: Format) -> anyhow::Result<Format> {
    input::refuse_dash(output)?;
    let ending = output.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match (Format::of_name(output), ending.as_deref()) {
        (Some(format), _) => Ok(format),
        (None, Some("raw" | "bin")) => Ok(Format::Raw),
        (None, None) if input == Format::SafetensorsFolder => Ok(input),
        _ => bail!(
            "{}: the name says no format: expected .npy, .safetensors, .raw or .bin, or no ending \
             for a folder of shards",
            output.display()
        ),
    }
}

fn converted(
    args: &ConvertArgs,
    file: &ArrayFile,
    format: Format,
    jobs: &[Job],
    crew: &Crew,
    console: &Console,
) -> Result<Vec<Row>, Failure> {
    let budget = budget(args, file, jobs, crew)?;
    let passages = Passage::plan_all(jobs, crew, budget)?;
    let specs: Vec<ArraySpec> = jobs.iter().map(|job| job.spec.clone()).collect();
    signals::leave_nothing(console.is_json())?;
    let writer = create(args, file, format, &specs, console)?;
    let total: u64 = jobs.iter().map(Job::bytes_out).sum();
    let progress = Progress::new(total, console.shows_progress());
    Stream { file, writer: &writer, progress: &progress, crew, budget }.convert(&passages)?;
    writer.finish().map_err(input::explained)?;
    progress.finish();
    Ok(jobs.iter().zip(&passages).map(|(job, passage)| job.row(Some(passage.seconds()))).collect())
}

/// What memory there is for buffers and for what fills them, beside all else that is held.
fn budget(
    args: &ConvertArgs,
    file: &ArrayFile,
    jobs: &[Job],
    crew: &Crew,
) -> anyhow::Result<Budget> {
    let threads = crew.n_threads();
    let scratch = jobs.iter().map(Job::scratch_bytes).max().unwrap_or(0);
    let kept = threads.saturating_mul(scratch.min(Plan::MOST_KEPT_BYTES));
    let budget = Budget::new(args.max_memory, threads);
    let known = job::held_bytes(jobs, file);
    Ok(budget.beside(known, "what is known of the arrays")?.without(kept))
}

fn create(
    args: &ConvertArgs,
    file: &ArrayFile,
    format: Format,
    specs: &[ArraySpec],
    console: &Console,
) -> Result<Writer, Failure> {
    let mut options = CreateOptions::new().source(file).metadata(file.metadata().clone());
    if args.force || args.in_place {
        options = options.force();
    }
    if args.in_place {
        options = options.in_place();
    }
    if format == Format::SafetensorsFolder {
        let companions = Companions::of(file).map_err(input::explained)?;
        note_left(&companions, console);
        options = options.shards(file.shards().to_vec()).companions(companions);
    }
    Ok(options.create(&args.output, format, specs).map_err(input::explained)?)
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
