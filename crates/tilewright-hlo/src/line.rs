//! What one line says: a computation's header, or the beginning of an instruction.

use crate::module::bare;
use crate::scan;

/// The beginning of an instruction, up to the parenthesis before its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: &'a str,
    pub(crate) opcode: &'a str,
    pub(crate) is_root: bool,
    /// Where in the line the operands begin, after the parenthesis.
    pub(crate) operands: usize,
}

/// A line that begins as an instruction does and goes on as none does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadHead<'a> {
    pub(crate) name: &'a str,
    /// Where in the line the trouble is.
    pub(crate) at: usize,
    /// What was not found there.
    pub(crate) missing: &'static str,
}

/// What a line begins as, if it begins as `name = `.
pub(crate) fn head(line: &str) -> Option<Result<Head<'_>, BadHead<'_>>> {
    let text = line.trim_ascii_start();
    let (is_root, text) = match text.strip_prefix("ROOT ") {
        Some(rest) => (true, rest.trim_ascii_start()),
        None => (false, text),
    };
    let end = text.bytes().position(|byte| byte.is_ascii_whitespace() || byte == b'=')?;
    let (name, rest) = text.split_at(end);
    let value = rest.trim_ascii_start().strip_prefix('=')?;
    let is_name = !name.is_empty() && !name.bytes().any(|byte| matches!(byte, b'(' | b'{' | b'"'));
    if !is_name || value.starts_with('=') {
        return None;
    }
    Some(definition(line, bare(name), value.trim_ascii_start(), is_root))
}

fn definition<'a>(
    line: &'a str,
    name: &'a str,
    value: &'a str,
    is_root: bool,
) -> Result<Head<'a>, BadHead<'a>> {
    let bad = |rest: &str, missing| BadHead { name, at: line.len() - rest.len(), missing };
    let length = shape_length(value).ok_or_else(|| bad(value, "shape"))?;
    let (shape, rest) = value.split_at(length);
    let rest = rest.trim_ascii_start();
    let end = rest.bytes().position(|byte| !is_of_opcode(byte)).unwrap_or(rest.len());
    let (opcode, operands) = rest.split_at(end);
    match operands.strip_prefix('(') {
        Some(operands) if !opcode.is_empty() => {
            Ok(Head { name, shape, opcode, is_root, operands: line.len() - operands.len() })
        }
        _ => Err(bad(rest, "operation")),
    }
}

fn is_of_opcode(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'$')
}

/// How long the shape at the start of a text is. A tuple, or `type[dims]` and perhaps a layout.
pub(crate) fn shape_length(text: &str) -> Option<usize> {
    if text.starts_with('(') {
        return scan::closing(text);
    }
    let is_of_type = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bracket = text.bytes().position(|byte| !is_of_type(byte))?;
    let rest = &text[bracket..];
    if bracket == 0 {
        return None;
    }
    if rest.starts_with('(') && text.starts_with("b(") {
        return Some(bracket + scan::closing(rest)?);
    }
    let dims = rest.starts_with('[').then(|| rest.bytes().position(is_after_dims))??;
    if !rest[dims..].starts_with(']') {
        return None;
    }
    let end = bracket + dims + 1;
    let after = text[end..].trim_ascii_start();
    match after.starts_with('{') {
        true => Some(text.len() - after.len() + scan::closing(after)?),
        false => Some(end),
    }
}

/// What ends the dimensions, or cannot be among them.
fn is_after_dims(byte: u8) -> bool {
    matches!(byte, b']' | b'{' | b'}' | b'(' | b'"')
}

/// The name of the computation whose header a line is, and whether it is the entry.
///
/// `ENTRY %main (a: f32[2]) -> f32[2] {`, or shorter `region_0.1 {`.
pub(crate) fn header(line: &str) -> Option<(&str, bool)> {
    let text = line.trim();
    let before = text.strip_suffix('{')?;
    let (is_entry, rest) = match before.strip_prefix("ENTRY ") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, before),
    };
    let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
    let (name, signature) = rest.split_at(end);
    let signature = signature.trim();
    let is_header = signature.is_empty() || signature.starts_with('(');
    let is_name = !name.contains(['=', '"', '{', '}', ',', ':', '[']);
    (is_header && is_name && (is_entry || !name.is_empty())).then(|| (bare(name), is_entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: (&str, &str, &str, bool)) {
        let head = head(line).unwrap().unwrap();
        assert_eq!((head.name, head.shape, head.opcode, head.is_root), expected, "{line}");
    }

    #[test]
    fn instructions() {
        check(
            "  %a.1 = f32[2,3]{1,0:T(8,128)} add(%b, %c)",
            ("a.1", "f32[2,3]{1,0:T(8,128)}", "add", false),
        );
        check("ROOT t = (f32[2], s32[]) tuple(a, b)", ("t", "(f32[2], s32[])", "tuple", true));
        check("x = token[] after-all()", ("x", "token[]", "after-all", false));
        check("x = f32[] constant(1)", ("x", "f32[]", "constant", false));
        check("x = b(f32[2]) pin(%a)", ("x", "b(f32[2])", "pin", false));
        check("x=f32[2] {0} add(%a)", ("x", "f32[2] {0}", "add", false));
        let long = "  %w = (s32[], /*index=5*/f32[2]{0}) while(%t), condition=%c, body=%b";
        check(long, ("w", "(s32[], /*index=5*/f32[2]{0})", "while", false));
    }

    #[test]
    fn lines_that_are_none() {
        for line in ["", "}", "%a", "a b c", "if (a == b) {", "f(x = 2)", "\"a\" = 2", "== a"] {
            assert_eq!(head(line), None, "{line}");
        }
        for (line, missing) in [
            ("a = b", "shape"),
            ("a = f32[2", "shape"),
            ("a = f32[2]", "operation"),
            ("a = 2", "shape"),
        ] {
            assert_eq!(head(line).unwrap().unwrap_err().missing, missing, "{line}");
        }
    }

    #[test]
    fn headers() {
        let full = "ENTRY %main.2 (a.1: f32[9,130,40]) -> (f32[360,130]) {";
        assert_eq!(header(full), Some(("main.2", true)));
        assert_eq!(header("region_0.1 {"), Some(("region_0.1", false)));
        assert_eq!(header("ENTRY {"), Some(("", true)));
        for line in ["{", "c = f32[2] constant({", "mesh = <[\"x\"=2]> {", "} {"] {
            assert_eq!(header(line), None, "{line}");
        }
    }
}
