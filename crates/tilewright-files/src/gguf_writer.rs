//! A file made of another: its metadata as it stands there, and tensors that are copied or written anew.

use std::path::{Path, PathBuf};

use tilewright::formats::gguf::GgufType;

use crate::create::CreateOptions;
use crate::error::{Error, Fault};
use crate::gguf::{GgufFile, GgufTensor, MAGIC, byte_len, check_distinct, set_values};
use crate::info::{ArrayInfo, check_name};
use crate::json::shortened;
use crate::limits::{MAX_GGUF_ENTRIES, MAX_GGUF_HEADER_BYTES, MAX_GGUF_RANK};
use crate::plan::{Beside, Plan, PlannedFile};
use crate::write::Writer;

/// How many bytes are copied at once.
const PIECE: usize = 1 << 20;

/// A tensor that a file is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgufSpec {
    name: String,
    gguf_type: &'static GgufType,
    dims: Vec<i64>,
}

impl GgufSpec {
    /// A tensor of this name, type and dims, the row's length last.
    pub fn new(
        name: impl Into<String>,
        gguf_type: &'static GgufType,
        dims: impl Into<Vec<i64>>,
    ) -> Self {
        GgufSpec { name: name.into(), gguf_type, dims: dims.into() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type.
    pub fn gguf_type(&self) -> &'static GgufType {
        self.gguf_type
    }

    /// The sizes of the dimensions in elements, the row's length last.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }
}

/// One like it.
impl From<&GgufTensor> for GgufSpec {
    fn from(tensor: &GgufTensor) -> Self {
        GgufSpec::new(tensor.name(), tensor.gguf_type(), tensor.dims())
    }
}

/// A GGUF file being made of another one. Dropped before [`finish`](Self::finish), it leaves nothing, and what was at
/// the path is as it was.
///
/// The metadata and the alignment are the other file's, byte by byte; tensors are those asked for, in that order.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("w.gguf");
/// # let other = dir.path().join("new.gguf");
/// # let text = |text: &[u8]| [&(text.len() as u64).to_le_bytes(), text].concat();
/// # let mut bytes = [&b"GGUF\x03\0\0\0"[..], &1u64.to_le_bytes(), &0u64.to_le_bytes()].concat();
/// # bytes.extend([&text(b"w")[..], &[1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0], &[0; 8]].concat());
/// # bytes.resize(64, 0);
/// # bytes.extend([0, 0x3C, 0x98, 0xA9].into_iter().chain([0x88; 14]));
/// # std::fs::write(&path, bytes)?;
/// use tilewright_files::{CreateOptions, GgufFile, GgufSpec};
/// let file = GgufFile::open(&path)?; // one tensor of one block of Q4_0
/// let specs: Vec<GgufSpec> = file.tensors().iter().map(GgufSpec::from).collect();
/// let mut writer = CreateOptions::new().create_gguf(&other, &file, &specs)?;
/// let mut codes = file.values("w", "codes")?;
/// codes.reverse();
/// writer.write_values("w", &[("d", &file.values("w", "d")?), ("codes", &codes)])?;
/// writer.finish()?;
/// assert_eq!(GgufFile::open(&other)?.codes("w")?[31], file.codes("w")?[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GgufWriter {
    specs: Vec<GgufSpec>,
    is_written: Vec<bool>,
    writer: Writer,
    path: PathBuf,
}

impl CreateOptions {
    /// Begins a GGUF file at `path` with the metadata of `source` and these tensors, under another name until
    /// [`GgufWriter::finish`]. [`metadata`](Self::metadata), shards and companions mean nothing here.
    ///
    /// # Errors
    ///
    /// Something is at `path` and is not to be replaced, or is the source; two tensors have one name, a row is not whole
    /// blocks, or more than the [`limits`](crate::limits) allow; `source` cannot be read (any more), or there is no room
    /// on the disk.
    pub fn create_gguf(
        &self,
        path: impl AsRef<Path>,
        source: &GgufFile,
        specs: &[GgufSpec],
    ) -> Result<GgufWriter, Error> {
        let path = path.as_ref();
        let head = source.head()?;
        let plan = plan(source, head, specs).map_err(|fault| fault.at(path))?;
        let writer = self.clone().reads(source.source()).create_planned(path, plan)?;
        let is_written = vec![false; specs.len()];
        Ok(GgufWriter { specs: specs.to_vec(), is_written, writer, path: path.to_owned() })
    }
}

