//! MLIR: the layout as an affine map and a memref type, functions in the `arith` dialect, relayouts in `scf` loops.
//!
//! A memref of an integer type counts in elements whatever their width, so that elements below a byte need no bits
//! taken apart. The source and the destination of a relayout are the slots of each array, one behind the other.

use super::Source;
use crate::array::Array;
use crate::code::Code;
use crate::error::Error;
use crate::expression::{Expr, Operation};
use crate::formula::Formula;
use crate::index::index_formula;
use crate::offset::offset_formula;
use crate::relayout::Transfer;
use crate::words::about;
use tilewright::map::Notation;

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let name = source.name;
    let mut code = Code::default();
    header(&mut code, source.array, "Layout:");
    aliases(&mut code, source.array, name);
    if let Some((other, _)) = &source.other {
        header(&mut code, other, "Relayout to:");
        aliases(&mut code, other, &format!("{name}_to"));
    }
    code.block("module {", "}", |code| {
        layout(code, source.array, name);
        if let Some((other, relayout)) = &source.other {
            layout(code, other, &format!("{name}_to"));
            let padding = other.padding();
            relayout_loops(code, source.array, other, relayout.transfer, padding, name);
        }
    });
    Ok(code.into_text())
}

fn header(code: &mut Code, array: &Array, what: &str) {
    code.line(format!("// {what}"));
    for line in about(array) {
        code.line(format!("//   {line}"));
    }
}

/// The map and the type, where the map has no more terms than anybody reads.
fn aliases(code: &mut Code, array: &Array, name: &str) {
    let map = array.map();
    match map.to_notation(Notation::Mlir, array.element_bits()) {
        Ok(text) => {
            code.line(format!("#{name}_layout = {text}"));
            let dims: String = map.dims().iter().map(|extent| format!("{extent}x")).collect();
            code.line(format!(
                "!{name}_type = memref<{dims}i{}, #{name}_layout>",
                array.element_bits()
            ));
        }
        Err(reason) => code.line(format!("// No affine map: {reason}.")),
    }
}

/// A function's body in single assignments.
struct Body<'a> {
    code: &'a mut Code,
    n_values: usize,
}

impl Body<'_> {
    fn value(&mut self, text: &str) -> String {
        let name = format!("%v{}", self.n_values);
        self.n_values += 1;
        self.code.line(format!("{name} = {text}"));
        name
    }

    fn constant(&mut self, number: i64) -> String {
        self.value(&format!("arith.constant {number} : index"))
    }

    /// A formula's test, where there is one, and its outputs.
    fn formula(&mut self, formula: &Formula, inputs: &[String]) -> (Option<String>, Vec<String>) {
        let arena = &formula.arena;
        let mut names: std::collections::HashMap<Expr, String> = std::collections::HashMap::new();
        for expr in arena.reachable(&formula.roots()) {
            if let Some(note) = arena.note_of(expr) {
                self.code.line(format!("// {note}"));
            }
            let operand = |expr: Expr| names.get(&expr).cloned().unwrap_or_default();
            let name = self.operation(arena.operation(expr), inputs, operand, |expr| {
                is_truth(arena.operation(expr))
            });
            names.insert(expr, name);
        }
        let of = |expr: &Expr| names.get(expr).cloned().unwrap_or_default();
        let valid = formula.valid.map(|valid| match arena.constant_of(valid) {
            Some(number) => self.value(
                &format!("arith.constant {} : i1", if number == 1 { "true" } else { "false" })
                    .replace(" : i1", ""),
            ),
            None => of(&valid),
        });
        (valid, formula.outputs.iter().map(of).collect())
    }

    fn operation(
        &mut self,
        operation: Operation,
        inputs: &[String],
        of: impl Fn(Expr) -> String,
        is_truth: impl Fn(Expr) -> bool,
    ) -> String {
        let binary =
            |operator: &str, a: &str, b: &str| format!("arith.{operator} {a}, {b} : index");
        match operation {
            Operation::Constant(number) => self.constant(number),
            Operation::Input(number) => inputs[number].clone(),
            Operation::Add(a, b) => self.value(&binary("addi", &of(a), &of(b))),
            Operation::Subtract(a, b) => self.value(&binary("subi", &of(a), &of(b))),
            Operation::Multiply(a, b) => {
                let [a, b] = [a, b].map(|factor| match is_truth(factor) {
                    true => {
                        let wide = self.value(&format!("arith.extui {} : i1 to i64", of(factor)));
                        self.value(&format!("arith.index_cast {wide} : i64 to index"))
                    }
                    false => of(factor),
                });
                self.value(&binary("muli", &a, &b))
            }
            Operation::Divide(a, divisor, _) => {
                let divisor = self.constant(divisor);
                self.value(&binary("divui", &of(a), &divisor))
            }
            Operation::DivideBy(a, b) => self.value(&binary("divui", &of(a), &of(b))),
            Operation::ShiftRight(a, bits) => {
                let bits = self.constant(bits.into());
                self.value(&binary("shrui", &of(a), &bits))
            }
            Operation::And(a, mask) => {
                let mask = self.constant(mask);
                self.value(&binary("andi", &of(a), &mask))
            }
            Operation::Xor(a, b) => self.value(&binary("xori", &of(a), &of(b))),
            Operation::Or(a, b) => self.value(&binary("ori", &of(a), &of(b))),
            Operation::Less(a, b) => {
                self.value(&format!("arith.cmpi slt, {}, {} : index", of(a), of(b)))
            }
            Operation::Equal(a, b) => {
                self.value(&format!("arith.cmpi eq, {}, {} : index", of(a), of(b)))
            }
            Operation::Both(a, b) => self.value(&format!("arith.andi {}, {} : i1", of(a), of(b))),
        }
    }
}

