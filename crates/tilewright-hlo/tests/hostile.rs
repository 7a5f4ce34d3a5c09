//! Garbage, truncated and adversarial texts: an answer, whatever comes in.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use proptest::prelude::*;
use tilewright_hlo::{Assignment, Change, Dump, Report, Trial, decoded};

/// What every text must survive: reading, the report, the page, a difference, JSON.
fn survive(bytes: &[u8]) -> Report {
    let (text, _) = decoded(bytes);
    let dump = Dump::read(&text);
    let report = Report::of(&dump);
    assert!(report.findings.len() <= tilewright_hlo::MAX_FINDINGS);
    let assigned = Assignment::of(&dump);
    let totals = [assigned.totals.module, assigned.totals.best];
    let costs = totals.map(|cost| i128::from(cost.padding_bytes) + i128::from(cost.moved_bytes));
    assert!(costs[1] <= costs[0]);
    let sizes = [report.totals.parameters, report.totals.outputs, report.totals.buffers];
    assert!(sizes.iter().all(|size| size.bytes >= 0 && size.padding_bytes >= 0));
    // An answer or a reason, and a text that can be read.
    let trial = Trial { is_assigned: true, is_all_donated: true, ..Trial::default() };
    let tried = if text.len() < 1 << 16 { trial.applied(&text).ok() } else { None };
    if let Some((text, ..)) = tried {
        Dump::read(&text);
    }
    report
}

/// The same, of a text of megabytes: what is quadratic in it would not come to an end, and the name
/// would be the last that was said.
#[allow(clippy::print_stdout, reason = "the name of a case that does not end")]
fn survive_much(what: &str, text: &str) -> Report {
    println!("{what}");
    survive(text.as_bytes())
}

const N: usize = 1 << 20;

#[test]
fn texts_made_to_be_slow() {
    let inside = |body: &str| format!("HloModule m\nENTRY e {{\n{body}\n}}\n");
    let deep = "(".repeat(N);
    let cases = [
        ("nothing but parentheses", "(".repeat(N)),
        ("closing parentheses", ")".repeat(N)),
        ("braces", "{".repeat(N)),
        ("one line", "a".repeat(4 * N)),
        ("a deep tuple", inside(&format!("  a = {deep} add(b)"))),
        ("a deep tuple, closed", inside(&format!("  a = {deep}f32[]{} add(b)", ")".repeat(N)))),
        ("deep operands", inside(&format!("  a = f32[] add({deep}"))),
        ("deep attributes", inside(&format!("  a = f32[] fusion(b), calls={deep}"))),
        ("quotes", inside(&format!("  a = f32[] add(b), x={}", "\"".repeat(N | 1)))),
        ("open constants", inside(&"  a = f32[] constant({\n".repeat(N / 16))),
        (
            "an open constant",
            inside(&format!("  a = f32[] constant({{\n{}", "  {1, 2},\n".repeat(N / 8))),
        ),
        (
            "open attributes",
            inside(&format!("  a = f32[] add(b), x={{\n{}", "  y\n".repeat(N / 4))),
        ),
        ("closings", inside(&format!("  a = f32[] add(b), x={{{{{{\n{}", "}\n".repeat(N / 2)))),
        ("headers", "f {\n".repeat(N / 4)),
        ("modules", "HloModule m\n".repeat(N / 8)),
        ("comments", inside(&format!("  a = (f32[]{}) add(b)", ", /*".repeat(N / 4)))),
        ("many operands", inside(&format!("  a = f32[] copy({})", "b,".repeat(N / 2)))),
        ("a wide tuple", inside(&format!("  a = (f32[]{}) add(b)", ",f32[]".repeat(N / 8)))),
        ("blanks", format!("{}\n", " ".repeat(4 * N))),
        ("NULs", "\0".repeat(4 * N)),
        ("report lines", "  1. Size: 4.00G\n".repeat(N / 16)),
        ("equals signs", "= ".repeat(N)),
        ("spaces in a name", inside(&format!("  a {} = f32[] add(b)", " ".repeat(N)))),
    ];
    for (what, text) in cases {
        survive_much(what, &text);
    }
}

