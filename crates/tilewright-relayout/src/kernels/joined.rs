//! Runs that follow each other in the destination but not in the source, streamed where they do not
//! begin at lines: what is left of one run and the beginning of the next make a line.

use super::place::{At, LINE, STREAMED, put};
use super::register::Register;
use super::runs::{Row, copy_cached};

/// How many runs ahead in the walk lines are asked for.
const RUNS_AHEAD: i64 = 4;

/// A line that is put together, and room for as much again behind it.
#[repr(align(64))]
struct Seam([u8; 2 * LINE]);

/// Copies runs, each of at least a line, that follow each other in the destination. The lines that
/// they fill together go past the caches; the first and the last bytes do not. `next` is where the
/// next row of runs begins.
///
/// # Safety
/// The processor has these registers; the bytes of all runs can be read and written, and the two
/// sides do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_joined<R: Register>(at: At, next: At, row: Row) {
    let mut seam = Seam([0; 2 * LINE]);
    let head = at.to_line();
    // How much of the seam is filled: bytes whose place is a line that begins before this run.
    let mut filled = 0;
    for run in 0..row.count {
        let here = at.plus(run * row.src, run * row.len as i64);
        let soon = match run + RUNS_AHEAD {
            later if later < row.count => at.plus(later * row.src, 0),
            later => next.plus((later - row.count) * row.src, 0),
        };
        let begin = if run == 0 { head } else { (LINE - filled) % LINE };
        // SAFETY: `begin` bytes and all lines after them are in the run, which has at least a
        // line; the line that ends with them began with the `filled` bytes before this run; what
        // is left is less than a line.
        unsafe {
            if run == 0 {
                copy_cached::<R>(here, begin);
            } else if begin > 0 {
                copy_cached::<R>(At { src: here.src, dst: seam.0[filled..].as_mut_ptr() }, begin);
                let line = At { src: seam.0.as_ptr(), dst: here.plus(0, -(filled as i64)).dst };
                stream_line::<R>(line);
            }
            let mut done = begin;
            while done + LINE <= row.len {
                let line = here.plus(done as i64, done as i64);
                soon.plus((done - begin) as i64, 0).prefetch_near();
                stream_line::<R>(line);
                done += LINE;
            }
            soon.plus((row.len - 1) as i64, 0).prefetch_near();
            filled = row.len - done;
            copy_cached::<R>(
                At { src: here.plus(done as i64, 0).src, dst: seam.0.as_mut_ptr() },
                filled,
            );
        }
    }
    let end = at.plus(0, row.count * row.len as i64 - filled as i64);
    // SAFETY: what is left of the last run belongs to its end.
    unsafe { copy_cached::<R>(At { src: seam.0.as_ptr(), dst: end.dst }, filled) };
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
