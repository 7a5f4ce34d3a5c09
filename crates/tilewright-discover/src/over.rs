//! A layout as a function of the shape, from what it is at several.
//!
//! At each shape the layout has numbers: extents, strides, base, allocation. Of each number, one
//! formula is looked for that is right at every shape: a constant; a factor times counts of units,
//! `factor * Π ceil(size / unit)`; or, from three shapes, such a product plus a constant. The units, one a dimension, are those that the allocation and all strides share: the
//! tile where that does, else the least multiple that does, which is how far the array is padded.

use std::fmt;

use tilewright::map::Fitted;
use tilewright::tla::{Int, Layout, Stride};

use crate::discovery::{Discovery, discover};
use crate::error::Error;
use crate::form::{Form, Grain};
use crate::formula::{Formula, LayoutFormula, product, sizes_of};

/// Units that are tried for each dimension, as multiples of its tile.
const UNITS: u32 = 11;

/// Of layouts of more modes the formula is not looked for: all units are tried with all others.
const MAX_MODES: usize = 4;

/// What a packing function does at several shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    /// What it does at each.
    pub found: Vec<Discovery>,
    /// The layout as a function of the shape, which is right at all of these; or why there is none.
    pub formula: Result<LayoutFormula, String>,
}

/// Finds the layout of a packing function at several shapes, and as a function of the shape.
///
/// Two shapes that differ in every dimension show what depends on it, one that no tile divides what
/// is padded, a third one proves it.
///
/// ```
/// use tilewright_discover::discover_over;
/// let rows_padded_to_4 = |codes: &[u32], dims: &[i64]| -> Result<_, std::convert::Infallible> {
///     let width = dims.last().copied().unwrap_or(1) as usize;
///     let padded = |row: &[u32]| {
///         let mut row: Vec<u8> = row.iter().map(|code| *code as u8).collect();
///         row.resize(width.next_multiple_of(4), 0);
///         row
///     };
///     Ok(codes.chunks(width).flat_map(padded).collect::<Vec<u8>>())
/// };
/// let over = discover_over(rows_padded_to_4, &[&[3, 8], &[5, 10], &[6, 19]], 8)?;
/// assert_eq!(over.formula?.to_string(), "(d0,d1):(4*ceil(d1/4),1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`discover`], at any of the shapes; if there are fewer than two, of one rank.
pub fn discover_over<E>(
    mut pack: impl FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
    shapes: &[&[i64]],
    bits: u32,
) -> Result<Over, Error<E>> {
    let rank = shapes.first().map_or(0, |shape| shape.len());
    if shapes.len() < 2 || shapes.iter().any(|shape| shape.len() != rank) {
        return Err(Error::Question("two shapes or more are needed, of one rank".to_owned()));
    }
    let found = shapes.iter().map(|dims| discover(&mut pack, dims, bits));
    let found = found.collect::<Result<Vec<Discovery>, _>>()?;
    let formula = formula(&found);
    Ok(Over { found, formula })
}

/// A layout at one shape, and all that a formula is to say of it.
struct Sample {
    sizes: Vec<i64>,
    modes: Vec<Vec<(i64, i64)>>,
    base: i64,
    allocation: i64,
}

fn formula(found: &[Discovery]) -> Result<LayoutFormula, String> {
    let Some(first) = found.first() else { return Err("there is no shape".to_owned()) };
    if let Some(other) = found.iter().find(|other| other.xor_mask() != first.xor_mask()) {
        return Err(format!("other bits are flipped at {:?}", other.dims()));
    }
    if let Some(dim) = (0..first.dims().len()).find(|dim| is_same_in_all(found, *dim)) {
        return Err(format!("dimension {dim} has the same size in all shapes"));
    }
    let (groups, _) = fitted_of(first)?;
    let samples: Vec<Sample> =
        found.iter().map(|one| sample(one, &groups)).collect::<Result<_, _>>()?;
    check_structure(&samples)?;
    let bits = (first.grain() == Grain::Bits).then(|| i64::from(first.bits()));
    let tiles = tiles(&samples);
    for affine in [false, true] {
        for units in all_units(&tiles) {
            let mut numbers = Numbers { samples: &samples, units: &units, affine, open: None };
            if let Some(formula) = numbers.layout(&tiles) {
                return match numbers.open {
                    None => Ok(LayoutFormula { groups, bits, ..formula }),
                    Some(open) => Err(open),
                };
            }
        }
    }
    Err("the strides or the size are no product of padded sizes".to_owned())
}

fn is_same_in_all(found: &[Discovery], dim: usize) -> bool {
    let mut sizes = found.iter().map(|one| one.dims().get(dim));
    let first = sizes.next();
    sizes.all(|size| Some(size) == first)
}

