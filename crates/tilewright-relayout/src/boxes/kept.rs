//! What moves pieces that no plan has prepared, kept by a thread from one chunk to the next: chunks that begin within tiles
//! have such, and many have the same.

use super::movers::{Alike, Movers};
use crate::kernels::Mover;
use std::sync::atomic::{AtomicU64, Ordering};

/// No more than so many are looked through.
const MOST: usize = 32;

/// The number of some boxes, which those that move them in other chunks have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(u64);

impl Number {
    /// One that no other boxes have.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Number(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What moves pieces of some boxes, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    of: Option<Number>,
    movers: Movers,
}

impl Kept {
    /// The bytes that these hold at most, beside one that is larger or is being made.
    pub(crate) const MOST_BYTES: usize = 32 << 10;

    /// What moves pieces that are alike so, of the boxes of this number.
    pub(super) fn mover(
        &mut self,
        of: Number,
        alike: Alike,
        make: impl FnOnce() -> Mover,
    ) -> &Mover {
        let number = self.number(of, alike).unwrap_or_else(|| self.keep(alike, make()));
        &self.movers[number]
    }

    /// The same, if there is something.
    pub(super) fn mover_if(
        &mut self,
        of: Number,
        alike: Alike,
        make: impl FnOnce() -> Option<Mover>,
    ) -> Option<&Mover> {
        let number = match self.number(of, alike) {
            Some(known) => known,
            None => {
                let mover = make()?;
                self.keep(alike, mover)
            }
        };
        Some(&self.movers[number])
    }

    /// The number of what is kept for these pieces of these boxes; nothing is for others then.
    fn number(&mut self, of: Number, alike: Alike) -> Option<usize> {
        if self.of != Some(of) {
            (self.of, self.movers) = (Some(of), Movers::default());
        }
        let number = self.movers.number_for(alike);
        if number.is_none() && self.bytes() > Self::MOST_BYTES {
            self.movers.clear();
        }
        number
    }

    /// Keeps what moves pieces, in place of the oldest where those are too many; its number.
    fn keep(&mut self, alike: Alike, mover: Mover) -> usize {
        while !self.movers.is_empty()
            && (self.movers.len() >= MOST || self.bytes() + mover.held_bytes() > Self::MOST_BYTES)
        {
            self.movers.drop_oldest();
        }
        self.movers.push(alike, mover);
        self.movers.len() - 1
    }

    /// The bytes that they have allocated.
    pub(crate) fn bytes(&self) -> usize {
        self.movers.held_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{Cuttable, Piece};
    use crate::kernels::{Begin, Level};
    use crate::nest::{Loop, Nest};

    /// What pieces have in common that begin and end within rows.
    fn all_alike() -> Vec<Alike> {
        let loops =
            vec![Loop { extent: 200, src: 1, dst: 9 }, Loop { extent: 9, src: 200, dst: 1 }];
        let nest = Cuttable::new(Nest { src: 0, dst: 0, loops });
        let mut pieces: Vec<Piece> = Vec::new();
        for end in (9..1800).step_by(if cfg!(miri) { 20 } else { 1 }) {
            nest.cut(0, &(0..end), &mut pieces);
        }
        pieces.iter().map(|piece| Alike { form: piece.form(), begin: Begin::Bytes }).collect()
    }

    #[test]
    fn what_is_kept_is_made_once_for_the_boxes_that_it_is_of() {
        let (a, b) = (Number::next(), Number::next());
        let mut kept = Kept::default();
        let mut n_made = 0;
        let alike = all_alike()[0];
        for of in [a, a, a, b, b, a] {
            kept.mover(of, alike, || {
                n_made += 1;
                Mover::of_units(&[Loop { extent: 64, src: 1, dst: 1 }], 1, Level::Plain, false)
            });
        }
        assert_eq!(n_made, 3);
    }

    #[test]
    fn no_more_is_kept_than_is_said() {
        let of = Number::next();
        let mut kept = Kept::default();
        let all = all_alike();
        let mut most = 0;
        let (extent, most_rows) = if cfg!(miri) { (20, 4) } else { (400, 40) };
        for (number, &alike) in all.iter().enumerate() {
            let rows = 3 + number as i64 % most_rows;
            let loops =
                [Loop { extent, src: 3, dst: rows }, Loop { extent: rows, src: 1201, dst: 1 }];
            let mover = || Mover::of_units(&loops, 1, Level::Plain, false);
            kept.mover(of, alike, mover);
            most = most.max(kept.bytes());
            let is_one = kept.movers.len() == 1;
            assert!(kept.movers.len() <= MOST && (is_one || kept.bytes() <= Kept::MOST_BYTES));
        }
        assert!(most > 0 && kept.movers.len() < all.len(), "{most}");
    }
}
