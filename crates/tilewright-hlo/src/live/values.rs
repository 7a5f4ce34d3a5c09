//! Which results are one piece of memory.
//!
//! Every array of every result is a value. Values that the program only passes on, or writes over in
//! place, are joined: what is left are buffers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::order::{Order, callees};
use crate::module::{Aliased, Instruction, Module, aliased};
use crate::names::Names;
use crate::shapes::{self, Array, Shapes};
use hashbrown::HashMap;

/// The arrays of a shape's text.
#[derive(Debug)]
pub(super) struct Flat {
    /// Each, if it could be read.
    pub(super) arrays: Vec<Option<Rc<Array>>>,
    /// Where it is in the outermost tuple.
    tops: Vec<u32>,
    /// Its name in a result called so.
    pub(super) paths: Vec<Vec<u32>>,
}

/// The values of a module's scheduled instructions.
pub(super) struct Values<'m, 'a> {
    module: &'m Module<'a>,
    names: &'m Names<'m, 'a>,
    order: &'m Order,
    /// The number of the entry computation, and its instructions.
    entry: Option<(usize, Range<usize>)>,
    /// What results are: each shape's arrays, once for each text.
    flats: Vec<Flat>,
    /// Of each scheduled instruction, by its time, which of these its result is and the number of its first value.
    results: Vec<(u32, u32)>,
    /// Its operands: those of time `t` begin at `starts[t]`. Numbers in [`Module::instructions`].
    operands: Vec<u32>,
    starts: Vec<u32>,
    /// The value that each is joined to, itself if to none.
    parents: Vec<u32>,
    /// The parameters of each computation that is scheduled, by their numbers, and its root.
    frames: Vec<Frame>,
    /// Which parameter each result of a fusion's computation is written over.
    in_place: HashMap<usize, Vec<Option<usize>>>,
}

#[derive(Clone, Debug, Default)]
struct Frame {
    parameters: BTreeMap<usize, usize>,
    root: Option<usize>,
}

