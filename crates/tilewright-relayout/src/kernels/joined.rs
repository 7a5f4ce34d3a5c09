//! Runs that follow each other in the destination but not in the source, streamed where they do not
//! begin at lines: what is left of one run and the beginning of the next make a line.
//!
//! Several such rows of runs are written at once where their runs take turns in the source, as the
//! rows of a tile do, so that the source is walked straight on.

use super::place::{AHEAD, At, LINE, STREAMED, put};
use super::register::Register;
use super::runs::copy_cached;
use crate::nest::Loop;
use std::mem::MaybeUninit;

/// No more rows than this are written at once.
pub(super) const MAX_ROWS: usize = 64;

/// Where rows are written alone, how many runs ahead in the walk lines are asked for.
const RUNS_AHEAD: i64 = 4;

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

/// The line of each row that is not full yet.
#[repr(align(64))]
struct Seam(MaybeUninit<[u8; LINE]>);

impl Seam {
    #[inline(always)]
    fn at(&mut self, place: usize) -> *mut u8 {
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(place)
    }
}

/// Copies rows of runs. The lines that a row fills go past the caches; its first and last bytes do
/// not.
///
/// # Safety
/// The processor has these registers; the bytes of all runs can be read and written, and the two
/// sides do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_joined<R: Register>(at: At, runs: Rows) {
    let mut seams = [const { Seam(MaybeUninit::uninit()) }; MAX_ROWS];
    let together = runs.rows.extent * runs.rows.src;
    for run in 0..runs.count {
        let mut here = at.plus(run * runs.step, run * runs.len as i64);
        for (row, seam) in (0..runs.rows.extent).zip(&mut seams) {
            let ahead = match row * runs.rows.src + AHEAD as i64 {
                _ if runs.rows.extent == 1 => RUNS_AHEAD * runs.step,
                place if place < together => AHEAD as i64,
                // The next run of the first rows.
                _ => AHEAD as i64 + runs.step - together,
            };
            // SAFETY: a run of one of the rows, in the order of the row.
            unsafe { copy_run::<R>(here, runs.len, run == 0, ahead, seam) };
            here = here.plus(runs.rows.src, runs.rows.dst);
        }
    }
    let mut end = at.plus(0, runs.count * runs.len as i64);
    for seam in seams.iter_mut().take(runs.rows.extent as usize) {
        let filled = (end.dst as usize % LINE).min(runs.count as usize * runs.len);
        // SAFETY: what is left of the row are its last bytes.
        unsafe {
            let rest = At { src: seam.at(0), dst: end.plus(0, -(filled as i64)).dst };
            copy_cached::<R>(rest, filled);
        }
        end = end.plus(0, runs.rows.dst);
    }
}

/// Copies a run: the line that the run before it began, lines of its own, and into the seam what
/// begins a line more. The first run of a row has its beginning for itself.
///
/// # Safety
/// As [`copy_joined`], for a run of at least a line; unless it is the first of its row, the seam
/// has the bytes from the line's beginning on to the run's.
#[inline(always)]
unsafe fn copy_run<R: Register>(at: At, len: usize, is_first: bool, ahead: i64, seam: &mut Seam) {
    let begin = at.to_line();
    // SAFETY: `begin` bytes and all lines after them are in the run, as is what is left, which is
    // less than a line.
    unsafe {
        if is_first {
            copy_cached::<R>(at, begin);
        } else if begin > 0 {
            let filled = LINE - begin;
            copy_cached::<R>(At { src: at.src, dst: seam.at(filled) }, begin);
            stream_line::<R>(At { src: seam.at(0), dst: at.plus(0, -(filled as i64)).dst });
        }
        let mut done = begin;
        while done + LINE <= len {
            let line = at.plus(done as i64, done as i64);
            line.plus(ahead, 0).prefetch();
            stream_line::<R>(line);
            done += LINE;
        }
        at.plus(done as i64 + ahead, 0).prefetch();
        copy_cached::<R>(At { src: at.plus(done as i64, 0).src, dst: seam.at(0) }, len - done);
    }
}

/// # Safety
/// The processor has these registers; a line can be read and written, the latter at a multiple of
/// its length.
#[inline(always)]
unsafe fn stream_line<R: Register>(at: At) {
    for part in (0..LINE as i64).step_by(R::BYTES) {
        let at = at.plus(part, part);
        // SAFETY: the caller's promise; registers are no longer than a line.
        unsafe { put::<R, STREAMED>(R::load(at.src), at.dst) };
    }
}
