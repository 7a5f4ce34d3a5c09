//! A folder of files, put in place by one rename.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

#[cfg(unix)]
use super::mode;
use super::{Output, beside, is_unsupported, remove_abandoned, sync_folder};
use crate::error::{Error, IoContext};
use crate::open::folder_of;
use crate::plan::PlannedFile;

/// How the name begins under which an old folder waits. It does not end in [`SUFFIX`].
const ASIDE: &str = ".tilewright-old-";

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
        let mut builder = beside();
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

#[cfg(test)]
mod tests {
    use super::super::names;
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
}
