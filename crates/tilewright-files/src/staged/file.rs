//! One file, put in place by giving it a name.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

#[cfg(unix)]
use super::mode;
use super::{Output, beside, plain, remove_abandoned};
use crate::error::{Error, IoContext};
use crate::open::folder_of;
use crate::plan::PlannedFile;
use crate::unnamed;

/// A file that is not yet where it belongs.
#[derive(Debug)]
pub(crate) struct StagedFile {
    staging: Staging,
    target: PathBuf,
    replace: bool,
}

/// Where it is until then.
#[derive(Debug)]
enum Staging {
    /// Nowhere that others could see.
    Unnamed(File),
    /// Beside its target, under a name of ours.
    Named {
        temp: TempPath,
        /// Keeps the lock until the file is in place, however long the work takes.
        _lock: Option<File>,
    },
}

impl Staging {
    fn begin(folder: &Path) -> io::Result<(Self, File)> {
        if let Some(file) = unnamed::create(folder) {
            return Ok((Staging::Unnamed(file.try_clone()?), file));
        }
        Self::begin_named(folder)
    }

    fn begin_named(folder: &Path) -> io::Result<(Self, File)> {
        let (file, temp) = named(folder)?.into_parts();
        let _lock = file.try_clone().ok().filter(|file| file.try_lock().is_ok());
        Ok((Staging::Named { temp, _lock }, file))
    }

    /// Renames to `target`, replacing what is there.
    fn replace(self, target: &Path) -> io::Result<()> {
        Ok(self.with_name(&folder_of(target))?.persist(target)?)
    }

    /// Renames to `target`, where nothing is.
    fn appear(self, target: &Path) -> io::Result<()> {
        if let Staging::Unnamed(file) = &self {
            match unnamed::link(file, target) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
                outcome => return outcome,
            }
        }
        Ok(self.with_name(&folder_of(target))?.persist_noclobber(target)?)
    }

    fn with_name(self, folder: &Path) -> io::Result<TempPath> {
        match self {
            Staging::Named { temp, .. } => Ok(temp),
            Staging::Unnamed(file) => {
                let linked = beside().make_in(folder, |path| unnamed::link(&file, path));
                linked.map(NamedTempFile::into_temp_path).or_else(|_| copied(&file, folder))
            }
        }
    }
}

/// A named copy of a file, for a system that makes files without a name and then cannot name them.
fn copied(mut file: &File, folder: &Path) -> io::Result<TempPath> {
    let (mut copy, temp) = named(folder)?.into_parts();
    copy.set_permissions(file.metadata()?.permissions())?;
    file.seek(io::SeekFrom::Start(0))?;
    io::copy(&mut file, &mut copy)?;
    copy.sync_all()?;
    Ok(temp)
}

fn named(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = beside();
    #[cfg(unix)]
    builder.permissions(mode(0o666));
    builder.tempfile_in(folder)
}

impl StagedFile {
    /// Makes a file to be put at `target`, with the access rights of what it will replace.
    pub(crate) fn begin(
        target: &Path,
        replace: bool,
        planned: &PlannedFile,
    ) -> Result<(Self, Output), Error> {
        let folder = folder_of(target);
        remove_abandoned(&folder);
        let (staging, file) = Staging::begin(&folder).doing("make a file", target)?;
        if let Ok(old) = fs::metadata(target) {
            file.set_permissions(plain(&old.permissions())).doing("make a file", target)?;
        }
        let output = Output::begin(file, target, planned)?;
        Ok((StagedFile { staging, target: target.to_owned(), replace }, output))
    }

    /// Gives the file its name. The caller has synced it, and syncs the folder after.
    pub(crate) fn publish(self) -> Result<(), Error> {
        let StagedFile { staging, target, replace } = self;
        let outcome = if replace { staging.replace(&target) } else { staging.appear(&target) };
        outcome.doing("put the file in place", &target)
    }
}

#[cfg(test)]
mod tests {
    use super::super::names;
    use super::*;
    use crate::positional::Positional;

    /// The ways a file can wait: without a name where the system can, and with one.
    fn waiting(folder: &Path) -> Vec<Staging> {
        let all = [Staging::begin(folder).unwrap(), Staging::begin_named(folder).unwrap()];
        all.map(|(staging, file)| {
            Positional::new(file).write_all_at(b"new", 0).unwrap();
            staging
        })
        .into()
    }

    #[test]
    fn a_file_replaces_or_appears() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("w");
        for staging in waiting(dir.path()) {
            staging.appear(&target).unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"new");
            fs::remove_file(&target).unwrap();
        }
        fs::write(&target, "old").unwrap();
        for staging in waiting(dir.path()) {
            let error = staging.appear(&target).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&target).unwrap(), b"old");
        }
        for staging in waiting(dir.path()) {
            fs::write(&target, "old").unwrap();
            staging.replace(&target).unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"new");
        }
        assert_eq!(names(dir.path()), ["w"]);
    }

    /// However long the work takes, and whatever else is written to the folder meanwhile.
    #[test]
    fn work_is_not_taken_for_abandoned() {
        let dir = tempfile::tempdir().unwrap();
        for staging in waiting(dir.path()) {
            for name in names(dir.path()) {
                let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
                let file = File::open(dir.path().join(name)).unwrap();
                file.set_modified(long_ago).unwrap();
            }
            remove_abandoned(dir.path());
            let target = dir.path().join("w");
            staging.replace(&target).unwrap();
            assert_eq!(fs::read(target).unwrap(), b"new");
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_cannot_be_named_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.set_permissions(mode(0o640)).unwrap();
        io::Write::write_all(&mut file, b"all of it").unwrap();
        let temp = copied(&file, dir.path()).unwrap();
        assert_eq!(fs::read(&temp).unwrap(), b"all of it");
        assert_eq!(plain(&fs::metadata(&temp).unwrap().permissions()), mode(0o640));
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn a_file_without_a_name_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        // Not every file system has them; there the next line is all there is to test.
        let Some(file) = unnamed::create(dir.path()) else { return };
        assert!(names(dir.path()).is_empty());
        drop(file);
        assert!(names(dir.path()).is_empty());
    }
}
