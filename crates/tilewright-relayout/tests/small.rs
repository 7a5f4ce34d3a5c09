//! Arrays small enough for Miri: each way of moving bytes, once.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use support::{check, check_threads, placement};

/// Checks a pair of layouts both ways, whatever chunks and threads there are.
fn both_ways(a: (&str, u32), b: (&str, u32)) {
    let (a, b) = (placement(a.0, a.1), placement(b.0, b.1));
    check(&a, &b, 128, u128::MAX / 7);
    check(&b, &a, 128, 0);
    check_threads(&a, &b, 5);
}

#[test]
fn runs_and_padding() {
    both_ways(("f32[5,9]", 16), ("f32[5,9]{1,0:T(2,4)}", 16));
    both_ways(("f32[2,40]", 8), ("f32[2,40]{1,0:T(2,32)L(256)}", 8));
}

#[test]
fn rows_zipped() {
    both_ways(("f32[4,19]", 16), ("f32[4,19]{1,0:T(4,8)(2,1)}", 16));
    both_ways(("f32[5,18]", 8), ("f32[5,18]{1,0:T(4,16)(4,1)}", 8));
}

#[test]
fn squares() {
    both_ways(("f32[9,11]{1,0}", 16), ("f32[9,11]{0,1}", 16));
    both_ways(("f32[18,17]{1,0}", 8), ("f32[18,17]{0,1:T(4,8)}", 8));
}

#[test]
fn below_a_byte() {
    both_ways(("f32[8,12]", 8), ("f32[8,12]{1,0:T(8,4)(8,1)}", 1));
    both_ways(("f32[3,16]", 8), ("f32[3,16]", 4));
    both_ways(("f32[7,5]", 3), ("f32[7,5]{0,1}", 3));
}

#[test]
fn one_by_one() {
    both_ways(("f32[4,6]{1,0:T(4,2)}", 16), ("f32[4,6]{1,0:T(3,2)}", 16));
    both_ways(("f32[3,5]{1,0:T(*,4)(2,1)}", 8), ("f32[3,5]", 8));
}
