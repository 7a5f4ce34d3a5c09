//! Blocks: what a destination that is streamed gets at a time.
//!
//! Memory takes whole lines. A tile writes parts of many; so the tiles of a block are put together
//! in the caches, row by row of the destination, and the rows go out from there. Also the order in which
//! tiles are moved, panel by panel, and what is asked for ahead. [`grown`] makes them of a tile and the loops around it.

mod alias;
mod grown;
mod overhang;

pub(super) use self::alias::{ALIAS, FAR_ALIAS, WAYS, in_one_set};
use self::grown::{Block, Reading, tiles};
use super::copies::{CopyIn, CopyOut};
use super::level::{Level, waits_for_two_lines};
use super::place::{AHEAD, LINE};
use super::tile::{Around, MAX_LANES, Tile};
use std::borrow::Cow;
use std::mem::MaybeUninit;

/// The most bytes of a block, with the room between its rows.
const MOST_BYTES: i64 = 96 << 10;

/// The same where it is to stay in the first cache, from where it is copied at once.
pub(super) const MOST_CACHED_BYTES: i64 = 24 << 10;

/// The most bytes of rows that are copied to a stage before they are moved, with the room between them.
pub(super) const MOST_GATHERED: i64 = 48 << 10;

/// The bytes of a panel's rows, and of those that may be in each other's way.
const PANEL_ROW: i64 = 512;
const GATHERED_ROW: i64 = 256;

/// The most bytes of a panel.
const PANEL: i64 = 32 << 10;

/// The fewest bytes of one in the caches, if the loops have them: so that it is more to move it than to begin. Where a
/// destination is streamed, that is as many as there may be.
const LEAST_CACHED_PANEL: i64 = 16 << 10;

/// Registers of a tile that are stored so many bytes apart go to rows of their own.
const FAR_STORES: i64 = 256;

/// The bytes of a destination that is in the first cache when it is stored to again.
const FIRST_CACHE: i64 = 32 << 10;

/// So many lines with each tile are many, of one row, which a processor foresees itself, or of more; and so many in all.
const MANY_LINES_OF_A_ROW: usize = 8;
const MANY_LINES: usize = 4;
const LARGE_PANEL: usize = 224;

/// The most tiles of a panel.
const PANEL_TILES: i64 = 512;

/// How the rows of a block end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// With lines.
    Lines,
    /// Anywhere: what is left over is kept for the row that goes on with that line.
    Tails,
    /// The same of rows that follow each other: what is left over is kept for the next of them.
    Following,
    /// Anywhere: they are copied into the caches.
    Cached,
}

/// Where a tile is moved: at every place of the loops, from the outermost to the innermost.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) tile: Tile,
    /// Where the tiles of a panel lie from the first, in the source and in the destination.
    pub(super) tiles: Vec<(i64, i64)>,
    /// The loops around a panel.
    pub(super) around: Vec<Around>,
    /// What the tiles read.
    pub(super) panel: Panel,
    /// What is done before a panel, if its tiles are moved from a stage.
    pub(super) gathered: Option<Gathered>,
    /// What is done after a panel, if its tiles go to a stage.
    pub(super) out: Option<Out>,
    /// Which bits of addresses within a line tell the places apart that registers are stored to, if those are rows of their
    /// own that the first cache does not have, and a register of two lines is waited for.
    pub(super) far_stores: Option<i64>,
}

/// Blocks that a destination which stays in the caches gets.
#[derive(Clone, Debug)]
pub(super) struct CachedBlocks {
    pub(super) walk: Box<Walk>,
    /// Whether they are for any destination, or for those alone of which a tile writes parts of lines.
    pub(super) is_for_any: bool,
}

