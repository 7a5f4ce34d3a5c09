//! Matrices of bits against elements one by one.

use super::*;
use crate::bits;
use crate::nest::drawn::Draw;
use crate::nest::walk;

fn bytes(draw: &mut Draw, n: usize) -> Vec<u8> {
    (0..n).map(|_| draw.below(256) as u8).collect()
}

/// Loops that count slots, in bits.
fn in_bits(loops: &[Loop], width: i64) -> Vec<Loop> {
    loops
        .iter()
        .map(|l| Loop { extent: l.extent, src: l.src * width, dst: l.dst * width })
        .collect()
}

/// Moves a box by every level, into the caches and past them, from and to these bits, and compares every bit of the destination
/// with what moving elements one by one leaves there.
fn check(loops: &[Loop], width: i64, start: (i64, i64), off_line: usize) {
    let mut draw = Draw(1 + loops.len() as u64);
    let reach =
        |of: fn(&Loop) -> i64| loops.iter().map(|l| ((l.extent - 1) * of(l)).max(0)).sum::<i64>();
    let n_bytes = |bit: i64, of| ((bit + (reach(of) + 1) * width) as usize).div_ceil(8);
    let src = bytes(&mut draw, n_bytes(start.0, |l| l.src));
    let len = n_bytes(start.1, |l| l.dst);
    let before = bytes(&mut draw, len);
    let mut expected = before.clone();
    walk(&in_bits(loops, width), start, &mut |(from, to)| {
        let value = bits::read(&src, from as usize, width as u32);
        bits::write(&mut expected, to as usize, width as u32, value);
    });
    for level in Level::all() {
        for stores in [Stores::Cached, Stores::Staged, Stores::Streamed] {
            let streams = stores == Stores::Streamed;
            let made = BitTranspose::of(loops, Slots::same(width), level, streams);
            let made = made.unwrap_or_else(|| panic!("{loops:?} of {width} bits is no matrix"));
            let mut memory = vec![0x5a; len + 2 * LINE];
            let first = memory.as_ptr().align_offset(LINE) + off_line;
            memory[first..first + len].copy_from_slice(&before);
            let dst = memory[first..].as_mut_ptr();
            // SAFETY: both sides have all bytes that were counted above.
            unsafe { made.run(&src.as_ptr_range(), dst, start, stores) };
            let name = level.name();
            assert!(memory[first..first + len] == expected, "{loops:?} {width} {start:?} {name}");
            let beside = memory[..first].iter().chain(&memory[first + len..]);
            assert!(beside.copied().all(|byte| byte == 0x5a), "{loops:?} {width} beside, {name}");
        }
    }
}

/// A matrix whose rows and columns follow each other, with as many elements between rows, and between columns.
fn matrix(rows: i64, columns: i64, between: (i64, i64)) -> [Loop; 2] {
    [
        Loop { extent: rows, src: columns + between.0, dst: 1 },
        Loop { extent: columns, src: 1, dst: rows + between.1 },
    ]
}

/// Columns of every number of lines that they are made of at a time, and one more; that end at a line, within one and within a byte;
/// and rows of one lane, of two, of a line and more.
#[test]
fn rows_and_columns_of_any_length() {
    let sizes: &[i64] = if cfg!(miri) { &[5] } else { &[2, 3, 5, 8, 9, 10, 17] };
    for width in [1, 2, 4] {
        let square = LINE_BITS / width;
        for (number, &lines) in sizes.iter().enumerate() {
            for part in if cfg!(miri) { vec![3] } else { vec![0, 1, square / 4, square / 2 + 3] } {
                let rows = lines * square - part;
                let columns =
                    [160 / width, 173 / width + 1, square, square + 1, 3 * square / 2 + 5];
                let columns = columns[(number + part as usize) % columns.len()];
                let start = (part % 8 * width, (number as i64 * width) % 8);
                check(&matrix(rows, columns, (0, 0)), width, start, 7 * number);
            }
        }
    }
}

