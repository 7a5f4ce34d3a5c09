//! The header text: the Python literal of a dict, read in one pass.

use crate::error::Fault;
use crate::info::{Order, check_rank};
use crate::json::shortened;

/// The first bytes of every `.npy` file.
pub(crate) const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// A header as it stands in the file, the dtype not yet understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) descr: String,
    pub(crate) order: Order,
    pub(crate) dims: Vec<i64>,
}

/// The data begins at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// What NumPy leaves room for in the size that an appended-to array would grow: the digits of 2^64.
const GROWTH_DIGITS: usize = 21;

/// The bytes before the header's text, and the line's end behind it.
const AROUND: usize = MAGIC.len() + 4 + 1;

/// The preamble, the header length and the header, byte for byte as `np.save` writes them.
pub(crate) fn write(descr: &str, order: Order, dims: &[i64]) -> Vec<u8> {
    let fortran = if order.is_fortran() { "True" } else { "False" };
    let shape = tuple(dims);
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    let growing = if order.is_fortran() { dims.last() } else { dims.first() };
    if let Some(size) = growing {
        pad(&mut text, GROWTH_DIGITS.saturating_sub(size.to_string().len()));
    }
    let unpadded = text.len().saturating_add(AROUND);
    pad(&mut text, ALIGNMENT.saturating_sub(unpadded % ALIGNMENT));
    text.push('\n');
    // At most 64 sizes of 19 digits: far below the 65,535 bytes that version 1 can say.
    let length = (text.len() as u16).to_le_bytes();
    [&MAGIC[..], &[1, 0], &length, text.as_bytes()].concat()
}

/// Reads the header text, trailing padding included.
pub(crate) fn parse(text: &[u8]) -> Result<Header, Fault> {
    let mut cursor = Cursor { text, at: 0 };
    let header = cursor.dict()?;
    cursor.space();
    match cursor.peek() {
        None => Ok(header),
        Some(_) => Err(cursor.expected("nothing after the dict")),
    }
}

