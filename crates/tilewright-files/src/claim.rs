//! Names of what is being made, which tell other processes whose they are and whether he lives.
//!
//! ```text
//! .tilewright-0123456789abcdef.lock    locked while its process lives; says for which target
//! .tilewright-0123456789abcdef.new     what is being made: a file, or a folder
//! .tilewright-0123456789abcdef.side    the layout that goes beside it
//! .tilewright-0123456789abcdef.old     what it takes the place of, where that has to step aside
//! ```
//!
//! The names of one claim differ in their endings only and stand in the folder of the target. A
//! *claim of work* has digits of its own. The *claim of a target* has digits that are a hash of the
//! target's name, so that of all processes one has it, and the others wait: it is held from the
//! first rename to the last.
//!
//! A lock is on the disk before anything else of its claim is made, and goes last.
//!
//! A process that is killed leaves names behind, and loses its lock. What then proves a thing to be
//! ours and abandoned is not its age: a `.lock` of exactly this form, which is empty or begins as
//! ours do, but for zeros where the power went before a text was on the disk, and which nobody has locked. Its siblings are of the same claim by their names. Where
//! the file system knows no locks there is no such proof, and nothing is cleared away.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use crate::listing::{entries, remove, sync, sync_names};
use crate::positional::{FileId, folder_of};

const PREFIX: &str = ".tilewright-";
const LOCK: &str = "lock";

/// How the text of a lock begins; the target's name follows.
const MARK: &[u8] = b"tilewright lock 1\n";

/// No text of a lock has so many bytes: a file's name has at most 255.
const MOST: u64 = 4096;

/// What a name of a claim is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    New,
    Side,
    Old,
}

impl Role {
    fn ending(self) -> &'static str {
        match self {
            Role::New => "new",
            Role::Side => "side",
            Role::Old => "old",
        }
    }
}

/// The claims of this process, by the names of their locks. Held while files change their names,
/// so that [`abandon`] comes before that or after.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of names is as good as it was, whoever panicked.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps [`abandon`] waiting: what is done meanwhile is done whole. Whatever gets a name of a claim
/// gets it under this, so that nothing does after all that had one was removed.
///
/// It is not to be begun twice by one thread, nor is a claim to be taken or dropped under it.
pub(crate) struct Undisturbed {
    _live: MutexGuard<'static, Vec<PathBuf>>,
}

impl Undisturbed {
    pub(crate) fn begin() -> Self {
        Undisturbed { _live: live() }
    }
}

/// Removes what this process is making under names of its own, for a process that is about to end:
/// a signal came.
///
/// An output that is being put in place gets there first. Afterwards nothing is put in place any
/// more: threads that want to wait for ever.
///
/// ```no_run
/// tilewright_files::abandon();
/// std::process::exit(130);
/// ```
pub fn abandon() {
    let live = live();
    for lock in live.iter().filter(|lock| release(lock)) {
        let _ = fs::remove_file(lock);
    }
    std::mem::forget(live);
}

/// The right to a set of names in a folder. Dropped, they go, but for an `.old` that is still there.
#[derive(Debug)]
pub(crate) struct Claim {
    lock: PathBuf,
    /// `None` where there are no locks.
    _locked: Option<File>,
    keeps_lock: AtomicBool,
    /// The process that took it: a fork of it has the value too, but not the right.
    process: u32,
}

impl Claim {
    /// A claim of work: nobody else has one of its name.
    pub(crate) fn of_work(target: &Path) -> io::Result<Self> {
        loop {
            if let Taken::Mine(claim) = Self::take(target, fresh_digits())? {
                return Ok(claim);
            }
        }
    }

    /// The claim of a target. While another thread or process has it, this waits.
    ///
    /// What a killed process left under the claim's names is still there.
    pub(crate) fn of_target(target: &Path) -> io::Result<Self> {
        let digits = digits_of(target);
        loop {
            match Self::take(target, digits)? {
                Taken::Mine(claim) => return Ok(claim),
                Taken::Theirs(file) => wait(&file)?,
                // It went in between: the next one is another file.
                Taken::Gone => {}
            }
        }
    }

