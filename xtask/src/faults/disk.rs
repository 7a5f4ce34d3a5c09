//! Disks that are full, files that may not be longer, descriptors that there are none of; a folder that vanishes,
//! and inputs that change, while they are read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::place::{Bench, Place};
use super::scenario::Scenario;
use super::state::{Outcomes, files_in, left};
use super::strace::Run;
use super::tally::{Survival, Tally};
use super::verdict::{Trouble, verdict};
use super::{Failing, fixture, say};

const PART: &str = "disk";

pub(crate) fn run(bench: &Bench, step: usize, tally: &mut Tally) -> Failing<()> {
    for scenario in bench.writing() {
        full(bench, scenario, step, tally)?;
        limits(bench, scenario, step, tally)?;
        say(&format!("{}: done", scenario.name));
    }
    for deed in DEEDS {
        changes(bench, deed, step, tally)?;
    }
    Ok(())
}

/// A small file system in memory, which root can make.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: PathBuf, kib: usize) -> Option<Self> {
        fs::create_dir_all(&at).ok()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(&at);
        let status = mount.stderr(Stdio::null()).status().ok()?;
        status.success().then_some(Mounted(at))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// How much room there is on it, beside the inputs: from none to more than enough, page by page.
const PAGES: usize = 48;

/// The disk is full after so many pages.
fn full(bench: &Bench, scenario: &Scenario, step: usize, tally: &mut Tally) -> Failing<()> {
    let at = bench.scratch.join("full");
    let Some(_mounted) = Mounted::new(at.clone(), 8 << 10) else {
        say("a full disk: no file system can be mounted here, so there is none");
        return Ok(());
    };
    let folder = at.join("here");
    let place = Place::new(bench, scenario, &folder)?;
    let outcomes = Outcomes::of(&place)?;
    let filler = at.join("filler");
    for free in (0..PAGES).step_by(step) {
        let _ = fs::remove_file(&filler);
        place.fresh()?;
        fill(&filler, free)?;
        let run = Run::of(&place.traced(&[]).plain())?;
        // There is room again for what comes next.
        fs::remove_file(&filler).map_err(|error| format!("filler: {error}"))?;
        let outcome = verdict(&place, &outcomes, Trouble::Call { may_leave: false }, &run);
        let what = format!("{}, {free} pages free", scenario.name);
        tally.add(PART, (scenario.name, "disk full"), (&what, outcome));
    }
    Ok(())
}

/// Takes all room but so many pages.
fn fill(filler: &Path, free: usize) -> Failing<()> {
    let failed = |error: std::io::Error| format!("filler: {error}");
    let mut file = fs::File::create(filler).map_err(failed)?;
    let page = [1; 4096];
    let mut n_pages = 0;
    while std::io::Write::write_all(&mut file, &page).is_ok() {
        n_pages += 1;
    }
    file.set_len((n_pages as u64).saturating_sub(free as u64) * 4096).map_err(failed)
}

/// No file may be longer than so many bytes (`RLIMIT_FSIZE`); no more than so many files may be open.
fn limits(bench: &Bench, scenario: &Scenario, step: usize, tally: &mut Tally) -> Failing<()> {
    let folder = bench.scratch.join("here");
    let place = Place::new(bench, scenario, &folder)?;
    let outcomes = Outcomes::of(&place)?;
    let lengths =
        [0, 1, 8, 22, 23, 64, 100, 127, 128, 200, 255, 256, 300, 367, 368, 400, 1000, 4000];
    let lengths = lengths.map(|bytes| (format!("--fsize={bytes}"), "RLIMIT_FSIZE"));
    let files = (3..24).map(|files| (format!("--nofile={files}"), "RLIMIT_NOFILE"));
    for (limit, column) in lengths.into_iter().chain(files).step_by(step) {
        place.fresh()?;
        let mut command = Command::new("prlimit");
        command.arg(&limit).arg(bench.program(scenario.program)).args(scenario.arguments);
        let run = Run::of(command.current_dir(&folder))?;
        // What ends where SIGXFSZ is not heard is killed.
        let trouble = match run.code {
            None => Trouble::Killed,
            Some(_) => Trouble::Call { may_leave: false },
        };
        let outcome = verdict(&place, &outcomes, trouble, &run);
        tally.add(PART, (scenario.name, column), (&format!("{}, {limit}", scenario.name), outcome));
    }
    Ok(())
}

