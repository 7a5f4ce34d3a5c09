//! Protobuf bytes of shapes, as XLA's `xla_data.proto` has them.
//!
//! [`Shape::to_proto_bytes`] writes what XLA's own serialisation writes for the same shape, byte
//! for byte, and [`Shape::from_proto_bytes`] reads it. Fields of older protos that XLA has since
//! removed, `padded_dimensions` and `padding_value`, are read and written as [`Padding`].
//! `*` in a tile is written as XLA's own sentinel, the smallest 64-bit integer, although XLA's
//! `Tile::FromProto` refuses to read it back today. Unknown fields, among them the sparse
//! dimension level types of 2022 to 2025, are skipped.
//!
//! ```
//! use tilewright::Shape;
//! let shape: Shape = "f32[3]{0:T(8)}".parse()?;
//! let bytes = shape.to_proto_bytes();
//! assert_eq!(Shape::from_proto_bytes(&bytes)?, shape);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: `xla_data.proto`: `ShapeProto`, `LayoutProto`, `TileProto`, `SplitConfigProto`.

use prost::Message;

use crate::error::{Error, Kind, invalid};
use crate::shape::{ArrayShape, Dim, Shape};
use crate::text::MAX_NESTING;
use crate::xla::{Layout, Padding, PaddingValue, SplitConfig, Tile, TileDim};
use crate::{ElementType, Permutation};

/// `ShapeProto`.
#[derive(Clone, PartialEq, Message)]
struct ShapeProto {
    #[prost(int32, tag = "2")]
    element_type: i32,
    #[prost(int64, repeated, tag = "3")]
    dimensions: Vec<i64>,
    #[prost(message, repeated, tag = "4")]
    tuple_shapes: Vec<ShapeProto>,
    #[prost(message, optional, tag = "5")]
    layout: Option<LayoutProto>,
    #[prost(bool, repeated, tag = "6")]
    is_dynamic_dimension: Vec<bool>,
}

/// `LayoutProto`.
#[derive(Clone, PartialEq, Message)]
struct LayoutProto {
    #[prost(int64, repeated, tag = "1")]
    minor_to_major: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    padded_dimensions: Vec<i64>,
    #[prost(int32, tag = "3")]
    padding_value: i32,
    #[prost(message, repeated, tag = "6")]
    tiles: Vec<TileProto>,
    #[prost(int64, tag = "7")]
    element_size_in_bits: i64,
    #[prost(int64, tag = "8")]
    memory_space: i64,
    #[prost(message, optional, boxed, tag = "10")]
    physical_shape: Option<Box<ShapeProto>>,
    #[prost(int32, tag = "11")]
    index_primitive_type: i32,
    #[prost(int32, tag = "12")]
    pointer_primitive_type: i32,
    #[prost(int64, tag = "15")]
    dynamic_shape_metadata_prefix_bytes: i64,
    #[prost(int64, tag = "16")]
    tail_padding_alignment_in_elements: i64,
    #[prost(message, repeated, tag = "17")]
    split_configs: Vec<SplitConfigProto>,
}

/// `TileProto`.
#[derive(Clone, PartialEq, Message)]
struct TileProto {
    #[prost(int64, repeated, tag = "1")]
    dimensions: Vec<i64>,
}

/// `SplitConfigProto`.
#[derive(Clone, PartialEq, Message)]
struct SplitConfigProto {
    #[prost(int64, tag = "1")]
    dimension: i64,
    #[prost(int64, repeated, tag = "2")]
    split_indices: Vec<i64>,
}

/// The value that stands for an unbounded dimension.
const UNBOUNDED: i64 = i64::MIN;

impl Shape {
    /// The bytes of this shape's `ShapeProto`.
    pub fn to_proto_bytes(&self) -> Vec<u8> {
        shape_to_proto(self).encode_to_vec()
    }

    /// The shape with these `ShapeProto` bytes.
    ///
    /// # Errors
    /// If the bytes are not a `ShapeProto`, or what they say is not a shape: an unknown type,
    /// a layout of another rank, a tile that cannot be.
    pub fn from_proto_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let proto = ShapeProto::decode(bytes).map_err(|error| {
            Error::new(Kind::Invalid { message: format!("not a ShapeProto: {error}") })
        })?;
        shape_from_proto(&proto, MAX_NESTING)
    }
}