    fn new(lock: PathBuf, locked: Option<File>) -> Self {
        let (keeps_lock, process) = (AtomicBool::new(false), std::process::id());
        Claim { lock, _locked: locked, keeps_lock, process }
    }

    fn take(target: &Path, digits: u64) -> io::Result<Taken> {
        let lock = lock_of(target, digits);
        let mut live = live();
        let file = open(&lock, true)?;
        match file.try_lock() {
            Ok(()) => match is_at(&file, &lock).inspect_err(|_| take_back(&file, &lock))? {
                true => settle(&file, &lock, target).inspect_err(|_| take_back(&file, &lock))?,
                false => return Ok(Taken::Gone),
            },
            Err(TryLockError::WouldBlock) => return Ok(Taken::Theirs(file)),
            Err(TryLockError::Error(_)) => {
                let _ = fs::remove_file(&lock);
                let lock = lock_of(target, fresh_digits());
                live.push(lock.clone());
                return Ok(Taken::Mine(Claim::new(lock, None)));
            }
        }
        live.push(lock.clone());
        Ok(Taken::Mine(Claim::new(lock, Some(file))))
    }

    /// The name for this.
    pub(crate) fn path(&self, role: Role) -> PathBuf {
        self.lock.with_extension(role.ending())
    }

    /// Leaves the lock when all else goes, as a killed process would: there is something to be mended
    /// that this one could not.
    pub(crate) fn keep_lock(&self) {
        self.keeps_lock.store(true, Ordering::Relaxed);
    }

    /// Whether it is the claim of this target.
    pub(crate) fn is_of(&self, target: &Path) -> bool {
        let digits = self.lock.file_name().and_then(digits_in);
        digits == Some(digits_of(target))
    }

    /// The claims in a folder that killed processes left, each with its target where it says one.
    /// They are now ours, and go when they are dropped.
    pub(crate) fn abandoned(folder: &Path) -> Vec<(Claim, Option<PathBuf>)> {
        let entries = entries(folder).unwrap_or_default();
        let locks = entries.iter().filter(|entry| digits_in(&entry.name).is_some());
        locks.filter_map(|entry| Self::adopt(folder, &entry.name)).collect()
    }

    fn adopt(folder: &Path, name: &OsStr) -> Option<(Claim, Option<PathBuf>)> {
        let lock = folder.join(name);
        let mut live = live();
        let file = open(&lock, false).ok()?;
        file.try_lock().ok()?;
        if !is_at(&file, &lock).ok()? {
            return None;
        }
        let target = target_in(&text_of(&file).ok()?)?.map(|name| folder.join(name));
        live.push(lock.clone());
        Some((Claim::new(lock, Some(file)), target))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        let mut live = live();
        let is_free = release(&self.lock);
        if is_free && !self.keeps_lock.load(Ordering::Relaxed) {
            let _ = fs::remove_file(&self.lock);
        }
        live.retain(|lock| *lock != self.lock);
    }
}

/// What came of reaching for a claim.
enum Taken {
    Mine(Claim),
    Theirs(File),
    /// Its owner has removed the lock that was just opened.
    Gone,
}

/// Removes what stands under a claim's names but its lock, and whether nothing is left. Otherwise the
/// lock stays too, and with it the proof for the next process.
fn release(lock: &Path) -> bool {
    let at = |role: Role| lock.with_extension(role.ending());
    let removed = [Role::New, Role::Side].map(|role| remove_all(&at(role)).is_ok());
    removed == [true; 2] && fs::symlink_metadata(at(Role::Old)).is_err()
}

/// Other threads may still be making files in a folder that goes; they stop at the next one.
fn remove_all(path: &Path) -> io::Result<()> {
    (0..3).find_map(|_| remove(path).ok()).map_or_else(|| remove(path), Ok)
}

fn lock_of(target: &Path, digits: u64) -> PathBuf {
    folder_of(target).join(format!("{PREFIX}{digits:016x}.{LOCK}"))
}

