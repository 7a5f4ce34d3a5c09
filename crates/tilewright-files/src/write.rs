//! Filling a file that has been begun, and putting it in place.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::contents::{no_array, place, place_all};
use crate::coverage::Coverage;
use crate::error::{Error, Fault};
use crate::info::{ArrayInfo, Shard};
use crate::json::shortened;
use crate::publish::{self, Existing};
use crate::safetensors::replaced;
use crate::staged::{Output, StagedFile, StagedFolder};
use crate::writeback::Writeback;

/// A file or folder being made; from [`CreateOptions::create`](crate::CreateOptions::create).
///
/// Every byte of every array is written once, in any order, from any number of threads. Dropped
/// before [`finish`](Self::finish), it leaves nothing, and what was at the path is as it was.
#[derive(Debug)]
pub struct Writer {
    arrays: Vec<ArrayInfo>,
    outputs: Vec<Arc<Output>>,
    writeback: Writeback,
    progress: Mutex<Progress>,
    staged: Staged,
    existing: Existing,
    path: PathBuf,
}

/// What is to be put in place at the end.
#[derive(Debug)]
pub(crate) enum Staged {
    File(StagedFile),
    /// A file of the one array there is, which keeps its layout beside it.
    Pair(StagedFile),
    Folder(StagedFolder, Vec<Shard>),
}

#[derive(Debug)]
struct Progress {
    coverage: Vec<Coverage>,
    /// A write failed after its bytes were counted, so the count means nothing any more.
    failed: bool,
}

impl Writer {
    pub(crate) fn new(
        arrays: Vec<ArrayInfo>,
        outputs: Vec<Output>,
        staged: Staged,
        existing: Existing,
        path: &Path,
    ) -> Self {
        let coverage = arrays.iter().map(|_| Coverage::default()).collect();
        let progress = Mutex::new(Progress { coverage, failed: false });
        let (writeback, path) = (Writeback::default(), path.to_owned());
        let outputs = outputs.into_iter().map(Arc::new).collect();
        Writer { arrays, outputs, writeback, progress, staged, existing, path }
    }

    /// The arrays as they will be stored, in the order of their specs: how many bytes each takes,
    /// and where.
    pub fn arrays(&self) -> &[ArrayInfo] {
        &self.arrays
    }

    /// Writes bytes of array number `array` from `byte_offset`, counted from the array's beginning.
    ///
    /// # Errors
    ///
    /// There is no such array, it has fewer bytes, some of these bytes were written before, or the
    /// disk fails. After an error the file cannot be finished with these bytes missing.
    pub fn write_at(&self, array: usize, byte_offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let (info, output) = self.array(array)?;
        let start = place(info, byte_offset, bytes.len()).map_err(|fault| fault.at(&self.path))?;
        self.count(array, byte_offset, bytes.len() as u64)?;
        output.write_at(start, bytes).inspect_err(|_| self.progress().failed = true)?;
        self.writeback.wrote(bytes.len() as u64, output);
        Ok(())
    }

    /// Writes all bytes of several arrays, each of which
    /// [is followed by](ArrayInfo::is_followed_by) the next: one write where arrays are small and
    /// many.
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at); or the arrays are not that, or have more or fewer bytes in
    /// all. Where some of the bytes were written before, the file cannot be finished any more.
    pub fn write_arrays(&self, arrays: Range<usize>, bytes: &[u8]) -> Result<(), Error> {
        let (these, start) = place_all(&self.arrays, arrays.clone(), bytes.len())
            .map_err(|fault| fault.at(&self.path))?;
        let (_, output) = self.array(arrays.start)?;
        let counted = arrays.zip(these).try_for_each(|(n, info)| self.count(n, 0, info.byte_len));
        let written = counted.and_then(|()| output.write_at(start, bytes));
        written.inspect_err(|_| self.progress().failed = true)?;
        self.writeback.wrote(bytes.len() as u64, output);
        Ok(())
    }

    /// Writes the next bytes of array number `array`: those after the ones written from its
    /// beginning on.
    ///
    /// # Errors
    ///
    /// As [`write_at`](Self::write_at).
    pub fn append(&mut self, array: usize, bytes: &[u8]) -> Result<(), Error> {
        let next = self.progress().coverage.get(array).map_or(0, Coverage::prefix);
        self.write_at(array, next, bytes)
    }

    /// Checks that every array has all its bytes, waits until they are on the disk, and puts the
    /// file or folder in place.
    ///
    /// A reader finds the old file or the new one, never a part of one; and a .npy or raw file
    /// always with its own layout, old or new, wherever this is stopped. Of several writers of one
    /// path, one after another comes, each whole, and the last one stays.
    ///
    /// # Errors
    ///
    /// An array lacks bytes, an earlier write failed, the disk fails, or something has come to be at
    /// the path meanwhile. Then nothing is replaced, unless the [help](Error::help) says that the
    /// output is in place, and only what comes after failed.
    pub fn finish(self) -> Result<(), Error> {
        self.check_complete().map_err(|fault| fault.at(&self.path))?;
        self.writeback.end()?;
        self.outputs.iter().try_for_each(|output| output.sync())?;
        match &self.staged {
            Staged::File(staged) => publish::file(staged, self.existing),
            Staged::Pair(staged) => {
                let layout = self.arrays.first().and_then(ArrayInfo::layout);
                publish::pair(staged, layout, self.existing)
            }
            Staged::Folder(staged, shards) => {
                let folder = staged.path();
                publish::folder(staged, self.existing, |path| {
                    let mut kept = replaced::kept(path, shards)?;
                    kept.retain(|name| !folder.join(name).exists());
                    Ok(kept)
                })
            }
        }
    }

    fn array(&self, array: usize) -> Result<(&ArrayInfo, &Arc<Output>), Error> {
        let info = self.arrays.get(array);
        let found = info.and_then(|info| Some((info, self.outputs.get(info.shard)?)));
        found.ok_or_else(|| no_array(array, self.arrays.len()).at(&self.path))
    }

    fn count(&self, array: usize, start: u64, len: u64) -> Result<(), Error> {
        let mut progress = self.progress();
        let fresh = match progress.coverage.get_mut(array) {
            Some(coverage) => coverage.add(start, start.saturating_add(len)),
            None => false,
        };
        if fresh { Ok(()) } else { Err(written_before(start, len).at(&self.path)) }
    }

    fn check_complete(&self) -> Result<(), Fault> {
        let progress = self.progress();
        if progress.failed {
            return Err(Fault::request("an earlier write failed, so the file cannot be finished"));
        }
        for (info, coverage) in self.arrays.iter().zip(&progress.coverage) {
            let (written, all) = (coverage.total(), info.byte_len);
            if written != all {
                let name = shortened(&info.name);
                return Err(Fault::request(format!(
                    "array `{name}` got {written} of its {all} bytes"
                )));
            }
        }
        Ok(())
    }

    /// Poisoned or not: the counts are changed in one step.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn written_before(start: u64, len: u64) -> Fault {
    Fault::request(format!("some of the {len} bytes from byte {start} were written before"))
}
