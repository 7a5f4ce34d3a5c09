//! Power that goes at any moment: what a command did to its folder is recorded, and every disk that may be left
//! is laid out and read.

mod arguments;
mod crash;
mod disk;
mod record;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::place::{Bench, Place};
use super::state::{Files, Found, Outcomes, files_in, left};
use super::strace::Run;
use super::tally::{Survival, Tally};
use super::verdict::cleared_by_next;
use super::{Failing, say};
use disk::{Disk, NodeNumber};
use record::{Operation, recorded};

const PART: &str = "power";

/// So many of a command's disks that differ in what is on its way only are cleared by the next output.
const CLEARED: usize = 150;

pub(crate) fn run(bench: &Bench, step: usize, tally: &mut Tally) -> Failing<()> {
    let folder = bench.scratch.join("here");
    for scenario in bench.writing() {
        let place = Place::new(bench, scenario, &folder)?;
        let lost = Lost::record(place)?;
        lost.everywhere(step, tally)?;
    }
    Ok(())
}

/// A command that has been run, and what it did.
struct Lost<'a> {
    place: Place<'a>,
    outcomes: Outcomes,
    before: Disk,
    operations: Vec<Operation>,
    /// The numbers that side files name: of the file that was there, and of the new one.
    numbered: [Option<NodeNumber>; 2],
}

impl<'a> Lost<'a> {
    fn record(place: Place<'a>) -> Failing<Self> {
        let outcomes = Outcomes::of(&place)?;
        let always = place.always()?;
        place.fresh()?;
        let failed = |error: std::io::Error| format!("{}: {error}", place.folder.display());
        let before = Disk::of_folder(place.folder).map_err(failed)?;
        // Whole texts, and nothing but what goes with files.
        let options = ["-xx", "-s", "16777216", "-e", "trace=%file,%desc"];
        let log = place.traced(&always).log(&options)?;
        let mut after = before.clone();
        let operations = recorded(&log, place.folder, &mut after)?;
        let target = (Disk::ROOT, place.scenario.target().unwrap_or_default().to_owned());
        let numbered = [before.at(&target), after.at(&target)];
        let before = before.grown_like(&after);
        let lost = Lost { before, operations, numbered, outcomes, place };
        lost.check_record(&after)?;
        Ok(lost)
    }

    /// That the record is all of it: done in memory, it comes to what is there.
    fn check_record(&self, after: &Disk) -> Failing<()> {
        let there = Disk::of_folder(self.place.folder).map_err(|error| error.to_string())?;
        let bare = |disk: &Disk| {
            let files = disk.files().into_iter();
            files.map(|(path, (_, bytes))| (path, bytes.to_vec())).collect::<Files>()
        };
        match bare(&there) == bare(after) {
            true => Ok(()),
            false => Err(format!("{}: the record does not come to it", self.place.scenario.name)),
        }
    }

    fn everywhere(&self, step: usize, tally: &mut Tally) -> Failing<()> {
        let (mut n_disks, mut n_cleared) = (0, 0);
        let (mut seen, mut seen_visible) = (BTreeSet::new(), BTreeSet::new());
        for n in 0..=self.operations.len() {
            let is_end = n == self.operations.len();
            let begun = self.operations.get(..n).unwrap_or_default();
            crash::disks(&self.before, begun, |disk| {
                n_disks += 1;
                let (visible, hidden) = hashes(&disk);
                if !seen.insert((visible, hidden, is_end)) {
                    return Ok(());
                }
                let is_news = seen_visible.insert((visible, is_end));
                // Those that differ in what is hidden are many, and are alike.
                if !is_news && (n_cleared >= CLEARED / step || seen.len() % step != 0) {
                    return Ok(());
                }
                n_cleared += 1;
                let outcome = self.one(&disk, is_end);
                let what = format!("{}, after {n} operations", self.place.scenario.name);
                let name = self.place.scenario.name;
                tally.add(PART, (name, "laid out and read"), (&what, outcome));
                Ok(())
            })?;
        }
        let (name, operations) = (self.place.scenario.name, self.operations.len());
        let (distinct, visible) = (seen.len(), seen_visible.len());
        say(&format!(
            "{name}: {operations} operations, {n_disks} disks, {distinct} of them different, {visible} to a reader, \
             {n_cleared} laid out"
        ));
        for (column, count) in [("disks", n_disks), ("different", distinct)] {
            tally.count(PART, name, column, count);
        }
        Ok(())
    }

