//! TLA layouts: laws, on layouts of any nesting and on all tags.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use tilewright::ElementType;
use tilewright::tla::{
    FilterPosition, Int, IntTuple, Layout, Nested, Stride, Tag, Tensor, crd2int, idx2crd, tile_at,
};

fn pair(row: i64, column: i64) -> IntTuple {
    IntTuple::dynamic(&[row, column])
}

fn any_int() -> impl Strategy<Value = Int> {
    (0..5i64, any::<bool>()).prop_map(
        |(value, fixed)| {
            if fixed { Int::fixed(value) } else { Int::dynamic(value) }
        },
    )
}

/// A stride of elements, negative and zero ones too, or along directions.
fn any_stride() -> impl Strategy<Value = Stride> {
    let directions = vec(0..3usize, 1..3);
    prop_oneof![
        4 => (-9..40i64).prop_map(|count| Stride::from(Int::fixed(count))),
        4 => (-9..40i64).prop_map(|count| Stride::from(Int::dynamic(count))),
        1 => (any_int(), directions).prop_map(|(count, along)| Stride::along(count, &along)),
    ]
}

/// A layout of any nesting.
fn any_layout() -> impl Strategy<Value = Layout> {
    let leaf = any_int().prop_map(Nested::Leaf);
    let shape = leaf.prop_recursive(3, 8, 3, |inner| vec(inner, 0..4).prop_map(Nested::Tuple));
    (shape, vec(any_stride(), 5)).prop_map(|(shape, strides)| {
        let mut strides = strides.iter().cycle();
        let stride = shape.map(|_| strides.next().unwrap().clone());
        Layout::new(shape, stride).unwrap()
    })
}

/// A layout whose strides count elements and whose coordinates can be listed.
fn plain_layout() -> impl Strategy<Value = Layout> {
    any_layout().prop_filter_map("elements", |layout| {
        let shape = layout.shape().map(|extent| extent.plus(Int::fixed(1)).unwrap());
        let plain = layout.stride().leaves().all(|stride| stride.elements().is_ok());
        let small = shape.product().unwrap().value() <= 4000;
        (plain && small).then(|| Layout::new(shape, layout.stride().clone()).unwrap())
    })
}

fn any_tag() -> impl Strategy<Value = Tag> {
    let block = || (1..40i64, 1..40i64);
    prop_oneof![
        6 => prop::sample::select(Tag::ALL.to_vec()),
        1 => block().prop_map(|(block_rows, block_columns)| {
            Tag::PaddingRowMajor { block_rows, block_columns }
        }),
        1 => block().prop_map(|(block_rows, block_columns)| {
            Tag::PaddingColumnMajor { block_rows, block_columns }
        }),
    ]
}

/// A tag of matrices.
fn matrix_tag() -> impl Strategy<Value = Tag> {
    any_tag().prop_filter("of a matrix", |tag| tag.size_names().len() == 2)
}

/// A tag, a type that it is made for, sizes from the least on, and their layout.
fn tagged(
    tags: impl Strategy<Value = Tag>,
    least: i64,
) -> impl Strategy<Value = (Tag, ElementType, Vec<i64>, Layout)> {
    let types = prop::sample::select(ElementType::ALL.to_vec());
    (tags, types, vec(least..70i64, 5)).prop_filter_map("a width with no C0", |made| {
        let (tag, element_type, mut sizes) = made;
        sizes.truncate(tag.size_names().len());
        let ints: Vec<Int> = sizes.iter().copied().map(Int::dynamic).collect();
        let layout = Layout::from_tag_sizes(tag, element_type, &ints).ok()?;
        Some((tag, element_type, sizes, layout))
    })
}

/// A place of a tile and its shape, in the layout's original shape.
fn tile_in(layout: &Layout, seeds: &[(i64, i64)]) -> (IntTuple, IntTuple) {
    let org = layout.org_shape().unwrap().values();
    let tile = org.iter().zip(seeds).map(|(&org, &(at, size))| {
        let at = at % (org + 1);
        (at, size % (org + 1 - at))
    });
    let (at, size): (Vec<i64>, Vec<i64>) = tile.unzip();
    (IntTuple::dynamic(&at), IntTuple::dynamic(&size))
}

