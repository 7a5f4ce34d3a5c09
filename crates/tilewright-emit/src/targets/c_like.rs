//! Functions of languages whose expressions are C's: C, CUDA, OpenCL C.

use crate::array::Array;
use crate::code::Code;
use crate::divide::Product;
use crate::dynamic::Family;
use crate::formula::Formula;
use crate::index::index_formula;
use crate::kernel::{Kernel, Word};
use crate::offset::offset_formula;
use crate::print::{Local, Printed, Syntax, print};
use crate::relayout::{Relayout, Transfer};
use crate::words::about;

/// In what languages like C differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    /// An integer of 32 bits.
    pub(crate) int32: &'static str,
    /// An integer of 64 bits.
    pub(crate) int64: &'static str,
    /// What stands before a function.
    pub(crate) qualifiers: &'static str,
    /// What stands behind a number of 64 bits.
    pub(crate) suffix: &'static str,
}

struct CSyntax {
    dialect: Dialect,
    is_narrow: bool,
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
        let Dialect { int32, int64, suffix, .. } = self.dialect;
        let Product { factor, shift, .. } = product;
        match self.is_narrow {
            true => {
                format!("({int32})((({int64}){a} * {factor}{suffix}) >> {shift}) /* / {divisor} */")
            }
            false => format!("({a} * {factor}{suffix}) >> {shift} /* / {divisor} */"),
        }
    }
}

