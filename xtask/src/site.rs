//! The book as a folder that any web server can serve, with search in its pages and the explorer inside. No command is
//! behind it: a module of WebAssembly answers in the browser. Nothing that is typed leaves the reader's machine.
//!
//! The explorer is in `explorer`, and in `explorer/layouts` there is a page for each layout with a name. mdBook makes
//! pages of the chapters; it is built at a fixed version in cargo's target directory.
//!
//! The folder works below any path. A server has to send `ask.wasm` as `application/wasm`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::command::{built, command};
use crate::environment::{copy, copy_all, root, succeed, target};
use crate::tools::{cargo_tool, provide_target};
use crate::{page, say};

/// What modules of WebAssembly are built for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Who answers, as the page reads it.
const HOST: [&str; 2] = ["data-host=\"http\"", "data-host=\"wasm\""];

/// Where the rules of the page go: a server of files alone sends none.
const BEFORE_RULES: &str = "<meta charset=\"utf-8\">\n";

/// Nothing is loaded from elsewhere, and nothing is sent.
const RULES: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data: blob:; \
    base-uri 'none'; form-action 'none'\">\n";

/// How much the module is worked on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// As it is sent: small, a minute to build.
    Site,
    /// As it is tested with every change: arithmetic checked, and quicker to build.
    Dev,
}

/// What makes pages of the chapters.
const MDBOOK: &str = "0.5.4";

/// Makes the site in the folder that is named, or in `target/site`; with `--test` it is then used, from below a path.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let (is_tested, rest) = match arguments.split_first() {
        Some((first, rest)) if first == "--test" => (true, rest),
        _ => (false, arguments),
    };
    let folder = match rest {
        [] => target().map(|target| target.join("site")),
        [folder] if !folder.starts_with('-') => Ok(PathBuf::from(folder)),
        _ => Err("usage: cargo xtask site [--test] [FOLDER]".to_owned()),
    };
    let made = folder.and_then(|folder| {
        book(&folder)?;
        make(&folder.join("explorer"), Build::Site)?;
        if is_tested {
            page::test_site(&folder)?;
        }
        Ok(folder)
    });
    match made {
        Ok(folder) => {
            say(&format!("the site is in {}", folder.display()));
            ExitCode::SUCCESS
        }
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// Makes pages of the chapters. mdBook empties the folder that it writes to, so that it gets one of its own.
fn book(folder: &Path) -> Result<(), String> {
    let pages = target()?.join("book");
    let mut mdbook = Command::new(cargo_tool("mdbook", MDBOOK)?);
    succeed(mdbook.arg("build").arg(root()?.join("book")).arg("--dest-dir").arg(&pages))?;
    copy_all(&pages, folder)
}

/// Makes the explorer. Files of the same names are replaced, others are left alone.
pub(crate) fn make(folder: &Path, build: Build) -> Result<(), String> {
    provide_target(TARGET)?;
    let root = root()?;
    let (profile, folder_of_profile) = match build {
        Build::Site => ("wasm", "wasm"),
        Build::Dev => ("dev", "debug"),
    };
    let mut cargo = Command::new("cargo");
    let arguments = ["build", "-p", "tilewright-wasm", "--lib", "--target", TARGET, "--quiet"];
    succeed(cargo.args(arguments).args(["--profile", profile]).current_dir(&root))?;
    let modules = target()?.join(TARGET).join(folder_of_profile);
    let assets = root.join("crates/tilewright-explore/assets");
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for name in ["explorer.js", "explorer.css"] {
        copy(&assets.join(name), &folder.join(name))?;
    }
    copy(&modules.join("tilewright_wasm.wasm"), &folder.join("ask.wasm"))?;
    let source = assets.join("index.html");
    let html =
        fs::read_to_string(&source).map_err(|error| format!("{}: {error}", source.display()))?;
    let (page, index) = (page(&html)?, folder.join("index.html"));
    fs::write(&index, page).map_err(|error| format!("{}: {error}", index.display()))?;
    built()?;
    let mut layouts = Command::new(command()?);
    succeed(layouts.args(["layouts", "--force", "--pages"]).arg(folder.join("layouts")))
}

/// The page of the local host as one that asks the module.
fn page(html: &str) -> Result<String, String> {
    let [local, module] = HOST;
    if html.matches(local).count() != 1 || html.matches(BEFORE_RULES).count() != 1 {
        return Err(format!("index.html has not one {local} and one {BEFORE_RULES:?}"));
    }
    let rules = format!("{BEFORE_RULES}{RULES}");
    Ok(html.replace(local, module).replace(BEFORE_RULES, &rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_asks_the_module_and_nobody_else() {
        let html = include_str!("../../crates/tilewright-explore/assets/index.html");
        let page = page(html).unwrap_or_else(|error| panic!("{error}"));
        assert!(page.contains("data-host=\"wasm\"") && !page.contains("data-host=\"http\""));
        assert_eq!(page.replace(RULES, "").replace(HOST[1], HOST[0]), html);
        assert!(super::page("<html>").is_err());
    }
}
