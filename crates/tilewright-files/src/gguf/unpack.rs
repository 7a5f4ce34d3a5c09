//! Taking values out of records, bit by bit.

use std::ops::{BitOrAssign, Shl};

use tilewright::formats::{Field, Record};

/// An unsigned number that values are put together in.
pub(super) trait Word:
    Copy + Default + From<u8> + BitOrAssign + Shl<u32, Output = Self>
{
}

impl<T: Copy + Default + From<u8> + BitOrAssign + Shl<u32, Output = T>> Word for T {}

/// At most eight bits of every value, which lie in one byte.
///
/// Value number `i` has its bits at `base + Σ ((i div d) mod extent) * stride`, as
/// [`Field`] says. The first mode is a loop of its own, since the next byte (`stride == 8`) mostly
/// has the next value, at the same place in the byte. A stride of 1 is one of single bits, as fields
/// do not overlap.
#[derive(Clone, Debug)]
struct Piece {
    base: i64,
    mask: u8,
    shift: u32,
    run: usize,
    stride: i64,
    outer: &'static [(i64, i64)],
}

impl Piece {
    /// `bits` of a field, from bit `first` of its values there; they are bit `shift` of the outcome.
    fn of(field: &Field, first: u32, bits: u32, shift: u32) -> Self {
        let (&(run, stride), outer) = field.modes().split_first().unwrap_or((&(1, 8), &[]));
        Piece {
            base: field.base() + i64::from(first),
            mask: u8::MAX >> 8u32.saturating_sub(bits),
            shift,
            run: usize::try_from(run).unwrap_or(1).max(1),
            stride,
            outer,
        }
    }

    /// Adds the bits to the values of a record.
    fn add<T: Word>(&self, record: &[u8], values: &mut [T]) {
        for (number, run) in values.chunks_mut(self.run).enumerate() {
            let first = self.first_of(number);
            match (self.stride, first % 8) {
                (8, _) => self.add_bytes(record, first, run),
                (1, 0) => self.add_single_bits(record, first, run),
                _ => self.add_bits(record, first, run),
            }
        }
    }

    /// Where run number `number` begins.
    fn first_of(&self, number: usize) -> i64 {
        let mut rest = i64::try_from(number).unwrap_or_default();
        let mut first = self.base;
        for (extent, stride) in self.outer {
            first += rest % extent * stride;
            rest /= extent;
        }
        first
    }

    /// A run of which each value is in the next byte.
    fn add_bytes<T: Word>(&self, record: &[u8], first: i64, run: &mut [T]) {
        let bytes = usize::try_from(first / 8).ok().and_then(|start| record.get(start..));
        for (value, byte) in run.iter_mut().zip(bytes.unwrap_or_default()) {
            *value |= T::from((byte >> (first % 8)) & self.mask) << self.shift;
        }
    }

    /// A run of single bits, eight a byte.
    fn add_single_bits<T: Word>(&self, record: &[u8], first: i64, run: &mut [T]) {
        let bytes = usize::try_from(first / 8).ok().and_then(|start| record.get(start..));
        for (values, byte) in run.chunks_mut(8).zip(bytes.unwrap_or_default()) {
            for (place, value) in values.iter_mut().enumerate() {
                *value |= T::from((byte >> place) & self.mask) << self.shift;
            }
        }
    }

    /// Any other run.
    fn add_bits<T: Word>(&self, record: &[u8], first: i64, run: &mut [T]) {
        let mut bit = first;
        for value in run {
            let byte = usize::try_from(bit / 8).ok().and_then(|place| record.get(place));
            let byte = byte.copied().unwrap_or_default();
            *value |= T::from((byte >> (bit % 8)) & self.mask) << self.shift;
            bit += self.stride;
        }
    }
}

/// What takes the values of one name, or one field of them, out of records of a type.
#[derive(Clone, Debug)]
pub(super) struct Unpacker {
    record_bytes: usize,
    n_values: usize,
    bits: u32,
    pieces: Vec<Piece>,
}

impl Unpacker {
    /// Of the values called `name`, all their bits; or of the field of that name, the bits there.
    /// `None` if the record has neither.
    pub(super) fn of(record: &Record, name: &str) -> Option<Self> {
        let mut parts: Vec<(&Field, u32)> =
            record.parts(name).map(|field| (field, field.shift())).collect();
        if parts.is_empty() {
            parts.push((record.field(name)?, 0));
        }
        let (first, _) = parts.first()?;
        Some(Unpacker {
            record_bytes: usize::try_from(record.bytes()).ok()?,
            n_values: usize::try_from(first.n_values()).ok()?,
            bits: parts.iter().map(|(field, shift)| field.bits() + shift).max()?,
            pieces: parts.into_iter().flat_map(|(field, shift)| pieces(field, shift)).collect(),
        })
    }

    /// The width of a value.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// How many values a record has.
    pub(super) fn n_values(&self) -> usize {
        self.n_values
    }

    /// Takes the values of whole records out, into as many places that are 0.
    pub(super) fn unpack<T: Word>(&self, records: &[u8], values: &mut [T]) {
        let values = values.chunks_exact_mut(self.n_values.max(1));
        for (record, values) in records.chunks_exact(self.record_bytes.max(1)).zip(values) {
            self.pieces.iter().for_each(|piece| piece.add(record, values));
        }
    }
}

/// A field of more than eight bits is whole bytes, each of which is a piece. (No value of fewer
/// crosses a byte; the tests of the tables hold that.)
fn pieces(field: &'static Field, shift: u32) -> impl Iterator<Item = Piece> {
    let piece = move |first: u32| {
        let bits = (field.bits() - first).min(8);
        Piece::of(field, first, bits, shift + first)
    };
    (0..field.bits()).step_by(8).map(piece)
}
