//! Asking and changing the order of a layout's dimensions.
//!
//! What each operation does to the attributes that are counted by dimension:
//!
//! * Tiles stay as they are and go on acting on the most minor dimensions, whichever those are.
//! * `PAD` is of logical dimensions, and each width stays with its dimension.
//! * `SC` is of physical dimensions, and each split stays with the dimension it cuts: its number
//!   is changed where the physical order is.
//!
//! Source: `layout.cc`, `layout_util.cc` in XLA.

use crate::Permutation;
use crate::error::Error;
use crate::permutation::numbers_of_kept;
use crate::shape::{Dim, resolve_dimension};
use crate::xla::{Layout, Padding, SplitConfig};

impl Layout {
    /// Whether the order is `{n-1,…,1,0}`: dimension 0 major, the last minor, row-major. So is
    /// every order of fewer than two dimensions.
    ///
    /// Of the order alone: tiles may still cut it. XLA's `LayoutUtil::IsMonotonicWithDim0Major`
    /// and `HasDescendingLayout`.
    ///
    /// ```
    /// use tilewright::xla::Layout;
    /// assert!("{2,1,0}".parse::<Layout>()?.is_descending());
    /// assert!(!"{2,0,1}".parse::<Layout>()?.is_descending());
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn is_descending(&self) -> bool {
        self.minor_to_major.is_reversal()
    }

    /// Whether the order is `{0,1,…,n-1}`: dimension 0 minor, column-major. So is every order of
    /// fewer than two dimensions.
    ///
    /// Of the order alone. XLA's `LayoutUtil::IsMonotonicWithDim0Minor` and `HasAscendingLayout`.
    pub fn is_ascending(&self) -> bool {
        self.minor_to_major.is_identity()
    }

    /// The logical dimension at this physical position, 0 being most major. `None` where there is
    /// no such position; XLA's `LayoutUtil::Major` dies there.
    ///
    /// ```
    /// use tilewright::xla::Layout;
    /// let layout: Layout = "{2,0,1}".parse()?;
    /// assert_eq!([layout.major(0), layout.major(2), layout.major(3)], [Some(1), Some(2), None]);
    /// assert_eq!(layout.minor(0), Some(2));
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn major(&self, position: usize) -> Option<usize> {
        self.minor_to_major.iter().rev().nth(position).copied()
    }

    /// The logical dimension that has this many more minor ones: 0 asks for the most minor.
    /// `None` where there is none; XLA's `LayoutUtil::Minor` dies there.
    pub fn minor(&self, position: usize) -> Option<usize> {
        self.minor_to_major.get(position).copied()
    }

    /// Whether these dimensions are neighbours in the physical order, listed in any order.
    ///
    /// Of the order alone. No dimension or one is consecutive; a dimension that does not exist or
    /// is listed twice is not. XLA's `LayoutUtil::AreDimensionsConsecutive`, which gives every
    /// dimension that does not exist position −1.
    ///
    /// ```
    /// use tilewright::xla::Layout;
    /// let layout: Layout = "{3,0,2,1}".parse()?;
    /// assert!(layout.are_dimensions_consecutive(&[2, 0]));
    /// assert!(!layout.are_dimensions_consecutive(&[0, 1]));
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn are_dimensions_consecutive(&self, dims: &[usize]) -> bool {
        let physical = self.logical_to_physical();
        let mut positions = Vec::new();
        for &dim in dims {
            let Some(&position) = physical.get(dim) else { return false };
            positions.push(position);
        }
        positions.sort_unstable();
        positions.is_sorted_by(|&a, &b| a + 1 == b)
    }

