//! What commands run in: the repository, and Python environments, made where they are needed and
//! kept until what they hold changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository: the parent of this crate.
pub(crate) fn root() -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(Path::to_owned).ok_or_else(|| format!("{} has no parent", here.display()))
}

/// Where cargo builds, as an absolute path: what is called from here may run elsewhere.
pub(crate) fn target() -> Result<PathBuf, String> {
    let folder = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => root()?.join("target"),
    };
    std::path::absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// A virtual environment to be.
pub(crate) struct Environment<'t> {
    /// The Python that makes it.
    pub(crate) system: &'t str,
    /// The folder.
    pub(crate) home: &'t Path,
    /// The packages, pinned.
    pub(crate) requirements: &'t Path,
    /// Options of `python -m venv`.
    pub(crate) options: &'t [&'t str],
    /// Options of `pip install`.
    pub(crate) pip_options: &'t [&'t str],
}

impl Environment<'_> {
    /// The virtual environment's Python, made and filled when it is missing or its pins have
    /// changed.
    pub(crate) fn python(&self) -> Result<PathBuf, String> {
        let Environment { home, requirements, .. } = self;
        let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let stamp = home.join("requirements.txt");
        let pins =
            fs::read(requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
        if fs::read(&stamp).is_ok_and(|installed| installed == pins) {
            return Ok(python);
        }
        let mut venv = Command::new(self.system);
        succeed(venv.args(["-m", "venv", "--clear"]).args(self.options).arg(home))?;
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet"]).args(self.pip_options);
        succeed(install.arg("--requirement").arg(requirements))?;
        // Last, so that a stopped installation starts again.
        fs::write(&stamp, pins).map_err(|error| format!("{}: {error}", stamp.display()))?;
        Ok(python)
    }
}

/// Runs a command. `Err` is how it failed.
pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args().take(2));
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let shown = words.join(" ");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown}: {status}")),
        Err(error) => Err(format!("cannot run {shown}: {error}")),
    }
}

/// What a command says on stdout. `Err` is how it failed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot run {program}: {error}"))?;
    match output.status.success() {
        true => String::from_utf8(output.stdout).map_err(|error| format!("{program}: {error}")),
        false => Err(format!("{program}: {}", output.status)),
    }
}

/// Copies a file.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let copied = fs::copy(from, to);
    copied.map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

/// Copies all that is in a folder, folders included.
pub(crate) fn copy_all(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} to {}: {error}", from.display(), to.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy_all(&path, &to)?,
            false => copy(&path, &to)?,
        }
    }
    Ok(())
}
