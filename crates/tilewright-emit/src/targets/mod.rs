//! The languages that code is written in, a file each.

mod c;
mod c_like;
mod c_staged;
mod cuda;
mod cute;
mod mlir;
mod opencl;
mod python;
mod rust;
mod triton;
mod wgsl;

use std::fmt;
use std::str::FromStr;

use crate::array::Array;
use crate::dynamic::Family;
use crate::error::Error;
use crate::relayout::Relayout;
use crate::words::check_name;

/// What code is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The array whose offsets and indexes are computed.
    pub array: &'a Array,
    /// What it is to become, where code for a relayout is asked for too.
    pub other: Option<&'a Array>,
    /// What names of functions begin with.
    pub name: &'a str,
    /// The dimensions whose extents are arguments of the functions, not numbers in the code.
    pub dynamic: &'a [usize],
}

/// Each language with its name, the file that writes it, and what it is.
macro_rules! targets {
    ($($(#[doc = $words:literal])* $target:ident = $name:literal, $emit:path;)*) => {
        /// A language that code is written in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Target {
            $($(#[doc = $words])* $target,)*
        }

        impl Target {
            /// Every language that there is.
            pub const ALL: &[Target] = &[$(Target::$target,)*];

            /// What it is called: `c`, `cuda`, ….
            pub fn name(self) -> &'static str {
                match self {
                    $(Target::$target => $name,)*
                }
            }

            fn emit(self, code: &Source<'_>) -> Result<String, Error> {
                match self {
                    $(Target::$target => $emit(code),)*
                }
            }
        }
    };
}

targets! {
    /// A header of C99, which is C++ as well.
    C = "c", c::emit;
    /// CUDA C++.
    Cuda = "cuda", cuda::emit;
    /// OpenCL C.
    OpenCl = "opencl", opencl::emit;
    /// Rust, without `unsafe`.
    Rust = "rust", rust::emit;
    /// Python with numpy.
    Python = "python", python::emit;
    /// Triton, in Python.
    Triton = "triton", triton::emit;
    /// WebGPU's shading language.
    Wgsl = "wgsl", wgsl::emit;
    /// MLIR: an affine map, a memref type, functions and `scf` loops.
    Mlir = "mlir", mlir::emit;
    /// The types of CuTe in C++.
    Cute = "cute", cute::emit;
}

/// What every language starts from.
pub(crate) struct Source<'a> {
    pub(crate) array: &'a Array,
    pub(crate) other: Option<(&'a Array, Relayout)>,
    pub(crate) name: &'a str,
    /// The array for every extent of a dimension, where one is an argument.
    pub(crate) family: Option<Family>,
}

impl Request<'_> {
    /// The code in a language.
    ///
    /// ```
    /// use tilewright::notation::Described;
    /// use tilewright_emit::{Array, Request, Target};
    /// let array = Array::of(&"f32[3,5]{1,0:T(2,2)}".parse::<Described>()?)?;
    /// let code = Request { array: &array, other: None, name: "tw", dynamic: &[] }.emit(Target::C)?;
    /// assert!(code.contains("int64_t tw_offset(int64_t i0, int64_t i1)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the name is no identifier, or the language cannot say what the layouts do; with the reason.
    pub fn emit(&self, target: Target) -> Result<String, Error> {
        check_name(self.name)?;
        let other = match self.other {
            Some(other) => Some((other, Relayout::of(self.array, other)?)),
            None => None,
        };
        let family = match self.dynamic {
            [] => None,
            [dim] => Some(Family::of(self.array, *dim)?),
            _ => {
                return Err(Error::message(
                    "the extent of one dimension can be an argument, not of several",
                ));
            }
        };
        if family.is_some() && other.is_some() {
            return Err(Error::message(
                "the loops of a relayout have numbers: no extent can be an argument",
            ));
        }
        let takes_extents = [Target::C, Target::Cuda, Target::OpenCl, Target::Rust, Target::Python];
        if family.is_some() && !takes_extents.contains(&target) {
            return Err(Error::message(format!(
                "extents are arguments in c, cuda, opencl, rust and python, and not in {target}"
            )));
        }
        target.emit(&Source { array: self.array, other, name: self.name, family })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Target::ALL.iter().find(|target| target.name() == text);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
            let said = tilewright::text::abridged(text);
            Error::message(format!(
                "`{said}` is no language that code is written in: expected {}",
                names.join(", ")
            ))
        })
    }
}
