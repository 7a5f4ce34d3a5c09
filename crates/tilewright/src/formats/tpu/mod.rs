//! The formats that TPU compilers give arrays.
//!
//! An array that enters or leaves a TPU program, and has no layout asked for, gets the compiler's
//! *default format*: an order of its dimensions, tiles, and for 1-, 2- and 4-bit elements an
//! element size. [`default_shape`] is that choice for every [`Chip`], [`argument_bytes`] what the
//! array then takes, and [`candidates`] what else it could be and what a relayout would move.
//!
//! ```
//! use tilewright::ArrayShape;
//! use tilewright::formats::tpu::{Chip, argument_bytes, default_shape};
//!
//! let shape: ArrayShape = "bf16[1000,3]".parse()?;
//! let on_device = default_shape(&shape, Chip::V5e)?;
//! assert_eq!(on_device.to_string(), "bf16[1000,3]{0,1:T(4,128)(2,1)}");
//! assert_eq!(argument_bytes(&on_device)?, 8192); // 6000 of them data
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The rule
//! A TPU's registers hold rows of 128 words of 32 bits. What it reads at once is one row on v4 and
//! later, two on v2 and v3. Elements of fewer than 32 bits share words, *p* = 32 / bits to a word,
//! and those that share one come from *p* rows: the second tile, `(p,1)`. v2 and v3 store elements
//! below a byte in a byte. Elements above 32 bits are kept as *planes* of 32 bits, each in the
//! format of a 32-bit array.
//!
//! * **The least rows** of a tile hold what is read at once, and at least *p* of the type's own
//!   bits. **The most** are 8, or the least where those are more.
//! * **Tiles of rank 2 and above** have 128 columns. Their rows are the second-minor size rounded
//!   up to a power of two, between the least and the most. Where elements have 8 bits or fewer,
//!   v4 and later take 8*p* rows if that divides the second-minor size.
//! * **Tiles of rank 1** have as many elements as so many rows: the size over 128 in place of the
//!   second-minor size. A scalar's has the fewest that can be read at once.
//! * **The order**: of all pairs, the minor and second-minor dimensions are those with which the
//!   tiles need no padding; or else those that make the array smallest, where the padding of tiles
//!   of more than 8 rows counts as if they had 8. Among equals the last dimension is minor, then
//!   the last second-minor. The others follow, the last most minor.
//! * **Arrays without elements** have no tiles, and the last dimension minor.
//!
//! # Source
//! Observed: the default layouts and argument sizes of `libtpu` 0.0.51, asked for more than a
//! million random shapes of each generation. The tests hold this module to a frozen part of them.
//! Not followed is what that compiler does for some arrays of 2⁵⁰ bytes and more, for which its own
//! count, with the padding of the worst order, overflows. [`documented_shape`] is the older rule that XLA's *Tiled layout* document has.

mod bytes;
mod candidates;
mod chip;
mod default;
mod document;
mod order;
mod padding;
mod rule;

pub use bytes::argument_bytes;
pub use candidates::{Candidate, MAX_CANDIDATE_RANK, candidates, compared_shape};
pub use chip::Chip;
pub use default::default_shape;
pub use document::documented_shape;
pub use padding::padding_in_words;
