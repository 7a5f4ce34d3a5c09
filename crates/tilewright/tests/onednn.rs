//! oneDNN tags: against oneDNN itself, against the definition, there and back.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use proptest::prelude::*;
use tilewright::map::Notation;
use tilewright::onednn::{Block, MAX_BLOCKS, Tag, TaggedArray};
use tilewright::text::Diagnostic;
use tilewright::{ArrayShape, ElementType, IndexMap, Permutation};

fn tag(text: &str) -> Tag {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The frozen rows of a kind, that column left out.
fn frozen(kind: &str) -> Vec<Vec<String>> {
    let rows = support::rows("onednn.tsv").into_iter().filter(|row| row[0] == kind);
    let rows: Vec<Vec<String>> = rows.map(|row| row[1..].to_vec()).collect();
    assert!(rows.len() > 400, "{} rows of {kind}", rows.len());
    rows
}

fn numbers(list: &str) -> Vec<i64> {
    list.split(',').map(|number| number.parse().unwrap()).collect()
}

/// Every tag of oneDNN's header prints as it is written.
#[test]
fn the_headers_tags() {
    for row in frozen("tag") {
        assert_eq!(tag(&row[0]).to_string(), row[0]);
    }
}

/// Every name of oneDNN's header means the tag that it has there.
#[test]
fn the_headers_names() {
    for row in frozen("alias") {
        assert_eq!(tag(&row[0]).to_string(), row[1], "{}", row[0]);
    }
}

/// Names of kinds that came with oneDNN 3; the tags are those of its header.
#[test]
fn later_names() {
    #[track_caller]
    fn check(name: &str, meant: &str) {
        assert_eq!(tag(name).to_string(), meant, "{name}");
    }
    check("hwoi", "cdab");
    check("IhwO16o32i4o", "BcdA16a32b4a");
    check("gIdhwO8i4o", "aCdefB8c4b");
    check("dhwioG16g", "defcbA16a");
    check("goIdhw4i", "abCdef4c");
    check("ldgOI16o4i", "abdEC16e4c");
    check("OhwI24o", "Acdb24a");
    check("gOhwI24o", "aBdec24b");
}

/// oneDNN's own memory: padded dims, size, and where its reorder puts each element.
#[test]
fn onednns_memory() {
    for row in frozen("memory") {
        let [tag, dims, padded, elements, checksum, probes] = &row[..] else { panic!("{row:?}") };
        let (tag, dims) = (self::tag(tag), numbers(dims));
        let map = tag.index_map(&dims).unwrap();
        assert_eq!(padded_by(&map, &tag), numbers(padded), "{tag} of {dims:?}");
        assert_eq!(map.allocation().to_string(), *elements, "{tag} of {dims:?}");
        assert_eq!(map.padded_elements(), map.allocation());
        let offsets = map.offsets().unwrap();
        for probe in probes.split(',').filter(|probe| !probe.is_empty()) {
            let (element, offset) = probe.split_once(':').unwrap();
            let found = offsets[element.parse::<usize>().unwrap()];
            assert_eq!(found.to_string(), offset, "element {element} of {tag} of {dims:?}");
        }
        assert_eq!(format!("{:x}", checksum_of(&offsets)), *checksum, "{tag} of {dims:?}");
    }
}

/// The padded dims that physical dims come to: of each dimension, what is outside its blocks times
/// its blocks.
fn padded_by(map: &IndexMap, tag: &Tag) -> Vec<i64> {
    let mut padded = vec![1; tag.rank()];
    let blocks = tag.blocks().iter().map(|block| &block.dim);
    for (&dim, &size) in tag.major_to_minor().iter().chain(blocks).zip(map.physical_dims()) {
        padded[dim] *= size;
    }
    padded
}

/// The frozen rows' checksum over all offsets.
fn checksum_of(offsets: &[i64]) -> u64 {
    offsets.iter().fold(0, |sum: u64, &offset| {
        sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(offset.cast_unsigned() + 1)
    })
}

/// What is lifted from oneDNN's memory is a tag of the same map.
#[test]
fn onednns_memory_and_back() {
    for row in frozen("memory") {
        let map = tag(&row[0]).index_map(&numbers(&row[1])).unwrap();
        if map.elements() > 0 {
            check_there_and_back(&map, &row.join(" "));
        }
    }
}

#[track_caller]
fn check_there_and_back(map: &IndexMap, context: &str) {
    let text = map.to_notation(Notation::OneDnn, 32).unwrap_or_else(|e| panic!("{context}: {e}"));
    let back = tag(&text).index_map(map.dims()).unwrap();
    assert!(back.same_as(map).unwrap(), "{context} came back as {text}");
    assert_eq!(tag(&text).to_string(), text);
}

/// With several whole blocks of everything the map shows every letter, and the very tag comes back;
/// but blocks right behind their own dimension are no blocks.
#[test]
fn whole_blocks_come_back_as_they_were() {
    let mut n_blocked = 0;
    for row in frozen("tag") {
        let tag = tag(&row[0]);
        let mut dims = vec![3; tag.rank()];
        tag.blocks().iter().for_each(|block| dims[block.dim] *= block.size);
        let innermost = tag.major_to_minor().last();
        if tag.blocks().first().is_some_and(|block| Some(&block.dim) == innermost) {
            continue;
        }
        n_blocked += usize::from(!tag.blocks().is_empty());
        assert_eq!(tag.index_map(&dims).unwrap().to_onednn().unwrap(), tag);
    }
    assert!(n_blocked > 300, "{n_blocked}");
    let lifted = tag("aB16b").index_map(&[2, 48]).unwrap().to_onednn().unwrap();
    assert_eq!(lifted.to_string(), "ab");
}

/// The XLA tilings that blocked formats are, and a plain permutation.
#[test]
fn as_xla_tiles() {
    #[track_caller]
    fn check(tagged: &str, xla: &str) {
        let tagged: TaggedArray = tagged.parse().unwrap_or_else(|error| panic!("{error}"));
        let tiled = map(xla);
        assert!(tagged.index_map().unwrap().same_as(&tiled).unwrap(), "{tagged} and {xla}");
    }
    check("f32[2,35,7,7] aBcd16b", "f32[2,35,7,7]{3,2,1,0:T(1,16,1,1)}");
    check("f32[40,35,3,3] OIhw4i16o4i", "f32[40,35,3,3]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}");
    check("bf16[40,35,3,3] ABcd8b16a2b", "bf16[40,35,3,3]{3,2,1,0:T(16,16,1,1)(16,2,1,1)}");
    check("f32[70,90] BA16a16b2a", "f32[70,90]{0,1:T(16,32)(16,2)}");
    check("f32[2,3,4,5] nhwc", "f32[2,3,4,5]{1,3,2,0}");
    check("f32[7] x", "f32[7]");
}

/// Worked by hand: `AB2a3b2a` of 5 × 4. `a` is 2 blocks of 4, `b` 2 of 3; block (1,0) begins at
/// 2 * 12, and index (4,2) is at places 0, 2 and 0 in it.
#[test]
fn by_hand() {
    let map = tag("AB2a3b2a").index_map(&[5, 4]).unwrap();
    assert_eq!(map.physical_dims(), [2, 2, 2, 3, 2]);
    assert_eq!((map.elements(), map.allocation()), (20, 48));
    assert_eq!(map.offset(&[4, 2]).unwrap(), 24 + 2 * 2);
    assert_eq!(map.offset(&[3, 3]).unwrap(), 12 + 6 + 1);
    assert_eq!(map.index(12 + 6 + 1).unwrap(), Some(vec![3, 3]));
    assert_eq!(map.index(14).unwrap(), None); // index 4 along `b`
}

fn tags() -> impl Strategy<Value = Tag> {
    (1usize..=5)
        .prop_flat_map(|rank| {
            let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
            let size = prop_oneof![1i64..=8, Just(16)];
            let block = (size, 0..rank).prop_map(|(size, dim)| Block { size, dim });
            (order, proptest::collection::vec(block, 0..=5))
        })
        .prop_map(|(order, blocks)| Tag::new(Permutation::new(order).unwrap(), blocks).unwrap())
}

fn tags_and_dims() -> impl Strategy<Value = (Tag, Vec<i64>)> {
    tags()
        .prop_flat_map(|tag| {
            let rank = tag.rank();
            (Just(tag), proptest::collection::vec(prop_oneof![1i64..=4, 1i64..=40], rank))
        })
        .prop_filter("few elements", |(tag, dims)| {
            tag.index_map(dims).is_ok_and(|map| map.allocation() < 100_000)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Lowering is oneDNN's rule for blocked memory, evaluated naively; text and lifting go back.
    #[test]
    fn lowering_is_the_definition((tag, dims) in tags_and_dims()) {
        let map = tag.index_map(&dims).unwrap();
        let offsets = map.offsets().unwrap();
        prop_assert_eq!(&offsets, &support::onednn_offsets(&tag.to_string(), &dims));
        prop_assert!(map.is_separable());
        prop_assert_eq!(tag.to_string().parse::<Tag>().unwrap(), tag.clone());
        check_there_and_back(&map, &format!("{tag} of {dims:?}"));
    }

    /// Any text is read or refused, and what is read is printed and read again.
    #[test]
    fn any_text(text in "[a-oA-Wx]{0,6}([0-9]{0,3}[a-zA-Z_]?){0,4}") {
        if let Ok(tag) = text.parse::<Tag>() {
            prop_assert_eq!(tag.to_string().parse::<Tag>().unwrap(), tag);
        }
        for whole in [
            format!("f32[2,3] {text}"),
            format!("{text}::blocked:ab::f0 2x3"),
            format!("src:f32:{text}:blocked:ab::f0 2x3"),
            format!("src:f32::{text}:ab::f0 2x3"),
            format!("src:f32::blocked:{text}::f0 2x3"),
            format!("src:f32::blocked:ab:{text}:f0 2x3"),
            format!("src:f32::blocked:ab:: {text}x{text}"),
        ] {
            if let Ok(array) = whole.parse::<TaggedArray>() {
                prop_assert_eq!(array.to_string().parse::<TaggedArray>().unwrap(), array);
            }
        }
    }
}

/// The map of a text in XLA's notation or in TLA's.
fn map(text: &str) -> IndexMap {
    match text.parse::<ArrayShape>() {
        Ok(shape) => shape.index_map().unwrap(),
        Err(_) => IndexMap::from_tla(&text.parse().unwrap_or_else(|e| panic!("{e}"))).unwrap(),
    }
}

/// What is not an array in blocks is no tag.
#[test]
fn lifting_is_refused() {
    #[track_caller]
    fn check(text: &str, reason: &str) {
        let refusal = map(text).to_onednn().unwrap_err().to_string();
        assert!(refusal.contains(reason), "{text}: {refusal}");
    }
    check("((4,2)):((1,0))", "share their place");
    check("(3,5):(0,1)", "share their place");
    check("(3,5):(-5,1)", "not at the lowest offset");
    check("((2,3),4):((12,1),3)", "another order");
    check("(3,5):(5,2)", "does not divide");
    check("(3,4):(8,2)", "does not divide");
    // Padding inside, and no dimension left that could be blocked there.
    check("f32[6]{0:T(2)(4)}", "room for 2");
    check("f32[6]{0:T(2)(3)}", "room for 3 pieces of dimension 0, which are 2");
    check("f32[4,6]{1,0:T(2)(4)}", "room for 2");
}

/// Room between elements is a block of a dimension that is never above 0 there.
#[test]
fn room_is_a_block() {
    #[track_caller]
    fn check(text: &str, tag: &str) {
        let map = map(text);
        assert_eq!(map.to_onednn().unwrap().to_string(), tag, "{text}");
        check_there_and_back(&map, text);
    }
    check("f32[1,6]{1,0:T(2)(4)}", "AB2a2b");
    check("f32[1]{0:T(16)}", "A16a");
    check("f32[5]{0:L(8)}", "A8a");
    for (tag, dims) in [("AB8a4b", [5, 4]), ("AB8b16a2b", [20, 1]), ("AB4b16a4b", [3, 3])] {
        check_there_and_back(&self::tag(tag).index_map(&dims).unwrap(), tag);
    }
}

#[test]
fn arrays() {
    #[track_caller]
    fn check(text: &str, printed: &str, bytes: i64) {
        let array: TaggedArray = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(array.to_string(), printed, "{text}");
        assert_eq!(printed.parse::<TaggedArray>().unwrap(), array);
        assert_eq!(array.bytes().unwrap(), bytes, "{text}");
    }
    check("f32[2,35,7,7] aBcd16b", "f32[2,35,7,7] aBcd16b", 2 * 48 * 49 * 4);
    check(" F32[2, 35,7,7]\tnChw16c ", "f32[2,35,7,7] aBcd16b", 2 * 48 * 49 * 4);
    check("s4[3,5] ab", "s4[3,5] ab", 8); // packed: 15 halves of a byte
    check("pred[3,5] ba", "pred[3,5] ba", 15);
    check("f32[0,5] ab", "f32[0,5] ab", 0);
}

/// Lines that oneDNN 2.6 and 3 print, and their pieces.
#[test]
fn verbose_lines() {
    #[track_caller]
    fn check(text: &str, printed: &str) {
        let array: TaggedArray = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(array.to_string(), printed, "{text}");
    }
    let blocked = "f32[2,35,7,7] aBcd16b";
    check("dst_f32:p:blocked:aBcd16b:f0 2x35x7x7", blocked);
    check("f32::blocked:aBcd16b::f0 2x35x7x7", blocked);
    check("dst:f32:p:blocked:aBcd16b::f0 2x35x7x7", blocked);
    check("diff_src:f32:ap:blocked:aBcd16b::f0  2x35x7x7 ", blocked);
    check("f32::blocked:aBcd16b 2x35x7x7", blocked);
    check("src_f32::blocked:abcd:f0 2x35x7x7", "f32[2,35,7,7] abcd");
    check("dst_f32:p:blocked:aBCde4c16b4c:f0 2x33x20x3x3", "f32[2,33,20,3,3] aBCde4c16b4c");
    for (name, element_type) in [
        ("f64", ElementType::F64),
        ("bf16", ElementType::Bf16),
        ("f16", ElementType::F16),
        ("s32", ElementType::S32),
        ("s8", ElementType::S8),
        ("u8", ElementType::U8),
        ("s4", ElementType::S4),
        ("u4", ElementType::U4),
        ("f8_e5m2", ElementType::F8E5M2),
        ("f8_e4m3", ElementType::F8E4M3Fn),
        ("e8m0", ElementType::F8E8M0Fnu),
        ("f4_e2m1", ElementType::F4E2M1Fn),
        ("boolean", ElementType::Pred),
    ] {
        for text in [format!("{name}::"), format!("wei:{name}::"), format!("wei_{name}::")] {
            check(&format!("{text}blocked:ba::f0 4x3"), &format!("{element_type}[4,3] ba"));
        }
    }
}

/// The text is refused with this message, pointing at these characters.
#[track_caller]
fn check_refused<T>(read: Result<T, Diagnostic>, text: &str, message: &str, place: &str) {
    let Err(error) = read else { panic!("{text} is read") };
    assert_eq!(error.message(), message, "{text}");
    assert_eq!(error.source_text(), text);
    let span = error.span();
    assert_eq!(text.get(span.start..span.end).unwrap_or(""), place, "{text}");
}

#[test]
fn bad_tags() {
    #[track_caller]
    fn check(text: &str, message: &str, place: &str) {
        check_refused(text.parse::<Tag>(), text, message, place);
    }
    check("", "unexpected the end", "");
    check("16b", "unexpected `16`", "16");
    check("_a", "a tag begins with its dimensions", "_");
    check("any", "`any` leaves the layout open", "any");
    check("abca", "dimension `a` is listed twice", "a");
    check("abA8a", "dimension `a` is listed twice", "A");
    check("acd", "dimension `b` is missing", "acd");
    check("bc", "dimension `a` is missing", "bc");
    check("nchq", "`q` is the letter of no dimension", "q");
    check("nch", "no array of oneDNN has the dimensions `nch`", "nch");
    check("aoi", "no array of oneDNN has the dimensions `aoi`", "aoi");
    check("aBcd16", "a block ends with its dimension", "");
    check("aBcd16b8", "a block ends with its dimension", "");
    check("aBcd16bb", "a block begins with its size", "b");
    check("aBcd.b", "a block begins with its size", ".");
    check("aBcd0b", "a block has no elements", "0");
    check("aBcd16B", "the dimension of a block is not `B`", "B");
    check("aBcd16e", "the tag has no dimension `e`", "e");
    check("nChw16b", "the tag has no dimension `b`", "b");
    check("abcd16b", "dimension `b` has blocks, and no capital", "b");
    check("aBCd16b", "dimension `c` has a capital, and no blocks", "C");
    check("aB99999999999999999999b", "the number does not fit in 64 bits", "99999999999999999999");
    let product = "aB9223372036854775807b2b";
    check(product, "the size of all blocks does not fit in 64 bits", product);
    let long = format!("aB{}", "1b".repeat(MAX_BLOCKS + 1));
    check(&long, "a tag has at most 12 blocks", "1b");
    check("ab cd", "extra content after the tag", "cd");
    assert_eq!("abcd16b".parse::<Tag>().unwrap_err().expectation(), Some("`B`"));
    assert!("a".repeat((1 << 20) + 1).parse::<Tag>().is_err());
}

#[test]
fn bad_arrays() {
    #[track_caller]
    fn check(text: &str, message: &str, place: &str) {
        check_refused(text.parse::<TaggedArray>(), text, message, place);
    }
    check("f32[2,3] abc", "the tag has 3 dimensions, and the array has 2", "abc");
    check("f32[2,3] aBb", "dimension `b` is listed twice", "b");
    check("f32[2,3]", "unexpected the end", "");
    check("f32[2,3]{1,0} ab", "unexpected `{`", "{");
    check("f33[2,3] ab", "unknown element type `f33`", "f33");
    check("f32[<=2,3] ab", "a dimension is dynamic", "[<=2,3]");
    check("f32 ab", "unexpected `ab`", "ab");
    check("src_i8::blocked:ab::f0 2x3", "unknown element type `src_i8`", "src_i8");
    check("src:i8::blocked:ab::f0 2x3", "unknown element type `i8`", "i8");
    check("f32:0:blocked:ab::f0 2x3", "the array does not begin at offset 0", "0");
    check("f32:po:blocked:ab::f0 2x3", "there is padding before the elements", "po");
    check("f32:z:blocked:ab::f0 2x3", "unknown flag `z`", "z");
    check("f32::wino:ab::f0 2x3", "memory of the kind `wino` has no tag", "wino");
    check("f32::blocked:aBc::f0 2x3", "dimension `b` has a capital, and no blocks", "B");
    check("f32::blocked:ab:10x1:f0 2x3", "the strides 10x1 are not the tag's own", "10x1");
    check("s8::blocked:ab::f1:s8m1 2x3", "memory holds more than the elements", "f1");
    check("f32::blocked:ab::f0 2x3x4", "the tag has 2 dimensions, and the array has 3", "2x3x4");
    check("f32::blocked:ab::f0 mb2ic3", "`mb2ic3` is not a size", "mb2ic3");
    check("f32::blocked:ab::f0 2x*", "`*` is not a size", "*");
    check("f32::blocked:ab::f0 2x", "`` is not a size", "");
    check(
        "f32::blocked:ab::f0 2247984104x2247984104",
        "the size in bytes does not fit in 64 bits",
        "2247984104x2247984104",
    );
    check("f32::blocked:ab::f0", "the dimensions are missing", "");
    let two = "src:f32::blocked:ab::f0 dst:f32::blocked:ba::f0 2x3";
    check(two, "extra content after the dimensions", "2x3");
    check("f32: 2x3", "the kind of format is missing", "");
}

/// Nothing overflows silently, and nothing panics.
#[test]
fn limits() {
    let big = i64::MAX;
    assert!(tag("aB16b").index_map(&[1, big]).unwrap_err().is_overflow());
    assert!(tag("ab").index_map(&[big, 2]).unwrap_err().is_overflow());
    assert!(tag("ab").index_map(&[2]).unwrap_err().is_rank_mismatch());
    assert!(tag("ab").index_map(&[2, -1]).is_err());
    assert_eq!(tag("aB16b").index_map(&[1, big / 16 * 16]).unwrap().allocation(), big / 16 * 16);
    let rank = |n: usize| Tag::new(Permutation::identity(n), Vec::new());
    assert!(rank(0).is_err() && rank(12).is_ok() && rank(13).is_err());
    let block = |size, dim| Tag::new(Permutation::identity(2), vec![Block { size, dim }]);
    assert!(block(1, 1).is_ok() && block(0, 1).is_err() && block(1, 2).is_err());
    let halves = vec![Block { size: 1 << 32, dim: 0 }; 2];
    assert!(Tag::new(Permutation::identity(2), halves).unwrap_err().is_overflow());
}
