//! `man`: manual pages, one for the whole and one for each command.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use support::{Folder, run};

/// The commands that the help lists, without clap's own `help`.
fn commands() -> Vec<String> {
    let help = run(&["--help"]).succeeded().stdout;
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let (list, _) = rest.split_once("\n\n").unwrap();
    let is_command = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = list.lines().filter(is_command).map(|line| line.split_whitespace().next().unwrap());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The long options that a command's help lists.
fn options(command: &str) -> Vec<String> {
    let help = run(&[command, "--help"]).succeeded().stdout;
    let starts = help.lines().filter(|line| line.trim_start().starts_with('-'));
    let words =
        starts.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")));
    words.map(str::to_owned).collect()
}

/// A page as a person reads it, as far as hyphens go.
fn plain(page: &[u8]) -> String {
    String::from_utf8(page.to_vec()).unwrap().replace("\\-", "-")
}

#[test]
fn every_command_has_a_page_with_its_options() {
    let folder = Folder::new();
    folder.run(&["man", "--output", "pages"]).succeeded();
    let commands = commands();
    assert!(commands.len() >= 21, "{commands:?}");
    let mut names: Vec<String> =
        commands.iter().map(|name| format!("tilewright-{name}.1")).collect();
    names.push("tilewright.1".to_owned());
    names.sort();
    let mut written: Vec<String> = std::fs::read_dir(folder.path("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    written.sort();
    assert_eq!(written, names);
    let mut n_options = 0;
    for command in &commands {
        let page = plain(&folder.read(&format!("pages/tilewright-{command}.1")));
        assert!(page.contains(&format!("\ntilewright-{command} - ")), "{command} has no name");
        for option in options(command) {
            assert!(page.contains(&option), "{option} is missing on the page of {command}");
            n_options += 1;
        }
    }
    assert!(n_options > 100, "{n_options}");
    let whole = plain(&folder.read("pages/tilewright.1"));
    for command in &commands {
        assert!(whole.contains(&format!("tilewright-{command}(1)")), "{command} is not listed");
    }
    assert!(whole.contains("Exit status: 0"));
}

#[test]
fn a_page_on_stdout_is_that_of_the_folder() {
    let folder = Folder::new();
    folder.run(&["man", "-o", "."]).succeeded();
    let shown = folder.run(&["man", "draw"]).succeeded().stdout;
    assert_eq!(shown.as_bytes(), folder.read("tilewright-draw.1"));
    let whole = folder.run(&["man"]).succeeded().stdout;
    assert_eq!(whole.as_bytes(), folder.read("tilewright.1"));
    // What is there stays unless it is said that it may go.
    folder.run(&["man", "-o", "."]).failed_with(&["tilewright.1", "--force"]);
    folder.run(&["man", "-o", ".", "--force"]).succeeded();
    folder.run(&["man", "nothing"]).failed_with(&["there is no command `nothing`"]);
}
