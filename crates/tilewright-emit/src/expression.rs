//! Integer expressions: what every target prints, and what the interpreter works out.
//!
//! An [`Arena`] holds each expression once, so that what two terms have in common has one number, an [`Expr`], and is
//! computed once. With each it knows the [`Range`] of its values and a number that all of them are multiples of. From
//! these the simplifications follow, where an expression is made:
//!
//! | expression | becomes | where |
//! |---|---|---|
//! | `x mod n` | `x` | `x < n` |
//! | `x div n` | `0` | `x < n` |
//! | `(y + z) div n` | `y div n + z div n` | `y` is a multiple of `n` |
//! | `(y + z) mod n` | `z mod n` | `y` is a multiple of `n` |
//! | `(x div a) div b` | `x div (a*b)` | |
//! | `x div 2^k`, `x mod 2^k` | `x >> k`, `x & (2^k - 1)` | |
//! | `x div n` | `(x * c) >> s` | a product of 63 bits does, see [`divide`](crate::divide) |
//! | `x mod n` | `x - (x div n) * n` | |
//!
//! Dividends are never below 0: every divided coordinate of a map counts from 0.

use std::collections::HashMap;

use crate::divide::Product;
use crate::range::Range;

/// The number of an expression in its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(u32);

impl Expr {
    /// Which of its arena's it is, from zero on.
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// What an expression is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A number.
    Constant(i64),
    /// The input of this number: an index, an offset, a loop's variable.
    Input(usize),
    /// A sum.
    Add(Expr, Expr),
    /// A difference.
    Subtract(Expr, Expr),
    /// A product.
    Multiply(Expr, Expr),
    /// The quotient by a number that is no power of two, rounded down.
    Divide(Expr, i64, Option<Product>),
    /// The quotient of a number of 0 and more by one above 0 that is not known, rounded down.
    DivideBy(Expr, Expr),
    /// The quotient by `2^k`, rounded down.
    ShiftRight(Expr, u32),
    /// The bits that are in this mask.
    And(Expr, i64),
    /// The bits in which two differ.
    Xor(Expr, Expr),
    /// The bits of two that have none in common: their sum.
    Or(Expr, Expr),
    /// 1 where the first is less, else 0.
    Less(Expr, Expr),
    /// 1 where both are the same, else 0.
    Equal(Expr, Expr),
    /// 1 where both are 1, else 0.
    Both(Expr, Expr),
}

impl Operation {
    /// The same operation of other expressions.
    pub(crate) fn with_operands(self, new: impl Fn(Expr) -> Expr) -> Self {
        match self {
            Operation::Constant(_) | Operation::Input(_) => self,
            Operation::Add(a, b) => Operation::Add(new(a), new(b)),
            Operation::Subtract(a, b) => Operation::Subtract(new(a), new(b)),
            Operation::Multiply(a, b) => Operation::Multiply(new(a), new(b)),
            Operation::Divide(a, divisor, product) => Operation::Divide(new(a), divisor, product),
            Operation::DivideBy(a, b) => Operation::DivideBy(new(a), new(b)),
            Operation::ShiftRight(a, bits) => Operation::ShiftRight(new(a), bits),
            Operation::And(a, mask) => Operation::And(new(a), mask),
            Operation::Xor(a, b) => Operation::Xor(new(a), new(b)),
            Operation::Or(a, b) => Operation::Or(new(a), new(b)),
            Operation::Less(a, b) => Operation::Less(new(a), new(b)),
            Operation::Equal(a, b) => Operation::Equal(new(a), new(b)),
            Operation::Both(a, b) => Operation::Both(new(a), new(b)),
        }
    }
}

/// An expression and what is known of it.
#[derive(Clone, Copy, Debug)]
struct Node {
    operation: Operation,
    range: Range,
    /// Every value is a multiple of this; 0 where every value is 0.
    factor: i64,
}

