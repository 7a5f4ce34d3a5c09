//! Working formulas out, here and now: what every printed text is held to.
//!
//! The interpreter does what the printed code does, operation by operation: quotients are products and shifts where they
//! are printed as such. It checks beside that each value is in the range from which simplifications and the width of
//! words were concluded.

use crate::error::Error;
use crate::expression::{Arena, Expr, Operation};

/// The values of some expressions for these inputs.
///
/// # Errors
/// If a value is not in the range that it is said to be in: an input that breaks its promise.
pub(crate) fn values(arena: &Arena, inputs: &[i64], of: &[Expr]) -> Result<Vec<i64>, Error> {
    let mut known = vec![0; arena.len()];
    for expr in arena.reachable(of) {
        let at = |expr: Expr| known[expr.number()];
        let value = value(arena.operation(expr), inputs, at);
        if !arena.range(expr).contains(value) {
            let range = arena.range(expr);
            return Err(Error::message(format!(
                "{:?} is {value}, and should be from {} to {}",
                arena.operation(expr),
                range.low,
                range.high
            )));
        }
        known[expr.number()] = value;
    }
    Ok(of.iter().map(|expr| known[expr.number()]).collect())
}

fn value(operation: Operation, inputs: &[i64], at: impl Fn(Expr) -> i64) -> i64 {
    match operation {
        Operation::Constant(value) => value,
        Operation::Input(number) => inputs.get(number).copied().unwrap_or(0),
        Operation::Add(a, b) => at(a).wrapping_add(at(b)),
        Operation::Subtract(a, b) => at(a).wrapping_sub(at(b)),
        Operation::Multiply(a, b) => at(a).wrapping_mul(at(b)),
        Operation::Divide(a, _, Some(product)) => product.quotient(at(a)),
        Operation::Divide(a, divisor, None) => at(a).div_euclid(divisor.max(1)),
        Operation::DivideBy(a, b) => at(a).div_euclid(at(b).max(1)),
        Operation::ShiftRight(a, bits) => at(a) >> bits,
        Operation::And(a, mask) => at(a) & mask,
        Operation::Xor(a, b) => at(a) ^ at(b),
        Operation::Or(a, b) => at(a) | at(b),
        Operation::Less(a, b) => (at(a) < at(b)).into(),
        Operation::Equal(a, b) => (at(a) == at(b)).into(),
        Operation::Both(a, b) => at(a) & at(b),
    }
}
