use std::fs;

use super::*;
use crate::create::CreateOptions;

fn store(array: &str, chunk: Option<&[i64]>) -> Result<ZarrStore, Error> {
    ZarrStore::new("w.zarr", &array.parse().unwrap(), chunk)
}

#[track_caller]
fn check(array: &str, chunk_shape: &[i64], codecs: &str) {
    let metadata: Value = serde_json::from_str(store(array, None).unwrap().metadata()).unwrap();
    assert_eq!(metadata["chunk_grid"]["configuration"]["chunk_shape"], json!(chunk_shape));
    let names: Vec<String> = metadata["codecs"].as_array().unwrap().iter().map(told).collect();
    assert_eq!(names.join(" "), codecs, "{array}");
}

fn told(codec: &Value) -> String {
    let configuration = &codec["configuration"];
    let parts = ["chunk_shape", "shape", "order"].map(|key| &configuration[key]);
    let said = parts.into_iter().find(|part| !part.is_null());
    format!("{}{}", codec["name"].as_str().unwrap(), said.unwrap_or(&json!(""))).replace("\"\"", "")
}

#[test]
fn what_the_codecs_are() {
    check("f32[3,5]", &[3, 5], "bytes");
    check("f32[3,5]{0,1}", &[3, 5], "transpose[1,0] bytes");
    check("f32[30,300]{1,0:T(8,128)}", &[32, 384], "sharding_indexed[8,128]");
    check("f32[2,30,300]{2,1,0:T(8,128)}", &[2, 32, 384], "sharding_indexed[1,8,128]");
    check("f32[30,300]{0,1:T(8,128)}", &[128, 304], "sharding_indexed[128,8]");
    check("f32[1,3]{1,0:T(2,2)}", &[2, 4], "sharding_indexed[2,2]");
    // Pairs of rows, four behind each other in a tile.
    check("bf16[30,300]{1,0:T(8,128)(2,1)}", &[32, 384], "sharding_indexed[2,128]");
    check("s8[2,30,300]{1,2,0:T(8,128)(4,1)}", &[2, 128, 304], "sharding_indexed[1,128,4]");
    // Half a tile and the other half, element by element.
    check("bf16[3000]{0:T(1024)(128)(2,1)}", &[3072], "reshape[12,2,128] transpose[0,2,1] bytes");
    // Bricks of 8 bytes, with 16 to say where each is.
    check("u16[3,4]{1,0:T(4,4)(2,2)}", &[4, 4], "reshape[2,2,2,2] transpose[0,2,1,3] bytes");
}

/// The elements of every inner chunk, read by the index as any reader would, at their places.
#[track_caller]
fn check_bricks(array: &str, order: &[usize]) {
    let chunk = chunk_of(&array.parse().unwrap(), None).unwrap();
    let Codecs { chain, suffix } = codecs(&chunk).unwrap();
    let said = &chain[0]["configuration"];
    let is_identity = order.is_sorted();
    let transpose = &said["codecs"][0]["configuration"]["order"];
    assert_eq!(*transpose, if is_identity { Value::Null } else { json!(order) }, "{array}");
    let brick: Vec<i64> = serde_json::from_value(said["chunk_shape"].clone()).unwrap();
    let item = i64::from(chunk.element_bits() / 8);
    let map = chunk.index_map().unwrap();
    let grid: Vec<i64> = map.dims().iter().zip(&brick).map(|(size, inner)| size / inner).collect();
    let mut bricks = ArrayShape::new(ElementType::U8, &grid).unwrap().indices().unwrap();
    let mut entries = suffix.chunks_exact(16);
    while let Some(at) = bricks.advance() {
        let entry = entries.next().unwrap().as_chunks::<8>().0;
        let start = i64::from_le_bytes(entry[0]) / item;
        assert_eq!(i64::from_le_bytes(entry[1]), brick.iter().product::<i64>() * item);
        let mut within = ArrayShape::new(ElementType::U8, &brick).unwrap().indices().unwrap();
        while let Some(inner) = within.advance() {
            let index = |dim: usize| at[dim] * brick[dim] + inner[dim];
            let index: Vec<i64> = (0..at.len()).map(index).collect();
            let place = order.iter().fold(0, |place, &dim| place * brick[dim] + inner[dim]);
            assert_eq!(map.offset(&index).unwrap(), start + place, "{array} {index:?}");
        }
    }
    assert_eq!(entries.remainder().len(), 4);
}

