//! `tilewright hlo`: what a module's layouts cost.

mod difference;
mod words;

use std::path::Path;

use tilewright_files::CreateOptions;
use tilewright_hlo::{Change, Dump, Report};
use tilewright_view::{Options, Scene, Theme};

use crate::Answer;
use crate::args::HloArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::{dump, input, signals};

pub(crate) fn run(args: &HloArgs, console: &mut Console) -> Result<Answer, Failure> {
    let report = report(&args.file, console)?;
    if let Some(other) = &args.diff {
        let other = self::report(other, console)?;
        let change = Change::between(&report, &other);
        console.answer(&change, || difference::text(&change, args.top))?;
        return Ok(Answer::Yes);
    }
    if let Some(page) = &args.html {
        write_page(page, &report, args.force, console)?;
        console.note(&format!("wrote {}", page.display()));
    }
    console.answer(&report, || words::text(&report, args.top))?;
    Ok(Answer::Yes)
}

/// The report on a file. What was not understood of it is said on stderr.
fn report(path: &Path, console: &Console) -> Result<Report, Failure> {
    let bytes = dump::read(path)?;
    let (text, replaced) = tilewright_hlo::decoded(&bytes);
    let dump = Dump::read(&text);
    if dump.module.is_none() && dump.memory_report.is_none() {
        return Err(nothing(path, &dump).into());
    }
    let mut report = Report::of(&dump);
    report.findings.extend(replaced);
    for finding in &report.findings {
        console.note(&format!("warning: {}: {finding}", dump::name(path)));
    }
    if report.more_findings > 0 {
        console.note(&format!("warning: {}: {} more", dump::name(path), report.more_findings));
    }
    Ok(report)
}

fn nothing(path: &Path, dump: &Dump<'_>) -> anyhow::Error {
    let lines = match dump.lines_skipped {
        0 => "it is empty".to_owned(),
        1 => "its only line is neither".to_owned(),
        n => format!("none of its {n} lines begins one"),
    };
    anyhow::anyhow!("{}: no HLO module and no out-of-memory report: {lines}", dump::name(path))
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
