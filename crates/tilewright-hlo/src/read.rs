//! The reader: one pass over the lines of a text.
//!
//! A line outside of computations is a module's header, a computation's header, part of an
//! out-of-memory report, or something else; inside, it is an instruction, the end, or the rest of
//! the instruction before it. What a line cannot be is skipped with a finding, and the next line is
//! read as if nothing had been. Only constants and attributes go over line ends.

use crate::finding::Findings;
use crate::line::{BadHead, Head, head, header};
use crate::memory_report::{MemoryReport, ReportReader};
use crate::module::{Computation, Instruction, Module, Parts};
use crate::scan::Depth;

/// What a text held: a module, an out-of-memory report, or both.
#[derive(Clone, Debug, Default)]
pub struct Dump<'a> {
    /// The module, or the part of one.
    pub module: Option<Module<'a>>,
    /// The out-of-memory report.
    pub memory_report: Option<MemoryReport<'a>>,
    /// What made no sense, and was skipped.
    pub findings: Findings,
    /// How many lines before, between and after these were not looked at.
    pub lines_skipped: usize,
}

impl<'a> Dump<'a> {
    /// Reads an HLO text module, as XLA, JAX and libtpu print it at any stage of compilation, or
    /// XLA's out-of-memory report; log lines around them are passed over.
    ///
    /// ```
    /// let text = "HloModule m\n\nENTRY main {\n  p = f32[2]{0} parameter(0)\n  ROOT n = f32[2]{0} negate(p)\n}\n";
    /// let module = tilewright_hlo::Dump::read(text).module.unwrap();
    /// assert_eq!((module.name, module.instructions[1].opcode()), ("m", "negate"));
    /// assert_eq!(module.entry().unwrap().name, "main");
    /// ```
    ///
    /// Takes time in the length of the text, and memory in the number of instructions.
    pub fn read(text: &'a str) -> Self {
        let mut reader = Reader::new(text);
        while let Some(line) = reader.next_line() {
            reader.line(line);
        }
        reader.finish()
    }

    /// Why the entry's parameters are not known, if they are not.
    pub fn missing_entry(&self) -> Option<&'static str> {
        match &self.module {
            None => Some("no HLO module"),
            Some(module) if module.entry().is_none() => {
                Some("the module has no entry computation, so its parameters are not known")
            }
            Some(_) => None,
        }
    }
}

/// What to give instead of a text that is no module and no report, where that is known.
pub fn no_dump(text: &str) -> Option<&'static str> {
    if ["module @", "stablehlo.", "mhlo."].iter().any(|word| text.contains(word)) {
        return Some("it is MLIR: give the compiled program, `lowered.compile()`");
    }
    let is_short_of_memory = ["E1000", "HbmOom", "Ran out of memory", "RESOURCE_EXHAUSTED"];
    is_short_of_memory.iter().any(|word| text.contains(word)).then_some(
        "the compiler says in one line that memory ran out, and lists nothing: compile again with \
         XLA_FLAGS=--xla_dump_to=DIR and give DIR, or its *.oom_intermediate_module.txt",
    )
}

