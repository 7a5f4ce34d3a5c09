//! Operations that keep every element in its place, or ask the maps whether it can stay there.

use tilewright::xla::Layout;
use tilewright::{ArrayShape, IndexMap, Permutation};

use super::{Place, Relayout, Settled, Unsettled, descending_like, free, mismatch, moved_after};
use crate::hint::{Formats, Permuted};

/// All arrays in the format of one of them: the one for which least is moved.
pub(super) fn elementwise(
    operands: &[ArrayShape],
    result: &ArrayShape,
) -> Result<Settled, Unsettled> {
    if operands.iter().any(|operand| operand.dims() != result.dims()) {
        return mismatch("an elementwise operation's arrays all have the same dimensions");
    }
    let asked = result.layout().is_some().then_some(result);
    let mut best: Option<Settled> = None;
    for format in operands.iter().chain(asked) {
        let settled = all_like(operands, result, format)?;
        let is_better = |best: &Settled| settled.bytes_moved() < best.bytes_moved();
        if best.as_ref().is_none_or(is_better) {
            best = Some(settled);
        }
    }
    best.map_or_else(|| mismatch("there are no operands"), Ok)
}

/// What it takes for all arrays to be in one array's format.
fn all_like(
    operands: &[ArrayShape],
    result: &ArrayShape,
    format: &ArrayShape,
) -> Result<Settled, Unsettled> {
    let mut relayouts = Vec::new();
    for (number, operand) in operands.iter().enumerate() {
        if !in_step(operand, format)? {
            let (from, to) = (operand.clone(), like(operand, format)?);
            relayouts.push(Relayout { place: Place::Operand(number), from, to });
        }
    }
    let comes = like(result, format)?;
    let result = if result.layout().is_some() { result.clone() } else { comes.clone() };
    if !in_step(&result, format)? {
        relayouts.push(Relayout { place: Place::Result, from: comes, to: result.clone() });
    }
    Ok(Settled { result, relayouts })
}

/// Whether two arrays of the same dimensions place their elements alike, up to how narrow elements
/// share a word: the first tile of each decides.
fn in_step(a: &ArrayShape, b: &ArrayShape) -> Result<bool, Unsettled> {
    Ok(grid(a)?.same_as(&grid(b)?)?)
}

fn grid(array: &ArrayShape) -> Result<IndexMap, Unsettled> {
    let layout = array.layout_or_default();
    let first = layout.tiles().first().cloned();
    let layout = Layout::new(layout.minor_to_major().clone()).with_tiles(Vec::from_iter(first));
    Ok(IndexMap::from_layout(&array.sizes()?, &layout)?)
}

/// An array in the order and the first tile of another; its later tiles are those of its own
/// width, as XLA packs elements into words of 32 bits.
fn like(array: &ArrayShape, format: &ArrayShape) -> Result<ArrayShape, Unsettled> {
    let own = format.layout_or_default();
    let mut tiles: Vec<_> = own.tiles().to_vec();
    if array.element_bits() != format.element_bits() {
        tiles.truncate(1);
        let packed = i64::from(32 / array.element_bits().clamp(1, 32));
        if packed > 1 && !tiles.is_empty() {
            if tiles.iter().all(|tile| tile.dims().len() == 1) {
                tiles.push(tilewright::xla::Tile::of(&[128])?);
            }
            tiles.push(tilewright::xla::Tile::of(&[packed, 1])?);
        }
    }
    let mut layout = Layout::new(own.minor_to_major().clone()).with_tiles(tiles);
    if let Some(bits) = array.layout().and_then(Layout::element_size_in_bits) {
        layout = layout.with_element_size_in_bits(bits);
    }
    Ok(array.clone().with_layout(layout)?)
}

/// The result's layout takes up the permutation, or the result is moved.
pub(super) fn transpose(
    operand: &ArrayShape,
    result: &ArrayShape,
    permutation: &Permutation,
) -> Result<Settled, Unsettled> {
    let comes = operand.permute_dimensions(permutation)?;
    if comes.dims() != result.dims() {
        return mismatch("the result's dimensions are not the operand's, permuted");
    }
    after(comes, result)
}

