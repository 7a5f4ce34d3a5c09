//! Comparing layouts in part.

use crate::xla::Layout;
use crate::xla::layout::Attributes;

/// What [`Layout::equal_ignoring`] does not look at. The order of dimensions always counts.
///
/// ```
/// use tilewright::xla::{Ignore, Layout};
/// let device: Layout = "{1,0:T(8,128)S(1)}".parse()?;
/// let host: Layout = "{1,0}".parse()?;
/// let tiles_only = Ignore { tiles: true, ..Ignore::NOTHING };
/// assert!(!device.equal_ignoring(&host, tiles_only));
/// assert!(device.equal_ignoring(&host, Ignore { memory_space: true, ..tiles_only }));
/// # Ok::<(), tilewright::text::Diagnostic>(())
/// ```
///
/// The options of XLA's `Layout::Equal`, and two more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Ignore {
    /// `T(…)`. XLA's `IgnoreTiles`.
    pub tiles: bool,
    /// `L(n)`. XLA's `IgnoreTailPaddingAlignmentInElements`.
    pub tail_padding: bool,
    /// `#(type)`. XLA's `IgnoreIndexPrimitiveType`.
    pub index_type: bool,
    /// `*(type)`. XLA's `IgnorePointerPrimitiveType`.
    pub pointer_type: bool,
    /// `E(n)`. XLA's `IgnoreElementSize`.
    pub element_size: bool,
    /// `S(n)`. XLA's `IgnoreMemorySpace`.
    pub memory_space: bool,
    /// `SC(…)`. XLA's `IgnoreSplitConfigs`.
    pub split_configs: bool,
    /// `P(shape)`. XLA's `IgnorePhysicalShape`.
    pub physical_shape: bool,
    /// `M(n)`, which XLA never compares.
    pub metadata_prefix: bool,
    /// `PAD(…)`, which XLA does not have.
    pub padding: bool,
}

impl Ignore {
    /// Everything counts, as for `==`.
    pub const NOTHING: Ignore = Ignore {
        tiles: false,
        tail_padding: false,
        index_type: false,
        pointer_type: false,
        element_size: false,
        memory_space: false,
        split_configs: false,
        physical_shape: false,
        metadata_prefix: false,
        padding: false,
    };

    /// What XLA's `Layout::Equal` ignores without any option, and so its `==`: `M(n)`.
    pub const AS_XLA: Ignore = Ignore { metadata_prefix: true, ..Ignore::NOTHING };

    /// Only the order of dimensions counts. XLA's `MinorToMajorOnly`.
    pub const ALL_BUT_ORDER: Ignore = Ignore {
        tiles: true,
        tail_padding: true,
        index_type: true,
        pointer_type: true,
        element_size: true,
        memory_space: true,
        split_configs: true,
        physical_shape: true,
        metadata_prefix: true,
        padding: true,
    };
}

impl Layout {
    /// Whether both layouts say the same, but for what is ignored.
    ///
    /// This compares what is said, not where elements lie: `{1,0:T(1,128)}` is not `{1,0}`, and
    /// `E(32)` on `f32` is not the absence of `E`. To compare placements compare
    /// [index maps](crate::map::IndexMap::same_as).
    ///
    /// XLA's `Layout::Equal`. Where XLA compares two tuples with it (`LayoutsInShapesEqual`), the
    /// options are lost below the top level; [`Shape::layouts_equal`](crate::Shape::layouts_equal)
    /// keeps them.
    pub fn equal_ignoring(&self, other: &Layout, ignore: Ignore) -> bool {
        self.minor_to_major == other.minor_to_major
            && (ignore.tiles || self.tiles == other.tiles)
            && self.attributes.counting(ignore) == other.attributes.counting(ignore)
    }
}

impl Attributes {
    /// The attributes with those ignored at their defaults.
    fn counting(&self, ignore: Ignore) -> Attributes {
        let Attributes {
            tail_padding_alignment,
            index_type,
            pointer_type,
            element_size_in_bits,
            memory_space,
            split_configs,
            physical_shape,
            metadata_prefix_bytes,
            padding,
        } = self.clone();
        Attributes {
            tail_padding_alignment: unless(ignore.tail_padding, tail_padding_alignment),
            index_type: unless(ignore.index_type, index_type),
            pointer_type: unless(ignore.pointer_type, pointer_type),
            element_size_in_bits: unless(ignore.element_size, element_size_in_bits),
            memory_space: unless(ignore.memory_space, memory_space),
            split_configs: unless(ignore.split_configs, split_configs),
            physical_shape: unless(ignore.physical_shape, physical_shape),
            metadata_prefix_bytes: unless(ignore.metadata_prefix, metadata_prefix_bytes),
            padding: unless(ignore.padding, padding),
        }
    }
}

fn unless<T: Default>(ignored: bool, value: T) -> T {
    if ignored { T::default() } else { value }
}
