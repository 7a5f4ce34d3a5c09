//! What is echoed of a text that somebody gave: nothing that acts on a terminal, not all of it
//! where it is long, and the carets under the place that they mean.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fmt::Display;
use std::str::FromStr;

use tilewright::algebra::{Composition, Picks, Tiler};
use tilewright::formats::{NamedFormat, tpu::Chip};
use tilewright::notation::Described;
use tilewright::onednn::{Tag, TaggedArray};
use tilewright::strided::StridedArray;
use tilewright::text::Diagnostic;
use tilewright::tla::{IntTuple, Layout, TypedLayout};
use tilewright::{ElementType, IndexMap, Shape, tla, xla};

/// A character of each kind that a terminal acts upon: the ends of C0 and C1, what begins a
/// command, ends a line, turns the direction, or is not seen.
const HOSTILE: [char; 18] = [
    '\0', '\u{7}', '\t', '\n', '\r', '\u{1b}', '\u{1f}', '\u{7f}', '\u{80}', '\u{9b}', '\u{9f}',
    '\u{200e}', '\u{200f}', '\u{202e}', '\u{2028}', '\u{2066}', '\u{2069}', '\u{feff}',
];

type Reader = fn(&str) -> Option<Diagnostic>;

/// The readers whose errors point at a place, each with a text that it reads.
const READERS: [(Reader, &str); 12] = [
    (refusal::<Shape>, "(bf16[30,<=300]{1,0:T(8,128)(2,1)S(1)}, token[])"),
    (refusal::<xla::Layout>, "{1,0:T(*,128)L(4)E(4)SC(0:3)PAD(3,5)}"),
    (refusal::<xla::Tile>, "(8,128)"),
    (refusal::<Described>, "f16 Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"),
    (refusal::<Layout>, "((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)"),
    (refusal::<TypedLayout>, "f16 (2,3):(3,1)"),
    (refusal::<IntTuple>, "((2,3),4)"),
    (refusal::<Composition>, "(4,2):(2,1) o 0 o 8:1"),
    (refusal::<Tiler>, "(2:1,4)"),
    (refusal::<Picks>, "(_,2)"),
    (refusal::<TaggedArray>, "f32[2,35,7,7] aBcd16b"),
    (refusal::<StridedArray>, "f32[3,5] strides=(20,4)"),
];

fn refusal<T: FromStr<Err = Diagnostic>>(text: &str) -> Option<Diagnostic> {
    text.parse::<T>().err()
}

/// The text with each character that may not be shown as it is written `\u{…}`.
fn written_out(text: &str) -> String {
    let one = |c: char| match HOSTILE.contains(&c) {
        true => c.escape_unicode().to_string(),
        false => c.to_string(),
    };
    text.chars().map(one).collect()
}

#[track_caller]
fn check_harmless(what: &impl Display) {
    for line in what.to_string().split('\n') {
        assert!(!line.contains(HOSTILE), "{line:?}");
        assert!(line.chars().count() <= 600, "{} columns: {line}", line.chars().count());
    }
}

/// Nothing acts on a terminal, in the picture or in its parts, and the carets stand under what
/// the span says.
#[track_caller]
fn check_drawn(error: &Diagnostic, text: &str) {
    check_harmless(error);
    for part in [Some(error.message()), error.expectation(), error.help_text()] {
        let part = part.unwrap_or("");
        assert!(!part.contains(HOSTILE), "{part:?}");
    }
    let drawn = error.to_string();
    let lines: Vec<&str> = drawn.lines().collect();
    let (line, carets) = (lines[2].strip_prefix("  | ").unwrap(), &lines[3][4..]);
    assert!(line.chars().count() <= 160, "{line}");
    let from = carets.find('^').unwrap();
    let n_carets = carets[from..].find(|c| c != '^').unwrap_or(carets.len() - from);
    let marked: String = line.chars().skip(from).take(n_carets).collect();
    let place = &text[error.span().start..error.span().end];
    let place = place.split('\n').next().unwrap();
    if place.is_empty() {
        assert_eq!(n_carets, 1, "{drawn}");
    } else {
        assert!(written_out(place).starts_with(&marked), "{drawn}");
    }
    let is_whole = marked.len() == written_out(place).len();
    assert!(place.is_empty() || is_whole || line.ends_with('…'), "{drawn}");
}

