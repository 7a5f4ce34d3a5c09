//! From a dump to its report: one walk over the instructions.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::{
    Buffer, Cycles, Donation, MoveKind, Movement, Report, Size, Totals, Traffic, Value, Verdicts,
};
use crate::Dump;
use crate::calls::{self, Runs};
use crate::compare::Comparer;
use crate::finding::Findings;
use crate::hint::{Formats, Permuted};
use crate::live;
use crate::module::{Computation, Instruction, Module, Operand, aliased};
use crate::read::shortened;
use crate::scan;
use crate::shapes::{self, Array, Leaf, Shapes};
use crate::source;
use crate::trips::Names;

impl Report {
    /// What a dump says.
    ///
    /// ```
    /// use tilewright_hlo::{Dump, Report};
    /// let text = "HloModule m\nENTRY e {\n  p = f32[9,129]{1,0:T(8,128)} parameter(0)\n  \
    ///             ROOT c = f32[9,129]{0,1:T(8,128)} copy(p)\n}\n";
    /// let report = Report::of(&Dump::read(text));
    /// assert_eq!(report.totals.parameters.bytes, 16_384);
    /// assert_eq!(&*report.relayouts[0].to, "f32[9,129]{0,1:T(8,128)}");
    /// ```
    pub fn of(dump: &Dump<'_>) -> Self {
        Self::with_formats(dump, &Permuted)
    }

    /// What a dump says, with hints from these formats.
    pub fn with_formats(dump: &Dump<'_>, formats: &dyn Formats) -> Self {
        let mut builder = Builder::new(dump);
        if let Some(module) = &dump.module {
            builder.module(module, formats);
        }
        if let Some(report) = &dump.memory_report {
            builder.memory_report(report);
        }
        builder.finish(formats)
    }
}

/// A report in the making.
pub(super) struct Builder<'a> {
    pub(super) report: Report,
    pub(super) shapes: Shapes<'a>,
    pub(super) comparer: Comparer,
    pub(super) findings: Findings,
    /// The buffers, each with what is known of its array.
    pub(super) buffers: Vec<(Buffer, Rc<Array>)>,
    pub(super) words: Words,
}

/// Words that are said many times, kept once.
#[derive(Debug, Default)]
pub(super) struct Words(HashSet<Arc<str>>);

impl Words {
    pub(super) fn shared(&mut self, word: &str) -> Arc<str> {
        if let Some(known) = self.0.get(word) {
            return Arc::clone(known);
        }
        let word: Arc<str> = word.into();
        self.0.insert(Arc::clone(&word));
        word
    }
}

/// A computation with what is needed to look around in it.
pub(super) struct Scope<'m, 'a> {
    pub(super) module: &'m Module<'a>,
    pub(super) computation: &'m Computation<'a>,
    pub(super) runs: Runs,
    pub(super) name: Arc<str>,
    /// The instructions by name, as numbers in the module.
    pub(super) names: &'m HashMap<&'a str, usize>,
    /// Of a computation inside of fusions, the fusion whose result its results are, if they are one's.
    pub(super) written_by: Option<usize>,
    /// How often it runs, if that is known.
    pub(super) executions: Option<u64>,
}

impl<'m, 'a> Scope<'m, 'a> {
    /// The instruction that an operand names.
    pub(super) fn resolve(&self, operand: Operand<'a>) -> Option<&'m Instruction<'a>> {
        self.names.get(operand.name).and_then(|&number| self.module.instructions.get(number))
    }

    /// The text of an operand's shape: its own, or that of the instruction it names.
    pub(super) fn operand_shape(&self, operand: Operand<'a>) -> Option<&'a str> {
        operand.shape.or_else(|| self.resolve(operand).map(|instruction| instruction.shape))
    }
}

impl<'a> Builder<'a> {
    fn new(dump: &Dump<'a>) -> Self {
        Builder {
            report: Report::default(),
            shapes: Shapes::default(),
            comparer: Comparer::default(),
            findings: dump.findings.clone(),
            buffers: Vec::new(),
            words: Words::default(),
        }
    }

