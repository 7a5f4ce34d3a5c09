//! One element written as text, and its bits.
//!
//! What padding holds is said as text: by whoever asks for it, and in the record beside an array.
//! There is one reader of such texts, so that a value means the same wherever it is given, and a
//! value that the type does not have is an error everywhere:
//!
//! | text | is |
//! |---|---|
//! | `7`, `-1`, `1.5`, `1e-3`, `inf`, `nan` | the number; of floats the nearest that there is, ties to even |
//! | `true`, `false` | 1 and 0 of `pred` |
//! | `1+2j`, `2j` | a complex number, and its imaginary part alone |
//! | `lowest`, `highest` | the least and the greatest of the type: infinities where it has them |
//! | `0x3c00` | the bits themselves |
//!
//! Beyond the largest finite number a float is refused, where arithmetic would make it infinite:
//! `1e300` is no `f16`. A number that is not whole is no integer, and 0 is no `f8e8m0fnu`, which has
//! powers of two alone.

use crate::ArrayShape;
use crate::element::{ElementClass, ElementType};
use crate::error::{Error, Kind};
use crate::text::abridged;
use crate::xla::{Padding, PaddingValue};

/// The bits of the element of this type that a text says.
///
/// ```
/// use tilewright::ElementType;
/// use tilewright::literal::bits;
/// assert_eq!(bits("-1", ElementType::S4)?, 0xf);
/// assert_eq!(bits("1.5", ElementType::F4E2M1Fn)?, 3);
/// assert_eq!(bits("lowest", ElementType::Bf16)?, 0xff80); // -infinity
/// let error = bits("300", ElementType::U8).unwrap_err();
/// assert_eq!(error.to_string(), "`300` is no u8: it holds whole numbers from 0 to 255");
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// # Errors
///
/// The text is none of the above, or the type has no such element.
pub fn bits(text: &str, element_type: ElementType) -> Result<u128, Error> {
    value(text.trim(), element_type).ok_or_else(|| {
        let (text, held) = (abridged(text), held(element_type));
        let message = format!("`{text}` is no {element_type}: it holds {held}");
        Error::new(Kind::Invalid { message })
    })
}

/// How the element is written whose bits are all zero: `0`, or `lowest` where the type has no zero.
///
/// ```
/// use tilewright::ElementType;
/// use tilewright::literal::zero;
/// assert_eq!((zero(ElementType::F32), zero(ElementType::F8E8M0Fnu)), ("0", "lowest"));
/// ```
pub fn zero(element_type: ElementType) -> &'static str {
    if element_type == ElementType::F8E8M0Fnu { "lowest" } else { "0" }
}

/// What the padding of an array holds, as bits and as the text that a record says: what is asked
/// for; or else what the array's layout says (`PAD(3,5;lowest)`); or else bits that are all zero.
///
/// ```
/// use tilewright::literal::padding;
/// let array = "f32[2,3]{0,1:PAD(3,5;1)}".parse()?;
/// assert_eq!(padding(&array, None)?, (0x3f80_0000, "1".to_owned()));
/// assert_eq!(padding(&array, Some("-0"))?, (0x8000_0000, "-0".to_owned()));
/// assert_eq!(padding(&"f8e8m0fnu[3]{0:T(4)}".parse()?, None)?, (0, "lowest".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The type has no such element.
pub fn padding(array: &ArrayShape, asked: Option<&str>) -> Result<(u128, String), Error> {
    let element_type = array.element_type();
    let value = array.layout().and_then(|layout| layout.padding()).and_then(Padding::value);
    let text = match (asked, value) {
        (Some(text), _) => text,
        (None, Some(PaddingValue::Zero | PaddingValue::Unknown) | None) => {
            return Ok((0, zero(element_type).to_owned()));
        }
        (None, Some(value)) => value.name(),
    };
    Ok((bits(text, element_type)?, text.to_owned()))
}

fn value(text: &str, element_type: ElementType) -> Option<u128> {
    if let Some(digits) = text.strip_prefix("0x") {
        let width = element_type.bits();
        let bits = u128::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
        return (width >= 128 || bits >> width == 0).then_some(bits);
    }
    match (text, element_type.class()) {
        ("lowest" | "highest", ElementClass::Complex) => None,
        ("lowest", _) => Some(extremes(element_type)[0]),
        ("highest", _) => Some(extremes(element_type)[1]),
        (_, ElementClass::Boolean) => match text {
            "0" | "false" => Some(0),
            "1" | "true" => Some(1),
            _ => None,
        },
        (_, ElementClass::Unsigned | ElementClass::Signed) => whole(text, element_type),
        (_, ElementClass::Float) => number(text, element_type),
        (_, ElementClass::Complex) => complex(text, element_type),
    }
}

