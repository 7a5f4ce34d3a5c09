//! A session: every case that was asked for, on every number of threads.

use std::cell::RefCell;
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tilewright_relayout::{Placement, Plan};

use crate::arguments::Arguments;
use crate::cases::{self, Case, IN_TWO_MOVES, Size};
use crate::contest::{self, Contestant, Outcome, Rules, Spread};
use crate::definition;
use crate::memory::Buffers;
use crate::peers::onednn::OneDnn;
use crate::peers::python::{self, Worker};
use crate::peers::{self, Crew, Problem, crates};
use crate::row::Row;

/// Everybody who is here.
pub(crate) struct Field {
    names: Vec<String>,
    pub(crate) onednn: Option<OneDnn>,
    /// A crew and, if there is Python, a process for each number of threads.
    crews: Vec<(Crew, Option<RefCell<Worker>>)>,
}

impl Field {
    /// Loads and starts what the arguments name; says on standard error what is missing.
    pub(crate) fn gather(arguments: &Arguments) -> Result<Self> {
        let mut crews = Vec::new();
        for &threads in &arguments.threads {
            let started = arguments.python.as_ref().map(|[python, script]| {
                Worker::start(python, script, threads).context("the Python peers")
            });
            let worker = here(started).map(RefCell::new);
            crews.push((Crew::new(threads)?, worker));
        }
        let loaded = arguments.onednn.as_ref().map(|path| OneDnn::load(path).context("oneDNN"));
        Ok(Field { names: arguments.peers.clone(), onednn: here(loaded), crews })
    }

    /// Names and versions of the Python libraries; empty without Python.
    pub(crate) fn python_versions(&self) -> Vec<(String, String)> {
        let workers = self.crews.iter().find_map(|(_, worker)| worker.as_ref());
        workers.map(|worker| worker.borrow().versions.clone()).unwrap_or_default()
    }

    /// The peers that were asked for and can do this.
    fn contestants<'a>(
        &'a self,
        problem: &Problem,
        src: &[u8],
        (crew, worker): &'a (Crew, Option<RefCell<Worker>>),
    ) -> Result<Vec<Contestant<'a>>> {
        let onednn = self.onednn.as_ref();
        let mut contestants: Vec<Contestant<'a>> = onednn
            .and_then(|onednn| onednn.contestant(problem, crew.threads))
            .into_iter()
            .collect();
        contestants.extend(crates::contestants(problem, crew));
        contestants.retain(|contestant| self.names.contains(&contestant.name));
        if let Some(worker) = worker {
            contestants.extend(python::contestants(worker, problem, src, &self.names)?);
        }
        Ok(contestants)
    }
}

/// What was wanted and is here; why not goes to standard error.
fn here<T>(wanted: Option<Result<T>>) -> Option<T> {
    match wanted? {
        Ok(found) => Some(found),
        Err(error) => {
            say(&format!("{error:#}: left out"));
            None
        }
    }
}

/// A line on standard error, for whoever waits.
pub(crate) fn say(line: &str) {
    // There is nobody to tell that nobody can be told.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Measures everything that was asked for: for each case, a row for each number of threads.
pub(crate) fn run(arguments: &Arguments, field: &Field) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for case in cases::chosen(&arguments.cases, arguments.size)? {
        rows.extend(
            measure(&case, arguments, field).with_context(|| format!("case {}", case.name))?,
        );
    }
    compare_moves(&mut rows);
    Ok(rows)
}

fn measure(case: &Case, arguments: &Arguments, field: &Field) -> Result<Vec<Row>> {
    let problem = Problem::new(case.shapes(arguments.size)?)?;
    let mut buffers = Buffers::new(problem.from.bytes(), problem.to.bytes())?;
    definition::fill(buffers.src_mut(), case.source_mask());
    let expected = definition::relayout(buffers.src(), &problem.from, &problem.to)?;
    let plan_seconds = plan_seconds(&problem.from, &problem.to)?;
    let mut rows = Vec::new();
    for place in &field.crews {
        let outcome = contest(case, arguments, field, place, &problem, &mut buffers, &expected)?;
        let row = Row::new(case, &problem, place.0.threads, plan_seconds, &outcome);
        say(&row.summary());
        rows.push(row);
    }
    Ok(rows)
}

fn contest(
    case: &Case,
    arguments: &Arguments,
    field: &Field,
    place: &(Crew, Option<RefCell<Worker>>),
    problem: &Problem,
    buffers: &mut Buffers,
    expected: &[u8],
) -> Result<Outcome> {
    let crew = &place.0;
    let mut contestants = vec![peers::ours(problem, crew)?];
    contestants.extend(peers::measures(case, crew.threads));
    contestants.extend(field.contestants(problem, buffers.src(), place)?);
    let mut memcpy = peers::memcpy(crew.threads);
    let rules = rules(arguments, crew.threads);
    let outcome = contest::hold(rules, &mut memcpy, contestants, buffers, &|buffers| {
        Ok(buffers.dst() == expected)
    })?;
    if let Some(worker) = &place.1 {
        python::close(worker)?;
    }
    Ok(outcome)
}

fn rules(arguments: &Arguments, threads: usize) -> Rules {
    let (rounds, budget) = match arguments.size {
        Size::Full => (11, Duration::from_secs(4)),
        Size::Quick => (5, Duration::from_millis(150)),
    };
    Rules { threads, rounds: arguments.rounds.unwrap_or(rounds), budget, fewest_rounds: 3 }
}

/// How long a plan takes: the median of many, or of a few where that takes long.
pub(crate) fn plan_seconds(from: &Placement, to: &Placement) -> Result<f64> {
    const MOST: usize = 101;
    const FEWEST: usize = 3;
    const BUDGET: Duration = Duration::from_millis(20);
    let mut seconds = Vec::with_capacity(MOST);
    let begin = Instant::now();
    while seconds.len() < FEWEST || (seconds.len() < MOST && begin.elapsed() < BUDGET) {
        let start = Instant::now();
        let plan = Plan::new(black_box(from), black_box(to))?;
        seconds.push(start.elapsed().as_secs_f64());
        drop(black_box(plan));
    }
    Ok(Spread::of(seconds).map_or(f64::NAN, |spread| spread.median))
}

/// Compares relayouts in one pass with the slower of the two moves through rows.
fn compare_moves(rows: &mut [Row]) {
    for (one_pass, moves) in IN_TWO_MOVES {
        for place in 0..rows.len() {
            let threads = rows[place].threads;
            let speed = |name: &str| {
                let row = rows.iter().find(|row| row.case == name && row.threads == threads);
                row.and_then(|row| row.of_best_copy)
            };
            if rows[place].case == *one_pass
                && let (Some(ours), Some(one), Some(other)) =
                    (speed(one_pass), speed(moves[0]), speed(moves[1]))
            {
                rows[place].of_slower_move = Some(ours / one.min(other));
            }
        }
    }
}
