//! Outputs appear whole or not at all, and replace only what they may.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use std::fs;
use std::path::Path;

use scratch::{Scratch, data, write};
use tilewright::ElementType;
use tilewright_files::{ArrayFile, ArraySpec, CreateOptions, Format, OpenOptions, Writer};

const FORMATS: [(Format, &str); 3] =
    [(Format::Npy, "w.npy"), (Format::Safetensors, "w.safetensors"), (Format::Raw, "w.bin")];

fn spec() -> ArraySpec {
    ArraySpec::new("w", ElementType::U8, [4])
}

fn begin(options: &CreateOptions, path: &Path, format: Format) -> Writer {
    options.create(path, format, &[spec()]).unwrap()
}

fn make(options: &CreateOptions, path: &Path, format: Format, bytes: [u8; 4]) {
    write(options, path, format, &[(spec(), &bytes)]).unwrap();
}

fn read(path: &Path) -> Vec<u8> {
    let file = match Format::detect(path).unwrap() {
        Format::Raw => OpenOptions::new().raw(ElementType::U8, [4]).open(path).unwrap(),
        _ => ArrayFile::open(path).unwrap(),
    };
    data(&file, 0)
}

/// Whoever reads it meanwhile is told, as far as length and time tell.
#[test]
fn a_file_that_was_written_to_is_known() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    make(&CreateOptions::new(), &path, Format::Npy, *b"abcd");
    let file = ArrayFile::open(&path).unwrap();
    file.require_unchanged().unwrap();
    // Another in its place is another file.
    make(&CreateOptions::new().force(), &path, Format::Npy, *b"efgh");
    file.require_unchanged().unwrap();
    let file = ArrayFile::open(&path).unwrap();
    let writer = fs::OpenOptions::new().write(true).open(&path).unwrap();
    writer.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let error = file.require_unchanged().unwrap_err();
    assert!(error.to_string().contains("was written to while it was read"), "{error}");
    let file = ArrayFile::open(&path).unwrap();
    let len = writer.metadata().unwrap().len();
    writer.set_len(len + 1).unwrap();
    writer.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    file.require_unchanged().unwrap_err();
}

#[test]
fn nothing_is_there_before_the_end_and_nothing_after_a_drop() {
    for (format, name) in FORMATS {
        let scratch = Scratch::new();
        let mut writer = begin(&CreateOptions::new(), &scratch.path(name), format);
        // Without a name where the system can, and otherwise under one of ours.
        assert!(scratch.names().iter().all(|name| name.starts_with(".tilewright-")));
        writer.append(0, &[1, 2]).unwrap();
        drop(writer);
        assert!(scratch.names().is_empty(), "{name}");

        make(&CreateOptions::new(), &scratch.path(name), format, [1, 2, 3, 4]);
        assert_eq!(scratch.names(), [name]);
        assert_eq!(read(&scratch.path(name)), [1, 2, 3, 4]);
    }
}

#[test]
fn what_is_there_is_replaced_only_by_force_and_only_at_the_end() {
    for (format, name) in FORMATS {
        let scratch = Scratch::new();
        let path = scratch.path(name);
        make(&CreateOptions::new(), &path, format, [1; 4]);
        let error = CreateOptions::new().create(&path, format, &[spec()]).unwrap_err();
        assert!(error.is_exists() && error.help().is_some(), "{error}");

        let mut writer = begin(&CreateOptions::new().force(), &path, format);
        writer.append(0, &[2; 3]).unwrap();
        assert_eq!(read(&path), [1; 4]);
        let error = writer.finish().unwrap_err();
        assert!(error.to_string().contains("array `w` got 3 of its 4 bytes"), "{error}");
        assert_eq!(read(&path), [1; 4]);
        assert_eq!(scratch.names(), [name]);

        make(&CreateOptions::new().force(), &path, format, [3; 4]);
        assert_eq!(read(&path), [3; 4]);
        assert_eq!(scratch.names(), [name]);
    }
}

