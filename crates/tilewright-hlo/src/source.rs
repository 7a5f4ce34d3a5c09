//! Where in the user's program an instruction comes from.
//!
//! The text says so in an instruction's `metadata`: the name of the operation, `jit(f)/layer/dot`, and
//! the line, as `source_file` and `source_line` or as the number of a frame in the tables at the top of
//! the module (`FileNames`, `FileLocations`, `StackFrames`).

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use memchr::memmem::{Finder, FinderRev};
use serde::{Serialize, Serializer};

use crate::module::Instruction;
use crate::scan;

/// A line of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// The file, as the compiler was told its name.
    pub file: String,
    /// The line, the first being 1.
    pub line: u32,
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The tables of source positions at the top of a module.
#[derive(Clone, Debug, Default)]
pub struct Sources<'a> {
    files: HashMap<u32, &'a str>,
    /// A file and a line.
    locations: HashMap<u32, (u32, u32)>,
    /// The location of each frame.
    frames: HashMap<u32, u32>,
    table: Table,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Table {
    #[default]
    None,
    FileNames,
    FunctionNames,
    FileLocations,
    StackFrames,
}

impl<'a> Sources<'a> {
    /// Takes a line outside of computations into account. Says whether it is one of a table.
    pub(crate) fn line(&mut self, line: &'a str) -> bool {
        let text = line.trim();
        self.table = match text {
            "FileNames" => Table::FileNames,
            "FunctionNames" => Table::FunctionNames,
            "FileLocations" => Table::FileLocations,
            "StackFrames" => Table::StackFrames,
            _ => return self.row(text),
        };
        true
    }

    fn row(&mut self, text: &'a str) -> bool {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        let Ok(number) = number.parse() else { return false };
        let rest = rest.trim_start();
        let field = |name: &str| {
            let rest = &rest[rest.find(name)? + name.len()..];
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..end].parse::<u32>().ok()
        };
        match self.table {
            Table::None => return false,
            Table::FunctionNames => {}
            Table::FileNames => {
                let name = rest.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
                self.files.insert(number, name.unwrap_or(rest));
            }
            Table::FileLocations => {
                if let (Some(file), Some(line)) = (field("file_name_id="), field(" line=")) {
                    self.locations.insert(number, (file, line));
                }
            }
            Table::StackFrames => {
                if let Some(location) = field("file_location_id=") {
                    self.frames.insert(number, location);
                }
            }
        }
        true
    }

    /// The line that an instruction comes from.
    pub(crate) fn of(&self, instruction: &Instruction<'a>) -> Option<Source> {
        let metadata = metadata(instruction)?;
        if let Some(file) = quoted(metadata, "source_file=") {
            let line = number(metadata, "source_line=").unwrap_or(0);
            return Some(Source { file: file.to_owned(), line });
        }
        let frame = number(metadata, "stack_frame_id=")?;
        let (file, line) = *self.locations.get(self.frames.get(&frame)?)?;
        Some(Source { file: (*self.files.get(&file)?).to_owned(), line })
    }
}

/// The name of the operation that an instruction comes from, `jit(f)/layer/dot_general`.
pub(crate) fn op_name<'a>(instruction: &Instruction<'a>) -> Option<&'a str> {
    quoted(metadata(instruction)?, "op_name=")
}

/// What the compiler thinks that an instruction takes, in cycles of the chip.
pub(crate) fn estimated_cycles(instruction: &Instruction<'_>) -> Option<u64> {
    let text = instruction.attributes();
    static BEGIN: LazyLock<FinderRev<'_>> =
        LazyLock::new(|| FinderRev::new("\"estimated_cycles\":\""));
    let at = BEGIN.rfind(text.as_bytes())? + BEGIN.needle().len();
    let end = text[at..].find('"')? + at;
    text[at..end].parse().ok().filter(|&cycles| cycles < i64::MAX as u64)
}

