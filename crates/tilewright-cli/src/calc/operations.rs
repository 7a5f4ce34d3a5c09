//! What the operations of an expression do.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use tilewright::algebra::explain::{self, Explanation};
use tilewright::algebra::{self, Tiler};
use tilewright::map::Notation;
use tilewright::text::Diagnostic;
use tilewright::tla::{self, Int, IntTuple, Layout, Tag, TypedLayout};
use tilewright::{ArrayShape, ElementType};

use super::expression::{Kind, Node};

/// What an expression comes to.
pub(super) enum Value {
    Layout(Layout),
    Tuple(IntTuple),
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Layout(layout) => layout.fmt(f),
            Value::Tuple(tuple) => tuple.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

/// The arguments of one call.
struct Call<'n, 'a> {
    name: &'a str,
    arguments: &'n [Node<'a>],
}

/// What an expression comes to.
pub(super) fn value(node: &Node<'_>) -> anyhow::Result<Value> {
    match &node.kind {
        Kind::Text(_) => layout(node).map(Value::Layout),
        Kind::Call { name, arguments } => {
            let call = Call { name, arguments };
            match call.layout_operation()? {
                Some(layout) => layout.map(Value::Layout).with_context(|| format!("in {name}")),
                None => call.question(),
            }
        }
    }
}

/// An operation told step by step.
pub(super) fn explained(node: &Node<'_>) -> anyhow::Result<Explanation> {
    const EXPLAINED: &str = "coalesce, composition, complement, right_inverse, left_inverse, \
                             logical_divide and logical_product can be explained";
    let Kind::Call { name, arguments } = &node.kind else { bail!("{EXPLAINED}") };
    let call = Call { name, arguments };
    Ok(match *name {
        "coalesce" => explain::coalesce(&call.layout(0)?),
        "composition" => explain::composition(&call.layout(0)?, call.tiler(1)?),
        "complement" => {
            let a = call.layout(0)?;
            let size = if call.has(1) { call.int(1)? } else { a.cosize()? };
            explain::complement(&a, size)
        }
        "right_inverse" => explain::right_inverse(&call.layout(0)?),
        "left_inverse" => explain::left_inverse(&call.layout(0)?),
        "logical_divide" => explain::logical_divide(&call.layout(0)?, call.tiler(1)?),
        "logical_product" => explain::logical_product(&call.layout(0)?, call.tiler(1)?),
        _ => bail!("{EXPLAINED}"),
    })
}

type Operation = Result<Layout, tilewright::Error>;

impl Call<'_, '_> {
    /// An operation whose outcome is a layout; `None` where the name is of none. The outer error is
    /// of the arguments, the inner one of the operation.
    fn layout_operation(&self) -> anyhow::Result<Option<Operation>> {
        if let Ok(tag) = self.name.parse::<Tag>() {
            return self.tagged(tag).map(Some);
        }
        Ok(Some(match self.name {
            "coalesce" => algebra::coalesce(&self.layout(0)?),
            "flatten" => algebra::flatten(&self.layout(0)?),
            "filter" => algebra::filter(&self.layout(0)?),
            "filter_zeros" => algebra::filter_zeros(&self.layout(0)?),
            "right_inverse" => algebra::right_inverse(&self.layout(0)?),
            "left_inverse" => algebra::left_inverse(&self.layout(0)?),
            "nullspace" => algebra::nullspace(&self.layout(0)?),
            "complement" if self.has(1) => algebra::complement(&self.layout(0)?, self.int(1)?),
            "complement" => algebra::complement_within(&self.layout(0)?),
            "make_layout_like" => algebra::make_layout_like(&self.layout(0)?),
            "make_identity_layout" => algebra::make_identity_layout(&self.tuple(0)?),
            "make_ordered_layout" => algebra::make_ordered_layout(&self.tuple(0)?, &self.tuple(1)?),
            "upcast" => algebra::upcast(&self.layout(0)?, self.int(1)?),
            "downcast" => algebra::downcast(&self.layout(0)?, self.int(1)?),
            "recast" => algebra::recast(&self.layout(0)?, self.bits(1)?, self.bits(2)?),
            "layout_add" => algebra::layout_add(&self.layout(0)?, &self.layout(1)?),
            "max_common_layout" => algebra::max_common_layout(&self.layout(0)?, &self.layout(1)?),
            "blocked_product" => algebra::blocked_product(&self.layout(0)?, &self.layout(1)?),
            "raked_product" => algebra::raked_product(&self.layout(0)?, &self.layout(1)?),
            "tile_to_shape" => self.tile_to_shape()?,
            "tile" if self.has(2) => {
                tla::tile_at(&self.layout(0)?, &self.tuple(1)?, &self.tuple(2)?)
            }
            "tile" => tla::make_layout_tile(&self.layout(0)?, &self.tuple(1)?),
            _ => return self.tiled_operation(),
        }))
    }

    /// The operations of a layout and a tiler.
    fn tiled_operation(&self) -> anyhow::Result<Option<Operation>> {
        let operation = match self.name {
            "composition" => algebra::composition,
            "logical_divide" => algebra::logical_divide,
            "zipped_divide" => algebra::zipped_divide,
            "tiled_divide" => algebra::tiled_divide,
            "flat_divide" => algebra::flat_divide,
            "logical_product" => algebra::logical_product,
            "zipped_product" => algebra::zipped_product,
            "tiled_product" => algebra::tiled_product,
            "flat_product" => algebra::flat_product,
            _ => return Ok(None),
        };
        Ok(Some(operation(&self.layout(0)?, self.tiler(1)?)))
    }

