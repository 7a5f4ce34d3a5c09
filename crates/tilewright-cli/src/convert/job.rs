//! The work of a conversion, planned before anything is written.

use anyhow::{Context, bail};
use tilewright::xla::Padding;
use tilewright::{ArrayShape, ElementType};
use tilewright_files::{ArraySpec, Format};
use tilewright_relayout::{Pad, Placement, Plan};

use super::crew::Crew;
use super::target::Targets;
use super::{Row, pad};
use crate::input::{self, Input};

/// One array: what it is, what it becomes, and how.
pub(crate) struct Job {
    pub(crate) array: usize,
    pub(crate) name: String,
    from: ArrayShape,
    to: ArrayShape,
    pub(crate) spec: ArraySpec,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    /// How to move it, or `None` where its bytes stay as they are.
    pub(crate) plan: Option<Plan>,
    pub(crate) pad: Pad,
    /// The type, where elements go from whole bytes to fewer bits.
    pub(crate) narrowed: Option<ElementType>,
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
        let arrays = input.file.arrays();
        targets.check_names(arrays)?;
        let plan = |array| {
            let job = Job::plan(input, array, targets, format, pad);
            job.with_context(|| format!("tensor `{}`", arrays[array].name()))
        };
        crew.each(arrays.len(), plan).into_iter().collect()
    }

    fn plan(
        input: &Input,
        array: usize,
        targets: &Targets,
        format: Format,
        pad_text: Option<&str>,
    ) -> anyhow::Result<Job> {
        let info = &input.file.arrays()[array];
        let from = input.shape(array)?;
        let to = match targets.of(info.name()) {
            Some(target) => target.applied_to(&from, format)?,
            None => kept(input, array, &from, format),
        };
        check_width(&to)?;
        let (pad, pad_text) = padding(&to, pad_text)?;
        let shard = if format == Format::SafetensorsFolder { info.shard() } else { 0 };
        let spec = ArraySpec::of_shape(info.name(), &to, &pad_text, format)?.shard(shard);
        let [source, target] = [Placement::from_shape(&from)?, Placement::from_shape(&to)?];
        let (bytes_in, bytes_out) = (source.bytes() as u64, target.bytes() as u64);
        let plan = (source != target)
            .then(|| input::plan(&source, &target, from.element_type()))
            .transpose()?
            .filter(|plan| !(plan.is_copy() && bytes_in == bytes_out));
        let name = info.name().to_owned();
        let element_type = from.element_type();
        let narrows = from.element_bits() == 8 && to.element_bits() < 8;
        let narrowed = narrows.then_some(element_type);
        Ok(Job { array, name, from, to, spec, bytes_in, bytes_out, plan, pad, narrowed })
    }

    pub(crate) fn element_type(&self) -> ElementType {
        self.to.element_type()
    }

    pub(crate) fn row(&self, seconds: Option<f64>) -> Row {
        Row {
            name: self.name.clone(),
            from: self.from.to_string(),
            to: self.to.to_string(),
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            seconds,
        }
    }
}

/// Elements that would lose bits are not moved.
fn check_width(to: &ArrayShape) -> anyhow::Result<()> {
    let (bits, element_type) = (to.element_bits(), to.element_type());
    if bits < element_type.bits() {
        bail!("E({bits}) does not hold the {} bits of {element_type}", element_type.bits());
    }
    Ok(())
}

/// An array that nobody named stays as it is; a dense one is dense in the output's own terms.
fn kept(input: &Input, array: usize, from: &ArrayShape, format: Format) -> ArrayShape {
    let info = &input.file.arrays()[array];
    if info.layout().is_some() {
        return from.clone();
    }
    let dense = format.dense_layout(from.element_type(), from.rank(), info.order());
    from.clone().with_layout(dense).unwrap_or_else(|_| from.clone())
}

/// What padding holds, as bits and as the text that is recorded: what was asked for, or what the
/// layout says, or zero.
fn padding(to: &ArrayShape, asked: Option<&str>) -> anyhow::Result<(Pad, String)> {
    let element_type = to.element_type();
    let value = to.layout().and_then(|layout| layout.padding()).and_then(Padding::value);
    let (bits, text) = match (asked, value) {
        (Some(text), _) => (pad::bits(text, element_type)?, text.to_owned()),
        (None, Some(value)) => (pad::of_layout(value, element_type)?, value.to_string()),
        (None, None) => (0, "0".to_owned()),
    };
    Ok((if bits == 0 { Pad::Zero } else { Pad::Bits(bits) }, text))
}
