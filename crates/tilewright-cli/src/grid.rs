//! A small picture of a layout: where each element lies, padding marked.

use tilewright::IndexMap;

/// The largest grid that is drawn.
const MAX_ROWS: i64 = 24;
const MAX_COLUMNS: i64 = 24;
/// The longest memory that is drawn element by element.
const MAX_MEMORY: i64 = 128;

/// Offsets as a table, one row per index of the first dimension; padding is `x`. `None` where the
/// array has not one or two dimensions, or too many elements.
pub(crate) fn offsets(map: &IndexMap) -> Option<String> {
    let padded = map.padded_dims().unwrap_or_else(|| map.dims().to_vec());
    let (rows, columns) = match padded[..] {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => return None,
    };
    if map.elements() == 0 || rows > MAX_ROWS || columns > MAX_COLUMNS {
        return None;
    }
    let width = map.allocation().to_string().len();
    let cell = |row: i64, column: i64| {
        let index = if padded.len() == 1 { vec![column] } else { vec![row, column] };
        let text = map.offset(&index).map_or("x".to_owned(), |offset| offset.to_string());
        format!("{text:>width$}")
    };
    let line = |row| (0..columns).map(|column| cell(row, column)).collect::<Vec<_>>().join(" ");
    Some((0..rows).map(line).collect::<Vec<_>>().join("\n"))
}

/// Memory from the first element to the last: the row-major number of the element at each
/// offset; padding is `.`. `None` where it is too long.
pub(crate) fn memory(map: &IndexMap) -> Option<String> {
    if map.allocation() > MAX_MEMORY || map.elements() == 0 {
        return None;
    }
    let number = |offset: i64| {
        let index = map.index(offset).ok()??;
        Some(index.iter().zip(map.dims()).fold(0, |number, (i, size)| number * size + i))
    };
    let cell = |offset| number(offset).map_or(".".to_owned(), |number| number.to_string());
    Some((0..map.allocation()).map(cell).collect::<Vec<_>>().join(" "))
}