fn tuple(dims: &[i64]) -> String {
    match dims {
        [only] => format!("({only},)"),
        _ => format!("({})", dims.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn pad(text: &mut String, spaces: usize) {
    text.extend(std::iter::repeat_n(' ', spaces));
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn dict(&mut self) -> Result<Header, Fault> {
        let (mut descr, mut order, mut dims) = (None, None, None);
        self.space();
        self.expect(b'{', "a dict")?;
        while !self.take(b'}') {
            let key = self.string("a key")?;
            self.expect(b':', "`:`")?;
            let again = match key.as_str() {
                "descr" => descr.replace(self.descr()?).is_some(),
                "fortran_order" => order.replace(self.order()?).is_some(),
                "shape" => dims.replace(self.shape()?).is_some(),
                _ => {
                    return Err(Fault::malformed(format!(
                        "the header has the unknown key `{}`",
                        shortened(&key)
                    )));
                }
            };
            if again {
                return Err(Fault::malformed(format!("the header has the key `{key}` twice")));
            }
            self.separator(b'}')?;
        }
        Ok(Header {
            descr: required(descr, "descr")?,
            order: required(order, "fortran_order")?,
            dims: required(dims, "shape")?,
        })
    }

    fn descr(&mut self) -> Result<String, Fault> {
        self.space();
        match self.peek() {
            Some(b'[' | b'(' | b'{') => Err(Fault::unsupported(
                "the dtype is a structured one, and only plain arrays are read",
            )
            .help("save one field at a time: `np.save(path, a['field'])`")),
            _ => self.string("a dtype string"),
        }
    }

    fn order(&mut self) -> Result<Order, Fault> {
        self.space();
        if self.word(b"True") {
            Ok(Order::ColumnMajor)
        } else if self.word(b"False") {
            Ok(Order::RowMajor)
        } else {
            Err(self.expected("True or False"))
        }
    }

    fn shape(&mut self) -> Result<Vec<i64>, Fault> {
        let mut dims = Vec::new();
        self.expect(b'(', "a tuple")?;
        let mut has_comma = false;
        while !self.take(b')') {
            dims.push(self.size()?);
            check_rank(dims.len())?;
            has_comma |= self.separator(b')')?;
        }
        if dims.len() == 1 && !has_comma {
            return Err(Fault::malformed(
                "the shape is a number in brackets, not a tuple: expected `(n,)`",
            ));
        }
        Ok(dims)
    }

    /// A size: decimal digits, with the `L` that Python 2 wrote after some.
    fn size(&mut self) -> Result<i64, Fault> {
        self.space();
        let digits = self.run(|byte| byte.is_ascii_digit());
        let value = match digits {
            "" => return Err(self.expected("a size of 0 or more")),
            _ if digits.len() > 1 && digits.starts_with('0') => {
                return Err(Fault::malformed(format!(
                    "the shape has a size with a leading zero: {digits}"
                )));
            }
            _ => digits.parse().map_err(|_| too_large(digits))?,
        };
        self.word(b"L");
        Ok(value)
    }

    /// A quoted text of printable ASCII without escapes.
    fn string(&mut self, what: &str) -> Result<String, Fault> {
        self.space();
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.expected(what)),
        };
        self.advance(1);
        let text = self.run(|b| b != quote && b != b'\\' && (b' '..=b'~').contains(&b)).to_owned();
        if self.peek() != Some(quote) {
            return Err(self.expected("a closing quote, and printable ASCII before it"));
        }
        self.advance(1);
        Ok(text)
    }

    /// A comma, or a look at the closing bracket; whether it was a comma.
    fn separator(&mut self, close: u8) -> Result<bool, Fault> {
        let comma = self.take(b',');
        self.space();
        if !comma && self.peek() != Some(close) {
            return Err(self.expected(&format!("`,` or `{}`", close as char)));
        }
        Ok(comma)
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Steps over space, then over `byte` if it is next.
    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.peek() == Some(byte);
        self.advance(found.into());
        found
    }

    fn word(&mut self, word: &[u8]) -> bool {
        let found = self.rest().starts_with(word);
        self.advance(if found { word.len() } else { 0 });
        found
    }

    /// The longest run of such bytes. What is asked for is always ASCII, hence UTF-8.
    fn run(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|&&byte| wanted(byte)).count();
        self.advance(length);
        rest.get(..length).and_then(|run| std::str::from_utf8(run).ok()).unwrap_or_default()
    }

    fn advance(&mut self, len: usize) {
        self.at = self.at.saturating_add(len);
    }

    fn space(&mut self) {
        self.run(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn expected(&self, what: &str) -> Fault {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(byte @ b' '..=b'~') => format!("`{}`", byte as char),
            Some(byte) => format!("the byte {byte:#04x}"),
        };
        Fault::malformed(format!("the header, at byte {}: expected {what}, found {found}", self.at))
    }
}

fn required<T>(value: Option<T>, key: &str) -> Result<T, Fault> {
    value.ok_or_else(|| Fault::malformed(format!("the header has no key `{key}`")))
}

fn too_large(digits: &str) -> Fault {
    let shown = crate::json::shortened(digits);
    Fault::malformed(format!("the shape has a size that does not fit in 63 bits: {shown}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How deep what nests does; Miri takes its time.
    const DEEP: usize = if cfg!(miri) { 1000 } else { 1_000_000 };

    const PLAIN: &str = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }";

    #[track_caller]
    fn accepts(text: &str, order: Order, dims: &[i64]) {
        let expected = Header { descr: "<f4".to_owned(), order, dims: dims.to_owned() };
        assert_eq!(parse(text.as_bytes()).unwrap(), expected, "{text}");
    }

    #[track_caller]
    fn rejects(text: &str, fragment: &str) {
        let message = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(fragment), "{text}: {message}");
    }

    #[track_caller]
    fn shape(shape: &str, expected: Result<&[i64], &str>) {
        let text = PLAIN.replace("(3, 5)", shape);
        match expected {
            Ok(dims) => accepts(&text, Order::RowMajor, dims),
            Err(fragment) => rejects(&text, fragment),
        }
    }

    #[test]
    fn dicts() {
        accepts(PLAIN, Order::RowMajor, &[3, 5]);
        accepts(
            "{\"shape\":(3,5),'fortran_order':True,'descr':'<f4'}",
            Order::ColumnMajor,
            &[3, 5],
        );
        accepts(&format!(" \t\n{PLAIN} \r\n  "), Order::RowMajor, &[3, 5]);
        rejects("", "expected a dict, found the end");
        rejects("[]", "expected a dict, found `[`");
        rejects("{}", "no key `descr`");
        rejects("{'descr': '<f4', 'shape': (), }", "no key `fortran_order`");
        rejects("{'descr': '<f4', 'fortran_order': False}", "no key `shape`");
        rejects(&PLAIN.replace(", }", ", 'descr': '<f4'}"), "the key `descr` twice");
        rejects(&PLAIN.replace(", }", ", 'extra': 1}"), "unknown key `extra`");
        rejects(&PLAIN.replace("False", "0"), "expected True or False, found `0`");
        rejects(&PLAIN.replace("False", "Falsey"), "expected `,` or `}`, found `y`");
        rejects(&PLAIN.replace("'<f4'", "'<f4"), "expected `,` or `}`, found `f`");
        rejects(&PLAIN.replace("'<f4'", "'<\\x664'"), "a closing quote");
        rejects(&PLAIN.replace("'<f4'", "'<é'"), "found the byte 0xc3");
        rejects(&PLAIN.replace("'<f4'", "[('a', '<f4')]"), "a structured one");
        rejects(&PLAIN.replace("'<f4'", "('<f4', (2,))"), "a structured one");
        rejects(&PLAIN.replace("'<f4'", "4"), "expected a dtype string, found `4`");
        rejects(&PLAIN.replace(',', " "), "expected `,` or `}`");
        rejects(&PLAIN.replace(", }", ",, }"), "expected a key, found `,`");
        rejects(&format!("{PLAIN}\0"), "expected nothing after the dict, found the byte 0x00");
        rejects(&format!("{PLAIN} # comment"), "expected nothing after the dict, found `#`");
        rejects(&PLAIN[..PLAIN.len() - 1], "expected a key, found the end");
    }

    #[test]
    fn shapes() {
        shape("()", Ok(&[]));
        shape("( )", Ok(&[]));
        shape("(3,)", Ok(&[3]));
        shape("(3L, 5L)", Ok(&[3, 5]));
        shape("( 3 ,5, )", Ok(&[3, 5]));
        shape("(0, 9223372036854775807)", Ok(&[0, i64::MAX]));
        shape("(3)", Err("not a tuple: expected `(n,)`"));
        shape("3", Err("expected a tuple, found `3`"));
        shape("[3]", Err("expected a tuple, found `[`"));
        shape("(,)", Err("expected a size of 0 or more, found `,`"));
        shape("(3,,)", Err("expected a size of 0 or more, found `,`"));
        shape("(3 5)", Err("expected `,` or `)`, found `5`"));
        shape("(-1,)", Err("expected a size of 0 or more, found `-`"));
        shape("(03,)", Err("leading zero: 03"));
        shape("(1_0,)", Err("expected `,` or `)`, found `_`"));
        shape("(0x3,)", Err("found `x`"));
        shape("(3.0,)", Err("found `.`"));
        shape("(True,)", Err("found `T`"));
        shape("(9223372036854775808,)", Err("does not fit in 63 bits: 9223372036854775808"));
        shape("((((((3,", Err("expected a size of 0 or more, found `(`"));
        shape(&format!("({})", "1,".repeat(64)), Ok(&[1; 64]));
        shape(&format!("({})", "1,".repeat(65)), Err("is 65, over the limit of 64"));
    }

    #[test]
    fn bombs_are_refused() {
        for bomb in ["(", "[", "{", "'", "1", " ", "1,", "{'shape':", "\\"] {
            let text = PLAIN.replace("(3, 5)", &bomb.repeat(DEEP));
            assert!(parse(text.as_bytes()).is_err(), "{bomb}");
        }
    }

    #[test]
    fn written_headers_are_aligned_and_read_back() {
        for dims in [&[][..], &[3], &[3, 5], &[0], &[i64::MAX; 64]] {
            for order in [Order::RowMajor, Order::ColumnMajor] {
                let bytes = write("<f4", order, dims);
                assert_eq!(bytes.len() % ALIGNMENT, 0);
                assert_eq!(usize::from(u16::from_le_bytes([bytes[8], bytes[9]])), bytes.len() - 10);
                let header = parse(&bytes[10..]).unwrap();
                assert_eq!((header.order, header.dims.as_slice()), (order, dims));
            }
        }
    }
}
