//! Operations that choose layouts: can the result be had without moving anything first?
//!
//! Given an operation and the formats of its operands, [`settle`] says in which format the result
//! comes, and where a relayout has to be, if one is needed: at an operand, or at the result. A
//! relayout costs the bytes it reads and the bytes it writes; reading operands and writing results
//! costs the same wherever the relayouts are and is not counted. The answer is the cheapest among
//! the formats that are there already, the one asked for, and, for matrix operations, the operand's
//! own with its dimensions in other orders.
//!
//! # When no relayout is needed
//! | operation | needs none if |
//! |---|---|
//! | elementwise | all arrays place their elements alike, up to how narrow elements pair up within a tile |
//! | transpose | the result's layout takes up the permutation |
//! | reshape | the maps agree that the bytes are the same |
//! | reduce | what is left, with the reduced dimensions of size 1, reshapes for free |
//! | broadcast | the operand, with the new dimensions of size 1, reshapes for free into the result's layout |
//! | dot | in each array the two tiled dimensions are one of each kind it has, and none of a batch |
//! | convolution | in each array one of the two tiled dimensions is of its features |
//!
//! The first five are exact answers of the maps. The last two are a model of a matrix unit that
//! takes a tile either way round: one tiled dimension of a factor is contracted, the other is not.
//! Untiled arrays have their two most minor dimensions in the place of the tiled ones.

mod along;
mod matrix;

use std::fmt;

use serde::Serialize;
use tilewright::xla::Layout;
use tilewright::{ArrayShape, Error, Permutation};

use crate::hint::{bytes_of, tiles_for};

/// An operation, as far as layouts are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Every element of the result comes of the elements at the same index.
    Elementwise,
    /// Dimension `i` of the operand is dimension `dimensions[i]` of the result.
    Broadcast {
        /// One for each dimension of the operand, ascending.
        dimensions: Vec<usize>,
    },
    /// Dimension `i` of the result is dimension `permutation[i]` of the operand.
    Transpose {
        /// The permutation.
        permutation: Permutation,
    },
    /// The same elements in row-major order.
    Reshape,
    /// These dimensions of the operand are summed up and gone.
    Reduce {
        /// The dimensions that go.
        dimensions: Vec<usize>,
    },
    /// A product of matrices. The result has the batch dimensions, what is left of the first
    /// operand, and what is left of the second.
    Dot {
        /// Of the first operand and the second: the dimensions of the batch.
        batch: [Vec<usize>; 2],
        /// Of the first operand and the second: the dimensions that are contracted.
        contracting: [Vec<usize>; 2],
    },
    /// A convolution of an input with a kernel.
    Convolution {
        /// The input's dimension of features.
        input_feature: usize,
        /// The kernel's dimensions of input features and of output features.
        kernel_features: [usize; 2],
        /// The result's dimension of features.
        output_feature: usize,
    },
}

/// How an operation's arrays can lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The result, in the format asked for, or the one that it comes in.
    pub result: ArrayShape,
    /// The moves that are needed: none, if the result can be had as things lie.
    pub relayouts: Vec<Relayout>,
}

impl Settled {
    /// The bytes that all relayouts read and write.
    pub fn bytes_moved(&self) -> i64 {
        self.relayouts.iter().fold(0, |sum, relayout| sum.saturating_add(relayout.bytes_moved()))
    }
}

/// Where a relayout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Place {
    /// Before the operation, of the operand of this number.
    Operand(usize),
    /// After it.
    Result,
}

/// A move of one array into another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relayout {
    /// Where it is.
    pub place: Place,
    /// What is read.
    pub from: ArrayShape,
    /// What is written.
    pub to: ArrayShape,
}

impl Relayout {
    /// The bytes that it reads and writes.
    pub fn bytes_moved(&self) -> i64 {
        let bytes = |array| bytes_of(array).unwrap_or(i64::MAX);
        bytes(&self.from).saturating_add(bytes(&self.to))
    }
}

/// How the arrays of an operation can lie at least cost.
///
/// The result's layout is the one asked for; without one, any will do.
///
/// ```
/// use tilewright_hlo::{Operation, Place, settle};
/// let operand = ["f32[64,256]{1,0:T(8,128)}".parse()?];
/// let transpose = Operation::Transpose { permutation: tilewright::Permutation::new([1, 0])? };
///
/// // Any format of the result will do: the one that moves nothing.
/// let free = settle(&transpose, &operand, &tilewright::ArrayShape::new(tilewright::ElementType::F32, &[256, 64])?)?;
/// assert_eq!(free.result.to_string(), "f32[256,64]{0,1:T(8,128)}");
/// assert_eq!(free.bytes_moved(), 0);
///
/// // This one: 64 KiB are read, 128 KiB written.
/// let asked = settle(&transpose, &operand, &"f32[256,64]{1,0:T(8,128)}".parse()?)?;
/// assert_eq!(asked.relayouts[0].place, Place::Result);
/// assert_eq!(asked.bytes_moved(), (64 + 128) << 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the shapes are not those of such an operation, or a size does not fit 64 bits.
pub fn settle(
    operation: &Operation,
    operands: &[ArrayShape],
    result: &ArrayShape,
) -> Result<Settled, Unsettled> {
    match (operation, operands) {
        (Operation::Elementwise, [_, ..]) => along::elementwise(operands, result),
        (Operation::Broadcast { dimensions }, [operand]) => {
            along::broadcast(operand, result, dimensions)
        }
        (Operation::Transpose { permutation }, [operand]) => {
            along::transpose(operand, result, permutation)
        }
        (Operation::Reshape, [operand]) => along::reshape(operand, result),
        (Operation::Reduce { dimensions }, [operand]) => along::reduce(operand, result, dimensions),
        (Operation::Dot { batch, contracting }, [a, b]) => {
            matrix::dot([a, b], result, batch, contracting)
        }
        (Operation::Convolution { input_feature, kernel_features, output_feature }, [a, b]) => {
            let output = [*output_feature];
            matrix::convolution([a, b], result, [&[*input_feature], kernel_features, &output])
        }
        _ => mismatch("the operation does not take so many operands"),
    }
}

/// Shapes that are not those of the operation, or too large to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled(String);

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsettled {}

impl From<Error> for Unsettled {
    fn from(error: Error) -> Self {
        Unsettled(error.to_string())
    }
}

/// An error about shapes that do not belong together.
fn mismatch<T>(message: impl Into<String>) -> Result<T, Unsettled> {
    Err(Unsettled(message.into()))
}

/// Nothing moves.
fn free(result: ArrayShape) -> Settled {
    Settled { result, relayouts: Vec::new() }
}

/// The outcome is moved from how it comes to how it is to be.
fn moved_after(from: ArrayShape, to: ArrayShape) -> Settled {
    Settled { result: to.clone(), relayouts: vec![Relayout { place: Place::Result, from, to }] }
}

/// The default order, with the tiles of another array, as one of this rank has them.
fn descending_like(result: &ArrayShape, like: &ArrayShape) -> Result<Layout, Unsettled> {
    let own = like.layout_or_default();
    match tiles_for(own.tiles(), result.rank()) {
        Some(tiles) => Ok(Layout::descending(result.rank()).with_tiles(tiles)),
        None => mismatch("the tile is too large"),
    }
}