    fn module(&mut self, module: &Module<'a>, formats: &dyn Formats) {
        self.report.module = Some(module.name.to_owned()).filter(|name| !name.is_empty());
        let runs = calls::runs(module);
        let names = Names::of(module);
        let executions = executions(&names, &runs);
        let mut scopes: Vec<Scope<'_, 'a>> = Vec::with_capacity(module.computations.len());
        for (number, computation) in module.computations.iter().enumerate() {
            scopes.push(Scope {
                module,
                computation,
                runs: runs[number],
                name: computation.name.into(),
                names: &names.names[number],
                written_by: None,
                executions: executions[number],
            });
        }
        let mut results: HashMap<usize, HashSet<*const Instruction<'a>>> = HashMap::new();
        // Callers come after what they call, so the last are looked at first.
        for number in (0..scopes.len()).rev() {
            let Runs::Inside(caller) = runs[number] else { continue };
            let outer = names.computation_of(caller);
            let around = &scopes[outer];
            scopes[number].written_by = match around.runs {
                Runs::Alone => Some(caller),
                Runs::Inside(_) => {
                    let results = results.entry(outer).or_insert_with(|| around.results());
                    let instruction = module.instructions.get(caller);
                    let is_result =
                        instruction.is_some_and(|i| results.contains(&std::ptr::from_ref(i)));
                    around.written_by.filter(|_| is_result)
                }
            };
        }
        for scope in &scopes {
            self.computation(scope);
            self.cycles_of(scope);
        }
        self.entry(module);
        if module.attribute("is_scheduled") == Some("true") {
            let (peak, timeline) = live::lives(&names, &runs, &mut self.shapes, formats);
            (self.report.peak, self.report.timeline) = (Some(peak), Some(timeline));
        }
    }

    fn computation(&mut self, scope: &Scope<'_, 'a>) {
        let results = scope.results();
        for instruction in scope.module.instructions_of(scope.computation) {
            self.movement(scope, instruction, &results);
            if scope.runs == Runs::Alone {
                self.buffers_of(scope, instruction);
            }
            for (text, reason) in self.shapes.take_refused() {
                let message = format!("a shape could not be read: {reason}");
                self.findings.add(instruction.line, text, 0, message);
            }
        }
    }

    /// Adds what the compiler thinks that a computation takes.
    fn cycles_of(&mut self, scope: &Scope<'_, 'a>) {
        let Some(executions) = scope.executions.filter(|_| scope.runs == Runs::Alone) else {
            return;
        };
        for instruction in scope.module.instructions_of(scope.computation) {
            let Some(cycles) = source::estimated_cycles(instruction) else { continue };
            let sum = self.report.totals.cycles.get_or_insert_default();
            sum.all = sum.all.saturating_add(cycles.saturating_mul(executions));
        }
    }

