//! What a file says about its arrays, and what a caller says about arrays to be written.

use std::collections::BTreeMap;

use tilewright::ElementType;
use tilewright::text::abridged;

use crate::error::Fault;
use crate::limits::{MAX_ARRAY_BYTES, MAX_NAME_BYTES, MAX_RANK};

/// The user's own entries in a safetensors file's `__metadata__`: text to text.
///
/// The entry `tilewright`, which holds the layouts, is never among them.
pub type Metadata = BTreeMap<String, String>;

/// Which dimension of the stored array varies fastest from one element to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last: C order. All formats but .npy know only this.
    #[default]
    RowMajor,
    /// The first: Fortran order.
    ColumnMajor,
}

/// How the stored array is to be understood: the logical shape and its layout.
///
/// Both are text that this crate keeps and never reads.
///
/// ```
/// use tilewright_files::StoredLayout;
/// let layout = StoredLayout::new("bf16[30,300]{1,0:T(8,128)(2,1)}", "0");
/// assert_eq!(layout.pad, "0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoredLayout {
    /// The logical shape and its layout in any notation: `bf16[30,300]{1,0:T(8,128)(2,1)}`.
    pub layout: String,
    /// The value that the padding holds: `0`.
    pub pad: String,
}

impl StoredLayout {
    /// A layout, and the value of its padding.
    pub fn new(layout: impl Into<String>, pad: impl Into<String>) -> Self {
        StoredLayout { layout: layout.into(), pad: pad.into() }
    }
}

/// One array as a file holds it: the physical array, and its layout where one is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    pub(crate) name: String,
    pub(crate) element_type: ElementType,
    pub(crate) dims: Vec<i64>,
    pub(crate) order: Order,
    pub(crate) stored_bits: u32,
    pub(crate) byte_len: u64,
    pub(crate) file_offset: u64,
    pub(crate) shard: usize,
    pub(crate) layout: Option<StoredLayout>,
}

impl ArrayInfo {
    /// The name: the key of a safetensors header, the file stem of a .npy or raw file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the stored elements. Packed sub-byte data is stored as `u8`; its true type is
    /// in the [`layout`](Self::layout).
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The sizes of the stored array's dimensions, in elements; each is 0 or more.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// Which dimension varies fastest.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The bits of one element in the file: 4 and 6 for the F4 and F6 types of safetensors, which
    /// are packed without gaps, else a multiple of 8.
    pub fn stored_bits(&self) -> u32 {
        self.stored_bits
    }

    /// The length of the array's data in bytes: the product of [`dims`](Self::dims) times
    /// [`stored_bits`](Self::stored_bits) / 8, exactly.
    pub fn byte_len(&self) -> u64 {
        self.byte_len
    }

    /// Where the array's data begins in its file, in bytes from the start of the file.
    pub fn file_offset(&self) -> u64 {
        self.file_offset
    }

    /// Which shard holds it: an index into [`ArrayFile::shards`](crate::ArrayFile::shards), 0 for
    /// a single file.
    pub fn shard(&self) -> usize {
        self.shard
    }

    /// Whether `next` begins where this ends, in the same file.
    pub fn is_followed_by(&self, next: &ArrayInfo) -> bool {
        self.shard == next.shard
            && self.file_offset.checked_add(self.byte_len) == Some(next.file_offset)
    }

    /// The logical shape and layout, where the file or its side file records one.
    pub fn layout(&self) -> Option<&StoredLayout> {
        self.layout.as_ref()
    }
}

/// One array to be written: what the caller knows before the first byte.
///
/// ```
/// use tilewright_files::{ArraySpec, StoredLayout};
/// use tilewright::ElementType;
/// let spec = ArraySpec::new("w", ElementType::Bf16, [4, 3, 4, 128, 2])
///     .layout(StoredLayout::new("bf16[30,300]{1,0:T(8,128)(2,1)}", "0"));
/// # let _ = spec;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArraySpec {
    pub(crate) name: String,
    pub(crate) element_type: ElementType,
    pub(crate) dims: Vec<i64>,
    pub(crate) order: Order,
    pub(crate) shard: usize,
    pub(crate) layout: Option<StoredLayout>,
}

impl ArraySpec {
    /// An array of these dims (in elements), in C order, in the first shard, without a layout.
    ///
    /// A .npy or raw file has no room for `name`: its array is named after the file.
    pub fn new(
        name: impl Into<String>,
        element_type: ElementType,
        dims: impl Into<Vec<i64>>,
    ) -> Self {
        ArraySpec {
            name: name.into(),
            element_type,
            dims: dims.into(),
            order: Order::RowMajor,
            shard: 0,
            layout: None,
        }
    }

    /// The dims, as they are to be stored.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// Says which dimension varies fastest. Only .npy can store [`Order::ColumnMajor`].
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Says which shard of a folder it goes to: an index into the shards given to
    /// [`CreateOptions::shards`](crate::CreateOptions::shards).
    pub fn shard(mut self, shard: usize) -> Self {
        self.shard = shard;
        self
    }

