//! A module's parameters, what becomes of them, and which results take their memory.

use std::collections::HashMap;

use super::results::Results;
use super::uses::Follower;
use super::{Flow, Output};
use crate::module::{Instruction, Module, aliased};
use crate::shapes::{self, Leaf};

/// The entry computation, as far as its parameters and results are concerned.
pub(crate) struct Entry<'m, 'a> {
    instructions: &'m [Instruction<'a>],
    follower: Follower<'m, 'a>,
    results: Results<'m, 'a>,
    /// The place of the result that takes the memory of a parameter, of this number and at this place.
    aliased: HashMap<(usize, Vec<u32>), Vec<u32>>,
    /// The texts of the arrays in the root's shape.
    outputs: HashMap<Vec<u32>, &'a str>,
}

/// One array of a parameter.
#[derive(Clone)]
pub(crate) struct Parameter<'m, 'a> {
    /// The parameter's number.
    pub(crate) number: usize,
    pub(crate) instruction: &'m Instruction<'a>,
    pub(crate) leaf: Leaf<'a>,
}

impl Parameter<'_, '_> {
    /// The parameter's name; in a tuple with the position, `name{1}`.
    pub(crate) fn name(&self) -> String {
        self.leaf.name(self.instruction.name())
    }
}

impl<'m, 'a> Entry<'m, 'a> {
    /// Of a module; nothing where its entry is missing.
    pub(crate) fn of(module: &'m Module<'a>) -> Option<Self> {
        let instructions = module.instructions_of(module.entry()?);
        let root = instructions.iter().find(|instruction| instruction.is_root());
        let outputs = root.map(|root| shapes::arrays(root.shape())).into_iter().flatten();
        let aliased = aliased(module.attribute("input_output_alias").unwrap_or(""));
        Some(Entry {
            instructions,
            follower: Follower::new(instructions),
            results: Results::of(instructions),
            aliased: aliased.into_iter().map(|a| ((a.operand, a.path), a.output)).collect(),
            outputs: outputs.map(|leaf| (leaf.path, leaf.text)).collect(),
        })
    }

    /// Each array of each parameter, in order.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'m, 'a>> {
        let parameters = self.instructions.iter().filter(|i| i.opcode() == "parameter");
        let leaves = parameters.flat_map(|instruction| {
            let number = instruction.parameter_number().unwrap_or(usize::MAX);
            shapes::arrays(instruction.shape()).map(move |leaf| Parameter {
                number,
                instruction,
                leaf,
            })
        });
        let mut all: Vec<Parameter<'m, 'a>> = leaves.collect();
        all.sort_by_key(|parameter| parameter.number);
        all
    }

    /// What becomes of a parameter; nothing where its shape cannot be read. To be asked once of each.
    pub(crate) fn flow(&mut self, parameter: &Parameter<'m, 'a>) -> Option<Flow<'m, 'a>> {
        let uses = self.follower.uses(parameter.instruction, &parameter.leaf)?;
        let output = self.output_of(parameter).map(|path| {
            let made = self.results.made(&path);
            let made = made.filter(|made| made.array.text == uses.array.text);
            Output { name: self.results.name(&path), path, made }
        });
        Some(Flow { parameter: parameter.clone(), uses, output })
    }

    /// The instruction whose result is the program's.
    pub(crate) fn root(&self) -> Option<&'m Instruction<'a>> {
        self.instructions.iter().find(|instruction| instruction.is_root())
    }

    /// How often a name is an operand.
    pub(crate) fn n_uses(&self, name: &str) -> usize {
        self.follower.n_users(name)
    }

    /// The place of the result that takes the memory of a parameter.
    pub(crate) fn output_of(&self, parameter: &Parameter<'_, '_>) -> Option<Vec<u32>> {
        let path = &parameter.leaf.path;
        (0..=path.len()).find_map(|n| {
            let output = self.aliased.get(&(parameter.number, path[..n].to_vec()))?;
            Some([output, &path[n..]].concat())
        })
    }

    /// The text of the result at a place.
    pub(crate) fn output(&self, path: &[u32]) -> Option<&'a str> {
        self.outputs.get(path).copied()
    }
}
