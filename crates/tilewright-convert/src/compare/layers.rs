//! Whether two quantised models hold the same codes, zero points and scales.

use std::collections::HashMap;

use anyhow::Context;
use tilewright::text::abridged;

use super::comparison::Comparing;
use crate::checkpoint::{Checkpoint, Layer, tables};
use crate::lying::Lying;

/// Compares the layers of the same names, and all other arrays of the same names. How many there are.
///
/// # Errors
///
/// A file cannot be read, or there is too little memory.
pub(super) fn compare_layers(
    [a, b]: [&Checkpoint<'_>; 2],
    comparing: &mut Comparing<'_>,
) -> anyhow::Result<usize> {
    let mut others: HashMap<&str, &Layer> =
        b.layers.iter().map(|layer| (layer.name.as_str(), layer)).collect();
    for layer in &a.layers {
        match others.remove(layer.name.as_str()) {
            Some(other) => compare(([a, b], [layer, other]), comparing)
                .with_context(|| format!("layer `{}`", abridged(&layer.name)))?,
            None => comparing.differs(&layer.name, "is only in the first file", None),
        }
    }
    let n_layers = a.layers.len() + others.len();
    let mut only: Vec<&str> = others.into_keys().collect();
    only.sort_unstable();
    only.into_iter().for_each(|name| comparing.differs(name, "is only in the second file", None));
    Ok(n_layers
        + comparing.named(|[in_a, in_b]| {
            in_a.is_none_or(|array| a.layer_of[array].is_none())
                && in_b.is_none_or(|array| b.layer_of[array].is_none())
        })?)
}

fn compare(
    ([a, b], [layer, other]): ([&Checkpoint<'_>; 2], [&Layer; 2]),
    comparing: &mut Comparing<'_>,
) -> anyhow::Result<()> {
    let name = &layer.name;
    let is = |layer: &Layer, checkpoint: &Checkpoint<'_>| {
        let [k, n] = layer.dims;
        format!(
            "of {k} inputs, {n} outputs and {} groups, in {} bits",
            layer.groups, checkpoint.scheme.bits
        )
    };
    let [one, another] = [is(layer, a), is(other, b)];
    if one != another {
        comparing.differs(name, &format!("is {one} in one and {another} in the other"), None);
        return Ok(());
    }
    let codes = [a.codes(layer)?, b.codes(other)?];
    if let Some(index) = comparing.first_index([layer.codes, other.codes], codes)? {
        comparing.differs(name, &format!("codes differ at index {index:?}"), Some(index));
    }
    let scales = [a.scales(layer)?, b.scales(other)?];
    let kinds = scales.each_ref().map(Lying::element_type);
    if kinds[0] != kinds[1] {
        let reason = format!("scales are {} in one and {} in the other", kinds[0], kinds[1]);
        comparing.differs(name, &reason, None);
    } else if let Some(index) = comparing.first_index([layer.scales, other.scales], scales)? {
        comparing.differs(name, &format!("scales differ at index {index:?}"), Some(index));
    }
    let zeros = tables::zeros(a.file, &a.scheme, &layer.zeros_of())?;
    let theirs = tables::zeros(b.file, &b.scheme, &other.zeros_of())?;
    if let Some(number) = zeros.iter().zip(&theirs).position(|(one, other)| one != other) {
        let [_, n] = layer.dims;
        let index = vec![number as i64 / n, number as i64 % n];
        comparing.differs(name, &format!("zero points differ at index {index:?}"), Some(index));
    }
    let rows = layer.dims[0];
    let groups = |checkpoint: &Checkpoint<'_>, layer: &Layer| match layer.group_index {
        Some(array) => tables::read_groups(checkpoint.file, array),
        None => tables::groups(rows, checkpoint.scheme.group_size),
    };
    let (ours, theirs) = (groups(a, layer)?, groups(b, other)?);
    if let Some(row) = ours.iter().zip(&theirs).position(|(one, other)| one != other) {
        let index = vec![row as i64];
        comparing.differs(name, &format!("groups of rows differ at index {index:?}"), Some(index));
    }
    Ok(())
}
