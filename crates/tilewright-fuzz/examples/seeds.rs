//! Writes the seeds of every target as files, a folder each: what libFuzzer starts from.

#![allow(clippy::print_stdout, reason = "it talks to a terminal")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs, io};

use tilewright_fuzz::{TARGETS, corpus};

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        println!("usage: seeds FOLDER");
        return ExitCode::from(2);
    };
    match write(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &std::path::Path) -> io::Result<()> {
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in corpus::seeds(target.name).iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:05}")), seed)?;
        }
    }
    Ok(())
}
