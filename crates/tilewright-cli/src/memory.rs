//! Buffers that may be too large to be had.

use anyhow::Context;
use tilewright_files::Buffer;

/// Makes a buffer as long as that, if there is memory for it. What it holds is not said.
pub(crate) fn reset(buffer: &mut Buffer, len: usize) -> anyhow::Result<()> {
    buffer.reset(len).with_context(|| format!("there is not enough memory for {len} bytes"))
}
