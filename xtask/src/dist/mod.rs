//! `cargo xtask dist [PART…] [--output FOLDER] [--compare]`: what a release is made of, in `target/dist`.
//!
//! | part | makes |
//! |---|---|
//! | `crates` | every crate that is published, as cargo packages it, built from the packaged files alone |
//! | `binaries` | the command, static, for x86-64 and aarch64 |
//! | `packages` | those with manual pages, completions and licences, as archives and Debian packages |
//! | `wheels` | wheels of the Python package for every Python from 3.11 on, and its source |
//! | `bill` | what is in the command and in the wheels, as CycloneDX |
//!
//! Without a part it makes all of them, and `SHA256SUMS` over what is there. The same commit gives the same bytes of
//! archives, binaries and wheels wherever it is built by the same tools: times are the commit's
//! (`SOURCE_DATE_EPOCH`), and no path of the machine is in them, which is looked for. `--compare` makes it a second time,
//! elsewhere, and holds what lies in the folder to that.

mod bill;
mod binaries;
mod compare;
mod crates;
mod documents;
mod packages;
mod wheels;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::environment::{output, root, target};
use crate::say;

const USAGE: &str = "usage: cargo xtask dist [crates] [binaries] [packages] [wheels] [bill] \
                     [--output FOLDER] [--compare]";

/// Whose processors the command and the wheels are for.
pub(crate) const PROCESSORS: [&str; 2] = ["x86_64", "aarch64"];

/// Loops begin at lines of the instruction cache: a short one takes up to a third longer where it begins elsewhere.
const ALIGNED_LOOPS: &str = "-Cllvm-args=--align-loops=64";

/// What is released, and where it goes.
pub(crate) struct Release {
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    /// Where the release lies.
    pub(crate) folder: PathBuf,
    pub(crate) version: String,
    /// The time that everything in it has, in seconds since 1970.
    pub(crate) epoch: String,
}

type Part = (&'static str, fn(&Release) -> Result<(), String>);

const PARTS: [Part; 5] = [
    ("crates", crates::make),
    ("binaries", binaries::make),
    ("packages", packages::make),
    ("wheels", wheels::make),
    ("bill", bill::make),
];

/// Makes the parts that are named, or all.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    match make(arguments) {
        Ok(folder) => {
            say(&format!("the release is in {}", folder.display()));
            ExitCode::SUCCESS
        }
        Err(message) => {
            say(&format!("dist: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn make(arguments: &[String]) -> Result<PathBuf, String> {
    let asked = Asked::read(arguments)?;
    let folder = match asked.folder {
        Some(folder) => folder,
        None => target()?.join("dist"),
    };
    let release = Release::of(root()?, target()?, &folder)?;
    match asked.is_compared {
        true => compare::compare(&asked.parts, &release)?,
        false => make_parts(&asked.parts, &release)?,
    }
    Ok(release.folder)
}

fn make_parts(parts: &[Part], release: &Release) -> Result<(), String> {
    fs::create_dir_all(&release.folder).map_err(|error| named(&release.folder, &error))?;
    for (name, make) in parts {
        let begin = Instant::now();
        say(&format!("== {name}"));
        make(release)?;
        say(&format!("== {name}: {} s", begin.elapsed().as_secs()));
    }
    write_sums(release)
}

/// What is to be done.
#[derive(Default)]
struct Asked {
    parts: Vec<Part>,
    folder: Option<PathBuf>,
    is_compared: bool,
}

impl Asked {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let mut asked = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match PARTS.iter().find(|(name, _)| name == argument) {
                Some(part) => asked.parts.push(*part),
                None if argument == "--compare" => asked.is_compared = true,
                None if argument == "--output" => {
                    asked.folder = Some(rest.next().ok_or(USAGE)?.into());
                }
                None => return Err(USAGE.to_owned()),
            }
        }
        if asked.parts.is_empty() {
            asked.parts.extend(PARTS);
        }
        Ok(asked)
    }
}

impl Release {
    fn of(root: PathBuf, target: PathBuf, folder: &Path) -> Result<Self, String> {
        let folder = std::path::absolute(folder).map_err(|error| named(folder, &error))?;
        let epoch = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(epoch) => epoch,
            Err(_) => {
                output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(&root))?
            }
        };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(Release { root, target, folder, version, epoch: epoch.trim().to_owned() })
    }

    /// The options of rustc for a target: those that leave the paths of this machine out of what it builds, and what
    /// `.cargo/config.toml` has for every build, which they take the place of.
    pub(crate) fn options(&self, triple: &str) -> Result<String, String> {
        let sources = cargo_home()?.join("registry/src");
        let maps = [(&self.root, "/tilewright"), (&self.target, "/target"), (&sources, "/crates")];
        let mut options = Vec::from(
            maps.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())),
        );
        if triple.starts_with("x86_64") {
            options.push(ALIGNED_LOOPS.to_owned());
        }
        Ok(options.join("\x1f"))
    }

    /// That no path of this machine is in a file.
    pub(crate) fn has_no_paths(&self, file: &Path) -> Result<(), String> {
        let bytes = fs::read(file).map_err(|error| named(file, &error))?;
        for path in [self.root.clone(), self.target.clone(), cargo_home()?] {
            let path = path.display().to_string();
            if bytes.windows(path.len()).any(|window| window == path.as_bytes()) {
                return Err(format!("{} has the path {path} in it", file.display()));
            }
        }
        Ok(())
    }
}

fn cargo_home() -> Result<PathBuf, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    home.ok_or_else(|| "where cargo keeps sources is unknown: set CARGO_HOME".to_owned())
}

/// The checksums of all files, as `sha256sum --check` reads them.
fn write_sums(release: &Release) -> Result<(), String> {
    let names = names(&release.folder)?;
    let mut sums = Command::new("sha256sum");
    let sums = output(sums.arg("--").args(&names).current_dir(&release.folder))?;
    let file = release.folder.join(SUMS);
    fs::write(&file, sums).map_err(|error| named(&file, &error))
}

const SUMS: &str = "SHA256SUMS";

/// The names of the files in a folder, sorted, but for the sums.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| named(folder, &error))?;
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = files
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| name != SUMS)
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// A folder with nothing in it.
fn emptied(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| named(folder, &error))?;
    }
    fs::create_dir_all(folder).map_err(|error| named(folder, &error))
}

fn named(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_are_read() {
        let read = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let asked = super::Asked::read(&words);
            asked.map(|asked| (asked.parts.len(), asked.folder, asked.is_compared))
        };
        assert_eq!(read(""), Ok((5, None, false)));
        assert_eq!(read("wheels crates --output x"), Ok((2, Some("x".into()), false)));
        assert_eq!(read("bill --compare"), Ok((1, None, true)));
        assert!(read("--output").is_err() && read("boats").is_err());
    }

    /// A release is built for x86-64 with what every other build of the workspace is, and for others without.
    #[test]
    fn loops_are_aligned_everywhere() {
        let root = super::root().unwrap();
        let config = std::fs::read_to_string(root.join(".cargo/config.toml")).unwrap();
        assert!(config.contains(&format!("[\"{}\"]", super::ALIGNED_LOOPS)), "{config}");
        let [target, folder] = ["target", "target/dist"].map(|folder| root.join(folder));
        let release =
            super::Release { root, target, folder, version: "1".into(), epoch: "0".into() };
        let options = super::PROCESSORS
            .map(|processor| release.options(&format!("{processor}-unknown-linux-gnu")).unwrap());
        let is_aligned = options.map(|options| options.ends_with(super::ALIGNED_LOOPS));
        assert_eq!(is_aligned, [true, false]);
    }
}