impl GgufWriter {
    /// The tensors, in the order that they were asked for.
    pub fn tensors(&self) -> &[GgufSpec] {
        &self.specs
    }

    /// Writes all blocks of a tensor.
    ///
    /// # Errors
    ///
    /// There is no such tensor, `blocks` are not as long as it, it has been written, or the disk fails.
    pub fn write_tensor(&mut self, name: &str, blocks: &[u8]) -> Result<(), Error> {
        let (number, _, needed) = self.find(name)?;
        if blocks.len() as u64 != needed {
            let (name, given) = (shortened(name), blocks.len());
            return Err(self.request(format!("tensor `{name}` has {needed} bytes, not {given}")));
        }
        self.writer.write_at(number, 0, blocks)?;
        self.written(number);
        Ok(())
    }

    /// Writes a tensor of values: of each name what [`GgufFile::values`] gives, the bits of all values of that name in
    /// row-major order. Bits of blocks that no given value has are 0.
    ///
    /// # Errors
    ///
    /// There is no such tensor or no such field, values are too many, too few or too large, the tensor has been written,
    /// there is not enough memory, or the disk fails.
    pub fn write_values(&mut self, name: &str, values: &[(&str, &[u64])]) -> Result<(), Error> {
        let (_, gguf_type, byte_len) = self.find(name)?;
        let mut blocks = self.zeros(byte_len)?;
        for (of, values) in values {
            set_values(gguf_type, of, values, &mut blocks)
                .map_err(|fault| self.request(format!("tensor `{}`: {fault}", shortened(name))))?;
        }
        self.write_tensor(name, &blocks)
    }

    /// Copies every tensor that has not been written from another file, which has one of the same name, type and dims.
    ///
    /// # Errors
    ///
    /// A tensor is not in `source` or is another there, `source` cannot be read, or the disk fails.
    pub fn copy_rest(&mut self, source: &GgufFile) -> Result<(), Error> {
        let open = (0usize..).zip(&self.is_written).filter(|(_, is_written)| !**is_written);
        for number in open.map(|(number, _)| number).collect::<Vec<_>>() {
            self.copy(number, source)?;
            self.written(number);
        }
        Ok(())
    }

    /// Puts the file in place, once every tensor has been written.
    ///
    /// # Errors
    ///
    /// A tensor has not been written, something has come to be at the path, or the disk fails.
    pub fn finish(self) -> Result<(), Error> {
        self.writer.finish()
    }

    fn copy(&self, number: usize, source: &GgufFile) -> Result<(), Error> {
        let Some(spec) = self.specs.get(number) else { return Ok(()) };
        let found = source.find(&spec.name).filter(|found| GgufSpec::from(*found) == *spec);
        let Some(tensor) = found else {
            let name = shortened(&spec.name);
            let from = source.path().display();
            return Err(self.request(format!(
                "tensor `{name}` has not been written, and there is none like it in {from}"
            )));
        };
        let mut piece = vec![0; PIECE.min(usize::try_from(tensor.byte_len()).unwrap_or(PIECE))];
        let mut done = 0;
        while done < tensor.byte_len() {
            let len =
                usize::try_from(tensor.byte_len().saturating_sub(done)).unwrap_or(PIECE).min(PIECE);
            let piece = piece.get_mut(..len).unwrap_or_default();
            source.source().read_exact_at(tensor.file_offset().saturating_add(done), piece)?;
            self.writer.write_at(number, done, piece)?;
            done = done.saturating_add(len as u64);
        }
        Ok(())
    }

