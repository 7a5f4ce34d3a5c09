//! Every kernel against moving one by one.

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

#[test]
fn runs() {
    for &unit in cases(&UNITS, 3) {
        check(&[], unit);
        for &length in cases(&[1, 7, 33, 70, 2, 3, 9, 16, 129, 300], 4) {
            check(&[l(length, 1, 1)], unit);
            check(&[l(3, 2 * length, 4 * length + 5), l(length, 1, 1)], unit);
            // One behind the other, from places forwards and backwards.
            check(&[l(9, 2 * length + 1, length), l(length, 1, 1)], unit);
            let from = 8 * (length + 2) as usize * unit;
            check_from(from, &[l(9, -length - 2, length), l(length, 1, 1)], unit);
            // More than are chained, of which the last or the first end where the source does.
            check(&[l(70, length + 1, length), l(length, 1, 1)], unit);
            check(&[l(70, 0, length), l(length, 1, 1)], unit);
            let from = 69 * (length + 1) as usize * unit;
            check_from(from, &[l(70, -length - 1, length), l(length, 1, 1)], unit);
        }
    }
}

/// Rows of tiles of 32 rows of bits, each element to every fourth byte: what is made for one bit of the source's bytes also moves what begins at another.
#[test]
fn what_is_made_for_one_bit_of_the_source() {
    let n = if cfg!(miri) { 1 } else { 10 };
    let loops = [l(3, n * 4096, n * 512), l(n, 4096, 512), l(128, 32, 4)];
    let slots = Slots { value: 1, src: 1, dst: 8 };
    let src = pattern((3 * n * 4096 / 8) as usize);
    for level in Level::all() {
        let begin = Begin::of((4, 0), slots, loops);
        assert_eq!(begin, Begin::SourceBit(4));
        let target = Target::Cached;
        let mover = Mover::of(Wanted { loops: &loops, slots, begin, first: 4, target, level });
        if level == Level::best() {
            assert_eq!(mover.kind(), Some(KernelKind::Lookup));
        }
        for bit in 0..8 {
            let mut expected = vec![0xee; (3 * n * 512) as usize];
            move_checked(&loops, slots, (bit, 0), &src, &mut expected);
            let mut dst = vec![0xee; expected.len()];
            let means = Means { level, stores: Stores::Cached };
            mover.run((bit, 0), &src, &mut dst, means, &mut Vec::new());
            assert!(dst == expected, "from bit {bit}, {level:?}");
        }
    }
    // A step of a bit begins at others.
    assert_eq!(Begin::of((4, 0), slots, [l(2, 1, 512), l(128, 32, 4)]), Begin::Bits);
    assert_eq!(Begin::of((4, 1), slots, loops), Begin::Bits);
}

#[test]
fn runs_of_several_loops_that_follow_each_other() {
    for &(length, unit) in
        cases(&[(7, 1), (20, 1), (3, 1), (5, 1), (11, 1), (3, 2), (7, 2), (3, 4), (13, 2)], 2)
    {
        let n = 4 * length;
        for outer in [3, 1, 2] {
            // One behind the other to the end of the source; others between them; and a part of what is written.
            let run = l(length, 1, 1);
            check(&[l(outer, n, 10 * n), l(4, 1, length), l(10, outer * n, n), run], unit);
            check(&[l(outer, 0, 5 * n), l(5, n, n), l(4, length, length), run], unit);
            check(&[l(outer, 9 * n, 5 * n + 1), l(5, n, n), l(4, 2, length), run], unit);
            check(&[l(outer, 9, 80 * n), l(20, n, 4 * n), l(4, 2, n), l(4, 1, length), run], unit);
            let chained = [l(outer, 9 * n, 5 * n + 1), l(5, n, n), l(4, 2, length)];
            let is_chain = runs::Chain::of(&chained, length, unit).is_some();
            assert!(is_chain, "{chained:?} of {length} of {unit} bytes");
            let from = (4 * n + 3 * 2) as usize * unit;
            check_from(from, &[l(outer, 2, 5 * n), l(5, -n, n), l(4, -2, length), run], unit);
            // More than are chained, of which the first end where the source does.
            let from = 19 * n as usize * unit;
            let backwards = [l(outer, 0, 80 * n), l(20, -n, 4 * n), l(4, 2, n), l(4, 1, length)];
            check_from(from, &[&backwards[..], &[run]].concat(), unit);
        }
    }
}

/// Moves a box whose neighbours are listed by that, whether or not it is the best way, with all registers there are; and one by
/// one. What the longest registers are moved by.
fn check_listed(loops: &[Loop], unit: usize) -> Listed {
    let src = pattern(bytes_of(loops, unit, |l| l.src));
    let n_dst = bytes_of(loops, unit, |l| l.dst);
    let mut expected = vec![0xee; n_dst];
    move_checked(loops, Slots::same(8 * unit as i64), (0, 0), &src, &mut expected);
    let by = |level| Listed::of(loops, unit, level, true);
    for level in Level::all() {
        let listed = by(level).unwrap_or_else(|| panic!("{loops:?} of {unit} bytes, {level:?}"));
        assert!(listed.held_bytes() <= Mover::MOST_BYTES, "{loops:?} of {unit} bytes");
        for stores in [Stores::Cached, Stores::Streamed, Stores::Staged] {
            for &shift in cases(&[0, 3], 1) {
                let mut buffer = vec![0xee; n_dst + 3 * GUARD];
                let start = buffer.as_ptr().align_offset(LINE) + GUARD + shift;
                let dst = buffer[start..].as_mut_ptr();
                // SAFETY: the buffers are as long as the loops reach.
                unsafe { machine::run_listed(&listed, At { src: src.as_ptr(), dst }, stores) };
                let by = format!("{level:?}, {stores:?} at {shift}");
                let dst = &buffer[start..start + n_dst];
                assert_eq!(dst, expected, "{loops:?} of {unit} bytes by {by}");
                let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                assert!(around.all(|byte| *byte == 0xee), "{loops:?} of {unit} bytes by {by}");
            }
        }
    }
    by(Level::best()).expect("there was one")
}

#[test]
fn neighbours_that_are_listed() {
    for &unit in cases(&[2, 1, 4, 8], 1) {
        let line = 64 / unit as i64;
        // Of the source: 5 times 13 that lie apart, of rows that are 3 lines and a bit, or within one.
        for row in [3 * line + 1, line / 2 + 1] {
            let pitch = row + 3;
            let loops = [l(13, 5 * pitch, 5), l(row, 1, 65), l(5, pitch, 1)];
            let listed = check_listed(&loops, unit);
            assert!(listed.lists().0.is_some(), "{loops:?} of {unit} bytes");
            check_listed(&[&[l(3, row, 65 * row)], &loops[..]].concat(), unit);
        }
        // Of the destination, which gets whole lines, or by way of a stage what begins anywhere.
        for row in [4 * line, 4 * line + 1] {
            let loops = [l(13, 5, 5 * row), l(row, 65, 1), l(5, 1, row)];
            let listed = check_listed(&loops, unit);
            let is_long = max_lanes(Level::best()) == MAX_LANES;
            assert_eq!(listed.lists().1.is_some(), is_long, "{loops:?} of {unit} bytes");
            assert_eq!(listed.has_stage(), !is_long, "{loops:?} of {unit} bytes");
            assert_eq!(listed.streams(), is_long && row % line == 0, "{loops:?} of {unit} bytes");
        }
    }
}

/// As many tiles and lists as there may be.
#[test]
#[cfg_attr(miri, ignore = "a million bytes, eighteen times")]
fn many_listed_neighbours() {
    let apart = [l(9, 67_500, 225), l(25, 2700, 9), l(9, 300, 1)];
    let rows = [l(3, 68, 142_800), l(4, 17, 35_700), l(17, 1, 2100)];
    check_listed(&[apart, rows].concat(), 1);
}

/// Points of filters that follow each other in the destination, of matrices whose rows are of several sets of a cache or of one:
/// tiles that write whole lines of them stream those.
#[test]
fn neighbours_that_are_streamed() {
    for (channels, pitch, are_lines) in
        [(32, 100, true), (31, 100, false), (16, 1024, true), (15, 1024, false)]
    {
        let points = [l(channels, pitch, 9), l(9, channels * pitch, 1)];
        let listed = check_listed(&[&[l(96, 1, 9 * channels)], &points[..]].concat(), 4);
        assert_eq!(listed.streams(), are_lines && is_wide(), "{channels} of {pitch}");
        assert_eq!(listed.has_stage(), pitch == 1024 && is_wide(), "{channels} of {pitch}");
    }
}

