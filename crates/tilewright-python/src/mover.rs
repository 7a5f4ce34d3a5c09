//! Moving bytes.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use numpy::{BorrowError, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use pyo3::{Borrowed, IntoPyObjectExt};
use tilewright_relayout::{Pad, Placement as Place, Plan, RunOptions, Threads};

use crate::error::Failure;
use crate::native::{Native, Source, Target};
use crate::placement::Placement;

/// Arrays of fewer bytes are moved before another thread could use the GIL.
const DETACHED_FROM: usize = 1 << 14;

/// How many bytes are moved between two looks at whether somebody has pressed Ctrl-C.
const BYTES_BETWEEN_SIGNALS: usize = 64 << 20;

/// A relayout prepared once: what `tilewright.Plan` stands on.
///
/// Bytes in, bytes out: of C-contiguous arrays of uint8.
#[pyclass(frozen, module = "tilewright._tilewright")]
pub(crate) struct Mover(pub(crate) Plan);

#[pymethods]
impl Mover {
    #[new]
    #[pyo3(signature = (source, source_bits, target, target_bits, value_bits=None, copies=false, flipped=0))]
    fn new(
        source: &Placement,
        source_bits: u32,
        target: &Placement,
        target_bits: u32,
        value_bits: Option<u32>,
        copies: bool,
        flipped: u64,
    ) -> Result<Self, Failure> {
        let from = Place::new(source.map()?.clone(), source_bits)?;
        let to = Place::new(target.map()?.clone(), target_bits)?;
        let to = if copies { to.holding_copies() } else { to };
        let plan = match value_bits {
            Some(bits) if source_bits != target_bits => Plan::with_value_bits(&from, &to, bits)?,
            _ => Plan::new(&from, &to)?,
        };
        Ok(Mover(plan.flipping(flipped.into())))
    }

    /// The exact number of bytes of the source.
    #[getter]
    fn source_bytes(&self) -> usize {
        self.0.src_bytes()
    }

    /// The exact number of bytes of the target.
    #[getter]
    fn target_bytes(&self) -> usize {
        self.0.dst_bytes()
    }

    /// Whether a run is a plain copy.
    #[getter]
    fn is_copy(&self) -> bool {
        self.0.is_copy()
    }

    /// The same in smaller chunks, of about so many bytes.
    fn in_chunks_of(&self, bytes: usize) -> Result<Self, Failure> {
        Ok(Mover(self.0.clone().with_chunks_of(bytes)?))
    }

    /// Moves the whole array, without the GIL.
    #[pyo3(signature = (source, target, pad=0, threads=None))]
    fn run(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyArrayDyn<u8>>,
        target: &Bound<'_, PyArrayDyn<u8>>,
        pad: u128,
        threads: Option<usize>,
    ) -> Result<(), Failure> {
        if !(source.is_c_contiguous() && target.is_c_contiguous()) {
            return Err(Failure::value("an array is not C-contiguous; pack and unpack take any"));
        }
        let source = source.try_readonly().map_err(unborrowed)?;
        let mut target = target.try_readwrite().map_err(unborrowed)?;
        let source = source.as_slice().map_err(PyErr::from)?;
        let target = target.as_slice_mut().map_err(PyErr::from)?;
        self.move_all(py, source, target, pad_of(pad), threads)
    }
}

impl Mover {
    fn move_all(
        &self,
        py: Python<'_>,
        source: &[u8],
        target: &mut [u8],
        pad: Pad,
        threads: Option<usize>,
    ) -> Result<(), Failure> {
        let threads = match threads.map(NonZeroUsize::new) {
            None => Threads::Global,
            Some(None) => {
                return Err(Failure::value("threads=0: there has to be one, at least"));
            }
            Some(Some(NonZeroUsize::MIN)) => Threads::Current,
            Some(Some(count)) => Threads::Count(count),
        };
        let options = RunOptions { pad, threads };
        if target.len() < DETACHED_FROM && source.len() < DETACHED_FROM {
            return Ok(self.0.run(source, target, &options)?);
        }
        if target.len() <= BYTES_BETWEEN_SIGNALS {
            return Ok(py.detach(|| self.0.run(source, target, &options))?);
        }
        self.move_in_groups(py, source, target, &options)
    }

    /// Chunk by chunk, looking in between whether the user wants it stopped.
    fn move_in_groups(
        &self,
        py: Python<'_>,
        source: &[u8],
        target: &mut [u8],
        options: &RunOptions<'_>,
    ) -> Result<(), Failure> {
        self.check_lengths(source, target)?;
        let chunk = self.0.chunk_bytes(0).len().max(1);
        let step = (BYTES_BETWEEN_SIGNALS / chunk).max(1);
        let mut rest = target;
        for first in (0..self.0.n_chunks()).step_by(step) {
            py.check_signals()?;
            let end = first.saturating_add(step).min(self.0.n_chunks());
            let bytes = self.0.chunk_bytes(end).start - self.0.chunk_bytes(first).start;
            let (part, after) = rest.split_at_mut(bytes.min(rest.len()));
            rest = after;
            py.detach(|| self.0.run_chunks(first..end, source, 0, part, options))?;
        }
        Ok(py.check_signals()?)
    }

    fn check_lengths(&self, source: &[u8], target: &[u8]) -> Result<(), Failure> {
        let (expected, found) = (self.0.src_bytes(), source.len());
        if expected != found {
            let message = format!("the source has {found} bytes, expected {expected}");
            return Err(Failure::value(message));
        }
        let (expected, found) = (self.0.dst_bytes(), target.len());
        if expected != found {
            let message = format!("the destination has {found} bytes, expected {expected}");
            return Err(Failure::value(message));
        }
        Ok(())
    }
}

