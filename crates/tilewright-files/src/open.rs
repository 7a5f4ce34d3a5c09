//! Opening a file, and reading its arrays by position.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tilewright::ElementType;

use crate::contents::{Contents, Reading, no_array, place, place_all};
use crate::error::Error;
use crate::format::Format;
use crate::info::{ArrayInfo, Metadata, Shard};
use crate::positional::Source;
use crate::safetensors::{self, folder};
use crate::{gguf, npy, raw};

/// How a file is to be opened.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("w.bin");
/// # std::fs::write(&path, [0; 30])?;
/// use tilewright_files::OpenOptions;
/// use tilewright::ElementType;
/// let file = OpenOptions::new().raw(ElementType::Bf16, [3, 5]).open(&path)?;
/// assert_eq!(file.arrays()[0].byte_len(), 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    reading: Reading,
}

impl OpenOptions {
    /// Everything as the file says.
    pub fn new() -> Self {
        Self::default()
    }

    /// Settles the element type where a .npy file says only its size. Ignored where the file says
    /// the type.
    pub fn element_type(mut self, element_type: ElementType) -> Self {
        self.reading.element_type = Some(element_type);
        self
    }

    /// Opens any file, whatever its name or contents, as the plain bytes of one array of these dims
    /// (in elements), each element in the whole bytes of
    /// [`storage_bits`](ElementType::storage_bits).
    pub fn raw(mut self, element_type: ElementType, dims: impl Into<Vec<i64>>) -> Self {
        self.reading.raw = Some((element_type, dims.into()));
        self
    }

    /// Does not read recorded layouts, not even to check them: for a caller who has a layout of
    /// their own.
    pub fn ignore_layouts(mut self) -> Self {
        self.reading.ignore_layouts = true;
        self
    }

    /// Opens a file or a sharded folder, reads its headers and checks them against its length.
    ///
    /// The [`Format`] is [detected](Format::detect). A folder is opened by its own path or by that
    /// of its index.
    ///
    /// # Errors
    ///
    /// The file cannot be read, its header is malformed or disagrees with the file's length, it
    /// needs to be told its type (a `<V1` .npy, a raw file), or its layout record is not one that is
    /// known.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<ArrayFile, Error> {
        let path = path.as_ref();
        let reading = &self.reading;
        let format = if reading.raw.is_some() { Format::Raw } else { Format::detect(path)? };
        let contents = match format {
            Format::Npy => npy::open(path, reading)?,
            Format::Safetensors => safetensors::open(path, reading)?,
            Format::SafetensorsFolder => folder::open(path, reading)?,
            Format::Gguf => gguf::open(path)?,
            Format::Raw => raw::open(path, reading)?,
        };
        Ok(ArrayFile { path: path.to_owned(), format, contents })
    }
}

/// An open file, or an open sharded folder: what it holds, and its bytes by position.
///
/// It can be shared between threads.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("w.npy");
/// # use tilewright_files::*;
/// # let spec = ArraySpec::new("w", tilewright::ElementType::U8, [4]);
/// # let mut writer = CreateOptions::new().create(&path, Format::Npy, &[spec])?;
/// # writer.append(0, &[1, 2, 3, 4])?;
/// # writer.finish()?;
/// let file = ArrayFile::open(&path)?;
/// assert_eq!((file.arrays()[0].name(), file.arrays()[0].dims()), ("w", &[4][..]));
/// let mut middle = [0; 2];
/// file.read_at(0, 1, &mut middle)?;
/// assert_eq!(middle, [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ArrayFile {
    path: PathBuf,
    format: Format,
    contents: Contents,
}

impl ArrayFile {
    /// Opens a file that says everything itself; [`OpenOptions::open`] with nothing set.
    ///
    /// # Errors
    ///
    /// As [`OpenOptions::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        OpenOptions::new().open(path)
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format it was opened as.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The arrays, in the order of their bytes: shard by shard, each from its beginning.
    pub fn arrays(&self) -> &[ArrayInfo] {
        &self.contents.arrays
    }

    /// The index of the array of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.arrays().iter().position(|array| array.name() == name)
    }

    /// What `__metadata__` says, other than layouts; of a folder, what any of its shards says, the
    /// first to say a key being heard. Empty for other formats.
    pub fn metadata(&self) -> &Metadata {
        &self.contents.metadata
    }

    /// The names of arrays that a layout is recorded of and that are not there: dropped or renamed by
    /// a tool that did not know of layouts. If it was renamed, the array of the new name is packed
    /// and nothing says so.
    pub fn unused_layouts(&self) -> &[String] {
        &self.contents.unused_layouts
    }

    /// The files of a folder, sorted by name; empty for a single file.
    pub fn shards(&self) -> &[Shard] {
        &self.contents.shards
    }

    /// Fills `buffer` with the bytes of array number `array` from `byte_offset`, counted from the
    /// array's beginning.
    ///
    /// # Errors
    ///
    /// There is no such array, it has fewer bytes, or the file cannot be read (any more).
    pub fn read_at(&self, array: usize, byte_offset: u64, buffer: &mut [u8]) -> Result<(), Error> {
        let Some((info, source)) = self.array(array) else {
            return Err(no_array(array, self.arrays().len()).at(&self.path));
        };
        let start = place(info, byte_offset, buffer.len()).map_err(|fault| source.fault(fault))?;
        source.read_exact_at(start, buffer)
    }

    /// Fills `buffer` with all bytes of several arrays, each of which
    /// [is followed by](ArrayInfo::is_followed_by) the next: one read where arrays are small and many.
    ///
    /// # Errors
    ///
    /// As [`read_at`](Self::read_at); or the arrays are not that, or have more or fewer bytes in all.
    pub fn read_arrays(&self, arrays: Range<usize>, buffer: &mut [u8]) -> Result<(), Error> {
        let (_, start) = place_all(self.arrays(), arrays.clone(), buffer.len())
            .map_err(|fault| fault.at(&self.path))?;
        match self.array(arrays.start) {
            Some((_, source)) => source.read_exact_at(start, buffer),
            None => Ok(()),
        }
    }

    /// An error if one of its files has been written to since it was opened: what was read of it may be parts of
    /// two contents, or neither.
    ///
    /// That is told by the lengths of the files and by the times that the system keeps of them, which do not tell
    /// of what is written within a few milliseconds of the opening.
    ///
    /// # Errors
    ///
    /// A file has changed, or cannot be looked at.
    pub fn require_unchanged(&self) -> Result<(), Error> {
        self.sources().iter().try_for_each(Source::require_unchanged)
    }

    /// The files behind it.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.contents.sources
    }

    fn array(&self, array: usize) -> Option<(&ArrayInfo, &Source)> {
        let info = self.contents.arrays.get(array)?;
        Some((info, self.contents.sources.get(info.shard)?))
    }
}
