//! The default format of an array.

use super::chip::Chip;
use super::order::minor_and_second_minor;
use super::rule::{DYNAMIC_SIZES_BYTES, TileRule};
use crate::ArrayShape;
use crate::error::Error;
use crate::xla::Layout;

/// The array in the format that this generation's compiler gives a parameter of the type and dims.
/// A layout that `shape` has is left out of account.
///
/// A bounded dimension counts as its bound. An array without elements is not tiled.
///
/// ```
/// use tilewright::ArrayShape;
/// use tilewright::formats::tpu::{Chip, default_shape};
/// let on_device = |text: &str, chip| {
///     let shape: ArrayShape = text.parse().unwrap();
///     default_shape(&shape, chip).unwrap().to_string()
/// };
/// assert_eq!(on_device("f32[1000,3]", Chip::V5e), "f32[1000,3]{0,1:T(4,128)}");
/// assert_eq!(on_device("s8[64,512]", Chip::V5e), "s8[64,512]{1,0:T(32,128)(4,1)}");
/// assert_eq!(on_device("s8[64,512]", Chip::V3), "s8[64,512]{1,0:T(8,128)(4,1)}");
/// assert_eq!(on_device("s4[1000]", Chip::V7x), "s4[1000]{0:T(1024)(128)(8,1)E(4)}");
/// ```
///
/// # Errors
/// If a dimension is unbounded, or the elements are of 6 bits, which no TPU compiler takes.
pub fn default_shape(shape: &ArrayShape, chip: Chip) -> Result<ArrayShape, Error> {
    let rule = TileRule::of(shape.element_type(), chip)?;
    let sizes = shape.sizes()?;
    let layout = match sizes[..] {
        _ if shape.is_empty() => rule.packed(untiled(shape)?),
        [] => rule.scalar()?,
        [size] => rule.linear(rule.linear_rows(size))?,
        _ => {
            let [minor, second_minor] = minor_and_second_minor(&sizes, &rule)?;
            let others: Vec<usize> = (0..sizes.len()).rev().collect();
            rule.tiled([minor, second_minor], &others, rule.rows(sizes[second_minor]))?
        }
    };
    shape.clone().without_layout().with_layout(layout)
}

/// The layout of an array without elements. Where it has dynamic sizes, the compiler says so.
fn untiled(shape: &ArrayShape) -> Result<Layout, Error> {
    let is_dynamic = shape.dims().iter().any(|dim| dim.is_dynamic());
    let prefix = if is_dynamic { DYNAMIC_SIZES_BYTES } else { 0 };
    Layout::descending(shape.rank()).with_dynamic_shape_metadata_prefix_bytes(prefix)
}
