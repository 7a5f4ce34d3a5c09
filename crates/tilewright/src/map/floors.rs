//! Sums of digits as sums of floors, in which there is one way only to write a function.
//!
//! # A digit is two floors
//! Since `(x div d) div m = x div (d*m)`, what a digit of a source `x` adds to the offset is
//!
//! ```text
//! ((x div d) mod m) * s  =  s * (x div d)  -  s*m * (x div (d*m))
//! ```
//!
//! so all digits of `x` together are `f(x) = Σ c[k] * (x div k)`, with one factor `c[k]` for each
//! `k`. Of a source with values in `0..n` the terms with `k >= n` are always 0 and are left out.
//!
//! # The factors are unique
//! `x div k` grows by 1 where `k` divides `x` and nowhere else, so
//!
//! ```text
//! f(x) - f(x-1)  =  Σ c[k] over the k that divide x
//! ```
//!
//! which gives `c[1] = f(1) - f(0)` and then every `c[x]` from `f` and the factors of the proper
//! divisors of `x`. Two sums of digits that agree at every `x` in `0..n` therefore have the same
//! factors, however they were written and whether or not their divisors nest. Where they differ,
//! the smallest `k` with different factors is the first `x` at which they do, since there all
//! terms beyond `k` are 0.
//!
//! # And back to digits
//! Divisors that nest, `k0 | k1 | … | kn`, are a mixed-radix number:
//!
//! ```text
//! stride[0] = c[k0]      stride[i] = c[ki] + stride[i-1] * (ki / k(i-1))      ( = f(ki) - f(0) )
//! ```
//!
//! where digit `i` divides by `ki` and wraps at `k(i+1) / ki`, the last one never. A stride of 0 is
//! left out: elements that differ in that digit share their place. Digits that run together are
//! one, since the factor between them is 0.
//!
//! `Sw<2,0,2> o 0 o 16:4` is `4*i0 + (i0 mod 4)` for `i0` in `0..16`: the factors are
//! `c[1] = 4 + 1 = 5` and `c[4] = -4`, the strides 5 and `-4 + 5*4 = 16`, and the form is
//! `(i0 mod 4)*5 + (i0 div 4)*16`, as that of `((4,4)):((5,16))`.
//!
//! Whatever a map is built from, the divisors of a source nest: a source is cut by one tile after
//! the other, each within what the one before left. A sum whose divisors do not would be as many
//! mixed-radix numbers, each of the smallest divisor that is left and what nests above it; that is
//! a function of the factors too, so it would be unique as well.

use super::{Digit, Source};

/// `(source div divisor) * factor`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    pub(super) source: Source,
    pub(super) divisor: i64,
    pub(super) factor: i128,
}

/// A digit as one floor, or two where it wraps. What wraps beyond 64 bits never does.
pub(super) fn floors_of(digit: &Digit) -> impl Iterator<Item = Floor> + use<> {
    let Digit { source, divisor, modulus, stride } = *digit;
    let factor = i128::from(stride);
    let wrap = modulus.and_then(|modulus| {
        let divisor = divisor.checked_mul(modulus)?;
        Some(Floor { source, divisor, factor: -factor * i128::from(modulus) })
    });
    [Floor { source, divisor, factor }].into_iter().chain(wrap)
}

/// Each floor once, by source and divisor, without those that cancel out.
pub(super) fn added_up(mut floors: Vec<Floor>) -> Option<Vec<Floor>> {
    floors.sort_unstable_by_key(|floor| (floor.source, floor.divisor));
    let mut sums: Vec<Floor> = Vec::with_capacity(floors.len());
    for floor in floors {
        match sums.last_mut() {
            Some(sum) if (sum.source, sum.divisor) == (floor.source, floor.divisor) => {
                sum.factor = sum.factor.checked_add(floor.factor)?;
            }
            _ => sums.push(floor),
        }
    }
    sums.retain(|floor| floor.factor != 0);
    Some(sums)
}

/// The digits of floors that are sorted by source and divisor.
pub(super) fn digits_of(floors: &[Floor]) -> Option<Vec<Digit>> {
    let mut digits = Vec::with_capacity(floors.len());
    for of_source in floors.chunk_by(|a, b| a.source == b.source) {
        let mut left = take_mixed_radix(of_source, &mut digits)?;
        while !left.is_empty() {
            left = take_mixed_radix(&left, &mut digits)?;
        }
    }
    Some(digits)
}

