//! `<file>.layout.json`: the layout of a .npy or raw file, kept beside it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::{Error, Fault};
use crate::info::StoredLayout;
use crate::json::shortened;
use crate::layout_record;
use crate::limits::MAX_SIDE_FILE_BYTES;
use crate::open::{OpenOptions, stem};
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
/// The side file is not a record of version 1, or does not name the array, which is the file's stem.
pub fn layout_beside(path: impl AsRef<Path>) -> Result<Option<StoredLayout>, Error> {
    read(path.as_ref())
}

/// Where the layout of `path` is kept.
pub(crate) fn path_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".layout.json");
    PathBuf::from(name)
}

/// Opens an array file together with the layout that belongs to it.
///
/// The writer removes the old layout before it renames the new array into place, and only then
/// places the new layout. So a layout that was read while the path still led to the open file is
/// that file's own; if the path has moved on, all is read again.
pub(crate) fn open_beside(
    path: &Path,
    options: &OpenOptions,
) -> Result<(Source, Option<StoredLayout>), Error> {
    for _ in 0..ATTEMPTS {
        let source = Source::open(path)?;
        if options.ignore_layouts {
            return Ok((source, None));
        }
        let layout = read(path);
        if FileId::of_path(path)?.as_ref() == Some(source.id()) {
            return Ok((source, layout?));
        }
    }
    Err(Fault::malformed("the file was replaced again and again while it was opened").at(path))
}

fn read(path: &Path) -> Result<Option<StoredLayout>, Error> {
    let source = match Source::open(&path_beside(path)) {
        Err(error) if error.is_not_found() => return Ok(None),
        outcome => outcome?,
    };
    if source.len() > MAX_SIDE_FILE_BYTES {
        let fault = Fault::limit("the length", source.len().into(), MAX_SIDE_FILE_BYTES);
        return Err(source.fault(fault));
    }
    let text = source.read_vec("the layout record", 0, source.len())?;
    pick(&text, &stem(path)).map(Some).map_err(|fault| source.fault(fault))
}

/// The layout of the one array there is.
fn pick(text: &[u8], name: &str) -> Result<StoredLayout, Fault> {
    let mut layouts = layout_record::parse(text)?;
    layouts.remove(name).ok_or_else(|| {
        let others: Vec<String> = layouts.keys().map(|other| format!("`{}`", shortened(other))).collect();
        let found = if others.is_empty() { "nothing".to_owned() } else { others.join(", ") };
        Fault::malformed(format!("the layout record names {}, not `{name}`", shortened(&found)))
            .help("the array's name is the file's stem: rename the file back, or the key in the record")
    })
}
