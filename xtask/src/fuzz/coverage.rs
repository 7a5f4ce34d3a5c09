//! What of the code the fuzzers reach: the seeds, the corpus and some mutations, in a build that counts.
//!
//! A line is reached if anything on it has been run. What a function says when it is made for types that no fuzzer uses is not
//! in it, nor is what the compiler leaves out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Options, Places, each};
use crate::environment::{output, root, succeed};
use crate::say;

/// How many mutations of each target are run beside its corpus.
const MUTATIONS: &str = "20000";

/// So many of the longest pieces of code that nothing reaches are named.
const MOST_PIECES: usize = 60;

/// Shorter ones are not.
const LEAST_LINES: usize = 6;

/// The lines of a file that are code, with how often each was run.
type Lines = BTreeMap<usize, u64>;

/// Builds, runs every target, and says what was reached.
pub(super) fn run(options: &Options, places: &Places) -> Result<(), String> {
    let home = places.home.join("coverage");
    fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let program = build(&home)?;
    let profiles = each(options, |name| profile(places, &home, &program, name))?;
    let tool = |name| llvm(name);
    let merged = home.join("all.profdata");
    let mut merge = Command::new(tool("llvm-profdata")?);
    succeed(merge.args(["merge", "-sparse", "-o"]).arg(&merged).args(profiles.iter().flatten()))?;
    let mut export = Command::new(tool("llvm-cov")?);
    export.args(["export", "-format=lcov", "-instr-profile"]).arg(&merged).arg(&program);
    let files = files(&output(&mut export)?, &root()?.join("crates"));
    say_crates(&files);
    let never = never(&files);
    let list = home.join("never.txt");
    fs::write(&list, never.join("\n") + "\n").map_err(|e| format!("{}: {e}", list.display()))?;
    say(&format!("the longest pieces that nothing reaches, all of them in {}:", list.display()));
    never.iter().take(MOST_PIECES).for_each(|piece| say(piece));
    Ok(())
}

/// The program that runs mutations, built so that it counts, by a compiler whose tools can read what it counts.
fn build(home: &Path) -> Result<PathBuf, String> {
    let mut build = Command::new("cargo");
    build.args(["+nightly", "build", "--package", "tilewright-fuzz", "--example", "mutated"]);
    build.args(["--profile", "checked", "--config", "profile.checked.debug=false"]);
    build.env("RUSTFLAGS", "-Cinstrument-coverage").env("CARGO_TARGET_DIR", home.join("build"));
    // Build scripts and procedural macros are counted too, somewhere else.
    build.env("LLVM_PROFILE_FILE", home.join("build.profraw"));
    succeed(build.current_dir(root()?))?;
    Ok(home.join("build/checked/examples/mutated"))
}

/// A tool of the component `llvm-tools`.
fn llvm(name: &str) -> Result<PathBuf, String> {
    let mut rustc = Command::new("rustc");
    let folder = output(rustc.args(["+nightly", "--print", "target-libdir"]))?;
    let tool = Path::new(folder.trim()).with_file_name("bin").join(name);
    let missing = || format!("no {name}: `rustup component add llvm-tools --toolchain nightly`");
    tool.is_file().then_some(tool).ok_or_else(missing)
}

/// What one target reaches, as files.
fn profile(
    places: &Places,
    home: &Path,
    program: &Path,
    name: &str,
) -> Result<[PathBuf; 2], String> {
    let corpus = places.folder("corpus", name)?;
    let run = |what: &str, options: &[&str]| {
        let file = home.join(format!("{name}-{what}.profraw"));
        let mut run = Command::new(program);
        run.arg(name).args(options).arg("--corpus").arg(&corpus).env("LLVM_PROFILE_FILE", &file);
        succeed(run.stdout(Stdio::null())).map(|()| file)
    };
    say(name);
    let as_they_are = run("corpus", &["1000000", "--unchanged"])?;
    let mutated = run("mutated", &[MUTATIONS, "--seconds", "60"])?;
    Ok([as_they_are, mutated])
}

/// The files below a folder, of what `llvm-cov` says: `SF:` names a file, `DA:` a line and how often it was run.
fn files(lcov: &str, folder: &Path) -> BTreeMap<PathBuf, Lines> {
    let mut files: BTreeMap<PathBuf, Lines> = BTreeMap::new();
    let mut file = None;
    for line in lcov.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            let path = Path::new(path).strip_prefix(folder).ok();
            let path = path.filter(|path| !path.starts_with("tilewright-fuzz"));
            file = path.map(|path| files.entry(path.to_owned()).or_default());
        }
        let counted = line.strip_prefix("DA:").and_then(|counted| counted.split_once(','));
        if let (Some(file), Some((line, times))) = (&mut file, counted)
            && let (Ok(line), Ok(times)) = (line.parse(), times.parse::<u64>())
        {
            *file.entry(line).or_default() += times;
        }
    }
    files
}

/// How many lines there are, and how many were run.
fn count(lines: &Lines) -> [usize; 2] {
    [lines.len(), lines.values().filter(|times| **times > 0).count()]
}

fn percent([all, reached]: [usize; 2]) -> f64 {
    100.0 * reached as f64 / all.max(1) as f64
}

/// A line for each crate, and below it for each of its files and folders.
fn say_crates(files: &BTreeMap<PathBuf, Lines>) {
    let mut rows: BTreeMap<(String, String), [usize; 2]> = BTreeMap::new();
    for (path, lines) in files {
        let mut parts = path.iter().map(|part| part.to_string_lossy().into_owned());
        let (name, module) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
        for module in [String::new(), module] {
            let row = rows.entry((name.clone(), module)).or_default();
            let counted = count(lines);
            (row[0], row[1]) = (row[0] + counted[0], row[1] + counted[1]);
        }
    }
    say("reached     lines of     in");
    for ((name, module), row) in rows {
        let place = if module.is_empty() { name } else { format!("    {module}") };
        say(&format!("{:>6.1} % {:>6} {:>6}  {place}", percent(row), row[1], row[0]));
    }
}

/// Lines that follow each other and were never run, the longest first, with the function that they are in.
fn never(files: &BTreeMap<PathBuf, Lines>) -> Vec<String> {
    let mut pieces = Vec::new();
    for (path, lines) in files {
        let source =
            root().ok().and_then(|root| fs::read_to_string(root.join("crates").join(path)).ok());
        let source: Vec<&str> = source.iter().flat_map(|text| text.lines()).collect();
        let mut piece: Vec<usize> = Vec::new();
        for (&line, &times) in lines.iter().chain([(&usize::MAX, &1)]) {
            if times == 0 {
                piece.push(line);
            } else if let (Some(first), Some(last)) = (piece.first(), piece.last()) {
                let words =
                    format!("{}:{first}-{last} {}", path.display(), function(&source, *first));
                pieces.push((piece.len(), words));
                piece.clear();
            }
        }
    }
    pieces.retain(|(length, _)| *length >= LEAST_LINES);
    pieces.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    pieces.into_iter().map(|(length, words)| format!("{length:>5} lines  {words}")).collect()
}

/// The name of the function that a line is in or begins.
fn function<'t>(source: &[&'t str], line: usize) -> &'t str {
    let above = source.iter().take(line).rev();
    let mut names = above.filter_map(|text| {
        let (before, after) = text.split_once("fn ")?;
        let is_declared = before.split_whitespace().all(|word| {
            word.starts_with("pub") || ["const", "unsafe", "in", "super)", "async"].contains(&word)
        });
        is_declared.then(|| after.split(['(', '<']).next().unwrap_or(after))
    });
    names.next().unwrap_or("?")
}
