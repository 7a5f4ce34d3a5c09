//! The languages that code is written in, a file each.

mod c;
mod c_kernel;
mod c_like;
mod c_packed;
mod cuda;
mod cute;
mod mlir;
mod opencl;
mod python;
mod rust;
mod tiles;
mod triton;
mod wgsl;

use std::fmt;
use std::str::FromStr;

use crate::array::Array;
use crate::code::Code;
use crate::dynamic::Family;
use crate::error::Error;
use crate::relayout::Relayout;
use crate::words::{about, check_name};

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
    /// The array, and the other, for every extent of a dimension, where one is an argument.
    pub(crate) families: Vec<Family>,
}

/// A layout whose functions are written.
pub(crate) enum Extents<'a> {
    /// All its extents are numbers.
    Numbers(&'a Array),
    /// One of them is an argument.
    Argument(&'a Family),
}

impl Source<'_> {
    /// The arrays that the first lines are about, and what they are called there.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (&'static str, &Array)> {
        let other = self.other.iter().map(|(other, _)| ("Relayout to:", *other));
        std::iter::once(("Layout:", self.array)).chain(other)
    }

    /// The first lines, each a comment behind a mark.
    pub(crate) fn marked_heads(&self, code: &mut Code, mark: &str) {
        for (what, array) in self.heads() {
            code.line(format!("{mark} {what}"));
            for line in about(array) {
                code.line(format!("{mark}   {line}"));
            }
        }
    }

    /// The arrays, and what the names of their functions begin with.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = (String, &Array)> {
        let other = self.other.iter().map(|(other, _)| *other);
        let names = [self.name.to_owned(), format!("{}_to", self.name)];
        names.into_iter().zip(std::iter::once(self.array).chain(other))
    }

    /// The layouts whose functions are written, and what the names of those begin with.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = (String, Extents<'_>)> {
        let extents = |(number, (name, array))| match self.families.get(number) {
            Some(family) => (name, Extents::Argument(family)),
            None => (name, Extents::Numbers(array)),
        };
        self.arrays().enumerate().map(extents)
    }
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
        let [] = self.dynamic else { return self.emit_for_every_extent(other, target) };
        target.emit(&Source { array: self.array, other, name: self.name, families: Vec::new() })
    }

    fn emit_for_every_extent(
        &self,
        other: Option<(&Array, Relayout)>,
        target: Target,
    ) -> Result<String, Error> {
        let &[dim] = self.dynamic else {
            return Err(Error::message(
                "the extent of one dimension can be an argument, not of several",
            ));
        };
        let reason = match target {
            Target::Cute => "whose types are made of numbers",
            Target::Mlir => "whose memref types and affine maps are written with numbers",
            Target::Triton => "whose functions are compiled for the numbers of one layout",
            _ => "",
        };
        if !reason.is_empty() {
            return Err(Error::message(format!(
                "extents are arguments in c, cuda, opencl, rust, python and wgsl, and not in {target}, {reason}"
            )));
        }
        let arrays = std::iter::once(self.array).chain(self.other);
        let families: Vec<Family> =
            arrays.map(|array| Family::of(array, dim)).collect::<Result<_, _>>()?;
        let other = other.map(|(to, relayout)| {
            let has_padding = families.last().is_some_and(Family::has_padding);
            (to, relayout.of_every_extent((self.array, to), dim, has_padding))
        });
        target.emit(&Source { array: self.array, other, name: self.name, families })
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