/// The layout, and the dimensions that each of its modes is of.
fn fitted_of(found: &Discovery) -> Result<(Vec<Vec<usize>>, &Fitted), String> {
    let rank = found.dims().len() + usize::from(found.grain() == Grain::Bits);
    match found.form() {
        Form::Layout(fitted) => Ok(((0..rank).map(|dim| vec![dim]).collect(), fitted)),
        Form::Merged { groups, fitted } => Ok((groups.clone(), fitted)),
        _ => Err(format!("at {:?} it is {}", found.dims(), found.text())),
    }
}

fn sample(found: &Discovery, groups: &[Vec<usize>]) -> Result<Sample, String> {
    let (own, fitted) = fitted_of(found)?;
    if own != groups {
        return Err(format!("at {:?} other dimensions are merged", found.dims()));
    }
    let mode = |layout: Layout| {
        let extents = layout.shape().leaves().map(|extent| extent.value());
        let strides = layout.stride().leaves().map(Stride::elements);
        let strides = strides.map(|stride| stride.map_or(0, Int::value));
        extents.zip(strides.collect::<Vec<_>>()).collect()
    };
    let (bits, unit) = match found.grain() {
        Grain::Bits => (Some(i64::from(found.bits())), 1),
        Grain::Elements => (None, i64::from(found.bits())),
    };
    Ok(Sample {
        sizes: sizes_of(groups, found.dims(), bits),
        modes: fitted.layout.modes().into_iter().map(mode).collect(),
        base: fitted.base,
        allocation: found.allocation_bits() / unit,
    })
}

/// Modes have as many parts at each shape, and all parts but the last are of one extent.
fn check_structure(samples: &[Sample]) -> Result<(), String> {
    let inner = |sample: &Sample| -> Vec<(usize, Vec<i64>)> {
        let of_mode = |mode: &Vec<(i64, i64)>| {
            let extents = mode.iter().rev().skip(1).map(|leaf| leaf.0);
            (mode.len(), extents.collect())
        };
        sample.modes.iter().map(of_mode).collect()
    };
    let Some((first, others)) = samples.split_first() else { return Ok(()) };
    if first.modes.len() > MAX_MODES {
        return Err(format!("the layout has more than {MAX_MODES} modes"));
    }
    match others.iter().find(|other| inner(other) != inner(first)) {
        Some(other) => Err(format!(
            "at {:?} the layout has other parts than at {:?}: a shape may be too small to show them",
            other.sizes, first.sizes
        )),
        None => Ok(()),
    }
}

/// How many elements of each dimension all parts of its mode but the last one hold.
fn tiles(samples: &[Sample]) -> Vec<i64> {
    let tile = |mode: &Vec<(i64, i64)>| {
        mode.iter().rev().skip(1).fold(1i64, |tile, leaf| tile.saturating_mul(leaf.0.max(1)))
    };
    samples.first().map(|sample| sample.modes.iter().map(tile).collect()).unwrap_or_default()
}

