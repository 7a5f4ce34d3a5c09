//! The oldest that is promised: the Rust of `rust-version`, and the versions of dependencies that manifests ask for.

use std::fs;
use std::process::Command;

use super::{build_folder, read};
use crate::environment::{output, root, succeed};

/// All crates, with all features, by the toolchain of `rust-version`.
pub(super) fn oldest_rust() -> Result<(), String> {
    let root = root()?;
    let manifest = read(&root.join("Cargo.toml"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.ok_or("Cargo.toml names no rust-version")?.trim_matches('"');
    let toolchain = format!("{version}.0");
    let mut rustup = Command::new("rustup");
    succeed(rustup.args([
        "toolchain",
        "install",
        &toolchain,
        "--profile",
        "minimal",
        "--no-self-update",
    ]))?;
    let mut cargo = Command::new("cargo");
    cargo.args([&format!("+{toolchain}"), "check", "--workspace", "--all-features", "--locked"]);
    succeed(cargo.current_dir(&root).env("CARGO_TARGET_DIR", build_folder()?))
}

/// All crates with the oldest versions of what they name (what that stands on is as new as ever). In a copy, since
/// cargo writes such versions to `Cargo.lock`.
pub(super) fn oldest_dependencies() -> Result<(), String> {
    let (root, copy) = (root()?, build_folder()?.join("minimal"));
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(|error| format!("{}: {error}", copy.display()))?;
    }
    let files = output(
        Command::new("git")
            .args(["ls-files", "-z", "*.rs", "*.toml", "*.md", "crates"])
            .current_dir(&root),
    )?;
    for file in files.split('\0').filter(|file| !file.is_empty() && !file.contains("/tests/data/"))
    {
        let (from, to) = (root.join(file), copy.join(file));
        if let (Some(folder), true) = (to.parent(), from.is_file()) {
            let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(&from, &to));
            copied.map_err(|error| format!("{}: {error}", from.display()))?;
        }
    }
    let mut lock = Command::new("cargo");
    lock.args(["+nightly", "generate-lockfile", "-Z", "direct-minimal-versions", "--quiet"]);
    succeed(lock.current_dir(&copy))?;
    let mut check = Command::new("cargo");
    check.args(["check", "--workspace", "--all-features", "--locked"]);
    succeed(check.current_dir(&copy).env("CARGO_TARGET_DIR", build_folder()?))
}
