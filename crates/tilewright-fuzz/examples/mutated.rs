//! Mutations of a target's seeds in an ordinary build: what `cargo xtask fuzz --mutate` runs.
//!
//! It goes on after a failure: each is told with its number and its input, the input is kept as a file, and the exit status is 1.
//! An input that takes two seconds of the processor's time or two gigabytes ends it with the status 3.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a terminal")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use tilewright_fuzz::campaign::Campaign;
use tilewright_fuzz::{TARGETS, Target};

const USAGE: &str = "\
usage: mutated TARGET N [OPTION…]

  --from NUMBER     the number of the first input, 0 where nothing is said
  --seed SEED       1 where nothing is said
  --seconds S       ends after as many
  --corpus FOLDER   inputs beside the seeds of this repository
  --failures FOLDER where inputs that fail are kept
  --unchanged       no mutations: the seeds and the corpus as they are, once each
  --show            prints the inputs, and runs none
";

/// What an input may take of the processor's time, and of memory.
const MOST_TIME: Duration = Duration::from_secs(2);
const MOST_MEMORY: u64 = 2 << 30;

/// How often is looked whether it does.
const GLANCE: Duration = Duration::from_millis(250);

/// How often it says how far it is.
const WORD: Duration = Duration::from_secs(60);

struct Options {
    target: Target,
    n: u64,
    from: u64,
    seed: u64,
    seconds: Option<f64>,
    corpus: Vec<PathBuf>,
    failures: Option<PathBuf>,
    is_unchanged: bool,
    is_shown: bool,
}

fn options(mut arguments: impl Iterator<Item = String>) -> Option<Options> {
    let target = Target::of(&arguments.next()?)?;
    let n = arguments.next()?.parse().ok()?;
    let mut options = Options {
        target,
        n,
        from: 0,
        seed: 1,
        seconds: None,
        corpus: Vec::new(),
        failures: None,
        is_unchanged: false,
        is_shown: false,
    };
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--from" => options.from = arguments.next()?.parse().ok()?,
            "--seed" => options.seed = arguments.next()?.parse().ok()?,
            "--seconds" => options.seconds = Some(arguments.next()?.parse().ok()?),
            "--corpus" => options.corpus.push(arguments.next()?.into()),
            "--failures" => options.failures = Some(arguments.next()?.into()),
            "--unchanged" => options.is_unchanged = true,
            "--show" => options.is_shown = true,
            _ => return None,
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(options) = options(env::args().skip(1)) else {
        eprint!("{USAGE}");
        eprintln!("\ntargets: {}", TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(" "));
        return ExitCode::from(2);
    };
    let campaign = options
        .corpus
        .iter()
        .try_fold(Campaign::new(options.target, options.seed), |campaign, folder| {
            campaign.with_folder(folder)
        });
    match campaign {
        Ok(campaign) if options.is_unchanged => {
            let campaign = campaign.unchanged();
            let n = options.n.min(campaign.inputs().len() as u64);
            run(&campaign, &Options { n, ..options })
        }
        Ok(campaign) if options.is_shown => show(&campaign, &options),
        Ok(campaign) => run(&campaign, &options),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn show(campaign: &Campaign, options: &Options) -> ExitCode {
    let mut input = Vec::new();
    for number in options.from..options.from + options.n {
        campaign.make(number, &mut input);
        println!("{number}: {}", input.escape_ascii());
    }
    ExitCode::SUCCESS
}

/// What the worker is at, for the one who watches it.
#[derive(Default)]
struct Work {
    number: AtomicU64,
    is_done: AtomicBool,
    /// What the kernel calls the worker: `PID/task/TID`.
    thread: Mutex<Option<PathBuf>>,
}

/// What has been run.
#[derive(Default)]
struct Outcome {
    n: u64,
    n_read: u64,
    n_bytes: u64,
    slowest: (Duration, u64),
    /// How many inputs failed at each place, with the first one's number.
    failed: BTreeMap<String, (u64, u64)>,
}

fn run(campaign: &Campaign, options: &Options) -> ExitCode {
    let work = Work::default();
    let begin = Instant::now();
    let outcome = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let outcome = all(campaign, options, &work, begin);
            work.is_done.store(true, Ordering::Relaxed);
            outcome
        });
        watch(campaign, options, &work);
        worker.join()
    });
    let Ok(outcome) = outcome else { return ExitCode::from(3) };
    say(campaign, options, &outcome, begin.elapsed());
    if outcome.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A line that a table can be made of.
