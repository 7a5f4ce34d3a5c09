//! Triton: functions of tensors of indexes, and a kernel whose programs write blocks of words of the destination.
//!
//! A relayout that transposes goes by tiles, as blocks of two dimensions which are transposed: the compiler takes those
//! through shared memory, swizzled by itself. Words are of 64 bits at most, the widest type that pointers have; a compiler joins the loads and stores of
//! neighbours, which are contiguous where the layouts are.

use super::Source;
use super::tiles::{factor, less, start, tiles_of};
use crate::array::Array;
use crate::code::Code;
use crate::divide::Product;
use crate::error::Error;
use crate::formula::Formula;
use crate::index::index_formula;
use crate::kernel::{Kernel, Widths, Word};
use crate::offset::offset_formula;
use crate::print::{Printed, Syntax, print};
use crate::relayout::{Relayout, Transfer};
use crate::staged::{Staged, StagedBox};

const WIDTHS: Widths = Widths { least: 8, most: 64, element: 64 };

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    source.marked_heads(&mut code, "#");
    code.line("import triton");
    code.line("import triton.language as tl");
    for (name, array) in source.arrays() {
        layout(&mut code, array, &name);
    }
    if let Some((other, relayout)) = &source.other {
        match tiles(source.array, other, relayout)? {
            Some((staged, padding)) => {
                tiles_kernel(&mut code, &staged, padding.as_ref(), relayout, name);
            }
            None => {
                let kernel = Kernel::of(source.array, other, relayout, WIDTHS)?;
                relayout_kernel(&mut code, &kernel, relayout, name);
            }
        }
    }
    Ok(code.into_text())
}

struct TritonSyntax {
    is_narrow: bool,
}

impl TritonSyntax {
    fn word(&self) -> &'static str {
        if self.is_narrow { "tl.int32" } else { "tl.int64" }
    }
}

impl Syntax for TritonSyntax {
    fn constant(&self, number: i64) -> String {
        if number < 0 { format!("({number})") } else { number.to_string() }
    }

    fn quotient(&self, a: &str, divisor: i64) -> String {
        format!("{a} // {divisor}")
    }

    fn wide_product(&self, a: &str, product: Product, _: i64) -> String {
        let Product { factor, shift, .. } = product;
        let wide = format!("(tl.cast({a}, tl.int64) * {factor}) >> {shift}");
        if self.is_narrow { format!("tl.cast({wide}, tl.int32)") } else { wide }
    }

    fn truth(&self, a: &str) -> String {
        format!("tl.cast({a}, {})", self.word())
    }

    fn both(&self, a: &str, b: &str) -> String {
        format!("{a} & {b}")
    }

    fn always(&self, holds: bool) -> String {
        if holds { "True".to_owned() } else { "False".to_owned() }
    }
}

fn locals(code: &mut Code, formula: &Formula) -> Printed {
    let syntax = TritonSyntax { is_narrow: formula.is_narrow() };
    let names: Vec<String> = formula.inputs.iter().map(|input| input.name.clone()).collect();
    let printed = print(formula, &syntax, &names, "t");
    for (name, _) in names.iter().zip(&printed.uses).filter(|(_, is_used)| **is_used) {
        code.line(format!("{name} = tl.cast({name}, {})", syntax.word()));
    }
    for local in &printed.locals {
        let note = local.note.as_ref().map_or(String::new(), |note| format!("  # {note}"));
        code.line(format!("{} = {}{note}", local.name, local.text));
    }
    printed
}

