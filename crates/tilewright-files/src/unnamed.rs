//! Files that have no name until they are whole, so that nothing is left of one whose process is
//! killed.

use std::fs::File;
use std::io;
use std::path::Path;

/// A new file in `folder`, without a name there, or `None` where the system has no such thing.
///
/// It gets the access rights of any new file, and goes when it is closed.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn create(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file: File = open(folder, flags, Mode::from_raw_mode(0o666)).ok()?.into();
    // Without a way to name it later it would be of no use.
    handle(&file).exists().then_some(file)
}

/// Gives the file a name. One that is taken is an error.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, handle(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Where the system lists the file among those that this process has open. (Naming a file by its
/// descriptor alone asks for privileges.)
#[cfg(any(target_os = "linux", target_os = "android"))]
fn handle(file: &File) -> std::path::PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn create(_: &Path) -> Option<File> {
    None
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
