//! A folder for one test, and the two things every test does: write arrays, read them back.

// Each test program uses its own part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use tilewright_files::{ArrayFile, ArraySpec, CreateOptions, Error, Format};

/// An empty folder that goes when the test ends.
pub(crate) struct Scratch(tempfile::TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Scratch(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Puts a file there.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// What is there, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names_in(self.0.path())
    }
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Writes whole arrays.
pub(crate) fn write(
    options: &CreateOptions,
    path: &Path,
    format: Format,
    arrays: &[(ArraySpec, &[u8])],
) -> Result<(), Error> {
    let specs: Vec<ArraySpec> = arrays.iter().map(|(spec, _)| spec.clone()).collect();
    let mut writer = options.create(path, format, &specs)?;
    for (index, (_, bytes)) in arrays.iter().enumerate() {
        writer.append(index, bytes)?;
    }
    writer.finish()
}

/// Reads a whole array.
pub(crate) fn data(file: &ArrayFile, array: usize) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(file.arrays()[array].byte_len()).unwrap()];
    file.read_at(array, 0, &mut bytes).unwrap();
    bytes
}

/// Bytes that differ from one to the next.
pub(crate) fn pattern(len: u64, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect()
}

/// The length of `dims` elements of `bits` each.
pub(crate) fn byte_len(dims: &[i64], bits: u32) -> u64 {
    dims.iter().product::<i64>() as u64 * u64::from(bits) / 8
}
