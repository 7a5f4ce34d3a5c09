//! Index maps against an independent pad-reshape-transpose, worked figures and laws.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::Value;
use tilewright::formats::NamedFormat;
use tilewright::map::Source;
use tilewright::xla::TilingProgram;
use tilewright::{ArrayShape, IndexMap};

fn map(text: &str) -> IndexMap {
    let shape: ArrayShape = text.parse().unwrap_or_else(|error| panic!("{error}"));
    shape.index_map().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn check(text: &str, index: &[i64], offset: i64) {
    let map = map(text);
    assert_eq!(map.offset(index).unwrap(), offset, "{text} at {index:?}");
    assert_eq!(map.index(offset).unwrap().as_deref(), Some(index), "{text} at offset {offset}");
}

/// XLA, *Tiled layout*, and the tests of `index_util` and `layout_util` in XLA.
#[test]
fn worked_figures() {
    check("F32[3,5]{1,0:T(2,2)}", &[2, 3], 17);
    check("f32[8,8]{1,0:T(2,4)(2,1,1,1)}", &[6, 5], 51);
    check("F32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", &[1, 2, 3, 4, 5], 8307);
    check("F32[2,7,8,11,10]{4,3,2,1,0:T(∗,∗,2,∗,3)}", &[1, 6, 7, 10, 9], 12430);
    for (index, offset) in
        [([8, 0], 1), ([0, 1], 2), ([16, 0], 4096), ([0, 128], 2048), ([31, 255], 8191)]
    {
        check("bf16[32,256]{1,0:T(8,128)(2,1,1,1)}", &index, offset);
    }
    for (index, offset) in [([1, 0], 1), ([3, 0], 3), ([0, 1], 4), ([4, 0], 512)] {
        check("s8[8,128]{1,0:T(8,128)(4,1)}", &index, offset);
    }
    for (index, offset) in [(0, 0), (128, 1), (1, 2)] {
        check("bf16[2048]{0:T(1024)(128)(2,1)}", &[index], offset);
    }
    check("bf16[2,8,128]{2,1,0:T(8,128)(2,1)}", &[0, 2, 0], 256);
    check("f32[8,4]{1,0:T(2,2)}", &[3, 1], 11);
    check("f32[8,4]{1,0}", &[3, 1], 13);
    check("f32[8]{0:T(2,2)}", &[5], 9);
    check("f32[3]{0:T(8,128)}", &[2], 2);
    check("u32[]{:T(128)}", &[], 0);
    check("f32[10,20]{0,1}", &[3, 5], 53);
    check("f32[10,20]{0,1}", &[9, 19], 199);
    check("f32[10,20]{1,0}", &[3, 5], 65);
    check("f32[10,20,30]{2,1,0}", &[3, 5, 7], 1957);
    check("f32[10,20,30]{2,1,0}", &[8, 15, 27], 5277);
    check("f32[10,20,30]{1,2,0}", &[3, 5, 7], 1945);
    check("f32[10,20,30]{1,2,0}", &[8, 15, 27], 5355);
    check("f32[10,20,30,40]{3,2,1,0}", &[3, 5, 7, 9], 78289);
    check("f32[10,20,30,40]{3,2,1,0}", &[8, 15, 27, 33], 211_113);
}

#[test]
fn worked_sizes() {
    #[track_caller]
    fn check(text: &str, bytes: i64, xla_bytes: i64) {
        let shape: ArrayShape = text.parse().unwrap();
        assert_eq!(
            (shape.bytes().unwrap(), shape.xla_bytes().unwrap()),
            (bytes, Some(xla_bytes)),
            "{text}"
        );
    }
    check("f32[3,5]{1,0:T(2,2)}", 96, 96);
    check("f32[7,9]{1,0:T(2,4)(3,1)}", 576, 384);
    check("bf16[100,200]{1,0:T(8,128)(2,1,1,1)}", 57344, 53248);
    check("f32[10,20]", 800, 800);
    check("s4[64,128]{1,0:E(4)}", 4096, 4096);
    check("s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}", 28_311_552, 28_311_552);
    check("f32[100,200]{1,0:T(8,128)L(10000)}", 120_000, 120_000);
    check("f32[3,0]{1,0:T(8,128)}", 0, 0);
    check("pred[3]{0:E(32)}", 12, 12);
    check("s4[3]", 3, 3);
    check("f32[100]{0:L(64)}", 512, 400);
    assert_eq!(map("F32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}").allocation(), 12432);
    assert_eq!(map("f32[3,5]{1,0:T(2,2)}").allocation(), 24);
    assert_eq!(map("f32[10,10]{1,0:T(5,10)(2,1)}").allocation(), 120);
}

/// The padding blow-ups that people ask about, as XLA reports them.
#[test]
fn blow_ups() {
    #[track_caller]
    fn check(text: &str, bytes: i64, padded: i64) {
        let shape: ArrayShape = text.parse().unwrap();
        assert_eq!(
            (shape.logical_bytes().unwrap(), shape.bytes().unwrap()),
            (bytes, padded),
            "{text}"
        );
    }
    check("s32[8388608,8,4]{2,1,0:T(8,128)}", 1 << 30, 32 << 30);
    check("s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}", 512 << 20, 16 << 30);
    check("u32[12582912,1]{1,0:T(8,128)}", 48 << 20, 6 << 30);
    check("bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", 1 << 30, 4 << 30);
    check("f32[29184,1,2560]{2,1,0:T(2,128)}", 285 << 20, 570 << 20);
}

/// The sizes that the TPU compiler reports for entry parameters of these formats.
#[test]
fn xla_bytes_are_the_tpu_compilers() {
    for row in support::rows("libtpu-bytes.tsv") {
        let shape: ArrayShape = row[0].parse().unwrap();
        assert_eq!(shape.xla_bytes().unwrap().unwrap().to_string(), row[1], "{}", row[0]);
    }
}

#[test]
fn padding_before_tiling() {
    let shape: ArrayShape = "f32[2,3]{0,1:PAD(3,5;0)}".parse().unwrap();
    let letters: Vec<char> = "abcdef".chars().collect();
    let memory = TilingProgram::of(&shape).unwrap().apply(&letters, '0').unwrap();
    let words: Vec<String> = memory.iter().map(char::to_string).collect();
    assert_eq!(words.join(" "), "a d 0 b e 0 c f 0 0 0 0 0 0 0");
    let map = shape.index_map().unwrap();
    let from_map: Vec<String> = (0..map.allocation())
        .map(|offset| match map.index(offset).unwrap() {
            Some(index) => letters[usize::try_from(index[0] * 3 + index[1]).unwrap()].to_string(),
            None => "0".to_owned(),
        })
        .collect();
    assert_eq!(from_map, words);
}

fn integers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

/// Offsets, physical dims and allocation that numpy's pad, reshape and transpose give.
#[test]
fn lowering_agrees_with_numpy() {
    let text = support::text("pad-reshape-transpose.jsonl");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut checked = 0;
    for row in rows.filter(|row| row["kind"] == "offsets") {
        let layout = row["layout"].as_str().unwrap();
        let map = map(layout);
        assert_eq!(map.offsets().unwrap(), integers(&row["offsets"]), "{layout}");
        assert_eq!(map.allocation(), row["allocation"].as_i64().unwrap(), "{layout}");
        assert_eq!(map.physical_dims(), integers(&row["physical_dims"]), "{layout}");
        check_laws(&map);
        checked += 1;
    }
    assert!(checked > 500);
}

/// What holds of every map from a tiled layout, whatever it is.
fn check_laws(map: &IndexMap) {
    let mut hit = vec![false; usize::try_from(map.allocation()).unwrap()];
    let offsets = map.offsets().unwrap();
    for (number, &offset) in offsets.iter().enumerate() {
        let hit = &mut hit[usize::try_from(offset).unwrap()];
        assert!(!*hit, "offset {offset} twice");
        *hit = true;
        let index = map.index(offset).unwrap().unwrap();
        assert_eq!(map.offset(&index).unwrap(), offset);
        assert_eq!(row_major(map.dims(), &index), number);
    }
    for (offset, &hit) in (0..).zip(&hit) {
        assert_eq!(map.index(offset).unwrap().is_some(), hit, "offset {offset}");
    }
    check_indices(map, &hit);
}

/// The indices of the elements at all offsets, found together and in lists that are short.
fn check_indices(map: &IndexMap, hit: &[bool]) {
    let rank = map.dims().len();
    let offsets: Vec<i64> = (0..map.allocation()).collect();
    let mut indices = vec![7; offsets.len() * rank];
    for at_once in [offsets.len().max(1), 77] {
        for (offsets, indices) in
            offsets.chunks(at_once).zip(indices.chunks_mut(at_once * rank.max(1)))
        {
            map.indices_at(offsets, indices).unwrap();
        }
        for ((offset, hit), index) in offsets.iter().zip(hit).zip(indices.chunks(rank.max(1))) {
            match hit {
                true => assert_eq!(map.offset(index).unwrap(), *offset),
                false => assert!(index.iter().all(|value| *value == -1), "{index:?} at {offset}"),
            }
        }
    }
}

fn row_major(dims: &[i64], index: &[i64]) -> usize {
    let place = index.iter().zip(dims).fold(0, |place, (value, size)| place * size + value);
    usize::try_from(place).unwrap()
}

/// The formats that the document lists, by name and by text.
#[test]
fn document_formats() {
    #[track_caller]
    fn check(name: &str, array: &str, text: &str) {
        let format: NamedFormat = name.parse().unwrap();
        let shape: ArrayShape = array.parse().unwrap();
        let shape = shape.clone().with_layout(format.layout(shape.rank()).unwrap()).unwrap();
        assert_eq!(shape.to_string(), text);
        check_program(&shape);
        check_laws(&shape.index_map().unwrap());
    }
    check("untiled", "f32[5,7]", "f32[5,7]{1,0}");
    check("tpu", "f32[9,130]", "f32[9,130]{1,0:T(8,128)}");
    check("tpu-small-2", "f32[2,130]", "f32[2,130]{1,0:T(2,128)}");
    check("tpu-small-4", "f32[3,130]", "f32[3,130]{1,0:T(4,128)}");
    check("tpu-16bit", "bf16[2,9,130]", "bf16[2,9,130]{2,1,0:T(8,128)(2,1)}");
    check("tpu-16bit-alternative", "bf16[33,130]", "bf16[33,130]{1,0:T(8,128)(2,1,1,1)}");
    check("tpu-8bit", "s8[9,130]", "s8[9,130]{1,0:T(8,128)(4,1)}");
    check("tpu-1bit", "pred[33,130]", "pred[33,130]{1,0:T(32,128)(32,1)E(1)}");
    assert_eq!(NamedFormat::tpu_small(1), Some(NamedFormat::TpuSmall2));
    assert_eq!(NamedFormat::tpu_small(3), Some(NamedFormat::TpuSmall4));
    assert_eq!(NamedFormat::tpu_small(5), None);
}

/// The map and the program of a layout say the same.
fn check_program(shape: &ArrayShape) {
    let map = shape.index_map().unwrap();
    let program = TilingProgram::of(shape).unwrap();
    let numbers: Vec<i64> = (0..map.elements()).collect();
    let memory = program.apply(&numbers, -1).unwrap();
    let mut expected = vec![-1; usize::try_from(map.allocation()).unwrap()];
    for (number, offset) in (0..).zip(map.offsets().unwrap()) {
        expected[usize::try_from(offset).unwrap()] = number;
    }
    assert_eq!(memory, expected, "{shape}");
}

#[test]
fn canonical_form_tells_equal_maps() {
    #[track_caller]
    fn same(a: &str, b: &str, expected: bool) {
        assert_eq!(map(a).same_as(&map(b)).unwrap(), expected, "{a} and {b}");
    }
    same("f32[24,128]{1,0:T(8,128)}", "f32[24,128]", true);
    same("f32[4,256]{1,0:T(1,128)}", "f32[4,256]", true);
    same("f32[2,3,4]{2,1,0:T(8,128)}", "f32[2,3,4]", false);
    same("f32[3,5]{1,0:T(3,5)}", "f32[3,5]", true);
    same("f32[1,5]{1,0}", "f32[1,5]{0,1}", true);
    same("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,*,*,12320)}", "f32[2,7,8,11,10]", true);
    same("f32[6,4]{1,0:T(*,24)}", "f32[6,4]", true);
    same("f32[6,4]{1,0:T(*,3)}", "f32[6,4]", true);
    same("f32[6,5]{1,0:T(*,3)}", "f32[6,5]{1,0:T(*,10)}", true);
    same("f32[6,5]{1,0:T(*,2)(2,1)}", "f32[6,5]{1,0:T(*,3)(2,1)}", false);
    same("f32[0,4]{1,0:T(8,128)}", "f32[0,4]", true);
}

#[test]
fn first_difference_is_the_first() {
    let texts = [
        "f32[6,10]",
        "f32[6,10]{0,1}",
        "f32[6,10]{1,0:T(2,4)}",
        "f32[6,10]{1,0:T(3,4)}",
        "f32[6,10]{1,0:T(2,4)(2,1)}",
        "f32[6,10]{1,0:T(*,4)(2,1)}",
        "f32[6,10]{1,0:T(*,7)(3,1)}",
        "f32[6,10]{1,0:T(5,10)(2,1)}",
        "f32[6,10]{0,1:T(4,3)(2,2,2)}",
        "f32[6,10]{1,0:T(*,3)(2,1)}",
    ];
    // Miri takes a second for a pair.
    let step = if cfg!(miri) { 3 } else { 1 };
    for a in texts.iter().step_by(step) {
        for b in texts.iter().step_by(step) {
            let (a, b) = (map(a), map(b));
            let pairs = a.offsets().unwrap().into_iter().zip(b.offsets().unwrap());
            let expected = pairs.enumerate().find(|(_, (x, y))| x != y);
            let found = a.first_difference(&b).unwrap();
            assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some((number, (x, y)))) = (found, expected) {
                assert_eq!(row_major(a.dims(), &found.index), number);
                assert_eq!(found.offsets, [x, y]);
            }
        }
    }
}

