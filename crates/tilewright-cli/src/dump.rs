//! The bytes of a dump, from a file, a pipe or stdin, and what that is called.

use std::fs::{File, FileType};
use std::io::{self, IsTerminal, Read};
use std::ops::Deref;
use std::path::Path;

use anyhow::{Context, bail};
use tilewright_files::Buffer;

/// The most bytes that are read of what is no regular file.
const MAX_STREAM: u64 = 1 << 30;

/// Bytes, wherever they are.
pub(crate) type Bytes = Box<dyn Deref<Target = [u8]>>;

/// The bytes of a file, or of stdin. Nothing is read of a device, which may have no end, nor more
/// than [`MAX_STREAM`] bytes of a pipe, whose end is not known before it is there.
pub(crate) fn read(path: &Path) -> anyhow::Result<Bytes> {
    let stream = |bytes: Vec<u8>| -> Bytes { Box::new(bytes) };
    let bytes = if path == Path::new("-") {
        let checked = stdin_kind().and_then(check_kind);
        checked.and_then(|()| read_stream(io::stdin().lock())).map(stream)
    } else {
        let kind = std::fs::metadata(path).with_context(|| name(path))?.file_type();
        match kind.is_file() || kind.is_dir() {
            // As large as memory is.
            true => read_whole(path).map_err(anyhow::Error::from),
            false => {
                check_kind(Some(kind)).and_then(|()| read_stream(File::open(path)?)).map(stream)
            }
        }
    };
    bytes.with_context(|| name(path))
}

/// The bytes of a regular file, into huge pages: a large one is mostly waited for page by page.
fn read_whole(path: &Path) -> io::Result<Bytes> {
    let mut file = File::open(path)?;
    let size = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    let mut buffer = Buffer::new();
    buffer.reset(size)?;
    let mut n = 0;
    while n < size {
        match file.read(&mut buffer[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // Somebody may be writing it.
    let mut rest = Vec::new();
    if file.read_to_end(&mut rest)? > 0 {
        return Ok(Box::new([&buffer[..n], &rest].concat()));
    }
    buffer.reset(n)?;
    Ok(Box::new(buffer))
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
