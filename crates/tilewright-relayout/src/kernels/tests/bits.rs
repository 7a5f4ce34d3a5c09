//! Programs of elements of any width.

use super::*;

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