fn plus(a: &IntTuple, b: &IntTuple) -> IntTuple {
    let sums: Vec<i64> = a.values().iter().zip(b.values()).map(|(a, b)| a + b).collect();
    IntTuple::dynamic(&sums)
}

/// A piece of a layout's text.
fn piece() -> impl Strategy<Value = &'static str> {
    let pieces = ["(", ")", "(2,", "_4", ":", "1@0", ",", "9223372036854775807", "-1", "0", " "];
    prop::sample::select(pieces.to_vec())
}

fn any_large() -> impl Strategy<Value = i64> {
    prop_oneof![Just(i64::MAX), Just(i64::MIN), Just(1 << 32), -2..3i64]
}

/// Every question, with coordinates of every kind: answers and errors, never a panic.
fn ask_everything(layout: &Layout) {
    let _ = (layout.tags(ElementType::F16), layout.tag(ElementType::S4));
    let _ = (layout.cosize(), layout.size(), layout.org_shape());
    for value in [i64::MIN, -1, 0, 1, i64::MAX] {
        let index = Nested::Leaf(Int::dynamic(value));
        let per_mode = IntTuple::dynamic(&vec![value; layout.rank()]);
        for coordinate in [&index, &per_mode] {
            let _ = layout.at(coordinate);
            let tensor = Tensor::new(layout.clone());
            for view in
                [tensor.tile(coordinate, &per_mode), tensor.tile_view(coordinate, &per_mode)]
            {
                let _ = view.map(|view| (view.at(coordinate), view.contains(coordinate)));
            }
            let _ = tensor.slice(&vec![Some(Int::dynamic(value)); layout.rank()]);
        }
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,40}", alike in vec(piece(), 1..16)) {
        for text in [text, alike.concat()] {
            let _ = (text.parse::<Tag>(), text.parse::<IntTuple>());
            if let Ok(layout) = text.parse::<Layout>() {
                ask_everything(&layout);
            }
        }
    }

    #[test]
    fn no_layout_panics(layout in any_layout(), large in vec(any_large(), 5)) {
        let mut large = large.into_iter().cycle();
        let shape = layout.shape().map(|_| Int::fixed(large.next().unwrap().saturating_abs()));
        let stride = layout.stride().map(|_| Int::fixed(large.next().unwrap()).into());
        ask_everything(&layout);
        ask_everything(&Layout::new(shape, stride).unwrap());
    }

    #[test]
    fn printed_is_read(layout in any_layout()) {
        prop_assert_eq!(layout.to_string().parse::<Layout>().unwrap(), layout.clone());
        let spaced = layout.to_string().replace(',', " , ").replace('(', "( ");
        prop_assert_eq!(spaced.parse::<Layout>().unwrap(), layout);
    }

    /// An integer, the nested coordinate, one integer per mode, and the plain sum agree.
    #[test]
    fn coordinates_agree(layout in plain_layout()) {
        let shape = layout.shape();
        let per_mode = shape.product_each().unwrap();
        for index in (0..shape.product().unwrap().value()).map(Int::dynamic) {
            let nested = idx2crd(index, shape).unwrap();
            let strides = layout.stride().leaves().map(|stride| stride.elements().unwrap().value());
            let sum: i64 = nested.values().iter().zip(strides).map(|(c, stride)| c * stride).sum();
            let inside = nested.leaves().zip(shape.leaves()).all(|(c, s)| c.value() < s.value());
            prop_assert!(inside, "{} in {}", nested, shape);
            prop_assert_eq!(crd2int(&nested, shape).unwrap().value(), index.value());
            for coordinate in [nested, Nested::Leaf(index), idx2crd(index, &per_mode).unwrap()] {
                prop_assert_eq!(layout.offset(&coordinate).unwrap(), sum);
            }
        }
    }

    /// The tag that made a layout is among those it has, its integers dynamic or not, and is the
    /// first unless an earlier one makes the very same.
    #[test]
    fn tags_are_recognised((tag, element_type, sizes, layout) in tagged(any_tag(), 0)) {
        let plain: Layout = layout.to_string().replace('_', "").parse().unwrap();
        let tags = plain.tags(element_type);
        prop_assert_eq!(&tags, &layout.tags(element_type));
        let position = tags.iter().position(|found| found.tag() == tag).unwrap();
        let multiple = if tag == Tag::Filter(FilterPosition::L1) { 16 } else { 1 };
        let (last, first) = sizes.split_last().unwrap();
        let last = (last + multiple - 1) / multiple * multiple;
        prop_assert_eq!(tags[position].sizes(), [first, &[last]].concat());
        prop_assert!(!tags[position].is_window());
        for earlier in &tags[..position] {
            let sizes: Vec<Int> = earlier.sizes().iter().copied().map(Int::dynamic).collect();
            let same = Layout::from_tag_sizes(earlier.tag(), element_type, &sizes).unwrap();
            prop_assert_eq!(same.to_string().replace('_', ""), plain.to_string());
        }
    }

    /// A tile has the offsets of the whole, and so has a tile of it, and a slice.
    #[test]
    fn tiles_address_the_whole(
        (_, _, _, layout) in tagged(any_tag(), 0),
        seeds in vec((0..90i64, 0..90i64), 7),
        inner in vec((0..90i64, 0..90i64), 7),
        place in vec(0..90i64, 7),
    ) {
        let (at, shape) = tile_in(&layout, &seeds);
        let tile = Tensor::new(layout.clone()).tile(&at, &shape).unwrap();
        let (inner_at, inner_shape) = tile_in(tile.layout(), &inner);
        let small = tile.tile(&inner_at, &inner_shape).unwrap();
        let c = IntTuple::dynamic(&place[..layout.rank()]);
        prop_assert_eq!(tile.at(&c).unwrap(), layout.at(&plus(&at, &c)).unwrap());
        let whole = layout.offset(&plus(&plus(&at, &inner_at), &c)).unwrap();
        prop_assert_eq!(small.offset(&c).unwrap(), whole);

        let fixed = c.leaves().zip(&seeds).map(|(&c, seed)| (seed.0 % 2 == 0).then_some(c));
        let fixed: Vec<Option<Int>> = fixed.collect();
        let kept = c.leaves().zip(&fixed).filter(|(_, fixed)| fixed.is_none());
        let kept: Vec<i64> = kept.map(|(c, _)| c.value()).collect();
        let slice = small.slice(&fixed).unwrap();
        prop_assert_eq!(slice.offset(&IntTuple::dynamic(&kept)).unwrap(), whole);
    }

    /// A tile's original shape counts the places of the tile that are in the array.
    #[test]
    fn tiles_are_cropped(
        (_, _, _, whole) in tagged(matrix_tag(), 0),
        at in (0..40i64, 0..40i64),
        size in (0..20i64, 0..20i64),
    ) {
        let (at, size) = (pair(at.0, at.1), pair(size.0, size.1));
        let whole = Tensor::new(whole);
        let tile = whole.tile(&at, &size).unwrap();
        for index in (0..size.product().unwrap().value()).map(Int::dynamic) {
            let c = idx2crd(index, &size).unwrap();
            let inside = whole.contains(&plus(&at, &c)).unwrap();
            prop_assert_eq!(tile.contains(&c).unwrap(), inside, "{} at {}", whole, c);
        }
    }

    /// A tile is recognised as a window of the tag that the whole has.
    #[test]
    fn tiles_are_recognised(
        (tag, element_type, sizes, layout) in tagged(any_tag(), 1),
        seeds in vec((0..90i64, 0..90i64), 7),
    ) {
        let (at, shape) = tile_in(&layout, &seeds);
        // The dimensions that the tag fixes stay whole.
        let org_shape = layout.org_shape().unwrap().values();
        let shape = [&shape.values()[..sizes.len()], &org_shape[sizes.len()..]].concat();
        let tile = tile_at(&layout, &IntTuple::dynamic(&shape), &at).unwrap();
        let tags = tile.tags(element_type);
        prop_assert!(tags.iter().any(|found| found.tag() == tag), "{} of {}", tile, layout);
    }
}