/// A unit for each dimension: the tiles themselves first, then what is a few multiples larger.
fn all_units(tiles: &[i64]) -> Vec<Vec<i64>> {
    let mut all: Vec<(u32, Vec<i64>)> = vec![(0, Vec::new())];
    for tile in tiles {
        let longer = |(cost, units): (u32, Vec<i64>)| {
            (0..UNITS).map(move |doublings| {
                let unit = tile.saturating_mul(1 << doublings);
                (cost + doublings, units.iter().copied().chain([unit]).collect())
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.sort_by_key(|(cost, _)| *cost);
    all.into_iter().map(|(_, units)| units).collect()
}

/// Formulas of numbers, with these units.
struct Numbers<'a> {
    samples: &'a [Sample],
    units: &'a [i64],
    /// Whether a constant is added.
    affine: bool,
    /// What these shapes leave open.
    open: Option<String>,
}

impl Numbers<'_> {
    /// The formulas of a layout, if every number has one.
    fn layout(&mut self, tiles: &[i64]) -> Option<LayoutFormula> {
        let mut modes = Vec::new();
        for (dim, mode) in self.samples.first()?.modes.iter().enumerate() {
            let mut leaves = Vec::new();
            for (part, &(extent, _)) in mode.iter().enumerate() {
                let is_last = part + 1 == mode.len();
                let terms = vec![(dim, *tiles.get(dim)?)];
                let count = Formula { outer: Vec::new(), constant: 0, factor: 1, terms };
                let extent = if is_last { count } else { Formula::constant(extent) };
                let stride = self.number(|sample| Some(sample.modes.get(dim)?.get(part)?.1))?;
                leaves.push((extent, stride));
            }
            modes.push(leaves);
        }
        let base = self.number(|sample| Some(sample.base))?;
        let allocation = self.allocation()?;
        Some(LayoutFormula { groups: Vec::new(), bits: None, modes, base, allocation })
    }

    /// The formula of one number: a constant, or of the fewest dimensions that explain it. Where
    /// another one explains it too, that is noted.
    fn number(&mut self, pick: impl Fn(&Sample) -> Option<i64>) -> Option<Formula> {
        let values: Vec<i64> = self.samples.iter().map(pick).collect::<Option<_>>()?;
        let first = *values.first()?;
        let is_constant = values.iter().all(|value| *value == first);
        let growing = self.growing();
        let mut sets: Vec<u32> = (1..=growing).filter(|set| set & !growing == 0).collect();
        sets.sort_by_key(|set| set.count_ones());
        let of_sets = sets.into_iter().filter_map(|set| self.of_dims(set, &values));
        let mut fitting = is_constant.then(|| Formula::constant(first)).into_iter().chain(of_sets);
        let (found, other) = (fitting.next()?, fitting.next());
        if other.is_some_and(|other| other.factor != 0) && first != 0 {
            self.open = Some(format!(
                "{first} at {:?} has several formulas that are right at these shapes: a shape of \
                 other proportions settles it",
                self.samples.first()?.sizes
            ));
        }
        Some(found)
    }

    /// The formula of the size: of all dimensions, since no array has room for more along any
    /// without being larger. With a constant some of them count what has it.
    fn allocation(&self) -> Option<Formula> {
        let values: Vec<i64> = self.samples.iter().map(|sample| sample.allocation).collect();
        let all = self.growing();
        let outer = if self.affine { all } else { 0 };
        let mut splits = (0..=outer).filter(|outer| outer & !all == 0 && *outer != all);
        splits.find_map(|outer| {
            let terms = self.terms(outer);
            let per_unit = self.samples.iter().zip(&values).map(|(sample, value)| {
                let count = product(&terms, &sample.sizes)?;
                (value % count == 0).then_some(value / count)
            });
            let inner = self.of_dims(all & !outer, &per_unit.collect::<Option<Vec<i64>>>()?)?;
            Some(Formula { outer: terms, ..inner })
        })
    }

    /// The dimensions that differ between shapes, as a set: all but that of the bits of a code.
    fn growing(&self) -> u32 {
        let sizes = |dim: usize| self.samples.iter().map(move |sample| sample.sizes.get(dim));
        let differs = |dim: &usize| sizes(*dim).any(|size| Some(size) != sizes(*dim).next());
        (0..self.units.len().min(MAX_MODES)).filter(differs).fold(0, |set, dim| set | 1 << dim)
    }

    /// The formula of these values, of a set of dimensions.
    fn of_dims(&self, set: u32, values: &[i64]) -> Option<Formula> {
        let terms = self.terms(set);
        let counts = self.samples.iter().map(|sample| product(&terms, &sample.sizes));
        let (constant, factor) = line(&counts.collect::<Option<Vec<i64>>>()?, values, self.affine)?;
        Some(Formula { outer: Vec::new(), constant, factor, terms })
    }

    /// The dimensions of a set, with their units.
    fn terms(&self, set: u32) -> Vec<(usize, i64)> {
        let in_set = self.units.iter().copied().enumerate().filter(|(dim, _)| set >> dim & 1 == 1);
        in_set.collect()
    }
}

/// The constant and the factor with which all values are `constant + factor * count`. A constant
/// other than 0 takes two shapes to find, and a third one to prove.
fn line(counts: &[i64], values: &[i64], affine: bool) -> Option<(i64, i64)> {
    let (constant, factor) = if affine {
        let other = counts.iter().position(|count| Some(count) != counts.first())?;
        let run = counts.get(other)?.checked_sub(*counts.first()?)?;
        let factor = values.get(other)?.checked_sub(*values.first()?)?.checked_div(run)?;
        (values.first()?.checked_sub(factor.checked_mul(*counts.first()?)?)?, factor)
    } else {
        (0, values.first()?.checked_div(*counts.first()?)?)
    };
    let is_right = counts.iter().zip(values).all(|(count, value)| {
        factor.checked_mul(*count).and_then(|v| v.checked_add(constant)) == Some(*value)
    });
    let is_proved = !affine || counts.len() > 2;
    (is_right && is_proved).then_some((constant, factor))
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.formula {
            Ok(formula) => write!(f, "at every shape  {formula}")?,
            Err(reason) => write!(f, "no formula      {reason}")?,
        }
        for one in &self.found {
            write!(f, "\nat {:?}  {}", one.dims(), one.text())?;
        }
        Ok(())
    }
}
