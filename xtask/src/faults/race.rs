//! Two writers of one name, the first of which is held up at each of its renames, while a reader
//! looks on.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Tally;
use super::scenario::done;
use crate::say;

/// How long a rename takes, in microseconds: long enough for the other writer to come from its
/// beginning to its end, if it is let.
const DELAY: &str = "500000";

/// The layouts of the two writers; the arrays that they write differ in every byte but the zeros.
const LAYOUTS: [&str; 2] = ["{1,0:T(2,2)}", "{0,1:T(2,2)}"];

pub(crate) fn run(
    command: &Path,
    scratch: &Path,
    step: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    for target in ["w.npy", "w.bin"] {
        for call in ["rename", "renameat2", "linkat"] {
            for at in (1..=4).step_by(step) {
                let outcome = race(command, &scratch.join("race"), target, call, at);
                *tally.runs.entry("two writers and a reader".to_owned()).or_default() += 1;
                if let Err(wrong) = outcome {
                    tally.complaints.push(format!("{target}, held up at {call} {at}: {wrong}"));
                }
            }
        }
    }
    say("two writers: done");
    Ok(())
}

fn race(command: &Path, folder: &Path, target: &str, call: &str, at: usize) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).map_err(failed)?;
    std::fs::write(folder.join("in.npy"), super::scenario::npy()).map_err(failed)?;
    done(command, &["convert", "in.npy", "-o", target, "--to", LAYOUTS[0]], folder)?;
    let arguments = |layout| ["convert", "in.npy", "-o", target, "--to", layout, "--force"];
    let delay = format!("inject={call}:delay_enter={DELAY}:when={at}");
    let mut held = Command::new("strace");
    held.args(["-f", "-o", "/dev/null", "-e", &delay]).arg(command).args(arguments(LAYOUTS[0]));
    let quiet = |command: &mut Command| command.current_dir(folder).stdout(Stdio::null()).spawn();
    let mut held = quiet(&mut held).map_err(failed)?;
    let mut other = quiet(Command::new(command).args(arguments(LAYOUTS[1]))).map_err(failed)?;
    let mut wrong = Ok(());
    loop {
        let ended = [&mut held, &mut other].map(|child| child.try_wait().ok().flatten());
        wrong = wrong.and_then(|()| read(command, folder, target));
        if let [Some(one), Some(two)] = ended {
            let both = one.success() && two.success();
            return wrong
                .and_then(|()| if both { Ok(()) } else { Err("a writer failed".to_owned()) });
        }
    }
}

/// A reader: the array in its layout is the one that was written.
fn read(command: &Path, folder: &Path, target: &str) -> Result<(), String> {
    let output =
        Command::new(command).args(["verify", "in.npy", target]).current_dir(folder).output();
    let output = output.map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}
