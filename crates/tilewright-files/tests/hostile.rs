//! Headers that claim much: an error at once, and no memory for the claim.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::OpenOptions as FileOptions;
use std::sync::atomic::{AtomicUsize, Ordering};

use scratch::Scratch;
use tilewright_files::ArrayFile;

/// Remembers the largest piece of memory that was ever asked for.
struct Watched;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator with its arguments as they came, so its
// guarantees are this one's.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps `alloc`'s demands, which are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: `memory` came from `System` by way of `alloc`, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// The most memory that one of these files, each of less than 12 MiB of real bytes, may take at once.
const MOST: usize = 24 << 20;

fn npy(version: u8, claimed: u32, header: &str) -> Vec<u8> {
    let length = claimed.to_le_bytes();
    let length = if version == 1 { &length[..2] } else { &length[..] };
    [b"\x93NUMPY", &[version, 0][..], length, header.as_bytes()].concat()
}

fn npy_with_shape(shape: &str) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    npy(2, header.len() as u32, &header)
}

fn safetensors(header: &str) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat()
}

/// The head of a GGUF file of so many tensors and entries, and what comes after it.
fn gguf(n_tensors: u64, n_entries: u64, rest: &[u8]) -> Vec<u8> {
    [b"GGUF\x03\0\0\0", &n_tensors.to_le_bytes()[..], &n_entries.to_le_bytes(), rest].concat()
}

/// A metadata array of one letter's key: the type of the elements, and how many there are said to be.
fn gguf_array(element_type: u32, len: u64) -> Vec<u8> {
    let key = [&1u64.to_le_bytes()[..], b"k", &9u32.to_le_bytes()].concat();
    [&key[..], &element_type.to_le_bytes(), &len.to_le_bytes()].concat()
}

/// The rejected file of this name, whose length is set to `len` without writing the bytes. What takes
/// more than linear time would take hours.
fn rejects(name: &str, bytes: &[u8], len: Option<u64>) {
    let scratch = Scratch::new();
    let path = scratch.put(name, bytes);
    if let Some(len) = len {
        FileOptions::new().write(true).open(&path).unwrap().set_len(len).unwrap();
    }
    LARGEST.store(0, Ordering::Relaxed);
    let error = ArrayFile::open(path).unwrap_err();
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(error.is_malformed(), "{error}");
    assert!(error.to_string().len() < 1000, "an error of {} bytes", error.to_string().len());
    assert!(largest <= MOST, "{largest} bytes for {error}");
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn claims_cost_nothing() {
    const FAR: Option<u64> = Some(1 << 41);
    let ends = ["w.npy", "w.safetensors", "w.gguf"];

    rejects(ends[0], &npy(2, u32::MAX, ""), None);
    rejects(ends[0], &npy(3, u32::MAX, "{"), FAR);
    rejects(ends[0], &npy(2, (1 << 20) + 1, "{"), FAR);
    rejects(ends[0], &npy(1, 65535, "{"), None);
    for bomb in ["(", "[", "((", "1,", "9", "{", "'", " ", "("] {
        rejects(ends[0], &npy_with_shape(&bomb.repeat(1_000_000 / bomb.len())), None);
    }
    rejects(ends[0], &npy_with_shape("(4611686018427387904, 4611686018427387904)"), None);
    rejects(ends[0], &npy_with_shape("(1099511627776,)"), None);
    rejects(ends[0], &npy_with_shape("(1099511627776, 0, 1099511627776, 1099511627776)"), None);

    for claimed in [1 << 40, u64::MAX, u64::MAX - 7, 100_000_001] {
        rejects(ends[1], &u64::to_le_bytes(claimed), None);
        rejects(ends[1], &u64::to_le_bytes(claimed), FAR);
    }
    rejects(ends[1], &100_000_000u64.to_le_bytes(), None);
    for bomb in
        ["[", "{\"a\":", "{\"a\":{\"shape\":[", "\"", "{\"\\u0061", "1", "{\"__metadata__\":"]
    {
        rejects(
            ends[1],
            &safetensors(&format!("{{\"a\":{}", bomb.repeat(1_000_000 / bomb.len()))),
            None,
        );
        rejects(ends[1], &safetensors(&bomb.repeat(1_000_000 / bomb.len())), None);
    }
    let shape = format!("{{\"a\":{{\"dtype\":\"U8\",\"shape\":[{}", "1,".repeat(500_000));
    rejects(ends[1], &safetensors(&shape), None);
    let dims = "[4611686018427387904,4611686018427387904,0]";
    let huge = format!("{{\"a\":{{\"dtype\":\"U8\",\"shape\":{dims},\"data_offsets\":[0,0]}}}}");
    rejects(ends[1], &safetensors(&huge), None);
    let entries: Vec<String> = (0..1_000_001).map(|i| format!("\"{i:x}\":\"\"")).collect();
    let metadata = format!("{{\"__metadata__\":{{{}}}}}", entries.join(","));
    rejects(ends[1], &safetensors(&metadata), None);
    let many: Vec<String> = (0..20_000)
        .map(|i| format!("\"{i}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}"))
        .collect();
    rejects(ends[1], &safetensors(&format!("{{{},\"0\":{{}}}}", many.join(","))), None);

    for len in [None, FAR] {
        rejects(ends[2], &gguf(u64::MAX, 0, &[]), len);
        rejects(ends[2], &gguf(0, u64::MAX, &[]), len);
        rejects(ends[2], &gguf((1 << 17) + 1, 0, &[]), len);
        rejects(ends[2], &gguf(1 << 17, 1 << 17, &[]), len); // of no key, twice
        rejects(ends[2], &gguf(0, 1, &u64::MAX.to_le_bytes()), len); // a key
        rejects(ends[2], &gguf(1, 0, &u64::MAX.to_le_bytes()), len); // a name
        for element_type in 0..13 {
            rejects(ends[2], &gguf(0, 1, &gguf_array(element_type, u64::MAX)), len);
            rejects(ends[2], &gguf(0, 1, &gguf_array(element_type, 1 << 40)), len);
        }
        let text = [&gguf_array(8, 1)[..], &u64::to_le_bytes(1 << 40)].concat();
        rejects(ends[2], &gguf(0, 1, &text), len);
    }
    // Many texts and arrays without elements, and then a key twice.
    rejects(ends[2], &gguf(0, 3, &gguf_array(8, 1_000_000)), FAR);
    rejects(ends[2], &gguf(0, 3, &gguf_array(9, 1_000_000)), FAR);
}
