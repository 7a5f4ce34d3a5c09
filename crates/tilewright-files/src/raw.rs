//! Raw files: the bytes of one array, and nothing that says what they are.

use std::path::Path;

use crate::contents::{Contents, Reading, stem};
use crate::error::{Error, Fault};
use crate::info::{ArrayInfo, ArraySpec, Order, byte_len};
use crate::plan::{Plan, PlannedFile, the_only};
use crate::side_file;

/// Opens the file as the array that the caller says it is.
pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Contents, Error> {
    let Some((element_type, dims)) = &reading.raw else {
        return Err(no_type(path));
    };
    let bits = element_type.storage_bits();
    let byte_len = byte_len(dims, bits).map_err(|fault| fault.at(path))?;
    let (source, layout) = side_file::open_beside(path, reading)?;
    source.require_end("the array", 0, byte_len)?;
    let array = ArrayInfo {
        name: stem(path),
        element_type: *element_type,
        dims: dims.clone(),
        order: Order::RowMajor,
        stored_bits: bits,
        byte_len,
        file_offset: 0,
        shard: 0,
        layout,
    };
    Ok(Contents::one_array(source, array))
}

/// Lays out a file of one array.
pub(crate) fn plan(path: &Path, specs: &[ArraySpec]) -> Result<Plan, Fault> {
    let mut spec = the_only(specs, "raw")?.clone();
    spec.require_row_major("a raw file")?;
    spec.name = stem(path);
    let bits = spec.element_type.storage_bits();
    let array = spec.into_info(bits)?;
    Ok(Plan::with_layout_beside(PlannedFile::new(Vec::new(), array.byte_len)?, array))
}

fn no_type(path: &Path) -> Error {
    Fault::ambiguous("a raw file, which does not say the type and dims of its array")
        .help("say the element type and dims; .npy and .safetensors files are known by name")
        .at(path)
}
