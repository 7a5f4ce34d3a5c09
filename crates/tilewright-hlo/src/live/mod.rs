//! What is in memory at the peak: which buffers of a scheduled module are alive when, by its text alone.
//!
//! The order of lines is the order of execution ([`order`]), and results that pass on or write over the
//! memory of others are one buffer with them ([`values`]). A buffer lives from what writes it first to
//! what reads it last. Of all times, the one at which the temporaries of a memory space take most is its
//! peak. That is XLA's own liveness, before its allocator packs buffers; what it packs takes a little more.

mod described;
mod lent;
mod order;
mod origin;
mod values;

use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use tilewright::xla::Layout;

use crate::calls::Runs;
use crate::hint::{Fault, Formats, Hint, Suggestion};
use crate::module::Instruction;
use crate::names::Names;
use crate::report::Donation;
use crate::shapes::{Array, Shapes};
use crate::source::{self, Source};
use described::Describer;
use lent::{saving, shared_ends};
use order::Order;
use values::Values;

/// The most that is alive at once in a memory space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// The memory space: `hbm`, `vmem`, `host`, or `S(n)`.
    pub space: String,
    /// The bytes of all temporaries that are alive then: those that are neither parameters, nor constants,
    /// nor part of the result.
    pub bytes: i64,
    /// The same where what dies in an element-wise fusion lends its memory to what that writes.
    pub bytes_shared: i64,
    /// The instruction that runs then.
    pub at: String,
    /// What is alive then, the largest first.
    pub alive: Vec<Alive>,
    /// The same summed up by the line of the program, most first.
    pub by_source: Vec<SourceBytes>,
    /// By what writes it.
    pub by_op: Vec<NamedBytes>,
    /// By the layer: the scopes that the program names, `layer_3/attention`.
    pub by_layer: Vec<NamedBytes>,
    /// The bytes of what is kept for the gradient: what is written before the backward pass begins, and alive
    /// when it does.
    pub for_gradient: i64,
}

/// What comes from a line of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceBytes {
    /// The line; of what has none, nothing.
    pub source: Option<Source>,
    /// The bytes of its buffers.
    pub bytes: i64,
    /// How many they are.
    pub count: usize,
}

/// What has something in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedBytes {
    /// What that is called; of what has no name, nothing.
    pub name: Option<String>,
    /// The bytes of its buffers.
    pub bytes: i64,
    /// How many they are.
    pub count: usize,
}

/// A buffer that is alive at a peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alive {
    /// The instruction that writes it first; in a tuple with the position, `name{1,0}`.
    pub name: String,
    /// The array's shape and layout.
    pub text: Arc<str>,
    /// What it takes in memory.
    pub bytes: i64,
    /// What of that is padding.
    pub padding_bytes: i64,
    /// What writes it.
    pub op: String,
    /// The computation it is in.
    pub computation: String,
    /// The line of the program that it comes from.
    pub source: Option<Source>,
    /// The operation of the program that it comes from, `jit(f)/layer/dot_general`.
    pub op_name: Option<String>,
    /// The scopes that the program names around that, `layer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The line of the module, the first being 1.
    pub line: u32,
    /// The instruction that reads it last.
    pub until: String,
    /// The kernel that reads or writes it, and so fixes its format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Whether it is kept for the gradient, for which it could be computed again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub for_gradient: bool,
    /// The same in the type that most of the program's parameters have, where that is narrower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrower: Option<Box<Suggestion>>,
    /// The dimension that padding grows most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Box<Fault>>,
    /// What would mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Box<Hint>>,
}

/// What the temporaries of a memory space take from one instruction to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timeline {
    /// The memory space: `hbm`, `vmem`, `host`, or `S(n)`.
    pub space: String,
    /// How many instructions run one by one: times are below this.
    pub instructions: usize,
    /// The times at which the sum changes, and what it is from then on.
    pub steps: Vec<(u32, i64)>,
    /// The largest buffers, and when each is alive, the largest first.
    pub lives: Vec<Life>,
}

