//! Tables for people.

use std::borrow::Cow;
use std::io::{self, Write};

use tilewright::text::{acts, escaped};

pub(crate) use Align::{Left, Right};

/// On which side a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A cell longer than this is cut short.
const MAX_WIDTH: usize = 100;

/// The rows with each column as wide as its widest cell. The first row is the heading.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]], alignment: &[Align; N]) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write(&mut text, alignment, || rows.iter().map(<[String; N]>::each_ref));
    let text = String::from_utf8(text).unwrap_or_default();
    text.trim_end_matches('\n').to_owned()
}

/// Writes such a table. Its rows are asked for twice, for the widths and then for the lines, so that
/// there is never more than one of them.
pub(crate) fn write<const N: usize, Cell: AsRef<str>, Rows: Iterator<Item = [Cell; N]>>(
    out: &mut impl Write,
    alignment: &[Align; N],
    rows: impl Fn() -> Rows,
) -> io::Result<()> {
    let mut widths = [0; N];
    for row in rows() {
        for (width, cell) in widths.iter_mut().zip(&row) {
            *width = (*width).max(n_shown(cell.as_ref()));
        }
    }
    let mut line = String::new();
    for row in rows() {
        line.clear();
        for (column, cell) in row.iter().map(AsRef::as_ref).enumerate() {
            line.push_str(if column == 0 { "" } else { "  " });
            let blanks = widths[column].saturating_sub(n_shown(cell));
            push_padded(&mut line, cell, blanks, alignment[column]);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn push_padded(line: &mut String, cell: &str, blanks: usize, align: Align) {
    let (before, after) = match align {
        Align::Left => (0, blanks),
        Align::Right => (blanks, 0),
    };
    line.extend(std::iter::repeat_n(' ', before));
    line.push_str(&shown(cell));
    line.extend(std::iter::repeat_n(' ', after));
}

/// How many characters of a cell are shown, the mark among them.
fn n_shown(cell: &str) -> usize {
    shown(cell).chars().count()
}

/// As much of a cell as is shown, on one line whatever it holds, and a mark if that is not all.
fn shown(cell: &str) -> Cow<'_, str> {
    if cell.len() <= MAX_WIDTH && !cell.contains(acts) {
        return Cow::Borrowed(cell);
    }
    let cell = escaped(cell).to_string();
    match cell.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => Cow::Owned(format!("{}…", &cell[..end])),
        None => Cow::Owned(cell),
    }
}
