//! C99: a header of static functions, which C++ takes as well.
//!
//! Buffers are bytes. Elements of 16 bits and more are little-endian; they may begin at any address, since whatever is
//! loaded or stored goes through `memcpy`, of which a compiler makes a single instruction. Transposes go in blocks, in
//! loops of a fixed number of steps that compilers turn into vector instructions.

use super::Source;
use super::c_like::Dialect;
use crate::code::Code;
use crate::error::Error;
use crate::packed::Words;
use crate::relayout::{Body, Fill, Nest, Relayout, Transfer, Way};

const DIALECT: Dialect = Dialect {
    int32: "int32_t",
    uint32: "uint32_t",
    int64: "int64_t",
    qualifiers: "static inline",
    suffix: "LL",
};

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    DIALECT.heads(&mut code, source);
    code.line(format!("#ifndef {name}_LAYOUT_H"));
    code.line(format!("#define {name}_LAYOUT_H"));
    code.line("#include <stdint.h>");
    if source.other.is_some() {
        code.line("#include <string.h>");
    }
    code.line("");
    DIALECT.layouts(&mut code, source);
    if let Some((_, relayout)) = &source.other {
        code.line("");
        Printer { name, relayout, transfer: relayout.transfer }.relayout(&mut code);
    }
    code.line("");
    code.line(format!("#endif /* {name}_LAYOUT_H */"));
    Ok(code.into_text())
}

pub(super) struct Printer<'a> {
    name: &'a str,
    relayout: &'a Relayout,
    pub(super) transfer: Transfer,
}

