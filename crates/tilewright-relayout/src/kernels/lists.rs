//! The two sides of a grid: chains of loops, and the distances of their elements written out.

use super::place::{At, LINE, Stores};
use super::rotate::Rotation;
use super::squares::Grid;
use super::staged::{Blocks, Stage};
use super::tasks::{Transpose, Walk};
use super::{Means, turn};
use crate::description::KernelKind;
use crate::nest::{Loop, gcd, order_by_destination};

/// A list of distances is no longer than this, whatever the array: 128 KiB.
const MAX_LISTED: i64 = 1 << 14;

/// What is left of a box of which a whole number of parts has been cut off: its loops, and how many
/// elements further on it begins.
pub(super) struct Rest {
    pub(super) loops: Vec<Loop>,
    pub(super) src: i64,
    pub(super) dst: i64,
}

/// Lists that are used again for every box.
#[derive(Debug)]
pub(crate) struct Lists {
    /// No list is longer.
    longest: i64,
    rows: Vec<i64>,
    columns: Vec<i64>,
    /// How far it is to the farthest of the rows.
    reach: i64,
    across: Vec<Loop>,
    along: Vec<Loop>,
    stage: Stage,
}

impl Default for Lists {
    fn default() -> Self {
        Lists::no_longer_than(MAX_LISTED)
    }
}

impl Lists {
    /// The most bytes that are ever held.
    pub(crate) const MOST_BYTES: usize =
        2 * MAX_LISTED as usize * size_of::<i64>() + Stage::MOST_BYTES;

    /// Lists of so many distances at most, which has to be more than there are elements in a line.
    pub(super) fn no_longer_than(longest: i64) -> Self {
        let (rows, columns, across, along) = Default::default();
        Lists { longest, rows, columns, reach: 0, across, along, stage: Stage::default() }
    }

    /// The bytes that are held, nearly all of them.
    pub(crate) fn bytes(&self) -> usize {
        (self.rows.capacity() + self.columns.capacity()) * size_of::<i64>() + self.stage.held()
    }

    /// Begins the chains with a loop each, and adds the loops that go on where they end: first
    /// until both are whole lines of elements of `unit` bytes, then as far as there are any.
    pub(super) fn chain(&mut self, loops: &mut Vec<Loop>, across: Loop, along: Loop, unit: i64) {
        self.across.clear();
        self.along.clear();
        self.across.push(across);
        self.along.push(along);
        let is_ragged = |chain: &[Loop]| length_of(chain) * unit % LINE as i64 != 0;
        let longest = self.longest;
        while is_ragged(&self.across) && extend(&mut self.across, loops, |l| l.dst, longest) {}
        while is_ragged(&self.along) && extend(&mut self.along, loops, |l| l.src, longest) {}
        while extend(&mut self.along, loops, |l| l.src, longest) {}
        while extend(&mut self.across, loops, |l| l.dst, longest) {}
    }

    /// Sees to it that the chains of a grid of elements of `unit` bytes can be listed. Of a chain
    /// of more elements than that the outermost loop is cut into parts of equally many
    /// steps, and a loop over the parts goes to `loops`.
    ///
    /// Where the last part would be shorter than the others, nothing is cut. Instead `loops` becomes
    /// the whole box again, without that part, and the part comes back as a box of its own.
    pub(super) fn shorten(&mut self, loops: &mut Vec<Loop>, unit: i64) -> Option<Rest> {
        let longest = self.longest;
        if length_of(&self.across).max(length_of(&self.along)) <= longest {
            return None;
        }
        let chains = [&mut self.across, &mut self.along];
        let ragged = chains.into_iter().find_map(|chain| {
            let (part, last) = (listed_steps(chain, unit, longest), chain.last()?);
            let left = last.extent % part;
            if left > 0 { Some((chain.pop()?, left)) } else { None }
        });
        if let Some((whole, left)) = ragged {
            return Some(self.split_off(loops, whole, left));
        }
        for chain in [&mut self.across, &mut self.along] {
            let part = listed_steps(chain, unit, longest);
            let Some(last) = chain.last_mut().filter(|last| last.extent > part) else { continue };
            let (src, dst) = (last.src * part, last.dst * part);
            loops.push(Loop { extent: last.extent / part, src, dst });
            last.extent = part;
        }
        None
    }

    /// Gives the loops of both chains back, with the steps of `whole` but for those that are `left`.
    fn split_off(&mut self, loops: &mut Vec<Loop>, whole: Loop, left: i64) -> Rest {
        let before = whole.extent - left;
        loops.append(&mut self.across);
        loops.append(&mut self.along);
        let mut rest = loops.clone();
        rest.push(Loop { extent: left, ..whole });
        loops.push(Loop { extent: before, ..whole });
        order_by_destination(loops);
        order_by_destination(&mut rest);
        Rest { loops: rest, src: before * whole.src, dst: before * whole.dst }
    }

    /// Writes out the distances of the chains.
    pub(super) fn list(&mut self, unit: usize) {
        distances(&self.across, &mut self.rows, |l| l.src * unit as i64);
        distances(&self.along, &mut self.columns, |l| l.dst * unit as i64);
        let reach = |l: &Loop| ((l.extent - 1) * l.src * unit as i64).max(0);
        self.reach = self.across.iter().map(reach).sum();
    }

