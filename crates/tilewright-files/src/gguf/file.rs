//! An open file: its metadata, its tensors, and what is in their blocks.

use std::num::NonZeroUsize;
use std::path::Path;

use super::header::{self, Header, METADATA_START};
use super::metadata::{GgufEntry, GgufValue};
use super::tensor::GgufTensor;
use super::unpack::{Unpacker, Word};
use crate::error::{Error, Fault};
use crate::json::shortened;
use crate::positional::Source;

/// How many bytes of records are read at once, if a record is not longer.
const PIECE: usize = 1 << 20;

/// An open `.gguf` file. It can be shared between threads.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("w.gguf");
/// # let text = |text: &[u8]| [&(text.len() as u64).to_le_bytes(), text].concat();
/// # let mut bytes = [&b"GGUF\x03\0\0\0"[..], &1u64.to_le_bytes(), &0u64.to_le_bytes()].concat();
/// # bytes.extend([&text(b"w")[..], &[1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0], &[0; 8]].concat());
/// # bytes.resize(64, 0);
/// # bytes.extend([0, 0x3C, 0x98, 0xA9].into_iter().chain([0x88; 14]));
/// # std::fs::write(&path, bytes)?;
/// use tilewright_files::GgufFile;
/// let file = GgufFile::open(&path)?; // one block of Q4_0: a scale of 2 bytes, 16 bytes of codes
/// let tensor = &file.tensors()[0];
/// assert_eq!((tensor.gguf_type().name(), tensor.dims(), tensor.byte_len()), ("Q4_0", &[32][..], 18));
/// let codes = file.codes("w")?;
/// assert_eq!((&codes[..3], &codes[16..19]), (&[8, 9, 8][..], &[9, 10, 8][..]));
/// assert_eq!(file.values("w", "d")?, [0x3C00]); // 1.0 as an f16
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GgufFile {
    source: Source,
    header: Header,
}

impl GgufFile {
    /// Opens a file and reads its head.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not of version 2 or 3, is big-endian, or its head breaks a rule or
    /// one of the [`limits`](crate::limits).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let source = Source::open(path.as_ref())?;
        let header = header::read(&source)?;
        Ok(GgufFile { source, header })
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// The version of the format: 2 or 3.
    pub fn version(&self) -> u32 {
        self.header.version
    }

    /// What every tensor begins at a multiple of, in bytes from the start of the data.
    pub fn alignment(&self) -> u64 {
        self.header.alignment
    }

    /// The metadata, as it stands in the file; arrays by how they begin.
    pub fn metadata(&self) -> &[GgufEntry] {
        &self.header.metadata
    }

