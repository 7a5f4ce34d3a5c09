//! How Zarr says that the bytes of a chunk are a tiled buffer.

use serde_json::{Value, json};
use tilewright::map::Source;
use tilewright::xla::{Tile, TileDim};
use tilewright::{ArrayShape, IndexMap};

use super::index::index;
use crate::error::Fault;

/// The most bytes that the index of a shard may take: of so many tiles that something is wrong.
const MAX_INDEX_BYTES: i64 = 1 << 30;

/// What the index of a shard has for each inner chunk: an offset and a length.
const INDEX_ENTRY_BYTES: u64 = 16;

/// The codecs of a chunk, and the bytes that follow its buffer.
pub(super) struct Codecs {
    pub(super) chain: Vec<Value>,
    pub(super) suffix: Vec<u8>,
}

/// The codecs under which the buffer of an array that fills its tiles is a chunk.
///
/// One tile level, of no more dimensions than the array: a shard whose inner chunks are the tiles.
/// More levels: a shard of *bricks*, the largest boxes that memory has in one piece and in the order
/// of a transposition. Of `T(8,128)(2,1)` that is a pair of rows, 2 × 128. The index of a shard says
/// of each inner chunk where it is, so bricks may come in whatever order tiles within tiles have, and
/// every reader of Zarr knows shards. Where bricks are smaller than their entries in the index, as of
/// `{0:T(1024)(128)(2,1)}` whose neighbours in memory are 128 apart: `reshape` to the digits and
/// `transpose`.
pub(super) fn codecs(chunk: &ArrayShape) -> Result<Codecs, Fault> {
    let layout = chunk.layout_or_default();
    let order = layout.major_to_minor();
    match layout.tiles() {
        [] => return Ok(Codecs { chain: dense(&order), suffix: Vec::new() }),
        [tile] => {
            if let Some(dims) = tile_of_each_dim(chunk, tile) {
                return sharded(chunk, &Brick { dims, order: order.to_vec() });
            }
        }
        _ => {}
    }
    match Brick::of(chunk)? {
        brick if brick.bytes(chunk) >= INDEX_ENTRY_BYTES => sharded(chunk, &brick),
        _ => permuted(chunk),
    }
}

/// A box of elements that memory has in one piece.
struct Brick {
    dims: Vec<i64>,
    /// Its dimensions, the one that varies slowest in memory first.
    order: Vec<usize>,
}

impl Brick {
    /// The largest one: the digits from the minor end on that are each the lowest of their
    /// dimension, as far as one follows the other without a gap.
    fn of(chunk: &ArrayShape) -> Result<Self, Fault> {
        let map = chunk.index_map()?;
        let mut dims = vec![1; chunk.rank()];
        let mut minor_first = Vec::new();
        let mut stride = 1;
        for digit in map.digits().iter().rev() {
            let Source::Dim(dim) = digit.source else { break };
            let size = map.extent(digit);
            if digit.stride != stride || digit.divisor != 1 || map.dims()[dim] % size != 0 {
                break;
            }
            dims[dim] = size;
            stride *= size;
            minor_first.push(dim);
        }
        // Dimensions of which a brick has one element are anywhere.
        let rest = (0..chunk.rank()).filter(|dim| !minor_first.contains(dim));
        let order = rest.chain(minor_first.iter().rev().copied()).collect();
        Ok(Brick { dims, order })
    }

    fn elements(&self) -> i64 {
        self.dims.iter().product()
    }

    fn bytes(&self, chunk: &ArrayShape) -> u64 {
        self.elements().unsigned_abs() * u64::from(chunk.element_bits() / 8)
    }
}

fn dense(major_to_minor: &[usize]) -> Vec<Value> {
    transposed(major_to_minor).into_iter().chain([bytes()]).collect()
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

/// A shard of bricks. Inner chunks are numbered by the dimensions in their logical order, and the
/// index says where each is; within a brick, `transpose` has the order of memory.
fn sharded(chunk: &ArrayShape, brick: &Brick) -> Result<Codecs, Fault> {
    let dims = chunk.sizes()?;
    if dims == brick.dims {
        return Ok(Codecs { chain: dense(&brick.order), suffix: Vec::new() });
    }
    let grid: Vec<i64> = dims.iter().zip(&brick.dims).map(|(size, brick)| size / brick).collect();
    check_count(&grid)?;
    let shard = json!({ "name": "sharding_indexed", "configuration": {
        "chunk_shape": brick.dims,
        "codecs": dense(&brick.order),
        "index_codecs": [bytes(), { "name": "crc32c" }],
        "index_location": "end",
    } });
    let places = places(chunk, &grid, brick)?;
    Ok(Codecs { chain: vec![shard], suffix: index(places.into_iter(), brick.bytes(chunk)) })
}

/// Which of the bricks in memory each inner chunk is.
fn places(chunk: &ArrayShape, grid: &[i64], brick: &Brick) -> Result<Vec<u64>, Fault> {
    let map = chunk.index_map()?;
    let mut indices = ArrayShape::new(chunk.element_type(), grid)?.indices()?;
    let mut places = Vec::new();
    while let Some(at) = indices.advance() {
        let first: Vec<i64> = at.iter().zip(&brick.dims).map(|(at, size)| at * size).collect();
        places.push(map.offset(&first)?.unsigned_abs() / brick.elements().unsigned_abs());
    }
    Ok(places)
}

fn check_count(grid: &[i64]) -> Result<(), Fault> {
    let n_tiles: i64 = grid.iter().product();
    if n_tiles > MAX_INDEX_BYTES / INDEX_ENTRY_BYTES.cast_signed() {
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