impl<'m, 'a> Values<'m, 'a> {
    pub(super) fn of(names: &'m Names<'m, 'a>, order: &'m Order, shapes: &mut Shapes<'a>) -> Self {
        let mut values = Values {
            module: names.module,
            names,
            order,
            entry: names.module.computations.iter().enumerate().find_map(
                |(number, computation)| {
                    computation.is_entry.then(|| (number, computation.instructions.clone()))
                },
            ),
            flats: Vec::new(),
            results: Vec::with_capacity(order.instructions.len()),
            operands: Vec::new(),
            starts: vec![0],
            parents: Vec::new(),
            frames: vec![Frame::default(); names.module.computations.len()],
            in_place: HashMap::new(),
        };
        values.read(shapes);
        for time in 0..order.instructions.len() {
            values.join_of(time);
        }
        values.join_donated();
        values
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// How many instructions run one by one: times are below this.
    pub(super) fn n_times(&self) -> usize {
        self.results.len()
    }

    /// The arrays of the result of the instruction that runs at a time.
    pub(super) fn arrays(&self, time: usize) -> &Flat {
        &self.flats[self.results[time].0 as usize]
    }

    /// The instruction that runs at a time.
    pub(super) fn instruction(&self, time: usize) -> &'m Instruction<'a> {
        &self.module.instructions[self.number(time)]
    }

    /// The operands of the instruction that runs at a time, as times.
    pub(super) fn operands(&self, time: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.starts[time] as usize..self.starts[time + 1] as usize;
        self.operands[range].iter().filter_map(|&operand| self.time(operand as usize))
    }

    /// The values of the result of the instruction that runs at a time.
    pub(super) fn all(&self, time: usize) -> Range<usize> {
        let first = self.first(time);
        first..first + self.arrays(time).arrays.len()
    }

    /// The number of its first value.
    fn first(&self, time: usize) -> usize {
        self.results[time].1 as usize
    }

    /// The number of the instruction that runs at a time.
    fn number(&self, time: usize) -> usize {
        self.order.instructions[time] as usize
    }

    /// The time of the entry's root.
    pub(super) fn root(&self) -> Option<usize> {
        let (entry, _) = self.entry.as_ref()?;
        self.time(self.frames.get(*entry)?.root?)
    }

    /// Whether the instruction that runs at a time is one of the entry's.
    pub(super) fn is_of_entry(&self, time: usize) -> bool {
        let number = self.number(time);
        self.entry.as_ref().is_some_and(|(_, entry)| entry.contains(&number))
    }

    /// The value that all joined to one have in common.
    pub(super) fn find(&mut self, value: usize) -> usize {
        let mut value = value;
        loop {
            let parent = self.parents[value] as usize;
            if parent == value {
                return value;
            }
            self.parents[value] = self.parents[parent];
            value = parent;
        }
    }

    /// When each value is read last.
    ///
    /// What goes into a loop is read where the loop begins; what comes into one of its computations is
    /// there until that one ends, if it is the condition's or the body's to keep.
    pub(super) fn ends(&self) -> Vec<u32> {
        let mut ends = vec![0u32; self.len()];
        for time in 0..self.n_times() {
            for value in self.all(time) {
                ends[value] = ends[value].max(time as u32);
            }
            let instruction = self.instruction(time);
            let read = match instruction.opcode() {
                "while" => self.begins(time),
                _ => time,
            } as u32;
            let part = match instruction.opcode() {
                "get-tuple-element" => {
                    instruction.attribute("index").and_then(|index| index.parse().ok())
                }
                _ => None,
            };
            for operand in self.operands(time) {
                let values = match part {
                    Some(part) => self.part(operand, part),
                    None => self.all(operand),
                };
                for value in values {
                    ends[value] = ends[value].max(read);
                }
            }
            if instruction.opcode() == "while" {
                self.keep_through(instruction, &mut ends);
            }
        }
        ends
    }

    /// The time at which a loop's first instruction runs.
    fn begins(&self, time: usize) -> usize {
        let first = callees(self.names, self.number(time)).into_iter().next();
        let range = first.and_then(|first| self.module.computations.get(first));
        let first = range.and_then(|computation| self.time(computation.instructions.start));
        first.filter(|&first| first < time).unwrap_or(time)
    }

    /// What a loop's condition is given is there for the body, and what the body gives for the next time.
    fn keep_through(&self, instruction: &Instruction<'a>, ends: &mut [u32]) {
        let frame = |attribute| {
            let computation = self.names.named(instruction, attribute)?;
            let end = self.module.computations.get(computation)?.instructions.end;
            let last = self.time(end.checked_sub(1)?)? as u32;
            Some((self.frames.get(computation)?, last))
        };
        let mut keep = |instruction: Option<usize>, last: u32| {
            let time = instruction.and_then(|instruction| self.time(instruction));
            for value in time.map(|time| self.all(time)).into_iter().flatten() {
                ends[value] = ends[value].max(last);
            }
        };
        let body = frame("body");
        let given = body.and_then(|(frame, _)| frame.parameters.get(&0).copied());
        let given = given.and_then(|parameter| self.time(parameter)).unwrap_or(0) as u32;
        if let Some((frame, last)) = frame("condition") {
            keep(frame.parameters.get(&0).copied(), last.max(given));
        }
        if let Some((frame, last)) = body {
            keep(frame.root, last);
        }
    }

    fn time(&self, instruction: usize) -> Option<usize> {
        let time = *self.order.times.get(instruction)?;
        (time != Order::NEVER).then_some(time as usize)
    }

    /// Those of them that are at a place of the outermost tuple.
    fn part(&self, time: usize, top: u32) -> Range<usize> {
        let (flat, first) = (self.arrays(time), self.first(time));
        let start = flat.tops.partition_point(|&t| t < top);
        let end = flat.tops.partition_point(|&t| t <= top);
        first + start..first + end
    }

    /// Reads results and operands.
    fn read(&mut self, shapes: &mut Shapes<'a>) {
        let mut flats: HashMap<&'a str, u32> = HashMap::new();
        let mut here = 0;
        for &number in &self.order.instructions {
            let number = number as usize;
            let instruction = &self.module.instructions[number];
            let flat = *flats.entry(instruction.shape()).or_insert_with(|| {
                self.flats.push(Flat::of(instruction.shape(), shapes));
                self.flats.len() as u32 - 1
            });
            let first = self.parents.len() as u32;
            self.results.push((flat, first));
            let n = self.flats[flat as usize].arrays.len() as u32;
            self.parents.extend(first..first + n);
            // What runs one after the other is mostly in one computation.
            if !self.module.computations[here].instructions.contains(&number) {
                here = self.names.computation_of(number);
            }
            let frame = &mut self.frames[here];
            if instruction.opcode() == "parameter" {
                if let Some(parameter) = instruction.parameter_number() {
                    frame.parameters.insert(parameter, number);
                }
            } else if instruction.opcode() != "constant" {
                let operands = instruction.operands();
                self.operands
                    .extend(operands.filter_map(|o| Some(self.names.find(here, o.name)? as u32)));
            }
            if instruction.is_root() {
                frame.root = Some(number);
            }
            self.starts.push(self.operands.len() as u32);
        }
    }

    fn join(&mut self, a: Range<usize>, b: Range<usize>) {
        if a.len() != b.len() {
            return;
        }
        for (a, b) in a.zip(b) {
            let (a, b) = (self.find(a), self.find(b));
            // The earlier one stays: it is what writes the buffer first.
            self.parents[a.max(b)] = a.min(b) as u32;
        }
    }

    /// Joins values one after the other with those of several instructions.
    fn join_each(&mut self, all: Range<usize>, times: &[usize]) {
        let n: usize = times.iter().map(|&time| self.all(time).len()).sum();
        if n != all.len() {
            return;
        }
        let mut first = all.start;
        for &time in times {
            let other = self.all(time);
            let end = first + other.len();
            self.join(first..end, other);
            first = end;
        }
    }

    /// Joins what an instruction only passes on, or writes in place.
    fn join_of(&mut self, time: usize) {
        let instruction = self.instruction(time);
        let operands: Vec<usize> = self.operands(time).collect();
        let all = self.all(time);
        let first = operands.first().copied();
        match instruction.opcode() {
            "tuple" => self.join_each(all, &operands),
            "get-tuple-element" => {
                let index = instruction.attribute("index").and_then(|index| index.parse().ok());
                if let (Some(operand), Some(index)) = (first, index) {
                    let part = self.part(operand, index);
                    self.join(all, part);
                }
            }
            "bitcast"
            | "optimization-barrier"
            | "opt-barrier"
            | "domain"
            | "add-dependency"
            | "dynamic-update-slice" => self.join_first(all, first),
            "async-update" => self.join_updated(time, instruction, &operands),
            "scatter" => {
                let n = all.len().min(operands.len());
                self.join_each(all, &operands[..n]);
            }
            "while" | "conditional" | "call" | "async-start" => {
                self.join_called(time, instruction, &operands);
            }
            "fusion" | "custom-call" => self.join_written_over(time, instruction, &operands),
            "copy-start" => {
                let part = self.part(time, 1);
                self.join_first(part, first);
            }
            "copy-done" | "recv-done" => {
                if let Some(start) = first {
                    let part = self.part(start, 0);
                    let all = if all.len() > part.len() { self.part(time, 0) } else { all };
                    self.join(all, part);
                }
            }
            "send" => {
                let part = self.part(time, 0);
                self.join_first(part, first);
            }
            opcode if opcode.ends_with("-start") && opcode != "all-reduce-start" => {
                let part = self.part(time, 0);
                if part.len() < all.len() {
                    self.join_each(part, &operands);
                }
            }
            opcode if opcode.ends_with("-done") => {
                let Some(start) = first else { return };
                let whole = self.all(start);
                let part = match self.instruction(start).opcode() {
                    "all-reduce-start" => whole,
                    _ if self.part(start, 0) == whole => whole,
                    _ => self.part(start, 1),
                };
                self.join(all, part);
            }
            _ => {}
        }
    }

    /// Joins what goes on with an asynchronous computation. Operands may come only now; its result is then
    /// the computation's.
    fn join_updated(&mut self, time: usize, instruction: &Instruction<'a>, operands: &[usize]) {
        let all = self.all(time);
        let Some((&start, given)) = operands.split_first() else { return };
        if all.len() == self.all(start).len() {
            return self.join_first(all, Some(start));
        }
        let part = self.part(time, 0);
        self.join_each(part, given);
        let callee = self.names.named(self.instruction(start), "calls");
        let root = callee.and_then(|callee| self.frames.get(callee)?.root);
        if let Some(root) = root.and_then(|root| self.time(root)) {
            let (result, root) = (self.part(time, 1), self.all(root));
            self.join(result, root);
        }
        self.join_aliases(time, instruction, operands);
    }

    fn join_first(&mut self, all: Range<usize>, operand: Option<usize>) {
        if let Some(operand) = operand {
            let operand = self.all(operand);
            self.join(all, operand);
        }
    }

    /// Joins what goes into computations and comes out of them.
    fn join_called(&mut self, time: usize, instruction: &Instruction<'a>, operands: &[usize]) {
        let all = self.all(time);
        let callees = callees(self.names, self.number(time));
        let body = self.names.named(instruction, "body");
        let result = match instruction.opcode() {
            "async-start" => {
                let part = self.part(time, 0);
                self.join_each(part, operands);
                self.part(time, 1)
            }
            "while" => {
                self.join_first(all.clone(), operands.first().copied());
                all
            }
            _ => all,
        };
        for (branch, &callee) in callees.iter().enumerate() {
            // A conditional's first operand chooses among the branches.
            let given: Vec<usize> = match instruction.opcode() {
                "conditional" => operands.get(1 + branch).copied().into_iter().collect(),
                _ => operands.to_vec(),
            };
            let Some(frame) = self.frames.get(callee) else { continue };
            let parameters: Vec<Option<usize>> = (0..given.len())
                .map(|n| frame.parameters.get(&n).and_then(|&p| self.time(p)))
                .collect();
            let root = frame.root.and_then(|root| self.time(root));
            for (&given, parameter) in given.iter().zip(parameters) {
                let Some(parameter) = parameter else { continue };
                let (given, parameter) = (self.all(given), self.all(parameter));
                self.join(given, parameter);
            }
            let gives = instruction.opcode() != "while" || Some(callee) == body;
            if let Some(root) = root.filter(|_| gives) {
                let root = self.all(root);
                self.join(result.clone(), root);
            }
        }
    }

    /// Joins the results that are written over operands.
    fn join_written_over(
        &mut self,
        time: usize,
        instruction: &Instruction<'a>,
        operands: &[usize],
    ) {
        let all = self.all(time);
        let callee = match instruction.opcode() {
            "fusion" => self.names.named(instruction, "calls"),
            _ => None,
        };
        if let Some(callee) = callee {
            if !self.in_place.contains_key(&callee) {
                let over = written_over(self.names, callee);
                self.in_place.insert(callee, over);
            }
            let over = self.in_place.get(&callee).cloned().unwrap_or_default();
            if over.len() == all.len() {
                for (value, parameter) in all.clone().zip(over) {
                    let Some(&operand) = parameter.and_then(|p| operands.get(p)) else { continue };
                    let operand = self.all(operand);
                    self.join(value..value + 1, operand);
                }
            }
        }
        self.join_aliases(time, instruction, operands);
    }

    /// Joins what the text says is in one place.
    fn join_aliases(&mut self, time: usize, instruction: &Instruction<'a>, operands: &[usize]) {
        let Some(aliases) = instruction.attribute("output_to_operand_aliasing") else { return };
        for Aliased { output, operand, path } in aliased(aliases) {
            let Some(&operand) = operands.get(operand) else { continue };
            let to = self.at(time, &output);
            let from = self.at(operand, &path);
            self.join(to, from);
        }
    }

    /// The values under a path of tuple positions.
    fn at(&self, time: usize, path: &[u32]) -> Range<usize> {
        let (flat, first) = (self.arrays(time), self.first(time));
        // They are in order.
        let start = flat.paths.partition_point(|other| other.as_slice() < path);
        let n = flat.paths[start..].iter().take_while(|other| other.starts_with(path)).count();
        first + start..first + start + n
    }

    /// The memory of a parameter, and of the result that could take it.
    pub(super) fn donated(&mut self, alias: &Aliased) -> Option<[usize; 2]> {
        let (entry, _) = self.entry.as_ref()?;
        let parameter = *self.frames.get(*entry)?.parameters.get(&alias.operand)?;
        let parameter = self.time(parameter)?;
        let [from, to] = [self.at(parameter, &alias.path), self.at(self.root()?, &alias.output)];
        Some([self.find(from.min()?), self.find(to.min()?)])
    }

    /// Joins the entry's results with the parameters whose memory they take.
    fn join_donated(&mut self) {
        let Some(aliases) = self.module.attribute("input_output_alias") else { return };
        let Some((entry, _)) = self.entry.clone() else { return };
        let Some(root) = self.root() else { return };
        for Aliased { output, operand, path } in aliased(aliases) {
            let parameter = self.frames.get(entry).and_then(|f| f.parameters.get(&operand));
            let Some(parameter) = parameter.and_then(|&p| self.time(p)) else { continue };
            let (to, from) = (self.at(root, &output), self.at(parameter, &path));
            self.join(to, from);
        }
    }
}

impl Flat {
    fn of<'a>(text: &'a str, shapes: &mut Shapes<'a>) -> Self {
        let mut flat = Flat { arrays: Vec::new(), tops: Vec::new(), paths: Vec::new() };
        for leaf in shapes::arrays(text) {
            flat.arrays.push(shapes.array(leaf.text));
            flat.tops.push(leaf.path.first().copied().unwrap_or(0));
            flat.paths.push(leaf.path);
        }
        flat
    }
}

