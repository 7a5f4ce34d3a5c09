//! What an array takes on the device.

use super::rule::DYNAMIC_SIZES_BYTES;
use crate::ArrayShape;
use crate::error::{Error, checked, invalid};

/// The bytes that a parameter of this shape and layout takes: the compiler's
/// `argument_size_in_bytes`.
///
/// Elements of 64 and 128 bits count whole; the device has them as two and four planes of 32 bits.
/// An array with dynamic dimensions has their bounds, and 1024 bytes more for the true sizes.
///
/// ```
/// use tilewright::formats::tpu::argument_bytes;
/// assert_eq!(argument_bytes(&"f32[3,5]{1,0:T(4,128)}".parse()?)?, 2048);
/// assert_eq!(argument_bytes(&"c64[3,5]{1,0:T(4,128)}".parse()?)?, 4096);
/// assert_eq!(argument_bytes(&"f32[<=3,5]{1,0:T(4,128)}".parse()?)?, 3072);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a dimension is unbounded, the number does not fit 64 bits, or the layout has `*` or `PAD`,
/// of which the compiler's count knows nothing.
pub fn argument_bytes(shape: &ArrayShape) -> Result<i64, Error> {
    let Some(bytes) = shape.xla_bytes()? else {
        return invalid(format!("a TPU compiler has no size for {shape}: `*` or `PAD`"));
    };
    let is_dynamic = shape.dims().iter().any(|dim| dim.is_dynamic());
    let prefix = if is_dynamic { DYNAMIC_SIZES_BYTES } else { 0 };
    checked(bytes.checked_add(prefix), "the size in bytes")
}
