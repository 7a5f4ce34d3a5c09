//! A relayout that transposes as a kernel: tiles go through memory that the threads of a block share.
//!
//! A thread for each word of the destination stores what neighbours store beside it, but where the layouts transpose,
//! neighbours load from far apart. Here a block of threads takes a tile of `rows * columns` units, loads it row by row
//! as the source lies, waits for all of its threads, and stores it column by column as the destination lies: both are
//! coalesced. In between, the tile is in the shared memory in an [`Arrangement`].
//!
//! # Banks
//! Of `f32` in tiles of 32 by 32, kept as rows of 32, the 32 threads of a warp that read a column would all ask one bank,
//! and take 32 turns. Either the rows are further apart, here 33, or the columns of each row are in another order: unit
//! `(r, c)` is at `r * 32 + (c ^ r)`. Which of all pitches and swizzles it is, the core's [bank analysis](Banks) says: that
//! with the fewest turns, writes and reads together, and of those the one with the least memory. Here it is the swizzle:
//! a turn for each warp, as the pitch of 33 has, and no more than 4096 bytes.
//!
//! # Padding
//! Slots without an element are no part of any tile. They are stored by the kernel of words where its formula finds
//! no element, which no tile stores to, so that nothing has to wait for that.

use tilewright::map::{Access, Banks};

use crate::relayout::{Body, Nest, Relayout, Way};

/// The boxes of a relayout, cut into tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Staged {
    /// The bytes of a unit: 1, 2, 4, 8 or 16. Everything else is counted in units.
    pub unit: i64,
    /// The boxes; their tiles are numbered one box after another.
    pub boxes: Vec<StagedBox>,
    /// How many tiles all boxes have.
    pub tiles: i64,
    /// How many units the shared memory has to hold.
    pub shared: i64,
    /// How many units a word of memory has: 1, or where memory is of words of 4 bytes only and units are smaller, as many as
    /// are in one. The shared memory has a word for each unit then.
    pub per_word: i64,
}

/// A box whose elements are transposed, or copied where it has one row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StagedBox {
    /// Where it begins in the source and in the destination, and its loops, outermost first, in units.
    pub nest: Nest,
    /// How many units follow each other in the destination.
    pub rows: i64,
    /// How far apart they are in the source.
    pub src_pitch: i64,
    /// How many units follow each other in the source.
    pub columns: i64,
    /// How far apart they are in the destination.
    pub dst_pitch: i64,
    /// The rows of a tile, a power of two.
    pub tile_rows: i64,
    /// The columns of a tile, a power of two.
    pub tile_columns: i64,
    /// Where the units of a tile are in the shared memory.
    pub arrangement: Arrangement,
    /// How many tiles it has: for each step of the loops, for each block of rows, for each of columns.
    pub tiles: i64,
}

/// Where the units of a tile are in the shared memory: `(r, c)` at `r * pitch + (c ^ s)`, and `s` is
/// `((r >> row_shift) & mask) << column_shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrangement {
    /// How far apart rows are.
    pub pitch: i64,
    /// Which bits of a row's number flip bits of the columns' numbers: 0 where none do.
    pub mask: i64,
    /// How many low bits of a row's number flip nothing.
    pub row_shift: u32,
    /// How many low bits of a column's number stay.
    pub column_shift: u32,
    /// How many times the banks serve while a tile is written by rows and read by columns.
    pub turns: i64,
    /// How many times they have to whatever the arrangement: `turns` is the same where there are no conflicts.
    pub least_turns: i64,
}

/// A tile is no longer than this, and has no more units than its square: what a block of 256 threads goes through in
/// four steps, and 16 KiB of the largest unit.
const SIDE: i64 = 32;

/// The bytes of a word, where memory is of words only.
const WORD: i64 = 4;

/// The fewest rows and columns for which a tile is worth waiting for.
const LEAST: i64 = 4;

/// Rows that are further apart by more units than this are not tried.
const MOST_EXTRA: i64 = 8;

