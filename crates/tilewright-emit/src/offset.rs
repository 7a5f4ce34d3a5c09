//! From an index to an offset: the map's digits as expressions.
//!
//! Each digit is a division, a remainder and a product, of which most are shifts and masks. A swizzle's digit is
//! `(a + b) mod 2` of two bits, which is their exclusive or; bits of the same sources that follow each other are flipped
//! in one go. `Sw<3,3,3> o 0 o (8,64):(64,1)` has three such digits, and `((i0 ^ (i1 >> 3)) & 7) * 8` is all of them.

use tilewright::IndexMap;
use tilewright::map::{Digit, Source};

use crate::expression::{Arena, Expr};
use crate::formula::{Formula, index_inputs};
use crate::range::Range;

/// The offset of an element, in elements, from its index.
pub fn offset_formula(map: &IndexMap) -> Formula {
    let mut arena = Arena::default();
    let inputs = index_inputs(map.dims());
    let dims: Vec<Expr> =
        inputs.iter().enumerate().map(|(dim, input)| arena.input(dim, input.range, 1)).collect();
    let offset = Lowering { map, arena: &mut arena, dims: &dims, merged: Vec::new() }.offset();
    Formula { arena, inputs, valid: None, outputs: vec![offset] }
}

/// The offset of the element whose index is these expressions.
pub(crate) fn offset_of(map: &IndexMap, arena: &mut Arena, dims: &[Expr]) -> Expr {
    Lowering { map, arena, dims, merged: Vec::new() }.offset()
}

struct Lowering<'a> {
    map: &'a IndexMap,
    arena: &'a mut Arena,
    dims: &'a [Expr],
    merged: Vec<Expr>,
}

/// A bit of the offset that is the exclusive or of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FlippedBit {
    /// Of which sources, and the power of two that each bit stands for.
    bits: Vec<(Source, i64)>,
    is_negated: bool,
    stride: i64,
}

impl Lowering<'_> {
    fn offset(mut self) -> Expr {
        if self.map.elements() == 0 {
            return self.arena.constant(0);
        }
        for (number, merged) in self.map.merged().iter().enumerate() {
            let value = self.sum(merged.digits(), merged.base());
            self.arena.narrow(value, Range::below(merged.extent()));
            self.arena.note(value, || format!("coordinate {number} of merged dimensions"));
            self.merged.push(value);
        }
        self.sum(self.map.digits(), self.map.base())
    }

    fn source(&self, source: Source) -> Expr {
        match source {
            Source::Dim(dim) => self.dims[dim],
            Source::Merged(number) => self.merged[number],
        }
    }

    fn sum(&mut self, digits: &[Digit], base: i64) -> Expr {
        let mut terms = Vec::with_capacity(digits.len());
        let mut flipped = Vec::new();
        // By dimensions: what depends on outer loops alone is added up first, and leaves the inner ones.
        let mut digits: Vec<&Digit> = digits.iter().collect();
        digits.sort_by_key(|digit| digit.source);
        for digit in digits {
            match self.flipped_bit(digit) {
                Some(bit) => flipped.push(bit),
                None => terms.push(self.term(digit)),
            }
        }
        flipped.sort_by_key(|bit: &FlippedBit| std::cmp::Reverse(bit.stride));
        while let Some(last) = flipped.pop() {
            terms.push(self.flipped_bits(&last, &mut flipped));
        }
        let base = self.arena.constant(base);
        terms.push(base);
        self.arena.sum(&terms)
    }

    fn term(&mut self, digit: &Digit) -> Expr {
        let source = self.source(digit.source);
        let mut value = self.arena.divide(source, digit.divisor);
        if let Some(modulus) = digit.modulus {
            value = self.arena.modulo(value, modulus);
        }
        let term = self.arena.scale(value, digit.stride);
        self.arena.note(term, || words(digit));
        term
    }

    /// The digit as an exclusive or of bits: `(Σ values) mod 2`, of which odd multiples count.
    fn flipped_bit(&self, digit: &Digit) -> Option<FlippedBit> {
        let Source::Merged(number) = digit.source else { return None };
        if digit.divisor != 1 || digit.modulus != Some(2) {
            return None;
        }
        let merged = self.map.merged().get(number)?;
        let odd = || merged.digits().iter().filter(|part| part.stride % 2 != 0);
        let is_bit = |part: &Digit| {
            (part.divisor as u64).is_power_of_two()
                && part.modulus.is_none_or(|modulus| modulus % 2 == 0)
        };
        let is_negated = merged.base().rem_euclid(2) == 1;
        let bits = odd().map(|part| (part.source, part.divisor)).collect();
        odd().all(is_bit).then_some(FlippedBit { bits, is_negated, stride: digit.stride })
    }

    /// The bit and those of the others that go on from it, which are taken out of the list. Strides fall along it.
    fn flipped_bits(&mut self, first: &FlippedBit, others: &mut Vec<FlippedBit>) -> Expr {
        let mut n_bits = 1u32;
        let mut last = first.clone();
        while let Some(next) = last.next()
            && let Some(place) = others.iter().position(|other| *other == next)
        {
            last = others.remove(place);
            n_bits += 1;
        }
        let mut value = match first.is_negated {
            true => self.arena.constant((1 << n_bits) - 1),
            false => self.arena.constant(0),
        };
        for &(source, power) in &first.bits {
            let source = self.source(source);
            let shifted = self.arena.divide(source, power);
            value = self.arena.xor(value, shifted);
        }
        let bits = self.arena.modulo(value, 1 << n_bits);
        let term = self.arena.scale(bits, first.stride);
        let stride = first.stride;
        self.arena.note(term, || {
            format!("swizzle: {n_bits} bits, each flipped by others, strides from {stride}")
        });
        term
    }
}

impl FlippedBit {
    /// The bit above, of the same sources.
    fn next(&self) -> Option<Self> {
        let bits = self.bits.iter().map(|&(source, power)| Some((source, power.checked_mul(2)?)));
        let bits = bits.collect::<Option<_>>()?;
        Some(FlippedBit { bits, stride: self.stride.checked_mul(2)?, is_negated: self.is_negated })
    }
}

/// What a digit counts.
pub(crate) fn words(digit: &Digit) -> String {
    let of = match digit.source {
        Source::Dim(dim) => format!("dimension {dim}"),
        Source::Merged(number) => format!("merged coordinate {number}"),
    };
    let what = match (digit.divisor, digit.modulus) {
        (1, None) => format!("index along {of}"),
        (1, Some(modulus)) => format!("{of}: index in its block of {modulus}"),
        (divisor, None) => format!("{of}: which block of {divisor}"),
        (divisor, Some(modulus)) => {
            let whole = i128::from(divisor) * i128::from(modulus);
            format!("{of}: which block of {divisor} in one of {whole}")
        }
    };
    format!("{what}, stride {}", digit.stride)
}
