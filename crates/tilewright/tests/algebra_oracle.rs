//! The algebra of layouts against implementations we did not write: `pycute` and `tensor-layouts`,
//! frozen as data by `cargo xtask oracle`, and the `weaverbird` crate.
//!
//! Answers are compared as functions first, at every coordinate, and as text second. Whatever
//! Tilewright answers keeps the law of its operation, also where an oracle refuses or is wrong (its
//! row says so, judged by brute force when the data was made). Each kind of difference is listed:
//! what an oracle gets wrong in `PYCUTE_WRONG` and `TENSOR_LAYOUTS_WRONG`, lawful answers that
//! differ in `OTHER`, what Tilewright alone refuses in `REFUSED`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

#[path = "algebra_oracle/laws.rs"]
mod laws;

use std::collections::BTreeSet;

use laws::{
    Answer, Wanted, at, flat, keeps_law, layout, of_flat, offsets, swizzle_inputs, swizzle_parts,
    tiler,
};
use proptest::prelude::*;
use tilewright::Error;
use tilewright::algebra::{self, Composed, Picks, Swizzle, Tiler};
use tilewright::tla::{Int, IntTuple, Layout, Nested};

// Tilewright's side.

/// The operation of that name, as `xtask/oracle/algebra_rows.py` writes its operands.
fn ask(operation: &str, left: &str, right: &str) -> Result<Answer, Error> {
    if operation == "swizzle" {
        return swizzled(left, right).map(Answer::Numbers);
    }
    let l = layout(left);
    let number = || right.parse::<i64>().unwrap();
    Ok(Answer::Layout(match operation {
        "coalesce" => algebra::coalesce(&l)?,
        "coalesce_by_mode" => algebra::coalesce_by(&l, &right.parse::<IntTuple>().unwrap())?,
        "filter" => algebra::filter(&l)?,
        "composition" => algebra::composition(&l, tiler(right))?,
        "complement" => algebra::complement(&l, Int::dynamic(number()))?,
        "right_inverse" => algebra::right_inverse(&l)?,
        "left_inverse" => algebra::left_inverse(&l)?,
        "nullspace" => algebra::nullspace(&l)?,
        "upcast" => algebra::upcast(&l, Int::dynamic(number()))?,
        "downcast" => algebra::downcast(&l, Int::dynamic(number()))?,
        "logical_divide" => algebra::logical_divide(&l, tiler(right))?,
        "zipped_divide" => algebra::zipped_divide(&l, tiler(right))?,
        "tiled_divide" => algebra::tiled_divide(&l, tiler(right))?,
        "flat_divide" => algebra::flat_divide(&l, tiler(right))?,
        "logical_product" => algebra::logical_product(&l, tiler(right))?,
        "zipped_product" => algebra::zipped_product(&l, tiler(right))?,
        "tiled_product" => algebra::tiled_product(&l, tiler(right))?,
        "flat_product" => algebra::flat_product(&l, tiler(right))?,
        "blocked_product" => algebra::blocked_product(&l, &layout(right))?,
        "raked_product" => algebra::raked_product(&l, &layout(right))?,
        "cosize" => return l.cosize().map(|size| Answer::Number(size.value())),
        "max_common_vector" => {
            return algebra::max_common_vector(&l, &layout(right))
                .map(|n| Answer::Number(n.value()));
        }
        "slice" => {
            let picks: Picks = right.parse().unwrap();
            let (rest, offset) = algebra::slice_and_offset(&picks, &l)?;
            return Ok(Answer::Slice(offset.elements()?.value(), rest));
        }
        _ => panic!("no operation is called {operation}"),
    }))
}

/// A swizzle of some numbers, or over a layout.
fn swizzled(swizzle: &str, right: &str) -> Result<Vec<i64>, Error> {
    let [bits, base, shift] = swizzle_parts(swizzle);
    let swizzle = Swizzle::new(bits.unsigned_abs(), base.unsigned_abs(), shift)?;
    if !right.contains(':') {
        return Ok(swizzle_inputs(right).into_iter().map(|number| swizzle.apply(number)).collect());
    }
    let composed = Composed::swizzled(swizzle, layout(right))?;
    let coordinates = (0..composed.size()?.value()).map(|index| Nested::Leaf(Int::dynamic(index)));
    coordinates.map(|coordinate| composed.offset_at(&coordinate)).collect()
}