impl Staged {
    /// The tiles of a relayout. `None` where there is nothing to transpose, or a box is of other than whole units.
    ///
    /// ```
    /// use tilewright::notation::Described;
    /// use tilewright_emit::{Array, Relayout, Staged};
    /// let array = |text: &str| Array::of(&text.parse::<Described>().unwrap()).unwrap();
    /// let relayout = Relayout::of(&array("f32[100,200]"), &array("f32[100,200]{0,1}"))?;
    /// let staged = Staged::of(&relayout).unwrap();
    /// let arrangement = staged.boxes[0].arrangement;
    /// assert_eq!((staged.tiles, arrangement.mask, arrangement.pitch), (4 * 7, 31, 32));
    /// assert_eq!(arrangement.turns, arrangement.least_turns);
    /// # Ok::<(), tilewright_emit::Error>(())
    /// ```
    pub fn of(relayout: &Relayout) -> Option<Self> {
        let Way::Nests(nests) = &relayout.way else { return None };
        let unit = nests.iter().find_map(|nest| match nest.body {
            Body::Transpose { unit, rows, columns, .. } if rows.min(columns) >= LEAST => Some(unit),
            _ => None,
        })?;
        let boxes: Vec<StagedBox> =
            nests.iter().map(|nest| StagedBox::of(nest, unit)).collect::<Option<_>>()?;
        let tiles = boxes.iter().try_fold(0i64, |sum, of| sum.checked_add(of.tiles))?;
        let shared = boxes.iter().map(|of| of.tile_rows * of.arrangement.pitch).max()?;
        Some(Staged { unit, boxes, tiles, shared, per_word: 1 })
    }

    /// The same where memory is of words of 4 bytes, and units are smaller. `None` where a word of the destination would be of
    /// several tiles, which could not each store a part.
    pub(crate) fn in_words(mut self) -> Option<Self> {
        if self.unit >= WORD {
            return Some(self);
        }
        let per = WORD / self.unit;
        for of in &mut self.boxes {
            let along = if of.rows == 1 { of.columns } else { of.rows };
            let between = if of.rows == 1 { 0 } else { of.dst_pitch };
            let mut places =
                of.nest.loops.iter().map(|l| l.dst).chain([along, between, of.nest.dst]);
            if places.any(|units| units % per != 0) {
                return None;
            }
            of.arrangement = Arrangement::best(of.tile_rows, of.tile_columns, WORD, per)?;
        }
        self.shared = self.boxes.iter().map(|of| of.tile_rows * of.arrangement.pitch).max()?;
        Some(Staged { per_word: per, ..self })
    }

    /// The bytes of the shared memory.
    pub(crate) fn shared_bytes(&self) -> i64 {
        self.shared * if self.per_word > 1 { WORD } else { self.unit }
    }

    /// Whether every number of the kernel fits 32 bits.
    pub(crate) fn is_narrow(&self, relayout: &Relayout) -> bool {
        let most = relayout.src_bytes.max(relayout.dst_bytes).max(self.tiles.saturating_mul(2));
        most < i64::from(i32::MAX)
    }
}

impl StagedBox {
    fn of(nest: &Nest, unit: i64) -> Option<Self> {
        let units = |bytes: i64| (bytes % unit == 0).then_some(bytes / unit);
        let (rows, src_pitch, columns, dst_pitch) = match nest.body {
            Body::Transpose { unit: own, rows, src_pitch, columns, dst_pitch } if own == unit => {
                (rows, units(src_pitch)?, columns, units(dst_pitch)?)
            }
            // One row, which is contiguous on both sides.
            Body::Run(bytes) => (1, 0, units(bytes)?, 1),
            _ => return None,
        };
        let mut scaled = nest.clone();
        (scaled.src, scaled.dst) = (units(nest.src)?, units(nest.dst)?);
        for l in &mut scaled.loops {
            (l.src, l.dst) = (units(l.src)?, units(l.dst)?);
        }
        let tile_rows = tile_side(rows, SIDE)?;
        let tile_columns = tile_side(columns, SIDE * SIDE / tile_rows)?;
        let tile_rows = tile_side(rows, SIDE * SIDE / tile_columns)?;
        let steps = nest.loops.iter().try_fold(1i64, |steps, l| steps.checked_mul(l.extent))?;
        let blocks = |extent: i64, side: i64| (extent + side - 1) / side;
        let tiles = steps
            .checked_mul(blocks(rows, tile_rows))?
            .checked_mul(blocks(columns, tile_columns))?;
        let arrangement = Arrangement::best(tile_rows, tile_columns, unit, 1)?;
        Some(StagedBox {
            nest: scaled,
            rows,
            src_pitch,
            columns,
            dst_pitch,
            tile_rows,
            tile_columns,
            arrangement,
            tiles,
        })
    }
}

/// The power of two that holds an extent, or the largest that there may be.
fn tile_side(extent: i64, most: i64) -> Option<i64> {
    let side = u64::try_from(extent.min(most)).ok()?.next_power_of_two();
    i64::try_from(side).ok()
}

impl Arrangement {
    /// The one with the fewest turns, of those the one with the least memory, and rows as they are where that does.
    /// A thread reads `per` units of a column one after the other.
    fn best(rows: i64, columns: i64, unit: i64, per: i64) -> Option<Self> {
        let all = pitches(columns).chain(swizzles(rows, columns));
        let all = all.filter_map(|of| of.with_turns(rows, columns, unit, per));
        all.min_by_key(|of| (of.turns, of.pitch, of.mask.count_ones()))
    }

