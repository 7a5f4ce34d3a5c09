//! Filling a store, and putting it in place.
//!
//! ```text
//! w.zarr                          the old store, whole until the last moment
//! .tilewright-….new               the new one, of one process: the claim's (see `claim`)
//! .tilewright-TOKEN.partial       the new one, of many processes: of all who know the token
//!     c/0/1                       a chunk, put there when it is whole
//!     zarr.json                   last, when all the chunks are there
//! ```
//!
//! A folder of many processes belongs to none of them: the one that planned the work may be gone
//! before the others begin. So it has no lock, nobody can tell whether it is abandoned, and what
//! [`abandon`](ZarrWriter::abandon) does not remove stays. The process that finishes moves what is
//! in it to a claim of its own, and from there on both ways are one.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::ZarrStore;
use crate::create::CreateOptions;
use crate::error::{Error, Fault, IoContext};
use crate::listing::{entries, make_folder, remove};
use crate::plan::PlannedFile;
use crate::positional::folder_of;
use crate::publish::{self, Existing, clear_abandoned, is_there};
use crate::staged::{Rights, StagedFile, StagedFolder, make_as, sync_folder};

/// The file that says what a store holds.
const METADATA: &str = "zarr.json";

/// The folder of its chunks.
const CHUNKS: &str = "c";

/// No metadata of an array is so long.
const MAX_METADATA_BYTES: u64 = 16 << 20;

/// A store that is being made; from [`ZarrStore::create`], [`ZarrStore::begin_shared`] or
/// [`ZarrStore::join_shared`].
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("w.zarr");
/// use tilewright_files::{CreateOptions, ZarrStore};
/// let store = ZarrStore::new(&path, &"u8[3,5]{1,0:T(2,2)}".parse()?, None)?;
/// let writer = store.create(&CreateOptions::new())?;
/// writer.write_chunk(&[0, 0], &[0; 24])?; // the tiled buffer
/// assert!(!path.exists());
/// writer.finish()?;
/// assert!(path.join("zarr.json").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ZarrWriter {
    store: ZarrStore,
    work: Work,
    replaces: bool,
}

/// Where the store is until it is whole.
#[derive(Debug)]
enum Work {
    Own(StagedFolder),
    Shared(PathBuf),
}

impl ZarrStore {
    /// Begins to make the store, in a folder that goes when the writer is dropped before it
    /// [finishes](ZarrWriter::finish); what is at the path stays as it is until then.
    ///
    /// # Errors
    ///
    /// Something is at the path and is not to be replaced (an empty folder is nothing), or is no
    /// array of Zarr; the folder cannot be made.
    pub fn create(&self, options: &CreateOptions) -> Result<ZarrWriter, Error> {
        self.prepare(options)?;
        let work = Work::Own(StagedFolder::begin(&self.path)?);
        Ok(ZarrWriter { store: self.clone(), work, replaces: options.replaces() })
    }

    /// Begins to make the store in a folder for all processes that know `token`, a word of letters
    /// and digits; where it has been begun, this goes on with it.
    ///
    /// The folder is `.tilewright-TOKEN.partial` beside the path. It stays until some process
    /// [finishes](ZarrWriter::finish) or [abandons](ZarrWriter::abandon) it: a computation that
    /// fails without either leaves it behind, and may be run again.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn begin_shared(&self, options: &CreateOptions, token: &str) -> Result<ZarrWriter, Error> {
        let writer = self.join_shared(options, token)?;
        self.prepare(options)?;
        let Work::Shared(folder) = &writer.work else { return Ok(writer) };
        let rights = Rights::of(&self.path).doing("look at the store", &self.path)?;
        match make_as(folder, rights.as_ref()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            outcome => outcome.doing("make a folder for the store", &self.path)?,
        }
        Ok(writer)
    }

    /// Takes part in making a store that was [begun](Self::begin_shared) elsewhere. Looks at nothing
    /// yet.
    ///
    /// # Errors
    ///
    /// The token is not a word of letters and digits.
    pub fn join_shared(&self, options: &CreateOptions, token: &str) -> Result<ZarrWriter, Error> {
        let is_word = !token.is_empty()
            && token.len() <= 64
            && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_word {
            let fault = Fault::request("the token is no word of letters and digits");
            return Err(fault.at(&self.path));
        }
        let folder = folder_of(&self.path).join(format!(".tilewright-{token}.partial"));
        let work = Work::Shared(folder);
        Ok(ZarrWriter { store: self.clone(), work, replaces: options.replaces() })
    }

    /// An error if the store may not come to be at its path.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn check_place(&self, options: &CreateOptions) -> Result<(), Error> {
        if self.path.file_name().is_none() {
            return Err(Fault::request("not the name of a folder to be made").at(&self.path));
        }
        match is_there(&self.path)? {
            true => replaced(&self.path, options.replaces()).map(drop),
            false => Ok(()),
        }
    }

    fn prepare(&self, options: &CreateOptions) -> Result<(), Error> {
        self.check_place(options)?;
        let parent = folder_of(&self.path);
        make_folder(&parent).doing("make the folder of the store", &parent)?;
        clear_abandoned(&parent);
        Ok(())
    }

    /// The file of a chunk, from the folder of the store on.
    fn chunk_file(&self, place: &[i64]) -> PathBuf {
        place.iter().fold(PathBuf::from(CHUNKS), |path, at| path.join(at.to_string()))
    }

    /// Every place of the grid.
    fn places(&self) -> impl Iterator<Item = Vec<i64>> {
        let count: i64 = self.grid.iter().product();
        (0..count).map(|number| {
            let mut rest = number;
            let mut place: Vec<i64> = self
                .grid
                .iter()
                .rev()
                .map(|size| {
                    let at = rest % size;
                    rest /= size;
                    at
                })
                .collect();
            place.reverse();
            place
        })
    }
}

