//! What would mend a padded array: the dimension at fault, a better order, a better shape.

use hashbrown::HashMap;
use std::sync::Arc;

use serde::Serialize;
use tilewright::xla::{Layout, Tile, TileDim};
use tilewright::{ArrayShape, Permutation};

use crate::shapes::Array;

/// A hint saves at least one byte in this many, or is not given.
const LEAST_SHARE: i64 = 8;

/// A hint saves at least this many bytes, or is not given: less than a few tiles is not worth it.
const LEAST_BYTES: i64 = 4096;

/// Orders are not tried for arrays of more dimensions.
const MAX_RANK: usize = 16;

/// The formats that an array could have, its own not among them.
///
/// What stands between the reader and knowledge of a chip: [`Permuted`] knows none.
pub trait Formats: Sync {
    /// Other formats of the same array: the same type and dimensions, other layouts.
    fn candidates(&self, array: &ArrayShape) -> Vec<ArrayShape>;
}

/// The dimensions in every order that matters to a tile of two, with the array's own tiles, or, where the
/// second-minor dimension is short, with fewer rows in the first, as far as the later tiles allow.
///
/// Padding depends on which dimensions are minor and second-minor, so the others keep their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Permuted;

/// The dimension that padding grows most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    /// Its number; nothing where the tile is longer than the array's rank.
    pub dimension: Option<usize>,
    /// How many elements it has.
    pub size: i64,
    /// How many it is padded to.
    pub padded: i64,
    /// The same in words.
    pub text: String,
}

/// What would take less memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hint {
    /// The same array in another format.
    pub format: Option<Suggestion>,
    /// The same elements under other dimensions, two neighbours made one.
    pub shape: Option<Suggestion>,
}

/// An array that would take less memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its shape and layout.
    pub text: String,
    /// What it would take, in bytes.
    pub bytes: i64,
}

impl Formats for Permuted {
    fn candidates(&self, array: &ArrayShape) -> Vec<ArrayShape> {
        let rank = array.rank();
        if !(1..=MAX_RANK).contains(&rank) {
            return Vec::new();
        }
        let own = array.layout_or_default();
        let stacks = tile_stacks(own.tiles());
        let orders = orders(own.minor_to_major());
        let sizes = array.sizes().unwrap_or_default();
        // Other orders with the same tiles come before other tiles.
        let layouts = stacks.iter().enumerate().flat_map(|(number, tiles)| {
            let (own, sizes) = (&own, &sizes);
            let fit =
                orders.iter().filter(move |order| number == 0 || has_room(tiles, order, sizes));
            let turned =
                fit.filter_map(|order| own.clone().with_minor_to_major(order.clone()).ok());
            turned.map(|layout| layout.with_tiles(tiles.clone()))
        });
        let others = layouts.filter(|layout| *layout != own);
        others.filter_map(|layout| array.clone().with_layout(layout).ok()).collect()
    }
}

/// Every choice of minor and second-minor dimension, the others in the order they have. The order
/// there is comes first.
fn orders(own: &Permutation) -> Vec<Permutation> {
    let rank = own.len();
    let pairs = (0..rank).flat_map(|minor| (0..rank).map(move |second| (minor, second)));
    let chosen = pairs.filter(|(minor, second)| minor != second || rank == 1);
    let orders = chosen.filter_map(|(minor, second)| {
        let picked = [own[minor], own[second]];
        let rest = own.iter().copied().filter(|dim| !picked.contains(dim));
        let order: Vec<usize> = picked.into_iter().take(rank).chain(rest).collect();
        Permutation::new(order).ok()
    });
    orders.collect()
}

/// Whether the rows of the first tile are as many as the second-minor dimension has at least. A compiler
/// gives a tile fewer rows only to a dimension that has no more.
fn has_room(tiles: &[Tile], order: &Permutation, sizes: &[i64]) -> bool {
    let rows = tiles.first().and_then(|tile| tile.dims().first());
    let second = order.get(1).and_then(|&dim| sizes.get(dim));
    matches!((rows, second), (Some(TileDim::Size(rows)), Some(second)) if second <= rows)
}