#[test]
fn the_index_says_where_each_brick_is() {
    // Miri takes minutes for ten thousand elements.
    if !cfg!(miri) {
        check_bricks("bf16[30,300]{1,0:T(8,128)(2,1)}", &[1, 0]);
        check_bricks("bf16[30,300]{0,1:T(8,128)(2,1)}", &[0, 1]);
    }
    check_bricks("bf16[6,20]{1,0:T(4,8)(2,1)}", &[1, 0]);
    check_bricks("bf16[6,20]{0,1:T(4,8)(2,1)}", &[0, 1]);
    check_bricks("s8[2,13,20]{1,2,0:T(8,8)(4,1)}", &[0, 1, 2]);
    check_bricks("f32[13,20,3]{1,2,0:T(4,8)(2,8)}", &[0, 2, 1]);
    check_bricks("f32[13,20]{1,0:T(8,8)(4,4)(2,2)}", &[0, 1]);
}

#[test]
fn what_zarr_cannot_say() {
    for array in [
        "s4[64,128]{1,0:E(4)}",
        "f32[3,3]{1,0:L(16)}",
        "f32[7,9]{1,0:T(*,8)(2,1)}",
        "f32[5]{0:T(2,4)}",
        "f32[0,5]{1,0:T(2,2)}",
        "f32[7,9]{1,0:T(2,4)(3,1)}",
    ] {
        assert!(store(array, None).unwrap_err().is_request(), "{array}");
    }
    let tiles = "f32[30,300]{1,0:T(8,128)}";
    for chunk in [&[8, 100][..], &[8], &[0, 128], &[-8, 128]] {
        assert!(store(tiles, Some(chunk)).unwrap_err().is_request(), "{chunk:?}");
    }
    assert_eq!(store(tiles, Some(&[16, 128])).unwrap().grid(), [2, 3]);
}

const OF_FOUR: &str = "u8[3,5]{1,0:T(2,2)}";

fn of_four_chunks(path: &Path) -> ZarrStore {
    ZarrStore::new(path, &OF_FOUR.parse().unwrap(), Some(&[2, 4])).unwrap()
}

fn write_all(writer: &ZarrWriter, value: u8) {
    for place in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        writer.write_chunk(&place, &[value; 8]).unwrap();
    }
}

/// The value of every chunk of a store, `None` where there is no store.
fn values(path: &Path) -> Option<Vec<u8>> {
    let text = fs::read_to_string(path.join("zarr.json")).ok()?;
    assert_eq!(text, of_four_chunks(path).metadata());
    let chunks = ["0/0", "0/1", "1/0", "1/1"].map(|at| fs::read(path.join("c").join(at)).unwrap());
    // Two tiles, of each an offset and a length, and the checksum.
    assert!(chunks.iter().all(|chunk| chunk.len() == 8 + 2 * 16 + 4));
    assert!(chunks.iter().all(|chunk| chunk[..8].iter().all(|value| *value == chunk[0])));
    Some(chunks.map(|chunk| chunk[0]).to_vec())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = crate::listing::entries(folder).unwrap();
    let mut names: Vec<String> =
        entries.into_iter().map(|entry| entry.name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn force() -> CreateOptions {
    CreateOptions::new().force()
}

#[test]
fn a_store_is_there_when_it_is_finished() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deeper/w.zarr");
    let store = of_four_chunks(&path);
    let writer = store.create(&CreateOptions::new()).unwrap();
    write_all(&writer, 7);
    writer.write_chunk(&[1, 1], &[8; 8]).unwrap(); // tried again
    assert!(!path.exists());
    assert!(writer.write_chunk(&[2, 0], &[7; 8]).unwrap_err().is_request());
    assert!(writer.write_chunk(&[0, 0], &[7; 9]).unwrap_err().is_request());
    writer.finish().unwrap();
    assert_eq!(values(&path), Some(vec![7, 7, 7, 8]));
    assert_eq!(
        (names(path.parent().unwrap()), names(&path)),
        (vec!["w.zarr".to_owned()], vec!["c".to_owned(), "zarr.json".to_owned()])
    );
    assert!(store.create(&CreateOptions::new()).unwrap_err().is_exists());
}

#[test]
fn the_old_store_is_whole_until_the_new_one_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.zarr");
    let store = of_four_chunks(&path);
    let finish = |writer: ZarrWriter, value| {
        write_all(&writer, value);
        writer.finish().unwrap();
    };
    finish(store.create(&CreateOptions::new()).unwrap(), 1);
    // Begun, half written, given up, and short of a chunk: each by one process and by many.
    for of_many in [false, true] {
        let begin = || match of_many {
            true => store.begin_shared(&force(), "abc1").unwrap(),
            false => store.create(&force()).unwrap(),
        };
        let writer = begin();
        assert_eq!(values(&path), Some(vec![1; 4]));
        writer.write_chunk(&[0, 0], &[2; 8]).unwrap();
        assert_eq!(values(&path), Some(vec![1; 4]));
        writer.abandon().unwrap();
        assert_eq!((values(&path), names(dir.path())), (Some(vec![1; 4]), vec!["w.zarr".into()]));
        let writer = begin();
        writer.write_chunk(&[1, 0], &[2; 8]).unwrap();
        let error = writer.finish().unwrap_err();
        assert!(error.is_request() && error.to_string().contains("chunk [0, 0]"), "{error}");
        assert_eq!(values(&path), Some(vec![1; 4]));
    }
    // What many processes began goes on where it was.
    let writer = store.begin_shared(&force(), "abc1").unwrap();
    for place in [[0, 0], [0, 1], [1, 1]] {
        store.join_shared(&force(), "abc1").unwrap().write_chunk(&place, &[2; 8]).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!((values(&path), names(dir.path())), (Some(vec![2; 4]), vec!["w.zarr".into()]));
    finish(store.create(&force()).unwrap(), 3);
    assert_eq!((values(&path), names(dir.path())), (Some(vec![3; 4]), vec!["w.zarr".into()]));
}

/// A writer that comes too late does not make the folder again, nor touch the store that is there.
#[test]
fn work_that_is_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.zarr");
    let store = of_four_chunks(&path);
    let late = store.join_shared(&force(), "t1").unwrap();
    assert!(late.write_chunk(&[0, 0], &[9; 8]).unwrap_err().to_string().contains("not being made"));
    let writer = store.begin_shared(&force(), "t1").unwrap();
    write_all(&writer, 4);
    writer.finish().unwrap();
    assert!(late.write_chunk(&[0, 0], &[9; 8]).unwrap_err().is_request());
    assert!(late.finish().unwrap_err().to_string().contains("not being made"));
    assert_eq!((values(&path), names(dir.path())), (Some(vec![4; 4]), vec!["w.zarr".into()]));
    for token in ["", "a/b", "..", "a.b", "-", "ä"] {
        assert!(store.join_shared(&force(), token).unwrap_err().is_request(), "{token}");
    }
}

