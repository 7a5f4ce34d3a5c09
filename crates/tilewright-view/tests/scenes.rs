//! What scenes show is what the map says.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tilewright::notation::Described;
use tilewright_view::{
    Cell, Coloring, Direction, Grid, Kind, Mark, Options, Panel, Room, Scene, Strip, Theme,
};

/// Layouts of every notation, small and large, with padding at the ends and elsewhere.
const LAYOUTS: &[&str] = &[
    "f32[3,5]{1,0:T(2,2)}",
    "f32[3,5]{0,1:T(2,2)}",
    "bf16[30,300]{1,0:T(8,128)(2,1)}",
    "bf16[9,128]{1,0:T(8,128)(2,1,1,1)}",
    "f32[4096,4097]{1,0:T(8,128)}",
    "s4[6,10]{1,0:T(2,4)E(4)}",
    "pred[40,7]{1,0:T(32,128)(32,1)E(1)}",
    "f32[]{:T(128)}",
    "f32[300]{0:T(1024)}",
    "f32[0,5]{1,0:T(2,2)}",
    "f32[3,4,5]{2,1,0:T(*,7)}",
    "f32[4,3,6,10]{3,2,1,0:T(2,4)}",
    "f32[2,3,4,5,6]{4,3,2,1,0}",
    "f32[5]{0:T(4)L(16)}",
    "f16 ((16,2),(16,3)):((16,256),(1,512)):(28,40)",
    "Sw<3,0,3> o 0 o (8,8):(8,1)",
    "(4,(2,2)):(1,(0,4))",
    "(4,4):(-4,1)",
    "f32[2,35,7,7] aBcd16b",
    "f32[3,5] strides=(20,4)",
];

