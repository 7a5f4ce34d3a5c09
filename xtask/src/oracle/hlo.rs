//! `hlo`: modules that the TPU compiler makes of real programs, kept for the tests of
//! `tilewright-hlo`, with what the compiler says of their arguments.

use std::path::Path;
use std::process::Command;

use crate::environment::succeed;

/// What the oracle is called on the command line.
pub(super) const NAME: &str = "hlo";

/// Makes the folder of modules again.
pub(super) fn make(root: &Path, python: &Path) -> Result<(), String> {
    let script = root.join("xtask/oracle/hlo_modules.py");
    let data = root.join("crates/tilewright-hlo/tests/data");
    succeed(Command::new(python).arg("-B").arg(script).arg(data))
}
