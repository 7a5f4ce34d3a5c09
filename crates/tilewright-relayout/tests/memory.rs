//! How much memory plans and runs take, counted by the allocator.
//!
//! All tests of this file take turns: what one allocates is counted alone.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use proptest::prelude::*;
use support::{composed, noise, placement};
use tilewright::Shape;
use tilewright_relayout::{Placement, Plan, Route, RunOptions, Threads};

/// Counts the bytes that are allocated and not yet given back.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn took(bytes: usize) {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(held, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator with its arguments as they came, so its
// guarantees are this one's. `realloc` is the default: an allocation, a copy and a deallocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller keeps `alloc`'s demands, which are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller keeps `alloc_zeroed`'s demands, which are the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `memory` came from `System` by way of `alloc`, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `work` gives, and the most bytes that were held meanwhile beyond those held before.
fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let outcome = work();
    (outcome, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

/// The most bytes that any array takes to be planned and described.
const MOST_TO_PLAN: usize = 64 << 20;

/// Plans and describes a move between two layouts, if both can be placed; the bytes it took.
fn plan_and_describe(from: &Placement, to: &Placement) -> usize {
    let (_, taken) = peak_of(|| {
        let plan = Plan::new(from, to).map_err(|error| error.to_string())?;
        let chunks = plan.n_chunks();
        for chunk in [0, chunks / 2, chunks.saturating_sub(1)] {
            plan.source_span(chunk..chunk + 1);
        }
        Ok::<_, String>(plan.describe())
    });
    taken
}

/// Two layouts of which one at least has runs of 10⁵ elements and more, which neither divide by a
/// power of two nor end where tiles do.
#[test]
fn long_sides_of_grids_have_no_long_tables() {
    let _turn = turn();
    for (from, to, bits) in [
        ("f32[100000,3,65537,128]{2,0,1,3:T(*,*,128)}", "f32[100000,3,65537,128]{1,3,2,0}", 32),
        ("f32[2147483647,65537]{0,1:T(*,128)}", "f32[2147483647,65537]", 32),
        ("f32[4194301,10]", "f32[4194301,10]{0,1}", 8),
        ("f32[3,1000000007,2]{2,1,0}", "f32[3,1000000007,2]{0,2,1}", 16),
    ] {
        let taken = plan_and_describe(&placement(from, bits), &placement(to, bits));
        assert!(taken <= 4 << 20, "{taken} bytes to plan {from} to {to}");
    }
}

/// Thousands of dimensions, nearly all of a single index; and an array without elements.
#[test]
fn many_dimensions_are_planned_in_little_memory() {
    let _turn = turn();
    let n = 5000;
    let list = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers.map(|n| n.to_string()).collect::<Vec<_>>().join(",")
    };
    let down = list(&mut (0..n).rev());
    let up = list(&mut (0..n));
    for last in ["1", "300", "0"] {
        let dims = format!("{},{last}", list(&mut std::iter::repeat_n(1, n - 1)));
        let to = format!("f32[{dims}]{{{down}:T(8,128)(2,1)}}");
        let [source, target] =
            [format!("f32[{dims}]{{{up}}}"), to].map(|text| placement(&text, 16));
        let taken = plan_and_describe(&source, &target);
        assert!(taken <= 4 << 20, "{taken} bytes to plan {n} dimensions, the last of {last}");
    }
}

/// The sizes of an array of 10¹² to 10¹⁸ elements, in any order.
fn huge_dims() -> impl Strategy<Value = Vec<i64>> {
    let size = prop_oneof![
        3 => 1..9i64,
        3 => (3..28u32, -3..4i64).prop_map(|(bits, off)| (1 << bits) + off),
        2 => 1..100_000i64,
        1 => (20..31u32, -3..4i64).prop_map(|(bits, off)| (1 << bits) + off),
    ];
    let sizes = prop::collection::vec(size, 1..7);
    let full = sizes.prop_map(|mut sizes| {
        // As many elements as there may be, and not more.
        let mut elements = 1i64;
        sizes.retain(|&size| {
            let fits = elements.checked_mul(size).filter(|all| *all <= 1_000_000_000_000_000_000);
            elements = fits.unwrap_or(elements);
            fits.is_some()
        });
        if elements < 1_000_000_000_000 {
            sizes.push((3_000_000_000_000 / elements).max(1));
        }
        sizes
    });
    full.prop_shuffle()
}

fn some_tile() -> impl Strategy<Value = String> {
    let size = prop_oneof![
        1 => Just(String::from("*")),
        2 => prop::sample::select(vec![1i64, 2, 4, 8, 16, 32, 128]).prop_map(|n| n.to_string()),
        2 => (1..300i64).prop_map(|n| n.to_string()),
        1 => (1..1_000_000i64).prop_map(|n| n.to_string()),
    ];
    let last = prop_oneof![Just(128i64), 1..300i64];
    (prop::collection::vec(size, 0..3), last).prop_map(|(sizes, last)| {
        let sizes: String = sizes.iter().map(|size| format!("{size},")).collect();
        format!("({sizes}{last})")
    })
}

