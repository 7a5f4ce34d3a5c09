//! Formats for a module's parameters that cost less than those it has.
//!
//! # What is counted
//! For each parameter of the entry, in bytes: the *padding* of its format, and what is *moved* to
//! bring it into the formats that its uses want, read and written once for each format other than
//! its own. The best format is the one with the smallest sum, of these: the module's own, the ones
//! that its uses want, and the array's dimensions in other orders with the tiles it has or with
//! fewer rows.
//!
//! A parameter that is donated gives its memory to a result, which it can do only as long as both have one
//! format. So what counts for it is its padding, what is moved at its uses, and what is moved to bring
//! the result into that format from the one that it is made in.
//!
//! # What a use wants
//! A parameter is followed through bitcasts, transposes and reshapes that move nothing, and copies
//! that keep the format. A copy, transpose or reshape that the maps say moves elements wants the
//! format it moves to, seen from the parameter. Every other use wants the format that it is given,
//! because in which others it could do its work is not in the module. Each instruction counts once,
//! however often a loop runs; what happens within loops and fusions is a use like any other.

mod entry;
mod results;
mod uses;

use std::sync::Arc;

use serde::Serialize;

pub(crate) use self::entry::{Entry, Parameter};
pub(crate) use self::results::Made;
pub(crate) use self::uses::{Moved, Uses};
use crate::Dump;
use crate::hint::{Formats, Permuted};
use crate::shapes::Array;

/// The best formats for a module's parameters, beside its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// Each array of each parameter, in order.
    pub parameters: Vec<AssignedParameter>,
    /// The sums.
    pub totals: AssignedTotals,
}

/// A parameter's format, and the best one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AssignedParameter {
    /// The parameter's name; in a tuple with the position, `name{1}`.
    pub name: String,
    /// In the module's own format.
    pub module: Choice,
    /// In the best one, which is the module's own where none is better.
    pub best: Choice,
    /// How many uses want the module's own format.
    pub uses_as_is: usize,
    /// How many uses move it into another.
    pub uses_moved: usize,
    /// The result that takes its memory, and so has to have the same format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// What a parameter costs in a format, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The array's shape and layout.
    pub text: Arc<str>,
    /// What it takes in memory.
    pub bytes: i64,
    /// What of that is padding.
    pub padding_bytes: i64,
    /// What is read and written to bring it into the formats that uses want, and to bring into this format
    /// the result that takes its memory.
    pub moved_bytes: i64,
}

/// Sums over an [`Assignment`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssignedTotals {
    /// In the module's own formats.
    pub module: Cost,
    /// In the best ones.
    pub best: Cost,
}

/// The cost of some parameters, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// What they take in memory.
    pub bytes: i64,
    /// What of that is padding.
    pub padding_bytes: i64,
    /// What is read and written to bring them into the formats that uses want.
    pub moved_bytes: i64,
}

impl Choice {
    fn cost(&self) -> i64 {
        self.padding_bytes.saturating_add(self.moved_bytes)
    }
}

impl Cost {
    fn plus(self, choice: &Choice) -> Self {
        Cost {
            bytes: self.bytes.saturating_add(choice.bytes),
            padding_bytes: self.padding_bytes.saturating_add(choice.padding_bytes),
            moved_bytes: self.moved_bytes.saturating_add(choice.moved_bytes),
        }
    }
}

