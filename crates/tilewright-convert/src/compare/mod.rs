//! Do two files hold the same arrays, whatever their layouts?
//!
//! Two arrays are brought to one order, that of the first's memory or that of the second's, element
//! by element in whole bytes, and compared there piece by piece. The array whose order it is is read
//! straight on, so that only the other may have to be held as a whole; arrays of one layout never
//! are, whatever it is.

mod comparison;
mod difference;
mod layers;
mod passage;
mod way;
mod window;

use std::num::NonZeroUsize;

use crate::checkpoint::{Checkpoint, Look};
use crate::crew::Crew;
use crate::error::Error;
use crate::input::Input;
use crate::memory::{self, Budget};
use crate::progress::Progress;
pub use difference::Difference;

use comparison::Comparing;
use layers::compare_layers;
use window::Window;

/// How two files differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// How many names of arrays there are.
    pub arrays: usize,
    /// The names of the only arrays of the two files, where they are not the same.
    pub different_names: Option<[String; 2]>,
    /// How, by name; none where the files hold the same.
    pub differences: Vec<Difference>,
    /// Of each file that says that it is a quantised model, and whose layers could not be told, the reason: arrays were
    /// compared instead.
    pub not_layers: [Option<String>; 2],
}

/// Compares arrays of the same name, or the layers of two quantised models, however they are stored; the only arrays of two files whatever their names, since a
/// .npy or raw file's array has no name but the file's. So many threads and bytes of memory may be taken.
///
/// # Errors
///
/// A file cannot be read, what it says of an array is wrong, or there is too little memory.
pub fn compare(
    a: &Input,
    b: &Input,
    (threads, max_memory): (Option<NonZeroUsize>, Option<usize>),
    progress: &dyn Progress,
) -> Result<Comparison, Error> {
    compared([a, b], (threads, max_memory), progress).map_err(Error::new)
}

fn compared(
    [a, b]: [&Input; 2],
    (threads, max_memory): (Option<NonZeroUsize>, Option<usize>),
    progress: &dyn Progress,
) -> anyhow::Result<Comparison> {
    let crew = Crew::new(threads, max_memory)?;
    let [in_a, in_b] = [a, b].map(|input| input.file().arrays());
    let known = in_a.iter().chain(in_b).map(|info| memory::of_array(info, 0));
    let budget = Budget::new(max_memory, crew.n_threads());
    let budget =
        budget.beside(known.fold(0, usize::saturating_add), "what is known of the arrays")?;
    let budget = budget.without(2 * Window::MOST_BYTES);
    let mut comparing = Comparing::new([a, b], &crew, budget, progress);
    let found = [a, b].map(|input| checkpoint_of(input, &crew));
    let not_layers = found.each_ref().map(|found| Some(format!("{:#}", found.as_ref().err()?)));
    let checkpoints = found.map(|found| found.ok().flatten());
    let (arrays, different_names) = match (&checkpoints, in_a, in_b) {
        ([Some(one), Some(other)], ..) => (compare_layers([one, other], &mut comparing)?, None),
        (_, [one], [other]) => {
            comparing.arrays(one.name(), [0, 0])?;
            let names = [one.name(), other.name()];
            (1, (names[0] != names[1]).then(|| names.map(str::to_owned)))
        }
        _ => (comparing.named(|_| true)?, None),
    };
    let mut differences = comparing.differences;
    differences.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Comparison { arrays, different_names, differences, not_layers })
}

/// The quantised model that a folder is, if it is one and nothing else was said of it.
///
/// # Errors
///
/// It is none that is known.
fn checkpoint_of<'a>(input: &'a Input, crew: &Crew) -> anyhow::Result<Option<Checkpoint<'a>>> {
    match input.is_told() {
        true => Ok(None),
        false => Checkpoint::of(input.file(), crew, Look::All),
    }
}
