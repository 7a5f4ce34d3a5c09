//! Making a file: what may be replaced, and the way to it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use crate::error::{Error, Fault, IoContext};
use crate::format::Format;
use crate::info::{ArraySpec, Metadata, Shard};
use crate::open::{ArrayFile, folder_of};
use crate::plan::{Plan, PlannedFile, SideFile};
use crate::positional::FileId;
use crate::safetensors::{self, folder};
use crate::side_file::path_beside;
use crate::staged::{StagedFile, StagedFolder};
use crate::write::{Commit, Writer};
use crate::{npy, raw};

/// How a file is to be made, and over what.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("out.safetensors");
/// use tilewright_files::{ArrayFile, ArraySpec, CreateOptions, Format};
/// use tilewright::ElementType;
///
/// let specs = [ArraySpec::new("a", ElementType::U8, [3]), ArraySpec::new("b", ElementType::F32, [])];
/// let mut writer = CreateOptions::new().create(&path, Format::Safetensors, &specs)?;
/// writer.append(0, b"ab")?;
/// writer.append(0, b"c")?;
/// writer.write_at(1, 0, &1.5f32.to_le_bytes())?;
/// assert!(!path.exists());
/// writer.finish()?;
/// assert_eq!(ArrayFile::open(&path)?.arrays().len(), 2);
///
/// let again = CreateOptions::new().create(&path, Format::Safetensors, &specs);
/// assert!(again.unwrap_err().is_exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CreateOptions {
    force: bool,
    in_place: bool,
    files_read: Vec<FileId>,
    folders_read: Vec<FileId>,
    metadata: Metadata,
    shards: Vec<Shard>,
}

impl CreateOptions {
    /// A new file where none is.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces what is there.
    pub fn force(mut self) -> Self {
        self.force = true;
        self
    }

    /// Replaces the very file or folder that a [`source`](Self::source) is read from. It can still
    /// be read after: what is open stays as it was.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Names a file that the new one is made from, so that it is not replaced unasked, under
    /// whatever name: a link to a file is that file.
    pub fn source(mut self, file: &ArrayFile) -> Self {
        for source in file.sources() {
            self.files_read.push(source.id().clone());
            // A folder that cannot be looked at any more cannot be replaced either.
            if let Ok(Some(id)) = FileId::of_path(&folder_of(source.path())) {
                self.folders_read.push(id);
            }
        }
        self
    }

    /// The user's entries for `__metadata__` of a safetensors file. Other formats have no room for
    /// them; [`shards`](Self::shards) have their own.
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// The files of a folder. Without this there is one.
    pub fn shards(mut self, shards: impl Into<Vec<Shard>>) -> Self {
        self.shards = shards.into();
        self
    }

    /// Begins the file or folder at `path`: claims the room for it and writes its headers, all under
    /// another name until [`Writer::finish`].
    ///
    /// The layouts of `specs` go where the format keeps them. Of an existing link, the link is
    /// replaced and not what it leads to.
    ///
    /// # Replacing a folder
    ///
    /// Only an empty folder or one with a `model.safetensors.index.json` is replaced, and only if it
    /// has no subfolder. Its index and the shards that the index names go; its other files (a
    /// tokenizer, a README) are in the new folder too. On Linux the two change places in one step.
    /// Elsewhere there is a moment without any; a process killed in it leaves the old folder beside
    /// the target as `.tilewright-old-XXXXXX/old`.
    ///
    /// # Errors
    ///
    /// Something is at `path` (or a layout is beside it) and is not to be replaced, or is the source;
    /// the format cannot hold these arrays; there is no room on the disk.
    pub fn create(
        &self,
        path: impl AsRef<Path>,
        format: Format,
        specs: &[ArraySpec],
    ) -> Result<Writer, Error> {
        let path = path.as_ref();
        match format {
            Format::SafetensorsFolder => self.create_folder(path, specs),
            _ => self.create_file(path, format, specs),
        }
    }

    fn create_file(
        &self,
        path: &Path,
        format: Format,
        specs: &[ArraySpec],
    ) -> Result<Writer, Error> {
        let plan = match format {
            Format::Npy => npy::plan(path, specs),
            Format::Raw => raw::plan(path, specs),
            _ => safetensors::plan(specs, &self.metadata),
        };
        let plan = plan.map_err(|fault| fault.at(path))?;
        let replace = self.check_file(path, &plan.side_file)?;
        let side = stage_side_file(path, &plan.side_file)?;
        let (staged, output) = stage_only_file(path, replace, &plan)?;
        let remove_side = replace && !matches!(plan.side_file, SideFile::Unused);
        let commit = Commit::File { staged, side, remove_side, path: path.to_owned() };
        Ok(Writer::new(plan.arrays, vec![output], commit, path))
    }

