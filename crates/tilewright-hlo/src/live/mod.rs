//! What is in memory at the peak: which buffers of a scheduled module are alive when, by its text alone.
//!
//! The order of lines is the order of execution ([`order`]), and results that pass on or write over the
//! memory of others are one buffer with them ([`values`]). A buffer lives from what writes it first to
//! what reads it last. Of all times, the one at which the temporaries of a memory space take most is its
//! peak. That is XLA's own liveness, before its allocator packs buffers; what it packs takes a little more.

mod order;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use tilewright::xla::Layout;

use crate::calls::Runs;
use crate::shapes::{Array, Shapes};
use crate::source::{self, Source};
use crate::trips::Names;
use order::Order;
use values::{Values, find};

/// The most that is alive at once in a memory space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
}

/// A buffer that is alive at a peak.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// The line of the module, the first being 1.
    pub line: u32,
    /// The instruction that reads it last.
    pub until: String,
}

/// A piece of memory.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    bytes: i64,
    space: i64,
    /// The times of what writes it first and of what reads it last.
    start: u32,
    end: u32,
    /// The time of what it is named after, and which of its results.
    named: (u32, u32),
    /// Whether it is a parameter, a constant, or part of the result.
    is_fixed: bool,
    /// Whether `named` only passes memory on.
    is_passed_on: bool,
}

/// What the temporaries of a scheduled module take at their peak, space by space; the largest first. Nothing
/// if the module is not scheduled.
pub(crate) fn peaks<'a>(names: &Names<'_, 'a>, runs: &[Runs], shapes: &mut Shapes<'a>) -> Vec<Peak> {
    let order = Order::of(names, runs);
    let mut values = Values::of(names, &order, shapes);
    let buffers = buffers(&mut values);
    let shared = shared(&values, &buffers);
    let n_times = order.instructions.len();
    let mut peaks: Vec<Peak> = Vec::new();
    let spaces = most_by_space(&buffers, n_times);
    let spaces_shared = most_by_space(&shared, n_times);
    for (&space, &(bytes, time)) in &spaces {
        let is_alive = |b: &&Buffer| {
            b.space == space && !b.is_fixed && b.start <= time && time <= b.end && b.bytes > 0
        };
        let mut alive: Vec<&Buffer> = buffers.iter().flatten().filter(is_alive).collect();
        alive.sort_by_key(|b| (std::cmp::Reverse(b.bytes), b.start));
        peaks.push(Peak {
            space: space_name(space),
            bytes,
            bytes_shared: spaces_shared.get(&space).map_or(bytes, |&(bytes, _)| bytes),
            at: values.instruction(time as usize).name.to_owned(),
            alive: alive.into_iter().map(|b| described(names, &order, &values, b)).collect(),
        });
    }
    peaks.sort_by_key(|peak| std::cmp::Reverse(peak.bytes));
    peaks
}

/// The buffers, by the value that all of one are joined to.
fn buffers(values: &mut Values<'_, '_>) -> Vec<Option<Buffer>> {
    let mut buffers: Vec<Option<Buffer>> = vec![None; values.len()];
    let n_times = values.results.len();
    let root = values.root();
    for time in 0..n_times {
        let opcode = values.instruction(time).opcode;
        let is_entry = values.is_of_entry(time);
        let is_fixed = opcode == "constant" || opcode == "parameter" && is_entry || Some(time) == root;
        let passes_on = passes_on(opcode);
        let flat = std::rc::Rc::clone(&values.results[time].0);
        for (number, value) in values.all(time).enumerate() {
            let buffer = values.find(value);
            let Some(array) = flat.arrays.get(number).and_then(Option::as_ref) else { continue };
            let here = Buffer {
                bytes: array.bytes,
                space: space_of(array),
                start: time as u32,
                end: time as u32,
                named: (time as u32, number as u32),
                is_fixed,
                is_passed_on: passes_on,
            };
            match &mut buffers[buffer] {
                None => buffers[buffer] = Some(here),
                Some(all) => {
                    all.start = all.start.min(here.start);
                    all.is_fixed |= is_fixed;
                    if all.is_passed_on && !passes_on {
                        (all.named, all.is_passed_on) = (here.named, false);
                    }
                    if here.bytes > all.bytes {
                        (all.bytes, all.space) = (here.bytes, here.space);
                    }
                }
            }
        }
        // What only names part of a tuple does not read it.
        if matches!(opcode, "tuple" | "get-tuple-element") {
            continue;
        }
        let operands: Vec<usize> = values.operands(time).collect();
        for value in operands.into_iter().flat_map(|operand| values.all(operand)).collect::<Vec<_>>() {
            let buffer = values.find(value);
            if let Some(buffer) = &mut buffers[buffer] {
                buffer.end = buffer.end.max(time as u32);
            }
        }
    }
    buffers
}

