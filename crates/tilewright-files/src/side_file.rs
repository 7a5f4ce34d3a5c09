//! `<file>.layout.json`: the layout of a .npy or raw file, kept beside it.
//!
//! It is the record of layouts of one array, the one that is named after the file, with what ties it
//! to the file that it was written for ([`fingerprint`](crate::fingerprint)):
//!
//! ```json
//! {"version":1,"layouts":{"w":{"layout":"f32[3,5]{1,0:T(2,2)}","pad":"0"}},"array":{"bytes":224,"fingerprint":"0123456789abcdef"}}
//! ```
//!
//! A record without `array`, as one writes it by hand, is taken at its word.
//!
//! # Two files that change together
//!
//! No system renames two files at once. So a file with a layout is replaced in three steps, between
//! any two of which the file is found with its own layout:
//!
//! | step | `w.npy` | `w.npy.layout.json` |
//! |---|---|---|
//! | before | old | the old record, or none |
//! | 1 | old | both records, and which file each is of |
//! | 2 | new | both records |
//! | 3 | new | the new record, or none |
//!
//! The record of steps 1 and 2 says, instead of `layouts`, what is being replaced:
//!
//! ```json
//! {"version":1,"replacing":{"old":[2049,11],"before":"{\"version\":1,…}","new":[2049,12],"after":null,"array":{…}}}
//! ```
//!
//! `old` and `new` are device and file number, null where there is nothing or no such numbers;
//! `before` and `after` are the texts of the old and the new record, or null where there is none.
//! Which of the two holds is told by the number of the file that was opened; where neither is its
//! number, since all was copied to another place in between, by the fingerprints; and where these do
//! not tell, the file is refused.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use tilewright::text::escaped;

use crate::contents::{Reading, stem};
use crate::error::{Error, Fault};
use crate::fingerprint::Fingerprint;
use crate::info::StoredLayout;
use crate::json::{Members, object, quoted, shortened};
use crate::layout_record::{Layouts, members, take_layouts, versioned, write_layouts};
use crate::limits::MAX_SIDE_FILE_BYTES;
use crate::positional::{FileId, Source};

/// How often a file that is replaced while it is being opened is opened again.
const ATTEMPTS: u32 = 16;

/// The layout recorded beside a .npy or raw file, where there is one.
///
/// A raw file says nothing of its dims: this is how to learn the layout first, and from it the
/// element type and dims to open the file with.
///
/// # Errors
///
/// The file cannot be read; the side file is not a record of version 1, does not name the array,
/// which is the file's stem, or was written for another file.
pub fn layout_beside(path: impl AsRef<Path>) -> Result<Option<StoredLayout>, Error> {
    Ok(open_beside(path.as_ref(), &Reading::default())?.1)
}

/// Where the layout of `path` is kept.
pub(crate) fn path_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".layout.json");
    PathBuf::from(name)
}

/// Opens an array file together with the layout that belongs to it.
///
/// What stands beside the file while its path still leads to it is about it (see the table above);
/// if the path has moved on meanwhile, all is read again.
pub(crate) fn open_beside(
    path: &Path,
    reading: &Reading,
) -> Result<(Source, Option<StoredLayout>), Error> {
    for _ in 0..ATTEMPTS {
        let source = Source::open(path)?;
        if reading.ignore_layouts {
            return Ok((source, None));
        }
        let layout = read(path, &source);
        if FileId::of_path(path)?.as_ref() == Some(source.id()) {
            return Ok((source, layout?));
        }
    }
    Err(Fault::malformed("the file was replaced again and again while it was opened").at(path))
}

/// The layout of the open file.
fn read(path: &Path, array: &Source) -> Result<Option<StoredLayout>, Error> {
    let Some(text) = text_beside(path)? else { return Ok(None) };
    let named = |fault: Fault| fault.at(&path_beside(path));
    let Some(text) = holding(&text, array)? else { return Ok(None) };
    let record = Record::parse(&text).map_err(named)?;
    if !record.is_of(array)? {
        return Err(named(of_another(array)));
    }
    pick(record.layouts, &stem(path)).map(Some).map_err(named)
}

