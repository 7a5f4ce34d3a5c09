//! The bodies of the fuzz targets: ordinary functions of bytes, which panic where something is wrong.
//!
//! A body reads the bytes as what it is about, asks everything that can be asked of the value, and holds
//! the answers to each other: what is printed is read back as the same value, an offset leads back to its
//! index, a relayout puts every bit where the two maps say. An error is an answer; a panic, an overflow,
//! a second of work or a gigabyte for 4 KiB is not.
//!
//! `fuzz/fuzz_targets` hands them to libFuzzer; `tests/replay.rs` runs them on stable Rust, over the seeds
//! ([`corpus`]) and over mutations of these that are the same every time ([`mutate`]); `examples/mutated.rs` runs as many of
//! these as is said ([`campaign`]).
//!
//! Modules, in reading order: `texts` (notations), `programs` (HLO), `files`, `drawn` (layouts drawn from bytes),
//! `moves` (relayouts and emitted code), `laws` (canonical forms, the algebra, discovery), [`exhaustive`] (every small layout).

#![forbid(unsafe_code)]
#![allow(clippy::expect_used, reason = "a body fails where something is wrong")]

pub mod campaign;
pub mod corpus;
mod drawn;
pub mod exhaustive;
mod files;
mod laws;
mod moves;
pub mod mutate;
mod programs;
mod texts;

/// A way in, or a law.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As `cargo xtask fuzz` and libFuzzer call it.
    pub name: &'static str,
    /// What it does with some bytes. Whether they were something that can be read.
    pub body: fn(&[u8]) -> bool,
    /// How many mutations of its seeds the tests run: fewer where one takes long.
    pub replayed: u64,
    /// Makes lengths within a mutated input what they should be, so that readers go on beyond them.
    pub mend: fn(&mut [u8]),
}

impl Target {
    const fn new(name: &'static str, body: fn(&[u8]) -> bool, replayed: u64) -> Self {
        Target { name, body, replayed, mend: |_| {} }
    }

    const fn mended(self, mend: fn(&mut [u8])) -> Self {
        Target { mend, ..self }
    }

    /// The target of this name.
    pub fn of(name: &str) -> Option<Self> {
        TARGETS.iter().find(|target| target.name == name).copied()
    }
}

/// Whether this is one of the inputs, one in `n`, that are asked what takes longest. It depends on the input alone.
fn is_one_in(n: u64, data: &[u8]) -> bool {
    campaign::hash(data) >> 32 & 0xffff_ffff < (1 << 32) / n
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target::new("xla_text", texts::xla_text, 20_000),
    Target::new("tla_text", texts::tla_text, 20_000),
    Target::new("algebra", texts::algebra, 10_000),
    Target::new("onednn_tag", texts::onednn_tag, 20_000),
    Target::new("numpy_strides", texts::numpy_strides, 20_000),
    Target::new("named_layout", texts::named_layout, 10_000),
    Target::new("literal", texts::literal, 20_000),
    Target::new("xla_proto", texts::xla_proto, 20_000),
    Target::new("hlo_text", programs::hlo_text, 4_000),
    Target::new("memory_report", programs::memory_report, 2_000),
    Target::new("npy", files::npy, 4_000).mended(files::mend_npy),
    Target::new("safetensors", files::safetensors, 4_000).mended(files::mend_safetensors),
    Target::new("index_json", files::index_json, 3_000),
    Target::new("gguf", files::gguf, 3_000),
    Target::new("layout_record", files::layout_record, 4_000),
    Target::new("zarr", files::zarr, 3_000),
    Target::new("checkpoint_config", files::checkpoint_config, 4_000),
    Target::new("questions", texts::questions, 2_000),
    Target::new("relayout", moves::relayout, 1_000),
    Target::new("emitted", moves::emitted, 1_000),
    Target::new("canonical", laws::canonical, 2_000),
    Target::new("algebra_laws", laws::algebra_laws, 2_000),
    Target::new("discovered", laws::discovered, 1_000),
];

/// Runs the body of the target of this name.
///
/// # Panics
/// If there is no such target, or if the body finds something wrong.
pub fn run(name: &str, data: &[u8]) {
    let target = Target::of(name).unwrap_or_else(|| panic!("no target is called {name}"));
    (target.body)(data);
}

/// The Rust of the repository's README runs as a test: here, since this crate is not published, and a published one
/// has no file above its own folder.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
