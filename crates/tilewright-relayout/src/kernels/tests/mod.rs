//! Every kernel against moving one by one.

mod alone;
mod bits;
mod blocks;
mod listed;
mod overhanging;
mod swizzled;

use super::code::max_lanes;
use super::listed::Listed;
use super::mover::move_checked;
use super::tile::{MAX_LANES, Program, Tile};
use super::ways::program_of_bits;
use super::*;
use crate::nest::drawn::Draw;
use crate::nest::walk;

/// Moves a box of elements of `unit` bytes: `loops`, from bit `start.0` of the source and
/// `start.1` of the destination on.
fn move_box(
    loops: &[Loop],
    unit: usize,
    start: (i64, i64),
    src: &[u8],
    dst: &mut [u8],
    means: Means,
) {
    let is_streamed = means.stores == Stores::Streamed;
    let mover = Mover::of_units(loops, unit, means.level, is_streamed);
    mover.run(start, src, dst, means, &mut Vec::new());
}

/// Bytes around each buffer that nothing may touch.
const GUARD: usize = 64;

fn l(extent: i64, src: i64, dst: i64) -> Loop {
    Loop { extent, src, dst }
}

fn pattern(n: usize) -> Vec<u8> {
    if cfg!(miri) {
        let mut repeated = (0..251).collect::<Vec<u8>>().repeat(n / 251 + 1);
        repeated.truncate(n);
        return repeated;
    }
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect()
}

fn bytes_of(loops: &[Loop], unit: usize, stride: fn(&Loop) -> i64) -> usize {
    let reach = |l: &Loop| ((l.extent - 1) * stride(l)) as usize;
    (1 + loops.iter().map(reach).sum::<usize>()) * unit
}

/// Moves a box by its kernel, with all registers there are, stored both ways, and to places of
/// any alignment; and one by one.
fn check(loops: &[Loop], unit: usize) {
    check_from(0, loops, unit);
}

/// [`check`], from byte `from` of the source on, which walks backwards on some loops.
fn check_from(from: usize, loops: &[Loop], unit: usize) {
    let n_src = from + bytes_of(loops, unit, |l| l.src.max(0));
    let n_dst = bytes_of(loops, unit, |l| l.dst);
    let src = pattern(n_src);
    let mut expected = vec![0xee; n_dst];
    let (places, slots) = ((8 * from as i64, 0), Slots::same(8 * unit as i64));
    move_checked(loops, slots, places, &src, &mut expected);
    for level in Level::all() {
        let held = Mover::of_units(loops, unit, level, true).held_bytes();
        assert!(held <= Mover::MOST_BYTES, "{loops:?} of {unit} bytes: {held} bytes");
        for stores in [Stores::Cached, Stores::Streamed, Stores::Staged] {
            for &shift in cases(&[3, 0, unit, GUARD / 2], 1) {
                let means = Means { level, stores };
                let mut buffer = vec![0xee; n_dst + 3 * GUARD];
                let aligned = buffer.as_ptr().align_offset(GUARD);
                let start = aligned + GUARD / 2 + shift;
                let dst = &mut buffer[start..start + n_dst];
                move_box(loops, unit, places, &src, dst, means);
                assert_eq!(dst, expected, "{loops:?} of {unit} bytes by {means:?} at {shift}");
                let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                assert!(around.all(|byte| *byte == 0xee), "{loops:?} by {means:?}");
                // Every box that has a program can be moved by it.
                let listed: Vec<Loop> = loops.iter().filter(|l| l.extent != 1).copied().collect();
                if loops.iter().all(|l| l.extent > 0)
                    && let Some(mut program) = program_of_bits(&listed, slots, level, true)
                {
                    // Whether or not this processor had better be asked for lines that are stored to.
                    let far_stores = program.walk.line_bits();
                    for far_stores in [None].into_iter().chain(far_stores.map(Some)) {
                        program.walk.far_stores = far_stores;
                        buffer.fill(0xee);
                        let dst = &mut buffer[start..start + n_dst];
                        let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
                        // SAFETY: the buffers are as long as the loops reach.
                        unsafe {
                            machine::run(&program, at.plus(from as i64, 0), stores);
                        };
                        let by = format!("a program, {means:?}, {far_stores:?}");
                        assert_eq!(dst, expected, "{loops:?} of {unit} bytes by {by}");
                        let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                        assert!(around.all(|byte| *byte == 0xee), "{loops:?} by {by}");
                    }
                }
            }
        }
    }
}

/// All of some cases; for Miri, which takes its time, the first `few`.
pub(super) fn cases<T>(all: &[T], few: usize) -> &[T] {
    if cfg!(miri) { &all[..few] } else { all }
}

const UNITS: [usize; 6] = [1, 4, 32, 2, 8, 16];

#[test]
fn a_few_bytes() {
    for len in 0..128 {
        let (src, before) = (pattern(len), vec![0xa5; len + 1]);
        let mut dst = before.clone();
        // SAFETY: so many bytes can be read, and one more written.
        unsafe { place::copy_few(At { src: src.as_ptr(), dst: dst.as_mut_ptr() }, len) };
        assert_eq!((&dst[..len], &dst[len..]), (&src[..], &before[len..]), "{len}");
    }
}

/// Whether the registers are the longest there are.
fn is_wide() -> bool {
    max_lanes(Level::best()) == MAX_LANES
}

