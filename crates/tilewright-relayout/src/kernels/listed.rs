//! Neighbours that several loops of odd extents make: the 3 x 3 of a convolution's filters, which
//! follow each other on one side and lie anywhere on the other.
//!
//! No power of two of them lies at equal distances, as the bits of a [tile](super::tile) do. So a tile is made for neighbours
//! that do, and where its lanes are loaded from, or its registers are stored, is listed for each neighbour that a tile begins
//! at. The last tiles share neighbours with those before.
//!
//! Rows of the source that would be in each other's way in the first cache are copied to a stage first, and where a tile stores
//! less than lines, rows of the destination are put together in one: there neighbours do lie at equal distances.

use super::Mover;
use super::block::{
    Ends, Gathered, MOST_CACHED_BYTES, MOST_GATHERED, Out, Panel, WAYS, Walk, in_one_set, repeat,
};
use super::code::{Kernels, copy_in, copy_out, max_lanes};
use super::level::{Level, waits_for_two_lines};
use super::loop_order::part_of;
use super::place::{At, LINE};
use super::places::AroundPlaces;
use super::swizzle::Lists;
use super::tile::{Around, BYTES_OF_A_LANE, MAX_LANES, MOST_STORED, ONCE, Program, Slots, Tile};
use crate::nest::Loop;

/// The most bytes of neighbours, and of such that are tried where a stage has no room for the rows of as many.
const MOST: i64 = 2048;
const MOST_STAGED: i64 = 128;

/// The fewest bytes of neighbours, if there are as many.
const FEWEST: i64 = 64;

/// Tiles share few neighbours with those before, if they share one of so many.
const FEW_SHARED: i64 = 16;

/// The bytes of a row, if there are as many.
const ROW: i64 = 256;

/// The fewest bytes of a row.
const LEAST_ROW: i64 = 16;

/// So many tiles that begin at the next neighbours are moved before one that has others of a row.
const TOGETHER: usize = 4;

/// The cycles that a tile takes more than its registers do: one whose places are listed, for each register more if it is stored to
/// those, and one of a program. Of 148 moves in the caches that both can do, these constants choose the quicker way for 117 (Xeon).
const LISTED_TILE: f64 = 15.0;
const STORED_APART: f64 = 4.0;
const TILE_OF_A_PROGRAM: f64 = 6.0;

/// A box of such neighbours.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// A tile, and where else it is moved.
    walk: Walk,
    kernels: Kernels,
    /// Of each neighbour that tiles begin at, where the lanes of a tile are loaded from, or its registers are stored, in bytes.
    lists: Vec<i64>,
    /// How many those are.
    each: usize,
    /// Which of the lists each tile has.
    numbers: Vec<u32>,
    /// Whether they are the source's.
    is_source: bool,
    /// Whether it stores whole lines, if the first begins on one.
    writes_lines: bool,
}

impl Listed {
    /// Of a box of elements of `unit` bytes, if neighbours on either side are such. Where a tile would fill most of its registers
    /// with those of one loop it is none, unless it `is_needed`, because no such tile is
    /// as good.
    pub(super) fn of(loops: &[Loop], unit: usize, level: Level, is_needed: bool) -> Option<Self> {
        let unit = unit as i64;
        if !matches!(unit, 1 | 2 | 4 | 8) || loops.iter().any(Loop::is_run) {
            return None;
        }
        let exchanged = |l: &Loop| Loop { src: l.dst, dst: l.src, ..*l };
        let turned: Vec<Loop> = loops.iter().map(exchanged).collect();
        let sides = [(&turned[..], true), (loops, false)];
        sides.into_iter().find_map(|(loops, is_source)| {
            let of = |most| Self::of_side(loops, unit, is_source, most, level, is_needed);
            let listed = match of(MOST) {
                Err(Missing::Room) => of(MOST_STAGED),
                tried => tried,
            };
            listed.ok().filter(|listed| listed.held_bytes() <= Mover::MOST_BYTES)
        })
    }