    /// The layout with `dim` as the most major dimension and the others in the order they had.
    ///
    /// Tiles and all else stay; a split stays with the dimension it cuts. XLA's
    /// `LayoutUtil::MoveDimToMajor`, which leaves the numbers in `SC` alone, so that afterwards
    /// they split other dimensions.
    ///
    /// ```
    /// use tilewright::xla::Layout;
    /// let layout: Layout = "{2,1,0:T(8,128)}".parse()?;
    /// assert_eq!(layout.move_dim_to_major(1)?.to_string(), "{2,0,1:T(8,128)}");
    /// assert_eq!(layout.move_dim_to_minor(0)?.to_string(), "{0,2,1:T(8,128)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn move_dim_to_major(&self, dim: i64) -> Result<Self, Error> {
        let dim = resolve_dimension(dim, self.rank())?;
        let end = self.rank().saturating_sub(1);
        Ok(self.reordered(self.minor_to_major.without(dim).with(end, dim)))
    }

    /// The layout with `dim` as the most minor dimension and the others in the order they had.
    ///
    /// Tiles and all else stay; a split stays with the dimension it cuts. XLA's
    /// `LayoutUtil::MoveDimToMinor`, which leaves the numbers in `SC` alone.
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn move_dim_to_minor(&self, dim: i64) -> Result<Self, Error> {
        let dim = resolve_dimension(dim, self.rank())?;
        Ok(self.reordered(self.minor_to_major.without(dim).with(0, dim)))
    }

    /// The layout of the array without `dim`. Larger dimension numbers become one less.
    ///
    /// The dimension's padding and split go with it, and the splits of more minor dimensions are
    /// renumbered. Tiles stay as they are, so they act on other dimensions where a tiled one is
    /// deleted. XLA's `Layout::DeleteDimension`, which until mid-2026 left the splits alone.
    ///
    /// ```
    /// use tilewright::xla::Layout;
    /// let layout: Layout = "{2,0,1:SC(0:10)(1:20)(2:30)}".parse()?;
    /// assert_eq!(layout.delete_dimension(0)?.to_string(), "{1,0:SC(0:10)(1:30)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn delete_dimension(&self, dim: i64) -> Result<Self, Error> {
        let mut kept = vec![true; self.rank()];
        kept[resolve_dimension(dim, self.rank())?] = false;
        self.with_dimensions_kept(&kept)
    }

    /// The same layout without tiles. XLA's `LayoutUtil::ClearTiles` does this to every leaf of a
    /// shape.
    pub fn without_tiles(self) -> Self {
        self.with_tiles([])
    }

    /// The layout of the array with those dimensions only that are kept, as
    /// [`delete_dimension`](Self::delete_dimension) of every other one would leave it.
    pub(super) fn with_dimensions_kept(&self, kept: &[bool]) -> Result<Self, Error> {
        let mut layout = self.clone();
        layout.minor_to_major = self.minor_to_major.kept(kept);
        let major_to_minor = self.major_to_minor();
        let is_kept = |&dim: &usize| kept.get(dim) == Some(&true);
        let physical = numbers_of_kept(major_to_minor.iter().map(is_kept));
        layout.renumber_splits(|p| physical.get(p).copied().flatten());
        layout.change_widths(|widths| {
            let mut kept = kept.iter();
            widths.retain(|_| kept.next() == Some(&true));
        })?;
        Ok(layout)
    }

    /// The layout of the array with its dimensions rearranged by `permutation` and every element
    /// where it was. Nothing physical changes, so only numbers of logical dimensions do.
    pub(super) fn with_permuted_dimensions(
        &self,
        permutation: &Permutation,
    ) -> Result<Self, Error> {
        let mut layout = self.clone();
        layout.minor_to_major = self.minor_to_major.after(&permutation.inverse())?;
        layout.change_widths(|widths| *widths = permutation.permute(widths))?;
        Ok(layout)
    }

    /// The layout of the array with a new dimension `number`, which has `n_more_minor` dimensions
    /// more minor than itself, and no padding of its own.
    pub(super) fn with_new_dimension(
        &self,
        number: usize,
        n_more_minor: usize,
        size: Dim,
    ) -> Result<Self, Error> {
        let mut layout = self.clone();
        layout.minor_to_major = self.minor_to_major.with(n_more_minor, number);
        let physical_of_new = self.rank() - n_more_minor;
        layout.renumber_splits(|p| Some(p + usize::from(p >= physical_of_new)));
        layout.change_widths(|widths| widths.insert(number, size.bound().unwrap_or(0)))?;
        Ok(layout)
    }

    /// The layout with another order, each split staying with the dimension it cuts.
    fn reordered(&self, minor_to_major: Permutation) -> Self {
        let mut layout = self.clone();
        layout.minor_to_major = minor_to_major;
        let physical = layout.logical_to_physical();
        layout.renumber_splits(|p| physical.get(self.major(p)?).copied());
        layout
    }

    /// Gives each split a new physical dimension, or leaves it out.
    fn renumber_splits(&mut self, number: impl Fn(usize) -> Option<usize>) {
        let splits = std::mem::take(&mut self.attributes.split_configs);
        let renumbered =
            |split: SplitConfig| number(split.dimension()).map(|p| split.with_dimension(p));
        self.attributes.split_configs = splits.into_iter().filter_map(renumbered).collect();
    }

    /// Changes the padded widths, where there are any.
    fn change_widths(&mut self, change: impl FnOnce(&mut Vec<i64>)) -> Result<(), Error> {
        if let Some(padding) = self.attributes.padding.take() {
            let mut widths = padding.dimensions().to_vec();
            change(&mut widths);
            let padding = Some(Padding::new(widths, padding.value())?);
            *self = std::mem::take(self).with_padding(padding)?;
        }
        Ok(())
    }
}
