//! The forms that modules come in, and what the reader says of what it cannot read.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tilewright_hlo::{Dump, Module, MoveKind, Report, decoded};

#[track_caller]
fn module(text: &str) -> Module<'_> {
    let dump = Dump::read(text);
    assert!(dump.findings.is_empty(), "{}", dump.findings);
    assert_eq!(dump.lines_skipped, 0);
    dump.module.unwrap()
}

fn names<'a>(module: &Module<'a>) -> Vec<&'a str> {
    module.instructions.iter().map(tilewright_hlo::Instruction::name).collect()
}

#[test]
fn short_names_and_headers() {
    let text = "\
HloModule jit_f, entry_computation_layout={(f32[2]{0})->f32[]}

region_0.1 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main.2 {
  x = f32[2]{0} parameter(0), sharding={replicated}
  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=region_0.1
}
";
    let module = module(text);
    assert_eq!(module.name, "jit_f");
    assert_eq!(module.attribute("entry_computation_layout"), Some("{(f32[2]{0})->f32[]}"));
    assert_eq!(names(&module), ["a", "b", "c", "x", "z", "r"]);
    let entry = module.entry().unwrap();
    assert_eq!((entry.name, entry.line, entry.instructions.clone()), ("main.2", 9, 3..6));
    assert!(module.instructions[5].is_root() && !module.instructions[3].is_root());
    // The reduction's computation writes no buffers.
    let report = Report::of(&Dump::read(text));
    assert_eq!(report.buffers.len(), 3);
}

#[test]
fn operands_with_their_shapes() {
    let text = "ENTRY %e (p: f32[4,6]) -> f32[6,4] {\n  %p = f32[4,6]{1,0} parameter(0)\n  \
                ROOT %t = f32[6,4]{1,0} transpose(f32[4,6]{1,0} %p), dimensions={1,0}\n}\n";
    let module = module(text);
    let operand = module.instructions[1].operands().next().unwrap();
    assert_eq!((operand.name, operand.shape), ("p", Some("f32[4,6]{1,0}")));
}

#[test]
fn a_transpose_that_its_layout_takes_up_is_no_move() {
    let report = |layout: &str| {
        let text = format!(
            "ENTRY %e {{\n  %p = f32[40,600]{{1,0:T(8,128)}} parameter(0)\n  \
             ROOT %t = f32[600,40]{layout} transpose(%p), dimensions={{1,0}}\n}}\n"
        );
        Report::of(&Dump::read(&text))
    };
    let absorbed = report("{0,1:T(8,128)}");
    assert_eq!(absorbed.relayouts, []);
    let bitcast = &absorbed.bitcasts[0];
    assert_eq!(
        (&*bitcast.op, bitcast.holds, bitcast.kind),
        ("transpose", Some(true), Some("transpose"))
    );
    let moved = report("{1,0:T(8,128)}");
    assert_eq!(moved.bitcasts, []);
    let relayout = &moved.relayouts[0];
    assert_eq!(relayout.kind, MoveKind::Transpose);
    // 40 x 640 elements read, 600 x 128 written.
    assert_eq!((relayout.bytes_read, relayout.bytes_written), (102_400, 307_200));
}

#[test]
fn copies_by_what_they_change() {
    let text = "\
ENTRY e {
  p = f32[9,129]{1,0:T(8,128)} parameter(0)
  again = f32[9,129]{1,0:T(8,128)} copy(p)
  near = f32[9,129]{1,0:T(8,128)S(1)} copy(p)
  other = f32[9,129]{0,1:T(8,128)} copy(p)
  start = (f32[9,129]{0,1:T(8,128)S(1)}, f32[9,129]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(p)
  done = f32[9,129]{0,1:T(8,128)S(1)} copy-done(start)
  same = f32[1,129]{0,1} parameter(1)
  alike = f32[1,129]{1,0} copy(same)
}
";
    let report = Report::of(&Dump::read(text));
    let kinds = |moves: &[tilewright_hlo::Movement]| {
        let mut kinds: Vec<(String, MoveKind)> =
            moves.iter().map(|movement| (movement.name.clone(), movement.kind)).collect();
        kinds.sort();
        kinds
    };
    let moved = [("other", MoveKind::Copy), ("start", MoveKind::AsyncCopy)];
    assert_eq!(kinds(&report.relayouts), moved.map(|(name, kind)| (name.to_owned(), kind)));
    // The last is written otherwise, but a dimension of one element can be anywhere.
    let kept = [
        ("again", MoveKind::Duplicate),
        ("near", MoveKind::Memory),
        ("alike", MoveKind::Duplicate),
    ];
    assert_eq!(report.copies.len(), kept.len());
    for (name, kind) in kept {
        assert!(kinds(&report.copies).contains(&(name.to_owned(), kind)), "{name}");
    }
}