impl Assignment {
    /// The best formats for the entry parameters of a dump's module.
    ///
    /// ```
    /// use tilewright_hlo::{Assignment, Dump};
    /// let text = "ENTRY e {\n  p = f32[64,256]{0,1:T(8,128)} parameter(0)\n  \
    ///             c = f32[64,256]{1,0:T(8,128)} copy(p)\n  ROOT n = f32[64,256]{1,0:T(8,128)} negate(c)\n}\n";
    /// let assignment = Assignment::of(&Dump::read(text));
    /// let best = &assignment.parameters[0].best;
    /// assert_eq!((&*best.text, best.moved_bytes), ("f32[64,256]{1,0:T(8,128)}", 0));
    /// ```
    pub fn of(dump: &Dump<'_>) -> Self {
        let Some(module) = &dump.module else { return Assignment::default() };
        let Some(mut entry) = Entry::of(module) else { return Assignment::default() };
        let mut all = Vec::new();
        for parameter in entry.parameters() {
            all.extend(entry.flow(&parameter).and_then(|flow| assigned(&flow)));
        }
        let totals =
            all.iter().fold(AssignedTotals::default(), |totals, parameter| AssignedTotals {
                module: totals.module.plus(&parameter.module),
                best: totals.best.plus(&parameter.best),
            });
        Assignment { parameters: all, totals }
    }
}

/// What becomes of a parameter.
pub(crate) struct Flow<'m, 'a> {
    pub(crate) parameter: Parameter<'m, 'a>,
    pub(crate) uses: Uses<'m, 'a>,
    /// The result that takes its memory.
    pub(crate) output: Option<Output<'m, 'a>>,
}

/// A result that takes the memory of a parameter.
pub(crate) struct Output<'m, 'a> {
    /// Its place in the root.
    pub(crate) path: Vec<u32>,
    pub(crate) name: String,
    /// How it is made, if that can be seen.
    pub(crate) made: Option<Made<'m, 'a>>,
}

/// The best format of a parameter.
fn assigned(flow: &Flow<'_, '_>) -> Option<AssignedParameter> {
    let Flow { parameter, uses, output } = flow;
    let made = match output {
        None => None,
        Some(Output { made: Some(Made { moved: Some((_, format)), .. }), .. }) => {
            Some(Array::new(format.clone()).ok()?)
        }
        Some(_) => Some(Array::new(uses.array.shape.clone()).ok()?),
    };
    let [module, best] = best(uses, made.as_ref())?;
    Some(AssignedParameter {
        name: parameter.name(),
        module,
        best,
        uses_as_is: uses.as_is,
        uses_moved: uses.moved.len(),
        output: output.as_ref().map(|output| output.name.clone()),
    })
}

/// The module's own format and the best one, of a parameter whose memory is taken by a result that is made
/// in some format.
fn best(uses: &Uses<'_, '_>, made: Option<&Array>) -> Option<[Choice; 2]> {
    let own = &*uses.array;
    let is_made_so = made.is_none_or(|made| made.text == own.text);
    if uses.wanted.is_empty() && uses.as_is > 0 && is_made_so {
        // Any other format would be moved into this one, which is more than all its padding.
        let choice = choice(own, &[], made);
        return Some([choice.clone(), choice]);
    }
    let as_is = std::iter::once(&own.shape).filter(|_| uses.as_is > 0);
    let wants = as_is.chain(&uses.wanted).map(|shape| Array::new(shape.clone()).ok());
    let wants: Vec<Array> = wants.collect::<Option<_>>()?;
    let own_choice = choice(own, &wants, made);
    let made_so = made.map(|made| made.shape.clone());
    let others = uses.wanted.iter().cloned().chain(made_so).chain(Permuted.candidates(&own.shape));
    let mut best = own_choice.clone();
    for array in others.filter_map(|shape| Array::new(shape).ok()) {
        let other = choice(&array, &wants, made);
        if other.cost() < best.cost() {
            best = other;
        }
    }
    Some([own_choice, best])
}

fn choice(array: &Array, wants: &[Array], made: Option<&Array>) -> Choice {
    let others = wants.iter().chain(made).filter(|other| other.text != array.text);
    let moved =
        others.fold(0i64, |sum, other| sum.saturating_add(array.bytes).saturating_add(other.bytes));
    Choice {
        text: Arc::clone(&array.text),
        bytes: array.bytes,
        padding_bytes: array.padding_bytes(),
        moved_bytes: moved,
    }
}
