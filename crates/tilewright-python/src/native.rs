//! numpy arrays as bytes, without a view of them as bytes being made first.
//!
//! An array of one of numpy's own types, or of bfloat16, is borrowed as what it is. It has more than
//! one element here, so that a stride is an element's size, and it is aligned: then whether two
//! arrays overlap, which numpy's borrows tell by their strides, is told as exactly as of bytes. All
//! other arrays come as views.

use half::{bf16, f16};
use numpy::{
    PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

macro_rules! natives {
    ($($name:ident, $dtype:literal, $type:ty;)*) => {
        /// A type that arrays can be borrowed as.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Native {
            $($name),*
        }

        /// An array that is read.
        pub(crate) enum Source<'py> {
            $($name(PyReadonlyArrayDyn<'py, $type>)),*
        }

        /// An array that is written.
        pub(crate) enum Target<'py> {
            $($name(PyReadwriteArrayDyn<'py, $type>)),*
        }

        impl Native {
            /// The type that numpy calls so.
            pub(crate) fn of_dtype(name: &str) -> Option<Self> {
                match name {
                    $($dtype => Some(Native::$name),)*
                    _ => None,
                }
            }
        }

        impl<'py> Source<'py> {
            /// `None` if the array is of another type, or cannot be borrowed as it is.
            fn of(native: Native, array: &Bound<'py, PyAny>) -> Option<Self> {
                match native {
                    $(Native::$name => {
                        let array = dense::<$type>(array)?;
                        Some(Source::$name(array.try_readonly().ok()?))
                    })*
                }
            }

            /// `None` if it is not aligned.
            pub(crate) fn bytes(&self) -> Option<&[u8]> {
                match self {
                    $(Source::$name(array) => array.as_slice().ok().map(bytemuck::cast_slice),)*
                }
            }
        }

        impl<'py> Target<'py> {
            /// `None` if the array is of another type, or cannot be borrowed as it is.
            fn of(native: Native, array: &Bound<'py, PyAny>) -> Option<Self> {
                match native {
                    $(Native::$name => {
                        let array = dense::<$type>(array)?;
                        Some(Target::$name(array.try_readwrite().ok()?))
                    })*
                }
            }

            /// `None` if it is not aligned.
            pub(crate) fn bytes(&mut self) -> Option<&mut [u8]> {
                match self {
                    $(Target::$name(array) => {
                        array.as_slice_mut().ok().map(bytemuck::cast_slice_mut)
                    })*
                }
            }
        }
    };
}

natives! {
    U8, "uint8", u8;
    I8, "int8", i8;
    U16, "uint16", u16;
    I16, "int16", i16;
    U32, "uint32", u32;
    I32, "int32", i32;
    U64, "uint64", u64;
    I64, "int64", i64;
    F16, "float16", f16;
    Bf16, "bfloat16", bf16;
    F32, "float32", f32;
    F64, "float64", f64;
}

impl<'py> Source<'py> {
    /// An array of this type or of bytes.
    pub(crate) fn borrow(native: Native, array: &Bound<'py, PyAny>) -> Option<Self> {
        Self::of(native, array).or_else(|| Self::of(Native::U8, array))
    }
}

impl<'py> Target<'py> {
    /// An array of this type or of bytes.
    pub(crate) fn borrow(native: Native, array: &Bound<'py, PyAny>) -> Option<Self> {
        Self::of(native, array).or_else(|| Self::of(Native::U8, array))
    }
}

/// An array of this type, C-contiguous, of more than one element.
fn dense<'a, 'py, T: numpy::Element>(
    array: &'a Bound<'py, PyAny>,
) -> Option<&'a Bound<'py, PyArrayDyn<T>>> {
    let array = array.cast::<PyArrayDyn<T>>().ok()?;
    (array.is_c_contiguous() && array.len() > 1).then_some(array)
}