/// Rows of the source that would be in each other's way.
#[test]
fn neighbours_whose_rows_are_gathered() {
    let loops = [l(13, 5 * 4096, 5), l(5, 4096, 1), l(200, 1, 65)];
    let at_once = 16 * max_lanes(Level::best());
    assert_eq!(check_listed(&loops, 1).has_stage(), at_once > block::WAYS);
}

#[test]
fn runs_that_are_joined() {
    for &unit in cases(&UNITS, 3) {
        for &length in cases(&[16, 65, 1, 17, 63, 64, 100, 257], 2) {
            check(&[l(5, 3 * length, length), l(length, 1, 1)], unit);
            check(&[l(3, length, 9 * length + 1), l(9, 4 * length, length), l(length, 1, 1)], unit);
        }
    }
}

#[test]
fn zips_and_unzips() {
    for &unit in cases(&UNITS, 2) {
        for &count in cases(&[9, 3, 2, 8, 32, 4, 5, 16, 6, 7], 2) {
            for &length in cases(&[65, 7, 17, 1, 16, 64, 100, 257], 1) {
                check(&[l(length, 1, count), l(count, length + 3, 1)], unit);
                check(&[l(count, 1, length + 3), l(length, count, 1)], unit);
                check(&[l(count, 1, 64 * length), l(length, count, 1)], unit);
                let run = length * count;
                check(&[l(3, 2 * run, run), l(length, 1, count), l(count, length, 1)], unit);
            }
        }
    }
}

/// Rows of about as many bytes as are streamed at a time, and of more, one matrix after the other: next to each other, or not.
#[test]
fn zips_and_unzips_of_long_rows() {
    for &unit in cases(&[1, 2, 4, 8], 1) {
        for &count in cases(&[3, 9, 5, 6, 7], 1) {
            for &bytes in cases(&[1305, 521, 505, 512, 1024, 4201, 5120], 1) {
                let length = bytes / unit as i64;
                let run = length * count;
                for gap in [0, 5] {
                    check(&[l(3, run, run + gap), l(length, 1, count), l(count, length, 1)], unit);
                    for kept in [count, 2, 1] {
                        let pitch = length + gap;
                        let rows = [l(3, run, kept * pitch), l(kept, 1, pitch)];
                        check(&[rows[0], rows[1], l(length, count, 1)], unit);
                    }
                }
            }
        }
    }
}

/// Some rows of more that lie between each other, down to one; the source ends with the last of
/// them.
#[test]
fn some_rows_of_an_unzip() {
    for &unit in cases(&UNITS, 2) {
        for &(count, kept) in cases(&[(3, 2), (9, 5), (8, 3), (5, 4), (7, 1), (2, 1), (16, 9)], 1) {
            for &length in cases(&[17, 64, 1, 7, 257], 1) {
                check(&[l(kept, 1, length + 3), l(length, count, 1)], unit);
                check(&[l(2, 3 * length * count, length), l(length, count, 1)], unit);
            }
        }
    }
}

/// Grids of a few columns or rows that are no zips, because other loops lie between.
#[test]
fn thin_grids() {
    for &unit in cases(&UNITS, 2) {
        let sides = [(3, 3, 5), (2, 3, 3), (5, 2, 17), (3, 7, 16), (13, 2, 9), (1, 3, 40)];
        for &(a, b, n) in cases(&sides, 1) {
            // The first two change places, a third comes to lie between: columns, then rows.
            check(&[l(b, 1, n * a), l(n, 5 * a * b, a), l(a, b, 1)], unit);
            check(&[l(n, b, 5 * a * b), l(b, 1, a), l(a, n * b, 1)], unit);
            // Rows backwards, so that the first one lies nearest to the end.
            let start = ((n - 1) * a * b) as usize * unit;
            check_from(start, &[l(b, 1, n * a), l(n, -a * b, a), l(a, b, 1)], unit);
        }
    }
}

#[test]
fn grids() {
    for &unit in cases(&UNITS, 3) {
        let sides = [(3, 5), (16, 17), (16, 16), (64, 64), (37, 70), (130, 65), (1030, 37)];
        for &(a, b) in cases(&sides, 2) {
            check(&[l(b, 1, a), l(a, b, 1)], unit);
            check(&[l(b, 1, 64 * ((a + 63) / 64)), l(a, b + 5, 1)], unit);
            check(&[l(2, b, a * b), l(b, 1, a), l(a, 2 * b, 1)], unit);
        }
    }
}

/// Elements that lie alone, as one of an odd number that are packed by two or by four: a line of the destination is gone through at
/// once, if the lines that it comes from have room in the first cache; else a line of the source, if those that it goes to have; and
/// else a part of one.
#[test]
fn elements_that_lie_alone() {
    let (one, two) = (l(1, 0, 0), l(2, 256, 1));
    // Columns of 4 KiB, and rows of 512 bytes: a cache has room for 8 lines of the former and 64 of the latter.
    let all = [
        (2, [l(37, 2, 256), l(200, 2048, 1), one], (l(37, 2, 256), 16, [l(200, 2048, 1), one])),
        (1, [l(150, 1, 8192), l(71, 512, 4), two], (l(71, 512, 4), 16, [l(150, 1, 8192), two])),
        (1, [l(150, 1, 8192), l(71, 4096, 4), one], (l(71, 4096, 4), 8, [l(150, 1, 8192), one])),
        // Few that are beside each other in the source, and none.
        (2, [l(5, 2, 256), l(200, 2048, 1), one], (l(200, 2048, 1), 8, [l(5, 2, 256), one])),
        (2, [l(5, 300, 256), l(20, 2048, 1), one], (l(20, 2048, 1), 20, [l(5, 300, 256), one])),
    ];
    for &(unit, loops, (row, at_once, around)) in cases(&all, 1) {
        let mut left: Vec<Loop> = loops.iter().filter(|l| l.extent > 1).copied().collect();
        let [n_src, n_dst] =
            [|l: &Loop| l.src, |l: &Loop| l.dst].map(|stride| bytes_of(&left, unit, stride));
        let (src, mut expected) = (pattern(n_src), vec![0xee; n_dst]);
        move_checked(&left, Slots::same(8 * unit as i64), (0, 0), &src, &mut expected);
        let mut dst = vec![0xee; n_dst];
        let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
        let kernel = Kernel::choose(&mut left, unit as i64, at, Stores::Cached);
        assert_eq!(kernel, Kernel::Single(Singles { row, at_once, around }), "{loops:?}");
        let means = Means { level: Level::best(), stores: Stores::Cached };
        let end = src.as_ptr_range().end;
        // SAFETY: the buffers are as long as the loops reach, which are the kernel's.
        unsafe { move_units(kernel, &left, unit, at, means, end) };
        assert_eq!(dst, expected, "{loops:?}");
    }
}

/// Short runs of lines that would be gone before the next run of theirs: of rows whose lines are of the same few sets, as those
/// 4 KiB apart or nearly so, as many as have room in the first cache, and of what is beside them four lines.
#[test]
fn short_runs_by_blocks() {
    for &length in cases(&[3, 13, 29, 5, 6, 7, 9, 10, 11, 12, 14, 15, 17, 24, 31], 1) {
        let column = |dst: i64| l(100, length, dst);
        let in_line = 4 * 64 / length;
        let all = [
            // The loops, how they are stored, and the block.
            (
                vec![column(37 * length + 5), l(37, 4096, length)],
                Stores::Cached,
                Some((8, in_line)),
            ),
            (
                vec![column(37 * length + 5), l(37, 4100, length)],
                Stores::Cached,
                Some((8, in_line)),
            ),
            // What has room for all, and what comes from memory.
            (vec![column(37 * length), l(37, 4160, length)], Stores::Cached, None),
            (vec![column(37 * length), l(37, 4096, length)], Stores::Staged, None),
            // More lines than there is room for before the next run of one.
            (
                vec![column(740 * length + 5), l(20, 41 * 4160, 37 * length), l(37, 4160, length)],
                Stores::Staged,
                Some((37, in_line)),
            ),
            // The same of runs that do not follow each other in the source.
            (
                vec![
                    l(100, length + 4, 740 * length + 5),
                    l(20, 41 * 4160, 37 * length),
                    l(37, 4160, length),
                ],
                Stores::Staged,
                Some((37, 4 * 64 / (length + 4))),
            ),
        ];
        for &(ref loops, stores, block) in cases(&all, 1) {
            check_blocks(loops, length, stores, block);
        }
    }
}

