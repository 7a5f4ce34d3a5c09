//! Tags: every layout that upstream gives, XLA's tilings, names, recognition.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use tilewright::tla::{FilterPosition, Int, IntTuple, Layout, Nested, Tag, tile_at};
use tilewright::{ElementType, Shape};

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn pair(row: i64, column: i64) -> IntTuple {
    IntTuple::dynamic(&[row, column])
}

/// The types with this many bits that Ascend's names mean.
fn types(width: &str) -> &'static [ElementType] {
    match width {
        "b8" => &[ElementType::S8, ElementType::U8, ElementType::Pred, ElementType::F8E8M0Fnu],
        "b16" | "half" => &[ElementType::F16, ElementType::Bf16, ElementType::S16],
        "b32" | "float" => &[ElementType::F32, ElementType::S32],
        _ => panic!("no types of {width}"),
    }
}

fn number(text: &str) -> i64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// The numbers in a text: `(2,3)@(4,5)` has 2, 3, 4 and 5.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).map(number).collect()
}

/// Upstream's own `GetOffset` of the tags `zZ` and `nN` gives where the fractal begins, and not
/// where the element is: the lines where that differs, with what is right.
const FRACTAL_STARTS: [(&str, i64); 12] = [
    ("tag b16 zZ 28 40", 1463),
    ("tag b16 nN 28 40", 1403),
    ("tag b16 zZ 100 100", 12339),
    ("tag b16 nN 100 100", 12339),
    ("tag b16 zZ 16 16", 255),
    ("tag b16 nN 16 16", 255),
    ("tag b16 zZ 6 10", 89),
    ("tag b16 nN 6 10", 149),
    ("tag b16 zZ 127 256", 32751),
    ("tag b16 nN 127 256", 32766),
    ("tag b16 zZ 128 64", 8191),
    ("tag b16 nN 128 64", 8191),
];

/// `b16 zN 28 40 LAYOUT off(r-1,c-1)=1463`, the offset missing for a vector.
fn check_made(line: &str) {
    let fields: Vec<&str> = line.split(' ').collect();
    let (rows, columns) = (number(fields[2]), number(fields[3]));
    for &element_type in types(fields[0]) {
        let tag: Tag = fields[1].parse().unwrap();
        let made = Layout::from_tag(tag, element_type, rows, columns).unwrap();
        assert_eq!(made.to_string(), fields[4], "{line}");
        assert_eq!(layout(fields[4]), made, "{line}");
        if let Some(offset) = fields.get(5).and_then(|field| field.split('=').nth(1)) {
            assert_eq!(
                made.offset(&pair(rows - 1, columns - 1)).unwrap(),
                number(offset),
                "{line}"
            );
        }
    }
}

/// `tag b16 zN 28 40 shape=(16,2,16,3) stride=(16,256,1,512) GetOffset(r-1,c-1)=1463`, or with
/// `PaddingRowMajor blk32x64` for the tag.
fn check_tag(line: &str) {
    let fields: Vec<&str> = line.split(' ').collect();
    let name = match fields[2].strip_prefix("blk") {
        Some(block) => format!("{}({})", fields[1], block.replace('x', ",")),
        None => fields[2].to_owned(),
    };
    let (rows, columns) = (number(fields[3]), number(fields[4]));
    let made = Layout::from_tag(name.parse().unwrap(), ElementType::F16, rows, columns).unwrap();
    let strides: Vec<i64> =
        made.stride().leaves().map(|stride| stride.elements().unwrap().value()).collect();
    assert_eq!(made.shape().values(), numbers(fields[5]), "{line}");
    assert_eq!(strides, numbers(fields[6]), "{line}");

    let upstream = number(fields[7].split('=').nth(1).unwrap());
    let offset = made.offset(&pair(rows - 1, columns - 1)).unwrap();
    match FRACTAL_STARTS.iter().find(|(start, _)| line.starts_with(&format!("{start} "))) {
        None => assert_eq!(offset, upstream, "{line}"),
        Some((_, right)) => {
            let start = pair((rows - 1) / 16 * 16, (columns - 1) / 16 * 16);
            assert_eq!((offset, made.offset(&start).unwrap()), (*right, upstream), "{line}");
        }
    }
}

