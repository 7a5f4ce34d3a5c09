//! Whether a text is a sentence.
//!
//! For each part of a rule and each place in the text the *set* of places where the part may end is worked out. That is
//! right for every grammar without left recursion, ambiguous or not; no grammar here has rules that begin with
//! themselves.

use std::collections::{BTreeSet, HashMap};

use super::{Expression, Grammar, has_blanks};

/// Where a part may end.
type Ends = BTreeSet<usize>;

impl Grammar {
    /// Whether a text is a sentence of a rule, with blanks and comments around it.
    pub fn derives(&self, rule: &str, text: &str) -> bool {
        let mut reader = Recogniser { grammar: self, text, known: HashMap::new() };
        let starts = blanks(text, 0);
        let Some(expression) = self.rule(rule) else { return false };
        let ends = reader.expression(expression, starts, has_blanks(rule));
        ends.into_iter().any(|end| blanks(text, end) == text.len())
    }
}

struct Recogniser<'g> {
    grammar: &'g Grammar,
    text: &'g str,
    known: HashMap<(&'g str, usize), Ends>,
}

impl<'g> Recogniser<'g> {
    fn expression(&mut self, expression: &'g Expression, at: usize, blank: bool) -> Ends {
        match expression {
            Expression::Sequence(parts) => {
                let mut ends = Ends::from([at]);
                for part in parts {
                    ends = self.ends_after(part, &ends, blank);
                }
                ends
            }
            Expression::Choice(ways) => {
                ways.iter().flat_map(|way| self.expression(way, at, blank)).collect()
            }
            Expression::Repeated(part, least, most) => {
                let (mut ends, mut found) = (Ends::from([at]), Ends::new());
                let mut times = 0;
                while !ends.is_empty() {
                    if times >= *least {
                        // What has been reached before leads nowhere else.
                        ends = ends.difference(&found).copied().collect();
                        found.extend(&ends);
                    }
                    if most.is_some_and(|most| times >= most) {
                        break;
                    }
                    ends = self.ends_after(part, &ends, blank);
                    times += 1;
                }
                found
            }
            Expression::Text { text, folds } => {
                let start = if blank { blanks(self.text, at) } else { at };
                let found = self.text.get(start..start + text.len());
                let is_there = found.is_some_and(|found| {
                    found == text || (*folds && found.eq_ignore_ascii_case(text))
                });
                is_there.then_some(start + text.len()).into_iter().collect()
            }
            Expression::Class { ranges, negated } => {
                let start = if blank { blanks(self.text, at) } else { at };
                let next = self.text[start..].chars().next();
                let within = |c: &char| ranges.iter().any(|(first, last)| first <= c && c <= last);
                let next = next.filter(|c| within(c) != *negated);
                next.map(|c| start + c.len_utf8()).into_iter().collect()
            }
            Expression::Rule(name) => self.rule(name, at, blank),
        }
    }

    fn rule(&mut self, name: &'g str, at: usize, blank: bool) -> Ends {
        let at = if blank { blanks(self.text, at) } else { at };
        if let Some(ends) = self.known.get(&(name, at)) {
            return ends.clone();
        }
        let Some(expression) = self.grammar.rule(name) else { return Ends::new() };
        let ends = self.expression(expression, at, has_blanks(name));
        self.known.insert((name, at), ends.clone());
        ends
    }

    fn ends_after(&mut self, part: &'g Expression, starts: &Ends, blank: bool) -> Ends {
        starts.iter().flat_map(|&at| self.expression(part, at, blank)).collect()
    }
}

/// The first place from `at` on with neither blanks nor a comment.
fn blanks(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        at += rest.len() - trimmed.len();
        let comment = match trimmed.get(..2) {
            Some("//") => Some(trimmed.find('\n').unwrap_or(trimmed.len())),
            Some("/*") => trimmed[2..].find("*/").map(|len| len + 4),
            _ => None,
        };
        match comment {
            Some(len) => at += len,
            None => return at,
        }
    }
}
