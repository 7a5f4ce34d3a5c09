//! Offsets as a .npy file.

use std::path::Path;

use tilewright::ElementType;
use tilewright_files::{ArraySpec, CreateOptions, Format};

use crate::console::Console;
use crate::failure::Failure;
use crate::input::explained;

/// How many offsets are turned into bytes at a time.
const PIECE: usize = 1 << 16;

/// Writes the offsets of an array of these dims as int64 of the same dims.
pub(crate) fn write(
    path: &Path,
    dims: &[i64],
    offsets: &[i64],
    force: bool,
    console: &Console,
) -> Result<(), Failure> {
    crate::input::refuse_dash(path)?;
    crate::signals::leave_nothing(console.is_json())?;
    let options = if force { CreateOptions::new().force() } else { CreateOptions::new() };
    let spec = ArraySpec::new("offsets", ElementType::S64, dims);
    let mut writer = options.create(path, Format::Npy, &[spec]).map_err(explained)?;
    for piece in offsets.chunks(PIECE) {
        let bytes: Vec<u8> = piece.iter().flat_map(|offset| offset.to_le_bytes()).collect();
        writer.append(0, &bytes).map_err(anyhow::Error::from)?;
    }
    writer.finish().map_err(explained)?;
    console.note(&format!("{} offsets in {}", offsets.len(), path.display()));
    Ok(())
}
