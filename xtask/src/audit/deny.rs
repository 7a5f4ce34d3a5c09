//! Dependencies by rule: `deny.toml` at the root says which.

use std::process::Command;

use crate::environment::{root, succeed};
use crate::tools::cargo_tool;

pub(super) fn policy() -> Result<(), String> {
    check(&["bans", "licenses", "sources"])
}

pub(super) fn advisories() -> Result<(), String> {
    check(&["advisories"])
}

fn check(what: &[&str]) -> Result<(), String> {
    let (deny, root) = (cargo_tool("cargo-deny", "0.20.2")?, root()?);
    let mut command = Command::new(&deny);
    command.arg("--manifest-path").arg(root.join("Cargo.toml"));
    // What each version of a crate is twice for is said by cargo tree; here only what fails.
    command.args(["--log-level", "error", "--locked", "--config"]).arg(root.join("deny.toml"));
    succeed(command.args(["check", "--hide-inclusion-graph"]).args(what))
}