    /// The operations whose outcome is no layout.
    fn question(&self) -> anyhow::Result<Value> {
        let int = |int: Int| Value::Text(int.to_string());
        Ok(match self.name {
            "size" => int(self.layout(0)?.size()?),
            "cosize" => int(self.layout(0)?.cosize()?),
            "rank" => Value::Text(self.layout(0)?.rank().to_string()),
            "depth" => Value::Text(self.layout(0)?.depth().to_string()),
            "shape" => Value::Tuple(self.layout(0)?.shape().clone()),
            "stride" => Value::Text(self.layout(0)?.stride().to_string()),
            "org_shape" => Value::Tuple(self.layout(0)?.org_shape()?),
            "crd2idx" | "crd2offset" | "at" => {
                Value::Text(self.layout(0)?.at(&self.tuple(1)?)?.to_string())
            }
            "idx2crd" => Value::Tuple(tla::idx2crd(self.int(0)?, &self.tuple(1)?)?),
            "max_common_vector" => {
                int(algebra::max_common_vector(&self.layout(0)?, &self.layout(1)?)?)
            }
            "max_alignment" => int(algebra::max_alignment(&self.layout(0)?)?),
            "shape_div" => Value::Tuple(algebra::shape_div(&self.tuple(0)?, &self.tuple(1)?)?),
            "tag" => self.recognised()?,
            name => bail!("there is no operation `{name}`"),
        })
    }

    fn tagged(&self, tag: Tag) -> anyhow::Result<Operation> {
        let element_type = self.text(0)?;
        let element_type: ElementType = element_type.parse().context("the element type")?;
        let sizes = (1..self.arguments.len()).map(|place| self.int(place));
        let sizes: Vec<Int> = sizes.collect::<Result<_, _>>()?;
        Ok(Layout::from_tag_sizes(tag, element_type, &sizes))
    }

    fn recognised(&self) -> anyhow::Result<Value> {
        let element_type: ElementType = self.text(1)?.parse().context("the element type")?;
        Ok(Value::Text(self.layout(0)?.tag(element_type)?.to_string()))
    }

    fn tile_to_shape(&self) -> anyhow::Result<Operation> {
        let order = if self.has(2) { Some(self.tuple(2)?) } else { None };
        Ok(algebra::tile_to_shape(&self.layout(0)?, &self.tuple(1)?, order.as_ref()))
    }

    fn has(&self, place: usize) -> bool {
        place < self.arguments.len()
    }

    fn argument(&self, place: usize) -> anyhow::Result<&Node<'_>> {
        let found = self.arguments.get(place);
        found.ok_or_else(|| anyhow!("{} wants an argument {}", self.name, place + 1))
    }

    fn text(&self, place: usize) -> anyhow::Result<&str> {
        match &self.argument(place)?.kind {
            Kind::Text(text) => Ok(text),
            Kind::Call { name, .. } => bail!("{name}(…) cannot stand here"),
        }
    }

    fn layout(&self, place: usize) -> anyhow::Result<Layout> {
        layout(self.argument(place)?)
    }

    fn tiler(&self, place: usize) -> anyhow::Result<Tiler> {
        let node = self.argument(place)?;
        match node.kind {
            Kind::Call { .. } => layout(node).map(Tiler::from),
            Kind::Text(text) => parsed(node, text),
        }
    }

    fn tuple(&self, place: usize) -> anyhow::Result<IntTuple> {
        let node = self.argument(place)?;
        match (&node.kind, value_of_call(node)?) {
            (_, Some(Value::Tuple(tuple))) => Ok(tuple),
            (Kind::Text(text), _) => parsed(node, text),
            _ => bail!("a shape or a coordinate has to stand here"),
        }
    }

    fn int(&self, place: usize) -> anyhow::Result<Int> {
        let tuple = self.tuple(place)?;
        match tuple {
            tla::Nested::Leaf(int) => Ok(int),
            tla::Nested::Tuple(_) => bail!("{tuple} stands where an integer has to"),
        }
    }

    fn bits(&self, place: usize) -> anyhow::Result<u32> {
        u32::try_from(self.int(place)?.value()).context("a number of bits")
    }
}

fn value_of_call(node: &Node<'_>) -> anyhow::Result<Option<Value>> {
    match node.kind {
        Kind::Call { .. } => value(node).map(Some),
        Kind::Text(_) => Ok(None),
    }
}

/// A layout: of a call, or of a text in any notation.
fn layout(node: &Node<'_>) -> anyhow::Result<Layout> {
    match &node.kind {
        Kind::Call { name, .. } => match value(node)? {
            Value::Layout(layout) => Ok(layout),
            _ => bail!("{name}(…) is no layout"),
        },
        Kind::Text(text) if text.contains('[') => {
            let array: ArrayShape = parsed(node, text)?;
            let tla = array.index_map()?.to_notation(Notation::Tla, array.element_bits())?;
            Ok(tla.parse()?)
        }
        Kind::Text(text) => Ok(parsed::<TypedLayout>(node, text)?.layout),
    }
}

/// A text read; what is wrong with it is pointed at in the whole expression.
fn parsed<T: FromStr<Err = Diagnostic>>(node: &Node<'_>, text: &str) -> anyhow::Result<T> {
    text.parse().map_err(|error: Diagnostic| error.within(node.source, node.start).into())
}