// The frozen data.

/// A row of the data: what was asked, and what came back.
struct Row<'a> {
    operation: &'a str,
    left: &'a str,
    right: &'a str,
    /// `holds`, `breaks …` or `refuses`.
    verdict: &'a str,
    answer: &'a str,
}

impl<'a> Row<'a> {
    fn read(line: &'a str) -> Row<'a> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [operation, left, right, verdict, answer] = fields[..] else { panic!("{line}") };
        Row { operation, left, right, verdict, answer }
    }

    /// How Tilewright's answer relates to the oracle's.
    fn outcome(&self) -> Outcome {
        let ours = match ask(self.operation, self.left, self.right) {
            Ok(ours) => ours,
            Err(_) if self.verdict == "holds" => return Outcome::Refuses,
            Err(_) => return Outcome::RefusesToo,
        };
        let law = keeps_law(self.operation, self.left, self.right, &ours);
        if law == Some(false) {
            return Outcome::Wrong(ours.text());
        }
        if self.verdict == "refuses" {
            return if law.is_some() { Outcome::Answers } else { Outcome::Wrong(ours.text()) };
        }
        let theirs = Answer::read(self.operation, self.answer);
        let is_same = ours.values() == theirs.values();
        match (self.verdict, law) {
            ("holds", _) if is_same && ours.text() == theirs.text() => Outcome::Same,
            ("holds", _) if is_same => Outcome::SameFunction,
            ("holds", Some(_)) => Outcome::OtherFunction,
            (_, Some(_)) => Outcome::Mends,
            (_, None) => Outcome::Wrong(ours.text()),
        }
    }

    fn told(&self, outcome: &Outcome) -> String {
        let Row { operation, left, right, verdict, answer } = self;
        let ours = match ask(operation, left, right) {
            Ok(ours) => ours.text(),
            Err(error) => error.to_string(),
        };
        format!("{operation} {left} {right}: {outcome:?} {ours}; the oracle {verdict}: {answer}")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The oracle's answer, to the letter.
    Same,
    /// The same function, written otherwise.
    SameFunction,
    /// Another function that keeps the law.
    OtherFunction,
    /// No answer, where the oracle has one that keeps the law.
    Refuses,
    /// No answer, where the oracle has a wrong one or none.
    RefusesToo,
    /// An answer that keeps the law, where the oracle's does not.
    Mends,
    /// An answer that keeps the law, where the oracle refuses.
    Answers,
    /// An answer that breaks the law.
    Wrong(String),
}

/// A kind of wrong answers: the operations, what the row says of its law, and what the oracle does.
type Kind = (&'static [&'static str], &'static str, &'static str);

/// What an oracle gets wrong. Tilewright refuses each, or has an answer that keeps the law.
const PYCUTE_WRONG: &[Kind] = &[
    (&["composition"], "shape", "loses or adds elements where the walk divides no mode"),
    (&["composition"], "value", "takes modes apart whose sum carries"),
    (&["complement"], "empty", "has extent 0 where strides reach into one another"),
    (&["right_inverse"], "short", "stops at the first stride that is 0 or negative"),
    (&["left_inverse"], "value", "pays no heed to gaps, ragged rows and strides of 0"),
    (&["cosize"], "value", "takes the last offset for the largest"),
    (
        &["composition", "logical_divide", "zipped_divide", "tiled_divide"],
        "value-beyond",
        "goes on beyond the size along the mode before a 1",
    ),
    (&["logical_divide", "zipped_divide"], "shape", "as composition"),
    (&["logical_divide", "tiled_divide"], "overlap", "tiles that meet themselves have no rest"),
    (&["logical_divide", "tiled_divide"], "missing", "tiles with gaps that no rest fills"),
    (&["zipped_divide", "tiled_divide"], "carry", "past the end the tile and the rest carry"),
    (&["logical_product", "zipped_product", "tiled_product"], "overlap", "as complement"),
    (
        &["logical_product", "zipped_product", "tiled_product"],
        "shape",
        "divides by integers, and loses elements as composition does",
    ),
    (&["tiled_product"], "value", "divides by integers"),
];

