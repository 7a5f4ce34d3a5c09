//! Putting an output in place: the renames, in an order that a reader never sees a half of.
//!
//! All of it happens under the [claim](Claim::of_target) of the target, so that of several writers
//! one is at work here at a time, and [undisturbed](Undisturbed) by a signal. What a killed process
//! left of the same work is mended first ([`recover`]).

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use crate::claim::{Claim, Role, Undisturbed};
use crate::contents::stem;
use crate::error::{Error, Fault, IoContext};
use crate::info::StoredLayout;
use crate::listing::remove;
use crate::positional::{FileId, Source, folder_of};
use crate::side_file::{Replacing, Tie, holding, path_beside, record_text, text_beside};
use crate::staged::{
    Rights, StagedFile, StagedFolder, create_new, exchange, rename_to_nothing, sync_folder,
};

/// What becomes of something that is at the target when the output is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Replace,
    Keep,
}

/// Puts a file in place that has nothing beside it.
pub(crate) fn file(staged: &StagedFile, existing: Existing) -> Result<(), Error> {
    let target = staged.target();
    let claim = claim(target)?;
    let undisturbed = Undisturbed::begin();
    put_alone(staged, &claim, existing, &undisturbed)
}

fn put_alone(
    staged: &StagedFile,
    claim: &Claim,
    existing: Existing,
    undisturbed: &Undisturbed,
) -> Result<(), Error> {
    let target = staged.target();
    let name = staged.name_in(claim, undisturbed).doing("name the file", target)?;
    put(&name, target, existing)?;
    sync_folder(&folder_of(target), target).map_err(Error::in_place)
}

/// Puts a file in place in a folder that is being made itself: whoever makes that sees to it that the names in
/// it are on the disk.
pub(crate) fn part(staged: &StagedFile) -> Result<(), Error> {
    let target = staged.target();
    let claim = claim(target)?;
    let undisturbed = Undisturbed::begin();
    let name = staged.name_in(&claim, &undisturbed).doing("name the file", target)?;
    put(&name, target, Existing::Replace)
}

/// Puts an array in place together with its layout, or without one, and takes away the layout of an
/// array that goes. The steps are those of [`side_file`](crate::side_file).
pub(crate) fn pair(
    staged: &StagedFile,
    layout: Option<&StoredLayout>,
    existing: Existing,
) -> Result<(), Error> {
    let target = staged.target();
    let claim = claim(target)?;
    let array = staged.source()?;
    let old = Old::at(target)?;
    if existing == Existing::Keep {
        old.require_nothing(target)?;
    }
    let tie = Tie::to(&array)?;
    let after = layout.map(|layout| record_text(&stem(target), layout, tie));
    let undisturbed = Undisturbed::begin();
    if old.record.is_none() && after.is_none() {
        return put_alone(staged, &claim, existing, &undisturbed);
    }
    let name = staged.name_in(&claim, &undisturbed).doing("name the file", target)?;
    let (before, new) = (old.record, array.id().numbers());
    let replacing = Replacing { old: old.number, before, new, after, tie };
    Pair { claim: &claim, target, name: &name, existing, replacing }.publish()
}

/// What is at a target before it is replaced.
struct Old {
    is_there: bool,
    number: Option<(u64, u64)>,
    /// The record that holds for it. Of one that cannot be read, all of it.
    record: Option<String>,
}

impl Old {
    fn at(target: &Path) -> Result<Self, Error> {
        let is_there = is_there(target)?;
        let number = FileId::of_path(target)?.and_then(|id| id.numbers());
        let Some(text) = text_beside(target)? else {
            return Ok(Old { is_there, number, record: None });
        };
        let record = match Source::open(target) {
            Ok(source) => holding(&text, &source).unwrap_or(Some(text)),
            // Of a replacement that was cut short before there was anything.
            Err(_) if !is_there && matches!(Replacing::parse(&text), Ok(Some(_))) => None,
            Err(_) => Some(text),
        };
        let record = record.map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok(Old { is_there, number, record })
    }

    fn require_nothing(&self, target: &Path) -> Result<(), Error> {
        match self {
            Old { is_there: true, .. } => Err(Fault::exists("output").at(target)),
            Old { record: Some(_), .. } => {
                Err(Fault::exists("layout file").at(&path_beside(target)))
            }
            _ => Ok(()),
        }
    }
}

/// An array and its record on their way.
struct Pair<'a> {
    claim: &'a Claim,
    target: &'a Path,
    name: &'a Path,
    existing: Existing,
    replacing: Replacing,
}

impl Pair<'_> {
    fn publish(&self) -> Result<(), Error> {
        let folder = folder_of(self.target);
        let sync = || sync_folder(&folder, self.target);
        self.put_record(Some(&self.replacing.text()))?;
        let renamed = sync().and_then(|()| put(self.name, self.target, self.existing));
        if let Err(error) = renamed {
            // Should this fail too, the record of both says as well what the old file is.
            let _ = self.put_record(self.replacing.before.as_deref());
            return Err(error);
        }
        // The new array is there, and the record of both says so: what fails from here on is to be
        // said, and is mended by the next output to the folder.
        let synced = sync();
        let settled = self.put_record(self.replacing.after.as_deref());
        if settled.is_err() {
            self.claim.keep_lock();
        }
        synced.and(settled).and_then(|()| sync()).map_err(Error::in_place)
    }

    /// Puts the side file in place, or takes it away.
    fn put_record(&self, text: Option<&str>) -> Result<(), Error> {
        let side = path_beside(self.target);
        let Some(text) = text else {
            return remove(&side).doing("remove the old layout", &side);
        };
        put_text(self.claim, text, &side, self.name)
    }
}