    /// Where a unit is.
    pub fn place(&self, row: i64, column: i64) -> i64 {
        let flipped = ((row >> self.row_shift) & self.mask) << self.column_shift;
        row * self.pitch + (column ^ flipped)
    }

    /// The same with its turns counted, of units of so many bytes.
    fn with_turns(mut self, rows: i64, columns: i64, unit: i64, per: i64) -> Option<Self> {
        let bits = u32::try_from(unit * 8).ok()?;
        let n = rows * columns;
        let per = per.min(rows);
        let reads = (0..per).map(|nth| -> Vec<i64> {
            let row = |k: i64| k % (rows / per) * per + nth;
            (0..n / per).map(|k| self.place(row(k), k / (rows / per))).collect()
        });
        let written: Vec<i64> = (0..n).map(|k| self.place(k / columns, k % columns)).collect();
        for offsets in std::iter::once(written).chain(reads.collect::<Vec<_>>()) {
            let access = Access::new(offsets, bits, 1).ok()?;
            let conflicts = access.bank_conflicts(&Banks::default()).ok()?;
            self.turns += conflicts.wavefronts;
            self.least_turns += conflicts.phases;
        }
        Some(self)
    }
}

/// Rows that are further apart than they are long.
fn pitches(columns: i64) -> impl Iterator<Item = Arrangement> {
    (columns..=columns + MOST_EXTRA).map(|pitch| Arrangement {
        pitch,
        mask: 0,
        row_shift: 0,
        column_shift: 0,
        turns: 0,
        least_turns: 0,
    })
}

/// Rows whose columns are in another order.
fn swizzles(rows: i64, columns: i64) -> impl Iterator<Item = Arrangement> {
    let (row_bits, column_bits) = (rows.ilog2(), columns.ilog2());
    (0..row_bits).flat_map(move |row_shift| {
        (0..column_bits).map(move |column_shift| {
            let bits = (row_bits - row_shift).min(column_bits - column_shift);
            let mask = (1 << bits) - 1;
            Arrangement { pitch: columns, mask, row_shift, column_shift, turns: 0, least_turns: 0 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pitch_takes_memory_and_a_swizzle_none() {
        let of = |pitch: i64| {
            pitches(32)
                .find(|of| of.pitch == pitch)
                .and_then(|of| of.with_turns(32, 32, 4, 1))
                .unwrap()
        };
        // A warp reads 32 words: a turn for each of the 32 warps, written and read.
        assert_eq!((of(33).turns, of(33).least_turns), (64, 64));
        assert_eq!(of(32).turns, 32 + 32 * 32);
        let best = Arrangement::best(32, 32, 4, 1).unwrap();
        assert_eq!((best.pitch, best.mask, best.turns), (32, 31, 64));
        assert_eq!((best.row_shift, best.column_shift), (0, 0));
    }

    /// Every tile that there can be, and each by counting: which words of which banks the threads of a phase want.
    #[test]
    fn no_tile_has_conflicts() {
        for (unit, per) in [(1i64, 1i64), (2, 1), (4, 1), (8, 1), (16, 1), (4, 2), (4, 4)] {
            for (row_bits, column_bits) in (2..=9).flat_map(|a| (1..=10 - a).map(move |b| (a, b))) {
                let (rows, columns) = (1i64 << row_bits, 1i64 << column_bits);
                let best = Arrangement::best(rows, columns, unit, per).unwrap();
                let said = format!("{rows} by {columns} of {unit} bytes, {per} a thread: {best:?}");
                // Threads that read several units want tiles as wide as there are banks.
                if per > 1 && columns < 32 {
                    continue;
                }
                assert_eq!(best.turns, best.least_turns, "{said}");
                let n = rows * columns;
                let by_rows = (0..n).map(|k| best.place(k / columns, k % columns)).collect();
                // The threads of a step read every `per`th row, each of its column.
                let threads = rows / per;
                let by_columns = (0..n).map(|k| {
                    let (step, thread) = (k / (n / per), k % (n / per));
                    best.place(thread % threads * per + step, thread / threads)
                });
                let together = (128 / unit).min(32);
                for mut all in [by_rows, by_columns.collect::<Vec<i64>>()] {
                    // Fewer threads than a warp has read alone in each step.
                    let phase = (n / per).min(together);
                    for phase in all.chunks(phase as usize) {
                        let mut of_bank = [None; 32];
                        for word in
                            phase.iter().flat_map(|at| at * unit / 4..=(at * unit + unit - 1) / 4)
                        {
                            let wanted = of_bank[(word % 32) as usize].get_or_insert(word);
                            assert_eq!(*wanted, word, "{said}");
                        }
                    }
                    all.sort_unstable();
                    all.dedup();
                    assert_eq!(all.len() as i64, n, "{said}");
                }
            }
        }
    }
}