/// The same of what comes from memory: many rows by blocks of 512 bytes each, of lengths that are copied with what lies behind
/// them to a power of two; in the last block and at the end of the source as they are.
#[test]
fn short_runs_from_memory_by_blocks() {
    for &length in cases(&[40, 12, 3, 5, 8, 9, 17, 24, 31, 33, 48, 56, 63], 2) {
        let at_once = 512 / length;
        let n = if cfg!(miri) { at_once + 2 } else { 3 * at_once - 1 };
        let column = |dst: i64| l(n, length, dst);
        for (loops, stores, block) in [
            (vec![column(48 * length), l(48, 2048, length)], Stores::Staged, (48, at_once)),
            (vec![l(48, n * length, length), column(48 * length)], Stores::Streamed, (48, at_once)),
            (
                vec![l(2, 0, n * (99 * length + 1)), column(99 * length + 1), l(99, 4096, length)],
                Stores::Staged,
                (99, at_once),
            ),
        ] {
            check_blocks(&loops, length, stores, Some(block));
        }
    }
}

/// Moves a box of such runs of bytes, by all registers, if it is by such blocks.
fn check_blocks(loops: &[Loop], length: i64, stores: Stores, block: Option<(i64, i64)>) {
    let loops = &[loops, &[l(length, 1, 1)]].concat();
    let [n_src, n_dst] =
        [|l: &Loop| l.src, |l: &Loop| l.dst].map(|stride| bytes_of(loops, 1, stride));
    let n_dst = n_dst + GUARD;
    let (src, mut expected) = (pattern(n_src), vec![0xee; n_dst]);
    move_checked(loops, Slots::same(8), (0, 0), &src, &mut expected);
    for level in Level::all() {
        let (mut around, mut dst) = (loops.clone(), vec![0xee; n_dst]);
        let at = At { src: src.as_ptr(), dst: dst.as_mut_ptr() };
        let kernel = Kernel::choose(&mut around, 1, at, stores);
        let blocked = match kernel {
            Kernel::Blocked(runs) => Some(runs.block),
            _ => None,
        };
        assert_eq!(blocked, block, "{loops:?} by {stores:?}");
        let end = src.as_ptr_range().end;
        // SAFETY: the buffers are as long as the loops reach, which are the kernel's and those left.
        unsafe { move_units(kernel, &around, 1, at, Means { level, stores }, end) };
        assert!(dst == expected, "{loops:?} by {stores:?} and {level:?}");
    }
}

/// One element of two, or of four, in rows that become columns: slots are read whole, and what lies beside is dropped; where the source
/// ends with the last element, none but the elements are.
#[test]
fn elements_beside_others() {
    let all = [(2, [l(37, 2, 256), l(197, 512, 1)]), (1, [l(71, 4, 300), l(200, 1024, 1)])];
    for (unit, loops) in cases(&all, 1) {
        let (unit, slots) = (*unit, Slots::same(8 * *unit as i64));
        let n_dst = bytes_of(loops, unit, |l| l.dst);
        let (n_src, slot) = (bytes_of(loops, unit, |l| l.src), loops[0].src as usize * unit);
        let src = pattern(n_src + slot - unit);
        let mut expected = vec![0xee; n_dst];
        move_checked(loops, slots, (0, 0), &src, &mut expected);
        let movers = |first: i64, is_streamed: bool| {
            let of = move |level| {
                let target = Target::of(is_streamed);
                Mover::of(Wanted { loops, slots, begin: Begin::Bytes, first, target, level })
            };
            Level::all().into_iter().map(move |level| (level, of(level)))
        };
        for (is_streamed, stores) in [(false, Stores::Cached), (true, Stores::Streamed)] {
            for (level, mover) in movers(0, is_streamed) {
                assert!(mover.reads_beside(), "{loops:?} by {level:?}");
                for (src, shift) in [(&src[..], 0), (&src[..], 3), (&src[..n_src], 3)] {
                    let mut buffer = vec![0xee; n_dst + 3 * GUARD];
                    let start = buffer.as_ptr().align_offset(GUARD) + GUARD + shift;
                    let dst = &mut buffer[start..start + n_dst];
                    let means = Means { level, stores };
                    mover.run((0, 0), src, dst, means, &mut Vec::new());
                    assert!(dst == expected, "{loops:?} by {means:?} of {} bytes", src.len());
                    let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                    assert!(around.all(|byte| *byte == 0xee), "{loops:?} by {means:?}");
                }
            }
        }
        // What begins within a slot would read beyond the last.
        assert!(movers(1, false).all(|(_, mover)| !mover.reads_beside()), "{loops:?}");
    }
    // Nothing is dropped of elements that are beside each other, and of slots that are too wide.
    for loops in [[l(37, 1, 256), l(197, 512, 1)], [l(37, 32, 256), l(197, 4096, 1)]] {
        assert!(!Mover::of_units(&loops, 2, Level::best(), false).reads_beside(), "{loops:?}");
    }
}

/// Destinations that begin within a line and have rows of whole lines, one behind the other.
#[test]
fn rows_that_begin_within_lines() {
    for &unit in cases(&[4, 16, 1], 1) {
        let (line, rows) = ((LINE / unit) as i64, if cfg!(miri) { 16 } else { 40 });
        check(&[l(17, 1, rows * line), l(rows * line, 17, 1)], unit);
    }
    for &unit in cases(&[4, 1, 2, 8, 16], 1) {
        let line = (LINE / unit) as i64;
        for &(rows, columns) in cases(&[(2, 17), (1, 40), (8, 65), (5, 300)], 1) {
            let (a, b) = (rows * line, columns.max(line + 1));
            check(&[l(b, 1, a), l(a, b, 1)], unit);
            check(&[l(3, b, (b + 2) * a), l(b, 1, a), l(a, 3 * b, 1)], unit);
        }
    }
}

/// Whether the registers are the longest there are.
fn is_wide() -> bool {
    max_lanes(Level::best()) == MAX_LANES
}

/// Whether a program gathers rows of the source before it moves them.
fn gathers(program: &Program) -> bool {
    let first = program.before.as_ref().and_then(|before| before.first.as_ref());
    let walks = first.map(|(walk, _)| walk).into_iter().chain([&program.walk]);
    let blocks = program.blocks.iter().filter_map(Option::as_deref);
    walks.chain(blocks).any(|walk| walk.gathered.is_some())
}

/// A tile of whole lines reads one of each of 64 bytes' elements in rows. So far apart they begin in every so many sets of a first
/// cache that has 4 KiB of each: where that is more than a set has room for, they are gathered.
#[test]
fn rows_of_a_tile_that_share_sets() {
    for (unit, apart, sets) in [
        (1, 1024, 4),
        (1, 512, 8),
        (1, 3072, 4),
        (1, 1088, 64),
        (2, 2048, 2),
        (2, 1024, 4),
        (4, 4096, 1),
        (4, 8192, 1),
        (4, 6144, 2),
        (4, 4160, 64),
    ] {
        let rows = 64 / unit;
        let loops = [l(256 / unit, 1, 2 * rows), l(2 * rows, apart / unit, 1)];
        check(&loops, unit as usize);
        let program = program_of_bits(&loops, Slots::same(8 * unit), Level::best(), false).unwrap();
        let are_many = rows / sets > block::WAYS as i64;
        assert!(!is_wide() || gathers(&program) == are_many, "{unit} bytes, {apart} apart");
    }
}

