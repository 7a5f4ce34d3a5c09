//! Arithmetic and orders on nested integers.

use std::cmp::Ordering;

use crate::error::{Error, invalid};
use crate::tla::{Int, IntTuple, Nested};

/// What is left of a shape when tiles of another are taken out of it.
///
/// * Requires that each integer divides the other one way or the other.
/// * Ensures, for integers, `a/b` or, where `a` is the smaller, 1. A tuple by an integer: the
///   integer is used up from the left. An integer by a tuple: by its product. Tuples: one by one.
///
/// ```
/// use tilewright::algebra::shape_div;
/// assert_eq!(shape_div(&"(12,4)".parse()?, &"6".parse()?)?.to_string(), "(2,4)");
/// assert_eq!(shape_div(&"(3,4)".parse()?, &"6".parse()?)?.to_string(), "(1,2)");
/// assert!(shape_div(&"(12,4)".parse()?, &"5".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If neither divides the other, a divisor is 0, or the tuples do not fit.
pub fn shape_div(a: &IntTuple, b: &IntTuple) -> Result<IntTuple, Error> {
    divided(a, b, &|a, b| {
        if b.value() == 0 || a.value() == 0 {
            return invalid(format!("{a} and {b} cannot be divided"));
        }
        if a.value() % b.value() == 0 {
            return a.over(b);
        }
        if b.value() % a.value() == 0 {
            return a.modulo(a)?.plus(b.modulo(b)?)?.plus(Int::fixed(1));
        }
        invalid(format!("neither of {a} and {b} divides the other"))
    })
}

/// [`shape_div`] rounded up, with nothing required of the integers but that divisors are
/// positive.
///
/// ```
/// use tilewright::algebra::ceil_div;
/// assert_eq!(ceil_div(&"(30,300)".parse()?, &"(8,128)".parse()?)?.to_string(), "(4,3)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a divisor is not positive, or the tuples do not fit.
pub fn ceil_div(a: &IntTuple, b: &IntTuple) -> Result<IntTuple, Error> {
    divided(a, b, &Int::ceil_div)
}

fn divided(
    a: &IntTuple,
    b: &IntTuple,
    divide: &dyn Fn(Int, Int) -> Result<Int, Error>,
) -> Result<IntTuple, Error> {
    match (a, b) {
        (Nested::Leaf(a), b) => divide(*a, b.product()?).map(Nested::Leaf),
        (Nested::Tuple(parts), Nested::Leaf(divisor)) => {
            let mut rest = *divisor;
            let parts = parts.iter().map(|part| {
                let quotient = divided(part, &Nested::Leaf(rest), divide)?;
                rest = divide(rest, part.product()?)?;
                Ok(quotient)
            });
            parts.collect::<Result<_, Error>>().map(Nested::Tuple)
        }
        (Nested::Tuple(parts), Nested::Tuple(divisors)) => {
            fits(a, b)?;
            let parts = parts.iter().enumerate().map(|(position, part)| {
                let divisor = divisors.get(position);
                divisor.map_or_else(|| Ok(part.clone()), |divisor| divided(part, divisor, divide))
            });
            parts.collect::<Result<_, Error>>().map(Nested::Tuple)
        }
    }
}

fn fits(a: &IntTuple, b: &IntTuple) -> Result<(), Error> {
    if b.rank() <= a.rank() {
        return Ok(());
    }
    invalid(format!("{b} has more elements than {a}"))
}

/// Each integer rounded up to a multiple of the other tuple's.
///
/// ```
/// use tilewright::algebra::round_up;
/// assert_eq!(round_up(&"(30,300)".parse()?, &"(8,128)".parse()?)?.to_string(), "(32,384)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a multiple is not positive, the tuples do not fit, or a number does not fit 64 bits.
pub fn round_up(a: &IntTuple, b: &IntTuple) -> Result<IntTuple, Error> {
    match (a, b) {
        (Nested::Leaf(a), Nested::Leaf(b)) => a.round_up(*b).map(Nested::Leaf),
        (Nested::Tuple(parts), Nested::Tuple(multiples)) => {
            fits(a, b)?;
            let parts = parts.iter().enumerate().map(|(position, part)| {
                let multiple = multiples.get(position);
                multiple.map_or_else(|| Ok(part.clone()), |multiple| round_up(part, multiple))
            });
            parts.collect::<Result<_, Error>>().map(Nested::Tuple)
        }
        _ => invalid(format!("{a} and {b} are nested differently")),
    }
}

