//! The page of `tilewright explore`, made again and used in a browser.
//!
//! What is committed under `assets` has to be what `page` comes to, byte for byte. The page is then
//! used in Chromium, as somebody would: served by the command that has been built, and as a site, where
//! a module of WebAssembly answers. `CHROMIUM` and `TILEWRIGHT` name other programs than are found.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::command::{built, command};
use crate::environment::{root, succeed, target};
use crate::{say, site, tools};

/// What the page is made into.
const ASSETS: [&str; 2] = ["explorer.js", "explorer.css"];

/// Makes the page, builds the command, and tests the page with it; with `--made` the first alone, and
/// with `--used` the last, as soon as both are there.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let outcome = match arguments {
        [] => made().and_then(|()| built()).and_then(|()| test()),
        [only] if only == "--made" => made(),
        [only] if only == "--used" => test(),
        _ => Err("usage: cargo xtask page [--made | --used]".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// Installs what the page is made and used with, checks its types, makes it, and compares it with what
/// is committed. Files of the repository are read alone: somebody else may be building it.
fn made() -> Result<(), String> {
    tools::provide_node()?;
    tools::provided_chromium()?;
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"], &[])?;
    npm(&["run", "check"], &[])?;
    let folder = target()?.join("page");
    npm(&["run", "build"], &[("OUTPUT", &folder)])?;
    let committed = root()?.join("crates/tilewright-explore/assets");
    for name in ASSETS {
        let [made, committed] = [&folder, &committed].map(|folder| read(&folder.join(name)));
        if made? != committed? {
            return Err(format!(
                "assets/{name} is not what the page comes to: npm run build in page, and commit it"
            ));
        }
    }
    Ok(())
}

/// Uses the page in Chromium, by both of its hosts. The command has been built, and the page made.
fn test() -> Result<(), String> {
    let (command, chromium) = (command()?, tools::provided_chromium()?);
    say("served by the command");
    npm(&["test"], &[("TILEWRIGHT", &command), ("CHROMIUM", &chromium)])?;
    if let Err(missing) = tools::provide_target(site::TARGET) {
        say(&format!("skipped: the site: {missing}"));
        return Ok(());
    }
    let folder = target()?.join("site-dev");
    site::make(&folder, site::Build::Dev)?;
    say("served as files");
    let environment = [("SITE", &*folder), ("TILEWRIGHT", &command), ("CHROMIUM", &chromium)];
    npm(&["test"], &environment)
}

/// Uses a whole site, served from below a path: every link is followed, the search finds, the explorer answers.
pub(crate) fn test_site(folder: &Path) -> Result<(), String> {
    tools::provide_node()?;
    let chromium = tools::provided_chromium()?;
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"], &[])?;
    npm(&["run", "site"], &[("SITE", folder), ("CHROMIUM", &chromium)])
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn npm(arguments: &[&str], environment: &[(&str, &Path)]) -> Result<(), String> {
    let mut command = Command::new("npm");
    command.args(arguments).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    command.envs(environment.iter().copied());
    succeed(command.current_dir(root()?.join("crates/tilewright-explore/page")))
}
