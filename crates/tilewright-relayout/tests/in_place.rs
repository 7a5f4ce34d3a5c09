//! Relayouts within one buffer give what they give from one buffer to another.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::num::NonZeroUsize;
use support::{definition, noise, placement};
use tilewright_relayout::{InPlace, Pad, RunOptions, Threads, relayout_in_place};

/// Moves an array within its buffer, and holds it to the definition. Says how many bytes were held
/// besides.
fn check(from: &str, to: &str, bits: u32) -> usize {
    let (from, to) = (placement(from, bits), placement(to, bits));
    let src = noise(from.bytes());
    let expected = definition(&src, &from, &to, 128, 0);
    let plan = InPlace::new(&from, &to).unwrap();
    for threads in [1, 3] {
        let threads = Threads::Count(NonZeroUsize::new(threads).unwrap());
        let mut bytes = src.clone();
        plan.run(&mut bytes, &RunOptions { pad: Pad::Zero, threads }).unwrap();
        assert!(bytes == expected, "{from:?} to {to:?}");
    }
    plan.extra_bytes()
}

#[test]
fn within_tiles_little_is_held() {
    // Eight rows become a row of tiles: the same bytes, many times over.
    let extra = check("f32[1024,1024]", "f32[1024,1024]{1,0:T(8,128)}", 32);
    assert!(extra <= 1 << 20, "{extra} of 4 MiB");
    let extra = check("f32[1024,1024]{1,0:T(8,128)}", "f32[1024,1024]", 32);
    assert!(extra <= 1 << 20, "{extra} of 4 MiB");
    assert_eq!(check("f32[64]{0:T(8)}", "f32[64]", 32), 0);
}

#[test]
fn anything_of_equal_size() {
    assert_eq!(check("f32[512,512]", "f32[512,512]{0,1}", 32), 512 * 512 * 4);
    check("f32[30,40]{1,0:T(2,2)}", "f32[30,40]{0,1:T(4,5)}", 16);
    check("f32[64,256]{1,0:T(8,128)}", "f32[64,256]{1,0:T(16,128)(2,1)}", 4);
    check("f32[24,30]{1,0:T(4,2)}", "f32[24,30]{1,0:T(6,2)}", 8);
    check("f32[0,3]", "f32[0,3]{0,1}", 32);
}

#[test]
fn sizes_must_agree() {
    let (dense, padded) = (placement("f32[3,5]", 32), placement("f32[3,5]{1,0:T(2,2)}", 32));
    let options = RunOptions::default();
    let error = relayout_in_place(&mut [0; 96], &dense, &padded, &options).unwrap_err();
    assert!(error.is_length_mismatch());
    assert_eq!(
        error.to_string(),
        "the source has 60 bytes and the destination 96, expected the same for one buffer"
    );
    let error = relayout_in_place(&mut [0; 61], &dense, &dense, &options).unwrap_err();
    assert_eq!(error.to_string(), "the buffer has 61 bytes, expected 60");
}
