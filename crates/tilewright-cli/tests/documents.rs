//! Every command that a document shows does what the document says.
//!
//! In ```` ```sh ```` blocks a line is a command, and a comment behind it what it prints. In ```` ```console ````
//! blocks a line that begins with `$ ` is a command, and the lines below it are all that it prints, on stdout and
//! stderr. Commands end well, unless the next one is `echo $?`.
//!
//! The pictures of a chapter are what the commands below them draw.
//!
//! With `TILEWRIGHT_SNAPSHOTS=write` in the environment what `console` blocks print is written anew, to be looked at.

// Commands are run as a shell runs them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Folder, example};

/// The question for the exit status of the command before.
const STATUS: &str = "echo $?";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A folder with copies of the examples, and the repository's crates beside them: as in a clone, but for what is written.
fn clone() -> Folder {
    let folder = Folder::new();
    let examples = example().parent().unwrap().to_owned();
    for part in ["", "gptq"] {
        fs::create_dir(folder.path("examples").join(part)).unwrap();
        for file in fs::read_dir(examples.join(part)).unwrap() {
            let file = file.unwrap();
            if file.file_type().unwrap().is_file() {
                let name = Path::new("examples").join(part).join(file.file_name());
                folder.write(name.to_str().unwrap(), &fs::read(file.path()).unwrap());
            }
        }
    }
    std::os::unix::fs::symlink(root().join("crates"), folder.path("crates")).unwrap();
    folder
}

/// Where the command is found first.
fn search_path() -> OsString {
    let command = Path::new(env!("CARGO_BIN_EXE_tilewright"));
    let own = command.parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others))).unwrap()
}

/// Runs a command of a document by the shell, after one that ended with `status`. What it prints, and how it ends.
fn run(folder: &Folder, command: &str, status: i32) -> (String, i32) {
    let command = command.replace("cargo run --release -p tilewright-cli -- ", "tilewright ");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n(exit {status})\n{command}")]);
    let output = shell.current_dir(folder.path("")).env("PATH", search_path()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// The text between a line ```` ```language ```` and the next ```` ``` ````, for each such block.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let start = format!("```{language}\n");
    let (mut blocks, mut at) = (Vec::new(), 0);
    while let Some(found) = text[at..].find(&start) {
        let begin = at + found + start.len();
        let end = begin + text[begin..].find("```").expect("a block is not closed");
        if found == 0 || text[..at + found].ends_with('\n') {
            blocks.push(&text[begin..end]);
        }
        at = end + 3;
    }
    blocks
}

/// A command of a `console` block, with all that stands below it.
struct Shown<'t> {
    command: &'t str,
    output: String,
}

fn shown(block: &str) -> Vec<Shown<'_>> {
    let mut shown: Vec<Shown<'_>> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), shown.last_mut()) {
            (Some(command), _) => shown.push(Shown { command, output: String::new() }),
            (None, Some(last)) => last.output += &format!("{line}\n"),
            (None, None) => panic!("a console block begins with a command: {block}"),
        }
    }
    shown
}

/// Runs the `console` blocks of a document one after another, in one folder. What they print instead of what they say, as
/// blocks.
fn replayed(document: &Path, text: &str) -> Vec<String> {
    let folder = clone();
    let mut status = 0;
    let mut replayed = Vec::new();
    for block in blocks(text, "console") {
        let shown = shown(block);
        let mut said = String::new();
        for (number, Shown { command, .. }) in shown.iter().enumerate() {
            let (printed, code) = run(&folder, command, status);
            let is_asked = shown.get(number + 1).is_some_and(|next| next.command == STATUS);
            assert!(code == 0 || is_asked, "{}: {command}: {code}\n{printed}", document.display());
            said += &format!("$ {command}\n");
            // A document has no blanks at the ends of lines.
            printed.lines().for_each(|line| said += &format!("{}\n", line.trim_end()));
            status = code;
        }
        replayed.push(said);
    }
    replayed
}

/// Holds what the `console` blocks of a document say to what comes out. How many there are.
fn check(document: &Path) -> usize {
    let text = fs::read_to_string(document).unwrap();
    let said = blocks(&text, "console");
    let replayed = replayed(document, &text);
    if is_written_anew() {
        let mut written = text.clone();
        for (old, new) in said.iter().zip(&replayed) {
            let (old, new) = (format!("```console\n{old}```"), format!("```console\n{new}```"));
            written = written.replacen(&old, &new, 1);
        }
        fs::write(document, written).unwrap();
        return said.len();
    }
    for (said, printed) in said.iter().zip(&replayed) {
        assert!(said == printed, "{} says\n{said}\nbut\n{printed}", document.display());
    }
    said.len()
}

