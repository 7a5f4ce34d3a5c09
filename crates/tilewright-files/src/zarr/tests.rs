use super::*;

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
    check_bricks("bf16[30,300]{1,0:T(8,128)(2,1)}", &[1, 0]);
    check_bricks("bf16[30,300]{0,1:T(8,128)(2,1)}", &[0, 1]);
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

#[test]
fn a_store_is_there_when_it_is_finished() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.zarr");
    let shape = "u8[3,5]{1,0:T(2,2)}".parse().unwrap();
    let store = ZarrStore::new(&path, &shape, Some(&[2, 4])).unwrap();
    store.begin(false).unwrap();
    for place in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        store.write_chunk(&place, &[7; 8]).unwrap();
    }
    store.write_chunk(&[1, 1], &[8; 8]).unwrap(); // tried again
    assert!(!path.join("zarr.json").exists());
    store.finish().unwrap();
    // Two tiles, of each an offset and a length, and the checksum.
    assert_eq!(fs::read(path.join("c/1/1")).unwrap().len(), 8 + 2 * 16 + 4);
    assert_eq!(fs::read(path.join("c/1/1")).unwrap()[..8], [8; 8]);
    assert!(store.write_chunk(&[2, 0], &[7; 8]).unwrap_err().is_request());
    assert!(store.write_chunk(&[0, 0], &[7; 9]).unwrap_err().is_request());
    assert!(store.begin(false).unwrap_err().is_exists());
    store.begin(true).unwrap();
    assert!(!path.join("c").exists());
    fs::write(path.join("notes.txt"), "not a store").unwrap();
    assert!(store.begin(true).unwrap_err().is_exists());
}
