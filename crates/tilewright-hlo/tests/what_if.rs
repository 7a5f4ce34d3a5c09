//! What if: small modules worked out by hand, and real ones.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use tilewright_hlo::{Dump, Report, Trial, Tried};

const ROWS: &str = "f32[64,256]{1,0:T(8,128)}"; // 64 KiB
const COLUMNS: &str = "f32[64,256]{0,1:T(8,128)}"; // 128 KiB

const KIB: i64 = 1 << 10;

fn module(header: &str, instructions: &str) -> String {
    format!("HloModule m, is_scheduled=true{header}\n\nENTRY e {{\n{instructions}}}\n")
}

fn format(parameter: &str, format: &str) -> Trial {
    Trial { formats: vec![(parameter.to_owned(), format.to_owned())], ..Trial::default() }
}

/// What is needed of the device's memory, before and after.
fn hbm(tried: &Tried) -> (i64, i64) {
    let space = tried.spaces.iter().find(|space| space.space == "hbm").unwrap();
    (space.before.bytes, space.after.bytes)
}

/// The instructions of the changed text, which makes no more bitcasts that are none than the one there was.
#[track_caller]
fn changed(trial: &Trial, text: &str) -> Vec<String> {
    let (after, ..) = trial.applied(text).unwrap();
    let reports = [text, &after].map(|text| Report::of(&Dump::read(text)));
    assert_eq!(reports[1].findings, reports[0].findings, "{after}");
    let unconfirmed =
        |report: &Report| report.totals.bitcasts.count - report.totals.bitcasts.confirmed;
    assert!(unconfirmed(&reports[1]) <= unconfirmed(&reports[0]), "{after}");
    after.lines().filter(|line| line.starts_with("  ")).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_copy_into_the_format_is_gone() {
    let text = module(
        "",
        &format!(
            "  p = {COLUMNS} parameter(0)\n  c = {ROWS} copy({COLUMNS} p)\n  ROOT n = {ROWS} negate(c)\n"
        ),
    );
    let trial = format("p", "{1,0:T(8,128)}");
    assert_eq!(
        changed(&trial, &text),
        [
            format!("p = {ROWS} parameter(0)"),
            format!("c = {ROWS} bitcast({ROWS} %p)"),
            format!("ROOT n = {ROWS} negate(c)")
        ]
    );
    assert_eq!(hbm(&trial.on(&text).unwrap()), ((128 + 64 + 64) * KIB, (64 + 64) * KIB));
}

#[test]
fn a_use_as_it_was_is_a_copy_more() {
    let text = module(
        "",
        &format!(
            "  p = {ROWS} parameter(0)\n  n = {ROWS} negate(p)\n  m = {ROWS} add(p, n)\n  \
             ROOT r = {ROWS} negate(m)\n"
        ),
    );
    let trial = format("p", "{0,1:T(8,128)}");
    let lines = changed(&trial, &text);
    assert_eq!(lines[1], format!("%what_if.1 = {ROWS} copy({COLUMNS} %p)"));
    assert_eq!(lines[3], format!("m = {ROWS} add({ROWS} %what_if.1, n)"));
    // Alive at once: the copy, n, and m; and with the parameter and the result.
    assert_eq!(hbm(&trial.on(&text).unwrap()), (4 * 64 * KIB, (128 + 4 * 64) * KIB));
}

#[test]
fn behind_what_moves_nothing_and_in_another_memory() {
    let fast = ROWS.replace('}', "S(1)}");
    let text = module(
        "",
        &format!(
            "  p = {COLUMNS} parameter(0)\n  b = f32[256,64]{{1,0:T(8,128)}} bitcast(p)\n  \
             s = ({fast}, {COLUMNS}, u32[]) copy-start(p)\n  d = {fast} copy-done(s)\n  \
             t = {ROWS} transpose(b), dimensions={{1,0}}\n  ROOT a = {ROWS} add(t, d)\n"
        ),
    );
    let trial = format("p", ROWS);
    let lines = changed(&trial, &text);
    assert_eq!(
        lines[1..5],
        [
            format!("%what_if.1 = {ROWS} bitcast({ROWS} %p)"),
            format!("s = ({fast}, {ROWS}, u32[]) copy-start({ROWS} %what_if.1)"),
            format!("d = {fast} copy-done(s)"),
            format!("t = {ROWS} bitcast({ROWS} %p), dimensions={{1,0}}"),
        ]
    );
}

#[test]
fn a_donated_parameter_keeps_its_result() {
    // The result is made in the format, and copied out of it again.
    let header = ", input_output_alias={ {0}: (0, {}, may-alias) }";
    let instructions = format!(
        "  p = {COLUMNS} parameter(0)\n  c = {ROWS} copy(p)\n  n = {ROWS} negate(c)\n  \
         o = {COLUMNS} copy(n)\n  ROOT t = ({COLUMNS}, {ROWS}) tuple(o, n)\n"
    );
    let text = module(header, &instructions);
    let trial = format("p", "{1,0:T(8,128)}");
    assert_eq!(
        changed(&trial, &text)[3..],
        [
            format!("o = {ROWS} bitcast(n)"),
            format!("ROOT t = ({ROWS}, {ROWS}) tuple({ROWS} %o, n)")
        ]
    );
    let tried = trial.on(&text).unwrap();
    assert_eq!(tried.formats[0].output.as_deref(), Some("t{0}"));
    let aliases = tried.spaces[0].after.aliases;
    assert_eq!((tried.spaces[0].before.aliases, aliases), (128 * KIB, 64 * KIB));
    // Made as it was, it is copied into the format.
    let text = text.replace(
        "o = f32[64,256]{0,1:T(8,128)} copy(n)",
        "o = f32[64,256]{0,1:T(8,128)} exponential(p)",
    );
    let lines = changed(&trial, &text);
    assert_eq!(lines[3], format!("%what_if.1 = {COLUMNS} copy({ROWS} %p)"));
    assert_eq!(lines[5], format!("%what_if.2 = {ROWS} copy({COLUMNS} %o)"));
    // A root that is no tuple.
    let text = module(
        ", input_output_alias={ {}: (0, {}, may-alias) }",
        &format!("  p = {ROWS} parameter(0)\n  ROOT n = {ROWS} negate(p)\n"),
    );
    let lines = changed(&format("p", "{0,1:T(8,128)}"), &text);
    assert_eq!(
        lines[2..],
        [
            format!("n = {ROWS} negate({ROWS} %what_if.1)"),
            format!("ROOT %what_if.2 = {COLUMNS} copy({ROWS} %n)")
        ]
    );
}

#[test]
fn a_parameter_that_is_returned() {
    let text = module(
        ", input_output_alias={ {1}: (0, {}, may-alias) }",
        &format!(
            "  p = {ROWS} parameter(0)\n  n = {ROWS} negate(p)\n  ROOT t = ({ROWS}, {ROWS}) tuple(n, p)\n"
        ),
    );
    let lines = changed(&format("0", "{0,1:T(8,128)}"), &text);
    assert_eq!(lines[3], format!("ROOT t = ({ROWS}, {COLUMNS}) tuple(n, {COLUMNS} %p)"));
    let text = module("", &format!("  ROOT p = {ROWS} parameter(0)\n"));
    let report = Report::of(&Dump::read(&format("p", "{0,1}").applied(&text).unwrap().0));
    assert_eq!(&*report.parameters[0].text, "f32[64,256]{0,1}");
}

#[test]
fn arrays_of_a_tuple() {
    let text = module(
        "",
        &format!(
            "  p = ({COLUMNS}, {ROWS}) parameter(0)\n  g = {COLUMNS} get-tuple-element(p), index=0\n  \
             c = {ROWS} copy(g)\n  ROOT n = {ROWS} negate(c)\n"
        ),
    );
    let lines = changed(&format("p{0}", "{1,0:T(8,128)}"), &text);
    assert_eq!(lines[0], format!("p = ({ROWS}, {ROWS}) parameter(0)"));
    assert_eq!(lines[2], format!("c = {ROWS} bitcast({ROWS} %g)"));
}

#[test]
fn donations() {
    let text = module(
        "",
        &format!(
            "  p = {ROWS} parameter(0), metadata={{op_name=\"w[\\'a\\']\"}}\n  q = {ROWS} parameter(1)\n  \
             n = {ROWS} add(p, q)\n  m = {ROWS} negate(q)\n  ROOT t = ({ROWS}, {ROWS}) tuple(n, m)\n"
        ),
    );
    for name in ["p", "%p", "0", "w['a']"] {
        let trial = Trial { donations: vec![name.to_owned()], ..Trial::default() };
        let tried = trial.on(&text).unwrap();
        assert_eq!(hbm(&tried), (4 * 64 * KIB, 3 * 64 * KIB), "{name}");
        // Once more, where one is donated already.
        let (text, ..) = trial.applied(&text).unwrap();
        assert!(trial.on(&text).unwrap_err().to_string().contains("donated already"));
        let rest = Trial { is_all_donated: true, ..Trial::default() }.on(&text).unwrap();
        assert_eq!(hbm(&rest), (3 * 64 * KIB, 2 * 64 * KIB));
    }
}

#[test]
fn donations_that_save_nothing() {
    // The parameter is read after the result that could take its memory is written.
    let text = module(
        "",
        &format!(
            "  p = {ROWS} parameter(0)\n  n = {ROWS} dot(p, p)\n  ROOT t = ({ROWS}) tuple(n)\n"
        ),
    );
    let donations = vec!["p".to_owned()];
    let error = Trial { donations, ..Trial::default() }.on(&text).unwrap_err().to_string();
    assert!(error.contains("saves nothing"), "{error}");
    assert!(Report::of(&Dump::read(&text)).donations.is_empty());
    let text = text.replace("dot(p, p)", "negate(p)");
    assert_eq!(Report::of(&Dump::read(&text)).donations[0].bytes, 64 * KIB);
}

#[test]
fn what_cannot_be_tried() {
    let text = module("", &format!("  p = {ROWS} parameter(0)\n  ROOT n = f32[2]{{0}} foo(p)\n"));
    let why = |trial: Trial| trial.on(&text).unwrap_err().to_string();
    assert_eq!(why(format("x", "{0,1}")), "no parameter `x`: they are p");
    assert!(why(format("p", "f32[64,255]{0,1}")).contains("`p` is f32[64,256]"));
    assert!(why(format("p", "{0,1")).starts_with("`{0,1` is no format of `p`"));
    assert!(why(format("p", "{0,1,2}")).starts_with("`{0,1,2}` is no format of `p`"));
    let donations = vec!["p".to_owned()];
    let donated = why(Trial { donations, ..Trial::default() });
    assert!(donated.contains("no result without a donor is f32[64,256]"), "{donated}");
    let all = Trial { is_assigned: true, is_all_donated: true, ..Trial::default() };
    assert_eq!(all.on("").unwrap_err().to_string(), "no HLO module");
}

#[test]
fn real_programs_with_their_best_formats() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/memory");
    let (mut n, mut n_formats) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "hlo") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let trial = Trial { is_assigned: true, ..Trial::default() };
        changed(&trial, &text);
        let tried = trial.on(&text).unwrap();
        let (after, ..) = trial.applied(&text).unwrap();
        let [before, after] = [&text, &after].map(|text| Report::of(&Dump::read(text)));
        for format in &tried.formats {
            let parameter = after.parameters.iter().find(|p| p.name == format.parameter).unwrap();
            assert_eq!(parameter.text, format.after, "{}", path.display());
        }
        // What was donated is.
        assert_eq!(before.totals.aliases.count, after.totals.aliases.count, "{}", path.display());
        let [before, after] = [tried.relayouts.before, tried.relayouts.after];
        let moved = |t: tilewright_hlo::Traffic| t.bytes_read + t.bytes_written;
        assert!(moved(after) <= moved(before), "{}", path.display());
        (n, n_formats) = (n + 1, n_formats + tried.formats.len());
    }
    assert!(n >= 30 && n_formats >= 8, "{n} programs, {n_formats} formats");
}
