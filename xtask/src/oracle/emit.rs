//! `emit-…`: the code of `tilewright-emit`, compiled and run by the tools that it is for.
//!
//! An example of the crate writes cases, code with the tables that it must agree with; a script for each tool runs the
//! code and compares. Nothing is kept.

use std::path::Path;
use std::process::Command;

use crate::environment::{Environment, succeed, target};
use crate::tools;

/// A tool that code is for.
#[derive(Debug)]
pub(super) struct Tool {
    /// What the oracle is called on the command line.
    pub(super) name: &'static str,
    pub(super) script: &'static str,
    /// Packages of Debian, and a program or library that they bring.
    packages: &'static [&'static str],
    brings: &'static [&'static str],
}

/// The name of all of them.
pub(super) const ALL: &str = "emit";

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "emit-mlir",
        script: "emit_mlir.py",
        packages: &["mlir-16-tools", "llvm-16"],
        brings: &["/usr/bin/mlir-opt-16", "/usr/bin/mlir-translate-16", "/usr/bin/llc-16"],
    },
    Tool {
        name: "emit-opencl",
        script: "emit_opencl.py",
        packages: &["pocl-opencl-icd", "ocl-icd-libopencl1"],
        brings: &["/etc/OpenCL/vendors/pocl.icd"],
    },
    Tool { name: "emit-nvrtc", script: "emit_nvrtc.py", packages: &[], brings: &[] },
    Tool { name: "emit-cute", script: "emit_cute.py", packages: &[], brings: &[] },
    Tool { name: "emit-triton", script: "emit_triton.py", packages: &[], brings: &[] },
];

/// The tools that an oracle of this name runs.
pub(super) fn named(name: &str) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| name == ALL || tool.name == name)
}

impl Tool {
    /// Writes the cases, and has the tool compare them.
    pub(super) fn run(&self, root: &Path) -> Result<(), String> {
        if !self.brings.iter().all(|path| Path::new(path).exists()) {
            tools::install(self.packages)?;
        }
        let environment = Environment {
            system: "python3",
            home: &root.join(".venv-oracle-emit"),
            requirements: &root.join("xtask/oracle/requirements-emit.txt"),
            options: &[],
            pip_options: &["--no-deps"],
        };
        let python = environment.python()?;
        let cases = target()?.join("emit-cases.jsonl");
        let mut write = Command::new("cargo");
        write.args(["run", "--quiet", "-p", "tilewright-emit", "--example", "cases", "--"]);
        succeed(write.arg(&cases).current_dir(root))?;
        let script = root.join("xtask/oracle").join(self.script);
        succeed(Command::new(python).arg("-B").arg(script).arg(&cases))
    }
}