/// Whether there is a side file without a file that it could be of; not one that a killed process
/// left on the way to both.
pub(crate) fn stands_alone(path: &Path) -> Result<bool, Error> {
    let Some(text) = text_beside(path)? else { return Ok(false) };
    Ok(!matches!(Replacing::parse(&text), Ok(Some(_))))
}

/// The text of the side file, where there is one.
pub(crate) fn text_beside(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let source = match Source::open(&path_beside(path)) {
        Err(error) if error.is_not_found() => return Ok(None),
        outcome => outcome?,
    };
    if source.len() > MAX_SIDE_FILE_BYTES {
        let fault = Fault::limit("the length", source.len().into(), MAX_SIDE_FILE_BYTES);
        return Err(source.fault(fault));
    }
    source.read_vec("the layout record", 0, source.len()).map(Some)
}

/// Which record holds for the open file, as text: the only one, or one of the two of a replacement.
pub(crate) fn holding(text: &[u8], array: &Source) -> Result<Option<Vec<u8>>, Error> {
    let replacing = Replacing::parse(text).map_err(|fault| fault.at(&path_beside(array.path())))?;
    match replacing {
        None => Ok(Some(text.to_vec())),
        Some(replacing) => replacing.holding(array),
    }
}

/// The layout of the one array there is.
fn pick(mut layouts: Layouts, name: &str) -> Result<StoredLayout, Fault> {
    layouts.remove(name).ok_or_else(|| {
        let others: Vec<String> =
            layouts.keys().map(|other| format!("`{}`", shortened(other))).collect();
        let found = if others.is_empty() { "nothing".to_owned() } else { others.join(", ") };
        Fault::malformed(format!(
            "the layout record names {}, not `{}`",
            shortened(&found),
            shortened(name)
        ))
        .help("the array's name is the file's stem: rename the file back, or the key in the record")
    })
}

fn of_another(array: &Source) -> Fault {
    let array = array.path().to_string_lossy();
    let array = escaped(&array);
    Fault::malformed(format!(
        "the layout record is of another file than {array}, or of one that has changed"
    ))
    .help("put the two files together again that were written together; or say what the array is")
}

/// A file as a record knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tie {
    bytes: u64,
    fingerprint: Fingerprint,
}

impl Tie {
    /// To an open file.
    pub(crate) fn to(array: &Source) -> Result<Self, Error> {
        let fingerprint = Fingerprint::of(array.len(), |at, block| array.read_exact_at(at, block))?;
        Ok(Tie { bytes: array.len(), fingerprint })
    }

    fn parse(text: &[u8]) -> Result<Self, Fault> {
        let mut members = Members::parse("the layout record", text)?;
        let tie = Tie { bytes: members.take("bytes")?, fingerprint: members.take("fingerprint")? };
        members.finish()?;
        Ok(tie)
    }

    fn text(&self) -> String {
        let fingerprint = quoted(&self.fingerprint.to_string());
        object([("bytes", self.bytes.to_string()), ("fingerprint", fingerprint)])
    }

    fn holds(&self, array: &Source) -> Result<bool, Error> {
        Ok(self.bytes == array.len() && *self == Tie::to(array)?)
    }
}

/// A record that holds for one file.
#[derive(Debug)]
struct Record {
    layouts: Layouts,
    tie: Option<Tie>,
}

impl Record {
    fn parse(text: &[u8]) -> Result<Self, Fault> {
        let mut members = members(text)?;
        let layouts = take_layouts(&mut members)?;
        let tie = take_tie(&mut members)?;
        members.finish()?;
        Ok(Record { layouts, tie })
    }

    /// Whether it is of this file, as far as it says.
    fn is_of(&self, array: &Source) -> Result<bool, Error> {
        self.tie.map_or(Ok(true), |tie| tie.holds(array))
    }
}

