//! Zarr v3 stores whose chunks are tiled buffers.
//!
//! A chunk of such a store holds, byte for byte, what a device holds of that part of the array; its
//! codecs say how that is an array, so that any reader of Zarr sees the logical array and nothing
//! is converted. A chunk is a shard, and its inner chunks are the tiles; of tiles within tiles, the
//! boxes that are in one piece, such as pairs of rows. Where there are no such boxes the codecs are
//! `reshape` and `transpose`, of which `reshape` is registered and known to few readers yet.
//!
//! A store is made in a folder of its own, beside its place, and takes that place when all its chunks
//! are there ([`writer`]): a reader finds the old store or the new one. Chunks are written in any
//! order, by any number of processes.
//!
//! Source: the Zarr v3 specification, *Sharding codec* and *Transpose codec*; zarr-extensions,
//! *reshape codec*.

mod codecs;
mod index;
mod writer;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tilewright::{ArrayShape, ElementClass, ElementType};

use crate::error::{Error, Fault};
use codecs::{Codecs, codecs};

pub use writer::ZarrWriter;

/// What a Zarr v3 array on the disk is: its metadata, its chunks, and where it will be.
/// [`create`](Self::create) begins to write one, chunk by chunk.
///
/// ```
/// use tilewright_files::ZarrStore;
/// let store = ZarrStore::new("w.zarr", &"u8[3,5]{1,0:T(2,2)}".parse()?, None)?;
/// assert_eq!((store.grid(), store.chunk().sizes()?), (&[1, 1][..], vec![4, 6]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ZarrStore {
    path: PathBuf,
    chunk: ArrayShape,
    grid: Vec<i64>,
    metadata: String,
    suffix: Vec<u8>,
    chunk_bytes: u64,
}

impl ZarrStore {
    /// What a store of this array will be: in one chunk, or in chunks of these dims, whole tiles
    /// each. Nothing is written.
    ///
    /// # Errors
    ///
    /// The layout says what Zarr cannot: elements that are not whole bytes, a rounded tail, padding
    /// within the dimensions, merged dimensions; a chunk is not of whole tiles; there are no
    /// elements.
    pub fn new(
        path: impl AsRef<Path>,
        array: &ArrayShape,
        chunk_dims: Option<&[i64]>,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::planned(path, array, chunk_dims).map_err(|fault| fault.at(path))
    }

    fn planned(path: &Path, array: &ArrayShape, chunk_dims: Option<&[i64]>) -> Result<Self, Fault> {
        let data_type = data_type(array)?;
        let chunk = chunk_of(array, chunk_dims)?;
        let Codecs { chain, suffix } = codecs(&chunk)?;
        let dims = array.sizes()?;
        let chunk_dims = chunk.sizes()?;
        let grid = dims.iter().zip(&chunk_dims).map(|(dim, chunk)| (dim - 1) / chunk + 1);
        let metadata = json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": dims,
            "data_type": data_type,
            "chunk_grid": {
                "name": "regular",
                "configuration": { "chunk_shape": chunk_dims },
            },
            "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
            "fill_value": zero(array.element_type()),
            "codecs": chain,
            "attributes": { "tilewright": { "version": 1, "layout": array.to_string() } },
        });
        Ok(ZarrStore {
            path: path.to_owned(),
            grid: grid.collect(),
            metadata: metadata.to_string(),
            suffix,
            chunk_bytes: chunk.bytes()?.unsigned_abs(),
            chunk,
        })
    }

    /// How many chunks there are along each dimension.
    pub fn grid(&self) -> &[i64] {
        &self.grid
    }

    /// One chunk as an array: its dims, whole tiles, and the layout of its buffer.
    pub fn chunk(&self) -> &ArrayShape {
        &self.chunk
    }

    /// The text of `zarr.json`.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// What follows the buffer in the file of every chunk: the index of a shard, or nothing. A chunk
    /// that ends otherwise was written by a program that has put its inner chunks elsewhere.
    pub fn suffix(&self) -> &[u8] {
        &self.suffix
    }
}

/// One chunk as an array whose every tile is full, so that its buffer has no padding.
fn chunk_of(array: &ArrayShape, chunk_dims: Option<&[i64]>) -> Result<ArrayShape, Fault> {
    let dims = match chunk_dims {
        Some(dims) => dims.to_vec(),
        None => padded_dims(array)?,
    };
    if dims.len() != array.rank() || dims.iter().any(|&size| size < 1) || array.is_empty() {
        return Err(Fault::request(format!("{array} cannot be in chunks of {dims:?}")));
    }
    let layout = array.layout_or_default();
    let chunk = ArrayShape::new(array.element_type(), &dims)?;
    let chunk = chunk.with_layout(layout)?;
    if chunk.padding_bytes()? != 0 {
        return Err(Fault::request(format!("chunks of {dims:?} are not whole tiles of {array}")));
    }
    Ok(chunk)
}

/// The array's dims with the padding of its tiles, which has to be at their ends.
fn padded_dims(array: &ArrayShape) -> Result<Vec<i64>, Fault> {
    let map = array.index_map()?;
    let dims = match array.layout_or_default().tiles() {
        [tile, ..] => codecs::tile_of_each_dim(array, tile).map(|tile| {
            let n_tiles = |size: i64, tile: i64| size / tile + i64::from(size % tile > 0);
            map.dims().iter().zip(tile).map(|(&size, tile)| n_tiles(size, tile) * tile).collect()
        }),
        [] => None,
    };
    let dims = dims.or_else(|| map.padded_dims()).filter(|dims: &Vec<i64>| {
        dims.iter().try_fold(1i64, |n, &size| n.checked_mul(size)) == Some(map.allocation())
    });
    dims.ok_or_else(|| {
        Fault::request(format!("{array} has padding elsewhere than at its dimensions' ends"))
            .help("Zarr has no codec for it; .npy and .safetensors can hold it")
    })
}

/// The name of the element type in Zarr, which is numpy's.
fn data_type(array: &ArrayShape) -> Result<&'static str, Fault> {
    let element_type = array.element_type();
    if array.element_bits() != element_type.storage_bits() {
        return Err(Fault::request(format!("{array} has elements that Zarr has no type for"))
            .help("leave out E(n)"));
    }
    Ok(element_type.numpy_name())
}

/// The value 0, as the metadata writes it.
fn zero(element_type: ElementType) -> Value {
    match element_type.class() {
        ElementClass::Boolean => json!(false),
        ElementClass::Signed | ElementClass::Unsigned => json!(0),
        ElementClass::Float => json!(0.0),
        ElementClass::Complex => json!([0.0, 0.0]),
    }
}

#[cfg(test)]
mod tests;
