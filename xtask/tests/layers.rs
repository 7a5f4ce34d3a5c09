//! The modules of the core stand in layers, and a file uses only what is below it.
//!
//! The source is read for what it says of other modules: `use` declarations with their braces,
//! `crate::…` and `super::…` paths in code, and calls of methods that a higher room adds to a type
//! of a lower one. Comments, texts and unit tests are left out. A re-export is followed to the file
//! that has the item, so that `crate::xla::Layout` is an arrow to `xla::layout`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod source;

use std::collections::{BTreeMap, BTreeSet};

use source::Source;

/// The rooms of the core from the bottom up: the modules of each, and the rooms that it uses, by
/// their first modules. So the maps know no notation, and the notations no map: lowering and
/// lifting stand on both.
const ROOMS: &[(&[&str], &[&str])] = &[
    (&["text"], &[]),
    (&["error"], &["text"]),
    (&["arithmetic"], &["error"]),
    (&["element"], &["error"]),
    (&["permutation"], &["error"]),
    (&["map"], &["error", "arithmetic", "permutation"]),
    // One room, since a shape has a layout and a layout may hold a shape.
    (&["shape", "xla"], &["text", "error", "arithmetic", "element", "permutation"]),
    (&["literal"], &["text", "error", "element", "shape"]),
    (&["tla"], &["text", "error", "element"]),
    (&["algebra"], &["text", "error", "arithmetic", "tla"]),
    (&["bare"], &["text", "element", "shape"]),
    (&["onednn"], &["text", "error", "element", "permutation", "shape", "bare"]),
    (&["strided"], &["text", "error", "arithmetic", "element", "shape", "bare"]),
    (
        &["map::lower"],
        &["error", "arithmetic", "map", "shape", "tla", "algebra", "onednn", "strided"],
    ),
    (
        &["map::lift"],
        &[
            "text",
            "error",
            "arithmetic",
            "permutation",
            "map",
            "shape",
            "tla",
            "algebra",
            "onednn",
            "map::lower",
        ],
    ),
    (&["addressing"], &["error", "map", "shape", "map::lower"]),
    (
        &["formats"],
        &[
            "text",
            "error",
            "arithmetic",
            "element",
            "permutation",
            "map",
            "shape",
            "tla",
            "algebra",
            "bare",
            "onednn",
            "map::lower",
        ],
    ),
    (
        &["notation"],
        &[
            "text",
            "error",
            "element",
            "literal",
            "map",
            "shape",
            "literal",
            "tla",
            "algebra",
            "onednn",
            "strided",
            "map::lower",
            "map::lift",
            "formats",
        ],
    ),
    (
        &["formats::target"],
        &["text", "error", "element", "shape", "tla", "onednn", "strided", "formats", "notation"],
    ),
    // What each value is to serde.
    (
        &["as_text"],
        &[
            "text",
            "error",
            "element",
            "shape",
            "tla",
            "algebra",
            "onednn",
            "strided",
            "formats",
            "notation",
            "formats::target",
        ],
    ),
];

/// The crates whose files do not go round in circles, not even a module with its parent.
const CRATES: &[&str] = &["tilewright", "tilewright-files", "tilewright-convert"];

/// Files of a crate that use each other, and why they have to.
const KNOTS: &[(&str, &[&str])] = &[
    // One recursive type: a shape holds arrays, an array has a layout, and the layout of a sparse
    // array holds the physical shape (`P(…)`).
    ("tilewright", &["shape", "shape::array", "xla::layout"]),
];

/// Methods with the names of others in libraries, which a text cannot tell apart.
const NAMES_OF_STD: &[&str] = &[
    "all",
    "as_slice",
    "bytes",
    "clear",
    "collect",
    "contains",
    "count",
    "decode",
    "entry",
    "filter",
    "flatten",
    "fold",
    "get",
    "into_iter",
    "is_empty",
    "iter",
    "keys",
    "map",
    "max",
    "min",
    "next",
    "nth",
    "pad",
    "parse",
    "product",
    "push",
    "replace",
    "sort",
    "sum",
    "transpose",
    "zip",
];

/// Some arrows that there are, through a re-export, a brace, a path in code, and a list of modules.
#[test]
fn arrows_are_read_from_the_source() {
    let source = Source::of("tilewright");
    let arrows = |module: &str| {
        let file = source.files().find(|file| file.module == module).unwrap();
        Vec::from_iter(source.arrows(file))
    };
    assert_eq!(arrows("error"), ["text::escape"]);
    assert_eq!(arrows("permutation"), ["error"]);
    assert_eq!(arrows("map::lower"), [""; 0]);
    let of_bare = ["element", "shape::array", "text::diagnostic", "text::lexer"];
    assert_eq!(arrows("bare"), of_bare);
    assert!(arrows("map::lower::xla").contains(&"xla::layout".to_owned()));
    assert!(arrows("algebra::cast").contains(&"arithmetic".to_owned()));
}

