//! The page of `tilewright explore`, made again and used in a browser.
//!
//! What is committed under `assets` has to be what `page` comes to, byte for byte. The page is then
//! used in Chromium, as somebody would, with the command that has been built.
//!
//! Node and Chromium are not part of a Rust toolchain. Where one is missing, and this runs as root on a
//! system with `apt-get`, as it does where changes are tested, it is installed; anywhere else the check
//! fails and says what to install. `CHROMIUM` and `TILEWRIGHT` name other programs than are found.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::say;

/// What the page is made into.
const ASSETS: [&str; 2] = ["explorer.js", "explorer.css"];

/// The names that Chromium goes by.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The oldest Node that the page's tools run on, as a program of its own says.
const OLDEST_NODE: &str = "const [major, minor] = process.versions.node.split('.').map(Number); \
                           process.exit(major > 20 || (major === 20 && minor >= 11) ? 0 : 1)";

/// Builds the command, and tests the page with it.
pub(crate) fn run() -> ExitCode {
    let outcome = built().and_then(|()| test());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

/// Installs what the page is made with, checks its types, makes it, and runs its tests in Chromium. The
/// command has been built. `Err` is what failed.
pub(crate) fn test() -> Result<(), String> {
    let command = command()?;
    provide_node()?;
    let chromium = provided_chromium()?;
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"], &[])?;
    npm(&["run", "check"], &[])?;
    let committed = assets()?;
    npm(&["run", "build"], &[])?;
    if assets()? != committed {
        return Err("the assets were not what the page comes to, and are now: commit them".into());
    }
    npm(&["test"], &[("TILEWRIGHT", &command), ("CHROMIUM", &chromium)])
}

/// With the features of `cargo test --workspace --all-features`, which builds it too.
fn built() -> Result<(), String> {
    let arguments = ["build", "--workspace", "--all-features", "--bin", "tilewright"];
    run_in(root(), Command::new("cargo").args(arguments))
}

/// The command that serves the page.
fn command() -> Result<PathBuf, String> {
    if let Some(command) = std::env::var_os("TILEWRIGHT") {
        return Ok(command.into());
    }
    let command = target().join("debug").join("tilewright");
    match command.is_file() {
        true => Ok(command),
        false => Err(format!("{} has not been built", command.display())),
    }
}

fn provide_node() -> Result<(), String> {
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
fn provided_chromium() -> Result<PathBuf, String> {
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
fn install(packages: &[&str]) -> Result<(), String> {
    let missing = packages.join(" and ");
    if !is_root() || !runs("apt-get", &["--version"]) {
        return Err(format!("the tests of the page need {missing}: install them"));
    }
    say(&format!("installing {missing}"));
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        run_in(root(), apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
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

fn assets() -> Result<Vec<Vec<u8>>, String> {
    let read = |name| {
        let path = root().join("crates/tilewright-explore/assets").join(name);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    ASSETS.into_iter().map(read).collect()
}

fn npm(arguments: &[&str], environment: &[(&str, &Path)]) -> Result<(), String> {
    let mut command = Command::new("npm");
    command.args(arguments).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    command.envs(environment.iter().copied());
    run_in(root().join("crates/tilewright-explore/page"), &mut command)
}

fn run_in(folder: PathBuf, command: &mut Command) -> Result<(), String> {
    let status = command.current_dir(folder).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// Where cargo builds. A relative folder is relative to where this was called, and `npm` is called
/// elsewhere.
fn target() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| root().join("target"));
    std::path::absolute(&folder).unwrap_or(folder)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
