//! Where a program moves an array, and where it only says to.

use hashbrown::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::build::{Builder, Scope};
use super::{CheckedBitcast, MoveKind, Movement};
use tilewright::xla::Layout;

use crate::calls::Runs;
use crate::compare::{Step, Verdict};
use crate::module::Instruction;
use crate::shapes::{self, Array};
use crate::source;

impl<'m, 'a> Scope<'m, 'a> {
    /// The instructions whose results are the computation's: its root, or those in a root tuple,
    /// looked at through bitcasts. By address, so that names given twice do no harm.
    pub(super) fn results(&self) -> HashSet<*const Instruction<'a>> {
        let mut found = HashSet::new();
        if self.runs == Runs::Alone {
            return found;
        }
        let instructions = self.module.instructions_of(self.computation);
        let mut open: Vec<&Instruction<'a>> =
            instructions.iter().filter(|instruction| instruction.is_root()).collect();
        while let Some(instruction) = open.pop() {
            let is_seen_through = matches!(instruction.opcode(), "tuple" | "bitcast");
            if found.insert(std::ptr::from_ref(instruction)) && is_seen_through {
                open.extend(instruction.operands().filter_map(|operand| self.resolve(operand)));
            }
        }
        found
    }
}

impl<'a> Builder<'a> {
    /// Takes an instruction into account that moves an array or claims not to.
    pub(super) fn movement(
        &mut self,
        scope: &Scope<'_, 'a>,
        instruction: &Instruction<'a>,
        results: &HashSet<*const Instruction<'a>>,
    ) {
        let Some(step) = step(instruction) else { return };
        let operand = instruction.operands().next();
        let from = operand.and_then(|operand| scope.operand_shape(operand));
        let from = from.and_then(|text| self.shapes.single(text));
        let Some((from, to)) = from.zip(self.result(instruction)) else { return };
        let verdict = self.comparer.compare(&from, &to, step);
        let place = Place { scope, instruction, from: &from, to: &to };
        if instruction.opcode() == "bitcast" {
            self.report.bitcasts.push(place.bitcast(&verdict));
        }
        match (verdict.holds, instruction.opcode()) {
            (Some(false), opcode) => {
                let kind = match scope.runs {
                    Runs::Inside(_) if opcode == "bitcast" => MoveKind::Bitcast,
                    Runs::Inside(_)
                        if scope.written_by.is_some()
                            && results.contains(&std::ptr::from_ref(instruction)) =>
                    {
                        MoveKind::Fusion
                    }
                    Runs::Inside(_) => MoveKind::Fused,
                    Runs::Alone => relayout_kind(opcode),
                };
                self.report.relayouts.push(place.movement(kind));
            }
            (Some(true), "copy" | "copy-start") => {
                // Within a fusion such a copy is not written anywhere.
                if scope.runs == Runs::Alone {
                    self.report.copies.push(place.movement(kept_kind(&from, &to)));
                }
            }
            (Some(true), "transpose" | "reshape") => {
                self.report.bitcasts.push(place.bitcast(&verdict));
            }
            (Some(true), _) => {}
            (None, _) => {
                let reason = verdict.reason.clone().unwrap_or_default();
                self.left_out(instruction, &reason);
            }
        }
    }

    /// The array that is written. `copy-start` gives it first in a tuple.
    fn result(&mut self, instruction: &Instruction<'a>) -> Option<Rc<Array>> {
        if instruction.opcode() != "copy-start" {
            return self.shapes.single(instruction.shape());
        }
        let first = shapes::arrays(instruction.shape()).next()?;
        self.shapes.array(first.text)
    }
}

/// What an operation that only moves does to the logical array.
fn step(instruction: &Instruction<'_>) -> Option<Step> {
    match instruction.opcode() {
        "copy" | "copy-start" => Some(Step::Copy),
        "reshape" => Some(Step::Reshape),
        "bitcast" => Some(Step::Bitcast),
        "transpose" => instruction.numbers("dimensions").map(Step::Transpose),
        _ => None,
    }
}

/// The kind of a relayout that is not inside of another instruction.
fn relayout_kind(opcode: &str) -> MoveKind {
    match opcode {
        "copy-start" => MoveKind::AsyncCopy,
        "transpose" => MoveKind::Transpose,
        "reshape" => MoveKind::Reshape,
        "bitcast" => MoveKind::Bitcast,
        _ => MoveKind::Copy,
    }
}

fn kept_kind(from: &Array, to: &Array) -> MoveKind {
    let space = |array: &Array| array.shape.layout().map_or(0, Layout::memory_space);
    if space(from) == space(to) { MoveKind::Duplicate } else { MoveKind::Memory }
}

/// An instruction that moves, and what it moves.
struct Place<'p, 'm, 'a> {
    scope: &'p Scope<'m, 'a>,
    instruction: &'p Instruction<'a>,
    from: &'p Array,
    to: &'p Array,
}

impl Place<'_, '_, '_> {
    fn movement(&self, kind: MoveKind) -> Movement {
        Movement {
            name: self.name(kind).to_owned(),
            from: self.from.text.clone(),
            to: self.to.text.clone(),
            bytes_read: self.from.bytes,
            bytes_written: self.to.bytes,
            kind,
            op: self.instruction.opcode().into(),
            computation: Arc::clone(&self.scope.name),
            line: self.instruction.line(),
            standalone: self.scope.runs == Runs::Alone,
            executions: self.scope.executions,
            cycles: match kind {
                // Of a part of a fusion nobody knows.
                MoveKind::Fused => None,
                MoveKind::Fusion => source::estimated_cycles(self.outermost()),
                _ => source::estimated_cycles(self.instruction),
            },
            source: self.scope.module.sources.of(self.instruction),
        }
    }

    /// Its name; where a fusion ends with it, the fusion's.
    fn name(&self, kind: MoveKind) -> &str {
        if kind == MoveKind::Fusion { self.outermost().name() } else { self.instruction.name() }
    }

    /// The instruction that runs, of a move that ends a fusion the fusion.
    fn outermost(&self) -> &Instruction<'_> {
        let fusion = self.scope.written_by.and_then(|n| self.scope.module.instructions.get(n));
        fusion.unwrap_or(self.instruction)
    }

    fn bitcast(&self, verdict: &Verdict) -> CheckedBitcast {
        CheckedBitcast {
            name: self.instruction.name().to_owned(),
            from: self.from.text.clone(),
            to: self.to.text.clone(),
            holds: verdict.holds,
            kind: verdict.kind,
            reason: verdict.reason.clone(),
            op: self.instruction.opcode().into(),
            computation: Arc::clone(&self.scope.name),
            line: self.instruction.line(),
        }
    }
}
