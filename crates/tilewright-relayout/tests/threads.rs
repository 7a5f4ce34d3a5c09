//! Threads that move the same and different arrays at once, from anywhere.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Rayon, noise, placement};
use tilewright_relayout::{Pad, Plan, RunOptions, ThreadPool, Threads};

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

/// Few long rows, of which every chunk reads lines of all of the source: whole, by one thread or by several, in other chunks
/// than the plan's; and chunk by chunk, which are no larger for it.
#[test]
fn rows_that_share_lines_of_the_source() {
    let (rows, columns) = (5, 1_000_003);
    let (from, to) = (format!("f32[{rows},{columns}]{{0,1}}"), format!("f32[{rows},{columns}]"));
    let plan = Plan::new(&placement(&from, 16), &placement(&to, 16)).unwrap();
    let src = noise(plan.src_bytes());
    let element = |row: usize, column: usize| &src[2 * (column * rows + row)..][..2];
    let expected: Vec<u8> = (0..rows)
        .flat_map(|row| (0..columns).flat_map(move |column| element(row, column)))
        .copied()
        .collect();
    let (two, pool) = (NonZeroUsize::new(2).unwrap(), Rayon::new(3));
    let asked = Asked::new(2);
    check(&plan.clone(), &src, &expected, Threads::Pool(&asked));
    assert_eq!(asked.helpers.into_inner(), 1, "two threads have a part each");
    for threads in [Threads::Current, Threads::Count(two), Threads::Pool(&pool), Threads::Current] {
        check(&plan, &src, &expected, threads);
    }
    assert!(plan.n_chunks() > 1 && plan.chunk_bytes(0).len() <= 32 << 20, "{}", plan.n_chunks());
    for chunk in 0..plan.n_chunks() {
        let span = plan.source_span(chunk..chunk + 1);
        let mut part = vec![0; plan.chunk_bytes(chunk).len()];
        let options = RunOptions::default();
        let read = &src[span.clone()];
        plan.run_chunks(chunk..chunk + 1, read, span.start, &mut part, &options).unwrap();
        assert!(part == expected[plan.chunk_bytes(chunk)], "chunk {chunk}");
    }
    assert!(plan.held_bytes() < 1 << 20, "{}", plan.held_bytes());
}

/// Arrays that are shared in slabs: by as many threads as there may be, on a line and off it, again and again, and flipped.
#[test]
fn slabs_of_filters_and_packed_rows() {
    let pool = Rayon::new(3);
    for (from, to, bits) in [
        ("s8[768,768,3,3]{3,2,1,0}", "s8[768,768,3,3]{0,1,3,2}", 8),
        ("u4[11,7,30720,7]{3,2,1,0:E(4)}", "u4[11,7,30720,7]{1,2,0,3:E(4)}", 4),
        ("bf16[1025,2048]", "bf16[1025,2048]{0,1}", 16),
    ] {
        let plan = Plan::new(&placement(from, bits), &placement(to, bits)).unwrap();
        for plan in [plan.clone(), plan.flipping(5)] {
            let src = noise(plan.src_bytes());
            let run = |dst: &mut [u8], threads| {
                plan.run(&src, dst, &RunOptions { threads, ..RunOptions::default() }).unwrap();
            };
            let mut expected = vec![0; plan.dst_bytes()];
            run(&mut expected, Threads::Current);
            let asked = Asked::new(2);
            check(&plan, &src, &expected, Threads::Pool(&asked));
            assert_eq!(asked.helpers.into_inner(), 1, "{from} is worth being shared");
            for off in [0, 1, 16] {
                let mut room = vec![0xa5; plan.dst_bytes() + 128];
                let begin = (64 - room.as_ptr().addr() % 64) % 64 + off;
                let end = begin + plan.dst_bytes();
                run(&mut room[begin..end], Threads::Pool(&pool));
                assert!(room[begin..end] == expected, "{from}, {off} off");
                assert!(room[..begin].iter().chain(&room[end..]).all(|&byte| byte == 0xa5));
            }
        }
    }
}

/// A pool that keeps how many helpers it was asked for, and has none.
#[derive(Debug)]
struct Asked {
    n_threads: usize,
    helpers: AtomicUsize,
}

impl Asked {
    fn new(n_threads: usize) -> Self {
        Asked { n_threads, helpers: AtomicUsize::new(0) }
    }
}

impl ThreadPool for Asked {
    fn n_threads(&self) -> usize {
        self.n_threads
    }

    fn share(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
        self.helpers.store(helpers, Ordering::Relaxed);
        job();
    }
}

/// Whether threads are worth their while depends on the larger side: what is packed is read as bytes.
#[test]
fn packing_is_shared_for_what_it_reads() {
    for (from, to, helpers) in [(8, 4, 1), (4, 8, 1), (4, 4, 0)] {
        let of = |bits| placement("u8[2048,3000]{0,1}", bits);
        let plan = Plan::new(&of(from), &placement("u8[2048,3000]", to)).unwrap();
        let pool = Asked::new(2);
        let src = noise(plan.src_bytes());
        // Four bits of each, whichever side packs them.
        let value = |slot: usize| match from {
            8 => src[slot] & 0xf,
            _ => src[slot / 2] >> (4 * (slot % 2)) & 0xf,
        };
        let values: Vec<u8> = (0..2048)
            .flat_map(|row| (0..3000).map(move |column| column * 2048 + row))
            .map(value)
            .collect();
        let expected = match to {
            8 => values,
            _ => values.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect(),
        };
        check(&plan, &src, &expected, Threads::Pool(&pool));
        assert_eq!(pool.helpers.into_inner(), helpers, "{from} bits to {to}");
    }
}

/// What is streamed in few large chunks is cut finer where threads would be without one.
#[test]
fn few_chunks_for_many_threads() {
    let (from, to) = (placement("f32[1100,3001]", 32), placement("f32[1100,3001]{0,1}", 32));
    let plan = Plan::new(&from, &to).unwrap();
    let n_chunks = plan.n_chunks();
    assert!((2..20).contains(&n_chunks) && plan.dst_bytes() >= 8 << 20, "{n_chunks}");
    let src = noise(plan.src_bytes());
    let element = |row: usize, column: usize| &src[4 * (row * 3001 + column)..][..4];
    let expected: Vec<u8> = (0..3001)
        .flat_map(|column| (0..1100).flat_map(move |row| element(row, column)))
        .copied()
        .collect();
    let rayon = Rayon::new(2 * n_chunks);
    let any = Asked::new(usize::MAX);
    for plan in [&plan, &plan.clone(), &Plan::new(&from, &to).unwrap()] {
        let asked = Asked::new(2 * n_chunks);
        for threads in [Threads::Pool(&asked), Threads::Current, Threads::Pool(&rayon)] {
            check(plan, &src, &expected, threads);
        }
        let helpers = asked.helpers.into_inner();
        assert!(helpers >= n_chunks, "{helpers} helpers for {n_chunks} chunks");
        check(plan, &src, &expected, Threads::Pool(&any));
    }
}
