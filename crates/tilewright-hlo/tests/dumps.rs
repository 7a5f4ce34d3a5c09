//! Real modules that the TPU compiler printed, against what the compiler says of them and against a
//! plain scan of their text.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tilewright_hlo::{Dump, Report};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// Every module in the data, by name: those after optimisation, or those before.
fn modules(before: bool) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(data()).unwrap().map(|entry| entry.unwrap().path());
    let modules = files.filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".hlo")?.to_owned();
        (name.ends_with(".before") == before)
            .then(|| (name, std::fs::read_to_string(path).unwrap()))
    });
    modules.collect()
}

/// What the compiler said its arguments take, by module.
fn argument_bytes() -> BTreeMap<String, i64> {
    let table = std::fs::read_to_string(data().join("argument-bytes.tsv")).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let (name, bytes) = row.split_once('\t').unwrap();
        (name.to_owned(), bytes.parse().unwrap())
    })
    .collect()
}

#[test]
fn parameters_take_what_the_compiler_says() {
    let said = argument_bytes();
    let modules = modules(false);
    assert!(modules.len() >= 6);
    assert_eq!(modules.keys().collect::<Vec<_>>(), said.keys().collect::<Vec<_>>());
    for (name, text) in modules {
        let report = Report::of(&Dump::read(&text));
        let sum: i64 = report.parameters.iter().map(|parameter| parameter.bytes).sum();
        assert_eq!(sum, said[&name], "{name}");
        assert_eq!(report.totals.parameters.bytes, sum, "{name}");
    }
}

#[test]
fn nothing_in_them_is_skipped() {
    for (name, text) in modules(false).into_iter().chain(modules(true)) {
        let dump = Dump::read(&text);
        assert!(dump.findings.is_empty(), "{name}: {}", dump.findings);
        assert_eq!(dump.lines_skipped, 0, "{name}");
        assert!(Report::of(&dump).findings.is_empty(), "{name}");
        // A line with ` = ` after its first word is an instruction, and only such a line is one.
        let instructions = text.lines().filter(|line| {
            let words: Vec<&str> = line.split_whitespace().take(3).collect();
            line.starts_with("  ")
                && (words[1..].first() == Some(&"=") || words.get(2) == Some(&"="))
        });
        assert_eq!(dump.module.unwrap().instructions.len(), instructions.count(), "{name}");
    }
}

#[test]
fn every_bitcast_is_confirmed() {
    let mut n = 0;
    for (name, text) in modules(false) {
        let report = Report::of(&Dump::read(&text));
        let bitcasts = report.bitcasts.iter().filter(|bitcast| &*bitcast.op == "bitcast");
        let found: BTreeSet<u32> = bitcasts.clone().map(|bitcast| bitcast.line).collect();
        let written: BTreeSet<u32> = (1..)
            .zip(text.lines())
            .filter(|(_, l)| l.contains(" bitcast("))
            .map(|(n, _)| n)
            .collect();
        assert_eq!(found, written, "{name}");
        for bitcast in bitcasts {
            assert_eq!(bitcast.holds, Some(true), "{name}: {bitcast:?}");
            n += 1;
        }
    }
    assert!(n > 100, "only {n} bitcasts");
}

/// The text between `key` and the space after it, where an instruction `%name = shape op(` is split.
fn definition(line: &str) -> Option<(&str, &str, &str)> {
    let line = line.trim_start().strip_prefix("ROOT ").unwrap_or(line.trim_start());
    let (name, rest) = line.strip_prefix('%')?.split_once(" = ")?;
    // In a tuple's text there are spaces; the operation is what stands before the first
    // parenthesis that follows a space and a word.
    let open = rest.match_indices('(').map(|(at, _)| at);
    let open = open.into_iter().find(|&at| {
        let before = &rest[..at];
        before
            .rsplit(' ')
            .next()
            .is_some_and(|w| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    })?;
    let (shape, opcode) = rest[..open].rsplit_once(' ')?;
    Some((name, shape, opcode))
}

/// A shape's text without its memory space, which is no part of the format.
fn without_memory(shape: &str) -> String {
    let Some((before, after)) = shape.split_once("S(") else { return shape.to_owned() };
    let (_, after) = after.split_once(')').unwrap();
    format!("{before}{after}").replace(":}", "}")
}

/// The lines of the copies whose operand and result formats are written differently.
fn copies_that_change_the_format(text: &str, opcode: &str) -> BTreeSet<u32> {
    let shapes: BTreeMap<&str, &str> =
        text.lines().filter_map(definition).map(|(name, shape, _)| (name, shape)).collect();
    let copies = (1..).zip(text.lines()).filter_map(|(number, line)| {
        let (_, shape, op) = definition(line)?;
        let (_, operand) = line.split_once(&format!(" {opcode}(%"))?;
        let from = shapes[operand.split(')').next()?];
        let to = shape.trim_start_matches('(').split(", ").next()?;
        (op == opcode && without_memory(from) != without_memory(to)).then_some(number)
    });
    copies.collect()
}

#[test]
fn every_copy_that_changes_the_format_is_found() {
    let mut n = 0;
    for (name, text) in modules(false) {
        let report = Report::of(&Dump::read(&text));
        for opcode in ["copy", "copy-start"] {
            let moves = report.relayouts.iter().filter(|movement| &*movement.op == opcode);
            let found: BTreeSet<u32> = moves.map(|movement| movement.line).collect();
            let written = copies_that_change_the_format(&text, opcode);
            assert_eq!(found, written, "{name}: {opcode}");
            n += found.len();
        }
    }
    assert!(n >= 15, "only {n} copies");
}

#[test]
fn every_other_copy_keeps_it() {
    for (name, text) in modules(false) {
        let report = Report::of(&Dump::read(&text));
        let counted = |opcode: &str, line: &str| line.contains(&format!(" {opcode}(%"));
        for opcode in ["copy", "copy-start"] {
            let all = text.lines().filter(|line| counted(opcode, line)).count();
            let lists = report.relayouts.iter().chain(&report.copies);
            let listed = lists.filter(|movement| &*movement.op == opcode).count();
            assert_eq!(listed, all, "{name}: {opcode}");
        }
    }
}

#[test]
fn modules_before_optimisation_have_no_padding() {
    for (name, text) in modules(true) {
        let report = Report::of(&Dump::read(&text));
        assert!(!report.parameters.is_empty() && !report.outputs.is_empty(), "{name}");
        assert_eq!(report.totals.buffers.padding_bytes, 0, "{name}");
        assert_eq!(report.relayouts, [], "{name}");
    }
}

#[test]
fn a_loops_body_writes_buffers_and_a_fusions_does_not() {
    let text = &modules(false)["transformer-forward"];
    let report = Report::of(&Dump::read(text));
    let (_, body) = text.split_once("body=%").unwrap();
    let body = body.split([',', ' ', '\n']).next().unwrap();
    assert!(report.buffers.iter().any(|buffer| &*buffer.computation == body));
    let fused = report.buffers.iter().find(|buffer| buffer.computation.contains("fused"));
    assert_eq!(fused, None);
}
