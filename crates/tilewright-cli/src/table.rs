//! Tables for people.

pub(crate) use Align::{Left, Right};

/// On which side a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// The rows with each column as wide as its widest cell. The first row is the heading.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]], alignment: &[Align; N]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |row: &[String; N]| {
        let cells: Vec<String> = std::array::from_fn::<_, N, _>(|column| {
            let (cell, width) = (&row[column], widths[column]);
            match alignment[column] {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            }
        })
        .to_vec();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
