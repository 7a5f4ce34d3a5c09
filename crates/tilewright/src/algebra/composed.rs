//! Layouts under an offset and another layout or a swizzle.

use std::fmt;

use super::cast::{downcast, upcast};
use super::composition::composition;
use super::levels::Levels;
use super::slice::{Picks, slice_and_offset};
use super::swizzle::Swizzle;
use super::tiler::Tiler;
use crate::error::{Error, invalid};
use crate::tla::{Int, IntTuple, Layout, Nested, Stride};

/// The outer function of a [`Composed`] layout, from offsets to places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outer {
    /// A layout, read at an integer.
    Layout(Layout),
    /// A swizzle.
    Swizzle(Swizzle),
}

/// `c -> outer(offset + inner(c))`: a layout whose places are no longer the sum of strides.
///
/// It has the shape of its inner layout and no strides. What changes coordinates (dividing,
/// repeating, slicing, composing on the right) happens to the inner layout; the offset takes what
/// slicing fixes, for a swizzle does not go past a sum.
///
/// ```
/// use tilewright::algebra::{Composed, Tiler, logical_divide};
/// let tile: Composed = "Sw<3,0,3> o _0 o (_8,_8):(_8,_1)".parse()?;
/// assert_eq!(tile.offset_at(&"(1,2)".parse()?)?, 11); // 10 with bits 3-5, 001, on bits 0-2
/// let tiler: Tiler = "(_2,_4)".parse()?;
/// let divided = tile.on_inner(|inner| logical_divide(inner, &tiler))?;
/// assert_eq!(divided.to_string(), "Sw<3,0,3> o _0 o ((_2,_4),(_4,_2)):((_8,_16),(_1,_4))");
/// let row = tile.slice(&"(3,_)".parse()?)?;
/// assert_eq!(row.to_string(), "Sw<3,0,3> o 24 o (_8):(_1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Composed {
    outer: Outer,
    offset: Int,
    inner: Layout,
}

impl Composed {
    /// `outer o offset o inner`. An original shape of the inner layout is kept; operations on it
    /// drop it, as they do of any layout.
    ///
    /// # Errors
    /// If the inner layout's strides are coordinates.
    pub fn new(outer: Outer, offset: Int, inner: Layout) -> Result<Self, Error> {
        for stride in inner.stride().leaves() {
            stride.elements()?;
        }
        Ok(Composed { outer, offset, inner })
    }

    /// A swizzle over a layout, without offset.
    ///
    /// # Errors
    /// If the layout's strides are coordinates.
    pub fn swizzled(swizzle: Swizzle, inner: Layout) -> Result<Self, Error> {
        Composed::new(Outer::Swizzle(swizzle), Int::fixed(0), inner)
    }

    /// What is applied last.
    pub fn outer(&self) -> &Outer {
        &self.outer
    }

    /// What is added in between.
    pub fn offset(&self) -> Int {
        self.offset
    }

    /// What is applied first.
    pub fn inner(&self) -> &Layout {
        &self.inner
    }

    /// The shape, which is the inner layout's.
    pub fn shape(&self) -> &IntTuple {
        self.inner.shape()
    }

    /// The number of coordinates.
    ///
    /// # Errors
    /// If it does not fit 64 bits.
    pub fn size(&self) -> Result<Int, Error> {
        self.inner.size()
    }

    /// Where a coordinate leads.
    ///
    /// # Errors
    /// As [`Layout::at`].
    pub fn at(&self, coordinate: &IntTuple) -> Result<Stride, Error> {
        let place = self.inner.at(coordinate)?.elements()?.plus(self.offset)?;
        match &self.outer {
            Outer::Layout(outer) => outer.at(&Nested::Leaf(place)),
            Outer::Swizzle(swizzle) => Ok(swizzle.apply_int(place).into()),
        }
    }

    /// [`at`](Self::at) as a number of elements.
    ///
    /// # Errors
    /// As `at`, and if the outer layout's strides count no elements.
    pub fn offset_at(&self, coordinate: &IntTuple) -> Result<i64, Error> {
        Ok(self.at(coordinate)?.elements()?.value())
    }

    /// The same with another inner layout: how divisions, products and whatever else changes
    /// coordinates are done.
    ///
    /// # Errors
    /// The one of `change`, and if the new inner layout's strides are coordinates.
    pub fn on_inner(
        &self,
        change: impl FnOnce(&Layout) -> Result<Layout, Error>,
    ) -> Result<Self, Error> {
        Composed::new(self.outer.clone(), self.offset, change(&self.inner)?)
    }

