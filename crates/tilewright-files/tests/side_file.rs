//! The `.layout.json` beside a .npy or raw file, and raw files themselves.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use std::path::Path;

use scratch::{Scratch, data, write};
use tilewright::ElementType;
use tilewright_files::{
    ArrayFile, ArraySpec, CreateOptions, Format, OpenOptions, StoredLayout, layout_beside,
};

/// As one writes it by hand, without what ties it to a file.
const RECORD: &str =
    "{\"version\":1,\"layouts\":{\"w\":{\"layout\":\"s4[6]{0}\",\"pad\":\"0\"}}}\n";

fn layout() -> StoredLayout {
    StoredLayout::new("s4[6]{0}", "0")
}

fn spec() -> ArraySpec {
    ArraySpec::new("ignored", ElementType::U8, [3])
}

fn make(options: &CreateOptions, path: &Path, format: Format, spec: ArraySpec) {
    write(options, path, format, &[(spec, &[1, 2, 3])]).unwrap();
}

fn open(path: &Path) -> ArrayFile {
    match Format::of_name(path) {
        None => OpenOptions::new().raw(ElementType::U8, [3]).open(path).unwrap(),
        Some(_) => ArrayFile::open(path).unwrap(),
    }
}

#[test]
fn a_layout_is_kept_beside_the_file_and_goes_with_it() {
    for (format, name) in [(Format::Npy, "w.npy"), (Format::Raw, "w.bin")] {
        let scratch = Scratch::new();
        let (path, side) = (scratch.path(name), format!("{name}.layout.json"));
        make(&CreateOptions::new(), &path, format, spec().layout(layout()));
        assert_eq!(scratch.names(), [name, &side]);
        let text = std::fs::read_to_string(scratch.path(&side)).unwrap();
        let tie = text.strip_prefix(RECORD.trim_end().trim_end_matches('}')).unwrap();
        let bytes = std::fs::metadata(&path).unwrap().len();
        let begin = format!("}}}},\"array\":{{\"bytes\":{bytes},\"fingerprint\":\"");
        assert!(tie.starts_with(&begin) && tie.ends_with("\"}}\n"), "{text}");
        let file = open(&path);
        assert_eq!((file.arrays()[0].name(), file.arrays()[0].layout()), ("w", Some(&layout())));
        assert_eq!(layout_beside(&path).unwrap(), Some(layout()));
        assert_eq!(data(&file, 0), [1, 2, 3]);

        let other = StoredLayout::new("other", "1");
        make(&CreateOptions::new().force(), &path, format, spec().layout(other.clone()));
        assert_eq!(open(&path).arrays()[0].layout(), Some(&other));

        make(&CreateOptions::new().force(), &path, format, spec());
        assert_eq!(scratch.names(), [name]);
        assert_eq!(open(&path).arrays()[0].layout(), None);
        assert_eq!(layout_beside(&path).unwrap(), None);
    }
}

#[test]
fn a_layout_left_alone_is_not_taken_for_a_new_files() {
    let scratch = Scratch::new();
    scratch.put("w.npy.layout.json", RECORD);
    let error =
        CreateOptions::new().create(scratch.path("w.npy"), Format::Npy, &[spec()]).unwrap_err();
    assert!(error.is_exists(), "{error}");
    assert!(error.path().ends_with("w.npy.layout.json"));
    make(&CreateOptions::new().force(), &scratch.path("w.npy"), Format::Npy, spec());
    assert_eq!(scratch.names(), ["w.npy"]);
}

#[test]
fn a_dropped_writer_leaves_the_old_layout() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    make(&CreateOptions::new(), &path, Format::Npy, spec().layout(layout()));
    let new = spec().layout(StoredLayout::new("new", "0"));
    drop(CreateOptions::new().force().create(&path, Format::Npy, &[new]).unwrap());
    assert_eq!(open(&path).arrays()[0].layout(), Some(&layout()));
    assert_eq!(scratch.names(), ["w.npy", "w.npy.layout.json"]);
}

