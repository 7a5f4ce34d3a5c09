//! How the elements of an array lie in memory, in XLA's terms.

use crate::error::{Error, Kind, invalid};
use crate::shape::Dim;
use crate::xla::{Padding, SplitConfig, Tile};
use crate::{ElementType, Permutation, Shape};

/// XLA's description of how an array lies in memory.
///
/// The order of dimensions from minor to major, the tiles that cut them (applied left to right,
/// each to what the one before left), and what memory the bytes are in and how wide they are.
///
/// ```
/// use tilewright::xla::{Layout, Tile};
/// let layout = Layout::descending(2).with_tiles([Tile::of(&[8, 128])?, Tile::of(&[2, 1])?]);
/// assert_eq!(layout.to_string(), "{1,0:T(8,128)(2,1)}");
/// assert_eq!("{1,0:T(8,128)(2,1)}".parse::<Layout>()?, layout);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Equality is of what is said, as in XLA: `{1,0:T(1,128)}` and `{1,0}` differ even where they
/// place every element alike. To compare placements compare
/// [index maps](crate::map::IndexMap::same_as).
///
/// Source: `xla_data.proto` `LayoutProto`, `layout.h`; XLA, *Tiled layout*.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Layout {
    pub(crate) minor_to_major: Permutation,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) attributes: Attributes,
}

/// What a layout says beside the order and the tiles; each field at its default is not printed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Attributes {
    /// `L(n)`; `None` is 1.
    pub(crate) tail_padding_alignment: Option<i64>,
    /// `#(u32)`.
    pub(crate) index_type: Option<ElementType>,
    /// `*(u32)`.
    pub(crate) pointer_type: Option<ElementType>,
    /// `E(n)`.
    pub(crate) element_size_in_bits: Option<u32>,
    /// `S(n)`.
    pub(crate) memory_space: i8,
    /// `SC(dim:i,j)`.
    pub(crate) split_configs: Vec<SplitConfig>,
    /// `P(shape)`.
    pub(crate) physical_shape: Option<Box<Shape>>,
    /// `M(n)`.
    pub(crate) metadata_prefix_bytes: i64,
    /// `PAD(…)`.
    pub(crate) padding: Option<Padding>,
}

impl Layout {
    /// The layout with this order of dimensions, most minor first, and nothing else.
    pub fn new(minor_to_major: Permutation) -> Self {
        Layout { minor_to_major, ..Layout::default() }
    }

    /// `{n-1,…,1,0}`: the last dimension is minor. XLA's default, "dim 0 is major", row-major.
    pub fn descending(rank: usize) -> Self {
        Self::new(Permutation::reversal(rank))
    }

    /// `{0,1,…,n-1}`: the first dimension is minor. "Dim 0 is minor", column-major.
    pub fn ascending(rank: usize) -> Self {
        Self::new(Permutation::identity(rank))
    }

    /// The layout with dimensions in this order, most major first.
    pub fn from_major_to_minor(major_to_minor: &Permutation) -> Self {
        Self::new(major_to_minor.reversed())
    }

    /// The dimension numbers, most minor first.
    pub fn minor_to_major(&self) -> &Permutation {
        &self.minor_to_major
    }

    /// The dimension numbers, most major first: physical position to logical dimension.
    pub fn major_to_minor(&self) -> Permutation {
        self.minor_to_major.reversed()
    }

    /// The physical position of each logical dimension, 0 being most major.
    /// XLA's `MakeLogicalToPhysical`.
    pub fn logical_to_physical(&self) -> Permutation {
        self.major_to_minor().inverse()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.minor_to_major.len()
    }

    /// The tiles, in the order they apply.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// `L(n)`: the element count of the allocation is rounded up to a multiple of this.
    pub fn tail_padding_alignment_in_elements(&self) -> i64 {
        self.attributes.tail_padding_alignment.unwrap_or(1)
    }

    /// `#(type)`: the type of the indices of a sparse array.
    pub fn index_primitive_type(&self) -> Option<ElementType> {
        self.attributes.index_type
    }

    /// `*(type)`: the type of the pointers of a sparse array.
    pub fn pointer_primitive_type(&self) -> Option<ElementType> {
        self.attributes.pointer_type
    }

    /// `E(n)`: the bits each element takes, when not what the type says.
    pub fn element_size_in_bits(&self) -> Option<u32> {
        self.attributes.element_size_in_bits
    }

    /// `S(n)`: which memory; 0 is the default one (HBM on TPU), 1 is VMEM, 5 pinned host memory.
    pub fn memory_space(&self) -> i8 {
        self.attributes.memory_space
    }

    /// `SC(…)`: where dimensions are split over several memories.
    pub fn split_configs(&self) -> &[SplitConfig] {
        &self.attributes.split_configs
    }

    /// `P(shape)`: the physical shape of a sparse array.
    pub fn physical_shape(&self) -> Option<&Shape> {
        self.attributes.physical_shape.as_deref()
    }

    /// `M(n)`: bytes before the data that hold the actual sizes of dynamic dimensions. They are
    /// outside the allocation that sizes and offsets speak of.
    pub fn dynamic_shape_metadata_prefix_bytes(&self) -> i64 {
        self.attributes.metadata_prefix_bytes
    }

