//! What memory holds where there is no code.

use std::fmt;

use crate::bits::{bit, field};

/// The packed bits that hold no code's bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// How many there are.
    pub bits: u64,
    /// The first of them.
    pub first: Option<u64>,
    /// What each of them holds, where it is the same throughout.
    pub value: Option<PadValue>,
}

/// A value and the number of bits that it takes: that of an element where whole elements are
/// padding, else 8 where whole bytes are, else 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PadValue {
    /// The value, as it is stored.
    pub value: u64,
    /// Its width.
    pub bits: u32,
}

impl Padding {
    /// The padding beside what is owned.
    pub(crate) fn of(packed: &[u8], owned: &[u8], element_bits: u32) -> Self {
        let all = u64::try_from(packed.len()).unwrap_or(0).saturating_mul(8);
        let n_owned: u64 = owned.iter().map(|byte| u64::from(byte.count_ones())).sum();
        let units = [element_bits, 8, 1].into_iter();
        let mut values = units.filter_map(|unit| value_of(packed, owned, all, unit));
        Padding {
            bits: all.saturating_sub(n_owned),
            first: (0..all).find(|place| !bit(owned, *place)),
            value: values.next(),
        }
    }
}

/// The one value of all units that hold no code, if no unit is padding in part.
fn value_of(packed: &[u8], owned: &[u8], all: u64, unit: u32) -> Option<PadValue> {
    let mut value = None;
    for place in (0..all).step_by(usize::try_from(unit).ok()?) {
        match field(owned, place, unit).count_ones() {
            0 => {
                let found = field(packed, place, unit);
                if *value.get_or_insert(found) != found {
                    return None;
                }
            }
            ones if ones < unit => return None,
            _ => {}
        }
    }
    value.map(|value| PadValue { value, bits: unit })
}

impl fmt::Display for Padding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.value) {
            (None, _) => f.write_str("none"),
            (Some(_), Some(PadValue { value, bits })) => {
                write!(f, "{} bits, all {value:#x} of {bits} bits each", self.bits)
            }
            (Some(first), None) => {
                write!(f, "{} bits of several values, the first at bit {first}", self.bits)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_told_in_the_largest_unit_that_is_whole() {
        let padding = |packed: &[u8], owned: &[u8]| Padding::of(packed, owned, 4).value;
        assert_eq!(padding(&[0x5A], &[0x0F]), Some(PadValue { value: 5, bits: 4 }));
        assert_eq!(padding(&[0x12, 0x7F], &[0xFF, 0]), Some(PadValue { value: 0x7F, bits: 8 }));
        assert_eq!(padding(&[0x12, 0x77], &[0xFF, 0]), Some(PadValue { value: 7, bits: 4 }));
        assert_eq!(padding(&[0x80], &[0x3F]), None);
        assert_eq!(padding(&[0xC0], &[0x3F]), Some(PadValue { value: 1, bits: 1 }));
        assert_eq!(padding(&[0xC0], &[0xFF]), None);
    }
}