/// `Fmap half (2,3,4,5): LAYOUT` and the other lines with a colon after what is made.
fn check_special(line: &str) {
    let (what, expected) = line.split_once(": ").unwrap();
    let n = numbers(what);
    let half = ElementType::F16;
    let matrix = |tag, element_type| Layout::from_tag(tag, element_type, n[0], n[1]).unwrap();
    let tile = |layout| tile_at(&layout, &pair(n[2], n[3]), &pair(n[4], n[5])).unwrap();
    let made = match what.split(' ').collect::<Vec<_>>()[..] {
        ["Fmap", ..] => Layout::fmap(half, n[0], n[1], n[2], n[3]).unwrap(),
        ["Filter", _, "GM", ..] => {
            Layout::filter(half, FilterPosition::GlobalMemory, n[0], n[1], n[2], n[3]).unwrap()
        }
        ["Filter", _, "L1", _] => {
            Layout::filter(half, FilterPosition::L1, n[1], n[2], n[3], n[4]).unwrap()
        }
        ["zN", ..] => tile(matrix(Tag::Zn, half)),
        ["RM", ..] => tile(matrix(Tag::RowMajor, ElementType::F32)),
        ["int", "coord", ..] => {
            let index = Nested::Leaf(Int::dynamic(n[2]));
            let offset = matrix(Tag::Zn, half).offset(&index).unwrap();
            return assert_eq!(offset, number(expected), "{line}");
        }
        _ => panic!("unknown line {line}"),
    };
    assert_eq!(made.to_string(), expected, "{line}");
}

#[test]
fn what_upstream_gives() {
    let text = support::text("tla-golden.txt");
    let mut counts = [0; 3];
    for line in text.lines() {
        let (kind, check): (usize, fn(&str)) = match line.split(' ').next() {
            Some("b8" | "b16" | "b32") => (0, check_made),
            Some("tag") => (1, check_tag),
            _ => (2, check_special),
        };
        counts[kind] += 1;
        check(line);
    }
    assert_eq!(counts, [168, 48, 6]);
}

#[track_caller]
fn check_xla(tag: &str, tiles: &str, element_type: ElementType, rows: i64, columns: i64) {
    let made = Layout::from_tag(tag.parse().unwrap(), element_type, rows, columns).unwrap();
    let text = format!("{}[{rows},{columns}]{tiles}", element_type.xla_name());
    let map = text.parse::<Shape>().unwrap().index_map().unwrap();
    for row in 0..rows {
        for column in 0..columns {
            let expected = map.offset(&[row, column]).unwrap();
            let offset = made.offset(&pair(row, column)).unwrap();
            assert_eq!(offset, expected, "{tag} and {text} at {row}, {column}");
        }
    }
    assert_eq!(made.cosize().unwrap().value(), map.allocation(), "{tag} and {text}");
}

/// Every fractal format is a tiling of XLA.
#[test]
fn tags_as_xla_tilings() {
    for (element_type, c0) in [(ElementType::S8, 32), (ElementType::F16, 16), (ElementType::F32, 8)]
    {
        for (rows, columns) in [(1, 1), (16, 32), (28, 40), (17, 33), (64, 7), (3, 70)] {
            for (tag, tiles) in [
                ("RowMajor", "{1,0}".to_owned()),
                ("ColumnMajor", "{0,1}".to_owned()),
                ("zZ", format!("{{1,0:T(16,{c0})}}")),
                ("nN", format!("{{0,1:T(16,{c0})}}")),
                ("zN", format!("{{0,1:T({c0},16)({c0},1)}}")),
                ("nZ", format!("{{1,0:T({c0},16)({c0},1)}}")),
                ("L0C", "{0,1:T(16,16)(16,1)}".to_owned()),
                ("PaddingRowMajor(5,12)", "{1,0:T(5,12)}".to_owned()),
                ("PaddingColumnMajor(5,12)", "{0,1:T(12,5)}".to_owned()),
            ] {
                check_xla(tag, &tiles, element_type, rows, columns);
            }
        }
    }
}

#[track_caller]
fn check_matrix(tag: &str, element_type: ElementType, rows: i64, columns: i64, expected: &str) {
    let made = Layout::from_tag(tag.parse().unwrap(), element_type, rows, columns).unwrap();
    assert_eq!(made.to_string(), expected, "{tag}");
}