#[test]
fn other_formats_leave_side_files_alone() {
    let scratch = Scratch::new();
    scratch.put("w.safetensors.layout.json", "somebody else's");
    make(
        &CreateOptions::new().force(),
        &scratch.path("w.safetensors"),
        Format::Safetensors,
        spec(),
    );
    assert_eq!(scratch.names(), ["w.safetensors", "w.safetensors.layout.json"]);
    assert!(ArrayFile::open(scratch.path("w.safetensors")).is_ok());
}

#[test]
fn a_record_that_cannot_be_used_is_an_error_unless_ignored() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    make(&CreateOptions::new(), &path, Format::Npy, spec());
    let rejects = |record: &str, fragment: &str| {
        scratch.put("w.npy.layout.json", record);
        let error = ArrayFile::open(&path).unwrap_err();
        assert!(error.to_string().contains(fragment), "{error}");
        assert!(error.path().ends_with("w.npy.layout.json"));
        assert!(layout_beside(&path).is_err());
        assert!(OpenOptions::new().ignore_layouts().open(&path).is_ok());
    };
    rejects("", "the layout record: EOF");
    rejects(&RECORD.replace(":1,", ":2,"), "has version 2, and only version 1 is known");
    rejects(&RECORD.replace("\"w\"", "\"v\""), "the layout record names `v`, not `w`");
    rejects("{\"version\":1,\"layouts\":{}}", "the layout record names nothing, not `w`");
    rejects(&" ".repeat((1 << 20) + 1), "the length is 1048577, over the limit of 1048576");
}

#[test]
fn a_layout_settles_the_type_of_a_void_npy() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    let spec = ArraySpec::new("w", ElementType::S4, [3]).layout(layout());
    make(&CreateOptions::new(), &path, Format::Npy, spec);
    assert_eq!(ArrayFile::open(&path).unwrap().arrays()[0].element_type(), ElementType::S4);
    let told = OpenOptions::new().element_type(ElementType::U4).open(&path).unwrap();
    assert_eq!(told.arrays()[0].element_type(), ElementType::U4);
    assert!(OpenOptions::new().ignore_layouts().open(&path).unwrap_err().is_ambiguous());
}

/// While writers replace the file over and over, a reader always sees an array with its own layout:
/// both carry one number.
#[test]
#[cfg(unix)]
fn every_reader_sees_a_pair() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    let write_numbered = |number: u8| {
        let spec = spec().layout(StoredLayout::new(number.to_string(), "0"));
        write(&CreateOptions::new().force(), &path, Format::Npy, &[(spec, &[number; 3])]).unwrap();
    };
    let check = || {
        let file = ArrayFile::open(&path).unwrap();
        let layout = file.arrays()[0].layout().map(|layout| layout.layout.clone());
        assert_eq!(layout, Some(data(&file, 0)[0].to_string()));
    };
    write_numbered(0);
    std::thread::scope(|scope| {
        let writing: Vec<_> = (1..=4)
            .map(|writer| {
                scope.spawn(move || (0..30).for_each(|n| write_numbered(writer * 30 + n)))
            })
            .collect();
        while !writing.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            check();
        }
    });
    check();
    assert_eq!(scratch.names(), ["w.npy", "w.npy.layout.json"]);
}

/// Some of them take the layout away.
#[test]
#[cfg(unix)]
fn an_array_without_a_layout_is_never_seen_with_one() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    let write_numbered = |number: u8| {
        let layout = StoredLayout::new(number.to_string(), "0");
        let spec = if number.is_multiple_of(2) { spec() } else { spec().layout(layout) };
        write(&CreateOptions::new().force(), &path, Format::Npy, &[(spec, &[number; 3])]).unwrap();
    };
    write_numbered(0);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| (0..60).for_each(write_numbered));
        while !writing.is_finished() {
            let file = ArrayFile::open(&path).unwrap();
            let number = data(&file, 0)[0];
            let layout = file.arrays()[0].layout().map(|layout| layout.layout.clone());
            assert_eq!(layout, (!number.is_multiple_of(2)).then(|| number.to_string()));
        }
    });
}

