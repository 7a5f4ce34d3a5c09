//! Running the command under strace.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The calls that are counted and failed: those that open, read, write, name and remove files.
const CALLS: &str = "open,openat,close,read,pread64,write,pwrite64,rename,renameat,renameat2,link,\
                     linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync,ftruncate,fallocate,\
                     chmod,fchmod,fchmodat,fchown,stat,lstat,fstat,statx,newfstatat,getdents64,flock,\
                     lseek,access,fcntl";

/// What happens to a call.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    /// It fails, and is not carried out.
    Error(&'static str),
    /// The process gets a signal as it makes it.
    Signal(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Error(name) => f.write_str(name),
            Fault::Signal(name) => write!(f, "SIG{name}"),
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
        }
    }
}

/// What the command did.
pub(crate) struct Run {
    /// The exit status; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
}

/// That there is a strace that can inject.
pub(crate) fn require() -> Result<(), String> {
    let mut strace = Command::new("strace");
    strace.args(["-o", "/dev/null", "-e", "inject=getcwd:error=EIO", "true"]);
    match strace.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("strace cannot trace here".to_owned()),
        Err(error) => Err(format!("strace: {error}; it is in the package of that name")),
    }
}

/// How many times each call is made, by the thread that makes it most often: strace counts for each
/// thread apart.
pub(crate) fn counts(
    command: &Path,
    arguments: &[&str],
    folder: &Path,
    always: &[String],
) -> Result<BTreeMap<String, usize>, String> {
    let mut by_thread: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in log(command, arguments, folder, always)?.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((call, _)) = rest.trim_start().split_once('(') else { continue };
        if call.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            *by_thread.entry((thread.to_owned(), call.to_owned())).or_default() += 1;
        }
    }
    let mut counts = BTreeMap::new();
    for ((_, call), count) in by_thread {
        let most = counts.entry(call).or_insert(0);
        *most = count.max(*most);
    }
    Ok(counts)
}

/// The calls of a run without a fault, one a line.
pub(crate) fn log(
    command: &Path,
    arguments: &[&str],
    folder: &Path,
    always: &[String],
) -> Result<String, String> {
    let log = folder.with_extension("log");
    let mut strace = traced(command, arguments, folder, always);
    let mut counted = Command::new("strace");
    counted.arg("-o").arg(&log).args(strace.get_args()).current_dir(folder);
    strace = counted;
    let output = strace.output().map_err(|error| format!("strace: {error}"))?;
    if !output.status.success() {
        return Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))
}

/// The command with a fault.
pub(crate) fn run(
    command: &Path,
    arguments: &[&str],
    folder: &Path,
    always: &[String],
    injection: &Injection<'_>,
) -> Result<Run, String> {
    let mut strace = Command::new("strace");
    strace.args(["-o", "/dev/null", "-e", &injection.option()]);
    strace.args(traced(command, arguments, folder, always).get_args()).current_dir(folder);
    let output = strace.output().map_err(|error| format!("strace: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Run { code: output.status.code(), stderr })
}

/// What follows strace's own options: all threads, the calls, what fails always, the command.
fn traced(command: &Path, arguments: &[&str], folder: &Path, always: &[String]) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-e", &format!("trace={CALLS}"), "-e", "signal=none"]);
    for option in always {
        strace.args(["-e", option]);
    }
    strace.arg(command).args(arguments).current_dir(folder);
    strace
}
