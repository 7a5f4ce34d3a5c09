//! Walking the panels of a program: what is gathered before the tiles of one are moved, what goes out after, and what is asked
//! for meanwhile. What moves the tiles themselves is a [kernel](super::code::Kernel).

use super::block::{Gathered, Out, Panel, Walk};
use super::code::{Kernel, SwizzledKernel};
use super::copies::PlacedBlock;
use super::level::{prefetch, prefetch_near};
use super::place::{At, LINE};
use super::places::AroundPlaces;
use super::register::Register;
use super::swizzle::SwizzledSides;

/// What is read after the last place of some loops: what follows in the source, or lines that have nothing to do with it.
pub(super) struct Ahead<'a, 'r> {
    pub(super) src: *const u8,
    pub(super) lines: &'a mut [Soon<'r>],
    /// Whether what is read may not be in the caches yet.
    pub(super) is_far: bool,
}

/// What is beside the tiles of a panel.
pub(super) struct Beside<'a, 'r> {
    /// Where it goes in the destination.
    pub(super) dst: *mut u8,
    /// Whether lines are asked for that panels to come read.
    pub(super) asks: bool,
    /// Lines that have nothing to do with the program.
    pub(super) lines: &'a mut [Soon<'r>],
}

/// By what the tiles of panels are moved.
pub(super) enum By<'s, 'l> {
    Kernel(Kernel),
    /// Where a side is swizzled, or listed.
    Swizzled(SwizzledKernel, &'s mut SwizzledSides<'l>),
}

impl By<'_, '_> {
    /// Moves a panel's tiles, from where they are or a stage. `next` is where what is asked for is read, and where the next panel is
    /// written.
    ///
    /// # Safety
    /// As [`Kernel`], or [`SwizzledKernel`].
    #[inline]
    unsafe fn run(&mut self, walk: &Walk, first: At, next: At, mut beside: Beside<'_, '_>) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                By::Kernel(kernel) => kernel(walk, first, next, &mut beside),
                By::Swizzled(kernel, sides) => kernel(walk, first, next, &mut beside, sides),
            }
        }
    }

    /// Copies the rows of a panel to the stage.
    ///
    /// # Safety
    /// They can be read, and there is room for them.
    unsafe fn gather(&self, gathered: &Gathered, src: *const u8, stage: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                By::Swizzled(_, sides) if sides.has_src() => sides.gather(gathered, src, stage),
                _ => (gathered.copy)(gathered, src, stage),
            }
        }
    }

    /// Copies the rows of a block from the stage to where they go, and asks for lines meanwhile.
    ///
    /// # Safety
    /// They can be read from the stage, and written.
    unsafe fn copy_out(&self, out: &Out, stage: *mut u8, placed: PlacedBlock, soon: &mut Soon<'_>) {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                By::Swizzled(_, sides) if sides.has_dst() => {
                    sides.copy_out(out, stage, placed.here, soon);
                }
                _ => (out.copy)(out, stage, placed, soon),
            }
        }
    }
}

/// Moves the panels of a walk, by way of a stage if there are blocks.
///
/// # Safety
/// As [`Kernel`] at every place of the loops; the stage has room for what the walk puts there.
#[inline]
pub(super) unsafe fn run(
    walk: &Walk,
    mut by: By<'_, '_>,
    at: At,
    stage: *mut u8,
    ahead: &mut Ahead<'_, '_>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if !walk.around.is_empty() || walk.gathered.is_some() || walk.out.is_some() {
            return each(walk, by, at, stage, ahead);
        }
        let next = At { src: ahead.src, ..at };
        by.run(walk, at, next, Beside { dst: at.dst, asks: ahead.is_far, lines: ahead.lines });
    }
}

/// The same of several panels, or such that have stages.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn each(walk: &Walk, mut by: By<'_, '_>, at: At, stage: *mut u8, ahead: &mut Ahead<'_, '_>) {
    let Walk { around, gathered, out, .. } = walk;
    let mut places = AroundPlaces::new(around, at);
    // Where what is asked for lies, if that is several panels ahead; then in what is read after this.
    let mut asked = (ahead.is_far && walk.panel.ahead > 1).then(|| AroundPlaces::new(around, at));
    if let Some(asked) = &mut asked {
        for _ in 0..walk.panel.ahead {
            asked.next();
        }
    }
    let reach = out.as_ref().map_or(0, |out| out.reach as isize);
    let mut begins = true;
    // SAFETY: the caller's promise: every place is one of the box's.
    unsafe {
        while let Some(at) = places.next() {
            let mut first = at;
            let ends = !places.has_next || at.dst.wrapping_offset(reach) != places.next.dst;
            if let Some(out) = out {
                first.dst = stage.wrapping_add(LINE);
                if out.has_tails {
                    ask_for_ends(out, at.dst, begins, ends);
                }
            }
            if let Some(gathered) = gathered {
                by.gather(gathered, at.src, stage);
                first.src = stage.wrapping_add(gathered.first);
            }
            let after = At { src: ahead.src, ..at };
            let mut next = if places.has_next { places.next } else { after };
            if let Some(asked) = &mut asked {
                if !asked.has_next {
                    *asked = AroundPlaces::new(around, after);
                }
                next.src = asked.next.src;
                asked.next();
            }
            let beside = Beside { dst: at.dst, asks: ahead.is_far, lines: ahead.lines };
            by.run(walk, first, next, beside);
            if let Some(out) = out {
                let placed = PlacedBlock { here: at.dst, begins, ends };
                let mut soon = Soon::with_lines(&walk.panel, next.src, ahead.is_far);
                by.copy_out(out, stage, placed, &mut soon);
                begins = ends;
            }
        }
    }
}

