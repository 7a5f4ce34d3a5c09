//! The bits of a padding element, from what somebody typed.

use anyhow::{Context, bail};
use tilewright::xla::PaddingValue;
use tilewright::{ElementClass, ElementType};

/// The bits of `text` as an element of this type: `0`, `1`, `lowest`, `highest`, a number where the
/// type is an integer, `f16`, `bf16`, `f32` or `f64`, or `0x…` for the bits themselves.
pub(crate) fn bits(text: &str, element_type: ElementType) -> anyhow::Result<u128> {
    let bits = match text {
        "0" => Some(0),
        "1" => one(element_type),
        "lowest" => lowest(element_type),
        "highest" => highest(element_type),
        _ => match text.strip_prefix("0x") {
            Some(hex) => Some(u128::from_str_radix(hex, 16).context("not hexadecimal")?),
            None => number(text, element_type),
        },
    };
    let width = element_type.bits();
    match bits {
        Some(bits) if width >= 128 || bits >> width == 0 => Ok(bits),
        Some(_) => {
            bail!("the padding value {text} does not fit the {width} bits of {element_type}")
        }
        None => bail!(
            "`{text}` is no padding value of type {element_type}; its bits can be given as 0x…"
        ),
    }
}

/// What a layout's own padding value is in this type; unknown is zero.
pub(crate) fn of_layout(value: PaddingValue, element_type: ElementType) -> anyhow::Result<u128> {
    match value {
        PaddingValue::Zero | PaddingValue::Unknown => Ok(0),
        value => bits(value.name(), element_type),
    }
}

/// How a floating-point type is laid out in bits.
struct Float {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: u32,
    /// The bits of the largest value there is: infinity, or the largest number.
    highest: u128,
}

/// The layout of a type, or `None` for what is no number with a sign, an exponent and a mantissa.
fn float(element_type: ElementType) -> Option<Float> {
    let (exponent_bits, mantissa_bits, bias, highest) = match element_type {
        ElementType::F4E2M1Fn => (2, 1, 1, 0x7),
        ElementType::F6E3M2Fn => (3, 2, 3, 0x1f),
        ElementType::F6E2M3Fn => (2, 3, 1, 0x1f),
        ElementType::F8E5M2 => (5, 2, 15, 0x7c),
        ElementType::F8E4M3 => (4, 3, 7, 0x78),
        ElementType::F8E4M3Fn => (4, 3, 7, 0x7e),
        ElementType::F8E4M3B11Fnuz => (4, 3, 11, 0x7f),
        ElementType::F8E5M2Fnuz => (5, 2, 16, 0x7f),
        ElementType::F8E4M3Fnuz => (4, 3, 8, 0x7f),
        ElementType::F8E3M4 => (3, 4, 3, 0x70),
        ElementType::F16 => (5, 10, 15, 0x7c00),
        ElementType::Bf16 => (8, 7, 127, 0x7f80),
        ElementType::F32 => (8, 23, 127, 0x7f80_0000),
        ElementType::F64 => (11, 52, 1023, 0x7ff0_0000_0000_0000),
        _ => return None,
    };
    Some(Float { exponent_bits, mantissa_bits, bias, highest })
}

fn one(element_type: ElementType) -> Option<u128> {
    match element_type {
        ElementType::F8E8M0Fnu => Some(0x7f),
        ElementType::C64 => one(ElementType::F32),
        ElementType::C128 => one(ElementType::F64),
        _ => match float(element_type) {
            Some(float) => Some(u128::from(float.bias) << float.mantissa_bits),
            None => number("1", element_type),
        },
    }
}

fn highest(element_type: ElementType) -> Option<u128> {
    let width = element_type.bits();
    match element_type.class() {
        ElementClass::Boolean => Some(1),
        ElementClass::Unsigned => Some((1 << width) - 1),
        ElementClass::Signed => Some((1 << (width - 1)) - 1),
        ElementClass::Float if element_type == ElementType::F8E8M0Fnu => Some(0xfe),
        ElementClass::Float => float(element_type).map(|float| float.highest),
        ElementClass::Complex => None,
    }
}

fn lowest(element_type: ElementType) -> Option<u128> {
    let width = element_type.bits();
    match element_type.class() {
        ElementClass::Boolean | ElementClass::Unsigned => Some(0),
        ElementClass::Signed => Some(1 << (width - 1)),
        ElementClass::Float if element_type == ElementType::F8E8M0Fnu => Some(0),
        ElementClass::Float => float(element_type).map(|float| float.highest | 1 << (width - 1)),
        ElementClass::Complex => None,
    }
}