/// What is done while a conversion stands still.
struct Deed {
    name: &'static str,
    input: &'static str,
    target: &'static str,
    does: fn(&Path) -> std::io::Result<()>,
    /// Whether what is written then may hold the new contents too: they were there before they were read.
    may_be_other: bool,
}

const DEEDS: &[Deed] = &[
    Deed {
        name: "the input is cut off",
        input: "in.npy",
        target: "w.npy",
        does: |folder| fs::OpenOptions::new().write(true).open(folder.join("in.npy"))?.set_len(200),
        may_be_other: false,
    },
    Deed {
        name: "the input grows",
        input: "in.npy",
        target: "w.npy",
        does: |folder| {
            let mut file = fs::OpenOptions::new().append(true).open(folder.join("in.npy"))?;
            std::io::Write::write_all(&mut file, &[1; 100])
        },
        may_be_other: false,
    },
    Deed {
        name: "the input is written over",
        input: "in.npy",
        target: "w.npy",
        does: |folder| {
            use std::os::unix::fs::FileExt;
            let file = fs::OpenOptions::new().write(true).open(folder.join("in.npy"))?;
            file.write_all_at(&[0xAB; 240], 128)
        },
        may_be_other: true,
    },
    Deed {
        name: "the input is replaced by another",
        input: "in.npy",
        target: "w.npy",
        does: |folder| {
            fs::write(folder.join("other"), fixture::npy_of(&[0xAB; 240], "6, 10"))?;
            fs::rename(folder.join("other"), folder.join("in.npy"))
        },
        may_be_other: true,
    },
    Deed {
        name: "the input is removed",
        input: "in.npy",
        target: "w.npy",
        does: |folder| fs::remove_file(folder.join("in.npy")),
        may_be_other: false,
    },
    Deed {
        name: "a shard is cut off",
        input: "model",
        target: "w",
        does: |folder| {
            let shard = folder.join("model/b.safetensors");
            fs::OpenOptions::new().write(true).open(shard)?.set_len(200)
        },
        may_be_other: false,
    },
    Deed {
        name: "the folder is moved away",
        input: "in.npy",
        target: "w.npy",
        does: |folder| fs::rename(folder, folder.with_extension("away")),
        may_be_other: false,
    },
    Deed {
        name: "the folder is removed",
        input: "in.npy",
        target: "w.npy",
        does: |folder| fs::remove_dir_all(folder),
        may_be_other: false,
    },
];

/// Does it after each call of these that a conversion makes. The process stands still then: strace stops it.
fn changes(bench: &Bench, deed: &Deed, step: usize, tally: &mut Tally) -> Failing<()> {
    let folder = bench.scratch.join("changing");
    let template = Changing { bench, deed, folder: &folder };
    let mut n_done = 0;
    for call in ["statx", "openat", "pread64", "fallocate", "pwrite64", "fsync", "linkat", "rename"]
    {
        for at in (1..=40).step_by(step) {
            match template.one(call, at)? {
                None => break,
                Some(outcome) => {
                    n_done += 1;
                    let what = format!("{}, after {call} {at}", deed.name);
                    tally.add(PART, ("while it is read and written", deed.name), (&what, outcome));
                }
            }
        }
    }
    say(&format!("{}: {n_done} times", deed.name));
    Ok(())
}

struct Changing<'a> {
    bench: &'a Bench,
    deed: &'a Deed,
    folder: &'a Path,
}

