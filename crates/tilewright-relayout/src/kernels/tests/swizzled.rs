//! Programs between sides that are swizzled.

use super::*;

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
