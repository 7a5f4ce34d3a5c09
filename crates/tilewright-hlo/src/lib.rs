//! HLO text modules, and what the layouts in them cost.
//!
//! In come the bytes of a module that XLA, JAX or libtpu printed, at any stage of compilation, or of
//! XLA's report that memory ran out; out comes what every array in it takes, and where the program
//! moves arrays from one format to another.
//!
//! ```
//! use tilewright_hlo::{Dump, Report};
//!
//! let text = "HloModule m
//!
//! ENTRY main {
//!   p = u32[12582912,1]{1,0:T(8,128)} parameter(0)
//!   ROOT c = u32[12582912,1]{0,1:T(1,128)} copy(p)
//! }
//! ";
//! let report = Report::of(&Dump::read(text));
//! let worst = &report.buffers[0];
//! assert_eq!((worst.bytes, worst.logical_bytes), (6 << 30, 48 << 20));
//! assert_eq!(report.relayouts[0].bytes_written, 48 << 20);
//! ```
//!
//! A [`Dump`] is what was read, as slices of the text, with [`Findings`] about what made no sense;
//! the reader goes on after those. A [`Report`] is what it costs, a [`Change`] the difference of two
//! reports, an [`Assignment`] better formats for the parameters. [`settle`] asks of one operation
//! whether its result can be had without a relayout.
//!
//! Whatever comes in, the time is linear in its length, memory is bounded by it, and nothing
//! recurses. There is no I/O here, and of an operation nothing is known but where its arrays lie.

#![forbid(unsafe_code)]

mod assign;
mod calls;
mod change;
mod compare;
mod counted;
mod decode;
mod dump_folder;
mod finding;
mod hint;
mod layer;
mod line;
mod live;
mod memory_report;
mod module;
mod names;
mod page;
mod read;
mod report;
mod scan;
mod settle;
mod shapes;
mod sharding;
mod source;
mod trial;
mod trips;

pub use assign::{AssignedParameter, AssignedTotals, Assignment, Choice, Cost};
pub use change::{Change, ChangedMovements, ChangedPeak, ChangedValue};
pub use counted::{CompilerReports, Counted, CountedBuffer, CountedPart};
pub use decode::decoded;
pub use dump_folder::DumpFolder;
pub use finding::{Finding, Findings, MAX_FINDINGS};
pub use hint::{Fault, Formats, Hint, Permuted, Suggestion, fault, hint};
pub use live::{Alive, Life, Peak, SourceBytes, Timeline};
pub use memory_report::{Allocation, MemoryReport, printed_size};
pub use module::{Computation, Instruction, Module, Operand};
pub use read::{Dump, no_dump};
pub use report::{
    Buffer, CheckedBitcast, Cycles, Donation, MAX_BUFFERS, MemoryNeed, MoveKind, Movement, Needed,
    OutOfMemory, Report, Reported, Size, Totals, Traffic, Value, Verdicts,
};
pub use settle::{Operation, Place, Relayout, Settled, Unsettled, settle};
pub use shapes::{MAX_ARRAY_TEXT, MAX_TUPLE_NESTING};
pub use sharding::Sharding;
pub use source::{Source, Sources};
pub use trial::{Trial, Tried, TriedFormat, TriedSpace, TriedTraffic, Untried};