    /// The number of a tensor, its type, and the length of its blocks in bytes.
    fn find(&self, name: &str) -> Result<(usize, &'static GgufType, u64), Error> {
        let arrays = self.specs.iter().zip(self.writer.arrays()).enumerate();
        let mut found = arrays.filter(|(_, (spec, _))| spec.name == name);
        match found.next() {
            Some((number, (spec, array))) => Ok((number, spec.gguf_type, array.byte_len())),
            None => Err(self.request(format!("there is no tensor `{}`", shortened(name)))),
        }
    }

    fn written(&mut self, number: usize) {
        if let Some(is_written) = self.is_written.get_mut(number) {
            *is_written = true;
        }
    }

    fn zeros(&self, len: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        if bytes.try_reserve_exact(len).is_err() {
            return Err(self.request("there is not enough memory for the blocks".to_owned()));
        }
        bytes.resize(len, 0);
        Ok(bytes)
    }

    fn request(&self, message: String) -> Error {
        Fault::request(message).at(&self.path)
    }
}

/// The file to be: the head with other infos, and tensors one behind the other at multiples of the alignment.
fn plan(source: &GgufFile, metadata: Vec<u8>, specs: &[GgufSpec]) -> Result<Plan, Fault> {
    check_distinct("the tensor", specs.iter().map(GgufSpec::name))?;
    if specs.len() as u64 > MAX_GGUF_ENTRIES {
        return Err(Fault::limit("the number of tensors", specs.len() as u128, MAX_GGUF_ENTRIES));
    }
    let alignment = source.alignment();
    let mut header = MAGIC.to_vec();
    header.extend(source.version().to_le_bytes());
    header.extend((specs.len() as u64).to_le_bytes());
    header.extend((source.metadata().len() as u64).to_le_bytes());
    header.extend(metadata);
    let (mut arrays, mut end) = (Vec::new(), 0u64);
    for spec in specs {
        let (info, array) = placed(spec, end)?;
        header.extend(info);
        end = aligned(end.checked_add(array.byte_len), alignment)?;
        arrays.push(array);
    }
    let start = aligned(Some(header.len() as u64), alignment)?;
    if start > MAX_GGUF_HEADER_BYTES {
        return Err(Fault::limit("the length of the header", start.into(), MAX_GGUF_HEADER_BYTES));
    }
    header.resize(usize::try_from(start).unwrap_or(header.len()), 0);
    for array in &mut arrays {
        array.file_offset = array.file_offset.saturating_add(start);
    }
    Ok(Plan { files: vec![PlannedFile::new(header, end)?], arrays, beside: Beside::Nothing })
}

fn aligned(offset: Option<u64>, alignment: u64) -> Result<u64, Fault> {
    let next = offset.and_then(|offset| offset.checked_next_multiple_of(alignment.max(1)));
    next.ok_or_else(|| Fault::request("the file is too long"))
}

/// What the head says of a tensor at this offset of the data, and the array that it is.
fn placed(spec: &GgufSpec, offset: u64) -> Result<(Vec<u8>, ArrayInfo), Fault> {
    check_name(&spec.name)?;
    let rank = u32::try_from(spec.dims.len()).unwrap_or(u32::MAX);
    if rank > MAX_GGUF_RANK {
        return Err(Fault::limit("the number of dimensions", rank.into(), MAX_GGUF_RANK.into()));
    }
    let byte_len = byte_len(spec.gguf_type, &spec.dims)?;
    let mut info = (spec.name.len() as u64).to_le_bytes().to_vec();
    info.extend(spec.name.as_bytes());
    info.extend(rank.to_le_bytes());
    info.extend(spec.dims.iter().rev().flat_map(|size| size.to_le_bytes()));
    info.extend(spec.gguf_type.id().to_le_bytes());
    info.extend(offset.to_le_bytes());
    let GgufSpec { name, gguf_type, dims } = spec.clone();
    let tensor = GgufTensor { name, gguf_type, dims, file_offset: offset, byte_len };
    Ok((info, tensor.into_info()))
}
