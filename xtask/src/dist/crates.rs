//! The crates as they are published. Cargo packages them all, unpacks what it has packaged, and builds each from that
//! and from the packages of the others: what a package has left out is missed here.

use std::fs;
use std::process::Command;

use super::{Release, named};
use crate::environment::{copy, succeed};

/// Crates of the workspace that are not published (`publish = false`), which cargo packages all the same.
const KEPT: [&str; 5] =
    ["tilewright-book", "tilewright-fuzz", "tilewright-python", "tilewright-wasm", "xtask"];

/// Packages, builds, and keeps the `.crate` files.
pub(super) fn make(release: &Release) -> Result<(), String> {
    let packages = release.target.join("package");
    if packages.exists() {
        // Of earlier versions and of crates that are none any more.
        fs::remove_dir_all(&packages).map_err(|error| named(&packages, &error))?;
    }
    let mut cargo = Command::new("cargo");
    cargo.args(["package", "--workspace", "--locked"]);
    cargo.args(KEPT.iter().flat_map(|name| ["--exclude", name]));
    // What is published is the commit, unless it is said that this is a trial.
    cargo.args(std::env::var_os("DIST_ALLOW_DIRTY").map(|_| "--allow-dirty"));
    cargo.env("SOURCE_DATE_EPOCH", &release.epoch).env("CARGO_TARGET_DIR", &release.target);
    succeed(cargo.current_dir(&release.root))?;
    let files = fs::read_dir(&packages).map_err(|error| named(&packages, &error))?;
    for file in files.flatten().map(|file| file.path()) {
        if let (Some("crate"), Some(name)) =
            (file.extension().and_then(|e| e.to_str()), file.file_name())
        {
            copy(&file, &release.folder.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    /// The crates that say so themselves are left out, and no others.
    #[test]
    fn what_is_not_published_is_not_packaged() {
        let root = crate::environment::root().unwrap();
        let workspace = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        let members = workspace.split("\nmembers = [").nth(1).unwrap().split(']').next().unwrap();
        let is_kept = |member: &&str| {
            let manifest = root.join(member).join("Cargo.toml");
            std::fs::read_to_string(manifest).unwrap().contains("\npublish = false\n")
        };
        let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
        let kept: Vec<&str> = members
            .into_iter()
            .filter(is_kept)
            .filter_map(|member| member.rsplit('/').next())
            .collect();
        let (mut kept, mut named) = (kept, super::KEPT.to_vec());
        kept.sort_unstable();
        named.sort_unstable();
        assert_eq!(kept, named);
    }
}
