//! What a module's layouts cost: the answer, as data.

mod buffers;
mod build;
mod entry;
mod from_memory_report;
mod moves;

use std::sync::Arc;

use serde::Serialize;

use self::entry::HOST;
use crate::finding::Finding;
use crate::hint::{Fault, Hint};
use crate::live::{Peak, Timeline};
use crate::module::Aliased;
use crate::sharding::Sharding;
use crate::source::Source;

/// So many buffers are listed; those after them are only in the [totals](Totals).
pub const MAX_BUFFERS: usize = 1 << 20;

/// What an HLO module, or an out-of-memory report, says about memory and layouts.
///
/// All sizes are in bytes. `bytes` is what XLA's allocator counts, `logical_bytes` what the elements
/// alone would take. The serialised form is what `tilewright hlo --json` writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The module's name.
    pub module: Option<String>,
    /// The sums.
    pub totals: Totals,
    /// The entry's parameters: each array of each, in order.
    pub parameters: Vec<Value>,
    /// The entry's result, array by array.
    pub outputs: Vec<Value>,
    /// The arrays that the program writes, those with most padding first.
    pub buffers: Vec<Buffer>,
    /// Where the program moves an array from one format to another, most bytes first.
    pub relayouts: Vec<Movement>,
    /// Where it moves one and keeps the format: copies, and transfers between memories.
    pub copies: Vec<Movement>,
    /// What claims that the bytes of one array are those of another, checked.
    pub bitcasts: Vec<CheckedBitcast>,
    /// Parameters that could be donated to a result of the same format, the largest first.
    pub donations: Vec<Donation>,
    /// Those that would save nothing.
    #[serde(skip)]
    pub(crate) useless_donations: Vec<Donation>,
    /// What is in memory at the peak of each memory space, of a scheduled module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<Vec<Peak>>,
    /// What is in memory all the time, of a scheduled module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Vec<Timeline>>,
    /// The headline of an out-of-memory report.
    pub out_of_memory: Option<OutOfMemory>,
    /// What was not understood.
    pub findings: Vec<Finding>,
    /// How many more findings there were.
    pub more_findings: usize,
}

/// Sums over a [`Report`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Of the entry's parameters in the device's memory: what the compiler calls the size of the arguments.
    pub parameters: Size,
    /// Of the entry's result there.
    pub outputs: Size,
    /// Of the parts of the result that take the memory of parameters: what is donated.
    pub aliases: Size,
    /// Of the entry's parameters in the host's memory.
    pub host_parameters: Size,
    /// Of the entry's result there.
    pub host_outputs: Size,
    /// Of the parts of that which take the memory of parameters.
    pub host_aliases: Size,
    /// Of everything that is written, which is more than what is in memory at once.
    pub buffers: Size,
    /// Of moves from one format to another, bitcasts aside.
    pub relayouts: Traffic,
    /// Those of them that are instructions of their own.
    pub standalone: Traffic,
    /// Those of them that are part of a fusion, which reads and writes something anyway.
    pub fused: Traffic,
    /// Of moves that keep the format.
    pub copies: Traffic,
    /// Of bitcasts.
    pub bitcasts: Verdicts,
    /// What the compiler thinks that all takes, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<Cycles>,
}

/// What the compiler thinks that a program takes, in cycles of the chip: each instruction as often as it runs,
/// those aside of which that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cycles {
    /// All instructions.
    pub all: u64,
    /// Those that move an array into another format, and do nothing else.
    pub relayouts: u64,
    /// Those that move one and keep the format.
    pub copies: u64,
}

/// How much memory some arrays take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// How many arrays.
    pub count: usize,
    /// What they take, padding included.
    pub bytes: i64,
    /// What their elements take.
    pub logical_bytes: i64,
    /// The difference.
    pub padding_bytes: i64,
}

/// How much some instructions move when each runs once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// How many instructions.
    pub count: usize,
    /// What they read.
    pub bytes_read: i64,
    /// What they write.
    pub bytes_written: i64,
}

/// How many bitcasts are what they claim to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// How many there are.
    pub count: usize,
    /// The maps confirm these.
    pub confirmed: usize,
    /// The maps contradict these.
    pub refused: usize,
    /// The maps could not be compared.
    pub undecided: usize,
}

/// A parameter or an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The instruction's name; in a tuple with the position, `name{1,0}`.
    pub name: String,
    /// The array's shape and layout.
    pub text: Arc<str>,
    /// What it takes in memory.
    pub bytes: i64,
    /// What its elements take.
    pub logical_bytes: i64,
    /// The memory space: `hbm`, `host`. The document says nothing of the first.
    #[serde(skip_serializing_if = "is_device")]
    pub space: String,
    /// How it is split over devices; nothing in a program for one device, or where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharding: Option<Box<Sharding>>,
}

