//! One parameter that gets another format.

use std::collections::BTreeMap;

use super::edits::Edits;
use super::{Untried, refuse};
use crate::assign::{Entry, Flow, Made, Moved, Output};
use crate::module::Instruction;
use crate::shapes::{self, Array};

/// A parameter, what becomes of it, and the format that it gets.
pub(super) struct Change<'e, 'm, 't> {
    pub(super) edits: &'e mut Edits<'t>,
    pub(super) entry: &'e Entry<'m, 't>,
    pub(super) flow: &'e Flow<'m, 't>,
    pub(super) to: &'e Array,
}

impl<'e, 'm, 't> Change<'e, 'm, 't> {
    pub(super) fn apply(mut self) -> Result<(), Untried> {
        self.edits.replace(self.flow.parameter.leaf.text, &*self.to.text);
        for start in self.starts().filter(|start| start.opcode() == "get-tuple-element") {
            self.edits.replace(start.shape(), &*self.to.text);
        }
        self.change_uses();
        self.change_result()
    }

    /// The parameter, or what takes it from the parameter's tuple.
    fn starts(&self) -> impl Iterator<Item = &'m Instruction<'t>> + use<'e, 'm, 't> {
        let flow: &'e Flow<'m, 't> = self.flow;
        let passed = &flow.uses.passed;
        passed.iter().filter(|passed| passed.from.is_none()).map(|passed| passed.instruction)
    }

    /// Has every use read the parameter in the format that it wants.
    fn change_uses(&mut self) {
        let uses = &self.flow.uses;
        let Some(start) = self.starts().next() else { return };
        let (moved, fixed): (Vec<_>, Vec<_>) =
            uses.moved.iter().partition(|moved| !self.edits.is_changed(moved.instruction));
        // Who reads it as it was: what such uses are behind of, up to the parameter.
        let mut keeps: Vec<bool> = uses
            .passed
            .iter()
            .map(|passed| passed.instruction.is_root() || !passed.as_is.is_empty())
            .collect();
        fixed.iter().for_each(|moved| keeps[moved.from] = true);
        let mut as_it_was: Vec<(&Instruction<'t>, &str)> = Vec::new();
        for (number, passed) in uses.passed.iter().enumerate().rev() {
            match passed.from {
                None => {
                    let name = passed.instruction.name();
                    as_it_was.extend(passed.as_is.iter().map(|user| (*user, name)));
                    let own = fixed.iter().filter(|moved| moved.from == number);
                    as_it_was.extend(own.map(|moved| (moved.instruction, name)));
                }
                Some(from) if keeps[number] => {
                    keeps[from] = true;
                    if uses.passed[from].from.is_none() {
                        as_it_was.push((passed.instruction, uses.passed[from].instruction.name()));
                    }
                }
                Some(_) => self.edits.remove(passed.instruction),
            }
        }
        as_it_was.retain(|(user, _)| !self.is_result(user));
        let users = as_it_was.iter().map(|(user, _)| *user);
        if let Some(source) = self.copied(start, &uses.array.text, users) {
            for (user, name) in as_it_was {
                self.edits.read_instead(user, name, &source);
            }
        }
        let mut by_format: BTreeMap<usize, Vec<&Moved<'m, 't>>> = BTreeMap::new();
        for moved in moved {
            by_format.entry(moved.format).or_default().push(moved);
        }
        for (format, moved) in by_format {
            let format = uses.wanted[format].to_string();
            let readers = moved.iter().map(|moved| moved.instruction);
            let Some(source) = self.copied(start, &format, readers) else { continue };
            for moved in moved {
                self.read_moved(moved, &source);
            }
        }
    }

    /// The parameter in some format, as an operand: copied into it before the first of its readers, unless
    /// it has it. Nothing where nobody reads it.
    fn copied(
        &mut self,
        start: &Instruction<'t>,
        format: &str,
        readers: impl Iterator<Item = &'m Instruction<'t>>,
    ) -> Option<String> {
        let first = readers.min_by_key(|reader| self.edits.place(reader.name()))?;
        let given = format!("{} %{}", self.to.text, start.name());
        if *format == *self.to.text {
            return Some(given);
        }
        let name = self.edits.new_name();
        self.edits.line_before(first, format!("  %{name} = {format} copy({given})"));
        Some(format!("{format} %{name}"))
    }

    /// Has what moved the parameter into a format be a bitcast of the parameter in that format.
    fn read_moved(&mut self, moved: &Moved<'m, 't>, source: &str) {
        let Moved { instruction, from, .. } = *moved;
        self.edits.change(instruction);
        let read = self.flow.uses.passed[from].instruction.name();
        let mut leaves = shapes::arrays(instruction.shape());
        let result = leaves.next().and_then(|leaf| Array::parse(leaf.text).ok());
        let Some(result) = result else { return };
        let layout = result.shape.layout_or_default();
        let is_async = instruction.opcode() == "copy-start";
        if !is_async && layout.memory_space() == 0 {
            self.edits.replace(instruction.opcode_text(), "bitcast");
            self.edits.read_instead(instruction, read, source);
            return;
        }
        // It goes into another memory all the same.
        let here = result.shape.with_layout(layout.with_memory_space(0));
        let Ok(here) = here else { return };
        let name = self.edits.new_name();
        self.edits.line_before(instruction, format!("  %{name} = {here} bitcast({source})"));
        self.edits.read_instead(instruction, read, &format!("{here} %{name}"));
        match leaves.next().filter(|_| is_async) {
            Some(operand) => self.edits.replace(operand.text, here.to_string()),
            None => self.edits.replace(instruction.opcode_text(), "copy"),
        }
    }

    /// Whether an instruction is the root, and reads the parameter once, as the result that takes its memory.
    fn is_result(&mut self, user: &Instruction<'t>) -> bool {
        let Some(Output { made: Some(made), .. }) = &self.flow.output else { return false };
        let is_given = user.is_root() && self.starts().any(|start| start.name() == made.by.name());
        is_given && self.edits.operands(user, made.by.name()).len() == 1
    }

    /// Has the result that takes the parameter's memory come in its format.
    fn change_result(&mut self) -> Result<(), Untried> {
        let Some(Output { name, path, made }) = &self.flow.output else { return Ok(()) };
        let Some((made, root)) = made.as_ref().zip(self.entry.root()) else {
            return refuse(format!(
                "`{}` gives its memory to `{name}`, of which the text does not say how it is made, \
                 and that would have to get the format too",
                self.flow.parameter.name()
            ));
        };
        let Made { array, by, moved } = made;
        let to = &self.to.text;
        let is_root = by.name() == root.name();
        if let Some(text) = self.entry.output(path).filter(|_| !is_root) {
            self.edits.replace(text, &**to);
        }
        if self.starts().any(|start| start.name() == by.name()) {
            self.edits.read_instead(root, by.name(), &format!("{to} %{}", by.name()));
            return Ok(());
        }
        let is_only_result = self.entry.n_uses(by.name()) == usize::from(!is_root);
        let is_free = is_only_result && !self.edits.is_changed(by);
        if let Some((_, format)) =
            moved.as_ref().filter(|(by_move, _)| by_move.name() == by.name() && is_free)
        {
            // It is moved into this format instead, or not at all.
            self.edits.change(by);
            self.edits.replace(by.shape(), &**to);
            if format.to_string() == **to {
                self.edits.replace(by.opcode_text(), "bitcast");
            }
            if !is_root {
                self.edits.read_instead(root, by.name(), &format!("{to} %{}", by.name()));
            }
            return Ok(());
        }
        let copy = self.edits.new_name();
        let line = format!("%{copy} = {to} copy({} %{})", array.text, by.name());
        if is_root {
            self.edits.no_root(by);
            self.edits.line_after(by, format!("  ROOT {line}"));
        } else {
            self.edits.line_before(root, format!("  {line}"));
            self.edits.read_instead(root, by.name(), &format!("{to} %{copy}"));
        }
        Ok(())
    }
}