fn say(campaign: &Campaign, options: &Options, outcome: &Outcome, time: Duration) {
    let Outcome { n, n_read, n_bytes, slowest, failed } = outcome;
    let seconds = time.as_secs_f64();
    println!(
        "{}: {n} executions from {} on, seed {}, {} inputs of fingerprint {:016x}, {:.1} % read, {} bytes on average, {seconds:.0} s, \
         {:.0} a second, slowest {:.1} ms ({}), {} failed",
        options.target.name,
        options.from,
        options.seed,
        campaign.inputs().len(),
        campaign.fingerprint(),
        100.0 * *n_read as f64 / (*n).max(1) as f64,
        n_bytes / (*n).max(1),
        *n as f64 / seconds,
        slowest.0.as_secs_f64() * 1e3,
        slowest.1,
        failed.values().map(|(n, _)| n).sum::<u64>(),
    );
    for (place, (n, number)) in failed {
        println!("  {n} at {place}, first {number}");
    }
}

/// Where the last panic was, and what it said.
static PANIC: Mutex<(String, String)> = Mutex::new((String::new(), String::new()));

fn remember(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
    *PANIC.lock().unwrap_or_else(PoisonError::into_inner) =
        (place.unwrap_or_default(), panic.to_string());
}

fn all(campaign: &Campaign, options: &Options, work: &Work, begin: Instant) -> Outcome {
    *work.thread.lock().unwrap_or_else(PoisonError::into_inner) =
        fs::read_link("/proc/thread-self").ok();
    set_hook(Box::new(remember));
    let (mut outcome, mut input) = (Outcome::default(), Vec::new());
    let (mut word, mut last) = (begin, begin);
    for number in options.from..options.from.saturating_add(options.n) {
        work.number.store(number, Ordering::Relaxed);
        campaign.make(number, &mut input);
        match catch_unwind(AssertUnwindSafe(|| campaign.run(&input))) {
            Ok(is_read) => outcome.n_read += u64::from(is_read),
            Err(_) => fail(options, &mut outcome, number, &input),
        }
        outcome.n += 1;
        outcome.n_bytes += input.len() as u64;
        let now = Instant::now();
        outcome.slowest = outcome.slowest.max((now - last, number));
        last = now;
        if now - word >= WORD {
            word = now;
            eprintln!(
                "{}: {} of {}, {} failed",
                options.target.name,
                outcome.n,
                options.n,
                outcome.failed.len()
            );
        }
        if options.seconds.is_some_and(|most| (now - begin).as_secs_f64() >= most) {
            break;
        }
    }
    outcome
}

fn fail(options: &Options, outcome: &mut Outcome, number: u64, input: &[u8]) {
    let (place, words) = PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (n, _) = outcome.failed.entry(place).or_insert((0, number));
    *n += 1;
    if *n == 1 {
        report(options, number, &words, input);
    }
}

/// Tells of an input that failed, and keeps it.
fn report(options: &Options, number: u64, words: &str, input: &[u8]) {
    let (name, seed) = (options.target.name, options.seed);
    println!(
        "{name} FAILED: seed {seed}, number {number}: {words}\n  input: {}",
        input.escape_ascii()
    );
    if let Some(folder) = &options.failures {
        let path = folder.join(format!("seed-{seed}-number-{number}"));
        if let Err(error) = fs::create_dir_all(folder).and_then(|()| fs::write(&path, input)) {
            println!("  {}: {error}", path.display());
        }
    }
}

/// Looks now and then at how long the worker has been at one input, and at how much memory there is in use.
fn watch(campaign: &Campaign, options: &Options, work: &Work) {
    let mut at = (u64::MAX, Duration::ZERO);
    while !work.is_done.load(Ordering::Relaxed) {
        thread::sleep(GLANCE);
        let number = work.number.load(Ordering::Relaxed);
        let time = work.thread.lock().ok().and_then(|thread| time_of(thread.as_deref()?));
        // There is none before the worker has begun and after it has ended.
        let time = time.unwrap_or(at.1);
        if at.0 != number {
            at = (number, time);
        }
        let what = if time.saturating_sub(at.1) >= MOST_TIME {
            "two seconds"
        } else if memory().is_some_and(|bytes| bytes > MOST_MEMORY) {
            "two gigabytes"
        } else {
            continue;
        };
        let mut input = Vec::new();
        campaign.make(number, &mut input);
        report(options, number, &format!("it takes {what}"), &input);
        exit(3);
    }
}

/// What a thread has had of a processor. That others used it too does not count.
fn time_of(thread: &Path) -> Option<Duration> {
    let text = fs::read_to_string(Path::new("/proc").join(thread).join("schedstat")).ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// What this process has of memory.
fn memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
