//! The emitted C of relayouts beside the engine, on one thread: GB/s read and written, medians of rounds in turn.
//!
//! ```sh
//! cargo run --release -p tilewright-emit --example speed [-- FROM TO]
//! ```
//!
//! The C is compiled by `cc -O3 -march=native` (`$CC`, `$CFLAGS`), checks one relayout byte by byte against the engine's,
//! and times itself in a process of its own.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "an example stops where something is wrong"
)]

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tilewright_emit::{Array, Request, Target};
use tilewright_relayout::{Pad, Placement, Plan, RunOptions, Threads};

/// The cases of the benchmark whose C has a goal, those of elements below a byte, and those that go through rows.
const CASES: &[(&str, &str, &str)] = &[
    ("A", "f32[8192,8192]", "f32[8192,8192]{1,0:T(8,128)}"),
    ("C", "bf16[8192,8192]", "bf16[8192,8192]{1,0:T(8,128)(2,1)}"),
    ("E", "f32[8192,8192]", "f32[8192,8192]{0,1}"),
    ("G", "bf16[128,16,1024,64]", "bf16[128,16,1024,64]{3,1,2,0}"),
    ("J", "pred[8192,8192]", "pred[8192,8192]{1,0:T(32,128)(32,1)E(1)}"),
    ("J'", "pred[8192,8192]{1,0:T(32,128)(32,1)E(1)}", "pred[8192,8192]"),
    ("N", "s4[16384,8192]", "s4[16384,8192]{1,0:E(4)}"),
    ("N'", "s4[16384,8192]{1,0:E(4)}", "s4[16384,8192]"),
    ("S", "s4[16384,8192]", "s4[16384,8192]{1,0:T(64,128)(8,1)E(4)}"),
    ("S'", "s4[16384,8192]{1,0:T(64,128)(8,1)E(4)}", "s4[16384,8192]"),
    ("nibbles", "s4[8192,8192]{1,0:E(4)}", "s4[8192,8192]{1,0:T(64,128)(8,1)E(4)}"),
    ("marlin", "u4[4096,11008]", "u4[4096,11008]@marlin"),
    ("tiles", "bf16[4000,4000]{1,0:T(5,7)}", "bf16[4000,4000]{1,0:T(7,3)}"),
];

const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!("| case | from → to | engine, GB/s | emitted C | ratio |\n|---|---|---|---|---|");
    match arguments.as_slice() {
        [from, to] => measure("", from, to),
        [name] => CASES
            .iter()
            .filter(|case| case.0 == name)
            .for_each(|(name, from, to)| measure(name, from, to)),
        _ => CASES.iter().for_each(|(name, from, to)| measure(name, from, to)),
    }
}

fn measure(name: &str, from: &str, to: &str) {
    let array = |text: &str| Array::of(&text.parse().unwrap()).unwrap();
    let (source, target) = (array(from), array(to));
    let code = Request { array: &source, other: Some(&target), name: "tw", dynamic: &[] }
        .emit(Target::C)
        .unwrap();
    let placed = |array: &Array| Placement::new(array.map().clone(), array.element_bits()).unwrap();
    let value_bits = source.value_bits().min(target.value_bits());
    let plan = Plan::with_value_bits(&placed(&source), &placed(&target), value_bits).unwrap();
    let plan = plan.flipping((source.xor_mask() ^ target.xor_mask()).into());
    let src: Vec<u8> = (0..plan.src_bytes() as u64).map(pattern).collect();
    let mut dst = vec![0; plan.dst_bytes()];
    let options = RunOptions {
        threads: Threads::Count(NonZeroUsize::MIN),
        pad: Pad::Bits(u128::from(target.padding())),
    };
    let folder = tempfile::tempdir().unwrap();
    let binary = compiled(&code, src.len(), dst.len(), folder.path());
    let mut seconds = Vec::new();
    let mut of_c = Vec::new();
    for _ in 0..ROUNDS {
        let now = Instant::now();
        plan.run(&src, &mut dst, &options).unwrap();
        seconds.push(now.elapsed().as_secs_f64());
        let output = Command::new(&binary).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (taken, sum) = text.trim().split_once(' ').unwrap();
        assert_eq!(sum.parse::<u64>().unwrap(), checksum(&dst), "{from} to {to}");
        of_c.push(taken.parse::<f64>().unwrap());
    }
    let speed = |list: &mut Vec<f64>| {
        list.sort_by(f64::total_cmp);
        (src.len() + dst.len()) as f64 / list[list.len() / 2] / 1e9
    };
    let (engine, c) = (speed(&mut seconds), speed(&mut of_c));
    println!("| {name} | {from} → {to} | {engine:.1} | {c:.1} | {:.2} |", c / engine);
}

/// Bytes of which every bit is some time 0 or 1; the program of C makes the same.
fn pattern(at: u64) -> u8 {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |sum: u64, byte| sum.wrapping_mul(0x0100_0000_01b3).wrapping_add((*byte).into()))
}

fn compiled(code: &str, src: usize, dst: usize, folder: &Path) -> std::path::PathBuf {
    let program = format!(
        "#define _POSIX_C_SOURCE 200112L
{code}
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void) {{
  unsigned char *src = malloc({src}), *dst = malloc({dst});
  for (uint64_t k = 0; k < {src}; k++) src[k] = (unsigned char)(k * 0x9e3779b97f4a7c15ull >> 56);
  double taken = 0;
  for (int round = 0; round < 2; round++) {{ /* the first one has fresh memory */
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    tw_relayout(src, dst);
    clock_gettime(CLOCK_MONOTONIC, &b);
    taken = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
  }}
  uint64_t sum = 0;
  for (uint64_t k = 0; k < {dst}; k++) sum = sum * 0x100000001b3ull + dst[k];
  printf(\"%.9f %llu\\n\", taken, (unsigned long long)sum);
}}
"
    );
    let (source, binary) = (folder.join("tw.c"), folder.join("tw"));
    std::fs::write(&source, program).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let flags = std::env::var("CFLAGS").unwrap_or_else(|_| "-O3 -march=native".to_owned());
    let mut compile = Command::new(compiler);
    compile.args(flags.split_whitespace()).arg("-o").arg(&binary).arg(&source);
    assert!(compile.status().unwrap().success(), "the C does not compile");
    binary
}
