//! What is public: each library's items as text, in `docs/api`, so that a change of them is seen where it is read.
//! cargo-public-api takes them from rustdoc's JSON, whose form belongs to a nightly toolchain.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{build_folder, libraries, read};
use crate::environment::{output, root};
use crate::tools::cargo_tool;

/// Crates of others that a signature may name: those that are part of what the crate is for.
const NAMED: [&str; 7] =
    ["core", "std", "alloc", "tilewright", "serde", "serde_core", "serde_json"];

/// Writes the texts.
pub(super) fn bless() -> Result<(), String> {
    for (name, folder) in libraries()? {
        let path = path(&name)?;
        fs::write(&path, text(&folder)?).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Compares them, and looks at which crates they name.
pub(super) fn compare() -> Result<(), String> {
    let mut wrong = Vec::new();
    for (name, folder) in libraries()? {
        let now = text(&folder)?;
        let written = read(&path(&name)?)?;
        wrong.extend(difference(&written, &now).into_iter().map(|line| format!("{name}: {line}")));
        wrong.extend(
            foreign(&now).into_iter().map(|krate| format!("{name} names {krate} in a signature")),
        );
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("{}\nif that is meant: cargo xtask audit api --bless", wrong.join("\n")))
        }
    }
}

fn path(name: &str) -> Result<PathBuf, String> {
    Ok(root()?.join("docs/api").join(format!("{name}.txt")))
}

/// The items, without what the compiler implements by itself or by `derive`.
fn text(folder: &Path) -> Result<String, String> {
    let tool = cargo_tool("cargo-public-api", "0.52.0")?;
    let mut command = Command::new(tool);
    command.args(["public-api", "-sss", "--all-features"]).current_dir(folder);
    output(command.env("CARGO_TARGET_DIR", build_folder()?))
}

/// The lines that only one of two texts has.
fn difference(one: &str, other: &str) -> Vec<String> {
    let only = |one: &str, other: &str, sign: char| -> Vec<String> {
        let there: std::collections::BTreeSet<&str> = other.lines().collect();
        one.lines()
            .filter(|line| !there.contains(line))
            .map(|line| format!("{sign} {line}"))
            .collect()
    };
    [only(one, other, '-'), only(other, one, '+')].concat()
}

/// Crates that a text names and should not: what stands before `::` where a path begins.
fn foreign(text: &str) -> Vec<String> {
    let mut found = std::collections::BTreeSet::new();
    for line in text.lines() {
        for (at, _) in line.match_indices("::") {
            let before = line[..at]
                .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap_or_default();
            let begins = !line[..at - before.len()].ends_with("::");
            let is_module = before.starts_with(|c: char| c.is_ascii_lowercase());
            let is_ours = before.starts_with("tilewright") || NAMED.contains(&before);
            if begins && is_module && !is_ours {
                found.insert(before.to_owned());
            }
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_and_foreign_crates_are_found() {
        assert_eq!(difference("a\nb", "b\nc"), ["- a", "+ c"]);
        let text = "pub fn tilewright_x::f(&rayon::ThreadPool, <T as core::iter::Iterator>::Item) -> Self::Output";
        assert_eq!(foreign(text), ["rayon"]);
    }

    /// Without a nightly toolchain: which crates the texts in the repository name, and that there is one of each.
    #[test]
    fn no_signature_names_a_foreign_crate() {
        for (name, _) in libraries().unwrap() {
            let text = read(&path(&name).unwrap()).unwrap();
            assert!(text.contains(&format!("pub mod {}\n", name.replace('-', "_"))), "{name}");
            assert_eq!(foreign(&text), [""; 0], "{name}");
        }
    }
}
