//! The grid of an array, or the grids of its slices; and memory in rows.

use super::places::{Places, gap};
use crate::axis::{Axis, Slot};
use crate::scene::{Cell, Fill, Grid, Kind, Overview, Panel};

/// Of the dimensions before the last two, so many slices are drawn along each side.
const SLICES: usize = 3;

/// A cell for each element at its place in the array, the offset in it. Beside it, of a small array,
/// the array itself in letters; of one that is elided, all tiles.
pub(crate) fn of_offsets(places: &Places<'_>) -> Vec<Vec<Panel>> {
    let rank = places.subject.rank();
    if rank > 2 {
        return slices(places);
    }
    let mut offsets =
        grid(places, &[], "the offset of each element", |index| places.with_offset(index));
    mark_repeats(std::slice::from_mut(&mut offsets));
    if places.has_letters() {
        let letters = grid(places, &[], "the array", |index| places.with_index(index));
        return vec![vec![Panel::Grid(letters), Panel::Grid(offsets)]];
    }
    let is_elided = [&offsets.rows, &offsets.columns]
        .iter()
        .any(|axis| axis.slots.iter().any(|slot| slot.index().is_none()));
    offsets.caption = String::new();
    let overview = overview(places).filter(|_| is_elided && places.subject.is_tiled());
    let panels = [Some(Panel::Grid(offsets)), overview.map(Panel::Overview)];
    vec![panels.into_iter().flatten().collect()]
}

/// The last two dimensions as a grid for each of the indices along the others, the last of these
/// side by side.
fn slices(places: &Places<'_>) -> Vec<Vec<Panel>> {
    let (outer, _) = places.subject.padded().split_at(places.subject.rank() - 2);
    let (down, along) = outer.split_at(outer.len() - 1);
    let product = |sizes: &[i64]| sizes.iter().fold(1i64, |n, &size| n.saturating_mul(size));
    let data = |n: usize| product(&places.subject.dims()[..n]);
    let at = places.near();
    let at_row = at.and_then(|at| at.get(..down.len())).map(|at| linear(at, down));
    let at_column = at.and_then(|at| at.get(down.len())).copied();
    let rows = Axis::with(at_row, data(down.len()), product(down), &[], SLICES);
    let n_along = along.first().copied().unwrap_or(1);
    let columns = Axis::with(at_column, n_along, n_along, &[], SLICES);
    let mut grids = Vec::new();
    for row in rows.indices() {
        for column in columns.indices() {
            let prefix = [unravelled(row, down), vec![column]].concat();
            let caption = format!("[{},·,·]", super::places::joined(&prefix));
            grids.push(grid(places, &prefix, &caption, |index| places.with_offset(index)));
        }
    }
    mark_repeats(&mut grids);
    let n_columns = columns.indices().count().max(1);
    let rows = grids.chunks(n_columns);
    rows.map(|row| row.iter().cloned().map(Panel::Grid).collect()).collect()
}

/// The last two dimensions of an array, those before at these indices.
fn grid(
    places: &Places<'_>,
    prefix: &[i64],
    caption: &str,
    cell: impl Fn(Vec<i64>) -> Cell,
) -> Grid {
    let subject = places.subject;
    let rank = subject.rank();
    let room = places.options.room;
    let (n_columns, n_rows) = match rank {
        0..=2 => (room.columns, room.rows),
        _ => (room.columns / 2, room.rows / SLICES),
    };
    let axis = |dim: Option<usize>, room: usize| match dim {
        Some(dim) => {
            let at = places.near().and_then(|at| at.get(dim)).copied();
            let (data, padded) = (subject.dims()[dim], subject.padded()[dim]);
            Axis::with(at, data, padded, subject.cuts(dim), room)
        }
        None => Axis::new(1, 1, &[], room),
    };
    let columns = axis(rank.checked_sub(1), n_columns);
    let rows = axis(rank.checked_sub(2), n_rows);
    let mut cells = Vec::new();
    for row in &rows.slots {
        for column in &columns.slots {
            cells.push(match (row.index(), column.index()) {
                (Some(row), Some(column)) => {
                    let last = [row, column];
                    let last = last.get(2usize.saturating_sub(rank)..).unwrap_or_default();
                    cell([prefix, last].concat())
                }
                _ => gap(),
            });
        }
    }
    Grid {
        caption: caption.to_owned(),
        rows,
        columns,
        has_row_labels: rank > 1,
        cells,
        outlined: None,
    }
}

