//! `tilewright hlo`: what a module's layouts cost.

mod difference;
mod folder;
mod words;

use std::path::Path;

use serde::Serialize;
use tilewright_ask::{Reader, tried};
use tilewright_files::CreateOptions;
use tilewright_hlo::{Change, CompilerReports, Counted, Dump, Needed, Report, Tried, decoded};
use tilewright_view::{Options, Scene, Theme};

use crate::Answer;
use crate::args::HloArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::{dump, input, signals};
use folder::Found;

pub(crate) fn run(
    args: &HloArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let read = Read::of(&args.file, reader, console)?;
    let report = &read.report;
    if let Some(other) = &args.diff {
        let other = Read::of(other, reader, console)?;
        let change = Change::between(report, &other.report);
        let words = if args.markdown { difference::markdown } else { difference::text };
        console.answer(&change, || words(&change, args.top))?;
        return Ok(Answer::Yes);
    }
    if let Some(page) = &args.html {
        write_page(page, report, args.force, console)?;
        console.note(&format!("wrote {}", page.display()));
        console.done(format!("{} is in place", page.display()));
    }
    let trial = args.trial();
    let tried = (!trial.is_empty()).then(|| tried(&read.bytes, &read.name, &trial)).transpose()?;
    let budgets = args.budget.iter().map(|(space, bytes)| {
        let mut spaces = tried.iter().flat_map(|tried| &tried.spaces);
        let need = spaces.find(|tried| tried.space == *space).map(|tried| tried.after.clone());
        let need = need.unwrap_or_else(|| report.need_of(space, LARGEST));
        let (space, bytes) = (space.clone(), *bytes);
        Budget {
            space,
            bytes,
            needed: need.bytes,
            is_over: need.bytes > bytes,
            largest: need.largest,
        }
    });
    let budgets: Vec<Budget> = budgets.collect();
    let counted = read.reports.beside(report);
    let is_over = budgets.iter().any(|budget| budget.is_over);
    let what_if = tried.as_ref();
    let document = Document { report, budgets: &budgets, counted: &counted, what_if };
    console.answer(&document, || {
        let sections = [
            words::text(report, args.top),
            words::counted(&counted),
            what_if.map_or(String::new(), words::what_if),
            words::budgets(&budgets),
        ];
        let sections: Vec<String> = sections.into_iter().filter(|text| !text.is_empty()).collect();
        sections.join("\n\n")
    })?;
    Ok(if is_over { Answer::No } else { Answer::Yes })
}

/// The report, and what was asked besides.
#[derive(Serialize)]
struct Document<'r> {
    #[serde(flatten)]
    report: &'r Report,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    budgets: &'r [Budget],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    counted: &'r [Counted],
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<&'r Tried>,
}

/// Whether what there is of a memory space is enough.
#[derive(Serialize)]
struct Budget {
    space: String,
    bytes: i64,
    needed: i64,
    is_over: bool,
    largest: Vec<Needed>,
}

/// So many of the largest are named where there is too little.
const LARGEST: usize = 5;

/// A dump, the report on it, and what the compiler counted.
struct Read {
    name: String,
    bytes: dump::Bytes,
    report: Report,
    reports: CompilerReports,
}

impl Read {
    /// Of a file, or of the module of a folder that says most. What was not understood is said on stderr.
    fn of(path: &Path, reader: Reader<'_>, console: &Console) -> Result<Self, Failure> {
        let found = if path.is_dir() { Some(Found::in_folder(path)?) } else { None };
        if let Some(found) = &found {
            console.note(&found.note());
        }
        let module = found.as_ref().map_or(path, |found| &found.module);
        let (bytes, name) = (dump::read(module)?, dump::name(module));
        let mut report = tilewright_ask::report(&bytes, &name, reader)?;
        if let Some(before) = found.as_ref().and_then(|found| found.before.as_ref()) {
            let before = dump::read(before)?;
            report.add_shardings(&Dump::read(&decoded(&before).0));
        }
        Ok(Read {
            name,
            bytes,
            report,
            reports: found.map(|found| found.reports).unwrap_or_default(),
        })
    }
}

/// Writes the report as a page. One that is there is replaced only if that was asked for.
fn write_page(path: &Path, report: &Report, force: bool, console: &Console) -> Result<(), Failure> {
    signals::leave_nothing(console.is_json())?;
    let options = if force { CreateOptions::new().force() } else { CreateOptions::new() };
    let page = report.to_html_with(picture);
    Ok(options.write(path, page.as_bytes()).map_err(input::explained)?)
}

/// Where the padding of an array is, in light and dark.
fn picture(text: &str) -> Option<String> {
    let scene = Scene::of_padding(text.parse().ok()?, &Options::default()).ok()??;
    let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| scene.to_svg(theme));
    Some(format!("<div class=light>{light}</div><div class=dark>{dark}</div>"))
}
