//! Blocks of rows that programs put together, and rows that they gather.

use super::*;

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