/// The tiles, and the same with fewer rows in the first: halved as long as the second tile's rows
/// fit.
fn tile_stacks(own: &[Tile]) -> Vec<Vec<Tile>> {
    let mut stacks = vec![own.to_vec()];
    let Some((first, rest)) = own.split_first() else { return stacks };
    let [TileDim::Size(rows), TileDim::Size(columns)] = *first.dims() else { return stacks };
    let least = match rest.first().and_then(|tile| tile.dims().first()) {
        Some(TileDim::Size(rows)) => *rows,
        _ => 1,
    };
    let mut rows = rows / 2;
    while rows >= least && rows >= 1 {
        let Ok(tile) = Tile::of(&[rows, columns]) else { break };
        stacks.push(std::iter::once(tile).chain(rest.iter().cloned()).collect());
        rows /= 2;
    }
    stacks
}

/// The dimension of an array that the first tile pads most.
///
/// ```
/// let array = "s32[8388608,8,4]{2,1,0:T(8,128)}".parse()?;
/// let fault = tilewright_hlo::fault(&array).unwrap();
/// assert_eq!(fault.text, "dim 2 of extent 4 is minor: padded to 128, 32x");
/// # Ok::<(), tilewright::text::Diagnostic>(())
/// ```
pub fn fault(array: &ArrayShape) -> Option<Fault> {
    let layout = array.layout()?;
    let tile = layout.tiles().first().filter(|tile| !tile.combines())?;
    let order = layout.minor_to_major();
    let sizes = array.sizes().ok()?;
    let tiled = tile.dims().iter().rev().enumerate().filter_map(|(place, dim)| {
        let TileDim::Size(width) = *dim else { return None };
        let dimension = order.get(place).copied();
        let size = dimension.map_or(Some(1), |dim| sizes.get(dim).copied())?;
        let padded = size.checked_add(width - 1)? / width * width;
        (padded > size && size > 0).then_some((place, dimension, size, padded))
    });
    let worst = tiled.max_by(|a, b| ratio(a.2, a.3).total_cmp(&ratio(b.2, b.3)));
    let (place, dimension, size, padded) = worst?;
    let text = fault_text(place, dimension, size, padded);
    Some(Fault { dimension, size, padded, text })
}

fn fault_text(place: usize, dimension: Option<usize>, size: i64, padded: i64) -> String {
    let factor = factor_text(ratio(size, padded));
    let place = match place {
        0 => "minor".to_owned(),
        1 => "second-minor".to_owned(),
        place => format!("number {place} from the minor one"),
    };
    match dimension {
        Some(dim) => {
            format!("dim {dim} of extent {size} is {place}: padded to {padded}, {factor}")
        }
        None => format!("there is no {place} dimension: the tile pads it to {padded}, {factor}"),
    }
}

fn ratio(size: i64, padded: i64) -> f64 {
    padded as f64 / size as f64
}

/// `32x`, `1.3x`.
pub(crate) fn factor_text(factor: f64) -> String {
    if (factor - factor.round()).abs() < 0.005 {
        return format!("{factor:.0}x");
    }
    format!("{factor:.2}x")
}

/// What would take less memory than an array, if anything would take much less.
///
/// ```
/// use tilewright_hlo::{Permuted, hint};
/// let array = "u32[12582912,1]{1,0:T(8,128)}".parse()?;
/// let hint = hint(&array, &Permuted).unwrap();
/// let format = hint.format.unwrap();
/// assert_eq!((format.text.as_str(), format.bytes), ("u32[12582912,1]{0,1:T(1,128)}", 48 << 20));
/// # Ok::<(), tilewright::text::Diagnostic>(())
/// ```
pub fn hint(array: &ArrayShape, formats: &dyn Formats) -> Option<Hint> {
    let bytes = bytes_of(array)?;
    let limit = bytes - (bytes / LEAST_SHARE).max(LEAST_BYTES);
    let format = least(formats.candidates(array), limit);
    let shape = least(joined(array), limit);
    (format.is_some() || shape.is_some()).then_some(Hint { format, shape })
}

