//! What if: parameters in other formats, and parameters donated.
//!
//! The module's text is changed as the compiler would have to, and then read like any other:
//!
//! * The parameter has the format. What copied it into that format is a bitcast, and what moves nothing on the
//!   way there is gone.
//! * Before its first use in a format other than that, it is copied into that format, once for each. In which other
//!   formats an instruction could do its work is not in the text, so one that reads the parameter as it was
//!   goes on to do so: what comes out is at most what the compiler makes of it, where that can do better.
//! * A result that takes its memory has the format too. If it came by a copy, that copies into the format,
//!   or is gone where the result was made in it; else there is a copy more.
//! * A parameter that is donated gives its memory to a result of its shape and layout.

mod change;
mod edits;

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use tilewright::ArrayShape;

use self::change::Change;
use self::edits::Edits;
use crate::Dump;
use crate::assign::{Assignment, Entry, Parameter};
use crate::report::{Donation, MemoryNeed, Report, Traffic};
use crate::shapes::Array;
use crate::source;

/// What to try.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// A parameter each, and the format to give it: a layout, `{0,1:T(8,128)}`, or a whole shape with
    /// the parameter's type and dimensions.
    ///
    /// A parameter is said by its name, in a tuple with the position as `name{1}`, by its number, or by the
    /// name of the operation that the module has for it.
    pub formats: Vec<(String, String)>,
    /// Whether to give the other parameters the formats that [`Assignment`] finds.
    pub is_assigned: bool,
    /// Parameters to donate.
    pub donations: Vec<String>,
    /// Whether to donate all parameters that can be.
    pub is_all_donated: bool,
}

/// What became of a program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// The parameters that have another format.
    pub formats: Vec<TriedFormat>,
    /// The parameters that give their memory.
    pub donations: Vec<Donation>,
    /// What the program needs of each memory space, those that it needs most of first.
    pub spaces: Vec<TriedSpace>,
    /// What moves arrays into other formats.
    pub relayouts: TriedTraffic,
}

/// A parameter in another format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TriedFormat {
    /// Its name.
    pub parameter: String,
    /// As the module has it.
    pub before: Arc<str>,
    /// As it was tried.
    pub after: Arc<str>,
    /// The result that takes its memory, which has the same format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// What a program needs of a memory space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedSpace {
    /// The memory space: `hbm`, `vmem`, `host`, or `S(n)`.
    pub space: String,
    /// As the module is.
    pub before: MemoryNeed,
    /// As it was tried.
    pub after: MemoryNeed,
}

/// What moves arrays into other formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TriedTraffic {
    /// As the module is.
    pub before: Traffic,
    /// As it was tried.
    pub after: Traffic,
}

/// Why something cannot be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untried(String);

impl std::fmt::Display for Untried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Untried {}

fn refuse<T>(message: impl Into<String>) -> Result<T, Untried> {
    Err(Untried(message.into()))
}

/// So many parameters are named where there is none of a name.
const MAX_NAMED: usize = 6;

/// So many of the largest are named of what a memory space is needed for.
const LARGEST: usize = 5;

impl Trial {
    /// Whether there is nothing to try.
    pub fn is_empty(&self) -> bool {
        *self == Trial::default()
    }

    /// Tries all that on the module that a text is.
    ///
    /// ```
    /// use tilewright_hlo::Trial;
    /// let text = "HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[64,256]{0,1:T(8,128)} parameter(0)\n  \
    ///             c = f32[64,256]{1,0:T(8,128)} copy(p)\n  ROOT n = f32[64,256]{1,0:T(8,128)} negate(c)\n}\n";
    /// let formats = vec![("p".to_owned(), "{1,0:T(8,128)}".to_owned())];
    /// let tried = Trial { formats, ..Trial::default() }.on(text)?;
    /// let hbm = &tried.spaces[0];
    /// // No padding, and no copy.
    /// assert_eq!((hbm.before.bytes, hbm.after.bytes), ((128 + 64 + 64) << 10, (64 + 64) << 10));
    /// # Ok::<(), tilewright_hlo::Untried>(())
    /// ```
    ///
    /// # Errors
    /// If the text has no entry computation; if there is no such parameter; if a format is none of its type and
    /// dimensions; or if a parameter cannot be donated: no result left has its shape and layout.
    pub fn on(&self, text: &str) -> Result<Tried, Untried> {
        let before = Report::of(&Dump::read(text));
        let (text, formats, donations) = self.applied(text)?;
        let after = Report::of(&Dump::read(&text));
        Ok(Tried {
            formats,
            donations,
            spaces: spaces(&before, &after),
            relayouts: TriedTraffic {
                before: before.totals.relayouts,
                after: after.totals.relayouts,
            },
        })
    }

