//! Buffers that may be too large to be had.

use anyhow::Context;

/// Makes a buffer as long as that, if there is memory for it.
pub(crate) fn resize(buffer: &mut Vec<u8>, len: usize) -> anyhow::Result<()> {
    let more = len.saturating_sub(buffer.len());
    let room = buffer.try_reserve_exact(more);
    room.with_context(|| format!("there is not enough memory for {len} bytes"))?;
    buffer.resize(len, 0);
    Ok(())
}
