//! Do two layouts place every element alike?

use serde::{Deserialize, Serialize};
use tilewright::Permutation;
use tilewright::formats::catalogue::NamedArray;
use tilewright::tla::Layout;

use crate::coordinates;
use crate::error::Error;
use crate::subject::{Reader, Subject, coordinate_layout};

/// Do two layouts place every element alike, in whatever notations?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Same {
    /// A layout.
    pub a: String,
    /// The other one.
    pub b: String,
}

/// Whether they do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Whether they are the same: the places of all elements, the memory, the sizes of elements.
    pub same: bool,
    /// Whether every element has the same offset.
    pub same_offsets: bool,
    /// The first index whose elements are at different offsets.
    pub first_difference: Option<FirstDifference>,
    /// Why the answer is no, in words.
    pub reason: Option<String>,
}

/// An index that is at different offsets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstDifference {
    /// The index.
    pub index: Vec<i64>,
    /// Where it is in each, in elements.
    pub offsets: [i64; 2],
}

impl Same {
    /// The answer.
    ///
    /// # Errors
    /// If one of the texts says no layout, or a number does not fit 64 bits.
    pub fn answer(&self, reader: Reader<'_>) -> Result<Comparison, Error> {
        let (a, b) = (reader.read(&self.a)?, reader.read(&self.b)?);
        match (coordinate_layout(&a), coordinate_layout(&b)) {
            (Some(a), Some(b)) => compare_coordinates(a, b),
            (None, None) => compare(&Subject::of(a)?, &Subject::of(b)?),
            _ => Ok(different(
                false,
                None,
                "one leads to offsets, the other to coordinates".to_owned(),
            )),
        }
    }
}

fn compare_coordinates(a: &Layout, b: &Layout) -> Result<Comparison, Error> {
    let dims = [a.org_shape()?.values(), b.org_shape()?.values()];
    if dims[0] != dims[1] {
        let reason = format!("the dimensions differ: {:?} and {:?}", dims[0], dims[1]);
        return Ok(different(false, None, reason));
    }
    let difference = coordinates::first_difference(a, b)?;
    Ok(match difference {
        None => Comparison { same: true, same_offsets: true, first_difference: None, reason: None },
        Some((index, direction)) => {
            let reason = format!("index {index:?} leads elsewhere along {direction}");
            different(false, None, reason)
        }
    })
}

fn compare(a: &Subject, b: &Subject) -> Result<Comparison, Error> {
    if a.map().dims() != b.map().dims() {
        let exchanged = match exchanged(a, b)? {
            Some(order) => {
                format!(
                    "; with the dimensions of the first in the order {order:?} they are the same"
                )
            }
            None => String::new(),
        };
        let [a, b] = [a, b].map(|subject| subject.map().dims());
        let reason = format!("the dimensions differ: {a:?} and {b:?}{exchanged}");
        return Ok(different(false, None, reason));
    }
    if let Some(difference) = a.map().first_difference(b.map())? {
        let [x, y] = difference.offsets;
        let reason = format!("index {:?} is at offset {x} and at {y}", difference.index);
        let first = FirstDifference { index: difference.index, offsets: difference.offsets };
        return Ok(different(false, Some(first), reason));
    }
    let allocations = [a.map().allocation(), b.map().allocation()];
    if allocations[0] != allocations[1] {
        let [a, b] = allocations;
        let reason = format!("every offset is the same, but memory holds {a} and {b} elements");
        return Ok(different(true, None, reason));
    }
    let lowest = [a.map().lowest_offset(), b.map().lowest_offset()];
    if lowest[0] != lowest[1] {
        let [a, b] = lowest;
        let reason =
            format!("every offset is the same, but memory begins at offset {a} and at {b}");
        return Ok(different(true, None, reason));
    }
    if let (Some(a), Some(b)) = (a.bytes()?, b.bytes()?)
        && a != b
    {
        let reason =
            format!("every offset is the same, but elements differ in size: {a} and {b} bytes");
        return Ok(different(true, None, reason));
    }
    let masks = [a, b].map(|subject| subject.as_named().map_or(0, NamedArray::xor_mask));
    if masks[0] != masks[1] {
        let [a, b] = masks;
        let reason =
            format!("every offset is the same, but codes are XORed with {a:#x} and {b:#x}");
        return Ok(different(true, None, reason));
    }
    Ok(Comparison { same: true, same_offsets: true, first_difference: None, reason: None })
}

/// The orders of so many dimensions are tried.
const MAX_EXCHANGED: usize = 4;

/// The order of the first one's dimensions in which every element has the other's offset.
fn exchanged(a: &Subject, b: &Subject) -> Result<Option<Vec<usize>>, Error> {
    let [of_a, of_b] = [a, b].map(|subject| subject.map().dims());
    if of_a.len() != of_b.len() || of_a.len() > MAX_EXCHANGED {
        return Ok(None);
    }
    for order in orders(of_a.len()) {
        if order.iter().map(|&dim| of_a[dim]).ne(of_b.iter().copied()) {
            continue;
        }
        let Ok(permutation) = Permutation::new(order.clone()) else { continue };
        // Where they are too large to compare, nothing is said of it.
        if let Ok(None) = a.map().permuted(&permutation)?.first_difference(b.map()) {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

/// Every order of so many things.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for thing in 0..n {
        let with = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, thing);
                order
            })
        };
        orders = orders.iter().flat_map(with).collect();
    }
    orders
}

fn different(
    same_offsets: bool,
    first_difference: Option<FirstDifference>,
    reason: String,
) -> Comparison {
    Comparison { same: false, same_offsets, first_difference, reason: Some(reason) }
}
