//! What kind of function the places are: the simplest that is right at every element.

use tilewright::algebra::{Composed, Composition, F2Matrix, Outer, Swizzle};
use tilewright::map::{Fitted, NotALayout, fit};
use tilewright::tla::{Int, Layout, Nested, Stride};
use tilewright::{Error, IndexMap};

use crate::fields::{self, BitField};
use crate::merging::{self, Merging};
use crate::swizzles;

/// What offsets count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Whole codes: the bits of each lie side by side, lowest first, at a multiple of their number.
    Elements,
    /// Single bits. The map has a last dimension more, the bit of the code.
    Bits,
}

/// A function from an index to an offset, of the first of these kinds that it is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form {
    /// Shape and stride, from a base on.
    Layout(Fitted),
    /// Shape and stride of dimensions some of which are one: `groups` has the dimensions that each
    /// mode of the layout is made of, the last one of a group varying fastest. The 3-bit codes of
    /// GPTQ run on from word to word along K, so that K and the bit are one.
    Merged {
        /// The dimensions of each mode.
        groups: Vec<Vec<usize>>,
        /// The layout of the merged dimensions.
        fitted: Fitted,
    },
    /// Shape and stride under a swizzle.
    Swizzled(Composed),
    /// Each code in parts, each part shape and stride: four bits of a Q6_K code in one place, two in another.
    Fields(Vec<BitField>),
    /// Each bit of the index flips some bits of the offset. Index bits are those of the first
    /// dimension, lowest first, then those of the next.
    Linear(F2Matrix),
    /// None of these: the offsets are listed, and this is why they are no layout's.
    Table(NotALayout),
}

impl Form {
    /// The form of a table of offsets in row-major order; `bits` where the last dimension is that of a code's bits.
    /// Complete for layouts, merged layouts of up to four dimensions, swizzled layouts, fields that are layouts, and
    /// linear functions of bits.
    pub(crate) fn of(dims: &[i64], bits: Option<u32>, offsets: &[i64]) -> Result<Self, Error> {
        let reason = match fit(dims, offsets)? {
            Ok(fitted) => return Ok(Form::Layout(without_idle_shape(fitted, dims)?)),
            Err(reason) => reason,
        };
        if let Some(Merging { groups, dims, fitted }) = merging::find(dims, offsets)? {
            let fitted = without_idle_shape(fitted, &dims)?;
            return Ok(Form::Merged { groups, fitted });
        }
        let compose = |swizzle, fitted| swizzled(swizzle, fitted, dims);
        if let Some(composed) = swizzles::find(dims, offsets, compose)? {
            return Ok(Form::Swizzled(composed));
        }
        if let (Some(bits), Some((_, dims))) = (bits, dims.split_last())
            && let Some(fields) = fields::find(dims, bits, offsets)?
        {
            let bare = |field: BitField| {
                Ok(BitField { fitted: without_idle_shape(field.fitted, dims)?, ..field })
            };
            let fields = fields.into_iter().map(bare).collect::<Result<Vec<_>, Error>>()?;
            return Ok(Form::Fields(fields));
        }
        let linear = swizzles::linear(dims, offsets)?;
        Ok(linear.map_or(Form::Table(reason), Form::Linear))
    }

    /// The layout over the dimensions themselves, if there is one.
    pub(crate) fn composition(&self, allocation: i64) -> Result<Option<Composition>, Error> {
        Ok(match self {
            Form::Layout(fitted) if !is_readable(fitted) => None,
            Form::Layout(fitted) => Some(based(fitted, allocation)?),
            Form::Swizzled(composed) => Some(composed.clone().into()),
            Form::Merged { .. } | Form::Fields(_) | Form::Linear(_) | Form::Table(_) => None,
        })
    }

    /// The map, if it is a sum of digits; of memory of so many offsets.
    pub(crate) fn map(&self, dims: &[i64], allocation: i64) -> Result<Option<IndexMap>, Error> {
        Ok(match self {
            Form::Layout(fitted) | Form::Merged { fitted, .. } if !is_readable(fitted) => None,
            Form::Layout(fitted) => Some(whole_map(fitted, allocation)?),
            Form::Merged { groups, fitted } => {
                Some(merging::spread(&whole_map(fitted, allocation)?, dims, groups)?)
            }
            Form::Swizzled(composed) => Some(IndexMap::from_composed(composed)?),
            Form::Fields(_) | Form::Linear(_) | Form::Table(_) => None,
        })
    }
}

/// Whether a layout with its base can be read at all of its own shape, which may go on beyond the array: `(2,2):(-2,-1)` from
/// 2 on is 2, 0, 1 and then -1, at which nothing can be composed.
fn is_readable(fitted: &Fitted) -> bool {
    let map = || IndexMap::from_composed(&within(fitted, 1)?);
    fitted.base == 0 || map().is_ok()
}

/// The map of a fitted layout in memory that may go on behind the last element.
fn whole_map(fitted: &Fitted, allocation: i64) -> Result<IndexMap, Error> {
    let map = IndexMap::from_composition(&based(fitted, allocation)?)?;
    if map.allocation() >= allocation {
        return Ok(map);
    }
    IndexMap::from_composed(&within(fitted, allocation)?)
}

/// A layout under a swizzle, if there is a map of it. Where the modes of a dimension have more elements than it, as `(3,2,2)`
/// of 8, the layout goes on beyond the array, perhaps to places below 0, at which no swizzle can be read.
fn swizzled(swizzle: Swizzle, fitted: Fitted, dims: &[i64]) -> Result<Option<Composed>, Error> {
    let Fitted { base, layout } = without_idle_shape(fitted, dims)?;
    let composed = Composed::new(Outer::Swizzle(swizzle), Int::dynamic(base), layout)?;
    Ok(IndexMap::from_composed(&composed).is_ok().then_some(composed))
}

/// A layout with its base, which only a composed one can have.
fn based(fitted: &Fitted, allocation: i64) -> Result<Composition, Error> {
    match fitted.base {
        0 => Ok(fitted.layout.clone().into()),
        _ => Ok(within(fitted, allocation)?.into()),
    }
}

fn within(fitted: &Fitted, allocation: i64) -> Result<Composed, Error> {
    let [whole, step] = [allocation, 1].map(Int::dynamic);
    let memory = Layout::new(Nested::Leaf(whole), Nested::Leaf(Stride::from(step)))?;
    Composed::new(Outer::Layout(memory), Int::dynamic(fitted.base), fitted.layout.clone())
}

/// The layout without its original shape where its own shape is that already.
fn without_idle_shape(fitted: Fitted, dims: &[i64]) -> Result<Fitted, Error> {
    let own = fitted.layout.shape().product_each()?.values();
    match own == dims {
        true => Ok(Fitted { layout: fitted.layout.without_org_shape(), ..fitted }),
        false => Ok(fitted),
    }
}
