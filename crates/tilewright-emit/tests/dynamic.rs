//! Code whose extent along a dimension is an argument, against the map of every extent.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::process::Command;

use support::{all_offsets, byte_list, occupied, row_major_index, succeed};
use tilewright::notation::Described;
use tilewright_emit::{Array, Request, Target};

/// A layout with `N` for the extent, and which dimension has it.
const LAYOUTS: &[(&str, usize)] = &[
    ("f32[N,5]", 0),
    ("f32[N,5]{0,1}", 0),
    ("f32[N,20]{1,0:T(8,16)}", 0),
    ("f32[N,20]{0,1:T(8,16)}", 0),
    ("bf16[N,20]{1,0:T(8,16)(2,1)}", 0),
    ("bf16[20,N]{1,0:T(8,16)(2,1)}", 1),
    ("f32[3,N,4]{2,0,1:T(4)}", 1),
    ("f32[6,N] aB16b", 1),
    ("f32[N,9] strides=(36,4)", 0),
    ("u8[N,8]@sf128x4", 0),
];

const EXTENTS: [i64; 9] = [1, 2, 7, 8, 9, 16, 17, 33, 40];

fn array(text: &str, extent: i64) -> Array {
    Array::of(&text.replace('N', &extent.to_string()).parse::<Described>().unwrap()).unwrap()
}

