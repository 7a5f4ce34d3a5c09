//! How a relayout goes.

use serde::{Deserialize, Serialize};
use tilewright::ElementType;
use tilewright_relayout::{
    BoxDescription, Description, LoopDescription, Placement, Plan as Relayout,
};

use crate::error::Error;
use crate::subject::{Reader, Subject};

/// The bits of an element where neither layout says.
const DEFAULT_BITS: u32 = 32;

/// How does a relayout go?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The layout that the array has.
    pub from: String,
    /// The layout that it is to have.
    pub to: String,
    /// The bytes of a chunk, where somebody wants to say.
    #[serde(default)]
    pub chunk: Option<usize>,
}

/// How it goes.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    /// The layout that the array has.
    pub from: String,
    /// The layout that it is to have.
    pub to: String,
    /// `copy`, `boxes`, `through` or `elements`.
    pub route: &'static str,
    /// The bytes of the source.
    pub bytes_read: usize,
    /// The bytes of the destination.
    pub bytes_written: usize,
    /// How many places of the destination are padding.
    pub padding_slots: i64,
    /// How many of them boxes have, too: what they write there is filled afterwards.
    pub refilled_slots: i64,
    /// How many places of the source's padding are moved with rows, beyond their ends, and left or written over by the next row.
    pub overwritten_slots: i64,
    /// In how many parts it is made.
    pub chunks: usize,
    /// The bytes of a part.
    pub chunk_bytes: usize,
    /// Whether chunks are walked as the source lies.
    pub follows_source: bool,
    /// `cached`, `streamed` or `staged`.
    pub stores: &'static str,
    /// The registers that kernels use.
    pub registers: &'static str,
    /// The boxes of elements that are moved.
    pub boxes: Vec<PlannedBox>,
    /// The same as the planner has it.
    #[serde(skip)]
    pub description: Description,
}

/// A box of elements. Strides and starts are in bits, since an element may be less than a byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedBox {
    /// How many there are, with the places that are filled afterwards.
    pub elements: i64,
    /// What moves the innermost loops.
    pub kernel: &'static str,
    /// How much that moves at a time.
    pub unit_bits: i64,
    /// Where the first is in the source.
    pub source_start_bits: i64,
    /// Where the first goes.
    pub destination_start_bits: i64,
    /// The loops, outermost first.
    pub loops: Vec<PlannedLoop>,
}

/// A loop over elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedLoop {
    /// How often.
    pub extent: i64,
    /// How far on in the source each time.
    pub source_stride_bits: i64,
    /// How far on in the destination.
    pub destination_stride_bits: i64,
    /// `walk` for a loop around the kernel, `kernel` for one of its own.
    pub part: &'static str,
}

impl Plan {
    /// The answer.
    ///
    /// # Errors
    /// If one of the texts says no array, or the one cannot become the other.
    pub fn answer(&self, reader: Reader<'_>) -> Result<Planned, Error> {
        let (from, to) = (reader.array(&self.from)?, reader.array(&self.to)?);
        let bits = from.element_bits().or(to.element_bits()).unwrap_or_else(|| {
            (reader.note)(&format!("no element type is said: elements of {DEFAULT_BITS} bits"));
            DEFAULT_BITS
        });
        let plan = planned(&from, &to, bits, self.chunk).map_err(Error::of)?;
        Ok(Planned::new(from.text(), to.text(), plan.describe()))
    }
}

fn planned(
    from: &Subject,
    to: &Subject,
    bits: u32,
    chunk: Option<usize>,
) -> Result<Relayout, tilewright_relayout::Error> {
    let placed =
        |side: &Subject| Placement::new(side.map().clone(), side.element_bits().unwrap_or(bits));
    let value =
        [from, to].iter().filter_map(|side| side.element_type()).map(ElementType::bits).min();
    let plan = Relayout::with_value_bits(&placed(from)?, &placed(to)?, value.unwrap_or(128))?;
    match chunk {
        Some(bytes) => plan.with_chunks_of(bytes),
        None => Ok(plan),
    }
}

impl Planned {
    fn new(from: String, to: String, description: Description) -> Self {
        Planned {
            from,
            to,
            route: description.route.name(),
            bytes_read: description.src_bytes,
            bytes_written: description.dst_bytes,
            padding_slots: description.padding_slots,
            refilled_slots: description.refilled_slots,
            overwritten_slots: description.overwritten_slots,
            chunks: description.n_chunks,
            chunk_bytes: description.chunk_bytes,
            follows_source: description.follows_source,
            stores: description.stores.name(),
            registers: description.registers,
            boxes: description.boxes.iter().map(PlannedBox::new).collect(),
            description,
        }
    }
}

impl PlannedBox {
    fn new(of: &BoxDescription) -> Self {
        PlannedBox {
            elements: of.elements,
            kernel: of.kernel.name(),
            unit_bits: of.unit_bits,
            source_start_bits: of.src_start_bits,
            destination_start_bits: of.dst_start_bits,
            loops: of.loops.iter().map(PlannedLoop::new).collect(),
        }
    }
}

impl PlannedLoop {
    fn new(of: &LoopDescription) -> Self {
        PlannedLoop {
            extent: of.extent,
            source_stride_bits: of.src_stride_bits,
            destination_stride_bits: of.dst_stride_bits,
            part: if of.is_kernels { "kernel" } else { "walk" },
        }
    }
}
