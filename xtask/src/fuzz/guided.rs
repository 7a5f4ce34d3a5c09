//! Inputs that libFuzzer makes, guided by what of the code they reach.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Options, Places, each};
use crate::environment::{root, succeed};
use crate::say;

/// Inputs are at most this long: what takes a second for them is found as a failure.
const MOST_BYTES: u32 = 4096;

/// What libFuzzer takes for a hang, in whole seconds.
const TIMEOUT: u32 = 2;

/// What it takes for too much memory, in MiB.
const MOST_MEMORY: u32 = 2048;

/// What one target did.
struct Outcome {
    name: String,
    executions: String,
    per_second: String,
    features: String,
    has_failed: bool,
}

/// Every target in turn. Whether none failed.
pub(super) fn run(options: &Options, places: &Places) -> Result<bool, String> {
    build(places)?;
    make_seeds(places)?;
    let outcomes = each(options, |name| run_one(name, options.seconds.unwrap_or(60), places))?;
    say("target               executions     a second  features");
    for Outcome { name, executions, per_second, features, has_failed } in &outcomes {
        let failed = if *has_failed { "  FAILED" } else { "" };
        say(&format!("{name:<18} {executions:>12} {per_second:>12} {features:>9}{failed}"));
    }
    let failed = outcomes.iter().filter(|outcome| outcome.has_failed).count();
    if failed > 0 {
        say(&format!("{failed} failed: see {}", places.home.join("artifacts").display()));
    }
    Ok(failed == 0)
}

/// The corpus of each target, left as few files as reach the same.
pub(super) fn minimise(options: &Options, places: &Places) -> Result<(), String> {
    build(places)?;
    make_seeds(places)?;
    for name in &options.names {
        let [corpus, seeds, least] =
            ["corpus", "seeds", "least"].map(|kind| places.folder(kind, name));
        let (corpus, seeds, least) = (corpus?, seeds?, least?);
        let mut merge = Command::new(binary(places, name)?);
        merge.args(["-merge=1".to_owned(), format!("-max_len={MOST_BYTES}")]);
        merge.arg(&least).arg(&corpus).arg(&seeds);
        succeed(merge.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let count = |folder: &PathBuf| fs::read_dir(folder).map_or(0, Iterator::count);
        let all = count(&corpus) + count(&seeds);
        say(&format!("{name}: {} of {all} inputs, seeds among them", count(&least)));
        let replaced = fs::remove_dir_all(&corpus).and_then(|()| fs::rename(&least, &corpus));
        replaced.map_err(|error| format!("{}: {error}", corpus.display()))?;
    }
    Ok(())
}

fn build(places: &Places) -> Result<(), String> {
    let mut build = Command::new("cargo");
    build.args(["+nightly", "fuzz", "build", "--sanitizer", "none", "--fuzz-dir", "."]);
    build.current_dir(&places.sources).env("CARGO_TARGET_DIR", &places.binaries);
    succeed(&mut build).map_err(|error| {
        format!("{error}; it needs a nightly toolchain and `cargo install cargo-fuzz`")
    })
}

fn make_seeds(places: &Places) -> Result<(), String> {
    let mut seeds = Command::new("cargo");
    seeds.args(["run", "--quiet", "--package", "tilewright-fuzz", "--example", "seeds", "--"]);
    succeed(seeds.arg(places.home.join("seeds")).current_dir(root()?))
}

fn run_one(name: &str, seconds: u64, places: &Places) -> Result<Outcome, String> {
    let [corpus, seeds, artifacts, logs] =
        ["corpus", "seeds", "artifacts", "logs"].map(|kind| places.folder(kind, name));
    let (corpus, seeds, artifacts) = (corpus?, seeds?, artifacts?);
    let log = logs?.join("log");
    let file = fs::File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let kept = places.sources.join("seeds").join(name);
    let mut target = Command::new(binary(places, name)?);
    target.arg(&corpus).arg(&seeds).args(kept.is_dir().then_some(kept));
    target.args([
        format!("-max_total_time={seconds}"),
        format!("-max_len={MOST_BYTES}"),
        format!("-timeout={TIMEOUT}"),
        format!("-rss_limit_mb={MOST_MEMORY}"),
        format!("-artifact_prefix={}/", artifacts.display()),
        "-print_final_stats=1".to_owned(),
    ]);
    say(&format!("{name}: {seconds} s"));
    let status = target.stdout(Stdio::null()).stderr(file).status();
    let status = status.map_err(|error| format!("cannot run {name}: {error}"))?;
    let said = fs::read(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    Ok(outcome(name, &String::from_utf8_lossy(&said), !status.success()))
}

/// The binary that `cargo fuzz` has built, in the folder of the one target triple that it builds for.
fn binary(places: &Places, name: &str) -> Result<PathBuf, String> {
    let triples = fs::read_dir(&places.binaries).map_err(|error| error.to_string())?;
    let mut binaries = triples.flatten().map(|triple| triple.path().join("release").join(name));
    let found = binaries.find(|binary| binary.is_file());
    found.ok_or_else(|| format!("{name} has not been built"))
}

/// What libFuzzer said last: `stat::number_of_executed_units: 1234`, and `ft:` of its last line of progress.
fn outcome(name: &str, said: &str, has_failed: bool) -> Outcome {
    let stat = |key: &str| {
        let line = said.lines().rev().find(|line| line.starts_with(&format!("stat::{key}:")));
        let value = line.and_then(|line| line.rsplit(' ').next());
        value.unwrap_or("?").to_owned()
    };
    let features = said.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once(" ft: ")?;
        rest.split(' ').next()
    });
    Outcome {
        name: name.to_owned(),
        executions: stat("number_of_executed_units"),
        per_second: stat("average_exec_per_sec"),
        features: features.unwrap_or("?").to_owned(),
        has_failed,
    }
}
