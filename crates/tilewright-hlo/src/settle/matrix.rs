//! Products of matrices and convolutions: which dimensions have to be in the tiled places.

use tilewright::ArrayShape;

use super::{Place, Relayout, Settled, Unsettled, descending_like, free, mismatch};
use crate::hint::{Formats, Permuted, bytes_of};

/// What a dimension is to a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Batch,
    Contracted,
    Kept,
}

/// A product of two arrays: each is moved if its tiled dimensions are not those that a matrix unit
/// takes.
pub(super) fn dot(
    operands: [&ArrayShape; 2],
    result: &ArrayShape,
    batch: &[Vec<usize>; 2],
    contracting: &[Vec<usize>; 2],
) -> Result<Settled, Unsettled> {
    let roles = [0, 1].map(|side| {
        let rank = operands[side].rank();
        roles(rank, &batch[side], &contracting[side])
    });
    let expected = product_dims(operands, &roles, &batch[0])?;
    if expected != result.sizes()? {
        return mismatch(format!("the product has the dimensions {expected:?}"));
    }
    let outcome = roles_of_product(&roles, batch[0].len());
    let mut relayouts = Vec::new();
    for (number, (operand, roles)) in operands.into_iter().zip(&roles).enumerate() {
        let wanted = |array: &ArrayShape| takes_product(array, roles);
        relayouts.extend(moved_before(operand, number, wanted)?);
    }
    finish(operands[0], result, relayouts, |array| takes_product(array, &outcome))
}

fn roles(rank: usize, batch: &[usize], contracting: &[usize]) -> Vec<Role> {
    let role = |dim: usize| match (batch.contains(&dim), contracting.contains(&dim)) {
        (true, _) => Role::Batch,
        (_, true) => Role::Contracted,
        _ => Role::Kept,
    };
    (0..rank).map(role).collect()
}

/// The sizes of a product: the batch, what is left of the first, what is left of the second.
fn product_dims(
    operands: [&ArrayShape; 2],
    roles: &[Vec<Role>; 2],
    batch: &[usize],
) -> Result<Vec<i64>, Unsettled> {
    let mut dims = Vec::new();
    let first = operands[0].sizes()?;
    for &dim in batch {
        match first.get(dim) {
            Some(&size) => dims.push(size),
            None => return mismatch(format!("there is no batch dimension {dim}")),
        }
    }
    for (operand, roles) in operands.into_iter().zip(roles) {
        let sizes = operand.sizes()?;
        dims.extend(sizes.iter().zip(roles).filter(|(_, r)| **r == Role::Kept).map(|(s, _)| *s));
    }
    Ok(dims)
}

/// In a product what is left of the second factor plays the part of what is contracted: of two
/// tiled dimensions one is of each.
fn roles_of_product(roles: &[Vec<Role>; 2], batch: usize) -> Vec<Role> {
    let kept = |side: usize| roles[side].iter().filter(|role| **role == Role::Kept).count();
    let mut all = vec![Role::Batch; batch];
    all.extend(vec![Role::Kept; kept(0)]);
    all.extend(vec![Role::Contracted; kept(1)]);
    all
}

/// Whether the two tiled dimensions are one of each kind that there is, and none of a batch.
/// Dimensions of one element are nowhere in the way.
fn takes_product(array: &ArrayShape, roles: &[Role]) -> bool {
    let Ok(sizes) = array.sizes() else { return false };
    let matters =
        |role: Role| roles.iter().zip(&sizes).any(|(other, size)| *other == role && *size > 1);
    let kinds = usize::from(matters(Role::Kept)) + usize::from(matters(Role::Contracted));
    let layout = array.layout_or_default();
    let order = layout.minor_to_major().iter();
    let mut tiled = order.filter(|dim| sizes.get(**dim).is_some_and(|&size| size > 1));
    let tiled: Vec<Role> =
        tiled.by_ref().take(kinds).filter_map(|dim| roles.get(*dim).copied()).collect();
    let one_each = tiled.len() < 2 || tiled[0] != tiled[1];
    one_each && !tiled.contains(&Role::Batch)
}

/// A convolution: features are in a tiled place of each array.
pub(super) fn convolution(
    operands: [&ArrayShape; 2],
    result: &ArrayShape,
    features: [&[usize]; 3],
) -> Result<Settled, Unsettled> {
    let arrays = [operands[0], operands[1], result];
    for (array, features) in arrays.into_iter().zip(features) {
        if features.iter().any(|dim| *dim >= array.rank()) {
            return mismatch("a dimension of features does not exist");
        }
    }
    let mut relayouts = Vec::new();
    for (number, (operand, features)) in operands.into_iter().zip(features).enumerate() {
        relayouts.extend(moved_before(operand, number, |array| is_tiled(array, features))?);
    }
    finish(operands[0], result, relayouts, |array| is_tiled(array, features[2]))
}

/// Whether one of these dimensions is minor or second-minor.
fn is_tiled(array: &ArrayShape, dims: &[usize]) -> bool {
    let layout = array.layout_or_default();
    layout.minor_to_major().iter().take(2).any(|dim| dims.contains(dim))
}

/// The move that brings an operand into a format that is wanted, unless it is in one.
fn moved_before(
    operand: &ArrayShape,
    number: usize,
    wanted: impl Fn(&ArrayShape) -> bool,
) -> Result<Option<Relayout>, Unsettled> {
    if wanted(operand) {
        return Ok(None);
    }
    let to = smallest(operand, wanted)?;
    Ok(Some(Relayout { place: Place::Operand(number), from: operand.clone(), to }))
}

/// The array in the smallest of the formats that are wanted.
fn smallest(
    array: &ArrayShape,
    wanted: impl Fn(&ArrayShape) -> bool,
) -> Result<ArrayShape, Unsettled> {
    let formats = Permuted.candidates(array).into_iter().filter(|array| wanted(array));
    match formats.min_by_key(|array| bytes_of(array).unwrap_or(i64::MAX)) {
        Some(format) => Ok(format),
        None => mismatch(format!("no order of the dimensions of {array} suits the operation")),
    }
}

/// The result in a format that is wanted: the one asked for, or the smallest, moved at the end if
/// the one asked for is none.
fn finish(
    like: &ArrayShape,
    result: &ArrayShape,
    mut relayouts: Vec<Relayout>,
    wanted: impl Fn(&ArrayShape) -> bool,
) -> Result<Settled, Unsettled> {
    if result.layout().is_some() && wanted(result) {
        return Ok(Settled { relayouts, ..free(result.clone()) });
    }
    let similar = match result.layout() {
        Some(_) => result.clone(),
        None => result.clone().with_layout(descending_like(result, like)?)?,
    };
    let comes = if wanted(&similar) { similar } else { smallest(&similar, wanted)? };
    if result.layout().is_none() {
        return Ok(Settled { relayouts, ..free(comes) });
    }
    relayouts.push(Relayout { place: Place::Result, from: comes, to: result.clone() });
    Ok(Settled { relayouts, ..free(result.clone()) })
}