#[test]
fn a_bitcast_that_is_none() {
    let text = "ENTRY e {\n  p = f32[12,128]{1,0:T(8,128)} parameter(0)\n  \
                b = f32[3,4,128]{2,1,0:T(8,128)} bitcast(p)\n}\n";
    let report = Report::of(&Dump::read(text));
    let bitcast = &report.bitcasts[0];
    assert_eq!((bitcast.holds, bitcast.kind), (Some(false), None));
    // 16 rows padded in one, 3 x 8 in the other.
    assert_eq!(bitcast.reason.as_deref(), Some("memory holds 2048 and 3072 elements"));
    assert_eq!(report.relayouts[0].kind, MoveKind::Bitcast);
}

#[test]
fn a_fusion_that_ends_with_a_copy() {
    let text = "\
%f (p: f32[9,129]) -> f32[9,129] {
  %p = f32[9,129]{1,0:T(8,128)} parameter(0)
  %n = f32[9,129]{1,0:T(8,128)} negate(%p)
  %c = f32[9,129]{0,1:T(8,128)} copy(%n)
  ROOT %b = f32[129,9]{1,0:T(8,128)} bitcast(%c)
}
ENTRY %e (x: f32[9,129]) -> f32[129,9] {
  %x = f32[9,129]{1,0:T(8,128)} parameter(0)
  ROOT %fusion.1 = f32[129,9]{1,0:T(8,128)} fusion(%x), kind=kLoop, calls=%f
}
";
    let report = Report::of(&Dump::read(text));
    let [relayout] = &report.relayouts[..] else { panic!("{:?}", report.relayouts) };
    assert_eq!((relayout.name.as_str(), relayout.kind), ("fusion.1", MoveKind::Fusion));
    assert_eq!((&*relayout.op, &*relayout.computation, relayout.line), ("copy", "f", 4));
    assert_eq!(report.buffers.len(), 2);
}

#[test]
fn constants_and_attributes_over_several_lines() {
    let text = "\
ENTRY e {
  c = s32[2,2]{1,0} constant({
    {1, 2},
    {3, 4}
  }), metadata={op_name=\"c\"}
  d = f32[2]{0} custom-call(c), custom_call_target=\"k\", backend_config={
    \"a\": {\"b\": \"}\"},
    \"c\": [1,
      2]
  }
  ROOT n = f32[2]{0} negate(d)
}
";
    let module = module(text);
    assert_eq!(names(&module), ["c", "d", "n"]);
    assert!(module.instructions[0].operands_text().ends_with("{3, 4}\n  }"));
    assert_eq!(module.instructions[0].attribute("metadata"), Some("{op_name=\"c\"}"));
    let config = module.instructions[1].attribute("backend_config").unwrap();
    assert!(config.starts_with('{') && config.ends_with('}') && config.contains("2]"));
    assert_eq!(module.instructions[2].line(), 11);
}

#[test]
fn strings_hold_anything() {
    let text = "ENTRY e {\n  a = f32[] custom-call(), custom_call_target=\"x\\\"){,(\", \
                metadata={op_name=\"f(a) = {\"}\n  ROOT b = f32[] negate(a)\n}\n";
    let module = module(text);
    assert_eq!(names(&module), ["a", "b"]);
    assert_eq!(module.instructions[0].attribute("metadata"), Some("{op_name=\"f(a) = {\"}"));
}

#[test]
fn asynchronous_pairs_count_once() {
    let text = "\
%wrapped (p: f32[1024]) -> f32[512] {
  %p = f32[1024]{0} parameter(0)
  ROOT %s = f32[512]{0} slice(%p), slice={[0:512]}
}
ENTRY %e (x: f32[1024]) -> f32[512] {
  %x = f32[1024]{0} parameter(0)
  %start = ((f32[1024]{0}), f32[512]{0}, u32[]) async-start(%x), calls=%wrapped
  %done = f32[512]{0} async-done(%start)
  %g = (f32[1024]{0}, f32[2048]{0}) all-gather-start(%x), dimensions={0}
  ROOT %h = f32[2048]{0} all-gather-done(%g)
}
";
    let report = Report::of(&Dump::read(text));
    let mut names: Vec<&str> = report.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["h", "s", "x"]);
}