/// What the tiles of a panel read: rows of the source. Memory is quick to go on with a row
/// and slow to begin one, and a processor foresees what is read next of a few rows, not of many. So
/// the lines of a panel to come are asked for while one is moved, row by row, whatever
/// order the tiles have: of the next one, or of the one that is [`AHEAD`] if panels are smaller.
#[derive(Clone, Debug, Default)]
pub(super) struct Panel {
    /// Where the rows begin, in bytes.
    pub(super) rows: Vec<i64>,
    /// The bytes of each.
    pub(super) len: i64,
    /// Rows that no whole line lies between are asked for as one: where each such group begins, and the bytes of one. No places, and
    /// the bytes of a row, if not all of them are in groups that are alike.
    pub(super) together: (Vec<i64>, i64),
    /// The byte of each of these whose line is asked for first, and so many from there on. Of rows that do not all begin where lines do if
    /// the first one does, the last line may be one more than there are in them: of long ones that is asked for too, of short ones
    /// instead of the first, which has mostly been read with what is before it.
    pub(super) asked: (i64, i64),
    /// The lines that are asked for with each tile, or with each line of a block that goes out after them: one of both is none.
    pub(super) lines: usize,
    pub(super) lines_out: usize,
    /// Of the panel that comes so many after the one that is moved.
    pub(super) ahead: usize,
}

impl Panel {
    /// What so many tiles read, in rows of so many bytes.
    pub(super) fn of(rows: Vec<i64>, len: i64, n_tiles: usize) -> Self {
        let line = LINE as i64;
        let (each, long) = together(&rows, len);
        let asked = match rows.iter().step_by(each).all(|row| row % line == 0) {
            true => (0, long),
            false if each == 1 && len < 2 * line => ((len - 1) % line, len - (len - 1) % line),
            false => (0, long + line - 1),
        };
        // Of lines that two panels have a part of, each counts for its part.
        let n_rows = rows.len().div_ceil(each);
        let bytes = rows.len() * len as usize;
        let ahead = AHEAD.checked_div(bytes).map_or(0, |panels| panels.max(1));
        let firsts =
            if each > 1 { rows.iter().step_by(each).copied().collect() } else { Vec::new() };
        let lines = (n_rows * (asked.1 as usize).div_ceil(LINE)).div_ceil(n_tiles);
        Panel { rows, len, together: (firsts, long), asked, lines, lines_out: 0, ahead }
    }

    /// Has what would be many lines with each tile be asked for with so many lines of a block that goes out instead, if that is long enough for
    /// memory to answer: so memory reads while it is written, and no tile waits until so many have been asked for.
    pub(super) fn ask_with_lines(&mut self, n_lines: usize) {
        let n_rows = self.asked_rows().len();
        let n_asked = n_rows * (self.asked.1 as usize).div_ceil(LINE);
        let many = if n_rows == 1 { MANY_LINES_OF_A_ROW } else { MANY_LINES };
        if self.lines >= many && n_asked >= LARGE_PANEL {
            (self.lines, self.lines_out) = (0, n_asked.div_ceil(n_lines.max(1)));
        }
    }

    /// What is asked for begins there: the groups of rows, if they are asked for together.
    #[inline(always)]
    pub(super) fn asked_rows(&self) -> &[i64] {
        if self.together.0.is_empty() { &self.rows } else { &self.together.0 }
    }
}

/// How many of some rows of `len` bytes, in order, go on before a whole line lies between two, if that is so many of all of them; and
/// the bytes from the first to the end of the last.
fn together(rows: &[i64], len: i64) -> (usize, i64) {
    let goes_on = |pair: &[i64]| (0..len + LINE as i64).contains(&(pair[1] - pair[0]));
    let each = 1 + rows.windows(2).take_while(|pair| goes_on(pair)).count();
    let reach = |rows: &[i64]| rows.first().zip(rows.last()).map_or(0, |(a, b)| b - a) + len;
    let long = reach(&rows[..each.min(rows.len())]);
    let are_alike = || rows.chunks(each).all(|rows| rows.len() == each && reach(rows) == long);
    if each > 1 && are_alike() { (each, long) } else { (1, len) }
}

/// The rows of a panel that are copied to a stage, from where its tiles are moved: they would be in each other's way where
/// they are. Distances are in bytes.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// Where they lie from the first.
    pub(super) rows: Vec<i64>,
    /// The bytes of each, at least those of a line.
    pub(super) len: i64,
    /// From one to the next in the stage.
    pub(super) pitch: i64,
    /// Where the first is in the stage, behind the rows of a block.
    pub(super) first: usize,
    /// What copies them.
    pub(super) copy: CopyIn,
}

