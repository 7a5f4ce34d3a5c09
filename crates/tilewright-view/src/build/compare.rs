//! Two layouts of one array, side by side.

use super::places::Places;
use super::{grids, strip, words};
use crate::options::{Error, Options};
use crate::scene::{Grid, Mark, Panel, Scene, Tone, Words};
use crate::subject::Subject;

/// Both grids, where they differ first and where else; below them both memories, an element in the
/// colour that it has in the first.
pub(crate) fn of(a: &Subject, b: &Subject, options: &Options) -> Result<Scene, Error> {
    if a.dims() != b.dims() {
        let message = format!("the dimensions differ: {:?} and {:?}", a.dims(), b.dims());
        return Err(Error(message));
    }
    let room = crate::options::Room { columns: options.room.columns / 2, ..options.room };
    let difference = a.map.first_difference(&b.map)?;
    let first = difference.as_ref().map(|difference| difference.index.clone());
    // Where they differ first is drawn, however much is elided.
    let at = options.at.clone().or_else(|| first.clone());
    let whole = Options { at, ..options.clone() };
    let half = Options { room, ..whole.clone() };
    let [half_a, half_b] = [Places::new(a, &half)?, Places::new(b, &half)?];
    let [of_a, of_b] = [Places::new(a, &whole)?, Places::new(b, &whole)?];
    let mut sides = Vec::new();
    for (places, other) in [(&half_a, b), (&half_b, a)] {
        let mut grids = Vec::new();
        for panel in grids::of_offsets(places).into_iter().flatten() {
            if let Panel::Grid(mut grid) = panel {
                if grid.caption == "the array" {
                    continue;
                }
                grid.caption = titled(&grid.caption, &places.subject.said.to_string());
                mark(&mut grid, other, first.as_deref());
                recolour(&mut grid, &of_a);
                grids.push(Panel::Grid(grid));
            }
        }
        sides.push(grids);
    }
    let mut rows = beside(sides);
    for places in [&of_a, &of_b] {
        if let Some(mut memory) = strip::of(places) {
            memory.caption = format!("memory of {}", places.subject.said);
            for cell in &mut memory.cells {
                recolour_cell(cell, &of_a);
            }
            rows.push(vec![Panel::Strip(memory)]);
        }
    }
    let words = match &difference {
        None => Words { text: "the same at every index".to_owned(), tone: Tone::Soft },
        Some(difference) => {
            let [x, y] = difference.offsets;
            let index = super::places::joined(&difference.index);
            let text =
                format!("first difference: ({index}) lies at {x} in one and at {y} in the other");
            Words { text, tone: Tone::Alarm }
        }
    };
    rows.push(vec![Panel::Words(words)]);
    let title = words::pair(a, "and", b);
    Ok(Scene { title, subtitle: words::subtitle(a), rows })
}

/// Each grid of one layout beside the same of the other.
fn beside(sides: Vec<Vec<Panel>>) -> Vec<Vec<Panel>> {
    let mut sides = sides.into_iter();
    let (left, right) = (sides.next().unwrap_or_default(), sides.next().unwrap_or_default());
    left.into_iter().zip(right).map(|(left, right)| vec![left, right]).collect()
}

fn titled(caption: &str, text: &str) -> String {
    if caption.starts_with('[') { format!("{text} {caption}") } else { text.to_owned() }
}

/// Marks what lies elsewhere in the other layout.
fn mark(grid: &mut Grid, other: &Subject, first: Option<&[i64]>) {
    for cell in &mut grid.cells {
        if !cell.index.is_empty()
            && other.is_data(&cell.index)
            && other.offset(&cell.index) != cell.offset
        {
            let is_first = first == Some(&cell.index[..]);
            cell.mark = if is_first { Mark::FirstDifference } else { Mark::Difference };
        }
    }
}

/// An element has the colour that it has in the first layout.
fn recolour(grid: &mut Grid, of_a: &Places<'_>) {
    grid.cells.iter_mut().for_each(|cell| recolour_cell(cell, of_a));
}

fn recolour_cell(cell: &mut crate::scene::Cell, of_a: &Places<'_>) {
    if of_a.subject.is_data(&cell.index)
        && cell.index.len() == of_a.subject.rank()
        && let Some(offset) = of_a.subject.offset(&cell.index)
    {
        cell.fill = of_a.colors.fill(&cell.index, offset);
    }
}
