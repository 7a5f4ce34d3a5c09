//! A module as it was read: computations and their instructions, as slices of the text.
//!
//! An [`Instruction`] keeps where its parts are and takes apart no more than it is asked for, so
//! that reading a module costs little more than finding its lines.

use memchr::memmem;

use crate::scan;
use crate::source::Sources;

/// An HLO module.
#[derive(Clone, Debug, Default)]
pub struct Module<'a> {
    /// The name after `HloModule`; empty where only part of a module was given.
    pub name: &'a str,
    /// What comes after the name: `is_scheduled=true, entry_computation_layout={…}, …`.
    pub attributes: &'a str,
    /// The computations, in the order of the text.
    pub computations: Vec<Computation<'a>>,
    /// The instructions of all computations, each computation's together.
    pub instructions: Vec<Instruction<'a>>,
    /// The tables of source positions.
    pub sources: Sources<'a>,
}

/// A computation: a function of the module.
#[derive(Clone, Debug)]
pub struct Computation<'a> {
    /// Its name, without `%`.
    pub name: &'a str,
    /// The line of its header.
    pub line: u32,
    /// Whether the module begins with it.
    pub is_entry: bool,
    /// Its instructions, as a range of [`Module::instructions`].
    pub instructions: std::ops::Range<usize>,
}

/// An instruction: `%name = shape opcode(operands), attributes`.
///
/// A module has as many as lines, so it keeps one slice of the text and where its parts begin in that.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    /// From the name to the end of the attributes.
    text: &'a str,
    name_end: u32,
    shape: (u32, u32),
    opcode: u32,
    operands_end: u32,
    attributes: u32,
    line: u32,
    opcode_length: u16,
    is_root: bool,
    /// The number of its operation among [`FREQUENT`], if it is there.
    frequent: u8,
}

/// Operations that are met often, or asked for often: their names are looked at here, so that a walk over the
/// instructions of a module need not touch all of its text again.
const FREQUENT: &[&str] = &[
    "parameter",
    "fusion",
    "bitcast",
    "get-tuple-element",
    "constant",
    "copy",
    "multiply",
    "add",
    "convert",
    "broadcast",
    "copy-start",
    "copy-done",
    "tuple",
    "slice",
    "subtract",
    "reduce",
    "dot",
    "convolution",
    "transpose",
    "reshape",
    "divide",
    "maximum",
    "exponential",
    "compare",
    "select",
    "iota",
    "pad",
    "negate",
    "rsqrt",
    "dynamic-slice",
    "dynamic-update-slice",
    "custom-call",
    "while",
    "call",
    "concatenate",
    "scatter",
    "gather",
    "async-start",
    "async-done",
    "all-reduce",
    "all-gather",
];

/// The parts of an instruction, in the order in which they stand in the text.
pub(crate) struct Parts<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: &'a str,
    pub(crate) opcode: &'a str,
    pub(crate) operands: &'a str,
    /// Empty where there are none.
    pub(crate) attributes: &'a str,
}

/// What an instruction is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// The shape, where the text repeats it.
    pub shape: Option<&'a str>,
    /// The name of the instruction, without `%`. Of a parameter its number, of a constant its value.
    pub name: &'a str,
}

impl<'a> Module<'a> {
    /// The computation that the module begins with.
    pub fn entry(&self) -> Option<&Computation<'a>> {
        self.computations.iter().find(|computation| computation.is_entry)
    }

    /// The instructions of a computation.
    pub fn instructions_of(&self, computation: &Computation<'a>) -> &[Instruction<'a>] {
        self.instructions.get(computation.instructions.clone()).unwrap_or_default()
    }

    /// The value of an attribute of the module.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        attribute(self.attributes, name)
    }
}

impl<'a> Instruction<'a> {
    /// Of its parts, which are slices of a whole text. `None` where a part is too long: an instruction has 4 GiB, an
    /// operation's name 64 KiB.
    pub(crate) fn of(whole: &'a str, parts: &Parts<'a>, line: u32, is_root: bool) -> Option<Self> {
        let from = |base: usize, part: &str| (part.as_ptr() as usize).checked_sub(base);
        let start = from(whole.as_ptr() as usize, parts.name)?;
        let at = |part: &str| u32::try_from(from(parts.name.as_ptr() as usize, part)?).ok();
        let after = |part: &str| at(part)?.checked_add(u32::try_from(part.len()).ok()?);
        let operands_end = after(parts.operands)?;
        let (attributes, end) = match parts.attributes.is_empty() {
            true => (operands_end, operands_end),
            false => (at(parts.attributes)?, after(parts.attributes)?),
        };
        Some(Instruction {
            text: whole.get(start..start + end as usize)?,
            name_end: after(parts.name)?,
            shape: (at(parts.shape)?, after(parts.shape)?),
            opcode: at(parts.opcode)?,
            operands_end,
            attributes,
            line,
            opcode_length: u16::try_from(parts.opcode.len()).ok()?,
            is_root,
            frequent: FREQUENT
                .iter()
                .position(|&opcode| opcode == parts.opcode)
                .map_or(u8::MAX, |number| number as u8),
        })
    }

    /// Adds the text up to a place in the whole to its attributes.
    pub(crate) fn extend(&mut self, whole: &'a str, end: usize) {
        let start = (self.text.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
        self.text = whole.get(start..end).unwrap_or(self.text);
    }

    fn part(&self, start: u32, end: u32) -> &'a str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// From its name to the end of its attributes.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Its name, without `%`.
    pub fn name(&self) -> &'a str {
        self.part(0, self.name_end)
    }

