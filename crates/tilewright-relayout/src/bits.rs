//! Elements that are not whole bytes: reading, writing, packing, unpacking.
//!
//! A packed buffer is a stream of bits: bit `n` is bit `n mod 8` of byte `n div 8`, and element
//! `i` of width `w` is bits `i·w` to `(i + 1)·w`, its low bit first.

/// A width of elements of which several make a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubByte {
    One,
    Two,
    Four,
}

impl SubByte {
    /// Elements of so many bits, if they are such.
    pub(crate) fn of(bits: u32) -> Option<Self> {
        match bits {
            1 => Some(SubByte::One),
            2 => Some(SubByte::Two),
            4 => Some(SubByte::Four),
            _ => None,
        }
    }

    /// The number of elements in a byte.
    pub(crate) fn per_byte(self) -> i64 {
        match self {
            SubByte::One => 8,
            SubByte::Two => 4,
            SubByte::Four => 2,
        }
    }
}

/// A number whose low `bits` bits are set; all of them from 128 on.
pub(crate) fn mask(bits: u32) -> u128 {
    1u128.checked_shl(bits).map_or(u128::MAX, |next| next - 1)
}

/// The `width` bits (1 to 128) from bit `start` on. Bits beyond the buffer read as zero.
pub(crate) fn read(bytes: &[u8], start: usize, width: u32) -> u128 {
    let shift = (start % 8) as u32;
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
pub(crate) fn write(bytes: &mut [u8], start: usize, width: u32, value: u128) {
    let shift = (start % 8) as u32;
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

/// Copies `n` bits, from bit `from` on, to bit `to` on, and leaves the bits around them as they are.
/// What does not lie within both buffers is not copied at all.
pub(crate) fn copy(src: &[u8], from: usize, dst: &mut [u8], to: usize, n: usize) {
    if !(holds(src, from, n) && holds(dst, to, n)) {
        return;
    }
    let head = (to.next_multiple_of(8) - to).min(n);
    put(dst, to, head, word(src, from / 8, from % 8));
    let (mut from, mut to, mut n) = (from + head, to + head, n - head);
    let (first, words) = (from / 8, n / 64);
    let body = &mut dst[to / 8..to / 8 + 8 * words];
    match from % 8 {
        0 => body.copy_from_slice(&src[first..first + 8 * words]),
        shift if words > 0 => copy_shifted(&src[first..=first + 8 * words], shift as u32, body),
        _ => {}
    }
    (from, to, n) = (from + 64 * words, to + 64 * words, n % 64);
    put(dst, to, n.min(WORD), word(src, from / 8, from % 8));
    if n > WORD {
        put(dst, to + WORD, n - WORD, word(src, (from + WORD) / 8, (from + WORD) % 8));
    }
}

/// The same to a row that begins at byte `to` and has room for whole words of 64 bits: what is behind the `n` bits may change.
#[inline]
pub(crate) fn copy_to_row(src: &[u8], from: usize, dst: &mut [u8], to: usize, n: usize) {
    let (first, bytes) = (from / 8, n.div_ceil(64) * 8);
    let (Some(src_words), Some(row)) =
        (src.get(first..first + bytes + 1), dst.get_mut(to..to + bytes))
    else {
        return copy(src, from, dst, 8 * to, n);
    };
    match (from % 8) as u32 {
        0 => row.copy_from_slice(&src_words[..bytes]),
        shift => copy_shifted(src_words, shift, row),
    }
}

/// Whether a buffer has `n` bits from bit `start` on.
fn holds(bytes: &[u8], start: usize, n: usize) -> bool {
    start.saturating_add(n).div_ceil(8) <= bytes.len()
}

/// Puts bits into a buffer, row by row. Where rows follow each other, what they share is not read
/// again.
pub(crate) struct Rows<'d> {
    dst: &'d mut [u8],
    /// The last bits, which are not in the buffer yet, and how many: fewer than 64.
    pending: u64,
    n_pending: usize,
    /// The byte where they go.
    byte: usize,
}

impl<'d> Rows<'d> {
    /// Longer rows are copied alone.
    const LONG: usize = 512;

    /// No bits, and where no row goes on.
    const NOTHING: (u64, usize, usize) = (0, 0, usize::MAX / 16);

    pub(crate) fn new(dst: &'d mut [u8]) -> Self {
        let (pending, n_pending, byte) = Self::NOTHING;
        Rows { dst, pending, n_pending, byte }
    }

    /// Copies rows of `n` bits, each from a bit of `src` on and to a bit of the buffer on, as [`copy`]
    /// does; they need not be there before [`finish`](Self::finish).
    #[inline]
    pub(crate) fn copy(
        &mut self,
        src: &[u8],
        n: usize,
        rows: impl Iterator<Item = (usize, usize)>,
    ) {
        // What is pending stays in registers.
        let (mut pending, mut n_pending, mut byte) = (self.pending, self.n_pending, self.byte);
        for (from, to) in rows {
            let goes_on = to == byte * 8 + n_pending;
            if !goes_on {
                put_pending(self.dst, byte, pending, n_pending);
                (pending, n_pending, byte) = Self::NOTHING;
            }
            if n > Self::LONG || !(holds(src, from, n) && holds(self.dst, to, n)) {
                put_pending(self.dst, byte, pending, n_pending);
                (pending, n_pending, byte) = Self::NOTHING;
                copy(src, from, self.dst, to, n);
                continue;
            }
            if !goes_on {
                (byte, n_pending) = (to / 8, to % 8);
                let before = self.dst.get(byte).copied().unwrap_or(0);
                pending = u64::from(before) & ((1 << n_pending) - 1);
            }
            let (first, shift) = (from / 8, from % 8);
            let (n_words, mut done) = (n / 64, 0);
            if n_words > 0
                && let Some(row) = src.get(first..first + 8 * n_words + 1)
                && let Some(places) = self.dst.get_mut(byte..byte + 8 * n_words)
            {
                let words = shifted(row, shift as u32);
                for (place, bits) in places.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                    *place = (pending | bits << n_pending).to_le_bytes();
                    // What did not fit: none of it, if nothing was pending.
                    pending = bits >> 1 >> (63 - n_pending);
                }
                (byte, done) = (byte + 8 * n_words, 64 * n_words);
            }
            while done < n {
                // Whole bytes at a time: the shift stays the same.
                let part = (n - done).min(PART);
                let bits = word(src, first + done / 8, shift) & ((1 << part) - 1);
                done += part;
                pending |= bits << n_pending;
                let all = n_pending + part;
                if all < 64 {
                    n_pending = all;
                    continue;
                }
                let rest = self.dst.get_mut(byte..).and_then(<[u8]>::first_chunk_mut);
                if let Some(place) = rest {
                    *place = pending.to_le_bytes();
                }
                byte += 8;
                // At least 8 of the bits, of at most 56, are in place.
                pending = bits >> (64 - n_pending);
                n_pending = all - 64;
            }
        }
        (self.pending, self.n_pending, self.byte) = (pending, n_pending, byte);
    }

    /// The same of rows of at most `PART` bits that follow each other in the buffer, `step`
    /// bits apart in the source, which has 8 bytes from each on.
    #[inline]
    fn copy_following(&mut self, src: &[u8], n: usize, mut from: usize, step: usize, count: usize) {
        let (mut pending, mut n_pending, mut byte) = (self.pending, self.n_pending, self.byte);
        let mask = (1u64 << n) - 1;
        for _ in 0..count {
            let bits = word(src, from / 8, from % 8) & mask;
            from += step;
            pending |= bits << n_pending;
            n_pending += n;
            if n_pending >= 64 {
                let rest = self.dst.get_mut(byte..).and_then(<[u8]>::first_chunk_mut);
                if let Some(place) = rest {
                    *place = pending.to_le_bytes();
                }
                byte += 8;
                n_pending -= 64;
                pending = bits >> (n - n_pending);
            }
        }
        (self.pending, self.n_pending, self.byte) = (pending, n_pending, byte);
    }

    /// Copies `count` rows of `n` bits, so many bits apart on either side.
    #[inline]
    pub(crate) fn copy_strided(
        &mut self,
        src: &[u8],
        n: usize,
        (from, to): (usize, usize),
        (src_step, dst_step): (i64, i64),
        count: usize,
    ) {
        if n <= PART && dst_step == n as i64 && src_step >= 0 && count > 1 {
            let step = src_step as usize;
            let last = from.saturating_add(step.saturating_mul(count - 1));
            if last / 8 + 8 <= src.len() && holds(self.dst, to, n.saturating_mul(count)) {
                self.copy(src, n, std::iter::once((from, to)));
                return self.copy_following(src, n, from + step, step, count - 1);
            }
        }
        let rows = (0..count as i64).map(|row| {
            let (src, dst) = (row * src_step, row * dst_step);
            (from.wrapping_add_signed(src as isize), to.wrapping_add_signed(dst as isize))
        });
        self.copy(src, n, rows);
    }

    /// Puts what is left in place.
    pub(crate) fn finish(self) {
        put_pending(self.dst, self.byte, self.pending, self.n_pending);
    }
}

