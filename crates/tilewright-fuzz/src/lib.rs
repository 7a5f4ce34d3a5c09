//! The bodies of the fuzz targets: ordinary functions of bytes, which panic where something is wrong.
//!
//! A body reads the bytes as what it is about, asks everything that can be asked of the value, and holds
//! the answers to each other: what is printed is read back as the same value, an offset leads back to its
//! index, a relayout puts every bit where the two maps say. An error is an answer; a panic, an overflow,
//! a second of work or a gigabyte for 4 KiB is not.
//!
//! `fuzz/fuzz_targets` hands them to libFuzzer; `tests/replay.rs` runs them on stable Rust, over the seeds
//! ([`corpus`]) and over mutations of these that are the same every time ([`mutate`]).
//!
//! Modules, in reading order: `texts` (notations), `programs` (HLO), `files`, `drawn` (layouts drawn from bytes),
//! `moves` (relayouts and emitted code), `laws` (canonical forms, the algebra, discovery), [`exhaustive`] (every small layout).

#![forbid(unsafe_code)]
#![allow(clippy::expect_used, reason = "a body fails where something is wrong")]

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
    pub replayed: usize,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "xla_text", body: texts::xla_text, replayed: 20_000 },
    Target { name: "tla_text", body: texts::tla_text, replayed: 20_000 },
    Target { name: "algebra", body: texts::algebra, replayed: 10_000 },
    Target { name: "onednn_tag", body: texts::onednn_tag, replayed: 20_000 },
    Target { name: "numpy_strides", body: texts::numpy_strides, replayed: 20_000 },
    Target { name: "named_layout", body: texts::named_layout, replayed: 10_000 },
    Target { name: "xla_proto", body: texts::xla_proto, replayed: 20_000 },
    Target { name: "hlo_text", body: programs::hlo_text, replayed: 1_000 },
    Target { name: "memory_report", body: programs::memory_report, replayed: 2_000 },
    Target { name: "npy", body: files::npy, replayed: 4_000 },
    Target { name: "safetensors", body: files::safetensors, replayed: 4_000 },
    Target { name: "index_json", body: files::index_json, replayed: 3_000 },
    Target { name: "gguf", body: files::gguf, replayed: 3_000 },
    Target { name: "layout_record", body: files::layout_record, replayed: 4_000 },
    Target { name: "zarr", body: files::zarr, replayed: 3_000 },
    Target { name: "checkpoint_config", body: files::checkpoint_config, replayed: 4_000 },
    Target { name: "questions", body: texts::questions, replayed: 2_000 },
    Target { name: "relayout", body: moves::relayout, replayed: 1_000 },
    Target { name: "emitted", body: moves::emitted, replayed: 1_000 },
    Target { name: "canonical", body: laws::canonical, replayed: 2_000 },
    Target { name: "algebra_laws", body: laws::algebra_laws, replayed: 2_000 },
    Target { name: "discovered", body: laws::discovered, replayed: 1_000 },
];

/// Runs the body of the target of this name.
///
/// # Panics
/// If there is no such target, or if the body finds something wrong.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("no target is called {name}"));
    (target.body)(data);
}

/// The Rust of the repository's README runs as a test: here, since this crate is not published, and a published one
/// has no file above its own folder.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