/// A fusion of many fusions, and loops that all go around with one large tuple.
#[test]
fn fusions_of_fusions_and_loops_of_tuples() {
    const FUSIONS: usize = 1 << 15;
    let number = |number: usize| move |text: &str| text.replace('#', &number.to_string());
    let each = |text: &'static str| (0..FUSIONS).map(|n| number(n)(text)).collect::<String>();
    let inner = each(
        "%in# (p: f32[2]) -> f32[2] {\n  %p = f32[2] parameter(0)\n  ROOT %c = f32[2]{0:T(128)} copy(%p)\n}\n",
    );
    let fusions = each("  %f# = f32[2] fusion(%p), kind=kLoop, calls=%in#\n");
    let outer = "%outer (p: f32[2]) -> f32[2] {\n  %p = f32[2] parameter(0)\n";
    let entry = "  ROOT %r = f32[2] add(%f0, %f1)\n}\nENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2] \
                 parameter(0)\n  ROOT %x = f32[2] fusion(%p), kind=kLoop, calls=%outer\n}\n";
    let text = format!("HloModule m, is_scheduled=true\n{inner}{outer}{fusions}{entry}");
    let report = survive_much("fusions of fusions", &text);
    assert_eq!(report.relayouts.len(), FUSIONS);
    assert_eq!(report.totals.standalone.count, 0);

    const PARTS: usize = 1 << 11;
    let tuple = format!("({}s32[])", "f32[2], ".repeat(PARTS));
    let given = format!("{}%z", "%p, ".repeat(PARTS));
    let loops =
        (0..1 << 9).map(|n| format!("  %l{n} = {tuple} while(%w), condition=%cond, body=%body\n"));
    let loops: String = loops.collect();
    let text = format!(
        "HloModule m, is_scheduled=true\n%cond (t: x) -> pred[] {{\n  %t = {tuple} parameter(0)\n  \
         %i = s32[] get-tuple-element(%t), index={PARTS}\n  %n = s32[] constant(5)\n  \
         ROOT %l = pred[] compare(%i, %n), direction=LT\n}}\n%body (t: x) -> x {{\n  \
         ROOT %t = {tuple} parameter(0)\n}}\nENTRY %e (p: f32[2]) -> f32[2] {{\n  \
         %p = f32[2] parameter(0)\n  %z = s32[] constant(0)\n  %w = {tuple} tuple({given})\n{loops}}}\n"
    );
    assert!(survive_much("loops of tuples", &text).peak.is_some());
}

#[test]
fn many_different_shapes_and_bitcasts() {
    let lines: String = (0..4_000)
        .map(|n| format!("  p{n} = f32[{n},3]{{1,0:T(8,128)}} parameter({n})\n  b{n} = f32[3,{n}]{{0,1:T(8,128)}} bitcast(p{n})\n"))
        .collect();
    let report = survive_much("different shapes", &format!("ENTRY e {{\n{lines}}}\n"));
    assert_eq!(report.totals.bitcasts.confirmed, 4_000);
}

#[test]
fn tiles_that_straddle_dimensions_are_left_undecided() {
    let lines: String = (0..200)
        .map(|n| {
            format!(
                "  p{n} = f32[9973,{m},31]{{2,1,0:T(*,7,5)(3,2)}} parameter({n})\n  \
                 b{n} = f32[31,{m},9973]{{2,1,0:T(*,5,7)(2,3)}} bitcast(p{n})\n  \
                 c{n} = f32[9973,{m},31]{{2,1,0:T(*,5,7)(2,3)}} copy(p{n})\n",
                m = n + 9001
            )
        })
        .collect();
    let report = survive_much("straddling tiles", &format!("ENTRY e {{\n{lines}}}\n"));
    assert_eq!(report.totals.bitcasts.count, 200);
}