    /// This, read through a layout or a tiler.
    ///
    /// * Ensures `R(c) = self(b(c))`.
    ///
    /// # Errors
    /// As [`composition`] of the inner layout.
    pub fn composition(&self, b: impl Into<Tiler>) -> Result<Self, Error> {
        self.on_inner(|inner| composition(inner, b))
    }

    /// The modes a coordinate leaves open; what it fixes goes to the offset.
    ///
    /// # Errors
    /// As [`slice_and_offset`].
    pub fn slice(&self, picks: &Picks) -> Result<Self, Error> {
        let (inner, fixed) = slice_and_offset(picks, &self.inner)?;
        Composed::new(self.outer.clone(), self.offset.plus(fixed.elements()?)?, inner)
    }

    /// The same memory as elements `n` times as large.
    ///
    /// # Errors
    /// If the outer function is a layout, `n` does not divide the offset, or as [`upcast`] of the
    /// inner layout and [`Swizzle::upcast`].
    pub fn upcast(&self, n: Int) -> Result<Self, Error> {
        let swizzle = self.swizzle()?.upcast(n.value())?;
        if self.offset.modulo(n)?.value() != 0 {
            return invalid(format!("the offset {} is no multiple of {n}", self.offset));
        }
        Composed::new(Outer::Swizzle(swizzle), self.offset.over(n)?, upcast(&self.inner, n)?)
    }

    /// The same memory as elements one `n`th as large.
    ///
    /// # Errors
    /// If the outer function is a layout, or as [`downcast`] of the inner layout and
    /// [`Swizzle::downcast`].
    pub fn downcast(&self, n: Int) -> Result<Self, Error> {
        let swizzle = self.swizzle()?.downcast(n.value())?;
        Composed::new(Outer::Swizzle(swizzle), self.offset.times(n)?, downcast(&self.inner, n)?)
    }

    fn swizzle(&self) -> Result<Swizzle, Error> {
        match &self.outer {
            Outer::Swizzle(swizzle) => Ok(*swizzle),
            Outer::Layout(outer) => {
                invalid(format!("elements under the layout {outer} cannot change their size"))
            }
        }
    }
}

impl fmt::Display for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outer {
            Outer::Layout(outer) => outer.fmt(f)?,
            Outer::Swizzle(swizzle) => swizzle.fmt(f)?,
        }
        write!(f, " o {} o {}", self.offset, self.inner)
    }
}

impl fmt::Debug for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A layout where there is one, and a composed layout where there is not.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Composition {
    /// One shape and one stride say it.
    Layout(Layout),
    /// An outer function over a layout.
    Composed(Composed),
}

impl Composition {
    /// Where a coordinate leads.
    ///
    /// # Errors
    /// As [`Layout::at`].
    pub fn at(&self, coordinate: &IntTuple) -> Result<Stride, Error> {
        match self {
            Composition::Layout(layout) => layout.at(coordinate),
            Composition::Composed(composed) => composed.at(coordinate),
        }
    }

    /// The shape.
    pub fn shape(&self) -> &IntTuple {
        match self {
            Composition::Layout(layout) => layout.shape(),
            Composition::Composed(composed) => composed.shape(),
        }
    }
}

impl fmt::Display for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Composition::Layout(layout) => layout.fmt(f),
            Composition::Composed(composed) => composed.fmt(f),
        }
    }
}

impl fmt::Debug for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Layout> for Composition {
    fn from(layout: Layout) -> Self {
        Composition::Layout(layout)
    }
}

impl From<Composed> for Composition {
    fn from(composed: Composed) -> Self {
        Composition::Composed(composed)
    }
}

/// `A ∘ B`: as a layout where [`composition`] finds one, and composed where it does not.
///
/// * Ensures `R(c) = A(B(c))` at every coordinate of `B`.
///
/// ```
/// use tilewright::{algebra::compose, tla::Layout};
/// let a: Layout = "(4,6,8):(2,3,5)".parse()?;
/// assert_eq!(compose(&a, &"6:4".parse()?)?.to_string(), "6:3");
/// let composed = compose(&a, &"6:3".parse()?)?;
/// assert_eq!(composed.to_string(), "(4,6,8):(2,3,5) o _0 o 6:3");
/// assert_eq!(composed.at(&"5".parse()?)?.to_string(), "15"); // 15 is 3 + 3·4: 3·2 + 3·3
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the strides of `B` are coordinates and there is no layout, or `A` cannot be read at an
/// integer.
pub fn compose(a: &Layout, b: &Layout) -> Result<Composition, Error> {
    if let Ok(layout) = composition(a, b) {
        return Ok(layout.into());
    }
    Levels::of(a)?;
    let outer = Outer::Layout(a.clone().without_org_shape());
    Ok(Composed::new(outer, Int::fixed(0), b.clone())?.into())
}
