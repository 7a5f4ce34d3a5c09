//! The command as static binaries: with musl's C library, which a Rust toolchain has, and linked by its own linker,
//! so that no C compiler is needed for any of them.

use std::path::PathBuf;
use std::process::Command;

use super::{PROCESSORS, Release};
use crate::environment::succeed;
use crate::tools::provide_target;

/// A binary for one kind of processor.
pub(crate) struct Binary {
    pub(crate) processor: &'static str,
    pub(crate) triple: String,
    /// The folder that it is in.
    pub(crate) folder: PathBuf,
}

impl Binary {
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join("tilewright")
    }

    fn of(processor: &'static str, release: &Release) -> Self {
        let triple = format!("{processor}-unknown-linux-musl");
        let folder = release.target.join(&triple).join("released");
        Binary { processor, triple, folder }
    }
}

/// One for each kind of processor.
pub(super) fn all(release: &Release) -> [Binary; PROCESSORS.len()] {
    PROCESSORS.map(|processor| Binary::of(processor, release))
}

/// Builds them.
pub(super) fn make(release: &Release) -> Result<(), String> {
    all(release).iter().try_for_each(|binary| build(binary, release))
}

fn build(binary: &Binary, release: &Release) -> Result<(), String> {
    provide_target(&binary.triple)?;
    // As cargo reads them, options are apart by unit separators, since paths may have spaces.
    let options = format!(
        "{}\x1f-Clinker=rust-lld\x1f-Clinker-flavor=ld.lld\x1f-Clink-self-contained=yes\x1f-Ctarget-feature=+crt-static",
        release.options(&binary.triple)?
    );
    let mut cargo = Command::new("cargo");
    cargo.args([
        "build",
        "--locked",
        "--profile",
        "released",
        "-p",
        "tilewright-cli",
        "--target",
        &binary.triple,
    ]);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", options).env("SOURCE_DATE_EPOCH", &release.epoch);
    succeed(cargo.env("CARGO_TARGET_DIR", &release.target).current_dir(&release.root))?;
    release.has_no_paths(&binary.path())
}
