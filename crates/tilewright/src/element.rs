//! Element types: every primitive type of XLA that an array can hold.
//!
//! An [`ElementType`] knows three widths, and keeps them apart:
//!
//! * [`bits`](ElementType::bits): how many bits a value means. `s4` is 4, `pred` is 1.
//! * [`storage_bits`](ElementType::storage_bits): how many bits an element takes in memory when
//!   nothing else is said, the width in whole bytes. `s4` is 8, `pred` is 8. A layout that says
//!   `E(4)` packs tighter; see [`Layout::element_size_in_bits`](crate::xla::Layout::element_size_in_bits).
//! * the width in a file, which is a matter for the file format.
//!
//! | | XLA | numpy / `ml_dtypes` | safetensors |
//! |---|---|---|---|
//! | brain float | `bf16` | `bfloat16` | `BF16` |
//! | boolean | `pred` | `bool` | `BOOL` |
//! | 4-bit integer | `s4` | `int4` | none |
//!
//! XLA has four further primitive types, `tuple`, `opaque`, `token` and `buffer`, that no array
//! can hold. They are kinds of [`Shape`](crate::Shape), not element types.
//!
//! Source: `xla_data.proto`, `PrimitiveType`, and `primitive_util`.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Kind};

/// What the bits of an element mean, as far as moving it needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementClass {
    /// A truth value.
    Boolean,
    /// A two's-complement integer: widening its storage repeats the sign bit.
    Signed,
    /// An integer without a sign.
    Unsigned,
    /// A floating-point number.
    Float,
    /// A pair of floating-point numbers, real part first.
    Complex,
}

macro_rules! element_types {
    ($($(#[$doc:meta])* $variant:ident, $proto:literal, $bits:literal, $class:ident,
       $xla:literal, $numpy:literal, $safetensors:expr;)*) => {
        /// The type of an array's elements.
        ///
        /// ```
        /// use tilewright::ElementType;
        /// let bf16: ElementType = "bf16".parse()?;
        /// assert_eq!(bf16, ElementType::Bf16);
        /// assert_eq!((bf16.bits(), bf16.numpy_name()), (16, "bfloat16"));
        /// assert_eq!(ElementType::S4.storage_bits(), 8);
        /// # Ok::<(), tilewright::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ElementType { $($(#[$doc])* $variant,)* }

        impl ElementType {
            /// Every element type, in the order of XLA's numbers for them by width.
            pub const ALL: &[ElementType] = &[$(ElementType::$variant),*];

            const fn row(self) -> Row {
                match self {
                    $(ElementType::$variant => Row {
                        proto: $proto,
                        bits: $bits,
                        class: ElementClass::$class,
                        xla: $xla,
                        numpy: $numpy,
                        safetensors: $safetensors,
                    },)*
                }
            }
        }
    };
}

element_types! {
    /// Truth value: one bit of meaning, stored in a byte unless the layout says `E(1)`.
    Pred, 1, 1, Boolean, "pred", "bool", Some("BOOL");
    /// 1-bit signed integer.
    S1, 30, 1, Signed, "s1", "int1", None;
    /// 1-bit unsigned integer.
    U1, 31, 1, Unsigned, "u1", "uint1", None;
    /// 2-bit signed integer.
    S2, 26, 2, Signed, "s2", "int2", None;
    /// 2-bit unsigned integer.
    U2, 27, 2, Unsigned, "u2", "uint2", None;
    /// 4-bit signed integer.
    S4, 21, 4, Signed, "s4", "int4", None;
    /// 4-bit unsigned integer.
    U4, 22, 4, Unsigned, "u4", "uint4", None;
    /// 4-bit float: 2 exponent bits, 1 mantissa bit, finite only.
    F4E2M1Fn, 32, 4, Float, "f4e2m1fn", "float4_e2m1fn", Some("F4");
    /// 6-bit float: 3 exponent bits, 2 mantissa bits, finite only.
    F6E3M2Fn, 35, 6, Float, "f6e3m2fn", "float6_e3m2fn", Some("F6_E3M2");
    /// 6-bit float: 2 exponent bits, 3 mantissa bits, finite only.
    F6E2M3Fn, 36, 6, Float, "f6e2m3fn", "float6_e2m3fn", Some("F6_E2M3");
    /// 8-bit signed integer.
    S8, 2, 8, Signed, "s8", "int8", Some("I8");
    /// 8-bit unsigned integer.
    U8, 6, 8, Unsigned, "u8", "uint8", Some("U8");
    /// 8-bit float: 5 exponent bits, 2 mantissa bits, IEEE-like.
    F8E5M2, 19, 8, Float, "f8e5m2", "float8_e5m2", Some("F8_E5M2");
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, IEEE-like.
    F8E4M3, 28, 8, Float, "f8e4m3", "float8_e4m3", None;
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, finite only. safetensors calls it `F8_E4M3`.
    F8E4M3Fn, 20, 8, Float, "f8e4m3fn", "float8_e4m3fn", Some("F8_E4M3");
    /// 8-bit float: 4 exponent bits with bias 11, 3 mantissa bits, no negative zero.
    F8E4M3B11Fnuz, 23, 8, Float, "f8e4m3b11fnuz", "float8_e4m3b11fnuz", None;
    /// 8-bit float: 5 exponent bits, 2 mantissa bits, no negative zero.
    F8E5M2Fnuz, 24, 8, Float, "f8e5m2fnuz", "float8_e5m2fnuz", Some("F8_E5M2FNUZ");
    /// 8-bit float: 4 exponent bits, 3 mantissa bits, no negative zero.
    F8E4M3Fnuz, 25, 8, Float, "f8e4m3fnuz", "float8_e4m3fnuz", Some("F8_E4M3FNUZ");
    /// 8-bit float: 3 exponent bits, 4 mantissa bits, IEEE-like.
    F8E3M4, 29, 8, Float, "f8e3m4", "float8_e3m4", None;
    /// 8-bit scale: exponent only, no sign, no zero.
    F8E8M0Fnu, 33, 8, Float, "f8e8m0fnu", "float8_e8m0fnu", Some("F8_E8M0");
    /// 16-bit signed integer.
    S16, 3, 16, Signed, "s16", "int16", Some("I16");
    /// 16-bit unsigned integer.
    U16, 7, 16, Unsigned, "u16", "uint16", Some("U16");
    /// IEEE half precision.
    F16, 10, 16, Float, "f16", "float16", Some("F16");
    /// Brain float: the upper half of an `f32`.
    Bf16, 16, 16, Float, "bf16", "bfloat16", Some("BF16");
    /// 32-bit signed integer.
    S32, 4, 32, Signed, "s32", "int32", Some("I32");
    /// 32-bit unsigned integer.
    U32, 8, 32, Unsigned, "u32", "uint32", Some("U32");
    /// IEEE single precision.
    F32, 11, 32, Float, "f32", "float32", Some("F32");
    /// 64-bit signed integer.
    S64, 5, 64, Signed, "s64", "int64", Some("I64");
    /// 64-bit unsigned integer.
    U64, 9, 64, Unsigned, "u64", "uint64", Some("U64");
    /// IEEE double precision.
    F64, 12, 64, Float, "f64", "float64", Some("F64");
    /// Complex of two `f32`.
    C64, 15, 64, Complex, "c64", "complex64", Some("C64");
    /// Complex of two `f64`.
    C128, 18, 128, Complex, "c128", "complex128", None;
}

struct Row {
    proto: i32,
    bits: u32,
    class: ElementClass,
    xla: &'static str,
    numpy: &'static str,
    safetensors: Option<&'static str>,
}

impl ElementType {
    /// The bits a value means: 1 for `pred`, 4 for `s4`, 32 for `f32`.
    pub const fn bits(self) -> u32 {
        self.row().bits
    }

    /// The bits an element takes in memory by default: [`bits`](Self::bits) rounded up to bytes.
    pub const fn storage_bits(self) -> u32 {
        self.bits().next_multiple_of(8)
    }

    /// What kind of number it is.
    pub const fn class(self) -> ElementClass {
        self.row().class
    }

    /// XLA's spelling, lower case: `f32`, `bf16`, `f8e4m3fn`.
    pub const fn xla_name(self) -> &'static str {
        self.row().xla
    }

    /// The name of the numpy dtype, or of the `ml_dtypes` one where numpy has none:
    /// `float32`, `bfloat16`, `int4`.
    pub const fn numpy_name(self) -> &'static str {
        self.row().numpy
    }

    /// The dtype in a safetensors header, or `None` where that format has none.
    pub const fn safetensors_name(self) -> Option<&'static str> {
        self.row().safetensors
    }

    /// The number in `xla_data.proto`.
    pub const fn proto_number(self) -> i32 {
        self.row().proto
    }

    /// The type with this number in `xla_data.proto`.
    pub fn from_proto_number(number: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.proto_number() == number)
    }

    /// The type with this XLA name; exact, so lower case only.
    pub fn from_xla_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.xla_name() == name)
    }

    /// The type with this numpy or `ml_dtypes` name.
    pub fn from_numpy_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.numpy_name() == name)
    }

    /// The type with this safetensors dtype.
    pub fn from_safetensors_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.safetensors_name() == Some(name))
    }

    /// Whether a byte holds several values: fewer than 8 bits of meaning, and not `pred`, which
    /// XLA stores in a byte.
    pub const fn is_sub_byte(self) -> bool {
        self.bits() < 8 && !matches!(self, ElementType::Pred)
    }

    /// Whether the type is an integer, signed or not. `pred` is not.
    pub const fn is_integral(self) -> bool {
        matches!(self.class(), ElementClass::Signed | ElementClass::Unsigned)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.xla_name())
    }
}

