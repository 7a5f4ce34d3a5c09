//! `hlo` and `hlo-memory`: modules that the TPU compiler makes of real programs, kept for the tests
//! of `tilewright-hlo`, with what the compiler says of their arguments or of all their memory.

use std::path::Path;
use std::process::Command;

use crate::environment::succeed;

/// A folder of modules, made by one script.
#[derive(Debug)]
pub(super) struct Folder {
    /// What the oracle is called on the command line.
    pub(super) name: &'static str,
    pub(super) script: &'static str,
    data: &'static str,
}

/// The folders, in the order they are made.
pub(super) const FOLDERS: &[Folder] = &[
    Folder { name: "hlo", script: "hlo_modules.py", data: "crates/tilewright-hlo/tests/data" },
    Folder {
        name: "hlo-memory",
        script: "hlo_memory.py",
        data: "crates/tilewright-hlo/tests/data/memory",
    },
];

impl Folder {
    /// The folder that the oracle of this name makes.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        FOLDERS.iter().find(|folder| folder.name == name)
    }

    /// Makes the folder's files again.
    pub(super) fn make(&self, root: &Path, python: &Path) -> Result<(), String> {
        let script = root.join("xtask/oracle").join(self.script);
        succeed(Command::new(python).arg("-B").arg(script).arg(root.join(self.data)))
    }
}