fn number(text: &str, element_type: ElementType) -> Option<u128> {
    match element_type.class() {
        ElementClass::Boolean | ElementClass::Unsigned => text.parse().ok(),
        ElementClass::Signed => signed(text.parse().ok()?, element_type.bits()),
        ElementClass::Float if element_type.bits() >= 16 => {
            let value: f64 = text.parse().ok()?;
            let is_said = value.is_finite() || text.to_ascii_lowercase().contains(['n', 'i']);
            is_said.then(|| nearest(value, element_type)).flatten()
        }
        ElementClass::Float | ElementClass::Complex => None,
    }
}

/// Two's complement in `width` bits, or `None` where it does not fit.
fn signed(value: i128, width: u32) -> Option<u128> {
    let half = 1i128 << (width - 1);
    let mask = (1u128 << width) - 1;
    (-half..half).contains(&value).then_some(value as u128 & mask)
}

/// The nearest value of a standard float or `bf16`, ties to even, infinity beyond its range.
fn nearest(value: f64, element_type: ElementType) -> Option<u128> {
    match element_type {
        ElementType::F64 => Some(u128::from(value.to_bits())),
        ElementType::F32 => Some(u128::from((value as f32).to_bits())),
        _ => Some(rounded(value, &float(element_type)?)),
    }
}

/// The nearest value of a 16-bit type.
fn rounded(value: f64, float: &Float) -> u128 {
    let sign = u128::from(value.is_sign_negative()) << (float.exponent_bits + float.mantissa_bits);
    if value.is_nan() {
        return sign | float.highest | 1 << (float.mantissa_bits - 1);
    }
    let bits = value.abs().to_bits();
    let exponent = i64::try_from(bits >> 52).unwrap_or(0) - 1023 + i64::from(float.bias);
    let mantissa = u128::from(bits & ((1 << 52) - 1));
    // Below the smallest normal number the leading one is part of the mantissa.
    let (mantissa, dropped) = match exponent {
        1.. => (u128::try_from(exponent).unwrap_or(0) << 52 | mantissa, 52 - float.mantissa_bits),
        _ => (1 << 52 | mantissa, lost_bits(1 - exponent, float)),
    };
    let kept = mantissa >> dropped;
    let rest = mantissa & ((1 << dropped) - 1);
    let half = (1u128 << dropped) >> 1;
    let up = rest > half || (rest == half && half > 0 && kept & 1 == 1);
    sign | (kept + u128::from(up)).min(float.highest)
}

/// How many bits of a double's mantissa a subnormal number this far down drops.
fn lost_bits(below: i64, float: &Float) -> u32 {
    u32::try_from(below).unwrap_or(u32::MAX).saturating_add(52 - float.mantissa_bits).min(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, element_type: ElementType, expected: Option<u128>) {
        assert_eq!(bits(text, element_type).ok(), expected, "{text} as {element_type}");
    }

    #[test]
    fn padding_values() {
        use ElementType::{Bf16, C64, F8E4M3, F16, F32, F64, Pred, S4, S8, U2, U64};
        check("0", C64, Some(0));
        check("1", Pred, Some(1));
        check("2", Pred, None);
        check("-1", S4, Some(0xf));
        check("-9", S4, None);
        check("lowest", S8, Some(0x80));
        check("highest", S8, Some(0x7f));
        check("highest", U2, Some(3));
        check("4", U2, None);
        check("-1", U2, None);
        check("18446744073709551615", U64, Some(u128::from(u64::MAX)));
        check("1", F32, Some(0x3f80_0000));
        check("1", F64, Some(0x3ff0_0000_0000_0000));
        check("1", F16, Some(0x3c00));
        check("-2.5", Bf16, Some(0xc020));
        check("lowest", Bf16, Some(0xff80));
        check("highest", F32, Some(0x7f80_0000));
        check("0x38", F8E4M3, Some(0x38));
        check("0x138", F8E4M3, None);
        check("1", F8E4M3, Some(0x38));
        check("2", F8E4M3, None);
        check("1", C64, Some(0x3f80_0000));
        check("lowest", F8E4M3, Some(0xf8));
        check("1.0039062500000284", Bf16, Some(0x3f81));
        check("1.00390625", Bf16, Some(0x3f80));
        check("1.01171875", Bf16, Some(0x3f82));
        check("1.0004882812509095", F16, Some(0x3c01));
        check("5.960464477539063e-8", F16, Some(1));
        check("2.9802322387695312e-8", F16, Some(0));
        check("6.103515625e-5", F16, Some(0x400));
        check("65520", F16, Some(0x7c00));
        check("65519", F16, Some(0x7bff));
        check("1e-320", F64, Some(2024));
        check("-0.1", F64, Some(0xbfb9_9999_9999_999a));
        check("1e-45", F32, Some(1));
        check("inf", F32, Some(0x7f80_0000));
        check("nan", F32, Some(0x7fc0_0000));
        check("1e400", F64, None);
        check("0xzz", F32, None);
        check("one", F32, None);
    }
}
