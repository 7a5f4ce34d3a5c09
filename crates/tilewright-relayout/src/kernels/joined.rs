//! Runs that follow each other in the destination but not in the source, streamed where they do not
//! begin at lines: the end of one run and the beginning of the next make a line.
//!
//! Several such rows of runs are written at once where their runs take turns in the source, as the
//! rows of a tile do, so that the source is walked straight on.

use super::copies::copy_line;
use super::place::{AHEAD, At, LINE, STREAMED, put};
use super::register::Register;
use super::runs::copy_cached;
use crate::nest::Loop;

/// No more rows than this are written at once.
pub(super) const MAX_ROWS: usize = 256;

/// Rows of runs. Distances are in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// The length of a run, at least a line.
    pub(super) len: usize,
    /// The runs of a row.
    pub(super) count: i64,
    /// From one run of a row to the next in the source.
    pub(super) step: i64,
    /// From one row to the next, at most [`MAX_ROWS`].
    pub(super) rows: Loop,
}

/// Copies rows of runs. The lines that a row fills go past the caches; its first and last bytes do
/// not.
///
/// # Safety
/// The processor has these registers; the bytes of all runs can be read and written, and the two
/// sides do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_joined<R: Register>(at: At, runs: Rows) {
    let len = runs.len as i64;
    // What is read ahead are runs of the same row: as many as make so many bytes of all rows.
    let a_turn = len * runs.rows.extent;
    let ahead = (AHEAD as i64 + a_turn - 1) / a_turn * runs.step;
    for run in 0..runs.count {
        let mut here = at.plus(run * runs.step, run * len);
        for _ in 0..runs.rows.extent {
            let before = match run {
                0 => std::ptr::null(),
                _ => here.plus(len - runs.step, 0).src,
            };
            // SAFETY: a run of one of the rows, and the end of the one before.
            unsafe { copy_run::<R>(here, runs.len, before, ahead) };
            here = here.plus(runs.rows.src, runs.rows.dst);
        }
    }
    let mut end = at.plus((runs.count - 1) * runs.step + len, runs.count * len);
    for _ in 0..runs.rows.extent {
        let left = end.dst as usize % LINE;
        let rest = -(left as i64);
        // SAFETY: what is left of the row are the last bytes of its last run, which has at least a line.
        unsafe { copy_cached::<R>(end.plus(rest, rest), left) };
        end = end.plus(runs.rows.src, runs.rows.dst);
    }
}

/// Copies a run: the line that begins in the run before it, which ends at `before`, and lines of its own. What begins a line
/// more is left to the next one. The first run of a row, before which there is none, has its beginning for itself.
///
/// # Safety
/// As [`copy_joined`], for a run of at least a line, as the one before is.
#[inline(always)]
unsafe fn copy_run<R: Register>(at: At, len: usize, before: *const u8, ahead: i64) {
    let begin = at.to_line();
    // SAFETY: `begin` bytes and all lines after them are in the run, and the rest of the line in the one before.
    unsafe {
        if before.is_null() {
            copy_cached::<R>(at, begin);
        } else if begin > 0 {
            let there = LINE - begin;
            let line = at.plus(-(there as i64), -(there as i64));
            stream_joined::<R>(before.wrapping_sub(there), line, there);
        }
        let mut done = begin;
        while done + LINE <= len {
            let line = at.plus(done as i64, done as i64);
            line.plus(ahead, 0).prefetch();
            copy_line::<R, STREAMED>(line.src, line.dst);
            done += LINE;
        }
        at.plus(done as i64 + ahead, 0).prefetch();
    }
}

/// Streams a line of which the first `there` bytes are elsewhere.
///
/// # Safety
/// The processor has these registers. So many bytes can be read at `first` and the others at the line's own place, and the
/// line be written at a multiple of its length.
#[inline(always)]
unsafe fn stream_joined<R: Register>(first: *const u8, line: At, there: usize) {
    let mut part = 0;
    while part < LINE {
        let at = line.plus(part as i64, part as i64);
        let from = first.wrapping_add(part);
        // SAFETY: the caller's promise; each register is read where its bytes are.
        unsafe {
            let bytes = match there.saturating_sub(part) {
                0 => R::load(at.src),
                left if left >= R::BYTES => R::load(from),
                left => R::load_joined(from, at.src, left),
            };
            put::<R, STREAMED>(bytes, at.dst);
        }
        part += R::BYTES;
    }
}