/// The text of the record of a new file.
pub(crate) fn record_text(name: &str, layout: &StoredLayout, tie: Tie) -> String {
    versioned([("layouts", write_layouts([(name, layout)])), ("array", tie.text())]) + "\n"
}

fn take_tie(members: &mut Members) -> Result<Option<Tie>, Fault> {
    let text: Option<Box<RawValue>> = members.take_if_there("array")?;
    text.map(|text| Tie::parse(text.get().as_bytes())).transpose()
}

/// What stands in the side file from before the array changes until after.
#[derive(Debug)]
pub(crate) struct Replacing {
    /// Device and number of the file that goes, where there is one.
    pub(crate) old: Option<(u64, u64)>,
    /// Its record.
    pub(crate) before: Option<String>,
    /// Device and number of the file that comes.
    pub(crate) new: Option<(u64, u64)>,
    /// Its record.
    pub(crate) after: Option<String>,
    /// The file that comes.
    pub(crate) tie: Tie,
}

impl Replacing {
    /// Reads a side file; `None` where nothing is being replaced.
    pub(crate) fn parse(text: &[u8]) -> Result<Option<Self>, Fault> {
        let mut record = members(text)?;
        let inside: Option<Box<RawValue>> = record.take_if_there("replacing")?;
        let Some(inside) = inside else { return Ok(None) };
        record.finish()?;
        let mut members = Members::parse("the layout record", inside.get().as_bytes())?;
        let tie = take_tie(&mut members)?;
        let replacing = Replacing {
            old: members.take("old")?,
            before: members.take("before")?,
            new: members.take("new")?,
            after: members.take("after")?,
            tie: tie.ok_or_else(|| Fault::malformed("the layout record: missing field `array`"))?,
        };
        members.finish()?;
        Ok(Some(replacing))
    }

    pub(crate) fn text(&self) -> String {
        let numbers = |file: Option<(u64, u64)>| match file {
            Some((device, number)) => format!("[{device},{number}]"),
            None => "null".to_owned(),
        };
        let record = |text: &Option<String>| text.as_deref().map_or("null".to_owned(), quoted);
        let replacing = object([
            ("old", numbers(self.old)),
            ("before", record(&self.before)),
            ("new", numbers(self.new)),
            ("after", record(&self.after)),
            ("array", self.tie.text()),
        ]);
        versioned([("replacing", replacing)]) + "\n"
    }

    /// The record that holds for the open file.
    fn holding(self, array: &Source) -> Result<Option<Vec<u8>>, Error> {
        let is_new = self.is_of_new(array)?;
        Ok(if is_new { self.after } else { self.before }.map(String::into_bytes))
    }

