//! Codes in parts: some bits of each in one place, the others elsewhere, and each part a layout.
//!
//! GGUF's Q6_K has four bits of a code among 128 bytes, and two in the 64 bytes behind them:
//!
//! ```text
//! bits 0 to 3 of code i     (64,2,2):(8,4,512)             i % 64 8 + i / 64 % 2 4 + i / 128 512
//! bits 4 and 5              (32,4,2):(8,2,256) from 1024
//! ```
//!
//! No layout over the code and its bit says both, since the bits go on otherwise along the codes. So the bits are cut
//! where one does not follow the one before at every element, and each run of bits that is left is a field.
//!
//! Where elements repeat, so many of them so many bytes on, they are records
//! ([`tilewright::formats::Record`] is what a format says of the same).

use tilewright::Error;
use tilewright::map::{Fitted, fit};
use tilewright::tla::{Int, Stride};

/// Some neighbouring bits of all codes, and where they are.
#[derive(Clone, Debug, PartialEq)]
pub struct BitField {
    /// Which bit of the code is the lowest of these.
    pub shift: u32,
    /// How many there are, side by side in memory.
    pub bits: u32,
    /// Where the lowest of them is, in bits, over the dimensions of the codes.
    pub fitted: Fitted,
}

/// The codes of a number of neighbouring elements, which a number of bytes hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// How many elements.
    pub elements: i64,
    /// How many bytes.
    pub bytes: i64,
    /// The bits of a code, low ones first.
    pub fields: Vec<RecordField>,
}

/// Some neighbouring bits of each code of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// Which bit of the code is the lowest of these.
    pub shift: u32,
    /// How many there are, side by side in memory.
    pub bits: u32,
    /// Where those of the first element begin, in bits from the start of the record.
    pub base: i64,
    /// Extents, and strides in bits, of which the first varies fastest.
    pub modes: Vec<(i64, i64)>,
}

/// A run of bits that are side by side in every code: the lowest, how many, and where that is of each element.
struct Run {
    shift: u32,
    bits: u32,
    places: Vec<i64>,
}

