//! Reading what oneDNN's verbose mode prints of a memory descriptor.
//!
//! `dst:f32:p:blocked:aBcd16b::f0` is the argument's name, the type, flags, the kind of format, the
//! tag, strides where they are not dense, and flags of what else memory holds. Before version 3
//! it was `dst_f32:p:blocked:aBcd16b:f0`, which had no strides. The dimensions are in the line's
//! problem description, `2x35x7x7`; here they follow a blank.
//!
//! Source: oneDNN, *Verbose Mode*; `md2fmt_str` in `verbose.cpp`.

use super::array::check_rank;
use super::{Tag, TaggedArray};
use crate::text::{Diagnostic, MAX_TEXT, Span, abridged};
use crate::{ArrayShape, ElementType};

/// oneDNN's names of element types. `f8_e4m3` is the OCP's, which is finite only.
const TYPES: &[(&str, ElementType)] = &[
    ("f32", ElementType::F32),
    ("bf16", ElementType::Bf16),
    ("f16", ElementType::F16),
    ("f64", ElementType::F64),
    ("s64", ElementType::S64),
    ("s32", ElementType::S32),
    ("s8", ElementType::S8),
    ("u8", ElementType::U8),
    ("s4", ElementType::S4),
    ("u4", ElementType::U4),
    ("f8_e5m2", ElementType::F8E5M2),
    ("f8_e4m3", ElementType::F8E4M3Fn),
    ("e8m0", ElementType::F8E8M0Fnu),
    ("f4_e2m1", ElementType::F4E2M1Fn),
    ("boolean", ElementType::Pred),
];

const A_DESCRIPTOR: &str =
    "one memory descriptor and its dimensions, such as `f32::blocked:aBcd16b::f0 2x35x7x7`";

/// A part of the text, and where it begins.
#[derive(Clone, Copy, Debug)]
struct Field<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> Field<'a> {
    fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    /// The parts between separators, each one byte long.
    fn split(self, separator: impl Fn(char) -> bool) -> impl Iterator<Item = Field<'a>> {
        let mut start = self.start;
        self.text.split(separator).map(move |text| {
            let field = Field { text, start };
            start += text.len() + 1;
            field
        })
    }
}

/// Reads `f32::blocked:aBcd16b::f0 2x35x7x7`.
pub(super) fn read(text: &str) -> Result<TaggedArray, Diagnostic> {
    if text.len() > MAX_TEXT {
        let message = format!("the text has {} bytes, more than {MAX_TEXT}", text.len());
        return Err(Diagnostic::error("", Span::default(), message));
    }
    let words: Vec<Field<'_>> = Field { text, start: 0 }
        .split(|c| c.is_ascii_whitespace())
        .filter(|word| !word.text.is_empty())
        .collect();
    let (descriptor, dims) = match words[..] {
        [descriptor, dims] => (descriptor, dims),
        [_, _, extra, ..] => {
            let span = Span::new(extra.start, text.len());
            let message = "extra content after the dimensions";
            return Err(Diagnostic::error(text, span, message).expected(A_DESCRIPTOR));
        }
        _ => {
            let end = Span::new(text.len(), text.len());
            let message = "the dimensions are missing";
            return Err(Diagnostic::error(text, end, message).expected(A_DESCRIPTOR));
        }
    };
    let reader = Reader { source: text };
    let (element_type, tag) = reader.descriptor(descriptor)?;
    let sizes = reader.dims(dims)?;
    check_rank(text, &tag, sizes.len(), dims.span())?;
    // As many elements as an array may have.
    ArrayShape::new(element_type, &sizes).map_err(|e| reader.error(dims, e.to_string()))?;
    Ok(TaggedArray { element_type, dims: sizes, tag })
}

struct Reader<'a> {
    source: &'a str,
}

impl<'a> Reader<'a> {
    fn descriptor(&self, descriptor: Field<'a>) -> Result<(ElementType, Tag), Diagnostic> {
        let mut fields = descriptor.split(|c| c == ':');
        let end = Field { text: "", start: descriptor.span().end };
        let mut next = || fields.next().unwrap_or(end);
        let first = next();
        let element_type = match type_at_end(first.text) {
            Some(element_type) => element_type,
            None => {
                let second = next();
                self.element_type(if second.text.is_empty() { first } else { second })?
            }
        };
        self.check_flags(next())?;
        self.check_kind(next())?;
        let tag = next();
        let tag: Tag =
            tag.text.parse().map_err(|e: Diagnostic| e.within(self.source, tag.start))?;
        fields.try_for_each(|field| self.check_extra(field))?;
        Ok((element_type, tag))
    }

    /// The type, by all of the field.
    fn element_type(&self, field: Field<'_>) -> Result<ElementType, Diagnostic> {
        let found = TYPES.iter().find(|(name, _)| *name == field.text);
        found.map(|&(_, element_type)| element_type).ok_or_else(|| {
            self.error(field, format!("unknown element type `{}`", abridged(field.text)))
                .expected("one of oneDNN's, such as `f32` or `f8_e4m3`")
        })
    }

    /// `a` (left to oneDNN) and `p` (padded) change nothing here, offsets would.
    fn check_flags(&self, field: Field<'_>) -> Result<(), Diagnostic> {
        match field.text.chars().find(|c| !matches!(c, 'a' | 'p')) {
            None => Ok(()),
            Some('0') => Err(self.error(field, "the array does not begin at offset 0")),
            Some('o') => Err(self.error(field, "there is padding before the elements")),
            Some(c) => Err(self.error(field, format!("unknown flag `{c}`")).expected("`a` or `p`")),
        }
    }

    fn check_kind(&self, field: Field<'_>) -> Result<(), Diagnostic> {
        if field.text == "blocked" {
            return Ok(());
        }
        let message = match field.text {
            "" => "the kind of format is missing".to_owned(),
            kind => format!("memory of the kind `{}` has no tag", abridged(kind)),
        };
        Err(self.error(field, message).expected("`blocked`"))
    }

    /// What follows the tag: strides, where a tag is not enough, and extra flags.
    fn check_extra(&self, field: Field<'_>) -> Result<(), Diagnostic> {
        match field.text {
            "" | "f0" => Ok(()),
            strides if strides.starts_with(|c: char| c.is_ascii_digit()) => Err(self
                .error(field, format!("the strides {} are not the tag's own", abridged(strides)))),
            _ => Err(self.error(field, "memory holds more than the elements").expected("`f0`")),
        }
    }

    /// `2x35x7x7`.
    fn dims(&self, dims: Field<'_>) -> Result<Vec<i64>, Diagnostic> {
        let size = |field: Field<'_>| {
            let is_number = field.text.bytes().all(|byte| byte.is_ascii_digit());
            let size = field.text.parse().ok().filter(|_| is_number);
            size.ok_or_else(|| {
                self.error(field, format!("`{}` is not a size", abridged(field.text)))
                    .expected("dimensions, such as `2x35x7x7`")
            })
        };
        dims.split(|c| c == 'x').map(size).collect()
    }

    fn error(&self, field: Field<'_>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.source, field.span(), message)
    }
}

/// The type that a field is, or that ends it as in `src_f32`.
fn type_at_end(text: &str) -> Option<ElementType> {
    let ends = |name: &str| {
        text.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('_'))
    };
    TYPES.iter().find(|(name, _)| ends(name)).map(|&(_, element_type)| element_type)
}