/// The same where operands that die in an element-wise fusion lend their memory to its result.
fn shared(values: &Values<'_, '_>, buffers: &[Option<Buffer>]) -> Vec<Option<Buffer>> {
    let mut parents = values.parents().to_vec();
    let mut shared = buffers.to_vec();
    for time in 0..values.results.len() {
        let instruction = values.instruction(time);
        let is_loop = instruction.opcode == "fusion" && instruction.attribute("kind") == Some("kLoop");
        if !is_loop {
            continue;
        }
        let flat = &values.results[time].0;
        for (number, value) in values.all(time).enumerate() {
            let Some(array) = flat.arrays.get(number).and_then(Option::as_ref) else { continue };
            let result = find(&mut parents, value);
            let Some(to) = shared[result].filter(|b| b.start == time as u32 && !b.is_fixed) else {
                continue;
            };
            let lender = values.operands(time).find_map(|operand| {
                let flat = &values.results[operand].0;
                let mut all = values.all(operand).zip(&flat.arrays);
                let (value, Some(other)) = all.next()? else { return None };
                let from = find(&mut parents, value);
                let lends = |b: &Buffer| {
                    b.end == time as u32 && !b.is_fixed && b.bytes == to.bytes && b.space == to.space
                };
                (from != result && is_alike(array, other) && shared[from].is_some_and(|b| lends(&b)))
                    .then_some(from)
            });
            let Some(from) = lender else { continue };
            let Some(lent) = shared[from] else { continue };
            let (kept, gone) = (from.min(result), from.max(result));
            parents[gone] = kept as u32;
            shared[gone] = None;
            shared[kept] = Some(Buffer { start: lent.start, end: to.end, ..lent });
        }
    }
    shared
}

/// Whether the elements of two arrays lie alike.
fn is_alike(a: &Array, b: &Array) -> bool {
    let order = |array: &Array| array.shape.layout().map(|l| l.minor_to_major().clone());
    a.shape.dims() == b.shape.dims() && order(a) == order(b)
}

/// The most that the temporaries of each memory space take at once, and when that is first.
fn most_by_space(buffers: &[Option<Buffer>], n_times: usize) -> BTreeMap<i64, (i64, u32)> {
    let mut changes: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for buffer in buffers.iter().flatten().filter(|b| !b.is_fixed) {
        let changes = changes.entry(buffer.space).or_insert_with(|| vec![0; n_times + 1]);
        let bytes = buffer.bytes;
        for (time, change) in [(buffer.start as usize, bytes), (buffer.end as usize + 1, -bytes)] {
            if let Some(sum) = changes.get_mut(time) {
                *sum = sum.saturating_add(change);
            }
        }
    }
    let most = |changes: &Vec<i64>| {
        let (mut now, mut most) = (0i64, (0, 0));
        for (time, change) in changes.iter().take(n_times).enumerate() {
            now = now.saturating_add(*change);
            if now > most.0 {
                most = (now, time as u32);
            }
        }
        most
    };
    changes.iter().map(|(&space, changes)| (space, most(changes))).filter(|(_, m)| m.0 > 0).collect()
}

fn described<'a>(
    names: &Names<'_, 'a>,
    order: &Order,
    values: &Values<'_, 'a>,
    buffer: &Buffer,
) -> Alive {
    let module = names.module;
    let (time, number) = (buffer.named.0 as usize, buffer.named.1 as usize);
    let instruction = values.instruction(time);
    let flat = &values.results[time].0;
    let array = flat.arrays.get(number).and_then(Option::as_ref);
    let path: Vec<String> =
        flat.paths.get(number).into_iter().flatten().map(u32::to_string).collect();
    let name = match path.is_empty() {
        true => instruction.name.to_owned(),
        false => format!("{}{{{}}}", instruction.name, path.join(",")),
    };
    let place = order.instructions.get(time).copied().unwrap_or(0);
    let computation = module.computations.get(names.computation_of(place));
    Alive {
        name,
        text: array.map_or_else(|| "".into(), |array| Arc::clone(&array.text)),
        bytes: buffer.bytes,
        padding_bytes: array.map_or(0, |array| array.padding_bytes()),
        op: instruction.opcode.to_owned(),
        computation: computation.map_or("", |c| c.name).to_owned(),
        source: module.sources.of(instruction),
        op_name: source::op_name(instruction).map(str::to_owned),
        line: instruction.line,
        until: values.instruction(buffer.end as usize).name.to_owned(),
    }
}

/// Whether a result is memory that another instruction has written.
fn passes_on(opcode: &str) -> bool {
    matches!(
        opcode,
        "parameter" | "tuple" | "get-tuple-element" | "bitcast" | "while" | "conditional" | "call"
            | "optimization-barrier" | "opt-barrier" | "add-dependency" | "domain"
    ) || opcode.ends_with("-done")
        || opcode.starts_with("async-")
}

fn space_of(array: &Array) -> i64 {
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
