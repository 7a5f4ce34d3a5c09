//! `tilewright man`: manual pages, from the same definition as the help.

use std::path::Path;

use clap_mangen::Man;
use serde_json::json;
use tilewright_files::{CreateOptions, make_folder};

use crate::Answer;
use crate::args::{Arguments, ManArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::{input, signals};

/// What stands at the foot of each page.
const SOURCE: &str = concat!("tilewright ", env!("CARGO_PKG_VERSION"));

pub(crate) fn run(args: &ManArgs, console: &mut Console) -> Result<Answer, Failure> {
    match &args.output {
        Some(folder) => {
            signals::leave_nothing(console.is_json())?;
            let n = write_all(folder, args.force)?;
            console.done(format!("{} is in place", folder.display()));
            let document = json!({ "folder": folder, "pages": n });
            console.answer(&document, || format!("wrote {n} pages to {}", folder.display()))?;
        }
        None => {
            let page = find(args.about.as_deref())?;
            console.write(&page)?;
        }
    }
    Ok(Answer::Yes)
}

/// Writes a page for the whole and one for each command. How many there are.
fn write_all(folder: &Path, force: bool) -> Result<usize, Failure> {
    make_folder(folder)
        .map_err(|error| Failure::message(&format!("{}: {error}", folder.display())))?;
    let pages = pages()?;
    for (name, page) in &pages {
        let options = if force { CreateOptions::new().force() } else { CreateOptions::new() };
        options.write(folder.join(format!("{name}.1")), page).map_err(input::explained)?;
    }
    Ok(pages.len())
}

/// The page of a command, or of the whole.
fn find(about: Option<&str>) -> Result<Vec<u8>, Failure> {
    let name = match about {
        Some(command) => format!("tilewright-{command}"),
        None => "tilewright".to_owned(),
    };
    let page = pages()?.into_iter().find(|(of, _)| *of == name);
    page.map(|(_, page)| page).ok_or_else(|| {
        let command = about.unwrap_or_default();
        Failure::message(&format!("there is no command `{command}`: see tilewright --help"))
    })
}

/// The name and the text of every page. There is no date in them: the same command makes the same pages.
fn pages() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    // `help` is a command of clap's own, about which there is nothing to say.
    let mut whole = Arguments::definition().disable_help_subcommand(true);
    whole.build();
    let commands = whole.get_subcommands().cloned().collect::<Vec<_>>();
    let all = std::iter::once(whole).chain(commands);
    all.map(|command| {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let mut page = Vec::new();
        let page_of = Man::new(command).source(SOURCE).manual("Tilewright");
        page_of.render(&mut page).map_err(anyhow::Error::from)?;
        Ok((name, page))
    })
    .collect()
}
