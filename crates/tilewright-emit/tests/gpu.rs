//! The printed CUDA and OpenCL C, compiled as C++ with empty qualifiers. Threads run one after the other; those of kernels
//! with barriers run at once, each a thread of C++, block after block.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::process::Command;

use support::{Random, byte_literal, bytes, expected, small_pairs, succeed};
use tilewright_emit::{Request, Target};

const COMMON: &str = "
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
static int failures;
static void expect(bool holds, const char *what) {
  if (!holds && failures++ < 20) fprintf(stderr, \"%s\\n\", what);
}
struct uint4 { unsigned x, y, z, w; };
const unsigned N_THREADS = 7;
// Of kernels whose threads wait for each other: a number that no tile is a multiple of.
const unsigned N_BLOCKS = 3, BLOCK_THREADS = 11;
static std::barrier<> all_threads(BLOCK_THREADS);
static bool has_blocks;
";

/// Runs a kernel as all of its threads.
const LAUNCH: &str = "
static void launch(void (*kernel)(), bool with_barriers) {
  has_blocks = with_barriers;
  if (!with_barriers) {
    for (unsigned thread = 0; thread < N_THREADS; thread++) { enter(thread, 0); kernel(); }
    return;
  }
  for (unsigned block = 0; block < N_BLOCKS; block++) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < BLOCK_THREADS; thread++)
      threads.emplace_back([=] { enter(block, thread); kernel(); });
    for (std::thread &thread : threads) thread.join();
  }
}
";

const CUDA: &str = "
#define __global__
#define __host__
#define __device__
#define __shared__ static
#define __syncthreads() all_threads.arrive_and_wait()
struct Dim { unsigned x; };
static thread_local Dim blockIdx, threadIdx, blockDim, gridDim;
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
static void enter(unsigned block, unsigned thread) {
  blockIdx.x = block;
  threadIdx.x = thread;
  blockDim.x = has_blocks ? BLOCK_THREADS : 1;
  gridDim.x = has_blocks ? N_BLOCKS : N_THREADS;
}
";

/// A vector literal of OpenCL C is no C++, so it is taken for a function of the same arguments.
const OPENCL: &str = "
#define __kernel
#define __global
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define __local static
#define CLK_LOCAL_MEM_FENCE 0
#define barrier(fence) all_threads.arrive_and_wait()
static thread_local unsigned the_block, the_thread;
static unsigned long get_local_id(int) { return the_thread; }
static unsigned long get_local_size(int) { return has_blocks ? BLOCK_THREADS : 1; }
static unsigned long get_group_id(int) { return the_block; }
static unsigned long get_num_groups(int) { return has_blocks ? N_BLOCKS : N_THREADS; }
static long get_global_id(int) { return the_block * get_local_size(0) + the_thread; }
static long get_global_size(int) { return get_local_size(0) * get_num_groups(0); }
static void enter(unsigned block, unsigned thread) { the_block = block, the_thread = thread; }
static uint4 vector_of(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
";

fn check(target: Target, shim: &str, sanitize: &str, seed: u64) {
    let mut random = Random(seed);
    let (mut code, mut calls) = (COMMON.to_owned() + shim + LAUNCH, String::new());
    let (mut n_refused, mut n_staged) = (0, 0);
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
        let has_barriers = kernel.contains("shared memory, in words");
        n_staged += usize::from(has_barriers);
        let src = bytes(&mut random, from.bytes());
        let _ = writeln!(
            code,
            "static void check_{name}() {{
  alignas(16) static const unsigned char src[] = {};
  static const unsigned char expected[] = {};
  alignas(16) static unsigned char dst[{} + 16];
  memset(dst, 0xa5, sizeof dst);
  launch([] {{ {name}_relayout(src, dst); }}, {has_barriers});
  expect(memcmp(dst, expected, {}) == 0, \"{name}: {} to {}\");
  for (int k = 0; k < 16; k++) expect(dst[{} + k] == 0xa5, \"{name} wrote too much\");
}}",
            byte_literal(&src),
            byte_literal(&expected(&from, &to, &src)),
            to.bytes(),
            to.bytes(),
            from.text(),
            to.text(),
            to.bytes(),
        );
        let _ = writeln!(calls, "  check_{name}();");
    }
    assert!(n_refused < 80, "{n_refused} relayouts have no kernel");
    assert!(n_staged > 20, "only {n_staged} relayouts go through shared memory");
    code += &format!("int main() {{\n{calls}  return failures != 0;\n}}\n");
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.cpp"), folder.path().join("all"));
    std::fs::write(&source, code).unwrap();
    let flags = ["-std=c++20", "-O0", "-pthread", "-fno-sanitize-recover=all"];
    succeed(Command::new("c++").args(flags).arg(sanitize).arg("-o").arg(&binary).arg(&source));
    succeed(&mut Command::new(&binary));
}

#[test]
fn cuda_kernels_move_every_byte() {
    check(Target::Cuda, CUDA, "-fsanitize=undefined", 12);
}

#[test]
fn opencl_kernels_move_every_byte() {
    // What threads do between barriers may not depend on their order.
    check(Target::OpenCl, OPENCL, "-fsanitize=thread", 13);
}