/// The maps say whether the bytes can stay.
pub(super) fn reshape(operand: &ArrayShape, result: &ArrayShape) -> Result<Settled, Unsettled> {
    let map = operand.index_map()?.reshaped(&result.sizes()?)?;
    if result.layout().is_some() {
        let stays =
            map.same_as(&result.index_map()?)? && operand.element_bits() == result.element_bits();
        return Ok(match stays {
            true => free(result.clone()),
            false => moved_after(operand.clone(), result.clone()),
        });
    }
    match layout_of(&map, operand, result)? {
        Some(comes) => Ok(free(comes)),
        None => {
            let to = result.clone().with_layout(descending_like(result, operand)?)?;
            Ok(moved_after(operand.clone(), to))
        }
    }
}

/// The layout under which an array lies as a map says, if there is one among those with the tiles
/// of the array it comes of. Others there may be, but none that hardware of such tiles takes.
fn layout_of(
    map: &IndexMap,
    origin: &ArrayShape,
    result: &ArrayShape,
) -> Result<Option<ArrayShape>, Unsettled> {
    let similar = result.clone().with_layout(descending_like(result, origin)?)?;
    let candidates = Permuted.candidates(&similar);
    for candidate in std::iter::once(&similar).chain(&candidates) {
        if candidate.index_map()?.same_as(map)? {
            return Ok(Some(candidate.clone()));
        }
    }
    Ok(None)
}

/// What is left after a reduction is the operand with the reduced dimensions of size 1, reshaped.
pub(super) fn reduce(
    operand: &ArrayShape,
    result: &ArrayShape,
    dimensions: &[usize],
) -> Result<Settled, Unsettled> {
    let mut sizes = operand.sizes()?;
    for &dimension in dimensions {
        match sizes.get_mut(dimension) {
            Some(size) => *size = 1,
            None => return mismatch(format!("there is no dimension {dimension} to reduce")),
        }
    }
    let kept = ArrayShape::new(result.element_type(), &sizes)?.with_layout(bare(operand))?;
    reshape(&kept, result)
}

/// The layout of an array without what its split memories say of sizes that no longer hold.
fn bare(array: &ArrayShape) -> Layout {
    let layout = array.layout_or_default();
    Layout::new(layout.minor_to_major().clone()).with_tiles(layout.tiles().to_vec())
}

/// The operand, with the new dimensions of size 1, is to lie as the result does.
pub(super) fn broadcast(
    operand: &ArrayShape,
    result: &ArrayShape,
    dimensions: &[usize],
) -> Result<Settled, Unsettled> {
    let sizes = operand.sizes()?;
    let all = result.sizes()?;
    let is_placed = dimensions.len() == sizes.len()
        && dimensions.is_sorted_by(|a, b| a < b)
        && dimensions.iter().zip(&sizes).all(|(&dim, size)| all.get(dim) == Some(size));
    if !is_placed {
        return mismatch("the operand's dimensions are not among the result's");
    }
    let mut kept = vec![1; all.len()];
    for (&dimension, &size) in dimensions.iter().zip(&sizes) {
        if let Some(place) = kept.get_mut(dimension) {
            *place = size;
        }
    }
    let result = match result.layout() {
        Some(_) => result.clone(),
        None => result.clone().with_layout(spread(operand, result, dimensions)?)?,
    };
    let wanted = ArrayShape::new(operand.element_type(), &kept)?.with_layout(bare(&result))?;
    let moved = reshape(operand, &wanted)?.relayouts.into_iter();
    let relayouts = moved.map(|relayout| Relayout { place: Place::Operand(0), ..relayout });
    Ok(Settled { result, relayouts: relayouts.collect() })
}

/// A layout for the result of a broadcast: the operand's dimensions as they are, the new ones more
/// major.
fn spread(
    operand: &ArrayShape,
    result: &ArrayShape,
    dimensions: &[usize],
) -> Result<Layout, Unsettled> {
    let own = operand.layout_or_default();
    let old = own.minor_to_major().iter().filter_map(|&dim| dimensions.get(dim).copied());
    let new = (0..result.rank()).rev().filter(|dim| !dimensions.contains(dim));
    let order: Vec<usize> = old.chain(new).collect();
    let tiles = descending_like(result, operand)?.tiles().to_vec();
    Ok(Layout::new(Permutation::new(order)?).with_tiles(tiles))
}

/// The result as it comes, or moved into the format asked for.
fn after(comes: ArrayShape, result: &ArrayShape) -> Result<Settled, Unsettled> {
    if result.layout().is_none() {
        return Ok(free(comes));
    }
    let stays = comes.index_map()?.same_as(&result.index_map()?)?
        && comes.element_bits() == result.element_bits();
    Ok(if stays { free(result.clone()) } else { moved_after(comes, result.clone()) })
}