impl Layout {
    /// The bytes of this layout's `LayoutProto`.
    pub fn to_proto_bytes(&self) -> Vec<u8> {
        layout_to_proto(self).encode_to_vec()
    }

    /// The layout with these `LayoutProto` bytes.
    ///
    /// # Errors
    /// If the bytes are not a `LayoutProto`, or what they say is not a layout.
    pub fn from_proto_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let proto = LayoutProto::decode(bytes).map_err(|error| {
            Error::new(Kind::Invalid { message: format!("not a LayoutProto: {error}") })
        })?;
        layout_from_proto(&proto, MAX_NESTING)
    }
}

fn shape_to_proto(shape: &Shape) -> ShapeProto {
    let proto = ShapeProto { element_type: shape.proto_number(), ..ShapeProto::default() };
    match shape {
        Shape::Array(array) => array_to_proto(array),
        Shape::Tuple(elements) => {
            ShapeProto { tuple_shapes: elements.iter().map(shape_to_proto).collect(), ..proto }
        }
        Shape::Buffer(array) => ShapeProto { tuple_shapes: vec![array_to_proto(array)], ..proto },
        Shape::Token | Shape::Opaque => proto,
    }
}

fn array_to_proto(array: &ArrayShape) -> ShapeProto {
    ShapeProto {
        element_type: array.element_type().proto_number(),
        dimensions: array.dims().iter().map(|dim| dim.bound().unwrap_or(UNBOUNDED)).collect(),
        is_dynamic_dimension: array.dims().iter().map(|dim| dim.is_dynamic()).collect(),
        layout: array.layout().map(layout_to_proto),
        ..ShapeProto::default()
    }
}

fn layout_to_proto(layout: &Layout) -> LayoutProto {
    let number = |t: Option<ElementType>| t.map_or(0, ElementType::proto_number);
    let padding = layout.padding();
    LayoutProto {
        minor_to_major: layout.minor_to_major().iter().map(|&dim| from_usize(dim)).collect(),
        padded_dimensions: padding.map_or(Vec::new(), |p| p.dimensions().to_vec()),
        padding_value: padding.and_then(Padding::value).map_or(0, padding_value_number),
        tiles: layout.tiles().iter().map(tile_to_proto).collect(),
        element_size_in_bits: layout.element_size_in_bits().map_or(0, i64::from),
        memory_space: i64::from(layout.memory_space()),
        physical_shape: layout.physical_shape().map(|shape| Box::new(shape_to_proto(shape))),
        index_primitive_type: number(layout.index_primitive_type()),
        pointer_primitive_type: number(layout.pointer_primitive_type()),
        dynamic_shape_metadata_prefix_bytes: layout.dynamic_shape_metadata_prefix_bytes(),
        tail_padding_alignment_in_elements: layout.tail_padding_alignment_in_elements(),
        split_configs: layout.split_configs().iter().map(split_to_proto).collect(),
    }
}

fn tile_to_proto(tile: &Tile) -> TileProto {
    let number = |dim: &TileDim| match dim {
        TileDim::Size(size) => *size,
        TileDim::Combine => TileDim::COMBINE_SENTINEL,
    };
    TileProto { dimensions: tile.dims().iter().map(number).collect() }
}

fn split_to_proto(split: &SplitConfig) -> SplitConfigProto {
    SplitConfigProto {
        dimension: from_usize(split.dimension()),
        split_indices: split.split_indices().to_vec(),
    }
}

fn shape_from_proto(proto: &ShapeProto, depth: usize) -> Result<Shape, Error> {
    if depth == 0 {
        return invalid(format!("shapes nest deeper than {MAX_NESTING}"));
    }
    let elements = || proto.tuple_shapes.iter().map(|element| shape_from_proto(element, depth - 1));
    match proto.element_type {
        13 => Ok(Shape::Tuple(elements().collect::<Result<_, _>>()?)),
        14 => Ok(Shape::Opaque),
        17 => Ok(Shape::Token),
        34 => match elements().collect::<Result<Vec<_>, _>>()?.as_slice() {
            [Shape::Array(array)] => Ok(Shape::Buffer(array.clone())),
            _ => invalid("a buffer holds exactly one array".to_owned()),
        },
        _ => array_from_proto(proto, depth).map(Shape::Array),
    }
}

