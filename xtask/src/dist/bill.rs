//! What others wrote of what is given away: the bill of materials, and the licences' texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{PROCESSORS, Release, cargo_home, named};
use crate::environment::{output, succeed};
use crate::tools::cargo_tool;

/// Crates that are given away built, and the C library that each is built against.
const BUILT: [(&str, &str); 2] =
    [("tilewright-cli", "unknown-linux-musl"), ("tilewright-python", "unknown-linux-gnu")];

/// `tilewright-cli-0.1.0-x86_64.cdx.json` and so on: CycloneDX 1.5.
pub(super) fn make(release: &Release) -> Result<(), String> {
    let cyclonedx = cargo_tool("cargo-cyclonedx", "0.5.9")?;
    for ((name, system), processor) in
        BUILT.into_iter().flat_map(|built| PROCESSORS.map(|p| (built, p)))
    {
        let crate_folder = release.root.join("crates").join(name);
        let stem = format!("{name}-{}-{processor}.cdx", release.version);
        let mut command = Command::new(&cyclonedx);
        command.arg("cyclonedx").arg("--manifest-path").arg(crate_folder.join("Cargo.toml"));
        command.args(["--format", "json", "--spec-version", "1.5", "--quiet", "--no-build-deps"]);
        command.args(["--target", &format!("{processor}-{system}"), "--override-filename", &stem]);
        succeed(command.env("SOURCE_DATE_EPOCH", &release.epoch).current_dir(&release.root))?;
        keep(&format!("{stem}.json"), name, release)?;
    }
    Ok(())
}

/// It writes one beside every manifest of the workspace: the one that was asked for is kept, without the paths of this
/// machine, and the others go.
fn keep(file: &str, of: &str, release: &Release) -> Result<(), String> {
    let crates = release.root.join("crates");
    let folders = fs::read_dir(&crates).map_err(|error| named(&crates, &error))?;
    let folders = folders.flatten().map(|folder| folder.path()).chain([release.root.join("xtask")]);
    for folder in folders {
        let written = folder.join(file);
        if !written.is_file() {
            continue;
        }
        if folder.file_name().is_some_and(|name| name == of) {
            let text = fs::read_to_string(&written).map_err(|error| named(&written, &error))?;
            let text = text.replace(&release.root.display().to_string(), "/tilewright");
            let kept = release.folder.join(file);
            fs::write(&kept, text).map_err(|error| named(&kept, &error))?;
            release.has_no_paths(&kept)?;
        }
        fs::remove_file(&written).map_err(|error| named(&written, &error))?;
    }
    Ok(())
}

/// The licences of all that the command is made of, with their texts, as they ask for: the files in the crates' own
/// folders whose names say so. (`cargo about`, which compares every text of every crate with all licences, says the same
/// in minutes.)
pub(super) fn write_licences(triple: &str, file: &Path, release: &Release) -> Result<(), String> {
    let mut tree = Command::new("cargo");
    tree.args([
        "tree",
        "--locked",
        "--package",
        "tilewright-cli",
        "--target",
        triple,
        "--edges",
        "normal",
    ]);
    tree.args(["--prefix", "none", "--format", "{p}|{l}"]).current_dir(&release.root);
    let tree = output(&mut tree)?;
    // A line is `adler2 v2.0.1|0BSD OR MIT OR Apache-2.0`; those of our own end with their folder.
    let crates =
        tree.lines().filter_map(|line| line.trim().trim_end_matches(" (*)").split_once('|'));
    let crates: BTreeSet<_> = crates.filter(|(name, _)| !name.starts_with("tilewright")).collect();
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, licence) in crates {
        let folder = source(&name.replace(" (proc-macro)", ""))?;
        let texts = texts(&folder)?;
        let of = format!("{name}: {licence}");
        if texts.is_empty() {
            by_text.entry(NO_TEXT.to_owned()).or_default().push(of.clone());
        }
        for text in texts {
            by_text.entry(text).or_default().push(of.clone());
        }
    }
    let fonts = release.root.join("crates/tilewright-view/fonts/LICENSE");
    let fonts = fs::read_to_string(&fonts).map_err(|error| named(&fonts, &error))?;
    by_text
        .insert(fonts, vec!["the fonts DejaVu Sans and DejaVu Sans Mono, in pictures".to_owned()]);
    let mut all = "What the command `tilewright` is made of besides its own code, and the licences of that.\n".to_owned();
    for (text, of) in by_text {
        all += &format!("\n{}\n{}\n\n{}\n", "-".repeat(80), of.join("\n"), text.trim_end());
    }
    fs::write(file, all).map_err(|error| named(file, &error))
}

/// What stands for a text that a crate's package has left out.
const NO_TEXT: &str = "Their packages hold no text of the licence: it is as its name above says.";

/// Where cargo has unpacked a crate: `adler2 v2.0.1` is in `adler2-2.0.1`.
fn source(name: &str) -> Result<PathBuf, String> {
    let folder = name.replacen(" v", "-", 1);
    let sources = cargo_home()?.join("registry/src");
    let registries = fs::read_dir(&sources).map_err(|error| named(&sources, &error))?;
    let mut folders = registries.flatten().map(|registry| registry.path().join(&folder));
    folders
        .find(|folder| folder.is_dir())
        .ok_or_else(|| format!("the source of {name} is not in {}", sources.display()))
}

/// The texts of the files that a licence is in.
fn texts(folder: &Path) -> Result<Vec<String>, String> {
    let files = fs::read_dir(folder).map_err(|error| named(folder, &error))?.flatten();
    let is_licence = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
        file.is_file() && starts.iter().any(|start| name.starts_with(start))
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(is_licence).collect();
    files.sort_unstable();
    files.iter().map(|file| fs::read_to_string(file).map_err(|error| named(file, &error))).collect()
}
