//! What is in memory at the peak: which buffers of a scheduled module are alive when, by its text alone.
//!
//! The order of lines is the order of execution ([`order`]), and results that pass on or write over the
//! memory of others are one buffer with them ([`values`]). A buffer lives from what writes it first to
//! what reads it last. Of all times, the one at which the temporaries of a memory space take most is its
//! peak. That is XLA's own liveness, before its allocator packs buffers; what it packs takes a little more.

mod order;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;
use tilewright::xla::Layout;

use crate::calls::Runs;
use crate::hint::{Adviser, Fault, Formats, Hint};
use crate::module::Instruction;
use crate::shapes::{Array, Shapes};
use crate::source::{self, Source};
use crate::trips::Names;
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
    /// The line of the module, the first being 1.
    pub line: u32,
    /// The instruction that reads it last.
    pub until: String,
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
const MAX_LIVES: usize = 256;

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

/// What the temporaries of a scheduled module take, space by space, those that take most first: at their
/// peak, and all the time.
pub(crate) fn lives<'a>(
    names: &Names<'_, 'a>,
    runs: &[Runs],
    shapes: &mut Shapes<'a>,
    formats: &dyn Formats,
) -> (Vec<Peak>, Vec<Timeline>) {
    let order = Order::of(names, runs);
    let mut values = Values::of(names, &order, shapes);
    let buffers = buffers(&mut values);
    let shared = shared(&mut values, &buffers);
    let n_times = order.instructions.len();
    let shared = steps_by_space(&shared, n_times);
    let mut adviser = Adviser::new(formats);
    let mut all: Vec<(Peak, Timeline)> = Vec::new();
    for (space, steps) in steps_by_space(&buffers, n_times) {
        let (bytes, time) = most(&steps);
        if bytes == 0 {
            continue;
        }
        let of_space = |b: &&Buffer| b.space == space && b.bytes > 0;
        let mut lives: Vec<&Buffer> = buffers.iter().filter(of_space).collect();
        lives.sort_by_key(|b| (std::cmp::Reverse(b.bytes), b.start));
        let mut described = |b: &Buffer| described(names, &order, &values, b, &mut adviser);
        let is_alive = |b: &&&Buffer| b.start <= time && time <= b.end;
        let alive: Vec<Alive> = lives.iter().filter(is_alive).map(|b| described(b)).collect();
        let lives = lives.iter().take(MAX_LIVES);
        let lives =
            lives.map(|b| Life { buffer: described(b), from: b.start, to: b.end }).collect();
        let peak = Peak {
            space: space_name(space),
            bytes,
            bytes_shared: shared.get(&space).map_or(bytes, |steps| most(steps).0),
            at: values.instruction(time as usize).name.to_owned(),
            by_source: by_source(&alive),
            alive,
        };
        let timeline = Timeline { space: space_name(space), instructions: n_times, steps, lives };
        all.push((peak, timeline));
    }
    all.sort_by_key(|(peak, _)| std::cmp::Reverse(peak.bytes));
    all.into_iter().unzip()
}

/// What is alive when, in the order of memory and time. Nothing of parameters, constants and results.
fn buffers(values: &mut Values<'_, '_>) -> Vec<Buffer> {
    let mut alive: Vec<Buffer> = Vec::with_capacity(values.len());
    let mut is_fixed = vec![false; values.len()];
    let ends = values.ends();
    let root = values.root();
    for time in 0..values.results.len() {
        let opcode = values.instruction(time).opcode;
        let is_given = opcode == "parameter" && values.is_of_entry(time);
        let fixes = opcode == "constant" || is_given || Some(time) == root;
        let rank = rank(values.instruction(time));
        let flat = Rc::clone(&values.results[time].0);
        for (number, value) in values.all(time).enumerate() {
            let memory = values.find(value);
            is_fixed[memory] |= fixes;
            let Some(array) = flat.arrays.get(number).and_then(Option::as_ref) else { continue };
            alive.push(Buffer {
                value: memory as u32,
                bytes: array.bytes,
                space: space_of(array),
                start: time as u32,
                end: ends[value],
                named: (time as u32, number as u32),
                rank,
            });
        }
    }
    alive.retain(|buffer| !is_fixed[buffer.value as usize]);
    alive.sort_by_key(|buffer| (buffer.value, buffer.start));
    let mut most: HashMap<u32, (i64, i64)> = HashMap::new();
    for buffer in &alive {
        let most = most.entry(buffer.value).or_insert((0, buffer.space));
        if buffer.bytes > most.0 {
            *most = (buffer.bytes, buffer.space);
        }
    }
    // What follows without a gap is one.
    alive.dedup_by(|next, buffer| {
        let goes_on = next.value == buffer.value && next.start <= buffer.end.saturating_add(1);
        if goes_on {
            buffer.end = buffer.end.max(next.end);
            if next.rank > buffer.rank {
                (buffer.named, buffer.rank) = (next.named, next.rank);
            }
        }
        goes_on
    });
    for buffer in &mut alive {
        (buffer.bytes, buffer.space) = most[&buffer.value];
    }
    alive
}

