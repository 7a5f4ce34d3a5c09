//! The modules whose memory the compiler told: all of them is read, and their parameters take what
//! it says.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use tilewright_hlo::{Dump, Report};

/// The modules in the data, as paths.
fn modules() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/memory");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "hlo")).collect()
}

/// The bytes of the arguments on the chip and in the host's memory, or `None` of a program that
/// does not fit its chip.
fn argument_bytes(module: &Path) -> Option<i64> {
    let table = std::fs::read_to_string(module.with_extension("live.tsv")).unwrap();
    let fields = ["argument_size_in_bytes", "host_argument_size_in_bytes"];
    let of = |field| {
        let row = format!("analysis\t{field}\t");
        Some(table.lines().find_map(|line| line.strip_prefix(&row))?.parse::<i64>().unwrap())
    };
    fields.iter().map(of).sum()
}

#[test]
fn they_are_read_whole_and_their_parameters_take_what_the_compiler_says() {
    let modules = modules();
    let mut without = 0;
    for path in &modules {
        let text = std::fs::read_to_string(path).unwrap();
        let dump = Dump::read(&text);
        let report = Report::of(&dump);
        let name = path.display();
        assert_eq!(dump.lines_skipped, 0, "{name}");
        assert!(dump.findings.is_empty(), "{name}: {}", dump.findings);
        assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
        let sum: i64 = report.parameters.iter().map(|parameter| parameter.bytes).sum();
        match argument_bytes(path) {
            Some(said) => assert_eq!(sum, said, "{name}"),
            None => without += 1,
        }
    }
    assert_eq!((modules.len(), without), (38, 4));
}
