//! A folder of shards that another takes the place of.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::folder::{self, INDEX, ONLY};
use crate::error::{Error, Fault, IoContext};
use crate::info::Shard;
use crate::listing::{Entry, entries};

/// The files of a folder to be replaced that the new one keeps; an error if it must not be replaced.
pub(crate) fn kept(path: &Path, shards: &[Shard]) -> Result<Vec<OsString>, Error> {
    let refuse = |message: &str| Err(Fault::request(message).at(path));
    if !fs::symlink_metadata(path).doing("look at the folder", path)?.is_dir() {
        return refuse("not a folder, so it is not replaced by one");
    }
    let entries = entries(path).doing("look into the folder", path)?;
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    if !entries.iter().any(|entry| entry.name == INDEX || entry.name == ONLY) {
        return refuse("a folder without a shard index, so it is not replaced");
    }
    let old = folder::names_in(path)?;
    let mut others = Vec::new();
    for Entry { name, is_folder } in entries {
        if name == INDEX || old.iter().any(|shard| name == shard.as_str()) {
            continue;
        }
        if is_folder {
            return refuse("a folder with a folder in it, so it is not replaced");
        }
        if shards.iter().any(|shard| name == shard.name()) {
            let fault = Fault::exists("file, which is no shard by the index,");
            return Err(fault.at(&path.join(name)));
        }
        others.push(name);
    }
    Ok(others)
}
