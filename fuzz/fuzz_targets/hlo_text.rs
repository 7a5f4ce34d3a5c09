//! The target `hlo_text`, for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tilewright_fuzz::run("hlo_text", data));
