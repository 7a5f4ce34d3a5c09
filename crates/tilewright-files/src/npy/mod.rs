//! `.npy`: one array behind a short text header.
//!
//! # What is read
//!
//! Versions 1, 2 and 3 of the format, C and Fortran order. The header is the Python literal of a
//! dict with exactly the keys `descr`, `fortran_order` and `shape`. It is read in one pass without
//! recursion, and the file must be exactly as long as it says.
//!
//! NumPy's reader evaluates the header as Python, so it also takes spellings that its writer never
//! makes: `0x3` for a size, `u'<f4'` or `'<' 'f4'` for a string, a comment. Those are refused here.
//! So are a key said twice and bytes after the array, both of which NumPy lets pass.
//!
//! # Element types
//!
//! | element type | `descr` written | bytes per element |
//! |---|---|---|
//! | `pred` | <code>&#124;b1</code> | 1 |
//! | `s8`, `u8` | <code>&#124;i1</code>, <code>&#124;u1</code> | 1 |
//! | `s16` … `s64`, `u16` … `u64`, `f16` … `f64` | `<i2`, `<u2`, `<f2` … | 2 to 8 |
//! | `c64`, `c128` | `<c8`, `<c16` | 8, 16 |
//! | `bf16` | `<V2` | 2 |
//! | `f8e5m2` | `<f1` | 1 |
//! | every other type of 8 bits or less | `<V1` | 1 |
//!
//! The last three rows are what `np.save` writes for the dtypes of `ml_dtypes`, and so what is
//! written here. NumPy itself reads `<V2` and `<V1` back as bare bytes, to be viewed as the dtype
//! they are, and cannot read `<f1` at all.
//!
//! `<V2` is taken for `bf16`, the only such type. `<V1` says nothing of which it is: the type comes
//! from the side file's layout or from the caller, and without either the file is an error.
//!
//! # How `ml_dtypes` stores types below one byte
//!
//! One element per byte, in the low bits, the high bits zero: `int4(-8)` is the byte `08`,
//! `int2(-1)` is `03`, `int1(-1)` is `01`, and `float4_e2m1fn(-1.0)` is `0a`. A sign is *not*
//! extended. Reading, its integers ignore the high bits, while its 4- and 6-bit floats do not.
//! This crate hands the bytes on as they are.
//!
//! # Byte order
//!
//! Little-endian numbers only. `=`, `|` and no mark at all mean the machine's own order, as they do
//! for NumPy; on a byte the mark means nothing.
//!
//! Sources: NumPy's `numpy.lib.format`; what NumPy 2.4 and `ml_dtypes` 0.6 write, kept as test data.

mod descr;
mod header;

use std::path::Path;

use crate::contents::{Contents, Reading, stem};
use crate::error::{Error, Fault};
use crate::info::{ArrayInfo, ArraySpec, Order, byte_len};
use crate::limits::MAX_NPY_HEADER_BYTES;
use crate::plan::{Plan, PlannedFile, the_only};
use crate::positional::Source;
use crate::side_file;

use self::header::Header;

pub(crate) use self::header::MAGIC;

/// Where the version is, and where the header length begins.
const PREAMBLE_BYTES: u64 = 8;

/// Reads the header and the side file.
pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Contents, Error> {
    let (source, layout) = side_file::open_beside(path, reading)?;
    let (header, data_start) = read_header(&source)?;
    let element_type = descr::resolve(&header.descr, reading.element_type, layout.as_ref())
        .map_err(|fault| source.fault(fault))?;
    let bits = element_type.storage_bits();
    let byte_len = byte_len(&header.dims, bits).map_err(|fault| source.fault(fault))?;
    source.require_end("the array", data_start, byte_len)?;
    let array = ArrayInfo {
        name: stem(path),
        element_type,
        dims: header.dims,
        order: header.order,
        stored_bits: bits,
        byte_len,
        file_offset: data_start,
        shard: 0,
        layout,
    };
    Ok(Contents::one_array(source, array))
}

/// Lays out a file of one array.
pub(crate) fn plan(path: &Path, specs: &[ArraySpec]) -> Result<Plan, Fault> {
    let mut spec = the_only(specs, ".npy")?.clone();
    spec.name = stem(path);
    let bits = spec.element_type.storage_bits();
    let mut array = spec.into_info(bits)?;
    let header = header::write(&descr::of(array.element_type), array.order, &array.dims);
    array.file_offset = header.len() as u64;
    Ok(Plan::with_layout_beside(PlannedFile::new(header, array.byte_len)?, array))
}

/// The header, and where the data begins.
fn read_header(source: &Source) -> Result<(Header, u64), Error> {
    let preamble = source.read_vec("the .npy preamble", 0, PREAMBLE_BYTES)?;
    let length_bytes = length_width(&preamble).map_err(|fault| source.fault(fault))?;
    let length = source.read_vec("the header length", PREAMBLE_BYTES, length_bytes)?;
    let length = little_endian(&length);
    if length > MAX_NPY_HEADER_BYTES {
        let fault = Fault::limit("the header length", length.into(), MAX_NPY_HEADER_BYTES);
        return Err(source.fault(fault));
    }
    let start = PREAMBLE_BYTES.saturating_add(length_bytes);
    let text = source.read_vec("the header", start, length)?;
    let header = header::parse(&text).map_err(|fault| source.fault(fault))?;
    Ok((header, start.saturating_add(length)))
}

/// The width of the header length, in bytes, which the version decides.
fn length_width(preamble: &[u8]) -> Result<u64, Fault> {
    match preamble.strip_prefix(&MAGIC) {
        Some([1, 0]) => Ok(2),
        Some([2 | 3, 0]) => Ok(4),
        Some([major, minor]) => Err(Fault::unsupported(format!(
            "the .npy format version is {major}.{minor}, and only 1.0, 2.0 and 3.0 are known"
        ))),
        _ => Err(Fault::malformed("the file does not begin with `\\x93NUMPY`")),
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

impl Order {
    fn is_fortran(self) -> bool {
        self == Order::ColumnMajor
    }
}
