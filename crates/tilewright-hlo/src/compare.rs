//! Do two formats place the same array alike?
//!
//! Copies, transposes and reshapes are asked this through the maps, so that a transpose whose
//! result's layout takes up the permutation is known to move nothing.

use hashbrown::HashMap;
use std::rc::Rc;

use tilewright::map::Bitcast;
use tilewright::{IndexMap, Permutation};

use crate::shapes::Array;

/// How the result's logical array comes of the operand's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// It is the same.
    Copy,
    /// Dimension `i` is dimension `permutation[i]` of the operand.
    Transpose(Vec<usize>),
    /// The same elements in row-major order.
    Reshape,
    /// The same bytes, seen in whichever way.
    Bitcast,
}

/// What the maps say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Whether every element stays where it is. Nothing where that could not be decided.
    pub(crate) holds: Option<bool>,
    pub(crate) kind: Option<&'static str>,
    pub(crate) reason: Option<String>,
}

/// Arrays of more dimensions or tiles are not compared: the time that takes is not linear in them.
const MAX_RANK: usize = 48;
const MAX_TILES: usize = 8;

/// Maps with merged coordinates are compared element by element and in several orders. All
/// comparisons together may look at this many elements.
const MAX_ELEMENTS: i64 = 1 << 24;

/// So many orders of dimensions are tried at most for such maps: 24 on either side.
const ORDERS: i64 = 576;

/// Two arrays, by address, and the step between them.
type Question = (*const Array, *const Array, Step);

/// The verdict, and the arrays it is about: kept, so that no others come to lie at their addresses.
type Answer = (Rc<Verdict>, [Rc<Array>; 2]);

/// Answers questions, each once.
#[derive(Debug)]
pub(crate) struct Comparer {
    known: HashMap<Question, Answer>,
    elements_left: i64,
}

impl Default for Comparer {
    fn default() -> Self {
        Comparer { known: HashMap::new(), elements_left: MAX_ELEMENTS }
    }
}

impl Comparer {
    /// Whether the bytes of `from` are those of `to` under a step.
    pub(crate) fn compare(&mut self, from: &Rc<Array>, to: &Rc<Array>, step: Step) -> Rc<Verdict> {
        let key = (Rc::as_ptr(from), Rc::as_ptr(to), step);
        if let Some((verdict, _)) = self.known.get(&key) {
            return Rc::clone(verdict);
        }
        let verdict = Rc::new(self.decide(from, to, &key.2));
        self.known.insert(key, (Rc::clone(&verdict), [Rc::clone(from), Rc::clone(to)]));
        verdict
    }

    fn decide(&mut self, from: &Array, to: &Array, step: &Step) -> Verdict {
        let bits = [from, to].map(|array| array.shape.element_bits());
        if bits[0] != bits[1] {
            if *step == Step::Bitcast && from.bytes == to.bytes {
                // All bytes of the one are those of the other, which is all that is said.
                return yes("raw-bytes");
            }
            let reason =
                format!("elements take {} bits in one and {} in the other", bits[0], bits[1]);
            return no(reason);
        }
        if let Some(reason) = [from, to].into_iter().find_map(too_large) {
            return undecided(reason);
        }
        let (Some(a), Some(b)) = (from.map(), to.map()) else {
            return undecided("a size does not fit 64 bits".to_owned());
        };
        if !self.affords(a, b) {
            return undecided(
                "tiles straddle dimensions, and there are too many elements".to_owned(),
            );
        }
        if *step == Step::Bitcast && a.elements() != b.elements() && to.bytes <= from.bytes {
            match self.agree_where_both_are(a, b) {
                Some(true) => return yes("part"),
                Some(false) => {}
                None => return undecided("there are too many elements".to_owned()),
            }
        }
        compared(a, b, step).unwrap_or_else(|error| undecided(error.to_string()))
    }

    /// Whether the elements that two arrays of as many dimensions have in common lie in the same places:
    /// the one is then a part of the other, or of its padding too. `None` if that takes too long.
    fn agree_where_both_are(&mut self, a: &IndexMap, b: &IndexMap) -> Option<bool> {
        let (dims, others) = (a.dims(), b.dims());
        if dims.len() != others.len() || !a.is_separable() || !b.is_separable() {
            return Some(false);
        }
        // Of maps that are sums over the dimensions, each dimension is asked alone.
        let common: Vec<i64> = dims.iter().zip(others).map(|(&a, &b)| a.min(b)).collect();
        let cost = common.iter().fold(0i64, |sum, &n| sum.saturating_add(n));
        self.elements_left = self.elements_left.checked_sub(cost).filter(|&left| left >= 0)?;
        let mut index = vec![0; common.len()];
        for (dim, &extent) in common.iter().enumerate() {
            for step in 0..extent {
                index[dim] = step;
                if a.offset(&index).ok() != b.offset(&index).ok() {
                    return Some(false);
                }
            }
            index[dim] = 0;
        }
        Some(common.iter().all(|&extent| extent > 0))
    }

    /// Whether two maps can be compared in bounded time; what it may cost is taken off.
    fn affords(&mut self, a: &IndexMap, b: &IndexMap) -> bool {
        if a.is_separable() && b.is_separable() {
            return true;
        }
        let cost = a.elements().max(b.elements()).saturating_mul(ORDERS);
        let is_affordable = cost <= self.elements_left;
        self.elements_left -= if is_affordable { cost } else { 0 };
        is_affordable
    }
}

pub(crate) fn too_large(array: &Array) -> Option<String> {
    if array.shape.rank() > MAX_RANK {
        return Some(format!("an array has {} dimensions", array.shape.rank()));
    }
    let n_tiles = array.shape.layout().map_or(0, |layout| layout.tiles().len());
    (n_tiles > MAX_TILES).then(|| format!("an array has {n_tiles} tiles"))
}

fn compared(a: &IndexMap, b: &IndexMap, step: &Step) -> Result<Verdict, tilewright::Error> {
    let (same, kind) = match step {
        Step::Bitcast => return Ok(as_bitcast(&a.bitcast(b)?)),
        Step::Copy => (a.same_as(b)?, "identity"),
        Step::Transpose(permutation) => {
            let permutation = Permutation::new(permutation.as_slice())?;
            (a.permuted(&permutation)?.same_as(b)?, "transpose")
        }
        Step::Reshape => (a.reshaped(b.dims())?.same_as(b)?, "reshape"),
    };
    Ok(if same { yes(kind) } else { no("the formats differ".to_owned()) })
}

fn as_bitcast(bitcast: &Bitcast) -> Verdict {
    match bitcast {
        Bitcast::Identity => yes("identity"),
        Bitcast::Reshape => yes("reshape"),
        Bitcast::Transpose(_) => yes("transpose"),
        Bitcast::TransposeReshapeTranspose { .. } => yes("transpose-reshape-transpose"),
        Bitcast::No(reason) => no(reason.to_string()),
    }
}

fn yes(kind: &'static str) -> Verdict {
    Verdict { holds: Some(true), kind: Some(kind), reason: None }
}

fn no(reason: String) -> Verdict {
    Verdict { holds: Some(false), kind: None, reason: Some(reason) }
}

fn undecided(reason: String) -> Verdict {
    Verdict { holds: None, kind: None, reason: Some(reason) }
}