    fn create_folder(&self, path: &Path, specs: &[ArraySpec]) -> Result<Writer, Error> {
        let shards = folder::shards_or_default(&self.shards, &self.metadata);
        let plan = folder::plan(specs, &shards).map_err(|fault| fault.at(path))?;
        let replace = self.check_folder(path, &shards)?;
        let staged = StagedFolder::begin(path)?;
        let mut outputs = Vec::new();
        for (shard, planned) in shards.iter().zip(&plan.files) {
            outputs.push(staged.file(shard.name(), planned)?);
        }
        staged
            .file(folder::INDEX, &text_file(folder::write_index(&plan.arrays, &shards)))?
            .sync()?;
        let commit = Commit::Folder { staged, replace, shards };
        Ok(Writer::new(plan.arrays, outputs, commit, path))
    }

    /// Whether something is there to be replaced; an error if it may not be.
    fn check_file(&self, path: &Path, side_file: &SideFile) -> Result<bool, Error> {
        let allowed = self.allows(path, &self.files_read)?;
        if let Ok(found) = fs::metadata(path)
            && !found.is_file()
        {
            return Err(Fault::request("not a regular file, so it is not replaced by one").at(path));
        }
        let side = path_beside(path);
        if !matches!(side_file, SideFile::Unused) && is_there(&side)? && !allowed {
            return Err(Fault::exists("layout file").at(&side));
        }
        Ok(allowed)
    }

    fn check_folder(&self, path: &Path, shards: &[Shard]) -> Result<bool, Error> {
        if path.file_name().is_none() {
            return Err(Fault::request("not the name of a folder to be made").at(path));
        }
        self.allows(path, &self.folders_read)?;
        let replace = is_there(path)?;
        if replace {
            others_in(path, shards)?;
        }
        Ok(replace)
    }

    /// Whether what is at `path` may be replaced; an error if it is there and may not.
    fn allows(&self, path: &Path, read: &[FileId]) -> Result<bool, Error> {
        let id = FileId::of_path(path)?;
        let same = id.is_some_and(|id| read.contains(&id));
        match (is_there(path)?, same) {
            (true, true) if !self.in_place => Err(Fault::same_file().at(path)),
            (true, false) if !self.force => Err(Fault::exists("output").at(path)),
            _ => Ok(self.force || self.in_place && same),
        }
    }
}

/// The files of a folder to be replaced that the new one keeps; an error if it must not be replaced.
pub(crate) fn others_in(path: &Path, shards: &[Shard]) -> Result<Vec<OsString>, Error> {
    let refuse = |message: &str| Err(Fault::request(message).at(path));
    if !fs::symlink_metadata(path).doing("look at the folder", path)?.is_dir() {
        return refuse("not a folder, so it is not replaced by one");
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.doing("look into the folder", path)?;
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    if !is_there(&path.join(folder::INDEX))? {
        return refuse("a folder without a shard index, so it is not replaced");
    }
    let old = folder::names_in(path)?;
    let mut others = Vec::new();
    for entry in entries {
        let name = entry.file_name();
        if name == folder::INDEX || old.iter().any(|shard| name == shard.as_str()) {
            continue;
        }
        if entry.file_type().doing("look into the folder", path)?.is_dir() {
            return refuse("a folder with a folder in it, so it is not replaced");
        }
        if shards.iter().any(|shard| name == shard.name()) {
            return Err(Fault::exists("file, which is no shard by the index,").at(&entry.path()));
        }
        others.push(name);
    }
    Ok(others)
}

/// Whether there is anything, be it a link that leads nowhere.
fn is_there(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).doing("look at the file", path),
    }
}

/// The layout file, written and synced, to be put in place after the array.
fn stage_side_file(path: &Path, side_file: &SideFile) -> Result<Option<StagedFile>, Error> {
    let SideFile::Record(text) = side_file else {
        return Ok(None);
    };
    let (staged, output) = StagedFile::begin(&path_beside(path), true, &text_file(text.clone()))?;
    output.sync()?;
    Ok(Some(staged))
}

fn stage_only_file(
    path: &Path,
    replace: bool,
    plan: &Plan,
) -> Result<(StagedFile, crate::staged::Output), Error> {
    match plan.files.as_slice() {
        [planned] => StagedFile::begin(path, replace, planned),
        _ => Err(Fault::request("expected one file").at(path)),
    }
}

/// A file that is all header.
fn text_file(text: String) -> PlannedFile {
    PlannedFile { len: text.len() as u64, header: text.into_bytes() }
}