/// Asks for the lines at the ends of the rows of the block here, if they begin here, or end. Stores of a part of a line would wait
/// for it.
fn ask_for_ends(out: &Out, here: *mut u8, begins: bool, ends: bool) {
    if !begins && !ends {
        return;
    }
    // Rows that follow each other are one.
    let rows = if out.reach == out.len { &out.rows[..] } else { &out.rows[..1] };
    for &row in rows {
        let row = here.wrapping_offset(row as isize);
        if begins {
            prefetch(row);
        }
        if ends {
            prefetch(row.wrapping_offset(out.reach as isize));
        }
    }
}

/// Lines that are asked for, of rows of so many bytes.
pub(super) struct Soon<'r> {
    /// Where what is asked for of the rows begins, in bytes from a place on.
    rows: &'r [i64],
    /// The bytes from there to the end of each.
    len: i64,
    /// The bytes of each that are asked for: so many, or more for its last line.
    reach: i64,
    at: *const u8,
    /// How many lines are asked for at a time.
    lines: usize,
    /// The row and the byte in it that is next.
    row: usize,
    place: i64,
}

impl<'r> Soon<'r> {
    /// Those of a panel that begins at this place that are asked for with its tiles.
    #[inline(always)]
    pub(super) fn with_tiles(panel: &'r Panel, at: *const u8, asks: bool) -> Self {
        Self::of_panel(panel, if asks { panel.lines } else { 0 }, at)
    }

    /// The same with the lines of its block.
    #[inline(always)]
    fn with_lines(panel: &'r Panel, at: *const u8, asks: bool) -> Self {
        Self::of_panel(panel, if asks { panel.lines_out } else { 0 }, at)
    }

    #[inline(always)]
    fn of_panel(panel: &'r Panel, lines: usize, at: *const u8) -> Self {
        let ((first, reach), len) = (panel.asked, panel.together.1);
        Self::of(panel.asked_rows(), len - first, reach, lines, at.wrapping_offset(first as isize))
    }

    #[inline(always)]
    pub(super) fn of(rows: &'r [i64], len: i64, reach: i64, lines: usize, at: *const u8) -> Self {
        Soon { rows, len, reach, at, lines, row: 0, place: 0 }
    }

    /// Asks for the lines that are the share of a tile, or of a line that goes out.
    #[inline(always)]
    pub(super) fn ask(&mut self) {
        for _ in 0..self.lines {
            let Some(line) = self.next() else { return };
            prefetch_near(line);
        }
    }

    /// Whether there are any, on processors of such registers.
    #[inline(always)]
    pub(super) fn asks<R: Register>(&self) -> bool {
        R::HAS_HINTS && self.lines > 0
    }

    /// Asks for the share of so many bytes that go out.
    #[inline(always)]
    pub(super) fn ask_with<R: Register>(&mut self, bytes: usize) {
        if self.asks::<R>() {
            (0..bytes).step_by(LINE).for_each(|_| self.ask());
        }
    }

