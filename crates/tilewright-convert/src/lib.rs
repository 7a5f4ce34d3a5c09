//! From file to file: every array in another layout, within bounded memory, and whether two files hold the same.
//!
//! ```text
//! Input ── what its arrays are ──▶ jobs ──▶ pieces that memory holds ──▶ Writer
//!   ▲                               ▲
//! --from, records                  Goal
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `input` | a file and what its arrays are |
//! | `goal`, `targets` | what they are to become |
//! | `checkpoint` | quantised models: the folder of one library as another's |
//! | `lying`, `ways`, `job` | how an array lies in what is stored; how it becomes another; what is done with each, planned before anything is written |
//! | `narrow` | elements that go from whole bytes to fewer bits, checked |
//! | `memory`, `crew` | how much memory there is, and threads that take tasks from one queue |
//! | `cut`, `passage`, `bundle`, `stream` | pieces that memory holds, an array on its way, small ones taken together, and the way from file to file |
//! | `conversion` | all of it, for a file |
//! | `compare` | two files, array by array, whatever their layouts |
//! | `error` | why not |
//! | `progress` | who wants to be told how far it is |
//!
//! An [`Error`] tells its causes: which array, which file, what the system said. What went wrong with a file is a
//! [`tilewright_files::Error`] in it.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # let [from, to] = ["w.npy", "tiled.npy"].map(|name| dir.path().join(name));
//! # use tilewright_files::{ArraySpec, CreateOptions, Format};
//! # let spec = [ArraySpec::new("w", tilewright::ElementType::F32, [3, 5])];
//! # let mut writer = CreateOptions::new().create(&from, Format::Npy, &spec)?;
//! # writer.append(0, &[7; 60])?;
//! # writer.finish()?;
//! use tilewright_convert::{Conversion, Goal, Input, Options, compare};
//! let (goal, _) = Goal::parse(Some("{1,0:T(2,2)}"), &[], false)?;
//! let conversion = Conversion::plan(Input::open(&from, &[], false)?, &goal, &to, &Options::default())?;
//! assert_eq!(conversion.jobs()[0].to(), "f32[3,5]{1,0:T(2,2)}");
//! conversion.write(&())?;
//! let [a, b] = [Input::open(&from, &[], false)?, Input::open(&to, &[], false)?];
//! assert!(compare(&a, &b, (None, None), &())?.differences.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod error;
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

mod passage;

mod bundle;
mod stream;

mod checkpoint;

mod goal;

mod conversion;

mod compare;

pub use crate::checkpoint::{Facts, Method, Scheme};
pub use crate::compare::{Comparison, Difference, compare};
pub use crate::conversion::{Conversion, Options, Row};
pub use crate::error::Error;
pub use crate::goal::Goal;
pub use crate::input::{Input, Shapes};
pub use crate::job::Job;
pub use crate::lying::{Lying, plan};
pub use crate::progress::Progress;
pub use crate::targets::Targets;