#[test]
fn what_came_meanwhile_is_not_replaced() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    let mut writer = begin(&CreateOptions::new(), &path, Format::Npy);
    writer.append(0, &[1; 4]).unwrap();
    scratch.put("w.npy", "somebody else's");
    assert!(writer.finish().unwrap_err().is_exists());
    assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    assert_eq!(scratch.names(), ["w.npy"]);
}

#[test]
fn the_source_is_replaced_only_in_place() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    make(&CreateOptions::new(), &path, Format::Npy, [1; 4]);
    let source = ArrayFile::open(&path).unwrap();
    let by_force = CreateOptions::new().force().source(&source);
    let refused = |target: &Path| {
        let error = by_force.create(target, Format::Npy, &[spec()]).unwrap_err();
        assert!(error.is_same_file(), "{error}");
        assert!(error.to_string().ends_with("the output is the same file as the input"));
    };
    refused(&path);
    refused(&scratch.path(".").join("w.npy"));
    fs::hard_link(&path, scratch.path("hard.npy")).unwrap();
    refused(&scratch.path("hard.npy"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("w.npy", scratch.path("soft.npy")).unwrap();
        refused(&scratch.path("soft.npy"));
        std::os::unix::fs::symlink(".", scratch.path("loop")).unwrap();
        refused(&scratch.path("loop/w.npy"));
    }

    // In place needs no force; what is open stays as it was.
    make(&CreateOptions::new().in_place().source(&source), &path, Format::Npy, [2; 4]);
    assert_eq!(read(&path), [2; 4]);
    assert_eq!(data(&source, 0), [1; 4]);
}

#[test]
fn in_place_is_no_leave_to_replace_another() {
    let scratch = Scratch::new();
    make(&CreateOptions::new(), &scratch.path("a.npy"), Format::Npy, [1; 4]);
    make(&CreateOptions::new(), &scratch.path("b.npy"), Format::Npy, [2; 4]);
    let source = ArrayFile::open(scratch.path("a.npy")).unwrap();
    let options = CreateOptions::new().in_place().source(&source);
    assert!(options.create(scratch.path("b.npy"), Format::Npy, &[spec()]).unwrap_err().is_exists());
}

#[test]
#[cfg(unix)]
fn of_a_link_the_link_is_replaced() {
    let scratch = Scratch::new();
    scratch.put("blob", "kept");
    std::os::unix::fs::symlink("blob", scratch.path("w.npy")).unwrap();
    assert!(
        CreateOptions::new()
            .create(scratch.path("w.npy"), Format::Npy, &[spec()])
            .unwrap_err()
            .is_exists()
    );
    make(&CreateOptions::new().force(), &scratch.path("w.npy"), Format::Npy, [1; 4]);
    assert_eq!(fs::read(scratch.path("blob")).unwrap(), b"kept");
    assert!(fs::symlink_metadata(scratch.path("w.npy")).unwrap().is_file());

    std::os::unix::fs::symlink("nowhere", scratch.path("dangling.npy")).unwrap();
    let made = CreateOptions::new().create(scratch.path("dangling.npy"), Format::Npy, &[spec()]);
    assert!(made.unwrap_err().is_exists());
}

#[test]
fn only_files_are_replaced_by_files() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("w.npy")).unwrap();
    let made = CreateOptions::new().force().create(scratch.path("w.npy"), Format::Npy, &[spec()]);
    assert!(made.unwrap_err().to_string().contains("not a regular file"));
    let made = CreateOptions::new().create(scratch.path("no/w.npy"), Format::Npy, &[spec()]);
    assert!(made.unwrap_err().is_not_found());
    assert!(ArrayFile::open(scratch.path("none.npy")).unwrap_err().is_not_found());
}

#[test]
#[cfg(unix)]
fn access_rights_are_those_of_the_replaced_file() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    make(&CreateOptions::new(), &path, Format::Npy, [1; 4]);
    // As any new file: what the process's mask leaves of 666.
    let plain = scratch.put("plain", "");
    assert_eq!(mode(), fs::metadata(plain).unwrap().permissions().mode() & 0o777);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    make(&CreateOptions::new().force(), &path, Format::Npy, [2; 4]);
    assert_eq!(mode(), 0o640);
}

