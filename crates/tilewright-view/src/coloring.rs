//! Which colour a place has, and what the colours mean.

use crate::options::{Coloring, Error};
use crate::scene::Fill;
use crate::subject::Subject;

/// How many colours there are of each kind.
const N_COLORS: i64 = 8;

/// The colours of one subject's places.
pub(crate) struct Colors<'a> {
    subject: &'a Subject,
    coloring: Coloring,
    n_tiles: i64,
}

impl<'a> Colors<'a> {
    /// # Errors
    /// If there is no such dimension, or what is asked for does not apply.
    pub(crate) fn new(subject: &'a Subject, coloring: Coloring) -> Result<Self, Error> {
        match coloring {
            Coloring::Dim(dim) if dim >= subject.rank() => {
                let rank = subject.rank();
                return Err(Error(format!("there is no dimension {dim} in an array of {rank}")));
            }
            Coloring::Thread if subject.rank() != 2 => {
                let rank = subject.rank();
                return Err(Error(format!(
                    "a layout of threads and values has two modes, and this one has {rank}"
                )));
            }
            _ => {}
        }
        let n_tiles =
            (0..subject.rank()).map(|dim| subject.n_tiles(dim)).fold(1, i64::saturating_mul);
        Ok(Colors { subject, coloring, n_tiles })
    }

    /// The colour of the place with this index, which lies at this offset.
    pub(crate) fn fill(&self, index: &[i64], offset: i64) -> Fill {
        let place = offset - self.subject.first_offset();
        match self.coloring {
            Coloring::Tile => Fill::Group(self.tile(index)),
            Coloring::Dim(dim) => ramp(index.get(dim).copied().unwrap_or(0)),
            Coloring::Offset(n) => ramp(place % n),
            Coloring::Line(bytes) => ramp(self.byte(place) / i128::from(bytes)),
            Coloring::Bank { banks, bytes } => {
                ramp(self.byte(place) / i128::from(bytes) % i128::from(banks))
            }
            Coloring::Thread => ramp(index.first().copied().unwrap_or(0)),
        }
    }

    /// Up to eight tiles have a colour each; of more, neighbours differ.
    fn tile(&self, index: &[i64]) -> usize {
        let number = |dim: usize| index.get(dim).map_or(0, |index| index / self.subject.tile(dim));
        let rank = self.subject.rank();
        let color = match self.n_tiles <= N_COLORS {
            true => {
                (0..rank).fold(0, |linear, dim| linear * self.subject.n_tiles(dim) + number(dim))
            }
            false => {
                let [row, column] = [rank.wrapping_sub(2), rank.wrapping_sub(1)].map(number);
                let slices: i64 = (0..rank.saturating_sub(2)).map(number).sum();
                slices % 2 * 4 + row % 2 * 2 + column % 2
            }
        };
        usize::try_from(color).unwrap_or(0)
    }

    /// The byte that a place begins in. Where nobody says the type, an element is a byte.
    fn byte(&self, place: i64) -> i128 {
        i128::from(place) * i128::from(self.subject.bits().unwrap_or(8)) / 8
    }

    /// What the colours mean.
    pub(crate) fn meaning(&self) -> String {
        let bytes = if self.subject.bits().is_some() { "bytes" } else { "elements" };
        match self.coloring {
            // Their borders say so.
            Coloring::Tile => String::new(),
            Coloring::Dim(dim) => format!("coloured by the index along dimension {dim}"),
            Coloring::Offset(n) => format!("coloured by the offset modulo {n}"),
            Coloring::Line(n) => format!("coloured by line of {n} {bytes}"),
            Coloring::Bank { banks, bytes: 1 } => {
                format!("coloured by bank: the {bytes} modulo {banks}")
            }
            Coloring::Bank { banks, bytes: n } => {
                format!("coloured by bank: {banks} banks of {n} {bytes}")
            }
            Coloring::Thread => "coloured by thread".to_owned(),
        }
    }
}

/// The ramp begins again after eight.
fn ramp(value: impl Into<i128>) -> Fill {
    let step = value.into().rem_euclid(i128::from(N_COLORS));
    Fill::Ramp(usize::try_from(step).unwrap_or(0))
}
