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
        [tile] => match sizes_of(tile).filter(|sizes| sizes.len() <= chunk.rank()) {
            Some(sizes) => sharded(chunk, &layout, &sizes),
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

/// The sizes of a tile, unless it merges dimensions.
fn sizes_of(tile: &Tile) -> Option<Vec<i64>> {
    let size = |dim: &TileDim| match dim {
        TileDim::Size(size) => Some(*size),
        TileDim::Combine => None,
    };
    tile.dims().iter().map(size).collect()
}

fn sharded(chunk: &ArrayShape, layout: &Layout, sizes: &[i64]) -> Result<Codecs, Fault> {
    let mut inner = vec![1; chunk.rank() - sizes.len()];
    inner.extend(sizes);
    let tile_elements: i64 = sizes.iter().product();
    let n_tiles = chunk.elements()? / tile_elements.max(1);
    if n_tiles > MAX_INDEX_BYTES / 16 {
        return Err(Fault::request(format!(
            "{n_tiles} tiles are too many for the index of a shard"
        ))
        .help("choose smaller chunks"));
    }
    let shard = json!({ "name": "sharding_indexed", "configuration": {
        "chunk_shape": inner,
        "codecs": [bytes()],
        "index_codecs": [bytes(), { "name": "crc32c" }],
        "index_location": "end",
    } });
    let tile_bytes = tile_elements.unsigned_abs() * u64::from(chunk.element_bits() / 8);
    let suffix = index(n_tiles.unsigned_abs(), tile_bytes);
    let chain = transposed(&layout.major_to_minor()).into_iter().chain([shard]).collect();
    Ok(Codecs { chain, suffix })
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
