//! What is in memory at the peak: which buffers of a scheduled module are alive when, by its text alone.
//!
//! The order of lines is the order of execution ([`order`]), and results that pass on or write over the
//! memory of others are one buffer with them ([`values`]). A buffer lives from what writes it first to
//! what reads it last. Of all times, the one at which the temporaries of a memory space take most is its
//! peak. That is XLA's own liveness, before its allocator packs buffers; what it packs takes a little more.

mod order;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;
use tilewright::xla::Layout;

use crate::calls::Runs;
use crate::hint::{self, Fault, Formats, Hint};
use crate::shapes::{Array, Shapes};
use crate::source::{self, Source};
use crate::trips::Names;
use order::Order;
use values::{Values, find};

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
}

/// What is at fault with an array, and what would mend it.
type Advice = (Option<Box<Fault>>, Option<Box<Hint>>);

/// So many arrays are told what is at fault and what would mend it.
const MAX_HINTED: usize = 256;

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
    let shared = shared(&values, &buffers);
    let n_times = order.instructions.len();
    let shared = by_space(&shared, n_times);
    let mut advice: HashMap<Arc<str>, Advice> = HashMap::new();
    let mut all: Vec<(Peak, Timeline)> = Vec::new();
    for (space, sums) in by_space(&buffers, n_times) {
        let (bytes, time) = most(&sums);
        if bytes == 0 {
            continue;
        }
        let of_space = |b: &&Buffer| b.space == space && !b.is_fixed && b.bytes > 0;
        let mut lives: Vec<&Buffer> = buffers.iter().flatten().filter(of_space).collect();
        lives.sort_by_key(|b| (std::cmp::Reverse(b.bytes), b.start));
        let mut described = |b: &Buffer| described(names, &order, &values, b, formats, &mut advice);
        let is_alive = |b: &&&Buffer| b.start <= time && time <= b.end;
        let alive = lives.iter().filter(is_alive).map(|b| described(b)).collect();
        let lives = lives.iter().take(MAX_LIVES);
        let lives =
            lives.map(|b| Life { buffer: described(b), from: b.start, to: b.end }).collect();
        let peak = Peak {
            space: space_name(space),
            bytes,
            bytes_shared: shared.get(&space).map_or(bytes, |sums| most(sums).0),
            at: values.instruction(time as usize).name.to_owned(),
            alive,
        };
        let steps = steps(&sums);
        let timeline = Timeline { space: space_name(space), instructions: n_times, steps, lives };
        all.push((peak, timeline));
    }
    all.sort_by_key(|(peak, _)| std::cmp::Reverse(peak.bytes));
    all.into_iter().unzip()
}

/// The buffers, by the value that all of one are joined to.
fn buffers(values: &mut Values<'_, '_>) -> Vec<Option<Buffer>> {
    let mut buffers: Vec<Option<Buffer>> = vec![None; values.len()];
    let n_times = values.results.len();
    let root = values.root();
    for time in 0..n_times {
        let opcode = values.instruction(time).opcode;
        let is_entry = values.is_of_entry(time);
        let is_fixed =
            opcode == "constant" || opcode == "parameter" && is_entry || Some(time) == root;
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
        for value in
            operands.into_iter().flat_map(|operand| values.all(operand)).collect::<Vec<_>>()
        {
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
        let is_loop =
            instruction.opcode == "fusion" && instruction.attribute("kind") == Some("kLoop");
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
                    b.end == time as u32
                        && !b.is_fixed
                        && b.bytes == to.bytes
                        && b.space == to.space
                };
                (from != result
                    && is_alike(array, other)
                    && shared[from].is_some_and(|b| lends(&b)))
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

/// What the temporaries of each memory space take at each time.
fn by_space(buffers: &[Option<Buffer>], n_times: usize) -> BTreeMap<i64, Vec<i64>> {
    let mut spaces: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for buffer in buffers.iter().flatten().filter(|b| !b.is_fixed) {
        let changes = spaces.entry(buffer.space).or_insert_with(|| vec![0; n_times + 1]);
        let bytes = buffer.bytes;
        for (time, change) in [(buffer.start as usize, bytes), (buffer.end as usize + 1, -bytes)] {
            if let Some(sum) = changes.get_mut(time) {
                *sum = sum.saturating_add(change);
            }
        }
    }
    for changes in spaces.values_mut() {
        changes.truncate(n_times);
        let mut now = 0i64;
        for sum in changes {
            now = now.saturating_add(*sum);
            *sum = now;
        }
    }
    spaces
}

/// The most, and when that is first.
fn most(sums: &[i64]) -> (i64, u32) {
    let mut most = (0, 0);
    for (time, &sum) in sums.iter().enumerate() {
        if sum > most.0 {
            most = (sum, time as u32);
        }
    }
    most
}

/// The times at which a sum changes.
fn steps(sums: &[i64]) -> Vec<(u32, i64)> {
    let mut steps: Vec<(u32, i64)> = Vec::new();
    for (time, &sum) in sums.iter().enumerate() {
        if steps.last().map_or(0, |&(_, last)| last) != sum {
            steps.push((time as u32, sum));
        }
    }
    steps
}

fn described<'a>(
    names: &Names<'_, 'a>,
    order: &Order,
    values: &Values<'_, 'a>,
    buffer: &Buffer,
    formats: &dyn Formats,
    known: &mut HashMap<Arc<str>, Advice>,
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
    let padded = array.filter(|array| array.padding_bytes() > 0);
    let (fault, hint) = padded.map_or((None, None), |array| {
        if known.len() >= MAX_HINTED && !known.contains_key(&array.text) {
            return (None, None);
        }
        let advice = known.entry(Arc::clone(&array.text)).or_insert_with(|| {
            let hint = hint::hint(&array.shape, formats).map(Box::new);
            (hint::fault(&array.shape).map(Box::new), hint)
        });
        advice.clone()
    });
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

/// Whether a result is memory that another instruction has written.
fn passes_on(opcode: &str) -> bool {
    matches!(
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
        || opcode.starts_with("async-")
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
