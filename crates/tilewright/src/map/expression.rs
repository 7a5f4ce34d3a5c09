//! The map as arithmetic in text.

use std::fmt;

use super::{Digit, IndexMap, Merged, Source};

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
    pub fn index_expression(&self) -> String {
        self.expression(&ExpressionStyle::PLAIN)
    }

    /// The offset as an expression in a given style.
    pub(super) fn expression(&self, style: &ExpressionStyle) -> String {
        Sum { map: self, digits: &self.digits, base: self.base, style }.to_string()
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
            Source::Merged(number) => {
                let Merged { digits, base, .. } = &self.map.merged[number];
                write!(f, "({})", Sum { digits, base: *base, ..*self })
            }
        }
    }
}
