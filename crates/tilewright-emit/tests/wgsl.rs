//! The printed WGSL, rewritten word by word as C++ and run, against the maps.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::process::Command;

use support::{
    Random, all_offsets, arrays, byte_literal, bytes, expected, occupied, small_pairs, succeed,
};
use tilewright_emit::{Request, Target};

const COMMON: &str = "
#include <barrier>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
static int failures;
static void expect(bool holds, const char *what) {
  if (!holds && failures++ < 20) fprintf(stderr, \"%s\\n\", what);
}
typedef unsigned u32;
struct vec2 { u32 x, y; };
struct vec3 { u32 x, y, z; };
struct vec4 { u32 x, y, z, w; };
static int select(int no, int yes, bool which) { return which ? yes : no; }
const u32 GROUP = 256, N_GROUPS = 2;
static std::barrier<> all_invocations(GROUP);
static void workgroupBarrier() { all_invocations.arrive_and_wait(); }
// Workgroups one after the other; the invocations of each at once.
template <class Shader> static void launch(Shader shader) {
  for (u32 group = 0; group < N_GROUPS; group++) {
    std::vector<std::thread> threads;
    for (u32 local = 0; local < GROUP; local++)
      threads.emplace_back([=] { shader(local, vec3{group, 0, 0}, vec3{N_GROUPS, 1, 1}); });
    for (std::thread &thread : threads) thread.join();
  }
}
";

/// The lines of WGSL that are printed, as the same lines of C++.
fn as_cpp(code: &str) -> String {
    let mut out = String::new();
    let mut in_struct = false;
    for line in code.lines() {
        let text = line.trim_start();
        let text = text
            .replace("vec2<u32>(", "vec2{")
            .replace("vec4<u32>(", "vec4{")
            .replace("array<vec2<u32>>", "vec2")
            .replace("array<vec4<u32>>", "vec4")
            .replace("array<u32>", "u32")
            .replace("i32(", "int(");
        let text = if text.contains("vec2{") || text.contains("vec4{") {
            text.replace(");", "};")
        } else {
            text
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = match words.as_slice() {
            ["@compute", ..] => continue,
            ["@group(0)", _, storage, rest @ ..] => {
                let rest = if *storage == "var<storage," { &rest[1..] } else { rest };
                let (name, word) = (rest[0].trim_end_matches(':'), rest[1].trim_end_matches(';'));
                format!("static std::vector<{word}> {name};")
            }
            ["var<workgroup>", name, array, n] => {
                let word = array.trim_start_matches("array<").trim_end_matches(',');
                let word = word.replace("<u32>", "");
                format!(
                    "static {word} {}[{}];",
                    name.trim_end_matches(':'),
                    n.trim_end_matches(">;")
                )
            }
            ["const", name, "i32", ..] => text
                .replace("const ", "static const int ")
                .replace(": i32", "")
                .replace(name, name.trim_end_matches(':')),
            ["struct", ..] => {
                in_struct = true;
                text
            }
            ["valid:", ..] => "bool valid;".to_owned(),
            ["i:", "array<i32,", n, ..] => format!("int i[{}];", n.trim_end_matches([',', '>'])),
            ["}"] if std::mem::take(&mut in_struct) => "};".to_owned(),
            ["fn", ..] if text.contains("@builtin") => {
                let name = text.split(['(', ' ']).nth(1).unwrap();
                match text.contains("workgroup_id") {
                    true => format!("static void {name}(u32 local, vec3 group, vec3 groups) {{"),
                    false => format!("static void {name}(vec3 id, vec3 groups) {{"),
                }
            }
            ["fn", ..] => function(&text),
            ["let", name, ..] if name.ends_with(':') => {
                text.replace("let ", "const auto ").replace(": i32", "").replace(": bool", "")
            }
            ["let", ..] => text.replace("let ", "const int "),
            ["var", "made", ..] => text.replace("var", "u32"),
            ["var", name, kind] => {
                format!("{} {}{{}};", kind.trim_end_matches(';'), name.trim_end_matches(':'))
            }
            _ => text.replace("for (var ", "for (int "),
        };
        out += &line;
        out.push('\n');
    }
    out
}

/// `fn name(a: i32) -> i32 {`.
fn function(text: &str) -> String {
    let (head, result) =
        text.trim_start_matches("fn ").trim_end_matches(" {").split_once(" -> ").unwrap();
    let (name, arguments) = head.split_once('(').unwrap();
    let arguments: Vec<String> = arguments
        .trim_end_matches(')')
        .split(", ")
        .filter(|argument| !argument.is_empty())
        .map(|argument| format!("int {}", argument.trim_end_matches(": i32")))
        .collect();
    format!("static {} {name}({}) {{", result.replace("i32", "int"), arguments.join(", "))
}

#[test]
fn shaders_and_functions_agree_with_the_maps() {
    let mut random = Random(50);
    let (mut code, mut calls) = (COMMON.to_owned(), String::new());
    for (number, array) in arrays(&mut random, 60).iter().enumerate() {
        let (name, map) = (format!("l{number}"), array.map());
        let request = Request { array, other: None, name: &name, dynamic: &[] };
        code += &as_cpp(&request.emit(Target::Wgsl).unwrap());
        let rank = map.dims().len();
        let arguments: Vec<String> = (0..rank).map(|dim| format!("i[{dim}]")).collect();
        let arguments = arguments.join(", ");
        let place: Vec<String> = (0..rank).map(|dim| format!("place.i[{dim}]")).collect();
        let dims: String = map.dims().iter().map(|dim| format!("{dim},")).collect();
        let offsets: String = all_offsets(map).iter().map(|offset| format!("{offset},")).collect();
        let occupied: Vec<u8> = occupied(map).iter().map(|&slot| slot.into()).collect();
        let (elements, allocation, lowest) =
            (map.elements(), map.allocation(), map.lowest_offset());
        let _ = writeln!(
            code,
            "static void check_{name}() {{
  static const int dims[] = {{{dims}0}}, offsets[] = {{{offsets}0}};
  static const unsigned char occupied[] = {};
  for (int e = 0; e < {elements}; e++) {{
    int i[9] = {{}}, rest = e;
    for (int d = {rank} - 1; d >= 0; d--) {{ i[d] = rest % dims[d]; rest /= dims[d]; }}
    expect({name}_offset({arguments}) == offsets[e], \"{name}_offset\");
  }}
  for (int s = -2; s < {allocation} + 2; s++) {{
    const auto place = {name}_index(s + ({lowest}));
    expect(place.valid == (s >= 0 && s < {allocation} && occupied[s]), \"{name}_index\");
    if (place.valid) expect({name}_offset({}) == s + ({lowest}), \"{name}_index place\");
  }}
}}",
            byte_literal(&occupied),
            place.join(", "),
        );
        let _ = writeln!(calls, "  check_{name}();");
    }
    let mut n_staged = 0;
    for (number, (from, to)) in small_pairs(&mut random, 120).into_iter().enumerate() {
        let name = format!("r{number}");
        let request = Request { array: &from, other: Some(&to), name: &name, dynamic: &[] };
        let Ok(shader) = request.emit(Target::Wgsl) else {
            let widths = [from.element_bits(), to.element_bits()];
            assert!(
                widths.iter().any(|bits| !bits.is_power_of_two()),
                "{} to {}",
                from.text(),
                to.text()
            );
            continue;
        };
        code += &as_cpp(&shader);
        let is_staged = shader.contains("workgroupBarrier()");
        n_staged += usize::from(is_staged);
        let launch = match is_staged {
            true => format!("launch({name}_relayout);"),
            false => format!(
                "for (u32 id = 0; id < 64; id++) {name}_relayout(vec3{{id, 0, 0}}, vec3{{1, 1, 1}});"
            ),
        };
        let src = bytes(&mut random, from.bytes());
        let dst = expected(&from, &to, &src);
        let (src_bytes, dst_bytes) = (src.len(), dst.len());
        let _ = writeln!(
            code,
            "static void check_{name}() {{
  static const unsigned char src[] = {}, expected[] = {};
  {name}_src.resize({src_bytes} / sizeof {name}_src[0] + 1);
  {name}_dst.resize({dst_bytes} / sizeof {name}_dst[0] + 1);
  memcpy({name}_src.data(), src, {src_bytes});
  memset({name}_dst.data(), 0xa5, {name}_dst.size() * sizeof {name}_dst[0]);
  {launch}
  expect(memcmp({name}_dst.data(), expected, {dst_bytes}) == 0, \"{name}: {} to {}\");
}}",
            byte_literal(&src),
            byte_literal(&dst),
            from.text(),
            to.text(),
        );
        let _ = writeln!(calls, "  check_{name}();");
    }
    assert!(n_staged > 10, "only {n_staged} relayouts go through workgroup memory");
    code += &format!("int main() {{\n{calls}  return failures != 0;\n}}\n");
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.cpp"), folder.path().join("all"));
    std::fs::write(&source, code).unwrap();
    succeed(
        Command::new("c++").args(["-std=c++20", "-O0", "-pthread", "-o"]).arg(&binary).arg(&source),
    );
    succeed(&mut Command::new(&binary));
}

/// What naga, which compiles WGSL in browsers and elsewhere, says of a module.
fn validated(code: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(code).map_err(|error| error.emit_to_string(code))?;
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty());
    validator.validate(&module).map(drop).map_err(|error| error.emit_to_string(code))
}

#[test]
fn naga_accepts_every_module() {
    let mut random = Random(51);
    let mut n_modules = 0;
    let mut check = |request: Request<'_>| {
        let Ok(code) = request.emit(Target::Wgsl) else { return };
        n_modules += 1;
        let validated = validated(&code);
        assert!(validated.is_ok(), "{}\n{code}", validated.unwrap_err());
    };
    for array in arrays(&mut random, 250) {
        check(Request { array: &array, other: None, name: "tw", dynamic: &[] });
    }
    for (from, to) in small_pairs(&mut random, 250) {
        check(Request { array: &from, other: Some(&to), name: "tw", dynamic: &[] });
    }
    assert!(n_modules > 400, "only {n_modules} modules");
    assert!(validated("fn f() -> i32 { return 1u; }").is_err());
}