const TENSOR_LAYOUTS_WRONG: &[Kind] = &[
    (&["composition"], "value", "takes modes apart whose sum carries"),
    (
        &["composition", "logical_divide", "zipped_divide"],
        "value-beyond",
        "goes on beyond the size along the mode before a 1",
    ),
    (&["complement"], "overlap", "meets the layout where strides reach into one another"),
    (&["left_inverse"], "value", "strides that are no chain"),
    (&["max_common_vector"], "value", "is longer than one of the layouts"),
    (
        &["logical_divide", "zipped_divide", "tiled_divide"],
        "shape",
        "an integer divides the first mode only; a tile of one integer that of a nested mode",
    ),
    (&["tiled_divide", "flat_divide"], "value", "a nested mode by a tile of 1 is cut elsewhere"),
    (&["logical_divide", "zipped_divide", "flat_divide"], "overlap", "tiles that meet themselves"),
    (&["logical_divide", "flat_divide"], "missing", "tiles with gaps that no rest fills"),
    (&["flat_divide"], "carry", "past the end the tile and the rest carry"),
    (
        &["logical_product", "zipped_product", "tiled_product", "flat_product"],
        "overlap",
        "as complement",
    ),
    (&["blocked_product", "raked_product"], "overlap", "as complement"),
    (&["logical_product", "flat_product"], "value", "takes modes apart whose sum carries"),
    (&["blocked_product"], "value", "puts copies a cosize apart, not into the complement"),
    (&["upcast"], "divisibility", "rounds strides up"),
    (&["upcast"], "value", "elements that become one overlap, or count down"),
    (&["downcast"], "elements", "cuts along several modes, or along none"),
];

/// Where an oracle keeps the law and Tilewright's answer, which does too, is another function.
const OTHER: &[(&str, &str)] = &[
    ("left_inverse", "places where no element lies lead anywhere"),
    ("right_inverse", "longer: of modes that share a stride, the best"),
    ("max_common_vector", "longer: a part of a mode counts"),
];

/// Where an oracle keeps the law and Tilewright refuses.
const REFUSED: &[(&str, &str)] = &[
    ("left_inverse", "elements share an offset, or strides are no chain"),
    ("logical_divide", "a tile with an uneven gap, though no element is missed"),
    ("upcast", "the last of the larger elements would be filled in part"),
];

fn has_reason(reasons: &[(&str, &str)], operation: &str) -> bool {
    reasons.iter().any(|(name, _)| *name == operation)
}

fn is_listed(kinds: &[Kind], operation: &str, kind: &str) -> bool {
    kinds.iter().any(|listed| listed.0.contains(&operation) && listed.1 == kind)
}

/// Asks each row of the data. `agreeing` is how many agree as text, and how many more as functions.
fn check(data: &str, wrong: &[Kind], agreeing: (usize, usize)) {
    let mut seen = BTreeSet::new();
    let mut unlisted = Vec::new();
    let (mut as_text, mut as_functions) = (0, 0);
    for row in data.lines().skip(1).map(Row::read) {
        let outcome = row.outcome();
        as_text += usize::from(outcome == Outcome::Same);
        as_functions += usize::from(outcome == Outcome::SameFunction);
        let kind = row.verdict.strip_prefix("breaks ");
        let is_expected = kind.is_none_or(|kind| is_listed(wrong, row.operation, kind))
            && match outcome {
                Outcome::Wrong(_) => false,
                Outcome::OtherFunction => has_reason(OTHER, row.operation),
                Outcome::Refuses => has_reason(REFUSED, row.operation),
                _ => true,
            };
        if !is_expected {
            unlisted.push(row.told(&outcome));
        }
        seen.extend(kind.map(|kind| (row.operation, kind)));
    }
    assert!(unlisted.is_empty(), "{} not listed:\n{}", unlisted.len(), unlisted.join("\n"));
    for (operations, kind, _) in wrong {
        for operation in *operations {
            assert!(seen.contains(&(*operation, *kind)), "{operation} {kind} is in no row");
        }
    }
    // Exact, so that a change of the notation is seen here.
    assert_eq!((as_text, as_functions), agreeing);
}

