//! A module's instructions and computations by name.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::module::{Instruction, Module};

/// Operands behind so many others are not looked for: that takes time for each.
const MAX_OPERANDS: usize = 4096;

/// Values are followed over so many instructions.
const MAX_STEPS: usize = 64;

/// In a computation of no more instructions than these, names are looked for one by one.
const FEW: usize = 16;

/// The instructions of each computation by name, as numbers in the module.
pub(crate) struct Names<'m, 'a> {
    pub(crate) module: &'m Module<'a>,
    /// Of computations with more than [`FEW`] instructions: the number of each, by its name's hash.
    names: Vec<Option<HashTable<u32>>>,
    hasher: DefaultHashBuilder,
    computations: HashMap<&'a str, usize>,
    /// The instruction whose result is a computation's.
    roots: Vec<Option<usize>>,
}

/// The numbers of instructions by the hashes of their names; of several with one name the last.
fn table(instructions: &[Instruction<'_>], hasher: &DefaultHashBuilder) -> HashTable<u32> {
    let hash = |&number: &u32| hasher.hash_one(instructions[number as usize].name());
    let mut table = HashTable::with_capacity(instructions.len());
    for (number, instruction) in (0..).zip(instructions) {
        let is_same = |&other: &u32| instructions[other as usize].name() == instruction.name();
        *table.entry(hash(&number), is_same, hash).or_insert(number).into_mut() = number;
    }
    table
}

impl<'m, 'a> Names<'m, 'a> {
    pub(crate) fn of(module: &'m Module<'a>) -> Self {
        let hasher = DefaultHashBuilder::default();
        let names = module.computations.iter().map(|computation| {
            let instructions = module.instructions_of(computation);
            (instructions.len() > FEW).then(|| table(instructions, &hasher))
        });
        let computations = module.computations.iter().enumerate().map(|(n, c)| (c.name, n));
        let roots = module.computations.iter().map(|computation| {
            let last = module
                .instructions_of(computation)
                .iter()
                .rposition(super::module::Instruction::is_root)?;
            Some(computation.instructions.start + last)
        });
        let (names, computations, roots) =
            (names.collect(), computations.collect(), roots.collect());
        Names { module, names, hasher, computations, roots }
    }

    /// The instruction of a computation with a name; of several the last.
    pub(crate) fn find(&self, computation: usize, name: &str) -> Option<usize> {
        let names = self.names.get(computation)?;
        let computation = self.module.computations.get(computation)?;
        let instructions = self.module.instructions_of(computation);
        let is_called = |instruction: &Instruction<'_>| instruction.name() == name;
        let last = match names {
            Some(names) => {
                let is_it = |&number: &u32| is_called(&instructions[number as usize]);
                *names.find(self.hasher.hash_one(name), is_it)? as usize
            }
            None => instructions.iter().rposition(is_called)?,
        };
        Some(computation.instructions.start + last)
    }

    /// The computation that an instruction is in.
    pub(crate) fn computation_of(&self, instruction: usize) -> usize {
        let after =
            self.module.computations.partition_point(|c| c.instructions.start <= instruction);
        after.saturating_sub(1)
    }

    /// The computation with a name.
    pub(crate) fn computation(&self, name: &str) -> Option<usize> {
        self.computations.get(name).copied()
    }

    /// The computation that an attribute names.
    pub(crate) fn named(&self, instruction: &Instruction<'a>, attribute: &str) -> Option<usize> {
        let name = instruction.attribute(attribute)?;
        self.computation(name.strip_prefix('%').unwrap_or(name))
    }

    /// An operand of an instruction.
    pub(crate) fn operand(&self, instruction: usize, number: usize) -> Option<usize> {
        if number > MAX_OPERANDS {
            return None;
        }
        let operand = self.get(instruction)?.operands().nth(number)?;
        self.find(self.computation_of(instruction), operand.name)
    }

    /// The instruction whose result is a computation's.
    pub(crate) fn root(&self, computation: usize) -> Option<usize> {
        self.roots.get(computation).copied().flatten()
    }

    /// An instruction of the module.
    pub(crate) fn get(&self, instruction: usize) -> Option<&'m Instruction<'a>> {
        self.module.instructions.get(instruction)
    }

    /// What kernels read and write, through bitcasts: each instruction with the kernel's. In which format that
    /// is, the kernel's code says, so no other will do.
    pub(crate) fn of_kernels(&self) -> HashMap<usize, &'m Instruction<'a>> {
        let mut of_kernels = HashMap::new();
        for (number, kernel) in self.module.instructions.iter().enumerate() {
            let is_kernel = kernel.opcode() == "custom-call"
                && kernel.attribute("custom_call_target") == Some("\"tpu_custom_call\"");
            if !is_kernel {
                continue;
            }
            of_kernels.insert(number, kernel);
            let computation = self.computation_of(number);
            let named = |name: &str| self.find(computation, name);
            for operand in kernel.operands().take(MAX_OPERANDS) {
                let mut next = named(operand.name);
                for _ in 0..MAX_STEPS {
                    let Some(number) = next else { break };
                    of_kernels.entry(number).or_insert(kernel);
                    let passed = self.get(number).filter(|i| i.opcode() == "bitcast");
                    next = passed.and_then(|i| named(i.operands().next()?.name));
                }
            }
        }
        of_kernels
    }
}