    /// By its number, else by what is in it.
    fn is_of_new(&self, array: &Source) -> Result<bool, Error> {
        match array.id().numbers() {
            Some(number) if Some(number) == self.new => return Ok(true),
            Some(number) if Some(number) == self.old => return Ok(false),
            _ => {}
        }
        let before = self.before.as_deref().map(|text| Record::parse(text.as_bytes()));
        let may_be_old = match before {
            Some(Ok(before)) => before.is_of(array)?,
            _ => true,
        };
        match (may_be_old, self.tie.holds(array)?) {
            (true, true) if self.before != self.after => {
                let fault = Fault::malformed(
                    "the array was replaced while it was copied, and could be the old or the new one",
                );
                Err(fault.help("copy both files again").at(&path_beside(array.path())))
            }
            (_, is_new) => Ok(is_new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const OLD: &[u8] = b"old bytes";
    const NEW: &[u8] = b"new bytes, more of them";

    /// A folder with the old file, its record, and the text of both.
    struct Replacement {
        dir: tempfile::TempDir,
        replacing: Replacing,
    }

    impl Replacement {
        fn begin() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let source = |name: &str, bytes: &[u8]| {
                fs::write(dir.path().join(name), bytes).unwrap();
                Source::open(&dir.path().join(name)).unwrap()
            };
            let (old, new) = (source("w.bin", OLD), source("next", NEW));
            let record = |layout: &str, file: &Source| {
                let layout = StoredLayout::new(layout, "0");
                record_text("w", &layout, Tie::to(file).unwrap())
            };
            let replacing = Replacing {
                old: old.id().numbers(),
                before: Some(record("old", &old)),
                new: new.id().numbers(),
                after: Some(record("new", &new)),
                tie: Tie::to(&new).unwrap(),
            };
            Replacement { dir, replacing }
        }

        fn path(&self) -> PathBuf {
            self.dir.path().join("w.bin")
        }

        /// What a reader finds while the record of both stands there.
        fn found(&self) -> Result<Option<String>, String> {
            fs::write(path_beside(&self.path()), self.replacing.text()).unwrap();
            let layout = layout_beside(self.path()).map_err(|error| error.to_string())?;
            Ok(layout.map(|layout| layout.layout))
        }

        fn put_new(&self) {
            fs::rename(self.dir.path().join("next"), self.path()).unwrap();
        }

        /// As where it was copied: no file has the number that it had.
        fn forget_numbers(&mut self) {
            (self.replacing.old, self.replacing.new) = (Some((1, 1)), Some((1, 2)));
        }
    }

    #[test]
    fn the_text_of_both_is_read_as_it_was_written() {
        let Replacement { replacing, .. } = Replacement::begin();
        let read = Replacing::parse(replacing.text().as_bytes()).unwrap().unwrap();
        assert_eq!((read.old, read.new, read.tie), (replacing.old, replacing.new, replacing.tie));
        assert_eq!((read.before, read.after), (replacing.before, replacing.after));
    }

    #[test]
    fn each_file_has_its_own_record() {
        let replacement = Replacement::begin();
        assert_eq!(replacement.found(), Ok(Some("old".to_owned())));
        replacement.put_new();
        assert_eq!(replacement.found(), Ok(Some("new".to_owned())));
    }

    #[test]
    fn where_one_has_none_it_has_none() {
        let mut replacement = Replacement::begin();
        replacement.replacing.before = None;
        assert_eq!(replacement.found(), Ok(None));
        replacement.put_new();
        replacement.replacing.after = None;
        assert_eq!(replacement.found(), Ok(None));
    }

    #[test]
    fn copied_files_are_known_by_their_bytes() {
        let mut replacement = Replacement::begin();
        replacement.forget_numbers();
        assert_eq!(replacement.found(), Ok(Some("old".to_owned())));
        replacement.put_new();
        assert_eq!(replacement.found(), Ok(Some("new".to_owned())));
    }

    /// The same bytes in two layouts, copied in the middle: nothing tells them apart.
    #[test]
    fn where_nothing_tells_it_is_an_error() {
        let mut replacement = Replacement::begin();
        replacement.forget_numbers();
        fs::write(replacement.path(), NEW).unwrap();
        replacement.replacing.before =
            replacement.replacing.after.clone().map(|text| text.replace("new", "old"));
        let error = replacement.found().unwrap_err();
        assert!(error.contains("could be the old or the new one"), "{error}");
        replacement.replacing.before = replacement.replacing.after.clone();
        assert_eq!(replacement.found(), Ok(Some("new".to_owned())));
    }

    #[test]
    fn a_record_is_refused_for_another_file() {
        let replacement = Replacement::begin();
        let side = path_beside(&replacement.path());
        fs::write(&side, replacement.replacing.after.as_ref().unwrap()).unwrap();
        let error = layout_beside(replacement.path()).unwrap_err();
        assert!(error.to_string().contains("is of another file"), "{error}");
        assert!(error.is_malformed() && error.help().is_some());
        replacement.put_new();
        assert_eq!(layout_beside(replacement.path()).unwrap().unwrap().layout, "new");
        // One bit of a value is another array too.
        let mut bytes = NEW.to_vec();
        bytes[3] ^= 1;
        fs::write(replacement.path(), bytes).unwrap();
        assert!(layout_beside(replacement.path()).is_err());
    }
}