#[test]
fn arrays_of_many_dimensions() {
    let dims = |n: usize, d: &str| vec![d; n].join(",");
    let order = |n: usize| (0..n).rev().map(|d| d.to_string()).collect::<Vec<_>>().join(",");
    for n in [16, 40, 60, 300, 900] {
        let shape = format!("f32[{}]{{{}:T(8,128)}}", dims(n, "1"), order(n));
        let text = format!(
            "ENTRY e {{\n  p = {shape} parameter(0)\n  b = {shape} bitcast(p)\n  c = {shape} copy(b)\n}}\n"
        );
        survive_much("many dimensions", &text);
    }
    let tiles = "(2)".repeat(1000);
    let text = format!(
        "ENTRY e {{\n  p = f32[4]{{0:T{tiles}}} parameter(0)\n  b = f32[2,2]{{1,0:T{tiles}}} bitcast(p)\n}}\n"
    );
    survive_much("many tiles", &text);
}

#[test]
fn computations_that_call_in_circles() {
    let text = "\
a {\n  x = f32[] call(), to_apply=b\n}\n
b {\n  x = f32[] fusion(), calls=a\n}\n
c {\n  ROOT x = f32[] bitcast(x)\n}\n
ENTRY e {\n  x = f32[] fusion(x), calls=c\n  ROOT y = f32[] while(x), body=e, condition=e\n}\n";
    survive_much("circles", text);
    let chain: String = (0..20_000)
        .map(|n| format!("c{n} {{\n  x = f32[] fusion(), calls=c{}\n}}\n", (n * 7 + 1) % 20_000))
        .collect();
    survive_much("a long circle", &chain);
}

/// A tuple of parameters that are all given away, and that all want another format: each is found in it at once.
#[test]
fn many_parameters_given_away() {
    use std::fmt::Write;

    const N: usize = 6_000;
    let (rows, columns) = ("f32[9,130]{1,0:T(8,128)}", "f32[9,130]{0,1:T(8,128)}");
    let mut body = String::new();
    for n in 0..N {
        writeln!(body, "  p{n} = {columns} parameter({n})\n  c{n} = {rows} copy(p{n})\n  o{n} = {columns} copy(c{n})")
            .unwrap();
    }
    let all = |of: &dyn Fn(usize) -> String| (0..N).map(of).collect::<Vec<_>>().join(", ");
    let aliases = all(&|n| format!("{{{n}}}: ({n}, {{}})"));
    let (shapes, operands) = (all(&|_| columns.to_owned()), all(&|n| format!("o{n}")));
    let text = format!(
        "HloModule m, is_scheduled=true, input_output_alias={{ {aliases} }}\nENTRY e {{\n{body}  \
         ROOT t = ({shapes}) tuple({operands})\n}}\n"
    );
    let trial = Trial { is_assigned: true, ..Trial::default() };
    let tried = trial.on(&text).unwrap();
    assert_eq!((tried.formats.len(), tried.relayouts.after.count), (N, 0));
    let hbm = &tried.spaces[0];
    // Nine rows of 130 columns are 16 of 256, as columns 136 of 128.
    assert_eq!((hbm.before.aliases, hbm.after.aliases), (N as i64 * 69_632, N as i64 * 16_384));
}

#[test]
fn names_given_many_times() {
    let lines: String = (0..8_000)
        .map(|n| {
            format!("  p = f32[{n},3]{{1,0}} parameter({n})\n  p = f32[{n},3]{{1,0}} bitcast(p)\n")
        })
        .collect();
    survive_much("one name", &format!("ENTRY e {{\n{lines}}}\n"));
    let users: String = (0..8_000)
        .map(|n| format!("  c{n} = f32[64,64]{{0,1:T({},{})}} copy(p)\n", n % 64 + 1, n / 64 + 1))
        .collect();
    let text = format!("ENTRY e {{\n  p = f32[64,64]{{1,0}} parameter(0)\n{users}}}\n");
    survive_much("many formats wanted", &text);
}

