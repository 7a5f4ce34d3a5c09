//! What an array is to become, as a text says it.

use std::fmt;
use std::str::FromStr;

use super::catalogue::NamedLayout;
use super::tpu::{Chip, default_shape};
use super::{NamedFormat, ascend_layout};
use crate::error::{Error, Kind};
use crate::notation::Described;
use crate::strided::{StridedArray, any_byte_strides};
use crate::text::{Diagnostic, Span, abridged};
use crate::tla::{self, Typed};
use crate::xla::{Layout, ParseOptions, Parsed, parse_layout};
use crate::{ArrayShape, ElementType, Shape, onednn};

/// What an array is to become: what whoever takes a layout *for an array that is there* reads.
///
/// | text | gives an array |
/// |---|---|
/// | `{1,0:T(8,128)}` | this layout, if it orders as many dimensions |
/// | `f32[30,300]{1,0:T(8,128)}`, `f32[2,35,7,7] aBcd16b`, `f16 (28,40):(40,1)` | this very shape, if it is of the same type and dims |
/// | `(28,40):(40,1)`, `Sw<3,0,3> o 0 o (8,8):(8,1)` | this shape and stride, if it is of the same dims |
/// | `aBcd16b`, `nhwc` | this oneDNN tag |
/// | `strides=(20,4)` | these strides, in bytes |
/// | `row-major`, `column-major` | the last dimension minor, or the first, and no tiles |
/// | `tpu:v5e` | what the compiler of this TPU generation gives it |
/// | `ascend:zN` | what Ascend's libraries have this tag for |
/// | `tpu-16bit`, `untiled`, … | a [`NamedFormat`] |
/// | `@marlin`, `@trtllm(w4a16,sm80)` | a layout of the [`catalogue`](super::catalogue) |
///
/// ```
/// use tilewright::ArrayShape;
/// use tilewright::formats::Target;
/// let array: ArrayShape = "bf16[32,256]".parse()?;
/// for (text, becomes) in [
///     ("{0,1}", "bf16[32,256]{0,1}"),
///     ("tpu:v5e", "bf16[32,256]{1,0:T(8,128)(2,1)}"),
///     ("ascend:zN", "bf16[32,256]{0,1:T(16,16)(16,1)}"),
///     ("aB16b", "bf16[32,256] aB16b"),
///     ("(32,256):(256,1)", "bf16 (32,256):(256,1)"),
///     ("@aiter", "bf16[32,256]@aiter"),
///     ("@aiter", "bf16[32,256]@aiter"),
/// ] {
///     let target: Target = text.parse()?;
///     assert_eq!(target.applied_to(&array)?.to_string(), becomes);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// A layout for arrays of its rank.
    Layout(Layout),
    /// A layout for arrays of this type, where one is said, and these dims only.
    Described(Described),
    /// A oneDNN tag.
    OneDnn(onednn::Tag),
    /// For each dimension a stride in bytes.
    Strides(Vec<i64>),
    /// Dense, the last dimension minor.
    RowMajor,
    /// Dense, the first dimension minor.
    ColumnMajor,
    /// What the compiler of this generation gives the array.
    Tpu(Chip),
    /// What Ascend's libraries have this tag for.
    Ascend(tla::Tag),
    /// A format with a name.
    Named(NamedFormat),
    /// A layout of the catalogue.
    Catalogue(NamedLayout),
}

