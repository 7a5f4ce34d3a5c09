//! Formats for parameters: small modules worked out by hand, and real ones compiled again.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use tilewright_hlo::{AssignedParameter, Assignment, Dump, Report};

fn assigned(instructions: &str) -> AssignedParameter {
    let text = format!("ENTRY e {{\n{instructions}}}\n");
    let assignment = Assignment::of(&Dump::read(&text));
    assignment.parameters.into_iter().next().unwrap()
}

#[track_caller]
fn check(instructions: &str, best: &str, module_moves: i64, best_moves: i64) {
    let parameter = assigned(instructions);
    assert_eq!(&*parameter.best.text, best, "{instructions}");
    let moves = (parameter.module.moved_bytes, parameter.best.moved_bytes);
    assert_eq!(moves, (module_moves, best_moves), "{instructions}");
}

const ROWS: &str = "f32[64,256]{1,0:T(8,128)}"; // 64 KiB
const COLUMNS: &str = "f32[64,256]{0,1:T(8,128)}"; // 128 KiB
const BOTH: i64 = (64 + 128) << 10;

#[test]
fn a_copy_that_is_the_only_use() {
    let text =
        format!("  p = {COLUMNS} parameter(0)\n  c = {ROWS} copy(p)\n  n = {ROWS} negate(c)\n");
    check(&text, ROWS, BOTH, 0);
}

#[test]
fn a_copy_beside_another_use_stays() {
    // The other way round the negation would have to be moved to: as many bytes, and more padding.
    let text =
        format!("  p = {ROWS} parameter(0)\n  c = {COLUMNS} copy(p)\n  n = {ROWS} negate(p)\n");
    check(&text, ROWS, BOTH, BOTH);
    // Here the format with the padding is given, and the one without costs as many bytes moved.
    let text =
        format!("  p = {COLUMNS} parameter(0)\n  c = {ROWS} copy(p)\n  n = {COLUMNS} negate(p)\n");
    check(&text, ROWS, BOTH, BOTH);
}

#[test]
fn through_what_moves_nothing() {
    let text = format!(
        "  p = {ROWS} parameter(0)\n  \
         s = ({}, {ROWS}, u32[]) copy-start(p)\n  d = {} copy-done(s)\n  \
         b = f32[256,64]{{0,1:T(8,128)}} bitcast(d)\n  \
         r = f32[2,128,64]{{1,2,0:T(8,128)}} copy(b)\n  \
         c = f32[256,64]{{1,0:T(8,128)}} copy(b)\n",
        ROWS.replace('}', "S(1)}"),
        ROWS.replace('}', "S(1)}"),
    );
    // The copy `r` has other dimensions than its operand: no copy, so a use as it is.
    let parameter = assigned(&text);
    assert_eq!((parameter.uses_as_is, parameter.uses_moved), (1, 1));
    let text = text.lines().filter(|line| !line.contains("r = ")).map(|line| format!("{line}\n"));
    check(&text.collect::<String>(), COLUMNS, BOTH, 0);
}

#[test]
fn a_transpose_wants_the_format_it_moves_to() {
    let text = format!(
        "  p = {ROWS} parameter(0)\n  t = f32[256,64]{{1,0:T(8,128)}} transpose(p), dimensions={{1,0}}\n"
    );
    check(&text, COLUMNS, BOTH, 0);
}

#[test]
fn a_reshape_wants_the_format_it_moves_to_if_the_parameter_can_have_it() {
    // As columns of whole tiles, the parameter reshapes without a move.
    let text = "  p = f32[16,128]{0,1:T(8,128)} parameter(0)\n  r = f32[2,8,128]{2,1,0:T(8,128)} reshape(p)\n";
    check(text, "f32[16,128]{1,0:T(8,128)}", 64 * 1024 + 8192, 0);
    // 12 rows never become 3 times 8.
    let text = "  p = f32[12,128]{1,0:T(8,128)} parameter(0)\n  r = f32[3,4,128]{2,1,0:T(8,128)} reshape(p)\n";
    assert_eq!(assigned(text).uses_as_is, 1);
}

#[test]
fn two_wishes_and_what_lies_between() {
    let third = "f32[64,256]{1,0:T(1,128)}"; // 64 KiB
    let text = format!(
        "  p = {COLUMNS} parameter(0)\n  c = {ROWS} copy(p)\n  d = {third} copy(p)\n  e = {ROWS} copy(p)\n"
    );
    // Two copies into rows are one format wanted. In rows, only the third is to be made.
    check(&text, ROWS, 2 * BOTH, 128 << 10);
}

