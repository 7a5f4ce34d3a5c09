//! HLO text modules, and what the layouts in them cost.
//!
//! In come the bytes of a module that XLA, JAX or libtpu printed, or of XLA's report that memory
//! ran out; out comes what every array in it takes, and where the program moves arrays from one
//! format to another.

#![forbid(unsafe_code)]

mod calls;
mod change;
mod compare;
mod decode;
mod finding;
mod hint;
mod line;
mod memory_report;
mod module;
mod page;
mod read;
mod report;
mod scan;
mod settle;
mod shapes;

pub use change::{Change, ChangedMovements, ChangedValue};
pub use decode::decoded;
pub use finding::{Finding, Findings, MAX_FINDINGS};
pub use hint::{Fault, Formats, Hint, Permuted, Suggestion, fault, hint};
pub use memory_report::{Allocation, MemoryReport, printed_size};
pub use module::{Computation, Instruction, Module, Operand};
pub use read::Dump;
pub use report::{
    Buffer, CheckedBitcast, MAX_BUFFERS, MoveKind, Movement, OutOfMemory, Report, Reported, Size,
    Totals, Traffic, Value, Verdicts,
};
pub use settle::{Operation, Place, Relayout, Settled, Unsettled, settle};
pub use shapes::{MAX_ARRAY_TEXT, MAX_TUPLE_NESTING};