impl Target {
    /// Reads a text. In `strict` mode, XLA's notation is read as XLA reads it; the other ways to
    /// say a target are none of XLA's, and are read as ever.
    ///
    /// # Errors
    /// If the text is none of the above; the diagnostic points at the place.
    pub fn parse(text: &str, options: ParseOptions) -> Result<Parsed<Self>, Diagnostic> {
        let plain = |value| Ok(Parsed { value, warnings: Vec::new() });
        let (said, start) = trimmed(text);
        if let Some(named) = by_name(said) {
            return plain(named);
        }
        if let Some(prefixed) = by_prefix(said) {
            return prefixed
                .map_err(|error| error.within(text, start))
                .map(|value| Parsed { value, warnings: Vec::new() });
        }
        if let Some(name) = said.strip_prefix('@') {
            let layout = name.parse().map_err(|e: Diagnostic| e.within(text, start + 1))?;
            return plain(Target::Catalogue(layout));
        }
        if said.starts_with('{') {
            let Parsed { value, warnings } = parse_layout(text, options)?;
            return Ok(Parsed { value: Target::Layout(value), warnings });
        }
        if said.contains(['[', '(', ':']) {
            let Parsed { value, warnings } = Described::parse(text, options)?;
            let value = match value {
                Described::Xla(shape) => Described::Xla(Shape::Array(array_of(text, &shape)?)),
                other => other,
            };
            return Ok(Parsed { value: Target::Described(value), warnings });
        }
        match said.parse() {
            Ok(tag) => plain(Target::OneDnn(tag)),
            Err(_) => Err(no_layout(text, Span::new(start, start + said.len()))),
        }
    }

    /// The array in this layout, whatever its own is.
    ///
    /// # Errors
    /// If the layout is for arrays of another rank, or of other dims or another type where it says
    /// them, or does not exist for arrays like this.
    pub fn applied_to(&self, array: &ArrayShape) -> Result<Described, Error> {
        let bare = array.clone().without_layout();
        let rank = bare.rank();
        let layout = match self {
            Target::Layout(layout) => layout.clone(),
            Target::RowMajor => Layout::descending(rank),
            Target::ColumnMajor => Layout::ascending(rank),
            Target::Named(named) => named.layout(rank)?,
            Target::Ascend(tag) => ascend_layout(*tag, bare.element_type())?,
            Target::Tpu(chip) => return Ok(of_array(default_shape(array, *chip)?)),
            Target::Described(said) => return same_array(&bare, said),
            Target::Catalogue(layout) => {
                let array = layout.of(bare.element_type(), &bare.sizes()?)?;
                return Ok(Described::Named(Box::new(array)));
            }
            Target::OneDnn(tag) => {
                let (element_type, dims) = (bare.element_type(), bare.sizes()?);
                tag.index_map(&dims)?;
                let tag = tag.clone();
                return Ok(Described::OneDnn(onednn::TaggedArray { element_type, dims, tag }));
            }
            Target::Strides(strides) => {
                let (element_type, dims) = (bare.element_type(), bare.sizes()?);
                let strided = StridedArray { element_type, dims, byte_strides: strides.clone() };
                strided.index_map()?;
                return Ok(Described::Strided(strided));
            }
        };
        with_layout(bare, layout).map(of_array)
    }
}

impl FromStr for Target {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Ok(Target::parse(text, ParseOptions::default())?.value)
    }
}

/// As [`FromStr`] reads it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Layout(layout) => layout.fmt(f),
            Target::Described(said) => said.fmt(f),
            Target::OneDnn(tag) => tag.fmt(f),
            Target::Strides(strides) => {
                let texts: Vec<String> = strides.iter().map(i64::to_string).collect();
                let comma = if texts.len() == 1 { "," } else { "" };
                write!(f, "strides=({}{comma})", texts.join(","))
            }
            Target::RowMajor => f.write_str(ROW_MAJOR),
            Target::ColumnMajor => f.write_str(COLUMN_MAJOR),
            Target::Tpu(chip) => write!(f, "{TPU}{chip}"),
            Target::Ascend(tag) => write!(f, "{ASCEND}{tag}"),
            Target::Named(named) => named.fmt(f),
            Target::Catalogue(layout) => write!(f, "@{layout}"),
        }
    }
}

const ROW_MAJOR: &str = "row-major";
const COLUMN_MAJOR: &str = "column-major";
const TPU: &str = "tpu:";
const ASCEND: &str = "ascend:";
const STRIDES: &str = "strides=";

/// A text without the blanks around it, and at which byte it begins.
fn trimmed(text: &str) -> (&str, usize) {
    (text.trim(), text.len() - text.trim_start().len())
}

