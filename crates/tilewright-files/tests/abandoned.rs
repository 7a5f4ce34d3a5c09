//! What killed processes left is cleared away, and nothing else is.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use scratch::{Scratch, data, write};
use tilewright::ElementType;
use tilewright_files::{ArrayFile, ArraySpec, CreateOptions, Format, StoredLayout};

/// The name of a claim that is nobody's.
const CLAIM: &str = ".tilewright-0123456789abcdef";

/// The text of a lock for the target `model`.
const LOCK: &str = "tilewright lock 1\nmodel";

/// Writes something to the folder, which clears it.
fn next_output(scratch: &Scratch) {
    let options = CreateOptions::new().force();
    let spec = ArraySpec::new("next", ElementType::U8, [1]);
    write(&options, &scratch.path("next.npy"), Format::Npy, &[(spec, &[1])]).unwrap();
}

#[track_caller]
fn check_left(scratch: &Scratch, left: &[&str]) {
    next_output(scratch);
    let mut expected = [left, &["next.npy"]].concat();
    expected.sort_unstable();
    assert_eq!(scratch.names(), expected);
}

#[test]
fn what_nobody_has_locked_goes_at_once() {
    // The last are of a power failure: their bytes were not all on the disk.
    let torn = [
        "\0\0\0\0\0",
        "tilewri\0\0\0",
        "\0\0\0\0wright lock 1\nmodel",
        "tilewright lock 1\nmo\0\0\0",
    ];
    for text in [LOCK, "tilewright lock 1\n", "tilewri", ""].into_iter().chain(torn) {
        let scratch = Scratch::new();
        scratch.put(&format!("{CLAIM}.lock"), text);
        fs::create_dir(scratch.path(&format!("{CLAIM}.new"))).unwrap();
        scratch.put(&format!("{CLAIM}.new/shard"), "x");
        scratch.put(&format!("{CLAIM}.side"), "x");
        check_left(&scratch, &[]);
    }
}

#[test]
fn what_is_locked_stays_however_old() {
    let scratch = Scratch::new();
    let [lock, new] = [".lock", ".new"].map(|ending| format!("{CLAIM}{ending}"));
    let used = File::options().write(true).open(scratch.put(&lock, LOCK)).unwrap();
    used.try_lock().unwrap();
    scratch.put(&new, "x");
    let long_ago = SystemTime::now() - Duration::from_secs(36_000);
    used.set_modified(long_ago).unwrap();
    check_left(&scratch, &[&lock, &new]);
    drop(used);
    check_left(&scratch, &[]);
}

#[test]
fn what_is_not_provably_ours_stays() {
    let scratch = Scratch::new();
    let names = [
        ".tilewright-old.tmp",
        ".tilewright-0123456789abcdef.new",
        ".tilewright-0123456789ABCDEF.lock",
        ".tilewright-0123456789abcde.lock",
        ".tilewright-1123456789abcdef.lock",
        ".tilewright-1123456789abcdef.new",
        "tilewright-0123456789abcdef.lock",
    ];
    for name in names {
        scratch.put(name, "somebody else's");
    }
    fs::create_dir(scratch.path(".tilewright-2123456789abcdef.lock")).unwrap();
    let mut left = names.to_vec();
    left.push(".tilewright-2123456789abcdef.lock");
    check_left(&scratch, &left);
}

/// Its lock could lead anywhere.
#[test]
#[cfg(unix)]
fn links_are_not_followed() {
    let scratch = Scratch::new();
    scratch.put("theirs", LOCK);
    let lock = format!("{CLAIM}.lock");
    std::os::unix::fs::symlink("theirs", scratch.path(&lock)).unwrap();
    check_left(&scratch, &[&lock, "theirs"]);
    assert_eq!(fs::read_to_string(scratch.path("theirs")).unwrap(), LOCK);
}

/// The names of the claim of a target, as it holds them while it is written.
fn claim_of_w() -> String {
    let digits = xxhash_rust::xxh3::xxh3_64(b"w.npy");
    format!(".tilewright-{digits:016x}")
}

