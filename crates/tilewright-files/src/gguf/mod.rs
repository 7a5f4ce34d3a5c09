//! `.gguf`: named tensors in ggml's types, behind key-value metadata.
//!
//! ```text
//! 4 bytes     "GGUF"
//! u32         the version
//! u64 u64     how many tensors, how many entries of metadata
//! entries     key, type, value
//! infos       name, number of dims, dims (the row's first), type, offset
//! padding     to a multiple of general.alignment, which is 32 where it is not said
//! the rest    the tensors' bytes: offsets count from here
//! ```
//!
//! All numbers are little-endian; a text is a u64 length and so many bytes.
//!
//! # What is read
//!
//! Versions 2 and 3. Version 1 counts in 32 bits; big-endian files exist and are told by the version,
//! whose bytes are the other way round. Each key and each name appears once. Every tensor has a
//! type that is known ([`GgufType`](tilewright::formats::gguf::GgufType)), rows of whole blocks, an offset
//! that is a multiple of the alignment, and bytes that are in the file and no other's. Between
//! tensors and after the last there may be more.
//!
//! Metadata is kept as it is, except arrays: of these the type, the number of elements and the first
//! few. A vocabulary has a hundred thousand texts, and nothing here needs them.
//!
//! # What a tensor is
//!
//! Dims are row-major, the row's length last, as everywhere here and the other way round than in the
//! file. A quantised tensor is rows of blocks; [`GgufFile::codes`] and [`GgufFile::values`] take
//! the fields of the blocks apart, bit by bit as [`Record`](tilewright::formats::Record) says, and
//! [`ArrayFile`](crate::ArrayFile) has the blocks as rows of bytes: `Q4_0` of dims 4096, 4096 is
//! `u8[4096,2304]`.
//!
//! # What is written
//!
//! A file with the metadata of another, of any tensors ([`GgufWriter`](crate::GgufWriter)): copied, given as blocks, or
//! as values that are put into their fields. So rows and codes of a model can be moved, or go from a
//! type to another with the same codes, and nothing else changes.

mod cursor;
mod file;
mod header;
mod metadata;
#[cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "counts the bits of records that this crate names"
    )
)]
mod pack;
mod tensor;
#[cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "counts the bits of records that this crate names"
    )
)]
mod unpack;

pub use file::GgufFile;
pub use metadata::{GgufArray, GgufEntry, GgufValue, GgufValueType};
pub use tensor::GgufTensor;

pub(crate) use header::{MAGIC, byte_len, check_distinct};
pub(crate) use pack::set_values;

use std::path::Path;

use crate::contents::Contents;
use crate::error::Error;

/// Opens the file as arrays of bytes and plain elements, in the order of their bytes.
pub(crate) fn open(path: &Path) -> Result<Contents, Error> {
    let (source, tensors) = GgufFile::open(path)?.into_parts();
    let mut arrays: Vec<_> = tensors.into_iter().map(GgufTensor::into_info).collect();
    arrays.sort_by_key(|array| array.file_offset);
    Ok(Contents { sources: vec![source], arrays, ..Contents::default() })
}
