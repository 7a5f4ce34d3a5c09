//! Reading layouts: the part of a shape in braces.

use super::parser::Parser;
use crate::error::Error;
use crate::shape::Dim;
use crate::text::{Diagnostic, Integer, Span, TokenKind, TupleReader, abridged};
use crate::xla::layout::Attributes;
use crate::xla::{Layout, Padding, PaddingValue, SplitConfig, Tile};
use crate::{ElementType, Permutation};

/// The attributes in the order in which XLA writes and wants them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attribute {
    DimLevelTypes,
    Tiles,
    TailPadding,
    IndexType,
    PointerType,
    ElementSize,
    MemorySpace,
    SplitConfigs,
    PhysicalShape,
    MetadataPrefix,
    Padding,
}

impl Attribute {
    const EXPECTED: &str = "a layout attribute (`T L # * E S SC P M`) or `}`";

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "D" => Attribute::DimLevelTypes,
            "T" => Attribute::Tiles,
            "L" => Attribute::TailPadding,
            "#" => Attribute::IndexType,
            "*" => Attribute::PointerType,
            "E" => Attribute::ElementSize,
            "S" => Attribute::MemorySpace,
            "SC" => Attribute::SplitConfigs,
            "P" => Attribute::PhysicalShape,
            "M" => Attribute::MetadataPrefix,
            "PAD" => Attribute::Padding,
            _ => return None,
        })
    }
}

/// Reads one layout, for an array of known dimensions or on its own.
pub(super) struct LayoutParser<'p, 'a> {
    pub(super) parser: &'p mut Parser<'a>,
    pub(super) dims: Option<&'p [Dim]>,
    pub(super) tiles: Vec<Tile>,
    attributes: Attributes,
    pub(super) seen: Vec<Attribute>,
}

impl<'p, 'a> LayoutParser<'p, 'a> {
    pub(super) fn new(parser: &'p mut Parser<'a>, dims: Option<&'p [Dim]>) -> Self {
        let attributes = Attributes::default();
        LayoutParser { parser, dims, tiles: Vec::new(), attributes, seen: Vec::new() }
    }

    /// `{1,0:T(8,128)}`.
    pub(super) fn layout(mut self) -> Result<Layout, Diagnostic> {
        let start = self.parser.cursor.expect('{')?.span;
        let minor_to_major = self.minor_to_major(start)?;
        if self.parser.cursor.eat(':')? {
            self.old_style_tiles()?;
            while !self.parser.cursor.at('}') {
                self.attribute(&minor_to_major)?;
            }
        } else if !self.parser.cursor.at('}') {
            return Err(self.parser.cursor.unexpected("`,`, `:` or `}`"));
        }
        self.parser.cursor.expect('}')?;
        Ok(Layout { minor_to_major, tiles: self.tiles, attributes: self.attributes })
    }

    fn attribute(&mut self, order: &Permutation) -> Result<(), Diagnostic> {
        let name = self.parser.cursor.peek();
        let Some(attribute) = Attribute::named(name.text) else {
            return Err(self.unknown_attribute());
        };
        self.check_place(attribute, name.span)?;
        self.parser.cursor.take()?;
        self.seen.push(attribute);
        let start = name.span;
        match attribute {
            Attribute::DimLevelTypes => self.dim_level_types(start),
            Attribute::Tiles => self.tiles(),
            Attribute::TailPadding => self.tail_padding(),
            Attribute::IndexType => {
                self.attributes.index_type = Some(self.sparse_type(start, "index")?);
                Ok(())
            }
            Attribute::PointerType => {
                self.attributes.pointer_type = Some(self.sparse_type(start, "pointer")?);
                Ok(())
            }
            Attribute::ElementSize => self.element_size(),
            Attribute::MemorySpace => self.memory_space(),
            Attribute::SplitConfigs => self.split_configs(order),
            Attribute::PhysicalShape => self.physical_shape(start),
            Attribute::MetadataPrefix => self.metadata_prefix(start),
            Attribute::Padding => self.padding(start, order),
        }
    }

    fn unknown_attribute(&self) -> Diagnostic {
        let next = self.parser.cursor.peek();
        let error = self.parser.cursor.unexpected(Attribute::EXPECTED);
        match next.kind {
            TokenKind::Symbol(',') => error.help("attributes follow one another with no comma"),
            TokenKind::Symbol('(') if self.seen.is_empty() => {
                error.help("tiles are written `T(…)`")
            }
            TokenKind::End => error.help("close the layout with `}`"),
            TokenKind::Word if Attribute::named(&next.text.to_ascii_uppercase()).is_some() => error
                .help(format!("attributes are upper case: `{}`", next.text.to_ascii_uppercase())),
            _ => error,
        }
    }

