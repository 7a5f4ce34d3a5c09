//! The definition of a relayout, bit by bit, and a check of everything a plan does against it.

#![allow(dead_code, reason = "each test file uses a part")]

use std::num::NonZeroUsize;
use tilewright::{IndexMap, Shape};
use tilewright_relayout::{Pad, Placement, Plan, RunOptions, ThreadPool, Threads};

/// A pool of rayon's.
#[derive(Debug)]
pub(crate) struct Rayon(pub(crate) rayon::ThreadPool);

impl Rayon {
    pub(crate) fn new(n_threads: usize) -> Self {
        Rayon(rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap())
    }
}

impl ThreadPool for Rayon {
    fn n_threads(&self) -> usize {
        self.0.current_num_threads()
    }

    fn share(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
        self.0.in_place_scope(|scope| {
            (0..helpers).for_each(|_| scope.spawn(|_| job()));
            job();
        });
    }
}

/// The placement of a layout's map with slots of this many bits.
pub(crate) fn placement(text: &str, bits: u32) -> Placement {
    Placement::new(map(text), bits).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The placement of a TLA layout, composed or swizzled or not, with slots of this many bits.
pub(crate) fn composed(text: &str, bits: u32) -> Placement {
    let composition = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let map = IndexMap::from_composition(&composition);
    let map = map.unwrap_or_else(|error| panic!("{text}: {error}"));
    Placement::new(map, bits).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The map of a layout.
pub(crate) fn map(text: &str) -> IndexMap {
    let shape: Shape = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    shape.index_map().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Bytes that look random and are the same every time.
pub(crate) fn noise(n: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..n).map(|_| next()).collect()
}

/// Every index of an array, in row-major order.
pub(crate) fn indices(dims: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for &size in dims {
        let with = |index: Vec<i64>| (0..size).map(move |i| [&index[..], &[i]].concat());
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

fn bit(bytes: &[u8], at: usize) -> bool {
    bytes[at / 8] >> (at % 8) & 1 == 1
}

fn set_bit(bytes: &mut [u8], at: usize, value: bool) {
    bytes[at / 8] = bytes[at / 8] & !(1 << (at % 8)) | u8::from(value) << (at % 8);
}

/// What a relayout is: padding everywhere, then each element's bits, zeros above them.
pub(crate) fn definition(
    src: &[u8],
    from: &Placement,
    to: &Placement,
    value: u32,
    pad: u128,
) -> Vec<u8> {
    let (from_bits, to_bits) = (from.element_bits() as usize, to.element_bits() as usize);
    let value = (value as usize).min(from_bits).min(to_bits);
    let mut dst = vec![0; to.bytes()];
    for slot in 0..to.map().allocation() as usize {
        (0..to_bits).for_each(|b| set_bit(&mut dst, slot * to_bits + b, pad >> b & 1 == 1));
    }
    for index in indices(from.map().dims()) {
        let s = from.map().offset(&index).unwrap() as usize * from_bits;
        let d = to.map().offset(&index).unwrap() as usize * to_bits;
        (0..to_bits).for_each(|b| set_bit(&mut dst, d + b, b < value && bit(src, s + b)));
    }
    dst
}

/// Checks a plan between two placements in every way it can be run.
pub(crate) fn check(from: &Placement, to: &Placement, value: u32, pad: u128) {
    let case = || {
        let (f, t) = (from.map(), to.map());
        let (bits, dims) = ((from.element_bits(), to.element_bits(), value), f.dims());
        format!("{dims:?} {bits:?} {} -> {}", f.index_expression(), t.index_expression())
    };
    let src = noise(from.bytes());
    let expected = definition(&src, from, to, value, pad);
    let plan = Plan::with_value_bits(from, to, value).unwrap();
    let run = |plan: &Plan, threads| {
        let mut dst = vec![0xa5; to.bytes()];
        plan.run(&src, &mut dst, &RunOptions { pad: Pad::Bits(pad), threads }).unwrap();
        assert_eq!(dst, expected, "{threads:?}, {} chunks: {}", plan.n_chunks(), case());
    };
    run(&plan, Threads::Current);
    for target in [1, 100] {
        let plan = plan.clone().with_chunks_of(target).unwrap();
        run(&plan, Threads::Current);
        for n in 1..=2 {
            assert_eq!(streamed(&plan, &src, n, pad), expected, "{n} at a time: {}", case());
        }
    }
    if !plan.is_copy() {
        return;
    }
    assert_eq!(src, expected, "a copy: {}", case());
}

/// The destination written `n` chunks at a time from just the bytes that are read.
pub(crate) fn streamed(plan: &Plan, src: &[u8], n: usize, pad: u128) -> Vec<u8> {
    let options = RunOptions { pad: Pad::Bits(pad), threads: Threads::Current };
    let mut dst = Vec::new();
    for first in (0..plan.n_chunks()).step_by(n) {
        let chunks = first..(first + n).min(plan.n_chunks());
        let span = plan.source_span(chunks.clone());
        let bytes = plan.chunk_bytes(first).start..plan.chunk_bytes(chunks.end - 1).end;
        assert_eq!(bytes.start, dst.len(), "chunks follow each other");
        let mut part = vec![0x5a; bytes.len()];
        plan.run_chunks(chunks.clone(), &src[span.clone()], span.start, &mut part, &options)
            .unwrap();
        // A longer part that begins anywhere will do as well.
        let start = span.start.saturating_sub(3 * n);
        let longer = &src[start..(span.end + n).min(src.len())];
        let mut again = vec![0x6b; bytes.len()];
        plan.run_chunks(chunks, longer, start, &mut again, &options).unwrap();
        assert_eq!(part, again, "from byte {start} instead of {}", span.start);
        dst.extend(part);
    }
    assert_eq!(dst.len(), plan.dst_bytes(), "chunks cover the destination");
    dst
}

/// Checks a plan for an array of many elements, whole and in a few chunks.
pub(crate) fn check_large(from: &Placement, to: &Placement) {
    let src = noise(from.bytes());
    let expected = definition(&src, from, to, 128, 0x5a5a);
    let plan = Plan::new(from, to).unwrap();
    let parts = plan.clone().with_chunks_of(to.bytes() / 3 + 1).unwrap();
    for plan in [plan, parts] {
        let mut dst = vec![0xa5; to.bytes()];
        let options = RunOptions { pad: Pad::Bits(0x5a5a), threads: Threads::Current };
        plan.run(&src, &mut dst, &options).unwrap();
        let wrong = dst.iter().zip(&expected).filter(|(is, wanted)| is != wanted).count();
        let first = dst.iter().zip(&expected).position(|(is, wanted)| is != wanted);
        assert_eq!(first, None, "{wrong} bytes are wrong, {} chunks", plan.n_chunks());
    }
}

/// Checks that threads make no difference, in many small chunks.
pub(crate) fn check_threads(from: &Placement, to: &Placement, pad: u128) {
    let plan = Plan::new(from, to).unwrap().with_chunks_of(64).unwrap();
    let src = noise(from.bytes());
    let run = |threads| {
        let mut dst = vec![0xa5; to.bytes()];
        plan.run(&src, &mut dst, &RunOptions { pad: Pad::Bits(pad), threads }).unwrap();
        dst
    };
    let alone = run(Threads::Current);
    let pool = Rayon::new(3);
    for threads in [1, 2, 7].map(|n| Threads::Count(NonZeroUsize::new(n).unwrap())) {
        assert_eq!(run(threads), alone, "{threads:?}");
    }
    assert_eq!(run(Threads::Global), alone);
    assert_eq!(run(Threads::Pool(&pool)), alone);
}

/// Checks that there and back again is where it started.
pub(crate) fn check_round_trip(a: &Placement, b: &Placement) {
    let options = RunOptions { threads: Threads::Current, ..RunOptions::default() };
    let moved = |src: &[u8], from: &Placement, to: &Placement| {
        let mut dst = vec![0xa5; to.bytes()];
        Plan::new(from, to).unwrap().run(src, &mut dst, &options).unwrap();
        dst
    };
    let clean = moved(&noise(a.bytes()), a, a);
    assert_eq!(moved(&moved(&clean, a, b), b, a), clean);
}
