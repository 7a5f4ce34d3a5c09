//! The work of a way, planned before anything is written.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use tilewright::ElementType;
use tilewright::formats::catalogue::NamedArray;
use tilewright::notation::DescribedArray;
use tilewright::text::abridged;
use tilewright::xla::PaddingValue;
use tilewright_files::{ArrayFile, ArraySpec, Format};
use tilewright_relayout::{Pad, Plan};

use crate::crew::Crew;
use crate::input::{self, Input};
use crate::memory;
use crate::narrow::Narrowed;
use crate::targets::Targets;

/// One array: what it is, what it becomes, and how.
#[derive(Debug)]
pub struct Job {
    pub(crate) array: usize,
    name: String,
    pub(crate) spec: ArraySpec,
    way: Arc<Way>,
}

/// How arrays in one layout become arrays of another. A file often has thousands alike.
#[derive(Debug)]
struct Way {
    from: String,
    to: String,
    element_type: ElementType,
    bytes_in: u64,
    bytes_out: u64,
    plan: Option<Plan>,
    pad: Pad,
    /// What padding holds, as it is recorded; `None` where it holds what it held.
    pad_text: Option<String>,
    narrowed: Option<Narrowed>,
}

/// What turns one shape into another, kept for the next array that needs the same.
type Known = Mutex<HashMap<Wanted, Arc<Way>>>;

/// What they are and become, and what padding is to hold where that is said.
type Wanted = ([String; 2], Option<String>);

/// What is the same for every array of a way.
struct Planner<'a> {
    input: &'a Input,
    targets: &'a Targets,
    format: Format,
    pad: Option<&'a str>,
    known: Known,
}

impl Job {
    /// The work for every array of the input. Nothing has been written when this fails.
    pub(crate) fn plan_all(
        input: &Input,
        targets: &Targets,
        format: Format,
        pad: Option<&str>,
        crew: &Crew,
    ) -> anyhow::Result<Vec<Job>> {
        let arrays = input.file().arrays();
        targets.check_names(arrays)?;
        let planner = Planner { input, targets, format, pad, known: Known::default() };
        crew.each(arrays.len(), |array| planner.job(array)).into_iter().collect()
    }

    /// Its name in the output.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn from(&self) -> &str {
        &self.way.from
    }

    /// What it becomes.
    pub fn to(&self) -> &str {
        &self.way.to
    }

    /// How to move it, or `None` where its bytes stay as they are.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.way.plan.as_ref()
    }

    /// The most bytes that a thread allocates to move it, beside its source and its destination.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.plan().map_or(0, Plan::scratch_bytes)
    }

    /// What padding holds.
    pub(crate) fn pad(&self) -> Pad {
        self.way.pad
    }

    /// What is to be checked, where elements go from whole bytes to fewer bits.
    pub(crate) fn narrowed(&self) -> Option<&Narrowed> {
        self.way.narrowed.as_ref()
    }

    /// The type of its elements.
    pub fn element_type(&self) -> ElementType {
        self.way.element_type
    }

    /// Its bytes in the input.
    pub fn bytes_in(&self) -> u64 {
        self.way.bytes_in
    }

    /// Its bytes in the output.
    pub fn bytes_out(&self) -> u64 {
        self.way.bytes_out
    }
}

/// What is held of all arrays and of the ways to move them, about, beside their elements.
pub(crate) fn held_bytes(jobs: &[Job], file: &ArrayFile) -> usize {
    let of_array = |job: &Job| {
        let layouts = job.way.from.len() + job.way.to.len();
        let info = file.arrays().get(job.array);
        // Arrays of the same shapes share a plan.
        let shared = job.plan().map_or(0, Plan::held_bytes);
        let plan = shared.div_ceil(Arc::strong_count(&job.way).max(1));
        info.map_or(0, |info| memory::of_array(info, layouts)).saturating_add(plan)
    };
    jobs.iter().map(of_array).fold(0, usize::saturating_add)
}

