//! Python with numpy: functions over arrays of indexes, and relayouts of arrays of bytes.
//!
//! Boxes are views with strides of both buffers, assigned to each other, so that numpy has the loops. Elements below a
//! byte are taken apart into bits before, and put together behind.

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
use crate::relayout::{Body, Loop, Nest, Relayout, Transfer, Way};

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    source.marked_heads(&mut code, "#");
    code.line("import numpy as np");
    for (name, extents) in source.layouts() {
        match extents {
            Extents::Numbers(array) => layout(&mut code, array, &name),
            Extents::Argument(family) => self::family(&mut code, family, &name),
        }
    }
    if let Some((_, relayout)) = &source.other {
        Printer { name, relayout, transfer: relayout.transfer }.relayout(&mut code);
    }
    Ok(code.into_text())
}

struct PythonSyntax;

impl Syntax for PythonSyntax {
    fn constant(&self, number: i64) -> String {
        if number < 0 { format!("({number})") } else { number.to_string() }
    }

    fn quotient(&self, a: &str, divisor: i64) -> String {
        format!("{a} // {divisor}")
    }

    fn quotient_by(&self, a: &str, b: &str) -> String {
        format!("{a} // {b}")
    }

    fn wide_product(&self, a: &str, product: Product, _: i64) -> String {
        format!("({a} * {}) >> {}", product.factor, product.shift)
    }

    fn both(&self, a: &str, b: &str) -> String {
        format!("{a} & {b}")
    }

    fn always(&self, holds: bool) -> String {
        if holds { "True".to_owned() } else { "False".to_owned() }
    }
}

fn locals(code: &mut Code, formula: &Formula) -> Printed {
    let names: Vec<String> = formula.inputs.iter().map(|input| input.name.clone()).collect();
    let printed = print(formula, &PythonSyntax, &names, "t");
    for (name, _) in names.iter().zip(&printed.uses).filter(|(_, is_used)| **is_used) {
        code.line(format!("{name} = np.asarray({name}, np.int64)"));
    }
    for local in &printed.locals {
        let note = local.note.as_ref().map_or(String::new(), |note| format!("  # {note}"));
        code.line(format!("{} = {}{note}", local.name, local.text));
    }
    printed
}

/// The sizes, the offset and the index of a layout whose extent along a dimension is the last argument.
fn family(code: &mut Code, family: &Family, name: &str) {
    let n = family.argument();
    code.line("");
    code.line(format!(
        "# The extent along the dimension is the argument {n}, of 1 or more; sizes fit 62 bits."
    ));
    let [elements, allocation] = family.sizes();
    for (formula, what, says) in [
        (elements, "elements", "The number of elements."),
        (allocation, "allocation", "The number of slots, with the padding."),
        (
            family.offset_formula(),
            "offset",
            "The offsets of elements, in elements, from indexes within the dims: numbers or arrays.",
        ),
    ] {
        let inputs: Vec<&str> = formula.inputs.iter().map(|input| input.name.as_str()).collect();
        code.line("");
        code.line("");
        code.line(format!("def {name}_{what}({}):", inputs.join(", ")));
        code.indented(|code| {
            code.line(format!("\"\"\"{says}\"\"\""));
            let printed = locals(code, &formula);
            code.line(format!("return {}", printed.outputs.join("")));
        });
    }
    code.line("");
    code.line("");
    code.line(format!("def {name}_index(offset, {n}):"));
    code.indented(|code| {
        code.line("\"\"\"Whether there are elements at these offsets, and the list of their indexes along each dimension.\"\"\"");
        code.line("offset = np.asarray(offset, np.int64)");
        code.line(format!("inside = (offset >= 0) & (offset < {name}_allocation({n}))"));
        code.line("offset = np.where(inside, offset, 0)");
        let printed = locals(code, &family.index_formula());
        let valid = printed.valid.map_or("inside".to_owned(), |valid| format!("inside & ({valid})"));
        code.line(format!("return {valid}, [{}]", printed.outputs.join(", ")));
    });
}