fn is_written_anew() -> bool {
    std::env::var("TILEWRIGHT_SNAPSHOTS").is_ok_and(|wish| wish == "write")
}

/// Every Markdown file below a folder.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let pages = files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "md"));
    let mut all: Vec<PathBuf> = pages.collect();
    all.extend(folders.iter().flat_map(|folder| documents(folder)));
    all.sort();
    all
}

/// The chapter shows each picture above the command that draws it: in light as it is, in dark with `--theme dark`.
#[test]
fn pictures_are_drawn_by_the_commands_below_them() {
    let folder = clone();
    let chapter = fs::read_to_string(root().join("book/src/pictures.md")).unwrap();
    let mut n_pictures = 0;
    for command in blocks(&chapter, "sh").into_iter().flat_map(str::lines) {
        let (_, file) = command.split_once(" -o ").unwrap();
        for (option, ending) in [("", ".svg"), (" --theme dark", "-dark.svg")] {
            let (printed, code) = run(&folder, &format!("{command}{option} --force"), 0);
            assert_eq!(code, 0, "{command}{option}: {printed}");
            let committed = file.replace(".svg", ending);
            let committed = fs::read(root().join("book/src/pictures").join(committed)).unwrap();
            assert!(folder.read(file) == committed, "{command}{option}");
        }
        n_pictures += 1;
    }
    assert!(n_pictures >= 17, "only {n_pictures} pictures");
}

const COMMANDS: &str = "\
# The command

What `tilewright --help` says, and of each command `tilewright COMMAND --help`. `tilewright man` has the same as manual pages.

This chapter is written from the program's own words.
";

/// What the help lists, without clap's own `help`.
fn commands(help: &str) -> Vec<&str> {
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let (list, _) = rest.split_once("\n\n").unwrap();
    let is_command = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = list.lines().filter(is_command).map(|line| line.split_whitespace().next().unwrap());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn the_chapter_on_the_command_is_its_help() {
    let help = support::run(&["--help"]).succeeded().stdout;
    let mut chapter = format!("{COMMANDS}\n```text\n{}\n```\n", help.trim_end());
    let commands = commands(&help);
    assert!(commands.len() >= 21, "{commands:?}");
    for command in commands {
        let help = support::run(&[command, "--help"]).succeeded().stdout;
        chapter += &format!("\n## {command}\n\n```text\n{}\n```\n", help.trim_end());
    }
    let lines: Vec<&str> = chapter.lines().map(str::trim_end).collect();
    let chapter = lines.join("\n") + "\n";
    let path = root().join("book/src/reference/command.md");
    if is_written_anew() {
        fs::write(&path, &chapter).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == chapter, "{} is not the help", path.display());
}

#[test]
fn the_readmes_commands_run() {
    let folder = clone();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut n_commands = 0;
    for line in blocks(&readme, "sh").into_iter().flat_map(str::lines) {
        if !["tilewright ", "cargo run "].iter().any(|start| line.starts_with(start)) {
            continue;
        }
        let (printed, code) = run(&folder, line, 0);
        assert_eq!(code, 0, "{line}: {printed}");
        if let Some((_, expected)) = line.split_once("  # ") {
            assert_eq!(printed.trim(), expected.trim(), "{line}");
        }
        n_commands += 1;
    }
    assert!(n_commands >= 40, "only {n_commands} commands found");
}

/// Commands that no test runs: one serves until it is ended, one reads what a program of the reader's has written.
const NOT_RUN: &[&str] =
    &["tilewright explore 'bf16[30,300]{1,0:T(8,128)(2,1)}'", "tilewright hlo dump"];

#[test]
fn few_commands_of_the_book_are_not_run() {
    let chapters = documents(&root().join("book/src"));
    let others = chapters.iter().filter(|chapter| !chapter.ends_with("pictures.md"));
    let mut not_run: Vec<String> = Vec::new();
    for chapter in others {
        let text = fs::read_to_string(chapter).unwrap();
        let lines = blocks(&text, "sh").into_iter().flat_map(str::lines);
        not_run.extend(lines.filter(|line| line.starts_with("tilewright ")).map(str::to_owned));
    }
    not_run.sort();
    assert_eq!(not_run, NOT_RUN);
}

#[test]
fn consoles_show_what_comes_out() {
    assert_eq!(check(&root().join("README.md")), 1);
    let chapters = documents(&root().join("book/src"));
    let n_blocks: usize = std::thread::scope(|scope| {
        let running: Vec<_> =
            chapters.iter().map(|chapter| scope.spawn(|| check(chapter))).collect();
        running.into_iter().map(|chapter| chapter.join().unwrap()).sum()
    });
    assert!(n_blocks >= 30, "only {n_blocks} consoles in the book");
}
