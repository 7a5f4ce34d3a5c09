//! Sharded folders, in and out.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use std::fs;
use std::path::Path;

use scratch::{Scratch, data, names_in};
use tilewright::ElementType;
use tilewright_files::{
    ArrayFile, ArraySpec, Companions, CreateOptions, Error, Format, Metadata, Shard, StoredLayout,
};

const INDEX: &str = "model.safetensors.index.json";

fn metadata(value: &str) -> Metadata {
    Metadata::from([("format".to_owned(), value.to_owned())])
}

/// Two shards: `a` and `c` in the first, `b` in the second.
fn options() -> CreateOptions {
    CreateOptions::new().shards([
        Shard::new("x-1.safetensors", metadata("pt")),
        Shard::new("x-2.safetensors", metadata("np")),
    ])
}

fn make(options: &CreateOptions, path: &Path, byte: u8) -> Result<(), Error> {
    let spec = |name: &str| ArraySpec::new(name, ElementType::U8, [2]);
    let layout = StoredLayout::new("s4[4]{0:E(4)}", "0");
    let specs = [spec("a"), spec("b").shard(1).layout(layout), spec("c")];
    let mut writer = options.create(path, Format::SafetensorsFolder, &specs)?;
    for array in 0..3 {
        writer.append(array, &[byte + array as u8; 2])?;
    }
    writer.finish()
}

fn check(path: &Path, byte: u8) {
    let file = ArrayFile::open(path).unwrap();
    let found: Vec<(&str, usize, Vec<u8>)> = (0..file.arrays().len())
        .map(|index| {
            (file.arrays()[index].name(), file.arrays()[index].shard(), data(&file, index))
        })
        .collect();
    let expected =
        [("a", 0, vec![byte; 2]), ("c", 0, vec![byte + 2; 2]), ("b", 1, vec![byte + 1; 2])];
    assert_eq!(found, expected);
}

#[test]
fn a_folder_comes_back() {
    let scratch = Scratch::new();
    let path = scratch.path("model");
    make(&options(), &path, 1).unwrap();
    assert_eq!(scratch.names(), ["model"]);
    assert_eq!(names_in(&path), [INDEX, "x-1.safetensors", "x-2.safetensors"]);
    assert_eq!(
        fs::read_to_string(path.join(INDEX)).unwrap(),
        "{\"metadata\":{\"total_size\":6},\"weight_map\":{\"a\":\"x-1.safetensors\",\
         \"b\":\"x-2.safetensors\",\"c\":\"x-1.safetensors\"}}\n"
    );
    check(&path, 1);
    check(&path.join(INDEX), 1);

    let file = ArrayFile::open(&path).unwrap();
    assert_eq!(file.format(), Format::SafetensorsFolder);
    let shards: Vec<(&str, &Metadata)> =
        file.shards().iter().map(|shard| (shard.name(), shard.metadata())).collect();
    assert_eq!(
        shards,
        [("x-1.safetensors", &metadata("pt")), ("x-2.safetensors", &metadata("np"))]
    );
    assert_eq!(file.metadata(), &metadata("pt"));
    let b = file.find("b").unwrap();
    assert_eq!(file.arrays()[b].layout().unwrap().layout, "s4[4]{0:E(4)}");

    // Each shard is a file of its own, layouts included.
    let second = ArrayFile::open(path.join("x-2.safetensors")).unwrap();
    assert_eq!(second.arrays()[0].layout().unwrap().layout, "s4[4]{0:E(4)}");
    assert_eq!(second.metadata(), &metadata("np"));
    assert!(second.shards().is_empty());
}

#[test]
fn one_shard_where_none_is_named() {
    let scratch = Scratch::new();
    let spec = ArraySpec::new("a", ElementType::U8, [0]);
    let options = CreateOptions::new().metadata(metadata("pt"));
    options
        .create(scratch.path("m"), Format::SafetensorsFolder, &[spec])
        .unwrap()
        .finish()
        .unwrap();
    assert_eq!(names_in(&scratch.path("m")), ["model-00001-of-00001.safetensors", INDEX]);
    assert_eq!(ArrayFile::open(scratch.path("m")).unwrap().metadata(), &metadata("pt"));
}

