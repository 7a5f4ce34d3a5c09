//! Grammars in the W3C's form of EBNF, as the book prints them.
//!
//! ```text
//! tile     ::= "(" tile_dim ( "," tile_dim )* ")"
//! tile_dim ::= integer | "*"
//! integer  ::= "-"? NUMBER
//! NUMBER   ::= [0-9]+
//! ```
//!
//! `"…"` is a text, `'…'` one in small or in capital letters, `[…]` a character of those, `[^…]` one of all others;
//! `#x5D` in it is the character of that number, in hexadecimal digits, here `]`.
//! Between the parts of a rule there may be blanks and comments, unless its name is in capitals.

mod derive;
mod sentence;

use std::collections::HashMap;

pub use sentence::{Chooser, Sentences};

/// The right-hand side of a rule, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// One after the other.
    Sequence(Vec<Expression>),
    /// One of them.
    Choice(Vec<Expression>),
    /// At least so many times, and at most so many.
    Repeated(Box<Expression>, usize, Option<usize>),
    /// This text; in either case if `folds`.
    Text {
        /// The text.
        text: String,
        /// Whether capitals and small letters are the same.
        folds: bool,
    },
    /// A character in one of these ranges; if `negated`, in none.
    Class {
        /// First and last of each range.
        ranges: Vec<(char, char)>,
        /// Whether it is a character of none of them.
        negated: bool,
    },
    /// What another rule says.
    Rule(String),
}

/// Rules by their names.
#[derive(Clone, Debug)]
pub struct Grammar {
    /// The rules as they stand, for what goes through all of them.
    pub rules: Vec<(String, Expression)>,
    by_name: HashMap<String, usize>,
}

impl Grammar {
    /// Reads a grammar. Every rule that is used has to be there.
    ///
    /// # Errors
    /// What is wrong, and in which rule.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rules = Vec::new();
        for (name, right) in lines(text)? {
            let mut reader = Reader { rest: right.trim() };
            let expression = reader.choice().map_err(|error| format!("{name}: {error}"))?;
            if !reader.rest.is_empty() {
                return Err(format!("{name}: what is `{}`?", reader.rest));
            }
            rules.push((name, expression));
        }
        let by_name: HashMap<String, usize> =
            rules.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect();
        let grammar = Grammar { rules, by_name };
        for (name, expression) in &grammar.rules {
            if let Some(missing) = grammar.missing(expression) {
                return Err(format!("{name}: there is no rule `{missing}`"));
            }
        }
        Ok(grammar)
    }

    /// The right-hand side of a rule.
    pub fn rule(&self, name: &str) -> Option<&Expression> {
        self.by_name.get(name).map(|&place| &self.rules[place].1)
    }

    /// A rule that is used in it, and that there is none of.
    fn missing<'e>(&self, expression: &'e Expression) -> Option<&'e str> {
        match expression {
            Expression::Sequence(parts) | Expression::Choice(parts) => {
                parts.iter().find_map(|part| self.missing(part))
            }
            Expression::Repeated(part, ..) => self.missing(part),
            Expression::Rule(name) if !self.by_name.contains_key(name) => Some(name),
            _ => None,
        }
    }
}

/// Whether blanks may stand between the parts of a rule of this name.
fn has_blanks(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_lowercase())
}

/// Names and right-hand sides; those of several lines joined.
fn lines(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut rules: Vec<(String, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match (line.split_once("::="), rules.last_mut()) {
            (Some((name, right)), _) => rules.push((name.trim().to_owned(), right.to_owned())),
            (None, Some((_, right))) => *right += line,
            (None, None) => return Err(format!("`{line}` is no rule")),
        }
    }
    Ok(rules)
}

