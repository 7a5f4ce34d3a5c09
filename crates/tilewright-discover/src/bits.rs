//! Bits of bytes: bit *p* is bit `p % 8` of byte `p / 8`, as little-endian words have it.

/// The bit at a place; 0 beyond the end.
pub(crate) fn bit(bytes: &[u8], place: u64) -> bool {
    let byte = usize::try_from(place / 8).ok().and_then(|byte| bytes.get(byte));
    byte.is_some_and(|byte| byte >> (place % 8) & 1 == 1)
}

/// Flips the bit at a place, if there is one.
pub(crate) fn flip(bytes: &mut [u8], place: u64) {
    if let Some(byte) = usize::try_from(place / 8).ok().and_then(|byte| bytes.get_mut(byte)) {
        *byte ^= 1 << (place % 8);
    }
}

/// `width` bits from a place on, the first one lowest. There are at most 64.
pub(crate) fn field(bytes: &[u8], place: u64, width: u32) -> u64 {
    (0..width.min(64)).fold(0, |value, number| {
        value | u64::from(bit(bytes, place.saturating_add(u64::from(number)))) << number
    })
}

/// The places at which two byte strings of one length differ, in order.
pub(crate) fn differences<'a>(a: &'a [u8], b: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
    let unequal = a.iter().zip(b).zip(0u64..).filter(|((a, b), _)| a != b);
    unequal.flat_map(|((a, b), byte)| {
        let flipped = a ^ b;
        (0..8).filter(move |bit| flipped >> bit & 1 == 1).map(move |bit| byte * 8 + bit)
    })
}

/// All bits that a code of this width may have.
pub(crate) fn mask(width: u32) -> u32 {
    1u32.checked_shl(width).map_or(u32::MAX, |end| end - 1)
}
