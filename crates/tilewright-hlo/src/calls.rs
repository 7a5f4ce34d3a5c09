//! Which computation runs where.
//!
//! The instructions of most computations each write a buffer: those of the entry, of loops and
//! branches and of what is called. Those of a fusion's computation do not, for only the fusion's
//! result is written; nor do those of the little computations that a reduction or a sort applies.

use crate::module::Instruction;
use crate::names::Names;

/// How the instructions of a computation come to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// One by one; each result is a buffer.
    Alone,
    /// Inside of another instruction, this one of [`Module::instructions`]; results are no buffers.
    Inside(usize),
}

/// What names the computations that an instruction calls: first those whose instructions run one by one.
const CALLED: &[&str] = &[
    "calls",
    "to_apply",
    "body",
    "condition",
    "branch_computations",
    "true_computation",
    "false_computation",
    "called_computations",
    "select",
    "scatter",
];

/// What names the computations whose instructions run one by one.
pub(crate) const RUN_ALONE: &[&str] = CALLED.split_at(8).0;

/// How each computation of a module runs.
pub(crate) fn runs(names: &Names<'_, '_>) -> Vec<Runs> {
    let module = names.module;
    let mut runs = vec![Runs::Alone; module.computations.len()];
    let mut calls: Vec<Vec<usize>> = vec![Vec::new(); module.computations.len()];
    let mut inside: Vec<usize> = Vec::new();
    for (caller, computation) in module.computations.iter().enumerate() {
        for at in computation.instructions.clone() {
            let Some(instruction) = module.instructions.get(at).filter(|i| may_call(i)) else {
                continue;
            };
            let called = instruction.computations_in(CALLED);
            for callee in called.filter_map(|name| names.computation(name)) {
                calls[caller].push(callee);
                if is_one_kernel(instruction.opcode()) && runs[callee] == Runs::Alone {
                    runs[callee] = Runs::Inside(at);
                    inside.push(callee);
                }
            }
        }
    }
    // What is called inside of an instruction runs inside of it too. Each is looked at once.
    while let Some(caller) = inside.pop() {
        for &callee in &calls[caller] {
            if runs[callee] == Runs::Alone {
                runs[callee] = runs[caller];
                inside.push(callee);
            }
        }
    }
    runs
}

/// Whether an operation can name computations. Those that cannot are most, and their attributes
/// need not be walked through.
fn may_call(instruction: &Instruction<'_>) -> bool {
    match instruction.opcode() {
        "fusion" | "while" | "call" | "conditional" | "sort" | "map" | "scatter"
        | "select-and-scatter" | "custom-call" | "composite" | "topk" | "reduce"
        | "reduce-window" | "reduce-scatter" | "all-reduce" => true,
        opcode => opcode.ends_with("-start") || opcode.starts_with("async-"),
    }
}

/// Whether the computations that an operation names run within it.
fn is_one_kernel(opcode: &str) -> bool {
    !matches!(opcode, "while" | "call" | "conditional" | "async-start")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dump;

    #[test]
    fn loops_run_alone_and_fusions_inside() {
        let text = "\
%add (a: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n}
%fused (p: f32[2]) -> f32[] {\n  %r = f32[] reduce(%p, %z), dimensions={0}, to_apply=%add\n}
%body (p: f32[2]) -> f32[2] {\n  %f = f32[] fusion(%p), kind=kLoop, calls=%fused\n}
%deep (p: f32[2]) -> f32[2] {\n  %c = f32[] call(%p), to_apply=%deep\n}
ENTRY %e (p: f32[2]) -> f32[2] {\n  %w = f32[2] while(%p), condition=%body, body=%body\n}\n";
        let module = Dump::read(text).module.unwrap();
        let runs = runs(&Names::of(&module));
        assert_eq!(runs[2..], [Runs::Alone; 3]);
        assert_eq!(runs[1], Runs::Inside(2));
        // The fusion's reduction is met before the fusion is, and names itself.
        assert_eq!(runs[0], Runs::Inside(1));
    }
}
