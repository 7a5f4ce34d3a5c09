//! What scenes show is what the map says.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tilewright::notation::Described;
use tilewright_view::{
    Cell, Coloring, Direction, Grid, Kind, Mark, Options, Panel, Place, Room, Scene, Strip, Theme,
    Unit,
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

/// The cells that a picture of moves has of each memory.
fn memories(scene: &Scene) -> [Vec<Cell>; 2] {
    let cells = |panel: &Panel| match panel {
        Panel::Grid(grid) => Some(grid.cells.clone()),
        Panel::Strip(strip) => Some(strip.cells.clone()),
        _ => None,
    };
    panels(scene).filter_map(cells).collect::<Vec<_>>().try_into().unwrap()
}

/// Every element moves once, in runs that are side by side on both sides and cannot be longer.
#[test]
fn moves_are_runs_of_neighbours() {
    for [from, to] in [
        ["f32[3,5]", "f32[3,5]{1,0:T(2,2)}"],
        ["f32[3,4]{1,0:T(2,4)}", "f32[3,4]{1,0:T(4,2)}"],
        ["f32[4,6]", "f32[4,6]{0,1}"],
        ["bf16[9,20]{1,0:T(8,4)(2,1)}", "bf16[9,20]{0,1:T(4,8)}"],
        ["f32[2,3,4]{2,1,0:T(2,2)}", "f32[2,3,4]{0,1,2}"],
        ["(4,4):(-4,1)", "(4,4):(1,4)"],
    ] {
        let options = Options { room: Room { columns: 1000, rows: 1000 }, ..Options::default() };
        let moves = |frame| {
            Scene::of_moves(from.parse().unwrap(), to.parse().unwrap(), frame, &options).unwrap()
        };
        let [from_map, to_map] =
            [from, to].map(|text| text.parse::<Described>().unwrap().index_map().unwrap());
        let (_, n_runs) = moves(None);
        let mut ends: Vec<[i64; 2]> = Vec::new();
        let mut moved: Vec<Vec<i64>> = Vec::new();
        for frame in 0..n_runs {
            let [before, after] = memories(&moves(Some(frame)).0);
            let leaving = before.iter().filter(|cell| matches!(cell.mark, Mark::Leaves(_)));
            let arriving = after.iter().filter(|cell| matches!(cell.mark, Mark::Arrives(_)));
            let pairs: Vec<(&Cell, &Cell)> = leaving.zip(arriving).collect();
            let mut run = Vec::new();
            for (place, (one, other)) in pairs.iter().enumerate() {
                assert_eq!(one.index, other.index, "{from} to {to}");
                assert_eq!(one.mark, Mark::Leaves((place == 0).then_some(frame)));
                assert_eq!(other.mark, Mark::Arrives((place == 0).then_some(frame)));
                run.push(
                    [from_map.offset(&one.index), to_map.offset(&one.index)].map(Result::unwrap),
                );
                assert_eq!(run[place], run[0].map(|offset| offset + place as i64));
                moved.push(one.index.clone());
            }
            assert!(ends.last().is_none_or(|end| end.map(|offset| offset + 1) != run[0]));
            ends.push(*run.last().unwrap());
            let filled = after.iter().filter(|cell| !cell.label.is_empty());
            let mut filled: Vec<Vec<i64>> = filled.map(|cell| cell.index.clone()).collect();
            filled.sort();
            let mut sorted = moved.clone();
            sorted.sort();
            assert_eq!(filled, sorted, "what is there after {frame} moves from {from} to {to}");
        }
        moved.sort();
        moved.dedup();
        assert_eq!(moved.len() as i64, from_map.elements(), "{from} to {to}");
        let past =
            Scene::of_moves(from.parse().unwrap(), to.parse().unwrap(), Some(n_runs), &options);
        assert!(past.unwrap_err().to_string().starts_with(&format!("there is no move {n_runs}")));
    }
}

#[test]
fn few_moves_have_arrows() {
    let moves = |from: &str, to: &str| {
        let scene =
            Scene::of_moves(from.parse().unwrap(), to.parse().unwrap(), None, &Options::default());
        scene.map(|(scene, _)| scene)
    };
    let scene = moves("f32[3,4]{1,0:T(2,4)}", "f32[3,4]{1,0:T(4,2)}").unwrap();
    let numbers = |cells: &[Cell]| -> Vec<usize> {
        let number = |cell: &Cell| match cell.mark {
            Mark::Leaves(number) | Mark::Arrives(number) => number,
            _ => None,
        };
        cells.iter().filter_map(number).collect()
    };
    // After lie a b, e f, i j; then c d, g h, k l.
    let [before, after] = memories(&scene);
    assert_eq!(
        (numbers(&before), numbers(&after)),
        (vec![0, 3, 1, 4, 2, 5], vec![0, 1, 2, 3, 4, 5])
    );
    assert_eq!(scene.subtitle, "12 elements move in 6 runs of 2 side by side");
    let [before, _] = memories(&moves("f32[4,6]", "f32[4,6]{0,1}").unwrap());
    assert!(before.iter().all(|cell| cell.mark == Mark::None));
    let message = |from, to| moves(from, to).unwrap_err().to_string();
    assert_eq!(message("f32[3,5]", "f32[5,3]"), "the dimensions differ: [3, 5] and [5, 3]");
    assert!(message("f32[40,50]", "f32[40,50]{0,1}").starts_with("2000 elements are too many"));
}

/// Between grids side by side arrows go across, whichever row is the lower.
#[test]
fn arrows_of_moves_go_from_grid_to_grid() {
    let [from, to] = ["f32[4,8]", "(4,8):(-8,1)"];
    for frame in 0..4 {
        let [from, to] = [from, to].map(|text| text.parse().unwrap());
        let (scene, _) = Scene::of_moves(from, to, Some(frame), &Options::default()).unwrap();
        let picture = scene.to_pointable(Theme::Light);
        let (_, arrow) = picture.svg.rsplit_once(" d=\"M").unwrap();
        let numbers: Vec<f64> = arrow
            .split(['C', 'M', 'L', ' ', '"'])
            .map_while(|number| number.parse().ok())
            .collect();
        let [x, y, _, one, _, other, u, v, ..] = numbers[..] else { panic!("{arrow}") };
        assert!(x < u && y == one && other == v, "{arrow}");
        // Nothing that one can point at lies between its ends.
        let inside = |area: [f64; 4]| area[0] + area[2] > x + 1.0 && area[0] < u - 1.0;
        assert!(!picture.spots.iter().any(|spot| inside(spot.area)), "{arrow}");
    }
}

#[test]
fn what_moves_is_in_the_picture() {
    for frame in [0, 500, 1023] {
        let [from, to] = ["f32[1024]", "(1024):(-1)"].map(|text| text.parse().unwrap());
        let (scene, n_runs) = Scene::of_moves(from, to, Some(frame), &Options::default()).unwrap();
        assert_eq!(n_runs, 1024);
        let [before, after] = memories(&scene);
        let number = |mark: fn(Option<usize>) -> Mark, cells: &[Cell]| {
            cells.iter().filter(|cell| cell.mark == mark(Some(frame))).count()
        };
        assert_eq!((number(Mark::Leaves, &before), number(Mark::Arrives, &after)), (1, 1));
    }
}

/// One element to four places: four runs, and four arrows from the place that they share.
#[test]
fn moves_from_shared_places() {
    let moves = |from: &str, to: &str| {
        let [from, to] = [from, to].map(|text| text.parse().unwrap());
        Scene::of_moves(from, to, None, &Options::default())
    };
    let (scene, n_runs) = moves("(4,4):(0,1)", "(4,4):(4,1)").unwrap();
    assert_eq!(
        (n_runs, scene.subtitle.as_str()),
        (4, "16 elements move in 4 runs of 4 side by side")
    );
    let [_, after] = memories(&scene);
    let arrives = after.iter().filter(|cell| cell.mark == Mark::Arrives(Some(0)));
    assert_eq!(arrives.map(|cell| cell.offset.unwrap()).collect::<Vec<_>>(), [0, 4, 8, 12]);
    let (scene, _) = moves("(4,4):(4,1)", "(4,4):(0,1)").unwrap();
    assert_eq!(scene.subtitle, "4 elements move in 1 run of 4 side by side");
    let message = moves("(4096):(0)", "(4096):(0)").unwrap_err().to_string();
    assert!(message.starts_with("4096 elements are too many"), "{message}");
}

#[test]
fn places_before_the_first_byte() {
    let said: Described = "s4 (4):(-1)".parse().unwrap();
    let place = Place::of_index(&said, &[1]).unwrap();
    assert_eq!((place.offset, place.byte(), place.bit()), (Some(-1), Some(-1), Some(-4)));
    assert_eq!(Place::at_byte(&said, -1).unwrap().offset, Some(-2));
    let drawn = scene("s4 (4):(-1)", &Options { at: Some(vec![1]), ..Options::default() });
    assert_eq!(strips(&drawn)[0].note, "offset -1 = byte -1, bit 4");
    let past = Place::at_byte(&"f32[4]".parse().unwrap(), 99).unwrap_err().to_string();
    assert_eq!(past, "byte 99 is outside of the memory of the array");
}

#[test]
fn banks_outline_the_column_that_is_pointed_at() {
    let options = Options {
        coloring: "bank:32x4".parse().unwrap(),
        at: Some(vec![3, 40]),
        ..Options::default()
    };
    let drawn = scene("f16 Sw<3,3,3> o 0 o (8,64):(64,1)", &options);
    for grid in grids(&drawn) {
        let outlined = grid.columns.slots[grid.outlined.unwrap()];
        assert_eq!(outlined.index(), Some(40));
    }
    let none = Options { at: None, ..options };
    assert!(Scene::of("f32[8,0]".parse().unwrap(), &none).is_ok());
}

#[test]
fn tiles_of_threads_have_sizes() {
    for tile in [[-4, -4], [0, 0], [4, 5], [i64::MAX, 2]] {
        let options =
            Options { coloring: Coloring::Thread, tile: Some(tile), ..Options::default() };
        assert!(Scene::of("(4,4):(4,1)".parse().unwrap(), &options).is_err(), "{tile:?}");
    }
}

#[test]
fn tiles_of_one_element_are_said() {
    let drawn = scene("f32[3,5]{1,0:T(1,1)}", &Options::default());
    assert!(drawn.subtitle.contains("in 15 tiles of 1: 60 bytes"), "{}", drawn.subtitle);
}

#[test]
fn one_step_alone_is_that_of_all() {
    let text = "f32[3,5]{1,0:T(2,2)}";
    let all = Scene::of_steps(text.parse().unwrap(), &Options::default()).unwrap();
    let captions = Scene::steps(&text.parse().unwrap()).unwrap();
    let step = |step| Scene::of_step(text.parse().unwrap(), step, &Options::default());
    let rows: Vec<Vec<Panel>> =
        (0..captions.len()).flat_map(|number| step(number).unwrap().rows).collect();
    assert_eq!(rows, all.rows);
    assert_eq!(step(4).unwrap_err().to_string(), "there is no step 4: there are 4");
}

#[test]
fn what_was_pointed_at_is_in_the_picture() {
    for (text, at) in [
        ("bf16[30,300]{1,0:T(8,128)(2,1)}", vec![13, 70]),
        ("f32[8192,8192]{1,0:T(8,128)}", vec![4000, 5001]),
        ("f32[20,30,40,200]{3,2,1,0:T(8,128)}", vec![7, 11, 20, 60]),
        ("f32[100000]", vec![40_000]),
    ] {
        for direction in [Direction::Offsets, Direction::Memory] {
            let options = Options { at: Some(at.clone()), direction, ..Options::default() };
            let scene = scene(text, &options);
            let is_shown = |cells: &[Cell]| {
                cells.iter().filter(|cell| cell.mark == Mark::At && cell.index == at).count()
            };
            let shown: usize = grids(&scene).iter().map(|grid| is_shown(&grid.cells)).sum();
            assert_eq!(shown, 1, "{text} {direction:?}");
            assert!(strips(&scene).iter().all(|strip| is_shown(&strip.cells) == 1), "{text}");
        }
    }
}

/// Padding too, and nothing else about the picture changes where all of it is drawn anyway.
#[test]
fn what_is_near_is_in_the_picture() {
    let near = |text: &str, near: &[i64]| {
        scene(text, &Options { near: Some(near.to_vec()), ..Options::default() })
    };
    let far = near("bf16[3001,30000]{1,0:T(8,128)(2,1)}", &[3003, 20_000]);
    let is_shown = |cells: &[Cell]| cells.iter().any(|cell| cell.index == [3003, 20_000]);
    assert!(grids(&far).iter().all(|grid| is_shown(&grid.cells)));
    assert!(strips(&far).iter().all(|strip| is_shown(&strip.cells)));
    let tiles = "f32[3,5]{1,0:T(2,2)}";
    assert_eq!(near(tiles, &[3, 5]), scene(tiles, &Options::default()));
    let options = Options { near: Some(vec![4, 0]), ..Options::default() };
    assert!(Scene::of(tiles.parse().unwrap(), &options).is_err());
}

#[test]
fn the_first_difference_is_in_the_picture() {
    // Tiles of 8 and of 16 rows agree until the second tile of the first eight rows ends.
    let [a, b] = ["f32[64,4096]{1,0:T(8,128)}", "f32[64,4096]{1,0:T(16,128)}"];
    let scene = Scene::of_two(a.parse().unwrap(), b.parse().unwrap(), &Options::default()).unwrap();
    for grid in grids(&scene) {
        let first: Vec<&Cell> =
            grid.cells.iter().filter(|cell| cell.mark == Mark::FirstDifference).collect();
        assert!(matches!(first[..], [cell] if cell.index == [0, 128]));
    }
}

#[test]
fn blocks_of_memory_are_counted() {
    let options = Options { unit: "bytes:16".parse().unwrap(), ..Options::default() };
    let scene = scene("f16 Sw<3,3,3> o 0 o (8,64):(64,1)", &options);
    // Vectors of 16 bytes, 8 of them a row: in row r the vector c is where c xor r would be.
    for cell in &grids(&scene)[0].cells {
        if let [row, column] = cell.index[..] {
            assert_eq!(cell.label, (8 * row + ((column / 8) ^ row)).to_string());
        }
    }
    for wrong in ["bytes:0", "bytes:-1", "bytes:", "words", "bytes:99999999999999999999"] {
        let error = wrong.parse::<Unit>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("no unit is called `{wrong}`")), "{error}");
    }
}

