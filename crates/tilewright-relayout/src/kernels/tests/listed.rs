//! Tiles whose neighbours are listed.

use super::*;

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
