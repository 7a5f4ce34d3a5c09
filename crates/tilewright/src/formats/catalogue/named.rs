//! Names as somebody writes them: `marlin`, `trtllm(w4a16,sm80)`, `u4[4096,11008]@marlin`.

use std::fmt;
use std::str::FromStr;

use super::all::entries;
use super::entry::{Argument, Entry, Stored, spelled};
use super::place::{Asked, Carrier, Placed, lowered};
use crate::algebra::Composition;
use crate::arithmetic::checked_product;
use crate::element::ElementClass;
use crate::error::{Error, checked, invalid};
use crate::map::IndexMap;
use crate::text::{Diagnostic, Span, abridged, blank_comments};
use crate::{ElementType, bare};

/// The name of a layout in the catalogue, with its arguments.
///
/// ```
/// use tilewright::formats::catalogue::NamedLayout;
/// let name: NamedLayout = "trtllm(w4a16, sm80)".parse()?;
/// assert_eq!((name.entry().name, name.to_string().as_str()), ("trtllm", "trtllm(w4a16,sm80)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NamedLayout {
    entry: &'static Entry,
    arguments: Vec<String>,
}

impl NamedLayout {
    /// What the catalogue says of it.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// What stands in its parentheses.
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// This layout of an array.
    ///
    /// # Errors
    /// If there is no such layout of these dims or for elements of this width; the message says which extent is
    /// wrong.
    pub fn of(&self, element_type: ElementType, dims: &[i64]) -> Result<NamedArray, Error> {
        NamedArray::new(self.clone(), element_type, dims.to_vec())
    }
}

impl NamedLayout {
    /// The array of two dimensions that the library stores as this, the largest where rows or columns are padded.
    ///
    /// ```
    /// use tilewright::ElementType;
    /// use tilewright::formats::catalogue::{Carrier, NamedLayout};
    /// let marlin: NamedLayout = "marlin".parse()?;
    /// let stored = Carrier { element_type: ElementType::S32, dims: vec![256, 22016] };
    /// assert_eq!(marlin.of_carrier(ElementType::U4, &stored)?.to_string(), "u4[4096,11008]@marlin");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such array.
    pub fn of_carrier(
        &self,
        element_type: ElementType,
        carrier: &Carrier,
    ) -> Result<NamedArray, Error> {
        let product = checked_product(carrier.dims.iter().copied())?;
        let bits = i128::from(product) * i128::from(carrier.element_type.bits());
        let width = i128::from(packed_bits(element_type, &[]).max(1));
        let elements = i64::try_from(bits / width).unwrap_or(i64::MAX);
        // Rows are as many as one of the carrier's extents, times or over a small power of two.
        let factors = (0..=MAX_FACTOR_BITS).map(|bits| 1i64 << bits);
        let rows = carrier.dims.iter().flat_map(|&extent| {
            factors
                .clone()
                .flat_map(move |factor| [extent.checked_mul(factor), Some(extent / factor)])
        });
        let fits = |rows: &i64| *rows > 0 && elements % rows == 0;
        let arrays = rows.flatten().filter(fits);
        let mut arrays =
            arrays.filter_map(|rows| self.of(element_type, &[rows, elements / rows]).ok());
        match arrays.find(|array| array.carrier() == carrier) {
            Some(array) => Ok(array),
            None => invalid(format!("no {element_type} array in `{self}` is stored as {carrier}")),
        }
    }
}

/// An extent of a carrier and the array's own differ by no more than this power of two.
const MAX_FACTOR_BITS: u32 = 6;

impl PartialEq for NamedLayout {
    fn eq(&self, other: &Self) -> bool {
        (self.entry.name, &self.arguments) == (other.entry.name, &other.arguments)
    }
}

impl Eq for NamedLayout {}

impl fmt::Display for NamedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&spelled(self.entry.name, &self.arguments))
    }
}

