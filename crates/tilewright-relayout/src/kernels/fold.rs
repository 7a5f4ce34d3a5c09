//! Packing elements below a byte, and unpacking them, many at a time.
//!
//! `P` elements of `8 / P` bits make a byte, the first in the low bits. They come from `P` rows of
//! bytes, or are neighbours in one. The loops are plain arithmetic on slices, of a form that
//! compilers make vector instructions of; they are compiled for every level.

use super::level::{Level, Task};
use super::register::Register;

/// What to do with rows of bytes that hold an element each.
pub(crate) enum Fold<'t> {
    /// Puts the elements at the same place of `P` rows into a byte.
    Rows { rows: &'t [u8], packed: &'t mut [u8] },
    /// Puts every `P` neighbours into a byte.
    Neighbours { elements: &'t [u8], packed: &'t mut [u8] },
    /// Undoes `Rows`.
    ToRows { packed: &'t [u8], rows: &'t mut [u8] },
    /// Undoes `Neighbours`.
    ToNeighbours { packed: &'t [u8], elements: &'t mut [u8] },
}

/// Where rows lie. Packed bytes follow each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// From one of the rows that make bytes to the next; 1 for neighbours.
    pub(crate) lane: usize,
    /// The packed bytes of a row.
    pub(crate) length: usize,
    /// How far the first of the next rows is.
    pub(crate) step: usize,
}

/// Does it, row by row until the packed bytes end, with the registers there are.
pub(crate) fn fold<const P: usize>(level: Level, fold: Fold<'_>, form: Form) {
    // SAFETY: the task is made of safe code.
    unsafe { level.run(Folding::<P>(fold, form)) };
}

struct Folding<'t, const P: usize>(Fold<'t>, Form);

impl<const P: usize> Task for Folding<'_, P> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        let Folding(fold, form) = self;
        let length = form.length.max(1);
        // The rows from the first byte of each group of them on.
        let start = |group: usize| group * form.step;
        match fold {
            Fold::Rows { rows, packed } => {
                for (group, packed) in packed.chunks_exact_mut(length).enumerate() {
                    fold_rows::<P>(rows.get(start(group)..).unwrap_or_default(), form.lane, packed);
                }
            }
            Fold::Neighbours { elements, packed } => {
                for (group, packed) in packed.chunks_exact_mut(length).enumerate() {
                    let elements = elements.get(start(group)..).unwrap_or_default();
                    fold_neighbours::<P>(elements, packed);
                }
            }
            Fold::ToRows { packed, rows } => {
                for (group, packed) in packed.chunks_exact(length).enumerate() {
                    let rows = rows.get_mut(start(group)..).unwrap_or_default();
                    unfold_rows::<P>(packed, rows, form.lane);
                }
            }
            Fold::ToNeighbours { packed, elements } => {
                for (group, packed) in packed.chunks_exact(length).enumerate() {
                    let elements = elements.get_mut(start(group)..).unwrap_or_default();
                    unfold_neighbours::<P>(packed, elements);
                }
            }
        }
    }
}

/// The bits of an element.
const fn mask<const P: usize>() -> u8 {
    u8::MAX >> (8 - 8 / P)
}

#[inline(always)]
fn fold_rows<const P: usize>(rows: &[u8], step: usize, packed: &mut [u8]) {
    let length = packed.len();
    let mut lanes: [&[u8]; P] = [&[]; P];
    for (row, lane) in lanes.iter_mut().enumerate() {
        *lane = rows.get(row * step..).and_then(|row| row.get(..length)).unwrap_or_default();
    }
    if lanes.iter().any(|lane| lane.len() != length) {
        return;
    }
    for place in 0..length {
        let mut byte = 0;
        for (row, lane) in lanes.iter().enumerate() {
            byte |= (lane[place] & mask::<P>()) << (row * 8 / P);
        }
        packed[place] = byte;
    }
}

#[inline(always)]
fn unfold_rows<const P: usize>(packed: &[u8], rows: &mut [u8], step: usize) {
    for row in 0..P {
        let lane = rows.get_mut(row * step..).and_then(|row| row.get_mut(..packed.len()));
        for (element, byte) in lane.unwrap_or_default().iter_mut().zip(packed) {
            *element = (byte >> (row * 8 / P)) & mask::<P>();
        }
    }
}

/// Numbers of 64 bits have the elements of several bytes; shifting brings those of a byte together.
#[inline(always)]
fn fold_neighbours<const P: usize>(elements: &[u8], packed: &mut [u8]) {
    match P {
        2 => for_groups(elements, packed, |group: [u8; 2]| {
            let pair = u16::from_le_bytes(group) & 0x0f0f;
            (pair | pair >> 4) as u8
        }),
        4 => for_groups(elements, packed, |group: [u8; 4]| {
            let four = u32::from_le_bytes(group) & 0x0303_0303;
            let two = four | four >> 6;
            (two | two >> 12) as u8
        }),
        _ => for_groups(elements, packed, |group: [u8; 8]| {
            let eight = u64::from_le_bytes(group) & 0x0101_0101_0101_0101;
            let four = eight | eight >> 7;
            let two = four | four >> 14;
            (two | two >> 28) as u8
        }),
    }
}