#[test]
fn straddling_tiles_keep_merged_coordinates_and_no_others_do() {
    #[track_caller]
    fn check(text: &str, n_merged: usize) {
        assert_eq!(map(text).merged().len(), n_merged, "{text}");
    }
    check("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", 1);
    check("f32[10,10]{1,0:T(5,10)(2,1)}", 1);
    check("f32[4,10]{1,0:T(5,10)(2,1)}", 0);
    check("f32[6,10]{1,0:T(*,5)}", 0);
    check("f32[6,10]{1,0:T(*,20)(2,1)}", 0);
    check("f32[6,10]{1,0:T(*,7)}", 0);
    let map = map("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
    let sources: Vec<Source> = map.merged()[0].digits().iter().map(|digit| digit.source).collect();
    assert_eq!(sources, [Source::Dim(3), Source::Dim(4)]);
}

#[test]
fn index_expressions() {
    #[track_caller]
    fn check(text: &str, expression: &str) {
        assert_eq!(map(text).index_expression(), expression);
    }
    check("f32[3,5]{1,0:T(2,2)}", "(i0 div 2)*12 + (i1 div 2)*4 + (i0 mod 2)*2 + (i1 mod 2)");
    check("f32[3,5]", "i0*5 + i1");
    check("f32[]{:T(128)}", "0");
    check(
        "bf16[30,300]{1,0:T(8,128)(2,1)}",
        "(i0 div 8)*3072 + (i1 div 128)*1024 + ((i0 div 2) mod 4)*256 + (i1 mod 128)*2 + (i0 mod 2)",
    );
    check(
        "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
        "i0*6216 + i1*888 + (i2 div 2)*222 + ((i3*10 + i4) div 3)*6 + (i2 mod 2)*3 + ((i3*10 + i4) mod 3)",
    );
}

#[test]
fn overflow_is_an_error() {
    for text in [
        "s8[4611686018427387904]{0:T(2,4611686018427387904)}",
        "s8[4611686018427387904,1]{1,0:T(1,8)}",
        "s8[9223372036854775807]{0:L(9223372036854775806)}",
        "s8[9223372036854775807,1]{1,0:T(*,9223372036854775806)}",
    ] {
        let shape: ArrayShape = text.parse().unwrap();
        assert!(shape.index_map().unwrap_err().is_overflow(), "{text}");
    }
    let wide: ArrayShape = "c128[576460752303423487]{0:E(2147483647)}".parse().unwrap();
    assert!(wide.bytes().unwrap_err().is_overflow());
}

#[test]
fn outside_is_an_error() {
    let map = map("f32[3,5]{1,0:T(2,2)}");
    assert!(map.offset(&[3, 0]).unwrap_err().is_out_of_bounds());
    assert!(map.offset(&[0, -1]).unwrap_err().is_out_of_bounds());
    assert!(map.offset(&[0]).unwrap_err().is_rank_mismatch());
    assert!(map.index(24).unwrap_err().is_out_of_bounds());
    assert!(map.index(-1).unwrap_err().is_out_of_bounds());
    let unbounded: ArrayShape = "f32[?,5]".parse().unwrap();
    assert!(unbounded.index_map().unwrap_err().is_unbounded());
}

mod laws {
    use super::*;
    use proptest::prelude::*;
    use tilewright::xla::{Layout, Tile, TileDim};
    use tilewright::{ElementType, Permutation};

    /// A shape of rank up to 6 with few enough elements to look at each.
    pub(super) fn shapes() -> impl Strategy<Value = ArrayShape> {
        (0usize..=6)
            .prop_flat_map(|rank| (dims(rank), layout(rank)))
            .prop_map(|(dims, layout)| shape(&dims, layout))
            .prop_filter("an allocation to look at", is_small)
    }

    /// Two layouts of one such array.
    fn pairs() -> impl Strategy<Value = (ArrayShape, ArrayShape)> {
        (0usize..=6)
            .prop_flat_map(|rank| (dims(rank), layout(rank), layout(rank)))
            .prop_map(|(dims, a, b)| (shape(&dims, a), shape(&dims, b)))
            .prop_filter("allocations to look at", |(a, b)| is_small(a) && is_small(b))
    }

    fn dims(rank: usize) -> impl Strategy<Value = Vec<i64>> {
        let largest = [40, 40, 12, 7, 5, 4, 3][rank];
        proptest::collection::vec(0i64..=largest, rank)
    }

    /// A layout with up to three tiles, `*` among them, and now and then a rounded tail.
    fn layout(rank: usize) -> impl Strategy<Value = Layout> {
        let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
        let alignment = prop_oneof![3 => Just(1), 1 => 2i64..=20];
        (order, proptest::collection::vec(tile(), 0..=3), alignment).prop_map(
            |(order, tiles, alignment)| {
                let layout = Layout::new(Permutation::new(order).unwrap()).with_tiles(tiles);
                layout.with_tail_padding_alignment(alignment).unwrap()
            },
        )
    }

    fn shape(dims: &[i64], layout: Layout) -> ArrayShape {
        ArrayShape::new(ElementType::F32, dims).unwrap().with_layout(layout).unwrap()
    }

    fn is_small(shape: &ArrayShape) -> bool {
        shape.index_map().is_ok_and(|map| map.allocation() < 200_000)
    }

    fn tile() -> impl Strategy<Value = Tile> {
        let dim = prop_oneof![
            1 => Just(TileDim::Combine),
            5 => (1i64..=6).prop_map(TileDim::Size),
            1 => prop_oneof![Just(8), Just(16), Just(128)].prop_map(TileDim::Size),
        ];
        (proptest::collection::vec(dim, 0..4), 1i64..=8).prop_map(|(mut dims, last)| {
            dims.push(TileDim::Size(last));
            Tile::new(dims).unwrap()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 600 }))]

        #[test]
        fn every_layout_is_injective_invertible_and_its_program(shape in shapes()) {
            check_program(&shape);
            check_laws(&shape.index_map().unwrap());
        }

        #[test]
        fn text_reads_back(shape in shapes()) {
            prop_assert_eq!(&shape.to_string().parse::<ArrayShape>().unwrap(), &shape);
        }

        #[test]
        fn first_difference_agrees_with_looking((a, b) in pairs()) {
            let (a, b) = (a.index_map().unwrap(), b.index_map().unwrap());
            let pairs = a.offsets().unwrap().into_iter().zip(b.offsets().unwrap());
            let expected = pairs.enumerate().find(|(_, (x, y))| x != y).map(|(number, _)| number);
            let found = a.first_difference(&b).unwrap();
            let found = found.map(|difference| row_major(a.dims(), &difference.index));
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn tla_text_places_elements_alike(shape in shapes()) {
            let map = shape.index_map().unwrap();
            if let Ok(text) = map.to_notation(tilewright::map::Notation::Tla, 32) {
                prop_assert_eq!(support::tla_offsets(&text), map.offsets().unwrap());
            }
        }
    }
}
