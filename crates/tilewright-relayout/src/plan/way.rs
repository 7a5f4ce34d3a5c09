//! By which way an array is moved: boxes where there are some, else through rows, else element by element.

use super::Plan;
use crate::beyond::beyond;
use crate::boxes::{BoxMoves, Counted};
use crate::error::{Error, Kind};
use crate::filled::Filled;
use crate::general::ElementMoves;
use crate::linear::worth_finding;
use crate::nest::{Loop, Nest, are_most};
use crate::overhang::Overhang;
use crate::placement::Placement;
use crate::refine::{MAX_BOXES, Refined, refine, refine_any};
use crate::swizzled::Swizzled;
use crate::through::Through;
use crate::widths::Widths;
use tilewright::IndexMap;
use tilewright::xla::Layout;

/// An array that goes neither in [`MAX_BOXES`] nor through rows may be as many boxes as this.
const MOST_BOXES: usize = 1 << 16;

/// Arrays of so many bytes go through rows where their elements lie alone in each of several boxes: below, the caches
/// hold them, and above, the rows might be more than there is memory for.
const THROUGH_ROWS: std::ops::RangeInclusive<usize> = 1 << 16..=1 << 30;

/// Arrays of so many bytes go through their tiles in rows, if their elements would be looked up or moved one by one and take more
/// than so many cycles for each line.
const THROUGH_TILES: std::ops::RangeFrom<usize> = 1 << 18..;
const SCATTERED: f64 = 9.0;

/// Elements that follow each other on both sides for as many bits are moved together.
const LEAST_RUN_BITS: i64 = 32;

/// The bytes of tiles that are put in rows at a time.
const TILES_BYTES: usize = 128 << 10;

/// How the elements are moved.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// The bytes stay as they are.
    Copy(BoxMoves),
    Boxes(BoxMoves),
    /// Through rows, to which and from which there are far fewer boxes: the plan to there and the
    /// plan from there.
    Through(Box<Through>),
    /// In boxes between what was swizzled.
    Swizzled(Box<Swizzled>),
    Elements(ElementMoves),
}

impl Way {
    pub(super) fn choose(from: &Placement, to: &Placement, widths: Widths) -> Result<Self, Error> {
        if let Some(swizzled) = Swizzled::new(from, to, widths) {
            return Ok(Way::Swizzled(Box::new(swizzled)));
        }
        let way = Self::choose_of(from, to, widths, Ends::Beyond)?;
        if !THROUGH_TILES.contains(&to.bytes()) {
            return Ok(way);
        }
        let cycles = way.scattered_cycles();
        let through = match cycles > SCATTERED {
            true => through_tiles(from, to, widths, cycles / 2.0)?,
            false => None,
        };
        Ok(through.map_or(way, |through| Way::Through(Box::new(through))))
    }

    /// About how many of the processor's cycles elements take for each line that are looked up or moved one by one.
    fn scattered_cycles(&self) -> f64 {
        match self {
            Way::Boxes(moves) => moves.scattered_cycles(),
            _ => 0.0,
        }
    }

    /// A way between the layouts as they are, in boxes of elements alone.
    pub(super) fn choose_linear(
        from: &Placement,
        to: &Placement,
        widths: Widths,
    ) -> Result<Self, Error> {
        Self::choose_of(from, to, widths, Ends::Exact)
    }

    /// The same, where boxes end so.
    fn choose_of(
        from: &Placement,
        to: &Placement,
        widths: Widths,
        ends: Ends,
    ) -> Result<Self, Error> {
        if let Some(boxes) = Boxes::of(from, to, widths, MAX_BOXES, ends) {
            let is_worth_rows = THROUGH_ROWS.contains(&to.bytes()) && boxes.are_scattered();
            let through = match is_worth_rows {
                true => {
                    through_rows(from, to, widths, |leg| !leg.stays && !leg.counted.lack_runs())?
                }
                false => None,
            };
            return Ok(through.unwrap_or_else(|| boxes.way(to)));
        }
        if let Some(through) = through_rows(from, to, widths, |_| true)? {
            return Ok(through);
        }
        // Those that it is worth while to find have been looked for, unless there are many.
        let are_more = worth_finding(from.map()) > MAX_BOXES;
        let more = || Boxes::of(from, to, widths, MOST_BOXES, ends);
        match are_more.then(more).flatten() {
            Some(boxes) => Ok(boxes.way(to)),
            None => Ok(Way::Elements(ElementMoves::new(from.map(), to.map(), widths))),
        }
    }

    pub(super) fn with_chunks_of(self, elements: i64, bytes: usize) -> Result<Self, Error> {
        Ok(match self {
            Way::Copy(moves) => Way::Copy(moves.with_chunks_of(elements)),
            Way::Boxes(moves) => Way::Boxes(moves.with_chunks_of(elements)),
            Way::Through(through) => Way::Through(Box::new(through.with_chunks_of(bytes)?)),
            Way::Swizzled(swizzled) => Way::Swizzled(Box::new(swizzled.with_chunks_of(elements))),
            Way::Elements(moves) => Way::Elements(moves),
        })
    }

    /// The number of chunks, and the bytes of each but the last.
    pub(super) fn chunks(&self, dst_bytes: usize) -> Result<(usize, usize), Error> {
        match self {
            Way::Copy(moves) | Way::Boxes(moves) => Ok((moves.n_chunks(), moves.chunk_bytes()?)),
            Way::Through(through) => Ok(through.chunks()),
            Way::Swizzled(swizzled) => swizzled.chunks(),
            Way::Elements(_) => Ok((usize::from(dst_bytes > 0), dst_bytes)),
        }
    }
}

