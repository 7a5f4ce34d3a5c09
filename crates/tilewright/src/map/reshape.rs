//! The same memory under other dimensions.

use super::build::{Coordinate, MapBuilder, Sum};
use super::{Digit, IndexMap, Source};
use crate::Permutation;
use crate::arithmetic::checked_product;
use crate::error::{Error, invalid};

impl IndexMap {
    /// The map of the same memory with the dimensions rearranged: dimension `i` of the outcome is
    /// dimension `permutation[i]` of this one, and no element moves.
    ///
    /// # Errors
    /// If the permutation is not of as many numbers as there are dimensions.
    pub fn permuted(&self, permutation: &Permutation) -> Result<IndexMap, Error> {
        if permutation.len() != self.dims.len() {
            return invalid(format!(
                "a permutation of {} dimensions does not fit {}",
                permutation.len(),
                self.dims.len()
            ));
        }
        let new_number = permutation.inverse();
        let mut map = self.clone();
        map.dims = permutation.permute(&self.dims);
        let lists = map.merged.iter_mut().map(|merged| &mut merged.digits);
        for digit in lists.chain([&mut map.digits]).flatten() {
            if let Source::Dim(dim) = &mut digit.source {
                *dim = new_number[*dim];
            }
        }
        Ok(map.canonical())
    }

    /// The map of the same memory with other dimensions of as many elements: the element that
    /// comes after *n* others in row-major order is the same one before and after.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[6,4]".parse::<Shape>()?.index_map()?;
    /// let reshaped = map.reshaped(&[2, 3, 4])?;
    /// assert_eq!(reshaped.offset(&[1, 0, 2])?, map.offset(&[3, 2])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the numbers of elements differ, or a number does not fit 64 bits.
    pub fn reshaped(&self, dims: &[i64]) -> Result<IndexMap, Error> {
        let elements = checked_product(dims.iter().copied())?;
        if elements != self.elements {
            return invalid(format!(
                "{elements} elements in {dims:?} cannot be the {} in {:?}",
                self.elements, self.dims
            ));
        }
        let mut builder = MapBuilder::new(dims)?;
        let mut sum = Sum { digits: Vec::new(), base: self.base };
        if elements > 0 {
            let indices = self.indices_from(&mut builder, dims)?;
            sum = self.substituted(&mut builder, &indices)?;
        }
        Ok(builder.over_memory_of(self, sum))
    }

    /// Each index of this map as a coordinate over the new dimensions. Where the products of
    /// leading sizes agree on both sides, what is before and after does not mix.
    fn indices_from(
        &self,
        builder: &mut MapBuilder,
        dims: &[i64],
    ) -> Result<Vec<Coordinate>, Error> {
        let mut indices = Vec::new();
        let mut new_dims = (0..dims.len()).rev().peekable();
        let mut rest = Coordinate::zero(1);
        for &size in self.dims.iter().rev() {
            while rest.bound() % size != 0 {
                let Some(dim) = new_dims.next() else { break };
                rest = builder.merge(&builder.input(dim), &rest)?;
            }
            let (more, index) = builder.split(&rest, size)?;
            indices.push(index);
            rest = more;
        }
        indices.reverse();
        Ok(indices)
    }

    /// This map, of these coordinates in place of its indices.
    fn substituted(&self, builder: &mut MapBuilder, indices: &[Coordinate]) -> Result<Sum, Error> {
        let mut merged: Vec<Coordinate> = Vec::new();
        for coordinate in &self.merged {
            let mut sum = Sum { digits: Vec::new(), base: coordinate.base };
            replace(builder, &coordinate.digits, indices, &merged, &mut sum)?;
            merged.push(Coordinate::of_digits(sum.digits, sum.base, coordinate.extent));
        }
        let mut sum = Sum { digits: Vec::new(), base: self.base };
        replace(builder, &self.digits, indices, &merged, &mut sum)?;
        Ok(sum)
    }
}

/// Adds digits of coordinates, as digits of what the coordinates are made of.
fn replace(
    builder: &mut MapBuilder,
    digits: &[Digit],
    indices: &[Coordinate],
    merged: &[Coordinate],
    sum: &mut Sum,
) -> Result<(), Error> {
    for digit in digits {
        let source = match digit.source {
            Source::Dim(dim) => &indices[dim],
            Source::Merged(number) => &merged[number],
        };
        let (mut value, _) = builder.split(source, digit.divisor)?;
        if let Some(modulus) = digit.modulus {
            value = builder.split(&value, modulus)?.1;
        }
        sum.add(&value, digit.stride)?;
    }
    Ok(())
}
