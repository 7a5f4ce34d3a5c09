//! Triton: functions of tensors of indexes, and a kernel whose programs write blocks of words of the destination.
//!
//! Words are of 64 bits at most, the widest type that pointers have; a compiler joins the loads and stores of
//! neighbours, which are contiguous where the layouts are.

use super::Source;
use super::python::header;
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

const WIDTHS: Widths = Widths { least: 8, most: 64, element: 64 };

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    header(&mut code, source.array, "Layout:");
    if let Some((other, _)) = &source.other {
        header(&mut code, other, "Relayout to:");
    }
    code.line("import triton");
    code.line("import triton.language as tl");
    layout(&mut code, source.array, name);
    if let Some((other, relayout)) = &source.other {
        layout(&mut code, other, &format!("{name}_to"));
        let kernel = Kernel::of(source.array, other, relayout, WIDTHS)?;
        relayout_kernel(&mut code, &kernel, relayout, name);
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

fn relayout_kernel(code: &mut Code, kernel: &Kernel, relayout: &Relayout, name: &str) {
    let Kernel { word_bits, words, .. } = *kernel;
    let src_bits = match kernel.word {
        Word::Whole => word_bits,
        Word::Elements(_) => relayout.transfer.src_bits.max(8),
    };
    code.line("");
    code.line("");
    code.line(format!("{}_WORDS = {words}", name.to_ascii_uppercase()));
    code.line("");
    code.line("");
    code.line("@triton.jit");
    code.line(format!("def {name}_relayout(src, dst, BLOCK: tl.constexpr):"));
    code.indented(|code| {
        code.line(format!("\"\"\"Moves the array, padding too: {} bytes at src to {} bytes at dst.", relayout.src_bytes, relayout.dst_bytes));
        code.line("");
        code.line(format!("src points to tl.uint{src_bits}, dst to tl.uint{word_bits}. The grid is cdiv({words}, BLOCK) programs."));
        code.line("\"\"\"");
        let is_narrow = kernel.slots < 1 << 30 && words < 1 << 30;
        let int = if is_narrow { "tl.int32" } else { "tl.int64" };
        code.line(format!("w = tl.cast(tl.program_id(0), {int}) * BLOCK + tl.arange(0, BLOCK)"));
        code.line(format!("inside = w < {words}"));
        match kernel.word {
            Word::Whole => {
                code.line("t = w");
                let printed = locals(code, &kernel.formula);
                let valid = printed.valid.as_ref().map_or("inside".to_owned(), |valid| format!("inside & ({valid})"));
                let padding = kernel.padding_number();
                let source = block_of(&printed);
                code.line(format!("value = tl.load(src + {source}, mask={valid}, other={padding})"));
                code.line("tl.store(dst + w, value, mask=inside)");
            }
            Word::Elements(elements) => elements_of_words(code, kernel, relayout.transfer, elements),
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