#[inline(always)]
fn for_groups<const G: usize>(elements: &[u8], packed: &mut [u8], byte: impl Fn([u8; G]) -> u8) {
    for (place, group) in packed.iter_mut().zip(elements.as_chunks::<G>().0) {
        *place = byte(*group);
    }
}

#[inline(always)]
fn unfold_neighbours<const P: usize>(packed: &[u8], elements: &mut [u8]) {
    match P {
        2 => for_bytes(packed, elements, |byte| {
            let byte = u16::from(byte);
            ((byte | byte << 4) & 0x0f0f).to_le_bytes()
        }),
        4 => for_bytes(packed, elements, |byte| {
            let byte = u32::from(byte);
            let two = byte | byte << 12;
            ((two | two << 6) & 0x0303_0303).to_le_bytes()
        }),
        _ => for_bytes(packed, elements, |byte| {
            let byte = u64::from(byte);
            let two = byte | byte << 28;
            let four = two | two << 14;
            ((four | four << 7) & 0x0101_0101_0101_0101).to_le_bytes()
        }),
    }
}

#[inline(always)]
fn for_bytes<const G: usize>(packed: &[u8], elements: &mut [u8], group: impl Fn(u8) -> [u8; G]) {
    for (place, byte) in elements.as_chunks_mut::<G>().0.iter_mut().zip(packed) {
        *place = group(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;

    fn pattern(n: usize) -> Vec<u8> {
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    fn check<const P: usize>(length: usize) {
        let width = 8 / P as u32;
        let (step, stray) = (length + 5, pattern(P * (length + 5)));
        let clean: Vec<u8> = stray.iter().map(|element| element & mask::<P>()).collect();
        // By the definition of packed elements, one at a time.
        let packed_of = |element: &dyn Fn(usize, usize) -> u8| {
            let mut packed = vec![0; length];
            for (place, lane) in (0..length).flat_map(|place| (0..P).map(move |lane| (place, lane)))
            {
                let start = (place * P + lane) * width as usize;
                bits::write(&mut packed, start, width, element(place, lane).into());
            }
            packed
        };
        let of_rows = packed_of(&|place, lane| clean[lane * step + place]);
        let of_neighbours = packed_of(&|place, lane| clean[place * P + lane]);
        let form = Form { lane: step, length, step: 0 };
        let beside = Form { lane: 1, ..form };
        for level in Level::all() {
            let mut packed = vec![0xee; length];
            fold::<P>(level, Fold::Rows { rows: &stray, packed: &mut packed }, form);
            assert_eq!(packed, of_rows, "{P} rows of {length}, {level:?}");
            let mut rows = clean.clone();
            (0..P).for_each(|row| rows[row * step..][..length].fill(0xee));
            fold::<P>(level, Fold::ToRows { packed: &of_rows, rows: &mut rows }, form);
            assert_eq!(rows, clean, "{length} to {P} rows, {level:?}");
            let elements = &stray[..P * length];
            fold::<P>(level, Fold::Neighbours { elements, packed: &mut packed }, beside);
            assert_eq!(packed, of_neighbours, "{length} times {P} neighbours, {level:?}");
            let mut elements = vec![0xee; P * length];
            let packed = &of_neighbours;
            fold::<P>(level, Fold::ToNeighbours { packed, elements: &mut elements }, beside);
            assert_eq!(elements, clean[..P * length], "{length} to {P} neighbours, {level:?}");
        }
    }

    /// Several groups of rows at once are those groups in turn.
    #[test]
    fn groups_of_rows() {
        let rows: Vec<u8> = pattern(400).iter().map(|element| element & 15).collect();
        let form = Form { lane: 20, length: 20, step: 40 };
        let mut packed = vec![0; 200];
        fold::<2>(Level::best(), Fold::Rows { rows: &rows, packed: &mut packed }, form);
        for (packed, rows) in packed.chunks(20).zip(rows.chunks(40)) {
            let pairs = rows[..20].iter().zip(&rows[20..]);
            assert_eq!(packed, pairs.map(|(low, high)| low | high << 4).collect::<Vec<u8>>());
        }
        let mut back = vec![0; 400];
        fold::<2>(Level::best(), Fold::ToRows { packed: &packed, rows: &mut back }, form);
        assert_eq!(back, rows);
    }

    #[test]
    fn folding_is_packing_one_by_one() {
        for length in [0, 1, 3, 16, 63, 64, 65, 200] {
            check::<2>(length);
            check::<4>(length);
            check::<8>(length);
        }
    }
}
