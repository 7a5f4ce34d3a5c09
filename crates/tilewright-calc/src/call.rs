//! One call of an operation, and its arguments read as what the operation wants.

use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use tilewright::algebra::{Composed, Composition, Picks, Swizzle, Tiler};
use tilewright::map::Notation;
use tilewright::notation::Described;
use tilewright::text::Diagnostic;
use tilewright::tla::{Int, IntTuple, Layout, Nested};
use tilewright::{ElementType, Error, IndexMap};

use crate::expression::{Kind, Node, contains_any};
use crate::operations;
use crate::value::Value;

/// The arguments of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'n, 'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'n [Node<'a>],
}

/// What an expression comes to.
pub(crate) fn value(node: &Node<'_>) -> anyhow::Result<Value> {
    match &node.kind {
        Kind::Call { name, arguments } => operations::outcome(Call { name, arguments }),
        Kind::Text(text) if is_layout(text) => composition(node).map(Value::from),
        Kind::Text(text) if text.starts_with("Sw") => {
            parsed::<Swizzle>(node, text).map(Value::from)
        }
        Kind::Text(text) => parsed::<IntTuple>(node, text).map(Value::from),
    }
}

impl Call<'_, '_> {
    pub(crate) fn has(&self, place: usize) -> bool {
        place < self.arguments.len()
    }

    /// The arguments from `place` on.
    pub(crate) fn rest(&self, place: usize) -> impl Iterator<Item = usize> {
        place..self.arguments.len()
    }

    fn argument(&self, place: usize) -> anyhow::Result<&Node<'_>> {
        let found = self.arguments.get(place);
        found.ok_or_else(|| anyhow!("argument {} is missing", place + 1))
    }

    fn text(&self, place: usize) -> anyhow::Result<(&Node<'_>, &str)> {
        let node = self.argument(place)?;
        match &node.kind {
            Kind::Text(text) => Ok((node, text)),
            Kind::Call { name, .. } => bail!("{name}(…) cannot be argument {}", place + 1),
        }
    }

    /// A layout of any kind; a swizzle is one over nothing.
    pub(crate) fn composition(&self, place: usize) -> anyhow::Result<Composition> {
        composition(self.argument(place)?)
    }

    /// A layout of shape and stride.
    pub(crate) fn layout(&self, place: usize) -> anyhow::Result<Layout> {
        match self.composition(place)? {
            Composition::Layout(layout) => Ok(layout),
            Composition::Composed(composed) => {
                bail!("{composed} is composed, and {} wants shape and stride", self.name)
            }
        }
    }

    /// The outcome of an operation on coordinates, which of a composed layout the inner one
    /// undergoes.
    pub(crate) fn on_coordinates(
        &self,
        operation: impl FnOnce(&Layout) -> Result<Layout, Error>,
    ) -> anyhow::Result<Value> {
        Ok(match self.composition(0)? {
            Composition::Layout(layout) => operation(&layout)?.into(),
            Composition::Composed(composed) => composed.on_inner(operation)?.into(),
        })
    }

    /// The outcome of an operation that composed layouts have another of.
    pub(crate) fn on_either(
        &self,
        of_layout: impl FnOnce(&Layout) -> Result<Layout, Error>,
        of_composed: impl FnOnce(&Composed) -> Result<Composed, Error>,
    ) -> anyhow::Result<Value> {
        Ok(match self.composition(0)? {
            Composition::Layout(layout) => of_layout(&layout)?.into(),
            Composition::Composed(composed) => of_composed(&composed)?.into(),
        })
    }

    /// The map of a layout in any notation.
    pub(crate) fn map(&self, place: usize) -> anyhow::Result<IndexMap> {
        let node = self.argument(place)?;
        match &node.kind {
            Kind::Text(text) if is_layout(text) => {
                Ok(parsed::<Described>(node, text)?.index_map()?)
            }
            _ => Ok(IndexMap::from_composition(&composition(node)?)?),
        }
    }

    pub(crate) fn swizzle(&self, place: usize) -> anyhow::Result<Option<Swizzle>> {
        match value(self.argument(place)?)? {
            Value::Swizzle(swizzle) => Ok(Some(swizzle)),
            _ => Ok(None),
        }
    }

    pub(crate) fn tiler(&self, place: usize) -> anyhow::Result<Tiler> {
        let node = self.argument(place)?;
        match node.kind {
            Kind::Text(text) if !is_array(text) => parsed(node, text),
            _ => self.layout(place).map(Tiler::from),
        }
    }

    /// A coordinate with parts left open.
    pub(crate) fn picks(&self, place: usize) -> anyhow::Result<Picks> {
        let (node, text) = self.text(place)?;
        parsed(node, text)
    }

    pub(crate) fn tuple(&self, place: usize) -> anyhow::Result<IntTuple> {
        let node = self.argument(place)?;
        match &node.kind {
            Kind::Text(text) => parsed(node, text),
            Kind::Call { name, .. } => match value(node)? {
                Value::Tuple(tuple) => Ok(tuple),
                other => bail!("{name}(…) is {other}, and {} wants integers", self.name),
            },
        }
    }

    pub(crate) fn int(&self, place: usize) -> anyhow::Result<Int> {
        match self.tuple(place)? {
            Nested::Leaf(int) => Ok(int),
            tuple => bail!("{tuple} stands where an integer has to"),
        }
    }

    pub(crate) fn bits(&self, place: usize) -> anyhow::Result<u32> {
        u32::try_from(self.int(place)?.value()).context("a number of bits")
    }

    /// The position of a mode.
    pub(crate) fn position(&self, place: usize) -> anyhow::Result<usize> {
        let position = self.int(place)?;
        usize::try_from(position.value()).with_context(|| format!("{position} is no position"))
    }

    pub(crate) fn element_type(&self, place: usize) -> anyhow::Result<ElementType> {
        self.text(place)?.1.parse().context("the element type")
    }
}

/// A layout: of a call, or of a text in any notation.
fn composition(node: &Node<'_>) -> anyhow::Result<Composition> {
    match &node.kind {
        Kind::Call { name, .. } => match value(node)? {
            Value::Layout(layout) => Ok(layout),
            other => bail!("{name}(…) is {other}, which is no layout"),
        },
        Kind::Text(text) => match parsed::<Described>(node, text)? {
            Described::Tla(layout) => Ok(layout.layout),
            described => {
                let bits = described.element_bits().unwrap_or(8);
                let tla = described.index_map()?.to_notation(Notation::Tla, bits);
                Ok(tla.context("there is no shape and stride of it")?.parse()?)
            }
        },
    }
}

/// Whether a text is a layout or an array, and no integers or swizzle alone.
fn is_layout(text: &str) -> bool {
    contains_any(text, &[':']) || is_array(text)
}

/// Whether a text is an array, `f32[3,5]`, or numpy's, `float32 (3,5) (20,4)`.
fn is_array(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    contains_any(text, &['[']) || word.and_then(ElementType::from_numpy_name).is_some()
}

/// A text read; what is wrong with it is pointed at in the whole expression.
fn parsed<T: FromStr<Err = Diagnostic>>(node: &Node<'_>, text: &str) -> anyhow::Result<T> {
    text.parse().map_err(|error: Diagnostic| error.within(node.source, node.start).into())
}