fn is_device(space: &str) -> bool {
    space == "hbm"
}

/// An array that an instruction writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Buffer {
    /// The instruction's name; in a tuple with the position, `name{1,0}`.
    pub name: String,
    /// The array's shape and layout.
    pub text: Arc<str>,
    /// What it takes in memory.
    pub bytes: i64,
    /// What its elements take.
    pub logical_bytes: i64,
    /// What is padding.
    pub padding_bytes: i64,
    /// What writes it: `fusion`, `copy`.
    pub op: Arc<str>,
    /// The computation it is in.
    pub computation: Arc<str>,
    /// The line, the first being 1.
    pub line: u32,
    /// What an out-of-memory report gives as its size, and whether `bytes` prints as that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported: Option<Box<Reported>>,
    /// The kernel that reads or writes it, and so fixes its format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Arc<str>>,
    /// The dimension that padding grows most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Box<Fault>>,
    /// What would mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Box<Hint>>,
}

/// What a report that people paste says of an allocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reported {
    /// The size as it is written there: `32.00G`.
    pub size: String,
    /// The size without padding, as it is written there.
    pub unpadded: String,
    /// What it is for: `HLO temp`.
    pub allocation_type: String,
    /// The operation of the user's program.
    pub operator: String,
    /// Whether [`Buffer::bytes`] is printed like this.
    pub agrees: bool,
}

/// The headline of an out-of-memory report, as it is written there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutOfMemory {
    /// The memory: `hbm`.
    pub memory: String,
    /// What is needed: `41.74G`.
    pub used: String,
    /// What there is.
    pub capacity: String,
}

/// An array moved from one place to another, perhaps into another format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Movement {
    /// The instruction's name. Of a fusion that ends with the move, the fusion's.
    pub name: String,
    /// What is read.
    pub from: Arc<str>,
    /// What is written.
    pub to: Arc<str>,
    /// The bytes of what is read.
    pub bytes_read: i64,
    /// The bytes of what is written.
    pub bytes_written: i64,
    /// What kind of move it is.
    pub kind: MoveKind,
    /// The operation: `copy`, `transpose`.
    pub op: Arc<str>,
    /// The computation it is in.
    pub computation: Arc<str>,
    /// The line, the first being 1.
    pub line: u32,
    /// Whether an instruction does nothing else.
    pub standalone: bool,
    /// How often it runs: the trips of the loops around it, multiplied, if they are known.
    pub executions: Option<u64>,
    /// What the compiler thinks that it takes each time, of a fusion all of it, in cycles of the chip.
    pub cycles: Option<u64>,
    /// The line of the program that it comes from.
    pub source: Option<Source>,
}

/// What kind of move it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MoveKind {
    /// A copy into another format.
    Copy,
    /// A copy into another format that runs beside the rest, begun by `copy-start`.
    AsyncCopy,
    /// A transpose that has to move elements.
    Transpose,
    /// A reshape that has to move elements.
    Reshape,
    /// A fusion whose last step is one of these.
    Fusion,
    /// One of these in the midst of a fusion, where it moves what the fusion reads anyway.
    Fused,
    /// A bitcast that is none.
    Bitcast,
    /// The format kept, the memory another.
    Memory,
    /// The format and the memory kept.
    Duplicate,
}

impl MoveKind {
    /// The word in the JSON document.
    pub fn name(self) -> &'static str {
        match self {
            MoveKind::Copy => "copy",
            MoveKind::AsyncCopy => "async-copy",
            MoveKind::Transpose => "transpose",
            MoveKind::Reshape => "reshape",
            MoveKind::Fusion => "fusion",
            MoveKind::Fused => "fused",
            MoveKind::Bitcast => "bitcast",
            MoveKind::Memory => "memory",
            MoveKind::Duplicate => "duplicate",
        }
    }
}

/// A claim that one array's bytes are another's, and what the maps say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedBitcast {
    /// The instruction's name.
    pub name: String,
    /// The operand.
    pub from: Arc<str>,
    /// The result.
    pub to: Arc<str>,
    /// Whether it holds; nothing where that could not be decided.
    pub holds: Option<bool>,
    /// How: `identity`, `reshape`, `transpose`, `transpose-reshape-transpose`, `part` of the same
    /// tiles, or `raw-bytes` of another type.
    pub kind: Option<&'static str>,
    /// Why not.
    pub reason: Option<String>,
    /// The operation: `bitcast`, or a transpose or reshape that moves nothing.
    pub op: Arc<str>,
    /// The computation it is in.
    pub computation: Arc<str>,
    /// The line, the first being 1.
    pub line: u32,
}

