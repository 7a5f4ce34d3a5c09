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
    pub(super) checker: Checker,
    /// Packages of Debian, and a program or library that they bring.
    packages: &'static [&'static str],
    brings: &'static [&'static str],
}

/// What reads the cases, has the tool run their code, and compares.
#[derive(Clone, Copy, Debug)]
pub(super) enum Checker {
    /// A script of Python.
    Script(&'static str),
    /// A folder with a program of Rust, a workspace of its own.
    Program(&'static str),
}

/// The name of all of them.
pub(super) const ALL: &str = "emit";

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "emit-mlir",
        checker: Checker::Script("emit_mlir.py"),
        packages: &["mlir-16-tools", "llvm-16"],
        brings: &["/usr/bin/mlir-opt-16", "/usr/bin/mlir-translate-16", "/usr/bin/llc-16"],
    },
    Tool {
        name: "emit-opencl",
        checker: Checker::Script("emit_opencl.py"),
        packages: &["pocl-opencl-icd", "ocl-icd-libopencl1"],
        brings: &["/etc/OpenCL/vendors/pocl.icd"],
    },
    Tool {
        name: "emit-wgsl",
        checker: Checker::Program("emit_wgsl"),
        packages: &["mesa-vulkan-drivers", "libvulkan1"],
        brings: &["/usr/share/vulkan/icd.d"],
    },
    Tool {
        name: "emit-nvrtc",
        checker: Checker::Script("emit_nvrtc.py"),
        packages: &[],
        brings: &[],
    },
    Tool {
        name: "emit-cute",
        checker: Checker::Script("emit_cute.py"),
        packages: &[],
        brings: &[],
    },
    Tool {
        name: "emit-triton",
        checker: Checker::Script("emit_triton.py"),
        packages: &[],
        brings: &[],
    },
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
        let cases = target()?.join("emit-cases.jsonl");
        let mut write = Command::new("cargo");
        write.args(["run", "--quiet", "-p", "tilewright-emit", "--example", "cases", "--"]);
        succeed(write.arg(&cases).current_dir(root))?;
        self.checker.run(root, &cases)
    }
}

impl Checker {
    /// Where it is, in `xtask/oracle`.
    pub(super) fn path(self) -> &'static str {
        match self {
            Checker::Script(path) | Checker::Program(path) => path,
        }
    }

    fn run(self, root: &Path, cases: &Path) -> Result<(), String> {
        let path = root.join("xtask/oracle").join(self.path());
        match self {
            Checker::Script(_) => {
                let environment = Environment {
                    system: "python3",
                    home: &root.join(".venv-oracle-emit"),
                    requirements: &root.join("xtask/oracle/requirements-emit.txt"),
                    options: &[],
                    pip_options: &["--no-deps"],
                };
                succeed(Command::new(environment.python()?).arg("-B").arg(path).arg(cases))
            }
            Checker::Program(name) => {
                let home = target()?.join(name);
                let mut cargo = Command::new("cargo");
                cargo.args(["run", "--quiet", "--locked", "--manifest-path"]);
                cargo.arg(path.join("Cargo.toml")).arg("--target-dir").arg(&home);
                // Windows are looked for, of which there are none, in a folder that has to be there.
                cargo.env("XDG_RUNTIME_DIR", &home);
                succeed(cargo.arg("--").arg(cases).current_dir(root))
            }
        }
    }
}
