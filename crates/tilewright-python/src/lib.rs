//! The extension module of the `tilewright` Python package.
//!
//! In come Python's strings, integers, and one-dimensional numpy arrays of bytes; out go the
//! answers of the Rust crates. What an array's dtype is, whether it is contiguous and who allocates
//! is settled in Python, in `python/tilewright`, so that here an array is a `&[u8]` and nothing is
//! `unsafe`.
//!
//! Absent: everything that the crates below can do. A function here converts, asks and converts
//! back.

#![forbid(unsafe_code)]

mod bulk;
mod calc;
mod convert;
mod discover;
mod draw;
mod element;
mod emit;
mod error;
mod files;
mod gguf;
mod hlo;
mod layout;
mod map;
mod mover;
mod named;
mod native;
mod nested;
mod placement;
mod shape;
mod tpu;

/// The extension module: what `tilewright/__init__.py` hands on, and what its modules stand on.
#[pyo3::pymodule]
mod _tilewright {
    use numpy::{PyArray1, PyArrayMethods};
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::calc::{Swizzle, evaluate, explain, operations};
    #[pymodule_export]
    use crate::convert::{Conversion, compared, merged_facts, survey, surveyed_ranges};
    #[pymodule_export]
    use crate::discover::{
        Discovered, DiscoveredOver, Formula, discover_codes, discover_codes_over, identify_codes,
    };
    #[pymodule_export]
    use crate::draw::{Picture, draw};
    #[pymodule_export]
    use crate::element::ElementType;
    #[pymodule_export]
    use crate::emit::emit;
    #[pymodule_export]
    use crate::files::{ArrayFile, Rules, Writer, ZarrStore, ZarrWriter};
    #[pymodule_export]
    use crate::gguf::GgufFile;
    #[pymodule_export]
    use crate::hlo::{
        hlo_assignment, hlo_change, hlo_files_of, hlo_fragment, hlo_page, hlo_report, hlo_what_if,
    };
    #[pymodule_export]
    use crate::layout::{Layout, fit_table};
    #[pymodule_export]
    use crate::map::IndexMap;
    #[pymodule_export]
    use crate::mover::{ArrayMover, Mover};
    #[pymodule_export]
    use crate::named::named_layouts;
    #[pymodule_export]
    use crate::placement::Placement;
    #[pymodule_export]
    use crate::shape::{Shape, padding, shape_in};
    #[pymodule_export]
    use crate::tpu::{tpu_bytes, tpu_candidates, tpu_default, tpu_padding};

    /// Numpy's interface is looked up now: a signal that came in the middle of that would be a panic.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let array = PyArray1::<u8>::zeros(module.py(), 1, false);
        array.try_readonly().map(drop).map_err(PyErr::from)
    }
}
