//! Files and folders: what opens is read to its end, what does not says why.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use tilewright::{ArrayShape, ElementType};
use tilewright_convert::{Conversion, Goal, Input, Options, Scheme};
use tilewright_files::{
    ArrayFile, Companions, CreateOptions, Error, GgufFile, OpenOptions, ZarrStore, layout_beside,
};

use crate::is_one_in;

/// Arrays of more bytes than this are not read: a header may say that a file with holes has terabytes.
const MOST_BYTES: u64 = 1 << 20;

/// Arrays of more elements than this, padding included, are not stored as Zarr.
const MOST_ELEMENTS: i64 = 1 << 16;

/// The same of chunks that are asked for.
const MOST_OF_A_CHUNK: i64 = 1 << 20;

/// A folder of this thread, in memory where there is such a file system; the files in it are written over each time.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

thread_local! {
    /// The names of the files that never change, as soon as they are there.
    static KEPT: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: RefCell<Option<Scratch>> = const { RefCell::new(None) };
}

/// The path of a file of this name, which has these bytes.
fn put(name: &str, bytes: &[u8]) -> PathBuf {
    let folder =
        SCRATCH.with_borrow_mut(|scratch| scratch.get_or_insert_with(Scratch::new).0.clone());
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

/// The same of a file that always has the same bytes.
fn keep(name: &'static str, bytes: impl FnOnce() -> Vec<u8>) {
    if !KEPT.with_borrow(|kept| kept.contains(&name)) {
        put(name, &bytes());
        KEPT.with_borrow_mut(|kept| kept.push(name));
    }
}

/// The bytes of a `.safetensors` file.
fn safetensors_of(header: &str, body: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), body].concat()
}

impl Scratch {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let thread = std::thread::current().id();
        let folder = parent.join(format!("tilewright-fuzz-{}-{thread:?}", std::process::id()));
        for part in ["folder", "store", "model"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).unwrap_or_else(|e| panic!("{}: {e}", part.display()));
        }
        Scratch(folder)
    }
}

fn check_error(error: &Error) {
    assert!(!error.to_string().is_empty());
    assert!(error.to_string().len() < 4096, "an error as long as the file");
}

/// What a file says of its arrays holds: each is as long as its type and dims say, and can be read.
fn check_file(outcome: Result<ArrayFile, Error>) -> bool {
    let file = match outcome {
        Ok(file) => file,
        Err(error) => {
            check_error(&error);
            return false;
        }
    };
    for (number, info) in file.arrays().iter().enumerate() {
        let elements: i128 = info.dims().iter().map(|&dim| i128::from(dim)).product();
        let bits = elements * i128::from(info.stored_bits());
        assert_eq!((bits + 7) / 8, i128::from(info.byte_len()), "{}", info.name());
        let _ = file.described(number);
        if info.byte_len() <= MOST_BYTES {
            let mut buffer = vec![0; info.byte_len() as usize];
            // It may have been cut since it was opened, which nobody does here.
            file.read_at(number, 0, &mut buffer).unwrap_or_else(|error| panic!("{error}"));
        }
        assert!(file.read_at(number, info.byte_len(), &mut [0]).is_err(), "beyond the array");
    }
    true
}

/// `.npy` files.
pub(crate) fn npy(data: &[u8]) -> bool {
    let path = put("w.npy", data);
    if is_one_in(4, data) {
        check_file(OpenOptions::new().element_type(ElementType::Bf16).open(&path));
    }
    check_file(ArrayFile::open(&path))
}

/// The length of the header: to the end of the first line behind it.
pub(crate) fn mend_npy(bytes: &mut [u8]) {
    let Some(end) = bytes.iter().skip(NPY_HEADER).position(|&byte| byte == b'\n') else { return };
    bytes[NPY_HEADER - 2..NPY_HEADER].copy_from_slice(&(end as u16 + 1).to_le_bytes());
}

/// Where the header's text begins: behind the magic bytes, the version and its length.
const NPY_HEADER: usize = 10;

/// The length of the header: to the last brace.
pub(crate) fn mend_safetensors(bytes: &mut [u8]) {
    let Some(last) = bytes.iter().rposition(|&byte| byte == b'}') else { return };
    if let Some(length) = bytes.first_chunk_mut() {
        *length = (last as u64).saturating_sub(7).to_le_bytes();
    }
}

/// `.safetensors` files, the layouts recorded in them included.
pub(crate) fn safetensors(data: &[u8]) -> bool {
    let path = put("w.safetensors", data);
    if is_one_in(4, data) {
        check_file(OpenOptions::new().ignore_layouts().open(&path));
    }
    check_file(ArrayFile::open(&path))
}

/// A folder of shards: the bytes are its index, beside two shards.
pub(crate) fn index_json(data: &[u8]) -> bool {
    let one = r#"{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}"#;
    let other = r#"{"c":{"dtype":"F16","shape":[],"data_offsets":[0,2]}}"#;
    keep("folder/model-00001-of-00002.safetensors", || safetensors_of(one, &[1, 2, 3]));
    keep("folder/model-00002-of-00002.safetensors", || safetensors_of(other, &[4, 5]));
    let index = put("folder/model.safetensors.index.json", data);
    let folder = index.parent().expect("a file is in a folder");
    let outcome = ArrayFile::open(folder);
    if let Ok(file) = &outcome {
        let _ = Companions::of(file);
    }
    check_file(outcome)
}

