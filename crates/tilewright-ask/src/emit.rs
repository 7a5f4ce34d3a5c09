//! A layout, or a relayout, as source code.

use serde::{Deserialize, Serialize};
use tilewright::notation::Described;
use tilewright_emit::{Array, Request, Target};

use crate::error::Error;
use crate::subject::Reader;
use crate::to::Text;

/// What names of functions begin with where nobody says.
const DEFAULT_NAME: &str = "tw";

/// The bits of an element where neither layout says.
const DEFAULT_BITS: u32 = 32;

/// What is this layout, or the way from one to another, as source code?
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Emit {
    /// The language: `c`, `cuda`, `python`, …
    pub lang: String,
    /// The layout.
    pub layout: String,
    /// What it is to become, for the code of a relayout.
    #[serde(default)]
    pub to: Option<String>,
    /// What names of functions begin with; `tw` where nobody says.
    #[serde(default)]
    pub name: Option<String>,
    /// The dimensions whose extents are arguments.
    #[serde(default)]
    pub dynamic: Vec<usize>,
}

impl Emit {
    /// The answer.
    ///
    /// ```
    /// use tilewright_ask::{Emit, Reader};
    /// let question = Emit { lang: "c".into(), layout: "f32[3,5]{1,0:T(2,2)}".into(), ..Emit::default() };
    /// let code = question.answer(Reader { strict: false, note: &|_| () })?.text;
    /// assert!(code.contains("int64_t tw_offset(int64_t i0, int64_t i1)"));
    /// # Ok::<(), tilewright_ask::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a text says no array, the language does not exist or cannot say it, or the name is no identifier.
    pub fn answer(&self, reader: Reader<'_>) -> Result<Text, Error> {
        let target: Target = self.lang.parse().map_err(Error::of)?;
        let from = reader.read(&self.layout)?;
        let to = self.to.as_deref().map(|text| reader.read(text)).transpose()?;
        let said = from.element_bits().or(to.as_ref().and_then(Described::element_bits));
        let bits = said.unwrap_or_else(|| {
            (reader.note)(&format!("no element type is said: elements of {DEFAULT_BITS} bits"));
            DEFAULT_BITS
        });
        let array = |said: &Described| Array::with_default_bits(said, bits);
        let from = array(&from).map_err(Error::of)?;
        let to = to.as_ref().map(array).transpose().map_err(Error::of)?;
        let name = self.name.as_deref().unwrap_or(DEFAULT_NAME);
        let request = Request { array: &from, other: to.as_ref(), name, dynamic: &self.dynamic };
        Ok(Text { text: request.emit(target).map_err(Error::of)? })
    }
}
