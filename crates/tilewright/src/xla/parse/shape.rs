//! Reading shapes.

use super::ParseOptions;
use super::layout::LayoutParser;
use crate::ElementType;
use crate::error::Error;
use crate::shape::{ArrayShape, Dim, Shape};
use crate::text::{Cursor, Diagnostic, Span, Token, TokenKind, TupleReader};
use crate::xla::Layout;

/// A reader of shapes, and of the layouts in them.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) options: ParseOptions,
    pub(super) warnings: Vec<Diagnostic>,
    /// Whether what is read is an element of a tuple.
    pub(super) in_tuple: bool,
}

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
    pub(super) fn new(text: &'a str, options: ParseOptions) -> Result<Self, Diagnostic> {
        Ok(Parser { cursor: Cursor::new(text)?, options, warnings: Vec::new(), in_tuple: false })
    }

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

    /// A name as it is compared: upper case is folded unless reading strictly.
    fn spelled(&self, name: &str) -> String {
        if self.options.strict { name.to_owned() } else { name.to_ascii_lowercase() }
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

    /// An element type's name.
    pub(super) fn element_type(&mut self) -> Result<ElementType, Diagnostic> {
        let name = self.cursor.peek();
        if name.kind != TokenKind::Word {
            return Err(self.cursor.unexpected("an element type, such as `f32`"));
        }
        let found = ElementType::from_xla_name(&self.spelled(name.text));
        let found = found.ok_or_else(|| self.unknown_type(&name))?;
        self.cursor.take()?;
        Ok(found)
    }

    fn unknown_type(&self, name: &Token<'_>) -> Diagnostic {
        let error = self
            .cursor
            .error(name.span, format!("unknown element type {}", name.described()))
            .expected("an element type, such as `f32` or `bf16`");
        match meant_type(name.text) {
            Some(meant) => error.help(format!("XLA calls it `{meant}`")),
            None => error,
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

    /// A diagnostic of an error about a value that was read at these bytes.
    pub(super) fn failed(&self, span: Span, error: &Error) -> Diagnostic {
        self.cursor.error(span, error.to_string())
    }
}

/// The type that somebody who writes this name means.
fn meant_type(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let renamed = match lower.as_str() {
        "i8" | "i16" | "i32" | "i64" | "i4" | "i2" => format!("s{}", &lower[1..]),
        "half" => "f16".to_owned(),
        "float" => "f32".to_owned(),
        "double" => "f64".to_owned(),
        "opaque_type" => return Some("opaque"),
        _ => lower,
    };
    ElementType::from_xla_name(&renamed)
        .or_else(|| ElementType::from_numpy_name(&renamed))
        .map(ElementType::xla_name)
}
