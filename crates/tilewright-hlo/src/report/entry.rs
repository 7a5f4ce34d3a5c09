//! What goes into a program and comes out: parameters and results, how they are split over devices, and
//! which result takes the memory of which parameter.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tilewright::ArrayShape;

use super::build::Builder;
use super::{Donation, Value};
use crate::Dump;
use crate::live;
use crate::module::{Aliased, Instruction, Module, aliased};
use crate::scan;
use crate::shapes::{self, Leaf};
use crate::sharding::{self, Sharding, Split};

/// The memory space of the host.
pub(super) const HOST: &str = "host";

impl<'a> Builder<'a> {
    /// The parameters and the result of the entry computation.
    pub(super) fn entry(&mut self, module: &Module<'a>) {
        let Some((parameters, root)) = in_and_out(module) else {
            return self.entry_by_header(module);
        };
        let values = parameters.iter().flat_map(|(_, instruction)| self.values(instruction));
        self.report.parameters = values.collect();
        let Some(root) = root else { return };
        self.report.outputs = self.values(root);
        let donated = aliased(module.attribute("input_output_alias").unwrap_or(""));
        self.donations(&parameters, root, &donated);
        self.report.add_shardings_of(module);
    }

    /// What is donated, and what could be: results that have the format of a parameter.
    fn donations(
        &mut self,
        parameters: &[(usize, &Instruction<'a>)],
        root: &Instruction<'a>,
        donated: &[Aliased],
    ) {
        let to: HashSet<(usize, &[u32])> = donated.iter().map(|a| (0, &a.output[..])).collect();
        let from: HashSet<(usize, &[u32])> =
            donated.iter().map(|a| (a.operand, &a.path[..])).collect();
        let is_in = |all: &HashSet<(usize, &[u32])>, number: usize, path: &[u32]| {
            (0..=path.len()).any(|n| all.contains(&(number, &path[..n])))
        };
        let mut kept: HashMap<Arc<str>, Vec<Kept>> = HashMap::new();
        for (number, parameter) in parameters.iter().rev() {
            let leaves: Vec<Leaf<'a>> = shapes::arrays(parameter.shape()).collect();
            for leaf in leaves.into_iter().rev().filter(|l| !is_in(&from, *number, &l.path)) {
                if let Some(array) = self.shapes.array(leaf.text) {
                    let kept = kept.entry(Arc::clone(&array.text)).or_default();
                    kept.push((leaf.name(parameter.name()), *number, leaf.path));
                }
            }
        }
        for leaf in shapes::arrays(root.shape()) {
            let Some(array) = self.shapes.array(leaf.text) else { continue };
            let is_host = live::space_name(live::space_of(&array)) == HOST;
            if is_in(&to, 0, &leaf.path) {
                let totals = &mut self.report.totals;
                let aliases = if is_host { &mut totals.host_aliases } else { &mut totals.aliases };
                aliases.add(array.bytes, array.logical_bytes);
                continue;
            }
            let Some(kept) = kept.get_mut(&array.text).and_then(Vec::pop) else { continue };
            let (parameter, operand, path) = kept;
            self.report.donations.push(Donation {
                parameter,
                output: leaf.name(root.name()),
                text: Arc::clone(&array.text),
                bytes: array.bytes,
                alias: Aliased { output: leaf.path, operand, path },
            });
        }
        self.report.donations.sort_by_key(|donation| std::cmp::Reverse(donation.bytes));
    }

    /// The same from the module's header, `{(parameter, …)->result}`, where the text ends before
    /// the entry.
    fn entry_by_header(&mut self, module: &Module<'a>) {
        let layout = module.attribute("entry_computation_layout").unwrap_or("");
        let Some(layout) = layout.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
            return;
        };
        let (parameters, result) = layout.split_at(scan::closing(layout).unwrap_or(0));
        self.report.parameters = self.arrays_of("parameter", parameters);
        self.report.outputs = self.arrays_of("result", result.strip_prefix("->").unwrap_or(""));
    }

    /// The arrays of an instruction's result.
    fn values(&mut self, instruction: &Instruction<'a>) -> Vec<Value> {
        self.arrays_of(instruction.name(), instruction.shape())
    }

    fn arrays_of(&mut self, name: &str, shape: &'a str) -> Vec<Value> {
        let leaves = shapes::arrays(shape);
        let values = leaves.filter_map(|leaf| {
            let array = self.shapes.array(leaf.text)?;
            Some(Value {
                name: leaf.name(name),
                text: array.text.clone(),
                bytes: array.bytes,
                logical_bytes: array.logical_bytes,
                space: live::space_name(live::space_of(&array)),
                sharding: None,
            })
        });
        values.collect()
    }
}

/// A parameter that is not donated: its name, its number, and the place in it.
type Kept = (String, usize, Vec<u32>);

/// The parameters of a module's entry with their numbers, in order, and its root.
type InAndOut<'m, 'a> = (Vec<(usize, &'m Instruction<'a>)>, Option<&'m Instruction<'a>>);

fn in_and_out<'m, 'a>(module: &'m Module<'a>) -> Option<InAndOut<'m, 'a>> {
    let instructions = module.instructions_of(module.entry()?);
    let parameters = instructions.iter().filter(|i| i.opcode() == "parameter");
    let mut parameters: Vec<(usize, &Instruction<'a>)> =
        parameters.map(|i| (i.parameter_number().unwrap_or(usize::MAX), i)).collect();
    parameters.sort_by_key(|(number, _)| *number);
    Some((parameters, instructions.iter().find(|i| i.is_root())))
}

impl super::Report {
    /// Says of parameters and results how they are split over devices, from the module as it was before it was
    /// optimised: once a program is split, its text says no more of that.
    ///
    /// ```
    /// use tilewright_hlo::{Dump, Report};
    /// let part = "HloModule m, num_partitions=4\nENTRY e_spmd {\n  ROOT p = f32[8,128]{1,0} parameter(0)\n}\n";
    /// let whole = "HloModule m, num_partitions=4\nENTRY e {\n  ROOT p = f32[16,128]{1,0} parameter(0), \
    ///              sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}\n}\n";
    /// let mut report = Report::of(&Dump::read(part));
    /// report.add_shardings(&Dump::read(whole));
    /// let sharding = report.parameters[0].sharding.as_ref().unwrap();
    /// assert_eq!((&*sharding.global, sharding.replicated), ("f32[16,128]", 2));
    /// ```
    pub fn add_shardings(&mut self, before: &Dump<'_>) {
        if let Some(module) = &before.module {
            self.add_shardings_of(module);
        }
    }

    fn add_shardings_of(&mut self, module: &Module<'_>) {
        let Some((parameters, root)) = in_and_out(module) else { return };
        let partitions = module.attribute("num_partitions").and_then(|n| n.parse().ok());
        let partitions: u64 = partitions.unwrap_or(1);
        let entry = module.entry().map_or("", |entry| entry.name);
        let is_split = module.attribute("is_scheduled") == Some("true") || entry.ends_with("_spmd");
        let parameters: Vec<&Instruction<'_>> = parameters.into_iter().map(|(_, i)| i).collect();
        let root: Vec<&Instruction<'_>> = root.into_iter().collect();
        for (values, of) in [(&mut self.parameters, &parameters), (&mut self.outputs, &root)] {
            add_shardings(values, of, partitions, is_split);
        }
    }
}

/// Says of values how they are split: those of these instructions, if they are as many, whose shapes are what
/// a device has (`is_split`), or the whole.
fn add_shardings(
    values: &mut [Value],
    instructions: &[&Instruction<'_>],
    partitions: u64,
    is_split: bool,
) {
    let leaves = instructions.iter().flat_map(|instruction| {
        let text = instruction.attribute("sharding").unwrap_or("");
        let texts = sharding::texts(text);
        shapes::arrays(instruction.shape()).enumerate().map(move |(number, leaf)| {
            // One text may be for all of a tuple.
            (leaf.text, texts.get(number).or(texts.first()).copied().unwrap_or(""))
        })
    });
    let leaves: Vec<(&str, &str)> = leaves.collect();
    if leaves.len() != values.len() {
        return;
    }
    for (value, (shape, text)) in values.iter_mut().zip(leaves) {
        let Some(split) = Split::of(text, partitions) else { continue };
        let shape: Option<ArrayShape> = shape.parse().ok();
        let whole = shape.and_then(|shape| {
            let sizes = shape.sizes().ok()?;
            let sizes = if is_split { split.whole(&sizes)? } else { sizes };
            ArrayShape::new(shape.element_type(), &sizes).ok()
        });
        value.sharding = whole.map(|whole| {
            Box::new(Sharding {
                text: text.to_owned(),
                global: whole.to_string(),
                parts: split.parts,
                devices: split.devices,
                replicated: split.replicated,
            })
        });
    }
}
