//! Putting values into records, bit by bit: the other way round than `unpack`.

use tilewright::formats::gguf::GgufType;
use tilewright::formats::{Field, Record};

use crate::error::Fault;

/// At most eight bits of one value of a record, which lie in one byte: bits `shift` of the value and up are bits `at`
/// of the byte and up.
struct Place {
    value: usize,
    shift: u32,
    byte: usize,
    at: i64,
    mask: u8,
}

/// Puts the values of one name, or of one field of them, into blocks of a type: in row-major order, all of their bits.
pub(crate) fn set_values(
    gguf_type: &GgufType,
    of: &str,
    values: &[u64],
    blocks: &mut [u8],
) -> Result<(), Fault> {
    let record = gguf_type.record();
    let mut parts: Vec<(&Field, u32)> =
        record.parts(of).map(|field| (field, field.shift())).collect();
    if parts.is_empty() {
        parts.push((gguf_type.field(of)?, 0));
    }
    let bits = parts.iter().map(|(field, shift)| field.bits() + shift).max().unwrap_or(0);
    let n_values = parts.first().map_or(1, |(field, _)| field.n_values());
    check(record, (of, n_values), (values, bits), blocks)?;
    let places: Vec<Place> =
        parts.iter().flat_map(|&(field, shift)| places(field, shift)).collect();
    let n_values = usize::try_from(n_values).unwrap_or(usize::MAX).max(1);
    let record_bytes = usize::try_from(record.bytes()).unwrap_or(usize::MAX).max(1);
    for (record, values) in blocks.chunks_mut(record_bytes).zip(values.chunks(n_values)) {
        places.iter().for_each(|place| place.put(values, record));
    }
    Ok(())
}

/// Refuses values that are too many, too few or too large.
fn check(
    record: &Record,
    (of, n_values): (&str, i64),
    (values, bits): (&[u64], u32),
    blocks: &[u8],
) -> Result<(), Fault> {
    let records = i64::try_from(blocks.len()).unwrap_or(i64::MAX) / record.bytes().max(1);
    let needed = i128::from(records) * i128::from(n_values);
    if needed != values.len() as i128 {
        let given = values.len();
        return Err(Fault::request(format!("the blocks have {needed} values `{of}`, not {given}")));
    }
    match values.iter().find(|value| bits < 64 && **value >> bits != 0) {
        Some(value) => {
            Err(Fault::request(format!("a value `{of}` has {bits} bits, and {value} has more")))
        }
        None => Ok(()),
    }
}

/// Where the bits of each value of a record are. A field of more than eight bits is whole bytes.
fn places(field: &Field, shift: u32) -> impl Iterator<Item = Place> {
    let of_value = move |number: i64| {
        let start = field.bit_of(number).unwrap_or(0);
        (0..field.bits()).step_by(8).map(move |first| {
            let (bit, bits) = (start + i64::from(first), (field.bits() - first).min(8));
            Place {
                value: usize::try_from(number).unwrap_or(usize::MAX),
                shift: shift + first,
                byte: usize::try_from(bit / 8).unwrap_or(usize::MAX),
                at: bit % 8,
                mask: u8::MAX >> (8 - bits),
            }
        })
    };
    (0..field.n_values()).flat_map(of_value)
}

impl Place {
    fn put(&self, values: &[u64], record: &mut [u8]) {
        if let (Some(value), Some(byte)) = (values.get(self.value), record.get_mut(self.byte)) {
            let [lowest, ..] = (value >> self.shift).to_le_bytes();
            *byte = *byte & !(self.mask << self.at) | (lowest & self.mask) << self.at;
        }
    }
}
