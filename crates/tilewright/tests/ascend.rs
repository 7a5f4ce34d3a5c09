//! Ascend's tags as XLA tilings, and layouts of batches.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright::formats::ascend_layout;
use tilewright::tla::{
    FilterPosition, Int, Layout, Tag, TypedLayout, make_batched_layout, prepend_dim,
};
use tilewright::{ElementType, IndexMap};

fn tags() -> Vec<Tag> {
    let padded = [
        Tag::PaddingRowMajor { block_rows: 5, block_columns: 12 },
        Tag::PaddingColumnMajor { block_rows: 5, block_columns: 12 },
        Tag::PaddingRowMajor { block_rows: 1, block_columns: 32 },
    ];
    Tag::ALL.into_iter().chain(padded).collect()
}

/// Sizes for each of a tag's, even and ragged, 1 and beyond a block.
fn sizes(tag: Tag) -> Vec<Vec<i64>> {
    let n = tag.size_names().len();
    let lists: &[[i64; 5]] = match n {
        1 | 2 => &[
            [1, 1, 0, 0, 0],
            [16, 32, 0, 0, 0],
            [28, 40, 0, 0, 0],
            [33, 17, 0, 0, 0],
            [3, 70, 0, 0, 0],
            [70, 5, 0, 0, 0],
            [33, 65, 0, 0, 0],
            [3, 300, 0, 0, 0],
            [300, 2, 0, 0, 0],
        ],
        _ => &[[1, 1, 1, 1, 1], [2, 3, 2, 5, 2], [3, 1, 2, 20, 1], [1, 2, 3, 33, 2]],
    };
    lists.iter().map(|list| list[..n].to_vec()).collect()
}

/// The tag's own layout of an array of these sizes, and the map of the XLA layout over the same
/// dimensions.
fn both(tag: Tag, element_type: ElementType, sizes: &[i64]) -> (Layout, IndexMap) {
    let own: Vec<Int> = sizes.iter().copied().map(Int::dynamic).collect();
    let own = Layout::from_tag_sizes(tag, element_type, &own).unwrap();
    let mut dims = own.org_shape().unwrap().values();
    dims[..sizes.len()].copy_from_slice(sizes);
    let layout = ascend_layout(tag, element_type).unwrap();
    (own, IndexMap::from_layout(&dims, &layout).unwrap())
}