fn some_layout(dims: &[i64]) -> impl Strategy<Value = String> + use<> {
    let sizes: Vec<String> = dims.iter().map(ToString::to_string).collect();
    let order = Just((0..dims.len()).collect::<Vec<_>>()).prop_shuffle();
    let tiles = prop::collection::vec(some_tile(), 0..4);
    (order, tiles).prop_map(move |(order, tiles)| {
        let order: Vec<String> = order.iter().map(ToString::to_string).collect();
        let tiles = if tiles.is_empty() { String::new() } else { format!(":T{}", tiles.concat()) };
        format!("f32[{}]{{{}{tiles}}}", sizes.join(","), order.join(","))
    })
}

/// Rows or columns of a matrix, swizzled.
fn some_swizzle(rows: i64, columns: i64) -> impl Strategy<Value = String> + use<> {
    (0..5u32, 0..6u32, 0..4u32, any::<bool>()).prop_map(move |(bits, base, beyond, is_rows)| {
        let strides = if is_rows { (columns, 1) } else { (1, rows) };
        format!("Sw<{bits},{base},{}> o 0 o ({rows},{columns}):{strides:?}", bits + beyond)
    })
}

/// A layout's map with slots of so many bits; `None` where it is too large to be counted.
fn placed(text: &str, bits: u32) -> Option<Placement> {
    let map = text.parse::<Shape>().ok()?.index_map().ok()?;
    Placement::new(map, bits).ok()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 120,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Between any two layouts of arrays that no machine could hold. Nothing panics, and every sum
    /// is checked: tests are built with checks of overflow.
    #[test]
    fn huge_arrays_are_planned_in_little_memory(
        (from, to) in huge_dims().prop_flat_map(|dims| (some_layout(&dims), some_layout(&dims))),
        bits in prop::sample::select(vec![1u32, 4, 8, 16, 32]),
        to_bits in prop::sample::select(vec![None, None, Some(4u32), Some(8), Some(32)]),
    ) {
        let _turn = turn();
        let placed = [placed(&from, bits), placed(&to, to_bits.unwrap_or(bits))];
        let [Some(source), Some(target)] = placed else { return Ok(()) };
        let taken = plan_and_describe(&source, &target);
        prop_assert!(taken <= MOST_TO_PLAN, "{taken} bytes to plan {from} to {to}");
    }
}

/// Boxes of which a window spans more bits than can be counted several times over.
#[test]
fn the_tables_of_a_huge_array() {
    let _turn = turn();
    let [from, to] = ["{0,2,1:T(7,25)(128)(67)}", "{1,2,0}"]
        .map(|layout| format!("f32[8388611,4,1073741826]{layout}"));
    for bits in [8, 16, 32] {
        let source = placed(&from, 32).unwrap();
        let target = placed(&to, bits).unwrap();
        let taken = plan_and_describe(&source, &target);
        assert!(taken <= MOST_TO_PLAN, "{taken} bytes to plan to {bits} bits");
    }
}

/// Runs a plan chunk by chunk, some chunks at a time and all, and holds what that takes against what the
/// plan says. The thread is a new one, so that nothing is kept from an earlier run.
fn check_scratch(from: &Placement, to: &Placement, value_bits: u32, chunk: Option<usize>) {
    let plan = Plan::with_value_bits(from, to, value_bits).unwrap();
    let plan = chunk.map_or(Ok(plan.clone()), |bytes| plan.with_chunks_of(bytes)).unwrap();
    let src = noise(from.bytes());
    // Off a line, where more may be put together in the caches than on one.
    let mut buffer = vec![0; to.bytes() + 128];
    let start = buffer.as_ptr().align_offset(64) + 16;
    let dst = &mut buffer[start..start + to.bytes()];
    let taken = std::thread::scope(|scope| {
        let run = || peak_of(|| run_in_parts(&plan, &src, dst)).1;
        scope.spawn(run).join().unwrap()
    });
    let most = plan.scratch_bytes();
    let [from, to] = [from, to].map(|side| (side.map().index_expression(), side.element_bits()));
    assert!(taken <= most, "{taken} bytes, {most} at most by the plan from {from:?} to {to:?}");
}

