//! The command `tilewright` as this repository builds it.

use std::path::PathBuf;
use std::process::Command;

use crate::environment::{output, root, succeed, target};

/// Builds all that `cargo test --workspace --all-features` does, and the Python package's extension module.
///
/// Whoever needs one part of it builds all of it: asked for less, cargo gives what is left other features, those of the other
/// parts' tests missing, and other profiles of what it runs itself, and builds nearly everything again.
pub(crate) const EVERYTHING: [&str; 10] = [
    "build",
    "--workspace",
    "--all-features",
    "--profile",
    "test",
    "--lib",
    "--bins",
    "--tests",
    "--examples",
    "--quiet",
];

/// The Python package, with its stable interface, needs no Python to be there, and is built for any.
pub(crate) const ANY_PYTHON: (&str, &str) = ("PYO3_NO_PYTHON", "1");

/// Builds it, with everything else.
pub(crate) fn built() -> Result<(), String> {
    succeed(&mut everything()?)
}

fn everything() -> Result<Command, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(EVERYTHING).envs([ANY_PYTHON]).current_dir(root()?);
    Ok(cargo)
}

/// The executables of some tests of a package, built with everything else.
pub(crate) fn tests(package: &str, names: &[&str]) -> Result<Vec<PathBuf>, String> {
    let messages = output(everything()?.args(["--message-format", "json"]))?;
    let of = |name: &&str| {
        let source = format!("/{package}/tests/{name}.rs\"");
        // Not of what the compiler says of it.
        let path = messages
            .lines()
            .filter(|line| line.replace("\\\\", "/").contains(&source))
            .find_map(|message| message.split_once("\"executable\":\""));
        let path = path.and_then(|(_, rest)| rest.split_once('"')).map(|(path, _)| path);
        path.map(|path| PathBuf::from(path.replace("\\\\", "\\")))
            .ok_or_else(|| format!("cargo does not say where it built {package}'s test {name}"))
    };
    names.iter().map(of).collect()
}

/// Where it is; `TILEWRIGHT` names another.
pub(crate) fn command() -> Result<PathBuf, String> {
    if let Some(command) = std::env::var_os("TILEWRIGHT") {
        return Ok(command.into());
    }
    let command = target()?.join("debug").join("tilewright");
    match command.is_file() {
        true => Ok(command),
        false => Err(format!("{} has not been built", command.display())),
    }
}
