//! The contest: everybody moves the same bytes, round after round, each turn between two copies.
//!
//! On a shared or virtual machine the speed of memory changes from second to second. So every
//! turn is bracketed by a `memcpy` of as many bytes, and what is kept of it besides its time is
//! its speed relative to those two copies. Ratios between contestants are ratios of the medians
//! of that.

use std::time::Duration;

use anyhow::Result;

use crate::clock::Clock;
use crate::memory::Buffers;

/// Shorter turns than this are repeated, so that neither the clock nor a single interruption
/// counts.
const SHORTEST_TURN: Duration = Duration::from_micros(1200);

/// Turns longer than this are tried once only, before the contest.
const LONG_TURN: Duration = Duration::from_millis(30);

/// How long is waited before each turn of a contest between several threads, so that threads of
/// the last contestant that still spin go to sleep.
const SETTLE: Duration = Duration::from_millis(1);

/// One way in which a contestant does its work.
pub(crate) trait Form {
    /// What sets this form apart; empty where there is only one.
    fn name(&self) -> String;

    /// Does the work once and leaves the outcome in the destination.
    fn produce(&mut self, buffers: &mut Buffers) -> Result<()>;

    /// How long it takes to do the work so many times.
    fn time(&mut self, buffers: &mut Buffers, clock: Clock, repeats: u32) -> Result<Duration>;

    /// Whether what it leaves in the destination is a relayout, to be checked.
    fn is_relayout(&self) -> bool {
        true
    }
}

/// A form that runs in this process, from the source to the destination.
pub(crate) struct Local<'a> {
    name: String,
    /// How many bytes behind a line its destination begins.
    off: usize,
    work: Box<Work<'a>>,
}

/// What such a form does, given a source and a destination.
type Work<'a> = dyn FnMut(&[u8], &mut [u8]) -> Result<()> + 'a;

impl<'a> Local<'a> {
    pub(crate) fn form(
        name: &str,
        work: impl FnMut(&[u8], &mut [u8]) -> Result<()> + 'a,
    ) -> Box<dyn Form + 'a> {
        Self::off_line(name, 0, work)
    }

    /// The same to a destination that begins so many bytes behind a line.
    pub(crate) fn off_line(
        name: &str,
        off: usize,
        work: impl FnMut(&[u8], &mut [u8]) -> Result<()> + 'a,
    ) -> Box<dyn Form + 'a> {
        Box::new(Local { name: name.to_owned(), off, work: Box::new(work) })
    }
}

impl Form for Local<'_> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn produce(&mut self, buffers: &mut Buffers) -> Result<()> {
        let (src, dst) = buffers.both_from(self.off);
        (self.work)(src, dst)
    }

    fn time(&mut self, buffers: &mut Buffers, clock: Clock, repeats: u32) -> Result<Duration> {
        let (src, dst) = buffers.both_from(self.off);
        timed(clock, repeats, || (self.work)(src, dst))
    }
}

/// How long it takes to work so many times. Where it is more than once, the caches are warmed
/// first.
pub(crate) fn timed(
    clock: Clock,
    repeats: u32,
    mut work: impl FnMut() -> Result<()>,
) -> Result<Duration> {
    if repeats > 1 {
        work()?;
    }
    let (time, outcome) = clock.time(|| (0..repeats).try_for_each(|_| work()));
    outcome.map(|()| time)
}

/// Someone who moves bytes, in one or several ways of which the fastest counts.
pub(crate) struct Contestant<'a> {
    pub(crate) name: String,
    pub(crate) forms: Vec<Box<dyn Form + 'a>>,
}

impl<'a> Contestant<'a> {
    pub(crate) fn new(name: &str, forms: Vec<Box<dyn Form + 'a>>) -> Self {
        Contestant { name: name.to_owned(), forms }
    }
}

/// What became of a contestant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    Timed(Timing),
    /// Its output is not the relayout; it was not timed.
    Wrong,
    /// It could not do it, in its own words.
    Failed(String),
}

/// How fast a contestant was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timing {
    /// Of one relayout, the median over the rounds.
    pub(crate) seconds: f64,
    /// The speed, where that of the copies before and after is 1.
    pub(crate) relative: Spread,
    /// Which of its forms was the fastest.
    pub(crate) form: String,
}

/// The quartiles of some figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// The quartiles, each the nearest figure that was measured; of nothing, nothing.
    pub(crate) fn of(mut figures: Vec<f64>) -> Option<Spread> {
        figures.sort_unstable_by(f64::total_cmp);
        let last = figures.len().checked_sub(1)?;
        let at = |quarters: usize| figures[(last * quarters + 2) / 4];
        Some(Spread { low: at(1), median: at(2), high: at(3) })
    }

    pub(crate) fn scaled(self, factor: f64) -> Spread {
        let Spread { low, median, high } = self;
        Spread { low: low * factor, median: median * factor, high: high * factor }
    }
}

/// How a contest is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) threads: usize,
    pub(crate) rounds: usize,
    /// A contestant that would take longer than this in all sits out some rounds.
    pub(crate) budget: Duration,
    /// It takes part in at least this many, however slow it is.
    pub(crate) fewest_rounds: usize,
}

