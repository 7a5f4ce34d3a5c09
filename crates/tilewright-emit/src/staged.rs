//! A relayout that transposes as a kernel: tiles go through memory that the threads of a block share.
//!
//! A thread for each word of the destination stores what neighbours store beside it, but where the layouts transpose,
//! neighbours load from far apart. Here a block of threads takes a tile of `rows * columns` units, loads it row by row
//! as the source lies, waits for all of its threads, and stores it column by column as the destination lies: both are
//! coalesced. In between, unit `(r, c)` of the tile is at `r * pitch + c` of the shared memory.
//!
//! # The pitch
//! The threads of a warp read a column at a stride of `pitch`, so that `pitch = columns` would ask one bank for all
//! rows: of `f32` in tiles of 32 by 32 that takes 32 turns. The pitch is the least of `columns` to `columns + 8` that
//! takes the fewest turns, writes and reads together, by the core's [bank analysis](tilewright::map::Banks); here 33,
//! with a turn for each warp.
//!
//! # Padding
//! Slots without an element are no part of any tile. They are stored by the kernel of words where its formula finds
//! no element, which no tile stores to, so that nothing has to wait for that.

use tilewright::map::{Access, Banks};

use crate::relayout::{Body, Nest, Relayout, Way};

/// The boxes of a relayout, cut into tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// The bytes of a unit: 1, 2, 4, 8 or 16. Everything else is counted in units.
    pub unit: i64,
    /// The boxes; their tiles are numbered one box after another.
    pub boxes: Vec<StagedBox>,
    /// How many tiles all boxes have.
    pub tiles: i64,
    /// How many units the shared memory has to hold.
    pub shared: i64,
}

/// A box whose elements are transposed, or copied where it has one row.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// How far apart the rows of a tile are in the shared memory.
    pub pitch: i64,
    /// How many tiles it has: for each step of the loops, for each block of rows, for each of columns.
    pub tiles: i64,
}

/// A tile is no longer than this, and has no more units than its square: what a block of 256 threads goes through in
/// four steps, and 16 KiB of the largest unit.
const SIDE: i64 = 32;

/// The fewest rows and columns for which a tile is worth waiting for.
const LEAST: i64 = 4;

/// Wider rows than this are not tried.
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
    /// assert_eq!((staged.tiles, staged.boxes[0].pitch), (4 * 7, 33));
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
        let shared = boxes.iter().map(|of| of.tile_rows * of.pitch).max()?;
        Some(Staged { unit, boxes, tiles, shared })
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
        let pitch = pitch(tile_rows, tile_columns, unit)?;
        Some(StagedBox {
            nest: scaled,
            rows,
            src_pitch,
            columns,
            dst_pitch,
            tile_rows,
            tile_columns,
            pitch,
            tiles,
        })
    }
}

/// The power of two that holds an extent, or the largest that there may be.
fn tile_side(extent: i64, most: i64) -> Option<i64> {
    let side = u64::try_from(extent.min(most)).ok()?.next_power_of_two();
    i64::try_from(side).ok()
}

/// The pitch with the fewest turns of the banks, and of those the least.
fn pitch(rows: i64, columns: i64, unit: i64) -> Option<i64> {
    let turns = |pitch: &i64| turns(rows, columns, *pitch, unit).unwrap_or(i64::MAX);
    (columns..=columns + MOST_EXTRA).min_by_key(turns)
}

/// How many times the banks serve while a tile is written by rows and read by columns.
fn turns(rows: i64, columns: i64, pitch: i64, unit: i64) -> Option<i64> {
    let bits = u32::try_from(unit * 8).ok()?;
    let n = rows * columns;
    let written = (0..n).map(|k| k / columns * pitch + k % columns).collect();
    let read = (0..n).map(|k| k % rows * pitch + k / rows).collect();
    [written, read].into_iter().try_fold(0i64, |turns, offsets: Vec<i64>| {
        let access = Access::new(offsets, bits, 1).ok()?;
        turns.checked_add(access.bank_conflicts(&Banks::default()).ok()?.wavefronts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_the_pitch_with_no_conflicts() {
        for (unit, expected) in [(4, 33), (8, 33)] {
            assert_eq!(pitch(32, 32, unit), Some(expected), "units of {unit} bytes");
        }
        // A warp reads 32 words: a turn for each of the 32 warps, written and read.
        assert_eq!(turns(32, 32, 33, 4), Some(64));
        assert_eq!(turns(32, 32, 32, 4), Some(32 + 32 * 32));
        for unit in [1, 2, 4, 8, 16] {
            for (rows, columns) in [(32, 32), (8, 128), (4, 256), (256, 4), (2, 2)] {
                let chosen = pitch(rows, columns, unit).unwrap();
                let best = turns(rows, columns, chosen, unit);
                for other in columns..=columns + MOST_EXTRA {
                    assert!(best <= turns(rows, columns, other, unit), "{rows} by {columns}");
                }
            }
        }
    }
}
