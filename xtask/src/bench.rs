//! `cargo xtask bench [OPTIONS]`: builds and runs the side-by-side benchmark in `bench/`.
//!
//! The benchmark is a workspace of its own, so that nothing else pulls its peers in. What cargo
//! does not prepare is prepared here, under `target/bench`: a virtual environment with the Python
//! peers pinned in `bench/requirements.txt` and our own Python package, and a library made of `bench/src/onednn.cpp` where
//! oneDNN is installed (Debian's `libdnnl-dev`). A peer that cannot be had is left out. Every
//! option goes to the benchmark; `cargo xtask bench --help` lists them.
//!
//! `--random` and `--pair` measure other pairs of layouts than the cases, without peers. `--micro` and
//! `--counts`, put first, measure single operations instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::environment::{Environment, root, succeed};
use crate::{micro, say};

/// Builds, prepares and runs; the exit status is the benchmark's own.
pub(crate) fn run(options: &[String]) -> ExitCode {
    match measure(options) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            say(&format!("bench: {message}"));
            ExitCode::from(2)
        }
    }
}

fn measure(options: &[String]) -> Result<u8, String> {
    let root = root()?;
    let (sources, home) = (root.join("bench"), home(&root));
    fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let parts: Vec<&str> = options.iter().skip(1).map(String::as_str).collect();
    match options.first().map(String::as_str) {
        Some("--micro") => return micro::time(&sources, &home, &parts),
        Some("--counts") => return micro::count(&sources, &home, &parts),
        _ => {}
    }
    succeed(
        Command::new("cargo")
            .args(["build", "--release", "--quiet", "--manifest-path"])
            .arg(sources.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&home),
    )?;
    let mut benchmark = Command::new(home.join("release/tilewright-bench"));
    // OpenMP's threads spin after their work, by default for milliseconds of somebody else's turn;
    // and each is to have a processor, as everybody else's have.
    benchmark.envs([
        ("GOMP_SPINCOUNT", "10000"),
        ("OMP_PROC_BIND", "close"),
        ("OMP_PLACES", "threads"),
    ]);
    let asks = |name: &str| options.iter().any(|option| option == name);
    let is_without_peers = ["--help", "-h", "--random", "--pair"].into_iter().any(asks);
    if !is_without_peers {
        add_onednn(&mut benchmark, &sources, &home);
        if !asks("--no-python") {
            add_python(&mut benchmark, &sources, &home);
        }
    }
    let status = benchmark.args(options).status().map_err(|error| error.to_string())?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
}

/// Where everything goes that is made: `bench` in cargo's target directory.
fn home(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target.map_or_else(|| root.join("target"), PathBuf::from).join("bench")
}

/// Tells the benchmark where oneDNN is, if it is.
fn add_onednn(benchmark: &mut Command, sources: &Path, home: &Path) {
    let library = home.join("libbench_onednn.so");
    let compiled = Command::new("c++")
        .args(["-O2", "-std=c++17", "-shared", "-fPIC", "-fopenmp"])
        .arg(sources.join("src/onednn.cpp"))
        .arg("-o")
        .arg(&library)
        .arg("-ldnnl")
        .output();
    if compiled.is_ok_and(|output| output.status.success()) {
        benchmark.arg("--onednn").arg(library);
    } else {
        say("without oneDNN: a C++ compiler and libdnnl-dev are needed");
    }
}

/// Tells the benchmark where Python is, if there is one with the pinned packages. It sees the
/// system's packages too, so that torch takes part where it is installed.
fn add_python(benchmark: &mut Command, sources: &Path, home: &Path) {
    let environment = Environment {
        system: "python3",
        home: &home.join("venv"),
        requirements: &sources.join("requirements.txt"),
        options: &["--system-site-packages"],
        pip_options: &["--no-deps"],
    };
    match environment.python() {
        Ok(python) => {
            if let Err(message) = install_package(&python, sources, home) {
                say(&format!("without Tilewright's own Python package: {message}"));
            }
            benchmark.arg("--python").arg(python).arg(sources.join("peers.py"));
        }
        Err(message) => say(&format!("without the Python peers: {message}")),
    }
}

/// Installs the Python package as it is now, to be measured beside the engine that it calls.
fn install_package(python: &Path, sources: &Path, home: &Path) -> Result<(), String> {
    let package = sources.with_file_name("crates").join("tilewright-python");
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]);
    succeed(install.arg(package).env("CARGO_TARGET_DIR", home.join("package")))
}