/// Arrays whose dimensions are in any order on either side, many of them round, so that there are rows and blocks of every kind.
#[test]
fn permutations() {
    const EXTENTS: [i64; 14] = [2, 3, 4, 5, 7, 8, 16, 32, 64, 67, 96, 128, 130, 256];
    let mut draw = Draw(11);
    let (mut n, most) = (0, if cfg!(miri) { 0 } else { 300 });
    while n < most {
        let unit = [4, 1, 2, 8, 16][draw.below(5)];
        let rank = 2 + draw.below(4);
        let extents: Vec<i64> = (0..rank).map(|_| EXTENTS[draw.below(EXTENTS.len())]).collect();
        let bytes = extents.iter().product::<i64>() * unit;
        if !(8 << 10..200 << 10).contains(&bytes) {
            continue;
        }
        let mut strides = || {
            let mut strides = vec![1; rank];
            let (mut step, mut left) = (1, (0..rank).collect::<Vec<_>>());
            while !left.is_empty() {
                let dim = left.swap_remove(draw.below(left.len()));
                strides[dim] = step;
                step *= extents[dim];
                // Here and there with room behind.
                step += [0, 0, 0, 0, 0, 0, 1, 3, 16, 64][draw.below(10)];
            }
            strides
        };
        let (src, dst) = (strides(), strides());
        let mut loops: Vec<Loop> =
            (0..rank).map(|dim| l(extents[dim], src[dim], dst[dim])).collect();
        loops.sort_by_key(|l| std::cmp::Reverse(l.dst));
        check(&loops, unit as usize);
        n += 1;
    }
}

/// Code for registers is inlined, so that all of it shares a frame. Threads have two megabytes,
/// and without optimisation a frame is several times as large as with it.
#[test]
fn little_of_the_stack_is_needed() {
    let side = if cfg!(miri) { 9 } else { 70 };
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let thread = small.spawn(move || {
        for &unit in cases(&UNITS, 1) {
            check(&[l(side, 1, 64), l(64, side, 1)], unit);
            check(&[l(side, 1, 67), l(67, side, 1)], unit);
            for &count in cases(&[2, 3, 4, 5, 6, 7, 8, 9, 16, 32], 2) {
                check(&[l(side, 1, count), l(count, side, 1)], unit);
                check(&[l(count, 1, side), l(side, count, 1)], unit);
            }
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn anything_else() {
    for &unit in cases(&UNITS, 3) {
        check(&[l(3, 40, 100), l(4, 10, 20), l(9, 5, 2)], unit);
        check(&[l(9, 0, 1)], unit);
    }
}

#[test]
fn what_lies_outside_is_left_out() {
    let loops = [l(4, 2, 1)];
    let means = Means::best(Stores::Cached);
    for (start, expected) in
        [((16, 0), [3, 5, 0, 0]), ((-16, 0), [0, 1, 3, 5]), ((0, -8), [3, 5, 0, 0])]
    {
        let mut dst = [0; 4];
        let src = [1, 2, 3, 4, 5, 6];
        move_box(&loops, 1, start, &src, &mut dst, means);
        assert_eq!(dst, expected, "{start:?}");
    }
}

/// Moves a box of elements in slots by its program, with all registers there are, stored every way,
/// to places of any alignment; and bit by bit. The program of the best registers.
fn check_bits(loops: &[Loop], slots: Slots) -> Program {
    let n_bytes = |stride: fn(&Loop) -> i64, slot: i64| {
        let last: i64 = loops.iter().map(|l| (l.extent - 1) * stride(l)).sum();
        ((last + 1) * slot) as usize / 8
    };
    let (n_src, n_dst) = (n_bytes(|l| l.src, slots.src), n_bytes(|l| l.dst, slots.dst));
    let src = pattern(n_src);
    let mut expected = vec![0xee; n_dst];
    walk(loops, (0, 0), &mut |(from, to)| {
        for bit in 0..slots.dst {
            let (from, to) = (from * slots.src + bit, (to * slots.dst + bit) as usize);
            let is_set = bit < slots.value && src[(from / 8) as usize] >> (from % 8) & 1 == 1;
            let mask = 1 << (to % 8);
            expected[to / 8] = expected[to / 8] & !mask | if is_set { mask } else { 0 };
        }
    });
    let targets = cases(&[Target::Streamed, Target::Cached], 1);
    let each = |level| targets.iter().map(move |&target| (level, target));
    for (level, target) in Level::all().into_iter().flat_map(each) {
        let mover =
            Mover::of(Wanted { loops, slots, begin: Begin::Bytes, first: 0, target, level });
        assert!(mover.held_bytes() <= Mover::MOST_BYTES, "{loops:?}: {}", mover.held_bytes());
        let streamed = [Stores::Cached, Stores::Streamed, Stores::Staged];
        for &stores in if target.is_streamed() { &streamed } else { &streamed[..1] } {
            for &shift in cases(&[0, 3, 32], 1) {
                let means = Means { level, stores };
                let mut buffer = vec![0xee; n_dst + 4 * GUARD];
                let start = buffer.as_ptr().align_offset(GUARD) + GUARD + shift;
                let dst = &mut buffer[start..start + n_dst];
                mover.run((0, 0), &src, dst, means, &mut Vec::new());
                assert!(dst == expected, "{loops:?} {slots:?} by {means:?} at {shift}");
                let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                assert!(around.all(|byte| *byte == 0xee), "{loops:?} by {means:?}");
            }
        }
    }
    program_of_bits(loops, slots, Level::best(), true).unwrap()
}
