//! What moves pieces: a mover for all that are alike.

use crate::chunk::Form;
use crate::kernels::{Begin, Mover};
use std::ops::Index;

/// What pieces have in common that one mover moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alike {
    pub(super) form: Form,
    /// Where in bytes they begin.
    pub(super) begin: Begin,
}

/// Movers, each with what the pieces have in common that it was made for, in the order in which they were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movers(Vec<(Alike, Mover)>);

impl Movers {
    /// The number of what moves pieces that are alike so: of those that begin so, or elsewhere where that makes no difference. What
    /// was made for others than begin at bytes may be slower for those.
    pub(super) fn number_for(&self, alike: Alike) -> Option<usize> {
        let moves = |(made_for, mover): &(Alike, Mover)| {
            let may_differ = made_for.begin == Begin::Bytes || alike.begin != Begin::Bytes;
            made_for.form == alike.form
                && (made_for.begin == alike.begin || may_differ && mover.begins_anywhere())
        };
        self.0.iter().position(moves)
    }

    /// What moves them.
    pub(super) fn get_for(&self, alike: Alike) -> Option<&Mover> {
        self.number_for(alike).map(|number| &self[number])
    }

    /// Takes out what was made for pieces that are alike so.
    pub(super) fn take(&mut self, alike: Alike) -> Option<Mover> {
        let number = self.0.iter().position(|(made_for, _)| *made_for == alike)?;
        Some(self.0.swap_remove(number).1)
    }

    /// Takes out the one that was made first, if there is any.
    pub(super) fn drop_oldest(&mut self) {
        self.0.drain(..1.min(self.0.len()));
    }

    pub(super) fn push(&mut self, alike: Alike, mover: Mover) {
        self.0.push((alike, mover));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Mover> {
        self.0.iter().map(|(_, mover)| mover)
    }

    /// The bytes that they have allocated.
    pub(super) fn held_bytes(&self) -> usize {
        let held = self.iter().map(Mover::held_bytes).sum::<usize>();
        held + self.0.capacity() * size_of::<(Alike, Mover)>()
    }
}

/// By their numbers.
impl Index<usize> for Movers {
    type Output = Mover;

    fn index(&self, number: usize) -> &Mover {
        &self.0[number].1
    }
}
