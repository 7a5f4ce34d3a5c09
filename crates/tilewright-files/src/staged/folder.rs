//! A folder of files, to be put in place by one rename.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::file::create_new;
use super::{Output, Rights};
use crate::claim::{Claim, Role, Undisturbed};
use crate::error::{Error, IoContext};
use crate::plan::PlannedFile;

/// A folder that is not yet where it belongs.
#[derive(Debug)]
pub(crate) struct StagedFolder {
    claim: Claim,
    target: PathBuf,
}

impl StagedFolder {
    /// Makes an empty folder beside `target`, with the access rights of what it will replace.
    pub(crate) fn begin(target: &Path) -> Result<Self, Error> {
        let claim = Claim::of_work(target).doing("make a folder", target)?;
        let folder = claim.path(Role::New);
        let rights = Rights::of(target).doing("look at the folder", target)?;
        let undisturbed = Undisturbed::begin();
        make_as(&folder, rights.as_ref()).doing("make a folder", target)?;
        drop(undisturbed);
        Ok(StagedFolder { claim, target: target.to_owned() })
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Where it is.
    pub(crate) fn path(&self) -> PathBuf {
        self.claim.path(Role::New)
    }

    /// Makes a file in it, with the access rights of the first of these that is there: a file of
    /// this name in the folder that is to be replaced, or another one of it.
    pub(crate) fn file(
        &self,
        name: &str,
        planned: &PlannedFile,
        else_as: &str,
    ) -> Result<Output, Error> {
        let path = self.target.join(name);
        let _undisturbed = Undisturbed::begin();
        let file = create_new(&self.path().join(name)).doing("make a file", &path)?;
        for model in [name, else_as] {
            let model = self.target.join(model);
            if let Some(rights) = Rights::of(&model).doing("look at the file", &model)? {
                rights.give(&file).doing("make a file", &path)?;
                break;
            }
        }
        Output::begin(file, &path, planned)
    }

    /// Gives a file of the folder that is to be replaced a second name in this one.
    pub(crate) fn carry(&self, name: &OsStr) -> Result<(), Error> {
        let from = self.target.join(name);
        fs::hard_link(&from, self.path().join(name)).doing("carry the file over", &from)
    }
}

/// Makes a folder that nobody may use who may not use the other.
pub(crate) fn make_as(folder: &Path, rights: Option<&Rights>) -> std::io::Result<()> {
    let Some(rights) = rights else { return fs::create_dir(folder) };
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    rights.give(&File::open(folder)?)
}
