//! The one reader of nested tuples: of integers, strides, coordinates, tilers and shapes.

use super::{Cursor, Diagnostic, MAX_NESTING, Span};

/// What the elements of a notation's tuples are, and how they are put together.
///
/// [`element`](Self::element) keeps open tuples on a stack of its own, so that nesting costs no call
/// depth. It calls [`leaf`](Self::leaf) where an element begins with anything but a parenthesis,
/// and [`tuple`](Self::tuple) where one is closed: `(2,(3,4))` is `tuple([2, tuple([3, 4])])`.
pub(crate) trait TupleReader<'a> {
    /// An element: a leaf, or a tuple of elements.
    type Element;

    fn cursor(&mut self) -> &mut Cursor<'a>;

    /// Reads an element that is no tuple, inside of this many tuples.
    fn leaf(&mut self, depth: usize) -> Result<Self::Element, Diagnostic>;

    /// Makes a tuple, whose parenthesis opened at `start`. What may follow a tuple in this
    /// notation is still to be read.
    fn tuple(
        &mut self,
        start: Span,
        elements: Vec<Self::Element>,
    ) -> Result<Self::Element, Diagnostic>;

    /// Whether a comma may stand after the last element, as where Python prints `(8,)`.
    fn takes_last_comma(&self) -> bool {
        true
    }

    /// Reads an element.
    fn element(&mut self) -> Result<Self::Element, Diagnostic> {
        let mut open: Vec<Open<Self::Element>> = Vec::new();
        loop {
            let mut element = match self.open(&mut open)? {
                Some(start) => self.tuple(start, Vec::new())?,
                None => self.leaf(open.len())?,
            };
            loop {
                let Some(Open { elements, .. }) = open.last_mut() else { return Ok(element) };
                elements.push(element);
                if self.cursor().eat(',')? && !(self.takes_last_comma() && self.cursor().at(')')) {
                    break;
                }
                if !self.cursor().eat(')')? {
                    return Err(self.cursor().unexpected("`,` or `)` in a tuple"));
                }
                let Some(Open { start, elements }) = open.pop() else { break };
                element = self.tuple(start, elements)?;
            }
        }
    }

    /// Takes every `(` in a row. Where the last of them is closed at once, its place.
    fn open(&mut self, open: &mut Vec<Open<Self::Element>>) -> Result<Option<Span>, Diagnostic> {
        while self.cursor().at('(') {
            let start = self.cursor().take()?.span;
            if self.cursor().eat(')')? {
                return Ok(Some(start));
            }
            open.push(Open { start, elements: Vec::new() });
            if open.len() > MAX_NESTING {
                let message = format!("tuples nest deeper than {MAX_NESTING}");
                return Err(self.cursor().error(start, message));
            }
        }
        Ok(None)
    }
}

/// A tuple that is not closed yet.
pub(crate) struct Open<E> {
    start: Span,
    elements: Vec<E>,
}