fn layout(code: &mut Code, array: &Array, name: &str) {
    let map = array.map();
    let (constant, dims) = (name.to_ascii_uppercase(), map.dims());
    code.line("");
    code.line(format!("{constant}_ELEMENTS = {}", map.elements()));
    code.line(format!("{constant}_ALLOCATION = {}  # slots, with the padding", map.allocation()));
    code.line("");
    code.line("");
    let formula = offset_formula(map);
    let index: Vec<String> = (0..dims.len()).map(|dim| format!("i{dim}")).collect();
    let index = index.join(", ");
    code.line(format!("def {name}_offset({index}):"));
    code.indented(|code| {
        code.line("\"\"\"The offsets of elements, in elements, from indexes within the dims: numbers or arrays.\"\"\"");
        let printed = locals(code, &formula);
        code.line(format!("return {}", printed.outputs.join("")));
    });
    code.line("");
    code.line("");
    code.line(format!("def {name}_index(offset):"));
    code.indented(|code| {
        code.line("\"\"\"Whether there are elements at these offsets, and the list of their indexes along each dimension.\"\"\"");
        code.line("offset = np.asarray(offset, np.int64)");
        let (low, end) = (map.lowest_offset(), map.lowest_offset() + map.allocation());
        code.line(format!("inside = (offset >= {low}) & (offset < {end})"));
        code.line(format!("offset = np.where(inside, offset, {low})"));
        match index_formula(map).filter(|_| map.elements() > 0) {
            Some(formula) => {
                let printed = locals(code, &formula);
                let valid = printed.valid.map_or("inside".to_owned(), |valid| format!("inside & ({valid})"));
                code.line(format!("return {valid}, [{}]", printed.outputs.join(", ")));
            }
            None if map.elements() == 0 => {
                let zeros = vec!["np.zeros_like(offset)"; dims.len()].join(", ");
                code.line(format!("return np.zeros_like(inside), [{zeros}]"));
            }
            None => {
                code.line("# Digits overlap: no formula takes an offset apart, so the places of all elements are listed.");
                let dims: String = dims.iter().map(|extent| format!("{extent}, ")).collect();
                code.line(format!("index = np.indices(({dims})).reshape({}, {})", map.dims().len(), map.elements()));
                code.line(format!("owner = np.full({}, -1)", map.allocation()));
                code.line(format!("owner[{name}_offset(*index) - {low}] = np.arange({})", map.elements()));
                code.line(format!("found = owner[offset - {low}]"));
                code.line("return inside & (found >= 0), list(index[:, np.maximum(found, 0)])");
            }
        }
    });
}

struct Printer<'a> {
    name: &'a str,
    relayout: &'a Relayout,
    transfer: Transfer,
}

