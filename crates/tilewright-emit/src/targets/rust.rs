//! Rust: functions over slices of bytes, without `unsafe` and without a crate.

use super::{Extents, Source};
use crate::array::Array;
use crate::code::Code;
use crate::divide::Product;
use crate::dynamic::Family;
use crate::error::Error;
use crate::formula::Formula;
use crate::index::index_formula;
use crate::offset::offset_formula;
use crate::print::{Printed, Syntax, print};
use crate::relayout::{Body, Nest, Relayout, Transfer, Way};

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    source.marked_heads(&mut code, "//");
    for (name, extents) in source.layouts() {
        code.line("");
        match extents {
            Extents::Numbers(array) => layout(&mut code, array, &name),
            Extents::Argument(family) => self::family(&mut code, family, &name),
        }
    }
    if let Some((_, relayout)) = &source.other {
        code.line("");
        Printer { name, relayout, transfer: relayout.transfer }.relayout(&mut code);
    }
    Ok(code.into_text())
}

struct RustSyntax {
    is_narrow: bool,
}

impl RustSyntax {
    fn word(&self) -> &'static str {
        if self.is_narrow { "i32" } else { "i64" }
    }
}

impl Syntax for RustSyntax {
    fn constant(&self, number: i64) -> String {
        match number {
            i64::MIN => "i64::MIN".to_owned(),
            number if number < 0 => format!("({number})"),
            number => number.to_string(),
        }
    }

    fn wide_product(&self, a: &str, product: Product, divisor: i64) -> String {
        let Product { factor, shift, .. } = product;
        match self.is_narrow {
            true => format!("((i64::from({a}) * {factor}) >> {shift}) as i32 /* / {divisor} */"),
            false => format!("({a} * {factor}) >> {shift} /* / {divisor} */"),
        }
    }

    fn truth(&self, a: &str) -> String {
        format!("{}::from({a})", self.word())
    }

    fn always(&self, holds: bool) -> String {
        holds.to_string()
    }
}

fn locals(code: &mut Code, formula: &Formula) -> Printed {
    let syntax = RustSyntax { is_narrow: formula.is_narrow() };
    let names: Vec<String> = formula.inputs.iter().map(|input| input.name.clone()).collect();
    let printed = print(formula, &syntax, &names, "t");
    for (name, is_used) in names.iter().zip(&printed.uses) {
        match (is_used, syntax.is_narrow) {
            (true, true) => code.line(format!("let {name} = {name} as i32;")),
            (false, _) => code.line(format!("let _ = {name};")),
            (true, false) => {}
        }
    }
    for local in &printed.locals {
        let word = if local.is_truth { "bool" } else { syntax.word() };
        let note = local.note.as_ref().map_or(String::new(), |note| format!(" // {note}"));
        code.line(format!("let {}: {word} = {};{note}", local.name, local.text));
    }
    printed
}

/// A function of a formula that is always defined.
fn function(code: &mut Code, formula: &Formula, name: &str) {
    let arguments: Vec<String> =
        formula.inputs.iter().map(|input| format!("{}: i64", input.name)).collect();
    code.block(format!("pub fn {name}({}) -> i64 {{", arguments.join(", ")), "}", |code| {
        let printed = locals(code, formula);
        let output = printed.outputs.join("");
        match formula.is_narrow() {
            true => code.line(format!("i64::from({})", typed(&output))),
            false => code.line(output),
        }
    });
}

