//! The emitted C of offsets beside what is written by hand with quotients and remainders: ns for each index.
//!
//! ```sh
//! cargo run --release -p tilewright-emit --example offsets
//! ```
//!
//! 4096 random indices in the first cache, in numbers of 32 and of 64 bits; medians of 41 rounds in turns. The C is compiled by
//! `cc` (`$CC`) twice, and compares all offsets before it times any.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "an example stops where something is wrong"
)]

use std::process::Command;

use tilewright_emit::{Array, Request, Target};

/// Layouts, and their offsets by hand, of a row `r` and a column `c` that are unsigned.
const CASES: &[(&str, &str)] = &[
    (
        "bf16[4096,8192]{1,0:T(8,128)(2,1)}",
        "((r / 8) * 64 + c / 128) * 1024 + ((r % 8) / 2 * 128 + c % 128) * 2 + r % 2",
    ),
    (
        "u4[4096,11008]@marlin",
        "(r / 16) * 176128 + (c / 64) * 1024 + (c % 8) * 128 + ((r / 2) % 4) * 32 + ((c / 16) % 4) * 8 \
         + (r % 2) * 4 + ((c / 8) % 2) * 2 + (r / 8) % 2",
    ),
    (
        "f8e8m0fnu[4096,512]@sf128x4",
        "((r / 128) * 128 + c / 4) * 512 + (r % 32) * 16 + ((r % 128) / 32) * 4 + c % 4",
    ),
];

fn main() {
    println!(
        "| layout | numbers | `-O2` emitted | by hand | `-O3 -march=native` emitted | by hand |"
    );
    println!("|---|---|---|---|---|---|");
    for (layout, by_hand) in CASES {
        for word in ["uint32_t", "int64_t"] {
            let times: Vec<String> = ["-O2", "-O3 -march=native"]
                .map(|flags| measure(layout, by_hand, word, flags).trim().to_owned())
                .to_vec();
            println!("| `{layout}` | `{word}` | {} |", times.join(" | "));
        }
    }
}

/// The two times as cells of a table.
fn measure(layout: &str, by_hand: &str, word: &str, flags: &str) -> String {
    let array = Array::of(&layout.parse().unwrap()).unwrap();
    let code =
        Request { array: &array, other: None, name: "tw", dynamic: &[] }.emit(Target::C).unwrap();
    let [rows, columns] = array.map().dims() else { unreachable!("all cases have two dimensions") };
    let program = format!(
        "#define _POSIX_C_SOURCE 200112L
{code}
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define N 4096
typedef {word} word;
static inline int64_t hand_offset(int64_t i0, int64_t i1) {{
  const uint32_t r = (uint32_t)i0, c = (uint32_t)i1;
  return {by_hand};
}}
static word a[N], b[N], out[N];
#define PASS(f) static __attribute__((noinline)) void f##_pass(void) {{ \\
  for (int k = 0; k < N; k++) out[k] = (word)f##_offset(a[k], b[k]); \\
  __asm__ volatile(\"\" :: \"r\"(a), \"r\"(b), \"r\"(out) : \"memory\"); }}
PASS(tw)
PASS(hand)
static double timed(void (*pass)(void)) {{
  struct timespec x, y;
  clock_gettime(CLOCK_MONOTONIC, &x);
  for (int k = 0; k < 100; k++) pass();
  clock_gettime(CLOCK_MONOTONIC, &y);
  return ((double)(y.tv_sec - x.tv_sec) * 1e9 + (double)(y.tv_nsec - x.tv_nsec)) / 100 / N;
}}
static int order(const void *x, const void *y) {{
  const double p = *(const double *)x, q = *(const double *)y;
  return (p > q) - (p < q);
}}
int main(void) {{
  for (int64_t r = 0; r < {rows}; r++)
    for (int64_t c = 0; c < {columns}; c++)
      if (tw_offset(r, c) != hand_offset(r, c)) return 1;
  for (int k = 0; k < N; k++) {{ a[k] = (word)(rand() % {rows}); b[k] = (word)(rand() % {columns}); }}
  double tw[41], hand[41];
  for (int round = 0; round < 41; round++) {{ tw[round] = timed(tw_pass); hand[round] = timed(hand_pass); }}
  qsort(tw, 41, sizeof *tw, order);
  qsort(hand, 41, sizeof *hand, order);
  printf(\"%.3f | %.3f\\n\", tw[20], hand[20]);
}}
"
    );
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("tw.c"), folder.path().join("tw"));
    std::fs::write(&source, program).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut compile = Command::new(compiler);
    compile.args(flags.split_whitespace()).arg("-o").arg(&binary).arg(&source);
    assert!(compile.status().unwrap().success(), "the C does not compile");
    let output = Command::new(&binary).output().unwrap();
    assert!(output.status.success(), "{layout}: offsets differ");
    String::from_utf8(output.stdout).unwrap()
}