#[test]
fn functions_of_the_extent_agree_with_every_map() {
    let mut code = "#include <stdio.h>\nstatic int failures;
static void expect(int holds, const char *what, long long n) {
  if (!holds && failures++ < 20) fprintf(stderr, \"%s of %lld\\n\", what, n);
}\n"
    .to_owned();
    let mut calls = String::new();
    for (number, &(text, dim)) in LAYOUTS.iter().enumerate() {
        let name = format!("l{number}");
        let request =
            Request { array: &array(text, 24), other: None, name: &name, dynamic: &[dim] };
        code += &request.emit(Target::C).unwrap_or_else(|error| panic!("{text}: {error}"));
        for extent in EXTENTS {
            let of_extent = array(text, extent);
            let map = of_extent.map();
            let rank = map.dims().len();
            let index: Vec<String> = (0..rank).map(|dim| format!("i[{dim}]")).collect();
            let pointers: Vec<String> = (0..rank).map(|dim| format!("&i[{dim}]")).collect();
            let occupied: Vec<u8> = occupied(map).iter().map(|&slot| slot.into()).collect();
            let _ = writeln!(
                code,
                "static void check_{name}_{extent}(void) {{
  static const int64_t dims[] = {{{}}};
  static const int32_t offsets[] = {{{}}};
  static const unsigned char occupied[] = {{{}}};
  int64_t i[9] = {{0}};
  expect({name}_elements({extent}) == {elements}, \"{text}: elements\", {extent});
  expect({name}_allocation({extent}) == {allocation}, \"{text}: allocation\", {extent});
  for (int64_t e = 0; e < {elements}; e++) {{
    int64_t rest = e;
    for (int d = {rank} - 1; d >= 0; d--) {{ i[d] = rest % dims[d]; rest /= dims[d]; }}
    expect({name}_offset({index}, {extent}) == offsets[e], \"{text}: offset\", {extent});
  }}
  for (int64_t s = -1; s <= {allocation}; s++) {{
    const int found = {name}_index(s, {extent}, {pointers});
    expect(found == (s >= 0 && s < {allocation} && occupied[s]), \"{text}: index\", {extent});
    if (found) expect({name}_offset({index}, {extent}) == s, \"{text}: place\", {extent});
  }}
}}",
                map.dims().iter().map(|dim| format!("{dim},")).collect::<String>(),
                all_offsets(map).iter().map(|offset| format!("{offset},")).collect::<String>(),
                byte_list(&occupied),
                elements = map.elements(),
                allocation = map.allocation(),
                index = index.join(", "),
                pointers = pointers.join(", "),
            );
            let _ = writeln!(calls, "  check_{name}_{extent}();");
        }
    }
    code += &format!("int main(void) {{\n{calls}  return failures != 0;\n}}\n");
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    std::fs::write(&source, code).unwrap();
    let flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-o"];
    succeed(Command::new("cc").args(flags).arg(&binary).arg(&source));
    succeed(&mut Command::new(&binary));
}

/// Layouts with `N` for the extent that become others, and which dimension has it.
const PAIRS: &[(&str, &str, usize)] = &[
    ("f32[N,20]", "f32[N,20]{1,0:T(8,16)}", 0),
    ("f32[N,20]{1,0:T(8,16)}", "f32[N,20]{0,1}", 0),
    ("bf16[N,20]", "bf16[N,20]{1,0:T(8,16)(2,1)}", 0),
    ("f64[3,N,4]{2,0,1:T(4)}", "f64[3,N,4]", 1),
    ("u8[N,8]", "u8[N,8]@sf128x4", 0),
    ("s4[N,5]", "s4[N,5]{0,1:T(8)E(4)}", 0),
    ("s4[N,5]{1,0:E(4)}", "s4[N,5]{0,1:E(4)}", 0),
];

/// Bytes before and after a relayout of each extent, as tables of C.
fn before_and_after(number: usize, extent: i64) -> (Vec<u8>, Vec<u8>) {
    let (from, to, _) = PAIRS[number];
    let (from, to) = (array(from, extent), array(to, extent));
    let src = support::bytes(&mut support::Random(number as u64), from.bytes());
    let dst = support::expected(&from, &to, &src);
    (src, dst)
}

/// The code of a pair, made at one extent.
fn relayout_of(number: usize, target: Target) -> Result<String, tilewright_emit::Error> {
    let (from, to, dim) = PAIRS[number];
    let (from, to, name) = (array(from, 24), array(to, 24), format!("r{number}"));
    Request { array: &from, other: Some(&to), name: &name, dynamic: &[dim] }.emit(target)
}

#[test]
fn relayouts_of_the_extent_move_every_byte() {
    let mut code = "#include <stdio.h>\nstatic int failures;\n".to_owned();
    let (mut rust, mut rust_calls) = (String::new(), String::new());
    let (mut python, mut calls) = (String::new(), String::new());
    let mut python_calls = String::new();
    for number in 0..PAIRS.len() {
        code += &relayout_of(number, Target::C).unwrap();
        rust += &relayout_of(number, Target::Rust).unwrap();
        python += &relayout_of(number, Target::Python).unwrap();
        for extent in EXTENTS {
            let (src, dst) = before_and_after(number, extent);
            let n = dst.len();
            let (from, to) = (byte_list(&src), byte_list(&dst));
            let _ = writeln!(
                code,
                "static void check_{number}_{extent}(void) {{
  static const unsigned char src[] = {{{from}}}, expected[] = {{{to}}};
  static unsigned char dst[{n} + 8];
  memset(dst, 0xa5, sizeof dst);
  r{number}_relayout(src, dst, {extent});
  if (memcmp(dst, expected, {n}) && failures++ < 20) fprintf(stderr, \"pair {number} of {extent}\\n\");
  for (int k = 0; k < 8; k++) if (dst[{n} + k] != 0xa5) failures++;
}}"
            );
            let _ = writeln!(calls, "  check_{number}_{extent}();");
            let _ = writeln!(
                rust_calls,
                "  {{ let mut dst = vec![0xa5; {n}]; r{number}_relayout(&[{from}], &mut dst, {extent});
    assert_eq!(dst, [{to}], \"pair {number} of {extent}\"); }}"
            );
            let _ = writeln!(
                python_calls,
                "assert r{number}_relayout(bytes([{from}]), {extent}).tolist() == [{to}], ({number}, {extent})"
            );
        }
    }
    code += &format!("int main(void) {{\n{calls}  return failures != 0;\n}}\n");
    rust += &format!("fn main() {{\n{rust_calls}}}\n");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("all.c"), code).unwrap();
    std::fs::write(file("all.rs"), rust).unwrap();
    let flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined,address"];
    succeed(Command::new("cc").args(flags).arg("-o").arg(file("c")).arg(file("all.c")));
    succeed(&mut Command::new(file("c")));
    let flags = ["--edition=2021", "-o"];
    succeed(Command::new("rustc").args(flags).arg(file("rs")).arg(file("all.rs")));
    succeed(&mut Command::new(file("rs")));
    support::run_python(&(python + &python_calls));
}

/// CUDA with empty qualifiers, a thread after the other.
#[test]
fn kernels_of_the_extent_move_every_byte() {
    let mut code = "#include <cstdio>\n#include <cstring>
#define __global__\n#define __host__\n#define __device__
struct Dim { unsigned x; };
static Dim blockIdx, threadIdx, blockDim = {2}, gridDim = {3};
static int failures;\n"
        .to_owned();
    let (mut calls, mut n_refused) = (String::new(), 0);
    for number in 0..PAIRS.len() {
        match relayout_of(number, Target::Cuda) {
            Ok(kernel) => code += &kernel,
            Err(reason) => {
                assert!(reason.to_string().contains("become slots of 4,"), "{reason}");
                n_refused += 1;
                continue;
            }
        }
        for extent in EXTENTS {
            let (src, dst) = before_and_after(number, extent);
            let n = dst.len();
            let _ = writeln!(
                code,
                "static void check_{number}_{extent}() {{
  alignas(16) static const unsigned char src[] = {{{}}}, expected[] = {{{}}};
  alignas(16) static unsigned char dst[{n} + 8];
  memset(dst, 0xa5, sizeof dst);
  for (blockIdx.x = 0; blockIdx.x < 3; blockIdx.x++)
    for (threadIdx.x = 0; threadIdx.x < 2; threadIdx.x++) r{number}_relayout(src, dst, {extent});
  if (memcmp(dst, expected, {n}) && failures++ < 20) fprintf(stderr, \"pair {number} of {extent}\\n\");
  for (int k = 0; k < 8; k++) if (dst[{n} + k] != 0xa5) failures++;
}}",
                byte_list(&src),
                byte_list(&dst)
            );
            let _ = writeln!(calls, "  check_{number}_{extent}();");
        }
    }
    assert_eq!(n_refused, 2, "slots that share bytes");
    code += &format!("int main() {{\n{calls}  return failures != 0;\n}}\n");
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.cpp"), folder.path().join("all"));
    std::fs::write(&source, code).unwrap();
    let flags = ["-std=c++17", "-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"];
    succeed(Command::new("c++").args(flags).arg(&binary).arg(&source));
    succeed(&mut Command::new(&binary));
}

#[test]
fn rusts_functions_of_the_extent_agree_with_every_map() {
    let (mut code, mut calls) = (String::new(), String::new());
    for (number, &(text, dim)) in LAYOUTS.iter().enumerate() {
        let name = format!("l{number}");
        let request =
            Request { array: &array(text, 24), other: None, name: &name, dynamic: &[dim] };
        code += &request.emit(Target::Rust).unwrap_or_else(|error| panic!("{text}: {error}"));
        for extent in EXTENTS {
            let of_extent = array(text, extent);
            let map = of_extent.map();
            let index: Vec<String> = (0..map.dims().len()).map(|d| format!("i[{d}]")).collect();
            let index = index.join(", ");
            let rows: Vec<String> = (0..map.elements())
                .map(|number| format!("{:?}", row_major_index(map.dims(), number)))
                .collect();
            let _ = writeln!(
                calls,
                "  {{
    let offsets: Vec<i64> = vec!{offsets:?};
    let indexes: Vec<[i64; {rank}]> = vec![{rows}];
    assert_eq!({name}_elements({extent}), offsets.len() as i64);
    assert_eq!({name}_allocation({extent}), {allocation});
    for (i, &offset) in indexes.iter().zip(&offsets) {{ assert_eq!({name}_offset({index}, {extent}), offset); }}
    for s in -1..={allocation} {{
      let place = offsets.iter().position(|&offset| offset == s).map(|e| indexes[e]);
      assert_eq!({name}_index(s, {extent}), place, \"{{}} of {extent} at {{s}}\", {text:?});
    }}
  }}",
                offsets = all_offsets(map),
                rank = map.dims().len(),
                rows = rows.join(","),
                allocation = map.allocation(),
            );
        }
    }
    code += &format!("fn main() {{\n{calls}}}\n");
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.rs"), folder.path().join("all"));
    std::fs::write(&source, code).unwrap();
    succeed(Command::new("rustc").args(["--edition=2021", "-o"]).arg(&binary).arg(&source));
    succeed(&mut Command::new(&binary));
}

/// Where there is no numpy the text is compiled only, as `python.rs` does it.
#[test]
fn pythons_functions_of_the_extent_agree_with_every_map() {
    let (mut code, mut calls) = (String::new(), String::new());
    for (number, &(text, dim)) in LAYOUTS.iter().enumerate() {
        let name = format!("l{number}");
        let request =
            Request { array: &array(text, 24), other: None, name: &name, dynamic: &[dim] };
        code += &request.emit(Target::Python).unwrap_or_else(|error| panic!("{text}: {error}"));
        for extent in EXTENTS {
            let of_extent = array(text, extent);
            let map = of_extent.map();
            let occupied: Vec<u8> = occupied(map).iter().map(|&slot| slot.into()).collect();
            let _ = writeln!(
                calls,
                "check('{name}', {extent}, {:?}, {:?}, {occupied:?})",
                map.dims(),
                all_offsets(map),
            );
        }
    }
    let check = "
def check(name, n, dims, offsets, occupied):
    of = lambda what: globals()[f'{name}_{what}']
    index = np.indices(dims).reshape(len(dims), -1)
    assert of('offset')(*index, n).tolist() == offsets, (name, n)
    assert (of('elements')(n), of('allocation')(n)) == (len(offsets), len(occupied)), (name, n)
    valid, found = of('index')(np.arange(-2, len(occupied) + 2), n)
    assert valid.tolist() == [False, False, *map(bool, occupied), False, False], (name, n)
    found = [along[valid] for along in found]
    assert of('offset')(*found, n).tolist() == sorted(offsets), (name, n)

";
    support::run_python(&(code + check + &calls));
}

#[test]
fn what_is_not_affine_in_the_extent_is_refused() {
    let refused = |text: &str, dynamic: &[usize], target: Target, reason: &str| {
        let array = array(text, 24);
        let request = Request { array: &array, other: None, name: "tw", dynamic };
        let error = request.emit(target).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    };
    refused("f32[N,5]{1,0:T(*,6)}", &[0], Target::C, "not affine in the extent of dimension 0");
    refused("f32 (4,8):(8,1)", &[0], Target::C, "said by its extents");
    refused("f32[N,5]", &[2], Target::C, "no dimension 2");
    refused("f32[N,5]", &[0, 1], Target::C, "not of several");
    refused("f32[N,5]", &[0], Target::Mlir, "not in mlir, whose");
    refused("f32[N,5]", &[0], Target::Cute, "whose types are made of numbers");
}