#[test]
fn tuples_of_parameters_and_outputs() {
    let text = "ENTRY e {\n  b = (f32[3]{0}, (s8[5]{0}, token[])) parameter(1)\n  \
                a = f32[7]{0} parameter(0)\n  ROOT t = (f32[7]{0}, ()) tuple(a)\n}\n";
    let report = Report::of(&Dump::read(text));
    let parameters: Vec<(&str, i64)> =
        report.parameters.iter().map(|value| (value.name.as_str(), value.bytes)).collect();
    assert_eq!(parameters, [("a", 28), ("b{0}", 12), ("b{1,0}", 5)]);
    assert_eq!(report.outputs[0].name, "t{0}");
}

#[test]
fn part_of_a_module() {
    let text =
        "  %p = f32[9,129]{1,0:T(8,128)} parameter(0)\n  %c = f32[9,129]{0,1:T(8,128)} copy(%p)\n";
    let report = Report::of(&Dump::read(text));
    assert_eq!(report.relayouts.len(), 1);
    assert_eq!(report.findings, []);
}

#[test]
fn a_module_cut_off_before_its_entry() {
    let text = "HloModule m, entry_computation_layout={(f32[9,129]{1,0:T(8,128)}, \
                (s8[5]{0}, /*index=1*/s8[6]{0}))->f32[3]{0:T(128)}}, num_partitions=4\n\nf {\n  a = f32[]";
    let report = Report::of(&Dump::read(text));
    let names: Vec<&str> = report.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["parameter{0}", "parameter{1,0}", "parameter{1,1}"]);
    assert_eq!(report.totals.parameters.bytes, 16_384 + 5 + 6);
    assert_eq!((report.outputs[0].name.as_str(), report.outputs[0].bytes), ("result", 512));
}

#[test]
fn a_module_in_a_log() {
    let text =
        "I0000 start\nHloModule m\n\nENTRY e {\n  p = f32[2]{0} parameter(0)\n}\n\nI0001 end\n";
    let dump = Dump::read(text);
    assert_eq!((dump.lines_skipped, dump.findings.kept.len()), (2, 0));
    assert_eq!(dump.module.unwrap().instructions.len(), 1);
}

#[track_caller]
fn check_findings(text: &str, expected: &[(u32, &str)]) {
    let report = Report::of(&Dump::read(text));
    let found: Vec<(u32, &str)> =
        report.findings.iter().map(|finding| (finding.line, finding.message.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn what_is_skipped_is_said() {
    check_findings(
        "ENTRY e {\n  a = f32[2} parameter(0)\n  b = f32[2]{0}\n  what is this\n  c = f32[2]{0} negate(\n",
        &[
            (2, "`%a` has no shape that could be read"),
            (3, "`%b` has no operation that could be read"),
            (4, "neither an instruction nor the end of the computation"),
            (5, "the operands of `c` are not closed"),
            (5, "the text ends inside the computation `e`"),
        ],
    );
    check_findings(
        "f {\n  a = f32[2]{0} parameter(0)\nENTRY e {\n  b = f32[2]{0} parameter(0)\n}\n",
        &[(3, "the computation `f` before this is not closed")],
    );
    check_findings(
        "ENTRY e {\n  c = f32[2]{0} constant({1,\n  d = f32[2]{0} negate(c)\n}\n",
        &[(2, "the constant is not closed")],
    );
    check_findings(
        "ENTRY e {\n  a = q7[2]{0} parameter(0)\n  b = f32[2,2]{0,0} parameter(1)\n}\n",
        &[
            (2, "a shape could not be read: unknown element type `q7`"),
            (3, "a shape could not be read: dimension 0 appears twice in the minor-to-major order"),
        ],
    );
}

#[test]
fn what_comes_after_a_finding_is_read() {
    let text =
        "ENTRY e {\n  a = f32[2} parameter(0)\n  b = f32[9,129]{1,0:T(8,128)} parameter(1)\n}\n";
    let report = Report::of(&Dump::read(text));
    assert_eq!(report.totals.parameters.bytes, 16_384);
}

#[test]
fn findings_are_counted_beyond_the_first() {
    let text = format!("ENTRY e {{\n{}}}\n", "  junk\n".repeat(1000));
    let report = Report::of(&Dump::read(&text));
    assert_eq!(report.findings.len(), tilewright_hlo::MAX_FINDINGS);
    assert_eq!(report.findings.len() + report.more_findings, 1000);
}

#[test]
fn bytes_that_are_no_text() {
    let (text, finding) = decoded(b"ENTRY e {\n  a\xff\xfe = f32[2]{0} parameter(0)\n}\n");
    assert_eq!(finding.unwrap().line, 2);
    assert_eq!(Report::of(&Dump::read(&text)).parameters[0].bytes, 8);
    assert_eq!(decoded("é".as_bytes()).1, None);
}