impl Changing<'_> {
    /// One run; `None` if there is no such call.
    fn one(&self, call: &str, at: usize) -> Failing<Option<Failing<Survival>>> {
        for folder in [self.folder.to_owned(), self.folder.with_extension("away")] {
            let _ = fs::remove_dir_all(folder);
        }
        fixture::lay_out(self.folder, &self.bench.root)?;
        let Deed { input, target, does, .. } = *self.deed;
        let log = self.bench.scratch.join("changing.log");
        let _ = fs::remove_file(&log);
        let mut strace = Command::new("strace");
        strace.args(["-f", "-o"]).arg(&log).args(["-e", &format!("trace={call}")]);
        strace.args(["-e", &format!("inject={call}:signal=STOP:when={at}")]);
        strace.arg(&self.bench.tilewright).args(["convert", input, "-o", target]);
        strace.args(["--to", "{1,0:T(2,2)}", "--threads", "1"]).current_dir(self.folder);
        strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = strace.spawn().map_err(|error| format!("strace: {error}"))?;
        let stopped = stopped(&log, child)?;
        let Ok((mut child, process)) = stopped else { return Ok(None) };
        let was_there = self.folder.join(target).exists();
        let done = does(self.folder);
        go_on(&mut child, &process)?;
        let output = child.wait_with_output().map_err(|error| format!("strace: {error}"))?;
        done.map_err(|error| format!("{}: {error}", self.deed.name))?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let run = Run { code: output.status.code(), stdout: Vec::new(), stderr };
        Ok(Some(self.check(&run, was_there)))
    }

    fn check(&self, run: &Run, was_there: bool) -> Failing<Survival> {
        let moved = self.folder.with_extension("away");
        let folder = if self.folder.exists() { self.folder.to_owned() } else { moved };
        let mut files = if folder.exists() { files_in(&folder)? } else { Default::default() };
        files.retain(|path, _| path != "other");
        let is_left = left(&mut files);
        let is_there = files.keys().any(|path| path.trim_end_matches('/') == self.deed.target);
        let wrong = |what: &str| Err(format!("{what}: {run:?}, and there are {:?}", files.keys()));
        match run.code {
            _ if run.stderr.contains("panicked at") => wrong("a panic"),
            // It was in place, and went with its folder.
            Some(0) if !is_there && was_there => Ok(Survival::Done),
            Some(0) if !is_there => wrong("success without an output"),
            Some(0) => self.check_written(&folder).map(|()| Survival::Done),
            Some(2) if is_there && !run.stderr.contains("is in place") => wrong("an output"),
            Some(2) if !run.stderr.contains("error: ") => wrong("no reason"),
            // Where the folder went nothing can be removed by its name.
            Some(2) if !is_left.is_empty() && folder == self.folder => wrong("something is left"),
            Some(2) => Ok(Survival::Refused),
            _ => wrong("another exit status"),
        }
    }

    /// Of the one contents or, where those were there before, of the other: never of both.
    fn check_written(&self, folder: &Path) -> Failing<()> {
        let others = self.folder.with_extension("original");
        fixture::lay_out(&others, &self.bench.root)?;
        let as_it_was =
            verified(self.bench, &others.join(self.deed.input), folder, self.deed.target);
        let as_it_is = self.deed.may_be_other
            && verified(self.bench, &folder.join(self.deed.input), folder, self.deed.target);
        match as_it_was || as_it_is {
            true => Ok(()),
            false => Err("success, and the output is of no input that there was".to_owned()),
        }
    }
}

fn verified(bench: &Bench, input: &Path, folder: &Path, target: &str) -> bool {
    let mut verify = Command::new(&bench.tilewright);
    verify.arg("verify").arg(input).arg(folder.join(target));
    Run::of(&verify).is_ok_and(|run| run.code == Some(0))
}

/// Has a process that was stopped go on, until it has ended: one of its threads may stop after it was told to.
fn go_on(child: &mut Child, process: &str) -> Failing<()> {
    let failed = |error: std::io::Error| format!("strace: {error}");
    while child.try_wait().map_err(failed)?.is_none() {
        let told = Command::new("kill").args(["-CONT", process]).stderr(Stdio::null()).status();
        told.map_err(|error| format!("kill: {error}"))?;
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Ok(())
}

/// Waits until strace says that the process stands still: the process; or the end of it.
fn stopped(log: &Path, mut child: Child) -> Failing<Result<(Child, String), ()>> {
    loop {
        let text = fs::read_to_string(log).unwrap_or_default();
        let line = text.lines().find(|line| line.contains("--- stopped by SIGSTOP"));
        if let Some((process, _)) = line.and_then(|line| line.split_once(' ')) {
            return Ok(Ok((child, process.to_owned())));
        }
        if child.try_wait().map_err(|error| format!("strace: {error}"))?.is_some() {
            return Ok(Err(()));
        }
        std::thread::yield_now();
    }
}
