//! New files and folders, made beside their target until they are whole.
//!
//! Where the system can, a file has no name until then, and nothing of it outlives its process.
//! Otherwise what is being made has a name of a [claim](crate::claim).

mod file;
mod folder;
mod renames;
mod rights;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, IoContext};
use crate::listing::{is_unsupported, sync_names};
use crate::plan::PlannedFile;
use crate::positional::Positional;

pub(crate) use file::{StagedFile, create_new};
pub(crate) use folder::{StagedFolder, make_as};
pub(crate) use renames::{exchange, rename_to_nothing};
pub(crate) use rights::Rights;

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

/// Waits until the names in `folder` are on the disk; `about` is the path that an error names.
pub(crate) fn sync_folder(folder: &Path, about: &Path) -> Result<(), Error> {
    sync_names(folder).doing("write the folder to the disk", about)
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

#[cfg(test)]
mod tests {
    use super::*;

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