fn layout(code: &mut Code, array: &Array, name: &str) {
    let map = array.map();
    let formula = offset_formula(map);
    let names: Vec<String> = formula.inputs.iter().map(|input| input.name.clone()).collect();
    code.line("");
    code.line("");
    code.line("@triton.jit");
    code.line(format!("def {name}_offset({}):", names.join(", ")));
    code.indented(|code| {
        code.line(
            "\"\"\"The offsets of elements, in elements, from indexes within the dims.\"\"\"",
        );
        let printed = locals(code, &formula);
        code.line(format!("return {}", printed.outputs.join("")));
    });
    code.line("");
    code.line("");
    let Some(formula) = index_formula(map).filter(|_| map.elements() > 0) else {
        return code.line(format!(
            "# No {name}_index: no formula takes an offset apart, since digits overlap."
        ));
    };
    code.line("@triton.jit");
    code.line(format!("def {name}_index(offset):"));
    code.indented(|code| {
        code.line("\"\"\"Whether there are elements at these offsets, and their indexes along each dimension.\"\"\"");
        let (low, end) = (map.lowest_offset(), map.lowest_offset() + map.allocation());
        code.line(format!("inside = (offset >= {low}) & (offset < {end})"));
        code.line(format!("offset = tl.where(inside, offset, {low})"));
        let printed = locals(code, &formula);
        let valid = printed.valid.as_ref().map_or("inside".to_owned(), |valid| format!("inside & ({valid})"));
        let index: String = printed.outputs.iter().map(|output| format!(", {output}")).collect();
        code.line(format!("return {valid}{index}"));
    });
}

/// The tiles of a relayout that transposes, and the kernel of its padding, if there is any, by words of theirs.
fn tiles(
    from: &Array,
    to: &Array,
    relayout: &Relayout,
) -> Result<Option<(Staged, Option<Kernel>)>, Error> {
    let Some(staged) = tiles_of(relayout).filter(|staged| staged.unit * 8 <= WIDTHS.most) else {
        return Ok(None);
    };
    if relayout.fill.is_none() {
        return Ok(Some((staged, None)));
    }
    let bits = staged.unit * 8;
    let kernel = Kernel::of(from, to, relayout, Widths { least: bits, most: bits, element: 64 })?;
    let is_alike = kernel.word == Word::Whole && kernel.word_bits == bits;
    Ok(is_alike.then(|| (staged, Some(kernel.test_alone()))))
}

fn tiles_kernel(
    code: &mut Code,
    staged: &Staged,
    padding: Option<&Kernel>,
    relayout: &Relayout,
    name: &str,
) {
    let Staged { unit, tiles, .. } = *staged;
    let words = padding.map_or(0, |kernel| kernel.words);
    grid(code, tiles, words, name);
    for (number, of) in staged.boxes.iter().enumerate() {
        function(code, &format!("{name}_box{number}(src, dst, q)"), |code| tile(code, of));
    }
    if let Some(kernel) = padding {
        function(code, &format!("{name}_padding(dst, w)"), |code| {
            code.line(format!("\"\"\"Stores the words that no tile stores to, of {words}.\"\"\""));
            let valid = valid_word(code, kernel).valid;
            let valid = valid.unwrap_or_else(|| "inside".to_owned());
            code.line(format!(
                "value = tl.full(w.shape, {}, tl.uint{})",
                kernel.padding_number(),
                unit * 8
            ));
            code.line(format!("tl.store(dst + w, value, mask=inside & (({valid}) == 0))"));
        });
    }
    let is_narrow = staged.is_narrow(relayout);
    let int = if is_narrow { "tl.int32" } else { "tl.int64" };
    let programs = match words {
        0 => format!("{tiles} programs, of which each takes a tile"),
        _ => format!(
            "{tiles} programs, of which each takes a tile, and cdiv({words}, BLOCK) for the padding"
        ),
    };
    function(code, &format!("{name}_relayout(src, dst, BLOCK: tl.constexpr)"), |code| {
        about_relayout(code, relayout, (unit * 8, unit * 8), &programs);
        code.line(format!("b = tl.cast(tl.program_id(0), {int})"));
        let mut first = 0;
        for (number, of) in staged.boxes.iter().enumerate() {
            let (word, last) = (if number == 0 { "if" } else { "elif" }, first + of.tiles);
            code.line(format!("{word} b < {last}:"));
            code.line(format!("    {name}_box{number}(src, dst, {})", less("b", first)));
            first = last;
        }
        if padding.is_some() {
            code.line("else:");
            code.line(format!(
                "    {name}_padding(dst, (b - {tiles}) * BLOCK + tl.arange(0, BLOCK))"
            ));
        }
    });
}

