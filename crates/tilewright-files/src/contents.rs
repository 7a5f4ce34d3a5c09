//! What opening a file comes to, whatever its format.

use std::ops::Range;
use std::path::Path;

use tilewright::ElementType;

use crate::error::Fault;
use crate::info::{ArrayInfo, Metadata, Shard};
use crate::json::shortened;
use crate::positional::Source;

/// What the caller says of a file that is to be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The element type where the file says only its size.
    pub(crate) element_type: Option<ElementType>,
    /// The array of a raw file: its element type and dims.
    pub(crate) raw: Option<(ElementType, Vec<i64>)>,
    pub(crate) ignore_layouts: bool,
}

/// What opening any format comes to: each array's `shard` is the index of its source.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) sources: Vec<Source>,
    pub(crate) arrays: Vec<ArrayInfo>,
    pub(crate) metadata: Metadata,
    pub(crate) shards: Vec<Shard>,
    /// The arrays that layouts are recorded of and that are not there.
    pub(crate) unused_layouts: Vec<String>,
}

impl Contents {
    pub(crate) fn one_array(source: Source, array: ArrayInfo) -> Self {
        Contents { sources: vec![source], arrays: vec![array], ..Contents::default() }
    }
}

/// The name of the array in a file that has no room for one: `w` of `dir/w.npy`.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Where `byte_offset` of the array is in its file, if `len` bytes from there are the array's.
pub(crate) fn place(info: &ArrayInfo, byte_offset: u64, len: usize) -> Result<u64, Fault> {
    match byte_offset.checked_add(len as u64) {
        Some(end) if end <= info.byte_len => Ok(info.file_offset.saturating_add(byte_offset)),
        _ => Err(Fault::request(format!(
            "{len} bytes from byte {byte_offset} are outside array `{}` of {} bytes",
            shortened(&info.name),
            info.byte_len
        ))),
    }
}

/// The arrays of these numbers, and where the first is in its file, if they lie one after another
/// and have `len` bytes in all.
pub(crate) fn place_all(
    infos: &[ArrayInfo],
    arrays: Range<usize>,
    len: usize,
) -> Result<(&[ArrayInfo], u64), Fault> {
    let no_arrays = || no_array(arrays.end.saturating_sub(1), infos.len());
    let these = infos.get(arrays.clone()).ok_or_else(no_arrays)?;
    let first = these.first().ok_or_else(|| Fault::request("no arrays were asked for"))?;
    let mut pairs = these.iter().zip(these.iter().skip(1));
    if let Some((one, other)) = pairs.find(|(one, other)| !one.is_followed_by(other)) {
        let (one, other) = (shortened(&one.name), shortened(&other.name));
        return Err(Fault::request(format!("array `{other}` does not lie right after `{one}`")));
    }
    let all: u64 = these.iter().map(|info| info.byte_len).sum();
    match all == len as u64 {
        true => Ok((these, first.file_offset)),
        false => Err(Fault::request(format!("arrays {arrays:?} have {all} bytes, not {len}"))),
    }
}

pub(crate) fn no_array(array: usize, n_arrays: usize) -> Fault {
    Fault::request(format!("there is no array {array}: there are {n_arrays}, counted from 0"))
}
