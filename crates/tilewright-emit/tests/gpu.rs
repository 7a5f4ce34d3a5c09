//! The printed CUDA and OpenCL C, compiled as C++ with empty qualifiers, all threads run one after the other.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::process::Command;

use support::{Random, byte_list, bytes, expected, small_pairs, succeed};
use tilewright_emit::{Request, Target};

const COMMON: &str = "
#include <cstdint>
#include <cstdio>
#include <cstring>
static int failures;
static void expect(bool holds, const char *what) {
  if (!holds && failures++ < 20) fprintf(stderr, \"%s\\n\", what);
}
struct uint4 { unsigned x, y, z, w; };
static unsigned thread_number;
const unsigned N_THREADS = 7;
";

const CUDA: &str = "
#define __global__
#define __host__
#define __device__
struct Dim { unsigned x; };
static Dim blockIdx, threadIdx, blockDim = {1}, gridDim = {N_THREADS};
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
static void enter(unsigned thread) { blockIdx.x = thread; }
";

/// A vector literal of OpenCL C is no C++, so it is taken for a function of the same arguments.
const OPENCL: &str = "
#define __kernel
#define __global
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
static unsigned the_thread;
static long get_global_id(int) { return the_thread; }
static long get_global_size(int) { return N_THREADS; }
static void enter(unsigned thread) { the_thread = thread; }
static uint4 vector_of(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
";

fn check(target: Target, shim: &str, seed: u64) {
    let mut random = Random(seed);
    let (mut code, mut calls) = (COMMON.to_owned() + shim, String::new());
    let mut n_refused = 0;
    for (number, (from, to)) in small_pairs(&mut random, 250).into_iter().enumerate() {
        let name = format!("r{number}");
        let request = Request { array: &from, other: Some(&to), name: &name, dynamic: &[] };
        let kernel = match request.emit(target) {
            Ok(kernel) => kernel,
            Err(error) => {
                // Elements of 6 or 20 bits begin within bytes, and a thread has no byte of its own there.
                let widths = [from.element_bits(), to.element_bits()];
                assert!(widths.iter().any(|bits| !bits.is_power_of_two()), "{name}: {error}");
                n_refused += 1;
                continue;
            }
        };
        code += &kernel.replace("(uint4)(", "vector_of(");
        let src = bytes(&mut random, from.bytes());
        let _ = writeln!(
            code,
            "static void check_{name}() {{
  alignas(16) static const unsigned char src[] = {{{}}};
  static const unsigned char expected[] = {{{}}};
  alignas(16) static unsigned char dst[{} + 16];
  memset(dst, 0xa5, sizeof dst);
  for (unsigned thread = 0; thread < N_THREADS; thread++) {{ enter(thread); {name}_relayout(src, dst); }}
  expect(memcmp(dst, expected, {}) == 0, \"{name}: {} to {}\");
  for (int k = 0; k < 16; k++) expect(dst[{} + k] == 0xa5, \"{name} wrote too much\");
}}",
            byte_list(&src),
            byte_list(&expected(&from, &to, &src)),
            to.bytes(),
            to.bytes(),
            from.text(),
            to.text(),
            to.bytes(),
        );
        let _ = writeln!(calls, "  check_{name}();");
    }
    assert!(n_refused < 80, "{n_refused} relayouts have no kernel");
    code += &format!("int main() {{\n{calls}  return failures != 0;\n}}\n");
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.cpp"), folder.path().join("all"));
    std::fs::write(&source, code).unwrap();
    let flags = ["-std=c++17", "-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"];
    succeed(Command::new("c++").args(flags).arg(&binary).arg(&source));
    succeed(&mut Command::new(&binary));
}

#[test]
fn cuda_kernels_move_every_byte() {
    check(Target::Cuda, CUDA, 12);
}

#[test]
fn opencl_kernels_move_every_byte() {
    check(Target::OpenCl, OPENCL, 13);
}