/// Two's complement in the bits of the type.
fn whole(text: &str, element_type: ElementType) -> Option<u128> {
    let value: i128 = text.parse().ok()?;
    let [least, greatest] = range(element_type);
    let mask = (1u128 << element_type.bits()) - 1;
    (least..=greatest).contains(&value).then_some(value as u128 & mask)
}

/// The least and the greatest of an integer type, which has at most 64 bits.
fn range(element_type: ElementType) -> [i128; 2] {
    let width = element_type.bits();
    match element_type.class() {
        ElementClass::Signed => [-(1 << (width - 1)), (1 << (width - 1)) - 1],
        _ => [0, (1 << width) - 1],
    }
}

/// The bits of the least and the greatest element.
fn extremes(element_type: ElementType) -> [u128; 2] {
    if element_type == ElementType::F8E8M0Fnu {
        return [0, 0xfe];
    }
    match Float::of(element_type) {
        Some(float) => {
            let greatest = float.infinity.unwrap_or(float.largest);
            [float.sign() | greatest, greatest]
        }
        None => {
            let mask = (1u128 << element_type.bits()) - 1;
            range(element_type).map(|value| value as u128 & mask)
        }
    }
}

fn number(text: &str, element_type: ElementType) -> Option<u128> {
    let value: f64 = text.parse().ok()?;
    // What is infinite without being said to be has been written beyond all numbers.
    let unsigned = text.trim_start_matches(['+', '-']);
    if value.is_infinite() && !unsigned.starts_with(['i', 'I']) {
        return None;
    }
    match element_type {
        ElementType::F8E8M0Fnu => power_of_two(value),
        ElementType::F64 => Some(value.to_bits().into()),
        // Rounded from the text: by way of a double it would be rounded twice.
        ElementType::F32 => {
            let rounded: f32 = text.parse().ok()?;
            (rounded.is_infinite() == value.is_infinite()).then(|| rounded.to_bits().into())
        }
        _ => Float::of(element_type)?.nearest(value),
    }
}

/// `f8e8m0fnu` is an exponent: code `e` is `2^(e - 127)`, and 255 is no number.
fn power_of_two(value: f64) -> Option<u128> {
    if value.is_nan() {
        return Some(0xff);
    }
    let is_power = value.is_normal() && value > 0.0 && value.to_bits() & ((1 << 52) - 1) == 0;
    let exponent = (value.to_bits() >> 52) as i64 - 1023;
    u128::try_from(exponent + 127).ok().filter(|&code| is_power && code <= 0xfe)
}

/// `re`, `imj`, `re+imj` or `re-imj`, with parentheses around it or without. The real part is in the
/// low bits.
fn complex(text: &str, element_type: ElementType) -> Option<u128> {
    let part = if element_type == ElementType::C64 { ElementType::F32 } else { ElementType::F64 };
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let Some(imaginary) = inner.strip_suffix('j') else { return number(inner, part) };
    let is_sign = |(at, c): (usize, char)| {
        let follows_exponent = inner.get(..at).is_some_and(|before| before.ends_with(['e', 'E']));
        (at > 0 && matches!(c, '+' | '-') && !follows_exponent).then_some(at)
    };
    let split = imaginary.char_indices().rev().find_map(is_sign).unwrap_or(0);
    let (real, imaginary) = imaginary.split_at(split);
    let real = if real.is_empty() { 0 } else { number(real, part)? };
    Some(number(imaginary, part)? << part.bits() | real)
}

/// A type of sign, exponent and mantissa, in bits from the highest to the lowest.
struct Float {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: u32,
    /// The bits of the largest number.
    largest: u128,
    /// The bits of infinity, where there is one.
    infinity: Option<u128>,
    /// The bits of a quiet NaN, where there is one.
    nan: Option<u128>,
    has_negative_zero: bool,
}

