//! The Python package: a wheel for each kind of processor, which serves every Python from 3.11 on (`abi3`) and every
//! Linux of 2014 and later (`manylinux2014`), and the source.
//!
//! maturin builds them. Zig links them: it has the old C library's symbols for both kinds, which no compiler of the
//! system needs to have.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{PROCESSORS, Release, emptied, named};
use crate::environment::{Environment, succeed, target};
use crate::tools::provide_target;

/// Builds them. maturin itself refuses a wheel that needs more of the system than its name says.
pub(super) fn make(release: &Release) -> Result<(), String> {
    let home = target()?.join("dist-python");
    let requirements = release.root.join("xtask/dist/requirements.txt");
    let tools = Environment {
        system: "python3",
        home: &home,
        requirements: &requirements,
        options: &[],
        pip_options: &[],
    };
    let python = tools.python()?;
    // maturin looks for Zig where `python3` is.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(home.join("bin")).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).map_err(|error| error.to_string())?;
    let manifest = release.root.join("crates/tilewright-python/Cargo.toml");
    let maturin = |command: &str| {
        let mut maturin = Command::new(&python);
        maturin.args(["-m", "maturin", command, "--manifest-path"]).arg(&manifest);
        maturin
            .env("PATH", &path)
            .arg("--out")
            .arg(&release.folder)
            .env("SOURCE_DATE_EPOCH", &release.epoch);
        // Folders of its own: the flags are others than those of the binaries.
        maturin.env("CARGO_TARGET_DIR", release.target.join("dist-wheels"));
        maturin
    };
    for processor in PROCESSORS {
        let triple = format!("{processor}-unknown-linux-gnu");
        provide_target(&triple)?;
        let mut build = maturin("build");
        build.args(["--locked", "--zig", "--compatibility", "manylinux2014", "--target", &triple]);
        succeed(build.env("CARGO_ENCODED_RUSTFLAGS", release.options(&triple)?))?;
        let module =
            release.target.join("dist-wheels").join(&triple).join("wheel/libtilewright_python.so");
        release.has_no_paths(&module)?;
    }
    succeed(&mut maturin("sdist"))?;
    for file in
        fs::read_dir(&release.folder).map_err(|error| named(&release.folder, &error))?.flatten()
    {
        if file.path().extension().is_some_and(|extension| extension == "whl") {
            unpacked_has_no_paths(&python, &file.path(), release)?;
        }
    }
    Ok(())
}

/// Refuses a wheel with a path of this machine in one of its files, which are compressed in it.
fn unpacked_has_no_paths(python: &Path, wheel: &Path, release: &Release) -> Result<(), String> {
    let folder = release.target.join("dist-wheels/unpacked");
    emptied(&folder)?;
    let mut unzip = Command::new(python);
    succeed(unzip.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&folder))?;
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| named(&folder, &error))? {
            let path = entry.map_err(|error| named(&folder, &error))?.path();
            match path.is_dir() {
                true => folders.push(path),
                false => release.has_no_paths(&path)?,
            }
        }
    }
    Ok(())
}
