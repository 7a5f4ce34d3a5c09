//! Pictures as they leave: texts that were looked at, and SVG that every renderer can draw.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use roxmltree::Document;
use tilewright_view::{Coloring, Colors, Direction, Options, Room, Scene, Terminal, Theme};

/// What is drawn, under the names of the snapshots.
fn scenes() -> Vec<(&'static str, Scene)> {
    let of = |text: &str, options: Options| Scene::of(text.parse().unwrap(), &options).unwrap();
    let plain = Options::default;
    let at = Options { at: Some(vec![2, 3]), ..plain() };
    let banks = Options { coloring: Coloring::Bank { banks: 8, bytes: 1 }, ..plain() };
    let both =
        |a: &str, b: &str| Scene::of_two(a.parse().unwrap(), b.parse().unwrap(), &plain()).unwrap();
    let steps = Scene::of_steps("f32[3,5]{1,0:T(2,2)}".parse().unwrap(), &plain()).unwrap();
    let moves = |frame| {
        let [from, to] = ["f32[3,5]", "f32[3,5]{1,0:T(2,2)}"].map(|text| text.parse().unwrap());
        Scene::of_moves(from, to, frame, &plain()).unwrap().0
    };
    vec![
        ("tiles", of("f32[3,5]{1,0:T(2,2)}", at)),
        ("pairs", of("bf16[30,300]{1,0:T(8,128)(2,1)}", plain())),
        ("bits", of("s4[3,5]{1,0:T(2,4)E(4)}", plain())),
        ("slices", of("f32[4,3,6,10]{3,2,1,0:T(2,4)}", plain())),
        ("fractal", of("f16 ((4,2),(4,3)):((4,16),(1,32)):(7,10)", plain())),
        ("swizzle", of("Sw<3,0,3> o 0 o (8,8):(8,1)", banks)),
        ("broadcast", of("(4,(2,2)):(1,(0,4))", plain())),
        ("compare", both("f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}")),
        ("steps", steps),
        ("moves", moves(None)),
        ("move", moves(Some(3))),
    ]
}

fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

