//! Functions of languages whose expressions are C's: C, CUDA, OpenCL C.

use super::{Extents, Source};
use crate::array::Array;
use crate::code::Code;
use crate::divide::Product;
use crate::dynamic::Family;
use crate::formula::Formula;
use crate::index::index_formula;
use crate::offset::offset_formula;
use crate::print::{Local, Printed, Syntax, print};
use crate::words::about;

/// In what languages like C differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// An integer of 32 bits.
    pub(super) int32: &'static str,
    /// The same without a sign: it takes no instruction to make 64 bits of it.
    pub(super) uint32: &'static str,
    /// An integer of 64 bits.
    pub(super) int64: &'static str,
    /// What stands before a function.
    pub(super) qualifiers: &'static str,
    /// What stands behind a number of 64 bits.
    pub(super) suffix: &'static str,
}

struct CSyntax {
    dialect: Dialect,
    is_narrow: bool,
    /// The type of all values.
    word: &'static str,
}

impl Syntax for CSyntax {
    fn constant(&self, number: i64) -> String {
        match i32::try_from(number) {
            Ok(i32::MIN) => "(-2147483647 - 1)".to_owned(),
            Ok(number) => number.to_string(),
            Err(_) if number == i64::MIN => format!("(-{}{} - 1)", i64::MAX, self.dialect.suffix),
            Err(_) => format!("{number}{}", self.dialect.suffix),
        }
    }

    fn wide_product(&self, a: &str, product: Product, divisor: i64) -> String {
        let (word, Dialect { int64, suffix, .. }) = (self.word, self.dialect);
        let Product { factor, shift, .. } = product;
        match self.is_narrow {
            true => {
                format!("({word})((({int64}){a} * {factor}{suffix}) >> {shift}) /* / {divisor} */")
            }
            false => format!("({a} * {factor}{suffix}) >> {shift} /* / {divisor} */"),
        }
    }
}

impl Dialect {
    /// A formula's lines: inputs in narrower words where that does, then its locals.
    pub(super) fn locals(self, code: &mut Code, formula: &Formula, prefix: &str) -> Printed {
        let is_narrow = formula.is_narrow();
        let word = match (is_narrow, formula.is_natural()) {
            (true, true) => self.uint32,
            (true, false) => self.int32,
            _ => self.int64,
        };
        let syntax = CSyntax { dialect: self, is_narrow, word };
        let names: Vec<String> = formula
            .inputs
            .iter()
            .map(|input| if is_narrow { format!("{}_", input.name) } else { input.name.clone() })
            .collect();
        let printed = print(formula, &syntax, &names, prefix);
        for ((input, name), is_used) in formula.inputs.iter().zip(&names).zip(&printed.uses) {
            match (is_used, is_narrow) {
                (true, true) => code.line(format!("const {word} {name} = ({word}){};", input.name)),
                (false, _) => code.line(format!("(void){};", input.name)),
                (true, false) => {}
            }
        }
        for Local { name, text, note, is_truth } in &printed.locals {
            let word = if *is_truth { "int" } else { word };
            let note = note.as_ref().map_or(String::new(), |note| format!(" /* {note} */"));
            code.line(format!("const {word} {name} = {text};{note}"));
        }
        printed
    }

    /// What the first lines say.
    pub(super) fn heads(self, code: &mut Code, source: &Source<'_>) {
        for (what, array) in source.heads() {
            self.about(code, array, what);
        }
    }

    /// The functions of the layouts.
    pub(super) fn layouts(self, code: &mut Code, source: &Source<'_>) {
        for (number, (name, layout)) in source.layouts().enumerate() {
            if number > 0 {
                code.line("");
            }
            match layout {
                Extents::Numbers(array) => self.layout(code, array, &name),
                Extents::Argument(family) => self.family(code, family, &name),
            }
        }
    }

    fn about(self, code: &mut Code, array: &Array, what: &str) {
        code.line(format!("/* {what}"));
        for line in about(array) {
            code.line(format!(" *   {line}"));
        }
        code.line(" */");
    }

    /// The sizes, the offset and the index of a layout whose extent along a dimension is the last argument.
    fn family(self, code: &mut Code, family: &Family, name: &str) {
        let Dialect { int64, qualifiers, .. } = self;
        let n = family.argument();
        let line = format!(
            "/* The extent along the dimension is the argument {n}, of 1 or more; sizes fit 62 bits. */"
        );
        code.line(line);
        for (formula, what) in family.sizes().iter().zip(["elements", "allocation"]) {
            code.line(format!("{qualifiers} {int64} {name}_{what}({int64} {n})"));
            self.body(code, |code| {
                let printed = self.locals(code, formula, "t");
                code.line(format!("return {};", printed.outputs.join("")));
            });
        }
        let formula = family.offset_formula();
        let arguments: Vec<String> =
            formula.inputs.iter().map(|input| format!("{int64} {}", input.name)).collect();
        code.line("");
        code.line("/* The offset of an element, in elements, from an index within the dims. */");
        code.line(format!("{qualifiers} {int64} {name}_offset({})", arguments.join(", ")));
        self.body(code, |code| {
            let printed = self.locals(code, &formula, "t");
            code.line(format!("return {};", printed.outputs.join("")));
        });
        let formula = family.index_formula();
        let rank = formula.outputs.len();
        let pointers: String = (0..rank).map(|dim| format!(", {int64} *i{dim}")).collect();
        code.line("");
        code.line("/* The index of the element at an offset. Returns 1, or 0 where there is padding or nothing");
        code.line(" * of the array: then nothing is stored. */");
        code.line(format!("{qualifiers} int {name}_index({int64} offset, {int64} {n}{pointers})"));
        self.body(code, |code| {
            code.line(format!("if (offset < 0 || offset >= {name}_allocation({n})) return 0;"));
            self.index_by_formula(code, &formula);
        });
    }