#[test]
fn every_tag_is_an_xla_tiling() {
    let mut n_checked = 0;
    for element_type in [
        ElementType::S4,
        ElementType::F4E2M1Fn,
        ElementType::U1,
        ElementType::Pred,
        ElementType::S8,
        ElementType::F16,
        ElementType::F32,
        ElementType::C128,
    ] {
        for tag in tags() {
            let is_scale = tag.name().starts_with("MxScale");
            let is_byte = [ElementType::Pred, ElementType::S8].contains(&element_type);
            assert_eq!(ascend_layout(tag, element_type).is_ok(), !is_scale || is_byte, "{tag}");
            if is_scale && !is_byte {
                continue;
            }
            for sizes in sizes(tag) {
                let (own, map) = both(tag, element_type, &sizes);
                let own_map = IndexMap::from_tla(&own).unwrap();
                let what = format!("{tag} of {element_type} {sizes:?}");
                for (index, offset) in indices(map.dims()).zip(map.offsets().unwrap()) {
                    assert_eq!(own_map.offset(&index).unwrap(), offset, "{what} at {index:?}");
                }
                let typed = TypedLayout { element_type: Some(element_type), layout: own };
                let bits = typed.element_bits().unwrap();
                assert_eq!(typed.bytes().unwrap(), Some(map.bytes(bits).unwrap()), "{what}");
                if element_type != ElementType::F4E2M1Fn {
                    assert_eq!(own_map.allocation(), map.allocation(), "{what}");
                }
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 800, "{n_checked}");
}

/// Every index of these dimensions, in row-major order.
fn indices(dims: &[i64]) -> impl Iterator<Item = Vec<i64>> {
    let n: i64 = dims.iter().product();
    (0..n).map(move |mut number| {
        let mut index = vec![0; dims.len()];
        for (place, size) in index.iter_mut().zip(dims).rev() {
            *place = number % size;
            number /= size;
        }
        index
    })
}

#[test]
fn layouts_as_text() {
    for (tag, element_type, expected) in [
        ("zN", "f16", "{0,1:T(16,16)(16,1)}"),
        ("FRACTAL_NZ", "f32", "{0,1:T(8,16)(8,1)}"),
        ("nZ", "s8", "{1,0:T(32,16)(32,1)}"),
        ("zZ", "f16", "{1,0:T(16,16)}"),
        ("nN", "pred", "{0,1:T(16,32)}"),
        ("L0C", "f32", "{0,1:T(16,16)(16,1)}"),
        ("RowMajor", "f6e2m3fn", "{1,0:E(6)}"),
        ("RowMajor", "f4e2m1fn", "{1,0:T(1,2)E(4)}"),
        ("VectorLayout", "f16", "{0}"),
        ("PaddingColumnMajor(5,12)", "f16", "{0,1:T(12,5)}"),
        ("MxScaleColumnMajorA", "f8e8m0fnu", "{0,1:T(2,1)}"),
        ("NC1HWC0", "f16", "{4,3,2,1,0}"),
        ("C1HWNC0(L1)", "f16", "{4,3,2,1,0:T(16,16)}"),
        ("KDC1KHKWN1N0C0", "f16", "{6,5,4,3,2,1,0}"),
    ] {
        let layout = ascend_layout(tag.parse().unwrap(), element_type.parse().unwrap()).unwrap();
        assert_eq!(layout.to_string(), expected, "{tag} of {element_type}");
    }
}

#[test]
fn refusals_have_the_reason() {
    let refused =
        |tag: Tag, element_type| ascend_layout(tag, element_type).unwrap_err().to_string();
    let of_six_bits = "f6e3m2fn elements of 6 bits do not fill 32 bytes";
    for tag in [Tag::Zn, Tag::Nz, Tag::Zz, Tag::Nn, Tag::Fmap, Tag::Filter(FilterPosition::L1)] {
        assert_eq!(refused(tag, ElementType::F6E3M2Fn), of_six_bits);
    }
    let scale = refused(Tag::MxScaleZz, ElementType::F16);
    assert_eq!(scale, "MxScalezZ: a scale has 8 bits, and f16 has 16");
    let none = refused(Tag::PaddingRowMajor { block_rows: 0, block_columns: 4 }, ElementType::F16);
    assert_eq!(none, "blocks of 0 by 4 elements cannot be");
}

#[track_caller]
fn check_batched(text: &str, batch: Int, expected: &str) {
    let layout: Layout = text.parse().unwrap();
    let batched = make_batched_layout(&layout, batch).unwrap();
    assert_eq!(batched.to_string(), expected);
    let (one, all) = [&layout, &batched].map(|l| IndexMap::from_tla(l).unwrap()).into();
    let expected: Vec<i64> = (0..batch.value())
        .flat_map(|number| {
            let start = number * one.allocation();
            one.offsets().unwrap().into_iter().map(move |offset| start + offset)
        })
        .collect();
    assert_eq!(all.offsets().unwrap(), expected, "{text}");
    assert_eq!(all.allocation(), batch.value() * one.allocation(), "{text}");
}

/// Each array lies where the one before ends, and is like it.
#[test]
fn batches() {
    let (three, fixed) = (Int::dynamic(3), Int::fixed(2));
    check_batched("(28,40):(40,1)", three, "(3,28,40):(1120,40,1)");
    check_batched("(_4,_8):(_8,_1)", fixed, "(_2,_4,_8):(_32,_8,_1)");
    check_batched("4:2", three, "(3,4):(7,2)");
    check_batched("9:1:5", fixed, "(_2,9):(9,1):(2,5)");
    check_batched(
        "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)",
        three,
        "(3,(_16,2),(_16,3)):(1536,(_16,_256),(_1,512)):(3,28,40)",
    );
    check_batched("(3,(_2,3)):(6,(_1,_2)):(3,5)", fixed, "(_2,3,(_2,3)):(18,6,(_1,_2)):(2,3,5)");
    let twice: Layout = "(2,3,4):(12,4,1)".parse().unwrap();
    check_batched("(2,3,4):(12,4,1)", three, "(3,2,3,4):(24,12,4,1)");
    let apart = prepend_dim(&twice, 5, Int::fixed(100)).unwrap();
    assert_eq!(apart.to_string(), "(5,2,3,4):(_100,12,4,1)");
    assert!(prepend_dim(&twice, -1, Int::fixed(100)).is_err());
    assert!(make_batched_layout(&"(2,3):(1@0,1@1)".parse().unwrap(), 2).is_err());
}