/// A buffer, and when it is alive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Life {
    /// What it is.
    #[serde(flatten)]
    pub buffer: Alive,
    /// The time of the instruction that writes it first.
    pub from: u32,
    /// The time of the one that reads it last.
    pub to: u32,
}

/// So many buffers of a memory space have their lives told.
const MAX_LIVES: usize = 4096;

/// A piece of memory, from when something is written there to when that is read last.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    /// The value that all in that memory are joined to.
    value: u32,
    bytes: i64,
    space: i64,
    /// The times of what writes it first and of what reads it last.
    start: u32,
    end: u32,
    /// The time of what it is named after, and which of its results.
    named: (u32, u32),
    /// How much that says.
    rank: u8,
}

/// A scheduled module, and what is known of it.
pub(crate) struct Scheduled<'r, 'm, 'a> {
    pub(crate) names: &'r Names<'m, 'a>,
    pub(crate) runs: &'r [Runs],
    /// What kernels read and write, with the kernel.
    pub(crate) of_kernels: &'r HashMap<usize, &'m Instruction<'a>>,
    pub(crate) formats: &'r dyn Formats,
}

/// What is in memory when.
pub(crate) struct Lives {
    /// What the temporaries take at their peak, space by space, those that take most first.
    pub(crate) peaks: Vec<Peak>,
    /// What they take all the time, in the same order.
    pub(crate) timelines: Vec<Timeline>,
    /// The donations that save something.
    pub(crate) donations: Vec<Donation>,
    /// Those that do not.
    pub(crate) useless_donations: Vec<Donation>,
}

/// What is in memory when, of a scheduled module. Which donations there could be is asked last.
pub(crate) fn lives(
    scheduled: &Scheduled<'_, '_, '_>,
    donations: impl FnOnce() -> Vec<Donation>,
) -> Lives {
    let Scheduled { names, runs, .. } = *scheduled;
    let order = Order::of(names, runs);
    let mut values = Values::of(names, &order, &mut Shapes::default());
    let ends = values.ends();
    let buffers = buffers(&mut values, &ends);
    let shared_ends = shared_ends(&mut values, &buffers);
    let n_times = order.instructions.len();
    let shared = steps_by_space(&buffers, |number| shared_ends[number], n_times);
    drop(shared_ends);
    let mut describer = Describer::new(scheduled, &order, &mut values);
    let mut all: Vec<(Peak, Timeline)> = Vec::new();
    for (space, steps) in steps_by_space(&buffers, |number| buffers[number].end, n_times) {
        let (bytes, time) = most(&steps);
        if bytes == 0 {
            continue;
        }
        let of_space = |b: &&Buffer| b.space == space && b.bytes > 0;
        let mut lives: Vec<&Buffer> = buffers.iter().filter(of_space).collect();
        lives.sort_by_key(|b| (std::cmp::Reverse((b.bytes, b.end - b.start)), b.start));
        let (mut alive, mut told) = (Vec::new(), Vec::new());
        for (number, buffer) in lives.into_iter().enumerate() {
            let is_alive = buffer.start <= time && time <= buffer.end;
            if !is_alive && number >= MAX_LIVES {
                continue;
            }
            let described = describer.described(&values, buffer);
            if is_alive {
                alive.push(described.clone());
            }
            if number < MAX_LIVES {
                told.push(Life { buffer: described, from: buffer.start, to: buffer.end });
            }
        }
        let for_gradient = alive.iter().filter(|b| b.for_gradient).map(|b| b.bytes);
        let peak = Peak {
            space: space_name(space),
            bytes,
            bytes_shared: shared.get(&space).map_or(bytes, |steps| most(steps).0),
            at: values.instruction(time as usize).name().to_owned(),
            for_gradient: for_gradient.fold(0, i64::saturating_add),
            by_source: by_source(&alive),
            by_op: by_name(&alive, |buffer| Some(&buffer.op)),
            by_layer: by_name(&alive, |buffer| buffer.layer.as_deref()),
            alive,
        };
        let timeline =
            Timeline { space: space_name(space), instructions: n_times, steps, lives: told };
        all.push((peak, timeline));
    }
    all.sort_by_key(|(peak, _)| std::cmp::Reverse(peak.bytes));
    let (peaks, timelines) = all.into_iter().unzip();
    let [donations, useless_donations] = saving(&mut values, &ends, donations());
    Lives { peaks, timelines, donations, useless_donations }
}

