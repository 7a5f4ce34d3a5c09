//! `cargo xtask oracle [NAME…]`: makes the frozen test data again, from the real things.
//!
//! Each script in `xtask/oracle` asks one oracle (XLA's own parser in `jaxlib`, the TPU compiler in
//! `libtpu`, numpy, two CuTe implementations, CUTLASS's headers, oneDNN, ggml's `gguf`) and writes one
//! file under `crates/tilewright/tests/data`; `hlo` and `hlo-memory` fill folders of their own. The tests
//! read those files; neither building nor testing needs this command, Python or a network. The scripts are
//! deterministic: with the pinned versions a second run changes no byte.
//!
//! The Python packages, pinned in `xtask/oracle/requirements.txt`, go into `.venv-oracle`, which git
//! ignores. `onednn` needs a C compiler and libdnnl besides, `catalogue-cutlass` and `catalogue-llamacpp` a C++
//! compiler. The packing functions of quantisation libraries (`catalogue-packers`, `checkpoint-packers`,
//! `catalogue-paddle`) and Triton's layouts (`catalogue-triton`) need torch and Paddle, 6 GB in
//! `.venv-oracle-packers`, and are asked only by name.
//!
//! `emit`, also only by name, makes nothing: the code that `tilewright-emit` writes is compiled and run by MLIR
//! (`emit-mlir`), POCL (`emit-opencl`), lavapipe through `wgpu` (`emit-wgsl`), NVRTC (`emit-nvrtc`), CUTLASS's headers (`emit-cute`) and Triton
//! (`emit-triton`), and compared with tables of the map. Debian's packages are installed where root may.

mod emit;
mod hlo;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::environment::{Environment, root, succeed};
use hlo::{FOLDERS, Folder};

/// The data files, in the order they are made; `a-b.tsv` is made by `a_b.py`.
const FILES: &[&str] = &[
    "xla-text.tsv",
    "xla-mutated.tsv",
    "xla-proto.tsv",
    "xla-validate.tsv",
    "pad-reshape-transpose.jsonl",
    "libtpu-bytes.tsv",
    "tpu-layouts.tsv",
    "tpu-sizes.tsv",
    "cute-pycute.tsv",
    "cute-tensor-layouts.tsv",
    "analysis-tensor-layouts.tsv",
    "onednn.tsv",
    "numpy-strides.tsv",
    "gguf-codes.tsv",
    "gguf-mixed.gguf",
    "gguf-rewritten.tsv",
    "catalogue-cutlass.tsv",
    "catalogue-llamacpp.tsv",
];

/// Those that are made only where they are named: their packages are many and large.
const FILES_BY_NAME: &[&str] = &[
    "catalogue-packers.tsv",
    "catalogue-paddle.tsv",
    "catalogue-triton.tsv",
    "checkpoint-packers.tsv",
];

/// Runs the scripts named in `args` (`xla-text`, `libtpu-bytes`, `emit`, …), or all but the large ones and the
/// checks of emitted code.
pub(crate) fn run(args: &[String]) -> ExitCode {
    match chosen(args).and_then(|names| make(&names)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            report(&message);
            ExitCode::from(2)
        }
    }
}

/// The files and folders to make. A name may leave out its extension.
fn chosen(args: &[String]) -> Result<Vec<&'static str>, String> {
    if args.is_empty() {
        return Ok(all().filter(|name| !FILES_BY_NAME.contains(name)).collect());
    }
    args.iter().map(|name| named(name)).collect()
}

/// What can be made, in order.
fn all() -> impl Iterator<Item = &'static str> {
    let folders = FOLDERS.iter().map(|folder| folder.name);
    FILES.iter().chain(FILES_BY_NAME).copied().chain(folders)
}

/// What is run only where it is named, and makes nothing.
fn checks() -> impl Iterator<Item = &'static str> {
    std::iter::once(emit::ALL).chain(emit::TOOLS.iter().map(|tool| tool.name))
}

fn named(name: &str) -> Result<&'static str, String> {
    let mut known = all().chain(checks());
    known.find(|file| *file == name || stem(file) == name).ok_or_else(|| {
        let known: Vec<&str> = all().chain(checks()).map(stem).collect();
        format!("no oracle is called `{name}`; there are {}", known.join(", "))
    })
}

fn stem(file: &str) -> &str {
    file.split('.').next().unwrap_or(file)
}

fn make(names: &[&str]) -> Result<(), String> {
    let root = root()?;
    let scripts = root.join("xtask/oracle");
    let data = root.join("crates/tilewright/tests/data");
    fs::create_dir_all(&data).map_err(|error| format!("{}: {error}", data.display()))?;
    for file in names {
        if checks().any(|check| check == *file) {
            emit::named(file).try_for_each(|tool| tool.run(&root))?;
            continue;
        }
        let python = python_of(file, &root)?;
        if let Some(folder) = Folder::named(file) {
            folder.make(&root, &python)?;
            continue;
        }
        let script = scripts.join(stem(file).replace('-', "_") + ".py");
        // -B: no `__pycache__` beside the sources. The script prints the line that says what it wrote.
        succeed(Command::new(&python).arg("-B").arg(script).arg(data.join(file)))?;
    }
    Ok(())
}

/// The Python that has the packages of a script, installed where they are not yet.
fn python_of(file: &str, root: &Path) -> Result<PathBuf, String> {
    let (home, requirements) = match FILES_BY_NAME.contains(&file) {
        true => (".venv-oracle-packers", "requirements-packers.txt"),
        false => (".venv-oracle", "requirements.txt"),
    };
    let environment = Environment {
        system: "python3",
        home: &root.join(home),
        requirements: &root.join("xtask/oracle").join(requirements),
        options: &[],
        pip_options: &["--no-deps"],
    };
    environment.python()
}

#[expect(clippy::print_stderr, reason = "a developer's command: this is its diagnostic")]
fn report(message: &str) {
    eprintln!("oracle: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_script() {
        for file in FILES.iter().chain(FILES_BY_NAME) {
            let script = format!("oracle/{}.py", stem(file).replace('-', "_"));
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(script).is_file(), "{file}");
        }
        let scripts = FOLDERS.iter().map(|folder| folder.script);
        for script in scripts.chain(emit::TOOLS.iter().map(|tool| tool.checker.path())) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle").join(script);
            assert!(path.is_file() || path.join("Cargo.toml").is_file(), "{script}");
        }
    }

    #[test]
    fn names_may_leave_out_the_extension() {
        let names = ["xla-text".to_owned(), "libtpu-bytes.tsv".to_owned()];
        assert_eq!(chosen(&names), Ok(vec!["xla-text.tsv", "libtpu-bytes.tsv"]));
        assert_eq!(chosen(&["hlo-memory".to_owned()]), Ok(vec!["hlo-memory"]));
        assert_eq!(chosen(&["emit-mlir".to_owned()]), Ok(vec!["emit-mlir"]));
        assert!(chosen(&["xla".to_owned()]).is_err());
    }
}
