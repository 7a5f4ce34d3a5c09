//! What a buffer is called, what it comes from, and what would make it smaller.

use hashbrown::HashMap;
use std::sync::Arc;

use memchr::memmem;
use tilewright::{ArrayShape, ElementType};

use super::order::Order;
use super::origin::origin;
use super::values::Values;
use super::{Alive, Buffer, Scheduled};
use crate::hint::{Adviser, Suggestion, bytes_of};
use crate::layer::layer;
use crate::module::Instruction;
use crate::shapes::Array;
use crate::source;

/// Describes buffers.
pub(super) struct Describer<'r, 'm, 'a> {
    scheduled: &'r Scheduled<'r, 'm, 'a>,
    order: &'r Order,
    adviser: Adviser<'r>,
    /// The pieces of memory that kernels read or write, each with the name of one.
    kernels: HashMap<u32, &'a str>,
    /// When the backward pass begins.
    backward: Option<u32>,
    /// The type of most parameters, if that is a floating-point type narrower than 32 bits.
    narrow: Option<ElementType>,
}

impl<'r, 'm, 'a> Describer<'r, 'm, 'a> {
    pub(super) fn new(
        scheduled: &'r Scheduled<'r, 'm, 'a>,
        order: &'r Order,
        values: &mut Values<'_, 'a>,
    ) -> Self {
        let times = 0..values.n_times();
        let is_backward = |time: usize| {
            let instruction = values.instruction(time);
            let is_said =
                memmem::find(instruction.attributes().as_bytes(), b"transpose(jvp").is_some();
            is_said
                && source::op_name(instruction).is_some_and(|name| name.contains("transpose(jvp"))
        };
        let backward = times.clone().find(|&time| is_backward(time)).map(|time| time as u32);
        // Of the parameters: the bytes in each of these types.
        let mut given = [(ElementType::F32, 0), (ElementType::Bf16, 0), (ElementType::F16, 0)];
        for time in times {
            if values.instruction(time).opcode() == "parameter" && values.is_of_entry(time) {
                for array in values.arrays(time).arrays.iter().flatten() {
                    let kind = array.shape.element_type();
                    let of_kind = given.iter_mut().find(|(given, _)| *given == kind);
                    of_kind
                        .into_iter()
                        .for_each(|(_, bytes)| *bytes = array.logical_bytes.saturating_add(*bytes));
                }
            }
        }
        let most = given.into_iter().max_by_key(|(_, bytes)| *bytes);
        let narrow = most.filter(|&(kind, bytes)| kind != ElementType::F32 && bytes > 0);
        let kernels = kernels(scheduled.of_kernels, order, values);
        Describer {
            scheduled,
            order,
            adviser: Adviser::new(scheduled.formats),
            kernels,
            backward,
            narrow: narrow.map(|(kind, _)| kind),
        }
    }

    pub(super) fn described(&mut self, values: &Values<'_, 'a>, buffer: &Buffer) -> Alive {
        let names = self.scheduled.names;
        let module = names.module;
        let (time, number) = (buffer.named.0 as usize, buffer.named.1 as usize);
        let instruction = values.instruction(time);
        let flat = values.arrays(time);
        let array = flat.arrays.get(number).and_then(Option::as_ref);
        let path = flat.paths.get(number).map_or(&[][..], Vec::as_slice);
        let name = match path.is_empty() {
            true => instruction.name().to_owned(),
            false => {
                let path: Vec<String> = path.iter().map(u32::to_string).collect();
                format!("{}{{{}}}", instruction.name(), path.join(","))
            }
        };
        let place = self.order.instructions.get(time).map_or(0, |&number| number as usize);
        let computation = module.computations.get(names.computation_of(place));
        let from = origin(names, place, path.first().copied());
        let from = module.instructions.get(from).unwrap_or(instruction);
        let op_name = source::op_name(from).or_else(|| source::op_name(instruction));
        let kernel = self.kernels.get(&buffer.value).copied();
        let (fault, hint) =
            array.map_or((None, None), |array| self.adviser.on(array, kernel.is_some()));
        let narrower = array.filter(|_| kernel.is_none()).and_then(|array| self.narrower(array));
        Alive {
            name,
            text: array.map_or_else(|| "".into(), |array| Arc::clone(&array.text)),
            bytes: buffer.bytes,
            padding_bytes: array.map_or(0, |array| array.padding_bytes()),
            op: instruction.opcode().to_owned(),
            computation: computation.map_or("", |c| c.name).to_owned(),
            source: module.sources.of(from).or_else(|| module.sources.of(instruction)),
            op_name: op_name.map(str::to_owned),
            layer: op_name.and_then(layer),
            line: instruction.line(),
            until: values.instruction(buffer.end as usize).name().to_owned(),
            kernel: kernel.map(str::to_owned),
            for_gradient: self.backward.is_some_and(|t| buffer.start < t && t <= buffer.end),
            narrower: narrower.map(Box::new),
            fault,
            hint,
        }
    }

    /// An array in the type of most parameters, with its tiles, of which each word holds two elements.
    fn narrower(&self, array: &Array) -> Option<Suggestion> {
        let to = self.narrow.filter(|_| array.shape.element_type() == ElementType::F32)?;
        let layout = array.shape.layout()?.clone();
        let packs = layout.tiles().first().is_some_and(|tile| tile.dims().len() == 2);
        let mut tiles = layout.tiles().to_vec();
        if packs {
            tiles.push(tilewright::xla::Tile::of(&[2, 1]).ok()?);
        }
        let shape = ArrayShape::new(to, &array.shape.sizes().ok()?).ok()?;
        let shape = shape.with_layout(layout.with_tiles(tiles)).ok()?;
        let bytes = bytes_of(&shape)?;
        (bytes < array.bytes).then(|| Suggestion { text: shape.to_string(), bytes })
    }
}

fn kernels<'a>(
    of_kernels: &HashMap<usize, &Instruction<'a>>,
    order: &Order,
    values: &mut Values<'_, 'a>,
) -> HashMap<u32, &'a str> {
    let mut kernels = HashMap::new();
    for (&number, kernel) in of_kernels {
        let Some(&time) = order.times.get(number).filter(|&&time| time != Order::NEVER) else {
            continue;
        };
        for value in values.all(time as usize) {
            let name = kernels.entry(values.find(value) as u32).or_insert(kernel.name());
            *name = (*name).min(kernel.name());
        }
    }
    kernels
}