impl Printer<'_> {
    fn relayout(&self, code: &mut Code) {
        self.helpers(code);
        let Relayout { src_bytes, dst_bytes, argument, .. } = self.relayout;
        let name = self.name;
        code.line(match argument {
            Some(dim) => format!(
                "/* Moves the array of extent n{dim}, element by element: {name}_allocation(n{dim}) slots are read, \
                 {name}_to_allocation(n{dim}) written. */"
            ),
            None => format!(
                "/* Moves the array: {src_bytes} bytes are read, {dst_bytes} written, padding too. */"
            ),
        });
        let last = argument.map_or(String::new(), |dim| format!(", int64_t n{dim}"));
        code.line(format!("static inline void {name}_relayout(const void *from, void *to{last})"));
        code.line("{");
        code.indented(|code| {
            code.line("const unsigned char *__restrict src = (const unsigned char *)from;");
            code.line("unsigned char *__restrict dst = (unsigned char *)to;");
            code.line("(void)src;");
            self.fill(code);
            match &self.relayout.way {
                Way::Nests(nests) => {
                    for (number, nest) in nests.iter().enumerate() {
                        code.line(format!("/* Box {} of {}. */", number + 1, nests.len()));
                        self.nest(code, nest);
                    }
                }
                Way::Offsets { dims, .. } => self.by_offsets(code, dims),
            }
        });
        code.line("}");
    }

    fn fill(&self, code: &mut Code) {
        let bytes = match self.relayout.argument {
            Some(dim) => {
                let (name, width) = (self.name, self.transfer.dst_bits);
                code.line(format!("const int64_t bits = {name}_to_allocation(n{dim}) * {width};"));
                "(bits + 7) / 8".to_owned()
            }
            None => self.relayout.dst_bytes.to_string(),
        };
        if let Some(Fill { period }) = &self.relayout.fill {
            match period.as_slice() {
                [byte] => {
                    code.line(format!(
                        "memset(dst, {byte:#04x}, (size_t)({bytes})); /* padding */"
                    ));
                }
                period => {
                    let list: Vec<String> =
                        period.iter().map(|byte| format!("{byte:#04x}")).collect();
                    let n = period.len();
                    code.line(format!(
                        "static const unsigned char period[] = {{{}}};",
                        list.join(", ")
                    ));
                    code.line(format!(
                    "for (int64_t k = 0; k < {bytes}; k++) dst[k] = period[k % {n}]; /* padding */"
                ));
                }
            }
        }
        if let Some(bits) = self.relayout.tail_bits {
            let mask = (1 << bits) - 1;
            code.line(format!("dst[{bytes} - 1] &= {mask:#04x}; /* bits behind the last slot */"));
        }
        match self.relayout.argument {
            Some(_) if self.transfer.dst_bits % 8 != 0 => code.line(
                "if (bits % 8) dst[bits / 8] &= (unsigned char)((1 << bits % 8) - 1); /* behind the last slot */",
            ),
            Some(_) if self.relayout.fill.is_none() => code.line("(void)bits;"),
            _ => {}
        }
    }

    fn nest(&self, code: &mut Code, nest: &Nest) {
        if let Some(words) = Words::of(nest, self.transfer) {
            return self.words(code, &words);
        }
        let (mut src, mut dst) = (Vec::new(), Vec::new());
        for (depth, l) in nest.loops.iter().enumerate() {
            let at = format!("a{depth}");
            code.line(format!("for (int64_t {at} = 0; {at} < {}; {at}++)", l.extent));
            src.push((at.clone(), l.src));
            dst.push((at, l.dst));
        }
        let (src, dst) = (address(&src, nest.src), address(&dst, nest.dst));
        code.indented(|code| self.body(code, nest.body, &src, &dst));
    }

    fn body(&self, code: &mut Code, body: Body, src: &str, dst: &str) {
        let name = self.name;
        match body {
            Body::Run(bytes) => code.line(format!("memcpy(dst + {dst}, src + {src}, {bytes});")),
            Body::Transpose { unit, rows, src_pitch, columns, dst_pitch } => {
                if is_narrow(body) {
                    // A compiler unrolls the short loop, and interleaves what the long one goes through.
                    let (row, column) = (
                        format!("for (int64_t r = 0; r < {rows}; r++)"),
                        format!("for (int64_t c = 0; c < {columns}; c++)"),
                    );
                    let (outer, inner) = if rows < columns { (column, row) } else { (row, column) };
                    code.line(outer);
                    code.line(inner);
                    code.indented(|code| {
                        code.line(format!("memcpy(dst + {dst} + c * {dst_pitch} + r * {unit},"));
                        code.line(format!(
                            "       src + {src} + r * {src_pitch} + c * {unit}, {unit});"
                        ));
                    });
                    return;
                }
                code.line(format!(
                    "{name}_transpose_{unit}(dst + {dst}, {dst_pitch}, src + {src}, {src_pitch}, {rows}, {columns});"
                ));
            }
            Body::Element => code.line(format!("{name}_element(dst + {dst}, src + {src});")),
            Body::Bits => code.line(format!("{name}_put(dst, {dst}, {});", self.value(src))),
            Body::Pack { elements, src_stride } => {
                let width = self.transfer.dst_bits;
                let parts: Vec<String> = (0..elements)
                    .map(|number| {
                        let value = self.value(&format!("{src} + {}", number * src_stride));
                        format!("{value} << {}", number * width)
                    })
                    .collect();
                let bytes = if dst == "0" { dst.to_owned() } else { format!("({dst}) / 8") };
                code.line(format!("dst[{bytes}] = (unsigned char)({});", parts.join(" | ")));
            }
        }
    }

    /// The value of the element at a bit of the source, as the destination has it.
    fn value(&self, src: &str) -> String {
        format!("{}_get(src, {src})", self.name)
    }

    fn by_offsets(&self, code: &mut Code, dims: &[i64]) {
        let (name, transfer) = (self.name, self.transfer);
        let index: Vec<String> = (0..dims.len()).map(|dim| format!("i{dim}")).collect();
        for (dim, extent) in self.relayout.extents(dims).iter().enumerate() {
            code.line(format!("for (int64_t i{dim} = 0; i{dim} < {extent}; i{dim}++)"));
        }
        let index = index.join(", ") + &self.relayout.last_argument();
        let (src, dst) = (format!("{name}_offset({index})"), format!("{name}_to_offset({index})"));
        let scaled = |offset: &str, unit: i64| format!("{offset} * {unit}");
        let (src_bits, dst_bits) = (transfer.src_bits, transfer.dst_bits);
        code.indented(|code| {
            if transfer.is_plain_bytes() {
                let bytes = dst_bits / 8;
                self.body(code, Body::Run(bytes), &scaled(&src, bytes), &scaled(&dst, bytes));
            } else if transfer.is_of_words() {
                self.body(
                    code,
                    Body::Element,
                    &scaled(&src, src_bits / 8),
                    &scaled(&dst, dst_bits / 8),
                );
            } else {
                self.body(code, Body::Bits, &scaled(&src, src_bits), &scaled(&dst, dst_bits));
            }
        });
    }

    /// What the bodies call.
    fn helpers(&self, code: &mut Code) {
        let mut units = Vec::new();
        let (mut has_element, mut has_get, mut has_put) = (false, false, false);
        match &self.relayout.way {
            Way::Nests(nests) => {
                for nest in nests {
                    if Words::of(nest, self.transfer).is_some() {
                        continue;
                    }
                    match nest.body {
                        body if is_narrow(body) => {}
                        Body::Transpose { unit, .. } if !units.contains(&unit) => units.push(unit),
                        Body::Run(_) | Body::Transpose { .. } => {}
                        Body::Element => has_element = true,
                        Body::Bits => (has_get, has_put) = (true, true),
                        Body::Pack { .. } => has_get = true,
                    }
                }
            }
            Way::Offsets { .. } if self.transfer.is_plain_bytes() => {}
            Way::Offsets { .. } if self.transfer.is_of_words() => has_element = true,
            Way::Offsets { .. } => (has_get, has_put) = (true, true),
        }
        for unit in units {
            self.transpose(code, unit);
        }
        if has_element {
            self.element(code);
        }
        if has_get {
            self.get(code);
        }
        if has_put {
            self.put(code);
        }
    }

    fn transpose(&self, code: &mut Code, unit: i64) {
        let n = block(unit);
        let stages = n.ilog2();
        let word = match unit {
            16 => {
                code.line(format!(
                    "typedef struct {{ uint64_t low, high; }} {}_unit_16;",
                    self.name
                ));
                format!("{}_unit_16", self.name)
            }
            unit => format!("uint{}_t", unit * 8),
        };
        let shuffles: Vec<String> = (0..stages)
            .map(|stage| if stage % 2 == 0 { "(b, a)" } else { "(a, b)" })
            .map(|arguments| format!("                {}_shuffle_{unit}{arguments};", self.name))
            .collect();
        let text = TRANSPOSE
            .replace("NAME", self.name)
            .replace("SHUFFLES", &shuffles.join("\n"))
            .replace("STAGES", &stages.to_string())
            .replace("LAST", if stages.is_multiple_of(2) { "a" } else { "b" })
            .replace("WORD", &word)
            .replace("UNIT", &unit.to_string())
            .replace("HALF", &(n * n / 2).to_string())
            .replace("PANEL", &(8 * n).to_string());
        code.lines(&with_number(&text, n));
        code.line("");
    }

    fn element(&self, code: &mut Code) {
        let Transfer { src_bits, dst_bits, .. } = self.transfer;
        let value = self.changed("value");
        code.line("/* One element, the bits of its value alone. */");
        code.line(format!(
            "static inline void {}_element(unsigned char *dst, const unsigned char *src)",
            self.name
        ));
        code.block("{", "}", |code| {
            code.line(format!("uint{src_bits}_t value;"));
            code.line("memcpy(&value, src, sizeof value);");
            code.line(format!("const uint{dst_bits}_t stored = (uint{dst_bits}_t)({value});"));
            code.line("memcpy(dst, &stored, sizeof stored);");
        });
        code.line("");
    }

    /// A value's bits and those that are flipped.
    fn changed(&self, value: &str) -> String {
        let Transfer { value_bits, src_bits, flip, .. } = self.transfer;
        let kept = match value_bits < src_bits {
            true => format!(
                "({value} & {:#x}u{})",
                self.transfer.mask(),
                if value_bits > 32 { "ll" } else { "" }
            ),
            false => value.to_owned(),
        };
        if flip == 0 { kept } else { format!("{kept} ^ {flip:#x}ull") }
    }

    fn get(&self, code: &mut Code) {
        let Transfer { src_bits, .. } = self.transfer;
        let name = self.name;
        code.line(
            "/* The value of the element at a bit of the source, as the destination has it. */",
        );
        code.line(format!(
            "static inline uint64_t {name}_get(const unsigned char *src, int64_t bit)"
        ));
        code.block("{", "}", |code| {
            if 8 % src_bits == 0 {
                code.line(format!(
                    "const uint64_t value = (src[bit >> 3] >> (bit & 7)) & {:#x};",
                    (1 << src_bits) - 1
                ));
            } else {
                code.line("uint64_t value = 0;");
                code.block(format!("for (int k = 0; k < {src_bits};) {{"), "}", |code| {
                    code.line("const int at = (int)((bit + k) & 7);");
                    code.line(format!(
                        "const int n = 8 - at < {src_bits} - k ? 8 - at : {src_bits} - k;"
                    ));
                    code.line(
                        "value |= (uint64_t)((src[(bit + k) >> 3] >> at) & ((1 << n) - 1)) << k;",
                    );
                    code.line("k += n;");
                });
            }
            code.line(format!("return {};", self.changed("value")));
        });
        code.line("");
    }

    fn put(&self, code: &mut Code) {
        let Transfer { dst_bits, .. } = self.transfer;
        let name = self.name;
        code.line("/* Stores the bits of an element among those that are there. */");
        code.line(format!(
            "static inline void {name}_put(unsigned char *dst, int64_t bit, uint64_t value)"
        ));
        code.block("{", "}", |code| {
            code.block(format!("for (int k = 0; k < {dst_bits};) {{"), "}", |code| {
                code.line("const int at = (int)((bit + k) & 7);");
                code.line(format!("const int n = 8 - at < {dst_bits} - k ? 8 - at : {dst_bits} - k;"));
                code.line("const int mask = ((1 << n) - 1) << at;");
                code.line("unsigned char *byte = dst + ((bit + k) >> 3);");
                code.line("*byte = (unsigned char)((*byte & ~mask) | ((int)((value >> k) << at) & mask));");
                code.line("k += n;");
            });
        });
        code.line("");
    }
}