    /// Of neighbours in the source, or if `is_source`, of loops whose sides are exchanged; of those that several loops make, up to
    /// `most` bytes.
    fn of_side(
        loops: &[Loop],
        unit: i64,
        is_source: bool,
        most: i64,
        level: Level,
        is_needed: bool,
    ) -> Result<Self, Missing> {
        if loops.iter().any(|l| l.dst < 0 || l.src < 0) {
            return Err(Missing::Neighbours);
        }
        let once = |l: &Loop| Around { count: l.extent, src: l.src, dst: l.dst, ..ONCE };
        // The neighbours: whole loops, and of the last one as much as there is room for.
        let mut rest: Vec<Around> = loops.iter().map(once).collect();
        let mut chain: Vec<Around> = Vec::new();
        let mut length = 1i64;
        let tile = BYTES_OF_A_LANE * if is_source { max_lanes(level) as i64 } else { 1 } / unit;
        let shared = |length: i64| (length + tile - 1) / tile * tile - length;
        while let Some(next) = rest.iter().position(|l| l.src == length && l.is_plain()) {
            // Tiles that share many neighbours share fewer of more, if rows are as long without those.
            let is_of_rows = rest[next].dst == 1;
            let takes_more = shared(length) * FEW_SHARED > length && !is_of_rows;
            if length * unit >= FEWEST && !takes_more {
                break;
            }
            let (count, bytes) = (rest[next].count, length * unit);
            let part = if chain.is_empty() { MOST } else { most } / bytes;
            if part < 2 {
                break;
            }
            // Parts that divide the loop, if they are not much shorter: no neighbour is moved twice. Of the destination such as
            // are whole lines, if there are any.
            let even = || (part / 2 + 1..=part.min(count)).rev().filter(|n| count % n == 0);
            let of_lines = even().find(|n| is_source && n * bytes % LINE as i64 == 0);
            let part = of_lines.or_else(|| even().next()).unwrap_or(part);
            let l = part_of(&mut rest, next, part);
            length *= l.count;
            chain.push(l);
        }
        let Some((_, inner)) = chain.split_last() else { return Err(Missing::Neighbours) };
        let are_odd = inner.iter().any(|l| !l.count.unsigned_abs().is_power_of_two());
        if !are_odd {
            return Err(Missing::Neighbours);
        }
        // The rows.
        let mut others: Vec<Around> = Vec::new();
        let mut row = 1i64;
        while row * unit < ROW
            && let Some(next) = rest.iter().position(|l| l.dst == row && l.is_plain())
            && let part @ 2.. = ROW / row / unit
        {
            let l = part_of(&mut rest, next, part);
            row *= l.count;
            others.push(l);
        }
        let len = row * unit;
        // A tile has neighbours enough where one loop fills most of its registers; less will do where rows are of a line at most.
        let first = chain[0].count * unit;
        let in_registers = (first + LEAST_ROW - 1) / LEAST_ROW * LEAST_ROW;
        let is_filled =
            in_registers - first < in_registers / if len <= LINE as i64 { 3 } else { 8 };
        if is_filled && !is_needed || len < LEAST_ROW {
            return Err(Missing::Neighbours);
        }
        let mut places = vec![0];
        for l in &chain {
            repeat(&mut places, l.count, l.dst * unit);
        }
        let pitch = (len + 15) / 16 * 16 + 16;
        let bits = |steps: i64| steps * unit * 8;
        let side = |src: i64, dst: i64| if is_source { (dst, src) } else { (src, dst) };
        // Of so many neighbours, which for that lie at equal distances.
        let program = |together: i64| {
            let inner = others.iter().map(|l| (l.count, side(bits(l.src), bits(l.dst))));
            let loops = std::iter::once((together, side(bits(1), pitch * 8))).chain(inner);
            let mut in_bits: Vec<Loop> =
                loops.map(|(extent, (src, dst))| Loop { extent, src, dst }).collect();
            in_bits.push(Loop { extent: bits(1), src: 1, dst: 1 });
            Program::of(&in_bits, Slots::same(bits(1)), level, false)
                .filter(|program| !program.is_in_banks() && program.walk.gathered.is_none())
                .ok_or(Missing::Neighbours)
        };
        let together = tile.min(1 << length.ilog2());
        let mut of_tile = program(together)?;
        let mut apart = Apart { places, unit, together, pitch, len, is_source };
        // What a stage has no room for at the second try either is moved as it is.
        let has_stage = apart.has_stage(&of_tile.walk.tile);
        if most == MOST && has_stage == Some(false) {
            return Err(Missing::Room);
        }
        let has_stage = has_stage == Some(true);
        if has_stage {
            (apart.together, of_tile) = (length, program(length)?);
        }
        let Program { walk, kernels, .. } = of_tile;
        rest.retain(|l| l.count > 1);
        rest.sort_by_key(|l| std::cmp::Reverse(if is_source { l.src } else { l.dst }));
        let around = rest.iter().map(|l| {
            let (src, dst) = side(l.src * unit, l.dst * unit);
            let (src_back, dst_back) = side(l.src_back * unit, l.dst_back * unit);
            Around { count: l.count, src, dst, src_back, dst_back }
        });
        Ok(match has_stage {
            true => apart.staged(walk, kernels, around.collect(), level),
            false => apart.direct(walk, kernels, around.collect()),
        })
    }

