//! Tags from layouts.

use std::fmt;

use super::Tag;
use super::form::{Digit, Form};
use crate::element::ElementType;
use crate::tla::{Int, IntTuple, Layout, Nested};

/// The tag a layout has, with the sizes that make it.
///
/// A layout may be a *window* of a larger one, as a tile is: its own shape, and the strides of the
/// array around it. Then [`parent`](Self::parent) has the sizes of that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recognised {
    tag: Tag,
    sizes: Vec<i64>,
    parent: Vec<i64>,
}

impl Recognised {
    /// The tag.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// The sizes of the array, in the order of [`Tag::size_names`].
    pub fn sizes(&self) -> &[i64] {
        &self.sizes
    }

    /// The smallest sizes of an array with this tag that has the layout's strides; the
    /// [`sizes`](Self::sizes) themselves, unless the layout is a window.
    pub fn parent(&self) -> &[i64] {
        &self.parent
    }

    /// Whether the strides are those of a larger array.
    pub fn is_window(&self) -> bool {
        self.sizes != self.parent
    }
}

impl fmt::Display for Recognised {
    /// `zN 28 x 40`, or for a window `zN 20 x 36 in 112 x 36`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tag, by(&self.sizes))?;
        if self.is_window() { write!(f, " in {}", by(&self.parent)) } else { Ok(()) }
    }
}

pub(super) fn by(sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    sizes.join(" x ")
}

impl Layout {
    /// Every tag of this layout of such elements.
    ///
    /// A layout can have several: one element is both row-major and column-major, one fractal both
    /// `zN` and `zZ`, and a dense five-dimensional layout both a feature map and a filter. First
    /// come the tags that give the layout as it is, then those that it is a window of; among each,
    /// the order is that of [`Tag::ALL`], the padded ones last.
    ///
    /// ```
    /// use tilewright::ElementType;
    /// use tilewright::tla::Layout;
    /// let fractal: Layout = "((16,1),(8,1)):((8,128),(1,128)):(16,8)".parse()?;
    /// let tags = fractal.tags(ElementType::F32);
    /// let tags: Vec<String> = tags.iter().map(|found| found.to_string()).collect();
    /// assert_eq!(tags, ["zN 16 x 8", "zZ 16 x 8", "PaddingRowMajor(16,8) 16 x 8"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tags(&self, element_type: ElementType) -> Vec<Recognised> {
        let candidates = self.candidates();
        let whole = candidates.iter().filter_map(|&tag| self.whole(tag, element_type));
        let windows = candidates.iter().filter_map(|&tag| self.window(tag, element_type));
        whole.chain(windows).collect()
    }

    /// The tags to try, the padded ones with the blocks that this layout has.
    pub(super) fn candidates(&self) -> Vec<Tag> {
        let block = |dim| self.shape().get(&[dim, 0]).ok()?.values().first().copied();
        let mut candidates = Tag::ALL.to_vec();
        if let (Some(block_rows), Some(block_columns)) = (block(0), block(1)) {
            candidates.push(Tag::PaddingRowMajor { block_rows, block_columns });
            candidates.push(Tag::PaddingColumnMajor { block_rows, block_columns });
        }
        candidates
    }

    /// The tag, if its layout of the original shape is this one.
    fn whole(&self, tag: Tag, element_type: ElementType) -> Option<Recognised> {
        let sizes = self.sizes_under(tag)?;
        let expected = tagged(tag, element_type, &sizes)?;
        let is_same = expected.shape().is_congruent(self.shape())
            && expected.shape().values() == self.shape().values()
            && expected.stride_values()? == self.stride_values()?;
        is_same.then(|| Recognised { tag, parent: sizes.clone(), sizes })
    }

    /// The tag, if this is part of a larger layout of it.
    fn window(&self, tag: Tag, element_type: ElementType) -> Option<Recognised> {
        if self.whole(tag, element_type).is_some() {
            return None;
        }
        let sizes = self.sizes_under(tag)?;
        let form = tag.form(element_type).ok()?;
        let parent = form.parent(self, &sizes)?;
        let whole = tagged(tag, element_type, &parent)?;
        let fits = whole.shape().is_congruent(self.shape())
            && whole.stride_values()? == self.stride_values()?
            && form.holds(whole.shape(), self.shape());
        fits.then_some(Recognised { tag, sizes, parent })
    }

    /// The sizes the tag would have: the original shape, the dimensions that the tag fixes left
    /// out.
    pub(super) fn sizes_under(&self, tag: Tag) -> Option<Vec<i64>> {
        let sizes = self.org_shape().ok()?.values();
        sizes.get(..tag.size_names().len()).map(<[i64]>::to_vec)
    }

    /// The strides left to right, if all count elements.
    fn stride_values(&self) -> Option<Vec<i64>> {
        self.stride().leaves().map(|stride| stride.elements().ok().map(Int::value)).collect()
    }
}

