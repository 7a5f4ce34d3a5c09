//! `tilewright hlo`: what a module's layouts cost.

mod difference;
mod words;

use std::path::Path;

use tilewright_ask::Reader;
use tilewright_files::CreateOptions;
use tilewright_hlo::{Change, Report};
use tilewright_view::{Options, Scene, Theme};

use crate::Answer;
use crate::args::HloArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::{dump, input, signals};

pub(crate) fn run(
    args: &HloArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let report = report(&args.file, reader)?;
    if let Some(other) = &args.diff {
        let other = self::report(other, reader)?;
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
fn report(path: &Path, reader: Reader<'_>) -> Result<Report, Failure> {
    Ok(tilewright_ask::report(&dump::read(path)?, &dump::name(path), reader)?)
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
