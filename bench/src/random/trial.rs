//! One pair after another: checked, timed beside copies, and planned many times.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;
use tilewright_relayout::{Description, Plan, Route, RunOptions, Threads};

use super::check;
use super::pair::Pair;
use crate::contest::{self, Contestant, Local, Outcome, Rules, Verdict};
use crate::copies;
use crate::definition;
use crate::measure::{Measure, Work};
use crate::memory::Buffers;
use crate::peers::{self, OURS, STREAMING};
use crate::session::plan_seconds;

/// From so many bytes on, a pair is one of large arrays.
const LARGE: usize = 16 << 20;

/// A pair that was measured.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) family: &'static str,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) src_bytes: usize,
    pub(crate) dst_bytes: usize,
    /// How the plan goes, in short.
    pub(crate) way: String,
    #[serde(flatten)]
    pub(crate) verdict: PairVerdict,
}

/// What became of a pair.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum PairVerdict {
    Timed(Figures),
    /// The output is not what it is defined to be; it was not timed.
    Wrong {
        wrong: bool,
    },
    /// It could not be planned or run, in the engine's words.
    Refused {
        refused: String,
    },
}

/// How fast a pair was.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Figures {
    /// The speed relative to the faster of a memcpy and a streaming copy of the larger side.
    pub(crate) of_best_copy: f64,
    /// 10⁹ bytes read and written in a second.
    pub(crate) gbps: f64,
    pub(crate) plan_us: f64,
    /// How many times as long it takes to a destination that begins off a line, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) off_line: Option<f64>,
}

impl Measured {
    pub(crate) fn larger_bytes(&self) -> usize {
        self.src_bytes.max(self.dst_bytes)
    }

    pub(crate) fn is_large(&self) -> bool {
        self.larger_bytes() >= LARGE
    }

    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self.verdict, PairVerdict::Wrong { .. })
    }

    /// The figures, if its output was right.
    pub(crate) fn figures(&self) -> Option<Figures> {
        match self.verdict {
            PairVerdict::Timed(figures) => Some(figures),
            _ => None,
        }
    }

    /// Why there are no figures.
    pub(crate) fn failure(&self) -> Option<String> {
        match &self.verdict {
            PairVerdict::Timed(_) => None,
            PairVerdict::Wrong { .. } => Some("WRONG".to_owned()),
            PairVerdict::Refused { refused } => Some(format!("refused, {refused}")),
        }
    }

    /// A line to follow the progress by.
    pub(super) fn summary(&self) -> String {
        let Measured { from, to, .. } = self;
        let outcome = match self.figures() {
            Some(Figures { of_best_copy, gbps, plan_us, off_line }) => {
                let off =
                    off_line.map_or(String::new(), |times| format!("off a line x {times:.2} "));
                format!("{of_best_copy:5.2} {gbps:6.1} GB/s {plan_us:6.1} us {off}")
            }
            None => self.failure().unwrap_or_default(),
        };
        format!("{outcome} {from} -> {to}")
    }
}

/// The memory that all pairs are measured in.
pub(super) struct Bench {
    buffers: Buffers,
    /// How many bytes behind a line a second destination begins, if there is one.
    off: usize,
}

/// What the same plan is called to that destination.
const OFF_LINE: &str = "off a line";

impl Bench {
    /// For pairs whose larger side has so many bytes at most. The source is filled once: what it
    /// holds is arbitrary bits, whoever reads them.
    pub(super) fn with_room(bytes: usize, off: usize) -> Result<Self> {
        let mut buffers = Buffers::new(bytes, bytes)?;
        definition::fill(buffers.src_mut(), 0xff);
        Ok(Bench { buffers, off })
    }

    /// Checks and times a pair on one thread.
    pub(super) fn measure(&mut self, pair: &Pair) -> Result<Measured> {
        let [from, to] = &pair.sides;
        let (way, verdict) = match Plan::new(from, to) {
            Ok(plan) => (way(&plan.describe()), self.timed(pair, &plan)?),
            Err(error) => (String::new(), PairVerdict::Refused { refused: error.to_string() }),
        };
        Ok(Measured {
            family: pair.family,
            from: pair.texts[0].clone(),
            to: pair.texts[1].clone(),
            src_bytes: from.bytes(),
            dst_bytes: to.bytes(),
            way,
            verdict,
        })
    }