    /// Rotates a grid that is to be streamed if it has to be, and moves what is left apart. Where
    /// it begins then.
    ///
    /// # Safety
    /// As [`move_units`](super::move_units), for the grid that is listed.
    pub(super) unsafe fn rotated<'t, const N: usize>(
        &mut self,
        walk: Walk<'t, N>,
        means: Means,
        turn: Option<&turn::Order>,
    ) -> Walk<'t, N> {
        let Walk { loops, at, stores } = walk;
        if stores != Stores::Streamed {
            return walk;
        }
        let rotation = Rotation::of(&self.rows, &self.columns, loops, at, N);
        let Some(rotation) = rotation else { return walk };
        let Rotation { first, last_column } = rotation;
        let (before, after) = self.rows.split_at(first);
        let (unit, last) = (N as i64, last_column as i64);
        let end = at.plus(last * unit, self.columns[last_column] + first as i64 * unit);
        for (rows, at) in [(before, at), (after, end)] {
            let grid = Grid { rows, columns: &[0], reach: self.reach, turn, end: at.src };
            let walk = Walk { at, stores: Stores::Cached, ..walk };
            // SAFETY: some rows of a column of the grid.
            unsafe { means.level.run(Transpose { walk, grid, ahead: 0 }) };
        }
        rotation.rotate(&mut self.rows, &mut self.columns, N);
        self.reach += unit;
        Walk { at: at.plus(0, first as i64 * unit), ..walk }
    }

    /// The loops of both chains, the innermost last.
    pub(super) fn loops(&self) -> impl Iterator<Item = Loop> {
        self.along.iter().chain(&self.across).rev().copied()
    }

    /// Whether a grid has less than a line of the source in a row, but not of the destination.
    pub(super) fn is_thin(&self, unit: i64) -> bool {
        let is_short = |chain: &[Loop]| length_of(chain) * unit < LINE as i64;
        is_short(&self.along) && !is_short(&self.across)
    }

    /// What moves a grid that is stored so. Of chains that are too long to be listed, the first
    /// part stands for all.
    pub(super) fn kind(&mut self, at: At, unit: usize, stores: Stores) -> KernelKind {
        for chain in [&mut self.across, &mut self.along] {
            let part = listed_steps(chain, unit as i64, self.longest);
            if let Some(last) = chain.last_mut() {
                last.extent = part;
            }
        }
        self.list(unit);
        match self.grid(at, unit, stores) {
            (_, Some(_)) => KernelKind::StagedGrid,
            (_, None) => KernelKind::Grid,
        }
    }

    /// The grid that is listed, and how to cut it if it is to be streamed from `at` on but does
    /// not fill lines.
    pub(super) fn grid(
        &mut self,
        at: At,
        unit: usize,
        stores: Stores,
    ) -> (Grid<'_>, Option<Blocks<'_>>) {
        let (rows, columns) = (&self.rows, &self.columns);
        let grid = Grid { rows, columns, reach: self.reach, turn: None, end: at.src };
        let is_staged = stores == Stores::Streamed && !grid.writes_lines(at, unit);
        (grid, if is_staged { self.stage.cut(grid, unit) } else { None })
    }
}

/// The number of elements of a chain.
fn length_of(chain: &[Loop]) -> i64 {
    chain.iter().fold(1, |length, l| length.saturating_mul(l.extent))
}

/// Adds the loop that goes on where a chain ends, if there is one and the chain stays short enough
/// to be listed, or is hardly begun.
fn extend(
    chain: &mut Vec<Loop>,
    loops: &mut Vec<Loop>,
    stride: fn(&Loop) -> i64,
    longest: i64,
) -> bool {
    let length = length_of(chain);
    let next = loops.iter().position(|l| stride(l) == length);
    let fits = |l: &Loop| length.saturating_mul(l.extent) <= longest || length < LINE as i64;
    match next.filter(|&place| fits(&loops[place])) {
        Some(place) => {
            chain.push(loops.remove(place));
            true
        }
        None => false,
    }
}

/// How many steps of its outermost loop are listed of a chain of elements of `unit` bytes: all of
/// them if they fit, or else an even part of them, of whole lines.
///
/// Of 40 000 elements of 4 bytes it is 13 344, since they are three lists at least and a third of
/// them is 13 333.3; the next multiple of a line, 16 elements, is 13 344.
fn listed_steps(chain: &[Loop], unit: i64, longest: i64) -> i64 {
    let Some((last, inner)) = chain.split_last() else { return 1 };
    let inner = length_of(inner);
    let room = (longest / inner).max(1);
    if last.extent <= room {
        return last.extent;
    }
    let line = LINE as i64 / unit;
    let lines = line / gcd(line, inner);
    let n_lists = ceiling(last.extent, room);
    let even = ceiling(ceiling(last.extent, n_lists), lines) * lines;
    if even <= room { even } else { (room / lines * lines).max(1) }
}

/// `a / b` rounded up, both above 0.
fn ceiling(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}

/// The distance of every element of a chain from its first.
fn distances(chain: &[Loop], list: &mut Vec<i64>, stride: impl Fn(&Loop) -> i64) {
    list.clear();
    let length = length_of(chain) as usize;
    if list.capacity() < length {
        // First given back, so that there are never two; and no more than is needed.
        *list = Vec::new();
        list.reserve_exact(length);
    }
    let Some((first, others)) = chain.split_first() else { return list.push(0) };
    let step = stride(first);
    list.extend((0..first.extent).map(|place| place * step));
    for l in others {
        let n = list.len();
        for step in 1..l.extent {
            let far = step * stride(l);
            list.extend_from_within(..n);
            let first = list.len() - n;
            list[first..].iter_mut().for_each(|distance| *distance += far);
        }
    }
}
