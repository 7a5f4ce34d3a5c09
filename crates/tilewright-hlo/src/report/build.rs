//! From a dump to its report: one walk over the instructions.

use hashbrown::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;

use super::entry::HOST;
use super::{Buffer, Cycles, MoveKind, Movement, Report, Size, Totals, Traffic, Value, Verdicts};
use crate::Dump;
use crate::calls::{self, Runs};
use crate::compare::Comparer;
use crate::finding::Findings;
use crate::hint::{Formats, Permuted};
use crate::live::{self, Scheduled};
use crate::module::{Computation, Instruction, Module, Operand};
use crate::names::Names;
use crate::read::shortened;
use crate::shapes::{Array, Shapes};
use crate::source;

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
    /// Buffers that are no arrays.
    pub(super) unshaped: Vec<Buffer>,
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
    pub(super) names: &'m Names<'m, 'a>,
    /// The computation's number in the module.
    pub(super) number: usize,
    /// Of a computation inside of fusions, the fusion whose result its results are, if they are one's.
    pub(super) written_by: Option<usize>,
    /// How often it runs, if that is known.
    pub(super) executions: Option<u64>,
}

impl<'m, 'a> Scope<'m, 'a> {
    /// The instruction that an operand names.
    pub(super) fn resolve(&self, operand: Operand<'a>) -> Option<&'m Instruction<'a>> {
        self.names.get(self.names.find(self.number, operand.name)?)
    }

    /// The text of an operand's shape: its own, or that of the instruction it names.
    pub(super) fn operand_shape(&self, operand: Operand<'a>) -> Option<&'a str> {
        operand
            .shape
            .or_else(|| self.resolve(operand).map(super::super::module::Instruction::shape))
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
            unshaped: Vec::new(),
            words: Words::default(),
        }
    }

    fn module(&mut self, module: &Module<'a>, formats: &dyn Formats) {
        self.report.module = Some(module.name.to_owned()).filter(|name| !name.is_empty());
        let names = Names::of(module);
        let runs = calls::runs(&names);
        let of_kernels = names.of_kernels();
        let scheduled = &Scheduled { names: &names, runs: &runs, of_kernels: &of_kernels, formats };
        let is_scheduled = module.attribute("is_scheduled") == Some("true");
        thread::scope(|threads| {
            let (give, given) = mpsc::channel();
            let beside =
                (is_scheduled && module.instructions.len() >= MANY_INSTRUCTIONS).then(|| {
                    let lives = move || live::lives(scheduled, || given.recv().unwrap_or_default());
                    thread::Builder::new().spawn_scoped(threads, lives)
                });
            let scopes = scopes(&names, &runs);
            for scope in &scopes {
                self.computation(scope, &of_kernels);
                self.cycles_of(scope);
            }
            self.entry(module);
            let donations = std::mem::take(&mut self.report.donations);
            let lives = match beside {
                Some(Ok(running)) => {
                    // It ends without them only by a panic, which `join` passes on.
                    let _ = give.send(donations);
                    running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                // Few instructions, or a system that has no threads, as in a page.
                _ if is_scheduled => live::lives(scheduled, || donations),
                _ => {
                    self.report.donations = donations;
                    return;
                }
            };
            self.report.donations = lives.donations;
            self.report.useless_donations = lives.useless_donations;
            (self.report.peak, self.report.timeline) = (Some(lives.peaks), Some(lives.timelines));
        });
    }

    fn computation(
        &mut self,
        scope: &Scope<'_, 'a>,
        of_kernels: &HashMap<usize, &Instruction<'a>>,
    ) {
        let results = scope.results();
        let instructions = scope.module.instructions_of(scope.computation);
        for (instruction, number) in instructions.iter().zip(scope.computation.instructions.clone())
        {
            self.movement(scope, instruction, &results);
            if scope.runs == Runs::Alone {
                let kernel = of_kernels.get(&number).map(|kernel| kernel.name());
                self.buffers_of(scope, instruction, kernel);
            }
            for (text, reason) in self.shapes.take_refused() {
                let message = format!("a shape could not be read: {reason}");
                self.findings.add(instruction.line(), text, 0, message);
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
        let message = format!("`%{}` is left out: {why}", shortened(instruction.name()));
        self.findings.add(instruction.line(), instruction.shape(), 0, message);
    }
}

/// The computations of a module.
fn scopes<'m, 'a>(names: &'m Names<'m, 'a>, runs: &[Runs]) -> Vec<Scope<'m, 'a>> {
    let module = names.module;
    let executions = executions(names, runs);
    let mut scopes: Vec<Scope<'_, 'a>> = Vec::with_capacity(module.computations.len());
    for (number, computation) in module.computations.iter().enumerate() {
        scopes.push(Scope {
            module,
            computation,
            runs: runs[number],
            name: computation.name.into(),
            names,
            number,
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
    scopes
}

/// From so many instructions on, what is in memory when is worked out beside the rest.
const MANY_INSTRUCTIONS: usize = 1 << 12;

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
        if matches!(instruction.opcode(), "while" | "call" | "conditional" | "async-start") {
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
            let trips = match module
                .instructions
                .get(caller)
                .map(super::super::module::Instruction::opcode)
            {
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
