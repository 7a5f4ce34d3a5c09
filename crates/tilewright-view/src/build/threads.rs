//! A thread-value layout as the tile that its threads share out.
//!
//! Such a layout leads from a thread and a number of value to a place of a tile: `(4,2):(2,1)` gives
//! thread `t` the places `2t` and `2t + 1`. The places of a tile of M × N are counted down its columns,
//! as everywhere in CuTe, so that place `p` is row `p mod M`, column `p div M`. What one wants to see is
//! the other direction: whose each place is.

use super::places::Places;
use crate::axis::Axis;
use crate::options::{Coloring, Error};
use crate::scene::{Cell, Grid, Kind, Panel};

/// The tile with the thread and the value in each place; nothing where colours are not threads.
///
/// # Errors
/// If the tile has other places than the layout leads to.
pub(crate) fn of(places: &Places<'_>) -> Result<Option<Vec<Vec<Panel>>>, Error> {
    if places.options.coloring != Coloring::Thread {
        return Ok(None);
    }
    let map = &places.subject.map;
    let allocation = map.allocation();
    let [n_rows, n_columns] = match places.options.tile {
        None => [allocation, 1],
        Some([rows, columns])
            if rows > 0 && columns > 0 && rows.checked_mul(columns) == Some(allocation) =>
        {
            [rows, columns]
        }
        Some([rows, columns]) => {
            return Err(Error(format!(
                "a tile of {rows} × {columns} has other places than the {allocation} that the layout leads to"
            )));
        }
    };
    let room = places.options.room;
    let rows = Axis::new(n_rows, n_rows, &[], room.rows);
    let columns = Axis::new(n_columns, n_columns, &[], room.columns);
    let mut cells = Vec::new();
    for row in &rows.slots {
        for column in &columns.slots {
            cells.push(match (row.index(), column.index()) {
                (Some(row), Some(column)) => whose(places, row + column * n_rows),
                _ => super::places::gap(),
            });
        }
    }
    let caption = "the tile: whose each place is".to_owned();
    let tile = Grid { caption, rows, columns, has_row_labels: true, cells, outlined: None };
    Ok(Some(vec![vec![Panel::Grid(tile)]]))
}

/// `T3 V1`: value 1 of thread 3 is at this place.
fn whose(places: &Places<'_>, place: i64) -> Cell {
    let offset = places.subject.first_offset() + place;
    let cell = places.at_offset(offset);
    let label = match (cell.kind, cell.index.as_slice()) {
        (Kind::Element, [thread, value]) => format!("T{thread} V{value}"),
        _ => String::new(),
    };
    Cell { label, ..cell }
}