/// Expressions, each once, those that it is made of before it.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    numbers: HashMap<Operation, Expr>,
    /// What expressions are, in words.
    notes: HashMap<Expr, String>,
}

impl Arena {
    /// What an expression is made of.
    pub fn operation(&self, expr: Expr) -> Operation {
        self.node(expr).operation
    }

    /// The values that it can take.
    pub fn range(&self, expr: Expr) -> Range {
        self.node(expr).range
    }

    /// The greatest number that all its values are known to be multiples of; 0 where they are all 0.
    pub fn factor(&self, expr: Expr) -> i64 {
        self.node(expr).factor
    }

    /// Its value, where it has only one.
    pub fn constant_of(&self, expr: Expr) -> Option<i64> {
        match self.operation(expr) {
            Operation::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Says in words what an expression is, where nothing has been said of it.
    pub fn note(&mut self, expr: Expr, note: impl FnOnce() -> String) {
        if !matches!(self.operation(expr), Operation::Constant(_) | Operation::Input(_)) {
            self.notes.entry(expr).or_insert_with(note);
        }
    }

    /// What has been said of it.
    pub fn note_of(&self, expr: Expr) -> Option<&str> {
        self.notes.get(&expr).map(String::as_str)
    }

    /// What it is made of directly.
    pub fn operands(&self, expr: Expr) -> impl Iterator<Item = Expr> + use<> {
        let (first, second) = match self.operation(expr) {
            Operation::Constant(_) | Operation::Input(_) => (None, None),
            Operation::Divide(a, ..) | Operation::ShiftRight(a, _) | Operation::And(a, _) => {
                (Some(a), None)
            }
            Operation::Add(a, b)
            | Operation::Subtract(a, b)
            | Operation::Multiply(a, b)
            | Operation::DivideBy(a, b)
            | Operation::Xor(a, b)
            | Operation::Or(a, b)
            | Operation::Less(a, b)
            | Operation::Equal(a, b)
            | Operation::Both(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }

    /// How many expressions there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Everything that these are made of, each once and after what it is made of itself.
    pub fn reachable(&self, of: &[Expr]) -> Vec<Expr> {
        let mut is_used = vec![false; self.nodes.len()];
        let mut pending = of.to_vec();
        while let Some(expr) = pending.pop() {
            if !std::mem::replace(&mut is_used[expr.number()], true) {
                pending.extend(self.operands(expr));
            }
        }
        (0..self.nodes.len() as u32).map(Expr).filter(|expr| is_used[expr.number()]).collect()
    }

    fn node(&self, expr: Expr) -> &Node {
        &self.nodes[expr.number()]
    }

    pub(crate) fn add_node(&mut self, operation: Operation, range: Range, factor: i64) -> Expr {
        if range.low == range.high && !matches!(operation, Operation::Constant(_)) {
            return self.constant(range.low);
        }
        *self.numbers.entry(operation).or_insert_with(|| {
            self.nodes.push(Node { operation, range, factor });
            Expr(self.nodes.len() as u32 - 1)
        })
    }

    /// A number.
    pub fn constant(&mut self, value: i64) -> Expr {
        let factor = value.checked_abs().unwrap_or(1);
        self.add_node(Operation::Constant(value), Range::of(value), factor)
    }

    /// An input with values in this range, each a multiple of `factor`.
    pub fn input(&mut self, number: usize, range: Range, factor: i64) -> Expr {
        self.add_node(Operation::Input(number), range, factor)
    }

    /// `a + b`.
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.operation(a), self.operation(b)) {
            (Operation::Constant(0), _) => b,
            (_, Operation::Constant(0)) => a,
            (Operation::Constant(_), _) => self.add_node_of(b, a),
            (Operation::Add(rest, last), Operation::Constant(more)) => {
                match self.constant_of(last).and_then(|number| number.checked_add(more)) {
                    Some(sum) => {
                        let sum = self.constant(sum);
                        self.add(rest, sum)
                    }
                    None => self.add_node_of(a, b),
                }
            }
            (Operation::Add(rest, last), _) if self.constant_of(last).is_some() => {
                let sum = self.add(rest, b);
                self.add(sum, last)
            }
            _ => self.add_node_of(a, b),
        }
    }

    fn add_node_of(&mut self, a: Expr, b: Expr) -> Expr {
        let range = self.range(a).plus(self.range(b));
        let factor = gcd(self.factor(a), self.factor(b));
        self.add_node(Operation::Add(a, b), range, factor)
    }

    /// `a - b`.
    pub fn subtract(&mut self, a: Expr, b: Expr) -> Expr {
        if let Some(number) = self.constant_of(b).and_then(i64::checked_neg) {
            let number = self.constant(number);
            return self.add(a, number);
        }
        if a == b {
            return self.constant(0);
        }
        let range = self.range(a).minus(self.range(b));
        let factor = gcd(self.factor(a), self.factor(b));
        self.add_node(Operation::Subtract(a, b), range, factor)
    }

    /// The sum of these.
    pub fn sum(&mut self, terms: &[Expr]) -> Expr {
        let zero = self.constant(0);
        terms.iter().fold(zero, |sum, &term| self.add(sum, term))
    }

    /// `a * number`.
    pub fn scale(&mut self, a: Expr, number: i64) -> Expr {
        let number = self.constant(number);
        self.multiply(a, number)
    }

    /// `a * b`.
    pub fn multiply(&mut self, a: Expr, b: Expr) -> Expr {
        let (a, b) = if self.constant_of(a).is_some() { (b, a) } else { (a, b) };
        match (self.operation(a), self.constant_of(b)) {
            (_, Some(0)) => return b,
            (_, Some(1)) => return a,
            (Operation::Multiply(inner, by), Some(number)) => {
                if let Some(both) = self.constant_of(by).and_then(|by| by.checked_mul(number)) {
                    return self.scale(inner, both);
                }
            }
            _ => {}
        }
        let range = self.range(a).times(self.range(b));
        let factor = self.factor(a).checked_mul(self.factor(b)).unwrap_or(1);
        self.add_node(Operation::Multiply(a, b), range, factor)
    }

    /// The bits of `a`, which is 0 or more, that are in this mask.
    pub fn and(&mut self, a: Expr, mask: i64) -> Expr {
        let range = self.range(a);
        let all = range.bits_of(Range::of(0)).high;
        if mask & all == all && range.low >= 0 {
            return a;
        }
        match self.operation(a) {
            Operation::And(inner, other) => return self.and(inner, mask & other),
            Operation::Constant(number) => return self.constant(number & mask),
            _ => {}
        }
        let range = Range { low: 0, high: mask.min(range.high.max(0)) };
        let factor = if mask == 0 { 0 } else { 1i64 << mask.trailing_zeros().min(62) };
        self.add_node(Operation::And(a, mask), range, factor)
    }

    /// The bits in which two numbers of 0 and more differ.
    pub fn xor(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            (Some(a), Some(b)) => return self.constant(a ^ b),
            _ if a == b => return self.constant(0),
            _ => {}
        }
        let range = self.range(a).bits_of(self.range(b));
        let trailing = (self.factor(a) | self.factor(b)).trailing_zeros().min(62);
        self.add_node(Operation::Xor(a.min(b), a.max(b)), range, 1 << trailing)
    }

    /// `a + b` of numbers of 0 and more that have no bit in common.
    pub(crate) fn or(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            _ => {}
        }
        let range = self.range(a).plus(self.range(b));
        let factor = gcd(self.factor(a), self.factor(b));
        self.add_node(Operation::Or(a, b), range, factor)
    }

