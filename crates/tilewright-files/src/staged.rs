//! New files and folders, made beside their target and put in place when they are whole.
//!
//! What is being made has a name `.tilewright-XXXXXX.tmp` in the target's folder and is locked. It
//! goes when it is dropped. A process that is killed leaves it behind; the next output to that
//! folder removes what is more than a minute old and no longer locked.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::{Builder, TempDir, TempPath};

use crate::error::{Error, IoContext};
use crate::open::folder_of;
use crate::plan::PlannedFile;
use crate::positional::Positional;

const PREFIX: &str = ".tilewright-";
const SUFFIX: &str = ".tmp";

/// How the name begins under which an old folder waits. It does not end in [`SUFFIX`].
const ASIDE: &str = ".tilewright-old-";

/// How old something must be to count as left behind: far longer than from its making to its lock.
const ABANDONED_AFTER: Duration = Duration::from_secs(60);

/// A file open for writing by position, at its final length from the start.
#[derive(Debug)]
pub(crate) struct Output {
    file: Positional,
    /// The path that errors name: where the file will be.
    path: PathBuf,
}

impl Output {
    /// Claims the room, so that a full disk is found before any work is done, and writes the header.
    pub(crate) fn begin(file: File, path: &Path, planned: &PlannedFile) -> Result<Self, Error> {
        preallocate(&file, planned.len).doing("make room for the file", path)?;
        let output = Output::new(file, path);
        output.write_at(0, &planned.header)?;
        Ok(output)
    }

    pub(crate) fn new(file: File, path: &Path) -> Self {
        Output { file: Positional::new(file), path: path.to_owned() }
    }

    /// Writes at `offset`, in bytes from the start of the file.
    pub(crate) fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all_at(bytes, offset).doing("write the file", &self.path)
    }

    /// Waits until the bytes that have been written so far are on the disk.
    pub(crate) fn sync_data(&self) -> Result<(), Error> {
        self.file.file().sync_data().doing("write the file to the disk", &self.path)
    }

    /// Waits until the file is on the disk.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        self.file.file().sync_all().doing("write the file to the disk", &self.path)
    }
}

/// A file that is not yet where it belongs.
#[derive(Debug)]
pub(crate) struct StagedFile {
    temp: TempPath,
    target: PathBuf,
    replace: bool,
    /// Keeps the lock until the file is in place, however long the work takes.
    _lock: Option<File>,
}

impl StagedFile {
    /// Makes a file beside `target`, with the access rights of what it will replace.
    pub(crate) fn begin(
        target: &Path,
        replace: bool,
        planned: &PlannedFile,
    ) -> Result<(Self, Output), Error> {
        let folder = folder_of(target);
        remove_abandoned(&folder);
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        builder.permissions(mode(0o666));
        let (file, temp) = builder.tempfile_in(&folder).doing("make a file", target)?.into_parts();
        let lock = file.try_clone().ok().filter(|file| file.try_lock().is_ok());
        if let Ok(old) = fs::metadata(target) {
            file.set_permissions(plain(&old.permissions())).doing("make a file", target)?;
        }
        let output = Output::begin(file, target, planned)?;
        let staged = StagedFile { temp, target: target.to_owned(), replace, _lock: lock };
        Ok((staged, output))
    }

    /// Renames the file into place. The caller has synced it, and syncs the folder after.
    pub(crate) fn publish(self) -> Result<(), Error> {
        let outcome = if self.replace {
            self.temp.persist(&self.target)
        } else {
            self.temp.persist_noclobber(&self.target)
        };
        outcome.map_err(|failed| failed.error).doing("put the file in place", &self.target)
    }
}

/// A folder that is not yet where it belongs.
#[derive(Debug)]
pub(crate) struct StagedFolder {
    temp: TempDir,
    target: PathBuf,
    _lock: Option<File>,
}

impl StagedFolder {
    /// Makes an empty folder beside `target`.
    pub(crate) fn begin(target: &Path) -> Result<Self, Error> {
        let parent = folder_of(target);
        remove_abandoned(&parent);
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        builder.permissions(mode(0o777));
        let temp = builder.tempdir_in(&parent).doing("make a folder", target)?;
        let lock = File::open(temp.path()).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(StagedFolder { temp, target: target.to_owned(), _lock: lock })
    }

    /// Makes a file in it.
    pub(crate) fn file(&self, name: &str, planned: &PlannedFile) -> Result<Output, Error> {
        let path = self.target.join(name);
        let file = File::create_new(self.temp.path().join(name)).doing("make a file", &path)?;
        Output::begin(file, &path, planned)
    }

    /// Gives a file of the folder that is to be replaced a second name in this one.
    pub(crate) fn carry(&self, name: &OsStr) -> Result<(), Error> {
        let from = self.target.join(name);
        fs::hard_link(&from, self.temp.path().join(name)).doing("carry the file over", &from)
    }

    /// Renames the folder to where nothing is.
    pub(crate) fn publish(self) -> Result<(), Error> {
        sync_folder(self.temp.path(), &self.target)?;
        rename_to_nothing(self.temp.path(), &self.target)
            .doing("put the folder in place", &self.target)?;
        self.keep_and_sync()
    }

