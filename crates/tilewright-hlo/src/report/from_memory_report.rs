//! An out-of-memory report's allocations, as buffers.

use std::sync::Arc;

use super::build::Builder;
use super::{Buffer, MoveKind, Movement, OutOfMemory, Reported};
use crate::compare::Step;
use crate::memory_report::{Allocation, MemoryReport, printed_size};
use crate::module::{Instruction, Operand};
use crate::scan;
use crate::shapes;

impl<'a> Builder<'a> {
    pub(super) fn memory_report(&mut self, report: &MemoryReport<'a>) {
        self.report.out_of_memory = Some(OutOfMemory {
            memory: report.space.to_owned(),
            used: report.used.to_owned(),
            capacity: report.capacity.to_owned(),
        });
        for (number, allocation) in report.allocations.iter().enumerate() {
            self.allocation(number + 1, allocation);
            self.label(allocation);
            for (text, reason) in self.shapes.take_refused() {
                let message = format!("a shape could not be read: {reason}");
                self.findings.add(allocation.line, text, 0, message);
            }
        }
    }

    fn allocation(&mut self, number: usize, allocation: &Allocation<'a>) {
        let name = allocation.name().map_or_else(|| format!("allocation {number}"), str::to_owned);
        for leaf in shapes::arrays(allocation.shape) {
            let Some(array) = self.shapes.array(leaf.text) else { continue };
            self.report.totals.buffers.add(array.bytes, array.logical_bytes);
            let buffer = Buffer {
                name: leaf.name(&name),
                text: array.text.clone(),
                bytes: array.bytes,
                logical_bytes: array.logical_bytes,
                padding_bytes: array.padding_bytes(),
                op: self.words.shared(allocation.opcode().unwrap_or("")),
                computation: Arc::default(),
                line: allocation.line,
                reported: Some(Box::new(Reported {
                    size: allocation.size.to_owned(),
                    unpadded: allocation.unpadded.to_owned(),
                    allocation_type: allocation.kind.to_owned(),
                    operator: allocation.operator.to_owned(),
                    agrees: printed_size(array.bytes) == allocation.size,
                })),
                fault: None,
                hint: None,
            };
            self.buffers.push((buffer, array));
        }
    }

    /// A label that is a copy and names the shape it copies from tells a relayout.
    fn label(&mut self, allocation: &Allocation<'a>) {
        let Some((name, "copy")) = allocation.name().zip(allocation.opcode()) else { return };
        let Some(operand) = first_operand(allocation.operands()) else { return };
        let from = operand.shape.and_then(|text| self.shapes.single(text));
        let Some((from, to)) = from.zip(self.shapes.single(allocation.shape)) else { return };
        if self.comparer.compare(&from, &to, Step::Copy).holds == Some(false) {
            self.report.relayouts.push(Movement {
                name: name.to_owned(),
                from: from.text.clone(),
                to: to.text.clone(),
                bytes_read: from.bytes,
                bytes_written: to.bytes,
                kind: MoveKind::Copy,
                op: "copy".into(),
                computation: Arc::default(),
                line: allocation.line,
                standalone: true,
                executions: None,
                cycles: None,
                source: None,
            });
        }
    }
}

fn first_operand(operands: &str) -> Option<Operand<'_>> {
    scan::parts(operands).next()?;
    let instruction = Instruction {
        name: "",
        shape: "",
        opcode: "",
        operands,
        attributes: "",
        line: 0,
        is_root: false,
    };
    instruction.operands().next()
}
