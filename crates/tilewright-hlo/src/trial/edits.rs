//! Changes to a module's text, said of the parts that were read from it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use crate::module::{Instruction, Module};
use crate::scan;

/// A text and what is to be changed in it.
pub(super) struct Edits<'t> {
    text: &'t str,
    /// What to write instead of what begins at a place. One that comes later counts.
    replaced: BTreeMap<usize, (Range<usize>, String)>,
    /// Lines to write in front of a place, in the order they came.
    lines: BTreeMap<usize, Vec<String>>,
    names: HashSet<&'t str>,
    n_names: usize,
    /// The operands of instructions, by the places of these and by what is read.
    operands: HashMap<usize, HashMap<&'t str, Vec<&'t str>>>,
    /// The places of instructions that do something else now.
    changed: HashSet<usize>,
}

impl<'t> Edits<'t> {
    /// Of the text that a module was read from.
    pub(super) fn of(text: &'t str, module: &Module<'t>) -> Self {
        let names =
            module.instructions.iter().map(super::super::module::Instruction::name).collect();
        Edits {
            text,
            replaced: BTreeMap::new(),
            lines: BTreeMap::new(),
            names,
            n_names: 0,
            operands: HashMap::new(),
            changed: HashSet::new(),
        }
    }

    /// A name that no instruction has.
    pub(super) fn new_name(&mut self) -> String {
        loop {
            self.n_names += 1;
            let name = format!("what_if.{}", self.n_names);
            if !self.names.contains(&*name) {
                return name;
            }
        }
    }

    /// Whether an instruction does something else now.
    pub(super) fn is_changed(&self, instruction: &Instruction<'_>) -> bool {
        self.changed.contains(&self.place(instruction.name()))
    }

    /// Takes down that an instruction does something else now.
    pub(super) fn change(&mut self, instruction: &Instruction<'_>) {
        self.changed.insert(self.place(instruction.name()));
    }

    /// Where a part of the text begins. A part that was not read from it is at its end, where nothing is.
    pub(super) fn place(&self, part: &str) -> usize {
        let at = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        at.min(self.text.len())
    }

    /// Writes something instead of a part of the text.
    pub(super) fn replace(&mut self, part: &str, with: impl Into<String>) {
        let start = self.place(part);
        let end = (start + part.len()).min(self.text.len());
        self.replaced.insert(start, (start..end, with.into()));
    }

    /// Writes something behind a part of the text.
    pub(super) fn append(&mut self, part: &str, what: &str) {
        self.replace(part, format!("{part}{what}"));
    }

    /// Has an instruction read something else wherever it reads `name`.
    pub(super) fn read_instead(&mut self, instruction: &Instruction<'t>, name: &str, with: &str) {
        for part in self.operands(instruction, name).to_vec() {
            self.replace(part, with);
        }
    }

    /// Where an instruction reads `name`: the parts of the text.
    pub(super) fn operands(&mut self, instruction: &Instruction<'t>, name: &str) -> &[&'t str] {
        let place = self.place(instruction.name());
        let by_name = self.operands.entry(place).or_insert_with(|| {
            let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
            for (part, operand) in
                scan::parts(instruction.operands_text()).zip(instruction.operands())
            {
                by_name.entry(operand.name).or_default().push(part);
            }
            by_name
        });
        by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Writes a line before that of an instruction.
    pub(super) fn line_before(&mut self, instruction: &Instruction<'_>, line: String) {
        let at = self.line_of(instruction);
        self.lines.entry(at).or_default().push(line);
    }

    /// Writes a line after that of an instruction.
    pub(super) fn line_after(&mut self, instruction: &Instruction<'_>, line: String) {
        let at = self.end_of(instruction);
        self.lines.entry(at).or_default().push(line);
    }

    /// Leaves an instruction out.
    pub(super) fn remove(&mut self, instruction: &Instruction<'_>) {
        let lines = self.line_of(instruction)..self.end_of(instruction);
        self.replaced.insert(lines.start, (lines, String::new()));
    }

    /// Has an instruction not be the root.
    pub(super) fn no_root(&mut self, instruction: &Instruction<'_>) {
        let line = self.line_of(instruction);
        let before = self.text.get(line..self.place(instruction.name())).unwrap_or("");
        if let Some(at) = before.find("ROOT ") {
            let root = line + at..line + at + "ROOT ".len();
            self.replaced.insert(root.start, (root, String::new()));
        }
    }

    fn line_of(&self, instruction: &Instruction<'_>) -> usize {
        let before = self.text.get(..self.place(instruction.name())).unwrap_or("");
        before.rfind('\n').map_or(0, |at| at + 1)
    }

    fn end_of(&self, instruction: &Instruction<'_>) -> usize {
        let text = instruction.text();
        let end = self.place(text) + text.len();
        let rest = self.text.get(end..).unwrap_or("");
        rest.find('\n').map_or(self.text.len(), |at| end + at + 1)
    }

    /// The changed text.
    pub(super) fn finish(self) -> String {
        let mut lines = self.lines.into_iter().peekable();
        let mut text = String::with_capacity(self.text.len() + 1024);
        let mut at = 0;
        let mut copy_to = |text: &mut String, at: &mut usize, end: usize| {
            while let Some((place, _)) = lines.peek().filter(|(place, _)| *place <= end) {
                text.push_str(self.text.get(*at..*place).unwrap_or(""));
                *at = (*place).max(*at);
                for line in lines.next().into_iter().flat_map(|(_, lines)| lines) {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push_str(&line);
                    text.push('\n');
                }
            }
            text.push_str(self.text.get(*at..end).unwrap_or(""));
            *at = end.max(*at);
        };
        for (range, with) in self.replaced.into_values() {
            if range.start >= at {
                copy_to(&mut text, &mut at, range.start);
                text.push_str(&with);
                at = range.end;
            }
        }
        copy_to(&mut text, &mut at, self.text.len());
        text
    }
}