/// A file can be given away by the superuser alone; for others there is nothing to keep.
#[test]
#[cfg(unix)]
fn the_owner_is_kept_where_that_can_be() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    for (format, name) in FORMATS {
        let scratch = Scratch::new();
        let path = scratch.path(name);
        make(&CreateOptions::new(), &path, format, [1; 4]);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let may = chown(&path, Some(4321), Some(1234)).is_ok();
        let owner = || fs::metadata(&path).map(|found| (found.uid(), found.gid())).unwrap();
        let before = owner();
        make(&CreateOptions::new().force(), &path, format, [2; 4]);
        assert_eq!((owner(), may), (before, before == (4321, 1234)));
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o640);
    }
}

#[test]
#[cfg(any(target_os = "linux", target_os = "android"))]
fn a_lack_of_room_is_found_before_any_work() {
    let scratch = Scratch::new();
    let huge = ArraySpec::new("w", ElementType::U8, [1 << 60]);
    let error =
        CreateOptions::new().create(scratch.path("w.bin"), Format::Raw, &[huge]).unwrap_err();
    assert!(error.to_string().contains("cannot make room for the file"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    assert!(scratch.names().is_empty());
}

#[test]
fn every_byte_is_written_once() {
    let scratch = Scratch::new();
    let mut writer = begin(&CreateOptions::new(), &scratch.path("w.npy"), Format::Npy);
    writer.write_at(0, 2, &[3]).unwrap();
    writer.append(0, &[1]).unwrap();
    writer.append(0, &[]).unwrap();
    let fails = |outcome: Result<(), tilewright_files::Error>, fragment: &str| {
        let error = outcome.unwrap_err();
        assert!(error.is_request() && error.to_string().contains(fragment), "{error}");
    };
    fails(writer.write_at(0, 2, &[9]), "some of the 1 bytes from byte 2 were written before");
    fails(writer.append(0, &[9, 9]), "some of the 2 bytes from byte 1 were written before");
    fails(writer.write_at(0, 3, &[9, 9]), "2 bytes from byte 3 are outside array `w` of 4 bytes");
    fails(writer.write_at(0, u64::MAX, &[9]), "are outside array `w`");
    fails(writer.write_at(1, 0, &[9]), "there is no array 1: there are 1");
    fails(writer.append(7, &[9]), "there is no array 7");
    writer.append(0, &[2]).unwrap();
    writer.append(0, &[4]).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(&scratch.path("w.npy")), [1, 2, 3, 4]);
}

#[test]
fn threads_write_and_read_one_file() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    let spec = ArraySpec::new("w", ElementType::U8, [4096]);
    let writer = CreateOptions::new().create(&path, Format::Npy, &[spec]).unwrap();
    std::thread::scope(|scope| {
        for part in 0..8u8 {
            let writer = &writer;
            scope.spawn(move || writer.write_at(0, 512 * u64::from(part), &[part; 512]).unwrap());
        }
    });
    writer.finish().unwrap();
    let file = ArrayFile::open(&path).unwrap();
    std::thread::scope(|scope| {
        for part in 0..8u8 {
            let file = &file;
            scope.spawn(move || {
                let mut bytes = [0xff; 512];
                file.read_at(0, 512 * u64::from(part), &mut bytes).unwrap();
                assert_eq!(bytes, [part; 512]);
            });
        }
    });
}

#[test]
fn reads_are_checked() {
    let scratch = Scratch::new();
    let path = scratch.path("w.safetensors");
    make(&CreateOptions::new(), &path, Format::Safetensors, [1, 2, 3, 4]);
    let file = ArrayFile::open(&path).unwrap();
    let fails = |array, offset, len, fragment: &str| {
        let error = file.read_at(array, offset, &mut vec![0; len]).unwrap_err();
        assert!(error.to_string().contains(fragment), "{error}");
    };
    fails(0, 3, 2, "2 bytes from byte 3 are outside array `w` of 4 bytes");
    fails(0, u64::MAX, 1, "are outside array `w`");
    fails(1, 0, 0, "there is no array 1");
    file.read_at(0, 4, &mut []).unwrap();

    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(20).unwrap();
    fails(0, 0, 4, "the file shrank while it was read");
}