    /// Whether it writes rows of lines.
    pub(super) fn streams(&self) -> bool {
        self.writes_lines
    }

    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        self.walk.held_bytes() + self.lists.capacity() * 8 + self.numbers.capacity() * 4
    }

    /// Its tiles, and what moves them.
    pub(super) fn walk(&self) -> (&Walk, &Kernels) {
        (&self.walk, &self.kernels)
    }

    /// About how many of the processor's cycles its tiles take in the caches, without what is copied to a stage or from one, nor what it
    /// takes to find the places that are listed.
    pub(super) fn cycles(&self) -> f64 {
        self.n_tiles() * self.walk.tile.cycles()
    }

    /// Whether it takes less in the caches than a program, which loads and stores whole registers, with all that there is for each tile.
    pub(super) fn is_quicker(&self, program: &Program) -> bool {
        let stored_apart = if self.is_source { 0 } else { self.walk.tile.registers };
        let a_tile = LISTED_TILE + STORED_APART * stored_apart as f64;
        let of_program = program.cycles() + TILE_OF_A_PROGRAM * program.n_tiles() as f64;
        self.cycles() + a_tile * self.n_tiles() <= of_program
    }

    fn n_tiles(&self) -> f64 {
        let Walk { tiles, around, .. } = &self.walk;
        around.iter().map(|l| l.count as f64).product::<f64>() * tiles.len() as f64
    }

    /// Whether there is a stage on the way.
    pub(super) fn has_stage(&self) -> bool {
        self.walk.gathered.is_some() || self.walk.out.is_some()
    }

    /// Where tiles are loaded from, and where they are stored: one of both is listed, unless there is a stage.
    pub(super) fn lists(&self) -> (Option<Lists<'_>>, Option<Lists<'_>>) {
        let Listed { lists, each, numbers, is_source, .. } = self;
        let lists = Lists { lists, each: *each, numbers };
        match is_source {
            _ if self.has_stage() => (None, None),
            true => (Some(lists), None),
            false => (None, Some(lists)),
        }
    }
}

/// Why there is no list.
enum Missing {
    /// There are no such neighbours, or no program of them.
    Neighbours,
    /// Their rows had better go by way of a stage, which has no room for them.
    Room,
}

/// Neighbours of one side that lie apart on the other.
struct Apart {
    /// Where they lie there, from the first, in bytes.
    places: Vec<i64>,
    /// The bytes of an element.
    unit: i64,
    /// How many of them a program moves, and the bytes from one to the next there.
    together: i64,
    pitch: i64,
    /// The bytes of a row, of each neighbour.
    len: i64,
    /// Whether they lie apart in the source.
    is_source: bool,
}