/// The layout of a tag, if there is one of these sizes.
pub(super) fn tagged(tag: Tag, element_type: ElementType, sizes: &[i64]) -> Option<Layout> {
    let sizes: Vec<Int> = sizes.iter().copied().map(Int::dynamic).collect();
    Layout::from_tag_sizes(tag, element_type, &sizes).ok()
}

/// How many pieces cover a size; a piece has 1 or more.
fn ceil_div(size: i64, piece: i64) -> i64 {
    size / piece + i64::from(size % piece != 0)
}

impl Form {
    /// The sizes of the array whose strides the layout has: each digit has as many values as the
    /// next stride leaves room for, and the last as many as the layout.
    fn parent(&self, layout: &Layout, sizes: &[i64]) -> Option<Vec<i64>> {
        let mut parent = sizes.to_vec();
        for (position, &digit) in self.order.iter().enumerate() {
            let Digit::Between(dim) = digit else { continue };
            let room = match self.order.get(position + 1) {
                Some(&next) => self.room(layout, digit, next)?,
                None => *layout.shape().get(&self.path(digit)).ok()?.values().first()?,
            };
            let piece = self.piece(dim);
            if let Some(size) = parent.get_mut(dim).filter(|size| room != ceil_div(**size, piece)) {
                *size = room.checked_mul(piece)?;
            }
        }
        Some(parent)
    }

    /// How many steps of a digit the next one's stride leaves room for.
    fn room(&self, layout: &Layout, digit: Digit, next: Digit) -> Option<i64> {
        self.number(layout, next)?.checked_div(self.number(layout, digit)?)
    }

    /// Whether blocks are alike and the part has no more of them than the whole.
    fn holds(&self, whole: &IntTuple, part: &IntTuple) -> bool {
        let n_sizes = self.pieces.len() - self.fixed.len();
        self.order.iter().all(|&digit| {
            let path = self.path(digit);
            let extent = |shape: &IntTuple| shape.get(&path).map(IntTuple::values).ok();
            match digit {
                Digit::Between(dim) if dim < n_sizes => extent(whole) >= extent(part),
                _ => extent(whole) == extent(part),
            }
        })
    }

    fn piece(&self, dim: usize) -> i64 {
        self.pieces.get(dim).copied().flatten().map_or(1, Int::value)
    }

    /// Where the layout has the digit.
    fn path(&self, digit: Digit) -> Vec<usize> {
        let (Digit::Inside(dim) | Digit::Between(dim)) = digit;
        match self.pieces.get(dim) {
            Some(Some(_)) => vec![dim, usize::from(matches!(digit, Digit::Between(_)))],
            _ => vec![dim],
        }
    }

    /// The stride of a digit, if it is a number.
    fn number(&self, layout: &Layout, digit: Digit) -> Option<i64> {
        match layout.stride().get(&self.path(digit)).ok()? {
            Nested::Leaf(stride) => stride.elements().ok().map(Int::value),
            Nested::Tuple(_) => None,
        }
    }
}