/// The fields of codes whose bits are at `places`, that of bit `b` of element `i` at `i * bits + b`; `None` if one of
/// them has no layout.
pub(crate) fn find(
    dims: &[i64],
    bits: u32,
    places: &[i64],
) -> Result<Option<Vec<BitField>>, Error> {
    let mut fields = Vec::new();
    for Run { shift, bits, places } in runs(bits, places) {
        match fit(dims, &places)? {
            Ok(fitted) => fields.push(BitField { shift, bits, fitted }),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(fields))
}

/// The record that rows consist of: the fewest elements of which whole rows consist, and after which every bit is so
/// many whole bytes on. `None` if there are none, or if the fields within one have no layout.
pub(crate) fn record(
    dims: &[i64],
    bits: u32,
    places: &[i64],
    allocation_bits: i64,
) -> Result<Option<Record>, Error> {
    let row = dims.last().copied().unwrap_or(1);
    let n: i64 = dims.iter().product();
    for elements in (1..=row).filter(|elements| row % elements == 0) {
        let Some(bytes) = bytes_of(n / elements, allocation_bits) else { continue };
        if repeats(places, elements.saturating_mul(i64::from(bits)), 8 * bytes) {
            let fields = within(elements, bits, places)?;
            return Ok(fields.map(|fields| Record { elements, bytes, fields }));
        }
    }
    Ok(None)
}

/// The bytes of each of so many records, if they are whole and alike.
fn bytes_of(records: i64, allocation_bits: i64) -> Option<i64> {
    let bits = (records > 0 && allocation_bits % records == 0).then(|| allocation_bits / records);
    bits.filter(|bits| bits % 8 == 0).map(|bits| bits / 8)
}

/// Whether the places `period` on are `further` on, from the first to the last.
fn repeats(places: &[i64], period: i64, further: i64) -> bool {
    let later = places.iter().skip(usize::try_from(period).unwrap_or(usize::MAX));
    places.iter().zip(later).all(|(place, later)| place.checked_add(further) == Some(*later))
}

/// The fields of the first record.
fn within(elements: i64, bits: u32, places: &[i64]) -> Result<Option<Vec<RecordField>>, Error> {
    let all = elements.saturating_mul(i64::from(bits));
    let first = places.get(..usize::try_from(all).unwrap_or(usize::MAX)).unwrap_or(places);
    let fields = find(&[elements], bits, first)?;
    let field = |BitField { shift, bits, fitted }: BitField| RecordField {
        shift,
        bits,
        base: fitted.base,
        modes: modes(&fitted),
    };
    Ok(fields.map(|fields| fields.into_iter().map(field).collect()))
}

/// The extents and strides of a layout of one dimension.
fn modes(fitted: &Fitted) -> Vec<(i64, i64)> {
    let extents = fitted.layout.shape().leaves().map(|extent| extent.value());
    let strides = fitted.layout.stride().leaves().map(Stride::elements);
    let strides = strides.map(|stride| stride.map_or(0, Int::value));
    extents.zip(strides).filter(|(extent, _)| *extent != 1).collect()
}

/// Bits that follow each other in every code, in as few runs as there are.
fn runs(bits: u32, places: &[i64]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for bit in 0..bits {
        let step = usize::try_from(bits).unwrap_or(usize::MAX);
        let first = usize::try_from(bit).unwrap_or(usize::MAX);
        let places: Vec<i64> = places.iter().skip(first).step_by(step).copied().collect();
        match runs.last_mut().filter(|run| follows(run, &places)) {
            Some(run) => run.bits += 1,
            None => runs.push(Run { shift: bit, bits: 1, places }),
        }
    }
    runs
}

fn follows(run: &Run, places: &[i64]) -> bool {
    let next = i64::from(run.bits);
    run.places.iter().zip(places).all(|(first, place)| first.checked_add(next) == Some(*place))
}

impl RecordField {
    /// `bits 4-5 of each code (32,4,2):(8,2,256) from bit 1024`.
    pub(crate) fn text(&self) -> String {
        let list = |numbers: Vec<String>| match &numbers[..] {
            [one] => one.clone(),
            _ => format!("({})", numbers.join(",")),
        };
        let extents = list(self.modes.iter().map(|mode| mode.0.to_string()).collect());
        let strides = list(self.modes.iter().map(|mode| mode.1.to_string()).collect());
        format!("{} {extents}:{strides} from bit {}", named(self.shift, self.bits), self.base)
    }
}

impl BitField {
    /// `bits 4-5 (2,(32,4,2)):(1680,(8,2,256)) from bit 1024`.
    pub(crate) fn text(&self) -> String {
        let Fitted { base, layout } = &self.fitted;
        format!("{} {layout} from bit {base}", named(self.shift, self.bits))
    }
}

fn named(shift: u32, bits: u32) -> String {
    match bits {
        1 => format!("bit {shift}"),
        _ => format!("bits {shift}-{}", shift + bits - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two codes of three bits a byte: two bits of each below, and both upper bits above.
    #[test]
    fn bits_are_cut_where_they_do_not_follow() {
        let places = [0, 1, 4, 2, 3, 5, 8, 9, 12, 10, 11, 13];
        let fields = find(&[4], 3, &places).unwrap().unwrap();
        let said = |field: &BitField| (field.shift, field.bits, field.fitted.base);
        assert_eq!(fields.iter().map(said).collect::<Vec<_>>(), [(0, 2, 0), (2, 1, 4)]);
        let record = record(&[4], 3, &places, 16).unwrap().unwrap();
        assert_eq!((record.elements, record.bytes), (2, 1));
        assert_eq!(record.fields[1].text(), "bit 2 2:1 from bit 4");
        assert_eq!(record.fields[0].modes, [(2, 2)]);
    }

    #[test]
    fn rows_that_are_padded_are_no_records() {
        let in_rows = [0, 1, 2, 8, 9, 10];
        assert_eq!(record(&[2, 3], 1, &in_rows, 16).unwrap().unwrap().elements, 3);
        assert_eq!(record(&[2, 3], 1, &[0, 1, 2, 8, 9, 11], 16).unwrap(), None);
        assert_eq!(record(&[2, 3], 1, &in_rows, 17).unwrap(), None);
    }
}
