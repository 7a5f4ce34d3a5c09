//! From a shape to where a layout of the catalogue places its elements.

use crate::algebra::Composition;
use crate::error::{Error, checked, invalid};
use crate::map::IndexMap;
use crate::tla::{Int, IntTuple, Layout, Nested, Stride};
use crate::{ElementType, onednn, xla};

/// What a library stores a packed array as: the type and the dims of the array in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Carrier {
    /// The type of its elements.
    pub element_type: ElementType,
    /// Its dims, in row-major order.
    pub dims: Vec<i64>,
}

/// The array that a layout is asked for.
pub(super) struct Asked<'n> {
    pub(super) name: &'n str,
    pub(super) element_type: ElementType,
    pub(super) bits: i64,
    pub(super) dims: &'n [i64],
    pub(super) arguments: &'n [String],
}

/// The extents and strides that an index along one dimension is taken apart by, that which varies fastest first.
/// Wide, so that products of extents need no checks before the layout is made.
pub(super) type Mode = Vec<(i128, i128)>;

/// Where elements are, and what that is stored as.
pub(super) struct Placed {
    pub(super) form: Form,
    /// Nothing where it is the array's own type and dims.
    pub(super) carrier: Option<(ElementType, Vec<i128>)>,
    /// Whether codes are stored as the entry says: most are, but one kind of hardware may take them as they are.
    pub(super) is_flipped: bool,
}

/// How the places are said.
pub(super) enum Form {
    /// For each dimension its mode. Modes may be longer than dimensions: the rest is padding.
    Modes(Vec<Mode>),
    /// Modes whose memory begins before them, and ends after them: in elements.
    Within { modes: Vec<Mode>, base: i128, allocation: i128 },
    /// A map that there is.
    Map(IndexMap),
    /// A layout in XLA's terms.
    Xla(xla::Layout),
    /// A tag of oneDNN's.
    OneDnn(&'static str),
}

impl Placed {
    /// By modes, stored as an array of this type.
    pub(super) fn of(modes: Vec<Mode>, carrier: ElementType, dims: Vec<i128>) -> Self {
        Placed { carrier: Some((carrier, dims)), ..Placed::alike(modes) }
    }

    /// By modes, stored as an array of the same type and dims.
    pub(super) fn alike(modes: Vec<Mode>) -> Self {
        Placed::in_form(Form::Modes(modes))
    }

    /// In a form, stored as its physical dims.
    pub(super) fn in_form(form: Form) -> Self {
        Placed { form, carrier: None, is_flipped: true }
    }
}

impl Asked<'_> {
    /// Its two extents.
    pub(super) fn matrix(&self) -> Result<[i128; 2], Error> {
        match *self.dims {
            [rows, columns] => Ok([i128::from(rows), i128::from(columns)]),
            _ => invalid(format!(
                "`{}` is a layout of matrices, and this has {} dimensions",
                self.name,
                self.dims.len()
            )),
        }
    }

    /// The extents of matrices one behind the other, of which there is one where there are two dimensions.
    pub(super) fn matrices(&self) -> Result<(Option<i128>, [i128; 2]), Error> {
        match *self.dims {
            [n, rows, columns] => {
                Ok((Some(i128::from(n)), [i128::from(rows), i128::from(columns)]))
            }
            _ => Ok((None, self.matrix()?)),
        }
    }

    /// Refuses an extent that is no multiple.
    pub(super) fn multiple(&self, what: &str, extent: i128, of: i128) -> Result<(), Error> {
        match of > 0 && extent % of == 0 {
            true => Ok(()),
            false => invalid(format!(
                "`{}` needs {what} to be a multiple of {of}, and it is {extent}",
                self.name
            )),
        }
    }

    /// How many elements are in so many bits.
    pub(super) fn per(&self, bits: i64) -> i128 {
        i128::from(bits / self.bits.max(1)).max(1)
    }

    /// Whether a word is among the arguments.
    pub(super) fn has(&self, word: &str) -> bool {
        self.arguments.iter().any(|argument| argument == word)
    }

    /// An argument that is a number.
    pub(super) fn number(&self, at: usize) -> i128 {
        self.arguments.get(at).and_then(|argument| argument.parse().ok()).unwrap_or(1)
    }
}

/// The form as a layout of shape and stride, where it is one, and as a map.
pub(super) fn lowered(
    form: &Form,
    element_type: ElementType,
    dims: &[i64],
) -> Result<(Option<Composition>, IndexMap), Error> {
    match form {
        Form::Modes(modes) => {
            let layout = layout(modes, dims)?;
            let map = IndexMap::from_tla(&layout)?;
            Ok((Some(Composition::Layout(layout)), map))
        }
        Form::Within { modes, base, allocation } => {
            let fits = |number: i128| checked(i64::try_from(number).ok(), "a size");
            let map = IndexMap::from_tla(&layout(modes, dims)?)?;
            Ok((None, map.within(fits(*base)?, fits(*allocation)?)?))
        }
        Form::Map(map) => Ok((None, map.clone())),
        Form::Xla(layout) => {
            let array = crate::ArrayShape::new(element_type, dims)?;
            Ok((None, array.with_layout(layout.clone())?.index_map()?))
        }
        Form::OneDnn(tag) => {
            let tag: onednn::Tag = match tag.parse() {
                Ok(tag) => tag,
                Err(_) => return invalid(format!("no tag `{tag}`")),
            };
            Ok((None, tag.index_map(dims)?))
        }
    }
}

fn layout(modes: &[Mode], dims: &[i64]) -> Result<Layout, Error> {
    let fits = |number: i128| checked(i64::try_from(number).ok(), "an extent or a stride");
    let mut sizes = Vec::new();
    let (mut shape, mut stride) = (Vec::new(), Vec::new());
    for mode in modes {
        // A factor of 1 says nothing.
        let says = |(extent, _): &&(i128, i128)| *extent != 1;
        let mut leaves: Vec<(i128, i128)> = mode.iter().filter(says).copied().collect();
        if leaves.is_empty() {
            leaves.extend(mode.first());
        }
        sizes.push(fits(mode.iter().map(|(extent, _)| extent).product())?);
        let extents: Vec<_> = leaves.iter().map(|&(e, _)| fits(e)).collect::<Result<_, _>>()?;
        let strides: Vec<_> = leaves.iter().map(|&(_, s)| fits(s)).collect::<Result<_, _>>()?;
        let extents = extents.into_iter().map(|e| Nested::Leaf(Int::dynamic(e)));
        let strides = strides.into_iter().map(|s| Nested::Leaf(Stride::Elements(Int::dynamic(s))));
        shape.push(tuple_of(extents.collect()));
        stride.push(tuple_of(strides.collect()));
    }
    let layout = Layout::new(IntTuple::Tuple(shape), Nested::Tuple(stride))?;
    match sizes == dims {
        true => Ok(layout),
        false => layout.with_org_shape(IntTuple::dynamic(dims)),
    }
}

/// A tuple, or what is alone in it.
fn tuple_of<T: Clone>(mut leaves: Vec<Nested<T>>) -> Nested<T> {
    match leaves.len() {
        1 => leaves.remove(0),
        _ => Nested::Tuple(leaves),
    }
}

impl std::fmt::Display for Carrier {
    /// As safetensors spells it: `I32[256,22016]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.element_type.safetensors_name();
        f.write_str(name.unwrap_or(self.element_type.xla_name()))?;
        let dims: Vec<String> = self.dims.iter().map(i64::to_string).collect();
        write!(f, "[{}]", dims.join(","))
    }
}
