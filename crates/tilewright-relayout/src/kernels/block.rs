//! Blocks: what a destination that is streamed gets at a time.
//!
//! Memory takes whole lines. A tile writes parts of many; so the tiles of a block are put together
//! in the first cache, row by row of the destination, and the rows go out from there.

use super::level::Level;
use super::machine::{CopyOut, copy_out};
use super::place::LINE;
use super::tile::{Around, ONCE, Tile, ahead};
use std::mem::MaybeUninit;

/// The bytes of a block's rows: longer ones take longer to be read from memory than they save.
const ROW_BYTES: i64 = 256;

/// The most bytes of a block, with the room between its rows.
const MOST_BYTES: i64 = 24 << 10;

/// Where a tile is moved: at every place of the loops, from the outermost to the innermost.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) tile: Tile,
    /// The three innermost loops.
    pub(super) inner: [Around; 3],
    /// The loops around those.
    pub(super) around: Vec<Around>,
    /// What is done after the innermost three, if those go to a stage.
    pub(super) out: Option<Out>,
}

/// The rows of a block. Distances are in bytes.
#[derive(Clone, Debug)]
pub(super) struct Out {
    /// Where they lie from the first.
    pub(super) rows: Vec<i64>,
    /// The bytes of each.
    pub(super) len: i64,
    /// From one to the next in the stage.
    pub(super) pitch: i64,
    /// What copies them.
    pub(super) copy: CopyOut,
}

impl Walk {
    /// A tile in these loops.
    pub(super) fn of(tile: Tile, mut around: Vec<Around>) -> Self {
        let mut inner = [ONCE; 3];
        for place in inner.iter_mut().rev() {
            *place = around.pop().unwrap_or(ONCE);
        }
        Walk { tile, inner, around, out: None }
    }

    /// The blocks of a tile that is moved by these loops, of which the last `n_inner` had better
    /// stay together.
    pub(super) fn in_blocks(
        tile: &Tile,
        around: &[Around],
        n_inner: usize,
        level: Level,
    ) -> Option<Walk> {
        let (outer, inner) = around.split_at(around.len() - n_inner);
        let mut outer = outer.to_vec();
        let mut inside = inner.to_vec();
        let n_registers = 1usize << tile.grains.count_ones();
        let stages: Vec<usize> =
            (0..4).map(|stage| 1 << stage).filter(|&s| s < n_registers).collect();
        let steps = |inside: &[Around]| -> Vec<(i64, i64)> {
            let registers = stages.iter().map(|&number| (2, tile.stores[number]));
            registers.chain(inside.iter().map(|l| (l.count, l.dst))).collect()
        };
        let contiguous = |steps: &[(i64, i64)]| {
            let mut len = 16 * tile.n_lanes as i64;
            while let Some((count, _)) = steps.iter().find(|(count, dst)| *dst == len && *count > 1)
            {
                len *= count;
            }
            len
        };
        let len = contiguous(&steps(&inside));
        if let Some(number) = outer.iter().position(|l| l.dst == len && l.dst_back == 0) {
            let l = outer[number];
            let fits = |part: &i64| l.count % part == 0;
            let part = (1..=(ROW_BYTES / len).clamp(1, l.count)).rev().find(fits)?;
            if part > 1 {
                inside.insert(0, Around { count: part, ..l });
                let rest =
                    Around { count: l.count / part, src: l.src * part, dst: l.dst * part, ..l };
                if rest.count > 1 {
                    outer[number] = rest;
                } else {
                    outer.remove(number);
                }
            }
        }
        let all = steps(&inside);
        let len = contiguous(&all);
        let line = LINE as i64;
        let pitch = (len + line - 1) / line * line + line;
        let (mut rows, mut places) = (vec![0], vec![]);
        for &(count, dst) in &all {
            if dst < len && dst > 0 {
                places.push(dst);
                continue;
            }
            places.push(rows.len() as i64 * pitch);
            let n = rows.len();
            for step in 1..count {
                rows.extend_from_within(..n);
                let first = rows.len() - n;
                rows[first..].iter_mut().for_each(|row| *row += step * dst);
            }
        }
        if rows.len() as i64 * pitch > MOST_BYTES {
            return None;
        }
        let mut tile = tile.clone();
        tile.stores = [0; 16];
        for (number, place) in stages.iter().zip(&places) {
            for register in (0..16).filter(|register| register & number != 0) {
                tile.stores[register] += place;
            }
        }
        for (l, &place) in inside.iter_mut().zip(&places[stages.len()..]) {
            l.dst = place;
        }
        tile.ahead = ahead(&outer);
        let is_line = |bytes: i64| bytes % LINE as i64 == 0;
        let steps = outer.iter().flat_map(|l| [l.dst, l.dst_back]).chain(rows.iter().copied());
        if !is_line(len) || !steps.into_iter().all(is_line) {
            return None;
        }
        if inside.len() > 3 {
            return None;
        }
        let Walk { tile, inner, .. } = Walk::of(tile, inside);
        let out = Some(Out { rows, len, pitch, copy: copy_out(level) });
        Some(Walk { tile, inner, around: outer, out })
    }
}

/// Memory for a block, on lines.
#[repr(align(64))]
pub(super) struct Stage(pub(super) MaybeUninit<[u8; MOST_BYTES as usize]>);