#[test]
fn every_file_is_in_a_room() {
    let source = Source::of("tilewright");
    for file in source.files() {
        assert!(
            room(&file.module).is_some(),
            "{} needs its place in the list of rooms",
            file.module
        );
    }
}

#[test]
fn rooms_use_those_that_the_list_says() {
    let source = Source::of("tilewright");
    let mut used: BTreeSet<(usize, usize)> = calls_of_other_rooms(&source);
    for file in source.files() {
        for target in source.arrows(file) {
            let (from, to) = (room(&file.module).unwrap(), room(&target).unwrap());
            let is_listed = from == to || listed(from).any(|listed| listed == to);
            assert!(is_listed, "{} uses {target}, which is not below it", file.module);
            used.insert((from, to));
        }
    }
    for (room, &(modules, uses)) in ROOMS.iter().enumerate() {
        for (listed, name) in listed(room).zip(uses) {
            assert!(listed < room, "{modules:?} stands before {name}, which it uses");
            assert!(used.contains(&(room, listed)), "{modules:?} does not use {name}");
        }
    }
}

/// A method may be added to a type by a room above that of the type, where no path tells of it.
#[test]
fn methods_are_called_from_above() {
    let source = Source::of("tilewright");
    let defined = rooms_with_functions(&source);
    let mut calls = Vec::new();
    for file in source.files() {
        let below = below(room(&file.module).unwrap());
        for name in file.calls() {
            if defined.get(name).is_some_and(|rooms| rooms.is_disjoint(&below)) {
                calls.push((name.to_owned(), file.module.clone()));
            }
        }
    }
    assert!(calls.is_empty(), "methods of higher rooms, and who calls them: {calls:?}");
}

/// The rooms that have a function of a name.
fn rooms_with_functions(source: &Source) -> BTreeMap<&str, BTreeSet<usize>> {
    let mut rooms: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for file in source.files() {
        for name in file.functions().filter(|name| !NAMES_OF_STD.contains(name)) {
            rooms.entry(name).or_default().insert(room(&file.module).unwrap());
        }
    }
    rooms
}

/// Rooms of which one calls what, of all it stands on, only the other has.
fn calls_of_other_rooms(source: &Source) -> BTreeSet<(usize, usize)> {
    let defined = rooms_with_functions(source);
    let mut calls = BTreeSet::new();
    for file in source.files() {
        let from = room(&file.module).unwrap();
        let below = below(from);
        for rooms in file.calls().into_iter().filter_map(|name| defined.get(name)) {
            let mut having = rooms.intersection(&below);
            if let (Some(&only), None) = (having.next(), having.next()) {
                calls.insert((from, only));
            }
        }
    }
    calls
}

#[test]
fn files_do_not_go_round_in_circles() {
    for name in CRATES {
        let source = Source::of(name);
        let arrows: BTreeMap<String, BTreeSet<String>> =
            source.files().map(|file| (file.module.clone(), source.arrows(file))).collect();
        let knots: Vec<&[&str]> =
            KNOTS.iter().filter(|(of, _)| of == name).map(|(_, knot)| *knot).collect();
        for start in arrows.keys() {
            let knot = knots.iter().find(|knot| knot.contains(&start.as_str()));
            let round = reached(&arrows, start).into_iter().filter(|other| {
                let is_known = knot.is_some_and(|knot| knot.contains(&other.as_str()));
                !is_known && reached(&arrows, other).contains(start)
            });
            let round: Vec<String> = round.collect();
            assert!(round.is_empty(), "{name}: {start} is in a circle with {round:?}");
        }
        for knot in knots {
            let goes_round =
                |start: &&str| knot.iter().all(|end| reached(&arrows, start).contains(*end));
            assert!(knot.iter().all(goes_round), "{name}: {knot:?} is a knot no longer");
        }
    }
}

/// What there are arrows to from a file, over others too.
fn reached(arrows: &BTreeMap<String, BTreeSet<String>>, start: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(module) = open.pop() {
        for target in arrows.get(module).into_iter().flatten() {
            if reached.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    reached
}

/// The room of a module: the one with the longest path that leads to it.
fn room(module: &str) -> Option<usize> {
    let leads = |of: &str| module == of || module.starts_with(&format!("{of}::"));
    let rooms = ROOMS.iter().enumerate();
    let paths = rooms
        .flat_map(|(room, (paths, _))| paths.iter().map(move |path| (path.len(), room, *path)));
    paths.filter(|(.., path)| leads(path)).max().map(|(_, room, _)| room)
}

/// The rooms that a room says it uses.
fn listed(from: usize) -> impl Iterator<Item = usize> {
    ROOMS[from]
        .1
        .iter()
        .map(|name| ROOMS.iter().position(|(modules, _)| modules.first() == Some(name)).unwrap())
}

/// A room, and all that it stands on.
fn below(from: usize) -> BTreeSet<usize> {
    let mut below: BTreeSet<usize> = listed(from).flat_map(below).collect();
    below.insert(from);
    below
}