    /// `PAD(…)`: widths the dimensions are padded to before anything is tiled.
    pub fn padding(&self) -> Option<&Padding> {
        self.attributes.padding.as_ref()
    }

    /// The same layout with these tiles.
    pub fn with_tiles(mut self, tiles: impl Into<Vec<Tile>>) -> Self {
        self.tiles = tiles.into();
        self
    }

    /// The same layout with another order of dimensions.
    ///
    /// # Errors
    /// If the rank differs.
    pub fn with_minor_to_major(mut self, minor_to_major: Permutation) -> Result<Self, Error> {
        self.check_rank("the new order", minor_to_major.len())?;
        self.minor_to_major = minor_to_major;
        Ok(self)
    }

    /// The same layout with `L(alignment)`, in elements.
    ///
    /// # Errors
    /// If it is below 1.
    pub fn with_tail_padding_alignment(mut self, alignment: i64) -> Result<Self, Error> {
        if alignment < 1 {
            return invalid(format!("tail padding alignment {alignment} must be 1 or more"));
        }
        self.attributes.tail_padding_alignment = (alignment != 1).then_some(alignment);
        Ok(self)
    }

    /// The same layout with `E(bits)`; 0 means what the type says.
    pub fn with_element_size_in_bits(mut self, bits: u32) -> Self {
        self.attributes.element_size_in_bits = (bits != 0).then_some(bits);
        self
    }

    /// The same layout without `E(n)`.
    pub fn without_element_size(self) -> Self {
        self.with_element_size_in_bits(0)
    }

    /// The same layout with `S(space)`.
    pub fn with_memory_space(mut self, space: i8) -> Self {
        self.attributes.memory_space = space;
        self
    }

    /// The same layout with `#(type)` and `*(type)`, for sparse arrays.
    ///
    /// # Errors
    /// If a type is not an integer.
    pub fn with_sparse_types(
        mut self,
        index: Option<ElementType>,
        pointer: Option<ElementType>,
    ) -> Result<Self, Error> {
        if let Some(t) = index.into_iter().chain(pointer).find(|t| !t.is_integral()) {
            return invalid(format!("index and pointer types are integers, and {t} is not"));
        }
        self.attributes.index_type = index;
        self.attributes.pointer_type = pointer;
        Ok(self)
    }

    /// The same layout with `P(shape)`, for sparse arrays.
    pub fn with_physical_shape(mut self, shape: Option<Shape>) -> Self {
        self.attributes.physical_shape = shape.map(Box::new);
        self
    }

    /// The same layout with these split configurations.
    ///
    /// # Errors
    /// If one names a dimension that does not exist or that another one names.
    pub fn with_split_configs(mut self, configs: Vec<SplitConfig>) -> Result<Self, Error> {
        let mut seen = vec![false; self.rank()];
        for config in &configs {
            let dimension = config.dimension();
            match seen.get_mut(dimension) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return invalid(format!("dimension {dimension} is split twice")),
                None => {
                    return invalid(format!(
                        "split dimension {dimension} does not exist in a layout of rank {}",
                        self.rank()
                    ));
                }
            }
        }
        self.attributes.split_configs = configs;
        Ok(self)
    }

    /// The same layout with `M(bytes)`.
    ///
    /// # Errors
    /// If it is negative.
    pub fn with_dynamic_shape_metadata_prefix_bytes(mut self, bytes: i64) -> Result<Self, Error> {
        if bytes < 0 {
            return invalid(format!("the metadata prefix cannot be {bytes} bytes"));
        }
        self.attributes.metadata_prefix_bytes = bytes;
        Ok(self)
    }

    /// The same layout with `PAD(…)`. A scalar has no dimension to pad, so that its `PAD()` is none.
    ///
    /// # Errors
    /// If it has another number of dimensions.
    pub fn with_padding(mut self, padding: Option<Padding>) -> Result<Self, Error> {
        if let Some(padding) = &padding {
            self.check_rank("the padding", padding.dimensions().len())?;
        }
        self.attributes.padding = padding.filter(|padding| !padding.dimensions().is_empty());
        Ok(self)
    }

    /// Whether nothing is said beyond what a scalar's empty layout says.
    pub(crate) fn is_trivial(&self) -> bool {
        *self == Layout::default()
    }

    /// Checks that an array with these dimensions can have this layout: the rank, the padding
    /// and the splits.
    pub(crate) fn check_fits(&self, dims: &[Dim]) -> Result<(), Error> {
        self.check_rank("the shape", dims.len())?;
        if let Some(padding) = self.padding() {
            padding.check_fits(dims)?;
        }
        let physical = self.major_to_minor();
        self.split_configs().iter().try_for_each(|config| {
            let size = physical.get(config.dimension()).and_then(|&d| dims.get(d));
            config.check_fits(size.copied().unwrap_or(Dim::Unbounded))
        })
    }

    fn check_rank(&self, what: &'static str, found: usize) -> Result<(), Error> {
        let expected = self.rank();
        if found == expected {
            return Ok(());
        }
        Err(Error::new(Kind::RankMismatch { what, expected, found }))
    }
}
