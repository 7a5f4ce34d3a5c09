//! Hierarchical layouts: shape, stride and original shape.

use std::fmt;

use super::{Int, IntTuple, Nested, Stride};
use crate::error::{Error, invalid};

/// A layout: a nested shape, a stride for each of its integers, and perhaps the original shape of
/// an array that was padded to fill it.
///
/// ```
/// use tilewright::tla::Layout;
/// let fractals: Layout = "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)".parse()?;
/// assert_eq!(fractals.rank(), 2);
/// assert_eq!(fractals.shape().get(&[0])?.to_string(), "(_16,2)");
/// assert_eq!(fractals.org_shape()?.to_string(), "(28,40)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Coordinates are read colexicographically: of an integer for a nested mode, the leftmost part
/// varies fastest. Equality is of what is written; to compare what layouts do, compare their
/// [index maps](crate::IndexMap).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: IntTuple,
    stride: Nested<Stride>,
    org_shape: Option<IntTuple>,
}

impl Layout {
    /// A layout of this shape and stride, with no original shape of its own.
    ///
    /// # Errors
    /// If they are not nested alike, or an extent is negative.
    pub fn new(shape: IntTuple, stride: Nested<Stride>) -> Result<Self, Error> {
        if !shape.is_congruent(&stride) {
            return invalid(format!(
                "the shape {shape} and the stride {stride} are nested differently"
            ));
        }
        if let Some(extent) = shape.leaves().find(|extent| extent.value() < 0) {
            return invalid(format!("the extent {extent} of a mode is negative"));
        }
        Ok(Layout { shape, stride, org_shape: None })
    }

    /// The same layout with an original shape: one integer per mode, none larger than the mode.
    ///
    /// # Errors
    /// If it has another number of modes, is nested, or an extent does not fit.
    pub fn with_org_shape(mut self, org_shape: IntTuple) -> Result<Self, Error> {
        if org_shape.depth() > 1 || org_shape.rank() != self.rank() {
            return invalid(format!(
                "the original shape {org_shape} needs one integer for each of the {} modes",
                self.rank()
            ));
        }
        for (mode, (org, whole)) in
            org_shape.leaves().zip(self.shape.product_each()?.leaves()).enumerate()
        {
            if org.value() < 0 || org.value() > whole.value() {
                return invalid(format!(
                    "the original extent {org} of mode {mode} does not fit its {whole} elements"
                ));
            }
        }
        self.org_shape = Some(org_shape);
        Ok(self)
    }

    /// A vector of this many elements next to each other: `(n):(_1):(n)`.
    ///
    /// # Errors
    /// If the length is negative.
    pub fn vector(len: Int) -> Result<Self, Error> {
        let shape = Nested::Tuple(vec![Nested::Leaf(len)]);
        let stride = Nested::Tuple(vec![Nested::Leaf(Int::fixed(1).into())]);
        Layout::new(shape.clone(), stride)?.with_org_shape(shape)
    }

    /// The shape.
    pub fn shape(&self) -> &IntTuple {
        &self.shape
    }

    /// The strides.
    pub fn stride(&self) -> &Nested<Stride> {
        &self.stride
    }

    /// The original shape; where none was given, the product of each mode.
    ///
    /// # Errors
    /// If a product does not fit 64 bits.
    pub fn org_shape(&self) -> Result<IntTuple, Error> {
        match &self.org_shape {
            Some(org_shape) => Ok(org_shape.clone()),
            None => self.shape.product_each(),
        }
    }

    /// The original shape, if one was given.
    pub fn given_org_shape(&self) -> Option<&IntTuple> {
        self.org_shape.as_ref()
    }

    /// The same layout without original shape.
    pub fn without_org_shape(mut self) -> Self {
        self.org_shape = None;
        self
    }

    /// Whether strides step along the directions of a coordinate and do not count elements.
    pub fn has_coordinate_strides(&self) -> bool {
        self.stride.leaves().any(|stride| stride.elements().is_err())
    }

    /// The layout whose strides are the steps of this one's along a direction.
    ///
    /// # Errors
    /// If a stride other than 0 counts elements.
    pub fn steps_along(&self, direction: &[usize]) -> Result<Layout, Error> {
        let steps = |stride: &Stride| match stride {
            Stride::Steps(steps) => {
                Ok(steps.get(direction).copied().unwrap_or(Int::fixed(0)).into())
            }
            Stride::Elements(count) if count.value() == 0 => Ok(stride.clone()),
            Stride::Elements(_) => invalid(format!("the stride {stride} steps along no direction")),
        };
        let stride = self.stride.try_map(&mut |stride| steps(stride))?;
        Ok(Layout { stride, ..self.clone() })
    }

    /// The number of modes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// How deep the modes nest.
    pub fn depth(&self) -> usize {
        self.shape.depth()
    }

    /// The mode at a path of positions, as a layout of its own.
    ///
    /// # Errors
    /// If there is none.
    pub fn mode(&self, path: &[usize]) -> Result<Layout, Error> {
        Layout::new(self.shape.get(path)?.clone(), self.stride.get(path)?.clone())
    }

    /// The modes at the top; a layout of depth 0 is its own only one.
    pub fn modes(&self) -> Vec<Layout> {
        let pairs = self.shape.elements().iter().zip(self.stride.elements());
        let mode = |(shape, stride): (&IntTuple, &Nested<Stride>)| Layout {
            shape: shape.clone(),
            stride: stride.clone(),
            org_shape: None,
        };
        pairs.map(mode).collect()
    }

    /// The layout with these modes.
    pub fn from_modes(modes: &[Layout]) -> Self {
        Layout {
            shape: Nested::Tuple(modes.iter().map(|mode| mode.shape.clone()).collect()),
            stride: Nested::Tuple(modes.iter().map(|mode| mode.stride.clone()).collect()),
            org_shape: None,
        }
    }

    /// The number of coordinates: the product of the shape.
    ///
    /// # Errors
    /// If it does not fit 64 bits.
    pub fn size(&self) -> Result<Int, Error> {
        self.shape.product()
    }

    /// One more than the largest offset, strides counting without their sign; 0 with no elements.
    ///
    /// CuTe in C++ says the same; `pycute` 4.2 takes the last offset, which is wrong for negative
    /// strides.
    ///
    /// # Errors
    /// If a stride counts no elements, or the number does not fit 64 bits.
    pub fn cosize(&self) -> Result<Int, Error> {
        if self.shape.leaves().any(|extent| extent.value() == 0) {
            return Ok(Int::fixed(0));
        }
        let pairs = self.shape.leaves().zip(self.stride.leaves());
        pairs.into_iter().try_fold(Int::fixed(1), |cosize, (extent, stride)| {
            let stride = stride.elements()?;
            let magnitude = stride.max(stride.times(Int::fixed(-1))?);
            cosize.plus(extent.plus(Int::fixed(-1))?.times(magnitude)?)
        })
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)?;
        match &self.org_shape {
            Some(org_shape) => write!(f, ":{org_shape}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
