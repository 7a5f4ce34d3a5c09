//! The target `memory_report`, for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tilewright_fuzz::run("memory_report", data));
