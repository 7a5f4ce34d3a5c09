//! The README of each published crate: the beginning of its documentation, up to the first heading. So what a registry
//! shows is what the code says, and its examples are tested there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::environment::root;
use crate::say;

const FOOT: &str = "\
Part of Tilewright, a system for tiled array layouts. The crate `tilewright` is the language that all of it speaks, and \
`tilewright-cli` is the command.

Apache-2.0.
";

/// Writes all of them.
pub(crate) fn run() -> ExitCode {
    let written = published().and_then(|crates| {
        crates.iter().try_for_each(|folder| {
            let file = folder.join("README.md");
            fs::write(&file, readme(folder)?)
                .map_err(|error| format!("{}: {error}", file.display()))
        })
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// The folders of the crates that are published: those whose manifests name a README.
fn published() -> Result<Vec<PathBuf>, String> {
    let crates = root()?.join("crates");
    let folders =
        fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let has_readme = |folder: &PathBuf| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.contains("\nreadme = \"README.md\"\n")
    };
    let mut folders: Vec<PathBuf> =
        folders.flatten().map(|entry| entry.path()).filter(has_readme).collect();
    folders.sort_unstable();
    Ok(folders)
}

fn readme(folder: &Path) -> Result<String, String> {
    let sources = ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file));
    let source = sources.iter().find(|file| file.is_file()).ok_or("a crate has no source")?;
    let source =
        fs::read_to_string(source).map_err(|error| format!("{}: {error}", source.display()))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("# {name}\n\n{}\n{FOOT}", beginning(&source)))
}

/// The documentation at the head of a source, up to its first heading, as Markdown alone: without the lines that
/// examples hide, and with links to items as their names.
fn beginning(source: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if let Some(language) = line.strip_prefix("```") {
            text += match (is_code, language) {
                (false, "" | "no_run") => "```rust",
                _ => line,
            };
            text.push('\n');
            is_code = !is_code;
            continue;
        }
        let is_marked = line == "#" || line.starts_with("# ");
        match (is_code, is_marked) {
            (true, true) => continue,
            (false, true) => break,
            (true, false) => text += line,
            (false, false) => text += &unlinked(line),
        }
        text.push('\n');
    }
    format!("{}\n", text.trim_end())
}

/// ``[`Plan`]`` and ``[`run`](Relayout::run)`` without their brackets: the names of items are no addresses.
fn unlinked(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        text += before;
        let Some((shown, behind)) = after.split_once(']') else {
            text.push('[');
            rest = after;
            continue;
        };
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        match target {
            Some((target, behind)) if !target.contains("://") => {
                text += shown;
                rest = behind;
            }
            None if shown.starts_with('`') => {
                text += shown;
                rest = behind;
            }
            _ => {
                text.push('[');
                rest = after;
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_markdown() {
        let source = "//! A [`Plan`] [runs](Plan::run) `f32[3]`.\n//!\n//! ```\n//! # use x;\n//! f();\n//! ```\n//! # How\n";
        assert_eq!(beginning(source), "A `Plan` runs `f32[3]`.\n\n```rust\nf();\n```\n");
        assert_eq!(
            unlinked("see [there](https://example.org) and [a"),
            "see [there](https://example.org) and [a"
        );
    }

    #[test]
    fn readmes_are_what_the_documentation_says() {
        let crates = published().unwrap();
        assert!(crates.len() >= 12, "{crates:?}");
        for folder in crates {
            let there = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
            assert!(there == readme(&folder).unwrap(), "{}: cargo xtask readmes", folder.display());
        }
    }
}
