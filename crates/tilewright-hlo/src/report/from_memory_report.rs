//! An out-of-memory report's allocations, as buffers.

use std::sync::Arc;

use super::build::Builder;
use super::{Buffer, MoveKind, Movement, OutOfMemory, Reported};
use crate::compare::Step;
use crate::memory_report::{Allocation, MemoryReport, printed_size, size_printed};
use crate::module::{Operand, operand};
use crate::scan;
use crate::shapes::{self, Array, Leaf};

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

    /// An allocation as a buffer, or as several where its shape is a tuple. What has no shape, as the room to
    /// which registers are spilled, is one all the same.
    fn allocation(&mut self, number: usize, allocation: &Allocation<'a>) {
        let name = allocation.name().or(Some(allocation.label).filter(|label| !label.is_empty()));
        let name = name.map_or_else(|| format!("allocation {number}"), str::to_owned);
        let mut leaves: Vec<Leaf<'a>> = shapes::arrays(allocation.shape()).collect();
        let printed = size_printed(allocation.size).unwrap_or(0);
        let arrays: Vec<_> =
            leaves.iter().filter_map(|leaf| self.shapes.array(leaf.text)).collect();
        if arrays.len() != leaves.len() || leaves.is_empty() {
            let buffer = self.allocated(name, allocation, None, printed);
            let logical = size_printed(allocation.unpadded).unwrap_or(printed).min(printed);
            self.report.totals.buffers.add(printed, logical);
            let padding_bytes = printed - logical;
            self.unshaped.push(Buffer { logical_bytes: logical, padding_bytes, ..buffer });
            return;
        }
        let is_one = leaves.len() == 1;
        for (leaf, array) in leaves.drain(..).zip(arrays) {
            let agrees = printed_size(array.bytes) == allocation.size;
            // A shape may be printed without its tiles: then the size that is printed is the truth.
            let is_truth = is_one && !agrees && printed >= array.logical_bytes;
            let bytes = if is_truth { printed } else { array.bytes };
            self.report.totals.buffers.add(bytes, array.logical_bytes);
            let buffer = self.allocated(leaf.name(&name), allocation, Some(&array), bytes);
            self.buffers.push((buffer, array));
        }
    }

    fn allocated(
        &mut self,
        name: String,
        allocation: &Allocation<'a>,
        array: Option<&Array>,
        bytes: i64,
    ) -> Buffer {
        let logical_bytes = array.map_or(bytes, |array| array.logical_bytes);
        Buffer {
            name,
            text: array.map_or_else(Arc::default, |array| array.text.clone()),
            bytes,
            logical_bytes,
            padding_bytes: bytes.saturating_sub(logical_bytes).max(0),
            op: self.words.shared(allocation.opcode().unwrap_or("")),
            computation: Arc::default(),
            line: allocation.line,
            reported: Some(Box::new(Reported {
                size: allocation.size.to_owned(),
                unpadded: allocation.unpadded.to_owned(),
                allocation_type: allocation.kind.to_owned(),
                operator: allocation.operator.to_owned(),
                agrees: array.is_none_or(|array| printed_size(array.bytes) == allocation.size),
            })),
            kernel: None,
            fault: None,
            hint: None,
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
    scan::parts(operands).map(operand).next()
}
