//! Rows that overhang.

use super::*;

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
