//! A fault at every system call of every command that writes.

use super::place::{Bench, Place};
use super::scenario::{Lacks, SCENARIOS};
use super::shim::Shim;
use super::state::Outcomes;
use super::strace::{Fault, Injection};
use super::tally::{Survival, Tally};
use super::verdict::{Trouble, verdict};
use super::{Failing, say};

const PART: &str = "syscalls";

pub(crate) fn run(bench: &Bench, step: usize, tally: &mut Tally) -> Failing<()> {
    let shim = Shim::built(&bench.root, &bench.scratch)?;
    for scenario in bench.scenarios() {
        let folder = bench.scratch.join("here");
        let place = Place::new(bench, scenario, &folder)?;
        let before = tally.complaints.len();
        let number = Disturbed { place, shim: &shim }.everywhere(step * scenario.every, tally)?;
        let wrong = tally.complaints.len() - before;
        say(&format!("{}: {number} faults, {wrong} went wrong", scenario.name));
    }
    Ok(())
}

struct Disturbed<'a> {
    place: Place<'a>,
    shim: &'a Shim,
}

impl Disturbed<'_> {
    fn everywhere(&self, step: usize, tally: &mut Tally) -> Failing<usize> {
        let place = &self.place;
        let outcomes = Outcomes::of(place)?;
        let always = place.always()?;
        place.fresh()?;
        // The loader is the same before every command.
        let with_loader = place.scenario.name == SCENARIOS[0].name;
        let counts = place.traced(&always).counts(with_loader)?;
        let (mut number, mut made) = (0, 0);
        for (call, numbers) in counts {
            for (fault, at) in faults_of(&call)
                .into_iter()
                .flat_map(|fault| numbers.clone().map(move |number| (fault, number)))
            {
                number += 1;
                if number % step != 0 {
                    continue;
                }
                let injection = Injection { call: &call, at, fault };
                let Some(outcome) = self.one(&outcomes, &always, &injection)? else { continue };
                made += 1;
                let column = match fault {
                    Fault::Error(_) => "error".to_owned(),
                    fault => fault.to_string(),
                };
                let name = place.scenario.name;
                let what = format!("{name}, {injection}");
                tally.add(PART, (name, &column), (&what, outcome));
            }
        }
        Ok(made)
    }

    /// One fault; `None` if it did not come about.
    fn one(
        &self,
        outcomes: &Outcomes,
        always: &[String],
        injection: &Injection<'_>,
    ) -> Failing<Option<Failing<Survival>>> {
        self.place.fresh()?;
        let traced = self.place.traced(always);
        let run = match injection.fault {
            // Without strace, so without what else the system is to lack.
            Fault::Short if self.place.scenario.lacks != Lacks::Nothing => return Ok(None),
            Fault::Short => {
                let short = format!("{}:{}", injection.call, injection.at);
                let shimmed = self.shim.run(traced.plain(), &[("FAULTS_SHORT", &short)])?;
                if !shimmed.happened {
                    return Ok(None);
                }
                shimmed.run
            }
            _ => match traced.injected(injection)? {
                Some(run) => run,
                None => return Ok(None),
            },
        };
        Ok(Some(verdict(&self.place, outcomes, trouble(injection), &run)))
    }
}

fn trouble(injection: &Injection<'_>) -> Trouble {
    match injection.fault {
        Fault::Signal("KILL") => Trouble::Killed,
        Fault::Signal("INT") => Trouble::Signal(130),
        Fault::Signal(_) => Trouble::Signal(143),
        Fault::Error(_) | Fault::Short => {
            let may_leave = CLEANING.contains(&injection.call);
            Trouble::Call { may_leave }
        }
    }
}

/// The calls by which names are found and removed: where one of them fails, something stays for the
/// next output.
const CLEANING: &[&str] = &["unlink", "unlinkat", "rmdir"];

/// What can happen at a call: any can be the last, and fails as such calls do.
fn faults_of(call: &str) -> Vec<Fault> {
    // The tracer itself begins with it, and nothing comes back from it.
    if ["execve", "exit_group", "exit", "rt_sigreturn"].contains(&call) {
        return vec![Fault::Signal("KILL")].into_iter().filter(|_| call != "execve").collect();
    }
    let mut faults: Vec<Fault> = errors_of(call).iter().copied().map(Fault::Error).collect();
    faults.push(Fault::Signal("KILL"));
    // What ends the process by its own hand waits for nothing but changes of names.
    if CHANGING.contains(&call) {
        faults.extend(["TERM", "INT"].map(Fault::Signal));
    }
    if ["read", "write", "pread64", "pwrite64", "writev", "copy_file_range", "sendfile"]
        .contains(&call)
    {
        faults.push(Fault::Short);
    }
    faults
}

/// The calls that change what a folder or a file holds, and those that look for what is there.
const CHANGING: &[&str] = &[
    "rename",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "mkdir",
    "rmdir",
    "fsync",
    "open",
    "openat",
    "flock",
    "fallocate",
    "pwrite64",
    "write",
    "clone3",
];

fn errors_of(call: &str) -> &'static [&'static str] {
    match call {
        "mmap" | "mremap" | "brk" | "mprotect" | "munmap" | "madvise" | "sigaltstack" => {
            &["ENOMEM"]
        }
        "clone" | "clone3" => &["EAGAIN", "ENOMEM"],
        "poll" | "ppoll" => &["EINTR", "ENOMEM"],
        "socketpair" | "pipe2" => &["EMFILE"],
        "getrandom" => &["EINTR", "ENOSYS"],
        "sched_getaffinity" | "prlimit64" | "prctl" | "sched_yield" => &["EPERM"],
        "ioctl" => &["ENOTTY"],
        "recvfrom" | "sendto" => &["EINTR"],
        "rt_sigaction" | "rt_sigprocmask" => &["EINVAL"],
        "write" | "pwrite64" | "writev" => &["EIO", "ENOSPC", "EDQUOT", "EINTR"],
        "read" | "pread64" => &["EIO", "EINTR"],
        "fallocate" => &["EIO", "ENOSPC", "EINTR", "EOPNOTSUPP"],
        "ftruncate" => &["EIO", "EINTR"],
        "fsync" | "fdatasync" => &["EIO", "ENOSPC", "EDQUOT", "EINTR", "EOPNOTSUPP"],
        "open" | "openat" => &["EIO", "EACCES", "ENOSPC", "EMFILE", "EINTR"],
        "mkdir" | "mkdirat" => &["EIO", "EACCES", "ENOSPC"],
        "link" | "linkat" => &["EIO", "EACCES", "ENOSPC", "EMLINK", "EOPNOTSUPP"],
        "rename" | "renameat" => &["EIO", "EACCES", "ENOSPC"],
        "renameat2" => &["EIO", "EACCES", "ENOSPC", "EOPNOTSUPP"],
        "unlink" | "unlinkat" | "rmdir" => &["EIO", "EACCES"],
        "flock" => &["EIO", "EINTR", "EOPNOTSUPP"],
        "fcntl" => &["EMFILE"],
        "fchmod" | "chmod" | "fchown" => &["EIO", "EPERM"],
        "close" => &["EIO", "EINTR"],
        "copy_file_range" | "sendfile" => &["EIO", "ENOSPC", "EINTR"],
        "stat" | "lstat" | "fstat" | "statx" | "newfstatat" | "readlink" | "access" => {
            &["EIO", "EACCES"]
        }
        "getdents64" | "lseek" | "getcwd" => &["EIO"],
        // They ask for nothing that could fail.
        _ => &[],
    }
}
