//! In which format a program makes a result, before the last moves.

use std::collections::HashMap;
use std::rc::Rc;

use super::uses::{Turn, bitcast_turns, turned};
use crate::compare::{Comparer, Step};
use crate::module::Instruction;
use crate::shapes::{self, Array, Shapes};
use tilewright::{ArrayShape, Permutation};

/// A result is followed back through at most this many instructions.
const MAX_STEPS: usize = 64;

/// How a result of the entry is made.
pub(crate) struct Made<'m, 'a> {
    /// The result as it is given.
    pub(crate) array: Rc<Array>,
    /// What gives it: the root, or of a root tuple the operand.
    pub(crate) by: &'m Instruction<'a>,
    /// The move that is behind it, and the format that it would come in without that.
    pub(crate) moved: Option<(&'m Instruction<'a>, ArrayShape)>,
}

/// Looks for what makes the results of one computation.
pub(crate) struct Results<'m, 'a> {
    instructions: HashMap<&'a str, &'m Instruction<'a>>,
    root: Option<&'m Instruction<'a>>,
    /// What it reads.
    operands: Vec<&'a str>,
    shapes: Shapes<'a>,
    comparer: Comparer,
}

impl<'m, 'a> Results<'m, 'a> {
    pub(crate) fn of(instructions: &'m [Instruction<'a>]) -> Self {
        let root = instructions.iter().find(|i| i.is_root());
        let operands = root.map(Instruction::operands).into_iter().flatten();
        Results {
            instructions: instructions.iter().map(|i| (i.name(), i)).collect(),
            root,
            operands: operands.map(|operand| operand.name).collect(),
            shapes: Shapes::default(),
            comparer: Comparer::default(),
        }
    }

    /// The name of a result.
    pub(crate) fn name(&self, path: &[u32]) -> String {
        let leaf = shapes::Leaf { text: "", path: path.to_vec() };
        leaf.name(self.root.map_or("", |root| root.name()))
    }

    /// How the result at a path of tuple positions is made; nothing where that cannot be seen.
    pub(crate) fn made(&mut self, path: &[u32]) -> Option<Made<'m, 'a>> {
        let root = self.root?;
        let by = match path {
            [] => root,
            [position] if root.opcode() == "tuple" => {
                let operand = self.operands.get(*position as usize)?;
                *self.instructions.get(operand)?
            }
            _ => return None,
        };
        let array = self.shapes.single(by.shape())?;
        let moved = self.last_move(by, &array);
        Some(Made { array, by, moved })
    }

    /// The last move on the way to a result, and in which format that would come without it.
    fn last_move(
        &mut self,
        by: &'m Instruction<'a>,
        result: &Rc<Array>,
    ) -> Option<(&'m Instruction<'a>, ArrayShape)> {
        let (mut instruction, mut array) = (by, Rc::clone(result));
        // What is done to the operand, the last first.
        let mut turns: Vec<Turn> = Vec::new();
        for _ in 0..MAX_STEPS {
            let operand = instruction.operands().next()?;
            let operand = *self.instructions.get(operand.name)?;
            let from = self.shapes.single(operand.shape())?;
            if from.shape.element_type() != array.shape.element_type() {
                return None;
            }
            let dims = || Some(vec![Turn::Reshape(array.shape.sizes().ok()?)]);
            let (step, turn) = match instruction.opcode() {
                "bitcast" => {
                    let turns = bitcast_turns(&from, &array)?.into_iter().map(|[turn, _]| turn);
                    (Step::Bitcast, turns.collect())
                }
                "copy" => (Step::Copy, Vec::new()),
                "reshape" => (Step::Reshape, dims()?),
                "transpose" => {
                    let order = instruction.numbers("dimensions")?;
                    let turn = Turn::Transpose(Permutation::new(order.as_slice()).ok()?);
                    (Step::Transpose(order), vec![turn])
                }
                _ => return None,
            };
            turns.extend(turn.into_iter().rev());
            if !self.comparer.compare(&from, &array, step).holds? {
                let format = turned(&from.shape, turns.iter().rev())?;
                return (format != result.shape).then_some((instruction, format));
            }
            (instruction, array) = (operand, from);
        }
        None
    }
}