fn array_from_proto(proto: &ShapeProto, depth: usize) -> Result<ArrayShape, Error> {
    let element_type = type_from_proto(proto.element_type)?;
    let is_dynamic = proto.is_dynamic_dimension.iter().copied().chain(std::iter::repeat(false));
    let dim = |(&size, is_dynamic): (&i64, bool)| match (size, is_dynamic) {
        (UNBOUNDED, _) => Dim::Unbounded,
        (size, true) => Dim::Bounded(size),
        (size, false) => Dim::Static(size),
    };
    let dims = proto.dimensions.iter().zip(is_dynamic).map(dim).collect();
    let layout = proto.layout.as_ref().map(|layout| layout_from_proto(layout, depth - 1));
    ArrayShape::from_parts(element_type, dims, layout.transpose()?)
}

fn layout_from_proto(proto: &LayoutProto, depth: usize) -> Result<Layout, Error> {
    let minor_to_major: Vec<usize> =
        proto.minor_to_major.iter().map(|&dim| to_usize(dim)).collect::<Result<_, _>>()?;
    let tiles = proto.tiles.iter().map(tile_from_proto).collect::<Result<Vec<_>, _>>()?;
    let splits = proto.split_configs.iter().map(split_from_proto).collect::<Result<_, _>>()?;
    let physical_shape =
        proto.physical_shape.as_ref().map(|shape| shape_from_proto(shape, depth.saturating_sub(1)));
    let sparse_type = |number: i32| (number != 0).then(|| type_from_proto(number)).transpose();
    Layout::new(Permutation::new(minor_to_major)?)
        .with_tiles(tiles)
        .with_tail_padding_alignment(proto.tail_padding_alignment_in_elements.max(1))?
        .with_element_size_in_bits(narrowed(proto.element_size_in_bits, "element size in bits")?)
        .with_memory_space(narrowed(proto.memory_space, "memory space")?)
        .with_sparse_types(
            sparse_type(proto.index_primitive_type)?,
            sparse_type(proto.pointer_primitive_type)?,
        )?
        .with_physical_shape(physical_shape.transpose()?)
        .with_split_configs(splits)?
        .with_dynamic_shape_metadata_prefix_bytes(proto.dynamic_shape_metadata_prefix_bytes)?
        .with_padding(padding_from_proto(proto)?)
}

fn tile_from_proto(proto: &TileProto) -> Result<Tile, Error> {
    let dim = |&number: &i64| match number {
        TileDim::COMBINE_SENTINEL | -1 => TileDim::Combine,
        size => TileDim::Size(size),
    };
    Tile::new(proto.dimensions.iter().map(dim).collect::<Vec<_>>())
}

fn split_from_proto(proto: &SplitConfigProto) -> Result<SplitConfig, Error> {
    SplitConfig::new(to_usize(proto.dimension)?, proto.split_indices.clone())
}

fn padding_from_proto(proto: &LayoutProto) -> Result<Option<Padding>, Error> {
    if proto.padded_dimensions.is_empty() {
        return Ok(None);
    }
    let value = usize::try_from(proto.padding_value - 1).ok();
    let value = value.and_then(|position| PaddingValue::ALL.get(position).copied());
    Padding::new(proto.padded_dimensions.clone(), value).map(Some)
}

fn padding_value_number(value: PaddingValue) -> i32 {
    1 + PaddingValue::ALL.iter().take_while(|other| **other != value).fold(0, |count, _| count + 1)
}

fn type_from_proto(number: i32) -> Result<ElementType, Error> {
    let found = ElementType::from_proto_number(number);
    found.map_or_else(|| invalid(format!("{number} is not the number of an element type")), Ok)
}

fn narrowed<T: TryFrom<i64>>(value: i64, what: &str) -> Result<T, Error> {
    T::try_from(value).or_else(|_| invalid(format!("the {what} cannot be {value}")))
}

fn to_usize(number: i64) -> Result<usize, Error> {
    narrowed(number, "dimension number")
}

fn from_usize(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
