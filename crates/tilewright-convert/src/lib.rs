//! From file to file: every array in another layout, within bounded memory, and whether two files hold the same.
//!
//! ```text
//! Input ── what its arrays are ──▶ jobs ──▶ pieces that memory holds ──▶ Writer
//!   ▲                               ▲
//! --from, records              Targets, or a checkpoint's method
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `input`, `targets` | a file and what its arrays are; what each is to become |
//! | `lying`, `ways`, `job` | how an array lies in what is stored; how it becomes another; what is done with each, planned before anything is written |
//! | `narrow` | elements that go from whole bytes to fewer bits, checked |
//! | `memory`, `crew` | how much memory there is, and threads that take tasks from one queue |
//! | `cut`, `bundle`, `stream` | pieces that memory holds, small arrays taken together, and their way from file to file |
//! | `conversion` | all of it, for a file |
//! | `compare` | two files, array by array, whatever their layouts |
//! | `progress` | who wants to be told how far it is |
//!
//! Errors are [`anyhow`]'s, which tell their causes: which array, which file, what the system said. What went wrong with a file is a
//! [`tilewright_files::Error`] among them.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # let [from, to] = ["w.npy", "tiled.npy"].map(|name| dir.path().join(name));
//! # use tilewright_files::{ArraySpec, CreateOptions, Format};
//! # let spec = [ArraySpec::new("w", tilewright::ElementType::F32, [3, 5])];
//! # let mut writer = CreateOptions::new().create(&from, Format::Npy, &spec)?;
//! # writer.append(0, &[7; 60])?;
//! # writer.finish()?;
//! use tilewright_convert::{Conversion, Input, Options, Targets, compare};
//! let (targets, _) = Targets::parse(Some("{1,0:T(2,2)}"), &[], false)?;
//! let conversion = Conversion::plan(Input::open(&from, &[], false)?, &targets, &to, &Options::default())?;
//! assert_eq!(conversion.jobs()[0].to(), "f32[3,5]{1,0:T(2,2)}");
//! conversion.write(&())?;
//! let [a, b] = [Input::open(&from, &[], false)?, Input::open(&to, &[], false)?];
//! assert!(compare(&a, &b, None)?.differences.is_empty());
//! # Ok::<(), anyhow::Error>(())
//! ```

#![forbid(unsafe_code)]

mod progress;

mod memory;

mod crew;

mod input;
mod targets;

mod narrow;

mod lying;

mod ways;

mod job;

mod cut;

mod bundle;
mod stream;

mod checkpoint;

mod conversion;

mod compare;

pub use crate::checkpoint::{Method, Scheme, shuffled};
pub use crate::compare::{Comparison, Difference, compare};
pub use crate::conversion::{Conversion, Options, Row};
pub use crate::input::{Input, Shapes};
pub use crate::job::Job;
pub use crate::lying::{Lying, plan};
pub use crate::progress::Progress;
pub use crate::targets::Targets;
