//! The arrays that a program writes.

use std::cmp::Reverse;
use std::sync::Arc;

use super::build::{Builder, Scope};
use super::{Buffer, MAX_BUFFERS};
use crate::hint::{Adviser, Formats};
use crate::module::{Computation, Instruction};
use crate::shapes;

/// So many of the buffers with most padding are told what is at fault and what would mend it.
const MAX_HINTED: usize = 256;

impl<'a> Builder<'a> {
    /// The arrays that an instruction writes, if it writes any, and the kernel that fixes their format.
    pub(super) fn buffers_of(
        &mut self,
        scope: &Scope<'_, 'a>,
        instruction: &Instruction<'a>,
        kernel: Option<&str>,
    ) {
        if !makes_buffer(instruction.opcode(), scope.computation) {
            return;
        }
        for leaf in shapes::arrays(instruction.shape()) {
            let Some(array) = self.shapes.array(leaf.text) else { continue };
            self.report.totals.buffers.add(array.bytes, array.logical_bytes);
            if self.buffers.len() >= MAX_BUFFERS {
                continue;
            }
            let buffer = Buffer {
                name: leaf.name(instruction.name()),
                text: Arc::clone(&array.text),
                bytes: array.bytes,
                logical_bytes: array.logical_bytes,
                padding_bytes: array.padding_bytes(),
                op: self.words.shared(instruction.opcode()),
                computation: Arc::clone(&scope.name),
                line: instruction.line(),
                reported: None,
                kernel: kernel.map(|kernel| self.words.shared(kernel)),
                fault: None,
                hint: None,
            };
            self.buffers.push((buffer, array));
        }
    }

    /// The buffers sorted by padding; of the first it is said what would mend them.
    pub(super) fn sorted_buffers(&mut self, formats: &dyn Formats) -> Vec<Buffer> {
        let mut pairs = std::mem::take(&mut self.buffers);
        pairs.sort_by_cached_key(|(buffer, _)| Reverse((buffer.padding_bytes, buffer.bytes)));
        let mut adviser = Adviser::new(formats);
        for (buffer, array) in pairs.iter_mut().take(MAX_HINTED) {
            (buffer.fault, buffer.hint) = adviser.on(array, buffer.kernel.is_some());
        }
        // In the memory that they are in.
        let mut buffers: Vec<Buffer> = pairs.into_iter().map(|(buffer, _)| buffer).collect();
        buffers.append(&mut self.unshaped);
        if self.report.out_of_memory.is_some() {
            // Here all that is listed is large, and which is the largest is the question.
            buffers.sort_by_key(|buffer| Reverse(buffer.bytes));
        }
        buffers
    }
}

/// Whether an operation's result is memory of its own, and not another's under a new name.
///
/// What an asynchronous pair makes is counted where it is done, or, of `async-start`, in the
/// computation that it calls.
fn makes_buffer(opcode: &str, computation: &Computation<'_>) -> bool {
    match opcode {
        "parameter" => computation.is_entry,
        "tuple"
        | "get-tuple-element"
        | "bitcast"
        | "while"
        | "conditional"
        | "call"
        | "optimization-barrier"
        | "opt-barrier"
        | "after-all"
        | "add-dependency"
        | "domain"
        | "async-update"
        | "async-done" => false,
        opcode => !opcode.ends_with("-start"),
    }
}
