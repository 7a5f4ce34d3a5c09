//! Layouts whose extent along one dimension is an argument.
//!
//! A tiled layout pads an extent `n` to whole tiles, `q = ceil(n / unit)` of them, and every stride and the allocation
//! are affine in `q`. A [`Family`] is the layout at a few extents, from two of which these functions follow, and at
//! others at which they must be right; what is not affine is refused. `f32[n,128]{0,1:T(8)}` has a unit of 8: `i1` has
//! a stride of `8 * q`, and the allocation is `1024 * q`.

use tilewright::IndexMap;
use tilewright::map::{Digit, Source};

use crate::array::Array;
use crate::error::Error;
use crate::expression::{Arena, Expr, gcd};
use crate::formula::{Formula, Input, index_inputs};
use crate::range::Range;

/// The largest extent that an argument may be.
const MAX_EXTENT: i64 = i32::MAX as i64;

/// An extent of many tiles of any usual size, and no multiple of one.
const PROBE: i64 = 10_081;

/// A layout for every extent of one dimension.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    dim: usize,
    dims: Vec<i64>,
    unit: i64,
    /// The digits, the largest stride first; their own strides have no meaning.
    digits: Vec<(Digit, Affine, i64)>,
    allocation: Affine,
}

/// `constant + per_unit * q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Affine {
    constant: i64,
    per_unit: i64,
}

impl Affine {
    /// The function that is `two` at 2 and `three` at 3.
    fn through(two: i64, three: i64) -> Option<Self> {
        let per_unit = three.checked_sub(two)?;
        Some(Affine { constant: two.checked_sub(per_unit.checked_mul(2)?)?, per_unit })
    }

    fn at(self, units: i64) -> Option<i64> {
        self.per_unit.checked_mul(units)?.checked_add(self.constant)
    }
}

impl Family {
    pub(crate) fn of(array: &Array, dim: usize) -> Result<Self, Error> {
        let dims = array.map().dims().to_vec();
        if dim >= dims.len() {
            return Err(Error::message(format!("there is no dimension {dim} of {}", dims.len())));
        }
        let refused = || {
            Error::message(format!(
                "the offsets of `{}` are not affine in the extent of dimension {dim}, so it cannot be an argument",
                array.text()
            ))
        };
        let at = |extent: i64| array.resized(dim, extent);
        let of_digits = unit_of(&at(PROBE)?, dim).ok_or_else(refused)?;
        let of_padding = padded_unit(&at)?;
        let unit = of_digits / gcd(of_digits, of_padding) * of_padding;
        if unit > PROBE / 2 {
            return Err(refused());
        }
        let extent_of = |units: i64| unit.checked_mul(units).ok_or_else(refused);
        let (two, three) = (at(extent_of(2)?)?, at(extent_of(3)?)?);
        let allocation =
            Affine::through(two.allocation(), three.allocation()).ok_or_else(refused)?;
        let mut digits = Vec::new();
        for digit in three.digits() {
            let same = two.digits().iter().find(|other| is_same_part(other, digit));
            let stride = same.and_then(|same| Affine::through(same.stride, digit.stride));
            digits.push((*digit, stride.ok_or_else(refused)?, three.extent(digit)));
        }
        let family = Family { dim, dims, unit, digits, allocation };
        for units in [2, 3, 4, 5, 7, 11, 64, 1000] {
            let whole = extent_of(units)?;
            for extent in [whole, whole - unit + 1, whole - unit / 2] {
                family.agrees(&at(extent)?, units).then_some(()).ok_or_else(refused)?;
            }
        }
        // Where digits are gone that larger extents have, sizes still tell.
        for extent in 1..=2 * unit {
            let units = (extent + unit - 1) / unit;
            let is_known = family.allocation.at(units) == Some(at(extent)?.allocation());
            is_known.then_some(()).ok_or_else(refused)?;
        }
        Ok(family)
    }

    /// Whether the map, of so many units, is what the functions say.
    fn agrees(&self, map: &IndexMap, units: i64) -> bool {
        let is_known = |digit: &Digit| {
            let found = self.digits.iter().find(|(other, ..)| is_same_part(other, digit));
            found.is_some_and(|(_, stride, _)| stride.at(units) == Some(digit.stride))
        };
        map.is_separable()
            && map.is_ordered()
            && map.base() == 0
            && map.lowest_offset() == 0
            && map.digits().len() == self.digits.len()
            && map.digits().iter().all(is_known)
            && self.allocation.at(units) == Some(map.allocation())
    }

    /// What the argument is called.
    pub(crate) fn argument(&self) -> String {
        format!("n{}", self.dim)
    }

    /// Whether some extent has slots without an element.
    pub(crate) fn has_padding(&self) -> bool {
        let others = self.dims.iter().enumerate().filter(|(dim, _)| *dim != self.dim);
        let elements: i64 = others.map(|(_, extent)| *extent).product();
        self.unit > 1 || self.allocation != Affine { constant: 0, per_unit: elements }
    }

    fn begin(&self, inputs: Vec<Input>) -> (Arena, Vec<Expr>, Vec<Input>) {
        let mut arena = Arena::default();
        let mut inputs = inputs;
        inputs.push(Input { name: self.argument(), range: Range { low: 1, high: MAX_EXTENT } });
        let exprs = inputs
            .iter()
            .enumerate()
            .map(|(number, input)| arena.input(number, input.range, 1))
            .collect();
        (arena, exprs, inputs)
    }