impl FromStr for NamedLayout {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let wrong = |message: String| {
            Diagnostic::error(text, Span::new(0, text.len()), message)
                .help("`tilewright layouts` lists them")
        };
        let said = text.trim();
        let (name, inner) = match said.split_once('(') {
            None => (said, None),
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(inner) => (name.trim_end(), Some(inner)),
                None => return Err(wrong("the parenthesis is not closed".to_owned())),
            },
        };
        let arguments: Vec<String> = inner
            .into_iter()
            .flat_map(|inner| inner.split(','))
            .map(|a| a.trim().to_owned())
            .collect();
        let found = entries().find(|entry| entry.name == name);
        let Some(entry) = found else {
            return Err(wrong(format!("no layout is called `{}`{}", abridged(name), like(name))));
        };
        check_arguments(entry, &arguments).map_err(|error| wrong(error.to_string()))?;
        Ok(NamedLayout { entry, arguments })
    }
}

/// `; did you mean …`, of names that begin alike.
fn like(name: &str) -> String {
    let family = |name: &str| name.split(['.', '-', '(']).next().unwrap_or("").to_lowercase();
    let wanted = family(name);
    let names: Vec<String> = entries()
        .filter(|entry| wanted.len() > 1 && family(entry.name).starts_with(&wanted))
        .map(|entry| format!("`{}`", entry.name))
        .collect();
    if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) }
}

fn check_arguments(entry: &Entry, given: &[String]) -> Result<(), Error> {
    let is_needed = |argument: &&Argument| !matches!(argument, Argument::Optional(_));
    let n_needed = entry.arguments.iter().filter(is_needed).count();
    let fits = |(argument, given): (&Argument, &String)| match argument {
        Argument::Word(words) | Argument::Optional(words) => words.contains(&given.as_str()),
        Argument::Number(_) => given.parse::<i64>().is_ok_and(|number| number > 0),
    };
    let is_number = (n_needed..=entry.arguments.len()).contains(&given.len());
    if is_number && entry.arguments.iter().zip(given).all(fits) {
        return Ok(());
    }
    let spellings: Vec<String> =
        entry.spellings().iter().map(|spelling| format!("`{spelling}`")).collect();
    invalid(format!("it is written {}", spellings.join(", ")))
}

/// An array in a layout of the catalogue: `u4[4096,11008]@marlin`.
///
/// ```
/// use tilewright::formats::catalogue::NamedArray;
/// let weights: NamedArray = "u4[4096,11008]@marlin".parse()?;
/// assert_eq!(weights.carrier().to_string(), "I32[256,22016]");
/// assert_eq!(weights.index_map().offset(&[1, 0])?, 4);
/// let refused = "u4[4096,11000]@marlin".parse::<NamedArray>().unwrap_err();
/// assert!(refused.message().contains("`marlin` needs N to be a multiple of 64, and it is 11000"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NamedArray {
    layout: NamedLayout,
    element_type: ElementType,
    dims: Vec<i64>,
    /// The layout as shape and stride, where it is one.
    composition: Option<Composition>,
    map: IndexMap,
    carrier: Carrier,
    /// Whether the library stores codes as the entry says, and not as they are.
    is_flipped: bool,
}

impl NamedArray {
    fn new(layout: NamedLayout, element_type: ElementType, dims: Vec<i64>) -> Result<Self, Error> {
        let entry = layout.entry;
        let bits = bits_of(entry, element_type, &dims)?;
        if let Some(extent) = dims.iter().find(|extent| **extent < 1) {
            return invalid(format!("`{layout}` has no layout for an extent of {extent}"));
        }
        checked_product(dims.iter().copied())?;
        let asked = Asked {
            name: entry.name,
            element_type,
            bits: bits.into(),
            dims: &dims,
            arguments: &layout.arguments,
        };
        let Placed { form, carrier, is_flipped } = (entry.place)(&asked)?;
        let (composition, map) = lowered(&form, element_type, &dims)?;
        let carrier = match carrier {
            Some((element_type, dims)) => {
                let fits = |extent: i128| checked(i64::try_from(extent).ok(), "an extent");
                let dims = dims.into_iter().map(fits).collect::<Result<_, _>>()?;
                Carrier { element_type, dims }
            }
            None if composition.is_some() => Carrier { element_type, dims: dims.clone() },
            None => Carrier { element_type, dims: map.physical_dims().to_vec() },
        };
        Ok(NamedArray { layout, element_type, dims, composition, map, carrier, is_flipped })
    }