    /// The text of its result's shape, layout included.
    pub fn shape(&self) -> &'a str {
        self.part(self.shape.0, self.shape.1)
    }

    /// What it does: `add`, `fusion`, `copy-start`.
    pub fn opcode(&self) -> &'a str {
        if let Some(opcode) = FREQUENT.get(usize::from(self.frequent)) {
            return opcode;
        }
        self.opcode_text()
    }

    /// The same as it stands in the text.
    pub(crate) fn opcode_text(&self) -> &'a str {
        self.part(self.opcode, self.opcode + u32::from(self.opcode_length))
    }

    /// What stands in its parentheses.
    pub fn operands_text(&self) -> &'a str {
        let start = self.opcode + u32::from(self.opcode_length);
        self.part(start.saturating_add(1), self.operands_end)
    }

    /// What comes after them.
    pub fn attributes(&self) -> &'a str {
        self.text.get(self.attributes as usize..).unwrap_or("")
    }

    /// The line it begins on, the first being 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Whether its result is its computation's.
    pub fn is_root(&self) -> bool {
        self.is_root
    }

    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = Operand<'a>> + use<'a> {
        scan::parts(self.operands_text()).map(operand)
    }

    /// The value of an attribute: `{1,0}` of `dimensions={1,0}`, `%f` of `calls=%f`.
    ///
    /// ```
    /// let text = "ENTRY e {\n  t = f32[3,2]{1,0} transpose(f32[2,3]{1,0} %a), dimensions={1,0}\n}";
    /// let dump = tilewright_hlo::Dump::read(text);
    /// let transpose = dump.module.unwrap().instructions[0];
    /// assert_eq!(transpose.attribute("dimensions"), Some("{1,0}"));
    /// assert_eq!(transpose.operands().next().unwrap().shape, Some("f32[2,3]{1,0}"));
    /// ```
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        attribute(self.attributes(), name)
    }

    /// The number of a parameter.
    pub(crate) fn parameter_number(&self) -> Option<usize> {
        self.operands_text().trim().parse().ok()
    }

    /// The numbers in an attribute: 1 and 0 of `dimensions={1,0}`.
    pub(crate) fn numbers(&self, name: &str) -> Option<Vec<usize>> {
        let list = self.attribute(name)?.strip_prefix('{')?.strip_suffix('}')?;
        scan::parts(list).map(|number| number.parse().ok()).collect()
    }

    /// The names of the computations in these attributes, without `%`.
    pub(crate) fn computations_in(
        &self,
        attributes: &'static [&'static str],
    ) -> impl Iterator<Item = &'a str> + use<'a> {
        // These come last, and are long.
        let before =
            |part: &&str| !part.starts_with("metadata=") && !part.starts_with("backend_config=");
        let all = scan::parts(self.attributes()).take_while(before);
        let chosen = all
            .filter_map(|part| part.split_once('='))
            .filter(move |(name, _)| attributes.contains(name));
        chosen.flat_map(|(_, value)| {
            let list = value.strip_prefix('{').and_then(|list| list.strip_suffix('}'));
            scan::parts(list.unwrap_or(value)).map(bare)
        })
    }
}

/// A name without its `%`.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix('%').unwrap_or(name)
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    // Most have not the one that is asked for, and to search is quicker than to walk over brackets.
    memmem::find(attributes.as_bytes(), name.as_bytes())?;
    scan::parts(attributes).find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

/// `%a`, `a`, or `f32[2,3]{1,0} %a`.
pub(crate) fn operand(text: &str) -> Operand<'_> {
    match text.rsplit_once(|c: char| c.is_ascii_whitespace()) {
        Some((shape, name)) => Operand { shape: Some(shape.trim()), name: bare(name) },
        None => Operand { shape: None, name: bare(text) },
    }
}

/// A result that takes the memory of an operand, or of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aliased {
    /// The place in the result.
    pub(crate) output: Vec<u32>,
    /// The number of the operand or parameter.
    pub(crate) operand: usize,
    /// The place in that.
    pub(crate) path: Vec<u32>,
}

impl std::fmt::Display for Aliased {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = |path: &[u32]| path.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let (output, from) = (path(&self.output), path(&self.path));
        write!(f, "{{{output}}}: ({}, {{{from}}}, may-alias)", self.operand)
    }
}

/// The entries of `{ {0}: (1, {}), {1}: (3, {0}, may-alias) }`.
pub(crate) fn aliased(text: &str) -> Vec<Aliased> {
    let list = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let path = |text: &str| -> Option<Vec<u32>> {
        let list = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        scan::parts(list).map(|number| number.parse().ok()).collect()
    };
    let entry = |part: &str| {
        let (to, from) = part.split_once(':')?;
        let from = from.trim().strip_prefix('(')?.strip_suffix(')')?;
        let mut parts = scan::parts(from);
        let operand = parts.next()?.parse().ok()?;
        Some(Aliased { output: path(to)?, operand, path: path(parts.next()?)? })
    };
    scan::parts(list.unwrap_or("")).filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases() {
        let one = Aliased { output: vec![0], operand: 1, path: vec![] };
        let other = Aliased { output: vec![2, 1], operand: 3, path: vec![0] };
        assert_eq!(aliased("{ {0}: (1, {}), {2,1}: (3, {0}, may-alias) }"), [one, other]);
        assert_eq!(aliased("{}"), []);
        let text = "{2,1}: (3, {0}, may-alias)";
        assert_eq!(aliased(&format!("{{ {text} }}"))[0].to_string(), text);
        assert_eq!(aliased("{x: (y), {0}: (1"), []);
    }
}
