//! Blocks of rows that overhang: tiles write more of each than there is, over what the next one begins with.
//!
//! A source in blocks of 8 has 64 channels of a pixel where there are 61. Registers of all of them are stored, and what is beyond
//! the 61 is written over by the next pixel's:
//!
//! ```text
//!  stored first      ····56 57 58 59 60 · · ·                          the last channels of every pixel
//!  then                                0 1 2 3 4 5 …  ····56 57 58 …   the first of the next
//!                    ├── pixel 0 ─────┤├── pixel 1 ──────────────┤
//! ```
//!
//! Several long rows lie apart, each with room for what is beyond it. Others lie as they do in the destination, and
//! of two registers that have the same bytes, the one whose elements those are is stored last: tiles that end rows come before those
//! that begin them, and where one does both, rows follow each other.

use super::super::code::copy_out;
use super::super::level::Level;
use super::super::place::LINE;
use super::super::tile::{Around, BYTES_OF_A_LANE, Tile};
use super::alias::WAYS;
use super::grown::{Block, lose_lines, tiles};
use super::{Ends, MOST_BYTES, Out, Walk};

/// The bytes of a block, if a tile has no more: memory is read while it is written then. Of 8 or 16 KiB channels took 1.3 times
/// as long.
const BYTES: i64 = 2 << 10;

/// The same where lines are copied as they are: rows of 400 to 1200 bytes took 1.5 times as long in blocks of 2 KiB.
const BYTES_OF_COPIED: i64 = 1 << 10;

/// Several rows of so many bytes lie apart in the stage, so that each begins at a line: where registers are stored to parts of two
/// lines, blocks of 4 KiB and more took 1.3 to 1.6 times as long.
const APART: i64 = 512;

/// The most bytes of a block where the rows that a tile has, all of each, are more: of rows up to so many bytes, of longer ones, and
/// of those whose lines are copied as they are, which other ways move as quickly.
const SHORT_ROW: i64 = 1 << 10;
const MOST_OF_SHORT: i64 = 16 << 10;
const MOST: i64 = 8 << 10;
const MOST_COPIED: i64 = 4 << 10;

impl Walk {
    /// The blocks of a tile that is moved by these loops, of which the last `n_inner` had better stay together, to rows of `row`
    /// bytes, one behind the other. Steps of less than that are within rows, which they may reach beyond by less than a row;
    /// all others lead from row to row. `None` if rows of a block do not follow each other, or cannot be stored in an order in
    /// which each has what is its own.
    pub(in super::super) fn of_overhanging_rows(
        tile: &Tile,
        around: &[Around],
        n_inner: usize,
        row: i64,
        level: Level,
    ) -> Option<Self> {
        let register = BYTES_OF_A_LANE * tile.n_lanes as i64;
        let mut block = Block::of(tile, around, n_inner);
        while let Some(number) = block.outer().iter().position(|l| l.dst < row) {
            let count = block.outer()[number].count;
            block.take(number, count);
        }
        let leads_to_rows = |dst: i64, back: i64| dst > 0 && dst % row == 0 && back % row == 0;
        let is_along = |dst: i64, back: i64| (0..row).contains(&dst) && back < row;
        let are_inside = block
            .steps()
            .filter(|step| step.0 > 1)
            .all(|(_, dst, back)| is_along(dst, back) || leads_to_rows(dst, back));
        if !are_inside || !block.outer().iter().all(|l| leads_to_rows(l.dst, l.dst_back)) {
            return None;
        }
        let bytes = if tile.copies_lines() { BYTES_OF_COPIED } else { BYTES };
        let mut len = rows_that_follow(&block, row)?;
        while let Some(number) = block.following(len) {
            block.take(number, bytes / len);
            let grown = rows_that_follow(&block, row)?;
            if grown == len {
                break;
            }
            len = grown;
        }
        // With what is beyond the last row.
        let steps = block.steps().map(|(count, dst, back)| (count - 1) * dst - back);
        let reach = steps.sum::<i64>() + register;
        let most = match row {
            _ if row <= SHORT_ROW => MOST_OF_SHORT,
            _ if tile.copies_lines() => MOST_COPIED,
            _ => MOST,
        };
        if len < LINE as i64 || len > most {
            return None;
        }
        let n_rows = len / row;
        let apart = (n_rows > 1 && row >= APART).then(|| block.set_apart(row));
        let end = apart.map_or(reach, |pitch| n_rows * pitch);
        if end > MOST_BYTES {
            return None;
        }
        let end = end as usize + 2 * LINE;
        block.go_on_from(len);
        let gathers = block.may_alias() && block.in_one_set().0 > WAYS;
        let panel = block.panel();
        let gathered = if gathers { block.gathered(end, level) } else { None };
        let within = |l: &Around| match l.dst < row {
            true => *l,
            false => Around { dst: 0, dst_back: 0, ..*l },
        };
        let within: Vec<Around> = block.inside().iter().map(within).collect();
        let within = tiles(&within).into_iter().map(|(_, within)| within);
        let mut placed: Vec<((i64, i64), i64)> =
            tiles(block.inside()).into_iter().zip(within).collect();
        placed.retain(|&(_, within)| within < row);
        if apart.is_none() {
            placed.sort_by_key(|&((_, dst), within)| (std::cmp::Reverse(within), dst));
            let withins: Vec<i64> = placed.iter().map(|&(_, within)| within).collect();
            if !are_in_order(tile, &withins, row) {
                return None;
            }
        }
        let tiles = placed.into_iter().map(|(tile, _)| tile).collect();
        let (tile, around) = block.into_parts();
        if lose_lines(&around) {
            return None;
        }
        let (rows, row_len, pitch, ends) = match apart {
            None => (vec![0], len, len, Ends::Tails),
            Some(pitch) => {
                let rows = (0..n_rows).map(|number| number * row).collect();
                (rows, row, pitch, Ends::Following)
            }
        };
        let copy = copy_out(level, ends);
        let out = Some(Out { rows, len: row_len, pitch, copy, has_tails: true, reach: len });
        let mut walk = Walk { tile, tiles, around, panel, gathered, out, far_stores: None };
        walk.ask_with_lines();
        Some(walk)
    }
}

