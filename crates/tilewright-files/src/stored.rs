//! Between what a file stores and the array that it means.
//!
//! A packed array is stored as its physical dims, so that any reader can open it and none can take
//! it for the logical array. What exactly is stored depends on what the format can say:
//!
//! | element | stored as |
//! |---|---|
//! | as wide as the format's own type for it | that type, physical dims |
//! | of whole bytes otherwise | `U8`, physical dims and one more of the bytes of an element |
//! | of other widths (`E(4)`) | `U8`, one dim of all bytes |
//!
//! An array with a layout of the catalogue is stored as what the library of that name expects, its carrier:
//! `u4[4096,11008]@marlin` as `I32[256,22016]`; in bytes, where the format has no such type. What is recorded is the
//! text of any notation, XLA's where that can say the layout.
//!
//! With a rounded tail (`L(n)`), and where there would be more of them than a file may have, the
//! physical dims are one, of all elements of the allocation. A dense array in the format's own terms needs no layout beside it, and none is written.

use tilewright::formats::catalogue::NamedArray;
use tilewright::notation::DescribedArray;
use tilewright::xla::Layout;
use tilewright::{ArrayShape, ElementType};

use crate::error::{Error, Fault};
use crate::format::Format;
use crate::info::{ArrayInfo, ArraySpec, Order, StoredLayout};
use crate::json::shortened;
use crate::limits::MAX_RANK;
use crate::open::ArrayFile;

impl ArrayFile {
    /// What number `array` is: its logical dims, its true element type and its layout, as
    /// recorded beside it, or else as the format has it.
    ///
    /// # Errors
    ///
    /// There is no such array, its recorded layout cannot be read, or is of another size.
    pub fn described(&self, array: usize) -> Result<DescribedArray, Error> {
        let info = self.arrays().get(array);
        let info = info.ok_or_else(|| Fault::request(format!("there is no array {array}")));
        info.and_then(|info| described(info, self.format())).map_err(|fault| fault.at(self.path()))
    }
}

impl Format {
    /// The layout of a dense array in the format's own terms: the last dimension minor
    /// (row-major) or the first, each element as wide as the format stores its type.
    pub fn dense_layout(self, element_type: ElementType, rank: usize, order: Order) -> Layout {
        let layout = match order {
            Order::RowMajor => Layout::descending(rank),
            Order::ColumnMajor => Layout::ascending(rank),
        };
        match self.own_bits(element_type) {
            Some(bits) if bits != element_type.storage_bits() => {
                layout.with_element_size_in_bits(bits)
            }
            _ => layout,
        }
    }

    /// How wide the format stores an element in its own type for it, if it has one.
    fn own_bits(self, element_type: ElementType) -> Option<u32> {
        match self {
            Format::Npy | Format::Gguf | Format::Raw => Some(element_type.storage_bits()),
            Format::Safetensors | Format::SafetensorsFolder => {
                element_type.safetensors_name()?;
                Some(crate::safetensors::stored_bits(element_type))
            }
        }
    }
}

impl ArraySpec {
    /// The array `name` with this shape and layout, as `format` stores it; `pad` says what its
    /// padding holds.
    ///
    /// ```
    /// use tilewright_files::{ArraySpec, Format};
    /// let dims = |text: &str| {
    ///     let spec = ArraySpec::of("w", &text.parse()?, "0", Format::Safetensors)?;
    ///     Ok::<_, Box<dyn std::error::Error>>(spec.dims().to_vec())
    /// };
    /// assert_eq!(dims("bf16[30,300]{1,0:T(8,128)(2,1)}")?, [4, 3, 4, 128, 2, 1]);
    /// assert_eq!(dims("u4[4096,11008]@marlin")?, [256, 22016]); // as its library expects it
    /// assert_eq!(dims("f16 Sw<3,3,3> o 0 o (8,64):(64,1)")?, [512]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A dimension is unbounded, or a size does not fit 64 bits.
    pub fn of(
        name: impl Into<String>,
        array: &DescribedArray,
        pad: &str,
        format: Format,
    ) -> Result<Self, tilewright::Error> {
        let name = name.into();
        if let Some(shape) = array.xla()
            && let Some(order) = dense_order(shape, format)
        {
            return Ok(ArraySpec::new(name, shape.element_type(), shape.sizes()?).order(order));
        }
        let (element_type, dims) = stored_array(array, format)?;
        let layout = StoredLayout::new(array.to_string(), pad);
        Ok(ArraySpec::new(name, element_type, dims).layout(layout))
    }
}