/// Reads the right-hand side of a rule.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn choice(&mut self) -> Result<Expression, String> {
        let mut ways = vec![self.sequence()?];
        while self.eat("|") {
            ways.push(self.sequence()?);
        }
        Ok(if ways.len() == 1 { ways.remove(0) } else { Expression::Choice(ways) })
    }

    fn sequence(&mut self) -> Result<Expression, String> {
        let mut parts = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            parts.push(self.repeated()?);
        }
        match parts.len() {
            0 => Err("a part is empty".to_owned()),
            1 => Ok(parts.remove(0)),
            _ => Ok(Expression::Sequence(parts)),
        }
    }

    fn repeated(&mut self) -> Result<Expression, String> {
        let part = self.part()?;
        let (least, most) = match self.rest.chars().next() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            _ => {
                self.rest = self.rest.trim_start();
                return Ok(part);
            }
        };
        self.rest = self.rest[1..].trim_start();
        Ok(Expression::Repeated(Box::new(part), least, most))
    }

    fn part(&mut self) -> Result<Expression, String> {
        if self.eat("(") {
            let inside = self.choice()?;
            return match self.rest.strip_prefix(')') {
                Some(rest) => {
                    self.rest = rest;
                    Ok(inside)
                }
                None => Err("a parenthesis is not closed".to_owned()),
            };
        }
        for quote in ['"', '\''] {
            if let Some(rest) = self.rest.strip_prefix(quote) {
                let (text, rest) = rest.split_once(quote).ok_or("a quote is not closed")?;
                self.rest = rest;
                return Ok(Expression::Text { text: text.to_owned(), folds: quote == '\'' });
            }
        }
        if let Some(rest) = self.rest.strip_prefix('[') {
            let (inside, rest) = rest.split_once(']').ok_or("a bracket is not closed")?;
            self.rest = rest;
            return Ok(class(inside));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(format!("what is `{}`?", self.rest));
        }
        self.rest = rest;
        Ok(Expression::Rule(name.to_owned()))
    }

    fn eat(&mut self, symbol: &str) -> bool {
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }
}

/// `a-z0-9_` or `^: `.
fn class(inside: &str) -> Expression {
    let (inside, negated) = match inside.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (inside, false),
    };
    let characters = characters(inside);
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let is_range = characters.get(at + 1) == Some(&'-') && at + 2 < characters.len();
        let last = if is_range { at + 2 } else { at };
        ranges.push((characters[at], characters[last]));
        at = last + 1;
    }
    Expression::Class { ranges, negated }
}

/// The characters of a class; `#x5D` is one.
fn characters(inside: &str) -> Vec<char> {
    let mut parts = inside.split("#x");
    let mut characters: Vec<char> = parts.next().unwrap_or_default().chars().collect();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len()).min(2);
        let (number, rest) = part.split_at(end);
        characters.extend(u32::from_str_radix(number, 16).ok().and_then(char::from_u32));
        characters.extend(rest.chars());
    }
    characters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_may_be_said_by_number() {
        let grammar = Grammar::parse("WORD ::= [^(#x5B#x5D,] [#x5Da]")
            .unwrap_or_else(|error| panic!("{error}"));
        for (text, is_word) in
            [("x]", true), ("xa", true), ("]a", false), ("[a", false), ("xb", false)]
        {
            assert_eq!(grammar.derives("WORD", text), is_word, "{text}");
        }
    }

    const TILES: &str = "tile ::= \"(\" dim ( \",\" dim )* \")\"\ndim ::= NUMBER | 'x'\n  | \"*\"\nNUMBER ::= [0-9]+\n";

    #[test]
    fn texts_are_sentences_or_not() {
        let grammar = Grammar::parse(TILES).unwrap_or_else(|error| panic!("{error}"));
        for text in ["(8)", "(8,128)", " ( *,X ,12 /* of them */)", "(8,\n1) // so"] {
            assert!(grammar.derives("tile", text), "{text}");
        }
        for text in ["", "(8", "(8,)", "()", "(1 2)", "(y)", "(8) 8", "(8) /*"] {
            assert!(!grammar.derives("tile", text), "{text}");
        }
    }

    #[test]
    fn what_is_no_grammar_is_refused() {
        for text in [
            "a",
            "a ::= b",
            "a ::= (\"x\"",
            "a ::= \"x",
            "a ::= | \"x\"",
            "a ::= \"x\" )",
            "a ::= %",
        ] {
            assert!(Grammar::parse(text).is_err(), "{text}");
        }
    }
}