/// Texts were read by somebody and found right; a change of one is to be read again. With
/// `TILEWRIGHT_SNAPSHOTS=write` in the environment they are written anew.
#[test]
fn texts() {
    for (name, scene) in scenes() {
        let (path, text) =
            (snapshots().join(format!("{name}.txt")), scene.to_text(Terminal::default()));
        if std::env::var("TILEWRIGHT_SNAPSHOTS").is_ok_and(|wish| wish == "write") {
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{name}");
    }
}

#[test]
fn texts_fit_eighty_columns() {
    for (name, scene) in scenes() {
        let text = scene.to_text(Terminal::default());
        // Grids are as wide as they were asked to be; all else is cut to the width.
        for line in
            text.lines().filter(|line| !line.contains(['│', '─', '┌']) && !line.contains("   "))
        {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

/// Grids are as wide as there is room for, and no wider; of those that are elided, not much narrower.
#[test]
fn grids_fit_the_terminal() {
    for text in [
        "bf16[30,300]{1,0:T(8,128)(2,1)}",
        "f32[4096,4096]{1,0:T(8,128)}",
        "f32[100,100]",
        "u8[1000000]",
        "f32[20,30,40,200]{3,2,1,0:T(8,128)}",
    ] {
        for width in [60, 80, 132, 200] {
            let terminal = Terminal { width, ..Terminal::default() };
            let options = |room| Options { room, ..Options::default() };
            let scene =
                terminal.fit(|room| Scene::of(text.parse().unwrap(), &options(room))).unwrap();
            let two = terminal.fit(|room| {
                let said = || text.parse().unwrap();
                Scene::of_two(said(), said(), &options(room))
            });
            for (scene, least) in [(scene, width * 3 / 4), (two.unwrap(), 0)] {
                let text = scene.to_text(terminal);
                let grids = text.lines().filter(|line| line.contains('┌'));
                let widest = grids.map(|line| line.chars().count()).max().unwrap();
                assert!((least..=width).contains(&widest), "{widest} of {width}: {text}");
            }
        }
    }
}

/// Without colours nothing but letters comes out; with them, what is left without the commands is
/// the same.
#[test]
fn colours_add_nothing() {
    for (name, scene) in scenes() {
        let plain = scene.to_text(Terminal::default());
        assert!(!plain.contains('\u{1b}'), "{name}");
        for colors in [Colors::Numbered, Colors::Any] {
            let colored = scene.to_text(Terminal { colors, ..Terminal::default() });
            let mut stripped = String::new();
            let mut parts = colored.split('\u{1b}');
            stripped.push_str(parts.next().unwrap());
            for part in parts {
                stripped.push_str(part.split_once('m').unwrap().1);
            }
            let trimmed =
                |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            assert_eq!(trimmed(&stripped), trimmed(&plain), "{name}");
        }
    }
}

/// Attributes that renderers read alike: no styles, no references, no variables.
#[test]
fn svg_is_plain() {
    for (name, scene) in scenes() {
        for theme in [Theme::Light, Theme::Dark] {
            let svg = scene.to_svg(theme);
            let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}"));
            for node in document.descendants().filter(roxmltree::Node::is_element) {
                let tag = node.tag_name().name();
                assert!(
                    ["svg", "title", "rect", "path", "g", "text"].contains(&tag),
                    "{name}: {tag}"
                );
                for attribute in node.attributes() {
                    assert!(attribute.name() != "style", "{name}");
                    let value = attribute.value();
                    assert!(!value.contains("url(") && !value.contains("var("), "{name}: {value}");
                    assert!(!value.contains("NaN") && !value.contains("inf"), "{name}: {value}");
                }
            }
            assert!(svg.len() < 200_000, "{name} has {} bytes", svg.len());
        }
    }
}

/// What somebody typed is text and never markup.
#[test]
fn text_is_not_markup() {
    let mut scene = scenes().remove(0).1;
    scene.title = "<script>alert(1)</script>&\"'".to_owned();
    scene.subtitle = "]]><b>\u{1b}[2J".to_owned();
    let svg = scene.to_svg(Theme::Light);
    assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains('\u{1b}'));
    Document::parse(&svg).unwrap();
    let page = scene.to_html();
    assert_eq!(page.matches("<script").count(), 2);
    assert!(!page.contains("<b>"));
    // A comment and escaped letters: nothing that TeX would carry out.
    scene.title = "\\input{x}%\n\\end{document}".to_owned();
    let tex = scene.to_tikz(Theme::Light);
    assert!(!tex.lines().any(|line| line.starts_with("\\input")), "{tex}");
    assert_eq!(tex.matches("\\end{document}").count(), 2); // in the comment, and at the end
}

/// The page asks nothing of any network.
#[test]
fn the_page_stands_alone() {
    for (name, scene) in scenes() {
        let page = scene.to_html();
        let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!without_namespace.contains("http"), "{name}");
        assert!(!page.contains("src=") && !page.contains("@import"), "{name}");
    }
}

#[test]
#[cfg(feature = "png")]
fn png_has_the_size_of_the_picture() {
    let scene = scenes().remove(0).1;
    let png = scene.to_png(Theme::Light).unwrap();
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let svg = scene.to_svg(Theme::Light);
    let document = Document::parse(&svg).unwrap();
    let [width, height] = ["width", "height"]
        .map(|name| document.root_element().attribute(name).unwrap().parse::<f64>().unwrap());
    assert_eq!(
        (f64::from(side(16)), f64::from(side(20))),
        ((2.0 * width).ceil(), (2.0 * height).ceil())
    );
}

/// However large the array is, a picture takes what is drawn of it.
#[test]
fn huge_arrays() {
    for text in [
        "f32[4096,4096]{1,0:T(8,128)}",
        "bf16[16,8,1048576,4096]{3,2,1,0:T(8,128)(2,1)}",
        "u8[1099511627776,4000]{1,0:T(8,128)(4,1)}",
    ] {
        let scene = Scene::of(text.parse().unwrap(), &Options::default()).unwrap();
        assert!(scene.to_svg(Theme::Light).len() < 2_000_000);
    }
}

/// One axis may have indices and the other none, and there may be hardly any room.
#[test]
fn arrays_without_elements() {
    for text in ["f32[0,3]{1,0:T(2,2)}", "f32[3,0]", "f32[0]", "(0,3):(1,2)", "u8[2,0,3]"] {
        for direction in [Direction::Offsets, Direction::Memory] {
            for columns in [1, 8] {
                let room = Room { columns, rows: columns };
                let options = Options { direction, room, ..Options::default() };
                let scene = Scene::of(text.parse().unwrap(), &options).unwrap();
                assert!(scene.to_svg(Theme::Light).contains("0 elements"), "{text}");
                assert!(scene.to_text(Terminal::default()).contains("0 elements"), "{text}");
                #[cfg(feature = "png")]
                assert!(scene.to_png(Theme::Light).is_ok(), "{text}");
            }
        }
    }
}
