//! The chapter on the catalogue is what the catalogue says.

use std::fmt::Write as _;

use tilewright::formats::catalogue::{Entry, NamedArray, entries};

use crate::{book, check_fresh};

const HEAD: &str = "\
# The catalogue

Layouts that hardware and libraries have given names. A name stands behind a shape, `u4[4096,11008]@marlin`, wherever a layout is
asked for. `tilewright layouts` lists them, `tilewright formats SHAPE` says which fit an array, and each has
[a page with its picture](../explorer/layouts/index.html).

This chapter is written from the program's own list.
";

/// The file of a spelling among the pages: `trtllm(w4a16,sm80)` is in `trtllm-w4a16-sm80.html`.
fn page(spelling: &str) -> String {
    let words: Vec<&str> =
        spelling.split(['(', ')', ',']).filter(|word| !word.is_empty()).collect();
    format!("{}.html", words.join("-"))
}

fn written(entry: &Entry) -> String {
    let example: NamedArray = entry.example.parse().unwrap();
    let spellings: Vec<String> = entry.spellings().iter().map(|name| format!("`{name}`")).collect();
    let mut text = format!("\n## {}\n\n{}.\n\n| | |\n|---|---|\n", entry.name, entry.summary);
    let mut row = |key: &str, value: String| writeln!(text, "| {key} | {value} |").unwrap();
    row("written", spellings.join(", "));
    row("dimensions", entry.dims.to_owned());
    row("extents", entry.extents.to_owned());
    let bits: Vec<String> = entry.bits.iter().map(u32::to_string).collect();
    row("bits of an element", if bits.is_empty() { "any".to_owned() } else { bits.join(", ") });
    // Where an argument is a number, there is one page for all of them.
    let written = example.layout().to_string();
    let spelling = entry.spellings().into_iter().find(|spelling| *spelling == written);
    let page = page(&spelling.unwrap_or_else(|| entry.spellings().swap_remove(0)));
    row("example", format!("[`{}`](../explorer/layouts/{page})", entry.example));
    let carrier = example.carrier();
    let dims: Vec<String> = carrier.dims.iter().map(i64::to_string).collect();
    let dtype = carrier.element_type.safetensors_name().unwrap_or("bytes");
    row("stored as", format!("`{dtype}[{}]`", dims.join(",")));
    if let Some(layout) = example.composition() {
        row("shape and stride", format!("`{layout}`"));
    }
    if entry.padding != 0 {
        row("padding", format!("`{:#04x}`", entry.padding));
    }
    row("from", entry.source.to_owned());
    text
}

#[test]
fn the_chapter_is_the_catalogue() {
    let chapter: String = entries().map(written).collect();
    assert!(chapter.matches("\n## ").count() > 40);
    check_fresh(&book().join("src/reference/catalogue.md"), &(HEAD.to_owned() + &chapter));
}
