//! The formats, and how a path shows which it is.

use std::path::Path;

use crate::error::Error;
use crate::positional::{Source, is_folder};
use crate::{gguf, npy};

/// A file format.
///
/// ```
/// use tilewright_files::Format;
/// assert_eq!(Format::of_name("out/w.npy".as_ref()), Some(Format::Npy));
/// assert_eq!(Format::of_name("w.bin".as_ref()), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// NumPy's `.npy`: one array.
    Npy,
    /// One `.safetensors` file: any number of named arrays.
    Safetensors,
    /// A folder of `.safetensors` files with a `model.safetensors.index.json`, or of one
    /// `model.safetensors` without.
    SafetensorsFolder,
    /// ggml's `.gguf`: any number of named tensors. Read; written only as a copy of another
    /// ([`GgufWriter`](crate::GgufWriter)). A quantised tensor is an array of bytes here, the blocks of its
    /// rows.
    Gguf,
    /// The bytes of one array and nothing else.
    Raw,
}

impl Format {
    /// What the name alone says: `.npy`, `.safetensors`, `.safetensors.index.json` and `.gguf` are
    /// telling.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        [
            (".npy", Format::Npy),
            (".safetensors", Format::Safetensors),
            (".safetensors.index.json", Format::SafetensorsFolder),
            (".gguf", Format::Gguf),
        ]
        .into_iter()
        .find_map(|(ending, format)| name.ends_with(ending).then_some(format))
    }

    /// What an existing path holds: a folder is a sharded one, then the name decides, then the
    /// first bytes. What remains is [`Format::Raw`].
    ///
    /// # Errors
    ///
    /// The file does not exist or cannot be read.
    pub fn detect(path: &Path) -> Result<Self, Error> {
        if is_folder(path)? {
            return Ok(Format::SafetensorsFolder);
        }
        match Self::of_name(path) {
            Some(format) => Ok(format),
            None => Self::of_first_bytes(&Source::open(path)?),
        }
    }

    fn of_first_bytes(source: &Source) -> Result<Self, Error> {
        let head = source.read_vec("the first bytes", 0, source.len().min(9))?;
        if head.starts_with(&npy::MAGIC) {
            return Ok(Format::Npy);
        }
        if head.starts_with(&gguf::MAGIC) {
            return Ok(Format::Gguf);
        }
        let Some((length, b"{")) = head.split_first_chunk::<8>() else {
            return Ok(Format::Raw);
        };
        let fits = u64::from_le_bytes(*length) <= source.len().saturating_sub(8);
        Ok(if fits { Format::Safetensors } else { Format::Raw })
    }
}
