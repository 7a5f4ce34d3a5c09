//! Reading the order of dimensions: the numbers before the colon of a layout.

use super::layout::LayoutParser;
use super::parser::Parser;
use crate::Permutation;
use crate::shape::Dim;
use crate::text::{Diagnostic, Span};

impl LayoutParser<'_, '_> {
    /// The numbers before the colon: each dimension exactly once.
    pub(super) fn minor_to_major(&mut self, start: Span) -> Result<Permutation, Diagnostic> {
        let mut entries: Vec<(i64, Span)> = Vec::new();
        let at_end = |parser: &Parser<'_>| parser.cursor.at('}') || parser.cursor.at(':');
        while !at_end(self.parser) {
            entries.push(self.parser.cursor.fitting_integer("a dimension number")?);
            if at_end(self.parser) || !self.parser.cursor.eat(',')? {
                break;
            }
            if at_end(self.parser) {
                return Err(self.parser.cursor.unexpected("a dimension number"));
            }
        }
        let rank = self.dims.map_or(entries.len(), <[Dim]>::len);
        if entries.is_empty() && self.parser.cursor.at('}') {
            return self.default_order(start, rank);
        }
        if entries.len() != rank {
            return Err(self.wrong_count(self.parser.cursor.since(start), entries.len(), rank));
        }
        self.permutation(&entries)
    }

    /// `{}`: the default order, which XLA's shape parser does not take.
    fn default_order(&mut self, start: Span, rank: usize) -> Result<Permutation, Diagnostic> {
        if self.parser.options.strict && self.dims.is_some() {
            let span = start.to(self.parser.cursor.peek().span);
            let error = self.parser.cursor.error(span, "XLA takes no empty layout in a shape");
            return Err(error.help("leave it out"));
        }
        Ok(Permutation::reversal(rank))
    }

    fn wrong_count(&self, span: Span, found: usize, rank: usize) -> Diagnostic {
        let message =
            format!("the layout orders {found} dimensions, but the shape has {rank} dimensions");
        self.parser
            .cursor
            .error(span, message)
            .expected(format!("{rank} dimension numbers"))
            .help(format!("the default order is {{{}}}", listed((0..rank).rev())))
    }

    fn permutation(&self, entries: &[(i64, Span)]) -> Result<Permutation, Diagnostic> {
        let rank = entries.len();
        let mut seen = vec![false; rank];
        let mut numbers = Vec::with_capacity(rank);
        for &(entry, span) in entries {
            let number = usize::try_from(entry).ok();
            let Some((number, seen)) = number.and_then(|n| Some((n, seen.get_mut(n)?))) else {
                let message = format!("dimension {entry} does not exist in a shape of rank {rank}");
                let error = self.parser.cursor.error(span, message);
                return Err(error.expected(format!("a number from 0 to {}", rank - 1)));
            };
            if std::mem::replace(seen, true) {
                return Err(self.repeated(number, span, entries));
            }
            numbers.push(number);
        }
        Permutation::new(numbers).map_err(|error| self.parser.failed(entries[0].1, &error))
    }

    fn repeated(&self, number: usize, span: Span, entries: &[(i64, Span)]) -> Diagnostic {
        let mut is_missing = vec![true; entries.len()];
        for &(entry, _) in entries {
            let found = usize::try_from(entry).ok().and_then(|entry| is_missing.get_mut(entry));
            found.into_iter().for_each(|missing| *missing = false);
        }
        let missing = (0..entries.len()).filter(|&dim| is_missing[dim]);
        let message = format!("dimension {number} appears twice in the minor-to-major order");
        let error = self.parser.cursor.error(span, message).expected("each dimension exactly once");
        error.help(format!("missing: {}", listed(missing)))
    }
}

/// Dimension numbers for a message, the first few of them.
fn listed(numbers: impl Iterator<Item = usize>) -> String {
    const SHOWN: usize = 12;
    let mut numbers = numbers.map(|number| number.to_string());
    let shown: Vec<String> = numbers.by_ref().take(SHOWN).collect();
    let more = if numbers.next().is_some() { ",…" } else { "" };
    format!("{}{more}", shown.join(","))
}
