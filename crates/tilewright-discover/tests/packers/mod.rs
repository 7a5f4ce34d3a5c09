//! Packing code of hardware formats, written as their kernels' own tools do it: permutations,
//! loops, shifts; not from layouts.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, reason = "each test uses its own")]

pub(crate) mod amd;
pub(crate) mod array;
pub(crate) mod blocked;
pub(crate) mod cublaslt;
pub(crate) mod gguf;
pub(crate) mod gptq;
pub(crate) mod marlin;
pub(crate) mod scales;
pub(crate) mod trtllm;

use std::convert::Infallible;

/// A packing function: codes and the array's dimensions to bytes.
pub(crate) type Pack = fn(&[u32], &[i64]) -> Result<Vec<u8>, Infallible>;

/// The packing code of a format of this name.
pub(crate) fn named(name: &str) -> Pack {
    match name {
        "marlin-4" => marlin::marlin_4,
        "marlin-8" => marlin::marlin_8,
        "marlin-4-a8" => marlin::marlin_4_a8,
        "marlin-8-a8" => marlin::marlin_8_a8,
        "awq-4" => gptq::awq_4,
        "awq-v2-4" => gptq::awq_v2_4,
        "gptq-2" => gptq::gptq_2,
        "gptq-3" => gptq::gptq_3,
        "gptq-4" => gptq::gptq_4,
        "gptq-8" => gptq::gptq_8,
        "aiter-16x16-16bit" => amd::shuffle_weight_16,
        "aiter-16x16-8bit" => amd::shuffle_weight_8,
        "cublaslt-col32" => cublaslt::col32,
        "cublaslt-col4_4r2_8c" => cublaslt::col4_4r2_8c,
        "cublaslt-col32_2r_4r4" => cublaslt::col32_2r_4r4,
        "sf-128x4" => scales::sf_128x4,
        "sf-8x4" => scales::sf_8x4,
        "trtllm-gen-shuffle-a16" => trtllm::shuffle_a16,
        "trtllm-gen-shuffle-a32" => trtllm::shuffle_a32,
        "block-major-k-128" => trtllm::block_major_k,
        other => panic!("no packing code for {other}"),
    }
}
