//! Making a file: what may be replaced, and the way to it.

use std::path::Path;

use crate::error::{Error, Fault};
use crate::format::Format;
use crate::info::{ArraySpec, Metadata, Shard};
use crate::open::ArrayFile;
use crate::plan::{Beside, Plan, PlannedFile};
use crate::positional::{FileId, Source, folder_of, look};
use crate::publish::{self, Existing, clear_abandoned, is_there};
use crate::safetensors::{self, Companions, folder, replaced};
use crate::side_file::{path_beside, stands_alone};
use crate::staged::{StagedFile, StagedFolder};
use crate::write::{Staged, Writer};
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
    companions: Companions,
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

    /// Whether what is there is replaced.
    pub(crate) fn replaces(&self) -> bool {
        self.force
    }

    /// Replaces the very file or folder that a [`source`](Self::source) is read from. It can still
    /// be read after: what is open stays as it was.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Names a file that the new one is made from, so that it is not replaced unasked, under
    /// whatever name: a link to a file is that file.
    pub fn source(self, file: &ArrayFile) -> Self {
        file.sources().iter().fold(self, Self::reads)
    }

    /// Names one file of a source.
    pub(crate) fn reads(mut self, source: &Source) -> Self {
        self.files_read.push(source.id().clone());
        // A folder that cannot be looked at any more cannot be replaced either.
        if let Ok(Some(id)) = FileId::of_path(&folder_of(source.path())) {
            self.folders_read.push(id);
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

    /// Files that go along into a folder.
    pub fn companions(mut self, companions: Companions) -> Self {
        self.companions = companions;
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
    /// Only an empty folder or one with a `model.safetensors.index.json`, or with a `model.safetensors`
    /// and no index, is replaced, and only if it has no subfolder. Its index and its shards go; its
    /// other files (a tokenizer, a README) are in the new folder too, but for those of whose names
    /// there are [companions](Self::companions). On Linux the two change places in one step.
    /// Elsewhere there is a moment without any; of a process killed in it the next output to the same
    /// place brings the old folder back.
    ///
    /// # What killed processes left
    ///
    /// Outputs on their way may have names `.tilewright-….new` in the target's folder, beside a
    /// `.tilewright-….lock` that is locked while their process lives. Those that nobody has locked
    /// are cleared away here.
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

    /// Puts a file of these bytes at `path`, one that holds no arrays: whole or not at all.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # let path = dir.path().join("report.html");
    /// use tilewright_files::CreateOptions;
    /// CreateOptions::new().write(&path, b"<!doctype html>")?;
    /// assert!(CreateOptions::new().write(&path, b"").unwrap_err().is_exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Something is at `path` and is not to be replaced, or the disk fails.
    pub fn write(&self, path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), Error> {
        let path = path.as_ref();
        clear_abandoned(&folder_of(path));
        let existing = self.check_file(path, Beside::Nothing)?;
        let planned = PlannedFile { header: bytes.to_vec(), len: bytes.len() as u64 };
        let (staged, output) = StagedFile::begin(path, &planned)?;
        output.sync()?;
        publish::file(&staged, existing)
    }

    /// What the files of a folder at any path would be: for each of the [`shards`](Self::shards) its header, before
    /// which nothing and behind which its arrays stand, and its length; and the index. Nothing is written.
    ///
    /// ```
    /// # use tilewright::ElementType;
    /// # use tilewright_files::{ArraySpec, CreateOptions, Metadata, Shard};
    /// let shards = [Shard::new("a.safetensors", Metadata::new()), Shard::new("b.safetensors", Metadata::new())];
    /// let spec = [ArraySpec::new("w", ElementType::F32, [3, 5]).shard(1)];
    /// let outline = CreateOptions::new().shards(shards).outline(&spec)?;
    /// let [_, b] = &outline.shards[..] else { panic!("two shards") };
    /// assert_eq!((b.name.as_str(), b.len), ("b.safetensors", b.header.len() as u64 + 60));
    /// assert!(outline.index.unwrap().1.contains("\"w\":\"b.safetensors\""));
    /// # Ok::<(), tilewright_files::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The format cannot hold these arrays.
    pub fn outline(&self, specs: &[ArraySpec]) -> Result<Outline, Error> {
        let shards = folder::shards_or_default(&self.shards, &self.metadata);
        let plan = folder::plan(specs, &shards).map_err(|fault| fault.at(Path::new("")))?;
        let outline = |(shard, planned): (&Shard, PlannedFile)| ShardOutline {
            name: shard.name().to_owned(),
            len: planned.len,
            header: planned.header,
        };
        let index = folder::needs_index(&shards)
            .then(|| (folder::INDEX.to_owned(), folder::write_index(&plan.arrays, &shards)));
        Ok(Outline { shards: shards.iter().zip(plan.files).map(outline).collect(), index })
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
            Format::Gguf => Err(Fault::request("a GGUF file is written only as a copy of another")),
            _ => safetensors::plan(specs, &self.metadata),
        };
        self.create_planned(path, plan.map_err(|fault| fault.at(path))?)
    }

    /// Begins the one file of a plan.
    pub(crate) fn create_planned(&self, path: &Path, plan: Plan) -> Result<Writer, Error> {
        clear_abandoned(&folder_of(path));
        let existing = self.check_file(path, plan.beside)?;
        let (staged, output) = stage_only_file(path, &plan)?;
        let staged = match plan.beside {
            Beside::Nothing => Staged::File(staged),
            Beside::Layout => Staged::Pair(staged),
        };
        Ok(Writer::new(plan.arrays, vec![output], staged, existing, path))
    }

    fn create_folder(&self, path: &Path, specs: &[ArraySpec]) -> Result<Writer, Error> {
        let shards = folder::shards_or_default(&self.shards, &self.metadata);
        let plan = folder::plan(specs, &shards).map_err(|fault| fault.at(path))?;
        clear_abandoned(&folder_of(path));
        let existing = self.check_folder(path, &shards)?;
        let staged = StagedFolder::begin(path)?;
        let mut outputs = Vec::new();
        for (shard, planned) in shards.iter().zip(&plan.files) {
            outputs.push(staged.file(shard.name(), planned, folder::INDEX)?);
        }
        if folder::needs_index(&shards) {
            let index = text_file(folder::write_index(&plan.arrays, &shards));
            staged.file(folder::INDEX, &index, folder::INDEX)?.sync()?;
        }
        self.companions.copy_to(&staged)?;
        let staged = Staged::Folder(staged, shards);
        Ok(Writer::new(plan.arrays, outputs, staged, existing, path))
    }

    /// What is to become of a file at `path`; an error if something is there that a file must not
    /// replace.
    fn check_file(&self, path: &Path, beside: Beside) -> Result<Existing, Error> {
        let existing = self.allows(path, &self.files_read)?;
        if look(path)?.is_some_and(|found| !found.is_file()) {
            return Err(Fault::request("not a regular file, so it is not replaced by one").at(path));
        }
        let refuses = beside == Beside::Layout && existing == Existing::Keep;
        if refuses && stands_alone(path)? {
            return Err(Fault::exists("layout file").at(&path_beside(path)));
        }
        Ok(existing)
    }

    /// The same of a folder.
    fn check_folder(&self, path: &Path, shards: &[Shard]) -> Result<Existing, Error> {
        if path.file_name().is_none() {
            return Err(Fault::request("not the name of a folder to be made").at(path));
        }
        let existing = self.allows(path, &self.folders_read)?;
        if is_there(path)? {
            replaced::kept(path, shards)?;
        }
        Ok(existing)
    }

    /// What is to become of something at `path`; an error if it is there and must not be replaced.
    fn allows(&self, path: &Path, read: &[FileId]) -> Result<Existing, Error> {
        let id = FileId::of_path(path)?;
        let same = id.is_some_and(|id| read.contains(&id));
        match (is_there(path)?, same) {
            (true, true) if !self.in_place => Err(Fault::same_file().at(path)),
            (true, false) if !self.force => Err(Fault::exists("output").at(path)),
            _ if self.force || self.in_place && same => Ok(Existing::Replace),
            _ => Ok(Existing::Keep),
        }
    }
}

/// What the files of a folder are to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The files of arrays.
    pub shards: Vec<ShardOutline>,
    /// The name and the text of the index, where there is one.
    pub index: Option<(String, String)>,
}

/// What a file of arrays is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardOutline {
    /// Its name.
    pub name: String,
    /// All that stands before the arrays.
    pub header: Vec<u8>,
    /// The bytes of the whole file.
    pub len: u64,
}

fn stage_only_file(path: &Path, plan: &Plan) -> Result<(StagedFile, crate::staged::Output), Error> {
    match plan.files.as_slice() {
        [planned] => StagedFile::begin(path, planned),
        _ => Err(Fault::request("expected one file").at(path)),
    }
}

/// A file that is all header.
fn text_file(text: String) -> PlannedFile {
    PlannedFile { len: text.len() as u64, header: text.into_bytes() }
}