    /// The text as it is then, the parameters that have another format, and those that give their memory.
    ///
    /// # Errors
    /// As [`on`](Self::on).
    pub fn applied(
        &self,
        text: &str,
    ) -> Result<(String, Vec<TriedFormat>, Vec<Donation>), Untried> {
        let (text, formats) = self.with_formats(text)?;
        let (text, donations) = self.with_donations(text)?;
        Ok((text, formats, donations))
    }

    /// The text as it is with the formats.
    fn with_formats(&self, text: &str) -> Result<(String, Vec<TriedFormat>), Untried> {
        let dump = Dump::read(text);
        let entry = dump.module.as_ref().and_then(|module| Some((module, Entry::of(module)?)));
        let Some((module, mut entry)) = entry else {
            return refuse(dump.missing_entry().unwrap_or("no HLO module"));
        };
        let parameters = entry.parameters();
        let mut wanted: Vec<Option<Array>> = parameters.iter().map(|_| None).collect();
        if self.is_assigned {
            let numbers = parameters.iter().enumerate().map(|(number, p)| (p.name(), number));
            let numbers: HashMap<String, usize> = numbers.collect();
            for assigned in Assignment::of(&dump).parameters {
                if assigned.best.text == assigned.module.text {
                    continue;
                }
                let number = numbers.get(&assigned.name);
                let slot = number.and_then(|number| wanted.get_mut(*number));
                if let Some((slot, shape)) = slot.zip(assigned.best.text.parse().ok()) {
                    *slot = Array::new(shape).ok();
                }
            }
        }
        for (name, format) in &self.formats {
            let number = named(&parameters, name)?;
            wanted[number] = Some(array_in(&parameters[number], format)?);
        }
        let mut edits = Edits::of(text, module);
        let mut formats = Vec::new();
        for (parameter, wanted) in parameters.iter().zip(wanted) {
            let Some((to, flow)) = wanted.and_then(|to| Some((to, entry.flow(parameter)?))) else {
                continue;
            };
            let before = Arc::clone(&flow.uses.array.text);
            let output = flow.output.as_ref().map(|output| output.name.clone());
            if to.text != before {
                Change { edits: &mut edits, entry: &entry, flow: &flow, to: &to }.apply()?;
            }
            formats.push(TriedFormat {
                parameter: parameter.name(),
                before,
                after: to.text,
                output,
            });
        }
        Ok((edits.finish(), formats))
    }

