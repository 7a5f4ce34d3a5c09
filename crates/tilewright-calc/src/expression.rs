//! Expressions: calls of operations, and the texts of what they are about.

use anyhow::bail;
use tilewright::tla::Tag;

/// How deep calls may nest.
const MAX_DEPTH: usize = 64;

/// A part of an expression, and where it begins in the whole.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) source: &'a str,
    pub(crate) start: usize,
    pub(crate) kind: Kind<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    /// `name(argument, …)`.
    Call { name: &'a str, arguments: Vec<Node<'a>> },
    /// Anything else: a layout, a tiler, a shape, a number.
    Text(&'a str),
}

impl<'a> Node<'a> {
    /// Reads an expression.
    pub(crate) fn parse(source: &'a str) -> anyhow::Result<Self> {
        Self::part(source, source, 0)
    }

    /// Whether some integer in it is static: written so, or made by a tag.
    pub(crate) fn says_static(&self) -> bool {
        match &self.kind {
            Kind::Text(text) => has_static_mark(text),
            Kind::Call { name, arguments } => {
                name.parse::<Tag>().is_ok() || arguments.iter().any(Node::says_static)
            }
        }
    }

    fn part(source: &'a str, text: &'a str, depth: usize) -> anyhow::Result<Self> {
        if depth > MAX_DEPTH {
            bail!("calls nest deeper than {MAX_DEPTH}");
        }
        let text = trimmed(text);
        let start = text.as_ptr() as usize - source.as_ptr() as usize;
        let kind = match call(text) {
            None => Kind::Text(text),
            Some((name, inside)) => {
                let arguments = arguments(inside).into_iter();
                let arguments = arguments.map(|argument| Self::part(source, argument, depth + 1));
                Kind::Call { name, arguments: arguments.collect::<Result<_, _>>()? }
            }
        };
        Ok(Node { source, start, kind })
    }
}

/// The name and the inside of `name(inside)`, if that is what the text is.
fn call(text: &str) -> Option<(&str, &str)> {
    let open = text.find('(')?;
    let (name, rest) = text.split_at(open);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let inside = rest.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0i64;
    let closes_early = nesting(inside).any(|(_, _, step)| {
        depth += step;
        depth < 0
    });
    (is_name && !closes_early).then_some((name, inside))
}

/// The text between the commas that no bracket encloses. As in Python, a comma may follow the last
/// argument.
fn arguments(inside: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (place, c, step) in nesting(inside) {
        depth += step;
        if c == ',' && depth == 0 {
            arguments.push(&inside[start..place]);
            start = place + 1;
        }
    }
    let last = &inside[start..];
    if arguments.is_empty() || !trimmed(last).is_empty() {
        arguments.push(last);
    }
    arguments
}

/// What each character does to the nesting, and where it stands. `<` is of swizzles, `Sw<3,0,3>`; but `<=` is of a bound,
/// `f32[<=3]`.
fn nesting(text: &str) -> impl Iterator<Item = (usize, char, i64)> + '_ {
    outside_comments(text).map(|(place, c)| {
        let step = match c {
            '<' if text[place + 1..].starts_with('=') => 0,
            '(' | '[' | '{' | '<' => 1,
            ')' | ']' | '}' | '>' => -1,
            _ => 0,
        };
        (place, c, step)
    })
}

/// Whether one of these characters is in a text, beside its comments.
pub(crate) fn contains_any(text: &str, characters: &[char]) -> bool {
    outside_comments(text).any(|(_, c)| characters.contains(&c))
}

/// The text without blanks and comments around it.
fn trimmed(text: &str) -> &str {
    let mut written = outside_comments(text).filter(|(_, c)| ![' ', '\t', '\n', '\r'].contains(c));
    let Some((first, c)) = written.next() else { return &text[..0] };
    let (last, c) = written.last().unwrap_or((first, c));
    &text[first..last + c.len_utf8()]
}

/// The characters that are in no comment, `/* … */` or `// …`. One that is never closed is none: whoever reads the text
/// that it is in points at it.
fn outside_comments(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let (mut end, mut may_close) = (0, true);
    text.char_indices().filter(move |&(place, c)| {
        if place >= end && c == '/' {
            let rest = &text[place..];
            let len = match rest.as_bytes().get(1) {
                Some(b'/') => Some(rest.find('\n').unwrap_or(rest.len())),
                Some(b'*') if may_close => {
                    let len = rest[2..].find("*/").map(|len| len + 4);
                    may_close = len.is_some();
                    len
                }
                _ => None,
            };
            end = place + len.unwrap_or(0);
        }
        place >= end
    })
}

/// Whether an integer is written with its mark, `_4`.
fn has_static_mark(text: &str) -> bool {
    let next = |(place, _): (usize, &str)| {
        text[place + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '-')
    };
    text.match_indices('_').any(next)
}

/// The text with `_4` as `4`: integers without the marks of static ones.
///
/// ```
/// assert_eq!(tilewright_calc::without_marks("(_4,2):(_1,4)"), "(4,2):(1,4)");
/// ```
pub fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_mark =
            c == '_' && rest.peek().is_some_and(|next| next.is_ascii_digit() || *next == '-');
        if !is_mark {
            kept.push(c);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use crate::Expression;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let value = Expression::parse(text).and_then(|expression| expression.value());
        assert_eq!(value.map(|value| value.to_string()).ok().as_deref(), Some(expected), "{text}");
    }

    /// Commas and brackets in comments are neither.
    #[test]
    fn comments_stand_where_blanks_do() {
        check("/* so */ coalesce(/* a, (b */ (2,4):(1,2) /* ) */ ) // , end", "8:1");
        check("max(1, // one, two)\n 2,)", "2");
        check(" max(1, /* a:b[ */ 2)", "2");
        assert!(Expression::parse("max(1, 2 /* )").and_then(|e| e.value()).is_err());
    }

    /// Neither a `:` nor a `[` is in them.
    #[test]
    fn strides_of_numpy_are_layouts() {
        check("float32 (3,5) (20,4)", "(3,5):(5,1):(3,5)");
        check("crd2idx(float32 (3,5) (20,4), (1,2))", "7");
        check("size(composition((15,4):(1,15), float32 (3,5) (20,4)))", "15");
    }

    /// The `<` of a bound encloses nothing.
    #[test]
    fn bounds_are_no_brackets() {
        check("crd2idx(f32[<=3,5]{1,0}, (1,2))", "7");
    }
}