/// The rows of a block. Distances are in bytes.
///
/// In the stage there is a line of room before each row. Where a row ends within a line of the
/// destination, what is left of it is kept there, before the row that goes on with that line.
#[derive(Clone, Debug)]
pub(super) struct Out {
    /// Where they lie from the first.
    pub(super) rows: Vec<i64>,
    /// The bytes of each, at least those of a line.
    pub(super) len: i64,
    /// From one to the next in the stage.
    pub(super) pitch: i64,
    /// What copies them.
    pub(super) copy: CopyOut,
    /// Whether rows may begin or end within lines.
    pub(super) has_tails: bool,
    /// How far from the first the next block begins that goes on with the last.
    pub(super) reach: i64,
}

impl Walk {
    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let out = self.out.as_ref().map_or(0, |out| out.rows.capacity());
        let gathered = self.gathered.as_ref().map_or(0, |rows| rows.rows.capacity());
        let rows = self.panel.rows.capacity() + self.panel.together.0.capacity() + gathered + out;
        let around = self.around.capacity() * size_of::<Around>();
        self.tiles.capacity() * size_of::<(i64, i64)>() + rows * size_of::<i64>() + around
    }

    /// A tile in these loops, panel by panel. If it reads more than `most_of_a_set` lines of one set of the first cache, the rows of a panel
    /// are gathered first.
    pub(super) fn of(
        tile: Tile,
        around: Vec<Around>,
        is_streamed: bool,
        most_of_a_set: usize,
        level: Level,
    ) -> Self {
        let least = if is_streamed { PANEL } else { LEAST_CACHED_PANEL };
        let (mut bytes, mut n_tiles) = (tile.bytes(), 1);
        let n_outer = around.len();
        let mut block = Block { tile: Cow::Owned(tile), loops: around, n_outer };
        let gathers = block.may_alias() && block.in_one_set().0 > most_of_a_set;
        while let Some(l) = block.outer().last().copied() {
            let (rows, len) = block.read();
            let row = match gathers {
                true => (MOST_GATHERED / rows - LINE as i64).clamp(LINE as i64, GATHERED_ROW),
                false => PANEL_ROW.max(least / rows),
            };
            if len >= row && rows > 1 {
                break;
            }
            let most = (PANEL / bytes).min(PANEL_TILES / n_tiles);
            let most = if l.src == len { most.min((row / len).max(1)) } else { most };
            if most < 2 {
                break;
            }
            let part = block.take(block.n_outer - 1, most);
            (bytes, n_tiles) = (bytes * part, n_tiles * part);
        }
        let panel = block.panel();
        let gathered = if gathers { block.gathered(0, level) } else { None };
        let tiles = tiles(block.inside());
        let (tile, around) = block.into_parts();
        let mut walk = Walk { tile, tiles, around, panel, gathered, out: None, far_stores: None };
        if waits_for_two_lines() {
            walk.far_stores = walk.line_bits();
        }
        walk
    }

    /// Which bits of addresses within a line tell the places apart that registers of a line are stored to, if those are far
    /// apart.
    pub(super) fn line_bits(&self) -> Option<i64> {
        let Walk { tile, tiles, around, .. } = self;
        let stores = &tile.stores[1..tile.stored];
        let is_far = !stores.is_empty() && stores.iter().all(|store| store.abs() >= FAR_STORES);
        let bytes = tile.bytes().saturating_mul(tiles.len() as i64);
        let bytes = around.iter().fold(bytes, |bytes, l| bytes.saturating_mul(l.count));
        if tile.n_lanes < MAX_LANES || !is_far || bytes < FIRST_CACHE {
            return None;
        }
        let around = around.iter().map(|l| l.dst | l.dst_back);
        let places = stores.iter().copied().chain(tiles.iter().map(|tile| tile.1)).chain(around);
        Some(places.fold(0, |all, place| all | place) % LINE as i64)
    }

    /// Whether registers are stored to rows of their own, and to two lines each, where the first place of the destination is
    /// there.
    pub(super) fn crosses_lines(&self, dst: *const u8) -> bool {
        let is_on_lines = |bits: i64| (bits | dst as i64) % LINE as i64 == 0;
        self.far_stores.is_some_and(|bits| !is_on_lines(bits))
    }

    /// Has what is asked for be asked for with the lines of a block, if there is one and that is better, but for rows that are gathered: those
    /// are read at once, right after.
    pub(super) fn ask_with_lines(&mut self) {
        if let Some(out) = self.out.as_ref().filter(|_| self.gathered.is_none()) {
            // As many as go out of each row at least, wherever in a line it begins.
            self.panel.ask_with_lines(out.rows.len() * (out.len as usize / LINE));
        }
    }

    /// Has a walk of one panel, which is in the caches already, ask for what is read after it.
    pub(super) fn ask_for(&mut self, next: &Panel) {
        self.panel = Panel::default();
        if self.around.is_empty() {
            self.panel = Panel::of(next.rows.clone(), next.len, self.tiles.len());
            self.ask_with_lines();
        }
    }

    /// The blocks of a tile that is moved by these loops, of which the last `n_inner` had better
    /// stay together: whole lines, if the destination begins at one, and any.
    pub(super) fn in_blocks(
        tile: &Tile,
        around: &[Around],
        n_inner: usize,
        level: Level,
    ) -> [Option<Box<Walk>>; 2] {
        let block = Block::of(tile, around, n_inner);
        let most = block.most();
        let are_alike = block.may_alias() && most.aliases()[0];
        let in_one_set = if are_alike { block.in_one_set().0 } else { 0 };
        let reading = Reading { are_alike, gathers: in_one_set > WAYS, level };
        let of_loops = |ends| block.of_whole_loops(ends, reading);
        let lines = block.largest(&most, Ends::Lines, reading);
        let lines = lines.or_else(|| of_loops(Ends::Lines));
        let begins_rows = !reading.gathers && most.begins_rows();
        // Where there are whole lines too, this is for destinations that do not begin at one; then no chunk is put together.
        let is_short = lines.is_none() && block.has_short_rows();
        let shares = lines.is_some();
        let rows = || match is_short {
            true if begins_rows => None,
            true => block.long(reading, shares),
            false => block.wide_or_long(reading, shares),
        };
        let is_best = |walk: &Walk| lines.is_some() || !block.is_for_chunks(walk);
        let any = block.alone(begins_rows, reading).or_else(rows).filter(|walk| is_best(walk));
        let any = any.or_else(|| of_loops(Ends::Tails));
        [lines, any]
    }

    /// Blocks for the caches, if many rows of the destination would be in each other's way, or all that a tile reads are and are
    /// not gathered.
    pub(super) fn in_cached_blocks(
        tile: &Tile,
        around: &[Around],
        n_inner: usize,
        level: Level,
    ) -> Option<CachedBlocks> {
        let block = Block::of(tile, around, n_inner);
        if !block.may_alias() {
            return None;
        }
        let most = block.most();
        let [in_source, in_destination] = most.aliases();
        let (lines, of) = if in_source { block.in_one_set() } else { (0, 1) };
        // Rows of less than a line are not gathered.
        let gathers = lines > WAYS && most.read().1 >= LINE as i64;
        let in_its_way = !gathers && of > 1 && lines == of;
        if !in_destination && !in_its_way {
            return None;
        }
        let walk =
            block.largest(&most, Ends::Cached, Reading { are_alike: in_source, gathers, level })?;
        Some(CachedBlocks { walk, is_for_any: in_its_way })
    }
}

/// Repeats places at every one of so many steps.
pub(super) fn repeat(places: &mut Vec<i64>, count: i64, step: i64) {
    let n = places.len();
    for number in 1..count {
        places.extend_from_within(..n);
        let first = places.len() - n;
        places[first..].iter_mut().for_each(|place| *place += number * step);
    }
}

/// Memory for a block, on pages, and for what is gathered.
#[repr(align(4096))]
pub(super) struct Stage(
    pub(super) MaybeUninit<[u8; (MOST_BYTES + MOST_GATHERED) as usize + 4 * LINE]>,
);

/// The same for a block that stays in the first cache.
#[repr(align(64))]
pub(super) struct CachedStage(
    pub(super) MaybeUninit<[u8; (MOST_CACHED_BYTES + MOST_GATHERED) as usize + 4 * LINE]>,
);