/// More columns than are written at a time.
#[test]
fn many_columns() {
    let all = [(1, 705, 1300), (2, 353, 1100), (4, 177, 2500), (4, 1409, 601)];
    for &(width, rows, columns) in if cfg!(miri) { &all[..1] } else { &all[..] } {
        check(&matrix(rows, columns, (0, 0)), width, (3 * width % 8, width), 0);
    }
}

/// Columns that do not follow each other, and rows that do not, with what lies between left as it is.
#[test]
fn columns_with_gaps() {
    for between in if cfg!(miri) { vec![(2, 1)] } else { vec![(0, 3), (5, 0), (1, 250), (2, 1)] } {
        check(&matrix(709, 331, between), 1, (5, 3), 8);
        check(&matrix(2050, 163, between), 1, (0, 7), 60);
        check(&matrix(1283, 47, between), 4, (4, 0), 1);
    }
}

/// Matrices of a batch, rows and columns that several loops make, and loops in any order.
#[test]
fn several_loops() {
    let l = |extent, src, dst| Loop { extent, src, dst };
    // Of 3 × 7 × 59 × 5 × 67 elements, the last two along rows, the second and third along columns, which are in another order.
    let rows = 7 * 59;
    let row = 5 * 67;
    let loops = [
        l(3, rows * row, rows * row),
        l(7, 59 * row, 59),
        l(59, row, 1),
        l(5, 67, rows),
        l(67, 1, 5 * rows),
    ];
    for width in [2, 4] {
        check(&loops, width, (width, 0), 0);
        let mut turned = loops;
        turned.reverse();
        check(&turned, width, (0, width), 17);
    }
    // Of columns five at a time follow each other, and none where they go back in the destination.
    let rows = 1411;
    let wide = [l(rows, 170, 1), l(5, 1, rows), l(34, 5, 5 * rows + 3)];
    check(&wide, 1, (3, 5), 40);
    check(&[l(rows, 170, 1), l(170, 1, -rows)], 1, (1, 169 * rows + 6), 3);
    // The first loop goes back in the source.
    let back = [l(2, -400 * 99, 400 * 99), l(400, 99, 1), l(99, 1, 400)];
    check(&back, 2, (400 * 99 * 2, 0), 0);
}

/// What is no matrix of such elements, or too small for one.
#[test]
fn what_is_left_to_others() {
    let is_one = |loops: &[Loop], slots, is_streamed| {
        BitTranspose::of(loops, slots, Level::Plain, is_streamed).is_some()
    };
    let square = matrix(1024, 1024, (0, 0));
    for width in [1, 2, 4, 8] {
        assert_eq!(is_one(&square, Slots::same(width), true), width < 8);
    }
    assert!(!is_one(&square, Slots { value: 1, src: 8, dst: 1 }, true));
    assert!(!is_one(&matrix(1024, 159, (0, 0)), Slots::same(1), true));
    assert!(is_one(&matrix(1024, 160, (0, 0)), Slots::same(1), true));
    for (rows, into_caches, past_them) in
        [(255, false, false), (512, false, true), (704, true, true)]
    {
        let loops = matrix(rows, 200, (0, 0));
        assert_eq!(is_one(&loops, Slots::same(1), false), into_caches, "{rows}");
        assert_eq!(is_one(&loops, Slots::same(1), true), past_them, "{rows}");
    }
    // A loop that goes on on both sides makes columns longer, or rows of less than a line.
    for (columns, made) in [(600, [600, 704 * 20]), (300, [300 * 20, 704])] {
        let l = |extent, src, dst| Loop { extent, src, dst };
        let loops = [l(704, 20 * columns, 1), l(20, columns, 704), l(columns, 1, 704 * 20)];
        let matrix = BitTranspose::of(&loops, Slots::same(1), Level::Plain, false);
        let matrix = matrix.map(|matrix| [matrix.n_columns as i64, matrix.n_rows as i64]);
        assert_eq!(matrix, Some(made));
    }
    // Elements that stay beside each other.
    let loops = [
        Loop { extent: 8, src: 1, dst: 1 },
        Loop { extent: 512, src: 8 * 512, dst: 8 },
        Loop { extent: 512, src: 8, dst: 8 * 512 },
    ];
    assert!(!is_one(&loops, Slots::same(1), true));
}