    /// One disk, as it is after the power has come back.
    fn one(&self, disk: &Disk, is_end: bool) -> Failing<Survival> {
        for with_numbers in [true, false] {
            self.lay_out(disk, with_numbers)?;
            let mut files = files_in(self.place.folder)?;
            let _ = left(&mut files);
            let found = match self.outcomes.found(&self.place, &files) {
                // Nothing tells of a copy that was made meanwhile: that is said, and nothing is read.
                Err(wrong)
                    if !with_numbers && wrong.contains("could be the old or the new one") =>
                {
                    return Ok(Survival::Refused);
                }
                found => found?,
            };
            if is_end && found != Found::New {
                return Err(format!("success was said, and it is the {found:?} one"));
            }
            cleared_by_next(&self.place, &self.outcomes, found)?;
            if found != Found::New && !self.place.scenario.has_moment_without() {
                self.again()?;
            }
            if !files.iter().any(|(path, text)| is_replacing(path, text)) {
                break;
            }
        }
        Ok(Survival::Done)
    }

    /// The command can be run again.
    fn again(&self) -> Failing<()> {
        let run = Run::of(&self.place.traced(&[]).plain())?;
        let files = files_in(self.place.folder)?;
        match run.code == Some(0) && files == self.outcomes.new {
            true => Ok(()),
            false => Err(format!("again, it says {:?}", run.stderr)),
        }
    }

    /// Writes the disk to the folder. What a side file says of numbers are those that the files have now, as on the
    /// disk that lost its power; or they are those of other files, as on a copy of it.
    fn lay_out(&self, disk: &Disk, with_numbers: bool) -> Failing<()> {
        let folder = self.place.folder;
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(failed)?;
        }
        fs::create_dir_all(folder).map_err(failed)?;
        let files = disk.files();
        let mut numbers = [None; 2];
        for (path, (node, bytes)) in &files {
            let there = folder.join(path);
            match path.ends_with('/') {
                true => fs::create_dir_all(there).map_err(failed)?,
                false => {
                    fs::write(&there, bytes).map_err(failed)?;
                    for (number, of) in numbers.iter_mut().zip(self.numbered) {
                        if of == Some(*node) {
                            *number = Some(numbers_of(&there).map_err(failed)?);
                        }
                    }
                }
            }
        }
        for (path, (_, text)) in files.iter().filter(|(path, (_, text))| is_replacing(path, text)) {
            let text = String::from_utf8_lossy(text);
            let text = renumbered(&text, numbers.map(|number| number.filter(|_| with_numbers)));
            fs::write(folder.join(path), text).map_err(failed)?;
        }
        Ok(())
    }
}

/// What is seen, and what is on its way.
fn hashes(disk: &Disk) -> (u64, u64) {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hashers = [DefaultHasher::new(), DefaultHasher::new()];
    for (path, (_, bytes)) in disk.files() {
        let is_hidden = path.contains(".tilewright-");
        (path, bytes).hash(&mut hashers[usize::from(is_hidden)]);
    }
    (hashers[0].finish(), hashers[1].finish())
}

fn is_replacing(path: &str, text: &[u8]) -> bool {
    path.ends_with(".layout.json") && text.windows(11).any(|word| word == b"\"replacing\"")
}

#[cfg(unix)]
fn numbers_of(path: &Path) -> std::io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn numbers_of(_: &Path) -> std::io::Result<(u64, u64)> {
    Ok((0, 0))
}

/// Puts other numbers in the places of those of the old and the new file; of a file that is not there, none that
/// any file has.
fn renumbered(text: &str, numbers: [Option<(u64, u64)>; 2]) -> String {
    let mut text = text.to_owned();
    for (key, number) in ["\"old\":[", "\"new\":["].into_iter().zip(numbers) {
        let (device, node) = number.unwrap_or((1, 1));
        if let Some(begin) = text.find(key).map(|at| at + key.len())
            && let Some(len) = text[begin..].find(']')
        {
            text.replace_range(begin..begin + len, &format!("{device},{node}"));
        }
    }
    text
}