/// Puts fewer than 64 bits in place, from a byte on.
#[inline]
fn put_pending(dst: &mut [u8], byte: usize, pending: u64, n: usize) {
    // In one store: a second one would wait for the first, whose bytes it would have to read.
    put(dst, byte * 8, n, pending);
}

/// The bits that a word has from any bit of a byte on.
const WORD: usize = 57;

/// Those of them that are whole bytes.
const PART: usize = 56;

/// At least [`WORD`] bits from bit `shift` of a byte on, where there are as many.
#[inline]
fn word(src: &[u8], byte: usize, shift: usize) -> u64 {
    let rest = src.get(byte..).unwrap_or_default();
    let bytes = match rest.first_chunk() {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            bytes
        }
    };
    u64::from_le_bytes(bytes) >> shift
}

/// Puts up to [`WORD`] bits in place; from the beginning of a byte on, up to 63.
#[inline]
fn put(dst: &mut [u8], to: usize, n: usize, bits: u64) {
    let (mask, shift) = ((1u64 << n) - 1, to % 8);
    let put = |bytes: &mut [u8; 8]| {
        let before = u64::from_le_bytes(*bytes);
        *bytes = (before & !(mask << shift) | (bits & mask) << shift).to_le_bytes();
    };
    let rest = dst.get_mut(to / 8..).unwrap_or_default();
    if let Some(bytes) = rest.first_chunk_mut() {
        return put(bytes);
    }
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(&*rest).for_each(|(to, from)| *to = *from);
    put(&mut bytes);
    rest.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
}

