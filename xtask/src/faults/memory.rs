//! No memory at each allocation of each command that writes; and no memory for what is as large as an array.
//!
//! Rust ends a process that finds no memory where it stands, so that files have to be as after SIGKILL. What is
//! as large as an array is asked for in another way, and refused with the reason.

use std::path::Path;
use std::process::Command;

use super::place::{Bench, Place};
use super::scenario::SCENARIOS;
use super::shim::Shim;
use super::state::Outcomes;
use super::strace::Run;
use super::tally::{Survival, Tally};
use super::verdict::{Trouble, verdict};
use super::{Failing, fixture, say};

const PART: &str = "memory";

/// Allocations are many and alike: of so many one fails, each beginning at another.
const EVERY: usize = 37;

pub(crate) fn run(bench: &Bench, step: usize, tally: &mut Tally) -> Failing<()> {
    let shim = Shim::built(&bench.root, &bench.scratch)?;
    let folder = bench.scratch.join("here");
    for (number, scenario) in bench.writing().enumerate() {
        let place = Place::new(bench, scenario, &folder)?;
        let outcomes = Outcomes::of(&place)?;
        let every = step * scenario.every * if number == 0 { 1 } else { EVERY };
        for (suffix, column) in [("", "one fails"), ("+", "all fail from there on")] {
            let fail = |at: usize| {
                place.fresh()?;
                let at = format!("{at}{suffix}");
                shim.run(place.traced(&[]).plain(), &[("FAULTS_ALLOCATION", &at)])
            };
            let n = fail(0)?.n_allocations.ok_or("allocations were not counted")?;
            for at in (1 + number % every..=n).step_by(every) {
                let shimmed = fail(at)?;
                if !shimmed.happened {
                    continue;
                }
                let outcome = verdict(&place, &outcomes, Trouble::Memory, &shimmed.run);
                let what = format!("{}, allocation {at}{suffix} of {n}", scenario.name);
                tally.add(PART, (scenario.name, column), (&what, outcome));
            }
        }
        say(&format!("{}: done", scenario.name));
    }
    large(bench, &shim, tally)?;
    limited(bench, step, tally)
}

/// From this many bytes on, what a command asks for is as large as an array.
const LARGE: usize = 1 << 20;

/// `f32[1024,512]` of 2 MiB, and codes of 512 KiB.
fn lay_out_large(folder: &Path, root: &Path) -> Failing<()> {
    fixture::lay_out(folder, root)?;
    let bytes: Vec<u8> = (0..1u32 << 21).map(|byte| (byte * 7 % 16) as u8).collect();
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"))
    };
    put("big.npy", &fixture::npy_of(&bytes, "1024, 512"))?;
    put("big.bin", &bytes)
}

/// Commands whose buffers are as large as their arrays.
const LARGE_ONES: &[&[&str]] = &[
    &["convert", "big.npy", "-o", "w.npy", "--to", "{0,1:T(8,128)}", "--threads", "1"],
    &["convert", "big.npy", "-o", "w.safetensors", "--to", "{0,1}", "--threads", "2"],
    &["convert", "big.bin", "-o", "w.bin", "--from", "u8[2048,1024]", "--to", "{0,1:T(32,128)}"],
    &["verify", "big.npy", "big.npy"],
    &["index", "f32[512,512]{0,1:T(8,128)}", "--all", "-o", "w.npy"],
    &["index", "f32[512,512]{0,1:T(8,128)}", "--all"],
    &["draw", "f32[512,512]{0,1:T(8,128)}", "-o", "w.png"],
];

/// The encoder of PNG asks for memory as Rust does, and ends the process: nothing is written then.
const ENDS: &str = "w.png";

/// What is large fails, each time another allocation of it: the reason is said, and nothing is written.
fn large(bench: &Bench, shim: &Shim, tally: &mut Tally) -> Failing<()> {
    let folder = bench.scratch.join("large");
    for arguments in LARGE_ONES {
        let fail = |at: &str| {
            lay_out_large(&folder, &bench.root)?;
            let mut command = Command::new(&bench.tilewright);
            command.args(*arguments).current_dir(&folder);
            let least = LARGE.to_string();
            shim.run(command, &[("FAULTS_ALLOCATION", at), ("FAULTS_LEAST", &least)])
        };
        let n = fail("0")?.n_allocations.ok_or("allocations were not counted")?;
        for at in 1..=n {
            let run = fail(&at.to_string())?.run;
            let may_end = arguments.contains(&ENDS);
            let outcome = refused(&run, &folder, may_end);
            let what = format!("{}, large allocation {at} of {n}", arguments.join(" "));
            tally.add(PART, ("as large as an array", "one fails"), (&what, outcome));
        }
    }
    Ok(())
}

/// It was done, or it says why not and nothing is there.
fn refused(run: &Run, folder: &Path, may_end: bool) -> Failing<Survival> {
    let names = super::state::files_in(folder)?;
    let written = names.keys().any(|name| name.starts_with("w.") || name.starts_with('.'));
    match run.code {
        Some(0) => Ok(Survival::Done),
        Some(2) if run.stderr.contains("error: ") && !written => Ok(Survival::Refused),
        None if may_end && !written => Ok(Survival::Aborted),
        _ => Err(format!("{run:?}, and there is {:?}", names.keys())),
    }
}

/// The same under limits of all memory (`RLIMIT_AS`), which threads' stacks count too.
fn limited(bench: &Bench, step: usize, tally: &mut Tally) -> Failing<()> {
    let scenario = SCENARIOS.get(1).ok_or("there are scenarios")?;
    let folder = bench.scratch.join("here");
    let place = Place::new(bench, scenario, &folder)?;
    let outcomes = Outcomes::of(&place)?;
    for mib in (4..=200).step_by(step) {
        place.fresh()?;
        let mut command = Command::new("prlimit");
        command.arg(format!("--as={}", mib << 20)).arg(&bench.tilewright);
        command.args(scenario.arguments).current_dir(&folder);
        let run = Run::of(&command)?;
        let outcome = verdict(&place, &outcomes, Trouble::Memory, &run);
        let what = format!("{}, {mib} MiB in all", scenario.name);
        tally.add(PART, ("RLIMIT_AS of 4 to 200 MiB", "limits"), (&what, outcome));
    }
    Ok(())
}
