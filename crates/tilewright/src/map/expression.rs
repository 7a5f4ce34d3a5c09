//! The map as arithmetic in text.

use std::fmt;

use super::{Digit, IndexMap, Merged, Source};

/// The most terms of an expression in which merged coordinates are written out.
///
/// A coordinate that is cut appears twice, and so does each that it is made of: 40 coordinates of
/// one another are 2⁴⁰ terms.
const MAX_TERMS: usize = 1 << 10;

impl IndexMap {
    /// The offset as an expression in `i0`, `i1`, …: sums, products, `div` and `mod`, with every
    /// `div` and `mod` in parentheses. `0` where every element lies at offset 0.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let map = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?;
    /// assert_eq!(
    ///     map.index_expression(),
    ///     "(i0 div 2)*12 + (i1 div 2)*4 + (i0 mod 2)*2 + (i1 mod 2)"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Merged coordinates are written out, unless that takes more than 1024 terms: then each has a
    /// name, as in `(m1 div 3)*4 + (m1 mod 3) where m0 = i0*10 + i1, m1 = (m0 div 4)*5 + (m0 mod 4)`.
    pub fn index_expression(&self) -> String {
        self.expression(&ExpressionStyle::PLAIN).unwrap_or_else(|| self.expression_by_names())
    }

    /// The offset as an expression in a given style; `None` if it has too many terms.
    pub(super) fn expression(&self, style: &ExpressionStyle) -> Option<String> {
        let by_name = false;
        let sum = Sum { map: self, digits: &self.digits, base: self.base, style, by_name };
        (self.n_terms() <= MAX_TERMS).then(|| sum.to_string())
    }

    /// The offset with a name for each merged coordinate.
    fn expression_by_names(&self) -> String {
        let sum = |digits, base| {
            let style = &ExpressionStyle::PLAIN;
            Sum { map: self, digits, base, style, by_name: true }.to_string()
        };
        let merged = self.merged.iter().enumerate();
        let definitions: Vec<String> = merged
            .map(|(number, merged)| format!("m{number} = {}", sum(&merged.digits, merged.base)))
            .collect();
        format!("{} where {}", sum(&self.digits, self.base), definitions.join(", "))
    }

    /// How many digits are written where merged coordinates are written out.
    fn n_terms(&self) -> usize {
        let mut of_merged: Vec<usize> = Vec::new();
        let terms = |digits: &[Digit], of_merged: &[usize]| {
            let one = |digit: &Digit| match digit.source {
                Source::Dim(_) => 1,
                Source::Merged(number) => of_merged[number],
            };
            digits.iter().map(one).fold(1, usize::saturating_add)
        };
        for coordinate in &self.merged {
            of_merged.push(terms(&coordinate.digits, &of_merged));
        }
        terms(&self.digits, &of_merged)
    }
}

/// The words of an expression language.
pub(super) struct ExpressionStyle {
    pub(super) variable: &'static str,
    pub(super) div: &'static str,
    pub(super) times: &'static str,
}

impl ExpressionStyle {
    const PLAIN: Self = ExpressionStyle { variable: "i", div: "div", times: "*" };
}

struct Sum<'a> {
    map: &'a IndexMap,
    digits: &'a [Digit],
    base: i64,
    style: &'a ExpressionStyle,
    by_name: bool,
}

impl fmt::Display for Sum<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return write!(f, "{}", self.base);
        }
        for (position, digit) in self.digits.iter().enumerate() {
            if position > 0 {
                f.write_str(" + ")?;
            }
            self.write_digit(f, digit)?;
            if digit.stride != 1 {
                write!(f, "{}{}", self.style.times, digit.stride)?;
            }
        }
        match self.base {
            0 => Ok(()),
            base => write!(f, " + {base}"),
        }
    }
}

impl Sum<'_> {
    fn write_digit(&self, f: &mut fmt::Formatter<'_>, digit: &Digit) -> fmt::Result {
        let div = self.style.div;
        match (digit.divisor, digit.modulus) {
            (1, None) => self.write_source(f, digit.source),
            (divisor, None) => {
                f.write_str("(")?;
                self.write_source(f, digit.source)?;
                write!(f, " {div} {divisor})")
            }
            (1, Some(modulus)) => {
                f.write_str("(")?;
                self.write_source(f, digit.source)?;
                write!(f, " mod {modulus})")
            }
            (divisor, Some(modulus)) => {
                f.write_str("((")?;
                self.write_source(f, digit.source)?;
                write!(f, " {div} {divisor}) mod {modulus})")
            }
        }
    }

    fn write_source(&self, f: &mut fmt::Formatter<'_>, source: Source) -> fmt::Result {
        match source {
            Source::Dim(dim) => write!(f, "{}{dim}", self.style.variable),
            Source::Merged(number) if self.by_name => write!(f, "m{number}"),
            Source::Merged(number) => {
                let Merged { digits, base, .. } = &self.map.merged[number];
                write!(f, "({})", Sum { digits, base: *base, ..*self })
            }
        }
    }
}
