//! The grammars of the book are those of the parsers: a sentence is read, and what is read is a sentence.

use std::collections::BTreeSet;

use tilewright::ElementType;
use tilewright::algebra::Composition;
use tilewright::formats::catalogue::NamedArray;
use tilewright::onednn::TaggedArray;
use tilewright::strided::StridedArray;
use tilewright::text::Diagnostic;
use tilewright::tla::Typed;
use tilewright::xla::{ParseOptions, parse_layout, parse_shape};
use tilewright_book::grammar::{Expression, Sentences};
use tilewright_fuzz::corpus::seeds;
use tilewright_fuzz::mutate::Random;

use crate::grammar;
use crate::written::Meaning;

/// How many sentences of each grammar, and how many changes of each text, are tried.
const N_SENTENCES: u64 = 1500;
const N_CHANGES: u64 = 2;

/// A notation: its grammar and the rule that all of it is, its parser, and the fuzzer's seeds for that.
struct Notation {
    name: &'static str,
    rule: &'static str,
    parse: fn(&str) -> Result<(), Diagnostic>,
    seeds: &'static str,
}

const NOTATIONS: &[Notation] = &[
    Notation {
        name: "xla",
        rule: "shape",
        parse: |text| parse_shape(text, ParseOptions::default()).map(drop),
        seeds: "xla_text",
    },
    Notation {
        name: "cute",
        rule: "described",
        parse: |text| text.parse::<Typed<Composition>>().map(drop),
        seeds: "tla_text",
    },
    Notation {
        name: "onednn",
        rule: "tagged",
        parse: |text| text.parse::<TaggedArray>().map(drop),
        seeds: "onednn_tag",
    },
    Notation {
        name: "numpy",
        rule: "strided",
        parse: |text| text.parse::<StridedArray>().map(drop),
        seeds: "numpy_strides",
    },
    Notation {
        name: "named",
        rule: "named",
        parse: |text| text.parse::<NamedArray>().map(drop),
        seeds: "named_layout",
    },
];

/// Names of the catalogue cannot be had by chance.
#[test]
fn sentences_are_read() {
    for notation in NOTATIONS.iter().filter(|notation| notation.name != "named") {
        let grammar = grammar(notation.name);
        let sentences = Sentences::of(&grammar);
        let mut different = BTreeSet::new();
        for seed in 0..N_SENTENCES {
            let text = sentences.sentence(notation.rule, &mut Meaning::new(seed));
            assert!(grammar.derives(notation.rule, &text), "{}: `{text}`", notation.name);
            if let Err(error) = (notation.parse)(&text) {
                panic!("{}, seed {seed}:\n{error}", notation.name);
            }
            different.insert(text);
        }
        assert!(different.len() > 500, "{}: only {}", notation.name, different.len());
    }
}

/// A layout without an array, which may have a physical shape.
#[test]
fn layouts_alone_are_read() {
    let grammar = grammar("xla");
    let sentences = Sentences::of(&grammar);
    for seed in 0..N_SENTENCES {
        let text = sentences.sentence("layout", &mut Meaning::of_layout(seed));
        assert!(grammar.derives("layout", &text), "`{text}`");
        if let Err(error) = parse_layout(&text, ParseOptions::default()) {
            panic!("seed {seed}:\n{error}");
        }
    }
}

/// The texts of the tests' frozen data, and those with small changes: of these many are read, and all others are not.
#[test]
fn what_is_read_is_a_sentence() {
    for notation in NOTATIONS {
        let grammar = grammar(notation.name);
        let mut texts = seeds(notation.seeds);
        if notation.name == "onednn" {
            // Those are tags alone, which stand behind an array.
            texts.iter_mut().for_each(|tag| *tag = behind_an_array(tag));
        }
        let mut random = Random::new(7);
        let (mut n_read, mut n_refused) = (0, 0);
        for seed in 0..texts.len() as u64 * (1 + N_CHANGES) {
            let at = usize::try_from(seed / (1 + N_CHANGES)).unwrap();
            let bytes = match seed % (1 + N_CHANGES) {
                0 => texts[at].clone(),
                _ => {
                    let mut changed = texts[at].clone();
                    random.mutate(&mut changed, &texts[(at * 7 + 1) % texts.len()], &[]);
                    changed
                }
            };
            let Ok(text) = String::from_utf8(bytes) else { continue };
            match (notation.parse)(&text) {
                Ok(()) => {
                    n_read += 1;
                    assert!(grammar.derives(notation.rule, &text), "{}: `{text}`", notation.name);
                }
                Err(_) => n_refused += 1,
            }
        }
        assert!(n_read > 200 && n_refused > 200, "{}: {n_read}, {n_refused}", notation.name);
    }
}

/// `f32[2,2,2] acb` of `acb`: as many dimensions as there are letters in front.
fn behind_an_array(tag: &[u8]) -> Vec<u8> {
    let rank = tag.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if tag.contains(&b':') || tag.contains(&b'[') {
        return tag.to_vec();
    }
    [b"f32[", vec!["2"; rank].join(",").as_bytes(), b"] ", tag].concat()
}

/// The types are those that there are, by both of their names.
#[test]
fn types_are_all_there() {
    let texts = |name: &str, rule: &str| -> BTreeSet<String> {
        match grammar(name).rule(rule) {
            Some(Expression::Choice(ways)) => ways
                .iter()
                .map(|way| match way {
                    Expression::Text { text, .. } => text.clone(),
                    other => panic!("{other:?}"),
                })
                .collect(),
            other => panic!("{other:?}"),
        }
    };
    let names = |name: fn(ElementType) -> &'static str| -> BTreeSet<String> {
        ElementType::ALL.iter().map(|&element_type| name(element_type).to_owned()).collect()
    };
    assert_eq!(texts("common", "type"), names(ElementType::xla_name));
    assert_eq!(texts("numpy", "numpy_type"), names(ElementType::numpy_name));
}

/// Every rule is part of some sentence.
#[test]
fn no_rule_is_left_over() {
    fn uses(expression: &Expression, found: &mut BTreeSet<String>) {
        match expression {
            Expression::Sequence(parts) | Expression::Choice(parts) => {
                parts.iter().for_each(|part| uses(part, found));
            }
            Expression::Repeated(part, ..) => uses(part, found),
            Expression::Rule(name) => drop(found.insert(name.clone())),
            Expression::Text { .. } | Expression::Class { .. } => {}
        }
    }
    let mut of_common = BTreeSet::new();
    let all = NOTATIONS.iter().map(|notation| (notation.name, notation.rule));
    for (notation, rule) in all.chain([("calc", "expression")]) {
        let common = grammar("common");
        let grammar = grammar(notation);
        let mut found = BTreeSet::from([rule.to_owned()]);
        grammar.rules.iter().for_each(|(_, expression)| uses(expression, &mut found));
        for (name, _) in grammar.rules.iter().filter(|(name, _)| common.rule(name).is_none()) {
            assert!(found.contains(name), "{notation}: {name}");
        }
        of_common.extend(found);
    }
    for (name, _) in &grammar("common").rules {
        assert!(of_common.contains(name), "{name}");
    }
}