/// Replaces a small file that anybody may read who may read `model`.
fn put_text(claim: &Claim, text: &str, path: &Path, model: &Path) -> Result<(), Error> {
    let name = claim.path(Role::Side);
    remove(&name).doing("make a file", path)?;
    let write = || {
        let mut file = create_new(&name)?;
        if let Some(rights) =
            Rights::of(path)?.map_or_else(|| Rights::of(model), |r| Ok(Some(r)))?
        {
            rights.give(&file)?;
        }
        io::Write::write_all(&mut file, text.as_bytes())?;
        file.sync_all()
    };
    write().doing("write the layout", path)?;
    fs::rename(&name, path).doing("put the layout in place", path)
}

/// Renames to the target.
fn put(name: &Path, target: &Path, existing: Existing) -> Result<(), Error> {
    let outcome = match existing {
        Existing::Replace => fs::rename(name, target),
        Existing::Keep => rename_to_nothing(name, target),
    };
    outcome.doing("put the file in place", target)
}

/// Puts a folder in place. What `kept` names of the folder that goes is in the new one too.
pub(crate) fn folder(
    staged: &StagedFolder,
    existing: Existing,
    kept: impl Fn(&Path) -> Result<Vec<OsString>, Error>,
) -> Result<(), Error> {
    let target = staged.target();
    let claim = claim(target)?;
    let is_there = is_there(target)?;
    if is_there {
        if existing == Existing::Keep {
            return Err(Fault::exists("output").at(target));
        }
        kept(target)?.iter().try_for_each(|name| staged.carry(name))?;
    }
    sync_folder(&staged.path(), target)?;
    let _undisturbed = Undisturbed::begin();
    let parent = folder_of(target);
    if !is_there {
        rename_to_nothing(&staged.path(), target).doing("put the folder in place", target)?;
        return sync_folder(&parent, target).map_err(Error::in_place);
    }
    let old = match exchange(&staged.path(), target) {
        Ok(()) => staged.path(),
        Err(_) => {
            move_in(&staged.path(), target, &claim.path(Role::Old))?;
            claim.path(Role::Old)
        }
    };
    let synced = sync_folder(&parent, target);
    let removed = remove(&old).doing("remove the old folder", target);
    synced.and(removed).map_err(Error::in_place)
}

/// Replaces a folder in two steps, for systems that know no other way. In between it stands at
/// `aside`, from where [`recover`] brings it back if this process does not get there.
fn move_in(new: &Path, target: &Path, aside: &Path) -> Result<(), Error> {
    fs::rename(target, aside).doing("move the old folder aside", target)?;
    fs::rename(new, target).doing("put the folder in place", target).inspect_err(|_| {
        let _ = fs::rename(aside, target);
    })
}

/// The claim of a target, with what was left under it mended.
fn claim(target: &Path) -> Result<Claim, Error> {
    let claim = Claim::of_target(target).doing("lock the output's name", target)?;
    recover(&claim, target).doing("mend what was left of an earlier output", target)?;
    Ok(claim)
}

/// Clears away what killed processes left in a folder, and ends what they were about: an output that
/// was in place stays, one that was not is gone. Nothing depends on its success.
pub(crate) fn clear_abandoned(folder: &Path) {
    for (claim, target) in Claim::abandoned(folder) {
        if let Some(target) = target.filter(|target| claim.is_of(target)) {
            let _ = recover(&claim, &target);
            let _ = settle(&claim, &target);
        }
    }
}

/// Brings back a folder that was moved aside, or removes it if the new one is there, and removes
/// what was not put in place.
fn recover(claim: &Claim, target: &Path) -> io::Result<()> {
    let old = claim.path(Role::Old);
    if fs::symlink_metadata(&old).is_ok() {
        match rename_to_nothing(&old, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => remove(&old)?,
            outcome => outcome?,
        }
    }
    [Role::New, Role::Side].iter().try_for_each(|&role| remove(&claim.path(role)))
}

/// Puts the one record in place of two that holds for the file that is there.
fn settle(claim: &Claim, target: &Path) -> Result<(), Error> {
    let Some(text) = text_beside(target)? else { return Ok(()) };
    let side = path_beside(target);
    if Replacing::parse(&text).map_err(|fault| fault.at(&side))?.is_none() {
        return Ok(());
    }
    let held = match is_there(target)? {
        true => holding(&text, &Source::open(target)?)?,
        false => None,
    };
    match held {
        None => remove(&side).doing("remove the old layout", &side)?,
        Some(text) => {
            put_text(claim, &String::from_utf8_lossy(&text), &side, target)?;
        }
    }
    sync_folder(&folder_of(target), target)
}

/// Whether there is anything, be it a link that leads nowhere.
pub(crate) fn is_there(path: &Path) -> Result<bool, Error> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).doing("look at the file", path),
    }
}
