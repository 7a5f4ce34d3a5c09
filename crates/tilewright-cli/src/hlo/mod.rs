//! `tilewright hlo`: what a module's layouts cost.

mod difference;
mod folder;
mod words;

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use tilewright_ask::Reader;
use tilewright_files::CreateOptions;
use tilewright_hlo::{Change, Report, SpaceUsage};
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
    let (report, usage) = report(&args.file, reader, console)?;
    if let Some(other) = &args.diff {
        let (other, _) = self::report(other, reader, console)?;
        let change = Change::between(&report, &other);
        console.answer(&change, || difference::text(&change, args.top))?;
        return Ok(Answer::Yes);
    }
    if let Some(page) = &args.html {
        write_page(page, &report, args.force, console)?;
        console.note(&format!("wrote {}", page.display()));
    }
    let budgets = args.budget.iter().map(|(space, bytes)| Budget::of(&report, space, *bytes));
    let budgets: Vec<Budget> = budgets.collect();
    let counted = usage.iter().map(|usage| Counted {
        bytes: report.need_of(&usage.space, 0).bytes,
        compiler: usage.bytes,
        space: usage.space.clone(),
    });
    let counted: Vec<Counted> = counted.collect();
    let is_over = budgets.iter().any(|budget| budget.is_over);
    let document = Document { report: &report, budgets: &budgets, counted: &counted };
    console.answer(&document, || {
        let sections =
            [words::text(&report, args.top), words::counted(&counted), words::budgets(&budgets)];
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
}

/// Whether what there is of a memory space is enough.
#[derive(Serialize)]
struct Budget {
    space: String,
    bytes: i64,
    needed: i64,
    is_over: bool,
    largest: Vec<Largest>,
}

/// Something that is in memory at the peak.
#[derive(Serialize)]
struct Largest {
    name: String,
    text: Arc<str>,
    bytes: i64,
}

/// What the text says that a memory space is needed for, and what the compiler counted.
#[derive(Serialize)]
struct Counted {
    space: String,
    bytes: i64,
    compiler: i64,
}

/// So many of the largest are named where there is too little.
const LARGEST: usize = 5;

impl Budget {
    fn of(report: &Report, space: &str, bytes: i64) -> Self {
        let need = report.need_of(space, LARGEST);
        let largest = need.largest.into_iter();
        Budget {
            space: space.to_owned(),
            bytes,
            needed: need.bytes,
            is_over: need.bytes > bytes,
            largest: largest.map(|(name, text, bytes)| Largest { name, text, bytes }).collect(),
        }
    }
}

/// The report on a file, or on the module of a folder that says most, and what the compiler counted for
/// that. What was not understood is said on stderr.
fn report(
    path: &Path,
    reader: Reader<'_>,
    console: &Console,
) -> Result<(Report, Vec<SpaceUsage>), Failure> {
    if path.is_dir() {
        let found = Found::in_folder(path)?;
        console.note(&found.note());
        let (module, usage) = (&found.module, found.usage);
        let report = tilewright_ask::report(&dump::read(module)?, &dump::name(module), reader)?;
        return Ok((report, usage));
    }
    let report = tilewright_ask::report(&dump::read(path)?, &dump::name(path), reader)?;
    Ok((report, Vec::new()))
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
