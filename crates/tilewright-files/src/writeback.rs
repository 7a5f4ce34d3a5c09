//! Bytes on their way to the disk while more are being made.
//!
//! What is written to a file waits in memory until something asks for it to be on the disk. Asked
//! only at the end, the disk idles through the whole of the work and the work is then followed by
//! as long a wait. So a thread asks again and again, and at the end little is left to wait for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use crate::error::Error;
use crate::staged::Output;

/// How many bytes are written before the disk is set to work again. Less, and the fixed price of a
/// sync shows; more, and the disk begins late. The sync of a slow disk outlasts many such steps,
/// and the next takes all of them at once.
const STEP: u64 = 16 << 20;

/// Whether this is done at all. Elsewhere a sync is a dearer thing, or keeps others from the file.
const IS_WORTH_IT: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Counts what is written, and starts the thread when there is enough of it.
///
/// Dropped, it leaves the thread to end by itself.
#[derive(Debug, Default)]
pub(crate) struct Writeback {
    written: AtomicU64,
    /// `None` inside if the system would not start a thread: then all waiting is at the end.
    syncer: OnceLock<Option<Syncer>>,
}

#[derive(Debug)]
struct Syncer {
    /// Holds one: what comes while a sync is under way is taken by the next.
    outputs: SyncSender<Arc<Output>>,
    thread: JoinHandle<Result<(), Error>>,
}

impl Writeback {
    /// Takes note of `len` bytes written to `output`.
    pub(crate) fn wrote(&self, len: u64, output: &Arc<Output>) {
        let before = self.written.fetch_add(len, Ordering::Relaxed);
        if !IS_WORTH_IT || before / STEP == before.wrapping_add(len) / STEP {
            return;
        }
        if let Some(syncer) = self.syncer.get_or_init(Syncer::start) {
            // Full, there is a sync to come anyway; closed, one has failed, and `end` says so.
            let _ = syncer.outputs.try_send(Arc::clone(output));
        }
    }

    /// Waits until no sync is under way.
    ///
    /// A sync reports an error of the disk once and to one caller only, so an error that was met
    /// here must not be lost.
    pub(crate) fn end(self) -> Result<(), Error> {
        let Some(Syncer { outputs, thread }) = self.syncer.into_inner().flatten() else {
            return Ok(());
        };
        drop(outputs);
        thread.join().unwrap_or(Ok(()))
    }
}

impl Syncer {
    fn start() -> Option<Self> {
        let (outputs, to_sync) = sync_channel(1);
        let thread = thread::Builder::new().spawn(|| sync_all(to_sync)).ok()?;
        Some(Syncer { outputs, thread })
    }
}

/// Syncs whatever comes, until the other end is dropped or a sync fails.
#[allow(clippy::needless_pass_by_value, reason = "dropped here, it tells that nobody listens")]
fn sync_all(outputs: Receiver<Arc<Output>>) -> Result<(), Error> {
    outputs.iter().try_for_each(|output| output.sync_data())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::Path;

    fn output(file: File) -> Arc<Output> {
        Arc::new(Output::new(file, Path::new("w.bin")))
    }

    #[test]
    fn little_is_left_to_the_end() {
        let writeback = Writeback::default();
        let output = output(tempfile::tempfile().unwrap());
        writeback.wrote(STEP - 1, &output);
        assert!(writeback.syncer.get().is_none());
        writeback.wrote(1, &output);
        assert_eq!(writeback.syncer.get().is_some(), IS_WORTH_IT);
        writeback.end().unwrap();
        assert_eq!(Arc::strong_count(&output), 1);
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn an_error_of_the_disk_is_not_lost() {
        // A device that keeps nothing has nothing to sync, and says so.
        let unsyncable = output(File::open("/dev/null").unwrap());
        let sound = output(tempfile::tempfile().unwrap());
        let writeback = Writeback::default();
        writeback.wrote(STEP, &unsyncable);
        for _ in 0..100 {
            writeback.wrote(STEP, &sound);
        }
        let error = writeback.end().unwrap_err();
        assert!(error.to_string().contains("w.bin: cannot write the file to the disk"), "{error}");
    }
}