    /// Which shard it goes to.
    pub fn shard_number(&self) -> usize {
        self.shard
    }

    /// Records the logical shape and layout beside the array.
    pub fn layout(mut self, layout: StoredLayout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// The array as the file will hold it, its place still to be found.
    pub(crate) fn into_info(self, stored_bits: u32) -> Result<ArrayInfo, Fault> {
        check_name(&self.name)?;
        let byte_len = byte_len(&self.dims, stored_bits).map_err(|fault| {
            Fault::request(format!("array `{}`: {fault}", abridged(&self.name)))
        })?;
        Ok(ArrayInfo {
            name: self.name,
            element_type: self.element_type,
            dims: self.dims,
            order: self.order,
            stored_bits,
            byte_len,
            file_offset: 0,
            shard: self.shard,
            layout: self.layout,
        })
    }

    /// Refuses Fortran order where the format has no way to say it.
    pub(crate) fn require_row_major(&self, format: &str) -> Result<(), Fault> {
        match self.order {
            Order::RowMajor => Ok(()),
            Order::ColumnMajor => Err(Fault::request(format!(
                "array `{}` is in Fortran order, which {format} cannot store",
                abridged(&self.name)
            ))),
        }
    }
}

/// One file of a sharded folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    pub(crate) name: String,
    pub(crate) metadata: Metadata,
}

impl Shard {
    /// A shard of this file name, `model-00001-of-00002.safetensors`, with its own metadata.
    pub fn new(name: impl Into<String>, metadata: Metadata) -> Self {
        Shard { name: name.into(), metadata }
    }

    /// The file's name in the folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the file's `__metadata__` says, other than layouts.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

/// The bytes of an array of `dims` whose elements take `bits` each.
///
/// The product of the non-zero sizes must fit too, so that strides made from it do.
pub(crate) fn byte_len(dims: &[i64], bits: u32) -> Result<u64, Fault> {
    check_rank(dims.len())?;
    let mut total_bits = u128::from(bits);
    let mut empty = false;
    for &size in dims {
        let size = u64::try_from(size)
            .map_err(|_| Fault::malformed(format!("dims hold the negative size {size}")))?;
        empty |= size == 0;
        total_bits = bounded_product(total_bits, size.max(1))?;
    }
    if !empty && !total_bits.is_multiple_of(8) {
        return Err(Fault::malformed(format!("{total_bits} bits are not a whole number of bytes")));
    }
    let bytes = if empty { 0 } else { total_bits / 8 };
    u64::try_from(bytes).map_err(|_| too_large())
}

pub(crate) fn check_rank(rank: usize) -> Result<(), Fault> {
    match rank {
        0..=MAX_RANK => Ok(()),
        _ => Err(Fault::limit("the number of dimensions", rank as u128, MAX_RANK as u64)),
    }
}

pub(crate) fn check_name(name: &str) -> Result<(), Fault> {
    match name.len() {
        0..=MAX_NAME_BYTES => Ok(()),
        long => Err(Fault::limit("the length of a name", long as u128, MAX_NAME_BYTES as u64)),
    }
}

/// Two factors below 2^67 and 2^64 cannot overflow a `u128`, and the result is kept below 2^67.
fn bounded_product(bits: u128, size: u64) -> Result<u128, Fault> {
    let product = bits.checked_mul(u128::from(size)).ok_or_else(too_large)?;
    if product.div_ceil(8) > u128::from(MAX_ARRAY_BYTES) { Err(too_large()) } else { Ok(product) }
}

fn too_large() -> Fault {
    Fault::malformed(format!(
        "the product of the dims is over the limit of {MAX_ARRAY_BYTES} bytes"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dims: &[i64], bits: u32, expected: Result<u64, &str>) {
        match (byte_len(dims, bits), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(fault), Err(fragment)) => assert!(fault.to_string().contains(fragment), "{fault}"),
            (found, expected) => panic!("{dims:?} x {bits}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn lengths() {
        check(&[], 32, Ok(4));
        check(&[3, 5], 16, Ok(30));
        check(&[0, 5], 16, Ok(0));
        check(&[4], 6, Ok(3));
        check(&[3], 4, Err("12 bits are not a whole number of bytes"));
        check(&[0, 3], 4, Ok(0));
        check(&[i64::MAX], 8, Ok(i64::MAX as u64));
        check(&[i64::MAX], 16, Err("over the limit"));
        check(&[i64::MAX, i64::MAX, i64::MAX], 128, Err("over the limit"));
        check(&[i64::MAX, 2, 0], 8, Err("over the limit"));
        check(&[0, i64::MAX, 2], 8, Err("over the limit"));
        check(&[-1], 8, Err("negative size -1"));
        check(&[1; 64], 8, Ok(1));
        check(&[1; 65], 8, Err("is 65, over the limit of 64"));
    }
}
