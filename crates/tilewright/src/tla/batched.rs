//! Layouts of several arrays, one after the other: a batch dimension in front.

use super::{Int, Layout, Nested, Stride};
use crate::error::Error;

/// The layout with one more mode in front, of this extent and stride: TLA's `PrependDimLayout_t`.
/// Where the layout has an original shape, the extent is put in front of that too.
///
/// [`algebra::prepend`](crate::algebra::prepend) does the same with a mode of any nesting, and
/// drops the original shape.
///
/// ```
/// use tilewright::tla::{Int, Layout, prepend_dim};
/// let matrix: Layout = "(28,40):(40,1):(28,36)".parse()?;
/// let batched = prepend_dim(&matrix, 3, Int::dynamic(2048))?;
/// assert_eq!(batched.to_string(), "(3,28,40):(2048,40,1):(3,28,36)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the extent is negative, or the product of a mode does not fit 64 bits.
pub fn prepend_dim(
    layout: &Layout,
    extent: impl Into<Int>,
    stride: impl Into<Stride>,
) -> Result<Layout, Error> {
    let extent = extent.into();
    let front = Layout::new(Nested::Leaf(extent), Nested::Leaf(stride.into()))?;
    let modes: Vec<Layout> = [front].into_iter().chain(layout.modes()).collect();
    let longer = Layout::from_modes(&modes);
    let Some(org_shape) = layout.given_org_shape() else { return Ok(longer) };
    let front = Nested::Leaf(Int::dynamic(extent.value()));
    let org_shape = [front].into_iter().chain(org_shape.elements().iter().cloned());
    longer.with_org_shape(Nested::Tuple(org_shape.collect()))
}

/// The layout of so many arrays one after the other, the batch in front: TLA's
/// `MakeBatchedLayout_t`. Each begins where the one before ends, its padding included: the batch
/// has a stride of the layout's [`cosize`](Layout::cosize), in elements. For another distance use
/// [`prepend_dim`].
///
/// ```
/// use tilewright::ElementType;
/// use tilewright::tla::{Layout, Tag, make_batched_layout};
/// let matrix = Layout::from_tag(Tag::Zn, ElementType::F16, 28, 40)?; // 32 × 48 elements
/// let batched = make_batched_layout(&matrix, 3)?;
/// assert_eq!(batched.shape().to_string(), "(3,(_16,2),(_16,3))");
/// assert_eq!(batched.stride().to_string(), "(1536,(_16,_256),(_1,512))");
/// assert_eq!(batched.org_shape()?.to_string(), "(3,28,40)");
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// # Errors
/// As [`prepend_dim`]; and if the layout's strides count no elements.
pub fn make_batched_layout(layout: &Layout, batch: impl Into<Int>) -> Result<Layout, Error> {
    prepend_dim(layout, batch, layout.cosize()?)
}
