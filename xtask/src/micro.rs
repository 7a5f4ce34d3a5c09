//! `cargo xtask bench --micro` and `--counts`: what single operations cost, in time and in
//! instructions.
//!
//! Both build `bench/micro`. Instructions are counted by Callgrind, Valgrind's simulator: an
//! operation is done a few times, and a few times more, and the difference says what one takes.
//! That does not depend on how busy the machine is, so that changes of a percent can be seen.

use std::io::{Write, stdout};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::say;

/// How often an operation is done in the shorter run and in the longer.
const TIMES: [u64; 2] = [2, 12];

/// Times the operations whose names have one of these parts in them, or all.
pub(crate) fn time(workspace: &Path, target: &Path, parts: &[&str]) -> Result<u8, String> {
    let status = cargo("bench", workspace, target)
        .args(["--bench", "micro", "--"])
        .args(parts)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    Ok(u8::from(!status.success()))
}

/// Prints the instructions that each operation takes.
pub(crate) fn count(workspace: &Path, target: &Path, parts: &[&str]) -> Result<u8, String> {
    let valgrind = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    if !valgrind.is_ok_and(|status| status.success()) {
        say("no instructions counted: valgrind is not installed");
        return Ok(0);
    }
    let built = cargo("build", workspace, target).args(["--release", "--quiet"]).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("bench/micro does not build".to_owned());
    }
    let program = target.join("release/tilewright-micro");
    let mut table = stdout();
    let failed = |error: std::io::Error| error.to_string();
    writeln!(table, "  instructions  operation").map_err(failed)?;
    for name in names(&program)?.lines().filter(|name| is_meant(name, parts)) {
        let [fewer, more] = TIMES;
        let (most, least) =
            (instructions(&program, name, more)?, instructions(&program, name, fewer)?);
        let each = most.saturating_sub(least) / (more - fewer);
        writeln!(table, "{each:>14}  {name}").map_err(failed)?;
    }
    Ok(0)
}

fn is_meant(name: &str, parts: &[&str]) -> bool {
    parts.is_empty() || parts.iter().any(|part| name.contains(part))
}

fn cargo(command: &str, workspace: &Path, target: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args([command, "--package", "tilewright-micro", "--manifest-path"]);
    cargo.arg(workspace.join("Cargo.toml")).arg("--target-dir").arg(target);
    cargo
}

fn names(program: &Path) -> Result<String, String> {
    let output = Command::new(program).output().map_err(|error| error.to_string())?;
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The instructions of a whole run, which ends by saying `Collected : N`.
fn instructions(program: &Path, name: &str, times: u64) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([name, &times.to_string()])
        .output()
        .map_err(|error| format!("cannot run valgrind: {error}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    let collected = output.status.success().then(|| collected(&report)).flatten();
    collected.ok_or_else(|| format!("valgrind failed at {name}:\n{report}"))
}

fn collected(report: &str) -> Option<u64> {
    let (_, number) = report.lines().rev().find_map(|line| line.split_once("Collected :"))?;
    number.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_the_report() {
        let report = "==7== Events    : Ir\n==7== Collected : 184823\n==7==\n";
        assert_eq!(collected(report), Some(184_823));
        assert_eq!(collected("==7== Killed"), None);
    }

    #[test]
    fn parts_of_names_choose() {
        assert!(is_meant("plan/a -> b", &[]) && is_meant("plan/a -> b", &["read", "plan"]));
        assert!(!is_meant("plan/a -> b", &["read"]));
    }
}
