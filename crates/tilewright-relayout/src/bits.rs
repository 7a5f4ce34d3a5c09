//! Elements that are not whole bytes: reading, writing, filling.
//!
//! A packed buffer is a stream of bits: bit `n` is bit `n mod 8` of byte `n div 8`, and element
//! `i` of width `w` is bits `i·w` to `(i + 1)·w`, its low bit first.

/// A number whose low `bits` bits are set; all of them from 128 on.
pub(crate) fn mask(bits: u32) -> u128 {
    1u128.checked_shl(bits).map_or(u128::MAX, |next| next - 1)
}

/// The same of up to 8 bits: what is moved bit by bit is mostly those.
fn few(bits: u32) -> u16 {
    (1 << bits) - 1
}

/// The `width` bits (1 to 128) from bit `start` on. Bits beyond the buffer read as zero.
#[inline]
pub(crate) fn read(bytes: &[u8], start: usize, width: u32) -> u128 {
    let shift = (start % 8) as u32;
    if width <= 8 {
        let byte = |number: usize| bytes.get(number).copied().unwrap_or_default();
        let pair = u16::from_le_bytes([byte(start / 8), byte(start / 8 + 1)]);
        return (pair >> shift & few(width)).into();
    }
    let mut window = [0; 17];
    let rest = bytes.get(start / 8..).unwrap_or_default();
    for (place, byte) in window.iter_mut().zip(rest) {
        *place = *byte;
    }
    let [low @ .., last] = window;
    let high = if shift == 0 { 0 } else { u128::from(last) << (128 - shift) };
    (u128::from_le_bytes(low) >> shift | high) & mask(width)
}

/// Sets the `width` bits (1 to 128) from bit `start` on to `value`. Bits beyond the buffer are
/// left out.
#[inline]
pub(crate) fn write(bytes: &mut [u8], start: usize, width: u32, value: u128) {
    let shift = (start % 8) as u32;
    if width <= 8 {
        let shifted = |bits: u16| (bits << shift).to_le_bytes();
        let (value, mask) = (shifted(value as u16 & few(width)), shifted(few(width)));
        for number in 0..2 {
            if let Some(place) = bytes.get_mut(start / 8 + number) {
                *place = *place & !mask[number] | value[number];
            }
        }
        return;
    }
    let (value, mask) = (value & mask(width), mask(width));
    let shifted = |number: u128| {
        let mut wide = [0; 17];
        for (place, byte) in wide.iter_mut().zip((number << shift).to_le_bytes()) {
            *place = byte;
        }
        wide[16] = if shift == 0 { 0 } else { (number >> (128 - shift)) as u8 };
        wide
    };
    let places = bytes.get_mut(start / 8..).unwrap_or_default();
    for (place, (value, mask)) in places.iter_mut().zip(shifted(value).iter().zip(shifted(mask))) {
        *place = *place & !mask | value;
    }
}

/// Fills a buffer with `n_elements` times a pattern of `width` bits. What is left is zero.
pub(crate) fn fill(bytes: &mut [u8], pattern: u128, width: u32, n_elements: usize) {
    if pattern == 0 {
        bytes.fill(0);
        return;
    }
    // Eight elements end on a byte whatever their width.
    let mut period = [0; 128];
    let period = period.get_mut(..width as usize).unwrap_or_default();
    (0..8).for_each(|number| write(period, number * width as usize, width, pattern));
    repeat(bytes, period);
    let used = n_elements.saturating_mul(width as usize);
    let tail = bytes.len().saturating_mul(8).saturating_sub(used).min(128);
    write_zeros(bytes, used, tail as u32);
}

/// Zeros the last byte, of which packed elements may have a part.
pub(crate) fn clear_last(bytes: &mut [u8]) {
    if let Some(last) = bytes.last_mut() {
        *last = 0;
    }
}

/// Fills a buffer with copies of `period`, one after the other.
pub(crate) fn repeat(bytes: &mut [u8], period: &[u8]) {
    if let Some(byte) = period.first().filter(|byte| period.iter().all(|other| other == *byte)) {
        bytes.fill(*byte);
        return;
    }
    for place in bytes.chunks_mut(period.len().max(1)) {
        place.copy_from_slice(period.get(..place.len()).unwrap_or_default());
    }
}

fn write_zeros(bytes: &mut [u8], start: usize, width: u32) {
    if width > 0 {
        write(bytes, start, width, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From one width to the next; Miri takes its time: 1, 43, 85 and 127 bits.
    const STEP: usize = if cfg!(miri) { 42 } else { 1 };

    fn pattern(n: usize) -> Vec<u8> {
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    #[test]
    fn reading_gives_back_what_was_written_and_touches_nothing_else() {
        for width in (1..=128).step_by(STEP) {
            for start in [0, 1, 7, 8, 13, 100] {
                let before = pattern(40);
                let mut bytes = before.clone();
                let value = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210 & mask(width);
                write(&mut bytes, start, width, value);
                assert_eq!(read(&bytes, start, width), value, "{width} bits at {start}");
                write(&mut bytes, start, width, read(&before, start, width));
                assert_eq!(bytes, before);
            }
        }
    }

    /// Bit `n` is bit `n mod 8` of byte `n div 8`.
    #[test]
    fn bits_are_where_they_are_defined_to_be() {
        let before = pattern(5);
        let bit =
            |bytes: &[u8], n: usize| bytes.get(n / 8).is_some_and(|byte| byte >> (n % 8) & 1 == 1);
        for (width, start) in (1..=9).flat_map(|width| (0..48).map(move |start| (width, start))) {
            let read = read(&before, start, width as u32);
            let mut bytes = before.clone();
            write(&mut bytes, start, width as u32, !read);
            for n in 0..8 * before.len() {
                let place = n.wrapping_sub(start);
                let (is_one, was) = (place < width, bit(&before, n));
                assert!(!is_one || (read >> place & 1 == 1) == was, "{width} bits at {start}");
                assert_eq!(bit(&bytes, n), was != is_one, "{width} bits at {start}");
            }
        }
    }

    #[test]
    fn filling_repeats_the_pattern_and_ends_in_zeros() {
        for width in (1..=128).step_by(STEP) {
            for n in [0, 1, 5, 9] {
                let value = 0xfedc_ba98_7654_3210_0123_4567_89ab_cdef & mask(width);
                let mut expected = vec![0; (n * width as usize).div_ceil(8)];
                (0..n).for_each(|i| write(&mut expected, i * width as usize, width, value));
                let mut filled = vec![0xee; expected.len()];
                fill(&mut filled, value, width, n);
                assert_eq!(filled, expected, "{n} elements of {width} bits");
            }
        }
    }
}
