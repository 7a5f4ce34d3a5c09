//! What formats an array could have on a TPU, and what each would cost.

use super::bytes::argument_bytes;
use super::chip::Chip;
use super::default::default_shape;
use super::rule::TileRule;
use crate::error::{Error, checked, invalid};
use crate::map::Bitcast;
use crate::xla::{Layout, Tile};
use crate::{ArrayShape, IndexMap, Permutation};

/// The most dimensions of an array whose formats are listed: every pair of them can be minor and
/// second-minor.
pub const MAX_CANDIDATE_RANK: usize = 16;

/// A format that an array could have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The array in this format.
    pub shape: ArrayShape,
    /// What it takes: [`argument_bytes`].
    pub bytes: i64,
    /// How much of that holds no element.
    pub padding_bytes: i64,
    /// Whether the format compared with has every element at the same place, so that the one is
    /// the other by a bitcast.
    pub is_bitcast: bool,
    /// What a relayout from the format compared with reads and writes: 0 for a bitcast.
    pub moves_bytes: i64,
    /// How far it is from the format compared with: how many pairs of dimensions change places in
    /// the order, and how often the tile is doubled or halved.
    pub distance: u32,
}

/// The format that an array's candidates are compared with: its own, if it is tiled, or else the
/// generation's default. No array lies untiled on a TPU, unless it has no elements.
///
/// # Errors
/// As [`default_shape`].
pub fn compared_shape(shape: &ArrayShape, chip: Chip) -> Result<ArrayShape, Error> {
    match shape.layout() {
        Some(layout) if !layout.tiles().is_empty() => Ok(shape.clone()),
        _ => default_shape(shape, chip),
    }
}

/// The formats that an array could have on this generation, the smallest first, and of those of a
/// size the nearest to the [format compared with](compared_shape).
///
/// They are those with any two dimensions minor and second-minor, the others in the order that they
/// have in the format compared with, and tiles of every number of rows, from the least of
/// [the rule](super) to whole registers of words: 4 numbers since v4. An array of rank 1 has every
/// length of tile that the rule has, a scalar and an array without elements the default only.
///
/// ```
/// use tilewright::formats::tpu::{Chip, candidates};
/// // A column of words, as some programs have it: 48 MB that take 6 GB.
/// let best = &candidates(&"u32[12582912,1]{1,0:T(8,128)}".parse()?, Chip::V4)?[0];
/// assert_eq!(best.shape.to_string(), "u32[12582912,1]{0,1:T(1,128)}");
/// assert_eq!((best.bytes, best.padding_bytes), (48 << 20, 0));
/// assert_eq!(best.moves_bytes, (6 << 30) + (48 << 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A bitcast to a format is one that leaves every index of the array what it is. That a format's
/// memory is also that of the transposed array ([`IndexMap::bitcast`] says so) moves nothing
/// either, but gives another array.
///
/// # Errors
/// As [`default_shape`] and [`argument_bytes`]; if there are more than [`MAX_CANDIDATE_RANK`]
/// dimensions; or if a number does not fit 64 bits.
pub fn candidates(shape: &ArrayShape, chip: Chip) -> Result<Vec<Candidate>, Error> {
    let from = compared_shape(shape, chip)?;
    let shapes = all_shapes(&from, chip)?;
    let from = Compared { bytes: argument_bytes(&from)?, map: from.index_map()?, shape: from };
    let mut candidates: Vec<Candidate> =
        shapes.into_iter().map(|shape| from.candidate(shape)).collect::<Result<_, _>>()?;
    candidates.sort_by_key(|candidate| (candidate.bytes, candidate.distance));
    Ok(candidates)
}

/// The array in each format; of dimensions alike, the last first.
fn all_shapes(from: &ArrayShape, chip: Chip) -> Result<Vec<ArrayShape>, Error> {
    let rank = from.rank();
    if rank > MAX_CANDIDATE_RANK {
        return invalid(format!(
            "formats are listed for up to {MAX_CANDIDATE_RANK} dimensions, and there are {rank}"
        ));
    }
    if rank == 0 || from.is_empty() {
        return Ok(vec![default_shape(from, chip)?]);
    }
    let rule = TileRule::of(from.element_type(), chip)?;
    let layouts = match rank {
        1 => linear_layouts(&rule)?,
        _ => tiled_layouts(from.layout_or_default().minor_to_major(), &rule)?,
    };
    let bare = from.clone().without_layout();
    layouts.into_iter().map(|layout| bare.clone().with_layout(layout)).collect()
}

fn linear_layouts(rule: &TileRule) -> Result<Vec<Layout>, Error> {
    rule.all_linear_rows().map(|rows| rule.linear(rows)).collect()
}

fn tiled_layouts(order: &[usize], rule: &TileRule) -> Result<Vec<Layout>, Error> {
    let last_first = || (0..order.len()).rev();
    let pairs = last_first().flat_map(|minor| last_first().map(move |second| [minor, second]));
    let pairs = pairs.filter(|[minor, second]| minor != second);
    pairs
        .flat_map(|pair| rule.all_rows().map(move |rows| (pair, rows)))
        .map(|(pair, rows)| rule.tiled(pair, order, rows))
        .collect()
}

/// The array in the format that candidates are compared with.
struct Compared {
    shape: ArrayShape,
    map: IndexMap,
    bytes: i64,
}

impl Compared {
    fn candidate(&self, shape: ArrayShape) -> Result<Candidate, Error> {
        let bytes = argument_bytes(&shape)?;
        let is_bitcast = self.is_bitcast_to(&shape)?;
        let moved = checked(self.bytes.checked_add(bytes), "the bytes that a relayout moves")?;
        Ok(Candidate {
            bytes,
            padding_bytes: bytes - shape.logical_bytes()?,
            is_bitcast,
            moves_bytes: if is_bitcast { 0 } else { moved },
            distance: self.distance(&shape.layout_or_default()),
            shape,
        })
    }

    fn is_bitcast_to(&self, shape: &ArrayShape) -> Result<bool, Error> {
        if self.shape.element_bits() != shape.element_bits() || self.bytes != argument_bytes(shape)?
        {
            return Ok(false);
        }
        Ok(self.map.bitcast(&shape.index_map()?)? == Bitcast::Identity)
    }

    fn distance(&self, layout: &Layout) -> u32 {
        let from = self.shape.layout_or_default();
        let doublings = log2_of_tile(&from).abs_diff(log2_of_tile(layout));
        n_swapped(from.minor_to_major(), layout.minor_to_major()).saturating_add(doublings)
    }
}

/// How many pairs of dimensions are in the other order.
fn n_swapped(a: &Permutation, b: &Permutation) -> u32 {
    let places = b.inverse();
    let pairs = a.iter().enumerate().flat_map(|(i, x)| a[i + 1..].iter().map(move |y| (x, y)));
    let swapped = pairs.filter(|(x, y)| places[**x] > places[**y]);
    u32::try_from(swapped.count()).unwrap_or(u32::MAX)
}

/// How often the elements of the first tile can be halved; of no tile, never.
fn log2_of_tile(layout: &Layout) -> u32 {
    let elements = layout.tiles().first().and_then(|tile| Tile::elements(tile).ok());
    elements.map_or(0, i64::ilog2)
}
