//! Expressions with tuples as Python prints them, which is how they come out of `pycute`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use tilewright_calc::Expression;

#[track_caller]
fn check(expression: &str, value: &str) {
    let found = Expression::parse(expression).unwrap().value();
    assert_eq!(found.unwrap_or_else(|e| panic!("{e}")).to_string(), value, "{expression}");
}

#[test]
fn a_comma_may_follow_an_only_element() {
    check("coalesce((8,):(1,))", "8:1");
    check("composition((8,):(2,), (4,):(2,))", "(4):(4)");
    check("composition(((4,), 2):((2,), 1), (2,))", "(2,2):(2,1)");
    check("logical_divide(((4, 2),):((1, 4),), (2:1,))", "((2,4)):((1,2))");
    check("slice((_, (1,)), (4, (2,)):(1, (4,)))", "(4):(1)");
    check("complement((4,):(1,), 24)", "6:4");
}

#[test]
fn and_the_last_argument() {
    check("coalesce(8:1,)", "8:1");
    check("composition(8:2, 4:2,)", "4:4");
    for expression in ["coalesce(,)", "composition(8:2,,)", "composition(8:2,,4:2)"] {
        assert!(Expression::parse(expression).unwrap().value().is_err(), "{expression}");
    }
}
