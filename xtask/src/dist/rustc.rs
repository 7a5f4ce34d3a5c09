//! The compiler as the wheels are built by it: what it makes says nothing of where the source lay.
//!
//! Cargo gives each crate a number (`-C metadata`), which goes into the names of symbols and the ids of types. For a
//! crate that is not below the workspace it is a hash of the crate's folder, too, and the Python package is a workspace
//! of its own, beside the crates that it stands on. So `dist` names itself as `RUSTC_WRAPPER`, and numbers our crates by
//! their names, which are different, and the version.

use std::process::{Command, ExitCode};

use crate::say;

/// Set where cargo calls this program for the compiler.
pub(crate) const IS_WRAPPED: &str = "TILEWRIGHT_DIST_WRAPS_RUSTC";

/// Runs the compiler, the first of the words, with the others.
pub(crate) fn run(words: &[String]) -> ExitCode {
    let Some((compiler, words)) = words.split_first() else {
        say("dist: this is called by cargo, with a compiler and its options");
        return ExitCode::FAILURE;
    };
    let status = Command::new(compiler).args(numbered(words)).env_remove(IS_WRAPPED).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)),
        Err(error) => {
            say(&format!("dist: cannot run {compiler}: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The options, with a number of ours for a crate of ours.
fn numbered(words: &[String]) -> Vec<String> {
    let is_ours =
        words.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1].starts_with("tilewright"));
    let number = |word: &String| match word.starts_with("metadata=") && is_ours {
        true => format!("metadata={}", env!("CARGO_PKG_VERSION")),
        false => word.clone(),
    };
    words.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn our_crates_are_numbered_by_name_and_version() {
        let numbered = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            super::numbered(&words).join(" ")
        };
        let ours = "--crate-name tilewright_view a.rs -C metadata=8c0f -C extra-filename=-12";
        let now = format!("-C metadata={} ", env!("CARGO_PKG_VERSION"));
        assert_eq!(numbered(ours), ours.replace("-C metadata=8c0f ", &now));
        for other in ["--crate-name memchr a.rs -C metadata=8c0f", "-vV", "--print cfg"] {
            assert_eq!(numbered(other), other);
        }
    }
}
