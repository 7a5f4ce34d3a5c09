//! Shapes as trees: a tuple's shapes, theirs, and what to do to every array among them.
//!
//! Source: `shape_util.cc`, `layout_util.cc` in XLA.

use crate::error::Error;
use crate::shape::{ArrayShape, Shape};
use crate::xla::Ignore;

impl Shape {
    /// This shape and every shape inside it with its path, a tuple before its elements.
    ///
    /// A path is a list of tuple positions, as for [`at`](Self::at) and XLA's `ShapeIndex`; this
    /// is the order of XLA's `ShapeUtil::ForEachSubshape`.
    pub fn subshapes_with_paths(&self) -> impl Iterator<Item = (Vec<usize>, &Shape)> {
        let mut stack = vec![(Vec::new(), self)];
        std::iter::from_fn(move || {
            let (path, shape) = stack.pop()?;
            if let Shape::Tuple(elements) = shape {
                let inside = |(position, element)| ([&path[..], &[position]].concat(), element);
                stack.extend(elements.iter().enumerate().rev().map(inside));
            }
            Some((path, shape))
        })
    }

    /// The [leaves](Self::leaves) with their paths. XLA's `ShapeUtil::GetLeafShapes`.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let shape: Shape = "(f32[3], (s8[2], token[]), ())".parse()?;
    /// let paths: Vec<_> = shape.leaves_with_paths().map(|(path, _)| path).collect();
    /// assert_eq!(paths, [vec![0], vec![1, 0], vec![1, 1]]);
    /// assert_eq!(shape.subshape_count(), 6);
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn leaves_with_paths(&self) -> impl Iterator<Item = (Vec<usize>, &Shape)> {
        self.subshapes_with_paths().filter(|(_, shape)| !matches!(shape, Shape::Tuple(_)))
    }

    /// The number of shapes in the tree: this one and all inside. XLA's
    /// `ShapeUtil::SubshapeCount`.
    pub fn subshape_count(&self) -> usize {
        self.subshapes_with_paths().count()
    }

    /// The same tree with every array changed, buffers' arrays included, left to right. The work
    /// of XLA's `ShapeUtil::ForEachMutableSubshape`.
    ///
    /// ```
    /// use tilewright::{ElementType, Shape};
    /// let shape: Shape = "(f32[3], token[], f32[5])".parse()?;
    /// let half = shape.try_map_arrays(|a| a.clone().with_element_type(ElementType::Bf16))?;
    /// assert_eq!(half.to_string(), "(bf16[3]{0}, token[], bf16[5]{0})");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first that `change` gives.
    pub fn try_map_arrays(
        &self,
        mut change: impl FnMut(&ArrayShape) -> Result<ArrayShape, Error>,
    ) -> Result<Shape, Error> {
        self.map_tree(&mut change)
    }

    /// The same tree with every array changed, buffers' arrays included, left to right.
    pub fn map_arrays(&self, mut change: impl FnMut(&ArrayShape) -> ArrayShape) -> Shape {
        match self.map_tree(&mut |array| Ok::<_, std::convert::Infallible>(change(array))) {
            Ok(shape) => shape,
        }
    }

    fn map_tree<E>(
        &self,
        change: &mut impl FnMut(&ArrayShape) -> Result<ArrayShape, E>,
    ) -> Result<Shape, E> {
        Ok(match self {
            Shape::Array(array) => Shape::Array(change(array)?),
            Shape::Buffer(array) => Shape::Buffer(change(array)?),
            Shape::Tuple(elements) => {
                let changed = elements.iter().map(|element| element.map_tree(change));
                Shape::Tuple(changed.collect::<Result<_, E>>()?)
            }
            Shape::Token => Shape::Token,
            Shape::Opaque => Shape::Opaque,
        })
    }

    /// The same tree with the [default layout](ArrayShape::with_default_layout) on every array.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let shape: Shape = "(f32[3,5]{0,1:T(2,2)}, (s8[2]))".parse()?;
    /// assert_eq!(shape.with_default_layouts().to_string(), "(f32[3,5]{1,0}, (s8[2]{0}))");
    /// assert_eq!(shape.drop_layouts().to_string(), "(f32[3,5], (s8[2]))");
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn with_default_layouts(&self) -> Shape {
        self.map_arrays(ArrayShape::with_default_layout)
    }

