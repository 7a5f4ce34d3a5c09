//! Several writers of one name and readers at once: writers that are held up at each of their renames, and
//! writers that run as they like.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::place::{Bench, done};
use super::tally::{Survival, Tally};
use super::{Failing, fixture, say};

const PART: &str = "races";

/// How long a rename takes, in microseconds: long enough for the other writer to come from its
/// beginning to its end, if it is let. What is checked holds however long that takes.
const DELAY: &str = "500000";

/// The layouts of the writers; the arrays that they write differ in every byte but the zeros.
const LAYOUTS: [&str; 3] = ["{1,0:T(2,2)}", "{0,1:T(2,2)}", "{1,0:T(4,2)}"];

/// How often writers that run as they like write.
const ROUNDS: usize = 60;

pub(crate) fn run(bench: &Bench, step: usize, tally: &mut Tally) -> Failing<()> {
    let folder = bench.scratch.join("race");
    for target in ["w.npy", "w.bin", "w.safetensors"] {
        for call in ["rename", "renameat2", "linkat"] {
            for at in (1..=4).step_by(step) {
                let race = Race { bench, folder: &folder, input: "in.npy", target };
                let outcome = race.held_up(call, at);
                add(tally, &format!("{target}, held up at {call} {at}"), "one held up", outcome);
            }
        }
    }
    for (input, target) in
        [("in.npy", "w.npy"), ("in.npy", "w.bin"), ("in.npy", "w.safetensors"), ("model", "w")]
    {
        let race = Race { bench, folder: &folder, input, target };
        let rounds = ROUNDS.div_ceil(step);
        let (n_reads, outcome) = race.free(rounds)?;
        add(tally, &format!("{target}, three writers"), "three at once", outcome);
        say(&format!("{target}: {} outputs by three writers, read {n_reads} times", 3 * rounds));
        for (column, count) in [("outputs", 3 * rounds), ("reads", n_reads)] {
            tally.count(PART, "writers and a reader", &format!("{target} {column}"), count);
        }
    }
    Ok(())
}

fn add(tally: &mut Tally, what: &str, column: &str, outcome: Failing<()>) {
    let outcome = outcome.map(|()| Survival::Done);
    tally.add(PART, ("writers and a reader", column), (what, outcome));
}

/// Writers of one target, of which there is always one.
struct Race<'a> {
    bench: &'a Bench,
    folder: &'a Path,
    input: &'a str,
    target: &'a str,
}

impl Race<'_> {
    fn begin(&self) -> Failing<()> {
        fixture::lay_out(self.folder, &self.bench.root)?;
        let first = ["convert", self.input, "-o", self.target, "--to", LAYOUTS[0]];
        done(&self.bench.tilewright, &first, self.folder)
    }

    fn writer(&self, layout: &str, mut command: Command) -> Failing<Child> {
        command.args(["convert", self.input, "-o", self.target, "--to", layout, "--force"]);
        command.args(["--threads", "1"]).current_dir(self.folder).stdout(Stdio::null());
        command.spawn().map_err(|error| format!("a writer: {error}"))
    }

    /// One writer that strace holds up at a call, and one that overtakes it.
    fn held_up(&self, call: &str, at: usize) -> Failing<()> {
        self.begin()?;
        let tilewright = &self.bench.tilewright;
        let mut held = Command::new("strace");
        let delay = format!("inject={call}:delay_enter={DELAY}:when={at}");
        held.args(["-f", "-o", "/dev/null", "-e", &delay]).arg(tilewright);
        let held = self.writer(LAYOUTS[0], held)?;
        let other = self.writer(LAYOUTS[1], Command::new(tilewright))?;
        self.read_until_ended([held, other]).map(drop)
    }

    /// Three writers, again and again. How often was read meanwhile.
    fn free(&self, rounds: usize) -> Failing<(usize, Failing<()>)> {
        self.begin()?;
        let mut n_reads = 0;
        for _ in 0..rounds {
            let writer = |layout| self.writer(layout, Command::new(&self.bench.tilewright));
            let [one, two, three] = LAYOUTS;
            match self.read_until_ended([writer(one)?, writer(two)?, writer(three)?]) {
                Ok(reads) => n_reads += reads,
                Err(wrong) => return Ok((n_reads, Err(wrong))),
            }
        }
        Ok((n_reads, Ok(())))
    }

    /// Reads until all have ended: every time the array in its layout is the one that is written.
    fn read_until_ended<const N: usize>(&self, mut writers: [Child; N]) -> Failing<usize> {
        let (mut n_reads, mut wrong) = (0, Ok(()));
        loop {
            let ended = writers.each_mut().map(|child| child.try_wait().ok().flatten());
            wrong = wrong.and_then(|()| self.read());
            n_reads += 1;
            if ended.iter().all(Option::is_some) {
                let all = ended.iter().flatten().all(std::process::ExitStatus::success);
                wrong?;
                return if all { Ok(n_reads) } else { Err("a writer failed".to_owned()) };
            }
        }
    }

    fn read(&self) -> Failing<()> {
        done(&self.bench.tilewright, &["verify", self.input, self.target], self.folder)
    }
}