#[test]
fn a_layout_is_not_taken_for_another_arrays() {
    for (format, name) in [(Format::Npy, "w.npy"), (Format::Raw, "w.bin")] {
        let scratch = Scratch::new();
        let path = scratch.path(name);
        make(&CreateOptions::new(), &path, format, spec().layout(layout()));
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let raw = OpenOptions::new().raw(ElementType::U8, [3]);
        let options = if format == Format::Raw { raw } else { OpenOptions::new() };
        let error = options.open(&path).unwrap_err();
        assert!(error.is_malformed() && error.help().is_some(), "{error}");
        assert!(error.to_string().contains("is of another file than"), "{error}");
        assert!(error.path().to_str().unwrap().ends_with(".layout.json"));
        options.ignore_layouts().open(&path).unwrap();
        // It is replaced by force as whatever it was.
        make(&CreateOptions::new().force(), &path, format, spec().layout(layout()));
        assert_eq!(open(&path).arrays()[0].layout(), Some(&layout()));
    }
}

#[test]
fn raw_files_are_what_the_caller_says() {
    let scratch = Scratch::new();
    let path = scratch.put("w.bin", [7; 12]);
    let error = ArrayFile::open(&path).unwrap_err();
    assert!(error.is_ambiguous() && error.help().is_some(), "{error}");
    let file = OpenOptions::new().raw(ElementType::F32, [3]).open(&path).unwrap();
    assert_eq!((file.format(), file.arrays()[0].name()), (Format::Raw, "w"));
    let rejects = |t, dims: &[i64], fragment: &str| {
        let error = OpenOptions::new().raw(t, dims).open(&path).unwrap_err();
        assert!(error.to_string().contains(fragment), "{error}");
    };
    rejects(ElementType::F32, &[4], "the array needs 16 bytes, but the file has 12");
    rejects(ElementType::F32, &[2], "the array has 8 bytes, and the file has 4 more after it");
    rejects(ElementType::F32, &[i64::MAX, 8], "over the limit");
    rejects(ElementType::F32, &[-3], "negative size -3");
    let column_major = spec().order(tilewright_files::Order::ColumnMajor);
    let made = CreateOptions::new().create(scratch.path("v.bin"), Format::Raw, &[column_major]);
    assert!(made.unwrap_err().to_string().contains("Fortran order"));
}

#[test]
fn one_array_per_npy_or_raw_file() {
    let scratch = Scratch::new();
    for (format, n_arrays) in [(Format::Npy, 0), (Format::Npy, 2), (Format::Raw, 2)] {
        let made = CreateOptions::new().create(scratch.path("w"), format, &vec![spec(); n_arrays]);
        assert!(made.unwrap_err().to_string().contains("file holds one array, not"));
    }
}

#[test]
fn formats_are_known_by_name_and_then_by_the_first_bytes() {
    let scratch = Scratch::new();
    make(&CreateOptions::new(), &scratch.path("an npy"), Format::Npy, spec());
    make(&CreateOptions::new(), &scratch.path("a safetensors"), Format::Safetensors, spec());
    scratch.put("a raw", [0; 100]);
    let detect = |name: &str| Format::detect(&scratch.path(name)).unwrap();
    assert_eq!(detect("an npy"), Format::Npy);
    assert_eq!(detect("a safetensors"), Format::Safetensors);
    assert_eq!(detect("a raw"), Format::Raw);
    assert_eq!(detect("."), Format::SafetensorsFolder);
    assert_eq!(Format::of_name("W.NPY".as_ref()), Some(Format::Npy));
    assert_eq!(
        Format::of_name("x.safetensors.index.json".as_ref()),
        Some(Format::SafetensorsFolder)
    );
    assert!(Format::detect(&scratch.path("nothing")).unwrap_err().is_not_found());
}