impl FromStr for ElementType {
    type Err = Error;

    /// Reads XLA's spelling, in lower or upper case.
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::from_xla_name(&name.to_ascii_lowercase())
            .ok_or_else(|| Error::new(Kind::UnknownElementType { name: name.to_owned() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_name_leads_back_to_its_type() {
        for &t in ElementType::ALL {
            assert_eq!(t.xla_name().parse::<ElementType>().unwrap(), t);
            assert_eq!(t.xla_name().to_uppercase().parse::<ElementType>().unwrap(), t);
            assert_eq!(ElementType::from_numpy_name(t.numpy_name()), Some(t));
            assert_eq!(ElementType::from_proto_number(t.proto_number()), Some(t));
            if let Some(name) = t.safetensors_name() {
                assert_eq!(ElementType::from_safetensors_name(name), Some(t));
            }
        }
    }

    #[test]
    fn numbers_are_distinct() {
        let numbers: HashSet<i32> = ElementType::ALL.iter().map(|t| t.proto_number()).collect();
        assert_eq!(numbers.len(), 32);
        for not_an_array in [0, 13, 14, 17, 34] {
            assert!(!numbers.contains(&not_an_array));
        }
    }

    #[test]
    fn widths_by_name() {
        for &t in ElementType::ALL {
            let digits: String = t
                .xla_name()
                .chars()
                .skip_while(|c| c.is_alphabetic())
                .take_while(char::is_ascii_digit)
                .collect();
            let named = digits.parse().unwrap_or(1);
            assert_eq!(t.bits(), named, "{t}");
            assert_eq!(t.storage_bits(), named.div_ceil(8) * 8, "{t}");
        }
    }
}