/// Rows of the destination that are in each other's way are put together in the caches where tiles write parts of lines, and rows
/// of the source that all are one set's anywhere. Those of two sets are neither.
#[test]
fn blocks_for_the_caches() {
    let at = |address: usize| At {
        src: std::ptr::null(),
        dst: std::ptr::without_provenance_mut(address),
    };
    let transposed = |rows: i64, columns: i64| [l(columns, 1, rows), l(rows, columns, 1)];
    for (loops, unit, on_line, off_line) in [
        (transposed(1024, 200), 4, false, true),
        (transposed(2048, 200), 2, false, true),
        (transposed(577, 512), 8, true, true),
        (transposed(577, 512), 4, false, false),
    ] {
        check(&loops, unit as usize);
        let program = program_of_bits(&loops, Slots::same(8 * unit), Level::best(), false).unwrap();
        let blocks = [64, 80].map(|address| program.cached_blocks(at(address)).is_some());
        assert!(
            !is_wide() || blocks == [on_line, off_line],
            "{loops:?} of {unit} bytes: {blocks:?}"
        );
    }
}

/// Many rows of the source that lie a multiple of 4 KiB apart: they are gathered before they are moved, from wherever they
/// begin, to rows that do so too or do not.
#[test]
fn rows_that_are_in_the_way_of_each_other() {
    let in_bytes = |unit: i64, rows: i64, len: i64, pitch: i64| {
        [l(len, 1, pitch.max(rows)), l(rows, 4096 / unit, 1)]
    };
    for &(unit, rows) in cases(&[(1, 64), (2, 32), (1, 150), (2, 70), (4, 40), (1, 320)], 1) {
        for &(len, pitch) in cases(&[(256 / unit, 0), (133, 0), (256 / unit, 4096 / unit)], 1) {
            let loops = in_bytes(unit, rows, len, pitch);
            check(&loops, unit as usize);
            let slots = Slots::same(8 * unit);
            let program = program_of_bits(&loops, slots, Level::best(), true).unwrap();
            // Tiles that step back over others are not.
            let is_whole = rows * unit % 64 == 0 && len == 256 / unit;
            assert!(!is_wide() || unit > 2 || !is_whole || gathers(&program), "{loops:?}");
        }
    }
    // Bits are gathered on the way into a bank, whole lines of each row, and lines are streamed; rows that lie otherwise are read
    // where they are.
    for &bits in cases(&[4, 2, 1], 0) {
        let slots = Slots::same(bits);
        let columns = |bytes: i64, pitch: i64| {
            let rows = 2048 / bits;
            [l(bytes * 8 / bits, 1, rows), l(rows, pitch * 8 / bits, 1)]
        };
        check_bits(&columns(128, 4096), slots);
        check_bits(&columns(192, 2048), slots);
        if bits == 4 {
            let program = check_bits(&columns(128, 16 << 10), slots);
            assert!(!is_wide() || gathers(&program));
        }
        for (level, bytes) in
            Level::all().into_iter().flat_map(|level| [(level, 128), (level, 2048)])
        {
            for (is_streamed, pitch) in
                [(false, 4096), (false, 6144), (true, 32 << 10), (true, 64 << 10)]
            {
                let what = format!(
                    "{bits} bits, {level:?}, rows of {bytes} and {pitch}, streamed {is_streamed}"
                );
                let program = |pitch: i64| {
                    program_of_bits(&columns(bytes, pitch), slots, level, is_streamed).unwrap()
                };
                let far = program(pitch);
                let into = &far.before.as_ref().unwrap().first.as_ref().unwrap().0;
                let gathered = into.gathered.as_ref().expect(&what);
                assert_eq!((gathered.len % 64, gathered.pitch % 128), (0, 64), "{what}");
                assert!(gathered.rows.len() > block::WAYS, "{what}: {}", gathered.rows.len());
                assert!(!is_streamed || far.streams_lines(), "{what}");
                // A second cache has places enough for 128 rows that lie 4 KiB apart.
                let may_be_near = bits == 4 && is_streamed;
                for others in [Some(pitch + 64), may_be_near.then_some(4096)].into_iter().flatten()
                {
                    let others = program(others).before.unwrap().first.unwrap().0;
                    assert!(others.gathered.is_none(), "{what}");
                }
            }
        }
    }
    // Registers of whole lines read each line once, wherever it is.
    let slots = Slots { value: 1, src: 8, dst: 1 };
    let rows = [l(32, 8192, 1), l(8192, 1, 32)];
    let program = program_of_bits(&rows, slots, Level::best(), true).unwrap();
    assert!(!is_wide() || !gathers(&program));
    // Lengths that tiles do not divide, bytes on one side, and zeros that enter.
    for &(value, src, dst) in cases(&[(4, 4, 4), (1, 8, 1), (4, 8, 4), (1, 1, 8), (2, 2, 4)], 0) {
        for (rows, len) in [(512, 1000), (328, 744), (264, 520)] {
            let slots = Slots { value, src, dst };
            check_bits(&[l(len, 1, rows), l(rows, 4096 * 8 / src, 1)], slots);
            check_bits(&[l(len, 1, 4096 * 8 / dst), l(rows, 4096 * 8 / src, 1)], slots);
        }
    }
}

/// Long rows that begin anywhere, from columns: blocks have parts of many, and read much of each row of the source. Of up to 256 columns
/// within 256 KiB a block has whole rows. Shorter rows, but of bytes, are for chunks.
#[test]
fn parts_of_long_rows() {
    for &unit in cases(&[4i64, 2, 8, 1], 0) {
        for (len, more) in [(1300, 1), (3072, 0), (1089, 3), (2384, 1), (2408, 1)] {
            let (columns, rows) = (131, len / unit + more);
            let grid = [l(columns, 1, rows), l(rows, columns + 6, 1)];
            let apart = l(2, rows * (columns + 6), rows * columns);
            for loops in [&grid[..], &[apart, grid[0], grid[1]]] {
                check(loops, unit as usize);
                let slots = Slots::same(8 * unit);
                let program = program_of_bits(loops, slots, Level::best(), true).unwrap();
                let walk = program.blocks[1].as_ref();
                let out = walk.and_then(|walk| walk.out.as_ref());
                let is_alone = rows <= 256 && rows * (columns + 6) * unit <= 256 << 10;
                let is_so = match walk.zip(out) {
                    Some((_, out)) if is_alone => out.rows.len() == 1,
                    Some((walk, out)) => {
                        let is_part = out.has_tails && out.len <= 128;
                        // But for what tiles of a register leave over.
                        let reads_much = walk.panel.len > (columns * unit - 64).min(512);
                        is_part && reads_much && (len > 2400 || unit == 1)
                    }
                    None => walk.is_none() && !is_alone && len < 2400 && unit > 1,
                };
                assert!(!is_wide() || is_so, "{loops:?} {:?} {out:?}", walk.map(|w| w.panel.len));
            }
        }
    }
}

/// Of a KiB of each row of the source, or as much as there is room for.
#[test]
fn parts_of_long_rows_from_many_columns() {
    for &(unit, read) in cases(&[(1i64, 512), (2, 1024), (8, 1024)], 0) {
        let (columns, rows) = (2816 / unit, 2917 / unit);
        let loops = [l(columns, 1, rows), l(rows, columns + 5, 1)];
        check(&loops, unit as usize);
        let slots = Slots::same(8 * unit);
        let program = program_of_bits(&loops, slots, Level::best(), true).unwrap();
        let walk = program.blocks[1].as_ref();
        let len = walk.map_or(0, |walk| walk.panel.len);
        let out = walk.and_then(|walk| walk.out.as_ref());
        let is_part = out.is_some_and(|out| out.has_tails && out.len <= 128);
        assert!(!is_wide() || is_part && (read - 128..=read).contains(&len), "{len} {out:?}");
    }
}

/// Where blocks would end with the first of several loops that make a row, which has a part and a half of those, they have all of it.
#[test]
fn parts_end_with_no_loop() {
    for &(unit, first) in cases(&[(2i64, 96), (4, 48)], 0) {
        let (second, columns) = (60, 203);
        let row = first * second;
        let loops = [l(columns, 1, row), l(second, columns, first), l(first, second * columns, 1)];
        check(&loops, unit as usize);
        let slots = Slots::same(8 * unit);
        let program = program_of_bits(&loops, slots, Level::best(), true).unwrap();
        let walk = program.blocks[1].as_ref();
        let out = walk.and_then(|walk| walk.out.as_ref());
        let ends = |walk: &block::Walk, len: i64| {
            walk.around.iter().any(|l| l.dst == len && l.dst_back != 0)
        };
        let is_whole = walk.zip(out).is_some_and(|(walk, out)| !ends(walk, out.len));
        assert!(!is_wide() || is_whole, "{out:?} {:?}", walk.map(|walk| &walk.around));
    }
}