    /// Changes places with the folder that is there, which then goes.
    pub(crate) fn replace(self) -> Result<(), Error> {
        sync_folder(self.temp.path(), &self.target)?;
        if exchange(self.temp.path(), &self.target).is_ok() {
            sync_folder(&folder_of(&self.target), &self.target)?;
            return self.temp.close().doing("remove the old folder", &self.target);
        }
        self.replace_by_moving()
    }

    /// The same in two steps. The old folder waits under a name that is never cleared away, so that
    /// it is still there if the process is killed between them.
    fn replace_by_moving(self) -> Result<(), Error> {
        let parent = folder_of(&self.target);
        let aside = Builder::new().prefix(ASIDE).tempdir_in(parent);
        let aside = aside.doing("make a folder", &self.target)?;
        let old = aside.path().join("old");
        fs::rename(&self.target, &old).doing("move the old folder aside", &self.target)?;
        if let Err(error) = fs::rename(self.temp.path(), &self.target) {
            // Back again; if even that fails, the old folder stays where it was moved.
            if fs::rename(&old, &self.target).is_err() {
                let _ = aside.keep();
            }
            return Err(error).doing("put the folder in place", &self.target);
        }
        self.keep_and_sync()
    }

    fn keep_and_sync(self) -> Result<(), Error> {
        let StagedFolder { temp, target, .. } = self;
        let _ = temp.keep();
        sync_folder(&folder_of(&target), &target)
    }
}

/// Waits until the names in `folder` are on the disk; `about` is the path that an error names.
pub(crate) fn sync_folder(folder: &Path, about: &Path) -> Result<(), Error> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some network file systems know no such thing.
        Err(error) if is_unsupported(&error) => Ok(()),
        outcome => outcome.doing("write the folder to the disk", about),
    }
}

/// Removes what killed processes left in `folder`. Nothing depends on its success.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|n| n.starts_with(PREFIX) && n.ends_with(SUFFIX));
        if ours {
            let _ = remove_if_abandoned(&entry.path());
        }
    }
}

fn remove_if_abandoned(path: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    let age = SystemTime::now().duration_since(found.modified()?).unwrap_or_default();
    if age < ABANDONED_AFTER || !(found.is_file() || found.is_dir()) {
        return Ok(());
    }
    let file = File::open(path)?;
    if file.try_lock().is_err() {
        return Ok(());
    }
    if found.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Claims `len` bytes on the disk. Where the system cannot, the file is only made that long.
fn preallocate(file: &File, len: u64) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if len > 0 {
        use rustix::fs::{FallocateFlags, fallocate};
        let claim = || fallocate(file, FallocateFlags::empty(), 0, len);
        match rustix::io::retry_on_intr(claim).map_err(io::Error::from) {
            Err(error) if is_unsupported(&error) => {}
            outcome => return outcome,
        }
    }
    file.set_len(len)
}

/// Renames, but never over something.
fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from) {
            Err(error) if is_unsupported(&error) => {}
            outcome => return outcome,
        }
    }
    match fs::symlink_metadata(to) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

/// Lets two paths change places in one step, where the system can.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (one, other);
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

#[cfg(unix)]
fn mode(bits: u32) -> Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(bits)
}

/// Reading, writing and executing; not the bits that lend the owner's rights.
fn plain(permissions: &Permissions) -> Permissions {
    #[cfg(unix)]
    return mode(std::os::unix::fs::PermissionsExt::mode(permissions) & 0o777);
    #[cfg(not(unix))]
    return permissions.clone();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with one file, and a staged one to replace it.
    fn old_and_new(dir: &TempDir) -> (PathBuf, StagedFolder) {
        let target = dir.path().join("m");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("old"), "").unwrap();
        let staged = StagedFolder::begin(&target).unwrap();
        staged.file("new", &PlannedFile { header: vec![1], len: 1 }).unwrap();
        (target, staged)
    }

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_folder_is_replaced_in_one_step_or_two() {
        for replace in [StagedFolder::replace, StagedFolder::replace_by_moving] {
            let dir = tempfile::tempdir().unwrap();
            let (target, staged) = old_and_new(&dir);
            replace(staged).unwrap();
            assert_eq!(names(&target), ["new"]);
            assert_eq!(names(dir.path()), ["m"]);
        }
    }

    #[test]
    fn a_failed_move_brings_the_old_folder_back() {
        let dir = tempfile::tempdir().unwrap();
        let (target, staged) = old_and_new(&dir);
        fs::remove_dir_all(staged.temp.path()).unwrap();
        staged.replace_by_moving().unwrap_err();
        assert_eq!(names(&target), ["old"]);
        assert_eq!(names(dir.path()), ["m"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_file_system_cannot_do_is_known() {
        use rustix::io::Errno;
        for errno in [Errno::OPNOTSUPP, Errno::NOSYS, Errno::INVAL] {
            assert!(is_unsupported(&errno.into()), "{errno}");
        }
        assert!(!is_unsupported(&Errno::NOSPC.into()));
    }
}
