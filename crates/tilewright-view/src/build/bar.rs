//! Memory as a whole: how much of each tile is data.

use super::grids::unravelled;
use super::places::{Places, joined};
use super::words::{padding_bytes, percent, sized};
use crate::scene::{Bar, Fill, Segment};

/// Up to this many tiles have a segment each.
const MAX_SEGMENTS: i64 = 64;

/// Up to this many have a label.
const MAX_LABELS: usize = 12;

/// The bar, where there is padding to be seen.
pub(crate) fn of(places: &Places<'_>) -> Option<Bar> {
    let map = &places.subject.map;
    let (elements, allocation) = (map.elements(), map.allocation());
    if elements >= allocation || elements == 0 {
        return None;
    }
    let padding = allocation - elements;
    let share = percent(padding, allocation);
    let caption = match places.subject.bits() {
        Some(bits) => {
            let [all, data] = [allocation, elements].map(|n| sized(n, bits));
            let none = padding_bytes(places.subject, bits);
            format!("{all} bytes: {data} of data, {none} of padding ({share} %)")
        }
        None => {
            format!("{allocation} places: {elements} of elements, {padding} of padding ({share} %)")
        }
    };
    let segments = tiles(places).unwrap_or_else(|| {
        let data = elements as f64 / allocation as f64;
        vec![Segment { label: String::new(), share: 1.0, data, fill: Fill::Group(0) }]
    });
    Some(Bar { caption, segments })
}

/// A segment for each tile, in the order of memory; `None` where tiles are not in one piece, or are
/// too many.
fn tiles(places: &Places<'_>) -> Option<Vec<Segment>> {
    let subject = places.subject;
    let counts: Vec<i64> = (0..subject.rank()).map(|dim| subject.n_tiles(dim)).collect();
    let n_tiles = counts.iter().try_fold(1i64, |n, &count| n.checked_mul(count))?;
    let volume = subject.tile_elements();
    let fills_memory = n_tiles.checked_mul(volume) == Some(subject.map.allocation());
    if !subject.is_tiled() || n_tiles > MAX_SEGMENTS || !fills_memory {
        return None;
    }
    let mut found = Vec::new();
    for number in 0..n_tiles {
        let tile = unravelled(number, &counts);
        let begin: Vec<i64> =
            tile.iter().enumerate().map(|(dim, n)| n * subject.tile(dim)).collect();
        let offset = subject.offset(&begin)?;
        if offset % volume != 0 {
            return None;
        }
        let data: i64 = begin
            .iter()
            .enumerate()
            .map(|(dim, begin)| (subject.dims()[dim] - begin).clamp(0, subject.tile(dim)))
            .product();
        let label = format!("tile {}", joined(&tile));
        let (share, data) = (1.0 / n_tiles as f64, data as f64 / volume as f64);
        found.push((
            offset,
            Segment { label, share, data, fill: places.colors.fill(&begin, offset) },
        ));
    }
    found.sort_by_key(|(offset, _)| *offset);
    let mut segments: Vec<Segment> = found.into_iter().map(|(_, segment)| segment).collect();
    if segments.len() > MAX_LABELS {
        segments.iter_mut().for_each(|segment| segment.label.clear());
    }
    Some(segments)
}