/// What is alive when, in the order of memory and time. Nothing of parameters, constants and results.
fn buffers(values: &mut Values<'_, '_>, ends: &[u32]) -> Vec<Buffer> {
    /// No buffer.
    const NONE: u32 = u32::MAX;
    let mut alive: Vec<Buffer> = Vec::new();
    // Of each piece of memory, the last buffer that there is by now.
    let mut last: Vec<u32> = vec![NONE; values.len()];
    let mut is_fixed = vec![false; values.len()];
    let root = values.root();
    for time in 0..values.n_times() {
        let opcode = values.instruction(time).opcode();
        let is_given = opcode == "parameter" && values.is_of_entry(time);
        let fixes = opcode == "constant" || is_given || Some(time) == root;
        let rank = rank(values.instruction(time));
        for (number, value) in values.all(time).enumerate() {
            let memory = values.find(value);
            is_fixed[memory] |= fixes;
            let array = values.arrays(time).arrays.get(number).and_then(Option::as_ref);
            let Some((bytes, space)) = array.map(|array| (array.bytes, space_of(array))) else {
                continue;
            };
            let named = (time as u32, number as u32);
            // What follows without a gap is one.
            if let Some(buffer) = alive.get_mut(last[memory] as usize)
                && time as u32 <= buffer.end.saturating_add(1)
            {
                buffer.end = buffer.end.max(ends[value]);
                if rank > buffer.rank {
                    (buffer.named, buffer.rank) = (named, rank);
                }
                if bytes > buffer.bytes {
                    (buffer.bytes, buffer.space) = (bytes, space);
                }
                continue;
            }
            last[memory] = alive.len() as u32;
            alive.push(Buffer {
                value: memory as u32,
                bytes,
                space,
                start: time as u32,
                end: ends[value],
                named,
                rank,
            });
        }
    }
    drop(last);
    alive.retain(|buffer| !is_fixed[buffer.value as usize]);
    alive.sort_unstable_by_key(|buffer| (buffer.value, buffer.start, buffer.named));
    // Memory is as large as the largest that is ever there.
    for of_memory in alive.chunk_by_mut(|a, b| a.value == b.value) {
        let mut most = (0, of_memory[0].space);
        for buffer in &*of_memory {
            if buffer.bytes > most.0 {
                most = (buffer.bytes, buffer.space);
            }
        }
        of_memory.iter_mut().for_each(|buffer| (buffer.bytes, buffer.space) = most);
    }
    alive
}

/// What is alive, summed up by a name.
fn by_name(alive: &[Alive], name: impl Fn(&Alive) -> Option<&str>) -> Vec<NamedBytes> {
    let sums = sums(alive.iter().map(|buffer| (name(buffer), buffer.bytes)));
    let named = |(name, bytes, count): (Option<&str>, i64, usize)| NamedBytes {
        name: name.map(str::to_owned),
        bytes,
        count,
    };
    sums.into_iter().map(named).collect()
}

/// What is alive, summed up by the line of the program.
fn by_source(alive: &[Alive]) -> Vec<SourceBytes> {
    let sums = sums(alive.iter().map(|buffer| (buffer.source.as_ref(), buffer.bytes)));
    let sourced = |(source, bytes, count): (Option<&Source>, i64, usize)| SourceBytes {
        source: source.cloned(),
        bytes,
        count,
    };
    sums.into_iter().map(sourced).collect()
}

