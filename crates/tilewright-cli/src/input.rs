//! Files that are read, and their errors in the words of the command line.

use std::path::Path;

use anyhow::bail;
use tilewright::text::abridged;
use tilewright_convert::Input;
use tilewright_files::{ArrayFile, Error};

use crate::words::write_words;

/// Opens a file, which `--from` may tell about.
pub(crate) fn open(path: &Path, from: &[String], strict: bool) -> anyhow::Result<Input> {
    refuse_dash(path)?;
    let input = Input::open(path, from, strict).map_err(in_words)?;
    warn_of_unused(input.file());
    Ok(input)
}

/// Says of which arrays a layout is recorded that are not there. An array that was renamed by a tool
/// that knows nothing of layouts is packed, and is taken for what it is stored as.
fn warn_of_unused(file: &ArrayFile) {
    const SHOWN: usize = 5;
    let path = file.path().display();
    let unused = file.unused_layouts();
    for name in unused.iter().take(SHOWN) {
        let name = abridged(name);
        write_words(&format!(
            "warning: {path}: a layout is recorded for `{name}`, which is not there"
        ));
    }
    if let Some(more) = unused.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        write_words(&format!(
            "warning: {path}: and {more} more layouts for arrays that are not there"
        ));
    }
}

/// Arrays are read and written by position, which a pipe cannot do.
pub(crate) fn refuse_dash(path: &Path) -> anyhow::Result<()> {
    if path == Path::new("-") {
        bail!("`-`: arrays are read and written by position, so this has to be a file");
    }
    Ok(())
}

/// A file error with its advice, in the words of the command line.
pub(crate) fn explained(error: Error) -> anyhow::Error {
    let help = match error.help() {
        Some(_) if error.is_exists() => "--force replaces it".to_owned(),
        Some(_) if error.is_same_file() => "--in-place replaces it when all is done".to_owned(),
        Some(help) if error.is_ambiguous() => format!("{help}: --from 'bf16[30,300]'"),
        Some(help) => help.to_owned(),
        None => return error.into(),
    };
    anyhow::anyhow!("{error}\n  = help: {help}")
}

/// The same of any error: of a file's there may be advice.
pub(crate) fn in_words(error: tilewright_convert::Error) -> anyhow::Error {
    error.into_file().map_or_else(anyhow::Error::from, explained)
}