/// Of what is at the path, an array of Zarr goes if that is asked for, and an empty folder; all else
/// stays, whenever it came.
#[test]
fn what_may_be_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.zarr");
    let store = of_four_chunks(&path);
    fs::create_dir(&path).unwrap();
    let writer = store.create(&CreateOptions::new()).unwrap();
    write_all(&writer, 1);
    writer.finish().unwrap();
    assert_eq!(values(&path), Some(vec![1; 4]));
    let there = |name: &str, text: &str| {
        crate::listing::remove(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join(name), text).unwrap();
    };
    for (name, text) in [
        ("notes.txt", "not a store"),
        ("zarr.json", "not JSON"),
        ("zarr.json", r#"{"zarr_format":3,"node_type":"group"}"#),
    ] {
        there(name, text);
        for begun in [store.create(&force()), store.begin_shared(&force(), "t2")] {
            let error = begun.unwrap_err();
            assert!(error.is_exists() || error.is_request(), "{error}");
        }
        // The same if it came while the store was made.
        crate::listing::remove(&path).unwrap();
        let own = store.create(&force()).unwrap();
        write_all(&own, 5);
        there(name, text);
        own.finish().unwrap_err();
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), text);
    }
    // What was made by many is not lost by it.
    crate::listing::remove(&path).unwrap();
    let writer = store.begin_shared(&CreateOptions::new(), "t2").unwrap();
    write_all(&writer, 6);
    fs::create_dir(&path).unwrap();
    fs::write(path.join("zarr.json"), r#"{"node_type":"array"}"#).unwrap();
    assert!(writer.finish().unwrap_err().is_exists());
    crate::listing::remove(&path).unwrap();
    store.join_shared(&CreateOptions::new(), "t2").unwrap().finish().unwrap();
    assert_eq!(values(&path), Some(vec![6; 4]));
    fs::write(dir.path().join("file.zarr"), "x").unwrap();
    let file = of_four_chunks(&dir.path().join("file.zarr"));
    assert!(file.create(&force()).unwrap_err().is_exists());
}

#[test]
#[cfg(unix)]
fn nobody_may_do_more_than_before() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.zarr");
    let store = of_four_chunks(&path);
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let writer = store.begin_shared(&force(), "t3").unwrap();
    assert_eq!(mode(&dir.path().join(".tilewright-t3.partial")), 0o700);
    write_all(&writer, 1);
    writer.finish().unwrap();
    assert_eq!(mode(&path), 0o700);
}