/// Whether a transpose has fewer rows or columns than a block.
fn is_narrow(body: Body) -> bool {
    match body {
        Body::Transpose { unit, rows, columns, .. } => rows.min(columns) < block(unit),
        _ => false,
    }
}

/// How many rows and columns a block of a transpose has: a cache line's, but of bytes half of that.
fn block(unit: i64) -> i64 {
    (64 / unit).clamp(4, 32)
}

/// The text with this number for the word `N`.
fn with_number(text: &str, n: i64) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + 1..].chars().next().is_some_and(is_word);
        match c == 'N' && !before && !after {
            true => out += &n.to_string(),
            false => out.push(c),
        }
    }
    out
}

/// `start + a0 * 4 + a1 * 8`.
pub(super) fn address(terms: &[(String, i64)], start: i64) -> String {
    let mut text = match start {
        0 => String::new(),
        start => start.to_string(),
    };
    for (at, stride) in terms.iter().filter(|(_, stride)| *stride != 0) {
        let sign = match (text.is_empty(), *stride < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text += &format!("{sign}{at} * {}", stride.unsigned_abs());
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// A 2-D transpose in blocks of `N` × `N` units.
///
/// A block as a list of `N * N` units has an index of two halves, row and column. A perfect shuffle, which interleaves
/// the list's halves, rotates the bits of the index by one; so `log2 N` of them exchange row and column. Each is a loop
/// that compilers make interleaving instructions of.
const TRANSPOSE: &str = "\
/* Interleaves the halves of a block of N x N units. */
static inline void NAME_shuffle_UNIT(WORD *to, const WORD *from)
{
    for (int k = 0; k < HALF; k++) {
        to[2 * k] = from[k];
        to[2 * k + 1] = from[k + HALF];
    }
}

/* A 2-D transpose of units of UNIT bytes: `rows` runs of `columns` units become `columns` runs of `rows`. Pitches are
 * in bytes. Blocks of N x N units are transposed by STAGES perfect shuffles, in panels of 8 blocks, whose
 * rows stay in the cache; what is left at the edges goes unit by unit. */
static void NAME_transpose_UNIT(unsigned char *dst, int64_t dst_pitch,
                                const unsigned char *src, int64_t src_pitch,
                                int64_t rows, int64_t columns)
{
    const int64_t full_rows = rows - rows % N, full_columns = columns - columns % N;
    for (int64_t panel = 0; panel < full_rows; panel += PANEL)
        for (int64_t column = 0; column < full_columns; column += N)
            for (int64_t row = panel; row < full_rows && row < panel + PANEL; row += N) {
                WORD a[N * N], b[N * N];
                for (int r = 0; r < N; r++)
                    memcpy(a + r * N, src + (row + r) * src_pitch + column * UNIT, N * UNIT);
SHUFFLES
                for (int c = 0; c < N; c++)
                    memcpy(dst + (column + c) * dst_pitch + row * UNIT, LAST + c * N, N * UNIT);
            }
    for (int64_t column = 0; column < columns; column++)
        for (int64_t row = column < full_columns ? full_rows : 0; row < rows; row++)
            memcpy(dst + column * dst_pitch + row * UNIT, src + row * src_pitch + column * UNIT, UNIT);
}
";