/// What all of one kind add up to, and how many they are; most first.
fn sums<Kind: Copy + Ord + std::hash::Hash>(
    all: impl Iterator<Item = (Kind, i64)>,
) -> Vec<(Kind, i64, usize)> {
    let mut sums: HashMap<Kind, (i64, usize)> = HashMap::new();
    for (kind, bytes) in all {
        let sum = sums.entry(kind).or_default();
        *sum = (sum.0.saturating_add(bytes), sum.1 + 1);
    }
    let mut sums: Vec<(Kind, i64, usize)> =
        sums.into_iter().map(|(kind, (bytes, count))| (kind, bytes, count)).collect();
    sums.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    sums
}

/// The times below `n_times` at which what the temporaries of a memory space take changes, and what it is
/// from then on. Kept by changes: there may be many spaces, and many times.
fn steps_by_space(
    buffers: &[Buffer],
    end: impl Fn(usize) -> u32,
    n_times: usize,
) -> BTreeMap<i64, Vec<(u32, i64)>> {
    let mut spaces: BTreeMap<i64, Vec<(u32, i64)>> = BTreeMap::new();
    for (number, buffer) in buffers.iter().enumerate().filter(|(_, buffer)| buffer.bytes != 0) {
        let changes = spaces.entry(buffer.space).or_default();
        changes.push((buffer.start, buffer.bytes));
        changes.push((end(number).saturating_add(1), -buffer.bytes));
    }
    for steps in spaces.values_mut() {
        steps.sort_unstable_by_key(|&(time, _)| time);
        let (mut now, mut before) = (0i128, 0i64);
        let mut sums: Vec<(u32, i64)> = Vec::with_capacity(steps.len());
        for changes in steps.chunk_by(|a, b| a.0 == b.0) {
            now += changes.iter().map(|&(_, bytes)| i128::from(bytes)).sum::<i128>();
            let sum = i64::try_from(now).unwrap_or(i64::MAX);
            if sum != before && (changes[0].0 as usize) < n_times {
                sums.push((changes[0].0, sum));
                before = sum;
            }
        }
        *steps = sums;
    }
    spaces
}

/// The most, and when that is first.
fn most(steps: &[(u32, i64)]) -> (i64, u32) {
    let mut most = (0, 0);
    for &(time, sum) in steps {
        if sum > most.0 {
            most = (sum, time);
        }
    }
    most
}

/// How much an instruction says of the memory of its result: nothing if another has written that, little if
/// it sets it up or copies it, most if it comes from a line of the program.
fn rank(instruction: &Instruction<'_>) -> u8 {
    let opcode = instruction.opcode();
    let passes_on = matches!(
        opcode,
        "parameter"
            | "tuple"
            | "get-tuple-element"
            | "bitcast"
            | "while"
            | "conditional"
            | "call"
            | "optimization-barrier"
            | "opt-barrier"
            | "add-dependency"
            | "domain"
    ) || opcode.ends_with("-done")
        || opcode.starts_with("async-");
    let is_allocated = opcode == "custom-call"
        && instruction.attribute("custom_call_target") == Some("\"AllocateBuffer\"");
    let sets_up = is_allocated || matches!(opcode, "copy" | "copy-start" | "broadcast" | "iota");
    match (passes_on, sets_up) {
        (true, _) => 0,
        (_, true) => 1,
        _ if !source::has_metadata(instruction) => 2,
        _ => 3,
    }
}

/// The memory space of an array.
pub(crate) fn space_of(array: &Array) -> i64 {
    array.shape.layout().map_or(0, Layout::memory_space).into()
}

/// The name of a memory space.
pub(crate) fn space_name(space: i64) -> String {
    match space {
        0 => "hbm".to_owned(),
        1 => "vmem".to_owned(),
        5 => "host".to_owned(),
        other => format!("S({other})"),
    }
}