/// Registers that go to rows of their own, each to two lines of one.
#[test]
fn stores_to_two_lines() {
    let program = |loops: &[Loop]| {
        program_of_bits(loops, Slots::same(32), Level::best(), false).expect("it is transposed")
    };
    let crosses = |loops: &[Loop], first: usize| {
        let mut walk = program(loops).walk;
        walk.far_stores = walk.line_bits();
        walk.crosses_lines(std::ptr::without_provenance(first))
    };
    let transposed = |rows: i64, columns: i64| [l(columns, 1, rows), l(rows, columns, 1)];
    assert_eq!(crosses(&transposed(177, 123), 0), is_wide(), "rows begin within lines");
    assert_eq!(crosses(&transposed(176, 123), 16), is_wide(), "the first begins within a line");
    assert!(!crosses(&transposed(176, 123), 0), "rows of whole lines");
    assert!(!crosses(&transposed(81, 67), 0), "the first cache has all of them");
    // Four rows that are zipped.
    assert!(!crosses(&transposed(4, 4099), 16), "registers are stored one behind the other");
    for &unit in cases(&[4usize, 2, 8], 0) {
        check(&transposed(177, 123), unit);
        // Several panels, and rows of which the last tile shares elements with the one before.
        check(&[l(3, 1, 97 * 131), l(131, 3, 97), l(97, 131 * 3, 1)], unit);
    }
}

/// Rows that two loops make: a block does not go on with the first where it ends.
#[test]
fn blocks_along_rows_of_several_loops() {
    for &unit in cases(&[4i64, 2, 8], 0) {
        for (first, second) in [(256 / unit, 8), (64, 9), (128, 3), (96, 6)] {
            let (columns, row) = (67, first * second);
            let pitch = columns + 3;
            let loops =
                [l(columns, 1, row), l(second, first * pitch + 7, first), l(first, pitch, 1)];
            check(&loops, unit as usize);
        }
    }
}

/// Rows of interleaved tiles: blocks have long rows that begin anywhere and take turns, whose ends are parts of lines. Rows that lie
/// one behind the other are one.
#[test]
fn long_rows_that_take_turns() {
    for &(unit, count) in cases(&[(2i64, 2), (1, 4), (4, 2), (8, 2)], 0) {
        for (tiles, more) in [(32, 0), (33, 5), (9, 1)] {
            // As many rows of tiles of 128 columns, in turn, to rows that are a little further apart than they are long.
            let row = tiles * 128 + more;
            let loops = [l(count, 1, row), l(tiles, 8 * 128, 128), l(128, count, 1)];
            check(&loops, unit as usize);
            let slots = Slots::same(8 * unit);
            let program = program_of_bits(&loops, slots, Level::best(), true).unwrap();
            let out = program.blocks[1].as_ref().and_then(|walk| walk.out.as_ref());
            let takes_turns = out.is_some_and(|out| {
                let n_rows = out.rows.len();
                let is_so = n_rows == count as usize || more == 0 && n_rows == 1;
                out.has_tails && is_so && out.len >= 512
            });
            assert!(!is_wide() || tiles * 128 * unit < 1024 || takes_turns, "{loops:?} {out:?}");
        }
    }
}

/// Matrices of a batch whose rows are zipped, or taken apart, where those are no whole registers: none is stored to parts of two pages of
/// the stage.
#[test]
fn registers_of_a_stage_lie_within_pages() {
    assert_eq!(align_of::<block::Stage>(), 4096);
    let (mut n_blocks, mut n_of_several) = (0, 0);
    for (unit, rows, columns) in
        [(4i64, 2, 57), (4, 4, 60), (4, 2, 153), (2, 8, 57), (1, 4, 156), (8, 7, 63), (4, 3, 333)]
    {
        let each = rows * columns;
        let matrices = l((1 << 20) / each, each, each);
        let zip = [matrices, l(columns, 1, rows), l(rows, columns, 1)];
        let unzip = [matrices, l(rows, 1, columns), l(columns, rows, 1)];
        // And each row of a matrix behind the same one of the matrix before.
        let apart = |n: i64| {
            [l(rows, 1, n * columns + 3), l(n, each + 2 * rows, columns), l(columns, rows, 1)]
        };
        check(&apart(if cfg!(miri) { 3 } else { 200 }), unit as usize);
        for loops in [zip, unzip, apart((1 << 20) / each)] {
            let program =
                program_of_bits(&loops, Slots::same(8 * unit), Level::best(), true).unwrap();
            for walk in program.blocks.iter().flatten() {
                let Some(out) = walk.out.as_ref().filter(|out| out.len <= 4032) else { continue };
                n_blocks += 1;
                n_of_several += usize::from(out.rows.len() > 1);
                let register = 16 * walk.tile.n_lanes as i64;
                for (_, place) in &walk.tiles {
                    for store in &walk.tile.stores[..walk.tile.stored] {
                        let first = 64 + place + store;
                        let last = first + register - 1;
                        assert_eq!(first >> 12, last >> 12, "{loops:?}: {place} {store} {out:?}");
                    }
                }
            }
        }
    }
    let are_enough = n_blocks >= 12 && n_of_several >= 4;
    assert!(!is_wide() || are_enough, "{n_blocks}, {n_of_several} of several rows");
}

/// Fields of records, each to a row of its own that begins anywhere: a block has all fields, so that records are read once, and goes
/// on with their rows. Fields that two tiles share are one row of it.
#[test]
fn rows_of_fields() {
    for &(unit, fields) in cases(&[(4i64, 23), (4, 24), (2, 48), (2, 37), (8, 11), (4, 32)], 0) {
        // Many records are planned alone: between two blocks of the same ones, the caches would lose them.
        for (records, is_moved) in [(1301, true), (1 << 20 | 1, false)] {
            let loops = [l(fields, 1, records), l(records, fields, 1)];
            if is_moved {
                check(&loops, unit as usize);
            }
            let program =
                program_of_bits(&loops, Slots::same(8 * unit), Level::best(), true).unwrap();
            let walk = program.blocks[1].as_ref().filter(|_| is_wide());
            let out = walk.and_then(|walk| walk.out.as_ref());
            let is_block = out.is_some_and(|out| {
                out.has_tails && out.rows == Vec::from_iter((0..fields).map(|n| n * records * unit))
            });
            assert!(!is_wide() || is_block, "{unit} {fields} {records} {out:?}");
        }
    }
    // Two kinds of fields, whose rows are not all as far apart: as those that two tiles share, and above them.
    check(&[l(11, 1, 1301), l(3, 11, 11 * 1301 + 5), l(1301, 33, 1)], 4);
    check(&[l(11, 1, 2 * 1306 + 3), l(2, 11, 1306), l(1301, 22, 1)], 4);
}

/// Rows of 40 elements of 8 bytes, which no tiles divide: to a destination that begins anywhere they go in blocks of longer rows too,
/// however far apart they are read.
#[test]
fn tiles_that_share_elements_of_long_rows() {
    let columns = |n: i64, count: i64| [l(n, 1, 40 * count), l(count, n, 40), l(40, n * count, 1)];
    check(&columns(16, 24), 8);
    // Planned alone: 70 MiB.
    for (n, count) in [(16, 24), (128, 1792)] {
        let program =
            program_of_bits(&columns(n, count), Slots::same(64), Level::best(), true).unwrap();
        let [lines, any] = program.blocks.each_ref().map(Option::is_some);
        assert!(!is_wide() || lines && any, "{n} by {count}: {lines}, {any}");
    }
}

/// Rows of the source that are far apart, of which tiles share some within each row of the destination: 153 or 300 of them to one row
/// that is a block, and 24 to rows of 64 times as many that would be in each other's way in a chunk.
#[test]
#[cfg_attr(miri, ignore = "a million bytes; what is near is moved by the same blocks")]
fn tiles_that_share_rows_far_apart() {
    let turned = |rows: i64, columns: i64| vec![l(columns, 1, rows), l(rows, columns, 1)];
    let chains = vec![l(8193, 1, 24 * 64), l(64, 8193, 24), l(24, 64 * 8193, 1)];
    check(&turned(153, 1801), 4);
    for (loops, unit, n_rows) in [
        (turned(153, 1801), 4, 1),
        (turned(153, 82_241), 4, 1),
        (turned(300, 83_886), 2, 1),
        (turned(153, 328_965), 1, 1),
        (chains, 4, 16),
    ] {
        let slots = Slots::same(8 * unit);
        let program = program_of_bits(&loops, slots, Level::best(), true).unwrap();
        let out = program.blocks[1].as_ref().and_then(|walk| walk.out.as_ref());
        let is_block = out.is_some_and(|out| out.has_tails && out.rows.len() == n_rows);
        assert!(!is_wide() || is_block, "{loops:?} {out:?}");
    }
}

