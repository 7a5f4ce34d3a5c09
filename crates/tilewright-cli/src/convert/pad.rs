//! The bits of a padding element, from what somebody typed.

use anyhow::{Context, bail};
use tilewright::xla::PaddingValue;
use tilewright::{ElementClass, ElementType};

/// The bits of `text` as an element of this type: `0`, `0x…` for the bits themselves, `lowest` and
/// `highest`, or a number in an integer type, a standard float or `bf16`.
pub(crate) fn bits(text: &str, element_type: ElementType) -> anyhow::Result<u128> {
    let bits = match text {
        "0" => Some(0),
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

fn number(text: &str, element_type: ElementType) -> Option<u128> {
    match element_type.class() {
        ElementClass::Boolean | ElementClass::Unsigned => text.parse().ok(),
        ElementClass::Signed => signed(text.parse().ok()?, element_type.bits()),
        ElementClass::Float => float(text.parse().ok()?, element_type),
        ElementClass::Complex => None,
    }
}

/// Two's complement in `width` bits, or `None` where it does not fit.
fn signed(value: i128, width: u32) -> Option<u128> {
    let half = 1i128 << (width - 1);
    let mask = (1u128 << width) - 1;
    (-half..half).contains(&value).then_some(value as u128 & mask)
}

/// The nearest value of the type, ties to even.
fn float(value: f64, element_type: ElementType) -> Option<u128> {
    match element_type {
        ElementType::F64 => Some(u128::from(value.to_bits())),
        ElementType::F32 => Some(u128::from((value as f32).to_bits())),
        ElementType::Bf16 => Some(u128::from(bf16(value))),
        ElementType::F16 => Some(u128::from(half::f16::from_f64(value).to_bits())),
        _ => None,
    }
}

fn bf16(value: f64) -> u16 {
    half::bf16::from_f64(value).to_bits()
}

fn lowest(element_type: ElementType) -> Option<u128> {
    let width = element_type.bits();
    match element_type.class() {
        ElementClass::Boolean | ElementClass::Unsigned => Some(0),
        ElementClass::Signed => Some(1 << (width - 1)),
        ElementClass::Float => float(f64::NEG_INFINITY, element_type),
        ElementClass::Complex => None,
    }
}

fn highest(element_type: ElementType) -> Option<u128> {
    let width = element_type.bits();
    match element_type.class() {
        ElementClass::Boolean => Some(1),
        ElementClass::Unsigned => Some((1 << width) - 1),
        ElementClass::Signed => Some((1 << (width - 1)) - 1),
        ElementClass::Float => float(f64::INFINITY, element_type),
        ElementClass::Complex => None,
    }
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
        check("1", F8E4M3, None);
        check("0xzz", F32, None);
        check("one", F32, None);
    }
}
