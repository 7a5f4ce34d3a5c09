//! A relayout as what moves: memory before, memory after, and the runs of elements that lie side by
//! side in both.

use super::places::{Places, joined};
use super::{grids, strip, words};
use crate::options::{Coloring, Error, Options, Room};
use crate::scene::{Cell, Fill, Kind, Mark, Panel, Scene, Tone, Words};
use crate::subject::Subject;

/// Elements are followed one by one up to this many, padding counted.
const MAX_ELEMENTS: i64 = 1024;

/// Arrows for more runs than this would hide what they lead to.
const MAX_ARROWS: usize = 8;

/// Elements that lie side by side before and after: what one copy moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    from: i64,
    to: i64,
    length: i64,
}

/// Memory of both layouts; with a frame as it is while that run moves, those before it done.
pub(crate) fn of(
    from: &Subject,
    to: &Subject,
    options: &Options,
    frame: Option<usize>,
) -> Result<(Scene, usize), Error> {
    if from.dims() != to.dims() {
        let message = format!("the dimensions differ: {:?} and {:?}", from.dims(), to.dims());
        return Err(Error(message));
    }
    let most = from.map.elements().max(from.map.allocation()).max(to.map.allocation());
    if most > MAX_ELEMENTS {
        let message = format!(
            "{most} elements are too many to be followed one by one, more than {MAX_ELEMENTS}"
        );
        return Err(Error(message));
    }
    let runs = runs(from, to)?;
    if let Some(frame) = frame.filter(|&frame| frame >= runs.len()) {
        return Err(Error(format!("there is no move {frame}: there are {}", runs.len())));
    }
    let room = Room { columns: (options.room.columns / 2).max(1), ..options.room };
    // What moves is drawn, however much is elided.
    let moving = frame.and_then(|frame| runs.get(frame));
    let near = |index: Option<Vec<i64>>| Options {
        room,
        near: index.or_else(|| options.near.clone()),
        ..options.clone()
    };
    let sides = match moving {
        Some(run) => [near(from.map.index(run.from)?), near(to.map.index(run.to)?)],
        None => [near(None), near(None)],
    };
    let [before, after] = [Places::new(from, &sides[0])?, Places::new(to, &sides[1])?];
    let colored = match from.is_tiled() || options.coloring != Coloring::Tile {
        true => &before,
        false => &after,
    };
    // Strips one above the other where all of memory fits into them, else rows of memory side by side.
    let strips = [&before, &after].map(|places| strip::of(places).filter(strip::is_whole));
    let mut rows = match strips {
        [Some(mut one), Some(mut other)] => {
            show([&mut one.cells, &mut other.cells], colored, &runs, frame);
            [one.caption, other.caption] = [from, to].map(caption);
            other.has_caption_below = true;
            let between = Words { text: String::new(), tone: Tone::Soft };
            vec![vec![Panel::Strip(one)], vec![Panel::Words(between)], vec![Panel::Strip(other)]]
        }
        _ => {
            let [mut one, mut other] = [&before, &after].map(grids::memory);
            show([&mut one.cells, &mut other.cells], colored, &runs, frame);
            [one.caption, other.caption] = [from, to].map(caption);
            vec![vec![Panel::Grid(one), Panel::Grid(other)]]
        }
    };
    if let Some(run) = frame.zip(moving) {
        let text = said_of(run, runs.len(), from)?;
        rows.push(vec![Panel::Words(Words { text, tone: Tone::Soft })]);
    }
    rows.extend(words::legend(colored).map(|legend| vec![legend]));
    let title = words::pair(from, "to", to);
    Ok((Scene { title, subtitle: subtitle(&runs), rows }, runs.len()))
}