/// GGUF files: as records of fields, and as arrays of blocks.
pub(crate) fn gguf(data: &[u8]) -> bool {
    let path = put("w.gguf", data);
    if is_one_in(4, data) {
        check_file(ArrayFile::open(&path));
    }
    let file = match GgufFile::open(&path) {
        Ok(file) => file,
        Err(error) => {
            check_error(&error);
            return false;
        }
    };
    for entry in file.metadata() {
        assert!(file.value(&entry.key).is_some(), "{}", entry.key);
    }
    for tensor in file.tensors() {
        // One without bytes may be said to be anywhere.
        let end = tensor.file_offset().checked_add(tensor.byte_len());
        let is_there = end.is_some_and(|end| end <= data.len() as u64);
        assert!(is_there || tensor.byte_len() == 0, "{tensor:?}");
        if tensor.byte_len() > MOST_BYTES {
            continue;
        }
        let mut buffer = vec![0; tensor.byte_len() as usize];
        file.read_tensor(tensor.name(), &mut buffer).unwrap_or_else(|error| panic!("{error}"));
        let elements: i64 = tensor.dims().iter().product();
        if let Ok(codes) = file.codes(tensor.name()) {
            assert_eq!(codes.len() as i64, elements, "{}", tensor.name());
        }
        for field in tensor.gguf_type().record().fields().iter().take(2) {
            let _ = file.values(tensor.name(), field.value());
        }
    }
    true
}

/// The record of layouts: beside a raw file and a `.npy` file, and in a safetensors file.
pub(crate) fn layout_record(data: &[u8]) -> bool {
    keep("w.bin", || vec![0; 96]);
    let raw = put("w.bin.layout.json", data).with_file_name("w.bin");
    let is_read = match layout_beside(&raw) {
        Ok(_) => check_file(OpenOptions::new().raw(ElementType::U8, [96]).open(&raw)),
        Err(error) => {
            check_error(&error);
            false
        }
    };
    if !is_one_in(4, data) {
        return is_read;
    }
    let Ok(text) = std::str::from_utf8(data) else { return is_read };
    let record = serde_json::Value::from(text);
    let header = format!(
        r#"{{"__metadata__":{{"tilewright":{record}}},"w":{{"dtype":"U8","shape":[96],"data_offsets":[0,96]}}}}"#
    );
    let path = put("r.safetensors", &safetensors_of(&header, &[0; 96]));
    check_file(ArrayFile::open(path)) || is_read
}

/// Zarr: metadata that is at the place of a new store, and the metadata of a store of this array (a line), in chunks
/// of these dims (the next line).
pub(crate) fn zarr(data: &[u8]) -> bool {
    if data.starts_with(b"{") || is_one_in(8, data) {
        zarr_place(data);
    }
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let (array, chunk) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(array) = array.parse::<ArrayShape>() else { return false };
    // The index of a shard has an entry for each tile, and may take up to a gigabyte, which takes seconds.
    if !array.index_map().is_ok_and(|map| map.allocation() <= MOST_ELEMENTS) {
        return false;
    }
    let chunk: Option<Vec<i64>> = chunk.split(',').map(|size| size.trim().parse().ok()).collect();
    let elements =
        |chunk: &Vec<i64>| chunk.iter().fold(1i64, |all, &size| all.saturating_mul(size));
    if chunk.as_ref().is_some_and(|chunk| elements(chunk) > MOST_OF_A_CHUNK) {
        return false;
    }
    match ZarrStore::new("w.zarr", &array, chunk.as_deref()) {
        Ok(store) => {
            let metadata: serde_json::Value =
                serde_json::from_str(store.metadata()).expect("metadata is JSON");
            let sizes = array.sizes().expect("a stored array has sizes");
            assert_eq!(metadata["shape"], serde_json::json!(sizes));
            let chunk = store.chunk().sizes().expect("a chunk has sizes");
            for ((size, chunk), n_chunks) in sizes.iter().zip(&chunk).zip(store.grid()) {
                assert_eq!((size - 1) / chunk + 1, *n_chunks, "{array}");
            }
            true
        }
        Err(error) => {
            check_error(&error);
            false
        }
    }
}

fn zarr_place(data: &[u8]) {
    let path = put("store/zarr.json", data);
    let store = path.parent().expect("a file is in a folder");
    let plain: ArrayShape = "u8[3,5]".parse().expect("a shape");
    let stored = ZarrStore::new(store, &plain, None).expect("a plain array can be stored");
    let is_refused = stored.check_place(&CreateOptions::new()).is_err();
    assert!(is_refused, "what is there is replaced without being asked");
    if let Err(error) = stored.check_place(&CreateOptions::new().force()) {
        check_error(&error);
    }
}

/// The configuration of a quantised model, beside a shard: what it says of the quantisation, and whether that can become
/// another library's.
pub(crate) fn checkpoint_config(data: &[u8]) -> bool {
    let header = r#"{"l.qweight":{"dtype":"I32","shape":[8,8],"data_offsets":[0,256]},"l.qzeros":{"dtype":"I32","shape":[1,1],"data_offsets":[256,260]},"l.scales":{"dtype":"F16","shape":[1,8],"data_offsets":[260,276]}}"#;
    keep("model/model.safetensors", || safetensors_of(header, &[0; 276]));
    let config = put("model/config.json", data);
    let folder = config.parent().expect("a file is in a folder");
    let outcome = Scheme::of_folder(folder);
    let Ok(Some(scheme)) = outcome else { return false };
    assert!((1..=32).contains(&scheme.bits), "{scheme:?}");
    assert!(scheme.group_size.is_none_or(|size| size > 0), "{scheme:?}");
    // Planning reads headers and zero points; nothing is written.
    let input = Input::open(folder, &[], false).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { threads: std::num::NonZeroUsize::new(1), ..Options::default() };
    let (goal, _) = Goal::parse(Some("awq"), &[], false).expect("a method");
    let _ = Conversion::plan(input, &goal, &folder.with_file_name("out"), &options);
    true
}
