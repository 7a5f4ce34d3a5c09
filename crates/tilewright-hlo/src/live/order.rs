//! When each instruction of a scheduled module runs.
//!
//! The order of lines is the order of execution. A loop's condition and body, a conditional's
//! branches, and what is called run where they are named; an instruction that names them ends after
//! them. Fusions are one instruction.

use std::collections::HashMap;

use crate::calls::Runs;
use crate::module::{Instruction, Module};

/// The instructions that run one by one, in order.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Numbers in [`Module::instructions`].
    pub(super) instructions: Vec<usize>,
    /// When each instruction of the module runs; [`NEVER`](Self::NEVER) if it does not alone.
    pub(super) times: Vec<u32>,
    /// Of each computation, the instructions that name it as their body, branch, or callee, in order.
    pub(super) callers: Vec<Vec<usize>>,
    /// The computations by name.
    pub(super) computations: HashMap<String, usize>,
}

/// What runs the computations that it names, each instruction of theirs alone, in the order they run.
const RUNS: &[&str] = &[
    "condition",
    "body",
    "to_apply",
    "calls",
    "called_computations",
    "branch_computations",
    "true_computation",
    "false_computation",
];

impl Order {
    pub(super) const NEVER: u32 = u32::MAX;

    /// Of a module from its entry on; nothing where there is none.
    pub(super) fn of(module: &Module<'_>, runs: &[Runs]) -> Self {
        let computations: HashMap<String, usize> =
            module.computations.iter().enumerate().map(|(n, c)| (c.name.to_owned(), n)).collect();
        let mut order = Order {
            instructions: Vec::new(),
            times: vec![Self::NEVER; module.instructions.len()],
            callers: vec![Vec::new(); module.computations.len()],
            computations,
        };
        let Some(entry) = module.computations.iter().position(|c| c.is_entry) else { return order };
        // A computation and the instruction of it that comes next; each is entered once.
        let mut open: Vec<(usize, usize)> = vec![(entry, module.computations[entry].instructions.start)];
        let mut is_entered = vec![false; module.computations.len()];
        is_entered[entry] = true;
        while let Some((computation, at)) = open.last_mut() {
            let (here, number) = (*computation, *at);
            let instruction = module.instructions.get(number);
            let Some(instruction) = instruction.filter(|_| {
                module.computations.get(here).is_some_and(|c| c.instructions.contains(&number))
            }) else {
                open.pop();
                continue;
            };
            let mut inner = Vec::new();
            for callee in order.callees(instruction) {
                let is_first = !is_entered[callee] && runs.get(callee) == Some(&Runs::Alone);
                if order.callers[callee].last() != Some(&number) {
                    order.callers[callee].push(number);
                }
                if is_first {
                    is_entered[callee] = true;
                    inner.push((callee, module.computations[callee].instructions.start));
                }
            }
            if inner.is_empty() {
                if let Some((_, at)) = open.last_mut() {
                    *at += 1;
                }
                order.times[number] = order.instructions.len() as u32;
                order.instructions.push(number);
            }
            open.extend(inner.into_iter().rev());
        }
        order
    }

    /// The computations whose instructions an instruction runs one by one.
    pub(super) fn callees(&self, instruction: &Instruction<'_>) -> Vec<usize> {
        let opcode = instruction.opcode;
        if !matches!(opcode, "while" | "conditional" | "call" | "async-start") {
            return Vec::new();
        }
        let names = instruction.computations_in(RUNS);
        let mut numbered: Vec<usize> =
            names.filter_map(|name| self.computations.get(name).copied()).collect();
        if opcode == "while"
            && let [_, _] = numbered[..]
            && let Some(condition) = self.named(instruction, "condition")
            && numbered[0] != condition
        {
            numbered.swap(0, 1);
        }
        numbered
    }

    /// The computation that an attribute names.
    pub(super) fn named(&self, instruction: &Instruction<'_>, attribute: &str) -> Option<usize> {
        let name = instruction.attribute(attribute)?;
        self.computations.get(name.strip_prefix('%').unwrap_or(name)).copied()
    }
}
