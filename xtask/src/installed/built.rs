//! `cargo xtask installed --rust`: what a release has as source, built where there is Rust and nothing of this repository.
//!
//! * The published crates, unpacked: `cargo install` builds the command of them alone. Each is found where its package
//!   lies, since no registry has them yet.
//! * The Python package's source: `pip install` into a new virtual environment, which fetches maturin and builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::{TOUR, emptied, made, tour, with_examples};
use crate::environment::{root, succeed, target};
use crate::say;

/// Builds both and takes the README's tours.
pub(super) fn use_sources() -> Result<(), String> {
    use_crates()?;
    use_source_of_python()
}

fn use_crates() -> Result<(), String> {
    let world = emptied("crates")?;
    let names = unpack(&world)?;
    // Where they are, as a configuration of cargo, which holds for what is built below it.
    let mut places = "[patch.crates-io]\n".to_owned();
    for (name, folder) in &names {
        places += &format!("{name} = {{ path = {:?} }}\n", folder.display().to_string());
    }
    let settings = world.join(".cargo");
    let written = fs::create_dir(&settings)
        .and_then(|()| fs::write(settings.join("config.toml"), places))
        .map_err(|error| format!("{}: {error}", settings.display()));
    written?;
    let command = names.iter().find(|(name, _)| name == "tilewright-cli");
    let (_, command) = command.ok_or("there is no package of tilewright-cli")?;
    stand_alone(command)?;
    let begin = Instant::now();
    let mut install = Command::new("cargo");
    install.args(["install", "--quiet", "--root"]).arg(world.join("installed"));
    install.env("CARGO_TARGET_DIR", world.join("target")).current_dir(&world);
    succeed(install.arg("--path").arg(command))?;
    say(&format!("cargo install of {} packages: {} s", names.len(), begin.elapsed().as_secs()));
    with_examples(&world)?;
    let count = tour(&|words| {
        let mut command = Command::new(world.join("installed/bin/tilewright"));
        command.args(words).current_dir(&world);
        command
    })?;
    say(&format!("{count} commands of the README, from the packages"));
    Ok(())
}

/// Says in a package's manifest that it is no part of a workspace, which cargo looks for in the folders above: the
/// repository may be there.
fn stand_alone(package: &Path) -> Result<(), String> {
    let manifest = package.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map(|text| text + "\n[workspace]\n");
    let written = text.and_then(|text| fs::write(&manifest, text));
    written.map_err(|error| format!("{}: {error}", manifest.display()))
}

/// Each package of the release, unpacked below a folder: its name and its place.
fn unpack(world: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let folder = target()?.join("dist");
    let files = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = files.flatten().map(|file| file.path());
    let mut names = Vec::new();
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "crate")) {
        let mut tar = Command::new("tar");
        succeed(tar.arg("--extract").arg("--file").arg(&file).arg("--directory").arg(world))?;
        // `tilewright-cli-0.1.0.crate` holds `tilewright-cli-0.1.0`.
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = stem.rsplit_once('-').map_or(stem.as_str(), |(name, _)| name).to_owned();
        names.push((name, world.join(stem)));
    }
    match names.is_empty() {
        true => Err(format!("there are no packages in {}: cargo xtask dist", folder.display())),
        false => Ok(names),
    }
}

fn use_source_of_python() -> Result<(), String> {
    let home = emptied("sdist")?;
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    let python = home.join("bin/python");
    let begin = Instant::now();
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    // The package alone is built: what it stands on comes as wheels.
    pip.args(["--only-binary", "numpy,ml_dtypes,maturin"]);
    let mut source =
        made(&format!("tilewright-{}.tar.gz", env!("CARGO_PKG_VERSION")))?.into_os_string();
    source.push("[types]");
    succeed(pip.arg(source).env("CARGO_TARGET_DIR", home.join("target")))?;
    say(&format!("pip install of the source: {} s", begin.elapsed().as_secs()));
    let mut tour = Command::new(&python);
    tour.args(["-c", TOUR]).arg(root()?.join("README.md"));
    succeed(tour.current_dir(emptied("sdist-tour")?))
}