#[test]
fn a_dropped_folder_leaves_nothing() {
    let scratch = Scratch::new();
    let spec = [ArraySpec::new("a", ElementType::U8, [2])];
    let writer = options().create(scratch.path("m"), Format::SafetensorsFolder, &spec).unwrap();
    // The folder, and the lock that says whose it is.
    assert_eq!(scratch.names().len(), 2);
    assert!(scratch.names().iter().all(|name| name.starts_with(".tilewright-")));
    drop(writer);
    assert!(scratch.names().is_empty());
    let writer = options().create(scratch.path("m"), Format::SafetensorsFolder, &spec).unwrap();
    assert!(writer.finish().unwrap_err().to_string().contains("got 0 of its 2 bytes"));
    assert!(scratch.names().is_empty());
}

#[test]
fn a_folder_is_replaced_by_force_and_its_other_files_stay() {
    let scratch = Scratch::new();
    let path = scratch.path("model");
    make(&options(), &path, 1).unwrap();
    scratch.put("model/config.json", "{}");
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", path.join("link")).unwrap();
    assert!(make(&options(), &path, 2).unwrap_err().is_exists());

    let source = ArrayFile::open(&path).unwrap();
    assert!(make(&options().force().source(&source), &path, 2).unwrap_err().is_same_file());
    check(&path, 1);
    let renamed = [
        Shard::new("y-1.safetensors", metadata("pt")),
        Shard::new("y-2.safetensors", metadata("np")),
    ];
    make(&options().in_place().source(&source).shards(renamed), &path, 2).unwrap();
    check(&path, 2);
    let mut expected = vec!["config.json", INDEX, "y-1.safetensors", "y-2.safetensors"];
    if cfg!(unix) {
        expected.insert(1, "link");
    }
    assert_eq!(names_in(&path), expected);
    assert_eq!(data(&source, 0), [1, 1]);
    make(&options().force(), &path, 3).unwrap();
    check(&path, 3);
    assert_eq!(scratch.names(), ["model"]);
}

#[test]
fn folders_that_are_something_else_are_not_replaced() {
    let scratch = Scratch::new();
    let refuses = |fragment: &str| {
        let error = make(&options().force(), &scratch.path("m"), 1).unwrap_err();
        assert!(error.to_string().contains(fragment), "{error}");
        assert_eq!(scratch.names(), ["m"]);
    };
    scratch.put("m", "a file");
    refuses("not a folder");
    fs::remove_file(scratch.path("m")).unwrap();
    fs::create_dir(scratch.path("m")).unwrap();
    scratch.put("m/thesis.tex", "");
    refuses("without a shard index");
    scratch.put(&format!("m/{INDEX}"), "{}");
    refuses("missing field `weight_map`");
    scratch.put(&format!("m/{INDEX}"), "{\"weight_map\":{}}");
    fs::create_dir(scratch.path("m/photos")).unwrap();
    refuses("a folder with a folder in it");
    fs::remove_dir(scratch.path("m/photos")).unwrap();
    scratch.put("m/x-1.safetensors", "not of this model");
    refuses("exists already");
    fs::remove_file(scratch.path("m/x-1.safetensors")).unwrap();
    make(&options().force(), &scratch.path("m"), 1).unwrap();
    assert_eq!(names_in(&scratch.path("m")).len(), 4);
}

/// Where nothing was, all of them may appear first.
#[test]
fn several_writers_follow_each_other() {
    let scratch = Scratch::new();
    let path = scratch.path("m");
    std::thread::scope(|scope| {
        let path = &path;
        let writers: Vec<_> = (0..6u8)
            .map(|writer| scope.spawn(move || make(&options().force(), path, 10 * writer)))
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap().unwrap());
    });
    assert_eq!(scratch.names(), ["m"]);
    let byte = data(&ArrayFile::open(&path).unwrap(), 0)[0];
    check(&path, byte);
}

#[test]
#[cfg(unix)]
fn access_rights_are_those_of_the_replaced_folder() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let path = scratch.path("m");
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
    let set = |name: &str, mode| {
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    make(&options(), &path, 1).unwrap();
    for (name, mode) in [("", 0o700), (INDEX, 0o600), ("x-1.safetensors", 0o640)] {
        set(name, mode);
    }
    make(&options().force(), &path, 2).unwrap();
    assert_eq!((mode(""), mode(INDEX), mode("x-1.safetensors")), (0o700, 0o600, 0o640));
    // Shards of other names are no more open than the index was.
    let other = CreateOptions::new().force();
    let spec = ArraySpec::new("a", ElementType::U8, [0]);
    other.create(&path, Format::SafetensorsFolder, &[spec]).unwrap().finish().unwrap();
    assert_eq!(mode("model-00001-of-00001.safetensors"), 0o600);
}