/// Which parameter each result of a computation is written over, seen through bitcasts: the operand of an
/// update or a scatter with which it ends.
fn written_over(names: &Names<'_, '_>, computation: usize) -> Vec<Option<usize>> {
    let module = names.module;
    let get = |name: &str| names.get(names.find(computation, name)?);
    let Some(computation) = module.computations.get(computation) else { return Vec::new() };
    let instructions = module.instructions_of(computation);
    let Some(root) = instructions.iter().find(|i| i.is_root()) else { return Vec::new() };
    let ends =
        |opcode: &str| matches!(opcode, "bitcast" | "tuple" | "dynamic-update-slice" | "scatter");
    if !ends(root.opcode()) {
        return Vec::new();
    }
    let through_bitcasts = |name: &str| {
        let mut instruction = get(name)?;
        for _ in 0..instructions.len() {
            if instruction.opcode() != "bitcast" {
                break;
            }
            instruction = get(instruction.operands().next()?.name)?;
        }
        Some(instruction)
    };
    let over = |name: &str| {
        let last = through_bitcasts(name)?;
        if !matches!(last.opcode(), "dynamic-update-slice" | "scatter") {
            return None;
        }
        let first = last.operands().next()?;
        let operand = through_bitcasts(first.name)?;
        (operand.opcode() == "parameter").then(|| operand.parameter_number())?
    };
    match root.opcode() {
        "tuple" => root.operands().map(|operand| over(operand.name)).collect(),
        _ => vec![over(root.name())],
    }
}