    /// Each attribute once; in XLA's order when reading strictly.
    fn check_place(&self, attribute: Attribute, span: Span) -> Result<(), Diagnostic> {
        let cursor = &self.parser.cursor;
        if self.seen.contains(&attribute) {
            let error = cursor.error(span, "the attribute is given twice");
            return Err(match attribute {
                Attribute::Tiles => error.help("further tiles follow at once: `T(8,128)(2,1)`"),
                _ => error,
            });
        }
        if !self.parser.options.strict {
            return Ok(());
        }
        if attribute == Attribute::Padding {
            return Err(cursor.error(span, "XLA knows no attribute `PAD`"));
        }
        if self.seen.last().is_some_and(|last| *last > attribute) {
            let error = cursor.error(span, "the attribute is out of place");
            return Err(error.help("XLA wants them in the order `D T L # * E S SC P M`"));
        }
        Ok(())
    }

    /// One number in parentheses that must be `least` or more.
    fn number(&mut self, what: &str, least: i64, most: i64) -> Result<i64, Diagnostic> {
        self.parser.cursor.expect('(')?;
        let Integer { value, span } = self.parser.cursor.integer(what)?;
        let Some(value) = value.filter(|value| (least..=most).contains(value)) else {
            let written = &self.parser.cursor.source()[span.start..span.end];
            let error =
                self.parser.cursor.error(span, format!("{what} cannot be {}", abridged(written)));
            return Err(error.expected(match most {
                i64::MAX if least == i64::MIN => "a number that fits in 64 bits".to_owned(),
                i64::MAX => format!("{least} or more"),
                _ => format!("a number from {least} to {most}"),
            }));
        };
        self.parser.cursor.expect(')')?;
        Ok(value)
    }

    fn tail_padding(&mut self) -> Result<(), Diagnostic> {
        let alignment = self.number("the tail padding alignment", 1, i64::MAX)?;
        self.attributes.tail_padding_alignment = (alignment != 1).then_some(alignment);
        Ok(())
    }

    fn element_size(&mut self) -> Result<(), Diagnostic> {
        let bits = self.number("the element size in bits", 0, i64::from(i32::MAX))?;
        self.attributes.element_size_in_bits = u32::try_from(bits).ok().filter(|&bits| bits != 0);
        Ok(())
    }

    fn memory_space(&mut self) -> Result<(), Diagnostic> {
        let (least, most) = (i64::from(i8::MIN), i64::from(i8::MAX));
        let space = self.number("the memory space", least, most)?;
        self.attributes.memory_space = i8::try_from(space).unwrap_or_default();
        Ok(())
    }

    /// XLA takes a negative size, prints nothing for it and finds nothing wrong.
    fn metadata_prefix(&mut self, start: Span) -> Result<(), Diagnostic> {
        let bytes = self.number("the size of the metadata prefix", i64::MIN, i64::MAX)?;
        if bytes < 0 {
            self.warn(start, "a negative metadata prefix is left out", "XLA ignores it");
        }
        self.attributes.metadata_prefix_bytes = bytes.max(0);
        Ok(())
    }

    fn sparse_type(&mut self, start: Span, what: &str) -> Result<ElementType, Diagnostic> {
        self.parser.cursor.expect('(')?;
        let name = self.parser.cursor.peek().span;
        let found = self.parser.element_type()?;
        if !found.is_integral() {
            let error =
                self.parser.cursor.error(name, format!("the {what} type cannot be {found}"));
            return Err(error.expected("an integer type, such as `u32`"));
        }
        self.parser.cursor.expect(')')?;
        if self.dims.is_some() {
            self.refuse_sparse_type(start, what, found)?;
        }
        Ok(found)
    }

    /// XLA's validation refuses index and pointer types on dense arrays. Its parser validates
    /// inside tuples only.
    fn refuse_sparse_type(
        &mut self,
        start: Span,
        what: &str,
        found: ElementType,
    ) -> Result<(), Diagnostic> {
        let message = format!("the layout has {what} type {found}, but the array is not sparse");
        if self.parser.in_tuple {
            let error = self.parser.cursor.error(self.parser.cursor.since(start), message);
            return Err(error.help("leave it out"));
        }
        self.warn(start, &message, "XLA's validation refuses it on a dense array");
        Ok(())
    }

    fn physical_shape(&mut self, start: Span) -> Result<(), Diagnostic> {
        if self.dims.is_some() {
            let message = "the layout has a physical shape, but the array is not sparse";
            let error = self.parser.cursor.error(start, message);
            return Err(error.help("leave `P(…)` out"));
        }
        self.parser.cursor.expect('(')?;
        self.attributes.physical_shape = Some(Box::new(self.parser.element()?));
        self.parser.cursor.expect(')').map(drop)
    }