#[test]
fn an_empty_folder_is_replaced_by_force() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("m")).unwrap();
    assert!(make(&options(), &scratch.path("m"), 1).unwrap_err().is_exists());
    make(&options().force(), &scratch.path("m"), 1).unwrap();
    check(&scratch.path("m"), 1);
}

#[test]
fn a_folder_that_came_meanwhile_is_not_replaced() {
    let scratch = Scratch::new();
    let writer = options().create(scratch.path("m"), Format::SafetensorsFolder, &[]).unwrap();
    fs::create_dir(scratch.path("m")).unwrap();
    assert!(writer.finish().unwrap_err().is_exists());
    assert_eq!(scratch.names(), ["m"]);
}

#[test]
fn the_index_and_the_files_must_agree() {
    let scratch = Scratch::new();
    let path = scratch.path("m");
    make(&options(), &path, 1).unwrap();
    let map = r#""a":"x-1.safetensors","b":"x-2.safetensors","c":"x-1.safetensors""#;
    let rejects = |map: &str, fragment: &str| {
        fs::write(path.join(INDEX), format!("{{\"weight_map\":{{{map}}}}}")).unwrap();
        let error = ArrayFile::open(&path).unwrap_err();
        assert!(error.to_string().contains(fragment), "{error}");
    };
    rejects(
        &format!(r#"{map},"d":"x-1.safetensors""#),
        "array `d` is in `x-1.safetensors` by the index",
    );
    rejects(&format!(r#"{map},"d":"x-3.safetensors""#), "cannot open the file");
    rejects(
        &map.replace("\"c\":\"x-1", "\"c\":\"x-2"),
        "array `c` is in this file, and in `x-2.safetensors` by",
    );
    rejects(&map.replace("\"c\"", "\"d\""), "array `c` is in this file, and nowhere by the index");
    rejects(&format!(r#"{map},"a":"x-1.safetensors""#), "`a` appears twice");
    rejects(&format!(r#"{map},"d":1"#), "expected a string");
    for name in ["../x", "/x", "a/b", "..", ".", "", "a\\\\b", "a/", "./a", "a\\u0000"] {
        rejects(&format!(r#""a":"{name}""#), "is not a bare file name");
    }
    fs::write(path.join(INDEX), "{\"metadata\":{}}").unwrap();
    assert!(ArrayFile::open(&path).unwrap_err().to_string().contains("missing field `weight_map`"));
    fs::remove_file(path.join(INDEX)).unwrap();
    assert!(ArrayFile::open(&path).unwrap_err().is_not_found());
}

#[test]
fn every_truncation_of_an_index_is_an_error() {
    let scratch = Scratch::new();
    let path = scratch.path("m");
    make(&options(), &path, 1).unwrap();
    let index = fs::read(path.join(INDEX)).unwrap();
    // The last byte is the line feed after the object.
    for end in 0..index.len() - 1 {
        fs::write(path.join(INDEX), &index[..end]).unwrap();
        assert!(ArrayFile::open(&path).unwrap_err().is_malformed(), "{end}");
    }
}

#[test]
fn shards_that_cannot_be_written() {
    let scratch = Scratch::new();
    let rejects = |shards: &[&str], shard: usize, fragment: &str| {
        let shards: Vec<Shard> =
            shards.iter().map(|name| Shard::new(*name, Metadata::new())).collect();
        let spec = ArraySpec::new("a", ElementType::U8, [2]).shard(shard);
        let options = CreateOptions::new().shards(shards);
        let error =
            options.create(scratch.path("m"), Format::SafetensorsFolder, &[spec]).unwrap_err();
        assert!(error.is_request() && error.to_string().contains(fragment), "{error}");
        assert!(scratch.names().is_empty());
    };
    rejects(&["../a"], 0, "not a bare file name");
    rejects(&[INDEX], 0, "not a bare file name");
    rejects(&["a", "a"], 0, "two shards have one name");
    rejects(&["a"], 1, "array `a` is to be in shard 1, but there are 1");
}

#[test]
fn a_folder_of_one_file_has_no_index() {
    let scratch = Scratch::new();
    let path = scratch.path("model");
    let only = CreateOptions::new().shards([Shard::new("model.safetensors", metadata("pt"))]);
    let write = |options: &CreateOptions, byte: u8| {
        let spec = [ArraySpec::new("a", ElementType::U8, [2])];
        let mut writer = options.create(&path, Format::SafetensorsFolder, &spec)?;
        writer.append(0, &[byte; 2])?;
        writer.finish()
    };
    write(&only, 1).unwrap();
    assert_eq!(names_in(&path), ["model.safetensors"]);
    let file = ArrayFile::open(&path).unwrap();
    assert_eq!(file.format(), Format::SafetensorsFolder);
    assert_eq!((file.shards().len(), file.metadata()), (1, &metadata("pt")));
    assert_eq!((file.shards()[0].name(), data(&file, 0)), ("model.safetensors", vec![1; 2]));
    // Replaced by another of its kind, by one of several files, and by one again.
    fs::write(path.join("config.json"), "{}").unwrap();
    assert!(write(&only, 2).unwrap_err().is_exists());
    write(&only.clone().force(), 2).unwrap();
    assert_eq!(data(&ArrayFile::open(&path).unwrap(), 0), [2; 2]);
    make(&options().force(), &path, 3).unwrap();
    assert_eq!(names_in(&path), ["config.json", INDEX, "x-1.safetensors", "x-2.safetensors"]);
    check(&path, 3);
    write(&only.force(), 4).unwrap();
    assert_eq!(names_in(&path), ["config.json", "model.safetensors"]);
    // The index is what is believed, where there is one.
    fs::write(path.join(INDEX), "{\"weight_map\":{}}").unwrap();
    assert!(ArrayFile::open(&path).unwrap().arrays().is_empty());
}

#[test]
fn what_goes_along() {
    let scratch = Scratch::new();
    let path = scratch.path("model");
    make(&options(), &path, 1).unwrap();
    let large: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
    fs::write(path.join("tokenizer.json"), &large).unwrap();
    for name in ["b.txt", "empty.md", "model.BIN", "x-3.safetensors", ".tilewright-t.partial"] {
        fs::write(path.join(name), name.replace("empty.md", "")).unwrap();
    }
    fs::create_dir(path.join("runs")).unwrap();
    let file = ArrayFile::open(&path).unwrap();
    let companions = Companions::of(&file).unwrap();
    assert_eq!(companions.carried(), ["b.txt", "empty.md", "tokenizer.json"]);
    assert_eq!(companions.left(), ["model.BIN", "runs", "x-3.safetensors"]);
    let by_index = Companions::of(&ArrayFile::open(path.join(INDEX)).unwrap()).unwrap();
    assert_eq!(by_index.carried(), companions.carried());
    let other = scratch.path("other");
    make(&options().companions(companions), &other, 1).unwrap();
    assert_eq!(fs::read(other.join("tokenizer.json")).unwrap(), large);
    assert_eq!(fs::read(other.join("empty.md")).unwrap(), b"");
    check(&other, 1);
    // A file has none.
    let one = scratch.path("w.npy");
    let spec = [ArraySpec::new("a", ElementType::U8, [0])];
    CreateOptions::new().create(&one, Format::Npy, &spec).unwrap().finish().unwrap();
    assert!(Companions::of(&ArrayFile::open(&one).unwrap()).unwrap().carried().is_empty());
}

/// What a cache has is links to where the files are; a pipe is nobody's configuration.
/// A link that leads nowhere is nothing to be carried; it is not that nothing could be seen.
#[test]
#[cfg(unix)]
fn links_in_a_circle_stay() {
    let scratch = Scratch::new();
    let path = scratch.path("model");
    make(&options(), &path, 1).unwrap();
    std::os::unix::fs::symlink("circle", path.join("circle")).unwrap();
    std::os::unix::fs::symlink("nowhere", path.join("dangling")).unwrap();
    let companions = Companions::of(&ArrayFile::open(&path).unwrap()).unwrap();
    assert_eq!(companions.left(), ["circle", "dangling"]);
    assert!(companions.carried().is_empty());
}

#[test]
#[cfg(unix)]
fn links_go_along_as_files() {
    let scratch = Scratch::new();
    let path = scratch.path("model");
    make(&options(), &path, 1).unwrap();
    fs::write(scratch.path("blob"), "text").unwrap();
    std::os::unix::fs::symlink(scratch.path("blob"), path.join("config.json")).unwrap();
    std::os::unix::fs::symlink(scratch.path("nowhere"), path.join("gone.json")).unwrap();
    let companions = Companions::of(&ArrayFile::open(&path).unwrap()).unwrap();
    assert_eq!(companions.carried(), ["config.json"]);
    assert_eq!(companions.left(), ["gone.json"]);
    let other = scratch.path("other");
    make(&options().companions(companions), &other, 1).unwrap();
    let copied = other.join("config.json");
    assert!(fs::symlink_metadata(&copied).unwrap().is_file());
    assert_eq!(fs::read(copied).unwrap(), b"text");
}
