//! How Zarr says that the bytes of a chunk are a tiled buffer.

use serde_json::{Value, json};
use tilewright::map::Source;
use tilewright::xla::{Layout, Tile, TileDim};
use tilewright::{ArrayShape, IndexMap};

use super::index::index;
use crate::error::Fault;

/// The most bytes that the index of a shard may take: of so many tiles that something is wrong.
const MAX_INDEX_BYTES: i64 = 1 << 30;

/// The codecs of a chunk, and the bytes that follow its buffer.
pub(super) struct Codecs {
    pub(super) chain: Vec<Value>,
    pub(super) suffix: Vec<u8>,
}

/// The codecs under which the buffer of an array that fills its tiles is a chunk.
///
/// One tile level, of no more dimensions than the array: a shard whose inner chunks are the tiles,
/// which every reader of Zarr knows. Anything else that permutes the digits of single dimensions:
/// `reshape` to the digits and `transpose`.
pub(super) fn codecs(chunk: &ArrayShape) -> Result<Codecs, Fault> {
    let layout = chunk.layout_or_default();
    match layout.tiles() {
        [] => Ok(Codecs { chain: dense(&layout), suffix: Vec::new() }),
        [tile] => match tile_of_each_dim(chunk, tile) {
            Some(inner) => sharded(chunk, &layout, &inner),
            None => permuted(chunk),
        },
        _ => permuted(chunk),
    }
}

fn dense(layout: &Layout) -> Vec<Value> {
    transposed(&layout.major_to_minor()).into_iter().chain([bytes()]).collect()
}

/// The codec that permutes dimensions, if any is permuted.
fn transposed(order: &[usize]) -> Option<Value> {
    let is_identity = order.iter().enumerate().all(|(place, dim)| place == *dim);
    (!is_identity)
        .then(|| json!({ "name": "transpose", "configuration": { "order": order.to_vec() } }))
}

fn bytes() -> Value {
    json!({ "name": "bytes", "configuration": { "endian": "little" } })
}

/// How many elements of each logical dimension a tile has, unless it merges dimensions or has more
/// than the array.
pub(super) fn tile_of_each_dim(array: &ArrayShape, tile: &Tile) -> Option<Vec<i64>> {
    let order = array.layout_or_default().major_to_minor();
    let n_leading = array.rank().checked_sub(tile.dims().len())?;
    let mut sizes = vec![1; array.rank()];
    for (&dim, tiled) in order[n_leading..].iter().zip(tile.dims()) {
        sizes[dim] = match tiled {
            TileDim::Size(size) => *size,
            TileDim::Combine => return None,
        };
    }
    Some(sizes)
}

/// A shard of tiles. Inner chunks are numbered by the dimensions in their logical order, and the
/// index says where each is; within a tile, `transpose` has the order of memory.
fn sharded(chunk: &ArrayShape, layout: &Layout, inner: &[i64]) -> Result<Codecs, Fault> {
    let dims = chunk.sizes()?;
    let grid: Vec<i64> = dims.iter().zip(inner).map(|(size, tile)| size / tile).collect();
    check_count(&grid)?;
    let shard = json!({ "name": "sharding_indexed", "configuration": {
        "chunk_shape": inner,
        "codecs": dense(layout),
        "index_codecs": [bytes(), { "name": "crc32c" }],
        "index_location": "end",
    } });
    // The grid of tiles in memory is dense, and so a layout of its own.
    let tiles =
        IndexMap::from_layout(&grid, &Layout::from_major_to_minor(&layout.major_to_minor()))?
            .offsets()?;
    let tile_bytes =
        inner.iter().product::<i64>().unsigned_abs() * u64::from(chunk.element_bits() / 8);
    let suffix = index(tiles.iter().map(|tile| tile.unsigned_abs()), tile_bytes);
    Ok(Codecs { chain: vec![shard], suffix })
}

fn check_count(grid: &[i64]) -> Result<(), Fault> {
    let n_tiles: i64 = grid.iter().product();
    if n_tiles > MAX_INDEX_BYTES / 16 {
        return Err(Fault::request(format!(
            "{n_tiles} tiles are too many for the index of a shard"
        ))
        .help("choose smaller chunks"));
    }
    Ok(())
}

/// `reshape` to the digits of every dimension, and `transpose` to the order that memory has.
fn permuted(chunk: &ArrayShape) -> Result<Codecs, Fault> {
    let map = chunk.index_map()?;
    let digits = digits_of(&map).ok_or_else(|| {
        Fault::request(format!("{chunk} is not a permutation of its dimensions' digits"))
            .help("Zarr has no codec for it; .npy and .safetensors can hold it")
    })?;
    let mut order: Vec<usize> = (0..digits.len()).collect();
    order.sort_by_key(|&digit| std::cmp::Reverse(digits[digit].1));
    let extents: Vec<i64> = digits.iter().map(|digit| digit.0).collect();
    let reshape = json!({ "name": "reshape", "configuration": { "shape": extents } });
    let chain = [reshape].into_iter().chain(transposed(&order)).chain([bytes()]).collect();
    Ok(Codecs { chain, suffix: Vec::new() })
}

/// The extent and the stride of every digit, dimension by dimension, the major ones first; if that
/// is all there is to the map: no gaps, nothing merged.
fn digits_of(map: &IndexMap) -> Option<Vec<(i64, i64)>> {
    let mut digits = Vec::new();
    for (dim, &extent) in map.dims().iter().enumerate() {
        let of_dim = map.digits().iter().filter(|digit| digit.source == Source::Dim(dim));
        let mut of_dim: Vec<_> = of_dim.copied().collect();
        of_dim.sort_by_key(|digit| std::cmp::Reverse(digit.divisor));
        let found: Vec<(i64, i64)> =
            of_dim.iter().map(|digit| (map.extent(digit), digit.stride)).collect();
        if found.iter().map(|(count, _)| count).product::<i64>() != extent {
            return None;
        }
        // A dimension of one element has no digit, and still has to be in the shape.
        digits.extend(if found.is_empty() { vec![(1, 0)] } else { found });
    }
    let is_whole = map.is_separable() && map.base() == 0 && map.allocation() == map.elements();
    is_whole.then_some(digits)
}
