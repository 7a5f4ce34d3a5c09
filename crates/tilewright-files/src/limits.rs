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
