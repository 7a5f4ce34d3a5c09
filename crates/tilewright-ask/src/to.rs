//! A layout in another notation.

use serde::{Deserialize, Serialize};
use tilewright::map;
use tilewright::notation::Described;

use crate::error::Error;
use crate::subject::{Reader, Subject};

/// What is said before the reason.
const REFUSED: &str = "there is no exact translation";

/// What is this layout in another notation?
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct To {
    /// The notation.
    pub notation: Notation,
    /// The layout.
    pub layout: String,
}

/// A notation that a layout can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Notation {
    /// XLA's canonical text.
    Xla,
    /// shape:stride:original shape.
    Tla,
    /// shape:stride.
    Cute,
    /// A oneDNN tag.
    Onednn,
    /// numpy's strides in bytes.
    Numpy,
    /// An MLIR affine map.
    Mlir,
}

/// A text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Text {
    /// It.
    pub text: String,
}

impl To {
    /// The answer.
    ///
    /// # Errors
    /// If the text says no array, or the notation cannot say it.
    pub fn answer(&self, reader: Reader<'_>) -> Result<Text, Error> {
        let notation = match self.notation {
            Notation::Xla => return to_xla(reader.read(&self.layout)?).map(|text| Text { text }),
            Notation::Tla => map::Notation::Tla,
            Notation::Cute => map::Notation::Cute,
            Notation::Onednn => map::Notation::OneDnn,
            Notation::Numpy => map::Notation::Numpy,
            Notation::Mlir => map::Notation::Mlir,
        };
        let subject = reader.array(&self.layout)?;
        let text = subject.to_notation(notation).map_err(|why| Error::refused(REFUSED, why))?;
        Ok(Text { text })
    }
}

fn to_xla(said: Described) -> Result<String, Error> {
    match said {
        Described::Xla(shape) => Ok(shape.to_string()),
        said => Subject::of(said)?.xla_text().map_err(|why| Error::refused(REFUSED, why)),
    }
}
