//! What a file will look like, settled before it is made: its headers and every array's place.

use crate::error::Fault;
use crate::info::{ArrayInfo, ArraySpec, check_name};
use crate::limits::{MAX_ARRAY_BYTES, MAX_ARRAYS};

/// The files to be made; each array's `shard` is the index of its file.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) files: Vec<PlannedFile>,
    pub(crate) arrays: Vec<ArrayInfo>,
    pub(crate) beside: Beside,
}

/// One file to be made.
#[derive(Debug)]
pub(crate) struct PlannedFile {
    /// The first bytes.
    pub(crate) header: Vec<u8>,
    /// The length of the whole, in bytes.
    pub(crate) len: u64,
}

/// What belongs beside the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Nothing: whatever is there is somebody else's.
    Nothing,
    /// The layout of its one array, if that has one.
    Layout,
}

impl Plan {
    /// A single file of a format that keeps its layout beside it.
    pub(crate) fn with_layout_beside(file: PlannedFile, mut array: ArrayInfo) -> Self {
        array.shard = 0;
        Plan { files: vec![file], arrays: vec![array], beside: Beside::Layout }
    }
}

impl PlannedFile {
    pub(crate) fn new(header: Vec<u8>, data_len: u64) -> Result<Self, Fault> {
        let len = data_len.checked_add(header.len() as u64).filter(|&len| len <= MAX_ARRAY_BYTES);
        Ok(PlannedFile { header, len: len.ok_or_else(too_long)? })
    }
}

/// The one array of a format that holds one.
pub(crate) fn the_only<'a>(specs: &'a [ArraySpec], format: &str) -> Result<&'a ArraySpec, Fault> {
    match specs {
        [spec] => Ok(spec),
        _ => Err(Fault::request(format!("a {format} file holds one array, not {}", specs.len()))
            .help("choose safetensors for any other number")),
    }
}

/// Refuses what could not be read back: names said twice, too long, or taken by the format.
pub(crate) fn check_names(specs: &[ArraySpec]) -> Result<(), Fault> {
    if specs.len() > MAX_ARRAYS {
        return Err(Fault::limit("the number of arrays", specs.len() as u128, MAX_ARRAYS as u64));
    }
    let mut names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Fault::request("two arrays have one name"));
    }
    match names.iter().find(|&&name| name == "__metadata__") {
        Some(name) => Err(Fault::request(format!("`{name}` cannot be the name of an array"))),
        None => names.into_iter().try_for_each(check_name),
    }
}

pub(crate) fn too_long() -> Fault {
    Fault::request(format!("the file is over the limit of {MAX_ARRAY_BYTES} bytes"))
}