impl Printer<'_> {
    /// Whether elements are taken apart into bits, a byte for each.
    fn is_in_bits(&self) -> bool {
        !self.transfer.is_plain_bytes() && !self.transfer.is_of_words()
    }

    fn relayout(&self, code: &mut Code) {
        let Relayout { src_bytes, dst_bytes, argument, .. } = self.relayout;
        let (name, Transfer { src_bits, dst_bits, .. }) = (self.name, self.transfer);
        let (src_bytes, dst_bytes) = match argument {
            Some(dim) => (
                format!("({name}_allocation(n{dim}) * {src_bits} + 7) // 8"),
                format!("({name}_to_allocation(n{dim}) * {dst_bits} + 7) // 8"),
            ),
            None => (src_bytes.to_string(), dst_bytes.to_string()),
        };
        let expected = match argument {
            Some(_) => format!("{{{src_bytes}}}"),
            None => src_bytes.clone(),
        };
        code.line("");
        code.line("");
        code.line(format!("def {name}_relayout(src{}):", self.relayout.last_argument()));
        code.indented(|code| {
            code.line(format!(
                "\"\"\"The {dst_bytes} bytes that {src_bytes} bytes become, padding filled.\"\"\""
            ));
            code.line("src = np.frombuffer(src, np.uint8)");
            code.line(format!("if len(src) != {src_bytes}:"));
            code.indented(|code| {
                code.line(format!(
                    "raise ValueError(f\"expected {expected} bytes, not {{len(src)}}\")"
                ));
            });
            match &self.relayout.fill {
                Some(fill) => {
                    let bytes: Vec<String> = fill.period.iter().map(u8::to_string).collect();
                    code.line(format!(
                        "dst = np.resize(np.array([{}], np.uint8), {dst_bytes})  # padding",
                        bytes.join(", ")
                    ));
                }
                None => code.line(format!("dst = np.zeros({dst_bytes}, np.uint8)")),
            }
            if let Some(bits) = self.relayout.tail_bits {
                code.line(format!("dst[-1:] &= {}  # bits behind the last slot", (1 << bits) - 1));
            }
            if let Some(dim) = argument
                && dst_bits % 8 != 0
            {
                code.line(format!("bits = {name}_to_allocation(n{dim}) * {dst_bits} % 8"));
                code.line(
                    "dst[-1:] &= np.uint8((1 << bits) - 1 if bits else 255)  # bits behind the last slot",
                );
            }
            if self.relayout.dst_bytes == 0 || self.relayout.src_bytes == 0 {
                return code.line("return dst");
            }
            if self.is_in_bits() {
                code.line("src = np.unpackbits(src, bitorder=\"little\")");
                code.line("dst = np.unpackbits(dst, bitorder=\"little\")");
            }
            match &self.relayout.way {
                Way::Nests(nests) => {
                    for (number, nest) in nests.iter().enumerate() {
                        code.line(format!("# Box {} of {}.", number + 1, nests.len()));
                        self.nest(code, nest);
                    }
                }
                Way::Offsets { dims, .. } => self.by_offsets(code, dims),
            }
            match self.is_in_bits() {
                true => code.line("return np.packbits(dst, bitorder=\"little\")"),
                false => code.line("return dst"),
            }
        });
    }

    fn nest(&self, code: &mut Code, nest: &Nest) {
        let Transfer { src_bits, dst_bits, value_bits, flip } = self.transfer;
        let nest = if self.is_in_bits() { &in_bits(nest) } else { nest };
        let mut loops = nest.loops.clone();
        let (mut src_type, mut dst_type) = ("np.uint8".to_owned(), "np.uint8".to_owned());
        match nest.body {
            Body::Run(bytes) => loops.push(Loop { extent: bytes, src: 1, dst: 1 }),
            Body::Transpose { unit, rows, src_pitch, columns, dst_pitch } => {
                loops.push(Loop { extent: columns, src: unit, dst: dst_pitch });
                loops.push(Loop { extent: rows, src: src_pitch, dst: unit });
                loops.push(Loop { extent: unit, src: 1, dst: 1 });
            }
            Body::Element => {
                src_type = format!("np.uint{src_bits}");
                dst_type = format!("np.uint{dst_bits}");
            }
            Body::Bits => loops.push(Loop { extent: value_bits, src: 1, dst: 1 }),
            Body::Pack { elements, src_stride } => {
                loops.push(Loop { extent: elements, src: src_stride, dst: dst_bits });
                loops.push(Loop { extent: value_bits, src: 1, dst: 1 });
            }
        }
        let view = |of: &str, start: i64, element_type: &str, strides: Vec<i64>| {
            let sizes: String = loops.iter().map(|l| format!("{}, ", l.extent)).collect();
            let strides: String = strides.iter().map(|stride| format!("{stride}, ")).collect();
            format!("np.ndarray(({sizes}), {element_type}, {of}.data, {start}, ({strides}))")
        };
        let value = if self.is_in_bits() && flip != 0 {
            let bits: Vec<String> =
                (0..value_bits).map(|bit| (flip >> bit & 1).to_string()).collect();
            format!(" ^ np.array([{}], np.uint8)", bits.join(", "))
        } else if nest.body == Body::Element {
            let kept = if value_bits < src_bits {
                format!(" & {src_type}({})", self.transfer.mask())
            } else {
                String::new()
            };
            let flipped = if flip != 0 { format!(" ^ {src_type}({flip})") } else { String::new() };
            kept + &flipped
        } else {
            String::new()
        };
        let from = view("src", nest.src, &src_type, loops.iter().map(|l| l.src).collect());
        let to = view("dst", nest.dst, &dst_type, loops.iter().map(|l| l.dst).collect());
        code.line(format!("{to}[...] = {from}{value}"));
        if self.is_in_bits() && dst_bits > value_bits {
            // What is wider than the value is 0.
            loops_of_zeros(code, nest, self.transfer);
        }
    }

    fn by_offsets(&self, code: &mut Code, dims: &[i64]) {
        let Transfer { src_bits, dst_bits, value_bits, flip } = self.transfer;
        let name = self.name;
        let extents = self.relayout.extents(dims);
        let sizes: String = extents.iter().map(|extent| format!("{extent}, ")).collect();
        let elements = if dims.is_empty() { "1".to_owned() } else { extents.join(" * ") };
        let index = format!("*index{}", self.relayout.last_argument());
        code.line(format!("index = np.indices(({sizes})).reshape({}, {elements})", dims.len(),));
        if self.is_in_bits() {
            code.line(format!("place = np.arange({dst_bits})"));
            code.line(format!("source = ({name}_offset({index}) * {src_bits}).reshape(-1, 1) + place[:{value_bits}]"));
            code.line(format!(
                "target = ({name}_to_offset({index}) * {dst_bits}).reshape(-1, 1) + place"
            ));
            let bits: Vec<String> =
                (0..value_bits).map(|bit| (flip >> bit & 1).to_string()).collect();
            code.line("dst[target] = 0");
            code.line(format!(
                "dst[target[:, :{value_bits}]] = src[source] ^ np.array([{}], np.uint8)",
                bits.join(", ")
            ));
        } else if self.transfer.is_plain_bytes() {
            let bytes = dst_bits / 8;
            code.line(format!("src, dst = src.reshape(-1, {bytes}), dst.reshape(-1, {bytes})"));
            code.line(format!("dst[{name}_to_offset({index})] = src[{name}_offset({index})]"));
            code.line("dst = dst.reshape(-1)");
        } else {
            code.line(format!("values = src.view(np.uint{src_bits})[{name}_offset({index})]"));
            let mask =
                self.transfer.mask() & if src_bits < 64 { (1 << src_bits) - 1 } else { u64::MAX };
            code.line(format!(
                "values = values & np.uint{src_bits}({mask}) ^ np.uint{src_bits}({flip})"
            ));
            code.line(format!("dst.view(np.uint{dst_bits})[{name}_to_offset({index})] = values"));
        }
    }
}

