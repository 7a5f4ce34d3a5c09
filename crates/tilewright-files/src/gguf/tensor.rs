//! One tensor: its type, its dims and its place.

use tilewright::ElementType;
use tilewright::formats::gguf::GgufType;

use crate::info::{ArrayInfo, Order};

/// A tensor as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgufTensor {
    pub(crate) name: String,
    pub(crate) gguf_type: &'static GgufType,
    pub(crate) dims: Vec<i64>,
    pub(crate) file_offset: u64,
    pub(crate) byte_len: u64,
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

    /// The dims of the array of bytes that a quantised tensor is stored as, the last being those of a
    /// row's blocks: `[4096,2304]` of Q4_0 of dims 4096, 4096. A plain tensor's own dims.
    pub fn stored_dims(&self) -> Vec<i64> {
        let record = self.gguf_type.record();
        let mut dims = self.dims.clone();
        if let (None, Some(row)) = (self.gguf_type.plain(), dims.last_mut()) {
            // It fits: a file opens only if the bytes of all rows do, and of one if there are none.
            *row = row.checked_div(record.elements()).unwrap_or(0).saturating_mul(record.bytes());
        }
        dims
    }

    /// The tensor as an array of its elements, or of bytes.
    pub(crate) fn into_info(self) -> ArrayInfo {
        let element_type = self.gguf_type.plain().unwrap_or(ElementType::U8);
        ArrayInfo {
            dims: self.stored_dims(),
            name: self.name,
            element_type,
            order: Order::RowMajor,
            stored_bits: element_type.storage_bits(),
            byte_len: self.byte_len,
            file_offset: self.file_offset,
            shard: 0,
            layout: None,
        }
    }
}