/// The sizes, the offset and the index of a layout whose extent along a dimension is the last argument.
fn family(code: &mut Code, family: &Family, name: &str) {
    let n = family.argument();
    code.line(format!(
        "// The extent along the dimension is the argument {n}, of 1 or more; sizes fit 62 bits."
    ));
    code.line("");
    let of = ["The number of elements.", "The number of slots, with the padding."];
    for ((formula, what), says) in family.sizes().iter().zip(["elements", "allocation"]).zip(of) {
        code.line(format!("/// {says}"));
        function(code, formula, &format!("{name}_{what}"));
        code.line("");
    }
    code.line("/// The offset of an element, in elements, from an index within the dims.");
    function(code, &family.offset_formula(), &format!("{name}_offset"));
    code.line("");
    let formula = family.index_formula();
    let rank = formula.outputs.len();
    code.line("/// The index of the element at an offset; `None` where there is padding or nothing of the array.");
    code.block(
        format!("pub fn {name}_index(offset: i64, {n}: i64) -> Option<[i64; {rank}]> {{"),
        "}",
        |code| {
            code.block(
                format!("if !(0..{name}_allocation({n})).contains(&offset) {{"),
                "}",
                |code| {
                    code.line("return None; // outside the allocation");
                },
            );
            let printed = locals(code, &formula);
            if let Some(valid) = &printed.valid {
                code.block(format!("if !({valid}) {{"), "}", |code| {
                    code.line("return None; // padding");
                });
            }
            code.line(format!("Some([{}])", printed.outputs.join(", ")));
        },
    );
}

fn layout(code: &mut Code, array: &Array, name: &str) {
    let map = array.map();
    let constant = name.to_ascii_uppercase();
    code.line("/// The number of elements.");
    code.line(format!("pub const {constant}_ELEMENTS: i64 = {};", map.elements()));
    code.line("/// The number of slots, with the padding.");
    code.line(format!("pub const {constant}_ALLOCATION: i64 = {};", map.allocation()));
    code.line("");
    let formula = offset_formula(map);
    code.line("/// The offset of an element, in elements, from an index within the dims.");
    function(code, &formula, &format!("{name}_offset"));
    code.line("");
    let rank = map.dims().len();
    code.line("/// The index of the element at an offset; `None` where there is padding or nothing of the array.");
    code.block(
        format!("pub fn {name}_index(offset: i64) -> Option<[i64; {rank}]> {{"),
        "}",
        |code| {
            if map.elements() == 0 {
                code.line("let _ = offset;");
                return code.line("None // no elements");
            }
            let (low, last) = (map.lowest_offset(), map.lowest_offset() + map.allocation() - 1);
            code.block(format!("if !({low}..={last}).contains(&offset) {{"), "}", |code| {
                code.line("return None; // outside the allocation");
            });
            match index_formula(map) {
                Some(formula) => {
                    let printed = locals(code, &formula);
                    if let Some(valid) = &printed.valid {
                        code.block(format!("if !({valid}) {{"), "}", |code| {
                            code.line("return None; // padding");
                        });
                    }
                    let outputs: Vec<String> = match formula.is_narrow() {
                        true => printed
                            .outputs
                            .iter()
                            .map(|output| format!("i64::from({})", typed(output)))
                            .collect(),
                        false => printed.outputs,
                    };
                    code.line(format!("Some([{}])", outputs.join(", ")));
                }
                None => search(code, map.dims(), name),
            }
        },
    );
}

/// A number with its type, where the text is no more than a number.
fn typed(output: &str) -> String {
    match output.parse::<i64>() {
        Ok(_) => format!("{output}i32"),
        Err(_) => output.to_owned(),
    }
}

fn search(code: &mut Code, dims: &[i64], name: &str) {
    code.line(
        "// Digits overlap: no formula takes an offset apart, so elements are tried one by one.",
    );
    let index: Vec<String> = (0..dims.len()).map(|dim| format!("i{dim}")).collect();
    let index = index.join(", ");
    for (dim, extent) in dims.iter().enumerate() {
        code.line(format!("for i{dim} in 0..{extent} {{"));
    }
    code.line(format!("if {name}_offset({index}) == offset {{ return Some([{index}]); }}"));
    code.line("}".repeat(dims.len()));
    code.line("None");
}

struct Printer<'a> {
    name: &'a str,
    relayout: &'a Relayout,
    transfer: Transfer,
}