/// A tile: a block of two dimensions that is loaded as the source lies, transposed, and stored as the destination lies.
fn tile(code: &mut Code, of: &StagedBox) {
    let StagedBox { rows, columns, tile_rows, tile_columns, src_pitch, dst_pitch, .. } = *of;
    let blocks = |extent: i64, side: i64| (extent + side - 1) / side;
    let (n_rows, n_columns) = (blocks(rows, tile_rows), blocks(columns, tile_columns));
    code.line(format!(
        "\"\"\"Tile q, of {tile_rows} by {tile_columns}, of {rows} rows of {columns} words.\"\"\""
    ));
    code.line(format!("c = q % {n_columns} * {tile_columns} + tl.arange(0, {tile_columns})"));
    let mut before = n_columns.saturating_mul(n_rows);
    let (mut src, mut dst) = (start(of.nest.src), start(of.nest.dst));
    for (depth, l) in of.nest.loops.iter().enumerate().rev() {
        code.line(format!("a{depth} = q // {before} % {}", l.extent));
        before = before.saturating_mul(l.extent);
        src += &format!("a{depth} * {} + ", factor(l.src));
        dst += &format!("a{depth} * {} + ", factor(l.dst));
    }
    if rows == 1 {
        code.line(format!("value = tl.load(src + ({src}c), mask=c < {columns}, other=0)"));
        return code.line(format!("tl.store(dst + ({dst}c), value, mask=c < {columns})"));
    }
    code.line(format!("r = q // {n_columns} % {n_rows} * {tile_rows} + tl.arange(0, {tile_rows})"));
    code.line(format!("inside = (r < {rows})[:, None] & (c < {columns})[None, :]"));
    let (src_pitch, dst_pitch) = (factor(src_pitch), factor(dst_pitch));
    code.line(format!("s = {src}r[:, None] * {src_pitch} + c[None, :]  # neighbours along a row"));
    code.line(format!(
        "d = {dst}c[:, None] * {dst_pitch} + r[None, :]  # neighbours along a column"
    ));
    code.line("value = tl.load(src + s, mask=inside, other=0)");
    code.line("tl.store(dst + d, tl.trans(value), mask=tl.trans(inside))");
}

/// A function of the compiler's.
fn function(code: &mut Code, signature: &str, write: impl FnOnce(&mut Code)) {
    code.line("");
    code.line("");
    code.line("@triton.jit");
    code.line(format!("def {signature}:"));
    code.indented(write);
}

/// How many programs there are: tiles, and blocks of words.
fn grid(code: &mut Code, tiles: i64, words: i64, name: &str) {
    code.line("");
    code.line("");
    code.line(format!("def {name}_grid(BLOCK):"));
    code.indented(|code| {
        code.line("\"\"\"How many programs the kernel takes.\"\"\"");
        let sum: Vec<String> = [
            (tiles > 0 || words == 0).then(|| tiles.to_string()),
            (words > 0).then(|| format!("triton.cdiv({words}, BLOCK)")),
        ]
        .into_iter()
        .flatten()
        .collect();
        code.line(format!("return ({},)", sum.join(" + ")));
    });
}

fn about_relayout(code: &mut Code, relayout: &Relayout, (src, dst): (i64, i64), programs: &str) {
    let Relayout { src_bytes, dst_bytes, .. } = relayout;
    code.line(format!(
        "\"\"\"Moves the array, padding too: {src_bytes} bytes at src to {dst_bytes} bytes at dst."
    ));
    code.line("");
    code.line(format!("src points to tl.uint{src}, dst to tl.uint{dst}. The grid is {programs}."));
    code.line("\"\"\"");
}

/// The lines of the formula for the words `w`; `inside` says which there are.
fn valid_word(code: &mut Code, kernel: &Kernel) -> Printed {
    code.line(format!("inside = w < {}", kernel.words));
    code.line("t = w");
    locals(code, &kernel.formula)
}