/// Memory in rows of what its minor dimensions hold, the index of each element in its place.
pub(crate) fn memory(places: &Places<'_>) -> Grid {
    let map = &places.subject.map;
    let width = row_of_memory(map.physical_dims(), places.options.room.columns as i64);
    let n_rows = map.allocation() / width + i64::from(map.allocation() % width != 0);
    let first = places.subject.first_offset();
    let at = places.near_place();
    let rows = Axis::with(at.map(|at| at / width), n_rows, n_rows, &[], places.options.room.rows);
    let columns =
        Axis::with(at.map(|at| at % width), width, width, &[], places.options.room.columns);
    let mut cells = Vec::new();
    for row in &rows.slots {
        for column in &columns.slots {
            cells.push(match (row, column) {
                (Slot::Place { index: row, .. }, Slot::Place { index: column, .. }) => {
                    let place = row.saturating_mul(width).saturating_add(*column);
                    match place < map.allocation() {
                        true => places.at_offset(first.saturating_add(place)),
                        false => gap(),
                    }
                }
                _ => gap(),
            });
        }
    }
    let caption = format!("memory, {width} elements a row: the index of each");
    Grid { caption, rows, columns, has_row_labels: true, cells, outlined: None }
}

/// The elements of a row: as many of the minor physical dimensions as there is room for.
fn row_of_memory(physical: &[i64], room: i64) -> i64 {
    let mut width = 1i64;
    for &size in physical.iter().rev() {
        match width.checked_mul(size) {
            Some(wider) if wider <= room => width = wider.max(1),
            _ if width == 1 => return size.clamp(1, room.max(1)),
            _ => break,
        }
    }
    width
}

/// The second and further of the elements that share a place are repeats.
fn mark_repeats(grids: &mut [Grid]) {
    let mut seen = std::collections::HashSet::new();
    for cell in grids.iter_mut().flat_map(|grid| &mut grid.cells) {
        if let (Kind::Element, Some(offset)) = (cell.kind, cell.offset)
            && !seen.insert(offset)
        {
            cell.kind = Kind::Repeat;
        }
    }
}

/// Up to this many tiles along a side are drawn one by one.
const MAX_TILES: i64 = 64;

/// All tiles of the last two dimensions at scale.
pub(crate) fn overview(places: &Places<'_>) -> Option<Overview> {
    let subject = places.subject;
    let rank = subject.rank();
    let last_two = |of: &dyn Fn(usize) -> i64| {
        [rank.checked_sub(2), rank.checked_sub(1)].map(|dim| dim.map_or(1, of))
    };
    let padded = last_two(&|dim| subject.padded()[dim]);
    let data = last_two(&|dim| subject.dims()[dim]);
    let tile = last_two(&|dim| subject.tile(dim));
    let n_tiles = last_two(&|dim| subject.n_tiles(dim));
    if padded.contains(&0) {
        return None;
    }
    let fill = |row: i64, column: i64| {
        let last = [row * tile[0], column * tile[1]];
        let last = last.get(2usize.saturating_sub(rank)..).unwrap_or_default();
        let index = [&vec![0; rank.saturating_sub(2)], last].concat();
        subject.offset(&index).map_or(Fill::Plain, |offset| places.colors.fill(&index, offset))
    };
    let is_small = n_tiles.iter().all(|&count| count <= MAX_TILES);
    let fills = match is_small {
        true => (0..n_tiles[0])
            .flat_map(|r| (0..n_tiles[1]).map(move |c| (r, c)))
            .map(|(r, c)| fill(r, c))
            .collect(),
        false => Vec::new(),
    };
    let [padded, data, tile] = [padded, data, tile].map(|sizes| sizes.map(|size| size as f64));
    Some(Overview { padded, data, tile, fills })
}

/// The place of an index in row-major order.
pub(crate) fn linear(index: &[i64], sizes: &[i64]) -> i64 {
    let step = |n: i64, (i, size): (&i64, &i64)| n.saturating_mul(*size).saturating_add(*i);
    index.iter().zip(sizes).fold(0, step)
}

/// The index that has this place in row-major order.
pub(crate) fn unravelled(linear: i64, sizes: &[i64]) -> Vec<i64> {
    let mut rest = linear;
    let mut index = vec![0; sizes.len()];
    for (part, &size) in index.iter_mut().zip(sizes).rev() {
        *part = rest % size.max(1);
        rest /= size.max(1);
    }
    index
}
