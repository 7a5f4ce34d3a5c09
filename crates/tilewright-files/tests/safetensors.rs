//! safetensors against the reference crate, both ways, and against damaged files.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use std::collections::HashMap;

use proptest::prelude::*;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView, serialize};
use scratch::{Scratch, byte_len, data, pattern, write};
use tilewright::ElementType;
use tilewright_files::{
    ArrayFile, ArraySpec, CreateOptions, Format, Metadata, Order, Shard, StoredLayout,
};

/// The types that have a dtype, with the bits one element takes in the file.
fn storable() -> Vec<(ElementType, u32)> {
    let named = ElementType::ALL.iter().copied().filter(|t| t.safetensors_name().is_some());
    named
        .map(|t| (t, if t.bits() == 4 || t.bits() == 6 { t.bits() } else { t.storage_bits() }))
        .collect()
}

/// The reference crate's name of a dtype, as its header spells it.
fn reference_dtype(name: &str) -> Dtype {
    serde_json::from_value(serde_json::Value::from(name)).unwrap()
}

fn entry(name: &str, dtype: &str, shape: &str, begin: u64, end: u64) -> String {
    format!(r#""{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}"#)
}

fn file(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn sample() -> Vec<u8> {
    let entries = [entry("a", "U8", "[2]", 0, 2), entry("b", "BF16", "[3]", 2, 8)];
    file(&format!(r#"{{"__metadata__":{{"k":"v"}},{}}}  "#, entries.join(",")), &pattern(8, 1))
}

#[test]
fn all_types_agree_with_the_reference_in_both_directions() {
    let scratch = Scratch::new();
    let types = storable();
    assert_eq!(types.len(), 22);
    let data_of: Vec<Vec<u8>> = types
        .iter()
        .zip(1..)
        .map(|((_, bits), seed)| pattern(byte_len(&[4, 2], *bits), seed))
        .collect();

    let theirs: Vec<(&str, TensorView<'_>)> = types
        .iter()
        .zip(&data_of)
        .map(|(&(t, _), bytes)| {
            let dtype = reference_dtype(t.safetensors_name().unwrap());
            (t.xla_name(), TensorView::new(dtype, vec![4, 2], bytes).unwrap())
        })
        .collect();
    let user = HashMap::from([("k".to_owned(), "\"v\" \n é".to_owned())]);
    let path = scratch.put("theirs.safetensors", serialize(theirs, Some(user)).unwrap());
    let read = ArrayFile::open(path).unwrap();
    assert_eq!(read.arrays().len(), types.len());
    assert_eq!(read.metadata()["k"], "\"v\" \n é");
    for (&(t, bits), bytes) in types.iter().zip(&data_of) {
        let index = read.find(t.xla_name()).unwrap();
        let array = &read.arrays()[index];
        assert_eq!(
            (array.element_type(), array.dims(), array.stored_bits()),
            (t, &[4, 2][..], bits)
        );
        assert_eq!(&data(&read, index), bytes, "{t}");
    }

    let specs: Vec<(ArraySpec, &[u8])> = types
        .iter()
        .zip(&data_of)
        .map(|(&(t, _), bytes)| (ArraySpec::new(t.xla_name(), t, [4, 2]), &bytes[..]))
        .collect();
    let path = scratch.path("ours.safetensors");
    let options = CreateOptions::new().metadata(read.metadata().clone());
    write(&options, &path, Format::Safetensors, &specs).unwrap();
    let ours = std::fs::read(&path).unwrap();
    let (_, header) = SafeTensors::read_metadata(&ours).unwrap();
    assert_eq!(header.metadata().as_ref().unwrap()["k"], "\"v\" \n é");
    let ours = SafeTensors::deserialize(&ours).unwrap();
    assert_eq!(ours.len(), types.len());
    for (&(t, _), bytes) in types.iter().zip(&data_of) {
        let view = ours.tensor(t.xla_name()).unwrap();
        assert_eq!(view.dtype(), reference_dtype(t.safetensors_name().unwrap()));
        assert_eq!((view.shape(), view.data()), (&[4, 2][..], &bytes[..]), "{t}");
    }
}

#[test]
fn types_without_a_dtype_are_refused() {
    let scratch = Scratch::new();
    for &t in ElementType::ALL.iter().filter(|t| t.safetensors_name().is_none()) {
        let spec = [ArraySpec::new("w", t, [8])];
        let made =
            CreateOptions::new().create(scratch.path("w.safetensors"), Format::Safetensors, &spec);
        let error = made.unwrap_err();
        assert!(error.is_request() && error.to_string().contains("has no dtype for"), "{error}");
    }
    assert!(scratch.names().is_empty());
}

#[test]
fn arrays_keep_their_order_and_the_data_is_aligned() {
    let scratch = Scratch::new();
    let path = scratch.path("w.safetensors");
    let specs = [
        (ArraySpec::new("z", ElementType::U8, [3]), &[1, 2, 3][..]),
        (ArraySpec::new("empty", ElementType::F64, [0, 7]), &[]),
        (ArraySpec::new("a", ElementType::U16, [1]), &[4, 5]),
        (ArraySpec::new("scalar", ElementType::Bf16, []), &[6, 7]),
    ];
    write(&CreateOptions::new(), &path, Format::Safetensors, &specs).unwrap();
    let read = ArrayFile::open(&path).unwrap();
    let names: Vec<&str> = read.arrays().iter().map(tilewright_files::ArrayInfo::name).collect();
    assert_eq!(names, ["z", "empty", "a", "scalar"]);
    assert_eq!(read.arrays()[0].file_offset() % 8, 0);
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.ends_with(&[1, 2, 3, 4, 5, 6, 7]));
    let theirs = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(theirs.tensor("empty").unwrap().shape(), [0, 7]);
    assert_eq!(theirs.tensor("scalar").unwrap().data(), [6, 7]);
}

#[test]
fn layouts_are_one_string_of_metadata() {
    let scratch = Scratch::new();
    let path = scratch.path("w.safetensors");
    let layout = StoredLayout::new("bf16[30,300]{1,0:T(8,128)(2,1)}", "0");
    let spec = ArraySpec::new("w", ElementType::Bf16, [1]).layout(layout.clone());
    let plain = ArraySpec::new("v", ElementType::U8, [1]);
    let options = CreateOptions::new().metadata(Metadata::from([("format".into(), "pt".into())]));
    write(&options, &path, Format::Safetensors, &[(spec, &[1, 2]), (plain, &[3])]).unwrap();

    let bytes = std::fs::read(&path).unwrap();
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let metadata = header.metadata().as_ref().unwrap();
    assert_eq!(metadata.len(), 2);
    assert_eq!(
        metadata["tilewright"],
        r#"{"version":1,"layouts":{"w":{"layout":"bf16[30,300]{1,0:T(8,128)(2,1)}","pad":"0"}}}"#
    );
    let read = ArrayFile::open(&path).unwrap();
    assert_eq!(read.arrays()[0].layout(), Some(&layout));
    assert_eq!(read.arrays()[1].layout(), None);
    assert_eq!(read.metadata(), &Metadata::from([("format".into(), "pt".into())]));
}

#[test]
fn a_layout_record_that_is_not_known() {
    let scratch = Scratch::new();
    let with_record = |record: &str| {
        let record = serde_json::Value::from(record);
        scratch.put(
            "w.safetensors",
            file(&format!(r#"{{"__metadata__":{{"tilewright":{record}}}}}"#), &[]),
        )
    };
    let error = ArrayFile::open(with_record(r#"{"version":2}"#)).unwrap_err();
    assert!(error.is_unsupported() && error.to_string().contains("has version 2"), "{error}");
    let error = ArrayFile::open(with_record("{")).unwrap_err();
    assert!(
        error.is_malformed() && error.to_string().contains("the layout record: EOF"),
        "{error}"
    );
    let path = with_record(r#"{"version":1,"layouts":{"gone":{"layout":"x","pad":"0"}}}"#);
    assert!(ArrayFile::open(path).unwrap().arrays().is_empty());
    let path = with_record("{");
    let file = tilewright_files::OpenOptions::new().ignore_layouts().open(path).unwrap();
    assert!(file.metadata().is_empty());
}

#[test]
fn malformed_files() {
    let scratch = Scratch::new();
    let rejects = |bytes: &[u8], fragment: &str| {
        let error = ArrayFile::open(scratch.put("w.safetensors", bytes)).unwrap_err();
        assert!(error.is_malformed() && error.to_string().contains(fragment), "{error}");
    };
    rejects(b"", "the header length needs 8 bytes, but the file has 0");
    rejects(&[0; 7], "the header length needs 8 bytes, but the file has 7");
    rejects(&[0; 8], "does not begin with `{`");
    rejects(&(1u64 << 40).to_le_bytes(), "is 1099511627776, over the limit of 100000000");
    rejects(&u64::MAX.to_le_bytes(), "over the limit");
    rejects(
        &[&99_999_999u64.to_le_bytes()[..], b"{}"].concat(),
        "needs 99999999 bytes, but the file has 2",
    );
    rejects(&file("{}", &[0]), "the file has 1 bytes of it");
    rejects(&file("{\"\u{e9}", &[]), "EOF");
    rejects(&[&[3u8, 0, 0, 0, 0, 0, 0, 0][..], b"{\"\xff"].concat(), "the header: ");
    let nested = format!(r#"{{"__metadata__":{}"#, r#"{"a":"#.repeat(1_000_000));
    rejects(&file(&nested, &[]), "expected a string");
    let same = [entry("a", "U8", "[1]", 0, 1), entry("a", "U8", "[1]", 1, 2)].join(",");
    rejects(&file(&format!("{{{same}}}"), &[0; 2]), "`a` appears twice");
}

#[test]
fn stricter_than_the_reference_where_the_description_says_so() {
    let scratch = Scratch::new();
    let same = [entry("a", "U8", "[1]", 0, 1), entry("a", "U8", "[1]", 0, 1)].join(",");
    let extra = r#""a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":0}"#;
    for header in [format!("{{{same}}}"), format!("{{{extra}}}")] {
        let bytes = file(&header, &[0]);
        assert!(SafeTensors::deserialize(&bytes).is_ok());
        assert!(ArrayFile::open(scratch.put("w.safetensors", bytes)).unwrap_err().is_malformed());
    }
}

#[test]
fn every_truncation_is_an_error() {
    let scratch = Scratch::new();
    let bytes = sample();
    assert!(ArrayFile::open(scratch.put("w.safetensors", &bytes)).is_ok());
    for end in 0..bytes.len() {
        let error = ArrayFile::open(scratch.put("w.safetensors", &bytes[..end])).unwrap_err();
        assert!(error.is_malformed(), "{end}: {error}");
    }
}

#[test]
fn specs_that_cannot_be_written() {
    let scratch = Scratch::new();
    let rejects = |specs: &[ArraySpec], options: CreateOptions, fragment: &str| {
        let made = options.create(scratch.path("w.safetensors"), Format::Safetensors, specs);
        let message = made.unwrap_err().to_string();
        assert!(message.contains(fragment), "{message}");
        assert!(scratch.names().is_empty());
    };
    let spec = |name: &str| ArraySpec::new(name, ElementType::U8, [1]);
    let options = CreateOptions::new;
    rejects(&[spec("a"), spec("a")], options(), "two arrays have one name");
    rejects(&[spec("__metadata__")], options(), "`__metadata__` cannot be the name");
    rejects(&[spec(&"n".repeat(4097))], options(), "is 4097, over the limit of 4096");
    rejects(&[spec("a").order(Order::ColumnMajor)], options(), "in Fortran order");
    rejects(&[spec("a").shard(1)], options(), "to be in shard 1, but there is one file");
    rejects(&[ArraySpec::new("a", ElementType::U8, [-1])], options(), "negative size -1");
    rejects(&[ArraySpec::new("a", ElementType::U8, [1; 65])], options(), "is 65, over the limit");
    rejects(&[ArraySpec::new("a", ElementType::F4E2M1Fn, [3])], options(), "12 bits are not");
    rejects(&[ArraySpec::new("a", ElementType::U8, [i64::MAX, 2])], options(), "over the limit");
    let taken = Metadata::from([("tilewright".into(), "x".into())]);
    rejects(&[spec("a")], options().metadata(taken), "the metadata key `tilewright` is kept");
    let most = ArraySpec::new("a", ElementType::U8, [i64::MAX]);
    rejects(&[most], options(), "the file is over the limit");
}

/// Names that need every kind of JSON escape.
fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[a-z\"\\\\\n\u{1}é/\u{1f600}]{0,6}", 0..6)
        .prop_map(|names| names.into_iter().collect())
}

proptest! {
    #[test]
    fn mutations_never_panic_and_agree(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let scratch = Scratch::new();
        let mut bytes = sample();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(read) = ArrayFile::open(scratch.put("w.safetensors", &bytes)) {
            // Whatever is accepted, the reference accepts, and sees the same.
            let theirs = SafeTensors::deserialize(&bytes).unwrap();
            prop_assert_eq!(theirs.len(), read.arrays().len());
            for (index, array) in read.arrays().iter().enumerate() {
                prop_assert_eq!(theirs.tensor(array.name()).unwrap().data(), &data(&read, index)[..]);
            }
        }
    }

    #[test]
    fn round_trip(
        names in names(),
        kinds in prop::collection::vec((prop::sample::select(storable()), prop::collection::vec(0i64..5, 0..4)), 6),
        layouts: [bool; 6],
    ) {
        let scratch = Scratch::new();
        let path = scratch.path("w.safetensors");
        let arrays: Vec<(ArraySpec, Vec<u8>)> = names
            .iter()
            .zip(&kinds)
            .zip(layouts)
            .filter(|((_, ((_, bits), dims)), _)| dims.iter().product::<i64>() * i64::from(*bits) % 8 == 0)
            .map(|((name, ((t, bits), dims)), with_layout)| {
                let spec = ArraySpec::new(name, *t, dims.clone());
                let layout = StoredLayout::new(format!("of {name}"), "0");
                let spec = if with_layout { spec.layout(layout) } else { spec };
                (spec, pattern(byte_len(dims, *bits), name.len() as u8))
            })
            .collect();
        let borrowed: Vec<(ArraySpec, &[u8])> =
            arrays.iter().map(|(spec, bytes)| (spec.clone(), &bytes[..])).collect();
        write(&CreateOptions::new(), &path, Format::Safetensors, &borrowed).unwrap();
        let read = ArrayFile::open(&path).unwrap();
        prop_assert_eq!(read.arrays().len(), arrays.len());
        for (index, (spec, bytes)) in arrays.iter().enumerate() {
            let array = &read.arrays()[index];
            let same = ArraySpec::new(array.name(), array.element_type(), array.dims());
            let same = array.layout().cloned().map_or(same.clone(), |layout| same.layout(layout));
            prop_assert_eq!(&same, spec);
            prop_assert_eq!(&data(&read, index), bytes);
        }
        let theirs = std::fs::read(&path).unwrap();
        prop_assert_eq!(SafeTensors::deserialize(&theirs).unwrap().len(), arrays.len());
    }
}

#[test]
fn arrays_in_a_row_are_read_and_written_at_once() {
    let scratch = Scratch::new();
    let path = scratch.path("w.safetensors");
    let specs = [("a", 3), ("b", 0), ("c", 2), ("d", 4)]
        .map(|(name, len)| ArraySpec::new(name, ElementType::U8, [len]));
    let writer = CreateOptions::new().create(&path, Format::Safetensors, &specs).unwrap();
    writer.write_arrays(1..4, &[4, 5, 6, 7, 8, 9]).unwrap();
    writer.write_at(0, 0, &[1, 2, 3]).unwrap();
    writer.finish().unwrap();
    let file = ArrayFile::open(&path).unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|array| data(&file, array)),
        [vec![1, 2, 3], vec![], vec![4, 5], vec![6, 7, 8, 9]]
    );
    let mut bytes = [0; 5];
    file.read_arrays(0..3, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 2, 3, 4, 5]);

    let fails = |arrays: std::ops::Range<usize>, len: usize, fragment: &str| {
        let error = file.read_arrays(arrays, &mut vec![0; len]).unwrap_err();
        assert!(error.is_request() && error.to_string().contains(fragment), "{error}");
    };
    fails(0..3, 4, "arrays 0..3 have 5 bytes, not 4");
    fails(2..5, 6, "there is no array 4: there are 4");
    fails(2..2, 0, "no arrays were asked for");
}

#[test]
fn a_row_ends_with_its_file_and_is_written_once() {
    let scratch = Scratch::new();
    let spec = |name: &str, shard| ArraySpec::new(name, ElementType::U8, [2]).shard(shard);
    let shards = ["a.safetensors", "b.safetensors"].map(|name| Shard::new(name, Metadata::new()));
    let options = CreateOptions::new().shards(shards);
    let specs = [spec("a", 0), spec("b", 0), spec("c", 1)];
    let writer = options.create(scratch.path("m"), Format::SafetensorsFolder, &specs).unwrap();
    let error = writer.write_arrays(0..3, &[0; 6]).unwrap_err();
    assert!(error.to_string().contains("array `c` does not lie right after `b`"), "{error}");
    writer.write_at(1, 1, &[1]).unwrap();
    let error = writer.write_arrays(0..2, &[0; 4]).unwrap_err();
    assert!(error.to_string().contains("were written before"), "{error}");
    writer.write_at(1, 0, &[1]).unwrap();
    writer.write_at(2, 0, &[1; 2]).unwrap();
    assert!(writer.finish().unwrap_err().to_string().contains("an earlier write failed"));
    assert!(scratch.names().is_empty());
}
