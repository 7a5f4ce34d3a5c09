//! Quotients and remainders, simplified where they are made.
//!
//! A sum comes apart: what is a multiple of the divisor is divided by itself, and only the rest leaves a remainder. So of
//! `(x * 12 + y) div 12`, where `y < 12`, nothing is left but `x`.

use crate::divide::Product;
use crate::expression::{Arena, Expr, Operation};
use crate::range::Range;

impl Arena {
    /// `a div divisor`, rounded down, for `a` of 0 and more and a divisor above 0.
    pub fn divide(&mut self, a: Expr, divisor: i64) -> Expr {
        if divisor <= 1 {
            return a;
        }
        let range = self.range(a).divided_by(divisor);
        match self.operation(a) {
            Operation::Multiply(inner, by) => {
                let by = self.constant_of(by).filter(|&by| by > 0);
                match by {
                    Some(by) if by % divisor == 0 => return self.scale(inner, by / divisor),
                    Some(by) if divisor % by == 0 => return self.divide(inner, divisor / by),
                    _ => {}
                }
            }
            Operation::ShiftRight(inner, bits) if bits < 62 => {
                if let Some(both) = divisor.checked_mul(1 << bits) {
                    return self.divide(inner, both);
                }
            }
            Operation::Divide(inner, by, _) => {
                if let Some(both) = divisor.checked_mul(by) {
                    return self.divide(inner, both);
                }
            }
            Operation::And(inner, mask) if (divisor as u64).is_power_of_two() => {
                let shifted = self.divide(inner, divisor);
                return self.and(shifted, mask >> divisor.trailing_zeros());
            }
            Operation::Add(..) | Operation::Subtract(..) => {
                if let Some((multiples, rest)) = self.split(a, divisor) {
                    let quotients: Vec<Expr> =
                        multiples.iter().map(|&term| self.divide_multiple(term, divisor)).collect();
                    let rest = self.divide(rest, divisor);
                    let whole = self.sum(&quotients);
                    return self.add(whole, rest);
                }
            }
            _ => {}
        }
        let factor = match self.factor(a) % divisor {
            0 => self.factor(a) / divisor,
            _ => 1,
        };
        if (divisor as u64).is_power_of_two() {
            let bits = divisor.trailing_zeros();
            return self.add_node(Operation::ShiftRight(a, bits), range, factor);
        }
        let product = Product::of(divisor, self.range(a).high).filter(|_| self.range(a).low >= 0);
        self.add_node(Operation::Divide(a, divisor, product), range, factor)
    }

    /// `a div b`, rounded down, for `a` of 0 and more and `b` above 0.
    pub fn divide_by(&mut self, a: Expr, b: Expr) -> Expr {
        match self.constant_of(b) {
            Some(divisor) => self.divide(a, divisor),
            None => {
                let range = self.range(a).divided_by(self.range(b).low);
                let range = Range { low: 0, high: range.high.max(0) };
                self.add_node(Operation::DivideBy(a, b), range, 1)
            }
        }
    }

    /// The quotient of a multiple of `divisor`, which may be below 0 where it is a product.
    fn divide_multiple(&mut self, a: Expr, divisor: i64) -> Expr {
        match self.operation(a) {
            Operation::Constant(number) => self.constant(number / divisor),
            _ => self.divide(a, divisor),
        }
    }

    /// The terms of a sum that are multiples of `divisor`, and the sum of the others, if there are such terms, the
    /// others are never below 0, and no multiple is below 0 unless it is a number or a product by one.
    fn split(&mut self, a: Expr, divisor: i64) -> Option<(Vec<Expr>, Expr)> {
        let mut pending = vec![a];
        let (mut multiples, mut others) = (Vec::new(), Vec::new());
        while let Some(term) = pending.pop() {
            match self.operation(term) {
                Operation::Add(first, second) => pending.extend([second, first]),
                _ if self.factor(term) % divisor == 0 => multiples.push(term),
                _ => others.push(term),
            }
        }
        let is_plain = |&term: &Expr| match self.operation(term) {
            Operation::Constant(_) => true,
            Operation::Multiply(_, by) => {
                self.constant_of(by).is_some_and(|by| by > 0 && by % divisor == 0)
            }
            _ => self.range(term).low >= 0,
        };
        if multiples.is_empty() || others.is_empty() && multiples.len() == 1 {
            return None;
        }
        if !multiples.iter().all(is_plain) {
            return None;
        }
        let rest = self.sum(&others);
        (self.range(rest).low >= 0).then_some((multiples, rest))
    }

    /// `a mod modulus`, for `a` of 0 and more and a modulus above 0.
    pub fn modulo(&mut self, a: Expr, modulus: i64) -> Expr {
        if modulus <= 1 || self.factor(a) % modulus == 0 {
            return self.constant(0);
        }
        if self.range(a).is_within(0..=modulus - 1) {
            return a;
        }
        match self.operation(a) {
            Operation::Multiply(inner, by) => {
                if let Some(by) = self.constant_of(by)
                    && by > 0
                    && modulus % by == 0
                    && self.range(inner).low >= 0
                {
                    let rest = self.modulo(inner, modulus / by);
                    return self.scale(rest, by);
                }
            }
            Operation::Add(..) => {
                if let Some((_, rest)) = self.split(a, modulus) {
                    return self.modulo(rest, modulus);
                }
            }
            _ => {}
        }
        if (modulus as u64).is_power_of_two() {
            return self.and(a, modulus - 1);
        }
        let quotient = self.divide(a, modulus);
        let multiple = self.scale(quotient, modulus);
        let rest = self.subtract(a, multiple);
        self.narrow(rest, Range::below(modulus));
        rest
    }
}
