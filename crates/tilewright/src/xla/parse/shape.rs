//! Reading shapes.

use super::layout::LayoutParser;
use super::parser::Parser;
use crate::shape::{ArrayShape, Dim, Shape};
use crate::text::{Cursor, Diagnostic, Span, TokenKind, TupleReader};
use crate::xla::Layout;

/// Shapes and tuples of shapes. XLA takes no comma after the last one.
impl<'a> TupleReader<'a> for Parser<'a> {
    type Element = Shape;

    fn cursor(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }

    fn leaf(&mut self, depth: usize) -> Result<Shape, Diagnostic> {
        self.in_tuple = depth > 0;
        self.no_tuple()
    }

    fn tuple(&mut self, _start: Span, elements: Vec<Shape>) -> Result<Shape, Diagnostic> {
        Ok(Shape::Tuple(elements))
    }

    fn takes_last_comma(&self) -> bool {
        false
    }
}

impl<'a> Parser<'a> {
    /// A shape that is not a tuple.
    fn no_tuple(&mut self) -> Result<Shape, Diagnostic> {
        let name = self.cursor.peek();
        if name.kind != TokenKind::Word {
            return Err(self.cursor.unexpected("a shape, such as `f32[3,5]`"));
        }
        if name.text == "b" {
            return self.buffer();
        }
        match self.spelled(name.text).as_str() {
            "token" => self.handle(Shape::Token),
            "opaque" => self.handle(Shape::Opaque),
            _ => self.array().map(Shape::Array),
        }
    }

    /// `b( array )`.
    fn buffer(&mut self) -> Result<Shape, Diagnostic> {
        self.cursor.take()?;
        self.cursor.expect('(')?;
        let start = self.cursor.peek().span;
        match self.leaf_in_buffer()? {
            Shape::Array(array) => {
                self.cursor.expect(')')?;
                Ok(Shape::Buffer(array))
            }
            other => {
                let message = format!("a buffer holds an array, not {}", other.kind_name());
                Err(self.cursor.error(self.cursor.since(start), message).expected("an array shape"))
            }
        }
    }

    fn leaf_in_buffer(&mut self) -> Result<Shape, Diagnostic> {
        let next = self.cursor.peek();
        if next.text == "b" {
            let message = "a buffer cannot hold a buffer";
            return Err(self.cursor.error(next.span, message).expected("an array shape"));
        }
        self.no_tuple()
    }

    /// `token[]` or `opaque[]`.
    fn handle(&mut self, shape: Shape) -> Result<Shape, Diagnostic> {
        self.cursor.take()?;
        self.cursor.expect('[')?;
        if !self.cursor.at(']') {
            let message = format!("{} has no dimensions", shape.kind_name());
            return Err(self.cursor.error(self.cursor.peek().span, message).expected("`]`"));
        }
        self.cursor.take()?;
        Ok(shape)
    }

    /// `f32[3,5]{1,0}`.
    fn array(&mut self) -> Result<ArrayShape, Diagnostic> {
        let element_type = self.element_type()?;
        let start = self.cursor.expect('[')?.span;
        let dims = self.dims()?;
        let span = self.cursor.since(start);
        let shape = ArrayShape::with_dims(element_type, dims.clone());
        let shape = shape.map_err(|error| self.failed(span, &error))?;
        let layout = match self.layout_follows()? {
            true => Some(LayoutParser::new(self, Some(&dims)).layout()?),
            false => self.options.fill_missing_layouts.then(|| Layout::descending(dims.len())),
        };
        match layout {
            Some(layout) => shape.with_layout(layout).map_err(|error| self.failed(span, &error)),
            None => Ok(shape),
        }
    }

    fn dims(&mut self) -> Result<Vec<Dim>, Diagnostic> {
        let mut dims = Vec::new();
        if self.cursor.eat(']')? {
            return Ok(dims);
        }
        loop {
            dims.push(self.dim()?);
            if self.cursor.eat(']')? {
                return Ok(dims);
            }
            if !self.cursor.eat(',')? {
                return Err(self.cursor.unexpected("`,` or `]` after a dimension"));
            }
        }
    }

    fn dim(&mut self) -> Result<Dim, Diagnostic> {
        const EXPECTED: &str = "a dimension: a size, `<=size` or `?`";
        if self.cursor.eat('?')? {
            return Ok(Dim::Unbounded);
        }
        let bounded = self.cursor.peek().kind == TokenKind::AtMost;
        if bounded {
            self.cursor.take()?;
        }
        let (size, span) = self.cursor.fitting_integer(EXPECTED)?;
        if size < 0 {
            let error = self.cursor.error(span, format!("a dimension cannot have {size} elements"));
            return Err(error.expected("a size of 0 or more"));
        }
        Ok(if bounded { Dim::Bounded(size) } else { Dim::Static(size) })
    }

    /// Whether a layout comes next. XLA takes a brace for one only before a number or a colon.
    fn layout_follows(&mut self) -> Result<bool, Diagnostic> {
        if !self.cursor.at('{') || !self.options.strict {
            return Ok(self.cursor.at('{'));
        }
        let after = self.cursor.peek_second()?;
        Ok(matches!(after.kind, TokenKind::Number | TokenKind::Symbol(':' | '-')))
    }
}