/// What `tilewright.Plan` is made of: a `Mover`, and what arrays it moves. A call of `run` takes no
/// longer than moving a kilobyte does, so it is not Python.
#[pyclass(frozen, subclass, module = "tilewright._tilewright")]
pub(crate) struct ArrayMover {
    mover: Py<Mover>,
    natives: Option<(Native, Native)>,
    /// What padding holds where nothing is asked for.
    pad: Pad,
    /// Whether the elements' type has a zero, whose bits are zero.
    has_zero: bool,
}

#[pymethods]
impl ArrayMover {
    #[new]
    #[pyo3(signature = (mover, source_dtype, target_dtype, pad=0, has_zero=true))]
    fn new(
        mover: Py<Mover>,
        source_dtype: &str,
        target_dtype: &str,
        pad: u128,
        has_zero: bool,
    ) -> Self {
        let natives = Native::of_dtype(source_dtype).zip(Native::of_dtype(target_dtype));
        ArrayMover { mover, natives, pad: pad_of(pad), has_zero }
    }

    #[getter(_mover)]
    fn mover(&self, py: Python<'_>) -> Py<Mover> {
        self.mover.clone_ref(py)
    }

    /// Moves an array.
    ///
    /// Parameters
    /// ----------
    /// source : ndarray or Packed
    ///     The source's bytes: of its dtype or of uint8, in any dims if they are C-contiguous. Of any
    ///     strides if the dims are those that `pack` would give them; an array that is dense by
    ///     its layout is then moved as it lies.
    /// out : ndarray or Packed, optional
    ///     As `source`, for the target; C-contiguous, writable, and not overlapping `source`.
    /// pad, threads
    ///     As for `pack`.
    ///
    /// Returns
    /// -------
    /// ndarray or Packed
    ///     `out`; where none is given, a new array as `pack` returns it, a Packed of a Packed.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If an array has not the bytes that it should have, is not contiguous, not writable, the
    ///     two overlap, a Packed is in another layout, or the type has no such `pad`.
    /// TypeError
    ///     If an array is of another dtype.
    ///
    /// Examples
    /// --------
    /// >>> import numpy as np, tilewright as tw
    /// >>> plan = tw.Plan("u8[2,3]", "u8[2,3]{0,1}")
    /// >>> plan.run(np.arange(6, dtype=np.uint8), np.empty(6, np.uint8))
    /// array([0, 3, 1, 4, 2, 5], dtype=uint8)
    #[pyo3(
        signature = (source, out=None, *, pad=Padding::Default, threads=None),
        text_signature = "($self, source, out=None, *, pad=..., threads=None)"
    )]
    fn run<'py>(
        slf: &Bound<'py, Self>,
        source: &Bound<'py, PyAny>,
        out: Option<Bound<'py, PyAny>>,
        pad: Padding<'py>,
        threads: Option<usize>,
    ) -> Result<Bound<'py, PyAny>, Failure> {
        let this = slf.get();
        let bits = match &pad {
            Padding::Default => Some(this.pad),
            Padding::Zero if this.has_zero => Some(Pad::Zero),
            Padding::Zero | Padding::Value(_) => None,
        };
        // What is neither of two plain arrays is found out on the long way.
        let mut out = out;
        if let Some(bits) = bits
            && source.is_exact_instance_of::<PyUntypedArray>()
        {
            let target = out.map_or_else(|| slf.call_method0("_empty"), Ok)?;
            if this.run_borrowed(source, &target, bits, threads)? {
                return Ok(target);
            }
            out = Some(target);
        }
        let pad = match pad {
            Padding::Default => slf.py().import("tilewright._pads")?.getattr("DEFAULT")?,
            Padding::Zero => 0.into_bound_py_any(slf.py())?,
            Padding::Value(value) => value,
        };
        Ok(slf.call_method1("_run_views", (source, out, pad, threads))?)
    }
}

impl ArrayMover {
    /// Moves the whole array, if both are such as can be borrowed as they are. Says whether it has.
    fn run_borrowed(
        &self,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        pad: Pad,
        threads: Option<usize>,
    ) -> Result<bool, Failure> {
        let Some((source_type, target_type)) = self.natives else { return Ok(false) };
        let Some(from) = Source::borrow(source_type, source) else { return Ok(false) };
        let Some(mut to) = Target::borrow(target_type, target) else { return Ok(false) };
        let (Some(from), Some(to)) = (from.bytes(), to.bytes()) else { return Ok(false) };
        self.mover.get().move_all(source.py(), from, to, pad, threads)?;
        Ok(true)
    }
}

fn pad_of(bits: u128) -> Pad {
    if bits == 0 { Pad::Zero } else { Pad::Bits(bits) }
}

/// What padding is to hold.
enum Padding<'py> {
    /// Nothing is asked for.
    Default,
    /// The integer 0. A float's zero may have a sign.
    Zero,
    Value(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Padding<'py> {
    type Error = Infallible;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        let number = value.cast_exact::<PyInt>().ok().and_then(|number| number.extract().ok());
        Ok(if number == Some(0u64) { Padding::Zero } else { Padding::Value(value.to_owned()) })
    }
}

/// Why an array cannot be written: the array that is read is the same memory, or it is read-only.
fn unborrowed(error: BorrowError) -> Failure {
    Failure::value(match error {
        BorrowError::AlreadyBorrowed => "out overlaps the source, or another thread moves it",
        _ => "out is read-only",
    })
}