#[test]
fn sizes_at_the_limits() {
    for shape in [
        "f32[9223372036854775807]{0}",
        "f32[4611686018427387904,2]{1,0:T(8,128)}",
        "s8[9223372036854775807,1]{0,1:T(8,128)}",
        "s8[4611686018427387904,1]{0,1:T(1,1)}",
        "f32[0,9223372036854775807]{1,0:T(8,128)}",
        "f32[?,3]{1,0:T(8,128)}",
        "f32[3]{0:T(9223372036854775807)}",
        "f32[3,3]{1,0:T(9223372036854775807,9223372036854775807)}",
        "s4[9223372036854775807]{0:T(128)E(4)}",
    ] {
        let text = format!(
            "ENTRY e {{\n  p = {shape} parameter(0)\n  ROOT c = {shape} copy(p)\n  b = {shape} bitcast(p)\n}}\n"
        );
        let report = survive_much(shape, &text.repeat(50));
        let _ = report.to_html();
    }
}

fn dumps() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    ["collectives.hlo", "int4-matmul.hlo", "rearrangements.hlo", "kv-cache-update.before.hlo"]
        .iter()
        .map(|name| std::fs::read(folder.join(name)).unwrap())
        .collect()
}

/// One change of a text.
#[derive(Clone, Debug)]
enum Edit {
    Cut(usize),
    Remove(usize, usize),
    Replace(usize, u8),
    Insert(usize, &'static str),
    Repeat(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0usize..40_000;
    let pieces = prop::sample::select(vec![
        "(",
        ")",
        "{",
        "}",
        "\"",
        "\n",
        "/*",
        "*/",
        "[",
        "]",
        ", ",
        " = ",
        "ROOT ",
        "%",
        "-1",
        "9223372036854775807",
        "\u{0}",
        "\\",
        "ENTRY ",
        "HloModule ",
        "constant(",
        "bitcast(",
        "T(*,2)",
        "f32[2,3]{0,1:T(2,2)}",
        "  1. Size: 4.00G\n",
        "é",
    ]);
    prop_oneof![
        1 => at.clone().prop_map(Edit::Cut),
        4 => (at.clone(), 1usize..200).prop_map(|(at, n)| Edit::Remove(at, n)),
        4 => (at.clone(), any::<u8>()).prop_map(|(at, byte)| Edit::Replace(at, byte)),
        6 => (at.clone(), pieces).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        2 => (at, 1usize..2000).prop_map(|(at, n)| Edit::Repeat(at, n)),
    ]
}

fn edited(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut text = text.to_vec();
    for edit in edits {
        let within = |at: usize| at % (text.len() + 1);
        match *edit {
            Edit::Cut(at) => text.truncate(text.len() - within(at) / 4),
            Edit::Remove(at, n) => {
                let start = within(at);
                text.drain(start..(start + n).min(text.len()));
            }
            Edit::Replace(at, byte) => {
                let at = within(at);
                text.get_mut(at).into_iter().for_each(|place| *place = byte);
            }
            Edit::Insert(at, piece) => {
                let at = within(at);
                text.splice(at..at, piece.bytes());
            }
            Edit::Repeat(at, n) => {
                let start = within(at);
                let piece = text[start..(start + n).min(text.len())].to_vec();
                text.splice(start..start, piece);
            }
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn edited_dumps(which in 0usize..4, edits in prop::collection::vec(edit(), 1..12)) {
        let original = &dumps()[which];
        let report = survive(&edited(original, &edits));
        let change = Change::between(&survive(original), &report);
        prop_assert!(serde_json::to_string(&change).is_ok());
        prop_assert!(serde_json::to_string(&report).is_ok());
        prop_assert!(report.to_html().ends_with("</html>\n"));
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        survive(&bytes);
    }

    #[test]
    fn any_punctuation(text in "[ \\n(){}\\[\\]\",=%/*a-c0-9:]{0,400}") {
        survive(text.as_bytes());
        survive(format!("ENTRY e {{\n  a = f32[] {text}\n}}\n").as_bytes());
    }
}