/// The runs in the order of the memory after.
fn runs(from: &Subject, to: &Subject) -> Result<Vec<Run>, Error> {
    let mut runs: Vec<Run> = Vec::new();
    let first = to.first_offset();
    for place in 0..to.map.allocation() {
        let offset = first.saturating_add(place);
        let Some(index) = to.map.index(offset)? else { continue };
        let origin = from.map.offset(&index)?;
        match runs.last_mut() {
            Some(run) if run.to + run.length == offset && run.from + run.length == origin => {
                run.length += 1;
            }
            _ => runs.push(Run { from: origin, to: offset, length: 1 }),
        }
    }
    Ok(runs)
}

impl Run {
    fn place_in(self, start: i64, offset: i64) -> Option<i64> {
        (start..start + self.length).contains(&offset).then(|| offset - start)
    }
}

fn caption(subject: &Subject) -> String {
    format!("memory of {}", subject.said)
}

/// Gives elements the colour that they have in a layout, and shows which of them move.
fn show(
    [before, after]: [&mut [Cell]; 2],
    colored: &Places<'_>,
    runs: &[Run],
    frame: Option<usize>,
) {
    let cells = before.iter_mut().chain(after.iter_mut());
    for cell in cells.filter(|cell| cell.kind == Kind::Element) {
        if let Some(offset) = colored.subject.offset(&cell.index) {
            cell.fill = colored.colors.fill(&cell.index, offset);
        }
    }
    mark(before, after, runs, frame);
}

/// Marks the run that moves, and empties the places of those after it; without a frame, where each
/// run begins.
fn mark(before: &mut [Cell], after: &mut [Cell], runs: &[Run], frame: Option<usize>) {
    let moving: Vec<(usize, Run)> = match frame {
        Some(frame) => runs.iter().copied().enumerate().skip(frame).take(1).collect(),
        None if runs.len() <= MAX_ARROWS => runs.iter().copied().enumerate().collect(),
        None => Vec::new(),
    };
    let moved = frame.map_or(runs, |frame| &runs[..=frame]);
    let number_of = |offset: i64, start: fn(&Run) -> i64| {
        let found = moving.iter().find_map(|(number, run)| {
            run.place_in(start(run), offset).map(|place| (*number, place))
        });
        found.filter(|(_, place)| frame.is_some() || *place == 0)
    };
    // Several runs may begin at one place that elements share: its arrows have the number of the first.
    let first_of = |number: usize| {
        let from = runs.get(number).map(|run| run.from);
        moving.iter().find(|(_, run)| Some(run.from) == from).map_or(number, |(first, _)| *first)
    };
    for cell in before {
        if let Some((number, place)) = cell.offset.and_then(|at| number_of(at, |run| run.from)) {
            cell.mark = Mark::Leaves((place == 0).then_some(number));
        }
    }
    for cell in after.iter_mut().filter(|cell| cell.kind == Kind::Element) {
        let Some(offset) = cell.offset else { continue };
        if let Some((number, place)) = number_of(offset, |run| run.to) {
            cell.mark = Mark::Arrives((place == 0).then(|| first_of(number)));
        }
        if !moved.iter().any(|run| run.place_in(run.to, offset).is_some()) {
            cell.label = String::new();
            cell.fill = Fill::Plain;
        }
    }
}

/// `15 elements move in 9 runs of 1 to 2 side by side`.
fn subtitle(runs: &[Run]) -> String {
    let lengths = || runs.iter().map(|run| run.length);
    let elements = words::count(lengths().sum(), "element");
    let (Some(least), Some(most)) = (lengths().min(), lengths().max()) else {
        return format!("{elements}: nothing moves");
    };
    let each = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let n_runs = i64::try_from(runs.len()).unwrap_or(i64::MAX);
    let runs = words::count(n_runs, "run");
    format!("{elements} move in {runs} of {each} side by side")
}

fn said_of((frame, run): (usize, &Run), n_runs: usize, from: &Subject) -> Result<String, Error> {
    let index = from.map.index(run.from)?.unwrap_or_default();
    let elements = words::count(run.length, "element");
    Ok(format!(
        "run {} of {n_runs}: {elements} from ({}) on, offset {} to {}",
        frame + 1,
        joined(&index),
        run.from,
        run.to
    ))
}
