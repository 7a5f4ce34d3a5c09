//! Moves the bytes of an array from one layout to another.
//!
//! In come two [`Placement`]s of the same logical array, each an index map and the width of a
//! slot, and the bytes of one; out come the bytes of the other. Dense to tiled and back, tiled to
//! other tiles, permuted, padded, packed below a byte: all are the same thing here.
//!
//! ```
//! use tilewright::Shape;
//! use tilewright_relayout::{Pad, Placement, relayout};
//!
//! fn placement(text: &str) -> Result<Placement, Box<dyn std::error::Error>> {
//!     Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
//! }
//! let rows = placement("u8[3,5]")?;
//! let tiles = placement("u8[3,5]{1,0:T(2,2)}")?;
//!
//! let numbers: Vec<u8> = (1..=15).collect();
//! let mut tiled = vec![0; tiles.bytes()];
//! relayout(&numbers, &rows, &mut tiled, &tiles, Pad::Bits(99))?;
//! assert_eq!(tiled[..12], [1, 2, 6, 7, 3, 4, 8, 9, 5, 99, 10, 99]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The idea
//! For every element of the array, in some order: read the slot that the one map gives it, write
//! the slot that the other gives it. All speed is in the order. A [`Plan`] finds, once:
//!
//! 1. **Boxes.** Each dimension is cut at the divisors of both maps, so that on what is left both
//!    are linear: a loop nest with two strides per loop. Where a tile is not full, the array is
//!    several boxes, each of them dense, so that nothing is tested per element. `f32[20,5]` to
//!    tiles of 8 × 2 is 4 boxes: the 16 rows that fill tiles and the 4 that do not, times 4 and 1
//!    columns. Tiles of 4 and of 6 rows, tiles across dimensions and swizzles come apart as well,
//!    into a few more; a swizzle of whole pieces of 16 bytes is left out of the boxes, and the pieces
//!    change their places on the way. Where padding and elements take turns for every few bytes, the tiles are
//!    made in rows first, in the caches, and padding is moved with the elements; or, where the last tile of a dimension is
//!    one of several, boxes go as far as it does: what they have read beyond the dimension's end is filled when it is moved.
//! 2. **Units.** What stays together on both sides moves together: a row of 128 `s4` is 2 units
//!    of 32 bytes, the largest there are.
//! 3. **Chunks.** The destination is cut where its tiles begin, into pieces written in order and each
//!    by one thread: of about 512 KiB, or 256 KiB where a piece of a destination that stays in the caches is put
//!    together before it is packed. Where source neighbours end up far apart, chunks are larger, so that enough is
//!    read at a time, up to 32 MiB, or 128 where they would read parts of what a swizzle exchanges, and are written in place; and whoever moves all of such an array at once
//!    has a single one, or threads share it by parts of another loop than the destination's outermost. What is not more than two such pieces is a single one.
//!
//! What moves the boxes of a chunk is made with the plan: programs that load registers, exchange the
//! bytes in them and store them, rows that are brought to even places first and back afterwards, tables by
//! which they are looked up, or copies of runs, by where memory begins. All of them move elements below a
//! byte too, and between slots of different widths. Slots without an element are filled apart. Kernels use
//! the vector registers that the processor has, AVX-512, AVX2, SSE4.1 or NEON, found at run time; what comes out
//! does not depend on them. Destinations of 8 MiB and more are written past the
//! caches. [`Plan::describe`] tells all of it, with the kernel that each whole box would be moved by.
//!
//! # Memory
//! A plan is small whatever the array, and so are a program's lists, of 128 KiB at most. What a run
//! takes beside the source and the destination grows with its chunks, never with the array, unless the
//! array goes through rows: [`Plan::scratch_bytes`] says how much that is for each thread,
//! [`Plan::held_bytes`] what the plan has.
//!
//! # What a relayout promises
//! * Every byte of the destination is written. A slot that holds no element holds the
//!   [`Pad`], bits after the last slot are zero.
//! * Values are opaque: NaN payloads, negative zeros and subnormals come through bit for bit.
//! * The bytes do not depend on the number of threads, nor on how the chunks were run.
//! * No element is lost: a destination map that puts several elements into one slot is refused,
//!   unless they are said to be [copies](Placement::holding_copies) of each other. Then one of them
//!   is there afterwards, the same one every time.
//!
//! # What is not here
//! No files, no allocation of the buffers themselves, no conversion of values. And not every pair
//! of maps at full speed:
//!
//! * An array that would be more than 4096 boxes, as from tiles of 127 by 127 to tiles of 128 by
//!   128, goes through rows, in memory that is allocated for it, and is a single chunk.
//! * Where that does not help either, elements are moved one by one, by one thread and as a single
//!   chunk.
//!
//! A few elements that begin within bytes are moved bit by bit, where their rows are shorter than a byte.

#![deny(unsafe_code, unsafe_op_in_unsafe_fn)]

// To be read in this order: what comes in (`placement`, `options`), the plan (`plan`, `refine`,
// `beyond`, `linear`, `nest`, `chunk`, `sizing`, `order`, `ahead`), running it (`run`, `boxes`, `ready`, `padding`, `general`), by whom (`pool`, `desk`), and what that is made of (`kernels`, `bits`).
mod ahead;
mod beyond;
mod bits;
mod boxes;
mod chunk;
mod description;
#[allow(unsafe_code, reason = "one line, for which the module is there")]
mod desk;
mod error;
mod filled;
mod flip;
mod gather;
mod general;
mod in_place;
#[allow(unsafe_code, reason = "the one room for it: see the module")]
mod kernels;
mod linear;
mod nest;
mod options;
mod order;
mod overhang;
mod padding;
mod placement;
mod plan;
mod pool;
mod ready;
mod refine;
mod run;
mod sizing;
mod swizzled;
mod through;
mod widths;
mod work;

pub use description::{BoxDescription, Description, KernelKind, LoopDescription, Route, Storing};
pub use error::Error;
pub use in_place::{InPlace, relayout_in_place};
pub use options::{Pad, RunOptions, ThreadPool, Threads};
pub use placement::Placement;
pub use plan::Plan;

/// Moves an array once, on as many threads as there are: plan and run in one.
///
/// # Errors
/// If the logical dimensions differ, or a buffer is not exactly as long as its placement says.
pub fn relayout(
    src: &[u8],
    from: &Placement,
    dst: &mut [u8],
    to: &Placement,
    pad: Pad,
) -> Result<(), Error> {
    let options = RunOptions { pad, ..RunOptions::default() };
    Plan::new(from, to)?.run(src, dst, &options)
}
