//! Lowering shape and stride to a map.

use std::collections::BTreeSet;

use crate::arithmetic::{checked_product, span};
use crate::error::{Error, checked, invalid};
use crate::map::{Digit, IndexMap, Source};
use crate::tla::{Layout, Stride, Typed};

/// The most dimensions that the maps of a layout's directions have together.
const MAX_DIMS_OF_DIRECTIONS: usize = 1 << 22;

/// An extent and a stride, in elements.
pub(super) type Leaf = (i64, i64);

impl IndexMap {
    /// The map of a hierarchical layout: a logical dimension for each mode, of its original
    /// extent.
    ///
    /// An index along a mode is taken apart with the leftmost integer of the shape varying
    /// fastest. The allocation is the layout's [`cosize`](Layout::cosize), padding of the shape
    /// included; where strides are negative it begins below 0.
    ///
    /// ```
    /// use tilewright::{IndexMap, Shape};
    /// let zn = "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)".parse()?;
    /// let tiled: Shape = "f16[28,40]{0,1:T(16,16)(16,1)}".parse()?;
    /// assert!(IndexMap::from_tla(&zn)?.same_as(&tiled.index_map()?)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the strides are steps of a coordinate and not elements, or a number does not fit 64
    /// bits.
    pub fn from_tla(layout: &Layout) -> Result<Self, Error> {
        let dims = layout.org_shape()?.values();
        let modes = modes(layout)?;
        let (lowest, allocation) = span(modes.iter().flatten())?;
        let mut digits = Vec::new();
        for (dim, mode) in modes.iter().enumerate() {
            digits.extend(digits_of_mode(dim, mode)?);
        }
        let elements = checked_product(dims.iter().copied())?;
        let map = IndexMap {
            merged: Vec::new(),
            digits: if elements == 0 { Vec::new() } else { digits },
            base: 0,
            physical_dims: physical_dims(&modes, allocation),
            elements,
            padded_elements: allocation,
            lowest_offset: lowest,
            allocation,
            is_ordered: true,
            dims,
        };
        Ok(map.canonical())
    }

    /// The maps of a layout that leads to coordinates: for each direction its strides step along,
    /// the map of the steps along it.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let parts = IndexMap::coordinates_of_tla(&"(4,(2,8)):(1@1,(3@0,1@0))".parse()?)?;
    /// let at = |place: usize| parts[place].1.offset(&[2, 5]);
    /// assert_eq!((&parts[0].0, at(0)?), (&vec![0], 5)); // 5 is (1,2): 1*3 + 2*1
    /// assert_eq!((&parts[1].0, at(1)?), (&vec![1], 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a stride other than 0 counts elements, a number does not fit 64 bits, or the maps have
    /// more than 2²² dimensions together: there is a map for each direction, and each has a
    /// dimension for each mode.
    pub fn coordinates_of_tla(layout: &Layout) -> Result<Vec<(Vec<usize>, Self)>, Error> {
        let mut directions = BTreeSet::new();
        for stride in layout.stride().leaves().filter(|stride| !stride.is_zero()) {
            match stride {
                Stride::Steps(steps) => directions.extend(steps.keys().cloned()),
                Stride::Elements(_) => {
                    return invalid(format!("the stride {stride} steps along no direction"));
                }
            }
        }
        if directions.len().saturating_mul(layout.rank()) > MAX_DIMS_OF_DIRECTIONS {
            return invalid(format!(
                "{} directions of {} dimensions each are more than {MAX_DIMS_OF_DIRECTIONS} dimensions",
                directions.len(),
                layout.rank()
            ));
        }
        let part = |direction: Vec<usize>| {
            let map = Self::from_tla(&layout.steps_along(&direction)?)?;
            Ok((direction, map))
        };
        directions.into_iter().map(part).collect()
    }
}

impl Typed<Layout> {
    /// The bytes of the allocation, if the element type is known.
    ///
    /// # Errors
    /// As [`IndexMap::from_tla`], and if the number does not fit 64 bits.
    pub fn bytes(&self) -> Result<Option<i64>, Error> {
        let map = IndexMap::from_tla(&self.layout)?;
        self.element_bits().map(|bits| map.bytes(bits)).transpose()
    }
}

/// The extents and strides of each mode, left to right.
pub(super) fn modes(layout: &Layout) -> Result<Vec<Vec<Leaf>>, Error> {
    let mode = |mode: Layout| {
        let leaves = mode.shape().leaves().zip(mode.stride().leaves());
        leaves.map(|(extent, stride)| Ok((extent.value(), stride.elements()?.value()))).collect()
    };
    layout.modes().into_iter().map(mode).collect()
}

pub(super) fn digits_of_mode(dim: usize, mode: &[Leaf]) -> Result<Vec<Digit>, Error> {
    let mut digits = Vec::new();
    let mut divisor = 1i64;
    for (place, &(extent, stride)) in mode.iter().enumerate() {
        let modulus = (place + 1 < mode.len()).then_some(extent.max(1));
        digits.push(Digit { source: Source::Dim(dim), divisor, modulus, stride });
        divisor = checked(divisor.checked_mul(extent.max(1)), "the extent of a mode")?;
    }
    Ok(digits)
}

/// The extents by falling stride where they fill memory without gaps, else all of it as one.
fn physical_dims(modes: &[Vec<Leaf>], allocation: i64) -> Vec<i64> {
    let mut leaves: Vec<Leaf> =
        modes.iter().flatten().copied().filter(|leaf| leaf.0 != 1).collect();
    leaves.sort_by_key(|leaf| std::cmp::Reverse(leaf.1));
    let mut filled = 1i64;
    for &(extent, stride) in leaves.iter().rev() {
        if stride != filled {
            return vec![allocation];
        }
        filled = filled.saturating_mul(extent);
    }
    leaves.into_iter().map(|leaf| leaf.0).collect()
}
