//! Surgery on the dimensions of an array: rearrange, delete, insert.
//!
//! Every operation rewrites the dimensions and, where there is a layout, the order with them;
//! without a layout the outcome has none either. What becomes of the rest of the layout:
//!
//! | | tiles | `PAD` | `SC` |
//! |---|---|---|---|
//! | permute | mean the same | goes with its dimension | means the same |
//! | delete | kept as written | goes with its dimension | goes with its dimension |
//! | insert | kept as written | the new dimension has none | the new dimension has none |
//! | move to major or minor | kept as written | stays with its dimension | stays with its dimension |
//!
//! All other attributes stay. *Kept as written* means that the tiles act on the most minor
//! dimensions of the outcome, whichever those are. So deleting or inserting a dimension at or
//! below the tiles moves elements, even one of size 1: compare
//! [index maps](ArrayShape::index_map) where that matters.
//!
//! XLA keeps tiles too, but in `PrependMajorDimension`, `InsertDimensionAtIndex` and
//! `MoveDimToMajor` of `ShapeUtil`, which build a layout from the order alone and lose tiles,
//! element size and memory space.
//!
//! Source: `shape_util.cc` in XLA.

use std::collections::HashSet;

use crate::Permutation;
use crate::error::{Error, Kind};
use crate::shape::{ArrayShape, Dim, resolve_dimension};
use crate::xla::Layout;

impl ArrayShape {
    /// The array transposed with nothing moved: dimension `i` of the outcome is dimension
    /// `permutation[i]` of this one, and the layout is such that every element stays where it is.
    ///
    /// XLA's `ShapeUtil::PermuteDimensions` and `ReorderLogicalDimensions`. The latter used the
    /// permutation where its inverse was due until mid-2026.
    ///
    /// ```
    /// use tilewright::{ArrayShape, Permutation};
    /// let shape: ArrayShape = "f32[10,20,30]{2,1,0:T(8,128)}".parse()?;
    /// let permuted = shape.permute_dimensions(&Permutation::new([1, 2, 0])?)?;
    /// assert_eq!(permuted.to_string(), "f32[20,30,10]{1,0,2:T(8,128)}");
    /// assert_eq!(permuted.linear_index(&[7, 9, 3])?, shape.linear_index(&[3, 7, 9])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the permutation is not of as many numbers as there are dimensions.
    pub fn permute_dimensions(&self, permutation: &Permutation) -> Result<Self, Error> {
        if permutation.len() != self.rank() {
            return Err(Error::new(Kind::RankMismatch {
                what: "the permutation",
                expected: self.rank(),
                found: permutation.len(),
            }));
        }
        self.rebuilt(self.permuted_dims(permutation), |layout| {
            layout.with_permuted_dimensions(permutation)
        })
    }

    /// The array with its dimensions listed in physical order, most major first, and nothing
    /// moved: the layout becomes descending. XLA's
    /// `ShapeUtil::MakeShapeWithDescendingLayoutAndSamePhysicalLayout`, which keeps tiles,
    /// element size, tail padding and memory space, and nothing else.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[128,24,4,48]{2,3,1,0:T(4,8)}".parse()?;
    /// assert_eq!(shape.in_physical_order()?.to_string(), "f32[128,24,48,4]{3,2,1,0:T(4,8)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// None for a shape that was built; the type is for what it is made of.
    pub fn in_physical_order(&self) -> Result<Self, Error> {
        self.permute_dimensions(&self.layout_or_default().major_to_minor())
    }

    /// The array without `dim`. XLA's `ShapeUtil::DeleteDimension`.
    ///
    /// # Errors
    /// If there is no such dimension, or the number of elements does not fit 64 bits, as can be
    /// where a dimension of size 0 goes.
    pub fn delete_dimension(&self, dim: i64) -> Result<Self, Error> {
        self.delete_dimensions(&[dim])
    }

    /// The array without these dimensions, all numbered as they are before. Listing one twice
    /// deletes it once. XLA's `ShapeUtil::DeleteDimensions`.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[5,3,2,7,9]{2,0,1,4,3}".parse()?;
    /// assert_eq!(shape.delete_dimensions(&[1, 2, -2])?.to_string(), "f32[5,9]{0,1}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`delete_dimension`](Self::delete_dimension).
    pub fn delete_dimensions(&self, dims: &[i64]) -> Result<Self, Error> {
        let resolved = dims.iter().map(|&dim| resolve_dimension(dim, self.rank()));
        let deleted = resolved.collect::<Result<HashSet<usize>, _>>()?;
        self.filter_dimensions(|dim, _| !deleted.contains(&dim))
    }

    /// The array with only those dimensions for which `keep` holds, given their number and size.
    /// XLA's `ShapeUtil::FilterDimensions`.
    ///
    /// # Errors
    /// If the number of elements does not fit 64 bits, as can be where a dimension of size 0
    /// goes.
    pub fn filter_dimensions(
        &self,
        mut keep: impl FnMut(usize, Dim) -> bool,
    ) -> Result<Self, Error> {
        let sizes = self.dims().iter().copied().enumerate();
        let kept: Vec<bool> = sizes.map(|(dim, size)| keep(dim, size)).collect();
        let sizes = self.dims().iter().zip(&kept);
        let dims = sizes.filter_map(|(&size, &is_kept)| is_kept.then_some(size)).collect();
        self.rebuilt(dims, |layout| layout.with_dimensions_kept(&kept))
    }