impl Float {
    fn of(element_type: ElementType) -> Option<Self> {
        Some(match element_type {
            ElementType::F16 => Self::ieee(5, 10),
            ElementType::Bf16 => Self::ieee(8, 7),
            ElementType::F32 => Self::ieee(8, 23),
            ElementType::F64 => Self::ieee(11, 52),
            ElementType::F8E5M2 => Self::ieee(5, 2),
            ElementType::F8E4M3 => Self::ieee(4, 3),
            ElementType::F8E3M4 => Self::ieee(3, 4),
            // All ones is NaN, and nothing is infinite.
            ElementType::F8E4M3Fn => Float { nan: Some(0x7f), ..Self::finite(4, 3, 7, 0x7e) },
            // What would be negative zero is NaN.
            ElementType::F8E4M3B11Fnuz => Self::fnuz(4, 3, 11),
            ElementType::F8E4M3Fnuz => Self::fnuz(4, 3, 8),
            ElementType::F8E5M2Fnuz => Self::fnuz(5, 2, 16),
            ElementType::F6E3M2Fn => Self::finite(3, 2, 3, 0x1f),
            ElementType::F6E2M3Fn => Self::finite(2, 3, 1, 0x1f),
            ElementType::F4E2M1Fn => Self::finite(2, 1, 1, 0x7),
            _ => return None,
        })
    }

    /// The highest exponent is for infinity and NaN.
    fn ieee(exponent_bits: u32, mantissa_bits: u32) -> Self {
        let infinity = ((1u128 << exponent_bits) - 1) << mantissa_bits;
        let bias = (1 << (exponent_bits - 1)) - 1;
        Float {
            infinity: Some(infinity),
            nan: Some(infinity | 1 << (mantissa_bits - 1)),
            ..Self::finite(exponent_bits, mantissa_bits, bias, infinity - 1)
        }
    }

    fn fnuz(exponent_bits: u32, mantissa_bits: u32, bias: u32) -> Self {
        Float {
            nan: Some(0x80),
            has_negative_zero: false,
            ..Self::finite(exponent_bits, mantissa_bits, bias, 0x7f)
        }
    }

    fn finite(exponent_bits: u32, mantissa_bits: u32, bias: u32, largest: u128) -> Self {
        let (infinity, nan, has_negative_zero) = (None, None, true);
        Float { exponent_bits, mantissa_bits, bias, largest, infinity, nan, has_negative_zero }
    }

    fn sign(&self) -> u128 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    /// The nearest element, ties to even; `None` beyond the largest.
    fn nearest(&self, value: f64) -> Option<u128> {
        if value.is_nan() {
            return self.nan;
        }
        let magnitude = match value.is_infinite() {
            true => self.infinity?,
            false => Some(self.magnitude(value)).filter(|&bits| bits <= self.largest)?,
        };
        let has_sign = value.is_sign_negative() && (magnitude != 0 || self.has_negative_zero);
        Some(if has_sign { self.sign() | magnitude } else { magnitude })
    }

    /// The bits of a finite value without its sign, as if exponents went on for ever.
    ///
    /// A double is `1.m * 2^(e - 1023)` with 52 bits of `m`. Its exponent and mantissa side by side,
    /// `e` rebiased, are the same number in this type with `52 - mantissa_bits` bits too many; so
    /// dropping these with rounding is all there is to do, and a carry goes into the exponent as it
    /// should. Below the smallest exponent the leading one becomes part of the mantissa, and one bit
    /// more is dropped for each power of two.
    fn magnitude(&self, value: f64) -> u128 {
        let bits = value.abs().to_bits();
        let exponent = (bits >> 52) as i64 - 1023 + i64::from(self.bias);
        let mantissa = u128::from(bits & ((1 << 52) - 1));
        let surplus = 52 - self.mantissa_bits;
        let (all, dropped) = match u128::try_from(exponent) {
            Ok(exponent @ 1..) => (exponent << 52 | mantissa, surplus),
            _ if bits >> 52 == 0 => (0, 0),
            _ => {
                let below = u32::try_from(1 - exponent).unwrap_or(u32::MAX);
                (1 << 52 | mantissa, below.saturating_add(surplus).min(64))
            }
        };
        let (kept, rest) = (all >> dropped, all & ((1 << dropped) - 1));
        let half = (1u128 << dropped) >> 1;
        let up = rest > half || (rest == half && half > 0 && kept & 1 == 1);
        kept + u128::from(up)
    }

