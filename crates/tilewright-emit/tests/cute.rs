//! CuTe's types, compiled against a model of the layouts they are, and asked for every offset.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::process::Command;

use support::{Random, all_offsets, arrays, succeed};
use tilewright_emit::{Request, Target};

/// A layout is a function of one coordinate for each outer mode, each taken apart from the left.
const MODEL: &str = "
#pragma once
namespace cute {
template <long N> struct Int {};
template <class... T> struct Shape {};
template <class... T> struct Stride {};
template <class S, class D> struct Layout {};
template <long N> constexpr long size(Int<N>) { return N; }
template <class... T> constexpr long size(Shape<T...>) { return (1 * ... * size(T{})); }
template <long N, long D> constexpr long at(Int<N>, Int<D>, long c) { return c * D; }
template <class... S, class... D> constexpr long at(Shape<S...>, Stride<D...>, long c) {
  long sum = 0;
  ((sum += at(S{}, D{}, c % size(S{})), c /= size(S{})), ...);
  return sum;
}
template <long N, long D> constexpr long offset(Layout<Int<N>, Int<D>>, const long *i) { return i[0] * D; }
template <class... S, class... D> constexpr long offset(Layout<Shape<S...>, Stride<D...>>, const long *i) {
  long sum = 0, dim = 0;
  ((sum += at(S{}, D{}, i[dim++])), ...);
  return sum;
}
template <int B, int M, int S> struct Swizzle {};
template <class A, class O, class L> struct ComposedLayout {};
template <int B, int M, int S> constexpr long outer(Swizzle<B, M, S>, long x) {
  const long mask = ((1L << B) - 1) << M;
  return S < 0 ? x ^ ((x & mask) << -S) : x ^ (((x >> S) & mask));
}
template <long N, long D> constexpr long outer(Layout<Int<N>, Int<D>>, long x) { return x * D; }
template <class... S, class... D> constexpr long outer(Layout<Shape<S...>, Stride<D...>>, long x) {
  long sum = 0, n = 0;
  ((sum += at(S{}, D{}, ++n == sizeof...(S) ? x : x % size(S{})), x /= size(S{})), ...);
  return sum;
}
template <class A, long N, class L> constexpr long offset(ComposedLayout<A, Int<N>, L>, const long *i) {
  return outer(A{}, N + offset(L{}, i));
}
}
";

#[test]
fn types_give_every_offset() {
    let mut random = Random(40);
    let mut code = "#include <cstdio>\nstatic int failures;\n".to_owned();
    let mut calls = String::new();
    let (mut n_types, mut n_swizzles) = (0, 0);
    for (number, array) in arrays(&mut random, 250).iter().enumerate() {
        let (name, map) = (format!("l{number}"), array.map());
        let request = Request { array, other: None, name: &name, dynamic: &[] };
        let text = match request.emit(Target::Cute) {
            Ok(text) => text,
            Err(error) => {
                assert!(error.to_string().starts_with("CuTe has no type for `"), "{error}");
                continue;
            }
        };
        n_types += 1;
        n_swizzles += usize::from(text.contains("Swizzle<"));
        code += &text.replace("#pragma once\n", "");
        let rank = map.dims().len();
        let dims: String = map.dims().iter().map(|dim| format!("{dim},")).collect();
        let offsets: String = all_offsets(map).iter().map(|offset| format!("{offset},")).collect();
        let _ = writeln!(
            code,
            "static void check_{name}() {{
  static const long dims[] = {{{dims}0}}, offsets[] = {{{offsets}}};
  for (long e = 0; e < {}; e++) {{
    long i[9] = {{}}, rest = e;
    for (int d = {rank} - 1; d >= 0; d--) {{ i[d] = rest % dims[d]; rest /= dims[d]; }}
    if (cute::offset({name}_layout{{}}, i) != offsets[e] && !failures++) fprintf(stderr, \"{name} at %ld\\n\", e);
  }}
}}",
            map.elements()
        );
        let _ = writeln!(calls, "  check_{name}();");
    }
    assert!(n_types > 60, "only {n_types} layouts have types");
    assert!(n_swizzles > 10, "only {n_swizzles} layouts have types with swizzles");
    code += &format!("int main() {{\n{calls}  return failures != 0;\n}}\n");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("cute")).unwrap();
    std::fs::write(folder.path().join("cute/layout.hpp"), MODEL).unwrap();
    for header in ["swizzle.hpp", "layout_composed.hpp"] {
        std::fs::write(folder.path().join("cute").join(header), "").unwrap();
    }
    let (source, binary) = (folder.path().join("all.cpp"), folder.path().join("all"));
    std::fs::write(&source, code).unwrap();
    succeed(
        Command::new("c++")
            .args(["-std=c++17", "-O0", "-I"])
            .arg(folder.path())
            .arg("-o")
            .arg(&binary)
            .arg(&source),
    );
    succeed(&mut Command::new(&binary));
}
