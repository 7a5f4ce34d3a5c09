//! numpy, JAX, torch and our own Python package, in a process of their own that runs `peers.py`.
//!
//! There is one such process for each number of threads, since JAX decides when it starts how
//! many it has. While this process measures, those wait for a line on a pipe.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tilewright::Shape;
use tilewright::xla::{Step, TilingProgram};

use super::Problem;
use crate::clock::Clock;
use crate::contest::{Contestant, Form};
use crate::memory::Buffers;

/// Huge pages for what JAX allocates: on small ones, page faults would be most of its time.
const TUNABLES: &str = "glibc.malloc.hugetlb=1";

/// One process, and memory that it shares with this one.
#[derive(Debug)]
pub(crate) struct Worker {
    threads: usize,
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    shared: File,
    /// Names and versions of the libraries it has.
    pub(crate) versions: Vec<(String, String)>,
}

impl Worker {
    /// Starts a process with this interpreter and script, for work on so many threads.
    pub(crate) fn start(python: &Path, script: &Path, threads: usize) -> Result<Self> {
        let shared = shared_memory()?;
        let mut child = Command::new(python)
            .arg("-B")
            .arg(script)
            .args([threads.to_string(), shared.as_raw_fd().to_string()])
            .env("GLIBC_TUNABLES", TUNABLES)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", python.display()))?;
        let requests = child.stdin.take().context("no pipe to Python")?;
        let answers = BufReader::new(child.stdout.take().context("no pipe from Python")?);
        let mut worker = Worker { threads, child, requests, answers, shared, versions: vec![] };
        let hello = worker.ask(&json!({"do": "hello"}))?;
        let versions = hello["versions"].as_object().into_iter().flatten();
        let text = |version: &Value| version.as_str().unwrap_or_default().to_owned();
        worker.versions = versions.map(|(name, version)| (name.clone(), text(version))).collect();
        Ok(worker)
    }

    /// Asks and waits for the answer.
    fn ask(&mut self, request: &Value) -> Result<Value> {
        writeln!(self.requests, "{request}").context("Python has ended")?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("Python has ended");
        }
        let answer: Value = serde_json::from_str(&line)?;
        match answer["error"].as_str() {
            Some(error) => bail!("{error}"),
            None => Ok(answer),
        }
    }

    /// Gives the process a case, and says by which names it can move it.
    fn open(&mut self, problem: &Problem, src: &[u8], peers: &[String]) -> Result<Vec<String>> {
        let bytes = src.len().max(problem.to.bytes());
        self.shared.set_len(u64::try_from(bytes)?)?;
        self.shared.seek(SeekFrom::Start(0))?;
        self.shared.write_all(src)?;
        let answer = self.ask(&description(problem, peers)?)?;
        let ways = answer["ways"].as_array().into_iter().flatten();
        Ok(ways.filter_map(|way| way.as_str().map(str::to_owned)).collect())
    }

    /// What the last `produce` put into the shared memory.
    fn read_output(&mut self, dst: &mut [u8]) -> Result<()> {
        self.shared.seek(SeekFrom::Start(0))?;
        Ok(self.shared.read_exact(dst)?)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It is waiting for a request or is past hearing one; nothing is lost with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file without a name, in memory, which a child process inherits.
fn shared_memory() -> Result<File> {
    // SAFETY: the name ends in a zero byte.
    let descriptor = unsafe { libc::memfd_create(c"bench".as_ptr(), 0) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error()).context("no shared memory");
    }
    // SAFETY: the descriptor is new, and nobody else has it in this process.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

/// The Python peers that were asked for, with everything they can do about this case.
pub(crate) fn contestants<'a>(
    worker: &'a RefCell<Worker>,
    problem: &Problem,
    src: &[u8],
    peers: &[String],
) -> Result<Vec<Contestant<'a>>> {
    let ways = worker.borrow_mut().open(problem, src, peers)?;
    let mut contestants: Vec<Contestant<'a>> = Vec::new();
    for way in ways {
        let (peer, form) = way.split_once('/').unwrap_or((&way, ""));
        let form = Box::new(Remote { worker, way: way.clone(), form: form.to_owned() });
        match contestants.iter_mut().find(|contestant| contestant.name == peer) {
            Some(contestant) => contestant.forms.push(form),
            None => contestants.push(Contestant::new(peer, vec![form])),
        }
    }
    Ok(contestants)
}

/// Lets the process forget the case.
pub(crate) fn close(worker: &RefCell<Worker>) -> Result<()> {
    worker.borrow_mut().ask(&json!({"do": "end"})).map(|_| ())
}

/// One way of one Python peer.
struct Remote<'a> {
    worker: &'a RefCell<Worker>,
    way: String,
    form: String,
}

impl Form for Remote<'_> {
    fn name(&self) -> String {
        self.form.clone()
    }

    fn produce(&mut self, buffers: &mut Buffers) -> Result<()> {
        let mut worker = self.worker.borrow_mut();
        worker.ask(&json!({"do": "produce", "way": self.way}))?;
        worker.read_output(buffers.both().1)
    }

    fn time(&mut self, _: &mut Buffers, clock: Clock, repeats: u32) -> Result<Duration> {
        let mut worker = self.worker.borrow_mut();
        debug_assert_eq!(clock, Clock::of_threads(worker.threads), "the process knows its clock");
        let request = json!({"do": "time", "way": self.way, "repeats": repeats});
        let seconds = worker.ask(&request)?["seconds"].as_f64().context("no seconds")?;
        Ok(Duration::from_secs_f64(seconds.max(0.0)))
    }
}

/// A case as `peers.py` understands it.
fn description(problem: &Problem, peers: &[String]) -> Result<Value> {
    let [from, to] = &problem.shapes;
    let loops = problem.nest.as_ref().map(|nest| {
        nest.loops.iter().map(|each| [each.extent, each.src, each.dst]).collect::<Vec<_>>()
    });
    Ok(json!({
        "do": "case",
        "peers": peers,
        "src_bytes": problem.from.bytes(),
        "dst_bytes": problem.to.bytes(),
        "src_bits": problem.from.element_bits(),
        "dst_bits": problem.to.element_bits(),
        "shapes": problem.shapes.each_ref().map(ToString::to_string),
        "loops": loops,
        "from": steps(from)?,
        "to": steps(to)?,
    }))
}

/// A layout as pad, reshape and transpose.
fn steps(shape: &Shape) -> Result<Value> {
    let program = TilingProgram::of(shape.as_array()?)?;
    let steps = program.steps().map(|step| match step {
        Step::Pad(sizes) => json!(["pad", sizes]),
        Step::Reshape(sizes) => json!(["reshape", sizes]),
        Step::Transpose(permutation) => {
            json!(["transpose", permutation.iter().collect::<Vec<_>>()])
        }
    });
    Ok(json!({"dims": program.dims(), "steps": steps.collect::<Vec<_>>()}))
}
