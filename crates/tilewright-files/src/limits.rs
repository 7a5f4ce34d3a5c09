//! The limits that a file must keep for this crate to read it.
//!
//! They bound memory and time before a single array byte is touched. A claim over a limit is an
//! error that names the claim and the limit; nothing is allocated for it first. The same limits
//! hold for what is written, so that what this crate writes it can read.

/// The longest JSON header of a safetensors file, and the longest shard index, in bytes. The
/// reference reader has the same limit.
pub const MAX_SAFETENSORS_HEADER_BYTES: u64 = 100_000_000;

/// The longest header of a .npy file, in bytes. NumPy writes headers of at most a few hundred for
/// the dtypes read here.
pub const MAX_NPY_HEADER_BYTES: u64 = 1 << 20;

/// The longest `.layout.json` side file, in bytes.
pub const MAX_SIDE_FILE_BYTES: u64 = 1 << 20;

/// The longest head of a GGUF file, metadata and list of tensors, in bytes. Large vocabularies take
/// ten million.
pub const MAX_GGUF_HEADER_BYTES: u64 = 100_000_000;

/// The longest key of a GGUF file's metadata, in bytes: what the format's description allows.
pub const MAX_GGUF_KEY_BYTES: u64 = 65_535;

/// The most tensors in one GGUF file, and the most entries of its metadata.
pub const MAX_GGUF_ENTRIES: u64 = 1 << 17;

/// How deep arrays in a GGUF file's metadata may be nested. ggml itself reads no nested ones.
pub const MAX_GGUF_NESTING: usize = 4;

/// How many elements are kept of an array in a GGUF file's metadata.
pub const MAX_GGUF_SHOWN: usize = 8;

/// The most dimensions of a tensor in a GGUF file, which are those that ggml has.
pub const MAX_GGUF_RANK: u32 = 4;

/// The most arrays in one safetensors file, or in all shards of a folder together; also the most
/// entries of a `__metadata__`.
pub const MAX_ARRAYS: usize = 1_000_000;

/// The most shards of one folder. Each is an open file.
pub const MAX_SHARDS: usize = 10_000;

/// The longest name of an array, in bytes of UTF-8.
pub const MAX_NAME_BYTES: usize = 4096;

/// The most dimensions of an array.
pub const MAX_RANK: usize = 64;

/// The most bytes of one array: what an `i64` can count.
pub const MAX_ARRAY_BYTES: u64 = i64::MAX as u64;