    /// Whether some dimension has exactly one element. One of `<=1` counts, as in XLA, although
    /// it may have none when the program runs.
    pub fn has_degenerate_dimensions(&self) -> bool {
        self.dims().iter().any(is_degenerate)
    }

    /// The array without its dimensions of one element, `<=1` included. XLA's
    /// `ShapeUtil::DropDegenerateDimensions`.
    ///
    /// Without tiles every element stays where it is. With tiles it does only if the dimensions
    /// under the tiles stay.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[1,16,1,3]{3,2,1,0}".parse()?;
    /// assert_eq!(shape.drop_degenerate_dimensions()?.to_string(), "f32[16,3]{1,0}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// None for a shape that was built; the type is for what it is made of.
    pub fn drop_degenerate_dimensions(&self) -> Result<Self, Error> {
        self.filter_dimensions(|_, size| !is_degenerate(&size))
    }

    /// The array with a new dimension, which has number `at` in the outcome (−1: the last).
    /// Physically it comes just outside the dimension that had the number before; a new last
    /// dimension is the most minor.
    ///
    /// XLA's `ShapeUtil::InsertDimensionAtIndex`, which drops tiles and all other attributes.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[10,20,30]{0,2,1}".parse()?;
    /// assert_eq!(shape.insert_dimension(1, 40)?.to_string(), "f32[10,40,20,30]{0,3,2,1}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `at` is more than the rank, the size is negative, or the number of elements or of bytes
    /// does not fit 64 bits.
    pub fn insert_dimension(&self, at: i64, size: impl Into<Dim>) -> Result<Self, Error> {
        let number = resolve_dimension(at, self.rank() + 1)?;
        let order = self.layout_or_default();
        let position = order.minor_to_major().iter().position(|&dim| dim == number);
        self.with_new_dimension(number, position.map_or(0, |minor| minor + 1), size.into())
    }

    /// The array with a new last dimension that is the most major. XLA's
    /// `ShapeUtil::AppendMajorDimension`.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[10,20,30]{0,2,1}".parse()?;
    /// assert_eq!(shape.append_major_dimension(40)?.to_string(), "f32[10,20,30,40]{0,2,1,3}");
    /// assert_eq!(shape.prepend_major_dimension(40)?.to_string(), "f32[40,10,20,30]{1,3,2,0}");
    /// assert_eq!(shape.append_minor_dimension(40)?.to_string(), "f32[10,20,30,40]{3,0,2,1}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`insert_dimension`](Self::insert_dimension).
    pub fn append_major_dimension(&self, size: impl Into<Dim>) -> Result<Self, Error> {
        self.with_new_dimension(self.rank(), self.rank(), size.into())
    }

    /// The array with a new dimension 0 that is the most major. XLA's
    /// `ShapeUtil::PrependMajorDimension`, which drops tiles and all other attributes.
    ///
    /// # Errors
    /// As [`insert_dimension`](Self::insert_dimension).
    pub fn prepend_major_dimension(&self, size: impl Into<Dim>) -> Result<Self, Error> {
        self.with_new_dimension(0, self.rank(), size.into())
    }

    /// The array with a new last dimension that is the most minor, and so under the tiles. XLA's
    /// `ShapeUtil::AppendMinorDimension`.
    ///
    /// # Errors
    /// As [`insert_dimension`](Self::insert_dimension).
    pub fn append_minor_dimension(&self, size: impl Into<Dim>) -> Result<Self, Error> {
        self.with_new_dimension(self.rank(), 0, size.into())
    }

    /// The array with `dim` laid out as the most major dimension; without a layout, the default
    /// one is changed. XLA's `ShapeUtil::MoveDimToMajor`, which drops tiles and all other
    /// attributes.
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn move_dim_to_major(&self, dim: i64) -> Result<Self, Error> {
        self.clone().with_layout(self.layout_or_default().move_dim_to_major(dim)?)
    }

    /// The array with `dim` laid out as the most minor dimension; without a layout, the default
    /// one is changed. XLA has this for layouts only.
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn move_dim_to_minor(&self, dim: i64) -> Result<Self, Error> {
        self.clone().with_layout(self.layout_or_default().move_dim_to_minor(dim)?)
    }

    fn with_new_dimension(
        &self,
        number: usize,
        n_more_minor: usize,
        size: Dim,
    ) -> Result<Self, Error> {
        let mut dims = self.dims().to_vec();
        dims.insert(number, size);
        self.rebuilt(dims, |layout| layout.with_new_dimension(number, n_more_minor, size))
    }

    /// The same kind of array with other dimensions, and its layout, if any, changed to suit.
    fn rebuilt(
        &self,
        dims: Vec<Dim>,
        change: impl FnOnce(&Layout) -> Result<Layout, Error>,
    ) -> Result<Self, Error> {
        Self::from_parts(self.element_type(), dims, self.layout().map(change).transpose()?)
    }
}

fn is_degenerate(size: &Dim) -> bool {
    size.bound() == Some(1)
}
