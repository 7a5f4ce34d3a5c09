//! The same array somewhere else: on the host, packed, of known sizes.
//!
//! Source: `shape_util.cc` in XLA.

use crate::error::Error;
use crate::shape::{ArrayShape, Dim};
use crate::xla::Layout;
use crate::xla::layout::Attributes;

impl ArrayShape {
    /// The same array with the default layout: descending and nothing else.
    ///
    /// What `LayoutUtil::GetDefaultLayoutForShape` gives in XLA. Its `SetToDefaultLayout` sets
    /// the order only and keeps tiles, memory space and the rest.
    pub fn with_default_layout(&self) -> Self {
        self.with_fitting_layout(Layout::descending(self.rank()))
    }

    /// The same array in host memory: in the same order, but with no tiles, `L`, `E`, `S`, `P`,
    /// `M` or `PAD`. Splits stay, as in XLA's `ShapeUtil::DeviceShapeToHostShape`, and so do the
    /// index and pointer types.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "s4[64,128]{0,1:T(64,128)(8,1)E(4)S(1)}".parse()?;
    /// assert_eq!(shape.to_host_shape().to_string(), "s4[64,128]{0,1}");
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn to_host_shape(&self) -> Self {
        let Some(layout) = self.layout() else { return self.clone() };
        let attributes = Attributes {
            index_type: layout.attributes.index_type,
            pointer_type: layout.attributes.pointer_type,
            split_configs: layout.attributes.split_configs.clone(),
            ..Attributes::default()
        };
        let minor_to_major = layout.minor_to_major.clone();
        self.with_fitting_layout(Layout { minor_to_major, tiles: Vec::new(), attributes })
    }

    /// Whether [`to_host_shape`](Self::to_host_shape) would change nothing. XLA's
    /// `ShapeUtil::DeviceShapeIsHostShape`.
    pub fn is_host_shape(&self) -> bool {
        *self == self.to_host_shape()
    }

    /// The same array without tiles, all else as it is.
    pub fn without_tiles(&self) -> Self {
        match self.layout() {
            Some(layout) => self.with_fitting_layout(layout.clone().without_tiles()),
            None => self.clone(),
        }
    }

    /// The array with elements of fewer than 8 bits packed: `E(n)` with the bits of the type. On
    /// other types, `pred` included, no `E(n)`. Where there is no layout and one is needed, it is
    /// the default one.
    ///
    /// XLA's `ShapeUtil::UpdateElementSizeInBits` with `pack_subbyte_types`.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "s4[2,4]{1,0}".parse()?;
    /// assert_eq!(shape.with_packed_elements().to_string(), "s4[2,4]{1,0:E(4)}");
    /// assert_eq!(shape.with_packed_elements().with_unpacked_elements(), shape);
    /// # Ok::<(), tilewright::text::Diagnostic>(())
    /// ```
    pub fn with_packed_elements(&self) -> Self {
        if !self.element_type().is_sub_byte() {
            return self.with_unpacked_elements();
        }
        let bits = self.element_type().bits();
        self.with_fitting_layout(self.layout_or_default().with_element_size_in_bits(bits))
    }

    /// The array without `E(n)`: each element in the whole bytes of its type. XLA's
    /// `ShapeUtil::UpdateElementSizeInBits` without `pack_subbyte_types`.
    pub fn with_unpacked_elements(&self) -> Self {
        match self.layout() {
            Some(layout) => self.with_fitting_layout(layout.clone().without_element_size()),
            None => self.clone(),
        }
    }

    /// The array with every bounded dimension at its bound, and without `M(n)`, which only
    /// dynamic dimensions need. XLA's `ShapeUtil::MakeStaticShape`.
    ///
    /// ```
    /// use tilewright::ArrayShape;
    /// let shape: ArrayShape = "f32[<=10,20]{1,0:T(8,128)M(4)}".parse()?;
    /// assert_eq!(shape.make_static()?.to_string(), "f32[10,20]{1,0:T(8,128)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a dimension is unbounded. XLA's then has a dimension of −2⁶³ elements.
    pub fn make_static(&self) -> Result<Self, Error> {
        let dims = self.sizes()?.into_iter().map(Dim::Static).collect();
        let layout = self.layout().cloned().map(|mut layout| {
            layout.attributes.metadata_prefix_bytes = 0;
            layout
        });
        Self::from_parts(self.element_type(), dims, layout)
    }

    /// The array with a layout known to fit, because it says no more about dimensions than the
    /// one it has.
    fn with_fitting_layout(&self, layout: Layout) -> Self {
        let fits = self.clone().with_layout(layout);
        debug_assert!(fits.is_ok(), "the layout comes from this shape");
        fits.unwrap_or_else(|_| self.clone())
    }
}
