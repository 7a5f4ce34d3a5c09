//! Sentences of a grammar, by chance.
//!
//! A grammar says what a sentence looks like, not what it means: that an order names each dimension once, say. A
//! [`Chooser`] writes the parts that depend on others, and leaves all else to chance. What it writes is a sentence of
//! its rule, or the grammar is wrong: that is checked too.

use super::{Expression, Grammar, has_blanks};

/// Who decides.
pub trait Chooser {
    /// A number from 0 to before `end`.
    fn below(&mut self, end: usize) -> usize;

    /// What stands for this rule here, where that is not left to chance. It may ask for sentences of other rules.
    fn written(&mut self, rule: &str, sentences: &Sentences<'_>) -> Option<String>;
}

/// Makes sentences of a grammar.
#[derive(Clone, Copy, Debug)]
pub struct Sentences<'g> {
    grammar: &'g Grammar,
}

/// From here on the shortest way is taken.
const DEEP: usize = 12;

impl<'g> Sentences<'g> {
    /// Sentences of this grammar.
    pub fn of(grammar: &'g Grammar) -> Self {
        Sentences { grammar }
    }

    /// The grammar.
    pub fn grammar(&self) -> &'g Grammar {
        self.grammar
    }

    /// A sentence of a rule.
    ///
    /// # Panics
    /// If there is no such rule, or what the chooser writes is no sentence of its rule.
    pub fn sentence(&self, rule: &str, chooser: &mut dyn Chooser) -> String {
        let mut text = String::new();
        self.rule(rule, chooser, 0, &mut text);
        text
    }

    /// The same without asking what stands for this rule: the parts of it are asked for.
    ///
    /// # Panics
    /// As [`sentence`](Self::sentence).
    pub fn by_chance(&self, rule: &str, chooser: &mut dyn Chooser) -> String {
        let mut text = String::new();
        self.left_to_chance(rule, chooser, 0, &mut text);
        text
    }

    fn rule(&self, name: &str, chooser: &mut dyn Chooser, depth: usize, text: &mut String) {
        if let Some(written) = chooser.written(name, self) {
            assert!(self.grammar.derives(name, &written), "`{written}` is no {name}");
            join(text, &written, true);
        } else {
            self.left_to_chance(name, chooser, depth, text);
        }
    }

    fn left_to_chance(
        &self,
        name: &str,
        chooser: &mut dyn Chooser,
        depth: usize,
        text: &mut String,
    ) {
        let expression = self.grammar.rule(name).unwrap_or_else(|| panic!("no rule `{name}`"));
        let blank = has_blanks(name);
        if blank {
            self.write(expression, chooser, depth, text, true);
        } else {
            let mut word = String::new();
            self.write(expression, chooser, depth, &mut word, false);
            join(text, &word, true);
        }
    }

    fn write(
        &self,
        expression: &Expression,
        chooser: &mut dyn Chooser,
        depth: usize,
        text: &mut String,
        blank: bool,
    ) {
        match expression {
            Expression::Sequence(parts) => {
                parts.iter().for_each(|part| self.write(part, chooser, depth + 1, text, blank));
            }
            Expression::Choice(ways) => {
                let way = if depth > DEEP { 0 } else { chooser.below(ways.len()) };
                self.write(&ways[way], chooser, depth + 1, text, blank);
            }
            Expression::Repeated(part, least, most) => {
                let more = if depth > DEEP { 0 } else { chooser.below(4) };
                for _ in 0..most.map_or(least + more, |most| (least + more).min(most)) {
                    self.write(part, chooser, depth + 1, text, blank);
                }
            }
            Expression::Text { text: own, folds } => {
                let capital = *folds && chooser.below(8) == 0;
                let own = if capital { own.to_uppercase() } else { own.clone() };
                if blank && chooser.below(16) == 0 {
                    text.push_str([" ", "\t", " /* so */ "][chooser.below(3)]);
                }
                join(text, &own, blank);
            }
            Expression::Class { ranges, negated } => {
                let (first, last) = ranges[chooser.below(ranges.len())];
                let span = last as usize - first as usize + 1;
                let place = u32::try_from(first as usize + chooser.below(span)).unwrap_or_default();
                let own = if *negated { 'x' } else { char::from_u32(place).unwrap_or(first) };
                join(text, &own.to_string(), blank);
            }
            Expression::Rule(name) if blank => self.rule(name, chooser, depth + 1, text),
            Expression::Rule(name) => {
                let mut word = String::new();
                self.rule(name, chooser, depth + 1, &mut word);
                text.push_str(&word);
            }
        }
    }
}

/// Writes a word behind others, with a blank where the two would else be one.
fn join(text: &mut String, word: &str, blank: bool) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let meet = text.ends_with(is_word) && word.starts_with(is_word);
    // `_16` is one word, in two parts.
    if blank && meet && !text.ends_with('_') {
        text.push(' ');
    }
    text.push_str(word);
}
