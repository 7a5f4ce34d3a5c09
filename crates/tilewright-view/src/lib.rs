//! Pictures of layouts.

#![forbid(unsafe_code)]

mod axis;
mod blocks;
mod subject;