/// The first of those candidates that take least, if they take at most `limit` bytes.
fn least(candidates: Vec<ArrayShape>, limit: i64) -> Option<Suggestion> {
    let sized = candidates.into_iter().filter_map(|array| Some((bytes_of(&array)?, array)));
    let (bytes, array) =
        sized.filter(|(bytes, _)| *bytes <= limit).min_by_key(|(bytes, _)| *bytes)?;
    Some(Suggestion { text: array.to_string(), bytes })
}

pub(crate) fn bytes_of(array: &ArrayShape) -> Option<i64> {
    match array.xla_bytes().ok()? {
        Some(bytes) => Some(bytes),
        None => array.bytes().ok(),
    }
}

/// The array with two neighbouring dimensions made one, in row-major order with the tiles it has.
fn joined(array: &ArrayShape) -> Vec<ArrayShape> {
    let Ok(sizes) = array.sizes() else { return Vec::new() };
    let Some(own) = array.layout().filter(|layout| layout.tiles().len() < 9) else {
        return Vec::new();
    };
    let pairs = (1..sizes.len().min(MAX_RANK)).rev();
    pairs.filter_map(|second| join(array, own, &sizes, second)).collect()
}

fn join(array: &ArrayShape, own: &Layout, sizes: &[i64], second: usize) -> Option<ArrayShape> {
    let mut sizes = sizes.to_vec();
    let size = sizes.remove(second);
    let joined = sizes.get_mut(second - 1)?;
    *joined = joined.checked_mul(size)?;
    let mut layout = Layout::descending(sizes.len()).with_memory_space(own.memory_space());
    layout = layout.with_tiles(tiles_for(own.tiles(), sizes.len())?);
    if let Some(bits) = own.element_size_in_bits() {
        layout = layout.with_element_size_in_bits(bits);
    }
    ArrayShape::new(array.element_type(), &sizes).ok()?.with_layout(layout).ok()
}

/// The tiles that an array of a rank has in the place of these. One of one dimension has a tile of as many
/// elements, and the tile's row comes before those that pack narrow elements: `T(1024)(128)(2,1)` for
/// `T(8,128)(2,1)`.
pub(crate) fn tiles_for(tiles: &[Tile], rank: usize) -> Option<Vec<Tile>> {
    let Some((first, packing)) = tiles.split_first().filter(|(tile, _)| tile.dims().len() > rank)
    else {
        return Some(tiles.to_vec());
    };
    let mut linear = vec![Tile::of(&[first.elements().ok()?]).ok()?];
    if let (Some(row), false) = (first.dims().last(), packing.is_empty()) {
        linear.push(Tile::new([*row]).ok()?);
    }
    linear.extend(packing.iter().cloned());
    Some(linear)
}

/// What is at fault with an array, and what would mend it.
pub(crate) type Advice = (Option<Box<Fault>>, Option<Box<Hint>>);

/// So many arrays are told what is at fault and what would mend it.
const MAX_ADVISED: usize = 256;

/// Gives advice on arrays, each once.
pub(crate) struct Adviser<'f> {
    formats: &'f dyn Formats,
    known: HashMap<Arc<str>, Advice>,
}

impl<'f> Adviser<'f> {
    pub(crate) fn new(formats: &'f dyn Formats) -> Self {
        Adviser { formats, known: HashMap::new() }
    }

    /// On an array, if it has padding and not too many were asked about. No other format will do for one that
    /// a kernel reads or writes.
    pub(crate) fn on(&mut self, array: &Array, is_of_kernel: bool) -> Advice {
        let (fault, mut hint) = self.known_on(array);
        if is_of_kernel {
            hint = hint.filter(|hint| hint.shape.is_some());
            hint.iter_mut().for_each(|hint| hint.format = None);
        }
        (fault, hint)
    }

    fn known_on(&mut self, array: &Array) -> Advice {
        if let Some(known) = self.known.get(&array.text) {
            return known.clone();
        }
        if array.padding_bytes() == 0 || self.known.len() >= MAX_ADVISED {
            return (None, None);
        }
        let fault = fault(&array.shape).map(Box::new);
        let advice = (fault, hint(&array.shape, self.formats).map(Box::new));
        self.known.insert(Arc::clone(&array.text), advice.clone());
        advice
    }
}