struct Reader<'a> {
    text: &'a str,
    /// Where the next line begins.
    at: usize,
    /// The number of the line that was taken last.
    number: u32,
    module: Module<'a>,
    has_module: bool,
    /// Whether the last computation is open.
    is_inside: bool,
    /// How deep the attributes of the last instruction end in brackets, once that was asked.
    attributes: Option<Depth>,
    report: ReportReader<'a>,
    findings: Findings,
    lines_skipped: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Reader {
            text,
            at: 0,
            number: 0,
            module: Module::default(),
            has_module: false,
            is_inside: false,
            attributes: None,
            report: ReportReader::default(),
            findings: Findings::default(),
            lines_skipped: 0,
        }
    }

    fn next_line(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest.as_bytes());
        self.at += end.map_or(rest.len(), |end| end + 1);
        self.number = self.number.saturating_add(1);
        rest.get(..end.unwrap_or(rest.len()))
    }

    fn line(&mut self, line: &'a str) {
        match line.trim_ascii_start().as_bytes().first() {
            None => {}
            Some(_) if self.is_inside => self.line_inside(line),
            Some(_) => self.line_outside(line),
        }
    }

    fn line_inside(&mut self, line: &'a str) {
        if line.trim_ascii_start().starts_with('}') {
            if !self.continues(line) {
                self.close();
            }
            return;
        }
        match head(line) {
            Some(Ok(head)) => self.instruction(line, head),
            Some(Err(bad)) => self.bad_instruction(line, bad),
            None if self.continues(line) => {}
            None => match header(line) {
                Some((name, is_entry)) => {
                    self.unclosed(line);
                    self.open(name, is_entry);
                }
                None => self.skip_inside(line),
            },
        }
    }

    fn line_outside(&mut self, line: &'a str) {
        if let Some(rest) = line.trim_start().strip_prefix("HloModule") {
            return self.module_header(line, rest);
        }
        if self.is_expected_outside(line) || self.report.line(line, self.number) {
            return;
        }
        if let Some((name, is_entry)) = header(line) {
            return self.open(name, is_entry);
        }
        match head(line) {
            // Part of a module: instructions of a computation whose header is not there.
            Some(Ok(head)) if !is_prose(&head) => {
                self.open("", false);
                self.instruction(line, head);
            }
            _ => self.lines_skipped += 1,
        }
    }

    /// The tables of source positions, `FileNames` and so on, and comments.
    fn is_expected_outside(&mut self, line: &'a str) -> bool {
        let text = line.trim();
        let begins_as_row = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
        self.has_module
            && !self.report.has_begun()
            && (self.module.sources.line(line) || begins_as_row || text.starts_with("//"))
    }

    fn module_header(&mut self, line: &'a str, rest: &'a str) {
        if self.has_module || !self.module.computations.is_empty() {
            self.findings.add(
                self.number,
                line,
                0,
                "another module begins here; it is read as part of the first",
            );
            return;
        }
        let rest = rest.trim_start();
        let end = rest.find([',', ' ']).unwrap_or(rest.len());
        let (name, attributes) = rest.split_at(end);
        self.module.name = name;
        self.module.attributes = attributes.trim_start_matches([',', ' ']);
        self.has_module = true;
    }

    fn open(&mut self, name: &'a str, is_entry: bool) {
        let start = self.module.instructions.len();
        let computation =
            Computation { name, line: self.number, is_entry, instructions: start..start };
        self.module.computations.push(computation);
        self.is_inside = true;
        self.attributes = None;
    }

    fn close(&mut self) {
        self.is_inside = false;
        let end = self.module.instructions.len();
        if let Some(computation) = self.module.computations.last_mut() {
            computation.instructions.end = end;
        }
    }

    fn unclosed(&mut self, line: &str) {
        let name = self.module.computations.last().map_or("", |computation| computation.name);
        if !name.is_empty() {
            let message =
                format!("the computation `{}` before this is not closed", shortened(name));
            self.findings.add(self.number, line, 0, message);
        }
        self.close();
    }

    fn instruction(&mut self, line: &'a str, head: Head<'a>) {
        let number = self.number;
        let after = line.get(head.operands..).unwrap_or("");
        let (operands, attributes) = match closing_parenthesis(after.as_bytes()) {
            Some(end) => (&after[..end], &after[end + 1..]),
            None if head.opcode == "constant" => self.constant(line, after),
            None => {
                let message = format!("the operands of `{}` are not closed", shortened(head.name));
                self.findings.add(number, line, line.len(), message);
                (after, "")
            }
        };
        self.attributes = None;
        let attributes = after_comma(attributes).trim_ascii_end();
        let Head { name, shape, opcode, is_root, .. } = head;
        let parts = Parts { name, shape, opcode, operands, attributes };
        match Instruction::of(self.text, &parts, number, is_root) {
            Some(instruction) => self.module.instructions.push(instruction),
            None => self.findings.add(number, line, 0, "an instruction that is too long"),
        }
    }

    /// The value of a constant that goes on over the line's end, and what comes after it. Lines
    /// are taken until its parenthesis closes, or one begins something else.
    fn constant(&mut self, line: &'a str, after: &'a str) -> (&'a str, &'a str) {
        let (start, number) = (self.offset_of(after), self.number);
        let mut depth = Depth::within_bracket();
        depth.find(after.as_bytes(), |_| false);
        loop {
            let before = (self.at, self.number);
            let Some(next) = self.next_line().filter(|next| !begins_something(next)) else {
                (self.at, self.number) = before;
                self.findings.add(number, line, line.len(), "the constant is not closed");
                return (self.text.get(start..self.at).unwrap_or(after), "");
            };
            if let Some(end) = depth.find(next.as_bytes(), |byte| byte == b')') {
                let value = self.text.get(start..before.0 + end).unwrap_or(after);
                return (value, next.get(end + 1..).unwrap_or(""));
            }
        }
    }

    /// Where in the whole text a part of it begins.
    fn offset_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    fn bad_instruction(&mut self, line: &str, bad: BadHead<'_>) {
        let name = shortened(bad.name);
        let message = format!("`%{name}` has no {} that could be read", bad.missing);
        self.findings.add(self.number, line, bad.at, message);
        self.attributes = None;
    }

    /// Whether a line goes on with the attributes of the instruction before it, because a bracket
    /// is open; it is added to them then.
    fn continues(&mut self, line: &'a str) -> bool {
        let end = self.offset_of(line) + line.len();
        let is_first = self.module.computations.last().map(|c| c.instructions.start)
            == Some(self.module.instructions.len());
        let Some(last) = self.module.instructions.last_mut().filter(|_| !is_first) else {
            return false;
        };
        let mut depth = self.attributes.unwrap_or_else(|| {
            let mut depth = Depth::default();
            depth.find(last.attributes().as_bytes(), |_| false);
            depth
        });
        let is_open = depth.is_open();
        if is_open {
            depth.find(line.as_bytes(), |_| false);
            last.extend(self.text, end);
        }
        self.attributes = Some(depth);
        is_open
    }

    fn skip_inside(&mut self, line: &str) {
        let text = line.trim_start();
        if !text.starts_with("//") {
            let at = line.len() - text.len();
            self.findings.add(
                self.number,
                line,
                at,
                "neither an instruction nor the end of the computation",
            );
        }
    }

    fn finish(mut self) -> Dump<'a> {
        if self.is_inside {
            let name = self.module.computations.last().map_or("", |computation| computation.name);
            if !name.is_empty() {
                let message = format!("the text ends inside the computation `{}`", shortened(name));
                self.findings.add(self.number, "", 0, message);
            }
            self.close();
        }
        let has_module = self.has_module || !self.module.computations.is_empty();
        Dump {
            module: has_module.then_some(self.module),
            memory_report: self.report.finish(),
            findings: self.findings,
            lines_skipped: self.lines_skipped,
        }
    }
}

/// Attributes without the comma before them.
fn after_comma(attributes: &str) -> &str {
    let attributes = attributes.trim_ascii_start();
    attributes.strip_prefix(',').unwrap_or(attributes).trim_ascii_start()
}

/// The parenthesis that closes one before `bytes`. Operands hold few brackets, so they are
/// searched for rather than walked to.
fn closing_parenthesis(bytes: &[u8]) -> Option<usize> {
    let mut depth = 1usize;
    for at in memchr::memchr3_iter(b'(', b')', b'"', bytes) {
        match bytes.get(at) {
            Some(b'(') => depth += 1,
            Some(b')') if depth == 1 => return Some(at),
            Some(b')') => depth -= 1,
            _ => return Depth::within_bracket().find(bytes, |byte| byte == b')'),
        }
    }
    None
}

/// Whether a line is one that no constant's value goes on with.
fn begins_something(line: &str) -> bool {
    line.trim_end() == "}"
        || line.starts_with("}, ")
        || head(line).is_some()
        || header(line).is_some()
}

/// Words that only look like an instruction. Those in logs have no array.
fn is_prose(head: &Head<'_>) -> bool {
    !head.shape.contains('[')
}

/// A name cut to what a message has room for.
pub(crate) fn shortened(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
