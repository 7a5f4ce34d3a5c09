//! `cargo xtask installed [--debian] [--rust]`: what `cargo xtask dist` made, used where there is nothing else.
//!
//! * Each static binary alone in an empty root folder, without a shell, a library or `/proc`, does the tour of the
//!   README. One for another processor is run by QEMU, where `qemu-aarch64-static` is installed.
//! * The wheel for this processor is installed into a new virtual environment, nothing being compiled, and does the
//!   README's tour of Python.
//! * With `--debian`, both again in a new Debian without Rust and compilers, made by debootstrap: the Debian package
//!   by dpkg, the wheel by pip. The wheel for the other processor is run by QEMU, with the Python of a Debian for that one.
//! * With `--rust`, the crates and the Python package's source, built where there is nothing of this repository.
//!
//! It takes root: a root folder is changed.

mod built;
mod emulated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::dist::PROCESSORS;
use crate::environment::{copy, root, succeed, target};
use crate::say;

/// Runs the README's Python: a line with a comment is an expression, and what it gives.
const TOUR: &str = r##"
import sys
text = open(sys.argv[1]).read().split("```python\n")[1].split("```")[0]
names, count = {}, 0
for line in text.splitlines():
    code, _, expected = line.partition("  # ")
    if expected:
        found = repr(eval(code, names))
        assert found == expected.strip() or code.startswith("tw.draw"), (line, found)
        count += 1
    elif code.strip():
        exec(code, names)
assert count >= 8, count
print(f"{count} answers of the README's Python, with {names['tw'].__file__}")
"##;

const OPTIONS: [&str; 2] = ["--debian", "--rust"];

/// Uses all of it.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let is_asked = |option: &str| arguments.iter().any(|argument| argument == option);
    let used = match arguments.iter().all(|argument| OPTIONS.contains(&argument.as_str())) {
        true => used(is_asked(OPTIONS[0]), is_asked(OPTIONS[1])),
        false => Err(format!("usage: cargo xtask installed [{}] [{}]", OPTIONS[0], OPTIONS[1])),
    };
    match used {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("installed: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn used(in_debian: bool, with_rust: bool) -> Result<(), String> {
    for processor in PROCESSORS {
        use_binary(processor)?;
    }
    use_wheel()?;
    if in_debian {
        used_in_debian()?;
        let others = PROCESSORS.iter().filter(|&&other| other != std::env::consts::ARCH);
        others.copied().try_for_each(emulated::use_wheel)?;
    }
    match with_rust {
        true => built::use_sources(),
        false => Ok(()),
    }
}

/// The binary in a folder that is the whole world to it.
fn use_binary(processor: &str) -> Result<(), String> {
    let world = emptied(&format!("bare-{processor}"))?;
    unpack(processor, &world)?;
    let mut chroot = vec![world.display().to_string()];
    if processor != std::env::consts::ARCH {
        let emulator = format!("qemu-{processor}-static");
        let Some(emulator) = found(&emulator) else {
            say(&format!("not run: the binary for {processor}: there is no {emulator}"));
            return Ok(());
        };
        copy(&emulator, &world.join("emulator"))?;
        chroot.push("/emulator".to_owned());
    }
    chroot.push("/tilewright".to_owned());
    let count = tour(&|words| {
        let mut command = Command::new("chroot");
        command.args(&chroot).args(words);
        command
    })?;
    say(&format!("{processor}: {count} commands of the README, alone in an empty folder"));
    Ok(())
}

/// The archive's command, the examples and the README, at the top of a folder.
fn unpack(processor: &str, folder: &Path) -> Result<(), String> {
    let archive = made(&format!("-{processor}-linux.tar.gz"))?;
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--strip-components=1", "--file"]).arg(archive);
    succeed(tar.arg("--directory").arg(folder))?;
    with_examples(folder)
}

fn with_examples(folder: &Path) -> Result<(), String> {
    succeed(Command::new("cp").arg("--recursive").arg(root()?.join("examples")).arg(folder))
}

/// Every command of the README's shell blocks, one after the other. How many there are.
fn tour(command: &dyn Fn(&[String]) -> Command) -> Result<usize, String> {
    let readme = root()?.join("README.md");
    let text =
        fs::read_to_string(&readme).map_err(|error| format!("{}: {error}", readme.display()))?;
    let shown = shown(&text);
    for (words, expected) in &shown {
        let output = command(words).output().map_err(|error| format!("{words:?}: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let is_right = expected.as_ref().is_none_or(|expected| said.trim() == expected);
        if !output.status.success() || !is_right {
            let words = words.join(" ");
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!("tilewright {words}: {}\n{said}{why}", output.status));
        }
    }
    Ok(shown.len())
}

/// The words of each command, quoted as a shell has them, and what comes out where the README says it.
fn shown(readme: &str) -> Vec<(Vec<String>, Option<String>)> {
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let starts = ["cargo run --release -p tilewright-cli -- ", "tilewright "];
    let commands = blocks.flat_map(str::lines);
    let commands =
        commands.filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)));
    let read = |line: &str| {
        let (command, expected) = match line.split_once("  # ") {
            Some((command, expected)) => (command, Some(expected.trim().to_owned())),
            None => (line, None),
        };
        let mut words = Vec::new();
        for (number, part) in command.split('\'').enumerate() {
            match number % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        (words, expected)
    };
    commands.map(read).collect()
}

