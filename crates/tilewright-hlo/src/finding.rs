//! What a reader could not make sense of, and where.

use std::fmt;

use serde::Serialize;

/// So many findings are kept; the rest is counted.
pub const MAX_FINDINGS: usize = 64;

/// How much of a line a finding shows before and after the place, in characters.
const CONTEXT: usize = 48;

/// Something in a text that was skipped or is wrong. The reader went on after it.
///
/// `Display` shows the place with a caret:
///
/// ```
/// let dump = tilewright_hlo::Dump::read("ENTRY e {\n  %a = f32[2,3} negate(%b)\n}\n");
/// assert_eq!(dump.findings.to_string(), "\
/// line 2: `%a` has no shape that could be read
///   |
///   |   %a = f32[2,3} negate(%b)
///   |        ^");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line, the first being 1.
    pub line: u32,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Part of the line, control characters as dots.
    pub excerpt: String,
    /// Where in the excerpt the place is, in characters from 0.
    pub caret: usize,
}

impl Finding {
    /// A finding about byte `at` of a line.
    pub(crate) fn new(number: u32, line: &str, at: usize, message: impl Into<String>) -> Self {
        let at = (0..=at.min(line.len())).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
        let (before, after) = line.split_at(at);
        let shown_before: Vec<char> = before.chars().rev().take(CONTEXT).collect();
        let shown = shown_before.iter().rev().copied().chain(after.chars().take(CONTEXT));
        Finding {
            line: number,
            message: message.into(),
            excerpt: shown.map(|c| if c.is_control() { '·' } else { c }).collect(),
            caret: shown_before.len(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}\n  |\n  | {}", self.line, self.message, self.excerpt.trim_end())?;
        write!(f, "\n  | {}^", " ".repeat(self.caret))
    }
}

/// The findings about a text, at most [`MAX_FINDINGS`] of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// The first findings, in the order of lines.
    pub kept: Vec<Finding>,
    /// How many more there were.
    pub more: usize,
}

impl Findings {
    pub(crate) fn add(&mut self, line: u32, text: &str, at: usize, message: impl Into<String>) {
        if self.kept.len() < MAX_FINDINGS {
            self.kept.push(Finding::new(line, text, at, message));
        } else {
            self.more += 1;
        }
    }

    /// Whether everything made sense.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, finding) in self.kept.iter().enumerate() {
            let separator = if number == 0 { "" } else { "\n" };
            write!(f, "{separator}{finding}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\n{more} more findings are not shown"),
        }
    }
}