/// A number that no other claim has.
fn fresh_digits() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The number of the claim of a target, the same in every process.
fn digits_of(target: &Path) -> u64 {
    xxh3_64(target.file_name().unwrap_or_default().as_encoded_bytes())
}

/// The number in the name of a lock; `None` for all other names.
fn digits_in(name: &OsStr) -> Option<u64> {
    let digits = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(LOCK)?.strip_suffix('.')?;
    let is_plain =
        digits.len() == 16 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    u64::from_str_radix(digits, 16).ok().filter(|_| is_plain)
}

/// Opens a lock, never through a link: what stands under its name may be anybody's.
fn open(lock: &Path, create: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create).truncate(false);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(lock)
}

/// Writes into a fresh lock what it is for. One that is neither fresh nor ours is in the way.
fn sign(file: &File, lock: &Path, target: &Path) -> io::Result<()> {
    let text = text_of(file)?;
    if !file.metadata()?.is_file() || target_in(&text).is_none() {
        let message = format!("{} is in the way, which is no lock of tilewright's", lock.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
    }
    if text.is_empty() {
        let name = target.file_name().unwrap_or_default();
        // Unsigned it is as good a lock, and whoever clears up can mend less, of which readers see
        // nothing.
        let _ = (&*file).write_all(&[MARK, name.as_encoded_bytes()].concat());
    }
    Ok(())
}

/// Signs a lock, and waits until it and its name are on the disk. What stands under a claim's other names comes
/// after that, so that none of it is ever found without the lock that proves whose it is, be it after the power
/// went and in whatever order the disk has written names.
fn settle(file: &File, lock: &Path, target: &Path) -> io::Result<()> {
    sign(file, lock, target)?;
    sync(file)?;
    sync_names(&folder_of(lock))
}

/// Removes a lock that was just made and is of no use, since something failed. One with another text is
/// somebody else's. The names of a file that is locked are its owner's to change: one that has a name still is
/// the one that was opened by it.
fn take_back(file: &File, lock: &Path) {
    let is_empty = |found: &fs::Metadata| found.len() == 0;
    let is_signed = || text_of(file).is_ok_and(|text| target_in(&text).is_some());
    let is_ours = |found: fs::Metadata| {
        found.is_file() && has_name(&found) && (is_empty(&found) || is_signed())
    };
    if file.metadata().is_ok_and(is_ours) {
        let _ = fs::remove_file(lock);
    }
}

#[cfg(unix)]
fn has_name(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(found) > 0
}

/// Elsewhere nothing tells, and a lock without a text stays for the next output to clear away.
#[cfg(not(unix))]
fn has_name(_: &fs::Metadata) -> bool {
    false
}

/// The text of a lock, or as much of it as no lock has.
fn text_of(mut file: &File) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.rewind()?;
    file.take(MOST).read_to_end(&mut text)?;
    Ok(text)
}

/// The target in the text of a lock: `Some(None)` if it does not say one (its process was killed
/// before), `None` if it is no lock of ours.
fn target_in(text: &[u8]) -> Option<Option<OsString>> {
    if MARK.starts_with(text) || is_unwritten(text) {
        return Some(None);
    }
    let name = name_of(text.strip_prefix(MARK)?)?;
    let mut parts = Path::new(&name).components();
    let is_bare = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    is_bare.then_some(Some(name))
}

/// Whether it is a text of ours of which not all was on the disk when the power went: zeros are where it is not.
fn is_unwritten(text: &[u8]) -> bool {
    let mut pairs = text.iter().zip(MARK);
    text.contains(&0) && pairs.all(|(there, wanted)| there == wanted || *there == 0)
}

#[cfg(unix)]
fn name_of(bytes: &[u8]) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
fn name_of(bytes: &[u8]) -> Option<OsString> {
    Some(std::str::from_utf8(bytes).ok()?.into())
}

/// Waits until a lock is free.
fn wait(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// Whether the file is the one that the path leads to.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match FileId::look(path) {
        Ok(there) => Ok(there == FileId::of_file(file, path)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
