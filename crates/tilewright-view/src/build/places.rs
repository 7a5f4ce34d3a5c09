//! Cells: what is at a place of a layout, and how it is written.

use super::grids::linear;
use crate::coloring::Colors;
use crate::options::{Error, Options, Unit};
use crate::scene::{Cell, Fill, Kind, Mark};
use crate::subject::Subject;

/// An array of no more elements than the alphabet is drawn with letters for them.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// The places of a subject, as one picture shows them.
pub(crate) struct Places<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) options: &'a Options,
    pub(crate) colors: Colors<'a>,
}

impl<'a> Places<'a> {
    /// # Errors
    /// If an option does not apply to the subject.
    pub(crate) fn new(subject: &'a Subject, options: &'a Options) -> Result<Self, Error> {
        if let Some(at) = &options.at {
            subject.map.offset(at)?;
        }
        if let Some(near) = &options.near
            && !subject.is_place(near)
        {
            // The words of whoever knows the dimensions.
            subject.map.offset(near)?;
        }
        Ok(Places { subject, options, colors: Colors::new(subject, options.coloring)? })
    }

    /// The place with this index, padding included, with its offset written in it.
    pub(crate) fn with_offset(&self, index: Vec<i64>) -> Cell {
        let offset = self.subject.offset(&index);
        let is_element = self.subject.is_data(&index);
        let label = match offset {
            Some(offset) if is_element || self.options.padding_numbers => self.number(offset),
            _ => String::new(),
        };
        self.cell(index, offset, label)
    }

    /// The same with its index written in it, or with a letter.
    pub(crate) fn with_index(&self, index: Vec<i64>) -> Cell {
        let label = match self.subject.is_data(&index) {
            true => self.name(&index),
            false => String::new(),
        };
        let offset = self.subject.offset(&index);
        self.cell(index, offset, label)
    }

    /// The place at an offset, its index written in it. What no dimension reaches is padding too.
    pub(crate) fn at_offset(&self, offset: i64) -> Cell {
        match self.subject.index(offset) {
            Some(index) => Cell { offset: Some(offset), ..self.with_index(index) },
            None => {
                let (label, index) = (String::new(), Vec::new());
                Cell { offset: Some(offset), ..nothing(Kind::Padding, label, index) }
            }
        }
    }

    fn cell(&self, index: Vec<i64>, offset: Option<i64>, label: String) -> Cell {
        let is_element = self.subject.is_data(&index);
        let fill = match offset {
            Some(offset) if is_element => self.colors.fill(&index, offset),
            _ => Fill::Plain,
        };
        let is_at = self.options.at.as_ref() == Some(&index);
        Cell {
            kind: if is_element { Kind::Element } else { Kind::Padding },
            label,
            fill,
            mark: if is_at { Mark::At } else { Mark::None },
            index,
            offset,
        }
    }

    /// The index that is drawn, whatever is elided.
    pub(crate) fn near(&self) -> Option<&[i64]> {
        self.options.near.as_deref().or(self.options.at.as_deref())
    }

    /// Which place of memory that is, from the first that is taken.
    pub(crate) fn near_place(&self) -> Option<i64> {
        let at = self.subject.offset(self.near()?)?;
        at.checked_sub(self.subject.first_offset())
    }

    /// An offset in the unit that was asked for.
    pub(crate) fn number(&self, offset: i64) -> String {
        let Some(bits) = self.subject.bits() else { return offset.to_string() };
        let bit = i128::from(offset) * i128::from(bits);
        match (self.options.unit, bit.div_euclid(8), bit.rem_euclid(8)) {
            (Unit::Elements, ..) => offset.to_string(),
            (Unit::Bytes, byte, 0) if bits.is_multiple_of(8) => byte.to_string(),
            (Unit::Bytes, byte, bit) => format!("{byte}.{bit}"),
            (Unit::Blocks(bytes), byte, _) => byte.div_euclid(i128::from(bytes.get())).to_string(),
        }
    }

    /// What an element is called: a letter in a small array, else its index.
    pub(crate) fn name(&self, index: &[i64]) -> String {
        if !self.has_letters() {
            return joined(index);
        }
        let linear = linear(index, self.subject.dims());
        let letter = usize::try_from(linear).ok().and_then(|n| LETTERS.chars().nth(n));
        letter.map_or_else(|| joined(index), String::from)
    }

    /// Whether elements have letters for names.
    pub(crate) fn has_letters(&self) -> bool {
        let elements = self.subject.map.elements();
        (2..=LETTERS.len() as i64).contains(&elements) && (1..=2).contains(&self.subject.rank())
    }
}

/// A place that is not drawn.
pub(crate) fn gap() -> Cell {
    nothing(Kind::Gap, String::new(), Vec::new())
}

fn nothing(kind: Kind, label: String, index: Vec<i64>) -> Cell {
    Cell { kind, label, fill: Fill::Plain, mark: Mark::None, index, offset: None }
}

/// `2,3`; of rank 0 nothing is left to say.
pub(crate) fn joined(index: &[i64]) -> String {
    index.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}
