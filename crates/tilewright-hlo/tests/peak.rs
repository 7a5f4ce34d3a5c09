//! What is in memory at the peak, against the compiler's own live ranges of real programs.
//!
//! `tests/data/memory` holds scheduled modules that the TPU compiler made, and beside each what it said of
//! their memory: `cargo xtask oracle hlo-memory` makes them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tilewright_hlo::{CompilerReports, Dump, Report};

/// What the compiler says of a program: the peak of each memory space, and its sums.
struct Said {
    name: String,
    module: String,
    peaks: BTreeMap<i64, i64>,
    sums: BTreeMap<String, i64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/memory")
}

fn programs() -> Vec<Said> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(name) = name.strip_suffix(".live.tsv") else { continue };
        let (mut peaks, mut sums) = (BTreeMap::new(), BTreeMap::new());
        for line in fs::read_to_string(&path).unwrap().lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["peak", space, bytes, ..] => {
                    peaks.insert(space.parse().unwrap(), bytes.parse().unwrap());
                }
                ["analysis", sum, bytes] => {
                    sums.insert(sum.to_owned(), bytes.parse().unwrap());
                }
                _ => {}
            }
        }
        let module = fs::read_to_string(folder().join(format!("{name}.hlo"))).unwrap();
        all.push(Said { name: name.to_owned(), module, peaks, sums });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// What sums may differ by: the tables of pointers that tuples are, which are no arrays, and scalars.
const SLACK: i64 = 16 << 10;

#[test]
fn peaks_are_within_the_range() {
    let (mut n, mut n_exact) = (0, 0);
    for said in programs().iter().filter(|said| !said.peaks.is_empty()) {
        let report = Report::of(&Dump::read(&said.module));
        let peaks = report.peak.unwrap();
        for (space, name) in [(0, "hbm"), (1, "vmem"), (5, "host")] {
            let ours = peaks.iter().find(|peak| peak.space == name);
            let (bytes, shared) = ours.map_or((0, 0), |peak| (peak.bytes, peak.bytes_shared));
            let theirs = said.peaks.get(&space).copied().unwrap_or(0);
            let slack = SLACK + theirs / 1000;
            let is_within = shared - slack <= theirs && theirs <= bytes + slack;
            assert!(is_within, "{} {name}: {shared} to {bytes}, not {theirs}", said.name);
            if theirs > 0 {
                n += 1;
                n_exact += i32::from((shared - theirs).abs() <= slack);
            }
            // What is alive is what the sum is of.
            let sum = ours.map_or(0, |peak| peak.alive.iter().map(|buffer| buffer.bytes).sum());
            assert_eq!(sum, bytes, "{} {name}", said.name);
        }
    }
    assert!(n >= 50 && n_exact * 10 >= n * 9, "{n_exact} of {n}");
}

#[test]
fn arguments_results_and_donations_are_the_compilers() {
    for said in programs().iter().filter(|said| !said.sums.is_empty()) {
        let totals = Report::of(&Dump::read(&said.module)).totals;
        let sum = |name: &str| said.sums[name];
        assert_eq!(totals.parameters.bytes, sum("argument_size_in_bytes"), "{}", said.name);
        assert_eq!(totals.aliases.bytes, sum("alias_size_in_bytes"), "{}", said.name);
        assert_eq!(
            totals.host_parameters.bytes,
            sum("host_argument_size_in_bytes"),
            "{}",
            said.name
        );
        assert_eq!(totals.host_aliases.bytes, sum("host_alias_size_in_bytes"), "{}", said.name);
        // The result has a table of pointers besides, if it is a tuple.
        let table = sum("output_size_in_bytes") - totals.outputs.bytes;
        assert!((0..=512).contains(&table), "{}: {table}", said.name);
    }
}

