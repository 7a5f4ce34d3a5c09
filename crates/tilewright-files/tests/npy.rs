//! .npy against what NumPy and `ml_dtypes` write, and against damaged files.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use proptest::prelude::*;
use scratch::{Scratch, data, write};
use tilewright::ElementType;
use tilewright_files::{ArrayFile, ArraySpec, CreateOptions, Format, OpenOptions, Order};

/// One line of `data/npy.txt`, which `data/make_npy.py` made.
struct Fixture {
    case: &'static str,
    element_type: ElementType,
    order: Order,
    dims: Vec<i64>,
    as_saved_today: bool,
    data: Vec<u8>,
    file: Vec<u8>,
}

fn fixtures() -> Vec<Fixture> {
    include_str!("data/npy.txt").lines().map(fixture).collect()
}

fn fixture(line: &'static str) -> Fixture {
    let fields: Vec<&'static str> = line.split(' ').collect();
    let [case, element_type, order, dims, how, data, file] = fields[..] else { panic!("{line}") };
    Fixture {
        case,
        element_type: element_type.parse().unwrap(),
        order: if order == "F" { Order::ColumnMajor } else { Order::RowMajor },
        dims: dims.split('x').filter(|&d| d != "-").map(|d| d.parse().unwrap()).collect(),
        as_saved_today: how == "saved",
        data: hex(data),
        file: hex(file),
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// A small valid file.
fn sample() -> Vec<u8> {
    fixtures().into_iter().find(|fixture| fixture.case == "fortran").unwrap().file
}

fn rejects(scratch: &Scratch, file: &[u8], fragment: &str) {
    let message = ArrayFile::open(scratch.put("w.npy", file)).unwrap_err().to_string();
    assert!(message.contains(fragment), "{message}");
}

/// A file of version 1 with this header and these bytes after it.
fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

#[test]
fn every_type_is_among_the_fixtures() {
    let fixtures = fixtures();
    for &t in ElementType::ALL {
        assert!(fixtures.iter().any(|fixture| fixture.element_type == t), "{t}");
    }
}

#[test]
fn reads_what_numpy_writes() {
    let scratch = Scratch::new();
    for fixture in fixtures() {
        let path = scratch.put("w.npy", &fixture.file);
        let file = OpenOptions::new().element_type(fixture.element_type).open(&path).unwrap();
        let [array] = file.arrays() else { panic!("{}", fixture.case) };
        assert_eq!(array.element_type(), fixture.element_type, "{}", fixture.case);
        assert_eq!(array.dims(), fixture.dims, "{}", fixture.case);
        assert_eq!(array.order(), fixture.order, "{}", fixture.case);
        assert_eq!(array.stored_bits(), fixture.element_type.storage_bits(), "{}", fixture.case);
        assert_eq!(data(&file, 0), fixture.data, "{}", fixture.case);
        assert_eq!((file.format(), array.name()), (Format::Npy, "w"));
    }
}

#[test]
fn writes_byte_for_byte_what_numpy_writes() {
    let scratch = Scratch::new();
    let path = scratch.path("w.npy");
    for fixture in fixtures().into_iter().filter(|fixture| fixture.as_saved_today) {
        let spec = ArraySpec::new("w", fixture.element_type, fixture.dims).order(fixture.order);
        let options = CreateOptions::new().force();
        write(&options, &path, Format::Npy, &[(spec, &fixture.data)]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), fixture.file, "{}", fixture.case);
    }
}

#[test]
fn types_that_the_file_does_not_say() {
    let scratch = Scratch::new();
    for fixture in fixtures() {
        let opened = ArrayFile::open(scratch.put("w.npy", &fixture.file));
        if !fixture.file.windows(5).any(|text| text == b"'<V1'") {
            assert_eq!(opened.unwrap().arrays()[0].element_type(), fixture.element_type);
            continue;
        }
        let error = opened.unwrap_err();
        assert!(error.is_ambiguous() && error.help().is_some());
        assert!(error.to_string().contains(&format!("{}", fixture.element_type)), "{error}");
    }
}

#[test]
fn a_wrong_hint_is_an_error() {
    let scratch = Scratch::new();
    let path = scratch.put("w.npy", with_header(&header("<V1", "(4,)"), &[0; 4]));
    let error = OpenOptions::new().element_type(ElementType::F32).open(path).unwrap_err();
    assert!(error.to_string().contains("f32 take 4 bytes, but the dtype `<V1` takes 1"), "{error}");
}

fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n")
}

