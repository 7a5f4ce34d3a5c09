//! The wheel for another processor, in the files of a Debian for that one, run by QEMU's user emulation.
//!
//! Nothing of it is set up: programs of that Debian would have to start each other, which the kernel would have to be told.
//! Its packages are unpacked, and Python is started alone.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{TOUR, debian_name, emptied, found, made};
use crate::environment::{copy, root, succeed};
use crate::say;

/// What numpy's and `ml_dtypes`' wheels may ask of the C library: up to that of the Debian.
const PLATFORMS: [&str; 4] =
    ["manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28"];

/// The README's Python with the wheel for a processor.
pub(super) fn use_wheel(processor: &str) -> Result<(), String> {
    let Some(emulator) = found(&format!("qemu-{processor}-static")) else {
        say(&format!("not run: the wheel for {processor}: there is no qemu-{processor}-static"));
        return Ok(());
    };
    let world = emptied(&format!("debian-{processor}"))?;
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--foreign", "--variant=minbase", "--include=python3"]);
    debootstrap.arg(format!("--arch={}", debian_name(processor))).arg("bookworm").arg(&world);
    succeed(debootstrap.stdout(Stdio::null()))?;
    unpack_all(&world)?;
    install(processor, &world)?;
    copy(&emulator, &world.join("emulator"))?;
    copy(&root()?.join("README.md"), &world.join("README.md"))?;
    let begin = Instant::now();
    let mut tour = Command::new("chroot");
    tour.arg(&world).args(["/emulator", "/usr/bin/python3", "-c", TOUR, "/README.md"]);
    succeed(
        tour.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("PYTHONPATH", "/wheels"),
    )?;
    say(&format!("{processor}: the tour of Python took {:.1} s", begin.elapsed().as_secs_f64()));
    Ok(())
}

/// Every package that debootstrap has fetched. `/lib` is a link there and a folder in packages: it stays a link.
fn unpack_all(world: &Path) -> Result<(), String> {
    let archives = world.join("var/cache/apt/archives");
    let packages =
        fs::read_dir(&archives).map_err(|error| format!("{}: {error}", archives.display()))?;
    let packages = packages.flatten().map(|file| file.path());
    for package in packages.filter(|file| file.extension().is_some_and(|end| end == "deb")) {
        let files = world.join("files.tar");
        let tar = File::create(&files).map_err(|error| format!("{}: {error}", files.display()))?;
        succeed(Command::new("dpkg-deb").arg("--fsys-tarfile").arg(&package).stdout(tar))?;
        let mut unpack = Command::new("tar");
        unpack.args(["--extract", "--keep-directory-symlink", "--directory"]).arg(world);
        succeed(unpack.arg("--file").arg(&files))?;
    }
    Ok(())
}

/// The wheel and what it stands on, by the pip of this machine, which looks at the names of wheels as the other's would.
fn install(processor: &str, world: &Path) -> Result<(), String> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip.args(["--only-binary", ":all:", "--python-version", "3.11", "--implementation", "cp"]);
    pip.args(PLATFORMS.map(|platform| format!("--platform={platform}_{processor}")));
    pip.arg("--target").arg(world.join("wheels"));
    let mut wheel = made(&format!("_{processor}.whl"))?.into_os_string();
    wheel.push("[types]");
    succeed(pip.arg(wheel))
}