/// The wheel in an environment of its own.
fn use_wheel() -> Result<(), String> {
    let home = emptied("venv")?;
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    let python = home.join("bin/python");
    let pip = |words: &[&str]| {
        let mut pip = Command::new(&python);
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
        ]);
        pip.args(words);
        pip
    };
    succeed(&mut pip(&["numpy", "ml_dtypes"]))?;
    let wheel = made(&format!("_{}.whl", std::env::consts::ARCH))?;
    let begin = Instant::now();
    succeed(pip(&["--no-deps"]).arg(&wheel))?;
    say(&format!("the wheel is installed in {:.1} s", begin.elapsed().as_secs_f64()));
    let mut tour = Command::new(&python);
    tour.args(["-c", TOUR]).arg(root()?.join("README.md"));
    succeed(tour.current_dir(emptied("python-tour")?))
}

/// All of it in a Debian that is made for it, with Python and without anything that compiles.
fn used_in_debian() -> Result<(), String> {
    let world = emptied("debian")?;
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--variant=minbase", "--include=python3-venv", "bookworm"]).arg(&world);
    succeed(debootstrap.stdout(std::process::Stdio::null()))?;
    let tools = ["cc", "gcc", "clang", "rustc", "cargo", "ld"];
    if let Some(tool) = tools.iter().find(|tool| world.join("usr/bin").join(tool).exists()) {
        return Err(format!("there is a compiler in the new Debian: {tool}"));
    }
    let deb = made(&format!("{}.deb", debian_name(std::env::consts::ARCH)))?;
    let wheel = made(&format!("_{}.whl", std::env::consts::ARCH))?;
    copy(&deb, &world.join("tilewright.deb"))?;
    let wheels = world.join("wheels");
    fs::create_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    copy(&wheel, &wheels.join(wheel.file_name().unwrap_or_default()))?;
    // What pip would fetch is fetched outside: the new Debian has no network.
    let mut download = Command::new("python3");
    download.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
    ]);
    download.args(["--python-version", "3.11", "--dest"]).arg(&wheels);
    succeed(download.args(["numpy", "ml_dtypes"]))?;
    with_examples(&world)?;
    copy(&root()?.join("README.md"), &world.join("README.md"))?;
    let inside = |words: &[&str]| {
        let mut command = Command::new("chroot");
        command.arg(&world).args(words);
        // Of this machine's settings it knows none.
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command
    };
    succeed(&mut inside(&["dpkg", "--install", "/tilewright.deb"]))?;
    let count = tour(&|words| {
        let mut command = inside(&["tilewright"]);
        command.args(words);
        command
    })?;
    say(&format!("Debian: {count} commands of the README, from the package"));
    succeed(&mut inside(&["python3", "-m", "venv", "/venv"]))?;
    let begin = Instant::now();
    let pip = [
        "/venv/bin/pip",
        "install",
        "--quiet",
        "--no-index",
        "--find-links",
        "/wheels",
        "tilewright[types]",
    ];
    succeed(&mut inside(&pip))?;
    say(&format!(
        "Debian: the wheel, numpy and ml_dtypes are installed in {:.1} s",
        begin.elapsed().as_secs_f64()
    ));
    succeed(&mut inside(&["/venv/bin/python", "-c", TOUR, "/README.md"]))
}

/// What Debian calls a kind of processor.
fn debian_name(processor: &str) -> &str {
    match processor {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// The one file of the release whose name ends so.
fn made(end: &str) -> Result<PathBuf, String> {
    let folder = target()?.join("dist");
    let files = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = files.flatten().map(|file| file.path());
    let mut files = files.filter(|file| file.to_string_lossy().ends_with(end));
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file),
        _ => Err(format!("there is not one file …{end} in {}: cargo xtask dist", folder.display())),
    }
}

/// A folder below `target/installed`, with nothing in it.
fn emptied(name: &str) -> Result<PathBuf, String> {
    let folder = target()?.join("installed").join(name);
    let made = match folder.exists() {
        true => fs::remove_dir_all(&folder).and_then(|()| fs::create_dir_all(&folder)),
        false => fs::create_dir_all(&folder),
    };
    made.map(|()| folder.clone()).map_err(|error| format!("{}: {error}", folder.display()))
}

fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tour_is_read() {
        let readme = include_str!("../../README.md");
        let shown = super::shown(readme);
        assert!(shown.len() >= 30, "{}", shown.len());
        let index = ["index", "f32[3,5]{1,0:T(2,2)}", "2,3"].map(str::to_owned);
        assert!(shown.contains(&(index.to_vec(), Some("17".to_owned()))));
    }
}
