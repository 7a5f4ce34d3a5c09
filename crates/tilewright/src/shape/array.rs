//! The shape of an array.

use crate::arithmetic::checked_product;
use crate::error::{Error, Kind, checked, invalid};
use crate::shape::Dim;
use crate::xla::Layout;
use crate::{ElementType, Permutation};

/// An element type, dimensions, and perhaps a layout.
///
/// Two promises hold of every value: the number of elements fits 64 bits, and a layout, if there
/// is one, has the array's rank.
///
/// ```
/// use tilewright::{ArrayShape, ElementType};
/// let shape = ArrayShape::new(ElementType::F32, &[3, 1, 5])?;
/// assert_eq!((shape.rank(), shape.true_rank(), shape.elements()?), (3, 2, 15));
/// # Ok::<(), tilewright::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    element_type: ElementType,
    dims: Vec<Dim>,
    layout: Option<Layout>,
}

impl ArrayShape {
    /// An array shape without layout.
    ///
    /// # Errors
    /// If a size is negative, or the number of elements or of bytes does not fit 64 bits.
    pub fn new(element_type: ElementType, dims: &[i64]) -> Result<Self, Error> {
        Self::with_dims(element_type, dims.iter().map(|&size| Dim::Static(size)).collect())
    }

    /// An array shape without layout, some of its dimensions perhaps dynamic.
    ///
    /// # Errors
    /// If a size is negative, or the number of elements or of bytes (every bound reached) does
    /// not fit 64 bits, even when a later dimension of size 0 makes the product 0, as in XLA's
    /// `ShapeUtil::ValidateShape`.
    pub fn with_dims(element_type: ElementType, dims: Vec<Dim>) -> Result<Self, Error> {
        for (dimension, dim) in dims.iter().enumerate() {
            if dim.bound().is_some_and(i64::is_negative) {
                return invalid(format!("dimension {dimension} has the negative size {dim}"));
            }
        }
        checked_byte_bound(element_type, &dims)?;
        Ok(ArrayShape { element_type, dims, layout: None })
    }

    /// The same array with this layout.
    ///
    /// # Errors
    /// If the layout has another rank.
    pub fn with_layout(mut self, layout: Layout) -> Result<Self, Error> {
        layout.check_fits(&self.dims)?;
        self.layout = Some(layout);
        Ok(self)
    }

    /// The same array with no layout.
    pub fn without_layout(mut self) -> Self {
        self.layout = None;
        self
    }

    /// The same dimensions and layout with another element type. As XLA's
    /// `ShapeUtil::ChangeElementType`, this clears `E(n)` unless the new type is sub-byte.
    ///
    /// # Errors
    /// If the number of bytes no longer fits 64 bits.
    pub fn with_element_type(mut self, element_type: ElementType) -> Result<Self, Error> {
        checked_byte_bound(element_type, &self.dims)?;
        self.element_type = element_type;
        if !element_type.is_sub_byte() {
            self.layout = self.layout.map(Layout::without_element_size);
        }
        Ok(self)
    }

    /// The type of the elements.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The dimensions, dimension 0 first.
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// The layout, if one is given.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// The layout, or the default one: descending, so that the last dimension is minor.
    pub fn layout_or_default(&self) -> Layout {
        self.layout.clone().unwrap_or_else(|| Layout::descending(self.rank()))
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The number of dimensions of size above 1. An unbounded one counts.
    pub fn true_rank(&self) -> usize {
        self.dims.iter().filter(|dim| dim.bound().is_none_or(|size| size > 1)).count()
    }

    /// The sizes of the dimensions, a bounded one counting as its bound.
    ///
    /// # Errors
    /// If a dimension is unbounded.
    pub fn sizes(&self) -> Result<Vec<i64>, Error> {
        let size = |(dimension, dim): (usize, &Dim)| {
            dim.bound().ok_or_else(|| Error::new(Kind::Unbounded { dimension }))
        };
        self.dims.iter().enumerate().map(size).collect()
    }

    /// The number of elements, each bounded dimension counting as its bound.
    ///
    /// # Errors
    /// If a dimension is unbounded.
    pub fn elements(&self) -> Result<i64, Error> {
        checked_product(self.sizes()?)
    }

    /// Whether some dimension has size 0, so that there are no elements.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(|dim| dim.bound() == Some(0))
    }

    /// The bits an element takes in memory under the layout: `E(n)` if given, else the type's
    /// own [`storage_bits`](ElementType::storage_bits).
    pub fn element_bits(&self) -> u32 {
        self.layout
            .as_ref()
            .and_then(Layout::element_size_in_bits)
            .unwrap_or_else(|| self.element_type.storage_bits())
    }

    /// The sizes in physical order, most major first, before padding and tiling.
    ///
    /// # Errors
    /// If a dimension is unbounded.
    pub fn sizes_major_to_minor(&self) -> Result<Vec<i64>, Error> {
        let order = self.layout_or_default().major_to_minor();
        Ok(order.permute(&self.sizes()?))
    }

    /// Parts from which a shape is put together again after surgery on its dimensions.
    pub(crate) fn from_parts(
        element_type: ElementType,
        dims: Vec<Dim>,
        layout: Option<Layout>,
    ) -> Result<Self, Error> {
        let shape = Self::with_dims(element_type, dims)?;
        match layout {
            Some(layout) => shape.with_layout(layout),
            None => Ok(shape),
        }
    }

    /// The dimensions rearranged; the layout untouched and to be set by the caller.
    pub(crate) fn permuted_dims(&self, permutation: &Permutation) -> Vec<Dim> {
        permutation.permute(&self.dims)
    }
}

/// Checks that the product of the bounds, and that many elements' bytes, fit 64 bits.
fn checked_byte_bound(element_type: ElementType, dims: &[Dim]) -> Result<(), Error> {
    let elements = checked_product(dims.iter().filter_map(|dim| dim.bound()))?;
    let bytes = elements.checked_mul(i64::from(element_type.storage_bits() / 8));
    checked(bytes, "the size in bytes").map(drop)
}
