//! `cargo xtask fuzz [OPTIONS] [TARGET…]`: runs the targets of `fuzz/`, and says what each did.
//!
//! With libFuzzer they are built by `cargo fuzz` with a nightly toolchain, without a sanitizer: all that is fuzzed but the
//! kernels of `tilewright-relayout` is free of `unsafe`, and those have `cargo xtask asan`. Inputs are guided by what of the
//! code they reach, and take as long as counting that takes. With `--mutate` they are mutations of the seeds and of what
//! libFuzzer has found, in an ordinary build: many more in the same time, and guided by nothing.
//!
//! What is found goes to `fuzz` in cargo's target directory: `seeds`, which are made again each time of the tests' data;
//! `corpus`, which grows from run to run; `artifacts`, the inputs that failed; `logs`, all that libFuzzer said; `mutated`, a line
//! for each run of mutations; `coverage`, what of the code is reached.

mod coverage;
mod guided;
mod mutated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::environment::{root, target};
use crate::say;

const USAGE: &str = "\
usage: cargo xtask fuzz [OPTION…] [TARGET…]

  --seconds N   how long each target runs, 60 where nothing is said; with --mutate as long as it takes
  --hours N     how long all of them run together, in equal parts
  --jobs N      how many run at a time, one a core where nothing is said
  --mutate N    without libFuzzer: so many mutations of each target's seeds and corpus
  --from K      with --mutate: the number of the first one, 0 where nothing is said
  --seed N      with --mutate: other mutations, 1 where nothing is said
  --minimise    the corpus of each target, left as few files as reach the same of the code
  --coverage    what of the code the seeds, the corpus and some mutations reach, by the llvm-tools of nightly
";

/// What is done with the targets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Guided,
    Mutated { n: u64, from: u64, seed: u64 },
    Minimised,
    Coverage,
}

/// What is run, and for how long.
struct Options {
    names: Vec<String>,
    seconds: Option<u64>,
    jobs: usize,
    way: Way,
}

/// Where all of it lies.
struct Places {
    sources: PathBuf,
    home: PathBuf,
    binaries: PathBuf,
}

impl Places {
    /// A folder of a target, made where it is missing.
    fn folder(&self, kind: &str, name: &str) -> Result<PathBuf, String> {
        let folder = self.home.join(kind).join(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }
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
    match options.way {
        Way::Guided => guided::run(&options, &places),
        Way::Mutated { n, from, seed } => mutated::run(&options, &places, [n, from, seed]),
        Way::Minimised => guided::minimise(&options, &places).map(|()| true),
        Way::Coverage => coverage::run(&options, &places).map(|()| true),
    }
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
    let mut options = Options { names: Vec::new(), seconds: None, jobs: cores, way: Way::Guided };
    let (mut hours, mut mutations, mut from, mut seed) = (None, None, 0, 1);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || -> Result<f64, String> {
            let value: Option<f64> = rest.next().and_then(|value| value.parse().ok());
            let value = value.filter(|value| *value >= 0.0);
            value.ok_or_else(|| format!("{argument} takes a number\n{USAGE}"))
        };
        match argument.as_str() {
            "--seconds" => options.seconds = Some((number()?.ceil() as u64).max(1)),
            "--hours" => hours = Some(number()?),
            "--jobs" => options.jobs = (number()?.ceil() as usize).max(1),
            "--mutate" => mutations = Some(number()? as u64),
            "--from" => from = number()? as u64,
            "--seed" => seed = number()? as u64,
            "--minimise" => options.way = Way::Minimised,
            "--coverage" => options.way = Way::Coverage,
            name if all.iter().any(|own| own == name) => options.names.push(name.to_owned()),
            _ => return Err(format!("{USAGE}\ntargets: {}", all.join(" "))),
        }
    }
    if let Some(n) = mutations {
        options.way = Way::Mutated { n, from, seed };
    }
    if options.names.is_empty() {
        options.names = all.to_vec();
    }
    if let Some(hours) = hours {
        let rounds = options.names.len().div_ceil(options.jobs);
        options.seconds = Some(((hours * 3600.0 / rounds as f64).ceil() as u64).max(1));
    }
    Ok(options)
}

/// Every target in turn, so many at a time, until one cannot be run; what each came to, in the order of the names.
fn each<T: Send>(
    options: &Options,
    one: impl Fn(&str) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let next = Mutex::new(options.names.iter().enumerate());
    let outcomes = Mutex::new(Vec::new());
    let has_stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let next = next.lock().ok().and_then(|mut names| names.next());
                    let (Some((place, name)), false) = (next, has_stopped.load(Ordering::Relaxed))
                    else {
                        return;
                    };
                    let outcome = one(name);
                    has_stopped.fetch_or(outcome.is_err(), Ordering::Relaxed);
                    if let Ok(mut outcomes) = outcomes.lock() {
                        outcomes.push((place, outcome));
                    }
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().map_err(|error| error.to_string())?;
    outcomes.sort_by_key(|(place, _)| *place);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}