    /// Whether `a < b`.
    pub fn less(&mut self, a: Expr, b: Expr) -> Expr {
        let (x, y) = (self.range(a), self.range(b));
        if x.high < y.low {
            return self.constant(1);
        }
        if x.low >= y.high {
            return self.constant(0);
        }
        self.add_node(Operation::Less(a, b), Range::truth(), 1)
    }

    /// Whether `a < number`.
    pub fn less_than(&mut self, a: Expr, number: i64) -> Expr {
        let number = self.constant(number);
        self.less(a, number)
    }

    /// Whether `a >= number`.
    pub fn at_least(&mut self, a: Expr, number: i64) -> Expr {
        match number.checked_sub(1) {
            Some(before) => {
                let before = self.constant(before);
                self.less(before, a)
            }
            None => self.constant(1),
        }
    }

    /// Whether `a == b`.
    pub fn equal(&mut self, a: Expr, b: Expr) -> Expr {
        let (x, y) = (self.range(a), self.range(b));
        if a == b {
            return self.constant(1);
        }
        if x.high < y.low || y.high < x.low {
            return self.constant(0);
        }
        self.add_node(Operation::Equal(a, b), Range::truth(), 1)
    }

    /// Whether both are true.
    pub fn both(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(0), _) | (_, Some(1)) => a,
            (_, Some(0)) | (Some(1), _) => b,
            _ if a == b => a,
            _ => self.add_node(Operation::Both(a, b), Range::truth(), 1),
        }
    }

    /// Says that an expression takes only values of a range, as whoever made it can prove.
    pub fn narrow(&mut self, expr: Expr, range: Range) {
        let node = &mut self.nodes[expr.0 as usize];
        node.range = node.range.and(range);
    }
}

