//! From a dump to its report: one walk over the instructions.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::{Buffer, Report, Size, Totals, Traffic, Value, Verdicts};
use crate::Dump;
use crate::calls::{self, Runs};
use crate::compare::Comparer;
use crate::finding::Findings;
use crate::hint::{Formats, Permuted};
use crate::live;
use crate::module::{Computation, Instruction, Module, Operand};
use crate::read::shortened;
use crate::scan;
use crate::shapes::{self, Array, Shapes};

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
            builder.module(module);
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
    pub(super) names: HashMap<&'a str, usize>,
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

    fn module(&mut self, module: &Module<'a>) {
        self.report.module = Some(module.name.to_owned()).filter(|name| !name.is_empty());
        let runs = calls::runs(module);
        for (computation, &runs) in module.computations.iter().zip(&runs) {
            let numbers = computation.instructions.clone();
            let instructions = module.instructions_of(computation);
            let names = instructions.iter().zip(numbers).map(|(i, number)| (i.name, number));
            let (names, name) = (names.collect(), computation.name.into());
            let scope = Scope { module, computation, runs, name, names };
            self.computation(&scope);
        }
        self.entry(module);
        if module.attribute("is_scheduled") == Some("true") {
            self.report.peak = Some(live::peaks(module, &runs, &mut self.shapes));
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
        if let Some(root) = instructions.iter().find(|instruction| instruction.is_root) {
            self.report.outputs = self.values(root);
        }
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
        report.totals = Totals {
            parameters: sum(&report.parameters),
            outputs: sum(&report.outputs),
            relayouts: Traffic::of(&report.relayouts),
            copies: Traffic::of(&report.copies),
            bitcasts: Verdicts::of(&report.bitcasts),
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

fn sum(values: &[Value]) -> Size {
    let mut size = Size::default();
    values.iter().for_each(|value| size.add(value.bytes, value.logical_bytes));
    size
}
