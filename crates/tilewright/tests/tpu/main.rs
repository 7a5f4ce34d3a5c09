//! The formats of TPUs, against the TPU compiler's own choices and sizes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

#[path = "../support/mod.rs"]
mod support;

mod candidates;
mod edges;
mod frozen;
mod padding;
