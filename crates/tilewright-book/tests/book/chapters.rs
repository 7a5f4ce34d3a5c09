//! The chapters hang together: all are in the summary, and no link leads nowhere.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use tilewright_book::links::{anchors, targets};

use crate::{book, read};

/// What the site has beside the chapters: `cargo xtask site` puts it there.
const MADE: &str = "explorer/";

fn source() -> PathBuf {
    book().join("src")
}

/// Every file below a folder with one of these endings, as paths from `source`.
fn files(folder: &Path, endings: &[&str]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(source().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&path, endings)),
            false => {
                let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
                found.extend(endings.contains(&ending.as_str()).then_some(path));
            }
        }
    }
    found
}

/// A path with its `..` taken out.
fn resolved(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                assert!(parts.pop(), "{} leads out of the book", path.display());
            }
            part => parts.push(part),
        }
    }
    parts
}

/// A chapter with what it includes in it, as mdBook puts it there.
fn whole(chapter: &Path) -> String {
    let text = read(&source().join(chapter));
    let folder = source().join(chapter.parent().unwrap());
    let mut whole = String::new();
    let mut parts = text.split("{{#include ");
    whole += parts.next().unwrap();
    for part in parts {
        let (file, rest) = part.split_once("}}").unwrap();
        // `file:3:` is from its third line on, which none of the links is above.
        whole += &read(&folder.join(file.split(':').next().unwrap()));
        whole += rest;
    }
    whole
}

#[test]
fn the_summary_has_every_chapter() {
    let summary = read(&source().join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = targets(&summary).into_iter().map(PathBuf::from).collect();
    let mut there = files(Path::new(""), &["md"]);
    assert!(there.remove(Path::new("SUMMARY.md")));
    assert_eq!(listed, there);
}

#[test]
fn links_lead_somewhere() {
    let mut n_links = 0;
    for chapter in files(Path::new(""), &["md"]) {
        let text = whole(&chapter);
        for target in targets(&text) {
            let shown = chapter.display();
            assert!(!target.contains("://"), "{shown}: {target} is an outside address");
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let to = match path {
                "" => chapter.clone(),
                path => resolved(&chapter.parent().unwrap().join(path)),
            };
            n_links += 1;
            if to.starts_with(MADE) {
                continue;
            }
            assert!(source().join(&to).is_file(), "{shown}: there is no {target}");
            if !anchor.is_empty() {
                let anchors = anchors(&whole(&to));
                assert!(anchors.iter().any(|a| a == anchor), "{shown}: {target} is not there");
            }
        }
    }
    assert!(n_links > 60, "only {n_links} links");
}

#[test]
fn pictures_are_in_light_and_dark_and_all_shown() {
    let mut shown = BTreeSet::new();
    for chapter in files(Path::new(""), &["md"]) {
        let folder = chapter.parent().unwrap();
        shown.extend(
            targets(&read(&source().join(&chapter))).iter().map(|t| resolved(&folder.join(t))),
        );
    }
    for picture in files(Path::new("pictures"), &["svg"]) {
        assert!(shown.contains(&picture), "{} is in no chapter", picture.display());
        let dark =
            picture.to_string_lossy().replace("-dark.svg", ".svg").replace(".svg", "-dark.svg");
        assert!(source().join(&dark).is_file(), "there is no {dark}");
    }
}