impl Printer<'_> {
    fn relayout(&self, code: &mut Code) {
        let Relayout { src_bytes, dst_bytes, argument, .. } = self.relayout;
        let (name, Transfer { src_bits, dst_bits, .. }) = (self.name, self.transfer);
        code.line(match argument {
            Some(dim) => {
                format!("/// Moves the array of extent n{dim}, element by element, padding too.")
            }
            None => format!(
                "/// Moves the array: {src_bytes} bytes are read, {dst_bytes} written, padding too."
            ),
        });
        code.line("///");
        code.line("/// # Panics");
        code.line("/// If a slice is not exactly as long.");
        let last = argument.map_or(String::new(), |dim| format!(", n{dim}: i64"));
        code.block(
            format!("pub fn {name}_relayout(src: &[u8], dst: &mut [u8]{last}) {{"),
            "}",
            |code| {
                let sizes = match argument {
                    Some(dim) => {
                        code.line(format!(
                            "let src_bits = {name}_allocation(n{dim}) * {src_bits};"
                        ));
                        code.line(format!(
                            "let dst_bits = {name}_to_allocation(n{dim}) * {dst_bits};"
                        ));
                        "((src_bits + 7) as usize / 8, (dst_bits + 7) as usize / 8)".to_owned()
                    }
                    None => format!("({src_bytes}, {dst_bytes})"),
                };
                code.line(format!("assert_eq!((src.len(), dst.len()), {sizes});"));
                self.fill(code);
                match &self.relayout.way {
                    Way::Nests(nests) => {
                        for (number, nest) in nests.iter().enumerate() {
                            code.line(format!("// Box {} of {}.", number + 1, nests.len()));
                            self.nest(code, nest);
                        }
                    }
                    Way::Offsets { dims, .. } => self.by_offsets(code, dims),
                }
            },
        );
        if self.has_bits() {
            code.line("");
            self.bits(code);
        }
    }

    fn fill(&self, code: &mut Code) {
        if let Some(fill) = &self.relayout.fill {
            let period: Vec<String> =
                fill.period.iter().map(|byte| format!("{byte:#04x}")).collect();
            match period.as_slice() {
                [byte] => code.line(format!("dst.fill({byte}); // padding")),
                _ => {
                    let list = period.join(", ");
                    code.line(format!("let period: [u8; {}] = [{list}]; // padding", period.len()));
                    code.line("dst.iter_mut().zip(period.iter().cycle()).for_each(|(byte, pad)| *byte = *pad);");
                }
            }
        }
        if let Some(bits) = self.relayout.tail_bits {
            let (last, mask) = (self.relayout.dst_bytes - 1, (1 << bits) - 1);
            code.line(format!("dst[{last}] &= {mask:#04x}; // bits behind the last slot"));
        }
        if self.relayout.argument.is_some() && self.transfer.dst_bits % 8 != 0 {
            code.line("if dst_bits % 8 != 0 { dst[dst_bits as usize / 8] &= (1 << (dst_bits % 8)) - 1; } // bits behind");
        }
    }

    fn nest(&self, code: &mut Code, nest: &Nest) {
        let mut loops = nest.loops.clone();
        let mut body = nest.body;
        if let Body::Transpose { unit: bytes, rows, src_pitch, columns, dst_pitch } = body {
            // Bounds of slices are tested once a step, so that the destination's neighbours are the inner loop.
            loops.push(crate::Loop { extent: columns, src: bytes, dst: dst_pitch });
            loops.push(crate::Loop { extent: rows, src: src_pitch, dst: bytes });
            body = Body::Run(bytes);
        }
        let (mut src, mut dst) = (nest.src.to_string(), nest.dst.to_string());
        for (depth, l) in loops.iter().enumerate() {
            let at = format!("a{depth}");
            code.line(format!("for {at} in 0..{}i64 {{", l.extent));
            src += &term(&at, l.src);
            dst += &term(&at, l.dst);
        }
        code.indented(|code| self.body(code, body, &src, &dst));
        if !loops.is_empty() {
            code.line("}".repeat(loops.len()));
        }
    }

    fn body(&self, code: &mut Code, body: Body, src: &str, dst: &str) {
        let Transfer { src_bits, dst_bits, .. } = self.transfer;
        match body {
            Body::Run(bytes) => {
                code.block("{", "}", |code| {
                    code.line(format!("let (s, d) = (({src}) as usize, ({dst}) as usize);"));
                    code.line(format!(
                        "dst[d..d + {bytes}].copy_from_slice(&src[s..s + {bytes}]);"
                    ));
                });
            }
            Body::Transpose { .. } => {}
            Body::Element => code.line(format!(
                "{}_put(dst, ({dst}) * 8, {dst_bits}, {});",
                self.name,
                self.value(&format!("({src}) * 8"), src_bits)
            )),
            Body::Bits => {
                code.line(format!(
                    "{}_put(dst, {dst}, {dst_bits}, {});",
                    self.name,
                    self.value(src, src_bits)
                ));
            }
            Body::Pack { elements, src_stride } => {
                code.block("{", "}", |code| {
                    code.line("let mut byte = 0;");
                    code.block(format!("for k in 0..{elements}i64 {{"), "}", |code| {
                        let value = self.value(&format!("{src} + k * {src_stride}"), src_bits);
                        code.line(format!("byte |= ({value}) << (k * {dst_bits});"));
                    });
                    code.line(format!("dst[(({dst}) / 8) as usize] = byte as u8;"));
                });
            }
        }
    }

    fn value(&self, src: &str, bits: i64) -> String {
        let Transfer { value_bits, src_bits, flip, .. } = self.transfer;
        let got = format!("{}_get(src, {src}, {bits})", self.name);
        let kept = if value_bits < src_bits {
            format!("({got} & {:#x})", self.transfer.mask())
        } else {
            got
        };
        if flip == 0 { kept } else { format!("({kept} ^ {flip:#x})") }
    }

    fn by_offsets(&self, code: &mut Code, dims: &[i64]) {
        let (name, transfer) = (self.name, self.transfer);
        let index: Vec<String> = (0..dims.len()).map(|dim| format!("i{dim}")).collect();
        let index = index.join(", ") + &self.relayout.last_argument();
        for (dim, extent) in self.relayout.extents(dims).iter().enumerate() {
            code.line(format!("for i{dim} in 0..{extent} {{"));
        }
        let is_bytes = transfer.is_plain_bytes();
        let unit = if is_bytes { 8 } else { 1 };
        let src = format!("{name}_offset({index}) * {}", transfer.src_bits / unit);
        let dst = format!("{name}_to_offset({index}) * {}", transfer.dst_bits / unit);
        let body = if is_bytes { Body::Run(transfer.dst_bits / 8) } else { Body::Bits };
        code.indented(|code| self.body(code, body, &src, &dst));
        code.line("}".repeat(dims.len()));
    }

    fn has_bits(&self) -> bool {
        match &self.relayout.way {
            Way::Nests(nests) => nests
                .iter()
                .any(|nest| matches!(nest.body, Body::Element | Body::Bits | Body::Pack { .. })),
            Way::Offsets { .. } => !self.transfer.is_plain_bytes(),
        }
    }

    fn bits(&self, code: &mut Code) {
        code.lines(&BITS.replace("NAME", self.name));
    }
}

fn term(at: &str, stride: i64) -> String {
    match stride {
        0 => String::new(),
        stride if stride < 0 => format!(" - {at} * {}", stride.unsigned_abs()),
        stride => format!(" + {at} * {stride}"),
    }
}

const BITS: &str = "\
/// So many bits from a bit on, the first in the low end.
fn NAME_get(src: &[u8], bit: i64, bits: i64) -> u64 {
    let (mut value, mut k) = (0, 0);
    while k < bits {
        let at = (bit + k) & 7;
        let n = (8 - at).min(bits - k);
        value |= (u64::from(src[((bit + k) >> 3) as usize] >> at) & ((1 << n) - 1)) << k;
        k += n;
    }
    value
}

/// Stores so many bits among those that are there.
#[allow(dead_code)]
fn NAME_put(dst: &mut [u8], bit: i64, bits: i64, value: u64) {
    let mut k = 0;
    while k < bits {
        let at = (bit + k) & 7;
        let n = (8 - at).min(bits - k);
        let mask = (((1u32 << n) - 1) << at) as u8;
        let byte = &mut dst[((bit + k) >> 3) as usize];
        *byte = *byte & !mask | ((value >> k) << at) as u8 & mask;
        k += n;
    }
}
";
