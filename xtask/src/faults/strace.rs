//! Running a command under strace.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What happens to a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It fails, and is not carried out.
    Error(&'static str),
    /// The process gets a signal as it makes it. SIGKILL comes before the call is carried out.
    Signal(&'static str),
    /// It does a part of what was asked, and says so.
    Short,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Error(name) => f.write_str(name),
            Fault::Signal(name) => write!(f, "SIG{name}"),
            Fault::Short => f.write_str("a short count"),
        }
    }
}

/// A fault at one call: the `at`th of this name that any thread makes.
pub(crate) struct Injection<'a> {
    pub(crate) call: &'a str,
    pub(crate) at: usize,
    pub(crate) fault: Fault,
}

impl fmt::Display for Injection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} {}", self.fault, self.call, self.at)
    }
}

impl Injection<'_> {
    fn option(&self) -> String {
        let (call, at) = (self.call, self.at);
        match self.fault {
            Fault::Error(name) => format!("inject={call}:error={name}:when={at}"),
            Fault::Signal(name) => format!("inject={call}:signal={name}:when={at}"),
            Fault::Short => String::new(),
        }
    }
}

/// Long enough for anything here, whatever else the machine does.
const GUARD: Duration = Duration::from_secs(120);

/// The exit status of what had to be killed, as `timeout` has it.
pub(crate) const HUNG: i32 = 124;

/// The first call of the command itself.
const BEGINS: &str = "rt_sigaction(SIGXFSZ";

/// What the command did.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit status; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Runs it to its end. What hangs is killed with all that it has begun, and is wrong.
    pub(crate) fn of(command: &Command) -> Result<Self, String> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut guarded = Command::new("timeout");
        let seconds = GUARD.as_secs().to_string();
        // A process that ends without memory would look up the names of its functions for seconds.
        guarded.args(["--signal=KILL", &seconds, "env", "RUST_BACKTRACE=0"]);
        // For the program alone, not for its guard.
        for (name, value) in command.get_envs() {
            let mut set = name.to_owned();
            set.push("=");
            set.push(value.unwrap_or_default());
            guarded.arg(set);
        }
        guarded.arg(&program).args(command.get_args());
        guarded.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
        let begin = Instant::now();
        let output = guarded.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{program}: {error}"))?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        // Of a signal `timeout` ends by the same.
        let code = match begin.elapsed() < GUARD {
            true => output.status.code(),
            false => Some(HUNG),
        };
        Ok(Run { code, stdout: output.stdout, stderr })
    }
}

/// That there is a strace that can inject.
pub(crate) fn require() -> Result<(), String> {
    let mut strace = Command::new("strace");
    strace.args(["-f", "--seccomp-bpf", "-o", "/dev/null"]);
    strace.args(["-e", "trace=getcwd", "-e", "inject=getcwd:error=EIO", "true"]);
    match strace.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("strace cannot trace here".to_owned()),
        Err(error) => Err(format!("strace: {error}; it is in the package of that name")),
    }
}

/// A program with its arguments, and where it runs.
#[derive(Clone, Copy)]
pub(crate) struct Traced<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [&'a str],
    pub(crate) folder: &'a Path,
    /// Injections that are there all along.
    pub(crate) always: &'a [String],
}

impl Traced<'_> {
    /// The same without strace.
    pub(crate) fn plain(&self) -> Command {
        let mut command = Command::new(self.program);
        command.args(self.arguments).current_dir(self.folder);
        command
    }

    /// Which calls of each name there are, by the thread that makes most: strace counts for each thread
    /// apart. Without those of the loader it begins after those that are made before [`BEGINS`], where that is.
    pub(crate) fn counts(
        &self,
        with_loader: bool,
    ) -> Result<BTreeMap<String, RangeInclusive<usize>>, String> {
        let mut by_thread: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut before = BTreeMap::new();
        for line in self.log(&[])?.lines() {
            let Some((thread, rest)) = line.split_once(' ') else { continue };
            let Some((call, _)) = rest.trim_start().split_once('(') else { continue };
            if rest.trim_start().starts_with(BEGINS) && !with_loader {
                before = by_thread.iter().map(|((_, call), n)| (call.clone(), *n)).collect();
            }
            if call.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                *by_thread.entry((thread.to_owned(), call.to_owned())).or_default() += 1;
            }
        }
        let mut counts = BTreeMap::new();
        for ((_, call), count) in by_thread {
            let first = before.get(&call).map_or(1, |n| n + 1);
            let most = counts.entry(call).or_insert(first..=0);
            *most = first..=count.max(*most.end());
        }
        Ok(counts)
    }

    /// All calls of a run without a fault, one a line.
    pub(crate) fn log(&self, options: &[&str]) -> Result<String, String> {
        let log = self.folder.with_extension("log");
        let mut strace = Command::new("strace");
        strace.args(["-f", "-e", "signal=none", "-o"]).arg(&log).args(options);
        let run = Run::of(self.under(&mut strace))?;
        match run.code {
            Some(0) => {
                fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))
            }
            _ => Err(format!("{:?}: {}", self.arguments, run.stderr)),
        }
    }

    /// The command with a fault; `None` if it did not come about: threads make more or fewer calls from run to run.
    pub(crate) fn injected(&self, injection: &Injection<'_>) -> Result<Option<Run>, String> {
        // What is not disturbed is not traced, so that it takes no time.
        let others = self.always.iter().filter_map(|option| option.split(['=', ':']).nth(1));
        let traced: Vec<&str> = others.chain([injection.call]).collect();
        let mut strace = Command::new("strace");
        let log = self.folder.with_extension("log");
        strace.args(["-f", "-e", "signal=none", "-o"]).arg(&log);
        // Under it strace injects errors, but no signals.
        if matches!(injection.fault, Fault::Error(_)) {
            strace.arg("--seccomp-bpf");
        }
        strace.args(["-e", &format!("trace={}", traced.join(",")), "-e", &injection.option()]);
        let run = Run::of(self.under(&mut strace))?;
        let came_about = match injection.fault {
            Fault::Error(_) => {
                let log = fs::read_to_string(&log).unwrap_or_default();
                let begin = format!(" {}(", injection.call);
                log.lines().any(|line| line.contains(&begin) && line.ends_with("(INJECTED)"))
            }
            Fault::Signal("KILL") => run.code.is_none(),
            _ => true,
        };
        Ok(came_about.then_some(run))
    }

    fn under<'c>(&self, strace: &'c mut Command) -> &'c mut Command {
        for option in self.always {
            strace.args(["-e", option]);
        }
        strace.arg(self.program).args(self.arguments).current_dir(self.folder)
    }
}