/// The same where an instruction writes its result over an operand that it reads last: as the compiler says
/// that it does, or where an element-wise fusion may.
fn shared(values: &mut Values<'_, '_>, buffers: &[Buffer]) -> Vec<Buffer> {
    let mut shared = buffers.to_vec();
    // The buffer of a value that lives at a time.
    let at = |value: u32, time: u32| {
        let after = buffers.partition_point(|b| (b.value, b.start) <= (value, time));
        let found = after.checked_sub(1).filter(|&n| buffers[n].value == value);
        found.filter(|&n| time <= buffers[n].end)
    };
    for time in 0..values.results.len() {
        let instruction = values.instruction(time);
        let now = time as u32;
        for (operand, result) in lent(values, time, instruction) {
            let [from, to] = [operand, result].map(|value| values.find(value) as u32);
            let (Some(from), Some(to)) = (at(from, now), at(to, now)) else { continue };
            let (lender, taker) = (buffers[from], buffers[to]);
            // Both are there now, the one for the last and the other for the first time.
            let takes_over = from != to && lender.end == now && taker.start == now;
            if takes_over && lender.space == taker.space && shared[from].end == now {
                shared[from].end = now.saturating_sub(1);
            }
        }
    }
    shared
}

/// The values that an instruction may write over others: of its operands, and of its result.
fn lent(
    values: &Values<'_, '_>,
    time: usize,
    instruction: &Instruction<'_>,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let all = values.all(time);
    let operands = || values.operands(time);
    let is_fusion = instruction.opcode == "fusion";
    if instruction.opcode == "custom-call"
        && instruction.attribute("custom_call_target") == Some("\"ConcatBitcast\"")
    {
        // The parts are where the whole is.
        let parts = operands().flat_map(|operand| values.all(operand));
        pairs.extend(parts.map(|part| (part, all.start)));
    }
    if is_fusion && instruction.attribute("kind") == Some("kLoop") {
        let flat = &values.results[time].0;
        for (value, array) in all.clone().zip(&flat.arrays) {
            let Some(array) = array else { continue };
            for operand in operands() {
                let other = values.results[operand].0.arrays.first().and_then(Option::as_ref);
                if other.is_some_and(|other| other.bytes == array.bytes && is_alike(array, other)) {
                    pairs.push((values.all(operand).start, value));
                }
            }
        }
    }
    if is_fusion || instruction.opcode == "custom-call" {
        let given: Vec<usize> = operands().collect();
        for (operand, result) in source::aliased_operands(instruction, given.len()) {
            let operand = given.get(operand).map(|&operand| values.all(operand).start);
            if let Some(operand) = operand.filter(|_| result < all.len()) {
                pairs.push((operand, all.start + result));
            }
        }
    }
    pairs
}

/// Whether the elements of two arrays lie alike.
fn is_alike(a: &Array, b: &Array) -> bool {
    let order = |array: &Array| array.shape.layout().map(|l| l.minor_to_major().clone());
    a.shape.dims() == b.shape.dims() && order(a) == order(b)
}

/// What is alive, summed up by the line of the program.
fn by_source(alive: &[Alive]) -> Vec<SourceBytes> {
    let mut sums: HashMap<Option<&Source>, (i64, usize)> = HashMap::new();
    for buffer in alive {
        let sum = sums.entry(buffer.source.as_ref()).or_default();
        *sum = (sum.0.saturating_add(buffer.bytes), sum.1 + 1);
    }
    let sum = |(source, (bytes, count)): (Option<&Source>, (i64, usize))| SourceBytes {
        source: source.cloned(),
        bytes,
        count,
    };
    let mut all: Vec<SourceBytes> = sums.into_iter().map(sum).collect();
    all.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.source.cmp(&b.source)));
    all
}

/// The times below `n_times` at which what the temporaries of a memory space take changes, and what it is
/// from then on. Kept by changes: there may be many spaces, and many times.
fn steps_by_space(buffers: &[Buffer], n_times: usize) -> BTreeMap<i64, Vec<(u32, i64)>> {
    let mut spaces: BTreeMap<i64, Vec<(u32, i64)>> = BTreeMap::new();
    for buffer in buffers.iter().filter(|buffer| buffer.bytes != 0) {
        let changes = spaces.entry(buffer.space).or_default();
        changes.push((buffer.start, buffer.bytes));
        changes.push((buffer.end.saturating_add(1), -buffer.bytes));
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

fn described<'a>(
    names: &Names<'_, 'a>,
    order: &Order,
    values: &Values<'_, 'a>,
    buffer: &Buffer,
    adviser: &mut Adviser<'_>,
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
    let (fault, hint) = array.map_or((None, None), |array| adviser.on(array));
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
        fault,
        hint,
    }
}

/// How much an instruction says of the memory of its result: nothing if another has written that, little if
/// it sets it up or copies it, most if it comes from a line of the program.
fn rank(instruction: &Instruction<'_>) -> u8 {
    let opcode = instruction.opcode;
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
        _ if !instruction.attributes.contains("metadata={") => 2,
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