/// Writes the smallest divisor and those that nest above it as a mixed-radix number, and gives
/// back the others.
fn take_mixed_radix(floors: &[Floor], digits: &mut Vec<Digit>) -> Option<Vec<Floor>> {
    let mut others = Vec::new();
    let Some((&first, larger)) = floors.split_first() else { return Some(others) };
    let (mut divisor, mut stride) = (first.divisor, first.factor);
    for floor in larger {
        if floor.divisor % divisor != 0 {
            others.push(*floor);
            continue;
        }
        let modulus = floor.divisor / divisor;
        add_digit(digits, first.source, divisor, Some(modulus), stride)?;
        stride = stride.checked_mul(modulus.into())?.checked_add(floor.factor)?;
        divisor = floor.divisor;
    }
    add_digit(digits, first.source, divisor, None, stride)?;
    Some(others)
}

fn add_digit(
    digits: &mut Vec<Digit>,
    source: Source,
    divisor: i64,
    modulus: Option<i64>,
    stride: i128,
) -> Option<()> {
    let stride = i64::try_from(stride).ok()?;
    if stride != 0 {
        digits.push(Digit { source, divisor, modulus, stride });
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn digit(divisor: i64, modulus: Option<i64>, stride: i64) -> Digit {
        Digit { source: Source::Dim(0), divisor, modulus, stride }
    }

    fn rewritten(digits: &[Digit], extent: i64) -> Vec<Digit> {
        let floors = digits.iter().flat_map(floors_of).filter(|floor| floor.divisor < extent);
        digits_of(&added_up(floors.collect()).unwrap()).unwrap()
    }

    fn values(digits: &[Digit], extent: i64) -> Vec<i64> {
        let at = |x| digits.iter().map(|digit| digit.value(x) * digit.stride).sum();
        (0..extent).map(at).collect()
    }

    /// All digits that a source of up to 14 values can have, and several strides.
    fn all_digits() -> Vec<Digit> {
        let parts = [1, 2, 3, 4, 6, 8, 12, 13];
        let moduli = [None, Some(1), Some(2), Some(3), Some(4), Some(5)];
        let one = |&divisor: &i64| {
            moduli.map(|modulus| [-3, 0, 1, 5].map(|s| digit(divisor, modulus, s)))
        };
        let all = parts.iter().flat_map(one).flatten();
        all.step_by(if cfg!(miri) { 31 } else { 1 }).collect()
    }

    /// Every two digits, nested or not: the same function, and one form for each.
    #[test]
    fn sums_of_two_digits_have_one_form_for_each_function() {
        let all = all_digits();
        for extent in [1, 2, 5, 12, 14] {
            let mut forms: HashMap<Vec<i64>, Vec<Digit>> = HashMap::new();
            for (place, &a) in all.iter().enumerate() {
                for &b in &all[place..] {
                    let form = rewritten(&[a, b], extent);
                    let function = values(&[a, b], extent);
                    assert_eq!(values(&form, extent), function, "{a:?} {b:?} {form:?}");
                    let first = forms.entry(function).or_insert_with(|| form.clone());
                    assert_eq!(first, &form, "{a:?} {b:?} below {extent}");
                }
            }
        }
    }

    /// The first difference of two functions is the smallest divisor whose factors differ.
    #[test]
    fn functions_differ_first_where_factors_do() {
        let all = all_digits();
        let extent = 14;
        for &a in &all {
            for &b in &all {
                let negated = Digit { stride: -b.stride, ..b };
                let floors = [a, negated]
                    .iter()
                    .flat_map(floors_of)
                    .filter(|f| f.divisor < extent)
                    .collect();
                let first = added_up(floors).unwrap().first().map(|floor| floor.divisor);
                let differs = |x: &i64| {
                    values(&[a], extent)[*x as usize] != values(&[b], extent)[*x as usize]
                };
                assert_eq!(first, (0..extent).find(differs), "{a:?} {b:?}");
            }
        }
    }

    /// `(x mod 4) + (x mod 6)` is two mixed-radix numbers: of 1 and 4, and of 6.
    #[test]
    fn divisors_that_do_not_nest_are_several_numbers() {
        let form = rewritten(&[digit(1, Some(4), 1), digit(1, Some(6), 1)], 100);
        assert_eq!(form, [digit(1, Some(4), 2), digit(4, None, 4), digit(6, None, -6)]);
    }
}