    /// The name.
    pub fn layout(&self) -> &NamedLayout {
        &self.layout
    }

    /// The type of the elements before packing.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The bits that an element takes: those of its type, so that types below a byte are packed. `pred` takes one where
    /// the last dimension is that of bits.
    pub fn element_bits(&self) -> u32 {
        packed_bits(self.element_type, &self.dims)
    }

    /// The dims of the array before packing.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// Where every element lies.
    pub fn index_map(&self) -> &IndexMap {
        &self.map
    }

    /// The layout as shape and stride, where it is one.
    pub fn composition(&self) -> Option<&Composition> {
        self.composition.as_ref()
    }

    /// What the library stores the packed array as.
    pub fn carrier(&self) -> &Carrier {
        &self.carrier
    }

    /// The byte that fills places without an element.
    pub fn padding(&self) -> u8 {
        self.layout.entry.padding
    }

    /// What the bits of each code are flipped by while it is packed: the topmost, where the library stores unsigned
    /// numbers and the type is signed, or the other way round; else 0.
    ///
    /// ```
    /// use tilewright::formats::catalogue::NamedArray;
    /// let mask = |text: &str| text.parse::<NamedArray>().map(|array| array.xor_mask());
    /// assert_eq!(mask("s4[128,64]@trtllm(w4a16,sm80)")?, 0x8);
    /// assert_eq!(mask("u4[128,64]@trtllm(w4a16,sm80)")?, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn xor_mask(&self) -> u64 {
        let is_signed = match self.element_type.class() {
            ElementClass::Signed => true,
            ElementClass::Unsigned => false,
            _ => return 0,
        };
        let is_flipped = match self.layout.entry.stored {
            Stored::AsTheyAre => false,
            Stored::Unsigned => is_signed,
            Stored::Signed => !is_signed,
        };
        if is_flipped && self.is_flipped { 1 << (self.element_type.bits() - 1) } else { 0 }
    }
}

/// Refuses widths that the library does not store.
fn bits_of(entry: &Entry, element_type: ElementType, dims: &[i64]) -> Result<u32, Error> {
    let bits = packed_bits(element_type, dims);
    if bits == 0 || (!entry.bits.is_empty() && !entry.bits.contains(&bits)) {
        let widths: Vec<String> = entry.bits.iter().map(u32::to_string).collect();
        return invalid(format!(
            "`{}` is for elements of {} bits, and {element_type} has {bits}",
            entry.name,
            widths.join(", ")
        ));
    }
    Ok(bits)
}

fn packed_bits(element_type: ElementType, dims: &[i64]) -> u32 {
    match element_type {
        ElementType::Pred if dims.len() == 3 => 1,
        ElementType::Pred => 8,
        other => other.bits(),
    }
}

impl PartialEq for NamedArray {
    fn eq(&self, other: &Self) -> bool {
        (&self.layout, self.element_type, &self.dims)
            == (&other.layout, other.element_type, &other.dims)
    }
}

impl fmt::Display for NamedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bare::write(f, self.element_type, &self.dims)?;
        write!(f, "@{}", self.layout)
    }
}

impl FromStr for NamedArray {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let ((element_type, dims), end) = bare::read(text)?;
        let rest = blank_comments(text).split_off(end);
        let blank = rest.len() - rest.trim_start().len();
        let start = end + blank;
        let Some(name) = rest.trim_start().strip_prefix('@') else {
            let span = Span::new(start, text.len());
            return Err(Diagnostic::error(text, span, "no name").expected("`@` and a name"));
        };
        let layout: NamedLayout =
            name.trim_end().parse().map_err(|error: Diagnostic| error.within(text, start + 1))?;
        layout.of(element_type, &dims).map_err(|error| {
            let span = Span::new(0, text.trim_end().len());
            let help = format!("it takes {} with {}", layout.entry.dims, layout.entry.extents);
            Diagnostic::error(text, span, error.to_string()).help(help)
        })
    }
}

/// Whether a text is written as a name behind a shape: `f32[2,3]@…`.
pub(crate) fn is_named(text: &str) -> bool {
    text.find(']').is_some_and(|end| text[end + 1..].trim_start().starts_with('@'))
}
