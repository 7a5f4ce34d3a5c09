//! Who may do what with a file that takes the place of another.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::Path;

/// The access rights of a file or folder, and whose it is.
#[derive(Debug)]
pub(crate) struct Rights {
    permissions: Permissions,
    #[cfg(unix)]
    owner: Owner,
}

/// User and group.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    user: u32,
    group: u32,
}

#[cfg(unix)]
impl Owner {
    fn of(found: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Owner { user: found.uid(), group: found.gid() }
    }
}

impl Rights {
    /// Of what is at `path`, links followed, if something is.
    pub(crate) fn of(path: &Path) -> io::Result<Option<Self>> {
        match fs::metadata(path) {
            Ok(found) => Ok(Some(Self::in_metadata(&found))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn in_metadata(found: &fs::Metadata) -> Self {
        Rights {
            permissions: plain(&found.permissions()),
            #[cfg(unix)]
            owner: Owner::of(found),
        }
    }

    /// Gives an open file or folder these rights, so that nobody may do more with it than before.
    ///
    /// Its owner and its group become the same where this process may say so: a file is given away
    /// by the superuser alone, and to a group by its members. Where the group stays another, it may
    /// do no more than everybody may.
    pub(crate) fn give(&self, file: &File) -> io::Result<()> {
        #[cfg(unix)]
        let permissions = match self.give_owner(file)? {
            true => self.permissions.clone(),
            false => mode(for_another_group(bits(&self.permissions))),
        };
        #[cfg(not(unix))]
        let permissions = self.permissions.clone();
        file.set_permissions(permissions)
    }

    /// Whether the file is the group's now.
    #[cfg(unix)]
    fn give_owner(&self, file: &File) -> io::Result<bool> {
        use std::os::unix::fs::fchown;
        let wanted = self.owner;
        let has = Owner::of(&file.metadata()?);
        if has.user != wanted.user && fchown(file, Some(wanted.user), Some(wanted.group)).is_ok() {
            return Ok(true);
        }
        Ok(has.group == wanted.group || fchown(file, None, Some(wanted.group)).is_ok())
    }
}

/// What a group may do that the rights were not meant for: what all others may.
#[cfg(unix)]
fn for_another_group(mode: u32) -> u32 {
    mode & !0o070 | mode & (mode & 0o007) << 3
}

/// Reading, writing and executing; not the bits that lend the owner's rights.
fn plain(permissions: &Permissions) -> Permissions {
    #[cfg(unix)]
    return mode(bits(permissions));
    #[cfg(not(unix))]
    return permissions.clone();
}

#[cfg(unix)]
fn bits(permissions: &Permissions) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(permissions) & 0o777
}

#[cfg(unix)]
fn mode(bits: u32) -> Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(bits)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn another_group_may_do_what_all_may() {
        for (before, after) in [(0o640, 0o600), (0o644, 0o644), (0o664, 0o644), (0o777, 0o777)] {
            assert_eq!(for_another_group(before), after, "{before:o}");
        }
        // Less than all others may, it keeps as it is: 4 of 0o704 would be more than 0.
        assert_eq!(for_another_group(0o704), 0o704);
    }

    #[test]
    fn rights_are_given() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        fs::write(&old, "").unwrap();
        fs::set_permissions(&old, mode(0o4640)).unwrap();
        let file = File::create(&new).unwrap();
        Rights::of(&old).unwrap().unwrap().give(&file).unwrap();
        assert_eq!(fs::metadata(&new).unwrap().permissions(), mode(0o100_640));
        assert!(Rights::of(&dir.path().join("none")).unwrap().is_none());
    }
}
