//! A row of the report: one case on so many threads.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cases::Case;
use crate::contest::{Outcome, Timing, Verdict};
use crate::peers::{ALONE, OURS, OURS_FROM_PYTHON, Problem, READ, STREAMING};

/// One case on so many threads, as it is written to the JSON file.
///
/// Speeds are in GB/s, 10⁹ bytes read and written in a second. Fields that begin with `of_` are
/// ratios of speeds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) threads: usize,
    pub(crate) gbps: Option<f64>,
    /// To the faster of memcpy and a streaming copy of as many bytes.
    pub(crate) of_best_copy: Option<f64>,
    pub(crate) best_peer: Option<String>,
    pub(crate) of_best_peer: Option<f64>,
    /// The middle half of the rounds.
    pub(crate) of_best_copy_quartiles: Option<[f64; 2]>,
    pub(crate) from: String,
    pub(crate) to: String,
    /// Read and written by one relayout.
    pub(crate) bytes: usize,
    pub(crate) memcpy_gbps: f64,
    pub(crate) streaming_gbps: Option<f64>,
    pub(crate) best_copy_gbps: f64,
    pub(crate) plan_us: f64,
    /// The time that reading the larger side takes, to ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of_read: Option<f64>,
    /// Ours less that of a memcpy, for arrays of a few KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ns_over_copy: Option<f64>,
    /// The engine's speed as it is seen from Python, to its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_python: Option<f64>,
    /// To the slower of the two moves through rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of_slower_move: Option<f64>,
    pub(crate) peers: BTreeMap<String, Figure>,
}

/// What became of a peer.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Figure {
    Timed { gbps: f64, of_best_copy: f64, form: String },
    Wrong { wrong: bool },
    Failed { failed: String },
}

/// Arrays of up to so many bytes are measured for what a call costs.
const TINY: usize = 4096;

impl Row {
    pub(crate) fn new(
        case: &Case,
        problem: &Problem,
        threads: usize,
        plan_seconds: f64,
        outcome: &Outcome,
    ) -> Self {
        let scale = Scale::new(problem, outcome);
        let ours = timing(outcome, OURS);
        let peers = peers(outcome, scale);
        let best = best_peer(outcome);
        let [from, to] = &problem.shapes;
        let relative = |timing: &Timing| timing.relative.scaled(1.0 / scale.best_copy);
        Row {
            case: case.name.to_owned(),
            threads,
            gbps: ours.map(|ours| scale.gbps(ours)),
            of_best_copy: ours.map(|ours| relative(ours).median),
            best_peer: best.map(|(name, _)| name.to_owned()),
            of_best_peer: ours.zip(best).map(|(ours, (_, peer))| over(ours, peer)),
            of_best_copy_quartiles: ours.map(|ours| [relative(ours).low, relative(ours).high]),
            from: from.to_string(),
            to: to.to_string(),
            bytes: scale.bytes,
            memcpy_gbps: scale.memcpy_gbps,
            streaming_gbps: timing(outcome, STREAMING).map(|timing| scale.gbps(timing)),
            best_copy_gbps: scale.memcpy_gbps * scale.best_copy,
            plan_us: plan_seconds * 1e6,
            of_read: ours.zip(timing(outcome, READ)).map(|(ours, read)| {
                let sides = [problem.from.bytes(), problem.to.bytes()];
                let larger = sides.into_iter().max().unwrap_or_default();
                // Reading was timed on half of all bytes.
                over(ours, read) * larger as f64 / (scale.bytes as f64 / 2.0)
            }),
            ns_over_copy: (scale.bytes <= TINY)
                .then(|| ours.map(|ours| (ours.seconds - outcome.memcpy_seconds) * 1e9))
                .flatten(),
            from_python: timing(outcome, OURS_FROM_PYTHON)
                .zip(ours)
                .map(|(it, ours)| over(it, ours)),
            of_slower_move: None,
            peers,
        }
    }

    /// A line to follow the progress by.
    pub(crate) fn summary(&self) -> String {
        let Row { case, threads, .. } = self;
        let number = |figure: Option<f64>| figure.map_or("-".to_owned(), |it| format!("{it:.2}"));
        let (gbps, of_copy) = (number(self.gbps), number(self.of_best_copy));
        let peer = self.best_peer.as_deref().unwrap_or("any peer");
        let of_peer = number(self.of_best_peer);
        format!(
            "{case:10} x{threads}  {gbps:>7} GB/s  {of_copy:>5} of a copy  {of_peer:>6} x {peer}"
        )
    }

    /// Whether our own output was what it should be.
    pub(crate) fn is_right(&self) -> bool {
        self.gbps.is_some()
    }
}