/// Copies words of a stream of bits from bit `shift` of its first byte on, which has one byte more.
fn copy_shifted(src: &[u8], shift: u32, dst: &mut [u8]) {
    for (place, word) in dst.as_chunks_mut::<8>().0.iter_mut().zip(shifted(src, shift)) {
        *place = word.to_le_bytes();
    }
}

/// The words of a stream of bits from bit `shift` (0 to 7) of its first byte on, which has one byte more.
#[inline]
fn shifted(src: &[u8], shift: u32) -> impl Iterator<Item = u64> {
    let next = src.get(1..).unwrap_or_default();
    // Words that overlap by all but a byte: no bits cross from word to word, and what both have is the same.
    let pairs = src.as_chunks::<8>().0.iter().zip(next.as_chunks::<8>().0);
    pairs.map(move |(low, high)| {
        u64::from_le_bytes(*low) >> shift | u64::from_le_bytes(*high) << (8 - shift)
    })
}

/// Packs elements of `width` bits, given in the low bits of a byte each. Higher bits are cut off.
/// What is left of the last byte is zero.
pub(crate) fn pack(elements: &[u8], width: u32, packed: &mut [u8]) {
    match width {
        1 => pack_groups::<8>(elements, packed, |group| {
            let ones = u64::from_le_bytes(group) & 0x0101_0101_0101_0101;
            (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
        }),
        2 => pack_groups::<4>(elements, packed, |group| {
            let pairs = u32::from_le_bytes(group) & 0x0303_0303;
            (pairs.wrapping_mul(0x0104_1040) >> 24) as u8
        }),
        4 => pack_groups::<2>(elements, packed, |[low, high]| low & 15 | high << 4),
        8 => packed.iter_mut().zip(elements).for_each(|(byte, element)| *byte = *element),
        _ => pack_stream(elements.iter().map(|&element| u128::from(element)), width, packed),
    }
}

/// Packs a byte from every `N` elements; the last group is filled up with zeros.
fn pack_groups<const N: usize>(elements: &[u8], packed: &mut [u8], byte: impl Fn([u8; N]) -> u8) {
    let (groups, rest) = elements.as_chunks::<N>();
    for (place, group) in packed.iter_mut().zip(groups) {
        *place = byte(*group);
    }
    if let Some(place) = packed.get_mut(groups.len()) {
        let mut last = [0; N];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        *place = byte(last);
    }
}

/// Packs elements of any width, 1 to 128 bits. What is left of the buffer is zero.
pub(crate) fn pack_stream(elements: impl Iterator<Item = u128>, width: u32, packed: &mut [u8]) {
    let mut stream = Stream { pending: 0, n_pending: 0, places: packed.iter_mut() };
    for element in elements {
        stream.push(element as u64, width.min(64));
        if width > 64 {
            stream.push((element >> 64) as u64, width - 64);
        }
    }
    stream.finish();
}

/// Bits on their way into bytes.
struct Stream<'a> {
    pending: u128,
    /// Below 8 between pushes.
    n_pending: u32,
    places: std::slice::IterMut<'a, u8>,
}

