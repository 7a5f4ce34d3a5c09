//! The target `literal`, for libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tilewright_fuzz::run("literal", data));