fn by_name(text: &str) -> Option<Target> {
    match text {
        ROW_MAJOR => Some(Target::RowMajor),
        COLUMN_MAJOR => Some(Target::ColumnMajor),
        _ => text.parse().ok().map(Target::Named),
    }
}

/// What a prefix says a text to be.
fn by_prefix(text: &str) -> Option<Result<Target, Diagnostic>> {
    let rest = |prefix: &str| text.strip_prefix(prefix);
    let wrong = |start: usize, error: &dyn fmt::Display| {
        Diagnostic::error(text, Span::new(start, text.len()), error.to_string())
    };
    if let Some(chip) = rest(TPU) {
        return Some(chip.parse().map(Target::Tpu).map_err(|e: Error| wrong(TPU.len(), &e)));
    }
    if let Some(tag) = rest(ASCEND) {
        let tag = tag.parse().map(Target::Ascend);
        return Some(tag.map_err(|error: Error| wrong(ASCEND.len(), &error)));
    }
    rest(STRIDES)?;
    Some(any_byte_strides(text).map(Target::Strides))
}

/// A shape that is an array's.
fn array_of(text: &str, shape: &Shape) -> Result<ArrayShape, Diagnostic> {
    let all = Span::new(0, text.len());
    shape.as_array().cloned().map_err(|error| Diagnostic::error(text, all, error.to_string()))
}

fn no_layout(text: &str, span: Span) -> Diagnostic {
    let said = text.trim();
    let names: Vec<&str> = NamedFormat::ALL.iter().map(|format| format.name()).collect();
    let error = Diagnostic::error(text, span, format!("`{}` is no layout", abridged(said)));
    let error = error.expected(format!(
        "{{1,0:T(8,128)}}, (4,8):(8,1), aBcd16b, strides=(20,4), {ROW_MAJOR}, {COLUMN_MAJOR}, \
         {TPU}CHIP, {ASCEND}TAG, @NAME, {}",
        names.join(", ")
    ));
    if said.parse::<Chip>().is_ok() {
        return error.help(format!("the format of a TPU generation is `{TPU}{said}`"));
    }
    match said.parse::<tla::Tag>() {
        Ok(tag) => error.help(format!("the layout of an Ascend tag is `{ASCEND}{tag}`")),
        Err(_) => error,
    }
}

fn of_array(array: ArrayShape) -> Described {
    Described::Xla(Shape::Array(array))
}

fn with_layout(bare: ArrayShape, layout: Layout) -> Result<ArrayShape, Error> {
    if layout.rank() != bare.rank() {
        let (orders, rank) = (layout.rank(), bare.rank());
        let (layout, array) = (layout.to_string(), bare.to_string());
        return Err(Error::new(Kind::LayoutRank { layout, orders, array, rank }));
    }
    let said = format!("the layout {layout} does not fit {bare}");
    bare.with_layout(layout).map_err(|error| misfit(format!("{said}: {error}")))
}

/// What is said, if it is of the same array: its type, where it says one, and its dims.
fn same_array(bare: &ArrayShape, said: &Described) -> Result<Described, Error> {
    if let Described::Xla(Shape::Array(array)) = said {
        let its = array.clone().without_layout();
        let same = its.element_type() == bare.element_type() && its.sizes()? == bare.sizes()?;
        return if same { Ok(said.clone()) } else { Err(another(bare, &its)) };
    }
    let element_type: ElementType = bare.element_type();
    let map = said.index_map()?;
    let its = ArrayShape::new(said.element_type().unwrap_or(element_type), map.dims())?;
    if its.element_type() != element_type || map.dims() != bare.sizes()? {
        return Err(another(bare, &its));
    }
    Ok(match said.clone() {
        Described::Tla(typed) => {
            Described::Tla(Typed { element_type: Some(element_type), layout: typed.layout })
        }
        other => other,
    })
}

fn another(array: &ArrayShape, target: &ArrayShape) -> Error {
    misfit(format!("it is {array}, not {target}"))
}

fn misfit(message: String) -> Error {
    Error::new(Kind::Invalid { message })
}
