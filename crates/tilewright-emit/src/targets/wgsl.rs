//! WGSL: functions, and a compute shader with an invocation for each word of the destination.
//!
//! WGSL has integers of 32 bits alone, so that layouts whose offsets need more are refused, and buffers are of words of
//! 32 bits: those of elements that do not fill the last one are rounded up.

use super::Source;
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
use crate::words::about;

const WIDTHS: Widths = Widths { least: 32, most: 128, element: 32 };

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    header(&mut code, source.array, "Layout:");
    if let Some((other, _)) = &source.other {
        header(&mut code, other, "Relayout to:");
    }
    layout(&mut code, source.array, name)?;
    if let Some((other, relayout)) = &source.other {
        layout(&mut code, other, &format!("{name}_to"))?;
        let kernel = Kernel::of(source.array, other, relayout, WIDTHS)?;
        check(&kernel.formula, other)?;
        shader(&mut code, &kernel, relayout, name);
    }
    Ok(code.into_text())
}

fn header(code: &mut Code, array: &Array, what: &str) {
    code.line(format!("// {what}"));
    for line in about(array) {
        code.line(format!("//   {line}"));
    }
}

/// Refuses what does not fit 32 bits.
fn check(formula: &Formula, array: &Array) -> Result<(), Error> {
    let fits = formula.is_narrow() && array.map().allocation() <= i64::from(i32::MAX);
    match fits {
        true => Ok(()),
        false => Err(Error::message(format!(
            "WGSL has integers of 32 bits, and the {} slots of `{}` need more",
            array.map().allocation(),
            array.text()
        ))),
    }
}

struct WgslSyntax;

impl Syntax for WgslSyntax {
    fn constant(&self, number: i64) -> String {
        match number {
            -2_147_483_648 => "(-2147483647 - 1)".to_owned(),
            number if number < 0 => format!("({number})"),
            number => number.to_string(),
        }
    }

    /// Products of 64 bits are what there are none of: a quotient is left to the compiler.
    fn wide_product(&self, a: &str, _: Product, divisor: i64) -> String {
        format!("{a} / {divisor}")
    }

    fn truth(&self, a: &str) -> String {
        format!("select(0, 1, {a})")
    }

    fn always(&self, holds: bool) -> String {
        holds.to_string()
    }
}

fn locals(code: &mut Code, formula: &Formula) -> Printed {
    let names: Vec<String> = formula.inputs.iter().map(|input| input.name.clone()).collect();
    let printed = print(formula, &WgslSyntax, &names, "t");
    for local in &printed.locals {
        let word = if local.is_truth { "bool" } else { "i32" };
        let note = local.note.as_ref().map_or(String::new(), |note| format!(" // {note}"));
        code.line(format!("let {}: {word} = {};{note}", local.name, local.text));
    }
    printed
}

fn layout(code: &mut Code, array: &Array, name: &str) -> Result<(), Error> {
    let map = array.map();
    let formula = offset_formula(map);
    check(&formula, array)?;
    let constant = name.to_ascii_uppercase();
    code.line(format!("const {constant}_ELEMENTS: i32 = {};", map.elements()));
    code.line(format!(
        "const {constant}_ALLOCATION: i32 = {}; // slots, with the padding",
        map.allocation()
    ));
    code.line("");
    let arguments: Vec<String> =
        formula.inputs.iter().map(|input| format!("{}: i32", input.name)).collect();
    code.line("// The offset of an element, in elements, from an index within the dims.");
    code.block(format!("fn {name}_offset({}) -> i32 {{", arguments.join(", ")), "}", |code| {
        let printed = locals(code, &formula);
        code.line(format!("return {};", printed.outputs.join("")));
    });
    code.line("");
    let rank = map.dims().len();
    code.block(format!("struct {name}_place {{"), "}", |code| {
        code.line("valid: bool, // whether there is an element, and no padding");
        code.line(format!("i: array<i32, {}>, // its index", rank.max(1)));
    });
    code.line("");
    code.line("// The index of the element at an offset.");
    let formula = index_formula(map);
    if let Some(formula) = &formula {
        check(formula, array)?;
    }
    code.block(format!("fn {name}_index(offset: i32) -> {name}_place {{"), "}", |code| {
        code.line(format!("var place: {name}_place;"));
        let (low, end) = (map.lowest_offset(), map.lowest_offset() + map.allocation());
        if map.elements() == 0 {
            return code.line("return place; // no elements");
        }
        code.line(format!(
            "if (offset < {low} || offset >= {end}) {{ return place; }} // outside the allocation"
        ));
        match &formula {
            Some(formula) => {
                let printed = locals(code, formula);
                if let Some(valid) = &printed.valid {
                    code.line(format!("if (!({valid})) {{ return place; }} // padding"));
                }
                code.line("place.valid = true;");
                for (dim, output) in printed.outputs.iter().enumerate() {
                    code.line(format!("place.i[{dim}] = {output};"));
                }
                code.line("return place;");
            }
            None => search(code, map.dims(), name),
        }
    });
    code.line("");
    Ok(())
}

