//! The crates depend on one another one way only, and only the kernels may be `unsafe`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The rooms, from the bottom up: a crate depends only on those before it.
const ROOMS: &[&str] = &[
    "tilewright",
    "tilewright-relayout",
    "tilewright-files",
    "tilewright-convert",
    "tilewright-hlo",
    "tilewright-discover",
    "tilewright-calc",
    "tilewright-view",
    "tilewright-emit",
    "tilewright-ask",
    "tilewright-wasm",
    "tilewright-explore",
    "tilewright-cli",
    PYTHON,
    "tilewright-fuzz",
    "tilewright-book",
    "xtask",
];

const PYTHON: &str = "tilewright-python";

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn arrows_point_down() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    assert_eq!(packages.len(), ROOMS.len(), "a new crate needs its place in the list of rooms");
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let height = ROOMS.iter().position(|room| *room == name).unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            if let Some(other) = ROOMS.iter().position(|room| *room == on) {
                assert!(other < height, "{name} depends on {on}, which is not below it");
            }
        }
    }
}

/// The Python package stands on all but the command, nothing stands on it, and who builds everything builds it by name alone.
#[test]
fn nothing_depends_on_the_python_package_nor_it_on_the_command() {
    let metadata = metadata();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let dependencies = package["dependencies"].as_array().unwrap();
        let stands_on = |other: &str| dependencies.iter().any(|on| on["name"] == other);
        assert!(!stands_on(PYTHON), "{name}");
        assert!(name != PYTHON || !["tilewright-cli", "xtask"].into_iter().any(stands_on));
    }
    let built: Vec<&str> = metadata["workspace_default_members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member.as_str().unwrap())
        .collect();
    assert_eq!(built.len() + 1, ROOMS.len());
    assert!(!built.iter().any(|member| member.contains(PYTHON)));
}

#[test]
fn unsafe_code_is_in_the_kernels_and_one_line_of_the_desk() {
    // The module's exports have names that another crate could have too, which is all that is unsafe.
    let exports =
        "#[allow(unsafe_code, reason = \"the name is this crate's own\")]\n#[unsafe(no_mangle)]";
    for room in ROOMS {
        let folder = match *room {
            "xtask" => root().join("xtask/src"),
            room => root().join("crates").join(room).join("src"),
        };
        let entry = ["lib.rs", "main.rs"].map(|file| folder.join(file));
        let entry = entry.iter().find(|path| path.exists()).unwrap();
        let source = std::fs::read_to_string(entry).unwrap();
        let (allowed, level) = match *room {
            "tilewright-relayout" => {
                let desk = std::fs::read_to_string(folder.join("desk.rs")).unwrap();
                assert_eq!(desk.matches("unsafe {").count(), 1);
                (2, "deny(unsafe_code")
            }
            "tilewright-wasm" => {
                assert_eq!(source.matches(exports).count(), 3);
                (3, "deny(unsafe_code")
            }
            _ => (0, "forbid(unsafe_code"),
        };
        assert!(source.contains(level), "{room}");
        assert_eq!(source.matches("allow(unsafe_code").count(), allowed, "{room}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