    /// The text as it is with the donations.
    fn with_donations(&self, text: String) -> Result<(String, Vec<Donation>), Untried> {
        if self.donations.is_empty() && !self.is_all_donated {
            return Ok((text, Vec::new()));
        }
        let dump = Dump::read(&text);
        let report = Report::of(&dump);
        let entry = dump.module.as_ref().and_then(|module| Some((module, Entry::of(module)?)));
        let Some((module, entry)) = entry else {
            return refuse(dump.missing_entry().unwrap_or("no HLO module"));
        };
        let mut donations = if self.is_all_donated { report.donations.clone() } else { Vec::new() };
        let parameters = entry.parameters();
        for name in &self.donations {
            let parameter = &parameters[named(&parameters, name)?];
            let name = parameter.name();
            if entry.output_of(parameter).is_some() {
                return refuse(format!("`{name}` is donated already"));
            }
            let donation = report.donations.iter().find(|donation| donation.parameter == name);
            if report.useless_donations.iter().any(|donation| donation.parameter == name) {
                return refuse(format!(
                    "`{name}` donated saves nothing: it is read after its memory would be written, so \
                     that the compiler has to copy it"
                ));
            }
            let Some(donation) = donation else {
                let shape = parameter.leaf.text;
                return refuse(format!(
                    "`{name}` cannot be donated: no result without a donor is {shape}"
                ));
            };
            if !donations.contains(donation) {
                donations.push(donation.clone());
            }
        }
        let pairs: Vec<String> = donations.iter().map(|d| d.alias.to_string()).collect();
        let pairs = pairs.join(", ");
        let mut edits = Edits::of(&text, module);
        match module.attribute("input_output_alias").and_then(|list| list.trim().strip_suffix('}'))
        {
            _ if pairs.is_empty() => {}
            Some(list) if list.trim().len() > 1 => edits.append(list, &format!(", {pairs}")),
            Some(list) => edits.append(list, &pairs),
            None if module.name.is_empty() => {
                return refuse(
                    "the text does not begin with `HloModule`, which says what is donated",
                );
            }
            None => edits.append(module.name, &format!(", input_output_alias={{ {pairs} }}")),
        }
        Ok((edits.finish(), donations))
    }
}

/// The number of the parameter that a text says.
fn named(parameters: &[Parameter<'_, '_>], name: &str) -> Result<usize, Untried> {
    let find = |is: &dyn Fn(&Parameter<'_, '_>) -> bool| parameters.iter().position(is);
    let bare = crate::module::bare(name);
    let number = name.parse().ok();
    let found = find(&|p| p.name() == bare)
        .or_else(|| find(&|p| Some(p.number) == number && p.leaf.path.is_empty()))
        .or_else(|| {
            find(&|p| source::op_name(p.instruction).is_some_and(|op| unescaped(op) == name))
        });
    if let Some(found) = found {
        return Ok(found);
    }
    let names: Vec<String> = parameters.iter().take(MAX_NAMED).map(Parameter::name).collect();
    let more = if parameters.len() > MAX_NAMED { ", …" } else { "" };
    refuse(format!("no parameter `{name}`: they are {}{more}", names.join(", ")))
}

/// The name of an operation as the user's program has it: quotes are escaped in the text.
fn unescaped(name: &str) -> String {
    name.replace("\\'", "'").replace("\\\"", "\"")
}

/// A parameter in a format.
fn array_in(parameter: &Parameter<'_, '_>, format: &str) -> Result<Array, Untried> {
    let name = parameter.name();
    let own: ArrayShape = match parameter.leaf.text.parse() {
        Ok(own) => own,
        Err(error) => return refuse(format!("`{name}` cannot be read: {error}")),
    };
    let bare = own.clone().without_layout();
    let text = if format.starts_with('{') { format!("{bare}{format}") } else { format.to_owned() };
    let shape: ArrayShape = match text.parse() {
        Ok(shape) => shape,
        Err(error) => return refuse(format!("`{format}` is no format of `{name}`: {error}")),
    };
    if shape.clone().without_layout() != bare {
        return refuse(format!("`{name}` is {bare}, and `{format}` is not"));
    }
    Array::new(shape).map_err(|error| Untried(format!("`{format}`: {error}")))
}

/// What a program needs of the memory spaces, before and after.
fn spaces(before: &Report, after: &Report) -> Vec<TriedSpace> {
    let mut names: Vec<String> = before.memory_spaces();
    for name in after.memory_spaces() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let spaces = names.into_iter().map(|space| TriedSpace {
        before: before.need_of(&space, LARGEST),
        after: after.need_of(&space, LARGEST),
        space,
    });
    let mut spaces: Vec<TriedSpace> = spaces.collect();
    spaces.sort_by_key(|space| std::cmp::Reverse(space.before.bytes.max(space.after.bytes)));
    spaces
}
