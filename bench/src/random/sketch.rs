//! A pair of layouts of which the sizes are still to be fitted.

use anyhow::Result;

use super::dice::Dice;
use super::extents::{self, Kind};
use super::pair::Pair;

/// Layouts of some rank whose dimensions can be longer or shorter.
pub(super) struct Sketch {
    /// What each dimension is to be a multiple of.
    steps: Vec<u64>,
    /// The sizes that are given, by the number of their dimension.
    fixed: Vec<(usize, u64)>,
    /// The bits of an element on the side where it has more.
    bits: u64,
    texts: Box<Texts>,
}

/// The two texts for these sizes.
type Texts = dyn Fn(&[u64]) -> [String; 2];

/// What a fitted pair's larger side may have of the bytes asked for, in hundredths.
pub(super) const TOLERANCE: std::ops::RangeInclusive<usize> = 75..=130;

/// How often the size of a dimension is corrected before others are drawn.
const CORRECTIONS: usize = 6;

impl Sketch {
    /// Any sizes for so many dimensions.
    pub(super) fn new(
        rank: usize,
        bits: u64,
        texts: impl Fn(&[u64]) -> [String; 2] + 'static,
    ) -> Self {
        Sketch { steps: vec![1; rank], fixed: Vec::new(), bits, texts: Box::new(texts) }
    }

    /// Multiples of these.
    pub(super) fn in_steps(self, steps: &[u64]) -> Self {
        Sketch { steps: steps.to_vec(), ..self }
    }

    /// This size for a dimension.
    pub(super) fn with(mut self, dim: usize, size: u64) -> Self {
        self.fixed.push((dim, size));
        self
    }

    /// A pair whose larger side has about so many bytes, if these layouts can have that many.
    ///
    /// Sizes are drawn, and then the longest dimension that is free is made as long as it has to be:
    /// padding may have made any number of bytes of an element.
    pub(super) fn fitted(
        &self,
        family: &'static str,
        bytes: usize,
        dice: &mut Dice,
    ) -> Result<Option<Pair>> {
        let (mut sizes, Some(free)) = self.drawn(bytes, dice) else { return Ok(None) };
        let mut kind = Kind::drawn(dice);
        for attempt in 0..CORRECTIONS {
            let pair = Pair::read(family, (self.texts)(&sizes))?;
            let found = pair.larger_bytes().max(1);
            if TOLERANCE.contains(&(found * 100 / bytes)) {
                return Ok((pair.texts[0] != pair.texts[1]).then_some(pair));
            }
            if attempt == CORRECTIONS / 2 {
                kind = Kind::Any;
            }
            let size = (sizes[free] as f64 * bytes as f64 / found as f64) as u64;
            let step = self.steps[free];
            sizes[free] = kind.near(size / step, dice) * step;
        }
        Ok(None)
    }

    /// Sizes, and the dimension whose size may still change.
    fn drawn(&self, bytes: usize, dice: &mut Dice) -> (Vec<u64>, Option<usize>) {
        let given: u64 = self.fixed.iter().map(|&(_, size)| size).product();
        let elements = bytes as u64 * 8 / self.bits / given.max(1);
        let is_free = |dim: &usize| self.fixed.iter().all(|(at, _)| at != dim);
        let free: Vec<usize> = (0..self.steps.len()).filter(is_free).collect();
        let steps: Vec<u64> = free.iter().map(|&dim| self.steps[dim]).collect();
        let mut sizes = vec![1; self.steps.len()];
        for (&dim, size) in free.iter().zip(extents::drawn(dice, elements, &steps)) {
            sizes[dim] = size;
        }
        for &(dim, size) in &self.fixed {
            sizes[dim] = size;
        }
        let longest = free.into_iter().max_by_key(|&dim| sizes[dim]);
        (sizes, longest)
    }
}