    /// The metadata value of this key.
    pub fn value(&self, key: &str) -> Option<&GgufValue> {
        self.metadata().iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// The tensors, as the file lists them.
    pub fn tensors(&self) -> &[GgufTensor] {
        &self.header.tensors
    }

    /// The tensor of this name.
    pub fn find(&self, name: &str) -> Option<&GgufTensor> {
        self.tensors().iter().find(|tensor| tensor.name == name)
    }

    /// Fills `buffer` with all blocks of a tensor, as they are in the file.
    ///
    /// # Errors
    ///
    /// There is no such tensor, `buffer` is not as long as it, or the file cannot be read (any more).
    pub fn read_tensor(&self, name: &str, buffer: &mut [u8]) -> Result<(), Error> {
        let tensor = self.tensor(name)?;
        if buffer.len() as u64 != tensor.byte_len {
            return Err(self.request(format!(
                "tensor `{}` has {} bytes, not {}",
                shortened(name),
                tensor.byte_len,
                buffer.len()
            )));
        }
        self.source.read_exact_at(tensor.file_offset, buffer)
    }

    /// The codes of a tensor, one a byte, in row-major order of its dims: the bits that each element
    /// has in its block, as an unsigned number.
    ///
    /// # Errors
    ///
    /// There is no such tensor, its type is no layout or has more than 8 bits an element (then
    /// [`read_tensor`](Self::read_tensor) is what there is), there is not enough memory, or the file
    /// cannot be read (any more).
    pub fn codes(&self, name: &str) -> Result<Vec<u8>, Error> {
        let tensor = self.tensor(name)?;
        let unpacker = self.unpacker(tensor, "codes")?;
        if unpacker.bits() > 8 {
            let (of, bits) = (tensor.gguf_type.name(), unpacker.bits());
            return Err(self.request(format!("the codes of {of} have {bits} bits, more than 8")));
        }
        self.unpacked(tensor, &unpacker)
    }

    /// The values of a field of all blocks, or of all fields of a name together, in row-major order
    /// of [`field_dims`](tilewright::formats::Record::field_dims): their bits, as unsigned numbers.
    /// So `scales` of Q4_K are 6 bits each, and `scales_low` the low four of those.
    ///
    /// # Errors
    ///
    /// As [`codes`](Self::codes), but for the number of bits; there is no such field.
    pub fn values(&self, name: &str, of: &str) -> Result<Vec<u64>, Error> {
        let tensor = self.tensor(name)?;
        let unpacker = self.unpacker(tensor, of)?;
        self.unpacked(tensor, &unpacker)
    }

    /// What is read.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// The metadata as it stands in the file.
    pub(crate) fn head(&self) -> Result<Vec<u8>, Error> {
        let len = self.header.metadata_end.saturating_sub(METADATA_START);
        self.source.read_vec("the metadata", METADATA_START, len)
    }

    /// The file and its tensors.
    pub(super) fn into_parts(self) -> (Source, Vec<GgufTensor>) {
        (self.source, self.header.tensors)
    }

    fn tensor(&self, name: &str) -> Result<&GgufTensor, Error> {
        let missing = || self.request(format!("there is no tensor `{}`", shortened(name)));
        self.find(name).ok_or_else(missing)
    }

    fn unpacker(&self, tensor: &GgufTensor, of: &str) -> Result<Unpacker, Error> {
        if let Some(unpacker) = Unpacker::of(tensor.gguf_type.record(), of) {
            return Ok(unpacker);
        }
        let reason = tensor.gguf_type.field(of).err().map_or_else(String::new, |e| e.to_string());
        Err(self.request(format!("tensor `{}`: {reason}", shortened(&tensor.name))))
    }

    /// The values of all records, read piece by piece.
    fn unpacked<T: Word>(&self, tensor: &GgufTensor, unpacker: &Unpacker) -> Result<Vec<T>, Error> {
        let bytes = usize::try_from(tensor.gguf_type.record().bytes()).ok();
        let record_bytes = bytes.and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN);
        let n_records = tensor.byte_len.checked_div(record_bytes.get() as u64).unwrap_or(0);
        let mut values = self.zeros(n_records, unpacker.n_values())?;
        let records_at_once = (PIECE / record_bytes).max(1);
        let mut records = Vec::new();
        let mut offset = tensor.file_offset;
        let n_values = NonZeroUsize::new(unpacker.n_values()).unwrap_or(NonZeroUsize::MIN);
        for values in values.chunks_mut(n_values.get().saturating_mul(records_at_once)) {
            let n_records = values.len() / n_values;
            records.resize(n_records.saturating_mul(record_bytes.get()), 0);
            self.source.read_exact_at(offset, &mut records)?;
            unpacker.unpack(&records, values);
            offset = offset.saturating_add(records.len() as u64);
        }
        Ok(values)
    }

    fn zeros<T: Word>(&self, n_records: u64, n_values: usize) -> Result<Vec<T>, Error> {
        let n = usize::try_from(n_records).ok().and_then(|n| n.checked_mul(n_values));
        let mut values = Vec::new();
        match n.filter(|&n| values.try_reserve_exact(n).is_ok()) {
            Some(n) => values.resize(n, T::default()),
            None => return Err(self.request("there is not enough memory for the values".into())),
        }
        Ok(values)
    }

    fn request(&self, message: String) -> Error {
        self.source.fault(Fault::request(message))
    }
}