    /// `(0:30)(1:40,130)`.
    fn split_configs(&mut self, order: &Permutation) -> Result<(), Diagnostic> {
        let start = self.parser.cursor.peek().span;
        let mut configs = Vec::new();
        while configs.is_empty() || self.parser.cursor.at('(') {
            configs.push(self.split_config(order.len())?);
        }
        let span = self.parser.cursor.since(start);
        let checked = Layout::new(order.clone()).with_split_configs(configs);
        let checked = checked.and_then(|layout| self.fits(layout));
        let checked = checked.map_err(|error| self.parser.failed(span, &error))?;
        self.attributes.split_configs = checked.attributes.split_configs;
        Ok(())
    }

    fn split_config(&mut self, rank: usize) -> Result<SplitConfig, Diagnostic> {
        let start = self.parser.cursor.expect('(')?.span;
        let (dimension, span) = self.parser.cursor.fitting_integer("a physical dimension")?;
        let dimension = usize::try_from(dimension).ok().filter(|&dimension| dimension < rank);
        let Some(dimension) = dimension else {
            let message = format!("the split dimension does not exist in a layout of rank {rank}");
            let error = self.parser.cursor.error(span, message);
            return Err(error.help("physical dimension 0 is the most major one"));
        };
        self.parser.cursor.expect(':')?;
        let mut indices = Vec::new();
        while !self.parser.cursor.at(')') && (indices.is_empty() || self.parser.cursor.eat(',')?) {
            indices.push(self.parser.cursor.fitting_integer("a split index")?.0);
        }
        self.parser.cursor.expect(')')?;
        let span = self.parser.cursor.since(start);
        SplitConfig::new(dimension, indices).map_err(|error| self.parser.failed(span, &error))
    }

    /// `PAD(3,5)` or `PAD(3,5;0)`.
    fn padding(&mut self, start: Span, order: &Permutation) -> Result<(), Diagnostic> {
        let rank = order.len();
        self.parser.cursor.expect('(')?;
        let mut widths = Vec::new();
        while self.parser.cursor.peek().kind == TokenKind::Number {
            widths.push(self.parser.cursor.fitting_integer("a width")?.0);
            if !self.parser.cursor.eat(',')? {
                break;
            }
        }
        let value = match self.parser.cursor.eat(';')? {
            true => Some(self.padding_value()?),
            false => None,
        };
        if !self.parser.cursor.at(')') {
            return Err(self.parser.cursor.unexpected("a width, `;` and a padding value, or `)`"));
        }
        self.parser.cursor.take()?;
        let span = self.parser.cursor.since(start);
        if widths.len() != rank {
            let message =
                format!("the padding has {} widths, but the rank is {rank}", widths.len());
            let error = self.parser.cursor.error(span, message);
            return Err(error.expected("one width per dimension, dimension 0 first"));
        }
        let checked = Padding::new(widths, value)
            .and_then(|padding| Layout::new(order.clone()).with_padding(Some(padding)))
            .and_then(|layout| self.fits(layout));
        let checked = checked.map_err(|error| self.parser.failed(span, &error))?;
        self.attributes.padding = checked.attributes.padding;
        Ok(())
    }

    /// The layout, if arrays of the dimensions being read can have it.
    fn fits(&self, layout: Layout) -> Result<Layout, Error> {
        if let Some(dims) = self.dims {
            layout.check_fits(dims)?;
        }
        Ok(layout)
    }

    fn padding_value(&mut self) -> Result<PaddingValue, Diagnostic> {
        let word = self.parser.cursor.peek();
        match PaddingValue::from_name(word.text) {
            Some(value) => {
                self.parser.cursor.take()?;
                Ok(value)
            }
            None => {
                Err(self.parser.cursor.unexpected("`0`, `1`, `lowest`, `highest` or `unknown`"))
            }
        }
    }

    /// `D(D,C+,S~)`, from 2022 to 2025: read and left out, as XLA does.
    fn dim_level_types(&mut self, start: Span) -> Result<(), Diagnostic> {
        self.parser.cursor.expect('(')?;
        loop {
            let level = self.parser.cursor.peek();
            if !matches!(level.text, "D" | "C" | "S" | "H") {
                return Err(self.parser.cursor.unexpected("a dimension level type: `D C S H`"));
            }
            self.parser.cursor.take()?;
            self.parser.cursor.eat('+')?;
            self.parser.cursor.eat('~')?;
            if !self.parser.cursor.eat(',')? {
                break;
            }
        }
        self.parser.cursor.expect(')')?;
        let message = "dimension level types are no longer part of a layout and are left out";
        self.warn(start, message, "XLA dropped them in 2025");
        Ok(())
    }

    fn warn(&mut self, start: Span, message: &str, help: &str) {
        let span = self.parser.cursor.since(start);
        let warning = self.parser.cursor.error(span, message).help(help).into_warning();
        self.parser.warnings.push(warning);
    }
}
