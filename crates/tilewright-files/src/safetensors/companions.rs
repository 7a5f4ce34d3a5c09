//! What stands in a model's folder beside its weights: a configuration, a tokenizer, a licence.
//!
//! A folder of converted weights is of use where the rest of the model is there too. So the files
//! beside the shards go along, all but
//!
//! * **other weights**, by the endings that such files have ([`WEIGHTS`]), and the indexes of their
//!   shards: they are the same model again, in a layout that nobody asked to keep;
//! * **folders**, since what is in them is not known to belong to the model;
//! * what is no regular file, through links (a folder of a cache may be all links).
//!
//! What stays is said, so that somebody who misses it knows where it is.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::folder::INDEX;
use crate::error::{Error, IoContext};
use crate::format::Format;
use crate::listing::entries;
use crate::open::ArrayFile;
use crate::plan::PlannedFile;
use crate::positional::{FileId, Source, folder_of, is_file, is_folder};
use crate::staged::StagedFolder;

/// The endings of files of weights, in small letters.
pub(crate) const WEIGHTS: [&str; 18] = [
    "safetensors",
    "bin",
    "pt",
    "pth",
    "ckpt",
    "gguf",
    "ggml",
    "h5",
    "hdf5",
    "keras",
    "msgpack",
    "onnx",
    "onnx_data",
    "tflite",
    "npz",
    "npy",
    "pkl",
    "nemo",
];

/// How much is copied at a time, in bytes.
const PIECE: usize = 1 << 20;

/// The files beside the weights of a folder.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("model");
/// # use tilewright_files::*;
/// # let spec = [ArraySpec::new("w", tilewright::ElementType::U8, [1])];
/// # let mut writer = CreateOptions::new().create(&path, Format::SafetensorsFolder, &spec)?;
/// # writer.append(0, &[1])?;
/// # writer.finish()?;
/// std::fs::write(path.join("config.json"), "{}")?;
/// std::fs::write(path.join("pytorch_model.bin"), "other weights")?;
/// let companions = Companions::of(&ArrayFile::open(&path)?)?;
/// assert_eq!(companions.carried(), ["config.json"]);
/// assert_eq!(companions.left(), ["pytorch_model.bin"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Companions {
    folder: PathBuf,
    carried: Vec<String>,
    left: Vec<OsString>,
    /// Files that are made anew, by name.
    written: BTreeMap<String, String>,
}

impl Companions {
    /// Of the folder that a file was opened from; none if it is no folder.
    ///
    /// # Errors
    ///
    /// The folder, or one of the files in it, cannot be looked at.
    pub fn of(file: &ArrayFile) -> Result<Self, Error> {
        if file.format() != Format::SafetensorsFolder {
            return Ok(Self::default());
        }
        let path = file.path();
        let is_folder = is_folder(path)?;
        let folder = if is_folder { path.to_owned() } else { folder_of(path) };
        let index = if is_folder { Some(OsStr::new(INDEX)) } else { path.file_name() };
        let mut found = Companions { folder, ..Self::default() };
        let listed = entries(&found.folder).doing("look into the folder", path)?;
        let mut names: Vec<OsString> = listed.into_iter().map(|entry| entry.name).collect();
        names.sort();
        for name in names {
            let is_shard = file.shards().iter().any(|shard| name == shard.name());
            if is_shard || Some(name.as_os_str()) == index || is_of_this_crate(&name) {
                continue;
            }
            let is_file = is_file(&found.folder.join(&name))?;
            match name.to_str().filter(|name| is_file && !is_of_weights(name)) {
                Some(name) => found.carried.push(name.to_owned()),
                None => found.left.push(name),
            }
        }
        Ok(found)
    }

    /// The names of the files that go along, sorted.
    pub fn carried(&self) -> &[String] {
        &self.carried
    }

    /// The names of what stays, sorted: files of other weights, folders, and what has a name that is
    /// no Unicode.
    pub fn left(&self) -> &[OsString] {
        &self.left
    }

    /// The names and the texts of the files that are made anew, sorted.
    pub fn written(&self) -> impl Iterator<Item = (&str, &str)> {
        self.written.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Has a file of this text in the place of one that would go along, or where none is.
    pub fn write(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        self.carried.retain(|carried| *carried != name);
        self.written.insert(name, text.into());
        self
    }

    /// Has a file of this name stay.
    pub fn leave(mut self, name: &str) -> Self {
        if let Some(at) = self.carried.iter().position(|carried| carried == name) {
            self.left.push(self.carried.remove(at).into());
            self.left.sort();
        }
        self
    }

    /// Copies the files that go along to a folder that is being made. In a folder that takes the
    /// place of their own they are anyhow.
    pub(crate) fn copy_to(&self, staged: &StagedFolder) -> Result<(), Error> {
        for (name, text) in &self.written {
            let bytes = text.clone().into_bytes();
            let planned = PlannedFile { len: bytes.len() as u64, header: bytes };
            staged.file(name, &planned, INDEX)?.sync()?;
        }
        if self.carried.is_empty() {
            return Ok(());
        }
        let own = FileId::of_path(&self.folder)?;
        if own.is_some() && own == FileId::of_path(staged.target())? {
            return Ok(());
        }
        self.carried.iter().try_for_each(|name| copy(&self.folder.join(name), name, staged))
    }
}

fn copy(from: &Path, name: &str, staged: &StagedFolder) -> Result<(), Error> {
    let source = Source::open(from)?;
    let planned = PlannedFile::new(Vec::new(), source.len()).map_err(|fault| fault.at(from))?;
    let output = staged.file(name, &planned, INDEX)?;
    let mut piece = vec![0; PIECE];
    let mut start = 0;
    while start < source.len() {
        let len = usize::try_from(source.len().saturating_sub(start))
            .map_or(PIECE, |left| left.min(PIECE));
        let Some(bytes) = piece.get_mut(..len) else { break };
        source.read_exact_at(start, bytes)?;
        output.write_at(start, bytes)?;
        start = start.saturating_add(len as u64);
    }
    output.sync()
}

fn is_of_weights(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    WEIGHTS.contains(&ending) || name.ends_with(".index.json")
}

/// What is on its way, or was left by a killed process.
fn is_of_this_crate(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".tilewright-")
}
