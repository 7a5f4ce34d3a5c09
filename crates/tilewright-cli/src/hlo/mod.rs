//! `tilewright hlo`: what a module's layouts cost.

mod difference;
mod words;

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use tilewright_hlo::{Change, Dump, Report};

use crate::Answer;
use crate::args::HloArgs;
use crate::console::Console;
use crate::failure::Failure;

/// The most bytes that are read of what is no regular file.
const MAX_STREAM: u64 = 1 << 30;

pub(crate) fn run(args: &HloArgs, console: &mut Console) -> Result<Answer, Failure> {
    let report = report(&args.file, console)?;
    if let Some(other) = &args.diff {
        let other = self::report(other, console)?;
        let change = Change::between(&report, &other);
        console.answer(&change, || difference::text(&change, args.top))?;
        return Ok(Answer::Yes);
    }
    if let Some(page) = &args.html {
        let mut file = create(page, args).with_context(|| page.display().to_string())?;
        file.write_all(report.to_html().as_bytes())?;
        console.note(&format!("wrote {}", page.display()));
    }
    console.answer(&report, || words::text(&report, args.top))?;
    Ok(Answer::Yes)
}

/// The report on a file. What was not understood of it is said on stderr.
fn report(path: &Path, console: &Console) -> Result<Report, Failure> {
    let bytes = read(path)?;
    let (text, replaced) = tilewright_hlo::decoded(&bytes);
    let dump = Dump::read(&text);
    if dump.module.is_none() && dump.memory_report.is_none() {
        return Err(nothing(path, &dump).into());
    }
    let mut report = Report::of(&dump);
    report.findings.extend(replaced);
    for finding in &report.findings {
        console.note(&format!("warning: {}: {finding}", shown(path)));
    }
    if report.more_findings > 0 {
        console.note(&format!("warning: {}: {} more", shown(path), report.more_findings));
    }
    Ok(report)
}

fn nothing(path: &Path, dump: &Dump<'_>) -> anyhow::Error {
    let lines = match dump.lines_skipped {
        0 => "it is empty".to_owned(),
        1 => "its only line is neither".to_owned(),
        n => format!("none of its {n} lines begins one"),
    };
    anyhow::anyhow!("{}: no HLO module and no out-of-memory report: {lines}", shown(path))
}

/// The bytes of a file, or of stdin. Nothing is read of a device, which may have no end, nor more
/// than [`MAX_STREAM`] bytes of a pipe, whose end is not known before it is there.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = if path == Path::new("-") {
        stdin_kind().and_then(check_kind).and_then(|()| read_stream(io::stdin().lock()))
    } else {
        let kind = std::fs::metadata(path).with_context(|| shown(path))?.file_type();
        match kind.is_file() || kind.is_dir() {
            // As large as memory is.
            true => std::fs::read(path).map_err(anyhow::Error::from),
            false => check_kind(Some(kind)).and_then(|()| read_stream(File::open(path)?)),
        }
    };
    bytes.with_context(|| shown(path))
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
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "stdin".to_owned() } else { path.display().to_string() }
}

/// The file for a page. One that is there is replaced only if that was asked for.
fn create(path: &Path, args: &HloArgs) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).truncate(true).create(args.force).create_new(!args.force);
    options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => anyhow::anyhow!("{error}\n  = help: --force replaces it"),
        _ => error.into(),
    })
}
