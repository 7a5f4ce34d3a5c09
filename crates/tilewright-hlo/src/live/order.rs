//! When each instruction of a scheduled module runs.
//!
//! The order of lines is the order of execution. A loop's condition and body, a conditional's
//! branches, and what is called run where they are named; an instruction that names them ends after
//! them. Fusions are one instruction.

use crate::calls::{RUN_ALONE, Runs};
use crate::module::Instruction;
use crate::names::Names;

/// The instructions that run one by one, in order.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Numbers in [`Module::instructions`].
    pub(super) instructions: Vec<u32>,
    /// When each instruction of the module runs; [`NEVER`](Self::NEVER) if it does not alone.
    pub(super) times: Vec<u32>,
}

impl Order {
    pub(super) const NEVER: u32 = u32::MAX;

    /// Of a module from its entry on; nothing where there is none.
    pub(super) fn of(names: &Names<'_, '_>, runs: &[Runs]) -> Self {
        let module = names.module;
        let mut order =
            Order { instructions: Vec::new(), times: vec![Self::NEVER; module.instructions.len()] };
        let Some(entry) = module.computations.iter().position(|c| c.is_entry) else { return order };
        // A computation and the instruction of it that comes next; each is entered once.
        let mut open: Vec<(usize, usize)> =
            vec![(entry, module.computations[entry].instructions.start)];
        let mut is_entered = vec![false; module.computations.len()];
        is_entered[entry] = true;
        while let Some((computation, at)) = open.last_mut() {
            let (here, number) = (*computation, *at);
            if !module.computations[here].instructions.contains(&number) {
                open.pop();
                continue;
            }
            let mut inner = Vec::new();
            for callee in callees(names, number) {
                if !is_entered[callee] && runs.get(callee) == Some(&Runs::Alone) {
                    is_entered[callee] = true;
                    inner.push((callee, module.computations[callee].instructions.start));
                }
            }
            if inner.is_empty() {
                if let Some((_, at)) = open.last_mut() {
                    *at += 1;
                }
                order.times[number] = order.instructions.len() as u32;
                order.instructions.push(number as u32);
            }
            open.extend(inner.into_iter().rev());
        }
        order
    }
}

/// The computations whose instructions an instruction of the module runs one by one, in the order they run.
///
/// What begins without operands, as what is offloaded to a sparse core, runs where they come, with the next
/// `async-update`.
pub(super) fn callees(names: &Names<'_, '_>, number: usize) -> Vec<usize> {
    let Some(instruction) = names.module.instructions.get(number) else { return Vec::new() };
    let named = |attribute| names.named(instruction, attribute);
    match instruction.opcode() {
        "while" => ["condition", "body"].into_iter().filter_map(named).collect(),
        "async-start" if instruction.operands_text().trim().is_empty() => Vec::new(),
        "async-update" => {
            let start = names.operand(number, 0).and_then(|n| names.module.instructions.get(n));
            let begins = |start: &&Instruction<'_>| {
                start.opcode() == "async-start" && start.operands_text().trim().is_empty()
            };
            start.filter(begins).and_then(|start| names.named(start, "calls")).into_iter().collect()
        }
        "conditional" | "call" | "async-start" => {
            let called = instruction.computations_in(RUN_ALONE);
            called.filter_map(|name| names.computation(name)).collect()
        }
        _ => Vec::new(),
    }
}
