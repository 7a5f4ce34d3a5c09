//! Files read and written by position: no cursor, so threads can share them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{Error, Fault, IoContext};

/// Which file a path leads to, whatever the path: links to one file have one identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId(Identity);

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

impl FileId {
    /// The identity of what is at `path`, links followed; `None` where there is nothing.
    pub(crate) fn of_path(path: &Path) -> Result<Option<Self>, Error> {
        match Self::look(path) {
            Ok(id) => Ok(Some(id)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).doing("look at the file", path),
        }
    }

    /// The identity of what is at `path`, links followed.
    #[cfg(unix)]
    pub(crate) fn look(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|found| Self::of_metadata(&found))
    }

    /// The identity of an open file, which `path` led to when it was opened.
    #[cfg(unix)]
    pub(crate) fn of_file(file: &File, _path: &Path) -> io::Result<Self> {
        file.metadata().map(|found| Self::of_metadata(&found))
    }

    #[cfg(unix)]
    fn of_metadata(found: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        FileId((found.dev(), found.ino()))
    }

    /// The device and the file's number there, where there are such numbers.
    #[cfg(unix)]
    pub(crate) fn numbers(&self) -> Option<(u64, u64)> {
        Some(self.0)
    }

    #[cfg(not(unix))]
    pub(crate) fn look(path: &Path) -> io::Result<Self> {
        fs::canonicalize(path).map(FileId)
    }

    #[cfg(not(unix))]
    pub(crate) fn of_file(_file: &File, path: &Path) -> io::Result<Self> {
        Self::look(path)
    }

    #[cfg(not(unix))]
    pub(crate) fn numbers(&self) -> Option<(u64, u64)> {
        None
    }
}

/// What is at a path, links followed; `None` where nothing is.
///
/// `Path::is_dir` and its like say no where they could not look. What is taken for absent so is left out of
/// an output that is then called whole.
pub(crate) fn look(path: &Path) -> Result<Option<fs::Metadata>, Error> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if leads_nowhere(&error) => Ok(None),
        Err(error) => Err(error).doing("look at the file", path),
    }
}

/// Whether a path is known to lead to nothing: a name that is not there, or links in a circle.
fn leads_nowhere(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return true;
    }
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether there is a folder, links followed.
pub(crate) fn is_folder(path: &Path) -> Result<bool, Error> {
    Ok(look(path)?.is_some_and(|found| found.is_dir()))
}

/// Whether there is a file, links followed.
pub(crate) fn is_file(path: &Path) -> Result<bool, Error> {
    Ok(look(path)?.is_some_and(|found| found.is_file()))
}

/// The folder that holds `path`.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A file open for reading, its length taken once when it was opened.
#[derive(Debug)]
pub(crate) struct Source {
    file: Positional,
    path: PathBuf,
    len: u64,
    /// When it was written to last, where the system says.
    modified: Option<SystemTime>,
    id: FileId,
}

impl Source {
    /// Opens a regular file; anything else (a pipe would block, a device has no length) is refused.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        require_regular(&fs::metadata(path).doing("open the file", path)?, path)?;
        Self::of_file(File::open(path).doing("open the file", path)?, path)
    }

    /// An open file, to be read under this name.
    pub(crate) fn of_file(file: File, path: &Path) -> Result<Self, Error> {
        let found = file.metadata().doing("look at the file", path)?;
        require_regular(&found, path)?;
        Ok(Source {
            id: FileId::of_file(&file, path).doing("look at the file", path)?,
            file: Positional::new(file),
            path: path.to_owned(),
            len: found.len(),
            modified: found.modified().ok(),
        })
    }

    /// An error if the file has been written to since it was opened, as far as its length and its time tell.
    pub(crate) fn require_unchanged(&self) -> Result<(), Error> {
        let found = self.file.file().metadata().doing("look at the file", &self.path)?;
        if found.len() == self.len && found.modified().ok() == self.modified {
            return Ok(());
        }
        let fault = Fault::malformed("the file was written to while it was read");
        Err(self.fault(fault.help("begin again when nobody writes to it")))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file's length when it was opened, in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn id(&self) -> &FileId {
        &self.id
    }

    /// Fills `buffer` from `offset`, in bytes from the start of the file.
    pub(crate) fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Error> {
        match self.file.read_exact_at(buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self.fault(Fault::malformed("the file shrank while it was read")))
            }
            outcome => outcome.doing("read the file", &self.path),
        }
    }

    /// Reads `len` bytes, which the caller has checked against a limit; the file's own length is
    /// checked here, so nothing is allocated for bytes that do not exist.
    pub(crate) fn read_vec(&self, what: &str, offset: u64, len: u64) -> Result<Vec<u8>, Error> {
        let left = self.len.saturating_sub(offset);
        if len > left {
            return Err(self.fault(Fault::truncated(what, len.into(), left)));
        }
        let mut bytes = zeroed(len).doing("hold the header", &self.path)?;
        self.read_exact_at(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Checks that `what`, of `len` bytes from `start`, ends where the file does.
    pub(crate) fn require_end(&self, what: &str, start: u64, len: u64) -> Result<(), Error> {
        let left = self.len.saturating_sub(start);
        match left.checked_sub(len) {
            Some(0) => Ok(()),
            None => Err(self.fault(Fault::truncated(what, len.into(), left))),
            Some(more) => Err(self.fault(Fault::malformed(format!(
                "{what} has {len} bytes, and the file has {more} more after it"
            )))),
        }
    }

    /// Names this file in an error.
    pub(crate) fn fault(&self, fault: Fault) -> Error {
        fault.at(&self.path)
    }
}

/// A file without a cursor.
#[derive(Debug)]
pub(crate) struct Positional {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

#[cfg(unix)]
impl Positional {
    pub(crate) fn new(file: File) -> Self {
        Positional { file }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buffer, offset)
    }

    pub(crate) fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }
}

/// Elsewhere: seek, then read or write, one thread at a time.
#[cfg(not(unix))]
impl Positional {
    pub(crate) fn new(file: File) -> Self {
        Positional { file: std::sync::Mutex::new(file) }
    }

    pub(crate) fn file(&self) -> std::sync::MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file();
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }

    pub(crate) fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = self.file();
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }
}

fn require_regular(found: &fs::Metadata, path: &Path) -> Result<(), Error> {
    if found.is_file() {
        return Ok(());
    }
    Err(Fault::unsupported("not a regular file, so it cannot be read by position").at(path))
}

/// A zeroed buffer, or an error where the memory is not there.
fn zeroed(len: u64) -> io::Result<Vec<u8>> {
    let len = usize::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    bytes.resize(len, 0);
    Ok(bytes)
}
