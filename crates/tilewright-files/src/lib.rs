//! Array files: what arrays they hold, their bytes by position, and how to replace one safely.
//!
//! | format | arrays | layout kept in |
//! |---|---|---|
//! | `.npy`, versions 1 to 3 | one, in C or Fortran order | `<file>.layout.json` beside it |
//! | `.safetensors` | any number, by name | `__metadata__["tilewright"]` |
//! | a folder with `model.safetensors.index.json`, or with one `model.safetensors` | any number, over several files | each file's `__metadata__` |
//! | raw | one, of dims that the caller says | `<file>.layout.json` beside it |
//! | `.gguf`, versions 2 and 3, read only | any number, in ggml's types ([`GgufFile`]) | the types themselves |
//! | Zarr v3, written only | one, in chunks that are tiled buffers | the codecs themselves |
//!
//! What comes in is a path. What goes out is a list of [`ArrayInfo`]s — name, element type, dims,
//! order, length in bytes — and the bytes of each by position. The other way, a list of
//! [`ArraySpec`]s and their bytes become a file.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("w.npy");
//! use tilewright::ElementType;
//! use tilewright_files::{ArrayFile, ArraySpec, CreateOptions, Format, StoredLayout};
//!
//! // A packed array is stored as its physical dims, with the logical shape and layout beside it.
//! let layout = StoredLayout::new("u8[3,5]{1,0:T(2,4)}", "0");
//! let spec = ArraySpec::new("w", ElementType::U8, [2, 2, 2, 4]).layout(layout.clone());
//! let mut writer = CreateOptions::new().create(&path, Format::Npy, &[spec])?;
//! writer.append(0, &[7; 32])?;
//! writer.finish()?;
//!
//! let file = ArrayFile::open(&path)?;
//! let array = &file.arrays()[0];
//! assert_eq!((array.name(), array.dims(), array.byte_len()), ("w", &[2, 2, 2, 4][..], 32));
//! assert_eq!(array.layout(), Some(&layout));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is deliberately absent
//!
//! * Values. Bytes go through as they are: no conversion, no NaN made quiet, no padding looked at.
//! * Movement. A layout is kept and handed on as text. [`ArrayFile::described`] reads it and
//!   [`ArraySpec::of`] writes it, and what becomes of the bytes is the caller's to do.
//! * Memory for data. Nothing is held but headers; the caller brings the buffers, and finds
//!   [`Buffer`] here to make them of.
//!
//! # Trust
//!
//! A file may be cut short, wrong or hostile. Headers are read in one pass, in time and memory
//! proportional to the bytes that are there, up to the [`limits`]; nothing is allocated because a
//! header says so. All sizes are checked against each other and the file's length before the first
//! read, so a file that opens can be read, unless it changes meanwhile: then a read is an error.
//!
//! Files are not mapped into memory: whoever writes to a mapped file changes what a `&[u8]` points
//! to, and whoever shortens it kills the process. A caller who can answer for a file finds where an
//! array lies in it ([`ArrayInfo::file_offset`], [`ArrayInfo::byte_len`]) and maps it.

#![forbid(unsafe_code)]
// What a file says is added up, multiplied and indexed by what says what comes of too much.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

mod error;
pub mod limits;

mod listing;
mod positional;

mod info;
mod json;

mod fingerprint;
mod layout_record;

mod contents;
mod plan;
mod side_file;

mod gguf;
mod npy;
mod raw;
mod safetensors;

mod format;
mod open;

mod claim;
mod publish;
mod staged;
mod unnamed;

mod coverage;
mod create;
mod gguf_writer;
mod write;
mod writeback;

mod buffer;

mod stored;

mod rules;

#[cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "only writes, and what it counts are the sizes and digits of a layout's map, which was checked when it was made"
    )
)]
mod zarr;

pub use crate::buffer::Buffer;
pub use crate::claim::abandon;
pub use crate::create::{CreateOptions, Outline, ShardOutline};
pub use crate::error::Error;
pub use crate::format::Format;
pub use crate::gguf::{GgufArray, GgufEntry, GgufFile, GgufTensor, GgufValue, GgufValueType};
pub use crate::gguf_writer::{GgufSpec, GgufWriter};
pub use crate::info::{ArrayInfo, ArraySpec, Metadata, Order, Shard, StoredLayout};
pub use crate::listing::{make_folder, names_in};
pub use crate::open::{ArrayFile, OpenOptions};
pub use crate::rules::{RuleError, Rules};
pub use crate::safetensors::Companions;
pub use crate::side_file::layout_beside;
pub use crate::write::Writer;
pub use crate::zarr::{ZarrStore, ZarrWriter};
