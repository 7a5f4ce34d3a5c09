//! The printed C, compiled in one go and run, against tables of the maps.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use support::{Random, all_offsets, arrays, byte_literal, bytes, expected, small_pairs, succeed};
use tilewright_emit::{Array, Request, Target};

/// A function that checks one layout's functions at every element and every slot.
fn check_of_layout(array: &Array, name: &str) -> String {
    let map = array.map();
    let (rank, dims) = (map.dims().len(), map.dims());
    let offsets = all_offsets(map);
    let owner = |slot: i64| map.index(map.lowest_offset() + slot).unwrap();
    let occupied: Vec<u8> =
        (0..map.allocation()).map(|slot| owner(slot).is_some().into()).collect();
    let mut code = String::new();
    let arguments: Vec<String> = (0..rank).map(|dim| format!("i[{dim}]")).collect();
    let pointers: String = (0..rank).map(|dim| format!(", &i[{dim}]")).collect();
    let _ = write!(
        code,
        "static void check_{name}(void) {{
  static const int64_t dims[] = {{{dims}0}};
  static const int32_t offsets[] = {{{offsets}0}};
  static const unsigned char occupied[] = {occupied};
  int64_t i[9] = {{0}};
  expect({name}_elements == {elements} && {name}_allocation == {allocation}, \"{name}\", 0);
  for (int64_t e = 0; e < {elements}; e++) {{
    int64_t rest = e;
    for (int d = {rank} - 1; d >= 0; d--) {{ i[d] = rest % dims[d]; rest /= dims[d]; }}
    expect({name}_offset({arguments}) == offsets[e], \"{name}_offset\", e);
  }}
  for (int64_t s = -2; s < {allocation} + 2; s++) {{
    const int64_t offset = s + ({lowest}LL);
    const int inside = s >= 0 && s < {allocation} && occupied[s];
    i[0] = -7;
    const int found = {name}_index(offset{pointers});
    expect(found == inside, \"{name}_index\", s);
    if (found) {{
      for (int d = 0; d < {rank}; d++) expect(i[d] >= 0 && i[d] < dims[d], \"{name}_index bounds\", s);
      expect({name}_offset({arguments}) == offset, \"{name}_index place\", s);
    }} else expect(i[0] == -7, \"{name}_index stores\", s);
  }}
}}
",
        dims = dims.iter().map(|dim| format!("{dim},")).collect::<String>(),
        offsets = offsets.iter().map(|offset| format!("{offset},")).collect::<String>(),
        occupied = byte_literal(&occupied),
        elements = map.elements(),
        allocation = map.allocation(),
        lowest = map.lowest_offset(),
        arguments = arguments.join(", "),
    );
    code
}

/// A function that checks a relayout of bytes without a pattern; buffers are exactly as long as they should be.
fn check_of_relayout(from: &Array, to: &Array, name: &str, random: &mut Random) -> String {
    let src = bytes(random, from.bytes());
    let dst = expected(from, to, &src);
    format!(
        "static void check_{name}(void) {{
  static const unsigned char src[] = {src};
  static const unsigned char expected[] = {expected};
  unsigned char *from = malloc({from_bytes} + 1), *to = malloc({to_bytes} + 1);
  memcpy(from, src, {from_bytes});
  memset(to, 0xa5, {to_bytes} + 1);
  from = realloc(from, {from_bytes}); /* so that nothing behind it may be read */
  {name}_relayout(from, to);
  expect(memcmp(to, expected, {to_bytes}) == 0, \"{name}_relayout\", 0);
  expect(to[{to_bytes}] == 0xa5, \"{name}_relayout wrote too much\", 0);
  free(from); free(to);
}}
",
        src = byte_literal(&src),
        expected = byte_literal(&dst),
        from_bytes = from.bytes().max(1),
        to_bytes = to.bytes(),
    )
}

fn program(random: &mut Random, n_layouts: usize, n_pairs: usize) -> String {
    let mut code =
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>
static int failures;
static void expect(int holds, const char *what, long long at) {
  if (!holds && failures++ < 20) fprintf(stderr, \"%s at %lld\\n\", what, at);
}\n"
        .to_owned();
    let mut calls = String::new();
    for (number, array) in arrays(random, n_layouts).iter().enumerate() {
        let name = format!("l{number}");
        code += &Request { array, other: None, name: &name, dynamic: &[] }.emit(Target::C).unwrap();
        code += &check_of_layout(array, &name);
        let _ = writeln!(calls, "  check_{name}();");
    }
    for (number, (from, to)) in small_pairs(random, n_pairs).into_iter().enumerate() {
        let name = format!("r{number}");
        code += &Request { array: &from, other: Some(&to), name: &name, dynamic: &[] }
            .emit(Target::C)
            .unwrap();
        code += &check_of_relayout(&from, &to, &name, random);
        let _ = writeln!(calls, "  check_{name}();");
    }
    code + "int main(void) {\n" + &calls + "  return failures != 0;\n}\n"
}

fn compile_and_run(folder: &Path, code: &str, compiler: &str, file: &str, flags: &[&str]) {
    let (source, binary) = (folder.join(file), folder.join(format!("{file}.out")));
    std::fs::write(&source, code).unwrap();
    succeed(Command::new(compiler).args(flags).arg("-o").arg(&binary).arg(&source));
    succeed(&mut Command::new(&binary));
}

#[test]
fn compiled_code_agrees_with_the_maps() {
    let mut random = Random(3);
    let folder = tempfile::tempdir().unwrap();
    let code = program(&mut random, 250, 150);
    let flags = [
        "-std=c99",
        "-O0",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-function",
        "-pedantic",
        "-Wno-overlength-strings",
    ];
    compile_and_run(folder.path(), &code, "cc", "all.c", &flags);
}

#[test]
fn compiled_code_does_nothing_undefined() {
    let mut random = Random(4);
    let folder = tempfile::tempdir().unwrap();
    let code = program(&mut random, 40, 20);
    let flags =
        ["-std=c99", "-O0", "-g", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"];
    compile_and_run(folder.path(), &code, "cc", "checked.c", &flags);
}