impl ZarrWriter {
    /// Writes the chunk at this place of the [`grid`](ZarrStore::grid): its buffer, all of it. One
    /// that is there is replaced, so that this can be tried again.
    ///
    /// # Errors
    ///
    /// There is no such chunk, it takes another number of bytes, the store is not being made (any
    /// more), or the disk fails.
    pub fn write_chunk(&self, place: &[i64], buffer: &[u8]) -> Result<(), Error> {
        let ZarrStore { path, grid, chunk_bytes, suffix, .. } = &self.store;
        let exists = place.len() == grid.len()
            && place.iter().zip(grid).all(|(at, count)| (0..*count).contains(at));
        if !exists {
            let message = format!("there is no chunk {place:?} in a grid of {grid:?}");
            return Err(Fault::request(message).at(path));
        }
        if buffer.len() as u64 != *chunk_bytes {
            let message =
                format!("a chunk takes {chunk_bytes} bytes, and these are {}", buffer.len());
            return Err(Fault::request(message).at(path));
        }
        let file = self.store.chunk_file(place);
        self.make_folders_of(&file)?;
        put(&self.folder().join(file), buffer, suffix)
    }

    /// Writes `zarr.json` and puts the store in place of what is there.
    ///
    /// # Errors
    ///
    /// A chunk is missing, something that may not be replaced has come to be at the path, or the
    /// disk fails. Then what was at the path is there as it was, unless the help says that the
    /// output is in place.
    pub fn finish(self) -> Result<(), Error> {
        self.check_complete()?;
        let folder = self.folder();
        self.sync_folders()?;
        put(&folder.join(METADATA), self.store.metadata.as_bytes(), &[])?;
        // A lock that could not be removed would become a part of the store.
        clear_abandoned(&folder);
        let ZarrWriter { store, work, replaces } = self;
        let staged = match work {
            Work::Own(staged) => staged,
            Work::Shared(shared) => moved(&store.path, &shared, replaces)?,
        };
        publish::folder(&staged, Existing::Replace, |path| replaced(path, replaces))
    }

    /// Gives up: what has been written goes, and what is at the path stays as it is. A folder of
    /// many processes is gone for all of them.
    ///
    /// # Errors
    ///
    /// Something could not be removed.
    pub fn abandon(self) -> Result<(), Error> {
        match &self.work {
            Work::Own(_) => Ok(()),
            // Others may be writing to it, and stop at the next chunk.
            Work::Shared(folder) => (0..3)
                .find_map(|_| remove(folder).ok())
                .map_or_else(|| remove(folder), Ok)
                .doing("remove the folder of the store", folder),
        }
    }

    /// Where the store is for now.
    fn folder(&self) -> PathBuf {
        match &self.work {
            Work::Own(staged) => staged.path(),
            Work::Shared(folder) => folder.clone(),
        }
    }

