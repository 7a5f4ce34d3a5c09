//! Tools that are not part of a Rust toolchain: Node and Chromium, programs of other crates, other targets.
//!
//! Where one is missing, and this runs as root on a system with `apt-get`, as it does where changes are
//! tested, it is installed; anywhere else it is said what to install.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::{succeed, target};
use crate::say;

/// The names that Chromium goes by.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The oldest Node that the page's tools run on, as a program of its own says.
const OLDEST_NODE: &str = "const [major, minor] = process.versions.node.split('.').map(Number); \
                           process.exit(major > 20 || (major === 20 && minor >= 11) ? 0 : 1)";

/// Node and npm.
pub(crate) fn provide_node() -> Result<(), String> {
    let is_there = || runs("npm", &["--version"]) && runs("node", &["-e", OLDEST_NODE]);
    if !is_there() {
        install(&["nodejs", "npm"])?;
    }
    match is_there() {
        true => Ok(()),
        false => Err("the page is made with Node 20.11 or later, and npm: install them".into()),
    }
}

/// The browser. The fonts come along since Debian's package has none.
pub(crate) fn provided_chromium() -> Result<PathBuf, String> {
    if let Some(chromium) = std::env::var_os("CHROMIUM") {
        return Ok(chromium.into());
    }
    if found_chromium().is_none() {
        install(&["chromium", "fonts-dejavu-core"])?;
    }
    found_chromium().ok_or_else(|| "the page is tested in Chromium: install it".to_owned())
}

fn found_chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places =
        CHROMIUM.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// Installs packages of Debian, which root alone can do.
pub(crate) fn install(packages: &[&str]) -> Result<(), String> {
    let missing = packages.join(" and ");
    if !is_root() || !runs("apt-get", &["--version"]) {
        return Err(format!("this needs {missing}: install them"));
    }
    say(&format!("installing {missing}"));
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        succeed(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "--quiet"])?;
    let options = ["install", "--quiet", "--yes", "--no-install-recommends"];
    apt(&[&options, packages].concat())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Whether a program is there, and ends well.
fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A tool written in Rust, of just this version: where it is missing, it is built in cargo's target directory, and
/// nothing outside of that changes.
pub(crate) fn cargo_tool(name: &str, version: &str) -> Result<PathBuf, String> {
    let home = target()?.join("tools");
    let tool = home.join("bin").join(name);
    let installed = std::fs::read_to_string(home.join(".crates.toml")).unwrap_or_default();
    if tool.is_file() && installed.contains(&format!("\"{name} {version} (")) {
        return Ok(tool);
    }
    say(&format!("installing {name} {version}"));
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--locked", "--quiet", "--force", "--root"]).arg(&home);
    succeed(cargo.arg(format!("{name}@{version}")))?;
    Ok(tool)
}

/// The standard library for a target, installed where `rustup` can.
pub(crate) fn provide_target(triple: &str) -> Result<(), String> {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = sysroot.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let is_there = || {
        let library =
            |root: &str| Path::new(root.trim()).join("lib/rustlib").join(triple).join("lib");
        sysroot.as_deref().is_some_and(|root| library(root).is_dir())
    };
    let mut rustup = Command::new("rustup");
    match is_there() || (succeed(rustup.args(["target", "add", triple])).is_ok() && is_there()) {
        true => Ok(()),
        false => Err(format!("the target {triple} is missing: rustup target add {triple}")),
    }
}
