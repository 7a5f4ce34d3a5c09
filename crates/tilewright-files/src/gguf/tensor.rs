//! One tensor: its type, its dims and its place.

use tilewright::ElementType;
use tilewright::formats::gguf::GgufType;

use crate::error::Fault;
use crate::info::{ArrayInfo, Order};
use crate::json::shortened;

/// A tensor as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgufTensor {
    pub(super) name: String,
    pub(super) gguf_type: &'static GgufType,
    pub(super) dims: Vec<i64>,
    pub(super) file_offset: u64,
    pub(super) byte_len: u64,
}

impl GgufTensor {
    /// The name: `blk.0.attn_q.weight`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type.
    pub fn gguf_type(&self) -> &'static GgufType {
        self.gguf_type
    }

    /// The sizes of the dimensions in elements, the row's length last; each is 0 or more.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// Where its blocks begin, in bytes from the start of the file.
    pub fn file_offset(&self) -> u64 {
        self.file_offset
    }

    /// The length of its blocks in bytes.
    pub fn byte_len(&self) -> u64 {
        self.byte_len
    }

    /// The tensor as an array: of its elements, or, of a quantised one, of bytes, the last dimension
    /// being those of a row's blocks.
    ///
    /// # Errors
    ///
    /// A row has more bytes than 64 bits count, of a tensor without elements.
    pub(super) fn into_info(mut self) -> Result<ArrayInfo, Fault> {
        let record = self.gguf_type.record();
        if let (None, Some(row)) = (self.gguf_type.plain(), self.dims.last_mut()) {
            let bytes = (*row / record.elements()).checked_mul(record.bytes());
            *row = bytes.ok_or_else(|| {
                Fault::malformed(format!("tensor `{}`: a row is too long", shortened(&self.name)))
            })?;
        }
        let element_type = self.gguf_type.plain().unwrap_or(ElementType::U8);
        Ok(ArrayInfo {
            name: self.name,
            element_type,
            dims: self.dims,
            order: Order::RowMajor,
            stored_bits: element_type.storage_bits(),
            byte_len: self.byte_len,
            file_offset: self.file_offset,
            shard: 0,
            layout: None,
        })
    }
}
