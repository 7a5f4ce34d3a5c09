//! What is done with each array, planned before anything is written.

use std::sync::Arc;

use anyhow::Context;
use tilewright::ElementType;
use tilewright::notation::DescribedArray;
use tilewright::text::abridged;
use tilewright::xla::PaddingValue;
use tilewright_files::{ArrayFile, ArrayInfo, ArraySpec, Format};
use tilewright_relayout::{Pad, Plan};

use crate::crew::Crew;
use crate::input::Input;
use crate::lying::Lying;
use crate::memory;
use crate::narrow::Narrowed;
use crate::targets::Targets;
use crate::ways::{Way, Ways};

/// One array: what it is, what it becomes, and how.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its number in the input.
    pub(crate) source: usize,
    /// Its number in the output.
    pub(crate) target: usize,
    name: String,
    pub(crate) spec: ArraySpec,
    way: Arc<Way>,
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
        let ways = Ways::default();
        let job = |array: usize| -> anyhow::Result<Job> {
            let info = &arrays[array];
            let from = input.described(array)?;
            let to = match targets.applied_to(info.name(), &from.bare()?, format)? {
                Some(to) => to,
                None => kept(info, &from, format),
            };
            let arrays = [from, to];
            let lie = || Ok([Lying::of(arrays[0].clone())?, Lying::of(arrays[1].clone())?]);
            let way = ways.between(&arrays, pad, lie)?;
            Job::new([array; 2], info, info.name().to_owned(), &arrays[1], way, format)
        };
        let about = |array: usize| format!("tensor `{}`", abridged(arrays[array].name()));
        let job = |array: usize| job(array).with_context(|| about(array));
        crew.each(arrays.len(), job).into_iter().collect()
    }

    /// An array of the input, by its number there and in the output, which becomes `to` under this name.
    pub(crate) fn new(
        [source, target]: [usize; 2],
        info: &ArrayInfo,
        name: String,
        to: &DescribedArray,
        way: Arc<Way>,
        format: Format,
    ) -> anyhow::Result<Self> {
        let shard = if format == Format::SafetensorsFolder { info.shard() } else { 0 };
        let pad_text = match (&way.pad_text, info.layout()) {
            (Some(text), _) => text,
            (None, Some(recorded)) => &recorded.pad,
            (None, None) => PaddingValue::Unknown.name(),
        };
        let spec = ArraySpec::of(&name, to, pad_text, format)?.shard(shard);
        Ok(Job { source, target, name, spec, way })
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
}

/// What is held of all arrays and of the ways to move them, about, beside their elements.
pub(crate) fn held_bytes(jobs: &[Job], file: &ArrayFile) -> usize {
    let of_array = |job: &Job| {
        let layouts = job.from().len() + job.to().len();
        let info = file.arrays().get(job.source);
        // Arrays of the same shapes share a plan.
        let shared = job.plan().map_or(0, Plan::held_bytes);
        let plan = shared.div_ceil(Arc::strong_count(&job.way).max(1));
        info.map_or(0, |info| memory::of_array(info, layouts)).saturating_add(plan)
    };
    jobs.iter().map(of_array).fold(0, usize::saturating_add)
}

/// An array that nobody named stays as it is; a dense one is dense in the output's own terms.
pub(crate) fn kept(info: &ArrayInfo, from: &DescribedArray, format: Format) -> DescribedArray {
    let Some(shape) = from.xla().filter(|_| info.layout().is_none()) else { return from.clone() };
    let dense = format.dense_layout(shape.element_type(), shape.rank(), info.order());
    shape.clone().with_layout(dense).map_or_else(|_| from.clone(), DescribedArray::from)
}
