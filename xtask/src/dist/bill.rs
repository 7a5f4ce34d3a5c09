//! What others wrote of what is given away: the bill of materials, and the licences' texts.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{PROCESSORS, Release, named, output};
use crate::environment::succeed;
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

/// The licences of all that the command is made of, with their texts, as they ask for.
pub(super) fn write_licences(triple: &str, file: &Path, release: &Release) -> Result<(), String> {
    let about = cargo_tool("cargo-about", "0.9.3")?;
    let mut command = Command::new(about);
    let xtask = release.root.join("xtask/dist");
    command.args(["about", "generate", "--fail", "--target", triple, "--manifest-path"]);
    command.arg(release.root.join("crates/tilewright-cli/Cargo.toml"));
    command.arg("--config").arg(xtask.join("about.toml")).arg(xtask.join("licences.hbs"));
    let text = output(command.current_dir(&release.root))?;
    let fonts = release.root.join("crates/tilewright-view/fonts/LICENSE");
    let fonts = fs::read_to_string(&fonts).map_err(|error| named(&fonts, &error))?;
    fs::write(
        file,
        format!("{text}\nThe fonts DejaVu Sans and DejaVu Sans Mono, in pictures:\n\n{fonts}"),
    )
    .map_err(|error| named(file, &error))
}