#[test]
fn pycute() {
    check(include_str!("data/cute-pycute.tsv"), PYCUTE_WRONG, (4105, 223));
}

#[test]
fn tensor_layouts() {
    check(include_str!("data/cute-tensor-layouts.tsv"), TENSOR_LAYOUTS_WRONG, (4165, 439));
}

/// Where Tilewright refuses a composition there is none: looked at element by element, some mode of
/// the right side leads through offsets that no layout has, or the modes' sums are not the offsets.
#[test]
fn refused_compositions_are_no_layouts() {
    let pycute = include_str!("data/cute-pycute.tsv").lines().skip(1);
    let rows =
        pycute.chain(include_str!("data/cute-tensor-layouts.tsv").lines().skip(1)).map(Row::read);
    let mut refused = 0;
    for row in rows.filter(|row| row.operation == "composition") {
        let (a, Tiler::Layout(b)) = (layout(row.left), tiler(row.right)) else { continue };
        if algebra::composition(&a, &b).is_ok() {
            continue;
        }
        let through = |b: &Layout| offsets(b).into_iter().map(|place| at(&a, place)).collect();
        let modes: Vec<Vec<i64>> =
            flat(&b).into_iter().map(|mode| through(&of_flat(&[mode]))).collect();
        let fits = |values: &Vec<i64>| algebra::fit_offsets(values).unwrap().is_some();
        let are_layouts = modes.iter().all(fits);
        let sum = Wanted::Modes(modes.into_iter().map(|mode| Wanted::Mode(None, mode)).collect());
        assert!(!are_layouts || sum.sums() != through(&b), "{a} after {b} is refused");
        refused += 1;
    }
    assert!(refused > 150, "{refused}");
}

// The crate weaverbird, a port of NVIDIA's second PyCuTe.

fn theirs(layout: &Layout) -> weaverbird::Layout {
    fn nested(tuple: &IntTuple) -> weaverbird::IntTuple {
        match tuple {
            Nested::Leaf(number) => weaverbird::HTuple::Leaf(number.value()),
            Nested::Tuple(parts) => parts.iter().map(nested).collect(),
        }
    }
    let stride = layout.stride().map(|stride| stride.elements().unwrap());
    weaverbird::Layout::from_parts(nested(layout.shape()), nested(&stride).into())
}

/// `None` if the answer is no layout at all: weaverbird makes negative extents.
fn ours(theirs: &weaverbird::Layout) -> Option<Layout> {
    theirs.to_string().replace(' ', "").replace(",)", ")").parse().ok()
}

/// What weaverbird answers; `None` where it refuses.
fn ask_weaverbird(operation: &str, l: &Layout, right: &str) -> Option<Layout> {
    let l = theirs(l);
    let tile = || theirs(&layout(right));
    let scale =
        |numerator, denominator| weaverbird::Scale::fraction(numerator, denominator).unwrap();
    let number = || right.parse::<i64>().unwrap();
    let answer = match operation {
        "coalesce" => l.coalesced(),
        "composition" => l.compose(tile()),
        // Without a bound it is minimal, a last `1:d` telling where it would go on.
        "complement" if right == "1" => l.complement().and_then(|r| r.coalesced()),
        "complement" => l.complement_to(&weaverbird::HTuple::Leaf(number())),
        "right_inverse" => l.right_inverse(),
        "left_inverse" => l.left_inverse(),
        "nullspace" => l.nullspace(),
        "logical_divide" => l.logical_divide(tile()),
        "logical_product" => l.logical_product(tile()),
        "upcast" => l.recast(scale(number(), 1)),
        "downcast" => l.recast(scale(1, number())),
        _ => panic!("{operation}"),
    };
    answer.ok().as_ref().and_then(ours)
}

