//! `.safetensors`: any number of named arrays behind a JSON header.
//!
//! ```text
//! 8 bytes    n, the header's length in bytes, little-endian
//! n bytes    {"__metadata__":{"k":"v"},"name":{"dtype":"F32","shape":[3,5],"data_offsets":[0,60]},…}
//! the rest   the arrays' bytes: data_offsets count from here
//! ```
//!
//! # What is read
//!
//! What the format's description allows, and no more. The header begins with `{` and may end in
//! white space. Each name, each key of an entry and each key of `__metadata__` appears once; an
//! entry has `dtype`, `shape` and `data_offsets` and nothing else; sizes and offsets are written as
//! plain whole numbers. Each array is exactly as long as its dtype and shape say, and together they
//! cover the rest of the file without holes or overlap. Arrays of no bytes may share an offset.
//!
//! The reference reader also takes duplicate names (the last wins) and unknown keys in an entry;
//! here both are errors.
//!
//! # What is written
//!
//! Arrays in the order they are given, in the header and in the data. The header is padded with
//! spaces so that the data begins at a multiple of 8 bytes.
//!
//! Layouts are in `__metadata__`, under `tilewright`. A layout there of an array that is not in the
//! file is no error, since a tool that dropped the array need not have known of it; whoever opens the
//! file can ask which these are.

mod companions;
pub(crate) mod folder;
mod header;
pub(crate) mod replaced;

pub use companions::Companions;

use std::path::Path;

use crate::contents::{Contents, Reading};
use crate::error::{Error, Fault};
use crate::info::{ArrayInfo, ArraySpec, Metadata};
use crate::json::shortened;
use crate::layout_record;
use crate::limits::MAX_SAFETENSORS_HEADER_BYTES;
use crate::plan::{Beside, Plan, PlannedFile, check_names};
use crate::positional::Source;

use self::header::Header;

pub(crate) use self::header::stored_bits;

/// The width of the header's length.
const LENGTH_BYTES: u64 = 8;

/// Reads the header of a single file.
pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Contents, Error> {
    let source = Source::open(path)?;
    let (Header { metadata, arrays }, unused_layouts) = read(&source, reading)?;
    Ok(Contents { sources: vec![source], arrays, metadata, shards: Vec::new(), unused_layouts })
}

/// Lays out a single file.
pub(crate) fn plan(specs: &[ArraySpec], metadata: &Metadata) -> Result<Plan, Fault> {
    if let Some(spec) = specs.iter().find(|spec| spec.shard != 0) {
        let message = format!(
            "array `{}` is to be in shard {}, but there is one file",
            shortened(&spec.name),
            spec.shard
        );
        return Err(Fault::request(message));
    }
    let mut arrays = infos(specs)?;
    let file = plan_file(&mut arrays, metadata)?;
    Ok(Plan { files: vec![file], arrays, beside: Beside::Nothing })
}

/// Reads and checks a header, and hangs the layouts on their arrays. Beside it, the names of the
/// arrays whose layouts are left over.
fn read(source: &Source, reading: &Reading) -> Result<(Header, Vec<String>), Error> {
    let length = source.read_vec("the header length", 0, LENGTH_BYTES)?;
    let length = length.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    if length > MAX_SAFETENSORS_HEADER_BYTES {
        let limit = MAX_SAFETENSORS_HEADER_BYTES;
        return Err(source.fault(Fault::limit("the header length", length.into(), limit)));
    }
    let text = source.read_vec("the header", LENGTH_BYTES, length)?;
    let data_start = LENGTH_BYTES.saturating_add(length);
    header::parse(&text, data_start, source.len().saturating_sub(data_start))
        .and_then(|header| with_layouts(header, reading))
        .map_err(|fault| source.fault(fault))
}

fn with_layouts(mut header: Header, reading: &Reading) -> Result<(Header, Vec<String>), Fault> {
    let record = header.metadata.remove(layout_record::KEY);
    let Some(record) = record.filter(|_| !reading.ignore_layouts) else {
        return Ok((header, Vec::new()));
    };
    let mut layouts = layout_record::parse(record.as_bytes())?;
    for array in &mut header.arrays {
        array.layout = layouts.remove(&array.name);
    }
    Ok((header, layouts.into_keys().collect()))
}

/// The arrays as they will be stored, their places still to be found.
fn infos(specs: &[ArraySpec]) -> Result<Vec<ArrayInfo>, Fault> {
    check_names(specs)?;
    specs.iter().map(info).collect()
}

fn info(spec: &ArraySpec) -> Result<ArrayInfo, Fault> {
    spec.require_row_major("safetensors")?;
    spec.element_type.safetensors_name().ok_or_else(|| no_dtype(spec))?;
    spec.clone().into_info(stored_bits(spec.element_type))
}

/// Gives the arrays of one file their places, and writes its header.
fn plan_file<'a>(
    arrays: impl IntoIterator<Item = &'a mut ArrayInfo>,
    metadata: &Metadata,
) -> Result<PlannedFile, Fault> {
    if metadata.contains_key(layout_record::KEY) {
        let message = format!("the metadata key `{}` is kept for layouts", layout_record::KEY);
        return Err(Fault::request(message));
    }
    let mut arrays: Vec<&mut ArrayInfo> = arrays.into_iter().collect();
    let mut data_len = 0u64;
    for array in &mut arrays {
        array.file_offset = data_len;
        data_len = data_len.checked_add(array.byte_len).ok_or_else(crate::plan::too_long)?;
    }
    let header = header::write(&arrays, metadata)?;
    for array in arrays {
        array.file_offset = array.file_offset.saturating_add(header.len() as u64);
    }
    PlannedFile::new(header, data_len)
}

fn no_dtype(spec: &ArraySpec) -> Fault {
    let (name, element_type) = (shortened(&spec.name), spec.element_type);
    Fault::request(format!(
        "array `{name}` is of type {element_type}, which safetensors has no dtype for"
    ))
    .help("store its bytes as u8, and its type in the layout")
}