    /// The number of whole tiles along the dimension.
    fn units(&self, arena: &mut Arena, extent: Expr) -> Expr {
        let more = arena.constant(self.unit - 1);
        let raised = arena.add(extent, more);
        let units = arena.divide(raised, self.unit);
        let unit = self.unit;
        if unit > 1 {
            arena.note(units, || format!("tiles of {unit} along the dimension"));
        }
        units
    }

    fn value(arena: &mut Arena, of: Affine, units: Expr) -> Expr {
        let varying = arena.scale(units, of.per_unit);
        let constant = arena.constant(of.constant);
        arena.add(varying, constant)
    }

    /// The offset of an index, whose last input is the extent.
    pub(crate) fn offset_formula(&self) -> Formula {
        let mut dims = self.dims.clone();
        dims[self.dim] = MAX_EXTENT;
        let (mut arena, inputs, named) = self.begin(index_inputs(&dims));
        let extent = inputs[self.dims.len()];
        let units = self.units(&mut arena, extent);
        let mut terms = Vec::new();
        for (digit, stride, _) in &self.digits {
            let Source::Dim(dim) = digit.source else { continue };
            let mut value = arena.divide(inputs[dim], digit.divisor);
            if let Some(modulus) = digit.modulus {
                value = arena.modulo(value, modulus);
            }
            let stride = Self::value(&mut arena, *stride, units);
            terms.push(arena.multiply(value, stride));
        }
        let offset = arena.sum(&terms);
        Formula { arena, inputs: named, valid: None, outputs: vec![offset] }
    }

    /// The index at an offset of the allocation, whose second input is the extent.
    pub(crate) fn index_formula(&self) -> Formula {
        let offsets = Range { low: 0, high: i64::MAX >> 1 };
        let input = Input { name: "offset".to_owned(), range: offsets };
        let (mut arena, inputs, named) = self.begin(vec![input]);
        let (mut rest, extent) = (inputs[0], inputs[1]);
        let units = self.units(&mut arena, extent);
        let mut sums: Vec<Vec<Expr>> = vec![Vec::new(); self.dims.len()];
        let mut conditions = Vec::new();
        for (digit, stride, n_values) in &self.digits {
            let Source::Dim(dim) = digit.source else { continue };
            let stride = Self::value(&mut arena, *stride, units);
            let part = match arena.constant_of(stride) {
                Some(stride) => arena.divide(rest, stride),
                None => arena.divide_by(rest, stride),
            };
            rest = match arena.constant_of(stride) {
                Some(stride) => arena.modulo(rest, stride),
                None => {
                    let multiple = arena.multiply(part, stride);
                    let left = arena.subtract(rest, multiple);
                    arena.narrow(left, offsets);
                    left
                }
            };
            if dim != self.dim || digit.modulus.is_some() {
                conditions.push(arena.less_than(part, *n_values));
            }
            sums[dim].push(arena.scale(part, digit.divisor));
        }
        let zero = arena.constant(0);
        conditions.push(arena.equal(rest, zero));
        let index: Vec<Expr> = sums.iter().map(|terms| arena.sum(terms)).collect();
        for (dim, &along) in index.iter().enumerate() {
            let end = if dim == self.dim { extent } else { arena.constant(self.dims[dim]) };
            conditions.push(arena.less(along, end));
        }
        let mut valid = arena.constant(1);
        for condition in conditions {
            valid = arena.both(valid, condition);
        }
        Formula { arena, inputs: named, valid: Some(valid), outputs: index }
    }

    /// The number of elements and of slots, from the extent.
    pub(crate) fn sizes(&self) -> [Formula; 2] {
        [true, false].map(|is_elements| {
            let (mut arena, inputs, named) = self.begin(Vec::new());
            let size = match is_elements {
                true => {
                    let others = self.dims.iter().enumerate().filter(|(dim, _)| *dim != self.dim);
                    let others = others.map(|(_, extent)| *extent).product();
                    arena.scale(inputs[0], others)
                }
                false => {
                    let units = self.units(&mut arena, inputs[0]);
                    Self::value(&mut arena, self.allocation, units)
                }
            };
            Formula { arena, inputs: named, valid: None, outputs: vec![size] }
        })
    }
}

fn is_same_part(a: &Digit, b: &Digit) -> bool {
    (a.source, a.divisor, a.modulus) == (b.source, b.divisor, b.modulus)
}

/// The extent of a whole tile along a dimension: what the divisors of its digits, and where they wrap, divide.
fn unit_of(map: &IndexMap, dim: usize) -> Option<i64> {
    let own = map.digits().iter().filter(|digit| digit.source == Source::Dim(dim));
    let ends = own.map(|digit| digit.divisor.checked_mul(digit.modulus.unwrap_or(1)));
    let unit = ends.collect::<Option<Vec<i64>>>()?.into_iter().max().unwrap_or(1);
    (map.is_separable() && unit < PROBE / 2).then_some(unit)
}

/// The largest extent that takes as much memory as an extent of 1: a tile's, where the dimension is padded.
fn padded_unit(at: &impl Fn(i64) -> Result<IndexMap, Error>) -> Result<i64, Error> {
    let one = at(1)?.allocation();
    let (mut same, mut more) = (1, PROBE);
    if at(more)?.allocation() == one {
        return Ok(1); // a stride of 0, or nothing at all
    }
    while more - same > 1 {
        let middle = same + (more - same) / 2;
        if at(middle)?.allocation() == one { same = middle } else { more = middle }
    }
    Ok(same)
}
