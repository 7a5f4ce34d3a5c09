//! The head of a file: what it holds, checked against its length.

use tilewright::formats::gguf::GgufType;

use super::cursor::Cursor;
use super::metadata::{self, GgufEntry, GgufValue};
use super::tensor::GgufTensor;
use crate::error::{Error, Fault};
use crate::json::shortened;
use crate::limits::{MAX_ARRAY_BYTES, MAX_GGUF_ENTRIES, MAX_GGUF_RANK, MAX_NAME_BYTES};
use crate::positional::Source;

/// The first bytes.
pub(crate) const MAGIC: [u8; 4] = *b"GGUF";

/// The entry that says what the data begins at a multiple of.
const ALIGNMENT_KEY: &str = "general.alignment";

/// What it begins at a multiple of where there is no such entry.
const DEFAULT_ALIGNMENT: u64 = 32;

/// Where the metadata begins: behind the magic bytes, the version and two counts.
pub(super) const METADATA_START: u64 = 4 + 4 + 8 + 8;

/// The bytes of the shortest tensor info: the length of its name, number of dims, type and offset.
const LEAST_INFO: u64 = 8 + 4 + 4 + 8;

/// What the head says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) alignment: u64,
    pub(super) metadata: Vec<GgufEntry>,
    /// Where the metadata ends in the file; it begins behind the counts.
    pub(super) metadata_end: u64,
    pub(super) tensors: Vec<GgufTensor>,
}

/// Reads and checks the head.
pub(super) fn read(source: &Source) -> Result<Header, Error> {
    let mut cursor = Cursor::new(source);
    let version = read_version(&mut cursor, source)?;
    let (n_tensors, n_entries) = (cursor.u64()?, cursor.u64()?);
    let metadata = metadata::read(&mut cursor, n_entries)?;
    let metadata_end = cursor.position();
    let fault = |fault| source.fault(fault);
    check_distinct("the key", metadata.iter().map(|entry| entry.key.as_str())).map_err(fault)?;
    let alignment = alignment_of(&metadata).map_err(fault)?;
    let mut tensors = read_infos(&mut cursor, n_tensors)?;
    check_distinct("the tensor", tensors.iter().map(GgufTensor::name)).map_err(fault)?;
    place(&mut tensors, cursor.position(), alignment, source.len()).map_err(fault)?;
    Ok(Header { version, alignment, metadata, metadata_end, tensors })
}

fn read_version(cursor: &mut Cursor, source: &Source) -> Result<u32, Error> {
    if cursor.fixed()? != MAGIC {
        return Err(source.fault(Fault::malformed("the file does not begin with `GGUF`")));
    }
    let version = cursor.u32()?;
    let unsupported = |message: String| Err(source.fault(Fault::unsupported(message)));
    match version {
        2 | 3 => Ok(version),
        1 => unsupported(
            "version 1 of the format, whose counts have 32 bits, is not read; 2 and 3 are".into(),
        ),
        // Small numbers, as seen from the other end.
        _ if version & 0xFFFF == 0 && version != 0 => {
            let version = version.swap_bytes();
            unsupported(format!(
                "a big-endian file (of version {version}), and only little-endian ones are read"
            ))
        }
        _ => unsupported(format!("version {version} of the format is not known; 2 and 3 are")),
    }
}

fn alignment_of(metadata: &[GgufEntry]) -> Result<u64, Fault> {
    let Some(entry) = metadata.iter().find(|entry| entry.key == ALIGNMENT_KEY) else {
        return Ok(DEFAULT_ALIGNMENT);
    };
    match &entry.value {
        GgufValue::U32(number) if number.is_power_of_two() => Ok(u64::from(*number)),
        value => Err(Fault::malformed(format!(
            "`{ALIGNMENT_KEY}` is {} of type {}, and has to be a power of two of type u32",
            shortened(&value.to_string()),
            value.value_type()
        ))),
    }
}

fn read_infos(cursor: &mut Cursor, count: u64) -> Result<Vec<GgufTensor>, Error> {
    cursor.enter("the header", 0);
    if count > MAX_GGUF_ENTRIES {
        let fault = Fault::limit("the number of tensors", count.into(), MAX_GGUF_ENTRIES);
        return Err(cursor.fault(&fault));
    }
    cursor.expect("the list of tensors", count, LEAST_INFO)?;
    let mut tensors = Vec::new();
    for number in 0..count {
        cursor.enter("tensor", number);
        tensors.push(read_info(cursor)?);
    }
    Ok(tensors)
}

