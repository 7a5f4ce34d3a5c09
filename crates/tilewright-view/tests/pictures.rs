//! The pictures of the documentation are what the code draws.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use tilewright_view::{Coloring, Options, Scene, Theme};

/// The figures of XLA's *Tiled layout*, the layouts of TLA's *Layouts*, and what neither has.
fn pictures() -> Vec<(&'static str, Scene)> {
    let of = |text: &str, options: Options| Scene::of(text.parse().unwrap(), &options).unwrap();
    let plain = Options::default;
    let at = |index: &[i64]| Options { at: Some(index.to_vec()), ..plain() };
    let banks = Options { coloring: Coloring::Bank { banks: 8, bytes: 1 }, ..plain() };
    let threads = Options { coloring: Coloring::Thread, tile: Some([16, 8]), ..plain() };
    let two =
        |a: &str, b: &str| Scene::of_two(a.parse().unwrap(), b.parse().unwrap(), &plain()).unwrap();
    let steps = |text: &str| Scene::of_steps(text.parse().unwrap(), &plain()).unwrap();
    let moves = |from: &str, to: &str| {
        Scene::of_moves(from.parse().unwrap(), to.parse().unwrap(), None, &plain()).unwrap().0
    };
    vec![
        ("tiles", of("f32[3,5]{1,0:T(2,2)}", at(&[2, 3]))),
        ("tiles-in-tiles", of("bf16[4,8]{1,0:T(2,4)(2,1)}", plain())),
        ("steps", steps("f32[3,5]{1,0:T(2,2)}")),
        ("bf16", of("bf16[30,300]{1,0:T(8,128)(2,1)}", plain())),
        ("bits", of("s4[6,10]{1,0:T(2,4)E(4)}", plain())),
        ("row-major", of("(2,3):(3,1)", plain())),
        ("column-major", of("(2,3):(1,2)", plain())),
        ("fractal", of("((4,2),(4,3)):((4,16),(1,32)):(8,12)", plain())),
        ("fractal-tile", of("((4,1),(4,1)):((4,16),(1,32)):(2,2)", plain())),
        ("swizzle", of("Sw<3,0,3> o 0 o (8,8):(8,1)", banks)),
        ("threads", of("((4,8),(2,2)):((32,1),(16,8))", threads)),
        ("broadcast", of("(4,(2,2)):(1,(0,4))", plain())),
        ("divide", of("((4,2),(4,3)):((12,48),(1,4))", plain())),
        ("blocked", of("((2,2),(2,3)):((2,12),(1,4))", plain())),
        ("raked", of("((2,2),(3,2)):((12,2),(4,1))", plain())),
        ("compare", two("f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}")),
        ("moves", moves("f32[3,4]{1,0:T(2,4)}", "f32[3,4]{1,0:T(4,2)}")),
    ]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/pictures")
}

/// With `TILEWRIGHT_SNAPSHOTS=write` in the environment they are drawn anew, to be looked at.
#[test]
fn pictures_are_drawn_as_they_stand() {
    let mut names = Vec::new();
    for (name, scene) in pictures() {
        for (theme, ending) in [(Theme::Light, ""), (Theme::Dark, "-dark")] {
            let file = format!("{name}{ending}.svg");
            let (path, svg) = (folder().join(&file), scene.to_svg(theme));
            if std::env::var("TILEWRIGHT_SNAPSHOTS").is_ok_and(|wish| wish == "write") {
                std::fs::create_dir_all(folder()).unwrap();
                std::fs::write(&path, &svg).unwrap();
            }
            assert!(svg == std::fs::read_to_string(&path).unwrap(), "{file}");
            names.push(file);
        }
    }
    let there = std::fs::read_dir(folder()).unwrap();
    let mut there: Vec<String> =
        there.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    there.sort();
    names.sort();
    assert_eq!(there, names);
}

/// A picture that a document shows is there, in light and dark.
#[test]
fn documents_show_pictures_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for document in ["README.md", "book/src/pictures.md"] {
        let path = root.join(document);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut shown = 0;
        let parts: Vec<&str> = text.split('"').collect();
        for part in
            parts.windows(2).filter(|two| two[0].ends_with("src=") || two[0].ends_with("srcset="))
        {
            let part = part[1];
            assert!(path.parent().unwrap().join(part).is_file(), "{document}: {part}");
            shown += 1;
        }
        assert!(shown > 0, "{document}");
    }
}