    /// The parameters and the result of the entry computation.
    fn entry(&mut self, module: &Module<'a>) {
        let Some(entry) = module.entry() else { return self.entry_by_header(module) };
        let instructions = module.instructions_of(entry);
        let mut parameters: Vec<(u64, &Instruction<'a>)> = instructions
            .iter()
            .filter(|instruction| instruction.opcode == "parameter")
            .map(|instruction| {
                (instruction.operands.trim().parse().unwrap_or(u64::MAX), instruction)
            })
            .collect();
        parameters.sort_by_key(|(number, _)| *number);
        let values = parameters.iter().flat_map(|(_, instruction)| self.values(instruction));
        self.report.parameters = values.collect();
        let Some(root) = instructions.iter().find(|instruction| instruction.is_root) else {
            return;
        };
        self.report.outputs = self.values(root);
        let donated = aliased(module.attribute("input_output_alias").unwrap_or(""));
        self.donations(&parameters, root, &donated);
    }

    /// What is donated, and what could be: results that have the format of a parameter.
    fn donations(
        &mut self,
        parameters: &[(u64, &Instruction<'a>)],
        root: &Instruction<'a>,
        donated: &[(Vec<u32>, usize, Vec<u32>)],
    ) {
        let to: HashSet<(u64, Vec<u32>)> = donated.iter().map(|(to, ..)| (0, to.clone())).collect();
        let from: HashSet<(u64, Vec<u32>)> =
            donated.iter().map(|(_, number, from)| (*number as u64, from.clone())).collect();
        let is_in = |all: &HashSet<(u64, Vec<u32>)>, number: u64, path: &[u32]| {
            (0..=path.len()).any(|n| all.contains(&(number, path[..n].to_vec())))
        };
        let mut kept: HashMap<Arc<str>, Vec<String>> = HashMap::new();
        for (number, parameter) in parameters.iter().rev() {
            let leaves: Vec<Leaf<'a>> = shapes::arrays(parameter.shape).collect();
            for leaf in leaves.iter().rev().filter(|leaf| !is_in(&from, *number, &leaf.path)) {
                if let Some(array) = self.shapes.array(leaf.text) {
                    let names = kept.entry(Arc::clone(&array.text)).or_default();
                    names.push(leaf.name(parameter.name));
                }
            }
        }
        for leaf in shapes::arrays(root.shape) {
            let Some(array) = self.shapes.array(leaf.text) else { continue };
            let is_host = live::space_name(live::space_of(&array)) == HOST;
            if is_in(&to, 0, &leaf.path) {
                let totals = &mut self.report.totals;
                let aliases = if is_host { &mut totals.host_aliases } else { &mut totals.aliases };
                aliases.add(array.bytes, array.logical_bytes);
                continue;
            }
            let Some(parameter) = kept.get_mut(&array.text).and_then(Vec::pop) else { continue };
            self.report.donations.push(Donation {
                parameter,
                output: leaf.name(root.name),
                text: Arc::clone(&array.text),
                bytes: array.bytes,
            });
        }
        self.report.donations.sort_by_key(|donation| std::cmp::Reverse(donation.bytes));
    }

    /// The same from the module's header, `{(parameter, …)->result}`, where the text ends before
    /// the entry.
    fn entry_by_header(&mut self, module: &Module<'a>) {
        let layout = module.attribute("entry_computation_layout").unwrap_or("");
        let Some(layout) = layout.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
            return;
        };
        let (parameters, result) = layout.split_at(scan::closing(layout).unwrap_or(0));
        self.report.parameters = self.arrays_of("parameter", parameters);
        self.report.outputs = self.arrays_of("result", result.strip_prefix("->").unwrap_or(""));
    }

    /// The arrays of an instruction's result.
    fn values(&mut self, instruction: &Instruction<'a>) -> Vec<Value> {
        self.arrays_of(instruction.name, instruction.shape)
    }

    fn arrays_of(&mut self, name: &str, shape: &'a str) -> Vec<Value> {
        let leaves = shapes::arrays(shape);
        let values = leaves.filter_map(|leaf| {
            let array = self.shapes.array(leaf.text)?;
            Some(Value {
                name: leaf.name(name),
                text: array.text.clone(),
                bytes: array.bytes,
                logical_bytes: array.logical_bytes,
                space: live::space_name(live::space_of(&array)),
            })
        });
        values.collect()
    }

    fn finish(mut self, formats: &dyn Formats) -> Report {
        let buffers = self.sorted_buffers(formats);
        let Builder { mut report, findings, .. } = self;
        report
            .relayouts
            .sort_by_key(|m| std::cmp::Reverse(m.bytes_read.saturating_add(m.bytes_written)));
        report
            .copies
            .sort_by_key(|m| std::cmp::Reverse(m.bytes_read.saturating_add(m.bytes_written)));
        report.buffers = buffers;
        let moved = |wanted: &dyn Fn(&Movement) -> bool| {
            let is_moved = |m: &&Movement| m.kind != MoveKind::Bitcast && wanted(m);
            Traffic::of(report.relayouts.iter().filter(is_moved))
        };
        report.totals = Totals {
            parameters: sum(&report.parameters, |value| value.space != HOST),
            outputs: sum(&report.outputs, |value| value.space != HOST),
            host_parameters: sum(&report.parameters, |value| value.space == HOST),
            host_outputs: sum(&report.outputs, |value| value.space == HOST),
            relayouts: moved(&|_| true),
            standalone: moved(&|m| m.standalone),
            fused: moved(&|m| !m.standalone),
            copies: Traffic::of(&report.copies),
            bitcasts: Verdicts::of(&report.bitcasts),
            cycles: report.totals.cycles.map(|cycles| Cycles {
                relayouts: cycles_of(&report.relayouts),
                copies: cycles_of(&report.copies),
                ..cycles
            }),
            ..report.totals
        };
        report.more_findings = findings.more;
        report.findings = findings.kept;
        report
    }

    /// Says that something could not be taken into account.
    pub(super) fn left_out(&mut self, instruction: &Instruction<'_>, why: &str) {
        let message = format!("`%{}` is left out: {why}", shortened(instruction.name));
        self.findings.add(instruction.line, instruction.shape, 0, message);
    }
}

/// Of so many loops it is found out how often they run.
const MAX_LOOPS: usize = 1 << 12;

/// How often each computation runs, if that is known: the trips of all loops around it, multiplied.
fn executions(names: &Names<'_, '_>, runs: &[Runs]) -> Vec<Option<u64>> {
    let module = names.module;
    let n = module.computations.len();
    let mut executions: Vec<Option<u64>> = vec![None; n];
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut called: Vec<usize> = vec![0; n];
    for (number, runs) in runs.iter().enumerate() {
        if let Runs::Inside(caller) = *runs {
            callers[number].push(caller);
        }
    }
    for (number, instruction) in module.instructions.iter().enumerate() {
        if matches!(instruction.opcode, "while" | "call" | "conditional" | "async-start") {
            for name in instruction.computations_in(calls::RUN_ALONE) {
                if let Some(callee) = names.computation(name).filter(|&c| runs[c] == Runs::Alone) {
                    callers[callee].push(number);
                }
            }
        }
    }
    for (number, callers) in callers.iter().enumerate() {
        called[number] = callers.len();
    }
    let mut n_loops = 0;
    // Callers come after what they call: the entry first, then down.
    for number in (0..n).rev() {
        if module.computations[number].is_entry {
            executions[number] = Some(1);
            continue;
        }
        let mut sum = (called[number] > 0).then_some(0u64);
        for &caller in &callers[number] {
            let around = executions[names.computation_of(caller)];
            let trips = match module.instructions.get(caller).map(|i| i.opcode) {
                Some("while") if n_loops < MAX_LOOPS => {
                    n_loops += 1;
                    names.trips(caller)
                }
                Some("while") => None,
                _ => Some(1),
            };
            let here = around.zip(trips).and_then(|(around, trips)| around.checked_mul(trips));
            sum = sum.zip(here).and_then(|(sum, here)| sum.checked_add(here));
        }
        executions[number] = sum;
    }
    executions
}

/// What the compiler thinks that moves of their own take.
fn cycles_of(movements: &[Movement]) -> u64 {
    let own = movements.iter().filter(|m| m.standalone);
    let cycles = own.filter_map(|m| m.cycles?.checked_mul(m.executions?));
    cycles.fold(0, u64::saturating_add)
}

fn sum(values: &[Value], wanted: impl Fn(&Value) -> bool) -> Size {
    let mut size = Size::default();
    let wanted = values.iter().filter(|value| wanted(value));
    wanted.for_each(|value| size.add(value.bytes, value.logical_bytes));
    size
}

/// The memory space of the host.
const HOST: &str = "host";