/// One info, whose offset counts from the start of the data yet.
fn read_info(cursor: &mut Cursor) -> Result<GgufTensor, Error> {
    let name = cursor.name("a name", MAX_NAME_BYTES as u64)?;
    cursor.named(&name);
    let rank = cursor.u32()?;
    if rank > MAX_GGUF_RANK {
        let fault = Fault::limit("the number of dimensions", rank.into(), MAX_GGUF_RANK.into());
        return Err(cursor.fault(&fault));
    }
    let mut dims = Vec::new();
    for _ in 0..rank {
        let size = cursor.u64()?;
        let too_large = || Fault::limit("a dimension", size.into(), MAX_ARRAY_BYTES);
        dims.push(i64::try_from(size).map_err(|_| cursor.fault(&too_large()))?);
    }
    dims.reverse();
    let id = cursor.u32()?;
    let gguf_type = GgufType::of_id(id).ok_or_else(|| {
        cursor.fault(&Fault::malformed(format!("the type {id} is none of ggml's that files have")))
    })?;
    let byte_len = byte_len(gguf_type, &dims).map_err(|fault| cursor.fault(&fault))?;
    Ok(GgufTensor { name, gguf_type, dims, file_offset: cursor.u64()?, byte_len })
}

/// The bytes of a tensor. The product of its sizes that are not 0 has to fit too, so that strides
/// that are made of it do.
pub(crate) fn byte_len(gguf_type: &GgufType, dims: &[i64]) -> Result<u64, Fault> {
    let record = gguf_type.record();
    let wrong = |error: tilewright::Error| {
        Fault::malformed(format!("{} of dims {dims:?}: {error}", gguf_type.name()))
    };
    let filled: Vec<i64> = match dims.split_last() {
        Some((0, leading)) => [leading, &[record.elements()]].concat(),
        _ => dims.to_vec(),
    };
    let filled: Vec<i64> = filled.iter().map(|&size| size.max(1)).collect();
    record.array_bytes(&filled).map_err(wrong)?;
    let bytes = record.array_bytes(dims).map_err(wrong)?;
    u64::try_from(bytes).map_err(|_| Fault::malformed("a negative length"))
}

/// Sorts references, not texts.
pub(crate) fn check_distinct<'a>(
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Fault> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair.first() == pair.last()) {
        Some(pair) => {
            let name = shortened(pair.first().copied().unwrap_or_default());
            Err(Fault::malformed(format!("{what} `{name}` appears twice")))
        }
        None => Ok(()),
    }
}

/// Gives the tensors their places in the file, behind a head of so many bytes, and checks that each
/// has its own.
fn place(
    tensors: &mut [GgufTensor],
    header_end: u64,
    alignment: u64,
    file_len: u64,
) -> Result<(), Fault> {
    let data_start = header_end.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
    for tensor in tensors.iter_mut() {
        let name = || shortened(&tensor.name);
        let offset = tensor.file_offset;
        if !offset.is_multiple_of(alignment) {
            return Err(Fault::malformed(format!(
                "tensor `{}` begins at byte {offset} of the data, not a multiple of {alignment}",
                name()
            )));
        }
        let start = data_start.checked_add(offset);
        let end = start.and_then(|start| start.checked_add(tensor.byte_len));
        let is_there = end.is_some_and(|end| end <= file_len) || tensor.byte_len == 0;
        let Some(start) = start.filter(|_| is_there) else {
            return Err(Fault::malformed(format!(
                "tensor `{}` has {} bytes from byte {offset} of the data, and the file has {} of it: cut short?",
                name(),
                tensor.byte_len,
                file_len.saturating_sub(data_start)
            )));
        };
        tensor.file_offset = start;
    }
    check_apart(tensors)
}

/// That no byte belongs to two tensors.
fn check_apart(tensors: &[GgufTensor]) -> Result<(), Fault> {
    let mut by_place: Vec<&GgufTensor> = tensors.iter().filter(|one| one.byte_len > 0).collect();
    by_place.sort_by_key(|one| one.file_offset);
    for pair in by_place.windows(2) {
        let [one, other] = pair else { continue };
        let end = one.file_offset.saturating_add(one.byte_len);
        if end > other.file_offset {
            return Err(Fault::malformed(format!(
                "tensor `{}` begins at byte {} of the file, inside of `{}`, which ends at {end}",
                shortened(&other.name),
                other.file_offset,
                shortened(&one.name)
            )));
        }
    }
    Ok(())
}
