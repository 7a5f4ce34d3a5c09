//! What a column of an array costs in banked memory, without its swizzle and with it.

use tilewright::algebra::{Composition, Outer};
use tilewright::map::{Access, Banks};
use tilewright::notation::Described;

use super::grids;
use super::places::Places;
use crate::options::{Coloring, Error, Options};
use crate::scene::{Fill, Grid, Hits, Panel};
use crate::subject::Subject;

/// The column that is read where nobody points at one: one that is not the first looks like any.
const COLUMN: i64 = 2;

/// More rows and banks than this are not drawn as an access.
const MAX_ROWS: i64 = 64;
const MAX_BANKS: i64 = 32;

/// The grids of a swizzled layout without its swizzle and with it, or of another layout alone; a column
/// is outlined, and below stands how often each bank is hit when it is read at once. Nothing where
/// colours are not banks, or there is no column to be read.
pub(crate) fn of(places: &Places<'_>) -> Result<Option<Vec<Vec<Panel>>>, Error> {
    let subject = places.subject;
    let Coloring::Bank { banks, bytes } = places.options.coloring else { return Ok(None) };
    let is_small = subject.rank() == 2 && (2..=MAX_ROWS).contains(&subject.dims()[0]);
    if !is_small || subject.dims()[1] == 0 || banks > MAX_BANKS {
        return Ok(None);
    }
    let plain = without_swizzle(&subject.said).map(Subject::of).transpose()?;
    let mut grids = Vec::new();
    let mut all_hits = Vec::new();
    let sides = plain.iter().chain([subject]);
    for side in sides {
        let column = column(places.options.at.as_deref(), side);
        let options = Options { at: None, near: Some(vec![0, column]), ..places.options.clone() };
        let mut grid = plain_grid(&Places::new(side, &options)?)?;
        grid.caption = side.said.to_string();
        grid.outlined = grid.columns.slots.iter().position(|slot| slot.index() == Some(column));
        all_hits.push(Panel::Hits(hits(side, column, banks, bytes)?));
        grids.push(Panel::Grid(grid));
    }
    Ok(Some(vec![grids, all_hits]))
}

/// The layout that a swizzle is put over.
fn without_swizzle(said: &Described) -> Option<Described> {
    let Described::Tla(typed) = said else { return None };
    let Composition::Composed(composed) = &typed.layout else { return None };
    let Outer::Swizzle(_) = composed.outer() else { return None };
    let mut plain = typed.clone();
    plain.layout = Composition::Layout(composed.inner().clone());
    Some(Described::Tla(plain))
}

fn column(at: Option<&[i64]>, subject: &Subject) -> i64 {
    let pointed = at.and_then(|at| at.get(1)).copied();
    pointed.unwrap_or_else(|| COLUMN.min(subject.dims()[1] - 1).max(0))
}

fn plain_grid(places: &Places<'_>) -> Result<Grid, Error> {
    let panels = grids::of_offsets(places).into_iter().flatten();
    let mut grids = panels.filter_map(|panel| match panel {
        Panel::Grid(grid) => Some(grid),
        _ => None,
    });
    grids.next_back().ok_or_else(|| Error("there are no elements".to_owned()))
}

/// How often each bank is hit by a column, and in how many turns it is read.
fn hits(subject: &Subject, column: i64, banks: i64, bytes: i64) -> Result<Hits, Error> {
    let bits = subject.bits().unwrap_or(8);
    let rows = 0..subject.dims()[0];
    let offsets: Vec<i64> = rows.filter_map(|row| subject.offset(&[row, column])).collect();
    let small = |number: i64| {
        u32::try_from(number)
            .map_err(|_| Error(format!("{number} is too many for a picture of banks")))
    };
    let banked = Banks {
        banks: small(banks)?,
        bank_bits: small(bytes)?.saturating_mul(8),
        threads: small(offsets.len() as i64)?,
    };
    let conflicts = Access::new(offsets.clone(), bits, 1)?.bank_conflicts(&banked)?;
    let mut counts = vec![0usize; usize::try_from(banks).unwrap_or(0)];
    for offset in &offsets {
        let byte = i128::from(*offset) * i128::from(bits) / 8;
        let bank = (byte / i128::from(bytes)).rem_euclid(i128::from(banks));
        if let Some(count) = usize::try_from(bank).ok().and_then(|bank| counts.get_mut(bank)) {
            *count += 1;
        }
    }
    let turns = conflicts.wavefronts;
    let n_hit = counts.iter().filter(|&&count| count > 0).count();
    let reads = offsets.len();
    let plural =
        |n: usize, one: &str| if n == 1 { format!("{n} {one}") } else { format!("{n} {one}s") };
    let turns_said = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
    let text = format!("column {column}: {reads} reads of {}, {turns_said}", plural(n_hit, "bank"));
    let counts =
        counts.into_iter().enumerate().map(|(bank, count)| (Fill::Ramp(bank % 8), count)).collect();
    Ok(Hits { text, is_conflict: conflicts.ways() > 1, counts })
}
