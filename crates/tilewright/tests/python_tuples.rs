//! Tuples as Python prints them, with a comma after an only element, wherever a tuple is read.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fmt::Debug;
use std::str::FromStr;

use proptest::prelude::*;
use tilewright::Shape;
use tilewright::algebra::{Composition, Picks, Tiler};
use tilewright::notation::Described;
use tilewright::text::Diagnostic;
use tilewright::tla::{IntTuple, Layout, Nested};
use tilewright::xla::ParseOptions;

/// A tuple as Python's `repr` writes it: `(2,)`, `(2, 3)`, `()`.
fn repr(tuple: &Nested<i64>) -> String {
    match tuple {
        Nested::Leaf(value) => value.to_string(),
        Nested::Tuple(elements) => {
            let elements: Vec<String> = elements.iter().map(repr).collect();
            match &elements[..] {
                [only] => format!("({only},)"),
                elements => format!("({})", elements.join(", ")),
            }
        }
    }
}

/// The same without the commas that nothing follows.
fn plain(repr: &str) -> String {
    repr.replace(",)", ")")
}

#[track_caller]
fn check_read<T: FromStr<Err = Diagnostic> + PartialEq + Debug>(text: &str) {
    let read = |text: &str| text.parse::<T>().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read(text), read(&plain(text)), "{text}");
}

#[track_caller]
fn check_refused<T: FromStr<Err = Diagnostic> + Debug>(text: &str, place: usize) {
    let error = text.parse::<T>().expect_err(text);
    assert_eq!(error.span().start, place, "{error}");
}

#[test]
fn every_reader_of_tuples_takes_pythons() {
    check_read::<Layout>("(8,):(1,)");
    check_read::<Layout>("((2,),):((1,),)");
    check_read::<Layout>("((2, 4), (3,)):((1, 2), (8,)):(7, 3)");
    check_read::<Layout>("(8,):(1,):(7,)");
    check_read::<IntTuple>("((2,), 3)");
    check_read::<Picks>("(_, (1,))");
    check_read::<Tiler>("(2:1,)");
    check_read::<Tiler>("((2,):(1,), _, (4,))");
    check_read::<Tiler>("((2,),):((1,),)");
    check_read::<Composition>("Sw<1,0,1> o 0 o (8,):(1,)");
    check_read::<Described>("f16 ((2,),):((1,),)");
    check_read::<Described>("float32 (3,) (4,)");
}

/// A comma ends an element; there has to be one, and only one comma.
#[test]
fn commas_with_nothing_before_them_are_refused() {
    check_refused::<IntTuple>("(,)", 1);
    check_refused::<IntTuple>("(,2)", 1);
    check_refused::<IntTuple>("(2,,)", 3);
    check_refused::<IntTuple>("((2,),,)", 6);
    check_refused::<IntTuple>("2,", 1);
    check_refused::<IntTuple>("(2,", 3);
    check_refused::<Layout>("(8,),:(1,)", 4);
    check_refused::<Tiler>("(,)", 1);
    check_refused::<Tiler>("(2:1,,)", 5);
    check_refused::<Picks>("(_,,1)", 3);
}

/// A tuple of shapes is XLA's, which neither prints the comma nor reads it; and strictly there is
/// no notation but XLA's.
#[test]
fn tuples_of_shapes_take_no_such_comma() {
    check_refused::<Shape>("(f32[3],)", 8);
    check_refused::<Shape>("((f32[3],),s8[2])", 9);
    let strict = ParseOptions { strict: true, ..ParseOptions::default() };
    assert!(Described::parse("(8,):(1,)", strict).is_err());
}

fn any_tuple() -> impl Strategy<Value = Nested<i64>> {
    (-9i64..100).prop_map(Nested::Leaf).prop_recursive(4, 16, 4, |inner| {
        proptest::collection::vec(inner, 0..4).prop_map(Nested::Tuple)
    })
}

proptest! {
    #[test]
    fn what_python_prints_of_a_tuple_is_that_tuple(tuple in any_tuple()) {
        let read: IntTuple = repr(&tuple).parse().unwrap();
        prop_assert_eq!(read.map(|int| int.value()), tuple);
    }
}