    /// A byte of the next line.
    #[inline(always)]
    fn next(&mut self) -> Option<*const u8> {
        let row = self.rows.get(self.row)?;
        let place = self.place.min(self.len - 1);
        let byte = self.at.wrapping_offset((row + place) as isize);
        self.place += LINE as i64;
        if self.place >= self.reach {
            (self.row, self.place) = (self.row + 1, 0);
        }
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The lines of a panel that are asked for, one for each time, where its first row begins at this address; and those of which its
    /// rows have bytes, without the first of each that has more than one, or with it.
    fn lines(rows: &[i64], len: i64, first: usize) -> (Vec<usize>, [BTreeSet<usize>; 2]) {
        let at = std::ptr::without_provenance(first);
        // However many tiles it has, they ask for all.
        for n_tiles in [1, 3, 64] {
            let panel = Panel::of(rows.to_vec(), len, n_tiles);
            let mut soon = Soon::with_tiles(&panel, at, true);
            (0..n_tiles).for_each(|_| soon.ask());
            assert_eq!(soon.next(), None, "{len} bytes, {n_tiles} tiles");
        }
        let panel = Panel::of(rows.to_vec(), len, 1);
        let mut soon = Soon::with_tiles(&panel, at, true);
        let asked = std::iter::from_fn(|| soon.next()).map(|byte| byte.addr() / LINE).collect();
        let line = |byte: i64| (first as i64 + byte) as usize / LINE;
        let all = rows.iter().flat_map(|row| line(*row)..=line(row + len - 1)).collect();
        let last = rows.iter().flat_map(|row| {
            let has_one = line(*row) == line(row + len - 1);
            line(*row) + usize::from(!has_one)..=line(row + len - 1)
        });
        (asked, [last.collect(), all])
    }

    /// How many lines so many bytes have that begin at a line.
    fn n_lines(len: i64) -> usize {
        (0..len as usize).map(|byte| byte / LINE).collect::<BTreeSet<_>>().len()
    }

    /// Rows that no whole line lies between are asked for as one: every line of all, and one of each group more at most.
    #[test]
    fn rows_that_are_near_are_asked_for_together() {
        for (len, pitch) in [(48, 73), (16, 79), (32, 95), (25, 73), (64, 100), (16, 32)] {
            for n in [2, 3, 40] {
                for apart in [0, 1 << 20, (1 << 20) + 40] {
                    let group = (0..n).map(|row| row * pitch);
                    let mut rows: Vec<i64> = group.clone().collect();
                    rows.extend(group.map(|row| apart + row).filter(|_| apart > 0));
                    let n_groups = rows.len() / n as usize;
                    let (asked, [_, all]) = lines(&rows, len, 4096);
                    let by = format!("{n} times {len} bytes of every {pitch}, {apart} apart");
                    assert!(asked.len() <= all.len() + n_groups, "{by}");
                    assert!(BTreeSet::from_iter(asked).is_superset(&all), "{by}");
                }
            }
        }
    }

    /// Those that a whole line may lie between, or whose groups are not alike, are rows of their own.
    #[test]
    fn rows_that_are_apart_are_asked_for_one_by_one() {
        for rows in [vec![0, 80, 160], vec![0, 32, 1024], vec![0, 32, 1024, 1040]] {
            let panel = Panel::of(rows.clone(), 16, 1);
            assert!(panel.together.0.is_empty(), "{rows:?}");
            assert_eq!(panel.together.1, 16, "{rows:?}");
        }
    }

    /// Many lines with each tile are asked for with the lines of a block instead: all of them, each once.
    #[test]
    fn what_goes_out_asks_for_many_lines() {
        for (n_rows, len, pitch) in [(1, 16384, 0), (9, 2048, 8192), (256, 64, 4096), (1, 8192, 0)]
        {
            for (n_tiles, n_lines) in [(16, 256), (1, 100), (64, 7), (32, 256), (128, 512)] {
                let rows: Vec<i64> = (0..n_rows).map(|row| row * pitch).collect();
                let [alone, mut panel] = [1, n_tiles].map(|n| Panel::of(rows.clone(), len, n));
                panel.ask_with_lines(n_lines);
                let at = std::ptr::without_provenance(4096);
                let all =
                    |mut soon: Soon<'_>| -> Vec<_> { std::iter::from_fn(|| soon.next()).collect() };
                let asked = all(Soon::with_tiles(&alone, at, true));
                let mut with_tiles = Soon::with_tiles(&panel, at, true);
                let mut with_lines = Soon::with_lines(&panel, at, true);
                (0..n_tiles).for_each(|_| with_tiles.ask());
                (0..n_lines).for_each(|_| with_lines.ask());
                let [with_tiles, with_lines] =
                    [with_tiles, with_lines].map(|soon| asked.len() - all(soon).len());
                let many = if n_rows == 1 { 8 } else { 4 };
                let are_many = asked.len() >= 224 && asked.len().div_ceil(n_tiles) >= many;
                let expected = if are_many { [0, asked.len()] } else { [asked.len(), 0] };
                assert_eq!([with_tiles, with_lines], expected, "{panel:?}");
            }
        }
    }

    #[test]
    fn rows_at_lines_are_asked_for_once() {
        for len in 1..300 {
            let (asked, [_, all]) = lines(&[0, 512, 8192], len, 4096);
            assert_eq!(asked.len(), all.len(), "{len} bytes");
            assert_eq!(BTreeSet::from_iter(asked), all, "{len} bytes");
        }
    }

    /// Of rows of less than two lines as many are asked for as they have that begin at lines, the last ones of each; of longer ones all.
    #[test]
    fn no_row_ends_in_a_line_that_is_not_asked_for() {
        for rows in [[0, 1000, 5003], [-700, -3000, 0]] {
            for (len, first) in (1..300).flat_map(|len| (0..LINE).map(move |at| (len, 4096 + at))) {
                let (asked, [last, all]) = lines(&rows, len, first);
                let n_asked = asked.len();
                let asked = BTreeSet::from_iter(asked);
                let is_short = len < 2 * LINE as i64;
                let needed = if is_short { &last } else { &all };
                assert!(asked.is_superset(needed), "{len} bytes from {first} on: {asked:?}");
                assert!(asked.is_subset(&all), "{len} bytes from {first} on: {asked:?}");
                if is_short {
                    assert_eq!(
                        asked.len(),
                        rows.len() * n_lines(len),
                        "{len} bytes from {first} on"
                    );
                }
                assert!(n_asked <= rows.len() * (n_lines(len) + usize::from(!is_short)));
            }
        }
    }
}