fn relayout_kernel(code: &mut Code, kernel: &Kernel, relayout: &Relayout, name: &str) {
    let Kernel { word_bits, words, .. } = *kernel;
    let src_bits = match kernel.word {
        Word::Whole => word_bits,
        Word::Elements(_) => relayout.transfer.src_bits.max(8),
    };
    grid(code, 0, words, name);
    function(code, &format!("{name}_relayout(src, dst, BLOCK: tl.constexpr)"), |code| {
        about_relayout(
            code,
            relayout,
            (src_bits, word_bits),
            &format!("cdiv({words}, BLOCK) programs"),
        );
        let is_narrow = kernel.slots < 1 << 30 && words < 1 << 30;
        let int = if is_narrow { "tl.int32" } else { "tl.int64" };
        code.line(format!("w = tl.cast(tl.program_id(0), {int}) * BLOCK + tl.arange(0, BLOCK)"));
        match kernel.word {
            Word::Whole => {
                let printed = valid_word(code, kernel);
                let valid = printed
                    .valid
                    .as_ref()
                    .map_or("inside".to_owned(), |valid| format!("inside & ({valid})"));
                let padding = kernel.padding_number();
                let source = block_of(&printed);
                code.line(format!(
                    "value = tl.load(src + {source}, mask={valid}, other={padding})"
                ));
                code.line("tl.store(dst + w, value, mask=inside)");
            }
            Word::Elements(elements) => {
                code.line(format!("inside = w < {words}"));
                elements_of_words(code, kernel, relayout.transfer, elements);
            }
        }
    });
}

/// The formula's output as a block of numbers, also where it is the same for all.
fn block_of(printed: &Printed) -> String {
    let output = printed.outputs.join("");
    match output.parse::<i64>() {
        Ok(number) => format!("tl.full([BLOCK], {number}, tl.int64)"),
        Err(_) => format!("({output})"),
    }
}

fn elements_of_words(code: &mut Code, kernel: &Kernel, transfer: Transfer, elements: i64) {
    let Transfer { src_bits, dst_bits, value_bits, flip } = transfer;
    let (slots, word_bits) = (kernel.slots, kernel.word_bits);
    code.line("made = tl.zeros([BLOCK], tl.uint64)");
    code.line(format!("for k in tl.static_range({elements}):"));
    code.indented(|code| {
        code.line(format!("slot = w * {elements} + k"));
        code.line(format!("is_slot = inside & (slot < {slots})"));
        code.line("t = tl.where(is_slot, slot, 0)");
        let printed = locals(code, &kernel.formula);
        let valid = printed
            .valid
            .as_ref()
            .map_or("is_slot".to_owned(), |valid| format!("is_slot & ({valid})"));
        code.line(format!("valid = {valid}"));
        code.line(format!("s = {}", block_of(&printed)));
        let per = (8 / src_bits).max(1);
        let place = if per > 1 { format!("(s // {per})") } else { "s".to_owned() };
        code.line(format!(
            "value = tl.cast(tl.load(src + {place}, mask=valid, other=0), tl.uint64)"
        ));
        if per > 1 {
            code.line(format!("value = value >> tl.cast(s % {per} * {src_bits}, tl.uint64)"));
        }
        if value_bits < src_bits.max(8) {
            code.line(format!("value = value & {:#x}", transfer.mask()));
        }
        if flip != 0 {
            code.line(format!("value = value ^ {flip:#x}"));
        }
        let mask = if dst_bits >= 64 { u64::MAX } else { (1 << dst_bits) - 1 };
        let padding = kernel.padding_number() as u64 & mask;
        code.line(format!(
            "value = tl.where(valid, value, tl.cast(tl.where(is_slot, {padding}, 0), tl.uint64))"
        ));
        code.line(format!("made = made | (value << (k * {dst_bits}))"));
    });
    code.line(format!("tl.store(dst + w, tl.cast(made, tl.uint{word_bits}), mask=inside)"));
}