/// Rows that several loops make, of which the first is no whole number of tiles: blocks have all of that loop, and as many steps of
/// the next as make whole lines of at least 256 bytes; or if none do, rows that end with that loop and anywhere.
#[test]
#[cfg_attr(miri, ignore = "a million bytes; other blocks are copied out by the same code")]
fn blocks_of_whole_loops() {
    // The elements of the first loop and their bytes, steps of the next, and whether those can make lines.
    for (first, unit, second, can_be_lines) in [
        (24, 4, 16, true),
        (104, 4, 6, true),
        (20, 8, 10, true),
        (80, 1, 12, true),
        (24, 4, 21, false),
        (24, 4, 15, false),
        (211, 2, 5, false),
    ] {
        let bytes = first * unit;
        // As many steps as make lines and are enough, if the second loop is as many or a multiple of that.
        let lines = (1..=second).find(|n| bytes * n % 64 == 0 && bytes * n >= 256);
        for (columns, aligned) in [(64 / unit, false), (131, false), (256 / unit, true)] {
            let pitch = columns + 3;
            // Far apart: with what lies near each other there is more choice. A multiple of 4 KiB apart they are gathered.
            let far = (1 << 20) / bytes + second * pitch;
            let far = if aligned { (far + 4095) / 4096 * 4096 } else { far };
            // Rows that follow each other are one, which is a block of its own.
            let row = first * second + if can_be_lines { 0 } else { 5 };
            let loops = [l(columns, 1, row), l(second, pitch, first), l(first, far, 1)];
            check(&loops, unit as usize);
            let slots = Slots::same(8 * unit);
            let program = program_of_bits(&loops, slots, Level::best(), true).unwrap();
            let blocks = program.blocks.each_ref().map(Option::as_deref);
            let [lines_of, any] = blocks.map(|walk| walk.and_then(|walk| walk.out.as_ref()));
            let is_so = match can_be_lines {
                true => lines_of
                    .is_some_and(|out| !out.has_tails && Some(out.len) == lines.map(|n| n * bytes)),
                false => {
                    lines_of.is_none()
                        && any.is_some_and(|out| out.has_tails && out.len % bytes == 0)
                }
            };
            assert!(!is_wide() || is_so, "{loops:?}: {lines_of:?}, {any:?}");
        }
    }
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

#[test]
fn short_runs_are_elements() {
    for &unit in cases(&[1, 4, 2, 8], 1) {
        for &length in cases(&[4, 2, 3, 8, 32], 2) {
            check(&[l(9, length, 5 * length), l(5, 9 * length, length), l(length, 1, 1)], unit);
            check(&[l(9, length + 1, 5 * length), l(length, 1, 1)], unit);
        }
    }
}

#[test]
fn grids_of_turned_blocks() {
    for &unit in cases(&[2, 1, 4, 8], 1) {
        for &(rows, columns) in cases(&[(2, 2), (4, 4), (2, 4), (8, 2), (16, 1)], 1) {
            let n = rows * columns;
            for &(a, b) in cases(&[(3, 5), (16, 16), (37, 70), (64, 130)], 1) {
                let block = [l(columns, 1, rows), l(rows, columns, 1)];
                check(&[[l(a, n, b * n), l(b, a * n, n)], block].concat(), unit);
                check(&[[l(b, a * n, n), l(a, n, (b + 3) * n)], block].concat(), unit);
            }
        }
    }
}

#[test]
fn grids_of_chains() {
    // Tiles of 8 × 128 to tiles of the transposed array: lines go across two tiles.
    let loops = [l(2, 8, 2048), l(2, 1024, 8), l(8, 1, 128), l(8, 128, 1)];
    for &unit in cases(&UNITS, 3) {
        check(&loops, unit);
    }
    if cfg!(miri) {
        return;
    }
    // Blocks of several rows and columns of blocks.
    check(&[l(300, 1, 1030), l(1030, 307, 1)], 4);
    check(&[l(2, 15 * 307, 15 * 300), l(300, 1, 15), l(15, 307, 1)], 2);
    // Chains that are too long to be listed.
    check(&[l(40_000, 1, 3), l(3, 50_000, 1)], 1);
    check(&[l(32_768, 1, 40), l(40, 32_768, 1)], 1);
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

/// The steps that a program takes on registers, in its tiles or on the way into a bank.
fn steps_of(program: &Program) -> &[tile::Op] {
    let before = program.before.as_ref().and_then(|before| before.first.as_ref());
    before.map_or(&program.walk.tile.ops, |(walk, _)| &walk.tile.ops)
}

#[test]
fn bits_within_registers() {
    // Words of nibbles in two orders, next to each other and apart.
    let orders = [[l(4, 1, 2), l(2, 4, 1)], [l(2, 1, 4), l(4, 2, 1)]];
    for order in cases(&orders, 1) {
        for &(count, src, dst) in cases(&[(43, 8, 8), (512, 8, 8), (45, 24, 8), (45, 8, 24)], 1) {
            let loops = [[l(count, src, dst)].as_slice(), order].concat();
            let program = check_bits(&loops, Slots::same(4));
            assert!(steps_of(&program).iter().any(|op| matches!(op, tile::Op::Swap { .. })));
        }
    }
    // Columns of bits to rows: squares of 8 by 8 are transposed at once.
    for &columns in cases(&[8, 16], 1) {
        let program = check_bits(&[l(columns, 1, 1024), l(1024, columns, 1)], Slots::same(1));
        assert!(steps_of(&program).contains(&tile::Op::Transpose), "{columns}");
    }
    // Slots whose upper bits are no element's.
    check_bits(&[l(256, 1, 1)], Slots { value: 8, src: 16, dst: 16 });
    // The same of whole bytes, in registers and by way of a bank.
    let widths = [(16, 32), (8, 32), (8, 16), (8, 64), (16, 64), (16, 128), (32, 64)];
    for &(value, src) in cases(&widths, 1) {
        let loops = [[l(37, 64, 200), l(200, 1, 1)], [l(71, 1, 256), l(256, 1024, 1)]];
        for loops in cases(&loops, 1) {
            let program = check_bits(loops, Slots { value, src, dst: value });
            assert!(steps_of(&program).iter().any(|op| matches!(op, tile::Op::Merge { .. })));
        }
    }
    for &(value, src, dst) in cases(&[(4, 8, 8), (2, 4, 4), (1, 4, 8), (4, 4, 8), (1, 1, 8)], 2) {
        for &count in cases(&[256, 1000], 1) {
            check_bits(&[l(count, 1, 1)], Slots { value, src, dst });
        }
    }
}

/// Bytes to 160 columns would have tiles ask for 14 lines each: the lines of their blocks do. Those of 64 bits ask for two.
#[test]
fn what_goes_out_asks_for_what_comes() {
    let panel = |bits: i64, rows: i64, columns: i64| {
        let matrix = [l(columns, 1, rows), l(rows, columns, 1)];
        let program = program_of_bits(&matrix, Slots::same(bits), Level::best(), true).unwrap();
        let [_, any] = program.blocks;
        any.unwrap().panel
    };
    if is_wide() {
        let (bytes, wide) = (panel(8, 199_999, 160), panel(64, 3903, 1024));
        assert_eq!(bytes.lines, 0, "{bytes:?}");
        assert_ne!(bytes.lines_out, 0, "{bytes:?}");
        assert_eq!((wide.lines, wide.lines_out), (2, 0), "{wide:?}");
    }
}

/// Of nibbles that are streamed, what is loaded into a bank of lines of the source is all of each at once, however far apart they lie.
#[test]
fn lines_of_nibbles_are_read_at_once() {
    for level in Level::all() {
        for pitch in [4096, 4160, 1 << 20] {
            let matrix = [l(4096, 1, 512), l(512, 2 * pitch, 1)];
            let program = program_of_bits(&matrix, Slots::same(4), level, true).unwrap();
            let (into, _) = program.before.unwrap().first.unwrap();
            let Tile { loads, registers, lanes, n_lanes, .. } = into.tile;
            let pieces = loads[..registers]
                .iter()
                .flat_map(|load| lanes[..n_lanes].iter().map(move |lane| load + lane));
            let mut pieces: Vec<i64> = pieces.collect();
            pieces.sort_unstable();
            for line in pieces.chunks(4) {
                let all = [0, 16, 32, 48].map(|byte| line[0] + byte);
                assert_eq!(line, all, "{level:?}, rows {pitch} bytes apart");
                assert_eq!(line[0] % 64, 0, "{level:?}, rows {pitch} bytes apart");
            }
        }
    }
}

/// Rows of bits interleaved and taken apart: an exchange for each place below a byte, in a tile as
/// long as there are few rows.
#[test]
fn bits_of_several_registers() {
    for &bits in cases(&[4, 1, 2], 2) {
        for &rows in cases(&[8, 2, 4, 16, 32], 1) {
            for &(length, pitch) in cases(&[(512, 512), (896, 1024)], 1) {
                let zip = [l(rows, pitch, 1), l(length, 1, rows)];
                let program = check_bits(&zip, Slots::same(bits));
                let is_exchange = |op: &&tile::Op| matches!(op, tile::Op::Exchange { .. });
                let n = steps_of(&program).iter().filter(is_exchange).count();
                assert_eq!(n, (8 / bits).ilog2() as usize, "{rows} rows of {bits} bits");
                assert_eq!(program.before.is_none(), rows <= 8, "{rows} rows of {bits} bits");
                check_bits(&[l(rows, 1, pitch), l(length, rows, 1)], Slots::same(bits));
            }
        }
    }
}

#[test]
fn grids_of_bits() {
    for &bits in cases(&[4, 1, 2], 1) {
        for &(a, b) in cases(&[(128, 128), (128, 320), (264, 136)], 1) {
            check_bits(&[l(b, 1, a), l(a, b, 1)], Slots::same(bits));
            let pitch = (a + 511) / 512 * 512;
            check_bits(&[l(b, 1, pitch), l(a, b + 8, 1)], Slots::same(bits));
        }
        // Tiles of eight rows of one column.
        let tiles = [l(2, 128 * 8, 8 * 256), l(2, 2 * 128 * 8, 128), l(8, 1, 256), l(128, 8, 1)];
        check_bits(&tiles, Slots::same(bits));
    }
    for &(value, src, dst) in cases(&[(4, 8, 4), (1, 8, 1), (4, 4, 8), (2, 8, 4), (1, 1, 8)], 1) {
        check_bits(&[l(128, 1, 256), l(256, 128, 1)], Slots { value, src, dst });
        if src <= dst {
            check_bits(&[l(2, 2048, 1), l(512, 1, 2)], Slots { value, src, dst });
        }
    }
}

#[test]
fn anything_else() {
    for &unit in cases(&UNITS, 3) {
        check(&[l(3, 40, 100), l(4, 10, 20), l(9, 5, 2)], unit);
        check(&[l(9, 0, 1)], unit);
    }
}

/// Where each byte of a swizzled side lies that would be at this place.
fn flipped(flips: Option<Flips>, bytes: &[u8]) -> Vec<u8> {
    let of = |place: usize| flips.map_or(place, |f| place ^ (place >> f.shift & f.mask));
    (0..bytes.len()).map(|place| bytes[of(place)]).collect()
}

/// Moves a box by a program between sides that are swizzled, with all registers, stored all ways, from within the source and
/// to places on lines and off; and the same one by one, put in order before and after. Says how often it was moved.
fn check_swizzled(loops: &[Loop], unit: usize, swizzles: Swizzles) -> usize {
    const GROUP: usize = 512;
    let whole = |bytes: usize| bytes.next_multiple_of(GROUP);
    let n_src = whole(bytes_of(loops, unit, |l| l.src));
    let n_dst = whole(bytes_of(loops, unit, |l| l.dst));
    let src = pattern(n_src);
    let mut in_order = vec![0xee; n_dst];
    let in_bits = Slots::same(8 * unit as i64);
    move_checked(loops, in_bits, (0, 0), &flipped(swizzles.src, &src), &mut in_order);
    let expected = flipped(swizzles.dst, &in_order);
    let mut n_moved = 0;
    let all = [Stores::Cached, Stores::Streamed, Stores::Staged];
    let ways = [(true, &all[..]), (false, &all[..1])];
    for (level, (is_streamed, ways)) in Level::all().into_iter().flat_map(|l| ways.map(|w| (l, w)))
    {
        let mover = Mover::of_units(loops, unit, level, is_streamed);
        if !mover.takes(swizzles, false) {
            continue;
        }
        for &stores in ways {
            for &shift in cases(&[0, 16, unit], 1) {
                // The slices do not begin at the first place.
                let (mut buffer, place) = (vec![0xee; n_dst + 3 * GUARD], 4096);
                let start = buffer.as_ptr().align_offset(GUARD) + shift;
                let dst = &mut buffer[start..start + n_dst];
                let parts = SwizzledParts { swizzles, places: (place, place) };
                let is_taken = mover.takes_at((0, 0), (n_src, n_dst), parts, stores);
                let is_moved = mover.run_swizzled((0, 0), &src, dst, parts, stores);
                assert!(is_moved == is_taken || shift != 0, "{loops:?} of {unit} bytes, {level:?}");
                let streams = stores == Stores::Streamed && swizzles.dst.is_some();
                assert!(is_moved || streams, "{loops:?} of {unit} bytes, {swizzles:?}, {level:?}");
                assert!(!is_moved || !streams || shift == 0, "lines that are none are streamed");
                let wanted = if is_moved { &expected } else { &vec![0xee; n_dst] };
                assert_eq!(dst, wanted, "{loops:?} of {unit} bytes, {swizzles:?}, {level:?}");
                let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
                assert!(
                    around.all(|byte| *byte == 0xee),
                    "{loops:?} of {unit} bytes, {swizzles:?}"
                );
                n_moved += usize::from(is_moved);
            }
        }
        // Nothing is moved of which a group is not there, or from within a piece.
        let parts = SwizzledParts { swizzles, places: (0, 0) };
        let mut dst = vec![0xee; n_dst];
        let is_cut =
            mover.run_swizzled((0, 0), &src[..n_src - GROUP], &mut dst, parts, Stores::Cached);
        let is_shifted = mover.run_swizzled((8, 8), &src, &mut dst, parts, Stores::Cached);
        assert!(!is_cut && !is_shifted && dst.iter().all(|byte| *byte == 0xee), "{loops:?}");
    }
    n_moved
}

/// Tiles of shared memory become rows, columns and each other: registers that are whole, and such of which every lane lies
/// elsewhere; rows a multiple of 4 KiB apart, which go by way of a stage; flips between far and near bits.
#[test]
fn swizzled_sides() {
    let all = [(3, 0x70), (3, 0x30), (3, 0x10), (1, 0x10), (4, 0x70)];
    let flips = |&(shift, mask): &(u32, usize)| Some(Flips { shift, mask });
    for &unit in cases(&[2, 4, 1, 8], 1) {
        let row = 128 / unit as i64;
        let tile = 8 * row;
        let (n, m) = if cfg!(miri) { (1, 2) } else { (8, 3) };
        let in_rows = m * row;
        let far = 4096 / unit as i64;
        let boxes = [
            vec![l(row * m, 1, 8 * n), l(8 * n, in_rows, 1)],
            vec![l(m, tile, 8 * n * row), l(row, 1, 8 * n), l(n, m * tile, 8), l(8, row, 1)],
            vec![l(n, m * tile, 8 * in_rows), l(8, row, in_rows), l(m, tile, row), l(row, 1, 1)],
            vec![l(n, 8 * in_rows, tile), l(m, row, n * tile), l(8, in_rows, row), l(row, 1, 1)],
            vec![l(row, 1, 64), l(64, far, 1)],
            vec![l(128, 1, far), l(2 * row, 128, 1)],
        ];
        for loops in cases(&boxes, 2) {
            let mut n_moved = [0; 3];
            for swizzle in cases(&all, 1) {
                let (one, other) = (flips(swizzle), flips(&all[1]));
                let of_sides = [(one, None), (None, one), (one, other)];
                for (n_moved, (src, dst)) in n_moved.iter_mut().zip(of_sides) {
                    *n_moved += check_swizzled(loops, unit, Swizzles { src, dst });
                }
            }
            assert!(n_moved.iter().all(|&n| n > 0), "{loops:?} of {unit} bytes: {n_moved:?}");
        }
    }
}

/// Rows that are copied, in more panels than one.
#[test]
fn swizzled_rows() {
    let (row, m, n) = (64, 4, if cfg!(miri) { 8 } else { 64 });
    let (tile, in_rows) = (8 * row, m * row);
    let loops = [l(n, m * tile, 8 * in_rows), l(8, row, in_rows), l(m, tile, row), l(row, 1, 1)];
    let [one, other] = [(3, 0x70), (3, 0x10)].map(|(shift, mask)| Some(Flips { shift, mask }));
    for (src, dst) in [(one, other), (other, None), (None, one)] {
        assert!(check_swizzled(&loops, 2, Swizzles { src, dst }) > 0, "{src:?} {dst:?}");
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

/// Moves whole tiles `along` rows of `row` elements of `unit` bytes, with all registers there are that do, to places of any alignment.
/// How many levels' registers do, if the best do.
fn check_overhanging(rows: &[Loop], along: &[Loop], unit: usize, row: i64) -> usize {
    let loops = [rows, along].concat();
    let n_src = bytes_of(&loops, unit, |l| l.src);
    let n_dst = bytes_of(rows, unit, |l| l.dst) + (row as usize - 1) * unit;
    let src = pattern(n_src);
    let mut expected = vec![0xee; n_dst];
    walk(rows, (0, 0), &mut |(from, to)| {
        walk(along, (from, 0), &mut |(from, within)| {
            if within < row {
                let (from, to) = (from as usize * unit, (to + within) as usize * unit);
                expected[to..to + unit].copy_from_slice(&src[from..from + unit]);
            }
        });
    });
    let mut n_levels = 0;
    for level in Level::all() {
        let Some(mover) = Mover::overhanging(&loops, unit, row, level) else {
            assert!(n_levels == 0 || level != Level::best(), "{loops:?} of {unit} bytes");
            continue;
        };
        assert!(mover.held_bytes() <= Mover::MOST_BYTES, "{loops:?} of {unit} bytes");
        n_levels += 1;
        for &shift in cases(&[3 * unit, 0, unit, GUARD / 2, 1], 1) {
            let mut buffer = vec![0xee; n_dst + 3 * GUARD];
            let start = buffer.as_ptr().align_offset(GUARD) + GUARD / 2 + shift;
            let dst = &mut buffer[start..start + n_dst];
            assert!(mover.is_moved_at((0, 0), n_src, n_dst), "{loops:?} of {unit} bytes");
            assert!(!mover.is_moved_at((0, 0), n_src, n_dst - 1), "{loops:?} of {unit} bytes");
            assert!(!mover.is_moved_at((0, 0), n_src - 1, n_dst), "{loops:?} of {unit} bytes");
            let means = Means { level, stores: Stores::Streamed };
            mover.run((0, 0), &src, dst, means, &mut Vec::new());
            assert!(dst == expected, "{loops:?} of {unit} bytes by {level:?} at {shift}");
            let mut around = buffer[..start].iter().chain(&buffer[start + n_dst..]);
            assert!(around.all(|byte| *byte == 0xee), "{loops:?} of {unit} bytes by {level:?}");
        }
    }
    n_levels
}

/// Channels in blocks, to those of a pixel one behind the other: of more than a block, and of one that ends anywhere within its last.
#[test]
fn channels_that_overhang() {
    let all = cases(&[1usize, 2, 4, 8, 16], 1);
    for (unit, block) in all.iter().flat_map(|&unit| [8i64, 4, 16, 32].map(|block| (unit, block))) {
        for channels in cases(&[61i64, 93, 14, 127, 30, 49, 100], 1) {
            let pixels = if cfg!(miri) { 9 } else { 131 };
            let (n, beyond) = ((channels + block - 1) / block, channels % block);
            if beyond == 0 || 3 * (block - beyond) > *channels {
                continue;
            }
            let rows = [l(2, n * pixels * block, pixels * channels), l(pixels, block, *channels)];
            let along = [l(n, pixels * block, block), l(block, 1, 1)];
            let n_levels = check_overhanging(&rows, &along, unit, *channels);
            let is_moved = unit as i64 * block >= 8 && unit as i64 * channels >= LINE as i64;
            assert!(n_levels > 0 || !is_moved, "{channels} in blocks of {block} of {unit} bytes");
        }
        if cfg!(miri) {
            break;
        }
    }
}

/// Columns in tiles of sublanes that are packed or not, to rows: of several tiles, or of less than one; and rows in tiles.
#[test]
fn rows_of_tiles_that_overhang() {
    let moved = |rows: &[Loop], along: &[Loop], unit, row| {
        let n_levels = check_overhanging(rows, along, unit, row);
        assert!(n_levels > 0, "{rows:?}, {along:?} of {unit} bytes");
    };
    // `{0,1:T(8,128)}`, all tiles of two rows of them and 72 rows.
    let columns = |unit, columns: i64| {
        let n = (columns + 7) / 8;
        for rows in [&[l(2, 1024, 128 * columns), l(128, 1, columns)][..], &[l(72, 1, columns)]] {
            moved(rows, &[l(n, 3 * 1024, 8), l(8, 128, 1)], unit, columns);
        }
    };
    columns(2, 61);
    // Two rows of 520 bytes at a time, of five.
    moved(&[l(5, 8, 65)], &[l(9, 40, 8), l(8, 1, 1)], 8, 65);
    if cfg!(miri) {
        return;
    }
    for unit in [1, 2, 4] {
        [127, 125, 123].into_iter().for_each(|n| columns(unit, n));
    }
    // `{0,1:T(8,128)(4,1)}` and `(2,1)`.
    for (unit, packed, n) in [(1, 4, 127), (1, 4, 61), (2, 2, 127), (2, 2, 125)] {
        let rows = [l(3, 1024, 128 * n), l(128, packed, n)];
        let along = [l((n + 7) / 8, 3 * 1024, 8), l(8 / packed, 128 * packed, packed)];
        moved(&rows, &[&along[..], &[l(packed, 1, 1)]].concat(), unit, n);
    }
    // Columns that are all in each other's way: they are gathered first.
    moved(&[l(3, 1024, 128 * 127), l(128, 1, 127)], &[l(16, 64 << 10, 8), l(8, 128, 1)], 4, 127);
    // Several rows of a tile that lie apart in the stage, each of which goes on with the line that the one before ends in.
    for (unit, packed, n) in [(2, 2, 1000), (2, 2, 1023), (1, 4, 1021), (1, 4, 700), (4, 2, 301)] {
        let rows = [l(3, 8192, 8 * n), l(8 / packed, 128 * packed, packed * n), l(packed, 1, n)];
        moved(&rows, &[l((n + 127) / 128, 1024, 128), l(128, packed, 1)], unit, n);
    }
    // `{1,0:T(8,128)}`, of which a block has a row, and `(4,1)`.
    for unit in [2, 4] {
        moved(
            &[l(5, 8192, 8 * 1000), l(8, 128, 1000)],
            &[l(8, 1024, 128), l(128, 1, 1)],
            unit,
            1000,
        );
    }
    let rows = [l(5, 8192, 8 * 1001), l(2, 512, 4 * 1001), l(4, 1, 1001)];
    moved(&rows, &[l(8, 1024, 128), l(128, 4, 1)], 1, 1001);
}

/// Rows with room between them have none of what is beyond them there; where steps within rows lead beyond the next one, nothing moves
/// them.
#[test]
fn rows_that_overhang_alone_or_by_more() {
    let along = [l(8, 800, 8), l(8, 1, 1)];
    for pitch in [61, 122] {
        let n_levels = check_overhanging(&[l(100, 8, pitch)], &along, 2, 61);
        assert_eq!(n_levels, Level::all().len(), "{pitch}");
    }
    assert_eq!(check_overhanging(&[l(100, 8, 31)], &along, 2, 31), 0);
}