impl Apart {
    /// Whether rows had better go by way of a stage, and that has room for them: `None` if they had not.
    fn has_stage(&self, tile: &Tile) -> Option<bool> {
        let is_wanted = match self.is_source {
            true => in_one_set(&self.places[..self.together as usize]) > WAYS,
            false => tile.n_lanes < MAX_LANES,
        };
        let most = if self.is_source { MOST_GATHERED } else { MOST_CACHED_BYTES };
        let bytes = self.places.len() as i64 * self.pitch;
        (is_wanted && self.len >= LINE as i64).then_some(bytes <= most)
    }

    /// The walk of their program, from a stage or to one, with these loops around.
    fn staged(self, walk: Walk, kernels: Kernels, around: Vec<Around>, level: Level) -> Listed {
        let Apart { ref places, pitch, len, is_source, .. } = self;
        let (rows, tiles) = (places.clone(), inside(&walk));
        let (n_lanes, stores) = (walk.tile.n_lanes, &walk.tile.stores[..walk.tile.stored]);
        let writes_lines = is_source && writes_lines(n_lanes, stores, &tiles, &around);
        let (mut gathered, mut out) = (None, None);
        if is_source {
            gathered = Some(Gathered { rows, len, pitch, first: LINE, copy: copy_in(level) });
        } else {
            let copy = copy_out(level, Ends::Cached);
            out = Some(Out { rows, len, pitch, copy, has_tails: false, reach: len });
        }
        let panel = self.panel(walk.panel, tiles.len());
        let mut walk = Walk { tiles, around, panel, gathered, out, ..walk };
        walk.ask_with_lines();
        walk.far_stores = None;
        if is_source && waits_for_two_lines() {
            walk.far_stores = walk.line_bits();
        }
        let (lists, each, numbers) = (Vec::new(), 0, Vec::new());
        Listed { walk, kernels, lists, each, numbers, is_source, writes_lines }
    }

    /// The walk of a program of as many as there are together, moved to all of them, with these loops around.
    fn direct(self, walk: Walk, kernels: Kernels, around: Vec<Around>) -> Listed {
        let Apart { ref places, unit, together, pitch, is_source, .. } = self;
        let neighbours = |apart: i64| (apart / pitch, apart % pitch);
        let offsets: Vec<(i64, i64)> =
            listed_offsets(&walk.tile, is_source).into_iter().map(neighbours).collect();
        let side = |(src, dst): (i64, i64)| if is_source { (src, dst) } else { (dst, src) };
        let inside: Vec<((i64, i64), i64)> = inside(&walk)
            .into_iter()
            .map(|tile| (neighbours(side(tile).0), side(tile).1))
            .collect();
        let each = if is_source { offsets.len() } else { MOST_STORED };
        let length = places.len() as i64;
        let firsts: Vec<i64> = (0..(length + together - 1) / together)
            .map(|tile| (tile * together).min(length - together))
            .collect();
        let n_tiles = inside.len() * firsts.len();
        let (mut tiles, mut numbers) = (Vec::with_capacity(n_tiles), Vec::with_capacity(n_tiles));
        let mut lists = Vec::with_capacity(firsts.len() * each);
        let mut known = vec![None; places.len()];
        let mut add = |first: i64, &((neighbour, apart), beside): &((i64, i64), i64)| {
            let first_of_tile = (first + neighbour) as usize;
            tiles.push(side((apart, beside + first * unit)));
            numbers.push(*known[first_of_tile].get_or_insert_with(|| {
                let number = lists.len() / each;
                let places = &places[first_of_tile..];
                lists.extend(offsets.iter().map(|&(number, rest)| places[number as usize] + rest));
                lists.resize((number + 1) * each, 0);
                number as u32
            }));
        };
        // What makes a line of the source comes one after the other: pieces of rows, or neighbours.
        match is_source {
            true => inside.chunks(TOGETHER).for_each(|inside| {
                for &first in &firsts {
                    inside.iter().for_each(|tile| add(first, tile));
                }
            }),
            false => firsts.chunks(TOGETHER).for_each(|firsts| {
                for tile in &inside {
                    firsts.iter().for_each(|&first| add(first, tile));
                }
            }),
        }
        let stores = if is_source { &walk.tile.stores[..walk.tile.stored] } else { &lists };
        let writes_lines = writes_lines(walk.tile.n_lanes, stores, &tiles, &around);
        let panel = self.panel(walk.panel, tiles.len());
        let walk = Walk { tiles, around, panel, ..walk };
        Listed { walk, kernels, lists, each, numbers, is_source, writes_lines }
    }