#[test]
fn malformed_files() {
    let scratch = Scratch::new();
    let rejects = |file: &[u8], fragment: &str| rejects(&scratch, file, fragment);
    rejects(b"", "the .npy preamble needs 8 bytes, but the file has 0");
    rejects(b"\x93NUMPX\x01\x00", "does not begin with `\\x93NUMPY`");
    rejects(b"PK\x03\x04\x01\x00\x00\x00", "does not begin with");
    rejects(b"\x93NUMPY\x04\x00\x10\x00", "version is 4.0");
    rejects(b"\x93NUMPY\x01\x01\x10\x00", "version is 1.1");
    rejects(b"\x93NUMPY\x00\x00\x10\x00", "version is 0.0");
    rejects(b"\x93NUMPY\x01\x00\x10", "the header length needs 2 bytes, but the file has 1");
    rejects(b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "4294967295, over the limit of 1048576");
    rejects(b"\x93NUMPY\x01\x00\xff\xff", "the header needs 65535 bytes, but the file has 0");
    rejects(&with_header("", b""), "expected a dict");
    rejects(&with_header(&header("<f4", "(3,)"), &[0; 11]), "needs 12 bytes, but the file has 11");
    rejects(
        &with_header(&header("<f4", "(3,)"), &[0; 13]),
        "has 12 bytes, and the file has 1 more",
    );
    rejects(&with_header(&header("<f4", "(0,)"), &[0; 1]), "has 0 bytes, and the file has 1 more");
    rejects(&with_header(&header(">f4", "(3,)"), &[0; 12]), "`>f4` is big-endian");
    rejects(
        &with_header(&header("|O", "(3,)"), &[0; 12]),
        "`|O` is not one of an array of numbers",
    );
    let huge = "(9223372036854775807, 9223372036854775807)";
    rejects(&with_header(&header("<f4", huge), &[]), "over the limit of 9223372036854775807 bytes");
    rejects(&with_header(&header("<f4", "(9223372036854775807,)"), &[]), "over the limit");
    rejects(
        &with_header(&header("|u1", "(9223372036854775807,)"), &[]),
        "9223372036854775807 bytes, but",
    );
    rejects(&with_header(&header("<f4", &"(".repeat(60_000)), &[]), "expected a size");
}

#[test]
fn every_truncation_is_an_error() {
    let scratch = Scratch::new();
    let file = sample();
    for end in 0..file.len() {
        let error = ArrayFile::open(scratch.put("w.npy", &file[..end])).unwrap_err();
        assert!(error.is_malformed(), "{end}: {error}");
    }
}

proptest! {
    #[test]
    fn mutations_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let scratch = Scratch::new();
        let mut file = sample();
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Ok(opened) = ArrayFile::open(scratch.put("w.npy", &file)) {
            prop_assert!(data(&opened, 0).len() <= file.len());
        }
    }

    #[test]
    fn any_header_text_never_panics(header in "[{}()\\[\\]'\",: 0-9LTrueFalsdcopt_h<|>fV=]{0,80}") {
        let scratch = Scratch::new();
        let _ = ArrayFile::open(scratch.put("w.npy", with_header(&header, &[0; 16])));
    }

    #[test]
    fn round_trip(
        dims in prop::collection::vec(0i64..5, 0..5),
        t in prop::sample::select(ElementType::ALL),
        fortran: bool,
    ) {
        let scratch = Scratch::new();
        let path = scratch.path("w.npy");
        let order = if fortran { Order::ColumnMajor } else { Order::RowMajor };
        let bytes = scratch::pattern(scratch::byte_len(&dims, t.storage_bits()), 3);
        let spec = ArraySpec::new("w", t, dims.clone()).order(order);
        write(&CreateOptions::new(), &path, Format::Npy, &[(spec, &bytes)]).unwrap();
        let file = OpenOptions::new().element_type(t).open(&path).unwrap();
        let array = &file.arrays()[0];
        prop_assert_eq!((array.dims(), array.element_type(), array.order()), (&dims[..], t, order));
        prop_assert_eq!(data(&file, 0), bytes);
    }
}
