//! Whether all is as it may be after a fault.

use super::Failing;
use super::place::Place;
use super::scenario::Unit;
use super::state::{Found, Outcomes, files_in, left};
use super::strace::Run;
use super::tally::Survival;

/// What the command was given to cope with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// A call failed or did less; the process went on.
    Call {
        /// Whether it was one of those that clean up, so that something may be left to the next output.
        may_leave: bool,
    },
    /// A signal that it hears, and the exit status of that.
    Signal(i32),
    /// It was killed.
    Killed,
    /// No memory: Rust's runtime ends the process where it stands.
    Memory,
}

/// Checks what is there, what was said, and that the next output clears up.
pub(crate) fn verdict(
    place: &Place<'_>,
    outcomes: &Outcomes,
    trouble: Trouble,
    run: &Run,
) -> Failing<Survival> {
    let mut files = files_in(place.folder)?;
    let left = left(&mut files);
    let found = outcomes.found(place, &files)?;
    let survival = survival(place, outcomes, found, trouble, run)?;
    let is_ended = matches!(survival, Survival::Ended | Survival::Aborted);
    if found == Found::Between && place.scenario.unit == Unit::Whole && !is_ended {
        return Err("nothing is there".to_owned());
    }
    let may_leave = match trouble {
        Trouble::Call { may_leave } => may_leave || survival == Survival::Aborted,
        // Of one that it has not heard.
        Trouble::Signal(_) => run.code.is_none(),
        Trouble::Killed | Trouble::Memory => true,
    };
    // What is said to be in place and not settled is settled by the next output, by the lock that stays.
    let is_told = run.stderr.contains("goes with the next output");
    if !left.is_empty() && !may_leave && !is_told {
        return Err(format!("left {left:?}, and said {:?}", run.stderr));
    }
    let is_settled = files == outcomes.old || files == outcomes.new;
    if left.is_empty() && is_settled {
        return Ok(survival);
    }
    cleared_by_next(place, outcomes, found)?;
    Ok(survival)
}

/// The next output to the folder clears it, and leaves what is there as it is.
pub(crate) fn cleared_by_next(place: &Place<'_>, outcomes: &Outcomes, found: Found) -> Failing<()> {
    place.next()?;
    let mut after = files_in(place.folder)?;
    let left = left(&mut after);
    if !left.is_empty() {
        return Err(format!("after the next output there still are {left:?}"));
    }
    let is_right = match (found, place.scenario.unit) {
        (_, Unit::EachFile) => after == outcomes.new,
        (Found::New, _) => after == outcomes.new,
        _ => after == outcomes.old,
    };
    match is_right {
        true => Ok(()),
        false => Err(format!(
            "the next output made of the {found:?} one {:?}",
            after.iter().map(|(path, bytes)| (path, bytes.len())).collect::<Vec<_>>()
        )),
    }
}

fn survival(
    place: &Place<'_>,
    outcomes: &Outcomes,
    found: Found,
    trouble: Trouble,
    run: &Run,
) -> Failing<Survival> {
    let Run { code, stdout, stderr } = run;
    let wrong = |what: &str| {
        Err(format!(
            "{what}: exit status {code:?}, the output is {found:?}, and it said {stderr:?}"
        ))
    };
    if stderr.contains("panicked at") && !is_of_runtime(stderr) {
        return wrong("a panic");
    }
    match code {
        Some(0) if !outcomes.is_all(place, found) => wrong("success without the new output"),
        Some(0) if place.scenario.is_answer_fixed() && *stdout != outcomes.stdout => {
            wrong("success with another answer")
        }
        Some(0) => Ok(Survival::Done),
        Some(2) if !stderr.contains("error: ") && !stderr.starts_with("{\"error\":") => {
            wrong("no reason")
        }
        Some(2) if place.scenario.unit == Unit::Whole => {
            match (found == Found::New) == stderr.contains("is in place") {
                true => Ok(Survival::Refused),
                false => wrong("the reason says otherwise what is in place"),
            }
        }
        Some(2) => Ok(Survival::Refused),
        Some(code) if trouble == Trouble::Signal(*code) => match stderr.contains("error: ended by")
        {
            true => Ok(Survival::Ended),
            false => wrong("no reason"),
        },
        // The signal came before it was heard.
        None if matches!(trouble, Trouble::Killed | Trouble::Signal(_)) => Ok(Survival::Ended),
        // The loader could not load, or what the runtime stands on is not there.
        Some(127 | 101) | None => Ok(Survival::Aborted),
        Some(_) => wrong("another exit status"),
    }
}

/// Whether it is Rust's own start of a process that gave up, which nobody can prevent.
fn is_of_runtime(stderr: &str) -> bool {
    ["library/std/src/sys", "library/std/src/rt.rs", "library/std/src/thread"]
        .iter()
        .any(|path| stderr.contains(path))
}

impl Outcomes {
    /// Whether what was asked for is there.
    fn is_all(&self, place: &Place<'_>, found: Found) -> bool {
        found == Found::New || (place.scenario.unit == Unit::Answer && found == Found::Old)
    }
}

impl super::scenario::Scenario {
    /// Whether what is printed is the same each time: `convert` says how long it took.
    fn is_answer_fixed(&self) -> bool {
        self.arguments.first() != Some(&"convert")
    }
}
