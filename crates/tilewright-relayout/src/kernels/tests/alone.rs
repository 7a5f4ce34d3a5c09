//! Runs, rows that are joined, rows that are woven, and elements alone.

use super::*;

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

#[test]
fn short_runs_are_elements() {
    for &unit in cases(&[1, 4, 2, 8], 1) {
        for &length in cases(&[4, 2, 3, 8, 32], 2) {
            check(&[l(9, length, 5 * length), l(5, 9 * length, length), l(length, 1, 1)], unit);
            check(&[l(9, length + 1, 5 * length), l(length, 1, 1)], unit);
        }
    }
}
