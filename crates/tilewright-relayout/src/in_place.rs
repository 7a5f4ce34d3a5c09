//! Relayouts that stay in one buffer.

use crate::error::{Error, Kind, check_length};
use crate::options::RunOptions;
use crate::placement::Placement;
use crate::plan::{Plan, room};

/// A relayout prepared to be run within one buffer.
///
/// The two layouts must have the same number of bytes. Where the destination can be cut into pieces
/// each of which takes its elements from the same bytes of the source, as when rows become tiles of
/// whole rows, only one piece of the array is ever held twice; otherwise all of it is.
///
/// ```
/// use tilewright::Shape;
/// use tilewright_relayout::{InPlace, Placement, RunOptions};
/// # fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
/// #     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
/// # }
/// let plan = InPlace::new(&placement("u8[2,4]")?, &placement("u8[2,4]{1,0:T(2,2)}")?)?;
/// let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
/// plan.run(&mut bytes, &RunOptions::default())?;
/// assert_eq!(bytes, [1, 2, 5, 6, 3, 4, 7, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct InPlace {
    plan: Plan,
    /// How many chunks make a piece. Pieces take their elements from their own bytes.
    chunks_per_piece: usize,
}

impl InPlace {
    /// Plans to move elements within their buffer from `from` to `to`.
    ///
    /// # Errors
    /// As [`Plan::new`], and if the two have different numbers of bytes.
    pub fn new(from: &Placement, to: &Placement) -> Result<Self, Error> {
        if from.bytes() != to.bytes() {
            let (from, to) = (from.bytes(), to.bytes());
            return Err(Error::new(Kind::NotInPlace { from, to }));
        }
        let plan = Plan::new(from, to)?;
        let chunks_per_piece = chunks_per_piece(&plan);
        Ok(InPlace { plan, chunks_per_piece })
    }

    /// The bytes that a run holds besides the buffer.
    pub fn extra_bytes(&self) -> usize {
        match self.plan.is_copy() {
            true => 0,
            false => self
                .plan
                .chunk_bytes(0)
                .len()
                .saturating_mul(self.chunks_per_piece)
                .min(self.plan.dst_bytes()),
        }
    }

    /// Moves the elements.
    ///
    /// # Errors
    /// If the buffer is not exactly as long as the placements say, or there is no memory for
    /// [`extra_bytes`](Self::extra_bytes).
    pub fn run(&self, bytes: &mut [u8], options: &RunOptions<'_>) -> Result<(), Error> {
        check_length("buffer", self.plan.dst_bytes(), bytes.len())?;
        if self.plan.is_copy() {
            return Ok(());
        }
        let mut before = room(self.extra_bytes())?;
        let n_chunks = self.plan.n_chunks();
        for first in (0..n_chunks).step_by(self.chunks_per_piece.max(1)) {
            let chunks = first..(first + self.chunks_per_piece).min(n_chunks);
            let piece =
                self.plan.chunk_bytes(chunks.start).start..self.plan.chunk_bytes(chunks.end).start;
            let Some(place) = bytes.get_mut(piece.clone()) else { continue };
            before.clear();
            before.extend_from_slice(place);
            self.plan.run_chunks(chunks, &before, piece.start, place, options)?;
        }
        Ok(())
    }
}

/// The fewest chunks, a power of two, such that pieces of so many read from their own bytes only;
/// or all of them.
fn chunks_per_piece(plan: &Plan) -> usize {
    let n_chunks = plan.n_chunks();
    let mut count = 1;
    while count < n_chunks {
        let is_own = (0..n_chunks).step_by(count).all(|first| {
            let chunks = first..(first + count).min(n_chunks);
            let own = plan.chunk_bytes(chunks.start).start..plan.chunk_bytes(chunks.end).start;
            let read = plan.source_span(chunks);
            read.is_empty() || own.start <= read.start && read.end <= own.end
        });
        if is_own {
            return count;
        }
        count *= 2;
    }
    n_chunks.max(1)
}

/// Moves an array once within its buffer, on as many threads as there are.
///
/// # Errors
/// As [`InPlace::new`] and [`InPlace::run`].
pub fn relayout_in_place(
    bytes: &mut [u8],
    from: &Placement,
    to: &Placement,
    options: &RunOptions<'_>,
) -> Result<(), Error> {
    InPlace::new(from, to)?.run(bytes, options)
}
