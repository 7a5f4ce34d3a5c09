//! Layouts from tags.

use super::form::{Digit, Form};
use super::{FilterPosition, Tag};
use crate::element::ElementType;
use crate::error::{Error, invalid};
use crate::tla::{Int, IntTuple, Layout, Nested, Stride};

impl Layout {
    /// The layout of a matrix that a tag names: TLA's `MakeLayout<Element, Tag>(rows, cols)`.
    /// `Vector` ignores the rows.
    ///
    /// Block sizes are static; what depends on a dynamic size is dynamic. The original shape is
    /// the sizes, dynamic.
    ///
    /// ```
    /// use tilewright::ElementType;
    /// use tilewright::tla::{Int, Layout, Tag};
    /// let layout = Layout::from_tag(Tag::Nz, ElementType::F16, 28, Int::fixed(40))?;
    /// assert_eq!(layout.to_string(), "((_16,2),(_16,_3)):((_1,_768),(_16,_256)):(28,40)");
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a size is negative, the tag is not one of matrices, the element type has no such layout,
    /// or a number does not fit 64 bits.
    pub fn from_tag(
        tag: Tag,
        element_type: ElementType,
        rows: impl Into<Int>,
        columns: impl Into<Int>,
    ) -> Result<Self, Error> {
        let (rows, columns) = (rows.into(), columns.into());
        match tag {
            Tag::Vector => Layout::from_tag_sizes(tag, element_type, &[columns]),
            _ => Layout::from_tag_sizes(tag, element_type, &[rows, columns]),
        }
    }

    /// The layout of any tag: the sizes are those of [`Tag::size_names`].
    ///
    /// # Errors
    /// As [`from_tag`](Self::from_tag), and if there is another number of sizes.
    pub fn from_tag_sizes(
        tag: Tag,
        element_type: ElementType,
        sizes: &[Int],
    ) -> Result<Self, Error> {
        let names = tag.size_names();
        if sizes.len() != names.len() {
            let (names, n_names) = (names.join(", "), names.len());
            return invalid(format!("{tag} has sizes {names}: {n_names}, not {}", sizes.len()));
        }
        if let Some((size, name)) = sizes.iter().zip(names).find(|(size, _)| size.value() < 0) {
            return invalid(format!("the size {size} of {name} is negative"));
        }
        tag.form(element_type)?.layout(sizes)
    }

    /// A feature map `NC1HWC0`: batch, channels over C0, height, width. TLA's `MakeLayoutFmap`.
    ///
    /// ```
    /// use tilewright::{ElementType, tla::Layout};
    /// let layout = Layout::fmap(ElementType::F16, 2, 3, 4, 5)?;
    /// assert_eq!(layout.to_string(), "(2,3,4,5,_16):(960,320,80,_16,_1):(2,3,4,5,16)");
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a size is negative, the element type has no C0, or a number does not fit 64 bits.
    pub fn fmap(element_type: ElementType, n: i64, c1: i64, h: i64, w: i64) -> Result<Self, Error> {
        Layout::from_tag_sizes(Tag::Fmap, element_type, &[n, c1, h, w].map(Int::dynamic))
    }

