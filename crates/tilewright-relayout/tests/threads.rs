//! Threads that move the same and different arrays at once, from anywhere.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::num::NonZeroUsize;
use support::{Rayon, noise, placement};
use tilewright_relayout::{Pad, Plan, RunOptions, Threads};

/// Arrays that are shared by threads that are awake, and some for which they are woken.
const ARRAYS: [(&str, &str, u32); 6] = [
    ("f32[300,301]", "f32[300,301]{0,1}", 32),
    ("f32[512,512]", "f32[512,512]{0,1}", 32),
    ("f32[300,301]", "f32[300,301]{1,0:T(8,128)}", 16),
    ("f32[1000,700]", "f32[1000,700]{1,0:T(8,128)(4,1)}", 8),
    ("f32[1500,1100]", "f32[1500,1100]{0,1}", 32),
    ("f32[4096,4096]", "f32[4096,4096]{0,1}", 4),
];

fn check(plan: &Plan, src: &[u8], expected: &[u8], threads: Threads<'_>) {
    let mut dst = vec![0xa5; plan.dst_bytes()];
    plan.run(src, &mut dst, &RunOptions { pad: Pad::Bits(7), threads }).unwrap();
    assert!(dst == expected, "{threads:?}");
}

#[test]
fn many_callers_at_once() {
    let pool = Rayon::new(3);
    let plans = ARRAYS.map(|(from, to, bits)| {
        let plan = Plan::new(&placement(from, bits), &placement(to, bits)).unwrap();
        let src = noise(plan.src_bytes());
        let mut dst = vec![0xa5; plan.dst_bytes()];
        let options = RunOptions { pad: Pad::Bits(7), threads: Threads::Current };
        plan.run(&src, &mut dst, &options).unwrap();
        (plan, src, dst)
    });
    let all = |first: usize| {
        for number in first..first + 2 * plans.len() {
            let (plan, src, expected) = &plans[number % plans.len()];
            let two = NonZeroUsize::new(2).unwrap();
            for threads in [Threads::Global, Threads::Count(two), Threads::Pool(&pool)] {
                check(plan, src, expected, threads);
            }
        }
    };
    all(0);
    std::thread::scope(|scope| {
        (0..4).for_each(|n| drop(scope.spawn(move || all(n))));
    });
    pool.0.broadcast(|thread| all(thread.index()));
}

/// What a plan holds is no more than it has said, also when threads have shared it.
#[test]
fn shares_are_among_what_a_plan_holds() {
    let (from, to) = (placement("f32[512,512]", 32), placement("f32[512,512]{0,1}", 32));
    let plan = Plan::new(&from, &to).unwrap();
    let before = plan.held_bytes();
    let (src, mut dst) = (noise(from.bytes()), vec![0; to.bytes()]);
    (0..20).for_each(|_| plan.run(&src, &mut dst, &RunOptions::default()).unwrap());
    assert_eq!(plan.held_bytes(), before);
}