    fn body(self, code: &mut Code, write: impl FnOnce(&mut Code)) {
        code.block("{", "}", write);
    }

    /// The sizes, the offset and the index of a layout.
    fn layout(self, code: &mut Code, array: &Array, name: &str) {
        let map = array.map();
        code.line("/* The number of elements, and of slots with the padding. */");
        code.line(format!("#define {name}_elements {}{}", map.elements(), self.suffix));
        code.line(format!("#define {name}_allocation {}{}", map.allocation(), self.suffix));
        code.line("");
        self.offset(code, array, name);
        code.line("");
        self.index(code, array, name);
    }

    fn offset(self, code: &mut Code, array: &Array, name: &str) {
        let Dialect { int64, qualifiers, .. } = self;
        let formula = offset_formula(array.map());
        let arguments = self.arguments(array);
        let bounds: Vec<String> = formula
            .inputs
            .iter()
            .map(|input| format!("{} from 0 to {}", input.name, input.range.high))
            .collect();
        code.line("/* The offset of an element, in elements, from its index.");
        code.line(format!(
            " * Requires: {}. */",
            if bounds.is_empty() { "nothing".to_owned() } else { bounds.join(", ") }
        ));
        code.line(format!("{qualifiers} {int64} {name}_offset({arguments})"));
        code.line("{");
        code.indented(|code| {
            let printed = self.locals(code, &formula, "t");
            code.line(format!("return {};", printed.outputs.join("")));
        });
        code.line("}");
    }

    fn arguments(self, array: &Array) -> String {
        let dims = 0..array.map().dims().len();
        let list: Vec<String> = dims.map(|dim| format!("{} i{dim}", self.int64)).collect();
        if list.is_empty() { "void".to_owned() } else { list.join(", ") }
    }

    fn index(self, code: &mut Code, array: &Array, name: &str) {
        let Dialect { int64, qualifiers, .. } = self;
        let map = array.map();
        let rank = map.dims().len();
        let pointers: String = (0..rank).map(|dim| format!(", {int64} *i{dim}")).collect();
        code.line("/* The index of the element at an offset. Returns 1, or 0 where there is padding or nothing");
        code.line(" * of the array: then nothing is stored. */");
        code.line(format!("{qualifiers} int {name}_index({int64} offset{pointers})"));
        code.line("{");
        let (low, last) = (map.lowest_offset(), map.lowest_offset() + map.allocation() - 1);
        let number =
            |number: i64| CSyntax { dialect: self, is_narrow: false, word: int64 }.constant(number);
        code.indented(|code| {
            if map.elements() == 0 {
                code.line("(void)offset;");
                for dim in 0..rank {
                    code.line(format!("(void)i{dim};"));
                }
                return code.line("return 0; /* no elements */");
            }
            code.line(format!(
                "if (offset < {} || offset > {}) return 0; /* outside the allocation */",
                number(low),
                number(last)
            ));
            match index_formula(map) {
                Some(formula) => self.index_by_formula(code, &formula),
                None => self.index_by_search(code, map.dims(), name),
            }
        });
        code.line("}");
    }

    fn index_by_formula(self, code: &mut Code, formula: &Formula) {
        let printed = self.locals(code, formula, "t");
        if let Some(valid) = &printed.valid {
            code.line(format!("if (!({valid})) return 0; /* padding */"));
        }
        for (dim, output) in printed.outputs.iter().enumerate() {
            code.line(format!("*i{dim} = {output};"));
        }
        code.line("return 1;");
    }

    fn index_by_search(self, code: &mut Code, dims: &[i64], name: &str) {
        let int64 = self.int64;
        code.line("/* Digits overlap: no formula takes an offset apart, so elements are tried one by one. */");
        for (dim, extent) in dims.iter().enumerate() {
            code.line(format!("for ({int64} a{dim} = 0; a{dim} < {extent}; a{dim}++)"));
        }
        let index: Vec<String> = (0..dims.len()).map(|dim| format!("a{dim}")).collect();
        code.block(format!("if ({name}_offset({}) == offset) {{", index.join(", ")), "}", |code| {
            for dim in 0..dims.len() {
                code.line(format!("*i{dim} = a{dim};"));
            }
            code.line("return 1;");
        });
        code.line("return 0;");
    }
}
