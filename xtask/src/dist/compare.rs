//! `cargo xtask dist --compare`: the release is made a second time and held to the first, byte for byte.
//!
//! What could differ does: the second is made of a clone of the commit, in a folder of another name and length, and built in
//! an empty one. Time has passed, folders are read in another order, and names that a hash table or a process number gave are others.
//! The machine and its tools are the same; that these do not come through is not shown.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{PARTS, Part, Release, emptied, make_parts, named, names};
use crate::environment::succeed;
use crate::say;

/// Makes the parts again. `Err` says which files differ, or that there is nothing to hold them to.
pub(super) fn compare(parts: &[Part], release: &Release) -> Result<(), String> {
    if !release.folder.is_dir() {
        let folder = release.folder.display();
        return Err(format!(
            "{folder} is not there: what is compared is made first, without --compare"
        ));
    }
    let elsewhere = release.target.join("dist-again");
    emptied(&elsewhere)?;
    let clone = elsewhere.join("a-clone-of-the-commit");
    let mut git = Command::new("git");
    succeed(git.args(["clone", "--quiet"]).arg(&release.root).arg(&clone))?;
    let again = Release::of(clone, elsewhere.join("built"), &elsewhere.join("dist"))?;
    make_parts(parts, &again)?;
    let is_whole = parts.len() == PARTS.len();
    let (n_same, differing) = compared(&release.folder, &again.folder, is_whole)?;
    say(&format!("{n_same} files are the same, byte for byte, when they are made again"));
    match differing.is_empty() {
        true => fs::remove_dir_all(&elsewhere).map_err(|error| named(&elsewhere, &error)),
        false => Err(format!("made again, these are others:\n{}", differing.join("\n"))),
    }
}

/// How many files of the second folder are as in the first, and what is to be said of the others: of those that the first
/// has alone too, if the second is whole.
fn compared(first: &Path, second: &Path, is_whole: bool) -> Result<(usize, Vec<String>), String> {
    let read = |folder: &Path, name: &str| {
        let file = folder.join(name);
        fs::read(&file).map_err(|error| named(&file, &error))
    };
    let (there, made) = (names(first)?, names(second)?);
    let (mut n_same, mut differing) = (0, Vec::new());
    for name in &made {
        if !there.contains(name) {
            differing.push(format!("{name}: only the second time"));
            continue;
        }
        match difference(&read(first, name)?, &read(second, name)?) {
            None => n_same += 1,
            Some(how) => differing.push(format!("{name}: {how}")),
        }
    }
    let missing = there.iter().filter(|name| is_whole && !made.contains(name));
    differing.extend(missing.map(|name| format!("{name}: only the first time")));
    Ok((n_same, differing))
}

/// How two files differ, if they do.
fn difference(first: &[u8], second: &[u8]) -> Option<String> {
    if first == second {
        return None;
    }
    let at = first.iter().zip(second).position(|(one, other)| one != other);
    let at = at.unwrap_or(first.len().min(second.len()));
    Some(format!("{} and {} bytes, others from byte {at} on", first.len(), second.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let folder = std::env::temp_dir().join(format!("compared-{}", std::process::id()));
        let [first, second] = ["first", "second"].map(|name| folder.join(name));
        for (folder, name, text) in [
            (&first, "same", "a"),
            (&second, "same", "a"),
            (&first, "changed", "abc"),
            (&second, "changed", "abd"),
            (&first, "longer", "ab"),
            (&second, "longer", "a"),
            (&first, "old", ""),
            (&second, "new", ""),
            // The sums are of the others, and made of each folder.
            (&first, "SHA256SUMS", "1"),
            (&second, "SHA256SUMS", "2"),
        ] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(name), text).unwrap();
        }
        let whole = compared(&first, &second, true);
        let part = compared(&first, &second, false);
        fs::remove_dir_all(&folder).unwrap();
        let mut differing = vec![
            "changed: 3 and 3 bytes, others from byte 2 on",
            "longer: 2 and 1 bytes, others from byte 1 on",
            "new: only the second time",
        ];
        assert_eq!(part, Ok((1, differing.iter().map(|&line| line.to_owned()).collect())));
        differing.push("old: only the first time");
        assert_eq!(whole, Ok((1, differing.iter().map(|&line| line.to_owned()).collect())));
    }
}