/// The greatest common divisor; of 0 and a number that number.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::values;

    fn with_inputs(ranges: &[i64]) -> (Arena, Vec<Expr>) {
        let mut arena = Arena::default();
        let inputs = ranges
            .iter()
            .enumerate()
            .map(|(number, &count)| arena.input(number, Range::below(count), 1))
            .collect();
        (arena, inputs)
    }

    #[test]
    fn what_is_in_range_is_not_divided() {
        let (mut arena, x) = with_inputs(&[8]);
        assert_eq!(arena.modulo(x[0], 8), x[0]);
        let quotient = arena.divide(x[0], 8);
        assert_eq!(arena.constant_of(quotient), Some(0));
    }

    #[test]
    fn sums_of_multiples_come_apart() {
        let (mut arena, x) = with_inputs(&[100, 12]);
        let multiple = arena.scale(x[0], 12);
        let sum = arena.add(multiple, x[1]);
        assert_eq!((arena.divide(sum, 12), arena.modulo(sum, 12)), (x[0], x[1]));
    }

    /// Random expressions against their definition: simplified or not, the value is the same.
    #[test]
    fn simplified_expressions_have_the_values_of_their_definition() {
        let mut seed = 7u64;
        let mut below = |end: i64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((u128::from(seed) * end as u128) >> 64) as i64
        };
        for _ in 0..3000 {
            let counts = [1 + below(40), 1 + below(200)];
            let inputs = [below(counts[0]), below(counts[1])];
            let (mut arena, x) = with_inputs(&counts);
            let (mut exprs, mut expected) = (x, inputs.to_vec());
            for _ in 0..8 {
                let n = exprs.len() as i64;
                let (a, b) = (below(n) as usize, below(n) as usize);
                let number = 1 + below(24);
                let (ea, eb, va, vb) = (exprs[a], exprs[b], expected[a], expected[b]);
                let (expr, value) = match below(8) {
                    0 | 1 => (arena.add(ea, eb), va + vb),
                    2 => (arena.scale(ea, number), va * number),
                    3 => (arena.divide(ea, number), va / number),
                    4 => (arena.modulo(ea, number), va % number),
                    5 => (arena.xor(ea, eb), va ^ vb),
                    6 => (arena.less(ea, eb), i64::from(va < vb)),
                    _ => (arena.equal(ea, eb), i64::from(va == vb)),
                };
                exprs.push(expr);
                expected.push(value);
            }
            assert_eq!(values(&arena, &inputs, &exprs).unwrap(), expected);
        }
    }
}
