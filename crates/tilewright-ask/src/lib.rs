//! Questions about tiled array layouts, and their answers.
//!
//! Each question is a type with a method `answer`; [`Question`] is any of them, and [`ask`] takes one
//! as JSON and gives the answer as JSON. The command's `--json`, the page in the browser and whatever
//! else asks use the same types, so that they cannot differ.
//!
//! ```
//! use tilewright_ask::{Reader, Same};
//! let reader = Reader { strict: false, note: &|_| {} };
//! let question = Same { a: "f32[24,128]{1,0:T(8,128)}".into(), b: "f32[24,128]{1,0}".into() };
//! assert!(question.answer(reader)?.same);
//! # Ok::<(), tilewright_ask::Error>(())
//! ```
//!
//! | question | of the command | answers |
//! |---|---|---|
//! | [`Show`], [`Index`], [`Same`], [`Bitcast`], [`To`] | `show` … | what a layout says, where elements lie, whether two agree |
//! | [`Draw`], [`Place`] | `draw` | the picture, and one place with its arithmetic |
//! | [`Calc`], [`Explain`], [`Operations`] | `calc` | the algebra |
//! | [`Layouts`] | `layouts` | which layouts have names |
//! | [`Tpu`], [`Formats`], [`Hlo`], [`Assign`] | `tpu` … | what a TPU does, and what would be better |
//! | [`Plan`] | `plan` | how a relayout goes |
//! | [`Read`], [`Complete`] | | what pieces of a text mean, and how it could go on |
//!
//! Nothing here reads a file, starts a thread or looks at an element.

#![forbid(unsafe_code)]

mod ask;
mod bitcast;
mod calc;
mod complete;
mod coordinates;
mod draw;
mod emit;
mod error;
mod hlo;
mod index;
mod layouts;
mod pieces;
mod place;
mod plan;
mod question;
mod same;
mod show;
mod subject;
mod to;
mod tpu;
mod typed_index;

pub use crate::ask::{MAX_QUESTIONS, ask, ask_bytes};
pub use crate::bitcast::{Bitcast, BitcastAnswer, BitcastSteps};
pub use crate::calc::{Calc, Explain, Explained, OperationList, Operations};
pub use crate::complete::{Complete, Completion, Completions};
pub use crate::draw::{Draw, Drawn, DrawnBlock, DrawnSpot};
pub use crate::emit::Emit;
pub use crate::error::{Error, ErrorDocument, with_causes};
pub use crate::hlo::{Assign, Hlo, HloAnswer, assignment, report, tried};
pub use crate::index::{AllOffsets, Found, Index};
pub use crate::layouts::{CarrierRow, Layouts, NamedRow, NamedRows};
pub use crate::pieces::{Piece, Pieces, Read};
pub use crate::place::{Place, PlaceAnswer, PlaceLevel, PlaceTerm};
pub use crate::plan::{Plan, Planned, PlannedBox, PlannedLoop};
pub use crate::question::{Answer, Question};
pub use crate::same::{Comparison, FirstDifference, Same};
pub use crate::show::{About, Show, Shown};
pub use crate::subject::{Reader, Subject};
pub use crate::to::{Notation, Text, To};
pub use crate::tpu::{Format, FormatList, Formats, OnChip, OnChips, Tpu};
pub use crate::typed_index::parse_index;