/// The order of an array that is dense in the format's own terms.
fn dense_order(shape: &ArrayShape, format: Format) -> Option<Order> {
    let layout = shape.layout_or_default();
    let element_type = shape.element_type();
    let bits = format.own_bits(element_type)?;
    let whole_bytes =
        shape.elements().is_ok_and(|n| i128::from(n).saturating_mul(bits.into()) % 8 == 0);
    let orders = match format {
        Format::Npy => &[Order::RowMajor, Order::ColumnMajor][..],
        _ => &[Order::RowMajor],
    };
    let is_dense =
        |order: &&Order| layout == format.dense_layout(element_type, shape.rank(), **order);
    orders.iter().find(is_dense).copied().filter(|_| whole_bytes)
}

/// The type and dims of what is stored of an array that is not dense.
fn stored_array(
    array: &DescribedArray,
    format: Format,
) -> Result<(ElementType, Vec<i64>), tilewright::Error> {
    let bits = array.element_bits();
    if let Some(carrier) = array.named().map(NamedArray::carrier) {
        return match format.own_bits(carrier.element_type) == Some(carrier.element_type.bits()) {
            true => Ok((carrier.element_type, carrier.dims.clone())),
            false => Ok((ElementType::U8, vec![array.bytes()?])),
        };
    }
    if !bits.is_multiple_of(8) {
        return Ok((ElementType::U8, vec![array.bytes()?]));
    }
    let map = array.index_map()?;
    let mut dims = map.physical_dims().to_vec();
    if map.allocation() != map.padded_elements() || dims.len() >= MAX_RANK {
        dims = vec![map.allocation()];
    }
    if format.own_bits(array.element_type()) == Some(bits) {
        return Ok((array.element_type(), dims));
    }
    if bits > 8 {
        dims.push(i64::from(bits / 8));
    }
    Ok((ElementType::U8, dims))
}

fn described(info: &ArrayInfo, format: Format) -> Result<DescribedArray, Fault> {
    let wrong = |message: String| {
        Fault::malformed(format!("array `{}`: {message}", shortened(info.name())))
    };
    let array = match info.layout() {
        Some(stored) => recorded(stored).map_err(&wrong)?,
        None => plain_shape(info).map_err(|error| wrong(error.to_string()))?.into(),
    };
    let bytes = array.bytes().map_err(|error| wrong(error.to_string()))?;
    if u64::try_from(bytes) != Ok(info.byte_len()) {
        let there = info.byte_len();
        let message =
            format!("the layout `{array}` takes {bytes} bytes, and the array has {there}");
        return Err(wrong(message));
    }
    if info.layout().is_some() && format != Format::Raw {
        check_stored(info, &array).map_err(wrong)?;
    }
    Ok(array)
}

fn recorded(stored: &StoredLayout) -> Result<DescribedArray, String> {
    let parsed: Result<DescribedArray, _> = stored.layout.parse();
    parsed.map_err(|diagnostic| format!("the recorded layout cannot be read\n{diagnostic}"))
}

