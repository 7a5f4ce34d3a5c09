//! The target `index_json`, for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tilewright_fuzz::run("index_json", data));