/// A nest of bytes in bits; others are in bits.
fn in_bits(nest: &Nest) -> Nest {
    let body = match nest.body {
        Body::Run(bytes) => Body::Run(bytes * 8),
        Body::Transpose { unit, rows, src_pitch, columns, dst_pitch } => Body::Transpose {
            unit: unit * 8,
            rows,
            src_pitch: src_pitch * 8,
            columns,
            dst_pitch: dst_pitch * 8,
        },
        _ => return nest.clone(),
    };
    let loops =
        nest.loops.iter().map(|l| Loop { extent: l.extent, src: l.src * 8, dst: l.dst * 8 });
    Nest { body, src: nest.src * 8, dst: nest.dst * 8, loops: loops.collect() }
}

/// Zeros above each value of a nest.
fn loops_of_zeros(code: &mut Code, nest: &Nest, transfer: Transfer) {
    let mut loops: Vec<(i64, i64)> = nest.loops.iter().map(|l| (l.extent, l.dst)).collect();
    if let Body::Pack { elements, .. } = nest.body {
        loops.push((elements, transfer.dst_bits));
    }
    loops.push((transfer.dst_bits - transfer.value_bits, 1));
    let sizes: String = loops.iter().map(|(extent, _)| format!("{extent}, ")).collect();
    let strides: String = loops.iter().map(|(_, stride)| format!("{stride}, ")).collect();
    let start = nest.dst + transfer.value_bits;
    code.line(format!("np.ndarray(({sizes}), np.uint8, dst.data, {start}, ({strides}))[...] = 0  # above the values"));
}
