//! What the command is given away in: archives and Debian packages.

use std::path::Path;
use std::process::Command;

use super::binaries::{self, Binary};
use super::{Release, documents, emptied, named};
use crate::environment::{copy, succeed};
use crate::tools::cargo_tool;

/// Makes them of the binaries that have been built.
pub(super) fn make(release: &Release) -> Result<(), String> {
    let binaries = binaries::all(release);
    let runs_here =
        |binary: &&Binary| binary.processor == std::env::consts::ARCH && cfg!(target_os = "linux");
    let own = binaries.iter().find(runs_here).filter(|own| own.path().is_file());
    let own = own
        .ok_or("manual pages are written by the command, of which there is none that runs here")?;
    for binary in &binaries {
        let documents = documents::make(own, binary, release)?;
        archive(binary, &documents, release)?;
        debian(binary, release)?;
    }
    Ok(())
}

/// `tilewright-0.1.0-x86_64-linux.tar.gz`: one folder with the command and its documents. Who made it, when, and in
/// what order the files were found says nothing.
fn archive(binary: &Binary, documents: &Path, release: &Release) -> Result<(), String> {
    let name = format!("tilewright-{}-{}-linux", release.version, binary.processor);
    let staged = release.target.join("dist-staged");
    emptied(&staged)?;
    let folder = staged.join(&name);
    succeed(Command::new("cp").arg("--recursive").arg(documents).arg(&folder))?;
    copy(&binary.path(), &folder.join("tilewright"))?;
    let mut tar = Command::new("tar");
    tar.args([
        "--create",
        "--sort=name",
        "--format=ustar",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
    ]);
    tar.args(["--mode=u=rwX,go=rX", "--use-compress-program=gzip --no-name --best"]);
    tar.arg(format!("--mtime=@{}", release.epoch)).arg("--file");
    tar.arg(release.folder.join(format!("{name}.tar.gz"))).arg("--directory").arg(&staged);
    succeed(tar.arg(&name))?;
    std::fs::remove_dir_all(&staged).map_err(|error| named(&staged, &error))
}

/// `tilewright_0.1.0-1_amd64.deb`, of what `[package.metadata.deb]` of the command's crate lists.
fn debian(binary: &Binary, release: &Release) -> Result<(), String> {
    let mut deb = Command::new(cargo_tool("cargo-deb", "3.8.0")?);
    deb.args([
        "deb",
        "--no-build",
        "--no-strip",
        "--quiet",
        "--package",
        "tilewright-cli",
        "--profile",
        "released",
    ]);
    deb.args(["--target", &binary.triple, "--output"]).arg(&release.folder);
    deb.env("SOURCE_DATE_EPOCH", &release.epoch).env("CARGO_TARGET_DIR", &release.target);
    succeed(deb.current_dir(&release.root))
}
