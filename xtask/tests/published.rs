//! What is published says what it is, once, and the same everywhere.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Crates that are not published, and why ARCHITECTURE.md says so.
const KEPT: [&str; 5] =
    ["tilewright-book", "tilewright-fuzz", "tilewright-python", "tilewright-wasm", "xtask"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

#[test]
fn published_crates_say_what_they_are() {
    let packages = packages();
    let published: Vec<&Value> = packages.iter().filter(|package| is_published(package)).collect();
    assert_eq!(published.len() + KEPT.len(), packages.len());
    for package in published {
        let name = package["name"].as_str().unwrap();
        for field in ["description", "license", "readme", "rust_version"] {
            assert!(
                package[field].as_str().is_some_and(|text| !text.is_empty()),
                "{name}: {field}"
            );
        }
        for field in ["keywords", "categories"] {
            let n = package[field].as_array().unwrap().len();
            assert!((1..=5).contains(&n), "{name}: {n} {field}");
        }
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        assert_eq!(fs::read_to_string(folder.join("LICENSE")).unwrap(), read("LICENSE"), "{name}");
    }
}

/// A published crate is built from a registry: what it stands on is there too, by its version.
#[test]
fn published_crates_stand_on_published_ones() {
    let packages = packages();
    let find = |name: &str| packages.iter().find(|package| package["name"] == name);
    for package in packages.iter().filter(|package| is_published(package)) {
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            assert!(find(name).is_none_or(is_published), "{} stands on {name}", package["name"]);
            assert_ne!(dependency["req"], "*", "{} does not say which {name}", package["name"]);
        }
    }
    for name in KEPT {
        assert!(!is_published(find(name).unwrap()), "{name}");
    }
}

#[test]
fn the_version_is_one() {
    let packages = packages();
    let version = packages[0]["version"].as_str().unwrap();
    for package in &packages {
        assert_eq!(package["version"], version, "{}", package["name"]);
        for dependency in package["dependencies"].as_array().unwrap() {
            if dependency["name"].as_str().unwrap().starts_with("tilewright") {
                assert_eq!(dependency["req"], format!("^{version}"), "{}", package["name"]);
            }
        }
    }
    let quoted = format!("\nversion = \"{version}\"\n");
    assert!(read("crates/tilewright-python/pyproject.toml").contains(&quoted));
    assert!(read("CITATION.cff").contains(&format!("\nversion: {version}\n")));
}

#[test]
fn the_oldest_rust_is_one() {
    let oldest = packages()[0]["rust_version"].as_str().unwrap().to_owned();
    for package in packages() {
        assert_eq!(package["rust_version"], oldest.as_str(), "{}", package["name"]);
    }
    for file in ["fuzz/Cargo.toml", "bench/Cargo.toml"] {
        assert!(read(file).contains(&format!("\nrust-version = \"{oldest}\"\n")), "{file}");
    }
    assert!(read("README.md").contains(&format!("the Rust toolchain ({oldest} or later)")));
}

/// A hosted CI runs what anybody can run.
#[test]
fn workflows_run_commands_that_there_are() {
    let usage = read("xtask/src/main.rs");
    let mut n_commands = 0;
    for entry in fs::read_dir(root().join(".github/workflows")).unwrap() {
        let path = entry.unwrap().path();
        let workflow = fs::read_to_string(&path).unwrap();
        for line in workflow.lines() {
            let Some((_, rest)) = line.split_once("cargo xtask ") else { continue };
            let listed =
                workflow.split_once("command: [").and_then(|(_, list)| list.split_once(']'));
            let commands: Vec<&str> = match (rest.starts_with("${{"), listed) {
                (true, Some((list, _))) => list.split(", ").collect(),
                _ => vec![rest.split_whitespace().next().unwrap()],
            };
            // What follows a command is its own to check.
            let names = commands.iter().filter_map(|command| command.split(' ').next());
            for command in names {
                assert!(
                    usage.contains(&format!("command == \"{command}\"")),
                    "{}: {command}",
                    path.display()
                );
                n_commands += 1;
            }
        }
    }
    assert!(n_commands >= 8, "{n_commands}");
    assert!(read(".github/workflows/ci.yml").contains("bash .ci/run"));
}