    /// What is read of the source, where a program reads that and there are so many tiles.
    fn panel(self, of_program: Panel, n_tiles: usize) -> Panel {
        let (rows, len) = match self.is_source {
            true => joined(self.places, self.len),
            false => (of_program.rows, self.places.len() as i64 * self.unit),
        };
        Panel::of(rows, len, n_tiles)
    }
}

/// The rows that pieces of so many bytes at these places make up, and the bytes of each: of as many pieces as the first row has, if all
/// pieces make up such rows, and else of one.
fn joined(mut places: Vec<i64>, len: i64) -> (Vec<i64>, i64) {
    places.sort_unstable();
    let follows = |pair: &[i64]| pair[1] == pair[0] + len;
    let n = 1 + places.windows(2).take_while(|pair| follows(pair)).count();
    let is_row = |row: &[i64]| row.len() == n && row.windows(2).all(follows);
    if !places.chunks(n).all(is_row) {
        return (places, len);
    }
    (places.into_iter().step_by(n).collect(), n as i64 * len)
}

/// Whether registers of so many lanes that are stored at these places are whole lines, if the first begins on one.
fn writes_lines(n_lanes: usize, stores: &[i64], tiles: &[(i64, i64)], around: &[Around]) -> bool {
    let mut places = stores.iter().copied().chain(tiles.iter().map(|tile| tile.1));
    n_lanes == MAX_LANES
        && places.all(|place| place % LINE as i64 == 0)
        && around.iter().all(Around::is_by_lines)
}

/// Where a tile loads its lanes from, register by register, or where it stores its registers.
fn listed_offsets(tile: &Tile, is_source: bool) -> Vec<i64> {
    let lanes = &tile.lanes[..tile.n_lanes];
    let loads = tile.loads[..tile.registers].iter();
    match is_source {
        true => loads.flat_map(|load| lanes.iter().map(move |lane| load + lane)).collect(),
        false => tile.stores[..tile.stored].to_vec(),
    }
}

/// Where all tiles of a walk lie from the first.
fn inside(walk: &Walk) -> Vec<(i64, i64)> {
    let none = At { src: std::ptr::null(), dst: std::ptr::null_mut() };
    let mut places = AroundPlaces::new(&walk.around, none);
    let mut inside = Vec::new();
    while let Some(At { src, dst }) = places.next() {
        let (src, dst) = (src.addr() as i64, dst.addr() as i64);
        inside.extend(walk.tiles.iter().map(|tile| (src + tile.0, dst + tile.1)));
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_follow_each_other_are_rows() {
        // 3 rows of 5 pieces of 20 bytes each, in an order that has the rows in turn.
        let mut places = Vec::new();
        for piece in 0..5 {
            places.extend([0, 51_200, 102_400].map(|row| row + 20 * piece));
        }
        assert_eq!(joined(places.clone(), 20), (vec![0, 51_200, 102_400], 100));
        // One row has no fourth piece, or ends before the fifth.
        places.sort_unstable();
        for without in [8, 14] {
            let mut left = places.clone();
            left.remove(without);
            assert_eq!(joined(left.clone(), 20), (left, 20));
        }
        // Pieces with gaps between them, or that overlap.
        assert_eq!(joined(vec![30, 0, 60], 20), (vec![0, 30, 60], 20));
        assert_eq!(joined(vec![20, 0, 10], 20), (vec![0, 10, 20], 20));
    }
}
