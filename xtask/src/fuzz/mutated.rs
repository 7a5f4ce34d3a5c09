//! Mutations of the seeds and of what libFuzzer has found, by `examples/mutated.rs` of `tilewright-fuzz`.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Options, Places, each};
use crate::environment::{output, root, succeed, target};
use crate::say;

/// As quick as a release, with every check that a test has.
const PROFILE: &str = "checked";

/// `n` mutations of each target, from one number on, by a seed. Whether none failed.
pub(super) fn run(options: &Options, places: &Places, numbers: [u64; 3]) -> Result<bool, String> {
    let program = build()?;
    let commit =
        output(Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(root()?));
    let commit = commit.map_or_else(|_| "?".to_owned(), |commit| commit.trim().to_owned());
    let run = |name: &str| run_one(options, places, (&program, &commit), numbers, name);
    Ok(each(options, run)?.into_iter().all(|passes| passes))
}

fn build() -> Result<PathBuf, String> {
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "--package", "tilewright-fuzz", "--example", "mutated"]);
    succeed(build.args(["--profile", PROFILE]).current_dir(root()?))?;
    Ok(target()?.join(PROFILE).join("examples/mutated"))
}

/// One target. What it says is shown, and added to what its runs have said before.
fn run_one(
    options: &Options,
    places: &Places,
    (program, commit): (&PathBuf, &str),
    [n, from, seed]: [u64; 3],
    name: &str,
) -> Result<bool, String> {
    let mut run = Command::new(program);
    run.args([name, &n.to_string(), "--from", &from.to_string(), "--seed", &seed.to_string()]);
    run.arg("--corpus").arg(places.folder("corpus", name)?);
    run.arg("--failures").arg(places.folder("artifacts", name)?);
    run.args(options.seconds.iter().flat_map(|n| ["--seconds".to_owned(), n.to_string()]));
    let said = run.stderr(Stdio::inherit()).output();
    let said = said.map_err(|error| format!("{}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&said.stdout);
    say(text.trim_end());
    // A stack that overflows, say, ends it without a word of which input it was.
    if said.status.code().is_none_or(|code| code > 3) {
        say(&format!(
            "{name} FAILED: {}, after the input that the last line above tells of",
            said.status
        ));
    }
    let log = places.home.join("mutated.log");
    let file = OpenOptions::new().create(true).append(true).open(&log);
    let written = file.and_then(|mut file| writeln!(file, "{commit} {}", text.trim_end()));
    written.map_err(|error| format!("{}: {error}", log.display()))?;
    Ok(said.status.success())
}
