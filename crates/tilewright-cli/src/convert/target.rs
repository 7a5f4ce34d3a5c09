//! What each array is to become.

use anyhow::{Context, bail};
use glob::Pattern;
use tilewright::formats::tpu::{Chip, default_shape};
use tilewright::formats::{NamedFormat, ascend_layout};
use tilewright::tla::Tag;
use tilewright::xla::{Layout, ParseOptions, parse_layout, parse_shape};
use tilewright::{ArrayShape, ElementType};
use tilewright_files::{ArrayInfo, Format, Order};

/// A layout as `--to` and `--tensor` take it.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A layout for arrays of its rank: `{1,0:T(8,128)}`.
    Layout(Layout),
    /// A layout for arrays of this type and these dims only: `f32[30,300]{1,0:T(8,128)}`.
    Shape(ArrayShape),
    /// Dense in the file's own terms.
    Dense(Order),
    /// What the compiler of this generation gives the array.
    Tpu(Chip),
    /// What Ascend's libraries have this name for.
    Ascend(Tag),
    /// A format with a name.
    Named(NamedFormat),
}

impl Target {
    /// What a text names.
    pub(crate) fn parse(text: &str, strict: bool) -> anyhow::Result<Self> {
        match text {
            "row-major" => return Ok(Target::Dense(Order::RowMajor)),
            "column-major" => return Ok(Target::Dense(Order::ColumnMajor)),
            _ => {}
        }
        if let Some(chip) = text.strip_prefix("tpu:") {
            return Ok(Target::Tpu(chip.parse()?));
        }
        if let Some(tag) = text.strip_prefix("ascend:") {
            return Ok(Target::Ascend(tag.parse()?));
        }
        if let Ok(format) = text.parse() {
            return Ok(Target::Named(format));
        }
        let options = ParseOptions { strict, ..ParseOptions::default() };
        if text.trim_start().starts_with('{') {
            return Ok(Target::Layout(parse_layout(text, options)?.value));
        }
        if text.contains('[') {
            let shape = parse_shape(text, options)?.value;
            return Ok(Target::Shape(shape.as_array()?.clone()));
        }
        let names: Vec<&str> = NamedFormat::ALL.iter().map(|format| format.name()).collect();
        bail!(
            "`{text}` is no layout: expected {{1,0:T(8,128)}}, row-major, column-major, tpu:CHIP, \
             ascend:TAG, {}",
            names.join(", ")
        )
    }

    /// Whether a device has arrays of this type in other pieces than the file will.
    pub(crate) fn has_planes(&self, element_type: ElementType) -> bool {
        matches!(self, Target::Tpu(_)) && element_type.bits() > 32
    }

    /// The array in this layout.
    pub(crate) fn applied_to(
        &self,
        shape: &ArrayShape,
        format: Format,
    ) -> anyhow::Result<ArrayShape> {
        let rank = shape.rank();
        let layout = match self {
            Target::Layout(layout) => layout.clone(),
            Target::Dense(order) => format.dense_layout(shape.element_type(), rank, *order),
            Target::Named(named) => named.layout(rank)?,
            Target::Ascend(tag) => ascend_layout(*tag, shape.element_type())?,
            Target::Tpu(chip) => return Ok(default_shape(shape, *chip)?),
            Target::Shape(target) => return same_array(shape, target),
        };
        let bare = shape.clone().without_layout();
        if layout.rank() != rank {
            bail!(
                "the layout {layout} orders {} dimensions, and {bare} has {rank}\n  = help: \
                 --tensor GLOB=LAYOUT gives some arrays a layout and leaves the others",
                layout.rank()
            );
        }
        let context = format!("the layout {layout} does not fit {bare}");
        bare.with_layout(layout).context(context)
    }
}

/// The target, if it is of the same array.
fn same_array(shape: &ArrayShape, target: &ArrayShape) -> anyhow::Result<ArrayShape> {
    let same = shape.element_type() == target.element_type() && shape.sizes()? == target.sizes()?;
    if !same {
        bail!("it is {}, not {}", shape.clone().without_layout(), target.clone().without_layout());
    }
    Ok(target.clone())
}

/// Which array becomes what: `--tensor` in the order given, the last that matches, then `--to`.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    by_name: Vec<(Pattern, Target)>,
    others: Option<Target>,
}

impl Targets {
    pub(crate) fn parse(
        to: Option<&str>,
        by_name: &[String],
        strict: bool,
    ) -> anyhow::Result<Self> {
        if to.is_none() && by_name.is_empty() {
            bail!("nothing says what to convert to: give --to LAYOUT or --tensor GLOB=LAYOUT");
        }
        let others = to.map(|text| Target::parse(text, strict)).transpose()?;
        let by_name =
            by_name.iter().map(|rule| parse_rule(rule, strict)).collect::<Result<_, _>>()?;
        Ok(Targets { by_name, others })
    }

    /// What the array of this name becomes, or `None` where it stays as it is.
    pub(crate) fn of(&self, name: &str) -> Option<&Target> {
        let by_name = self.by_name.iter().rev().find(|(pattern, _)| pattern.matches(name));
        by_name.map(|(_, target)| target).or(self.others.as_ref())
    }

    /// Every pattern has to match some array: one that does not is a slip.
    pub(crate) fn check_names(&self, arrays: &[ArrayInfo]) -> anyhow::Result<()> {
        for (pattern, _) in &self.by_name {
            if !arrays.iter().any(|array| pattern.matches(array.name())) {
                bail!("no array has a name like `{pattern}`");
            }
        }
        Ok(())
    }
}

/// `GLOB=LAYOUT`.
fn parse_rule(rule: &str, strict: bool) -> anyhow::Result<(Pattern, Target)> {
    let Some((glob, layout)) = rule.split_once('=') else {
        bail!("`{rule}` is not of the form GLOB=LAYOUT");
    };
    let pattern = Pattern::new(glob).with_context(|| format!("the pattern `{glob}`"))?;
    Ok((pattern, Target::parse(layout, strict)?))
}
