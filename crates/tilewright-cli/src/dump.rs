//! The bytes of a dump, from a file, a pipe or stdin, and what that is called.

use std::fs::{File, FileType};
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, bail};

/// The most bytes that are read of what is no regular file.
const MAX_STREAM: u64 = 1 << 30;

/// The bytes of a file, or of stdin. Nothing is read of a device, which may have no end, nor more
/// than [`MAX_STREAM`] bytes of a pipe, whose end is not known before it is there.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = if path == Path::new("-") {
        stdin_kind().and_then(check_kind).and_then(|()| read_stream(io::stdin().lock()))
    } else {
        let kind = std::fs::metadata(path).with_context(|| name(path))?.file_type();
        match kind.is_file() || kind.is_dir() {
            // As large as memory is.
            true => std::fs::read(path).map_err(anyhow::Error::from),
            false => check_kind(Some(kind)).and_then(|()| read_stream(File::open(path)?)),
        }
    };
    bytes.with_context(|| name(path))
}

/// What kind of file stdin is, where that can be asked.
#[cfg(unix)]
fn stdin_kind() -> anyhow::Result<Option<FileType>> {
    use std::os::fd::AsFd;
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    Ok(Some(File::from(stdin).metadata()?.file_type()))
}

#[cfg(not(unix))]
fn stdin_kind() -> anyhow::Result<Option<FileType>> {
    Ok(None)
}

#[cfg(unix)]
fn check_kind(kind: Option<FileType>) -> anyhow::Result<()> {
    use std::os::unix::fs::FileTypeExt;
    match kind.is_some_and(|kind| kind.is_char_device() || kind.is_block_device()) {
        true => bail!("it is a device, which may have no end; expected a file or a pipe"),
        false => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_kind(_: Option<FileType>) -> anyhow::Result<()> {
    Ok(())
}

/// All bytes of a stream, if they are not too many.
fn read_stream(stream: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(MAX_STREAM + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_STREAM {
        true => bail!(
            "it has more than the limit of {MAX_STREAM} bytes that are read of a pipe\n  = help: \
             write it to a file, which may be as long as memory holds"
        ),
        false => Ok(bytes),
    }
}

/// The name of a file in messages.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") { "stdin".to_owned() } else { path.display().to_string() }
}
