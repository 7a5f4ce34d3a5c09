//! The format that a TPU's compiler gives an array, and what else it could have.

use serde::{Deserialize, Serialize};
use tilewright::ArrayShape;
use tilewright::formats::catalogue::fitting;
use tilewright::formats::tpu::{
    Candidate, Chip, argument_bytes, candidates, compared_shape, default_shape, padding_in_words,
};
use tilewright::notation::Described;
use tilewright::xla::Layout;

use crate::error::Error;
use crate::subject::Reader;

/// What format does a TPU's compiler give an array?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tpu {
    /// The array; what layout it has does not matter.
    pub shape: String,
    /// The generation, such as `v5e`; all of them where it is not said.
    #[serde(default)]
    pub chip: Option<String>,
}

/// What a generation does with an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OnChip {
    /// The generation.
    pub chip: &'static str,
    /// The array with its layout there.
    pub text: String,
    /// What the device takes.
    pub bytes: i64,
    /// How many of these are padding.
    #[serde(skip)]
    pub padding: i64,
}

/// One generation or all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OnChips {
    /// The one that was asked for.
    One(OnChip),
    /// All of them, the oldest first.
    All(Vec<OnChip>),
}

impl Tpu {
    /// The answer.
    ///
    /// # Errors
    /// If the text says no array, there is no such generation, or it has no format for the array.
    pub fn answer(&self, reader: Reader<'_>) -> Result<OnChips, Error> {
        let shape = reader.xla_array(&self.shape)?;
        if let Some(name) = &self.chip {
            return Ok(OnChips::One(OnChip::of(&shape, name.parse()?)?));
        }
        let all = Chip::ALL.into_iter().map(|chip| OnChip::of(&shape, chip));
        Ok(OnChips::All(all.collect::<Result<_, _>>()?))
    }
}

impl OnChip {
    fn of(shape: &ArrayShape, chip: Chip) -> Result<Self, Error> {
        let shape = default_shape(shape, chip)?;
        let bytes = argument_bytes(&shape)?;
        let padding = bytes - shape.logical_bytes()?;
        Ok(OnChip { chip: chip.name(), text: shape.to_string(), bytes, padding })
    }
}

/// What formats could an array have, the best first: on a TPU, or of those with names?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Formats {
    /// The array, in the format that all are compared with, or without one.
    pub shape: String,
    /// The generation, such as `v5e`; where none is said, the formats are those of the catalogue that the array can
    /// have.
    #[serde(default)]
    pub chip: Option<String>,
}

/// A format that an array could have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Format {
    /// The array with its layout.
    pub text: String,
    /// What it takes.
    pub bytes: i64,
    /// How many of these are padding.
    pub padding_bytes: i64,
    /// What a relayout to this format reads and writes; 0 where memory stays as it is.
    pub moves_bytes: i64,
    /// Whether memory stays as it is.
    pub bitcast: bool,
    /// How much the layout differs from the one that it is compared with.
    pub distance: u32,
    /// What the tile pads, in words.
    pub reason: String,
}

/// What an array could have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FormatList {
    /// The formats, the best first.
    pub formats: Vec<Format>,
    /// The array in the format that all are compared with.
    #[serde(skip)]
    pub from: ArrayShape,
}

impl Formats {
    /// The answer.
    ///
    /// # Errors
    /// If the text says no array, there is no such generation, or it has no format for the array.
    pub fn answer(&self, reader: Reader<'_>) -> Result<FormatList, Error> {
        let Some(chip) = &self.chip else { return named(&reader.read(&self.shape)?) };
        let chip: Chip = chip.parse()?;
        let from = compared_shape(&reader.xla_array(&self.shape)?, chip)?;
        let formats = candidates(&from, chip)?;
        let formats = formats.iter().map(Format::of).collect::<Result<_, _>>()?;
        Ok(FormatList { formats, from })
    }
}

/// The layouts of the catalogue that an array can have, compared with its elements one behind the other.
fn named(said: &Described) -> Result<FormatList, Error> {
    let Some(element_type) = said.element_type() else {
        return Err(Error::message(&format!(
            "`{said}` says no element type, on which layouts depend"
        )));
    };
    let map = said.index_map()?;
    let dense = match element_type.bits() {
        bits if bits < 8 => Layout::descending(map.dims().len()).with_element_size_in_bits(bits),
        _ => Layout::descending(map.dims().len()),
    };
    let from = ArrayShape::new(element_type, map.dims())?.with_layout(dense)?;
    let dense = from.index_map()?;
    let mut formats = Vec::new();
    for array in fitting(element_type, map.dims()) {
        let (map, bits) = (array.index_map(), array.element_bits());
        let (bytes, own) = (map.bytes(bits)?, from.logical_bytes()?);
        let bitcast = map.same_as(&dense)? && array.xor_mask() == 0;
        formats.push(Format {
            text: array.to_string(),
            bytes,
            padding_bytes: bytes - own,
            moves_bytes: if bitcast { 0 } else { own + bytes },
            bitcast,
            distance: 0,
            reason: format!("{}, stored as {}", array.layout().entry().summary, array.carrier()),
        });
    }
    formats.sort_by_key(|format| format.bytes);
    Ok(FormatList { formats, from })
}

impl Format {
    fn of(candidate: &Candidate) -> Result<Self, Error> {
        Ok(Format {
            text: candidate.shape.to_string(),
            bytes: candidate.bytes,
            padding_bytes: candidate.padding_bytes,
            moves_bytes: candidate.moves_bytes,
            bitcast: candidate.is_bitcast,
            distance: candidate.distance,
            reason: padding_in_words(&candidate.shape)?,
        })
    }
}
