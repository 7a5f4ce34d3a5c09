//! The two sides of a grid: chains of loops, and the distances of their elements written out.

use super::place::{At, LINE, Stores};
use super::rotate::Rotation;
use super::squares::Grid;
use super::staged::{Blocks, Stage};
use super::tasks::{Transpose, Walk};
use super::{Means, turn};
use crate::nest::Loop;

/// A grid's list of distances is no longer than this.
const MAX_GRID: i64 = 1 << 14;

/// Lists that are used again for every box.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    rows: Vec<i64>,
    columns: Vec<i64>,
    /// How far it is to the farthest of the rows.
    reach: i64,
    across: Vec<Loop>,
    along: Vec<Loop>,
    stage: Stage,
}

impl Lists {
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
        while is_ragged(&self.across) && extend(&mut self.across, loops, |l| l.dst) {}
        while is_ragged(&self.along) && extend(&mut self.along, loops, |l| l.src) {}
        while extend(&mut self.along, loops, |l| l.src) {}
        while extend(&mut self.across, loops, |l| l.dst) {}
        shorten(&mut self.across, loops);
        shorten(&mut self.along, loops);
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

    /// What a grid is called that is stored so.
    pub(super) fn grid_name(&mut self, at: At, unit: usize, stores: Stores) -> &'static str {
        self.list(unit);
        match self.grid(at, unit, stores) {
            (_, Some(_)) => "staged grid",
            (_, None) => "grid",
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
fn extend(chain: &mut Vec<Loop>, loops: &mut Vec<Loop>, stride: fn(&Loop) -> i64) -> bool {
    let length = length_of(chain);
    let next = loops.iter().position(|l| stride(l) == length);
    let fits = |l: &Loop| length.saturating_mul(l.extent) <= MAX_GRID || length < LINE as i64;
    match next.filter(|&place| fits(&loops[place])) {
        Some(place) => {
            chain.push(loops.remove(place));
            true
        }
        None => false,
    }
}

/// Moves the outer part of a chain that is too long to be listed back to the loops.
fn shorten(chain: &mut [Loop], loops: &mut Vec<Loop>) {
    let Some((last, others)) = chain.split_last_mut() else { return };
    let inner: i64 = others.iter().map(|l| l.extent).product();
    let room = (MAX_GRID / inner).max(1);
    if last.extent <= 2 * room {
        return;
    }
    let (whole, rest) = (last.extent / room, last.extent % room);
    // What does not divide stays one long list: rare, and right.
    if rest == 0 {
        loops.push(Loop { extent: whole, src: last.src * room, dst: last.dst * room });
        last.extent = room;
    }
}

/// The distance of every element of a chain from its first.
fn distances(chain: &[Loop], list: &mut Vec<i64>, stride: impl Fn(&Loop) -> i64) {
    list.clear();
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
