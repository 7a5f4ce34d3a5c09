//! What the book says, held to what is there.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod calls;
mod catalogue;
mod chapters;
mod diagrams;
mod grammars;
mod written;

use std::fs;
use std::path::{Path, PathBuf};

use tilewright_book::grammar::Grammar;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A grammar of the book, with the rules of others that it stands on.
fn grammar(name: &str) -> Grammar {
    let rules = |name: &str| read(&book().join("grammar").join(name).with_extension("ebnf"));
    let shared = match name {
        "common" => String::new(),
        "calc" => rules("cute") + &rules("common"),
        _ => rules("common"),
    };
    Grammar::parse(&(rules(name) + &shared)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Holds a file to what it comes to. With `TILEWRIGHT_SNAPSHOTS=write` in the environment it is written anew, to be
/// looked at.
fn check_fresh(path: &Path, text: &str) {
    if std::env::var("TILEWRIGHT_SNAPSHOTS").is_ok_and(|wish| wish == "write") {
        fs::write(path, text).unwrap();
    }
    let there = fs::read_to_string(path).unwrap_or_default();
    assert!(there == text, "{} is not what it comes to: see CONTRIBUTING.md", path.display());
}
