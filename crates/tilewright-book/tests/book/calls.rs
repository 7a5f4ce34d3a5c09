//! The grammar of expressions is that of `tilewright_calc`: a sentence is read, and what is read is a sentence.
//!
//! What a text is read as depends on what the operation wants, so reading is working out. An expression is read if no
//! text in it is at fault and each call has an operation and arguments for it; it may still come to nothing.

use std::collections::BTreeSet;

use tilewright_book::grammar::{Chooser, Sentences};
use tilewright_calc::{Error, Expression, Value, usages};
use tilewright_fuzz::corpus::{kept, seeds};
use tilewright_fuzz::mutate::Random;

use crate::grammar;
use crate::written::Meaning;

const N_SENTENCES: u64 = 1500;
const N_CHANGES: u64 = 3;

/// Arrays in the notations that have grammars of their own.
const OTHERS: [&str; 8] = [
    "f32[4,8]{1,0:T(2,4)}",
    "F32[<=4,8]{1,0}",
    "s8[2,3]",
    "f32[2,35,7,7] aBcd16b",
    "f32::blocked:aB8b::f0 4x16",
    "f32[3,5] strides=(20,4)",
    "float32 (3,5) (20,4)",
    "u4[128,64]@awq",
];

/// Calls of operations that there are, with arguments that they take.
struct Calls {
    meaning: Meaning,
    depth: usize,
}

impl Calls {
    /// Of one of the operations whose names are wanted.
    fn call(&mut self, is_wanted: impl Fn(&str) -> bool, sentences: &Sentences<'_>) -> String {
        let usages =
            usages().into_iter().filter(|usage| usage.split('(').next().is_some_and(&is_wanted));
        let usages: Vec<&str> = usages.collect();
        let usage = usages[self.below(usages.len())];
        let (name, parameters) = usage.trim_end_matches(')').split_once('(').unwrap();
        self.depth += 1;
        let mut arguments = Vec::new();
        for parameter in parameters.split(',') {
            // `A[, n]` is `A[` and ` n]`: from the first one that is left out on, all are.
            if parameter.trim_end().ends_with(']') && self.below(2) == 0 {
                break;
            }
            match parameter.trim_matches([' ', '[', ']']) {
                "…" => arguments.extend((0..self.below(3)).map(|_| "1".to_owned())),
                parameter => arguments.push(self.argument(name, parameter, sentences)),
            }
        }
        self.depth -= 1;
        let comma = [",", ", ", " /* a, b( */ ,"][self.below(3)];
        let end = ["", ","][usize::from(self.below(5) == 0)];
        format!("{name}({}{end})", arguments.join(comma))
    }

    fn argument(&mut self, name: &str, parameter: &str, sentences: &Sentences<'_>) -> String {
        let rule = match (parameter, name) {
            ("B", "composition") | ("T", _) => "tiler",
            // A layout, or under a composed layout a tiler: what is both.
            ("B", "compose") => {
                let [shape, strides] =
                    ["shape", "strides"].map(|rule| sentences.sentence(rule, self));
                return format!("{shape}:{strides}");
            }
            ("A" | "B", _) => match self.below(6) {
                0 => "other",
                1 if self.depth < 4 => return self.layout(sentences),
                _ => "described",
            },
            ("S", _) => "swizzle",
            ("coordinate", "slice" | "dice" | "slice_and_offset") | ("profile", _) => "coordinate",
            ("element_type", _) => "type",
            ("shape" | "order" | "org_shape" | "coordinate" | "a" | "b" | "from" | "to", _) => {
                "ints"
            }
            ("stride", "make_layout") => "ints",
            _ => "int",
        };
        sentences.sentence(rule, self)
    }

    /// A call that comes to a layout, if to anything.
    fn layout(&mut self, sentences: &Sentences<'_>) -> String {
        const LAYOUTS: [&str; 5] =
            ["coalesce", "composition", "complement", "logical_divide", "make_layout"];
        self.call(|name| LAYOUTS.contains(&name), sentences)
    }
}

impl Chooser for Calls {
    fn below(&mut self, end: usize) -> usize {
        self.meaning.below(end)
    }

    fn written(&mut self, rule: &str, sentences: &Sentences<'_>) -> Option<String> {
        match rule {
            "call" => Some(self.call(|_| true, sentences)),
            "other" => Some(OTHERS[self.below(OTHERS.len())].to_owned()),
            _ => self.meaning.written(rule, sentences),
        }
    }
}

fn outcome(text: &str) -> Result<Value, Error> {
    Expression::parse(text)?.value()
}

/// Whether it is the text that is wrong, and not what it asks for.
fn is_of_text(error: &Error) -> bool {
    let words = error.to_string();
    let of_arguments = ["arguments do not fit", "is missing", "cannot be argument"];
    error.diagnostic().is_some()
        || error.is_unknown_operation()
        || of_arguments.iter().any(|part| words.contains(part))
}

#[test]
fn sentences_are_read() {
    let grammar = grammar("calc");
    let sentences = Sentences::of(&grammar);
    let (mut different, mut n_found) = (BTreeSet::new(), 0);
    for seed in 0..N_SENTENCES {
        let mut calls = Calls { meaning: Meaning::new(seed), depth: 0 };
        let rule = if seed % 4 == 0 { "expression" } else { "call" };
        let text = sentences.sentence(rule, &mut calls);
        assert!(grammar.derives("expression", &text), "`{text}`");
        match outcome(&text) {
            Ok(_) => n_found += 1,
            Err(error) => assert!(!is_of_text(&error), "seed {seed}: `{text}`: {error}"),
        }
        different.insert(text);
    }
    assert!(different.len() > 1000 && n_found > 300, "{}, {n_found}", different.len());
}

#[test]
fn what_is_read_is_a_sentence() {
    let grammar = grammar("calc");
    let texts = [seeds("algebra"), kept("algebra")].concat();
    let mut random = Random::new(11);
    let (mut n_read, mut n_refused) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        for change in 0..=N_CHANGES {
            let mut changed = text.clone();
            if change > 0 {
                random.mutate(&mut changed, &texts[(at * 7 + 1) % texts.len()], &[]);
            }
            let Ok(text) = String::from_utf8(changed) else { continue };
            match outcome(&text) {
                Ok(_) => {
                    n_read += 1;
                    assert!(grammar.derives("expression", &text), "`{text}`");
                }
                Err(_) => n_refused += 1,
            }
        }
    }
    assert!(n_read > 200 && n_refused > 200, "{n_read}, {n_refused}");
}
