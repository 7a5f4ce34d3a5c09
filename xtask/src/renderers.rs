//! `cargo xtask renderers`: whether what others make of the SVG of a picture is what is meant.
//!
//! Chromium, resvg and CairoSVG draw the same pictures, and each is compared with the PNG that
//! `tilewright draw` writes, which goes no way through SVG. The differences are told as a table.
//! The Python packages are pinned in `xtask/renderers/requirements.txt`; CairoSVG needs libcairo
//! besides, and says so.

use std::process::{Command, ExitCode};

use crate::environment::{Environment, root, succeed, target};
use crate::{say, tools};

pub(crate) fn run() -> ExitCode {
    match compared() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

fn compared() -> Result<(), String> {
    let (root, target) = (root()?, target()?);
    let scripts = root.join("xtask/renderers");
    let environment = Environment {
        system: "python3",
        home: &target.join("renderers"),
        requirements: &scripts.join("requirements.txt"),
        options: &[],
        pip_options: &[],
    };
    let (python, chromium) = (environment.python()?, tools::provided_chromium()?);
    let mut build = Command::new("cargo");
    succeed(build.args(["build", "--quiet", "-p", "tilewright-cli"]).current_dir(&root))?;
    let mut compare = Command::new(python);
    compare.arg(scripts.join("compare.py")).arg(target.join("debug/tilewright")).arg(chromium);
    compare.arg(root.join("crates/tilewright-view/fonts")).arg(target.join("renderers/pictures"));
    succeed(&mut compare)
}
