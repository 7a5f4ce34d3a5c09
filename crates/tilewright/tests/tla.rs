//! TLA layouts: the document's figures, coordinates, text, tiles and tensors.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright::ElementType;
use tilewright::tla::{Int, IntTuple, Layout, Tag, Tensor, crd2idx, make_layout_tile, tile_at};

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn tuple(text: &str) -> IntTuple {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn pair(row: i64, column: i64) -> IntTuple {
    IntTuple::dynamic(&[row, column])
}

#[test]
fn the_documents_layouts() {
    let made = |shape: &str, stride: &str, org: &str| {
        let stride = layout(&format!("{shape}:{stride}")).stride().clone();
        Layout::new(tuple(shape), stride).unwrap().with_org_shape(tuple(org)).unwrap().to_string()
    };
    assert_eq!(made("(_2,4)", "(_12,_1)", "(_2,4)"), "(_2,4):(_12,_1):(_2,4)");
    let fractals = layout("((16,2),(16,3)):((16,256),(1,512))");
    assert_eq!(fractals.org_shape().unwrap(), tuple("(32,48)"));
    let like = fractals.with_org_shape(tuple("(28,40)")).unwrap();
    assert_eq!(like.to_string(), "((16,2),(16,3)):((16,256),(1,512)):(28,40)");
    let found = like.tag(ElementType::F16).unwrap();
    let again = Layout::from_tag(found.tag(), ElementType::F16, 28, 40).unwrap();
    assert_eq!(again.to_string(), "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)");
    assert_eq!(Layout::vector(Int::dynamic(7)).unwrap().to_string(), "(7):(_1):(7)");
    assert_eq!(
        (like.rank(), like.depth(), like.shape().get(&[1, 0]).unwrap()),
        (2, 2, &tuple("16"))
    );
}

/// The document's picture of the 6 × 10 array in 4 × 4 fractals, `x` for padding.
#[test]
fn the_documents_grid() {
    let rows = [
        "0 1 2 3 32 33 34 35 64 65 x x",
        "4 5 6 7 36 37 38 39 68 69 x x",
        "8 9 10 11 40 41 42 43 72 73 x x",
        "12 13 14 15 44 45 46 47 76 77 x x",
        "16 17 18 19 48 49 50 51 80 81 x x",
        "20 21 22 23 52 53 54 55 84 85 x x",
        "x x x x x x x x x x x x",
        "x x x x x x x x x x x x",
    ];
    let tensor = Tensor::new(layout("((4,2),(4,3)):((4,16),(1,32)):(6,10)"));
    let cell = |row, column| {
        let place = pair(row, column);
        let offset = tensor.offset(&place).unwrap().to_string();
        if tensor.contains(&place).unwrap() { offset } else { "x".to_owned() }
    };
    for (row, expected) in (0..).zip(rows) {
        let cells: Vec<String> = (0..12).map(|column| cell(row, column)).collect();
        assert_eq!(cells.join(" "), expected);
    }
}

#[track_caller]
fn check_offset(text: &str, coordinate: &str, offset: i64) {
    let layout = layout(text);
    let stride = crd2idx(&tuple(coordinate), layout.shape(), layout.stride()).unwrap();
    assert_eq!(stride.elements().unwrap().value(), offset, "{text} at {coordinate}");
}

#[test]
fn coordinates() {
    let doc = "((_4,_2),(_4,_3)):((_4,_16),(_1,_32))";
    for coordinate in ["(1,5)", "(1,(1,1))", "((1,0),(1,1))", "((1,0),5)", "41"] {
        check_offset(doc, coordinate, 37);
    }
    check_offset("(2,3):(3,1)", "(1,2)", 5);
    check_offset("(2,3):(1,2)", "(1,2)", 5);
    let (zn, nz) = ("((2,2),(2,3)):((2,4),(1,8))", "((2,2),(2,3)):((1,12),(2,4))");
    for (coordinate, in_zn, in_nz) in
        [("(0,2)", 8, 4), ("(1,0)", 2, 1), ("(2,0)", 4, 12), ("(3,0)", 6, 13), ("(1,2)", 10, 5)]
    {
        check_offset(zn, coordinate, in_zn);
        check_offset(nz, coordinate, in_nz);
    }
    check_offset("(4,8):(1,4)", "(5,9)", 41); // nothing is checked against the shape
    check_offset("(2,(3,4)):(12,(4,1))", "(1,(2,3))", 23); // 12 + 8 + 3
    check_offset("4:-2", "3", -6);
    check_offset("(4,3):(0,1)", "(3,2)", 2);
    check_offset("():()", "()", 0);
    let steps = layout("(4,8):(1@0,2@1)").at(&tuple("(3,5)")).unwrap();
    assert_eq!(steps.to_string(), "3@0+10@1");
    assert!(layout("(4,8):(1@0,1)").at(&tuple("(3,5)")).is_err());
    assert!(layout("(4,8):(1,4)").at(&tuple("(1,2,3)")).is_err());
    assert!(layout("(0,8):(1,4)").at(&tuple("3")).is_err());
}

#[track_caller]
fn check_text(text: &str, printed: &str) {
    let read = layout(text);
    assert_eq!(read.to_string(), printed, "{text}");
    assert_eq!(layout(printed), read, "{text}");
}

#[test]
fn text() {
    for same in ["4:1", "(4):(1)", "():()", "((4)):((1))", "(4,3):(-1,0)", "(4,8):(1@0,1@1)"] {
        check_text(same, same);
    }
    check_text("(4, 8) : (1, 4)", "(4,8):(1,4)");
    check_text(
        " ( (_16 , 2), 3 ):( ( _16,_-256 ),1) : ( 28 , 3 ) ",
        "((_16,2),3):((_16,_-256),1):(28,3)",
    );
    check_text("(2,2):(_2@1@0,1@0)", "(2,2):(_2@1@0,1@0)");
    check_text("(4,):(1)", "(4):(1)");
    assert_ne!(layout("(4):(1)"), layout("4:1"));
    assert_ne!(layout("_4:1"), layout("4:1"));
    for wrong in ["", "4", "4:", "(4:1)", "(4,,):(1)", "(4):1", "4:1 x", "-4:1", "4:1:5", "__4:1"] {
        assert!(wrong.parse::<Layout>().is_err(), "{wrong}");
    }
}

#[track_caller]
fn check_tile(text: &str, shape: &str, at: &str, window: &str, cropped: &str) {
    let (layout, shape, at) = (layout(text), tuple(shape), tuple(at));
    assert_eq!(make_layout_tile(&layout, &shape).unwrap().to_string(), window, "{text}");
    assert_eq!(tile_at(&layout, &shape, &at).unwrap().to_string(), cropped, "{text}");
}

#[test]
fn tiles() {
    let doc = "((_4,_2),(_4,_3)):((_4,_16),(_1,_32))";
    let one = "((_4,1),(_4,1)):((_4,_16),(_1,_32))";
    check_tile(doc, "(2,2)", "(0,0)", &format!("{one}:(2,2)"), &format!("{one}:(2,2)"));
    check_tile(doc, "(4,4)", "(6,10)", &format!("{one}:(4,4)"), &format!("{one}:(2,2)"));
    check_tile(doc, "(4,4)", "(9,0)", &format!("{one}:(4,4)"), &format!("{one}:(0,4)"));
    check_tile(
        "(8,_16):(_16,_1)",
        "(4,8)",
        "(6,10)",
        "(4,8):(_16,_1):(4,8)",
        "(4,8):(_16,_1):(2,6)",
    );
    check_tile("8:3", "4", "6", "4:3:4", "4:3:2");
    // Mixed depth, as of MX scales, and three parts in a mode: only the last one changes.
    let scales = "(6,(_2,5)):(10,(_1,_2)):(6,9)";
    let cut = "(4,(_2,2)):(10,(_1,_2))";
    check_tile(scales, "(4,3)", "(3,8)", &format!("{cut}:(4,3)"), &format!("{cut}:(3,1)"));
    check_tile(
        "((2,4,4)):((1,256,3072))",
        "(9)",
        "(24)",
        "((2,4,2)):((1,256,3072)):(9)",
        "((2,4,2)):((1,256,3072)):(8)",
    );
    let matrix = layout(doc);
    for (shape, at) in [
        ("(2)", "(0,0)"),
        ("(2,-1)", "(0,0)"),
        ("((1,1),2)", "(0,0)"),
        ("(2,2)", "(0,-1)"),
        ("(2,2)", "(0,0,0)"),
    ] {
        assert!(tile_at(&matrix, &tuple(shape), &tuple(at)).is_err(), "{shape} at {at}");
    }
    assert!(make_layout_tile(&layout("((0,2)):((1,1))"), &tuple("(1)")).is_err());
}

#[test]
fn tensors() {
    let matrix = Tensor::new(Layout::from_tag(Tag::RowMajor, ElementType::F32, 8, 16).unwrap());
    let part = matrix.tile(&tuple("(1,5)"), &tuple("(7,11)")).unwrap();
    let part = part.tile(&tuple("(2,4)"), &tuple("(2,4)")).unwrap();
    assert_eq!(part.coord().values(), [3, 9]);
    assert_eq!(part.offset(&tuple("(1,1)")).unwrap(), 4 * 16 + 10);
    let all = part.slice(&[Some(Int::dynamic(1)), Some(Int::dynamic(1))]).unwrap();
    assert_eq!(all.offset(&tuple("()")).unwrap(), 4 * 16 + 10);
    assert!(part.slice(&[None]).is_err() && part.offset(&tuple("(1,1,1)")).is_err());
}