/// Whether each integer of `a` is a multiple of the one of `b`; a tuple against an integer is its
/// product. False where `b` has more elements.
///
/// ```
/// use tilewright::algebra::evenly_divides;
/// assert!(evenly_divides(&"(32,384)".parse()?, &"(8,128)".parse()?)?);
/// assert!(!evenly_divides(&"(30,384)".parse()?, &"(8,128)".parse()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a divisor is 0, or a product does not fit 64 bits.
pub fn evenly_divides(a: &IntTuple, b: &IntTuple) -> Result<bool, Error> {
    match (a, b) {
        (Nested::Tuple(parts), Nested::Tuple(divisors)) => {
            if divisors.len() > parts.len() {
                return Ok(false);
            }
            let mut pairs = parts.iter().zip(divisors);
            pairs.try_fold(true, |all, (a, b)| Ok(all && evenly_divides(a, b)?))
        }
        _ => Ok(a.product()?.modulo(b.product()?)?.value() == 0),
    }
}

/// The product of what each value of a profile stands for.
///
/// ```
/// use tilewright::{algebra::product_like, tla::IntTuple};
/// let (shape, profile): (IntTuple, IntTuple) = ("((2,3),(4,(5,6)))".parse()?, "(0,(0,0))".parse()?);
/// assert_eq!(product_like(&shape, &profile)?.to_string(), "(6,(4,30))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the profile does not fit, or a product does not fit 64 bits.
pub fn product_like<T>(tuple: &IntTuple, profile: &Nested<T>) -> Result<IntTuple, Error> {
    match (tuple, profile) {
        (tuple, Nested::Leaf(_)) => tuple.product().map(Nested::Leaf),
        (Nested::Tuple(parts), Nested::Tuple(profiles)) if parts.len() == profiles.len() => {
            let products = parts.iter().zip(profiles).map(|(a, b)| product_like(a, b));
            products.collect::<Result<_, Error>>().map(Nested::Tuple)
        }
        _ => invalid(format!("the profile does not fit {tuple}")),
    }
}

/// Whether `a` comes before `b` when the leftmost integer counts most.
///
/// ```
/// use tilewright::algebra::lex_less;
/// assert!(lex_less(&"(1,5)".parse()?, &"(2,0)".parse()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If they are nested differently.
pub fn lex_less(a: &IntTuple, b: &IntTuple) -> Result<bool, Error> {
    Ok(pairs(a, b)?.iter().find_map(differs).is_some_and(Ordering::is_lt))
}

/// Whether `a` comes before `b` when the rightmost integer counts most, as offsets of a
/// column-major layout do.
///
/// ```
/// use tilewright::algebra::colex_less;
/// assert!(colex_less(&"(2,0)".parse()?, &"(1,5)".parse()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If they are nested differently.
pub fn colex_less(a: &IntTuple, b: &IntTuple) -> Result<bool, Error> {
    Ok(pairs(a, b)?.iter().rev().find_map(differs).is_some_and(Ordering::is_lt))
}

/// Whether every integer of `a` is less than that of `b`: whether a coordinate is within a shape.
///
/// ```
/// use tilewright::algebra::elem_less;
/// assert!(elem_less(&"(2,(0,1))".parse()?, &"(4,(1,2))".parse()?)?);
/// assert!(!elem_less(&"(2,(1,1))".parse()?, &"(4,(1,2))".parse()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If they are nested differently.
pub fn elem_less(a: &IntTuple, b: &IntTuple) -> Result<bool, Error> {
    Ok(pairs(a, b)?.iter().all(|(a, b)| a < b))
}

fn pairs(a: &IntTuple, b: &IntTuple) -> Result<Vec<(i64, i64)>, Error> {
    if !a.is_congruent(b) {
        return invalid(format!("{a} and {b} are nested differently and cannot be compared"));
    }
    Ok(a.values().into_iter().zip(b.values()).collect())
}

fn differs((a, b): &(i64, i64)) -> Option<Ordering> {
    Some(a.cmp(b)).filter(|order| order.is_ne())
}