#[test]
fn a_copy_into_another_type_is_no_format() {
    let text =
        format!("  p = {COLUMNS} parameter(0)\n  c = bf16[64,256]{{1,0:T(8,128)(2,1)}} copy(p)\n");
    check(&text, COLUMNS, 0, 0);
}

#[test]
fn nothing_uses_it() {
    // Only the padding counts: 3 columns of 128, or of 1.
    let text = "  p = f32[1000,3]{1,0:T(8,128)} parameter(0)\n";
    let parameter = assigned(text);
    assert!(parameter.best.padding_bytes < parameter.module.padding_bytes / 50);
    let text = "  ROOT p = f32[1000,3]{1,0:T(8,128)} parameter(0)\n";
    assert_eq!(assigned(text).best, assigned(text).module);
}

#[test]
fn parameters_in_a_tuple() {
    let text = format!(
        "  p = ({COLUMNS}, {ROWS}) parameter(0)\n  g = {COLUMNS} get-tuple-element(p), index=0\n  \
         h = {ROWS} get-tuple-element(p), index=1\n  c = {ROWS} copy(g)\n  n = {ROWS} negate(h)\n"
    );
    let text = format!("ENTRY e {{\n{text}}}\n");
    let assignment = Assignment::of(&Dump::read(&text));
    let best: Vec<&str> = assignment.parameters.iter().map(|p| &*p.best.text).collect();
    assert_eq!(best, [ROWS, ROWS]);
    assert_eq!(assignment.totals.module.moved_bytes - assignment.totals.best.moved_bytes, BOTH);
}

#[test]
fn a_donated_parameter_and_the_result_that_takes_its_memory() {
    let donated = |instructions: &str| {
        let text = format!(
            "HloModule m, input_output_alias={{ {{}}: (0, {{}}, may-alias) }}\nENTRY e {{\n{instructions}}}\n"
        );
        Assignment::of(&Dump::read(&text)).parameters.remove(0)
    };
    // The one use wants rows, and the result is made in columns: either way one of them is moved, and
    // rows have less padding.
    let parameter = donated(&format!(
        "  p = {COLUMNS} parameter(0)\n  c = {ROWS} copy(p)\n  ROOT n = {COLUMNS} fusion(c)\n"
    ));
    assert_eq!((parameter.module.moved_bytes, parameter.best.moved_bytes), (BOTH, BOTH));
    assert_eq!((&*parameter.best.text, parameter.output.as_deref()), (ROWS, Some("n")));
    // It is made in rows too, and moved: in rows nothing is.
    let parameter = donated(&format!(
        "  p = {COLUMNS} parameter(0)\n  c = {ROWS} copy(p)\n  n = {ROWS} fusion(c)\n  \
         ROOT o = {COLUMNS} copy(n)\n"
    ));
    assert_eq!((parameter.module.moved_bytes, parameter.best.moved_bytes), (2 * BOTH, 0));
    // It is made in columns, and so is what it is used as: the copy beside that is no reason.
    let parameter = donated(&format!(
        "  p = {ROWS} parameter(0)\n  c = {COLUMNS} copy(p)\n  ROOT n = {ROWS} fusion(p, c)\n"
    ));
    assert_eq!(parameter.best, parameter.module);
    // Nobody reads it: what would have no padding is not what the result is.
    let wide = "f32[1000,3]{1,0:T(8,128)}";
    let parameter = donated(&format!("  p = {wide} parameter(0)\n  ROOT n = {wide} fusion()\n"));
    assert_eq!(parameter.best, parameter.module);
}

/// The module `name` and what it was compiled to with one parameter in the format found here: the
/// parameter has that format, and the compiler moves less by just as many bytes as were promised.
#[track_caller]
fn kept_promise(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let text = |file: String| std::fs::read_to_string(folder.join(file)).unwrap();
    let before = text(format!("{name}.hlo"));
    let after = text(format!("{name}.assigned.hlo"));
    let assignment = Assignment::of(&Dump::read(&before));
    let reports = [&before, &after].map(|text| Report::of(&Dump::read(text)));
    let better = assignment.parameters.iter().find(|p| p.best != p.module).unwrap();
    let given = &reports[1].parameters.iter().find(|p| p.name == better.name).unwrap().text;
    assert_eq!(*given, better.best.text, "{name}");
    let moved = reports.map(|r| r.totals.relayouts.bytes_read + r.totals.relayouts.bytes_written);
    let promised = better.module.moved_bytes - better.best.moved_bytes;
    assert_eq!(moved[0] - moved[1], promised, "{name}");
}

#[test]
fn the_compiler_moves_less_by_what_was_promised() {
    for name in ["convolution", "embedding", "rearrangements"] {
        kept_promise(name);
    }
}
