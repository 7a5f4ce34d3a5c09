//! Index expressions, worked out as they are read.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::HashMap;

use tilewright::map::Notation;
use tilewright::{ArrayShape, IndexMap};

fn map(text: &str) -> IndexMap {
    text.parse::<ArrayShape>().unwrap().index_map().unwrap()
}

/// Sums, products, `div` and `mod` with every `div` and `mod` in parentheses, and names for parts
/// after `where`.
struct Reading<'a> {
    rest: &'a str,
    values: &'a HashMap<String, i64>,
}

impl Reading<'_> {
    fn takes(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => self.rest = rest,
            None => return false,
        }
        true
    }

    fn sum(&mut self) -> i64 {
        let mut sum = self.product();
        while self.takes(" + ") {
            sum += self.product();
        }
        sum
    }

    fn product(&mut self) -> i64 {
        let mut value = self.atom();
        loop {
            if self.takes("*") {
                value *= self.atom();
            } else if self.takes(" div ") {
                value = value.div_euclid(self.atom());
            } else if self.takes(" mod ") {
                value = value.rem_euclid(self.atom());
            } else {
                return value;
            }
        }
    }

    fn atom(&mut self) -> i64 {
        if self.takes("(") {
            let value = self.sum();
            assert!(self.takes(")"), "at `{}`", self.rest);
            return value;
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.parse().unwrap_or_else(|_| self.values[word])
    }
}

fn worked_out(text: &str, values: &HashMap<String, i64>) -> i64 {
    let mut reading = Reading { rest: text, values };
    let value = reading.sum();
    assert_eq!(reading.rest, "", "in `{text}`");
    value
}

/// The offset that an expression says.
fn said(expression: &str, index: &[i64]) -> i64 {
    let mut values: HashMap<String, i64> =
        index.iter().enumerate().map(|(dim, &i)| (format!("i{dim}"), i)).collect();
    let (offset, parts) = expression.split_once(" where ").unwrap_or((expression, ""));
    for part in parts.split(", ").filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once(" = ").unwrap();
        let value = worked_out(value, &values);
        values.insert(name.to_owned(), value);
    }
    worked_out(offset, &values)
}

/// Tiles that cut what tiles have cut, this deep.
fn nested(depth: usize) -> IndexMap {
    map(&format!("u8[100,90]{{1,0:T(4,5){}}}", "(*,*,*,7)(2,3)".repeat(depth)))
}

#[track_caller]
fn says_its_offsets(map: &IndexMap) {
    let expression = map.index_expression();
    for (row, column) in (0..10).flat_map(|row| (0..10).map(move |column| (row, column))) {
        let index = [row * 11 % map.dims()[0], column * 9 % map.dims()[1]];
        assert_eq!(said(&expression, &index), map.offset(&index).unwrap(), "{expression}");
    }
}

#[test]
fn an_expression_says_every_offset() {
    for text in [
        "f32[3,5]{1,0:T(2,2)}",
        "bf16[30,300]{1,0:T(8,128)(2,1)}",
        "f32[6,10]{0,1:T(4,2)(2,1)}",
        "f32[10,10]{1,0:T(*,7)(3,2)}",
    ] {
        says_its_offsets(&map(text));
    }
}

/// A coordinate that is cut stands in the text twice, and what it is made of four times: 40 deep,
/// written out, it would take more memory than there is.
#[test]
fn parts_have_names_where_they_would_fill_the_world() {
    assert!(!nested(1).index_expression().contains("where"));
    for depth in [1, 2, 3, 5, 12] {
        says_its_offsets(&nested(depth));
    }
    for depth in [12, 20] {
        let deep = nested(depth);
        let expression = deep.index_expression();
        assert!(expression.contains(" where m0 = "), "{expression}");
        assert!(expression.len() < 200 * depth, "{}", expression.len());
        for notation in [Notation::Tla, Notation::Numpy, Notation::Mlir] {
            assert!(deep.to_notation(notation, 8).is_err());
        }
    }
}
