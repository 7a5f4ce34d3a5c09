//! What has changed for those who use the libraries, by the rules of semantic versioning.

use std::process::Command;

use super::{build_folder, libraries};
use crate::environment::{output, root, succeed};
use crate::say;
use crate::tools::cargo_tool;

/// Since the last release, whose tag is `v` and its version.
pub(super) fn since_the_last_release() -> Result<(), String> {
    let mut tags = Command::new("git");
    tags.args(["tag", "--list", "v[0-9]*", "--merged", "HEAD", "--sort=-version:refname"]);
    let tags = output(tags.current_dir(root()?))?;
    match tags.lines().next() {
        Some(tag) => since(tag),
        None => {
            say("no release has been made yet: there is nothing to be compatible with");
            Ok(())
        }
    }
}

/// Since a commit. The libraries' own versions say which changes may be.
pub(super) fn since(revision: &str) -> Result<(), String> {
    let mut check = Command::new(cargo_tool("cargo-semver-checks", "0.51.0")?);
    check.args(["semver-checks", "--baseline-rev", revision, "--all-features"]);
    for (name, _) in libraries()? {
        check.args(["--package", &name]);
    }
    succeed(check.current_dir(root()?).env("CARGO_TARGET_DIR", build_folder()?))
}
