//! Very many dimensions, modes and tiles. Each is so many that what takes time in their square
//! does not come to an end: 300 000 of them are 9·10¹⁰ pairs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright::algebra::{
    Composed, Outer, Swizzle, Tiler, coalesce, complement, composition, filter, left_inverse,
    logical_divide, make_identity_layout, right_inverse, slice_and_offset,
};
use tilewright::formats::tpu;
use tilewright::map::{Notation, fit};
use tilewright::notation::Described;
use tilewright::tla::{Int, IntTuple, Layout, Nested, Stride, crd2int, idx2crd};
use tilewright::xla::{MAX_PROGRAM_SIZES, Tile, TilingProgram};
use tilewright::{ArrayShape, ElementType, IndexMap, Permutation};

const MANY: usize = if cfg!(miri) { 100 } else { 300_000 };

/// Of what takes the square in longer steps: sums over directions, and levels of compositions.
const FEWER: usize = if cfg!(miri) { 100 } else { 30_000 };

/// `f32[2,1,1,…,1,3]`.
fn array() -> ArrayShape {
    ArrayShape::new(ElementType::F32, &sizes()).unwrap()
}

fn sizes() -> Vec<i64> {
    let mut sizes = vec![1; MANY];
    (sizes[0], sizes[MANY - 1]) = (2, 3);
    sizes
}

fn tiled() -> ArrayShape {
    let layout = array().layout_or_default().with_tiles([Tile::of(&[1, 2]).unwrap()]);
    array().with_layout(layout).unwrap()
}

#[test]
fn sizes_and_strides_of_many_dims() {
    assert_eq!((array().bytes().unwrap(), array().xla_bytes().unwrap()), (24, Some(24)));
    assert_eq!((tiled().bytes().unwrap(), tiled().xla_bytes().unwrap()), (32, Some(32)));
    assert_eq!(array().max_elements_per_split().unwrap(), 6);
    let mut strides = vec![12; MANY];
    strides[MANY - 1] = 4;
    assert_eq!(array().byte_strides().unwrap(), Some(strides.clone()));
    strides[..MANY - 1].fill(16); // tiles of 2 make 4 of the last 3
    assert_eq!(tiled().byte_strides().unwrap(), Some(strides));
}

/// Where tiles act on more dimensions of one element than there is a map made for each, that is
/// said.
#[test]
fn strides_under_tiles_have_a_limit() {
    let under = |n: usize| {
        let mut sizes = vec![1; n];
        sizes[0] = 5;
        let array = ArrayShape::new(ElementType::F32, &sizes).unwrap();
        let tile = Tile::of(&vec![1; n]).unwrap();
        array.clone().with_layout(array.layout_or_default().with_tiles([tile])).unwrap()
    };
    let found = under(257).byte_strides().unwrap().unwrap();
    assert!(found.iter().all(|&stride| stride == 4), "{found:?}");
    let refused = under(258).byte_strides().unwrap_err().to_string();
    assert!(refused.contains("more than 256 dimensions of one element"), "{refused}");
}

#[test]
fn dims_are_deleted_at_once() {
    let odd: Vec<i64> = (1..i64::try_from(MANY).unwrap() - 1).collect();
    for array in [array(), tiled()] {
        assert_eq!(array.delete_dimensions(&odd).unwrap().rank(), 2);
        let dropped = array.drop_degenerate_dimensions().unwrap();
        assert_eq!(dropped.sizes().unwrap(), [2, 3]);
        assert_eq!(
            array.filter_dimensions(|dim, _| dim % 2 == 0).unwrap().rank(),
            MANY.div_ceil(2)
        );
    }
}

#[test]
fn tpus_formats_of_many_dims() {
    let on_device = tpu::default_shape(&array(), tpu::Chip::V5e).unwrap();
    let order = on_device.layout_or_default();
    assert_eq!(order.minor_to_major().len(), MANY);
    assert_eq!(order.tiles().len(), 1);
    assert!(tpu::argument_bytes(&on_device).unwrap() >= 24);
    assert_eq!(tpu::argument_bytes(&on_device).unwrap(), on_device.bytes().unwrap());
}

