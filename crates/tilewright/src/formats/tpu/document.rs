//! The formats of XLA's *Tiled layout* document.

use crate::error::{Error, invalid};
use crate::formats::NamedFormat;
use crate::{ArrayShape, ElementType};

/// The array in the format that XLA's *Tiled layout* document says it has on a TPU, its last
/// dimension minor.
///
/// | element | second-minor size | tiles | named |
/// |---|---|---|---|
/// | 32 bits | 1, 2 | `(2,128)` | [`TpuSmall2`](NamedFormat::TpuSmall2) |
/// | | 3, 4 | `(4,128)` | [`TpuSmall4`](NamedFormat::TpuSmall4) |
/// | | above | `(8,128)` | [`Tpu`](NamedFormat::Tpu) |
/// | 16 bits | any | `(8,128)(2,1)` | [`Tpu16Bit`](NamedFormat::Tpu16Bit) |
/// | 8 bits | any | `(8,128)(4,1)` | [`Tpu8Bit`](NamedFormat::Tpu8Bit) |
/// | `pred` | as 32 bits | as 32 bits | stored in 4 bytes, `E(32)` |
///
/// The compilers of the generations that there are do otherwise: [`default_shape`].
///
/// ```
/// use tilewright::formats::tpu::documented_shape;
/// let documented = documented_shape(&"f32[7,1,300]".parse()?)?;
/// assert_eq!(documented.to_string(), "f32[7,1,300]{2,1,0:T(2,128)}"); // T(1,128) since v4
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the array has fewer than two dimensions, elements of another width, or an unbounded
/// second-minor dimension: the document gives those no format.
///
/// [`default_shape`]: super::default_shape
pub fn documented_shape(shape: &ArrayShape) -> Result<ArrayShape, Error> {
    let sizes = shape.sizes()?;
    let Some(&second_minor) = sizes.iter().rev().nth(1) else {
        return invalid(format!(
            "the tiled-layout document gives no format to arrays of rank {}",
            sizes.len()
        ));
    };
    let element_type = shape.element_type();
    let format = match (element_type, element_type.bits()) {
        (ElementType::Pred, _) | (_, 32) => {
            NamedFormat::tpu_small(second_minor).unwrap_or(NamedFormat::Tpu)
        }
        (_, 16) => NamedFormat::Tpu16Bit,
        (_, 8) => NamedFormat::Tpu8Bit,
        _ => {
            return invalid(format!(
                "the tiled-layout document gives no format to elements of type {element_type}"
            ));
        }
    };
    let bits = if element_type == ElementType::Pred { 32 } else { 0 };
    let layout = format.layout(sizes.len())?.with_element_size_in_bits(bits);
    shape.clone().without_layout().with_layout(layout)
}