/// Killed between the renames: the pair is whole for every reader, and one record is left after the
/// next output, to whatever file.
#[test]
fn a_replacement_that_was_cut_short_is_ended() {
    let layout = |text: &str| StoredLayout::new(text, "0");
    let spec = |text: &str| ArraySpec::new("w", ElementType::U8, [3]).layout(layout(text));
    for is_new in [false, true] {
        let scratch = Scratch::new();
        let path = scratch.path("w.npy");
        let side = scratch.path("w.npy.layout.json");
        let make = |name: &str, text: &str, bytes: &[u8]| {
            let arrays = [(spec(text), bytes)];
            write(&CreateOptions::new().force(), &scratch.path(name), Format::Npy, &arrays)
                .unwrap();
        };
        let record = || fs::read_to_string(&side).unwrap();
        let quoted = |text: &str| format!("{:?}", text.trim_end());
        make("w.npy", "old", &[1, 2, 3]);
        let (old, before) = (number(&path), record());
        fs::rename(&path, scratch.path("old.npy")).unwrap();
        make("w.npy", "new", &[4, 5, 6]);
        let (new, after) = (number(&path), record());
        let tie = after.split_once("\"array\":").unwrap().1.trim_end().strip_suffix('}').unwrap();
        let both = format!(
            "{{\"version\":1,\"replacing\":{{\"old\":{old},\"before\":{},\"new\":{new},\"after\":{},\"array\":{tie}}}}}",
            quoted(&before),
            quoted(&after)
        );
        match is_new {
            true => fs::remove_file(scratch.path("old.npy")).unwrap(),
            false => fs::rename(scratch.path("old.npy"), &path).unwrap(),
        }
        fs::write(&side, both).unwrap();
        let lock = format!("{}.lock", claim_of_w());
        scratch.put(&lock, "tilewright lock 1\nw.npy");

        let (text, bytes, expected) =
            if is_new { ("new", [4, 5, 6], after) } else { ("old", [1, 2, 3], before) };
        let check = || {
            let file = ArrayFile::open(&path).unwrap();
            assert_eq!(file.arrays()[0].layout(), Some(&layout(text)));
            assert_eq!(data(&file, 0), bytes);
        };
        check();
        check_left(&scratch, &["w.npy", "w.npy.layout.json"]);
        check();
        assert_eq!(record().trim_end(), expected.trim_end());
    }
}

/// Of a new file and its layout, killed when the record was there and the file was not.
#[test]
fn a_record_without_its_file_is_no_hindrance() {
    let scratch = Scratch::new();
    let replacing = "{\"version\":1,\"replacing\":{\"old\":null,\"before\":null,\"new\":[1,1],\
                     \"after\":\"x\",\"array\":{\"bytes\":1,\"fingerprint\":\"0123456789abcdef\"}}}";
    let make = || {
        let spec = ArraySpec::new("w", ElementType::U8, [3]).layout(StoredLayout::new("l", "0"));
        write(&CreateOptions::new(), &scratch.path("w.npy"), Format::Npy, &[(spec, &[1, 2, 3])])
    };
    scratch.put("w.npy.layout.json", replacing);
    make().unwrap();
    assert!(ArrayFile::open(scratch.path("w.npy")).unwrap().arrays()[0].layout().is_some());

    fs::remove_file(scratch.path("w.npy")).unwrap();
    assert!(make().unwrap_err().is_exists());
    scratch.put("w.npy.layout.json", replacing);
    scratch.put(&format!("{}.lock", claim_of_w()), "tilewright lock 1\nw.npy");
    check_left(&scratch, &[]);
}

/// Where two folders cannot change places in one step, the old one waits under a name of the claim.
#[test]
fn a_folder_that_was_moved_aside_comes_back() {
    let digits = xxhash_rust::xxh3::xxh3_64(b"model");
    let claim = format!(".tilewright-{digits:016x}");
    for new_is_there in [false, true] {
        let scratch = Scratch::new();
        scratch.put(&format!("{claim}.lock"), LOCK);
        let old = format!("{claim}.old");
        fs::create_dir(scratch.path(&old)).unwrap();
        scratch.put(&format!("{old}/shard"), "old");
        if new_is_there {
            fs::create_dir(scratch.path("model")).unwrap();
            scratch.put("model/shard", "new");
        }
        check_left(&scratch, &["model"]);
        let expected = if new_is_there { "new" } else { "old" };
        assert_eq!(fs::read_to_string(scratch.path("model/shard")).unwrap(), expected);
    }
}

/// As a record has it: device and number.
#[cfg(unix)]
fn number(path: &std::path::Path) -> String {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path).unwrap();
    format!("[{},{}]", found.dev(), found.ino())
}

#[cfg(not(unix))]
fn number(_: &std::path::Path) -> String {
    "null".to_owned()
}