#[test]
fn maps_of_many_dims() {
    let (map, tiled) = (array().index_map().unwrap(), tiled().index_map().unwrap());
    let reversal = Permutation::reversal(MANY);
    let turned = map.permuted(&reversal).unwrap();
    assert_eq!(turned.permuted(&reversal).unwrap(), map);
    assert!(!map.same_as(&turned).unwrap());
    assert!(!map.same_as(&tiled).unwrap());
    let difference = map.first_difference(&tiled).unwrap().unwrap();
    // 2 is the last column, in the second tile of the first row: 2 elements beyond the first.
    assert_eq!((difference.index.iter().sum::<i64>(), difference.offsets), (1, [3, 4]));
    assert_eq!(map.reshaped(&[6]).unwrap().offsets().unwrap(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(tiled.max_offset().unwrap(), Some(6));
    assert_eq!(map.index(5).unwrap().unwrap().iter().sum::<i64>(), 3);
    assert_eq!(map.bitcast(&array().index_map().unwrap()).unwrap(), map.bitcast(&map).unwrap());
    for notation in [Notation::Tla, Notation::Cute, Notation::Numpy, Notation::Mlir] {
        assert!(map.to_notation(notation, 32).unwrap().len() > MANY);
    }
    for map in [&map, &tiled] {
        let lifted = IndexMap::from_layout(map.dims(), &map.to_xla_layout().unwrap()).unwrap();
        assert!(lifted.same_as(map).unwrap());
    }
    let fitted = fit(map.dims(), &map.offsets().unwrap()).unwrap().unwrap();
    assert!(IndexMap::from_tla(&fitted.layout).unwrap().same_as(&map).unwrap());
}

/// `(2,2,…):(0,3,6,…)`.
fn modes(n: usize) -> Layout {
    let extents = Nested::Tuple(vec![Nested::Leaf(Int::dynamic(2)); n]);
    let strides = (0..i64::try_from(n).unwrap()).map(|n| Stride::from(Int::dynamic(3 * n)));
    Layout::new(extents, Nested::Tuple(strides.map(Nested::Leaf).collect())).unwrap()
}

#[test]
fn many_modes_are_coalesced() {
    // 2:3 and 2:6 are 4:3; no other two run on, since 2 * 3n is 3 (n + 1) for n = 1 alone.
    let joined = coalesce(&modes(MANY)).unwrap();
    assert_eq!(joined.rank(), MANY - 1);
    assert_eq!(filter(&modes(MANY)).unwrap().rank(), MANY - 2);
    let explained = tilewright::algebra::explain::coalesce(&modes(MANY));
    assert_eq!(explained.steps().len(), MANY);
}

#[test]
fn many_modes_are_composed() {
    let composed =
        |a: &Layout, b: &str| composition(a, b.parse::<Layout>().unwrap()).unwrap().to_string();
    assert_eq!(composed(&modes(MANY), "4:1"), "(2,2):(0,3)");
    assert_eq!(composed(&modes(MANY), "2:8"), "2:9");
    let line: Layout = "100:1".parse().unwrap();
    assert_eq!(composition(&line, modes(FEWER)).unwrap().rank(), FEWER);
    // Every mode goes through every level. Steps of 3 and of 9 are both odd, so that they carry out
    // of the first 2 elements of A, and B has more elements than can be looked at or counted.
    assert!(composition(&modes(FEWER), modes(FEWER)).unwrap_err().is_overflow());
    assert_eq!(
        logical_divide(&line, "4:1".parse::<Layout>().unwrap()).unwrap().to_string(),
        "(4,25):(1,4)"
    );
}

#[test]
fn many_directions_are_added_up() {
    let ones = IntTuple::dynamic(&vec![1; FEWER]);
    let identity = make_identity_layout(&ones).unwrap();
    let zeros = IntTuple::dynamic(&vec![0; FEWER]);
    let Stride::Steps(steps) = identity.at(&zeros).unwrap() else { panic!("elements") };
    assert_eq!(steps.len(), FEWER);
    assert_eq!(crd2int(&zeros, &ones).unwrap().value(), 0);
    assert_eq!(idx2crd(Int::dynamic(0), &ones).unwrap().rank(), FEWER);
    let again = composition(&identity, identity.clone()).unwrap();
    assert_eq!(again.rank(), FEWER);
    let by_mode = composition(&identity, Tiler::of_shape(&ones).unwrap()).unwrap();
    assert_eq!(by_mode.rank(), FEWER);
    let picks = format!("({})", vec!["_"; FEWER].join(","));
    let (slice, _) = slice_and_offset(&picks.parse().unwrap(), &identity).unwrap();
    assert_eq!(slice.rank(), FEWER);
}

/// A map for each direction, of a dimension for each mode: that is a square by itself.
#[test]
fn maps_of_directions_have_a_limit() {
    let identity = |n: usize| make_identity_layout(&IntTuple::dynamic(&vec![1; n])).unwrap();
    assert_eq!(IndexMap::coordinates_of_tla(&identity(300)).unwrap().len(), 300);
    let refused = IndexMap::coordinates_of_tla(&identity(3000)).unwrap_err().to_string();
    assert!(refused.contains("3000 directions of 3000 dimensions"), "{refused}");
}

#[test]
fn layouts_of_many_modes_of_one_coordinate() {
    let n = MANY / 2; // of which the text has a size that is read
    let text = format!("(2,{}3):(1,{}2)", "1,".repeat(n), "7,".repeat(n));
    let layout: Layout = text.parse().unwrap();
    assert_eq!(layout.to_string(), text);
    let unmarked = |layout: Layout| layout.to_string().replace('_', "");
    assert_eq!(unmarked(right_inverse(&layout).unwrap()), "6:1");
    assert_eq!(unmarked(left_inverse(&layout).unwrap()), "6:1");
    assert_eq!(unmarked(complement(&layout, Int::dynamic(24)).unwrap()), "4:6");
    let map = IndexMap::from_tla(&layout).unwrap();
    assert_eq!(map.offsets().unwrap(), [0, 2, 4, 1, 3, 5]);
    let described: Described = text.parse().unwrap();
    assert_eq!(described.index_map().unwrap(), map);
    let swizzled = Composed::swizzled(Swizzle::new(1, 0, 1).unwrap(), layout.clone()).unwrap();
    assert_eq!(IndexMap::from_composed(&swizzled).unwrap().offsets().unwrap(), [0, 3, 4, 1, 2, 5]);
    let line = "6:1".parse().unwrap();
    let read = Composed::new(Outer::Layout(layout), Int::dynamic(0), line).unwrap();
    assert_eq!(IndexMap::from_composed(&read).unwrap().offsets().unwrap(), [0, 1, 2, 3, 4, 5]);
}

/// Each pair of tiles merges the two dimensions, cuts them by 4, merges again and cuts by 10.
#[test]
fn many_tiles_that_straddle_dims() {
    let n = MANY / 8;
    let text = format!("f32[6,10]{{1,0:T{}}}", "(*,4)(*,10)".repeat(n));
    let tiled: ArrayShape = text.parse().unwrap();
    assert_eq!(tiled.to_string(), text);
    let plain: ArrayShape = "f32[6,10]{1,0}".parse().unwrap();
    let (map, plain) = (tiled.index_map().unwrap(), plain.index_map().unwrap());
    assert!(map.same_as(&plain).unwrap());
    assert!(map.is_separable());
}

/// A program lists all sizes after each step, and each tile adds some: that is a square by itself.
#[test]
fn programs_have_a_limit() {
    let tiled = |n: usize| {
        let text = format!("f32[6]{{0:T{}}}", "(1)".repeat(n));
        text.parse::<ArrayShape>().unwrap()
    };
    assert_eq!(TilingProgram::of(&tiled(100)).unwrap().sizes().len(), 101);
    let refused = TilingProgram::of(&tiled(MANY)).unwrap_err().to_string();
    assert!(refused.contains(&MAX_PROGRAM_SIZES.to_string()), "{refused}");
}