    /// A filter `C1HWNC0`: input channels over C0, kernel height and width, output channels.
    /// TLA's `MakeLayoutFilter`.
    ///
    /// ```
    /// use tilewright::ElementType;
    /// use tilewright::tla::{FilterPosition, Layout};
    /// let layout = Layout::filter(ElementType::F16, FilterPosition::L1, 2, 3, 3, 20)?;
    /// assert_eq!(layout.to_string(), "(2,3,3,32,_16):(4608,1536,512,_16,_1):(2,3,3,32,16)");
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fmap`](Self::fmap).
    pub fn filter(
        element_type: ElementType,
        position: FilterPosition,
        c1: i64,
        kh: i64,
        kw: i64,
        n: i64,
    ) -> Result<Self, Error> {
        let sizes = [c1, kh, kw, n].map(Int::dynamic);
        Layout::from_tag_sizes(Tag::Filter(position), element_type, &sizes)
    }

    /// A feature map with depth, `NDC1HWC0`: batch, depth, channels over C0, height, width.
    ///
    /// # Errors
    /// As [`fmap`](Self::fmap).
    pub fn fmap_3d(
        element_type: ElementType,
        n: i64,
        d: i64,
        c1: i64,
        h: i64,
        w: i64,
    ) -> Result<Self, Error> {
        let sizes = [n, d, c1, h, w].map(Int::dynamic);
        Layout::from_tag_sizes(Tag::Fmap3d, element_type, &sizes)
    }

    /// A filter with depth, `KDC1KHKWN1N0C0`: kernel depth, input channels over C0, kernel height
    /// and width, output channels over 16.
    ///
    /// ```
    /// use tilewright::{ElementType, tla::Layout};
    /// let layout = Layout::filter_3d(ElementType::F16, 3, 2, 3, 3, 2)?;
    /// assert_eq!(layout.shape().to_string(), "(3,2,3,3,2,_16,_16)");
    /// assert_eq!(layout.stride().to_string(), "(9216,4608,1536,512,_256,_16,_1)");
    /// # Ok::<(), tilewright::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fmap`](Self::fmap).
    pub fn filter_3d(
        element_type: ElementType,
        kd: i64,
        c1: i64,
        kh: i64,
        kw: i64,
        n1: i64,
    ) -> Result<Self, Error> {
        let sizes = [kd, c1, kh, kw, n1].map(Int::dynamic);
        Layout::from_tag_sizes(Tag::Filter3d, element_type, &sizes)
    }
}

impl Form {
    /// The layout of an array of these sizes, the fixed ones left out.
    fn layout(&self, sizes: &[Int]) -> Result<Layout, Error> {
        let sizes = self.whole_sizes(sizes)?;
        let shape = self.nest(|digit| self.extent(digit, &sizes).map(Nested::Leaf))?;
        let stride = self.nest(|digit| {
            let stride = self.stride(digit, &sizes)?;
            Ok(Nested::Leaf(Stride::from(stride)))
        })?;
        let org_shape = sizes.iter().map(|size| Nested::Leaf(Int::dynamic(size.value())));
        Layout::new(shape, stride)?.with_org_shape(IntTuple::Tuple(org_shape.collect()))
    }

    /// The sizes of all dimensions.
    fn whole_sizes(&self, sizes: &[Int]) -> Result<Vec<Int>, Error> {
        let mut whole = sizes.to_vec();
        if let Some(last) = whole.last_mut() {
            *last = last.round_up(self.size_multiple)?;
        }
        whole.extend(&self.fixed);
        Ok(whole)
    }

    /// One value per digit, nested as the layout is.
    fn nest<T>(
        &self,
        mut value: impl FnMut(Digit) -> Result<Nested<T>, Error>,
    ) -> Result<Nested<T>, Error> {
        let modes = self.pieces.iter().enumerate().map(|(dim, piece)| match piece {
            None => value(Digit::Between(dim)),
            Some(_) => {
                Ok(Nested::Tuple(vec![value(Digit::Inside(dim))?, value(Digit::Between(dim))?]))
            }
        });
        modes.collect::<Result<_, Error>>().map(Nested::Tuple)
    }

    /// How many values a digit has.
    fn extent(&self, digit: Digit, sizes: &[Int]) -> Result<Int, Error> {
        let one = Int::fixed(1);
        let (Digit::Inside(dim) | Digit::Between(dim)) = digit;
        let piece = self.pieces.get(dim).copied().flatten();
        match digit {
            Digit::Inside(_) => Ok(piece.unwrap_or(one)),
            Digit::Between(_) => sizes.get(dim).map_or(Ok(one), |size| match piece {
                None => Ok(*size),
                Some(piece) => size.ceil_div(piece),
            }),
        }
    }

    /// The room of all digits before this one.
    fn stride(&self, digit: Digit, sizes: &[Int]) -> Result<Int, Error> {
        let before = self.order.iter().take_while(|&&other| other != digit);
        before.into_iter().try_fold(self.unit, |room, &other| {
            room.times(self.extent(other, sizes)?.round_up(self.room_multiple)?)
        })
    }
}
