//! Lifting a map to a oneDNN tag.
//!
//! Digits are read from the largest stride down. Those that count all of what a dimension has
//! left, with no room to spare, are in the tag's order until the first block; all others are
//! blocks. Room that no digit counts is padding: of the dimension whose digit comes next, if that
//! is its outermost one, else a block of a dimension that has yet to come or is never above 0.
//!
//! Source: oneDNN, `dnnl_format_tag_t` and blocked memory descriptors.

use super::untranslatable::{Untranslatable, refused};
use crate::Permutation;
use crate::map::{Digit, IndexMap, Source};
use crate::onednn::{Block, MAX_RANK, Tag};

/// The tag that has been read off so far.
struct Lifted {
    /// The dimensions as their outermost digits lie in memory.
    outer: Vec<usize>,
    blocks: Vec<Block>,
    /// For each dimension, the divisor of its last digit.
    divisors: Vec<Option<i64>>,
}

impl IndexMap {
    /// A oneDNN tag that gives every element the same offset, in as much memory.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[2,35,7,7]{3,2,1,0:T(1,16,1,1)}".parse::<Shape>()?.index_map()?;
    /// assert_eq!(map.to_onednn()?.to_string(), "aBcd16b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is none: no dimensions or more than 12, pieces of a dimension out of order, padding
    /// between pieces, strides that do not divide each other.
    pub fn to_onednn(&self) -> Result<Tag, Untranslatable> {
        self.separated()?.digits_as_tag()
    }

    fn digits_as_tag(&self) -> Result<Tag, Untranslatable> {
        let rank = self.dims.len();
        if rank == 0 || rank > MAX_RANK {
            return refused(format!("oneDNN has tags for 1 to {MAX_RANK} dimensions, not {rank}"));
        }
        if self.base != 0 || self.lowest_offset != 0 {
            return refused("the first element is not at the lowest offset");
        }
        let Lifted { outer, blocks, .. } = self.outer_and_blocks()?;
        let order = Permutation::new(with_missing(outer, rank));
        match order.and_then(|order| Tag::new(order, blocks)) {
            Ok(tag) if self.is_lifted_by(&tag) => Ok(tag),
            Ok(_) => refused("elements share their place"),
            Err(error) => refused(error.to_string()),
        }
    }

    /// The tag as text.
    pub(super) fn onednn_tag(&self) -> Result<String, Untranslatable> {
        self.to_onednn().map(|tag| tag.to_string())
    }

    fn is_lifted_by(&self, tag: &Tag) -> bool {
        tag.index_map(&self.dims).is_ok_and(|map| matches!(map.same_as(self), Ok(true)))
    }

    fn outer_and_blocks(&self) -> Result<Lifted, Untranslatable> {
        let divisors = vec![None; self.dims.len()];
        let mut lifted = Lifted { outer: Vec::new(), blocks: Vec::new(), divisors };
        let mut room = self.allocation;
        for digit in &self.digits {
            if digit.stride < 1 || room % digit.stride != 0 {
                return refused(format!("the stride {} does not divide {room}", digit.stride));
            }
            if let Source::Dim(dim) = digit.source {
                self.take_digit(&mut lifted, digit, dim, room / digit.stride)?;
            }
            room = digit.stride;
        }
        match room {
            1 => Ok(lifted),
            _ => self.fill(&mut lifted, room).map(|()| lifted),
        }
    }

    /// A digit of a dimension, with the room there is for its values.
    fn take_digit(
        &self,
        lifted: &mut Lifted,
        digit: &Digit,
        dim: usize,
        room: i64,
    ) -> Result<(), Untranslatable> {
        let outermost = lifted.divisors[dim].is_none();
        if lifted.divisors[dim].is_some_and(|divisor| divisor < digit.divisor) {
            return refused(format!("the pieces of dimension {dim} lie in another order"));
        }
        match digit.modulus {
            None if outermost => lifted.take_outermost(dim, self.extent(digit), room),
            None => return refused(format!("dimension {dim} has elements that share their place")),
            Some(modulus) if room % modulus == 0 => {
                self.fill(lifted, room / modulus)?;
                lifted.blocks.push(Block { size: modulus, dim });
            }
            Some(modulus) => {
                return refused(format!(
                    "there is room for {room} pieces of dimension {dim}, which are {modulus}"
                ));
            }
        }
        lifted.divisors[dim] = Some(digit.divisor);
        Ok(())
    }

    /// Places that hold no element, `size` times what comes after: a block of a dimension whose
    /// digits all come later, so that its index never reaches the block's second place.
    fn fill(&self, lifted: &mut Lifted, size: i64) -> Result<(), Untranslatable> {
        if size == 1 {
            return Ok(());
        }
        let has_digits = |dim: &usize| self.digits.iter().any(|d| d.source == Source::Dim(*dim));
        let yet_to_come = (0..self.dims.len()).filter(|&dim| lifted.divisors[dim].is_none());
        let (later, never): (Vec<usize>, Vec<usize>) = yet_to_come.partition(has_digits);
        match later.first().or(never.first()) {
            Some(&dim) => lifted.blocks.push(Block { size, dim }),
            None => return refused(format!("between elements there is room for {size}")),
        }
        Ok(())
    }
}

impl Lifted {
    /// The outermost digit of a dimension: in the order if it fills its room and there are no
    /// blocks yet, else padded to whole blocks.
    fn take_outermost(&mut self, dim: usize, extent: i64, room: i64) {
        let in_order = self.blocks.is_empty();
        let block = if in_order { block_size(extent, room) } else { room };
        if in_order && block < room {
            self.outer.push(dim);
        }
        if block > 1 {
            self.blocks.push(Block { size: block, dim });
        }
    }
}

/// The size of blocks that fill `room` places with `extent` elements and less than a block of
/// padding: 1, or else one of oneDNN's own sizes if that can be.
fn block_size(extent: i64, room: i64) -> i64 {
    let fills = |block: &i64| {
        room % block == 0 && extent / block + i64::from(extent % block != 0) == room / block
    };
    [1, 16, 8, 4, 32, 64, 2].into_iter().find(fills).unwrap_or(room)
}

/// The order with the dimensions put in that it lacks, since they have one block only: each before
/// the first dimension of higher number.
fn with_missing(mut order: Vec<usize>, rank: usize) -> Vec<usize> {
    for dim in 0..rank {
        if !order.contains(&dim) {
            let place = order.iter().position(|&other| other > dim).unwrap_or(order.len());
            order.insert(place, dim);
        }
    }
    order
}