    /// Makes the folders that a file is in, but never the one that the store is in: without that one
    /// there is no work to take part in any more.
    fn make_folders_of(&self, file: &Path) -> Result<(), Error> {
        let root = self.folder();
        if !root.is_dir() {
            return Err(self.is_over());
        }
        let mut folder = root;
        let parts = file.parent().unwrap_or(Path::new("")).components();
        for part in parts {
            folder.push(part);
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                outcome => outcome.doing("make a folder of the store", &folder)?,
            }
        }
        Ok(())
    }

    fn is_over(&self) -> Error {
        Fault::request("the store is not being made, or not any more").at(&self.store.path)
    }

    /// Waits until the names of all chunks are on the disk, and those of the folders that they are in.
    fn sync_folders(&self) -> Result<(), Error> {
        let root = self.folder();
        let mut folders = BTreeSet::new();
        for place in self.store.places() {
            let file = self.store.chunk_file(&place);
            let inside = file.ancestors().skip(1).take_while(|path| !path.as_os_str().is_empty());
            folders.extend(inside.map(Path::to_owned));
        }
        folders.iter().try_for_each(|folder| sync_folder(&root.join(folder), &self.store.path))
    }

    /// Every chunk is there, as long as it should be, and nothing of a killed process beside it.
    fn check_complete(&self) -> Result<(), Error> {
        let root = self.folder();
        if !root.is_dir() {
            return Err(self.is_over());
        }
        let len = self.store.chunk_bytes + self.store.suffix.len() as u64;
        let mut cleared = None;
        for place in self.store.places() {
            let file = root.join(self.store.chunk_file(&place));
            if !fs::metadata(&file).is_ok_and(|found| found.is_file() && found.len() == len) {
                let message = format!("chunk {place:?} has not been written");
                return Err(Fault::request(message).at(&self.store.path));
            }
            let folder = folder_of(&file);
            if cleared.as_ref() != Some(&folder) {
                clear_abandoned(&folder);
                cleared = Some(folder);
            }
        }
        Ok(())
    }
}

/// What many processes have written, as this process's own.
fn moved(target: &Path, shared: &Path, replaces: bool) -> Result<StagedFolder, Error> {
    // Before it is moved: what is in the way may go, and then the work can be finished.
    if is_there(target)? {
        replaced(target, replaces)?;
    }
    let staged = StagedFolder::begin(target)?;
    for name in [CHUNKS, METADATA] {
        let to = staged.path().join(name);
        fs::rename(shared.join(name), to).doing("put the store together", target)?;
    }
    // Nothing of the store is in it any more.
    let _ = remove(shared);
    Ok(staged)
}

/// What is kept of a folder that a store takes the place of: nothing. An error if it may not go:
/// only an array of Zarr does, with all that is in its folder, and an empty folder.
fn replaced(path: &Path, replaces: bool) -> Result<Vec<OsString>, Error> {
    let exists = || Err(Fault::exists("store").at(path));
    let found = fs::symlink_metadata(path).doing("look at the store", path)?;
    if !found.is_dir() {
        return exists();
    }
    if entries(path).doing("look into the store", path)?.is_empty() {
        return Ok(Vec::new());
    }
    let metadata = path.join(METADATA);
    if !replaces || !metadata.is_file() {
        return exists();
    }
    match node_type(&metadata) {
        Some(node) if node == "array" => Ok(Vec::new()),
        _ => {
            Err(Fault::request("there is a Zarr group, or what cannot be read as an array of Zarr")
                .help("only an array is replaced: remove it, or choose another name")
                .at(path))
        }
    }
}

/// What metadata are those of, if they are Zarr's.
fn node_type(metadata: &Path) -> Option<String> {
    let is_short = fs::metadata(metadata).ok()?.len() <= MAX_METADATA_BYTES;
    let said: Value = serde_json::from_slice(&is_short.then(|| fs::read(metadata).ok())??).ok()?;
    Some(said.get("node_type")?.as_str()?.to_owned())
}

/// Puts a file in place when it is whole and on the disk.
fn put(path: &Path, bytes: &[u8], suffix: &[u8]) -> Result<(), Error> {
    let len = bytes.len() as u64 + suffix.len() as u64;
    let planned = PlannedFile::new(Vec::new(), len).map_err(|fault| fault.at(path))?;
    let (staged, output) = StagedFile::begin(path, &planned)?;
    output.write_at(0, bytes)?;
    output.write_at(bytes.len() as u64, suffix)?;
    output.sync()?;
    publish::part(&staged)
}
