//! oneDNN's format tags: how it writes where an array's elements lie.
//!
//! A tag lists the dimensions as they lie in memory, most major first: `acdb` has the channels of
//! an `abcd` innermost, dimension 0 being `a`. A capital is a dimension in blocks. The blocks follow
//! from the outermost to the innermost, each a size and a letter: in `aBcd16b` the innermost 16
//! elements are neighbours along `b`. Dimensions are padded to whole blocks. A dimension may be
//! blocked again: of `ABcd4b16a4b`, index 11 along `b` is place 3 in the last `4b`, in block 2 of
//! the first one.
//!
//! | tag | as XLA tiles |
//! |---|---|
//! | `abcd` | `{3,2,1,0}` |
//! | `acdb` | `{1,3,2,0}` |
//! | `aBcd16b` | `{3,2,1,0:T(1,16,1,1)}` |
//! | `ABcd4b16a4b` | `{3,2,1,0:T(16,16,1,1)(16,4,1,1)}` |
//!
//! # Names
//! A tag may also be written in letters that say what the dimensions are, `nChw16c` for
//! `aBcd16b`. Such a name has the letters of one of these, which are row-major, and so number the
//! dimensions:
//!
//! | of | names |
//! |---|---|
//! | vectors | `x` |
//! | activations | `nc` `ncw` `nchw` `ncdhw` |
//! | weights | `oi` `oiw` `oihw` `oidhw`, in groups `goiw` `goihw` `goidhw` |
//! | sequences | `tn` `tnc` |
//! | recurrent states, weights, biases | `ldnc` `ldigo` `ldio` `ldgo` |
//!
//! So `hwio` is `cdba`: `h` is the third letter of `oihw`. Names need not be in oneDNN's own list;
//! of those that are, [a few](Tag#misnamed) mean something else.
//!
//! Source: oneDNN, *Understanding Memory Formats*; `dnnl_format_tag_t` in `dnnl_types.h`.

mod array;
mod names;
mod parse;
mod read;
mod verbose;

use std::fmt;

pub use array::TaggedArray;

use crate::Permutation;
use crate::error::{Error, Kind, checked, invalid};

/// The most dimensions that a tag has letters for: `DNNL_MAX_NDIMS`.
pub const MAX_RANK: usize = 12;

/// The most blocks that a memory descriptor has room for: `DNNL_MAX_NDIMS`, too.
pub const MAX_BLOCKS: usize = 12;

/// The letters of the dimensions, dimension 0 first.
const LETTERS: &str = "abcdefghijkl";

/// Consecutive elements along a dimension that lie together: the `16b` of `aBcd16b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// The number of places, 1 or more.
    pub size: i64,
    /// The dimension.
    pub dim: usize,
}

/// A oneDNN format tag.
///
/// ```
/// use tilewright::onednn::Tag;
/// let tag: Tag = "OIhw4i16o4i".parse()?;
/// assert_eq!(tag.to_string(), "ABcd4b16a4b");
/// let map = tag.index_map(&[33, 20, 3, 3])?;
/// assert_eq!(map.physical_dims(), [3, 2, 3, 3, 4, 16, 4]); // padded to 48 × 32 × 3 × 3
/// assert_eq!(map.offset(&[1, 0, 0, 0])?, 4);
/// assert_eq!(map.offset(&[0, 5, 0, 0])?, 65); // row 1 of 16 × 4, place 1
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Misnamed
/// Some names in oneDNN's header say something else than they mean there; they are read as what
/// they mean: `OhwI32o` as `Acdb32a`, whose `b` has no blocks, `gIOhw2i8o16i2o` as
/// `aBCde2c8b16c2b`, and likewise `gOhwI32o`, `OhwI24o`, `gOhwI24o` and `gIOdhw2i8o16i2o`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tag {
    order: Permutation,
    blocks: Vec<Block>,
}

impl Tag {
    /// The tag with the dimensions in this order, most major first, and these blocks, the
    /// outermost first.
    ///
    /// # Errors
    /// If there are no dimensions, more than [`MAX_RANK`] or more than [`MAX_BLOCKS`] blocks, a
    /// block has a size below 1 or a dimension that does not exist, or all blocks together have
    /// more elements than fit 64 bits.
    pub fn new(order: Permutation, blocks: Vec<Block>) -> Result<Self, Error> {
        let rank = order.len();
        if rank == 0 || rank > MAX_RANK {
            return invalid(format!("a tag has 1 to {MAX_RANK} dimensions, not {rank}"));
        }
        if blocks.len() > MAX_BLOCKS {
            return invalid(format!("{} blocks are more than {MAX_BLOCKS}", blocks.len()));
        }
        for &Block { size, dim } in &blocks {
            if size < 1 {
                return invalid(format!("a block of {size} elements must have 1 or more"));
            }
            if dim >= rank {
                let dimension = i64::try_from(dim).unwrap_or(i64::MAX);
                return Err(Error::new(Kind::DimensionOutOfRange { dimension, rank }));
            }
        }
        let size = blocks.iter().try_fold(1i64, |size, block| size.checked_mul(block.size));
        checked(size, "the size of all blocks")?;
        Ok(Tag { order, blocks })
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.order.len()
    }

    /// The dimensions as they lie in memory, most major first, blocks aside.
    pub fn major_to_minor(&self) -> &Permutation {
        &self.order
    }

    /// The blocks, the outermost first.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn is_blocked(&self, dim: usize) -> bool {
        self.blocks.iter().any(|block| block.dim == dim)
    }
}

impl fmt::Display for Tag {
    /// Writes the abstract tag, letters from `a` on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for &dim in self.order.iter() {
            let letter = letter(dim);
            text.push(if self.is_blocked(dim) { letter.to_ascii_uppercase() } else { letter });
        }
        for block in &self.blocks {
            text.push_str(&block.size.to_string());
            text.push(letter(block.dim));
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The letter of a dimension.
fn letter(dim: usize) -> char {
    LETTERS.as_bytes().get(dim).map_or('?', |&byte| char::from(byte))
}
