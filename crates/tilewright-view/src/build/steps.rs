//! A layout as pad, reshape and transpose, a picture a step.

use tilewright::notation::Described;
use tilewright::xla::{Step, TilingProgram};
use tilewright::{ArrayShape, Shape};

use super::grids::unravelled;
use super::places::Places;
use super::words;
use crate::axis::Axis;
use crate::options::{Error, Options};
use crate::scene::{Cell, Grid, Kind, Panel, Scene, Tone, Words};
use crate::subject::Subject;

/// Elements are followed one by one up to this many, padding counted.
const MAX_ELEMENTS: i64 = 256;

/// Grids stand side by side up to about this many letters.
const MAX_LETTERS_ACROSS: usize = 140;

/// The array, and what it is after each step; the last is memory. Or one of these alone.
pub(crate) fn of(
    subject: &Subject,
    options: &Options,
    only: Option<usize>,
) -> Result<Scene, Error> {
    let array = tiled(&subject.said)?;
    if subject.map.allocation() > MAX_ELEMENTS || subject.map.elements() > MAX_ELEMENTS {
        let all = subject.map.allocation();
        let message =
            format!("{all} elements are too many to be followed, more than {MAX_ELEMENTS}");
        return Err(Error(message));
    }
    let places = Places::new(subject, options)?;
    let captions = captions(array)?;
    if let Some(step) = only.filter(|&step| step >= captions.len()) {
        return Err(Error(format!("there is no step {step}: there are {}", captions.len())));
    }
    let mut rows = Vec::new();
    let shown = captions.into_iter().enumerate();
    for (number, caption) in shown.filter(|(number, _)| only.is_none_or(|only| only == *number)) {
        let (sizes, cells) = after(array, number, &places)?;
        rows.push(vec![Panel::Words(Words { text: caption, tone: Tone::Heading })]);
        rows.extend(grids(&sizes, &cells));
    }
    let title = subject.said.to_string();
    Ok(Scene { title, subtitle: words::subtitle(subject), rows })
}

/// What tiles are of.
pub(crate) fn tiled(said: &Described) -> Result<&ArrayShape, Error> {
    match said {
        Described::Xla(Shape::Array(array) | Shape::Buffer(array)) => Ok(array),
        _ => Err(Error("only layouts in XLA's notation come about by tiles".to_owned())),
    }
}

/// What each picture is, in the words of the document.
pub(crate) fn captions(array: &ArrayShape) -> Result<Vec<String>, Error> {
    let program = TilingProgram::of(array)?;
    let listed = |sizes: &[i64]| format!("[{}]", super::places::joined(sizes));
    let mut captions = vec![format!("the array {}", listed(program.dims()))];
    captions.extend(program.steps().map(|step| match step {
        Step::Pad(sizes) => format!("pad to {}", listed(sizes)),
        Step::Reshape(sizes) => format!("reshape to {}", listed(sizes)),
        Step::Transpose(permutation) => {
            let order: Vec<String> = permutation.iter().map(usize::to_string).collect();
            format!("transpose by ({})", order.join(","))
        }
    }));
    Ok(captions)
}

/// The array after so many steps: its sizes, and a cell for each place in row-major order.
fn after(
    array: &ArrayShape,
    n_steps: usize,
    places: &Places<'_>,
) -> Result<(Vec<i64>, Vec<Cell>), Error> {
    let dims = array.sizes()?;
    let elements: i64 = dims.iter().product();
    let cell = |linear: i64| places.with_index(unravelled(linear, &dims));
    let padding = Cell { kind: Kind::Padding, ..super::places::gap() };
    let start: Vec<Cell> = (0..elements).map(cell).collect();
    let states = TilingProgram::of(array)?.states(&start, padding)?;
    states.into_iter().nth(n_steps).ok_or_else(|| Error("there is no such step".to_owned()))
}

/// The last two dimensions as a grid for each index along the others, so many side by side that they
/// can be seen at once.
fn grids(sizes: &[i64], cells: &[Cell]) -> Vec<Vec<Panel>> {
    if cells.is_empty() {
        let words = Words { text: "no elements".to_owned(), tone: Tone::Soft };
        return vec![vec![Panel::Words(words)]];
    }
    let split = sizes.len().saturating_sub(2);
    let (outer, inner) = sizes.split_at(split);
    let size =
        |from_end: usize| inner.len().checked_sub(from_end).and_then(|at| inner.get(at)).copied();
    let (n_rows, n_columns) = (size(2).unwrap_or(1), size(1).unwrap_or(1));
    let each = usize::try_from(n_rows * n_columns).unwrap_or(1).max(1);
    let n_grids = cells.len() / each;
    let whole = |size: i64| Axis::new(size, size, &[], usize::MAX);
    let panels: Vec<Panel> = (0..n_grids)
        .map(|number| {
            let prefix = unravelled(i64::try_from(number).unwrap_or(0), outer);
            let caption = match outer.is_empty() {
                true => String::new(),
                false => format!("[{},·,·]", super::places::joined(&prefix)),
            };
            let cells = cells.get(number * each..(number + 1) * each).unwrap_or_default().to_vec();
            let (rows, columns) = (whole(n_rows), whole(n_columns));
            Panel::Grid(Grid {
                caption,
                rows,
                columns,
                has_row_labels: inner.len() > 1,
                cells,
                outlined: None,
            })
        })
        .collect();
    let letters = cells.iter().map(|cell| cell.label.chars().count()).max().unwrap_or(0).max(2) + 2;
    let across = usize::try_from(n_columns).unwrap_or(1).saturating_mul(letters).saturating_add(6);
    let room = (MAX_LETTERS_ACROSS / across).max(1);
    let innermost = outer.last().and_then(|&size| usize::try_from(size).ok()).unwrap_or(1).max(1);
    let whole = innermost * (room / innermost);
    let beside = if n_grids <= room { n_grids } else { whole.max(room.min(innermost)) };
    panels.chunks(beside).map(<[Panel]>::to_vec).collect()
}
