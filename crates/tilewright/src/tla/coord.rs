//! Coordinates to offsets, and back.

use super::{Int, IntTuple, Layout, Nested, Stride};
use crate::error::{Error, checked, invalid};

impl Layout {
    /// Where a coordinate leads: the sum of its parts times their strides. The coordinate may be
    /// an integer, one integer per mode, or nested as deep as the shape, in any mixture.
    ///
    /// ```
    /// use tilewright::tla::Layout;
    /// let layout: Layout = "((4,2),(4,3)):((4,16),(1,32))".parse()?;
    /// for coordinate in ["(1,5)", "(1,(1,1))", "((1,0),(1,1))", "41"] {
    ///     assert_eq!(layout.at(&coordinate.parse()?)?.to_string(), "37");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// As in CuTe, nothing is checked against the shape: the last part of a mode takes whatever
    /// is left.
    ///
    /// # Errors
    /// If the coordinate does not nest like the shape, a shape of 0 has to be divided by, or a
    /// number does not fit 64 bits.
    pub fn at(&self, coordinate: &IntTuple) -> Result<Stride, Error> {
        crd2idx(coordinate, self.shape(), self.stride())
    }

    /// [`at`](Self::at) as a number of elements.
    ///
    /// # Errors
    /// As `at`, and if the layout's strides count no elements.
    pub fn offset(&self, coordinate: &IntTuple) -> Result<i64, Error> {
        Ok(self.at(coordinate)?.elements()?.value())
    }
}

/// The offset of a coordinate in a shape with these strides. TLA's `crd2idx`, later `crd2offset`.
///
/// # Errors
/// As [`Layout::at`].
pub fn crd2idx(
    coordinate: &IntTuple,
    shape: &IntTuple,
    stride: &Nested<Stride>,
) -> Result<Stride, Error> {
    match (coordinate, shape, stride) {
        (Nested::Leaf(index), Nested::Leaf(_), Nested::Leaf(stride)) => stride.times(*index),
        (Nested::Leaf(index), Nested::Tuple(shapes), Nested::Tuple(strides)) => {
            of_integer(*index, shapes, strides)
        }
        (Nested::Tuple(parts), Nested::Tuple(shapes), Nested::Tuple(strides))
            if parts.len() == shapes.len() =>
        {
            let triples = parts.iter().zip(shapes).zip(strides);
            Stride::sum(triples.map(|((part, shape), stride)| crd2idx(part, shape, stride)))
        }
        _ => invalid(format!("the coordinate {coordinate} does not fit the shape {shape}")),
    }
}

/// An integer coordinate of a tuple: each part but the last takes the remainder by its size.
fn of_integer(
    index: Int,
    shapes: &[IntTuple],
    strides: &[Nested<Stride>],
) -> Result<Stride, Error> {
    let mut rest = index;
    let mut sum = Stride::from(Int::fixed(0));
    for (position, (shape, stride)) in shapes.iter().zip(strides).enumerate() {
        let part = if position + 1 == shapes.len() { rest } else { rest.modulo(shape.product()?)? };
        sum.add(crd2idx(&Nested::Leaf(part), shape, stride)?)?;
        if position + 1 < shapes.len() {
            rest = rest.over(shape.product()?)?;
        }
    }
    Ok(sum)
}

/// The coordinate of a shape that an integer is, nested like the shape. The last part is not
/// wrapped.
///
/// ```
/// use tilewright::tla::{Int, IntTuple, idx2crd};
/// let shape: IntTuple = "(3,(2,3))".parse()?;
/// assert_eq!(idx2crd(Int::dynamic(16), &shape)?.to_string(), "(1,(1,2))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a shape of 0 has to be divided by, or a number does not fit 64 bits.
pub fn idx2crd(index: Int, shape: &IntTuple) -> Result<IntTuple, Error> {
    let Nested::Tuple(shapes) = shape else { return Ok(Nested::Leaf(index)) };
    let mut rest = index;
    let mut parts = Vec::new();
    for (position, shape) in shapes.iter().enumerate() {
        if position + 1 == shapes.len() {
            parts.push(idx2crd(rest, shape)?);
            break;
        }
        let size = shape.product()?;
        parts.push(idx2crd(rest.modulo(size)?, shape)?);
        rest = rest.over(size)?;
    }
    Ok(Nested::Tuple(parts))
}

/// The integer that a coordinate of a shape is: [`idx2crd`] backwards.
///
/// # Errors
/// If the coordinate does not fit the shape, or a number does not fit 64 bits.
pub fn crd2int(coordinate: &IntTuple, shape: &IntTuple) -> Result<Int, Error> {
    match (coordinate, shape) {
        (Nested::Leaf(index), _) => Ok(*index),
        (Nested::Tuple(parts), Nested::Tuple(shapes)) if parts.len() == shapes.len() => {
            let mut index = Int::fixed(0);
            for (part, shape) in parts.iter().zip(shapes).rev() {
                index = index.times(shape.product()?)?.plus(crd2int(part, shape)?)?;
            }
            Ok(index)
        }
        _ => invalid(format!("the coordinate {coordinate} does not fit the shape {shape}")),
    }
}

/// A coordinate of one shape as the coordinate of another with as many elements.
///
/// # Errors
/// If the coordinate does not fit the first shape, or a number does not fit 64 bits.
pub fn crd2crd(coordinate: &IntTuple, from: &IntTuple, to: &IntTuple) -> Result<IntTuple, Error> {
    idx2crd(crd2int(coordinate, from)?, to)
}

/// The strides of a dense layout of this shape, the leftmost integer next to each other.
///
/// # Errors
/// If one does not fit 64 bits.
pub fn compact_col_major(shape: &IntTuple) -> Result<Nested<Stride>, Error> {
    let mut next = Some(Int::fixed(1));
    shape.try_map(&mut |extent| {
        let stride = checked(next, "a stride")?;
        next = stride.times(*extent).ok();
        Ok(stride.into())
    })
}