    fn timed(&mut self, pair: &Pair, plan: &Plan) -> Result<PairVerdict> {
        let [from, to] = &pair.sides;
        let outcome = self.contest(pair, plan)?;
        let off_line = match verdict(&outcome, OFF_LINE) {
            Some(Verdict::Timed(timing)) => Some(timing.relative.median),
            Some(Verdict::Failed(words)) => {
                return Ok(PairVerdict::Refused { refused: words.clone() });
            }
            Some(Verdict::Wrong) => return Ok(PairVerdict::Wrong { wrong: true }),
            None => None,
        };
        Ok(match verdict(&outcome, OURS) {
            Some(Verdict::Timed(timing)) => PairVerdict::Timed(Figures {
                // Both are relative to a memcpy.
                of_best_copy: timing.relative.median / best_copy(&outcome),
                gbps: (from.bytes() + to.bytes()) as f64 / timing.seconds / 1e9,
                plan_us: plan_seconds(from, to)? * 1e6,
                off_line: off_line.map(|relative| timing.relative.median / relative),
            }),
            Some(Verdict::Failed(words)) => PairVerdict::Refused { refused: words.clone() },
            Some(Verdict::Wrong) | None => PairVerdict::Wrong { wrong: true },
        })
    }

    /// The plan between copies of the larger side.
    fn contest(&mut self, pair: &Pair, plan: &Plan) -> Result<Outcome> {
        self.buffers.lend(pair.sides[0].bytes(), pair.sides[1].bytes())?;
        let options = RunOptions { threads: Threads::Current, ..RunOptions::default() };
        let run = |src: &[u8], dst: &mut [u8]| Ok(plan.run(src, dst, &options)?);
        let streaming = Measure { work: Work::Copy(copies::streaming), threads: 1 };
        let mut contestants = vec![
            Contestant::new(OURS, vec![Local::form("", run)]),
            Contestant::new(STREAMING, vec![Box::new(streaming)]),
        ];
        if self.off > 0 {
            let off = Local::off_line("", self.off, run);
            contestants.push(Contestant::new(OFF_LINE, vec![off]));
        }
        let is_right =
            |buffers: &Buffers| check::is_relayout(buffers.src(), buffers.dst(), &pair.sides);
        let (rules, mut memcpy) = (rules(pair.larger_bytes()), peers::memcpy(1));
        contest::hold(rules, &mut memcpy, contestants, &mut self.buffers, &is_right)
    }
}

fn verdict<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a Verdict> {
    outcome.verdicts.iter().find(|(of, _)| of == name).map(|(_, verdict)| verdict)
}

/// The speed of the faster copy, where that of memcpy is 1.
fn best_copy(outcome: &Outcome) -> f64 {
    match verdict(outcome, STREAMING) {
        Some(Verdict::Timed(timing)) => timing.relative.median.max(1.0),
        _ => 1.0,
    }
}

/// Who is many times as slow as a copy takes part once: how many times need not be known exactly.
fn rules(bytes: usize) -> Rules {
    let (rounds, millis) = if bytes >= LARGE { (5, 400) } else { (9, 100) };
    Rules { threads: 1, rounds, budget: Duration::from_millis(millis), fewest_rounds: 1 }
}

/// How a plan goes: its boxes, and the kernel of the largest.
fn way(description: &Description) -> String {
    let largest = description.boxes.iter().max_by_key(|it| it.elements);
    match (description.route, largest) {
        (Route::Boxes, Some(largest)) => {
            let (count, kernel) = (description.boxes.len(), largest.kernel.name());
            let plural = if count == 1 { "box" } else { "boxes" };
            format!("{count} {plural}, {kernel} of {} bits", largest.unit_bits)
        }
        (Route::Boxes, None) => "no boxes".to_owned(),
        (Route::Through, _) => "through rows".to_owned(),
        (route, _) => route.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::{Spread, Timing};

    fn measured(from: &str, to: &str) -> Measured {
        let pair = Pair::named([from.to_owned(), to.to_owned()]).unwrap();
        Bench::with_room(pair.larger_bytes(), 16).unwrap().measure(&pair).unwrap()
    }

    #[test]
    fn a_pair_is_measured() {
        let measured = measured("f32[64,256]", "f32[64,256]{1,0:T(8,128)}");
        let figures = measured.figures().unwrap();
        assert!(figures.of_best_copy > 0.0 && figures.gbps > 0.0 && figures.plan_us > 0.0);
        assert!(figures.off_line.is_some_and(|times| times > 0.0));
        assert!(measured.way.starts_with("1 box, runs of "), "{}", measured.way);
        assert!(!measured.is_large());
    }

    #[test]
    fn what_cannot_be_planned_is_refused() {
        let measured = measured("f32[4,8]", "f32 (4,8):(0,1)");
        assert!(!measured.is_wrong() && measured.figures().is_none());
        assert!(measured.summary().ends_with("f32[4,8] -> f32 (4,8):(0,1)"));
    }

    #[test]
    fn the_best_copy_is_the_faster_one() {
        let of = |relative: f64| {
            let relative = Spread { low: relative, median: relative, high: relative };
            let timing = Timing { seconds: 1.0, relative, form: String::new() };
            let verdicts = vec![(STREAMING.to_owned(), Verdict::Timed(timing))];
            best_copy(&Outcome { memcpy_seconds: 1.0, verdicts })
        };
        assert_eq!((of(0.5), of(1.5)), (1.0, 1.5));
    }
}
