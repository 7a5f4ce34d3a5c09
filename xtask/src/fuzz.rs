//! `cargo xtask fuzz [OPTIONS] [TARGET…]`: runs the targets of `fuzz/` with libFuzzer, and says what each did.
//!
//! They are built by `cargo fuzz` with a nightly toolchain, without a sanitizer: all that is fuzzed but the kernels
//! of `tilewright-relayout` is free of `unsafe`, and those have `cargo xtask asan`. What is found goes to `fuzz` in
//! cargo's target directory: `seeds`, which are made again each time of the tests' data; `corpus`, which
//! grows from run to run; `artifacts`, the inputs that failed; `logs`, all that libFuzzer said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::environment::{root, succeed, target};
use crate::say;

const USAGE: &str = "\
usage: cargo xtask fuzz [OPTION…] [TARGET…]

  --seconds N   how long each target runs, 60 where nothing is said
  --hours N     how long all of them run together, in equal parts
  --jobs N      how many run at a time, one a core where nothing is said
";

/// Inputs are at most this long: what takes a second for them is found as a failure.
const MOST_BYTES: u32 = 4096;

/// What libFuzzer takes for a hang, in whole seconds.
const TIMEOUT: u32 = 2;

/// What it takes for too much memory, in MiB.
const MOST_MEMORY: u32 = 2048;

/// What is run, and for how long.
struct Options {
    names: Vec<String>,
    seconds: u64,
    jobs: usize,
}

/// Where all of it lies.
struct Places {
    sources: PathBuf,
    home: PathBuf,
    binaries: PathBuf,
}

/// What one target did.
struct Outcome {
    name: String,
    executions: String,
    per_second: String,
    features: String,
    has_failed: bool,
}

/// Builds and runs. The exit status is 1 where an input failed.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    match fuzz(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            say(&format!("fuzz: {message}"));
            ExitCode::from(2)
        }
    }
}

fn fuzz(arguments: &[String]) -> Result<bool, String> {
    let sources = root()?.join("fuzz");
    let options = options(arguments, &targets(&sources)?)?;
    let home = target()?.join("fuzz");
    let places = Places { binaries: home.join("build"), sources, home };
    build(&places)?;
    make_seeds(&places)?;
    let outcomes = run_all(&options, &places)?;
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

/// The names of the targets: the files of their folder.
fn targets(sources: &Path) -> Result<Vec<String>, String> {
    let folder = sources.join("fuzz_targets");
    let files = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = files
        .flatten()
        .filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort_unstable();
    Ok(names)
}

fn options(arguments: &[String], all: &[String]) -> Result<Options, String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options { names: Vec::new(), seconds: 60, jobs: cores };
    let mut hours = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || -> Result<f64, String> {
            let value: Option<f64> = rest.next().and_then(|value| value.parse().ok());
            let value = value.filter(|value| *value > 0.0);
            value.ok_or_else(|| format!("{argument} takes a number above 0\n{USAGE}"))
        };
        match argument.as_str() {
            "--seconds" => options.seconds = number()?.ceil() as u64,
            "--hours" => hours = Some(number()?),
            "--jobs" => options.jobs = number()?.ceil() as usize,
            name if all.iter().any(|own| own == name) => options.names.push(name.to_owned()),
            _ => return Err(format!("{USAGE}\ntargets: {}", all.join(" "))),
        }
    }
    if options.names.is_empty() {
        options.names = all.to_vec();
    }
    if let Some(hours) = hours {
        let rounds = options.names.len().div_ceil(options.jobs);
        options.seconds = ((hours * 3600.0 / rounds as f64).ceil() as u64).max(1);
    }
    Ok(options)
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

/// All targets in turn, so many at a time.
fn run_all(options: &Options, places: &Places) -> Result<Vec<Outcome>, String> {
    let (next, outcomes) = (Mutex::new(options.names.iter()), Mutex::new(Vec::new()));
    let has_stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let name = next.lock().ok().and_then(|mut names| names.next());
                    let (Some(name), false) = (name, has_stopped.load(Ordering::Relaxed)) else {
                        return;
                    };
                    let outcome = run_one(name, options.seconds, places);
                    has_stopped.fetch_or(outcome.is_err(), Ordering::Relaxed);
                    if let Ok(mut outcomes) = outcomes.lock() {
                        outcomes.push(outcome);
                    }
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().map_err(|error| error.to_string())?;
    let mut outcomes = outcomes.into_iter().collect::<Result<Vec<_>, String>>()?;
    outcomes.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(outcomes)
}

fn run_one(name: &str, seconds: u64, places: &Places) -> Result<Outcome, String> {
    let folder = |kind: &str| {
        let folder = places.home.join(kind).join(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok::<PathBuf, String>(folder)
    };
    let [corpus, seeds, artifacts, logs] = ["corpus", "seeds", "artifacts", "logs"].map(folder);
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
