//! `cargo xtask audit [PART…]`: what the crates stand on, and what stands on them.
//!
//! | part | looks at |
//! |---|---|
//! | `deny` | licences, sources and bans of all dependencies, by `deny.toml`, with cargo-deny |
//! | `advisories` | known holes in them; cargo-deny fetches the RustSec database for that |
//! | `api` | what is public of each published library, beside `docs/api`: `api --bless` writes it anew |
//! | `msrv` | all crates built by the oldest Rust that they name |
//! | `minimal` | all crates built with the oldest versions that they say they can do with |
//! | `semver` | what is public beside the last release: `semver --baseline REV` compares with another commit |
//!
//! Tools are built in cargo's target directory; `api` and `minimal` need a nightly toolchain, `msrv` the toolchain of
//! that version, which rustup installs.

mod api;
mod deny;
mod semver;
mod versions;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::environment::{root, target};
use crate::say;

const USAGE: &str = "\
usage: cargo xtask audit [deny] [advisories] [api] [msrv] [minimal] [semver]
       cargo xtask audit api --bless
       cargo xtask audit semver --baseline REV";

type Part = (&'static str, fn() -> Result<(), String>);

const PARTS: [Part; 6] = [
    ("deny", deny::policy),
    ("advisories", deny::advisories),
    ("api", api::compare),
    ("msrv", versions::oldest_rust),
    ("minimal", versions::oldest_dependencies),
    ("semver", semver::since_the_last_release),
];

/// Runs the parts that are named, or all, and says at the end which failed.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let failed = match words[..] {
        ["api", "--bless"] => one("api", api::bless),
        ["semver", "--baseline", revision] => one("semver", || semver::since(revision)),
        _ => {
            let is_part = |word: &&str| PARTS.iter().any(|(name, _)| name == word);
            if !words.iter().all(is_part) {
                say(USAGE);
                return ExitCode::from(2);
            }
            let is_wanted = |name: &str| words.is_empty() || words.contains(&name);
            let parts = PARTS.iter().filter(|(name, _)| is_wanted(name));
            parts.flat_map(|&(name, part)| one(name, part)).collect()
        }
    };
    match failed.is_empty() {
        true => ExitCode::SUCCESS,
        false => {
            say(&format!("failed: {}", failed.join(", ")));
            ExitCode::FAILURE
        }
    }
}

/// Runs a part. Its name if it failed.
fn one(name: &'static str, part: impl FnOnce() -> Result<(), String>) -> Vec<&'static str> {
    say(&format!("== {name}"));
    match part() {
        Ok(()) => Vec::new(),
        Err(message) => {
            say(&message);
            vec![name]
        }
    }
}

/// Where the parts build: apart from all else, since their flags are others.
fn build_folder() -> Result<PathBuf, String> {
    Ok(target()?.join("audit"))
}

/// The published libraries: their names and folders, from the bottom up as the workspace lists them.
fn libraries() -> Result<Vec<(String, PathBuf)>, String> {
    let root = root()?;
    let manifest = read(&root.join("Cargo.toml"))?;
    let members = manifest.split("\nmembers = [").nth(1).and_then(|rest| rest.split(']').next());
    let members = members.unwrap_or_default().lines();
    let members = members.filter_map(|line| line.trim().strip_prefix("\"crates/"));
    let folders = members
        .filter_map(|rest| rest.strip_suffix("\","))
        .map(|name| root.join("crates").join(name));
    let mut libraries = Vec::new();
    for folder in folders {
        let is_published = !read(&folder.join("Cargo.toml"))?.contains("\npublish = false\n");
        if is_published && folder.join("src/lib.rs").is_file() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            libraries.push((name, folder));
        }
    }
    Ok(libraries)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn libraries_are_listed() {
        let names: Vec<String> =
            super::libraries().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!((names[0].as_str(), names.len()), ("tilewright", 11), "{names:?}");
        assert!(
            !names
                .iter()
                .any(|name| ["tilewright-fuzz", "tilewright-wasm"].contains(&name.as_str()))
        );
    }
}
