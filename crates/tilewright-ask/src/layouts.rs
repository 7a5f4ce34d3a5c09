//! The catalogue of layouts with names.

use glob::Pattern;
use serde::{Deserialize, Serialize};
use tilewright::ElementType;
use tilewright::formats::catalogue::{self, Carrier, Entry, NamedArray, NamedLayout};
use tilewright::map::Notation;

use crate::error::Error;

/// Which layouts have names?
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layouts {
    /// Those whose names match: `*` is any text, `?` any character. All of them where it is not said.
    #[serde(default)]
    pub names: Option<String>,
}

/// What the catalogue says of a layout. Texts, carrier and sizes are those of its example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedRow {
    /// The name, with its arguments.
    pub name: String,
    /// What it holds, and for which library and hardware.
    pub summary: &'static str,
    /// The types of elements that it takes.
    pub element_types: Vec<&'static str>,
    /// The dimensions, by letters.
    pub dims: &'static str,
    /// Which extents it takes, and which are padded.
    pub extents: &'static str,
    /// An array that it takes.
    pub example: String,
    /// The example's shape and stride; null where it has none.
    pub cute: Option<String>,
    /// The example in XLA's notation; null where that cannot say it.
    pub xla: Option<String>,
    /// What the library stores the example as.
    pub carrier: CarrierRow,
    /// The byte that fills padding.
    pub pad: u8,
    /// What the codes of the types in `xor_types` are XORed with, those of the example's width; else 0.
    pub xor: u64,
    /// The types whose codes the library stores with the topmost bit flipped.
    pub xor_types: Vec<&'static str>,
    /// Where it is written down.
    pub source: &'static str,
}

/// The type and dims of an array in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CarrierRow {
    /// The type, as safetensors spells it.
    pub dtype: &'static str,
    /// Its dims.
    pub dims: Vec<i64>,
}

/// The layouts that there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NamedRows {
    /// In the order of the catalogue.
    pub rows: Vec<NamedRow>,
}

impl Layouts {
    /// The answer.
    ///
    /// ```
    /// use tilewright_ask::Layouts;
    /// let marlin = Layouts { names: Some("marlin*".to_owned()) }.answer()?;
    /// let names: Vec<&str> = marlin.rows.iter().map(|row| row.name.as_str()).collect();
    /// assert_eq!(names, ["marlin", "marlin(a8)", "marlin.scales"]);
    /// # Ok::<(), tilewright_ask::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the pattern is none, or no name matches.
    pub fn answer(&self) -> Result<NamedRows, Error> {
        let wanted = self.names.as_deref().unwrap_or("*");
        let pattern = Pattern::new(wanted)
            .map_err(|why| Error::refused(format!("`{wanted}` is no pattern"), why))?;
        let mut rows = Vec::new();
        for entry in catalogue::entries() {
            for spelling in entry.spellings() {
                if pattern.matches(&spelling) || pattern.matches(entry.name) {
                    rows.extend(NamedRow::of(entry, &spelling)?);
                }
            }
        }
        if rows.is_empty() {
            return Err(Error::message(&format!(
                "no layout has a name like `{wanted}`\n  = help: `tilewright layouts` lists them"
            )));
        }
        Ok(NamedRows { rows })
    }
}

impl NamedRow {
    /// Nothing of arguments that do not go together.
    fn of(entry: &'static Entry, spelling: &str) -> Result<Option<Self>, Error> {
        let Some(example) = example(entry, spelling)? else { return Ok(None) };
        let map = example.index_map();
        let xla = map.to_xla_layout().ok().map(|layout| {
            let layout = match example.element_bits() {
                bits if bits < 8 => layout.with_element_size_in_bits(bits),
                _ => layout,
            };
            layout.to_string()
        });
        let types = types_of(&example);
        let mask = |element_type: ElementType| {
            let array = example.layout().of(element_type, example.dims());
            array.map_or(0, |array| array.xor_mask())
        };
        let flipped: Vec<ElementType> = types.iter().copied().filter(|&t| mask(t) != 0).collect();
        let own_width = |t: &&ElementType| t.bits() == example.element_bits();
        Ok(Some(NamedRow {
            name: spelling.to_owned(),
            summary: entry.summary,
            xor: flipped.iter().find(own_width).map_or(0, |&element_type| mask(element_type)),
            xor_types: flipped.iter().map(|element_type| element_type.xla_name()).collect(),
            element_types: types.iter().map(|element_type| element_type.xla_name()).collect(),
            dims: entry.dims,
            extents: entry.extents,
            example: example.to_string(),
            cute: cute(&example),
            xla,
            carrier: CarrierRow::of(example.carrier()),
            pad: entry.padding,
            source: entry.source,
        }))
    }
}

impl CarrierRow {
    pub(crate) fn of(carrier: &Carrier) -> Self {
        let element_type = carrier.element_type;
        CarrierRow {
            dtype: element_type.safetensors_name().unwrap_or(element_type.xla_name()),
            dims: carrier.dims.clone(),
        }
    }
}

/// Shape and stride, without the sizes of the array that they pad.
fn cute(array: &NamedArray) -> Option<String> {
    let bits = array.element_bits();
    match array.composition() {
        Some(layout) => Some(layout.to_string()),
        None => array.index_map().to_notation(Notation::Tla, bits).ok(),
    }
}

/// The types of which there are such arrays of the example's dims.
fn types_of(example: &NamedArray) -> Vec<ElementType> {
    let takes =
        |element_type: &ElementType| example.layout().of(*element_type, example.dims()).is_ok();
    ElementType::ALL.iter().copied().filter(takes).collect()
}

/// The entry's example in this spelling of its name; of another width, or of another size, where the arguments want
/// that.
fn example(entry: &Entry, spelling: &str) -> Result<Option<NamedArray>, Error> {
    let example: NamedArray = entry.example.parse()?;
    // Of arguments that are numbers there is the entry's own example alone.
    let Ok(layout) = spelling.parse::<NamedLayout>() else { return Ok(Some(example)) };
    let (own, dims) = (example.element_type(), example.dims());
    let halves: Vec<i64> = dims.iter().map(|dim| (dim / 2).max(1)).collect();
    let others = [own, ElementType::S8, ElementType::S4, ElementType::Pred];
    let found = [dims, &halves]
        .into_iter()
        .flat_map(|dims| others.iter().map(move |&element_type| (element_type, dims)))
        .find_map(|(element_type, dims)| layout.of(element_type, dims).ok());
    Ok(found)
}
