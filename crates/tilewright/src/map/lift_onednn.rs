//! Lifting a map to a oneDNN tag.
//!
//! A tag such as `aBcd16b` lists the dimensions, `a` being dimension 0, most major first, a
//! capital for one that is blocked, and then the blocks from the outermost to the innermost, each
//! a size and a letter. Dimensions are padded to whole blocks.
//!
//! Source: oneDNN, `dnnl_format_tag_t` and blocked memory descriptors.

use super::lift::{Untranslatable, refused};
use super::{Digit, IndexMap, Source};

/// oneDNN has letters for this many dimensions.
const MAX_RANK: usize = 12;

/// One block: its size and its dimension.
type Block = (i64, usize);

impl IndexMap {
    /// The oneDNN tag of the map.
    pub(super) fn onednn_tag(&self) -> Result<String, Untranslatable> {
        self.refuse_merged()?;
        let rank = self.dims.len();
        if rank == 0 || rank > MAX_RANK {
            return refused(format!("oneDNN has tags for 1 to {MAX_RANK} dimensions, not {rank}"));
        }
        if self.base != 0 || self.lowest_offset != 0 {
            return refused("the first element is not at the lowest offset");
        }
        let (outer, blocks) = self.outer_and_blocks()?;
        Ok(tag(&with_missing(outer, rank), &blocks))
    }

    /// The dimensions as their outermost digits lie in memory, and the blocks inside them.
    fn outer_and_blocks(&self) -> Result<(Vec<usize>, Vec<Block>), Untranslatable> {
        let mut outer = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        let mut room = self.allocation;
        let mut last_divisors = vec![i64::MAX; self.dims.len()];
        for digit in &self.digits {
            let Source::Dim(dim) = digit.source else { continue };
            if std::mem::replace(&mut last_divisors[dim], digit.divisor) < digit.divisor {
                return refused(format!("the pieces of dimension {dim} lie in another order"));
            }
            let bound = room / digit.stride.max(1);
            if digit.stride < 1 || room % digit.stride != 0 {
                return refused(format!("the stride {} does not divide {room}", digit.stride));
            }
            if self.is_outer(digit, bound) {
                if !blocks.is_empty() {
                    return refused(format!("dimension {dim} is counted inside the blocks"));
                }
                outer.push(dim);
            } else if digit.modulus == Some(bound) {
                blocks.push((bound, dim));
            } else if digit.modulus.is_none() {
                let block = block_size(self.extent(digit), bound);
                if block < bound && blocks.is_empty() {
                    outer.push(dim);
                    blocks.push((block, dim));
                } else {
                    blocks.push((bound, dim));
                }
            } else {
                return refused(format!("there is padding between pieces of dimension {dim}"));
            }
            room = digit.stride;
        }
        match room {
            1 => Ok((outer, blocks)),
            _ => refused(format!("elements are {room} apart, with nothing between them")),
        }
    }

    /// Whether a digit counts whole blocks of its dimension, and not places in one.
    fn is_outer(&self, digit: &Digit, bound: i64) -> bool {
        digit.modulus.is_none() && self.extent(digit) == bound
    }
}

/// The size of blocks that fill `bound` places with `extent` elements and less than a block of
/// padding: one of oneDNN's own sizes if that can be.
fn block_size(extent: i64, bound: i64) -> i64 {
    let fills = |block: &i64| {
        bound % block == 0 && extent / block + i64::from(extent % block != 0) == bound / block
    };
    [16, 8, 4, 32, 64, 2].into_iter().find(fills).unwrap_or(bound)
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

fn tag(order: &[usize], blocks: &[Block]) -> String {
    let letter = |dim: usize| char::from(b'a' + u8::try_from(dim).unwrap_or(0));
    let is_blocked = |dim: usize| blocks.iter().any(|&(_, blocked)| blocked == dim);
    let outer = order.iter().map(|&dim| match is_blocked(dim) {
        true => letter(dim).to_ascii_uppercase().to_string(),
        false => letter(dim).to_string(),
    });
    outer.chain(blocks.iter().map(|&(size, dim)| format!("{size}{}", letter(dim)))).collect()
}
