//! Grids whose rows in the destination follow each other, and do not begin on lines.
//!
//! A line that goes across the end of one destination row holds the last elements of a source
//! column and the first of the next. Begun where the destination's first line begins, and the rows
//! before that taken from the next column, the grid writes nothing but whole lines: it is the same
//! grid with its rows rotated, of one column less. What is left of the first column and of the last
//! is moved apart. With 4 rows, of which the first line begins at the third:
//!
//! ```text
//! destination   00 10 | 20 30 01 11 | 21 31 02 12 | 22 32      row and column
//! ```
//!
//! The rotated rows are 2, 3, 0 and 1, the last two a column further on.

use super::place::{At, LINE};
use crate::nest::Loop;

/// Of rows longer than this, the ends hardly matter.
const MAX_ROW: usize = 64 * LINE;

/// The two parts of a grid that are not in the rotated one: the first rows of the first column, and
/// the others of the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rotation {
    /// The rows before the destination's first line.
    pub(super) first: usize,
    /// The number of the last column.
    pub(super) last_column: usize,
}

impl Rotation {
    /// How a grid of elements of `unit` bytes, begun at `at` and at further places by `loops`
    /// around it, is rotated; `None` where it writes lines as it is, or would not.
    pub(super) fn of(
        rows: &[i64],
        columns: &[i64],
        loops: &[Loop],
        at: At,
        unit: usize,
    ) -> Option<Self> {
        let (head, row) = (at.to_line(), rows.len() * unit);
        let is_off = head > 0 && head.is_multiple_of(unit) && (head + 1..=MAX_ROW).contains(&row);
        let is_lines = |bytes: i64| bytes % LINE as i64 == 0;
        let are_lines = is_lines(row as i64) && loops.iter().all(|l| is_lines(l.dst * unit as i64));
        let follow = || columns.windows(2).all(|pair| pair[1] - pair[0] == row as i64);
        let last_column = columns.len().checked_sub(1).filter(|&last| last >= LINE / unit)?;
        (is_off && are_lines && follow()).then_some(Rotation { first: head / unit, last_column })
    }

    /// Rotates the rows, and leaves the last column out.
    pub(super) fn rotate(self, rows: &mut [i64], columns: &mut Vec<i64>, unit: usize) {
        rows.rotate_left(self.first);
        let n_rows = rows.len();
        rows[n_rows - self.first..].iter_mut().for_each(|row| *row += unit as i64);
        columns.truncate(self.last_column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bytes behind a line, the first line begins 62 bytes on: at row 31 of 64 rows of 2 bytes.
    #[test]
    fn rows_begin_where_lines_do() {
        let place = std::ptr::without_provenance_mut(2);
        let at = At { src: place, dst: place };
        let rows: Vec<i64> = (0..64).map(|row| row * 1000).collect();
        let mut columns: Vec<i64> = (0..40).map(|column| column * 128).collect();
        let of = |columns: &[i64], loops: &[Loop]| Rotation::of(&rows, columns, loops, at, 2);
        let rotation = Rotation { first: 31, last_column: 39 };
        assert_eq!(of(&columns, &[Loop { extent: 3, src: 1, dst: 64 }]), Some(rotation));
        assert_eq!(of(&columns, &[Loop { extent: 3, src: 1, dst: 65 }]), None, "other lines");
        assert_eq!(of(&columns[..32], &[]), None, "no square would be left");
        let mut apart = columns.clone();
        apart[20] += 64;
        assert_eq!(of(&apart, &[]), None, "rows that do not follow each other");
        let mut rotated = rows.clone();
        rotation.rotate(&mut rotated, &mut columns, 2);
        assert_eq!((rotated[0], rotated[32], rotated[33], rotated[63]), (31000, 63000, 2, 30002));
        assert_eq!(columns.len(), 39);
    }
}
