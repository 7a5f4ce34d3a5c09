//! Writes what the library writes and the command does not, for `cargo xtask faults` to disturb:
//!
//! ```text
//! written gguf SOURCE TARGET SEED    a copy of a GGUF file, its first tensor of F32 with other numbers
//! written zarr TARGET SEED           a store of 4 chunks
//! ```
//!
//! What is at the target is replaced.

use std::process::ExitCode;

use tilewright_files::{CreateOptions, Error, GgufFile, GgufSpec, ZarrStore};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["gguf", source, target, seed] => gguf(source, target, seed),
        ["zarr", target, seed] => zarr(target, seed),
        _ => return said("usage: written gguf SOURCE TARGET SEED | written zarr TARGET SEED"),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => said(&format!("error: {error}\n{}", error.help().unwrap_or_default())),
    }
}

#[expect(clippy::print_stderr, reason = "a program's words")]
fn said(words: &str) -> ExitCode {
    eprintln!("{words}");
    ExitCode::from(2)
}

/// A byte that each seed has of its own.
fn byte(seed: &str) -> u8 {
    seed.bytes().fold(0, u8::wrapping_add)
}

fn gguf(source: &str, target: &str, seed: &str) -> Result<(), Error> {
    let file = GgufFile::open(source)?;
    let specs: Vec<GgufSpec> = file.tensors().iter().map(GgufSpec::from).collect();
    let mut writer = CreateOptions::new().force().create_gguf(target, &file, &specs)?;
    let mut plain = file.tensors().iter().filter(|tensor| tensor.gguf_type().name() == "F32");
    if let Some(tensor) = plain.next() {
        let len = usize::try_from(tensor.byte_len()).unwrap_or(0);
        writer.write_tensor(tensor.name(), &vec![byte(seed); len])?;
    }
    writer.copy_rest(&file)?;
    writer.finish()
}

fn zarr(target: &str, seed: &str) -> Result<(), Error> {
    let shape = "u8[8,8]{1,0:T(2,2)}".parse().unwrap_or_else(|_| unreachable!("a sound layout"));
    let store = ZarrStore::new(target, &shape, Some(&[4, 4]))?;
    let writer = store.create(&CreateOptions::new().force())?;
    for row in 0..2 {
        for column in 0..2 {
            writer.write_chunk(&[row, column], &[byte(seed) + (2 * row + column) as u8; 16])?;
        }
    }
    writer.finish()
}