fn search(code: &mut Code, dims: &[i64], name: &str) {
    code.line(
        "// Digits overlap: no formula takes an offset apart, so elements are tried one by one.",
    );
    for (dim, extent) in dims.iter().enumerate() {
        code.line(format!("for (var i{dim} = 0; i{dim} < {extent}; i{dim}++) {{"));
    }
    let index: Vec<String> = (0..dims.len()).map(|dim| format!("i{dim}")).collect();
    code.block(format!("if ({name}_offset({}) == offset) {{", index.join(", ")), "}", |code| {
        code.line("place.valid = true;");
        for dim in 0..dims.len() {
            code.line(format!("place.i[{dim}] = i{dim};"));
        }
        code.line("return place;");
    });
    code.line("}".repeat(dims.len()));
    code.line("return place;");
}

fn shader(code: &mut Code, kernel: &Kernel, relayout: &Relayout, name: &str) {
    let Kernel { word_bits, words, .. } = *kernel;
    let typed = |bits: i64| match bits {
        64 => "vec2<u32>",
        128 => "vec4<u32>",
        _ => "u32",
    };
    let src = if kernel.word == Word::Whole { typed(word_bits) } else { "u32" };
    let dst = typed(word_bits);
    code.line(format!(
        "@group(0) @binding(0) var<storage, read> {name}_src: array<{src}>; // {} bytes",
        relayout.src_bytes
    ));
    code.line(format!(
        "@group(0) @binding(1) var<storage, read_write> {name}_dst: array<{dst}>; // {} bytes",
        relayout.dst_bytes
    ));
    code.line("");
    code.line(format!("// Moves the array, padding too: an invocation for each of {words} words of {word_bits} bits, in any number of"));
    code.line("// workgroups.");
    code.line("@compute @workgroup_size(64)");
    code.line(format!("fn {name}_relayout(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{"));
    code.indented(|code| {
        code.line("let step = i32(groups.x) * 64;");
        code.block(format!("for (var w = i32(id.x); w < {words}; w += step) {{"), "}", |code| {
            match kernel.word {
                Word::Whole => whole(code, kernel, name),
                Word::Elements(elements) => {
                    elements_of_word(code, kernel, relayout.transfer, elements, name);
                }
            }
        });
    });
    code.line("}");
}

fn whole(code: &mut Code, kernel: &Kernel, name: &str) {
    code.line("let t = w;");
    let printed = locals(code, &kernel.formula);
    let padding = kernel.padding_number();
    let part = |number: u32| format!("{:#x}u", (padding >> (32 * number)) as u32);
    let padding = match kernel.word_bits {
        64 => format!("vec2<u32>({}, {})", part(0), part(1)),
        128 => format!("vec4<u32>({}, {}, {}, {})", part(0), part(1), part(2), part(3)),
        _ => part(0),
    };
    if let Some(valid) = &printed.valid {
        code.block(format!("if (!({valid})) {{"), "}", |code| {
            code.line(format!("{name}_dst[w] = {padding}; // padding"));
            code.line("continue;");
        });
    }
    code.line(format!("{name}_dst[w] = {name}_src[{}];", printed.outputs.join("")));
}

fn elements_of_word(
    code: &mut Code,
    kernel: &Kernel,
    transfer: Transfer,
    elements: i64,
    name: &str,
) {
    let Transfer { src_bits, dst_bits, value_bits, flip } = transfer;
    code.line("var made = 0u;");
    code.block(format!("for (var k = 0; k < {elements}; k++) {{"), "}", |code| {
        code.line(format!("let t = w * {elements} + k; // the slot"));
        if kernel.slots % elements != 0 {
            code.line(format!("if (t >= {}) {{ break; }} // behind the last slot", kernel.slots));
        }
        let printed = locals(code, &kernel.formula);
        let mask = if dst_bits >= 32 { u32::MAX } else { (1 << dst_bits) - 1 };
        let padding = kernel.padding_number() as u32 & mask;
        if let Some(valid) = &printed.valid {
            code.block(format!("if (!({valid})) {{"), "}", |code| {
                code.line(format!("made |= {padding:#x}u << u32(k * {dst_bits}); // padding"));
                code.line("continue;");
            });
        }
        code.line(format!("let s = {};", printed.outputs.join("")));
        let per = 32 / src_bits;
        let loaded = match per {
            1 => format!("{name}_src[s]"),
            per => format!("({name}_src[s / {per}] >> u32(s % {per} * {src_bits}))"),
        };
        let kept =
            if value_bits < 32 { format!("({loaded} & {:#x}u)", transfer.mask()) } else { loaded };
        let flipped = if flip == 0 { kept } else { format!("({kept} ^ {flip:#x}u)") };
        code.line(format!("made |= {flipped} << u32(k * {dst_bits});"));
    });
    code.line(format!("{name}_dst[w] = made;"));
}