/// One question to both. Whatever Tilewright answers keeps the law, and where weaverbird does too,
/// Tilewright answers; the same function where `is_determined`: the law leaves no choice.
fn compare(
    operation: &str,
    l: &Layout,
    right: &str,
    is_determined: bool,
) -> Result<(), TestCaseError> {
    let left = l.to_string();
    let keeps =
        |r: &Layout| keeps_law(operation, &left, right, &Answer::Layout(r.clone())) != Some(false);
    let theirs = ask_weaverbird(operation, l, right).filter(keeps);
    let asked = format!("{operation} {left} {right}");
    match (ask(operation, &left, right), theirs) {
        (Ok(ours), theirs) => {
            let Answer::Layout(ours) = &ours else { panic!("{asked}") };
            prop_assert!(keeps(ours), "{asked} is {ours}");
            if let (Some(theirs), true) = (theirs, is_determined) {
                let agree = offsets(ours) == offsets(&theirs);
                prop_assert!(agree, "{asked} is {ours}, weaverbird says {theirs}");
            }
        }
        (Err(error), Some(theirs)) => {
            let has_reason = has_reason(REFUSED, operation);
            prop_assert!(has_reason, "{asked}: {error}, weaverbird says {theirs}");
        }
        (Err(_), None) => {}
    }
    Ok(())
}

/// Up to five integers, in any order of strides, with gaps, repeats and some nesting.
fn any_layout(largest: i64) -> impl Strategy<Value = Layout> {
    let extent = prop_oneof![Just(1), Just(2), Just(2), Just(4), Just(4), 1i64..=8];
    let gap = prop_oneof![4 => Just(1), 1 => 2i64..=3];
    let is_still = prop::bool::weighted(0.08);
    let mode = (extent, gap, is_still, any::<u32>(), any::<bool>());
    prop::collection::vec(mode, 1..=5).prop_map(move |mut modes| {
        while modes.iter().map(|mode| mode.0).product::<i64>() > largest {
            modes.pop();
        }
        let mut order: Vec<usize> = (0..modes.len()).collect();
        order.sort_by_key(|&position| modes[position].3);
        let (mut reach, mut strides) = (1, vec![0; modes.len()]);
        for position in order {
            let (extent, gap, is_still, ..) = modes[position];
            strides[position] = if is_still { 0 } else { reach * gap };
            reach *= if is_still { 1 } else { extent * gap };
        }
        let leaves: Vec<_> =
            modes.iter().zip(strides).map(|(mode, stride)| of_mode(mode.0, stride)).collect();
        grouped(&leaves, &modes.iter().map(|mode| mode.4).collect::<Vec<_>>())
    })
}

fn of_mode(extent: i64, stride: i64) -> Layout {
    layout(&format!("{extent}:{stride}"))
}

/// Neighbours whose flags agree become one mode.
fn grouped(leaves: &[Layout], flags: &[bool]) -> Layout {
    let mut modes = Vec::new();
    let mut rest = leaves;
    for run in flags.chunk_by(|a, b| a == b) {
        let (now, later) = rest.split_at(run.len());
        modes.push(if let [only] = now { only.clone() } else { Layout::from_modes(now) });
        rest = later;
    }
    Layout::from_modes(&modes)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn weaverbird_alone(l in any_layout(256), n in 1i64..=200, scale in 2i64..=8) {
        compare("coalesce", &l, "", true)?;
        compare("right_inverse", &l, "", false)?;
        compare("left_inverse", &l, "", false)?;
        compare("nullspace", &l, "", true)?;
        compare("complement", &l, "1", true)?;
        compare("complement", &l, &n.to_string(), true)?;
        compare("upcast", &l, &scale.to_string(), true)?;
        compare("downcast", &l, &scale.to_string(), true)?;
    }

    #[test]
    fn weaverbird_of_two(a in any_layout(128), b in any_layout(32)) {
        let right = b.to_string();
        compare("composition", &a, &right, true)?;
        compare("logical_divide", &a, &right, true)?;
        compare("logical_product", &a, &right, true)?;
    }
}