/// A parameter that could give its memory to a result, if the caller does not need it afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Donation {
    /// The parameter.
    pub parameter: String,
    /// The result, of the same shape and layout.
    pub output: String,
    /// Their shape and layout.
    pub text: Arc<str>,
    /// What that would save.
    pub bytes: i64,
    #[serde(skip)]
    pub(crate) alias: Aliased,
}

/// What a program needs of a memory space, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryNeed {
    /// All of it: parameters, results, and temporaries at their peak, less what is donated.
    pub bytes: i64,
    /// Of the parameters.
    pub parameters: i64,
    /// Of the results.
    pub outputs: i64,
    /// Of the results that take the memory of parameters.
    pub aliases: i64,
    /// Of the temporaries at their peak, with memory lent within fusions.
    pub temporaries: i64,
    /// The largest of what is there then.
    pub largest: Vec<Needed>,
}

/// Something that is in memory at the peak.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Needed {
    /// Its name.
    pub name: String,
    /// Its shape and layout.
    pub text: Arc<str>,
    /// What it takes.
    pub bytes: i64,
}

impl Report {
    /// The memory spaces that anything is in.
    pub fn memory_spaces(&self) -> Vec<String> {
        let values = self.parameters.iter().chain(&self.outputs).map(|value| &value.space);
        let mut spaces: Vec<String> = Vec::new();
        for space in values.chain(self.peak.iter().flatten().map(|peak| &peak.space)) {
            if !spaces.contains(space) {
                spaces.push(space.clone());
            }
        }
        spaces
    }

    /// What the program needs of a memory space (`hbm`, `vmem`, `host`, `S(n)`), and the `n` largest of what is
    /// there at the peak.
    pub fn need_of(&self, space: &str, n: usize) -> MemoryNeed {
        let totals = &self.totals;
        let peak = self.peak.iter().flatten().find(|peak| peak.space == space);
        let [parameters, outputs, aliases] = match space {
            "hbm" => [totals.parameters, totals.outputs, totals.aliases],
            HOST => [totals.host_parameters, totals.host_outputs, totals.host_aliases],
            _ => [Size::default(); 3],
        }
        .map(|size| size.bytes);
        let temporaries = peak.map_or(0, |peak| peak.bytes_shared);
        let values = self.parameters.iter().chain(&self.outputs).filter(|v| v.space == space);
        let values = values.map(|v| (&v.name, &v.text, v.bytes));
        let alive = peak.iter().flat_map(|peak| &peak.alive);
        let all = values.chain(alive.map(|b| (&b.name, &b.text, b.bytes)));
        let mut largest: Vec<(&String, &Arc<str>, i64)> = all.collect();
        largest.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(*bytes));
        let needed = |(name, text, bytes): (&String, &Arc<str>, i64)| Needed {
            name: name.clone(),
            text: Arc::clone(text),
            bytes,
        };
        MemoryNeed {
            bytes: parameters
                .saturating_add(outputs)
                .saturating_sub(aliases)
                .saturating_add(temporaries),
            parameters,
            outputs,
            aliases,
            temporaries,
            largest: largest.into_iter().take(n).map(needed).collect(),
        }
    }
}

impl Size {
    pub(crate) fn add(&mut self, bytes: i64, logical_bytes: i64) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.logical_bytes = self.logical_bytes.saturating_add(logical_bytes);
        let padding = bytes.saturating_sub(logical_bytes).max(0);
        self.padding_bytes = self.padding_bytes.saturating_add(padding);
    }
}

impl Traffic {
    fn of<'m>(moves: impl IntoIterator<Item = &'m Movement>) -> Self {
        moves.into_iter().fold(Traffic::default(), |sum, movement| Traffic {
            count: sum.count + 1,
            bytes_read: sum.bytes_read.saturating_add(movement.bytes_read),
            bytes_written: sum.bytes_written.saturating_add(movement.bytes_written),
        })
    }
}

impl Verdicts {
    fn of(bitcasts: &[CheckedBitcast]) -> Self {
        let count = |holds| bitcasts.iter().filter(|bitcast| bitcast.holds == holds).count();
        Verdicts {
            count: bitcasts.len(),
            confirmed: count(Some(true)),
            refused: count(Some(false)),
            undecided: count(None),
        }
    }
}
