//! One file, to be put in place by giving it a name.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{Output, Rights};
use crate::claim::{Claim, Role, Undisturbed};
use crate::error::{Error, IoContext};
use crate::plan::PlannedFile;
use crate::positional::{Source, folder_of};
use crate::unnamed;

/// A file that is not yet where it belongs.
#[derive(Debug)]
pub(crate) struct StagedFile {
    staging: Staging,
    target: PathBuf,
}

/// Where it is until then.
#[derive(Debug)]
enum Staging {
    /// Nowhere that others could see.
    Unnamed(File),
    /// Beside its target, under a name of ours.
    Named(Claim, File),
}

impl Staging {
    fn begin(target: &Path) -> io::Result<Self> {
        match unnamed::create(&folder_of(target)) {
            Some(file) => Ok(Staging::Unnamed(file)),
            None => Self::begin_named(target),
        }
    }

    fn begin_named(target: &Path) -> io::Result<Self> {
        let claim = Claim::of_work(target)?;
        let _undisturbed = Undisturbed::begin();
        let file = create_new(&claim.path(Role::New))?;
        Ok(Staging::Named(claim, file))
    }

    fn file(&self) -> &File {
        match self {
            Staging::Unnamed(file) | Staging::Named(_, file) => file,
        }
    }
}

/// A new file of the rights of any new file, to be written and read.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

impl StagedFile {
    /// Makes a file to be put at `target`, with the access rights of what it will replace.
    pub(crate) fn begin(target: &Path, planned: &PlannedFile) -> Result<(Self, Output), Error> {
        let staging = Staging::begin(target).doing("make a file", target)?;
        let file = staging.file();
        if let Some(rights) = Rights::of(target).doing("look at the file", target)? {
            rights.give(file).doing("make a file", target)?;
        }
        let output =
            Output::begin(file.try_clone().doing("make a file", target)?, target, planned)?;
        Ok((StagedFile { staging, target: target.to_owned() }, output))
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The file as one that is read from its beginning, under its target's name.
    pub(crate) fn source(&self) -> Result<Source, Error> {
        let file = self.staging.file().try_clone().doing("open the file", &self.target)?;
        Source::of_file(file, &self.target)
    }

    /// The file's name at present: its own, or one of the claim's that it gets now.
    pub(crate) fn name_in(&self, claim: &Claim, _: &Undisturbed) -> io::Result<PathBuf> {
        match &self.staging {
            Staging::Named(own, _) => Ok(own.path(Role::New)),
            Staging::Unnamed(file) => {
                let name = claim.path(Role::New);
                match unnamed::link(file, &name) {
                    Err(error) if cannot_be_named(&error) => copied(file, &name)?,
                    outcome => outcome?,
                }
                Ok(name)
            }
        }
    }
}

/// Whether it is the system that has no way to name the file, and not the disk that fails.
fn cannot_be_named(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, InvalidInput, NotFound, PermissionDenied, Unsupported};
    let kinds = [CrossesDevices, InvalidInput, NotFound, PermissionDenied, Unsupported];
    kinds.contains(&error.kind())
}

/// Makes a named copy of a file, for a system that makes files without a name and then cannot name
/// them.
fn copied(mut file: &File, name: &Path) -> io::Result<()> {
    let mut copy = create_new(name)?;
    copy.set_permissions(file.metadata()?.permissions())?;
    io::Seek::rewind(&mut file)?;
    io::copy(&mut file, &mut copy)?;
    copy.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::entries;
    use std::fs;

    #[test]
    fn a_file_waits_without_a_name_or_under_one_of_a_claim() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("w");
        for begin in [Staging::begin, Staging::begin_named] {
            let staging = begin(&target).unwrap();
            io::Write::write_all(&mut staging.file(), b"new").unwrap();
            let staged = StagedFile { staging, target: target.clone() };
            let claim = Claim::of_target(&target).unwrap();
            let undisturbed = Undisturbed::begin();
            assert_eq!(fs::read(staged.name_in(&claim, &undisturbed).unwrap()).unwrap(), b"new");
            drop(undisturbed);
            drop((claim, staged));
            let left = entries(dir.path()).unwrap();
            assert!(left.is_empty(), "{left:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_cannot_be_named_is_copied() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.set_permissions(fs::Permissions::from_mode(0o640)).unwrap();
        io::Write::write_all(&mut file, b"all of it").unwrap();
        let name = dir.path().join("copy");
        copied(&file, &name).unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"all of it");
        assert_eq!(fs::metadata(&name).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn a_file_without_a_name_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        // Not every file system has them; there the next line is all there is to test.
        let Some(file) = unnamed::create(dir.path()) else { return };
        assert!(entries(dir.path()).unwrap().is_empty());
        drop(file);
        assert!(entries(dir.path()).unwrap().is_empty());
    }
}