    /// The same tree with no layout on any array. XLA's `LayoutUtil::ClearLayout`.
    ///
    /// To print a shape without layouts, [`without_layouts`](Self::without_layouts) is enough.
    pub fn drop_layouts(&self) -> Shape {
        self.map_arrays(|array| array.clone().without_layout())
    }

    /// The same tree with no tiles on any array. XLA's `LayoutUtil::ClearTiles`.
    pub fn drop_tiles(&self) -> Shape {
        self.map_arrays(ArrayShape::without_tiles)
    }

    /// The same tree in host memory, see [`ArrayShape::to_host_shape`].
    pub fn to_host_shape(&self) -> Shape {
        self.map_arrays(ArrayShape::to_host_shape)
    }

    /// Whether every array has a layout, as it has where there is none. XLA's
    /// `LayoutUtil::HasLayout`.
    pub fn has_layouts(&self) -> bool {
        self.arrays().all(|array| array.layout().is_some())
    }

    /// Whether some array has a layout. XLA's `LayoutUtil::HasAnyLayout`.
    pub fn has_any_layout(&self) -> bool {
        self.arrays().any(|array| array.layout().is_some())
    }

    /// Whether two trees are of the same form, with arrays of the same rank in the same places,
    /// and their layouts [are equal](crate::xla::Layout::equal_ignoring) but for what is ignored.
    /// Sizes and element types are not compared. Where neither array has a layout, they agree.
    ///
    /// XLA's `LayoutUtil::LayoutsInShapesEqual`, which loses the options inside tuples.
    ///
    /// ```
    /// use tilewright::{Shape, xla::Ignore};
    /// let device: Shape = "(f32[8,128]{1,0:T(8,128)}, s8[2]{0})".parse()?;
    /// let host: Shape = "(bf16[3,5]{1,0}, s8[9]{0})".parse()?;
    /// assert!(!device.layouts_equal(&host, Ignore::NOTHING));
    /// assert!(device.layouts_equal(&host, Ignore::ALL_BUT_ORDER));
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn layouts_equal(&self, other: &Shape, ignore: Ignore) -> bool {
        self.pairs_all(other, &|a, b| {
            a.rank() == b.rank()
                && match (a.layout(), b.layout()) {
                    (Some(a), Some(b)) => a.equal_ignoring(b, ignore),
                    (a, b) => a.is_none() && b.is_none(),
                }
        })
    }

    /// Whether two trees are of the same form, with arrays of the same element type and sizes in
    /// the same places, each counted at its bound; layouts do not matter, nor whether a dimension
    /// is dynamic. XLA's `ShapeUtil::Compatible`.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let shape: Shape = "(f32[<=8,128]{1,0:T(8,128)}, token[])".parse()?;
    /// assert!(shape.is_compatible_with(&"(f32[8,128], token[])".parse()?));
    /// assert!(!shape.is_compatible_with(&"(f32[8,127], token[])".parse()?));
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn is_compatible_with(&self, other: &Shape) -> bool {
        self.pairs_all(other, &|a, b| {
            let bounds = |array: &ArrayShape| -> Vec<_> {
                array.dims().iter().map(|size| size.bound()).collect()
            };
            a.element_type() == b.element_type() && bounds(a) == bounds(b)
        })
    }

    /// Whether two trees are of the same form and `agree` holds of every two arrays in the same
    /// place.
    fn pairs_all(&self, other: &Shape, agree: &dyn Fn(&ArrayShape, &ArrayShape) -> bool) -> bool {
        match (self, other) {
            (Shape::Array(a), Shape::Array(b)) | (Shape::Buffer(a), Shape::Buffer(b)) => {
                agree(a, b)
            }
            (Shape::Tuple(a), Shape::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.pairs_all(b, agree))
            }
            (Shape::Token, Shape::Token) | (Shape::Opaque, Shape::Opaque) => true,
            _ => false,
        }
    }
}
