//! What is in a folder, and its removal.
//!
//! `std::fs::read_dir` panics where closing a folder fails, which network file systems are known
//! for, and `std::fs::remove_dir_all` stands on the same call. So folders are read with `rustix`
//! here, which gives the descriptor back and has nothing to say about it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use crate::positional::folder_of;

/// One name in a folder.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    /// Whether it is a folder itself; a link to one is not.
    pub(crate) is_folder: bool,
}

/// The names in a folder, in no order.
#[cfg(unix)]
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    use std::os::unix::ffi::OsStringExt;

    use rustix::fs::{Dir, FileType, Mode, OFlags, open};

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut entries = Vec::new();
    for entry in Dir::new(open(folder, flags, Mode::empty())?)? {
        let entry = entry?;
        let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
        if name == "." || name == ".." {
            continue;
        }
        let is_folder = match entry.file_type() {
            FileType::Directory => true,
            // Some file systems do not tell here.
            FileType::Unknown => fs::symlink_metadata(folder.join(&name))?.is_dir(),
            _ => false,
        };
        entries.push(Entry { name, is_folder });
    }
    Ok(entries)
}

/// The names in a folder, in no order.
#[cfg(not(unix))]
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        Ok(Entry { name: entry.file_name(), is_folder: entry.file_type()?.is_dir() })
    };
    fs::read_dir(folder)?.map(entry).collect()
}

/// The names of what is in a folder and is no folder itself, in order.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("b.txt"), "")?;
/// std::fs::write(folder.path().join("a.txt"), "")?;
/// std::fs::create_dir(folder.path().join("c"))?;
/// assert_eq!(tilewright_files::names_in(folder.path())?, ["a.txt", "b.txt"]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If it cannot be read.
pub fn names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    let entries = entries(folder)?.into_iter().filter(|entry| !entry.is_folder);
    let mut names: Vec<OsString> = entries.map(|entry| entry.name).collect();
    names.sort();
    Ok(names)
}

/// Removes a file, or a folder with all that is in it; nothing there is fine. Links are not
/// followed.
///
/// Folders in folders are taken one after another from a list, so that their depth does not matter.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    let mut folders = vec![path.to_owned()];
    let mut next = 0;
    while let Some(folder) = folders.get(next).cloned() {
        for entry in entries(&folder)? {
            let inside = folder.join(&entry.name);
            match entry.is_folder {
                true => folders.push(inside),
                false => fs::remove_file(inside)?,
            }
        }
        next = next.saturating_add(1);
    }
    // A folder stands in the list before those that are in it.
    folders.iter().rev().try_for_each(fs::remove_dir)
}

/// Makes a folder, and the folders that it is in, where they are not there; their names are on the disk then.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// let folder = dir.path().join("a/b");
/// tilewright_files::make_folder(&folder)?;
/// tilewright_files::make_folder(&folder)?;
/// assert!(folder.is_dir());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If one cannot be made: a file has its name, or the disk fails.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut missing = Vec::new();
    for part in folder.ancestors().take_while(|part| !part.as_os_str().is_empty()) {
        match fs::metadata(part) {
            Ok(found) if found.is_dir() => break,
            Ok(_) => return Err(io::ErrorKind::NotADirectory.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(part),
            Err(error) => return Err(error),
        }
    }
    for part in missing.into_iter().rev() {
        match fs::create_dir(part) {
            // Somebody else was faster, and need not have waited for the disk.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            outcome => outcome?,
        }
        sync_names(&folder_of(part))?;
    }
    Ok(())
}

/// Waits until the names in a folder are on the disk.
pub(crate) fn sync_names(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    sync(&fs::File::open(folder)?)
}

/// Waits until a file, or the names of a folder, are on the disk. Some network file systems know no such thing.
pub(crate) fn sync(file: &fs::File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if is_unsupported(&error) => Ok(()),
        outcome => outcome,
    }
}

/// Whether it is the file system that knows no such thing.
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_goes_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("a/b/c")).unwrap();
        fs::create_dir_all(at("a/d")).unwrap();
        fs::create_dir(at("kept")).unwrap();
        for name in ["a/1", "a/b/2", "a/b/c/3", "kept/4"] {
            fs::write(at(name), "x").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("kept"), at("a/link")).unwrap();
        remove(&at("a")).unwrap();
        remove(&at("a")).unwrap();
        let names: Vec<OsString> =
            entries(dir.path()).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["kept"]);
        assert_eq!(fs::read(at("kept/4")).unwrap(), b"x");
        remove(&at("kept/4")).unwrap();
        assert!(entries(&at("kept")).unwrap().is_empty());
    }
}
