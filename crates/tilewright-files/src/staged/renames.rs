//! Giving names, with a say in what happens to what has them.

use std::fs;
use std::io;
use std::path::Path;

use crate::listing::is_unsupported;

/// Renames, but never over something.
pub(crate) fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from) {
            Err(error) if is_unsupported(&error) => {}
            outcome => return outcome,
        }
    }
    rename_file_to_nothing(from, to)
}

/// The same where the system has no such call. A second name is never given over something, but a
/// folder cannot have two.
fn rename_file_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => return fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    match fs::symlink_metadata(to) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

/// Lets two paths change places in one step, where the system can.
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
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
    use super::*;

    #[test]
    fn nothing_is_renamed_over() {
        for rename in [rename_to_nothing, rename_file_to_nothing] {
            let dir = tempfile::tempdir().unwrap();
            let at = |name: &str| dir.path().join(name);
            fs::write(at("a"), "a").unwrap();
            fs::write(at("b"), "b").unwrap();
            fs::create_dir(at("folder")).unwrap();
            for there in ["b", "folder"] {
                let error = rename(&at("a"), &at(there)).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{there}");
            }
            rename(&at("a"), &at("c")).unwrap();
            rename(&at("folder"), &at("d")).unwrap();
            assert!(!at("a").exists() && !at("folder").exists() && at("d").is_dir());
            assert_eq!(
                (fs::read(at("b")).unwrap(), fs::read(at("c")).unwrap()),
                (b"b".into(), b"a".into())
            );
        }
    }
}
