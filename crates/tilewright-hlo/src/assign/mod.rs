//! Formats for a module's parameters that cost less than those it has.
//!
//! # What is counted
//! For each parameter of the entry, in bytes: the *padding* of its format, and what is *moved* to
//! bring it into the formats that its uses want, read and written once for each format other than
//! its own. The best format is the one with the smallest sum, of these: the module's own, the ones
//! that its uses want, and the array's dimensions in other orders with the tiles it has or with
//! fewer rows.
//!
//! # What a use wants
//! A parameter is followed through bitcasts, transposes and reshapes that move nothing, and copies
//! that keep the format. A copy, transpose or reshape that the maps say moves elements wants the
//! format it moves to, seen from the parameter. Every other use wants the format that it is given,
//! because in which others it could do its work is not in the module. Each instruction counts once,
//! however often a loop runs; what happens within loops and fusions is a use like any other.

mod uses;

use std::sync::Arc;

use serde::Serialize;
use tilewright::ArrayShape;

use self::uses::Follower;
use crate::Dump;
use crate::hint::{Formats, Permuted};
use crate::module::Instruction;
use crate::shapes::{self, Array};

/// The best formats for a module's parameters, beside its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// Each array of each parameter, in order.
    pub parameters: Vec<AssignedParameter>,
    /// The sums.
    pub totals: AssignedTotals,
}

/// A parameter's format, and the best one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AssignedParameter {
    /// The parameter's name; in a tuple with the position, `name{1}`.
    pub name: String,
    /// In the module's own format.
    pub module: Choice,
    /// In the best one, which is the module's own where none is better.
    pub best: Choice,
    /// How many uses want the module's own format.
    pub uses_as_is: usize,
    /// How many uses move it into another.
    pub uses_moved: usize,
}

/// What a parameter costs in a format, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The array's shape and layout.
    pub text: Arc<str>,
    /// What it takes in memory.
    pub bytes: i64,
    /// What of that is padding.
    pub padding_bytes: i64,
    /// What is read and written to bring it into the formats that uses want.
    pub moved_bytes: i64,
}

/// Sums over an [`Assignment`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssignedTotals {
    /// In the module's own formats.
    pub module: Cost,
    /// In the best ones.
    pub best: Cost,
}

/// The cost of some parameters, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// What they take in memory.
    pub bytes: i64,
    /// What of that is padding.
    pub padding_bytes: i64,
    /// What is read and written to bring them into the formats that uses want.
    pub moved_bytes: i64,
}

impl Choice {
    fn cost(&self) -> i64 {
        self.padding_bytes.saturating_add(self.moved_bytes)
    }
}

impl Cost {
    fn plus(self, choice: &Choice) -> Self {
        Cost {
            bytes: self.bytes.saturating_add(choice.bytes),
            padding_bytes: self.padding_bytes.saturating_add(choice.padding_bytes),
            moved_bytes: self.moved_bytes.saturating_add(choice.moved_bytes),
        }
    }
}

impl Assignment {
    /// The best formats for the entry parameters of a dump's module.
    ///
    /// ```
    /// use tilewright_hlo::{Assignment, Dump};
    /// let text = "ENTRY e {\n  p = f32[64,256]{0,1:T(8,128)} parameter(0)\n  \
    ///             c = f32[64,256]{1,0:T(8,128)} copy(p)\n  ROOT n = f32[64,256]{1,0:T(8,128)} negate(c)\n}\n";
    /// let assignment = Assignment::of(&Dump::read(text));
    /// let best = &assignment.parameters[0].best;
    /// assert_eq!((&*best.text, best.moved_bytes), ("f32[64,256]{1,0:T(8,128)}", 0));
    /// ```
    pub fn of(dump: &Dump<'_>) -> Self {
        let Some(module) = &dump.module else { return Assignment::default() };
        let Some(entry) = module.entry() else { return Assignment::default() };
        let instructions = module.instructions_of(entry);
        let mut follower = Follower::new(instructions);
        let mut parameters: Vec<(u64, &Instruction<'_>)> = instructions
            .iter()
            .filter(|instruction| instruction.opcode == "parameter")
            .map(|parameter| (parameter.operands.trim().parse().unwrap_or(u64::MAX), parameter))
            .collect();
        parameters.sort_by_key(|(number, _)| *number);
        let mut all = Vec::new();
        for (_, parameter) in parameters {
            for leaf in shapes::arrays(parameter.shape) {
                all.extend(follower.assigned(parameter, &leaf));
            }
        }
        let totals =
            all.iter().fold(AssignedTotals::default(), |totals, parameter| AssignedTotals {
                module: totals.module.plus(&parameter.module),
                best: totals.best.plus(&parameter.best),
            });
        Assignment { parameters: all, totals }
    }
}

/// The best format of an array, given the other formats that it is moved to, each once.
fn best(own: &Array, wanted: &[ArrayShape], uses_as_is: usize) -> Option<[Choice; 2]> {
    if wanted.is_empty() && uses_as_is > 0 {
        // Any other format would be moved into this one, which is more than all its padding.
        let choice = choice(own, &[]);
        return Some([choice.clone(), choice]);
    }
    let as_is = std::iter::once(&own.shape).filter(|_| uses_as_is > 0);
    let wants: Vec<Array> =
        as_is.chain(wanted).map(|shape| Array::new(shape.clone()).ok()).collect::<Option<_>>()?;
    let own_choice = choice(own, &wants);
    let others = wanted.iter().cloned().chain(Permuted.candidates(&own.shape));
    let mut best = own_choice.clone();
    for array in others.filter_map(|shape| Array::new(shape).ok()) {
        let other = choice(&array, &wants);
        if other.cost() < best.cost() {
            best = other;
        }
    }
    Some([own_choice, best])
}

fn choice(array: &Array, wants: &[Array]) -> Choice {
    let others = wants.iter().filter(|want| want.text != array.text);
    let moved =
        others.fold(0i64, |sum, want| sum.saturating_add(array.bytes).saturating_add(want.bytes));
    Choice {
        text: Arc::clone(&array.text),
        bytes: array.bytes,
        padding_bytes: array.padding_bytes(),
        moved_bytes: moved,
    }
}