impl Dialect {
    /// A formula's lines: inputs in narrower words where that does, then its locals.
    pub(crate) fn locals(self, code: &mut Code, formula: &Formula, prefix: &str) -> Printed {
        let is_narrow = formula.is_narrow();
        let syntax = CSyntax { dialect: self, is_narrow };
        let word = if is_narrow { self.int32 } else { self.int64 };
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
    pub(crate) fn about(self, code: &mut Code, array: &Array, what: &str) {
        code.line(format!("/* {what}"));
        for line in about(array) {
            code.line(format!(" *   {line}"));
        }
        code.line(" */");
    }

    /// The sizes, the offset and the index of a layout whose extent along a dimension is the last argument.
    pub(crate) fn family(self, code: &mut Code, family: &Family, name: &str) {
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
    pub(crate) fn layout(self, code: &mut Code, array: &Array, name: &str) {
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
        let number = |number: i64| CSyntax { dialect: self, is_narrow: false }.constant(number);
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

/// In what the kernels of languages like C differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelDialect {
    pub(crate) dialect: Dialect,
    /// What stands before the body, with `NAME` for the name.
    pub(crate) signature: &'static str,
    /// The unsigned types, by their bits.
    pub(crate) words: [(i64, &'static str); 5],
    /// What stands before a type of what pointers point to.
    pub(crate) memory: &'static str,
    /// The number of a thread, with `INT` for the type of a word's number.
    pub(crate) first: &'static str,
    /// How many threads there are.
    pub(crate) step: &'static str,
    /// A vector of four words.
    pub(crate) vector: &'static str,
    /// What stands before memory that the threads of a block share.
    pub(crate) shared: &'static str,
    /// Where threads of a block wait for each other.
    pub(crate) barrier: &'static str,
    /// The number of a thread in its block.
    pub(crate) thread: &'static str,
    /// How many threads a block has.
    pub(crate) threads: &'static str,
    /// The number of a block.
    pub(crate) group: &'static str,
    /// How many blocks there are.
    pub(crate) groups: &'static str,
}

impl KernelDialect {
    pub(crate) fn word(self, bits: i64) -> &'static str {
        self.words.iter().find(|(width, _)| *width == bits).map_or("", |(_, word)| word)
    }

    /// The kernel that writes all words of the destination.
    pub(crate) fn kernel(self, code: &mut Code, kernel: &Kernel, relayout: &Relayout, name: &str) {
        let Kernel { word_bits, words, .. } = *kernel;
        code.line(format!(
            "/* Moves the array, {} bytes to {}: a thread for each of {words} words of",
            relayout.src_bytes, relayout.dst_bytes
        ));
        code.line(format!(
            " * {word_bits} bits, padding too. Buffers are aligned to the words of either side. */"
        ));
        code.line(self.signature.replace("NAME", name));
        code.line("{");
        code.indented(|code| {
            let int = self.int_of(kernel);
            let src_bits = match kernel.word {
                Word::Whole => word_bits,
                Word::Elements(_) => relayout.transfer.src_bits.max(8),
            };
            let (memory, word) = (self.memory, self.word(word_bits));
            let src = self.word(src_bits);
            code.line(format!("const {memory}{src} *src = (const {memory}{src} *)from;"));
            code.line(format!("{memory}{word} *dst = ({memory}{word} *)to;"));
            code.line(format!("const {int} step = {};", self.step.replace("INT", int)));
            let first = self.first.replace("INT", int);
            code.block(
                format!("for ({int} w = {first}; w < {words}; w += step) {{"),
                "}",
                |code| match kernel.word {
                    Word::Whole => self.whole(code, kernel),
                    Word::Elements(elements) => {
                        self.elements(code, kernel, relayout.transfer, elements);
                    }
                },
            );
        });
        code.line("}");
    }

    /// The type of a word's number.
    pub(crate) fn int_of(self, kernel: &Kernel) -> &'static str {
        let fits =
            kernel.formula.is_narrow() && kernel.words.saturating_mul(2) < i64::from(i32::MAX);
        match fits && kernel.word == Word::Whole {
            true => self.dialect.int32,
            false => self.dialect.int64,
        }
    }

    /// The lines of the formula for word `w`; whether it has an element, where that is a question.
    pub(crate) fn valid(self, code: &mut Code, kernel: &Kernel) -> Option<String> {
        self.located(code, kernel).valid
    }

    fn located(self, code: &mut Code, kernel: &Kernel) -> Printed {
        let Dialect { int32, int64, .. } = self.dialect;
        let word = if kernel.formula.is_narrow() { int32 } else { int64 };
        code.line(format!("const {word} t = w;"));
        self.dialect.locals(code, &kernel.formula, "t")
    }

    /// A word of padding.
    pub(crate) fn padding_word(self, kernel: &Kernel) -> String {
        let padding = kernel.padding_number();
        let part = |number: u32| format!("{:#x}", (padding >> (32 * number)) as u32);
        match kernel.word_bits {
            128 => self
                .vector
                .replace('A', &part(0))
                .replace('B', &part(1))
                .replace('C', &part(2))
                .replace('D', &part(3)),
            _ => format!("{padding:#x}"),
        }
    }

    fn whole(self, code: &mut Code, kernel: &Kernel) {
        let printed = self.located(code, kernel);
        if let Some(valid) = &printed.valid {
            let padding = self.padding_word(kernel);
            code.line(format!("if (!({valid})) {{ dst[w] = {padding}; continue; }} /* padding */"));
        }
        code.line(format!("dst[w] = src[{}];", printed.outputs.join("")));
    }

    fn elements(self, code: &mut Code, kernel: &Kernel, transfer: Transfer, elements: i64) {
        let Dialect { int32, int64, .. } = self.dialect;
        let (word, wide) = (self.word(kernel.word_bits), self.word(64));
        let Transfer { src_bits, dst_bits, value_bits, flip } = transfer;
        code.line(format!("{word} made = 0;"));
        code.block(format!("for (int k = 0; k < {elements}; k++) {{"), "}", |code| {
            let t = if kernel.formula.is_narrow() { int32 } else { int64 };
            code.line(format!("const {t} t = ({t})(w * {elements} + k); /* the slot */"));
            if kernel.slots % elements != 0 {
                code.line(format!("if (t >= {}) break; /* behind the last slot */", kernel.slots));
            }
            let printed = self.dialect.locals(code, &kernel.formula, "t");
            let mask = if dst_bits >= 64 { u64::MAX } else { (1 << dst_bits) - 1 };
            let padding = kernel.padding_number() as u64 & mask;
            if let Some(valid) = &printed.valid {
                code.block(format!("if (!({valid})) {{"), "}", |code| {
                    code.line(format!(
                        "made |= ({word})({padding:#x}) << (k * {dst_bits}); /* padding */"
                    ));
                    code.line("continue;");
                });
            }
            let at = printed.outputs.join("");
            code.line(format!("const {int64} s = {at};"));
            let loaded = match src_bits >= 8 {
                true => "src[s]".to_owned(),
                false => format!("(src[s / {0}] >> (s % {0} * {src_bits}))", 8 / src_bits),
            };
            let value_mask = transfer.mask();
            let kept = if value_bits < src_bits.max(8) {
                format!("({loaded} & {value_mask:#x})")
            } else {
                loaded
            };
            let flipped = if flip == 0 { kept } else { format!("({kept} ^ {flip:#x})") };
            code.line(format!("made |= ({word})(({wide}){flipped} << (k * {dst_bits}));"));
        });
        code.line("dst[w] = made;");
    }
}