/// The operands that a kernel writes over, and with which of its results: what the compiler for the TPU
/// says, as lists of numbers of which those from `n_operands` on are results.
pub(crate) fn aliased_operands(
    instruction: &Instruction<'_>,
    n_operands: usize,
) -> Vec<(usize, usize)> {
    static BEGIN: LazyLock<FinderRev<'_>> =
        LazyLock::new(|| FinderRev::new("\"aliasing_operands\":{\"lists\":["));
    let text = instruction.attributes();
    let Some(at) = BEGIN.rfind(text.as_bytes()) else { return Vec::new() };
    let rest = &text[at + BEGIN.needle().len()..];
    let lists = rest.find("]}]").map_or("", |end| &rest[..end]);
    let mut pairs = Vec::new();
    for list in lists.split("\"indices\":[").skip(1) {
        let list = list.split(']').next().unwrap_or("");
        let numbers = list.split(',').map(|number| number.trim().trim_matches('"'));
        let numbers: Vec<usize> = numbers.filter_map(|number| number.parse().ok()).collect();
        for &result in numbers.iter().filter(|&&number| number >= n_operands) {
            let operands = numbers.iter().filter(|&&number| number < n_operands);
            pairs.extend(operands.map(|&operand| (operand, result - n_operands)));
        }
    }
    pairs
}

/// What stands in the braces of `metadata={…}`.
fn metadata<'a>(instruction: &Instruction<'a>) -> Option<&'a str> {
    let text = instruction.attributes();
    let at = metadata_at(instruction)?;
    // Names of operations hold anything, so the braces are counted.
    let length = scan::closing(&text[at..])?;
    text.get(at + 1..at + length - 1)
}

/// Whether an instruction says where it comes from.
pub(crate) fn has_metadata(instruction: &Instruction<'_>) -> bool {
    metadata_at(instruction).is_some()
}

/// Where the braces of `metadata={…}` begin.
fn metadata_at(instruction: &Instruction<'_>) -> Option<usize> {
    static BEGIN: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("metadata={"));
    let text = instruction.attributes();
    // A kernel has metadata of its own: `frontend_attributes={kernel_metadata={}}`.
    let is_own = |at: &usize| !text[..*at].ends_with(|c: char| c == '_' || c.is_alphanumeric());
    let mut all = BEGIN.find_iter(text.as_bytes());
    Some(all.find(is_own)? + BEGIN.needle().len() - 1)
}

fn quoted<'a>(text: &'a str, field: &str) -> Option<&'a str> {
    let rest = text[text.find(field)? + field.len()..].strip_prefix('"')?;
    let mut is_escaped = false;
    let end = rest.find(|c| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    rest.get(..end?)
}

fn number(text: &str, field: &str) -> Option<u32> {
    let rest = &text[text.find(field)? + field.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use crate::{Dump, Report};

    use super::*;

    #[test]
    fn names_hold_anything() {
        let text = "ENTRY e {\n  ROOT k = f32[8] custom-call(), \
            frontend_attributes={kernel_metadata={}}, metadata={op_name=\"w[\\\"a\\\"]{\" source_line=3}\n}\n";
        let kernel = Dump::read(text).module.unwrap().instructions[0];
        assert_eq!(op_name(&kernel), Some("w[\\\"a\\\"]{"));
    }

    #[test]
    fn both_ways_to_say_a_line() {
        let text = "HloModule m, is_scheduled=true\n\nFileNames\n1 \"model.py\"\n\nFunctionNames\n1 \"f\"\n\n\
            FileLocations\n3 {file_name_id=1 function_name_id=1 line=13 end_line=14 column=2}\n\n\
            StackFrames\n2 {file_location_id=3 parent_frame_id=1}\n\nENTRY e {\n  \
            a = f32[8] iota(), iota_dimension=0, metadata={op_name=\"jit(f)/{x}\" stack_frame_id=2}\n  \
            ROOT b = f32[8] negate(a), metadata={op_name=\"n\" source_file=\"other.py\" source_line=7}, \
            backend_config={\"estimated_cycles\":\"12\"}\n}\n";
        let dump = Dump::read(text);
        assert_eq!((dump.lines_skipped, Report::of(&dump).findings.len()), (0, 0));
        let module = dump.module.unwrap();
        let [a, b] = module.instructions[..] else { panic!() };
        assert_eq!(module.sources.of(&a).unwrap().to_string(), "model.py:13");
        assert_eq!(module.sources.of(&b).unwrap().to_string(), "other.py:7");
        assert_eq!((op_name(&a), op_name(&b)), (Some("jit(f)/{x}"), Some("n")));
        assert_eq!((estimated_cycles(&a), estimated_cycles(&b)), (None, Some(12)));
    }
}