fn run_in_parts(plan: &Plan, src: &[u8], dst: &mut [u8]) {
    let options = RunOptions { threads: Threads::Current, ..RunOptions::default() };
    for n in [1, 3, plan.n_chunks().max(1)] {
        for first in (0..plan.n_chunks()).step_by(n) {
            let chunks = first..(first + n).min(plan.n_chunks());
            let bytes = plan.chunk_bytes(chunks.start).start..plan.chunk_bytes(chunks.end).start;
            let span = plan.source_span(chunks.clone());
            let (part, start) = (&src[span.clone()], span.start);
            plan.run_chunks(chunks, part, start, &mut dst[bytes], &options).unwrap();
        }
    }
}

/// Arrays that are streamed, packed, widened, put together first, and moved through rows.
#[test]
fn a_run_takes_no_more_than_its_plan_says() {
    let _turn = turn();
    let check = |from: (&str, u32), to: (&str, u32)| {
        let [source, target] = [from, to].map(|(text, bits)| placement(text, bits));
        for chunk in [None, Some(1 << 16)] {
            check_scratch(&source, &target, 128, chunk);
        }
    };
    check(("f32[1531,1429]{1,0}", 32), ("f32[1531,1429]{0,1}", 32));
    check(("f32[4194301,3]", 8), ("f32[4194301,3]{0,1}", 8));
    check(("f32[531,1099]", 16), ("f32[531,1099]{1,0:T(8,128)(2,1)}", 16));
    check(("f32[531,1099]", 8), ("f32[531,1099]{1,0:T(8,128)}", 4));
    check(("f32[531,1099]{1,0:T(8,128)}", 4), ("f32[531,1099]", 8));
    check(("f32[531,1099]", 4), ("f32[531,1099]{0,1}", 4));
    check(("f32[512,1024]", 4), ("f32[512,1024]{0,1}", 4));
    check(("f32[421,321]", 16), ("f32[421,321]{1,0:T(8,128)}", 32));
    // Rows that overhang.
    check(("f32[9003,1023]{1,0:T(8,128)(4,1)}", 8), ("f32[9003,1023]", 8));
    check(("f32[70908,127]{0,1:T(8,128)(4,1)}", 8), ("f32[70908,127]", 8));
    check(("f32[512,512,3,3]{0,1,3,2}", 32), ("f32[512,512,3,3]", 32));
    check(("f32[421,321]", 3), ("f32[421,321]{0,1:T(7)}", 5));
    check(("f32[700,600]{1,0:T(7,13)}", 32), ("f32[700,600]{0,1:T(13,5)(7)}", 32));
    check(("f32[83,7,109]{0,1,2:T(*,*,11)(12,9)}", 32), ("f32[83,7,109]{2,0,1:T(7,13)}", 32));
}

/// Rows of bits and of bytes between them, whose parts at the ends of chunks are moved in ways that are made for them: rows of
/// thousands of runs, thousands of rows, and tables of thousands of bits.
#[test]
fn what_moves_the_ends_of_chunks_takes_no_more_to_make_than_the_plan_says() {
    let _turn = turn();
    let check = |from: (&str, u32), to: (&str, u32)| {
        let [source, target] = [from, to].map(|(text, bits)| placement(text, bits));
        check_scratch(&source, &target, 128, Some(1 << 12));
    };
    check(("f32[62,87]", 8), ("f32[62,87]{1,0:T(9,32,72)}", 1));
    check(("f32[68,77]{0,1:T(13)}", 8), ("f32[68,77]{1,0:T(9,170,37)}", 1));
    check(("f32[7,57,25]{0,2,1:T(2,16,45)}", 1), ("f32[7,57,25]{1,0,2:T(128)}", 4));
    check(("f32[89,59,56]{1,0,2}", 64), ("f32[89,59,56]{0,1,2}", 1));
    check(("f32[21,83,87]{0,2,1:T(1,87)(*,110)(128)}", 8), ("f32[21,83,87]{1,2,0}", 1));
}

/// Thousands of small chunks that are written in another order than that of the destination.
#[test]
fn a_run_of_many_chunks_takes_no_more_than_its_plan_says() {
    let _turn = turn();
    let (rows, columns) = (placement("f32[4096,4096]", 32), placement("f32[4096,4096]{0,1}", 32));
    let plan = Plan::new(&rows, &columns).unwrap().with_chunks_of(1 << 12).unwrap();
    assert_eq!(plan.n_chunks(), 1 << 14);
    let (src, mut dst) = (noise(rows.bytes()), vec![0; columns.bytes()]);
    let options = RunOptions { threads: Threads::Current, ..RunOptions::default() };
    let (src, to, plan) = (&src, &mut dst, &plan);
    let run = || peak_of(|| plan.run(src, to, &options).unwrap()).1;
    let taken = std::thread::scope(|scope| scope.spawn(run).join().unwrap());
    assert!(taken <= plan.scratch_bytes(), "{taken} bytes, {} at most", plan.scratch_bytes());
    let at = |row: usize, column: usize, bytes: &[u8], row_bytes: usize| {
        bytes[row * row_bytes + 4 * column..][..4].to_vec()
    };
    for (row, column) in [(0, 4095), (1, 2), (1023, 1024), (4095, 0), (4095, 4095)] {
        assert_eq!(at(row, column, src, 4 << 12), at(column, row, &dst, 4 << 12));
    }
}