/// How a contest ended.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Of one copy, the median over all of them.
    pub(crate) memcpy_seconds: f64,
    /// By name, in the order in which they entered.
    pub(crate) verdicts: Vec<(String, Verdict)>,
}

/// Says whether the destination is what the relayout of the source is.
pub(crate) type Judge<'a> = &'a dyn Fn(&Buffers) -> Result<bool>;

/// Has everybody's output judged, then times whoever is right.
pub(crate) fn hold(
    rules: Rules,
    memcpy: &mut dyn Form,
    contestants: Vec<Contestant<'_>>,
    buffers: &mut Buffers,
    is_right: Judge<'_>,
) -> Result<Outcome> {
    let clock = Clock::of_threads(rules.threads);
    let mut copier = Copier::new(memcpy, buffers, clock)?;
    let mut runners = Vec::new();
    let mut verdicts = Vec::new();
    for contestant in contestants {
        let name = contestant.name.clone();
        match qualify(contestant, buffers, is_right, clock) {
            Ok(runner) => {
                verdicts.push((name, Verdict::Wrong));
                runners.push((verdicts.len() - 1, runner));
            }
            Err(verdict) => verdicts.push((name, verdict)),
        }
    }
    for round in 0..rules.rounds {
        run_round(round, rules, &mut runners, &mut copier, buffers);
    }
    for (place, runner) in runners {
        verdicts[place].1 = runner.verdict();
    }
    let copies = Spread::of(copier.seconds);
    Ok(Outcome { memcpy_seconds: copies.map_or(f64::NAN, |copies| copies.median), verdicts })
}

/// Everybody's turn, each round beginning with another; a copy before and after each.
fn run_round(
    round: usize,
    rules: Rules,
    runners: &mut [(usize, Runner<'_>)],
    copier: &mut Copier<'_>,
    buffers: &mut Buffers,
) {
    let n_runners = runners.len();
    let mut before = copier.turn(buffers, rules);
    for turn in 0..n_runners {
        let runner = &mut runners[(turn + round) % n_runners].1;
        if !runner.takes_part(round, rules) {
            continue;
        }
        settle(rules);
        runner.turn(buffers, copier.clock);
        let after = copier.turn(buffers, rules);
        runner.compare(f64::midpoint(before, after));
        before = after;
    }
}

fn settle(rules: Rules) {
    if rules.threads > 1 {
        std::thread::sleep(SETTLE);
    }
}

/// Who makes the copies between turns.
struct Copier<'a> {
    form: &'a mut dyn Form,
    clock: Clock,
    repeats: u32,
    seconds: Vec<f64>,
}

impl<'a> Copier<'a> {
    fn new(form: &'a mut dyn Form, buffers: &mut Buffers, clock: Clock) -> Result<Self> {
        form.produce(buffers)?;
        let repeats = repeats_of(form.time(buffers, clock, 1)?);
        Ok(Copier { form, clock, repeats, seconds: Vec::new() })
    }

    /// The seconds of one copy.
    fn turn(&mut self, buffers: &mut Buffers, rules: Rules) -> f64 {
        settle(rules);
        // A copy cannot fail; if it did, the figures would show it.
        let time = self.form.time(buffers, self.clock, self.repeats).unwrap_or_default();
        let seconds = time.as_secs_f64() / f64::from(self.repeats);
        self.seconds.push(seconds);
        seconds
    }
}

/// A contestant in its fastest form.
struct Runner<'a> {
    form: Box<dyn Form + 'a>,
    once: Duration,
    repeats: u32,
    seconds: Vec<f64>,
    relative: Vec<f64>,
    failure: Option<String>,
}

/// The fastest of a contestant's forms whose output is right.
fn qualify<'a>(
    contestant: Contestant<'a>,
    buffers: &mut Buffers,
    is_right: Judge<'_>,
    clock: Clock,
) -> Result<Runner<'a>, Verdict> {
    let mut best: Option<Runner<'a>> = None;
    let mut verdict = Verdict::Failed("has no form for this".to_owned());
    for mut form in contestant.forms {
        match trial(form.as_mut(), buffers, is_right, clock) {
            Ok(Some(once)) if best.as_ref().is_none_or(|best| once < best.once) => {
                best = Some(Runner::new(form, once));
            }
            Ok(Some(_)) => (),
            Ok(None) => verdict = Verdict::Wrong,
            Err(error) => verdict = Verdict::Failed(format!("{error:#}")),
        }
    }
    best.ok_or(verdict)
}

/// How long a form takes once, if what it does is right.
fn trial(
    form: &mut dyn Form,
    buffers: &mut Buffers,
    is_right: Judge<'_>,
    clock: Clock,
) -> Result<Option<Duration>> {
    // What the last contestant left is right, too; so it must not be left.
    buffers.both().1.fill(0xa5);
    form.produce(buffers)?;
    if form.is_relayout() && !is_right(buffers)? {
        return Ok(None);
    }
    let first = form.time(buffers, clock, 1)?;
    if first > LONG_TURN {
        return Ok(Some(first));
    }
    let repeats = repeats_of(first);
    let again = form.time(buffers, clock, repeats)? / repeats;
    Ok(Some(first.min(again)))
}