/// From relative speeds to GB/s and to the best copy.
#[derive(Clone, Copy)]
struct Scale {
    bytes: usize,
    memcpy_gbps: f64,
    /// The best copy's speed, relative to memcpy.
    best_copy: f64,
}

impl Scale {
    fn new(problem: &Problem, outcome: &Outcome) -> Self {
        let bytes = problem.from.bytes() + problem.to.bytes();
        let copies = [STREAMING, ALONE].into_iter().filter_map(|name| timing(outcome, name));
        let relative = copies.map(|timing| timing.relative.median);
        Scale {
            bytes,
            memcpy_gbps: bytes as f64 / outcome.memcpy_seconds / 1e9,
            best_copy: relative.fold(1.0, f64::max),
        }
    }

    fn gbps(self, timing: &Timing) -> f64 {
        self.bytes as f64 / timing.seconds / 1e9
    }
}

/// How many times as fast the one is as the other, both compared with the copies around them.
fn over(one: &Timing, other: &Timing) -> f64 {
    one.relative.median / other.relative.median
}

fn timing<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a Timing> {
    outcome.verdicts.iter().find_map(|(of, verdict)| match verdict {
        Verdict::Timed(timing) if of == name => Some(timing),
        _ => None,
    })
}

fn is_peer(name: &str) -> bool {
    ![OURS, STREAMING, ALONE, READ].contains(&name)
}

fn best_peer(outcome: &Outcome) -> Option<(&str, &Timing)> {
    let timed = outcome.verdicts.iter().filter_map(|(name, verdict)| match verdict {
        Verdict::Timed(timing) if is_peer(name) && name != OURS_FROM_PYTHON => {
            Some((name.as_str(), timing))
        }
        _ => None,
    });
    timed.max_by(|(_, one), (_, other)| one.relative.median.total_cmp(&other.relative.median))
}

fn peers(outcome: &Outcome, scale: Scale) -> BTreeMap<String, Figure> {
    let peers = outcome.verdicts.iter().filter(|(name, _)| is_peer(name));
    let figure = |verdict: &Verdict| match verdict {
        Verdict::Timed(timing) => Figure::Timed {
            gbps: scale.gbps(timing),
            of_best_copy: timing.relative.median / scale.best_copy,
            form: timing.form.clone(),
        },
        Verdict::Wrong => Figure::Wrong { wrong: true },
        Verdict::Failed(words) => Figure::Failed { failed: words.clone() },
    };
    peers.map(|(name, verdict)| (name.clone(), figure(verdict))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{self, Size};
    use crate::contest::Spread;

    fn timed(name: &str, seconds: f64) -> (String, Verdict) {
        let relative = 1.0 / seconds;
        let relative = Spread { low: relative, median: relative, high: relative };
        let timing = Timing { seconds, relative, form: String::new() };
        (name.to_owned(), Verdict::Timed(timing))
    }

    fn row(case: &str, verdicts: Vec<(String, Verdict)>) -> Row {
        let case = cases::chosen(&[case.to_owned()], Size::Full).unwrap()[0];
        let problem = Problem::new(case.shapes(Size::Full).unwrap()).unwrap();
        let outcome = Outcome { memcpy_seconds: 1.0, verdicts };
        Row::new(&case, &problem, 1, 1e-6, &outcome)
    }

    #[test]
    fn ratios_are_to_the_best() {
        // A memcpy takes 1 s, a streaming copy 0.5 s, we 0.8 s, and the better peer 2 s.
        let verdicts = vec![
            timed(OURS, 0.8),
            timed(STREAMING, 0.5),
            timed("onednn", 2.0),
            timed("numpy", 4.0),
            ("torch".to_owned(), Verdict::Wrong),
        ];
        let row = row("A", verdicts);
        let close = |figure: Option<f64>, to: f64| (figure.unwrap() - to).abs() < 1e-9;
        assert!(close(row.of_best_copy, 0.625));
        assert_eq!(row.best_peer.as_deref(), Some("onednn"));
        assert!(close(row.of_best_peer, 2.5));
        // 256 MiB read and as many written, in 0.8 s.
        assert!(close(row.gbps, 2.0 * (256 << 20) as f64 / 0.8 / 1e9));
        assert!(matches!(row.peers["torch"], Figure::Wrong { .. }));
    }

    #[test]
    fn packing_is_compared_with_reading() {
        // 64 MiB of truth values to 8 MiB of bits: reading, timed on 36 MiB, takes 0.9 s, so the
        // larger side takes 1.6 s.
        let row = row("J", vec![timed(OURS, 3.2), timed(READ, 0.9)]);
        assert!((row.of_read.unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn wrong_output_of_ours_has_no_figures() {
        let row = row("A", vec![(OURS.to_owned(), Verdict::Wrong), timed("onednn", 2.0)]);
        assert!(!row.is_right());
        assert_eq!(row.of_best_peer, None);
    }
}