/// Arrays that fill few places of their tiles, in chunks that are smaller than what changes places, about as large, and larger.
#[test]
fn a_run_by_way_of_tiles_takes_no_more_than_its_plan_says() {
    let _turn = turn();
    let check = |from: (&str, u32), to: (&str, u32)| {
        let [source, target] = [from, to].map(|(text, bits)| placement(text, bits));
        assert_eq!(Plan::new(&source, &target).unwrap().describe().route, Route::Through);
        for chunk in [None, Some(1 << 10), Some(9 << 10), Some(20 << 10), Some(1 << 16)] {
            check_scratch(&source, &target, 128, chunk);
        }
    };
    check(("f32[40,7,256]", 16), ("f32[40,7,256]{2,1,0:T(16,16)(16,1)}", 16));
    check(("f32[5,70001]", 4), ("f32[5,70001]{1,0:T(8,128)(8,1)}", 4));
    check(("f32[7,9001]", 8), ("f32[7,9001]{1,0:T(32,16)(32,1)}", 8));
}

/// Arrays that are swizzled on either side or both: rows copied at once, blocks by way of a stage, chunks put in order first,
/// and pieces of forms that no plan has made ready.
#[test]
fn a_run_of_what_is_swizzled_takes_no_more_than_its_plan_says() {
    let _turn = turn();
    let check = |from: &str, to: &str| {
        let [source, target] = [from, to].map(|text| match text.starts_with("f32") {
            true => placement(text, 16),
            false => composed(text, 16),
        });
        assert_eq!(Plan::new(&source, &target).unwrap().describe().route, Route::Swizzled);
        for chunk in [None, Some(1 << 10), Some(1 << 16), Some(4 << 20)] {
            check_scratch(&source, &target, 128, chunk);
        }
    };
    let tiles = "Sw<3,3,3> o 0 o ((8,97),(64,23)):((64,512),(1,49664))";
    let rows = "Sw<2,3,3> o 0 o (776,1472):(1472,1)";
    check(tiles, "f32[776,1472]");
    check(tiles, "f32[776,1472]{0,1}");
    check("f32[776,1472]", tiles);
    check("f32[776,1472]{0,1}", tiles);
    check("f32[776,1472]", rows);
    check(rows, "f32[776,1472]{0,1:T(8,128)(2,1)}");
    check(rows, tiles);
    check("Sw<3,3,3> o 0 o (61,9999):(9999,1)", "f32[61,9999]{0,1}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_run_takes_no_more_than_its_plan_says(
        (from, to) in prop::collection::vec(1..90i64, 1..4)
            .prop_flat_map(|dims| (some_layout(&dims), some_layout(&dims))),
        bits in prop::sample::select(vec![1u32, 2, 4, 8, 16, 24, 32, 64]),
        to_bits in prop::sample::select(vec![None, None, Some(1u32), Some(4), Some(8), Some(16)]),
        chunk in prop::sample::select(vec![None, Some(64usize), Some(4096)]),
    ) {
        let _turn = turn();
        let placed = [placed(&from, bits), placed(&to, to_bits.unwrap_or(bits))];
        let [Some(source), Some(target)] = placed else { return Ok(()) };
        if source.bytes() + target.bytes() <= 8 << 20 {
            check_scratch(&source, &target, 128, chunk);
        }
    }

    #[test]
    fn any_run_of_what_is_swizzled_takes_no_more_than_its_plan_says(
        (swizzled, other) in (1..200i64, 1..300i64).prop_flat_map(|(rows, columns)| {
            let other = prop_oneof![some_layout(&[rows, columns]), some_swizzle(rows, columns)];
            (some_swizzle(rows, columns), other)
        }),
        is_source in any::<bool>(),
        bits in prop::sample::select(vec![4u32, 8, 16, 24, 32, 64]),
        chunk in prop::sample::select(vec![None, Some(64usize), Some(4096)]),
    ) {
        let _turn = turn();
        let other = match other.starts_with("Sw") {
            true => composed(&other, bits),
            false => match placed(&other, bits) {
                Some(other) => other,
                None => return Ok(()),
            },
        };
        let swizzled = composed(&swizzled, bits);
        if swizzled.bytes() + other.bytes() <= 8 << 20 {
            let [from, to] = if is_source { [&swizzled, &other] } else { [&other, &swizzled] };
            check_scratch(from, to, 128, chunk);
        }
    }
}