fn scene(text: &str, options: &Options) -> Scene {
    Scene::of(text.parse().unwrap(), options).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn panels(scene: &Scene) -> impl Iterator<Item = &Panel> {
    scene.rows.iter().flatten()
}

fn grids(scene: &Scene) -> Vec<&Grid> {
    panels(scene)
        .filter_map(|panel| if let Panel::Grid(grid) = panel { Some(grid) } else { None })
        .collect()
}

fn strips(scene: &Scene) -> Vec<&Strip> {
    panels(scene)
        .filter_map(|panel| if let Panel::Strip(strip) = panel { Some(strip) } else { None })
        .collect()
}

/// A cell says of its place what the map says.
fn check(text: &str, cell: &Cell) {
    let map = text.parse::<Described>().unwrap().index_map().unwrap();
    match (cell.kind, cell.offset) {
        (Kind::Element | Kind::Repeat, Some(offset)) => {
            assert_eq!(map.offset(&cell.index).unwrap(), offset, "{text} {cell:?}");
        }
        (Kind::Padding, Some(offset)) => {
            assert_eq!(map.index(offset).unwrap(), None, "{text} {cell:?}");
            assert!(
                map.offset(&cell.index).is_err() || cell.index.is_empty() && map.dims().is_empty()
            );
        }
        (Kind::Gap, None) => assert!(cell.label.is_empty()),
        _ => panic!("{text} {cell:?}"),
    }
}

#[test]
fn every_cell_is_where_the_map_has_it() {
    for text in LAYOUTS {
        for direction in [Direction::Offsets, Direction::Memory] {
            let scene = scene(text, &Options { direction, ..Options::default() });
            let cells = grids(&scene).into_iter().flat_map(|grid| &grid.cells);
            let strips = strips(&scene).into_iter().flat_map(|strip| &strip.cells);
            cells.chain(strips).for_each(|cell| check(text, cell));
        }
    }
}

#[test]
fn offsets_are_written_in_their_cells() {
    for text in LAYOUTS {
        let options = Options { padding_numbers: true, ..Options::default() };
        let scene = scene(text, &options);
        for grid in grids(&scene).into_iter().filter(|grid| grid.caption != "the array") {
            for cell in grid.cells.iter().filter(|cell| cell.kind != Kind::Gap) {
                assert_eq!(Some(cell.label.clone()), cell.offset.map(|n| n.to_string()), "{text}");
            }
        }
    }
}

/// As the document has it: XLA, *Tiled layout*, Figure 1.
#[test]
fn memory_of_the_documents_figure() {
    let scene = scene("f32[3,5]{1,0:T(2,2)}", &Options::default());
    let [strip] = strips(&scene)[..] else { panic!("one strip") };
    let memory: String = strip
        .cells
        .iter()
        .map(|cell| if cell.label.is_empty() { "." } else { &cell.label })
        .collect();
    assert_eq!(memory, "abfgcdhie.j.kl..mn..o...");
    assert!(scene.subtitle.ends_with("96 bytes, 36 of them padding (37.5 %)"));
}

#[test]
fn what_is_pointed_at_stands_out_everywhere() {
    let options = Options { at: Some(vec![2, 3]), ..Options::default() };
    let scene = scene("f32[3,5]{1,0:T(2,2)}", &options);
    let marked = |cells: &[Cell]| -> Vec<Vec<i64>> {
        cells.iter().filter(|cell| cell.mark == Mark::At).map(|cell| cell.index.clone()).collect()
    };
    for grid in grids(&scene) {
        assert_eq!(marked(&grid.cells), [[2, 3]]);
    }
    assert_eq!(marked(&strips(&scene)[0].cells), [[2, 3]]);
    assert_eq!(strips(&scene)[0].note, "offset 17 = byte 68");
    let words = panels(&scene)
        .filter_map(|panel| if let Panel::Words(w) = panel { Some(&w.text) } else { None });
    let sum = "(2,3) ↦ (2 div 2)·12 + (3 div 2)·4 + (2 mod 2)·2 + (3 mod 2) = 12 + 4 + 0 + 1 = 17";
    assert!(words.into_iter().any(|text| text == sum));
    let outside = Options { at: Some(vec![3, 3]), ..Options::default() };
    assert!(Scene::of("f32[3,5]{1,0:T(2,2)}".parse().unwrap(), &outside).is_err());
}

#[test]
fn colours_by_what_was_asked_for() {
    let fills = |text: &str, coloring: Coloring| -> Vec<String> {
        let scene = scene(text, &Options { coloring, ..Options::default() });
        let grid = *grids(&scene).last().unwrap();
        grid.cells.iter().map(|cell| format!("{:?}", cell.fill)).collect()
    };
    // A swizzle has each bank in each row and in each column once.
    let banks = fills("Sw<3,0,3> o 0 o (8,8):(8,1)", Coloring::Bank { banks: 8, bytes: 1 });
    for line in 0..8 {
        let row: std::collections::HashSet<_> = (0..8).map(|i| &banks[line * 8 + i]).collect();
        let column: std::collections::HashSet<_> = (0..8).map(|i| &banks[i * 8 + line]).collect();
        assert_eq!((row.len(), column.len()), (8, 8));
    }
    let lines = fills("f32[1,20]", Coloring::Line(64));
    assert_eq!((&lines[0], &lines[15], lines[16] == lines[15]), (&lines[1], &lines[14], false));
    let dims = fills("f32[3,5]", Coloring::Dim(1));
    assert_eq!((&dims[0], dims[1] == dims[0]), (&dims[5], false));
    let modulo = fills("f32[3,5]", Coloring::Offset(2));
    assert_eq!((&modulo[0], &modulo[1]), (&modulo[2], &modulo[3]));
    let tiles = fills("f32[4,4]{1,0:T(2,2)}", Coloring::Tile);
    assert_eq!(tiles.iter().collect::<std::collections::HashSet<_>>().len(), 4);
    let wrong = Options { coloring: Coloring::Dim(2), ..Options::default() };
    assert!(Scene::of("f32[3,5]".parse().unwrap(), &wrong).is_err());
    for text in ["tiles", "dim:x", "bank:8", "bank:0x4", "line:-1", "offset", ""] {
        assert!(text.parse::<Coloring>().is_err(), "{text}");
    }
}

#[test]
fn two_layouts_and_where_they_part() {
    let both = |a: &str, b: &str| {
        Scene::of_two(a.parse().unwrap(), b.parse().unwrap(), &Options::default())
    };
    let scene = both("f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}").unwrap();
    let [a, b] = grids(&scene)[..] else { panic!("two grids") };
    for (x, y) in a.cells.iter().zip(&b.cells).filter(|(x, _)| x.kind == Kind::Element) {
        assert_eq!(x.mark == Mark::None, x.offset == y.offset, "{x:?} {y:?}");
        assert_eq!(x.mark == Mark::FirstDifference, x.index == [0, 1]);
    }
    assert_eq!(strips(&scene).len(), 2);
    let same = both("f32[24,128]{1,0:T(8,128)}", "f32[24,128]").unwrap();
    assert!(grids(&same).iter().all(|grid| grid.cells.iter().all(|cell| cell.mark == Mark::None)));
    assert!(both("f32[3,5]", "f32[5,3]").is_err());
}

#[test]
fn the_steps_end_in_memory() {
    let steps = |text: &str| Scene::of_steps(text.parse().unwrap(), &Options::default());
    let scene = steps("f32[3,5]{1,0:T(2,2)}").unwrap();
    let last: Vec<&Panel> = scene.rows.last().unwrap().iter().collect();
    let memory: String = last
        .iter()
        .flat_map(
            |panel| if let Panel::Grid(grid) = panel { grid.cells.clone() } else { Vec::new() },
        )
        .map(|cell| if cell.label.is_empty() { ".".to_owned() } else { cell.label })
        .collect();
    assert_eq!(memory, "abfgcdhie.j.kl..mn..o...");
    assert!(steps("f32[300,5]{1,0:T(2,2)}").is_err());
    assert!(steps("(4,4):(4,1)").is_err());
}

#[test]
fn the_steps_of_an_array_without_elements_say_so() {
    let texts = ["f32[0]", "f32[0,3]", "f32[3,0]{1,0:T(2,2)}", "f32[2,0,3]", "f32[1000000000,1,0]"];
    for text in texts {
        let scene = Scene::of_steps(text.parse().unwrap(), &Options::default()).unwrap();
        let words = panels(&scene).map(|panel| match panel {
            Panel::Words(words) => words.text.as_str(),
            _ => panic!("{text}: {panel:?}"),
        });
        let said: Vec<&str> = words.collect();
        assert!(said.chunks(2).all(|step| step.last() == Some(&"no elements")), "{text}: {said:?}");
        assert!(scene.to_svg(Theme::Light).contains("no elements"), "{text}");
    }
    let scalar = Scene::of_steps("f32[]".parse().unwrap(), &Options::default()).unwrap();
    assert_eq!(grids(&scalar)[0].cells.len(), 1);
}

#[test]
fn repeats_are_drawn_as_what_they_are() {
    let scene = scene("(4,(2,2)):(1,(0,4))", &Options::default());
    let grid = *grids(&scene).last().unwrap();
    assert_eq!(grid.rows.slots.len(), 4);
    let kinds: Vec<Kind> = grid.cells.iter().take(4).map(|cell| cell.kind).collect();
    assert_eq!(kinds, [Kind::Element, Kind::Repeat, Kind::Element, Kind::Repeat]);
}

#[test]
fn threads_share_out_a_tile() {
    // The accumulators of an m16n8 product: NVIDIA, PTX ISA, mma.m16n8k16: thread 4·g + t has rows g
    // and g + 8, columns 2t and 2t + 1.
    let options = Options { coloring: Coloring::Thread, tile: Some([16, 8]), ..Options::default() };
    let scene = scene("((4,8),(2,2)):((32,1),(16,8))", &options);
    let grid = grids(&scene)[0];
    for row in 0..16usize {
        for column in 0..8usize {
            let (thread, value) = (4 * (row % 8) + column / 2, column % 2 + 2 * (row / 8));
            assert_eq!(grid.cell(row, column).unwrap().label, format!("T{thread} V{value}"));
        }
    }
    let wrong = Options { tile: Some([16, 9]), ..options };
    assert!(Scene::of("((4,8),(2,2)):((32,1),(16,8))".parse().unwrap(), &wrong).is_err());
}

#[test]
fn room_is_kept() {
    for text in LAYOUTS {
        for columns in [3, 8, 22] {
            let room = Room { columns, rows: 10 };
            let scene = scene(text, &Options { room, ..Options::default() });
            for grid in grids(&scene) {
                assert!(grid.columns.slots.len() <= columns.max(8) * 5 / 4, "{text}");
                assert!(grid.rows.slots.len() <= 13, "{text}");
            }
        }
    }
}
