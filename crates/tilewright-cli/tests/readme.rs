//! Every command that the README shows does what the README says.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::path::Path;

use support::{Folder, example};

/// What a line of the README's shell blocks runs, and what it says comes out.
struct Shown {
    arguments: Vec<String>,
    output: Option<String>,
}

fn shown() -> Vec<Shown> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let blocks = readme.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter_map(parse).collect()
}

fn parse(line: &str) -> Option<Shown> {
    let command = ["cargo run --release -p tilewright-cli -- ", "tilewright "]
        .iter()
        .find_map(|start| line.strip_prefix(start))?;
    let (command, output) = match command.split_once("  # ") {
        Some((command, output)) => (command, Some(output.trim().to_owned())),
        None => (command, None),
    };
    Some(Shown { arguments: words(command), output })
}

/// Words as a shell has them, single quotes and nothing else.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in command.split('\'').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[test]
fn the_readmes_commands_run() {
    let folder = Folder::new();
    let examples = example().parent().unwrap().to_owned();
    for part in ["", "gptq"] {
        std::fs::create_dir(folder.path("examples").join(part)).unwrap();
        for file in std::fs::read_dir(examples.join(part)).unwrap() {
            let file = file.unwrap();
            if file.file_type().unwrap().is_file() {
                let name = Path::new("examples").join(part).join(file.file_name());
                folder.write(name.to_str().unwrap(), &std::fs::read(file.path()).unwrap());
            }
        }
    }
    let shown = shown();
    assert!(shown.len() >= 9, "only {} commands found", shown.len());
    for Shown { arguments, output } in shown {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let outcome = folder.run(&arguments);
        assert_eq!(outcome.code, 0, "{arguments:?}: {outcome:?}");
        if let Some(output) = output {
            assert_eq!(outcome.stdout.trim(), output, "{arguments:?}");
        }
    }
}

#[test]
fn the_readmes_error_is_the_commands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let (_, rest) = readme.split_once("$ tilewright show 'f32[3,5]{1,0:T(0,2)}'\n").unwrap();
    let expected = rest.split("```").next().unwrap();
    assert_eq!(support::run(&["show", "f32[3,5]{1,0:T(0,2)}"]).stderr, expected);
}