impl Planner<'_> {
    fn job(&self, array: usize) -> anyhow::Result<Job> {
        let Planner { input, targets, format, .. } = *self;
        let name = input.file().arrays()[array].name();
        let about = || format!("tensor `{}`", abridged(name));
        let from = input.described(array).with_context(about)?;
        let to = match targets.applied_to(name, &from.bare().with_context(about)?, format)? {
            Some(to) => to,
            None => kept(input, array, &from, format),
        };
        self.job_between(array, &[from, to]).with_context(about)
    }

    fn job_between(&self, array: usize, arrays: &[DescribedArray; 2]) -> anyhow::Result<Job> {
        let info = &self.input.file().arrays()[array];
        let format = self.format;
        let way = self.way(arrays)?;
        let shard = if format == Format::SafetensorsFolder { info.shard() } else { 0 };
        let pad_text = match (&way.pad_text, info.layout()) {
            (Some(text), _) => text,
            (None, Some(recorded)) => &recorded.pad,
            (None, None) => PaddingValue::Unknown.name(),
        };
        let spec = ArraySpec::of(info.name(), &arrays[1], pad_text, format)?;
        Ok(Job { array, name: info.name().to_owned(), spec: spec.shard(shard), way })
    }

    /// What turns the first of two arrays into the second, planned if it is not known.
    fn way(&self, arrays: &[DescribedArray; 2]) -> anyhow::Result<Arc<Way>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let pad = self.pad.map(str::to_owned).or_else(|| of_library(&arrays[1]));
        let wanted = (arrays.each_ref().map(ToString::to_string), pad);
        if let Some(way) = known().get(&wanted) {
            return Ok(Arc::clone(way));
        }
        let way = Arc::new(Way::plan(arrays, wanted.1.as_deref())?);
        known().insert(wanted, Arc::clone(&way));
        Ok(way)
    }
}

/// What the library whose layout it is fills padding with, where that is not zeros.
fn of_library(array: &DescribedArray) -> Option<String> {
    let byte = array.named().map_or(0, NamedArray::padding);
    (byte != 0).then(|| format!("{byte:#04x}"))
}

impl Way {
    fn plan([from, to]: &[DescribedArray; 2], pad: Option<&str>) -> anyhow::Result<Self> {
        check_width(to)?;
        let [source, target] = [from.index_map()?, to.index_map()?];
        let has_padding = target.allocation() != target.elements();
        let (bits, pad_text) = to.padding(pad.filter(|_| has_padding))?;
        let [bytes_in, bytes_out] = [from, to].map(DescribedArray::bytes);
        let (bytes_in, bytes_out) = (bytes_in?.unsigned_abs(), bytes_out?.unsigned_abs());
        let element_type = from.element_type();
        let stays = source == target
            && from.element_bits() == to.element_bits()
            && from.xor_mask() == to.xor_mask();
        // Asked to hold something, padding is written where nothing else changes, too.
        let is_moved = !stays || (has_padding && pad.is_some());
        let plan = is_moved
            .then(|| input::plan(from, to))
            .transpose()?
            .filter(|plan| !(plan.is_copy() && bytes_in == bytes_out));
        let narrows = from.element_bits() == 8 && to.element_bits() < 8;
        Ok(Way {
            from: from.to_string(),
            to: to.to_string(),
            element_type: to.element_type(),
            bytes_in,
            bytes_out,
            pad_text: (is_moved || !has_padding).then_some(pad_text),
            plan,
            pad: if bits == 0 { Pad::Zero } else { Pad::Bits(bits) },
            narrowed: narrows.then(|| Narrowed::new(element_type, source)),
        })
    }
}

/// Elements that would lose bits are not moved.
fn check_width(to: &DescribedArray) -> anyhow::Result<()> {
    let (bits, element_type) = (to.element_bits(), to.element_type());
    if bits < element_type.bits() {
        bail!("E({bits}) does not hold the {} bits of {element_type}", element_type.bits());
    }
    Ok(())
}

/// An array that nobody named stays as it is; a dense one is dense in the output's own terms.
fn kept(input: &Input, array: usize, from: &DescribedArray, format: Format) -> DescribedArray {
    let info = &input.file().arrays()[array];
    let Some(shape) = from.xla().filter(|_| info.layout().is_none()) else { return from.clone() };
    let dense = format.dense_layout(shape.element_type(), shape.rank(), info.order());
    shape.clone().with_layout(dense).map_or_else(|_| from.clone(), DescribedArray::from)
}
