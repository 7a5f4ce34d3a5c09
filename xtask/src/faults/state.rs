//! What is there after a fault, held against what may be.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::fixture::INPUTS;
use super::place::Place;
use super::scenario::Unit;
use super::strace::Run;

/// All files of a folder but the inputs, by their paths in it.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Reads all that is in a folder, whatever becomes of it meanwhile.
pub(crate) fn files_in(folder: &Path) -> Result<Files, String> {
    let mut files = Files::new();
    read_into(folder, "", &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(files)
}

fn read_into(folder: &Path, prefix: &str, files: &mut Files) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if INPUTS.contains(&name.as_str()) {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => {
                files.insert(format!("{name}/"), Vec::new());
                read_into(&entry.path(), &format!("{name}/"), files)?;
            }
            false => drop(files.insert(name, fs::read(entry.path())?)),
        }
    }
    Ok(())
}

/// Whether a path is of something on its way.
fn is_left(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with(".tilewright-"))
}

/// Takes what is on its way out of the others.
pub(crate) fn left(files: &mut Files) -> Vec<String> {
    let left: Vec<String> = files.keys().filter(|path| is_left(path)).cloned().collect();
    files.retain(|path, _| !is_left(path));
    left
}

/// The two states that there may be, and what is said where all goes well.
pub(crate) struct Outcomes {
    pub(crate) old: Files,
    pub(crate) new: Files,
    /// What `inspect` says of each, where it is asked.
    inspected: [Option<String>; 2],
    pub(crate) stdout: Vec<u8>,
}

/// How far the command got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Old,
    New,
    /// Some files are new and the others old, each of them whole; or a moment without anything, of which the
    /// next output brings the old one back.
    Between,
}

impl Outcomes {
    /// By running the scenario without a fault.
    pub(crate) fn of(place: &Place<'_>) -> Result<Self, String> {
        place.fresh()?;
        let old = files_in(place.folder)?;
        let before = place.inspected()?;
        let run = Run::of(&place.traced(&[]).plain())?;
        if run.code != Some(0) {
            return Err(format!("{}: {}", place.scenario.name, run.stderr));
        }
        let new = files_in(place.folder)?;
        if old == new && place.scenario.unit != Unit::Answer {
            return Err(format!("{}: nothing is changed", place.scenario.name));
        }
        let inspected = [before, place.inspected()?];
        Ok(Outcomes { old, new, inspected, stdout: run.stdout })
    }

    /// What there is, once what is on its way has been taken out of it. An error is a file that is neither.
    pub(crate) fn found(&self, place: &Place<'_>, files: &Files) -> Result<Found, String> {
        if *files == self.new {
            return Ok(Found::New);
        }
        if *files == self.old {
            return Ok(Found::Old);
        }
        if place.scenario.unit == Unit::EachFile {
            return self.found_each(files);
        }
        if files.is_empty() && place.scenario.has_moment_without() {
            return Ok(Found::Between);
        }
        self.found_by_record(place, files)
    }

    /// An array whose side file tells which record holds: a reader has to find the one or the other.
    fn found_by_record(&self, place: &Place<'_>, files: &Files) -> Result<Found, String> {
        let arrays = |files: &Files| {
            let mut arrays = files.clone();
            arrays.retain(|path, _| !path.ends_with(".layout.json"));
            arrays
        };
        let is = |other: &Files| arrays(files) == arrays(other);
        let inspected = place.inspected()?;
        // A reader of nothing finds nothing, whatever stands beside it.
        match (is(&self.old), is(&self.new)) {
            (true, _) if inspected == self.inspected[0] => Ok(Found::Old),
            (_, true) if inspected == self.inspected[1] => Ok(Found::New),
            _ => Err(format!(
                "neither old nor new: {:?}, of which inspect says {inspected:?}",
                files.iter().map(|(path, bytes)| (path, bytes.len())).collect::<Vec<_>>()
            )),
        }
    }

    fn found_each(&self, files: &Files) -> Result<Found, String> {
        for (path, bytes) in files {
            let known = [&self.old, &self.new].map(|files| files.get(path));
            if !known.contains(&Some(bytes)) {
                return Err(format!("{path} is neither old nor new: {} bytes", bytes.len()));
            }
        }
        match self.old.keys().find(|path| !files.contains_key(*path)) {
            Some(lost) => Err(format!("{lost} is gone")),
            None => Ok(Found::Between),
        }
    }
}