    /// The value of the largest number, `(1 + m / 2^mantissa_bits) * 2^(e - bias)`: as a double, it has the same bits of exponent
    /// and mantissa with zeros below, and another bias. No power is computed, since how exact `powi` is differs by platform.
    fn largest_value(&self) -> f64 {
        let shifted = (self.largest as u64) << (52 - self.mantissa_bits);
        f64::from_bits(shifted + (u64::from(1023 - self.bias) << 52))
    }
}

/// What a type holds, in words.
fn held(element_type: ElementType) -> String {
    match element_type.class() {
        ElementClass::Boolean => "0 and 1".to_owned(),
        ElementClass::Unsigned | ElementClass::Signed => {
            let [least, greatest] = range(element_type);
            format!("whole numbers from {least} to {greatest}")
        }
        ElementClass::Complex => format!(
            "pairs of {} as `1+2j`",
            match element_type {
                ElementType::C64 => "f32",
                _ => "f64",
            }
        ),
        ElementClass::Float => match Float::of(element_type) {
            Some(float) => held_by_float(&float),
            None => "powers of two from 2^-127 to 2^127, nan and no zero".to_owned(),
        },
    }
}

fn held_by_float(float: &Float) -> String {
    let largest = float.largest_value();
    let largest = if largest < 1e6 { format!("{largest}") } else { format!("{largest:.8e}") };
    let infinities = if float.infinity.is_some() { ", infinities" } else { "" };
    let nan = if float.nan.is_some() { ", nan" } else { "" };
    format!("numbers from -{largest} to {largest}{infinities}{nan}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, element_type: ElementType, expected: Option<u128>) {
        assert_eq!(bits(text, element_type).ok(), expected, "{text} as {element_type}");
    }

    #[test]
    fn whole_numbers() {
        use ElementType::{Pred, S1, S4, S8, S64, U2, U8, U64};
        check("1", Pred, Some(1));
        check("true", Pred, Some(1));
        check("2", Pred, None);
        check("-1", S4, Some(0xf));
        check("-9", S4, None);
        check("-1", S1, Some(1));
        check("1", S1, None);
        check("lowest", S8, Some(0x80));
        check("highest", S8, Some(0x7f));
        check("highest", U2, Some(3));
        check("4", U2, None);
        check("-1", U2, None);
        check("300", U8, None);
        check("1.0", U8, None);
        check("18446744073709551615", U64, Some(u128::from(u64::MAX)));
        check("18446744073709551616", U64, None);
        check("-9223372036854775808", S64, Some(1 << 63));
        check("0xff", U8, Some(0xff));
        check("0x100", U8, None);
        check("0x+1", U8, None);
        check("", U8, None);
        check("[1, 2]", U8, None);
        check("None", U8, None);
    }

    #[test]
    fn wide_floats() {
        use ElementType::{Bf16, F16, F32, F64};
        check("1", F32, Some(0x3f80_0000));
        check("1", F64, Some(0x3ff0_0000_0000_0000));
        check("-2.5", Bf16, Some(0xc020));
        check("-0.0", Bf16, Some(0x8000));
        check("lowest", Bf16, Some(0xff80));
        check("highest", F32, Some(0x7f80_0000));
        // Just above and at the middle of two.
        check("1.0039062500000284", Bf16, Some(0x3f81));
        check("1.00390625", Bf16, Some(0x3f80));
        check("1.01171875", Bf16, Some(0x3f82));
        check("1.0004882812509095", F16, Some(0x3c01));
        // Subnormal numbers, of which half of the smallest is a tie to zero.
        check("5.960464477539063e-8", F16, Some(1));
        check("2.9802322387695312e-8", F16, Some(0));
        check("6.103515625e-5", F16, Some(0x400));
        check("1e-300", F16, Some(0));
        check("65519", F16, Some(0x7bff));
        check("65520", F16, None);
        check("1e300", F16, None);
        check("inf", F16, Some(0x7c00));
        check("-inf", F32, Some(0xff80_0000));
        check("nan", F32, Some(0x7fc0_0000));
        check("1e-320", F64, Some(2024));
        check("-0.1", F64, Some(0xbfb9_9999_9999_999a));
        check("1e-45", F32, Some(1));
        check("1e39", F32, None);
        check("1e400", F64, None);
        // Halfway between two of f32 but for the last digit, which a double does not have.
        check("1.00000005960464477539062500000000000000001", F32, Some(0x3f80_0001));
        check("one", F32, None);
        check("0xzz", F32, None);
    }

    #[test]
    fn narrow_floats() {
        use ElementType::{F4E2M1Fn, F6E2M3Fn, F8E4M3, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E8M0Fnu};
        check("1.5", F4E2M1Fn, Some(3));
        check("-6", F4E2M1Fn, Some(0xf));
        check("0.25", F4E2M1Fn, Some(0));
        check("5", F4E2M1Fn, Some(6));
        check("7", F4E2M1Fn, None);
        check("inf", F4E2M1Fn, None);
        check("nan", F4E2M1Fn, None);
        check("7.5", F6E2M3Fn, Some(0x1f));
        check("1", F8E4M3, Some(0x38));
        check("lowest", F8E4M3, Some(0xf8));
        check("448", F8E4M3Fn, Some(0x7e));
        check("464", F8E4M3Fn, Some(0x7e));
        check("465", F8E4M3Fn, None);
        check("nan", F8E4M3Fn, Some(0x7f));
        check("-0.0", F8E4M3Fnuz, Some(0));
        check("nan", F8E4M3Fnuz, Some(0x80));
        check("240", F8E4M3Fnuz, Some(0x7f));
        check("57344", F8E5M2, Some(0x7b));
        check("inf", F8E5M2, Some(0x7c));
        check("0", F8E8M0Fnu, None);
        check("-1", F8E8M0Fnu, None);
        check("3", F8E8M0Fnu, None);
        check("1", F8E8M0Fnu, Some(127));
        check("1.7014118346046923e38", F8E8M0Fnu, Some(0xfe));
        check("5.877471754111438e-39", F8E8M0Fnu, Some(0));
        check("lowest", F8E8M0Fnu, Some(0));
        check("0xff", F8E8M0Fnu, Some(0xff));
    }

    #[test]
    fn complex_numbers() {
        use ElementType::{C64, C128};
        let [one, two, minus] = [1f32, 2.0, -3e-5].map(|x| u128::from(x.to_bits()));
        check("0", C64, Some(0));
        check("1", C64, Some(one));
        check("2j", C64, Some(two << 32));
        check("(1+2j)", C64, Some(two << 32 | one));
        check("1-3e-5j", C64, Some(minus << 32 | one));
        check("-3e-5+1j", C64, Some(one << 32 | minus));
        check("1j", C128, Some(u128::from(1f64.to_bits()) << 64));
        check("1+2", C64, None);
        check("lowest", C64, None);
    }

    /// Exactly, which `powi` need not be.
    fn power_of_two(exponent: i32) -> f64 {
        f64::from_bits(((1023 + exponent) as u64) << 52)
    }

    /// Every element of the small floats is the nearest to its own value.
    #[test]
    fn small_floats_come_back() {
        for &element_type in ElementType::ALL {
            let Some(float) = Float::of(element_type).filter(|_| element_type.bits() <= 8) else {
                continue;
            };
            for code in 0..=float.largest {
                let exponent = (code >> float.mantissa_bits) as i32;
                let mantissa = (code & ((1 << float.mantissa_bits) - 1)) as f64
                    / power_of_two(float.mantissa_bits.cast_signed());
                let (leading, exponent) = if exponent == 0 { (0.0, 1) } else { (1.0, exponent) };
                let value =
                    (leading + mantissa) * power_of_two(exponent - float.bias.cast_signed());
                assert_eq!(float.nearest(value), Some(code), "{element_type} {code:#x}");
                let negative = float.sign() | code;
                let negative = if code == 0 && !float.has_negative_zero { 0 } else { negative };
                assert_eq!(float.nearest(-value), Some(negative), "{element_type} {code:#x}");
            }
        }
    }

    #[test]
    fn refusals_say_what_there_is() {
        let message = |text, element_type| bits(text, element_type).unwrap_err().to_string();
        for (text, element_type, held) in [
            ("-1", ElementType::U4, "whole numbers from 0 to 15"),
            ("7", ElementType::F4E2M1Fn, "numbers from -6 to 6"),
            ("1e6", ElementType::F16, "numbers from -65504 to 65504, infinities, nan"),
            ("0", ElementType::F8E8M0Fnu, "powers of two from 2^-127 to 2^127, nan and no zero"),
            ("x", ElementType::Pred, "0 and 1"),
            ("x", ElementType::C64, "pairs of f32 as `1+2j`"),
        ] {
            assert_eq!(
                message(text, element_type),
                format!("`{text}` is no {element_type}: it holds {held}")
            );
        }
    }
}
