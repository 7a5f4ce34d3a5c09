//! What the report says of programs that do not fit, put to use: each was changed as it says and compiled again,
//! and the compiler needs less by what was promised.
//!
//! `oom-NAME` and `mended-NAME` in `tests/data/memory` are such programs, and beside each module stand the
//! compiler's own figures: `cargo xtask oracle hlo-memory` makes them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use tilewright_hlo::{Alive, Dump, Permuted, Report, Traffic, Trial, hint};

/// What the report says of a program, and what the compiler says.
struct Program {
    report: Report,
    /// What the compiler needs of HBM: arguments, results and temporaries.
    total: i64,
    /// The bytes of each value in the compiler's buffer assignment.
    values: HashMap<String, i64>,
    /// Why it does not compile.
    error: Option<String>,
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/memory").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name).with_extension("hlo")).unwrap()
}

impl Program {
    fn named(name: &str) -> Self {
        let report = Report::of(&Dump::read(&text(name)));
        let mut program = Program { report, total: 0, values: HashMap::new(), error: None };
        for line in fs::read_to_string(path(name).with_extension("live.tsv")).unwrap().lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["report", "0", bytes] => program.total = bytes.parse().unwrap(),
                ["value", name, _, _, bytes, ..] => {
                    program.values.insert(name.to_owned(), bytes.parse().unwrap());
                }
                ["error", message] => program.error = Some(message.to_owned()),
                _ => {}
            }
        }
        program
    }

    /// What is alive in HBM at the peak, the largest first.
    fn alive(&self) -> &[Alive] {
        let peaks = self.report.peak.as_ref().unwrap();
        peaks.iter().find(|peak| peak.space == "hbm").map_or(&[], |peak| &peak.alive)
    }

    /// The bytes of what the scan over 24 layers saves for its gradient.
    fn saved_for_gradient(&self) -> i64 {
        self.alive().iter().filter(|b| b.text.contains("[24,")).map(|b| b.bytes).sum()
    }
}

/// The tables of pointers that tuples are, constants and scalars, which are other ones after a change.
const SLACK: i64 = 16 << 10;

#[track_caller]
fn check_saved(before: &Program, after: &Program, promised: i64, tolerance: i64) {
    let saved = before.total - after.total;
    assert!((saved - promised).abs() <= tolerance, "{promised} were promised, {saved} are saved");
}

/// A column `f32[83886080,1]`, which the format of a kernel pads 128 times: with its dimensions joined, the
/// compiler gives it what the hint says, and needs less by just that for each of the two.
#[test]
fn joined_dimensions_take_what_the_hint_says() {
    let [before, after] = ["oom-padded-column", "mended-padded-column"].map(Program::named);
    let alive = before.alive();
    let joined = |b: &Alive| b.hint.as_ref().unwrap().shape.as_ref().unwrap().bytes;
    assert_eq!((alive.len(), after.alive().len()), (2, 2));
    for (padded, mended) in alive.iter().zip(after.alive()) {
        assert_eq!(mended.bytes, joined(padded));
    }
    let kernel = "forward.1{}"; // the same instruction in both
    assert_eq!(before.values[kernel], alive[0].bytes);
    assert_eq!(after.values[kernel], joined(&alive[0]));
    let promised = alive.iter().map(|b| b.bytes - joined(b)).sum();
    check_saved(&before, &after, promised, SLACK);
    assert_eq!(after.error, None);
}

/// The other format that such a column could have: the module has it before the kernel, which takes only its own, so
/// that the copy from the one into the other is the culprit, and that format is no hint.
#[test]
fn a_kernel_does_not_take_the_format_of_the_hint() {
    let before = Program::named("oom-padded-column");
    let culprit = &before.alive()[0];
    let format = hint(&culprit.text.parse().unwrap(), &Permuted).unwrap().format.unwrap();
    let given = culprit.hint.as_ref().unwrap();
    assert_eq!((&given.format, culprit.kernel.as_deref()), (&None, Some("forward.1")));
    let copy = before.report.relayouts.iter().find(|copy| copy.name == culprit.name).unwrap();
    assert_eq!((&*copy.from, copy.bytes_read), (&*format.text, format.bytes));
    assert_eq!((&copy.to, culprit.until.as_str()), (&culprit.text, "forward.1"));
}