#[test]
fn tags_that_upstream_printed_nothing_for() {
    let (scale, int4, fp4) = (ElementType::F8E8M0Fnu, ElementType::S4, ElementType::F4E2M1Fn);
    check_matrix("zN", int4, 28, 100, "((_16,2),(_64,2)):((_64,_1024),(_1,2048)):(28,100)");
    check_matrix("zN", ElementType::F64, 28, 5, "((_16,2),(_4,2)):((_4,_64),(_1,128)):(28,5)");
    check_matrix("nN", ElementType::F16, 28, 40, "((_16,2),(_16,3)):((_1,_256),(_16,512)):(28,40)");
    check_matrix("Weight4BitnZ", int4, 70, 40, "((_32,3),(_16,3)):((_1,1536),(_32,_512)):(70,40)");
    check_matrix("MxScalezZ", scale, 28, 5, "((_16,2),(_2,3)):((_2,96),(_1,_32)):(28,5)");
    check_matrix("MxScalenN", scale, 5, 28, "((_2,3),(_16,2)):((_1,_32),(_2,96)):(5,28)");
    check_matrix("MxScaleRowMajorA", scale, 28, 5, "(28,(_2,3)):(6,(_1,_2)):(28,5)");
    check_matrix("MxScaleColumnMajorA", scale, 28, 5, "(28,(_2,3)):(_2,(_1,56)):(28,5)");
    check_matrix("MxScaleRowMajorB", scale, 5, 28, "((_2,3),28):((_1,56),_2):(5,28)");
    check_matrix("MxScaleColumnMajorB", scale, 5, 28, "((_2,3),28):((_1,_2),6):(5,28)");
    check_matrix("RowMajor", fp4, 3, 5, "(3,5):(6,_1):(3,5)");
    check_matrix("ColumnMajor", fp4, 3, 5, "(3,5):(_1,4):(3,5)");
    check_matrix("RowMajor", int4, 3, 5, "(3,5):(5,_1):(3,5)");
    check_matrix(
        "PaddingRowMajor(32,64)",
        fp4,
        28,
        70,
        "((32,1),(64,2)):((64,4096),(1,2048)):(28,70)",
    );
    let deep = Layout::fmap_3d(ElementType::F16, 2, 3, 4, 5, 6).unwrap();
    assert_eq!(deep.to_string(), "(2,3,4,5,6,_16):(5760,1920,480,96,_16,_1):(2,3,4,5,6,16)");
    for (tag, element_type, rows) in [
        ("zN", ElementType::F6E3M2Fn, 4),
        ("MxScalezZ", ElementType::F16, 4),
        ("NC1HWC0", ElementType::F16, 4),
        ("zN", ElementType::F16, -1),
        ("zN", ElementType::F16, i64::MAX),
    ] {
        assert!(Layout::from_tag(tag.parse().unwrap(), element_type, rows, 4).is_err(), "{tag}");
    }
}

#[test]
fn names() {
    for tag in Tag::ALL {
        assert_eq!(tag.to_string().parse::<Tag>().unwrap(), tag);
        assert!(tag.aliases().iter().all(|alias| alias.parse() == Ok(tag)), "{tag}");
    }
    for (name, tag) in [
        ("FRACTAL_NZ", "zN"),
        ("NZ", "zN"),
        ("Zn", "nZ"),
        ("FRACTAL_ZZ", "zZ"),
        ("ND", "RowMajor"),
        ("Filter(L1)", "C1HWNC0(L1)"),
    ] {
        assert_eq!(name.parse::<Tag>().unwrap().to_string(), tag);
    }
    for wrong in ["", "nz", "zn", "PaddingRowMajor", "PaddingRowMajor(0,4)", "PaddingRowMajor(4)"] {
        assert!(wrong.parse::<Tag>().is_err(), "{wrong}");
    }
}

#[track_caller]
fn check_tag_of(text: &str, element_type: ElementType, expected: &str) {
    match layout(text).tag(element_type) {
        Ok(found) => assert_eq!(found.to_string(), expected, "{text}"),
        Err(reason) => assert_eq!(reason.to_string(), expected, "{text}"),
    }
}

#[test]
fn recognition() {
    let half = ElementType::F16;
    check_tag_of("(28,40):(40,1)", half, "RowMajor 28 x 40");
    check_tag_of("(28,40):(48,1)", half, "RowMajor 28 x 40 in 28 x 48");
    check_tag_of("(28,40):(1,28)", half, "ColumnMajor 28 x 40");
    check_tag_of("(1,1):(1,1)", half, "RowMajor 1 x 1");
    check_tag_of("(9):(1)", half, "VectorLayout 9");
    check_tag_of("((16,2),(16,3)):((16,256),(1,512))", half, "zN 32 x 48");
    check_tag_of("((16,2),(8,5)):((8,128),(1,256)):(28,40)", ElementType::F32, "zN 28 x 40");
    check_tag_of("((16,4),(16,3)):((16,256),(1,1024)):(28,40)", half, "zN 28 x 40 in 64 x 40");
    check_tag_of("((4,2),(4,3)):((4,48),(1,16)):(6,10)", half, "PaddingRowMajor(4,4) 6 x 10");
    check_tag_of("(2,3,4,5,16):(960,320,80,16,1)", half, "NC1HWC0 2 x 3 x 4 x 5");
    check_tag_of(
        "(2,3,3,32,16):(4608,1536,512,16,1):(2,3,3,20,16)",
        half,
        "C1HWNC0(L1) 2 x 3 x 3 x 20",
    );
    check_tag_of(
        "((4,2),(4,3)):((4,16),(1,32)):(6,10)",
        half,
        "no tag fits: the nearest, PaddingRowMajor(4,4) 6 x 10, has 48 for stride<0,1>, not 16",
    );
    check_tag_of(
        "(28,40):(2,1)",
        half,
        "no tag fits: the nearest, RowMajor 28 x 40, has 40 for stride<0>, not 2",
    );
    check_tag_of(
        "(4,8):(1@0,1@1)",
        half,
        "no tag fits: the nearest, RowMajor 4 x 8, has 8 for stride<0>, not 1@0",
    );
    check_tag_of("4:1", half, "no tag nests its modes like 4");
}