/// How often something that takes this long is done in one turn.
fn repeats_of(once: Duration) -> u32 {
    let times = SHORTEST_TURN.as_secs_f64() / once.as_secs_f64().max(1e-9);
    times.ceil().clamp(1.0, 1e6) as u32
}

impl<'a> Runner<'a> {
    fn new(form: Box<dyn Form + 'a>, once: Duration) -> Self {
        let repeats = repeats_of(once);
        Runner { form, once, repeats, seconds: vec![], relative: vec![], failure: None }
    }

    /// Whether it is in this round: in every one, unless that takes too long.
    fn takes_part(&self, round: usize, rules: Rules) -> bool {
        let affordable = rules.budget.as_secs_f64() / self.once.as_secs_f64().max(1e-9);
        let fewest = rules.fewest_rounds;
        let rounds = (affordable as usize).clamp(fewest, rules.rounds.max(fewest));
        let every = rules.rounds.div_ceil(rounds).max(1);
        self.failure.is_none() && round.is_multiple_of(every)
    }

    fn turn(&mut self, buffers: &mut Buffers, clock: Clock) {
        match self.form.time(buffers, clock, self.repeats) {
            Ok(time) => self.seconds.push(time.as_secs_f64() / f64::from(self.repeats)),
            Err(error) => self.failure = Some(format!("{error:#}")),
        }
    }

    /// Compares the last turn with the copies around it.
    fn compare(&mut self, copy_seconds: f64) {
        if self.failure.is_none() {
            self.relative.extend(self.seconds.last().map(|seconds| copy_seconds / seconds));
        }
    }

    fn verdict(self) -> Verdict {
        if let Some(failure) = self.failure {
            return Verdict::Failed(failure);
        }
        let form = self.form.name();
        match (Spread::of(self.seconds), Spread::of(self.relative)) {
            (Some(seconds), Some(relative)) => {
                Verdict::Timed(Timing { seconds: seconds.median, relative, form })
            }
            _ => Verdict::Failed("took part in no round".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Measure, Work};

    fn rules(rounds: usize) -> Rules {
        Rules { threads: 1, rounds, budget: Duration::from_secs(1), fewest_rounds: 3 }
    }

    fn copying(times: usize) -> Box<dyn Form> {
        Local::form("", move |src, dst| {
            (0..times).for_each(|_| crate::copies::memcpy(src, dst));
            Ok(())
        })
    }

    fn outcome(contestants: Vec<Contestant<'_>>) -> Vec<(String, Verdict)> {
        let mut buffers = Buffers::new(1 << 16, 1 << 16).unwrap();
        crate::definition::fill(buffers.src_mut(), 0xff);
        let expected = buffers.src().to_vec();
        let mut memcpy = Measure { work: Work::Copy(crate::copies::memcpy), threads: 1 };
        let is_right = |buffers: &Buffers| Ok(buffers.dst() == expected);
        hold(rules(5), &mut memcpy, contestants, &mut buffers, &is_right).unwrap().verdicts
    }

    #[test]
    fn quartiles() {
        let spread = Spread::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]).unwrap();
        assert_eq!(spread, Spread { low: 2.0, median: 3.0, high: 4.0 });
        assert_eq!(Spread::of(vec![7.0]).unwrap().high, 7.0);
        assert_eq!(Spread::of(vec![]), None);
    }

    #[test]
    fn whoever_does_the_work_four_times_is_four_times_as_slow() {
        let verdicts = outcome(vec![
            Contestant::new("once", vec![copying(1)]),
            Contestant::new("four times", vec![copying(4)]),
        ]);
        let relative = |place: usize| match &verdicts[place].1 {
            Verdict::Timed(timing) => timing.relative.median,
            other => panic!("{other:?}"),
        };
        let ratio = relative(0) / relative(1);
        assert!((2.0..8.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn wrong_output_is_not_timed() {
        let nothing = || Local::form("", |_, _| Ok(()));
        let last_byte = Local::form("", |src, dst| {
            crate::copies::memcpy(src, dst);
            dst[dst.len() - 1] ^= 1;
            Ok(())
        });
        let verdicts = outcome(vec![
            Contestant::new("right", vec![copying(1)]),
            Contestant::new("idle", vec![nothing()]),
            Contestant::new("one bit", vec![last_byte]),
            Contestant::new("one right form", vec![nothing(), copying(2)]),
        ]);
        let is_timed = |place: usize| matches!(verdicts[place].1, Verdict::Timed(_));
        assert_eq!([0, 1, 2, 3].map(is_timed), [true, false, false, true]);
        assert_eq!(verdicts[1].1, Verdict::Wrong);
    }

    #[test]
    fn the_slow_sit_out_rounds() {
        let runner = |millis| Runner::new(copying(1), Duration::from_millis(millis));
        let rounds_of = |millis| {
            let runner = runner(millis);
            (0..12).filter(|&round| runner.takes_part(round, rules(12))).count()
        };
        assert_eq!((rounds_of(10), rounds_of(170), rounds_of(5000)), (12, 4, 3));
    }
}