fn is_truth(operation: Operation) -> bool {
    matches!(operation, Operation::Less(..) | Operation::Equal(..) | Operation::Both(..))
}

fn layout(code: &mut Code, array: &Array, name: &str) {
    let map = array.map();
    let formula = offset_formula(map);
    let names: Vec<String> =
        formula.inputs.iter().map(|input| format!("%{}", input.name)).collect();
    let arguments: Vec<String> = names.iter().map(|name| format!("{name}: index")).collect();
    code.line("// The offset of an element, in elements, from an index within the dims.");
    code.block(
        format!("func.func @{name}_offset({}) -> index {{", arguments.join(", ")),
        "}",
        |code| {
            let mut body = Body { code, n_values: 0 };
            let (_, outputs) = body.formula(&formula, &names);
            code.line(format!("return {} : index", outputs.join("")));
        },
    );
    let Some(formula) = index_formula(map) else {
        return code.line(format!(
            "// No @{name}_index: digits overlap, so no formula takes an offset apart."
        ));
    };
    let rank = map.dims().len();
    code.line("// Whether there is an element at an offset of the allocation, and its index.");
    let results = format!("i1{}", ", index".repeat(rank));
    code.block(format!("func.func @{name}_index(%offset: index) -> ({results}) {{"), "}", |code| {
        let mut body = Body { code, n_values: 0 };
        let (valid, outputs) = body.formula(&formula, &["%offset".to_owned()]);
        let valid = valid.unwrap_or_default();
        let values: String = outputs.iter().map(|output| format!(", {output}")).collect();
        code.line(format!("return {valid}{values} : {results}"));
    });
}

fn relayout_loops(
    code: &mut Code,
    from: &Array,
    to: &Array,
    transfer: Transfer,
    padding: u8,
    name: &str,
) {
    let Transfer { src_bits, dst_bits, value_bits, flip } = transfer;
    let (src, dst) = (
        format!("memref<{}xi{src_bits}>", from.map().allocation()),
        format!("memref<{}xi{dst_bits}>", to.map().allocation()),
    );
    code.line("// Moves the array, padding too.");
    code.block(format!("func.func @{name}_relayout(%src: {src}, %dst: {dst}) {{"), "}", |code| {
        let mut body = Body { code, n_values: 0 };
        let (zero, one) = (body.constant(0), body.constant(1));
        if to.map().allocation() > to.map().elements() {
            let slots = body.constant(to.map().allocation());
            let number = (0..dst_bits)
                .fold(0u128, |number, bit| number | u128::from(padding >> (bit % 8) & 1) << bit);
            let pad =
                body.value(&format!("arith.constant {} : i{dst_bits}", signed(number, dst_bits)));
            code.block(format!("scf.for %s = {zero} to {slots} step {one} {{"), "}", |code| {
                code.line(format!("memref.store {pad}, %dst[%s] : {dst}"));
            });
        }
        let dims = from.map().dims();
        let mut body = Body { code, n_values: 1000 };
        let ends: Vec<String> = dims.iter().map(|&extent| body.constant(extent)).collect();
        for (dim, end) in ends.iter().enumerate() {
            code.line(format!("scf.for %i{dim} = {zero} to {end} step {one} {{"));
        }
        code.indented(|code| {
            let index: Vec<String> = (0..dims.len()).map(|dim| format!("%i{dim}")).collect();
            let mut body = Body { code, n_values: 2000 };
            let (_, at) = body.formula(&offset_formula(from.map()), &index);
            let (_, place) = body.formula(&offset_formula(to.map()), &index);
            let mut value = body.value(&format!("memref.load %src[{}] : {src}", at.join("")));
            let bits = |bits: i64| format!("i{bits}");
            if value_bits < src_bits {
                value = body.value(&format!(
                    "arith.trunci {value} : {} to {}",
                    bits(src_bits),
                    bits(value_bits)
                ));
            }
            if flip != 0 {
                let mask = body.value(&format!(
                    "arith.constant {} : i{value_bits}",
                    signed(flip.into(), value_bits)
                ));
                value = body.value(&format!("arith.xori {value}, {mask} : i{value_bits}"));
            }
            if value_bits < dst_bits {
                value = body.value(&format!(
                    "arith.extui {value} : {} to {}",
                    bits(value_bits),
                    bits(dst_bits)
                ));
            }
            code.line(format!("memref.store {value}, %dst[{}] : {dst}", place.join("")));
        });
        if !dims.is_empty() {
            code.line("}".repeat(dims.len()));
        }
        code.line("return");
    });
}

/// A number of so many bits as MLIR writes it: with a sign.
fn signed(number: u128, bits: i64) -> i128 {
    let number = number as i128;
    match (1..127).contains(&bits) && number >> (bits - 1) & 1 == 1 {
        true => number - (1 << bits),
        false => number,
    }
}
