//! The operations of XLA's `LayoutUtil`, `ShapeUtil` and `IndexUtil`: XLA's own test cases, and
//! laws that hold for any layout.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use tilewright::xla::{Ignore, Layout, Padding, SplitConfig, Tile, TileDim};
use tilewright::{ArrayShape, Dim, ElementType, Error, Permutation, Shape};

fn array(text: &str) -> ArrayShape {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn shape(text: &str) -> Shape {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn permutation(entries: &[usize]) -> Permutation {
    Permutation::new(entries).unwrap()
}

fn bare(dims: &[i64]) -> ArrayShape {
    ArrayShape::new(ElementType::F32, dims).unwrap()
}

#[test]
fn order() {
    let check = |text: &str, descending: bool, ascending: bool| {
        let layout = layout(text);
        assert_eq!(
            (layout.is_descending(), layout.is_ascending()),
            (descending, ascending),
            "{text}"
        );
    };
    check("{}", true, true);
    check("{0}", true, true);
    check("{1,0}", true, false);
    check("{0,1}", false, true);
    check("{3,2,1,0:T(8,128)S(1)}", true, false);
    check("{0,1,2,3}", false, true);
    check("{0,2,1}", false, false);
    assert!(Layout::descending(5).is_descending() && Layout::ascending(5).is_ascending());
}

#[test]
fn major_and_minor() {
    let check = |text: &str, major_to_minor: &[usize]| {
        let layout = layout(text);
        let n = major_to_minor.len();
        for (position, &dim) in major_to_minor.iter().enumerate() {
            assert_eq!(layout.major(position), Some(dim), "{text}");
            assert_eq!(layout.minor(n - 1 - position), Some(dim), "{text}");
            assert_eq!(layout.logical_to_physical()[dim], position, "{text}");
        }
        assert_eq!((layout.major(n), layout.minor(n)), (None, None), "{text}");
    };
    check("{}", &[]);
    check("{2,0,1}", &[1, 0, 2]);
    check("{3,2,1,0}", &[0, 1, 2, 3]);
}

#[test]
fn consecutive() {
    let check = |text: &str, dims: &[usize], expected: bool| {
        assert_eq!(layout(text).are_dimensions_consecutive(dims), expected, "{text} {dims:?}");
    };
    check("{3,0,2,1}", &[], true);
    check("{3,0,2,1}", &[1], true);
    check("{3,0,2,1}", &[0, 2], true);
    check("{3,0,2,1}", &[1, 0, 2], true);
    check("{3,0,2,1}", &[3, 2], false);
    check("{3,0,2,1}", &[0, 1], false);
    check("{3,0,2,1}", &[0, 0], false);
    check("{3,0,2,1}", &[2, 4], false);
}

#[test]
fn move_dim() {
    let major = |text: &str, dim: i64, expected: &str| {
        assert_eq!(layout(text).move_dim_to_major(dim).unwrap().to_string(), expected);
        let moved = layout(text).move_dim_to_major(dim).unwrap();
        assert_eq!(moved.major(0), Some(usize::try_from(dim).unwrap()));
    };
    major("{2,1,0}", 0, "{2,1,0}");
    major("{2,1,0}", 1, "{2,0,1}");
    major("{0,1,2}", 0, "{1,2,0}");
    major("{2,1,0:T(8,128)E(4)S(1)M(8)}", 2, "{1,0,2:T(8,128)E(4)S(1)M(8)}");
    // The split of dimension 1 goes with it from physical 1 to 0, and that of dimension 0 back.
    major("{2,1,0:SC(0:5)(1:10,20)}", 1, "{2,0,1:SC(1:5)(0:10,20)}");
    let minor = |text: &str, dim: i64, expected: &str| {
        assert_eq!(layout(text).move_dim_to_minor(dim).unwrap().to_string(), expected);
    };
    minor("{2,0,3,1}", 3, "{3,2,0,1}");
    minor("{2,0,3,1}", -1, "{3,2,0,1}");
    minor("{2,1,0:T(8,128)L(64)}", 0, "{0,2,1:T(8,128)L(64)}");
    minor("{1,0:SC(0:5)}", 0, "{0,1:SC(1:5)}");
    assert!(layout("{1,0}").move_dim_to_major(2).unwrap_err().is_out_of_bounds());
    assert!(layout("{}").move_dim_to_minor(0).unwrap_err().is_out_of_bounds());
    // Whole shapes keep their tiles, which XLA's ShapeUtil::MoveDimToMajor drops.
    let moved = array("bf16[2,16,128]{2,1,0:T(8,128)(2,1)S(1)}").move_dim_to_major(1).unwrap();
    assert_eq!(moved.to_string(), "bf16[2,16,128]{2,0,1:T(8,128)(2,1)S(1)}");
    assert_eq!(bare(&[2, 3]).move_dim_to_minor(0).unwrap().to_string(), "f32[2,3]{0,1}");
    // Moved by its number alone, the split at 10 would be outside the dimension of 5.
    let split = array("f32[5,20]{1,0:SC(1:10)}").move_dim_to_major(1).unwrap();
    assert_eq!(split.to_string(), "f32[5,20]{0,1:SC(0:10)}");
}

#[test]
fn delete_from_layout() {
    let check = |text: &str, dim: i64, expected: &str| {
        assert_eq!(
            layout(text).delete_dimension(dim).unwrap().to_string(),
            expected,
            "{text} {dim}"
        );
    };
    check("{2,0,1}", 1, "{1,0}");
    check("{0}", 0, "{}");
    check("{2,0,1:SC(0:10)(1:20)(2:30)}", 0, "{1,0:SC(0:10)(1:30)}");
    check("{2,0,1:SC(0:10)(1:20)(2:30)}", 1, "{1,0:SC(0:20)(1:30)}");
    check("{2,0,1:SC(0:10)(1:20)(2:30)}", -1, "{0,1:SC(0:10)(1:20)}");
    check(
        "{2,1,0:T(8,128)(2,1)E(16)S(1)PAD(4,8,16;0)}",
        1,
        "{1,0:T(8,128)(2,1)E(16)S(1)PAD(4,16;0)}",
    );
    assert!(layout("{1,0}").delete_dimension(2).unwrap_err().is_out_of_bounds());
    assert!(layout("{1,0}").delete_dimension(i64::MIN).unwrap_err().is_out_of_bounds());
}

#[test]
fn equal_but_for_what_is_ignored() {
    let n = Ignore::NOTHING;
    let check = |a: &str, b: &str, ignore: Ignore| {
        let (a, b) = (layout(a), layout(b));
        assert!(!a.equal_ignoring(&b, n) && !b.equal_ignoring(&a, n), "{a} {b}");
        assert!(a.equal_ignoring(&b, ignore) && b.equal_ignoring(&a, ignore), "{a} {b}");
        assert!(a.equal_ignoring(&b, Ignore::ALL_BUT_ORDER), "{a} {b}");
        assert_eq!(a.equal_ignoring(&b, Ignore::AS_XLA), ignore == Ignore::AS_XLA, "{a} {b}");
    };
    check("{1,0:T(8,128)}", "{1,0}", Ignore { tiles: true, ..n });
    check("{1,0:L(100)}", "{1,0:L(10)}", Ignore { tail_padding: true, ..n });
    check("{1,0:#(u32)}", "{1,0:#(u16)}", Ignore { index_type: true, ..n });
    check("{1,0:*(u32)}", "{1,0}", Ignore { pointer_type: true, ..n });
    check("{1,0:E(32)}", "{1,0}", Ignore { element_size: true, ..n });
    check("{1,0:S(1)}", "{1,0:S(5)}", Ignore { memory_space: true, ..n });
    check("{1,0:SC(0:3)}", "{1,0:SC(1:3)}", Ignore { split_configs: true, ..n });
    check("{1,0:P(s32[10]{0})}", "{1,0}", Ignore { physical_shape: true, ..n });
    check("{1,0:M(8)}", "{1,0}", Ignore::AS_XLA);
    check("{1,0:PAD(8,8)}", "{1,0:PAD(8,8;0)}", Ignore { padding: true, ..n });
    assert!(!layout("{1,0}").equal_ignoring(&layout("{0,1}"), Ignore::ALL_BUT_ORDER));
    let memory_too = Ignore { memory_space: true, ..Ignore::ALL_BUT_ORDER };
    assert_eq!(memory_too, Ignore::ALL_BUT_ORDER);
    let but_tiles = Ignore { tiles: false, ..Ignore::ALL_BUT_ORDER };
    assert!(!layout("{1,0:T(2)}").equal_ignoring(&layout("{1,0}"), but_tiles));
    assert_eq!(layout("{1,0:T(2)(2,1)S(1)}").without_tiles(), layout("{1,0:S(1)}"));
}

#[test]
fn permute() {
    let check = |text: &str, entries: &[usize], expected: &str| {
        let permuted = array(text).permute_dimensions(&permutation(entries)).unwrap();
        assert_eq!(permuted.to_string(), expected, "{text} {entries:?}");
    };
    check("f32[16,3,12,17]{1,2,0,3}", &[0, 2, 1, 3], "f32[16,12,3,17]{2,1,0,3}");
    check("f32[10,20,30]{2,1,0}", &[1, 2, 0], "f32[20,30,10]{1,0,2}");
    check("f32[10,20]{1,0:T(8,128)S(1)}", &[1, 0], "f32[20,10]{0,1:T(8,128)S(1)}");
    check("f32[10,20]{1,0:SC(0:3)PAD(12,24;1)}", &[1, 0], "f32[20,10]{0,1:SC(0:3)PAD(24,12;1)}");
    check("f32[<=10,20]{1,0}", &[1, 0], "f32[20,<=10]{0,1}");
    check("f32[]", &[], "f32[]");
    let permuted = bare(&[2, 3]).permute_dimensions(&permutation(&[1, 0])).unwrap();
    assert_eq!(permuted.to_string(), "f32[3,2]");
    let error = bare(&[2, 3]).permute_dimensions(&permutation(&[0])).unwrap_err();
    assert!(error.is_rank_mismatch());
}

#[test]
fn physical_order() {
    let check = |text: &str, expected: &str| {
        let physical = array(text).in_physical_order().unwrap();
        assert_eq!(physical.to_string(), expected);
        assert!(physical.layout().unwrap().is_descending());
    };
    check("f32[128,24,4,48,48]{2,4,3,1,0}", "f32[128,24,48,48,4]{4,3,2,1,0}");
    check("bf16[2,16,128]{1,2,0:T(8,128)(2,1)}", "bf16[2,128,16]{2,1,0:T(8,128)(2,1)}");
    check("f32[10,20]{0,1:SC(1:3)PAD(12,24)}", "f32[20,10]{1,0:SC(1:3)PAD(24,12)}");
}

#[test]
fn delete_and_filter() {
    let check = |text: &str, dims: &[i64], expected: &str| {
        assert_eq!(array(text).delete_dimensions(dims).unwrap().to_string(), expected, "{text}");
    };
    check("f32[5,3,2]{2,0,1}", &[1], "f32[5,2]{1,0}");
    check("f32[5,3,2,7,9]{2,0,1,4,3}", &[1, 2, 3], "f32[5,9]{0,1}");
    check("f32[5,3,2,7,9]{2,0,1,4,3}", &[3, 2, 1, 1], "f32[5,9]{0,1}");
    check("f32[5,3]{0,1}", &[], "f32[5,3]{0,1}");
    check("f32[5,3]{0,1:T(8,128)}", &[0, 1], "f32[]{:T(8,128)}");
    check("f32[5,3,2]{2,1,0:SC(0:2)(2:1)PAD(8,8,8)}", &[0], "f32[3,2]{1,0:SC(1:1)PAD(8,8)}");
    let odd = array("f32[5,3,2]{2,1,0}").filter_dimensions(|dim, _| dim % 2 == 0).unwrap();
    assert_eq!(odd.to_string(), "f32[5,2]{1,0}");
    let large = array("f32[5,3,2]{2,1,0}").filter_dimensions(|_, size| size != Dim::Static(3));
    assert_eq!(large.unwrap().to_string(), "f32[5,2]{1,0}");
    assert_eq!(bare(&[5, 3]).delete_dimension(-1).unwrap().to_string(), "f32[5]");
    assert!(array("f32[5,3]{1,0}").delete_dimension(2).unwrap_err().is_out_of_bounds());
    let hidden = bare(&[1 << 31, 0, 1 << 31]);
    assert!(hidden.delete_dimension(1).unwrap_err().is_overflow());
}

#[test]
fn degenerate() {
    let check = |text: &str, has: bool, expected: &str| {
        assert_eq!(array(text).has_degenerate_dimensions(), has, "{text}");
        assert_eq!(array(text).drop_degenerate_dimensions().unwrap().to_string(), expected);
    };
    check("f32[1,16,1,3]{3,2,1,0}", true, "f32[16,3]{1,0}");
    check("f32[1,1]{0,1}", true, "f32[]");
    check("f32[5,0,<=1]{0,1,2}", true, "f32[5,0]{0,1}");
    check("f32[2,<=3]{0,1}", false, "f32[2,<=3]{0,1}");
    check("f32[]", false, "f32[]");
}

#[test]
fn insert() {
    let text = |shape: Result<ArrayShape, Error>| shape.unwrap().to_string();
    let old = array("f32[10,20,30]{0,2,1}");
    assert_eq!(text(old.prepend_major_dimension(40)), "f32[40,10,20,30]{1,3,2,0}");
    assert_eq!(text(old.append_major_dimension(40)), "f32[10,20,30,40]{0,2,1,3}");
    assert_eq!(text(old.append_minor_dimension(40)), "f32[10,20,30,40]{3,0,2,1}");
    let check = |at: i64, expected: &str| assert_eq!(text(old.insert_dimension(at, 40)), expected);
    check(0, "f32[40,10,20,30]{1,0,3,2}");
    check(1, "f32[10,40,20,30]{0,3,2,1}");
    check(2, "f32[10,20,40,30]{0,3,2,1}");
    check(3, "f32[10,20,30,40]{3,0,2,1}");
    check(-1, "f32[10,20,30,40]{3,0,2,1}");
    check(-4, "f32[40,10,20,30]{1,0,3,2}");
    assert!(old.insert_dimension(4, 40).unwrap_err().is_out_of_bounds());
    assert!(old.insert_dimension(0, -1).is_err());
    assert!(old.insert_dimension(0, i64::MAX).unwrap_err().is_overflow());
    assert_eq!(text(bare(&[3]).insert_dimension(0, Dim::Bounded(4))), "f32[<=4,3]");
    assert_eq!(text(array("f32[]").insert_dimension(0, 7)), "f32[7]{0}");
    // Tiles stay, splits and widths stay with their dimensions; XLA's own drop them here.
    let full = array("f32[10,20]{1,0:T(8,128)S(1)SC(0:5)(1:9)PAD(16,32)}");
    let kept = "f32[3,10,20]{2,1,0:T(8,128)S(1)SC(1:5)(2:9)PAD(3,16,32)}";
    assert_eq!(text(full.prepend_major_dimension(3)), kept);
    let under = "f32[10,20,3]{2,1,0:T(8,128)S(1)SC(0:5)(1:9)PAD(16,32,3)}";
    assert_eq!(text(full.append_minor_dimension(3)), under);
}

#[test]
fn linear_index() {
    let check = |text: &str, index: &[i64], expected: i64| {
        let array = array(text);
        assert_eq!(array.linear_index(index).unwrap(), expected, "{text} {index:?}");
        assert_eq!(array.multi_index(expected).unwrap().as_deref(), Some(index), "{text}");
    };
    check("f32[10,20]{0,1}", &[3, 5], 53);
    check("f32[10,20]{0,1}", &[9, 19], 199);
    check("f32[10,20]{1,0}", &[3, 5], 65);
    check("f32[10,20,30]{2,1,0}", &[3, 5, 7], 1957);
    check("f32[10,20,30]{2,1,0}", &[8, 15, 27], 5277);
    check("f32[10,20,30]{1,2,0}", &[3, 5, 7], 1945);
    check("f32[10,20,30]{1,2,0}", &[8, 15, 27], 5355);
    check("f32[10,20,30,40]{3,2,1,0}", &[3, 5, 7, 9], 78289);
    check("f32[10,20,30,40]{3,2,1,0}", &[8, 15, 27, 33], 211_113);
    check("bf16[2048]{0:T(1024)(128)(2,1)}", &[0], 0);
    check("bf16[2048]{0:T(1024)(128)(2,1)}", &[128], 1);
    check("bf16[2048]{0:T(1024)(128)(2,1)}", &[1], 2);
    check("bf16[2,8,128]{2,1,0:T(8,128)(2,1)}", &[0, 2, 0], 256);
    check("f32[8,4]{1,0:T(2,2)}", &[3, 1], 11);
    check("f32[8,4]{1,0}", &[3, 1], 13);
    check("f32[8]{0:T(2,2)}", &[5], 9);
    check("f32[3]{0:T(8,128)}", &[2], 2);
    check("u32[]{:T(128)}", &[], 0);
    check("f32[3,5]{1,0:T(2,2)}", &[2, 3], 17);
    check("bf16[32,256]{1,0:T(8,128)(2,1,1,1)}", &[31, 255], 8191);
    check("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", &[1, 2, 3, 4, 5], 8307);
    assert_eq!(array("f32[3,5]{1,0:T(2,2)}").multi_index(9).unwrap(), None);
    assert!(array("f32[3,5]{1,0}").multi_index(15).unwrap_err().is_out_of_bounds());
    assert!(array("f32[3,5]{1,0}").linear_index(&[3, 0]).unwrap_err().is_out_of_bounds());
}

#[test]
fn in_bounds() {
    let check = |text: &str, index: &[i64], expected: bool| {
        assert_eq!(array(text).index_in_bounds(index), expected, "{text} {index:?}");
    };
    check("f32[3,5]", &[2, 4], true);
    check("f32[3,5]", &[3, 4], false);
    check("f32[3,5]", &[-1, 4], false);
    check("f32[3,5]", &[2], false);
    check("f32[?,5]", &[i64::MAX, 4], true);
    check("f32[?,5]", &[-1, 4], false);
    check("f32[]", &[], true);
    check("f32[0]", &[0], false);
}

#[test]
fn dimension_stride() {
    let check = |text: &str, expected: &[Option<i64>]| {
        let array = array(text);
        for (dim, expected) in (0..).zip(expected) {
            assert_eq!(array.dimension_stride(dim).unwrap(), *expected, "{text} {dim}");
        }
    };
    check("f32[5,8,10,4]{3,2,1,0}", &[Some(320), Some(40), Some(4), Some(1)]);
    check("f32[5,8]{0,1}", &[Some(1), Some(5)]);
    check("f32[5,1,8]{0,1,2}", &[Some(1), Some(5), Some(5)]);
    check("f32[5,8]{1,0:PAD(5,16)}", &[Some(16), Some(1)]);
    check("f32[24,128]{1,0:T(8,128)}", &[Some(128), Some(1)]);
    check("f32[24,256]{1,0:T(8,128)}", &[None, None]);
    check("f32[24,3]{1,0:T(8,128)}", &[Some(128), Some(1)]);
    check("f32[1,5]{1,0:T(2,2)}", &[Some(2), None]);
    check("bf16[2,128]{1,0:T(8,128)(2,1)}", &[Some(1), Some(2)]);
    check("bf16[3,128]{1,0:T(8,128)(2,1)}", &[None, Some(2)]);
    check("f32[5,0,7]{2,1,0}", &[Some(7), Some(7), Some(1)]);
    check("f32[0,5,7]{2,1,0}", &[Some(35), Some(7), Some(1)]);
    // A tile straddles two dimensions.
    check("f32[2,5]{1,0:T(*,2)}", &[Some(5), Some(1)]);
    check("f32[2,3,5]{2,1,0:T(2,*,2)}", &[Some(2), None, None]);
    // Here too, but 128 elements are the same step, one tile of 100 and 28 places, each time.
    check("f32[3,3,4]{2,1,0:T(*,100,2)PAD(3,128,4)}", &[Some(456), Some(2), None]);
    assert!(array("f32[3,5]{1,0}").dimension_stride(2).unwrap_err().is_out_of_bounds());
    assert!(array("f32[?,5]{1,0}").dimension_stride(1).unwrap_err().is_unbounded());
}

#[test]
fn byte_strides() {
    let check = |text: &str, exact: Option<&[i64]>, unpacked: &[i64]| {
        let array = array(text);
        assert_eq!(array.byte_strides().unwrap().as_deref(), exact, "{text}");
        assert_eq!(array.unpacked_byte_strides().unwrap(), unpacked, "{text}");
    };
    check("f32[3,5,7]{2,1,0}", Some(&[140, 28, 4]), &[140, 28, 4]);
    check("f16[5,7,9]{2,1,0}", Some(&[126, 18, 2]), &[126, 18, 2]);
    check("s4[2,4]{1,0:E(4)}", None, &[4, 1]);
    check("s4[2,4]{1,0}", Some(&[4, 1]), &[4, 1]);
    check("pred[2,4]{1,0:E(32)}", Some(&[16, 4]), &[4, 1]);
    check("f32[3,5]{1,0:T(8,128)}", Some(&[512, 4]), &[20, 4]);
    check("f32[3,5]{1,0:T(2,2)}", None, &[20, 4]);
    check("f32[]", Some(&[]), &[]);
    check("f32[1,5]{1,0}", Some(&[20, 4]), &[20, 4]);
}

#[test]
fn sizes() {
    let check = |text: &str, bytes: i64, data: i64| {
        let array = array(text);
        let sizes = (array.bytes().unwrap(), array.xla_bytes().unwrap());
        assert_eq!(sizes, (bytes, Some(bytes)), "{text}");
        assert_eq!(array.data_bytes().unwrap(), data, "{text}");
    };
    check("f32[10,20]{1,0}", 800, 800);
    check("s4[64,128]{1,0:E(4)}", 4096, 4096);
    check("s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}", 28_311_552, 28_311_552);
    check("f32[10,0,20]{2,1,0}", 0, 0);
    check("f32[0,5]{1,0:T(8,128)}", 0, 0);
    check("bf16[1,100]{1,0:T(8,128)(2,1)}", 2048, 398);
    check("f32[100,200]{1,0:T(8,128)L(10000)}", 120_000, 104_224);
    check("f32[]", 4, 4);
    check("u32[]{:T(128)}", 512, 4);
    check("s4[3]{0:E(4)}", 2, 2);
    check("s1[8,9]{1,0:T(8,128)E(1)}", 128, 114);
    assert_eq!(array("f32[7,9]{1,0:T(2,4)(3,1)}").bytes().unwrap(), 576);
    assert_eq!(array("f32[7,9]{1,0:T(2,4)(3,1)}").xla_bytes().unwrap(), Some(384));
}

#[test]
fn splits() {
    let array = array("f32[150,200,100]{0,1,2:SC(0:30)(1:40,130)}");
    let sizes: Vec<i64> = (0..3).map(|dim| array.max_split_size(dim).unwrap()).collect();
    assert_eq!(sizes, [150, 90, 70]);
    assert_eq!(array.max_elements_per_split().unwrap(), 945_000);
}

#[test]
fn untiled() {
    let check = |text: &str, expected: bool| {
        assert_eq!(array(text).is_untiled().unwrap(), expected, "{text}");
    };
    check("f32[24,128]{1,0:T(8,128)}", true);
    check("f32[4,256]{1,0:T(1,128)}", true);
    check("f32[2,3,4]{2,1,0:T(8,128)}", false);
    check("f32[24,256]{1,0:T(8,128)}", false);
    check("f32[24,128]{0,1:T(8,128)}", false);
    check("f32[256]{0:T(128)}", true);
    check("f32[200]{0:T(128)}", false);
    check("f32[2,3]{1,0:T(1,1,1)}", true);
    check("f32[2,3]{1,0:T(2,1)(1,2)}", false);
    check("f32[2,3]{1,0}", true);
    check("u32[]{:T(128)}", false);
    // Tiles that undo each other, and a merge that changes nothing: XLA's check says no.
    check("f32[4,6]{1,0:T(*,6)}", true);
    check("f32[4,8]{1,0:T(2,4)(2,2,1,4)}", false);
    check("f32[0,5]{1,0:T(8,128)}", true);
}

#[test]
fn order_of_shape() {
    let check = |text: &str, dim: i64, expected: bool| {
        let found = array(text).is_effectively_most_major_dimension(dim).unwrap();
        assert_eq!(found, expected, "{text} {dim}");
    };
    check("f32[1,1,16,3]{3,2,1,0}", 0, true);
    check("f32[1,1,16,3]{3,2,1,0}", 2, true);
    check("f32[1,1,16,3]{3,2,1,0}", 3, false);
    check("f32[3,1]{0,1}", 0, true);
    check("f32[3,2]{0,1}", 0, false);
    check("f32[3,2]{0,1}", -1, true);
    assert!(array("f32[]").is_effectively_most_major_dimension(0).is_err());
    assert!(array("f32[3,2]{1,0}").last_dim_is_minor_most());
    assert!(!array("f32[3,2]{0,1}").last_dim_is_minor_most());
    assert!(!array("f32[]").last_dim_is_minor_most());
    assert!(bare(&[3, 2]).last_dim_is_minor_most());
}

#[test]
fn elsewhere_in_memory() {
    let host = |text: &str, expected: &str| {
        assert_eq!(array(text).to_host_shape().to_string(), expected);
        assert_eq!(array(text).is_host_shape(), text == expected, "{text}");
        assert!(array(text).to_host_shape().is_host_shape(), "{text}");
    };
    host("bf16[9,20]{0,1:T(8,128)(2,1)L(7)S(1)M(8)PAD(16,32)}", "bf16[9,20]{0,1}");
    host("s4[9,20]{1,0:E(4)SC(0:3)}", "s4[9,20]{1,0:SC(0:3)}");
    let sparse = layout("{1,0:#(u32)P(s32[3]{0})}");
    let sparse = bare(&[9, 20]).with_layout(sparse).unwrap();
    assert_eq!(sparse.to_host_shape().layout(), Some(&layout("{1,0:#(u32)}")));
    host("s4[9,20]{1,0}", "s4[9,20]{1,0}");
    let packed = |text: &str, expected: &str| {
        assert_eq!(array(text).with_packed_elements().to_string(), expected);
    };
    packed("s4[9,20]{0,1:T(8)}", "s4[9,20]{0,1:T(8)E(4)}");
    packed("pred[9]{0:E(32)}", "pred[9]{0}");
    packed("f32[9]{0:E(32)}", "f32[9]{0}");
    packed("u2[]", "u2[]{:E(2)}");
    let bare_s4 = ArrayShape::new(ElementType::S4, &[2, 4]).unwrap();
    assert_eq!(bare_s4.with_packed_elements().to_string(), "s4[2,4]{1,0:E(4)}");
    assert_eq!(bare_s4.with_unpacked_elements(), bare_s4);
    assert_eq!(array("s4[9]{0:E(4)S(1)}").with_unpacked_elements(), array("s4[9]{0:S(1)}"));
    assert_eq!(
        array("f32[<=9,3]{1,0:T(8)M(4)}").make_static().unwrap(),
        array("f32[9,3]{1,0:T(8)}")
    );
    assert!(array("f32[?,3]{1,0}").make_static().unwrap_err().is_unbounded());
    assert_eq!(array("f32[9,3]{0,1:T(8)S(1)}").with_default_layout(), array("f32[9,3]{1,0}"));
    assert_eq!(array("f32[9,3]{0,1:T(8)S(1)}").without_tiles(), array("f32[9,3]{0,1:S(1)}"));
}

#[test]
fn trees() {
    let tree = shape("(f32[3,5]{0,1:T(2,2)}, (s8[2]{0:S(1)}, token[], ()), b(u8[4]{0:T(4)}))");
    let paths: Vec<Vec<usize>> = tree.subshapes_with_paths().map(|(path, _)| path).collect();
    assert_eq!(paths, [vec![], vec![0], vec![1], vec![1, 0], vec![1, 1], vec![1, 2], vec![2]]);
    assert!(tree.subshapes_with_paths().all(|(path, inside)| tree.at(&path) == Some(inside)));
    assert_eq!(tree.subshape_count(), 7);
    let leaves: Vec<&Shape> = tree.leaves_with_paths().map(|(_, leaf)| leaf).collect();
    assert_eq!(leaves, tree.leaves().collect::<Vec<_>>());
    let check = |changed: Shape, expected: &str| assert_eq!(changed.to_string(), expected);
    check(tree.with_default_layouts(), "(f32[3,5]{1,0}, (s8[2]{0}, token[], ()), b(u8[4]{0}))");
    check(tree.drop_layouts(), "(f32[3,5], (s8[2], token[], ()), b(u8[4]))");
    check(tree.drop_tiles(), "(f32[3,5]{0,1}, (s8[2]{0:S(1)}, token[], ()), b(u8[4]{0}))");
    check(tree.to_host_shape(), "(f32[3,5]{0,1}, (s8[2]{0}, token[], ()), b(u8[4]{0}))");
    assert!(tree.has_layouts() && tree.has_any_layout());
    assert!(!tree.drop_layouts().has_layouts() && !tree.drop_layouts().has_any_layout());
    assert!(shape("token[]").has_layouts() && !shape("()").has_any_layout());
    let failed = tree.try_map_arrays(|array| array.delete_dimension(1));
    assert!(failed.unwrap_err().is_out_of_bounds());
}

#[test]
fn layouts_of_trees() {
    let check = |a: &str, b: &str, ignore: Ignore, expected: bool| {
        assert_eq!(shape(a).layouts_equal(&shape(b), ignore), expected, "{a} {b}");
        assert_eq!(shape(b).layouts_equal(&shape(a), ignore), expected, "{a} {b}");
    };
    let tiles = Ignore { tiles: true, ..Ignore::NOTHING };
    check("f32[8]{0:T(8)}", "s8[9]{0:T(8)}", Ignore::NOTHING, true);
    check("f32[8]{0:T(8)}", "f32[8]{0}", tiles, true);
    // The options count inside tuples too, unlike in XLA.
    check("((f32[8]{0:T(8)}), token[])", "((f32[8]{0}), token[])", tiles, true);
    check("((f32[8]{0:T(8)}), token[])", "((f32[8]{0}), token[])", Ignore::NOTHING, false);
    check("(f32[8]{0})", "f32[8]{0}", tiles, false);
    check("(f32[8]{0})", "(f32[8]{0}, f32[8]{0})", tiles, false);
    check("f32[8]{0}", "f32[8,1]{1,0}", tiles, false);
    check("f32[8]{0}", "token[]", tiles, false);
    let bare = Shape::from(bare(&[8]));
    assert!(bare.layouts_equal(&bare, tiles) && !bare.layouts_equal(&shape("f32[8]{0}"), tiles));
    assert!(bare.is_compatible_with(&shape("f32[<=8]{0:T(4)}")));
    assert!(!bare.is_compatible_with(&shape("f32[?]{0}")));
    assert!(!bare.is_compatible_with(&shape("s32[8]{0}")));
}

#[test]
fn logical_order() {
    let check = |dims: &[i64], expected: &[&[i64]]| {
        let indices = bare(dims).indices().unwrap();
        assert_eq!(indices.size_hint(), (expected.len(), Some(expected.len())));
        assert_eq!(indices.collect::<Vec<_>>(), expected);
    };
    check(&[], &[&[]]);
    check(&[0], &[]);
    check(&[2, 0], &[]);
    check(&[2, 1, 2], &[&[0, 0, 0], &[0, 0, 1], &[1, 0, 0], &[1, 0, 1]]);
    assert!(array("f32[2,?]{1,0}").indices().unwrap_err().is_unbounded());
}

/// Padding must cost nothing: these would never end, or fill memory, if it were walked.
#[test]
fn memory_order_skips_padding() {
    let check = |text: &str| {
        let array = array(text);
        let mut order = array.indices_in_memory_order().unwrap();
        let (mut count, mut before) = (0, -1);
        while let Some((offset, index)) = order.advance() {
            assert!(offset > before, "{text}");
            assert_eq!(array.linear_index(index).unwrap(), offset, "{text}");
            before = offset;
            count += 1;
        }
        assert_eq!(count, array.elements().unwrap(), "{text}");
        assert_eq!(array.index_map().unwrap().max_offset().unwrap(), Some(before), "{text}");
    };
    check("f32[3,2]{1,0:T(1000000000,1000000000)}");
    check("bf16[9,130]{1,0:T(8,128)(2,1,1,1)}");
    check("f32[5,1]{1,0:T(8,128)PAD(1048576,1048576)}");
    check("bf16[3]{0:T(1048576)(1024)(2,1)}");
    check("f32[3,5,7]{2,1,0:T(2,*,4)}");
}

#[test]
fn max_offset_of_merged() {
    let check = |text: &str| {
        let map = array(text).index_map().unwrap();
        assert!(!map.is_separable(), "{text}");
        assert_eq!(map.max_offset().unwrap(), map.offsets().unwrap().into_iter().max(), "{text}");
    };
    check("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
    check("f32[100,200]{1,0:T(*,3)(2,1)}");
    check("f32[3,100,200]{1,2,0:T(3,*,64)}");
    // A million million elements: the end is found from the end.
    let huge = |text: &str| array(text).index_map().unwrap().max_offset().unwrap();
    assert_eq!(huge("s8[1048576,1048575]{1,0:T(*,3)(2,1)}"), Some(1_099_510_579_199));
    assert_eq!(huge("s8[1048577,1048575]{1,0:T(*,7)(2,1)}"), Some(1_099_511_627_774));
}

/// An array of up to four dimensions with any order, up to three tiles, `*`, `PAD` and `L`.
fn any_array() -> impl Strategy<Value = ArrayShape> {
    let size = prop_oneof![1 => Just(0i64), 8 => 1i64..=7, 1 => 8i64..=20];
    prop::collection::vec(size, 0..=4).prop_flat_map(|dims| {
        let order = Just((0..dims.len()).collect::<Vec<_>>()).prop_shuffle();
        let padded: Vec<_> = dims.iter().map(|&size| size..=size + 5).collect();
        let padding = prop::option::weighted(0.2, padded);
        let tiles = prop::collection::vec(any_tile(), 0..=3);
        (Just(dims), order, padding, tiles, 1i64..=5).prop_map(array_of)
    })
}

fn any_tile() -> impl Strategy<Value = Tile> {
    let dim = prop_oneof![1 => Just(TileDim::Combine), 6 => (1i64..=6).prop_map(TileDim::Size)];
    (prop::collection::vec(dim, 0..=4), 1i64..=6).prop_map(|(mut dims, last)| {
        dims.push(TileDim::Size(last));
        Tile::new(dims).unwrap()
    })
}

type Parts = (Vec<i64>, Vec<usize>, Option<Vec<i64>>, Vec<Tile>, i64);

fn array_of((dims, order, padding, tiles, tail): Parts) -> ArrayShape {
    let padding = padding.map(|widths| Padding::new(widths, None).unwrap());
    let layout = Layout::new(permutation(&order)).with_tiles(tiles);
    let layout = layout.with_padding(padding).unwrap().with_tail_padding_alignment(tail).unwrap();
    ArrayShape::new(ElementType::F32, &dims).unwrap().with_layout(layout).unwrap()
}

/// The array with no tiles, and each dimension of two or more elements split after its first.
fn untiled_and_split(array: &ArrayShape) -> ArrayShape {
    let untiled = array.without_tiles();
    let physical = untiled.sizes_major_to_minor().unwrap();
    let long = physical.iter().enumerate().filter(|(_, size)| **size > 1);
    let splits = long.map(|(p, _)| SplitConfig::new(p, [1]).unwrap()).collect();
    let layout = untiled.layout().unwrap().clone().with_split_configs(splits).unwrap();
    untiled.with_layout(layout).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn permuting_moves_nothing(array in any_array(), seed in any::<prop::sample::Index>()) {
        let mut entries: Vec<usize> = (0..array.rank()).collect();
        entries.rotate_left(seed.index(array.rank() + 1));
        if array.rank() > 1 { entries.swap(0, seed.index(array.rank())) }
        let perm = permutation(&entries);
        let permuted = array.permute_dimensions(&perm).unwrap();
        let (map, permuted_map) = (array.index_map().unwrap(), permuted.index_map().unwrap());
        prop_assert_eq!(map.allocation(), permuted_map.allocation());
        for index in array.indices().unwrap() {
            let moved = permuted_map.offset(&perm.permute(&index)).unwrap();
            prop_assert_eq!(map.offset(&index).unwrap(), moved);
        }
        prop_assert_eq!(permuted.permute_dimensions(&perm.inverse()).unwrap(), array);
    }

    #[test]
    fn memory_order_rises_and_is_complete(array in any_array()) {
        let mut expected: Vec<(i64, Vec<i64>)> = array
            .indices().unwrap()
            .map(|index| (array.linear_index(&index).unwrap(), index))
            .collect();
        expected.sort();
        prop_assert!(expected.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let found: Vec<_> = array.indices_in_memory_order().unwrap().collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn max_offset_is_the_largest(array in any_array()) {
        let map = array.index_map().unwrap();
        let largest = map.offsets().unwrap().into_iter().max();
        prop_assert_eq!(map.max_offset().unwrap(), largest);
        prop_assert_eq!(array.data_bytes().unwrap(), largest.map_or(0, |last| (last + 1) * 4));
    }

    #[test]
    fn strides_are_what_offsets_do(array in any_array()) {
        let map = array.index_map().unwrap();
        for (dim, &size) in map.dims().iter().enumerate().filter(|(_, size)| **size > 1) {
            let neighbours = array.indices().unwrap().filter(|index| index[dim] + 1 < size);
            let mut steps: Vec<i64> = neighbours.map(|mut index| {
                let here = map.offset(&index).unwrap();
                index[dim] += 1;
                map.offset(&index).unwrap() - here
            }).collect();
            steps.sort_unstable();
            steps.dedup();
            if let [constant] = steps[..] {
                prop_assert_eq!(array.dimension_stride(dim as i64).unwrap(), Some(constant));
            } else if !steps.is_empty() {
                prop_assert_eq!(array.dimension_stride(dim as i64).unwrap(), None);
            }
        }
    }

    #[test]
    fn byte_strides_find_every_element(array in any_array()) {
        if let Some(strides) = array.byte_strides().unwrap() {
            for index in array.indices().unwrap() {
                let bytes: i64 = index.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
                prop_assert_eq!(array.linear_index(&index).unwrap() * 4, bytes);
            }
        }
    }

    #[test]
    fn without_tiles_one_element_more_or_less_moves_nothing(array in any_array()) {
        let untiled = untiled_and_split(&array);
        let dropped = untiled.drop_degenerate_dimensions().unwrap();
        let kept = |index: &[i64]| -> Vec<i64> {
            let long = index.iter().zip(untiled.dims()).filter(|(_, size)| size.bound() != Some(1));
            long.map(|(&i, _)| i).collect()
        };
        let unpadded = untiled.layout().unwrap().padding().is_none();
        for index in untiled.indices().unwrap().filter(|_| unpadded) {
            let offset = untiled.linear_index(&index).unwrap();
            prop_assert_eq!(dropped.linear_index(&kept(&index)).unwrap(), offset);
        }
        for at in 0..=untiled.rank() as i64 {
            let inserted = untiled.insert_dimension(at, 1).unwrap();
            prop_assert_eq!(inserted.delete_dimension(at).unwrap(), untiled.clone());
        }
    }

    #[test]
    fn splits_stay_with_their_dimensions(array in any_array(), pick in any::<prop::sample::Index>()) {
        let split = untiled_and_split(&array);
        if split.rank() == 0 { return Ok(()) }
        let dim = pick.index(split.rank());
        let widths = |array: &ArrayShape| -> Vec<i64> {
            (0..array.rank() as i64).map(|dim| array.max_split_size(dim).unwrap()).collect()
        };
        let before = widths(&split);
        prop_assert_eq!(widths(&split.move_dim_to_major(dim as i64).unwrap()), before.clone());
        prop_assert_eq!(widths(&split.move_dim_to_minor(dim as i64).unwrap()), before.clone());
        let mut without = before.clone();
        without.remove(dim);
        prop_assert_eq!(widths(&split.delete_dimension(dim as i64).unwrap()), without);
        let mut with = before;
        with.insert(dim, 9);
        prop_assert_eq!(widths(&split.insert_dimension(dim as i64, 9).unwrap()), with);
    }

    #[test]
    fn untiled_is_what_offsets_say(array in any_array()) {
        let (with, without) = (array.index_map().unwrap(), array.without_tiles().index_map().unwrap());
        let same = with.allocation() == without.allocation() && with.offsets().unwrap() == without.offsets().unwrap();
        prop_assert_eq!(array.is_untiled().unwrap(), same);
    }
}