/// Caches that are given away: of old and new, only one is in memory.
#[test]
fn donations_save_what_they_say() {
    let [before, after] = ["oom-cache", "mended-cache"].map(Program::named);
    let promised = before.report.donations.iter().map(|donation| donation.bytes).sum();
    assert_eq!(promised, 64 << 30);
    check_saved(&before, &after, promised, SLACK);
    assert_eq!(after.report.totals.aliases.bytes, promised);
    assert_eq!((after.report.donations.len(), after.error), (0, None));
}

/// Caches that are given away, and that the loop wants in another format: in that, nothing is copied, not on the way
/// in and not on the way out, and what is given away still is.
#[test]
fn formats_save_what_they_say() {
    let [before, after] = ["cache-in-place", "cache-assigned"].map(Program::named);
    let tried =
        Trial { is_assigned: true, ..Trial::default() }.on(&text("cache-in-place")).unwrap();
    for format in &tried.formats {
        let given = after.report.parameters.iter().find(|p| p.name == format.parameter).unwrap();
        assert_eq!(given.text, format.after);
    }
    assert_eq!(tried.formats.iter().filter(|format| format.output.is_some()).count(), 2);
    assert_eq!(after.report.totals.aliases.bytes, before.report.totals.aliases.bytes);
    let hbm = tried.spaces.iter().find(|space| space.space == "hbm").unwrap();
    // What lies between the compiler's buffers goes with them.
    check_saved(&before, &after, hbm.before.bytes - hbm.after.bytes, 256 << 10);
    let moved = |traffic: Traffic| traffic.bytes_read + traffic.bytes_written;
    assert_eq!(tried.relayouts.before, before.report.totals.relayouts);
    assert!(moved(after.report.totals.relayouts) <= moved(tried.relayouts.after));
}

/// Weights whose gradients have their formats. The compiler was asked to take each into the memory of the other: it
/// needs as much as before where the weights are read after the gradient is begun, as a scan does, and
/// says 2 MiB less of the loop whose gradients are written at the end.
#[test]
fn donations_that_save_nothing_are_not_proposed() {
    for (name, saved) in
        [("mended-layers", 0), ("decoder-scan", 0), ("recurrent-gradient", 2 << 20)]
    {
        let report = Program::named(name).report;
        let promised: i64 = report.donations.iter().map(|donation| donation.bytes).sum();
        assert!((promised - saved).abs() <= SLACK, "{name}: {promised}");
    }
}

/// The largest of what the scan saves, which the report names first, is saved no longer. The peak moves from a
/// layer's forward pass, with one array of its scores in f32, into its backward pass, with four in bf16: one of
/// the 24 parts of the culprit is back, and the tolerance is two.
#[test]
fn what_is_saved_no_longer_is_not_needed() {
    let [before, after] = ["oom-softmax", "mended-softmax"].map(Program::named);
    let culprit = &before.alive()[0];
    let of_layer = culprit.bytes / 24;
    check_saved(&before, &after, culprit.bytes, 2 * of_layer);
    // The sums of its rows go with it.
    let less = before.saved_for_gradient() - after.saved_for_gradient();
    assert!((culprit.bytes..culprit.bytes + of_layer / 10).contains(&less), "{less}");
    assert!(before.values.values().any(|&bytes| bytes == culprit.bytes));
    assert!(after.values.values().all(|&bytes| bytes <= culprit.bytes / 2));
}

/// Nothing is saved but the input of each layer: then it fits. Here too the peak moves into a backward pass.
#[test]
fn layers_that_save_their_input_alone_fit() {
    let [before, after] = ["oom-softmax", "mended-layers"].map(Program::named);
    let promised = before.saved_for_gradient() - after.saved_for_gradient();
    check_saved(&before, &after, promised, 2 * before.alive()[0].bytes / 24);
    assert_eq!((after.saved_for_gradient(), after.error), (24 * 16 * 2048 * 512 * 2, None));
}

/// What the message calls the HLO temporaries are arguments and results too, and what the report says is
/// needed comes within half a percent.
#[test]
fn the_message_says_what_is_needed() {
    let names = ["oom-softmax", "oom-padded-column", "oom-cache", "mended-softmax"];
    for (name, program) in names.map(|name| (name, Program::named(name))) {
        let message = program.error.unwrap();
        let figure = format!("temporaries ({:.2}G)", program.total as f64 / f64::from(1 << 30));
        assert!(message.contains(&figure), "{name}: {figure} in {message}");
        let need = program.report.need_of("hbm", 0).bytes;
        assert!((need - program.total).abs() <= program.total / 200, "{name}: {need}");
    }
}