/// Whether what is there is what any format stores of this array: a record that has got to an array
/// of as many bytes and of other dims is not this array's. (Formats differ in what they have a type
/// for; a record may have moved with its array from one to another.)
fn check_stored(info: &ArrayInfo, array: &DescribedArray) -> Result<(), String> {
    let found = (info.element_type(), info.dims());
    let mut specs = [Format::Npy, Format::Safetensors]
        .into_iter()
        .filter_map(|format| ArraySpec::of("", array, "0", format).ok());
    let fits = |spec: &ArraySpec| {
        let has_one_order = spec.dims.len() < 2 || spec.order == info.order();
        (spec.element_type, &spec.dims[..]) == found && has_one_order
    };
    if specs.any(|spec| fits(&spec)) {
        return Ok(());
    }
    let (element_type, dims) =
        stored_array(array, Format::Npy).map_err(|error| error.to_string())?;
    let order = if info.order() == Order::ColumnMajor { " in Fortran order" } else { "" };
    let listed = |dims: &[i64]| shortened(&format!("{dims:?}"));
    Err(format!(
        "the layout `{}` is stored as {element_type} of dims {}, and the array is {} of dims {}{order}",
        shortened(&array.to_string()),
        listed(&dims),
        found.0,
        listed(found.1)
    ))
}

fn plain_shape(info: &ArrayInfo) -> Result<ArrayShape, tilewright::Error> {
    let rank = info.dims().len();
    let layout = match info.order() {
        Order::RowMajor => Layout::descending(rank),
        Order::ColumnMajor => Layout::ascending(rank),
    };
    let packed = info.stored_bits() != info.element_type().storage_bits();
    let layout = layout.with_element_size_in_bits(if packed { info.stored_bits() } else { 0 });
    ArrayShape::new(info.element_type(), info.dims())?.with_layout(layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, format: Format, stored: ElementType, dims: &[i64], has_record: bool) {
        let spec = ArraySpec::of("w", &text.parse().unwrap(), "0", format).unwrap();
        assert_eq!((spec.element_type, &spec.dims[..]), (stored, dims), "{text}");
        assert_eq!(spec.layout.is_some(), has_record, "{text}");
    }

    #[test]
    fn what_is_stored() {
        use ElementType::{Bf16, F4E2M1Fn, F32, Pred, U8};
        let (npy, safetensors) = (Format::Npy, Format::Safetensors);
        check("f32[3,5]", safetensors, F32, &[3, 5], false);
        check("f32[3,5]{0,1}", safetensors, F32, &[5, 3], true);
        check("f32[3,5]{0,1}", npy, F32, &[3, 5], false);
        check("f32[13,300]{1,0:T(8,128)}", safetensors, F32, &[2, 3, 8, 128], true);
        check("bf16[9]{0:T(8)L(100)}", safetensors, Bf16, &[100], true);
        check("s4[3,5]", safetensors, U8, &[3, 5], true);
        check("s4[3,5]", npy, ElementType::S4, &[3, 5], false);
        check("s4[3,5]{1,0:E(4)}", npy, U8, &[8], true);
        check("c128[3]", safetensors, U8, &[3, 16], true);
        check("f4e2m1fn[2,4]{1,0:E(4)}", safetensors, F4E2M1Fn, &[2, 4], false);
        check("f4e2m1fn[3]{0:E(4)}", safetensors, U8, &[2], true);
        check("pred[33,130]{1,0:T(32,128)(32,1)E(1)}", safetensors, U8, &[2048], true);
        check("pred[3]{0:E(32)}", npy, U8, &[3, 4], true);
        check("f32[0,3]{1,0:T(8,128)}", safetensors, F32, &[0, 1, 8, 128], true);
        check("pred[3]{0:S(1)}", npy, Pred, &[3], true);
        check("u4[128,64]@marlin", safetensors, ElementType::S32, &[8, 128], true);
        check("s4[64,64]@trtllm(w4a16,sm80)", npy, ElementType::S8, &[64, 32], true);
        check("f32 Sw<1,1,1> o 0 o (4,2):(2,1)", npy, F32, &[8], true);
        check("f32 (4,2):(3,1)", npy, F32, &[11], true);
    }
}