/// Three programs that do not fit: what is named first is what has to change, and where it is written.
#[test]
fn culprits_come_first() {
    let report = |name: &str| {
        let text = fs::read_to_string(folder().join(format!("oom-{name}.hlo"))).unwrap();
        Report::of(&Dump::read(&text))
    };
    // What a scan keeps of every layer's attention for the gradient.
    let softmax = report("softmax");
    let first = &softmax.peak.as_ref().unwrap()[0].alive[0];
    assert_eq!(
        (first.bytes, &*first.text),
        (24 << 30, "f32[24,16,4,2048,2048]{3,4,2,1,0:T(8,128)}")
    );
    // Not the line of the scan, which writes it: the one whose outcome it is.
    let source = first.source.as_ref().unwrap();
    let programs =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/oracle/hlo_memory_programs.py");
    let program = fs::read_to_string(programs).unwrap();
    let line = program.lines().nth(source.line as usize - 1).unwrap();
    assert!(line.contains("softmax"), "{source}: {line}");
    let peak = &softmax.peak.as_ref().unwrap()[0];
    assert!(first.for_gradient && peak.for_gradient > peak.bytes / 10 * 9);
    // Half as much in the type of the parameters.
    assert_eq!(first.narrower.as_ref().unwrap().bytes, 12 << 30);
    // A column, which is padded 128 times; what would mend it takes 128 times less.
    let column = report("padded-column");
    let first = &column.peak.as_ref().unwrap()[0].alive[0];
    let mended = first.hint.as_ref().unwrap().shape.as_ref().unwrap();
    assert_eq!((first.bytes, mended.bytes), (40 << 30, 320 << 20));
    // Caches that are given and given back, each twice in memory.
    let cache = report("cache");
    let saved: i64 = cache.donations.iter().take(2).map(|donation| donation.bytes).sum();
    assert_eq!((cache.need_of("hbm", 0).bytes >> 30, saved >> 30), (128, 64));
}

/// All loops of these programs say how often they run, and all bitcasts are what they claim to be.
#[test]
fn loops_and_bitcasts_are_understood() {
    for said in programs() {
        let report = Report::of(&Dump::read(&said.module));
        let moves = report.relayouts.iter().chain(&report.copies);
        let unknown: Vec<&str> =
            moves.filter(|m| m.executions.is_none()).map(|m| m.name.as_str()).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", said.name);
        let doubtful = report.bitcasts.iter().find(|bitcast| bitcast.holds != Some(true));
        assert_eq!(doubtful, None, "{}", said.name);
    }
}

/// The compiler's own reports, read beside the module: the same temporaries alive, loops and all, the same
/// arguments and results, and packed a little less tightly.
#[test]
fn the_compilers_own_count() {
    for name in ["decoder-scan", "mesh-2x2"] {
        let read = |report: &str| {
            let path = folder().join(name).join(format!("after_optimizations-{report}.txt"));
            Some(fs::read_to_string(path).unwrap())
        };
        let reports = CompilerReports {
            usage: read("memory-usage-report"),
            assignment: read("buffer-assignment"),
            live_ranges: read("live-range"),
        };
        let programs = programs();
        let said = programs.iter().find(|said| said.name == name).unwrap();
        let counted = reports.beside(&Report::of(&Dump::read(&said.module)));
        for (space, number) in [("hbm", 0), ("vmem", 1)] {
            let counted = counted.iter().find(|counted| counted.space == space).unwrap();
            let part = |name: &str| counted.parts.iter().find(|part| part.part == name);
            // As the oracle worked it out from the same files, and that counts what lies in the memory of
            // results too.
            let live = part("live").unwrap();
            assert!((live.compiler - said.peaks[&number]).abs() <= SLACK, "{name} {space}");
            assert!((live.bytes - live.compiler).abs() <= SLACK, "{name} {space}");
            for name in ["parameters", "outputs"] {
                assert!(
                    part(name).is_none_or(|part| part.bytes == part.compiler),
                    "{name} {space}"
                );
            }
            assert!(counted.only_compiler.is_empty() && counted.only_text.is_empty());
            assert!((counted.compiler - counted.bytes) * 500 < counted.compiler, "{name} {space}");
        }
    }
}