impl Stream<'_> {
    fn push(&mut self, value: u64, width: u32) {
        self.pending |= (u128::from(value) & mask(width)) << self.n_pending;
        self.n_pending += width;
        while self.n_pending >= 8 {
            self.flush();
            self.n_pending -= 8;
        }
    }

    fn flush(&mut self) {
        if let Some(place) = self.places.next() {
            *place = self.pending as u8;
        }
        self.pending >>= 8;
    }

    fn finish(mut self) {
        self.flush();
        self.places.for_each(|place| *place = 0);
    }
}

/// Unpacks elements of `width` bits (1 to 8), from bit `start` on, into a byte each under zeros.
/// Elements beyond the buffer read as zero.
pub(crate) fn unpack(packed: &[u8], start: usize, width: u32, elements: &mut [u8]) {
    let first = start / width.max(1) as usize;
    match width {
        8 if start.is_multiple_of(8) => unpack_groups::<1>(packed, first, elements, |byte| [byte]),
        1 | 2 | 4 if !start.is_multiple_of(width as usize) => {
            unpack_stream(packed, start, width, elements);
        }
        1 => unpack_groups::<8>(packed, first, elements, |byte| {
            let spread = (u64::from(byte) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            ((spread + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101).to_le_bytes()
        }),
        2 => unpack_groups::<4>(packed, first, elements, |byte| {
            [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6]
        }),
        4 => unpack_groups::<2>(packed, first, elements, |byte| [byte & 15, byte >> 4]),
        _ => unpack_stream(packed, start, width, elements),
    }
}

fn unpack_stream(packed: &[u8], start: usize, width: u32, elements: &mut [u8]) {
    for (element, place) in elements.iter_mut().zip((start..).step_by(width as usize)) {
        *element = read(packed, place, width) as u8;
    }
}

/// Unpacks `N` elements from every byte.
fn unpack_groups<const N: usize>(
    packed: &[u8],
    first: usize,
    elements: &mut [u8],
    group: impl Fn(u8) -> [u8; N],
) {
    let mut bytes = packed.iter().skip(first / N).copied();
    let (head, rest) = elements.split_at_mut(((N - first % N) % N).min(elements.len()));
    if !head.is_empty() {
        let group = group(bytes.next().unwrap_or(0));
        head.iter_mut().zip(group.iter().skip(first % N)).for_each(|(to, from)| *to = *from);
    }
    let (groups, tail) = rest.as_chunks_mut::<N>();
    for place in groups {
        *place = group(bytes.next().unwrap_or(0));
    }
    let group = group(bytes.next().unwrap_or(0));
    tail.iter_mut().zip(group).for_each(|(to, from)| *to = from);
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
    pack_stream(std::iter::repeat_n(pattern, 8), width, period);
    repeat(bytes, period);
    let used = n_elements.saturating_mul(width as usize);
    let tail = bytes.len().saturating_mul(8).saturating_sub(used).min(128);
    write_zeros(bytes, used, tail as u32);
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

    #[test]
    fn every_packer_agrees_with_writing_one_by_one() {
        for width in 1..=8 {
            for n in [0, 1, 3, 8, 17, if cfg!(miri) { 9 } else { 64 }] {
                let elements = pattern(n);
                let mut expected = vec![0; (n * width as usize).div_ceil(8)];
                for (i, &element) in elements.iter().enumerate() {
                    write(&mut expected, i * width as usize, width, element.into());
                }
                let mut packed = vec![0xff; expected.len()];
                pack(&elements, width, &mut packed);
                assert_eq!(packed, expected, "{n} elements of {width} bits");
                for first in (0..n).step_by(if cfg!(miri) { 5 } else { 1 }) {
                    let mut unpacked = vec![0; n - first];
                    unpack(&packed, first * width as usize, width, &mut unpacked);
                    let cut = |e: &u8| e & mask(width) as u8;
                    let elements: Vec<u8> = elements[first..].iter().map(cut).collect();
                    assert_eq!(unpacked, elements, "{width} bits from {first}");
                }
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