/// Each tile of a level is once in the picture, and holds the cells of its elements.
#[test]
fn tiles_of_each_level_can_be_pointed_at() {
    let scene = scene("bf16[14,6]{1,0:T(8,4)(2,1)}", &Options::default());
    let picture = scene.to_pointable(Theme::Light);
    for (level, [rows, columns]) in [[8, 4], [2, 1]].into_iter().enumerate() {
        let tiles: Vec<_> = picture.blocks.iter().filter(|block| block.level == level).collect();
        assert_eq!(tiles.len() as i64, (16 / rows) * (8 / columns));
        let mut seen = std::collections::HashSet::new();
        for tile in tiles {
            let [x, y, width, height] = tile.area;
            let holds = |area: [f64; 4]| {
                let (middle_x, middle_y) = (area[0] + area[2] / 2.0, area[1] + area[3] / 2.0);
                (x..x + width).contains(&middle_x) && (y..y + height).contains(&middle_y)
            };
            let inside: Vec<[i64; 2]> = picture
                .spots
                .iter()
                .filter(|spot| holds(spot.area))
                .map(|spot| [spot.index[0] / rows, spot.index[1] / columns])
                .collect();
            assert_eq!(inside.len() as i64, rows * columns);
            assert!(inside.iter().all(|tile| *tile == inside[0]) && seen.insert(inside[0]));
        }
    }
}