/// Where the boxes of an array end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// Where its dimensions do.
    Exact,
    /// Where tiles do, [if that is worth it](beyond), or the rows of those if they [overhang](Overhang).
    Beyond,
}

/// The boxes that two maps come apart into, before anything is made that moves them.
struct Boxes {
    counted: Counted,
    /// Whether the bytes stay as they are.
    stays: bool,
}

impl Boxes {
    fn of(
        from: &Placement,
        to: &Placement,
        widths: Widths,
        max: usize,
        ends: Ends,
    ) -> Option<Self> {
        let is_injective = to.is_injective();
        let (from, to) = (from.map(), to.map());
        let mut exact =
            refine(from, to, is_injective).or_else(|| refine_any(from, to, is_injective, max))?;
        let refined = match ends {
            Ends::Exact => exact,
            Ends::Beyond => beyond(from, to, &exact, widths.to).unwrap_or_else(|| {
                exact.overhang = Overhang::of(from, to, &exact, widths);
                exact
            }),
        };
        let is_as_large = from.allocation() == to.allocation();
        let stays = is_as_large && stays_as_it_is(&refined, to, widths);
        Some(Boxes { counted: Counted::of(refined, widths), stays })
    }

    /// Whether most elements lie alone on one side, in several boxes.
    fn are_scattered(&self) -> bool {
        !self.stays && self.counted.are_scattered()
    }

    /// What moves them to there.
    fn way(self, to: &Placement) -> Way {
        let moves = BoxMoves::new(self.counted, to.map());
        if self.stays { Way::Copy(moves) } else { Way::Boxes(moves) }
    }
}

/// By way of rows, if both legs are of boxes and worth it.
fn through_rows(
    from: &Placement,
    to: &Placement,
    widths: Widths,
    is_worth_it: impl Fn(&Boxes) -> bool,
) -> Result<Option<Way>, Error> {
    let dims = from.map().dims();
    let rows = IndexMap::from_layout(dims, &Layout::descending(dims.len()));
    let rows = Placement::new(rows.map_err(|error| Error::new(Kind::Map(error)))?, widths.to)?;
    let onward = Widths { from: widths.to, ..widths };
    let leg = |from: &Placement, to: &Placement, widths: Widths| {
        Boxes::of(from, to, widths, MAX_BOXES, Ends::Exact).filter(&is_worth_it)
    };
    let Some(there) = leg(from, &rows, widths) else { return Ok(None) };
    let Some(on) = leg(&rows, to, onward) else { return Ok(None) };
    let there = Plan::of(from, &rows, widths, there.way(&rows))?;
    let on = Plan::of(&rows, to, onward, on.way(to))?;
    Ok(Some(Way::Through(Box::new(Through::new(there, on, None)?))))
}

/// By way of the tiles of a destination that few elements fill, if that is made in the caches, and looks up no more than takes so
/// many cycles for each line.
fn through_tiles(
    from: &Placement,
    to: &Placement,
    widths: Widths,
    most_cycles: f64,
) -> Result<Option<Through>, Error> {
    let Some(Filled { rows, all_rows, all, group }) = Filled::of(to.map(), widths.to) else {
        return Ok(None);
    };
    let refined = refine(from.map(), &rows, true);
    let Some(refined) = refined.filter(|refined| has_runs(refined, widths)) else {
        return Ok(None);
    };
    let there = Way::Boxes(BoxMoves::new(Counted::of(refined, widths), &rows));
    let placed = |map| Placement::new(map, widths.to);
    let (rows, all_rows, all) = (placed(rows)?, placed(all_rows)?, placed(all)?);
    // Padding may have bits that values have not.
    let onward = Widths { from: widths.to, to: widths.to, value: widths.to };
    let Some(on) = Boxes::of(&all_rows, &all, onward, MAX_BOXES, Ends::Exact) else {
        return Ok(None);
    };
    let on = on.way(&all);
    if there.scattered_cycles() + on.scattered_cycles() > most_cycles {
        return Ok(None);
    }
    let there = Plan::of(from, &rows, widths, there)?;
    let on = Plan::of(&all_rows, &all, onward, on)?.with_chunks_of(TILES_BYTES)?;
    let through = Through::new(there, on, Some(group))?;
    Ok(through.is_in_caches().then_some(through))
}

/// Whether most elements have others beside them on both sides.
fn has_runs(refined: &Refined, widths: Widths) -> bool {
    let value = i64::from(widths.value);
    let is_run =
        |l: &Loop| l.is_run() && l.extent > 1 && l.extent.saturating_mul(value) >= LEAST_RUN_BITS;
    are_most(&refined.boxes, |nest| nest.loops.iter().any(is_run))
}

/// Whether the destination is the source byte for byte. Bits left over in the last byte might
/// differ, so there must be none.
fn stays_as_it_is(refined: &Refined, to: &IndexMap, widths: Widths) -> bool {
    let has_padding = to.elements() != to.allocation();
    let fills_bytes = i128::from(to.allocation()) * i128::from(widths.to) % 8 == 0;
    let stays = refined.is_injective && refined.boxes.iter().all(Nest::stays);
    widths.are_equal() && !has_padding && fills_bytes && stays
}