impl Block<'_> {
    /// Has rows of so many bytes, of which there is more, lie apart in the stage: a line of room before each. From one to the next.
    fn set_apart(&mut self, row: i64) -> i64 {
        let along = self.steps().filter(|&(count, dst, _)| count > 1 && dst < row);
        let reach: i64 = along.map(|(count, dst, back)| (count - 1) * dst - back).sum();
        let (line, register) = (LINE as i64, BYTES_OF_A_LANE * self.tile.n_lanes as i64);
        let pitch = (reach + register + line - 1) / line * line + line;
        let apart = |dst: i64| if dst < row { dst } else { dst / row * pitch };
        for l in self.inside_mut() {
            (l.dst, l.dst_back) = match l.dst < row {
                true => (l.dst, l.dst_back),
                false => (apart(l.dst), l.dst_back / row * pitch),
            };
        }
        let tile = self.tile.to_mut();
        let of_stages: Vec<i64> = tile.stages().map(|stage| apart(tile.stores[stage])).collect();
        let of_bits = |register: usize| {
            let bits = of_stages.iter().enumerate().filter(|(bit, _)| register >> bit & 1 == 1);
            bits.map(|(_, store)| store).sum()
        };
        tile.stores = std::array::from_fn(of_bits);
        pitch
    }
}

/// The bytes of the rows of a block, if they follow each other.
fn rows_that_follow(block: &Block<'_>, row: i64) -> Option<i64> {
    let steps = || block.steps().filter(|&(count, dst, _)| count > 1 && dst >= row);
    let (mut len, mut n_steps) = (row, 0);
    while let Some((count, _, back)) = steps().find(|&(_, dst, _)| dst == len) {
        (len, n_steps) = (count * len - back, n_steps + 1);
    }
    (n_steps == steps().count()).then_some(len)
}

/// Whether what is beyond a row of `row` bytes is stored before what the next one begins with, where tiles that begin so far
/// within rows are moved in this order, those that begin furthest first, and of those that begin alike row by row.
fn are_in_order(tile: &Tile, withins: &[i64], row: i64) -> bool {
    let (Some(last), register) = (withins.first(), BYTES_OF_A_LANE * tile.n_lanes as i64) else {
        return false;
    };
    // Of each register of a tile, its row and where it begins within that.
    let mut places = vec![(0, 0)];
    for store in tile.stages().take_while(|&stage| stage < tile.stored).map(|s| tile.stores[s]) {
        let step = if store < row { (0, store) } else { (store / row, 0) };
        places.extend_from_within(..);
        let half = places.len() / 2;
        places[half..].iter_mut().for_each(|place| *place = (place.0 + step.0, place.1 + step.1));
    }
    // How far one reaches into the next row, in a tile that begins so far within.
    let beyond = |place: &(i64, i64), within: i64| within + place.1 + register - row;
    let furthest = places.iter().map(|place| beyond(place, *last)).max().unwrap_or(0);
    // What is written over is the next row's, of tiles that are moved last.
    if furthest > row || withins.iter().any(|within| (1..furthest).contains(within)) {
        return false;
    }
    // If those end rows too, they have all rows from their first to their last, and store the end of each before the next.
    let ends_rows = places.iter().any(|place| beyond(place, 0) > 0);
    let n_rows = 1 + places.iter().map(|place| place.0).max().unwrap_or(0);
    let has_row = |number: i64| places.iter().any(|place| place.0 == number);
    let is_stored_before = |number: usize, place: &(i64, i64)| {
        let is_next = |other: &(i64, i64)| other.0 == place.0 + 1 && other.1 < beyond(place, 0);
        beyond(place, *last) <= 0 || !places[..number].iter().any(is_next)
    };
    (!ends_rows || (0..n_rows).all(has_row))
        && places.iter().enumerate().all(|(number, place)| is_stored_before(number, place))
}
