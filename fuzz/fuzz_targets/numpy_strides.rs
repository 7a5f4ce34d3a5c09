//! The target `numpy_strides`, for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tilewright_fuzz::run("numpy_strides", data));
