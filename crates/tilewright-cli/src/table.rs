//! Tables for people.

use tilewright::text::escaped;

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
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| std::array::from_fn(|column| shortened(&row[column]))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |row: &[String; N]| {
        let cells: [String; N] =
            std::array::from_fn(|column| padded(&row[column], widths[column], alignment[column]));
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// On one line, whatever the text holds.
fn shortened(cell: &str) -> String {
    let cell = escaped(cell).to_string();
    match cell.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell,
    }
}

fn padded(cell: &str, width: usize, align: Align) -> String {
    let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
    match align {
        Align::Left => format!("{cell}{blanks}"),
        Align::Right => format!("{blanks}{cell}"),
    }
}