/// Every character put in at every place of a text, for every reader.
#[test]
fn no_reader_echoes_what_a_terminal_acts_upon() {
    for (read, text) in READERS {
        assert!(read(text).is_none(), "{text}: {:?}", read(text));
        for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
            for c in HOSTILE {
                let hostile = format!("{}{c}{}", &text[..at], &text[at..]);
                if let Some(error) = read(&hostile) {
                    check_drawn(&error, &hostile);
                }
            }
        }
    }
}

#[test]
fn no_lookup_by_name_echoes_what_a_terminal_acts_upon() {
    for name in HOSTILE.map(|c| format!("x{c}y")).into_iter().chain(["n".repeat(4096)]) {
        check_harmless(&name.parse::<ElementType>().unwrap_err());
        check_harmless(&name.parse::<NamedFormat>().unwrap_err());
        check_harmless(&name.parse::<Chip>().unwrap_err());
        check_harmless(&name.parse::<tla::Tag>().unwrap_err());
        check_harmless(&name.parse::<Tag>().unwrap_err());
    }
}

/// The descriptors of oneDNN's verbose lines, which are cut at `:` and hold anything.
#[test]
fn fields_of_a_descriptor_are_not_echoed_as_they_are() {
    let fields = ["f32", "", "blocked", "aBcd16b", "", "f0", "2x35x7x7"];
    for place in 0..fields.len() {
        for c in HOSTILE {
            let mut hostile = fields.map(str::to_owned);
            hostile[place].push(c);
            let text = hostile.join(":");
            if let Some(error) = refusal::<Described>(&text) {
                check_drawn(&error, &text);
            }
        }
    }
}

#[test]
fn the_caret_counts_what_is_printed() {
    let error = "f32[3\u{1b}[2J]".parse::<Shape>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "error: unexpected `\\u{1b}`
  |
  | f32[3\\u{1b}[2J]
  |      ^^^^^^ expected `,` or `]` after a dimension"
    );
    let error = "/*\u{202e}*/ f33[3]".parse::<Shape>().unwrap_err();
    assert_eq!(
        error.to_string().lines().skip(2).collect::<Vec<_>>()[..2],
        [
            "  | /*\\u{202e}*/ f33[3]",
            "  |              ^^^ expected an element type, such as `f32` or `bf16`"
        ]
    );
}

/// A window of a long line, wherever in it the place is and however long that is.
#[test]
fn long_lines_are_shown_around_the_place() {
    for n_before in [0, 59, 60, 61, 200, 5000] {
        for n_place in [1, 3, 98, 99, 100, 161, 5000] {
            for n_after in [0, 1, 60, 200, 5000] {
                let [before, name, after] = [n_before, n_place, n_after];
                let [before, after] = [before, after].map(|n| " ".repeat(n));
                let text = format!("{before}{}[3]{after}", "q".repeat(name));
                let error = text.parse::<Shape>().unwrap_err();
                assert_eq!(error.span().end - error.span().start, n_place);
                check_drawn(&error, &text);
            }
        }
    }
}

/// Errors about values quote layouts, which may be as long as a text may be.
#[test]
fn long_layouts_are_not_echoed_whole() {
    let ones = vec!["1"; 20_000].join(",");
    let negative: Composition = format!("Sw<1,0,1> o -4 o ({ones}):({ones})").parse().unwrap();
    let error = IndexMap::from_composition(&negative).unwrap_err();
    check_harmless(&error);
    assert!(error.to_string().ends_with("the outer function would be read at -4"), "{error}");
}
